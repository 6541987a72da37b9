"""Which orders of systems are possible where each score has a range: of ties, of unjudged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from regrade.answers.words import NAMED, counted, listed, named
from regrade.correlations import competition_ranks
from regrade.rankings import TOLERANCE


def rank_ranges(systems: pd.DataFrame, low: str, high: str) -> pd.DataFrame:
    """The ranks that systems can have, each score being anywhere in its range.

    Parameters
    ----------
    systems
        ``measure``, ``system``, ``value`` and the ends of its range.
    low, high
        The columns of the ends.

    Returns
    -------
    DataFrame
        The best by each measure first, with ``rank``, ``rank_low`` (1 + those that score more
        whatever happens) and ``rank_high`` (as many as score less whatever happens come after).
    """
    parts = []
    for _, of in systems.groupby("measure", sort=False, observed=True):
        least, most = (of[name].to_numpy(float) for name in (low, high))
        above, may_be_above = _beats(least, most), _beats(most, least)
        np.fill_diagonal(may_be_above, val=False)
        ranks = {
            "rank": ranks_of(of["value"]),
            "rank_low": 1 + above.sum(axis=0),
            "rank_high": 1 + may_be_above.sum(axis=0),
        }
        part = of.assign(**ranks)
        order = np.lexsort((part["system"].astype(str), part["rank"]))
        parts.append(part.iloc[order])
    return pd.concat(parts, ignore_index=True)


def ranks_of(scores: pd.Series) -> np.ndarray:
    """Ranks from 1, the highest score first."""
    # kernels are compiled in advance for arrays without gaps
    return competition_ranks(np.ascontiguousarray(scores.to_numpy(float)))


def _beats(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(S, S): whether the one score of the row's system is above the other of the column's."""
    return one[:, None] > other[None, :] + TOLERANCE


def order_numbers(ranks: pd.DataFrame, low: str, high: str) -> Iterator[tuple]:
    """Rows of measure, quantity and value: how much of each order is open.

    A pair of systems is open if either may score more than the other.
    """
    for measure, of in ranks.groupby("measure", sort=False, observed=True):
        least, most = (of[name].to_numpy(float) for name in (low, high))
        may_be_above = _beats(most, least)
        is_open = np.triu(may_be_above & may_be_above.T, 1).sum()
        pairs = len(of) * (len(of) - 1) // 2
        rank, first, last = (of[name].to_numpy() for name in ("rank", "rank_low", "rank_high"))
        yield measure, "systems", len(of)
        yield measure, "pairs", pairs
        yield measure, "open pairs", is_open
        yield measure, "certain pairs", pairs - is_open
        yield measure, "open ranks", ((first < rank) | (last > rank)).sum()
        yield measure, "farthest", max((rank - first).max(), (last - rank).max())
        yield measure, "may be first", (first == 1).sum()
        yield measure, "widest range", (most - least).max()


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


def of_measure(numbers: pd.DataFrame, measure: str) -> Mapping[str, float]:
    """The numbers of one measure, by quantity."""
    of = numbers[numbers["measure"].astype(str) == measure]
    return dict(zip(of["quantity"].astype(str), of["value"], strict=True))
