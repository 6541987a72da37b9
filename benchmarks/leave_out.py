"""Leave-one-out by run and by group: ours beside pools made again and pytrec_eval."""

from __future__ import annotations

import numpy as np
import pytrec_eval

from benchmarks.inputs import drawn, groups_file, rankings
from benchmarks.measuring import Measured, Settings, now, timed
from regrade.pools.leave_out import leave_out_of_pool, rescore
from regrade.pools.pooling import Pooling
from regrade.readers.groups import read_groups

DEPTH = 100
MEASURES, TREC_EVAL = ("AP", "nDCG"), ("map", "ndcg")


def ours(settings: Settings) -> Measured:
    """All runs and all groups, to the summary of each."""
    ranked, judged = rankings(settings)
    groups = read_groups(groups_file(settings))
    pooling = Pooling("Depth", depth=DEPTH)

    def work(judged=judged):
        parts = []
        for by in ("run", "group"):
            left_out = leave_out_of_pool(ranked, judged, pooling, by, groups=groups)
            scores = rescore(ranked, judged, left_out, MEASURES, threads=settings.threads)
            scores.summary_frame()
            parts.append(scores.mean_without)
        return np.concatenate(parts)

    work(judged.select(judged.topics[:1]))
    spans, means = timed(work, settings.repeats)
    return Measured(spans, means[drawn(settings, len(means))], note=f"{len(means)} left out")


def peer(settings: Settings) -> Measured:
    """Some of the runs and groups, extrapolated to all.

    The loop is given the runs and the first documents of every ranking as it needs them; for each
    one it pools what the others bring, reduces the qrels, and has all runs scored.
    """
    ranked, judged = rankings(settings)
    runs = _runs(ranked)
    tops = {
        system: {topic: set(list(docnos)[:DEPTH]) for topic, docnos in run.items()}
        for system, run in runs.items()
    }
    qrels = {topic: {} for topic in judged.topics}
    for topic, start, stop in zip(
        judged.topics, judged.offsets[:-1], judged.offsets[1:], strict=True
    ):
        codes, grades = judged.documents[start:stop], judged.grades[start:stop].astype(int)
        found = codes >= 0
        qrels[topic] = dict(zip(ranked.docnos[codes[found]], grades[found].tolist(), strict=True))
    groups = read_groups(groups_file(settings))
    groups = groups[groups["system"].isin(ranked.systems)].groupby("group")["system"].agg(set)
    left_out = [{system} for system in ranked.systems] + groups.sort_index().to_list()
    sample = drawn(settings, len(left_out))
    start = now()
    values = [_means_without(left_out[index], runs, tops, qrels) for index in sample]
    span = (now() - start) / len(sample) * len(left_out)
    note = f"{len(sample)} of {len(left_out)} left out, extrapolated"
    return Measured([span], np.array(values), note=note)


def _runs(ranked) -> dict[str, dict[str, dict[str, float]]]:
    """By system and topic, as pytrec_eval takes them."""
    falling = np.arange(ranked.lengths.max(), 0.0, -1.0).tolist()
    return {
        system: {
            topic: dict(
                zip(
                    ranked.docnos[ranked.documents[ranked.starts[s, t] : ranked.stops[s, t]]],
                    falling,
                    strict=False,
                )
            )
            for t, topic in enumerate(ranked.topics)
        }
        for s, system in enumerate(ranked.systems)
    }


def _means_without(absent: set[str], runs: dict, tops: dict, qrels: dict) -> list[list[float]]:
    """(systems, measures): means over all topics; 0 for one that has lost its judgments."""
    others = [tops[system] for system in tops if system not in absent]
    reduced = {}
    for topic, judged in qrels.items():
        pool = set().union(*(top[topic] for top in others if topic in top))
        reduced[topic] = {docno: grade for docno, grade in judged.items() if docno in pool}
    evaluator = pytrec_eval.RelevanceEvaluator(
        {topic: judged for topic, judged in reduced.items() if judged}, set(TREC_EVAL)
    )
    means = []
    for run in runs.values():
        scores = evaluator.evaluate(run).values()
        means.append([sum(topic[name] for topic in scores) / len(qrels) for name in TREC_EVAL])
    return means
