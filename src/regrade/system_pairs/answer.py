"""Do two systems differ significantly?

The light is fine where the difference is significant, corrected or not, or where the systems are
equivalent within the margin; a problem where topics are too few for a test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from regrade.answers.pair_tests import CORRECTED, TESTS
from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import (
    CONFIDENCE_INTERVAL,
    by_quantity,
    of_measure,
    p_clause,
    percent,
)
from regrade.catalogue import ALL_TOPICS
from regrade.kendall import TOLERANCE
from regrade.significance.discrimination import SIGNIFICANCE
from regrade.system_pairs.stage import SystemPairs
from regrade.wording import counted, number

TABLES = tuple(f"system-pairs/{name}" for name in ("tests", "topics", "facts"))


def answer(tables: Mapping[str, pd.DataFrame]) -> Answer:
    """The answer from the tables of the stage ``system_pairs``, by name.

    The first measure has verdict and facts; each has a row.
    """
    tests, row = tables["tests"], next(tables["tests"].itertuples())
    of_all = of_measure(tables["facts"], ALL_TOPICS)
    facts, options = by_quantity(of_all), _notes(of_all)
    test = TESTS[options["test"]]
    sentences = [verdict(row, test, facts)]
    if is_apart(row):
        has_margin = pd.notna(row.margin)
        sentences += [
            within_margin(row, test, facts) if has_margin else "",
            topic_differences(row, of_measure(tables["facts"], row.measure)),
            "" if has_margin else other_tests(row, facts, options),
            power(row, facts["topics"]),
        ]
    return Answer.of(
        SystemPairs.question,
        sentences,
        key=key(row),
        light=light(row, facts),
        rows=difference_table(tests, facts, options),
        method=method(tests, facts, options),
        notes=[*few_topics(row, facts), *skewed(row), *of_repeats(facts)],
        tables=TABLES,
    )


def _notes(facts: pd.DataFrame) -> dict[str, str]:
    return dict(zip(facts["quantity"].astype(str), facts["note"].astype(str), strict=True))


def is_apart(row) -> bool:
    """Whether the scores of the two systems differ on any topic."""
    return row.better + row.worse > 0


def is_significant(row) -> bool:
    """Whether they differ significantly by the chosen test."""
    return bool(row.p < SIGNIFICANCE)


def is_tied(row) -> bool:
    """Whether their means are the same."""
    return abs(row.difference) <= TOLERANCE


def higher_and_lower(row) -> tuple[str, str]:
    """The names, that of the higher mean first."""
    names = str(row.first), str(row.second)
    return names if row.difference >= 0 else names[::-1]


def upwards(row) -> tuple[float, float, float]:
    """The difference and its ends, as of the higher mean less the lower one."""
    ends = row.difference, row.low, row.high
    return ends if row.difference >= 0 else (-row.difference, -row.high, -row.low)


def is_equivalent(row, facts: Mapping[str, float]) -> bool:
    """Whether they are equivalent within the margin."""
    return bool(row.p_equivalent < facts["significance"])


def is_noninferior(row, facts: Mapping[str, float]) -> bool:
    """Whether the first system is not worse by the margin or more."""
    return bool(row.p_noninferior < facts["significance"])


def margin_text(row) -> str:
    """``±0.01 nDCG@10``."""
    return f"±{row.margin:g} {row.measure}"


def tost_text(row) -> str:
    """The test of equivalence, and its p."""
    by = "exact test" if row.margin_exact else "TOST"
    return f"{by}, {p_clause(row.p_equivalent)}"


def verdict(row, test: str, facts: Mapping[str, float]) -> str:
    """By how much one scores higher, and whether that is significant."""
    higher, lower = higher_and_lower(row)
    if facts["identical rankings"]:
        return f"{row.first} and {row.second} are the same rankings, so there is nothing to test."
    if not is_apart(row):
        return f"{higher} and {lower} have the same {row.measure} on every topic."
    if is_tied(row) and not is_equivalent(row, facts):
        return f"{higher} and {lower} have the same mean {row.measure} ({test}, {p_clause(row.p)})."
    value, low, high = (number(end, 3) for end in upwards(row))
    by = f"higher than {lower} by {value} {row.measure}"
    if np.isnan(row.p):
        units = "clusters" if "clusters" in facts else "topics"
        return f"{higher} scores {by}; {units} are too few for a test."
    interval = "" if np.isnan(row.low) else f"{CONFIDENCE_INTERVAL} {low} to {high}; "
    evidence = f"({interval}{test}, {p_clause(row.p)})"
    if is_equivalent(row, facts) and not is_significant(row):
        return f"{higher} and {lower} are equivalent within {margin_text(row)} ({tost_text(row)})."
    if is_significant(row):
        return f"{higher} scores significantly {by} {evidence}."
    return f"{higher} scores {by}, but not significantly {evidence}."


def key(row) -> str:
    """The difference and its p-value."""
    difference = f"Δ {row.measure} {number(upwards(row)[0], 3)}"
    return difference if np.isnan(row.p) else f"{difference}, {p_clause(row.p)}"


def light(row, facts: Mapping[str, float]) -> str:
    """Whether the difference is significant, also if corrected, or they are equivalent."""
    systems = facts["systems"]
    if is_equivalent(row, facts):
        return FINE
    if np.isnan(row.p):
        return PROBLEM if is_apart(row) else LOOK
    holds = is_significant(row) and (systems == 2 or row.p_corrected < SIGNIFICANCE)
    return FINE if holds else LOOK


def difference_table(
    tests: pd.DataFrame, facts: Mapping[str, float], options: Mapping[str, str]
) -> AnswerTable | None:
    """A row for each measure: the first system less the second."""
    first, second = tests[["first", "second"]].iloc[0].astype(str)
    is_corrected = facts["pairs"] > 1 and options["correction"] != "none"
    corrected = [AnswerColumn(f"p ({CORRECTED[options['correction']]})", "p")] * is_corrected
    has_margin = bool(tests["margin"].notna().all())
    margin = [AnswerColumn(f"p (±{tests['margin'].iloc[0]:g})", "p")] * has_margin
    columns = [
        AnswerColumn("measure"), AnswerColumn(first, "number"), AnswerColumn(second, "number"),
        AnswerColumn("Δ", "estimate"), AnswerColumn("p", "p"), *corrected, *margin,
        AnswerColumn("d", "number", 2), AnswerColumn("wins", "count"),
        AnswerColumn("ties", "count"), AnswerColumn("losses", "count"),
    ]  # fmt: skip
    cells = (
        (str(row.measure), row.first_mean, row.second_mean, (row.difference, row.low, row.high),
         row.p, *[row.p_corrected] * is_corrected, *[row.p_equivalent] * has_margin, row.effect,
         row.better, row.equal_topics, row.worse)
        for row in tests.itertuples()
    )  # fmt: skip
    title = f"{first} − {second} · {sample_text(facts)}"
    return AnswerTable.of(title, columns, cells)


def sample_text(facts: Mapping[str, float]) -> str:
    """``60 topics``; ``60 topics in 15 clusters of 2 data sets``."""
    topics = counted(facts["topics"], "topic")
    clusters = f" in {counted(facts['clusters'], 'cluster')}" if "clusters" in facts else ""
    datasets = f" of {counted(facts['data sets'], 'data set')}" if "data sets" in facts else ""
    return f"{topics}{clusters}{datasets}"


def within_margin(row, test: str, facts: Mapping[str, float]) -> str:
    """Whether they are equivalent, or the first is not inferior, and the power to establish it."""
    if np.isnan(row.p_equivalent):
        return f"The margin {row.margin:g} was not tested: too few topics or differences."
    interval = ""
    if pd.notna(row.margin_from):
        confidence = f"{1 - 2 * facts['significance']:.0%} CI"
        interval = f"; {confidence} {number(row.margin_from, 3)} to {number(row.margin_to, 3)}"
    first, second = str(row.first), str(row.second)
    if is_equivalent(row, facts) and not is_significant(row):  # as the verdict says
        own = "" if np.isnan(row.low) else f"95% CI {number(row.low, 3)} to {number(row.high, 3)}; "
        difference = number(row.difference, 3)
        return f"The difference is {difference} ({own}{test}, {p_clause(row.p)}{interval})."
    if is_equivalent(row, facts):
        return (
            f"{first} and {second} are equivalent within {margin_text(row)} "
            f"({tost_text(row)}{interval})."
        )
    power = "" if np.isnan(row.power_equivalent) else (
        f"; power {percent(row.power_equivalent)} if the true difference is 0"
    )  # fmt: skip
    of_first = f"one-sided, {p_clause(row.p_noninferior)}"
    if is_noninferior(row, facts):
        return (
            f"{first} is non-inferior to {second} by the margin {row.margin:g} ({of_first}); "
            f"equivalence is not established ({tost_text(row)}{interval}{power})."
        )
    return (
        f"Neither equivalence within {margin_text(row)} ({tost_text(row)}{interval}{power}) nor "
        f"non-inferiority of {first} ({of_first}) is established."
    )


def topic_differences(row, facts: pd.DataFrame) -> str:
    """On how many topics each scores higher, and where by most."""
    higher, _ = higher_and_lower(row)
    wins, losses = row.better, row.worse
    if higher != str(row.first):
        wins, losses = losses, wins
    equal = f", the same on {row.equal_topics:,}" if row.equal_topics else ""
    value, topic = by_quantity(facts), _notes(facts)
    largest = (
        f"{name} {value[name]:.3f} (topic {topic[name]})"
        for name in ("largest gain", "largest loss")
        if name in value
    )
    return (
        f"{higher} scores higher on {counted(wins, 'topic')}, lower on {losses:,}{equal}: "
        f"{', '.join(largest)}."
    )


def other_tests(row, facts: Mapping[str, float], options: Mapping[str, str]) -> str:
    """What the other tests say, and the correction for all pairs."""
    if np.isnan(row.p):
        return ""
    p = {"t": row.p_t, "wilcoxon": row.p_wilcoxon, "randomisation": row.p_randomisation}
    others = [f"{TESTS[test]}, {p_clause(p[test])}" for test in p if test != options["test"]]
    corrected = options["correction"]
    if facts["pairs"] > 1 and corrected != "none":
        pairs = f"{CORRECTED[corrected]} over all {facts['pairs']:,.0f} pairs"
        others.append(f"{pairs}, {p_clause(row.p_corrected)}")
    return f"Other tests: {'; '.join(others)}."


def power(row, topics: float) -> str:
    """Which difference these topics detect, and how many topics the observed one needs."""
    if not row.detectable > 0:
        return ""
    least = (
        f"With {counted(topics, 'topic')} the minimum detectable difference is "
        f"{row.detectable:.3f} at 80% power"
    )
    if is_tied(row) or is_significant(row):
        return f"{least}."
    needed = counted(row.needed, "topic") if pd.notna(row.needed) else "no realistic number"
    return f"{least}; the observed {upwards(row)[0]:.3f} would need {needed}."


def method(tests: pd.DataFrame, facts: Mapping[str, float], options: Mapping[str, str]) -> str:
    """What was computed, with every test, interval, n and seed."""
    row = next(tests.itertuples())
    names = [str(name) for name in tests["measure"]]
    measures = ", ".join(names[:-1]) + (" and " if names[1:] else "") + names[-1]
    means = f"{row.first} and {row.second} were compared by mean {measures} over "
    means += sample_text(facts)
    if np.isnan(row.p):
        return f"{means}."
    if "data sets" in facts:
        means += ", each data set weighted equally"
    signs = f"{row.permutations:,} random assignments of signs, seed {facts['seed']:.0f}"
    if row.exact:
        signs = f"exact, {row.permutations:,} assignments of signs"
    t_test = f"{cluster_robust(facts)}paired t-test (df = {row.df:.4g})"
    tests_made = f"{t_test}, Wilcoxon signed-rank test and randomisation"
    if "clusters" in facts:
        signs += "; both flip whole clusters"
    chosen = options["test"]
    further = "" if chosen in ("t", "wilcoxon", "randomisation") else f", and the {TESTS[chosen]}"
    corrected = ""
    if facts["pairs"] > 1 and options["correction"] != "none":
        corrected = (
            f" {CORRECTED[options['correction']]} correction of the {TESTS[chosen]} was over all "
            f"{facts['pairs']:,.0f} pairs of {facts['systems']:,.0f} runs."
        )
    return (
        f"{means}, by two-sided tests: {tests_made} test ({signs}){further}. 95% confidence "
        "intervals are those of the paired t-test. d is the mean difference divided by the "
        f"standard deviation of the differences.{corrected} Power is that of one two-sided paired "
        f"t-test at α = 0.05.{margin_method(row, facts)}"
    )


def cluster_robust(facts: Mapping[str, float]) -> str:
    """What stands before the name of the t-test."""
    if "clusters" in facts:
        return "cluster-robust "
    return "stratified " if "data sets" in facts else ""


def margin_method(row, facts: Mapping[str, float]) -> str:
    """How the margin was tested."""
    if np.isnan(row.p_equivalent):
        return ""
    alpha = f"α = {facts['significance']:g}"
    if row.margin_exact:
        return (
            f" The margin was {row.margin:g}; few scores differ, so it was tested by exact "
            f"binomial tests of the numbers of losses and gains, each at {alpha}, for scores from "
            "0 to 1."
        )
    return (
        f" The margin was {row.margin:g}: equivalence by two one-sided t-tests (TOST), "
        f"non-inferiority of {row.first} by the first of them, each at {alpha} and uncorrected for "
        "measures, with Hall's correction for skewness where its p is greater."
    )


def few_topics(row, facts: Mapping[str, float]) -> Iterable[str]:
    """Why there is no interval."""
    if is_apart(row) and np.isnan(row.low) and not np.isnan(row.p):
        few = f"{counted(row.better + row.worse, 'topic')} with a difference, of"
        of_all = sample_text(facts).replace(" topics", "", 1)
        yield f"{few} {of_all}: too few for a confidence interval."


def of_repeats(facts: Mapping[str, float]) -> Iterable[str]:
    """Whether repeats of the systems are a sample too, and which tests do without."""
    numbers = [facts.get(f"repeats of the {which}", 0) for which in ("first", "second")]
    if all(number > 1 for number in numbers):
        yield (
            f"The t-test and its interval are over topics and repeats ({numbers[0]:.0f} of the "
            f"first system, {numbers[1]:.0f} of the second); the other tests hold for these "
            "repeats only."
        )
    elif any(numbers):
        yield "One system has no repeats: the results hold for these repeats only."


def skewed(row) -> Iterable[str]:
    """That the interval includes 0 once it is corrected for the skewness of the differences."""
    excludes = row.low > 0 or row.high < 0
    if excludes and row.skewed_low <= 0 <= row.skewed_high:
        ends = row.skewed_low, row.skewed_high
        low, high = ends if row.difference >= 0 else (-ends[1], -ends[0])
        yield (
            "The differences are skewed: corrected for skewness (Hall), the 95% CI is "
            f"{number(low, 3)} to {number(high, 3)}, which includes 0."
        )
