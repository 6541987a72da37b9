"""What goes wrong with a user's input, said so that the user can mend it."""

from __future__ import annotations

import difflib
import errno
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path

from regrade.wording import SHOWN, first_few

LISTED = 20
"""How many known names a message lists."""

QUOTED = 80
"""Characters of a word of a file that a message quotes."""

FAILED = "regrade: what failed, and what to do:"
"""The line before what is said of jobs that failed, last of all that a run prints."""


def did_you_mean(name: object, known: Iterable[object], otherwise: str | None = None) -> str:
    """End of a message about an unknown name."""
    known = list(map(str, known))
    folded = {word.casefold(): word for word in reversed(known)}  # of equal ones the first
    near = difflib.get_close_matches(str(name).casefold(), folded, n=1)
    if near:
        word, composed = folded[near[0]], partial(unicodedata.normalize, "NFC")
        if word != str(name) and composed(word) == composed(str(name)):  # which look the same
            return f"; did you mean {word!a}, not {name!a}?"
        return f"; did you mean '{word}'?"
    if otherwise is not None:
        return otherwise
    return f"; there is {first_few(known, LISTED)}" if known else ""


def near_files(path: str | PathLike, remedy: str = "") -> str:
    """End of a message about a file that is not there: what its folder holds of nearly that
    name.
    """
    path = Path(path).expanduser()
    missing = next((p for p in [*reversed(path.parents), path] if not p.exists()), path)
    try:
        near_names = {p.name.casefold(): p.name for p in missing.parent.iterdir()}
    except OSError:  # no folder, or not to be read
        near_names = {}
    near = difflib.get_close_matches(missing.name.casefold(), near_names, n=_NEAR)
    text = "" if missing == path else f"; there is no folder {missing}"
    names = " or ".join(f"'{near_names[name]}'" for name in near)
    text += f"; did you mean {names}?" if near else ""
    return f"{text}{' ' if near else ': '}{remedy}" if remedy else text


_NEAR = 3
"""So many files of nearly the same name are told of."""


def check_choice(what: str, value: object, known: Collection[object]) -> None:
    """Raise a `ParameterError` where `value` is none of the `known` ones.

    `what` is what the value stands for, in the user's words: the name of the parameter.
    """
    if value not in known:
        raise ParameterError(f"unknown {what} {value!r}{did_you_mean(value, known)}")


def check_braces(path: str) -> None:
    """Refuse a file that the workflow cannot name: Snakemake has no way to escape a wildcard."""
    below = path.removeprefix(str(Path.cwd()))
    if braces := re.search(r"\{\s*\w+\s*(,[^{}]*)?\}", below):
        raise ParameterError(
            f"{path}: Snakemake takes {braces[0]} for a wildcard: rename it, or name a link to it"
        )


class RegradeError(Exception):
    """Base class of all errors that a user of regrade can correct.

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
        self.total = total = len(self.problems) if total is None else total
        lines = [
            f"{self.path}:{line}: {_cut_short(reason)}"
            if line is not None
            else f"{self.path}: {_cut_short(reason)}"
            for line, reason in self.problems[:SHOWN]
        ]
        if total > SHOWN:
            lines.append(f"… and {total - SHOWN} more of {total}")
        if remedy:
            lines.append(remedy)
        super().__init__("\n".join(lines))


def _cut_short(reason: str) -> str:
    """A reason in which what is quoted of a file is not longer than anybody reads."""
    reason = re.sub(rf"\S{{{QUOTED + 1},}}", lambda word: f"{word[0][: QUOTED - 1]}…", reason)
    quoted = rf"'([^'\n]{{{QUOTED + 1},}})'"
    return re.sub(quoted, lambda field: f"'{field[1][: QUOTED - 1]}…'", reason)


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


class StorageError(RegradeError):
    """A file cannot be written for want of space.

    Parameters
    ----------
    path
        The file, or a folder that it was to be in.
    problem
        What the system says.
    written
        How many bytes of it there were by then, and ...
    needed
        ... how many there should be; ``None`` where that is not known.
    """

    def __init__(
        self,
        path: str | PathLike,
        problem: str,
        written: int | None = None,
        needed: int | None = None,
    ):
        self.path, self.problem, self.written, self.needed = str(path), problem, written, needed
        import shutil  # takes a while, and is for errors only

        there = next(folder for folder in Path(path).absolute().parents if folder.exists())
        free = shutil.disk_usage(there).free
        amount = ""
        if needed is not None:
            amount = f"it takes {_size(needed)}, "
        elif written is not None:
            amount = f"{_size(written)} of it were written, "
        super().__init__(
            f"{path}: cannot be written: {problem}: {amount}{_size(free)} are free without it. "
            "Free some space, or put results elsewhere with --directory FOLDER"
        )

    @classmethod
    def of(
        cls, error: BaseException, path: str | PathLike, written: int | None = None
    ) -> StorageError | None:
        """The error in these words, if it is one of space; else ``None``."""
        if not isinstance(error, OSError):
            return None
        if error.errno in _FULL:
            return cls(error.filename or path, _FULL[error.errno], written)
        # as numpy says it
        if error.errno is None and any(words in str(error) for words in _OF_NUMPY):
            return cls(path, _FULL[errno.ENOSPC], written)
        return None


_FULL = {
    errno.ENOSPC: "no space is left on its disk",
    errno.EDQUOT: "the quota of its disk is used up",
    errno.EFBIG: "files may not be that large (ulimit -f)",
}


_OF_NUMPY = ("Not enough free space", "requested and")


def _size(count: int) -> str:
    """Bytes as a person reads them: 17 MB."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 999.5 or unit == "GB":
            break
        count /= 1000
    return f"{count:.0f} {unit}" if count >= 10 else f"{count:.2g} {unit}"


class MethodError(RegradeError):
    """A method was asked of data that cannot serve it."""


class ParameterError(RegradeError):
    """A parameter's value (a measure's name, a level, a rule) cannot be used."""
