"""The tables of chu2021, arranged from what the stages ``power`` and ``synthetic_power`` made.

A function takes the tables that its item shows and gives the tidy table (see
`regrade.show.beside`) and the one for reading.

References
----------
Chu, Mao, Zhang, Liu, Sakai, Zhang, Ma: Evaluating Relevance Judgments with Pairwise Discriminative
Power. CIKM 2021.
"""

from __future__ import annotations

import pandas as pd

from regrade.schemas import ALL_TOPICS
from regrade.show.beside import Tables, cells, laid_out, melted, number, tidy_beside
from regrade.studies.chu2021.items import CHU2021
from regrade.studies.items import Item

ITEMS = CHU2021.by_name

AGREEMENT = {"alpha": "α", "fleiss": "Fleiss' κ", "weighted": "weighted κ", "phi": "Φ"}
METRICS = {**AGREEMENT, "PDP individual": "PDP, individual", "PDP aggregate": "PDP, aggregate"}


TESTS = "tests by "
"""How the count of tests that serve a set is called, before the name of the preferences."""


def table_example(example: pd.DataFrame, published: pd.DataFrame | None = None) -> Tables:
    """The example of §3.5: exact PDP and α.

    Parameters
    ----------
    example
        Table ``synthetic-power/example``.
    published
        The paper's numbers, of which PDP is sampled.
    """
    ours = example.rename(columns={"value": "ours"})
    tidy = tidy_beside(ITEMS["table-example"], ours, published)
    return tidy, _laid_out(ITEMS["table-example"], tidy, ["grades"])


def table_needed(needed: pd.DataFrame, published: pd.DataFrame | None = None) -> Tables:
    """Tests that Eq. 12 asks for, with the quantile squared and as printed."""
    item = ITEMS["table-needed"]
    ours = melted(needed, list(item.keys[:-1]), "quantity", ["tests", "exact", "simulated"])
    tidy = tidy_beside(item, ours, published)
    shown = tidy.assign(quantity=tidy["formula"] + ": " + tidy["quantity"])
    rows = ["p", "within", "confidence"]
    return tidy, laid_out(shown, cells(item, tidy), rows, ["quantity"])


def table_consistency(consistency: pd.DataFrame, published: pd.DataFrame | None = None) -> Tables:
    """Spearman's ρ of each metric with σ, signed so that 1 orders batches by their quality."""
    ours = consistency.rename(columns={"rho": "ours"})
    tidy = tidy_beside(ITEMS["table-consistency"], ours, published)
    shown = tidy.rename(columns={"metric": "quantity"})
    return tidy, _laid_out(ITEMS["table-consistency"], shown, ["grades"])


def table_sets(
    sets: pd.DataFrame,
    served: pd.DataFrame,
    topics: pd.DataFrame,
    published: pd.DataFrame | None = None,
) -> Tables:
    """What each set holds, its agreement, the tests that serve it, and PDP over all topics."""
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
                    "quantity": "DP " + discrimination["measure"].astype(str),
                    "ours": discrimination["share"],
                }
            ),
            _powers(topics),
        ],
        ignore_index=True,
    )
    tidy = tidy_beside(ITEMS["table-2"], ours, published)
    return tidy, _laid_out(ITEMS["table-2"], tidy, ["set"])


def table_orders(orders: pd.DataFrame, published: pd.DataFrame | None = None) -> Tables:
    """Whether PDP and discriminative power of systems order sets alike."""
    tidy = tidy_beside(ITEMS["table-orders"], orders.rename(columns={"tau": "ours"}), published)
    rows = ["preferences", "mode", "list"]
    return tidy, laid_out(tidy, cells(ITEMS["table-orders"], tidy), rows, ["measure"])


def _powers(topics: pd.DataFrame) -> pd.DataFrame:
    """PDP over all topics, a quantity for each preferences, mode and list."""
    of_all = topics[topics["topic"] == ALL_TOPICS].astype({"mode": str, "list": str})
    names = of_all["mode"] + ", " + of_all["list"] + ", " + of_all["preferences"].astype(str)
    return pd.DataFrame(
        {"set": of_all["set"].astype(str), "quantity": "PDP " + names, "ours": of_all["entropy"]}
    )


def _laid_out(item: Item, tidy: pd.DataFrame, rows: list[str]) -> pd.DataFrame:
    texts = [
        number(ours, 0) if quantity.startswith(TESTS) else text
        for text, quantity, ours in zip(
            cells(item, tidy), tidy["quantity"], tidy["ours"], strict=True
        )
    ]
    return laid_out(tidy, texts, rows, ["quantity"], METRICS)
