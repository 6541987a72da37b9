"""Values on scales: a file's texts and numbers as the numbers of a scale."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.choices import BELOW_ZERO, COARSE, JUNK, LEAVING, SAMPLED_OUT
from regrade.conversions import to_numpy
from regrade.errors import InputError, ParameterError, check_choice
from regrade.readers.lines import Column, Problems
from regrade.scales import MAX_VALUES, UNCOMPUTABLE, Scale, are_computable
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
        problems.remedy = f"Correct the file, or {way}."


def on_scale(
    column: Column,
    scale: Scale | None,
    leaving: Leaving,
    missing: Collection[str] = (),
    *,
    junk: bool = False,
) -> pa.Array:
    """What a file holds of a scale, as the scale's numbers."""
    held, name = column.values, column.name
    held = held.combine_chunks() if isinstance(held, pa.ChunkedArray) else held
    if pa.types.is_floating(held.type):
        number = held
    else:
        held = pc.utf8_trim_whitespace(held)
        if scale is not None and scale.names:
            held = pc.if_else(pc.is_in(held, pa.array(list(missing), pa.string())), None, held)
            number = pa.array(scale.values).take(pc.index_in(held, pa.array(scale.names)))
            # infinite, so that it is on no scale
            number = pc.if_else(pc.is_valid(held), number.fill_null(math.inf), None)
        else:
            number = replace(column, values=held).numbers(pa.float64(), missing, levels=True)
    value = to_numpy(number)
    # TREC's junk is read as 0 of numbers on which 0 is the lowest
    takes_junk = scale is not None and scale.finite and scale.low == 0 and not scale.names
    if junk and takes_junk and leaving.rule != "drop" and is_junk(value).any():
        number = pc.if_else(pa.array(is_junk(value)), 0.0, number)
        value, as_zero = without_junk(value, name)
        leaving.counts.update(as_zero)
    computable = are_computable(value)
    off = ~(computable if scale is None else computable & scale.contains(value)) & ~np.isnan(value)
    if not off.any():
        return number
    texts = held.filter(pa.array(off)).to_pylist()
    texts = [f"{value:g}" if isinstance(value, float) else str(value) for value in texts]
    beyond = ~computable[off] & np.isfinite(value[off])
    other = "is not finite" if scale is None else scale.off
    whys = [UNCOMPUTABLE if is_beyond else other for is_beyond in beyond]
    summary = f"{name} off the scale of {scale or 'numbers'} ({first_few([*dict.fromkeys(texts)])})"
    reasons = (f"{name} {value} {why}" for value, why in zip(texts, whys, strict=True))
    leaving.apply(column.line[off], reasons, summary, column.problems)
    return pc.if_else(pa.array(off), None, number)


def is_junk(grades: np.ndarray) -> np.ndarray:
    """Which grades are TREC's junk, (n,) of bool."""
    return np.logical_or.reduce([grades == one for one in JUNK])


def without_junk(grades: np.ndarray, name: str) -> tuple[np.ndarray, dict[str, int]]:
    """Grades of a column with TREC's junk as 0, and how many are, by what is said of them."""
    as_zero = is_junk(grades)
    if not as_zero.any():
        return grades, {}
    listed = " and ".join(f"{value:g}" for value in np.unique(grades[as_zero]))
    return np.where(as_zero, 0.0, grades), {f"{name} {listed}{AS_ZERO}": int(as_zero.sum())}


def below_zero(
    grades: np.ndarray, rule: str, name: str, counts: Counter
) -> tuple[np.ndarray, np.ndarray]:
    """Grades of a column as what those below 0 mean has them, and which of them are judged.

    `counts` takes what becomes of how many rows.
    """
    check_choice("below_zero", rule, (*BELOW_ZERO, SAMPLED_OUT))
    below = grades < 0
    if rule == "trec" or not below.any():
        return grades, np.ones(len(grades), dtype=bool)
    listed = first_few([f"{value:g}" for value in np.unique(grades[below])])
    if rule == "junk":
        counts[f"{name} {listed}{AS_ZERO}"] += int(below.sum())
        return np.where(below, 0.0, grades), np.ones(len(grades), dtype=bool)
    meaning = "not judged" if rule == "unjudged" else "in the pool, and not sampled to be judged"
    counts[f"{name} {listed} ({meaning})"] += int(below.sum())
    return grades, ~below


# --- scales that values seem to be on -----------------------------------------------------------

MOST_LEVELS = 1001
"""Whole numbers from 0 are taken for levels up to so many, where no scale is told."""

STRAY, STRAY_BESIDE = 0.01, 0.05
"""Whole numbers above all others are no levels where at most so large a part of the values is
there: of numbers that stand apart; of those above all levels of other sets on the same scale."""


def scale_seen(values: np.ndarray) -> Scale:
    """The scale that values seem to be on.

    Whole numbers from 0 are levels up to the highest, with TREC's junk before them where there is
    some; of other numbers, every one between the lowest and the highest.
    """
    below = values[values < 0]
    if below.size:  # numpy.ma, which np.unique loads, takes longer than most files
        below = np.unique(below)
    whole = (values == np.rint(values)).all() and is_junk(below).all()
    if whole and 1 <= values.max() < MOST_LEVELS:
        levels = int(values.max()) + 1
        junk = {"values": [*map(int, below), *range(levels)]}
        return Scale.of(junk if below.size else {"levels": levels})
    if values.min() == values.max():
        raise ParameterError(
            f"all values are {values[0]:g}: there is nothing to cut or compare, unless the "
            "scale is given"
        )
    return Scale.of({"range": [float(values.min()), float(values.max())]})


def likely_scale(values: np.ndarray) -> Scale:
    """The same; of one value alone levels up to it, two at least, or a range."""
    if values.min() < values.max():
        return scale_seen(values)
    value = float(values[0])
    if value.is_integer() and 0 <= value < MOST_LEVELS:
        return Scale.of({"levels": max(int(value), 1) + 1})
    return Scale.of({"range": [min(value, 0.0), max(value, 1.0)]})


def highest_level(values: np.ndarray) -> int:
    """The highest of whole numbers, but for few that stand apart, as 10 does above 0 … 3."""
    levels, counts = np.unique(values, return_counts=True)
    for gap in np.flatnonzero(np.diff(levels) > 1):
        above = counts[gap + 1 :].sum()
        if levels[gap] >= 1 and above <= STRAY * len(values):
            return int(levels[gap])
    return int(levels[-1])


def scale_of_most(values: np.ndarray, beside: Sequence[Scale] = ()) -> Scale | None:
    """The few levels that nearly all values are on, where some stand above; else none.

    `beside` are the scales of other sets that seem to be labelled on the same levels.
    """
    if (values == np.rint(values)).all() and is_junk(values[values < 0]).all():
        highest = highest_level(values)
        if highest < min(values.max(), COARSE):
            return scale_seen(values[values <= highest])
    if not beside or not all(one.finite and len(one.values) <= COARSE for one in beside):
        return None
    known = max(beside, key=lambda one: one.high)
    return known if 0 < (values > known.high).sum() <= STRAY_BESIDE * len(values) else None


def scale_of_all(values: np.ndarray) -> str:
    """That the scale of levels that holds all values may be told; empty where none does."""
    levels = int(values.max()) + 1
    if values.min() < 0 or levels > MAX_VALUES or (values != np.rint(values)).any():
        return ""
    option = f"scale: {levels}, --scale {levels} for 0 to {levels - 1}"
    return f"give the scale that holds all ({option})"


def few_apart(error: InputError, values: np.ndarray) -> InputError:
    """What is said of few values that are not on the scale that all others seem to be on."""
    of_all = scale_of_all(values)
    ways = f"correct them, {LEFT_OUT}, or {of_all}" if of_all else f"correct them, or {LEFT_OUT}"
    return InputError(error.path, error.problems, f"All others are: {ways}.", error.total)
