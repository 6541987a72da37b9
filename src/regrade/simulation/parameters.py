"""The knobs of the simulations: checked when made, readable from a plain mapping."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np

from regrade.errors import ParameterError, check_choice, did_you_mean


def knob(default: Any, low: float = -math.inf, high: float = math.inf, choices: Sequence = ()):
    """A field with a default, whose values lie in ``[low, high]`` or are among `choices`."""
    return field(default=default, metadata={"bounds": (low, high), "choices": tuple(choices)})


def interval(default: tuple[float, float], low: float = -math.inf, high: float = math.inf):
    """A `knob` of two numbers, the bounds of a uniform draw."""
    return field(default=default, metadata={"bounds": (low, high), "choices": (), "length": 2})


def drawn_as(name: str, seed: int) -> list[str]:
    """What judges are called where they are drawn: by a seed of their own other ones, if not 0."""
    return [name, str(seed)] if seed else [name]


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Base of the parameter sets: every field is a `knob`."""

    def __post_init__(self):
        """Check each value and put it into its default's type."""
        for spec in fields(self):
            name = f"{type(self).__name__}.{spec.name}"
            object.__setattr__(self, spec.name, _checked(name, getattr(self, spec.name), spec))

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> Self:
        """Make from a mapping; keys that are left out keep their defaults."""
        known = [spec.name for spec in fields(cls)]
        for key in mapping:
            if key not in known:
                raise ParameterError(
                    f"{cls.__name__}: unknown key {key!r}{did_you_mean(key, known)}"
                )
        return cls(**mapping)


def _checked(name: str, value: Any, spec) -> Any:
    """The value in the type of the field's default, or a `ParameterError`."""
    default, choices = spec.default, spec.metadata["choices"]
    if choices:
        check_choice(name, value, choices)
        return value
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ParameterError(f"{name} is {value!r}: use true or false")
        return value
    low, high = spec.metadata["bounds"]
    if isinstance(default, tuple):
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise ParameterError(f"{name} is {value!r}: use a list of numbers")
        numbers = tuple(_number(name, v, float, low, high) for v in value)
        if list(numbers) != sorted(numbers):
            raise ParameterError(f"{name} is {list(numbers)}: put the lower number first")
        if len(numbers) != spec.metadata.get("length", len(numbers)):
            raise ParameterError(f"{name} is {list(numbers)}: use two numbers, [low, high]")
        return numbers
    return _number(name, value, type(default), low, high)


def _number(name: str, value: Any, kind: type, low: float, high: float) -> float:
    wanted = "a whole number" if kind is int else "a number"
    allowed = (int, np.integer) if kind is int else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, allowed):
        raise ParameterError(f"{name} is {value!r}: use {wanted}")
    if not (low <= value <= high and math.isfinite(value)):
        upper = f" and at most {high:g}" if high < math.inf else ""
        raise ParameterError(f"{name} is {value}: use {wanted} of at least {low:g}{upper}")
    return kind(value)
