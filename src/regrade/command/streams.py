"""What a stream writes of characters that its encoding does not have."""

from __future__ import annotations

import codecs
import json
import re
import sys
import unicodedata
from typing import TextIO

SPELLED = {
    "−": "-", "–": "-", "—": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "…": "...", "·": "*",
    "×": "x", "→": "->", "⟺": "<=>", "≥": ">=", "≤": "<=", "≠": "!=", "±": "+/-", "∞": "inf",
    "√": "sqrt", "²": "^2", "§": "sec. ", "½": "1/2", "′": "'", "∈": "in",
    "✅": "OK", "❌": "X", "━": "-", "●": "*", "\N{NO-BREAK SPACE}": " ",
}  # fmt: skip
"""Signs of sentences in ASCII; Greek letters go by their names."""

_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (\w+)")


def spell(stream: TextIO) -> None:
    """Let a stream write ASCII for what its encoding lacks: ``alpha`` for α, never an error.

    Other characters, as of names in data, are written as in JSON (``\\u00e9``), so that names that
    differ stay apart.
    """
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="regrade")


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_in_ascii, error.object[error.start : error.end])), error.end


def _in_ascii(character: str) -> str:
    if character in SPELLED:
        return SPELLED[character]
    if letter := _GREEK.fullmatch(unicodedata.name(character, "")):
        name = letter[2].lower().replace("lamda", "lambda")
        return name if letter[1] == "SMALL" else name.capitalize()
    return json_escaped(character)


def json_escaped(text: str) -> str:
    """JSON in ASCII."""
    return re.sub(r"[^\x00-\x7f]+", lambda run: json.dumps(run[0])[1:-1], text)


def print_json_text(text: str, end: str = "\n") -> None:
    """Print JSON, in ASCII where the output's encoding lacks a character of it."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json_escaped(text)
    print(text, end=end)


codecs.register_error("regrade", _spelled)
