"""The canonical order of a ranking: the one place of the rule for ties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.choices import SCORE_PRECISIONS, TIE_BREAKS
from regrade.conversions import to_arrow, to_numpy
from regrade.errors import check_choice


def comparable_scores(score: np.ndarray, score_precision: str = "float64") -> np.ndarray:
    """Scores as they are compared: two are tied where these are equal."""
    check_choice("score_precision", score_precision, SCORE_PRECISIONS)
    with np.errstate(over="ignore"):  # beyond float32 is ±inf, as in trec_eval
        return np.asarray(score, dtype=np.float64).astype(score_precision, copy=False)


def canonical_order(
    topic: np.ndarray,
    score: np.ndarray,
    submitted_rank: np.ndarray,
    line: np.ndarray,
    docno: pa.StringArray,
    *,
    tie_break: str = "rank",
    score_precision: str = "float64",
) -> np.ndarray:
    """Permutation that puts a run into canonical order: by topic, then by score descending.

    Equal scores: ``rank`` takes the submitted rank, then the line (yang2019 §3.2.1); ``trec_eval``
    docno descending bytewise, as trec_eval does; ``line`` the file's own order.
    """
    check_choice("tie_break", tie_break, TIE_BREAKS)
    falling = -comparable_scores(score, score_precision)
    order = np.arange(len(falling))
    later, lower = topic[1:] > topic[:-1], falling[1:] >= falling[:-1]
    if not (later | ((topic[1:] == topic[:-1]) & lower)).all():
        order = np.lexsort((falling, topic))
        topic, falling = topic[order], falling[order]
    # few documents tie: only they are sorted by the rule
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (topic[1:] != topic[:-1]) | (falling[1:] != falling[:-1])
    tied = ~is_first
    tied[:-1] |= ~is_first[1:]
    rows, is_first = order[tied], is_first[tied]
    if tie_break == "trec_eval":
        keys = {"group": to_arrow(np.cumsum(is_first)), "name": docno.take(to_arrow(rows))}
        sort_keys = [("group", "ascending"), ("name", "descending")]
        order[tied] = rows[to_numpy(pc.sort_indices(pa.table(keys), sort_keys=sort_keys))]
    else:
        keys = (line[rows], submitted_rank[rows]) if tie_break == "rank" else (line[rows],)
        order[tied] = rows[np.lexsort((*keys, np.cumsum(is_first)))]
    return order


def rank_in_group(starts: np.ndarray, size: int) -> np.ndarray:
    """Ranks from 1 within consecutive groups."""
    lengths = np.diff(starts, append=size)
    return (np.arange(1, size + 1) - np.repeat(starts, lengths)).astype(np.int32)


def group_starts(*keys: np.ndarray) -> np.ndarray:
    """Positions where any of the keys of sorted rows changes; the first is 0 (none if no rows)."""
    changes = np.ones(len(keys[0]), dtype=bool)
    if len(changes):
        changes[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    return np.flatnonzero(changes)


@dataclass(frozen=True, eq=False)
class Run:
    """The rankings of one system, in canonical order.

    Attributes
    ----------
    system
        Its name.
    rows
        The rows of each topic that it retrieved something for, in order.
    docno, score, submitted_rank, line
        n values each, as in schema ``runs``.
    has_ranks
        Whether its ranks were submitted; else they count the rows as these came.
    itself
        How many documents had the name of their topic, and were left out.
    """

    system: str
    rows: Mapping[str, slice]
    docno: pa.StringArray
    score: np.ndarray
    submitted_rank: np.ndarray
    line: np.ndarray
    has_ranks: bool = True
    itself: int = 0

    @classmethod
    def of_rows(
        cls,
        system: str,
        topic: pa.DictionaryArray,
        docno: pa.StringArray,
        columns: Mapping[str, np.ndarray],
        *,
        not_self: bool = False,
        **rules: str,
    ) -> Run:
        """The run of rows in any order; `not_self` leaves out documents that are their topic."""
        itself = 0
        if not_self:
            others = pc.not_equal(topic.cast(pa.string()), docno)
            itself = len(docno) - pc.sum(others).as_py() if len(docno) else 0
        if itself:
            topic, docno = topic.filter(others), docno.filter(others)
            kept = others.to_numpy(zero_copy_only=False)
            columns = {name: column[kept] for name, column in columns.items()}
        names = topic.dictionary.take(pc.array_sort_indices(topic.dictionary))
        place = to_numpy(pc.index_in(topic.dictionary, names).take(topic.indices))
        order = canonical_order(place, docno=docno, **columns, **rules)
        if (order[1:] < order[:-1]).any():
            place, docno = place[order], docno.take(to_arrow(order))
            columns = {name: column[order] for name, column in columns.items()}
        starts = group_starts(place)
        bounds = [slice(*ends) for ends in pairwise([*starts.tolist(), len(place)])]
        topics = names.take(to_arrow(place[starts])).to_pylist()
        rows = dict(zip(topics, bounds, strict=True))
        return cls(system, rows, docno, **columns, itself=itself)

    def __len__(self) -> int:
        """How many documents are ranked."""
        return len(self.line)

    @property
    def lengths(self) -> list[int]:
        """How many documents are ranked for each topic."""
        return [rows.stop - rows.start for rows in self.rows.values()]

    @property
    def rank(self) -> np.ndarray:
        """(n,) int32 ranks, from 1 for each topic."""
        starts = np.array([rows.start for rows in self.rows.values()], np.int32)
        return rank_in_group(starts, len(self))
