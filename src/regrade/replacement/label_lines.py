"""What is measured of labels: agreement, the alternative annotator test, grades.

*Agreement.*  α(j, P) is the mean of Krippendorff's α of the judge with each person (the reference
is one), α(P) the mean over pairs of people; the line is α(j, P) − α(P), both of all documents
together.  With one person there is no α(P), and the line falls out.

*Grades.*  The judge's bias on documents of each grade of the reference, and a second person's.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from regrade.evaluations.label_agreement import agreement_of_many, ratio_ends
from regrade.kendall import TOLERANCE
from regrade.replacement.annotators import PASSES, AlternativeTest, alternative_test
from regrade.replacement.margins import Line, drawn_ends, no_ends
from regrade.replacement.shared import ReplacementLabels

DIFFERENCE = "agreement_difference"
"""The interval of both lines."""


def pair_joints(shared: ReplacementLabels) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Joint counts of grades by topic: of the judge and each person, and of pairs of people.

    Returns
    -------
    values : array of float64, shape (V,)
        The grades that occur.
    with_judge, among_people : arrays of float64, shape (pairs, T, V, V)
    """
    values = np.unique(shared.grades)
    codes = np.searchsorted(values, shared.grades)
    people = [0, *range(2, len(shared.names))]
    with_judge = [_joint(shared, codes, one, 1, len(values)) for one in people]
    among = [_joint(shared, codes, *two, len(values)) for two in combinations(people, 2)]
    shape = (-1, len(shared.topics), len(values), len(values))
    return values, np.array(with_judge).reshape(shape), np.array(among).reshape(shape)


def _joint(
    shared: ReplacementLabels, codes: np.ndarray, one: int, other: int, size: int
) -> np.ndarray:
    joints = np.zeros((len(shared.topics), size, size))
    np.add.at(joints, (shared.topic, codes[:, one], codes[:, other]), 1)
    return joints


def mean_alphas(
    joints: np.ndarray, values: np.ndarray, weights: np.ndarray, metric: str
) -> np.ndarray:
    """(B,) mean α over pairs, of topics that count (B, T) times; NaN of no pair."""
    if not len(joints):
        return np.full(len(weights), np.nan)
    alphas = [
        agreement_of_many(np.tensordot(weights, one, axes=1), values, metric)[:, 0]
        for one in joints
    ]
    return np.mean(alphas, axis=0)


def label_lines(
    shared: ReplacementLabels, weights: np.ndarray, metric: str, epsilon: float | None
) -> tuple[list[Line], AlternativeTest | None]:
    """The lines of agreement, and the alternative annotator test.

    Parameters
    ----------
    shared
        The labels.
    weights : array of float64, shape (1 + B + T, T)
        How often each topic counts: all once, in each draw, without each topic in turn.
    metric
        Of α.
    epsilon
        ε; ``None``: 0 in the published test, and no margin.
    """
    if not shared.on_one_scale:
        return [], None
    T = len(shared.topics)
    values, with_judge, among = pair_joints(shared)
    judge = mean_alphas(with_judge, values, weights, metric)
    people = mean_alphas(among, values, weights, metric)
    lines = [_line("alpha", judge, people, T)] if len(among) else []
    if not lines:
        lines = [Line("alpha", "", judge[0], np.nan, np.nan, no_ends, counts=False)]
    names, labels = shared.annotators()
    test = alternative_test(shared.grades[:, 1], labels, names, shared.topic, epsilon or 0.0)
    if len(test.people):
        advantage = test.advantage(weights)
        passes = test.winning_rate >= PASSES
        effective = effective_topics(test.counts)
        ends = drawn_ends(advantage[0], *_parts(advantage, T), effective=effective)
        shares = test.judge_share, test.person_share
        drawn = advantage[1:-T]
        lines.append(Line("epsilon", "", *shares, advantage[0], ends, passes, drawn=drawn))
    return lines, test


def effective_topics(counts: np.ndarray) -> int:
    """As many topics of equal size as tell as much: (Σ n)² / Σ n² (Kish, 1965)."""
    return int(counts.sum() ** 2 / (counts**2).sum() + TOLERANCE)


def _line(name: str, judge: np.ndarray, people: np.ndarray, topics: int) -> Line:
    difference = judge - people
    ends = drawn_ends(difference[0], *_parts(difference, topics))
    drawn = difference[1:-topics]
    return Line(name, "", judge[0], people[0], difference[0], ends, drawn=drawn)


def _parts(values: np.ndarray, topics: int) -> tuple[np.ndarray, int, str, np.ndarray]:
    """What `drawn_ends` asks of values of all topics, of draws, and without each topic."""
    return values[1:-topics], topics, DIFFERENCE, values[-topics:]


def grade_rows(shared: ReplacementLabels, resamples: int, seed: int) -> Iterator[dict]:
    """Rows of ``replace/grades``."""
    reference = shared.grades[:, 0]
    for grade in np.unique(reference):
        of = reference == grade
        difference = shared.grades[of, 1:] - grade
        topics = pd.Series(np.array(shared.topics)[shared.topic[of]])
        own = pd.Series(difference[:, 0]).groupby(topics, sort=True)
        low, high = ratio_ends(own.sum(), own.size(), resamples, seed)
        yield {
            "grade": grade,
            "documents": int(of.sum()),
            "topics": topics.nunique(),
            "equal": float((difference[:, 0] == 0).mean()),
            "difference": difference[:, 0].mean(),
            "low": low,
            "high": high,
            "second_value": difference[:, 1:].mean() if shared.people else np.nan,
        }


def confusion(shared: ReplacementLabels) -> pd.DataFrame:
    """Table ``replace/confusion``."""
    columns = {"first_grade": shared.grades[:, 0], "second_grade": shared.grades[:, 1]}
    frame = pd.DataFrame(columns)
    return frame.groupby([*columns]).size().rename("documents").reset_index()
