"""What ties do to scores and to comparisons of systems, as tables (yang2019 §3.2, §3.3.3–4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import columns_of
from regrade.errors import ParameterError
from regrade.kendall import places
from regrade.measures import Measure, parse_all
from regrade.ranking.possible_ranks import apart, order_numbers, rank_ranges, ranks_of
from regrade.run_arrays import JudgedLists, RankedLists
from regrade.significance import discrimination
from regrade.significance.paired import paired_t
from regrade.tied_scores.expectations import expected, limits, marginal_ap, score_lists
from regrade.tied_scores.groups import TieGroups, exact_rho

SIGNIFICANCE = 0.05
"""The default significance level; a p-value of at most this is significant (§3.3.3)."""

ENDS = ("pessimistic", "optimistic")
"""The least and the highest score over all orders of tied documents."""


def tie_rates(audit: pa.Table) -> pd.DataFrame:
    """How many systems, rankings and documents have ties or contradict (yang2019 Table 3.2)."""
    frame = audit.to_pandas()
    rows = []
    for affected, column in (
        ("tied scores", "tied_documents"),
        ("rank contradictions", "contradictions"),
    ):
        has = frame[column] > 0
        rows += [
            (affected, "systems", frame.loc[has, "system"].nunique(), frame["system"].nunique()),
            (affected, "rankings", has.sum(), len(frame)),
            (affected, "documents", frame[column].sum(), frame["documents"].sum()),
        ]
    table = pd.DataFrame(rows, columns=["affected", "quantity", "count", "total"])
    table["value"] = 100 * table["count"] / table["total"]
    first = frame["first_tie"].dropna()
    if len(first):
        geometric_mean = np.exp(np.log(first).mean())
        table.loc[len(table)] = ("tied scores", "first tie", len(first), len(frame), geometric_mean)
    return table


def highest_means(systems: Sequence[str], scores: np.ndarray, count: int) -> list[str]:
    """The systems with the highest mean scores (yang2019 takes the top 80 of TREC-7 by AP)."""
    means = scores[:, :, 0].mean(axis=1)
    order = np.argsort(-places(means), kind="stable")
    return [systems[s] for s in order[:count]]


@dataclass(frozen=True, eq=False)
class TieScores:
    """The scores of S systems on T topics by M measures under every way to deal with ties.

    Attributes
    ----------
    systems, topics, measures
        What the axes stand for.
    run, trec_eval, expected, eq33, pessimistic, optimistic
        (S, T, M) float64; `eq33` is NaN unless the measure is AP.
    tied
        (S, T) int64: documents tied with the one above.
    documents
        (S, T) int64: documents that are retrieved.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    run: np.ndarray
    trec_eval: np.ndarray
    expected: np.ndarray
    eq33: np.ndarray
    pessimistic: np.ndarray
    optimistic: np.ndarray
    tied: np.ndarray
    documents: np.ndarray

    def to_frame(self) -> pd.DataFrame:
        """Means over topics: the columns of ``ties/ranges``."""
        ways = ("run", "trec_eval", "expected", "eq33", "pessimistic", "optimistic")
        means = {way: getattr(self, way).mean(axis=1) for way in ways}
        means["range"] = (self.optimistic - self.pessimistic).mean(axis=1)
        tied, documents = self.tied.sum(axis=1), self.documents.sum(axis=1)
        share = tied / np.where(documents, documents, np.nan)
        parts = [
            pd.DataFrame({"measure": str(measure), "system": self.systems})
            .assign(**{way: mean[:, m] for way, mean in means.items()})
            .assign(tied=tied, tied_share=share)
            for m, measure in enumerate(self.measures)
        ]
        return pd.concat(parts, ignore_index=True)


def tie_scores(
    ranked: RankedLists,
    lists: JudgedLists,
    groups: TieGroups,
    measures: Sequence[str | Measure] = ("AP",),
    *,
    unjudged: str = "non-relevant",
) -> TieScores:
    """Scores under every way to deal with ties (yang2019 Figures 3.4, 3.5 show means over
    topics).
    """
    measures = parse_all(measures)
    docno_order = JudgedLists.match(groups.reordered(ranked), lists.judged, lists.max_grade)
    pessimistic, optimistic = limits(lists, groups, measures, unjudged=unjudged)
    is_judged = np.isin(ranked.topics, lists.judged.topics)
    lengths = np.diff(ranked.offsets).reshape(len(ranked.topics), len(ranked.systems)).T
    eq33 = np.full_like(pessimistic, np.nan)
    for m, measure in enumerate(measures):
        if measure.name == "AP":
            eq33[:, :, m] = marginal_ap(lists, groups, measure)
    return TieScores(
        ranked.systems,
        lists.judged.topics,
        measures,
        run=score_lists(lists, measures),
        trec_eval=score_lists(docno_order, measures),
        expected=expected(lists, groups, measures),
        eq33=eq33,
        pessimistic=pessimistic,
        optimistic=optimistic,
        tied=groups.tied_documents(ranked)[:, is_judged],
        documents=lengths[:, is_judged],
    )


@dataclass(frozen=True, eq=False)
class BandScores:
    """The scores of S systems on T topics by M measures, without and with bands for P values of ρ.

    Attributes
    ----------
    systems, topics, measures, rhos
        What the axes stand for.
    original
        (S, T, M) float64: scores of the rankings as they are.
    banded
        (S, T, M, P) float64: expected scores of the banded rankings.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    rhos: tuple[Fraction, ...]
    original: np.ndarray
    banded: np.ndarray

    def to_frame(self) -> pd.DataFrame:
        """The columns of ``ties/banded``, in this order."""
        banded = self.banded.transpose(2, 3, 0, 1)  # (M, P, S, T)
        original = np.broadcast_to(self.original.transpose(2, 0, 1)[:, None], banded.shape)
        measure, rho, system, topic = np.indices(banded.shape, dtype=np.int32).reshape(4, -1)
        return pd.DataFrame(
            {
                "measure": pd.Categorical.from_codes(measure, [str(m) for m in self.measures]),
                "rho": np.array(self.rhos, dtype=np.float64)[rho],
                "system": pd.Categorical.from_codes(system, list(self.systems)),
                "topic": pd.Categorical.from_codes(topic, list(self.topics)),
                "original": original.ravel(),
                "banded": banded.ravel(),
                "difference": (banded - original).ravel(),
            }
        )


def score_bands(
    ranked: RankedLists,
    lists: JudgedLists,
    rhos: Sequence[Fraction | str | float],
    measures: Sequence[str | Measure],
    *,
    threads: int = 1,
) -> BandScores:
    """Expected scores when ranks are banded, beside the original ones (Figures 3.6, 3.7)."""
    measures = parse_all(measures)
    exact = tuple(exact_rho(rho) for rho in rhos)
    if len(set(exact)) < len(exact):
        raise ParameterError(f"ρ: a value is given twice among {', '.join(map(str, rhos))}")
    original = score_lists(lists, measures)

    def banded(rho: Fraction) -> np.ndarray:
        return expected(lists, TieGroups.banded(ranked, rho), measures)

    with ThreadPoolExecutor(threads) as pool:
        by_rho = np.array(list(pool.map(banded, exact))).reshape(-1, *original.shape)
    scores = original, np.ascontiguousarray(np.moveaxis(by_rho, 0, -1))
    return BandScores(ranked.systems, lists.judged.topics, measures, exact, *scores)


def non_inferiority(
    banded: pd.DataFrame, fractions: Sequence[float] = (0.99, 0.97)
) -> pd.DataFrame:
    """One-tailed paired t-tests of each system's banded scores (yang2019 §3.3.3).

    The alternative is that the banded score is, in the mean, above a fraction of the original one.
    """
    parts = []
    for measure, rho, systems, before, after in _grids(banded):
        for fraction in fractions:
            t, p = paired_t(after - fraction * before, alternative="greater")
            keys = {"measure": measure, "rho": rho, "fraction": fraction, "system": systems}
            parts.append(pd.DataFrame(keys | {"t": t, "p": p}))
    return pd.concat(parts, ignore_index=True)


def count_non_inferior(tests: pd.DataFrame, significance: float = SIGNIFICANCE) -> pd.DataFrame:
    """Systems that bands do not make notably inferior (yang2019 Table 3.4)."""
    keys = ["measure", "rho", "fraction"]
    counted = tests.assign(systems=tests["p"] <= significance)
    return (
        counted.groupby(keys, sort=False, observed=True)
        .agg(systems=("systems", "sum"), n_systems=("system", "size"))
        .reset_index()
    )


def banded_p_values(banded: pd.DataFrame) -> pd.DataFrame:
    """Two-sided paired t-tests of all pairs of systems, without and with bands (Figures
    3.8–3.11).
    """
    parts = []
    for measure, rho, systems, before, after in _grids(banded):
        tests, again = discrimination.paired_t(before), discrimination.paired_t(after)
        pairs = {"first": systems[tests.first], "second": systems[tests.second]}
        columns = {"measure": measure, "rho": rho, **pairs}
        parts.append(pd.DataFrame(columns | {"p_original": tests.p, "p_banded": again.p}))
    return pd.concat(parts, ignore_index=True)


def quadrants(p_values: pd.DataFrame, significance: float = SIGNIFICANCE) -> pd.DataFrame:
    """Shares of significant pairs without and with bands (the grids in Figures 3.8–3.11)."""
    before, after = (p_values[name] <= significance for name in ("p_original", "p_banded"))
    cells = p_values[["measure", "rho"]].assign(
        pairs=1,
        true_positive=before & after,
        false_negative=before & ~after,
        false_positive=~before & after,
        true_negative=~before & ~after,
    )
    table = cells.groupby(["measure", "rho"], sort=False, observed=True).sum().reset_index()
    shares = table.columns[3:]
    table[shares] = table[shares].div(table["pairs"], axis=0)
    return table


def _grids(
    banded: pd.DataFrame,
) -> Iterator[tuple[str, float, np.ndarray, np.ndarray, np.ndarray]]:
    """Measure, ρ, S systems, original and banded scores (S, T), in the order of the table."""
    for (measure, rho), rows in banded.groupby(["measure", "rho"], sort=False, observed=True):
        system, topic = (
            pd.Categorical(rows[name]).remove_unused_categories() for name in ("system", "topic")
        )
        grid = np.full((2, len(system.categories), len(topic.categories)), np.nan)
        grid[:, system.codes, topic.codes] = rows[["original", "banded"]].to_numpy().T
        if len(rows) != grid[0].size or np.isnan(grid).any():
            raise ParameterError(
                f"{measure}, ρ = {rho}: a system has no score for some topic: "
                "compare systems on the same topics"
            )
        yield measure, rho, system.categories.astype(str).to_numpy(), *grid


def rank_tables(ranges: pd.DataFrame, topics: int) -> dict[str, pd.DataFrame]:
    """The ranks that systems can have by the order of ties: ``ties/ranks``, ``ties/numbers``."""
    least = apart(*ENDS)
    ranks = rank_ranges(ranges.rename(columns={"run": "value"}), least)
    rows = [*order_numbers(ranks, least, *ENDS)]
    for measure, of in ranks.groupby("measure", sort=False, observed=True):
        otherwise = np.count_nonzero(ranks_of(of["trec_eval"]) != of["rank"])
        rows.append((measure, "otherwise in trec_eval", otherwise))
        rows.append((measure, "topics", topics))
    numbers = pd.DataFrame(rows, columns=columns_of("ties/numbers"))
    return {"ranks": ranks[columns_of("ties/ranks")], "numbers": numbers}
