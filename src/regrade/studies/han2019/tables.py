"""Tables 1–4 of han2019 from ours, and those of numbers that it prints in its text."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from natsort import natsorted

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.choices import CUT_METHODS
from regrade.errors import ParameterError
from regrade.scales import exactly
from regrade.show.published import (
    Tables,
    beside,
    cell,
    cells,
    laid_out,
    melted,
    p_text,
    tidy_beside,
)
from regrade.studies.han2019.items import HAN2019
from regrade.studies.han2019.labels import criterion_label

ITEMS = HAN2019.by_name

CUT_NAMES = ("left", "middle", "right")
"""The three cuts of four levels into two."""


# --- Table 1 -----------------------------------------------------------------------------------


def table_1(sets: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """The sets, their scales and how many of the pool's documents each has."""
    ours = sets.assign(share=100 * sets["share"])
    ours = melted(ours, ["set"], "quantity", ["levels", "documents", "share"])
    ours = ours[(ours["quantity"] != "documents") | ours["set"].isin(sets["pool"])]
    tidy = tidy_beside(ITEMS["table-1"], ours, published)
    shown = dict(zip(zip(tidy["set"], tidy["quantity"], strict=True),
                     cells(ITEMS["table-1"], tidy), strict=True))  # fmt: skip
    rows = [
        {
            "set": row.set,
            "by": row.kind + (", simulated" if row.simulated else ""),
            "levels": shown[row.set, "levels"],
            "topics": row.topics,
            "documents": f"{row.documents:,}",
            f"of the {row.pool_documents:,} of {row.pool}": f"{row.shared:,}",
            "%": shown[row.set, "share"],
        }
        for row in sets.itertuples()
    ]
    return tidy, pd.DataFrame(rows).astype(str)


# --- Table 2 -----------------------------------------------------------------------------------


def table_2(best_cuts: Mapping[str, pd.DataFrame]) -> Tables:
    """The transformations of a collection and the methods that each is made with."""
    rows = [
        {
            "transformation": transformation,
            "datasets": "double" if reference else "single",
            "method": method,
            "reference": reference,
            "compares": CUT_METHODS[method].summary,
        }
        for transformation, table in best_cuts.items()
        for method, reference in _searches(table)
        if method in CUT_METHODS
    ]
    table = pd.DataFrame(rows, columns=list(TABLE_2_COLUMNS))
    return table, table


TABLE_2_COLUMNS = ("transformation", "datasets", "method", "reference", "compares")


def _with_topics(best_cuts: pd.DataFrame) -> pd.DataFrame:
    """The rows of ``cuts/best_cuts`` without those of methods that no topic could serve."""
    return best_cuts[(best_cuts["topic"] != ALL_TOPICS) | (best_cuts["n"] > 0)]


def _searches(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Method and reference (empty where there is none) of each search, in the table's order.

    A method that the data cannot serve has a single row, of no topics, and is no search.
    """
    table = _with_topics(table)
    references = table["reference"].astype(object).where(table["reference"].notna(), "")
    return list(dict.fromkeys(zip(table["method"].astype(str), references, strict=True)))


# --- Table 3 -----------------------------------------------------------------------------------


def table_3(
    cuts: pd.DataFrame, topics: pd.DataFrame, *, published: pd.DataFrame | None = None
) -> Tables:
    """Table 3, tidy and for reading, with the topics that each cut is the best for."""
    ours = cuts.rename(columns={"alpha": "ours"})
    ours["cut"] = _cut_names(ours["c1"])
    if published is not None:
        # the number of documents is one of the paper's results, not what identifies a value
        sizes = published.drop_duplicates(["source", "reference"])
        printed = published.drop(columns="documents")
        tidy = beside(ours, printed, [key for key in ITEMS["table-3"].keys if key != "documents"])
        tidy.insert(2, "documents", ours["documents"].to_numpy())
        paper = sizes.set_index(["source", "reference"])["documents"]
    else:
        tidy = beside(ours, None, list(ITEMS["table-3"].keys))
        paper = pd.Series(dtype=float)
    tidy["mean_over_topics"] = ours["mean_alpha"].to_numpy()
    tidy["best_topics"] = ours["best_topics"].to_numpy()
    tidy["n_topics"] = ours["n_topics"].to_numpy()
    rows = []
    for (source, reference), group in tidy.groupby(["source", "reference"], sort=False):
        row = {
            "source": source,
            "target": reference,
            "documents": group["documents"].iloc[0],
            "documents (paper)": _text(paper.get((source, reference)), ".0f"),
        }
        for value in group.itertuples():
            row[value.cut] = _text(value.ours, ".3f")
            row[f"{value.cut} (paper)"] = _text(value.published, ".3f")
            row[f"{value.cut}, mean over topics"] = _text(value.mean_over_topics, ".3f")
        own = topics[(topics["source"] == source) & (topics["reference"] == reference)]
        rows.append(row | {"best for topics": _best_for(own)})
    readable = pd.DataFrame(rows)
    if published is None:
        readable = readable.loc[:, ~readable.columns.str.endswith("(paper)")]
    return tidy, readable


def _best_for(topics: pd.DataFrame) -> str:
    """How many topics each cut is best for, and which where these are few."""
    counts = topics["topic"].nunique()
    best = topics[topics["best"]].assign(cut=_cut_names(topics["c1"]))
    parts = []
    for cut, rows in best.groupby("cut", sort=False):
        names = ", ".join(natsorted(rows["topic"].astype(str))) if len(rows) <= FEW_TOPICS else ""
        parts.append(f"{cut} {len(rows)} of {counts}{names and f' ({names})'}")
    return "; ".join(parts)


FEW_TOPICS = 4
"""So many topics are named."""


def table_topics(topics: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """α of each cut of experts' labels for each topic, and how many topics each is best for.

    Printed is for how many topics a cut is the best.
    """
    topics = topics.assign(cut=_cut_names(topics["c1"]), topic=topics["topic"].astype(str))
    keys = ["source", "reference"]
    counts = topics.groupby([*keys, "cut"], sort=False, observed=True)["best"].sum()
    ours = counts.rename("ours").reset_index().rename(columns={"cut": "quantity"})
    tidy = tidy_beside(ITEMS["table-topics"], ours, published)
    rows = []
    for (source, reference, topic), of in topics.groupby([*keys, "topic"], sort=False):
        row = {"source": source, "target": reference, "topic": topic}
        row["documents"] = of["documents"].iloc[0]
        for value in of.itertuples():
            text = _text(value.alpha, ".3f") or "–"
            row[value.cut] = f"**{text}**" if value.best else text
        rows.append(row)
    totals = [
        {"source": source, "target": reference, "topic": "best for", "documents": ""}
        | dict(zip(of["quantity"], cells(ITEMS["table-topics"], of), strict=True))
        for (source, reference), of in tidy.groupby(keys, sort=False)
    ]
    return tidy, pd.DataFrame([*rows, *totals]).fillna("").astype(str)


def _cut_names(cuts: pd.Series) -> pd.Series:
    """Left, middle, right for four levels into two; the threshold itself otherwise."""
    if cuts.nunique() == len(CUT_NAMES):
        return cuts.map(dict(enumerate(CUT_NAMES)))
    return cuts.map(exactly)


# --- Table 4 -----------------------------------------------------------------------------------


def table_4(
    rankings: Mapping[str, pd.DataFrame],
    best_cuts: Mapping[str, pd.DataFrame],
    *,
    transformations: Mapping[str, Mapping],
    published: pd.DataFrame | None = None,
) -> Tables:
    """Table 4, tidy and for reading.

    The paper writes references without the subscript a, so a reference that assumes unjudged
    non-relevant stands beside the paper's where the collection has it, else the one that drops
    them. For reading, the highest τ_b of each transformation and selection is bold; as in the paper
    with experts on the target scale only, and not where all searches have one single cut.
    """
    parts = [
        _tau_and_cuts(rankings[name], best_cuts[name], about["source"], about["levels"])
        for name, about in transformations.items()
    ]
    ours = pd.concat(parts, ignore_index=True)
    for key in ("method", "reference", "selection", "expert", "threshold"):
        ours[key] = ours[key].astype(object).where(ours[key].notna(), "").astype(str)
    ours["printed"] = _as_printed(ours)
    if published is None:
        tidy = beside(ours, None, list(ITEMS["table-4"].keys))
    else:
        keys = ["printed" if key == "reference" else key for key in ITEMS["table-4"].keys]
        printed = published.rename(columns={"reference": "printed"})
        tidy = beside(ours, printed, keys)
        tidy.insert(3, "reference", ours["reference"].to_numpy())
        tidy = tidy.drop(columns="printed")
    judging = {
        (about["source"], about["levels"], expert)
        for about in transformations.values()
        for expert, levels in about.get("experts", {}).items()
        if levels == about["levels"]
    }
    return tidy, _readable_4(tidy, judging)


def _tau_and_cuts(
    rankings: pd.DataFrame, best_cuts: pd.DataFrame, source: str, levels: int
) -> pd.DataFrame:
    """τ_b of each search's cuts with the experts, and its single cut, one value per row."""
    tau = rankings.rename(columns={"tau": "ours"})
    tau = tau[["method", "reference", "selection", "expert", "ours"]]
    tau = tau.assign(quantity="tau", threshold="")
    best_cuts = _with_topics(best_cuts)
    single = best_cuts[best_cuts["topic"] == ALL_TOPICS]
    cuts = single.melt(
        id_vars=["method", "reference"],
        value_vars=list(CUT_COLUMNS[: levels - 1]),
        var_name="threshold",
        value_name="ours",
    )
    cuts = cuts.assign(selection="single", expert="", quantity="cut")
    part = pd.concat([tau, cuts.astype({"ours": float})], ignore_index=True)
    return part.assign(source=source, levels=levels)


def _as_printed(ours: pd.DataFrame) -> pd.Series:
    """The reference as the paper prints it, of the row that stands for it; else itself."""
    stripped = ours["reference"].str.removesuffix("_a")
    here = set(zip(ours["source"], ours["levels"], ours["reference"], strict=True))
    # a row that drops unjudged documents gives way to one that completes them
    gives_way = [
        (source, levels, f"{reference}_a") in here
        for source, levels, reference in zip(
            ours["source"], ours["levels"], ours["reference"], strict=True
        )
    ]
    return stripped.where(~np.array(gives_way), ours["reference"] + " (unjudged dropped)")


def _readable_4(tidy: pd.DataFrame, judging: set[tuple]) -> pd.DataFrame:
    """One row per search: τ_b of both selections with each expert, the highest in bold."""
    best = _best_of_columns(tidy, judging)
    rows = []
    keys = ["source", "levels", "method", "reference"]
    for (source, levels, method, reference), group in tidy.groupby(keys, sort=False):
        row = {"source": source, "levels": levels, "method": method, "reference": reference}
        for value in group[group["quantity"] == "tau"].itertuples():
            paper = _text(value.published, ".2f")
            shown = _text(value.ours, ".2f") or "–"
            shown = f"**{shown}**" if value.Index in best else shown
            row[f"{value.selection} τ, {value.expert}"] = shown + (f" ({paper})" if paper else "")
        cut = group[group["quantity"] == "cut"].sort_values("threshold")
        row["single cut"] = " ".join(_text(value, ".6g") or "–" for value in cut["ours"])
        if cut["published"].notna().any():
            printed = " ".join(_text(value, ".0f") for value in cut["published"])
            row["single cut"] += f" ({printed})"
        rows.append(row)
    return pd.DataFrame(rows).fillna("")


def _best_of_columns(tidy: pd.DataFrame, judging: set[tuple]) -> set:
    """Rows with the highest τ_b, as printed, with an expert on the target scale.

    Not where all of a transformation's searches have one single cut: then their τ_b differ by
    their labels only.
    """
    best = set()
    for (source, levels), group in tidy.groupby(["source", "levels"], sort=False):
        group = group[group["method"] != TAU]
        cuts = group[group["quantity"] == "cut"].set_index(["method", "reference", "threshold"])
        by_search = cuts["ours"].unstack()
        if len(by_search) > 1 and len(by_search.drop_duplicates()) == 1:
            continue
        tau = group[group["quantity"] == "tau"]
        for (_, expert), column in tau.groupby(["selection", "expert"], sort=False):
            if (source, levels, expert) in judging:
                rounded = column["ours"].round(ITEMS["table-4"].decimals)
                best |= set(rounded.index[rounded == rounded.max()])
    return best


TAU = "tau"
"""The method that knows the answer, and cannot be the best."""


# --- numbers of the text -----------------------------------------------------------------------


def _of_transformations(
    tables: Mapping[str, pd.DataFrame], transformations: Mapping[str, Mapping]
) -> pd.DataFrame:
    """The tables of some transformations with their source and levels; references as text."""
    parts = [
        tables[name].assign(transformation=name, source=about["source"], levels=about["levels"])
        for name, about in transformations.items()
    ]
    table = pd.concat(parts, ignore_index=True)
    if "reference" in table:
        reference = table["reference"].astype(object)
        table["reference"] = reference.where(reference.notna(), "").astype(str)
    return table


def table_internal(
    internal: Mapping[str, pd.DataFrame], *, transformations: Mapping[str, Mapping]
) -> Tables:
    """α of workers with each other on their own scale, beside that of their levels.

    The tidy table has every topic and the mean; the readable one the mean and how many topics' α is
    higher under their best cut than on the source scale.
    """
    tidy = _of_transformations(internal, transformations)
    names = ["source", "levels", "method", "topic", "metric", "source_alpha", "per_topic", "single"]
    tidy = tidy[names].astype({"topic": str, "method": str})
    rows = []
    for (source, levels, method), of in tidy.groupby(["source", "levels", "method"], sort=False):
        topics, (total,) = of[of["topic"] != ALL_TOPICS], of[of["topic"] == ALL_TOPICS].index
        rows.append(
            {
                "transformation": f"{source} → {levels}",
                "method": method,
                "metric": of["metric"].iloc[0],
                "α on the source scale": _text(of.at[total, "source_alpha"], ".3f"),
                "α, best cut of each topic": _text(of.at[total, "per_topic"], ".3f"),
                "α, single cut": _text(of.at[total, "single"], ".3f"),
                "topics where the best cut's is higher": (
                    f"{(topics['per_topic'] > topics['source_alpha']).sum()} of {len(topics)}"
                ),
            }
        )
    return tidy, pd.DataFrame(rows)


def table_ends(
    best_cuts: pd.DataFrame,
    alpha: Mapping[str, pd.DataFrame],
    *,
    source: str,
    levels: int,
    published: pd.DataFrame | None = None,
) -> Tables:
    """Mean α under the first, the last and the best cut, for some searches.

    For two levels.
    """
    if levels != 2:
        raise ParameterError(f"{source} into {levels} levels: this table is for two levels")
    rows = []
    for search, table in alpha.items():
        method, _, reference = search.partition("@")
        best = best_cuts[best_cuts["topic"] == ALL_TOPICS]
        known = best["reference"].astype(object).where(best["reference"].notna(), "")
        best = best[(best["method"] == method) & (known == reference)]
        quantities = {}
        for name, at in (("lowest", 0), ("highest", -1)):
            quantities[f"{name} cut"] = table["c1"].iloc[at]
            quantities[f"α at the {name}"] = table["mean"].iloc[at]
        quantities["best cut"] = best["c1"].iloc[0]
        quantities["α at the best"] = best["value"].iloc[0]
        about = {"source": source, "levels": levels, "method": method, "reference": reference}
        rows += [about | {"quantity": key, "ours": value} for key, value in quantities.items()]
    tidy = tidy_beside(ITEMS["table-ends"], pd.DataFrame(rows), published)
    lines = ["method", "reference"]
    return tidy, laid_out(tidy, cells(ITEMS["table-ends"], tidy), lines, ["quantity"])


def table_references(
    reference_tests: Mapping[str, pd.DataFrame],
    *,
    transformations: Mapping[str, Mapping],
    published: pd.DataFrame | None = None,
) -> Tables:
    """Thresholds of topics' best cuts by each two references of a method.

    The paper prints bounds of p.
    """
    table = _of_transformations(reference_tests, transformations)
    item = ITEMS["table-references"]
    keys = [key for key in item.keys if key != "quantity"]
    ours = melted(table, keys, "quantity", list(TESTED))
    tidy = tidy_beside(item, ours, published)
    p = tidy[tidy["quantity"] == "p"]["published"].to_numpy()
    readable = pd.DataFrame(
        {
            "transformation": _arrow(table),
            "method": table["method"].astype(str),
            "threshold": table["threshold"].astype(str),
            "by": table["first"].astype(str) + " – " + table["second"].astype(str),
            "topics": table["n_topics"].astype(str),
            "means": [
                f"{_text(a, '.1f')} – {_text(b, '.1f')}"
                for a, b in zip(table["mean_first"], table["mean_second"], strict=True)
            ],
            "difference, 95 %": [
                _interval(*values, ".1f")
                for values in zip(table["difference"], table["low"], table["high"], strict=True)
            ],
            "p, paired": [
                cell(p_text(value), "" if np.isnan(bound) else f"< {bound:g}")
                for value, bound in zip(table["p"], p, strict=True)
            ],
            "p, Welch": table["p_unpaired"].map(p_text),
            "higher, lower": table["better"].astype(str) + ", " + table["worse"].astype(str),
        }
    )
    return tidy, readable


TESTED = ("mean_first", "mean_second", "difference", "low", "high", "t", "p", "p_unpaired")


def table_widths(
    width_correlations: Mapping[str, pd.DataFrame],
    widths: Mapping[str, pd.DataFrame],
    *,
    transformations: Mapping[str, Mapping],
    published: pd.DataFrame | None = None,
) -> Tables:
    """Pearson's r of cuts' mean widths with the share of relevant documents, and the widths.

    The paper's numbers are for the reference without its subscript a.
    """
    item = ITEMS["table-widths"]
    table = _of_transformations(width_correlations, transformations)
    table = table[table["levels"] > 2].reset_index(drop=True)  # one threshold has no width
    means = _of_transformations(widths, transformations)
    means = means[means["topic"] == ALL_TOPICS]
    same = ["source", "levels", "method", "reference", "group"]
    spans = ["width", *(f"level_{level}" for level in range(4))]
    table = table.merge(means[[*same, *spans]], on=same, how="left")
    keys = [key for key in item.keys if key != "quantity"]
    tidy = tidy_beside(item, melted(table, keys, "quantity", ["r", "low", "high", "p"]), published)
    printed = {
        quantity: tidy[tidy["quantity"] == quantity]["published"].to_numpy()
        for quantity in ("r", "p")
    }
    readable = pd.DataFrame(
        {
            "transformation": _arrow(table),
            "method": table["method"].astype(str),
            "reference": table["reference"],
            "cuts": table["group"].astype(str),
            "labels": table["labels"].astype(str),
            "r, 95 %": [
                cell(_interval(r, low, high, ".2f"), _text(paper, ".2f"))
                for r, low, high, paper in zip(
                    table["r"], table["low"], table["high"], printed["r"], strict=True
                )
            ],
            "p": [
                cell(p_text(value), "" if np.isnan(bound) else f"< {bound:g}")
                for value, bound in zip(table["p"], printed["p"], strict=True)
            ],
            "width": table["width"].map(lambda value: _text(value, ".1f")),
            "of levels": [
                " ".join(_text(value, ".1f") for value in values if pd.notna(value))
                for values in table[spans[1:]].to_numpy()
            ],
        }
    )
    return tidy, readable


def table_pooled(
    pooled: Mapping[str, pd.DataFrame], *, transformations: Mapping[str, Mapping]
) -> Tables:
    """The best cut of all judgments together beside the one with the highest mean over topics."""
    tidy = _of_transformations(pooled, transformations).drop(columns=["transformation", "note"])
    first = ["source", "levels", "method", "reference"]
    tidy = tidy[[*first, *(name for name in tidy.columns if name not in first)]]

    def cuts(prefix: str) -> list[str]:
        columns = tidy[[f"{prefix}{name}" for name in CUT_COLUMNS]].to_numpy(dtype=float)
        return [" ".join(_text(c, ".6g") for c in row if pd.notna(c)) or "–" for row in columns]

    readable = pd.DataFrame(
        {
            "transformation": _arrow(tidy),
            "method": tidy["method"].astype(str),
            "reference": tidy["reference"],
            "cut of all judgments": cuts(""),
            "its α over all": tidy["value"].map(lambda value: _text(value, ".3f")),
            "its mean over topics": tidy["mean_alpha"].map(lambda value: _text(value, ".3f")),
            "cut of the highest mean": cuts("single_"),
            "its α over all ": tidy["single_value"].map(lambda value: _text(value, ".3f")),
            "its mean": tidy["single_mean_alpha"].map(lambda value: _text(value, ".3f")),
        }
    )
    return tidy, readable


def _arrow(table: pd.DataFrame) -> pd.Series:
    return table["source"].astype(str) + " → " + table["levels"].astype(str)


def _interval(value: float, low: float, high: float, spec: str) -> str:
    """A number and its interval; empty where there is none."""
    if pd.isna(value):
        return ""
    bounds = "" if pd.isna(low) else f" [{_text(low, spec)}, {_text(high, spec)}]"
    return _text(value, spec) + bounds


def _text(value, spec: str) -> str:
    """A number as text; empty where there is none."""
    return "" if value is None or pd.isna(value) else format(float(value), spec)


# --- criteria of cuts ----------------------------------------------------------------------------


def table_criteria(picked: pd.DataFrame, *, reference: str, levels: int) -> Tables:
    """The cut that each criterion picks, and what it is worth in every criterion.

    For one cut for all topics, and for a cut for each; over all topics. In the readable table the
    cost stands in brackets where it is known: what the best cut would have more.
    """
    rows = picked[(picked["reference"].astype(str) == reference) & (picked["topic"] == ALL_TOPICS)]
    rows = rows.astype(dict.fromkeys(("selection", "picks", "measured"), str))
    cuts = list(CUT_COLUMNS[: levels - 1])
    shown = ["value", "best", "cost", "share_higher"]
    tidy = rows[["selection", "picks", "measured", *cuts, "tied", *shown]].reset_index(drop=True)
    readable = []
    for (selection, picks), group in tidy.groupby(["selection", "picks"], sort=False):
        row = {"selection": selection, "picked by": criterion_label(picks)}
        row["cut"] = (
            " ".join(_text(group[c].iloc[0], ".6g") for c in cuts).strip() or "each its own"
        )
        for one in group.itertuples():
            cost = _text(one.cost, ".3f")
            value = _text(one.value, ".3f")
            row[criterion_label(one.measured)] = f"{value} ({cost})" if cost else value
        readable.append(row)
    return tidy, pd.DataFrame(readable)


def table_levels(levels: pd.DataFrame) -> Tables:
    """α of the best cuts by the number of levels, over all topics.

    In the readable table ≥ marks what a better cut may exist for.
    """
    rows = levels[levels["topic"] == ALL_TOPICS].astype({"search": str, "selection": str})
    tidy = rows.drop(columns="topic").reset_index(drop=True)
    readable = []
    for (search, number), group in tidy.groupby(["search", "levels"], sort=False):
        of = group.set_index("selection")
        row = {"search": search, "levels": number, "cuts": f"{of['n_cuts'].iloc[0]:,}"}
        for selection, one in of.iterrows():
            mark = "" if one["exact"] or pd.isna(one["value"]) else "≥ "
            row[f"α, {selection}"] = mark + _text(one["value"], ".3f")
        single = of.loc["single"]
        row["held out"] = _text(single["held_out"], ".3f")
        row["single cut"] = " ".join(
            _text(single[f"c{j}"], ".6g") for j in range(1, number) if pd.notna(single[f"c{j}"])
        )
        readable.append(row)
    return tidy, pd.DataFrame(readable)
