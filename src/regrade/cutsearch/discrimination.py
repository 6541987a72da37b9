"""Discrimination of every cut: the share of pairs of systems that a paired t-test tells apart.

As τ_b of every cut (`regrade.cutsearch.system_tau`), it rests on scores per threshold, of which
those of a cut are made (`regrade.cutsearch.cut_scores`).  With x_ts the scores on T topics less the
mean of system s, the differences of two systems have variance (C_ii + C_jj − 2 C_ij) / (T − 1),
C = Σ_t x_ti x_tj, so one product of matrices serves all pairs.  It loses digits where two systems
are nearly the same; a pair whose t is then in doubt is tested from its differences.
"""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pyarrow as pa
from scipy.special import stdtrit

from regrade.compiled import njit
from regrade.cutsearch.cut_scores import CutScores, put_scores, scores_of_every_cut
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import ParameterError
from regrade.kendall import TOLERANCE
from regrade.measures import Measure, parse
from regrade.run_arrays import Judged, RankedLists
from regrade.significance.paired import centre

log = logging.getLogger(__name__)

CHUNK = 1024
"""Cuts per task: many more tasks than threads."""

DOUBT = 2.0**-23
"""By what share of its terms a sum of squares may be wrong, for each topic: twice float32's."""


@dataclass(frozen=True)
class CutGains:
    """Scores of S systems on T topics under any cut.

    Attributes
    ----------
    topics
        T names.
    of_cuts
        The scores of every cut, in parts.
    """

    topics: tuple[str, ...]
    of_cuts: CutScores

    @classmethod
    def of(
        cls,
        ranked: RankedLists,
        labels: pa.Table,
        levels: int,
        measure: str | Measure,
        thresholds: Thresholds,
    ) -> CutGains:
        """The scores that thresholds make."""
        judged = Judged.from_table(labels, ranked)
        measure = parse(measure)
        scores = scores_of_every_cut(ranked, judged, measure, thresholds, levels)
        return cls(judged.topics, scores)

    def scores(self, places: np.ndarray) -> np.ndarray:
        """Scores with a cut for each topic; (S, T) for places (T, k − 1)."""
        rows, of_cuts = np.arange(len(self.topics))[:, None], self.of_cuts
        lookups = of_cuts.lookups_of(places)
        gained = np.einsum("j,tjs->ts", of_cuts.weights, of_cuts.parts[rows, lookups])
        if of_cuts.ideal is None:
            return gained.T
        ideal = (of_cuts.ideal[rows, lookups] @ of_cuts.weights)[:, None]
        return np.divide(gained, ideal, out=np.zeros_like(gained), where=ideal > 0).T

    def shares(
        self, places: np.ndarray, significance: float = 0.05, threads: int = 1
    ) -> np.ndarray:
        """The share of pairs of systems that a paired t-test over topics tells apart."""
        if not 0 < significance < 1:
            raise ParameterError(f"significance: {significance} is not between 0 and 1")
        of_cuts = self.of_cuts
        n_topics, _, n_systems = of_cuts.parts.shape
        if n_topics < 2 or n_systems < 2:
            return np.full(len(places), np.nan)
        critical = float(stdtrit(n_topics - 1, 1 - significance / 2))
        lookups = of_cuts.lookups_of(places)

        def share(start: int) -> np.ndarray:
            chunk = lookups[start : start + CHUNK]
            return _shares(chunk, of_cuts.parts, of_cuts.divisors, of_cuts.weights, critical)

        with ThreadPoolExecutor(max_workers=threads) as pool:
            shares = list(pool.map(share, range(0, len(places), CHUNK)))
        log.info("tested pairs of systems under %d cuts", len(places))
        return np.concatenate([*shares, np.empty(0)])


def discriminated_share(scores: np.ndarray, significance: float = 0.05) -> float:
    """The share of pairs that one set of scores (S, T) tells apart; NaN as in `CutGains.shares`."""
    n_systems, n_topics = scores.shape
    if n_topics < 2 or n_systems < 2:
        return np.nan
    critical = float(stdtrit(n_topics - 1, 1 - significance / 2))
    scores = np.ascontiguousarray(scores.T)
    return _share(scores, critical)


@njit(cache=True, nogil=True)
def _shares(lookups, parts, ideal, weights, critical):
    """The share of pairs with a significant difference under each cut."""
    n_topics, _, n_systems = parts.shape
    shares = np.empty(lookups.shape[0])
    scores, total = np.empty((n_topics, n_systems)), np.empty(n_systems)
    centred = _rows_for(scores)
    for i in range(lookups.shape[0]):
        put_scores(scores, total, parts, lookups[i], ideal, weights, 1.0)
        shares[i] = _share_of(scores, centred, critical)
    return shares


@njit(cache=True, nogil=True)
def _share(scores, critical):
    """The share of pairs of columns of (T, S) scores that differ significantly."""
    return _share_of(scores, _rows_for(scores), critical)


@njit(cache=False, nogil=True)
def _rows_for(scores):
    """Rows for centred scores, and some of 0 up to a multiple of four; a last one for products."""
    return np.zeros(((scores.shape[0] + 3) // 4 * 4 + 1, scores.shape[1]), dtype=np.float32)


@njit(cache=False, nogil=True, fastmath={"contract"})
def _share_of(scores, centred, critical):
    """The share of pairs of columns of (T, S) scores with |t| above the critical one.

    Products are in float32, twice as fast; pairs whose t is then in doubt are tested anew.
    """
    n_topics, n_systems = scores.shape
    centred, products = centred[:-1], centred[-1]
    means = np.empty(n_systems)
    squares = centre(scores, means, centred)
    least = critical * critical / (n_topics * (n_topics - 1))
    doubt = least * DOUBT * (n_topics + 4)
    apart = 0
    for i in range(n_systems - 1):
        others = products[i + 1 :]
        others[:] = 0.0
        # four topics at a time, so that sums are read and written a quarter as often; here, since
        # a call for each system costs 7 %
        for t in range(0, centred.shape[0], 4):
            one, two = centred[t, i + 1 :], centred[t + 1, i + 1 :]
            three, four = centred[t + 2, i + 1 :], centred[t + 3, i + 1 :]
            a, b, c, d = centred[t, i], centred[t + 1, i], centred[t + 2, i], centred[t + 3, i]
            for j in range(others.shape[0]):
                others[j] = others[j] + a * one[j] + b * two[j] + c * three[j] + d * four[j]
        doubtful = 0
        for j in range(i + 1, n_systems):
            terms = squares[i] + squares[j]
            gap = means[i] - means[j]
            beyond = gap * gap - least * (terms - 2 * products[j])
            apart += beyond > 0
            doubtful += abs(beyond) <= doubt * terms + TOLERANCE**2
        if doubtful:
            for j in range(i + 1, n_systems):
                terms = squares[i] + squares[j]
                gap = means[i] - means[j]
                beyond = gap * gap - least * (terms - 2 * products[j])
                if abs(beyond) <= doubt * terms + TOLERANCE**2:
                    apart += _tested(scores[:, i], scores[:, j], critical) - (beyond > 0)
    return apart / (n_systems * (n_systems - 1) / 2)


@njit(cache=False, nogil=True)
def _tested(first, second, critical):
    """Whether |t| of the differences exceeds the critical one; as `regrade.significance.paired`."""
    n = first.shape[0]
    mean = 0.0
    for t in range(n):
        mean += _difference(first[t], second[t])
    mean /= n
    squares = 0.0
    for t in range(n):
        off = _difference(first[t], second[t]) - mean
        squares += off * off
    spread = sqrt(squares / (n - 1))
    if spread <= TOLERANCE:
        return int(mean != 0)
    return int(abs(mean) > critical * spread / sqrt(float(n)))


@njit(cache=True, nogil=True, inline="always")
def _difference(first, second):
    difference = first - second
    return 0.0 if abs(difference) <= TOLERANCE else difference
