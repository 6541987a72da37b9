"""Groups of workers who agree among each other, from what each two gave to shared documents.

Two workers' agreement is the sum, over the documents that both judged, of the products of their
standardised values; of workers who have nothing to do with each other it has mean 0 and, as
variance, the number of these documents.  A group is told by all its pairs together, since each two
workers of a crowd share few documents: its sum over the square root of its variance is held
against what the best of all groups of its size reaches by chance (a union bound: z² = 2 log of
their number over 0.05).  Candidates are the beginnings of the workers' order on the leading
eigenvector of the matrix of sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import gammaln

SIGNIFICANCE = 0.05
"""Of a group, all of its size being tried."""

SMALLEST = 3
"""Workers of a group: two who agree are a pair."""

APART = 3.0
"""Two groups agree with each other from so many standard errors on, and are one."""

FEWEST = 10
"""Shared documents from which on two workers are compared with each other."""

COPIED = 0.9
"""Who copies gives the same value at least so often."""


@dataclass(frozen=True, eq=False)
class Pairwise:
    """Each two workers beside each other.

    Attributes
    ----------
    workers
        Their names, sorted.
    sums, shared, equal : array of shape (W, W)
        Sums of products of standardised values; documents that both judged, and of these the ones
        with equal values; 0 on the diagonal.
    """

    workers: np.ndarray
    sums: np.ndarray
    shared: np.ndarray
    equal: np.ndarray

    @classmethod
    def of(cls, once: pd.DataFrame) -> Pairwise:
        """Of rows with topic, docno, worker and value, each worker once for a document."""
        workers, worker = np.unique(once["worker"].to_numpy(str), return_inverse=True)
        document = once.groupby(["topic", "docno"]).ngroup().to_numpy()
        value = once["value"]
        by_worker = once.groupby("worker")["value"]
        away, spread = value - by_worker.transform("mean"), by_worker.transform("std", ddof=0)
        score = np.where(spread > 0, away / spread.where(spread > 0, 1.0), 0.0)
        answers = once.groupby(["topic", "docno", "value"]).ngroup().to_numpy()
        ones = np.ones(len(once))
        parts = []
        for values, column in ((score, document), (ones, document), (ones, answers)):
            of = sparse.csr_array((values, (worker, column)))
            parts.append((of @ of.T).toarray())
        sums, shared, equal = parts
        for part in (sums, shared, equal):
            np.fill_diagonal(part, 0.0)
        return cls(workers, sums, shared, equal)

    def groups(self) -> list[np.ndarray]:
        """Places of the workers of each group, the largest first."""
        rest, groups = np.arange(len(self.workers)), []
        while len(group := self._best_group(rest)):
            groups.append(group)
            rest = np.setdiff1d(rest, group)
        return sorted(self._joined(groups), key=len, reverse=True)

    def _best_group(self, rest: np.ndarray) -> np.ndarray:
        """The most significant group among some workers; empty where none is."""
        n = len(rest)
        if n < SMALLEST:
            return rest[:0]
        sums, shared = (part[np.ix_(rest, rest)] for part in (self.sums, self.shared))
        _, vectors = np.linalg.eigh(sums)
        leading = vectors[:, -1] * (np.sign(vectors[:, -1].sum()) or 1.0)
        order = np.argsort(-leading, kind="stable")
        sizes = np.arange(1, n + 1)
        inner = [
            np.tril(part[np.ix_(order, order)]).sum(axis=1).cumsum() for part in (sums, shared)
        ]
        z = np.divide(inner[0], np.sqrt(inner[1]), out=np.zeros(n), where=inner[1] > 0)
        chosen = gammaln(n + 1) - gammaln(sizes + 1) - gammaln(n - sizes + 1)
        beyond = z - np.sqrt(2 * (chosen + np.log(1 / SIGNIFICANCE)))
        beyond[: SMALLEST - 1] = -np.inf
        best = int(z[SMALLEST - 1 :].argmax()) + SMALLEST - 1
        return rest[order[: best + 1]] if beyond[best] > 0 else rest[:0]

    def _joined(self, groups: list[np.ndarray]) -> list[np.ndarray]:
        """The groups, those that agree with each other put together."""
        groups = list(groups)
        for i in range(len(groups)):
            for j in range(len(groups) - 1, i, -1):
                between = np.ix_(groups[i], groups[j])
                shared = self.shared[between].sum()
                if shared and self.sums[between].sum() > APART * np.sqrt(shared):
                    groups[i] = np.concatenate([groups[i], groups.pop(j)])
        return groups

    def copies(self) -> list[np.ndarray]:
        """Places of workers who give nearly the same values, and do so with nobody else.

        Pairs that share enough documents are joined by how often they are equal, the most often
        first; a group is told where the share of equal values within it is at least `COPIED` and
        significantly above the highest share of one of its workers with somebody outside.
        """
        enough = self.shared >= FEWEST
        share = np.where(enough, self.equal / np.maximum(self.shared, 1), 0.0)
        tests = max(np.count_nonzero(np.triu(enough)), 1)
        near = sparse.csr_array(share >= COPIED)
        _, part = sparse.csgraph.connected_components(near, directed=False)
        groups = []
        for place in np.flatnonzero(np.bincount(part) > 1):
            own, others = np.flatnonzero(part == place), np.flatnonzero(part != place)
            inside, across = np.ix_(own, own), np.ix_(own, others)
            n, equal = self.shared[inside].sum() / 2, self.equal[inside].sum() / 2
            if not enough[across].any() or not n:
                continue  # all alike: nobody is there to agree less with
            at = np.unravel_index(share[across].argmax(), share[across].shape)
            most, m = share[across][at], self.shared[across][at]
            pooled = (equal + most * m) / (n + m)
            error = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
            limit = np.sqrt(2 * np.log(tests / SIGNIFICANCE))
            if equal / n >= COPIED and error > 0 and equal / n - most > limit * error:
                groups.append(own)
        return sorted(groups, key=len, reverse=True)
