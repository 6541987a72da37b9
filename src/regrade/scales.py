"""Scales that values lie on, and which cuts of one into levels there are.

Plain data, importable at no cost: numpy only where values are looked up by the thousand.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, InvalidOperation
from itertools import pairwise
from typing import TYPE_CHECKING

from regrade.choices import MAX_CUTS, MAX_THRESHOLDS
from regrade.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    import numpy as np

FORMS = ("levels", "values", "range", "ratio")
"""The keys that say which scale a set is on; a set has exactly one of them."""

MAX_VALUES = 10_001
"""A list of values is at most so long; beyond that a scale is a `range`."""

SHOWN_VALUES = 6
"""How many values of a scale a message lists."""

MAX_LEVELS = 4
"""A transformation has at most this many target levels, hence three thresholds."""


FINER, SAME, COARSER = "finer", "same", "coarser"
"""How a scale stands to levels."""

NEAREST_ZERO, FARTHEST = 1e-100, 1e100
"""Values are 0, or from one of these to the other, so that their squares and sums are numbers."""

UNCOMPUTABLE = f"is not 0, nor from {NEAREST_ZERO:g} to {FARTHEST:g} in size"
"""What a message says of values that are not."""


def are_computable(values: np.ndarray) -> np.ndarray:
    """Whether the square of each value is a number as precise as the value, (n,) of bool."""
    size = abs(values)
    return (size == 0) | ((size >= NEAREST_ZERO) & (size <= FARTHEST))


@dataclass(frozen=True)
class Scale:
    """An ordered scale; made by `Scale.of`.

    A table holds numbers: a numeric scale's own values, and for a scale of names each name's
    place, 0 … n − 1 (of preferences, see `signed`).

    Attributes
    ----------
    low, high
        The least and the greatest number on it: `high` is the grade that measures with a gain of
        value / highest (RBP, ERR) divide by.  Those of a ratio scale are 0 and ∞, and not on it.
    values
        All numbers on a finite scale, ascending; empty for a continuous one.
    names
        What a named scale's values are called, in order; empty for numbers.
    ratio
        Whether it holds every positive number, of which only the ratio matters (magnitudes).

    Examples
    --------
    >>> Scale.of({"levels": 4}).values
    (0.0, 1.0, 2.0, 3.0)
    >>> str(Scale.of({"values": {"from": 0, "to": 5, "by": 0.1}}))
    '0, 0.1, 0.2, …, 5 (51 values)'
    >>> Scale.of({"values": ["N", "M", "R", "H"]}).value("R")
    2.0
    """

    low: float
    high: float
    values: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    ratio: bool = False

    @classmethod
    def of(cls, options: Mapping[str, object]) -> Scale:
        """The scale that a set's options name."""
        forms = [form for form in FORMS if options.get(form) not in (None, False)]
        if len(forms) != 1:
            problem = f"not {' and '.join(forms)}" if forms else "it has none"
            raise ParameterError(f"a set has exactly one of {', '.join(FORMS)}: {problem}")
        (form,) = forms
        return _MAKERS[form](options[form])

    @property
    def finite(self) -> bool:
        """Whether its values can be listed."""
        return bool(self.values)

    @property
    def metric(self) -> str:
        """The metric of Krippendorff's α: levels have an order, real numbers distances too."""
        return "ordinal" if self.finite else "interval"

    @property
    def levels(self) -> int | None:
        """How many values it has; ``None`` if it is continuous."""
        return len(self.values) or None

    @property
    def above_zero(self) -> bool:
        """Whether all numbers on it are positive, so that they have ratios and logarithms."""
        return self.ratio or self.low > 0

    def is_levels(self, levels: int) -> bool:
        """Whether its numbers are 0 … ``levels - 1``, those of a transformation's target."""
        return self.values == tuple(map(float, range(levels)))

    def relation(self, levels: int) -> str:
        """How it stands to the levels 0 … ``levels - 1``."""
        if self.is_levels(levels):
            return SAME
        return COARSER if self.finite and len(self.values) <= levels else FINER

    def value(self, written: object) -> float:
        """The number that something written in a file or configuration stands for."""
        if self.names:
            if str(written) in self.names:
                return self.values[self.names.index(str(written))]
            raise ParameterError(f"{written} {self.off}{did_you_mean(written, self.names, '')}")
        try:
            number = float(written)
        except (TypeError, ValueError):
            raise ParameterError(f"{written!r} is not a number") from None
        if number not in self:
            raise ParameterError(f"{written} {self.off}")
        return number

    def code(self, value: float) -> int:
        """Place of a number among the values, from 0."""
        if not self.finite:
            raise ParameterError(f"{self}: its values cannot be numbered")
        place = bisect_left(self.values, value)
        if place == len(self.values) or self.values[place] != value:
            raise ParameterError(f"{value:g} {self.off}")
        return place

    def text(self, value: float) -> str:
        """How a number on the scale is written: the name on a scale of names."""
        return self.names[self.code(value)] if self.names else f"{value:.15g}"

    def __contains__(self, value: object) -> bool:
        """Whether a number is on the scale."""
        if not isinstance(value, int | float) or not math.isfinite(value):
            return False
        if self.finite:
            place = bisect_left(self.values, value)
            return place < len(self.values) and self.values[place] == value
        return value > 0 if self.ratio else self.low <= value <= self.high

    def contains(self, values: np.ndarray) -> np.ndarray:
        """Whether each number is on the scale, (n,) of bool."""
        if self.finite:
            return self.codes(values) >= 0
        if self.ratio:
            return (values > 0) & (values < math.inf)
        return (values >= self.low) & (values <= self.high)

    def codes(self, values: np.ndarray) -> np.ndarray:
        """Place of each number among the values of a finite scale, (n,); −1 where it has none."""
        import numpy as np

        known = np.array(self.values)
        values = np.asarray(values, dtype=float)
        place = np.minimum(np.searchsorted(known, values), len(known) - 1)
        return np.where(known[place] == values, place, -1)

    @property
    def off(self) -> str:
        """What a message says of a value that is not on the scale."""
        if self.ratio:
            return "is not a positive number"
        if not self.finite:
            return f"is not on the scale of numbers from {self.text(self.low)} to {self.high:.15g}"
        count = len(self.values)
        if self.is_levels(count) and not self.names:
            return f"is not on the scale of {count} levels: none of the integers 0 to {count - 1}"
        return f"is not on the scale {self}"

    def __str__(self) -> str:
        """The scale in few words."""
        if self.ratio:
            return "positive numbers"
        if not self.finite:
            return f"numbers from {self.low:.15g} to {self.high:.15g}"
        written = [self.text(value) for value in self.values]
        if len(written) <= SHOWN_VALUES:
            return ", ".join(written)
        return f"{', '.join(written[:3])}, …, {written[-1]} ({len(written)} values)"


def _of_levels(levels: object) -> Scale:
    if isinstance(levels, bool) or not isinstance(levels, int) or levels < 2:
        raise ParameterError(f"levels is {levels!r}: use a whole number of at least 2")
    _check_count(levels)
    return _of_numbers([Decimal(level) for level in range(levels)])


def _of_values(values: object) -> Scale:
    if isinstance(values, Mapping):
        return _of_numbers(_steps(values))
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise ParameterError(f"values is {values!r}: list them in order, or give from, to and by")
    _check_count(len(values))
    if all(isinstance(value, str) for value in values):
        return _of_names(values)
    return _of_numbers([_decimal("values", value) for value in values])


def _of_names(names: Sequence[str]) -> Scale:
    stripped = [name.strip() for name in names]
    again = sorted({name for name in stripped if stripped.count(name) > 1})
    if again or "" in stripped or len(stripped) < 2:
        reason = f"{again[0]!r} comes twice" if again else "use at least two names, none empty"
        raise ParameterError(f"values is {list(names)}: {reason}")
    places = tuple(map(float, range(len(stripped))))
    return Scale(places[0], places[-1], places, tuple(stripped))


def _of_numbers(numbers: Sequence[Decimal]) -> Scale:
    values = tuple(map(float, numbers))
    if len(values) < 2 or any(a >= b for a, b in pairwise(values)):
        raise ParameterError(
            f"values is {list(map(str, numbers))}: list at least two, the lowest first, none twice"
        )
    return Scale(values[0], values[-1], values)


def _steps(steps: Mapping) -> list[Decimal]:
    """From, to and by as decimals, so that the third step of 0.1 is 0.3."""
    if steps.keys() != {"from", "to", "by"}:
        raise ParameterError(f"values is {dict(steps)}: give from, to and by, or list the values")
    first, last, by = (_decimal(f"values.{key}", steps[key]) for key in ("from", "to", "by"))
    if by <= 0 or last <= first or (last - first) % by:
        raise ParameterError(
            f"values is {dict(steps)}: `to` must be a whole number of positive steps `by` "
            "above `from`"
        )
    count = int((last - first) / by) + 1
    _check_count(count)
    return [first + step * by for step in range(count)]


def _of_range(ends: object) -> Scale:
    if isinstance(ends, str) or not isinstance(ends, Sequence) or len(ends) != 2:
        raise ParameterError(f"range is {ends!r}: use two numbers, [low, high]")
    low, high = (float(_decimal("range", end)) for end in ends)
    if low >= high:
        raise ParameterError(f"range is {list(ends)}: put the lower number first")
    return Scale(low, high)


def _of_ratio(ratio: object) -> Scale:
    if ratio is not True:
        raise ParameterError(f"ratio is {ratio!r}: use true, or another scale")
    return Scale(0.0, math.inf, ratio=True)


_MAKERS = {"levels": _of_levels, "values": _of_values, "range": _of_range, "ratio": _of_ratio}


def _decimal(what: str, value: object) -> Decimal:
    """A number as it was written."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ParameterError(
            f"{what} holds {value!r}: use numbers only, or put every name into quotes"
        )
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise ParameterError(f"{what} holds {value!r}: use finite numbers")
    return number


def _check_count(count: int) -> None:
    if count > MAX_VALUES:
        raise ParameterError(
            f"a scale of {count} values: list at most {MAX_VALUES}, or give a `range`"
        )


BINARY = _of_levels(2)


def signed(scale: Scale) -> Scale:
    """A scale of preferences: negative for the left document, positive for the right one.

    Names from left to right become whole numbers that lie symmetrically around 0, with 0 for the
    one in the middle of an odd number.

    Examples
    --------
    >>> signed(Scale.of({"values": ["left", "tie", "right"]})).values
    (-1.0, 0.0, 1.0)
    """
    if scale.names:
        half = [float(number) for number in range(1, len(scale.names) // 2 + 1)]
        middle = [0.0] * (len(scale.names) % 2)
        values = (*(-number for number in reversed(half)), *middle, *half)
        return Scale(values[0], values[-1], values, scale.names)
    if scale.low != -scale.high or scale.values != tuple(-v for v in reversed(scale.values)):
        raise ParameterError(
            f"preferences cannot be on the scale of {scale}: give values from left to right, such "
            "as [-1, 0, 1] or [left, tie, right], or a range around 0"
        )
    return scale


def check_levels(source_levels: int | None, levels: int) -> None:
    """Refuse a transformation that leaves no cut to choose, with `ParameterError`."""
    if source_levels is not None and source_levels < 3:
        raise ParameterError(f"a source scale has at least 3 levels, not {source_levels}")
    most = MAX_LEVELS if source_levels is None else min(MAX_LEVELS, source_levels - 1)
    if not 2 <= levels <= most:
        source = "a continuous scale" if source_levels is None else f"{source_levels} levels"
        raise ParameterError(f"{source} can be cut into 2 to {most} levels, not {levels}")


def check_grid(grid: int | None, levels: int) -> None:
    """Refuse a grid of thresholds that makes no cut, or too many, with `ParameterError`."""
    if grid is None:
        return
    if grid < levels - 1:
        raise ParameterError(f"grid is {grid}: {levels} levels need at least {levels - 1}")
    cuts = math.comb(grid, levels - 1)
    if grid > MAX_THRESHOLDS or cuts > MAX_CUTS:
        raise ParameterError(
            f"grid is {grid}, which makes {cuts:,} cuts: at most {MAX_THRESHOLDS:,} thresholds "
            f"and {MAX_CUTS:,} cuts are searched"
        )


def exactly(value: float) -> str:
    """The shortest text that reads as the same number: a threshold that is rounded cuts otherwise.

    Examples
    --------
    >>> exactly(50.0), exactly(1 / 3)
    ('50', '0.3333333333333333')
    """
    text = f"{value:g}"
    return text if float(text) == value else repr(float(value))


def briefly(value: float) -> str:
    """A number to four digits, or all before its point: to be read, not to be cut at.

    Examples
    --------
    >>> briefly(0.1 + 0.2), briefly(1 / 3), briefly(12345.6)
    ('0.3', '0.3333', '12346')
    """
    digits = max(4, len(f"{abs(value):.0f}"))
    return _plainly(Decimal(f"{value:.{digits}g}"))


def cutting(value: float, above: float) -> str:
    """A short text of a threshold that cuts as it does, where `above` is the next value.

    A number of more than four digits has so many of them, three at least, as keep it between both;
    thirteen digits are as near as `aggregation.exceeds` tells apart.

    Examples
    --------
    >>> cutting(24, 25), cutting(0.1 + 0.2, 0.4), cutting(1 / 3, 2 / 3)
    ('24', '0.3', '0.334')
    """
    number = Decimal(f"{value:.13g}")
    if float(value).is_integer():
        return exactly(value)
    for digits in range(3, 13) if len(number.normalize().as_tuple().digits) > 4 else ():
        up = number.normalize(Context(prec=digits, rounding=ROUND_CEILING))
        if float(up) < above:
            return _plainly(up)
    return _plainly(number)


def _plainly(number: Decimal) -> str:
    return f"{number.normalize() + 0:f}"  # + 0: no sign of 0
