"""Ties: against every order of small rankings, the thesis's numbers, and real runs."""

import warnings
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import factorial, prod

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from regrade import tied_scores
from regrade.audit.rankings import audit_runs
from regrade.errors import ParameterError
from regrade.measures import parse
from regrade.readers import read_qrels, read_runs
from regrade.run_arrays import Judged, JudgedLists, RankedLists
from regrade.scoring import score
from regrade.tied_scores import TieGroups
from tests.reference import ties as reference
from tests.unit import trec
from tests.unit.trec import qrels_table, table

EXACT = 1e-12

# A tied collection is {system: {topic: [[docno, …], …]}}: groups of equal score, the best first.


def runs_table(systems):
    return trec.runs_table(
        {
            system: {t: [(d, -g) for g, of in enumerate(groups) for d in of] for t, groups in lists}
            for system, lists in ((name, of.items()) for name, of in systems.items())
        }
    )


def encode(systems, qrels, max_grade=3.0):
    """Rankings, the same judged, and their groups."""
    runs = runs_table(systems)
    ranked = RankedLists.from_table(runs)
    judged = Judged.from_table(qrels_table(qrels), ranked)
    return ranked, JudgedLists.match(ranked, judged, max_grade), TieGroups.by_score(ranked)


def encode_one(groups, grades, max_grade=3.0):
    return encode({"s": {"1": groups}}, {"1": grades}, max_grade)


def scores_of_all_orders(groups, grades, measures, max_grade=3.0):
    """(orders, measures): each order of the groups as a system of its own."""
    systems = {
        f"{n:05d}": {"1": [[docno] for docno in order]}
        for n, order in enumerate(reference.orders(groups))
    }
    runs = runs_table(systems)
    ranked = RankedLists.from_table(runs)
    judged = Judged.from_table(qrels_table({"1": grades}), ranked)
    return score(ranked, judged, measures, max_grade=max_grade).values[:, 0, :]


MEASURES = [
    "P@3", "P(rel=2)@5", "R@4", "F", "F(beta=2)@4", "Rprec", "AP", "AP(rel=2)", "AP@4",
    "AP(judged_only=True)", "P(judged_only=True)@2", "RR", "RR@3", "RR(rel=2)", "DCG", "DCG@4",
    "nDCG", "nDCG(dcg='exp-log2')@4", "nDCG(base=2)", "nDCG(gains={1:5,2:3})", "SDCG@5", "ERR",
    "ERR@3", "nERR", "RBP", "RBP(p=0.5,rel=1)", "RBP(p=0.95)@3", "INSQ(T=2)",
    "RBP(dcg='exp-log2')", "ERR(gains={1:5,2:3})",
]  # fmt: skip

# the example of Table 3.1
TABLE_31 = [["D"], ["H", "A", "C"], ["M", "S"], ["W"], ["B", "E", "J"]]
GRADES_31 = {d: float(d in "ACSWJ") for d in "DHACMSWBEJ"}


@st.composite
def tied_rankings(draw):
    """Groups of at most 4 documents with at most 576 orders, and grades of some of them."""
    sizes = draw(
        st.lists(st.integers(1, 4), min_size=1, max_size=5).filter(
            lambda sizes: prod(map(factorial, sizes)) <= 576
        )
    )
    docnos = iter(draw(st.permutations([f"d{i:02d}" for i in range(sum(sizes))])))
    groups = [[next(docnos) for _ in range(size)] for size in sizes]
    grade = st.sampled_from([None, None, -1, 0, 1, 1, 2, 3])
    grades = {d: draw(grade) for group in groups for d in group} | {"elsewhere": draw(grade)}
    grades = {d: g for d, g in grades.items() if g is not None}
    return groups, grades or {groups[0][0]: 1}


# expectations and limits


@settings(max_examples=60)
@given(tied_rankings())
def test_expectations_are_means_over_all_orders(case):
    groups, grades = case
    _, lists, tied = encode_one(groups, grades)
    got = tied_scores.expected(lists, tied, MEASURES)[0, 0]
    want = scores_of_all_orders(groups, grades, MEASURES).mean(axis=0)
    np.testing.assert_allclose(got, want, rtol=0, atol=EXACT)


@settings(max_examples=60)
@given(tied_rankings())
def test_limits_are_the_extremes_of_all_orders(case):
    groups, grades = case
    _, lists, tied = encode_one(groups, grades)
    low, high = tied_scores.limits(lists, tied, MEASURES)
    want = scores_of_all_orders(groups, grades, MEASURES)
    np.testing.assert_allclose(low[0, 0], want.min(axis=0), rtol=0, atol=EXACT)
    np.testing.assert_allclose(high[0, 0], want.max(axis=0), rtol=0, atol=EXACT)


@settings(max_examples=40)
@given(tied_rankings())
def test_unjudged_documents_raise_the_upper_limit_of_utility_based_measures_only(case):
    groups, grades = case
    _, lists, tied = encode_one(groups, grades)
    low, high = tied_scores.limits(lists, tied, MEASURES, unjudged="relevant")
    closed_low, closed_high = tied_scores.limits(lists, tied, MEASURES)
    assert np.array_equal(low, closed_low)
    opened = {docno: 3 for group in groups for docno in group} | grades
    want = scores_of_all_orders(groups, opened, MEASURES).max(axis=0)
    for m, measure in enumerate(map(parse, MEASURES)):
        if measure.name in tied_scores.UTILITY_BASED and not measure.judged_only:
            assert high[0, 0, m] == pytest.approx(want[m], abs=EXACT)
        else:
            assert high[0, 0, m] == closed_high[0, 0, m]


def test_a_topics_own_highest_grade_is_none_for_unjudged_documents():
    _, lists, tied = encode_one([["a", "b"]], {"a": 2.5})
    measures = ["ERR(max_rel='topic')"]
    low, high = tied_scores.limits(lists, tied, measures)
    assert low.item() == pytest.approx(high.item() / 2)
    with pytest.raises(ParameterError, match="give max_rel a number"):
        tied_scores.limits(lists, tied, measures, unjudged="relevant")


def test_limits_take_the_scale_of_the_measure():
    _, lists, tied = encode_one([["a", "b"]], {"a": 1.0}, max_grade=1.0)
    _, high = tied_scores.limits(lists, tied, ["RBP(p=0.5,max_rel=4)"], unjudged="relevant")
    assert high[0, 0, 0] == pytest.approx(0.5 * (1 + 0.5 / 4))


def test_without_ties_there_is_no_range_whatever_is_unjudged():
    runs = {"a": {"1": [["x"], ["y"], ["z"]]}, "b": {"1": [["z", "u"], ["x"], ["y", "v"]]}}
    ranked, lists, tied = encode(runs, {"1": {"x": 2, "y": 0}})
    measures = ["RBP", "P@3", "ERR", "RR", "AP"]
    ranges = tied_scores.tie_scores(ranked, lists, tied, measures).to_frame()
    ranges = ranges.set_index(["system", "measure"])
    assert (ranges.loc["a", "range"] == 0).all()
    # of b: z and u, y and v are tied, but none of them has a gain
    assert (ranges.loc["b", "range"] == 0).all()
    assert (ranges["optimistic"] == ranges["run"]).all()
    opened = tied_scores.tie_scores(ranked, lists, tied, ["RBP"], unjudged="relevant").to_frame()
    assert (opened["range"] > 0.1).all()


def ap_of(ranked, lists):
    return score(ranked, lists.judged, ["AP"]).values


def test_top_systems_with_equal_means_are_in_order_of_name():
    ranked, lists, _ = encode(
        {name: {"1": [["x"], ["y"]]} for name in "cab"} | {"d": {"1": [["y"], ["x"]]}},
        {"1": {"y": 1}},
    )
    assert tied_scores.highest_means(ranked.systems, ap_of(ranked, lists), 3) == ["d", "a", "b"]


@settings(max_examples=40)
@given(tied_rankings(), st.randoms(use_true_random=False))
def test_the_order_within_groups_does_not_matter(case, random):
    groups, grades = case
    shuffled = [random.sample(group, len(group)) for group in groups]
    values = []
    for given_groups in (groups, shuffled):
        _, lists, tied = encode_one(given_groups, grades)
        low, high = tied_scores.limits(lists, tied, MEASURES)
        values.append([low, high, tied_scores.expected(lists, tied, MEASURES)])
    np.testing.assert_allclose(values[0], values[1], rtol=0, atol=EXACT)


@settings(max_examples=40)
@given(tied_rankings())
def test_rankings_without_ties_score_as_they_do(case):
    groups, grades = case
    ranked, lists, _ = encode_one(groups, grades)
    alone = TieGroups.banded(ranked, 1)
    want = score(ranked, lists.judged, MEASURES, max_grade=3.0).values
    for got in (
        tied_scores.expected(lists, alone, MEASURES),
        *tied_scores.limits(lists, alone, MEASURES, unjudged="non-relevant"),
    ):
        assert np.array_equal(got, want)
    assert tied_scores.marginal_ap(lists, alone) == pytest.approx(
        want[:, :, MEASURES.index("AP")], abs=EXACT
    )


@settings(max_examples=40)
@given(tied_rankings(), st.sampled_from([None, 1, 3]))
def test_marginal_ap_is_equation_33(case, k):
    groups, grades = case
    _, lists, tied = encode_one(groups, grades)
    relevant = {docno for docno, grade in grades.items() if grade >= 1}
    want = float(reference.eq33(groups, relevant, len(relevant), k)) if relevant else 0.0
    got = tied_scores.marginal_ap(lists, tied, f"AP@{k}" if k else "AP")
    assert got[0, 0] == pytest.approx(want, abs=EXACT)
    if k is None and relevant:
        condensed = [[docno for docno in group if grades.get(docno, -1) >= 0] for group in groups]
        want = float(reference.eq33(condensed, relevant, len(relevant)))
        got = tied_scores.marginal_ap(lists, tied, "AP(judged_only=True)")
        assert got[0, 0] == pytest.approx(want, abs=EXACT)


def test_the_example_of_the_thesis():
    ranked, lists, tied = encode_one(TABLE_31, GRADES_31, max_grade=1.0)
    rbp = ["RBP(p=0.9)"]
    low, high = tied_scores.limits(lists, tied, rbp)
    docno_order = tied.reordered(ranked)
    assert "".join(ranked.docnos[docno_order.documents]) == "DHCASMWJEB"
    assert score(ranked, lists.judged, rbp).values[0, 0, 0] == pytest.approx(0.305, abs=5e-4)
    assert score(docno_order, lists.judged, rbp).values[0, 0, 0] == pytest.approx(0.320, abs=5e-4)
    assert (low[0, 0, 0], high[0, 0, 0]) == pytest.approx((0.305, 0.338), abs=5e-4)
    assert tied_scores.expected(lists, tied, rbp)[0, 0, 0] == pytest.approx(0.321, abs=5e-4)
    # enr(i) / i, i = 2 … 5
    precisions = tied_scores.expected(lists, tied, ["P@2", "P@3", "P@4", "P@5"])[0, 0]
    assert precisions * [2, 3, 4, 5] == pytest.approx([2 / 3, 4 / 3, 2, 5 / 2])
    assert tied_scores.expected(lists, tied, ["RR"])[0, 0, 0] == pytest.approx(
        2 / 3 / 2 + 1 / 3 / 3
    )


def test_expected_ap_is_not_the_product_of_marginals():
    # at rank 2 a relevant document stands with probability 2/3, and then the precision is 1/2
    _, lists, tied = encode_one(TABLE_31, GRADES_31, max_grade=1.0)
    assert tied_scores.expected(lists, tied, ["AP@2"])[0, 0, 0] == pytest.approx(1 / 3 / 5)
    assert tied_scores.marginal_ap(lists, tied, "AP@2")[0, 0] == pytest.approx(2 / 9 / 5)


def test_large_groups_keep_their_digits():
    counts = {0: 25, 1: 9, 2: 5, 3: 2}
    grades = {
        f"d{i}": float(g) for i, g in enumerate(g for g, n in counts.items() for _ in "." * n)
    }
    _, lists, tied = encode_one([list(grades)], grades)
    err, ap, rr = tied_scores.expected(lists, tied, ["ERR", "AP", "RR(rel=2)"])[0, 0]
    stopping = {Fraction(2**g - 1, 8): n for g, n in counts.items()}
    assert err == pytest.approx(float(reference.cascade_of_one_group(stopping)), abs=1e-14)
    want = reference.precision_sum_of_one_group(16, 41) / 16
    assert ap == pytest.approx(float(want), abs=1e-14)
    first = reference.cascade_of_one_group({Fraction(1): 7, Fraction(0): 34})
    assert rr == pytest.approx(float(first), abs=1e-14)


def test_several_systems_and_topics_with_empty_and_unjudged_ones():
    systems = {
        "a": {"1": [["x", "y"], ["z"]], "2": [["x", "z"]], "3": [["y", "x", "z"]]},
        "b": {"1": [["z"], ["y", "x"]], "3": [["x"], ["y"]]},
    }
    qrels = {"1": {"x": 1, "z": 2}, "3": {"y": 1, "q": 0}}  # nothing is judged for topic 2
    _, lists, tied = encode(systems, qrels)
    got = tied_scores.expected(lists, tied, MEASURES)
    for s, system in enumerate(systems):
        for t, topic in enumerate(qrels):
            groups = systems[system][topic]
            want = scores_of_all_orders(groups, qrels[topic], MEASURES).mean(axis=0)
            np.testing.assert_allclose(got[s, t], want, rtol=0, atol=EXACT)


@pytest.mark.parametrize("measure", ["Bpref", "Q", "INST(T=2)", "NCP(gamma=0.5)"])
def test_measures_without_an_expectation_are_refused(measure):
    _, lists, tied = encode_one(TABLE_31, GRADES_31)
    for function in (tied_scores.expected, tied_scores.limits):
        with pytest.raises(ParameterError, match="not available for tied documents"):
            function(lists, tied, [measure])


def test_bad_parameters_are_refused():
    _, lists, tied = encode_one(TABLE_31, GRADES_31)
    with pytest.raises(ParameterError, match="give an AP"):
        tied_scores.marginal_ap(lists, tied, "RR")
    with pytest.raises(ParameterError, match="did you mean 'relevant'"):
        tied_scores.limits(lists, tied, ["AP"], unjudged="relevent")
    _, others, _ = encode_one([["D", "H"]], GRADES_31)
    with pytest.raises(ParameterError, match="other rankings"):
        tied_scores.expected(others, tied, ["AP"])


def test_groups_across_rankings_are_refused():
    _, lists, _ = encode({"s": {"1": [["a"]], "2": [["a"]]}}, {"1": {"a": 1}, "2": {"a": 1}})
    with pytest.raises(ParameterError, match="other rankings"):
        tied_scores.expected(lists, TieGroups(np.array([0, 2])), ["AP"])


@pytest.mark.parametrize("starts", [[0, 1, 2, 3], [1, 2]])
def test_groups_of_more_or_fewer_documents_are_refused(starts):
    """Also where they would do for the only topic that is judged, which has the second document."""
    _, lists, tied = encode({"s": {"1": [["a"]], "2": [["a"]]}}, {"2": {"a": 1}})
    assert tied_scores.expected(lists, tied, ["AP"]).tolist() == [[[1.0]]]
    with pytest.raises(ParameterError, match="other rankings"):
        tied_scores.expected(lists, TieGroups(np.array(starts)), ["AP"])


# groups


def test_groups_of_equal_scores():
    ranked, _, tied = encode(
        {"a": {"1": [["x", "y"], ["z"]], "2": [["x"]]}, "b": {"2": [["z"], ["y", "x", "w"]]}},
        {"1": {"x": 1}},
    )
    assert tied.starts.tolist() == [0, 2, 3, 4, 5, 8]
    assert tied.sizes.tolist() == [2, 1, 1, 1, 3]
    assert tied.tied_documents(ranked).tolist() == [[1, 0], [0, 2]]


def test_groups_of_some_topics():
    runs = runs_table({"a": {"1": [["x", "y"], ["z"]], "2": [["y", "x"]]}, "b": {"1": [["x"]]}})
    ranked = RankedLists.from_table(runs, topics=["2"])
    assert TieGroups.by_score(ranked).starts.tolist() == [0, 2]


def test_no_rankings_no_groups():
    runs = runs_table({})
    ranked = RankedLists.from_table(runs)
    assert TieGroups.by_score(ranked).starts.tolist() == [0]
    assert TieGroups.banded(ranked, 2).starts.tolist() == [0]


def test_float32_ties_more():
    rows = [("s", "1", 1, "a", 1 + 1e-9, 1, 1), ("s", "1", 2, "b", 1.0, 2, 2)]
    runs = table("runs", rows)
    ranked = RankedLists.from_table(runs)
    assert TieGroups.by_score(ranked).starts.tolist() == [0, 1, 2]
    assert TieGroups.by_score(ranked, "float32").starts.tolist() == [0, 2]


def test_scores_that_rise_are_refused():
    rows = [("s", "1", 1, "a", 1.0, 1, 1), ("s", "1", 2, "b", 1 + 1e-9, 2, 2)]
    runs = table("runs", rows)
    ranked = RankedLists.from_table(runs)
    with pytest.raises(ParameterError, match="system s, topic 1: a score rises"):
        TieGroups.by_score(ranked)
    assert TieGroups.by_score(ranked, "float32").starts.tolist() == [0, 2]


def test_rankings_without_scores_have_no_ties_by_score():
    runs = runs_table({"a": {"1": [["x"], ["y"]]}})
    with pytest.raises(ParameterError, match="have no scores"):
        TieGroups.by_score(RankedLists.from_table(runs.drop_columns("score")))


def test_an_external_rule_reorders_ties_only():
    ranked, _, tied = encode_one([["b", "a", "c"], ["z"], ["e", "d"]], {"a": 1})
    by_docno = tied.reordered(ranked)
    assert "".join(ranked.docnos[by_docno.documents]) == "cbazed"
    followers = dict(zip("abcdez", (5, 1, 5, 2, 1, 0), strict=True))
    keys = [followers[docno] for docno in ranked.docnos]
    by_followers = tied.reordered(ranked, keys)
    assert "".join(ranked.docnos[by_followers.documents]) == "acbzde"  # a and c as they stood
    assert "".join(ranked.docnos[ranked.documents]) == "baczed"


@pytest.mark.parametrize(
    ("order", "expected"), [("rank", "cabzde"), ("docno", "abczde"), ("docno-reversed", "cbazed")]
)
def test_usual_orders_of_ties(order, expected):
    """Ranks as submitted, not the rows' own, decide; the second topic has groups of its own."""
    given = [("1", "b", 1.0, 3), ("1", "a", 1.0, 2), ("1", "c", 1.0, 1), ("1", "z", 0.5, 9)]
    given += [("2", "e", 0.5, 2), ("2", "d", 0.5, 1)]
    rows = [("s", t, n, d, score, rank, n) for n, (t, d, score, rank) in enumerate(given, 1)]
    ranked = RankedLists.from_table(table("runs", rows))
    found = TieGroups.by_score(ranked).in_order(ranked, order)
    assert "".join(ranked.docnos[found.documents]) == expected
    assert found.scores is None
    assert found.submitted_ranks is None


def test_where_ranks_were_not_read_rankings_stand_as_they_were_submitted():
    ranked, _, tied = encode_one([["b", "a", "c"], ["z"]], {"a": 1})
    without = replace(ranked, submitted_ranks=None)
    assert tied.in_order(without, "rank").documents.tolist() == ranked.documents.tolist()


def test_equal_keys_leave_a_large_group_as_it_stands():
    docnos = [f"d{i * 37 % 100:02d}" for i in range(100)]
    ranked, _, tied = encode_one([docnos], {"d00": 1})
    odd = [int(docno[-1]) % 2 for docno in ranked.docnos]
    got = ranked.docnos[tied.reordered(ranked, odd).documents].tolist()
    assert got == sorted(docnos, key=lambda docno: -(int(docno[-1]) % 2))


# bands


@pytest.mark.parametrize(
    ("rho", "starts"),
    [
        ("2", [1, 2, 4, 8, 16]),
        ("1.62", [1, 2, 4, 7, 12]),
        ("1.1", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19]),
        (3, [1, 3, 9]),
        (1, list(range(1, 21))),
    ],
)
def test_bands(rho, starts):
    assert tied_scores.band_starts(rho, 20)[: len(starts)] == starts


def test_bands_are_computed_in_rational_numbers():
    starts = tied_scores.band_starts("1.1", 200)
    assert starts[starts.index(170) + 1] == 187  # 1.1 * 170 is 187.00000000000003 in floats
    for same in (1.1, "1.10", "11/10", Fraction(11, 10)):
        assert tied_scores.band_starts(same, 1000) == tied_scores.band_starts("1.1", 1000)


@given(st.fractions(1, 9, max_denominator=50), st.integers(1, 300))
def test_bands_follow_their_definition(rho, depth):
    starts = tied_scores.band_starts(rho, depth)
    assert starts[0] == 1
    for b, following in pairwise(starts):
        assert following - 1 < max(rho * b, b + 1) <= following
    assert starts[-1] <= depth < max(rho * starts[-1], starts[-1] + 1)


@pytest.mark.parametrize("rho", ["0.99", 0, "x", float("nan"), float("inf"), "1/0", None])
def test_bad_rho_is_refused(rho):
    with pytest.raises(ParameterError, match="ρ is"):
        tied_scores.band_starts(rho, 10)


def test_banded_rankings():
    one = [["a"], ["b", "c"], ["d"], ["e"]]
    ranked, *_ = encode({"a": {"1": one, "2": one[:2]}, "b": {"2": one[:1]}}, {"1": {"a": 1}})
    # of 5, 3, 0 and 1 documents
    assert TieGroups.banded(ranked, 2).starts.tolist() == [0, 1, 3, 5, 6, 8, 9]
    assert TieGroups.banded(ranked, 1).starts.tolist() == list(range(10))
    assert TieGroups.banded(ranked, 9).starts.tolist() == [0, 5, 8, 9]


# bounds


TABLE_33 = {
    "1.1": (0.0038, 0.0002, 0.0087),
    "1.2": (0.0119, 0.0052, 0.0231),
    "1.4": (0.0417, 0.0429, 0.0482),
    "1.7": (0.0833, 0.0945, 0.0777),
    "2.0": (0.0833, 0.1016, 0.0971),
}


def test_worst_case_bounds_are_those_of_table_33():
    bounds = tied_scores.worst_case_bounds(list(TABLE_33), ["RR", "RBP(p=0.5)", "RBP(p=0.85)"])
    assert bounds.columns.tolist() == ["rho", "measure", "bound"]
    assert bounds["bound"].round(4).tolist() == [x for row in TABLE_33.values() for x in row]
    assert bounds["rho"].tolist()[::3] == [1.1, 1.2, 1.4, 1.7, 2.0]


@pytest.mark.parametrize(("rho", "depth"), [("2", 7), ("1.4", 9), ("3", 8)])
def test_bounds_are_the_largest_loss_of_any_ranking(rho, depth):
    """`depth` ends a band; below it RBP(0.05) has a weight under 1e-9."""
    measures = ["RR", "RBP(p=0.05)"]
    runs, topics = {}, {}
    docnos = [f"d{i}" for i in range(depth)]
    for gains in product([0, 1], repeat=depth):
        topic = "".join(map(str, gains))
        runs[topic] = [[docno] for docno in docnos]
        topics[topic] = dict(zip(docnos, gains, strict=True))
    ranked, lists, _ = encode({"s": runs}, topics, max_grade=1.0)
    original = score(ranked, lists.judged, measures, max_grade=1.0).values
    loss = original - tied_scores.expected(lists, TieGroups.banded(ranked, rho), measures)
    want = [tied_scores.rr_bound(rho), tied_scores.rbp_bound(rho, 0.05)]
    np.testing.assert_allclose(loss.max(axis=(0, 1)), want, rtol=0, atol=1e-9)


@given(st.fractions(1, 4, max_denominator=30).filter(lambda rho: rho > 1))
def test_no_band_loses_more_rr_than_the_first_of_several(rho):
    starts = tied_scores.band_starts(rho, 500)
    losses = [1 / b - np.mean(1 / np.arange(b, e)) for b, e in pairwise(starts)]
    assert tied_scores.rr_bound(rho) == pytest.approx(max(losses), abs=1e-15)


def test_without_bands_nothing_is_lost():
    assert tied_scores.rr_bound(1) == tied_scores.rbp_bound("1.0", 0.85) == 0


@pytest.mark.parametrize("measure", ["AP", "RR@5", "RBP(p=0.5)@9", "RR(judged_only=True)"])
def test_measures_without_a_bound_are_refused(measure):
    with pytest.raises(ParameterError, match="worst-case bounds for RR and RBP"):
        tied_scores.worst_case_bounds(["2"], [measure])


def test_a_persistence_off_its_range_is_refused():
    with pytest.raises(ParameterError, match="persistence is 1"):
        tied_scores.rbp_bound(2, 1)


# tables


@pytest.fixture(scope="module")
def simulated():
    """Five systems and six topics of graded documents, ties of up to four documents."""
    rng = np.random.default_rng(3)
    docnos = np.array([f"d{i:03d}" for i in range(60)])
    systems = {
        f"s{s}": {
            str(t): [
                list(part) for part in np.split(rng.permutation(docnos)[:40], range(s + 1, 40, 4))
            ]
            for t in range(6)
        }
        for s in range(5)
    }
    qrels = {str(t): dict(zip(docnos, rng.integers(0, 4, 60), strict=True)) for t in range(6)}
    return *encode(systems, qrels), runs_table(systems)


def test_tie_rates():
    rows = [
        ("a", "1", 1, "x", 3.0, 1, 1), ("a", "1", 2, "y", 2.0, 2, 2), ("a", "1", 3, "z", 2.0, 3, 3),
        ("a", "2", 1, "x", 1.0, 1, 1),
        ("b", "1", 1, "x", 5.0, 2, 1), ("b", "1", 2, "y", 4.0, 1, 2),
    ]  # fmt: skip
    rates = tied_scores.tie_rates(audit_runs(RankedLists.from_table(table("runs", rows))))
    assert rates.values.tolist() == [
        ["tied scores", "systems", 1, 2, 50.0],
        ["tied scores", "rankings", 1, 3, pytest.approx(100 / 3)],
        ["tied scores", "documents", 1, 6, pytest.approx(100 / 6)],
        ["rank contradictions", "systems", 1, 2, 50.0],
        ["rank contradictions", "rankings", 1, 3, pytest.approx(100 / 3)],
        ["rank contradictions", "documents", 1, 6, pytest.approx(100 / 6)],
        ["tied scores", "first tie", 1, 3, pytest.approx(3.0)],
    ]


def test_tie_rates_without_ties():
    rates = tied_scores.tie_rates(
        audit_runs(RankedLists.from_table(runs_table({"a": {"1": [["x"], ["y"]]}})))
    )
    assert "first tie" not in set(rates["quantity"])
    assert rates["value"].tolist() == [0.0] * 6


def test_top_systems(simulated):
    ranked, lists, *_ = simulated
    scores = score(ranked, lists.judged, ["nDCG"]).values
    order = [ranked.systems[s] for s in np.argsort(-scores[:, :, 0].mean(axis=1))]
    assert tied_scores.highest_means(ranked.systems, scores, 3) == order[:3]
    assert tied_scores.highest_means(ranked.systems, scores, 99) == order


def test_score_ranges(simulated):
    ranked, lists, tied, runs = simulated
    ranges = tied_scores.tie_scores(ranked, lists, tied, ["AP(rel=2)", "ERR"]).to_frame()
    assert ranges.columns.tolist() == [
        "measure", "system", "run", "trec_eval", "expected", "eq33", "pessimistic", "optimistic",
        "range", "tied", "tied_share",
    ]  # fmt: skip
    assert ranges["measure"].tolist() == ["AP(rel=2)"] * 5 + ["ERR"] * 5
    audit = audit_runs(ranked).to_pandas()
    per_system = audit.groupby("system", observed=True)["tied_documents"].sum()
    assert ranges["tied"].tolist() == 2 * per_system.tolist()
    ap = ranges[:5]
    assert (ap["pessimistic"] <= ap[["run", "trec_eval", "expected", "eq33"]].min(axis=1)).all()
    assert (ap["optimistic"] >= ap[["run", "trec_eval", "expected"]].max(axis=1)).all()
    assert (ap["eq33"] < ap["expected"]).all()
    assert ap["range"].to_numpy() == pytest.approx(ap["optimistic"] - ap["pessimistic"])
    assert ranges["eq33"][5:].isna().all()
    run = {"q" + t: {} for t in ranked.topics}
    # trec_eval's own code on the same run
    for row in runs.to_pylist():
        if row["system"] == "s1":
            run["q" + row["topic"]][row["docno"]] = row["score"]
    judged = {"q" + t: {} for t in ranked.topics}
    for t, topic in enumerate(lists.judged.topics):
        for q in range(lists.judged.offsets[t], lists.judged.offsets[t + 1]):
            code = lists.judged.documents[q]
            docno = ranked.docnos[code] if code >= 0 else f"not retrieved {q}"
            judged["q" + topic][docno] = int(lists.judged.grades[q])
    results = pytrec_eval.RelevanceEvaluator(judged, {"map"}, relevance_level=2).evaluate(run)
    mean = np.mean([values["map"] for values in results.values()])
    assert ap["trec_eval"][1] == pytest.approx(mean, abs=1e-9)


def test_score_ranges_count_ties_of_judged_topics_only():
    groups = [["x", "y"], ["z"]]
    ranked, lists, tied = encode({"a": {"1": groups, "2": [["x", "y", "z"]]}}, {"1": {"x": 1}})
    ranges = tied_scores.tie_scores(ranked, lists, tied).to_frame()
    assert ranges[["tied", "expected"]].values.tolist() == [[1, 0.75]]


@pytest.fixture(scope="module")
def banded(simulated):
    ranked, lists, *_ = simulated
    return tied_scores.score_bands(ranked, lists, [1, "1.4", 3], ["AP", "RR", "ERR"]).to_frame()


def test_banded_scores(simulated, banded):
    ranked, lists, *_ = simulated
    assert len(banded) == 3 * 3 * 5 * 6
    assert banded["rho"].unique().tolist() == [1.0, 1.4, 3.0]
    assert (banded["difference"] == banded["banded"] - banded["original"]).all()
    assert (banded.loc[banded["rho"] == 1, "difference"] == 0).all()
    row = banded.query("measure == 'ERR' and rho == 3 and system == 's2' and topic == '4'").iloc[0]
    groups = TieGroups.banded(ranked, "3")
    assert row["banded"] == tied_scores.expected(lists, groups, ["ERR"])[2, 4, 0]
    assert row["original"] == score(ranked, lists.judged, ["ERR"]).values[2, 4, 0]


def test_threads_change_nothing(simulated, banded):
    ranked, lists, *_ = simulated
    measures = ["AP", "RR", "ERR"]
    again = tied_scores.score_bands(ranked, lists, [1, "1.4", 3], measures, threads=3)
    pd.testing.assert_frame_equal(again.to_frame(), banded, check_exact=True)


def test_a_rho_given_twice_is_refused(simulated):
    ranked, lists, *_ = simulated
    with pytest.raises(ParameterError, match="given twice"):
        tied_scores.score_bands(ranked, lists, ["1.1", 1.1], ["AP"])


def grid(frame, column, measure, rho):
    rows = frame[(frame["measure"] == measure) & (frame["rho"] == rho)]
    return rows[column].to_numpy().reshape(5, 6)


def test_non_inferiority_is_scipys_one_tailed_test(banded):
    tests = tied_scores.non_inferiority(banded, [0.97, 0.9])
    assert len(tests) == 3 * 3 * 2 * 5
    for (measure, rho, fraction), rows in tests.groupby(["measure", "rho", "fraction"]):
        if rho == 1:
            continue  # tested below: the differences are nearly constant
        before, after = grid(banded, "original", measure, rho), grid(banded, "banded", measure, rho)
        with warnings.catch_warnings():  # of RR, nearly all of whose differences are equal
            warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)
            want = stats.ttest_rel(after, fraction * before, axis=1, alternative="greater")
        np.testing.assert_allclose(rows["t"], want.statistic, rtol=1e-9)
        np.testing.assert_allclose(rows["p"], want.pvalue, rtol=1e-9)
        assert rows["system"].tolist() == ["s0", "s1", "s2", "s3", "s4"]
    counts = tied_scores.count_non_inferior(tests, 0.2)
    assert counts["systems"].sum() == (tests["p"] <= 0.2).sum()
    assert (counts["n_systems"] == 5).all()
    assert counts[["measure", "rho", "fraction"]].values.tolist()[:2] == [
        ["AP", 1.0, 0.97],
        ["AP", 1.0, 0.9],
    ]


def frame_of(original, after):
    S, T = np.shape(original)
    return pd.DataFrame(
        [
            ("M", 2.0, f"s{s}", f"t{t}", original[s][t], after[s][t])
            for s in range(S)
            for t in range(T)
        ],
        columns=["measure", "rho", "system", "topic", "original", "banded"],
    )


def test_constant_and_zero_differences():
    original = np.array([[0, 0, 0], [0.1, 0.2, 0.7], [0.1, 0.2, 0.7]])
    frame = frame_of(original, 0.99 * original + [[0], [0.01], [-0.01]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tests = tied_scores.non_inferiority(frame, [0.99])
    assert np.isnan(tests["p"][0])
    assert tests["p"].tolist()[1:] == [0.0, 1.0]
    assert tied_scores.count_non_inferior(tests)["systems"].tolist() == [1]


def test_one_topic_decides_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tests = tied_scores.non_inferiority(frame_of([[0.5]], [[0.4]]), [0.99])
    assert tests["p"].isna().all()


def test_p_values_of_pairs_are_scipys(banded):
    p_values = tied_scores.banded_p_values(banded)
    assert len(p_values) == 3 * 3 * 10
    for measure, rho in [("AP", 1.4), ("RR", 3.0), ("ERR", 1.0)]:
        rows = p_values[(p_values["measure"] == measure) & (p_values["rho"] == rho)]
        for column, source in (("p_original", "original"), ("p_banded", "banded")):
            scores = grid(banded, source, measure, rho)
            i, j = np.triu_indices(5, 1)
            want = stats.ttest_rel(scores[i], scores[j], axis=1).pvalue
            np.testing.assert_allclose(rows[column], want, rtol=1e-9)
        assert rows["first"].tolist()[:4] == ["s0"] * 4
        assert rows["second"].tolist()[:4] == ["s1", "s2", "s3", "s4"]


def test_quadrants():
    p_values = pd.DataFrame(
        [
            ("M", 2.0, 0.05, 0.01), ("M", 2.0, 0.04, 0.06), ("M", 2.0, np.nan, 0.05),
            ("M", 2.0, 0.5, np.nan), ("M", 1.5, 0.01, 0.01),
        ],
        columns=["measure", "rho", "p_original", "p_banded"],
    )  # fmt: skip
    shares = tied_scores.quadrants(p_values)
    assert shares.to_dict("list") == {
        "measure": ["M", "M"],
        "rho": [2.0, 1.5],
        "pairs": [4, 1],
        "true_positive": [0.25, 1.0],
        "false_negative": [0.25, 0.0],
        "false_positive": [0.25, 0.0],
        "true_negative": [0.25, 0.0],
    }


def test_systems_of_other_topics_are_refused(banded):
    for function in (tied_scores.banded_p_values, tied_scores.non_inferiority):
        with pytest.raises(ParameterError, match="the same topics"):
            function(banded.iloc[1:])


# real runs


def test_expectations_are_means_of_random_orders_of_real_graded_runs(real_data):
    folder = real_data / "dl21"
    runs = read_runs(sorted((folder / "runs").glob("*.gz")), threads=2)
    ranked = RankedLists.from_table(runs)
    judged = Judged.from_table(read_qrels(folder / "qrels.gz"), ranked)
    lists = JudgedLists.match(ranked, judged, 3.0)
    groups = TieGroups.by_score(ranked)
    assert groups.sizes.max() > 50
    measures = ["AP(rel=2)", "nDCG", "ERR", "RR(rel=2)"]
    rng = np.random.default_rng(1)
    samples = []
    for _ in range(40):
        order = groups.reordered(ranked, rng.random(len(ranked.docnos)))
        samples.append(score(order, judged, measures, max_grade=3.0).values)
    mean, error = np.mean(samples, axis=0), np.std(samples, axis=0, ddof=1) / np.sqrt(40)
    off = mean - tied_scores.expected(lists, groups, measures)
    varies = error > 1e-9
    assert varies.sum() > 1000
    assert np.abs(off[~varies]).max() < 1e-8
    z = off[varies] / error[varies]
    assert abs(z.mean()) < 0.1
    assert 0.9 < z.std() < 1.1
    assert np.abs(z).max() < 5


@pytest.fixture(scope="module")
def trec8(real_data):
    of = trec.trec8(real_data)
    return of.runs, of.ranked, JudgedLists.match(of.ranked, of.judged, 1.0), of.qrels


def test_trec8_ties_are_those_of_table_32(trec8):
    runs, *_ = trec8
    rates = tied_scores.tie_rates(audit_runs(RankedLists.from_table(runs))).set_index(
        ["affected", "quantity"]
    )["value"]
    tied, contradicts = rates["tied scores"], rates["rank contradictions"]
    assert tied.round(1).tolist()[:3] == [93.8, 91.8, 11.0]
    assert round(tied["first tie"]) == 71
    assert contradicts.round(1).tolist() == [6.2, 5.6, 1.8]


def test_trec8_ranges(trec8):
    _, ranked, lists, _ = trec8
    groups = TieGroups.by_score(ranked)
    assert groups.tied_documents(ranked).sum() == 692_941
    ranges = tied_scores.tie_scores(ranked, lists, groups).to_frame().set_index("system")
    inside = ranges[["run", "trec_eval", "expected"]]
    assert (inside.min(axis=1) >= ranges["pessimistic"] - EXACT).all()
    assert (inside.max(axis=1) <= ranges["optimistic"] + EXACT).all()
    assert ((ranges["range"] == 0) | (ranges["tied"] > 0)).all()
    # §3.2.3: three systems of Figure 3.5's 99 have no ties, and they are among the best
    best = ranges.loc[tied_scores.highest_means(ranked.systems, ap_of(ranked, lists), 99)]
    without = best.index[best["tied"] == 0].tolist()
    assert without == ["READWARE2", "orcl99man", "READWARE"]
    assert set(without) <= set(best.index[:10])


def test_trec8_docno_order_is_trec_evals(trec8):
    runs, _, _, qrels = trec8
    # trec_eval 9 compares single floats
    wanted = ["GE8MTD2", "Flab8atd2", "CL99SDopt1"]
    rows = runs.filter(pa.compute.is_in(runs["system"].cast(pa.string()), pa.array(wanted)))
    few = RankedLists.from_table(rows)
    few_lists = JudgedLists.match(few, Judged.from_table(qrels, few), 1.0)
    ranges = tied_scores.tie_scores(few, few_lists, TieGroups.by_score(few, "float32")).to_frame()
    assert (ranges["tied"] > 1000).any()
    judged = qrels.to_pandas().astype({"grade": int})
    judged = {
        t: dict(zip(g["docno"], g["grade"], strict=True))
        for t, g in judged.groupby("topic", observed=True)
    }
    frame = rows.to_pandas()
    for s, system in enumerate(few.systems):
        run = {
            str(topic): dict(zip(part["docno"], part["score"], strict=True))
            for topic, part in frame[frame["system"] == system].groupby("topic", observed=True)
        }
        results = pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate(run)
        mean = sum(values["map"] for values in results.values()) / len(few.topics)
        assert ranges["trec_eval"][s] == pytest.approx(mean, abs=1e-9)


def test_trec8_bands_take_less_than_the_bounds(trec8):
    _, ranked, lists, _ = trec8
    measures = ["RR", "RBP(p=0.5)", "RBP(p=0.85)"]
    banded = tied_scores.score_bands(ranked, lists, list(TABLE_33), measures, threads=2).to_frame()
    loss = -banded.groupby(["rho", "measure"], observed=True)["difference"].min()
    bound = tied_scores.worst_case_bounds(list(TABLE_33), measures)
    bound = bound.set_index(["rho", "measure"])["bound"].reindex(loss.index)
    assert (loss <= bound + EXACT).all()
    assert (loss > 0.7 * bound).all()  # with 6,450 rankings some come near
    assert loss.xs("RR", level="measure").to_numpy() == pytest.approx(
        bound.xs("RR", level="measure").to_numpy(), abs=1e-6
    )
