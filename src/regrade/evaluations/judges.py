"""Several judges beside one reference: which one, cut how, says what the reference says.

Each judge's values become labels in several ways (`regrade.evaluations.cut_labels`); all are held
beside the reference's labels, and the systems' scores under them beside those under the
reference.  Intervals come from topics drawn with replacement; all ways of one judge see the same
draws, so what one gains on the default cut is paired.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import source_values
from regrade.catalogue import columns_of
from regrade.compiled import njit
from regrade.correlations import rbo_ext, tau_ap
from regrade.cutsearch.means import mean_of_sums
from regrade.drawn_intervals import around
from regrade.errors import MethodError
from regrade.evaluations.cut_labels import (
    ROUNDED,
    SINGLE,
    UNCUT,
    CutLabels,
    JudgeCuts,
    JudgeOptions,
    cut_rows,
)
from regrade.evaluations.judge_differences import (
    JudgedWay,
    differences_table,
    samples_table,
    variance_table,
)
from regrade.evaluations.label_agreement import (
    COEFFICIENTS,
    LabelPair,
    agreement_of_many,
    drawn_topics,
)
from regrade.evaluations.pair_outcomes import (
    CHANGES,
    change_p,
    change_row,
    changes_of,
    flips_by_topics,
)
from regrade.evaluations.system_rankings import by_topic, ranking_ends
from regrade.evaluations.tie_orders import TieOrders, tie_range
from regrade.evaluations.top_systems import top_k
from regrade.kendall import TOLERANCE, expert_order, tau_b, tau_b_ordered
from regrade.label_sets import LabelSet
from regrade.measures import Measure, parse_all
from regrade.progress import tracked
from regrade.run_arrays import Judged, RankedLists
from regrade.scales import COARSER, FINER, SAME
from regrade.scoring import Scores, score
from regrade.significance.corrections import adjust
from regrade.significance.discrimination import over_pairs
from regrade.significance.paired import paired_t
from regrade.wording import counted

MEAN_ALPHA = "mean_alpha"
"""The mean over topics of their α, which cuts are chosen by; the other coefficients are of all
documents together."""

RANKED = ("tau", "tau_ap")
"""τ_b, and τ_ap with the reference's ranking as the true one."""

LEAST = {"rbo": 0.0}
"""The lowest value of a coefficient, where that is not −1."""

_KEYS = pa.schema({"topic": pa.string(), "docno": pa.string()})


@dataclass(frozen=True, eq=False)
class JudgeComparison:
    """What judges are compared with.

    Attributes
    ----------
    reference
        Its labels.
    ranked
        The runs; ``None``: labels only.
    measures
        That score them.
    how
        How.
    orders
        The runs with their tied documents in other orders.
    scores_by_item
        The reference's scores, where there are neither labels nor runs.
    """

    reference: LabelSet | None
    ranked: RankedLists | None = None
    measures: tuple[Measure, ...] = ()
    how: JudgeOptions = field(default_factory=JudgeOptions)
    orders: TieOrders = field(default_factory=TieOrders)
    scores_by_item: Scores | None = None
    _on: dict[tuple[str, ...], _ReferenceScores] = field(default_factory=dict)

    def on(self, topics: Sequence[str]) -> _ReferenceScores:
        """The reference on some of its topics: one for all judges that have these."""
        # of two threads the first one's stays
        return self._on.setdefault(tuple(topics), _ReferenceScores(self, tuple(topics)))

    @property
    def levels(self) -> int:
        """How many levels the reference is on."""
        return self.reference.levels

    @cached_property
    def judged(self) -> Judged:
        """The reference's labels, by the runs' codes."""
        return Judged.from_table(self.reference.table, self.ranked)

    @cached_property
    def _scores(self) -> Scores:
        if self.scores_by_item is not None:
            return self.scores_by_item
        return score(self.ranked, self.judged, self.measures, max_grade=self.levels - 1)

    @cached_property
    def _tied_scores(self) -> list[np.ndarray]:
        return self.orders.scores(self.judged, self.measures, self.levels - 1)

    def _places(self, topics: Sequence[str]) -> list[int]:
        every = {topic: t for t, topic in enumerate(self._scores.topics)}
        return [every[topic] for topic in topics]

    def scores(self, topics: Sequence[str]) -> np.ndarray:
        """(S, T, M) scores under the reference on some of its topics."""
        return self._scores.values[:, self._places(topics)]

    def tied_scores(self, topics: Sequence[str], m: int) -> list[np.ndarray]:
        """(S, T) scores by a measure on some topics, under each other order of tied documents."""
        return [values[:, self._places(topics), m] for values in self._tied_scores]


def judge_tables(
    reference: LabelSet,
    judges: Sequence[LabelSet],
    ranked: RankedLists | None = None,
    measures: Sequence[str | Measure] = (),
    how: JudgeOptions | None = None,
    threads: int = 1,
    score_precision: str = "float64",
) -> dict[str, pd.DataFrame]:
    """Hold judges beside a reference, under every way to cut their values."""
    how = how or JudgeOptions()
    if how.documents == "shared":
        reference, judges = on_shared(reference, judges)
    orders = TieOrders() if ranked is None else TieOrders.of(ranked, score_precision)
    comparison = JudgeComparison(reference, ranked, parse_all(measures), how, orders)
    if ranked is not None:
        comparison.scores(()), comparison.tied_scores((), 0)  # before threads share them
    # those of most values first: one of very many cuts takes as long as all others
    order = np.argsort([-len(np.unique(source_values(judge.table))) for judge in judges])
    with ThreadPoolExecutor(threads) as pool:
        each = pool.map(partial(_of_judge, comparison), [judges[j] for j in order])
        parts = list(tracked(each, "judges", len(judges)))
    rows, ways, scored = zip(*(parts[place] for place in np.argsort(order)), strict=True)
    tables = {}
    for name in rows[0]:
        columns = columns_of(f"judges/{name}")
        stacked = chain.from_iterable(of_judge[name] for of_judge in rows)
        tables[name] = pd.DataFrame(list(stacked), columns=columns)
        if "note" in columns:
            tables[name]["note"] = tables[name]["note"].astype(object).fillna("")
    if ranked is not None:
        tables["differences"] = differences_table(list(chain(*ways)), threads)
        tables["samples"] = samples_table(list(chain(*ways)))
        tables["variance"] = variance_table(list(chain(*scored)))
    return tables


def on_shared(reference: LabelSet, judges: Sequence[LabelSet]) -> tuple[LabelSet, list[LabelSet]]:
    """The rows, of a reference and of its judges, of the documents that all of them labelled."""
    tables = [reference.table, *(judge.table for judge in judges)]
    columns = [[t[key].cast(pa.string()).to_pylist() for key in ("topic", "docno")] for t in tables]
    documents = [[*zip(*own, strict=True)] for own in columns]
    shared = set.intersection(*map(set, documents))
    if not shared:
        raise MethodError(
            f"no document is labelled by {reference.name} and by every judge: leave judges "
            "out, or use all documents"
        )
    kept = [
        table.filter(pa.array([document in shared for document in own]))
        for table, own in zip(tables, documents, strict=True)
    ]
    first, *others = map(LabelSet.with_table, (reference, *judges), kept)
    return first, others


def _of_judge(
    comparison: JudgeComparison, judge: LabelSet
) -> tuple[dict[str, list[dict]], list[JudgedWay], list[JudgedWay]]:
    """Rows of the tables; how like the reference one way ranks systems, and every way's scores."""
    labelled = list(labellings(comparison, judge))
    pairs = _beside(comparison.reference, judge, labelled)
    rows = _of_labels(comparison, judge, dict(zip(labelled, pairs, strict=True)))
    if comparison.ranked is None:
        return rows, [], []
    of_systems, ways, scored = _of_systems(comparison, judge, labelled)
    return rows | of_systems, ways, scored


def labellings(comparison: JudgeComparison, judge: LabelSet) -> Iterator[CutLabels]:
    """A judge's labels in every way that its scale allows; see `regrade.evaluations.cut_labels`."""
    if judge.scale.relation(comparison.levels) != FINER:
        yield CutLabels(UNCUT, False, judge.labels())
        return
    cuts = JudgeCuts(judge, comparison.reference, comparison.how)
    yield from cuts.labelled()
    if comparison.ranked is not None:
        yield from cuts.by_tau(comparison.ranked, comparison.measures[0])


# --- labels ----------------------------------------------------------------------------------


def _beside(
    reference: LabelSet, judge: LabelSet, labelled: Sequence[CutLabels]
) -> Iterator[LabelPair]:
    """Each way's labels beside the reference's; the same documents are brought together once."""
    documents = None
    for labels in labelled:
        keys = labels.table.select(["topic", "docno"]).cast(_KEYS)
        if documents is None or not keys.equals(documents):
            documents, places = keys, pa.array(np.arange(len(keys), dtype=np.float64))
            numbered = keys.append_column("grade", places)
            pair = LabelPair.of((reference.name, judge.name), reference.table, numbered)
        yield pair.with_second(labels.table["grade"].to_numpy())


def _of_labels(
    comparison: JudgeComparison, judge: LabelSet, pairs: Mapping[CutLabels, LabelPair]
) -> dict[str, list[dict]]:
    relation = judge.scale.relation(comparison.levels)
    agreement, confusion, cuts, gained = [], [], [], None
    for labels, pair in pairs.items():
        key = {"judge": judge.name, "cut": labels.cut, "held_out": labels.held_out}
        comparable = labels.cut != UNCUT or relation == SAME
        if comparable:
            alpha, drawn = _agreement(pair, comparison)
            gained = drawn if labels.cut == ROUNDED else gained
            agreement += [key | row for row in _intervals(drawn, gained, len(alpha), "agreement")]
            cuts += [key | row for row in cut_rows(labels, alpha)]
        else:
            note = f"the judge's scale is {relation} than the reference's: no α and no κ"
            agreement += [key | row for row in _undefined((MEAN_ALPHA, *COEFFICIENTS), note)]
        if comparable or relation == COARSER:
            counts = pair.both.groupby(["first", "second"]).size()
            names = ("reference_grade", "level", "documents")
            for grades, documents in counts.items():
                confusion.append(key | dict(zip(names, (*grades, documents), strict=True)))
    sets = [_set_row(comparison, judge, relation, pairs)]
    return {"agreement": agreement, "confusion": confusion, "cuts": cuts, "sets": sets}


def _agreement(
    pair: LabelPair, comparison: JudgeComparison
) -> tuple[pd.Series, dict[str, np.ndarray]]:
    """α by topic, and every coefficient: of all topics, of the draws, without each topic."""
    both, how, levels = pair.both, comparison.how, comparison.levels
    values = np.arange(levels, dtype=float)
    topics, topic = np.unique(both["topic"].to_numpy().astype(str), return_inverse=True)
    joints = np.zeros((len(topics), levels, levels))
    np.add.at(joints, (topic, *(both[side].astype(np.int64) for side in ("first", "second"))), 1)
    all_topics, each = np.ones(len(topics), dtype=np.int64), np.eye(len(topics), dtype=np.int64)
    weights = np.vstack([all_topics, drawn_topics(topics, how.resamples, how.seed), 1 - each])
    drawn = agreement_of_many(
        np.tensordot(weights.astype(float), joints, axes=1), values, how.metric, how.weights
    )
    alpha = agreement_of_many(joints, values, how.metric, how.weights)[:, 0]
    defined = ~np.isnan(alpha)
    means = mean_of_sums(weights @ np.where(defined, alpha, 0.0), weights @ defined, 1)
    columns = {MEAN_ALPHA: means} | dict(zip(COEFFICIENTS, drawn.T, strict=True))
    return pd.Series(alpha, index=topics), columns


def _intervals(
    drawn: Mapping[str, np.ndarray],
    default: Mapping[str, np.ndarray] | None,
    topics: int,
    kind: str,
) -> Iterator[dict]:
    """Values with intervals, and what they gain on the default cut.

    The values are of all topics, of draws of them, then (agreement) without each topic.
    """
    without = topics if kind == "agreement" else 0

    def ends(values: np.ndarray) -> np.ndarray:
        draws, left_out = values[1 : len(values) - without], values[len(values) - without :]
        left_out = left_out if without else None
        return around(values[0], draws, topics, kind, left_out=left_out)

    for name, values in drawn.items():
        draws = values[1 : len(values) - without]
        row = {"quantity": name, "value": values[0]}
        if kind == "rankings_alike":
            of_all = ranking_ends(values[0], draws, topics, LEAST.get(name, -1.0)).ravel()
            row |= zip(("low", "high", "new_low", "new_high"), of_all, strict=True)
        else:
            row |= zip(("low", "high"), ends(values), strict=True)
        row |= {"defined": int((~np.isnan(draws)).sum()), "resamples": len(draws)}
        if default is not None:
            gain = values - default[name]
            names = ("gain", "gain_low", "gain_high")
            row |= zip(names, (gain[0], *ends(gain)), strict=True)
        yield row


def _undefined(names: Sequence[str], note: str) -> list[dict]:
    nothing = {"value": np.nan, "defined": 0, "resamples": 0, "note": note}
    return [{"quantity": name} | nothing for name in names]


def _set_row(
    comparison: JudgeComparison,
    judge: LabelSet,
    relation: str,
    pairs: Mapping[CutLabels, LabelPair],
) -> dict:
    """What a judge gave, and what of it can be compared with the reference."""
    pair = next(iter(pairs.values()))
    notes = [
        f"{counted(n, 'topic')} without a {labels.cut} cut of {'its' if n == 1 else 'their'} own"
        f"{' held out' if labels.held_out else ''}: the single one is taken"
        for labels in pairs
        if (n := labels.borrowed)
    ]
    by_hand = comparison.how.cuts.get(judge.name, ())
    if relation == FINER and {labels.cut for labels in pairs} <= {UNCUT, ROUNDED, *by_hand}:
        notes.append("no cut for all topics was found: α is undefined for too many of them")
    return {
        "judge": judge.name,
        "reference": comparison.reference.name,
        "relation": relation,
        "levels": judge.scale.levels or np.nan,
        "distinct": pair.both["second"].nunique(),
        "topics": pair.both["topic"].nunique(),
        "documents": int(pair.frame["second"].notna().sum()),
        "shared": len(pair.both),
        "unjudged": int(pair.frame["second"].isna().sum()),
        "as_not_relevant": pair.lacking("second"),
        "note": "; ".join(notes),
    }


# --- systems ---------------------------------------------------------------------------------


def _of_systems(
    comparison: JudgeComparison, judge: LabelSet, labelled: Sequence[CutLabels]
) -> tuple[dict[str, list[dict]], list[JudgedWay], list[JudgedWay]]:
    """Rows; by measure τ_b of one way, fixed in advance; and of a finer scale every way's scores.

    That one way is uncut, or of a finer scale the single cut held out.
    """
    relation = judge.scale.relation(comparison.levels)
    rankings, further, ways, every = [], _no_rows(), [], []
    default: dict[Measure, dict] = {}
    theirs = None
    for labels in labelled:
        judged = Judged.from_table(labels.table, comparison.ranked)
        if theirs is None:
            topics = tuple(sorted(set(comparison.judged.topics) & set(judged.topics)))
            if not topics:
                raise MethodError(
                    f"no topic of the runs is judged in both {comparison.reference.name} "
                    f"and {judge.name}: do topics have the same format?"
                )
            theirs = comparison.on(topics)
        on_scale = labels.cut != UNCUT or relation == SAME
        # uncut values are taken as gains, of which none is below 0
        served = [
            m
            for m in comparison.measures
            if on_scale or (m.relevant_from is None and not m.why_not_on(judge.scale, judge.name))
        ]
        high = comparison.levels - 1 if on_scale else judge.scale.high
        scores = score(comparison.ranked, judged, served, max_grade=high, topics=topics)
        tied = comparison.orders.scores(judged, served, high, topics)
        for m, measure in enumerate(comparison.measures):
            key = {"judge": judge.name, "cut": labels.cut, "held_out": labels.held_out}
            key |= {"measure": str(measure)}
            if measure not in served:
                note = "it counts relevant documents, and the judge's scale is "
                note += f"{relation} than the reference's"
                rankings += [key | row for row in _undefined(RANKED, note)]
                continue
            own = scores.values[:, :, served.index(measure)]
            drawn = theirs.correlations(own, m)
            if labels.cut == ROUNDED:
                default[measure] = drawn
            if relation == FINER:
                every.append(JudgedWay(key, topics, own))
            if relation != FINER or (labels.cut, labels.held_out) == (SINGLE, True):
                more = partial(theirs.further_taus, own, m)
                ways.append(JudgedWay(key, topics, drawn["tau"], more))
            under = [values[:, :, served.index(measure)] for values in tied]
            ends = tie_range(drawn["tau"][0], comparison.tied_scores(topics, m), under, tau_b)
            ties = {"tau": dict(zip(("ties_low", "ties_high"), ends, strict=True))}
            ranked = _intervals(drawn, default.get(measure), len(topics), "rankings_alike")
            rankings += [key | row | ties.get(row["quantity"], {}) for row in ranked]
            _add_changes(theirs, own, m, key, further)
    return {"rankings": rankings, **further}, ways, every


def _no_rows() -> dict[str, list[dict]]:
    return {name: [] for name in ("pairs", "changes", "top_k", "topics")}


def _add_changes(
    theirs: _ReferenceScores, own: np.ndarray, m: int, key: dict, rows: dict[str, list[dict]]
) -> None:
    """Add what (S, T) scores change of pairs, of the first systems, and by topic, to rows."""
    change = theirs.change(own, m)
    counts = np.bincount(change, minlength=len(CHANGES)).tolist()
    for name, n in zip(CHANGES, counts, strict=True):
        share = n / len(change) if len(change) else np.nan
        rows["pairs"].append(key | {"change": name, "pairs": n, "share": share})
    rows["changes"].append(key | theirs.tested_changes(own, m, change))
    reference = theirs.scores[m]
    means = theirs.draws.means[m], theirs.draws.weights @ own.T
    tops, topics = theirs.comparison.how.tops, len(theirs.topics)
    rows["top_k"] += [key | row for row in top_k(*means, tops, topics)]
    rows["topics"] += [key | row for row in by_topic(theirs.topics, reference, own)]


def judges_of_scores(
    reference: str,
    scores: Mapping[str, Scores],
    how: JudgeOptions | None = None,
    threads: int = 1,
) -> dict[str, pd.DataFrame]:
    """Compare scores of the same systems on the same items by several judges with a reference's.

    Parameters
    ----------
    reference
        Whose scores the others are compared with.
    scores
        By judge, on equal axes.
    """
    theirs = _ReferenceScores(
        JudgeComparison(None, how=how or JudgeOptions(), scores_by_item=scores[reference]),
        scores[reference].topics,
    )
    rankings, rows, ways = [], _no_rows(), []
    for judge in (one for one in scores if one != reference):
        for m, measure in enumerate(scores[judge].measures):
            own = np.ascontiguousarray(scores[judge].values[:, :, m])
            key = {"judge": judge, "cut": UNCUT, "held_out": False, "measure": str(measure)}
            drawn = theirs.correlations(own, m) | theirs.rbo(own, m)
            further = partial(theirs.further_taus, own, m)
            ways.append(JudgedWay(key, theirs.topics, drawn["tau"], further))
            ranked = _intervals(drawn, None, len(theirs.topics), "rankings_alike")
            rankings += [key | row for row in ranked]
            _add_changes(theirs, own, m, key, rows)
    tables = {
        name: pd.DataFrame(some, columns=columns_of(f"judges/{name}"))
        for name, some in {"rankings": rankings, **rows}.items()
    }
    tables["rankings"]["note"] = ""
    of_ways = {"differences": differences_table(ways, threads), "samples": samples_table(ways)}
    return tables | of_ways


@dataclass(frozen=True, eq=False)
class _ReferenceScores:
    """The reference's scores on topics that a judge has too, and the draws of these."""

    comparison: JudgeComparison
    topics: tuple[str, ...]
    _further: dict[tuple[int, int], _Draws] = field(default_factory=dict)

    @cached_property
    def scores(self) -> list[np.ndarray]:
        """By measure, (S, T)."""
        return [*np.moveaxis(self.comparison.scores(self.topics), 2, 0)]

    @cached_property
    def draws(self) -> _Draws:
        """All topics, then each resample of them."""
        return self.further_draws(-1, self.comparison.how.resamples)

    def further_draws(self, start: int, stop: int) -> _Draws:
        """Resamples from one number of them up to another; those from −1 on begin with all."""
        # of two threads the first one's stays
        if (start, stop) not in self._further:
            drawn = drawn_topics(np.array(self.topics), stop, self.comparison.how.seed)
            weights = np.vstack([np.ones((1, len(self.topics)), dtype=np.int64), drawn])
            weights = weights[start + 1 :] / len(self.topics)
            draws = _Draws(weights, [weights @ scores.T for scores in self.scores])
            self._further.setdefault((start, stop), draws)
        return self._further[start, stop]

    @cached_property
    def tested(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """By measure, what `_tested` says of its scores."""
        return [_tested(scores, self.comparison.how) for scores in self.scores]

    @cached_property
    def by_topics(self) -> list[np.ndarray]:
        """By measure, for how many pairs significance changes between two bootstrap samples."""
        how = self.comparison.how
        options = how.significance, how.correction, how.seed
        return [flips_by_topics(scores, *options) for scores in self.scores]

    def correlations(self, own: np.ndarray, m: int) -> dict[str, np.ndarray]:
        """`RANKED` of (S, T) scores with the reference's: of all topics, then of the draws."""
        if len(own) < 2:
            return dict.fromkeys(RANKED, np.full(len(self.draws.weights), np.nan))
        means = self.draws.weights @ own.T
        taus = _taus(*self.draws.orders[m], means), _taus_ap(self.draws.means[m], means)
        return dict(zip(RANKED, taus, strict=True))

    def rbo(self, own: np.ndarray, m: int) -> dict[str, np.ndarray]:
        """Extrapolated RBO likewise."""
        if len(own) < 2:
            return {"rbo": np.full(len(self.draws.weights), np.nan)}
        means = zip(self.draws.means[m], self.draws.weights @ own.T, strict=True)
        persistence = self.comparison.how.persistence
        return {"rbo": np.array([rbo_ext(a, b, persistence) for a, b in means])}

    def further_taus(self, own: np.ndarray, m: int, start: int, stop: int) -> np.ndarray:
        """τ_b of (S, T) scores with the reference's, of draws after the first `start`."""
        draws = self.further_draws(start, stop)
        return _taus(*draws.orders[m], draws.weights @ own.T)

    def change(self, own: np.ndarray, m: int) -> np.ndarray:
        """What becomes of each pair's significance, from the reference."""
        (significant, sign), (now, turned) = self.tested[m], _tested(own, self.comparison.how)
        return changes_of(significant, now, sign * turned)

    def tested_changes(self, own: np.ndarray, m: int, change: np.ndarray) -> dict[str, float]:
        """How many pairs change, and how many topics change by themselves."""
        p, significance = change_p(self.scores[m], own), self.comparison.how.significance
        return change_row(change, p, self.by_topics[m], significance, own.shape[1])


def _tested(scores: np.ndarray, how: JudgeOptions) -> tuple[np.ndarray, np.ndarray]:
    """Of each pair of systems: whether their (S, T) scores differ significantly, and the sign."""
    p, mean = over_pairs(scores, lambda d: (paired_t(d)[1], d.mean(axis=1)))
    p = adjust(p, how.correction)
    return p < how.significance, np.where(np.abs(mean) <= TOLERANCE, 0, np.sign(mean))


@dataclass(frozen=True, eq=False)
class _Draws:
    """The reference's means over B bootstrap samples of topics.

    Attributes
    ----------
    weights : array of float64, shape (B, T)
    means : list of array of float64, shape (B, S)
        By measure.
    """

    weights: np.ndarray
    means: list[np.ndarray]

    @cached_property
    def orders(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """By measure, what `regrade.kendall.expert_order` gives of each draw."""
        draws = (zip(*map(expert_order, means), strict=True) for means in self.means)
        return [(np.array(order), np.array(below)) for order, below in draws]


@njit(cache=True, nogil=True)
def _taus(order, below, own):
    taus = np.empty(own.shape[0])
    for b in range(own.shape[0]):
        taus[b] = tau_b_ordered(own[b][order[b]], below[b], -1.0)
    return taus


@njit(cache=True, nogil=True)
def _taus_ap(theirs, own):
    taus = np.empty(own.shape[0])
    for b in range(own.shape[0]):
        taus[b] = tau_ap(theirs[b], own[b])
    return taus
