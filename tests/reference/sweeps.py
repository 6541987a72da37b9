"""A universe of a sweep, plainly: labels, pools and orders of ties by hand, then trec_eval.

Nothing of regrade is used.  Runs are ``{system: {topic: [(docno, score), …]}}`` in the order in
which they were submitted, labels ``{topic: {docno: value}}``.
"""

from __future__ import annotations

import gzip
from fractions import Fraction
from itertools import permutations, product
from types import SimpleNamespace

import numpy as np
import pytrec_eval
from scipy import stats
from statsmodels.stats import multitest

from tests.reference.cluster_robust import mean_by_cluster

# statsmodels looks for garbage after each of Holm's corrections, among all that a process holds
multitest.gc = SimpleNamespace(collect=int)

MEASURES = {
    "nDCG@10": ("ndcg_cut_10", 1),
    "nDCG": ("ndcg", 1),
    "AP": ("map", 1),
    "AP(rel=2)": ("map", 2),
    "P@10": ("P_10", 1),
    "RR": ("recip_rank", 1),
    "nDCG@5": ("ndcg_cut_5", 1),
}
"""Ours, in trec_eval's name and relevance level."""

# by Holm it looks for garbage at each call, among all that a run of all tests holds
multitest.gc = SimpleNamespace(collect=lambda: None)

CORRECTIONS = {"bh": "fdr_bh", "hochberg": "simes-hochberg", "by": "fdr_by"}


def cut(values: dict, thresholds) -> dict:
    """The levels of values: how many thresholds each exceeds."""
    return {
        topic: {doc: sum(value > c for c in thresholds) for doc, value in of.items()}
        for topic, of in values.items()
    }


def first_documents(runs: dict, topic: str, depth: int) -> set:
    """The documents at the first ranks of any run, as submitted."""
    return {doc for run in runs.values() for doc, _ in run.get(topic, [])[:depth]}


def reduced(labels: dict, runs: dict, pool: str, groups: dict | None = None) -> dict:
    """The labels that a pool leaves; topics stay."""
    if pool == "all":
        return labels
    if pool.startswith("depth-"):
        depth = int(pool[6:])
        kept = {topic: first_documents(runs, topic, depth) for topic in labels}
        return {t: {d: v for d, v in of.items() if d in kept[t]} for t, of in labels.items()}
    if pool.startswith("RRF@"):
        kept = {topic: fused(runs, topic)[: int(pool[4:])] for topic in labels}
        return {t: {d: v for d, v in of.items() if d in kept[t]} for t, of in labels.items()}
    kind, _, name = pool.partition(": ")  # without group to 5
    depth = int(kind.split()[-1])
    out = {s for s in runs if (s if "run" in kind else groups[s]) == name}
    rest = {system: run for system, run in runs.items() if system not in out}
    lost = {
        topic: first_documents({s: runs[s] for s in out}, topic, depth)
        - first_documents(rest, topic, depth)
        for topic in labels
    }
    return {t: {d: v for d, v in of.items() if d not in lost[t]} for t, of in labels.items()}


def fused(runs: dict, topic: str) -> list:
    """The documents of all runs by the sum of 1 / (60 + rank), those of one sum by docno."""
    sums: dict = {}
    for run in runs.values():
        for rank, (doc, _) in enumerate(run.get(topic, []), 1):
            sums[doc] = sums.get(doc, 0) + Fraction(1, 60 + rank)
    return sorted(sums, key=lambda doc: (-sums[doc], doc))


def ordered(ranking: list, ties: str) -> list:
    """The documents of a ranking, those of one score in an order."""
    if ties == "rank":
        return [doc for doc, _ in ranking]
    by_docno = sorted(ranking, key=lambda one: one[0], reverse=ties == "docno-reversed")
    return [doc for doc, _ in sorted(by_docno, key=lambda one: -one[1])]


def every_order(ranking: list) -> list[list]:
    """A ranking's documents in every order of those of one score."""
    groups: dict[float, list] = {}
    for doc, score in ranking:
        groups.setdefault(score, []).append(doc)
    each = product(*(permutations(groups[score]) for score in sorted(groups, reverse=True)))
    return [[doc for group in one for doc in group] for one in each]


def score_run(rankings: dict, labels: dict, measure: str) -> dict:
    """trec_eval's scores of one run, ``{topic: [docno, …]}``, by topic; 0 where it has none."""
    name, level = MEASURES[measure]
    asked = {t: {d: int(v) for d, v in labels[t].items()} for t in rankings if labels.get(t)}
    run = {t: {d: float(-rank) for rank, d in enumerate(rankings[t])} for t in asked}
    run = {topic: own for topic, own in run.items() if own}
    # relevance_level is of measures of relevant documents; gains below it count all the same
    evaluator = pytrec_eval.RelevanceEvaluator(asked, {name}, relevance_level=level)
    found = evaluator.evaluate(run) if run else {}
    return {topic: found.get(topic, {}).get(name, 0.0) for topic in rankings}


def scores(
    runs: dict, labels: dict, *, unjudged: str, pool: str, ties: str, measure: str,
    topics: list[str], groups: dict | None = None,
) -> np.ndarray:  # fmt: skip
    """(S, T) scores of a universe; systems sorted."""
    left = reduced(labels, runs, pool, groups)

    def kept(documents: list, topic: str) -> list:
        own = left.get(topic, {})
        return [d for d in documents if d in own] if unjudged == "condensed" else documents

    found = []
    for system in sorted(runs):
        rankings = {topic: runs[system].get(topic, []) for topic in topics}
        if ties == "expected":
            each = {topic: every_order(own) for topic, own in rankings.items()}
            found.append([
                np.mean([score_run({t: kept(o, t)}, left, measure)[t] for o in each[t]])
                for t in topics
            ])  # fmt: skip
        else:
            own = {t: kept(ordered(rankings[t], ties), t) for t in topics}
            of_run = score_run(own, left, measure)
            found.append([of_run[t] for t in topics])
    return np.array(found)


def read_run(path) -> tuple[str, dict]:
    """A TREC run, plain or gzipped: its tag, and what it ranks by topic, in canonical order."""
    opened = gzip.open if str(path).endswith(".gz") else open
    rows: dict[str, list] = {}
    with opened(path, "rt") as lines:
        for line in lines:
            topic, _, docno, rank, value, tag = line.split()
            rows.setdefault(topic, []).append((-float(value), int(rank), docno))
    # equal scores by the rank that was submitted; sorting keeps the order of lines
    ranked = {t: sorted(own, key=lambda one: one[:2]) for t, own in rows.items()}
    return tag, {t: [(docno, -value) for value, _, docno in own] for t, own in ranked.items()}


def read_labels(path) -> dict:
    """TREC qrels, plain or gzipped."""
    opened = gzip.open if str(path).endswith(".gz") else open
    labels: dict[str, dict] = {}
    with opened(path, "rt") as lines:
        for line in lines:
            topic, _, docno, value = line.split()
            labels.setdefault(topic, {})[docno] = float(value)
    return labels


def conclusions(values: np.ndarray, test: str, level: float = 0.05) -> np.ndarray:
    """(P,) 1, 0 or −1 for each pair (i, j), i < j."""
    name, correction = test.split("/")
    i, j = np.triu_indices(len(values), 1)
    differences = values[i] - values[j]
    differences[np.abs(differences) <= 1e-12] = 0
    constant = np.ptp(differences, axis=1) <= 1e-12
    p = np.where((differences == 0).all(axis=1), np.nan, 0.0)
    if name == "t":
        p[~constant] = stats.ttest_1samp(differences[~constant], 0, axis=1).pvalue
    else:
        for pair in np.flatnonzero(~constant):
            own = differences[pair]
            exact = len(own) <= 13 or (len(own) <= 50 and untied(own))
            p[pair] = stats.wilcoxon(
                own, method="exact" if exact and untied(own) else "auto"
            ).pvalue
    known = ~np.isnan(p)
    if correction != "none" and known.any():
        method = CORRECTIONS.get(correction, correction)
        p[known] = multitest.multipletests(p[known], method=method)[1]
    return np.where(p < level, np.sign(differences.mean(axis=1)), 0).astype(int)


def untied(own: np.ndarray) -> bool:
    """Whether no difference is 0, and none is as large as another."""
    return bool((own != 0).all()) and len(np.unique(np.abs(own))) == len(own)


# --- scores by item ------------------------------------------------------------------------------


def score_universe(
    rows: list[dict], *, scores: str, measure: str, average: str, items: str,
    half: set | None = None,
) -> tuple[dict, dict]:  # fmt: skip
    """The means of systems, and of each pair (a, b), a < b, the paired t-test.

    `rows` have the keys judge, system, item, measure, value, dataset and cluster; repeats are
    averaged.  `half` are the items of a half.
    """
    known: dict = {}
    for row in rows:
        key = row["judge"], row["measure"], row["system"], row["item"]
        known.setdefault(key, []).append(row["value"])
    judges, measures, systems, names = (sorted({key[n] for key in known}) for n in range(4))
    of = {row["item"]: (row["dataset"], row["cluster"]) for row in rows}

    def has_all(item: str, judges: list, measures: list) -> bool:
        return all(
            (j, m, s, item) in known for j in judges for m in measures for s in systems
        )  # fmt: skip

    if items == "own":
        kept = [item for item in names if has_all(item, [scores], [measure])]
    else:
        kept = [item for item in names if has_all(item, judges, measures)]
    kind, _, dataset = items.partition(" dataset: ")
    if dataset:
        kept = [item for item in kept if (of[item][0] == dataset) == (kind == "only")]
    if half is not None:
        kept = [item for item in kept if item in half]
    value = {
        s: {item: float(np.mean(known[scores, measure, s, item])) for item in kept} for s in systems
    }
    strata = sorted({of[item][0] for item in kept}) if average == "datasets" else [None]
    in_set = {d: [item for item in kept if d is None or of[item][0] == d] for d in strata}
    means = {
        s: float(np.mean([np.mean([own[item] for item in some]) for some in in_set.values()]))
        for s, own in value.items()
    }
    tests = {}
    for a, first in enumerate(systems):
        for second in systems[a + 1 :]:
            apart = {item: value[first][item] - value[second][item] for item in kept}
            tests[first, second] = clustered_t(apart, in_set, {i: of[i][1] for i in kept})
    return means, tests


def clustered_t(apart: dict, in_set: dict, cluster: dict) -> float:
    """p of the mean of data sets' mean differences, by Bell and McCaffrey's variance of each."""
    total, variance, spent = 0.0, 0.0, 0.0
    for some in in_set.values():
        values = np.array([apart[item] for item in some])
        units = [item if cluster[item] is None else f"cluster {cluster[item]}" for item in some]
        mean, error, freedom = mean_by_cluster(values, np.array(units))
        part = (error / len(in_set)) ** 2
        total, variance, spent = total + mean, variance + part, spent + part**2 / freedom
    freedom = variance**2 / spent
    return float(2 * stats.t.sf(abs(total / len(in_set) / np.sqrt(variance)), freedom))


def score_conclusions(means: dict, tests: dict, correction: str, level: float) -> list[int]:
    """1, 0 or −1 for each pair, in the order of the tests."""
    p = np.array([*tests.values()])
    if correction != "none":
        p = multitest.multipletests(p, method=CORRECTIONS.get(correction, correction))[1]
    signs = [np.sign(means[a] - means[b]) for a, b in tests]
    return np.where(p < level, signs, 0).astype(int).tolist()
