"""How answers put names and numbers: one wording each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from regrade.answers.table import p_value
from regrade.kendall import TOLERANCE
from regrade.wording import counted, number, rows_text, to_be

if TYPE_CHECKING:  # words need no pandas
    import pandas as pd

NAMED = 5
"""Up to so many have their names in a sentence."""


def listed(names: Sequence[object]) -> str:
    """``a, b and c``: all of them."""
    parts = [str(name) for name in names]
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def named(names: Sequence[object], noun: str, plural: str = "") -> str:
    """The names where they are few, else how many there are."""
    return listed(names) if 0 < len(names) <= NAMED else counted(len(names), noun, plural)


def every(count: float, noun: str) -> str:
    """``All 3 systems``, ``Both systems``."""
    return f"Both {noun}s" if count == 2 else f"All {counted(count, noun)}"


def reading_notes(name: str, noted: Mapping) -> Iterator[str]:
    """How a set was read: which rows together that differ; how many were left out, and why."""
    if mixed := noted.get("mixed"):
        yield f"{name}: {mixed}."
    for reason, count in noted.get("left_out", {}).items():
        yield f"{name}: {rows_text(count, reason)}."


def percent(share: float, decimals: int = 0) -> str:
    """A share as a percentage, where only none is written as 0 and only all as 100."""
    text, step = f"{share:.{decimals}%}", 10.0**-decimals
    text = text.removeprefix("-") if not float(text[:-1]) else text
    if share > TOLERANCE and not float(text[:-1]):
        return f"less than {step:.{decimals}f}%"
    if share < 1 - TOLERANCE and float(text[:-1]) == 100:
        return f"more than {100 - step:.{decimals}f}%"
    return text


def p_clause(p: float) -> str:
    """``p = 0.03``, or that it is below the least that is written."""
    return "p < 0.001" if p < 0.001 else f"p = {p_value(p)}"


def best_set(further: int, worse: int, test: str) -> str:
    """How many systems beside the first may be best, and how many of the others are worse."""
    if not further:
        others = "the other is" if worse == 1 else f"all {worse:,} others are"
        return f"{others} significantly worse {test}"
    may_be = f"{further:,} further {'system' if further == 1 else 'systems'} may be best"
    return f"{may_be} and {worse:,} {to_be(worse)} significantly worse {test}"


ALL_DOCUMENTS, MEAN_OVER_TOPICS = "all documents", "mean over topics"
"""Of what Krippendorff's α is: of all documents together, or the mean of topics' own."""


def alpha_of(metric: str, of: str) -> str:
    """``α (ordinal, all documents)``: which coefficient it is."""
    return f"α ({metric}, {of})"


def _is_missing(value: float | None) -> bool:
    """Whether it is NaN, or null."""
    from pandas import isna

    return isna(value)


CONFIDENCE_INTERVAL = "95% CI"
"""As sentences name it."""


def with_interval(
    value: float, low: float, high: float, decimals: int = 2, interval: str = CONFIDENCE_INTERVAL
) -> str:
    """``0.02 (95% CI −0.03 to 0.06)``; without an interval where there is none."""
    text = number(value, decimals)
    if _is_missing(low):
        return text
    return f"{text} ({interval} {number(low, decimals)} to {number(high, decimals)})"


def unless_certain(sentence: str, count: float, most: float) -> str:
    """A sentence about a count of some out of `most`; empty where it says nothing.

    That is where there are none to be counted, or where a bound on the count is all of them: that
    any system may be first, or that a rank may be anything from the first to the last.
    """
    return sentence if count < most else ""


def by_quantity(numbers: pd.DataFrame) -> Mapping[str, float]:
    """The values of a table of quantities, by name."""
    return dict(zip(numbers["quantity"].astype(str), numbers["value"], strict=True))


def of_measure(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """The rows of one measure."""
    return table[table["measure"].astype(str) == measure].reset_index(drop=True)


def rows_of(
    tables: Mapping[str, pd.DataFrame], names: Iterable[str], measure: str
) -> dict[str, pd.DataFrame]:
    """The rows of one measure of some tables, given by name or path."""
    own = (name.rpartition("/")[2] for name in names)
    return {name: of_measure(tables[name], measure) for name in own}
