"""Consensus of judges: votes by hand and scipy, models by crowd-kit (frozen) and plain loops."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

import regrade
from regrade.aggregation import aggregate
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import AGGREGATIONS, CONSENSUS_RULES
from regrade.command.app import app
from regrade.errors import ParameterError, RegradeError
from regrade.label_consensus.models import dawid_skene, one_coin
from regrade.label_consensus.rules import consensus
from regrade.label_consensus.votes import Ballots, vote_weight
from tests.each import each
from tests.reference import crowd
from tests.snapshots import assert_said

FROZEN = Path(__file__).parents[1] / "reference" / "consensus"
ITERATIONS = 40
NAN = np.nan


def frozen_votes():
    votes = pd.read_csv(FROZEN / "votes.csv")
    return votes.pivot(index="worker", columns="task", values="label").to_numpy(dtype=float)


def labels(judges=5, documents=12, most=3):
    value = st.one_of(st.integers(0, most).map(float), st.just(NAN))
    return arrays.arrays(float, (judges, documents), elements=value)


@given(labels())
def test_votes_are_the_aggregates_of_judgments(values):
    judge, document = np.nonzero(~np.isnan(values))
    if not len(judge):
        return
    columns = {
        "topic": ["1"] * len(judge),
        "docno": [f"{d:02}" for d in document],
        "worker": [str(j) for j in judge],
        "value": values[judge, document],
    }
    names = SCHEMAS["judgments"].names
    rows = [columns.get(name, pa.nulls(len(judge))) for name in names]
    judgments = pa.table(rows, names=names).cast(SCHEMAS["judgments"])
    for how in AGGREGATIONS:
        expected = aggregate(judgments, how)["grade"].to_numpy()
        label = consensus(values, how).label
        np.testing.assert_allclose(label[~np.isnan(label)], expected, atol=1e-12)


@given(labels())
def test_votes_are_those_of_scipy(values):
    some = ~np.isnan(values).all(axis=0)
    majority, median, mean = (consensus(values, rule) for rule in ("majority", "median", "mean"))
    assert np.isnan(majority.label[~some]).all()
    for column in np.flatnonzero(some):
        own = values[:, column][~np.isnan(values[:, column])]
        counts = np.unique(own, return_counts=True)[1]
        assert majority.label[column] == stats.mode(own).mode
        assert majority.tied[column] == ((counts == counts.max()).sum() > 1)
        assert median.label[column] == np.median(own)
        assert median.tied[column] == (np.median(own) != np.sort(own)[(len(own) - 1) // 2])
        assert mean.label[column] == pytest.approx(own.mean(), abs=1e-12)
    assert (majority.judges == (~np.isnan(values)).sum(axis=0)).all()


@given(labels(), st.randoms())
def test_no_rule_depends_on_the_order_of_judges_or_documents(values, random):
    rows, columns = [*range(values.shape[0])], [*range(values.shape[1])]
    random.shuffle(rows)
    random.shuffle(columns)
    if not (~np.isnan(values)).sum(axis=0).max() > 1:
        return
    for rule in CONSENSUS_RULES:
        one, other = consensus(values, rule), consensus(values[rows][:, columns], rule)
        decided = ~one.tied[columns]
        np.testing.assert_array_equal(one.label[columns][decided], other.label[decided])


def test_models_are_those_of_crowd_kit():
    ballots = Ballots.of(frozen_votes())
    for fit, name in ((dawid_skene, "dawid-skene"), (one_coin, "one-coin")):
        model = fit(ballots, iterations=ITERATIONS, tolerance=0)
        expected = pd.read_csv(FROZEN / f"{name}-probabilities.csv", index_col="task").to_numpy()
        np.testing.assert_allclose(model.probability, expected, atol=1e-8)
        assert (model.iterations, model.converged) == (ITERATIONS, False)
    skills = pd.read_csv(FROZEN / "one-coin-skills.csv")["skill"].to_numpy()
    np.testing.assert_allclose(model.accuracy, skills, atol=1e-8)


def test_confusion_matrices_are_those_of_crowd_kit():
    model = dawid_skene(Ballots.of(frozen_votes()), iterations=ITERATIONS, tolerance=0)
    frozen = pd.read_csv(FROZEN / "dawid-skene-confusion.csv", index_col=["worker", "label"])
    for (judge, label), row in frozen.iterrows():
        np.testing.assert_allclose(model.confusion[judge, :, label], row, atol=1e-8)


def test_confusion_matrices_are_those_of_plain_loops():
    values = frozen_votes()
    votes = [(d, j, int(values[j, d])) for j, d in np.argwhere(~np.isnan(values))]
    posterior = crowd.most_likely(votes, crowd.confusions, 5, -np.inf)
    model = dawid_skene(Ballots.of(values), iterations=5, tolerance=0)
    for document, shares in posterior.items():
        np.testing.assert_allclose(model.probability[document], [*shares.values()], atol=1e-9)


def test_weights_come_from_the_other_topics_of_the_reference():
    random = np.random.default_rng(1)
    topic = np.repeat(np.arange(4), 25)
    true = random.integers(0, 3, 100).astype(float)
    values = np.stack([
        np.where(random.random(100) < p, true, random.integers(0, 3, 100)) for p in (0.9, 0.6, 0.1)
    ])  # fmt: skip
    reference = np.where(random.random(100) < 0.8, true, NAN)
    result = consensus(values, "weighted", topic=topic, reference=reference)
    for document in range(100):
        known = (topic != topic[document]) & ~np.isnan(reference)
        sums = np.zeros(3)
        for judge in values:
            p = ((judge == reference)[known].sum() + 1) / (known.sum() + 3)
            sums[int(judge[document])] += max(np.log(2 * p / (1 - p)), 0)
        assert result.label[document] == sums.argmax()
    # its own topic's labels change nothing in a topic
    other = np.where(topic == 2, (true + 1) % 3, reference)
    changed = consensus(values, "weighted", topic=topic, reference=other)
    np.testing.assert_array_equal(result.label[topic == 2], changed.label[topic == 2])


def _alone():
    values = np.array([[0.0, 2, 1]])
    for rule in AGGREGATIONS:
        result = consensus(values, rule)
        assert result.label.tolist() == [0, 2, 1]
        assert not result.tied.any()


def _copies():
    values = np.array([[0.0, 2, 1, NAN]] * 4)
    for rule in CONSENSUS_RULES:
        result = consensus(values, rule)
        np.testing.assert_array_equal(result.label, [0, 2, 1, NAN])
        assert not result.tied.any()
        assert result.judges.tolist() == [4, 4, 4, 0]


def _two_that_always_disagree():
    values = np.array([[0.0, 1, 0, 1], [1, 0, 1, 0]])
    for rule in ("majority", "dawid-skene", "weighted"):
        result = consensus(values, rule)
        assert result.label.tolist() == [0] * 4, rule
        assert result.tied.all()
    assert consensus(values, "median").label.tolist() == [0.5] * 4


def _one_label_only():
    values = np.ones((3, 5))
    for rule in CONSENSUS_RULES:
        assert consensus(values, rule).label.tolist() == [1] * 5


def _no_document_shared():
    values = np.full((3, 6), NAN)
    values[[0, 0, 1, 1, 2, 2], range(6)] = [0, 1, 1, 0, 2, 1]
    for rule in ("dawid-skene", "weighted"):
        with pytest.raises(ParameterError, match="no document has labels of two"):
            consensus(values, rule)
    for rule in AGGREGATIONS:
        assert consensus(values, rule).label.tolist() == [0, 1, 1, 0, 2, 1]


def _class_that_nobody_gives():
    # 2 is on the scale of the reference alone
    values = np.array([[0.0, 1, 0, 1], [0, 1, 1, 1]])
    result = consensus(
        values, "weighted", topic=np.array([0, 0, 1, 1]), reference=np.array([0.0, 2, 0, 2])
    )
    assert result.classes.tolist() == [0, 1, 2]
    assert set(result.label) <= {0, 1}


def _worse_than_chance():
    # the second is always wrong: its weight is 0, and it inverts nothing
    values = np.array([[0.0, 1, 0, 1], [1, 0, 1, 0]])
    result = consensus(values, "weighted", topic=np.array([0, 0, 1, 1]), reference=values[0])
    assert result.label.tolist() == [0, 1, 0, 1]
    assert result.weight[1] == 0
    alone = consensus(values[1:], "weighted", topic=np.array([0, 0, 1, 1]), reference=values[0])
    assert alone.label.tolist() == [1, 0, 1, 0]
    assert alone.unweighted == 4


test_edges = each([
    _alone, _copies, _two_that_always_disagree, _one_label_only, _no_document_shared,
    _class_that_nobody_gives, _worse_than_chance,
])(lambda case: case())  # fmt: skip


@each([
    ("mode", None, None, "majority"),
    ("dawid-skene", None, None, "24: cut the values into levels"),
    ("weighted", np.zeros(12, dtype=int), np.zeros(12), "documents of 1 topic:"),
    ("weighted", None, np.zeros(12), "give topic"),
    ("mean", np.zeros(12, dtype=int), np.zeros(12), "uses no reference"),
])  # fmt: skip
def test_refusals(rule, topic, reference, words):
    values = np.arange(24.0).reshape(2, 12)
    values = values % 2 if rule == "weighted" else values
    with pytest.raises(ParameterError, match=words):
        consensus(values, rule, topic=topic, reference=reference)


def test_a_weight_is_the_log_odds_of_an_accuracy():
    assert vote_weight(np.array([0.5, 0.8, 0.2, NAN]), 2).tolist() == pytest.approx(
        [0, np.log(4), 0, 0]
    )
    assert np.isfinite(vote_weight(np.array([1.0]), 4)).all()


def test_an_unconverged_fit_is_called_so():
    ballots = Ballots.of(frozen_votes())
    assert not dawid_skene(ballots, iterations=3).converged
    assert dawid_skene(ballots).converged


# --- library and command ----------------------------------------------------------------------

A = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"d": 0, "e": 2}}
B = {"1": {"a": 2, "b": 1, "c": 1}, "2": {"d": 2, "e": 2}}
C = {"1": {"a": 1, "b": 0}, "2": {"d": 1, "e": 2}}
SETS = {"A": A, "B": B, "C": C}
RUN = {"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"e": 2.0, "d": 1.0}},
       "y": {"1": {"b": 3.0, "c": 2.0, "a": 1.0}, "2": {"d": 2.0, "e": 1.0}}}  # fmt: skip


def test_a_consensus_says_who_takes_part_and_what_is_tied():
    joint = regrade.consensus(SETS)
    assert joint.documents["grade"].tolist() == [2, 0, 1, 0, 2]
    assert joint.documents["judges"].tolist() == [3, 3, 2, 3, 3]
    assert joint.documents["tied"].tolist() == [False, False, False, True, False]
    assert joint.judges.set_index("judge")["agreement"].round(2).to_dict() == {
        "A": 1.0,
        "B": 0.6,
        "C": 0.5,
    }
    assert joint.confusion.empty
    assert_said(
        "label-consensus",
        lambda by, **how: regrade.consensus(SETS, by).answer,
        [(by,) for by in CONSENSUS_RULES],
    )


def test_every_question_takes_a_consensus():
    joint = regrade.consensus(SETS)
    written = regrade.read_qrels(joint.labels.to_frame(), scale=3)
    assert (
        regrade.score(joint, RUN, "nDCG")
        .to_frame()
        .equals(regrade.score(written, RUN, "nDCG").to_frame())
    )
    judged = regrade.judges(A, {"joint": joint, "B": B}, resamples=10)
    assert {*judged.ranked["judge"]} == {"joint", "B"}
    assert regrade.compare(A, joint, resamples=10, splits=2).confusion["documents"].sum() == 5
    assert regrade.cut_at(joint, [0]).labels.values.tolist() == [1, 0, 1, 0, 1]
    assert regrade.consensus([joint, A], name="two").labels.name == "two"


def test_workers_are_judges():
    rows = [
        (topic, docno, name, value)
        for name, one in SETS.items()
        for topic, of in one.items()
        for docno, value in of.items()
    ]
    crowd = pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])
    by_worker, by_set = (regrade.consensus(one, "dawid-skene") for one in (crowd, SETS))
    pd.testing.assert_frame_equal(by_worker.documents, by_set.documents)
    pd.testing.assert_frame_equal(by_worker.confusion, by_set.confusion)
    of_levels = by_set.confusion.groupby(["judge", "level"])["probability"].sum()
    assert of_levels.to_numpy() == pytest.approx(np.ones(len(of_levels)))


@each([
    (lambda: regrade.consensus({"A": A, "bin": {"1": {"a": 1, "b": 0}}}), "0, 1, 2: A; 0, 1: bin"),
    (lambda: regrade.consensus(SETS, "majority", rescale="range"), "counts equal labels"),
    (lambda: regrade.consensus(SETS, "mode"), "majority"),
    (lambda: regrade.consensus(SETS, "mean", reference=A), "uses no reference"),
    (lambda: regrade.consensus({"A": A}, "dawid-skene"), "no document has labels of two"),
    (lambda: regrade.consensus(SETS, "weighted", reference={"1": {"a": 1, "b": 0}}), "scale"),
    (lambda: regrade.consensus(SETS, "weighted", reference={"1": A["1"]}), "of 1 topic"),
])  # fmt: skip
def test_what_is_no_consensus(call, words):
    with pytest.raises(RegradeError, match=words):
        call()


def test_scales_may_be_mapped_onto_one():
    binary = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"d": 0, "e": 1}}
    joint = regrade.consensus({"A": A, "bin": binary}, "mean", rescale="range")
    assert joint.documents["grade"].tolist() == [1, 0, 0.75, 0, 1]
    assert (joint.labels.scale.low, joint.labels.scale.high) == (0, 1)


def test_the_command_writes_labels_that_others_read(tmp_path):
    for name, one in SETS.items():
        regrade.read_qrels(one).to_qrels(tmp_path / f"{name}.qrels")
    files = [str(tmp_path / f"{name}.qrels") for name in SETS]
    out = str(tmp_path / "joint.qrels")
    run = CliRunner()
    done = run.invoke(
        app, ["consensus", *files, "--by", "median_low", "--scale", "3", "--out", out]
    )
    assert done.exit_code == 0, done.output
    assert done.output.endswith(f"labels: {out}\n")
    joint = regrade.consensus(SETS, "median_low")
    assert regrade.read_qrels(out).to_frame()["grade"].tolist() == joint.documents["grade"].tolist()
    asked = ["consensus", *files, "--scale", "3", "--by", "weighted", "-r", files[0], "--json"]
    held = json.loads(run.invoke(app, asked).stdout)
    assert [one["judge"] for one in held["judges"]] == ["A", "B", "C"]
    assert run.invoke(app, [*asked[:-1], "--table", "documents"]).exit_code == 0
    assert "median of the labels" not in run.invoke(app, [*asked[:-1], "--cite"]).output
    refused = run.invoke(app, ["consensus", *files, "--by", "mode"])
    assert refused.exit_code == 1
