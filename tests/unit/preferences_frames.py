"""Tables of preferences for the tests."""

import numpy as np
import pandas as pd


def preferences(*rows, topic="1", sides=True, worker=None, unit=None):
    """Rows of (left, right, strength[, topic]) as a frame in schema ``preferences``."""
    rows = [(*row, topic)[:4] for row in rows]
    frame = pd.DataFrame(rows, columns=["left", "right", "strength", "topic"])
    frame = frame.assign(sides=sides, worker=worker, unit=unit, position=None, seconds=None)
    names = ["topic", "left", "right", "sides", "worker", "unit", "position", "strength", "seconds"]
    return frame[names].astype({"strength": float})


def wins(*pairs, **options):
    """Of "AB": A is preferred to B, and stands left."""
    return preferences(*((winner, loser, -1) for winner, loser in pairs), **options)


def drawn(seed, answer, *, n, rows, topics):
    """Pairs of n documents drawn at random, with `answer` (rng, pairs) to those of each topic."""
    rng = np.random.default_rng(seed)
    parts = []
    for topic in topics:
        pairs = [rng.choice(n, 2, replace=False) for _ in range(rows)]
        said = zip(pairs, answer(rng, pairs), strict=True)
        parts.append(preferences(*((f"d{i}", f"d{j}", s) for (i, j), s in said), topic=topic))
    return pd.concat(parts, ignore_index=True)
