"""Every table and figure from what the library's functions make of a small collection."""

import numpy as np
import pytest

from regrade.magnitudes.steps import (
    MagnitudeOptions,
    gain_tables,
    judgments_by_topic,
    label_tables,
    unit_tables,
)
from regrade.magnitudes.systems import GainComparison, ReferenceLabels
from regrade.show.published import read_published
from regrade.show.style import save
from regrade.significance.discrimination import SIGNIFICANCE
from regrade.studies.turpin2015.items import TURPIN2015
from regrade.tables import read_table, write_table
from tests.unit.items_made import shown
from tests.unit.magnitudes_frames import rows_of
from tests.unit.test_studies_turpin2015_tables import PRINTED, VALUES

from . import trec
from .magnitude_tables import MEASURES, REFERENCES
from .magnitudes import judgments_of

TOPICS, DOCUMENTS = ("t0", "t1", "t2", "t3"), [f"d{place:02d}" for place in range(14)]
GRADE = {docno: float(place % 4) for place, docno in enumerate(DOCUMENTS)}
LOW, HIGH = "d00", "d03"


def collection():
    """Runs, the two references, and magnitudes in units of which all hold `LOW` and `HIGH`."""
    rng = np.random.default_rng(5)
    runs, _ = trec.random_collection(4, systems=6, topics=4, documents=14, longest=12)
    four = {t: {d: GRADE[d] for d in DOCUMENTS[:12]} for t in TOPICS}
    two = {t: {d: float(GRADE[d] > 1) for d in DOCUMENTS} for t in TOPICS}
    rows = []
    for topic in TOPICS:
        for number in range(12):
            others = rng.choice([d for d in DOCUMENTS if d not in (LOW, HIGH)], 3, replace=False)
            for docno in (LOW, HIGH, *others):
                value = round(float(np.exp(rng.normal(1 + 0.5 * GRADE[docno], 0.4))), 2)
                clicks = int(number == 0)
                key = (topic, docno, f"w{number}", f"u{number}")
                rows.append((*key, value, 30.0, clicks, 2 * clicks))
    return trec.Collection.small(runs, two), trec.qrels_table(four), judgments_of(rows)


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """All tables of the stage, written and read."""
    folder = tmp_path_factory.mktemp("stage")
    small, four, judgments = collection()
    labels = {"So4": four, "TR2": small.qrels}
    how = MagnitudeOptions(leave_out=["order"], samples=30, resamples=20)
    made = unit_tables(judgments, how, reference=four)
    levels = {name: REFERENCES[name] for name in labels}
    made |= label_tables(made, labels, levels, how)
    references = [ReferenceLabels(name, table, max(levels[name])) for name, table in labels.items()]
    by_topic = judgments_by_topic(made["normalised"], made["units"], made["width_quantiles"])
    compared = GainComparison(small.ranked, references, by_topic, MEASURES, depth=2, merged=5)
    made |= gain_tables(compared, how, SIGNIFICANCE)
    for name, table in made.items():
        write_table(table, folder / f"{name}.parquet", f"magnitudes/{name}")
    return {
        name: read_table(folder / f"{name}.parquet", f"magnitudes/{name}").to_pandas()
        for name in made
    }


def make(name, stage, **settings):
    return shown(TURPIN2015.by_name[name], stage, **settings)


OF_THE_STAGE = [item for item in TURPIN2015.items if "magnitudes/" in item.shows[0]]


@pytest.mark.parametrize("item", OF_THE_STAGE, ids=lambda item: item.name)
def test_every_item_can_be_made(item, stage, tmp_path):
    if not item.is_table:
        save(make(item.name, stage), tmp_path / "figure.svg")
        return
    beside = {}
    if item.name in VALUES:
        path = PRINTED / f"turpin2015-{item.name}.csv"
        beside["published"] = read_published(path, True)
    tidy, readable = make(item.name, stage, **beside)
    assert len(tidy) and len(readable)
    if item.keys:
        assert tidy["ours"].notna().any()
        assert not tidy.duplicated(list(item.keys)).any()


def test_names_of_the_paper_are_those_of_the_stage(stage):
    """Every printed number has a place, but those of the paper's topics."""
    for name in VALUES:
        published = read_published(PRINTED / f"turpin2015-{name}.csv", True)
        tidy, _ = make(name, stage, published=published)
        of_all = published if name != "table-1" else rows_of(published, topic="*")
        assert tidy["published"].notna().sum() == len(of_all), name


def test_table_1_counts_what_there_is(stage):
    _, readable = make("table-1", stage)
    last = readable.iloc[-1]
    assert last[["documents", "units", "back 0", "back 1", "failed 2+"]].tolist() == [
        "56", "48", "44", "4", "4",
    ]  # fmt: skip
    assert set(readable["N_k"][:-1]) == {LOW}
    assert set(readable["H_k"][:-1]) == {HIGH}


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
