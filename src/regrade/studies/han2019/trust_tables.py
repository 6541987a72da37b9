"""Tables of how far cuts can be trusted, and of judges' own cuts, which go past han2019."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.errors import ParameterError
from regrade.scales import exactly
from regrade.show.item_tables import Frame, Frames, Names, Settings
from regrade.show.published import Tables, by_line, col, each, estimate, listing, text, with_ends


@dataclass(frozen=True)
class Shown:
    """Which searches of a transformation an item shows, all where none are named."""

    searches: Names = None
    source: str = ""
    levels: int | None = None

    def rows(self, table: Frame) -> Frame:
        """The searches' rows, with a column ``search`` that names them as in paths."""
        reference = table["reference"].astype(object)
        name = table["method"].astype(str)
        name = name.where(reference.isna(), name + "@" + reference.fillna("").astype(str))
        table = table.assign(search=name)
        if self.searches is None:
            return table
        known = list(dict.fromkeys(name))
        for search in self.searches:
            if search not in known:
                raise ParameterError(f"no rows of '{search}'; there are {', '.join(known)}")
        order = {search: i for i, search in enumerate(self.searches)}
        table = table[table["search"].isin(order)]
        return table.sort_values("search", key=lambda names: names.map(order), kind="stable")

    def referred(self, table: Frame) -> Frame:
        """Rows of searches with a reference: others have no labels to judge a rule by."""
        rows = self.rows(table)
        return rows[rows["reference"].notna()]

    def tidy(self, rows: Frame) -> Frame:
        """The tidy table of rows of searches."""
        return rows.drop(columns="search").assign(source=self.source, levels=self.levels)


def table_trust(
    bootstrap: Frame, gains: Frame, held_out: Frame, effects: Frame, **of: object
) -> Tables:
    """The single cut of each search and where draws put it, its α held out, and its plateau.

    The tidy table is what of ``bootstrap`` is about the one cut for all topics.
    """
    selection = Shown(**of)
    drawn, gains, held_out, effects = map(selection.rows, (bootstrap, gains, held_out, effects))
    drawn = drawn[drawn["topic"] == ALL_TOPICS]

    def line(own: Frame) -> dict[str, str]:
        line, search = {}, own["search"].iloc[0]
        for resampled, of_kind in own.groupby("resampled", sort=False, observed=True):
            cut = _single_cut(of_kind)
            line |= {f"{threshold}, {resampled}": ends for threshold, ends in cut.items()}
        line |= _worth(gains, held_out, search)
        verdicts = effects.loc[effects["search"] == search, "said"].dropna()
        return line | {"plateau of the optimum": next(iter(verdicts), "")}

    return selection.tidy(drawn), by_line(drawn, ["search"], line)


def table_sure(
    bootstrap: Frames,
    gains: Frames,
    held_out: Frames,
    effects: Frames,
    *,
    transformations: Settings,
) -> Tables:
    """The single cut of each transformation and search, and what it is worth.

    The tidy table is what of ``bootstrap`` is about all topics, topics being drawn.
    """
    lines, parts = [], []
    for name, about in transformations.items():
        selection = Shown(None, about["source"], about["levels"])
        of_all = (table[name] for table in (bootstrap, gains, held_out, effects))
        drawn, gained, left, verdicts = map(selection.rows, of_all)
        drawn = drawn[(drawn["topic"] == ALL_TOPICS) & (drawn["resampled"] == "topics")]
        for search, own in drawn.groupby("search", sort=False, observed=True):
            line = {"scale": selection.source, "levels": selection.levels, "search": search}
            line |= _single_cut(own) | _worth(gained, left, search)
            lines.append(line | _of_plateau(verdicts[verdicts["search"] == search]))
        parts.append(selection.tidy(drawn.assign(transformation=name)))
    return pd.concat(parts, ignore_index=True), pd.DataFrame(lines).fillna("")


def _single_cut(drawn: Frame) -> dict[str, str]:
    """Thresholds of the one cut for all topics, and where 95 % of draws put them."""
    single = drawn[(drawn["selection"] == "single") & drawn["quantity"].isin(CUT_COLUMNS)]
    return {
        value.quantity: with_ends(value.estimate, value.low, value.high, ".4g")
        for value in single.itertuples()
    }


def _worth(gains: Frame, held_out: Frame, search: str) -> dict[str, str]:
    """α where the cut was chosen, on other topics, there more than named cuts', and held out."""
    row = {}
    for value in gains[gains["search"] == search].itertuples():
        ends = with_ends(value.held_out, value.low, value.high, ".3f")
        if isinstance(value.against, str):
            row[f"α gained on {value.against}, other topics".replace("_", " ")] = ends
        else:
            row |= {"α": text(value.in_sample, ".3f"), "α, other topics": ends}
    rows = held_out[(held_out["search"] == search) & (held_out["criterion"] == "alpha")]
    return row | {
        f"{value.selection}, held out {value.split}": f"{value.held_out:.3f}"
        for value in rows[rows["held_out"].notna()].itertuples()
    }


def _of_plateau(effect: Frame) -> dict[str, str]:
    """How many cuts are not significantly worse than the best, and what their choice changes."""
    if effect.empty or pd.isna(effect.iloc[0]["on"]):
        return {}
    one = effect.iloc[0]
    row = {"not significantly worse": f"{one['on']:,.0f} of {one['n_cuts']:,.0f} cuts"}
    row["their lowest α"] = text(one["alpha_low"], ".3f")
    if pd.notna(one["moved"]):
        row["systems that change rank"] = f"{one['moved']:.0f} of {one['n_systems']:.0f}"
        row["largest rank change"] = f"{one['farthest']:.0f}"
    if pd.notna(one["tau_low"]):
        row["τ_b"] = f"{one['tau_low']:.3f} … {one['tau_high']:.3f}"
    return row


def table_held_out(held_out: Frame, **of: object) -> Tables:
    """What each choice is worth on what it did not see, its optimism, and how the choices differ.

    Cuts chosen by τ_b (``tau@TR2``) are searches too.
    """
    selection = Shown(**of)
    rows = selection.rows(held_out)
    readable = listing(
        rows, col("search"), col("split", title="held out"),
        each("evaluated by", lambda r: "α" if r.criterion == "alpha" else f"τ_b, {r.expert}"),
        col("selection", title="choice"), col("in_sample", ".3f", "in sample"),
        col("training", ".3f", "training"), col("held_out", ".3f", "held out: value"),
        estimate("optimism", "optimism_low", "optimism_high", ".3f", "optimism"),
        estimate("difference", "low", "high", ".3f", "difference from the single cut"),
        col("p", ".4f"), col("weight", ".2f", "own weight"), col("note"),
    )  # fmt: skip
    return selection.tidy(rows), readable


def table_unlabelled(unlabelled: Frame, **of: object) -> Tables:
    """Mean α of the cuts that each rule chooses without a topic's labels.

    Of searches with a reference.
    """
    selection = Shown(**of)
    rows = selection.referred(unlabelled)
    means = rows[rows["topic"] == ALL_TOPICS]
    readable = listing(
        means, col("search"), col("rule"), col("trained", title="trained on"),
        col("n_topics", ".0f", "topics"), col("alpha", ".3f", "α"),
        col("regret", ".3f", "loss from each topic's best"),
        estimate("difference", "low", "high", ".3f", "difference from the single cut"), col("note"),
    )  # fmt: skip
    return selection.tidy(rows), readable


OF_MATRICES = ("workers", "topics")
"""Of whose matrices the table shows the means; the others' cells are few."""


def table_judges(judges: Frame, **of: object) -> Tables:
    """Over the judges with a cut: their own beside that of all others, in sample and held out.

    The tidy table has every judge.
    """
    selection = Shown(**of)
    rows = selection.rows(judges)
    means = rows[rows["judge"] == ALL_TOPICS]
    readable = listing(
        means, col("search"), col("n_judges", ",.0f", "judges with a cut"),
        col("n_few", ",.0f", "too few"), col("alpha", ".3f", "α of own cut"),
        col("others_alpha", ".3f", "α of the others' cut"),
        col("held_out", ".3f", "own, held out"), col("held_out_others", ".3f", "others', held out"),
        estimate("difference", "low", "high", ".3f", "own − others', held out"),
        col("p", ".4f"), col("note"),
    )  # fmt: skip
    return selection.tidy(rows), readable


def table_transfer(transfer: Frame, **of: object) -> Tables:
    """What cuts lose where others use them.

    The tidy table has every cell; the readable one the means of matrices of workers and topics, and
    the cells of transformations and collections.
    """
    selection = Shown(**of)
    rows = selection.rows(transfer)
    few = ~rows["by"].isin(OF_MATRICES) | (rows["used_on"] == ALL_TOPICS)
    own = rows["chosen_on"].astype(str) == rows["used_on"].astype(str)
    cells = rows[few & (~own | (rows["used_on"] == ALL_TOPICS))]
    cells = cells[cells["lost"].notna() | cells["note"].notna()]
    readable = listing(
        cells, col("search"), col("by", title="between"),
        each("chosen on", lambda row: _all(row.chosen_on, "all together")),
        each("used on", lambda row: _all(row.used_on, "each, mean")),
        col("selection", title="choice"), each("cut", _cut), each("by", _quantity),
        col("value", ".3f"), col("own", ".3f", "own best cut"),
        estimate("lost", "low", "high", ".3f", "lost"), col("note"),
    )  # fmt: skip
    return selection.tidy(rows), readable


def table_aggregated(aggregated: Frame, *, source: str = "", levels: int | None = None) -> Tables:
    """Many judges' labels as one, before and after cutting."""
    when = {"before": "after it", "after": "before it"}
    readable = listing(
        aggregated, col("reference"),
        each("labels as one by", lambda row: row.vote.replace("_", " ")),
        each("cut", lambda row: when[row.when]), col("selection", title="choice"),
        each("best cut", _cut), col("n_cuts", ",.0f", "of cuts"), each("by", _quantity),
        col("value", ".3f"), col("held_out", ".3f", "held out"),
        estimate("difference", "low", "high", ".3f", "difference from the first"), col("note"),
    )  # fmt: skip
    return aggregated.assign(source=source, levels=levels), readable


def table_fewer(fewer: Frame, **of: object) -> Tables:
    """What so many judges of each document cost, and what α and τ_b are with them.

    The readable table has a column for each choice and quantity.
    """
    selection = Shown(**of)
    rows = selection.rows(fewer)
    kept = rows[rows["selection"].isin(("per-topic", "single", "best"))]

    def line(own: Frame) -> dict[str, str]:
        first = own.iloc[0]
        k = "all" if first["everything"] else text(first["per_document"], ",.0f")
        line = {"a document": k} | {name: text(first[of], ",.0f") for name, of in COUNTS.items()}
        for row in own.itertuples():
            by = _quantity(row)
            name = by if by == "regret" else f"{by}, {row.selection}"
            line[name] = with_ends(row.estimate, row.low, row.high)
        return line | {"note": text(first["note"])}

    readable = by_line(kept, ["search", "drawn", "per_document"], line)
    readable = readable.drop(columns="per_document").rename(columns={"drawn": "judges of"})
    return selection.tidy(rows), readable


COUNTS = {"judgments": "cost", "samples": "samples"}


def _quantity(row: tuple) -> str:
    names = {"alpha": "α", "tau": "τ_b"}
    expert = f" {row.expert}" if pd.notna(row.expert) else ""
    return names.get(row.quantity, str(row.quantity)) + expert


def _all(name: str, every: str) -> str:
    return every if name == ALL_TOPICS else str(name)


def _cut(row: tuple) -> str:
    cut = (getattr(row, name) for name in CUT_COLUMNS)
    return ", ".join(exactly(value) for value in cut if pd.notna(value))
