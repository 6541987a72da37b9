"""Which system is best, and how sure is that?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from regrade.answers.shape import Answer
from regrade.answers.words import (
    NAMED,
    by_quantity,
    listed,
    of_measure,
    percent,
    rows_of,
    with_ends,
)
from regrade.intervals import INTERVALS
from regrade.ranking.stage import Ranking
from regrade.wording import counted, to_be

TABLES = tuple(
    f"ranking/{name}" for name in ("systems", "facts", "detectable", "beside_best", "needed")
)

JUDGES = "ranking/judge_reliability"
"""What is said of several judges rests on this table too."""

ALIKE = 0.9
"""τ_b with the ranking by endless topics that is enough: nineteen of twenty pairs in its order."""

TESTS = {
    "t": "the paired t-test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "the sign test",
    "randomisation": "the randomisation test",
    "bootstrap": "the bootstrap test",
    "tukey_hsd": "Tukey's randomised HSD",
}

CORRECTED = {
    "none": "without correction",
    "bonferroni": "with Bonferroni's correction",
    "sidak": "with Šidák's correction",
    "holm": "with Holm's correction",
    "holm-sidak": "with Holm's and Šidák's correction",
    "hochberg": "with Hochberg's correction",
    "hommel": "with Hommel's correction",
    "bh": "with Benjamini and Hochberg's correction",
    "by": "with Benjamini and Yekutieli's correction",
}

ENOUGH = 5
"""Judges; of fewer the standard error of Eρ² by one judge is 0.08 to 0.28."""


def answer(tables: Mapping[str, pd.DataFrame]) -> Answer:
    """The answer from the tables of the stage ``ranking``, by name.

    The first measure has a verdict and facts, each further one a verdict of its own.
    """
    facts = by_quantity(tables["facts"][tables["facts"]["measure"] == "*"])
    topics = int(facts["topics"])
    first, *others = dict.fromkeys(tables["systems"]["measure"].astype(str))
    judges = int(facts["judges"])
    rests_on = TABLES if judges < 2 else (*TABLES, JUDGES)
    of = rows_of(tables, rests_on, first)
    said = [best_said(first, of["systems"], topics)]
    if len(of["systems"]) > 1:
        said += facts_said(of, topics)
        if judges > 1:
            said.append(judges_said(of["judge_reliability"], topics, judges))
        said += [best_said(m, of_measure(tables["systems"], m), topics) for m in others]
    how = f"Means over {counted(topics, 'topic')}"
    if pd.notna(of["systems"]["tier"].iloc[0]):
        how += (
            f"; studentised bootstrap over topics ({facts['draws']:,.0f} samples): multiple "
            "comparisons with the best at 95% confidence, all pairs by stepdown with a family-wise "
            "α of 0.05"
        )
    return Answer.of(Ranking.question, said, how=f"{how}.", tables=rests_on)


def best_said(measure: str, systems: pd.DataFrame, topics: int) -> str:
    """Which system has the highest mean, which may be the best as well, and which are not."""
    names = systems["system"].astype(str).tolist()
    if len(names) == 1:
        return f"There is only one system, {names[0]}: nothing is ranked."
    over = counted(topics, "topic")
    best = systems.loc[systems["rank"] == 1, "system"].astype(str).tolist()
    if len(best) == len(names):
        return f"By {measure} all {len(names):,} systems have one mean: none is better."
    lead = best if len(best) <= NAMED else [f"{len(best):,} systems"]
    has = "has" if len(best) == 1 else "share"
    said = f"{listed(lead)} {has} the highest {measure} of {len(names):,} systems"
    if pd.isna(systems["tier"].iloc[0]):
        few = to_be(topics)
        return f"{said}; {over} {few} too few to say how sure that is."
    others = systems[systems["rank"] > 1]
    may_be = others.loc[others["may_be_best"].astype(bool), "system"].astype(str)
    excluded = len(others) - len(may_be)
    if not excluded:
        return f"{said}; with {over} no other can be excluded as the best."
    if not len(may_be):
        rest = "the other is" if excluded == 1 else f"all {excluded:,} others are"
        return f"{said}; with {over} {rest} excluded as the best."
    rest = "the last can" if excluded == 1 else f"the other {excluded:,} can"
    which = listed(may_be) if len(may_be) <= NAMED else f"{len(may_be):,} others"
    return f"{said}; with {over} {which} cannot be excluded as the best, {rest}."


def facts_said(of: Mapping[str, pd.DataFrame], topics: int) -> Iterator[str]:
    """What the verdict rests on."""
    facts = by_quantity(of["facts"])
    yield first_said(of["systems"])
    yield told_said(facts, chosen_test(of["facts"]))
    yield found_said(of["detectable"], topics)
    if topics >= INTERVALS["differences_at_once"].fewest:
        yield from next_said(of["systems"], of["beside_best"])
    yield needed_said(of["needed"], facts)


def first_said(systems: pd.DataFrame) -> str:
    """The best mean with its interval, and how often draws put which system first."""
    best = systems.iloc[0]
    said = ""
    if pd.notna(best["low"]):
        mean = with_ends(best["mean"], best["low"], best["high"])
        said = f"The mean of {best['system']} is {mean}"
    often = systems.sort_values("share_first", ascending=False, kind="stable")
    often = often[often["share_first"] >= 0.005].head(3)
    shares = listed([f"{row.system} in {percent(row.share_first)}" for row in often.itertuples()])
    if shares:
        said = f"{said}; first" if said else "First"
        said += f" in draws of the topics is {shares}"
    return f"{said}." if said else ""


def told_said(facts: Mapping[str, float], test: str) -> str:
    """How many pairs differ significantly, all at once; how many by the test that is chosen."""
    pairs, at_once = facts["pairs"], facts["told apart at once"]
    if pairs < 2 or not np.isfinite(at_once):
        return ""
    said = f"{at_once:,.0f} of {pairs:,.0f} pairs of systems differ significantly, all at once"
    corrected, both = facts["told apart corrected"], facts["told apart by both"]
    if corrected == at_once == both:
        return f"{said}; {test} finds the same."
    return f"{said}; {test} finds {corrected:,.0f}, {both:,.0f} of them the same."


def chosen_test(facts: pd.DataFrame) -> str:
    """The test that stands beside what is said of all pairs at once, with its correction."""
    (note,) = facts.loc[facts["quantity"] == "told apart corrected", "note"]
    test, correction = note.split(", ")
    said = TESTS[test]
    if test == "tukey_hsd" and correction == "none":
        return said
    return f"{said} {CORRECTED[correction]}"


def found_said(detectable: pd.DataFrame, topics: int) -> str:
    """What differences can be found, and how many of those observed are smaller."""
    row = detectable[detectable["correction"] == "none"]
    if not len(row) or not row["median"].iloc[0] > 0:
        return ""
    least, smaller, pairs = (row[name].iloc[0] for name in ("median", "smaller", "pairs"))
    said = (
        f"With {counted(topics, 'topic')} a test of one pair alone finds a difference of "
        f"{least:.3f} in four of five cases"
    )
    if pairs == 1:
        return f"{said}."
    return (
        f"{said} (the median of all pairs); {smaller:,} of {pairs:,} observed differences are "
        "smaller than what is found of theirs."
    )


def next_said(systems: pd.DataFrame, beside: pd.DataFrame) -> Iterator[str]:
    """Whether twice the topics would tell the best system from the next, and how many would."""
    lower = systems[systems["rank"] > 1]
    if not len(beside) or not len(lower):
        return  # of equal means the verdict says so, and no number of topics tells them apart
    best = systems["system"].iloc[0]
    of_next = lower.iloc[0]
    other = f"{of_next['system']}, the next,"
    rows = beside[beside["other"].astype(str) == str(of_next["system"])].set_index("correction")
    row = rows.iloc[-1]  # all pairs at once, where anything is said of them
    if pd.notna(of_next["tier"]) and of_next["tier"] > 1:
        yield f"{other} is surely worse than {best} already: these two need no more topics."
        return
    surely = "surely " if row.name == "all pairs" else ""
    fewer = "" if row["doubled"] <= row["difference"] else "fewer than "
    seen = row["difference"]  # to three decimals, or one digit where these are none
    seen = f"{seen:.3f}" if seen >= 0.0005 else f"{seen:.1g}"
    yield (
        f"If the {seen} seen between {best} and {other} is the true "
        f"difference, twice the topics {surely}tell them apart in {fewer}four of five cases."
    )
    number = counted(row["needed"], "topic") if pd.notna(row["needed"]) else "more than anybody has"
    if pd.notna(row["needed_low"]):
        number += f" ({row['needed_low']:,.0f} at least)"
    alone = rows["needed"].iloc[0]
    if len(rows) > 1 and pd.notna(alone):
        number += f", or {alone:,.0f} if only these two are tested"
    yield (
        f"For four of five it takes {number}; with twice the topics, a difference of "
        f"{row['doubled']:.3f}."
    )


def judges_said(reliability: pd.DataFrame, topics: int, judges: int) -> str:
    """How reliable the ranking is where topics and judges both are others, by one and by these."""
    of = reliability[reliability["topics"] == topics].set_index("judges")["e_rho2"]
    if not {1, judges} <= set(of.dropna().index):
        return ""
    few = "; so few judges tell it roughly" if judges < ENOUGH else ""
    return (
        f"As far as {judges} judges tell, {counted(topics, 'topic')} rank the systems with a "
        f"reliability (Eρ²) of about {of[1]:.2f} by one judge and of {of[judges]:.2f} by {judges}, "
        f"as samples of topics and of judges{few}."
    )


def needed_said(needed: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """How like the ranking by endless topics this one is, and how many topics would do."""
    share = facts.get("in order", np.nan)
    if not np.isfinite(share):
        return ""
    least = facts.get("in order at least", np.nan)
    at_least = f" ({percent(least)} at least)" if np.isfinite(least) else ""
    said = (
        f"About {percent(share)} of all pairs{at_least} are in the order that endless topics "
        "would give"
    )
    if not at_least:
        return f"{said}, where chance alone gives 50%."
    rows = needed[(needed["quantity"] == "tau") & (needed["target"] == ALIKE)]
    number = rows["needed"].iloc[0]
    if round(share, 2) < (1 + ALIKE) / 2 and np.isfinite(number):
        said += f"; {number:,.0f} topics would make it nineteen of twenty"
    return f"{said}."
