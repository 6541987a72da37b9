"""The tables of chu2021, arranged from what the stages ``power`` and ``synthetic_power`` made."""

from __future__ import annotations

import pandas as pd

from regrade.catalogue import ALL_TOPICS, LEVEL_CUT_COLUMNS
from regrade.scales import exactly
from regrade.show.item_tables import Frame
from regrade.show.published import (
    Beside,
    Tables,
    as_text,
    cells,
    crossed,
    laid_out,
    melted,
    tidy_beside,
)
from regrade.studies.chu2021.items import CHU2021
from regrade.wording import number

ITEMS = CHU2021.by_name

AGREEMENT = {"alpha": "α", "fleiss": "Fleiss' κ", "weighted": "weighted κ", "phi": "Φ"}
METRICS = {**AGREEMENT, "PDP individual": "PDP, individual", "PDP aggregate": "PDP, aggregate"}

TESTS = "tests by "
"""How the count of tests that serve a set is called, before the name of the preferences."""


def table_example(example: Frame, *, published: Beside = None) -> Tables:
    """The example of §3.5: exact PDP and α.

    The paper sampled its PDP.
    """
    return _of_metrics("table-example", example.rename(columns={"value": "ours"}), published)


def table_needed(needed: Frame, *, published: Beside = None) -> Tables:
    """Tests that Eq. 12 asks for, with the quantile squared and as printed."""
    return crossed(
        ITEMS["table-needed"], needed, published, melt=["tests", "exact", "simulated"],
        rows=["p", "within", "confidence"],
        prepare=lambda tidy: tidy.assign(quantity=tidy["formula"] + ": " + tidy["quantity"]),
    )  # fmt: skip


def table_consistency(consistency: Frame, *, published: Beside = None) -> Tables:
    """Spearman's ρ of each metric with σ, signed so that 1 orders batches by their quality."""
    return crossed(
        ITEMS["table-consistency"], consistency, published, value="rho", titles=METRICS,
        rows=["grades"], columns=["metric"],
    )  # fmt: skip


def table_sets(
    sets: Frame, served: Frame, topics: Frame, intervals: Frame, *, published: Beside = None
) -> Tables:
    """What each set holds, its agreement, the tests that serve it, and PDP with its intervals."""
    parts = [
        _quantities(sets, sets["quantity"], "value"),
        _quantities(served, TESTS + served["preferences"].astype(str), "served"),
        _powers(topics),
    ]
    for over, label in OVER.items():
        some = intervals[intervals["over"] == over]
        parts += [
            _quantities(some, _power_names(some) + f", {end}{label}", end)
            for end in ("low", "high")
        ]
    return _of_metrics("table-sets", pd.concat(parts, ignore_index=True), published)


def table_2(
    sets: Frame, discrimination: Frame, topics: Frame, *, published: Beside = None
) -> Tables:
    """Table 2: α, Φ, the share of significant pairs of systems, and PDP."""
    agreement = sets[sets["quantity"].isin(["alpha", "phi"])]
    names = "DP " + discrimination["measure"].astype(str)
    if discrimination["test"].nunique() > 1:
        names += ", " + discrimination["test"].astype(str)
    parts = [
        _quantities(agreement, agreement["quantity"], "value"),
        _quantities(discrimination, names, "share"),
        _powers(topics),
    ]
    return _of_metrics("table-2", pd.concat(parts, ignore_index=True), published)


def table_differences(differences: Frame, *, published: Beside = None) -> Tables:
    """Differences of PDP between each two sets, with interval and test."""
    quantities = ["n_topics", "difference", "low", "high", "t", "p", "p_adjusted"]
    return crossed(ITEMS["table-differences"], differences, published, melt=quantities)


def table_orders(orders: Frame, *, published: Beside = None) -> Tables:
    """Whether PDP and discriminative power of systems order sets alike."""
    way = {"rows": ["preferences", "mode", "list"], "columns": ["measure", "test"]}
    return crossed(ITEMS["table-orders"], orders, published, value="tau", **way)


def table_cuts(cuts: Frame, *, published: Beside = None) -> Tables:
    """Thresholds, PDP and α of the cuts chosen by power, evenly and by agreement, and losses."""
    item = ITEMS["table-cuts"]
    rows = list(item.keys[:-1])
    cuts = as_text(cuts, ["transformation", "search"])
    thresholds = [name for name in LEVEL_CUT_COLUMNS if cuts[name].notna().any()]
    ours = melted(cuts, rows, "quantity", [*thresholds, *LOSSES])
    tidy = tidy_beside(item, ours.dropna(subset="ours"), published)
    texts = [
        exactly(row.ours) if row.quantity in thresholds else text
        for row, text in zip(tidy.itertuples(), cells(item, tidy), strict=True)
    ]
    readable = laid_out(tidy, texts, rows, ["quantity"], LOSSES)
    last = [name for name in LOSSES.values() if name in readable]
    return tidy, readable[[*readable.columns.drop(last), *last]]


def table_levels(levels: Frame, *, published: Beside = None) -> Tables:
    """α, concordance and PDP against the number of levels."""
    titles = {"alpha": "α", "concordance": "Somers' d", "entropy": "PDP"}
    return crossed(ITEMS["table-levels"], levels, published, melt=titles, titles=titles)


def table_pages(agreement: Frame, *, published: Beside = None) -> Tables:
    """Topics where a measure prefers the page that people prefer, and the share with its ends."""
    agreement = as_text(agreement, ["preferences"])
    melt = ["left_out", "preferred", "right", "wrong", "undecided", "share", "low", "high"]
    return crossed(ITEMS["table-pages"], agreement, published, melt=melt)


LOSSES = {"entropy": "PDP", "entropy_lost": "PDP lost", "alpha": "α", "alpha_lost": "α lost"}
"""What a cut has, and loses by not being the other one."""

OVER = {"topics": "", "assessors": " (assessors)"}
"""What intervals are over, and how that is said."""


def _quantities(rows: Frame, names: pd.Series, column: str) -> Frame:
    """A column's values for sets, under their names."""
    values = {"quantity": names.astype(str), "ours": rows[column].astype(float)}
    return pd.DataFrame({"set": rows["set"].astype(str), **values})


def _power_names(rows: Frame) -> pd.Series:
    """PDP, a quantity for each mode, list and preferences."""
    mode, of, preferences = (rows[name].astype(str) for name in ("mode", "list", "preferences"))
    return "PDP " + mode + ", " + of + ", " + preferences


def _powers(topics: Frame) -> Frame:
    """PDP over all topics."""
    of_all = topics[topics["topic"] == ALL_TOPICS]
    return _quantities(of_all, _power_names(of_all), "entropy")


def _of_metrics(name: str, ours: Frame, published: Beside) -> Tables:
    """A column for each quantity; counts of tests without decimals."""

    def texts(tidy: Frame, others: list[str]) -> list[str]:
        every = zip(tidy["quantity"], tidy["ours"], others, strict=True)
        return [number(v, 0, "") if q.startswith(TESTS) else other for q, v, other in every]

    return crossed(ITEMS[name], ours, published, titles=METRICS, texts=texts)
