"""What other labels change among systems, in sentences: of two sets, and of a cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from scipy.special import ndtri

from regrade.answers.glossary import LARGELY, NOT, NOT_PRESERVED, PARTLY, PRESERVED
from regrade.answers.table import interval
from regrade.answers.words import CONFIDENCE_INTERVAL
from regrade.kendall import TOLERANCE
from regrade.wording import counted, number, to_be

Ends = Sequence[float]
"""The two of an interval; NaN where there is none."""

MOST_DIGITS = 6
"""Decimals of τ_b at most, where its interval ends beside a threshold."""


def estimate(
    name: str, value: float, ends: Ends, digits: int = 2, kind: str = CONFIDENCE_INTERVAL
) -> str:
    """``τ_b = 0.93, 95% CI 0.89–0.96``, within parentheses; no interval of no width."""
    text, (low, high) = f"{name} = {number(value, digits)}", ends
    if pd.isna(low) or abs(high - low) <= TOLERANCE:
        return text
    return f"{text}, {kind} {interval(low, high, digits)}"


def top_agreement(row: pd.Series) -> str:
    """Of a row of ``top_k``: ``Jaccard = 0.67, 95% CI 0.30–1.00; τ_b among them = 0.33, …``."""
    names = {"jaccard": "Jaccard", "tau": "τ_b among them"}
    return "; ".join(
        estimate(kind, row[name], row[[f"{name}_low", f"{name}_high"]])
        for name, kind in names.items()
        if pd.notna(row[name])
    )


def is_preserved(low: float) -> bool:
    """Whether the lower end of the interval of τ_b is high enough."""
    return low >= PRESERVED - TOLERANCE


def preservation(ends: Ends) -> str:
    """Whether a ranking is preserved largely, partly or not; empty without an interval."""
    low, high = ends
    if pd.isna(low):
        return ""
    if is_preserved(low):
        return LARGELY
    return NOT if high < NOT_PRESERVED - TOLERANCE else PARTLY


def lower_of_selected(value: float, low: float, count: int) -> float:
    """The lower end of an interval of the highest of so many values (Bonferroni).

    The half width is that of one value, times the ratio of the normal quantiles.
    """
    return value - (value - low) * float(ndtri(1 - 0.025 / count) / ndtri(0.975))


def tau_estimate(tau: float, ends: Ends, kind: str = CONFIDENCE_INTERVAL) -> str:
    """`estimate` of τ_b: with two decimals, or as many as keep its ends on their side."""
    word = preservation(ends)
    digits = 2
    while digits < MOST_DIGITS and preservation([round(end, digits) for end in ends]) != word:
        digits += 1
    return estimate("τ_b", tau, ends, digits, kind)


def ranking_verdict(
    changing: str,
    systems: int,
    measure: str,
    tau: float,
    ends: Ends,
    moved: int,
    kind: str = CONFIDENCE_INTERVAL,
) -> str:
    """Whether what is changed (``Replacing A with B``) preserves the ranking of systems."""
    ranking = f"the ranking of {counted(systems, 'system')}"
    if systems == 1:
        return f"{changing} changes no ranking, as there is only one system."
    if pd.isna(tau):
        every = "both" if systems == 2 else f"all {systems:,}"
        return f"{changing} cannot be assessed by {measure}, as {every} systems tie."
    inside = f"({measure}, {tau_estimate(tau, ends, kind)})"
    if not moved:
        return f"{changing} leaves {ranking} unchanged {inside}."
    if systems == 2:
        return f"{changing} reverses the order of the 2 systems ({measure})."
    verbs = {
        LARGELY: "largely preserves",
        PARTLY: "partly preserves",
        NOT: "does not preserve",
        "": "changes",
    }
    return f"{changing} {verbs[preservation(ends)]} {ranking} {inside}."


UNTESTED = "With one topic, no pair of systems can be tested."
"""In place of pairs that differ significantly."""


def pair_changes(counts: Mapping[str, float], first: str, second: str, test: str) -> str:
    """How many pairs of systems change significance, and how many topic sampling would change.

    `counts` has ``pairs``, ``appears``, ``disappears``, ``reverses``, and ``by_topics``, ``low``
    and ``high`` of what two samples of topics change.
    """
    if not counts["pairs"]:
        return ""
    if pd.isna(counts["by_topics"]):
        return UNTESTED
    appears, disappears, reverses = (counts[name] for name in ("appears", "disappears", "reverses"))
    alone = sampling_changes(counts)
    if counts["pairs"] == 1 and not appears + disappears + reverses:
        return f"The significance of the one pair does not change ({test})."
    if not appears + disappears + reverses:
        return f"None of {counts['pairs']:,.0f} pairs changes significance ({test}){alone}."
    is_are = to_be(appears)
    reverse = f", and {reverses:,.0f} in opposite directions" if reverses else ""
    joined = "," if reverses else " and"
    return (
        f"{appears:,.0f} of {counted(counts['pairs'], 'pair')} {is_are} significant only with "
        f"{second}{joined} {disappears:,.0f} only with {first}{reverse} ({test}){alone}."
    )


def sampling_changes(counts: Mapping[str, float]) -> str:
    """How many pairs another sample of topics would change, as the end of a sentence."""
    if not round(counts["by_topics"]):
        return ""
    ends = "" if pd.isna(counts["low"]) else f" ({_counts(counts['low'], counts['high'])})"
    return f"; topic sampling alone would change {counts['by_topics']:,.0f}{ends}"


def _counts(low: float, high: float) -> str:
    """``95% of samples 180–379``."""
    return f"95% of samples {low:,.0f}–{high:,.0f}"


def individual_changes(changed: float, significant: float) -> str:
    """How many changes of significance are significant themselves, or that none is tested."""
    if not changed:
        return ""
    if pd.isna(significant):
        return "There are too few topics to test the changes of significance themselves."
    if changed == 1:
        return (
            f"The change of significance is {'' if significant else 'not '}itself significant "
            "(test of the difference of differences, Benjamini–Hochberg)."
        )
    some = f"{significant:,.0f}" if significant else "None"
    return (
        f"{some} of the {changed:,.0f} changes of significance {to_be(max(significant, 1))} itself "
        "significant (test of the difference of differences, Benjamini–Hochberg)."
    ).replace("are itself", "are themselves")


def tie_range(tau: float, low: float, high: float) -> str:
    """Between what τ_b lies over orders of documents of one score, where that shows."""
    if pd.isna(low) or f"{low:.2f}" == f"{high:.2f}" == f"{tau:.2f}":
        return ""
    return (
        f"Depending on tie-breaking within runs, τ_b ranges from {number(low, 2)} to "
        f"{number(high, 2)}."
    )


def movers(systems: pd.DataFrame, count: int) -> pd.DataFrame:
    """The systems that move furthest, by measure; those that stay are left out."""
    moved = systems.sort_values("move", key=abs, ascending=False, kind="stable")
    moved = moved[moved["move"] != 0].groupby("measure", sort=False, observed=True).head(count)
    order = list(dict.fromkeys(systems["measure"]))
    return moved.sort_values("measure", key=lambda m: m.map(order.index), kind="stable")
