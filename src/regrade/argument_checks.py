"""What an argument may be: declared once, by the library's function, and asked before any work.

A check takes an argument's name and its value, and refuses what it cannot be.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from numbers import Real
from operator import ge, gt, le, lt

from regrade.errors import ParameterError, RegradeError, check_choice

Check = Callable[[str, object], None]

_BOUNDS = (
    ("least", ge, "{} or more"),
    ("above", gt, "more than {}"),
    ("most", le, "{} at most"),
    ("below", lt, "less than {}"),
)


def one_of(known: Collection[object]) -> Check:
    """One of some values."""
    return lambda name, value: check_choice(name, value, known)


def within(**bounds: float) -> Check:
    """A number of at least `least` or `above`, of at most `most` or `below`."""
    return lambda name, value: check_bounds(name, value, **bounds)


def check_bounds(name: str, value: Real, **bounds: float) -> None:
    """Refuse a number outside of bounds, as `within` has them.

    Raises
    ------
    ParameterError
        Saying which bound.
    """
    for key, fits, what in _BOUNDS:
        if key in bounds and not fits(value, bounds[key]):
            fitting = what.format(bounds[key])
            if {"least", "most"} <= {*bounds}:
                fitting = f"{bounds['least']} to {bounds['most']}"
            raise ParameterError(f"{name} is {value}: give {fitting}")


def read_by(read: Callable[..., object]) -> Check:
    """What a function can read."""

    def check(name: str, value: object) -> None:
        try:
            read(value)
        except RegradeError as error:
            raise ParameterError(f"{name}: {error}") from error

    return check


def each(check: Check, called: str) -> Check:
    """Several values, each of which passes a check, and what one is called."""

    def check_all(name: str, values: Collection[object]) -> None:
        for value in values:
            check(called, value)

    return check_all
