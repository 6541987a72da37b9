"""How a file is written, told by how it begins."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NoReturn

import numpy as np
import pyarrow as pa

from regrade.errors import InputError, ParameterError
from regrade.readers.encodings import (
    check_text,
    is_workbook,
    read_bytes,
    read_head,
    read_lines,
    without_comments,
)
from regrade.readers.lines import Problems, are_origins, blank_separated, is_number, quoted
from regrade.readers.records import is_array
from regrade.readers.shapes import ANSWERS, QUESTIONS, TASKS, TOTALS
from regrade.readers.spellings import SPELLINGS, plain

_KNOWN = {*QUESTIONS, *ANSWERS, *TASKS, "measure", "metric"}.union(*SPELLINGS.values())
"""What columns are called."""

_LOOKED_AT = 20
"""Lines by which it is told whether the first one has names."""


def table_or_text(path: str | os.PathLike) -> tuple[str | None, bytes]:
    """``xlsx`` or ``parquet`` of a file of such a kind; or how any other, a text, begins."""
    if is_workbook(path):
        return "xlsx", b""
    data = read_head(path)
    if data.startswith(b"PAR1"):
        return "parquet", data
    check_text(path, data)
    return None, data


def headed_format(path: str | os.PathLike, columns: Mapping[str, str] | None = None) -> str | None:
    """How a file with named columns is written: one of `regrade.choices.NAMED_COLUMNS`.

    ``None``: the first line names no columns that we know, as in TREC's files.
    """
    format, data = table_or_text(path)
    if format is not None:
        return format
    if data.lstrip().startswith(b"#"):
        comment = data.lstrip().splitlines()[0].decode("utf-8", "replace")
        data = without_comments(data)
        if not data.strip():
            data = read_lines(path)
    else:
        comment = ""
    first = next((line for line in data.splitlines() if line.strip()), b"")
    text = first.decode("utf-8", "replace").strip()
    if text.startswith("{") or is_array(data):
        return "jsonl"
    known = _KNOWN | {plain(name) for name in (columns or {}).values()}

    def knows(line: str, mark: str) -> bool:
        """Whether a line has names of columns that we know, between marks."""
        return len({plain(name.strip('"')) for name in line.split(mark)} & known) > 1

    for ending, mark in (("tsv", "\t"), ("csv", ","), ("csv", ";")):
        if knows(text, mark):
            if comment:
                _refuse_before_names(path, comment)
            return ending
    if layout_of(path, data):
        return "scores"
    if _EXAMPLE.fullmatch(text):
        return "letor"
    if knows(text, "|"):
        problem = f"has columns between |: {quoted(text)}"
        raise InputError(path, [(1, problem)], "Put commas, semicolons or tabs in place of them.")
    lines = data.split(b"\n", _LOOKED_AT)[1:_LOOKED_AT]
    below = [line.decode("utf-8", "replace").rstrip("\r") for line in lines]
    second = next(filter(None, map(str.strip, below)), "")
    for mark in "\t,;":
        if knows(second, mark) and len(text.split(mark)) != len(second.split(mark)):
            _refuse_before_names(path, text)
    _refuse_other_names(path, text, below)
    return None


def _refuse_before_names(path: str | os.PathLike, line: str) -> NoReturn:
    problem = f"stands before the line that names the columns: {quoted(line)}"
    raise InputError(path, [(1, problem)], "Delete it.")


def _refuse_other_names(path: str | os.PathLike, first: str, below: Sequence[str]) -> None:
    """Refuse a first line of names that we do not know, which stand over numbers."""
    for mark in "\t,;":
        names = first.split(mark)
        rows = [row for line in below if len(row := line.split(mark)) == len(names)]
        are_numbers = (all(map(is_number, column)) for column in zip(*rows, strict=True))
        if len(names) > 2 and not any(map(is_number, names)) and any(are_numbers):
            if "\ufffd" in first:
                raise InputError(path, [(1, "is not UTF-8")], "Save the file as UTF-8.")
            problem = f"its columns ({', '.join(names)}) have unknown names"
            remedy = (
                "Rename them (topic, docno, grade …), or give their names: "
                f"columns={{'topic': '{names[0]}', …}}, --columns topic=… in a command."
            )
            raise InputError(path, [(1, problem)], remedy)


# --- scores of runs, as ir_measures and AutoJudge (``tot``) write them ----------------------------

LAYOUTS = (
    ("run", "topic", "measure", "value"),
    ("run", "measure", "topic", "value"),
    ("topic", "run", "measure", "value"),
)
"""What the fields are: of ir_measures, of ``tot``, and of ``rag4reports``."""

ITERATIONS = ("0", "Q0", "q0")
"""What stands in the second field of qrels."""

_TOTAL = re.compile(rb"(?m)(?:^|[ \t])(%s)[ \t]" % "|".join(TOTALS).encode())
"""A field that may stand for all topics."""


def layout_of(path: str | os.PathLike, head: bytes | None = None) -> tuple[str, ...] | None:
    """What the fields of a file's lines are, as `layout` tells it of the whole file.

    More than the beginning is read only where that is neither of qrels nor of another width: the
    first line for all topics may follow thousands of others.
    """
    lines = _fields(without_comments(read_head(path) if head is None else head))
    names = _layout(lines)
    is_other = any(len(line) != len(LAYOUTS[0]) or line[1] in ITERATIONS for line in lines)
    if names or is_other or not lines:
        return names
    data = without_comments(read_bytes(path))
    total = line_of_total(data)
    return layout(total + b"\n") if total else None


def line_of_total(data: bytes) -> bytes:
    """The first line with a field that may stand for all topics; empty where there is none."""
    total = _TOTAL.search(data)
    if not total:
        return b""
    start, stop = data.rfind(b"\n", 0, total.start(1)) + 1, data.find(b"\n", total.end())
    return data[start : stop if stop >= 0 else None]


def layout(head: bytes) -> tuple[str, ...] | None:
    """What the fields of lines are, told by how a file begins."""
    return _layout(_fields(head))


def _fields(head: bytes) -> list[list[str]]:
    """The fields of the lines that a beginning holds whole."""
    lines = [line.split() for line in head.decode("utf-8", "replace").splitlines()]
    lines = list(filter(None, lines))
    return lines if head.endswith(b"\n") else lines[:-1]


def _layout(lines: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
    if all(len(line) == len(LAYOUTS[0]) for line in lines):
        scores = [line for line in lines if line[1] not in ITERATIONS]
        for names in LAYOUTS:
            topic = names.index("topic")
            if any(line[topic] in TOTALS for line in scores):
                return names
    return None


def run_scores(required: Sequence[str], problems: Problems) -> tuple[pa.Table, np.ndarray]:
    """Read such lines: columns run, topic, measure and value as text, and the lines' numbers."""
    names = layout_of(problems.path) or LAYOUTS[0]
    table = blank_separated(dict.fromkeys(names, pa.string()), problems)
    return table.drop_columns("line"), table["line"].to_numpy()


# --- examples to learn to rank from, as LETOR and RankLib have them -------------------------------

_EXAMPLE = re.compile(r"(\S+)\s+qid:([^\s#]+)((?:\s+[^\s#:]+:[^\s#]+)*)\s*(?:#\s*(.*))?")
"""A grade, the topic, features, and behind # what document it is."""

_DOCID = re.compile(r"docid\s*[=:]\s*(\S+)", re.IGNORECASE)


def letor_lines(required: Sequence[str], problems: Problems) -> tuple[pa.Table, np.ndarray]:
    """Read such lines: columns topic, docno and grade as text, and the lines' numbers."""
    rows, lines, wrong = [], [], []
    text = read_lines(problems.path).decode("utf-8", "replace")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        example = _EXAMPLE.fullmatch(line.strip())
        info = (example[4] or "").split() if example else []
        if not info:
            names = "names no document behind #" if example else "is no example"
            wrong.append((number, f"{names}: {quoted(line)}"))
            continue
        docid = _DOCID.match(example[4])
        rows.append((example[2], docid[1] if docid else info[0], example[1]))
        lines.append(number)
    problems.add([number for number, _ in wrong], (reason for _, reason in wrong))
    if wrong:
        problems.advise("A line is: grade qid:topic feature:value … # docno.")
        problems.raise_if_any()
    columns = zip(*rows, strict=True)
    named = {
        name: pa.array(of) for name, of in zip(("topic", "docno", "grade"), columns, strict=True)
    }
    return pa.table(named), np.array(lines, dtype=np.int32)


# --- what files without named columns hold ------------------------------------------------------

_IMAGES = ["Query", "Image_pair(Search"]
"""How the published preferences between images begin."""

_NO_NAMES = "columns are found by their names: give the file a first line of names, "


def _first_lines(path: str | os.PathLike) -> list[list[str]]:
    """The fields of the first hundred lines that are not blank; there is one at least."""
    lines = (line.split() for line in read_lines(path).decode("utf-8", "replace").splitlines())
    first = list(islice(filter(None, lines), 100))
    if not first:  # but for characters that are blank beyond ASCII
        raise InputError(path, [(None, "is empty")])
    return first


def format_of_pairs(path: str | os.PathLike) -> str:
    """How lines of preferences without names of ours are written, or seem to be."""
    is_wide = len(_first_lines(path)[0]) == 4
    return certain_format(path) or ("pair-winner" if is_wide else "winner-loser")


def certain_format(path: str | os.PathLike) -> str | None:
    """How such lines are written where they can be nothing else, so that nobody need say it.

    Those of three names are not: which of two documents won, no line tells.
    """
    lines = _first_lines(path)
    if lines[0][:2] == _IMAGES:
        return "image-preferences"
    return "pair-winner" if len(lines[0]) == 4 and _are_pairs(lines) else None


def are_ranks(lines: Sequence[Sequence[str]]) -> bool:
    """Whether lines of three fields end with ranks, which count from 1 in each topic."""
    counts: Counter[str] = Counter()
    for line in lines:
        counts[line[0]] += 1
        if len(line) != 3 or line[2] != str(counts[line[0]]):
            return False
    return max(counts.values(), default=0) > 1


def _are_pairs(lines: Sequence[Sequence[str]]) -> bool:
    """Whether lines of four fields end with one of the two before: topic, documents, winner."""
    lines = [line for line in lines if len(line) == 4]
    return all(line[3] in {*line[1:3], "tie"} and line[1] != line[2] for line in lines) and any(
        line[3] != line[1] or not is_number(line[3]) for line in lines
    )


def kind_of_lines(file: str | os.PathLike) -> str:
    """What a file without named columns holds; see `regrade.readers.sources.kind_of`."""
    lines = _first_lines(file)
    fields = lines[0]
    if "famil" in os.path.basename(file).lower():  # noqa: PTH119
        return "families"
    if len(fields) <= 2 and "".join(fields).count(",") >= 2:
        raise ParameterError(f"{file}: {_NO_NAMES}such as topic,docno,grade")
    if fields[:2] == _IMAGES:
        return "preferences"
    if are_origins(lines):
        return "origins"
    if len(fields) == 3 and are_ranks(lines):
        return "runs"
    if len(fields) == 2:
        return _kind_of_two_fields(file, lines)
    if len(fields) == 4:
        return "preferences" if _are_pairs(lines) else "qrels"
    if len(fields) in (5, 6):
        return {5: "sample", 6: "runs"}[len(fields)]
    if len(fields) == 3 and not is_number(fields[2]):
        return "preferences"
    raise ParameterError(
        f"{file}: a first line of {len(fields)} fields is neither a run (6), qrels (4) nor groups "
        f"(2). {_NO_NAMES}such as topic, docno, grade between tabs"
    )


def _kind_of_two_fields(file: str | os.PathLike, lines: Sequence[Sequence[str]]) -> str:
    """Groups of runs, or families, where a run is in several."""
    names, kinds = {line[0] for line in lines}, {line[-1] for line in lines}
    if len(names) == len(lines):
        return "groups"
    if len(kinds) < len(names) and not any(map(is_number, kinds)):
        return "families"
    raise ParameterError(
        f"{file}: lines of two fields with a repeated first field may be a run or "
        "labels: give the file a header line, such as topic, docno, rank or topic, "
        "docno, grade"
    )
