"""Scales that values lie on, and which cuts of one into levels there are.

Plain data, importable at no cost: no numpy in here.
"""

from __future__ import annotations

from regrade.errors import ParameterError

MAX_SOURCE_LEVELS = 101
MAX_LEVELS = 4
"""A transformation has at most this many target levels, hence three thresholds."""


def check_levels(source_levels: int, levels: int) -> None:
    """Refuse a transformation that no cut can make, with `ParameterError`."""
    if not 3 <= source_levels <= MAX_SOURCE_LEVELS:
        raise ParameterError(
            f"a source scale has 3 to {MAX_SOURCE_LEVELS} levels, not {source_levels}"
        )
    if not 2 <= levels <= min(MAX_LEVELS, source_levels - 1):
        raise ParameterError(
            f"{source_levels} levels can be cut into 2 to "
            f"{min(MAX_LEVELS, source_levels - 1)} levels, not {levels}"
        )
