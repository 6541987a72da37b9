"""The search on scales of any ordered values, and on judgments as they are published."""

import gzip
import itertools

import krippendorff
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.aggregation import aggregate, transform
from regrade.catalogue import ALL_TOPICS
from regrade.choices import CUT_METHODS
from regrade.cutsearch.best import best_cuts, best_of, places_of
from regrade.cutsearch.search import search
from regrade.errors import ParameterError
from regrade.scales import Scale
from tests.reference import han2019
from tests.unit.judgments import alpha_options, random_judgments, random_labels

METHODS = list(CUT_METHODS)
ODD = [0, 0.125, 0.5, 3]
"""Not evenly spaced, and means of two are exact."""


def on_values(judgments, values):
    """The same judgments with the i-th of `values` for every value i."""
    index = judgments.column_names.index("value")
    codes = judgments["value"].to_numpy().astype(int)
    return judgments.set_column(index, "value", pa.array(np.asarray(values, dtype=float)[codes]))


def searched(judgments, source, levels, method, labels, **options):
    reference = labels if CUT_METHODS[method].needs_reference else None
    return search(judgments, source, levels, method, reference, alpha_options(**options))


@pytest.mark.parametrize("at", ["median", "mean", "majority"])
@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.parametrize("method", METHODS)
def test_every_cut_of_an_odd_scale_matches_the_oracle(method, levels, at):
    coded = random_judgments(levels, levels=len(ODD), documents=6, units=8)
    labels = random_labels(levels, coded, levels)
    judgments = on_values(coded, ODD)
    found = searched(
        judgments, Scale.of({"values": ODD}), levels, method, labels, aggregate_source=at
    )
    assert found.cuts.tolist() == [list(c) for c in itertools.combinations(ODD[:-1], levels - 1)]
    rows, known = judgments.to_pandas(), labels.to_pandas()
    options = {"metric": "ordinal", "undefined": "drop", "unjudged": "drop"}
    options |= {"at": at, "ta": "majority" if levels == 2 else "median"}
    for t, topic in enumerate(found.topics):
        judged = han2019.Votes(rows[rows["topic"] == topic])
        of_topic = known[known["topic"] == topic]
        reference = dict(zip(of_topic["docno"], of_topic["grade"].astype(int), strict=True))
        for i, cut in enumerate(found.cuts.tolist()):
            expected = han2019.topic_alpha(judged, cut, method, reference, **options)
            assert found.values[i, t] == pytest.approx(expected, abs=1e-10, nan_ok=True), cut


RISING = st.lists(st.integers(1, 10**6), min_size=9, max_size=9).map(
    lambda steps: (np.cumsum(steps) / 1000).tolist()
)


@settings(max_examples=20)
@given(values=RISING, seed=st.integers(0, 99), method=st.sampled_from(METHODS))
def test_only_the_order_of_values_matters(values, seed, method):
    """With medians that are values themselves, nothing else is asked of a scale."""
    coded = random_judgments(seed, levels=9, topics=2, documents=6, units=7)
    labels = random_labels(seed, coded, 3)
    options = {"aggregate_source": "median_low", "aggregate_levels": "median"}
    plain = searched(coded, 9, 3, method, labels, **options)
    scale = Scale.of({"values": values})
    found = searched(on_values(coded, values), scale, 3, method, labels, **options)
    np.testing.assert_array_equal(found.values, plain.values)
    np.testing.assert_array_equal(places_of(found.cuts), places_of(plain.cuts))
    for topic in (*plain.topics, ALL_TOPICS):
        one = best_of(places_of(plain.cuts), plain.criterion(topic))
        other = best_of(places_of(found.cuts), found.criterion(topic))
        assert (one and one.index) == (other and other.index)
    np.testing.assert_array_equal(found.cuts, np.array(values)[places_of(plain.cuts)])


@pytest.mark.parametrize("method", METHODS)
def test_a_continuous_scale_is_cut_between_the_values_that_occur(method):
    coded = random_judgments(3, levels=9, documents=6, units=8)
    labels = random_labels(3, coded, 3)
    values = np.array([-2.5, -1, 0, 0.1, 0.2, 0.7, 1.5, 4, 9])
    judgments = on_values(coded, values)
    occurring = np.unique(judgments["value"].to_numpy()).tolist()
    listed = searched(judgments, Scale.of({"values": occurring}), 3, method, labels)
    found = searched(judgments, Scale.of({"range": [-10, 10]}), 3, method, labels)
    np.testing.assert_array_equal(found.cuts, listed.cuts)
    np.testing.assert_array_equal(found.values, listed.values)


@pytest.mark.parametrize("levels", [2, 3, 4])
@pytest.mark.parametrize("method", METHODS)
def test_a_grid_gives_the_same_values_for_fewer_cuts(method, levels):
    judgments = random_judgments(5, levels=21, documents=8, units=9)
    labels = random_labels(5, judgments, levels)
    options = {"aggregate_source": "mean", "aggregate_levels": "mean"}
    every = searched(judgments, 21, levels, method, labels, **options)
    found = searched(judgments, 21, levels, method, labels, grid=5, **options)
    assert np.unique(found.cuts).tolist() == [2, 6, 10, 14, 18]
    where = {tuple(cut): i for i, cut in enumerate(every.cuts.tolist())}
    rows = [where[tuple(cut)] for cut in found.cuts.tolist()]
    # tw1 adds coincidences, which are fractions, in another order where values are merged
    np.testing.assert_allclose(found.values, every.values[rows], rtol=0, atol=1e-12)
    note = best_cuts(found).set_index("topic").at[ALL_TOPICS, "note"]
    assert note == "only a grid of 5 of the 20 thresholds was tried"


def test_two_values_make_one_cut():
    judgments = on_values(random_judgments(2, levels=2), [0.2, 0.9])
    found = search(judgments, Scale.of({"range": [0, 1]}), 2, "tw1")
    assert found.cuts.tolist() == [[0.2]]
    with pytest.raises(ParameterError, match="2 distinct values, which cannot be cut into 3"):
        search(judgments, Scale.of({"range": [0, 1]}), 3, "tw1")


@pytest.mark.parametrize(("count", "levels"), [(1001, 2), (1001, 3), (255, 4)])
def test_large_scales_are_searched_whole(count, levels):
    rng = np.random.default_rng(count + levels)
    values = np.sort(rng.choice(10**6, count, replace=False)) / 1000
    coded = random_judgments(7, levels=count, topics=1, documents=40, units=120, unit_size=8)
    judgments = on_values(coded, values)
    labels = random_labels(7, coded, levels)
    scale = Scale.of({"values": values.tolist()})
    judged = han2019.Votes(judgments.to_pandas())
    reference = {
        docno: int(grade)
        for topic, docno, grade in zip(*labels.to_pydict().values(), strict=True)
        if topic == "1"
    }
    for method in METHODS:
        found = searched(judgments, scale, levels, method, labels)
        for i in rng.choice(len(found.cuts), 5):
            expected = han2019.topic_alpha(
                judged,
                found.cuts[i].tolist(),
                method,
                reference,
                metric="ordinal",
                undefined="drop",
                unjudged="drop",
                at="median",
                ta="majority" if levels == 2 else "median",
            )
            assert found.values[i, 0] == pytest.approx(expected, abs=1e-10, nan_ok=True)


# --- real scores ------------------------------------------------------------------------------


def qrels_of(path):
    with gzip.open(path, "rt") as lines:
        rows = [line.split() for line in lines]
    frame = pd.DataFrame(rows, columns=["topic", "_", "docno", "grade"])
    frame = frame.drop(columns="_").astype({"grade": float})
    return pa.Table.from_pandas(frame, preserve_index=False)


def test_scores_of_a_language_model(real_data):
    model = qrels_of(real_data / "dl21" / "judges" / "gpt-4-exam-graded-mean.qrels.gz")
    nist = qrels_of(real_data / "dl21" / "qrels.gz")
    # three means are of nine answers instead of ten
    found = search(model, Scale.of({"range": [0, 5]}), 4, "d2_at", nist)
    thresholds = sorted(set(model["grade"].to_pylist()))[:-1]
    assert len(thresholds) > 50
    assert found.cuts.tolist() == [list(c) for c in itertools.combinations(thresholds, 3)]
    known = nist.to_pandas().set_index(["topic", "docno"])["grade"]
    rng = np.random.default_rng(1)
    frame = model.to_pandas()
    for t in rng.choice(len(found.topics), 4, replace=False):
        rows = frame[frame["topic"] == found.topics[t]]
        theirs = known.reindex(pd.MultiIndex.from_frame(rows[["topic", "docno"]])).to_numpy()
        for i in rng.choice(len(found.cuts), 20):
            levels = [sum(value > c for c in found.cuts[i]) for value in rows["grade"]]
            ratings = np.array([levels, theirs], dtype=float)[:, ~np.isnan(theirs)]
            if len(np.unique(ratings)) > 1:
                expected = krippendorff.alpha(ratings, level_of_measurement="ordinal")
                assert found.values[i, t] == pytest.approx(expected, abs=1e-10)
            else:
                assert np.isnan(found.values[i, t])


def test_means_of_three_assessors_are_cut_where_they_were(real_data):
    """Labels that a cut at 60 made are met again by a cut between the same two means."""
    path = real_data / "image-preferences" / "s100-mean.tsv.gz"
    frame = pd.read_csv(path, sep="\t", names=["topic", "docno", "grade"], header=0, dtype=str)
    frame["grade"] = frame["grade"].astype(float)
    frame = frame.drop_duplicates(["topic", "docno"])
    source = pa.Table.from_pandas(frame, preserve_index=False)
    made = frame.assign(grade=transform(frame["grade"], [60]).astype(float))
    reference = pa.Table.from_pandas(made, preserve_index=False)
    found = search(source, Scale.of({"range": [0, 100]}), 2, "d2_at", reference)
    assert found.cuts[:, 0].tolist() == sorted(set(frame["grade"]))[:-1]
    threshold = frame.loc[frame["grade"] <= 60, "grade"].max()
    alpha = pd.Series(found.values[found.cuts[:, 0] == threshold][0], found.topics)
    both = made.groupby("topic")["grade"].nunique() == 2
    assert both.sum() > 50
    assert (alpha[both[both].index] == 1).all() and alpha[both[~both].index].isna().all()
    best = best_cuts(found).set_index("topic")
    assert (best.loc[both[both].index, "value"] == 1).all()


def test_aggregated_tenths_are_cut_alike_by_the_search_and_the_labels():
    """Means of decimal numbers come only near them; both take them for what they are."""
    judgments = on_values(random_judgments(8, levels=11, units=30), np.arange(11) / 10)
    scale = Scale.of({"values": {"from": 0, "to": 1, "by": 0.1}})
    mean = aggregate(judgments, "mean")
    labels = mean.set_column(2, "grade", pa.array(transform(mean["grade"], [0.4]).astype(float)))
    found = search(judgments, scale, 2, "d2_at", labels, alpha_options(aggregate_source="mean"))
    assert (found.values[found.cuts[:, 0] == 0.4] == 1).all()
