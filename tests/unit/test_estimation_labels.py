"""Which grades full judging would have given, and how a model agrees."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import t as student

import regrade
from regrade.answers.shape import PROBLEM
from regrade.command.app import app
from regrade.errors import RegradeError
from regrade.estimation.batches import Counting
from regrade.estimation.estimates import LabelledSample
from regrade.estimation.labels import Levels, labels_table
from regrade.evaluations.label_agreement import agreement_of, agreement_slopes
from regrade.intervals import INTERVALS
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import ConfigError, complete
from regrade.workflow.inputs.page import Page
from regrade.workflow.inputs.paths import Paths
from tests.reference import estimation as plain
from tests.unit.test_estimates import checked

NONE = np.zeros(0, np.int64)
GRADES = np.arange(3.0)


def of_labels(found, quantity, grade=None, model=None):
    """One row's value and ends."""
    rows = found[found["quantity"] == quantity]
    rows = rows if grade is None else rows[rows["grade"] == grade]
    rows = rows if model is None else rows[rows["model"] == model]
    (row,) = rows[["value", "low", "high"]].to_numpy(float)
    return row


# --- sums, over every sample ----------------------------------------------------------------------


def population():
    """Four documents: probabilities, what the model expects, and what each gives at each level."""
    rng = np.random.default_rng(3)
    return rng.uniform(0.2, 0.9, 4), rng.dirichlet(np.ones(3), 4), rng.normal(size=(4, 3))


def drawn(inclusion):
    """Every sample, as rows, and its probability."""
    for taken, probability in plain.samples(dict(enumerate(inclusion))):
        yield np.array(taken, np.int64), probability


def test_a_sum_is_right_on_average_over_every_sample_whatever_the_levels():
    inclusion, shares, parts = population()
    for levels in product(range(3), repeat=4):
        levels, mean = np.array(levels), 0.0
        for rows, probability in drawn(inclusion):
            sample = LabelledSample(inclusion, rows, levels[rows])
            mean += probability * Levels(shares, sample, NONE).total(parts).value
        assert abs(mean - parts[np.arange(4), levels].sum()) < 1e-12


def test_its_variance_is_that_over_every_sample_where_the_model_is_right():
    inclusion, shares, parts = population()
    off = 0.0
    for levels in product(range(3), repeat=4):
        levels = np.array(levels)
        of_levels = np.prod(shares[np.arange(4), levels])
        truth = parts[np.arange(4), levels].sum()
        for rows, probability in drawn(inclusion):
            sample = LabelledSample(inclusion, rows, levels[rows])
            value = Levels(shares, sample, NONE).total(parts).value
            off += of_levels * probability * (value - truth) ** 2
    # no label is off by more than is expected: nothing is added
    error = Levels(shares, LabelledSample(inclusion, NONE, NONE), NONE).total(parts).error
    assert abs(error**2 - off) < 1e-12


def test_labels_that_are_off_by_more_widen_and_others_do_not_narrow():
    inclusion, shares = np.full(40, 0.5), np.tile([0.9, 0.1], (40, 1))
    parts, rows = np.tile([0.0, 1.0], (40, 1)), np.arange(0, 40, 2)
    errors = []
    for ones in (0, 2, 10):
        levels = (np.arange(20) < ones).astype(int)
        errors.append(
            Levels(shares, LabelledSample(inclusion, rows, levels), NONE).total(parts).error
        )
    assert errors[0] == pytest.approx(np.sqrt(40 * 0.09))
    assert errors[1] == pytest.approx(errors[0])
    assert errors[2] == pytest.approx(errors[0] * np.sqrt((10 * 0.81 + 10 * 0.01) / (20 * 0.09)))


def test_two_batches_count_as_they_do_for_systems():
    inclusion = np.array([[0.5, 0.5, 0.25, 0.25], [np.nan, 0.4, 0.6, 0.6]])
    batch = np.array([1, 0, 2, 0])
    counting = Counting.of(inclusion, batch, np.array([1.5, 1.6]))
    sample = LabelledSample(counting.inclusion, np.array([0, 2]), np.array([2, 0]), counting)
    shares = np.tile([0.5, 0.3, 0.2], (4, 1))
    total = Levels(shares, sample, NONE).total(np.tile(GRADES, (4, 1)))
    off = (1 + counting.more[[0, 2]]) @ np.array([2 - 0.7, 0 - 0.7])
    assert total.value == pytest.approx(4 * 0.7 + off)
    assert total.modelled == pytest.approx(4 * 0.7)


# --- coefficients ---------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("weights", ["linear", "quadratic"])
@pytest.mark.parametrize("size", [2, 4, 6])
def test_slopes_are_finite_differences(metric, weights, size):
    rng = np.random.default_rng(size)
    joint = rng.integers(1, 50, (size, size)).astype(float)
    values, step = np.sort(rng.choice(20, size, replace=False)).astype(float), 1e-3
    slopes = agreement_slopes(joint, values, metric, weights)
    for a, b in product(range(size), repeat=2):
        more, less = joint.copy(), joint.copy()
        more[a, b] += step
        less[a, b] -= step
        ends = [agreement_of(one, values, metric, weights) for one in (more, less)]
        assert slopes[:, a, b] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-9)


def sampled(n=120, labelled=60, seed=1):
    """Shares, a model's values on people's scale, a sample."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(3), n)
    levels = np.array([rng.choice(3, p=one) for one in shares])
    values = np.clip(levels + rng.integers(-1, 2, n), 0, 2).astype(float)
    inclusion = rng.uniform(0.4, 0.6, n)
    rows = np.sort(rng.choice(n, labelled, replace=False))
    return shares, values, levels, LabelledSample(inclusion, rows, levels[rows])


def test_agreement_is_that_of_plain_python():
    shares, values, _, sample = sampled()
    table = labels_table(Levels(shares, sample, NONE), {"m": values}, GRADES)
    labels = dict(zip(sample.chosen.tolist(), sample.levels.tolist(), strict=True))
    weights = 1 / sample.inclusion
    joint = plain.joint_estimate(shares.tolist(), values.tolist(), labels, weights, 3)
    for name, coefficient in (("alpha", plain.ordinal_alpha), ("kappa", plain.cohens_kappa)):
        value, low, high = of_labels(table, name)
        error = plain.error_of(coefficient, joint, shares, values, labels, sample.inclusion, 3)
        assert value == pytest.approx(coefficient(joint), abs=1e-12)
        assert [low, high] == pytest.approx([value - 1.959964 * error, value + 1.959964 * error])
    n = len(values)
    equal = sum(count for (level, value), count in joint.items() if level == value) / n
    assert of_labels(table, "equal")[0] == pytest.approx(equal)
    for grade in range(3):
        share = sum(count for (level, _), count in joint.items() if level == grade) / n
        assert of_labels(table, "share", grade)[0] == pytest.approx(share)
    assert table.loc[table["quantity"] == "share", "value"].sum() == pytest.approx(1)


def test_a_share_has_wilsons_interval_of_as_many_labels_as_are_as_sure():
    shares, values, _, sample = sampled()
    levels = Levels(shares, sample, NONE)
    table = labels_table(levels, {"m": values}, GRADES)
    total = levels.total(np.tile([0.0, 1.0, 0.0], (120, 1)))
    p, modelled, error = total.value / 120, total.modelled / 120, total.error / 120
    n, z2 = modelled * (1 - modelled) / error**2, student.ppf(0.975, 59) ** 2
    ends = np.roots([1 + z2 / n, -(2 * p + z2 / n), p**2])
    assert of_labels(table, "share", 1) == pytest.approx([p, min(ends), max(ends)])


def test_documents_that_a_model_lacks_count_for_grades_and_not_for_its_agreement():
    shares, values, levels, sample = sampled()
    some = values.copy()
    some[::4] = np.nan
    both = labels_table(Levels(shares, sample, NONE), {"all": values, "some": some}, GRADES)
    every = LabelledSample(np.ones(120), np.arange(120), levels)
    known = labels_table(Levels(shares, every, NONE), {"some": some}, GRADES)
    has = ~np.isnan(some)
    assert of_labels(known, "equal")[0] == pytest.approx((levels[has] == some[has]).mean())
    alone = regrade.agreement.alpha(np.array([levels[has], some[has]], float))
    assert of_labels(known, "alpha") == pytest.approx([alone] * 3)
    widths = [np.diff(of_labels(both, "equal", model=one)[1:]) for one in ("all", "some")]
    assert widths[1] > widths[0]


def test_values_off_the_scale_count_as_what_they_are_where_they_are_few():
    shares, values, levels, sample = sampled()
    few, many = values.copy(), values.copy()
    few[:6], many[:7] = 5, 5
    found = labels_table(Levels(shares, sample, NONE), {"few": few, "many": many}, GRADES)
    assert np.isfinite(of_labels(found, "alpha", model="few")).all()
    assert np.isnan(found.loc[found["model"] == "many", ["value", "low", "high"]]).all(axis=None)
    every = LabelledSample(np.ones(120), np.arange(120), levels)
    known = labels_table(Levels(shares, every, NONE), {"few": few}, GRADES)
    alone = regrade.agreement.alpha(np.array([levels, few], float))
    assert of_labels(known, "alpha")[0] == pytest.approx(alone)


@pytest.mark.parametrize("others", [9, 10])
def test_agreement_needs_labels_of_more_than_one_grade(others):
    shares, values, _, sample = sampled()
    levels = np.where(np.arange(60) < others, 1, 0)
    one_grade = LabelledSample(sample.inclusion, sample.chosen, levels)
    found = labels_table(Levels(shares, one_grade, NONE), {"m": values}, GRADES)
    assert np.isfinite(of_labels(found, "alpha")).all() == (others >= 10)
    assert np.isfinite(of_labels(found, "equal")).all()


@pytest.mark.parametrize(("seldom", "often", "given"), [(0.05, 0.5, False), (0.2, 0.5, True)])
def test_weights_too_unequal_leave_no_intervals(seldom, often, given):
    shares, values, _, sample = sampled()
    inclusion = np.where(np.arange(120) % 4 == 0, seldom, often)
    levels = Levels(shares, LabelledSample(inclusion, sample.chosen, sample.levels), NONE)
    weights = 1 / inclusion[sample.chosen]
    assert levels.unequal == pytest.approx(60 * (weights**2).sum() / weights.sum() ** 2)
    assert (levels.unequal <= 2) == given
    found = labels_table(levels, {"m": values}, GRADES)
    assert found["value"].notna().all()
    assert found[["low", "high"]].notna().all(axis=None) == given


def test_documents_without_a_label_stand_for_as_many_as_others():
    """Three of the chosen have none: one in two, one in four and one in eight was chosen."""
    inclusion = np.array([0.5, 0.5, 0.25, 0.25, 0.125, 0.125])
    sample = LabelledSample(inclusion, np.array([0, 2]), np.array([1, 0]))
    sample = replace(sample, counting=Counting.once(inclusion, np.array([1, 1, 1, 1, 1, 0]) > 0))
    levels = Levels(np.full((6, 2), 0.5), sample, np.array([1, 3, 4]))
    total = levels.total(np.tile([0.0, 1.0], (6, 1)))
    # each may be as likely 0 as 1
    assert (total.below, total.above) == pytest.approx((7, 7))
    assert levels.lacks(np.ones(6, bool))
    assert levels.lacks(np.arange(6) < 4)
    assert not levels.lacks(np.arange(6) == 0)


# --- from labels to sentences ---------------------------------------------------------------------

NAMES = [(f"t{t}", f"d{i:02}") for t in range(8) for i in range(30)]


def world(noise=0.6):
    """People's labels and a model's, on 0 to 3."""
    rng = np.random.default_rng(7)
    merit = rng.normal(size=len(NAMES))
    bounds = (0.0, 0.7, 1.5)
    frames = [
        pd.DataFrame(NAMES, columns=["topic", "docno"]).assign(grade=np.digitize(of, bounds))
        for of in (merit, merit + rng.normal(0, noise, len(NAMES)))
    ]
    return frames


PEOPLE, MODEL = world()


def filled(asked, people=PEOPLE):
    """What people were asked, with their labels."""
    frame = asked.to_frame().drop(columns="grade", errors="ignore")
    frame = frame.merge(people, how="left", on=["topic", "docno"])
    return frame.assign(grade=frame["grade"].where(frame["chosen"]))


def test_documents_are_as_likely_where_there_are_no_systems():
    asked = regrade.assign(None, MODEL, 60)
    assert asked.documents["inclusion"].to_numpy() == pytest.approx(np.full(240, 0.25))
    assert asked.documents["chosen"].sum() == 60
    assert str(asked.summary()) == (
        "60 of 240 documents (8 topics) are to be labelled on the scale 0, 1, 2, 3; inclusion "
        "probabilities are 0.25."
    )
    # 30 documents of each topic: 7.5 labels
    assert set(asked.documents.groupby("topic")["chosen"].sum()) <= {7, 8}


def test_what_full_judging_would_have_given(tmp_path):
    found = regrade.estimate(filled(regrade.assign(None, MODEL, 60)), MODEL)
    assert set(found.tables) == {"labels", "facts", "answer"}
    answer = checked(found, tmp_path)
    truth = PEOPLE["grade"].value_counts(normalize=True)
    for grade in range(4):
        value, low, high = of_labels(found.labels, "share", grade)
        assert low < value < high
        assert low < truth[grade] < high
    shares = [tuple(of_labels(found.labels, "share", grade)) for grade in range(4)]
    assert [row[1] for row in answer.rows.rows] == shares
    mean, equal, alpha = (of_labels(found.labels, name) for name in ("mean", "equal", "alpha"))
    assert answer.verdict == (
        "The estimated mean grade is {:.3f} (95% CI {:.3f}–{:.3f}), from human labels of 60 of 240 "
        "documents.".format(*mean)
    )
    assert answer.facts == (
        "Estimated exact agreement of qrels with human labels is {:.1%} (95% CI {:.1%}–{:.1%}); α "
        "(ordinal, all documents) is {:.3f}, 95% CI {:.3f}–{:.3f}.".format(*equal, *alpha),
    )
    assert not answer.notes
    assert found.to_frame() is found.labels
    assert len(found.plot().axes) == 1
    assert found.measures == []
    compared = regrade.compare(PEOPLE, MODEL, scale=4)
    assert alpha[1] < compared.labels.set_index("quantity")["value"]["alpha"] < alpha[2]


def test_a_further_batch_is_as_likely_too(tmp_path):
    first = filled(regrade.assign(None, MODEL, 40))
    more = regrade.assign(None, MODEL, 40, after=first)
    assert more.documents["inclusion"].to_numpy() == pytest.approx(np.full(200, 0.2))
    both = pd.concat([filled(more)[lambda rows: rows["batch"] == 2], first.assign(batch=1)])
    found = regrade.estimate(both, MODEL)
    once = regrade.estimate(first, MODEL)
    assert "labels of 80 of 240 documents" in checked(found, tmp_path).verdict
    widths = [np.diff(of_labels(one.labels, "mean")[1:]) for one in (found, once)]
    assert widths[0] < widths[1]


def test_all_labelled_is_what_it_is(tmp_path):
    found = regrade.estimate(filled(regrade.assign(None, MODEL, 240)), MODEL)
    assert (found.labels["low"] == found.labels["value"]).all()
    assert (found.labels["high"] == found.labels["value"]).all()
    compared = regrade.compare(PEOPLE, MODEL, scale=4)
    own = compared.labels.set_index("quantity")["value"]
    names = {"alpha": "alpha", "kappa": "kappa", "weighted_kappa": "linear_kappa"}
    for name, compared_as in names.items():
        assert of_labels(found.labels, name)[0] == pytest.approx(own[compared_as], abs=1e-12)
    assert of_labels(found.labels, "equal")[0] == (
        (PEOPLE["grade"] == MODEL["grade"]).mean()
    )  # fmt: skip
    shares = PEOPLE["grade"].value_counts(normalize=True)
    assert of_labels(found.labels, "share", 3)[0] == pytest.approx(shares[3], abs=1e-12)
    answer = checked(found, tmp_path)
    assert "all 240 documents have human labels" in answer.verdict and "CI" not in answer.verdict
    assert answer.method.startswith("All 240 documents of 8 topics had human labels")


@pytest.mark.parametrize("budget", [60, 240])
def test_all_of_one_grade(budget, tmp_path):
    people = PEOPLE.assign(grade=0)
    found = regrade.estimate(filled(regrade.assign(None, MODEL, budget), people), MODEL, scale=4)
    answer = checked(found, tmp_path)
    share, others = of_labels(found.labels, "share", 0), of_labels(found.labels, "share", 3)
    # 1 to the last label: the other 180 documents may have any grade
    assert share[2] == 1.0
    assert others[1] == 0.0
    assert (share[1] < 1) == (others[2] > 0) == (budget < 240)
    if budget < 240:
        assert np.isnan(of_labels(found.labels, "alpha")).all()
        assert any("nearly all human labels have one grade" in note for note in answer.notes)
        assert 0.03 < others[2] < 0.1  # 3 of 60 and more


def test_a_grade_that_nobody_gave_may_be_there():
    people = PEOPLE.assign(grade=np.minimum(PEOPLE["grade"], 2))
    found = regrade.estimate(filled(regrade.assign(None, MODEL, 60), people), MODEL, scale=4)
    value, low, high = of_labels(found.labels, "share", 3)
    assert 0 <= value < 0.05
    assert low == 0.0
    assert 0.03 < high < 0.1


def test_one_document():
    model = MODEL.head(1)
    asked = regrade.assign(None, model, 1, scale=4)
    found = regrade.estimate(filled(asked), model, scale=4)
    grade = PEOPLE["grade"][0]
    assert of_labels(found.labels, "share", grade).tolist() == [1.0, 1.0, 1.0]
    assert "1 document labelled" in found.summary()


def test_a_model_that_gives_one_value_or_lacks_documents(tmp_path):
    constant = MODEL.assign(grade=1)
    asked = regrade.assign(None, constant, 60, scale=4)
    found = regrade.estimate(filled(asked), constant, scale=4)
    truth = (PEOPLE["grade"] == 1).mean()
    value, low, high = of_labels(found.labels, "equal")
    assert low < truth < high
    assert value == pytest.approx(of_labels(found.labels, "share", 1)[0])
    fewer = MODEL.iloc[::2]
    both = regrade.estimate(filled(regrade.assign(None, MODEL, 60)), {"a": MODEL, "b": fewer})
    answer = checked(both, tmp_path)
    assert [fact.split()[4] for fact in answer.facts] == ["a", "b"]


def test_values_on_a_finer_scale_help_and_agree_with_nothing(tmp_path):
    fine = MODEL.assign(grade=MODEL["grade"] * 25 + np.arange(240) % 7)
    asked = regrade.assign(None, fine, 60, scale=4)
    found = regrade.estimate(filled(asked), fine, scale=4)
    answer = checked(found, tmp_path)
    assert found.labels.loc[found.labels["model"].notna(), "value"].isna().all()
    assert answer.notes[0].startswith("Values of qrels are not grades on the human scale")


def test_chosen_documents_without_a_label_reach_as_far_as_any_label(tmp_path):
    whole = filled(regrade.assign(None, MODEL, 60))
    lost = whole["chosen"] & (np.arange(240) < 3)
    some = regrade.estimate(whole.assign(grade=whole["grade"].mask(lost)), MODEL, scale=4)
    answer = checked(some, tmp_path)
    (said,) = (said for said in answer.notes if "have no label" in said)
    assert said.startswith("3 selected documents have no label: d")
    assert "α has no interval, and those of shares allow for any grade" in said
    assert np.isnan(of_labels(some.labels, "alpha")[1:]).all()
    for grade in range(4):
        labels = whole.assign(grade=whole["grade"].mask(lost, grade))
        one = regrade.estimate(labels, MODEL, scale=4).labels
        for quantity, of in (("mean", None), ("equal", None), ("share", 0), ("share", 3)):
            _, low, high = of_labels(some.labels, quantity, of)
            assert low <= of_labels(one, quantity, of)[0] <= high


def test_documents_that_were_chosen_for_systems_give_no_intervals_of_labels(tmp_path):
    rng = np.random.default_rng(1)
    scores = rng.normal(size=240) + PEOPLE["grade"]
    runs = pd.DataFrame(NAMES, columns=["topic", "docno"]).assign(system="a", score=scores)
    asked = regrade.assign(runs, MODEL, 60, "P(rel=1)@5", scale=4)
    found = regrade.estimate(filled(asked), MODEL, scale=4)
    answer = checked(found, tmp_path)
    assert answer.notes[0].startswith("There are no intervals: documents were selected with")
    assert found.labels["low"].isna().all()
    assert " (" not in answer.verdict and answer.light == PROBLEM
    of_systems = regrade.estimate(filled(asked), MODEL, runs, "P(rel=1)@5", scale=4)
    pd.testing.assert_frame_equal(
        of_systems.labels[["quantity", "grade", "model"]],
        found.labels[["quantity", "grade", "model"]],
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: regrade.assign(None, MODEL, 60, "P@5"), "measures P@5: measures are for systems"),
        (lambda: regrade.assign(None, MODEL, 60, aim=1), "aim 1 is about systems: give runs"),
        (lambda: regrade.assign(None, MODEL, 241), "the budget is 241 and the frame has 240"),
        (
            lambda: regrade.assign(
                None, MODEL, 9, after=filled(regrade.assign(None, MODEL, 60)), aim="undecided"
            ),
            "aim undecided is about systems: give runs",
        ),
        (
            lambda: regrade.estimate(filled(regrade.assign(None, MODEL, 60)), MODEL, None, "P@5"),
            "measures P@5: measures are for systems",
        ),
        (
            lambda: regrade.estimate(filled(regrade.assign(None, MODEL, 19)), MODEL),
            "label at least 20 documents",
        ),
        (
            lambda: regrade.estimate(filled(regrade.assign(None, MODEL, 60)), MODEL).settled(),
            "the order of systems: give runs",
        ),
    ],
)
def test_what_is_of_systems_needs_them(call, said):
    with pytest.raises(RegradeError, match=said):
        call()


def test_from_the_shell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    MODEL.to_csv("model.csv", index=False)

    def run(line):
        return CliRunner().invoke(app, line.split())

    done = run("assign model.csv --budget 60 --out ask.csv")
    assert done.exit_code == 0, done.output
    asked = pd.read_csv("ask.csv").drop(columns="grade").merge(PEOPLE, on=["topic", "docno"])
    asked.assign(grade=asked["grade"].where(asked["chosen"])).to_csv("ask.csv", index=False)
    done = run("estimate ask.csv model.csv")
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{regrade.estimate('ask.csv', 'model.csv').summary()}\n"
    assert "quantity" in run("estimate ask.csv model.csv --table labels").stdout
    assert "give runs" in run("estimate ask.csv model.csv --settled 1").output
    seen = regrade.look(["ask.csv", "model.csv"])
    assert "regrade estimate ask.csv model.csv" in seen.commands


# --- in a configuration ---------------------------------------------------------------------------


def collection_of(**estimate):
    own = {
        "qrels": {
            "people": {"file": "{data}/people.qrels", "levels": 4},
            "model": {"file": "{data}/model.qrels", "levels": 4},
        },
        "estimates": [{"models": ["model"], "qrels": "people", "budget": 60, **estimate}],
    }
    return read_collection("own", complete({"collection": "own", "collections": {"own": own}}))


def test_a_collection_without_runs_has_estimates_of_labels():
    paths = Paths(collection_of())
    tables = paths.tables("estimates", "estimated_systems", of="model")
    assert set(tables) == {"labels", "facts", "answer"}
    (card,) = Page(paths, {}).cards
    assert set(card.tables) == set(tables)
    with pytest.raises(ConfigError, match=r"measures: are for systems, and the collection has no"):
        collection_of(measures=["nDCG@10"])


def test_intervals_say_of_what_they_are():
    for name in ("share", "mean", "agreement"):
        assert INTERVALS[f"full_judging_{name}"].fewest == 20
