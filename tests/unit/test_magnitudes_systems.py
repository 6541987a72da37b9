"""Systems under magnitudes: gains, merged systems, top sets, mappings; against plain Python."""

from functools import cache
from statistics import geometric_mean, mean, median

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

from regrade.catalogue import columns_of
from regrade.errors import ParameterError
from regrade.magnitudes.resampling import GAINS, all_gains, topic_judgments
from regrade.magnitudes.systems import (
    MAPPINGS,
    MERGED,
    REFERENCE,
    RUNS,
    GainComparison,
    ReferenceLabels,
    compare,
    mapped_measure,
    mapping_table,
    may_be_first,
    system_tables,
    top_set,
)
from regrade.measures import parse, parse_all
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score
from regrade.significance.paired import skewed_p
from regrade.tables import write_table
from tests.unit.magnitudes import gain_table
from tests.unit.magnitudes_frames import rows_of
from tests.unit.trec import qrels_table, runs_table

MEASURES = ["nDCG(base=2)@4", "ERR(max_rel='topic')@4"]


def normalised_frame(rows):
    """Of (topic, docno, worker, unit, normalised)."""
    frame = pd.DataFrame(rows, columns=["topic", "docno", "worker", "unit", "normalised"])
    frame["value"] = frame["normalised"]
    return frame[columns_of("magnitudes/normalised")]


def units_frame(widths):
    """Of {(topic, worker, unit): width}."""
    rows = [(*key, width) for key, width in widths.items()]
    return pd.DataFrame(rows, columns=["topic", "worker", "unit", "width"])


@cache
def collection(seed=3, systems=8, topics=5, documents=14):
    """Runs over a small pool, labels of most of it, three units' magnitudes for every document."""
    rng = np.random.default_rng(seed)
    docnos = [f"d{i:02d}" for i in range(documents)]
    runs, labels, rows, widths = {f"s{s}": {} for s in range(systems)}, {}, [], {}
    for t in range(topics):
        topic = f"t{t}"
        quality = rng.normal(size=documents)
        for run in runs.values():
            order = np.argsort(-(quality + rng.normal(0, 1.5, documents)))[: rng.integers(3, 9)]
            run[topic] = [(docnos[d], float(-i)) for i, d in enumerate(order)]
        labels[topic] = {
            docnos[d]: int(np.clip(np.round(quality[d] + 1), 0, 3))
            for d in range(documents)
            if rng.random() < 0.93
        }
        for u in range(6):
            widths[topic, f"w{u % 5}", f"u{u}"] = [2.0, 9.0, np.nan][u % 3] * (1 + u)
            for d in range(documents):
                if rng.random() < 0.5:
                    value = float(np.exp(quality[d] + rng.normal(0, 0.5)))
                    rows.append((topic, docnos[d], f"w{u % 5}", f"u{u}", value))
    return runs, labels, normalised_frame(rows), units_frame(widths)


@cache
def made(merged=7, threads=1, **options):
    runs, labels, normalised, units = collection()
    return system_tables(
        GainComparison(
            RankedLists.from_table(runs_table(runs)),
            [ReferenceLabels("ours", qrels_table(labels), 3)],
            topic_judgments(normalised, units, 10.0),
            MEASURES,
            depth=4,
            merged=merged,
            seed=1,
            **options,
        ),
        threads=threads,
    )


def own_of(rows):
    """A worker once: of several values the lower middle, with worker and unit."""
    by_worker = {}
    for value, worker, unit in sorted(rows):
        by_worker.setdefault(worker, []).append((value, (worker, unit)))
    return [values[(len(values) - 1) // 2] for values in by_worker.values()]


def plain_gains(normalised, units, limit, aggregate):
    widths = {(r.topic, r.worker, r.unit): r.width for r in units.itertuples()}
    of = {}
    for row in normalised.itertuples():
        entry = (row.normalised, row.worker, row.unit)
        of.setdefault((row.topic, row.docno), []).append(entry)
    found = {}
    for (topic, docno), rows in of.items():
        rows = own_of(rows)
        values = [value for value, _ in rows]
        narrow = [value for value, unit in rows if widths[topic, *unit] < limit]
        wide = [value for value, unit in rows if widths[topic, *unit] >= limit]
        found[topic, docno] = (
            aggregate(values),
            aggregate(narrow) if narrow else min(values),
            aggregate(wide) if wide else max(values),
        )
    return found


@pytest.mark.parametrize(
    ("name", "aggregate"), [("median", median), ("geometric_mean", geometric_mean)]
)
def test_gains_are_those_of_plain_python(name, aggregate):
    _, _, normalised, units = collection()
    expected = plain_gains(normalised, units, 10.0, aggregate)
    shuffled = normalised.sample(frac=1, random_state=1)
    judgments = topic_judgments(pa.Table.from_pandas(shuffled), units, 10.0)
    for g, gains in enumerate(GAINS):
        table = gain_table(judgments, gains, name).to_pandas()
        assert len(table) == len(expected)
        for row in table.itertuples():
            assert row.grade == pytest.approx(expected[row.topic, row.docno][g], rel=1e-12)
    with pytest.raises(ParameterError, match="unknown aggregate 'mean'"):
        all_gains(judgments[0], "mean")


def test_without_widths_narrow_and_wide_are_the_extremes():
    frame = normalised_frame([("1", "a", f"w{i}", f"u{i}", v) for i, v in enumerate([3, 1.5, 8])])
    for units in (None, units_frame({("1", f"w{i}", f"u{i}"): np.nan for i in range(3)})):
        (judgments,) = topic_judgments(frame, units, 5.0)
        np.testing.assert_array_equal(all_gains(judgments), [[3, 1.5, 8]])
    (judgments,) = topic_judgments(
        frame, units_frame({("1", "w0", "u0"): 5.0, ("1", "w1", "u1"): 4.9}), 5.0
    )
    np.testing.assert_array_equal(all_gains(judgments), [[3, 1.5, 3]])


@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan])
def test_gains_that_are_none_are_named(value):
    with pytest.raises(ParameterError, match="document b on topic 1: its normalised magnitude"):
        topic_judgments(normalised_frame([("1", "a", "w", "u", 2), ("1", "b", "w", "u", value)]))


@pytest.mark.parametrize("limit", [None, 0, np.nan])
def test_widths_need_a_limit(limit):
    with pytest.raises(ParameterError, match="narrow units are below"):
        topic_judgments(normalised_frame([("1", "a", "w", "u", 2)]), units_frame({}), limit)


def test_scores_are_those_of_score():
    runs, labels, normalised, units = collection()
    ranked = RankedLists.from_table(runs_table(runs))
    judgments = topic_judgments(normalised, units, 10.0)
    tables = {gains: gain_table(judgments, gains) for gains in GAINS}
    tables[REFERENCE] = qrels_table(labels)
    systems = made()["systems"]
    for gains, table in tables.items():
        found = score(ranked, Judged.from_table(table, ranked), MEASURES)
        for m, measure in enumerate(MEASURES):
            rows = rows_of(systems, over=RUNS, gains=gains, measure=measure)
            assert rows["system"].tolist() == list(ranked.systems)
            np.testing.assert_allclose(
                rows["score"], found.values[:, :, m].mean(axis=1), rtol=0, atol=1e-14
            )


def test_only_ratios_of_magnitudes_count_in_ndcg():
    runs, labels, normalised, units = collection()
    scaled = normalised.assign(normalised=normalised["normalised"] * 7.3)
    found = system_tables(
        GainComparison(
            RankedLists.from_table(runs_table(runs)),
            [ReferenceLabels("ours", qrels_table(labels), 3)],
            topic_judgments(scaled, units, 10.0),
            MEASURES[:1],
            depth=4,
            merged=7,
            seed=1,
        )
    )
    before = rows_of(made()["systems"], measure=MEASURES[0])
    np.testing.assert_allclose(found["systems"]["score"], before["score"], rtol=1e-12)
    assert found["systems"]["top"].tolist() == before["top"].tolist()


def test_rankings_say_what_the_systems_say():
    tables = made()
    keys = ["reference", "over", "measure"]
    for row in tables["rankings"].itertuples():
        same = rows_of(tables["systems"], **{key: getattr(row, key) for key in keys})
        own, theirs = (
            same[same["gains"] == gains].set_index("system") for gains in (row.gains, REFERENCE)
        )
        assert (row.n_systems, row.n_topics) == (len(own), 5 if row.over == RUNS else row.n_topics)
        expected = stats.kendalltau(own["score"].round(12), theirs["score"].round(12)).statistic
        assert row.tau == pytest.approx(expected, abs=1e-12)
        top, top_reference = set(own.index[own["top"]]), set(theirs.index[theirs["top"]])
        assert (row.top, row.top_reference) == (len(top), len(top_reference))
        assert row.top_both == len(top & top_reference)
        assert row.overlap == len(top & top_reference) / len(top | top_reference)
    assert tables["rankings"]["gains"].unique().tolist() == list(GAINS)


def test_complete_sub_runs_by_hand():
    runs, labels, _, _ = collection()
    complete = made()["complete"].set_index("topic")
    for topic, judged in labels.items():
        expected = sum(
            len(run[topic]) >= 4 and all(docno in judged for docno, _ in run[topic][:4])
            for run in runs.values()
        )
        assert complete.loc[topic, "complete"] == expected
        assert complete.loc[topic, "used"] == (expected >= 2)
        assert complete.loc[topic, "runs"] == 8
    assert complete["complete"].between(0, 8, inclusive="neither").any()


def test_merged_systems_have_a_complete_sub_run_for_each_topic():
    runs, labels, *_ = collection()
    ranked = RankedLists.from_table(runs_table(runs))
    tables = made(merged=40)
    merged = rows_of(tables["systems"], over=MERGED, gains=REFERENCE)
    found = score(ranked, Judged.from_table(qrels_table(labels), ranked), MEASURES[:1])
    used = tables["complete"].query("used")
    possible = []
    for topic in used["topic"]:
        column = found.topics.index(topic)
        possible.append(
            [
                found.values[s, column, 0]
                for s, run in enumerate(runs.values())
                if len(run[topic]) >= 4 and all(d in labels[topic] for d, _ in run[topic][:4])
            ]
        )
    lowest, highest = (mean(map(end, possible)) for end in (min, max))
    scores = merged[merged["measure"] == MEASURES[0]]["score"]
    assert len(scores) == 40
    assert scores.between(lowest - 1e-12, highest + 1e-12).all()
    assert scores.nunique() > 10
    assert merged["system"].tolist()[:2] == ["merged 01", "merged 02"]
    assert (rows_of(tables["rankings"], over=MERGED)["n_topics"] == len(used)).all()


def test_merges_do_not_change_with_other_topics():
    runs, labels, normalised, units = collection()
    ranked = RankedLists.from_table(runs_table(runs))
    options = {"depth": 4, "merged": 5, "seed": 1}
    judgments = topic_judgments(normalised, units, 10.0)
    used = made()["complete"].query("used")["topic"].tolist()[:2]
    few = [j for j in judgments if j.topic in used]
    one, two = (
        system_tables(
            GainComparison(
                ranked, [ReferenceLabels("ours", qrels_table(labels), 3)], [j], MEASURES, **options
            )
        )
        for j in few
    )
    both = system_tables(
        GainComparison(
            ranked, [ReferenceLabels("ours", qrels_table(labels), 3)], few, MEASURES, **options
        )
    )
    parts = [rows_of(t["systems"], over=MERGED)["score"].to_numpy() for t in (one, two, both)]
    np.testing.assert_allclose((parts[0] + parts[1]) / 2, parts[2], atol=1e-14)


def test_number_of_threads_and_row_order_change_nothing(tmp_path):
    runs, labels, normalised, units = collection()
    shuffled = topic_judgments(normalised.sample(frac=1, random_state=2), units, 10.0)
    again = system_tables(
        GainComparison(
            RankedLists.from_table(runs_table(runs)),
            [ReferenceLabels("ours", qrels_table(labels), 3)],
            shuffled,
            MEASURES,
            depth=4,
            merged=7,
            seed=1,
        ),
        threads=3,
    )
    for name, table in made().items():
        pd.testing.assert_frame_equal(table, again[name], check_exact=True)
        write_table(table, tmp_path / f"{name}.parquet", f"magnitudes/{name}")


# top sets


@pytest.mark.parametrize("decimals", [1, 9])
@pytest.mark.parametrize("topics", [1, 2, 12, 18, 30])
def test_the_top_set_is_that_of_scipy(decimals, topics):
    rng = np.random.default_rng(topics)
    values = (rng.normal(size=(25, topics)) + np.linspace(0, 1.2, 25)[:, None]).round(decimals)
    values[3] = values[20]
    best = np.argmax(values.mean(axis=1))
    top, p = top_set(values)
    for s, own in enumerate(values):
        difference = np.where(abs(values[best] - own) < 1e-12, 0, values[best] - own)
        if not difference.any():
            assert np.isnan(p[s]) and top[s]
            continue
        difference = difference.round(9)  # equal differences are equal
        if topics == 12 and decimals == 1:  # scipy takes the distribution without ties there
            expected = by_all_signs(difference)
        else:
            expected = stats.wilcoxon(difference).pvalue
        assert p[s] == pytest.approx(expected, abs=1e-12)
        assert top[s] == (expected >= 0.05)


def by_all_signs(difference):
    """p of the signed-rank sum over all signs of the ranks that there are."""
    difference = difference[difference != 0]
    ranks = stats.rankdata(abs(difference))
    signs = (np.arange(2 ** len(ranks))[:, None] >> np.arange(len(ranks))) & 1
    sums = np.minimum(signs @ ranks, (1 - signs) @ ranks)
    own = min(ranks[difference > 0].sum(), ranks[difference < 0].sum())
    return min(1.0, (sums <= own + 1e-9).mean())


def test_the_best_of_tied_systems_is_the_first():
    values = np.array([[0.1, 0.2, 0.3], [0.2, 0.4, 0.6], [0.6, 0.4, 0.2 + 1e-16]])
    top, p = top_set(values)
    assert np.isnan(p[1])
    assert top.all()


def test_what_may_be_the_best_is_all_that_no_test_of_many_tells_from_it():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(9, 20)) + np.linspace(0, 3, 9)[:, None]
    best = values.mean(axis=1).argmax()
    p = skewed_p(values[best] - np.delete(values, best, axis=0))
    found = may_be_first(values)
    assert found[best] and (~np.delete(found, best)).tolist() == (p < 0.05 / 8).tolist()
    assert 1 < found.sum() < 9
    assert may_be_first(values[:, :9]).all(), "too few topics"
    assert may_be_first(values[:1]).all() and may_be_first(values[[1, 1]]).all()


def test_significance_decides():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(10, 12)) + np.linspace(0, 2, 10)[:, None]
    sizes = [top_set(values, level)[0].sum() for level in (1e-6, 0.01, 0.05, 0.9)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == 10 > sizes[-1]


# mappings


def test_mappings_are_scores_of_mapped_grades():
    runs, labels, _, _ = collection()
    ranked = RankedLists.from_table(runs_table(runs))
    found = rows_of(made()["mappings"], over=RUNS).set_index(["mapping", "measure"])["tau"]
    plain = score(ranked, Judged.from_table(qrels_table(labels), ranked), MEASURES).values
    for mapping, function in MAPPINGS.items():
        mapped = {
            topic: {docno: float(function(np.float64(c))) for docno, c in judged.items()}
            for topic, judged in labels.items()
        }
        values = score(ranked, Judged.from_table(qrels_table(mapped), ranked), MEASURES).values
        for m, measure in enumerate(MEASURES):
            expected = stats.kendalltau(*(v[:, :, m].mean(1).round(12) for v in (plain, values)))
            assert found[mapping, measure] == pytest.approx(expected.statistic, abs=1e-12)
    assert found["100C", MEASURES[0]] == 1


def test_the_highest_grade_is_mapped_with_the_others():
    """ERR under 100C on a scale up to 3 takes 300 for the highest, if no document has it too."""
    runs = {"a": {"1": [("x", 2.0), ("y", 1.0)]}, "b": {"1": [("y", 2.0), ("x", 1.0)]}}
    ranked = RankedLists.from_table(runs_table(runs))
    labels = ReferenceLabels("l", qrels_table({"1": {"x": 2, "y": -1, "z": 0}}), 3)
    measures = parse_all(["ERR@10", "AP(rel=2)", "ERR(gains={2:7})", "ERR(max_rel='topic')"])
    comparison = compare(ranked, labels, ["1"], measures)
    table = rows_of(mapping_table(ranked, comparison, ["1"], measures), over=RUNS)
    lost = (table["measure"] == "ERR@10") & table["mapping"].isin(["100C", "10^(1+C)"])
    assert table[lost]["tau"].isna().all()  # 2^200 is nothing beside 2^300
    assert (table[~lost]["tau"] == 1).all()
    names = [str(mapped_measure(m, MAPPINGS["1+C"], 3)) for m in measures]
    assert names == [
        "ERR(max_rel=4.0)@10",
        "AP(rel=3.0)",
        "ERR(dcg='log2',max_rel=4.0)",
        "ERR(max_rel='topic')",
    ]
    assert str(mapped_measure(parse("ERR(max_rel=5)"), MAPPINGS["100C"], 3)) == "ERR(max_rel=500.0)"


def test_gains_too_large_to_add_have_a_row(caplog):
    runs, labels, normalised, units = collection()
    tables = system_tables(
        GainComparison(
            RankedLists.from_table(runs_table(runs)),
            [ReferenceLabels("ours", qrels_table(labels), 3)],
            topic_judgments(normalised, units, 10.0),
            ["nDCG(dcg='exp-log2')@4"],
            depth=4,
        )
    )
    mappings = rows_of(tables["mappings"], over=RUNS).set_index("mapping")["tau"]
    assert mappings.isna().to_dict() == {name: name == "10^(1+C)" for name in MAPPINGS}
    assert any("too large" in record.message for record in caplog.records)


# edges


def one_system(topic="1", other="1"):
    ranked = RankedLists.from_table(runs_table({"s": {topic: [("a", 1.0)]}}))
    judgments = topic_judgments(normalised_frame([(other, "a", "w", "u", 2.0)]))
    return ranked, judgments


@pytest.mark.parametrize("labelled", ["1", "2"])
@pytest.mark.parametrize("judged", ["1", "2"])
def test_one_of_everything_or_nothing_shared(labelled, judged, tmp_path):
    ranked, judgments = one_system("1", judged)
    labels = ReferenceLabels("r", qrels_table({labelled: {"a": 1}}), 1)
    tables = system_tables(GainComparison(ranked, [labels], judgments, MEASURES))
    is_shared = labelled == judged  # the run ranks nothing for topic 2, and scores 0 on it
    rankings = tables["rankings"]
    assert len(rankings) == 2 * 3 * 2
    assert rankings["tau"].isna().all()
    assert rows_of(rankings, over=RUNS)["n_topics"].eq(int(is_shared)).all()
    assert rows_of(rankings, over=MERGED)[["n_systems", "n_topics"]].eq(0).all(axis=None)
    assert rows_of(rankings, over=RUNS)["overlap"].eq(1.0).all() == is_shared
    assert len(tables["systems"]) == (4 * 2 if is_shared else 0)
    assert tables["mappings"]["tau"].isna().all()
    assert len(tables["complete"]) == int(is_shared)
    for name, table in tables.items():
        write_table(table, tmp_path / f"{name}.parquet", f"magnitudes/{name}")


def test_no_magnitudes_and_no_references():
    ranked, _ = one_system()
    labels = ReferenceLabels("r", qrels_table({"1": {"a": 1}}))
    assert (
        system_tables(GainComparison(ranked, [labels], (), MEASURES))["rankings"]["n_topics"]
        .eq(0)
        .all()
    )
    assert all(
        table.empty for table in system_tables(GainComparison(ranked, [], (), MEASURES)).values()
    )


def test_one_topic_with_complete_sub_runs_is_merged():
    runs = {f"s{i}": {"1": [("a", 2.0), ("b", 1.0)][:: 1 - 2 * (i % 2)]} for i in range(4)}
    ranked = RankedLists.from_table(runs_table(runs))
    judgments = topic_judgments(
        normalised_frame([("1", "a", "w", "u", 2.0), ("1", "b", "w", "u", 1.0)])
    )
    labels = ReferenceLabels("r", qrels_table({"1": {"a": 1, "b": 0}, "2": {"a": 1}}), 1)
    rankings = system_tables(GainComparison(ranked, [labels], judgments, ["nDCG@2"], depth=2))[
        "rankings"
    ]
    assert rows_of(rankings, over=MERGED)["n_systems"].eq(100).all()
    assert rankings["tau"].eq(1).all()
    assert rankings["overlap"].eq(1).all()  # one topic tells nothing apart


def test_numbers_out_of_range_are_refused():
    ranked, judgments = one_system()
    labels = [ReferenceLabels("r", qrels_table({"1": {"a": 1}}))]
    with pytest.raises(ParameterError, match="depth is 0"):
        system_tables(GainComparison(ranked, labels, judgments, MEASURES, depth=0))
    with pytest.raises(ParameterError, match="max_rel='topic'"):
        system_tables(GainComparison(ranked, labels, judgments, ["ERR@10"]))
