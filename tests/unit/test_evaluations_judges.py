"""Judges beside a reference: what cuts they get, what was held out, and what is said of them."""

from dataclasses import replace

import krippendorff
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import kendalltau

from regrade.aggregation import aggregate
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.search import search
from regrade.errors import MethodError, ParameterError
from regrade.evaluations.compare_sets import ComparisonOptions, compare_sets
from regrade.evaluations.cut_labels import (
    JudgeCuts,
    JudgeOptions,
    rounded_cut,
    rounded_places,
)
from regrade.evaluations.judge_differences import JudgedWay, variance_table
from regrade.evaluations.judges import JudgeComparison, judge_tables, labellings
from regrade.evaluations.label_agreement import agreement_of, agreement_of_many
from regrade.label_sets import LabelSet
from regrade.measures import parse_all
from regrade.randomness import generator
from regrade.run_arrays import Judged
from regrade.scales import Scale
from regrade.scoring import score
from regrade.tables import write_table
from regrade.variance_shares import variance_shares
from tests.unit.test_evaluations import labelled, qrels, runs

FINE = Scale.of({"levels": 9})
HOW = JudgeOptions(resamples=25, folds=3)
MEASURES = ["nDCG@10", "AP(rel=2)"]

on_levels = LabelSet.on_levels


def reference(topics=5, documents=20, levels=3, **how):
    return labelled(topics, documents, levels, **how)


def fine(topics=5, documents=20, noise=0.15, seed=3):
    return labelled(topics, documents, 9, seed=seed, noise=noise)


def judge(name="fine", table=None, scale=FINE):
    return LabelSet(name, fine() if table is None else table, scale)


def with_cuts(**cuts):
    return replace(HOW, cuts=cuts)


def cuts(own=None, table=None, **others):
    own = own or judge()
    table = reference() if table is None else table
    return JudgeCuts(own, on_levels("ref", table, 3), JudgeOptions(folds=3, **others))


def made(judges=None, topics=5, systems=6, how=HOW, ranked=True, **others):
    table = reference(topics)
    own = judges or [
        judge(table=fine(topics)),
        judge("same", reference(topics, noise=0.2), three()),
    ]
    lists = runs(systems, topics, 20) if ranked else None
    return judge_tables(
        on_levels("ref", table, 3), own, lists, MEASURES if ranked else (), how, **others
    )


def three():
    return Scale.of({"levels": 3})


def grades(table):
    frame = table.to_pandas().astype({"topic": str, "docno": str})
    return frame.set_index(["topic", "docno"])["grade"]


def of(found, cut, held_out=False):
    return next(one for one in found if (one.cut, one.held_out) == (cut, held_out))


# --- coefficients of many at once -----------------------------------------------------------------


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_many_coefficients_are_those_of_each(metric, weights):
    rng = np.random.default_rng(1)
    joints = rng.integers(0, 5, (40, 4, 4))
    joints[0] = 0
    joints[1] = np.diag([3, 0, 0, 0])
    joints[2, 1:] = 0
    values = np.arange(4.0)
    found = agreement_of_many(joints, values, metric, weights)
    expected = np.array([agreement_of(joint * 1.0, values, metric, weights) for joint in joints])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12, equal_nan=True)
    assert np.isnan(found[:2]).all()


# --- cuts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "levels"),
    [
        ({"levels": 6}, 4),
        ({"levels": 6}, 2),
        ({"values": {"from": 0, "to": 5, "by": 0.1}}, 4),
        ({"levels": 4}, 2),
        ({"levels": 101}, 3),
    ],
)
def test_rounding_stretches_the_scale_and_rounds_halves_up(written, levels):
    scale = Scale.of(written)
    values = np.array(scale.values)
    places = rounded_places(values[:-1], rounded_cut(scale, values, levels))
    found = (values[:, None] > values[places][None, :]).sum(axis=1)
    share = (values - scale.low) / (scale.high - scale.low) * (levels - 1)
    assert found.tolist() == np.floor(share + 0.5 + 1e-9).astype(int).tolist()


def test_chosen_cuts_are_those_of_the_search():
    found = list(cuts().labelled())
    best = best_cuts(search(fine(), FINE, 3, "d2_at", reference()))
    best = best.set_index("topic")[["c1", "c2"]]
    own, single = of(found, "per-topic"), of(found, "single")
    for topic, thresholds in own.thresholds.items():
        assert thresholds == tuple(best.loc[topic])
        assert single.thresholds[topic] == tuple(best.loc[ALL_TOPICS])
    values = grades(fine())
    for one in (own, single):
        expected = [
            sum(value > c for c in one.thresholds[topic]) for (topic, _), value in values.items()
        ]
        assert grades(one.table).loc[values.index].tolist() == expected


def test_a_topic_left_out_is_labelled_by_the_cut_of_the_others():
    found = of(cuts().labelled(), "single", held_out=True)
    for topic in found.thresholds:
        others = [row for row in reference().to_pylist() if row["topic"] != topic]
        rest = qrels([(row["topic"], row["docno"], row["grade"]) for row in others])
        best = best_cuts(search(fine(), FINE, 3, "d2_at", rest)).set_index("topic")
        assert found.thresholds[topic] == tuple(best.loc[ALL_TOPICS, ["c1", "c2"]])


def changed(table, topic, docnos=None):
    """The labels with those of a topic (or some of its documents) turned round."""
    rows = [
        (
            row["topic"],
            row["docno"],
            2 - row["grade"]
            if row["topic"] == topic and (docnos is None or row["docno"] in docnos)
            else row["grade"],
        )
        for row in table.to_pylist()
    ]
    return qrels(rows)


def test_what_is_held_out_has_no_part_in_the_choice():
    whole = list(cuts().labelled())
    single = grades(of(whole, "single", held_out=True).table)
    own = grades(of(whole, "per-topic", held_out=True).table)
    other = list(cuts(table=changed(reference(), "t1")).labelled())
    found = grades(of(other, "single", held_out=True).table)
    assert found.loc["t1"].equals(single.loc["t1"])
    # the planted leak: where a topic has a part in the choice, turning it round shows
    assert (
        not grades(of(other, "per-topic").table)
        .loc["t1"]
        .equals(grades(of(whole, "per-topic").table).loc["t1"])
    )
    topic = cuts().search.plan.topics[1]
    order = generator(1, "folds of documents", topic.topic).permutation(topic.n_documents)
    docnos = set(topic.docnos[order % 3 == 0])
    turned = cuts(table=changed(reference(), "t1", docnos))
    found = grades(of(turned.labelled(), "per-topic", held_out=True).table)
    its = [("t1", docno) for docno in sorted(docnos)]
    assert found.loc[its].equals(own.loc[its])
    assert not found.loc["t1"].equals(own.loc["t1"])


def test_cuts_chosen_on_noise_are_worth_nothing_held_out():
    def drawn(levels, seed):
        rng = np.random.default_rng(seed)
        names = [(f"t{t}", f"d{d}") for t in range(12) for d in range(40)]
        return qrels([(*name, float(rng.integers(levels))) for name in names])

    own = judge(table=drawn(9, 12))
    found = judge_tables(on_levels("ref", drawn(3, 11), 3), [own], how=HOW)["agreement"]
    mean = found[found["quantity"] == "mean_alpha"].set_index(["cut", "held_out"])["value"]
    assert mean["per-topic", False] > 0.1
    assert abs(mean["per-topic", True]) < 0.08
    assert abs(mean["single", True]) < 0.08


def test_cuts_by_tau_rank_as_no_other_cut_does():
    ranked, table = runs(6, 5, 20), reference()
    comparison = JudgeComparison(on_levels("ref", table, 3), ranked, parse_all(MEASURES), HOW)
    found = list(labellings(comparison, judge()))
    theirs = comparison.scores(sorted({f"t{t}" for t in range(5)}))[:, :, 0].mean(axis=1)

    def tau(one):
        judged = Judged.from_table(one.table, ranked)
        own = score(ranked, judged, MEASURES[:1], max_grade=2).values[:, :, 0].mean(axis=1)
        return kendalltau(theirs, own).statistic

    best = tau(of(found, "by-tau"))
    others = [one for one in found if one.cut != "uncut" and one.cut != "per-topic"]
    assert best >= max(tau(one) for one in others if not one.held_out) - 1e-12
    left = of(found, "by-tau", held_out=True)
    for topic in left.thresholds:
        rest = qrels(
            [
                (row["topic"], row["docno"], row["grade"])
                for row in table.to_pylist()
                if row["topic"] != topic
            ]
        )
        again = JudgeComparison(on_levels("ref", rest, 3), ranked, parse_all(MEASURES), HOW)
        expected = of(labellings(again, judge()), "by-tau").thresholds
        assert left.thresholds[topic] == next(iter(expected.values()))


# --- tables ---------------------------------------------------------------------------------------


def test_every_table_is_in_its_schema(tmp_path):
    tables = made()
    for name, table in tables.items():
        schema = f"judges/{name}"
        assert list(table.columns) == columns_of(schema)
        write_table(table, tmp_path / "table.parquet", schema, {})


def test_labels_agree_as_another_implementation_says():
    tables = made()
    found = tables["agreement"].set_index(["judge", "cut", "held_out", "quantity"])["value"]
    theirs = grades(reference())
    comparison = JudgeComparison(on_levels("ref", reference(), 3), how=HOW)
    for one in labellings(comparison, judge()):
        if one.cut == "uncut":
            continue
        own = grades(one.table)
        both = np.array([theirs.loc[own.index], own])

        def alpha(pair):
            return krippendorff.alpha(pair, level_of_measurement="ordinal", value_domain=[0, 1, 2])

        key = ("fine", one.cut, one.held_out)
        assert found[*key, "alpha"] == pytest.approx(alpha(both), abs=1e-12)
        topics = own.index.get_level_values("topic")
        means = np.mean([alpha(both[:, topics == t]) for t in sorted(set(topics))])
        assert found[*key, "mean_alpha"] == pytest.approx(means, abs=1e-12)


def test_systems_are_compared_as_two_sets_are():
    """τ_b, τ_ap, their intervals and what becomes of pairs, as the stage `compare` has them."""
    tables = made(topics=25)
    ranked, table = runs(6, 25, 20), reference(25)
    comparison = JudgeComparison(on_levels("ref", table, 3), ranked, parse_all(MEASURES), HOW)
    how = ComparisonOptions(resamples=25, splits=2, tops=(1,))
    for one in labellings(comparison, judge(table=fine(25))):
        if one.cut == "uncut":
            continue
        sides = on_levels("ref", table, 3), on_levels("fine", one.table, 3)
        other = compare_sets(*sides, ranked, MEASURES, how)
        key = (tables["rankings"]["cut"] == one.cut) & (
            tables["rankings"]["held_out"] == one.held_out
        )
        own = tables["rankings"][key & (tables["rankings"]["judge"] == "fine")]
        labels = tables["agreement"].set_index(["judge", "cut", "held_out", "quantity"])
        named = {"alpha": "alpha", "kappa": "kappa", "linear_kappa": "weighted_kappa"}
        known = other["labels"][other["labels"]["quantity"].isin(named)]
        for row in known.itertuples():
            ours = labels.loc["fine", one.cut, one.held_out, named[row.quantity]]
            ours = ours[["value", "low", "high", "defined", "resamples"]].tolist()
            theirs = [row.value, row.low, row.high, row.defined, row.resamples]
            assert ours == pytest.approx(theirs, abs=1e-12)
            assert row.low < row.high
        for measure in map(str, parse_all(MEASURES)):
            for quantity in ("tau", "tau_ap"):
                a = own[(own["measure"] == measure) & (own["quantity"] == quantity)].iloc[0]
                b = other["rankings"]
                b = b[(b["measure"] == measure) & (b["quantity"] == quantity)].iloc[0]
                columns = ["value", "low", "high", "new_low", "new_high"]
                assert a[columns].tolist() == pytest.approx(b[columns].tolist(), abs=1e-12)
            pairs = tables["pairs"]
            pairs = pairs[(pairs["judge"] == "fine") & (pairs["measure"] == measure)]
            pairs = pairs[(pairs["cut"] == one.cut) & (pairs["held_out"] == one.held_out)]
            expected = other["pairs"][other["pairs"]["measure"] == measure]["change"].value_counts()
            for row in pairs.itertuples():
                assert row.pairs == expected.get(row.change, 0)
            changes = tables["changes"]
            changes = changes[(changes["judge"] == "fine") & (changes["measure"] == measure)]
            changes = changes[(changes["cut"] == one.cut) & (changes["held_out"] == one.held_out)]
            of = other["changes"][other["changes"]["measure"] == measure]
            columns = ["pairs", "changed", "significant_changes", "by_topics", "low", "high"]
            assert of["significant_changes"].notna().all()
            assert changes[columns].to_numpy().tolist() == of[columns].to_numpy().tolist()


def test_gains_are_on_the_rounded_cut():
    agreement = made(topics=20)["agreement"]
    fine_ones = agreement[(agreement["judge"] == "fine") & (agreement["cut"] != "uncut")]
    of_cut = fine_ones.set_index(["cut", "held_out", "quantity"]).sort_index()
    rounded = of_cut.loc["rounded", False]
    assert (rounded[["gain", "gain_low", "gain_high"]] == 0).all(axis=None)
    for (cut, held_out, quantity), row in of_cut.iterrows():
        gain = row["value"] - of_cut.loc[("rounded", False, quantity), "value"]
        assert row["gain"] == pytest.approx(gain, abs=1e-12), (cut, held_out)
    assert agreement.loc[agreement["judge"] == "same", "gain"].isna().all()


def test_a_users_cut_stands_beside_the_others():
    tables = made([judge()], how=with_cuts(fine={"low": [1, 3]}))
    cut = tables["cuts"].set_index(["cut", "held_out", "topic"]).loc[("low", False, ALL_TOPICS)]
    assert (cut["c1"], cut["c2"]) == (1, 3)
    assert np.isnan(cut["c3"])
    for named, problem in (
        ({"low": [1]}, "has 2 thresholds"),
        ({"low": [3, 1]}, "ascending"),
        ({"single": [1, 3]}, "is taken"),
    ):
        with pytest.raises(ParameterError, match=problem):
            made([judge()], how=with_cuts(fine=named))


def test_coarser_judges_and_values_on_another_scale():
    coarse = judge("yes", labelled(5, 20, 2, noise=0.1), Scale.of({"levels": 2}))
    tables = made([judge(), coarse])
    assert tables["sets"].set_index("judge")["relation"].tolist() == ["finer", "coarser"]
    agreement = tables["agreement"]
    unsaid = agreement[agreement["value"].isna()]
    assert set(zip(unsaid["judge"], unsaid["cut"], strict=True)) == {
        ("fine", "uncut"),
        ("yes", "uncut"),
    }
    assert unsaid["note"].str.contains("no α and no κ").all()
    rankings = tables["rankings"].set_index(["judge", "cut", "held_out", "measure", "quantity"])
    for name in ("fine", "yes"):
        assert not np.isnan(rankings.loc[(name, "uncut", False, "nDCG@10", "tau"), "value"])
        row = rankings.loc[(name, "uncut", False, "AP(rel=2)", "tau")]
        assert np.isnan(row["value"])
        assert "counts relevant documents" in row["note"]
        assert row["defined"] == 0
    confusion = tables["confusion"]
    assert confusion.loc[confusion["judge"] == "yes", "documents"].sum() == 100
    assert "uncut" not in set(confusion.loc[confusion["judge"] == "fine", "cut"])


def test_workers_are_aggregated_first():
    frame = fine().to_pandas()
    given = [
        frame.assign(worker=f"w{w}", value=(frame["grade"] + w).clip(upper=8.0)) for w in range(3)
    ]
    schema = SCHEMAS["judgments"]
    frame = pd.concat(given, ignore_index=True).reindex(columns=schema.names)
    missing = frame.columns[frame.isna().all()]
    frame = frame.astype(dict.fromkeys(missing, object)).where(frame.notna(), None)
    judgments = pa.Table.from_pandas(frame, preserve_index=False).cast(schema)
    median = aggregate(judgments, "median")
    one, other = made([judge(table=judgments)]), made([judge(table=median)])
    for name in one:
        pd.testing.assert_frame_equal(one[name], other[name])


def test_medians_between_levels_are_put_on_the_lower_one():
    frame = reference(noise=0.2).to_pandas()
    given = [frame.assign(worker=f"w{w}", value=(frame["grade"] + w).clip(upper=2)) for w in (0, 1)]
    frame = pd.concat(given)[["topic", "docno", "worker", "value"]]
    table = pa.Table.from_pandas(frame, preserve_index=False)
    tables = made([judge("crowd", table, three())], ranked=False)
    assert set(tables["confusion"]["level"]) <= {0, 1, 2}
    assert tables["confusion"]["documents"].sum() == 100


@pytest.mark.parametrize(("topics", "systems"), [(1, 6), (2, 1), (1, 1), (2, 2)])
def test_few_topics_and_systems(topics, systems):
    tables = made(topics=topics, systems=systems)
    held_out = tables["agreement"]["held_out"]
    assert held_out.any() == (topics > 1)
    if topics == 1:
        assert tables["agreement"]["low"].isna().all()
    if systems == 1:
        assert tables["rankings"]["value"].isna().all()
        assert (tables["pairs"]["pairs"] == 0).all()


def highest(table, topics, grade):
    """The table with one grade for all documents of some topics."""
    rows = table.to_pylist()
    return qrels(
        [(r["topic"], r["docno"], grade if r["topic"] in topics else r["grade"]) for r in rows]
    )


def test_degenerate_topics_take_the_single_cut_and_it_is_said():
    labels, values = highest(reference(12), {"t0"}, 2.0), highest(fine(12), {"t0"}, 8.0)
    tables = judge_tables(on_levels("ref", labels, 3), [judge(table=values)], how=HOW)
    note = tables["sets"]["note"].iloc[0]
    assert "1 topic without a per-topic cut of its own: the single one is taken" in note
    assert "1 topic without a per-topic cut of its own held out: the single one is taken" in note
    found = tables["cuts"].set_index(["cut", "held_out", "topic"]).sort_index()
    single = found.loc[("single", False, "t0"), ["c1", "c2"]]
    assert found.loc[("per-topic", False, "t0"), ["c1", "c2"]].tolist() == single.tolist()
    assert np.isnan(found.loc[("per-topic", False, "t0"), "alpha"])


def test_a_document_has_the_single_cuts_label_where_the_rest_of_its_topic_chooses_none():
    """Of t0 all but one document have the highest grade and value."""
    tables = highest(reference(), {"t0"}, 2.0), highest(fine(), {"t0"}, 8.0)
    labels, values = (
        qrels([
            (*key, of_one if key == ("t0", "d3") else grade) for key, grade in grades(table).items()
        ])
        for table, of_one in zip(tables, (1.0, 4.0), strict=True)
    )  # fmt: skip
    found = cuts(judge(table=values), labels).labelled()
    single, own = (of(found, cut, held_out=True) for cut in ("single", "per-topic"))
    assert own.borrowed == 1
    assert grades(own.table)["t0", "d3"] == grades(single.table)["t0", "d3"] == 1


def test_no_cut_is_said_where_nothing_differs():
    every = {f"t{t}" for t in range(5)}
    labels, values = highest(reference(), every, 2.0), highest(fine(), every, 8.0)
    tables = judge_tables(on_levels("ref", labels, 3), [judge(table=values)], how=HOW)
    assert "no cut for all topics was found" in tables["sets"]["note"].iloc[0]
    assert set(tables["cuts"]["cut"]) == {"rounded"}


def test_topics_that_one_side_lacks():
    tables = made([judge(table=fine(3))])
    assert tables["sets"]["topics"].tolist() == [3]
    assert tables["sets"]["unjudged"].tolist() == [40]
    assert set(tables["cuts"]["topic"]) == {"t0", "t1", "t2", ALL_TOPICS}


def test_sets_without_a_document_in_common():
    other = qrels([("elsewhere", "d1", 3.0)])
    with pytest.raises(MethodError):
        made([judge(table=other)])


def test_results_do_not_depend_on_threads():
    one, other = made(), made(threads=3)
    for name in one:
        pd.testing.assert_frame_equal(one[name], other[name])


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"folds": 1}, "2 or more"),
        ({"resamples": 0}, "at least 1"),
        ({"significance": 1}, "between 0 and 1"),
    ],
)
def test_parameters_that_cannot_be(given, problem):
    with pytest.raises(ParameterError, match=problem):
        JudgeOptions(**given)


@pytest.mark.parametrize(
    ("scale", "relation"),
    [
        ({"levels": 3}, "same"),
        ({"levels": 2}, "coarser"),
        ({"levels": 4}, "finer"),
        ({"values": [0, 0.5, 1]}, "coarser"),  # as many, and other numbers
        ({"range": [0, 1]}, "finer"),
        ({"ratio": True}, "finer"),
    ],
)
def test_a_scale_is_finer_than_three_levels_where_it_has_more(scale, relation):
    assert Scale.of(scale).relation(3) == relation


def test_magnitudes_are_stretched_from_their_lowest_to_their_highest():
    values = np.array([10.0, 2.0, 50.0])
    assert rounded_cut(Scale.of({"ratio": True}), values, 3) == pytest.approx([14, 38])
    assert rounded_cut(Scale.of({"range": [0, 100]}), values, 3) == pytest.approx([25, 75])


# --- whose the variance of scores is --------------------------------------------------------------


def test_the_variance_of_scores_is_that_of_the_scores_under_every_common_way():
    given = [
        judge("whole", fine()),
        judge("lacks a topic", fine(4, seed=4)),
        judge("same", reference(noise=0.2), three()),
    ]
    lists, how = runs(6, 5, 20), with_cuts(whole={"mine": (2.0, 5.0)})
    comparison = JudgeComparison(on_levels("ref", reference(), 3), lists, parse_all(MEASURES), how)
    ways = {
        "nDCG@10": ("uncut", "rounded", "single", "per-topic", "by-tau"),
        "AP(rel=2)": ("rounded", "single", "per-topic", "by-tau"),
    }
    shared = sorted(grades(fine(4)).index.unique("topic"))
    table = made(given, how=how)["variance"]
    assert list(dict.fromkeys(table["measure"])) == MEASURES
    for measure, cuts in ways.items():
        values = []
        for own in given[:2]:
            labels = list(labellings(comparison, own))
            of_cuts = []
            for cut in cuts:
                one = [one for one in labels if one.cut == cut][-1]
                assert one.held_out == (cut not in ("uncut", "rounded"))
                judged = Judged.from_table(one.table, lists)
                high = 8 if cut == "uncut" else 2
                scores = score(lists, judged, [measure], max_grade=high)
                frame = pd.DataFrame(scores.values[:, :, 0].T, index=list(scores.topics))
                of_cuts.append(frame.loc[shared])
            values.append(of_cuts)
        n, axes = len(cuts), ["judge", "cut", "topic", "system"]
        expected = {
            "scores": (variance_shares(np.array(values), axes),
                       [2, n, 4, 6, 2 * n, 8, 12, 4 * n, 6 * n, 24]),
            "means": (variance_shares(np.mean(values, axis=2), [axes[0], axes[1], axes[3]]),
                      [2, n, 6, 2 * n, 12, 6 * n]),
        }  # fmt: skip
        found = table[table["measure"] == measure]
        assert list(dict.fromkeys(found["of"])) == list(expected)
        for of_what, (shares, levels) in expected.items():
            own = found[found["of"] == of_what].reset_index(drop=True)
            pd.testing.assert_frame_equal(own[list(shares)], shares, rtol=1e-12)
            assert own["levels"].tolist() == levels


@pytest.mark.parametrize(("way", "topics"), [("single", ("b",)), ("rounded", ("a",))])
def test_a_measure_without_a_common_way_or_topic_has_no_rows_and_the_next_one_has(way, topics):
    values = np.array([[0.1], [0.4]])

    def of(judge, measure, cut, topics):
        key = {"judge": judge, "cut": cut, "held_out": False, "measure": measure}
        return JudgedWay(key, topics, values)

    scored = [
        of("one", "AP", "rounded", ("b",)),
        of("other", "AP", way, topics),
        of("one", "P@5", "rounded", ("b",)),
        of("other", "P@5", "rounded", ("b",)),
    ]
    table = variance_table(scored)
    assert set(table["measure"]) == {"P@5"}
    # only systems differ
    own = table[table["axis"].eq("system") & table["other"].isna()]
    assert own["total"].tolist() == pytest.approx([1, 1])
    assert variance_table(scored[:2]).empty


def test_without_judges_on_a_finer_scale_no_variance_is_split():
    assert made([judge("same", reference(noise=0.2), three())])["variance"].empty
