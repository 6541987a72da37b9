"""Intervals of τ and of overlaps of top sets: every draw made again with `score` and scipy."""

from concurrent.futures import ThreadPoolExecutor
from math import inf

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from regrade.magnitudes import resampling
from regrade.magnitudes.intervals import DOCUMENTS, QUANTITIES, RESAMPLED, UNITS, interval_table
from regrade.magnitudes.resampling import (
    GAINS,
    drawn_gains,
    judgments_again,
    topic_judgments,
    units_again,
)
from regrade.magnitudes.systems import (
    MERGED,
    RUNS,
    GainComparison,
    ReferenceLabels,
    system_tables,
    top_set,
)
from regrade.randomness import generator
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score
from regrade.tables import write_table
from tests.unit.magnitudes import gain_table
from tests.unit.magnitudes_frames import rows_of
from tests.unit.test_magnitudes_systems import collection, normalised_frame
from tests.unit.trec import qrels_table, runs_table

MEASURES = ["nDCG(base=2)@4", "ERR(max_rel='topic')@4"]
MERGES = {"depth": 4, "merged": 6, "seed": 5}
N = 25


@pytest.fixture(scope="module")
def judgments():
    _, _, normalised, units = collection()
    return topic_judgments(normalised, units, 10.0)


@pytest.fixture(scope="module")
def ranked():
    return RankedLists.from_table(runs_table(collection()[0]))


@pytest.fixture(scope="module")
def labels():
    return ReferenceLabels("ours", qrels_table(collection()[1]), 3)


@pytest.fixture(scope="module")
def intervals(ranked, labels, judgments):
    return interval_table(
        GainComparison(ranked, [labels], judgments, MEASURES, **MERGES), resamples=N
    )


def compared(own, reference):
    """τ and overlap of (S, T) scores."""
    averages = (values.mean(axis=1).round(12) for values in (own, reference))
    tops = [set(np.flatnonzero(top_set(values)[0])) for values in (own, reference)]
    overlap = len(tops[0] & tops[1]) / len(tops[0] | tops[1])
    return stats.kendalltau(*averages).statistic, overlap


def scores_of(ranked, table, m):
    return score(ranked, Judged.from_table(table, ranked), MEASURES, max_grade=inf).values[:, :, m]


def assert_interval(rows, values, topics=0):
    """Rows of one comparison and thing that is drawn, against (2, N) τ and overlaps."""
    for quantity, found in zip(QUANTITIES, np.asarray(values), strict=True):
        (row,) = rows_of(rows, quantity=quantity).itertuples()
        defined = found[~np.isnan(found)]
        assert (row.resamples, row.undefined) == (N, N - len(defined))
        if quantity == "overlap":
            assert np.isnan([row.low, row.high]).all()
            continue
        assert row.scatter == pytest.approx(np.std(defined), abs=1e-12)
        if topics < 10:
            assert np.isnan([row.low, row.high]).all()
            continue
        half = (
            stats.t.ppf(0.975, min(topics, N) - 1)
            * np.std(defined)
            * np.sqrt(topics / (topics - 1))
        )
        expected = np.clip([row.estimate - half, row.estimate + half], -1, 1)
        np.testing.assert_allclose([row.low, row.high], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("m", [0, 1])
def test_over_topics(intervals, ranked, labels, judgments, m):
    reference = scores_of(ranked, labels.qrels, m)
    drawn = generator(5, "topics again", "ours", RUNS).integers(0, 5, (N, 5))
    for gains in GAINS:
        own = scores_of(ranked, gain_table(judgments, gains), m)
        values = [compared(own[:, topics], reference[:, topics]) for topics in drawn]
        rows = rows_of(intervals, over=RUNS, gains=gains, measure=MEASURES[m], resampled="topics")
        assert_interval(rows, np.transpose(values))


@pytest.mark.parametrize(
    ("resampled", "draw"),
    [(DOCUMENTS, judgments_again("median")), (UNITS, units_again("median"))],
)
def test_over_documents_and_units(intervals, ranked, labels, judgments, resampled, draw):
    with ThreadPoolExecutor(1) as pool:
        (drawn,) = drawn_gains(judgments, draw, N, pool, seed=5, what=f"{resampled} again")
    for g, gains in enumerate(GAINS):
        tables = [
            qrels_table(
                {
                    of_topic.topic: dict(zip(of_topic.docnos, own[b, :, g], strict=True))
                    for of_topic, own in zip(judgments, drawn, strict=True)
                }
            )
            for b in range(N)
        ]
        for m, measure in enumerate(MEASURES):
            reference = scores_of(ranked, labels.qrels, m)
            values = [compared(scores_of(ranked, table, m), reference) for table in tables]
            rows = rows_of(intervals, over=RUNS, gains=gains, measure=measure, resampled=resampled)
            assert_interval(rows, np.transpose(values))


def test_estimates_are_those_of_the_rankings(intervals, ranked, labels, judgments):
    rankings = system_tables(GainComparison(ranked, [labels], judgments, MEASURES, **MERGES))[
        "rankings"
    ]
    assert len(intervals) == len(rankings) * len(QUANTITIES) * len(RESAMPLED)
    for row in rankings.itertuples():
        key = {"over": row.over, "gains": row.gains, "measure": row.measure}
        for quantity in QUANTITIES:
            rows = rows_of(intervals, quantity=quantity, **key)
            assert rows["resampled"].tolist() == list(RESAMPLED)
            assert set(rows["estimate"]) == {getattr(row, quantity)}


def test_threads_and_batches_change_nothing(
    intervals, ranked, labels, judgments, monkeypatch, tmp_path
):
    monkeypatch.setattr(resampling, "CHUNK", 6)
    again = interval_table(
        GainComparison(ranked, [labels], judgments, MEASURES, **MERGES), resamples=N, threads=3
    )
    pd.testing.assert_frame_equal(intervals, again, check_exact=True)
    write_table(again, tmp_path / "intervals.parquet", "magnitudes/intervals")


def test_a_single_judgment_of_each_document_leaves_no_width(ranked, labels):
    normalised = collection()[2].drop_duplicates(["topic", "docno"])
    single = topic_judgments(normalised)
    found = interval_table(
        GainComparison(ranked, [labels], single, MEASURES, **MERGES), resamples=4
    )
    rows = rows_of(found, resampled=DOCUMENTS, quantity="tau")
    assert (rows["scatter"] == 0).all()


def test_one_system_one_topic_and_nothing_shared(tmp_path):
    ranked = RankedLists.from_table(runs_table({"s": {"1": [("a", 1.0)]}}))
    judgments = topic_judgments(normalised_frame([("1", "a", "w", "u", 2.0)]))
    labels = [
        ReferenceLabels(name, qrels_table({topic: {"a": 1}}))
        for name, topic in (("r", "1"), ("n", "2"))
    ]
    found = interval_table(GainComparison(ranked, labels, judgments, MEASURES), resamples=3)
    assert len(found) == 2 * 2 * 3 * 2 * 2 * 3
    taus = rows_of(found, quantity="tau")
    assert taus[["estimate", "low", "high"]].isna().all(axis=None)
    assert (taus["undefined"] == 3).all()
    alone = rows_of(found, reference="r", over=RUNS, quantity="overlap")
    assert (alone["estimate"] == 1).all() and alone[["low", "high"]].isna().all(axis=None)
    for rows in (rows_of(found, reference="n"), rows_of(found, over=MERGED)):
        assert rows["estimate"].isna().all()
        assert (rows["undefined"] == 3).all()
    write_table(found, tmp_path / "intervals.parquet", "magnitudes/intervals")


def test_many_topics_take_the_normal_approximation_as_top_sets_do():
    """On 60 topics, some drawn twice: neither side has exact p-values."""
    rng = np.random.default_rng(7)
    topics = [f"t{t:02d}" for t in range(60)]
    runs = {
        f"s{s}": {t: [(f"d{d}", 9.0 - i) for i, d in enumerate(rng.permutation(5))] for t in topics}
        for s in range(4)
    }
    labels = {t: {f"d{d}": int(rng.integers(3)) for d in range(5)} for t in topics}
    rows = [(t, f"d{d}", "w", "u", float(rng.integers(1, 9))) for t in topics for d in range(5)]
    judgments = topic_judgments(normalised_frame(rows))
    ranked = RankedLists.from_table(runs_table(runs))
    reference = ReferenceLabels("ours", qrels_table(labels), 2)
    found = interval_table(
        GainComparison(ranked, [reference], judgments, MEASURES[:1], seed=1), resamples=N
    )
    theirs, own = (
        scores_of(ranked, table, 0)
        for table in (reference.qrels, gain_table(judgments, "magnitudes"))
    )
    drawn = generator(1, "topics again", "ours", RUNS).integers(0, 60, (N, 60))
    values = [compared(own[:, chosen], theirs[:, chosen]) for chosen in drawn]
    rows = rows_of(found, over=RUNS, gains="magnitudes", resampled="topics")
    assert_interval(rows, np.transpose(values), topics=60)
    for other in (DOCUMENTS, UNITS):
        rows = rows_of(found, over=RUNS, gains="magnitudes", resampled=other, quantity="tau")
        assert rows["scatter"].notna().all()
        assert rows[["low", "high"]].isna().all(axis=None)
