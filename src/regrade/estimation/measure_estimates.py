"""What is shown of estimates: systems, pairs of systems, and what they rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from math import comb

import numpy as np
import pandas as pd
from scipy.special import ndtr

from regrade.blocks import Blocks, Part, table_of
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.correlations import competition_ranks
from regrade.cutsearch.means import mean_where_defined
from regrade.errors import SHOWN, MethodError, ParameterError
from regrade.estimation.estimates import (
    MOST_SURE,
    Estimate,
    check_enough,
    difference_errors,
    estimate,
    learned_shares,
)
from regrade.estimation.frame import UNRANKED, Frame
from regrade.estimation.functionals import Functional, functionals
from regrade.estimation.grades import features
from regrade.estimation.labels import Levels, labels_table
from regrade.estimation.listed import unlisted_shares
from regrade.estimation.maxima import ERROR, ErrorMaxima, may_be_first
from regrade.estimation.missing import MissingLabels, check_odds_ratio
from regrade.estimation.replays import Coverage, Z, replay
from regrade.estimation.samples import Documents
from regrade.kendall import TOLERANCE, places
from regrade.measures import rests_on_all_relevant
from regrade.resources import one_blas_thread
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.significance.paired import pairs_at
from regrade.wording import counted

MOST_UNLABELLED = 0.01
"""The part of what is estimated that documents without a model's value and without a label may be:
it may be off by as much at most."""

REPLAYS = 20
"""How often an estimate is replayed to see whether its intervals hold."""


def estimate_tables(
    documents: Documents,
    ranked: RankedLists | None,
    measures: Sequence[str],
    scale: Scale,
    seed: int = 1,
    replays: int = REPLAYS,
    odds_ratio: float | None = None,
) -> dict[str, pd.DataFrame | Blocks]:
    """The tables ``estimates/labels`` and ``facts``; of systems also ``systems`` and ``pairs``.

    The last one is in blocks where pairs are many (`regrade.blocks`).  `odds_ratio` is that of
    missing labels (`regrade.estimation.missing`); ``None``: any label may be missing.
    """
    if not scale.finite:
        raise ParameterError(
            f"the human labels hold {scale}, and levels are needed: give the levels (scale)"
        )
    of = [] if ranked is None else functionals(measures, scale.values)
    if documents.is_alone:
        _check_alone(of)
    frame, places = Frame.of(documents.topics, documents.docnos, ranked)
    sample, values = documents.sample(places, scale), documents.values[places]
    unlabelled = np.flatnonzero((documents.chosen & ~documents.labelled)[places])
    check_enough(sample, frame)
    unlisted = unlisted_shares(documents.by_model, ranked, measures, scale)
    _check_unlisted(documents, unlisted)
    X = features(frame, values)
    estimates, coverage = [], [None] * len(of)
    with one_blas_thread():  # of small matrices, for which threads wait more than work
        shares = learned_shares(frame, X, sample, len(scale.values) - 1, seed)
        if of:
            estimates = estimate(frame, X, sample, of, seed)
        if of and replays and len(sample.chosen) < len(frame):
            coverage = replay(frame, X, sample, of, replays, seed)
    levels = Levels(shares, sample, unlabelled, check_odds_ratio(odds_ratio))
    by_model = dict(zip(documents.models, values.T, strict=True))
    tables = {"labels": labels_table(levels, by_model, np.array(scale.values, float))}
    if documents.is_alone:  # of how many documents nobody knows
        tables["labels"][["value", "low", "high"]] = np.nan
    systems, pairs, facts = [], [], [*_facts(documents, frame)]
    facts.append((ALL_TOPICS, "odds ratio", odds_ratio, None))
    replayed_times = replays if any(one is not None for one in coverage) else 0
    facts.append((ALL_TOPICS, "replays", float(replayed_times), None))
    facts.append((ALL_TOPICS, "seed", float(seed), None))
    for functional, estimated, replayed in zip(of, estimates, coverage, strict=True):
        of_measure = MeasureEstimate(functional, estimated, frame, levels, replayed)
        own, between = of_measure.systems(), of_measure.pairs()
        systems.append(own)
        pairs.append(between)
        facts += of_measure.facts(own, Blocks([between]))
        facts.append((of_measure.measure, "unlisted", unlisted[of_measure.measure], None))
        facts.append(of_measure.heaviest_label(documents, places))
        facts += of_measure.widths_of_any_label()
    if ranked is not None:
        tables |= {
            "systems": pd.concat(systems, ignore_index=True)[columns_of("estimates/systems")],
            "pairs": table_of(pairs),
        }
    return tables | {"facts": pd.DataFrame(facts, columns=columns_of("estimates/facts"))}


@dataclass(frozen=True, eq=False)
class MeasureEstimate:
    """How far what is estimated of a measure reaches.

    Attributes
    ----------
    functional, estimate
        The measure, and what was estimated.
    frame, levels
        Of which documents, and what is known of their levels.
    replayed
        How often intervals held in replays; ``None``: nobody looked.
    """

    functional: Functional
    estimate: Estimate
    frame: Frame
    levels: Levels
    replayed: Coverage | None = None

    @property
    def measure(self) -> str:
        """As it is written."""
        return str(self.functional.measure)

    @property
    def of_systems(self) -> np.ndarray:
        """(S, 2) below and above each value; NaN where no interval holds."""
        withheld = self.replayed is not None and not self.replayed.of_systems
        if withheld or self._is_unproven or self.is_modelled:
            return np.full((len(self.frame.systems), 2), np.nan)
        return self._reach(lambda covariance: np.sqrt(np.diag(covariance)), lambda moves: moves)

    @property
    def have_pairs_intervals(self) -> bool:
        """Whether intervals of differences hold."""
        withheld = self.replayed is not None and not self.replayed.of_pairs
        return not (withheld or self._is_unproven or self.are_pairs_modelled)

    def of_pairs(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """(P, 2) below and above each difference of two systems; NaN where no interval holds."""
        if not self.have_pairs_intervals:
            return np.full((len(first), 2), np.nan)
        return self._reach(
            lambda covariance: difference_errors(covariance, first, second),
            lambda moves: moves[:, first] - moves[:, second],
        )

    def _reach(self, errors: Callable, of_moves: Callable) -> np.ndarray:
        """(K, 2) below and above, of errors and what missing labels may do.

        It is at most what any labels could do.
        """
        missing = self._missing
        reach = Z * errors(self.covariance)[:, None] + missing.reach(of_moves)
        reach = np.broadcast_to(reach, (len(reach), 2))
        if np.isinf(missing.odds_ratio) or not len(missing.moves):
            return reach
        any_label = Z * errors(self.estimate.covariance)[:, None] + missing.reach(of_moves, np.inf)
        return np.minimum(reach, any_label)

    def _lowered(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """(P,) by how much missing labels might lower differences."""
        reach = self._missing.reach(lambda moves: moves[:, first] - moves[:, second])
        return np.broadcast_to(reach, (len(first), 2))[:, 0]

    @cached_property
    def covariance(self) -> np.ndarray:
        """(S, S) of the errors; also of missing labels, where their odds are bounded."""
        known, missing = len(self.levels.sample.chosen), len(self.levels.unlabelled)
        # what is expected of missing ones rests on the others
        part = self.estimate.scale * (1 + missing / known)
        return self.estimate.covariance + part * self._missing.covariance()

    @cached_property
    def _maxima(self) -> ErrorMaxima:
        return ErrorMaxima(self.covariance)

    @cached_property
    def bounds(self) -> np.ndarray:
        """(S, 2) the lowest and the highest value that labels leave possible."""
        of, sample, T = self.functional, self.levels.sample, len(self.frame.topics)
        if not of.is_sum:
            return np.tile([0.0, 1.0], (len(self.frame.systems), 1))
        level = np.full(len(self.frame), -1)
        level[sample.chosen] = sample.levels
        gains = np.array([of.gains.min(), of.gains.max()])
        known = np.where((level >= 0)[:, None], of.gains[level][:, None], gains)
        by_topic = enumerate(self.frame.by_topic)
        return sum(of.weights(lists.ranks) @ known[self.frame.rows(t)] for t, lists in by_topic) / T

    @cached_property
    def rankings(self) -> np.ndarray:
        """(S,) code of what each system ranks; the same of systems of equal rankings."""
        cutoff = self.functional.measure["cutoff"] or UNRANKED
        ranks = self.frame.ranks
        kept = (np.where(of > cutoff, 0, of).tobytes() for of in ranks)
        names = [blake2b(of).digest() for of in kept]
        return np.unique(names, return_inverse=True)[1] if names else np.zeros(0, np.int64)

    @property
    def over_topics(self) -> np.ndarray:
        """(S, 2) intervals where topics are a sample as well; NaN where labels are lacking."""
        ends = np.clip(self.estimate.over_topics(), 0.0, None if self._is_endless else 1.0)
        withheld = len(self.levels.unlabelled) or self._is_unproven or self.is_modelled
        return np.full_like(ends, np.nan) if withheld else ends

    @property
    def _is_endless(self) -> bool:
        """Whether the measure's values are not at most 1."""
        return self.functional.measure.name in ("DCG", "SDCG")

    @property
    def _is_unproven(self) -> bool:
        """Whether intervals hold too seldom where the truth is known."""
        return rests_on_all_relevant(self.functional.measure) and not self.levels.are_known

    @property
    def is_modelled(self) -> bool:
        """Whether values rest on what the model is sure of in a single topic, without labels."""
        return self.estimate.sure > MOST_SURE

    @property
    def are_pairs_modelled(self) -> bool:
        """Whether differences do."""
        return self.estimate.sure_of_pairs > MOST_SURE

    @cached_property
    def _missing(self) -> MissingLabels:
        """By how much each level of a chosen document without a label would move the means.

        It stands for others as well, so that what its level does counts as often.
        """
        frame, levels, functional = self.frame, self.levels, self.functional
        moves, weights, expected_shares = [], [], []
        known = levels.known_shares if len(levels.unlabelled) else levels.shares
        for row in levels.unlabelled:
            rows, lists = frame.rows(frame.topic[row]), frame.by_topic[frame.topic[row]]
            shares, own, ideals = known[rows].copy(), [], []
            expected = functional.of_shares(shares, lists)
            for level in np.eye(known.shape[1]):
                shares[row - rows.start] = level
                own.append(functional.of_shares(shares, lists) - expected)
                ideals.append(functional.expected_ideal(shares))
            times = (1 + levels.sample.counting.more[row]) / len(frame.topics)
            moves.append(times * np.array(own))
            weights.append(known[row] * ideals)
            expected_shares.append(known[row])
        gains = functional.gains
        return MissingLabels(moves, weights, expected_shares, gains, levels.odds_ratio)

    def systems(self) -> pd.DataFrame:
        """The best first."""
        values, reach, over_topics = self.estimate.values, self.of_systems, self.over_topics
        may_be = np.ones(len(values), bool)
        if self.have_pairs_intervals:
            every = np.arange(len(values))
            pairs = (np.repeat(every, len(every)), np.tile(every, len(every)))
            lowered = self._lowered(*pairs).reshape(len(every), -1)
            may_be = may_be_first(values, lowered, self._maxima)
        table = pd.DataFrame(
            {
                "measure": self.measure,
                "system": self.frame.systems,
                "value": self._possible(values),
                "low": self._possible(values - reach[:, 0]),
                "high": self._possible(values + reach[:, 1]),
                "topics_low": over_topics[:, 0],
                "topics_high": over_topics[:, 1],
                "rank": competition_ranks(places(values).astype(float)),
                "may_be_first": may_be,
            }
        )
        return table.sort_values(["rank", "system"], kind="stable", ignore_index=True)

    def pairs(self) -> Part:
        """Each pair, the system with the higher value first, and what makes some of them."""
        values, names = self.estimate.values, np.array(self.frame.systems, object)
        order = np.lexsort((names.astype(str), -places(values)))

        lowest, highest = self.bounds.T

        def rows(start: int, stop: int) -> pd.DataFrame:
            first, second = (order[of] for of in pairs_at(len(order), start, stop))
            same = self.rankings[first] == self.rankings[second]
            difference = np.where(same, 0.0, values[first] - values[second])
            below, above = np.where(same, 0.0, self.of_pairs(first, second).T)
            # a difference that is known is there, or is not
            known, size = below < TOLERANCE, np.abs(difference)
            p = np.where(known, size <= TOLERANCE, 2 * ndtr(-Z * size / np.where(known, 1, below)))
            least = lowest[first] - highest[second] - TOLERANCE
            most = highest[first] - lowest[second] + TOLERANCE
            columns = {
                "measure": self.measure,
                "system": names[first],
                "other": names[second],
                "difference": np.clip(difference, least, most),
                "low": np.clip(difference - below, least, most),
                "high": np.clip(difference + above, least, most),
                "p": p,
                "p_adjusted": np.where(known, p, self._adjusted(first, second, size, p)),
                "same_rankings": same,
            }
            return pd.DataFrame(columns)[columns_of("estimates/pairs")]

        return comb(len(order), 2), rows

    def _possible(self, values: np.ndarray) -> np.ndarray:
        """(S,) within what they can be, whatever is not labelled."""
        lowest, highest = self.bounds.T
        # rounding of sums does not move what is known
        return np.clip(values, lowest - TOLERANCE, highest + TOLERANCE)

    def _adjusted(
        self, first: np.ndarray, second: np.ndarray, size: np.ndarray, p: np.ndarray
    ) -> np.ndarray:
        """(P,) p-values of all pairs together; what lacking labels may do counts first."""
        if not self.have_pairs_intervals:
            return np.full(len(first), np.nan)
        errors = difference_errors(self.covariance, first, second)
        sure = np.maximum(size - self._lowered(first, second), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(sure > TOLERANCE, sure / errors, 0.0)
        return np.maximum(self._maxima.adjusted(statistic), p)

    def heaviest_label(self, documents: Documents, places: np.ndarray) -> tuple:
        """The fact of which label adds most, and its part of what all add."""
        added = self.estimate.added
        if not added.sum() > 0:
            return self.measure, "largest part of a label", 0.0, None
        largest = int(np.argmax(added))
        row = self.levels.sample.chosen[largest]
        times = 1 + self.levels.sample.counting.more[row]
        name = f"{documents.docnos[places[row]]} (topic {documents.topics[places[row]]})"
        part = float(added[largest] / added.sum())
        return self.measure, "largest part of a label", part, f"{name}, which counts {times:,.3g}×"

    def facts(self, systems: pd.DataFrame, pairs: Blocks) -> Iterator[tuple]:
        """What is counted of it."""
        significant, same = 0, 0
        for some in pairs:
            significant += int((some["p_adjusted"] < ERROR).sum())
            same += int(some["same_rankings"].sum())
        replayed = self.replayed or Coverage(np.zeros(0), np.zeros(0))
        facts = {
            "held of systems": mean_where_defined(replayed.systems),
            "held of pairs": mean_where_defined(replayed.pairs),
            "pairs": len(pairs),
            "significant": significant if len(pairs) and self.have_pairs_intervals else np.nan,
            "same rankings": same,
            "left to the model": self.is_modelled,
            "pairs left to the model": self.are_pairs_modelled,
            "median width": _median_width([systems]),
            "median width of pairs": _median_width(pairs),
        }
        for name, value in facts.items():
            yield self.measure, name, float(value), None

    def widths_of_any_label(self) -> Iterator[tuple]:
        """The facts of how wide intervals would be if any label could be a missing one."""
        if not len(self.levels.unlabelled) or np.isinf(self.levels.odds_ratio):
            return
        of_any = replace(self, levels=replace(self.levels, odds_ratio=np.inf))
        systems = of_any.systems()
        yield self.measure, "median width, any label", _median_width([systems]), None
        width = _median_width(Blocks([of_any.pairs()]))
        yield self.measure, "median width of pairs, any label", width, None


def _median_width(tables: Iterable[pd.DataFrame]) -> float:
    """Of all intervals that there are, but those of what is the same by construction."""
    spans = [pd.Series(dtype=float)]
    for some in tables:
        own = (some["high"] - some["low"]).dropna()
        spans.append(own[~some["same_rankings"]] if "same_rankings" in some else own)
    return float(pd.concat(spans).median())


def _expected(documents: Documents) -> tuple[float, str]:
    """What probabilities of being chosen add up to, and the topic that is furthest from that."""
    if documents.is_alone:
        return np.nan, "not known: labels hold drawn documents alone"
    by_topic = pd.DataFrame({"expected": documents.expected, "chosen": documents.chosen})
    by_topic = by_topic.groupby(documents.topics.astype(str)).sum()
    apart = (by_topic["chosen"] - by_topic["expected"]).abs()
    own = by_topic.loc[apart.idxmax()]
    note = f"topic {apart.idxmax()}: {own['chosen']:.0f} chosen, {own['expected']:.1f} expected"
    return float(documents.expected.sum()), note


def _check_alone(functionals: Sequence[Functional]) -> None:
    """Refuse what rests on more than the ranks of documents that were drawn."""
    wrong = [str(of.measure) for of in functionals if not (of.is_sum and of.measure["cutoff"])]
    if wrong or not functionals:
        raise MethodError(
            f"labels hold drawn documents alone, and {', '.join(wrong) or 'shares of grades'} "
            f"{'rest' if len(wrong) != 1 else 'rests'} on all that could be drawn: give runs, and "
            "measures that are sums over the first ranks, such as P@10, DCG@10, RBP(p=0.8)@10; or "
            "add the documents that were not drawn, with inclusion, chosen no and no grade"
        )


def _check_unlisted(documents: Documents, shares: Mapping[str, float]) -> None:
    """Refuse many documents without a model's value of which no label tells anything."""
    unlisted = documents.without_values
    most = max(shares.values(), default=unlisted.mean())
    if most > MOST_UNLABELLED and not documents.labelled[unlisted].any() and unlisted.any():
        row = np.flatnonzero(unlisted)[0]
        raise MethodError(
            f"no label is of one of {counted(unlisted.sum(), 'document')} without a model's value, "
            f"such as {documents.docnos[row]} for topic {documents.topics[row]}, and these are "
            f"{most:.1%} of what is estimated: have some of them labelled (a further batch: "
            "assign --after), or take a model that has values of them"
        )


def _facts(documents: Documents, frame: Frame) -> Iterator[tuple]:
    """Of all measures."""
    counts = {
        "documents": len(frame),
        "topics": len(frame.topics),
        "systems": len(frame.systems),
        "models": documents.values.shape[1],
        "batches": len(documents.inclusion),
        "chosen": documents.chosen.sum(),
        "labelled": documents.labelled.sum(),
        "labels": documents.labels,
        "assumed uniform": documents.assumed,
        "documents without values": documents.without_values.sum(),
    }
    for name, count in counts.items():
        yield ALL_TOPICS, name, float(count), None
    yield ALL_TOPICS, "expected", *_expected(documents)
    lost = np.flatnonzero(documents.chosen & ~documents.labelled)
    examples = (f"{documents.docnos[i]} (topic {documents.topics[i]})" for i in lost[:SHOWN])
    yield ALL_TOPICS, "not labelled", float(len(lost)), ", ".join(examples) or None
    topics = documents.topics_without_values
    yield ALL_TOPICS, "topics without values", float(len(topics)), ", ".join(topics) or None
