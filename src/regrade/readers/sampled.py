"""TREC's files of sampled judgments: five fields between blanks, in one of three orders.

- strata (infAP's and its like, ``sample_eval``): ``topic 0 docno stratum grade``; −1: the document
  is in the stratum and was not drawn.  The probability to be chosen is the part of the stratum that
  was drawn.
- probabilities (the Legal track's ``.probs``): ``topic 0 docno grade probability``; a grade below 0
  (gray): the document was drawn, and nothing determined.
- prels (the Million Query and Web tracks): ``topic docno grade method probability``.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.errors import InputError
from regrade.readers.encodings import first_fields
from regrade.readers.lines import Problems, blank_separated, is_number
from regrade.readers.rows import Rows
from regrade.wording import counted

FIELDS = 5

ORDERS = {
    "strata": ("topic", "iteration", "docno", "stratum", "grade"),
    "probabilities": ("topic", "iteration", "docno", "grade", "inclusion"),
    "prels": ("topic", "docno", "grade", "method", "inclusion"),
}
"""What the fields are."""

ALONE = "alone"
"""The column of files that hold drawn documents alone, not how likely others were."""

_REMEDY = (
    "A line is: topic 0 docno stratum grade (-1: not drawn), topic 0 docno grade probability, or "
    "topic docno grade method probability."
)
_NAME_COLUMNS = "Write a first line that names the columns: topic docno grade inclusion chosen."


def has_five_fields(path: str | PathLike) -> bool:
    """Whether a file without named columns begins with a line of five fields."""
    return len(first_fields(path)) == FIELDS


def sampled_lines(path: str | PathLike) -> tuple[pa.Table, np.ndarray]:
    """Columns of text: topic, docno, grade, inclusion, chosen, and stratum or method; their lines.

    Raises
    ------
    InputError
        If a line has another number of fields, or the order of the fields is ambiguous.
    """
    problems = Problems(path, _REMEDY)
    fields = [f"field {i}" for i in range(1, FIELDS + 1)]
    table = blank_separated(dict.fromkeys(fields, pa.string()), problems)
    problems.raise_if_any()
    line = table["line"].to_numpy()
    columns = [table[name].combine_chunks() for name in fields]
    order = _order(columns, path)
    raw = pa.table(dict(zip(ORDERS[order], columns, strict=True)))
    return (_strata if order == "strata" else _probabilities)(raw, line, problems), line


def check_one_method(rows: Rows, where: Iterable[str]) -> None:
    """Refuse documents that several methods chose, none being named by `where`."""
    if "method" in where or "method" not in rows.raw.column_names:
        return
    methods = sorted(pc.unique(rows.raw["method"]).to_pylist())
    if len(methods) > 1:
        raise InputError(
            rows.path,
            [(None, f"documents were chosen by methods {', '.join(methods)} (fourth field)")],
            "Only labels sampled with the probability of the fifth field count: name "
            f"their method by where, as in --where method={methods[-1]}, or "
            "method=1,method=2.",
        )


def _order(columns: list[pa.Array], path: str | PathLike) -> str:
    """Which of `ORDERS` it is, by what columns hold."""
    *_, second, third, fourth, fifth = ([*pc.unique(column).to_pylist()] for column in columns)
    if not {*second} <= {"0", "Q0", "q0"}:
        are_numbers = all(map(is_number, (*third, *fourth, *fifth)))
        if are_numbers and all(0 <= float(value) <= 1 for value in fifth):
            return "prels"
        raise InputError(path, [(None, "its five fields have an unknown format")], _REMEDY)
    if not all(map(is_number, (*fourth, *fifth))):
        raise InputError(path, [(None, "its five fields have an unknown format")], _REMEDY)
    grades, values = ({float(value) for value in column} for column in (fourth, fifth))
    is_probability = all(0 < value <= 1 for value in values)
    are_levels = all(value.is_integer() for value in values)
    if is_probability and not are_levels:
        return "probabilities"
    if are_levels and not is_probability and all(value > -1 for value in grades):
        return "strata"
    if is_probability:
        problem = "its fifth field is 1 everywhere: a grade of each, or the probability of each"
        raise InputError(path, [(None, problem)], _NAME_COLUMNS)
    raise InputError(path, [(None, "its five fields have an unknown format")], _REMEDY)


def _strata(raw: pa.Table, line: np.ndarray, problems: Problems) -> pa.Table:
    """The part of each stratum of a topic that was drawn is what each of its documents had."""
    grade = raw["grade"].cast(pa.float64()).to_numpy()
    drawn = grade != -1
    key = pc.binary_join_element_wise(raw["topic"], raw["stratum"], "\t")
    codes = key.combine_chunks().dictionary_encode()
    group, names = codes.indices.to_numpy(), codes.dictionary.to_pylist()
    sizes, counts = np.bincount(group), np.bincount(group, drawn)
    for empty in np.flatnonzero(counts == 0):
        topic, stratum = names[empty].split("\t")
        first = int(np.argmax(group == empty))
        problems.remedy = "Leave its lines out, or name the columns (inclusion)."
        reason = (
            f"stratum {stratum} of topic {topic}: none of "
            f"{counted(sizes[empty], 'document')} was sampled, so there is no estimate for "
            "them"
        )
        problems.add([line[first]], [reason])
    problems.raise_if_any()
    inclusion = (counts / sizes)[group]
    return _with(raw, np.where(drawn, raw["grade"].to_numpy(), ""), inclusion.astype(str), drawn)


def _probabilities(raw: pa.Table, line: np.ndarray, problems: Problems) -> pa.Table:
    """Each document was drawn; grades below 0 are none."""
    grade = raw["grade"].cast(pa.float64()).to_numpy()
    texts = np.where(grade < 0, "", raw["grade"].to_numpy())
    return _with(raw, texts, raw["inclusion"].to_numpy(), np.ones(len(raw), bool))


def _with(raw: pa.Table, grade: np.ndarray, inclusion: np.ndarray, chosen: np.ndarray) -> pa.Table:
    more = [name for name in ("stratum", "method") if name in raw.column_names]
    texts = {"grade": grade, "inclusion": inclusion, "chosen": np.where(chosen, "yes", "no")}
    columns = {"topic": raw["topic"], "docno": raw["docno"]}
    if chosen.all():
        more, raw = [*more, ALONE], raw.append_column(ALONE, pa.array(["yes"] * len(raw)))
    columns |= {name: pa.array(of.astype(object), pa.string()) for name, of in texts.items()}
    return pa.table(columns | {name: raw[name] for name in more})
