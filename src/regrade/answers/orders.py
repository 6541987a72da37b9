"""Which orders of systems are possible where each score has a range: of ties, of unjudged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pandas as pd

from regrade.answers.words import NAMED, by_quantity, listed, named, of_measure
from regrade.correlations import competition_ranks
from regrade.kendall import TOLERANCE
from regrade.wording import counted

Least = Callable[[pd.DataFrame], np.ndarray]
"""Of systems of one measure the least difference of each (row) and each other (column)."""


def apart(low: str, high: str) -> Least:
    """Least differences where each score ranges by itself between two columns."""
    return lambda of: of[low].to_numpy(float)[:, None] - of[high].to_numpy(float)[None, :]


def of_pairs(pairs: pd.DataFrame) -> Least:
    """Least differences that a table of pairs (measure, system, other, low, high) has."""

    def least(of: pd.DataFrame) -> np.ndarray:
        measure = str(of["measure"].iloc[0])
        rows = of_measure(pairs, measure)
        place = {name: i for i, name in enumerate(of["system"].astype(str))}
        ends = (rows[name].astype(str).map(place) for name in ("system", "other"))
        first, second = (end.to_numpy(dtype=np.int64) for end in ends)
        found = np.zeros((len(of), len(of)))
        found[first, second] = rows["low"]
        found[second, first] = -rows["high"].to_numpy()
        return found

    return least


def rank_ranges(systems: pd.DataFrame, least: Least) -> pd.DataFrame:
    """The ranks that systems can have."""
    parts = []
    for _, of in systems.groupby("measure", sort=False, observed=True):
        difference = least(of)
        ranks = {
            "rank": ranks_of(of["value"]),
            "rank_low": 1 + _above(difference).sum(axis=0),
            "rank_high": 1 + _may_be_above(difference).sum(axis=0),
        }
        part = of.assign(**ranks)
        order = np.lexsort((part["system"].astype(str), part["rank"]))
        parts.append(part.iloc[order])
    return pd.concat(parts, ignore_index=True)


def ranks_of(scores: pd.Series) -> np.ndarray:
    """Ranks from 1, the highest score first."""
    # kernels are compiled in advance for arrays without gaps
    return competition_ranks(np.ascontiguousarray(scores.to_numpy(float)))


def _above(least: np.ndarray) -> np.ndarray:
    """(S, S): whether the row's system scores more than the column's, whatever happens."""
    found = least > TOLERANCE
    np.fill_diagonal(found, val=False)
    return found


def _may_be_above(least: np.ndarray) -> np.ndarray:
    """(S, S): whether it may score more."""
    found = -least.T > TOLERANCE
    np.fill_diagonal(found, val=False)
    return found


def order_numbers(ranks: pd.DataFrame, least: Least, low: str, high: str) -> Iterator[tuple]:
    """Rows of measure, quantity and value: how much of each order is open.

    A pair of systems is open if either may score more than the other.
    """
    for measure, of in ranks.groupby("measure", sort=False, observed=True):
        may_be_above = _may_be_above(least(of))
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


def first_said(ranks: pd.DataFrame, whatever: str) -> str:
    """Which systems are first, or may be."""
    first = ranks.loc[ranks["rank_low"] == 1, "system"].astype(str).tolist()
    sure = ranks.loc[ranks["rank_high"] == 1, "system"].astype(str).tolist()
    if first == sure:
        is_first = "is" if len(first) == 1 else "are"
        return f"{named(first, 'system')} {is_first} first {whatever}."
    if len(first) == len(ranks):
        return "Any system may be first."
    if len(first) <= NAMED:
        return f"{listed(first)} may be first."
    return f"{counted(len(first), 'system')} may be first."


def widest_said(ranks: pd.DataFrame, measure: str, low: str, high: str) -> str:
    """The system whose score has the widest range, and the ranks that it may have."""
    width = (ranks[high] - ranks[low]).to_numpy(float)
    if not width.max() > TOLERANCE:
        return ""
    row = ranks.iloc[int(width.argmax())]
    ends = f"{row[low]:.3f} to {row[high]:.3f}"
    said = f"The {measure} of {row['system']} has the widest range, {ends}"
    if row["rank_low"] == row["rank_high"]:
        return f"{said}: its rank stays {row['rank_low']}."
    return f"{said}: its rank may be {row['rank_low']} to {row['rank_high']}."


def numbers_of(numbers: pd.DataFrame, measure: str) -> Mapping[str, float]:
    """The numbers of one measure, by quantity."""
    return by_quantity(of_measure(numbers, measure))
