"""Judges on different scales: which rules take labels as numbers, and map scales to 0 to 1."""

from __future__ import annotations

from math import isfinite

from regrade.choices import CONSENSUS_RULES
from regrade.errors import ParameterError
from regrade.scales import Scale

NUMBERS = tuple(rule for rule in CONSENSUS_RULES if rule.startswith(("mean", "median")))
"""Rules that take labels as numbers."""

BETWEEN = ("mean", "median")
"""Rules whose labels may lie between two levels."""


def check_rescaled(by: str, *scales: Scale) -> None:
    """Refuse what cannot be mapped onto 0 to 1: labels that a rule counts, scales without ends.

    Raises
    ------
    ParameterError
        It says what else to do.
    """
    if by not in NUMBERS:
        raise ParameterError(
            f"rescale makes numbers between 0 and 1, and {by} counts equal labels: use "
            f"{', '.join(NUMBERS[:-1])} or {NUMBERS[-1]}, or cut the sets to the same levels"
        )
    if endless := [scale for scale in scales if not isfinite(scale.high - scale.low)]:
        raise ParameterError(f"rescale maps a scale's ends onto 0 and 1, and {endless[0]} has none")


def consensus_scale(by: str, common: Scale, *, rescaled: bool) -> Scale:
    """The scale of a consensus of judges on a common scale."""
    if rescaled:
        return Scale.of({"range": [0.0, 1.0]})
    if by in BETWEEN and common.finite:
        return Scale.of({"range": [float(common.low), float(common.high)]})
    return common
