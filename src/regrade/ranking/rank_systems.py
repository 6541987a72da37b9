"""Which system is best and how sure that is: all tables of the stage ``ranking``."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.blocks import Blocks, Part, table_of
from regrade.catalogue import ALL_TOPICS, columns_of, tables_of
from regrade.errors import MethodError, ParameterError
from regrade.item_scores.scores import ScoreDesign
from regrade.kendall import places
from regrade.percentiles import interval
from regrade.ranking import halves, power, reliability
from regrade.ranking.beside_best import beside_best
from regrade.ranking.datasets import DatasetRankings, friedman_p
from regrade.ranking.layout import Layout
from regrade.ranking.pairs import AllPairs, SystemPairs
from regrade.ranking.repeats import ITEMS, REPEATS, Components
from regrade.ranking.sample import Sample
from regrade.ranking.systems import significantly_better, system_table
from regrade.scoring import Scores
from regrade.significance.corrections import adjust
from regrade.significance.discrimination import PERMUTATIONS, SIGNIFICANCE, pair_test

log = logging.getLogger(__name__)

MANY = 100_000
"""Pairs from which on the time and memory are logged beforehand."""

COEFFICIENTS = ("e_rho2", "phi")

FACETS = {"s": "systems", "t": "topics", "j": "judges"}

TARGETS = {"e_rho2": (0.9, 0.95), "phi": (0.9, 0.95), "tau": (0.9, 0.95)}
"""Coefficients that are to be reached."""

DIFFERENCES = (0.01, 0.02, 0.05)
"""Differences to detect."""

SIZES = (5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500)
"""Numbers of topics with a reliability, beside that of the collection."""

JUDGES = (1, 2, 3, 5, 10)
"""Numbers of judges with a reliability, beside that of the item."""

DRAWN_TESTS = ("randomisation", "bootstrap", "tukey_hsd")
"""Tests that draw signs, topics or orders for each topic."""

MOST_DRAWN = 2**28
"""Numbers that such a test may hold: 2 GB."""

_TABLES = [path.partition("/")[2] for path in tables_of("ranking") if path != "ranking/answer"]


@dataclass(frozen=True)
class RankingOptions:
    """How systems are ranked.

    Attributes
    ----------
    draws
        Of topics, with replacement.
    top
        How many first systems are counted.
    splits
        Of topics into halves, of each size.
    test, correction
        The test of each pair that stands beside what is said of all pairs at once
        (`regrade.significance.discrimination`).
    seed
        Of draws, splits and permutations.
    """

    draws: int = 10_000
    top: int = 5
    splits: int = 500
    test: str = "t"
    correction: str = "holm"
    seed: int = 1

    def __post_init__(self):
        """Check what numbers must be."""
        for name, least in (("draws", 100), ("top", 1), ("splits", 1)):
            if getattr(self, name) < least:
                problem = f"give at least {least}"
                raise ParameterError(f"{name} is {getattr(self, name)}: {problem}")


def rank_systems(
    scores: Scores,
    how: RankingOptions | None = None,
    others: Sequence[Scores] = (),
    threads: int = 1,
    copies: np.ndarray | None = None,
    design: ScoreDesign | None = None,
) -> dict[str, pd.DataFrame | Blocks]:
    """Rank systems by means over topics, and say how sure that is.

    Parameters
    ----------
    scores
        Of at least one system; each finite.
    how
        Draws, test, seed.
    others
        Scores of the same systems by the labels of further judges.
    threads
        At once; the result does not depend on it.
    copies : array of int64, shape (S,)
        The same number for systems whose runs are the same.
    design
        Clusters, data sets and repeats of the items of `scores`.  Clusters are then drawn whole;
        the mean over several data sets is that of their means, the data sets being fixed; intervals
        and tests hold for further repeats of the systems that have several.

    Returns
    -------
    dict
        The tables ``ranking/…`` but for the answer, by name.

    Raises
    ------
    MethodError
        If there is no system, the judges have no topic in common, or a test of pairs would need too
        much memory.
    """
    if not scores.systems:
        raise MethodError("there is no system to rank")
    how = how or RankingOptions()
    judged = _on_shared_topics([scores, *others]) if others else []
    pairs = len(scores.systems) * (len(scores.systems) - 1) // 2
    if pairs > MANY:
        log.warning(
            "%d systems have %d pairs, and %d bootstrap samples: that takes about %d "
                "seconds and %d MB",
            len(scores.systems), pairs, how.draws, round(pairs * how.draws / 3e7),
            200 + pairs // 5000,
        )  # fmt: skip
    parts, of_pairs = [], []
    for m in range(len(scores.measures)):
        of_judges = [values[:, :, m] for values in judged]
        of = _MeasureRanking(scores, m, how, of_judges, threads, copies, design)
        parts.append(of.tables())
        of_pairs.append(of.all_pairs())
    tables = {
        name: pd.concat([part[name] for part in parts], ignore_index=True)[
            columns_of(f"ranking/{name}")
        ]
        for name in parts[0]
    }
    tables["pairs"] = table_of(of_pairs)
    of_all = _facts_of_all(scores, how, judged, design)
    tables["facts"] = pd.concat([of_all, tables["facts"]], ignore_index=True)
    return {name: tables[name] for name in _TABLES}


def _on_shared_topics(judged: Sequence[Scores]) -> list[np.ndarray]:
    """(S, T, M) scores under each judge's labels, on the topics that all have judged."""
    shared = set.intersection(*(set(scores.topics) for scores in judged))
    if not shared:
        raise MethodError("no topic is judged in all sets: do topics have the same format?")
    return [scores.values[:, [topic in shared for topic in scores.topics]] for scores in judged]


@dataclass(frozen=True, eq=False)
class _PairSummary:
    """Summary of all pairs, gone through once.

    Attributes
    ----------
    significant_by_tukey
        How many differ significantly by Tukey's test.
    better
        (S, S) whether the system of a row is significantly better than that of a column.
    difference, variance, p, p_at_once, detectable
        (P,) float64, of each pair; p is Student's.
    """

    significant_by_tukey: int
    better: np.ndarray
    difference: np.ndarray
    variance: np.ndarray
    p: np.ndarray
    p_at_once: np.ndarray
    detectable: np.ndarray

    @classmethod
    def of(cls, every: AllPairs) -> _PairSummary:
        systems, start, by_tukey = len(every.scores), 0, 0
        better, numbers = np.zeros((systems, systems), dtype=bool), np.empty((5, len(every)))
        for pairs in every.blocks():
            by_tukey += (pairs.p_tukey() < SIGNIFICANCE).sum()
            better |= significantly_better(pairs, systems)
            numbers[:, start : start + len(pairs.p)] = (
                pairs.difference, pairs.variance, pairs.p, pairs.p_at_once, pairs.detectable()
            )  # fmt: skip
            start += len(pairs.p)
        return cls(by_tukey, better, *numbers)


class _MeasureRanking:
    """The tables of one measure."""

    def __init__(
        self,
        scores: Scores,
        m: int,
        how: RankingOptions,
        judged: Sequence[np.ndarray],
        threads: int,
        copies: np.ndarray | None,
        design: ScoreDesign | None,
    ):
        values = scores.values[:, :, m]
        layout = None if design is None else Layout.of(design.clusters, design.datasets)
        means = values.mean(axis=1) if layout is None else layout.mean(values)
        # the best first, systems that tie by name
        order = np.lexsort((scores.systems, -places(means)))
        self.measure, self.how = str(scores.measures[m]), how
        self.names = tuple(scores.systems[i] for i in order)
        of_items = np.ascontiguousarray(values[order])
        sample = self.sample = Sample.of_design(of_items, layout, design, m, order)
        self.scores = sample.values
        self.judged = [of_judge[order] for of_judge in judged]
        self.topics = len(sample)
        own = None if copies is None else copies[order]
        self.pairs = AllPairs.of(sample, how.draws, how.seed, threads, own)
        self.summary = _PairSummary.of(self.pairs)
        self.p = self.summary.p
        if how.test != "t" and min(self.scores.shape) > 1:
            names = scores.topics if layout is None else layout.names(scores.topics)
            self.p = _tested(self.scores, names, how)
        self.p_corrected = adjust(self.p, how.correction)
        is_full = min(self.scores.shape) > 1
        self.reliability = reliability.Reliability(self.scores) if is_full else None
        self.taus = self._taus()
        self.weights = halves.weights_of(self._mean_taus()) if self.taus else None
        self.datasets = None
        if layout is not None and len(layout.starts) > 1:
            of = (of_items, design, how.draws, how.seed, threads)
            self.datasets = DatasetRankings(self.names, *of)

    def tables(self) -> dict[str, pd.DataFrame]:
        """By name, but for the pairs and the answer."""
        systems = self.systems()
        tables: dict[str, object] = {
            "facts": [*self.facts(), *_facts_of_first(systems)],
            "systems": systems,
            "variances": self.variances(),
            "reliability": self.reliabilities(),
            "halves": self.halves(),
            "needed": self.needed(),
            "detectable": self.detectable(),
            "needed_differences": self.needed_differences(),
            "beside_best": self.beside_best(),
            "judge_variances": self.judge_variances(),
            "judge_reliability": self.judge_reliability(),
            "datasets": [] if self.datasets is None else self.datasets.of_each(),
            "dataset_ranks": [] if self.datasets is None else self.datasets.over_all(),
            "repeats": self.repeats(),
            "repeat_errors": self.repeat_errors(),
        }
        return {
            name: table.assign(measure=self.measure)
            if isinstance(table, pd.DataFrame)
            else pd.DataFrame(
                ((self.measure, *row) for row in table), columns=columns_of(f"ranking/{name}")
            )
            for name, table in tables.items()
        }

    def facts(self) -> Iterator[tuple]:
        """Rows of ``ranking/facts`` about all pairs, with a note where a number is undefined."""
        pairs = self.pairs
        few = ""
        if len(self.sample.starts) > 1 and not self.sample.has_variance:
            few = "a data set has one unit: nothing is said of means over data sets"
        elif self.topics < self.sample.fewest:
            few = f"fewer than {self.sample.fewest} topics: nothing is said of all pairs at once"
        note = few
        if not few and np.isinf(pairs.critical):
            note = "systems differ on too few topics: no intervals of all pairs at once"
        yield "pairs", len(pairs), "" if len(pairs) else "one system: no ranking"
        test = self.how.test
        corrected = self.p_corrected < SIGNIFICANCE
        together = self.summary.p_at_once <= SIGNIFICANCE
        yield "significant", (self.p < SIGNIFICANCE).sum(), f"{test}, one by one"
        yield "significant corrected", corrected.sum(), f"{test}, {self.how.correction}"
        yield "significant by stepdown", np.nan if few else together.sum(), few
        share = together.mean() if len(pairs) and not few else np.nan
        yield "share significant by stepdown", share, few
        yield "significant by both", np.nan if few else (together & corrected).sum(), few
        yield "significant by Tukey's test", self.summary.significant_by_tukey, ""
        yield "critical value", pairs.critical if np.isfinite(pairs.critical) else np.nan, note
        tau_note = ""
        if self.sample.repeats is not None:
            tau_note = "halves of the items have the same repeats: no τ_b is extrapolated"
        elif not self.taus:
            tau_note = (
                f"of fewer than {halves.FEWEST_SYSTEMS} systems or {halves.FEWEST_TOPICS} topics, "
                "or of systems that all tie, no τ_b is extrapolated"
            )
        largest = self._mean_taus()[max(self.taus)] if self.taus else np.nan
        share, least = halves.in_order(self._tau_with_truth(self.topics))
        yield "tau of halves", largest, tau_note
        yield "in order", share, tau_note
        yield "in order at least", least, tau_note
        if self.sample.is_binary:
            yield "binary scores", self.sample.items.size, "each is 0 or 1"
        if self.sample.repeats is not None:
            yield from self._facts_of_repeats()
        if self.datasets is not None:
            yield "pairs reordered by mean rank", self.datasets.reordered(), ""
            yield "p of Friedman's test", friedman_p(self.datasets.ranks), ""

    def _facts_of_repeats(self) -> Iterator[tuple]:
        """Systems with several repeats, and what repeats add to the variance of means."""
        several = self.sample.repeats.count > 1
        note = "" if several.all() else "those with one repeat are taken as they are"
        yield "systems with repeats", several.sum(), note
        if self.components is not None:
            share = self._share_of_repeats()
            yield "share of repeats", share, "of the error variance of a difference"

    def systems(self) -> pd.DataFrame:
        """`regrade.ranking.systems.system_table`."""
        how, better = self.how, self.summary.better
        return system_table(self.names, self.pairs, better, how.top, how.seed)

    def all_pairs(self) -> Part:
        """A row for each pair."""
        names = self.names, self.measure

        def rows(start: int, stop: int) -> pd.DataFrame:
            tested = self.p[start:stop], self.p_corrected[start:stop]
            return _pair_table(self.pairs.some(start, stop), *names, *tested)

        return len(self.pairs), rows

    def variances(self) -> Iterator[tuple]:
        """Of systems, topics and the residual."""
        if self.reliability is None or self.sample.repeats is not None:
            return
        known = self.reliability.variances
        shares = _shares(known)
        for some, share in zip(known, shares, strict=True):
            name = "residual" if len(some) > 1 else FACETS[next(iter(some))]
            value, *ends = self.reliability.variance(some)
            yield name, value, *self._ends(ends), share

    def _ends(self, ends: Sequence[float]) -> Sequence[float]:
        """Ends of an interval of variances: none where units are not of one population."""
        return ends if self.sample.is_plain else [np.nan] * len(ends)

    def reliabilities(self) -> Iterator[tuple]:
        """Eρ², Φ and τ_b with the truth of as many topics."""
        if self.reliability is None:
            return
        for topics in sorted({*SIZES, self.topics}):
            if self.sample.repeats is not None:
                yield from self._reliability_with_repeats(topics)
                continue
            for name, row in zip(COEFFICIENTS, self.reliability.coefficients(topics), strict=True):
                yield name, topics, row[0], *self._ends(row[1:])
            yield "tau", topics, self._tau_with_truth(topics), np.nan, np.nan

    def _reliability_with_repeats(self, items: int) -> Iterator[tuple]:
        """Eρ² and Φ of so many items and the repeats that there are; no intervals."""
        if self.components is None:
            return
        repeats = self.most_repeats
        for name, value in zip(
            COEFFICIENTS, self.components.coefficients(items, repeats), strict=True
        ):
            yield name, items, value, np.nan, np.nan

    def _taus(self) -> dict[int, np.ndarray]:
        """τ_b of halves by how many topics these have, the largest last."""
        most = self.topics // 2
        if self.sample.repeats is not None:  # both halves would have the same repeats
            return {}
        if len(self.names) < halves.FEWEST_SYSTEMS or self.topics < halves.FEWEST_TOPICS:
            return {}
        sizes = sorted({*(size for size in halves.SIZES if size < most), most})
        how = self.how
        taus = {n: halves.tau_of_halves(self.scores, n, how.splits, how.seed) for n in sizes}
        return {n: tau for n, tau in taus.items() if np.isfinite(tau).any()}

    def _mean_taus(self) -> dict[int, float]:
        return {topics: float(np.nanmean(tau)) for topics, tau in self.taus.items()}

    def _tau_with_truth(self, topics: int) -> float:
        return np.nan if self.weights is None else halves.tau_with_truth(self.weights, topics)

    def halves(self) -> Iterator[tuple]:
        """How alike rankings by halves are, as drawn and as fitted to all of them."""
        for topics, tau in self.taus.items():
            fitted = halves.tau_between(self.weights, topics)
            yield topics, np.nanmean(tau), *interval(tau), fitted, np.isfinite(tau).sum()

    def needed(self) -> Iterator[tuple]:
        """Topics for each target."""
        if self.reliability is None or self.sample.repeats is not None:
            return
        for place, name in enumerate(COEFFICIENTS):
            for target in TARGETS[name]:
                number, *ends = self.reliability.topics_for(target)[place]
                yield name, target, number, *self._ends(ends)
        most = halves.FURTHEST * self.topics
        for target in TARGETS["tau"]:
            topics = halves.topics_for_tau(self.weights, most, target) if self.taus else np.nan
            yield "tau", target, topics, np.nan, np.nan

    def detectable(self) -> Iterator[tuple]:
        """Quartiles over pairs of minimum detectable differences, uncorrected and simultaneous."""
        spread = np.sqrt(self.summary.variance)
        if self.topics < 2 or not len(self.pairs) or not self.sample.has_variance:
            return
        yield "none", *self._quartiles(self.summary.detectable)
        if len(self.pairs) == 1:
            return
        at_once = self.pairs.detectable_at_once(spread, self.topics)
        if np.isfinite(at_once).all():
            yield "all pairs", *self._quartiles(at_once)

    def _quartiles(self, least: np.ndarray) -> tuple:
        """Quartiles of minimum detectable differences; how many observed ones are smaller."""
        smaller = (np.abs(self.summary.difference) < least).sum()
        return *np.quantile(least, (0.25, 0.5, 0.75)), smaller, len(least)

    def needed_differences(self) -> Iterator[tuple]:
        """Quartiles over pairs of the topics that a difference needs."""
        sample = self.sample
        if self.topics < 2 or not len(self.pairs) or sample.repeats or not sample.has_variance:
            return
        # more scatter needs more topics: a quartile of these is that of the scatter
        spread = np.quantile(np.sqrt(self.summary.variance), (0.25, 0.5, 0.75), method="higher")
        for difference in DIFFERENCES:
            yield difference, *power.topics_to_detect(spread, difference)

    def beside_best(self) -> pd.DataFrame:
        """`regrade.ranking.beside_best.beside_best`."""
        return beside_best(self.names, self.pairs)

    @property
    def components(self) -> Components | None:
        """Of scores with repeats; ``None`` where no system has several."""
        repeats = self.sample.repeats
        if repeats is None or self.reliability is None or not (repeats.count > 1).any():
            return None
        return Components.of(self.reliability.variances, repeats)

    @property
    def most_repeats(self) -> int:
        """Repeats of the system that has most."""
        return int(self.sample.repeats.count.max())

    def repeats(self) -> Iterator[tuple]:
        """Variance components of scores with repeats."""
        if self.components is None:
            return
        rows = dict(self.components.rows())
        for (name, value), share in zip(rows.items(), _shares(rows), strict=True):
            yield name, value, share

    def repeat_errors(self) -> Iterator[tuple]:
        """Standard errors by numbers of items and repeats."""
        if self.components is None:
            return
        for times in ITEMS:
            most = self.most_repeats
            for repeats in sorted({*REPEATS, most, 2 * most}):
                items = times * self.topics
                yield items, repeats, *self.components.errors(items, repeats)

    def _share_of_repeats(self) -> float:
        """Of the error variance of a difference with these items and repeats."""
        of, repeats = self.components, self.most_repeats
        total = of.errors(self.topics, repeats)[1] ** 2 / 2
        own = max(0.0, of.repeats) / repeats
        own += max(0.0, of.repeats_items) / (repeats * self.topics)
        return own / total if total > 0 else np.nan

    def judge_variances(self) -> Iterator[tuple]:
        """Of systems, topics, judges and their interactions."""
        known = self._of_judges()
        for some, share in zip(known, _shares(known), strict=True):
            yield " × ".join(FACETS[f] for f in FACETS if f in some), known[some], share

    def judge_reliability(self) -> Iterator[tuple]:
        """Eρ² and Φ of this many topics and a number of judges."""
        known = self._of_judges()
        for topics in sorted({*SIZES, self.topics}) if known else ():
            for judges in sorted({*JUDGES, len(self.judged)}):
                numbers = {"t": topics, "j": judges}
                yield topics, judges, *reliability.coefficients(known, numbers)

    def _of_judges(self) -> dict:
        if len(self.judged) < 2 or min(self.judged[0].shape) < 2:
            return {}
        return reliability.components(np.stack(self.judged, axis=2), "stj")


def _pair_table(
    pairs: SystemPairs,
    names: Sequence[str],
    measure: str,
    p: np.ndarray,
    p_corrected: np.ndarray,
) -> pd.DataFrame:
    """Rows of ``ranking/pairs``."""
    low, high = pairs.ends
    all_low, all_high = pairs.ends_at_once()
    return pd.DataFrame(
        {
            "measure": measure,
            "system": pd.Categorical.from_codes(pairs.first, names),
            "other": pd.Categorical.from_codes(pairs.second, names),
            "difference": pairs.difference,
            "low": low,
            "high": high,
            "p_interval": pairs.p_interval,
            "all_low": all_low,
            "all_high": all_high,
            "p": p,
            "p_corrected": p_corrected,
            "p_tukey": pairs.p_tukey(),
            "p_adjusted": pairs.p_at_once,
            "effect": pairs.effect(),
            "won": pairs.won,
            "even": pairs.even,
            "detectable": pairs.detectable(),
        }
    )


def _facts_of_first(systems: pd.DataFrame) -> Iterator[tuple]:
    """How many systems share the highest mean, may be the best as well, and are not."""
    is_best, may_be = systems["rank"] == 1, systems["may_be_best"]
    yield "best", is_best.sum(), ""
    known = may_be.notna().all()
    yield "may be the best", (~is_best & (may_be == 1)).sum() if known else np.nan, ""
    yield "not the best", (~is_best & (may_be == 0)).sum() if known else np.nan, ""


def _shares(variances: Mapping) -> np.ndarray:
    """Of the sum of variances, those below 0 counting as 0."""
    values = np.maximum(0.0, np.fromiter(variances.values(), float))
    total = values.sum()
    return values / total if total > 0 else np.full(len(values), np.nan)


def _tested(scores: np.ndarray, names: Sequence[str], how: RankingOptions) -> np.ndarray:
    """(P,) p of the chosen test of values of units."""
    numbers = PERMUTATIONS * scores.shape[1]
    if how.test in DRAWN_TESTS and numbers > MOST_DRAWN:
        raise MethodError(
            f"the test {how.test} of {scores.shape[1]:,} items would hold {numbers:,} numbers: "
            "with so many items take the t-test (test='t', --test t)"
        )
    return pair_test(scores, names, how.test, seed=how.seed).p


def _facts_of_all(
    scores: Scores,
    how: RankingOptions,
    judged: Sequence[np.ndarray],
    design: ScoreDesign | None,
) -> pd.DataFrame:
    systems, topics = len(scores.systems), len(scores.topics)
    shared = judged[0].shape[1] if judged else topics
    note = "" if shared == topics else f"{shared} topics are judged by all of them"
    rows = [
        ("systems", systems, "one system: no ranking" if systems == 1 else ""),
        ("topics", topics, "one topic: no intervals, no tests" if topics == 1 else ""),
        ("draws", how.draws, ""),
        ("seed", how.seed, ""),
        ("judges", max(1, len(judged)), note),
        *(() if design is None else _facts_of_design(design)),
    ]
    return pd.DataFrame(
        ((ALL_TOPICS, *row) for row in rows), columns=columns_of("ranking/facts")
    ).astype({"value": float})


def _facts_of_design(design: ScoreDesign) -> Iterator[tuple]:
    """Clusters, data sets and repeats, where there are any; items that were left out."""
    layout = Layout.of(design.clusters, design.datasets)
    if layout is not None and len(layout.item_starts) < len(layout.order):
        sizes = layout.items
        yield "clusters", len(sizes), f"of {sizes.min()} to {sizes.max()} items"
    if layout is not None and len(layout.starts) > 1:
        alone = (layout.units == 1).sum()
        yield "datasets", len(layout.starts), f"{alone} have one unit" if alone else ""
    if design.repeats is not None:
        whole = np.isfinite(design.repeats).all(axis=(1, 2)).sum(axis=1)
        note = "" if whole.min() == whole.max() else f"{whole.min()} to {whole.max()} of a system"
        yield "repeats", whole.max(), note
    if design.dropped:
        yield "dropped", design.dropped, "items that some system or measure lacks"
