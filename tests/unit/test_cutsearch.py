"""The search against the plain oracle, and properties that it must have."""

import logging

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.aggregation import enumerate_cuts
from regrade.catalogue import ALL_TOPICS
from regrade.catalogue.arrow import per_cut_schema
from regrade.choices import CUT_METHODS, UNDEFINED, UNJUDGED
from regrade.cutsearch import means
from regrade.cutsearch.best import MANY, best_cuts, best_of, cut_tables
from regrade.cutsearch.experts import expert_cuts
from regrade.cutsearch.means import topics_needed
from regrade.cutsearch.options import AlphaOptions
from regrade.cutsearch.search import CutSearch, TopicAlpha, UnservedError, prepare, search
from regrade.errors import MethodError, ParameterError
from regrade.tables import read_table, write_table
from tests.reference import han2019
from tests.unit.judgments import alpha_options, random_judgments, random_labels
from tests.unit.trec import qrels_table

ALL_METHODS = list(CUT_METHODS)


def searched(judgments, source_levels, levels, method, labels, threads=1, **options):
    reference = labels if CUT_METHODS[method].needs_reference else None
    options = alpha_options(**options)
    return search(judgments, source_levels, levels, method, reference, options, threads=threads)


def assert_matches_oracle(judgments, found, labels, indices, **options):
    frame = judgments.to_pandas()
    known = labels.to_pandas()
    settings_of_oracle = {
        "metric": options.get("metric", "ordinal"),
        "undefined": options.get("undefined", "drop"),
        "unjudged": options.get("unjudged", "drop"),
        "at": options.get("aggregate_source", "median"),
        "ta": options.get("aggregate_levels", "median" if found.cuts.shape[1] > 1 else "majority"),
    }
    for t, topic in enumerate(found.topics):
        judged = han2019.Votes(frame[frame["topic"] == topic])
        of_topic = known[known["topic"] == topic]
        reference = dict(zip(of_topic["docno"], of_topic["grade"].astype(int), strict=True))
        for i in indices:
            expected = han2019.topic_alpha(
                judged, found.cuts[i].tolist(), found.method, reference, **settings_of_oracle
            )
            assert found.values[i, t] == pytest.approx(expected, abs=1e-10, nan_ok=True), (
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
        {"aggregate_source": "mean", "aggregate_levels": "majority"},
        {"aggregate_levels": "mean", "undefined": "one", "metric": "interval"},
        {"aggregate_source": "median_low", "aggregate_levels": "median_high"},
        {"aggregate_source": "median_high", "aggregate_levels": "median_low"},
    ],
)
@pytest.mark.parametrize("method", ALL_METHODS)
def test_every_option_matches_the_oracle(method, options):
    judgments = random_judgments(11, levels=6, documents=5, units=7, workers=4)
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


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), method=st.sampled_from(ALL_METHODS))
def test_order_names_and_threads_change_nothing(seed, method):
    judgments = random_judgments(seed, levels=11, topics=3, documents=8, units=10)
    labels = random_labels(seed, judgments, 3)
    found = searched(judgments, 11, 3, method, labels)

    reordered = searched(
        shuffled(judgments, seed), 11, 3, method, shuffled(labels, seed), threads=2
    )
    np.testing.assert_array_equal(reordered.values, found.values)
    np.testing.assert_array_equal(reordered.mean, found.mean)
    pd.testing.assert_frame_equal(best_cuts(reordered), best_cuts(found))

    frame = judgments.to_pandas()
    workers = sorted(frame["worker"].unique())
    frame["worker"] = frame["worker"].map(dict(zip(workers, workers[::-1], strict=True)))
    renamed = searched(pa.Table.from_pandas(frame, preserve_index=False), 11, 3, method, labels)
    np.testing.assert_array_equal(renamed.values, found.values)

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
    np.testing.assert_array_equal(swapped.values[:, ::-1], found.values)
    np.testing.assert_array_equal(swapped.mean, found.mean)


def test_counts_of_units_are_reported():
    judgments = random_judgments(4, levels=5, topics=1, units=12)
    labels = random_labels(4, judgments, 2, share=0.4)
    found = search(judgments, 5, 2, "h2", labels)
    every = search(judgments, 5, 2, "h2", labels, alpha_options(undefined="one"))
    assert found.n[0] == every.n[0] <= 12
    assert (found.n_defined <= found.n).all()
    assert (found.n_defined < found.n).any()
    np.testing.assert_array_equal(every.n_defined, found.n_defined)
    assert every.eligible.all()


# what counts: repeats, units, topics


def judged(*rows, topic="1"):
    """Judgments from (docno, worker, unit, value)."""
    docno, worker, unit, value = zip(*rows, strict=True)
    columns = {"topic": [topic] * len(rows), "docno": docno, "worker": worker, "unit": unit}
    return pa.table(columns | {"value": pa.array(value, pa.float64())})


def test_a_worker_does_not_agree_with_himself():
    """Known documents in each unit: of two workers who disagree, one judges them three times."""
    once = [("A", "v", "u1", 4), ("B", "v", "u1", 0), ("A", "w", "u9", 0), ("B", "w", "u9", 4)]
    again = [(d, "v", f"u{i}", v) for i in (2, 3) for d, v in (("A", 4), ("B", 0))]
    alone = search(judged(*once), 5, 2, "tw1")
    assert (alone.values < 0).all()
    np.testing.assert_array_equal(search(judged(*once, *again), 5, 2, "tw1").values, alone.values)


def test_repeats_of_one_worker_alone_are_nothing_to_compare():
    rows = [("A", "v", "u1", 4), ("A", "v", "u2", 4), ("B", "v", "u1", 0), ("B", "v", "u2", 1)]
    with pytest.raises(UnservedError, match="no document has the judgments of two"):
        search(judged(*rows), 5, 2, "tw1")


@settings(max_examples=20)
@given(
    seed=st.integers(0, 10_000),
    how=st.sampled_from(["median_low", "median_high"]),
    levels=st.integers(2, 4),
)
def test_either_order_finds_the_same_agreement(seed, how, levels):
    """The paper's remark on H_a+t and H_t+a (§4.1.2), for any number of judgments."""
    judgments = random_judgments(seed, levels=9, documents=6, units=9, workers=5)
    labels = random_labels(seed, judgments, levels)
    options = {"aggregate_source": how, "aggregate_levels": how}
    for first, second in (("d2_at", "d2_ta"), ("h1_at", "h1_ta")):
        found, same = (
            searched(judgments, 9, levels, m, labels, **options) for m in (first, second)
        )
        np.testing.assert_array_equal(found.values, same.values)


def test_levels_are_voted_on_as_the_target_scale_asks():
    """Votes 0, 0, 1, 2, 2 into three levels: the median is 1, the majority 0."""
    rows = [(d, f"w{i}", f"u{i}", v) for d in "AB" for i, v in enumerate((0, 0, 1, 2, 2))]
    rows += [("C", "w1", "u1", 0), ("D", "w1", "u1", 2)]
    labels = qrels_table({"1": {"A": 1, "B": 1, "C": 0, "D": 2}})
    judgments = judged(*rows)
    assert search(judgments, 4, 3, "d2_ta", labels).values[0] == 1
    majority = search(judgments, 4, 3, "d2_ta", labels, alpha_options(aggregate_levels="majority"))
    assert majority.values[0] < 1


def test_topics_that_the_reference_lacks_are_left_out(caplog):
    judgments = random_judgments(6, levels=8, topics=3)
    labels = random_labels(6, judgments, 2)
    known = labels.filter(pa.compute.not_equal(labels["topic"], "2"))
    for unjudged in UNJUDGED:
        with caplog.at_level(logging.WARNING, "regrade.cutsearch.search"):
            found = search(judgments, 8, 2, "d2_at", known, alpha_options(unjudged=unjudged))
        assert found.topics == ("1", "3")
        assert "left out 1 topic (2): the reference has no label for the topic" in caplog.text
        table = best_cuts(found, "R").set_index("topic")
        assert table.index.tolist() == ["1", "2", "3", ALL_TOPICS]
        assert pd.isna(table.loc["2", "c1"]) and table.loc["2", "n"] == 0
        assert table.loc["2", "note"] == "the reference has no label for the topic"
        assert table.loc[ALL_TOPICS, "n"] == 2
        assert table.loc[ALL_TOPICS, "note"].startswith("left out 1 topic (2): ")
        everything = search(judgments, 8, 2, "d2_at", labels, alpha_options(unjudged=unjudged))
        np.testing.assert_array_equal(found.values, everything.values[:, [0, 2]])


def test_no_topic_in_common_is_refused():
    judgments = random_judgments(6, levels=8, topics=1)
    elsewhere, options = qrels_table({"9": {"D000": 1}}), alpha_options(unjudged="non-relevant")
    with pytest.raises(MethodError, match="the reference has none of the source's topics"):
        search(judgments, 8, 2, "d2_at", elsewhere, options)


@pytest.mark.parametrize("method", ["tw1", "h1_ta", "h1_at"])
def test_a_language_model_leaves_methods_unserved(method, tmp_path, caplog):
    """One judge and one value per document: nothing that was not asked for stops a run."""
    rows = [(f"D{d}", "model", "u", d % 5) for d in range(9)]
    with pytest.raises(UnservedError, match=f"{method} compares workers with each other"):
        search(judged(*rows), 5, 3, method)
    with caplog.at_level(logging.WARNING, "regrade.cutsearch.search"):
        found = prepare(judged(*rows), 5, 3, method).search()
    assert f"left out: {method} compares workers" in caplog.text
    (row,) = best_cuts(found).to_dict("records")
    assert (row["topic"], row["tied"], row["n"]) == (ALL_TOPICS, 0, 0)
    assert row["note"].startswith(f"{method} compares workers with each other")
    for name, table in cut_tables(found).items():
        write_table(table, tmp_path / f"{name}.parquet", f"cuts/{name}")
    write_table(
        found.to_frame(), tmp_path / "alpha.parquet", per_cut_schema("cuts/alpha", 3, found.topics)
    )
    alpha = read_table(tmp_path / "alpha.parquet").to_pandas()
    assert alpha.columns.tolist() == ["c1", "c2", "mean", "n_topics"]
    assert alpha["mean"].isna().all() and len(alpha) == len(found.cuts)


@pytest.mark.parametrize("method", ["h2", "d2_at", "d2_ta"])
def test_a_language_model_can_be_compared_with_a_reference(method):
    rows = [(f"D{d}", "model", "u", d % 5) for d in range(9)]
    labels = qrels_table({"1": {f"D{d}": int(d % 5 > 2) for d in range(9)}})
    best = best_cuts(search(judged(*rows), 5, 2, method, labels)).iloc[0]
    assert (best["c1"], best["value"], best["tied"]) == (2, 1, 1)


# an expert source over a pool


def test_an_expert_source_over_a_pool_against_the_oracle():
    crowd = random_judgments(5, levels=4, topics=3, documents=14)
    source = random_labels(5, crowd, 4, share=0.5)
    reference = random_labels(9, crowd, 2, share=0.6)
    outside = qrels_table({"1": {"not pooled": 3}, "2": {"not pooled": 0}})
    options = alpha_options(unjudged="non-relevant")
    source_and_more = pa.concat_tables([source, outside.cast(source.schema)])
    found = search(source_and_more, 4, 2, "d2_at", reference, options, pool=crowd)
    documents = crowd.to_pandas()[["topic", "docno"]].drop_duplicates()
    rows = documents.merge(source.to_pandas(), how="left").fillna(0.0)
    rows = rows.rename(columns={"grade": "value"}).assign(worker="e", unit="")
    judgments = pa.Table.from_pandas(rows, preserve_index=False)
    assert_matches_oracle(judgments, found, reference, range(3), unjudged="non-relevant")


def test_an_expert_source_over_a_pool_agrees_as_in_table_3():
    crowd = random_judgments(5, levels=4, topics=4, documents=14)
    source = random_labels(5, crowd, 4, share=0.5)
    reference = random_labels(9, crowd, 2, share=0.6)
    options = alpha_options(unjudged="non-relevant", coverage=0)
    found = search(source, 4, 2, "d2_at", reference, options, pool=crowd)
    table = expert_cuts(source, reference, crowd, "So4", "TR2", 4)["agreement"]
    completed = table[(table["source"] == "So4_a") & (table["reference"] == "TR2_a")]
    np.testing.assert_allclose(found.mean, completed["mean_alpha"], atol=1e-12)


def test_topics_that_the_source_or_the_pool_lacks_are_left_out():
    labels = qrels_table({"1": {"A": 3, "B": 0}, "2": {"A": 1}})
    pool = qrels_table({"1": {"A": 0, "B": 0, "C": 0}, "3": {"A": 0}})
    reference = qrels_table({t: {"A": 1, "B": 0} for t in "123"})
    options = alpha_options(unjudged="non-relevant")
    found = search(labels, 4, 2, "d2_at", reference, options, pool=pool)
    assert found.topics == ("1",)
    notes = best_cuts(found).set_index("topic")["note"]
    assert notes["2"] == "the pool has no document for the topic"
    assert notes["3"] == "the source has no label for the topic"
    assert notes["*"] == (
        "left out 1 topic (2): the pool has no document for the topic; "
        "left out 1 topic (3): the source has no label for the topic"
    )


def test_a_pool_is_for_expert_sources():
    judgments = random_judgments(5, levels=4)
    with pytest.raises(ParameterError, match="pool: completes expert labels"):
        search(judgments, 4, 2, "d2_at", random_labels(9, judgments, 2), pool=judgments)


def test_topics_with_nothing_to_compare_have_no_best_cut():
    judgments = random_judgments(6, levels=8, topics=2)
    labels = qrels_table({"1": {"D000": 1, "D001": 0}, "2": {"nobody": 1}})
    for undefined in UNDEFINED:
        found = search(judgments, 8, 2, "d2_at", labels, alpha_options(undefined=undefined))
        second = best_cuts(found, "R").set_index("topic").loc["2"]
        assert second["tied"] == 0 and pd.isna(second["c1"]) and pd.isna(second["value"])
        assert (second["n"], second["note"]) == (0, "nothing to compare")


# the best cut


def of_alpha(alpha, n_defined=1, n=1, **options):
    """A search into two levels with these α (cuts × topics)."""
    alpha = np.array(alpha, float)
    cuts = enumerate_cuts(max(3, len(alpha) + 1), 2)[: len(alpha)]
    topics = [f"{t:02d}" for t in range(alpha.shape[1])]
    n_defined = np.where(np.isnan(alpha), 0, n_defined).astype(np.int32)
    n = np.broadcast_to(np.int32(n), alpha.shape[1:])
    alpha = TopicAlpha(alpha, n_defined, n)
    return CutSearch.of_topics("h2", cuts, topics, alpha, AlphaOptions(**options))


def test_one_degenerate_topic_does_not_decide_the_single_cut():
    """17 topics agree best at cut 59; one has no value above 20 and a reference of zeros."""
    rng = np.random.default_rng(0)
    workers = [f"w{i}" for i in range(3)]
    parts, labels = [], {}
    for t in range(18):
        top = 20 if t == 17 else 100
        true = {f"D{d:02d}": rng.integers(0, top + 1) for d in range(40)}
        labels[f"{t:02d}"] = {d: float(v > 59) for d, v in true.items()}
        rows = [(d, w, "u", v) for d, v in true.items() for w in workers]
        parts.append(judged(*rows, topic=f"{t:02d}"))
    judgments = pa.concat_tables(parts)
    found = search(judgments, 101, 2, "d2_at", qrels_table(labels))
    single = best_cuts(found, "R").iloc[-1]
    assert (single["value"], single["n_defined"], single["n"]) == (1, 17, 18)
    assert abs(single["c1"] - 59) <= 1
    strict = search(judgments, 101, 2, "d2_at", qrels_table(labels), alpha_options(coverage=1))
    assert best_cuts(strict, "R").iloc[-1]["c1"] < 20


@pytest.mark.parametrize(
    ("coverage", "n_topics", "needed"),
    [(0.9, 10, 9), (0.9, 18, 17), (0.9, 20, 18), (0.7, 10, 7), (0.1, 30, 3), (1, 3, 3), (0, 9, 1)],
)
def test_topics_needed_are_counted_exactly(coverage, n_topics, needed):
    assert topics_needed(coverage, n_topics) == needed


@pytest.mark.parametrize("coverage", [-0.1, 1.1])
def test_coverage_is_a_share(coverage):
    with pytest.raises(ParameterError, match=r"coverage: .* is not a share of the topics"):
        of_alpha([[0.5]], coverage=coverage)


@pytest.mark.parametrize("coverage", [0, 0.5, 1])
def test_means_of_topics_that_come_one_by_one_or_weigh_differently(monkeypatch, coverage):
    monkeypatch.setattr(means, "CELLS", 18)  # two weightings at a time
    rng = np.random.default_rng(4)
    values = rng.random((6, 2, 9))
    values[rng.random(values.shape) < 0.1] = np.nan
    values[1, 0] = values[2, 1, 1:] = np.nan  # a topic without any value, one with a single one
    running = means.RunningMeans(2, 9)
    for topic in values:
        running.add(topic)
    running.add(values[3], 2)
    running.add(values[3], -2)
    expected = [means.mean_under_coverage(values[:, row].T, coverage) for row in range(2)]
    assert running.under_coverage(coverage) == pytest.approx(np.array(expected), nan_ok=True)
    weights = rng.integers(0, 3, (5, 6))
    weighted = np.concatenate([*means.weighted_means(values[:, 0].T, weights, coverage)])
    for found, of in zip(weighted, weights, strict=True):
        repeated = np.repeat(values[:, 0].T, of, axis=1)
        expected = means.mean_under_coverage(repeated, coverage)
        assert found == pytest.approx(expected, nan_ok=True)


def test_topics_that_are_undefined_everywhere_do_not_count_for_coverage():
    alpha = np.full((3, 10), 0.5)
    alpha[1] = 0.9
    alpha[:, 9] = np.nan  # defined nowhere
    alpha[1, 8] = np.nan  # 8 of 9 topics is not enough for 0.9
    assert best_cuts(of_alpha(alpha)).iloc[-1]["value"] == 0.5
    row = best_cuts(of_alpha(alpha, coverage=0.8)).iloc[-1]
    assert (row["c1"], row["n_defined"], row["n"]) == (1, 8, 10)
    assert row["value"] == pytest.approx(0.9)


def test_a_cut_that_rests_on_few_units_is_not_the_best():
    found = of_alpha([[0.9], [0.4], [0.6], [0.8]], n_defined=[[1], [5], [6], [4]], n=10)
    best = best_cuts(found).iloc[0]
    assert (best["c1"], best["value"], best["n_defined"], best["n"]) == (2, 0.6, 6, 10)
    assert found.values[0, 0] == 0.9  # still told, but in no mean
    assert np.isnan(found.mean[0])
    assert cut_tables(found)["top_cuts"]["n_cuts"].tolist() == [2, 2]


def test_a_topic_without_enough_units_says_so(tmp_path):
    found = of_alpha([[0.9, 0.5], [0.4, 0.5]], n_defined=[[1, 9], [4, 9]], n=9)
    table = best_cuts(found, "R")
    assert pd.isna(table["c1"].iloc[0])
    assert table["note"].iloc[0] == "no cut is defined for half of the 9 units, the best for 4"
    write_table(table, tmp_path / "best.parquet", "cuts/best_cuts")
    tied = cut_tables(found, "R")["tied_cuts"]
    write_table(tied, tmp_path / "tied.parquet", "cuts/tied_cuts")
    write_table(
        found.to_frame(), tmp_path / "alpha.parquet", per_cut_schema("cuts/alpha", 2, found.topics)
    )
    pd.testing.assert_frame_equal(
        read_table(tmp_path / "best.parquet", "cuts/best_cuts").to_pandas()[["topic", "note"]],
        table[["topic", "note"]],
        check_dtype=False,
        check_categorical=False,
    )


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    topics=st.integers(1, 12),
    coverage=st.sampled_from([0, 0.3, 0.5, 0.75, 0.9, 1]),
)
def test_the_single_cut_against_the_oracle(seed, topics, coverage):
    rng = np.random.default_rng(seed)
    units = rng.integers(1, 9, topics)
    counts = rng.integers(0, units + 1, (12, topics))
    alpha = np.where(counts > 0, np.round(rng.uniform(-1, 1, counts.shape), 3), np.nan)
    found = of_alpha(alpha, counts, units, coverage=coverage)
    plain = [[None if np.isnan(v) else v for v in row] for row in alpha]
    expected = han2019.single_cut(plain, counts.tolist(), units.tolist(), coverage)
    row = best_cuts(found).iloc[-1]
    if expected is None:
        assert pd.isna(row["c1"])
    else:
        assert found.single[expected] == pytest.approx(row["value"], abs=1e-12)


@settings(max_examples=100)
@given(
    seed=st.integers(0, 10_000),
    scale=st.sampled_from([(12, 2), (7, 3), (6, 4)]),
    share=st.floats(0.05, 1),
)
def test_the_best_of_tied_cuts_is_the_middle_of_the_widest_run(seed, scale, share):
    cuts = enumerate_cuts(*scale)
    rng = np.random.default_rng(seed)
    values = np.where(rng.random(len(cuts)) < share, 0.5, 0.1)
    values[rng.integers(len(cuts))] = 0.5 - 1e-13
    expected = han2019.runs([tuple(cut) for cut in cuts[values > 0.4].tolist()])
    best = best_of(cuts, values)
    assert tuple(cuts[best.index].tolist()) == han2019.middle(expected[0])
    assert best.runs == len(expected)
    for number, run in enumerate(expected, 1):
        assert cuts[best.tied[best.run == number]].tolist() == [list(cut) for cut in run]


def test_tied_cuts_in_separate_gaps():
    cuts = enumerate_cuts(11, 2)
    #                          0    1    2    3    4    5    6    7    8    9
    best = best_of(cuts, np.array([.5, .5, .1, .5, .5, .5, .5, .1, .5, .2]))  # fmt: skip
    assert (best.index, len(best.tied), best.runs) == (4, 7, 3)
    assert best.run.tolist() == [2, 2, 1, 1, 1, 1, 3]
    assert best_of(cuts, np.full(10, np.nan)) is None


def test_tied_cuts_between_the_same_two_values_are_one_run():
    """Both thresholds in one gap 3 … 6 of values, or one there and one in 8 … 9."""
    cuts = enumerate_cuts(11, 3)
    low, high = cuts.T
    gap = (low >= 3) & (high <= 6)
    best = best_of(cuts, np.where(gap, 1.0, 0.0))
    assert (best.runs, len(best.tied), tuple(cuts[best.index])) == (1, 6, (4, 5))
    box = (low >= 3) & (low <= 6) & (high >= 8)
    best = best_of(cuts, np.where(box, 1.0, 0.0))
    assert (best.runs, len(best.tied), tuple(cuts[best.index])) == (1, 8, (4, 8))


def test_tied_cuts_are_listed():
    found = of_alpha([[0.5, 0.1], [0.5, 0.2], [0.1, 0.3], [0.5, 0.3]])
    table = cut_tables(found, "R")["tied_cuts"]
    listed = [*zip(table["topic"], table["run"], table["c1"], strict=True)]
    assert listed == [
        ("00", 1, 0), ("00", 1, 1), ("00", 2, 3), ("01", 1, 2), ("01", 1, 3), ("*", 1, 3),
    ]  # fmt: skip
    best = best_cuts(found, "R")
    assert best["tied"].tolist() == [3, 2, 1]
    assert best["runs"].tolist() == [2, 1, 1]


@pytest.mark.parametrize("method", ALL_METHODS)
def test_other_rules_for_undefined_alpha_are_compared(method):
    """Whether the cut is still among the best is found by searching again under that rule."""
    judgments = random_judgments(21, levels=12, topics=3, documents=5, units=7, unit_size=3)
    labels = random_labels(21, judgments, 3, share=0.7)
    tables = {
        rule: searched(judgments, 12, 3, method, labels, undefined=rule) for rule in UNDEFINED
    }
    for rule, found in tables.items():
        for row in best_cuts(found).itertuples():
            assert pd.isna(getattr(row, f"other_if_{rule}"))
            cut = found.cuts.tolist().index([row.c1, row.c2])
            for other in set(UNDEFINED) - {rule}:
                criterion = tables[other].criterion(row.topic)
                expected = criterion[cut] < np.nanmax(criterion) - 1e-12
                assert getattr(row, f"other_if_{other}") == (expected or np.isnan(criterion[cut]))


def test_a_cut_above_every_value_wins_only_where_undefined_counts_as_one():
    """Why han2019's topics 402 and 427 have the cut 99 (§4.2)."""
    rows = [("A", "v", "u", 1), ("B", "v", "u", 2), ("A", "w", "x", 2), ("B", "w", "x", 1)]
    found = search(judged(*rows), 5, 2, "tw1")
    assert best_cuts(found)["other_if_one"].tolist() == [True, True]
    assert best_cuts(found)["other_if_zero"].tolist() == [True, True]
    paper = best_cuts(
        search(judged(*rows), 5, 2, "tw1", options=alpha_options(undefined="one"))
    ).iloc[0]
    assert (paper["value"], paper["n_defined"], paper["n"]) == (1, 0, 1)
    assert paper["other_if_drop"]


def test_nothing_undefined_is_the_same_under_every_rule():
    best = best_cuts(of_alpha([[0.5, 0.1], [0.4, 0.2]]))
    assert best["other_if_drop"].isna().all()
    assert not best[["other_if_one", "other_if_zero"]].any(axis=None)


def test_top_cuts_cover_the_ten_highest_values():
    judgments = random_judgments(9, topics=1, documents=10, units=12)
    found = search(judgments, 101, 2, "tw1")
    table = cut_tables(found)["top_cuts"]
    row = table[table["topic"] == "1"].iloc[0]
    alpha = found.values[:, 0]
    distinct = np.unique(np.round(alpha[~np.isnan(alpha)], 11))[::-1][:10]
    covered = found.cuts[np.round(alpha, 11) >= distinct[-1], 0]
    assert (row["low"], row["high"], row["n_cuts"]) == (
        covered.min(),
        covered.max(),
        len(covered),
    )


@pytest.mark.parametrize(("distinct", "covered"), [(12, 10), (10, 10), (3, 3)])
def test_top_cuts_that_many_share_are_all_covered(distinct, covered):
    """More cuts share a value than are looked at first."""
    each = MANY // 2
    found = of_alpha(np.repeat(np.arange(distinct) / distinct, each)[:, None])
    assert cut_tables(found)["top_cuts"]["n_cuts"].tolist() == [covered * each] * 2


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
        search(judgments, 5, 2, "tw1").values,
        search(without_units(judgments), 5, 2, "tw1").values,
        equal_nan=True,
    )


def test_values_and_references_off_the_scale_are_refused():
    judgments = random_judgments(1, levels=9)
    with pytest.raises(
        ParameterError, match="not on the scale of 5 levels: none of the integers 0 to 4"
    ):
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
    with pytest.raises(UnservedError, match="no document has the judgments of two"):
        search(labels, 4, 2, "tw1")
