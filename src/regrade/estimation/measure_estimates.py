"""What is shown of estimates: systems, pairs of systems, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri
from threadpoolctl import threadpool_limits

from regrade.blocks import Blocks, Part, table_of
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.correlations import competition_ranks
from regrade.cutsearch.means import mean_where_defined
from regrade.errors import SHOWN, ParameterError
from regrade.estimation.estimates import (
    MOST_SURE,
    Estimate,
    check_enough,
    estimate,
    learned_shares,
)
from regrade.estimation.frame import Frame
from regrade.estimation.functionals import Functional, functionals
from regrade.estimation.grades import features
from regrade.estimation.labels import Levels, labels_table
from regrade.estimation.replays import Coverage, Z, replay
from regrade.estimation.samples import Documents
from regrade.kendall import TOLERANCE, places
from regrade.measures import rests_on_all_relevant
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.significance.paired import pairs_at

REPLAYS = 20
"""How often an estimate is replayed to see whether its intervals hold."""


def estimate_tables(
    documents: Documents,
    ranked: RankedLists | None,
    measures: Sequence[str],
    scale: Scale,
    seed: int = 1,
    replays: int = REPLAYS,
) -> dict[str, pd.DataFrame | Blocks]:
    """The tables ``estimates/labels`` and ``facts``; of systems also ``systems`` and ``pairs``.

    The last one is in blocks where pairs are many (`regrade.blocks`).
    """
    if not scale.finite:
        raise ParameterError(
            f"labels by people hold {scale}, and levels are needed: say which there are (scale)"
        )
    of = [] if ranked is None else functionals(measures, scale.values)
    frame, places = Frame.of(documents.topics, documents.docnos, ranked)
    sample, values = documents.sample(places, scale), documents.values[places]
    unlabelled = np.flatnonzero((documents.chosen & ~documents.labelled)[places])
    check_enough(sample, frame)
    X = features(frame, values)
    estimates, coverage = [], [None] * len(of)
    with threadpool_limits(1, "blas"):  # of small matrices, for which threads wait more than work
        shares = learned_shares(frame, X, sample, len(scale.values) - 1, seed)
        if of:
            estimates = estimate(frame, X, sample, of, seed)
        if of and replays and len(sample.chosen) < len(frame):
            coverage = replay(frame, X, sample, of, replays, seed)
    levels = Levels(shares, sample, unlabelled)
    by_model = dict(zip(documents.models, values.T, strict=True))
    tables = {"labels": labels_table(levels, by_model, np.array(scale.values, float))}
    systems, pairs, facts = [], [], [*_facts(documents, frame)]
    for functional, estimated, replayed in zip(of, estimates, coverage, strict=True):
        of_measure = MeasureEstimate(functional, estimated, frame, levels, replayed)
        own, between = of_measure.systems(), of_measure.pairs()
        own["may_be_first"] = _may_be_first(own, Blocks([between]))
        systems.append(own)
        pairs.append(between)
        facts += of_measure.facts(own, Blocks([between]))
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
        """(S,) on either side of each value; NaN where no interval holds."""
        withheld = self.replayed is not None and not self.replayed.of_systems
        ends = Z * self.estimate.errors
        if withheld or self._is_unproven or self.is_modelled:
            return np.full(len(ends), np.nan)
        return ends + sum(np.abs(moves).max(axis=0) for moves in self._lacking)

    def of_pairs(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """(P,) on either side of each difference of two systems; NaN where no interval holds."""
        withheld = self.replayed is not None and not self.replayed.of_pairs
        ends = Z * self.estimate.pair_errors(first, second)
        if withheld or self._is_unproven or self.are_pairs_modelled:
            return np.full(len(first), np.nan)
        apart = (moves[:, first] - moves[:, second] for moves in self._lacking)
        return ends + sum(np.abs(moves).max(axis=0) for moves in apart)

    @property
    def over_topics(self) -> np.ndarray:
        """(S, 2) intervals where topics are a sample as well; NaN where labels are lacking."""
        ends = self.estimate.over_topics()
        withheld = len(self.levels.unlabelled) or self._is_unproven or self.is_modelled
        return np.full_like(ends, np.nan) if withheld else ends

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
    def _lacking(self) -> list[np.ndarray]:
        """(L, S) by how much each level of a chosen document without a label would move the means.

        It stands for others as well, so that what its level does counts as often.
        """
        if not len(self.levels.unlabelled):
            return []
        frame, known = self.frame, self.levels.known_shares
        every, moves = np.eye(known.shape[1]), []
        for row in self.levels.unlabelled:
            rows, lists = frame.rows(frame.topic[row]), frame.by_topic[frame.topic[row]]
            shares, own = known[rows].copy(), []
            expected = self.functional.of_shares(shares, lists)
            for level in every:
                shares[row - rows.start] = level
                own.append(self.functional.of_shares(shares, lists) - expected)
            times = (1 + self.levels.sample.counting.more[row]) / len(frame.topics)
            moves.append(times * np.array(own))
        return moves

    def systems(self) -> pd.DataFrame:
        """The best first."""
        values, reach, over_topics = self.estimate.values, self.of_systems, self.over_topics
        table = pd.DataFrame(
            {
                "measure": self.measure,
                "system": self.frame.systems,
                "value": values,
                "low": values - reach,
                "high": values + reach,
                "topics_low": over_topics[:, 0],
                "topics_high": over_topics[:, 1],
                "rank": competition_ranks(places(values).astype(float)),
            }
        )
        return table.sort_values(["rank", "system"], kind="stable", ignore_index=True)

    def pairs(self) -> Part:
        """Each pair, the system with the higher value first, and what makes some of them."""
        values, names = self.estimate.values, np.array(self.frame.systems, object)
        order = np.lexsort((names.astype(str), -places(values)))

        def rows(start: int, stop: int) -> pd.DataFrame:
            first, second = (order[of] for of in pairs_at(len(order), start, stop))
            difference, reach = values[first] - values[second], self.of_pairs(first, second)
            # a difference that is known is there, or is not
            known, size = reach < TOLERANCE, np.abs(difference)
            p = np.where(known, size <= TOLERANCE, 2 * ndtr(-Z * size / np.where(known, 1, reach)))
            columns = {
                "measure": self.measure,
                "system": names[first],
                "other": names[second],
                "difference": difference,
                "low": difference - reach,
                "high": difference + reach,
                "p": p,
            }
            return pd.DataFrame(columns)[columns_of("estimates/pairs")]

        return comb(len(order), 2), rows

    def facts(self, systems: pd.DataFrame, pairs: Blocks) -> Iterator[tuple]:
        """What is counted of it."""
        apart, spans = 0, [pd.Series(dtype=float)]
        for some in pairs:
            apart += int((some["low"] > TOLERANCE).sum())
            spans.append((some["high"] - some["low"]).dropna())
        spans = pd.concat(spans)
        replayed = self.replayed or Coverage(np.zeros(0), np.zeros(0))
        facts = {
            "held of systems": mean_where_defined(replayed.systems),
            "held of pairs": mean_where_defined(replayed.pairs),
            "pairs": len(pairs),
            "told apart": apart if len(spans) else np.nan,
            "left to the model": self.is_modelled,
            "pairs left to the model": self.are_pairs_modelled,
            "median width": (systems["high"] - systems["low"]).median(),
            "median width of pairs": spans.median(),
        }
        for name, value in facts.items():
            yield self.measure, name, float(value), None


def _may_be_first(systems: pd.DataFrame, pairs: Blocks) -> np.ndarray:
    """Whether no other system is surely higher, in the order of the systems.

    Each is held beside all others at once (Bonferroni), so that the first of full judging is one of
    those that may be it in 95 % of samples or more.
    """
    others = max(len(systems) - 1, 1)
    wider = float(ndtri(1 - 0.05 / others)) / Z
    below = set()
    for some in pairs:
        reach = (some["high"] - some["low"]) / 2 * wider
        below |= {*some.loc[some["difference"] - reach > TOLERANCE, "other"]}
    return ~systems["system"].isin(below).to_numpy()


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
        "documents without values": np.isnan(documents.values).all(axis=1).sum(),
    }
    for name, count in counts.items():
        yield ALL_TOPICS, name, float(count), None
    lost = np.flatnonzero(documents.chosen & ~documents.labelled)
    examples = (f"{documents.docnos[i]} (topic {documents.topics[i]})" for i in lost[:SHOWN])
    yield ALL_TOPICS, "not labelled", float(len(lost)), ", ".join(examples) or None
    topics = documents.topics_without_values
    yield ALL_TOPICS, "topics without values", float(len(topics)), ", ".join(topics) or None
