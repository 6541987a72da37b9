"""The paper's tables from ours, what it printed beside them, and how much of it comes out."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from regrade.catalogue import columns_of
from regrade.show.published import read_published, read_tidy, reproduced, write_markdown
from regrade.studies.items import PLACEHOLDER
from regrade.studies.turpin2015 import tables
from regrade.studies.turpin2015.items import TURPIN2015
from regrade.tables import write_csv
from tests.unit.magnitude_tables import MEASURES, Made
from tests.unit.magnitudes_frames import rows_of

PROJECT = Path(__file__).parents[2]
PRINTED = PROJECT / "data" / "published"
ITEMS = TURPIN2015.by_name
TABLES = [item.name for item in TURPIN2015.items if item.is_table]
VALUES = {
    "table-1": 152, "table-2": 10, "table-3": 24, "table-exceptions": 16, "table-agreement": 3,
    "table-widths": 1, "table-gains": 1,
}  # fmt: skip
"""How many numbers the paper prints for each table, in it or in its text."""


def printed(name):
    return read_published(PRINTED / f"turpin2015-{name}.csv", True)


@pytest.fixture
def stage(tmp_path):
    """The stage's tables as a study is given them."""
    made = Made()
    return lambda name: made.read(tmp_path, name)


def make(name, stage, beside=None, **settings):
    shown = [stage(table.split("/")[-1]) for table in ITEMS[name].shows]
    if ITEMS[name].keys:
        settings["published"] = beside
    return getattr(tables, ITEMS[name].function)(*shown, **settings)


# --- the items -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ITEMS)
def test_an_item_is_of_one_set_and_is_told_its_other_options(name):
    item = ITEMS[name]
    for table in item.shows:
        of_a_set = table.startswith("magnitudes/")
        assert PLACEHOLDER.findall(table) == (["set"] if of_a_set else [])
    assert set(item.settings) == set(item.options) - {"set"}


# --- what the paper printed ----------------------------------------------------------------------


@pytest.mark.parametrize("name", VALUES)
def test_every_number_is_there_once(name):
    table, item = printed(name), ITEMS[name]
    keys = list(item.keys)
    assert set(keys) <= set(table.columns)
    assert len(table) == VALUES[name]
    assert not table.duplicated(keys).any()
    assert table["published"].notna().all()


def test_all_published_tables_have_an_item():
    files = {path.stem for path in PRINTED.glob("turpin2015-*.csv")}
    assert files == {f"turpin2015-{name}" for name in VALUES}


def test_table_1_sums_to_its_last_line_and_to_its_units():
    table = printed("table-1").pivot(index="topic", columns="quantity", values="published")
    topics = table.drop("*")
    assert len(topics) == 18
    pd.testing.assert_series_equal(topics.sum(), table.loc["*"], check_names=False)
    for counted in ("back", "failed"):
        columns = [f"{counted}_{number}" for number in (0, 1, 2)]
        assert (table[columns].sum(axis=1) == table["units"]).all()
    assert table.loc["*", ["documents", "units"]].tolist() == [4269, 7059]


@pytest.mark.parametrize(
    ("name", "keys", "numbers"),
    [
        ("table-1", {"topic": "427"}, [195, 322, 315, 7, 0, 214, 52, 56]),
        ("table-2", {"measure": MEASURES[1]}, [0.8719, 0.9985, 0.9949, 0.8738, 0.8719]),
        ("table-3", {"reference": "TR2", "gains": "magnitudes"}, [0.814, 0.515, 44, 76]),
        ("table-3", {"reference": "So4", "gains": "magnitudes"}, [0.529, 0.267, 51, 81]),
        ("table-3", {"gains": "wide", "quantity": "tau"}, [0.765, 0.434, 0.361, -0.010]),
        ("table-exceptions", {"reference": "So4 and TR2"}, [72, 6, 126, 6]),
        ("table-exceptions", {"relation": "<"}, [0.002, 0.002, 0.002, 0.001]),
        ("table-agreement", {}, [77, 64, 65]),
        ("table-widths", {}, [5]),
        ("table-gains", {}, [1.1]),
    ],
)
def test_numbers_as_printed(name, keys, numbers):
    assert rows_of(printed(name), **keys)["published"].tolist() == numbers


def test_exceptions_are_as_many_as_the_paper_counts():
    """3 · 18 + 18 adjacent cases, 6 · 18 + 18 in all; those of both are the sums."""
    table = rows_of(printed("table-exceptions"), relation="=")
    wide = table.pivot(index=["levels", "quantity"], columns="reference", values="published")
    assert (wide["So4"] + wide["TR2"] == wide["So4 and TR2"]).all()
    assert wide.loc[("adjacent", "cases"), "So4"] == 3 * 18
    assert wide.loc[("all", "cases"), "So4"] == 6 * 18


# --- tables from what the stage makes ------------------------------------------------------------


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("name", [name for name in TABLES if "set" in ITEMS[name].options])
def test_published_beside_ours(name, beside, stage, tmp_path):
    known = printed(name) if beside and name in VALUES else None
    tidy, readable = make(name, stage, known)
    keys = list(ITEMS[name].keys)
    assert len(tidy)
    if keys:
        assert not tidy.duplicated(keys).any()
        assert tidy["ours"].notna().any()
    if keys and known is None:
        assert tidy["published"].isna().all()
    if known is not None:
        assert tidy["published"].notna().any()
        expected = known.set_index(keys)["published"].to_dict()
        for row in tidy.itertuples():
            wanted = expected.get(tuple(getattr(row, key) for key in keys))
            assert row.published == wanted or (wanted is None and np.isnan(row.published))
    write_csv(tidy, tmp_path / "t.csv")
    write_markdown(readable, tmp_path / "t.md", ITEMS[name].title, "simulated")
    assert read_tidy(tmp_path / "t.csv").columns.tolist() == tidy.columns.tolist()
    assert not readable.isna().any(axis=None)


def test_what_comes_out_is_counted(stage):
    decimals = {name: (ITEMS[name].decimals, ITEMS[name].decimals_of) for name in VALUES}
    tidy = {name: make(name, stage, printed(name))[0] for name in VALUES}
    found = reproduced(tidy, decimals).set_index("table")
    assert found.loc["table-widths", ["values", "reproduced"]].tolist() == [1, 1]
    # p below the paper's bounds, no case of the two references but the exceptions of TR2
    assert found.loc["table-exceptions", "reproduced"] == 4 + 2
    assert found.loc["table-3", "values"] == 24


def test_table_1_shows_the_paper_s_known_documents_where_they_are_others(stage):
    _, readable = make("table-1", stage, printed("table-1"))
    line = readable.set_index("topic").loc["402"]
    assert line["H_k"] == "LA111689-0162"  # as printed
    assert line["N_k"] == "LOW402 (FBIS3-10954)"
    assert line["documents"] == "120 (278)"
    assert line["workers"] == "40"
    assert readable["topic"].tolist() == ["401", "402", "403", "all"]
    assert readable.iloc[-1]["N_k"] == ""


def test_counts_that_nobody_made_are_empty(tmp_path):
    class Uncounted(Made):
        def topics_table(self):
            return super().topics_table().assign(back_0=None, back_1=None, back_2=None)

    topics = Uncounted().read(tmp_path, "topics")
    tidy, readable = tables.table_1(topics)
    assert rows_of(tidy, quantity="back_1")["ours"].isna().all()
    assert (readable["back 1"] == "").all()


def test_table_3_has_narrow_all_wide_with_their_intervals(stage):
    tidy, readable = make("table-3", stage, printed("table-3"))
    assert readable.columns.tolist()[-3:] == ["narrow", "all", "wide"]
    line = rows_of(readable, reference="TR2", over="runs", quantity="τ_b", measure=MEASURES[0])
    assert line["all"].tolist() == ["0.814 (0.814) [0.714, 0.914]"]
    assert line["wide"].tolist() == ["0.000 (0.765) [-0.100, 0.100]"]
    line = rows_of(readable, reference="TR2", over="runs", measure=MEASURES[0]).iloc[-1]
    assert line["narrow"] == "75 (89) [65, 85]"
    assert {"topics_low", "documents_high", "units_low"} <= set(tidy.columns)
    # what has no interval stands alone
    few = rows_of(stage("intervals"), resampled="units")
    _, readable = tables.table_3(stage("rankings"), few)
    assert set(readable["all"]) == {"0.814", "75"}
    _, readable = tables.table_3(stage("rankings"), few, resampled="units")
    assert set(readable["all"]) == {"0.814 [0.714, 0.914]", "75 [65, 85]"}
    assert set(readable["measure"]) == set(MEASURES)


def test_exceptions_of_all_references_are_named_by_them(stage, tmp_path):
    tidy, readable = make("table-exceptions", stage, printed("table-exceptions"))
    line = rows_of(readable, reference="So4 and TR2", aggregate="median", levels="adjacent")
    assert line[["cases", "exceptions", "which topics"]].iloc[0].tolist() == [
        "12 (72)",
        "1 (6)",
        "401",
    ]
    line = rows_of(readable, reference="So4", aggregate="median", levels="0–1")
    assert line["p"].tolist() == ["< 0.001 (< 0.002)"]
    assert rows_of(tidy, topic="401", levels="2–3", reference="So4")["ours"].tolist() == [0.012] * 2
    # one reference is not told twice
    one = Made(references={"So4": (0.0, 1.0, 2.0, 3.0)})
    shown = [one.read(tmp_path, name) for name in ("level_tests", "exceptions")]
    tidy, _ = tables.table_exceptions(*shown)
    assert set(tidy["reference"]) == {"So4"}
    assert not tidy.duplicated(list(ITEMS["table-exceptions"].keys)).any()


def test_agreement_is_in_percent_with_means_last(stage):
    tidy, readable = make("table-agreement", stage, printed("table-agreement"))
    agreement = stage("agreement")
    whole = rows_of(agreement, by="So4", first="magnitudes", second="So4", topic="*")
    key = {"by": "So4", "first": "magnitudes", "second": "So4", "topic": "*"}
    ours = rows_of(tidy, **key, ties="agree")
    np.testing.assert_allclose(ours["ours"], 100 * whole["share"])
    strict = rows_of(tidy, **key, ties="disagree")
    np.testing.assert_allclose(strict["ours"], 100 * whole["strict_share"])
    assert strict["published"].isna().all()
    readable = rows_of(readable, ties="agree")
    assert ours["published"].dropna().tolist() == [77]
    last = rows_of(readable, by="So4").iloc[-1]
    assert last["levels"] == "mean of all"
    share, low, high = (
        round(100 * whole.iloc[-1][c]) for c in ("share", "share_low", "share_high")
    )
    assert last["magnitudes and So4"] == f"{share} (77) [{low}, {high}]"


def test_widths_of_all_values_stand_beside_no_printed_ones(stage):
    def of_all(name):
        return stage(name).assign(width_of="greatest / smallest")

    tidy, readable = make("table-widths", of_all, printed("table-widths"))
    assert set(tidy["width_of"]) == {"greatest / smallest"}
    assert tidy["published"].isna().all()
    assert "greatest / smallest" in readable.to_string()


def test_gains_are_beside_their_likelihood(stage):
    tidy, readable = make("table-gains", stage, printed("table-gains"))
    fitted = rows_of(readable, reference="So4", profile="fitted").iloc[0]
    assert fitted["gain 3"] == "2.74"
    assert fitted["per contrast"] == "-1.2000"
    medians = rows_of(readable, reference="So4", profile="magnitudes").iloc[0]
    assert medians["ratio 3/2"].endswith(" (1.1)")
    assert set(rows_of(tidy, profile="fitted by topic")["topic"]) == {"401", "402", "403"}


def test_everything_said_of_a_discordant_document_is_there(stage):
    tidy, readable = make("table-discordant", stage, reference="So4")
    assert readable["reference"].tolist() == ["So4"] * 3
    first, _, third = readable.to_dict("records")
    assert first["labels"] == "TR2 1; So4 1"
    assert first["magnitudes, normalised"] == "4, 9, 30"
    assert first["times the label's median"] == f"{np.exp(1.4):.3g}"
    assert third["labels"] == third["magnitudes, normalised"] == ""
    assert len(tidy) == 2 * 5 + 1
    _, readable = make("table-discordant", stage)
    assert readable["reference"].tolist() == ["TR2"] * 3 + ["So4"] * 3


def test_intervals_are_all_there(stage):
    tidy, readable = make("table-intervals", stage)
    assert len(readable) == len(tidy) == len(stage("intervals"))
    assert readable.iloc[0]["interval"] == "0.714 – 0.914"
    empty = stage("intervals").assign(low=np.nan, high=np.nan)
    _, readable = tables.table_intervals(empty)
    assert set(readable["interval"]) == {"–"}


def test_cuts_are_compared_side_by_side():
    row = {"first": "ME-to-2", "second": "S100-to-2", "method": "d2_at", "reference": "TR2_a"}
    row |= {"alpha_first": 0.5, "alpha_second": 0.4375, "difference": 0.0625, "low": 0.01}
    row |= {"high": 0.115, "t": 2.5, "p": 0.02, "n_topics": 18, "better": 12, "worse": 6}
    one = {"n_topics": 1, "low": None, "high": None, "t": None, "p": None}
    rows = [row | {"selection": "per-topic"}, row | one | {"selection": "single"}]
    agreement = pd.DataFrame(rows, columns=columns_of("cut-comparisons/agreement"))
    tidy, readable = tables.table_cuts(agreement)
    assert tidy["difference"].tolist() == [0.0625, 0.0625]
    assert readable["interval"].tolist() == ["0.010 – 0.115", "–"]
    assert readable["p"].tolist() == ["0.020", ""]
    assert readable["α of second"].tolist() == ["0.438", "0.438"]
