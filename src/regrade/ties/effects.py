"""What ties do to scores and to comparisons of systems, as tables (yang2019 §3.2, §3.3.3–4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.comparisons import discrimination
from regrade.comparisons.paired import paired_t
from regrade.errors import ParameterError
from regrade.measures import Measure, parse, parse_all
from regrade.ranked import JudgedLists, RankedLists
from regrade.rankings import places
from regrade.ties.groups import TieGroups, exact_rho
from regrade.ties.tied import expected, limits, marginal_ap, score_lists

SIGNIFICANCE = 0.05
"""The significance level, unless told; a p-value of at most this is significant (§3.3.3)."""


def tie_rates(audit: pa.Table) -> pd.DataFrame:
    """How many systems, rankings and documents have ties or contradict (yang2019 Table 3.2).

    Parameters
    ----------
    audit
        Schema ``audit_runs``.

    Returns
    -------
    DataFrame
        A row per `affected` (``tied scores``, ``rank contradictions``) and `quantity`
        (``systems``, ``rankings``, ``documents``): `count` of `total`, `value` in percent.  And one
        with quantity ``first tie``, where any ranking has ties: `count` the rankings with ties of
        `total`, `value` the geometric mean of the rank of the first document that is tied with
        the one above it.
    """
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


def top_systems(
    ranked: RankedLists, lists: JudgedLists, count: int, measure: str | Measure = "AP"
) -> list[str]:
    """The systems with the highest mean scores (yang2019 takes the top 80 of TREC-7 by AP).

    Parameters
    ----------
    ranked, lists
        The rankings, in their own order.
    count
        How many; all if there are fewer.
    measure
        By which measure; equal means in order of name.

    Returns
    -------
    list of str
        Names, the best first.
    """
    means = score_lists(lists, [parse(measure)])[:, :, 0].mean(axis=1)
    order = np.argsort(-places(means), kind="stable")
    return [ranked.systems[s] for s in order[:count]]


def score_ranges(
    ranked: RankedLists,
    lists: JudgedLists,
    groups: TieGroups,
    measures: Sequence[str | Measure] = ("AP",),
    *,
    unjudged: str = "non-relevant",
) -> pd.DataFrame:
    """Each system's mean score under every way to deal with ties (yang2019 Figures 3.4, 3.5).

    Parameters
    ----------
    ranked, lists
        The rankings of S systems, in the order of the runs table, and as judged.
    groups
        Their ties.
    measures
        Measures, see `regrade.ties.expected`.
    unjudged
        As in `regrade.ties.limits`.

    Returns
    -------
    DataFrame
        A row per measure and system.  Means over topics: `run` of the order as it is, `trec_eval`
        with ties by docno descending, `expected` over all orders, `eq33` by yang2019 Eq. 3.3 (NaN
        unless the measure is AP), `pessimistic`, `optimistic`, and `range`, the difference of the
        last two.  `tied`: documents tied with the one above, over the same topics.
    """
    measures = parse_all(measures)
    docno_order = JudgedLists.match(groups.reordered(ranked), lists.judged, lists.max_grade)
    pessimistic, optimistic = limits(lists, groups, measures, unjudged=unjudged)
    is_judged = np.isin(ranked.topics, lists.judged.topics)
    tied = groups.tied_documents(ranked)[:, is_judged].sum(axis=1)
    means = {
        "run": score_lists(lists, measures).mean(axis=1),
        "trec_eval": score_lists(docno_order, measures).mean(axis=1),
        "expected": expected(lists, groups, measures).mean(axis=1),
        "pessimistic": pessimistic.mean(axis=1),
        "optimistic": optimistic.mean(axis=1),
        "range": (optimistic - pessimistic).mean(axis=1),
    }
    parts = []
    for m, measure in enumerate(measures):
        part = pd.DataFrame({"measure": str(measure), "system": ranked.systems})
        for name, mean in means.items():
            part[name] = mean[:, m]
        eq33 = marginal_ap(lists, groups, measure).mean(axis=1) if measure.name == "AP" else np.nan
        part.insert(part.columns.get_loc("expected") + 1, "eq33", eq33)
        parts.append(part.assign(tied=tied))
    return pd.concat(parts, ignore_index=True)


def banded_scores(
    ranked: RankedLists,
    lists: JudgedLists,
    rhos: Sequence[Fraction | str | float],
    measures: Sequence[str | Measure],
    *,
    threads: int = 1,
) -> pd.DataFrame:
    """Expected scores when ranks are banded, beside the original ones (Figures 3.6, 3.7).

    Parameters
    ----------
    ranked, lists
        The rankings of S systems, in the order of the runs table, and as judged for T topics.
    rhos
        Values of ρ, see `regrade.ties.band_starts`; with 1 there are no bands.
    measures
        M measures, see `regrade.ties.expected`.
    threads
        How many ρ to do at a time.

    Returns
    -------
    DataFrame
        A row per measure, `rho` (float64), system and topic, in the order given: `original`, the
        score of the ranking as it is, `banded`, and `difference`, banded less original.
    """
    measures = parse_all(measures)
    exact = [exact_rho(rho) for rho in rhos]
    if len(set(exact)) < len(exact):
        raise ParameterError(f"ρ: a value is given twice among {', '.join(map(str, rhos))}")
    original = score_lists(lists, measures)
    with ThreadPoolExecutor(threads) as pool:
        banded = list(pool.map(partial(_banded, ranked, lists, measures), exact))
    # (M, ρ, S, T)
    banded = np.moveaxis(np.array(banded).reshape(-1, *original.shape), -1, 0)
    original = np.broadcast_to(np.moveaxis(original, -1, 0)[:, None], banded.shape)
    measure, rho, system, topic = np.indices(banded.shape, dtype=np.int32).reshape(4, -1)
    return pd.DataFrame(
        {
            "measure": pd.Categorical.from_codes(measure, [str(m) for m in measures]),
            "rho": np.array(exact, dtype=np.float64)[rho],
            "system": pd.Categorical.from_codes(system, list(ranked.systems)),
            "topic": pd.Categorical.from_codes(topic, list(lists.judged.topics)),
            "original": original.ravel(),
            "banded": banded.ravel(),
            "difference": (banded - original).ravel(),
        }
    )


def _banded(
    ranked: RankedLists, lists: JudgedLists, measures: Sequence[Measure], rho: Fraction
) -> np.ndarray:
    return expected(lists, TieGroups.banded(ranked, rho), measures)


def non_inferiority(
    banded: pd.DataFrame, fractions: Sequence[float] = (0.99, 0.97)
) -> pd.DataFrame:
    """One-tailed paired t-tests of each system's banded scores (yang2019 §3.3.3).

    The alternative is that the banded score is, in the mean, above a fraction of the original one.

    Parameters
    ----------
    banded
        As `banded_scores` gives; the systems of interest.
    fractions
        Fractions of the original score.

    Returns
    -------
    DataFrame
        A row per measure, `rho`, `fraction` and system: `t` and `p`, NaN where a system has no
        difference on any topic (its scores are all 0) or there is but one topic.
    """
    parts = []
    for measure, rho, systems, before, after in _grids(banded):
        for fraction in fractions:
            t, p = paired_t(after - fraction * before, alternative="greater")
            keys = {"measure": measure, "rho": rho, "fraction": fraction, "system": systems}
            parts.append(pd.DataFrame(keys | {"t": t, "p": p}))
    return pd.concat(parts, ignore_index=True)


def count_non_inferior(tests: pd.DataFrame, significance: float = SIGNIFICANCE) -> pd.DataFrame:
    """Systems that bands do not make notably inferior (yang2019 Table 3.4).

    Parameters
    ----------
    tests
        As `non_inferiority` gives.
    significance
        A system counts if its p is at most this.

    Returns
    -------
    DataFrame
        A row per measure, `rho` and `fraction`, in the order of `tests`: `systems` of `n_systems`.
    """
    keys = ["measure", "rho", "fraction"]
    counted = tests.assign(systems=tests["p"] <= significance)
    return (
        counted.groupby(keys, sort=False, observed=True)
        .agg(systems=("systems", "sum"), n_systems=("system", "size"))
        .reset_index()
    )


def banded_p_values(banded: pd.DataFrame) -> pd.DataFrame:
    """Two-sided paired t-tests of all pairs of systems, without and with bands (Figures 3.8–3.11).

    Parameters
    ----------
    banded
        As `banded_scores` gives; the systems of interest.

    Returns
    -------
    DataFrame
        A row per measure, `rho` and pair of systems `first`, `second`: `p_original` and
        `p_banded`, NaN where two systems score the same on every topic.
    """
    parts = []
    for measure, rho, systems, before, after in _grids(banded):
        tests = discrimination.paired_t(before)
        parts.append(
            pd.DataFrame(
                {
                    "measure": measure,
                    "rho": rho,
                    "first": systems[tests.first],
                    "second": systems[tests.second],
                    "p_original": tests.p,
                    "p_banded": discrimination.paired_t(after).p,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def quadrants(p_values: pd.DataFrame, significance: float = SIGNIFICANCE) -> pd.DataFrame:
    """Shares of pairs told apart without and with bands (the grids in Figures 3.8–3.11).

    Parameters
    ----------
    p_values
        As `banded_p_values` gives.
    significance
        A pair is told apart if its p is at most this; it is not where p is NaN.

    Returns
    -------
    DataFrame
        A row per measure and `rho`, in the order of `p_values`: the number of `pairs`, and shares
        of it, 0 … 1: `true_positive` (told apart by both), `false_negative` (by the original only),
        `false_positive` (by the banded only), `true_negative` (by neither).
    """
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
        grid = rows.pivot(index="system", columns="topic", values=["original", "banded"])
        if grid.isna().any(axis=None):
            raise ParameterError(
                f"{measure}, ρ = {rho}: a system has no score for some topic: "
                "compare systems on the same topics"
            )
        systems = grid.index.astype(str).to_numpy()
        yield measure, rho, systems, grid["original"].to_numpy(), grid["banded"].to_numpy()
