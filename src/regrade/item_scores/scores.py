"""A set of scores by item, and the arrays that methods take of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.answers.words import reading_notes
from regrade.choices import LEAVING
from regrade.conversions import to_numpy
from regrade.errors import MethodError, ParameterError, check_choice, did_you_mean
from regrade.item_scores.notation import our_measure
from regrade.provenance import notes_of
from regrade.scoring import Scores
from regrade.tables import encode, read_table
from regrade.wording import counted, first_few

if TYPE_CHECKING:
    import pandas as pd

FACETS = ("judge", "dataset", "cluster", "repeat")
"""Columns of a scores set that need not be known; null where they are not."""


@dataclass(frozen=True, eq=False)
class ScoreDesign:
    """Scores of S systems on T items by M measures, and how items and repeats belong together.

    Attributes
    ----------
    scores
        Means over repeats; each finite.  Items are its topics.
    clusters : array of int64, shape (T,)
        The same number for items that were sampled together (questions about one document);
        ``None``: each item is alone.
    datasets : array of int64, shape (T,)
        Which of `dataset_names` an item is of; ``None``: all are of one.
    dataset_names
        Sorted.
    repeats : array of float64, shape (S, T, M, R)
        What each seed, fold or trial of a system has; NaN where there are fewer.  ``None``: one.
    dropped
        How many items were left out, as some system or measure lacks them.
    notes
        What an answer must say of how the scores were read.
    name
        Whose scores they are: of the set, or of the judge.
    """

    scores: Scores
    clusters: np.ndarray | None = None
    datasets: np.ndarray | None = None
    dataset_names: tuple[str, ...] = ()
    repeats: np.ndarray | None = None
    dropped: int = 0
    notes: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class ItemScores:
    """A set of scores: system × item × measure → value.

    Attributes
    ----------
    name
        What it is called.
    table
        Schema ``item-scores``: ``system, topic, measure, value``, and where known ``judge``,
        ``dataset``, ``cluster``, ``repeat``.  A higher value is better; topics are unique within a
        data set.
    left_out
        Rows that reading left out, by reason.
    lower
        Measures of which lower values are better, as ``-WER``: their values have the opposite sign
        here, and their names a minus before.
    order
        The measures in the order that they were chosen in; empty: by name.
    reading
        How it was read where that is not plain, in sentences.
    """

    name: str
    table: pa.Table
    left_out: Mapping[str, int] = field(default_factory=dict)
    lower: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: str, name: str, lower: Sequence[str] = ()) -> ItemScores:
        """A stored table of scores, and what must be said of how its files were read."""
        made_by = notes_of(path).get("parameters", {})
        return cls(
            name,
            read_table(path, "item-scores"),
            made_by.get("left_out", {}),
            tuple(f"-{one}" for one in lower),
            reading=tuple(made_by.get("reading", ())),
        )

    @property
    def notes(self) -> list[str]:
        """What an answer that rests on it must say of how it was read."""
        own = first_few([one.removeprefix("-") for one in self.lower])
        lower = [f"{self.name}: lower values of {own} are better: their signs are reversed."]
        left_out = reading_notes(self.name, {"left_out": self.left_out})
        return [*self.reading, *left_out, *(lower if self.lower else [])]

    @property
    def bounds(self) -> dict[str, str]:
        """By measure what its values are: ``0/1``, a ``proportion``, or ``real``."""
        names, of_row = _codes(self.table["measure"])
        value = abs(to_numpy(self.table["value"]))
        one_sign = to_numpy(self.table["value"])
        return {
            name: _bound(value[of_row == i], one_sign[of_row == i])
            for i, name in enumerate(names.to_pylist())
        }

    def to_frame(self) -> pd.DataFrame:
        """The table as a frame of pandas, without columns of which nothing is known."""
        frame = self.table.to_pandas().dropna(axis="columns", how="all")
        return frame.astype({name: "str" for name in frame if name != "value"})

    def __len__(self) -> int:
        """How many scores there are."""
        return len(self.table)

    def __repr__(self) -> str:
        """Name and size."""
        items = len(pc.unique(self.table["topic"]))
        held = f"{counted(len(self.systems), 'system')}, {counted(items, 'item')}"
        return f"<ItemScores {self.name}: {held}, {counted(len(self.measures), 'measure')}>"

    @property
    def systems(self) -> list[str]:
        """Their names, sorted."""
        return self._names("system")

    @property
    def measures(self) -> list[str]:
        """Their names, sorted."""
        return self._names("measure")

    @property
    def judges(self) -> list[str]:
        """Their names, sorted; none where the scores name no judge."""
        return self._names("judge")

    def _names(self, column: str) -> list[str]:
        return [*map(str, _codes(self.table[column])[0].to_pylist())]

    def of_measures(self, measures: Sequence[str] | None) -> ItemScores:
        """The scores by some measures, which keep this order; ``None``: all.

        Raises
        ------
        ParameterError
            If there is no such measure.
        """
        if measures is None:
            return self
        known = self.measures
        ours = [one if one in known else our_measure(one) or one for one in measures]
        chosen = [f"-{one}" if f"-{one}" in self.lower else one for one in ours]
        for one in chosen:
            if one not in known:
                near = did_you_mean(one, known) or f" (measures: {first_few(sorted(known))})"
                raise ParameterError(f"{self.name} has no measure {one!r}{near}")
        own = pc.is_in(self.table["measure"].cast(pa.string()), pa.array(chosen))
        order = tuple(dict.fromkeys(chosen))
        lower = tuple(one for one in self.lower if one in order)
        return replace(self, table=self.table.filter(own), lower=lower, order=order)

    def of_judge(self, judge: str | None) -> ItemScores:
        """The scores by one of `judges`; ``None``: all."""
        if judge is None:
            return self
        own = pc.equal(self.table["judge"].cast(pa.string()), judge)
        return replace(self, table=self.table.filter(own))

    def design(self, judge: str | None = None, *, missing: str = "refuse") -> ScoreDesign:
        """The arrays of what one judge scored, or of all rows.

        Parameters
        ----------
        judge
            One of `judges`; ``None``: all rows, which are then of one judge or of none.
        missing
            What becomes of items that some system or measure lacks: ``refuse``, or ``drop``, which
            keeps the items that all have.

        Raises
        ------
        MethodError
            If scores are missing and refused, nothing is left, or scores are of several judges.
        """
        check_choice("missing", missing, LEAVING)
        table = self.of_judge(judge).table
        if judge is None and len(self.judges) > 1:
            raise MethodError(
                f"{self.name} has scores by {counted(len(self.judges), 'judge')} "
                f"({first_few(self.judges)}): choose one (where; --where judge={self.judges[0]} "
                "in a command), or compare them by judges"
            )
        coded = {name: _codes(table[name]) for name in ("system", "measure", "repeat")}
        (systems, s), (measures, m), (repeats, r) = coded.values()
        sets, of_set = _codes(table["dataset"])
        topics, t, in_set = _items(table, sets.to_pylist(), of_set)
        names = [[*map(str, one.to_pylist())] for one in (systems, measures)]
        if self.order:
            place_of = {name: place for place, name in enumerate(self.order)}
            m = np.array([place_of[name] for name in names[1]])[m]
            names[1] = [*self.order]
        shape = (len(names[0]), len(topics), len(names[1]), max(1, len(repeats)))
        values = np.full(shape, np.nan)
        place = _place(shape, (s, t, m, np.maximum(r, 0) if len(repeats) else r))
        values.ravel()[place] = to_numpy(table["value"])
        known = np.isfinite(values)
        if np.count_nonzero(known) < len(place):
            self._check_once(table, place)
        known = known[..., 0] if shape[3] == 1 else known.any(axis=3)
        del place
        complete = known.all(axis=(0, 2))
        kept = np.flatnonzero(complete)
        if len(kept) < len(topics):
            if missing == "refuse":
                raise MethodError(_lacking(self.name, names, topics, known))
            if not len(kept):
                raise MethodError(_nothing_left(self.name, names, known))
            values = values[:, complete]
        means = values[..., 0] if shape[3] == 1 else np.nanmean(values, axis=3)
        items = tuple(topics[i] for i in kept)
        none = np.broadcast_to(np.nan, means.shape)
        scores = Scores(tuple(names[0]), items, tuple(names[1]), means, none)
        return ScoreDesign(
            scores,
            clusters=_clusters(table, t, in_set, len(topics), kept),
            datasets=in_set[kept] if len(sets) > 1 else None,
            dataset_names=tuple(sets.to_pylist()) if len(sets) > 1 else (),
            repeats=values if shape[3] > 1 else None,
            dropped=len(topics) - len(kept),
            notes=(*self.notes, *_dropped(len(topics), len(kept))),
            name=judge or self.name,
        )

    def _check_once(self, table: pa.Table, place: np.ndarray) -> None:
        """Refuse several values of one system, item, measure and repeat."""
        _, first, count = np.unique(place, return_index=True, return_counts=True)
        if (count > 1).any():
            row = table.slice(int(first[count > 1][0]), 1)
            of = ", ".join(f"{n} {row[n][0]}" for n in ("system", "topic", "measure"))
            raise MethodError(
                f"{self.name}: {counted(int((count > 1).sum()), 'score')} repeat another ({of}): "
                "name the column that distinguishes them (columns: repeat=seed), or keep one"
            )


def _bound(size: np.ndarray, value: np.ndarray) -> str:
    """What values of a measure are; of lower ones that are better the sign does not count."""
    if (size > 1).any() or ((value < 0).any() and (value > 0).any()):
        return "real"
    return "0/1" if np.isin(size, (0, 1)).all() else "proportion"


def _codes(column: pa.ChunkedArray) -> tuple[pa.StringArray, np.ndarray]:
    """Names of a column, sorted, and of each row its name (−1: none)."""
    if pa.types.is_null(column.type):
        return pa.array([], pa.string()), np.broadcast_to(np.int8(-1), len(column))
    if pa.types.is_dictionary(column.type) and column.num_chunks == 1:
        chunk = column.chunk(0)
        names, codes = chunk.dictionary, to_numpy(chunk.indices, -1)
        is_used = np.zeros(len(names) + 1, dtype=bool)  # one more, at −1, for nulls
        is_used[codes] = True
        are_sorted = not len(names) or pc.all(pc.less(names[:-1], names[1:])).as_py() is not False
        if is_used[:-1].all() and are_sorted and pa.types.is_string(names.type):
            return names, codes
    return encode(column)


def _place(shape: Sequence[int], codes: Sequence[np.ndarray]) -> np.ndarray:
    """(n,) where in an array of a shape, laid flat, each row stands; without codes it is 0."""
    place = np.zeros(len(codes[0]), dtype=np.int64)
    for size, of_row in zip(shape, codes, strict=True):
        if size > 1:
            place *= size
            place += of_row
    return place


def _items(
    table: pa.Table, sets: list[str], of_set: np.ndarray
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names of the items, of each row its item, and of each item its data set (−1: none)."""
    topics, t = _codes(table["topic"])
    names = topics.to_pylist()
    if len(sets) < 2:
        return names, t, np.full(len(names), min(len(sets), 1) - 1)
    pairs, item = np.unique(of_set.astype(np.int64) * len(names) + t, return_inverse=True)
    set_of, topic_of = np.divmod(pairs, len(names))
    named = [f"{sets[i]}/{names[j]}" for i, j in zip(set_of, topic_of, strict=True)]
    return named, item, set_of


def _clusters(
    table: pa.Table, t: np.ndarray, in_set: np.ndarray, items: int, kept: np.ndarray
) -> np.ndarray | None:
    """(T,) the cluster of each kept item, within its data set; ``None`` where no two share one."""
    names, of_row = _codes(table["cluster"])
    if not len(names):
        return None
    of_item = np.full(items, -1, dtype=np.int64)
    of_item[t] = of_row
    if (of_item[t] != of_row).any():
        odd = table["topic"][int(np.flatnonzero(of_item[t] != of_row)[0])]
        raise MethodError(f"item {odd} is of two clusters: give each item one")
    alone = of_item < 0  # each is a cluster of its own
    of_item = np.where(alone, len(names) + np.arange(items), of_item)
    apart = (in_set + 1) * (len(names) + items) + of_item
    clusters, of_kept = np.unique(apart[kept], return_inverse=True)
    return of_kept.astype(np.int64) if len(clusters) < len(of_kept) else None


def _dropped(items: int, kept: int) -> Iterator[str]:
    """How many items were left out."""
    if kept < items:
        were = "was" if items - kept == 1 else "were"
        yield (
            f"{items - kept:,} of {counted(items, 'item')} {were} dropped: a system or measure has "
            "no score there."
        )


def _lacking(name: str, names: list[list[str]], topics: list[str], known: np.ndarray) -> str:
    """Which scores are missing, and what to do."""
    if lacks := _without_measure(names, known):
        return f"{name}: {lacks}"
    s, t, m = (int(i) for i in np.argwhere(~known)[0])
    lacks = [one for one, row in zip(names[0], known, strict=True) if not row.all()]
    left = int(known.all(axis=(0, 2)).sum())
    return (
        f"{name}: {counted(int((~known).sum()), 'score')} of {known.size:,} are missing, as of "
        f"{names[0][s]} on {topics[t]} by {names[1][m]} (systems: {first_few(lacks)}): add them, "
        f"or keep the {counted(left, 'item')} that all have (missing='drop', --missing drop)"
    )


def _without_measure(names: list[list[str]], known: np.ndarray) -> str:
    """That systems have no score at all by some measure, and what to do; empty if all have."""
    has = known.any(axis=1)
    if has.all():
        return ""
    s, m = (int(i) for i in np.argwhere(~has)[0])
    of_all = [one for one, by in zip(names[1], has.T, strict=True) if by.all()]
    remedy = (
        f"choose measures that all systems have: measures={of_all}, --measures {of_all[0]}"
        if of_all
        else "read systems that share a measure"
    )
    return f"{names[0][s]} has no score by {names[1][m]}: {remedy}"


def _nothing_left(name: str, names: list[list[str]], known: np.ndarray) -> str:
    """Why no item is left."""
    lacks = _without_measure(names, known)
    return f"{name}: {lacks or 'no item is scored for every system and measure'}"
