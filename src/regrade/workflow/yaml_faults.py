"""What is wrong with text that is no YAML, in words that say what to type."""

from __future__ import annotations

import re

import yaml

_VALUE_ABOVE = (
    "the line belongs to nothing above it: give it as many blanks as the keys beside it, or end "
    "the line above with `:`"
)
_TWO_COLONS = "a text that holds `: ` goes in quotes; a second key goes on a line of its own"

_WORDS = (
    (r"could not find expected ':'", "a key has no `:` after it: write `key: value`"),
    (r"found character '\\t'", "a line begins with a tab: indent with blanks"),
    (r"found character '(.)'", "a text that begins with {0} goes in quotes"),
    (r"alphabetic or numeric", 'a text that begins with * or & goes in quotes, as in "*.gz"'),
    (r"chomping|comment or a line break", "a text that begins with | or > goes in quotes"),
    (r"constructor for the tag", "a text that begins with ! goes in quotes"),
    (r"end of stream", "a quote is opened and not closed"),
    (r"unknown escape", "a backslash needs single quotes, as in 'C:\\data'"),
    (
        r"expected ',' or '(.)'",
        "a bracket is not closed by `{0}`, or a comma is missing",
    ),
    (
        r"'<scalar>'",
        "text goes on after a closing quote: put all in quotes of the other kind",
    ),
    (r"found '([\]}])'", "`{0}` closes a bracket that nothing has opened"),
    (r"found '-'", "an item of a list stands beside keys: indent it below the key that it is of"),
    (r"<block end>", "the line is indented otherwise than those beside it: give it as many blanks"),
    (r"sequence entries", "a list begins below its key, a line an item, or is written [a, b]"),
)
"""What the parser says, and what that means."""

_BEGUN = re.compile(r"could not find expected ':'|end of stream|expected ',' or")
"""Faults that the parser meets later than where they are: where it begins is told."""


def described(error: yaml.YAMLError, text: str) -> tuple[int | None, str]:
    """The line of a fault, from 1, if it is known, and what to type, with what stands there."""
    problem, mark = getattr(error, "problem", None), getattr(error, "problem_mark", None)
    if mark is None or problem is None:
        return None, f"{problem or error}".partition("\n")[0]
    if _BEGUN.search(problem) and error.context_mark is not None:
        mark = error.context_mark
    lines = text.splitlines()
    there = lines[mark.line] if mark.line < len(lines) else ""
    excerpt = f"\n    {there.strip()}" if there.strip() else ""
    return mark.line + 1, f"{_in_words(problem, there[: mark.column])}{excerpt}"


def _in_words(problem: str, before: str) -> str:
    """What is wrong; `before` is what stands before it on its line."""
    if problem.startswith("mapping values"):
        return _TWO_COLONS if re.search(r":\s", before) else _VALUE_ABOVE
    for pattern, words in _WORDS:
        if match := re.search(pattern, problem):
            return words.format(*match.groups())
    return problem
