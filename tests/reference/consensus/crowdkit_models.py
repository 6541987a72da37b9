"""Dawid–Skene and one-coin models of crowd-kit on simulated votes: makes the files beside it.

Run with crowd-kit 1.4.2: ``python tests/reference/consensus/crowdkit_models.py``. A negative
tolerance lets each model run all its iterations.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from crowdkit.aggregation import DawidSkene, OneCoinDawidSkene

HERE = Path(__file__).parent
ITERATIONS = 40


def votes():
    """Seven judges of 120 documents on three classes, a third of the labels missing."""
    random = np.random.default_rng(20260101)
    true = random.choice(3, 120, p=[0.5, 0.3, 0.2])
    rows = []
    for judge, accuracy in enumerate([0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.55]):
        for document, label in enumerate(true):
            if random.random() < 1 / 3:
                continue
            wrong = (label + random.integers(1, 3)) % 3
            rows.append((judge, document, label if random.random() < accuracy else wrong))
    return pd.DataFrame(rows, columns=["worker", "task", "label"])


if __name__ == "__main__":
    data = votes()
    data.to_csv(HERE / "votes.csv", index=False)
    for name, kind in {"dawid-skene": DawidSkene, "one-coin": OneCoinDawidSkene}.items():
        model = kind(n_iter=ITERATIONS, tol=-np.inf).fit(data)
        model.probas_.sort_index().sort_index(axis=1).to_csv(
            HERE / f"{name}-probabilities.csv", float_format="%.12g"
        )
        if name == "dawid-skene":
            model.errors_.sort_index().sort_index(axis=1).to_csv(
                HERE / f"{name}-confusion.csv", float_format="%.12g"
            )
        else:
            model.skills_.sort_index().to_csv(HERE / f"{name}-skills.csv", float_format="%.12g")
