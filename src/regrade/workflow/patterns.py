"""Patterns that match just some names, short however many there are.

Snakemake writes the pattern of a wildcard into each path that has it, and goes through that text
for each job: with all names one after the other its time grew with their square.  Names of a grid
share their parts, so a pattern that has each part once is as long as the lists of the grid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

Part = tuple  # of characters, and of alternatives: each a tuple of two parts or more
"""A pattern's parts in order."""


def one_of(names: Iterable[str]) -> str:
    """A pattern that matches just these names; without names, nothing."""
    words = sorted(set(names))
    return _text(_pattern(words, 0)) if words else r"(?!)"


def _pattern(words: list[str], start: int) -> Part:
    """What matches the ends of sorted words that begin alike."""
    end = start
    first, last = words[0], words[-1]
    while end < len(first) and first[end] == last[end : end + 1]:
        end += 1
    shared = tuple(first[start:end])
    if len(words) == 1:
        return shared
    by_letter: dict[str, list[str]] = {}
    for word in words:
        by_letter.setdefault(word[end : end + 1], []).append(word)
    return shared + _either(
        [_pattern(alike, end) if key else () for key, alike in by_letter.items()]
    )


def _either(parts: list[Part]) -> Part:
    """One of several parts; what all that end alike end with stands once."""
    by_end: dict[object, list[Part]] = {}
    for part in parts:
        by_end.setdefault(part[-1] if part else None, []).append(part)
    if len(by_end) == 1 and None not in by_end:
        end = 1
        while all(part[-end - 1 : -end] == parts[0][-end - 1 : -end] != () for part in parts):
            end += 1
        return _either([part[:-end] for part in parts]) + parts[0][-end:]
    return (tuple(alike[0] if len(alike) == 1 else _either(alike) for alike in by_end.values()),)


def _text(part: Part) -> str:
    """The pattern as Python's and Snakemake's expressions write it."""
    return "".join(
        re.escape(one) if isinstance(one, str) else f"(?:{'|'.join(map(_text, one))})"
        for one in part
    )
