"""How often the system that is first in most draws of topics truly is first.

    python -m benchmarks.first [--data FOLDER] [--repetitions 400]

Populations and samples are those of ``tests/coverage/ranking.py``.  Printed is, of all systems of
all samples whose share of draws lies in a band, in how many of these cases the system is the best
of the population: the table of docs/methods/ranking.md.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from benchmarks.samples import asked, print_head
from regrade.ranking.draws import drawn_times
from tests.coverage.ranking import drawn_samples, populations

BANDS = (0.01, 0.2, 0.5, 0.8, 0.9, 0.95, 1.0)

DRAWS = 1000

TOPICS = 50


def main() -> None:
    """Print the table."""
    given = asked(__doc__, 400)
    heads = [f"{low:.0%}–{high:.0%}" for low, high in pairwise(BANDS)]
    print_head(f"population, {TOPICS} topics", *heads)
    for name, source in populations(given.data).items():
        print(f"| {name} |", " | ".join(calibrated(source, given.repetitions)), "|")


def calibrated(source: Callable[[], np.ndarray], repetitions: int) -> list[str]:
    """Of each band, in how many cases the system is the best, and how many cases there are."""
    population = source()
    truth = population.mean(axis=1)
    is_best = np.isclose(truth, truth.max(), rtol=0, atol=1e-12)
    shares = []
    for r, scores in enumerate(drawn_samples(population, TOPICS, repetitions, seed=1)):
        means = drawn_times(TOPICS, DRAWS, r) @ scores.T / TOPICS
        shares.append((means >= means.max(axis=1, keepdims=True) - 1e-12).mean(axis=0))
    found, right = np.concatenate(shares), np.tile(is_best, repetitions)
    cells = []
    for low, high in pairwise(BANDS):
        own = right[(found > low) & (found <= high)]
        cells.append(f"{own.mean():.0%} of {len(own):,}" if len(own) else "")
    return cells


if __name__ == "__main__":
    main()
