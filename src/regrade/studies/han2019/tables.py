"""Tables 2–4 of han2019 from ours.

Each function gives the tidy table (see `regrade.show.beside`) and the one for reading.

References
----------
Han, Roitero, Maddalena, Mizzaro, Demartini: On Transforming Relevance Scales. CIKM 2019.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.agreement import alpha
from regrade.choices import CUT_METHODS
from regrade.cutsearch.best import TIED
from regrade.cutsearch.search import mean_of_defined
from regrade.schemas import ALL_TOPICS, CUT_COLUMNS
from regrade.show.beside import beside

CUT_NAMES = ("left", "middle", "right")
"""The three cuts of four levels into two."""

TABLE_3_KEYS = ["source", "reference", "documents", "cut"]
TABLE_4_KEYS = [
    "source",
    "levels",
    "method",
    "reference",
    "selection",
    "expert",
    "quantity",
    "threshold",
]


def table_2(searches: Mapping[str, Sequence[tuple[str, str | None]]]) -> pd.DataFrame:
    """The transformations of a collection and the methods that each is made with.

    Parameters
    ----------
    searches
        (method, reference) of each search, by transformation.

    Returns
    -------
    DataFrame
        One row per search: transformation, datasets, method, reference, compares.
    """
    rows = [
        {
            "transformation": transformation,
            "datasets": "double" if reference else "single",
            "method": method,
            "reference": reference or "",
            "compares": CUT_METHODS[method].summary,
        }
        for transformation, pairs in searches.items()
        for method, reference in pairs
    ]
    return pd.DataFrame(rows)


# --- Table 3 -----------------------------------------------------------------------------------


def expert_cuts(
    source: pa.Table,
    reference: pa.Table,
    pool: pa.Table,
    source_name: str,
    reference_name: str,
    levels: int,
) -> pd.DataFrame:
    """α of experts' labels, cut into two levels, against other experts' binary labels.

    Three ways to treat the pool's unjudged documents (han2019 §3.4): leave them out; call those
    non-relevant that the source lacks; call all non-relevant.

    Parameters
    ----------
    source
        Schema ``qrels`` on a scale of `levels` levels.
    reference
        Schema ``qrels``, binary.
    pool
        Any table with topic and docno: the documents that count.
    source_name, reference_name
        For the table; a subscript ``_a`` marks the completed sets.
    levels
        Levels of the source.

    Returns
    -------
    DataFrame in schema ``expert_cuts``: `alpha` is over all documents together, `mean_alpha`
    over the topics where α is defined (the paper does not say which of the two it prints),
    `best_topics` counts the topics where the cut has the highest α.
    """
    frame = _pool_labels(source, reference, pool)
    rows = []
    for complete_source, complete_reference in ((False, False), (True, False), (True, True)):
        known = frame.copy()
        if complete_source:
            known["source"] = known["source"].fillna(0)
        if complete_reference:
            known["reference"] = known["reference"].fillna(0)
        known = known.dropna()
        topics = [group for _, group in known.groupby("topic")]
        per_topic = np.array(
            [[_cut_alpha(group, cut) for cut in range(levels - 1)] for group in topics]
        ).reshape(len(topics), levels - 1)
        means = mean_of_defined(per_topic.T)
        defined = per_topic[~np.isnan(per_topic).all(axis=1)]
        best = defined >= np.nanmax(defined, axis=1, keepdims=True) - TIED
        rows += [
            {
                "source": source_name + ("_a" if complete_source else ""),
                "reference": reference_name + ("_a" if complete_reference else ""),
                "documents": len(known),
                "c1": cut,
                "alpha": _cut_alpha(known, cut),
                "mean_alpha": means[cut],
                "best_topics": int(best[:, cut].sum()),
                "n_topics": len(defined),
            }
            for cut in range(levels - 1)
        ]
    return pd.DataFrame(rows)


def _pool_labels(source: pa.Table, reference: pa.Table, pool: pa.Table) -> pd.DataFrame:
    """Both labels of each document of the pool; NaN where unjudged."""
    keys = ["topic", "docno"]
    frame = pool.select(keys).to_pandas().astype(str).drop_duplicates()
    for name, table in (("source", source), ("reference", reference)):
        labels = table.to_pandas().astype({"topic": str, "docno": str})
        frame = frame.merge(labels.rename(columns={"grade": name}), on=keys, how="left")
    return frame.sort_values(keys, ignore_index=True)


def _cut_alpha(frame: pd.DataFrame, cut: int) -> float:
    """α of two coders on a binary scale, where all metrics agree."""
    return alpha(np.array([frame["source"] > cut, frame["reference"] > 0], dtype=float), "nominal")


def table_3(
    cuts: pd.DataFrame, published: pd.DataFrame | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 3, tidy and for reading.

    Parameters
    ----------
    cuts
        Schema ``expert_cuts``.
    published
        The paper's own table.
    """
    ours = cuts.rename(columns={"alpha": "ours"})
    ours["cut"] = _cut_names(ours["c1"])
    if published is not None:
        # the number of documents is one of the paper's results, not what identifies a value
        sizes = published.drop_duplicates(["source", "reference"])
        printed = published.drop(columns="documents")
        tidy = beside(ours, printed, [key for key in TABLE_3_KEYS if key != "documents"])
        tidy.insert(2, "documents", ours["documents"].to_numpy())
        paper = sizes.set_index(["source", "reference"])["documents"]
    else:
        tidy = beside(ours, None, TABLE_3_KEYS)
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
    transformations: Mapping[str, tuple[str, int]],
    rankings: Mapping[str, pd.DataFrame],
    best: Mapping[str, pd.DataFrame],
    published: pd.DataFrame | None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 4, tidy and for reading.

    Parameters
    ----------
    transformations
        Source and target levels by transformation.
    rankings, best
        Tables of schema ``rankings`` and ``best_cuts`` by transformation.
    published
        The paper's own table.  It writes references without the subscript a, so a reference
        that assumes unjudged non-relevant stands beside the paper's where the collection has
        it, else the one that drops them.

    Returns
    -------
    tidy, readable : DataFrame
    """
    parts = []
    for name, (source, levels) in transformations.items():
        tau = rankings[name].rename(columns={"tau": "ours"})
        tau = tau[["method", "reference", "selection", "expert", "ours"]]
        tau = tau.assign(quantity="tau", threshold="")
        single = best[name][best[name]["topic"] == ALL_TOPICS]
        cuts = single.melt(
            id_vars=["method", "reference"],
            value_vars=list(CUT_COLUMNS[: levels - 1]),
            var_name="threshold",
            value_name="ours",
        )
        cuts = cuts.assign(selection="single", expert="", quantity="cut")
        part = pd.concat([tau, cuts.astype({"ours": float})], ignore_index=True)
        parts.append(part.assign(source=source, levels=levels))
    ours = pd.concat(parts, ignore_index=True)
    for key in ("method", "reference", "selection", "expert", "threshold"):
        ours[key] = ours[key].astype(object).where(ours[key].notna(), "").astype(str)
    ours["printed"] = _as_printed(ours)
    if published is None:
        tidy = beside(ours, None, TABLE_4_KEYS)
    else:
        keys = ["printed" if key == "reference" else key for key in TABLE_4_KEYS]
        printed = published.rename(columns={"reference": "printed"})
        tidy = beside(ours, printed, keys)
        tidy.insert(3, "reference", ours["reference"].to_numpy())
        tidy = tidy.drop(columns="printed")
    return tidy, _readable_4(tidy)


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
        row["single cut"] = " ".join(_text(value, ".0f") or "–" for value in cut["ours"])
        if cut["published"].notna().any():
            printed = " ".join(_text(value, ".0f") for value in cut["published"])
            row["single cut"] += f" ({printed})"
        rows.append(row)
    return pd.DataFrame(rows).fillna("")


def _text(value, spec: str) -> str:
    """A number as text; empty where there is none."""
    return "" if value is None or pd.isna(value) else format(float(value), spec)
