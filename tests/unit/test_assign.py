"""Which documents people are asked about: further batches, aims, topics, costs; bad input."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import regrade
from regrade.command.app import app
from regrade.errors import InputError, MethodError, ParameterError
from regrade.estimation.assignment import AIMED, further_importance
from regrade.estimation.functionals import functionals
from regrade.estimation.inclusion import importance, of_pairs
from tests.unit.estimation_worlds import made
from tests.unit.test_estimates import BUDGET, MEASURES, MODEL, NAMES, PEOPLE, RUNS

ON = {"scale": 4}


def filled(asked):
    """The file that people give back."""
    frame = asked.to_frame()
    said = [PEOPLE[t][d] for t, d in zip(frame["topic"], frame["docno"], strict=True)]
    return frame.assign(grade=pd.Series(said).where(frame["chosen"].astype(bool)))


@pytest.fixture(scope="module")
def first():
    return filled(regrade.assign(RUNS, MODEL, 50, MEASURES, **ON))


@pytest.fixture(scope="module")
def second(first):
    return regrade.assign(RUNS, MODEL, 30, MEASURES, after=first, **ON)


@pytest.mark.parametrize("budget", [40, 80.5])
def test_as_many_are_chosen_as_asked(budget):
    asked = regrade.assign(RUNS, MODEL, budget, MEASURES, **ON).documents
    assert abs(asked["chosen"].sum() - budget) < 1
    by_topic = asked.groupby("topic")[["inclusion", "chosen"]].sum()
    assert (abs(by_topic["inclusion"] - by_topic["chosen"]) < 1).all()


def test_each_topic_may_have_as_many():
    asked = regrade.assign(RUNS, MODEL, BUDGET, MEASURES, per_topic=True, **ON).documents
    assert (asked.groupby("topic")["chosen"].sum() == BUDGET / 8).all()


def test_what_costs_more_is_asked_less():
    cost = {t: {d: 1.0 if d < "d15" else 9.0 for d in of} for t, of in MODEL.items()}
    asked = regrade.assign(RUNS, MODEL, BUDGET, MEASURES, cost=cost, **ON).documents
    price = np.where(asked["docno"] < "d15", 1.0, 9.0)
    assert asked["inclusion"] @ price == pytest.approx(BUDGET)
    free = regrade.assign(RUNS, MODEL, BUDGET, MEASURES, **ON).documents
    cheap = [one[one["docno"] < "d15"]["inclusion"].sum() for one in (asked, free)]
    dear = [one[one["docno"] >= "d15"]["inclusion"].sum() for one in (asked, free)]
    assert dear[0] / cheap[0] < 0.6 * dear[1] / cheap[1]


def test_a_further_batch_asks_about_other_documents(first, second):
    before = set(first[first["chosen"]][["topic", "docno"]].itertuples(index=False, name=None))
    new = second.documents
    assert not before & set(new[["topic", "docno"]].itertuples(index=False, name=None))
    assert len(new) == len(NAMES) - len(before)
    assert new["chosen"].sum() == 30 and new["inclusion"].sum() == pytest.approx(30)
    assert (new["batch"] == 2).all()
    assert "30 further of 190 documents (8 topics) are to be labelled" in second.summary()
    both = second.to_frame()
    assert len(both) == len(new) + len(first)
    assert both["grade"].count() == 50
    # no column that nobody filled in, such as of workers
    assert [*both] == ["topic", "docno", "inclusion", "chosen", "batch", "grade"]


def test_both_batches_are_estimated_from(second, tmp_path):
    second.to_csv(tmp_path / "ask.csv")
    said = regrade.estimate(filled(second), MODEL, RUNS, MEASURES, **ON)
    facts = said.facts.set_index("quantity")["value"]
    assert facts["labelled"] == facts["chosen"] == 80 and facts["documents"] == 240
    filled(second).to_csv(tmp_path / "filled.csv", index=False)
    read = regrade.estimate(tmp_path / "filled.csv", MODEL, RUNS, MEASURES, **ON)
    pd.testing.assert_frame_equal(said.systems, read.systems)
    third = regrade.assign(RUNS, MODEL, 10, MEASURES, after=tmp_path / "filled.csv", **ON)
    assert (third.documents["batch"] == 3).all() and len(third.documents) == 160
    of_all = regrade.estimate(filled(third), MODEL, RUNS, MEASURES, **ON)
    assert of_all.facts.set_index("quantity")["value"]["labelled"] == 90


def test_all_that_is_left_makes_the_scores(first):
    rest = regrade.assign(RUNS, MODEL, 190, MEASURES, after=first, **ON)
    said = regrade.estimate(filled(rest), MODEL, RUNS, MEASURES, **ON)
    scores = regrade.score(PEOPLE, RUNS, MEASURES).means()
    found = said.systems.pivot(index="system", columns="measure")
    for measure in MEASURES:
        own = found.xs(measure, axis=1, level="measure").loc[scores.index]
        np.testing.assert_allclose(own["value"], scores[measure], atol=1e-12)
        np.testing.assert_allclose(own["high"] - own["low"], 0, atol=1e-12)


@pytest.mark.parametrize(
    ("measure", "draws"),
    [
        pytest.param("P(rel=2)@5", 30, marks=pytest.mark.slow),
        pytest.param("DCG@5", 30, marks=pytest.mark.slow),
        ("DCG@5", 12),
    ],
)
def test_two_batches_hold_what_they_are_of(measure, draws):
    truth = regrade.score(PEOPLE, RUNS, measure).means()[measure]
    runs, held, off = regrade.read_runs(RUNS), [], []
    for seed in range(draws):
        one = regrade.assign(runs, MODEL, 40, measure, seed=seed, **ON)
        two = regrade.assign(runs, MODEL, 40, measure, after=filled(one), seed=seed, **ON)
        said = regrade.estimate(filled(two), MODEL, runs, measure, seed=seed, replays=0, **ON)
        systems = said.systems.set_index("system").loc[truth.index]
        held.append(systems["low"].le(truth).mul(systems["high"].ge(truth)).mean())
        off.append(systems["value"].sub(truth))
    held = np.array(held)
    assert abs(held.mean() - 0.95) < 0.02 + 3 * held.std() / np.sqrt(draws)
    off = pd.DataFrame(off)
    assert (abs(off.mean()) < 4 * off.std() / np.sqrt(draws)).all()


def test_aims_ask_about_what_is_not_told_apart(first):
    by_system = {s: {t: sorted(of, key=of.get, reverse=True)[:5] for t, of in run.items()}
                 for s, run in RUNS.items()}  # fmt: skip

    def share_of(aim, systems):
        asked = regrade.assign(RUNS, MODEL, 30, "P(rel=2)@5", after=first, aim=aim, **ON).documents
        own = {(t, d) for s in systems for t, of in by_system[s].items() for d in of}
        is_own = [key in own for key in zip(asked["topic"], asked["docno"], strict=True)]
        return asked["inclusion"][is_own].sum()

    said = regrade.estimate(first, MODEL, RUNS, "P(rel=2)@5", replays=0, **ON)
    is_open = said.pairs["low"] <= 0
    rivals = {*said.pairs.loc[is_open, "system"], *said.pairs.loc[is_open, "other"]}
    assert 1 < len(rivals) < len(RUNS)
    assert share_of("undecided", rivals) > share_of("all", rivals)
    ranked = list(said.systems["system"])
    of_first = [said.pairs["system"].isin(ranked[:k]) for k in range(1, 5)]
    of_others = [~said.pairs["other"].isin(ranked[:k]) for k in range(1, 5)]
    at_stake = [(is_open & a & b).any() for a, b in zip(of_first, of_others, strict=True)]
    k = at_stake.index(True) + 1
    assert share_of(k, ranked[k - 1 : k + 1]) > share_of("all", ranked[k - 1 : k + 1])


def test_a_part_of_importance_is_for_all_systems():
    frame, _, _, _, _ = made()
    shares = np.random.default_rng(1).dirichlet(np.ones(4), len(frame))
    of = functionals(["P@5", "nDCG@5"], range(4))
    aims = [of_pairs(4, np.array([0]), np.array([1])), np.zeros((4, 4))]
    of_all, of_aim = importance(frame, shares, of), importance(frame, shares, of, aims)
    found = further_importance(frame, shares, of, aims)
    expected = (1 - AIMED) * of_all**2 / (of_all**2).sum() + AIMED * of_aim**2 / (of_aim**2).sum()
    np.testing.assert_allclose(found**2, expected)
    np.testing.assert_allclose(further_importance(frame, shares, of, None), of_all)
    # documents that neither of the two systems ranks among the first five have none of the aim
    top = ((frame.ranks[:2] > 0) & (frame.ranks[:2] <= 5)).any(axis=0)
    assert (of_aim[~top] == 0).all() and (of_aim[top] > 0).any()


def test_nothing_is_left_to_ask_where_all_is_told_apart():
    clear = {"a": RUNS["s0"], "z": {t: {d: -v for d, v in of.items()}
                                    for t, of in RUNS["s0"].items()}}  # fmt: skip
    one = filled(regrade.assign(clear, MODEL, BUDGET, "P(rel=2)@5", **ON))
    for aim, said in (("undecided", "all pairs of systems"), (1, "all top 1 systems")):
        with pytest.raises(MethodError, match=f"{said} are already decided by the labels"):
            regrade.assign(clear, MODEL, 20, "P(rel=2)@5", after=one, aim=aim, **ON)


def without_cost():
    cost = {t: dict.fromkeys(of, 2) for t, of in MODEL.items()}
    del cost["t0"]["d03"], cost["t0"]["d07"]
    return cost


@pytest.mark.parametrize(
    ("budget", "how", "said"),
    [
        (20, {"aim": "top"}, "aim is 'top': it is all, undecided or a number"),
        (20, {"aim": 0}, "aim is 0: it is"),
        (20, {"aim": 1}, "aim 1 depends on earlier labels"),
        (20, {"cost": without_cost()}, "d03 of topic t0 has no cost"),
        (20, {"cost": {t: dict.fromkeys(of, 0) for t, of in MODEL.items()}}, "has the cost 0: "),
        (500, {"cost": {t: dict.fromkeys(of, 2) for t, of in MODEL.items()}}, "that cost 480"),
        (241, {"per_topic": True}, "the budget is 241"),
    ],
)
def test_what_cannot_be_assigned(budget, how, said):
    with pytest.raises(ParameterError, match=said):
        regrade.assign(RUNS, MODEL, budget, MEASURES, **how, **ON)


def test_what_cannot_be_before(first, second):
    with pytest.raises(MethodError, match="at least 20"):
        few = first.assign(grade=first["grade"].where(first.index < 10))
        regrade.assign(RUNS, MODEL, 20, MEASURES, after=few, **ON)
    with pytest.raises(ParameterError, match="assume uniform"):
        regrade.assign(RUNS, MODEL, 20, MEASURES, after=first.drop(columns="inclusion"), **ON)
    with pytest.raises(ParameterError, match="the budget is 191 and the frame has 190"):
        regrade.assign(RUNS, MODEL, 191, MEASURES, after=first, **ON)
    both = filled(second)
    with pytest.raises(ParameterError, match="in batch 2: keep all rows of each batch"):
        rest = both[both["chosen"] | (both["batch"] == 1)]
        regrade.estimate(rest, MODEL, RUNS, MEASURES, **ON)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda b: b.assign(batch=b["batch"] + 1), "batch 2: batches are numbered 1, 2"),
        (lambda b: b.assign(batch=b["batch"].replace(2, 3)), "batch 3: batches are numbered"),
        (lambda b: pd.concat([b, b[(b["batch"] == 1) & b["chosen"]].assign(batch=2)]),
         "was chosen in batch 1 already: it is in no later one"),
        (lambda b: pd.concat([b, b[b["batch"] == 2]]), "stands in line 2 already"),
    ],
)  # fmt: skip
def test_batches_that_cannot_be(change, said, second, tmp_path):
    change(filled(second)).to_csv(tmp_path / "both.csv", index=False)
    with pytest.raises(InputError, match=said):
        regrade.read_sample(tmp_path / "both.csv", scale=4)


def test_several_people_label_a_further_batch_too(second):
    both = filled(second)
    asked = both[both["chosen"]]
    rows = pd.concat([asked.assign(worker=name) for name in "abc"] + [both[~both["chosen"]]])
    alone = regrade.estimate(both, MODEL, RUNS, MEASURES, **ON)
    said = regrade.estimate(rows, MODEL, RUNS, MEASURES, **ON)
    pd.testing.assert_frame_equal(alone.systems, said.systems)


def test_a_document_that_nobody_labelled_in_a_further_batch_counts_by_its_batch(second):
    both = filled(second)
    new = both.index[both["chosen"] & (both["batch"] == 2)]
    missing = both.assign(grade=both["grade"].where(both.index != new[0]))
    all_there, without = (
        regrade.estimate(one, MODEL, RUNS, "P(rel=2)@5", replays=0, **ON) for one in (both, missing)
    )
    wider = (without.systems["high"] - without.systems["low"]).max()
    assert wider > (all_there.systems["high"] - all_there.systems["low"]).max()


def test_from_the_shell(first, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    regrade.read_runs(RUNS).to_frame().to_csv("runs.csv", index=False)
    regrade.read_qrels(MODEL).to_qrels("model.qrels")
    regrade.read_qrels({t: dict.fromkeys(of, 2) for t, of in MODEL.items()}).to_qrels("cost.qrels")
    first.to_csv("one.csv", index=False)

    def run(line):
        done = CliRunner().invoke(app, f"assign runs.csv model.qrels --scale 4 {line}".split())
        assert done.exit_code == 0, done.output
        return done.stdout

    said = run("--budget 30 -m nDCG@5 --after one.csv --aim undecided -q --out two.csv")
    assert "30 further of 190 documents (8 topics) are to be labelled" in said
    same = regrade.assign(RUNS, "model.qrels", 30, "nDCG@5", after="one.csv", aim="undecided",
                          per_topic=True, **ON)  # fmt: skip
    written = pd.read_csv("two.csv", dtype={"topic": str, "docno": str})
    assert written["inclusion"].tolist() == pytest.approx(same.to_frame()["inclusion"].tolist())
    assert "are to be labelled" in run("--budget 30 -m nDCG@5 --after one.csv --aim 2")
    assert "15 of 240 documents" in run("--budget 30 -m nDCG@5 --cost cost.qrels")


def junked(labels):
    """The labels with TREC's junk for some of the 0, and how many these are."""
    zero = np.flatnonzero(labels["grade"] == 0)[:6]
    labels = labels.copy()
    labels.loc[zero, "grade"] = np.resize([-1, -2], len(zero))
    return labels, len(zero)


@pytest.mark.parametrize("told", [{}, ON])
def test_junk_is_level_0_and_said(first, told):
    labels, count = junked(first)
    for runs in ({}, {"runs": RUNS, "measures": "nDCG@5"}):
        found = regrade.estimate(labels, MODEL, replays=0, **told, **runs)
        clean = regrade.estimate(first, MODEL, replays=0, **told, **runs)
        for name in clean.tables.keys() - {"answer"}:
            pd.testing.assert_frame_equal(clean.to_frame(name), found.to_frame(name))
        said = f"labels: {count} rows with grade -2 and -1 (TREC's junk), read as 0."
        assert said in found.answer.notes


def test_junk_of_all_labels_is_what_scores_make_of_it():
    labels = {t: {d: -2 if g == 0 else g for d, g in of.items()} for t, of in PEOPLE.items()}
    found = regrade.estimate(labels, MODEL, RUNS, "nDCG@5", replays=0).systems
    scores = regrade.score(labels, RUNS, "nDCG@5").means()["nDCG@5"]
    assert found.set_index("system")["value"].loc[scores.index].tolist() == pytest.approx(
        scores.tolist(), abs=1e-12
    )


@pytest.mark.parametrize("told", [{}, ON])
def test_junk_of_a_batch_before_is_level_0_and_stays_in_the_file(first, told, caplog):
    caplog.set_level("INFO")
    labels, count = junked(first)
    made, clean = (regrade.assign(RUNS, MODEL, 30, MEASURES, after=one, **told)
                   for one in (labels, first))  # fmt: skip
    assert f"labels: {count} rows with grade -2 and -1 (TREC's junk), read as 0" in caplog.text
    assert "on the scale 0, 1, 2, 3;" in made.summary()
    pd.testing.assert_frame_equal(made.documents, clean.documents)
    assert (made.to_frame()["grade"] < 0).sum() == count


def test_levels_by_name_stay_names_in_a_further_batch(first, tmp_path):
    names = ["none", "some", "much", "all"]
    labels = first.assign(grade=first["grade"].map(dict(enumerate(names))))
    asked = regrade.assign(RUNS, MODEL, 30, MEASURES, after=labels, scale=names)
    asked.to_csv(tmp_path / "ask.csv")
    by_number = regrade.assign(RUNS, MODEL, 30, MEASURES, after=first, **ON)
    pd.testing.assert_frame_equal(asked.documents, by_number.documents)
    written = pd.read_csv(tmp_path / "ask.csv")["grade"].dropna()
    assert sorted(written) == sorted(labels["grade"].dropna())
    read = regrade.estimation.question.read_sample(tmp_path / "ask.csv", scale=names)
    assert sorted(read.labels.values) == sorted(first["grade"].dropna())
