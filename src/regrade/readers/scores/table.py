"""One table of all parts of a set of scores, in which nothing stands twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.conversions import to_arrow, to_numpy
from regrade.errors import InputError, ParameterError, did_you_mean
from regrade.readers.scores.rows import (
    COUNTS,
    KEY,
    LONE_MEASURE,
    NAMES,
    NO_SCORES,
    NO_VALUE,
    Coded,
    Notation,
    ScoreRows,
    smallest,
)


@dataclass(frozen=True, eq=False)
class ReadScores:
    """A table of schema ``item-scores``, and what was read otherwise than it stood."""

    table: pa.Table
    left_out: Mapping[str, int]
    notes: tuple[str, ...]
    lower: tuple[str, ...] = ()


def table_of(
    parts: Sequence[ScoreRows],
    lower: Collection[str] = (),
    measures: Collection[str] = (),
    notation: Notation = str,
) -> ReadScores:
    """All parts as one table, sorted; nothing stands twice.

    Of measures in `lower` lower values are better: these have the opposite sign in the table, and
    their names a minus before.  `measures` are those to keep; none: all.
    """
    parts = [_with_system(part) for part in parts]
    sizes = np.array([len(part) for part in parts])
    columns = {n: _joined([part.columns.get(n) for part in parts], sizes) for n in NAMES}
    columns = {name: one for name, one in columns.items() if one is not None}
    if "measure" not in columns:
        columns["measure"] = Coded.lone(LONE_MEASURE, int(sizes.sum()))
    columns["measure"] = _in_our_notation(columns["measure"], notation)
    value = parts[0].value if len(parts) == 1 else np.concatenate([part.value for part in parts])
    left_out = sum((part.left_out for part in parts), Counter())
    place = _places(parts, sizes)
    order = _once(columns, place)
    if not isinstance(order, slice):
        columns, value = {n: one.take(order) for n, one in columns.items()}, value[order]
    columns, value = _chosen(columns, value, (measures, notation), left_out)
    known = ~np.isnan(value)
    if not known.all():
        left_out[NO_VALUE] += int((~known).sum())
        if not known.any():
            raise InputError(parts[0].path, [(None, "every score is missing")])
        columns, value = {n: one.take(known) for n, one in columns.items()}, value[known]
    columns["measure"], value, signed = _signed(columns["measure"], value, lower, notation)
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    return ReadScores(_table(columns, value), left_out, tuple(notes), signed)


def _with_system(part: ScoreRows) -> ScoreRows:
    return part if "system" in part.columns else part.with_column("system", "system")


def _joined(columns: Sequence[Coded | None], sizes: np.ndarray) -> Coded | None:
    """One column of all parts' names, sorted; ``None`` where no part has any."""
    if len(columns) == 1 or not any(columns):
        return columns[0]
    held = [one.names for one in columns if one is not None]
    encoded = pa.chunked_array(held).combine_chunks().dictionary_encode()
    names = encoded.dictionary
    order = pc.sort_indices(names).to_numpy()
    rank = np.empty(len(order), dtype=smallest(len(order)))
    rank[order] = np.arange(len(order))
    to_joined = rank[to_numpy(encoded.indices)]
    codes, start = [], 0
    for one, size in zip(columns, sizes, strict=True):
        if one is None:
            codes.append(np.full(size, -1, dtype=rank.dtype))
        else:
            own = np.append(to_joined[start : start + len(one.names)], rank.dtype.type(-1))
            codes.append(own[one.codes])
            start += len(one.names)
    return Coded(names.take(to_arrow(order)), np.concatenate(codes))


def _in_our_notation(measure: Coded, notation: Notation) -> Coded:
    """Measures by the names that they have here."""
    ours = [notation(one) or one for one in measure.names.to_pylist()]
    named = Coded.of(pa.array(ours, pa.string()))
    return Coded(named.names, named.codes[measure.codes])


def _places(parts: Sequence[ScoreRows], sizes: np.ndarray) -> Callable[[int], str]:
    ends = np.cumsum(sizes)

    def place(row: int) -> tuple[str, int]:
        at = int(np.searchsorted(ends, row, side="right"))
        part = parts[at]
        own = row - int(ends[at] - sizes[at])
        return part.path, int(part.line[own % len(part.line)])

    return place


def _once(
    columns: Mapping[str, Coded], place: Callable[[int], tuple[str, int]]
) -> np.ndarray | slice:
    """The rows in order of the key's columns, of which none has the same as another."""
    held = [columns[name] for name in KEY if name in columns]
    n = len(held[0].codes)
    cells = int(np.prod([len(one.names) + 1 for one in held], dtype=float))
    if cells < 2**62:
        key = np.zeros(n, dtype=np.int32 if cells < 2**31 else np.int64)
        for one in held:
            key *= len(one.names) + 1
            key += one.codes
            key += 1
    else:
        rows = np.stack([one.codes for one in held], axis=1)
        key = np.unique(rows, axis=0, return_inverse=True)[1].astype(np.int64)
        cells = n
    if (key[1:] > key[:-1]).all():
        return slice(None)
    if cells <= _SPARSE * n:
        row_of = np.full(cells, -1, dtype=smallest(n))
        row_of[key] = np.arange(n, dtype=row_of.dtype)
        order = row_of[row_of >= 0]
        if len(order) == n:
            return order
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(key[order[1:]] == key[order[:-1]]) + 1
    if again.size:
        starts = np.flatnonzero(np.append(True, key[order[1:]] != key[order[:-1]]))
        first = starts[np.searchsorted(starts, again, side="right") - 1]
        _refuse_again(columns, order[first], order[again], place)
    return order


_SPARSE = 4
"""Cells for each score, from which on scores are sorted by comparing them."""


def _refuse_again(
    columns: Mapping[str, Coded],
    first: np.ndarray,
    second: np.ndarray,
    place: Callable[[int], tuple[str, int]],
) -> None:
    """Refuse scores that stand twice."""
    apart = np.argsort(second, kind="stable")
    path = place(int(second[apart[0]]))[0]
    problems, paths = [], set()
    for earlier, row in zip(first[apart].tolist(), second[apart].tolist(), strict=True):
        if len(problems) > 5:
            break
        own, of = place(row), place(earlier)
        paths |= {own[0], of[0]}
        named = ", ".join(
            f"{'item' if n == 'topic' else n} {columns[n].names[int(columns[n].codes[row])]}"
            for n in KEY
            if n in columns and columns[n].codes[row] >= 0
        )
        name = of[0] if Path(of[0]).name == Path(own[0]).name else Path(of[0]).name
        where = f"line {of[1]}" if of[0] == own[0] else f"{name}:{of[1]}"
        if own[0] == path:
            problems.append((own[1], f"{named} has a score already: {where} has it"))
    remedy = (
        "Name the column in which they differ (columns repeat=seed, dataset=…, judge=…), or keep "
        "one."
        if len(paths) < 2
        else "If they are different systems, name them: read_scores({name: file, …}), or rename "
        "the files or run tags."
    )
    raise InputError(path, problems, remedy, len(second))


def _chosen(
    columns: Mapping[str, Coded],
    value: np.ndarray,
    wanted: tuple[Collection[str], Notation],
    left_out: Counter,
) -> tuple[dict[str, Coded], np.ndarray]:
    """The rows of some measures; of none, all but counts of documents."""
    measures, notation = wanted
    own, reason = columns["measure"].names.to_pylist(), "another measure"
    if not measures:
        measures, reason = [name for name in own if name not in NO_SCORES], COUNTS
        if len(measures) in (0, len(own)):
            return dict(columns), value
    places = [_place_of(name, own, "measures", notation) for name in measures]
    kept = np.isin(columns["measure"].codes, places)
    if kept.all():
        return dict(columns), value
    left_out[reason] += int((~kept).sum())
    return {n: one.take(kept) for n, one in columns.items()}, value[kept]


def _place_of(name: str, own: Sequence[str], option: str, notation: Notation) -> int:
    for one in (str(name), notation(str(name))):
        if one in own:
            return own.index(one)
    raise ParameterError(f"{option}: no score is of '{name}'{did_you_mean(name, own)}")


def _signed(
    measure: Coded, value: np.ndarray, lower: Collection[str], notation: Notation
) -> tuple[Coded, np.ndarray, tuple[str, ...]]:
    """Measures of which lower values are better, with the opposite sign and a minus before."""
    if not lower:
        return measure, value, ()
    own = measure.names.to_pylist()
    places = sorted({_place_of(name, own, "lower", notation) for name in lower})
    value = np.where(np.isin(measure.codes, places), 0 - value, value)  # and no −0
    named = [f"-{one}" if i in places else one for i, one in enumerate(own)]
    signed = Coded.of(pa.array(named, pa.string()))
    codes = signed.codes[measure.codes]
    return Coded(signed.names, codes), value, tuple(named[i] for i in places)


def _table(columns: Mapping[str, Coded], value: np.ndarray) -> pa.Table:
    """A table of names as codes; columns that nothing is known of are of nulls alone."""
    arrays = {}
    for name in ("system", "topic", "measure", "judge", "dataset", "repeat", "cluster"):
        one = columns.get(name)
        if one is None or not len(one.names):
            arrays[name] = pa.nulls(len(value))
            continue
        codes = np.ascontiguousarray(one.codes)
        missing = codes < 0
        indices = pa.array(codes, mask=missing) if missing.any() else to_arrow(codes)
        arrays[name] = pa.DictionaryArray.from_arrays(indices, one.names)
    return pa.table({**arrays, "value": to_arrow(value)})
