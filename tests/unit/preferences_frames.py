"""Tables of preferences for the tests."""

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
