"""What are magnitudes worth as gains?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from regrade.answers.changed import reordered_said
from regrade.answers.shape import Answer
from regrade.answers.words import listed, p_said, signed
from regrade.intervals import INTERVALS
from regrade.magnitudes.stage import Magnitudes
from regrade.wording import counted

TABLES = ("magnitudes/numbers",)

FEW_LABELLED = 0.5
"""Where fewer of the documents have a label it is said."""

FEWEST = INTERVALS["mean_over_topics"].fewest
"""Topics from which on systems are told from the best."""

SIGNIFICANCE = 0.05
"""Of the test of one kind of gains against another."""


class _Found:
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
    def measures(self) -> list[str]:
        """Those that rank systems."""
        start = "tau by "
        return [name.removeprefix(start) for name in self.whole.index if name.startswith(start)]


def answer(numbers: pd.DataFrame, shift: float) -> Answer:
    """Of the first reference a verdict and facts, of each further one what it says of gains."""
    references = list(dict.fromkeys(numbers["reference"].astype(str)))
    first, *others = (_Found(numbers, one) for one in references)
    said = [
        *(ranked_said(first, measure) for measure in first.measures),
        gains_said(first),
        likelier_said(first),
        pairs_said(first),
        exceptions_said(first),
        *(best_said(first, measure) for measure in first.measures[:1]),
        *(settled_said(first, measure) for measure in first.measures[:1]),
        *(gains_said(one) for one in others),
    ]
    return Answer.of(
        Magnitudes.question,
        said,
        method=f"Judgments of {counted(first['units'], 'unit')}, put on one scale within each topic; "
        "a document's magnitude is the middle one of its judgments. Gains are fitted to ratios "
        "within units, and judged by documents that the fit has not seen.",
        notes=warned(first, shift),
        tables=TABLES,
    )


def ranked_said(found: _Found, measure: str) -> str:
    """How much magnitudes as gains reorder the systems."""
    systems = int(found[f"systems by {measure}"])
    changing = f"Taking magnitudes for gains instead of {found.reference}"
    if not systems or not found[f"topics by {measure}"]:
        return f"{changing} cannot be judged by {measure}: nothing is shared."
    return reordered_said(
        changing,
        systems,
        found[f"tau by {measure}"],
        int(found[f"moving by {measure}"]),
        int(found[f"farthest by {measure}"]),
        measure,
    )


def gains_said(found: _Found) -> str:
    """The gain of each level of a reference."""
    gains = found.gains("fitted")
    if len(gains) < 2 or not np.isfinite([*gains.values()]).all():
        return f"No unit compares all levels of {found.reference}: magnitudes give them no gains."
    levels = listed([f"{level:g}" for level in gains])
    return (
        f"Magnitudes give the levels {levels} of {found.reference} the gains "
        f"{listed([signed(gain, 1) for gain in gains.values()])}."
    )


def likelier_said(found: _Found) -> str:
    """Which gains predict left-out documents better, by a paired test over topics."""
    other = "exponential" if len(found.gains("linear")) > 2 else "fitted"  # of two levels all are 1
    name = f"{other} over linear"
    if name not in found or not np.isfinite(found[f"{name} p"]):
        return ""
    row, p = found.whole.loc[name], found[f"{name} p"]
    ends = ""
    if pd.notna(row["low"]):
        ends = f"95% CI {signed(row['low'], 3)} to {signed(row['high'], 3)}, "
    tested = (
        f"log-likelihood per contrast {signed(row['value'], 3)}, {ends}{p_said(p)}, paired t-test "
        f"over {counted(found['topics left out in parts'], 'topic')}"
    )
    if p >= SIGNIFICANCE:
        return (
            f"There is no significant difference between {other} and linear gains on documents "
            f"that the fit has not seen (difference in {tested})."
        )
    first, second = (other, "linear") if row["value"] > 0 else ("linear", other)
    return (
        f"{first.capitalize()} gains predict documents that the fit has not seen significantly "
        f"better than {second} gains (difference of {other} from linear in {tested})."
    )


def pairs_said(found: _Found) -> str:
    """How many pairs of documents of two levels magnitudes order as the levels do."""
    if "ordered alike" not in found or not found["pairs"]:
        return f"Magnitudes and {found.reference} share no two documents of two levels."
    row, tied = found.whole.loc["ordered alike"], found["tied pairs"]
    ends = "" if pd.isna(row["low"]) else f", 95% CI {row['low']:.1%} to {row['high']:.1%}"
    equal = f" {counted(tied, 'pair')} have equal magnitudes." if tied else ""
    return (
        f"Magnitudes order {found['concordant pairs']:,.0f} of "
        f"{counted(found['pairs'], 'pair')} of documents of two levels as {found.reference} does "
        f"({row['value']:.1%}{ends}).{equal}"
    )


def exceptions_said(found: _Found) -> str:
    """How often a higher level has no higher magnitudes."""
    if not found["cases"]:
        return ""
    return (
        f"In {found['exceptions']:,.0f} of {counted(found['cases'], 'case')} the higher of two "
        "adjacent levels of a topic has no higher median."
    )


def best_said(found: _Found, measure: str) -> str:
    """How many systems may be the best, where topics are enough to tell."""
    names = ("may be best", "may be best under magnitudes", "may be best under both")
    here, there, both = (found[f"{name} by {measure}"] for name in names)
    if not here or not there or found[f"topics by {measure}"] < FEWEST:
        return ""
    if both == found[f"systems by {measure}"]:
        return f"No system is surely not the best, under {found.reference} or under magnitudes."
    return (
        f"With endless topics the best may be any of {counted(here, 'system')} under "
        f"{found.reference} and of {there:,.0f} under magnitudes, {both:,.0f} of them under both."
    )


def settled_said(found: _Found, measure: str) -> str:
    """How many pairs of systems one judgment per document settles."""
    if f"pairs of systems by {measure}" not in found:
        return ""
    pairs = found[f"pairs of systems by {measure}"]
    if not pairs:
        return ""
    return (
        f"With one judgment of each document, {found[f'settled pairs by {measure}']:,.0f} of "
        f"{counted(pairs, 'pair')} of systems keep their order in 95% of draws."
    )


def warned(found: _Found, shift: float) -> Iterator[str]:
    """What a user would not expect."""
    if shift:
        yield (
            "A constant was added to all values because some are 0: all ratios, and so all gains, "
            "depend on it."
        )
    labelled, documents = found["documents labelled"], found["documents"]
    if labelled < FEW_LABELLED * documents:
        yield (
            f"{found.reference} has labels of {labelled:,.0f} of {counted(documents, 'document')} "
            f"only; there are magnitudes of all."
        )
    if found["units that fail"]:
        out = found["units left out"]
        left = f"{out:,.0f} are left out" if out else "all are kept"
        yield (
            f"Of {counted(found['units'], 'unit')} {found['units that fail']:,.0f} fail a check; "
            f"{left}."
        )
