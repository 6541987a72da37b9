"""Values on scales: a file's texts and numbers as the numbers of a scale."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.choices import JUNK, LEAVING
from regrade.errors import check_choice
from regrade.readers.lines import Problems, numbers
from regrade.scales import Scale
from regrade.wording import AS_ZERO, SHOWN, first_few

log = logging.getLogger(__name__)

LEFT_OUT = "leave them out (off_scale: drop, --off-scale drop)"
"""How configurations and commands leave out what is not on a scale."""


@dataclass(frozen=True)
class Leaving:
    """What becomes of rows that break a rule which some files cannot keep.

    By the rule ``refuse`` each is a problem of its file; by ``drop`` it is left out, and `counts`
    takes how many were, by reason.  The user calls the rule by the name of the `option`.
    """

    rule: str
    option: str
    counts: Counter

    def __post_init__(self):
        """Refuse a rule that there is not."""
        check_choice(self.option, self.rule, LEAVING)

    def apply(
        self, lines: np.ndarray, reasons: Iterable[str], summary: str, problems: Problems
    ) -> None:
        """Report the rows of these lines with their reasons, or count them as `summary` says."""
        if self.rule == "drop":
            self.counts[summary] += len(lines)
            for line, reason in zip(list(lines)[:SHOWN], reasons, strict=False):
                log.warning("%s, line %d: %s; left out", problems.path, line, reason)
            return
        problems.add(lines, reasons)
        way = LEFT_OUT if self.option == "off_scale" else f"leave them out ({self.option}: drop)"
        problems.remedy = f"Mend the file, or {way}."


def on_scale(
    column: pa.ChunkedArray | pa.Array,
    line: np.ndarray,
    name: str,
    scale: Scale | None,
    leaving: Leaving,
    problems: Problems,
    missing: Collection[str] = (),
    *,
    junk: bool = False,
) -> pa.Array:
    """What a file holds of a scale, as the scale's numbers."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_floating(column.type):
        number = column
    elif scale is not None and scale.names:
        column = pc.utf8_trim_whitespace(column)
        column = pc.if_else(pc.is_in(column, pa.array(list(missing), pa.string())), None, column)
        number = pa.array(scale.values).take(pc.index_in(column, pa.array(scale.names)))
        # infinite, so that it is on no scale
        number = pc.if_else(pc.is_valid(column), number.fill_null(math.inf), None)
    else:
        column = pc.utf8_trim_whitespace(column)
        number = numbers(column, line, name, pa.float64(), problems, missing, levels=True)
    value = number.to_numpy(zero_copy_only=False)
    if junk and scale is not None and takes_junk(scale) and is_junk(value).any():
        number = pc.if_else(pa.array(is_junk(value)), 0.0, number)
        value, told = without_junk(value, name)
        leaving.counts.update(told)
    off = ~(np.isfinite(value) if scale is None else scale.contains(value)) & ~np.isnan(value)
    if not off.any():
        return number
    held = column.filter(pa.array(off)).to_pylist()
    text = [f"{value:g}" if isinstance(value, float) else str(value) for value in held]
    reason = "is not finite" if scale is None else scale.off
    summary = f"{name} off the scale of {scale or 'numbers'} ({first_few([*dict.fromkeys(text)])})"
    leaving.apply(line[off], (f"{name} {value} {reason}" for value in text), summary, problems)
    return pc.if_else(pa.array(off), None, number)


def takes_junk(scale: Scale) -> bool:
    """Whether TREC's junk is read as 0 of a scale: of numbers on which 0 is the lowest."""
    return scale.finite and scale.low == 0 and not scale.names


def is_junk(grades: np.ndarray) -> np.ndarray:
    """Which grades are TREC's junk, (n,) of bool."""
    return np.isin(grades, JUNK)


def without_junk(grades: np.ndarray, name: str) -> tuple[np.ndarray, dict[str, int]]:
    """Grades of a column with TREC's junk as 0, and how many are, by what is said of them."""
    as_zero = is_junk(grades)
    if not as_zero.any():
        return grades, {}
    listed = " and ".join(f"{value:g}" for value in np.unique(grades[as_zero]))
    return np.where(as_zero, 0.0, grades), {f"{name} {listed}{AS_ZERO}": int(as_zero.sum())}
