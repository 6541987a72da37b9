"""Is a new system worse than the old one?  What a test of two versions passes or fails at.

The first system of a pair is the new one.  By each measure the outcome is one of `OUTCOMES`; a gate
fails at the outcome that it is asked to fail at, or at a graver one, by any measure.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import by_quantity, listed, of_measure, p_clause
from regrade.catalogue import ALL_TOPICS
from regrade.choices import GATE_FAILURES
from regrade.system_pairs.answer import (
    TABLES,
    cluster_robust,
    is_apart,
    is_noninferior,
    sample_text,
)
from regrade.wording import counted, number

QUESTION = "Is the new system worse than the old one?"

WORSE, UNKNOWN, MAY_BE_WORSE = GATE_FAILURES
NON_INFERIOR, NO_LOSS = "non-inferior", "no significant loss"
BETTER, IDENTICAL = "better", "identical"

OUTCOMES = (WORSE, UNKNOWN, MAY_BE_WORSE, NON_INFERIOR, NO_LOSS, BETTER, IDENTICAL)
"""The gravest first."""


def outcome(row, facts: Mapping[str, float]) -> str:
    """What a row of ``system-pairs/tests`` says of the first system, the new one.

    A significant loss that is significantly smaller than the margin is none.  A significant gain is
    called so whatever the margin.
    """
    if facts["identical rankings"]:
        return IDENTICAL
    if row.p_gain_corrected < facts["significance"]:
        return BETTER
    if is_noninferior(row, facts):
        return NON_INFERIOR
    if row.p_loss_corrected < facts["significance"]:
        return WORSE
    if np.isnan(row.margin):
        return NO_LOSS if is_apart(row) else IDENTICAL
    # where no margin can be tested, no power is known either
    is_known = pd.notna(row.p_noninferior) and not row.margin_exact
    return MAY_BE_WORSE if is_known and row.detectable_loss <= row.margin else UNKNOWN


def outcomes(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """By measure."""
    facts = by_quantity(of_measure(tables["facts"], ALL_TOPICS))
    return {str(row.measure): outcome(row, facts) for row in tables["tests"].itertuples()}


def is_failure(result: str, fail_if: str) -> bool:
    """Whether a gate that fails at one of `GATE_FAILURES` fails at an outcome."""
    return result in GATE_FAILURES[: GATE_FAILURES.index(fail_if) + 1]


def gate_answer(tables: Mapping[str, pd.DataFrame], fail_if: str) -> Answer:
    """The answer from the tables of two systems, of which the first is the new one."""
    tests = tables["tests"]
    facts = by_quantity(of_measure(tables["facts"], ALL_TOPICS))
    results = outcomes(tables)
    deciding = min(results, key=lambda name: OUTCOMES.index(results[name]))
    (row,) = of_measure(tests, deciding).itertuples()
    failed = is_failure(results[deciding], fail_if)
    clause = sentence(row, facts, results[deciding])
    is_open = not failed and results[deciding] in GATE_FAILURES
    verdict = sentence(row, facts, NO_LOSS) if is_open else clause
    sentences = [
        f"{'Failed' if failed else 'Passed'}: {verdict}",
        clause if is_open else "",
        _of_the_others(results, deciding),
        _power(row, facts, results[deciding]),
    ]
    lights = {NON_INFERIOR: FINE, BETTER: FINE, IDENTICAL: FINE}
    return Answer.of(
        QUESTION,
        sentences,
        key=f"Δ {deciding} {number(row.difference, 3)}",
        light=PROBLEM if failed else lights.get(results[deciding], LOOK),
        rows=outcome_table(tests, facts, results),
        method=method(tests, facts, fail_if),
        tables=TABLES,
    )


def sentence(row, facts: Mapping[str, float], result: str) -> str:
    """An outcome by one measure, in a sentence of at most 24 words."""
    new, old, measure = str(row.first), str(row.second), str(row.measure)
    delta, interval = f"Δ = {number(row.difference, 3)}", _interval(row, facts)
    p = f"one-sided {p_clause(row.p_noninferior)}" if pd.notna(row.p_noninferior) else ""
    tested = f"{interval}; one-sided t-test, " if interval else "one-sided t-test, "
    of_loss = tested + p_clause(row.p_loss_corrected)
    if result == IDENTICAL and facts["identical rankings"]:
        return f"{new} and {old} are the same rankings."
    if result == IDENTICAL:
        return f"{new} and {old} have the same {measure} on every topic."
    if result == WORSE:
        loss = number(abs(row.difference), 3)
        return f"{new} scores significantly lower than {old} by {loss} {measure} ({of_loss})."
    if result == BETTER:
        gain, of_gain = number(row.difference, 3), tested + p_clause(row.p_gain_corrected)
        return f"{new} scores significantly higher than {old} by {gain} {measure} ({of_gain})."
    if result == NO_LOSS:
        return f"{new} has no significant loss of {measure} against {old} ({delta}; {of_loss})."
    by = f"{row.margin:g} {measure}"
    evidence = ", ".join(filter(None, [delta, interval])) + (f"; {p}" if p else "")
    if result == NON_INFERIOR:
        return f"{new} is non-inferior to {old} within {by} ({evidence})."
    if result == UNKNOWN:
        topics = counted(facts["topics"], "topic")
        return f"{topics} neither exclude nor detect a loss of {by} ({evidence})."
    return f"{new} may score lower than {old} by more than {by} ({evidence})."


def _confidence(facts: Mapping[str, float]) -> str:
    """Of the interval that one-sided tests at α agree with."""
    return f"{1 - 2 * facts['significance']:.0%} CI"


def _interval(row, facts: Mapping[str, float]) -> str:
    if np.isnan(row.margin_from):
        return ""
    return f"{_confidence(facts)} {number(row.margin_from, 3)} to {number(row.margin_to, 3)}"


def _of_the_others(results: Mapping[str, str], deciding: str) -> str:
    """What the other measures say."""
    if set(results.values()) == {IDENTICAL}:
        return ""
    others = [f"{name}: {result}" for name, result in results.items() if name != deciding]
    return f"Other measures: {'; '.join(others)}." if others else ""


def _power(row, facts: Mapping[str, float], result: str) -> str:
    """The loss that would be detected."""
    if result in (BETTER, IDENTICAL) or row.margin_exact or not row.detectable_loss > 0:
        return ""
    alpha = f"α = {facts['significance']:g}"
    return (
        f"With {sample_text(facts)} the minimum detectable loss of {row.measure} is "
        f"{row.detectable_loss:.3f} at 80% power (one-sided, {alpha})."
    )


def outcome_table(
    tests: pd.DataFrame, facts: Mapping[str, float], results: Mapping[str, str]
) -> AnswerTable | None:
    """A row for each measure."""
    new, old = tests[["first", "second"]].iloc[0].astype(str)
    has_margin = bool(tests["margin"].notna().all())
    margin = [AnswerColumn(f"p (margin {tests['margin'].iloc[0]:g})", "p")] * has_margin
    columns = [
        AnswerColumn("measure"), AnswerColumn(old, "number"), AnswerColumn(new, "number"),
        AnswerColumn("Δ", "estimate", interval=_confidence(facts)),
        AnswerColumn("p (loss)", "p"), *margin, AnswerColumn("detectable loss", "number"),
        AnswerColumn("wins", "count"), AnswerColumn("ties", "count"),
        AnswerColumn("losses", "count"), AnswerColumn("outcome"),
    ]  # fmt: skip
    cells = (
        (str(row.measure), row.second_mean, row.first_mean,
         (row.difference, row.margin_from, row.margin_to), row.p_loss_corrected,
         *[row.p_noninferior] * has_margin, row.detectable_loss, row.better, row.equal_topics,
         row.worse, results[str(row.measure)])
        for row in tests.itertuples()
    )  # fmt: skip
    return AnswerTable.of(f"{new} − {old} · {sample_text(facts)}", columns, cells)


def method(tests: pd.DataFrame, facts: Mapping[str, float], fail_if: str) -> str:
    """What was tested, and what the gate fails at."""
    row = next(tests.itertuples())
    alpha = f"α = {facts['significance']:g}"
    corrected = f", Holm correction over {counted(len(tests), 'measure')}" if len(tests) > 1 else ""
    measures = listed([*tests["measure"].astype(str)])
    margin = _margin_method(row, facts)
    names = [
        name if name == role else f"{name} ({role})"
        for name, role in ((str(row.first), "new"), (str(row.second), "old"))
    ]
    failing = listed(GATE_FAILURES[: GATE_FAILURES.index(fail_if) + 1]).replace(" and ", " or ")
    means = f"{names[0]} was compared with {names[1]} by mean {measures} over {sample_text(facts)}."
    if facts["identical rankings"]:
        return means
    return (
        f"{means} A loss and a gain were each tested by a one-sided {cluster_robust(facts)}paired "
        f"t-test (df = {row.df:.4g}, {alpha}{corrected}), with Hall's correction for skewness "
        f"where its p is greater.{margin}{_level(tests, facts)} The gate fails if the outcome by "
        f"any measure is {failing}."
    )


def _margin_method(row, facts: Mapping[str, float]) -> str:
    """How the margin was tested."""
    if np.isnan(row.p_noninferior):
        return ""
    of = f"at α = {facts['significance']:g} for each measure"
    if row.margin_exact:
        by = "an exact binomial test of the number of losses, as few scores differ (scores 0 to 1),"
        return f" Non-inferiority within the margin {row.margin:g} was tested by {by} {of}."
    return f" Non-inferiority within the margin {row.margin:g} was tested likewise {of}."


def _level(tests: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """Of the intervals, beside that of the tests."""
    if tests["margin_from"].isna().all():
        return ""
    alone = ", without correction for the measures" if len(tests) > 1 else ""
    return f" The {_confidence(facts)} has the level of the one-sided tests{alone}."
