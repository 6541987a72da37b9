"""Tables of yang2019, chapters 3 and 4, from ours.

Each function takes what the library makes and gives the tidy table (see `regrade.show.beside`)
and the one for reading, where the thesis's number stands in brackets after ours.  Those with
`collection` show the thesis's numbers for that one of `COLLECTIONS`; for other data, or settings
that are not the thesis's, it is ``None`` and the column ``published`` is empty.  Which reading of
the thesis each number rests on is in docs/methods/yang2019.md.

References
----------
Yang: Improving the Reliability and Robustness of Information Retrieval Evaluation. PhD thesis, The
University of Melbourne, 2019.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from regrade.comparisons.ancova import INTERCEPT, RESIDUALS, format_p
from regrade.comparisons.discrimination import (
    across_groups,
    agreement_with_baseline,
    discrimination_ratios,
)
from regrade.errors import ParameterError, check_choice
from regrade.pools.pooling import pool_facts
from regrade.show.beside import beside
from regrade.ties.effects import count_non_inferior
from regrade.uncertainty.ranges import system_ranges
from regrade.uncertainty.residuals import movement_correlations, movement_shares, summarise_nearest

COLLECTIONS = ("TREC-7", "TREC-8", "TREC-13")
"""The collections that the thesis has numbers for, as it calls them."""

MAIN_EFFECTS = "main effects"
INTERACTIONS = "interactions"

ALL_PAIRS = "all"
ACROSS_GROUPS = "across groups"

SMALLEST_P = 0.0001
"""Below it the thesis prints no p of a correlation."""


@dataclass(frozen=True)
class Layout:
    """A published table.

    Attributes
    ----------
    title
        Heading of the table for reading.
    keys
        The columns that identify a value.
    decimals
        How many the thesis prints.
    decimals_of
        The same for the values of some quantities.
    has_bounds
        Whether the thesis prints upper bounds among its numbers; they are marked ``<`` in a column
        ``relation``.
    """

    title: str
    keys: tuple[str, ...]
    decimals: int = 0
    decimals_of: Mapping[str, int] = field(default_factory=dict)
    has_bounds: bool = False

    def printed_decimals(self, tidy: pd.DataFrame) -> np.ndarray:
        """Of each value of a tidy table."""
        if "quantity" not in tidy:
            return np.full(len(tidy), self.decimals)
        return np.array([self.decimals_of.get(q, self.decimals) for q in tidy["quantity"]], int)


LAYOUTS = {
    "table-3.2": Layout(
        "Table 3.2. Ties and rank contradictions, % of all, and the rank of the first tie",
        ("affected", "quantity"),
        decimals_of={"systems": 1, "rankings": 1, "documents": 1},
    ),
    "table-3.3": Layout(
        "Table 3.3. The most that a score can lose where ranks are banded by ρ",
        ("rho", "measure"),
        decimals=4,
    ),
    "table-3.4": Layout(
        "Table 3.4. Systems whose banded scores are confidently above a share of the original ones",
        ("rho", "fraction", "measure"),
    ),
    "table-4.1": Layout(
        "Table 4.1. The collection and its judgments",
        ("quantity",),
        decimals_of={
            "judged documents per topic": 1,
            "relevant documents per topic": 1,
            "rank of the first unjudged document": 1,
        },
    ),
    "table-4.2": Layout(
        "Table 4.2. How like a measure RBP ranks the systems at its nearest φ, by topic",
        ("measure", "coefficient", "quantity"),
        decimals_of={"tau": 3, "p": 4, "mean_phi": 3},
        has_bounds=True,
    ),
    "table-4.3": Layout("Table 4.3. Reduced qrels", ("pooling", "quantity")),
    "table-4.4": Layout(
        "Table 4.4. Judged documents of reduced qrels by how many systems nominate them",
        ("pooling", "votes", "quantity"),
        decimals_of={"percent": 1},
    ),
    "table-4.5": Layout(
        "Table 4.5. Discrimination ratios: % of pairs that differ significantly, by pool depth d′",
        ("pairs", "measure", "test", "depth"),
        decimals=1,
    ),
    "table-4.6": Layout(
        "Table 4.6. Pairs found significant at pool depth d′ and under the deepest pool",
        ("measure", "test", "depth", "outcome"),
    ),
    "table-4.7": Layout(
        "Table 4.7. Rankings whose score grows (< 0), stays (= 0), falls (> 0) beyond depth d′, %",
        ("measure", "depth", "movement"),
        decimals=1,
    ),
    "table-4.8": Layout(
        "Table 4.8. τ_b of RBP's residual and the movement of scores",
        ("measure", "quantity"),
        decimals=2,
    ),
    "table-4.9": Layout(
        "Table 4.9. p of pool depth, topic and system, *** where significant",
        ("model", "term", "measure"),
        decimals=3,
        has_bounds=True,
    ),
    "table-ancova": Layout(
        "Analysis of covariance of scores on pool depth, topic and system",
        ("model", "measure", "term"),
    ),
    "table-ranges": Layout(
        "Exact ranges of mean scores over all that unjudged documents may be", ("system", "measure")
    ),
    "table-leave-one-out": Layout(
        "What leaving runs or groups out of the pool does to their scores",
        ("pooling", "by", "measure"),
    ),
}
"""Every table that this module makes, by the name of its target."""

Tables = tuple[pd.DataFrame, pd.DataFrame]


# --- chapter 3 ---------------------------------------------------------------------------------


def table_3_2(
    rates: pd.DataFrame, published: pd.DataFrame | None, collection: str | None
) -> Tables:
    """Ties and contradictions.

    Parameters
    ----------
    rates
        As `regrade.ties.tie_rates` gives.
    published
        The thesis's numbers.
    collection
        One of `COLLECTIONS`, or ``None``.

    Returns
    -------
    tidy, readable : DataFrame
        The tidy one has `count` and `total` beside ``ours``.
    """
    ours = rates.rename(columns={"value": "ours"})
    tidy = _tidy("table-3.2", ours, published, collection, extra=["count", "total"])
    titles = {name: f"{name}, %" for name in ("systems", "rankings", "documents")}
    cells = _cells("table-3.2", tidy)
    return tidy, _laid_out(tidy, cells, ["affected"], ["quantity"], titles)


def table_3_3(bounds: pd.DataFrame, published: pd.DataFrame | None) -> Tables:
    """Worst-case bounds, which are the same for every collection.

    Parameters
    ----------
    bounds
        As `regrade.ties.worst_case_bounds` gives.
    published
        The thesis's numbers.

    Returns
    -------
    tidy, readable : DataFrame
    """
    ours = bounds.rename(columns={"bound": "ours"})
    tidy = _beside("table-3.3", ours, published)
    return tidy, _laid_out(tidy, _cells("table-3.3", tidy), ["rho"], ["measure"])


def table_3_4(
    counts: pd.DataFrame, published: pd.DataFrame | None, collection: str | None
) -> Tables:
    """Systems that bands do not make notably inferior.

    Parameters
    ----------
    counts
        As `regrade.ties.count_non_inferior` gives.
    published, collection
        As for `table_3_2`.

    Returns
    -------
    tidy, readable : DataFrame
        The tidy one has `n_systems`, the systems tested.
    """
    ours = counts.rename(columns={"systems": "ours"}).sort_values(
        ["rho", "fraction"], ascending=[True, False], kind="stable"
    )
    tidy = _tidy("table-3.4", ours, published, collection, extra=["n_systems"])
    shown = tidy.assign(share=[f"{100 * fraction:g} %" for fraction in tidy["fraction"]])
    rows = ["rho", "n_systems"]
    readable = _laid_out(shown, _cells("table-3.4", tidy), rows, ["measure", "share"])
    return tidy, readable.rename(columns={"n_systems": "systems"})


# --- chapter 4: collections and pools ----------------------------------------------------------


def table_4_1(
    facts: pd.DataFrame, published: pd.DataFrame | None, collection: str | None
) -> Tables:
    """The collection.

    Parameters
    ----------
    facts
        As `regrade.pools.pooling.collection_facts` gives.
    published, collection
        As for `table_3_2`.

    Returns
    -------
    tidy, readable : DataFrame
        What the thesis prints and runs and qrels do not tell (year, systems that contributed, pool
        depth) is there with ``ours`` empty.
    """
    ours = facts.rename(columns={"fact": "quantity", "value": "ours"})
    printed = _printed(published, collection)
    if printed is not None:
        not_ours = printed.loc[~printed["quantity"].isin(ours["quantity"]), ["quantity"]]
        ours = pd.concat([ours, not_ours.assign(ours=np.nan)], ignore_index=True)
    tidy = _beside("table-4.1", ours, printed)
    shown = tidy.assign(value="value")
    return tidy, _laid_out(shown, _cells("table-4.1", tidy), ["quantity"], ["value"])


def table_4_2(
    nearest: pd.DataFrame, published: pd.DataFrame | None, collection: str | None
) -> Tables:
    """The φ whose RBP ranks the systems most like a measure does.

    Parameters
    ----------
    nearest
        As `summarise_nearest` gives.
    published, collection
        As for `table_3_2`.

    Returns
    -------
    tidy, readable : DataFrame
        `relation` is ``<`` where the thesis prints an upper bound.
    """
    quantities = ["below_08", "below_09", "from_09", "undefined", "tau", "p", "mean_phi"]
    ours = _melted(nearest, ["measure", "coefficient"], "quantity", quantities)
    tidy = _tidy("table-4.2", ours, published, collection)
    cells = [
        _cell(_correlation_p(row.ours), _correlation_p(row.published, row.relation))
        if row.quantity == "p"
        else cell
        for row, cell in zip(tidy.itertuples(), _cells("table-4.2", tidy), strict=True)
    ]
    titles = {
        "tau_b": "τ_b", "rbo": "RBO", "below_08": "topics < 0.8", "below_09": "0.8 to < 0.9",
        "from_09": "≥ 0.9", "tau": "τ of φ and R", "mean_phi": "mean φ",
    }  # fmt: skip
    return tidy, _laid_out(tidy, cells, ["measure", "coefficient"], ["quantity"], titles)


def table_4_3(
    facts: pd.DataFrame, systems: int, published: pd.DataFrame | None, collection: str | None
) -> Tables:
    """Sizes of reduced qrels.

    Parameters
    ----------
    facts
        As `regrade.pools.pooling.pool_facts` gives.
    systems
        How many systems contribute to the pools.
    published, collection
        As for `table_3_2`.

    Returns
    -------
    tidy, readable : DataFrame
    """
    names = {
        "topics": "topics", "systems": "systems", "pooled": "pooled documents",
        "judged": "judged", "relevant": "relevant", "single_judged": "judged, single vote",
        "single_relevant": "relevant, single vote",
    }  # fmt: skip
    ours = _melted(facts.assign(systems=systems), ["pooling"], "quantity", list(names))
    tidy = _tidy("table-4.3", ours, published, collection)
    return tidy, _laid_out(tidy, _cells("table-4.3", tidy), ["pooling"], ["quantity"], names)


def table_4_4(
    multiplicities: Mapping[str, pd.DataFrame],
    published: pd.DataFrame | None,
    collection: str | None,
) -> Tables:
    """Judged documents by the number of systems that nominate them.

    Parameters
    ----------
    multiplicities
        As `regrade.pools.pooling.multiplicities` gives, by the name of the pooling (``Depth@20``).
    published, collection
        As for `table_3_2`.

    Returns
    -------
    tidy, readable : DataFrame
    """
    ours = pd.concat(
        [
            _melted(table, ["votes"], "quantity", ["judged", "percent"]).assign(pooling=pooling)
            for pooling, table in multiplicities.items()
        ],
        ignore_index=True,
    )
    tidy = _tidy("table-4.4", ours, published, collection)
    titles = {"percent": "% relevant"}
    columns = ["pooling", "quantity"]
    return tidy, _laid_out(tidy, _cells("table-4.4", tidy), ["votes"], columns, titles)


# --- chapter 4: discrimination -----------------------------------------------------------------


def table_4_5(
    ratios: pd.DataFrame,
    published: pd.DataFrame | None,
    collection: str | None,
    *,
    across_groups: pd.DataFrame | None = None,
) -> Tables:
    """Discrimination ratios by pool depth.

    Parameters
    ----------
    ratios
        As `discrimination_ratios` gives for `compare_depths`, of all pairs.
    published, collection
        As for `table_3_2`.  The thesis says that it leaves out pairs of one group, and prints the
        ratios of all pairs: its numbers stand beside those.
    across_groups
        The ratios of the pairs of different groups; ``None`` where groups are not known.

    Returns
    -------
    tidy, readable : DataFrame
        The tidy one has ``n_pairs``, ``undefined`` and ``significant`` pairs.
    """
    kinds = {ALL_PAIRS: ratios} | ({} if across_groups is None else {ACROSS_GROUPS: across_groups})
    ours = pd.concat([table.assign(pairs=kind) for kind, table in kinds.items()], ignore_index=True)
    ours = ours.assign(ours=100 * ours["ratio"])
    if published is not None:
        published = published.assign(pairs=ALL_PAIRS)
    extra = ["n_pairs", "undefined", "significant"]
    tidy = _tidy("table-4.5", ours, published, collection, extra=extra)
    shown = tidy.assign(depth=_depths(tidy))
    rows = ["pairs", "n_pairs", "measure", "test"]
    readable = _laid_out(shown, _cells("table-4.5", tidy), rows, ["depth"])
    return tidy, readable.rename(columns={"n_pairs": "number"})


def table_4_6(
    agreement: pd.DataFrame, published: pd.DataFrame | None, collection: str | None
) -> Tables:
    """Agreement of shallow pools with the deepest.

    Parameters
    ----------
    agreement
        As `agreement_with_baseline` gives.
    published, collection
        As for `table_3_2`.

    Returns
    -------
    tidy, readable : DataFrame
        Contradictions are among the false positives.
    """
    titles = {
        "tp": "TP", "fp": "FP", "fn": "FN", "tn": "TN", "contradictions": "contradictions in FP"
    }  # fmt: skip
    ours = _melted(agreement, ["measure", "test", "depth"], "outcome", list(titles))
    ours = ours.sort_values("measure", key=_in_order, kind="stable")
    tidy = _tidy("table-4.6", ours, published, collection)
    rows = ["measure", "test", "depth"]
    readable = _laid_out(tidy, _cells("table-4.6", tidy), rows, ["outcome"], titles)
    return tidy, readable.rename(columns={"depth": "d′"})


# --- chapter 4: residuals, ranges, covariance --------------------------------------------------


def table_4_7(
    shares: pd.DataFrame, published: pd.DataFrame | None, collection: str | None
) -> Tables:
    """Score movements.

    Parameters
    ----------
    shares
        As `movement_shares` gives.
    published, collection
        As for `table_3_2`.

    Returns
    -------
    tidy, readable : DataFrame
        In percent; the tidy one has `rankings`, their number.
    """
    titles = {"below": "< 0", "equal": "= 0", "above": "> 0"}
    ours = _melted(shares, ["measure", "depth", "rankings"], "movement", list(titles))
    ours["ours"] *= 100
    tidy = _tidy("table-4.7", ours, published, collection, extra=["rankings"])
    shown = tidy.assign(depth=_depths(tidy))
    columns = ["depth", "movement"]
    return tidy, _laid_out(shown, _cells("table-4.7", tidy), ["measure"], columns, titles)


def table_4_8(
    correlations: pd.DataFrame, published: pd.DataFrame | None, collection: str | None
) -> Tables:
    """Residuals against score movements.

    Parameters
    ----------
    correlations
        As `movement_correlations` gives.
    published, collection
        As for `table_3_2`.

    Returns
    -------
    tidy, readable : DataFrame
    """
    titles = {"tau_difference": "τ_b of differences", "tau_ratio": "τ_b of ratios"}
    ours = _melted(correlations, ["measure"], "quantity", list(titles))
    tidy = _tidy("table-4.8", ours, published, collection)
    return tidy, _laid_out(tidy, _cells("table-4.8", tidy), ["measure"], ["quantity"], titles)


def table_4_9(
    main_effects: pd.DataFrame,
    interactions: pd.DataFrame,
    published: pd.DataFrame | None,
    collection: str | None,
    *,
    significance: float = 0.05,
) -> Tables:
    """Effects of pool depth, topic and system.

    Parameters
    ----------
    main_effects, interactions
        As `ancova` gives for the two models.
    published, collection
        As for `table_3_2`.  The thesis's main effects stand beside those of the model without
        interactions: only there does depth not affect RR.
    significance
        The level, below which p is shown as ``***``.

    Returns
    -------
    tidy, readable : DataFrame
        ``ours`` is p; the tidy one has `relation`, ``<`` where the thesis prints ``***``, and our
        `f` and `df`.
    """
    effects = _both_models(main_effects, interactions)
    tested = effects[~effects["term"].isin([INTERCEPT, RESIDUALS])]
    ours = tested.rename(columns={"p": "ours"})
    tidy = _tidy("table-4.9", ours, published, collection, extra=["f", "df"])
    cells = [
        _cell(
            format_p(row.ours, significance),
            "***" if row.relation == "<" else _number(row.published, 3),
        )
        for row in tidy.itertuples()
    ]
    return tidy, _laid_out(tidy, cells, ["model", "term"], ["measure"])


def table_ancova(main_effects: pd.DataFrame, interactions: pd.DataFrame) -> Tables:
    """Sums of squares, tests and sizes of the effects behind `table_4_9`.

    Parameters
    ----------
    main_effects, interactions
        As `ancova` gives.

    Returns
    -------
    tidy, readable : DataFrame
        One row per model, measure and term, intercept and residuals included.
    """
    tidy = _both_models(main_effects, interactions)
    formats = {
        "sum_sq": "{:.4g}", "df": "{:.0f}", "f": "{:.4g}", "p": "{:.3g}", "eta_sq": "{:.4f}",
        "omega_sq": "{:.4f}", "partial_eta_sq": "{:.4f}", "partial_omega_sq": "{:.4f}",
    }  # fmt: skip
    tidy = tidy[["model", "measure", "term", *formats]]
    titles = {
        "sum_sq": "sum of squares", "f": "F", "eta_sq": "η²", "omega_sq": "ω²",
        "partial_eta_sq": "partial η²", "partial_omega_sq": "partial ω²",
    }  # fmt: skip
    readable = _formatted(tidy, formats)
    readable["p"] = readable["p"].replace("0", "< 1e-300")  # where p is too small for a float
    return tidy, readable.rename(columns=titles)


def table_ranges(ranges: pd.DataFrame, residual: str = "RBP(p=0.98)") -> Tables:
    """Exact ranges of the systems' mean scores, beside the residual of RBP.

    Parameters
    ----------
    ranges
        As `system_ranges` gives.
    residual
        The measure among them whose range beyond its value is the residual.

    Returns
    -------
    tidy, readable : DataFrame
        One row per system and measure: ``system, measure, value, low, high`` and the `residual` of
        the system, in the order of the systems' values under the first measure.

    Raises
    ------
    ParameterError
        If `ranges` does not have the residual's measure, or no other.
    """
    ranges = ranges.astype({"system": str, "measure": str})
    check_choice("measure", residual, list(dict.fromkeys(ranges["measure"])))
    of_residual = ranges[ranges["measure"] == residual].set_index("system")
    tidy = ranges[ranges["measure"] != residual]
    if tidy.empty:
        raise ParameterError(f"there are ranges of {residual} alone: add AP or nDCG")
    tidy = tidy.assign(residual=tidy["system"].map(of_residual["high"] - of_residual["value"]))
    first = tidy[tidy["measure"] == tidy["measure"].iloc[0]]
    best_first = first.sort_values(["value", "system"], ascending=[False, True])["system"]
    place = {system: i for i, system in enumerate(best_first)}
    tidy = tidy.sort_values("system", key=lambda name: name.map(place), kind="stable")
    tidy = tidy.reset_index(drop=True)

    lines: dict[str, dict[str, str]] = {}
    for row in tidy.itertuples():
        line = lines.setdefault(row.system, {"system": row.system})
        line[row.measure] = _number(row.value, 4)
        line[f"{row.measure}, range"] = f"{_number(row.low, 4)} – {_number(row.high, 4)}"
    for system, line in lines.items():
        line[residual] = _number(of_residual.at[system, "value"], 4)
        line[f"{residual}, residual"] = _number(
            of_residual.at[system, "high"] - of_residual.at[system, "value"], 4
        )
    return tidy, pd.DataFrame(list(lines.values()))


def table_leave_one_out(summary: pd.DataFrame) -> Tables:
    """Bias of the pool against systems that did not contribute to it.

    Parameters
    ----------
    summary
        As `LeftOutScores.summary_frame` gives; several may be concatenated.

    Returns
    -------
    tidy, readable : DataFrame
    """
    formats = {
        "systems": "{:.0f}", "mae": "{:.5f}", "largest_error": "{:.5f}", "bias": "{:+.5f}",
        "sre": "{:.0f}", "sre_significant": "{:.0f}", "tau": "{:.4f}", "tau_all": "{:.4f}",
    }  # fmt: skip
    titles = {
        "by": "left out by", "mae": "MAE", "largest_error": "largest error", "sre": "SRE",
        "sre_significant": "SRE, significant", "tau": "τ_b, each as left out",
        "tau_all": "τ_b, all scored again",
    }  # fmt: skip
    tidy = summary[["pooling", "by", "measure", *formats]].reset_index(drop=True)
    return tidy, _formatted(tidy, formats).rename(columns=titles)


# --- how much of the thesis comes out ----------------------------------------------------------


def reproduced(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """How many of the thesis's numbers come out to the last printed digit.

    Parameters
    ----------
    tables
        Tidy tables by name (a key of `LAYOUTS`); those without published numbers are left out.

    Returns
    -------
    DataFrame
        One row per table: ``table``, ``values`` (with a published number and ours), ``reproduced``
        and ``largest_difference`` (of ours from the published, those with `relation` ``<`` left
        out).
    """
    rows = []
    for name, tidy in tables.items():
        if "published" not in tidy:
            continue
        both = tidy.dropna(subset=["published", "ours"])
        if both.empty:
            continue
        is_bound = _is_bound(both)
        difference = (both["ours"] - both["published"]).abs().to_numpy()
        half = 0.5 * 10.0 ** -LAYOUTS[name].printed_decimals(both)
        # published and ours have rounding errors of their own, far below what is printed
        comes_out = np.where(is_bound, both["ours"] < both["published"], difference <= half + 1e-9)
        rows.append(
            {
                "table": name,
                "values": len(both),
                "reproduced": int(comes_out.sum()),
                "largest_difference": difference[~is_bound].max(initial=0.0),
            }
        )
    return pd.DataFrame(rows, columns=["table", "values", "reproduced", "largest_difference"])


def readable_reproduced(table: pd.DataFrame) -> pd.DataFrame:
    """`reproduced` for reading."""
    return pd.DataFrame(
        {
            "table": table["table"],
            "printed numbers": table["values"].astype(str),
            "come out": table["reproduced"].astype(str),
            "largest difference": table["largest_difference"].map("{:.4g}".format),
        }
    )


def _is_bound(tidy: pd.DataFrame) -> np.ndarray:
    if "relation" not in tidy:
        return np.zeros(len(tidy), dtype=bool)
    return (tidy["relation"] == "<").to_numpy()


# --- within ------------------------------------------------------------------------------------


def _printed(published: pd.DataFrame | None, collection: str | None) -> pd.DataFrame | None:
    """The thesis's numbers for the collection; ``None`` where they do not apply."""
    if collection is None:
        return None
    check_choice("collection of yang2019", collection, COLLECTIONS)
    if published is None:
        return None
    return published[published["collection"] == collection]


def _tidy(
    name: str,
    ours: pd.DataFrame,
    published: pd.DataFrame | None,
    collection: str | None,
    *,
    extra: Sequence[str] = (),
) -> pd.DataFrame:
    """Ours beside the numbers for the collection; see `_beside`."""
    printed = _printed(published, collection)
    tidy = _beside(name, ours, printed)
    keys = list(LAYOUTS[name].keys)
    if LAYOUTS[name].has_bounds:
        relation = "" if printed is None else _relations(tidy[keys], printed)
        tidy.insert(len(keys), "relation", relation)
    return tidy.assign(**{column: ours[column].to_numpy() for column in extra})


def _relations(keys: pd.DataFrame, printed: pd.DataFrame) -> np.ndarray:
    """``=`` or ``<`` for each row that has a printed number, else empty."""
    found = keys.merge(printed, on=list(keys), how="left")["relation"]
    return found.fillna("").to_numpy()


def _beside(name: str, ours: pd.DataFrame, printed: pd.DataFrame | None) -> pd.DataFrame:
    """Ours beside the printed numbers, by the keys of the table."""
    keys = list(LAYOUTS[name].keys)
    names = [key for key in keys if not pd.api.types.is_numeric_dtype(ours[key])]
    ours = ours.astype(dict.fromkeys(names, str)).astype({"ours": float})
    return beside(ours, printed, keys)


def _both_models(main_effects: pd.DataFrame, interactions: pd.DataFrame) -> pd.DataFrame:
    models = {MAIN_EFFECTS: main_effects, INTERACTIONS: interactions}
    return pd.concat([t.assign(model=m) for m, t in models.items()], ignore_index=True)


def _melted(table: pd.DataFrame, keys: list[str], name: str, columns: list[str]) -> pd.DataFrame:
    """One row per line of the table and column, line by line."""
    long = table.reset_index(drop=True).melt(keys, columns, name, "ours", ignore_index=False)
    return long.sort_index(kind="stable").reset_index(drop=True)


def _in_order(names: pd.Series) -> pd.Series:
    """The place of each name among those that occur, in order of appearance."""
    return pd.Series(pd.factorize(names)[0], index=names.index)


def _depths(tidy: pd.DataFrame) -> list[str]:
    return [f"d′ = {depth}" for depth in tidy["depth"]]


def _cells(name: str, tidy: pd.DataFrame) -> list[str]:
    """Ours, then the thesis's number in brackets, both with as many decimals as it prints."""
    decimals = LAYOUTS[name].printed_decimals(tidy)
    return [
        _cell(_number(ours, digits), _number(published, digits))
        for ours, published, digits in zip(tidy["ours"], tidy["published"], decimals, strict=True)
    ]


def _cell(ours: str, published: str) -> str:
    return f"{ours or '–'} ({published})" if published else ours


def _number(value: float, decimals: int) -> str:
    """A number as text; empty where there is none."""
    return "" if pd.isna(value) else f"{value:z.{decimals}f}"


def _correlation_p(p: float, relation: str = "") -> str:
    if relation == "<" or p < SMALLEST_P:
        return f"< {SMALLEST_P}"
    return _number(p, 4)


def _formatted(tidy: pd.DataFrame, formats: Mapping[str, str]) -> pd.DataFrame:
    """Numbers as text, empty where there are none."""
    texts = {
        column: ["" if pd.isna(value) else form.format(value) for value in tidy[column]]
        for column, form in formats.items()
    }
    return tidy.assign(**texts)


def _laid_out(
    tidy: pd.DataFrame,
    cells: Iterable[str],
    rows: list[str],
    columns: list[str],
    titles: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """A line for each value of `rows`, a column for each of `columns`, in order of appearance."""
    titles = titles or {}
    shown = {
        key: [titles.get(str(value), str(value)) for value in tidy[key]] for key in rows + columns
    }
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    line_keys = zip(*(shown[key] for key in rows), strict=True)
    names = zip(*(shown[key] for key in columns), strict=True)
    for line, name, cell in zip(line_keys, names, cells, strict=True):
        lines.setdefault(line, {})[", ".join(name)] = cell
    table = [dict(zip(rows, line, strict=True)) | values for line, values in lines.items()]
    return pd.DataFrame(table).fillna("")


def assemble(
    item: str,
    tables: Mapping[str, pd.DataFrame],
    published: pd.DataFrame | None,
    collection: str | None,
    *,
    significance: float = 0.05,
    baseline: int = 50,
    residual: str = "RBP(p=0.98)",
    contributors: str = "deep",
) -> Tables:
    """A table of the thesis, or one of ours, from the tables that the stages made.

    Parameters
    ----------
    item
        ``table-3.2`` … ``table-4.9``, ``table-ranges`` or ``table-leave-one-out``.
    tables
        What it shows, by the names in `regrade.schemas.SCHEMAS` (`main_effects` and `groups`
        besides).
    published, collection
        As for `table_3_2`.
    significance
        The level of the tests behind it.
    baseline
        The depth of the pool that counts as right.
    residual
        The measure whose residual stands beside the ranges.
    contributors
        The systems that make the pools: ``deep``, the deeply judged ones, or ``all``.

    Raises
    ------
    ParameterError
        If there is no such table.
    """
    printed = published, collection
    match item:
        case "table-3.2":
            return table_3_2(tables["tie_rates"], *printed)
        case "table-3.3":
            return table_3_3(tables["tie_bounds"], published)
        case "table-3.4":
            counts = count_non_inferior(tables["non_inferiority"], significance)
            return table_3_4(counts, *printed)
        case "table-4.1":
            return table_4_1(tables["collection_facts"], *printed)
        case "table-4.2":
            return table_4_2(summarise_nearest(tables["nearest_phi"]), *printed)
        case "table-4.3":
            deep = tables["deeply_judged"]["deeply_judged"]
            systems = int(deep.sum()) if contributors == "deep" else len(deep)
            return table_4_3(pool_facts(tables["pool_sizes"], systems), systems, *printed)
        case "table-4.4":
            votes = tables["pool_votes"]
            by_pooling = {str(name): rows for name, rows in votes.groupby("pooling", sort=False)}
            return table_4_4(by_pooling, *printed)
        case "table-4.5":
            pairs, groups = tables["pairs"], tables.get("groups")
            across = None
            if groups is not None:
                across = across_groups(
                    pairs, dict(zip(groups["system"], groups["group"], strict=True))
                )
                across = discrimination_ratios(across, significance=significance)
            ratios = discrimination_ratios(pairs, significance=significance)
            return table_4_5(ratios, *printed, across_groups=across)
        case "table-4.6":
            level = {"significance": significance}
            agreement = agreement_with_baseline(tables["pairs"], baseline, **level)
            return table_4_6(agreement, *printed)
        case "table-4.7":
            return table_4_7(movement_shares(tables["score_movements"]), *printed)
        case "table-4.8":
            return table_4_8(movement_correlations(tables["score_movements"]), *printed)
        case "table-4.9":
            main, effects = tables["main_effects"], tables["ancova_effects"]
            return table_4_9(main, effects, *printed, significance=significance)
        case "table-ancova":
            return table_ancova(tables["main_effects"], tables["ancova_effects"])
        case "table-ranges":
            return table_ranges(system_ranges(tables["ranges"], residual), residual)
        case "table-leave-one-out":
            return table_leave_one_out(tables["left_out_summary"])
    raise ParameterError(f"there is no {item} of yang2019")
