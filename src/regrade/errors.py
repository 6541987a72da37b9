"""What goes wrong with a user's input, said so that the user can mend it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from os import PathLike

SHOWN = 5
"""How many of many problems of one kind a message lists."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """``"; did you mean 'x'?"`` with the known name nearest to `name`, or what is known."""
    known = list(map(str, known))
    folded = {word.casefold(): word for word in known}
    near = difflib.get_close_matches(str(name).casefold(), folded, n=1)
    if near:
        return f"; did you mean '{folded[near[0]]}'?"
    listed = ", ".join(known[:20]) + (", …" if len(known) > 20 else "")
    return f"; there is {listed}" if known else ""


class RegradeError(Exception):
    """Base of every error that a user of regrade can mend.

    Scripts print its message without a traceback and exit with a non-zero status.
    """


class InputError(RegradeError):
    """A file does not hold what it should.

    Parameters
    ----------
    path
        The file.
    problems
        One ``(line, reason)`` per problem, in file order; `line` counts from 1 and
        is ``None`` where the problem is the whole file's.
    remedy
        What the user can do about it.
    total
        The number of problems where `problems` holds only the first of them.
    """

    def __init__(
        self,
        path: str | PathLike,
        problems: Sequence[tuple[int | None, str]],
        remedy: str = "",
        total: int | None = None,
    ):
        self.path = str(path)
        self.problems = list(problems)
        self.remedy = remedy
        total = len(self.problems) if total is None else total
        lines = [
            f"{self.path}:{line}: {reason}" if line is not None else f"{self.path}: {reason}"
            for line, reason in self.problems[:SHOWN]
        ]
        if total > SHOWN:
            lines.append(f"… and {total - SHOWN} more of {total}")
        if remedy:
            lines.append(remedy)
        super().__init__("\n".join(lines))


class MethodError(RegradeError):
    """A method was asked of data that cannot serve it."""


class ParameterError(RegradeError):
    """A parameter's value (a measure's name, a level, a rule) cannot be used."""
