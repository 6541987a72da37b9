"""Which system is best, and how sure is that?

The light is fine where no system may be best but those with the highest mean, a problem where none
can be excluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from regrade.answers.pair_tests import CORRECTED, TESTS
from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import best_set, by_quantity, listed, of_measure, percent, rows_of
from regrade.ranking.stage import Ranking
from regrade.wording import counted

PAIRS = "ranking/pairs"
"""May be in blocks; the answer counts pairs by what the facts hold."""

TABLES = (
    *(f"ranking/{name}" for name in ("systems", "facts", "detectable", "beside_best")),
    PAIRS,
)

JUDGES = "ranking/judge_reliability"
"""With several judges the answer rests on this table too."""

NAMED = 3
"""Systems that share the highest mean and have their names in the verdict."""

FEW_JUDGES = 5
"""With fewer the standard error of Eρ² by one judge is 0.08 to 0.28."""


def answer(tables: Mapping[str, pd.DataFrame]) -> Answer:
    """The answer from the tables of the stage ``ranking``, by name: of the first measure.

    Further measures have a column each, and one fact.
    """
    facts = by_quantity(tables["facts"][tables["facts"]["measure"] == "*"])
    topics, judges = int(facts["topics"]), int(facts["judges"])
    first, *others = dict.fromkeys(tables["systems"]["measure"].astype(str))
    rests_on = TABLES if judges < 2 else (*TABLES, JUDGES)
    of = rows_of(tables, (name for name in rests_on if name != PAIRS), first)
    sentences = [verdict(first, of["systems"])]
    if len(of["systems"]) > 1:
        sentences += [
            significant_pairs(of["facts"]),
            judge_reliability(of["judge_reliability"], topics, judges)
            if judges > 1
            else power(of, topics),
            further_measures({m: of_measure(tables["systems"], m) for m in others}),
        ]
    return Answer.of(
        Ranking.question,
        sentences,
        key=key(of["systems"]),
        light=light(of["systems"]),
        rows=leaderboard(tables["systems"], [first, *others], topics),
        method=method(first, of, facts),
        notes=few_topics(of["systems"], topics),
        tables=rests_on,
    )


def best_of(systems: pd.DataFrame) -> str:
    """The names of the systems with the highest mean, or how many they are."""
    best = systems.loc[systems["rank"] == 1, "system"].astype(str).tolist()
    return listed(best) if len(best) <= NAMED else f"{len(best):,} systems"


def is_tested(systems: pd.DataFrame) -> bool:
    """Whether there are topics enough to say which systems may be best."""
    return bool(pd.notna(systems["tier"].iloc[0]))


def may_be_best(systems: pd.DataFrame) -> int:
    """How many systems may be best."""
    return int(systems["may_be_best"].astype(bool).sum())


def verdict(measure: str, systems: pd.DataFrame) -> str:
    """Which system has the highest mean, how many more may be best, and how many are worse."""
    names = systems["system"].astype(str).tolist()
    if len(names) == 1:
        return f"There is only one system, {names[0]}, so nothing is ranked."
    equal = int((systems["rank"] == 1).sum())
    if equal == len(names):
        return f"All {len(names):,} systems have the same mean {measure}."
    has = "has" if equal == 1 else "share"
    highest = f"{best_of(systems)} {has} the highest mean {measure}"
    if not is_tested(systems):
        return f"{highest}; there are too few topics for a test."
    further = may_be_best(systems) - equal
    worse = len(names) - equal - further
    test = "(MCB, α = 0.05)"
    if not worse:
        return f"{highest}, but no other system is significantly worse {test}."
    return f"{highest}; {best_set(further, worse, test)}."


def key(systems: pd.DataFrame) -> str:
    """How many of the systems may be best."""
    if len(systems) == 1 or not is_tested(systems):
        return ""
    return f"{may_be_best(systems):,} of {len(systems):,} systems may be best"


def light(systems: pd.DataFrame) -> str:
    """Whether the test singles out a best system, or excludes any."""
    if len(systems) == 1 or not is_tested(systems):
        return ""
    best, first = may_be_best(systems), int((systems["rank"] == 1).sum())
    return PROBLEM if best == len(systems) else FINE if best == first else LOOK


def leaderboard(systems: pd.DataFrame, measures: list[str], topics: int) -> AnswerTable | None:
    """All systems by the first measure, with their means by the others."""
    first, *others = measures
    rows = of_measure(systems, first)
    means = [of_measure(systems, m).astype({"system": str}).set_index("system") for m in others]
    columns = [
        AnswerColumn("rank", "count"), AnswerColumn("system"), AnswerColumn(first, "estimate"),
        AnswerColumn("best set", "mark"), AnswerColumn("p (MCB)", "p"),
        *(AnswerColumn(measure, "number") for measure in others),
    ]  # fmt: skip
    cells = (
        (row.rank, str(row.system), (row.mean, row.low, row.high),
         row.may_be_best if pd.notna(row.tier) else None,
         row.p_best if pd.notna(row.tier) and row.rank > 1 else None,
         *(of.loc[str(row.system), "mean"] for of in means))
        for row in rows.itertuples()
    )  # fmt: skip
    n = f"{counted(len(rows), 'system')} · {counted(topics, 'topic')}"
    return AnswerTable.of(f"{first} · {n}", columns, cells)


def significant_pairs(facts: pd.DataFrame) -> str:
    """How many pairs differ significantly, and how many by the test that is chosen."""
    value = by_quantity(facts)
    pairs, at_once = value["pairs"], value["significant by stepdown"]
    share = percent(value["share significant by stepdown"])
    if pairs < 2 or not np.isfinite(at_once):
        return ""
    return (
        f"{at_once:,.0f} of {pairs:,.0f} pairs ({share}) differ significantly "
        "(Romano–Wolf stepdown, family-wise α = 0.05); with the "
        f"{chosen_test(facts)}, {value['significant corrected']:,.0f} do."
    )


def chosen_test(facts: pd.DataFrame) -> str:
    """The test that stands beside the stepdown, with its correction."""
    (note,) = facts.loc[facts["quantity"] == "significant corrected", "note"]
    test, correction = note.split(", ")
    return f"{TESTS[test]} ({CORRECTED[correction]})"


def power(of: Mapping[str, pd.DataFrame], topics: int) -> str:
    """Which difference these topics detect, and how many topics the observed one needs."""
    row = of["detectable"][of["detectable"]["correction"] == "none"]
    if not len(row) or not row["median"].iloc[0] > 0:
        return ""
    over = "" if row["pairs"].iloc[0] == 1 else " (median over pairs)"
    return (
        f"With {counted(topics, 'topic')} the minimum detectable difference is "
        f"{row['median'].iloc[0]:.3f}{over} at 80% power{needed(of, topics)}."
    )


def needed(of: Mapping[str, pd.DataFrame], topics: int) -> str:
    """How many topics the observed difference from the runner-up needs, where there are fewer."""
    systems, beside = of["systems"], of["beside_best"]
    lower = systems[systems["rank"] > 1]
    if not len(beside) or not len(lower) or not is_tested(systems) or lower["tier"].iloc[0] > 1:
        return ""
    runner_up = str(lower["system"].iloc[0])
    rows = beside[beside["other"].astype(str) == runner_up].set_index("correction")
    if "none" not in rows.index or not rows.loc["none", "difference"] > 0:
        return ""
    row = rows.loc["none"]
    if row["needed"] <= topics:
        return ""  # of one test: in the family of all systems the difference is not significant
    difference = row["difference"]
    size = f"{difference:.3f}" if difference >= 0.0005 else f"{difference:.0e}"
    number = "more topics than is realistic"
    if pd.notna(row["needed"]):
        number = counted(row["needed"], "topic")
    return f"; the observed difference of {size} from {runner_up} would need {number}"


def judge_reliability(reliability: pd.DataFrame, topics: int, judges: int) -> str:
    """How reliable the ranking is over samples of topics and of judges."""
    of = reliability[reliability["topics"] == topics].set_index("judges")["e_rho2"]
    if not {1, judges} <= set(of.dropna().index):
        return ""
    few = f"; {judges} judges estimate it roughly" if judges < FEW_JUDGES else ""
    return (
        f"The reliability of the ranking (Eρ², {counted(topics, 'topic')}) is {of[1]:.2f} with one "
        f"judge and {of[judges]:.2f} with {judges}{few}."
    )


def further_measures(systems: Mapping[str, pd.DataFrame]) -> str:
    """Which system is first by each further measure, and how many may be best."""
    parts = []
    for measure, rows in systems.items():
        if (rows["rank"] == 1).all():
            parts.append(f"by {measure} all systems tie")
            continue
        part = f"by {measure}, {best_of(rows)} {'is' if rows['rank'].iloc[1] > 1 else 'are'} first"
        if is_tested(rows):
            part += f" and {counted(may_be_best(rows), 'system')} may be best"
        parts.append(part)
    if not parts:
        return ""
    return f"{parts[0][0].upper()}{'; '.join(parts)[1:]}."


def method(measure: str, of: Mapping[str, pd.DataFrame], facts: Mapping[str, float]) -> str:
    """What was computed, with every test, interval, n and seed."""
    topics = counted(facts["topics"], "topic")
    means = f"Systems were ranked by mean {measure} over {topics}"
    if len(of["systems"]) == 1 or not is_tested(of["systems"]):
        return f"{means}."
    return (
        f"{means}, with 95% confidence intervals of the means (Student's t, widened for skewness "
        "and for the selection of the best). The set of systems that may be best is by multiple "
        "comparisons with the best (MCB, studentised bootstrap over topics, "
        f"{facts['draws']:,.0f} samples, seed {facts['seed']:.0f}, simultaneous 95% confidence). "
        "Pairs were compared two-sided, by Romano–Wolf stepdown on the same samples and by the "
        f"{chosen_test(of['facts'])}. Power is that of one two-sided paired t-test at α = 0.05."
    )


def few_topics(systems: pd.DataFrame, topics: int) -> Iterator[str]:
    """That topics are too few for what a ranking otherwise says."""
    if len(systems) > 1 and not is_tested(systems):
        yield f"{counted(topics, 'topic')}: too few for intervals of all pairs and for a test."
