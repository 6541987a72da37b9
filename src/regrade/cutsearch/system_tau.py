"""System rankings under transformed judgments: τ_b of chosen cuts, and of every cut.

han2019 ranks the systems by NDCG under the judgments that a method's best cut gives and
compares with the experts' ranking (§3.5, §4.4, Table 4).  It leaves τ as a criterion for
choosing cuts, and per-topic against single cuts, to future work (§5): here τ_b of every cut.

How every cut is scored is in `regrade.cutsearch.cut_scores`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import AGGREGATION, Aggregation
from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, SUMMARY_COLUMNS, columns_of
from regrade.compiled import njit
from regrade.cutsearch.best import TIED
from regrade.cutsearch.cut_scores import CutScores, divisor, put_scores, scores_of_every_cut
from regrade.cutsearch.labels import Labelling, of_search, selected_cuts
from regrade.cutsearch.search import CutSearch, UnservedError
from regrade.cutsearch.thresholds import Thresholds, as_scale
from regrade.errors import ParameterError
from regrade.kendall import expert_order, tau_b, tau_b_ordered
from regrade.measures import Measure, check_cuts, parse
from regrade.percentiles import five_numbers
from regrade.run_arrays import Judged, RankedLists
from regrade.scales import Scale
from regrade.scoring import score

log = logging.getLogger(__name__)

TAU = "tau"
"""The method that chooses the cut whose system ranking is most like an expert's."""

CHUNK = 4096
"""Cuts per task of the mean over topics: many more tasks than threads."""


# --- τ of chosen cuts ------------------------------------------------------------------------


def rankings_of_cuts(
    ranked: RankedLists,
    judgments: pa.Table,
    best: pd.DataFrame,
    experts: dict[str, pa.Table],
    measure: str | Measure,
    *,
    levels: int,
    max_grades: Mapping[str, float] | None = None,
    aggregation: Aggregation = AGGREGATION,
) -> pd.DataFrame:
    """τ_b between system rankings under best cuts and under expert judgments (Table 4).

    Each method's cuts turn the judgments into labels in the method's own order: ``ta`` methods
    transform and then aggregate, all others aggregate and then transform.
    """
    measure = parse(measure)
    highest = max_grades or {}
    expert_scores = {
        name: scores_by_topic(ranked, qrels, measure, highest.get(name))
        for name, qrels in sorted(experts.items())
    }
    rows = []
    for (method, reference), chosen in best.groupby(
        ["method", "reference"], dropna=False, sort=False, observed=True
    ):
        selections = selected_cuts(chosen)
        if not selections["per-topic"]:
            log.info("%s has no cut, so no ranking", _search_name(method, reference))
            continue
        for selection in selections:
            labelling = Labelling.of_search(chosen, selection, levels, aggregation)
            labels = labelling.labels(judgments)
            own = scores_by_topic(ranked, labels, measure, levels - 1)
            for expert, theirs in expert_scores.items():
                row = {"method": method, "reference": None if pd.isna(reference) else reference}
                row |= {"selection": selection, "expert": expert, "measure": str(measure)}
                tau, n_topics = tau_of_means(own, theirs)
                row |= {"n_systems": len(ranked.systems), "n_topics": n_topics}
                rows.append(row | {"tau": None if np.isnan(tau) else tau})
        log.info("ranked the systems under the cuts of %s", _search_name(method, reference))
    return pd.DataFrame(rows, columns=columns_of("rankings"))


def _search_name(method: str, reference: str | None) -> str:
    return method if pd.isna(reference) else f"{method}@{reference}"


def tau_of_means(
    own: Mapping[str, np.ndarray], theirs: Mapping[str, np.ndarray]
) -> tuple[float, int]:
    """τ_b of the systems' means over the topics that both score, and how many those are."""
    shared = sorted(own.keys() & theirs.keys())
    tau = tau_b(mean_of(own, shared), mean_of(theirs, shared)) if shared else np.nan
    return tau, len(shared)


def mean_of(scores: Mapping[str, np.ndarray], topics: Sequence[str]) -> np.ndarray:
    """Mean over topics of (S,) scores, added in sorted order of topics."""
    return np.mean([scores[topic] for topic in sorted(topics)], axis=0)


def scores_by_topic(
    ranked: RankedLists, qrels: pa.Table, measure: Measure, max_grade: float | None = None
) -> dict[str, np.ndarray]:
    """The (S,) scores of each judged topic."""
    scores = score(ranked, Judged.from_table(qrels, ranked), [measure], max_grade=max_grade)
    return dict(zip(scores.topics, scores.values[:, :, 0].T, strict=True))


# --- τ of every cut --------------------------------------------------------------------------


def tau_of_every_cut(
    ranked: RankedLists,
    labels: pa.Table,
    expert: pa.Table,
    source: Scale | int,
    levels: int,
    measure: str | Measure = "nDCG@10",
    *,
    max_grade: float | None = None,
    thresholds: Thresholds | None = None,
    required: bool = True,
    threads: int = 1,
) -> CutSearch:
    """τ_b between the system ranking under every cut and an expert's, per topic and in the mean."""
    measure = parse(measure)
    scale = as_scale(source)
    if thresholds is None:
        thresholds = Thresholds.of(scale, levels, labels["grade"].to_numpy())
    cuts = thresholds.cuts(levels)
    check_cuts(measure, levels, len(cuts))
    theirs = scores_by_topic(ranked, expert, measure, max_grade)
    own = Judged.from_table(labels, ranked)
    topics = [topic for topic in own.topics if topic in theirs]
    if not topics:
        reason = f"{TAU}: no topic has runs, judgments to cut and expert judgments"
        if required:
            raise UnservedError(f"{reason}: name other `experts`")
        log.warning("left out: %s", reason)
        return CutSearch.nothing(TAU, cuts, reason)
    own = own.select(topics)
    # refuse labels outside the scale's ends; aggregates may lie between its values
    outside = np.flatnonzero(~((own.grades >= scale.low) & (own.grades <= scale.high)))
    if outside.size:
        topic = topics[np.searchsorted(own.offsets, outside[0], side="right") - 1]
        raise ParameterError(
            f"topic {topic}: the value {own.grades[outside[0]]:g} is not on the source scale, "
            f"{scale}; {outside.size} such values. Correct the scale of the judgment set"
        )
    thresholds.check_size(levels, len(topics))
    scores = scores_of_every_cut(ranked, own, measure, thresholds, levels, threads)
    lookups, weights, ideal = scores.lookups, scores.weights, scores.divisors

    def one_topic(t: int) -> np.ndarray:
        order, below = expert_order(theirs[topics[t]])
        parts = np.ascontiguousarray(scores.parts[t][:, order])
        tau = _tau_of_topic(lookups, scores.same[t], parts, ideal[t], weights, below)
        log.info("tau: topic %s, %d of %d", topics[t], t + 1, len(topics))
        return tau

    with ThreadPoolExecutor(max_workers=threads) as pool:
        mean = _tau_of_every_mean(scores, mean_of(theirs, topics), pool)
        log.info("tau: the mean over %d topics of %d cuts done", len(topics), len(cuts))
        tau = np.stack(list(pool.map(one_topic, range(len(topics)))), axis=1)
    defined = ~np.isnan(tau)
    return CutSearch(
        method=TAU,
        cuts=cuts,
        topics=tuple(topics),
        values=tau,
        eligible=defined,
        n_defined=defined.astype(np.int32),
        n=np.ones(len(topics), dtype=np.int32),
        mean=mean,
        n_topics=np.full(len(cuts), len(topics), dtype=np.int32),
        single=mean,
        grid=thresholds.note,
    )


def _tau_of_every_mean(
    scores: CutScores, theirs: np.ndarray, pool: ThreadPoolExecutor
) -> np.ndarray:
    """τ_b of the systems' means over topics with an expert's (S,), for every cut; (C,)."""
    order, below = expert_order(theirs)
    parts, rest = np.ascontiguousarray(scores.parts[:, :, order]), (scores.divisors, scores.weights)

    def tau(start: int) -> np.ndarray:
        return _tau_of_means(scores.lookups[start : start + CHUNK], parts, *rest, below)

    return np.concatenate(list(pool.map(tau, range(0, len(scores.lookups), CHUNK))))


@njit(cache=True, nogil=True)
def _tau_of_means(lookups, parts, ideal, weights, strictly_below):
    """τ_b of the mean over topics of the scores, for some cuts; systems in the expert's order."""
    tau = np.empty(lookups.shape[0])
    n_topics, _, n_systems = parts.shape
    scores, total = np.empty((n_topics, n_systems)), np.empty(n_systems)
    for i in range(lookups.shape[0]):
        put_scores(scores, total, parts, lookups[i], ideal, weights, float(n_topics))
        tau[i] = tau_b_ordered(total, strictly_below, -1.0)
    return tau


@njit(cache=True, nogil=True)
def _tau_of_topic(lookups, same, parts, ideal, weights, strictly_below):
    """τ_b of one topic's scores for every cut, once for cuts that no document tells apart."""
    n_systems = parts.shape[1]
    n_same = same.max() + 1
    tau = np.empty(lookups.shape[0])
    known = np.full(n_same ** lookups.shape[1], -1, dtype=np.int64)
    total = np.empty(n_systems)
    for i in range(lookups.shape[0]):
        key = 0
        for j in range(lookups.shape[1]):
            key = key * n_same + same[lookups[i, j]]
        if known[key] < 0:
            known[key] = i
            total[:] = 0.0
            best = divisor(lookups[i], ideal, weights)
            if best > 0:
                for j in range(lookups.shape[1]):
                    for s in range(n_systems):
                        total[s] += weights[j] / best * parts[lookups[i, j], s]
            tau[i] = tau_b_ordered(total, strictly_below, -1.0)
        else:
            tau[i] = tau[known[key]]
    return tau


def tau_of_chosen_cuts(
    best: pd.DataFrame, tied: pd.DataFrame, tau: pd.DataFrame, rankings: pd.DataFrame, expert: str
) -> pd.DataFrame:
    """How the cuts that methods chose fare among all cuts by τ_b."""
    cut_columns = [name for name in CUT_COLUMNS if name in tau.columns]
    index = pd.MultiIndex.from_frame(tau[cut_columns])
    topics = [name for name in tau.columns if name not in (*cut_columns, *SUMMARY_COLUMNS)]
    every = {topic: tau[topic].to_numpy() for topic in topics}
    every[ALL_TOPICS] = tau["mean"].to_numpy()
    of_expert = rankings[rankings["expert"].astype(str) == expert]
    rows = []
    for (method, reference), chosen in best.groupby(
        ["method", "reference"], dropna=False, sort=False, observed=True
    ):
        selections = selected_cuts(chosen)
        if not selections["per-topic"]:
            continue
        own = of_search(of_expert, method, reference).set_index("selection")["tau"]
        own_tied = of_search(tied, method, reference)
        for topic, values in every.items():
            row = {"method": method, "reference": None if pd.isna(reference) else reference}
            row |= {"expert": expert, "topic": topic}
            for selection in ("per-topic", "single"):
                cut = selections.get(selection, {}).get(topic)
                at = np.nan if cut is None else values[index.get_loc(cut)]
                at = own.get(selection, np.nan) if topic == ALL_TOPICS else at
                row[selection.replace("-", "_")] = at
            known = values[~np.isnan(values)]
            if len(known):
                row |= five_numbers(known)
                if not np.isnan(row["per_topic"]):
                    row["share_higher"] = float((known > row["per_topic"] + TIED).mean())
            shared = own_tied.loc[own_tied["topic"].astype(str) == topic, cut_columns]
            places = index.get_indexer(pd.MultiIndex.from_frame(shared.astype(int)))
            at_tied = values[places]
            at_tied = at_tied[~np.isnan(at_tied)]
            if len(at_tied):
                row |= {"tied_low": at_tied.min(), "tied_high": at_tied.max()}
            rows.append(row)
    return pd.DataFrame(rows, columns=columns_of("cuts/tau_topics"))
