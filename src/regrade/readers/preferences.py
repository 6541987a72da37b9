"""Preferences: which of two documents somebody prefers, and how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import NAMED_COLUMNS, PREFERENCE_FORMATS
from regrade.errors import InputError, ParameterError, check_choice
from regrade.readers.lines import Column, Problems
from regrade.readers.records import tab_separated
from regrade.readers.rows import (
    Rows,
    completed,
    keep_topics,
    mask,
    once_in_units,
    renamed,
    unguarded,
)
from regrade.readers.spellings import TOLD, called, plain
from regrade.readers.values import Leaving, on_scale
from regrade.scales import Scale, signed

if TYPE_CHECKING:
    from regrade.readers.sources import InputTable

_HEADED = ("topic", "left", "right", "preferred", "strength", "probability", "worker", "unit",
           "position")  # fmt: skip
_NUMBERS = {"position": pa.int32(), "seconds": pa.float64(), "partition": pa.int32()}
_SCORES = ("left_score", "right_score")
_FLAGS = ("left_relevant", "right_relevant", "trusted", "test")
_NAMES = {name: name for name in (*_HEADED, *_NUMBERS, *_SCORES, *_FLAGS)}
_REQUIRED = ("topic", "left", "right")
# columns of lines without a header; their documents stand in no known order
_LINES = {
    "pair-winner": ("topic", "left", "right", "preferred"),
    "winner-loser": ("topic", "left", "right"),
}
_LEFT, _TIE, _RIGHT = -1.0, 0.0, 1.0
_TIES = ("tie", "tied", "draw", "equal", "both", "neither", "tie (bothbad)", "bothbad", "both_bad",
         "both_good")  # fmt: skip
"""What is said of two documents of which none is preferred, in small letters."""


def read_preferences(
    path: str | PathLike,
    *,
    scale: Scale | None = None,
    topics: Iterable[str] | None = None,
    format: str = "tsv",
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    unit: str | Sequence[str] | None = None,
    worker: str | None = None,
    off_scale: str = "refuse",
    itself: str = "refuse",
    left_out: Counter | None = None,
) -> pa.Table:
    """Read preferences between two documents of a topic."""
    check_choice("format", format, PREFERENCE_FORMATS)
    counts = Counter() if left_out is None else left_out
    off = Leaving(off_scale, "off_scale", counts)
    same = Leaving(itself, "itself", counts)
    scale = None if scale is None else signed(scale)
    rows = _rows(path, format, columns, worker).where(where or {}, counts)
    numbers = {name: rows.optional(name, kind) for name, kind in _NUMBERS.items()}
    numbers |= {name: rows.optional(name, pa.float64(), signed=True) for name in _SCORES}
    first_won = format == "winner-loser" or bool(called([rows.names["right"]], "loser"))
    strength = _strength(rows, numbers, first_won)
    if isinstance(strength, Column):
        strength = on_scale(strength, scale, off)
    columns = {
        **{name: rows.identifiers(name) for name in _REQUIRED},
        "sides": np.full(len(rows), format not in _LINES and not first_won),
        "worker": rows.optional_names("worker"),
        "unit": rows.units(unit),
        "strength": strength,
        **numbers,
        **{name: rows.flags(name) for name in _FLAGS},
        "line": pa.array(rows.line, pa.int32()),
    }
    table = pa.table(columns).filter(pc.is_valid(strength))
    alike = pc.equal(table["left"], table["right"])
    if pc.any(alike).as_py():
        of_itself = table.filter(alike)
        reasons = (
            f"document {docno} of topic {topic} is compared with itself"
            for topic, docno in zip(of_itself["topic"], of_itself["left"], strict=True)
        )
        summary = "a document compared with itself"
        same.apply(of_itself["line"].to_numpy(), reasons, summary, rows.problems)
        table = table.filter(pc.invert(alike))
    key = ("topic", "left", "right", "worker")
    again = "worker {worker} compares {left} and {right} again for topic {topic} in unit {unit}"
    table = once_in_units(table, key, again, counts, rows.problems, _by_name)
    rows.problems.raise_if_any()
    if format in _LINES:
        table = _by_name(table)
    table = keep_topics(table, topics, path, counts).select(columns_of("preferences"))
    columns = dict(zip(table.column_names, table.columns, strict=True))
    return completed(columns, SCHEMAS["preferences"], [name for name in columns if name != "sides"])


def preferences_of_rows(rows: InputTable, missing: str) -> pa.Table:
    """Preferences of a frame or of named columns, in their order."""
    column = next((name for name in TOLD if name in rows), None)
    if column is not None:
        rows = rows.with_values(column, missing)
    first_won = "loser" in rows and "winner" in rows
    if not first_won and (column is None or not {"left", "right"} <= rows.names.keys()):
        raise ParameterError(
            f"{rows.path} needs columns for left, right and winner (or strength, probability), or "
            f"for winner and loser (its columns: {', '.join(rows.raw.column_names)}): name them, "
            "columns={'winner': …} of read_preferences, --columns winner=… in a command"
        )
    first, second = ("winner", "loser") if first_won else ("left", "right")
    topic, left, right = (unguarded(rows.identifiers(name)) for name in ("topic", first, second))
    strength = np.full(len(rows), _LEFT) if first_won else _stated(rows, column, left, right)
    same = mask(pc.equal(left, right))
    rows.refuse(second, same, "is compared with itself", "Leave such rows out.")
    columns = {
        **{"topic": topic, "left": left, "right": right},
        "sides": np.full(len(rows), not first_won),
        "worker": unguarded(rows.optional_identifiers("worker")),
        "unit": rows.optional_identifiers("unit"),
        "strength": strength,
    }
    return completed(columns, SCHEMAS["preferences"])


def _stated(rows: InputTable, name: str, left: pa.Array, right: pa.Array) -> np.ndarray:
    """Strengths by one of `TOLD`: −1 where the left document won, 1 the right one, 0 for a tie."""
    if name == "probability":
        share = rows.numbers(name)
        rows.refuse(name, (share < 0) | (share > 1), "is not from 0 to 1")
        return 1 - 2 * share
    if name == "strength":
        return rows.numbers(name)
    remedy = "Fill it in, or leave such rows out (missing='drop', --missing drop)."
    rows.refuse(name, mask(rows.optional_identifiers(name).is_null()), "is empty", remedy)
    columns = unguarded(rows.identifiers(name)), left, right
    won = strengths_of_winners(*(column.to_pylist() for column in columns), rows.names)
    remedy = "Write the document, its side (left, right, A, B, or the name of its column) or tie."
    reason = "is not one of the two documents, left, right or tie"
    rows.refuse(name, np.isnan(won), reason, remedy)
    return won


def _rows(
    path: str | PathLike, format: str, columns: Mapping[str, str] | None, worker: str | None
) -> Rows:
    """The rows of any format under names of ours, with the worker of a file that names nobody."""
    problems = Problems(path)
    if format in NAMED_COLUMNS:
        rows = Rows.headed(format, renamed(_NAMES, columns), _REQUIRED, problems)
        raw = rows.raw
        for ours in (name for name in (*_REQUIRED, "preferred", "worker") if name in rows):
            name = rows.names[ours]
            raw = raw.set_column(raw.column_names.index(name), name, unguarded(raw[name]))
        rows = replace(rows, raw=raw)
    elif columns:
        raise ParameterError(f"columns: only for files that name them, not for format: {format}")
    elif format == "image-preferences":
        rows = _of_images(problems)
    else:
        fields = _LINES[format]
        problems.remedy = f"A line is: {' '.join(fields)}."
        rows = Rows.blank_separated(fields, _NAMES, problems)
    if worker is None:
        return rows
    if "worker" in rows:
        raise ParameterError(f"worker: {worker!r} is only for files that name no worker")
    return rows.by_worker(worker)


def _of_images(problems: Problems) -> Rows:
    """A row per assessor: the file's lines are topic, two images with a comma, three strengths."""
    fields = ("topic", "pair", "1", "2", "3")
    # its first line has three columns for the five
    table, line = tab_separated((), problems, names=fields)
    pair = pc.split_pattern(table["pair"], ",")
    count = pc.list_value_length(pair).to_numpy()
    reason = "images where there should be 2"
    problems.report(line, count != 2, lambda row: f"names {count[row]} {reason}")
    kept = pa.array(count == 2)
    table, line, pair = table.filter(kept), line[count == 2], pair.filter(kept)
    documents = {"left": pc.list_element(pair, 0), "right": pc.list_element(pair, 1)}
    columns = {"topic": table["topic"], **documents}
    assessors = [
        pa.table({**columns, "worker": pa.array([name] * len(table)), "strength": table[name]})
        for name in fields[2:]
    ]
    return Rows(pa.concat_tables(assessors), np.tile(line, 3), _NAMES, problems)


def _strength(rows: Rows, numbers: Mapping[str, pa.Array], first_won: bool) -> Column | pa.Array:
    """Who wins and how much: below 0 for the left document; of scores −1, 0 or 1, on no scale."""
    if first_won:
        return Column(pa.array(np.full(len(rows), _LEFT)), rows.line, "strength", rows.problems)
    stated = [name for name in ("preferred", "strength", "probability") if name in rows]
    if stated[:1] == ["preferred"] and stated[-1] == "probability":
        stated.pop()  # of whoever won
    if not stated and all(name in rows for name in _SCORES):
        left, right = (numbers[name] for name in _SCORES)
        missing = mask(pc.or_(pc.is_null(left), pc.is_null(right)))
        rows.problems.report(rows.line, missing, lambda row: "lacks one of two scores")
        return pc.sign(pc.subtract(right, left))
    if len(stated) != 1:
        several = " and ".join(rows.names[name] for name in stated) or "neither"
        raise InputError(
            rows.path,
            [(None, f"has {several} where one of preferred, strength and probability is needed")],
            "Give with `columns` the column of the preferred document, or the two columns "
            "of scores.",
        )
    column = rows.column(stated[0])
    if stated == ["preferred"]:
        won, left, right = (rows.text(n).to_pylist() for n in ("preferred", "left", "right"))
        strength = strengths_of_winners(won, left, right, rows.names)
        column.report(
            np.isnan(strength),
            lambda row: (
                f"{column.name} {won[row]!r} is neither {left[row]}, {right[row]}, left, right nor "
                "tie"
            ),
        )
        return replace(column, values=pa.array(strength, from_pandas=True))
    if stated == ["probability"]:  # p of a win of the left document: 1 − 2p
        share = column.numbers(pa.float64())
        wrong = pc.fill_null(pc.or_(pc.less(share, 0.0), pc.greater(share, 1.0)), False)
        reason = "is not a probability, 0 to 1"
        column.report(mask(wrong), lambda row: f"{column.name} {share[row].as_py():g} {reason}")
        return replace(column, values=pc.subtract(1.0, pc.multiply(2.0, share)))
    return column


def strengths_of_winners(
    answers: Sequence[str], left: Sequence[str], right: Sequence[str], names: Mapping[str, str]
) -> np.ndarray:
    """How much the right document is preferred, from what is said of each pair."""
    of_word = dict.fromkeys(_TIES, _TIE)
    for side, strength in (("left", _LEFT), ("right", _RIGHT)):
        called = plain(names[side])
        of_word |= dict.fromkeys((side, called, called.rpartition("_")[2]), strength)
    letters = {"a": _LEFT, "b": _RIGHT} | of_word

    def strength_of(answer: str, first: str, second: str) -> float:
        if answer in (first, second):
            return _LEFT if answer == first else _RIGHT
        word = answer.lower()
        # a letter is no side where it may be a document
        return (of_word if word in (first.lower(), second.lower()) else letters).get(word, np.nan)

    strengths = map(strength_of, answers, left, right)
    return np.fromiter(strengths, np.float64, len(answers))


def _by_name(table: pa.Table) -> pa.Table:
    """The pairs with their documents in order of name, the preferences turned with them."""
    turned = pc.greater(table["left"], table["right"])
    # 0 − x, since −x makes a tie −0
    columns = {"strength": pc.subtract(0.0, table["strength"])}
    for side, other in (("left", "right"), ("right", "left")):
        columns |= {side + of: table[other + of] for of in ("", "_score", "_relevant")}
    for name, other in columns.items():
        column = pc.if_else(turned, other, table[name])
        table = table.set_column(table.column_names.index(name), name, column)
    return table
