"""Measures inside ir_measures and PyTerrier: oracles are ir_measures' own over every order and
every assignment of grades."""

import subprocess
import sys
from itertools import groupby, permutations, product

import numpy as np
import pandas as pd
import pytest

ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")

from ir_measures import AP, RR, P, Qrel, R, Rprec, ScoredDoc, nDCG  # noqa: E402

from regrade.errors import ParameterError  # noqa: E402
from regrade.plugins.ir_measures import (  # noqa: E402
    Regrade,
    Residual,
    TieExpected,
    TieHigh,
    TieLow,
    UnjudgedHigh,
    UnjudgedLow,
)

QRELS = [
    Qrel(topic, doc, grade)
    for topic in ("1", "2")
    for doc, grade in (("a", 2), ("b", 0), ("c", 1), ("d", 2), ("z", 1))
]
RUN = [
    ScoredDoc(topic, doc, score)
    for topic, scores in (
        ("1", {"a": 3, "b": 3, "c": 2, "u": 2, "d": 2, "v": 1}),
        ("2", {"u": 3, "b": 2, "v": 2, "c": 1}),
    )
    for doc, score in scores.items()
]
MEASURES = [nDCG @ 10, nDCG @ 3, AP, AP(rel=2), RR, P @ 3, R @ 4, Rprec]


def by_topic(measure, qrels=QRELS, run=RUN):
    return {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}


def orders(topic):
    """Runs of a topic in each order of tied documents, with scores that do not tie."""
    own = sorted((doc for doc in RUN if doc.query_id == topic), key=lambda doc: -doc.score)
    groups = [list(of) for _, of in groupby(own, key=lambda doc: doc.score)]
    for chosen in product(*(permutations(group) for group in groups)):
        docs = [doc.doc_id for group in chosen for doc in group]
        yield [ScoredDoc(topic, doc, -float(place)) for place, doc in enumerate(docs)]


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@pytest.mark.parametrize("topic", ["1", "2"])
def test_ties_are_ir_measures_over_every_order(measure, topic):
    values = [by_topic(measure, run=run)[topic] for run in orders(topic)]
    assert by_topic(TieExpected(measure))[topic] == pytest.approx(np.mean(values))
    assert by_topic(TieLow(measure))[topic] == pytest.approx(min(values))
    assert by_topic(TieHigh(measure))[topic] == pytest.approx(max(values))


@pytest.mark.parametrize("measure", [nDCG @ 10, nDCG @ 3, AP, AP(rel=2), P @ 3], ids=str)
@pytest.mark.parametrize("topic", ["1", "2"])
def test_bounds_are_ir_measures_over_every_assignment(measure, topic):
    values = []
    for grades in product((0, 1, 2), repeat=2):
        further = [Qrel(topic, doc, grade) for doc, grade in zip("uv", grades, strict=True)]
        values.append(by_topic(measure, QRELS + further)[topic])
    low, high = (by_topic(of(measure))[topic] for of in (UnjudgedLow, UnjudgedHigh))
    assert high == pytest.approx(max(values))
    assert low == pytest.approx(min(values))


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_the_value_of_ir_measures_is_within_the_limits(measure):
    value, low, high = (by_topic(of) for of in (measure, TieLow(measure), TieHigh(measure)))
    for topic in value:
        assert low[topic] - 1e-9 <= value[topic] <= high[topic] + 1e-9


def test_scores_that_single_precision_ties_are_tied():
    run = [ScoredDoc("1", "b", 1.0 + 1e-12), ScoredDoc("1", "a", 1.0)]
    assert by_topic(TieHigh(RR), run=run)["1"] == 1.0
    assert by_topic(TieExpected(RR), run=run)["1"] == 0.75


def test_the_measure_itself_is_ir_measures():
    for measure in MEASURES:
        assert by_topic(Regrade(measure)) == pytest.approx(by_topic(measure))
    assert by_topic(Regrade(measure="nERR@10"))["1"] > 0


def test_residual_is_that_of_rbp():
    value, residual = by_topic(Regrade(measure="RBP")), by_topic(Residual(measure="RBP"))
    assert all(0 < value[topic] + residual[topic] <= 1 for topic in value)


def test_several_at_once_with_their_means():
    every = [nDCG @ 10, TieExpected(nDCG @ 10), UnjudgedHigh(nDCG @ 10)]
    means = ir_measures.calc_aggregate(every, QRELS, RUN)
    assert set(means) == set(every)
    assert means[every[1]] == pytest.approx(np.mean([*by_topic(every[1]).values()]))


def test_topics_without_a_ranking():
    run = [doc for doc in RUN if doc.query_id == "1"]
    assert by_topic(TieExpected(nDCG @ 10), run=run)["2"] == 0
    assert by_topic(TieExpected(nDCG @ 10), run=[]) == {"1": 0.0, "2": 0.0}


def test_frames_are_taken_too():
    qrels = pd.DataFrame(QRELS)[["query_id", "doc_id", "relevance"]]
    run = pd.DataFrame(RUN)
    assert by_topic(TieExpected(nDCG @ 10), qrels, run) == by_topic(TieExpected(nDCG @ 10))


def test_names_are_read_again():
    for measure in (TieExpected(nDCG @ 10), UnjudgedLow(AP(rel=2)), Regrade(measure="nERR@10")):
        assert ir_measures.parse_measure(str(measure)) == measure
    assert str(TieExpected(nDCG @ 10)) == "TieExpected(measure='nDCG@10')"
    assert TieExpected(nDCG @ 10) == TieExpected(measure="nDCG@10") != TieLow(nDCG @ 10)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TieExpected(measure="Bpref"), "not available for tied documents"),
        (lambda: TieExpected(measure="nDGC@10"), "nDGC"),
        (lambda: UnjudgedLow(measure="Bpref"), "Bpref"),
        (lambda: Residual(measure="AP"), "AP: has no residual: give RBP"),
        (lambda: Regrade(measure="NLRE(second=cred)@5"), "needs further label sets"),
    ],
)
def test_what_there_is_not_is_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_read_by_name_it_is_refused_as_well():
    measure = ir_measures.parse_measure("TieExpected(measure='Bpref')")
    with pytest.raises(ParameterError, match="not available for tied documents"):
        ir_measures.calc_aggregate([measure], QRELS, RUN)


def test_regrade_itself_imports_none_of_them():
    code = (
        "import sys, regrade; regrade.score({'1': {'a': 1}}, {'r': {'1': {'a': 1.0}}}, 'AP');"
        "print(sorted({'ir_measures', 'pyterrier'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_experiments_of_pyterrier_take_them():
    pt = pytest.importorskip("pyterrier", reason="PyTerrier is not installed")
    run = pd.DataFrame(RUN).rename(columns={"query_id": "qid", "doc_id": "docno"})
    run["rank"] = run.groupby("qid").cumcount()
    run["query"] = "words"
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["one", "two"]})
    qrels = pd.DataFrame(QRELS)[["query_id", "doc_id", "relevance"]]
    qrels.columns = ["qid", "docno", "label"]
    every = [nDCG @ 10, TieExpected(nDCG @ 10), UnjudgedHigh(nDCG @ 10)]
    means = pt.Experiment([run], topics, qrels, every, names=["mine"])
    want = ir_measures.calc_aggregate(every, QRELS, RUN)
    for measure in every:
        assert means[str(measure)].iloc[0] == pytest.approx(want[measure])
    rows = pt.Experiment([run], topics, qrels, every, names=["mine"], perquery=True)
    assert len(rows) == 6
