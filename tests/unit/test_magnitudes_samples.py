"""Drawn judgments and the rankings of systems under them; each sample against `score`."""

from concurrent.futures import ThreadPoolExecutor
from math import inf
from statistics import geometric_mean, median

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from regrade.errors import ParameterError
from regrade.magnitudes import resampling, scores
from regrade.magnitudes.label_comparison import box
from regrade.magnitudes.resampling import (
    NEITHER,
    all_gains,
    drawn_gains,
    judgments_again,
    judgments_per_document,
    one_judgment,
    topic_judgments,
    units_again,
)
from regrade.magnitudes.samples import OTHERS, _count_orders, sample_tables
from regrade.magnitudes.scores import GainScores
from regrade.magnitudes.systems import MERGED, RUNS, GainComparison, ReferenceLabels, system_tables
from regrade.measures import parse_all
from regrade.randomness import generator
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score
from regrade.tables import write_table
from tests.reference import magnitudes as plain
from tests.unit.magnitudes_frames import rows_of
from tests.unit.test_magnitudes_systems import collection, normalised_frame
from tests.unit.trec import qrels_table, runs_table

MEASURES = ["nDCG(base=2)@4", "ERR(max_rel='topic')@4"]
OPTIONS = {"samples": 30, "most": 4}
MERGES = {"depth": 4, "merged": 6, "seed": 5}


@pytest.fixture(scope="module")
def judgments():
    _, _, normalised, units = collection()
    return topic_judgments(normalised, units, 10.0)


@pytest.fixture(scope="module")
def ranked():
    return RankedLists.from_table(runs_table(collection()[0]))


@pytest.fixture(scope="module")
def references():
    labels = collection()[1]
    fewer = {topic: labels[topic] for topic in list(labels)[1:]}
    return [
        ReferenceLabels("ours", qrels_table(labels), 3),
        ReferenceLabels("fewer", qrels_table(fewer), 3),
    ]


@pytest.fixture(scope="module")
def tables(ranked, references, judgments):
    return sample_tables(
        GainComparison(ranked, references, judgments, MEASURES, **MERGES), **OPTIONS
    )


@pytest.fixture(scope="module")
def pool():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def documents_of(of_topic):
    """As plain Python has them."""
    widths = {NEITHER: None, resampling.NARROW: "narrow", resampling.WIDE: "wide"}
    rows = [
        (float(value), int(unit), widths[int(width)])
        for value, unit, width in zip(of_topic.values, of_topic.units, of_topic.widths, strict=True)
    ]
    return [rows[a:b] for a, b in zip(of_topic.offsets[:-1], of_topic.offsets[1:], strict=True)]


def scored(ranked, judgments, gains, measures, sample):
    """(S, T, M) of one sample by `score`; a gain of 0 is that of an unjudged document."""
    qrels = {
        of_topic.topic: {
            docno: float(gain) for docno, gain in zip(of_topic.docnos, own[sample], strict=True)
        }
        for of_topic, own in zip(judgments, gains, strict=True)
    }
    judged = Judged.from_table(qrels_table(qrels), ranked)
    return score(ranked, judged, measures, max_grade=inf).values


def scores_of_samples(ranked, judgments, pool, measures, n, seed):
    """(n, S, T, M) by `score`, sample by sample."""
    drawn = drawn_gains(judgments, one_judgment, n, pool, seed=seed, what="one judgment")
    batches = [[own[:, :, 0] for own in gains] for gains in drawn]
    gains = [np.concatenate(own) for own in zip(*batches, strict=True)]
    return np.stack([scored(ranked, judgments, gains, measures, b) for b in range(n)])


# draws


def test_one_judgment_is_one_of_the_documents_and_each_as_often(judgments):
    of_topic = judgments[0]
    found = one_judgment(np.random.default_rng(1), of_topic, 4000)[:, :, 0]
    assert found.shape == (4000, len(of_topic.docnos))
    for d, document in enumerate(documents_of(of_topic)):
        values, counts = np.unique(found[:, d], return_counts=True)
        assert values.tolist() == sorted({value for value, *_ in document})
        assert stats.chisquare(counts).pvalue > 1e-6 or len(values) == 1


@pytest.mark.parametrize(
    ("name", "aggregate"), [("median", median), ("geometric_mean", geometric_mean)]
)
def test_draws_with_replacement_are_those_of_plain_python(judgments, name, aggregate):
    for of_topic in judgments:
        documents = documents_of(of_topic)
        found = judgments_again(name)(np.random.default_rng(2), of_topic, 3)
        rng = np.random.default_rng(2)
        expected = [plain.judgments_drawn_again(rng, documents, aggregate) for _ in range(3)]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        found = units_again(name)(np.random.default_rng(2), of_topic, 3)
        rng = np.random.default_rng(2)
        expected = [
            plain.units_drawn_again(rng, documents, of_topic.n_units, aggregate) for _ in range(3)
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_units_are_of_workers():
    """Two workers who did the same documents are drawn each for themselves."""
    rows = [("1", "a", "w1", "u", 1.0), ("1", "a", "w2", "u", 4.0)]
    (of_topic,) = topic_judgments(normalised_frame(rows))
    assert of_topic.n_units == 2
    found = units_again("median")(np.random.default_rng(0), of_topic, 200)[:, 0, 0]
    assert set(found) == {1.0, 2.5, 4.0}


def test_a_document_that_no_drawn_unit_judged_is_unjudged():
    rows = [("1", "a", "w1", "u1", 1.0), ("1", "b", "w2", "u2", 4.0)]
    (of_topic,) = topic_judgments(normalised_frame(rows))
    found = units_again("median")(np.random.default_rng(0), of_topic, 100)[:, :, 0]
    assert set(map(tuple, found)) == {(1, 0), (0, 4), (1, 4)}


def test_judgments_per_document_are_nested_and_without_replacement(judgments):
    of_topic = judgments[1]
    documents = documents_of(of_topic)
    most = max(map(len, documents)) + 2
    found = judgments_per_document("median", most)(np.random.default_rng(3), of_topic, 300)
    assert found.shape == (300, len(documents), most)
    for d, document in enumerate(documents):
        values = [value for value, *_ in document]
        # one judgment, then the mean of two different ones, …, and all from n on
        assert set(found[:, d, 0]) <= set(values)
        if len(values) > 1:
            pairs = {(a + b) / 2 for i, a in enumerate(values) for b in values[:i]}
            assert set(found[:, d, 1]) <= pairs
            second = 2 * found[:, d, 1] - found[:, d, 0]
            assert all(np.isclose(second[:, None], values).any(axis=1))
        assert (found[:, d, len(values) - 1 :] == median(values)).all()


def test_draws_do_not_depend_on_other_topics_runs_or_how_many_at_once(judgments, pool, monkeypatch):
    def drawn(topics, n):
        found = drawn_gains(topics, judgments_again("median"), n, pool, seed=1, what="x")
        return [np.concatenate(own) for own in zip(*found, strict=True)]

    whole = drawn(judgments, 25)
    monkeypatch.setattr(resampling, "CHUNK", 7)
    for own, again in zip(whole, drawn(judgments, 25), strict=True):
        np.testing.assert_array_equal(own, again)
    np.testing.assert_array_equal(drawn(judgments[2:3], 11)[0], whole[2][:11])


# scores of samples


@pytest.mark.parametrize(
    "measure",
    [
        "nDCG(base=2)@4",
        "nDCG",
        "nDCG(dcg='exp-log2')@3",
        "nDCG(judged_only=True)@3",
        "DCG@5",
        "ERR(max_rel='topic')@4",
        "ERR(max_rel='topic')",
        "ERR(dcg='log2',max_rel='topic')@3",
        "nERR(max_rel='topic')@100",
        "ERR(max_rel=900)@4",
        "AP(rel=2)",
        "RBP(max_rel=900)",
        "Q@5",
        "P(rel=1.5)@3",
    ],
)
def test_every_measure_is_that_of_score_to_the_last_bit(ranked, judgments, pool, measure):
    drawn = drawn_gains(judgments, one_judgment, 12, pool, seed=1, what="one judgment")
    gains = [own[:, :, 0] for own in next(drawn)]
    gains[0][3] = 0.0  # a topic without any gain
    found = GainScores(ranked, judgments, parse_all([measure])).values(gains, pool)
    for sample in range(12):
        expected = scored(ranked, judgments, gains, [measure], sample)[:, :, 0]
        np.testing.assert_array_equal(found[0, sample], expected)


@pytest.mark.parametrize("depth", [50, 51, 400])
def test_ideal_rankings_of_many_documents(pool, depth):
    docnos = [f"d{i:03d}" for i in range(300)]
    rows = [("1", docno, "w", "u", float(i % 37 + 1)) for i, docno in enumerate(docnos)]
    judgments = topic_judgments(normalised_frame(rows))
    ranked = RankedLists.from_table(runs_table({"s": {"1": [(d, 1.0) for d in docnos[:60]]}}))
    gains = [judgments[0].values[None]]
    measures = [f"nDCG@{depth}", f"nERR(max_rel='topic')@{depth}"]
    found = GainScores(ranked, judgments, parse_all(measures)).values(gains, pool)
    expected = scored(ranked, judgments, gains, measures, 0)
    np.testing.assert_array_equal(found[:, 0, 0, 0], expected[0, 0])


def test_blocks_of_samples_change_nothing(ranked, judgments, pool, monkeypatch):
    gains = [one_judgment(np.random.default_rng(1), j, 23)[:, :, 0] for j in judgments]
    whole = GainScores(ranked, judgments, parse_all(MEASURES)).values(gains, pool)
    monkeypatch.setattr(scores, "BLOCK", 4)
    again = GainScores(ranked, judgments, parse_all(MEASURES)).values(gains, pool)
    np.testing.assert_array_equal(whole, again)


# tables


def test_every_sample_is_ranked_as_score_ranks_it(tables, ranked, references, judgments, pool):
    values = scores_of_samples(ranked, judgments, pool, MEASURES, 30, seed=5)
    for labels in references:
        judged = Judged.from_table(labels.qrels, ranked)
        theirs = score(ranked, judged, MEASURES, max_grade=3)
        columns = [t for t, j in enumerate(judgments) if j.topic in theirs.topics]
        for m, measure in enumerate(MEASURES):
            rows = rows_of(tables["samples"], reference=labels.name, over=RUNS, measure=measure)
            assert rows["sample"].tolist() == list(range(1, 31))
            expected = [
                stats.kendalltau(
                    own[:, columns, m].mean(axis=1).round(12),
                    theirs.values[:, :, m].mean(axis=1).round(12),
                ).statistic
                for own in values
            ]
            np.testing.assert_allclose(rows["tau"], expected, atol=1e-12)


def test_orders_and_unanimity_are_counts_of_samples(tables, ranked, judgments, pool):
    values = scores_of_samples(ranked, judgments, pool, MEASURES, 30, seed=5)
    means = values.mean(axis=2)
    systems = list(ranked.systems)
    for m, measure in enumerate(MEASURES):
        key = {"reference": "ours", "over": RUNS, "measure": measure}
        rows = rows_of(tables["orders"], **key)
        assert len(rows) == 8 * 7 // 2
        most = []
        for row in rows.itertuples():
            first, second = (means[:, systems.index(s), m] for s in (row.first, row.second))
            higher, lower = (first > second + 1e-12).mean(), (first < second - 1e-12).mean()
            assert row.higher == pytest.approx(higher, abs=1e-15)
            assert row.equal == pytest.approx(1 - higher - lower, abs=1e-15)
            most.append(max(higher, lower))
        (row,) = rows_of(tables["unanimity"], **key).itertuples()
        assert (row.samples, row.pairs) == (30, 28)
        assert row.unanimous == sum(share == 1 for share in most)
        assert row.above_95 == sum(share >= 0.95 for share in most)


def test_systems_that_tie_in_a_sample_are_in_neither_order():
    """Within the tolerance two scores are one; pairs are (a, b), (a, c), (b, c)."""
    scored = np.array([[1, 1, 0], [0, 1, 1 + 1e-13], [2, 1, 1], [1, 2, 3]])
    higher, lower = np.zeros((2, 3), np.int64)
    _count_orders(scored, higher, lower)
    assert higher.tolist() == [1, 2, 1]
    assert lower.tolist() == [2, 2, 1]


def test_quantiles_are_of_the_samples(tables, ranked, references, judgments):
    by_all = system_tables(
        GainComparison(ranked, references, judgments, MEASURES, depth=4, merged=6, seed=5)
    )["rankings"]
    for row in tables["sample_quantiles"].itertuples():
        key = {"reference": row.reference, "over": row.over, "measure": row.measure}
        taus = rows_of(tables["samples"], **key)["tau"]
        expected = box(taus.to_numpy())
        for name in ("low", "q1", "median", "q3", "high"):
            assert getattr(row, name) == expected[name]
        assert row.samples == 30
        (estimate,) = rows_of(by_all, gains="magnitudes", **key)["tau"]
        assert row.tau == estimate


def test_all_judgments_rank_as_the_medians_do(ranked, references, judgments):
    most = max(len(own) for of_topic in judgments for own in documents_of(of_topic))
    found = sample_tables(
        GainComparison(ranked, references, judgments, MEASURES, **MERGES),
        **OPTIONS | {"most": most, "samples": 4},
    )["per_document"]
    assert found["other"].unique().tolist() == list(OTHERS)
    assert found["k"].unique().tolist() == [*range(1, most + 1)]
    last = rows_of(found, k=most)
    assert (rows_of(last, other=OTHERS[1])[["low", "median", "high"]] == 1).all(axis=None)
    by_all = system_tables(
        GainComparison(ranked, references, judgments, MEASURES, depth=4, merged=6, seed=5)
    )["rankings"]
    for row in rows_of(last, other=OTHERS[0]).itertuples():
        key = {"reference": row.reference, "over": row.over, "measure": row.measure}
        (tau,) = rows_of(by_all, gains="magnitudes", **key)["tau"]
        assert (row.low, row.median, row.high) == (tau, tau, tau)
    first = rows_of(found, k=1, other=OTHERS[1])
    assert (first["low"] < 1).all()


def test_threads_change_nothing(tables, ranked, references, judgments, tmp_path):
    again = sample_tables(
        GainComparison(ranked, references, judgments, MEASURES, **MERGES), **OPTIONS, threads=3
    )
    assert list(again) == [
        "samples", "orders", "sample_quantiles", "unanimity", "per_document",
    ]  # fmt: skip
    for name, table in tables.items():
        pd.testing.assert_frame_equal(table, again[name], check_exact=True)
        write_table(table, tmp_path / f"{name}.parquet", f"magnitudes/{name}")


def test_without_fewer_judgments(tables, ranked, references, judgments):
    alone = sample_tables(
        GainComparison(ranked, references, judgments, MEASURES, **MERGES), **OPTIONS | {"most": 0}
    )
    assert "per_document" not in alone
    for name, table in alone.items():
        pd.testing.assert_frame_equal(table, tables[name])


def test_judgments_per_document_by_geometric_means(judgments):
    of_topic = judgments[0]
    most = max(map(len, documents_of(of_topic)))
    found = judgments_per_document("geometric_mean", most)(np.random.default_rng(3), of_topic, 2)
    expected = all_gains(of_topic, "geometric_mean")[:, 0]
    np.testing.assert_allclose(found[:, :, -1], [expected, expected], rtol=1e-12)
    second = found[:, :, 1] ** 2 / found[:, :, 0]
    for d, document in enumerate(documents_of(of_topic)):
        values = [value for value, *_ in document]
        assert len(values) == 1 or np.isclose(second[:, d, None], values).any(axis=1).all()


def test_one_judgment_each_leaves_nothing_to_vary(ranked, references):
    _, _, normalised, _ = collection()
    single = topic_judgments(normalised.drop_duplicates(["topic", "docno"]))
    found = sample_tables(
        GainComparison(ranked, references[:1], single, MEASURES, **MERGES), **OPTIONS
    )
    rankings = system_tables(
        GainComparison(ranked, references[:1], single, MEASURES, depth=4, merged=6, seed=5)
    )["rankings"]
    for row in found["sample_quantiles"].itertuples():
        (tau,) = rows_of(rankings, gains="magnitudes", over=row.over, measure=row.measure)["tau"]
        assert {row.tau, row.low, row.median, row.high} == {tau}
    assert found["orders"]["higher"].isin([0, 1]).all()
    assert (found["unanimity"]["unanimous"] == found["unanimity"]["above_95"]).all()


def test_nothing_to_compare_has_rows_that_say_so(tmp_path):
    ranked = RankedLists.from_table(runs_table({"s": {"1": [("a", 1.0)]}}))
    judgments = topic_judgments(normalised_frame([("1", "a", "w", "u", 2.0)]))
    labels = [
        ReferenceLabels("one", qrels_table({"1": {"a": 1}})),
        ReferenceLabels("no", qrels_table({"2": {"a": 1}})),
    ]
    found = sample_tables(GainComparison(ranked, labels, judgments, MEASURES), samples=3, most=2)
    quantiles = found["sample_quantiles"]
    assert len(quantiles) == 2 * 2 * 2
    assert quantiles["tau"].isna().all()
    assert (quantiles["samples"] == 0).all()
    assert (found["unanimity"]["pairs"] == 0).all()
    assert len(found["per_document"]) == 2 * 2 * 2 * 2 * 2
    assert found["orders"].empty
    assert len(rows_of(found["samples"], reference="one", over=RUNS)) == 2 * 3
    assert rows_of(found["samples"], reference="no").empty
    assert rows_of(found["samples"], over=MERGED).empty
    for name, table in found.items():
        write_table(table, tmp_path / f"{name}.parquet", f"magnitudes/{name}")


def test_topics_without_labels_or_magnitudes_are_left_out(ranked, references, judgments):
    few = sample_tables(
        GainComparison(ranked, references, judgments[:3], MEASURES, **MERGES), **OPTIONS
    )
    rows = rows_of(few["sample_quantiles"], over=RUNS)
    assert len(rows) == 4
    elsewhere = topic_judgments(normalised_frame([("99", "a", "w", "u", 2.0)]))
    again = sample_tables(
        GainComparison(ranked, references, (*judgments[:3], *elsewhere), MEASURES, **MERGES),
        **OPTIONS,
    )
    for name, table in few.items():
        pd.testing.assert_frame_equal(table, again[name])


def test_wrong_aggregates_are_refused(ranked, references, judgments):
    with pytest.raises(ParameterError, match="mean"):
        sample_tables(GainComparison(ranked, references, judgments, MEASURES, "mean"))


def test_streams_are_named(judgments):
    of_topic = judgments[0]
    with ThreadPoolExecutor(1) as pool:
        (found,) = drawn_gains([of_topic], one_judgment, 2, pool, seed=4, what="name")
    expected = one_judgment(generator(4, "name", of_topic.topic), of_topic, 2)
    np.testing.assert_array_equal(found[0], expected)
    assert all_gains(of_topic).shape == (len(of_topic.docnos), 3)
