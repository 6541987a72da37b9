"""Scores under every cut: the library's own under the cut's labels, and trec_eval's code."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import pytrec_eval

from regrade.aggregation import enumerate_cuts, transform
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import MAX_SCORED_CUTS
from regrade.cutsearch.cut_scores import put_scores, scores_of_every_cut
from regrade.cutsearch.discrimination import CutGains, discriminated_share
from regrade.cutsearch.system_tau import tau_of_every_cut
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import ParameterError
from regrade.measures import MEASURES, check_cuts, parse
from regrade.run_arrays import Judged, RankedLists
from regrade.scales import Scale
from regrade.scoring import score

EXACT = {"abs": 1e-13, "rel": 1e-12}
ONE = (
    "AP",
    "AP(judged_only=True)@5",
    "AP(rel=2)",
    "P@5",
    "Success@3",
    "P(rel=1.5)@3",
    "R@4",
    "F(beta=2)",
    "Rprec",
    "NCP(gamma=0.5)",
    "RR",
    "RR(rel=3)",
    "Bpref",
    "Bpref(rel=2)",
    "RBP(p=0.8,rel=1)",
    "SDCG(rel=1)@5",
    "INSQ(rel=2)",
    "INST(rel=1)",
    "P(rel=0)@5",
    "AP(rel=9)",
    "SetP(relative=True)",
    "IPrec@0.5",
    "SetR(rel=2)",
    "SetF(beta=2)",
    "SetAP(judged_only=True)",
    "infAP(rel=1)",
    "Accuracy(rel=2)@5",
    "NumRel(rel=1)",
)
SUMS = (
    "DCG",
    "DCG(dcg='exp-log2')@5",
    "DCG(gains={1:3,2:1})",
    "SDCG@5",
    "RBP(p=0.8)",
    "RBP(p=0.5,dcg='exp-log2')@7",
    "RBP(max_rel=9)",
    "INSQ(T=2)",
    "nDCG",
    "nDCG@5",
    "nDCG(base=2,dcg='exp-log2')",
    "nDCG(judged_only=True)@5",
    "nDCG(gains={1:1,2:1,3:5})",
)
OTHERS = (
    "ERR@5",
    "ERR(dcg='log2',max_rel='topic')",
    "nERR",
    "Q",
    "Q(judged_only=True)",
    "INST(T=2)",
    "nDCG(gains={1:2,2:1})",
    "DCG(gains={0:1})@5",
    "Judged@5",
    "Unj@5",
    "Compat",
    "NERR8@5",
    "NERR9@5",
    "NERR10",
    "NERR11",
    "BPM@5",
    "NumRet",
)


def made(seed, source_levels, halves=False, low=0.0):
    """Runs of 6 systems over 3 topics, and values: documents without them, and unretrieved ones."""
    rng = np.random.default_rng(seed)
    topics, systems = ["1", "2", "3"], [f"s{i}" for i in range(6)]
    rows = []
    for system in systems:
        for topic in topics:
            if (system, topic) == ("s0", "2"):
                continue  # returned nothing
            n = 1 if (system, topic) == ("s1", "3") else 15
            docs = rng.permutation(25)[:n]
            rows += [(system, topic, r + 1, f"d{d:02}") for r, d in enumerate(docs)]
    frame = pd.DataFrame(rows, columns=["system", "topic", "rank", "docno"])
    frame = frame.astype({"rank": "int32"})
    runs = pa.Table.from_pandas(frame, preserve_index=False)
    labels = []
    for topic in topics:
        highest = source_levels if topic != "3" else max(2, source_levels // 2)
        for d in rng.permutation(28)[:18]:  # 25 … 27 are never retrieved
            value = rng.integers(highest) - (0.5 if halves and rng.random() < 0.3 else 0)
            labels.append((topic, f"d{d:02}", low + max(value, 0.0)))
    topic, docno, grade = zip(*labels, strict=True)
    return RankedLists.from_table(runs), pa.table([topic, docno, grade], schema=SCHEMAS["qrels"])


def every_score(ranked, labels, scale, levels, measure):
    judged = Judged.from_table(labels, ranked)
    thresholds = Thresholds.of(scale, levels, labels["grade"].to_numpy())
    found = scores_of_every_cut(ranked, judged, parse(measure), thresholds, levels)
    return found, thresholds.cuts(levels)


def scored_anew(ranked, labels, cut, levels, measure):
    grades = transform(labels["grade"].to_numpy(), cut).astype(float)
    cut_labels = labels.set_column(2, "grade", pa.array(grades))
    judged = Judged.from_table(cut_labels, ranked)
    return score(ranked, judged, [measure], max_grade=levels - 1).values[:, :, 0]


@pytest.mark.parametrize("measure", [*ONE, *SUMS, *OTHERS])
@pytest.mark.parametrize("levels", [2, 3, 4])
def test_scores_are_those_under_the_cut_s_labels(measure, levels):
    ranked, labels = made(levels, 8, halves=True)
    found, cuts = every_score(ranked, labels, Scale.of({"levels": 8}), levels, measure)
    assert len(found.lookups) == len(cuts) == len(enumerate_cuts(8, levels))
    for i, cut in enumerate(cuts):
        anew = scored_anew(ranked, labels, cut, levels, measure)
        assert found.scores(i) == pytest.approx(anew, **EXACT), cut
        if parse(measure).of_thresholds(levels) in (
            None,
            "one",
        ):  # computed by the same formula, to the last bit
            assert (found.scores(i) == anew).all()


def test_how_scores_are_made():
    def way(name, levels):
        return parse(name).of_thresholds(levels)

    assert {way(name, 4) for name in ONE} == {"one"}
    assert [way(name, 4) for name in SUMS] == ["sum"] * 8 + ["ratio"] * 5
    assert {way(name, 4) for name in OTHERS} == {None}
    # into two levels listed gains do not fall
    assert way("nDCG(gains={1:2,2:1})", 2) == "ratio"


def test_every_measure_of_one_set_is_tried():
    tried = {parse(name).name for name in (*ONE, *SUMS, *OTHERS)}
    assert tried == {name for name, d in MEASURES.items() if not parse_needs_sets(d)}


def parse_needs_sets(definition):
    return any(parameter.name == "second" for parameter in definition.parameters)


@pytest.mark.parametrize("measure", ["AP", "nDCG@5", "RBP", "ERR"])
def test_scales_below_zero_and_of_real_values(measure):
    ranked, labels = made(5, 6, low=-3.0)
    for scale in (Scale.of({"values": [-3, -2, -1, 0, 1, 2]}), Scale.of({"range": [-3, 2]})):
        found, cuts = every_score(ranked, labels, scale, 3, measure)
        for i, cut in enumerate(cuts):
            anew = scored_anew(ranked, labels, cut, 3, measure)
            assert found.scores(i) == pytest.approx(anew, **EXACT)


TREC_EVAL = {
    "AP": ("map", "map"),
    "P@5": ("P.5", "P_5"),
    "RR": ("recip_rank", "recip_rank"),
    "Rprec": ("Rprec", "Rprec"),
    "Bpref": ("bpref", "bpref"),
    "R@5": ("recall.5", "recall_5"),
    "nDCG": ("ndcg", "ndcg"),
    "nDCG@5": ("ndcg_cut.5", "ndcg_cut_5"),
}


@pytest.mark.parametrize("measure", TREC_EVAL)
def test_binary_cuts_as_trec_eval_scores_them(measure):
    ranked, labels = made(11, 9)
    asked, name = TREC_EVAL[measure]
    found, cuts = every_score(ranked, labels, Scale.of({"levels": 9}), 2, measure)
    topics, docnos, values = (labels[c].to_pylist() for c in ("topic", "docno", "grade"))
    for i, (cut,) in enumerate(cuts):
        qrels = {}
        for topic, docno, value in zip(topics, docnos, values, strict=True):
            qrels.setdefault(topic, {})[docno] = int(value > cut)
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {asked})
        for s in range(len(ranked.systems)):
            run = {}
            for t, topic in enumerate(ranked.topics):
                docs = ranked.documents[ranked.starts[s, t] : ranked.stops[s, t]]
                run[topic] = {ranked.docnos[d]: -float(r) for r, d in enumerate(docs)}
            scored = evaluator.evaluate({t: of for t, of in run.items() if of})
            theirs = [scored.get(topic, {}).get(name, 0.0) for topic in ranked.topics]
            assert found.scores(i)[s] == pytest.approx(theirs, abs=1e-9)


def test_tau_ranks_by_the_measure():
    ranked, labels = made(3, 9)
    expert = labels.set_column(2, "grade", pa.array((labels["grade"].to_numpy() > 4) * 1.0))
    found = tau_of_every_cut(ranked, labels, expert, 9, 2, "AP")
    assert found.mean[4] == 1  # the expert's own labels
    assert found.values[4, :2].tolist() == [1, 1]
    assert np.isnan(found.values[4, 2])  # nothing relevant for topic 3
    for measure in ("RBP", "ERR", "nDCG", "P@5"):
        again = tau_of_every_cut(ranked, labels, expert, 9, 2, measure, threads=2)
        assert again.mean[4] == 1


def test_the_expert_s_scale_counts_where_shares_are_taken():
    """2^g − 1 over 2^highest is not the same order of systems for every highest grade."""
    ranked, labels = made(4, 4)
    one = tau_of_every_cut(ranked, labels, labels, 4, 2, "ERR", max_grade=3)
    other = tau_of_every_cut(ranked, labels, labels, 4, 2, "ERR", max_grade=12)
    assert not np.array_equal(one.mean, other.mean)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("ERR", "ERR: its scores do not follow from those of thresholds, and 5,001 cuts .*DCG"),
        ("Q", "5,001 cuts are too many.* `grid`"),
        ("nDCG(gains={1:2,2:1})", "or a level less than the one below, and"),
        ("nDCG(gains={0:1})", "its lowest level has a gain"),
        ("NLRE(second=other)", "uses several label sets"),
    ],
)
def test_what_cannot_rank_every_cut(measure, message):
    with pytest.raises(ParameterError, match=message):
        check_cuts(parse(measure), 4, MAX_SCORED_CUTS + 1)
    if "second" not in measure:
        check_cuts(parse(measure), 4, MAX_SCORED_CUTS)
    with pytest.raises(ParameterError, match=message.replace("5,001", "161,700")):
        ranked, labels = made(4, 4)
        tau_of_every_cut(ranked, labels, labels, 101, 4, measure)


@pytest.mark.parametrize("measure", ["AP", "RBP", "nDCG", "ERR"])
def test_one_system_one_topic_one_document(measure):
    runs = pa.table({"system": ["a"], "topic": ["1"], "rank": pa.array([1], pa.int32()),
                     "docno": ["d"]})  # fmt: skip
    ranked = RankedLists.from_table(runs)
    labels = pa.table([["1"], ["d"], [1.0]], schema=SCHEMAS["qrels"])
    found, _ = every_score(ranked, labels, Scale.of({"levels": 3}), 2, measure)
    assert found.scores(0)[0, 0] > 0
    assert found.scores(1)[0, 0] == 0  # nothing relevant
    tau = tau_of_every_cut(ranked, labels, labels, 3, 2, measure)
    assert np.isnan(tau.mean).all()  # one system has no order


@pytest.mark.parametrize(
    ("measure", "levels"),
    [("AP(rel=2)", 3), ("ERR", 3), ("RBP", 3), ("nDCG@5", 4), ("RBP(dcg='exp-log2')", 4)],
)
def test_cuts_are_found_by_their_places_and_rank_and_tell_apart_by_any_measure(measure, levels):
    ranked, labels = made(6, 8)
    thresholds = Thresholds.of(Scale.of({"levels": 8}), levels)
    gains = CutGains.of(ranked, labels, levels, measure, thresholds)
    places = enumerate_cuts(8, levels)
    shares, scores = gains.shares(places), gains.of_cuts
    rows, sums = np.empty(scores.parts[:, 0].shape), np.empty(len(ranked.systems))
    for i, cut in enumerate(places):
        anew = scored_anew(ranked, labels, cut, levels, measure)
        assert gains.scores(np.tile(cut, (3, 1))) == pytest.approx(anew, **EXACT)
        assert shares[i] == pytest.approx(discriminated_share(anew), abs=1e-12)
        cut_scores = scores.parts, scores.lookups[i], scores.divisors, scores.weights
        put_scores(rows, sums, *cut_scores, 2.0)
        found = rows.T
        assert found == pytest.approx(anew / 2, **EXACT)
        assert sums == pytest.approx(anew.sum(axis=1) / 2, **EXACT)
