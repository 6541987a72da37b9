"""Synthetic judgments of which the quality is known (chu2021 §4.1).

The true relevance of a topic's documents follows Beta(α_q, β_q), α_q and β_q uniform.  An assessor
perceives

    r̃ = r + σ ε₁ + σ e^w ε₂,     ε₁, ε₂ standard normal, w uniform              (Eq. 15)

and gives the grade of the G equal parts of [0, 1] in which r̃ lies.  Every `batch` topics have the
same assessors with one σ, uniform between batches.  Tests of preference are without error: the
truly more relevant document is preferred.

Not said by the paper: ε₁ and ε₂ are drawn for each judgment; r̃ outside [0, 1] gets the lowest or
the highest grade; preferences by grade are estimated for each batch, a collection of its own; κ, α
and Φ are of all documents of a batch together, since over five documents they are often undefined.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.agreement import alpha
from regrade.catalogue import columns_of
from regrade.choices import POWER_MODES
from regrade.errors import ParameterError
from regrade.percentiles import five_numbers
from regrade.power.agreement import fleiss_kappa, phi, weighted_kappa
from regrade.power.preferences import count_preferences
from regrade.power.topics import powers
from regrade.randomness import generator

QUALITIES = {"high": 0.1, "medium": 0.2, "low": 0.3}
"""Quality of judgments → the highest σ of it, the best first (§4.2.1)."""

REPRESENTATIVE = {"high": 0.05, "medium": 0.15, "low": 0.25}
"""Quality → the σ to which the batch of §4.2.3 is nearest."""

PDP = {mode: f"PDP {mode}" for mode in POWER_MODES}
AGREEMENTS = ("alpha", "fleiss", "weighted", "phi")
METRICS = (*PDP.values(), *AGREEMENTS)
"""What is held against σ."""


@dataclass(frozen=True)
class SyntheticParameters:
    """Of the synthetic collection; the defaults are the paper's (|Q|, Y, K, |U|, and ranges)."""

    topics: int = 10_000
    batch: int = 100
    documents: int = 5
    assessors: int = 15
    shape: tuple[float, float] = (2.0, 5.0)
    sigma: tuple[float, float] = (0.001, 0.3)
    w: tuple[float, float] = (-0.5, 0.5)
    seed: int = 1

    def __post_init__(self):
        """Refuse what cannot be drawn."""
        for name, least in (("topics", 1), ("batch", 1), ("documents", 2), ("assessors", 1)):
            if getattr(self, name) < least:
                raise ParameterError(f"{name} {getattr(self, name)} is less than {least}")

    @property
    def batches(self) -> int:
        """How many batches there are; the last may have fewer topics."""
        return -(-self.topics // self.batch)


@dataclass(frozen=True)
class Batch:
    """Topics that the same assessors judged.

    Attributes
    ----------
    sigma
        Their σ.
    truth
        (Y, K) float64: true relevance.
    perceived
        (Y, K, U) float64: what each assessor perceives.
    """

    sigma: float
    truth: np.ndarray
    perceived: np.ndarray

    def grades(self, levels: int) -> np.ndarray:
        """(Y, K, U) int64: the grade among `levels` equal parts of [0, 1]."""
        return np.clip(np.floor(self.perceived * levels), 0, levels - 1).astype(np.int64)


def draw_batch(parameters: SyntheticParameters, number: int) -> Batch:
    """A batch, the same whatever other batches there are."""
    rng = generator(parameters.seed, "synthetic judgments", str(number))
    topics = min(parameters.batch, parameters.topics - number * parameters.batch)
    sigma = rng.uniform(*parameters.sigma)
    a, b = rng.uniform(*parameters.shape, (2, topics, 1))
    truth = rng.beta(a, b, (topics, parameters.documents))
    shape = (*truth.shape, parameters.assessors)
    w = rng.uniform(*parameters.w, shape)
    first, second = rng.standard_normal((2, *shape))
    return Batch(sigma, truth, truth[:, :, None] + sigma * first + sigma * np.exp(w) * second)


def batch_table(
    parameters: SyntheticParameters,
    grades: Sequence[int] = tuple(range(2, 31)),
    *,
    metrics: Sequence[str] = METRICS,
    threads: int = 1,
) -> pd.DataFrame:
    """Every metric of every batch on every scale."""
    if min(grades) < 2:
        raise ParameterError(f"grades {min(grades)} is less than 2")

    def rows(number: int) -> list[tuple]:
        batch = draw_batch(parameters, number)
        of = (number, batch.sigma, quality(batch.sigma), len(batch.truth))
        rows = []
        for levels in grades:
            values = _metrics(batch, levels, metrics)
            rows += [(*of, levels, *pair) for pair in zip(metrics, values, strict=True)]
        return rows

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(rows, range(parameters.batches)))
    columns = columns_of("synthetic-power/batches")
    return pd.DataFrame([row for part in parts for row in part], columns=columns)


def quality(sigma: float) -> str | None:
    """The quality of judgments with that σ."""
    return next((name for name, highest in QUALITIES.items() if sigma <= highest), None)


def _metrics(batch: Batch, levels: int, metrics: Sequence[str]) -> list[float]:
    codes = batch.grades(levels)
    values = codes.reshape(-1, codes.shape[2]).astype(float)
    functions = {
        "alpha": lambda: alpha(values.T),
        "fleiss": lambda: fleiss_kappa(values),
        "weighted": lambda: weighted_kappa(values),
        "phi": lambda: phi(values, 0, levels - 1),
    }
    functions |= {
        name: lambda mode=mode: float(batch_powers(codes, batch.truth, levels, mode).mean())
        for mode, name in PDP.items()
    }
    return [functions[metric]() for metric in metrics]


def batch_powers(codes: np.ndarray, truth: np.ndarray, levels: int, mode: str) -> np.ndarray:
    """(Y,) PDP of each topic of a batch, from tests of all its pairs of documents."""
    if mode == POWER_MODES[1]:
        codes, levels = _twice_the_median(codes)[:, :, None], 2 * levels - 1
    first, second = np.triu_indices(truth.shape[1], 1)
    signal = np.sign(truth[:, first] - truth[:, second]).astype(np.int64).ravel()
    own, other = (codes[:, some].reshape(-1, codes.shape[2]) for some in (first, second))
    return _powers(codes, *count_preferences(own, other, signal, levels))


def _powers(codes, wins, tests) -> np.ndarray:
    known = (tests > 0) | np.eye(len(tests), dtype=bool)
    entropies = np.empty(len(codes))
    powers(codes, np.where(tests > 0, wins / np.maximum(tests, 1), 0.5), known, entropies)
    return entropies


def _twice_the_median(codes: np.ndarray) -> np.ndarray:
    """(Y, K) int64: the sum of the two middle grades, so that halves are integers too."""
    ordered = np.sort(codes, axis=2)
    n = codes.shape[2]
    return ordered[:, :, (n - 1) // 2] + ordered[:, :, n // 2]


def quality_means(batches: pd.DataFrame) -> pd.DataFrame:
    """Mean PDP by quality, mode and grades (Figure 4)."""
    rows = []
    for mode, name in PDP.items():
        some = batches[batches["metric"] == name]
        for level in QUALITIES:
            for grades, of in some[some["quality"] == level].groupby("grades"):
                mean = float(np.average(of["value"], weights=of["topics"]))
                rows.append((level, mode, grades, len(of), int(of["topics"].sum()), mean))
    columns = columns_of("synthetic-power/qualities")
    return pd.DataFrame(rows, columns=columns)


def consistency_table(batches: pd.DataFrame) -> pd.DataFrame:
    """Spearman's ρ of each metric with σ over batches (Figure 5)."""
    from scipy.stats import spearmanr  # slow to import

    rows = []
    for (grades, metric), some in batches.groupby(["grades", "metric"], sort=False):
        some = some.dropna(subset="value")
        rho = np.nan
        if some["value"].nunique() > 1:
            sign = 1 if metric in PDP.values() else -1
            rho = sign * float(spearmanr(some["sigma"], some["value"]).statistic)
        rows.append((grades, metric, len(some), rho))
    return pd.DataFrame(rows, columns=columns_of("synthetic-power/consistency"))


def reliability_table(
    parameters: SyntheticParameters,
    grades: Sequence[int] = (4, 7, 16),
    tests: Sequence[int] = (10, 20, 40, 80, 160, 320),
    *,
    repeats: int = 100,
    threads: int = 1,
) -> pd.DataFrame:
    """PDP from few tests of preference, of three batches (Figure 6, §4.2.3).

    Of each two aggregate grades, the same one included, `tests` pairs of documents are drawn with
    replacement, as often as given.  Both modes use the same tests; in individual mode each counts
    with the grades of every assessor, which is what makes more of them.
    """
    # σ is the first number that a batch draws: no need to make all of them
    sigmas = np.array(
        [
            generator(parameters.seed, "synthetic judgments", str(n)).uniform(*parameters.sigma)
            for n in range(parameters.batches)
        ]
    )
    nearest = {name: int(np.abs(sigmas - s).argmin()) for name, s in REPRESENTATIVE.items()}
    cells = [(name, levels, count) for name in nearest for levels in grades for count in tests]

    def rows(cell: tuple[str, int, int]) -> list[tuple]:
        name, levels, count = cell
        batch = draw_batch(parameters, nearest[name])
        rng = generator(parameters.seed, "drawn tests", name, str(levels), str(count))
        drawn = _drawn_powers(batch, levels, count, repeats, rng)
        rows = []
        for mode, values in drawn.items():
            full = batch_powers(batch.grades(levels), batch.truth, levels, mode).mean()
            of = (name, batch.sigma, mode, levels, count, repeats, float(full))
            rows.append((*of, *five_numbers(values).values()))
        return rows

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(rows, cells))
    columns = columns_of("synthetic-power/reliability")
    return pd.DataFrame([row for part in parts for row in part], columns=columns)


def _drawn_powers(batch: Batch, levels: int, count: int, repeats: int, rng) -> dict:
    """Mode → (repeats,) mean PDP, each from tests drawn anew."""
    individual = batch.grades(levels)
    aggregate = _twice_the_median(individual)[:, :, None]
    codes = {"individual": (individual, levels), "aggregate": (aggregate, 2 * levels - 1)}
    first, second = np.triu_indices(batch.truth.shape[1], 1)
    signal = np.sign(batch.truth[:, first] - batch.truth[:, second]).astype(np.int64).ravel()
    pair = np.sort(np.stack([aggregate[:, first, 0], aggregate[:, second, 0]]), axis=0)
    cell = (pair[0] * (2 * levels - 1) + pair[1]).ravel()
    order = np.argsort(cell, kind="stable")
    _, starts, sizes = np.unique(cell[order], return_index=True, return_counts=True)
    values = {mode: np.empty(repeats) for mode in codes}
    for n in range(repeats):
        chosen = starts[:, None] + np.floor(rng.random((len(starts), count)) * sizes[:, None])
        chosen = order[chosen.astype(np.int64).ravel()]
        for mode, (grades, size) in codes.items():
            own = grades[:, first].reshape(-1, grades.shape[2])[chosen]
            other = grades[:, second].reshape(-1, grades.shape[2])[chosen]
            counted = count_preferences(own, other, signal[chosen], size)
            values[mode][n] = _powers(grades, *counted).mean()
    return values


def extended_grades(
    grades: np.ndarray, levels: int, certainty: float, rng: np.random.Generator
) -> np.ndarray:
    """Grades 0 … G − 1 spread over 2G − 1 grades (chu2021 Eq. 16).

    P(g' | g) ∝ exp(− w |2 g − g'|)
    """
    if not certainty >= 0:
        raise ParameterError(f"certainty {certainty} is below 0")
    grades = np.asarray(grades, dtype=np.int64)
    if np.isinf(certainty):
        return 2 * grades
    far = np.abs(np.subtract.outer(2 * np.arange(levels), np.arange(2 * levels - 1)))
    shares = np.exp(-certainty * far).cumsum(axis=1)
    shares /= shares[:, -1:]
    # the place of each draw among the cumulative shares of its grade
    return (shares[grades] <= rng.random(len(grades))[:, None]).sum(axis=1)
