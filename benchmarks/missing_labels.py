"""Intervals of full judging where labels of chosen documents are missing: docs/methods/estimate.md.

    python -m benchmarks.missing_labels --data FOLDER [--collection dl21] [--replays 30]

Of the worlds of `benchmarks.few_labels`: TREC 2021 DL with GPT-4o's UMBRELA and 5 % of NIST's
labels, and TREC-8 with a simulated model and 2 %.  Some labels are taken away: at random, or with
odds that grow with the grade, by a ratio from the lowest grade to the highest.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.few_labels import OTHER, Cell, Collection
from regrade.estimation.batches import Counting
from regrade.estimation.estimates import LabelledSample, estimate, learned_shares
from regrade.estimation.functionals import functionals
from regrade.estimation.inclusion import draw_fixed_sample, inclusion_probabilities
from regrade.estimation.labels import Levels
from regrade.estimation.measure_estimates import MeasureEstimate
from regrade.estimation.replays import full_values
from regrade.kendall import TOLERANCE
from regrade.randomness import generator

SHARE = {"dl21": 0.05, "trec8": 0.02}
"""Of documents that are labelled."""

TAKEN = (0.0, 0.01, 0.1, 0.3)
"""Of labels, on average."""

ODDS_RATIOS = (1.0, 2.0, 4.0)
"""Of the highest grade to the lowest."""

GAMMAS = (1.0, 2.0, 4.0, np.inf)
"""Of which intervals are made."""


def held(
    collection: Collection, taken: float, odds_ratio: float, replays: int
) -> Iterator[tuple[str, str, float, np.ndarray]]:
    """Measure, kind, Γ and the mean share of intervals that hold with their mean width."""
    cell = Cell(collection, OTHER[collection.name], "top")
    relevant = 2 if collection.name == "dl21" else 1
    of = functionals([f"P(rel={relevant})@10", "nDCG@10"], range(collection.levels))
    frame, grades, X = collection.frame, collection.grades, cell._features
    truths = [full_values(functional, frame, grades) for functional in of]
    inclusion = inclusion_probabilities(cell._importance, SHARE[collection.name] * len(frame))
    first, second = np.triu_indices(len(frame.systems), 1)
    odds = odds_ratio ** (grades / grades.max())
    kept = {}
    for r in range(replays):
        rng = generator(r, "missing labels", str(taken), str(odds_ratio))
        chosen = draw_fixed_sample(inclusion, frame.topic, rng)
        # odds that give the part that is taken, on average
        low, high = 0.0, 1e3
        for _ in range(60):
            middle = (low + high) / 2
            of_chosen = middle * odds[chosen] / (1 + middle * odds[chosen])
            low, high = (middle, high) if of_chosen.mean() < taken else (low, middle)
        lost = chosen & (rng.random(len(frame)) < low * odds / (1 + low * odds))
        labelled = np.flatnonzero(chosen & ~lost)
        counting = Counting.once(inclusion, chosen)
        sample = LabelledSample(inclusion, labelled, grades[labelled], counting)
        estimates = estimate(frame, X, sample, of, seed=r)
        shares = learned_shares(frame, X, sample, collection.levels - 1, r)
        for functional, one, truth in zip(of, estimates, truths, strict=True):
            off = one.values - truth
            for gamma in GAMMAS if taken else GAMMAS[-1:]:
                levels = Levels(shares, sample, np.flatnonzero(lost), gamma)
                estimated = MeasureEstimate(functional, one, frame, levels)
                kinds = {
                    "systems": (off, estimated.of_systems),
                    "pairs": (off[first] - off[second], estimated.of_pairs(first, second)),
                }
                for kind, (of_kind, reach) in kinds.items():
                    within = -reach[:, 1] - TOLERANCE <= of_kind
                    within &= of_kind <= reach[:, 0] + TOLERANCE
                    if not np.isnan(reach).any():
                        own = kept.setdefault((estimated.measure, kind, gamma), [])
                        own.append((within.mean(), reach.sum(axis=1).mean()))
    for (measure, kind, gamma), own in kept.items():
        yield measure, kind, gamma, np.mean(own, axis=0)


def main() -> None:
    """Print a row for each part taken away, odds ratio, measure and kind."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of real data")
    parser.add_argument("--collection", default="dl21", choices=SHARE)
    parser.add_argument("--replays", type=int, default=30)
    asked = parser.parse_args()
    collection = Collection(asked.data, asked.collection)
    print("taken,odds_ratio,measure,kind,gamma,held,width")
    for taken in TAKEN:
        for odds_ratio in ODDS_RATIOS if taken else ODDS_RATIOS[:1]:
            with threadpool_limits(1, "blas"):
                for row in held(collection, taken, odds_ratio, asked.replays):
                    *key, (share, width) = row
                    print(taken, odds_ratio, *key, f"{share:.4f},{width:.4f}", sep=",", flush=True)


if __name__ == "__main__":
    main()
