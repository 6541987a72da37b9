"""From values to probabilities of grades: maps and sets against others', worlds with a truth."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from statsmodels.miscmodels.ordinal_model import OrderedModel

import regrade
from regrade.answers.shape import PROBLEM
from regrade.calibration import maps
from regrade.calibration.figures import figure_calibration
from regrade.calibration.held_out import DOCUMENTS, LEFT_OUT, TOPICS, Both, held_out, parts
from regrade.calibration.judge_calibration import (
    CalibrationOptions,
    calibration_tables,
    middle_levels,
)
from regrade.calibration.sets import shares_before, threshold
from regrade.command.app import app
from regrade.errors import RegradeError
from regrade.evaluations.cut_labels import JudgeOptions
from regrade.evaluations.judges import judge_tables
from regrade.label_sets import LabelSet
from regrade.scales import Scale
from tests.reference.skewed_means import mean_ends
from tests.unit import carried

L = 4
SHARE = Scale.of({"values": {"from": 0, "to": 1, "by": 0.05}})


def world(topics=12, documents=30, slope=6.0, spread=1.0, seed=1):
    """A judge's shares, and levels that go with them but for an effect of the topic."""
    rng = np.random.default_rng(seed)
    rows = []
    for t in range(topics):
        effect = rng.normal(0, spread)
        for d in range(documents):
            value = np.round(rng.random() * 20) / 20
            latent = slope * (value - 0.5) + effect + rng.logistic()
            rows.append(
                (f"t{t:02d}", f"d{d:03d}", value, float(np.searchsorted([-1, 1, 3], latent)))
            )
    frame = pd.DataFrame(rows, columns=["topic", "docno", "value", "level"])
    return frame, *(
        pa.table(frame.rename(columns={name: "grade"})[["topic", "docno", "grade"]])
        for name in ("value", "level")
    )


def systems(frame, count=6, seed=2):
    """Systems that rank by level and noise, the later the noisier."""
    rng = np.random.default_rng(seed)
    return {
        f"s{k}": {
            topic: dict(
                zip(of["docno"], of["level"] + (0.5 + k) * rng.normal(size=len(of)), strict=True)
            )
            for topic, of in frame.groupby("topic")
        }
        for k in range(count)
    }


@pytest.fixture(scope="module")
def made():
    frame, values, levels = world()
    runs = regrade.read_runs(systems(frame))
    reference = LabelSet.on_levels("people", levels, L)
    judge = LabelSet("model", values, SHARE)
    tables = calibration_tables(
        reference, [judge], runs.ranked, ["nDCG@10", "P@10"], CalibrationOptions(folds=4)
    )
    return frame, values, levels, runs, reference, judge, tables


# --- maps -----------------------------------------------------------------------------------------


def test_isotonic_is_that_of_each_step():
    frame, *_ = world()
    values, levels = frame["value"].to_numpy(), frame["level"].to_numpy().astype(int)
    shares = maps.fit(maps.ISOTONIC, values, levels, L)(values)
    for level in range(1, L):
        own = IsotonicRegression().fit(values, levels >= level).predict(values)
        assert shares[:, level:].sum(axis=1) == pytest.approx(own, abs=1e-12)
    assert (shares >= -1e-12).all()
    assert not np.signbit(shares[shares == 0]).any()
    assert shares.sum(axis=1) == pytest.approx(1)


def test_proportional_odds_count_rows_as_all_rows_do():
    frame, *_ = world()
    values, levels = frame["value"].to_numpy(), frame["level"].to_numpy().astype(int)
    shares = maps.fit(maps.ODDS, values, levels, L)(values)
    plain = OrderedModel(levels, values[:, None], distr="logit")
    found = plain.fit(method="bfgs", disp=0, gtol=1e-8)
    assert shares == pytest.approx(plain.predict(found.params, exog=values[:, None]), abs=1e-3)


def test_odds_of_two_levels_are_a_logistic_curve():
    frame, *_ = world()
    values, reached = frame["value"].to_numpy(), frame["level"].to_numpy() >= 2
    shares = maps.fit(maps.ODDS, values, reached.astype(int), 2)(values)
    curve = LogisticRegression(C=np.inf, tol=1e-8).fit(values[:, None], reached)
    assert shares == pytest.approx(curve.predict_proba(values[:, None]), abs=1e-3)


@pytest.mark.parametrize("topics", [1, 2])
def test_every_document_of_few_topics_has_shares(topics):
    frame, *_ = world(topics=topics, documents=20)
    topic = np.repeat(np.arange(topics), 20)
    values, levels = frame["value"].to_numpy(), frame["level"].to_numpy().astype(int)
    known, rng = np.arange(len(frame)) % 2 == 0, np.random.default_rng(1)
    shares = maps.shares_by_topic(values, topic, known, levels, L, rng)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert (shares >= 0).all()
    low, high = (shares[values == end(values)] @ np.arange(L) for end in (np.min, np.max))
    assert low.mean() < high.mean()


def test_a_level_that_nobody_gave_has_no_share():
    values, levels = np.linspace(0, 1, 40), np.repeat([0, 3], 20)
    for name in (maps.PRIOR, maps.ISOTONIC, maps.ODDS):
        shares = maps.fit(name, values[::3], levels[::3], L)(values)
        assert shares[:, 1:3] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", [maps.PRIOR, maps.ISOTONIC, maps.ODDS])
@pytest.mark.parametrize("same", ["values", "levels"])
def test_values_or_levels_that_are_all_the_same_say_the_shares(name, same):
    values, levels = np.linspace(0, 1, 8), np.array([0, 1, 1, 2, 0, 0, 3, 1])
    values, levels = (0 * values, levels) if same == "values" else (values, 0 * levels + 2)
    shares = maps.fit(name, values, levels, L)(values)
    assert shares == pytest.approx(np.tile(np.bincount(levels, minlength=L) / 8, (8, 1)))


def test_labels_of_a_topic_say_something_of_its_other_documents():
    frame, *_ = world(topics=20, documents=60, spread=2.5)
    topic = frame["topic"].astype("category").cat.codes.to_numpy().astype(np.int64)
    values, levels = frame["value"].to_numpy(), frame["level"].to_numpy().astype(int)
    known = np.arange(len(frame)) % 2 == 0
    rng = np.random.default_rng(1)
    shares = maps.shares_by_topic(values, topic, known, levels, L, rng)
    assert shares.sum(axis=1) == pytest.approx(1)

    def brier(some):
        return ((some[~known] - np.eye(L)[levels[~known]]) ** 2).sum(axis=1).mean()

    without = maps.fit(maps.ISOTONIC, values[known], levels[known], L)(values)
    assert brier(shares) < 0.9 * brier(without)
    # what is not known is not looked at
    other = np.where(known, levels, 3 - levels)
    again = maps.shares_by_topic(values, topic, known, other, L, np.random.default_rng(1))
    assert np.array_equal(shares, again)


# --- held out -------------------------------------------------------------------------------------


def test_parts_leave_out_whole_topics_or_some_of_each_topics_documents():
    _, values, levels = world(topics=7, documents=11)
    both = Both.of(values, levels, L)
    whole, some = (parts(both, left_out, 3, 1) for left_out in LEFT_OUT)
    assert all(len(set(whole[both.topic == t])) == 1 for t in range(7))
    assert sorted(np.bincount([whole[both.topic == t][0] for t in range(7)])) == [2, 2, 3]
    sizes = [np.bincount(some[both.topic == t]) for t in range(7)]
    assert all(sorted(size) == [3, 4, 4] for size in sizes)
    of_topics = [both.values[both.topic == t].mean() for t in range(7)]
    assert both.means(both.values) == pytest.approx(of_topics)


def test_values_that_name_documents_are_not_learned_by_heart():
    """Levels are noise, each document has a value of its own: nothing is known of left-out ones."""
    rng = np.random.default_rng(4)
    names = [(f"t{t}", f"d{d}") for t in range(8) for d in range(40)]
    topic, docno = zip(*names, strict=True)
    both = Both.of(
        pa.table({"topic": topic, "docno": docno, "grade": rng.permutation(320) / 320}),
        pa.table({"topic": topic, "docno": docno, "grade": rng.integers(0, L, 320).astype(float)}),
        L,
    )
    truth = np.eye(L)[both.levels]
    for left_out in (TOPICS, DOCUMENTS):
        brier = {
            name: ((shares - truth) ** 2).sum(axis=1).mean()
            for name, shares in held_out(both, left_out, 5, 1)
        }
        assert brier["prior"] == pytest.approx(0.75, abs=0.02)
        for name in ("isotonic", "proportional odds", "by topic"):
            assert brier[name] > brier["prior"] - 0.005, (left_out, name)


# --- sets -----------------------------------------------------------------------------------------


def grown(shares):
    """What stands before each level, set by set."""
    inside, found = [int(np.argmax(shares))], {int(np.argmax(shares)): 0.0}
    while len(inside) < len(shares):
        near = [k for k in (min(inside) - 1, max(inside) + 1) if 0 <= k < len(shares)]
        taken = max(near, key=lambda k: (shares[k], -k))
        found[taken] = sum(shares[k] for k in inside)
        inside.append(taken)
    return [found[k] for k in range(len(shares))]


def test_sets_grow_by_the_likelier_neighbour():
    shares = np.random.default_rng(5).dirichlet(np.ones(5), 200)
    before = shares_before(shares)
    assert before == pytest.approx(np.array([grown(row) for row in shares]))
    for q in (0.0, 0.3, 0.8):
        inside = before <= q
        edges = np.abs(np.diff(np.pad(inside, ((0, 0), (1, 1))).astype(int), axis=1)).sum(axis=1)
        assert (edges == 2).all()  # neighbours, and never none


def test_every_topic_weighs_the_same_and_one_more_is_endless():
    needed, topic = np.array([0.1, 0.2, 0.9, 0.4]), np.array([0, 0, 0, 1])
    # weights 1/9, 1/9, 1/3, 1/9 of three topics, the third being endless
    assert threshold(needed, topic, 0.2) == 0.2
    assert threshold(needed, topic, 0.5) == 0.4
    assert threshold(needed, topic, 2 / 3) == 0.9
    assert threshold(needed, topic, 0.7) == np.inf


@pytest.mark.parametrize("target", [0.8, 0.9])
def test_sets_hold_a_new_topics_levels_as_often_as_said(target):
    """Topics with effects of their own, a map that is wrong about all of them."""
    rng = np.random.default_rng(6)
    repetitions, topics, documents = 200, 20, 15
    held = np.empty(repetitions)
    wrong = rng.dirichlet(np.ones(L), 50)
    for r in range(repetitions):
        kind = rng.integers(0, 50, (topics + 1, documents))
        effect = rng.dirichlet(np.ones(L), topics + 1)
        levels = np.array([
            [rng.choice(L, p=0.5 * wrong[k] + 0.5 * effect[t]) for k in kind[t]]
            for t in range(topics + 1)
        ])  # fmt: skip
        before = shares_before(wrong[kind.ravel()]).reshape(topics + 1, documents, L)
        own = np.take_along_axis(before, levels[:, :, None], axis=2)[:, :, 0]
        q = threshold(own[1:].ravel(), np.repeat(np.arange(topics), documents), target)
        held[r] = (own[0] <= q).mean()
    assert held.mean() >= target - 3 * held.std() / repetitions**0.5
    assert held.mean() <= target + 1 / (topics + 1) + 0.03


# --- tables ---------------------------------------------------------------------------------------


def test_scores_are_those_by_hand(made):
    _, values, levels, *_, tables = made
    both = Both.of(values, levels, L)
    shares = dict(held_out(both, TOPICS, 4, 1))["isotonic"]
    of = tables["methods"].set_index(["method", "left_out", "quantity"])
    by_topic = []
    for t in range(len(both.topics)):
        its = both.topic == t
        brier = [sum((p - (y == k)) ** 2 for k, p in enumerate(row))
                 for row, y in zip(shares[its], both.levels[its], strict=True)]  # fmt: skip
        by_topic.append(np.mean(brier))
    found = of.loc[("isotonic", "topics", "brier")]
    assert found["value"] == pytest.approx(np.mean(by_topic))
    assert found["topics"] == 12
    assert tuple(found[["value_low", "value_high"]]) == pytest.approx(mean_ends(by_topic))
    ranked = [
        np.mean([
            sum((row[k:].sum() - (y >= k)) ** 2 for k in range(1, L))
            for row, y in zip(shares[both.topic == t], both.levels[both.topic == t], strict=True)
        ])
        for t in range(len(both.topics))
    ]  # fmt: skip
    assert of.loc[("isotonic", "topics", "ranked"), "value"] == pytest.approx(np.mean(ranked))


@pytest.mark.parametrize(("topics", "folds", "parts"), [(3, 10, 3), (4, 2, 2)])
def test_differences_are_as_sure_as_parts_that_are_taught_in_common(
    topics, folds, parts, monkeypatch
):
    monkeypatch.setattr(
        "regrade.calibration.judge_calibration.mean_interval",
        lambda _, name="", number=0: (name, number),
    )
    _, values, levels = world(topics=topics, documents=8)
    judge = LabelSet("j", values, SHARE)
    found = calibration_tables(
        LabelSet.on_levels("r", levels, L), [judge], how=CalibrationOptions(folds=folds)
    )["methods"]
    others = found[found["method"] != "labels"]
    assert (others["low"] == "taught_difference").all() and (others["high"] == parts).all()


def test_labels_are_those_of_the_stage_about_judges(made):
    *_, runs, reference, judge, tables = made
    how = JudgeOptions(folds=4, resamples=1000)
    beside = judge_tables(reference, [judge], runs.ranked, ["nDCG@10", "P@10"], how)
    agreement, rankings = beside["agreement"], beside["rankings"]
    of = tables["methods"].query("method == 'labels' and quantity == 'alpha'")
    for left_out, cut in ((TOPICS, "single"), (DOCUMENTS, "per-topic")):
        theirs = agreement[(agreement["cut"] == cut) & agreement["held_out"]]
        theirs = theirs.set_index("quantity").loc["mean_alpha", "value"]
        assert of.set_index("left_out").loc[left_out, "value"] == pytest.approx(theirs)
    theirs = rankings.query("cut == 'single' and held_out and quantity == 'tau'")
    own = tables["rankings"].query("method == 'labels'")
    assert own.set_index("measure")["tau"].to_dict() == pytest.approx(
        theirs.set_index("measure")["value"].to_dict()
    )
    # which grades are relevant no probability says
    assert set(tables["rankings"].query("measure == 'P@10'")["method"]) == {"labels"}


def test_curves_count_all_documents_and_are_near_the_truth(made):
    tables = made[-1]
    curves = tables["curves"].query("method == 'isotonic' and left_out == 'topics'")
    assert (curves.groupby("level")["documents"].sum() == 12 * 30).all()
    every = tables["curves"]  # ten bins, each from its number's tenth to the next
    tenths = every["predicted"] * 10 - every["bin"]
    assert tenths.between(-1e-9, 1 + 1e-9).all() and every["bin"].between(0, 9).all()
    many = curves[curves["documents"] >= 40]
    assert (many["predicted"] - many["observed"]).abs().max() < 0.25


def test_sets_of_left_out_topics_hold_as_often_as_said(made):
    sets = made[-1]["sets"]
    assert (sets["covered"] >= sets["target"] - 0.05).all()
    prior, isotonic = (
        sets[sets["method"] == name].set_index("target")["size"] for name in ("prior", "isotonic")
    )
    assert (isotonic <= prior).all()


def test_the_middle_level_has_half_of_the_probability_up_to_it():
    shares = np.array([[0.5, 0.5, 0, 0], [0.2, 0.2, 0.2, 0.4], [0, 0, 0, 1.0]])
    assert middle_levels(shares).tolist() == [0, 2, 3]


# --- answers --------------------------------------------------------------------------------------


def checked(found, tmp_path, *names):
    return carried.checked(found, "calibration", tmp_path, *names)


@pytest.mark.parametrize("with_runs", [True, False])
def test_the_answer_says_whether_a_cut_is_enough(with_runs, made, tmp_path):
    _, values, levels, runs, *_ = made
    reference = regrade.read_qrels(levels.to_pandas(), name="people", scale=L)
    judge = regrade.read_qrels(values.to_pandas(), name="model", scale=SHARE)
    found = regrade.calibrate(
        reference, {"model": judge}, runs if with_runs else None, "nDCG@10", folds=4, resamples=200
    )
    answer = checked(found, tmp_path, "4", "0.02")
    assert ("systems" in answer.verdict) == with_runs
    assert "with people" in " ".join([answer.verdict, *answer.facts])  # agreement
    assert "Prediction sets of 90% nominal coverage cover" in found.summary()
    assert not answer.notes
    assert len(found.plot().axes) == 1


def test_what_runs_and_labels_do_not_share_is_said():
    frame, values, levels, *_ = world(topics=6, documents=12)
    reference = regrade.read_qrels(levels.to_pandas(), name="people", scale=L)
    judges = {"model": regrade.read_qrels(values.to_pandas(), scale=SHARE)}
    runs = {
        name: {topic: dict(zip(of["docno"], of["value"], strict=True)) for topic, of in own}
        for name, own in (("a", frame.groupby("topic")), ("b", [*frame.groupby("topic")][1:]))
    }
    found = regrade.calibrate(reference, judges, runs, "P@5", folds=3, resamples=10)
    lacking = sorted(set(frame["topic"]))[0]
    lacks = f"1 of 2 runs rank fewer than the 6 judged topics (b 5, not {lacking}): the others"
    assert any(one.startswith(lacks) for one in found.answer.notes)
    assert any(one.startswith("P@5 counts every grade from 1 on") for one in found.answer.notes)
    one = regrade.calibrate(reference, judges, {"a": runs["a"]}, folds=3, resamples=10)
    assert " agree" in one.answer.verdict and " agree" not in " ".join(one.answer.facts)
    assert not any("every grade from 1 on" in said for said in one.answer.notes)
    with pytest.raises(RegradeError, match="people and the runs have no topic in common"):
        regrade.calibrate(reference, judges, {"a": {"other": {"x": 1.0}}})
    with pytest.raises(RegradeError, match="no set is given"):
        regrade.calibrate(reference, {})


def test_a_judge_that_says_nothing_is_told(tmp_path):
    frame, _, levels = world()
    rng = np.random.default_rng(3)
    noise = frame[["topic", "docno"]].assign(grade=np.round(rng.random(len(frame)) * 20) / 20)
    reference = regrade.read_qrels(levels.to_pandas(), name="people", scale=L)
    judge = regrade.read_qrels(noise, name="dice", scale=SHARE)
    found = regrade.calibrate(reference, {"dice": judge}, folds=4)
    answer = checked(found, tmp_path, "4", "0.02")
    assert "The scores of dice do not predict the grades" in " ".join(answer.notes)
    assert answer.light == PROBLEM


def test_levels_of_noise_are_not_said_to_agree_less_than_others():
    """The middle level is nearly the same for all documents, and α of constants is below 0."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        grades = rng.choice(L, (14, 30), p=[0.5, 0.25, 0.15, 0.1])
        values = rng.integers(0, 21, grades.shape) / 20
        people, noise = (
            {f"t{t}": {f"d{d}": float(x) for d, x in enumerate(row)} for t, row in enumerate(own)}
            for own in (grades, values)
        )
        judge = regrade.read_qrels(noise, name="dice", scale=SHARE)
        found = regrade.calibrate(regrade.read_qrels(people, scale=L), {"dice": judge}, folds=4)
        assert found.answer.verdict.startswith("Neither thresholded nor calibrated grades of dice")
    # as soon as the judge says something, the two are compared
    some = {t: {d: v / 3 for d, v in row.items()} for t, row in people.items()}
    judge = regrade.read_qrels(some, name="copy", scale=Scale.of({"range": [0, 1]}))
    found = regrade.calibrate(regrade.read_qrels(people, scale=L), {"copy": judge}, folds=4)
    assert "do not differ significantly in agreement" in found.answer.verdict


@pytest.mark.parametrize("kind", ["coarser", "same", "two topics", "one document", "equal"])
def test_edges_are_answered(kind, tmp_path):
    topics, documents = {"two topics": (2, 20), "one document": (6, 1)}.get(kind, (6, 12))
    frame, *_ = world(topics=topics, documents=documents)
    grades, scale = frame["value"], SHARE
    if kind == "coarser":
        grades, scale = (frame["value"] > 0.5).astype(float), Scale.of({"levels": 2})
    if kind == "same":
        grades, scale = np.minimum(np.floor(4 * frame["value"]), 3), Scale.of({"levels": 4})
    if kind == "equal":
        grades = 0 * frame["value"] + 0.5
    own = frame[["topic", "docno"]].assign(grade=grades)
    people = frame[["topic", "docno"]].assign(grade=frame["level"])
    reference = regrade.read_qrels(people, name="people", scale=L)
    judge = regrade.read_qrels(own, name="model", scale=scale)
    found = regrade.calibrate(reference, {"model": judge}, systems(frame), "nDCG@10", folds=3)
    answer = checked(found, tmp_path, "4", "0.02")
    assert answer.verdict
    has_labels = (found.methods["method"] == "labels").any()
    assert has_labels == (kind != "coarser")
    assert bool(figure_calibration(found.maps).axes) == (found.maps["value"].nunique() > 2)


def test_what_cannot_be_is_refused():
    _, values, levels = world(topics=1)
    one = regrade.read_qrels(levels.to_pandas(), name="people", scale=L)
    judge = regrade.read_qrels(values.to_pandas(), name="model", scale=SHARE)
    with pytest.raises(
        RegradeError, match="there is only one topic: nothing remains to learn from"
    ):
        regrade.calibrate(one, {"model": judge})
    with pytest.raises(RegradeError, match="a reference has levels"):
        regrade.calibrate(judge, {"model": one})
    with pytest.raises(RegradeError, match="did you mean 'folds'"):
        regrade.calibrate(one, {"model": judge}, fold=3)
    apart = values.to_pandas().assign(docno="x" + values.to_pandas()["docno"])
    with pytest.raises(RegradeError, match="do docnos have the same format"):
        regrade.calibrate(one, {"model": apart})


def test_where_no_cut_is_learned_measures_of_relevance_rank_nothing():
    """Topics of one document: without a cut, and with probabilities that are no grades."""
    topics = [f"t{n}" for n in range(4)]
    people = {topic: {"d": int(n == 3)} for n, topic in enumerate(topics)}
    values = {topic: {"d": (3, 1, 0, 2)[n], "e": 3 - n} for n, topic in enumerate(topics)}
    runs = {
        name: {t: {"d": place, "e": 1.0} for t in topics} for name, place in (("a", 2), ("b", 0))
    }
    for measures, ranked in (("RR", set()), ("RR nDCG", {"nDCG"})):
        made = regrade.calibrate(people, {"m": values}, runs, measures, folds=2, resamples=5)
        assert set(made.rankings["measure"]) == ranked
        assert "systems" not in made.answer.verdict


def test_the_command_prints_it(tmp_path):
    _, values, levels = world(topics=4, documents=12)
    values.to_pandas().to_csv(tmp_path / "model.csv", index=False)
    regrade.read_qrels(levels.to_pandas(), scale=L).to_qrels(tmp_path / "people.txt")
    files = [str(tmp_path / "people.txt"), f"model={tmp_path / 'model.csv'}"]
    done = CliRunner().invoke(app, ["calibrate", *files, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["answer"]["question"].startswith("Are thresholded grades")
