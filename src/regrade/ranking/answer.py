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
from regrade.answers.words import (
    best_set,
    by_quantity,
    listed,
    of_measure,
    p_clause,
    percent,
    rows_of,
)
from regrade.ranking.moments import MANY
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

FACTS = 3
"""Sentences beside the verdict."""

OF_DESIGN = (("repeats", "repeat_errors"), ("datasets", "dataset_ranks"))
"""Tables of scores by item that have repeats, and that are of several data sets."""

FEW_JUDGES = 5
"""With fewer the standard error of Eρ² by one judge is 0.08 to 0.28."""


def answer(tables: Mapping[str, pd.DataFrame], noun: str = "topic") -> Answer:
    """The answer from the tables of the stage ``ranking``, by name: of the first measure.

    Further measures have a column each, and one fact.  `noun` is what scores are of.
    """
    facts = by_quantity(tables["facts"][tables["facts"]["measure"] == "*"])
    topics, judges = int(facts["topics"]), int(facts["judges"])
    first, *others = dict.fromkeys(tables["systems"]["measure"].astype(str))
    rests_on = TABLES if judges < 2 else (*TABLES, JUDGES)
    rests_on = (*rests_on, *(f"ranking/{table}" for key, table in OF_DESIGN if key in facts))
    of = rows_of(tables, (name for name in rests_on if name != PAIRS), first)
    sentences = [verdict(first, of["systems"], few_of(facts, noun))]
    if len(of["systems"]) > 1:
        sentences += [
            significant_pairs(of["facts"], "clusters" in facts),
            *of_design(of, facts),
            judge_reliability(of["judge_reliability"], topics, judges)
            if judges > 1
            else power(of, facts, noun),
            further_measures({m: of_measure(tables["systems"], m) for m in others}),
        ]
        sentences = [*filter(None, sentences)][: FACTS + 1]
    return Answer.of(
        Ranking.question,
        sentences,
        key=key(of["systems"]),
        light=light(of["systems"]),
        rows=leaderboard(tables["systems"], [first, *others], sampled(facts, noun)),
        method=method(first, of, facts, noun),
        notes=[*few_topics(of["systems"], facts, noun), *design_notes(of, facts, noun)],
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


def few_of(facts: Mapping[str, float], noun: str) -> str:
    """Of what there are too few where nothing is tested."""
    return f"{noun}s of a data set" if "datasets" in facts else f"{units_of(facts, noun)[1]}s"


def verdict(measure: str, systems: pd.DataFrame, few: str) -> str:
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
        return f"{highest}; there are too few {few} for a test."
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


def units_of(facts: Mapping[str, float], noun: str) -> tuple[float, str]:
    """How many independent units there are, and what one is called."""
    return (facts["clusters"], "cluster") if "clusters" in facts else (facts["topics"], noun)


def sampled(facts: Mapping[str, float], noun: str) -> str:
    """``1,200 items · 300 clusters · 5 data sets · 3 repeats``: what there is of each."""
    names = (("topics", noun), ("clusters", "cluster"), ("datasets", "data set"),
             ("repeats", "repeat"))  # fmt: skip
    return " · ".join(counted(facts[key], name) for key, name in names if key in facts)


def leaderboard(systems: pd.DataFrame, measures: list[str], sample: str) -> AnswerTable | None:
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
    n = f"{counted(len(rows), 'system')} · {sample}"
    return AnswerTable.of(f"{first} · {n}", columns, cells)


def significant_pairs(facts: pd.DataFrame, in_clusters: bool = False) -> str:
    """How many pairs differ significantly, and how many by the test that is chosen."""
    value = by_quantity(facts)
    pairs, at_once = value["pairs"], value["significant by stepdown"]
    share = percent(value["share significant by stepdown"])
    if pairs < 2 or not np.isfinite(at_once):
        return ""
    return (
        f"{at_once:,.0f} of {pairs:,.0f} pairs ({share}) differ significantly "
        "(Romano–Wolf stepdown, family-wise α = 0.05); with the "
        f"{chosen_test(facts, in_clusters)}, {value['significant corrected']:,.0f} do."
    )


def chosen_test(facts: pd.DataFrame, in_clusters: bool = False) -> str:
    """The test that stands beside the stepdown, with its correction."""
    (note,) = facts.loc[facts["quantity"] == "significant corrected", "note"]
    test, correction = note.split(", ")
    robust = "cluster-robust " if in_clusters and test == "t" else ""
    return f"{robust}{TESTS[test]} ({CORRECTED[correction]})"


def of_design(of: Mapping[str, pd.DataFrame], facts: Mapping[str, float]) -> Iterator[str]:
    """What repeats make of a difference, and what ranks on data sets make of the order."""
    value = by_quantity(of["facts"])
    if "repeats" in facts and "share of repeats" in value:
        units, repeats = units_of(facts, "item")[0], facts["repeats"]
        errors = of["repeat_errors"].set_index(["items", "n_repeats"])["error_difference"]
        now, more_items, more_repeats = (
            errors[key] for key in ((units, repeats), (2 * units, repeats), (units, 2 * repeats))
        )
        yield (
            f"Repeats cause {percent(value['share of repeats'])} of the error variance of a "
            f"difference: its standard error is {now:.4f}, {more_items:.4f} with twice the items "
            f"and {more_repeats:.4f} with twice the repeats."
        )
    if "datasets" in facts and value["pairs"] > 1:
        reordered, p = value["pairs reordered by mean rank"], value["p of Friedman's test"]
        test = f" (Friedman's test of equal ranks: {p_clause(p)})" if np.isfinite(p) else ""
        yield (
            f"Ranking by mean rank over {counted(facts['datasets'], 'data set')} reverses "
            f"{reordered:,.0f} of {counted(value['pairs'], 'pair')}{test}."
        )


def power(of: Mapping[str, pd.DataFrame], facts: Mapping[str, float], noun: str = "topic") -> str:
    """Which difference these topics detect, and how many topics the observed one needs."""
    row = of["detectable"][of["detectable"]["correction"] == "none"]
    if not is_tested(of["systems"]) or not len(row) or not row["median"].iloc[0] > 0:
        return ""
    over = "" if row["pairs"].iloc[0] == 1 else " (median over pairs)"
    units, unit = units_of(facts, noun)
    return (
        f"With {counted(units, unit)} the minimum detectable difference is "
        f"{row['median'].iloc[0]:.3f}{over} at 80% power{needed(of, units, unit)}."
    )


def needed(of: Mapping[str, pd.DataFrame], topics: float, noun: str = "topic") -> str:
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
    number = f"more {noun}s than is realistic"
    if pd.notna(row["needed"]):
        number = counted(row["needed"], noun)
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


def method(
    measure: str, of: Mapping[str, pd.DataFrame], facts: Mapping[str, float], noun: str = "topic"
) -> str:
    """What was computed, with every test, interval, n and seed."""
    topics = counted(facts["topics"], noun)
    means = f"Systems were ranked by mean {measure} over {topics}"
    if "datasets" in facts:
        means = (
            f"Systems were ranked by the mean of their mean {measure} on each of "
            f"{facts['datasets']:,.0f} data sets ({topics}, equal weights, data sets fixed)"
        )
    if len(of["systems"]) == 1 or not is_tested(of["systems"]):
        return f"{means}."
    units, unit = units_of(facts, noun)
    is_binary = "binary scores" in by_quantity(of["facts"])
    ends = "Wilson's score, widened" if is_binary else "Student's t, widened for skewness and"
    draws = f"studentised bootstrap over {unit}s"
    if units > MANY:
        draws = f"draws from the normal distribution with the systems' covariance over {unit}s"
    return " ".join([
        f"{means}, with 95% confidence intervals of the means ({ends} "
        "for the selection of the best).",
        *design_method(facts),
        "The set of systems that may be best is by multiple "
        f"comparisons with the best (MCB, {draws}, "
        f"{facts['draws']:,.0f} samples, seed {facts['seed']:.0f}, simultaneous 95% confidence). "
        "Pairs were compared two-sided, by Romano–Wolf stepdown on the same samples and by the "
        f"{chosen_test(of['facts'], 'clusters' in facts)}. Power is that of one two-sided paired "
        "t-test at α = 0.05.",
    ])  # fmt: skip


def design_method(facts: Mapping[str, float]) -> Iterator[str]:
    """How clusters, data sets and repeats were taken account of."""
    if "clusters" in facts:
        yield (
            f"The {facts['clusters']:,.0f} clusters of items were resampled whole, and standard "
            "errors are linearised by cluster."
        )
    if "datasets" in facts:
        yield (
            "Resampling was stratified by data set, and t has Satterthwaite's degrees of freedom."
        )
    if "repeats" in facts:
        yield (
            f"Up to {counted(facts['repeats'], 'repeat')} of each system are a sample as well: "
            "standard errors have the variance of items and of repeats (Satterthwaite's degrees "
            "of freedom)."
        )


def few_topics(
    systems: pd.DataFrame, facts: Mapping[str, float], noun: str = "topic"
) -> Iterator[str]:
    """That topics are too few for what a ranking otherwise says."""
    if len(systems) > 1 and not is_tested(systems) and "datasets" not in facts:
        units = counted(*units_of(facts, noun))
        yield f"{units}: too few for intervals of all pairs and for a test."


def design_notes(
    of: Mapping[str, pd.DataFrame], facts: Mapping[str, float], noun: str
) -> Iterator[str]:
    """What of the design a user would not expect."""
    value = by_quantity(of["facts"])
    if "datasets" in facts and pd.isna(of["systems"]["low"].iloc[0]):
        unit = units_of(facts, noun)[1]
        yield f"Means over data sets have no interval and no test where a data set has one {unit}."
    several = value.get("systems with repeats", len(of["systems"]))
    if 0 < several < len(of["systems"]):
        one = len(of["systems"]) - several
        yield (
            f"{counted(one, 'system')} with one complete repeat "
            f"{'is' if one == 1 else 'are'} taken as fixed: intervals of such means are over "
            f"{noun}s alone."
        )
    if several == 0:
        yield f"No system has two repeats that score every item: intervals are over {noun}s alone."
    if "dropped" in facts:
        yield f"{counted(facts['dropped'], noun)} that some system or measure lacks left out."
