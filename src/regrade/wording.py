"""What messages, sentences and figures say of numbers and of names alike."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 5
"""How many of many problems of one kind, or of many names, a message lists."""


def first_few(names: Sequence[str], most: int = SHOWN) -> str:
    """``a, b, …``: so many of the names."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def counted(count: float, noun: str, plural: str = "") -> str:
    """``1,234 pairs``, ``1 pair``."""
    return f"{count:,.0f} {noun if count == 1 else plural or noun + 's'}"
