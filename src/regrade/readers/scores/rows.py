"""Scores as a source lists them: names as codes, and numbers."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.conversions import to_arrow, to_numpy
from regrade.readers.lines import Problems, as_number, is_number, odd_names, quoted, visible
from regrade.readers.rows import MISSING, text_of
from regrade.scales import UNCOMPUTABLE, are_computable
from regrade.tables import encode

KEY = ("system", "topic", "measure", "judge", "dataset", "repeat")
"""Columns that together name a score."""
NAMES = (*KEY, "cluster")
"""Columns of names of the schema ``item-scores``."""
LONE_MEASURE = "score"
"""What the measure is called of scores that name none."""

WORDS = {"true": 1.0, "false": 0.0, "c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0, "pass": 1.0,
         "fail": 0.0}  # fmt: skip
"""What words count as scores, in small letters: of truths, and of Inspect's letters."""

Notation = Callable[[str], str | None]
"""A measure's name in our notation, of those that are ours."""

NO_SCORES = ("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "relstring")
"""What trec_eval lists that are counts of documents, or none at all."""

COUNTS = "counts of documents"
OVER_ALL = "means over all items"
NO_VALUE = "no value (missing)"
"""Why rows are left out."""


@dataclass(frozen=True)
class Coded:
    """Names, sorted, and which each row has (−1: none)."""

    names: pa.StringArray
    codes: np.ndarray

    @classmethod
    def of(cls, column: pa.Array | pa.ChunkedArray) -> Coded:
        """Those of a column."""
        chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
        names, codes = encode(chunked)
        return cls(names, codes.astype(smallest(len(names))))

    @classmethod
    def lone(cls, name: str, size: int) -> Coded:
        """One name of all rows."""
        return cls(pa.array([name], pa.string()), np.broadcast_to(np.int8(0), size))

    def take(self, rows: np.ndarray) -> Coded:
        """The same of some rows."""
        return Coded(self.names, self.codes[rows])


@dataclass(frozen=True, eq=False)
class ScoreRows:
    """Scores as a source lists them.

    Attributes
    ----------
    columns
        Names by our column, of those that are known.
    value : array of float64, shape (n,)
        NaN where there is none.
    line
        Numbers of lines, or of rows from 1; of values that stand side by side the line of row i is
        ``line[i % len(line)]``.
    path
        The file, or what messages call a frame.
    """

    columns: Mapping[str, Coded]
    value: np.ndarray
    line: np.ndarray
    path: str
    notes: tuple[str, ...] = ()
    left_out: Counter = field(default_factory=Counter)

    def __len__(self) -> int:
        """How many values there are, missing ones too."""
        return len(self.value)

    def place(self, row: int) -> str:
        """Where a row stands."""
        return f"{self.path}:{self.line[row % len(self.line)]}"

    def with_column(self, name: str, value: str) -> ScoreRows:
        """The same, where one name stands for all rows."""
        return replace(self, columns={**self.columns, name: Coded.lone(value, len(self))})


def coded_names(column: pa.ChunkedArray, line: np.ndarray, name: str, problems: Problems) -> Coded:
    """Names of a column; odd ones are problems."""
    coded = _encoded(column)
    for place, why in odd_names(coded.names).items():
        row = int(np.argmax(coded.codes == place))
        problem = f"{name} {visible(coded.names[place].as_py())} {why}"
        problems.add([int(line[row])], [problem])
    return coded


def _encoded(column: pa.ChunkedArray) -> Coded:
    """Names of a column; of one that has codes already those that these stand for."""
    if not pa.types.is_dictionary(column.type):
        text = text_of(column)
        return Coded.of(pc.if_else(pc.is_in(text, pa.array(MISSING)), None, text))
    whole = column.unify_dictionaries().combine_chunks()
    own = _encoded(pa.chunked_array([whole.dictionary]))
    code_of = np.append(own.codes, own.codes.dtype.type(-1))
    codes = code_of[to_numpy(whole.indices, -1)]
    used = np.zeros(len(own.names) + 1, dtype=bool)
    used[codes] = True
    if used[:-1].all():
        return Coded(own.names, codes)
    kept = np.flatnonzero(used[:-1])
    again = np.full(len(used), -1, dtype=codes.dtype)
    again[kept] = np.arange(len(kept))
    return Coded(own.names.take(to_arrow(kept)), again[codes])


def numbers(column: pa.ChunkedArray, line: np.ndarray, name: str, problems: Problems) -> np.ndarray:
    """Numbers of a column, NaN where there is none; what is neither is a problem."""
    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = pc.cast(column.cast(pa.uint8()) if pa.types.is_boolean(kind) else column,
                          pa.float64(), safe=False)  # fmt: skip
        values = to_numpy(numbers, np.nan)
    else:
        values = _texts(column, line, name, problems)
    wrong = np.isinf(values)
    problems.report(line, wrong, lambda row: f"{name} {column[row]} is not a finite number")
    if not wrong.any():
        off = ~are_computable(values) & ~np.isnan(values)
        problems.report(line, off, lambda row: f"{name} {column[row]} {UNCOMPUTABLE}")
    return values


def _texts(column: pa.ChunkedArray, line: np.ndarray, name: str, problems: Problems) -> np.ndarray:
    """Numbers of texts, and words that count as such."""
    text = pc.utf8_trim_whitespace(column.cast(pa.string()))
    known = pc.if_else(pc.is_in(text, pa.array(MISSING)), None, text)
    try:
        return to_numpy(known.cast(pa.float64()), np.nan)
    except pa.ArrowInvalid:
        pass
    texts = known.to_pylist()
    values, wrong = np.full(len(known), np.nan), []
    percent = "%" if any(one and one.endswith("%") for one in texts) else ""
    for row, one in enumerate(texts):
        if one is None:
            continue
        if (word := one.lower()) in WORDS:
            values[row] = WORDS[word]
            continue
        try:
            values[row] = as_number(_without(percent, one)) / (100 if percent else 1)
        except ValueError:
            wrong.append(row)
    why = "is not a percentage, as others of the column are" if percent else "is not a number"
    reasons = (f"{name} {quoted(texts[row])} {why}" for row in wrong)
    problems.add(line[wrong], reasons)
    if any(_DECIMAL_COMMA.fullmatch(texts[row]) for row in wrong):
        problems.advise("Write decimal points, and nothing between thousands.")
    elif wrong and not percent:
        problems.advise("A missing score is an empty field; true and false count 1 and 0.")
    return values


_DECIMAL_COMMA = re.compile(r"[+-]?\d+(,\d+)+")
"""What may be a number with a decimal comma, or with thousands apart: never guessed."""


def _without(percent: str, text: str) -> str:
    """The number of a percentage, where the column has any."""
    if percent and not text.endswith(percent):
        raise ValueError(text)
    return text.removesuffix(percent).rstrip() if percent else text


_ENDINGS = (".gz", ".bz2", ".xz", ".zip", ".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx",
            ".txt", ".eval", ".scores", ".res", ".out", ".irm", ".metrics", ".measures",
            ".trec_eval", ".treceval", ".ir_measures", ".irmeasures", ".perquery", ".per_query",
            ".tot", ".rag4reports")  # fmt: skip
"""Of files as tools and their users call them."""


def file_name(path: str | os.PathLike, ending: str = "") -> str:
    """What a file's only system is called: its name without known endings and a further one."""
    name = Path(path).name
    while name.lower().endswith(_ENDINGS) or (ending and name.endswith(ending)):
        name = name[: name.rfind(".")]
    return name or Path(path).name


def shared_ending(paths: Sequence[str | os.PathLike]) -> str:
    """The ending that several files share, which names no system; numbers are of versions."""
    endings = {Path(file_name(path)).suffix for path in paths}
    if len(endings) > 1 or len({*map(str, paths)}) < 2:
        return ""
    (ending,) = endings
    return "" if any(map(str.isdigit, ending)) else ending


def smallest(count: int) -> np.dtype:
    """The integers that number so many, and −1."""
    return np.min_scalar_type(-max(count, 1))


def is_score(text: str) -> bool:
    """Whether a text is a number or a truth."""
    return is_number(text.strip()) or text.strip().lower() in ("true", "false")


def may_be_score(text: str) -> bool:
    """Whether a text stands for a score, well written or not."""
    text = text.strip()
    number = text.removesuffix("%").rstrip()
    return is_score(text) or is_number(number) or bool(_DECIMAL_COMMA.fullmatch(number))


def is_score_or_none(text: str) -> bool:
    """The same, or one that stands for no value."""
    return text.strip() in MISSING or is_score(text)
