"""What turpin2015 printed, and its tables and figures of what the stage makes of few documents."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from regrade.catalogue import columns_of
from regrade.errors import ParameterError
from regrade.magnitudes.steps import (
    MagnitudeOptions,
    gain_tables,
    judgments_by_topic,
    label_tables,
    unit_tables,
)
from regrade.magnitudes.systems import GainComparison, ReferenceLabels
from regrade.show import style
from regrade.show.published import read_published, read_tidy, write_markdown
from regrade.significance.discrimination import SIGNIFICANCE
from regrade.studies.items import PLACEHOLDER
from regrade.studies.turpin2015 import tables
from regrade.studies.turpin2015.items import TURPIN2015
from regrade.tables import read_table, write_csv, write_table
from tests.each import others_slow
from tests.snapshots import assert_said
from tests.unit import trec
from tests.unit.figure_checks import assert_same_files, described, on_page, table_lines, words
from tests.unit.items_made import shown
from tests.unit.magnitudes import judgments_of
from tests.unit.magnitudes_frames import rows_of

PRINTED = Path(__file__).parents[2] / "data" / "published"
ITEMS = TURPIN2015.by_name
OF_THE_STAGE = [name for name, item in ITEMS.items() if "magnitudes/" in item.shows[0]]
FIGURES = [name for name in OF_THE_STAGE if not ITEMS[name].is_table]
TABLES = [name for name in OF_THE_STAGE if ITEMS[name].is_table]
VALUES = {
    "table-1": 152, "table-2": 10, "table-3": 24, "table-exceptions": 16, "table-agreement": 3,
    "table-widths": 1, "table-gains": 1,
}  # fmt: skip
"""How many numbers the paper prints for each table, in it or in its text."""
NOTES = "Judgments are simulated: ME from So4, seed 1"


def printed(name):
    return read_published(PRINTED / f"turpin2015-{name}.csv", True)


# --- what the paper printed ----------------------------------------------------------------------


@pytest.mark.parametrize("name", VALUES)
def test_every_number_is_there_once(name):
    table = printed(name)
    keys = list(ITEMS[name].keys)
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


def test_exceptions_are_as_many_as_the_paper_counts():
    """3 · 18 + 18 adjacent cases, 6 · 18 + 18 in all; those of both are the sums."""
    table = rows_of(printed("table-exceptions"), relation="=")
    wide = table.pivot(index=["levels", "quantity"], columns="reference", values="published")
    assert (wide["So4"] + wide["TR2"] == wide["So4 and TR2"]).all()
    assert wide.loc[("adjacent", "cases"), "So4"] == 3 * 18
    assert wide.loc[("all", "cases"), "So4"] == 6 * 18


@pytest.mark.parametrize("name", ITEMS)
def test_an_item_is_of_one_set_and_is_told_its_other_options(name):
    item = ITEMS[name]
    for table in item.shows:
        of_a_set = table.startswith("magnitudes/")
        assert PLACEHOLDER.findall(table) == (["set"] if of_a_set else [])
    assert set(item.settings) == set(item.options) - {"set"}


# --- what the stage makes ------------------------------------------------------------------------

DOCUMENTS = [f"d{place:02d}" for place in range(14)]
GRADE = {docno: float(place % 4) for place, docno in enumerate(DOCUMENTS)}
LOW, HIGH = "d00", "d03"
MEASURES = ("nDCG(base=2)@10", "ERR(max_rel='topic')@10")
HIGHEST = {"So4": 3, "TR2": 1}


@cache
def stage_of(folder, systems=6, topics=4, references=("So4", "TR2")):
    """All tables of the stage, written and read, of units that all hold `LOW` and `HIGH`."""
    rng = np.random.default_rng(5)
    runs, _ = trec.random_collection(4, systems=systems, topics=topics, documents=14, longest=12)
    names = [f"t{t}" for t in range(topics)]
    four = {t: {d: GRADE[d] for d in DOCUMENTS[:12]} for t in names}
    two = {t: {d: float(GRADE[d] > 1) for d in DOCUMENTS} for t in names}
    rows = []
    for topic in names:
        for number in range(12):
            others = rng.choice([d for d in DOCUMENTS if d not in (LOW, HIGH)], 3, replace=False)
            for docno in (LOW, HIGH, *others):
                value = round(float(np.exp(rng.normal(1 + 0.5 * GRADE[docno], 0.4))), 2)
                clicks = int(number == 0)
                key = (topic, docno, f"w{number}", f"u{number}")
                rows.append((*key, value, 30.0, clicks, 2 * clicks))
    small = trec.Collection.small(runs, two)
    every = {"So4": trec.qrels_table(four), "TR2": small.qrels}
    labels = {name: every[name] for name in references}
    how = MagnitudeOptions(leave_out=["order"], samples=30, resamples=20)
    made = unit_tables(judgments_of(rows), how, reference=every["So4"])
    levels = {name: tuple(map(float, range(HIGHEST[name] + 1))) for name in labels}
    made |= label_tables(made, labels, levels, how)
    beside = [ReferenceLabels(name, table, HIGHEST[name]) for name, table in labels.items()]
    by_topic = judgments_by_topic(made["normalised"], made["units"], made["width_quantiles"])
    compared = GainComparison(small.ranked, beside, by_topic, MEASURES, depth=2, merged=5)
    made |= gain_tables(compared, how, SIGNIFICANCE)
    for name, table in made.items():
        path = folder / f"{name}.parquet"
        write_table(table, path, f"magnitudes/{name}")
        made[name] = read_table(path, f"magnitudes/{name}").to_pandas()
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("stage")


@pytest.fixture(scope="module")
def stage(folder):
    return stage_of(folder)


def make(name, stage, **settings):
    return shown(ITEMS[name], stage, **settings)


def test_what_is_shown(stage):
    def say(name):
        beside = {"published": printed(name)} if name in VALUES else {}
        made = make(name, stage, **beside)
        if not ITEMS[name].is_table:
            return described(made)
        return [line for table in made for line in table_lines(table.round(6))]

    assert_said("shown-turpin2015", say, ((name,) for name in OF_THE_STAGE))


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("name", TABLES)
def test_published_beside_ours(name, beside, stage, tmp_path):
    known = printed(name) if beside and name in VALUES else None
    tidy, readable = make(name, stage, **({} if known is None else {"published": known}))
    keys = list(ITEMS[name].keys)
    assert len(tidy) and not readable.isna().any(axis=None)
    if keys:
        assert not tidy.duplicated(keys).any()
        assert tidy["ours"].notna().any()
        assert known is not None or tidy["published"].isna().all()
    if known is not None:
        # every printed number has a place, but those of the paper's topics
        of_all = known if name != "table-1" else rows_of(known, topic="*")
        assert tidy["published"].notna().sum() == len(of_all), name
        expected = known.set_index(keys)["published"].to_dict()
        for row in tidy.itertuples():
            wanted = expected.get(tuple(getattr(row, key) for key in keys))
            assert row.published == wanted or (wanted is None and np.isnan(row.published))
    write_csv(tidy, tmp_path / "t.csv")
    write_markdown(readable, tmp_path / "t.md", ITEMS[name].title, "simulated")
    assert read_tidy(tmp_path / "t.csv").columns.tolist() == tidy.columns.tolist()


def test_counts_that_nobody_made_are_empty(stage):
    topics = stage["topics"].assign(back_0=None, back_1=None, back_2=None)
    tidy, readable = tables.table_1(topics)
    assert rows_of(tidy, quantity="back_1")["ours"].isna().all()
    assert (readable["back 1"] == "").all()


def test_known_documents_of_the_paper_stand_in_brackets_where_they_are_others(stage):
    known = printed("table-1")
    high, low = known.loc[known["topic"] == "402", ["high_docno", "low_docno"]].iloc[0]
    topics = stage["topics"].astype({"topic": str, "high_docno": str, "low_docno": str})
    topics["topic"] = topics["topic"].replace("t0", "402")
    topics.loc[topics["topic"] == "402", "low_docno"] = low
    _, readable = tables.table_1(topics, published=known)
    assert readable.set_index("topic").loc["402", ["H_k", "N_k"]].tolist() == [
        f"{HIGH} ({high})",
        low,
    ]


def test_table_3_has_the_intervals_of_tau_over_topics(stage):
    ends = {"low": 0.1, "high": 0.9}
    made = stage["intervals"]
    over_topics = (made["resampled"] == "topics") & (made["quantity"] == "tau")
    made = made.assign(**{end: np.where(over_topics, v, np.nan) for end, v in ends.items()})
    tidy, readable = make("table-3", stage | {"intervals": made})
    is_tau = tidy["quantity"] == "tau"
    assert (tidy.loc[is_tau, ["topics_low", "topics_high"]] == [0.1, 0.9]).all(axis=None)
    assert tidy.loc[~is_tau, "topics_low"].isna().all()
    assert tidy[["documents_low", "units_low"]].isna().all(axis=None)
    assert readable[["narrow", "all", "wide"]].notna().all(axis=None)


def test_agreement_s_intervals_are_those_of_its_rows(stage):
    tidy, _ = make("table-agreement", stage)
    rows = stage["agreement"].astype({"topic": str})
    rows = rows[rows["topic"] == "*"]
    ours = rows_of(tidy, topic="*", ties="agree")
    np.testing.assert_allclose(ours["topics_low"], 100 * rows["share_low"].astype(float))
    np.testing.assert_allclose(ours["topics_high"], 100 * rows["share_high"].astype(float))


def test_widths_of_all_values_stand_beside_no_printed_ones(stage):
    of_all = {name: table.assign(width_of="greatest / smallest") for name, table in stage.items()}
    tidy, readable = make("table-widths", of_all, published=printed("table-widths"))
    assert tidy["published"].isna().all()
    assert "greatest / smallest" in readable.to_string()
    [axes] = make("figure-7", of_all).axes
    assert axes.get_xlabel() == "width of a unit, greatest / smallest value, to the nearest 5"


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


# --- figures -------------------------------------------------------------------------------------

SIZES = {"a topic": (6, 1), "two systems": (2, 4), "one": (1, 1, ("So4",)), "many": (40, 9)}


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", SIZES)
def test_any_collection_fits_the_page(size, tmp_path):
    made = stage_of(tmp_path, *SIZES[size])
    for name in FIGURES:
        if all(len(made[path.rpartition("/")[2]]) for path in ITEMS[name].shows):
            figure = make(name, made)
            style.add_notes(figure, NOTES)
            assert on_page(figure), name
            assert NOTES in " ".join(words(figure)).replace("\n", " ")
        else:
            with pytest.raises(ParameterError, match="has no rows"):
                make(name, made)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", FIGURES)
def test_undefined_values_render(stage, tmp_path, name):
    """Whatever may be null is."""
    keys = {"topic", "level", "lower", "upper", "width", "units", "k", "limit", "score", "higher"}
    keys |= {"equal", "linear", "exponential"}
    frames = dict(stage)
    for path in ITEMS[name].shows:
        frame = frames[path.rpartition("/")[2]]
        nullable = [column for column in frame.select_dtypes("float") if column not in keys]
        frames[path.rpartition("/")[2]] = frame.assign(**dict.fromkeys(nullable, np.nan))
    figure = make(name, frames)
    assert on_page(figure)
    style.save(figure, tmp_path / "figure.svg")


@pytest.mark.parametrize("name", others_slow(["figure-1", "figure-4", "figure-populations"]))
def test_the_same_tables_give_the_same_bytes(stage, tmp_path, name):
    assert_same_files(tmp_path, lambda: make(name, stage), NOTES)


@pytest.mark.parametrize("name", FIGURES)
def test_a_table_without_rows_is_said(stage, name):
    first = ITEMS[name].shows[0].rpartition("/")[2]
    with pytest.raises(ParameterError, match=r"the table \S+/\S+ has no rows"):
        make(name, stage | {first: stage[first].iloc[:0]})


@pytest.mark.parametrize("name", [n for n in FIGURES if "reference" in ITEMS[n].options])
def test_one_reference_can_be_drawn_alone(stage, name):
    whole = " ".join(words(make(name, stage)))
    alone = " ".join(words(make(name, stage, reference="So4")))
    assert "So4" in whole
    assert len(alone) <= len(whole)
    with pytest.raises(ParameterError, match="reference"):
        make(name, stage, reference="none such")


def test_1_axis_is_linear_where_values_are_near_each_other(stage):
    near = stage["levels"].assign(low=4.0, q1=5.0, median=6.0, q3=7.0, high=8.0)
    far = near.assign(high=800.0)
    scales = [make("figure-1", {"levels": one}).axes[0].get_yscale() for one in (near, far)]
    assert scales == ["linear", "log"]


def test_systems_under_gains_that_are_not_there_are_told_of(stage):
    systems, rankings = stage["systems"], stage["rankings"]
    with pytest.raises(ParameterError, match="no scores under magnitudes"):
        make("figure-4", stage | {"systems": systems[systems["gains"] != "magnitudes"]})
    with pytest.raises(ParameterError, match="has no rows of merged"):
        make("figure-5", stage | {"rankings": rankings[rankings["over"] == "runs"]})
    with pytest.raises(ParameterError, match="has no score of s0"):
        make("figure-populations", stage | {"systems": systems[systems["system"] != "s0"]})
    nothing = rankings.assign(n_systems=0, tau=np.nan, overlap=np.nan)
    unmerged = {"systems": systems[systems["over"] == "runs"], "rankings": nothing}
    assert words(make("figure-5", unmerged)).count("no systems") == 4


def test_7_counts_the_bars_that_it_does_not_show(stage):
    widths = stage["widths"]
    few = widths["units"] < 4
    [axes] = make("figure-7", stage).axes
    bars = [segment[1].tolist() for segment in axes.collections[0].get_segments()]
    assert bars == widths.loc[~few, ["width", "units"]].to_numpy().tolist()
    head = axes.title.get_text() + axes._left_title.get_text()
    assert f"{widths.loc[few, 'units'].sum()} in bars of fewer than 4, not shown" in head
    [axes] = make("figure-7", stage, least=1).axes
    assert len(axes.collections[0].get_segments()) == len(widths)
    assert "not shown" not in axes._left_title.get_text()
