"""What criteria pick, and what picks cost, beside a loop over all cuts."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.aggregation import aggregate, transform, transformed_labels
from regrade.agreement import alpha
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.catalogue.arrow import per_cut_schema
from regrade.choices import CUT_CRITERIA
from regrade.cutsearch.criterion_picks import (
    SIGNIFICANT_PAIRS,
    Criterion,
    ExpertRankings,
    Weighed,
    criteria_tables,
    pareto,
    source_alpha,
    tau_criterion,
)
from regrade.cutsearch.discrimination import CutGains, discriminated_share
from regrade.cutsearch.joint_counts import JointCounts
from regrade.cutsearch.objectives import measured
from regrade.cutsearch.search import SourceTopics
from regrade.cutsearch.system_tau import scores_by_topic, tau_of_every_cut
from regrade.cutsearch.thresholds import Thresholds
from regrade.kendall import tau_b
from regrade.measures import parse
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.tables import read_table, write_table
from tests.unit.judgments import random_judgments, random_labels
from tests.unit.test_cutsearch_discrimination import runs_over

SCALE = Scale.of({"levels": 9})
LEVELS = 3
MEASURE = parse("nDCG@5")
THRESHOLDS = Thresholds.of(SCALE, LEVELS)
CUTS = THRESHOLDS.cuts(LEVELS)
EXACT = {"abs": 1e-12, "nan_ok": True}


@pytest.fixture(scope="module")
def made():
    """Judgments, reference, systems, and all tables."""
    judgments = random_judgments(4, levels=9, topics=5, documents=12, units=18, heaped=False)
    reference = random_labels(4, judgments, LEVELS)
    ranked = RankedLists.from_table(runs_over(judgments, 7))
    labels = aggregate(judgments, "median")
    gains = CutGains.of(ranked, labels, LEVELS, MEASURE, THRESHOLDS)
    experts = {"E": scores_by_topic(ranked, reference, MEASURE, 2.0)}
    ranking = ExpertRankings(gains, experts, 0.2)
    tau = tau_of_every_cut(ranked, labels, reference, SCALE, LEVELS, MEASURE, max_grade=2.0)
    others = [
        Criterion(SIGNIFICANT_PAIRS, over_topics=gains.shares(gains.of_cuts.cuts, 0.2)),
        source_alpha(SourceTopics.of(judgments, SCALE), LEVELS, THRESHOLDS, "ordinal"),
        tau_criterion("E", tau.to_frame()),
    ]
    joint = JointCounts.of(SourceTopics.of(judgments, SCALE), THRESHOLDS, reference, LEVELS)
    tables = criteria_tables({"E": joint}, others, ranking, threads=2)
    return judgments, reference, ranked, tables, others


def plain_values(judgments, reference, topic):
    """Each criterion of each cut of a topic, by name: (W, C)."""
    values = {
        row["docno"]: row["grade"]
        for row in aggregate(judgments, "median").to_pylist()
        if row["topic"] == topic
    }
    known = {r["docno"]: int(r["grade"]) for r in reference.to_pylist() if r["topic"] == topic}
    both = sorted(values.keys() & known.keys())
    rows = []
    for cut in CUTS:
        joint = np.zeros((LEVELS, LEVELS), dtype=int)
        for docno in both:
            joint[transform(np.array([values[docno]]), cut)[0], known[docno]] += 1
        rows.append(list(measured(joint).values()))
    return np.array(rows).T


def test_every_criterion_is_the_mean_over_topics(made):
    judgments, reference, _, tables, _ = made
    topics = sorted(set(reference["topic"].to_pylist()))
    values = np.array([plain_values(judgments, reference, topic) for topic in topics])
    with np.errstate(invalid="ignore"):
        count = (~np.isnan(values)).sum(axis=0)
        mean = np.where(count >= 5, np.nansum(values, axis=0) / count, np.nan)
    for name, expected in zip(CUT_CRITERIA, mean, strict=True):
        assert tables["criteria"][f"{name}@E"].to_numpy() == pytest.approx(expected, **EXACT)


def test_picks_are_best_and_cost_what_they_cost(made):
    judgments, reference, _, tables, _ = made
    picked = tables["picked"].set_index(["selection", "topic", "picks", "measured"])
    names = [f"{name}@E" for name in CUT_CRITERIA]
    for topic in sorted(set(reference["topic"].to_pylist())):
        values = plain_values(judgments, reference, topic)
        for p, picks in enumerate(names):
            for m, name in enumerate(names):
                row = picked.loc[("per-topic", topic, picks, name)]
                at = np.flatnonzero(([row["c1"], row["c2"]] == CUTS).all(axis=1))[0]
                best = np.nanmax(values[m])
                assert values[p, at] == pytest.approx(np.nanmax(values[p]), **EXACT)
                assert row["value"] == pytest.approx(values[m, at], **EXACT)
                assert row["best"] == pytest.approx(best, **EXACT)
                assert row["cost"] == pytest.approx(best - values[m, at], **EXACT)
                if not np.isnan(values[m, at]):
                    above = (values[m] > values[m, at] + 1e-9).sum() / (~np.isnan(values[m])).sum()
                    assert row["share_higher"] == pytest.approx(above)


def test_topics_own_picks_are_worth_their_mean(made):
    *_, tables, _ = made
    assert_means_of_topics(tables["picked"])


def test_own_cuts_for_topics_rank_systems_as_their_labels_do(made):
    judgments, reference, ranked, tables, _ = made
    picked = tables["picked"]
    own = picked[(picked["picks"] == "kappa@E") & (picked["selection"] == "per-topic")]
    cuts = {
        row["topic"]: (row["c1"], row["c2"])
        for row in own[own["topic"] != ALL_TOPICS].to_dict("records")
    }
    labels = transformed_labels(judgments, cuts, "at", "median", LEVELS)
    scores = scores_by_topic(ranked, labels, MEASURE, 2.0)
    theirs = scores_by_topic(ranked, reference, MEASURE, 2.0)
    shared = sorted(scores.keys() & theirs.keys())
    means = [np.mean([of[topic] for topic in shared], axis=0) for of in (scores, theirs)]
    whole = own[own["topic"] == ALL_TOPICS].set_index("measured")
    assert whole.loc["tau@E", "value"] == pytest.approx(tau_b(*means), abs=1e-12)
    apart = discriminated_share(np.array([scores[topic] for topic in sorted(scores)]).T, 0.2)
    assert whole.loc[SIGNIFICANT_PAIRS, "value"] == pytest.approx(apart)
    assert np.isnan(whole.loc[SIGNIFICANT_PAIRS, "best"])
    over_all = picked[(picked["selection"] == "per-topic") & (picked["topic"] == ALL_TOPICS)]
    assert "tau@E" in {*over_all["picks"]}  # after one that has no cuts of topics


def assert_means_of_topics(picked):
    """Over all topics, own picks are worth the mean of the topics that define a criterion."""
    own = picked.query("selection == 'per-topic'")
    own = own[~own["measured"].isin(["tau@E", SIGNIFICANT_PAIRS])]
    whole = own[own["topic"] == ALL_TOPICS].set_index(["picks", "measured"])
    for named, rows in own[own["topic"] != ALL_TOPICS].groupby(["picks", "measured"]):
        defined = rows[rows["value"].notna()]
        for column in ("value", "best", "cost"):
            expected = sum(defined[column]) / len(defined) if len(defined) else np.nan
            assert whole.loc[named, column] == pytest.approx(expected, **EXACT)


def test_the_nearest_alpha_is_the_papers(made):
    judgments, *_, others = made
    nearest = others[1].of_topics
    frame = judgments.to_pandas().groupby(["topic", "docno", "worker"])["value"]
    frame = frame.quantile(0.5, interpolation="lower").reset_index()
    for topic, rows in frame.groupby("topic"):
        matrix = rows.pivot(index="worker", columns="docno", values="value").to_numpy(dtype=float)
        source = alpha(matrix, "ordinal")
        for i, cut in enumerate(CUTS):
            levels = np.where(np.isnan(matrix), np.nan, transform(np.nan_to_num(matrix), cut))
            expected = -abs(alpha(levels, "ordinal") - source)
            assert nearest[topic][i] == pytest.approx(expected, **EXACT)


def test_labels_have_no_internal_agreement(made):
    judgments, *_ = made
    labels = SourceTopics.of(aggregate(judgments, "median_low"), SCALE)
    assert source_alpha(labels, LEVELS, THRESHOLDS, "ordinal") is None


def plain_pareto(first, second):
    return {
        (x, y)
        for x, y in zip(first, second, strict=True)
        if not any(
            a >= x and b >= y and (a > x or b > y) for a, b in zip(first, second, strict=True)
        )
    }


@pytest.mark.parametrize("seed", range(20))
def test_the_front_is_what_none_beats(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(6, size=(2, 40)).astype(float)
    first += 1e-14 * rng.normal(size=40)  # equal but for rounding
    first[0] = np.nan
    front = pareto(first, second)
    assert (np.diff(first[front]) < 0).all()
    known = np.round(first[1:]), second[1:]
    assert {(round(first[i]), second[i]) for i in front} == plain_pareto(*known)


def test_one_front_point_of_equal_cuts(made):
    *_, tables, _ = made
    fronts = tables["fronts"]
    assert len(fronts) > 0
    every = tables["criteria"]
    alpha_of, tau_of = every["alpha_ordinal@E"], every["tau@E"]
    assert fronts["value"].max() == pytest.approx(alpha_of.max())
    assert fronts["other"].max() == pytest.approx(tau_of[alpha_of.notna()].max())
    both = np.array([alpha_of, tau_of]).T
    for row in fronts.to_dict("records"):
        same = (np.abs(both - [row["value"], row["other"]]) < 1e-9).all(axis=1)
        assert row["tied"] == same.sum()
        assert same[([row["c1"], row["c2"]] == CUTS).all(axis=1)].all()


def test_tables_come_back(made, tmp_path):
    *_, tables, _ = made
    every = tables["criteria"]
    schema = per_cut_schema("cuts/criteria", LEVELS, [*every.columns[LEVELS - 1 :]], len(every))
    for name, kind in (("criteria", schema), ("picked", "cuts/picked"), ("fronts", "cuts/fronts")):
        write_table(tables[name], tmp_path / f"{name}.parquet", kind)
        read = read_table(tmp_path / f"{name}.parquet").to_pandas()
        assert list(read.columns) == list(tables[name].columns)
        assert len(read) == len(tables[name])
    assert list(tables["picked"].columns) == columns_of("cuts/picked")


def test_a_degenerate_topic_does_not_decide_for_the_others(made):
    judgments, reference, *_ = made
    frame = reference.to_pandas()
    frame.loc[frame["topic"] == "1", "grade"] = 0.0
    joint = JointCounts.of(
        SourceTopics.of(judgments, SCALE), THRESHOLDS, type(reference).from_pandas(frame), LEVELS
    )
    weighed = Weighed(joint, "E")
    picked = weighed.picked()
    assert (picked["selection"] == "single").any()
    spearman = picked[(picked["picks"] == "spearman@E") & (picked["topic"] == "1")]
    assert spearman.empty  # undefined for every cut where the reference is constant
    single = picked[(picked["picks"] == "spearman@E") & (picked["selection"] == "single")]
    assert len(single) == len(CUT_CRITERIA)
    assert_means_of_topics(picked)
    frame.loc[frame["topic"] != "2", "grade"] = 0.0
    one = JointCounts.of(
        SourceTopics.of(judgments, SCALE), THRESHOLDS, type(reference).from_pandas(frame), LEVELS
    )
    assert_means_of_topics(Weighed(one, "E").picked())


def test_no_topic_at_all():
    judgments = random_judgments(4, levels=9, topics=2, documents=5)
    reference = random_labels(4, judgments, LEVELS).to_pandas().assign(topic="none")
    joint = JointCounts.of(
        SourceTopics.of(judgments, SCALE), THRESHOLDS, pa.Table.from_pandas(reference), LEVELS
    )
    tables = criteria_tables({"E": joint}, [], None)
    assert tables["picked"].empty
    assert tables["criteria"]["kappa@E"].isna().all()
    assert isinstance(tables["fronts"], pd.DataFrame)
