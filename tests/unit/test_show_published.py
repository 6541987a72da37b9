"""Tables as they are declared: listings of columns, and keys that go across."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from regrade.show.published import (
    as_text,
    col,
    crossed,
    each,
    estimate,
    interval,
    listing,
    text,
    with_ends,
)

ROWS = pd.DataFrame(
    {
        "system": ["a", "b"],
        "mean": [0.12345, np.nan],
        "low": [0.1, np.nan],
        "high": [0.2, 0.3],
        "n": [1234, 5],
    },
    index=[7, 3],
)
ITEM = SimpleNamespace(
    keys=("system", "quantity"), decimals=2, decimals_of={"n": 0}, has_bounds=False
)


def test_a_listing_has_a_line_for_each_row_and_a_column_for_each_declared():
    table = listing(
        ROWS,
        col("system"),
        col("mean", ".3f", "mean score"),
        interval("low", "high", ".1f", "interval"),
        estimate("mean", "low", "high", ".2f", "both"),
        each("n", lambda row: f"{row.n:,}"),
    )
    assert list(table.index) == [0, 1]
    assert table.to_dict("list") == {
        "system": ["a", "b"],
        "mean score": ["0.123", ""],
        "interval": ["0.1 to 0.2", ""],
        "both": ["0.12 (0.10 … 0.20)", ""],
        "n": ["1,234", "5"],
    }


def test_a_listing_of_no_rows_has_its_columns():
    assert list(listing(ROWS.head(0), col("system"), col("n", ",", "number"))) == [
        "system",
        "number",
    ]


def test_a_value_without_an_interval_stands_alone():
    assert with_ends(0.5, np.nan, np.nan) == "0.500"
    assert with_ends(0.5, 0.1, 0.9, ".1f", " [{}, {}]") == "0.5 [0.1, 0.9]"
    assert with_ends(np.nan, 0.1, 0.9) == ""
    assert (text(None), text(pd.NA, ".2f"), text(3), text(3, ".1f")) == ("", "", "3", "3.0")


def test_what_is_null_is_empty_text():
    table = pd.DataFrame({"name": pd.Categorical(["x", None]), "value": [1, 2]})
    assert as_text(table, ["name"])["name"].tolist() == ["x", ""]


def test_columns_of_a_table_go_across_under_the_last_key():
    tidy, readable = crossed(ITEM, ROWS, melt=["mean", "n"], titles={"mean": "mean score"})
    assert list(tidy.columns) == ["system", "quantity", "published", "ours"]
    assert tidy["ours"].tolist()[:2] == [0.12345, 1234.0]
    assert readable.to_dict("list") == {
        "system": ["a", "b"],
        "mean score": ["0.12", ""],
        "n": ["1,234", "5"],
    }


def test_printed_numbers_stand_in_brackets_and_cells_may_say_more():
    ours = ROWS.assign(quantity="mean")
    printed = pd.DataFrame({"system": ["a"], "quantity": ["mean"], "published": [0.13]})
    tidy, readable = crossed(ITEM, ours, printed, value="mean", extra=["n"])
    assert tidy["n"].tolist() == [1234, 5]
    assert readable["mean"].tolist() == ["0.12 (0.13)", ""]
    _, readable = crossed(
        ITEM,
        ours,
        value="mean",
        rows=["quantity"],
        columns=["name"],
        prepare=lambda tidy: tidy.assign(name=tidy["system"].str.upper()),
        texts=lambda tidy, texts: [f"{one}!" for one in texts],
    )
    assert readable.to_dict("list") == {"quantity": ["mean"], "A": ["0.12!"], "B": ["!"]}
