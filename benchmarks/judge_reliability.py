"""How far from the truth the reliability by several judges is.

    python -m benchmarks.judge_reliability [--data FOLDER] [--repetitions 200]

Populations are scores of systems on topics by many judges; a sample has as many topics, with
replacement, and judges as said.  Printed are Eρ² of one judge and of as many, and of what samples
say less that the mean and the standard deviation: the table of docs/methods/ranking.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.samples import asked, print_head
from regrade.ranking.reliability import coefficients, components
from tests.coverage.topics import dl21_scores

TOPICS = (10, 25, 50)

JUDGES = (2, 3, 5)

EVERY = (600, 100)
"""Topics and judges of made populations."""

DEVIATIONS = {"s": 0.1, "t": 0.15, "j": 0.05, "st": 0.15, "sj": 0.06, "tj": 0.05, "stj": 0.1}
"""Of made effects; of the systems, of what judges do to them, and so on."""


def main() -> None:
    """Print the table."""
    given = asked(__doc__, 200)
    print_head("population", "judges", *(f"{topics} topics" for topics in TOPICS))
    for name, source in populations(given.data):
        population = source()
        for judges in JUDGES:
            of = partial(cell, population, judges, repetitions=given.repetitions)
            print(f"| {name} | {judges} |", " | ".join(map(of, TOPICS)), "|", flush=True)


def populations(data: Path | None) -> Iterator[tuple[str, Callable[[], np.ndarray]]]:
    """(S, T, J) scores by name."""
    yield "simulated: 20 systems, judges alike", partial(_made, 1.0)
    yield "simulated: 20 systems, every fifth judge errs six times as much", partial(_made, 6.0)
    if data is not None:
        yield "TREC 2021 DL: nDCG@10, 63 systems, models", partial(_models, data, 63)
        yield "TREC 2021 DL: nDCG@10, the best 20, models", partial(_models, data, 20)


def _made(worse: float) -> np.ndarray:
    rng = np.random.default_rng(1)
    sizes = dict(zip("stj", (20, *EVERY), strict=True))
    errs = np.where(np.arange(EVERY[1]) % 5, 1.0, worse)
    errs /= np.sqrt((errs**2).mean())
    scores = np.zeros(tuple(sizes.values()))
    for facets, deviation in DEVIATIONS.items():
        effect = rng.normal(0, deviation, [sizes[f] if f in facets else 1 for f in "stj"])
        scores = scores + effect * (errs if {"s", "j"} <= set(facets) else 1)
    return scores


def _models(data: Path, systems: int) -> np.ndarray:
    """Under the labels of all models that judged all topics."""
    names = sorted(file.name.partition(".qrels")[0] for file in data.glob("dl21/judges/*.gz"))
    of = [dl21_scores(data, name)[1] for name in names]
    most = max(scores.shape[1] for scores in of)
    scores = np.stack([scores for scores in of if scores.shape[1] == most], axis=2)
    return scores[np.argsort(-scores.mean(axis=(1, 2)), kind="stable")[:systems]]


def cell(population: np.ndarray, judges: int, topics: int, repetitions: int) -> str:
    """Eρ² by one judge and by all, and how far samples are from it."""
    rng = np.random.default_rng([1, topics, judges])
    true = _said(population, topics, judges)
    found = np.empty((repetitions, 2))
    for r in range(repetitions):
        drawn = population[:, rng.integers(0, population.shape[1], topics)]
        drawn = drawn[:, :, rng.choice(population.shape[2], judges, replace=False)]
        found[r] = _said(drawn, topics, judges)
    error = found - true
    parts = zip(true, error.mean(axis=0), error.std(axis=0, ddof=1), strict=True)
    return "; ".join(f"{t:.2f}: {mean:+.2f}, {spread:.2f}" for t, mean, spread in parts)


def _said(scores: np.ndarray, topics: int, judges: int) -> list[float]:
    known = components(scores, "stj")
    return [coefficients(known, {"t": topics, "j": number})[0] for number in (1, judges)]


if __name__ == "__main__":
    main()
