"""Names and values as a configuration has them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping

from regrade.choices import NAMED_COLUMNS
from regrade.scales import exactly

_PLAIN = (*NAMED_COLUMNS, "pair-winner", "winner-loser", "image-preferences", "drop")
"""Words that stand without quotes."""
_NUMBER = re.compile(r"[\d.+-]*(e[\d.+-]+)?|0[xo][\da-f]+", re.IGNORECASE)
"""Numbers and dates: 2019, 12.5, 1.0e+5, 0x1f, 2019-05-01."""
_TRUTHS = ("yes", "no", "on", "off", "true", "false", "null")


def called(name: str, taken: Collection[str]) -> str:
    """A name that may stand in a configuration, once, and that YAML reads as text."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in ".+-") else "-" for c in name)
    plain = plain.lstrip(".+-") or "set"
    if plain.lower() in _TRUTHS or _NUMBER.fullmatch(plain):
        plain = f"set-{plain}"
    numbers = (f"{plain}-{n}" for n in range(2, len(taken) + 3))
    return plain if plain not in taken else next(n for n in numbers if n not in taken)


def written(value: object) -> str:
    """A value as YAML has it, on one line."""
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)}: {written(one)}" for key, one in value.items())
        return f"{{{inside}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, float):
        return exactly(value)
    return value if value in _PLAIN else json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if name.isidentifier() and name.lower() not in _TRUTHS else json.dumps(name)
