"""Topics where a judge fails, and what stands out on them.

A topic's failure is the mean over systems of how far scores under the judge are from those under
the reference, less the same of a second person; without runs, the mean over documents of how far
grades are.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from regrade.catalogue import ALL_TOPICS
from regrade.kendall import tau_b
from regrade.replacement.shared import ReplacementLabels
from regrade.replacement.system_lines import SystemScores

FEW = 10
"""Relevant documents below which they are few."""

APART = 0.2
"""Difference of the shares of relevant documents from which on it stands out."""

FEW_RELEVANT, MORE, FEWER = "few relevant documents", "more relevant", "fewer relevant"


def failure_rows(shared: ReplacementLabels, of: SystemScores | None) -> Iterator[dict]:
    """Rows of ``replace/topics``, the largest failure first."""
    counts = np.bincount(shared.topic)
    relevant = [
        np.bincount(shared.topic, shared.grades[:, place] > 0).astype(int) for place in (0, 1)
    ]
    away = _by_topic(shared) if of is None else np.abs(of.scores[1:] - of.scores[0]).mean(axis=1)
    second = away[1:].mean(axis=0) if len(away) > 1 else np.full(len(counts), np.nan)
    failure = np.where(np.isnan(second), away[0], away[0] - second)
    for t in np.argsort(-np.nan_to_num(failure), kind="stable"):
        tau = np.nan
        if of is not None and len(of.systems) > 1:
            tau = tau_b(*(np.ascontiguousarray(of.scores[place, :, t]) for place in (0, 1)))
        yield {
            "measure": ALL_TOPICS if of is None else of.measure,
            "topic": shared.topics[t],
            "documents": int(counts[t]),
            "relevant": int(relevant[0][t]),
            "judge_relevant": int(relevant[1][t]),
            "value": away[0, t],
            "second_value": second[t],
            "failure": failure[t],
            "tau": tau,
            "reason": reason(
                counts[t], relevant[0][t], relevant[1][t] if shared.on_one_scale else None
            ),
        }


def _by_topic(shared: ReplacementLabels) -> np.ndarray:
    """(R − 1, T) mean difference of grades, without direction; NaN on different scales."""
    if not shared.on_one_scale:
        return np.full((len(shared.names) - 1, len(shared.topics)), np.nan)
    counts = np.bincount(shared.topic)
    away = np.abs(shared.grades[:, 1:] - shared.grades[:, :1])
    return np.array([np.bincount(shared.topic, one) / counts for one in away.T])


def reason(documents: int, relevant: int, judge_relevant: int | None) -> str:
    """What stands out: few relevant documents, or how many more or fewer the judge has.

    Of a judge on another scale ``None``: its relevant documents are not comparable.
    """
    more = 0.0 if judge_relevant is None else (judge_relevant - relevant) / documents
    words = [FEW_RELEVANT] if relevant < FEW else []
    words += [MORE if more > 0 else FEWER] if abs(more) >= APART else []
    return ", ".join(words)
