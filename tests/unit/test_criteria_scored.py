"""Measures of several label sets in scoring, against the plain functions ranking by ranking."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.criteria.errors import normalised_rank_error
from regrade.criteria.scores import normalised_weighted_score
from regrade.errors import ParameterError
from regrade.measures import parse
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score
from tests.unit.trec import qrels_table, runs_table

DOCNOS = [f"d{i}" for i in range(7)]
TOPICS = ["1", "2"]
RUNS = st.dictionaries(
    st.sampled_from(["alpha", "beta"]),
    st.dictionaries(
        st.sampled_from(TOPICS),
        st.permutations(DOCNOS).flatmap(
            lambda docs: st.integers(1, len(docs)).map(lambda n: [(d, 0.0) for d in docs[:n]])
        ),
        min_size=1,
    ),
    min_size=1,
)
QRELS = st.dictionaries(
    st.sampled_from([*TOPICS, "9"]),
    st.dictionaries(st.sampled_from([*DOCNOS, "lost"]), st.integers(-1, 3), min_size=1),
    min_size=1,
)


def scored(runs, first, names, **others):
    ranked = RankedLists.from_table(runs_table(runs))
    judged = {n: Judged.from_table(qrels_table(q), ranked) for n, q in others.items()}
    main = Judged.from_table(qrels_table(first), ranked)
    return score(
        ranked, main, names, max_grade=3, others=judged, max_grades=dict.fromkeys(others, 3.0)
    )


WAYS = {
    "NLRE(second=b)": partial(normalised_rank_error, weights=[0.5, 0.5]),
    "NLRE(second=b,mu=2,nu=0.1,ties=expected)@3": partial(
        normalised_rank_error, weights=[2, 0.1], ties="expected"
    ),
    "NLRE(second=b,ties=pessimistic)@4": partial(
        normalised_rank_error, weights=[0.5, 0.5], ties="pessimistic"
    ),
    "NGRE(second=b,ties=competition)@5": partial(
        normalised_rank_error, weights=[0.5, 0.5], kind="global", ties="competition"
    ),
    "NWCS(second=b,share=0.25)@4": partial(normalised_weighted_score, shares=[0.25, 0.75]),
    "NWCS(second=b,scaled=True)": partial(normalised_weighted_score, shares=[0.5 / 3, 0.5 / 3]),
}


@settings(max_examples=60)
@given(RUNS, QRELS, QRELS)
def test_rankings_are_scored_as_the_functions_say(runs, first, second):
    found = scored(runs, first, list(WAYS), b=second)
    for s, system in enumerate(found.systems):
        for t, topic in enumerate(found.topics):
            ranking = [docno for docno, _ in runs[system].get(topic, [])]
            for m, way in enumerate(WAYS.values()):
                cutoff = found.measures[m]["cutoff"] or len(ranking)
                grades = np.array(
                    [
                        [max(0, qrels.get(topic, {}).get(d, 0)) for d in ranking[:cutoff]]
                        for qrels in (first, second)
                    ]
                )
                expected = way(grades) if ranking else 0
                assert found.values[s, t, m] == pytest.approx(expected, abs=1e-12)
    assert np.isnan(found.residuals).all()


@settings(max_examples=40)
@given(RUNS, QRELS, QRELS)
def test_aggregates_are_means_of_two_measures(runs, first, second):
    shared = {t: {d: second.get(t, {}).get(d, 0) for d in [*DOCNOS, "lost"]} for t in TOPICS}
    names = ["CAM(second=b,measure='nDCG@3',share=0.3)", "WHAM(second=b,measure='nDCG@3')"]
    names += ["CAM(second=b,measure=AP,second_measure='ERR@4')"]
    found = scored(runs, first, names, b=shared)
    one = scored(runs, first, ["nDCG@3", "AP"])
    kept = {t: q for t, q in shared.items() if t in one.topics}
    two = scored(runs, kept, ["nDCG@3", "ERR@4"])
    a, b = one.values[:, :, 0], two.values[:, :, 0]
    np.testing.assert_allclose(found.values[:, :, 0], 0.3 * a + 0.7 * b, atol=1e-15)
    some = (a > 0) & (b > 0)
    harmonic = 2 / (1 / np.where(some, a, 1) + 1 / np.where(some, b, 1)) * some
    np.testing.assert_allclose(found.values[:, :, 1], harmonic, atol=1e-15)
    mean = (one.values[:, :, 1] + two.values[:, :, 1]) / 2
    np.testing.assert_allclose(found.values[:, :, 2], mean, atol=1e-15)


RUN = {"a": {"1": [("d0", 3.0), ("d1", 2.0), ("d2", 1.0)]}}
FIRST = {"1": {"d0": 1, "d1": 3, "d2": 2}}


def test_three_sets():
    second, third = {"1": {"d0": 0, "d1": 1}}, {"1": {"d2": 2}}
    names = ["NLRE(second=[b,c],nu=[1,2])", "NWCS(second=[b,c],share=[0.5,0.3,0.2])"]
    found = scored(RUN, FIRST, names, b=second, c=third).values[0, 0]
    grades = np.array([[1, 3, 2], [0, 1, 0], [0, 0, 2]])
    assert found[0] == normalised_rank_error(grades, [0.5, 1, 2])
    assert found[1] == pytest.approx(normalised_weighted_score(grades, [0.5, 0.3, 0.2]))


def test_a_set_that_is_not_given_is_refused():
    with pytest.raises(ParameterError, match="needs labels of the set 'c' too; given are b"):
        scored(RUN, FIRST, ["NLRE(second=c)"], b=FIRST)
    with pytest.raises(ParameterError, match="needs labels of the set 'b' too: give"):
        scored(RUN, FIRST, ["NLRE(second=b)"])


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("NLRE(second=b,nu=[1,2])", "nu has 2 numbers for 1 further criteria"),
        ("NLRE(second=b,mu=0,nu=0)", "all weights are 0"),
        ("NWCS(second=b,share=[0.2,0.2,0.6])", "share is .* for 2 criteria"),
    ],
)
def test_weights_that_do_not_fit(measure, message):
    with pytest.raises(ParameterError, match=message):
        scored(RUN, FIRST, [measure], b=FIRST)


def test_a_set_without_any_judgment_of_a_topic_grades_it_zero():
    runs = {"a": {t: [("d0", 2.0), ("d1", 1.0)] for t in TOPICS}}
    first = {t: {"d0": 1, "d1": 2} for t in TOPICS}
    names = ["NGRE(second=b)", "CAM(second=b,measure=nDCG)"]
    found = scored(runs, first, names, b={"2": {"d0": 1}})
    assert found.topics == ("1", "2")
    alone = scored({"a": {"1": runs["a"]["1"]}}, {"1": first["1"]}, ["nDCG"]).values[0, 0, 0]
    assert found.values[0, 0, 1] == pytest.approx(alone / 2)
    zero = normalised_rank_error([[1, 2], [0, 0]], [0.5, 0.5], "global")
    assert found.values[0, 0, 0] == zero


def test_what_measures_need():
    assert parse("nDCG").sets == ()
    assert parse("NLRE(second=[a,b])").sets == ("a", "b")
    mixed = parse("CAM(second=[a,b],measure=nDCG,second_measure=ERR)")
    assert [str(part) for part in mixed.parts] == ["nDCG", "ERR", "ERR"]
    assert not mixed.needs_max_grade
    assert mixed.needs_max_grade_of("a")
    assert parse("NWCS(second=a,scaled=True)").needs_max_grade
    assert parse("NWCS(second=a,scaled=True)").needs_max_grade_of("a")
    assert not parse("NLRE(second=a)").needs_max_grade
