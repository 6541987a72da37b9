"""What a file holds, found by its first lines or the names of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from regrade.errors import ParameterError
from regrade.readers.formats import IMAGES, are_pairs, first_lines, headed_format
from regrade.readers.lines import are_origins, is_number
from regrade.readers.sources import input_table
from regrade.readers.spellings import spelled

_NO_NAMES = "columns are found by their names: give the file a first line of names, "


def kind_of(file: Path) -> str:
    """What a file holds: ``runs``, ``groups``, ``qrels``, ``judgments`` or ``preferences``.

    Or a ``sample``, labels of documents that were chosen at random, or ``origins``, whose runs
    brought each document to a pool.
    """
    return _kind_of_lines(file) if headed_format(file) is None else _kind_of_columns(file)


def _kind_of_columns(file: Path) -> str:
    roles = ("topic", "docno", "worker", "left", "right", "winner", "loser", "system", "rank")
    columns = input_table(file, str(file), ()).raw.column_names
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


def _has(columns: Sequence[str], role: str) -> bool:
    try:
        return role in spelled(columns, "it", (), (role,))
    except ParameterError:  # several could be it
        return True


def _graded(columns: Sequence[str]) -> bool:
    """Whether there is a grade beside what may be a run's score."""
    return _has([name for name in columns if not _has([name], "score")], "grade")


def _kind_of_lines(file: Path) -> str:
    lines = first_lines(file)
    fields = lines[0]
    if len(fields) <= 2 and "".join(fields).count(",") >= 2:
        raise ParameterError(f"{file}: {_NO_NAMES}such as topic,docno,grade")
    if fields[:2] == IMAGES:
        return "preferences"
    if are_origins(lines):
        return "origins"
    if len(fields) == 6:
        return "runs"
    if len(fields) == 4:
        return "preferences" if are_pairs(lines) else "qrels"
    if len(fields) == 3 and not is_number(fields[2]):
        return "preferences"
    if len(fields) == 2:
        return "groups"
    raise ParameterError(
        f"{file}: a first line of {len(fields)} fields is neither a run (6), qrels (4) nor groups "
        f"(2). {_NO_NAMES}such as topic, docno, grade between tabs"
    )
