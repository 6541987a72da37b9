"""Which runs are the same: they tie by any measure and on any topics."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from regrade.run_arrays import RankedLists


class RunCopies:
    """Which of S systems have the same run, of rankings that come by some topics at a time."""

    def __init__(self):
        self._digests: list = []

    def add(self, ranked: RankedLists) -> None:
        """Look at the rankings of the same systems for further topics."""
        self._digests = self._digests or [blake2b(digest_size=16) for _ in ranked.systems]
        for digest, starts, stops in zip(self._digests, ranked.starts, ranked.stops, strict=True):
            digest.update((stops - starts).tobytes())
            for start, stop in zip(starts, stops, strict=True):
                digest.update(ranked.documents[start:stop].tobytes())

    def first(self) -> np.ndarray:
        """(S,) int64: the first system that ranks the same documents for every topic."""
        first: dict[bytes, int] = {}
        own = [first.setdefault(one.digest(), s) for s, one in enumerate(self._digests)]
        return np.array(own, dtype=np.int64)
