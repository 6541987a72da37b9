"""The documents that the reference, the judge and every further person labelled.

Everything is measured on these, so that only labels differ.  Judgments of a crowd become as many
further people as nearly all documents have judgments, `MOST_PEOPLE` at most: of each document the
first, the second and so on, by the names of the workers.  Documents with fewer judgments fall out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import aggregate
from regrade.errors import MethodError, ParameterError
from regrade.label_sets import LabelSet
from regrade.shared_labels import KEYS, SharedLabels

MOST_PEOPLE = 5
"""Further people that are made of a crowd."""

NEARLY_ALL = 0.9
"""Share of the documents that have as many judgments as people are made."""


@dataclass(frozen=True, eq=False)
class ReplacementLabels(SharedLabels):
    """Labels of the reference, the judge and further people.

    Attributes
    ----------
    crowd
        Topic, docno, worker and value of judgments, of these documents; ``None`` without any.
    of_crowd
        How many of the last sets are made of them.
    """

    crowd: pd.DataFrame | None = None
    of_crowd: int = 0

    @classmethod
    def of_people(
        cls,
        reference: LabelSet,
        judge: LabelSet,
        people: Sequence[LabelSet] = (),
        crowd: LabelSet | None = None,
    ) -> ReplacementLabels:
        """Bring the sets together.

        Raises
        ------
        MethodError
            If no document is in all of them.
        """
        judgments = None if crowd is None else _judgments(crowd)
        every = (reference, judge, *people)
        sets = [one.with_table(aggregate(one.table, "median")) for one in every]
        further = [] if crowd is None else _people_of(judgments, crowd)
        sets += further
        names = [one.name for one in sets]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ParameterError(f"two sets are called '{min(twice)}': rename one")
        shared = SharedLabels.of(sets)
        if shared.frame.empty:
            raise MethodError(
                f"no document is labelled in all of {', '.join(names)}: give label sets of the "
                "same documents, with the same format of topics and docnos"
            )
        if crowd is not None:
            judgments = judgments.merge(shared.frame, on=KEYS)
        return cls(**vars(shared), crowd=judgments, of_crowd=len(further))

    @property
    def people(self) -> tuple[str, ...]:
        """The further people."""
        return self.names[2:]

    @cached_property
    def on_one_scale(self) -> bool:
        """Whether the judge's grades may mean what the reference's do.

        Not where they are finer, and not where a judge says only yes and no beside graded labels.
        """
        reference, judge = self.grades[:, 0], self.grades[:, 1]
        top, own_top = (
            grades.max() if one.max_grade is None else one.max_grade
            for one, grades in zip(self.sets, (reference, judge), strict=False)
        )
        is_whole = bool((judge == np.rint(judge)).all() or (reference != np.rint(reference)).any())
        is_binary = judge.max() <= 1 < top and own_top <= 1
        return is_whole and not is_binary and own_top <= top

    def annotators(self) -> tuple[list[str], np.ndarray]:
        """Names of all people, and their (D, A) labels, NaN where one did not label a document."""
        if self.crowd is None:
            return [self.names[0], *self.people], np.delete(self.grades, 1, axis=1)
        workers = sorted(set(self.crowd["worker"]))
        by_document = self.crowd.groupby([*KEYS, "worker"], sort=False)["value"].median()
        wide = by_document.unstack("worker").reindex(columns=workers)
        index = pd.MultiIndex.from_frame(self.frame)
        crowd = wide.reindex(index).to_numpy(float)
        sets = [0, *range(2, len(self.names) - self.of_crowd)]
        names = [*(self.names[n] for n in sets), *workers]
        return names, np.hstack([self.grades[:, sets], crowd])


def _judgments(crowd: LabelSet) -> pd.DataFrame:
    """Topic, docno, worker and value; who is unknown is one worker for each place."""
    table = crowd.table.select(["topic", "docno", "worker", "value"]).to_pandas()
    frame = table.astype({"topic": str, "docno": str})
    place = frame.groupby(KEYS, sort=False).cumcount().astype(str)
    unknown = frame["worker"].isna()
    frame["worker"] = frame["worker"].astype(object).where(~unknown, "unknown " + place)
    return frame.astype({"worker": str})


def _people_of(judgments: pd.DataFrame, crowd: LabelSet) -> list[LabelSet]:
    """As many further people as nearly all documents have judgments."""
    once = judgments.groupby([*KEYS, "worker"], sort=True, as_index=False)["value"].median()
    place = once.groupby(KEYS, sort=False).cumcount()
    sizes = once.groupby(KEYS, sort=False).size().sort_values(ascending=False).to_numpy()
    several = int(min(sizes[int(np.ceil(NEARLY_ALL * len(sizes))) - 1], MOST_PEOPLE))
    labels = once.rename(columns={"value": "grade"})[[*KEYS, "grade"]]
    tables = [
        pa.Table.from_pandas(labels[place == n], preserve_index=False) for n in range(several)
    ]
    names = [f"{crowd.name} {n}" for n in range(1, several + 1)] if several > 1 else [crowd.name]
    scales = crowd.scale, crowd.stated
    return [LabelSet(name, of, *scales) for name, of in zip(names, tables, strict=True)]
