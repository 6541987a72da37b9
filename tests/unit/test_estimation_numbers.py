"""Numbers at the ends of what a float holds, and budgets, costs and models of next to nothing."""

import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import regrade
from regrade.command.app import app
from regrade.errors import RegradeError
from tests.unit.test_estimates import MEASURES, MODEL, PEOPLE, RUNS, filled

ON = {"scale": 4}


@pytest.fixture(autouse=True)
def _numbers_are_watched():
    """No overflow, no division by 0 goes unseen."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture(scope="module")
def labels():
    return filled(regrade.assign(RUNS, MODEL, 80, MEASURES, **ON))


def estimated(labels, model=MODEL, runs=RUNS):
    return regrade.estimate(labels, model, runs, MEASURES, replays=0, **ON)


def model_of(value):
    return {t: {d: value(v) for d, v in of.items()} for t, of in MODEL.items()}


# of a model the order of values counts alone: another unit is no other model
@pytest.mark.parametrize(
    "value",
    [lambda v: v * 1e98, lambda v: (2 * v - 1) * 1e98, lambda v: v * 1e-97,
     lambda v: 2.0**52 + round(100 * v)],
    ids=["huge", "both signs", "small", "2^52"],
)  # fmt: skip
def test_the_unit_of_a_models_values_changes_nothing(labels, value):
    model = model_of(value)
    one, other = (regrade.assign(RUNS, m, 80, MEASURES, **ON) for m in (MODEL, model))
    pd.testing.assert_frame_equal(one.documents, other.documents)
    pd.testing.assert_frame_equal(estimated(labels).pairs, estimated(labels, model).pairs)


@pytest.mark.parametrize("value", [1e308, -1e308, 1e-300, 5e-324])
def test_values_at_the_ends_of_numbers_are_refused(value):
    with pytest.raises(RegradeError, match=r":1: grade .* is not 0, nor from 1e-100 to 1e\+100"):
        regrade.assign(RUNS, model_of(lambda v: value), 80, MEASURES, **ON)


def test_0_has_no_sign(labels):
    positive, negative = (model_of(lambda v, zero=zero: max(round(3 * v) - 1, 0) or zero)
                          for zero in (0.0, -0.0))  # fmt: skip
    one, other = estimated(labels, positive), estimated(labels, negative)
    pd.testing.assert_frame_equal(one.pairs, other.pairs)
    graded = labels.assign(grade=labels["grade"].where(labels["grade"] != 0, -0.0))
    pd.testing.assert_frame_equal(estimated(graded).labels, estimated(labels).labels)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.0, 1e100])
def test_a_model_of_one_value_says_nothing(labels, value):
    one = estimated(labels, model_of(lambda v: value))
    other = estimated(labels, model_of(lambda v: 3.0))
    pd.testing.assert_frame_equal(one.pairs, other.pairs)
    grades = regrade.estimate(labels, model_of(lambda v: value), replays=0, **ON)
    assert np.isfinite(grades.labels.loc[grades.labels["model"].isna(), "value"]).all()


def test_a_model_of_one_label():
    one = {"t0": {"d00": 1}}
    found = regrade.assign(None, one, 1, **ON).documents
    assert found[["inclusion", "chosen"]].values.tolist() == [[1.0, True]]
    with pytest.raises(RegradeError, match="the budget is 2 and the frame has 1 document:"):
        regrade.assign(None, one, 2, **ON)
    sample = {"topic": ["t0"], "docno": ["d00"], "grade": [2], "inclusion": [1]}
    found = regrade.estimate(sample, one, {"a": {"t0": {"d00": 1.0}}}, "P@1", replays=0, **ON)
    assert found.systems[["value", "low", "high"]].values.tolist() == [[1.0, 1.0, 1.0]]
    # runs name more documents
    assert len(regrade.assign(RUNS, one, 5, "P@5", **ON).documents) > 1


@pytest.mark.parametrize("runs", [None, RUNS])
@pytest.mark.parametrize(
    "budget", [0, -0.0, 5e-324, 0.3, 0.999, -1, np.nan, np.inf, 1e308, 240.0001, 241, 10**30]
)
def test_a_budget_is_one_label_to_all(runs, budget):
    measures = MEASURES if runs else None
    with pytest.raises(RegradeError, match="budget is") as refused:
        regrade.assign(runs, MODEL, budget, measures, **ON)
    assert "is 240 and the frame" not in str(refused.value)


@pytest.mark.parametrize("runs", [None, RUNS])
@pytest.mark.parametrize("budget", [1, 1.5, 239.5, 240])
def test_budgets_at_the_ends_are_spent(runs, budget):
    found = regrade.assign(runs, MODEL, budget, MEASURES if runs else None, **ON).documents
    assert found["inclusion"].sum() == pytest.approx(budget, rel=1e-12)
    assert abs(found["chosen"].sum() - budget) < 1
    assert found["inclusion"].between(1e-9, 1).all()


@pytest.mark.parametrize(
    ("odd", "rest", "budget", "said"),
    [
        (0.0, 1.0, 80, "d03 of topic t0 has the cost 0: give a cost above 0"),
        (-0.0, 1.0, 80, "has the cost -0: give a cost above 0"),
        (-1.0, 1.0, 80, "has the cost -1: give a cost above 0"),
        (np.inf, 1.0, 80, "inf .*is not a finite number"),
        (
            1e100,
            1e100,
            80,
            "the budget is 80, which is for .* labels: give at least the cost of one label",
        ),
        (1e308, 1.0, 80, r"grade 1e\+308 \(topic t0, document d03\) is not 0, nor from 1e-100"),
        (
            1e16,
            1.0,
            7e6,
            "d03 for topic t. would be chosen with probability .*lower the document's cost",
        ),
        (5e-324, 5e-324, 80, "grade 5e-324 .* is not 0, nor from 1e-100"),
    ],
)
def test_odd_costs(odd, rest, budget, said):
    cost = {t: {d: odd if d == "d03" else rest for d in of} for t, of in MODEL.items()}
    with pytest.raises(RegradeError, match=said):
        regrade.assign(RUNS, MODEL, budget, MEASURES, cost=cost, **ON)


def test_the_unit_of_costs_changes_nothing():
    rng = np.random.default_rng(1)
    cost = {t: {d: float(rng.integers(1, 9)) for d in of} for t, of in MODEL.items()}
    one = regrade.assign(RUNS, MODEL, 200, MEASURES, cost=cost, **ON).documents
    for unit in (2.0**-300, 2.0**300):
        other = {t: {d: c * unit for d, c in of.items()} for t, of in cost.items()}
        found = regrade.assign(RUNS, MODEL, 200 * unit, MEASURES, cost=other, **ON).documents
        pd.testing.assert_frame_equal(one, found)
    # next to free documents are all taken
    free = {t: {d: 1e-100 if d == "d03" else 1.0 for d in of} for t, of in MODEL.items()}
    found = regrade.assign(RUNS, MODEL, 80, MEASURES, cost=free, **ON).documents
    assert (found.loc[found["docno"] == "d03", "inclusion"] == 1).all()


@pytest.mark.parametrize("is_chosen", [False, True])
@pytest.mark.parametrize(
    ("inclusion", "said"),
    [
        (1e-12, "inclusion 1e-12 is of a document that is never chosen .*: correct it"),
        (5e-324, "inclusion 4.94066e-324 is of a document that is never chosen"),
        (0.0, "inclusion 0 is not an inclusion probability"),
        (
            np.nextafter(1, 2),
            r"inclusion 1\.0000000000000002 is not an inclusion probability: .* at most 1",
        ),
        (np.inf, "inclusion inf is not a finite number"),
    ],
)
def test_inclusion_that_is_none(labels, inclusion, said, is_chosen):
    odd = labels.copy()
    odd.loc[odd.index[odd["chosen"] == is_chosen][0], "inclusion"] = inclusion
    with pytest.raises(RegradeError, match=said):
        estimated(odd)


def test_ids_beyond_2_to_the_53(labels, tmp_path):
    def big(of):
        return {2**53 + int(t[1:]): {2**63 + int(d[1:]): v for d, v in own.items()}
                for t, own in of.items()}  # fmt: skip

    runs, model = {name: big(run) for name, run in RUNS.items()}, big(MODEL)
    asked = regrade.assign(runs, model, 80, MEASURES, **ON)
    frame = asked.to_frame()
    assert (frame["topic"].nunique(), frame["docno"].nunique()) == (8, 30)
    people = big(PEOPLE)
    grades = [people[int(t)][int(d)] for t, d in zip(frame["topic"], frame["docno"], strict=True)]
    frame["grade"] = pd.Series(grades).where(frame["chosen"])
    frame.to_csv(tmp_path / "filled.csv", index=False)
    numbers = frame.astype({"topic": "int64", "docno": "uint64"})
    expected = estimated(labels).systems
    for source in (frame, numbers, tmp_path / "filled.csv"):
        pd.testing.assert_frame_equal(estimated(source, model, runs).systems, expected)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("assign model.csv --budget nan", "budget is nan: give more than 0"),
        ("assign model.csv --budget 0.5", "which is for 0.5 labels"),
        ("assign model.csv --budget 1e400", "the budget is inf"),
        ("assign model.csv --budget 241", "the budget is 241 and the frame has 240 documents"),
        ("estimate odd.csv model.csv", "odd.csv:2: inclusion 1e-12 is of a document that is never"),
        ("estimate filled.csv model.csv --odds-ratio nan", "odds"),
    ],
)
def test_the_command_says_so_too(labels, line, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    regrade.read_qrels(MODEL).to_frame().to_csv("model.csv", index=False)
    labels.to_csv("filled.csv", index=False)
    odd = labels.copy()
    odd.loc[0, "inclusion"] = 1e-12
    odd.to_csv("odd.csv", index=False)
    done = CliRunner().invoke(app, [*line.split(), "--scale", "4"])
    assert done.exit_code in (1, 2)
    assert said in done.stderr
