"""Which ranks systems can have where each score has a range: of ties, of unjudged documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from regrade.correlations import competition_ranks
from regrade.kendall import TOLERANCE

Least = Callable[[pd.DataFrame], np.ndarray]
"""Of systems of one measure the least difference of each (row) and each other (column)."""


def apart(low: str, high: str) -> Least:
    """Least differences where each score ranges by itself between two columns."""
    return lambda of: of[low].to_numpy(float)[:, None] - of[high].to_numpy(float)[None, :]


def of_pairs(pairs: pd.DataFrame) -> Least:
    """Least differences that a table of pairs (measure, system, other, low, high) has."""

    def least(of: pd.DataFrame) -> np.ndarray:
        rows = pairs[pairs["measure"].astype(str) == str(of["measure"].iloc[0])]
        place = {name: i for i, name in enumerate(of["system"].astype(str))}
        ends = (rows[name].astype(str).map(place) for name in ("system", "other"))
        first, second = (end.to_numpy(dtype=np.int64) for end in ends)
        low = np.zeros((len(of), len(of)))
        low[first, second] = rows["low"]
        low[second, first] = -rows["high"].to_numpy()
        return low

    return least


def rank_ranges(systems: pd.DataFrame, least: Least) -> pd.DataFrame:
    """The ranks that systems can have."""
    parts = []
    for _, of in systems.groupby("measure", sort=False, observed=True):
        difference = least(of)
        part = of.assign(
            rank=ranks_of(of["value"]),
            rank_low=1 + _exceed(difference).sum(axis=0),
            rank_high=1 + _exceed(-difference.T).sum(axis=0),
        )
        order = np.lexsort((part["system"].astype(str), part["rank"]))
        parts.append(part.iloc[order])
    return pd.concat(parts, ignore_index=True)


def ranks_of(scores: pd.Series) -> np.ndarray:
    """Ranks from 1, the highest score first."""
    # kernels are compiled in advance for arrays without gaps
    return competition_ranks(np.ascontiguousarray(scores.to_numpy(float)))


def _exceed(differences: np.ndarray) -> np.ndarray:
    """(S, S): whether the row's system scores more than the column's.

    That is so whatever happens where differences are the least, and may be where the greatest.
    """
    exceed = differences > TOLERANCE
    np.fill_diagonal(exceed, val=False)
    return exceed


def order_numbers(ranks: pd.DataFrame, least: Least, low: str, high: str) -> Iterator[tuple]:
    """Rows of measure, quantity and value: how much of each order is open.

    A pair of systems is open if either may score more than the other.
    """
    for measure, of in ranks.groupby("measure", sort=False, observed=True):
        may_be_above = _exceed(-least(of).T)
        is_open = np.triu(may_be_above & may_be_above.T, 1).sum()
        pairs = len(of) * (len(of) - 1) // 2
        first = of["rank_low"].to_numpy()
        yield measure, "systems", len(of)
        yield measure, "pairs", pairs
        yield measure, "open pairs", is_open
        yield measure, "certain pairs", pairs - is_open
        yield measure, "open ranks", (moves(of) > 0).sum()
        yield measure, "farthest", moves(of).max()
        yield measure, "may be first", (first == 1).sum()
        yield measure, "widest range", (of[high] - of[low]).max()


def moves(ranks: pd.DataFrame) -> np.ndarray:
    """(S,) by how many places each system's rank may change at most."""
    rank, first, last = (ranks[name].to_numpy() for name in ("rank", "rank_low", "rank_high"))
    return np.maximum(rank - first, last - rank)
