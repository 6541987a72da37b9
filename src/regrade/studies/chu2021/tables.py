"""The tables of chu2021, arranged from what the stages ``power`` and ``synthetic_power`` made."""

from __future__ import annotations

import pandas as pd

from regrade.catalogue import ALL_TOPICS, LEVEL_CUT_COLUMNS
from regrade.scales import exactly
from regrade.show.published import Tables, cells, laid_out, melted, number, tidy_beside
from regrade.studies.chu2021.items import CHU2021
from regrade.studies.items import Item

ITEMS = CHU2021.by_name

AGREEMENT = {"alpha": "α", "fleiss": "Fleiss' κ", "weighted": "weighted κ", "phi": "Φ"}
METRICS = {**AGREEMENT, "PDP individual": "PDP, individual", "PDP aggregate": "PDP, aggregate"}


TESTS = "tests by "
"""How the count of tests that serve a set is called, before the name of the preferences."""


def table_example(example: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """The example of §3.5: exact PDP and α.

    The paper sampled its PDP.
    """
    ours = example.rename(columns={"value": "ours"})
    tidy = tidy_beside(ITEMS["table-example"], ours, published)
    return tidy, _laid_out(ITEMS["table-example"], tidy, ["grades"])


def table_needed(needed: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Tests that Eq. 12 asks for, with the quantile squared and as printed."""
    item = ITEMS["table-needed"]
    ours = melted(needed, list(item.keys[:-1]), "quantity", ["tests", "exact", "simulated"])
    tidy = tidy_beside(item, ours, published)
    shown = tidy.assign(quantity=tidy["formula"] + ": " + tidy["quantity"])
    rows = ["p", "within", "confidence"]
    return tidy, laid_out(shown, cells(item, tidy), rows, ["quantity"])


def table_consistency(
    consistency: pd.DataFrame, *, published: pd.DataFrame | None = None
) -> Tables:
    """Spearman's ρ of each metric with σ, signed so that 1 orders batches by their quality."""
    ours = consistency.rename(columns={"rho": "ours"})
    tidy = tidy_beside(ITEMS["table-consistency"], ours, published)
    shown = tidy.rename(columns={"metric": "quantity"})
    return tidy, _laid_out(ITEMS["table-consistency"], shown, ["grades"])


def table_sets(
    sets: pd.DataFrame,
    served: pd.DataFrame,
    topics: pd.DataFrame,
    intervals: pd.DataFrame,
    *,
    published: pd.DataFrame | None = None,
) -> Tables:
    """What each set holds, its agreement, the tests that serve it, and PDP with its intervals."""
    ours = pd.concat(
        [
            sets.rename(columns={"value": "ours"}).astype({"set": str, "quantity": str}),
            pd.DataFrame(
                {
                    "set": served["set"].astype(str),
                    "quantity": TESTS + served["preferences"].astype(str),
                    "ours": served["served"].astype(float),
                }
            ),
            _powers(topics),
            *(_interval_ends(intervals, over) for over in OVER),
        ],
        ignore_index=True,
    )
    item = ITEMS["table-sets"]
    tidy = tidy_beside(item, ours, published)
    return tidy, _laid_out(item, tidy, ["set"])


def table_2(
    sets: pd.DataFrame,
    discrimination: pd.DataFrame,
    topics: pd.DataFrame,
    *,
    published: pd.DataFrame | None = None,
) -> Tables:
    """Table 2: α, Φ, the share of pairs of systems told apart, and PDP."""
    agreement = sets[sets["quantity"].isin(["alpha", "phi"])]
    ours = pd.concat(
        [
            agreement.rename(columns={"value": "ours"}).astype({"set": str, "quantity": str}),
            pd.DataFrame(
                {
                    "set": discrimination["set"].astype(str),
                    "quantity": _discrimination_names(discrimination),
                    "ours": discrimination["share"],
                }
            ),
            _powers(topics),
        ],
        ignore_index=True,
    )
    tidy = tidy_beside(ITEMS["table-2"], ours, published)
    return tidy, _laid_out(ITEMS["table-2"], tidy, ["set"])


def table_differences(
    differences: pd.DataFrame, *, published: pd.DataFrame | None = None
) -> Tables:
    """Differences of PDP between each two sets, with interval and test."""
    item = ITEMS["table-differences"]
    rows = list(item.keys[:-1])
    quantities = ["n_topics", "difference", "low", "high", "t", "p", "p_adjusted"]
    tidy = tidy_beside(item, melted(differences, rows, "quantity", quantities), published)
    return tidy, laid_out(tidy, cells(item, tidy), rows, ["quantity"])


def table_orders(orders: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Whether PDP and discriminative power of systems order sets alike."""
    tidy = tidy_beside(ITEMS["table-orders"], orders.rename(columns={"tau": "ours"}), published)
    rows = ["preferences", "mode", "list"]
    texts = cells(ITEMS["table-orders"], tidy)
    return tidy, laid_out(tidy, texts, rows, ["measure", "test"])


def table_cuts(cuts: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Thresholds, PDP and α of the cuts chosen by power, evenly and by agreement, and losses."""
    item = ITEMS["table-cuts"]
    rows = list(item.keys[:-1])
    cuts = cuts.astype({"transformation": object, "search": object})
    cuts[["transformation", "search"]] = cuts[["transformation", "search"]].fillna("")
    thresholds = [name for name in LEVEL_CUT_COLUMNS if cuts[name].notna().any()]
    ours = melted(cuts, rows, "quantity", [*thresholds, *LOSSES])
    tidy = tidy_beside(item, ours.dropna(subset="ours"), published)
    texts = [
        exactly(row.ours) if row.quantity in thresholds else text
        for row, text in zip(tidy.itertuples(), cells(item, tidy), strict=True)
    ]
    shown = laid_out(tidy, texts, rows, ["quantity"], LOSSES)
    last = [name for name in LOSSES.values() if name in shown]
    return tidy, shown[[*shown.columns.drop(last), *last]]


def table_levels(levels: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """α, concordance and PDP against the number of levels."""
    item = ITEMS["table-levels"]
    rows = list(item.keys[:-1])
    quantities = {"alpha": "α", "concordance": "Somers' d", "entropy": "PDP"}
    tidy = tidy_beside(item, melted(levels, rows, "quantity", [*quantities]), published)
    return tidy, laid_out(tidy, cells(item, tidy), rows, ["quantity"], quantities)


def table_pages(agreement: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Topics where a measure prefers the page that people prefer, and the share with its ends."""
    item = ITEMS["table-pages"]
    rows = list(item.keys[:-1])
    agreement = agreement.astype({"preferences": object}).fillna({"preferences": ""})
    quantities = ["left_out", "preferred", "right", "wrong", "undecided", "share", "low", "high"]
    tidy = tidy_beside(item, melted(agreement, rows, "quantity", quantities), published)
    return tidy, laid_out(tidy, cells(item, tidy), rows, ["quantity"])


LOSSES = {
    "entropy": "PDP",
    "entropy_lost": "PDP lost",
    "alpha": "α",
    "alpha_lost": "α lost",
}
"""What a cut has, and loses by not being the other one."""

OVER = {"topics": "", "assessors": " (assessors)"}
"""What intervals are over, and how that is said."""


def _powers(topics: pd.DataFrame) -> pd.DataFrame:
    """PDP over all topics, a quantity for each preferences, mode and list."""
    of_all = topics[topics["topic"] == ALL_TOPICS].astype({"mode": str, "list": str})
    names = of_all["mode"] + ", " + of_all["list"] + ", " + of_all["preferences"].astype(str)
    return pd.DataFrame(
        {"set": of_all["set"].astype(str), "quantity": "PDP " + names, "ours": of_all["entropy"]}
    )


def _interval_ends(intervals: pd.DataFrame, over: str) -> pd.DataFrame:
    """Two quantities for each interval: its ends."""
    some = intervals[intervals["over"] == over].astype({"mode": str, "list": str})
    names = some["mode"] + ", " + some["list"] + ", " + some["preferences"].astype(str)
    parts = [
        pd.DataFrame(
            {
                "set": some["set"].astype(str),
                "quantity": "PDP " + names + f", {end}{OVER[over]}",
                "ours": some[end].astype(float),
            }
        )
        for end in ("low", "high")
    ]
    return pd.concat(parts, ignore_index=True)


def _discrimination_names(discrimination: pd.DataFrame) -> pd.Series:
    """``DP nDCG@10``, with the test where there are several."""
    names = "DP " + discrimination["measure"].astype(str)
    several = discrimination["test"].nunique() > 1
    return names + ", " + discrimination["test"].astype(str) if several else names


def _laid_out(item: Item, tidy: pd.DataFrame, rows: list[str]) -> pd.DataFrame:
    texts = [
        number(ours, 0) if quantity.startswith(TESTS) else text
        for text, quantity, ours in zip(
            cells(item, tidy), tidy["quantity"], tidy["ours"], strict=True
        )
    ]
    return laid_out(tidy, texts, rows, ["quantity"], METRICS)
