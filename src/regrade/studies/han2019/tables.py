"""Tables 1–4 of han2019 from ours, and those of numbers that it prints in its text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from natsort import natsorted

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.choices import CUT_METHODS
from regrade.errors import ParameterError
from regrade.scales import exactly
from regrade.show.item_tables import Frame, Frames, Settings
from regrade.show.published import (
    Beside,
    Column,
    Tables,
    as_text,
    beside,
    by_line,
    cell,
    cells,
    col,
    crossed,
    each,
    estimate,
    listing,
    melted,
    p_text,
    text,
    tidy_beside,
)
from regrade.studies.han2019.items import HAN2019
from regrade.studies.han2019.labels import criterion_label

ITEMS = HAN2019.by_name

CUT_NAMES = ("left", "middle", "right")
"""The three cuts of four levels into two."""


# --- Table 1 -----------------------------------------------------------------------------------


def table_1(sets: Frame, *, published: Beside = None) -> Tables:
    """The sets, their scales and how many of the pool's documents each has."""
    ours = sets.assign(share=100 * sets["share"])
    ours = melted(ours, ["set"], "quantity", ["levels", "documents", "share"])
    ours = ours[(ours["quantity"] != "documents") | ours["set"].isin(sets["pool"])]
    tidy = tidy_beside(ITEMS["table-1"], ours, published)
    names = zip(tidy["set"], tidy["quantity"], strict=True)
    texts = dict(zip(names, cells(ITEMS["table-1"], tidy), strict=True))
    rows = [
        {
            "set": row.set,
            "by": row.kind + (", simulated" if row.simulated else ""),
            "levels": texts[row.set, "levels"],
            "topics": row.topics,
            "documents": f"{row.documents:,}",
            f"of the {row.pool_documents:,} of {row.pool}": f"{row.shared:,}",
            "%": texts[row.set, "share"],
        }
        for row in sets.itertuples()
    ]
    return tidy, pd.DataFrame(rows).astype(str)


# --- Table 2 -----------------------------------------------------------------------------------


def table_2(best_cuts: Frames) -> Tables:
    """The transformations of a collection and the methods that each is made with."""
    rows = [
        (name, "double" if reference else "single", method, reference, CUT_METHODS[method].summary)
        for name, table in best_cuts.items()
        for method, reference in _searches(table)
        if method in CUT_METHODS
    ]
    table = pd.DataFrame(rows, columns=list(TABLE_2_COLUMNS))
    return table, table


TABLE_2_COLUMNS = ("transformation", "datasets", "method", "reference", "compares")


def _with_topics(best_cuts: Frame) -> Frame:
    """The rows of ``cuts/best_cuts`` without those of methods that no topic could serve."""
    return best_cuts[(best_cuts["topic"] != ALL_TOPICS) | (best_cuts["n"] > 0)]


def _searches(table: Frame) -> list[tuple[str, str]]:
    """Method and reference (empty where there is none) of each search, in the table's order.

    A method that the data cannot serve has a single row, of no topics, and is no search.
    """
    table = as_text(_with_topics(table), ["method", "reference"])
    return list(dict.fromkeys(zip(table["method"], table["reference"], strict=True)))


# --- Table 3 -----------------------------------------------------------------------------------


def table_3(cuts: Frame, topics: Frame, *, published: Beside = None) -> Tables:
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
    names = {"mean_over_topics": "mean_alpha", "best_topics": "best_topics", "n_topics": "n_topics"}
    tidy = tidy.assign(**{name: ours[column].to_numpy() for name, column in names.items()})

    def line(of: Frame) -> dict[str, object]:
        """α of each cut, and how many topics each is best for; which where these are few."""
        first = of.iloc[0]
        row = {"documents": first["documents"]}
        sizes = paper.get((first["source"], first["reference"]), np.nan)
        row["documents (paper)"] = text(sizes, ".0f")
        for value in of.itertuples():
            row[value.cut] = text(value.ours, ".3f")
            row[f"{value.cut} (paper)"] = text(value.published, ".3f")
            row[f"{value.cut}, mean over topics"] = text(value.mean_over_topics, ".3f")
        same = ["source", "reference"]
        own = topics[(topics[same] == first[same]).all(axis=1)]
        best = own[own["best"]].assign(cut=_cut_names(own["c1"]))
        parts = []
        for cut, rows in best.groupby("cut", sort=False):
            few = natsorted(rows["topic"].astype(str)) if len(rows) <= FEW_TOPICS else []
            named = f" ({', '.join(few)})" if few else ""
            parts.append(f"{cut} {len(rows)} of {own['topic'].nunique()}{named}")
        return row | {"best for topics": "; ".join(parts)}

    readable = by_line(tidy, ["source", "reference"], line)
    if published is None:
        readable = readable.loc[:, ~readable.columns.str.endswith("(paper)")]
    return tidy, readable.rename(columns={"reference": "target"})


FEW_TOPICS = 4
"""So many topics are named."""


def table_topics(topics: Frame, *, published: Beside = None) -> Tables:
    """α of each cut of experts' labels for each topic, and how many topics each is best for.

    Printed is for how many topics a cut is the best.
    """
    topics = topics.assign(cut=_cut_names(topics["c1"]), topic=topics["topic"].astype(str))
    keys = ["source", "reference"]
    counts = topics.groupby([*keys, "cut"], sort=False, observed=True)["best"].sum()
    ours = counts.rename("ours").reset_index().rename(columns={"cut": "quantity"})
    tidy = tidy_beside(ITEMS["table-topics"], ours, published)

    def line(of: Frame) -> dict[str, object]:
        alphas = [text(alpha, ".3f") or "–" for alpha in of["alpha"]]
        every = zip(of["cut"], of["best"], alphas, strict=True)
        columns = {cut: f"**{alpha}**" if best else alpha for cut, best, alpha in every}
        return {"documents": of["documents"].iloc[0]} | columns

    def total(of: Frame) -> dict[str, str]:
        columns = dict(zip(of["quantity"], cells(ITEMS["table-topics"], of), strict=True))
        return {"topic": "best for", "documents": ""} | columns

    parts = [by_line(topics, [*keys, "topic"], line), by_line(tidy, keys, total)]
    readable = pd.concat(parts, ignore_index=True).fillna("").astype(str)
    return tidy, readable.rename(columns={"reference": "target"})


def _cut_names(cuts: pd.Series) -> pd.Series:
    """Left, middle, right for four levels into two; the threshold itself otherwise."""
    if cuts.nunique() == len(CUT_NAMES):
        return cuts.map(dict(enumerate(CUT_NAMES)))
    return cuts.map(exactly)


# --- Table 4 -----------------------------------------------------------------------------------


def table_4(
    rankings: Frames,
    best_cuts: Frames,
    *,
    transformations: Settings,
    published: Beside = None,
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
    ours = as_text(ours, ("method", "reference", "selection", "expert", "threshold"))
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


def _tau_and_cuts(rankings: Frame, best_cuts: Frame, source: str, levels: int) -> Frame:
    """τ_b of each search's cuts with the experts, and its single cut, one value per row."""
    tau = rankings.rename(columns={"tau": "ours"})
    tau = tau[["method", "reference", "selection", "expert", "ours"]]
    tau = tau.assign(quantity="tau", threshold="")
    best_cuts = _with_topics(best_cuts)
    single = best_cuts[best_cuts["topic"] == ALL_TOPICS]
    names = list(CUT_COLUMNS[: levels - 1])
    cuts = single.melt(["method", "reference"], names, "threshold", "ours")
    cuts = cuts.assign(selection="single", expert="", quantity="cut")
    part = pd.concat([tau, cuts.astype({"ours": float})], ignore_index=True)
    return part.assign(source=source, levels=levels)


def _as_printed(ours: Frame) -> pd.Series:
    """The reference as the paper prints it, of the row that stands for it; else itself."""
    stripped = ours["reference"].str.removesuffix("_a")
    here = {*zip(ours["source"], ours["levels"], ours["reference"], strict=True)}
    # a row that drops unjudged documents gives way to one that completes them
    completed = zip(ours["source"], ours["levels"], ours["reference"] + "_a", strict=True)
    gives_way = [key in here for key in completed]
    return stripped.where(~np.array(gives_way), ours["reference"] + " (unjudged dropped)")


def _readable_4(tidy: Frame, judging: set[tuple]) -> Frame:
    """One row per search: τ_b of both selections with each expert, the highest in bold."""
    best = _best_of_columns(tidy, judging)

    def line(group: Frame) -> dict[str, str]:
        row = {}
        for value in group[group["quantity"] == "tau"].itertuples():
            paper = text(value.published, ".2f")
            tau = text(value.ours, ".2f") or "–"
            tau = f"**{tau}**" if value.Index in best else tau
            row[f"{value.selection} τ, {value.expert}"] = tau + (f" ({paper})" if paper else "")
        cut = group[group["quantity"] == "cut"].sort_values("threshold")
        row["single cut"] = " ".join(text(value, ".6g") or "–" for value in cut["ours"])
        if cut["published"].notna().any():
            printed = " ".join(text(value, ".0f") for value in cut["published"])
            row["single cut"] += f" ({printed})"
        return row

    return by_line(tidy, ["source", "levels", "method", "reference"], line)


def _best_of_columns(tidy: Frame, judging: set[tuple]) -> set:
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


def _of_transformations(tables: Frames, transformations: Settings) -> Frame:
    """The tables of some transformations with their source and levels; references as text."""
    parts = [
        tables[name].assign(transformation=name, source=about["source"], levels=about["levels"])
        for name, about in transformations.items()
    ]
    table = pd.concat(parts, ignore_index=True)
    return as_text(table, ["reference"]) if "reference" in table else table


def table_internal(internal: Frames, *, transformations: Settings) -> Tables:
    """α of workers with each other on their own scale, beside that of their levels.

    The tidy table has every topic and the mean; the readable one the mean and how many topics' α is
    higher under their best cut than on the source scale.
    """
    tidy = _of_transformations(internal, transformations)
    names = ["source", "levels", "method", "topic", "metric", "source_alpha", "per_topic", "single"]
    tidy = tidy[names].astype({"topic": str, "method": str})
    of_topics = tidy[tidy["topic"] != ALL_TOPICS]
    is_higher = of_topics["per_topic"] > of_topics["source_alpha"]
    keys = ["source", "levels", "method"]
    higher = is_higher.groupby([of_topics[key] for key in keys]).agg(["sum", "size"])

    def counted(row: tuple) -> str:
        return "{} of {}".format(*higher.loc[(row.source, row.levels, row.method)])

    return tidy, listing(
        tidy[tidy["topic"] == ALL_TOPICS], ARROW, col("method"), col("metric"),
        col("source_alpha", ".3f", "α on the source scale"),
        col("per_topic", ".3f", "α, best cut of each topic"), col("single", ".3f", "α, single cut"),
        each("topics where the best cut's is higher", counted),
    )  # fmt: skip


BRACKETS = " [{}, {}]"
ARROW = each("transformation", lambda row: f"{row.source} → {row.levels}")


def table_ends(
    best_cuts: Frame, alpha: Frames, *, source: str, levels: int, published: Beside = None
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
        best = as_text(best, ["reference"])
        best = best[(best["method"] == method) & (best["reference"] == reference)]
        quantities = {}
        for name, at in (("lowest", 0), ("highest", -1)):
            quantities[f"{name} cut"] = table["c1"].iloc[at]
            quantities[f"α at the {name}"] = table["mean"].iloc[at]
        quantities["best cut"] = best["c1"].iloc[0]
        quantities["α at the best"] = best["value"].iloc[0]
        about = {"source": source, "levels": levels, "method": method, "reference": reference}
        rows += [about | {"quantity": key, "ours": value} for key, value in quantities.items()]
    ours, lines = pd.DataFrame(rows), ["method", "reference"]
    return crossed(ITEMS["table-ends"], ours, published, rows=lines)


def table_references(
    reference_tests: Frames, *, transformations: Settings, published: Beside = None
) -> Tables:
    """Thresholds of topics' best cuts by each two references of a method.

    The paper prints bounds of p.
    """
    table = _of_transformations(reference_tests, transformations)
    item = ITEMS["table-references"]
    tidy = tidy_beside(item, melted(table, [*item.keys[:-1]], "quantity", list(TESTED)), published)
    return tidy, listing(
        table, ARROW, col("method"), col("threshold"),
        each("by", lambda row: f"{row.first} – {row.second}"), col("n_topics", title="topics"),
        each("means", lambda r: f"{text(r.mean_first, '.1f')} – {text(r.mean_second, '.1f')}"),
        estimate("difference", "low", "high", ".1f", "difference, 95 %", BRACKETS),
        _p_beside("p, paired", tidy),
        Column("p, Welch", lambda rows: map(p_text, rows["p_unpaired"])),
        each("higher, lower", lambda row: f"{row.better}, {row.worse}"),
    )  # fmt: skip


def _printed(tidy: Frame, quantity: str) -> np.ndarray:
    """The paper's of each line."""
    return tidy[tidy["quantity"] == quantity]["published"].to_numpy()


def _p_beside(title: str, tidy: Frame) -> Column:
    """p, beside the bounds of p that the paper prints."""
    bounds = ["" if np.isnan(bound) else f"< {bound:g}" for bound in _printed(tidy, "p")]
    return Column(title, lambda rows: map(cell, map(p_text, rows["p"]), bounds))


TESTED = ("mean_first", "mean_second", "difference", "low", "high", "t", "p", "p_unpaired")


def table_widths(
    width_correlations: Frames,
    widths: Frames,
    *,
    transformations: Settings,
    published: Beside = None,
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
    ours = melted(table, [*item.keys[:-1]], "quantity", ["r", "low", "high", "p"])
    tidy = tidy_beside(item, ours, published)
    printed = [text(value, ".2f") for value in _printed(tidy, "r")]
    r = estimate("r", "low", "high", ".2f", "r, 95 %", BRACKETS)
    return tidy, listing(
        table, ARROW, col("method"), col("reference"), col("group", title="cuts"), col("labels"),
        Column(r.title, lambda rows: map(cell, r.cells(rows), printed)), _p_beside("p", tidy),
        col("width", ".1f"), _joined("of levels", spans[1:], ".1f"),
    )  # fmt: skip


def _joined(title: str, names: Sequence[str], spec: str, none: str = "") -> Column:
    """The values of several columns in one, those that there are."""
    return Column(
        title, lambda rows: [_together(row, spec) or none for row in rows[[*names]].to_numpy()]
    )


def _together(values: Iterable[float], spec: str = ".6g") -> str:
    return " ".join(text(value, spec) for value in values if pd.notna(value))


def table_pooled(pooled: Frames, *, transformations: Settings) -> Tables:
    """The best cut of all judgments together beside the one with the highest mean over topics."""
    tidy = _of_transformations(pooled, transformations).drop(columns=["transformation", "note"])
    first = ["source", "levels", "method", "reference"]
    tidy = tidy[[*first, *(name for name in tidy.columns if name not in first)]]

    return tidy, listing(
        tidy, ARROW, col("method"), col("reference"),
        _joined("cut of all judgments", CUT_COLUMNS, ".6g", "–"),
        col("value", ".3f", "its α over all"), col("mean_alpha", ".3f", "its mean over topics"),
        _joined("cut of the highest mean", [f"single_{c}" for c in CUT_COLUMNS], ".6g", "–"),
        col("single_value", ".3f", "its α over all "), col("single_mean_alpha", ".3f", "its mean"),
    )  # fmt: skip


# --- criteria of cuts ----------------------------------------------------------------------------


def table_criteria(picked: Frame, *, reference: str, levels: int) -> Tables:
    """The cut that each criterion picks, and what it is worth in every criterion.

    For one cut for all topics, and for a cut for each; over all topics. In the readable table the
    cost stands in brackets where it is known: what the best cut would have more.
    """
    rows = picked[(picked["reference"].astype(str) == reference) & (picked["topic"] == ALL_TOPICS)]
    rows = rows.astype(dict.fromkeys(("selection", "picks", "measured"), str))
    cuts = list(CUT_COLUMNS[: levels - 1])
    names = ["value", "best", "cost", "share_higher"]
    tidy = rows[["selection", "picks", "measured", *cuts, "tied", *names]].reset_index(drop=True)

    def line(group: Frame) -> dict[str, str]:
        row = {"cut": _together(group[cuts].iloc[0]) or "each its own"}
        for one in group.itertuples():
            label = criterion_label(one.measured)
            row[label] = cell(text(one.value, ".3f"), text(one.cost, ".3f"))
        return row

    readable = by_line(tidy, ["selection", "picks"], line)
    readable["picks"] = readable["picks"].map(criterion_label)
    return tidy, readable.rename(columns={"picks": "picked by"})


def table_levels(levels: Frame) -> Tables:
    """α of the best cuts by the number of levels, over all topics.

    In the readable table ≥ marks what a better cut may exist for.
    """
    rows = levels[levels["topic"] == ALL_TOPICS].astype({"search": str, "selection": str})
    tidy = rows.drop(columns="topic").reset_index(drop=True)

    def line(group: Frame) -> dict[str, str]:
        of = group.set_index("selection")
        row = {"cuts": f"{of['n_cuts'].iloc[0]:,}"}
        for selection, one in of.iterrows():
            mark = "" if one["exact"] or pd.isna(one["value"]) else "≥ "
            row[f"α, {selection}"] = mark + text(one["value"], ".3f")
        single = of.loc["single"]
        row["held out"] = text(single["held_out"], ".3f")
        row["single cut"] = _together(single[f"c{j}"] for j in range(1, single["levels"]))
        return row

    return tidy, by_line(tidy, ["search", "levels"], line)
