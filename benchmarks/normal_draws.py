"""Draws of many items from the normal distribution beside the bootstrap of items.

    python -m benchmarks.normal_draws

Systems that are equal but for one, whose lead is near the threshold; scores that are skewed, 0/1
and heavily tied.  Of `REPEATS` samples: the critical value of all pairs by both, and the largest
difference of p among p between 0.01 and 0.2.  The Monte Carlo error of one p of 0.05 is 0.0022.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from regrade.ranking.draws import deviations, drawn_times, normal_deviations

SYSTEMS, DRAWS, REPEATS = 20, 10_000, 5

KINDS = {
    "normal": lambda rng, shape: rng.normal(0, 1, shape),
    "skewed (exponential)": lambda rng, shape: rng.exponential(1, shape),
    "0/1, share 0.9": lambda rng, shape: (rng.random(shape) < 0.9).astype(float),
    "0/1, share 0.99": lambda rng, shape: (rng.random(shape) < 0.99).astype(float),
    "0 but for 1 % of items, exponential": lambda rng, shape: (
        rng.exponential(1, shape) * (rng.random(shape) < 0.01)
    ),
}


def main() -> None:
    """Print a table."""
    print("| scores | items | critical value: bootstrap | normal | largest difference of p |")
    print("|---|---|---|---|---|")
    for name, draw in KINDS.items():
        for items in (500, 1000, 2000):
            critical, apart = [], []
            for seed in range(REPEATS):
                rng = np.random.default_rng([seed, items])
                scores = draw(rng, (SYSTEMS, items)) + rng.normal(0, 1e-9, (SYSTEMS, items))
                lead = 3.0 * scores.std() * np.sqrt(2 / items) - scores[0].mean() + scores.mean()
                scores[0] += lead
                d = np.array([scores[i] - scores[j] for i, j in combinations(range(SYSTEMS), 2)])
                variance = d.var(axis=1, ddof=1)
                statistic = np.sqrt(items) * d.mean(axis=1)
                statistic /= np.sqrt(variance + variance.mean() / 2)
                times = drawn_times(items, DRAWS, seed)
                both = (
                    deviations(scores, times, statistic),
                    normal_deviations(scores, variance, DRAWS, seed, statistic),
                )
                critical.append([np.quantile(of.largest, 0.95) for of in both])
                p = np.array([of.p_pairs for of in both])
                near = ((p > 0.01) & (p < 0.2)).any(axis=0)
                apart.append(np.abs(p[0] - p[1])[near].max(initial=0.0))
            means = np.mean(critical, axis=0)
            print(f"| {name} | {items:,} | {means[0]:.3f} | {means[1]:.3f} | {max(apart):.4f} |",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
