"""What goes wrong with a user's input, said so that the user can mend it."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from os import PathLike

SHOWN = 5
"""How many of many problems of one kind a message lists."""


LISTED = 20
"""How many known names a message lists."""

FAILED = "regrade: what failed, and what to do:"
"""The line before what is said of jobs that failed, last of all that a run prints."""


def did_you_mean(name: object, known: Iterable[object], otherwise: str | None = None) -> str:
    """End of a message about an unknown name.

    Parameters
    ----------
    name
        The unknown name.
    known
        The known ones; case does not count in the comparison.
    otherwise
        What to say where none is near; ``None``: what is known.

    Returns
    -------
    str
        ``"; did you mean 'x'?"`` with the known name nearest to `name`, else `otherwise`.
    """
    known = list(map(str, known))
    folded = {word.casefold(): word for word in reversed(known)}  # of equal ones the first
    near = difflib.get_close_matches(str(name).casefold(), folded, n=1)
    if near:
        return f"; did you mean '{folded[near[0]]}'?"
    if otherwise is not None:
        return otherwise
    listed = ", ".join(known[:LISTED]) + (", …" if len(known) > LISTED else "")
    return f"; there is {listed}" if known else ""


def check_choice(what: str, value: object, known: Collection[object]) -> None:
    """Raise a `ParameterError` where `value` is none of the `known` ones.

    `what` is what the value stands for, in the user's words: the name of the parameter.
    """
    if value not in known:
        raise ParameterError(f"unknown {what} {value!r}{did_you_mean(value, known)}")


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


class InputErrors(InputError):
    """Several files do not hold what they should.

    Parameters
    ----------
    errors
        One `InputError` per file, in the order of the files.
    """

    def __init__(self, errors: Sequence[InputError]):
        self.errors = list(errors)
        self.path = self.errors[0].path
        self.problems = [problem for error in self.errors for problem in error.problems]
        self.remedy = ""
        parts = [str(error) for error in self.errors[:SHOWN]]
        if len(self.errors) > SHOWN:
            parts.append(f"… and {len(self.errors) - SHOWN} more of {len(self.errors)} files")
        RegradeError.__init__(self, "\n".join(parts))


class MethodError(RegradeError):
    """A method was asked of data that cannot serve it."""


class ParameterError(RegradeError):
    """A parameter's value (a measure's name, a level, a rule) cannot be used."""
