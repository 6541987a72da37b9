"""Scores of systems under several label sets, on the documents that all of them labelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from regrade.errors import MethodError
from regrade.favours.effects import FavourScores
from regrade.label_sets import LabelSet
from regrade.measures import Measure
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score
from regrade.shared_labels import SharedLabels
from regrade.wording import first_few


def shared_labels(
    reference: LabelSet,
    judges: Sequence[LabelSet],
    controls: Sequence[LabelSet],
    topics: Sequence[str],
) -> SharedLabels:
    """The shared labels of a reference, judges and controls, on some topics.

    Raises
    ------
    MethodError
        If no document is shared.
    """
    sets, people = (
        [one.with_table(one.labels()) for one in of] for of in ((reference, *judges), controls)
    )
    shared = SharedLabels.of(sets, people, topics)
    if not len(shared.frame):
        names = first_few([one.name for one in judges])
        raise MethodError(
            f"no document of the runs' topics is labelled by {reference.name} and by "
            f"{names}: do topics and documents have the same format?"
        )
    return shared


def _why_not(measure: Measure, one: LabelSet, reference: LabelSet) -> str:
    """Why a measure says nothing of a set beside the reference; empty if it does."""
    if measure.relevant_from is not None and one.scale != reference.scale:
        return f"the scale of {one.name} is not that of {reference.name}"
    return measure.why_not_on(one.scale, one.name)


@dataclass(frozen=True, eq=False)
class MeasuredScores:
    """Scores by one measure.

    Attributes
    ----------
    measure
        The measure.
    scores
        Under all label sets.
    judges, controls
        Those for which the measure is defined.
    topics, systems
        The axes.
    without_gain
        By the name of a label set, number of topics without any gain: all systems score 0.
    """

    measure: Measure
    scores: FavourScores
    judges: tuple[str, ...]
    controls: tuple[str, ...]
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    without_gain: Mapping[str, int]


def measured_scores(shared: SharedLabels, ranked: RankedLists, measure: Measure) -> MeasuredScores:
    """Score the systems by a measure under all label sets for which it is defined.

    Raises
    ------
    MethodError
        If it is defined for no judge.
    """
    (reference, *judges), controls, why_not = shared.sets, shared.controls, {}
    for one in (*judges, *controls):
        if why := _why_not(measure, one, reference):
            why_not[one.name] = why
    judges, controls = ([one for one in of if one.name not in why_not] for of in (judges, controls))
    if not judges:
        raise MethodError(
            f"{measure} is defined for no judge ({next(iter(why_not.values()))}): choose a measure "
            "without a relevance threshold, such as nDCG@10"
        )
    values, without_gain = {}, {}
    for one in (reference, *judges, *controls):
        judged = Judged.from_table(shared.table(one.name), ranked)
        own = score(ranked, judged, [measure], max_grade=one.scale.high, topics=judged.topics)
        place = {topic: t for t, topic in enumerate(shared.topics)}
        by_topic = np.full((len(shared.topics), len(ranked.systems)), np.nan)
        by_topic[[place[topic] for topic in own.topics]] = own.values[:, :, 0].T
        values[one.name] = by_topic
        highest = np.zeros(len(shared.topics))
        highest[[place[topic] for topic in own.topics]] = [
            judged.grades[start:stop].max(initial=0.0)
            for start, stop in zip(judged.offsets[:-1], judged.offsets[1:], strict=True)
        ]
        without_gain[one.name] = int(((highest <= 0) & ~np.isnan(by_topic[:, 0])).sum())
    shape = (0, len(shared.topics), len(ranked.systems))
    scores = FavourScores(
        values[reference.name],
        np.array([values[one.name] for one in judges]),
        np.array([values[one.name] for one in controls]).reshape(-1, *shape[1:]),
    )
    return MeasuredScores(
        measure, scores, tuple(one.name for one in judges), tuple(one.name for one in controls),
        shared.topics, tuple(ranked.systems), without_gain,
    )  # fmt: skip
