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

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import once_per_worker, transform
from regrade.catalogue import CUT_COLUMNS, columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import AGGREGATIONS, CROWD_MODELS, VOTES
from regrade.cutsearch import kernels
from regrade.cutsearch.best import best_index
from regrade.cutsearch.means import mean_under_coverage, mean_where_defined
from regrade.cutsearch.search import SearchPlan
from regrade.errors import ParameterError, check_choice
from regrade.significance.paired import paired_difference
from regrade.trust.bootstrap import PER_TOPIC, SINGLE, RepeatedSearch
from regrade.trust.held_out import chosen_without
from regrade.trust.searches import RankedInput
from regrade.trust.transfer import ALPHA, TAU, CutChoices, tau_with

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
    choices
        A search with the topics, the systems and all cuts.
    index : array of int64, shape (n,)
        The cuts tried.
    criterion : array of float64, shape (n, T)
        α by topic; NaN where undefined.
    scores : callable
        The systems' scores by topic under one cut per topic, given by place in `index`.
    """

    choices: CutChoices
    index: np.ndarray
    criterion: np.ndarray
    scores: Callable[[np.ndarray], Mapping[str, np.ndarray]]

    @property
    def places(self) -> np.ndarray:
        """Of the cuts that were tried."""
        return self.choices.search.places[self.index]

    def chosen(self, selection: str) -> np.ndarray:
        """The best of the cuts for each topic, or for all; −1 where there is none; (T,)."""
        if selection == PER_TOPIC:
            return np.array([best_index(self.places, column) for column in self.criterion.T])
        single = mean_under_coverage(self.criterion, self.choices.search.plan.options.coverage)
        return np.full(self.criterion.shape[1], best_index(self.places, single))

    def values(self, chosen: np.ndarray) -> np.ndarray:
        """α of each topic under the cut chosen for it; NaN at −1; (T,)."""
        columns = np.arange(len(chosen))
        return np.where(chosen >= 0, self.criterion[np.maximum(chosen, 0), columns], np.nan)

    def held_out(self) -> float:
        """Mean α of topics under the cut that the other topics choose."""
        if len(self.choices.topics) < 2:
            return np.nan
        coverage = self.choices.search.plan.options.coverage
        return mean_where_defined(
            self.values(chosen_without(self.places, self.criterion, coverage))
        )


def of_search(choices: CutChoices) -> TriedCuts:
    """Every cut of a search."""

    def scores(chosen: np.ndarray) -> dict[str, np.ndarray]:
        cuts = {t: [cut] for t, cut in zip(choices.topics, chosen, strict=True) if cut >= 0}
        return choices.scores(cuts)

    return TriedCuts(choices, np.arange(len(choices.search.places)), choices.criterion, scores)


def after_model(
    choices: CutChoices, votes: pd.DataFrame, name: str, index: np.ndarray
) -> TriedCuts:
    """Labels that a model finds in what each of some cuts makes of the votes."""
    plan = choices.search.plan
    of_topic = {topic.topic: np.full((len(index), topic.n_documents), -1) for topic in plan.topics}
    for i, cut in enumerate(index):
        levels = votes.assign(value=transform(votes["value"], choices.cut(cut)).astype(float))
        labels = modelled(levels, name).set_index(["topic", "docno"])["value"]
        for topic in plan.topics:
            known = labels.loc[topic.topic].reindex(topic.docnos).to_numpy()
            of_topic[topic.topic][i] = np.where(np.isnan(known), -1, known)
    columns = [_alpha_of_levels(plan, topic.topic, of_topic) for topic in plan.topics]

    def scores(chosen: np.ndarray) -> dict[str, np.ndarray]:
        systems = choices.search.systems
        if systems is None:
            return {}
        return {
            topic: systems.scores(topic, np.maximum(of_topic[topic][[cut]], 0))
            for topic, cut in zip(choices.topics, chosen, strict=True)
            if cut >= 0 and topic in systems.discounts
        }

    return TriedCuts(choices, index, np.stack(columns, axis=1), scores)


def _alpha_of_levels(plan: SearchPlan, topic: str, levels: Mapping[str, np.ndarray]) -> np.ndarray:
    """α of each of n labellings of a topic with the reference, after the rule for undefined α."""
    reference = plan.labels[topic]
    alpha = np.full(len(levels[topic]), np.nan)
    for i, row in enumerate(levels[topic]):
        voted = row >= 0
        codes, theirs = row[voted].astype(np.int64), reference[voted]
        # labels on the target scale have one cut into its levels: themselves
        (alpha[i],) = kernels.document_aggregate_first(
            codes, theirs, plan.levels, plan.levels, plan.metric
        )
        if np.isnan(alpha[i]) and (theirs >= 0).any() and plan.options.undefined != "drop":
            alpha[i] = 1.0 if plan.options.undefined == "one" else 0.0
    return alpha


# --- the table -------------------------------------------------------------------------------


def _search_by_vote(source: RankedInput, reference: pa.Table, vote: str, when: str) -> CutChoices:
    """The search by a vote before or after cutting."""
    aggregation = replace(source.options.aggregation, source=vote, levels=vote)
    options = replace(source.options, aggregation=aggregation)
    return CutChoices.of(replace(source, options=options).search(ORDERS[when], reference))


def _votes(source: RankedInput) -> pd.DataFrame:
    """Topic, docno, worker and value, a worker once per document."""
    columns = ["topic", "docno", "worker", "value"]
    frame = source.judgments.select(columns).to_pandas()
    frame = frame.astype({"topic": str, "docno": str, "worker": str})
    return once_per_worker(frame)


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
    reason = _why_not(source, reference)
    if reason:
        row = {"reference": label, "vote": ways[0], "when": BEFORE, "selection": SINGLE}
        row |= {"quantity": ALPHA, "n_topics": 0, "n_cuts": 0, "note": reason}
        return pd.DataFrame([row], columns=columns_of("cuts/aggregated"))
    tried_cuts, notes = _of_votes(source, reference, ways), {}
    if set(ways) & set(CROWD_MODELS):
        notes = _add_models(tried_cuts, source, reference, ways, named, tried, values)
    base = _alphas(tried_cuts[ways[0], BEFORE]) if (ways[0], BEFORE) in tried_cuts else None
    rows = []
    for way, when in [(way, when) for way in ways for when in ORDERS]:
        key = {"reference": label, "vote": way, "when": when}
        if (way, when) in notes:
            row = {"selection": SINGLE, "quantity": ALPHA, "n_topics": 0, "n_cuts": 0}
            rows.append(key | row | {"note": notes[way, when]})
        else:
            rows += [key | row for row in _rows(tried_cuts[way, when], base)]
    return pd.DataFrame(rows, columns=columns_of("cuts/aggregated"))


def _of_votes(
    source: RankedInput, reference: pa.Table, ways: Sequence[str]
) -> dict[tuple[str, str], TriedCuts]:
    """The searches by votes; by the median where only models are asked for, which need one."""
    votes = [way for way in ways if way not in CROWD_MODELS] or ["median"]
    return {
        (vote, when): of_search(_search_by_vote(source, reference, vote, when))
        for vote in votes
        for when in ORDERS
    }


def _add_models(
    tried_cuts: dict[tuple[str, str], TriedCuts],
    source: RankedInput,
    reference: pa.Table,
    ways: Sequence[str],
    named: Callable[[RepeatedSearch], Mapping[str, int]] | None,
    tried: int,
    values: int,
) -> dict[tuple[str, str], str]:
    """Put what models find beside what votes do; why some are not fitted before cutting."""
    votes, notes = _votes(source), {}
    searches = [of_way.choices for of_way in tried_cuts.values()]
    after = next(of_way.choices for (_, when), of_way in tried_cuts.items() if when == AFTER)
    index = _cuts_to_try(searches, named(after.search) if named else {}, tried)
    distinct = votes["value"].nunique()
    for model in [way for way in ways if way in CROWD_MODELS]:
        tried_cuts[model, AFTER] = after_model(after, votes, model, index)
        if distinct > values:
            notes[model, BEFORE] = f"{distinct} values: a model of labels takes {values} at most"
            continue
        labels = modelled(votes, model).rename(columns={"value": "grade"})
        source = pa.Table.from_pandas(labels, SCHEMAS["qrels"], preserve_index=False)
        modelled_labels = replace(source, judgments=source)
        tried_cuts[model, BEFORE] = of_search(
            _search_by_vote(modelled_labels, reference, "median", BEFORE)
        )
    return notes


def _why_not(source: RankedInput, reference: pa.Table | None) -> str | None:
    if "worker" not in source.judgments.column_names:
        return "one label per document: there is nothing to aggregate"
    if not source.judgments.num_rows:
        return "the source set holds no judgment"
    if reference is None:
        return "no reference to hold aggregated labels beside: name `references`"
    return None


def _cuts_to_try(
    searches: Sequence[CutChoices], named: Mapping[str, int], tried: int
) -> np.ndarray:
    every = len(searches[0].search.places)
    if every <= tried:
        return np.arange(every)
    chosen = {choices.best for choices in searches if choices.best >= 0} | {*named.values()}
    return np.array(sorted(chosen), dtype=np.int64)


def _alphas(cuts: TriedCuts) -> dict[str, float]:
    return dict(zip(cuts.choices.topics, cuts.values(cuts.chosen(SINGLE)), strict=True))


def _rows(cuts: TriedCuts, base: Mapping[str, float] | None) -> Iterator[dict]:
    """α, then τ_b beside each expert, under each topic's best cut and under the one for all."""
    for selection in (PER_TOPIC, SINGLE):
        chosen = cuts.chosen(selection)
        values = cuts.values(chosen)
        key = {"selection": selection, "n_cuts": len(cuts.index)}
        if selection == SINGLE and len(chosen) and chosen[0] >= 0:
            cut = cuts.choices.cut(cuts.index[chosen[0]])
            key |= dict(zip(CUT_COLUMNS, map(float, cut), strict=False))
        alpha = {"quantity": ALPHA, "value": mean_where_defined(values)}
        alpha["n_topics"] = int((~np.isnan(values)).sum())
        if selection == SINGLE:
            alpha["held_out"] = cuts.held_out()
            alpha |= _difference(cuts, values, base)
        yield key | alpha
        scores = cuts.scores(chosen)
        for expert in cuts.choices.experts():
            tau, n = tau_with(cuts.choices, scores, expert, 0)
            if n:
                yield key | {"quantity": TAU, "expert": expert, "value": tau, "n_topics": n}


def _difference(cuts: TriedCuts, values: np.ndarray, base: Mapping[str, float] | None) -> dict:
    """To what the first way gives before cutting, paired over topics."""
    if base is None:
        return {}
    own = dict(zip(cuts.choices.topics, values, strict=True))
    pairs = np.array([own[topic] - base[topic] for topic in own if topic in base])
    paired = paired_difference(pairs[~np.isnan(pairs)])
    return {name: paired[name] for name in ("difference", "low", "high")}
