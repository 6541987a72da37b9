"""Probabilities of levels for documents that had no part in what they are found by.

Either whole *topics* are left out (what a new topic may expect), or some of each topic's
*documents* (what the others of a topic that has labels may expect).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from regrade.calibration import maps
from regrade.errors import MethodError
from regrade.randomness import generator
from regrade.tables import label_frame

TOPICS, DOCUMENTS = "topics", "documents"

LEFT_OUT = (TOPICS, DOCUMENTS)


@dataclass(frozen=True, eq=False)
class Both:
    """N documents that a judge and people judged, by topic and docno.

    Attributes
    ----------
    topics
        T names, ascending.
    topic
        (N,) int64 codes, ascending.
    docnos
        (N,) str objects.
    values
        (N,) float64: the judge's.
    levels
        (N,) int64: people's, 0 … L − 1.
    count
        L.
    """

    topics: tuple[str, ...]
    topic: np.ndarray
    docnos: np.ndarray
    values: np.ndarray
    levels: np.ndarray
    count: int

    @classmethod
    def of(cls, values: pa.Table, reference: pa.Table, count: int) -> Both:
        """Documents of two tables of schema ``qrels``."""
        own, other = map(label_frame, (values, reference))
        both = own.merge(other, on=["topic", "docno"], suffixes=("_own", "_other"))
        if both.empty:
            raise MethodError(
                "no document has both a value and a label: do docnos have the same format?"
            )
        both = both.sort_values(["topic", "docno"], ignore_index=True)
        topics, topic = np.unique(both["topic"].to_numpy(str), return_inverse=True)
        return cls(
            tuple(topics.tolist()),
            topic.astype(np.int64),
            both["docno"].to_numpy(object),
            both["grade_own"].to_numpy(float),
            both["grade_other"].to_numpy().astype(np.int64),
            count,
        )

    def __len__(self) -> int:
        """N."""
        return len(self.values)

    def means(self, values: np.ndarray) -> np.ndarray:
        """(T,) means over each topic's documents of (N,) values."""
        documents = np.bincount(self.topic, minlength=len(self.topics))
        return np.bincount(self.topic, values, len(self.topics)) / documents

    def table(self, grades: np.ndarray) -> pa.Table:
        """Labels of the documents: topic, docno, grade."""
        names = np.array(self.topics, object)[self.topic]
        columns = {"topic": names, "docno": self.docnos, "grade": grades.astype(float)}
        return pa.table({name: pa.array(column) for name, column in columns.items()})


def parts(both: Both, left_out: str, folds: int, seed: int) -> np.ndarray:
    """(N,) the part that each document is left out with."""
    if left_out == TOPICS:
        order = generator(seed, "parts of topics").permutation(len(both.topics))
        return (order % folds)[both.topic]
    part = np.empty(len(both), np.int64)
    for t, topic in enumerate(both.topics):
        own = both.topic == t
        part[own] = generator(seed, "parts of documents", topic).permutation(own.sum()) % folds
    return part


def held_out(both: Both, left_out: str, folds: int, seed: int) -> Iterator[tuple[str, np.ndarray]]:
    """Each map's name, and the (N, L) probabilities that it gives to what it has not seen.

    None where every topic has one document, and documents are left out.
    """
    part = parts(both, left_out, folds, seed)
    if part.min() == part.max():
        if left_out == DOCUMENTS:
            return  # a document of each topic: it has no others
        raise MethodError(
            "there is only one topic: nothing remains to learn from when it is held out; "
            "give labels of more topics, or leave this out"
        )
    for name in maps.MAPS:
        shares = np.empty((len(both), both.count))
        for number in np.unique(part):
            its = part == number
            if name == maps.BY_TOPIC:
                rng = generator(seed, "calibrate", left_out, str(number))
                taught = (both.values, both.topic, ~its, both.levels, both.count, rng)
                shares[its] = maps.shares_by_topic(*taught)[its]
            else:
                learned = maps.fit(name, both.values[~its], both.levels[~its], both.count)
                shares[its] = learned(both.values[its])
        yield name, shares
