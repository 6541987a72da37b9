"""τ_b of every cut's system ranking, by `regrade.cutsearch.system_tau`, pytrec_eval and scipy."""

from __future__ import annotations

import logging

import numpy as np
import pytrec_eval
from scipy.stats import kendalltau

from benchmarks.inputs import LEVELS, SOURCE_LEVELS, sampled_cuts, table
from benchmarks.measuring import Measured, Settings, now
from regrade.aggregation import aggregate
from regrade.cutsearch.system_tau import tau_of_every_cut
from regrade.run_arrays import RankedLists

MEASURE, TREC_EVAL_MEASURE, CUTOFF = "nDCG@10", "ndcg_cut.10", 10


class _Clock(logging.Handler):
    """When each message came."""

    def __init__(self):
        super().__init__()
        self.times: list[np.ndarray] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Note the time."""
        self.times.append(now())


def ours(settings: Settings, part: str) -> Measured:
    """τ_b of the means, or per topic; one call gives both.

    Its first message says that the means are done, and before them come the nDCG tables, which
    count as part of the means.
    """
    arguments = (
        RankedLists.from_table(table(settings, "runs")),
        aggregate(table(settings, "S100"), "median"),
        table(settings, "TR2"),
    )
    clock = _Clock()
    log = logging.getLogger("regrade.cutsearch.system_tau")
    log.addHandler(clock)
    log.setLevel(logging.INFO)
    tau_of_every_cut(*arguments, SOURCE_LEVELS, 2, MEASURE, threads=settings.threads)
    spans = []
    for _ in range(settings.repeats):
        clock.times.clear()
        start = now()
        found = tau_of_every_cut(
            *arguments, SOURCE_LEVELS, LEVELS, MEASURE, threads=settings.threads
        )
        stop, means_done = now(), clock.times[0]
        spans.append(means_done - start if part == "means" else stop - means_done)
    drawn, _, _ = sampled_cuts(settings)
    return Measured(spans, (found.mean if part == "means" else found.values)[drawn])


def peer(settings: Settings, part: str) -> Measured:
    """τ_b of some cuts, extrapolated to all.

    The loop is given what is the same for every cut: rankings cut at rank 10, which is all that
    the measure sees, of the judged topics only, and the experts' ranking.
    """
    ranked = RankedLists.from_table(table(settings, "runs"))
    frame = aggregate(table(settings, "S100"), "median").to_pandas()
    values = {
        str(topic): (rows["docno"].astype(str).to_list(), rows["grade"].to_numpy())
        for topic, rows in frame.groupby("topic", observed=True)
    }
    runs = _top_runs(ranked, list(values))
    expert = {
        str(topic): dict(zip(rows["docno"].astype(str), rows["grade"].astype(int), strict=True))
        for topic, rows in table(settings, "TR2").to_pandas().groupby("topic", observed=True)
        if topic in values
    }
    theirs = _scores(expert, runs)
    _, cuts, n_cuts = sampled_cuts(settings)
    found = []
    start = now()
    for cut in cuts:
        labels = {
            topic: dict(zip(docnos, np.searchsorted(cut, value).tolist(), strict=True))
            for topic, (docnos, value) in values.items()
        }
        own = _scores(labels, runs)
        if part == "means":
            found.append(_tau(own.mean(axis=1), theirs.mean(axis=1)))
        else:
            found.append([_tau(*both) for both in zip(own.T, theirs.T, strict=True)])
    span = (now() - start) / len(cuts) * n_cuts
    note = f"{len(cuts)} of {n_cuts:,} cuts, extrapolated"
    return Measured([span], np.array(found), note=note)


def _top_runs(ranked: RankedLists, topics: list[str]) -> list[dict[str, dict[str, float]]]:
    """The first documents of every ranking, as pytrec_eval takes them."""
    top = ranked.top(CUTOFF)
    return [
        {
            topic: {
                ranked.docnos[code]: float(CUTOFF - i)
                for i, code in enumerate(top[s, ranked.topics.index(topic)])
                if code >= 0
            }
            for topic in topics
        }
        for s in range(len(ranked.systems))
    ]


def _scores(qrels: dict[str, dict[str, int]], runs: list[dict]) -> np.ndarray:
    """(systems, topics) nDCG; 0 where a system has nothing."""
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {TREC_EVAL_MEASURE})
    name = TREC_EVAL_MEASURE.replace(".", "_")
    return np.array(
        [
            [scores[topic][name] if topic in scores else 0.0 for topic in sorted(qrels)]
            for scores in map(evaluator.evaluate, runs)
        ]
    )


def _tau(own: np.ndarray, theirs: np.ndarray) -> float:
    """τ_b; scores that differ only by the order of additions are tied."""
    return kendalltau(own.round(12), theirs.round(12)).statistic
