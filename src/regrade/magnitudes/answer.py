"""What gains do magnitudes give to levels, and do they change the ranking of systems?

The light is fine where the ranking, or without systems the order of the levels, stays; a problem
where the levels have no gains or nothing can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable, interval
from regrade.answers.words import listed, p_clause
from regrade.intervals import INTERVALS
from regrade.magnitudes.stage import Magnitudes
from regrade.wording import counted, number

TABLES = ("magnitudes/numbers",)

PROFILES = ("linear", "exponential", "fitted")
"""Ways to give gains to levels; the fitted ones are those of the magnitudes."""

FEW_LABELLED = 0.5
"""Where fewer of the documents have a label there is a note."""

FEWEST = INTERVALS["mean_over_topics"].fewest
"""Topics from which on systems are tested against the best."""

SIGNIFICANCE = 0.05
"""Of the test of one kind of gains against another."""

MOST_LEVELS = 4
"""Whose gains a sentence names."""


class _ReferenceNumbers:
    """The numbers of one reference."""

    def __init__(self, numbers: pd.DataFrame, reference: str):
        self.reference = reference
        own = numbers[numbers["reference"].astype(str) == reference]
        self.whole = own[own["level"].isna()].set_index("quantity")
        self.levels = own[own["level"].notna()]

    def __getitem__(self, quantity: str) -> float:
        return float(self.whole.at[quantity, "value"])

    def __contains__(self, quantity: str) -> bool:
        return quantity in self.whole.index

    def gains(self, profile: str) -> dict[float, float]:
        """Gain by level."""
        own = self.levels[self.levels["quantity"] == f"{profile} gain"]
        return dict(zip(own["level"], own["value"], strict=True))

    @property
    def has_gains(self) -> bool:
        """Whether magnitudes give a gain to each of several levels."""
        gains = [*self.gains("fitted").values()]
        return len(gains) > 1 and bool(np.isfinite(gains).all())

    @property
    def measures(self) -> list[str]:
        """Those that rank systems."""
        start = "tau by "
        return [name.removeprefix(start) for name in self.whole.index if name.startswith(start)]

    def ranks(self, measure: str) -> bool:
        """Whether systems and topics are shared, and scores differ."""
        return bool(
            self[f"systems by {measure}"] > 1
            and self[f"topics by {measure}"]
            and pd.notna(self[f"tau by {measure}"])
        )


def answer(numbers: pd.DataFrame, shift: float) -> Answer:
    """A row for each reference and profile of gains; verdict and facts are of the first."""
    references = list(dict.fromkeys(numbers["reference"].astype(str)))
    every = [_ReferenceNumbers(numbers, one) for one in references]
    first = every[0]
    measures = first.measures
    sentences = [
        ranking(first, measures[0]) if measures else gains(first),
        likelier(first),
        document_pairs(first),
        further_measures(first, measures[1:]),
        *(best_systems(first, measure) for measure in measures[:1]),
    ]
    verdict, *facts = filter(None, sentences)
    return Answer.of(
        Magnitudes.question,
        [verdict, *facts[:3]],
        key=key(first),
        light=light(first),
        rows=profiles_table(every),
        method=method(first, measures),
        notes=notes(first, shift),
        tables=TABLES,
    )


def ranking(of: _ReferenceNumbers, measure: str) -> str:
    """How much magnitudes as gains reorder the systems."""
    systems = int(of[f"systems by {measure}"])
    by, beside = f"By {measure}, magnitudes as gains", of.reference
    if not systems or not of[f"topics by {measure}"]:
        return f"{by} cannot be compared with {beside}: no system or topic is shared."
    if systems == 1:
        return f"{by} reorder nothing: there is only one system."
    if not of.ranks(measure):
        return f"{by} cannot be compared with {beside}: all {systems:,} systems score the same."
    moving, farthest = (int(of[f"{name} by {measure}"]) for name in ("moving", "farthest"))
    tau = f"(τ_b = {number(of[f'tau by {measure}'], 2)} with {beside})"
    if not moving:
        return f"{by} leave the order of the {systems:,} systems unchanged {tau}."
    return (
        f"{by} change the rank of {moving:,} of {systems:,} systems, by at most "
        f"{counted(farthest, 'place')} {tau}."
    )


def gains(of: _ReferenceNumbers) -> str:
    """The gain of each level of a reference."""
    own = of.gains("fitted")
    if not of.has_gains:
        return f"Magnitudes give no gains to {of.reference}: no unit compares all of its levels."
    if len(own) > MOST_LEVELS:
        highest = number(own[max(own)], 1)
        return (
            f"Magnitudes give the highest of {len(own)} levels of {of.reference} a gain of "
            f"{highest} times the lowest."
        )
    levels = listed([f"{level:g}" for level in own])
    values = listed([number(gain, 1) for gain in own.values()])
    return f"Magnitudes give levels {levels} of {of.reference} gains of {values}."


def key(of: _ReferenceNumbers) -> str:
    """τ_b of the two rankings, or the gain of the highest level."""
    if of.measures and of.ranks(of.measures[0]):
        return f"τ_b = {number(of[f'tau by {of.measures[0]}'], 2)} with {of.reference}"
    if not of.has_gains:
        return ""
    own = of.gains("fitted")
    return f"gain {number(own[max(own)], 1)} of the highest level"


def light(of: _ReferenceNumbers) -> str:
    """Whether magnitudes change anything, or can be compared at all."""
    if of.measures:
        if not of.ranks(of.measures[0]):
            return PROBLEM
        return LOOK if of[f"moving by {of.measures[0]}"] else FINE
    if not of.has_gains:
        return PROBLEM
    own = of.gains("fitted")
    ascending = [own[level] for level in sorted(own)]
    return FINE if ascending == sorted(ascending) else LOOK


def profiles_table(every: list[_ReferenceNumbers]) -> AnswerTable | None:
    """The gains of each profile by level, and how much better than linear ones it predicts."""
    levels = sorted({level for of in every for level in of.gains("linear")})
    if not levels:
        return None
    columns = [
        AnswerColumn("reference"), AnswerColumn("gains"),
        *(AnswerColumn(f"level {level:g}", "number", 1) for level in levels),
        AnswerColumn("Δ log-likelihood", "estimate"), AnswerColumn("p", "p"),
    ]  # fmt: skip
    cells = []
    for of in every:
        for profile in PROFILES:
            own, size, p = of.gains(profile), (None,) * 3, None
            if not own:
                continue
            if (name := f"{profile} over linear") in of:
                row = of.whole.loc[name]
                size, p = (row["value"], row["low"], row["high"]), of[f"{name} p"]
            cells.append((of.reference, profile, *(own.get(at) for at in levels), size, p))
    first = every[0]
    n = f"{counted(first['documents'], 'document')} · {counted(first['units'], 'unit')}"
    return AnswerTable.of(f"gains · {n}", columns, cells)


def likelier(of: _ReferenceNumbers) -> str:
    """Which gains predict left-out documents better, by a paired test over topics."""
    other = "exponential" if len(of.gains("linear")) > 2 else "fitted"  # of two levels all are 1
    name = f"{other} over linear"
    if name not in of or not np.isfinite(of[f"{name} p"]):
        return ""
    row, p = of.whole.loc[name], of[f"{name} p"]
    ends = "" if pd.isna(row["low"]) else f", 95% CI {interval(row['low'], row['high'])}"
    test = f"Δ log-likelihood per contrast = {number(row['value'], 3)}{ends}, {p_clause(p)}"
    if p >= SIGNIFICANCE:
        return (
            f"{other.capitalize()} and linear gains do not differ significantly in predicting "
            f"held-out documents ({test})."
        )
    than = "better" if row["value"] > 0 else "worse"
    return (
        f"{other.capitalize()} gains predict held-out documents significantly {than} than linear "
        f"gains ({test})."
    )


def document_pairs(of: _ReferenceNumbers) -> str:
    """How many pairs of documents of two levels magnitudes order as the levels do."""
    if "ordered alike" not in of or not of["pairs"]:
        return f"Magnitudes and {of.reference} share no two documents of different levels."
    row, tied = of.whole.loc["ordered alike"], of["tied pairs"]
    ends = "" if pd.isna(row["low"]) else f", 95% CI {row['low']:.1%}–{row['high']:.1%}"
    equal = f"; {counted(tied, 'pair')} have equal magnitudes" if tied else ""
    return (
        f"Magnitudes order {of['concordant pairs']:,.0f} of {counted(of['pairs'], 'pair')} of "
        f"documents of different levels as {of.reference} does ({row['value']:.1%}{ends}){equal}."
    )


def further_measures(of: _ReferenceNumbers, measures: list[str]) -> str:
    """τ_b of the two rankings by each further measure."""
    parts = [
        f"{number(of[f'tau by {measure}'], 2)} for {measure} "
        f"({counted(of[f'moving by {measure}'], 'system changes', 'systems change')} rank)"
        for measure in measures
        if of.ranks(measure)
    ]
    return f"τ_b is {listed(parts)}." if parts else ""


def best_systems(of: _ReferenceNumbers, measure: str) -> str:
    """How many systems may be the best, where there are topics enough for a test."""
    names = ("may be best", "may be best under magnitudes", "may be best under both")
    here, there, both = (of[f"{name} by {measure}"] for name in names)
    systems = of[f"systems by {measure}"]
    if systems == 1 or not here or not there or of[f"topics by {measure}"] < FEWEST:
        return ""
    if both == systems:
        return f"No system is significantly worse than the best ({measure})."
    return (
        f"{counted(here, 'system')} may be best under {of.reference} and {there:,.0f} under "
        f"magnitudes, {both:,.0f} of them under both ({measure})."
    )


def method(of: _ReferenceNumbers, measures: list[str]) -> str:
    """What was computed, with every test, interval, n and seed."""
    sentences = [
        f"Magnitudes of {counted(of['units'], 'unit')} were normalised within topics; the "
        "magnitude of a document is the median of its judgments. Gains of levels were fitted to "
        "log ratios within units, and evaluated on held-out documents (two-sided paired t-test of "
        f"the log-likelihood over {counted(of['topics left out in parts'], 'topic')}, seed "
        f"{of['seed']:.0f}). Shares of pairs have 95% confidence intervals over topics."
    ]
    if measures:
        sentences.append(
            f"Systems were ranked by {listed(measures)} with magnitudes as gains and with the "
            f"grades of {of.reference}, and compared by Kendall's τ_b."
        )
    return " ".join(sentences)


def notes(of: _ReferenceNumbers, shift: float) -> Iterator[str]:
    """What a user would not expect."""
    if shift:
        yield (
            "A constant was added to all values because some are 0: all ratios, and so all gains, "
            "depend on it."
        )
    labelled, documents = of["documents labelled"], of["documents"]
    if labelled < FEW_LABELLED * documents:
        yield (
            f"{of.reference} labels only {labelled:,.0f} of {counted(documents, 'document')} with "
            "magnitudes."
        )
    if of["units that fail"]:
        out = of["units left out"]
        left = f"{out:,.0f} were excluded" if out else "none was excluded"
        yield (
            f"{of['units that fail']:,.0f} of {counted(of['units'], 'unit')} fail a check; {left}."
        )
