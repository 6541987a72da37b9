"""What becomes of files of `assign` and `estimate` in people's hands, changed at random.

An accident is one of three kinds.  One that changes nothing of what the file says (rows in another
order, another encoding or separator) leaves every number as it was; one that can be seen is refused
with a message; any other leaves numbers that the file's own labels bear.
"""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pandas as pd

from tests.mutations import mutated


def _write(frame: pd.DataFrame, encoding: str = "utf-8", **how: object) -> bytes:
    return frame.to_csv(index=False, **how).encode(encoding)


def _shuffled(frame, rng):
    return _write(frame.sample(frac=1, random_state=rng.integers(2**31)))


def _columns_moved(frame, rng):
    return _write(frame[rng.permutation(frame.columns)])


def _with_notes(frame, rng):
    return _write(frame.assign(note=np.where(rng.random(len(frame)) < 0.3, "sure, I think", "")))


def _semicolons(frame, rng):
    return _write(frame, sep=";", decimal=",")


def _tabs(frame, rng):
    return _write(frame, sep="\t")


def _marked(frame, rng):
    return _write(frame, "utf-8-sig")


def _wide(frame, rng):
    return _write(frame, "utf-16")


def _windows_lines(frame, rng):
    return _write(frame, lineterminator="\r\n")


def _quoted(frame, rng):
    return _write(frame, quoting=1)


def _yes_and_no(frame, rng):
    yes, no = [("TRUE", "FALSE"), ("1", "0"), ("yes", "no"), ("WAHR", "FALSCH")][rng.integers(4)]
    return _write(frame.assign(chosen=np.where(frame["chosen"], yes, no)))


def _whole_grades(frame, rng):
    return _write(frame.assign(grade=frame["grade"].astype("Int64")))


def _blanks_around(frame, rng):
    return _write(frame).replace(b",", b" , " if rng.random() < 0.5 else b", ")


def _blank_lines(frame, rng):
    lines = _write(frame).splitlines(keepends=True)
    lines.insert(rng.integers(1, len(lines) + 1), b"\n" if rng.random() < 0.5 else b",,,,\n")
    return b"".join(lines)


CELLS = (
    "", " ", "-", "0", "1", "2", "3", "4", "-1", "-2", "0.5", "1e-5", "1e5", "nan", "None", "inf",
    "TRUE", "no", "x", "?", "\u00e9", "\u200b2", "2\u00a0", "\uff12", "t0", "d00", "d00 ",
    "T1", "2.0", "1,5", "'1", "=1+1", '"', "a,b", "a\nb", "\t", "\0", "9" * 40,
    "1e999", "0x2", "1_0",
)  # fmt: skip
"""What a cell may hold by accident."""

SAME = (
    _shuffled, _columns_moved, _with_notes, _semicolons, _tabs, _marked,  _windows_lines,
    _quoted, _yes_and_no, _whole_grades,
)  # fmt: skip
"""The file says what it said."""


def _rows(frame, rng, part=0.2):
    return frame.index[rng.random(len(frame)) < part]


def _half_filled(frame, rng):
    return _write(frame.assign(grade=frame["grade"].where(rng.random(len(frame)) < 0.5)))


def _end_missing(frame, rng):
    grades = frame["grade"].where(np.arange(len(frame)) < rng.integers(len(frame)))
    return _write(frame.assign(grade=grades))


def _rows_doubled(frame, rng):
    return _write(pd.concat([frame, frame.loc[_rows(frame, rng)]]))


def _rows_lost(frame, rng):
    return _write(frame.drop(_rows(frame, rng)))


def _unchosen_lost(frame, rng):
    return _write(frame[frame["chosen"]])


def _column_lost(frame, rng):
    return _write(frame.drop(columns=frame.columns[rng.integers(frame.shape[1])]))


def _column_shifted(frame, rng):
    """One column sorted by itself, as a spreadsheet does it."""
    name = frame.columns[rng.integers(frame.shape[1])]
    return _write(frame.assign(**{name: frame[name].sort_values(ignore_index=True)}))


def _all_chosen(frame, rng):
    return _write(frame.assign(chosen=True))


def _grades_of_unchosen(frame, rng):
    grades = frame["grade"].astype(object)
    grades[_rows(frame, rng)] = int(rng.integers(4))
    return _write(frame.assign(grade=grades))


def _words(frame, rng):
    odd = ["?", "n/a", "relevant", "2 or 3", "-", "x", "3!", "#REF!", "02", "２", "1,0"]
    grades = frame["grade"].astype(object)
    own = frame.index[frame["chosen"]]
    grades[own[rng.integers(len(own))]] = odd[rng.integers(len(odd))]
    return _write(frame.assign(grade=grades))


def _rounded(frame, rng):
    return _write(frame.assign(inclusion=frame["inclusion"].round(int(rng.integers(0, 4)))))


def _percent(frame, rng):
    return _write(frame.assign(inclusion=frame["inclusion"] * 100))


def _two_people(frame, rng):
    other = frame.assign(worker="b", grade=(frame["grade"] + 1).clip(upper=3))
    return _write(pd.concat([frame.assign(worker="a"), other[rng.random(len(frame)) < 0.5]]))


def _names_changed(frame, rng):
    name = ["topic", "docno"][rng.integers(2)]
    change = [str.upper, lambda s: f" {s} ", lambda s: s.lstrip("td0"), lambda s: s[:2]]
    own = change[rng.integers(len(change))]
    return _write(frame.assign(**{name: frame[name].map(own)}))


def _cell(frame, rng):
    """One cell is overwritten by what nobody expects there, or by another of its column."""
    odd = frame.astype(object)
    row, column = rng.integers(len(frame)), rng.integers(frame.shape[1])
    other = frame.iloc[rng.integers(len(frame)), column]
    odd.iloc[row, column] = other if rng.random() < 0.3 else CELLS[rng.integers(len(CELLS))]
    return _write(odd)


def _at_random(frame, rng):
    return mutated(_write(frame), rng)


OTHERS = (
    _half_filled, _end_missing, _rows_doubled, _rows_lost, _unchosen_lost, _column_lost,
    _column_shifted, _all_chosen, _grades_of_unchosen, _words, _rounded, _percent, _two_people,
    _names_changed, _wide, _blanks_around, _blank_lines, *[_cell] * 8, *[_at_random] * 3,
)  # fmt: skip
"""The file may say something else."""


def accident(frame: pd.DataFrame, rng: np.random.Generator) -> tuple[Callable, bytes]:
    """One of `OTHERS`, and the bytes of the file after it."""
    own = OTHERS[rng.integers(len(OTHERS))]
    return own, own(frame, rng)


def table_of(data: bytes) -> pd.DataFrame | None:
    """The file as pandas reads it, if it is a plain one."""
    try:
        return pd.read_csv(io.BytesIO(data), dtype=str, keep_default_na=False)
    except Exception:
        return None
