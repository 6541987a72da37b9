"""How far long work is, for whoever shows it; the library itself prints nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(eq=False)
class Loop:
    """Parts of the same kind: which, how many, and how many of them are done."""

    parts: str
    total: int
    done: int = 0


@dataclass
class Progress:
    """What this process is at."""

    loops: list[Loop]
    """Those that have begun and not ended, the outermost first."""
    kernels: int = 0
    """Specialisations of kernels that were compiled, the one at work too."""


now = Progress([])


def tracked(results: Iterable, parts: str, total: int) -> Iterator:
    """The results of parts, such as those of a pool's ``map``, with how many there were so far."""
    loop = Loop(parts, total)
    now.loops.append(loop)
    try:
        for one in results:
            loop.done += 1
            yield one
    finally:
        now.loops.remove(loop)
