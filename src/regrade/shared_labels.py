"""Labels of the documents that several label sets share: then only labels differ.

A *control* is a further person, who need not label every topic.  A control is of a topic if it
labelled at least half of the documents that all sets and some control labelled, so that a person
with a few documents does not take away the others'.  A topic's documents are those that all sets
and all controls of the topic labelled.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.label_sets import LabelSet
from regrade.tables import label_frame

KEYS = ["topic", "docno"]


@dataclass(frozen=True, eq=False)
class SharedLabels:
    """Labels of D documents by R sets and C controls.

    Attributes
    ----------
    sets, controls
        The label sets; their tables are of schema ``qrels``.
    frame
        ``topic`` and ``docno`` of each document, sorted.
    grades : array of float64, shape (D, R + C)
        NaN where a control is not of the topic.
    sizes : array of int64, shape (R + C,)
        Documents that each set labels.
    lacking : array of int64, shape (R + C,)
        Documents of the first set that each set lacks.
    before_controls
        Documents that all sets label.
    left_topics
        Topics of the first set without a shared document.
    unused
        Names of the controls that are of no topic.
    """

    sets: tuple[LabelSet, ...]
    controls: tuple[LabelSet, ...]
    frame: pd.DataFrame
    grades: np.ndarray
    sizes: np.ndarray
    lacking: np.ndarray
    before_controls: int
    left_topics: int
    unused: tuple[str, ...]

    @classmethod
    def of(
        cls,
        sets: Sequence[LabelSet],
        controls: Sequence[LabelSet] = (),
        topics: Collection[str] | None = None,
    ) -> SharedLabels:
        """Bring sets together, on some topics; ``None``: on all."""
        every = [*sets, *controls]
        frames = [
            label_frame(one.table).rename(columns={"grade": place})
            for place, one in enumerate(every)
        ]
        first = frames[0] if topics is None else frames[0][frames[0]["topic"].isin(topics)]
        frames[0] = first
        lacking = [len(first) - len(first.merge(one[KEYS], on=KEYS)) for one in frames]
        joined = reduce(_inner, frames[: len(sets)]).sort_values(KEYS, ignore_index=True)
        joined = reduce(_left, frames[len(sets) :], joined)
        grades = joined[[*range(len(every))]].to_numpy(float)
        of_controls, keep, is_used = _controlled(joined["topic"], grades[:, len(sets) :])
        return cls(
            (*sets,),
            (*controls,),
            joined.loc[keep, KEYS].reset_index(drop=True),
            np.hstack([grades[:, : len(sets)], of_controls])[keep],
            np.array([*map(len, frames)]),
            np.array(lacking),
            len(joined),
            first["topic"].nunique() - joined.loc[keep, "topic"].nunique(),
            tuple(one.name for one, used in zip(controls, is_used, strict=True) if not used),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Of all R + C."""
        return tuple(one.name for one in (*self.sets, *self.controls))

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """T names, sorted."""
        return tuple(sorted(set(self.frame["topic"])))

    @cached_property
    def topic(self) -> np.ndarray:
        """(D,) the place of each document's topic."""
        return np.searchsorted(np.array(self.topics), self.frame["topic"].to_numpy().astype(str))

    def table(self, name: str) -> pa.Table:
        """The labels of a set or control, schema ``qrels``."""
        grades = self.grades[:, self.names.index(name)]
        known = ~np.isnan(grades)
        columns = {key: pa.array(self.frame.loc[known, key]) for key in KEYS}
        return pa.table(columns | {"grade": pa.array(grades[known])})


def _inner(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    return one.merge(other, on=KEYS, validate="one_to_one")


def _left(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    return one.merge(other, how="left", on=KEYS, validate="one_to_one")


def _controlled(topics: pd.Series, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(D, C) labels of controls in their topics; (D,) documents to keep; (C,) whether it is used.

    `labels` are those of all controls, (D, C).
    """
    topic, names = pd.factorize(topics)
    known = ~np.isnan(labels)
    count = np.zeros((len(names), labels.shape[1]), np.int64)
    np.add.at(count, topic, known)
    some = np.bincount(topic, known.any(axis=1), len(names))[:, None]
    is_of = (count > 0) & (2 * count >= some)
    keep = (known | ~is_of[topic]).all(axis=1)
    return np.where(is_of[topic], labels, np.nan), keep, is_of.any(axis=0)
