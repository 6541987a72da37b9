"""Several judges beside one reference: which one, cut how, says what the reference says.

Each judge's values become labels in several ways (`regrade.evaluations.cut_labels`); all are held
beside the reference's labels, and the systems' scores under them beside those under the
reference.  Intervals come from topics drawn with replacement; all ways of one judge see the same
draws, so what one gains on the default cut is paired.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

import numpy as np
import pandas as pd
import pyarrow as pa
from numba import njit

from regrade.aggregation import aggregate
from regrade.catalogue import columns_of
from regrade.choices import COMPARED_DOCUMENTS
from regrade.correlations import tau_ap
from regrade.drawn_intervals import around
from regrade.errors import MethodError, ParameterError, check_choice
from regrade.evaluations.changes import change_row, flips_by_topics
from regrade.evaluations.cut_labels import (
    COARSER,
    FINER,
    ROUNDED,
    SAME,
    SINGLE,
    UNCUT,
    CutLabels,
    Judge,
    JudgeCuts,
    cuts_frame,
)
from regrade.evaluations.judge_differences import Ranked, differences_table
from regrade.evaluations.label_agreement import (
    COEFFICIENTS,
    LabelPair,
    agreement_of_many,
    drawn_topics,
    joint_counts,
)
from regrade.evaluations.pair_outcomes import CHANGES, change_p, changes_of
from regrade.evaluations.score_variance import Scored, variance_table
from regrade.evaluations.system_rankings import ranking_ends
from regrade.evaluations.tie_orders import TieOrders, tie_range
from regrade.kendall import TOLERANCE, tau_b
from regrade.measures import Measure, parse_all
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import Scores, score
from regrade.significance.discrimination import adjust, over_pairs
from regrade.significance.paired import paired_t
from regrade.wording import counted

MEAN_ALPHA = "mean_alpha"
"""The mean over topics of their α, which cuts are chosen by; the other coefficients are of all
documents together."""

RANKED = ("tau", "tau_ap")
"""τ_b, and τ_ap with the reference's ranking as the true one."""


@dataclass(frozen=True)
class JudgeOptions:
    """How judges are held beside a reference.

    Attributes
    ----------
    metric, weights
        Of Krippendorff's α, which also chooses the cuts, and of weighted κ.
    coverage
        Of the search (see `regrade.cutsearch.search.search`).
    folds
        Of a topic's documents, for its own cut held out.
    documents
        ``all``: each judge's labels, a document without one being not relevant; ``shared``: those
        of documents that the reference and every judge labelled.
    correction, significance
        Of the paired t-test of pairs of systems.
    resamples, seed
        Of topics; the seed is that of the folds too.
    """

    metric: str = "ordinal"
    weights: str = "linear"
    coverage: float = 0.9
    folds: int = 10
    documents: str = "all"
    correction: str = "none"
    significance: float = 0.05
    resamples: int = 1000
    seed: int = 1

    def __post_init__(self):
        """Check what choices and numbers must be."""
        check_choice("documents", self.documents, COMPARED_DOCUMENTS)
        if not 0 < self.significance < 1:
            raise ParameterError(f"significance is {self.significance}: it lies between 0 and 1")
        if self.folds < 2:
            raise ParameterError(f"folds is {self.folds}: documents are put into 2 or more")
        if self.resamples < 1:
            raise ParameterError(f"resamples is {self.resamples}: there must be at least 1")


@dataclass(frozen=True)
class Reference:
    """Labels that judges are held beside: their name, schema ``qrels``, and how many levels."""

    name: str
    table: pa.Table
    levels: int


@dataclass(frozen=True, eq=False)
class JudgeComparison:
    """What judges are held beside.

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
    """

    reference: Reference
    ranked: RankedLists | None = None
    measures: tuple[Measure, ...] = ()
    how: JudgeOptions = field(default_factory=JudgeOptions)
    orders: TieOrders = field(default_factory=TieOrders)
    _on: dict[tuple[str, ...], _Reference] = field(default_factory=dict)

    def on(self, topics: Sequence[str]) -> _Reference:
        """The reference on some of its topics: one for all judges that have these."""
        key = tuple(topics)
        if key not in self._on:  # of two threads the first one's stays
            self._on.setdefault(key, _Reference.of(self, topics))
        return self._on[key]

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
        return score(self.ranked, self.judged, self.measures, max_grade=self.levels - 1)

    def scores(self, topics: Sequence[str]) -> np.ndarray:
        """(S, T, M) scores under the reference on some of its topics."""
        every = {topic: t for t, topic in enumerate(self._scores.topics)}
        return self._scores.values[:, [every[topic] for topic in topics]]

    @cached_property
    def _tied_scores(self) -> list[np.ndarray]:
        return self.orders.scores(self.judged, self.measures, self.levels - 1)

    def tied_scores(self, topics: Sequence[str], m: int) -> list[np.ndarray]:
        """(S, T) scores by a measure on some topics, under each other order of tied documents."""
        every = {topic: t for t, topic in enumerate(self._scores.topics)}
        places = [every[topic] for topic in topics]
        return [values[:, places, m] for values in self._tied_scores]


def judge_tables(
    reference: Reference,
    judges: Sequence[Judge],
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
    with ThreadPoolExecutor(threads) as pool:
        answers = list(pool.map(lambda judge: _of_judge(comparison, judge), judges))
    tables, ways, scored = zip(*answers, strict=True)
    stacked_tables = {}
    if ranked is not None:
        stacked_tables["differences"] = differences_table(list(chain(*ways)))
        stacked_tables["variance"] = variance_table(list(chain(*scored)))
    for name in tables[0]:
        stacked = pd.concat([of_judge[name] for of_judge in tables], ignore_index=True)
        stacked_tables[name] = stacked[columns_of(f"judges/{name}")]
    return stacked_tables


def on_shared(reference: Reference, judges: Sequence[Judge]) -> tuple[Reference, list[Judge]]:
    """The rows, of a reference and of its judges, of the documents that all of them labelled."""
    tables = [reference.table, *(judge.table for judge in judges)]
    columns = [[t[key].cast(pa.string()).to_pylist() for key in ("topic", "docno")] for t in tables]
    documents = [[*zip(*own, strict=True)] for own in columns]
    shared = set.intersection(*map(set, documents))
    if not shared:
        raise MethodError(
            f"no document is labelled by {reference.name} and by every judge: leave judges "
            "out, or take all documents"
        )
    kept = [
        table.filter(pa.array([document in shared for document in own]))
        for table, own in zip(tables, documents, strict=True)
    ]
    judges = [replace(j, table=t) for j, t in zip(judges, kept[1:], strict=True)]
    return replace(reference, table=kept[0]), judges


def _of_judge(
    comparison: JudgeComparison, judge: Judge
) -> tuple[dict[str, pd.DataFrame], list[Ranked], list[Scored]]:
    labelled = list(labellings(comparison, judge))
    relation = judge.relation(comparison.levels)
    reference = comparison.reference
    pairs = {
        labels: LabelPair.of((reference.name, judge.name), reference.table, labels.table)
        for labels in labelled
    }
    tables = _of_labels(comparison, judge, relation, pairs)
    if comparison.ranked is None:
        return tables, [], []
    of_systems, ways, scored = _of_systems(comparison, judge, relation, labelled)
    return tables | of_systems, ways, scored


def labellings(comparison: JudgeComparison, judge: Judge) -> Iterator[CutLabels]:
    """A judge's labels in every way that its scale allows; see `regrade.evaluations.cut_labels`."""
    if judge.relation(comparison.levels) != FINER:
        # the median of an even count may lie between two levels
        own = judge.scale.levels or 0
        levels = own if judge.scale.is_levels(own) else None
        yield CutLabels(UNCUT, False, aggregate(judge.table, "median", levels))
        return
    how = comparison.how
    reference = comparison.reference
    cuts = JudgeCuts(
        judge, reference.table, reference.levels, how.metric, how.coverage, how.folds, how.seed
    )
    yield from cuts.labelled()
    if comparison.ranked is not None:
        yield from cuts.by_tau(comparison.ranked, comparison.measures[0])


# --- labels ----------------------------------------------------------------------------------


def _of_labels(
    comparison: JudgeComparison, judge: Judge, relation: str, pairs: Mapping[CutLabels, LabelPair]
) -> dict[str, pd.DataFrame]:
    tables = {"agreement": [], "confusion": [], "cuts": []}
    gained = None
    for labels, pair in pairs.items():
        key = {"judge": judge.name, "cut": labels.cut, "held_out": labels.held_out}
        comparable = labels.cut != UNCUT or relation == SAME
        if comparable:
            alpha, drawn = _agreement(pair, comparison)
            gained = drawn if labels.cut == ROUNDED else gained
            rows = _intervals(drawn, gained, len(alpha), "agreement")
            tables["agreement"].append(_with(key, rows))
            tables["cuts"].append(cuts_frame(judge.name, labels, alpha))
        else:
            tables["agreement"].append(_with(key, _undefined(relation)))
        if comparable or relation == COARSER:
            counts = pair.both.groupby(["first", "second"]).size().rename("documents")
            names = {"first": "reference_grade", "second": "level"}
            tables["confusion"].append(_with(key, counts.reset_index().rename(columns=names)))
    stacked = {name: _stacked(name, parts) for name, parts in tables.items()}
    return stacked | {"sets": _sets(comparison, judge, relation, pairs)}


def _agreement(
    pair: LabelPair, comparison: JudgeComparison
) -> tuple[pd.Series, dict[str, np.ndarray]]:
    """α by topic, and every coefficient: of all topics, of the draws, without each topic."""
    both = pair.both
    values = np.arange(comparison.levels, dtype=float)
    topics, topic = np.unique(both["topic"].to_numpy().astype(str), return_inverse=True)
    codes = [both[side].to_numpy().astype(np.int64) for side in ("first", "second")]
    joints = np.stack(
        [
            joint_counts(codes[0][topic == t], codes[1][topic == t], comparison.levels)
            for t in range(len(topics))
        ]
    )
    how = comparison.how
    all_topics, each = np.ones(len(topics), dtype=np.int64), np.eye(len(topics), dtype=np.int64)
    weights = np.vstack([all_topics, drawn_topics(topics, how.resamples, how.seed), 1 - each])
    drawn = agreement_of_many(
        np.tensordot(weights.astype(float), joints, axes=1), values, how.metric, how.weights
    )
    alpha = agreement_of_many(joints, values, how.metric, how.weights)[:, 0]
    defined = ~np.isnan(alpha)
    n = weights @ defined
    total = weights @ np.where(defined, alpha, 0.0)
    means = np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
    columns = {MEAN_ALPHA: means} | dict(zip(COEFFICIENTS, drawn.T, strict=True))
    return pd.Series(alpha, index=topics), columns


def _intervals(
    drawn: Mapping[str, np.ndarray],
    default: Mapping[str, np.ndarray] | None,
    topics: int,
    kind: str,
) -> pd.DataFrame:
    """Values with intervals, and what they gain on the default cut; places as in `_places`."""
    rows = []
    for name, values in drawn.items():
        row = {"quantity": name, "value": values[0]} | _ends(values, topics, kind, "")
        draws = values[_places(values, topics, kind)[0]]
        row |= {"defined": int((~np.isnan(draws)).sum()), "resamples": len(draws)}
        if default is not None:
            gain = values - default[name]
            row |= {"gain": gain[0]} | _ends(gain, topics, kind, "gain_")
        rows.append(row)
    return pd.DataFrame(rows)


def _ends(values: np.ndarray, topics: int, kind: str, prefix: str) -> dict[str, float]:
    """Those of an interval around the first value, by the others, which are of draws."""
    if kind == "rankings_alike" and not prefix:
        (low, high), (new_low, new_high) = ranking_ends(values[0], values[1:], topics)
        return {"low": low, "high": high, "new_low": new_low, "new_high": new_high}
    drawn, without = _places(values, topics, kind)
    left_out = values[without] if kind == "agreement" else None
    low, high = around(values[0], values[drawn], topics, kind, left_out=left_out)
    return {f"{prefix}low": low, f"{prefix}high": high}


def _places(values: np.ndarray, topics: int, kind: str) -> tuple[slice, slice]:
    """Where draws stand after all topics' value, and what is without each topic (agreement)."""
    end = len(values) - (topics if kind == "agreement" else 0)
    return slice(1, end), slice(end, None)


def _undefined(relation: str) -> pd.DataFrame:
    note = f"the judge's scale is {relation} than the reference's: no α and no κ"
    names = (MEAN_ALPHA, *COEFFICIENTS)
    rows = [{"quantity": name, "value": np.nan, "defined": 0, "note": note} for name in names]
    return pd.DataFrame(rows).assign(resamples=0)


def _sets(
    comparison: JudgeComparison, judge: Judge, relation: str, pairs: Mapping[CutLabels, LabelPair]
) -> pd.DataFrame:
    """What a judge gave, and what of it can be held beside the reference."""
    pair = next(iter(pairs.values()))
    borrowed = {
        (labels.cut, labels.held_out): labels.borrowed for labels in pairs if labels.borrowed
    }
    notes = [
        f"{counted(n, 'topic')} without a {cut} cut of {'its' if n == 1 else 'their'} own"
        f"{' held out' if held_out else ''}: the single one is taken"
        for (cut, held_out), n in borrowed.items()
    ]
    if relation == FINER and not any(
        labels.cut not in (UNCUT, ROUNDED, *judge.named) for labels in pairs
    ):
        notes.append("no cut for all topics was found: α is undefined for too many of them")
    row = {
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
    return pd.DataFrame([row])


# --- systems ---------------------------------------------------------------------------------


def _serves_uncut(judge: Judge, measure: Measure) -> bool:
    """Whether a measure takes a judge's values as they are: as gains, and none below 0."""
    return measure.relevant_from is None and not measure.why_not_on(judge.scale, judge.name)


def _of_systems(
    comparison: JudgeComparison, judge: Judge, relation: str, labelled: Sequence[CutLabels]
) -> tuple[dict[str, pd.DataFrame], list[Ranked], list[Scored]]:
    """Tables; by measure τ_b of one way, fixed in advance; and of a finer scale every way's scores.

    That one way is uncut, or of a finer scale the single cut held out.
    """
    tables, ways, every = {"rankings": [], "pairs": [], "changes": []}, [], []
    default: dict[str, dict] = {}
    theirs = None
    for labels in labelled:
        judged = Judged.from_table(labels.table, comparison.ranked)
        if theirs is None:
            theirs = comparison.on(_shared_topics(comparison, judge, judged))
        on_scale = labels.cut != UNCUT or relation == SAME
        served = [m for m in comparison.measures if on_scale or _serves_uncut(judge, m)]
        high = comparison.levels - 1 if on_scale else judge.scale.high
        scores = score(comparison.ranked, judged, served, max_grade=high, topics=theirs.topics)
        tied = comparison.orders.scores(judged, served, high, theirs.topics)
        for m, measure in enumerate(comparison.measures):
            key = {"judge": judge.name, "cut": labels.cut, "held_out": labels.held_out}
            key |= {"measure": str(measure)}
            if measure not in served:
                tables["rankings"].append(_with(key, _unserved(relation)))
                continue
            own = scores.values[:, :, served.index(measure)]
            drawn = theirs.correlations(own, m)
            if labels.cut == ROUNDED:
                default[str(measure)] = drawn
            topics = len(theirs.topics)
            ranked = _intervals(drawn, default.get(str(measure)), topics, "rankings_alike")
            if relation == FINER:
                every.append(Scored(key, tuple(theirs.topics), own))
            if relation != FINER or (labels.cut, labels.held_out) == (SINGLE, True):
                ways.append(Ranked(key, tuple(theirs.topics), drawn["tau"]))
            under = [values[:, :, served.index(measure)] for values in tied]
            tau, others = drawn["tau"][0], comparison.tied_scores(theirs.topics, m)
            ends = tie_range(tau, others, under, tau_b)
            ranked.loc[ranked["quantity"] == "tau", ["ties_low", "ties_high"]] = ends
            tables["rankings"].append(_with(key, ranked))
            change = theirs.change(own, m)
            tables["pairs"].append(_with(key, _counted(change)))
            tables["changes"].append(_with(key, theirs.tested_changes(own, m, change)))
    return {name: _stacked(name, parts) for name, parts in tables.items()}, ways, every


def _unserved(relation: str) -> pd.DataFrame:
    note = f"it counts relevant documents, and the judge's scale is {relation} than the reference's"
    rows = [{"quantity": name, "value": np.nan, "defined": 0, "note": note} for name in RANKED]
    return pd.DataFrame(rows).assign(resamples=0)


def _shared_topics(comparison: JudgeComparison, judge: Judge, judged: Judged) -> list[str]:
    """Those that the reference and a judge have."""
    topics = sorted(set(comparison.judged.topics) & set(judged.topics))
    if not topics:
        raise MethodError(
            f"no topic of the runs is judged in both {comparison.reference.name} and "
            f"{judge.name}: are topics written alike?"
        )
    return topics


@dataclass(frozen=True, eq=False)
class _Reference:
    """The reference's scores on topics that a judge has too, and the draws of these."""

    topics: list[str]
    scores: np.ndarray
    weights: np.ndarray
    how: JudgeOptions

    @classmethod
    def of(cls, comparison: JudgeComparison, topics: Sequence[str]) -> _Reference:
        how = comparison.how
        drawn = drawn_topics(np.array(topics), how.resamples, how.seed)
        weights = np.vstack([np.ones(len(topics), dtype=np.int64), drawn])
        return cls(list(topics), comparison.scores(topics), weights / len(topics), how)

    @cached_property
    def drawn(self) -> list[np.ndarray]:
        """By measure, its (B, S) means: over all topics, then over those of each draw."""
        return [self.weights @ scores.T for scores in np.moveaxis(self.scores, 2, 0)]

    @cached_property
    def tested(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """By measure, what `_tested` says of its scores."""
        return [_tested(scores, self.how) for scores in np.moveaxis(self.scores, 2, 0)]

    def correlations(self, own: np.ndarray, m: int) -> dict[str, np.ndarray]:
        """`RANKED` of (S, T) scores with the reference's: of all topics, then of the draws."""
        if len(own) < 2:
            nothing = np.full(len(self.weights), np.nan)
            return dict.fromkeys(RANKED, nothing)
        taus = _correlations(self.drawn[m], self.weights @ own.T)
        return dict(zip(RANKED, taus.T, strict=True))

    @cached_property
    def by_topics(self) -> list[np.ndarray]:
        """By measure, for how many pairs significance changes between two draws of topics."""
        how = self.how
        options = how.significance, how.correction, how.seed
        return [flips_by_topics(scores, *options) for scores in np.moveaxis(self.scores, 2, 0)]

    def change(self, own: np.ndarray, m: int) -> np.ndarray:
        """What becomes of each pair's significance, from the reference."""
        (significant, sign), (now, turned) = self.tested[m], _tested(own, self.how)
        return changes_of(significant, now, sign * turned)

    def tested_changes(self, own: np.ndarray, m: int, change: np.ndarray) -> pd.DataFrame:
        """How many pairs change, and how many topics change by themselves."""
        p = change_p(self.scores[:, :, m], own)
        by_topics, significance = self.by_topics[m], self.how.significance
        return pd.DataFrame([change_row(change, p, by_topics, significance, own.shape[1])])


def _counted(change: np.ndarray) -> pd.DataFrame:
    """How many pairs of systems have which change of significance."""
    counts = np.bincount(change, minlength=len(CHANGES)).tolist()
    shares = [n / len(change) if len(change) else np.nan for n in counts]
    return pd.DataFrame({"change": CHANGES, "pairs": counts, "share": shares})


def _tested(scores: np.ndarray, how: JudgeOptions) -> tuple[np.ndarray, np.ndarray]:
    """Of each pair of systems: whether their (S, T) scores differ significantly, and the sign."""
    p, mean = over_pairs(scores, lambda d: (paired_t(d)[1], d.mean(axis=1)))
    p = adjust(p, how.correction)
    return p < how.significance, np.where(np.abs(mean) <= TOLERANCE, 0, np.sign(mean))


@njit(cache=True, nogil=True)
def _correlations(theirs, own):
    taus = np.empty((theirs.shape[0], 2))
    for b in range(theirs.shape[0]):
        taus[b, 0] = tau_b(theirs[b], own[b])
        taus[b, 1] = tau_ap(theirs[b], own[b])
    return taus


def _with(key: Mapping, rows: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([pd.DataFrame(dict(key), index=rows.index), rows], axis=1)


def _stacked(name: str, parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    columns = columns_of(f"judges/{name}")
    if not parts:
        return pd.DataFrame(columns=columns)
    table = pd.concat([part.reindex(columns=columns) for part in parts], ignore_index=True)
    if "note" in columns:
        table["note"] = [note if isinstance(note, str) else "" for note in table["note"]]
    return table
