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
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa
from numba import njit

from regrade.aggregation import AGGREGATION, Aggregation
from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, SUMMARY_COLUMNS, columns_of
from regrade.cutsearch.best import TIED
from regrade.cutsearch.cut_scores import CutScores, divisor, put_means, scores_of_every_cut
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
                row |= {"n_systems": len(ranked.systems)}
                rows.append(row | _tau_of_scores(own, theirs))
        log.info("ranked the systems under the cuts of %s", _search_name(method, reference))
    return pd.DataFrame(rows, columns=columns_of("rankings"))


def _search_name(method: str, reference: str | None) -> str:
    return method if pd.isna(reference) else f"{method}@{reference}"


def _tau_of_scores(own: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> dict:
    """τ_b of the systems' means over the topics that both score, and how many those are."""
    shared = sorted(own.keys() & theirs.keys())
    tau = tau_b(mean_of(own, shared), mean_of(theirs, shared)) if shared else np.nan
    return {"n_topics": len(shared), "tau": None if np.isnan(tau) else tau}


def mean_of(scores: dict[str, np.ndarray], topics: Sequence[str]) -> np.ndarray:
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
    _check_on_scale(own, scale)
    thresholds.check_size(levels, len(topics))
    scores = scores_of_every_cut(ranked, own, measure, thresholds, levels, threads)
    every = _EveryCut(scores)

    def one_topic(t: int) -> np.ndarray:
        tau = every.tau_of_topic(t, theirs[topics[t]])
        log.info("tau: topic %s, %d of %d", topics[t], t + 1, len(topics))
        return tau

    with ThreadPoolExecutor(max_workers=threads) as pool:
        mean = every.tau_of_means(mean_of(theirs, topics), pool)
        log.info("tau: the mean over %d topics of %d cuts done", len(topics), len(cuts))
        tau = np.stack(list(pool.map(one_topic, range(len(topics)))), axis=1)
    return replace(_search_by_tau(cuts, topics, tau, mean), grid=thresholds.note)


def _search_by_tau(
    cuts: np.ndarray, topics: Sequence[str], tau: np.ndarray, mean: np.ndarray
) -> CutSearch:
    """τ_b of topics (C, T) and of the mean over them (C,) as a criterion for cuts."""
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
    )


@dataclass(frozen=True)
class _EveryCut:
    """τ_b of every cut, from the scores of S systems for T topics under them."""

    of: CutScores

    def tau_of_means(self, theirs: np.ndarray, pool: ThreadPoolExecutor) -> np.ndarray:
        """τ_b of the systems' means over topics with an expert's (S,), for every cut; (C,)."""
        order, strictly_below = expert_order(theirs)
        parts = np.ascontiguousarray(self.of.parts[:, :, order])
        lookups, weights, ideal = self.of.lookups, self.of.weights, self.of.divisors

        def tau(start: int) -> np.ndarray:
            chunk = lookups[start : start + CHUNK]
            return _tau_of_means(chunk, parts, ideal, weights, strictly_below)

        return np.concatenate(list(pool.map(tau, range(0, len(lookups), CHUNK))))

    def tau_of_topic(self, t: int, theirs: np.ndarray) -> np.ndarray:
        """τ_b of a topic's scores with an expert's (S,), for every cut; (C,)."""
        order, strictly_below = expert_order(theirs)
        parts = np.ascontiguousarray(self.of.parts[t][:, order])
        lookups, weights, same = self.of.lookups, self.of.weights, self.of.same[t]
        return _tau_of_topic(lookups, same, parts, self.of.divisors[t], weights, strictly_below)


def _check_on_scale(judged: Judged, scale: Scale) -> None:
    """Refuse labels outside the scale's ends; aggregates may lie between its values."""
    within = (judged.grades >= scale.low) & (judged.grades <= scale.high)
    outside = np.flatnonzero(~within)
    if outside.size:
        topic = judged.topics[np.searchsorted(judged.offsets, outside[0], side="right") - 1]
        raise ParameterError(
            f"topic {topic}: the value {judged.grades[outside[0]]:g} is not on the source scale, "
            f"{scale}; {outside.size} such values. Correct the scale of the judgment set"
        )


@njit(cache=True, nogil=True)
def _tau_of_means(lookups, parts, ideal, weights, strictly_below):
    """τ_b of the mean over topics of the scores, for some cuts; systems in the expert's order."""
    tau = np.empty(lookups.shape[0])
    total = np.empty(parts.shape[2])
    for i in range(lookups.shape[0]):
        put_means(total, parts, lookups[i], ideal, weights)
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
        chosen_at = _tau_at_chosen(every, index, selections)
        own = of_search(of_expert, method, reference).set_index("selection")["tau"]
        chosen_at[ALL_TOPICS] = own.get("per-topic", np.nan), own.get("single", np.nan)
        own_tied = of_search(tied, method, reference)
        for topic, values in every.items():
            shared = own_tied.loc[own_tied["topic"].astype(str) == topic, cut_columns]
            places = index.get_indexer(pd.MultiIndex.from_frame(shared.astype(int)))
            row = {"method": method, "reference": None if pd.isna(reference) else reference}
            row |= {"expert": expert, "topic": topic}
            rows.append(row | _among_all(values, chosen_at[topic], values[places]))
    return pd.DataFrame(rows, columns=columns_of("cuts/tau_topics"))


def _tau_at_chosen(
    every: dict[str, np.ndarray],
    index: pd.MultiIndex,
    selections: dict[str, dict[str, tuple[int, ...]]],
) -> dict[str, tuple[float, float]]:
    """Each topic's τ_b at its own cut and at the single one; NaN where there is none."""

    def at(topic: str, selection: str) -> float:
        cut = selections.get(selection, {}).get(topic)
        return np.nan if cut is None else every[topic][index.get_loc(cut)]

    return {topic: (at(topic, "per-topic"), at(topic, "single")) for topic in every}


def _among_all(every: np.ndarray, chosen: tuple[float, float], tied: np.ndarray) -> dict:
    """A row of ``tau_topics``: `chosen` and `tied` among τ_b of every cut."""
    per_topic, single = chosen
    row = {"per_topic": per_topic, "single": single}
    known = every[~np.isnan(every)]
    if len(known):
        row |= five_numbers(known)
        if not np.isnan(per_topic):
            row["share_higher"] = float((known > per_topic + TIED).mean())
    tied = tied[~np.isnan(tied)]
    if len(tied):
        row |= {"tied_low": tied.min(), "tied_high": tied.max()}
    return row
