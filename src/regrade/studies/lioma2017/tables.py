"""The tables of lioma2017, arranged from what the stages ``rated_lists`` and ``criteria`` made.

What of the paper comes out, and what does not, is in docs/methods/lioma2017.md.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS
from regrade.show.item_tables import Frame
from regrade.show.published import (
    Beside,
    Tables,
    cells,
    col,
    crossed,
    each,
    laid_out,
    listing,
    tidy_beside,
)
from regrade.studies.lioma2017.items import LIOMA2017

ITEMS = LIOMA2017.by_name

DIMENSIONS = (
    "grades", "gains", "discount", "divisor", "recall", "undefined", "ties", "combined",
    "relevant_from",
)  # fmt: skip
"""What conventions are told by."""


def table_3(conventions: Frame, *, published: Beside = None) -> Tables:
    """Each measure's mean over lists under the plain reading, and the convention nearest to print.

    `nearest` is the mean of all conventions' that is nearest to the printed one, `distance` how far
    it is, `convention` which; empty without printed numbers.
    """
    conventions = _in_words(conventions)
    plain = conventions[conventions["plain"]].rename(columns={"value": "ours"})
    tidy = tidy_beside(ITEMS["table-3"], plain, published).reset_index(drop=True)
    near = [_nearest(conventions, row.measure, row.published) for row in tidy.itertuples()]
    tidy = tidy.join(pd.DataFrame(near, columns=["nearest", "distance", "convention"]))
    tidy["mean"] = cells(ITEMS["table-3"], tidy)
    readable = listing(
        tidy, col("measure"), col("mean"), col("nearest", "z.4f", "nearest convention's"),
        col("distance", "z.4f"), col("convention"),
    )  # fmt: skip
    return tidy.drop(columns="mean"), readable


def _nearest(conventions: Frame, measure: str, printed: float) -> tuple[float, float, str]:
    if pd.isna(printed):
        return np.nan, np.nan, ""
    own = conventions[(conventions["measure"] == measure) & conventions["value"].notna()]
    distance = (own["value"] - printed).abs()
    row = own.loc[distance.idxmin()]
    return row["value"], distance.min(), row["convention"]


def table_4(examples: Frame, *, published: Beside = None) -> Tables:
    """The lists that hold a result that is high by one criterion and low by the other.

    With the assessor of the list. The paper does not say whose list: of each of its results the
    list stands here whose values are the nearest, and no other result.
    """
    text = ["high", "topic", "assessor", "docno", "measure"]
    examples = examples.astype(dict.fromkeys(text, str)).rename(columns={"value": "ours"})
    item = ITEMS["table-4"]
    if published is not None:
        published = published.astype({"topic": str, "docno": str})
        examples = _nearest_lists(examples, published)
    rows = ["high", "topic", "rank", "docno", "assessor"]
    return crossed(item, examples, published, extra=["assessor"], rows=rows)


def _nearest_lists(examples: Frame, published: Frame) -> Frame:
    """Of each printed result the list with the least mean difference."""
    keys = list(ITEMS["table-4"].keys)
    both = examples.merge(published, on=keys, how="inner")
    both["difference"] = (both["ours"] - both["published"]).abs()
    result = keys[:-1]
    means = both.groupby([*result, "assessor"], sort=False)["difference"].mean().reset_index()
    chosen = means.sort_values("difference", kind="stable").drop_duplicates(result)
    kept = both.merge(chosen[[*result, "assessor"]], on=[*result, "assessor"])
    return kept[[*keys, "assessor", "ours"]]


def table_correlations(correlations: Frame, *, published: Beside = None) -> Tables:
    """Spearman's ρ of each two measures.

    The paper does not say over what.
    """
    item = ITEMS["table-correlations"]
    ours = correlations.rename(columns={"rho": "ours"})
    tidy = tidy_beside(item, ours, published, extra=["n"])
    alone = tidy[tidy["first"].isin(["NDCG", "AP", "F-1", "G"])].reset_index(drop=True)
    return tidy, laid_out(alone, cells(item, alone), ["over", "first"], ["second"])


def table_conventions(conventions: Frame) -> Tables:
    """The mean of each measure under each convention.

    The readable table leaves out aggregates of two measures.
    """
    tidy = _in_words(conventions)
    readable = tidy[~tidy["measure"].str.contains("(", regex=False)].reset_index(drop=True)
    readable = readable.assign(
        convention=readable["convention"] + readable["plain"].map({True: " *", False: ""})
    )
    return tidy, listing(
        readable, col("measure"), col("convention", title="convention (* plain)"),
        col("value", ".4f", "mean"), col("lists", ".0f"), col("undefined_lists", ".0f", "left out"),
    )  # fmt: skip


def _in_words(conventions: Frame) -> Frame:
    """The table with its conventions in words, as one text."""
    names = [name for name in DIMENSIONS if name != "relevant_from"]
    table = conventions.astype(dict.fromkeys(["measure", *names], str))
    rel = [("" if pd.isna(grade) else f"{grade:g}") for grade in table["relevant_from"]]
    words = table[names].assign(relevant_from=rel)
    table["convention"] = [
        "; ".join(f"{name.replace('_', ' ')} {value}" for name, value in row.items() if value)
        for row in words.to_dict("records")
    ]
    return table


def table_desiderata(desiderata: Frame) -> Tables:
    """Whether each measure has each desideratum: as the paper says, and in how many cases."""
    names = ["measure", "desideratum", "reading", "statement", "claimed"]
    tidy = desiderata.astype(dict.fromkeys(names, str))
    readable = tidy.assign(desideratum=tidy["desideratum"] + " " + tidy["reading"])
    readable["desideratum"] = readable["desideratum"].str.strip()
    texts = [
        f"{'all' if row.held == row.cases else row.held} of {row.cases}; claimed: {row.claimed}"
        for row in readable.itertuples()
    ]
    return tidy, laid_out(readable, texts, ["desideratum", "statement"], ["measure"])


def table_list_desiderata(desiderata: Frame) -> Tables:
    """`table_desiderata` of a collection without systems; small rankings are all it rests on."""
    return table_desiderata(desiderata)


def table_systems(rankings: Frame, coverage: Frame) -> Tables:
    """How rankings under several criteria, or another one, differ from that under the first.

    The tidy table has the documents that each other set shares with the first.
    """
    text = ["measure", "set", "best", "best_of_first"]
    tidy = rankings.astype(dict.fromkeys(text, str))
    shared = coverage[coverage["topic"].astype(str) == ALL_TOPICS].astype({"other": str})
    counts = ["both", "only_first", "only_other"]
    tidy = tidy.merge(shared[["other", *counts]], left_on="set", right_on="other", how="left").drop(
        columns="other"
    )
    readable = tidy.assign(set=tidy["set"].replace({"": "several"}))
    return tidy, listing(
        readable, col("measure"), col("set", title="labels"), col("n_systems", title="systems"),
        col("tau", ".3f", "τ_b"), col("rho", ".3f", "ρ"),
        col("moved", title="systems that change rank"), col("farthest"),
        each("same among the first", lambda row: f"{row.top_shared} of {row.top}"),
        col("best", title="first system"), col("both", ",.0f", "documents shared"),
        col("only_first", ",.0f", "only in first"), col("only_other", ",.0f", "only in other"),
    )  # fmt: skip
