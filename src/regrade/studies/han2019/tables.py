"""Tables 2–4 of han2019 from ours.

A function takes the tables that its item shows and gives the tidy table (see
`regrade.show.beside`) and the one for reading.

References
----------
Han, Roitero, Maddalena, Mizzaro, Demartini: On Transforming Relevance Scales. CIKM 2019.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from regrade.choices import CUT_METHODS
from regrade.schemas import ALL_TOPICS, CUT_COLUMNS
from regrade.show.beside import Tables, beside
from regrade.studies.han2019.items import HAN2019

ITEMS = HAN2019.by_name

CUT_NAMES = ("left", "middle", "right")
"""The three cuts of four levels into two."""


def table_2(best_cuts: Mapping[str, pd.DataFrame]) -> Tables:
    """The transformations of a collection and the methods that each is made with.

    Parameters
    ----------
    best_cuts
        Tables ``cuts/best_cuts`` by transformation.

    Returns
    -------
    tidy, readable : DataFrame
        One row per search: transformation, datasets, method, reference, compares.
    """
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


def table_3(cuts: pd.DataFrame, published: pd.DataFrame | None = None) -> Tables:
    """Table 3, tidy and for reading.

    Parameters
    ----------
    cuts
        Table ``expert-cuts/agreement``.
    published
        The paper's own table.
    """
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
        rows.append(row)
    readable = pd.DataFrame(rows)
    if published is None:
        readable = readable.loc[:, ~readable.columns.str.endswith("(paper)")]
    return tidy, readable


def _cut_names(cuts: pd.Series) -> pd.Series:
    """Left, middle, right for four levels into two; the threshold itself otherwise."""
    if cuts.nunique() == len(CUT_NAMES):
        return cuts.map(dict(enumerate(CUT_NAMES)))
    return cuts.astype(str)


# --- Table 4 -----------------------------------------------------------------------------------


def table_4(
    rankings: Mapping[str, pd.DataFrame],
    best_cuts: Mapping[str, pd.DataFrame],
    published: pd.DataFrame | None = None,
    *,
    transformations: Mapping[str, Mapping],
) -> Tables:
    """Table 4, tidy and for reading.

    Parameters
    ----------
    rankings, best_cuts
        Tables ``rankings`` and ``cuts/best_cuts`` by transformation.
    published
        The paper's own table.  It writes references without the subscript a, so a reference
        that assumes unjudged non-relevant stands beside the paper's where the collection has
        it, else the one that drops them.
    transformations
        ``source`` and ``levels`` of each transformation.

    Returns
    -------
    tidy, readable : DataFrame
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
    return tidy, _readable_4(tidy)


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


def _readable_4(tidy: pd.DataFrame) -> pd.DataFrame:
    rows = []
    keys = ["source", "levels", "method", "reference"]
    for (source, levels, method, reference), group in tidy.groupby(keys, sort=False):
        row = {"source": source, "levels": levels, "method": method, "reference": reference}
        tau = group[group["quantity"] == "tau"]
        for value in tau.itertuples():
            paper = _text(value.published, ".2f")
            shown = (_text(value.ours, ".2f") or "–") + (f" ({paper})" if paper else "")
            row[f"{value.selection} τ, {value.expert}"] = shown
        cut = group[group["quantity"] == "cut"].sort_values("threshold")
        row["single cut"] = " ".join(_text(value, ".6g") or "–" for value in cut["ours"])
        if cut["published"].notna().any():
            printed = " ".join(_text(value, ".0f") for value in cut["published"])
            row["single cut"] += f" ({printed})"
        rows.append(row)
    return pd.DataFrame(rows).fillna("")


def _text(value, spec: str) -> str:
    """A number as text; empty where there is none."""
    return "" if value is None or pd.isna(value) else format(float(value), spec)
