"""Scores against trec_eval's code, ir_measures' providers, the definitions, and by hand."""

import re
import shutil
import subprocess
import warnings
from fractions import Fraction
from functools import partial
from importlib import resources
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

import regrade
from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import ParameterError
from regrade.kendall import tau_b
from regrade.measures import MEASURES, parse
from regrade.run_arrays import Judged, JudgedLists, RankedLists
from regrade.scoring import (
    AGGREGATIONS,
    Scores,
    aggregate_topics,
    concat,
    highest_grade,
    ranked_systems,
    score,
)
from regrade.tables import read_table, write_table
from regrade.user_models import continuation, weights
from tests.reference import measures as reference
from tests.unit.trec import qrels_table, table

EXACT = 1e-9


# A collection is {system: {topic: [docno, …]}} and {topic: {docno: grade}}.


def runs_table(runs):
    rows = [
        (system, topic, rank, docno, float(-(rank // 3)), rank, rank)  # scores tie in threes
        for system in sorted(runs)
        for topic in sorted(runs[system])
        for rank, docno in enumerate(runs[system][topic], start=1)
    ]
    return table("runs", rows)


def encode(runs, qrels):
    ranked = RankedLists.from_table(runs_table(runs))
    return ranked, Judged.from_table(qrels_table(qrels), ranked)


def score_one(ranking, grades, measure, max_grade=None):
    """Value and residual of one ranking."""
    ranked, judged = encode({"s": {"1": ranking}}, {"1": grades})
    scores = score(ranked, judged, [measure], max_grade=max_grade)
    return scores.values[0, 0, 0], scores.residuals[0, 0, 0]


def simulate(seed, n_systems=6, n_topics=5, pool=400, depth=200, grades=4):
    """Runs with short and empty rankings; graded, incomplete qrels, one topic without gain."""
    rng = np.random.default_rng(seed)
    docnos = [f"D{i:04d}" for i in rng.permutation(pool)]
    topics = [str(401 + t) for t in range(n_topics)]
    quality = rng.normal(size=(n_topics, pool))
    qrels = {
        topic: {
            docnos[d]: int(np.clip(np.ceil(quality[t, d]), 0, grades - 1)) if t else 0
            for d in range(pool)
            if rng.random() < 0.5
        }
        for t, topic in enumerate(topics)
    }
    runs = {}
    for s in range(n_systems):
        runs[f"sys{s}"] = {}
        for t, topic in enumerate(topics):
            length = int(rng.choice([0, 1, 5, 30, depth], p=[0.1, 0.1, 0.1, 0.1, 0.6]))
            order = np.argsort(-(quality[t] + rng.normal(scale=1 + s, size=pool)))[:length]
            if length:
                runs[f"sys{s}"][topic] = [docnos[d] for d in order]
    return runs, qrels


SIMULATED = [partial(simulate, seed, grades=grades) for seed, grades in [(0, 2), (1, 4), (2, 5)]]


def trec8(folder):
    names = ["att99atdc", "isa25", "weaver2", "UniNET8Lg"]
    paths = [folder / "trec8" / "runs" / f"input.{name}.gz" for name in names]
    return read_runs(paths), read_qrels(folder / "trec8" / "qrels.gz")


def dl21(folder):
    paths = sorted((folder / "dl21" / "runs").glob("*.gz"))[::16]
    return read_runs(paths), read_qrels(folder / "dl21" / "qrels.gz")


def read_runs(paths):
    names = ["topic", "q0", "docno", "rank", "score", "system"]
    frames = [
        pd.read_csv(path, sep=r"\s+", names=names, dtype={"topic": str, "docno": str},
                    na_filter=False, quoting=3)
        for path in paths
    ]  # fmt: skip
    frame = pd.concat(frames).sort_values(["score", "rank"], ascending=[False, True], kind="stable")
    frame = frame.drop_duplicates(["system", "topic", "docno"])
    runs = {}
    for (system, topic), ranking in frame.groupby(["system", "topic"], sort=False):
        runs.setdefault(system, {})[topic] = ranking.docno.tolist()
    return runs


def read_qrels(path):
    names = ["topic", "q0", "docno", "grade"]
    frame = pd.read_csv(path, sep=r"\s+", names=names, dtype={"topic": str, "docno": str})
    return {
        topic: dict(zip(rows.docno, rows.grade.astype(int).tolist(), strict=True))
        for topic, rows in frame.groupby("topic")
    }


def decreasing(rankings):
    """Rankings as the oracles want them: with scores that hold our order, also as float32."""
    return {
        topic: {docno: -float(rank) for rank, docno in enumerate(ranking)}
        for topic, ranking in rankings.items()
    }


# --- against ir_measures -----------------------------------------------------------------------

PYTREC_EVAL = [
    "P@1", "P@5", "P@1000", "P(rel=2)@10", "Rprec", "Rprec(rel=2)", "AP", "AP(rel=2)", "AP(rel=4)",
    "AP@10", "AP(rel=2)@20", "RR", "RR(rel=2)", "nDCG", "nDCG@1", "nDCG@10", "nDCG@1000",
    "nDCG(gains={1:1,2:3,3:7,4:15})", "nDCG(gains={0:1,1:10,2:0,3:5})@20",
    "R@5", "R@1000", "R(rel=2)@10", "Bpref", "Bpref(rel=2)",
    "Success@1", "Success@5", "Success(rel=2)@3",
    "SetP", "SetP(rel=2)", "SetP(relative=True)", "SetP(rel=2,judged_only=True)", "SetR",
    "SetR(rel=2)", "SetF", "SetF(beta=2)", "SetF(rel=2,judged_only=True)", "SetAP",
    "SetAP(rel=2,judged_only=True)", "IPrec(trec_eval=9)@0.0", "IPrec(trec_eval=9)@0.1",
    "IPrec(trec_eval=9)@0.5", "IPrec(rel=2,trec_eval=9)@0.3", "infAP", "infAP(rel=2)",
    "NumRet", "NumRet(rel=2)", "NumRelRet",
    "P(judged_only=True)@10", "R(judged_only=True)@10", "Rprec(rel=2,judged_only=True)",
    "AP(judged_only=True)", "AP(rel=2,judged_only=True)@10", "RR(judged_only=True)",
    "nDCG(judged_only=True)", "nDCG(gains={1:1,2:3,3:7,4:15},judged_only=True)@10",
]  # fmt: skip
RECALL = ["IPrec(rel=2,trec_eval=9,judged_only=True)@0.2"]
"""One that the evaluator leaves out where nothing that is ranked was judged; here it is 0."""
JUDGED = ["Judged@1", "Judged@10", "Judged@1000", "Judged"]
MS_MARCO = ["RR@1", "RR@10", "RR(rel=2)@5"]


def test_grades_below_zero_are_pooled_but_unjudged_for_inferred_ap():
    rng = np.random.default_rng(4)
    qrels = {str(t): {f"d{d}": int(rng.choice([-2, -1, -1, 0, 1, 2])) for d in range(40)}
             for t in range(5)}  # fmt: skip
    runs = {"s": {topic: [f"d{d}" for d in rng.permutation(60)] for topic in qrels}}
    assert_equals_ir_measures(runs, qrels)


@pytest.mark.parametrize("collection", SIMULATED)
def test_accuracy_and_compatibility_are_those_of_ir_measures(collection):
    runs, qrels = collection()
    names = ["Accuracy", "Accuracy(rel=2)@20", "Accuracy@1", "Compat", "Compat(p=0.8)",
             "Compat(p=0.9,normalize=False)"]  # fmt: skip
    scores = score(*encode(runs, qrels), names)
    held = 0
    for m, name in enumerate(names):
        measure = ir_measures.parse_measure(name)
        provider = ir_measures.providers.registry[str(measure.NAME).lower()]
        evaluator = provider.evaluator([measure], qrels)
        for s, system in enumerate(scores.systems):
            # unretrieved documents have the score 0 there, which must be the lowest
            run = {t: {d: 1 / (1 + rank) for rank, d in enumerate(ranking)}
                   for t, ranking in runs[system].items()}  # fmt: skip
            for topic, ranking in run.items():
                one = {topic: ranking}
                shown = [qrels[topic].get(d, 0) >= (dict(parse(name).settings).get("rel", 1))
                         for d in runs[system][topic]][: measure.params.get("cutoff")]  # fmt: skip
                value = scores.values[s, scores.topics.index(topic), m]
                if measure.NAME == "Accuracy" and all(shown):  # no pair: it divides by 0
                    assert value == 1
                    continue
                found = [metric.value for metric in evaluator.iter_calc(one)
                         if metric.query_id == topic]  # fmt: skip
                # of a ranking without a relevant document it says nothing
                assert value == pytest.approx(found[0] if found else 0, rel=0, abs=EXACT)
                held += value > 0
    assert held > 50


PROVIDERS = [
    ("pytrec_eval", PYTREC_EVAL),
    ("pytrec_eval", RECALL),
    ("msmarco", MS_MARCO),
    ("judged", JUDGED),
]


def assert_equals_ir_measures(runs, qrels):
    """Compare; give the names of the measures that are above 0 somewhere."""
    above_zero = set()
    ranked, judged = encode(runs, qrels)
    for provider, names in PROVIDERS:
        scores = score(ranked, judged, names)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            oracle = {  # pytrec_eval is trec_eval 9
                ir_measures.parse_measure(re.sub(r"\(trec_eval=9\)|,trec_eval=9", "", name)): m
                for m, name in enumerate(names)
            }
        evaluator = ir_measures.providers.registry[provider].evaluator(list(oracle), qrels)
        expected = np.full(scores.values.shape, np.nan)
        for s, system in enumerate(scores.systems):
            for metric in evaluator.iter_calc(decreasing(runs[system])):
                if metric.query_id in scores.topics:
                    t = scores.topics.index(metric.query_id)
                    expected[s, t, oracle[metric.measure]] = metric.value
        missing = np.isnan(expected)
        if names == RECALL:
            nothing = score(ranked, judged, ["Judged"]).values == 0
            assert not missing[~nothing[:, :, 0]].any()
            missing, expected = missing & False, np.nan_to_num(expected)
        assert not missing.any()
        np.testing.assert_allclose(scores.values, expected, rtol=0, atol=EXACT)
        above_zero |= {names[m] for m in np.flatnonzero((expected > 0).any(axis=(0, 1)))}
    return above_zero


def assert_says_something(above_zero, qrels):
    """Only measures that ask for more than the highest grade may be 0 throughout."""
    highest = max(grade for grades in qrels.values() for grade in grades.values())
    names = PYTREC_EVAL + MS_MARCO + JUDGED + RECALL
    assert above_zero == {n for n in names if dict(parse(n).settings).get("rel", 1) <= highest}


@pytest.mark.parametrize("collection", SIMULATED)
def test_simulated_runs_score_as_ir_measures_says(collection):
    runs, qrels = collection()
    assert_says_something(assert_equals_ir_measures(runs, qrels), qrels)


@pytest.mark.parametrize("collection", [trec8, dl21])
def test_real_runs_score_as_ir_measures_says(real_data, collection):
    runs, qrels = collection(real_data)
    assert_says_something(assert_equals_ir_measures(runs, qrels), qrels)


def test_grades_below_zero_have_no_gain_as_in_trec_eval():
    runs = {"s": {"1": ["junk", "a", "x", "b"]}}
    qrels = {"1": {"junk": -2, "a": 2, "b": 1, "spam": -1, "c": 0}}
    assert_equals_ir_measures(runs, qrels)
    ranking, grades = runs["s"]["1"], qrels["1"]
    for measure in ["nDCG", "nDCG(dcg='exp-log2')", "ERR", "RBP"]:
        zeros = {d: max(g, 0) for d, g in grades.items()}
        assert score_one(ranking, grades, measure)[0] == score_one(ranking, zeros, measure)[0] > 0


@pytest.mark.parametrize("collection", SIMULATED)
def test_f_is_that_of_trec_eval(collection):
    runs, qrels = collection()
    scores = score(*encode(runs, qrels), ["F", "F(beta=2)", "F(judged_only=True)"])
    # trec_eval's parameter of set_F is the square of β
    for m, (measure, judged_only) in enumerate(
        [("set_F", False), ("set_F.4.0", False), ("set_F", True)]
    ):
        evaluator = pytrec_eval.RelevanceEvaluator(
            qrels, {measure}, judged_docs_only_flag=judged_only
        )
        for s, system in enumerate(scores.systems):
            found = evaluator.evaluate(decreasing(runs[system]))
            expected = [found.get(topic, {"set_F": 0.0})["set_F"] for topic in scores.topics]
            np.testing.assert_allclose(scores.values[s, :, m], expected, rtol=0, atol=EXACT)
            assert max(expected) > 0


# --- against gdeval.pl -------------------------------------------------------------------------


def gdeval(runs, qrels, cutoff, highest, folder):
    """nDCG and ERR of gdeval.pl, made to print all digits and to know the scale's top."""
    script = resources.files("ir_measures").joinpath("bin/gdeval.pl").read_text()
    for old, new in [("%.5f,%.5f", "%.17g,%.17g"), ("$MAX_JUDGMENT = 4;", f"$MAX_JUDGMENT = {highest};")]:  # fmt: skip # noqa: E501
        assert script.count(old) == 1
        script = script.replace(old, new)
    (folder / "gdeval.pl").write_text(script)
    (folder / "qrels").write_text(
        "".join(f"{t} 0 {d} {g}\n" for t, grades in qrels.items() for d, g in grades.items())
    )
    found = {}
    for system in runs:
        lines = [
            f"{topic} Q0 {docno} {rank} {-rank} {system}\n"
            for topic, ranking in runs[system].items()
            for rank, docno in enumerate(ranking)
        ]
        (folder / "run").write_text("".join(lines))
        output = subprocess.run(
            ["perl", "gdeval.pl", "qrels", "run", str(cutoff)],
            cwd=folder, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        for line in output.splitlines()[1:]:
            name, topic, ndcg, err = line.split(",")
            found[name, topic] = float(ndcg), float(err)
    return found


def assert_equals_gdeval(runs, qrels, folder):
    if shutil.which("perl") is None:
        pytest.skip("no perl to run gdeval.pl with")
    ranked, judged = encode(runs, qrels)
    for cutoff, highest in [(10, 4), (20, 5)]:
        scores = score(
            ranked,
            judged,
            [f"nDCG(dcg='exp-log2')@{cutoff}", f"ERR@{cutoff}", f"ERR(max_rel={highest})@{cutoff}"],
            max_grade=highest,
        )
        oracle = gdeval(runs, qrels, cutoff, highest, folder)
        assert sum(err > 0 for _, err in oracle.values()) > 10
        for s, system in enumerate(scores.systems):
            for t, topic in enumerate(scores.topics):
                ndcg, err = oracle.get((system, topic), (0.0, 0.0))
                np.testing.assert_allclose(
                    scores.values[s, t], [ndcg, err, err], rtol=0, atol=EXACT
                )


@pytest.mark.parametrize("collection", SIMULATED)
def test_simulated_runs_score_as_gdeval_says(collection, tmp_path):
    assert_equals_gdeval(*collection(), tmp_path)


def test_real_graded_runs_score_as_gdeval_says(real_data, tmp_path):
    assert_equals_gdeval(*dl21(real_data), tmp_path)


# --- against cwl_eval --------------------------------------------------------------------------

CWL_QRELS = {"a": 3, "b": 0, "c": 1, "d": 2, "e": 0, "z": 3}
CWL_LISTS = {"full": list("abcde"), "mixed": list("uavdbwc"), "none": list("uv")}


@pytest.mark.parametrize(
    ("ranking", "measure", "value", "residual"),
    [
        # cwl_eval 1.0.12, RBPCWLMetric(p) with residuals; graded: gains scaled from 0..3 to 0..1
        ("full", "RBP(p=0.5)", 0.5833333333333333, 0.03125),
        ("full", "RBP(p=0.8)", 0.31093333333333323, 0.32768000000000014),
        ("full", "RBP(p=0.95)", 0.0936208333333334, 0.7737809374999997),
        ("mixed", "RBP(p=0.5)", 0.29427083333333337, 0.6484375),
        ("mixed", "RBP(p=0.8)", 0.24574293333333327, 0.6032512),
        ("mixed", "RBP(p=0.95)", 0.0883306981770834, 0.8321513429687497),
        ("none", "RBP(p=0.95)", 0.0, 0.9999999999999999),
        ("full", "RBP(p=0.5,rel=2)", 0.5625, 0.03125),
        ("full", "RBP(p=0.8,rel=2)", 0.3023999999999999, 0.3276800000000002),
        ("full", "RBP(p=0.95,rel=2)", 0.09286875000000008, 0.7737809374999995),
        ("mixed", "RBP(p=0.5,rel=2)", 0.3125, 0.6484375),
        ("mixed", "RBP(p=0.8,rel=2)", 0.26239999999999997, 0.6032512),
        ("mixed", "RBP(p=0.95,rel=2)", 0.09036875000000008, 0.8321513429687497),
    ],
)
def test_rbp_and_its_residual_are_those_of_cwl_eval(ranking, measure, value, residual):
    # cwl_eval scales the weights of 1,000 ranks to sum to 1: 0.95 ** 1000 is 5e-23
    found = score_one(CWL_LISTS[ranking], CWL_QRELS, measure)
    np.testing.assert_allclose(found, (value, residual), rtol=0, atol=1e-14)


def gain_shares(ranking, qrels, rel):
    return [qrels.get(d, 0) / 3 if rel is None else float(qrels.get(d, 0) >= rel) for d in ranking]


@pytest.mark.parametrize(
    ("ranking", "measure", "value", "residual"),
    [
        # cwl_eval 1.0.12, INSQCWLMetric(T), INSTCWLMetric(T), NDCGCWLMetric(k) with residuals
        ("full", "INSQ", 0.4620027473490086, 0.23689742291279536),
        ("full", "INSQ(T=2.5)", 0.25970160086366856, 0.4728000182662182),
        ("full", "INST", 0.6857186717426594, 0.06507859477214695),
        ("full", "INST(T=3)", 0.28049469908315655, 0.3546666352983942),
        ("full", "SDCG@4", 0.5675284158381969, 0.0),
        ("full", "SDCG@10", 0.3199659702607941, 0.35106842466815336),
        ("mixed", "INSQ", 0.22205034005406366, 0.6979295762547685),
        ("mixed", "INSQ(T=2.5)", 0.185856406209281, 0.7094646002288693),
        ("mixed", "INST", 0.2564346089226756, 0.7352524915414733),
        ("mixed", "INST(T=3)", 0.1987793957616678, 0.6759452544919053),
        ("mixed", "SDCG@4", 0.3583874129214749, 0.5855700749881525),
        ("mixed", "SDCG@10", 0.22650932748637506, 0.6078421520159135),
        ("none", "INST(T=3)", 0.0, 1.0),
        ("full", "INSQ(rel=2)", 0.4503556192645798, 0.23689742291279559),
        ("full", "INST(rel=2)", 0.6713216934824318, 0.06819328511956502),
        ("mixed", "INST(T=3,rel=2)", 0.2140285593661443, 0.6821929774011924),
        ("mixed", "SDCG(rel=2)@4", 0.4144299250118474, 0.5855700749881525),
    ],
)
def test_insq_inst_and_sdcg_are_those_of_cwl_eval(ranking, measure, value, residual):
    found, room = score_one(CWL_LISTS[ranking], CWL_QRELS, measure)
    gains = gain_shares(CWL_LISTS[ranking], CWL_QRELS, parse(measure)["rel"])
    # cwl_eval scales the weights of 1,000 ranks to sum to 1
    first_1000 = weights(measure, 1000, gains).sum()
    assert found / first_1000 == pytest.approx(value, rel=0, abs=1e-14)
    if parse(measure).name == "INSQ":
        room = (room - (1 - first_1000)) / first_1000
    else:  # the weights in the best case of INST end long before rank 1,000
        room += found - value
    assert room == pytest.approx(residual, rel=0, abs=1e-13)


@pytest.mark.parametrize(
    ("ranking", "measure", "value"),
    [
        # cwl_eval 1.0.12, NERReq8CWLMetric(k) … NERReq11CWLMetric(T), BPMCWLMetric(T, K)
        ("full", "NERR8@3", 1.0),
        ("full", "NERR8@10", 1.0),
        ("full", "NERR9@3", 1.0),
        ("full", "NERR9@10", 1.0),
        ("full", "NERR10", 1.0),
        ("full", "NERR10(p=0.5)", 1.0),
        ("full", "NERR11", 1.0),
        ("full", "NERR11(T=2.5)", 1.0),
        ("mixed", "NERR8@3", 0.5),
        ("mixed", "NERR8@10", 0.5),
        ("mixed", "NERR9@3", 0.3333333333333333),
        ("mixed", "NERR9@10", 0.3333333333333333),
        ("mixed", "NERR10", 0.47368421052631576),
        ("mixed", "NERR10(p=0.5)", 0.3333333333333333),
        ("mixed", "NERR11", 0.30769230769230765),
        ("mixed", "NERR11(T=2.5)", 0.40983606557377045),
        ("none", "NERR8@3", 0.0),
        ("none", "NERR8@10", 0.0),
        ("none", "NERR9@3", 0.0),
        ("none", "NERR9@10", 0.0),
        ("none", "NERR10", 0.0),
        ("none", "NERR10(p=0.5)", 0.0),
        ("none", "NERR11", 0.0),
        ("none", "NERR11(T=2.5)", 0.0),
        ("full", "BPM@3", 1.0),
        ("full", "BPM(T=1.5)@10", 0.5),
        ("full", "BPM(T=9)@10", 0.2),
        ("mixed", "BPM@3", 0.5),
        ("mixed", "BPM(T=1.5)@10", 0.41666666666666663),
        ("mixed", "BPM(T=9)@10", 0.2),
        ("none", "BPM@3", 0.0),
        ("none", "BPM(T=1.5)@10", 0.0),
        ("none", "BPM(T=9)@10", 0.0),
    ],
)
def test_nearly_err_and_bpm_are_those_of_cwl_eval(ranking, measure, value):
    found = score_one(CWL_LISTS[ranking], CWL_QRELS, measure)[0]
    # the weights of its 1,000 ranks: those below are nothing, but for NERR11 about a thousandth
    tolerance = 2e-3 if parse(measure).name == "NERR11" else 1e-14
    assert found == pytest.approx(value, rel=tolerance, abs=1e-14)


# --- against the definitions -------------------------------------------------------------------

DEFINITIONS = {
    "P@3": partial(reference.precision_with_residual, cutoff=3),
    "P(rel=0)@20": partial(reference.precision_with_residual, rel=0, cutoff=20),
    "P(judged_only=True)@3": partial(reference.condensed(reference.precision), cutoff=3),
    "Success@3": partial(reference.success_with_residual, cutoff=3),
    "Success(rel=2,judged_only=True)@2": partial(
        reference.condensed(reference.success), rel=2, cutoff=2
    ),
    "R@3": partial(reference.recall, cutoff=3),
    "R(rel=2)@20": partial(reference.recall, rel=2, cutoff=20),
    "F": reference.f_measure,
    "F(beta=3,rel=2)@4": partial(reference.f_measure, beta=3, rel=2, cutoff=4),
    "F(judged_only=True)": reference.condensed(reference.f_measure),
    "Rprec": reference.r_precision,
    "Rprec(rel=0.5)": partial(reference.r_precision, rel=0.5),
    "AP": reference.average_precision,
    "AP(rel=2)@4": partial(reference.average_precision, rel=2, cutoff=4),
    "AP(rel=-1)": partial(reference.average_precision, rel=-1),
    "AP(judged_only=True)": reference.condensed(reference.average_precision),
    "AP(rel=2,judged_only=True)@3": partial(
        reference.condensed(reference.average_precision), rel=2, cutoff=3
    ),
    "NCP(gamma=0.7)": partial(reference.normalised_cumulative_precision, gamma=0.7),
    "NCP(gamma=0.5,rel=2)@5": partial(
        reference.normalised_cumulative_precision, gamma=0.5, rel=2, cutoff=5
    ),
    "Bpref": reference.binary_preference,
    "Bpref(rel=2)": partial(reference.binary_preference, rel=2),
    "RR": reference.reciprocal_rank,
    "RR(rel=3)@5": partial(reference.reciprocal_rank, rel=3, cutoff=5),
    "nDCG": reference.ndcg,
    "nDCG@4": partial(reference.ndcg, cutoff=4),
    "nDCG(dcg='exp-log2')@7": partial(reference.ndcg, dcg="exp-log2", cutoff=7),
    "nDCG(gains={0:0.25,2.75:4})": partial(reference.ndcg, gains={0: 0.25, 2.75: 4}),
    "nDCG(base=2)": partial(reference.ndcg, base=2),
    "nDCG(dcg='exp-log2',base=10)@12": partial(
        reference.ndcg, dcg="exp-log2", base=10, cutoff=12
    ),
    "nDCG(base=2.5)": partial(reference.ndcg, base=2.5),
    "nDCG(judged_only=True)@5": partial(reference.condensed(reference.ndcg), cutoff=5),
    "DCG": reference.dcg,
    "DCG(dcg='exp-log2',base=2)@4": partial(reference.dcg, dcg="exp-log2", base=2, cutoff=4),
    "Q": reference.q_measure,
    "Q(beta=0.5,gains={1:2,2:7})@6": partial(
        reference.q_measure, beta=0.5, gains={1: 2, 2: 7}, cutoff=6
    ),
    "Q(judged_only=True)": reference.condensed(reference.q_measure),
    "ERR": partial(reference.expected_reciprocal_rank, max_rel=4),
    "nERR": partial(reference.normalised_expected_reciprocal_rank, max_rel=4),
    "nERR(max_rel=3)@3": partial(
        reference.normalised_expected_reciprocal_rank, max_rel=3, cutoff=3
    ),
    "infAP": reference.inferred_average_precision,
    "infAP(rel=2)": partial(reference.inferred_average_precision, rel=2),
    "Accuracy": reference.accuracy,
    "Accuracy(rel=2)@5": partial(reference.accuracy, rel=2, cutoff=5),
    "Compat": reference.compatibility,
    "Compat(p=0.5)": partial(reference.compatibility, p=0.5),
    "Compat(normalize=False)": partial(reference.compatibility, normalize=False),
    "NERR8@3": partial(reference.nearly_err, equation=8, max_rel=4, cutoff=3),
    "NERR8(rel=2)@30": partial(reference.nearly_err, equation=8, rel=2, cutoff=30),
    "NERR9(max_rel=3)@6": partial(reference.nearly_err, equation=9, max_rel=3, cutoff=6),
    "NERR9@30": partial(reference.nearly_err, equation=9, max_rel=4, cutoff=30),
    "NERR10": partial(reference.nearly_err, equation=10, max_rel=4, p=0.9),
    "NERR10(p=0.5,rel=1)": partial(reference.nearly_err, equation=10, rel=1, p=0.5),
    "NERR11": partial(reference.nearly_err, equation=11, max_rel=4, T=1),
    "NERR11(T=2.5,dcg='exp-log2')": partial(
        reference.nearly_err, equation=11, dcg="exp-log2", max_rel=4, T=2.5
    ),
    "BPM@3": partial(reference.bejeweled_player, max_rel=4, cutoff=3),
    "BPM(T=2,max_rel=3)@30": partial(reference.bejeweled_player, T=2, max_rel=3, cutoff=30),
    "BPM(T=1.5,rel=1)@9": partial(reference.bejeweled_player, T=1.5, rel=1, cutoff=9),
    "NumRet": lambda ranking, qrels: len(ranking),
    "NumRet(rel=2)": lambda ranking, qrels: sum(qrels.get(d, 0) >= 2 for d in ranking),
    "NumRel": lambda ranking, qrels: reference.n_relevant(qrels, 1),
    "SDCG@3": partial(reference.sdcg, max_rel=4, cutoff=3),
    "SDCG(dcg='exp-log2',max_rel=3)@20": partial(
        reference.sdcg, dcg="exp-log2", max_rel=3, cutoff=20
    ),
    "SDCG(rel=1)@9": partial(reference.sdcg, rel=1, cutoff=9),
    "INSQ": partial(reference.insq, max_rel=4),
    "INSQ(T=2.5,rel=2)@5": partial(reference.insq, T=2.5, rel=2, cutoff=5),
    "INST": partial(reference.inst, max_rel=4),
    "INST(T=0.5,max_rel=3)": partial(reference.inst, T=0.5, max_rel=3),
    "INST(T=3,rel=1)@6": partial(reference.inst, T=3, rel=1, cutoff=6),
    "ERR(max_rel=3)@2": partial(reference.expected_reciprocal_rank, max_rel=3, cutoff=2),
    "RBP": partial(reference.rank_biased_precision, max_rel=4),
    "RBP(p=0.98,max_rel=3)": partial(reference.rank_biased_precision, p=0.98, max_rel=3),
    "RBP(p=0.5,rel=1)@6": partial(reference.rank_biased_precision, p=0.5, rel=1, cutoff=6),
    "RBP(dcg='exp-log2')": partial(reference.rank_biased_precision, max_rel=4, dcg="exp-log2"),
    "RBP(gains={0:0.5,2:2.5,3:7,4:6,5:9})": partial(
        reference.rank_biased_precision, max_rel=4, gains={0: 0.5, 2: 2.5, 3: 7, 4: 6, 5: 9}
    ),
    "INSQ(dcg='exp-log2',max_rel=3)@6": partial(
        reference.insq, dcg="exp-log2", max_rel=3, cutoff=6
    ),
    "INSQ(T=2,gains={1:2.5,2.75:0})": partial(
        reference.insq, T=2, max_rel=4, gains={1: 2.5, 2.75: 0}
    ),
    "INST(T=2,dcg='exp-log2')@9": partial(
        reference.inst, T=2, dcg="exp-log2", max_rel=4, cutoff=9
    ),
    "INST(gains={1:0.1,3:30})": partial(reference.inst, max_rel=4, gains={1: 0.1, 3: 30}),
    "SDCG(gains={1:5})@7": partial(reference.sdcg, max_rel=4, gains={1: 5}, cutoff=7),
    "ERR(dcg='log2')": partial(reference.expected_reciprocal_rank, max_rel=4, dcg="log2"),
    "ERR(gains={1:2,2:7})@6": partial(
        reference.expected_reciprocal_rank, max_rel=4, gains={1: 2, 2: 7}, cutoff=6
    ),
    "nERR(dcg='log2',max_rel=3)@6": partial(
        reference.normalised_expected_reciprocal_rank, max_rel=3, dcg="log2", cutoff=6
    ),
    "nERR(gains={1:2,2:0.5})": partial(
        reference.normalised_expected_reciprocal_rank, max_rel=4, gains={1: 2, 2: 0.5}
    ),
}  # fmt: skip

DOCNOS = [f"d{i}" for i in range(16)]
TOPICS = ["1", "10", "2"]
RANKINGS = st.permutations(DOCNOS).flatmap(
    lambda docnos: st.integers(1, len(docnos)).map(lambda n: docnos[:n])
)
RUNS = st.dictionaries(
    st.sampled_from(["alpha", "beta", "gamma"]),
    st.dictionaries(st.sampled_from(TOPICS), RANKINGS, min_size=1),
    min_size=1,
)
GRADES = st.sampled_from([-2, 0, 0, 1, 2, 3, 0.5, 2.75])
QRELS = st.dictionaries(
    st.sampled_from([*TOPICS, "99"]),
    st.dictionaries(st.sampled_from([*DOCNOS, "missed", "lost"]), GRADES, min_size=1),
    min_size=1,
)


@settings(max_examples=60)
@given(RUNS, QRELS)
def test_every_measure_is_what_its_definition_says(runs, qrels):
    ranked, judged = encode(runs, qrels)
    scores = score(ranked, judged, list(DEFINITIONS), max_grade=4)
    retrieved = {topic for rankings in runs.values() for topic in rankings}
    assert scores.systems == tuple(sorted(runs))
    assert scores.topics == tuple(sorted(retrieved & set(qrels)))
    for s, system in enumerate(scores.systems):
        for t, topic in enumerate(scores.topics):
            for m, definition in enumerate(DEFINITIONS.values()):
                expected = definition(runs[system].get(topic, []), qrels[topic])
                if not isinstance(expected, tuple):
                    expected = expected, np.nan
                found = scores.values[s, t, m], scores.residuals[s, t, m]
                np.testing.assert_allclose(
                    found, expected, rtol=0, atol=1e-12, err_msg=str(scores.measures[m])
                )


@settings(max_examples=20)
@given(RUNS, QRELS)
def test_nothing_below_the_last_rank_of_a_measure_changes_it(runs, qrels):
    ranked, judged = encode(runs, qrels)
    lists = JudgedLists.match(ranked, judged, 4)
    ending = [measure for measure in map(parse, DEFINITIONS) if measure.last_rank]
    assert len(ending) > 20 and not any(measure.judged_only for measure in ending)
    for measure in ending:
        scores = score(ranked, judged, [measure], max_grade=4)
        np.testing.assert_array_equal(scores.values[:, :, 0], measure.values(lists))
        if measure.definition.residual:
            np.testing.assert_array_equal(scores.residuals[:, :, 0], measure.residuals(lists))


@settings(max_examples=50)
@given(RUNS, QRELS, st.randoms(use_true_random=False))
def test_neither_company_nor_order_nor_names_change_a_bit(runs, qrels, random):
    names = list(DEFINITIONS)
    whole = score(*encode(runs, qrels), names, max_grade=4)
    # rows of the qrels in another order, measures too
    rows = [(t, d, float(g)) for t, grades in qrels.items() for d, g in grades.items()]
    random.shuffle(rows)
    random.shuffle(names)
    ranked = RankedLists.from_table(runs_table(runs))
    shuffled = score(ranked, Judged.from_table(table("qrels", rows), ranked), names, max_grade=4)
    back = [shuffled.measures.index(m) for m in whole.measures]
    np.testing.assert_array_equal(shuffled.values[:, :, back], whole.values)
    # each system alone
    for s, system in enumerate(whole.systems):
        alone = score(*encode({system: runs[system]}, qrels), whole.measures, max_grade=4)
        for t, topic in enumerate(alone.topics):
            w = whole.topics.index(topic)
            np.testing.assert_array_equal(alone.values[0, t], whole.values[s, w])
            np.testing.assert_array_equal(alone.residuals[0, t], whole.residuals[s, w])
    # documents renamed, so that they sort the other way
    renamed = {d: f"z{100 - i}" for i, d in enumerate([*DOCNOS, "missed", "lost"])}
    other = score(
        *encode(
            {s: {t: [renamed[d] for d in r] for t, r in ts.items()} for s, ts in runs.items()},
            {t: {renamed[d]: g for d, g in grades.items()} for t, grades in qrels.items()},
        ),
        whole.measures,
        max_grade=4,
    )
    np.testing.assert_array_equal(other.values, whole.values)
    np.testing.assert_array_equal(other.residuals, whole.residuals)


@settings(max_examples=50)
@given(st.lists(st.sampled_from([0, 1, 2, 3, 0.5]), min_size=1, max_size=30))
def test_the_ideal_ranking_has_ndcg_one_exactly(grades):
    qrels = {f"d{i}": grade for i, grade in enumerate(grades)}
    best_first = sorted(qrels, key=lambda d: -qrels[d])
    for measure in ["nDCG", "nDCG@10", "nDCG(dcg='exp-log2')@5", "nDCG(base=3)"]:
        assert score_one(best_first, qrels, measure)[0] == (1.0 if max(grades) > 0 else 0.0)


# --- by hand -----------------------------------------------------------------------------------

# rank         1    2    3    4    5    6; "r" is relevant but was not retrieved; c, e unjudged
HAND_LIST = ["a", "b", "c", "d", "e", "f"]
HAND_QRELS = {"a": 0, "b": 2, "d": 1, "f": 1, "r": 2}
LOG2_3, LOG2_5, LOG2_7 = np.log2([3, 5, 7])


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("P@1", 0 / 1),
        ("P@4", 2 / 4),
        ("P@10", 3 / 10),  # six documents, but the divisor is ten
        ("P(rel=2)@4", 1 / 4),
        ("Success@1", 0),  # the first is not relevant, the second is
        ("Success@2", 1),
        ("Rprec", 2 / 4),  # R = 4: b, d, f, r; b and d are in the first four
        ("AP", (1 / 2 + 2 / 4 + 3 / 6) / 4),
        ("AP@4", (1 / 2 + 2 / 4) / 4),
        ("AP(rel=2)", (1 / 2) / 2),
        ("R@4", 2 / 4),
        ("R(rel=2)@10", 1 / 2),
        ("F", 2 / (6 / 3 + 4 / 3)),  # P = 3/6, R = 3/4
        ("F@4", 1 / 2),
        ("F(beta=2)@10", 5 / (4 / (3 / 4) + 1 / (3 / 10))),
        ("AP(judged_only=True)", (1 / 2 + 2 / 3 + 3 / 4) / 4),  # a, b, d, f
        ("nDCG(judged_only=True)@2", (2 / LOG2_3) / (2 + 2 / LOG2_3)),
        # users stop at b, d, f, r as 8 : 4 : 2 : 1
        ("NCP(gamma=0.5)", (8 * 1 / 2 + 4 * 2 / 4 + 2 * 3 / 6) / 15),
        ("Bpref", 0),  # a is above all, and min(R, N) is 1
        # gains so far 2, 3, 4 and relevant so far 1, 2, 3; ideally 4, 6, 6
        ("Q", ((2 + 1) / (4 + 2) + (3 + 2) / (6 + 4) + (4 + 3) / (6 + 6)) / 4),
        ("Q(judged_only=True)@3", ((2 + 1) / (4 + 2) + (3 + 2) / (5 + 3)) / 4),
        ("RR", 1 / 2),
        ("RR@1", 0),
        # 2/log₂3 + 1/log₂5 + 1/log₂7 of the ideal 2, 2, 1, 1
        ("nDCG", (2 / LOG2_3 + 1 / LOG2_5 + 1 / LOG2_7) / (2 + 2 / LOG2_3 + 1 / 2 + 1 / LOG2_5)),
        ("nDCG@2", (2 / LOG2_3) / (2 + 2 / LOG2_3)),
        ("nDCG(dcg='exp-log2')@2", (3 / LOG2_3) / (3 + 3 / LOG2_3)),
        (
            "nDCG(gains={2:10})@4",
            (10 / LOG2_3 + 1 / LOG2_5) / (10 + 10 / LOG2_3 + 1 / 2 + 1 / LOG2_5),
        ),
        # ranks 1 and 2 in full, then log₂3, log₂4 = 2, log₂5, log₂6
        ("nDCG(base=2)@4", (2 + 1 / 2) / (2 + 2 + 1 / LOG2_3 + 1 / 2)),
        # no discount before rank 10
        ("nDCG(base=10)", (2 + 1 + 1) / (2 + 2 + 1 + 1)),
        # stops with (2²-1)/2² = 3/4 at rank 2, else with 1/4 at rank 4, else with 1/4 at rank 6
        ("ERR", 1 / 2 * 3 / 4 + 1 / 4 * 1 / 4 * 1 / 4 + 1 / 6 * 1 / 4 * 3 / 4 * 1 / 4),
        ("ERR@4", 1 / 2 * 3 / 4 + 1 / 4 * 1 / 4 * 1 / 4),
        ("ERR(max_rel=3)@2", 1 / 2 * 3 / 8),
        ("nERR@2", (1 / 2 * 3 / 4) / (3 / 4 + 1 / 2 * 1 / 4 * 3 / 4)),
        ("DCG@4", 2 / LOG2_3 + 1 / LOG2_5),
        ("SDCG@2", (1 / LOG2_3) / (1 + 1 / LOG2_3)),
        (
            "SDCG(dcg='exp-log2')@4",
            (1 / LOG2_3 + 1 / 3 / LOG2_5) / (1 + 1 / LOG2_3 + 1 / 2 + 1 / LOG2_5),
        ),
        ("INSQ(rel=1)", (1 / 9 + 1 / 25 + 1 / 49) / (np.pi**2 / 6 - 1)),
        ("RBP(p=0.5)", 1 / 4 * 1 + 1 / 16 * 1 / 2 + 1 / 64 * 1 / 2),
        ("RBP(p=0.5,rel=1)", 1 / 4 + 1 / 16 + 1 / 64),
    ],
)
def test_by_hand(measure, expected):
    value, _ = score_one(HAND_LIST, HAND_QRELS, measure)
    assert value == pytest.approx(expected, rel=0, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("RBP(p=0.5)", 1 / 8 + 1 / 32 + 1 / 64),  # ranks 3 and 5, and what is below rank 6
        ("RBP(p=0.5)@3", 1 / 8 + 1 / 8),  # rank 3, and what is below it
        ("RBP(p=0.5,rel=2)@2", 1 / 4),  # only what is below rank 2
        ("AP", np.nan),
        ("P@3", 1 / 3),  # rank 3
        ("P(rel=2)@10", 6 / 10),  # ranks 3 and 5, and four below the end
        ("P(judged_only=True)@3", np.nan),
    ],
)
def test_residual_by_hand(measure, expected):
    _, residual = score_one(HAND_LIST, HAND_QRELS, measure)
    np.testing.assert_equal(residual, expected)


GOOGLE = [3, 2, 3, 1, 0, 0, 3, 1, 1, 0]
BING = [3, 3, 2, 0, 1, 0, 0, 0, 1, 0]


@pytest.mark.parametrize(
    ("grades", "p", "value", "residual"),
    [
        # yang2019 §2.3.1: gains (2^g - 1) / 7 of Table 2.3, values as printed
        (GOOGLE, 0.9, 0.296, 0.349),
        (BING, 0.9, 0.240, 0.349),
        (GOOGLE, 0.5, 0.750, 0.001),
        (BING, 0.5, 0.808, 0.001),
    ],
)
def test_rbp_of_the_example_of_yang2019(grades, p, value, residual):
    ranking = [f"d{i}" for i in range(10)]
    qrels = dict(zip(ranking, grades, strict=True))
    listed = {grade: 2**grade - 1 for grade in range(4)}
    for measure in (f"RBP(p={p},dcg='exp-log2')@10", f"RBP(p={p},gains={listed})"):
        found = score_one(ranking, qrels, measure)
        assert found == pytest.approx((value, residual), rel=0, abs=6e-4)


def test_magnitudes_by_hand():
    """turpin2015 §5.1 with fractions for gains: nothing is rounded, the ideal ranking included."""
    ranking = ["a", "x", "b", "c"]  # x is unjudged
    qrels = {"a": 3.5, "b": 10.25, "c": 0.75, "d": 22.0}
    dcg = 3.5 + 0 / 1 + 10.25 / LOG2_3 + 0.75 / 2
    ideal = 22 + 10.25 / 1 + 3.5 / LOG2_3 + 0.75 / 2
    assert score_one(ranking, qrels, "nDCG(base=2)@10")[0] == pytest.approx(dcg / ideal, abs=1e-15)
    ideal_of_two = 22 + 10.25 / 1
    assert score_one(ranking, qrels, "nDCG(base=2)@2")[0] == pytest.approx(
        3.5 / ideal_of_two, abs=1e-15
    )


def test_err_of_magnitudes_by_hand():
    """R(G) = (2^G − 1) / 2^Gmax, Gmax the highest of the topic's documents."""
    ranking, qrels = ["a", "x", "b"], {"a": 0.5, "b": 2.0, "c": 2.5}
    a, b = ((Fraction(2) ** g - 1) / 2 ** Fraction(5, 2) for g in (Fraction(1, 2), 2))
    expected = a + (1 - a) * b / 3
    assert score_one(ranking, qrels, "ERR(max_rel='topic')@10")[0] == pytest.approx(
        expected, abs=1e-15
    )
    linear = Fraction(1, 5) + Fraction(4, 5) * Fraction(4, 5) / 3
    found, _ = score_one(ranking, qrels, "ERR(dcg='log2',max_rel='topic')")
    assert found == pytest.approx(float(linear), abs=1e-15)
    listed, _ = score_one(ranking, qrels, "ERR(gains={2.5:10},max_rel='topic')")
    assert listed == pytest.approx(0.05 + 0.95 * 0.2 / 3, abs=1e-15)


def test_err_of_huge_magnitudes_does_not_overflow():
    """2^1000 and more: (2^G − 1) / 2^Gmax is 2^(G − Gmax) − 2^−Gmax."""
    ranking, qrels = ["a", "b"], {"a": 1998.0, "b": 2000.0}
    for measure in ("ERR(max_rel='topic')", "ERR(max_rel=2000)"):
        assert score_one(ranking, qrels, measure)[0] == 0.25 + 0.75 / 2
    assert score_one(ranking, qrels, "nERR(max_rel='topic')")[0] == (0.25 + 0.75 / 2)


def test_the_highest_grade_of_each_topic_is_its_own():
    runs, qrels = simulate(11)
    measures = {
        "ERR(max_rel='topic')@10": partial(reference.expected_reciprocal_rank, cutoff=10),
        "nERR(max_rel='topic')": reference.normalised_expected_reciprocal_rank,
        "ERR(dcg='log2',max_rel='topic')": partial(reference.expected_reciprocal_rank, dcg="log2"),
    }
    found = score(*encode(runs, qrels), list(measures), max_grade=7)
    for t, topic in enumerate(found.topics):
        highest = max(*qrels[topic].values(), 0)
        for s, system in enumerate(found.systems):
            ranking = runs[system].get(topic, [])
            expected = [
                oracle(ranking, qrels[topic], max_rel=highest) if highest else 0.0
                for oracle in measures.values()
            ]
            np.testing.assert_allclose(found.values[s, t], expected, rtol=0, atol=1e-12)


def test_err_by_topics_tells_how_many_documents_count_as_nothing(caplog):
    ranked, judged = encode({"s": {"1": ["a", "b"]}}, {"1": {"a": 100, "b": 20, "c": 0}})
    assert score(ranked, judged, ["ERR(max_rel='topic')"]).values.item() == pytest.approx(1)
    assert [record.message for record in caplog.records] == [
        "ERR(max_rel='topic'): 1 of 2 judged documents with a grade above 0 count as nothing: "
        "2^20 is less than 1e-09 of that of the topic's highest grade"
    ]


def test_a_topic_without_any_gain_has_no_highest_gain():
    runs = {"s": {"1": ["a"], "2": ["a"]}}
    qrels = {"1": {"a": 0}, "2": {"a": 3.5}}
    for measure in ("ERR(max_rel='topic')", "ERR(dcg='log2',max_rel='topic')"):
        values = score(*encode(runs, qrels), [measure]).values[0, :, 0]
        assert values[0] == 0
        assert values[1] > 0.9


@pytest.mark.parametrize(("grades", "highest"), [((0.25, 0.5), 0.5), ((0, 0), 1), ((-1, 3), 3)])
def test_the_highest_grade_is_that_of_the_qrels(grades, highest):
    _, judged = encode({"s": {"1": ["a"]}}, {"1": dict(zip("ab", grades, strict=True))})
    assert highest_grade(None, judged) == highest


def test_parts_of_topics_are_joined_to_what_all_of_them_give():
    runs = {"s": {"1": ["a"], "2": ["b"], "3": ["a"]}, "t": {"1": ["b"], "2": ["a"], "3": ["b"]}}
    qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 2}, "3": {"b": 1}}
    ranked, judged = encode(runs, qrels)
    parts = [["1"], ["2", "3"]]
    whole, *scored = (
        score(ranked, judged, ["AP", "RBP"], max_grade=2, topics=of) for of in (None, *parts)
    )
    together = concat(scored)
    assert (together.systems, together.topics) == (whole.systems, whole.topics)
    assert together.measures == whole.measures
    np.testing.assert_array_equal(together.values, whole.values)
    np.testing.assert_array_equal(together.residuals, whole.residuals)
    assert concat(scored[:1]) is scored[0]


def test_systems_are_ranked_by_their_means_and_share_places():
    scored = [("b", 0.2), ("a", 0.5), ("d", 0.2 + 1e-15), ("c", 0.1)]
    rows = [(name, topic, "AP", value) for name, value in scored for topic in "12"]
    frame = pd.DataFrame(rows, columns=["system", "topic", "measure", "value"])
    found = ranked_systems(pa.Table.from_pandas(frame))
    assert found["system"].tolist() == ["a", "b", "d", "c"]
    assert found["place"].tolist() == [1, 2, 2, 4]
    assert found["mean"].tolist() == [0.5, 0.2, 0.2 + 1e-15, 0.1]
    assert found["n_topics"].tolist() == [2] * 4


def test_magnitudes_have_no_highest_grade():
    with pytest.raises(ParameterError, match=r"give a max_rel, or max_rel='topic'"):
        score_one(["a"], {"a": 2.5}, "ERR@10", max_grade=np.inf)
    with pytest.raises(ParameterError, match=r"give a max_rel$"):
        score_one(["a"], {"a": 2.5}, "RBP", max_grade=np.inf)


def test_linear_err_of_two_levels_is_rr():
    ranking, qrels = list("abcd"), {"c": 1, "d": 1, "a": 0}
    assert score_one(ranking, qrels, "ERR(dcg='log2')")[0] == 1 / 3
    assert score_one(ranking, qrels, "ERR(gains={1:5})")[0] == 1 / 3


def test_a_scale_too_fine_for_exponential_gains_is_refused():
    """By 2^g / 2^100 no score would reach the tolerance: systems tie, whatever they find."""
    runs = {"better": {"1": ["a", "b"]}, "worse": {"1": ["b", "a"]}}
    qrels = {"1": {"a": 55, "b": 20}}
    for measure in ("ERR", "nERR@5", "RBP(dcg='exp-log2')", "INST(dcg='exp-log2')"):
        with pytest.raises(ParameterError, match=r"up to 100 grades from 70 down.*dcg='log2'"):
            score(*encode(runs, qrels), [measure], max_grade=100)
    fine = ["ERR(dcg='log2')", "nERR(dcg='log2')", "ERR(gains={55:3,20:1,100:4})", "RBP", "nDCG"]
    found = score(*encode(runs, qrels), [*fine, "ERR(max_rel=60)"], max_grade=100)
    assert (found.values[0] - found.values[1] > 1e-6).all()
    # on the finest scale that is left every grade counts
    found = score(*encode(runs, {"1": {"b": 1}}), ["ERR"], max_grade=29).values[:, 0, 0]
    assert found == pytest.approx([2.0**-30, 2.0**-29])
    assert tau_b(found, np.array([1.0, 2.0])) == 1
    with pytest.raises(ParameterError, match="on a scale up to 30"):
        score(*encode(runs, {"1": {"b": 1}}), ["ERR"], max_grade=30)


def test_documents_that_exponential_gains_lose_are_counted(caplog):
    ranked, judged = encode({"s": {"1": ["a", "b"]}}, {"1": {"a": 100, "b": 20, "c": 0}})
    assert score(ranked, judged, ["ERR(max_rel=100)"]).values.item() == pytest.approx(1)
    assert [record.message for record in caplog.records] == [
        "ERR(max_rel=100): 1 of 2 judged documents with a grade above 0 count as nothing: "
        "2^20 is less than 1e-09 of 2^100"
    ]


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("RBP(gains={3:1})", "a document has the gain 2, above .*, 1: list the gain of every"),
        ("ERR(gains={0:0,1:0,2:0,3:0})", "no grade up to 3 has a gain"),
        ("INST(dcg='exp-log2',max_rel=2)", "grade 3, above the highest of the scale, 2"),
    ],
)
def test_gains_that_make_no_share_are_refused(measure, message):
    with pytest.raises(ParameterError, match=message):
        score_one(list("abc"), {"a": 3, "b": 2, "c": 0}, measure)


@pytest.mark.parametrize(("grades", "total"), [(GOOGLE, 6.242), (BING, 4.356)])
def test_table_2_2_of_yang2019(grades, total):
    ranking = [f"d{i}" for i in range(10)]
    qrels = dict(zip(ranking, grades, strict=True)) | {"x": 1, "y": 1}
    R = sum(grade > 0 for grade in qrels.values())
    for k in range(1, 11):
        found = sum(grade > 0 for grade in grades[:k])
        assert score_one(ranking, qrels, f"P@{k}")[0] == found / k
        assert score_one(ranking, qrels, f"R@{k}")[0] == found / R
        p, r = found / k, found / R  # Equation 2.2
        assert score_one(ranking, qrels, f"F@{k}")[0] == pytest.approx(2 * r * p / (r + p))
    assert score_one(ranking, qrels, "AP@10")[0] * R == pytest.approx(total, rel=0, abs=5e-4)


@pytest.mark.parametrize(
    ("grades", "published"),
    [
        (GOOGLE, [1.00, 1.27, 1.77, 1.83, 1.83, 1.83, 2.17, 2.21, 2.25, 2.25]),
        (BING, [1.00, 1.63, 1.85, 1.85, 1.90, 1.90, 1.90, 1.90, 1.94, 1.94]),
    ],
)
def test_table_2_3_of_yang2019(grades, published):
    discounts = [1, 0.63, 0.50, 0.43, 0.39, 0.36, 0.33, 0.32, 0.30, 0.29]
    np.testing.assert_array_equal(weights("DCG", 10).round(2), discounts)
    ranking = [f"d{i}" for i in range(10)]
    qrels = dict(zip(ranking, grades, strict=True))
    for k, expected in enumerate(published, start=1):
        value, _ = score_one(ranking, qrels, f"DCG(dcg='exp-log2')@{k}")
        assert round(value / 7, 2) == expected  # the gain of Equation 2.4 is (2^g - 1) / 7


def test_ndcg_of_the_example_of_yang2019():
    # §2.3.1: two more relevant documents, of grades 3 and 2, after rank 10; NDCG at ranks 1 to 10
    ranking = [f"d{i}" for i in range(10)]
    qrels = dict(zip(ranking, GOOGLE, strict=True)) | {"x": 3, "y": 2}
    published = [1.00, 0.78, 0.83, 0.72, 0.67, 0.64, 0.74, 0.74, 0.75, 0.75]
    found = [score_one(ranking, qrels, f"nDCG(dcg='exp-log2')@{k}")[0] for k in range(1, 11)]
    np.testing.assert_allclose(found, published, rtol=0, atol=0.0051)


# --- relations between measures ---------------------------------------------------------------

WHOLE_GRADES = st.dictionaries(st.sampled_from([*DOCNOS, "missed"]), st.integers(-1, 3), min_size=1)


@settings(max_examples=60)
@given(RANKINGS, WHOLE_GRADES)
def test_measures_that_are_others_are_so_to_the_last_bit(ranking, grades):
    for one, other in [
        ("NCP(gamma=1)", "AP"),
        ("NCP(gamma=0)", "RR"),
        ("NCP(gamma=1,rel=2)@4", "AP(rel=2)@4"),
        ("Q(beta=0)", "AP"),
        ("Q(beta=0,judged_only=True)", "AP(judged_only=True)"),
    ]:
        assert score_one(ranking, grades, one)[0] == score_one(ranking, grades, other)[0]
    judged = {d: max(g, 0) for d, g in grades.items()} | {d: 0 for d in ranking if d not in grades}
    for measure in ["AP", "nDCG", "Q"]:  # nothing unjudged: nothing to take out
        condensed = measure + "(judged_only=True)"
        assert score_one(ranking, judged, condensed)[0] == score_one(ranking, judged, measure)[0]


WEIGHTED = [
    "P@5", "AP", "AP@4", "NCP(gamma=0.6)", "NCP(gamma=0.6)@4", "RR", "RR@3", "SDCG(rel=1)@6",
    "RBP(rel=1)", "INSQ(T=2,rel=1)", "INST(rel=1)", "INST(T=2.5,rel=1)", "DCG(gains={2:1,3:1})",
]  # fmt: skip


@settings(max_examples=60)
@given(RANKINGS, WHOLE_GRADES)
def test_a_weighted_mean_of_gains_is_the_sum_of_its_weights_times_gains(ranking, grades):
    gains = np.array([float(grades.get(docno, 0) >= 1) for docno in ranking])
    R = sum(grade >= 1 for grade in grades.values())
    for measure in WEIGHTED:
        w = weights(measure, len(ranking), gains, n_relevant=R)
        value, _ = score_one(ranking, grades, measure, 3)
        assert (w * gains).sum() == pytest.approx(value, rel=0, abs=1e-12), measure
        assert (w[1:] <= w[:-1] * (1 + 1e-12)).all()  # all these are top-weighted
        C = continuation(measure, len(ranking), gains, n_relevant=R)
        at_all = w[:-1] > 0
        np.testing.assert_allclose((w[:-1] * C[:-1])[at_all], w[1:][at_all], rtol=1e-12, atol=1e-16)


def test_weights_are_those_of_yang2019():
    np.testing.assert_array_equal(weights("P@4", 6), [1 / 4] * 4 + [0, 0])
    np.testing.assert_array_equal(continuation("P@4", 6), [1, 1, 1, 0, 0, 0])
    np.testing.assert_allclose(weights("DCG@2", 4), [1, 1 / LOG2_3, 0, 0])
    np.testing.assert_allclose(weights("RBP(p=0.5)", 4), [1 / 2, 1 / 4, 1 / 8, 1 / 16])
    np.testing.assert_array_equal(continuation("RBP(p=0.5)", 2000), 0.5)
    sdcg = weights("SDCG@3", 5)
    np.testing.assert_allclose(sdcg, np.array([1, 1 / LOG2_3, 1 / 2, 0, 0]) / (1.5 + 1 / LOG2_3))
    # the text has 1 for C of SDCG before rank k too; by its Equation 2.15 it is W(i+1) / W(i)
    np.testing.assert_allclose(continuation("SDCG@3", 4), [1 / LOG2_3, LOG2_3 / 2, 0, 0])
    # W(i) of AP, Equation 2.10, for relevant ranks 1 and 3 and R = 4
    np.testing.assert_allclose(weights("AP", 4, [1, 0, 1], 4), np.array([4, 1, 1, 0]) / 3 / 4)
    np.testing.assert_allclose(continuation("AP", 4, [1, 0, 1]), [1 / 4, 1, 0, 0])
    np.testing.assert_allclose(weights("RR", 4, [0, 0, 1, 1]), [1 / 3, 1 / 3, 1 / 3, 0])
    np.testing.assert_array_equal(continuation("RR", 4, [0, 0, 1, 1]), [1, 1, 0, 0])
    np.testing.assert_array_equal(continuation("RR", 3, [0]), [1, 1, 1])
    np.testing.assert_array_equal(weights("RR", 3, [0]), 0)
    # S of INSQ(T) is π²/6 less the first 2T - 1 terms
    S = np.pi**2 / 6 - (1 + 1 / 4 + 1 / 9)
    np.testing.assert_allclose(weights("INSQ(T=2)", 3), np.array([1 / 16, 1 / 25, 1 / 36]) / S)
    np.testing.assert_allclose(continuation("INSQ(T=2)", 2), [16 / 25, 25 / 36])
    # with nothing relevant INST is INSQ
    nothing = np.zeros(30)
    np.testing.assert_allclose(weights("INST(T=2)", 30, nothing), weights("INSQ(T=2)", 30))
    for T in [1, 2, 5, 20]:  # 1 / W(1) is the expected depth: around these, says the text
        assert 1 / weights(f"INSQ(T={T})", 1)[0] == pytest.approx(2 * T + 0.5, abs=0.08)
        all_relevant = weights(f"INST(T={T})", 1, np.ones(3000))[0]
        assert 1 / all_relevant == pytest.approx(T + 0.25, abs=0.1)


def test_weights_sum_to_one():
    assert weights("SDCG@7", 10).sum() == pytest.approx(1)
    assert weights("RBP(p=0.9)", 1000).sum() == pytest.approx(1)
    assert weights("AP", 3, [1, 1, 1]).sum() == pytest.approx(1)
    assert weights("NCP(gamma=0.3)", 3, [1, 1, 1]).sum() == pytest.approx(1)
    assert weights("RR", 9, [0, 0, 1]).sum() == pytest.approx(1)
    for measure in ["INSQ(T=3)", "INST(T=3)"]:
        assert weights(measure, 10**6, [1, 0, 1]).sum() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Bpref", 3), "Bpref gives no weights to ranks; those that do are P, AP, NCP, RR, DCG"),
        (("AP", 3), "AP: its weights depend on the ranking: give its gains"),
        (("INST", 3, [2]), "INST: gains are to be from 0 to 1"),
        (("RBP", 3, [np.nan]), "RBP: gains are to be from 0 to 1"),
        (("RPB", 3), "there is no measure RPB; did you mean 'RBP'?"),
    ],
)
def test_weights_that_there_are_not(arguments, message):
    for function in [weights, continuation]:
        with pytest.raises(ParameterError) as error:
            function(*arguments)
        assert message in str(error.value)


def test_every_weighted_measure_is_tested():
    weighted = {name for name, d in MEASURES.items() if d.weights is not None}
    assert weighted == {parse(measure).name for measure in WEIGHTED}


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([0, 1, 0.5, None, None]), min_size=1, max_size=7),
    st.sampled_from([0.5, 1, 2.5, 10]),
)
def test_no_judgment_of_the_unjudged_takes_inst_past_its_residual(grades, goal):
    ranking = [f"d{i}" for i in range(len(grades))]
    qrels = {d: g for d, g in zip(ranking, grades, strict=True) if g is not None} | {"x": 1}
    value, residual = score_one(ranking, qrels, f"INST(T={goal})", 1)
    cases = [[]]
    for grade in grades:
        choices = [0, 0.5, 1] if grade is None else [grade]
        cases = [[*case, choice] for case in cases for choice in choices]
    possible = [reference.inst_of_gains(case, goal, below) for case in cases for below in [0, 1]]
    assert min(possible) == pytest.approx(value, rel=0, abs=1e-12)
    assert max(possible) == pytest.approx(value + residual, rel=0, abs=1e-12)


# --- means over topics -------------------------------------------------------------------------


def test_geometric_means():
    values = np.array([[0.5, 0.125, 0.25], [0.5, 0.0, 0.5]])
    np.testing.assert_allclose(aggregate_topics(values), [0.875 / 3, 1 / 3])
    np.testing.assert_allclose(aggregate_topics(values, "geometric"), [0.25, 0])
    shifted = [(0.6 * 0.225 * 0.35) ** (1 / 3) - 0.1, (0.6 * 0.1 * 0.6) ** (1 / 3) - 0.1]
    np.testing.assert_allclose(aggregate_topics(values, "geometric-shifted", 0.1), shifted)
    floored = [0.25, (0.5 * 0.01 * 0.5) ** (1 / 3)]
    np.testing.assert_allclose(aggregate_topics(values, "geometric-floored", 0.01), floored)
    by_measure = np.stack([values, values**2], axis=2)
    for how in AGGREGATIONS:
        expected = np.stack([aggregate_topics(by_measure[:, :, m], how) for m in [0, 1]], axis=1)
        np.testing.assert_array_equal(aggregate_topics(by_measure, how), expected)
        np.testing.assert_array_equal(
            aggregate_topics(values.T, how, axis=0), aggregate_topics(values, how)
        )
        assert np.isnan(aggregate_topics(np.array([[0.5, np.nan]]), how)[0])


def test_the_floored_geometric_mean_is_gm_map_of_trec_eval():
    runs, qrels = simulate(1)
    scores = score(*encode(runs, qrels), ["AP"])
    found = aggregate_topics(scores.values, "geometric-floored")[:, 0]
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"gm_map"})
    for s, system in enumerate(scores.systems):
        topics = evaluator.evaluate(decreasing(runs[system]))
        logs = [topics.get(t, {"gm_map": np.log(1e-5)})["gm_map"] for t in scores.topics]
        assert found[s] == pytest.approx(np.exp(np.mean(logs)), rel=1e-9)
    assert (scores.values < 1e-5).any()


@pytest.mark.parametrize(
    ("values", "how", "epsilon", "message"),
    [
        ([[0.5]], "harmonic", 1, "unknown how 'harmonic'"),
        ([[0.5]], "geometrik", 1, "did you mean 'geometric'?"),
        ([[0.5]], "geometric-shifted", 0, "epsilon is 0"),
        ([[0.5]], "geometric-floored", np.nan, "epsilon is nan"),
        ([[0.5, -0.1]], "geometric", 1, "a score is below 0"),
        (np.empty((3, 0)), "mean", 1, "there is no topic"),
    ],
)
def test_means_that_there_are_not(values, how, epsilon, message):
    with pytest.raises(ParameterError) as error:
        aggregate_topics(np.array(values), how, epsilon)
    assert message in str(error.value)


# --- what is scored ----------------------------------------------------------------------------

RUNS_3 = {
    "b": {"1": ["x", "y"], "2": ["x"], "3": ["y", "x"]},
    "a": {"1": ["y"], "3": ["z"]},
    "c": {"3": ["w", "y"]},
}
QRELS_3 = {"3": {"y": 1, "z": 2}, "1": {"y": 1, "q": 0}, "7": {"x": 1}}


def test_topics_without_qrels_or_runs_are_left_out_and_missing_rankings_score_zero():
    scores = score(*encode(RUNS_3, QRELS_3), ["RR", "RBP(p=0.5)"])
    assert (scores.systems, scores.topics) == (("a", "b", "c"), ("1", "3"))
    assert [str(m) for m in scores.measures] == ["RR", "RBP(p=0.5)"]
    np.testing.assert_array_equal(scores.values[:, :, 0], [[1, 1], [1 / 2, 1], [0, 1 / 2]])
    assert (scores.values[2, 0, 1], scores.residuals[2, 0, 1]) == (0, 1)
    assert np.isnan(scores.residuals[:, :, 0]).all()


def test_a_topic_without_gain_scores_zero():
    names = [*DEFINITIONS]
    names.remove("P(rel=0)@20")
    names.remove("NumRet")
    names.remove("AP(rel=-1)")
    names.remove("nDCG(gains={0:0.25,2.75:4})")
    names.remove("RBP(gains={0:0.5,2:2.5,3:7,4:6,5:9})")
    assert len(names) > 40
    scores = score(*encode({"s": {"1": ["x", "y"]}}, {"1": {"x": 0, "z": 0}}), names)
    np.testing.assert_array_equal(scores.values, 0)


def test_chosen_topics_score_as_they_do_among_all():
    ranked, judged = encode(RUNS_3, QRELS_3)
    both = score(ranked, judged, ["AP", "nDCG", "ERR", "RBP"])
    one = score(ranked, judged, ["AP", "nDCG", "ERR", "RBP"], topics=["3"])
    assert one.topics == ("3",)
    np.testing.assert_array_equal(one.values, both.values[:, 1:])
    # the highest grade is that of the whole qrels, also where the topic lacks it
    first = score(ranked, judged, ["ERR", "RBP"], topics=["1"])
    np.testing.assert_array_equal(first.values, both.values[:, :1, 2:])
    with pytest.raises(ParameterError, match="no document is judged for topic 2, 8"):
        score(ranked, judged, ["AP"], topics=["2", "8", "1"])


def test_nothing_judged_gives_no_scores():
    scores = score(*encode(RUNS_3, {"8": {"x": 1}}), ["AP", "Rprec", "nDCG", "ERR", "RBP", "P@1"])
    assert scores.values.shape == scores.residuals.shape == (3, 0, 6)
    assert scores.to_table().num_rows == 0


def test_the_table_is_the_scores(tmp_path):
    ranked, judged = encode(RUNS_3, QRELS_3)
    measures = ["RR", "RBP(p=0.5)", "MAP"]
    scores = score(ranked, judged, measures)
    found = score(ranked, judged, measures).to_table()
    assert found.schema.equals(SCHEMAS["scores"])
    rows = found.to_pandas()
    assert rows.measure.tolist() == ["RR", "RBP(p=0.5)", "AP"] * 6
    assert rows.system.tolist() == [s for s in "abc" for _ in range(6)]
    assert rows.topic.tolist() == [t for _ in "abc" for t in "13" for _ in range(3)]
    np.testing.assert_array_equal(rows.value, scores.values.ravel())
    assert found["residual"].null_count == 12
    residuals = rows[rows.measure == "RBP(p=0.5)"].residual
    np.testing.assert_array_equal(residuals, scores.residuals[:, :, 1].ravel())
    write_table(found, tmp_path / "scores.parquet", "scores")
    assert read_table(tmp_path / "scores.parquet", "scores").to_pylist() == found.to_pylist()


def test_scores_are_read_back_from_their_table():
    scores = score(*encode(RUNS_3, QRELS_3), ["RR", "RBP(p=0.5)", "AP"])
    found = Scores.from_table(scores.to_table())
    names = ("systems", "topics", "measures")
    assert [getattr(found, name) for name in names] == [getattr(scores, name) for name in names]
    np.testing.assert_array_equal(found.values, scores.values)
    np.testing.assert_array_equal(found.residuals, scores.residuals)


@pytest.mark.parametrize("spoilt", [lambda t: t.slice(1), lambda t: pa.concat_tables([t, t[:1]])])
def test_a_table_that_is_not_of_every_system_topic_and_measure(spoilt):
    table = score(*encode(RUNS_3, QRELS_3), ["RR", "AP"]).to_table()
    with pytest.raises(ParameterError, match="not one of every system"):
        Scores.from_table(spoilt(table))


@pytest.mark.parametrize(
    ("measure", "grade", "max_grade", "message"),
    [
        ("ERR@10", 3, 2, "ERR@10: a document has the grade 3, above the highest of the scale, 2"),
        ("RBP", 100, 99, "above the highest of the scale, 99"),
        ("RBP(max_rel=1)", 2, None, "above the highest of the scale, 1"),
        ("ERR(max_rel=1)", 2, 4, "above the highest of the scale, 1"),
        ("RBP", 1, 0, "max_grade is 0"),
        ("RBP", 1, float("inf"), "takes shares of the highest grade, and the scale has none"),
        ("ERR", 1, float("inf"), "takes shares of the highest grade, and the scale has none"),
        ("RBP", 1, float("nan"), "max_grade is nan"),
        ("nDCG(dcg='exp-log2')", 1024, None, "grades up to 1024"),
        ("AP(rank=2)", 1, None, "AP has no parameter rank"),
    ],
)
def test_grades_that_a_measure_cannot_take_are_refused(measure, grade, max_grade, message):
    with pytest.raises(ParameterError) as error:
        score_one(["x"], {"x": grade}, measure, max_grade)
    assert message in str(error.value)


def test_magnitudes_need_no_highest_grade_where_the_measure_needs_none():
    for measure in ("nDCG", "AP(rel=2)", "RBP(max_rel=10)"):
        grades = {"x": 2.5, "y": 10}
        without, _ = score_one(["x", "y"], grades, measure, float("inf"))
        assert without == score_one(["x", "y"], grades, measure, 10)[0]


def test_err_of_a_wide_scale_does_not_overflow():
    # (2^g - 1) / 2^2000 is 1/2 for g = 1999, to the last bit of a double
    value, _ = score_one(["x", "y"], {"x": 1999, "y": 2000}, "ERR(max_rel=2000)")
    assert value == 1 / 2 * 1 + 1 / 2 * 1 / 2


def test_a_measure_need_not_be_text():
    assert score(*encode(RUNS_3, QRELS_3), [parse("AP")]).measures == (parse("AP"),)


# --- arrays ------------------------------------------------------------------------------------


def test_ranked_lists_hold_the_runs():
    ranked = RankedLists.from_table(runs_table(RUNS_3))
    assert ranked.systems == ("a", "b", "c")
    assert ranked.topics == ("1", "2", "3")
    # by topic, then by system; a document of two topics has a code for each
    assert ranked.docnos.tolist() == ["x", "y", "x", "w", "x", "y", "z"]
    assert ranked.name_offsets.tolist() == [0, 2, 3, 7]
    assert ranked.offsets.tolist() == [0, 1, 3, 3, 3, 4, 4, 5, 7, 9]
    assert ranked.documents.dtype == np.int32
    assert ranked.docnos[ranked.documents].tolist() == list("yxyxzyxwy")
    assert ranked.starts.tolist() == [[0, 3, 4], [1, 3, 5], [3, 4, 7]]
    assert ranked.lengths.tolist() == [[1, 0, 1], [2, 1, 2], [0, 0, 2]]
    names = np.append(ranked.docnos, "")  # the code -1 picks the last
    assert names[ranked.top(2)].tolist() == [
        [["y", ""], ["", ""], ["z", ""]],
        [["x", "y"], ["x", ""], ["y", "x"]],
        [["", ""], ["", ""], ["w", "y"]],
    ]
    np.testing.assert_array_equal(ranked.top(1), ranked.top(5)[:, :, :1])
    with pytest.raises(ParameterError, match="depth is 0"):
        ranked.top(0)


def test_chosen_topics_keep_every_system():
    ranked = RankedLists.from_table(runs_table(RUNS_3), topics=["2", "1", "9"])
    assert (ranked.systems, ranked.topics) == (("a", "b", "c"), ("1", "2"))
    assert ranked.docnos.tolist() == ["x", "y", "x"]
    assert ranked.offsets.tolist() == [0, 1, 3, 3, 3, 4, 4]
    judged = Judged.from_table(qrels_table(QRELS_3), ranked)
    assert judged.topics == ("1",)


def test_no_runs_are_no_rankings():
    ranked = RankedLists.from_table(table("runs", []))
    assert ranked.systems == ranked.topics == ()
    assert ranked.top(3).shape == (0, 0, 3)
    assert score(ranked, Judged.from_table(table("qrels", []), ranked), ["AP"]).values.size == 0


def test_tables_may_come_in_chunks_with_dictionaries_of_their_own():
    runs, qrels = runs_table(RUNS_3), qrels_table(QRELS_3)
    chunked = [pa.concat_tables([part, rest]) for part, rest in [
        (runs.slice(0, 4), runs_table({k: v for k, v in RUNS_3.items() if k > "a"}).slice(2)),
        (qrels.slice(0, 1), qrels.slice(1)),
    ]]  # fmt: skip
    ranked = RankedLists.from_table(chunked[0])
    judged = Judged.from_table(chunked[1], ranked)
    whole = score(*encode(RUNS_3, QRELS_3), ["AP", "RBP"])
    np.testing.assert_array_equal(score(ranked, judged, ["AP", "RBP"]).values, whole.values)


@pytest.mark.parametrize(
    "order", [[1, 0, 2, 3, 4, 5, 6, 7, 8], [0, 1, 3, 2, 4, 5, 6, 7, 8], [0, 1, 2, 2]]
)
def test_runs_out_of_order_are_refused(order):
    with pytest.raises(ParameterError, match=r"rows \d and \d are out of order"):
        RankedLists.from_table(runs_table(RUNS_3).take(order))


def test_a_document_twice_in_one_ranking_is_refused():
    # a document that counts twice would give AP = 2
    runs = {"a": {"1": ["x", "y"]}, "b": {"1": ["y"], "2": ["x", "z", "x"]}}
    with pytest.raises(
        ParameterError, match="system b ranks document x twice for topic 2: keep one of its ranks"
    ):
        RankedLists.from_table(runs_table(runs))
    del runs["b"]["2"][2]
    assert RankedLists.from_table(runs_table(runs)).lengths.tolist() == [[2, 0], [1, 2]]


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 4))
def test_encoding_keeps_every_ranking(seed, systems, topics):
    rng = np.random.default_rng(seed)
    runs = {
        f"s{s}": {
            f"t{t}": rng.permutation(list("uvwxyz"))[: rng.integers(0, 7)].tolist()
            for t in range(topics)
        }
        for s in range(systems)
    }
    table = runs_table(runs)
    ranked = RankedLists.from_table(table)
    found = {}
    for s, system in enumerate(ranked.systems):
        for t, topic in enumerate(ranked.topics):
            rows = slice(ranked.starts[s, t], ranked.stops[s, t])
            found[system, topic] = ranked.docnos[ranked.documents[rows]].tolist()
            assert all((system, topic) == ranked.place(i) for i in range(rows.start, rows.stop))
            assert sorted(ranked.scores[rows], reverse=True) == ranked.scores[rows].tolist()
    assert {key: docs for key, docs in found.items() if docs} == {
        (s, t): docs for s in runs for t, docs in runs[s].items() if docs
    }
    pairs = pa.table({"topic": ["t0", "t9", "t0"], "docno": ["u", "u", "nobody"]})
    code = ranked.codes(pairs["topic"], pairs["docno"])
    in_t0 = any("u" in found.get((s, "t0"), ()) for s in ranked.systems)
    assert code.tolist()[1:] == [-1, -1] and (code[0] >= 0) == in_t0
    if in_t0:
        assert ranked.docnos[code[0]] == "u" and code[0] < ranked.name_offsets[1]


@given(
    st.lists(st.sets(st.text("aé ", max_size=3)), min_size=1, max_size=3),
    st.lists(st.tuples(st.sampled_from("012x"), st.text("aé b", max_size=4)), max_size=9),
)
def test_codes_are_places_among_the_names_of_a_topic(retrieved, wanted):
    names = [sorted(docnos, key=str.encode) for docnos in retrieved]
    ranked = RankedLists(
        ("s",),
        tuple("012"[: len(names)]),
        pa.chunked_array([pa.array(part, pa.string()) for part in names]),
        np.cumsum([0, *map(len, names)]),
        np.zeros(len(names) + 1, np.int64),
        np.empty(0, np.int32),
    )
    code = {
        (topic, docno): first + place
        for topic, part, first in zip(ranked.topics, names, ranked.name_offsets, strict=False)
        for place, docno in enumerate(part)
    }
    topics, docnos = ([pair[i] for pair in wanted] for i in range(2))
    found = ranked.codes(*(pa.chunked_array([pa.array(c, pa.string())]) for c in (topics, docnos)))
    assert found.tolist() == [code.get(pair, -1) for pair in wanted]


def test_a_ranking_may_lack_ranks():
    ranked = RankedLists.from_table(runs_table({"s": {"1": list("wxyz")}}).take([1, 3]))
    assert ranked.docnos[ranked.documents].tolist() == ["x", "z"]


def test_judged_holds_the_qrels():
    ranked, judged = encode(RUNS_3, QRELS_3)
    assert judged.topics == ("1", "3")
    assert judged.offsets.tolist() == [0, 2, 4]
    assert judged.documents.tolist() == [-1, 1, 5, 6]  # q was not retrieved; y; y, z
    assert judged.grades.tolist() == [0, 1, 1, 2]
    assert judged.select(["3"]).documents.tolist() == [5, 6]
    lists = JudgedLists.match(ranked, judged, 2)
    assert lists.ranks.tolist() == [1, 2]
    # the four rows of the qrels, and 4 for unjudged; topic 2 is not judged
    assert lists.rows[lists.starts[1, 0] : lists.stops[1, 0]].tolist() == [4, 1]
    assert lists.rows[lists.starts[2, 1] : lists.stops[2, 1]].tolist() == [4, 2]


def test_bad_qrels_are_refused():
    ranked = RankedLists.from_table(runs_table(RUNS_3))
    with pytest.raises(ParameterError, match="document y has more than one grade for topic 3"):
        Judged.from_table(
            table("qrels", [("3", "y", 1.0), ("1", "y", 0.0), ("3", "y", 1.0)]), ranked
        )
    for grade in [np.nan, np.inf]:
        with pytest.raises(ParameterError, match="grade is not finite"):
            Judged.from_table(table("qrels", [("3", "y", grade)]), ranked)


def test_qrels_of_other_rankings_are_refused():
    _, judged = encode(RUNS_3, QRELS_3)
    for others in [{"s": {"1": ["x"]}}, {"s": {"1": ["x"], "3": ["x"]}}]:
        with pytest.raises(ParameterError, match="encoded for other rankings"):
            score(RankedLists.from_table(runs_table(others)), judged, ["AP"])


@pytest.mark.parametrize(
    ("recall", "value"),
    [(0, 2 / 3), (0.5, 2 / 3), (0.52, 2 / 3), (0.53, 3 / 6), (0.75, 3 / 6), (1, 0)],
)
def test_interpolated_precision_by_hand(recall, value):
    ranking = ["x", "a", "b", "y", "z", "c"]
    qrels = dict.fromkeys(["a", "b", "c", "d"], 1)
    name = f"IPrec(trec_eval=9)@{float(recall)}"
    assert score_one(ranking, qrels, name)[0] == pytest.approx(value, abs=EXACT)
    # the nearest number of documents, halves up: of 0.52 · 4 two, of 0.625 · 4 three
    needed = int(4 * recall + 0.5)
    nearest = [2 / 3, 2 / 3, 2 / 3, 3 / 6, 0][needed]
    assert score_one(ranking, qrels, f"IPrec@{float(recall)}")[0] == pytest.approx(nearest)


def test_interpolated_and_unjudged_are_trec_eval_10s():
    """Of the files and the program that tests/reference/trec_eval/make.py names."""
    folder = Path(__file__).parents[1] / "reference" / "trec_eval"
    expected = [line.split() for line in (folder / "expected.txt").read_text().splitlines()]
    names = {f"iprec_at_recall_{r / 10:.2f}": str(parse(f"IPrec@{r / 10}")) for r in range(11)}
    names |= {f"unj_{k}": f"Unj@{k}" for k in (1, 5, 10, 30)}
    old = [name.replace("IPrec", "IPrec(trec_eval=9)")
           for name in names.values() if name.startswith("IPrec")]  # fmt: skip
    found = regrade.score(folder / "qrels.txt", folder / "run.txt", [*names.values(), *old])
    value = found.to_frame().set_index(["topic", "measure"])["value"]
    compared = [(topic, name, float(want)) for name, topic, want in expected
                if name in names and topic != "all"]  # fmt: skip
    assert len(compared) == 15 * 15
    for topic, name, want in compared:
        assert value[topic, names[name]] == pytest.approx(want, abs=5.1e-5)
    differ = [value[t, names[n]] != value[t, names[n].replace("IPrec", "IPrec(trec_eval=9)")]
              for t, n, _ in compared if n.startswith("iprec")]  # fmt: skip
    assert any(differ) and not all(differ)
    rbp = regrade.score(folder / "qrels.txt", folder / "run.txt", "RBP(p=0.9)").to_frame()
    residual = rbp.set_index("topic")["residual"]
    for name, topic, want in expected:
        if name == "rbp_resid" and topic != "all" and float(want):  # without unjudged ones it has 0
            assert residual[topic] == pytest.approx(float(want), abs=5.1e-5)
