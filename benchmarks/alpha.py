"""α of every cut: `regrade.cutsearch.search` beside a loop over the package krippendorff."""

from __future__ import annotations

from collections.abc import Callable

import krippendorff
import numpy as np
import pandas as pd
import pyarrow.compute as pc

from benchmarks.inputs import LEVELS, SOURCE_LEVELS, sampled_cuts, table
from benchmarks.measuring import Measured, Settings, now, timed
from regrade.aggregation import Aggregation
from regrade.choices import CUT_METHODS
from regrade.cutsearch.options import AlphaOptions
from regrade.cutsearch.search import search

ONE_HOT = np.eye(LEVELS, dtype=np.int64)


def ours(settings: Settings, method: str, vote: str) -> Measured:
    """α of every cut; the tables are in memory."""
    judgments = table(settings, "S100")
    reference = table(settings, "So4") if CUT_METHODS[method].needs_reference else None
    first_topic = pc.equal(judgments["topic"], judgments["topic"][0])

    def work(judged=judgments):
        return search(
            judged,
            SOURCE_LEVELS,
            LEVELS,
            method,
            reference,
            AlphaOptions(aggregation=Aggregation(levels=vote)),
            threads=settings.threads,
        )

    work(judgments.filter(first_topic))
    spans, found = timed(work, settings.repeats)
    drawn, _, _ = sampled_cuts(settings)
    return Measured(spans, found.values[drawn])


def peer(settings: Settings, method: str, vote: str) -> Measured:
    """α of some cuts, extrapolated to all.

    All that can be done for many units at once is done with numpy, in value counts, the form in
    which the package takes its input fastest; the loop only calls it, once for each unit (or
    topic) whose α is defined.
    """
    counts_of_cut, group_starts, topic_of_group = _prepared(settings, method, VOTES[vote])
    _, cuts, n_cuts = sampled_cuts(settings)
    start = now()
    values = np.array(
        [_alpha_of_cut(counts_of_cut(cut), group_starts, topic_of_group) for cut in cuts]
    )
    span = (now() - start) / len(cuts) * n_cuts
    return Measured([span], values, note=f"{len(cuts)} of {n_cuts:,} cuts, extrapolated")


def _alpha_of_cut(counts: np.ndarray, starts: np.ndarray, topic: np.ndarray) -> np.ndarray:
    """Mean of the groups' α in each topic, NaN where none is defined."""
    defined = (np.add.reduceat(counts, starts) > 0).sum(axis=1) > 1
    stops = np.append(starts[1:], len(counts))
    domain = np.arange(LEVELS)
    alpha = np.zeros(len(starts))
    for group in np.flatnonzero(defined):
        alpha[group] = krippendorff.alpha(
            value_counts=counts[starts[group] : stops[group]],
            value_domain=domain,
            level_of_measurement="ordinal",
        )
    count = np.bincount(topic, defined)
    total = np.bincount(topic, alpha)
    return np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)


def _prepared(
    settings: Settings, method: str, vote: Callable[[np.ndarray], np.ndarray]
) -> tuple[Callable[[np.ndarray], np.ndarray], np.ndarray, np.ndarray]:
    """What does not change with the cut.

    Parameters
    ----------
    settings, method
        What is measured.
    vote
        From the (n, levels) counts of n documents to their levels.

    Returns
    -------
    counts_of_cut
        From a cut to the (rows, levels) value counts: a row is a document of a group.
    group_starts : array of int, shape (groups,)
        First row of each unit or topic.
    topic_of_group : array of int, shape (groups,)
    """
    judged = _strings(table(settings, "S100"))
    if judged.duplicated(["topic", "docno", "worker"]).any():
        raise ValueError("a worker judged a document twice: the peer's loop does not provide that")
    judged = judged.sort_values(["topic", "unit", "worker", "docno"], ignore_index=True)
    judged["document"] = judged.groupby(["topic", "docno"]).ngroup()
    documents = judged.groupby("document")[["topic", "docno"]].first().reset_index()
    labels = _strings(table(settings, "So4"))
    documents = documents.merge(labels, how="left", on=["topic", "docno"]).sort_values("document")
    label = documents["grade"].fillna(-1).to_numpy(dtype=int)
    median = judged.groupby("document")["value"].median().to_numpy()

    if CUT_METHODS[method].unit_wise:
        rows = judged
        if method == "h2":
            rows = judged[label[judged["document"]] >= 0].reset_index(drop=True)
        groups = rows.groupby(["topic", "unit", "worker"]).ngroup()
    else:
        rows = documents if method == "tw1" else documents[label >= 0].reset_index(drop=True)
        groups = rows.groupby("topic").ngroup()
    starts = np.flatnonzero(np.diff(groups.to_numpy(), prepend=-1))
    topic = rows.groupby("topic").ngroup().to_numpy()[starts]

    value, document = judged["value"].to_numpy(), judged["document"].to_numpy()
    row_document = rows["document"].to_numpy()
    others = _others_median(document, value) if method == "h1_at" else None

    def votes(cut: np.ndarray) -> np.ndarray:
        codes = document * LEVELS + _levels(value, cut)
        return np.bincount(codes, minlength=len(documents) * LEVELS).reshape(-1, LEVELS)

    def h1_ta(cut: np.ndarray) -> np.ndarray:
        own = ONE_HOT[_levels(value, cut)]
        return own + ONE_HOT[vote(votes(cut)[document] - own)]

    counts_of_cut = {
        "h1_ta": h1_ta,
        "h1_at": lambda cut: ONE_HOT[_levels(value, cut)] + ONE_HOT[_levels(others, cut)],
        "tw1": votes,
        "h2": lambda cut: (
            ONE_HOT[_levels(rows["value"].to_numpy(), cut)] + ONE_HOT[label[row_document]]
        ),
        "d2_at": lambda cut: (
            ONE_HOT[_levels(median[row_document], cut)] + ONE_HOT[label[row_document]]
        ),
        "d2_ta": lambda cut: ONE_HOT[vote(votes(cut)[row_document])] + ONE_HOT[label[row_document]],
    }[method]
    return counts_of_cut, starts, topic


def _majority(counts: np.ndarray) -> np.ndarray:
    return counts.argmax(axis=1)


def _median(counts: np.ndarray) -> np.ndarray:
    """Of an even count, the mean of the two middle levels, halves to the lower one."""
    upto = counts.cumsum(axis=1)
    low, high = ((upto <= place[:, None]).sum(axis=1) for place in _middle(upto[:, -1]))
    return (low + high) // 2


def _middle(n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (n - 1) // 2, n // 2


VOTES = {"majority": _majority, "median": _median}


def _levels(values: np.ndarray, cut: np.ndarray) -> np.ndarray:
    """How many thresholds each value exceeds."""
    return np.searchsorted(cut, values, side="left")


def _others_median(document: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Median of a document's other values, for each value."""
    order = np.lexsort((value, document))
    ordered = value[order]
    size = np.bincount(document)
    start = (np.cumsum(size) - size)[document[order]]
    place = np.arange(len(order)) - start
    n = size[document[order]] - 1

    def kth(k: np.ndarray) -> np.ndarray:
        return ordered[start + k + (k >= place)]

    others = np.empty(len(value))
    others[order] = (kth((n - 1) // 2) + kth(n // 2)) / 2
    return others


def _strings(rows) -> pd.DataFrame:
    frame = rows.to_pandas()
    names = frame.select_dtypes("category").columns
    return frame.astype(dict.fromkeys(names, str))
