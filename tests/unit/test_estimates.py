"""What full judging would have said: library, answer, command; bad input; edges."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from matplotlib.text import Text
from scipy.stats import norm

import regrade
from regrade.answers.shape import FINE, PROBLEM
from regrade.catalogue.arrow import SCHEMAS
from regrade.command.app import app
from regrade.errors import InputError, MethodError, ParameterError, RegradeError
from regrade.estimation import measure_estimates
from regrade.estimation.answer import BOUNDED
from regrade.estimation.assignment import drawn_sample
from regrade.estimation.batches import Counting
from regrade.estimation.estimates import MOST_SURE, Estimate, LabelledSample
from regrade.estimation.frame import Frame
from regrade.estimation.functionals import functionals
from regrade.estimation.labels import Levels
from regrade.estimation.question import read_models
from regrade.estimation.replays import Coverage
from regrade.estimation.samples import Documents, values_of
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import ConfigError, complete
from tests.unit import carried

TOPICS, DOCUMENTS, SYSTEMS = 8, 30, 5
NAMES = [(f"t{t}", f"d{i:02}") for t in range(TOPICS) for i in range(DOCUMENTS)]
MEASURES = ["P(rel=2)@5", "nDCG@5"]
BUDGET = 80


def world(systems=SYSTEMS, topics=TOPICS, noise=0.6):
    """Runs, people's labels, a model's values."""
    rng = np.random.default_rng(7)
    merit = rng.normal(size=len(NAMES))
    grades = np.digitize(merit, (0.0, 0.7, 1.5))
    values = np.round(1 / (1 + np.exp(-merit - rng.normal(0, noise, len(NAMES)))), 2)
    runs = {}
    for s in range(systems):
        scores = merit + rng.normal(0, 0.3 + 0.4 * s, len(NAMES))
        for (topic, docno), value in zip(NAMES, scores, strict=True):
            runs.setdefault(f"s{s}", {}).setdefault(topic, {})[docno] = float(value)
    people, model = {}, {}
    for (topic, docno), grade, value in zip(NAMES, grades, values, strict=True):
        people.setdefault(topic, {})[docno] = int(grade)
        model.setdefault(topic, {})[docno] = float(value)
    kept = [f"t{t}" for t in range(topics)]
    runs = {name: {t: run[t] for t in kept} for name, run in runs.items()}
    return runs, {t: people[t] for t in kept}, {t: model[t] for t in kept}


RUNS, PEOPLE, MODEL = world()


def filled(asked, people=PEOPLE):
    """What people were asked, with their labels."""
    frame = asked.to_frame()
    grades = [people[t][d] for t, d in zip(frame["topic"], frame["docno"], strict=True)]
    return frame.assign(grade=pd.Series(grades).where(frame["chosen"]))


@pytest.fixture(scope="module")
def asked():
    return regrade.assign(RUNS, MODEL, BUDGET, MEASURES, scale=4)


@pytest.fixture(scope="module")
def found(asked):
    return regrade.estimate(filled(asked), MODEL, RUNS, MEASURES, scale=4)


def checked(found, tmp_path):
    """Its tables are as the catalogue says, and every sentence is carried by them."""
    assert all(f"estimates/{name}" in SCHEMAS for name in found.tables)
    return carried.checked(found, "estimates", tmp_path, *found.measures)


# --- which documents people are asked about -------------------------------------------------------


def test_documents_are_chosen_with_known_probabilities(asked):
    frame = asked.documents
    assert list(frame) == ["topic", "docno", "inclusion", "chosen"]
    assert len(frame) == len(NAMES)
    assert frame["inclusion"].sum() == pytest.approx(BUDGET)
    assert frame["inclusion"].between(0, 1, inclusive="right").all()
    assert frame["chosen"].is_monotonic_decreasing
    assert abs(frame["chosen"].sum() - BUDGET) < 4 * np.sqrt(BUDGET)
    assert f"{frame['chosen'].sum()} of 240 documents (8 topics) are to be" in repr(asked)
    again = regrade.assign(RUNS, MODEL, BUDGET, MEASURES, scale=4)
    pd.testing.assert_frame_equal(frame, again.documents)
    other = regrade.assign(RUNS, MODEL, BUDGET, MEASURES, scale=4, seed=2)
    assert (frame["chosen"].sum(), *frame["docno"]) != (
        other.documents["chosen"].sum(), *other.documents["docno"],
    )  # fmt: skip


def test_what_is_asked_is_written_and_read(asked, tmp_path):
    asked.to_csv(tmp_path / "ask.csv")
    text = (tmp_path / "ask.csv").read_text()
    assert text.startswith("topic,docno,inclusion,chosen,grade\n")
    with pytest.raises(ParameterError, match="no document has a grade"):
        regrade.estimate(tmp_path / "ask.csv", MODEL, RUNS, MEASURES)
    filled(asked).to_csv(tmp_path / "filled.csv", index=False)
    read = regrade.estimate(tmp_path / "filled.csv", MODEL, RUNS, MEASURES, scale=4)
    given = regrade.estimate(filled(asked), MODEL, RUNS, MEASURES, scale=4)
    pd.testing.assert_frame_equal(read.pairs, given.pairs)


@pytest.mark.parametrize(
    ("budget", "how", "said"),
    [
        (0, {"scale": 4}, "budget is 0: give more than 0"),
        (241, {"scale": 4}, "the budget is 241 and the frame has 240 documents"),
        (80, {}, "human labels cannot be on numbers from .*: give their levels"),
        (80, {"scale": (0, 1)}, "human labels cannot be on"),
        (80, {"scale": 4, "measures": "RR"}, "RR cannot be estimated"),
    ],
)
def test_what_cannot_be_assigned(budget, how, said):
    with pytest.raises(RegradeError, match=said):
        regrade.assign(RUNS, MODEL, budget, **{"measures": "nDCG@5", **how})


# --- what is estimated ----------------------------------------------------------------------------


def test_the_answer_is_carried_by_its_tables(found, tmp_path):
    answer = checked(found, tmp_path)
    best = found.systems.iloc[0]["system"]
    assert f" labels, {best} ranks first" in answer.verdict
    assert answer.rows.title.startswith("estimated P(rel=2)@5 · 5 systems")
    facts = found.facts.set_index(["measure", "quantity"])["value"]
    assert facts["*", "documents"] == 240
    assert facts["*", "labelled"] == filled(regrade.assign(RUNS, MODEL, BUDGET, MEASURES, scale=4))[
        "grade"
    ].count()  # fmt: skip
    figure = found.plot()
    assert len(figure.axes) == 2
    assert found.to_frame("pairs") is found.pairs


def test_pairs_are_differences_of_systems(found):
    values = found.systems.set_index(["measure", "system"])["value"]
    pairs = found.pairs
    assert len(pairs) == 2 * 10
    for row in pairs.itertuples():
        between = values[row.measure, row.system] - values[row.measure, row.other]
        assert row.difference == pytest.approx(between)
        assert row.difference >= 0
        assert row.low < row.difference < row.high
        assert (row.p < 0.05) == (row.low > 0)
    for measure, own in found.systems.groupby("measure", sort=False):
        of = pairs[pairs["measure"] == measure]
        z = of["difference"] / ((of["high"] - of["low"]) / 2 / norm.ppf(0.975))
        # between a single test of each and Bonferroni's
        least, most = (set(of.loc[z > norm.isf(0.05 / tests), "other"]) for tests in (4, 1))
        assert least <= set(own.loc[~own["may_be_first"], "system"]) <= most
        assert (of["p_adjusted"] >= of["p"]).all()
        assert (of["p_adjusted"] <= 10 * of["p"] + 0.005).all()
        assert own["value"].is_monotonic_decreasing
    assert found.systems[["low", "high"]].notna().all(axis=None)
    assert found.systems["topics_low"].isna().all()  # of eight topics


def test_facts_are_of_what_tables_hold(asked, found):
    facts = found.facts.set_index(["measure", "quantity"])["value"]
    for measure in found.measures:
        own = found.pairs.loc[found.pairs["measure"] == measure]
        systems = found.systems.loc[found.systems["measure"] == measure]
        assert facts[measure, "pairs"] == len(own) == 10
        assert facts[measure, "significant"] == (own["p_adjusted"] < 0.05).sum() > 0
        assert facts[measure, "median width of pairs"] == np.median(own["high"] - own["low"])
        assert facts[measure, "median width"] == np.median(systems["high"] - systems["low"])
        assert 0.8 < facts[measure, "held of systems"] <= 1
    unseen = regrade.estimate(filled(asked), MODEL, RUNS, "P(rel=2)@5", scale=4, replays=0)
    nobody = unseen.facts.set_index("quantity")["value"][["held of systems", "held of pairs"]]
    assert nobody.isna().all()
    pd.testing.assert_frame_equal(unseen.pairs, found.pairs[:10])


@pytest.mark.parametrize(("of_systems", "of_pairs"), [(0.8, 0.95), (0.95, 0.8), (0.6, 0.7)])
def test_intervals_that_would_not_hold_are_not_given(
    asked, of_systems, of_pairs, tmp_path, monkeypatch
):
    shares = [np.full(5, of_systems), np.full(5, of_pairs)]
    monkeypatch.setattr(measure_estimates, "replay", lambda *a: [Coverage(*shares)] * 2)
    found = regrade.estimate(filled(asked), MODEL, RUNS, MEASURES, scale=4)
    assert found.systems[["low", "high"]].notna().all(axis=None) == (of_systems > 0.93)
    assert found.pairs[["low", "high", "p"]].notna().all(axis=None) == (of_pairs > 0.93)
    answer = checked(found, tmp_path)
    assert len(answer.notes) == 2
    low = [of for of in (of_systems, of_pairs) if of < 0.93]
    assert all(f"{of:.0%} (" in answer.notes[0] for of in low)
    assert found.plot().axes


def test_so_few_labels_that_no_replay_has_enough(asked, tmp_path, monkeypatch):
    monkeypatch.setattr(
        measure_estimates,
        "replay",
        lambda *a: [Coverage(np.full(5, np.nan), np.full(5, np.nan))] * 2,
    )
    found = regrade.estimate(filled(asked), MODEL, RUNS, MEASURES, scale=4)
    assert found.pairs["low"].isna().all()
    assert found.systems["may_be_first"].all()
    answer = checked(found, tmp_path)
    assert answer.verdict.endswith("; no valid test of the other systems is available.")
    assert "with so few labels their coverage cannot be assessed." in answer.notes[0]
    assert answer.light == PROBLEM
    assert found.plot().axes


def test_what_is_left_to_the_model_alone_has_no_intervals(asked, tmp_path, monkeypatch):
    no_sum = property(lambda self: not self.functional.is_sum)
    for name in ("is_modelled", "are_pairs_modelled"):
        monkeypatch.setattr(measure_estimates.MeasureEstimate, name, no_sum)
    found = regrade.estimate(filled(asked), MODEL, RUNS, ["nDCG@5", "P@5"], scale=4, replays=2)
    for table in (found.systems, found.pairs):
        is_given = table["low"].notna().groupby(table["measure"]).agg(["any", "all"])
        assert not is_given.loc["nDCG@5"].any()
        assert is_given.loc["P@5"].all()
    notes = checked(found, tmp_path).notes
    start = "There are no intervals of system scores and differences for nDCG@5"
    assert [one for one in notes if one.startswith(start)]
    assert not [one for one in notes if "withheld" in one]


@pytest.mark.parametrize(
    ("sure", "is_modelled"), [(MOST_SURE - 1e-9, False), (MOST_SURE + 1e-9, True)]
)
def test_values_and_differences_are_left_to_the_model_each_by_its_own(sure, is_modelled):
    errors = np.eye(2)
    for kind in ("sure", "sure_of_pairs"):
        one = Estimate(errors, errors[0], errors, **{kind: sure})
        found = measure_estimates.MeasureEstimate(None, one, None, None)
        is_of = {"sure": found.is_modelled, "sure_of_pairs": found.are_pairs_modelled}
        assert is_of.pop(kind) == is_modelled
        assert list(is_of.values()) == [False]


def test_differences_have_intervals_where_only_values_are_left_to_the_model(asked, monkeypatch):
    monkeypatch.setattr(measure_estimates.MeasureEstimate, "is_modelled", True)
    found = regrade.estimate(filled(asked), MODEL, RUNS, "nDCG@5", scale=4)
    assert found.systems[["low", "high", "topics_low", "topics_high"]].isna().all(axis=None)
    assert found.pairs[["low", "high"]].notna().all(axis=None)
    said = [one for one in found.answer.notes if "no intervals" in one]
    assert len(said) == 1
    assert "no intervals of system scores for nDCG@5:" in said[0]


@pytest.mark.parametrize("measure", ["AP(rel=2)", "nDCG", "nDCG@11"])
def test_what_rests_on_all_relevant_documents_has_no_intervals(measure, asked, tmp_path):
    found = regrade.estimate(filled(asked), MODEL, RUNS, measure, scale=4, replays=2)
    for table in (found.systems, found.pairs):
        assert table[["low", "high"]].isna().all(axis=None)
    assert found.systems["topics_low"].isna().all()
    answer = checked(found, tmp_path)
    assert any(f"no intervals for {measure}: " in note for note in answer.notes)


def test_topics_may_be_a_sample_too():
    more = {f"{t}{i}": of for t, of in PEOPLE.items() for i in "ab"}
    runs = {s: {f"{t}{i}": of for t, of in run.items() for i in "ab"} for s, run in RUNS.items()}
    found = regrade.estimate(more, more, runs, "P(rel=2)@5", scale=4).systems.set_index("system")
    ranked = regrade.rank(regrade.read_qrels(more, scale=4), runs, "P(rel=2)@5", draws=100)
    ends = ranked.systems.set_index("system").loc[found.index, ["low", "high"]]
    np.testing.assert_allclose(found[["topics_low", "topics_high"]], ends)


def test_all_labelled_is_the_score_itself(tmp_path):
    labels = pd.DataFrame(
        [(t, d, g, 1.0) for t, of in PEOPLE.items() for d, g in of.items()],
        columns=["topic", "docno", "grade", "inclusion"],
    )
    named = [*MEASURES, "RBP(p=0.8)", "AP(rel=2)", "nDCG"]
    for given in (labels, PEOPLE, labels.drop(columns="inclusion")):
        found = regrade.estimate(given, MODEL, RUNS, named, scale=4)
        qrels = regrade.read_qrels(PEOPLE, scale=4)
        means = regrade.score(qrels, RUNS, named).means()
        for row in found.systems.itertuples():
            ends = [means.loc[row.system, row.measure]] * 3
            assert [row.value, row.low, row.high] == pytest.approx(ends, abs=1e-12)
        assert set(found.pairs["p"]) <= {0.0, 1.0}
        answer = checked(found, tmp_path)
        assert answer.method.startswith("All 240 documents of 8 topics had human labels")
        assert answer.verdict.endswith("; all documents have human labels.")
        assert answer.light == FINE
        # with no word of how these were chosen, a model's set may have been named first
        doubted = [] if given is labels else [
            "The first set labels all 240 documents and has no `chosen` or `inclusion`, unlike a "
            "file by `assign`: it is treated as human labels. If it is the model's, swap the two: "
            "human labels come first."
        ]  # fmt: skip
        assert list(answer.notes) == doubted
        assert " to " not in answer.facts[0]
        # all labels are known, and yet other topics could tell otherwise
        told = found.facts.set_index(["measure", "quantity"])["value"][MEASURES[0], "significant"]
        assert answer.facts[0] == f"{told:.0f} of 10 pairs of systems differ."


def test_labels_of_a_few_documents_are_enough_where_they_are_all():
    runs = {"a": {"1": {"d1": 2.0, "d2": 1.0}}, "b": {"1": {"d2": 2.0, "d1": 1.0}}}
    found = regrade.estimate({"1": {"d1": 1, "d2": 0}}, {"1": {"d1": 1, "d2": 1}}, runs, "P@1")
    assert found.systems["value"].tolist() == [1.0, 0.0]
    assert found.pairs["p"].tolist() == [0.0]


def test_a_model_that_says_nothing_costs_width_and_no_truth():
    nothing = {t: dict.fromkeys(of, 0.5) for t, of in MODEL.items()}
    asked = regrade.assign(RUNS, nothing, BUDGET, "P(rel=2)@5", scale=4)
    found = regrade.estimate(filled(asked), nothing, RUNS, "P(rel=2)@5", scale=4)
    truth = regrade.score(PEOPLE, RUNS, "P(rel=2)@5").means()["P(rel=2)@5"]
    off = found.systems["value"].to_numpy() - truth[found.systems["system"]].to_numpy()
    errors = (found.systems["high"] - found.systems["low"]).to_numpy() / 2 / 1.96
    assert (np.abs(off) < 4 * errors).all()


def test_several_models_are_used_at_once(asked):
    noise = world(noise=3)[2]
    both = regrade.estimate(filled(asked), {"good": MODEL, "bad": noise}, RUNS, MEASURES, scale=4)
    bad = regrade.estimate(filled(asked), noise, RUNS, MEASURES, scale=4)
    facts = both.facts.set_index("quantity")["value"]
    assert facts["models"] == 2
    numbers = [one.facts.set_index(["measure", "quantity"])["value"] for one in (both, bad)]
    wide = ("nDCG@5", "median width of pairs")
    assert numbers[0][wide] < numbers[1][wide]


def test_models_are_named(tmp_path):
    regrade.read_qrels(PEOPLE).to_qrels(tmp_path / "people.qrels")
    path = tmp_path / "people.qrels"
    assert list(read_models(path)) == ["people"]
    assert list(read_models([path, path])) == ["people 1", "people 2"]
    assert list(read_models({"a": path, "b": PEOPLE})) == ["a", "b"]
    assert len(read_models(PEOPLE)) == 1
    columns = {"topic": ["1"], "docno": ["d"], "grade": [1]}
    assert len(read_models(columns)) == 1
    assert list(read_models({"a": PEOPLE, "b": MODEL})) == ["a", "b"]
    with pytest.raises(ParameterError, match="the list is empty"):
        read_models([])


def test_topics_without_values_are_told_of(asked, tmp_path):
    model = {t: of for t, of in MODEL.items() if t != "t3"}
    found = regrade.estimate(filled(asked), model, RUNS, MEASURES, scale=4)
    answer = checked(found, tmp_path)
    assert "1 topic has no model scores (t3)." in answer.notes
    assert found.facts.set_index("quantity")["value"]["documents without values"] == DOCUMENTS


def test_chosen_documents_without_labels_widen_intervals_to_what_they_could_do(asked, tmp_path):
    whole = filled(asked)
    lost = whole["chosen"] & (np.arange(len(whole)) < 2)
    some = regrade.estimate(
        whole.assign(grade=whole["grade"].mask(lost)), MODEL, RUNS, MEASURES, scale=4
    )
    answer = checked(some, tmp_path)
    names = ", ".join(f"{row.docno} (topic {row.topic})" for row in whole[lost].itertuples())
    assert (
        f"2 selected documents have no label: {names}. Until `grade` is filled in there, intervals "
        f"for P(rel=2)@5 and nDCG@5 allow for any grade and are wide. {BOUNDED}" in answer.notes
    )
    for table, key in (("systems", ["system"]), ("pairs", ["system", "other"])):
        key, value = ["measure", *key], "value" if table == "systems" else "difference"
        wide = getattr(some, table).set_index(key)
        for grade in (0, 3):
            labels = whole.assign(grade=whole["grade"].mask(lost, grade))
            one = getattr(regrade.estimate(labels, MODEL, RUNS, MEASURES, scale=4), table)
            one = one.set_index(key).reindex(wide.index).dropna(subset="low")
            assert set(one.index.get_level_values("measure")) == set(MEASURES)
            own = wide.loc[one.index]
            assert (own["low"] <= one[value]).all() and (one[value] <= own["high"]).all()
            wider = own["high"] - own["low"] - (one["high"] - one["low"])
            assert (wider.groupby("measure").max() > 0.01).all()


@pytest.mark.parametrize("measure", ["P(rel=2)@5", "nDCG@5", "DCG", "RBP(p=0.8)"])
def test_a_lacking_label_reaches_as_far_as_its_levels_do(measure):
    """Of a topic whose other documents are labelled, all levels being as likely there.

    What is expected are sums over ideals, each the mean of the levels'.
    """
    ranked = regrade.read_runs({"a": {"t": {"x": 3.0, "y": 2.0, "z": 1.0}},
                                "b": {"t": {"z": 3.0, "y": 2.0, "x": 1.0}}}).ranked  # fmt: skip
    frame, _ = Frame.of(["t"] * 3, ["x", "y", "z"], ranked)
    (functional,) = functionals([measure], range(4))
    counting = Counting.once(np.ones(3), np.ones(3, bool))
    sample = LabelledSample(np.ones(3), np.array([0, 2]), np.array([2, 1]), counting)
    levels = Levels(np.full((3, 4), 0.25), sample, np.array([1]))
    none = np.zeros(2)
    found = measure_estimates.MeasureEstimate(
        functional, Estimate(none[:, None], none, np.zeros((2, 2))), frame, levels
    )
    at = [np.array([2, level, 1]) for level in range(4)]
    values = np.array([functional.value(levels, frame.by_topic[0]) for levels in at])
    gains = functional.gains[np.array(at)]
    W = np.array([1.0, *functional.weights(np.array([2, 3]))])
    ideals = np.sort(gains)[:, ::-1] @ W if measure == "nDCG@5" else np.ones(4)
    expected = (values * ideals[:, None]).mean(axis=0) / ideals.mean()
    moved = values - expected
    ends = np.array([-moved.min(axis=0), moved.max(axis=0)]).T
    np.testing.assert_allclose(found.of_systems, ends, atol=1e-12)
    apart = moved[:, 0] - moved[:, 1]
    pair = np.array([0]), np.array([1])
    np.testing.assert_allclose(found.of_pairs(*pair), [[-apart.min(), apart.max()]], atol=1e-12)


def test_several_people_of_one_document_become_one(asked, tmp_path):
    first = filled(asked).assign(worker="w1")
    labelled = first[first["grade"].notna()]
    second = labelled.assign(worker="w2", grade=np.minimum(labelled["grade"] + 1, 3))
    both = pd.concat([first, second])
    found = regrade.estimate(both, MODEL, RUNS, MEASURES, scale=4)
    alone = regrade.estimate(first, MODEL, RUNS, MEASURES, scale=4)
    # ties go to the lower grade
    pd.testing.assert_frame_equal(found.systems, alone.systems)
    sample = regrade.read_sample(both, scale=4, several="median_high")
    higher = regrade.estimate(sample, MODEL, RUNS, MEASURES, scale=4)
    assert higher.systems["value"].sum() > found.systems["value"].sum()
    n = len(labelled)
    labels = f"{n} of 240 documents of 8 topics had human labels ({2 * n} labels)."
    assert labels in checked(found, tmp_path).method


# --- edges ----------------------------------------------------------------------------------------


def test_one_system(tmp_path):
    runs, people, model = world(systems=1)
    asked = regrade.assign(runs, model, BUDGET, "P(rel=2)@5", scale=4)
    found = regrade.estimate(filled(asked, people), model, runs, "P(rel=2)@5", scale=4)
    answer = checked(found, tmp_path)
    assert answer.verdict.startswith("There is only one system, s0: its estimated P(rel=2)@5 is ")
    assert len(found.pairs) == 0
    (words,) = found.plot().texts  # of one system there is nothing to draw
    assert words.get_text()


def test_one_topic(tmp_path):
    runs, people, model = world(topics=1)
    asked = regrade.assign(runs, model, 25, MEASURES, scale=4)
    found = regrade.estimate(filled(asked, people), model, runs, MEASURES, scale=4)
    answer = checked(found, tmp_path)
    assert answer.rows.title.endswith(" · 1 topic")


def test_equal_systems(tmp_path):
    runs = dict.fromkeys("abc", RUNS["s0"])
    asked = regrade.assign(runs, MODEL, BUDGET, MEASURES, scale=4)
    found = regrade.estimate(filled(asked), MODEL, runs, MEASURES, scale=4)
    answer = checked(found, tmp_path)
    assert answer.verdict == "All 3 systems have the same estimated P(rel=2)@5."
    assert found.plot().axes


# --- bad input ------------------------------------------------------------------------------------


def test_labels_chosen_nobody_knows_how_need_an_assumption(tmp_path):
    few = {t: {d: of[d] for d in list(of)[:10]} for t, of in PEOPLE.items()}
    with pytest.raises(ParameterError, match=r"give no inclusion probabilities.* assume uniform"):
        regrade.estimate(few, MODEL, RUNS, MEASURES)
    found = regrade.estimate(few, MODEL, RUNS, MEASURES, assume="uniform", scale=4)
    assert any("assumed to be uniform" in note for note in checked(found, tmp_path).notes)
    with pytest.raises(ParameterError, match="assume"):
        regrade.estimate(few, MODEL, RUNS, MEASURES, assume="anything")


def changed(asked, **columns):
    frame = filled(asked)
    for name, value in columns.items():
        frame[name] = frame[name].astype(object)
        frame.loc[0, name] = value
    return frame


@pytest.mark.parametrize(
    ("yes", "no"), [("WAHR", "FALSCH"), ("VRAI", "FAUX"), ("VERDADERO", "FALSO"), ("TRUE", "FALSE")]
)
def test_what_spreadsheets_of_other_languages_write_is_read(asked, tmp_path, yes, no):
    plain = filled(asked)
    plain.to_csv(tmp_path / "plain.csv", index=False)
    plain.assign(chosen=np.where(plain["chosen"], yes, no)).to_csv(
        tmp_path / "filled.csv", sep=";", decimal=",", index=False
    )
    one, other = (regrade.read_sample(tmp_path / name) for name in ("plain.csv", "filled.csv"))
    assert one.table.equals(other.table)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"inclusion": 0}, r"1: inclusion 0 is not an inclusion probability"),
        ({"inclusion": 1.5}, r"1: inclusion 1.5 is not an inclusion probability"),
        ({"inclusion": -0.5}, r"1: inclusion -0.5 is not an inclusion probability"),
        ({"inclusion": None}, r"1: inclusion is empty"),
        ({"inclusion": "much"}, r"1: inclusion 'much' is no"),
        ({"grade": 7}, r"1: grade 7 is not on the scale"),
        ({"grade": "good"}, r"1: grade 'good' is no"),
        ({"chosen": False}, r"1: chosen says no, but there is a grade"),
        ({"chosen": "perhaps"}, r"1: chosen 'perhaps' is neither yes nor no"),
        ({"docno": ""}, r"1: docno is empty"),
    ],
)
def test_bad_rows_are_named(asked, columns, said, tmp_path):
    frame = changed(asked, **columns)
    with pytest.raises(InputError) as of_frame:
        regrade.estimate(frame, MODEL, RUNS, MEASURES, scale=4)
    assert re.search(said, str(of_frame.value)), of_frame.value
    assert "A row is: topic, docno" in str(of_frame.value)
    frame.to_csv(tmp_path / "ask.csv", index=False)
    with pytest.raises(InputError) as of_file:
        regrade.estimate(tmp_path / "ask.csv", MODEL, RUNS, MEASURES, scale=4)
    assert re.search("ask.csv:2: " + said[3:], str(of_file.value)), of_file.value


def test_documents_that_come_again(asked):
    frame = filled(asked)
    with pytest.raises(InputError, match=r"stands in line 1 already.*in a column worker"):
        regrade.estimate(pd.concat([frame, frame.head(1)]), MODEL, RUNS, MEASURES, scale=4)
    own = frame.assign(worker="w")
    with pytest.raises(InputError, match=r"stands in line 1 already.*keep one row"):
        regrade.estimate(pd.concat([own, own.head(1)]), MODEL, RUNS, MEASURES, scale=4)
    other = own.head(1).assign(worker="x", inclusion=0.123)
    with pytest.raises(InputError, match="241: inclusion is not that of the document's line 1"):
        regrade.estimate(pd.concat([own, other]), MODEL, RUNS, MEASURES, scale=4)


def test_rows_of_other_documents_are_needed(asked):
    chosen = filled(asked)[asked.documents["chosen"]]
    with pytest.raises(ParameterError, match="keep the rows of documents that were not chosen"):
        regrade.estimate(chosen, MODEL, RUNS, MEASURES, scale=4)


@pytest.mark.parametrize(
    ("how", "error", "said"),
    [
        ({"assume": "uniform"}, ParameterError, "assume: labels give the inclusion"),
        ({"scale": (0, 3)}, ParameterError, "levels are needed"),
        ({"measures": "RR"}, ParameterError, "RR cannot be estimated"),
        ({"model": {"x": {"y": 1, "z": 0}}}, MethodError, "share no document"),
        (
            {"model": {f"0{topic}": of for topic, of in MODEL.items()}},
            MethodError,
            r"share no document \(topics '0t0' and 't0', .* differ by leading zeros only",
        ),
        ({"runs": {"a": {"x": {"y": 1.0}}}}, MethodError, "no topic in common"),
    ],
)
def test_what_cannot_be_estimated(asked, how, error, said):
    given = {"model": MODEL, "runs": RUNS, "measures": MEASURES, "scale": 4} | how
    with pytest.raises(error, match=said):
        regrade.estimate(filled(asked), **given)


def test_too_few_labels(asked):
    frame = filled(asked)
    frame.loc[10:, "grade"] = None
    with pytest.raises(MethodError, match="label at least 20 documents"):
        regrade.estimate(frame, MODEL, RUNS, MEASURES, scale=4)


def test_several_is_one_of_some(asked):
    with pytest.raises(ParameterError, match="several"):
        sample = regrade.read_sample(filled(asked), scale=4, several="mean")
        regrade.estimate(sample, MODEL, RUNS, MEASURES)


# --- the configuration, and what files are --------------------------------------------------------

BY_BUDGET = {"models": ["model"], "qrels": "people", "budget": 60, "measures": ["nDCG@5"]}
BY_FILE = {"models": ["model"], "file": "{data}/ask.csv", "levels": 4}


def collection_of(*estimates):
    own = {
        "runs": "{data}/runs/*",
        "qrels": {
            "people": {"file": "{data}/people.qrels", "levels": 4},
            "model": {"file": "{data}/model.qrels", "range": [0, 1]},
        },
        "estimates": list(estimates),
    }
    return read_collection("own", complete({"collection": "own", "collections": {"own": own}}))


@pytest.mark.parametrize(
    ("item", "said"),
    [
        (BY_FILE | BY_BUDGET, "model: give the `file` with the human labels, or `qrels` and"),
        ({"models": ["model"]}, "model: give the `file` with the human labels, or `qrels` and"),
        (BY_FILE | {"budget": 3}, "model: budget: goes with `qrels` only"),
        ({"models": ["model"], "qrels": "people"}, "model: qrels: goes with `budget`"),
        (BY_BUDGET | {"models": ["people"]}, "people.models: people holds the human labels"),
        (BY_BUDGET | {"levels": 4}, "model.levels: are those of the qrels"),
        ({"models": ["model"], "file": "a"}, "model.levels: are needed"),
        (BY_BUDGET | {"measures": ["RR"]}, "model.measures: RR cannot be estimated"),
        (BY_BUDGET | {"models": ["modell"]}, "model"),
        (BY_BUDGET | {"qrels": "model", "models": ["people"]}, "and all of its values are needed"),
    ],
)
def test_what_cannot_be_configured(item, said):
    with pytest.raises(ConfigError) as caught:
        collection_of(item)
    assert said in str(caught.value)


def test_a_budget_chooses_of_all_labels():
    runs, model = regrade.read_runs(RUNS), regrade.read_qrels(MODEL)
    people = regrade.read_qrels({t: of for t, of in PEOPLE.items() if t != "t0"}, scale=4)
    models = {"model": model.table}
    sample = drawn_sample(people.table, models, runs.ranked, 60, ["nDCG@5"], people.scale)
    frame = sample.to_pandas()
    assert frame["inclusion"].sum() == pytest.approx(60)
    is_labelled = frame["grade"].notna()
    assert (is_labelled == (frame["chosen"] & (frame["topic"] != "t0"))).all()
    documents = Documents.of(sample, models)
    assert (documents.chosen & ~documents.labelled).sum() == (
        frame["chosen"] & (frame["topic"] == "t0")
    ).sum()  # fmt: skip


def test_names_that_are_formulas_are_none_in_a_spreadsheet_and_themselves_when_read(tmp_path):
    names = ["=1+1", "+x", "-x", "@sum", "'=x", "''-y", "'quoted", "plain", "a=b"]
    documents = pd.DataFrame({"topic": "=t", "docno": names, "inclusion": 0.5, "chosen": False})
    given = regrade.estimation.question.Assigned(documents, None)
    given.to_csv(tmp_path / "ask.csv")
    written = pd.read_csv(tmp_path / "ask.csv")
    assert not written["docno"].str.contains("^[=+@-]").any()
    assert written["docno"].tolist()[4:] == ["''=x", "'''-y", "'quoted", "plain", "a=b"]
    written.assign(grade=1, chosen=True).to_csv(tmp_path / "filled.csv", index=False)
    for source in (tmp_path / "filled.csv", written.assign(grade=1, chosen=True)):
        read = regrade.estimation.question.read_sample(source).table
        assert sorted(read["docno"].to_pylist()) == sorted(names)
        assert {*read["topic"].to_pylist()} == {"=t"}


@pytest.mark.parametrize("first", [True, False])
def test_a_model_without_any_label_has_a_column_of_none(first):
    some = pa.table({"topic": ["t"], "docno": ["d"], "grade": [2.0]})
    models = {"nobody": some.slice(0, 0), "some": some}
    names = list(models) if first else [*models][::-1]
    found = values_of({name: models[name] for name in names})
    assert [*found] == ["topic", "docno", *(f"value {name}" for name in names)]
    assert found["value some"].tolist() == [2.0]
    assert found["value nobody"].isna().all()
    assert values_of({}).columns.tolist() == ["topic", "docno"]


@pytest.mark.parametrize(("slip", "said"), [(9, "above 3"), (4, "above 3")])
@pytest.mark.parametrize("how", [{}, {"runs": RUNS, "measures": "nDCG@5"}])
def test_slips_of_the_pen_are_no_grades(asked, slip, said, how):
    labels = filled(asked)
    grades = {t: {d: round(3 * v) for d, v in of.items()} for t, of in MODEL.items()}
    row = labels["grade"].first_valid_index()
    labels.loc[row, "grade"] = slip
    with pytest.raises(ParameterError, match=said) as error:
        regrade.estimate(labels, grades, replays=0, **how)
    place = f"{slip} of {labels.at[row, 'docno']} (topic {labels.at[row, 'topic']})"
    assert place in str(error.value)
    remedy = f"--scale {slip + 1}"
    assert remedy in str(error.value)
    told = regrade.estimate(labels, grades, replays=0, scale=slip + 1, **how)
    assert told.labels["grade"].max() == slip
    with pytest.raises(ParameterError, match=said):
        regrade.assign(how.get("runs"), grades, 20, after=labels)


def test_people_may_use_more_levels_than_a_model_does(asked):
    yes = {t: {d: int(v > 0.5) for d, v in of.items()} for t, of in MODEL.items()}
    found = regrade.estimate(filled(asked), yes, replays=0)
    assert found.labels["grade"].max() == 3


def test_a_judge_of_several_is_chosen_by_where(asked, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(t, d, j, round(3 * v)) for t, of in MODEL.items() for d, v in of.items() for j in "ab"]
    pd.DataFrame(rows, columns=["topic", "docno", "worker", "grade"]).to_csv(
        "both.csv", index=False
    )
    arguments = ["both.csv", "--budget", "60", "--out", "ask.csv"]
    refused = CliRunner().invoke(app, ["assign", *arguments])
    assert refused.exit_code
    assert "--model-where" in refused.stderr
    made = CliRunner().invoke(app, ["assign", *arguments, "--model-where", "worker=b"])
    assert made.exit_code == 0, made.stderr
    frame = pd.read_csv("ask.csv", dtype={"topic": str, "docno": str})
    grades = [PEOPLE[t][d] for t, d in zip(frame["topic"], frame["docno"], strict=True)]
    frame.assign(grade=pd.Series(grades).where(frame["chosen"])).to_csv("ask.csv", index=False)
    said = CliRunner().invoke(
        app, ["estimate", "ask.csv", "both.csv", "--model-where", "worker=b", "--replays", "0"]
    )
    assert said.exit_code == 0, said.stderr
    assert "60 of 240 documents labelled" in said.stdout
    assert "both: 240 rows are left out: other than worker b (where)." in said.stdout
    # of labels by people too
    more = frame.assign(grade=9, chosen=True, state="draft")
    state = pd.concat([pd.read_csv("ask.csv").assign(state="done"), more])
    state.to_csv("states.csv", index=False)
    words = ["states.csv", "both.csv", "--model-where", "worker=b", "--replays", "0"]
    said = CliRunner().invoke(app, ["estimate", *words, "--where", "state=done"])
    assert said.exit_code == 0, said.stderr
    assert "labels: 240 rows are left out: other than state done (where)." in said.stdout


# --- grades below 0 -------------------------------------------------------------------------------


def lines(labels, unjudged=""):
    """Qrels of labels; where there is a grade for them, others of the pool have that."""
    rows = [(t, d, labels.get((t, d), unjudged)) for t, d in NAMES]
    return "".join(f"{t} 0 {d} {grade}\n" for t, d, grade in rows if grade != "")


def test_documents_below_zero_may_be_those_that_nobody_judged(asked, tmp_path, monkeypatch):
    """infAP's −1, not sampled: as if its lines were not there, by commands and in the library."""
    monkeypatch.chdir(tmp_path)
    some = {name: PEOPLE[name[0]][name[1]] for name in NAMES[::3]}
    valued = {name: int(5 * MODEL[name[0]][name[1]]) for name in NAMES[::2]}
    files = {
        "all.qrels": lines(some, -1), "some.qrels": lines(some),
        "model": lines({(t, d): int(5 * MODEL[t][d]) for t, d in NAMES}),
        "pooled.qrels": lines(valued, -1), "valued.qrels": lines(valued),
    }  # fmt: skip
    sample = filled(asked)
    sample.to_csv(tmp_path / "empty.csv", index=False)
    sample.assign(grade=sample["grade"].fillna(-1)).to_csv(tmp_path / "filled.csv", index=False)
    (tmp_path / "runs").mkdir()
    for name, run in RUNS.items():
        files[f"runs/{name}"] = "".join(
            f"{t} Q0 {d} 1 {score} {name}\n" for t, of in run.items() for d, score in of.items()
        )
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def said(line):
        done = CliRunner().invoke(app, line.split())
        assert done.exit_code == 0, done.stderr
        return done.stdout

    estimate = "--runs runs -m P(rel=2)@5 --scale 4 --replays 0 --table systems --json"
    for line, below, without in (
        (f"estimate LABELS model --assume uniform {estimate}", "all.qrels", "some.qrels"),
        (f"estimate LABELS model {estimate}", "filled.csv", "empty.csv"),
        ("assign runs LABELS --budget 20 -m P(rel=2)@5 --scale 4", "pooled.qrels", "valued.qrels"),
    ):
        alone = said(line.replace("LABELS", without))
        assert said(f"{line.replace('LABELS', below)} --below-zero unjudged") == alone
        if below != "filled.csv":
            assert said(line.replace("LABELS", below)) != alone  # junk: level 0
    with pytest.raises(InputError, match="chosen says no, but there is a grade"):
        regrade.read_sample(tmp_path / "filled.csv", scale=4)
    chosen = sample[sample["chosen"]].assign(grade=-3)
    read = regrade.read_sample(chosen, scale=4, below_zero="junk")
    assert set(read.table["grade"].to_pylist()) == {0}
    assert read.left_out == {"grade -3 (TREC's junk), read as 0": len(chosen)}


# --- what is drawn --------------------------------------------------------------------------------


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text)]


def test_figures_name_the_level_on_peoples_scale(asked):
    binary = {t: {d: int(grade > 1) for d, grade in of.items()} for t, of in PEOPLE.items()}
    wide = {t: {d: 10 * value for d, value in of.items()} for t, of in MODEL.items()}
    for people, scale, model, name in (
        (PEOPLE, 4, MODEL, "P@5 (grades ≥ 1)"),
        (binary, 2, wide, "P@5"),
    ):
        sample = filled(asked, people)
        made = regrade.estimate(sample, model, RUNS, "P@5", scale=scale, replays=0)
        assert f"estimated {name} · " in str(made.answer)
        assert f"estimated {name}, mean over topics" in texts(made.plot())


def test_fewer_than_three_systems_or_grades_are_not_drawn(asked):
    two = {name: RUNS[name] for name in ("s0", "s1")}
    made = regrade.estimate(filled(asked), MODEL, two, "P@5", scale=4, replays=0)
    assert texts(made.plot()) == ["Not drawn: 2 systems only."]
    sample = filled(asked)
    assert len(texts(regrade.estimate(sample, MODEL, scale=4, replays=0).plot())) > 4
    sample["grade"] = sample["grade"].clip(upper=1)
    made = regrade.estimate(sample, MODEL, scale=2, replays=0)
    assert texts(made.plot()) == ["Not drawn: 2 grades only."]
