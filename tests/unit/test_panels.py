"""What a panel of judges is worth: moments, panels of every size, tables, edges."""

from dataclasses import replace
from functools import partial
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import regrade
from regrade.errors import RegradeError
from regrade.favours.effects import contrasts
from regrade.panels import effective as moments
from regrade.panels.controls import free_covariances
from regrade.panels.effective import (
    LabelErrors,
    clustered_order,
    correlations,
    effective_by_size,
    effective_number,
    mean_correlation,
    score_covariances,
)
from regrade.panels.figures import figure_panel
from regrade.panels.growth import PanelOptions, Panels, additions
from regrade.panels.panel import (
    BEST_JUDGE,
    CHOSEN,
    DROPPED,
    RANDOM,
    effective_ends,
    held_out_weights,
    least_variance_weights,
)
from tests.coverage.panels import (
    by_people,
    correlated,
    drawn_labels,
    mean_of_people,
    simulated,
)
from tests.unit import carried

RNG = np.random.default_rng


def equal(judges, rho):
    return (1 - rho) * np.eye(judges) + rho


# --- the effective number ------------------------------------------------------------------------


@pytest.mark.parametrize(("judges", "rho"), [(2, 0.0), (5, 0.5), (30, 0.3), (10, 1.0), (3, -0.2)])
def test_equal_correlations_are_a_design_effect(judges, rho):
    expected = judges / (1 + (judges - 1) * rho)
    assert effective_number(equal(judges, rho)) == pytest.approx(expected, rel=1e-12)


def test_blocks_of_copies_count_once_and_variances_need_not_be_equal():
    root = correlated(10, None)
    assert effective_number(root @ root.T) == pytest.approx(2)
    assert effective_number(np.diag([1.0, 4.0, 9.0])) == pytest.approx(3)
    assert np.isnan(effective_number(np.array([[1.0, -1.0], [-1.0, 1.0]])))
    assert np.isnan(effective_number(np.zeros((3, 3))))


def test_random_panels_are_the_mean_of_all_panels():
    root = RNG(1).normal(size=(6, 4))
    sigma = root @ root.T
    for size, value in enumerate(effective_by_size(sigma), start=1):
        panels = [sigma[np.ix_(p, p)] for p in combinations(range(6), size)]
        own = np.mean([np.trace(one) / size for one in panels])
        average = np.mean([one.sum() / size**2 for one in panels])
        assert value == pytest.approx(own / average, rel=1e-12)


def errors_of_topics(sizes=(5, 9, 2, 1, 7), judges=3, seed=2):
    rng = RNG(seed)
    topic = np.repeat(np.arange(len(sizes)), sizes)
    return rng.normal(size=(judges, len(topic))) + rng.normal(size=len(topic)), topic


def test_moments_are_numpys():
    errors, topic = errors_of_topics()
    of = LabelErrors.of(errors, topic)
    within = [np.cov(errors[:, topic == t]) if (topic == t).sum() > 1 else np.zeros((3, 3))
              for t in range(5)]  # fmt: skip
    means = np.array([errors[:, topic == t].mean(axis=1) for t in range(5)])
    document, by_topic = of.covariances
    np.testing.assert_allclose(of.within, within, atol=1e-12)
    np.testing.assert_allclose(document.value, np.mean(within, axis=0), atol=1e-12)
    np.testing.assert_allclose(by_topic.value, np.cov(means.T), atol=1e-12)
    for t in range(5):
        rest = [k for k in range(5) if k != t]
        np.testing.assert_allclose(
            document.without[t], np.mean([within[k] for k in rest], 0), atol=1e-12
        )
        np.testing.assert_allclose(by_topic.without[t], np.cov(means[rest].T), atol=1e-12)


def test_every_sample_of_a_small_population_has_the_moments_on_average():
    """Of all subsets by their probabilities: the estimates from few labels are unbiased."""
    errors, topic = errors_of_topics(sizes=(4, 3, 2), judges=2)
    inclusion = RNG(3).uniform(0.2, 1.0, len(topic))
    inclusion[0] = 1.0
    documents = np.bincount(topic)
    whole = LabelErrors.of(errors, topic)
    of_topics = whole.covariances[1].value
    mean, total = [0.0, 0.0, 0.0], 0.0
    for chosen in product([False, True], repeat=len(topic)):
        some = np.array(chosen)
        p = np.prod(np.where(some, inclusion, 1 - inclusion))
        if not p:
            continue
        of = LabelErrors.of(errors[:, some], topic[some], inclusion[some], documents)
        total += p
        for place, one in enumerate((of.means, of.within, of.covariances[1].value)):
            mean[place] = mean[place] + p * one
    assert total == pytest.approx(1)
    np.testing.assert_allclose(mean[0], whole.means, atol=1e-12)
    np.testing.assert_allclose(mean[1], whole.within, atol=1e-12)
    np.testing.assert_allclose(mean[2], of_topics, atol=1e-12)


def test_all_labelled_is_a_sample_of_probability_one():
    errors, topic = errors_of_topics()
    documents = np.bincount(topic)
    whole = LabelErrors.of(errors, topic)
    sampled = LabelErrors.of(errors, topic, np.ones(len(topic)), documents)
    for name in ("means", "within", "sampling"):
        np.testing.assert_allclose(getattr(whole, name), getattr(sampled, name), atol=1e-12)


def test_errors_of_scores_are_those_of_loops():
    errors = RNG(4).normal(size=(3, 6, 5))
    score, system = score_covariances(errors)

    def loop(topics):
        away = errors[:, topics] - errors[:, topics].mean(axis=2, keepdims=True)
        own = sum(away[:, i] @ away[:, i].T for i in range(len(topics))) / len(topics) / 4
        pairs = [(i, k) for i in range(len(topics)) for k in range(len(topics)) if i != k]
        across = sum(away[:, i] @ away[:, k].T for i, k in pairs) / len(pairs) / 4
        return own, across

    every = list(range(6))
    for covariances, expected in zip((score, system), loop(every), strict=True):
        np.testing.assert_allclose(covariances.value, expected, atol=1e-12)
    for t in every:
        rest = [k for k in every if k != t]
        for covariances, expected in zip((score, system), loop(rest), strict=True):
            np.testing.assert_allclose(covariances.without[t], expected, atol=1e-12)


def test_one_system_has_no_errors_of_its_order():
    for one in score_covariances(RNG(1).normal(size=(2, 4, 1))):
        assert np.isnan(one.value).all()
        assert np.isnan(effective_number(one.value))


def test_judges_that_are_independent_given_the_grade_count_each():
    """Labels less people's are correlated even of pure noise, as all miss the same extremes."""
    rng = RNG(5)
    labels = simulated(300, 10, 0.0, rng)
    noise = rng.integers(0, 4, labels.values.shape).astype(float)
    labels = type(labels)(**{**vars(labels), "values": noise})
    given, document, _ = labels.covariances
    assert effective_number(given.value) == pytest.approx(10, rel=0.05)
    assert effective_number(document.value) < 3


def test_errors_given_the_grade_have_no_mean_within_a_grade():
    labels = simulated(12, 3, 0.4, RNG(6))
    frame = pd.DataFrame(labels.values.T).assign(grade=labels.people, topic=labels.topic)
    apart = frame[[0, 1, 2]] - frame.groupby("grade")[[0, 1, 2]].transform("mean")
    within = [np.cov(apart[labels.topic == t].to_numpy().T) for t in range(12)]
    np.testing.assert_allclose(labels.covariances[0].value, np.mean(within, axis=0), atol=1e-10)


def test_the_interval_is_given_from_25_topics_on_and_not_of_copies():
    labels = simulated(30, 4, 0.5, RNG(7))
    one = labels.covariances[0]
    low, high = effective_ends(one)
    assert 1 <= low < effective_number(one.value) < high
    few = drawn_labels(labels, np.arange(24)).covariances[0]
    assert np.isnan(effective_ends(few)).all()
    assert np.isnan(effective_ends(one.of(np.array([1, 1, 1])))).all()
    assert np.isnan(effective_ends(one.of(np.array([1])))).all()
    assert effective_number(one.of(np.array([1, 1, 1])).value) == pytest.approx(1)


def test_weights_are_those_of_an_optimiser():
    root = RNG(8).normal(size=(5, 7))
    sigma = root @ root.T
    best = minimize(
        lambda w: w @ sigma @ w, np.full(5, 0.2), jac=lambda w: 2 * sigma @ w,
        bounds=[(0, None)] * 5, constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        method="SLSQP", options={"ftol": 1e-14, "maxiter": 1000},
    )  # fmt: skip
    weights = least_variance_weights(sigma)
    assert weights.sum() == pytest.approx(1)
    assert weights @ sigma @ weights == pytest.approx(best.fun, rel=1e-8)
    np.testing.assert_allclose(weights, best.x, atol=1e-5)
    np.testing.assert_allclose(least_variance_weights(np.zeros((3, 3))), 1 / 3)
    by_topic = np.stack([sigma, 2 * sigma, np.eye(5), np.eye(5)])
    held = held_out_weights(by_topic, np.array([0, 0, 1, 1]))
    np.testing.assert_allclose(held[:2], 0.2, atol=1e-12)
    np.testing.assert_allclose(held[2], weights, atol=1e-9)


def test_kin_are_neighbours():
    names = np.array([0, 1, 2, 0, 1, 2, 0])
    of = np.where(names[:, None] == names, 0.8, 0.1)
    np.fill_diagonal(of, 1.0)
    order = names[clustered_order(of)]
    assert (np.diff(order) != 0).sum() == 2
    of[3] = of[:, 3] = np.nan
    assert clustered_order(of)[-1] == 3
    assert sorted(clustered_order(of)) == list(range(7))


def test_correlations_of_a_judge_without_errors_are_undefined():
    sigma = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]])
    of = correlations(sigma)
    assert np.isnan(of[2]).all()
    assert mean_correlation(sigma) == pytest.approx(0.5)
    assert np.isnan(mean_correlation(np.eye(1)))
    assert moments.mean_variance(sigma) == pytest.approx(2 / 3)


# --- panels of every size -------------------------------------------------------------------------


def panels(topics=12, judges=5, **how):
    return Panels(simulated(topics, judges, 0.3, RNG(9)), how=PanelOptions(resamples=20, **how))


def test_the_path_is_greedy_and_no_topic_chooses_its_own_panel():
    of = panels(folds=3)
    every = np.ones(12, dtype=bool)
    path = of.path(every)
    assert [len(panel) for panel in path] == [1, 2, 3, 4, 5]
    assert sorted(additions(path)) == list(range(5))
    for size in range(5):
        before = set(path[size - 1]) if size else set()
        further = [tuple(sorted(before | {j})) for j in range(5) if j not in before]
        assert of.alpha_on(path[size], every) == max(of.alpha_on(p, every) for p in further)
    # other labels of the topics of a fold leave its panels as they are
    labels = of.labels
    changed = labels.people.copy()
    is_first = of.fold[labels.topic] == 0
    changed[is_first] = 3 - changed[is_first]
    other = Panels(type(labels)(**{**vars(labels), "people": changed}), how=of.how)
    assert other.paths[0] == of.paths[0]
    assert other.paths[1:] != of.paths[1:]


def test_held_out_topics_have_their_folds_panel():
    of = panels(folds=3)
    held = of.held_out(lambda f: (f,))
    for t, f in enumerate(of.fold):
        np.testing.assert_array_equal(held.joint[t], of.of((int(f),)).joint[t])


def test_random_panels_are_all_where_these_are_few():
    of = panels(judges=5, panels=10)
    assert of.random(2) == (list(combinations(range(5), 2)), True)
    assert len(of.random(1)[0]) == len(of.random(4)[0]) == 5
    drawn, is_all = panels(judges=9, panels=10).random(4)
    assert len(set(drawn)) == 10
    assert not is_all
    assert drawn == panels(judges=9, panels=10).random(4)[0]


def test_agreement_is_that_of_labels():
    """By krippendorff on the documents that count."""
    krippendorff = pytest.importorskip("krippendorff")
    of = panels()
    label = of.levels_of(of.consensus((0, 2, 3)))
    expected = krippendorff.alpha(
        np.stack([of.labels.people, label]), level_of_measurement="ordinal"
    )
    curves = of.agreement([of.of((0, 2, 3))])
    assert curves["alpha"].value == pytest.approx(expected, abs=1e-9)
    without = of.labels.topic != 4
    left = krippendorff.alpha(
        np.stack([of.labels.people, label])[:, without], level_of_measurement="ordinal"
    )
    assert curves["alpha"].without[4] == pytest.approx(left, abs=1e-9)


@pytest.mark.parametrize("rule", ["majority", "median", "mean", "dawid-skene", "weighted"])
def test_every_rule_of_consensus_labels_all_documents(rule):
    of = panels(consensus=rule)
    label = of.consensus((0, 1, 4))
    assert label.shape == of.labels.people.shape
    assert not np.isnan(label).any()
    np.testing.assert_array_equal(of.consensus((2,)), of.labels.values[2])


# --- the question ---------------------------------------------------------------------------------


def sets(topics=6, judges=3, documents=8, seed=10, high=3, noise=0.7):
    """People, judges by name and runs."""
    rng = RNG(seed)
    names = [f"t{t}" for t in range(topics)]
    docs = [f"d{d}" for d in range(documents)]
    grades = rng.integers(0, high + 1, (topics, documents))

    def labels(values):
        return {t: dict(zip(docs, map(int, row), strict=True))
                for t, row in zip(names, values, strict=True)}  # fmt: skip

    def judge():
        return labels(np.clip(np.rint(grades + rng.normal(0, noise, grades.shape)), 0, high))

    runs = {f"s{s}": {t: {d: float(rng.random()) for d in docs} for t in names} for s in range(5)}
    return labels(grades), {f"j{j}": judge() for j in range(judges)}, runs


def test_tables_are_on_their_schemas_and_carry_the_answer(tmp_path):
    people, judges, runs = sets(topics=30)
    found = regrade.panel(people, judges, runs, resamples=20, kin={"a": ["j0", "j1"], "b": ["j2"]})
    answer = carried.checked(found, "panel", tmp_path, "nDCG@10", "j0", "j1", "j2", "people")
    assert answer.verdict.startswith("The panel of 3 judges is worth ")
    assert set(found.effective["kind"]) == {*moments.KINDS} - {"family"}
    assert found.kin.query("kind == 'grade'")[["kin", "other", "pairs"]].values.tolist() == [
        ["a", "a", 1],
        ["a", "b", 2],
    ]
    sizes = found.sizes
    assert set(sizes["kind"]) == {RANDOM, CHOSEN}
    assert set(sizes["quantity"]) == {"effective", "alpha", "kappa", "tau"}
    whole = sizes[(sizes["panel_size"] == 3) & (sizes["quantity"] == "alpha")]
    assert whole["value"].nunique() == 1  # there is one panel of all
    assert figure_panel(found.correlations, found.sizes).axes
    assert found.order["judge"].isin(judges).all()


def test_results_do_not_depend_on_the_order_of_judges():
    people, judges, runs = sets(topics=8, judges=4)
    one = regrade.panel(people, judges, runs, resamples=10)
    again = regrade.panel(people, dict(reversed(judges.items())), runs, resamples=10)
    columns = ["kind", "effective", "error_correlation", "error_sd"]
    pd.testing.assert_frame_equal(one.effective[columns], again.effective[columns])
    of = [f.judges.set_index("judge").sort_index().astype(float, errors="ignore")
          for f in (one, again)]  # fmt: skip
    pd.testing.assert_frame_equal(of[0], of[1])


def test_one_judge():
    people, judges, runs = sets(judges=1)
    found = regrade.panel(people, judges, runs, resamples=10)
    assert found.effective["effective"].iloc[0] == 1
    assert found.answer.verdict == "A panel of 1 judge is worth 1 judge: give several judges."
    assert found.contrasts.empty
    assert found.sizes["panel_size"].unique().tolist() == [1]
    assert found.plot()


def test_copies_of_a_judge_are_one():
    people, judges, runs = sets(topics=30, judges=1)
    copies = dict.fromkeys("abc", judges["j0"])
    found = regrade.panel(people, copies, runs, resamples=10)
    known = found.effective["effective"].dropna()
    np.testing.assert_allclose(known, 1)
    assert found.effective[["low", "high"]].isna().all(axis=None)
    assert any("same errors" in note for note in found.answer.notes)


def test_a_judge_identical_to_people_has_no_errors():
    people, judges, runs = sets(topics=8)
    found = regrade.panel(people, {**judges, "same": people}, runs, resamples=10)
    of = found.judges.set_index("judge").loc["same"]
    assert (of["error_sd"], of["bias"], of["alpha"], of["tau"]) == (0, 0, 1, 1)
    assert np.isnan(of["error_correlation"])
    assert found.order["judge"].iloc[0] == "same"
    alone = regrade.panel(people, {"a": people, "b": people}, runs, resamples=10)
    assert "undefined for 2 judges" in alone.answer.verdict
    assert alone.effective["effective"].isna().all()


def test_a_judge_that_always_says_the_same():
    people, judges, runs = sets(topics=8)
    constant = {t: dict.fromkeys(docs, 0) for t, docs in people.items()}
    found = regrade.panel(people, {**judges, "zero": constant}, runs, resamples=10)
    note = "zero gives one label to all documents of a grade of "
    assert any(one.startswith(note) for one in found.answer.notes)
    assert found.judges.set_index("judge").loc["zero", "error_sd"] == 0
    assert found.effective["effective"].iloc[0] > 0


def test_documents_that_some_judge_lacks_are_left_out_and_counted():
    people, judges, runs = sets(topics=6)
    judges["j1"] = {t: docs for t, docs in judges["j1"].items() if t != "t2"}
    del judges["j2"]["t0"]["d1"]
    found = regrade.panel(people, judges, runs, resamples=10)
    numbers = found.numbers.set_index("quantity")["value"]
    assert (numbers["left out"], numbers["topics left out"]) == (9, 1)
    assert numbers["judges that lack documents"] == 2
    assert any("9 documents of" in note for note in found.answer.notes)
    # as if they were not there
    kept = {t: {d: v for d, v in docs.items() if (t, d) != ("t0", "d1")}
            for t, docs in people.items() if t != "t2"}  # fmt: skip
    again = regrade.panel(kept, judges, runs, resamples=10)
    pd.testing.assert_frame_equal(found.effective, again.effective)
    with pytest.raises(RegradeError, match="no document is labelled by"):
        regrade.panel(people, {**judges, "none": {"other": {"x": 1}}}, resamples=10)


def test_more_judges_than_documents_and_one_topic():
    people, judges, _ = sets(topics=1, documents=4, judges=7)
    found = regrade.panel(people, judges, resamples=10)
    assert found.effective["effective"].iloc[0] >= 1
    assert found.contrasts.empty
    assert set(found.sizes["kind"]) == {RANDOM}
    assert found.answer.verdict


def test_a_binary_judge_beside_grades_counts_as_the_ends():
    people, judges, _ = sets(topics=6)
    yes = {t: {d: int(g >= 2) for d, g in docs.items()} for t, docs in people.items()}
    stretched = {t: {d: 3 * g for d, g in docs.items()} for t, docs in yes.items()}
    binary = regrade.panel(people, {**judges, "yes": yes}, resamples=10)
    graded = regrade.panel(people, {**judges, "yes": stretched}, resamples=10)
    pd.testing.assert_frame_equal(binary.effective, graded.effective)
    assert any("1 judge on another scale were mapped" in note for note in binary.answer.notes)
    # a judge that never gives the highest grade has the people's scale
    low = {t: {d: min(g, 2) for d, g in docs.items()} for t, docs in people.items()}
    found = regrade.panel(people, {**judges, "low": low}, resamples=10)
    assert found.judges.set_index("judge").loc["low", "bias"] < 0
    assert not any("mapped" in note for note in found.answer.notes)


def test_kin_are_of_the_panel_and_of_one_kin():
    people, judges, _ = sets()
    with pytest.raises(RegradeError, match="'nobody' of a is no judge"):
        regrade.panel(people, judges, kin={"a": ["nobody"]})
    with pytest.raises(RegradeError, match="'j0' is of a and of b"):
        regrade.panel(people, judges, kin={"a": ["j0"], "b": ["j0"]})


def test_workers_are_judges():
    people, judges, _ = sets()
    rows = [(t, d, name, g) for name, of in judges.items() for t, docs in of.items()
            for d, g in docs.items()]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])
    one = regrade.panel(people, frame, resamples=10)
    other = regrade.panel(people, judges, resamples=10)
    pd.testing.assert_frame_equal(one.effective, other.effective)


def sampled(people, share, seed=11):
    """A sample of people's labels, as `assign` writes it."""
    rng = RNG(seed)
    rows = [(t, d, g) for t, docs in people.items() for d, g in docs.items()]
    frame = pd.DataFrame(rows, columns=["topic", "docno", "grade"])
    frame["inclusion"] = share
    frame["chosen"] = rng.random(len(frame)) < share
    frame["grade"] = frame["grade"].where(frame["chosen"]).astype("Float64")
    return frame


def test_a_sample_of_all_documents_is_all_of_them():
    people, judges, runs = sets(topics=8)
    whole = regrade.panel(people, judges, resamples=10)
    sample = regrade.read_sample(sampled(people, 1.0))
    found = regrade.panel(sample, judges, runs, resamples=10)
    columns = ["kind", "effective", "error_correlation"]
    pd.testing.assert_frame_equal(whole.effective[columns], found.effective[columns])
    assert found.judges["tau"].isna().all()


def test_few_labels_estimate_what_all_labels_say(tmp_path):
    people, judges, _ = sets(topics=60, documents=30, judges=4)
    whole = regrade.panel(people, judges, resamples=10).effective.set_index("kind")["effective"]
    sample = regrade.read_sample(sampled(people, 0.4))
    found = regrade.panel(sample, judges, resamples=10)
    few = found.effective.set_index("kind")
    assert (few["low"] < whole).all()
    assert (whole < few["high"]).all()
    answer = carried.checked(found, "panel", tmp_path, "labels", *judges)
    assert any("inverse of its inclusion probability" in note for note in answer.notes)


def test_sampled_documents_without_a_label_are_counted():
    people, judges, _ = sets(topics=12, documents=12)
    frame = sampled(people, 0.5)
    frame.loc[frame.index[frame["chosen"]][:3], "grade"] = pd.NA
    found = regrade.panel(regrade.read_sample(frame), judges, resamples=10)
    assert any("3 sampled documents are without" in note for note in found.answer.notes)


def test_contrasts_say_what_they_compare():
    people, judges, runs = sets(topics=10, judges=4)
    found = regrade.panel(people, judges, runs, resamples=10, folds=2)
    of = found.contrasts.set_index(["contrast", "quantity"])
    best, dropped = of.loc[BEST_JUDGE, "alpha"], of.loc[DROPPED, "alpha"]
    assert best["difference"] == pytest.approx(best["panel"] - best["other"])
    assert dropped["difference"] == pytest.approx(dropped["other"] - dropped["panel"])
    assert best["panel_size"] == 1
    assert dropped["panel_size"] == 3
    mean = found.judges["alpha"].mean()
    assert of.loc[("mean judge", "alpha"), "other"] == pytest.approx(mean)


def test_candidates_are_outside_the_panel(tmp_path):
    people, judges, runs = sets(topics=10, judges=5)
    own = {name: judges[name] for name in ("j0", "j1", "j2")}
    alone = regrade.panel(people, own, runs, resamples=10, folds=2)
    found = regrade.panel(people, judges, runs, resamples=10, folds=2, candidates=["j3", "j4"])
    pd.testing.assert_frame_equal(alone.effective, found.effective)
    pd.testing.assert_frame_equal(alone.sizes, found.sizes)
    of = found.judges.set_index("judge")
    assert of.index[of["is_candidate"]].tolist() == ["j3", "j4"]
    more = regrade.panel(people, {**own, "j3": judges["j3"]}, resamples=10, folds=2)
    whole = more.contrasts.query("quantity == 'alpha'")["panel"].iloc[0]
    base = alone.contrasts.query("quantity == 'alpha'")["panel"].iloc[0]
    assert of.loc["j3", "gain"] == pytest.approx(whole - base)
    assert of.loc["j3", "effective"] == pytest.approx(more.effective["effective"].iloc[0])
    added = found.contrasts.set_index(["contrast", "quantity"]).loc[("with", "alpha")]
    assert added["judge"] in ("j3", "j4")
    assert added["panel_size"] == 4
    answer = carried.checked(found, "panel", tmp_path, "nDCG@10", *judges, "people")
    assert any("first candidate to add" in fact for fact in answer.facts)
    with pytest.raises(RegradeError, match="all judges are candidates"):
        regrade.panel(people, judges, candidates=[*judges])
    with pytest.raises(RegradeError, match="'nobody' is no judge"):
        regrade.panel(people, judges, candidates=["nobody"])


def test_the_command(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from regrade.command.app import app

    people, judges, _ = sets(topics=6)
    monkeypatch.chdir(tmp_path)
    for name, of in {"people": people, **judges}.items():
        lines = [f"{t} 0 {d} {g}" for t, docs in of.items() for d, g in docs.items()]
        (tmp_path / f"{name}.qrels").write_text("\n".join(lines) + "\n")
    sampled(people, 1.0).to_csv("sample.csv", index=False)
    run = partial(CliRunner().invoke, app, catch_exceptions=False)
    own = [f"{name}={name}.qrels" for name in judges]
    said = run(["panel", "people.qrels", *own, "--resamples", "10", "--consensus", "median"])
    assert said.exit_code == 0, said.output
    assert "independent judges" in said.output
    (tmp_path / "second.qrels").write_text((tmp_path / "people.qrels").read_text())
    asked = ["panel", "people.qrels", *own, "--control", "a=second.qrels", "--resamples", "10"]
    said = run(asked)
    assert said.exit_code == 0, said.output
    assert "1 further person has the labels of people" in said.output
    said = run([*asked, "--family", "a=s*"])
    assert said.exit_code != 0
    assert "give runs (--runs)" in said.output
    kin = '{"a": ["j0", "j1"]}'
    asked = ["panel", "sample.csv", *own, "--resamples", "10", "--kin", kin, "--table", "kin"]
    said = run(asked)
    assert said.exit_code == 0, said.output
    assert "grade" in said.output


# --- real data ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_thirty_models_are_worth_two_judges(real_data):
    folder = real_data / "llmjudge"
    judged = regrade.read_judgments(folder / "judgments.tsv.gz", scale=4, off_scale="drop")
    found = regrade.panel(folder / "human.qrels.gz", judged, resamples=100, panels=5)
    first = found.effective.iloc[0]
    assert (first["judges"], first["topics"]) == (30, 25)
    assert first["effective"] == pytest.approx(2.29, abs=0.01)
    assert first["low"] > 2
    assert first["high"] < 3


@pytest.mark.slow
def test_errors_of_people_make_judges_of_2019_alike(real_data):
    folder = real_data / "dl19"
    judges = {path.name.split(".")[0]: path for path in sorted((folder / "judges").glob("*.gz"))}
    controls = {name: folder / f"people-{name}.qrels.gz" for name in "ab"}
    found = regrade.panel(folder / "qrels.gz", judges, controls=controls, resamples=10)
    of = found.effective.astype({"kind": str, "beside": str}).set_index(["kind", "beside"])
    beside, free = (of.loc["document", one] for one in ("reference", "control"))
    assert (beside["judges"], beside["topics"], free["topics"]) == (7, 43, 43)
    assert beside["high"] < free["low"]
    assert free["effective"] == pytest.approx(3.81, abs=0.01)
    assert free["error_correlation"] < beside["error_correlation"] / 2


# --- people who err, and families of systems ------------------------------------------------------


def second_of(people, share=0.3, seed=12, high=3):
    """A further person: other grades of a share of the documents."""
    rng = RNG(seed)
    return {t: {d: int(rng.integers(0, high + 1)) if rng.random() < share else g
                for d, g in docs.items()} for t, docs in people.items()}  # fmt: skip


def test_products_across_people_are_those_of_loops():
    labels = by_people(simulated(6, 3, 0.4, RNG(13)), 0.6, RNG(14))
    document, topic = free_covariances(labels)
    one, other = labels.values - labels.people, labels.values - labels.controls[0]
    within, means = [], []
    for t in range(6):
        some = labels.topic == t
        a, b = one[:, some], other[:, some]
        both = np.cov(a, b)[:3, 3:]
        within.append((both + both.T) / 2)
        means.append((a.mean(axis=1), b.mean(axis=1)))
    np.testing.assert_allclose(document.value, np.mean(within, axis=0), atol=1e-12)
    np.testing.assert_allclose(document.without[2], np.mean(within[:2] + within[3:], 0), atol=1e-12)
    first, second = np.moveaxis(np.array(means), 1, 0)
    both = np.cov(first.T, second.T)[:3, 3:]
    np.testing.assert_allclose(topic.value, (both + both.T) / 2, atol=1e-12)
    rest = np.arange(6) != 4
    both = np.cov(first[rest].T, second[rest].T)[:3, 3:]
    np.testing.assert_allclose(topic.without[4], (both + both.T) / 2, atol=1e-12)


def test_a_person_with_the_references_labels_changes_nothing():
    labels = simulated(8, 3, 0.4, RNG(15))
    same = replace(labels, controls=labels.people[None])
    for one, other in zip(free_covariances(same), labels.covariances[1:], strict=True):
        np.testing.assert_allclose(one.value, other.value, atol=1e-12)
        np.testing.assert_allclose(one.without, other.without, atol=1e-12)


def test_people_who_err_make_judges_alike_only_beside_one_person():
    """The truth is that of errors about the mean of people."""
    for judges, rho in ((10, 0.0), (5, 0.5)):
        true_labels = simulated(1000, judges, rho, RNG(16))
        mean = mean_of_people(0.6)[true_labels.people.astype(int)]
        about = replace(true_labels, people=mean).moments.covariances
        true = {one.kind: effective_number(one.value) for one in about}
        labels = by_people(true_labels, 0.6, RNG(17))
        beside = {one.kind: effective_number(one.value) for one in labels.covariances}
        for one in free_covariances(labels):
            assert effective_number(one.value) == pytest.approx(true[one.kind], rel=0.12)
            assert beside[one.kind] < 0.95 * true[one.kind]


def test_scores_across_people_and_families_are_those_of_loops():
    errors, others = RNG(19).normal(size=(2, 3, 5, 6))
    weights = contrasts(np.array([[1, 1, 0, 0, 0, 0], [0, 1, 1, 1, 0, 0]], bool))
    score, system, family = score_covariances(errors, others, weights)
    a = errors - errors.mean(axis=2, keepdims=True)
    b = others - others.mean(axis=2, keepdims=True)

    def both(x, y):
        return (x @ y.T + y @ x.T) / 2

    own = [both(a[:, t], b[:, t]) / 5 for t in range(5)]
    np.testing.assert_allclose(score.value, np.mean(own, axis=0), atol=1e-12)
    pairs = [(t, u) for t in range(5) for u in range(5) if t != u]
    across = np.mean([both(a[:, t], b[:, u]) / 5 for t, u in pairs], axis=0)
    np.testing.assert_allclose(system.value, across, atol=1e-12)
    few = [(t, u) for t, u in pairs if 3 not in (t, u)]
    across = np.mean([both(a[:, t], b[:, u]) / 5 for t, u in few], axis=0)
    np.testing.assert_allclose(system.without[3], across, atol=1e-12)
    favour = np.zeros((3, 3))
    for t in range(5):
        for members in ([0, 1], [1, 2, 3]):
            rest = [s for s in range(6) if s not in members]
            one, other = (
                x[:, t, members].mean(axis=1) - x[:, t, rest].mean(axis=1) for x in (errors, others)
            )
            favour += (np.outer(one, other) + np.outer(other, one)) / 2 / 10
    np.testing.assert_allclose(family.value, favour, atol=1e-12)


def test_errors_of_favours_are_those_of_the_question_favour():
    people, judges, runs = sets(topics=30)
    families = {"a": ["s0", "s1"], "b": ["s1", "s2", "s3"]}
    found = regrade.panel(people, judges, runs, families=families, resamples=10)
    effects = regrade.favour(people, judges, runs, families, draws=100).topic_effects
    by = effects.pivot_table("value", ["topic", "family"], "judge", observed=True)
    expected = effective_number((by.T @ by).to_numpy() / len(by))
    row = found.effective.set_index("kind").loc["family"]
    assert row["effective"] == pytest.approx(expected, rel=1e-9)
    assert row["low"] <= row["effective"] <= row["high"]


def test_further_people_are_beside_the_reference(tmp_path):
    people, judges, runs = sets(topics=30)
    controls = {"a": second_of(people), "b": second_of(people, seed=20)}
    families = {"a": ["s0", "s1"]}
    found = regrade.panel(people, judges, runs, resamples=10, controls=controls, families=families)
    answer = carried.checked(found, "panel", tmp_path, "nDCG@10", *judges, "people", "a", "b")
    of = found.effective.astype({"kind": str, "beside": str}).set_index(["kind", "beside"])
    kinds = {"reference": moments.KINDS, "control": moments.KINDS[1:]}
    assert [*of.index] == [(kind, beside) for beside in kinds for kind in kinds[beside]]
    assert of["low"].notna().sum() == 7  # of grade, document, topic, score, family; document, score
    assert answer.facts[0].startswith("By errors of labels, n_eff free of people's errors (a and b")
    assert len(answer.facts) <= 3
    # as the panel without further people
    alone = regrade.panel(people, judges, runs, resamples=10, families=families)
    beside = found.effective[found.effective["beside"] == "reference"]
    pd.testing.assert_frame_equal(beside, alone.effective)
    assert of.loc["document", "effective"].notna().all()
    # grades of both people together are one person's judgments
    rows = [(t, d, name, g) for name, of_person in controls.items()
            for t, docs in of_person.items() for d, g in docs.items()]  # fmt: skip
    crowd = pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])
    again = regrade.panel(people, judges, runs, resamples=10, controls={"c": crowd},
                          families=families)  # fmt: skip
    pd.testing.assert_frame_equal(found.effective, again.effective)


def test_further_people_on_a_part_of_topics_and_documents():
    people, judges, runs = sets(topics=30)
    second = second_of(people)
    part = {t: docs for t, docs in second.items() if t not in ("t0", "t1")}
    del part["t5"]["d0"]
    found = regrade.panel(people, judges, runs, resamples=10, controls={"a": part})
    of = found.effective.astype({"kind": str, "beside": str}).set_index(["kind", "beside"])
    assert (of.xs("control", level="beside")["topics"] == 28).all()
    assert (of.xs("reference", level="beside")["topics"] == 30).all()
    notes = " ".join(found.answer.notes)
    assert "1 document is left out, which a further person lacks" in notes
    assert "28 of 30 topics" in notes
    # as of these topics alone
    few = {t: {d: g for d, g in docs.items() if (t, d) != ("t5", "d0")}
           for t, docs in people.items() if t in part}  # fmt: skip
    alone = regrade.panel(few, judges, runs, resamples=10, controls={"a": part})
    columns = ["kind", "effective", "low", "high", "error_correlation"]
    pd.testing.assert_frame_equal(
        *(f.effective.query("beside == 'control'")[columns].reset_index(drop=True)
          for f in (found, alone))
    )  # fmt: skip
    # a person with few documents of a topic is not of the topic
    little = {"t0": {"d1": 1}}
    both = regrade.panel(people, judges, runs, resamples=10,
                         controls={"a": second, "b": little})  # fmt: skip
    whole = regrade.panel(people, judges, runs, resamples=10, controls={"a": second})
    pd.testing.assert_frame_equal(both.effective, whole.effective)


def test_a_control_that_is_the_reference_is_said():
    people, judges, runs = sets(topics=30)
    found = regrade.panel(people, judges, runs, resamples=10, controls={"same": people})
    of = found.effective.astype({"kind": str, "beside": str})
    of = of[of["kind"] != "grade"]
    one, other = (of[of["beside"] == b]["effective"].to_numpy() for b in ("reference", "control"))
    np.testing.assert_allclose(one, other, rtol=1e-9)
    assert any("1 further person has the labels of" in note for note in found.answer.notes)


def test_few_topics_and_undefined_numbers_are_said():
    people, judges, runs = sets(topics=1)
    found = regrade.panel(people, judges, runs, resamples=10, controls={"a": second_of(people)})
    assert found.effective[["low", "high"]].isna().all(axis=None)
    # judges without an error beside the reference
    up = {t: {d: min(g + 1, 3) for d, g in docs.items()} for t, docs in people.items()}
    found = regrade.panel(people, {"a": people, "b": people}, controls={"c": up}, resamples=10)
    of = found.effective.query("beside == 'control'")
    assert of["effective"].isna().all()
    assert any("undefined for errors of the label less the human" in n for n in found.answer.notes)
    assert any("is undefined" in fact for fact in found.answer.facts)


def test_an_indefinite_covariance_has_no_number():
    assert np.isnan(effective_number(np.array([[-1.0, 2.0], [2.0, -1.0]])))
    assert np.isnan(effective_number(np.array([[1.0, -2.0], [-2.0, 1.0]])))


def test_what_further_people_and_families_need():
    people, judges, runs = sets()
    with pytest.raises(RegradeError, match=r"give runs \(--runs\)"):
        regrade.panel(people, judges, families={"a": ["s0"]})
    sample = regrade.read_sample(sampled(people, 0.5))
    with pytest.raises(RegradeError, match="leave families out with a sample"):
        regrade.panel(sample, judges, runs, families={"a": ["s0"]})
    with pytest.raises(RegradeError, match="leave out the labels of further people"):
        regrade.panel(sample, judges, controls={"a": people})
    with pytest.raises(RegradeError, match="'j0' is named twice"):
        regrade.panel(people, judges, controls={"j0": people})
    high = {t: {d: g + 3 for d, g in docs.items()} for t, docs in people.items()}
    with pytest.raises(RegradeError, match="which is no grade of"):
        regrade.panel(people, judges, controls={"a": high})
    with pytest.raises(RegradeError, match="labelled none of the documents"):
        regrade.panel(people, judges, controls={"a": {"other": {"x": 1}}})
