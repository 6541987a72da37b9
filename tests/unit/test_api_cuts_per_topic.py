"""A cut for each topic beside the one for all: α of both, where chosen and where not."""

import numpy as np
import pandas as pd
import pytest

import regrade
from tests.reference.skewed_means import mean_ends


def world(shifts, documents=60, noise=4.0, seed=1):
    """Scores 0 to 100 and grades 0 and 1: a document is relevant above 50 + the topic's shift."""
    rng = np.random.default_rng(seed)
    scores, grades = {}, {}
    for t, shift in enumerate(shifts):
        value = rng.integers(0, 101, documents)
        relevant = value + rng.normal(0, noise, documents) > 50 + shift
        scores[f"t{t:02}"] = {f"d{i}": int(v) for i, v in enumerate(value)}
        grades[f"t{t:02}"] = {f"d{i}": int(r) for i, r in enumerate(relevant)}
    return scores, grades


def cuts_of(*world_, **options):
    return regrade.find_cuts(*[world_[0], 2, world_[1]], **options)


@pytest.fixture(scope="module")
def apart():
    """Twelve topics whose cuts lie at 25 or 75."""
    return cuts_of(*world([-25, 25] * 6), scale=101)


def test_each_topics_cut_is_its_best_and_both_alphas_are_those_of_all_cuts(apart):
    found = apart.per_topic()
    alpha = apart.alpha().set_index("c1")
    (single,) = apart.best.thresholds
    for row in found.itertuples():
        assert row.alpha == alpha[row.topic].max() == alpha.at[row.c1, row.topic]
        assert row.alpha_single == alpha.at[single, row.topic]
        assert row.tied == (alpha[row.topic] == row.alpha).sum()
    assert found["alpha_single"].mean() == pytest.approx(apart.best.alpha)
    assert found["topic"].tolist() == sorted(apart.source.topics)


def test_held_out_alphas_are_of_documents_that_chose_neither():
    """A plain search of halves, told by the labels alone: with many splits both means agree."""
    scores, grades = world([-20, 0, 20], documents=40)
    found = cuts_of(scores, grades, scale=101).per_topic(splits=100)
    rng = np.random.default_rng(3)
    own, single = np.zeros((2, 3))
    for _ in range(40):
        order = {t: rng.permutation(40) for t in scores}
        halves = [
            cuts_of({t: {f"d{i}": scores[t][f"d{i}"] for i in order[t][side]} for t in scores},
                    grades, scale=101)
            for side in (slice(0, 20), slice(20, 40))
        ]  # fmt: skip
        for inside, outside in (halves, halves[::-1]):
            best = inside.to_frame(topics=True).set_index("topic")["c1"]
            alpha = outside.alpha().set_index("c1")
            for k, topic in enumerate(scores):
                own[k] += alpha.at[best[topic], topic] / 80
                single[k] += alpha.at[best["*"], topic] / 80
    assert found["held_out"].to_numpy() == pytest.approx(own, abs=0.03)
    assert found["held_out_single"].to_numpy() == pytest.approx(single, abs=0.03)


def test_topics_that_differ_gain_and_that_is_said(apart):
    answer = apart.answer(resamples=100, per_topic=True)
    found = apart.per_topic()
    gains = (found["held_out"] - found["held_out_single"]).to_numpy()
    low, high = mean_ends(gains)
    assert low > 0.3
    assert answer.facts[-1] == (
        f"Topic-specific thresholds increase α on held-out documents (Δα = {gains.mean():.3f}, 95% "
        f"CI {low:.3f}–{high:.3f})."
    )
    assert not any("Topic-specific" in fact for fact in apart.answer(resamples=100).facts)


def test_topics_that_are_alike_do_not_gain_though_each_looks_better_where_chosen():
    cuts = cuts_of(*world([0] * 20, documents=20, noise=25), scale=101)
    found = cuts.per_topic()
    assert (found["alpha"] >= found["alpha_single"]).all()
    assert (found["alpha"] - found["alpha_single"]).mean() > 0.05
    gains = (found["held_out"] - found["held_out_single"]).to_numpy()
    assert gains.mean() < 0
    said = cuts.answer(resamples=100, per_topic=True).facts[-1]
    change = "reduce" if mean_ends(gains)[1] < 0 else "do not change"
    assert said.startswith(f"Topic-specific thresholds {change} α")


def test_labels_are_those_of_each_topics_own_cut(apart):
    labels = apart.apply(per_topic=True).table.to_pandas().astype({"topic": str, "docno": str})
    cut = apart.per_topic().set_index("topic")["c1"]
    scores = apart.source.table.to_pandas().astype({"topic": str, "docno": str})
    both = labels.merge(scores, on=["topic", "docno"], suffixes=("", "_fine"))
    assert len(both) == len(scores) == len(labels)
    assert (both["grade"] == (both["grade_fine"] > both["topic"].map(cut))).all()


# --- edges ------------------------------------------------------------------------------------


def test_a_topic_without_a_cut_has_no_labels_and_it_is_told_why():
    scores, grades = world([-20, 20, 0, 0])
    grades["t03"] = dict.fromkeys(grades["t03"], 1)
    cuts = cuts_of(scores, grades, scale=101)
    row = cuts.per_topic().set_index("topic").loc["t03"]
    labelled = set(cuts.apply(per_topic=True).topics)
    assert pd.isna(row["c1"]) == ("t03" not in labelled)
    if pd.isna(row["c1"]):
        assert row["note"]
        assert np.isnan(row["alpha"])


@pytest.mark.parametrize("left", ["no labels", "labels of other documents", "one document"])
def test_topics_with_nothing_to_choose_a_cut_by_are_said_and_the_others_are_answered(left):
    scores, grades = world([-20, 20, 0, 0], documents=20)
    without = {t: grades[t] for t in ("t00", "t01")}
    others = {
        "no labels": {},
        "labels of other documents": {t: {"elsewhere": 1} for t in ("t02", "t03")},
        "one document": {t: {"d0": 1} for t in ("t02", "t03")},
    }
    cuts = cuts_of(scores, without | others[left], scale=101)
    found = cuts.per_topic(splits=2).set_index("topic")
    assert list(found.index) == sorted(scores)
    alone = cuts_of({t: scores[t] for t in without}, without, scale=101)
    columns = ["c1", "alpha", "tied"]
    expected = alone.per_topic(splits=2).set_index("topic")
    pd.testing.assert_frame_equal(found.loc[[*without], columns], expected[columns])
    if left != "one document":
        rest = found.loc[["t02", "t03"]]
        assert rest[["c1", "alpha", "alpha_single", "held_out"]].isna().all(axis=None)
        assert rest["note"].str.contains("no label|nothing to compare").all()
        assert set(cuts.apply(per_topic=True).topics) == set(without)
    assert cuts.answer(resamples=20, per_topic=True).verdict


def test_one_topic_has_one_cut_and_no_interval():
    cuts = cuts_of(*world([10]), scale=101)
    (row,) = cuts.per_topic().itertuples()
    assert (row.c1,) == cuts.best.thresholds
    assert row.alpha == row.alpha_single
    assert row.held_out == row.held_out_single
    said = cuts.answer(resamples=100, per_topic=True).facts[-1]
    assert said == (
        "Topic-specific thresholds change α on held-out documents by 0.000; there are too few "
        "topics for an interval."
    )
