"""Topics: oracles are plain loops, pandas, scipy and the krippendorff package."""

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import regrade
from regrade.answers.shape import FINE, LOOK
from regrade.errors import RegradeError
from regrade.topic_analysis.figures import figure_topics
from regrade.topic_analysis.per_topic import left_out, outcomes, tau_with_others
from tests.unit.carried import checked
from tests.unit.figure_checks import laid_out, on_page, texts

DOCUMENTS = [f"d{number:02}" for number in range(14)]


def world(topics=12, systems=5, seed=1, noise=0.7, scale=4):
    """Labels, other labels of them, and runs."""
    rng = np.random.default_rng(seed)
    qrels, model, runs = {}, {}, {f"s{s}": {} for s in range(systems)}
    for number in range(topics):
        topic = f"q{number:02}"
        worth = rng.normal(0, 1, len(DOCUMENTS))
        grade = lambda x: int(np.clip(np.round(x + 1), 0, scale - 1))  # noqa: E731
        other = worth + rng.normal(0, noise * (1 + number % 3), len(DOCUMENTS))
        qrels[topic] = {d: grade(w) for d, w in zip(DOCUMENTS, worth, strict=True)}
        model[topic] = {d: grade(w) for d, w in zip(DOCUMENTS[:12], other, strict=False)}
        for s, run in enumerate(runs.values()):
            scores = worth + rng.normal(0, 0.5 + 0.4 * s, len(DOCUMENTS))
            kept = rng.permutation(len(DOCUMENTS))[:11]
            run[topic] = {DOCUMENTS[i]: float(scores[i]) for i in kept}
    return qrels, model, runs


QRELS, MODEL, RUNS = world()


def values_of(qrels, runs, measure="nDCG@10"):
    """Scores, systems by topics, as pandas has them."""
    frame = regrade.score(qrels, runs, measure).to_frame()
    return frame.pivot(index="system", columns="topic", values="value")


def of_topics(result, measure="nDCG@10"):
    rows = result.topics[result.topics["measure"] == measure]
    return rows.astype({"topic": str}).set_index("topic").sort_index()


@pytest.mark.parametrize("second", [None, MODEL])
@pytest.mark.parametrize("depth", [1, 3, 50])
def test_first_documents_are_those_of_the_runs(second, depth):
    """Every document that a run has among its first, its rank there and what labels say of it."""
    result = regrade.topics(QRELS, RUNS, "nDCG@10", second=second, depth=depth)
    expected = {}
    for system, of_topics_ in RUNS.items():
        for topic, scores in of_topics_.items():
            order = sorted(scores, key=scores.get, reverse=True)[:depth]
            for rank, docno in enumerate(order, 1):
                expected.setdefault((topic, docno), {})[system] = rank
    ranks = result.tables["ranks"].astype({"topic": str, "docno": str, "system": str})
    listed = {}
    for row in ranks.itertuples():
        listed.setdefault((row.topic, row.docno), {})[row.system] = row.rank
    assert listed == expected
    documents = result.tables["retrieved"].astype({"topic": str, "docno": str})
    keys = list(zip(documents["topic"], documents["docno"], strict=True))
    assert keys == list(dict.fromkeys(zip(ranks["topic"], ranks["docno"], strict=True)))
    assert list(dict.fromkeys(documents["topic"])) == result.topics["topic"].astype(str).tolist()
    for key, row in zip(keys, documents.itertuples(), strict=True):
        assert (row.best_rank, row.runs) == (min(expected[key].values()), len(expected[key]))
        for grade, labels in ((row.first_grade, QRELS), (row.second_grade, second or {})):
            known = labels.get(key[0], {}).get(key[1])
            assert pd.isna(grade) if known is None else grade == known
    for _, some in documents.groupby("topic", sort=False):
        assert some["runs"].is_monotonic_decreasing


# numbers


@pytest.mark.parametrize("measure", ["nDCG@10", "AP"])
def test_difficulty_and_spread_are_those_of_pandas(measure):
    result = of_topics(regrade.topics(QRELS, RUNS, "nDCG@10 AP"), measure)
    values = values_of(QRELS, RUNS, measure)
    assert result["mean"].tolist() == pytest.approx(values.mean().tolist())
    assert result["sd"].tolist() == pytest.approx(values.std(ddof=1).tolist())


def test_discrimination_is_scipys_tau_with_the_other_topics():
    result, values = of_topics(regrade.topics(QRELS, RUNS, "nDCG@10")), values_of(QRELS, RUNS)
    for topic in values:
        others = values.drop(columns=topic).mean(axis=1)
        want = stats.kendalltau(values[topic], others).statistic
        assert result.loc[topic, "tau_others"] == pytest.approx(want)


def test_a_topic_left_out_is_tested_by_scipy():
    result = regrade.topics(QRELS, RUNS, "nDCG@10", between=["s0", "s3"])
    values, rows = values_of(QRELS, RUNS), of_topics(result)
    apart = values.loc["s0"] - values.loc["s3"]
    assert rows["difference"].tolist() == pytest.approx(apart.tolist())
    assert rows["contribution"].sum() == pytest.approx(apart.mean())
    whole = stats.ttest_1samp(apart, 0)
    for topic in values:
        rest = apart.drop(topic)
        test = stats.ttest_1samp(rest, 0)
        assert rows.loc[topic, "without"] == pytest.approx(rest.mean())
        assert rows.loc[topic, "p_without"] == pytest.approx(test.pvalue)
        if np.sign(rest.mean()) != np.sign(apart.mean()):
            want = "sign"
        else:
            want = "significance" if (test.pvalue < 0.05) != (whole.pvalue < 0.05) else "none"
        assert rows.loc[topic, "outcome"] == want
    influence = (result.topics["without"] - apart.mean()).abs()
    assert influence.is_monotonic_decreasing


@pytest.mark.parametrize("seed", range(6))
def test_leaving_out_is_one_topic_after_the_other(seed):
    rng = np.random.default_rng(seed)
    apart = rng.normal(0.03, 0.1, 15) * (rng.random(15) < 0.7)
    without, p = left_out(apart)
    for t in range(len(apart)):
        rest = np.delete(apart, t)
        assert without[t] == pytest.approx(rest.mean(), abs=1e-12)
        assert p[t] == pytest.approx(stats.ttest_1samp(rest, 0).pvalue)


@pytest.mark.parametrize(
    ("apart", "outcome"),
    [
        ([0.1] * 6, "none"),  # no variance with or without: significant
        ([0.0] * 6, "none"),
        ([0.5, *[0.0] * 9], "sign"),  # without the first there is no difference
        ([0.2, -0.1], "sign"),
        ([0.2], "none"),
    ],
)
def test_differences_that_hardly_vary(apart, outcome):
    without, p = left_out(np.array(apart))
    assert outcomes(np.array(apart), without, p)[0] == outcome


def test_taus_of_one_topic_or_system_are_none():
    assert np.isnan(tau_with_others(np.ones((3, 1)))).all()
    assert np.isnan(tau_with_others(np.ones((1, 3)))).all()


def test_labels_are_compared_topic_by_topic():
    result = regrade.topics(QRELS, RUNS, "nDCG@10", second=MODEL)
    rows = of_topics(result)
    first, second = values_of(QRELS, RUNS), values_of(MODEL, RUNS)
    for topic, row in rows.iterrows():
        pairs = np.array([(QRELS[topic][d], g) for d, g in MODEL[topic].items()])
        assert row["both"] == len(pairs) == 12
        assert row["equal"] == pytest.approx((pairs[:, 0] == pairs[:, 1]).mean())
        assert row["bias"] == pytest.approx((pairs[:, 1] - pairs[:, 0]).mean())
        alpha = krippendorff.alpha(pairs.T, level_of_measurement="ordinal")
        assert row["alpha"] == pytest.approx(alpha)
        tau = stats.kendalltau(first[topic], second[topic]).statistic
        assert row["tau"] == pytest.approx(tau, nan_ok=True)
        assert row["mean_under_second"] == pytest.approx(second[topic].mean())
        assert row["shift"] == pytest.approx(second[topic].mean() - first[topic].mean())
    assert result.topics["alpha"].is_monotonic_increasing


@pytest.mark.parametrize("depth", [1, 3, 10])
def test_documents_are_where_runs_have_them(depth):
    result = regrade.topics(QRELS, RUNS, "nDCG@10", second=MODEL, depth=depth)
    rows = result.documents
    assert len(rows) == 12 * 12
    for row in rows.itertuples():
        ranks = []
        for run in RUNS.values():
            ranked = sorted(run[row.topic], key=lambda d, of=run[row.topic]: -of[d])
            if row.docno in ranked:
                ranks.append(ranked.index(row.docno) + 1)
        best = min(ranks, default=None)
        assert (None if pd.isna(row.best_rank) else row.best_rank) == best
        assert row.runs == sum(rank <= depth for rank in ranks)
        assert row.first_grade == QRELS[row.topic][row.docno]
        assert row.second_grade == MODEL[row.topic][row.docno]
        assert row.difference == row.second_grade - row.first_grade
    order = list(dict.fromkeys(rows["topic"]))
    assert order == result.topics["topic"].tolist()
    for _, own in rows.groupby("topic"):
        keys = list(zip(-own["difference"].abs(), -own["runs"], strict=True))
        assert keys == sorted(keys)


def test_scores_stand_best_system_and_hardest_topic_first():
    result = regrade.topics(QRELS, RUNS, "nDCG@10", second=MODEL)
    values, second = values_of(QRELS, RUNS), values_of(MODEL, RUNS)
    rows = result.scores.astype({"system": str, "topic": str})
    assert list(dict.fromkeys(rows["system"])) == [
        *values.mean(axis=1).sort_values(ascending=False).index
    ]
    assert list(dict.fromkeys(rows["topic"])) == [*values.mean().sort_values().index]
    for row in rows.itertuples():
        assert row.value == values.loc[row.system, row.topic]
        assert row.second == second.loc[row.system, row.topic]


def test_order_of_input_changes_nothing():
    turned = dict(reversed(RUNS.items()))
    ours, theirs = (regrade.topics(QRELS, runs, second=MODEL).topics for runs in (RUNS, turned))
    pd.testing.assert_frame_equal(ours, theirs)


# sentences


def answer_of(tmp_path, *inputs, **how):
    result = regrade.topics(*inputs, **how)
    return checked(result, "topic-analysis", tmp_path, *RUNS, "first", "second", "qrels")


def test_the_hardest_topic_is_named(tmp_path):
    answer = answer_of(tmp_path, QRELS, RUNS, "nDCG@10 AP")
    means = values_of(QRELS, RUNS).mean()
    assert answer.verdict.startswith(f"Topic {means.idxmin()} is hardest: mean nDCG@10 over 5 ")
    assert answer.question == "Which topics are hard, and which separate systems?"
    assert answer.facts[-1].startswith("The hardest topic by AP")
    assert [row[0] for row in answer.rows.rows] == [*means.sort_values().index]
    assert answer.light == ""


@pytest.mark.parametrize(("names", "light"), [(("s0", "s4"), FINE), (("s0", "s1"), LOOK)])
def test_the_topic_that_decides_a_pair_is_named(tmp_path, names, light):
    answer = answer_of(tmp_path, QRELS, RUNS, "nDCG@10", between=list(names))
    assert answer.verdict.startswith("Without topic q")
    assert f" the difference {names[0]} − {names[1]} changes most, from " in answer.verdict
    outcome = regrade.topics(QRELS, RUNS, "nDCG@10", between=list(names)).topics["outcome"]
    assert answer.light == (FINE if (outcome == "none").all() else LOOK)
    sentence = (
        "changes neither the sign" if answer.light == FINE else "Leaving out one topic changes"
    )
    assert sentence in answer.facts[0]


def test_the_topic_on_which_labels_disagree_is_named(tmp_path):
    answer = answer_of(tmp_path, QRELS, RUNS, "nDCG@10", second=MODEL)
    result = regrade.topics(QRELS, RUNS, "nDCG@10", second=MODEL)
    topic = result.topics["topic"].iloc[0]
    assert f" disagree most on topic {topic}: Krippendorff's α " in answer.verdict
    assert f"The labels of topic {topic} differ most on document d" in answer.facts[-1]
    assert "topic-analysis/documents" in answer.tables


@pytest.mark.parametrize(
    ("how", "column", "heading"),
    [
        ({}, "mean", "mean AP"),
        ({"between": ["s0", "s3"]}, "difference", "difference AP"),
        ({"second": MODEL}, "tau", "τ_b AP"),
    ],
)
def test_further_measures_have_a_column(tmp_path, how, column, heading):
    answer = answer_of(tmp_path, QRELS, RUNS, "nDCG@10 AP(rel=2)", **how)
    assert answer.rows.columns[-1].name == f"{heading}(rel=2)"
    rows = of_topics(regrade.topics(QRELS, RUNS, "nDCG@10 AP(rel=2)", **how), "AP(rel=2)")
    for row in answer.rows.rows:
        assert row[-1] == pytest.approx(rows.loc[row[0], column])


def test_both_may_be_asked_at_once(tmp_path):
    answer = answer_of(tmp_path, QRELS, RUNS, "nDCG@10", second=MODEL, between=["s0", "s1"])
    assert "disagree most" in answer.verdict
    assert "s0 and s1 were also compared" in answer.method


# edges


def test_one_topic(tmp_path):
    qrels, model, runs = world(topics=1)
    answer = answer_of(tmp_path, qrels, runs, "nDCG@10")
    assert answer.verdict.startswith("There is only one topic, q00: mean nDCG@10 is ")
    answer = answer_of(tmp_path, qrels, runs, "nDCG@10", between=["s0", "s1"])
    assert answer.verdict == "s0 and s1 share one topic only, q00."
    assert answer.facts == ()
    assert "disagree most on topic q00" in answer_of(tmp_path, qrels, runs, second=model).verdict


def test_one_system(tmp_path):
    qrels, model, runs = world(systems=1)
    answer = answer_of(tmp_path, qrels, runs, "nDCG@10")
    assert "hardest: mean nDCG@10 over 1 system is" in answer.verdict
    assert answer.facts == ()
    assert "disagree most" in answer_of(tmp_path, qrels, runs, second=model).verdict


def test_copies_of_one_run(tmp_path):
    runs = dict.fromkeys(("a", "b", "c"), RUNS["s0"])
    answer = answer_of(tmp_path, QRELS, runs, "nDCG@10")
    assert "hardest" in answer.verdict
    answer = answer_of(tmp_path, QRELS, runs, "nDCG@10", between=["a", "b"])
    assert answer.verdict == "a and b have the same nDCG@10 on every topic."
    assert (answer.light, answer.facts) == (FINE, ())


def test_all_topics_are_as_hard(tmp_path):
    qrels = {topic: dict.fromkeys(DOCUMENTS, 0) | {"d00": 1} for topic in QRELS}
    runs = {"a": {t: {"d00": 2.0, "d01": 1.0} for t in qrels}}
    runs["b"] = {t: {"d01": 2.0, "d00": 1.0} for t in qrels}
    answer = answer_of(tmp_path, qrels, runs, "RR")
    assert answer.verdict == "All 12 topics have the same mean RR (0.750)."


def test_several_topics_are_the_hardest(tmp_path):
    qrels = QRELS | {t: dict.fromkeys(DOCUMENTS, 0) for t in ("q00", "q01")}
    answer = answer_of(tmp_path, qrels, RUNS, "nDCG@10")
    assert answer.verdict.startswith("Topics q00 and q01 are hardest: mean nDCG@10 over 5 systems")
    assert "on 2 topics all systems score the same" in answer.facts[0]


def test_the_same_labels_twice(tmp_path):
    answer = answer_of(tmp_path, QRELS, RUNS, "nDCG@10", second=QRELS)
    assert "α 1.00, exact agreement 100%" in answer.verdict
    assert not any("differ most" in fact for fact in answer.facts)


def test_labels_on_two_scales_are_compared_by_rankings(tmp_path):
    binary = {t: {d: int(g > 1) for d, g in of.items()} for t, of in MODEL.items()}
    result = regrade.topics(QRELS, RUNS, "nDCG@10", second=binary)
    assert result.topics["alpha"].isna().all()
    assert result.topics["tau"].dropna().is_monotonic_increasing
    answer = answer_of(tmp_path, QRELS, RUNS, "nDCG@10", second=binary)
    assert " rank the systems least alike on topic " in answer.verdict


def test_topics_that_the_second_labels_lack_are_last(tmp_path):
    some = {t: of for t, of in MODEL.items() if t > "q03"}
    result = regrade.topics(QRELS, RUNS, "nDCG@10", second=some)
    assert sorted(result.topics["topic"].tail(4)) == ["q00", "q01", "q02", "q03"]
    assert result.topics[["tau", "shift", "alpha"]].tail(4).isna().all(axis=None)
    answer_of(tmp_path, QRELS, RUNS, "nDCG@10", second=some)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"between": ["s0", "s9"]}, "between (second) is 's9': no system has this name"),
        ({"between": ["s0", "s0"]}, "are both 's0': name two systems"),
        ({"between": ["s0"]}, "the length of between is 1"),
        ({"between": ["s0", "s1", "s2"]}, "between is ['s0', 's1', 's2']: name two systems"),
        ({"second": {"q00": {"other": 1}}}, "no document that second judges"),
        ({"depth": 0}, "depth is 0"),
    ],
)
def test_what_cannot_be_is_refused(how, message):
    with pytest.raises(RegradeError) as caught:
        regrade.topics(QRELS, RUNS, "nDCG@10", **how)
    assert message in str(caught.value)


# figure


@pytest.mark.parametrize("second", [None, MODEL])
def test_cells_are_the_scores(second):
    result = regrade.topics(QRELS, RUNS, "nDCG@10 AP", second=second)
    for measure in ("nDCG@10", "AP"):
        figure = laid_out(result.plot(measure))
        images = [axes.images[0].get_array() for axes in figure.axes if axes.images]
        assert len(images) == (1 if second is None else 2)
        rows = result.scores[result.scores["measure"].astype(str) == measure]
        shape = len(RUNS), len(QRELS)
        assert np.ma.allclose(images[0], rows["value"].to_numpy().reshape(shape))
        if second is not None:
            change = (rows["second"] - rows["value"]).to_numpy().reshape(shape)
            assert np.ma.allclose(images[1], change)


@pytest.mark.parametrize(
    ("systems", "topics"), [(1, 2), (1, 3), (2, 2), (3, 400), (63, 53), (129, 50), (600, 30)]
)
@pytest.mark.parametrize("both", [False, True])
def test_any_size_is_legible(systems, topics, both):
    rng = np.random.default_rng(1)
    rows = [
        ("AP", f"system-{s:03}", f"{1_000_000 + t}", rng.random(), rng.random() if both else np.nan)
        for s in range(systems)
        for t in range(topics)
    ]
    frame = pd.DataFrame(rows, columns=["measure", "system", "topic", "value", "second"])
    figure = laid_out(figure_topics(frame))
    if len(rows) < 3:
        assert figure.axes == []
        return
    assert on_page(figure)
    assert all(text.get_fontsize() >= 7 for text in texts(figure))
    first = figure.axes[0]
    for labels, size in ((first.get_xticklabels(), "width"), (first.get_yticklabels(), "height")):
        boxes = [label.get_window_extent() for label in labels if label.get_text()]
        middles = sorted((b.x0 + b.x1) / 2 if size == "width" else (b.y0 + b.y1) / 2 for b in boxes)
        gaps = np.diff(middles) * 72 / figure.dpi
        assert (gaps > 5.5).all()
