"""The search against the plain oracle, and properties that it must have."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.aggregation import enumerate_cuts
from regrade.choices import CUT_METHODS
from regrade.cutsearch import CutSearch, best_cuts, search, top_cuts
from regrade.cutsearch.best import best_index
from regrade.errors import MethodError, ParameterError
from tests.reference import han2019
from tests.unit.judgments import random_judgments, random_labels

ALL_METHODS = list(CUT_METHODS)


def searched(judgments, source_levels, levels, method, labels, **options):
    reference = labels if CUT_METHODS[method].needs_reference else None
    return search(judgments, source_levels, levels, method, reference, **options)


def assert_matches_oracle(judgments, found, labels, indices, **options):
    frame = judgments.to_pandas()
    known = labels.to_pandas()
    settings_of_oracle = {
        "metric": options.get("metric", "ordinal"),
        "undefined": options.get("undefined", "drop"),
        "unjudged": options.get("unjudged", "drop"),
        "at": options.get("aggregate_source", "median"),
        "ta": options.get("aggregate_levels", "majority"),
    }
    for t, topic in enumerate(found.topics):
        rows = frame[frame["topic"] == topic]
        of_topic = known[known["topic"] == topic]
        reference = dict(zip(of_topic["docno"], of_topic["grade"].astype(int), strict=True))
        for i in indices:
            expected = han2019.topic_alpha(
                rows, found.cuts[i].tolist(), found.method, reference, **settings_of_oracle
            )
            assert found.alpha[i, t] == pytest.approx(expected, abs=1e-10, nan_ok=True), (
                topic,
                found.cuts[i],
            )


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("levels", [2, 3, 4])
@pytest.mark.parametrize("method", ALL_METHODS)
def test_every_cut_of_a_small_scale_matches_the_oracle(method, levels, metric):
    judgments = random_judgments(levels, levels=7, documents=6, units=8)
    labels = random_labels(levels, judgments, levels)
    options = {"metric": metric}
    found = searched(judgments, 7, levels, method, labels, **options)
    assert_matches_oracle(judgments, found, labels, range(len(found.cuts)), **options)


@pytest.mark.parametrize(
    "options",
    [
        {"undefined": "one"},
        {"undefined": "zero", "metric": "nominal"},
        {"unjudged": "non-relevant"},
        {"aggregate_source": "mean", "aggregate_levels": "mean"},
        {"aggregate_source": "majority", "aggregate_levels": "median"},
        {"aggregate_levels": "mean", "undefined": "one", "metric": "interval"},
    ],
)
@pytest.mark.parametrize("method", ALL_METHODS)
def test_every_option_matches_the_oracle(method, options):
    judgments = random_judgments(11, levels=6, documents=5, units=7)
    labels = random_labels(5, judgments, 3, share=0.6)
    found = searched(judgments, 6, 3, method, labels, **options)
    assert_matches_oracle(judgments, found, labels, range(len(found.cuts)), **options)


@pytest.mark.parametrize("method", ALL_METHODS)
def test_hundreds_of_cuts_of_s100_match_the_oracle(method):
    judgments = random_judgments(3, topics=1, documents=12, units=14, unit_size=8, workers=12)
    labels = random_labels(3, judgments, 4)
    found = searched(judgments, 101, 4, method, labels)
    assert len(found.cuts) == 161_700
    indices = np.random.default_rng(0).choice(len(found.cuts), 200, replace=False)
    assert_matches_oracle(judgments, found, labels, indices)


@pytest.mark.parametrize("method", ["d2_at", "d2_ta"])
def test_expert_labels_can_be_the_source(method):
    crowd = random_judgments(2, levels=4, documents=12)
    source = random_labels(2, crowd, 4, share=1.0)
    reference = random_labels(8, crowd, 2)
    found = search(source, 4, 2, method, reference)
    rows = source.to_pandas().rename(columns={"grade": "value"}).assign(worker="e", unit="")
    judgments = pa.Table.from_pandas(rows, preserve_index=False)
    assert_matches_oracle(judgments, found, reference, range(3))


def shuffled(judgments, seed):
    order = np.random.default_rng(seed).permutation(judgments.num_rows)
    return judgments.take(pa.array(order))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), method=st.sampled_from(ALL_METHODS))
def test_order_names_and_threads_change_nothing(seed, method):
    judgments = random_judgments(seed, levels=11, topics=3, documents=8, units=10)
    labels = random_labels(seed, judgments, 3)
    found = searched(judgments, 11, 3, method, labels)

    reordered = searched(
        shuffled(judgments, seed), 11, 3, method, shuffled(labels, seed), threads=2
    )
    np.testing.assert_array_equal(reordered.alpha, found.alpha)
    np.testing.assert_array_equal(reordered.mean, found.mean)
    pd.testing.assert_frame_equal(best_cuts(reordered), best_cuts(found))

    frame = judgments.to_pandas()
    workers = sorted(frame["worker"].unique())
    frame["worker"] = frame["worker"].map(dict(zip(workers, workers[::-1], strict=True)))
    renamed = searched(pa.Table.from_pandas(frame, preserve_index=False), 11, 3, method, labels)
    np.testing.assert_array_equal(renamed.alpha, found.alpha)

    swap = {"1": "3", "2": "2", "3": "1"}
    frame = judgments.to_pandas()
    frame["topic"] = frame["topic"].map(swap)
    moved = labels.to_pandas()
    moved["topic"] = moved["topic"].map(swap)
    swapped = searched(
        pa.Table.from_pandas(frame, preserve_index=False),
        11,
        3,
        method,
        pa.Table.from_pandas(moved, preserve_index=False),
    )
    np.testing.assert_array_equal(swapped.alpha[:, ::-1], found.alpha)
    np.testing.assert_array_equal(swapped.mean, found.mean)


def test_counts_of_units_are_reported():
    judgments = random_judgments(4, levels=5, topics=1, units=12)
    labels = random_labels(4, judgments, 2, share=0.4)
    found = search(judgments, 5, 2, "h2", labels)
    every = search(judgments, 5, 2, "h2", labels, undefined="one")
    assert found.n[0] == every.n[0] <= 12
    assert (every.n_defined == every.n).all()
    assert (found.n_defined <= found.n).all()


def test_best_cut_of_tied_cuts_is_the_one_nearest_their_centroid():
    cuts = enumerate_cuts(6, 2)
    assert best_index(cuts, np.array([0.1, 0.5, 0.5, 0.5 - 1e-13, 0.2])) == (2, 3)
    # 1 and 2 are equally near 1.5: the lexicographically first
    assert best_index(cuts, np.array([0.1, 0.5, 0.5, 0.4, np.nan])) == (1, 2)
    assert best_index(cuts, np.full(5, np.nan)) == (None, 0)


def test_single_cut_is_sought_where_most_topics_are_defined():
    judgments = random_judgments(6, levels=8, topics=2)
    found = search(judgments, 8, 2, "tw1")
    alpha = np.array([[0.9, np.nan]] + [[0.3, 0.4]] * 6)
    found = CutSearch.of_topics("tw1", found.cuts, "12", alpha, found.n_defined, found.n)
    assert best_cuts(found).iloc[-1]["alpha"] == pytest.approx(0.35)
    assert found.mean[0] == 0.9


def test_undefined_topics_have_no_best_cut():
    judgments = random_judgments(6, levels=8, topics=2)
    labels = random_labels(6, judgments, 2)
    only_first = labels.filter(pa.compute.equal(labels["topic"], "1"))
    table = best_cuts(search(judgments, 8, 2, "d2_at", only_first), "R")
    second = table[table["topic"] == "2"].iloc[0]
    assert second["tied"] == 0 and pd.isna(second["c1"]) and pd.isna(second["alpha"])


def test_top_cuts_cover_the_ten_highest_values():
    judgments = random_judgments(9, topics=1, documents=10, units=12)
    found = search(judgments, 101, 2, "tw1")
    table = top_cuts(found, values=10)
    row = table[table["topic"] == "1"].iloc[0]
    alpha = found.alpha[:, 0]
    distinct = np.unique(np.round(alpha[~np.isnan(alpha)], 11))[::-1][:10]
    covered = found.cuts[np.round(alpha, 11) >= distinct[-1], 0]
    assert (row["low"], row["high"], row["n_cuts"]) == (
        covered.min(),
        covered.max(),
        len(covered),
    )


@pytest.mark.parametrize(
    ("method", "reference", "message"),
    [
        ("h2", None, "compares with a reference"),
        ("tw1", "labels", "one judgment set only"),
        ("h3", None, "unknown method 'h3'"),
    ],
)
def test_wrong_references_are_refused(method, reference, message):
    judgments = random_judgments(1, levels=5)
    labels = random_labels(1, judgments, 2) if reference else None
    with pytest.raises(MethodError, match=message):
        search(judgments, 5, 2, method, labels)


def without_units(judgments):
    index = judgments.column_names.index("unit")
    return judgments.set_column(index, "unit", pa.nulls(judgments.num_rows, pa.string()))


@pytest.mark.parametrize("method", ["h1_ta", "h1_at", "h2"])
def test_unit_wise_methods_need_units(method):
    judgments = random_judgments(1, levels=5)
    labels = random_labels(1, judgments, 2)
    with pytest.raises(MethodError, match="unit by unit"):
        searched(without_units(judgments), 5, 2, method, labels)


def test_methods_without_units_do_not_need_them():
    judgments = random_judgments(1, levels=5, units=6, workers=60)
    assert np.array_equal(
        search(judgments, 5, 2, "tw1").alpha,
        search(without_units(judgments), 5, 2, "tw1").alpha,
        equal_nan=True,
    )


def test_values_and_references_off_the_scale_are_refused():
    judgments = random_judgments(1, levels=9)
    with pytest.raises(ParameterError, match=r"none of the scale's values 0 … 4"):
        search(judgments, 5, 2, "tw1")
    with pytest.raises(MethodError, match="must be on the target scale"):
        search(judgments, 9, 2, "h2", random_labels(1, judgments, 4))


def test_units_longer_than_a_hit_are_searched_or_refused():
    def one_unit(documents):
        docnos = [f"D{d}" for d in range(documents)]
        frame = pd.DataFrame({"docno": docnos * 2, "worker": np.repeat(["a", "b"], documents)})
        values = np.random.default_rng(1).integers(0, 5, 2 * documents).astype(float)
        frame = frame.assign(topic="1", unit="u", position=1, value=values, seconds=1.0)
        return pa.Table.from_pandas(frame, preserve_index=False)

    judgments = one_unit(100)
    found = search(judgments, 5, 3, "h1_ta")
    assert_matches_oracle(judgments, found, random_labels(1, judgments, 3), range(6))
    with pytest.raises(MethodError, match="a unit holds 4096 judgments, and at most 4095"):
        search(one_unit(4096), 5, 3, "h1_ta")


def test_expert_source_is_refused_by_methods_that_compare_workers():
    labels = random_labels(1, random_judgments(1, levels=4), 4)
    with pytest.raises(MethodError, match="no document has two judgments"):
        search(labels, 4, 2, "tw1")
