"""The tables of turpin2015, arranged from what the stage ``magnitudes`` made.

Which of the paper's numbers simulated judgments can and cannot give is in
docs/methods/turpin2015.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS
from regrade.show.item_tables import Frame
from regrade.show.published import (
    Beside,
    Column,
    Tables,
    as_text,
    cell,
    cells,
    col,
    crossed,
    each,
    in_order,
    interval,
    laid_out,
    listing,
    melted,
    p_text,
    tidy_beside,
)
from regrade.studies.turpin2015.items import TURPIN2015
from regrade.wording import number

ITEMS = TURPIN2015.by_name

MEASURED = "magnitudes"
"""The gains that are the magnitudes of all units."""

COUNTS = {
    "documents": "documents", "units": "units", "back_0": "back 0", "back_1": "back 1",
    "back_2": "back 2+", "failed_0": "failed 0", "failed_1": "failed 1", "failed_2": "failed 2+",
    "order": "H_k not above N_k", "time": "too fast", "known": "without H_k or N_k",
    "left_out": "left out", "workers": "workers", "judgments": "judgments",
}  # fmt: skip
"""What `table_1` counts, and its heads; the paper prints those up to failed attempts."""

TIES = {"agree": "share", "half": "half_share", "disagree": "strict_share"}
"""Rules for pairs that a set ties, and the share under each; the paper states the first."""

WIDTHS = {
    "units": "units", "low": "lowest", "q1": "lower quartile", "median": "median",
    "q3": "upper quartile", "high": "highest", "narrow": "narrow", "wide": "wide",
}  # fmt: skip


def table_1(topics: Frame, *, published: Beside = None) -> Tables:
    """Topics, their units, known documents, clicks back and failed attempts.

    The tidy table has our known documents, `high_docno` and `low_docno`; in the readable one the
    paper's stand in brackets where they are others.
    """
    known = ["high_docno", "low_docno"]
    theirs, none = {}, ["", ""]
    if published is not None:  # the paper's H_k and N_k of each topic
        of_topic = published.drop_duplicates("topic").set_index("topic")
        theirs = of_topic[known].T.to_dict("list")

    def with_titles(tidy: Frame) -> Frame:
        names = {
            column: [
                cell(docno, other) if docno != (other := theirs.get(topic, none)[place]) else docno
                for topic, docno in zip(tidy["topic"], tidy[column], strict=True)
            ]
            for place, column in enumerate(known)
        }
        tidy = tidy.assign(topic=_all_topics(tidy["topic"]), **names)
        return tidy.rename(columns={"high_docno": "H_k", "low_docno": "N_k"})

    return crossed(
        ITEMS["table-1"], as_text(topics.astype({"topic": str}), known), published, melt=COUNTS,
        extra=known, rows=["topic", "H_k", "N_k"], titles=COUNTS, prepare=with_titles,
    )  # fmt: skip


def table_2(mappings: Frame, *, published: Beside = None) -> Tables:
    """How alike levels as gains and mapped levels rank systems."""
    return crossed(
        ITEMS["table-2"], mappings, published, value="tau",
        prepare=lambda tidy: tidy.assign(mapping="G = " + tidy["mapping"]),
    )  # fmt: skip


def table_3(
    rankings: Frame, intervals: Frame, *, resampled: str = "topics", published: Beside = None
) -> Tables:
    """How alike a reference and magnitudes of narrow, all and wide units rank systems.

    Overlaps in percent. The tidy table has ``<resampled>_low`` and ``_high`` for all that was drawn
    anew.
    """
    keys = ["reference", "over", "gains", "measure"]
    ours = melted(rankings.astype(dict.fromkeys(keys, str)), keys, "quantity", ["tau", "overlap"])
    tidy = tidy_beside(ITEMS["table-3"], _in_percent(ours, ["ours"]), published)

    def places(names: pd.Series) -> pd.Series:
        """Of each name: those of `GAINS` first, the others in order of appearance."""
        order = dict.fromkeys([*GAINS, *names])
        return names.map({name: place for place, name in enumerate(order)})

    first = ["reference", "over", "quantity", "gains"]
    tidy = tidy.sort_values(first, ignore_index=True, key=places, kind="stable")
    tidy = _with_intervals(tidy, _in_percent(intervals, ["low", "high"]))
    texts = _bracketed(cells(ITEMS["table-3"], tidy), tidy, resampled, ITEMS["table-3"].decimals_of)
    titles = {"tau": "τ_b", "overlap": "overlap of top sets, %", MEASURED: "all"}
    rows = ["reference", "over", "quantity", "measure"]
    return tidy, laid_out(tidy, texts, rows, ["gains"], titles)


GAINS = ("narrow", MEASURED, "wide")
"""The columns of Table 3, in the paper's order."""


def table_exceptions(tests: Frame, exceptions: Frame, *, published: Beside = None) -> Tables:
    """Whether documents' magnitudes follow the levels, over all topics and in each.

    p of each pair of levels (of topics too), then cases, those that a level without documents
    leaves undefined, and exceptions, of each reference and of all together.
    """
    tests = tests.astype({"topic": str, "reference": str, "aggregate": str})
    of_levels = tests.assign(levels=_levels(tests), quantity="p", ours=tests["p"], topics="")
    exceptions = exceptions.astype({"reference": str, "aggregate": str, "pairs": str})
    exceptions = as_text(exceptions, ["topics"])
    # all references together, by their names: the paper's numbers are of its two
    names = sorted(set(exceptions["reference"]) - {ALL_REFERENCES})
    if len(names) > 1:
        exceptions = exceptions.replace({"reference": {ALL_REFERENCES: " and ".join(names)}})
    exceptions = exceptions[exceptions["reference"] != ALL_REFERENCES]
    counted = exceptions.rename(columns={"pairs": "levels"}).assign(topic=ALL_TOPICS)
    keys = ["reference", "aggregate", "topic", "levels", "topics"]
    counts = melted(counted, keys, "quantity", ["cases", "undefined", "exceptions"])
    columns = [*keys, "quantity", "ours"]
    ours = pd.concat([of_levels[columns], counts[columns]], ignore_index=True)
    tidy = tidy_beside(ITEMS["table-exceptions"], ours, published, extra=["topics"])
    return tidy, _readable_exceptions(tidy)


ALL_REFERENCES = "*"
"""The reference of a row that holds for all of them together."""


def _readable_exceptions(tidy: Frame) -> Frame:
    """A line for each pair of levels over all topics, and for each count of exceptions."""
    of_all = tidy[tidy["topic"] == ALL_TOPICS].reset_index(drop=True)
    bounds = np.where(of_all["relation"] == "<", of_all["published"].map("< {:g}".format),
                      of_all["published"].map(p_text))  # fmt: skip
    p = map(cell, of_all["ours"].map(p_text), bounds)
    texts = np.where(of_all["quantity"] == "p", [*p], cells(ITEMS["table-exceptions"], of_all))
    titles = {"median": "median", "geometric_mean": "geometric mean"}
    rows = ["reference", "aggregate", "levels"]
    of_all = of_all.sort_values(["reference", "aggregate"], key=in_order, kind="stable")
    texts = [texts[place] for place in of_all.index]
    readable = laid_out(of_all, texts, rows, ["quantity"], titles)
    topics = laid_out(of_all, of_all["topics"], rows, ["quantity"], titles)
    return readable.assign(**{"which topics": topics.get("exceptions", "")})


def table_agreement(
    agreement: Frame, intervals: Frame, *, resampled: str = "topics", published: Beside = None
) -> Tables:
    """How often two sets order two documents of a topic alike.

    In percent; `ties` that a set has ``agree``, as in the paper, count ``half`` or ``disagree``.
    The tidy table has the topics too, and `pairs`, `pooled` (over all pairs at once),
    ``<resampled>_low`` and ``_high``.
    """
    names = ["by", "first", "second", "topic"]
    table = agreement.astype(dict.fromkeys(names, str))
    table = table.assign(levels=_levels(table), pooled=100 * table["pooled"].astype(float))
    rules = [
        table.assign(ties=ties, ours=100 * table[share].astype(float))
        for ties, share in TIES.items()
    ]
    for other in rules[1:]:
        other["pooled"] = np.nan  # is that of pairs whose ties agree
    ours = pd.concat(rules, ignore_index=True)
    tidy = tidy_beside(ITEMS["table-agreement"], ours, published, extra=["pairs", "pooled"])
    has_interval = (tidy["topic"] == ALL_TOPICS) & (tidy["ties"] == "agree")
    named = tidy.assign(
        reference=tidy["by"], over="pairs", gains=tidy["first"] + " " + tidy["second"],
        measure=tidy["levels"].str.replace("–", " "),
        quantity=np.where(has_interval, "share", ""),
    )  # fmt: skip
    ends = {end: 100 * intervals[end].astype(float) for end in ("low", "high")}
    tidy = _with_intervals(named, intervals.assign(**ends)).drop(columns=INTERVAL_KEYS)
    of_all = tidy[tidy["topic"] == ALL_TOPICS].reset_index(drop=True)
    seen: dict[frozenset, tuple[str, str]] = {}  # pairs of names, written one way
    pairs = zip(of_all["first"], of_all["second"], strict=True)
    of_all["sets"] = [" and ".join(seen.setdefault(frozenset(pair), pair)) for pair in pairs]
    texts = _bracketed(cells(ITEMS["table-agreement"], of_all), of_all, resampled)
    titles = {ALL_LEVELS: "mean of all"}
    return tidy, laid_out(of_all, texts, ["by", "ties", "levels"], ["sets"], titles)


def table_widths(quantiles: Frame, *, published: Beside = None) -> Tables:
    """Quartiles of the widths of units, and how many are narrow and wide.

    What was printed is of H_k / N_k, and stands beside no other width.
    """
    quantiles = quantiles.astype({"width_of": str, "topic": str})
    if published is not None:
        published = published[published["width_of"].isin(quantiles["width_of"])]
    digits = {"units": 0, "narrow": 0, "wide": 0}
    return crossed(
        ITEMS["table-widths"], quantiles, published, melt=WIDTHS, titles=WIDTHS,
        prepare=lambda tidy: tidy.assign(topic=_all_topics(tidy["topic"])),
        texts=lambda tidy, _: [
            cell(number(row.ours, digits.get(row.quantity, 2), ""), number(row.published, 0, ""))
            for row in tidy.itertuples()
        ],
    )  # fmt: skip


def table_gains(
    gains: Frame, ratios: Frame, profiles: Frame, likelihoods: Frame, *, published: Beside = None
) -> Tables:
    """What gains the magnitudes give the levels, beside those that are assumed.

    `profile` is ``magnitudes`` for the medians of magnitudes over that of N_k and of ratios;
    `quantity` is ``gain``, ``ratio``, or of documents that the fit has not seen
    ``log_likelihood``, ``per_contrast``, ``better_share``.
    """
    medians = gains.rename(columns={"median": "ours"})
    medians = medians.assign(profile=MEASURED, quantity="gain", level=_numbers(gains["level"]))
    pairs = ratios.rename(columns={"median": "ours"})
    names = _numbers(ratios["upper"]) + "/" + _numbers(ratios["lower"])
    pairs = pairs.assign(profile=MEASURED, quantity="ratio", level=names)
    fitted = profiles.rename(columns={"gain": "ours"})
    fitted = fitted.assign(quantity="gain", level=_numbers(profiles["level"]))
    quantities = ["log_likelihood", "per_contrast", "better_share"]
    likely = melted(likelihoods, ["reference", "profile"], "quantity", quantities)
    parts = [
        part.assign(level=part.get("level", ""), topic=part.get("topic", ALL_TOPICS))
        for part in (medians, fitted, pairs, likely)
    ]
    columns = [*ITEMS["table-gains"].keys, "ours"]
    parts = [part[columns].astype(dict.fromkeys(columns[:-1], str)) for part in parts]
    ours = pd.concat(parts, ignore_index=True)
    tidy = tidy_beside(ITEMS["table-gains"], ours, published)
    return tidy, _readable_gains(tidy)


def _readable_gains(tidy: Frame) -> Frame:
    """A line for each profile over all topics."""
    of_all = tidy[tidy["topic"] == ALL_TOPICS].reset_index(drop=True)
    digits = {"gain": 2, "ratio": 2, "log_likelihood": 1, "per_contrast": 4, "better_share": 3}
    texts = [
        cell(number(row.ours, digits[row.quantity], ""), number(row.published, 1, ""))
        for row in of_all.itertuples()
    ]
    heads = {
        "log_likelihood": "log-likelihood, left out", "per_contrast": "per contrast",
        "better_share": "share of units where likelier",
    }  # fmt: skip
    heads = [heads.get(row.quantity, f"{row.quantity} {row.level}") for row in of_all.itertuples()]
    of_all = of_all.assign(value=heads, text=texts)
    of_all = of_all.sort_values("reference", key=in_order, kind="stable")
    return laid_out(of_all, of_all["text"], ["reference", "profile"], ["value"])


def table_discordant(discordant: Frame, answers: Frame, *, reference: str | None = None) -> Tables:
    """The documents that magnitudes and labels see most differently.

    The tidy table has a row for each thing said; the one for reading a line per document, with
    labels by set and normalised magnitudes in order.
    """
    keys = ["reference", "place", "topic", "docno"]
    names = ["reference", "topic", "docno"]
    discordant = discordant.astype(dict.fromkeys(names, str))
    answers = as_text(answers.astype(dict.fromkeys([*names, "by"], str)), ["worker", "unit"])
    if reference is not None:
        discordant = discordant[discordant["reference"] == reference]
    tidy = discordant.merge(answers, on=keys, how="left", validate="one_to_many")

    known = tidy.dropna(subset="value")
    is_label = known["worker"] == ""

    def of(row: tuple, rows: Frame) -> Frame:
        return rows[(rows["reference"] == row.reference) & (rows["place"] == row.place)]

    def labels(row: tuple) -> str:
        labels = of(row, known[is_label]).itertuples()
        return "; ".join(f"{one.by} {one.value:g}" for one in labels)

    def magnitudes(row: tuple) -> str:
        values = of(row, known[~is_label])["normalised"].sort_values()
        return ", ".join(f"{value:.3g}" for value in values)

    return tidy, listing(
        discordant, col("reference"), col("place"), col("topic"), col("docno", title="document"),
        col("label", "g"), col("nearest", "g", "nearest level"), col("median", ".3g"),
        each("times the label's median", lambda row: f"{np.exp(row.distance):.3g}"),
        each("labels", labels), each("magnitudes, normalised", magnitudes),
    )  # fmt: skip


def table_intervals(intervals: Frame) -> Tables:
    """How sure every τ_b and overlap is."""
    names = ["reference", "over", "gains", "measure", "quantity", "resampled"]
    tidy = intervals.astype(dict.fromkeys(names, str))
    numbers = [_ends(), col("scatter", ".3f"), col("resamples", ",.0f"), col("undefined", ",.0f")]
    readable = listing(tidy, *map(col, names), col("estimate", ".3f"), *numbers)
    return tidy, readable.replace({"quantity": {"tau": "τ_b"}})


def _ends() -> Column:
    """Both ends of intervals in one cell."""
    ends = interval("low", "high", ".3f", "interval", "{} – {}")
    return Column("interval", lambda rows: [both or "–" for both in ends.cells(rows)])


def table_cuts(agreement: Frame) -> Tables:
    """Whether cut magnitudes agree better with experts than cut values of another scale."""
    names = ["first", "second", "method", "reference", "selection"]
    tidy = as_text(agreement, names)
    return tidy, listing(
        tidy, *map(col, names), col("n_topics", ",.0f", "topics"),
        col("alpha_first", ".3f", "α of first"), col("alpha_second", ".3f", "α of second"),
        col("difference", ".3f"), _ends(), col("p", ".3f"), col("better", ",.0f"),
        col("worse", ",.0f"),
    )  # fmt: skip


# --- within ------------------------------------------------------------------------------------

ALL_LEVELS = "all"
"""The levels of a row that holds for all pairs of levels."""


def _levels(table: Frame) -> list[str]:
    """``0–1`` for a row of a lower and an upper level; `ALL_LEVELS` where it has none."""
    return [
        ALL_LEVELS if pd.isna(lower) else f"{lower:g}–{upper:g}"
        for lower, upper in zip(table["lower"], table["upper"], strict=True)
    ]


def _numbers(values: pd.Series) -> pd.Series:
    return values.map("{:g}".format)


def _all_topics(topics: pd.Series) -> pd.Series:
    return topics.replace({ALL_TOPICS: "all"})


def _in_percent(table: Frame, columns: Sequence[str]) -> Frame:
    """The table with its overlaps in percent."""
    table = table.astype(dict.fromkeys(columns, float) | {"quantity": str})
    table.loc[table["quantity"] == "overlap", list(columns)] *= 100
    return table


INTERVAL_KEYS = ["reference", "over", "gains", "measure", "quantity"]
"""What an interval is of."""


def _with_intervals(tidy: Frame, intervals: Frame) -> Frame:
    """Rows with the bounds of their intervals, for each thing drawn anew."""
    intervals = intervals.astype(dict.fromkeys([*INTERVAL_KEYS, "resampled"], str))
    for resampled, rows in intervals.groupby("resampled", sort=False):
        bounds = {"low": f"{resampled}_low", "high": f"{resampled}_high"}
        ends = rows[[*INTERVAL_KEYS, *bounds]].rename(columns=bounds)
        tidy = tidy.merge(ends, on=INTERVAL_KEYS, how="left", validate="many_to_one")
    return tidy


def _bracketed(
    texts: Sequence[str], tidy: Frame, resampled: str, decimals_of: Mapping[str, int] | None = None
) -> list[str]:
    """Values with their intervals over what was drawn anew, where they have one."""
    bounds = tidy.reindex(columns=[f"{resampled}_low", f"{resampled}_high"]).to_numpy(float)
    digits = [(decimals_of or {}).get(quantity, 0) for quantity in tidy.get("quantity", texts)]
    return [
        text if np.isnan(low + high) else f"{text} [{number(low, places)}, {number(high, places)}]"
        for text, (low, high), places in zip(texts, bounds, digits, strict=True)
    ]
