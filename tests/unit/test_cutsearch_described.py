"""What is said of searches: groups of cuts, widths, references, source α, one search over all."""

from statistics import quantiles

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

from regrade.agreement import alpha
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.cutsearch.best import all_cuts, best_cuts, cut_tables
from regrade.cutsearch.groups import cut_groups, groups_of, relevant_shares, width_correlations
from regrade.cutsearch.internal_agreement import internal_agreement, methods_of, source_alpha
from regrade.cutsearch.overlaps import overlaps
from regrade.cutsearch.pooled import pooled_cut, pooled_search
from regrade.cutsearch.reference_tests import reference_tests, welch
from regrade.cutsearch.search import search
from regrade.errors import MethodError
from regrade.scales import Scale
from regrade.tables import write_table
from tests.reference import han2019
from tests.reference.skewed_means import mean_ends
from tests.unit.judgments import alpha_options, random_judgments, random_labels

S9 = Scale.of({"levels": 9})


@pytest.fixture(scope="module")
def judgments():
    return random_judgments(3, levels=9, topics=4, units=14)


@pytest.fixture(scope="module")
def labels(judgments):
    return random_labels(4, judgments, 3)


def searched(judgments, labels, method="d2_at", levels=3, label="E", **options):
    reference = labels if method in ("h2", "d2_at", "d2_ta") else None
    found = search(judgments, S9, levels, method, reference, alpha_options(**options))
    return found, best_cuts(found, label if reference is not None else None)


# --- groups --------------------------------------------------------------------------------------


def test_groups_are_the_ends_and_the_middle():
    values = np.array([0.3, np.nan, 0.1, 0.9, 0.5, 0.7, 0.2, 0.4, 0.8, 0.6])
    groups = groups_of(values, 2)
    assert {name: indices.tolist() for name, indices in groups.items()} == {
        "best": [3, 8],
        "median": [4, 7],
        "worst": [2, 6],
    }
    # a third of the nine that are defined, at most
    assert [len(indices) for indices in groups_of(values, 1000).values()] == [3, 3, 3]
    assert [len(indices) for indices in groups_of(np.full(4, np.nan), 2).values()] == [0, 0, 0]
    assert [i.tolist() for i in groups_of(np.array([0.5]), 2).values()] == [[0], [0], [0]]
    # ties within rounding: the first in order of cuts are below
    tied = groups_of(np.array([0.5 + 1e-15, 0.5, 0.5 - 1e-15]), 1)
    assert [tied[name].tolist() for name in ("worst", "median", "best")] == [[0], [1], [2]]


@pytest.mark.parametrize("levels", [2, 3, 4])
def test_thresholds_of_groups_by_hand(tmp_path, judgments, labels, levels):
    found, _ = searched(judgments, random_labels(4, judgments, levels), levels=levels)
    table = found.to_frame()
    made = cut_groups(table, "d2_at", "E", S9, size=2)
    for name, frame in made.items():
        assert list(frame.columns) == columns_of(f"cuts/{name}")
        write_table(frame, tmp_path / "t.parquet", f"cuts/{name}")
    for topic in (*found.topics, ALL_TOPICS):
        values = table["mean" if topic == ALL_TOPICS else topic].to_numpy()
        chosen = sorted((v, i) for i, v in enumerate(np.round(values, 12)) if not np.isnan(v))
        size = min(2, len(chosen) // 3)
        cuts = found.cuts[[i for _, i in chosen[-size:]]]
        own = made["groups"].query("topic == @topic and group == 'best'")
        assert own["n_cuts"].eq(size).all()
        for k, row in enumerate(own.itertuples()):
            assert row.mean == pytest.approx(cuts[:, k].mean())
            assert (row.low, row.high) == (cuts[:, k].min(), cuts[:, k].max())
            if size > 1:
                expected = quantiles(cuts[:, k], n=4, method="inclusive")
                assert [row.q1, row.median, row.q3] == expected
        (width,) = made["widths"].query("topic == @topic and group == 'best'").to_dict("records")
        spans = np.diff(np.column_stack([np.zeros(size), cuts, np.full(size, 8)]), axis=1)
        assert [width[f"level_{i}"] for i in range(levels)] == pytest.approx(spans.mean(axis=0))
        if levels == 2:
            assert np.isnan(width["width"])
        else:
            assert width["width"] == pytest.approx((cuts[:, -1] - cuts[:, 0]).mean())
    counts = made["group_counts"].groupby(["topic", "group", "threshold"])["n_cuts"].sum()
    expected = made["groups"].set_index(["topic", "group", "threshold"])["n_cuts"]
    assert counts.to_dict() == expected.to_dict()


def test_a_topic_without_any_alpha_has_groups_of_no_cut(judgments, labels):
    table = searched(judgments, labels)[0].to_frame().assign(**{"2": np.nan})
    made = cut_groups(table, "d2_at", "E", S9, size=2)
    for name, column in (("groups", "mean"), ("widths", "width")):
        none = made[name].query("topic == '2'")
        assert set(none["n_cuts"]) == {0}
        assert none[column].isna().all()


def test_scales_without_ends_have_no_width_there(judgments, labels):
    found, _ = searched(judgments, labels)
    made = cut_groups(found.to_frame(), "d2_at", "E", Scale.of({"ratio": True}), size=2)["widths"]
    assert made["level_2"].isna().all()
    assert made["level_1"].notna().all()


def test_shares_of_relevant_documents():
    source = pa.table({"topic": ["1"] * 5 + ["2", "3"], "docno": [*"abcda", "x", "y"]})
    qrels = pa.table(
        {"topic": ["1", "1", "1", "2"], "docno": [*"abz", "q"], "grade": [2.0, 0.0, 1.0, 1.0]}
    )
    assert relevant_shares(source, qrels).to_dict() == {"1": 0.25, "2": 0.0}


def test_widths_and_shares_against_scipy(judgments, labels):
    found, _ = searched(judgments, labels)
    made = cut_groups(found.to_frame(), "d2_at", "E", S9, size=3)["widths"]
    shares = relevant_shares(judgments, labels)
    table = width_correlations(made, {"E": shares})
    assert list(table.columns) == columns_of("cuts/width_correlations")
    assert table["group"].tolist() == ["best", "median", "worst"]
    for row in table.itertuples():
        own = made.query("group == @row.group and topic != '*'")
        expected = stats.pearsonr(own["width"], shares[own["topic"]])
        assert (row.r, row.p) == pytest.approx((expected.statistic, expected.pvalue))
        interval = expected.confidence_interval(0.95)
        assert (row.low, row.high) == pytest.approx((interval.low, interval.high))
        assert row.n_topics == 4
    three = width_correlations(made[made["topic"].isin(["1", "2", "3"])], {"E": shares})
    assert three["r"].notna().any()
    assert three[["low", "high"]].isna().all(axis=None)
    few = width_correlations(made[made["topic"] == "1"], {"E": shares})
    assert few["r"].isna().all()
    assert few["n_topics"].eq(1).all()


# --- references ----------------------------------------------------------------------------------


def test_thresholds_by_two_references_against_scipy(tmp_path, judgments):
    first, second = (random_labels(seed, judgments, 3) for seed in (4, 5))
    tables = [searched(judgments, of, label=name)[1] for name, of in (("A", first), ("B", second))]
    internal = searched(judgments, None, "tw1")[1]
    table = reference_tests(pd.concat([*tables, internal], ignore_index=True))
    write_table(table, tmp_path / "t.parquet", "cuts/reference_tests")
    assert table[["method", "first", "second", "threshold"]].to_numpy().tolist() == [
        ["d2_at", "A", "B", "c1"],
        ["d2_at", "A", "B", "c2"],
    ]
    for row in table.itertuples():
        a, b = (t[t["topic"] != "*"][row.threshold].to_numpy() for t in tables)
        unpaired = stats.ttest_ind(a, b, equal_var=False)
        assert row.difference == pytest.approx((a - b).mean())
        if np.ptp(a - b) > 0:
            paired = stats.ttest_rel(a, b)
            assert (row.t, row.p) == pytest.approx((paired.statistic, paired.pvalue))
            ends = mean_ends(a - b) if len(a) >= 10 else (np.nan, np.nan)
            assert (row.low, row.high) == pytest.approx(ends, nan_ok=True)
        assert row.p_unpaired == pytest.approx(unpaired.pvalue)
        assert (row.better, row.worse) == ((a > b).sum(), (a < b).sum())


def test_references_that_share_no_topic_or_one(judgments, labels):
    best = searched(judgments, labels)[1]
    other = best.assign(reference="F")
    one = pd.concat([best, other[other["topic"] == "1"]], ignore_index=True)
    table = reference_tests(one)
    assert table["n_topics"].tolist() == [1, 1]
    assert table[["t", "p", "p_unpaired", "low"]].isna().all(axis=None)
    none = pd.concat([best, other.assign(topic="9" + other["topic"])], ignore_index=True)
    assert reference_tests(none)["n_topics"].tolist() == [0]
    same = reference_tests(pd.concat([best, other], ignore_index=True))
    assert same["difference"].eq(0).all()
    assert reference_tests(best).empty
    assert np.isnan(welch(np.ones(3), np.ones(3)))
    assert welch(np.ones(3), np.zeros(3)) == 0


def test_two_topics_are_tested_and_methods_keep_their_order(judgments, labels):
    best = pd.concat(
        [searched(judgments, labels, method)[1] for method in ("tw1", "h2", "d2_at")],
        ignore_index=True,
    )
    best = best[best["topic"].isin(["1", "2", "*"])].assign(
        method=best["method"].astype("category")
    )
    other = best[best["method"] != "tw1"].assign(reference="F")
    other["c1"] += np.where(other["topic"] == "1", 1, 3)
    table = reference_tests(pd.concat([best, other], ignore_index=True))
    assert table["method"].unique().tolist() == ["h2", "d2_at"]
    assert table["n_topics"].eq(2).all()
    first = table[table["threshold"] == "c1"]
    expected = stats.ttest_1samp([-1, -3], 0)
    assert first["difference"].tolist() == [-2, -2]
    assert first["t"].tolist() == pytest.approx([expected.statistic] * 2)
    assert first["p"].tolist() == pytest.approx([expected.pvalue] * 2)


# --- source α ------------------------------------------------------------------------------------


@pytest.mark.parametrize("undefined", ["drop", "zero"])
def test_what_of_all_workers_is_defined_is_counted(undefined):
    """Of four topics one has two values of a document that differ, one equal ones, two no two."""
    rows = [("1", "a", "v", 0), ("1", "a", "w", 1), ("1", "b", "v", 2), ("1", "b", "w", 2)]
    rows += [("2", "a", "v", 3), ("2", "a", "w", 3), ("3", "a", "v", 1), ("4", "a", "w", 2)]
    topics, docnos, workers, values = map(list, zip(*rows, strict=True))
    few = pa.table({"topic": topics, "docno": docnos, "worker": workers})
    few = few.append_column("unit", pa.array([None] * len(rows), pa.string()))
    few = few.append_column("value", pa.array(values, pa.float64()))
    table = source_alpha(few, 4, "tw1", alpha_options(undefined=undefined))
    assert list(table.index) == list(range(5))
    assert table["topic"].tolist() == ["1", "2", "3", "4", ALL_TOPICS]
    assert table["n"].tolist() == [1, 1, 0, 0, 4]
    assert table["n_defined"].tolist() == [1, 0, 0, 0, 1 if undefined == "drop" else 2]
    expected = alpha(np.array([[0, 2], [1, 2]], float))
    mean = expected if undefined == "drop" else expected / 2
    assert table["source_alpha"].iloc[[0, -1]].tolist() == pytest.approx([expected, mean])


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_source_alpha_of_all_workers_is_that_of_the_matrix(judgments, metric):
    table = source_alpha(judgments, 9, "tw1", alpha_options(metric=metric)).set_index("topic")
    frame = judgments.to_pandas()
    values = []
    for topic, rows in frame.groupby("topic"):
        # a worker counts once for a document, with the lower middle value
        votes = rows.groupby(["worker", "docno"])["value"].quantile(0.5, interpolation="lower")
        matrix = votes.unstack().to_numpy()
        values.append(alpha(matrix, metric))
        assert table.loc[topic, "source_alpha"] == pytest.approx(values[-1], abs=1e-12)
    assert table.loc[ALL_TOPICS, "source_alpha"] == pytest.approx(np.mean(values))


@pytest.mark.parametrize("undefined", ["drop", "one", "zero"])
def test_source_alpha_of_units_by_hand(judgments, undefined):
    table = source_alpha(judgments, 9, "h1_at", alpha_options(undefined=undefined)).set_index(
        "topic"
    )
    frame = judgments.to_pandas()
    for topic, rows in frame.groupby("topic"):
        votes = rows.groupby(["docno", "worker"])["value"].quantile(0.5, interpolation="lower")
        units = []
        for (worker, _), unit in rows.groupby(["worker", "unit"]):
            own = unit.groupby("docno")["value"].quantile(0.5, interpolation="lower")
            theirs = votes[votes.index.get_level_values("worker") != worker]
            others = theirs.groupby("docno").median().reindex(own.index).to_numpy()
            if not np.isnan(others).all():
                units.append(alpha(np.array([own.to_numpy(), others])))
        defined = [value for value in units if not np.isnan(value)]
        assert table.loc[topic, ["n_defined", "n"]].tolist() == [len(defined), len(units)]
        filler = {"one": [1.0], "zero": [0.0], "drop": []}[undefined]
        expected = np.mean(defined + filler * (len(units) - len(defined)))
        assert table.loc[topic, "source_alpha"] == pytest.approx(expected, abs=1e-12)
    same = source_alpha(judgments, 9, "h1_ta", alpha_options(undefined=undefined)).set_index(
        "topic"
    )
    pd.testing.assert_frame_equal(same, table)


def test_source_alpha_beside_that_of_the_best_cuts(tmp_path, judgments, labels):
    methods = methods_of(["h1_ta", "tw1", "d2_at@E"])
    assert methods == ["h1_ta", "tw1"]
    source = {method: source_alpha(judgments, 9, method) for method in methods}
    tables = {}
    for method in methods:
        found, best = searched(judgments, labels, method)
        tables[method] = best, found.to_frame()
    table = internal_agreement(source, tables, "ordinal")
    assert list(table.index) == list(range(len(table)))
    write_table(table, tmp_path / "t.parquet", "cuts/internal")
    for row in table.itertuples():
        best, every = tables[row.method]
        best = best.set_index("topic")
        chosen = best.loc["*", ["c1", "c2"]].astype(float)
        single = every[(every[["c1", "c2"]] == chosen).all(axis=1)]
        topics = sorted(set(best.index) - {"*"})
        if row.topic == "*":
            assert row.per_topic == pytest.approx(best.loc[topics, "value"].astype(float).mean())
            assert row.single == pytest.approx(single[topics].iloc[0].mean())
        else:
            assert row.per_topic == best.loc[row.topic, "value"]
            assert row.single == single[row.topic].iloc[0]
    assert internal_agreement({}, {}, "ordinal").empty


def test_source_alpha_is_for_internal_methods(judgments):
    with pytest.raises(MethodError, match="h2 is not a method of internal agreement"):
        source_alpha(judgments, 9, "h2")
    alone = judgments.filter(pa.array(np.array(judgments["worker"].to_pylist()) == "w1"))
    with pytest.raises(MethodError, match="no document has the judgments of two"):
        source_alpha(alone, 9, "tw1")


# --- all judgments together ----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["h1_ta", "h1_at", "tw1", "h2", "d2_at", "d2_ta"])
def test_all_judgments_together_as_plain_python_has_them(judgments, labels, method):
    reference = labels if method in ("h2", "d2_at", "d2_ta") else None
    found = pooled_search(judgments, 9, 3, method, reference, alpha_options(unjudged="drop"))
    assert found.topics == ("all",)
    frame = judgments.to_pandas()
    frame = frame.assign(
        docno=frame["topic"] + "/" + frame["docno"], unit=frame["topic"] + "/" + frame["unit"]
    )
    judged = han2019.Votes(frame)
    known = labels.to_pandas()
    known = dict(
        zip(known["topic"] + "/" + known["docno"], known["grade"].astype(int), strict=True)
    )
    rules = {"metric": "ordinal", "undefined": "drop", "unjudged": "drop"}
    rules |= {"at": "median", "ta": "median"}
    for i in range(0, len(found.cuts), 5):
        expected = han2019.topic_alpha(judged, found.cuts[i].tolist(), method, known, **rules)
        assert found.values[i, 0] == pytest.approx(expected, abs=1e-10, nan_ok=True), i


def test_topics_that_the_reference_lacks_are_left_out_of_all(judgments, labels):
    keep = np.array(labels["topic"].to_pylist()) != "2"
    known, options = labels.filter(pa.array(keep)), alpha_options(unjudged="non-relevant")
    found = pooled_search(judgments, 9, 3, "d2_at", known, options)
    assert found.left_out == {"2": "the reference has no label for the topic"}
    without = judgments.filter(pa.array(np.array(judgments["topic"].to_pylist()) != "2"))
    again = pooled_search(without, 9, 3, "d2_at", labels, alpha_options(unjudged="non-relevant"))
    np.testing.assert_array_equal(found.values, again.values)


def test_one_topic_is_all_of_it(tmp_path, judgments, labels):
    one = judgments.filter(pa.array(np.array(judgments["topic"].to_pylist()) == "1"))
    found, best = searched(one, labels)
    pooled = pooled_search(one, 9, 3, "d2_at", labels)
    np.testing.assert_allclose(pooled.values, found.values, atol=1e-14)
    row = pooled_cut(pooled, found.to_frame(), best, "E")
    assert [row["c1"], row["c2"]] == [row["single_c1"], row["single_c2"]]
    assert row["value"] == row["mean_alpha"] == row["single_value"] == row["single_mean_alpha"]
    write_table(pd.DataFrame([row], columns=columns_of("cuts/pooled")),
                tmp_path / "t.parquet", "cuts/pooled")  # fmt: skip


def test_nothing_to_search_together(judgments):
    alone = judgments.filter(pa.array(np.array(judgments["worker"].to_pylist()) == "w1"))
    pooled = pooled_search(alone, 9, 3, "tw1")
    row = pooled_cut(pooled, pd.DataFrame(), pd.DataFrame(), None)
    assert row["n"] == 0
    assert "no document has the judgments of two" in row["note"]


# --- the cuts of all searches --------------------------------------------------------------------


def test_tables_of_all_searches_end_with_why_others_have_none(judgments, labels, tmp_path):
    tables = [
        cut_tables(searched(judgments, labels, method)[0], reference)
        for method, reference in (("d2_at", "E"), ("tw1", None))
    ]
    parts = {name: [table[name] for table in tables] for name in tables[0]}
    found = all_cuts(parts, {"h2": "no unit is named", "h1_at": "nor here"})
    for name, table in found.items():
        own = [one for part in parts[name] for one in part["method"]]
        last = ["h2", "h1_at"] if name == "best_cuts" else []
        assert table["method"].tolist() == own + last
        assert table.index.tolist() == [*range(len(table))]
        write_table(table, tmp_path / f"{name}.parquet", f"cuts/{name}")
    last = found["best_cuts"][-2:]
    assert last["note"].tolist() == ["no unit is named", "nor here"]
    assert (last["topic"] == ALL_TOPICS).all()
    assert (last[["tied", "runs", "n_defined", "n"]] == 0).all(axis=None)
    assert last[["c1", "value"]].isna().all(axis=None)
    without = all_cuts(parts, {})["best_cuts"]
    assert len(without) == len(found["best_cuts"]) - 2


# --- overlaps ------------------------------------------------------------------------------------


def test_overlaps_of_sets(tmp_path):
    crowd = pa.table({"topic": ["1", "1", "1", "2"], "docno": [*"aab", "a"], "worker": [*"xyxx"]})
    expert = pa.table({"topic": ["1", "2", "3"], "docno": [*"aba"], "grade": [1.0, 0.0, 1.0]})
    table = overlaps({"S": crowd, "E": expert}, "S", {"S": 101, "E": None}, {"S"})
    write_table(table, tmp_path / "t.parquet", "overlaps/sets")
    assert table["documents"].tolist() == [3, 3]
    assert table["shared"].tolist() == [3, 1]
    assert table["share"].tolist() == [1.0, 1 / 3]
    assert table["kind"].tolist() == ["crowd", "expert"]
    assert table["topics"].tolist() == [2, 3]
    assert table["simulated"].tolist() == [True, False]
