"""Systems told apart under every cut, beside scipy's paired t-test of each pair's scores."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy.stats import ttest_rel

from regrade.aggregation import aggregate, enumerate_cuts, transformed_labels
from regrade.cutsearch.discrimination import CutGains, discriminated_share
from regrade.cutsearch.joint_counts import JointCounts
from regrade.cutsearch.objectives import criterion_codes, of_cuts
from regrade.cutsearch.search import SourceTopics, search
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import ParameterError
from regrade.measures import parse
from regrade.run_arrays import Judged, RankedLists
from regrade.scales import Scale
from regrade.scoring import score
from regrade.significance.discrimination import paired_t
from tests.unit.judgments import alpha_options, random_judgments, random_labels

SCALE = Scale.of({"levels": 11})
MEASURE = "nDCG@5"


def runs_over(judgments, systems, seed=0):
    """Systems that sort the judged documents by a noisy guess; the last two are the same."""
    rng = np.random.default_rng(seed)
    mean = judgments.to_pandas().groupby(["topic", "docno"])["value"].mean().reset_index()
    rows = []
    for s in range(systems):
        if s == 0 or s < systems - 1:
            guess = mean["value"] + rng.normal(0, 2 + s, len(mean))
        ranked = mean.assign(system=f"s{s}", score=guess).sort_values(["topic", "score"])
        ranked["rank"] = ranked.groupby("topic").cumcount() + 1
        rows.append(ranked)
    frame = pd.concat(rows)[["system", "topic", "rank", "docno", "score"]]
    frame["score"] = -frame["rank"].astype(float)
    frame["submitted_rank"] = frame["rank"].astype("int32")
    frame["rank"] = frame["rank"].astype("int32")
    frame["line"] = np.arange(1, len(frame) + 1)
    return pa.Table.from_pandas(frame, preserve_index=False)


def plain_share(scores, significance=0.05):
    """By scipy, pair by pair; rounding must not part equal scores."""
    scores = np.round(scores, 12)
    systems = len(scores)
    pairs = [(i, j) for i in range(systems) for j in range(i)]
    apart = 0
    for i, j in pairs:
        if (scores[i] != scores[j]).any():
            apart += ttest_rel(scores[i], scores[j]).pvalue < significance
    return apart / len(pairs)


@pytest.fixture(scope="module")
def small():
    judgments = random_judgments(3, levels=11, topics=6, documents=14, units=20, heaped=False)
    ranked = RankedLists.from_table(runs_over(judgments, 9))
    return judgments, ranked, aggregate(judgments, "median")


@pytest.mark.parametrize("levels", [2, 3, 4])
@pytest.mark.parametrize("significance", [0.05, 0.3])
def test_shares_are_those_of_each_cut_alone(small, levels, significance):
    judgments, ranked, labels = small
    thresholds = Thresholds.of(SCALE, levels)
    gains = CutGains.of(ranked, labels, levels, MEASURE, thresholds)
    found = gains.shares(enumerate_cuts(11, levels), significance, threads=2)
    cuts = thresholds.cuts(levels)
    assert found.shape == (len(cuts),)
    assert found.max() > 0
    topics = sorted(set(labels["topic"].to_pylist()))
    for i in range(0, len(cuts), 1 if levels < 4 else 7):
        own = transformed_labels(judgments, dict.fromkeys(topics, cuts[i]), "at", "median", levels)
        scores = score(ranked, Judged.from_table(own, ranked), [parse(MEASURE)]).values[:, :, 0]
        assert found[i] == pytest.approx(plain_share(scores, significance), abs=1e-12)


def test_cuts_of_their_own_for_topics(small):
    judgments, ranked, labels = small
    thresholds = Thresholds.of(SCALE, 3)
    gains = CutGains.of(ranked, labels, 3, MEASURE, thresholds)
    places = enumerate_cuts(11, 3)[[0, 5, 17, 30, 41, 44]]
    cuts = {t: thresholds.values[place] for t, place in zip(gains.topics, places, strict=True)}
    own = transformed_labels(judgments, cuts, "at", "median", 3)
    scores = score(ranked, Judged.from_table(own, ranked), [parse(MEASURE)]).values[:, :, 0]
    assert gains.scores(places) == pytest.approx(scores, abs=1e-12)
    assert discriminated_share(scores) == pytest.approx(plain_share(scores), abs=1e-12)


def nearly(rng, systems, topics):
    """Systems that differ by little, by one constant, or not at all."""
    scores = np.repeat(rng.random((1, topics)), systems, axis=0)
    scores[1] += 1e-13
    scores[2] += 0.1
    scores[3] += 1e-7 * rng.random(topics)
    scores[4] += 1e-5 * rng.normal(size=topics)
    scores[5:] = rng.random((systems - 5, topics))
    return scores


@pytest.mark.parametrize("topics", [2, 3, 10])
def test_nearly_equal_systems(topics):
    rng = np.random.default_rng(topics)
    for _ in range(20):
        scores = nearly(rng, 8, topics)
        p = paired_t(scores).p
        assert discriminated_share(scores) == np.mean(p < 0.05)


def test_one_topic_or_one_system_tells_nothing_apart(small):
    assert np.isnan(discriminated_share(np.array([[0.1], [0.2]])))
    assert np.isnan(discriminated_share(np.array([[0.1, 0.2]])))
    judgments, ranked, labels = small
    alone = RankedLists.from_table(runs_over(judgments, 1))
    for runs, topic in ((ranked, ["1"]), (alone, ["1", "2", "3"])):
        rows = labels.filter(pc.is_in(labels["topic"], pa.array(topic)))
        gains = CutGains.of(runs, rows, 3, MEASURE, Thresholds.of(SCALE, 3))
        assert np.isnan(gains.shares(enumerate_cuts(11, 3))).all()


def test_significance_is_a_probability(small):
    _, ranked, labels = small
    gains = CutGains.of(ranked, labels, 2, MEASURE, Thresholds.of(SCALE, 2))
    with pytest.raises(ParameterError, match="significance"):
        gains.shares(enumerate_cuts(11, 2), significance=1.5)


# --- the counts that criteria rest on ------------------------------------------------------------


@pytest.mark.parametrize("how", ["median", "median_low", "mean"])
@pytest.mark.parametrize("unjudged", ["drop", "non-relevant"])
def test_joint_counts_are_those_of_the_documents(how, unjudged):
    judgments = random_judgments(5, levels=11, topics=3, documents=9)
    reference = random_labels(5, judgments, 3)
    reference = reference.filter(pc.not_equal(reference["topic"], "2"))
    thresholds = Thresholds.of(SCALE, 3)
    options = {"unjudged": unjudged, "aggregate_source": how}
    found = JointCounts.of(
        SourceTopics.of(judgments, SCALE), thresholds, reference, 3, alpha_options(**options)
    )
    assert found.topics == ("1", "3")
    known = {(t, d): g for t, d, g in zip(*(reference[c].to_pylist() for c in
             ("topic", "docno", "grade")), strict=True)}  # fmt: skip
    expected = np.zeros_like(found.counts)
    for row in aggregate(judgments, how).to_pylist():
        if row["topic"] in found.topics:
            level = known.get((row["topic"], row["docno"]), 0 if unjudged != "drop" else None)
            if level is not None:
                exceeded = (row["grade"] > thresholds.values + 1e-9).sum()
                expected[found.topics.index(row["topic"]), exceeded, int(level)] += 1
    assert (found.counts == expected).all()
    assert (np.diff(found.below, axis=1) == expected).all()


def test_joint_counts_give_the_alpha_of_the_search():
    judgments = random_judgments(8, levels=11, topics=4, documents=12)
    reference = random_labels(8, judgments, 4)
    thresholds = Thresholds.of(SCALE, 4)
    joint = JointCounts.of(SourceTopics.of(judgments, SCALE), thresholds, reference, 4)
    for metric in ("nominal", "ordinal", "interval"):
        alpha = search(judgments, SCALE, 4, "d2_at", reference, alpha_options(metric=metric))
        assert alpha.topics == joint.topics
        for t, below in enumerate(joint.below):
            [found] = of_cuts(enumerate_cuts(11, 4), below, criterion_codes([f"alpha_{metric}"]))
            assert found == pytest.approx(alpha.values[:, t], abs=1e-12, nan_ok=True)
