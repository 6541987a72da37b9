"""Tables of how far cuts can be trusted, which go past han2019."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.errors import ParameterError
from regrade.show.item_tables import Names
from regrade.show.published import Tables, col, each, estimate, listing, text, with_ends


def searched(table: pd.DataFrame, searches: Names) -> pd.DataFrame:
    """The rows of some searches, with a column ``search`` that names them as in paths."""
    reference = table["reference"].astype(object)
    name = table["method"].astype(str)
    name = name.where(reference.isna(), name + "@" + reference.fillna("").astype(str))
    table = table.assign(search=name)
    known = list(dict.fromkeys(name))
    for search in searches or ():
        if search not in known:
            raise ParameterError(f"no rows of '{search}'; there are {', '.join(known)}")
    if searches is None:
        return table
    order = {search: i for i, search in enumerate(searches)}
    table = table[table["search"].isin(searches)]
    return table.sort_values("search", key=lambda names: names.map(order), kind="stable")


def table_trust(
    bootstrap: pd.DataFrame,
    gains: pd.DataFrame,
    held_out: pd.DataFrame,
    effects: pd.DataFrame,
    *,
    searches: Names = None,
    source: str = "",
    levels: int | None = None,
) -> Tables:
    """The single cut of each search and where draws put it, its α held out, and its plateau.

    The tidy table is what of ``bootstrap`` is about the one cut for all topics.
    """
    drawn = searched(bootstrap, searches)
    drawn = drawn[drawn["topic"] == ALL_TOPICS]
    gained = searched(gains, searches)
    left = searched(held_out, searches)
    said = searched(effects, searches)
    rows = []
    for search, own in drawn.groupby("search", sort=False, observed=True):
        row = {"search": search}
        for resampled, of_kind in own.groupby("resampled", sort=False, observed=True):
            single = of_kind[of_kind["selection"] == "single"]
            for value in single[single["quantity"].isin(CUT_COLUMNS)].itertuples():
                ends = with_ends(value.estimate, value.low, value.high, ".4g")
                row[f"{value.quantity}, {resampled}"] = ends
        row |= _worth(gained[gained["search"] == search])
        rows.append(row | _left_out(left[left["search"] == search]))
        effect = said[said["search"] == search]
        rows[-1]["where the choice does not matter"] = next(
            (text for text in effect["said"].dropna()), ""
        )
    return of_transformation(drawn, source, levels), pd.DataFrame(rows).fillna("")


def table_sure(
    bootstrap: Mapping[str, pd.DataFrame],
    gains: Mapping[str, pd.DataFrame],
    held_out: Mapping[str, pd.DataFrame],
    effects: Mapping[str, pd.DataFrame],
    *,
    transformations: Mapping[str, Mapping],
) -> Tables:
    """The single cut of each transformation and search, and what it is worth.

    The tidy table is what of ``bootstrap`` is about all topics, topics being drawn.
    """
    rows, parts = [], []
    for name, about in transformations.items():
        drawn = searched(bootstrap[name], None)
        drawn = drawn[(drawn["topic"] == ALL_TOPICS) & (drawn["resampled"] == "topics")]
        gained = searched(gains[name], None)
        left, said = searched(held_out[name], None), searched(effects[name], None)
        for search, own in drawn.groupby("search", sort=False, observed=True):
            row = {"scale": about["source"], "levels": about["levels"], "search": search}
            row |= _of_single(own) | _worth(gained[gained["search"] == search])
            row |= _left_out(left[left["search"] == search])
            effect = said[said["search"] == search]
            rows.append(row | _of_plateau(effect))
        drawn = drawn.assign(transformation=name)
        parts.append(of_transformation(drawn, about["source"], about["levels"]))
    return pd.concat(parts, ignore_index=True), pd.DataFrame(rows).fillna("")


def _of_single(own: pd.DataFrame) -> dict[str, str]:
    """Thresholds, and where 95 % of draws of topics put them."""
    single = own[(own["selection"] == "single") & own["quantity"].isin(CUT_COLUMNS)]
    return {
        value.quantity: with_ends(value.estimate, value.low, value.high, ".4g")
        for value in single.itertuples()
    }


def _worth(gains: pd.DataFrame) -> dict[str, str]:
    """α where the cut was chosen, on other topics, and there by how much it exceeds named cuts."""
    row = {}
    for value in gains.itertuples():
        ends = with_ends(value.held_out, value.low, value.high, ".3f")
        if isinstance(value.against, str):
            row[f"α gained on {value.against}, other topics".replace("_", " ")] = ends
        else:
            row |= {"α": text(value.in_sample, ".3f"), "α, other topics": ends}
    return row


def _of_plateau(effect: pd.DataFrame) -> dict[str, str]:
    """How many cuts cannot be told from the best, and what choosing among them changes."""
    if effect.empty or pd.isna(effect.iloc[0]["on"]):
        return {}
    one = effect.iloc[0]
    row = {"cannot be told apart": f"{one['on']:,.0f} of {one['n_cuts']:,.0f} cuts"}
    row["their lowest α"] = text(one["alpha_low"], ".3f")
    if pd.notna(one["moved"]):
        row["systems that move"] = f"{one['moved']:.0f} of {one['n_systems']:.0f}"
        row["places at most"] = f"{one['farthest']:.0f}"
    if pd.notna(one["tau_low"]):
        row["τ_b"] = f"{one['tau_low']:.3f} … {one['tau_high']:.3f}"
    return row


def _left_out(rows: pd.DataFrame) -> dict[str, str]:
    """What the cuts are worth held out, by α."""
    rows = rows[(rows["criterion"] == "alpha") & rows["held_out"].notna()]
    return {
        f"{row.selection}, held out {row.split}": f"{row.held_out:.3f}" for row in rows.itertuples()
    }


def table_held_out(
    held_out: pd.DataFrame, *, searches: Names = None, source: str = "", levels: int | None = None
) -> Tables:
    """What each choice is worth on what it did not see, its optimism, and how the choices differ.

    Cuts chosen by τ_b (``tau@TR2``) are searches too.
    """
    rows = searched(held_out, searches)
    readable = listing(
        rows, col("search"), col("split", title="held out"),
        each("judged by", lambda r: "α" if r.criterion == "alpha" else f"τ_b, {r.expert}"),
        col("selection", title="choice"), col("in_sample", ".3f", "in sample"),
        col("training", ".3f", "where chosen"), col("held_out", ".3f", "held out: value"),
        estimate("optimism", "optimism_low", "optimism_high", ".3f", "optimism"),
        estimate("difference", "low", "high", ".3f", "less single"), col("p", ".4f"),
        col("weight", ".2f", "own weight"), col("note"),
    )  # fmt: skip
    return of_transformation(rows, source, levels), readable


def of_transformation(rows: pd.DataFrame, source: str, levels: int | None) -> pd.DataFrame:
    """The tidy table of rows of searches."""
    return rows.drop(columns="search").assign(source=source, levels=levels)


def table_unlabelled(
    unlabelled: pd.DataFrame, *, searches: Names = None, source: str = "", levels: int | None = None
) -> Tables:
    """Mean α of the cuts that each rule chooses without a topic's labels.

    Of searches with a reference.
    """
    rows = with_reference(searched(unlabelled, searches))
    means = rows[rows["topic"] == ALL_TOPICS]
    readable = listing(
        means, col("search"), col("rule"), col("trained", title="learnt on"),
        col("n_topics", ".0f", "topics"), col("alpha", ".3f", "α"),
        col("regret", ".3f", "less than each topic's best"),
        estimate("difference", "low", "high", ".3f", "less single"), col("note"),
    )  # fmt: skip
    return of_transformation(rows, source, levels), readable


def with_reference(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of searches with a reference: others have no labels to judge a rule by."""
    return rows[rows["reference"].notna()]
