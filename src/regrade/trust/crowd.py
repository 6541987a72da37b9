"""Many judges' labels as one, before cutting or after: votes, and models of who can be believed.

A vote is the median, the majority or the mean.  A model says of each judge how reliable, and of
each document which label is most probable: Dawid–Skene (a confusion matrix a judge), one-coin (one
probability of being right) and MACE (knowing or guessing), all of crowd-kit.  Models take labels as
names without an order and see no reference.  Before cutting they need a scale of few values; after
it they are fitted anew to the labels that each cut makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import once_per_worker, transform
from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import AGGREGATIONS, CROWD_MODELS, VOTES
from regrade.cutsearch import kernels
from regrade.cutsearch.best import best_index
from regrade.cutsearch.means import mean_under_coverage, mean_where_defined
from regrade.cutsearch.search import SearchPlan
from regrade.errors import ParameterError, check_choice
from regrade.significance.paired import paired_difference
from regrade.trust.bootstrap import PER_TOPIC, SINGLE, RepeatedSearch, values_under
from regrade.trust.held_out import chosen_without
from regrade.trust.searches import RankedInput
from regrade.trust.transfer import ALPHA, TAU, scores_under, tau_with

BEFORE, AFTER = "before", "after"
ORDERS = {BEFORE: "d2_at", AFTER: "d2_ta"}
EQUAL = 1e-9
"""Labels whose probabilities differ by less are equally probable; the lower one is taken."""


# --- models ----------------------------------------------------------------------------------


def crowd_model(name: str):
    """A model of crowd-kit, with the package's own numbers of iterations."""
    check_choice("model of judges", name, CROWD_MODELS)
    try:
        from crowdkit.aggregation import MACE, DawidSkene, OneCoinDawidSkene
    except ImportError:
        raise ParameterError(
            f"{name} is a model of crowd-kit, which is not installed: pip install regrade[crowd], "
            f"or vote by {', '.join(AGGREGATIONS[:1] + AGGREGATIONS[-2:])}"
        ) from None
    if name == "mace":
        return MACE(n_restarts=1)  # each restart would draw the same numbers from its one seed
    return {"dawid_skene": DawidSkene, "one_coin": OneCoinDawidSkene}[name]()


def modelled(votes: pd.DataFrame, name: str) -> pd.DataFrame:
    """The most probable label of each document."""
    model = crowd_model(name)
    votes = votes.sort_values(["value", "worker", "topic", "docno"], kind="stable")
    documents = pd.MultiIndex.from_frame(votes[["topic", "docno"]])
    task, tasks = pd.factorize(documents)
    worker, _ = pd.factorize(votes["worker"])
    label, labels = pd.factorize(votes["value"])
    # numbered as they first occur: crowd-kit's MACE pairs rows in that order with rows by name
    data = pd.DataFrame({"task": task, "worker": worker, "label": label})
    probability = model.fit_predict_proba(data).sort_index(axis=0).sort_index(axis=1).to_numpy()
    best = np.argmax(probability >= probability.max(axis=1, keepdims=True) - EQUAL, axis=1)
    frame = pd.DataFrame(list(tasks), columns=["topic", "docno"])
    return frame.assign(value=np.asarray(labels, dtype=float)[best])


# --- searches --------------------------------------------------------------------------------


@dataclass(frozen=True)
class TriedCuts:
    """Some cuts and what their labels reach; what a table row is made of.

    Attributes
    ----------
    search
        A search with the topics, the systems and all cuts.
    index : array of int64, shape (n,)
        The cuts tried.
    criterion : array of float64, shape (n, T)
        α by topic; NaN where undefined.
    scores : callable
        The systems' scores by topic under one cut per topic, given by place in `index`.
    """

    search: RepeatedSearch
    index: np.ndarray
    criterion: np.ndarray
    scores: Callable[[np.ndarray], Mapping[str, np.ndarray]]

    @property
    def places(self) -> np.ndarray:
        """Of the cuts that were tried."""
        return self.search.places[self.index]

    def chosen(self, selection: str) -> np.ndarray:
        """The best of the cuts for each topic, or for all; −1 where there is none; (T,)."""
        if selection == PER_TOPIC:
            return np.array([best_index(self.places, column) for column in self.criterion.T])
        single = mean_under_coverage(self.criterion, self.search.coverage)
        return np.full(self.criterion.shape[1], best_index(self.places, single))

    def held_out(self) -> float:
        """Mean α of topics under the cut that the other topics choose."""
        if len(self.search.names) < 2:
            return np.nan
        others = chosen_without(self.places, self.criterion, self.search.coverage)
        return mean_where_defined(values_under(self.criterion, others))


def of_search(search: RepeatedSearch) -> TriedCuts:
    """Every cut of a search."""

    def scores(chosen: np.ndarray) -> dict[str, np.ndarray]:
        cuts = {t: [cut] for t, cut in zip(search.names, chosen, strict=True) if cut >= 0}
        return scores_under(search, cuts)

    return TriedCuts(search, np.arange(len(search.places)), search.criteria, scores)


def after_model(
    search: RepeatedSearch, votes: pd.DataFrame, name: str, index: np.ndarray
) -> TriedCuts:
    """Labels that a model finds in what each of some cuts makes of the votes."""
    plan, systems = search.plan, search.systems
    of_topic = {topic.topic: np.full((len(index), topic.n_documents), -1) for topic in plan.topics}
    for i, cut in enumerate(index):
        levels = votes.assign(value=transform(votes["value"], plan.cuts[cut]).astype(float))
        labels = modelled(levels, name).set_index(["topic", "docno"])["value"]
        for topic in plan.topics:
            known = labels.loc[topic.topic].reindex(topic.docnos).to_numpy()
            of_topic[topic.topic][i] = np.where(np.isnan(known), -1, known)
    columns = [_alpha_of_levels(plan, topic, levels) for topic, levels in of_topic.items()]

    def scores(chosen: np.ndarray) -> dict[str, np.ndarray]:
        return {
            topic: systems.scores(topic, np.maximum(of_topic[topic][[cut]], 0))
            for topic, cut in zip(search.names, chosen, strict=True)
            if systems is not None and cut >= 0 and topic in systems.discounts
        }

    return TriedCuts(search, index, np.stack(columns, axis=1), scores)


def _alpha_of_levels(plan: SearchPlan, topic: str, levels: np.ndarray) -> np.ndarray:
    """α of each of n labellings of a topic with the reference, after the rule for undefined α."""
    reference = plan.labels[topic]
    alpha = np.full(len(levels), np.nan)
    for i, row in enumerate(levels):
        voted = row >= 0
        codes, theirs = row[voted].astype(np.int32), reference[voted]
        # labels on the target scale have one cut into its levels: themselves
        (alpha[i],) = kernels.document_aggregate_first(
            codes, theirs, plan.levels, plan.levels, plan.metric
        )
        if np.isnan(alpha[i]) and (theirs >= 0).any() and plan.options.undefined != "drop":
            alpha[i] = 1.0 if plan.options.undefined == "one" else 0.0
    return alpha


# --- the table -------------------------------------------------------------------------------


def aggregated_table(
    source: RankedInput,
    reference: pa.Table | None,
    label: str | None,
    ways: Sequence[str] = ("median", "majority", "mean"),
    *,
    named: Callable[[RepeatedSearch], Mapping[str, int]] | None = None,
    tried: int = 10,
    values: int = 11,
) -> pd.DataFrame:
    """α and τ_b of labels aggregated in several ways, before and after cutting."""
    for way in ways:
        check_choice("way to aggregate", way, VOTES)
        if way in CROWD_MODELS:
            crowd_model(way)  # before anything is searched
    reason = None
    if "worker" not in source.judgments.column_names:
        reason = "one label per document: there is nothing to aggregate"
    elif not source.judgments.num_rows:
        reason = "the source set holds no judgment"
    elif reference is None:
        reason = "no reference to hold aggregated labels beside: name `references`"
    nothing = {"selection": SINGLE, "quantity": ALPHA, "n_topics": 0, "n_cuts": 0}
    rows = []
    if reason:
        key = {"reference": label, "vote": ways[0], "when": BEFORE}
        rows.append(key | nothing | {"note": reason})
    else:
        tried_cuts, notes = _aggregated(source, reference, ways, named, tried, values)
        base = None
        if (ways[0], BEFORE) in tried_cuts:
            cuts = tried_cuts[ways[0], BEFORE]
            alpha = values_under(cuts.criterion, cuts.chosen(SINGLE))
            base = dict(zip(cuts.search.names, alpha, strict=True))
        for way, when in product(ways, ORDERS):
            key = {"reference": label, "vote": way, "when": when}
            if (way, when) in notes:
                rows.append(key | nothing | {"note": notes[way, when]})
            else:
                rows += [key | row for row in _rows(tried_cuts[way, when], base)]
    return pd.DataFrame(rows, columns=columns_of("cuts/aggregated"))


def _aggregated(
    source: RankedInput,
    reference: pa.Table,
    ways: Sequence[str],
    named: Callable[[RepeatedSearch], Mapping[str, int]] | None,
    tried: int,
    values: int,
) -> tuple[dict[tuple[str, str], TriedCuts], dict[tuple[str, str], str]]:
    """By way and order what cuts reach; why some models are not fitted before cutting."""

    def by_vote(source: RankedInput, vote: str, when: str) -> RepeatedSearch:
        aggregation = replace(source.options.aggregation, source=vote, levels=vote)
        options = replace(source.options, aggregation=aggregation)
        return replace(source, options=options).search(ORDERS[when], reference)

    models = [way for way in ways if way in CROWD_MODELS]
    # models need a search by votes, of which there is one at least
    votes = [way for way in ways if way not in CROWD_MODELS] or ["median"]
    searches = {key: by_vote(source, *key) for key in product(votes, ORDERS)}
    tried_cuts, notes = {key: of_search(search) for key, search in searches.items()}, {}
    if not models:
        return tried_cuts, notes
    after = searches[votes[0], AFTER]
    index = np.arange(len(after.places))
    if len(index) > tried:
        best = {search.best for search in searches.values() if search.best >= 0}
        index = np.array(sorted({*best, *(named(after) if named else {}).values()}), dtype=np.int64)
    # topic, docno, worker and value, a worker once per document
    judgments = source.judgments.select(["topic", "docno", "worker", "value"]).to_pandas()
    answers = once_per_worker(judgments.astype({"topic": str, "docno": str, "worker": str}))
    distinct = answers["value"].nunique()
    for model in models:
        tried_cuts[model, AFTER] = after_model(after, answers, model, index)
        if distinct > values:
            notes[model, BEFORE] = f"{distinct} values: a model of labels takes {values} at most"
            continue
        labels = modelled(answers, model).rename(columns={"value": "grade"})
        labels = pa.Table.from_pandas(labels, SCHEMAS["qrels"], preserve_index=False)
        search = by_vote(replace(source, judgments=labels), "median", BEFORE)
        tried_cuts[model, BEFORE] = of_search(search)
    return tried_cuts, notes


def _rows(cuts: TriedCuts, base: Mapping[str, float] | None) -> Iterator[dict]:
    """α, then τ_b beside each expert, under each topic's best cut and under the one for all."""
    for selection in (PER_TOPIC, SINGLE):
        chosen = cuts.chosen(selection)
        values = values_under(cuts.criterion, chosen)
        key = {"selection": selection, "n_cuts": len(cuts.index)}
        alpha = {"quantity": ALPHA, "value": mean_where_defined(values)}
        alpha["n_topics"] = int((~np.isnan(values)).sum())
        if selection == SINGLE:
            if len(chosen) and chosen[0] >= 0:
                key |= cuts.search.thresholds(cuts.index[chosen[0]])
            alpha["held_out"] = cuts.held_out()
            if base is not None:  # to what the first way gives before cutting
                own = dict(zip(cuts.search.names, values, strict=True))
                pairs = np.array([own[topic] - base[topic] for topic in own if topic in base])
                paired = paired_difference(pairs[~np.isnan(pairs)])
                alpha |= {name: paired[name] for name in ("difference", "low", "high")}
        yield key | alpha
        scores = cuts.scores(chosen)
        for expert in cuts.search.experts:
            tau, n = tau_with(cuts.search, scores, expert, 0)
            if n:
                yield key | {"quantity": TAU, "expert": expert, "value": tau, "n_topics": n}
