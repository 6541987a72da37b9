"""The tables of yang2019, chapters 3 to 5, arranged from what the stages made.

Which reading of the thesis each number rests on is in docs/methods/yang2019.md.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from regrade.choices import INTERCEPT, RESIDUALS
from regrade.errors import ParameterError, check_choice
from regrade.measures import parse
from regrade.show.published import (
    Tables,
    cell,
    cells,
    formatted,
    in_order,
    laid_out,
    melted,
    number,
    significance_text,
    tidy_beside,
)
from regrade.studies.yang2019.items import YANG2019

ITEMS = YANG2019.by_name

MODELS = {"main": "main effects", "full": "interactions"}
"""The models of Table 4.9, and what the thesis calls them."""

SMALLEST_P = 0.0001
"""Below it the thesis prints no p of a correlation."""


# --- chapter 3 ---------------------------------------------------------------------------------


def table_3_2(rates: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Ties and contradictions.

    The tidy table has `count` and `total` beside ``ours``.
    """
    ours = rates.rename(columns={"value": "ours"})
    tidy = tidy_beside(ITEMS["table-3.2"], ours, published, extra=["count", "total"])
    titles = {name: f"{name}, %" for name in ("systems", "rankings", "documents")}
    return tidy, laid_out(tidy, cells(ITEMS["table-3.2"], tidy), ["affected"], ["quantity"], titles)


def table_3_3(bounds: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Worst-case bounds, which are the same for every collection."""
    ours = bounds.rename(columns={"bound": "ours"})
    tidy = tidy_beside(ITEMS["table-3.3"], ours, published)
    return tidy, laid_out(tidy, cells(ITEMS["table-3.3"], tidy), ["rho"], ["measure"])


def table_3_4(counts: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Systems that bands do not make notably inferior.

    The tidy table has `n_systems`, the systems tested.
    """
    ours = counts.rename(columns={"systems": "ours"}).sort_values(
        ["rho", "fraction"], ascending=[True, False], kind="stable"
    )
    tidy = tidy_beside(ITEMS["table-3.4"], ours, published, extra=["n_systems"])
    shown = tidy.assign(share=[f"{100 * fraction:g} %" for fraction in tidy["fraction"]])
    rows = ["rho", "n_systems"]
    readable = laid_out(shown, cells(ITEMS["table-3.4"], tidy), rows, ["measure", "share"])
    return tidy, readable.rename(columns={"n_systems": "systems"})


# --- chapter 4: collections and pools ----------------------------------------------------------


def table_4_1(facts: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """The collection.

    What the thesis prints and runs and qrels do not tell (year, systems that contributed, pool
    depth) is there with ``ours`` empty.
    """
    ours = facts.rename(columns={"value": "ours"})
    if published is not None:
        not_ours = published.loc[~published["quantity"].isin(ours["quantity"]), ["quantity"]]
        ours = pd.concat([ours, not_ours.assign(ours=np.nan)], ignore_index=True)
    tidy = tidy_beside(ITEMS["table-4.1"], ours, published)
    shown = tidy.assign(value="value")
    return tidy, laid_out(shown, cells(ITEMS["table-4.1"], tidy), ["quantity"], ["value"])


def table_4_2(nearest: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """The φ whose RBP ranks the systems most like a measure does."""
    quantities = ["below_08", "below_09", "from_09", "undefined", "tau", "p", "mean_phi"]
    ours = melted(nearest, ["measure", "coefficient"], "quantity", quantities)
    tidy = tidy_beside(ITEMS["table-4.2"], ours, published)
    texts = [
        cell(_correlation_p(row.ours), _correlation_p(row.published, row.relation))
        if row.quantity == "p"
        else text
        for row, text in zip(tidy.itertuples(), cells(ITEMS["table-4.2"], tidy), strict=True)
    ]
    titles = {
        "tau_b": "τ_b", "rbo": "RBO", "below_08": "topics < 0.8", "below_09": "0.8 to < 0.9",
        "from_09": "≥ 0.9", "tau": "τ of φ and R", "mean_phi": "mean φ",
    }  # fmt: skip
    return tidy, laid_out(tidy, texts, ["measure", "coefficient"], ["quantity"], titles)


def table_4_3(facts: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Sizes of reduced qrels."""
    names = {
        "topics": "topics", "systems": "systems", "pooled": "pooled documents",
        "judged": "judged", "relevant": "relevant", "single_judged": "judged, single vote",
        "single_relevant": "relevant, single vote",
    }  # fmt: skip
    ours = melted(facts, ["pooling"], "quantity", list(names))
    tidy = tidy_beside(ITEMS["table-4.3"], ours, published)
    return tidy, laid_out(tidy, cells(ITEMS["table-4.3"], tidy), ["pooling"], ["quantity"], names)


def table_4_4(votes: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Judged documents by the number of systems that nominate them."""
    ours = melted(votes, ["pooling", "votes"], "quantity", ["judged", "percent"])
    tidy = tidy_beside(ITEMS["table-4.4"], ours, published)
    titles = {"percent": "% relevant"}
    columns = ["pooling", "quantity"]
    return tidy, laid_out(tidy, cells(ITEMS["table-4.4"], tidy), ["votes"], columns, titles)


# --- chapter 4: discrimination -----------------------------------------------------------------


def table_4_5(ratios: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Discrimination ratios by pool depth.

    The thesis says that it leaves out pairs of one group, and prints the ratios of all pairs: its
    numbers stand beside those. The tidy table has ``n_pairs``, ``undefined`` and ``significant``
    pairs.
    """
    ours = ratios.assign(ours=100 * ratios["ratio"])
    if published is not None:
        published = published.assign(pairs="all")
    extra = ["n_pairs", "undefined", "significant"]
    tidy = tidy_beside(ITEMS["table-4.5"], ours, published, extra=extra)
    shown = tidy.assign(depth=_depths(tidy))
    rows = ["pairs", "n_pairs", "measure", "test"]
    readable = laid_out(shown, cells(ITEMS["table-4.5"], tidy), rows, ["depth"])
    return tidy, readable.rename(columns={"n_pairs": "number"})


def table_4_6(agreement: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Agreement of shallow pools with the deepest.

    Contradictions are among the false positives.
    """
    titles = {
        "tp": "TP", "fp": "FP", "fn": "FN", "tn": "TN", "contradictions": "contradictions in FP"
    }  # fmt: skip
    ours = melted(agreement, ["measure", "test", "depth"], "outcome", list(titles))
    ours = ours.sort_values("measure", key=in_order, kind="stable")
    tidy = tidy_beside(ITEMS["table-4.6"], ours, published)
    rows = ["measure", "test", "depth"]
    readable = laid_out(tidy, cells(ITEMS["table-4.6"], tidy), rows, ["outcome"], titles)
    return tidy, readable.rename(columns={"depth": "d′"})


# --- chapter 4: residuals, ranges, covariance --------------------------------------------------


def table_4_7(shares: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Score movements.

    In percent; the tidy table has `rankings`, their number.
    """
    titles = {"below": "< 0", "equal": "= 0", "above": "> 0"}
    ours = melted(shares, ["measure", "depth", "rankings"], "movement", list(titles))
    ours["ours"] *= 100
    tidy = tidy_beside(ITEMS["table-4.7"], ours, published, extra=["rankings"])
    shown = tidy.assign(depth=_depths(tidy))
    columns = ["depth", "movement"]
    return tidy, laid_out(shown, cells(ITEMS["table-4.7"], tidy), ["measure"], columns, titles)


def table_4_8(correlations: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Residuals against score movements."""
    titles = {"tau_difference": "τ_b of differences", "tau_ratio": "τ_b of ratios"}
    ours = melted(correlations, ["measure"], "quantity", list(titles))
    tidy = tidy_beside(ITEMS["table-4.8"], ours, published)
    return tidy, laid_out(tidy, cells(ITEMS["table-4.8"], tidy), ["measure"], ["quantity"], titles)


def table_4_9(
    effects: pd.DataFrame, *, significance: float = 0.05, published: pd.DataFrame | None = None
) -> Tables:
    """Effects of pool depth, topic and system.

    The thesis's main effects stand beside those of the model without interactions: only there does
    depth not affect RR. ``ours`` is p; the tidy table has `relation`, ``<`` where the thesis prints
    ``***``, and our `f` and `df`.
    """
    effects = effects.astype({"model": str, "term": str})
    shown = effects["model"].isin(MODELS) & ~effects["term"].isin([INTERCEPT, RESIDUALS])
    ours = effects[shown].replace({"model": MODELS}).rename(columns={"p": "ours"})
    tidy = tidy_beside(ITEMS["table-4.9"], ours, published, extra=["f", "df"])
    texts = [
        cell(
            significance_text(row.ours, significance),
            "***" if row.relation == "<" else number(row.published, 3),
        )
        for row in tidy.itertuples()
    ]
    return tidy, laid_out(tidy, texts, ["model", "term"], ["measure"])


def table_ancova(effects: pd.DataFrame) -> Tables:
    """Sums of squares, tests and sizes of the effects behind `table_4_9`.

    Of any models; intercept and residuals included.
    """
    formats = {
        "sum_sq": "{:.4g}", "df": "{:.0f}", "f": "{:.4g}", "p": "{:.3g}", "eta_sq": "{:.4f}",
        "omega_sq": "{:.4f}", "partial_eta_sq": "{:.4f}", "partial_omega_sq": "{:.4f}",
    }  # fmt: skip
    tidy = effects[["model", "measure", "term", *formats]].reset_index(drop=True)
    titles = {
        "sum_sq": "sum of squares", "f": "F", "eta_sq": "η²", "omega_sq": "ω²",
        "partial_eta_sq": "partial η²", "partial_omega_sq": "partial ω²",
    }  # fmt: skip
    readable = formatted(tidy, formats)
    readable["p"] = readable["p"].replace("0", "< 1e-300")  # where p is too small for a float
    return tidy, readable.rename(columns=titles)


def table_ranges(ranges: pd.DataFrame, *, residual: str = "RBP(p=0.98)") -> Tables:
    """Exact ranges of the systems' mean scores, beside the residual of RBP.

    In the order of the systems' values under the first measure. The tidy table has the `residual`
    of each system by the measure of that name, which must be there beside another.
    """
    residual = str(parse(residual))
    ranges = ranges.astype({"system": str, "measure": str})
    check_choice("measure", residual, list(dict.fromkeys(ranges["measure"])))
    of_residual = ranges[ranges["measure"] == residual].set_index("system")
    tidy = ranges[ranges["measure"] != residual]
    if tidy.empty:
        raise ParameterError(f"there are ranges of {residual} alone: add AP or nDCG")
    first = tidy[tidy["measure"] == tidy["measure"].iloc[0]]
    best_first = first.sort_values(["value", "system"], ascending=[False, True])["system"]
    place = {system: i for i, system in enumerate(best_first)}
    tidy = tidy.sort_values("system", key=lambda name: name.map(place), kind="stable")
    tidy = tidy.reset_index(drop=True)

    lines: dict[str, dict[str, str]] = {}
    for row in tidy.itertuples():
        line = lines.setdefault(row.system, {"system": row.system})
        line[row.measure] = number(row.value, 4)
        line[f"{row.measure}, range"] = f"{number(row.low, 4)} – {number(row.high, 4)}"
    for system, line in lines.items():
        line[residual] = number(of_residual.at[system, "value"], 4)
        line[f"{residual}, residual"] = number(of_residual.at[system, "residual"], 4)
    return tidy, pd.DataFrame(list(lines.values()))


def table_leave_one_out(summaries: Mapping[str, pd.DataFrame]) -> Tables:
    """Bias of the pool against systems that did not contribute to it."""
    formats = {
        "systems": "{:.0f}", "mae": "{:.5f}", "largest_error": "{:.5f}", "bias": "{:+.5f}",
        "sre": "{:.0f}", "sre_significant": "{:.0f}", "tau": "{:.4f}", "tau_all": "{:.4f}",
    }  # fmt: skip
    titles = {
        "by": "left out by", "mae": "MAE", "largest_error": "largest error", "sre": "SRE",
        "sre_significant": "SRE, significant", "tau": "τ_b, each as left out",
        "tau_all": "τ_b, all scored again",
    }  # fmt: skip
    summary = pd.concat(list(summaries.values()), ignore_index=True)
    tidy = summary[["pooling", "by", "measure", *formats]]
    return tidy, formatted(tidy, formats).rename(columns=titles)


# --- chapter 5 ---------------------------------------------------------------------------------


def table_5_1(topics: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """The numbers of a task that asks about pairs of documents.

    The thesis prints no groups, no number of groups that a known document serves and no pairs.
    """
    titles = {
        "pool": "documents of the pool",
        "documents": "documents",
        "groups": "groups of a partition",
        "serves": "groups of a known relevant document",
        "partitions": "partitions",
        "units": "groups",
        "pairs": "pairs",
        "judgments_per_document": "judgments of a document",
    }
    item = ITEMS["table-5.1"]
    tidy = tidy_beside(item, melted(topics, ["topic"], "quantity", list(titles)), published)
    return tidy, laid_out(tidy, cells(item, tidy), ["topic"], ["quantity"], titles)


def table_5_3(given: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """The key of test questions, and how often each answer was given.

    ``ours`` and the thesis's ticks, which hold for all collections, are 1 where the answer is
    accepted; the tidy table has `answers`, the readable one a tick or nothing, in brackets the
    printed one, then the number of answers.
    """
    item = ITEMS["table-5.3"]
    ours = given.assign(ours=given["accepted"].astype(float))
    tidy = tidy_beside(item, ours, published, extra=["answers"])
    ticks = {1.0: "✓", 0.0: "–"}
    printed = [f" ({ticks[p]})" if p in ticks else "" for p in tidy["published"]]
    shown = [
        f"{ticks[mine]}{mark} {count}"
        for mine, mark, count in zip(tidy["ours"], printed, tidy["answers"], strict=True)
    ]
    titled = tidy.assign(option=tidy["question"] + ": " + tidy["option"])
    return tidy, laid_out(titled, shown, ["left_level", "right_level"], ["option"])


# --- within ------------------------------------------------------------------------------------


def _depths(tidy: pd.DataFrame) -> list[str]:
    return [f"d′ = {depth}" for depth in tidy["depth"]]


def _correlation_p(p: float, relation: str = "") -> str:
    if relation == "<" or p < SMALLEST_P:
        return f"< {SMALLEST_P}"
    return number(p, 4)


# --- fewer pairs ---------------------------------------------------------------------------------


def table_subsets(needed: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """The smallest share of pairs that ranks as all do, and how many pairs that is."""
    return _of_pairs("table-subsets", needed, ["share", "pairs", "per_document"], published)


def table_policies(policies: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """τ_b and overlap by policy and questions, with differences from random ones."""
    columns = ["value", "low", "high", "difference", "difference_low", "difference_high"]
    return _of_pairs("table-policies", policies, columns, published)


def table_stops(stopping: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Topics where the rule stops, what it saves, and what the ranking is like then."""
    columns = ["topics", "stopped", "saved", "sure", "agreement", "reached", "expected_tau"]
    return _of_pairs("table-stops", stopping, columns, published)


def table_stopping(coverage: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Of the worlds where the rule stops, those where what it says is true."""
    assumed = ["estimated" if np.isnan(x) else f"{x:g}" for x in coverage["assumed"].astype(float)]
    columns = ["worlds", "stopped", "questions", "kept", "share", "low", "high", "achieved"]
    tops = ["" if pd.isna(top) else f"{top:g}" for top in coverage["top"]]
    coverage = coverage.assign(assumed=assumed, top=tops)
    return _of_pairs("table-stopping", coverage, columns, published)


def table_intransitivity(
    transitivity: pd.DataFrame, *, published: pd.DataFrame | None = None
) -> Tables:
    """Cycles, stochastic transitivity and feedback of each judge, beside baselines."""
    columns = [c for c in transitivity.columns if c not in ("scope", "judge", "quantity")]
    transitivity = transitivity.rename(columns={"quantity": "violated"})
    return _of_pairs("table-intransitivity", transitivity, columns, published)


def _of_pairs(
    name: str, table: pd.DataFrame, columns: list[str], published: pd.DataFrame | None
) -> Tables:
    """A line for each row of a table, a column for each of some quantities."""
    item = ITEMS[name]
    rows = list(item.keys[:-1])
    named = [key for key in rows if not pd.api.types.is_numeric_dtype(table[key])]
    table = table.astype(dict.fromkeys(named, object))
    table[named] = table[named].fillna("")
    tidy = tidy_beside(item, melted(table, rows, "quantity", columns), published)
    return tidy, laid_out(tidy, cells(item, tidy), rows, ["quantity"])
