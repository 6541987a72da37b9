"""Answers of a small crowd to all questions, drawn at random."""

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS
from regrade.preferences.checks import check_answers


def answers(seed=1, *, topics=2, workers=3, units=2, documents=6, pairs=6, partitions=3):
    """A table of schema ``preferences`` with every column filled in."""
    rng = np.random.default_rng(seed)
    rows = []
    for t in range(topics):
        names = [f"d{d}" for d in range(documents)]
        worth = rng.random(documents)
        for w in range(workers):
            for u in range(units):
                shown = rng.choice(documents, 4, replace=False)
                for position in range(pairs):
                    left, right = rng.choice(shown, 2, replace=False)
                    scores = np.round(10 * rng.random(2) * worth[[left, right]])
                    rows.append(
                        {
                            "topic": str(t),
                            "left": names[left],
                            "right": names[right],
                            "sides": True,
                            "worker": f"w{w}",
                            "unit": f"u{w}{u}",
                            "position": position + 1,
                            "strength": float(rng.choice([-1, 1])),
                            "seconds": float(rng.gamma(2, 20)),
                            "left_score": scores[0],
                            "right_score": scores[1],
                            "left_relevant": bool(rng.random() < worth[left]),
                            "right_relevant": bool(rng.random() < worth[right]),
                            "trusted": bool(rng.random() < 0.8),
                            "test": position == 0,
                            "partition": int((w * units + u) % partitions + 1),
                        }
                    )
    return pa.Table.from_pylist(rows, schema=SCHEMAS["preferences"])


def collected(seed=1, **sizes):
    """Such answers, those that count and those that are left out by the rules."""
    return check_answers(answers(seed, **sizes))


def kept(seed=1, **sizes):
    """Such answers that count by the rules."""
    return collected(seed, **sizes).answers


def changed(table, **columns):
    """The table with other values in some columns; None: unknown."""
    frame = table.to_pandas().assign(**columns)
    return pa.Table.from_pandas(frame, schema=SCHEMAS["preferences"], preserve_index=False)


def labels(seed=2, *, topics=2, documents=5):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        [
            (str(t), f"d{d}", float(rng.integers(0, 2)))
            for t in range(topics)
            for d in range(documents)
        ],
        columns=["topic", "docno", "grade"],
    )
