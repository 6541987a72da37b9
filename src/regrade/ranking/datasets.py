"""Rankings on each of several data sets, and over them.

Over the data sets that there are (*fixed*) a system's score is the mean of its data sets' means;
its uncertainty is that of the items within them (`regrade.ranking.sample`).  Were other data sets
to be asked about (*as a sample*), a system has one value per data set, and all that follows from
scores on topics follows from these D values.  Beside the rank by mean score stands that by mean
rank, which counts a small difference as much as a large one.

References
----------
Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine Learning
Research 7, 2006.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import special

from regrade.catalogue import columns_of
from regrade.correlations import competition_ranks
from regrade.intervals import INTERVALS
from regrade.item_scores.scores import ScoreDesign
from regrade.kendall import TOLERANCE, places
from regrade.ranking.layout import Layout
from regrade.ranking.pairs import AllPairs, mean_ends
from regrade.ranking.sample import Sample
from regrade.sample_means import skewed_ends, skewness
from regrade.significance.discrimination import SIGNIFICANCE


def average_ranks(means: np.ndarray) -> np.ndarray:
    """(S, D) ranks on each data set, the highest mean first; ties share the mean of their ranks."""
    from scipy.stats import rankdata  # slow to import

    return np.apply_along_axis(lambda column: rankdata(-places(column)), 0, means)


def friedman_p(ranks: np.ndarray) -> float:
    """p of Friedman's test that no system ranks higher than another, corrected for ties.

    NaN of one system or data set, and where all tie on each.
    """
    systems, sets = ranks.shape
    off = ranks - (systems + 1) / 2
    squares = float((off**2).sum())
    if systems < 2 or sets < 2 or squares <= TOLERANCE:
        return np.nan
    statistic = (systems - 1) * float((off.sum(axis=1) ** 2).sum()) / squares
    return float(special.chdtrc(systems - 1, statistic))


class DatasetRankings:
    """Tables of the systems' rankings on each data set.

    Parameters
    ----------
    names
        Of the S systems, the best first.
    scores : array of float64, shape (S, T)
        Of items.
    design
        Of several data sets.
    draws, seed, threads
        Of data sets, for the systems that may be the best.
    """

    def __init__(
        self,
        names: Sequence[str],
        scores: np.ndarray,
        design: ScoreDesign,
        draws: int,
        seed: int,
        threads: int,
    ):
        self.names, self.scores, self.design = names, scores, design
        self.present = np.unique(design.datasets)
        self.samples = [self._sample(code) for code in self.present]
        self.means = np.stack([of.values.mean(axis=1) for of in self.samples], axis=1)
        self.ranks = average_ranks(self.means)
        self.over = AllPairs.of(self.means, draws, seed, threads)

    def _sample(self, code: int) -> Sample:
        is_in = self.design.datasets == code
        clusters = self.design.clusters
        layout = None if clusters is None else Layout.of(clusters[is_in], None)
        return Sample.of(np.ascontiguousarray(self.scores[:, is_in]), layout)

    def of_each(self) -> pd.DataFrame:
        """``ranking/datasets`` without the measure."""
        parts = []
        for code, sample in zip(self.present, self.samples, strict=True):
            means = sample.values.mean(axis=1)
            low, high = mean_ends(sample.values, sample)
            ranks = competition_ranks(means)
            part = pd.DataFrame({
                "dataset": self.design.dataset_names[code],
                "system": self.names,
                "items": sample.items.shape[1],
                "mean": means, "low": low, "high": high, "rank": ranks,
            })  # fmt: skip
            parts.append(part.iloc[np.argsort(ranks, kind="stable")])
        return pd.concat(parts, ignore_index=True)[columns_of("ranking/datasets")[1:]]

    def over_all(self) -> pd.DataFrame:
        """``ranking/dataset_ranks`` without the measure."""
        of_means, of_ranks = self.means.mean(axis=1), self.ranks.mean(axis=1)
        low, high = dataset_ends(self.means)
        p_best = np.full(len(of_means), np.nan)
        if self.over.deviations is not None:
            p_best = self.over.deviations.p_best
        may_be = pd.array(np.where(np.isnan(p_best), False, p_best > SIGNIFICANCE), "boolean")
        may_be[np.isnan(p_best)] = pd.NA
        table = pd.DataFrame({
            "system": self.names, "mean": of_means, "low": low, "high": high,
            "rank": competition_ranks(of_means), "mean_rank": of_ranks,
            "rank_by_mean_rank": competition_ranks(-of_ranks),
            "may_be_best": may_be.astype(object), "p_best": p_best,
        })  # fmt: skip
        return table[columns_of("ranking/dataset_ranks")[1:]]

    def reordered(self) -> int:
        """Pairs that the rank by mean score and that by mean rank put in opposite orders."""
        score, rank = places(self.means.mean(axis=1)), places(-self.ranks.mean(axis=1))
        opposite = 0
        for s in range(len(score)):
            by_score, by_rank = np.sign(score[s] - score[:s]), np.sign(rank[s] - rank[:s])
            opposite += int((by_score * by_rank < 0).sum())
        return opposite


def dataset_ends(means: np.ndarray) -> np.ndarray:
    """(2, S) ends of intervals of means over the population of data sets, of (S, D) means."""
    count = means.shape[1]
    if count < INTERVALS["mean_over_datasets"].fewest:
        return np.full((2, len(means)), np.nan)
    error = means.std(axis=1, ddof=1) / np.sqrt(count)
    return skewed_ends(means.mean(axis=1), error, skewness(means), count, count - 1)
