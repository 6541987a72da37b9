"""What messages, sentences and figures say of numbers and of names alike."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

SHOWN = 5
"""How many of many problems of one kind, or of many names, a message lists."""

WORDS_ALONE = "words-alone"
"""The id, in a figure's file, of what stands where there is nothing to draw."""

FEWEST_DRAWN = 3
"""Points of which there is a figure: fewer are read sooner in words."""

AS_ZERO = " (TREC's junk), read as 0"
"""How the reason ends for which rows are read otherwise than they stand."""


def first_few(names: Sequence[str], most: int = SHOWN) -> str:
    """``a, b, …``: so many of the names."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def rows_text(count: int, reason: str) -> str:
    """``3 rows are left out: …``; of TREC's junk, which is read otherwise than it stands, that."""
    left_out = f"{to_be(count)} left out:"
    return f"{counted(count, 'row')} {'with' if reason.endswith(AS_ZERO) else left_out} {reason}"


def to_be(count: float) -> str:
    """``is`` of one, ``are`` of others."""
    return "is" if count == 1 else "are"


def counted(count: float, noun: str, plural: str = "") -> str:
    """``1,234 pairs``, ``1 pair``."""
    return f"{count:,.0f} {noun if count == 1 else plural or noun + 's'}"


def number(value: float | None, decimals: int = 3, missing: str = "–") -> str:
    """A number as people read it: ``−1,234.500``, never −0; a dash where there is none."""
    if value is None or value != value:
        return missing
    return f"{value:z,.{decimals}f}".replace("-", "−")


def as_text(value: object) -> str:
    """A value of a configuration: a text as it is, all else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


_TOPIC = re.compile(r"(?<![\w@/.`-])([Tt])opic(s?)(?![\w@(/`-])")


def about_items(text: str) -> str:
    """A text that speaks of items where it spoke of topics, as scores by item need not be of these.

    Examples
    --------
    >>> about_items("Topics needed: 53 topics of topic-7")
    'Items needed: 53 items of topic-7'
    """
    return _TOPIC.sub(lambda topic: ("Item" if topic[1] == "T" else "item") + topic[2], text)
