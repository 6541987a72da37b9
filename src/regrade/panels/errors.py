"""Judges and people on the documents that all of them judged, on the scale of the people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import aggregate
from regrade.errors import MethodError, ParameterError
from regrade.estimation.samples import Documents
from regrade.label_sets import LabelSet
from regrade.panels.effective import ErrorCovariance, LabelErrors, mean_covariance
from regrade.readers.labels import ScaledSample
from regrade.scales import Scale
from regrade.shared_labels import KEYS, SharedLabels
from regrade.tables import label_frame
from regrade.wording import counted


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
    reference: LabelSet,
    judges: Sequence[LabelSet],
    sample: pd.DataFrame | None = None,
    controls: Sequence[LabelSet] = (),
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
    people = label_frame(reference.table)
    if sample is not None:
        people = sample[KEYS].merge(people, how="left", on=KEYS)
    sets, stretched = [reference.with_table(pa.Table.from_pandas(people))], {}
    for judge in judges:
        own = label_frame(aggregate(judge.table, "median"))
        top = _top(judge.scale, own["grade"].to_numpy(), reference.levels)
        if top != reference.levels - 1:
            stretched[judge.name] = top
            own["grade"] *= (reference.levels - 1) / top
        sets.append(judge.with_table(pa.Table.from_pandas(own)))
    further = [one.with_table(aggregate(one.table, "median")) for one in controls]
    shared = SharedLabels.of(sets, further)
    lacking = dict(zip((one.name for one in judges), shared.lacking[1 : len(sets)], strict=True))
    labels = np.ascontiguousarray(shared.grades.T)
    if not shared.before_controls or (np.isnan(labels[0]).all() and not controls):
        most = max(lacking, key=lacking.get)
        raise MethodError(
            f"no document is labelled by {reference.name} and by all of "
            f"{counted(len(judges), 'judge')}: leave judges out ({most} lacks "
            f"{lacking[most]:,} of {counted(len(people), 'document')})"
        )
    if controls and len(shared.unused) == len(controls):
        names = ", ".join(shared.unused)
        raise MethodError(f"controls: {names} labelled none of the documents that all judges have")
    inclusion, unlabelled = None, 0
    if sample is not None:
        documents = shared.frame.merge(sample, how="left", on=KEYS)
        inclusion, unlabelled = _answered(documents, ~np.isnan(labels[0]))
    return PanelLabels(
        shared.topics,
        shared.topic.astype(np.int64),
        shared.frame["docno"].to_numpy(object),
        labels[0],
        labels[1 : len(sets)],
        tuple(judge.name for judge in judges),
        reference.levels,
        inclusion,
        len(people) - shared.before_controls,
        shared.left_topics,
        {name: count for name, count in lacking.items() if count},
        stretched,
        unlabelled,
        labels[len(sets) :],
        shared.before_controls - len(shared.frame),
    )


def _check_controls(
    reference: LabelSet, judges: Sequence[LabelSet], controls: Sequence[LabelSet]
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


def _answered(documents: pd.DataFrame, labelled: np.ndarray) -> tuple[np.ndarray, int]:
    """Probabilities to be labelled, where some chosen documents have no label; and their number.

    Those are taken as missing at random: each probability times the share that has a label.
    """
    chosen = documents["chosen"].to_numpy(bool)
    share = labelled.sum() / max(chosen.sum(), 1)
    return documents["inclusion"].to_numpy(float) * share, int((chosen & ~labelled).sum())


def people_of(
    qrels: LabelSet | None, sample: ScaledSample | None, sets: Sequence[LabelSet]
) -> tuple[LabelSet, pd.DataFrame | None]:
    """People's labels, and the documents of their sample, as `panel_labels` takes them.

    Parameters
    ----------
    qrels
        ``None``: there is a sample.
    sample
        ``None``: people labelled all.
    sets
        The judges' sets.
    """
    if sample is None:
        return qrels, None
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
    table = pa.Table.from_pandas(labelled[[*KEYS, "grade"]], preserve_index=False)
    return LabelSet("labels", table, sample.scale), frame
