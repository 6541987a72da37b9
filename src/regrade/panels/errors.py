"""Judges and people on the documents that all of them judged, on the scale of the people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from regrade.aggregation import aggregate
from regrade.errors import MethodError, ParameterError
from regrade.estimation.samples import Documents
from regrade.evaluations.cut_labels import Judge, Reference
from regrade.panels.effective import ErrorCovariance, LabelErrors, mean_covariance
from regrade.scales import Scale
from regrade.tables import label_frame
from regrade.wording import counted

_KEY = ["topic", "docno"]


@dataclass(frozen=True, eq=False)
class PanelLabels:
    """Labels of D documents by people and by J judges, on the people's scale.

    Attributes
    ----------
    topics
        T names, sorted.
    topic
        (D,) int64, the place of each document's topic.
    docno
        (D,) str objects.
    people
        (D,) float64; NaN: not labelled by people.
    values
        (J, D) float64 of the judges.
    judges
        J names.
    levels
        Of the people's scale, 0 to levels − 1.
    inclusion
        (D,) the probability to be labelled by people; ``None``: people labelled all.
    left_out
        How many documents of the people some judge lacks.
    left_topics
        How many topics have no document left.
    lacking
        By judge, how many of the people's documents it lacks.
    stretched
        By judge, the highest value of its own scale, where that was stretched.
    unlabelled
        How many documents were chosen for people and have no label.
    controls
        (C, D) float64, labels of further people on the people's scale; NaN in topics that a person
        did not label.
    control_names
        C names.
    left_by_controls
        How many documents are left out that further people of their topic lack.
    """

    topics: tuple[str, ...]
    topic: np.ndarray
    docno: np.ndarray
    people: np.ndarray
    values: np.ndarray
    judges: tuple[str, ...]
    levels: int
    inclusion: np.ndarray | None = None
    left_out: int = 0
    left_topics: int = 0
    lacking: Mapping[str, int] = field(default_factory=dict)
    stretched: Mapping[str, float] = field(default_factory=dict)
    unlabelled: int = 0
    controls: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    control_names: tuple[str, ...] = ()
    left_by_controls: int = 0

    @property
    def labelled(self) -> np.ndarray:
        """(D,) whether people labelled the document."""
        return ~np.isnan(self.people)

    @property
    def weight(self) -> np.ndarray:
        """(D,) how many documents each label of people stands for; 0 without one."""
        inclusion = 1.0 if self.inclusion is None else self.inclusion
        return np.where(self.labelled, 1 / np.broadcast_to(inclusion, self.people.shape), 0.0)

    @property
    def documents(self) -> np.ndarray:
        """(T,) documents of each topic."""
        return np.bincount(self.topic, minlength=len(self.topics))

    @property
    def moments(self) -> LabelErrors:
        """Of the judges' errors."""
        some = self.labelled
        return self._moments_of(self.values[:, some] - self.people[some])

    def _moments_of(self, errors: np.ndarray) -> LabelErrors:
        """Of (J, labelled) errors."""
        some = self.labelled
        if self.inclusion is None:
            return LabelErrors.of(errors, self.topic[some])
        own = self.inclusion[some]
        return LabelErrors.of(errors, self.topic[some], own, self.documents)

    @property
    def given_grade(self) -> LabelErrors:
        """Of the judges' labels less each judge's mean label of the documents of that grade."""
        some = self.labelled
        values, weight = self.values[:, some], self.weight[some]
        grade = self.people[some].astype(np.int64)
        total = np.bincount(grade, weight, self.levels)
        sums = np.stack([np.bincount(grade, weight * own, self.levels) for own in values])
        means = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
        return self._moments_of(values - means[:, grade])

    @property
    def covariances(self) -> list[ErrorCovariance]:
        """Of errors given the grade, of errors, and of topics' mean errors."""
        document, topic = self.moments.covariances
        return [mean_covariance("grade", self.given_grade.within), document, topic]

    def table(self, grades: np.ndarray) -> pa.Table:
        """Grades of all documents, as a table of schema ``qrels``."""
        topics = np.array(self.topics, dtype=object)[self.topic]
        return pa.table({"topic": topics, "docno": self.docno, "grade": np.asarray(grades, float)})


def panel_labels(
    reference: Reference,
    judges: Sequence[Judge],
    sample: pd.DataFrame | None = None,
    controls: Sequence[Judge] = (),
) -> PanelLabels:
    """Bring people and judges together.

    Parameters
    ----------
    reference
        People's labels.
    judges
        At least one; judgments of several workers count by a document's median.
    sample
        ``topic``, ``docno``, ``inclusion``, ``chosen`` of the documents that people could have been
        asked about, where they labelled a random sample of these.
    controls
        Labels of further people.  A person is of a topic if at least half of the documents that any
        further person labelled are theirs; the topic's documents are those that all of its people
        labelled.  Topics without further people keep their documents.

    Raises
    ------
    MethodError
        If no document is shared by all.
    ParameterError
        If two sets have one name, or further people have other grades than the reference.
    """
    if len({judge.name for judge in judges}) < len(judges):
        raise ParameterError("two judges have one name: name each judge once")
    if controls and sample is not None:
        raise ParameterError(
            "controls: human labels are of a sample: leave out the labels of further people"
        )
    _check_controls(reference, judges, controls)
    people = label_frame(reference.table).rename(columns={"grade": "people"})
    if sample is not None:
        people = sample.merge(people, how="left", on=_KEY)
    parts, lacking, stretched = [], {}, {}
    for place, judge in enumerate(judges):
        own = label_frame(aggregate(judge.table, "median"))
        top = _top(judge.scale, own["grade"].to_numpy(), reference.levels)
        if top != reference.levels - 1:
            stretched[judge.name] = top
            own["grade"] *= (reference.levels - 1) / top
        parts.append(own.rename(columns={"grade": place}))
        lacking[judge.name] = len(people) - len(people.merge(own[_KEY], on=_KEY))
    together = reduce(lambda one, other: one.merge(other, how="inner", on=_KEY), parts, people)
    together = together.sort_values(_KEY, kind="stable", ignore_index=True)
    if not together["people"].notna().any():
        most = max(lacking, key=lacking.get)
        raise MethodError(
            f"no document is labelled by {reference.name} and by all of "
            f"{counted(len(judges), 'judge')}: leave judges out ({most} lacks "
            f"{lacking[most]:,} of {counted(len(people), 'document')})"
        )
    shared = len(together)
    together, of_controls = _controlled(together, controls)
    inclusion, unlabelled = None, 0
    if sample is not None:
        together, inclusion, unlabelled = _answered(together)
    topics, topic = np.unique(together["topic"].to_numpy(str), return_inverse=True)
    return PanelLabels(
        tuple(map(str, topics)),
        topic.astype(np.int64),
        together["docno"].to_numpy(object),
        together["people"].to_numpy(float),
        together[[*range(len(judges))]].to_numpy(float).T,
        tuple(judge.name for judge in judges),
        reference.levels,
        inclusion,
        len(people) - shared,
        people["topic"].nunique() - len(topics),
        {name: count for name, count in lacking.items() if count},
        stretched,
        unlabelled,
        of_controls,
        tuple(one.name for one in controls),
        shared - len(together),
    )


def _check_controls(
    reference: Reference, judges: Sequence[Judge], controls: Sequence[Judge]
) -> None:
    """Further people are others than the reference and the judges, and give its grades."""
    known = [reference.name, *(one.name for one in judges)]
    for one in controls:
        if one.name in known:
            raise ParameterError(f"controls: '{one.name}' is named twice: rename one")
        known.append(one.name)
        values = label_frame(aggregate(one.table, "median"))["grade"]
        outside = values[(values < 0) | (values >= reference.levels) | (values % 1 != 0)]
        if len(outside):
            raise ParameterError(
                f"controls: {one.name} has the value {outside.iloc[0]:g}, which is no grade of "
                f"{reference.name} (0 to {reference.levels - 1}): give labels on the same scale"
            )


def _controlled(
    together: pd.DataFrame, controls: Sequence[Judge]
) -> tuple[pd.DataFrame, np.ndarray]:
    """The documents that all people of their topic labelled, and (C, D) further labels."""
    if not controls:
        return together, np.empty((0, len(together)))
    labels = np.stack([
        together[_KEY].merge(label_frame(aggregate(one.table, "median")), how="left", on=_KEY)[
            "grade"
        ].to_numpy(float)
        for one in controls
    ])  # fmt: skip
    topic = together["topic"].astype(str).factorize()[0]
    known = ~np.isnan(labels)
    count = np.stack([np.bincount(topic, own, topic.max() + 1) for own in known])
    some = np.bincount(topic, known.any(axis=0))
    is_of = ((count > 0) & (2 * count >= some))[:, topic]
    if not is_of.any():
        names = ", ".join(one.name for one in controls)
        raise MethodError(f"controls: {names} labelled none of the documents that all judges have")
    keep = (known | ~is_of).all(axis=0)
    labels = np.where(is_of, labels, np.nan)[:, keep]
    return together[keep].reset_index(drop=True), labels


def _top(scale: Scale, values: np.ndarray, levels: int) -> float:
    """The value of a judge that counts as the people's highest grade.

    Grades 0, 1, … of a scale of at most as many levels are the people's own: a judge that never
    gives the highest grade has no other scale.  Two grades are, beside people's three or more,
    not relevant and relevant.
    """
    high = float(scale.high) if np.isfinite(scale.high) else float(values.max(initial=0))
    if scale.low < 0:
        raise ParameterError(f"a judge's scale is {scale}: give grades from 0 on")
    whole = bool((values == np.rint(values)).all())
    if whole and 2 <= high <= levels - 1:
        return levels - 1.0
    return high or 1.0


def _answered(together: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray, int]:
    """Probabilities to be labelled, where some chosen documents have no label.

    Those are taken as missing at random: each probability times the share that has a label.
    """
    chosen, labelled = together["chosen"].to_numpy(bool), together["people"].notna().to_numpy()
    share = labelled.sum() / max(chosen.sum(), 1)
    inclusion = together["inclusion"].to_numpy(float) * share
    return together, inclusion, int((chosen & ~labelled).sum())


def people_of(
    qrels: object | None, sample: object | None, sets: Sequence[object]
) -> tuple[Reference, pd.DataFrame | None]:
    """People's labels, and the documents of their sample, as `panel_labels` takes them.

    Parameters
    ----------
    qrels
        A set of labels with ``name``, ``table`` and ``levels``; ``None``: there is a sample.
    sample
        `regrade.readers.labels.ScaledSample`.
    sets
        The judges' sets, with ``name`` and ``table``.
    """
    if sample is None:
        return Reference(qrels.name, qrels.table, qrels.levels), None
    models = {one.name: aggregate(one.table, "median") for one in sets}
    documents = Documents.of(sample.table, models)
    if len(documents.inclusion) > 1:
        raise ParameterError(
            f"labels have {len(documents.inclusion)} batches: a panel takes the labels of one batch"
        )
    frame = pd.DataFrame({
        "topic": documents.topics.astype(str), "docno": documents.docnos.astype(str),
        "inclusion": documents.expected, "chosen": documents.chosen,
    })  # fmt: skip
    labelled = frame[documents.labelled].assign(grade=documents.grades[documents.labelled])
    table = pa.Table.from_pandas(labelled[[*_KEY, "grade"]], preserve_index=False)
    return Reference("labels", table, sample.scale.levels or 0), frame


def controls_of(sets: Sequence[object]) -> list[Judge]:
    """Each set as a further person; of judgments by several workers, each worker."""
    people = []
    for one in sets:
        workers = _by_worker(one.table, one.name) if "worker" in one.table.column_names else {}
        named = workers if len(workers) > 1 else {one.name: one.table}
        people += [Judge(name, table, one.scale) for name, table in named.items()]
    return people


def judges_of(sets: Sequence[object]) -> list[Judge]:
    """Each set as a judge; of one set of judgments by several workers, each worker."""
    if len(sets) == 1 and "worker" in sets[0].table.column_names:
        workers = _by_worker(sets[0].table, sets[0].name)
        if len(workers) > 1:
            return [Judge(name, table, sets[0].scale) for name, table in workers.items()]
    return [Judge(one.name, one.table, one.scale) for one in sets]


def _by_worker(judgments: pa.Table, name: str) -> dict[str, pa.Table]:
    """The judgments of each worker."""
    if missing := judgments["worker"].null_count:
        raise ParameterError(
            f"{name}: {missing:,} judgments have no worker, so that their judges are unknown: name "
            "the column, columns={'worker': …}, or aggregate them"
        )
    names = sorted(pc.unique(judgments["worker"].cast(pa.string())).to_pylist())
    return {one: judgments.filter(pc.equal(judgments["worker"], one)) for one in names}
