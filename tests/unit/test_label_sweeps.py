"""Sweeps of labels: every universe made again plainly; documents, shares and edges."""

import math

import krippendorff
import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.errors import ParameterError
from regrade.sweeps.label_results import swept_labels
from regrade.sweeps.label_sweep import LabelSweep
from regrade.sweeps.options import LABEL_AXES, read_sweep
from regrade.sweeps.outcomes import topic_rows
from regrade.sweeps.sweep import SweepDesign
from regrade.variance_shares import variance_shares
from tests.reference.sweeps import cut
from tests.unit.sweep_worlds import World, world

AXES = {
    "labels": ["NIST", {"cuts": "judge", "which": ["best", "rounded", "every"], "levels": 4}],
    "reference": ["NIST"],
    "metric": ["nominal", "ordinal", "interval"],
    "topics": ["all", "halves-2"],
}
BASELINE = {"labels": "judge to 4 rounded", "reference": "NIST"}


def swept(of: World, axes=AXES, baseline=BASELINE, **options) -> LabelSweep:
    written = read_sweep(axes, baseline, list(of.labels), names=LABEL_AXES)
    return LabelSweep.of(SweepDesign.of(written, **options), of.sets)


@pytest.fixture(scope="module")
def small():
    of = world()
    sweep = swept(of)
    return of, sweep, swept_labels(sweep)


def alpha_of(ours: dict, other: dict, metric: str) -> float:
    """α of the documents of a topic that both label; NaN where it is undefined."""
    both = sorted(set(ours) & set(other))
    pair = np.array([[ours[d] for d in both], [other[d] for d in both]], dtype=float)
    if pair.size == 0 or len(np.unique(pair)) < 2:
        return np.nan
    return krippendorff.alpha(pair, level_of_measurement=metric)


def labels_of(of: World, row) -> dict:
    """The labels of a universe."""
    if row.thresholds is None:
        return of.labels[row.labels]
    return cut(of.labels["judge"], [float(c) for c in row.thresholds.split()])


def test_every_universe_is_what_is_made_plainly(small):
    of, _sweep, tables = small
    rows = tables["universes"].to_pandas().astype({"thresholds": object})
    rows["thresholds"] = rows["thresholds"].where(rows["thresholds"].notna(), None)
    assert rows["universe"].is_unique
    topics = sorted(of.labels["judge"])
    (base,) = {r.thresholds for r in rows.itertuples() if r.labels == BASELINE["labels"]}
    base = cut(of.labels["judge"], [float(c) for c in base.split()])
    assert len(rows) == (1 + 1 + 1 + 84) * 3 * 3
    for row in rows.iloc[::7].itertuples():
        own = labels_of(of, row)
        kept = [topics[t] for t in topic_rows(row.topics, topics, 1)]
        alphas = [alpha_of(own[t], of.labels["NIST"][t], row.metric) for t in kept]
        assert row.alpha == pytest.approx(np.nanmean(alphas), abs=1e-12)
        both = [(t, d) for t in kept for d in set(own[t]) & set(base[t])]
        moved = np.mean([own[t][d] != base[t][d] for t, d in both])
        assert row.relabelled == pytest.approx(moved, abs=1e-12)


def test_documents_get_the_levels_that_all_labels_give(small):
    of, _sweep, tables = small
    rows = tables["universes"].to_pandas().astype({"thresholds": object})
    rows["thresholds"] = rows["thresholds"].where(rows["thresholds"].notna(), None)
    every = rows[["labels", "thresholds"]].drop_duplicates()
    of_entry = {e: [labels_of(of, r) for r in some.itertuples()]
                for e, some in every.groupby("labels", observed=True)}  # fmt: skip
    documents = tables["documents"]
    n_base = sum(len(docs) for docs in of.labels["judge"].values())
    assert len(documents) == n_base
    for row in documents.itertuples():
        given = {
            entry: [labels[row.topic][row.docno] for labels in some]
            for entry, some in of_entry.items()
            if row.docno in some[0][row.topic]
        }
        same = {entry: np.mean(np.array(own) == row.grade) for entry, own in given.items()}
        assert row.same == pytest.approx(np.mean(list(same.values())))
        flat = [level for own in given.values() for level in own]
        assert (row.low, row.high) == (min(flat), max(flat))
        assert row.holds == (len(set(flat)) == 1)
        assert row.entries == len(given)
        entries = set() if pd.isna(row.changed_at) else set(row.changed_at.split(", "))
        assert entries == {entry for entry, share in same.items() if share < 0.5}


def test_shares_are_those_of_the_whole_array(small):
    _, sweep, tables = small
    counts = sweep.counts
    shape = (int(counts.sum()), 3, 3)
    own = {"labels": np.repeat(1 / counts, counts), "metric": np.ones(3)}
    own["topics"] = np.array([2.0, 1.0, 1.0])
    for name in ("alpha", "relabelled"):
        expected = variance_shares(sweep.outcomes[name].reshape(shape), list(own), own)
        found = tables["axes"][tables["axes"]["outcome"] == name]
        np.testing.assert_allclose(found["total"], expected["total"], atol=1e-12)
    relabelled = tables["axes"].set_index(["outcome", "axis"]).loc[("relabelled", "metric")]
    assert (relabelled["total"].abs() < 1e-12).all()


def test_entries_say_what_their_universes_have(small):
    _, _sweep, tables = small
    rows = tables["universes"].to_pandas()
    table = tables["entries"]
    own = rows.loc[rows["labels"] == "judge to 4 every", "alpha"]
    row = table[(table["entry"] == "judge to 4 every") & (table["outcome"] == "alpha")].iloc[0]
    assert (row.universes, row.low, row.high) == (len(own), own.min(), own.max())
    own = rows.loc[rows["metric"] == "nominal", "alpha"]
    row = table[(table["entry"] == "nominal") & (table["outcome"] == "alpha")].iloc[0]
    assert (row.low, row.high) == (own.min(), own.max())


def test_quartiles_of_entries_weigh_universes_by_their_choices(small):
    """A half weighs a half, and each of the 84 cuts of one entry a 84th of the other entries."""
    _, _sweep, tables = small
    rows = tables["universes"].to_pandas()
    times = np.where(rows["labels"] == "judge to 4 every", 1, 84)
    times = times * np.where(rows["topics"] == "all", 2, 1)
    rows["topics"] = np.where(rows["topics"] == "all", "all", "halves")
    boxes = tables["entries"]
    for box in boxes[boxes["outcome"] == "alpha"].itertuples():
        own = rows["alpha"].notna() if pd.isna(box.axis) else rows[box.axis] == box.entry
        values = np.sort(np.repeat(rows["alpha"][own], times[own]))
        least = [values[math.ceil(q * len(values)) - 1] for q in (0.25, 0.5, 0.75)]
        assert [box.q1, box.median, box.q3] == least


def test_choices_unlike_the_baseline_s_are_counted(small):
    _, sweep, tables = small
    rows = tables["universes"].to_pandas().astype(str)
    base = sweep.design.baseline
    other = [rows[axis] != base[axis] for axis in ("metric", "topics", "reference")]
    other.append(rows["labels"] != BASELINE["labels"])
    assert rows["changed_choices"].astype(int).tolist() == sum(other).tolist()


def test_halves_of_the_topics_at_the_baseline(small):
    of, _sweep, tables = small
    rows = tables["universes"].to_pandas().astype({"thresholds": object})
    base = labels_of(of, rows[rows["labels"] == BASELINE["labels"]].iloc[0])
    topics = sorted(of.labels["judge"])
    alphas = np.array([alpha_of(base[t], of.labels["NIST"][t], "ordinal") for t in topics])
    halves = [
        [np.nanmean(alphas[topic_rows(f"half {n}{side}", topics, 1)]) for side in "ab"]
        for n in range(1, 21)
    ]
    facts = tables["facts"].set_index("quantity")["value"]
    assert facts["alpha"] == pytest.approx(np.nanmean(alphas))
    assert facts["halves"] == pytest.approx(np.abs(np.diff(halves)).mean())


def test_a_universe_depends_on_its_choices_alone(small):
    of, _, tables = small
    fewer = swept(of, {**AXES, "metric": ["ordinal", "nominal"]})
    known = tables["universes"].to_pandas().set_index("universe")
    own = swept_labels(fewer)["universes"].to_pandas().set_index("universe")
    both = known.loc[own.index]
    np.testing.assert_array_equal(own["alpha"], both["alpha"])
    assert (own["metric"].astype(str) == both["metric"].astype(str)).all()


BAD = [
    ({"labels": ["share"]}, {"labels": "share", "reference": "NIST"}, "a sweep needs levels"),
    ({"labels": ["NIST", "judge"]}, {"labels": "NIST", "reference": "NIST"}, "judge is on"),
    ({"labels": ["NIST"]}, {"labels": "NIST"}, "give its reference"),
    ({"labels": ["NIST"], "measure": ["AP"]}, {"labels": "NIST", "reference": "NIST"}, "measure"),
    ({"labels": ["NIST"], "reference": ["NIS"]}, {"labels": "NIST", "reference": "NIS"}, "NIST"),
    ({"labels": ["NIST"], "metric": ["ratio"]}, {"labels": "NIST", "reference": "NIST"}, "ratio"),
]  # fmt: skip


@pytest.mark.parametrize(("axes", "baseline", "problem"), BAD)
def test_what_is_no_sweep_of_labels_is_refused(axes, baseline, problem):
    with pytest.raises(ParameterError, match=problem):
        swept(world(), axes, baseline)


def test_more_than_the_limit_is_refused():
    with pytest.raises(ParameterError, match=r"783 universes .* 782 \(labels 87, reference 1"):
        swept(world(), limit=782)
    swept(world(), limit=783)


def test_labels_that_are_no_levels_are_refused():
    of = {"t": {"a": [0, 1], "b": [1, 1]}}
    judgments = [("t", d, str(u), v) for d, own in of["t"].items() for u, v in enumerate(own)]
    frame = pd.DataFrame(judgments, columns=["topic", "docno", "worker", "value"])
    with pytest.raises(ParameterError, match=r"crowd mean has 0\.5 .* not a level"):
        regrade.sweep(
            {"labels": ["gold", {"judgments": "crowd", "aggregate": ["mean"]}]},
            {"labels": "gold", "reference": "gold"},
            sets={"gold": {"t": {"a": 1, "b": 0}}, "crowd": frame},
            scales={"gold": 2, "crowd": 2},
        )


def test_one_topic_one_document_and_all_the_same():
    """α is undefined where all labels are one; documents and sentences say so."""
    found = regrade.sweep(
        {"labels": ["one", "two"]},
        {"labels": "one", "reference": "two"},
        sets={"one": {"t": {"d": 1}}, "two": {"t": {"d": 1}}},
        scales={"one": 2, "two": 2},
    )
    assert found.universes["alpha"].isna().all()
    assert found.documents["holds"].tolist() == [True]
    assert "undefined in every combination" in str(found.summary())
    assert found.entries.loc[found.entries["outcome"] == "alpha", "universes"].eq(0).all()


def test_no_document_in_common():
    found = regrade.sweep(
        {"labels": ["one", "two"]},
        {"labels": "one", "reference": "one"},
        sets={"one": {"t": {"a": 1, "b": 0}}, "two": {"t": {"c": 1, "e": 0}}},
        scales={"one": 2, "two": 2},
    )
    by = found.universes.set_index("labels")
    assert by.loc["one", "alpha"] == 1
    assert np.isnan(by.loc["two", "alpha"])
    assert np.isnan(by.loc["two", "relabelled"])
    assert found.documents["entries"].tolist() == [1, 1]


def test_a_document_without_a_label_counts_nowhere():
    """What another set lacks is not held against it."""
    sets = {"one": {"t": {"a": 1, "b": 0}, "u": {"a": 1, "b": 0}},
            "two": {"t": {"a": 0, "b": 1}}}  # fmt: skip
    found = regrade.sweep(
        {"labels": ["one", "two"]}, {"labels": "one", "reference": "one"}, sets=sets,
        scales={"one": 2, "two": 2},
    )  # fmt: skip
    assert found.universes["relabelled"].tolist() == [0, 1]
    assert found.documents["entries"].tolist() == [2, 2, 1, 1]
    assert found.documents["same"].tolist() == [0.5, 0.5, 1, 1]


def test_labels_that_come_out_the_same_count_once_and_are_named():
    """Of one value per document, mean and median are the same."""
    of = world()
    written = read_sweep(
        {"labels": ["NIST", {"judgments": "judge", "aggregate": ["median", "mean"],
                             "cuts": ["rounded", "every"], "levels": 4}]},
        {"labels": "NIST", "reference": "NIST"}, list(of.labels), names=LABEL_AXES,
    )  # fmt: skip
    sweep = LabelSweep.of(SweepDesign.of(written), of.sets)
    levels = swept_labels(sweep)["levels"]
    own = levels[levels["axis"] == "labels"]
    assert own["entry"].tolist() == ["NIST", "judge median rounded", "judge median every"]
    assert "judge mean every is the same as judge median every" in own["note"].iloc[2]


def test_the_same_labels_under_two_names_count_once():
    one = {"t": {"a": 1, "b": 0}}
    found = regrade.sweep(
        {"labels": ["one", "again"]}, {"labels": "one", "reference": "one"},
        sets={"one": one, "again": one}, scales={"one": 2, "again": 2},
    )  # fmt: skip
    assert found.levels["note"].iloc[0] == "again is the same as one"
    assert len(found.universes) == 1


def test_the_best_cut_may_be_the_first_or_there_is_none():
    asked = (
        {"labels": ["gold", {"cuts": "judge", "which": ["best"], "levels": 2}]},
        {"labels": "gold", "reference": "gold"},
    )
    scales, judge = {"gold": 2, "judge": 3}, {"t": {"a": 0, "b": 1, "c": 2}}
    sets = {"gold": {"t": {"a": 0, "b": 1, "c": 1}}, "judge": judge}
    assert regrade.sweep(*asked, sets=sets, scales=scales).universes["alpha"].tolist() == [1, 1]
    sets["gold"] = {"t": {"z": 1}}  # no document in common
    with pytest.raises(ParameterError, match="there is no best cut: leave it out"):
        regrade.sweep(*asked, sets=sets, scales=scales)
