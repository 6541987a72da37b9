"""What a file holds, found by its first lines or the names of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from regrade.api.inputs import headed_format, input_table, spelled
from regrade.errors import InputError, ParameterError
from regrade.readers.encodings import read_text
from regrade.readers.lines import are_origins, is_number

_NO_NAMES = "columns are found by their names: give the file a first line of names, "
_LOOKED_AT = 100

TOLD = ("strength", "winner", "probability")
"""Columns that say what is preferred; the first there is counts."""

_IMAGES = ["Query", "Image_pair(Search"]
"""How the published preferences between images begin."""


def format_of_pairs(file: Path) -> str:
    """How lines of preferences without names of ours are written, or seem to be."""
    lines = first_lines(file)
    return _certain(lines) or ("pair-winner" if len(lines[0]) == 4 else "winner-loser")


def certain_format(file: Path) -> str | None:
    """How such lines are written where they can be nothing else, so that nobody need say it.

    Those of three names are not: which of two documents won, no line tells.
    """
    return _certain(first_lines(file))


def _certain(lines: list[list[str]]) -> str | None:
    if lines[0][:2] == _IMAGES:
        return "image-preferences"
    return "pair-winner" if len(lines[0]) == 4 and _are_pairs(lines) else None


def kind_of(file: Path) -> str:
    """What a file holds: ``runs``, ``groups``, ``qrels``, ``judgments`` or ``preferences``.

    Or a ``sample``, labels of documents that were chosen at random, or ``origins``, whose runs
    brought each document to a pool.

    Raises
    ------
    RegradeError
        If that cannot be told; saying what to do.
    """
    format = headed_format(file)
    return _kind_of_lines(file) if format is None else _kind_of_columns(file)


def _kind_of_columns(file: Path) -> str:
    roles = ("topic", "docno", "worker", "left", "right", "winner", "loser", "system", "rank")
    columns = input_table(file, str(file), ()).columns
    found = {role for role in roles if _has(columns, role)}
    if "topic" in found and ({"left", "right"} <= found or {"winner", "loser"} <= found):
        return "preferences"
    if not {"topic", "docno"} <= found:
        listed = ", ".join(columns)
        raise ParameterError(
            f"{file}: its columns ({listed}) are neither those of labels (topic, docno, grade), of "
            "judgments (topic, docno, worker, value) nor of preferences (topic, left, right, "
            "preferred): rename them. Which of two result pages is preferred goes under `pages`, "
            "by hand; config/README.md has its keys"
        )
    if _has(columns, "inclusion"):
        return "sample"
    if "worker" in found:
        return "judgments"
    if found & {"system", "rank"} and not _graded(columns):
        return "runs"
    return "qrels"


def _has(columns: Mapping[str, object], role: str) -> bool:
    try:
        return role in spelled(list(columns), "it", (), (role,))
    except ParameterError:  # several could be it
        return True


def _graded(columns: Mapping[str, object]) -> bool:
    """Whether there is a grade beside what may be a run's score."""
    others = [name for name in columns if not _has({name: None}, "score")]
    return _has(dict.fromkeys(others), "grade")


def _kind_of_lines(file: Path) -> str:
    lines = first_lines(file)
    fields = lines[0]
    if len(fields) <= 2 and "".join(fields).count(",") >= 2:
        raise ParameterError(f"{file}: {_NO_NAMES}such as topic,docno,grade")
    if fields[:2] == _IMAGES:
        return "preferences"
    if are_origins(lines):
        return "origins"
    if len(fields) == 6:
        return "runs"
    if len(fields) == 4:
        return "preferences" if _are_pairs(lines) else "qrels"
    if len(fields) == 3 and not is_number(fields[2]):
        return "preferences"
    if len(fields) == 2:
        return "groups"
    raise ParameterError(
        f"{file}: a first line of {len(fields)} fields is neither a run (6), qrels (4) nor groups "
        f"(2). {_NO_NAMES}such as topic, docno, grade between tabs"
    )


def first_lines(file: Path) -> list[list[str]]:
    """The fields of the first lines that are not blank; there is one at least."""
    lines = (line.split() for line in read_text(file).decode("utf-8", "replace").splitlines())
    found = list(islice(filter(None, lines), _LOOKED_AT))
    if not found:  # but for characters that are blank beyond ASCII
        raise InputError(file, [(None, "is empty")])
    return found


def _are_pairs(lines: list[list[str]]) -> bool:
    """Whether lines of four fields end with one of the two before: topic, documents, winner."""
    lines = [line for line in lines if len(line) == 4]
    return all(line[3] in {*line[1:3], "tie"} and line[1] != line[2] for line in lines) and any(
        line[3] != line[1] or not is_number(line[3]) for line in lines
    )
