"""The tables of yang2019, chapters 3 to 5, arranged from what the stages made.

Which reading of the thesis each number rests on is in docs/methods/yang2019.md.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.choices import INTERCEPT, RESIDUALS
from regrade.errors import ParameterError, check_choice
from regrade.measures import parse
from regrade.show.item_tables import Frame, Frames
from regrade.show.published import (
    Beside,
    Tables,
    as_text,
    cell,
    col,
    crossed,
    in_order,
    listing,
    significance_text,
    text,
)
from regrade.studies.yang2019.items import YANG2019
from regrade.wording import number

ITEMS = YANG2019.by_name

MODELS = {"main": "main effects", "full": "interactions"}
"""The models of Table 4.9, and what the thesis calls them."""

SMALLEST_P = 0.0001
"""Below it the thesis prints no p of a correlation."""


# --- chapter 3 ---------------------------------------------------------------------------------


def table_3_2(rates: Frame, *, published: Beside = None) -> Tables:
    """Ties and contradictions.

    The tidy table has `count` and `total` beside ``ours``.
    """
    titles = {name: f"{name}, %" for name in ("systems", "rankings", "documents")}
    beside = {"extra": ["count", "total"], "titles": titles}
    return crossed(ITEMS["table-3.2"], rates, published, value="value", **beside)


def table_3_3(bounds: Frame, *, published: Beside = None) -> Tables:
    """Worst-case bounds, which are the same for every collection."""
    return crossed(ITEMS["table-3.3"], bounds, published, value="bound")


def table_3_4(counts: Frame, *, published: Beside = None) -> Tables:
    """Systems that bands do not make notably inferior.

    The tidy table has `n_systems`, the systems tested.
    """
    ours = counts.sort_values(["rho", "fraction"], ascending=[True, False], kind="stable")
    tidy, readable = crossed(
        ITEMS["table-3.4"], ours, published, value="systems", extra=["n_systems"],
        rows=["rho", "n_systems"], columns=["measure", "share"],
        prepare=lambda tidy: tidy.assign(share=[f"{100 * part:g} %" for part in tidy["fraction"]]),
    )  # fmt: skip
    return tidy, readable.rename(columns={"n_systems": "systems"})


# --- chapter 4: collections and pools ----------------------------------------------------------


def table_4_1(facts: Frame, *, published: Beside = None) -> Tables:
    """The collection.

    What the thesis prints and runs and qrels do not tell (year, systems that contributed, pool
    depth) is there with ``ours`` empty.
    """
    ours = facts.rename(columns={"value": "ours"})
    if published is not None:
        not_ours = published.loc[~published["quantity"].isin(ours["quantity"]), ["quantity"]]
        ours = pd.concat([ours, not_ours.assign(ours=np.nan)], ignore_index=True)
    way = {"rows": ["quantity"], "columns": ["value"]}
    return crossed(
        ITEMS["table-4.1"], ours, published, **way, prepare=lambda tidy: tidy.assign(value="value")
    )


def table_4_2(nearest: Frame, *, published: Beside = None) -> Tables:
    """The φ whose RBP ranks the systems most like a measure does."""
    titles = {
        "tau_b": "τ_b", "rbo": "RBO", "below_08": "topics < 0.8", "below_09": "0.8 to < 0.9",
        "from_09": "≥ 0.9", "tau": "τ of φ and R", "mean_phi": "mean φ",
    }  # fmt: skip
    melt = ["below_08", "below_09", "from_09", "undefined", "tau", "p", "mean_phi"]

    def texts(tidy: Frame, others: list[str]) -> list[str]:
        return [
            cell(_correlation_p(row.ours), _correlation_p(row.published, row.relation))
            if row.quantity == "p"
            else other
            for row, other in zip(tidy.itertuples(), others, strict=True)
        ]

    item = ITEMS["table-4.2"]
    return crossed(item, nearest, published, melt=melt, titles=titles, texts=texts)


def table_4_3(facts: Frame, *, published: Beside = None) -> Tables:
    """Sizes of reduced qrels."""
    names = {
        "topics": "topics", "systems": "systems", "pooled": "pooled documents",
        "judged": "judged", "relevant": "relevant", "single_judged": "judged, single vote",
        "single_relevant": "relevant, single vote",
    }  # fmt: skip
    return crossed(ITEMS["table-4.3"], facts, published, melt=names, titles=names)


def table_4_4(votes: Frame, *, published: Beside = None) -> Tables:
    """Judged documents by the number of systems that nominate them."""
    way = {"rows": ["votes"], "columns": ["pooling", "quantity"]}
    titles = {"percent": "% relevant"}
    melt = ["judged", "percent"]
    return crossed(ITEMS["table-4.4"], votes, published, melt=melt, titles=titles, **way)


# --- chapter 4: discrimination -----------------------------------------------------------------


def table_4_5(ratios: Frame, *, published: Beside = None) -> Tables:
    """Discrimination ratios by pool depth.

    The thesis says that it leaves out pairs of one group, and prints the ratios of all pairs: its
    numbers stand beside those. The tidy table has ``n_pairs``, ``undefined`` and ``significant``
    pairs.
    """
    if published is not None:
        published = published.assign(pairs="all")
    tidy, readable = crossed(
        ITEMS["table-4.5"], ratios.assign(ours=100 * ratios["ratio"]), published,
        extra=["n_pairs", "undefined", "significant"], rows=["pairs", "n_pairs", "measure", "test"],
        prepare=_with_depths,
    )  # fmt: skip
    return tidy, readable.rename(columns={"n_pairs": "number"})


def table_4_6(agreement: Frame, *, published: Beside = None) -> Tables:
    """Agreement of shallow pools with the deepest.

    Contradictions are among the false positives.
    """
    titles = {name: name.upper() for name in ("tp", "fp", "fn", "tn")}
    titles["contradictions"] = "contradictions in FP"
    agreement = agreement.sort_values("measure", key=in_order, kind="stable")
    item = ITEMS["table-4.6"]
    tidy, readable = crossed(item, agreement, published, melt=titles, titles=titles)
    return tidy, readable.rename(columns={"depth": "d′"})


# --- chapter 4: residuals, ranges, covariance --------------------------------------------------


def table_4_7(shares: Frame, *, published: Beside = None) -> Tables:
    """Score movements.

    In percent; the tidy table has `rankings`, their number.
    """
    titles = {"below": "< 0", "equal": "= 0", "above": "> 0"}
    shares = shares.assign(**{name: 100 * shares[name] for name in titles})
    way = {"rows": ["measure"], "columns": ["depth", "movement"], "shown": _with_depths}
    look = {"melt": titles, "titles": titles, "extra": ["rankings"]}
    return crossed(ITEMS["table-4.7"], shares, published, **look, **way)


def table_4_8(correlations: Frame, *, published: Beside = None) -> Tables:
    """Residuals against score movements."""
    titles = {"tau_difference": "τ_b of differences", "tau_ratio": "τ_b of ratios"}
    return crossed(ITEMS["table-4.8"], correlations, published, melt=titles, titles=titles)


def table_4_9(effects: Frame, *, significance: float = 0.05, published: Beside = None) -> Tables:
    """Effects of pool depth, topic and system.

    The thesis's main effects stand beside those of the model without interactions: only there does
    depth not affect RR. ``ours`` is p; the tidy table has `relation`, ``<`` where the thesis prints
    ``***``, and our `f` and `df`.
    """
    effects = effects.astype({"model": str, "term": str})
    is_fixed = effects["model"].isin(MODELS) & ~effects["term"].isin([INTERCEPT, RESIDUALS])

    def p_of(value: float) -> str:
        return number(value, 3, "")

    def texts(tidy: Frame, _: list[str]) -> list[str]:
        stars = np.where(tidy["relation"] == "<", "***", tidy["published"].map(p_of))
        ours = [significance_text(p, significance) for p in tidy["ours"]]
        return [*map(cell, ours, stars)]

    return crossed(
        ITEMS["table-4.9"], effects[is_fixed].replace({"model": MODELS}), published, value="p",
        extra=["f", "df"], texts=texts,
    )  # fmt: skip


def table_ancova(effects: Frame) -> Tables:
    """Sums of squares, tests and sizes of the effects behind `table_4_9`.

    Of any models; intercept and residuals included.
    """
    columns = [
        col("model"), col("measure"), col("term"), col("sum_sq", ".4g", "sum of squares"),
        col("df", ".0f"), col("f", ".4g", "F"), col("p", ".3g"), col("eta_sq", ".4f", "η²"),
        col("omega_sq", ".4f", "ω²"), col("partial_eta_sq", ".4f", "partial η²"),
        col("partial_omega_sq", ".4f", "partial ω²"),
    ]  # fmt: skip
    names = ["model", "measure", "term", "sum_sq", "df", "f", "p"]
    sizes = ["eta_sq", "omega_sq", "partial_eta_sq", "partial_omega_sq"]
    tidy = effects[names + sizes].reset_index(drop=True)
    readable = listing(tidy, *columns)
    readable["p"] = readable["p"].replace("0", "< 1e-300")  # where p is too small for a float
    return tidy, readable


def table_ranges(ranges: Frame, *, residual: str = "RBP(p=0.98)") -> Tables:
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
        line[row.measure] = number(row.value, 4, "")
        line[f"{row.measure}, range"] = f"{number(row.low, 4, '')} – {number(row.high, 4, '')}"
    for system, line in lines.items():
        line[residual] = number(of_residual.at[system, "value"], 4, "")
        line[f"{residual}, residual"] = number(of_residual.at[system, "residual"], 4, "")
    return tidy, pd.DataFrame(list(lines.values()))


def table_leave_one_out(summaries: Frames) -> Tables:
    """Bias of the pool against systems that did not contribute to it."""
    columns = [
        col("pooling"), col("by", title="left out by"), col("measure"), col("systems", ".0f"),
        col("mae", ".5f", "MAE"), col("largest_error", ".5f", "largest error"),
        col("bias", "+.5f"), col("sre", ".0f", "SRE"),
        col("sre_significant", ".0f", "SRE, significant"),
        col("tau", ".4f", "τ_b, each as left out"),
        col("tau_all", ".4f", "τ_b, all scored again"),
    ]  # fmt: skip
    summary = pd.concat(list(summaries.values()), ignore_index=True)
    names = ["pooling", "by", "measure", "systems", "mae", "largest_error", "bias", "sre"]
    tidy = summary[[*names, "sre_significant", "tau", "tau_all"]]
    return tidy, listing(tidy, *columns)


# --- chapter 5 ---------------------------------------------------------------------------------


def table_5_1(topics: Frame, *, published: Beside = None) -> Tables:
    """The numbers of a task that asks about pairs of documents.

    The thesis prints no groups, no number of groups that a known document serves and no pairs.
    """
    titles = {
        "pool": "documents of the pool", "documents": "documents",
        "groups": "groups of a partition", "serves": "groups of a known relevant document",
        "partitions": "partitions", "units": "groups", "pairs": "pairs",
        "judgments_per_document": "judgments of a document",
    }  # fmt: skip
    return crossed(ITEMS["table-5.1"], topics, published, melt=titles, titles=titles)


def table_5_3(options: Frame, *, published: Beside = None) -> Tables:
    """The key of test questions, and how often each answer was given.

    ``ours`` and the thesis's ticks, which hold for all collections, are 1 where the answer is
    accepted; the tidy table has `answers`, the readable one a tick or nothing, in brackets the
    printed one, then the number of answers.
    """
    ticks = {1.0: "✓", 0.0: "–"}

    def texts(tidy: Frame, _: list[str]) -> list[str]:
        printed = [f" ({ticks[p]})" if p in ticks else "" for p in tidy["published"]]
        every = zip(tidy["ours"], printed, tidy["answers"], strict=True)
        return [f"{ticks[ours]}{mark} {count}" for ours, mark, count in every]

    return crossed(
        ITEMS["table-5.3"], options.assign(ours=options["accepted"].astype(float)), published,
        extra=["answers"], rows=["left_level", "right_level"], texts=texts,
        prepare=lambda tidy: tidy.assign(option=tidy["question"] + ": " + tidy["option"]),
    )  # fmt: skip


# --- within ------------------------------------------------------------------------------------


def _with_depths(tidy: Frame) -> Frame:
    return tidy.assign(depth=[f"d′ = {depth}" for depth in tidy["depth"]])


def _correlation_p(p: float, relation: str = "") -> str:
    return f"< {SMALLEST_P}" if relation == "<" or p < SMALLEST_P else number(p, 4, "")


# --- fewer pairs ---------------------------------------------------------------------------------


def table_subsets(needed: Frame, *, published: Beside = None) -> Tables:
    """The smallest share of pairs that ranks as all do, and how many pairs that is."""
    return _of_pairs("table-subsets", needed, ["share", "pairs", "per_document"], published)


def table_policies(policies: Frame, *, published: Beside = None) -> Tables:
    """τ_b and overlap by policy and questions, with differences from random ones."""
    columns = ["value", "low", "high", "difference", "difference_low", "difference_high"]
    return _of_pairs("table-policies", policies, columns, published)


def table_stops(stopping: Frame, *, published: Beside = None) -> Tables:
    """Topics where the rule stops, what it saves, and what the ranking is like then."""
    columns = ["topics", "stopped", "saved", "sure", "agreement", "reached", "expected_tau"]
    return _of_pairs("table-stops", stopping, columns, published)


def table_stopping(coverage: Frame, *, published: Beside = None) -> Tables:
    """Of the worlds where the rule stops, those where what it says is true."""
    columns = ["worlds", "stopped", "questions", "kept", "share", "low", "high", "achieved"]
    coverage = coverage.assign(
        assumed=[text(x, "g") or "estimated" for x in coverage["assumed"].astype(float)],
        top=[text(top, "g") for top in coverage["top"]],
    )
    return _of_pairs("table-stopping", coverage, columns, published)


def table_intransitivity(transitivity: Frame, *, published: Beside = None) -> Tables:
    """Cycles, stochastic transitivity and feedback of each judge, beside baselines."""
    columns = [c for c in transitivity.columns if c not in ("scope", "judge", "quantity")]
    transitivity = transitivity.rename(columns={"quantity": "violated"})
    return _of_pairs("table-intransitivity", transitivity, columns, published)


def _of_pairs(name: str, table: Frame, columns: list[str], published: Beside) -> Tables:
    """A line for each row of a table, a column for each of some quantities."""
    keys = ITEMS[name].keys[:-1]
    named = [key for key in keys if not pd.api.types.is_numeric_dtype(table[key])]
    return crossed(ITEMS[name], as_text(table, named), published, melt=columns)
