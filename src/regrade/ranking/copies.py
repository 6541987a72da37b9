"""Which runs are the same: they tie by any measure and on any topics."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from regrade.run_arrays import RankedLists


def same_runs(chunks: Iterable[RankedLists]) -> np.ndarray:
    """Of each system, the place of the first that ranks the same documents for every topic.

    Parameters
    ----------
    chunks
        Rankings of the same S systems for different topics.

    Returns
    -------
    array of int64, shape (S,)
    """
    digests: list = []
    for ranked in chunks:
        digests = digests or [blake2b(digest_size=16) for _ in ranked.systems]
        for digest, starts, stops in zip(digests, ranked.starts, ranked.stops, strict=True):
            digest.update((stops - starts).tobytes())
            for start, stop in zip(starts, stops, strict=True):
                digest.update(ranked.documents[start:stop].tobytes())
    first: dict[bytes, int] = {}
    return np.array([first.setdefault(d.digest(), s) for s, d in enumerate(digests)], dtype=int)
