"""Tables of how far cuts can be trusted, which go past han2019."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.errors import ParameterError
from regrade.show.published import Tables


def searched(table: pd.DataFrame, searches: Sequence[str] | None) -> pd.DataFrame:
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
    searches: Sequence[str] | None = None,
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
                row[f"{value.quantity}, {resampled}"] = _with_ends(
                    value.estimate, value.low, value.high, ".4g"
                )
        row |= _worth(gained[gained["search"] == search])
        rows.append(row | _left_out(left[left["search"] == search]))
        effect = said[said["search"] == search]
        rows[-1]["where the choice does not matter"] = next(
            (text for text in effect["said"].dropna()), ""
        )
    tidy = drawn.drop(columns=["search"]).assign(source=source, levels=levels)
    return tidy, pd.DataFrame(rows).fillna("")


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
        parts.append(drawn.drop(columns="search").assign(transformation=name, **_named(about)))
    return pd.concat(parts, ignore_index=True), pd.DataFrame(rows).fillna("")


def _named(about: Mapping) -> dict:
    return {"source": about["source"], "levels": about["levels"]}


def _of_single(own: pd.DataFrame) -> dict[str, str]:
    """Thresholds, and where 95 % of draws of topics put them."""
    single = own[(own["selection"] == "single") & own["quantity"].isin(CUT_COLUMNS)]
    return {
        value.quantity: _with_ends(value.estimate, value.low, value.high, ".4g")
        for value in single.itertuples()
    }


def _worth(gains: pd.DataFrame) -> dict[str, str]:
    """α where the cut was chosen, on other topics, and there by how much it exceeds named cuts."""
    row = {}
    for value in gains.itertuples():
        ends = _with_ends(value.held_out, value.low, value.high, ".3f")
        if isinstance(value.against, str):
            row[f"α gained on {value.against}, other topics".replace("_", " ")] = ends
        else:
            row |= {"α": number_text(value.in_sample), "α, other topics": ends}
    return row


def _of_plateau(effect: pd.DataFrame) -> dict[str, str]:
    """How many cuts cannot be told from the best, and what choosing among them changes."""
    if effect.empty or pd.isna(effect.iloc[0]["on"]):
        return {}
    one = effect.iloc[0]
    row = {"cannot be told apart": f"{one['on']:,.0f} of {one['n_cuts']:,.0f} cuts"}
    row["their lowest α"] = number_text(one["alpha_low"])
    if pd.notna(one["moved"]):
        row["systems that move"] = f"{one['moved']:.0f} of {one['n_systems']:.0f}"
        row["places at most"] = f"{one['farthest']:.0f}"
    if pd.notna(one["tau_low"]):
        row["τ_b"] = f"{one['tau_low']:.3f} … {one['tau_high']:.3f}"
    return row


def _with_ends(estimate: float, low: float, high: float, form: str) -> str:
    if np.isnan(estimate):
        return ""
    said = format(estimate, form)
    return said if np.isnan(low) else f"{said} ({low:{form}} … {high:{form}})"


def _left_out(rows: pd.DataFrame) -> dict[str, str]:
    """What the cuts are worth held out, by α."""
    rows = rows[(rows["criterion"] == "alpha") & rows["held_out"].notna()]
    return {
        f"{row.selection}, held out {row.split}": f"{row.held_out:.3f}" for row in rows.itertuples()
    }


def table_held_out(
    held_out: pd.DataFrame,
    *,
    searches: Sequence[str] | None = None,
    source: str = "",
    levels: int | None = None,
) -> Tables:
    """What each choice is worth on what it did not see, its optimism, and how the choices differ.

    Cuts chosen by τ_b (``tau@TR2``) are searches too.
    """
    rows = searched(held_out, searches)
    readable = pd.DataFrame(
        {
            "search": rows["search"],
            "held out": rows["split"].astype(str),
            "judged by": [
                "α" if row.criterion == "alpha" else f"τ_b, {row.expert}"
                for row in rows.itertuples()
            ],
            "choice": rows["selection"].astype(str),
            "in sample": rows["in_sample"].map(number_text),
            "where chosen": rows["training"].map(number_text),
            "held out: value": rows["held_out"].map(number_text),
            "optimism": [
                interval_text(r.optimism, r.optimism_low, r.optimism_high)
                for r in rows.itertuples()
            ],
            "less single": [interval_text(r.difference, r.low, r.high) for r in rows.itertuples()],
            "p": rows["p"].map(p_text),
            "own weight": rows["weight"].map(lambda w: "" if pd.isna(w) else f"{w:.2f}"),
            "note": texts(rows["note"]),
        }
    )
    return rows.drop(columns="search").assign(source=source, levels=levels), readable


def table_unlabelled(
    unlabelled: pd.DataFrame,
    *,
    searches: Sequence[str] | None = None,
    source: str = "",
    levels: int | None = None,
) -> Tables:
    """Mean α of the cuts that each rule chooses without a topic's labels.

    Of searches with a reference.
    """
    rows = with_reference(searched(unlabelled, searches))
    means = rows[rows["topic"] == ALL_TOPICS]
    readable = pd.DataFrame(
        {
            "search": means["search"],
            "rule": means["rule"].astype(str),
            "learnt on": texts(means["trained"]),
            "topics": means["n_topics"].map(lambda n: f"{n:.0f}"),
            "α": means["alpha"].map(number_text),
            "less than each topic's best": means["regret"].map(number_text),
            "less single": [interval_text(r.difference, r.low, r.high) for r in means.itertuples()],
            "note": texts(means["note"]),
        }
    )
    return rows.drop(columns="search").assign(source=source, levels=levels), readable


def with_reference(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of searches with a reference: others have no labels to judge a rule by."""
    return rows[rows["reference"].notna()]


def number_text(value: float) -> str:
    """To three decimals; empty where there is none."""
    return "" if pd.isna(value) else f"{value:.3f}"


def p_text(value: float) -> str:
    """A p to four decimals; empty where there is none."""
    return "" if pd.isna(value) else f"{value:.4f}"


def interval_text(value: float, low: float, high: float) -> str:
    """A value and the ends of its interval, where it has one."""
    within = "" if pd.isna(value) or pd.isna(low) else f" ({low:.3f} … {high:.3f})"
    return f"{number_text(value)}{within}"


def texts(column: pd.Series) -> pd.Series:
    """The column's texts; empty where there is none."""
    return column.astype(object).where(column.notna(), "")
