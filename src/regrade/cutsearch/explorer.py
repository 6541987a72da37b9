"""What a page needs to show a criterion of any cut while a user moves its thresholds.

A method compares two coders unit by unit.  Whatever the method, a coder's level of a document is
the level of one source value, or halfway between the levels of two (a median of an even number),
or fixed (a reference's).  So three codes per comparison tell α of every cut by a few additions,
without judgments, docnos or workers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.aggregation import MAJORITY, MEAN, aggregates
from regrade.cutsearch import kernels, unitwise
from regrade.cutsearch.data import TopicJudgments
from regrade.cutsearch.search import SearchPlan
from regrade.errors import MethodError
from regrade.scales import MAX_LEVELS

NONE = -1
"""The code of a level or value that there is not."""

COMPARISONS = ("topic", "unit", "first_low", "first_high", "low", "high", "level")
"""Columns of what a method compares."""


def comparisons_of(plan: SearchPlan) -> pd.DataFrame:
    """What a method compares, in numbers of thresholds exceeded (han2019 §3.3)."""
    if plan.method.order == "ta" and plan.level_how in (MAJORITY, MEAN) and plan.levels > 2:
        raise MethodError(
            f"{plan.method.name}: a vote by majority or mean into {plan.levels} levels is no "
            "level of two values: aggregate levels by a median"
        )
    compare = _COMPARED[plan.method.name]
    parts = [compare(topic, plan, plan.labels.get(topic.topic)) for topic in plan.topics]
    nothing = pd.DataFrame(columns=COMPARISONS)
    frame = pd.concat(parts, ignore_index=True) if parts else nothing
    # the kernels count levels so that the highest is 3
    shift = MAX_LEVELS - plan.levels
    frame["level"] = frame["level"].where(frame["level"] < 0, frame["level"] - shift)
    return frame[list(COMPARISONS)]


def _rows(topic: TopicJudgments, unit, own, low=NONE, high=NONE, level=NONE) -> pd.DataFrame:
    """Rows of comparisons; `own` is one array of codes, or a pair of low and high."""
    first, last = own if isinstance(own, tuple) else (own, own)
    columns = {"topic": topic.topic, "unit": unit, "first_low": first, "first_high": last}
    frame = pd.DataFrame(columns | {"low": low, "high": high, "level": level})
    codes = frame.columns[1:]
    return frame.astype(dict.fromkeys(codes, np.int32))


def _tw1(topic: TopicJudgments, plan: SearchPlan, _: None) -> pd.DataFrame:
    counts = topic.coded(plan.thresholds).shared_counts
    document, code = np.nonzero(counts)
    times = counts[document, code]
    return _rows(topic, np.repeat(document, times), np.repeat(code, times))


def _d2_at(topic: TopicJudgments, plan: SearchPlan, reference: np.ndarray) -> pd.DataFrame:
    voted = topic.histograms.any(axis=1) & (reference >= 0)
    values = aggregates(topic.histograms[voted], topic.values, plan.source_how)
    codes = plan.thresholds.codes(values)
    return _rows(topic, 0, codes, level=reference[voted])


def _d2_ta(topic: TopicJudgments, plan: SearchPlan, reference: np.ndarray) -> pd.DataFrame:
    counts = topic.coded(plan.thresholds).histograms
    voted = counts.any(axis=1) & (reference >= 0)
    upto = np.cumsum(counts[voted], axis=1)

    def nth(place: np.ndarray) -> np.ndarray:
        return (upto <= place[:, None]).sum(axis=1)

    total = upto[:, -1]
    own = unitwise.middle_of_vote(nth((total - 1) // 2), nth(total // 2), plan.level_how)
    return _rows(topic, 0, own, level=reference[voted])


def _h2(topic: TopicJudgments, plan: SearchPlan, reference: np.ndarray) -> pd.DataFrame:
    level = reference[topic.document]
    own = plan.thresholds.codes(topic.values)[topic.value]
    known = level >= 0
    return _rows(topic, topic.unit[known], own[known], level=level[known])


def _h1_at(topic: TopicJudgments, plan: SearchPlan, _: None) -> pd.DataFrame:
    rows, table = topic.with_own_value()
    others = kernels.others_aggregated(topic.value, rows, table, topic.values, plan.source_how)
    known = ~np.isnan(others)
    codes = plan.thresholds.codes(others[known])
    own = plan.thresholds.codes(topic.values)[topic.value]
    return _rows(topic, topic.unit[known], own[known], codes, codes)


def _h1_ta(topic: TopicJudgments, plan: SearchPlan, _: None) -> pd.DataFrame:
    topic = topic.coded(plan.thresholds)
    low, high = unitwise.others_middle(topic.value, *topic.with_own_value())
    low, high = unitwise.middle_of_vote(low, high, plan.level_how)
    known = low >= 0
    return _rows(topic, topic.unit[known], topic.value[known], low[known], high[known])


_COMPARED = {
    "h1_ta": _h1_ta,
    "h1_at": _h1_at,
    "tw1": _tw1,
    "h2": _h2,
    "d2_at": _d2_at,
    "d2_ta": _d2_ta,
}
