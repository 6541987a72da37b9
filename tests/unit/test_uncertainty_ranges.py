"""Exact ranges against every assignment of grades, one by one, and on real runs."""

from functools import partial
from itertools import combinations_with_replacement
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.errors import ParameterError
from regrade.readers import read_qrels, read_runs
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score
from regrade.uncertainty.ranges import exact_ranges, system_ranges
from tests.reference import measures as reference
from tests.reference.ranges import brute_force_range
from tests.unit.trec import judged_lists

EXACT = 1e-12

# A collection is {system: {topic: [docno, …]}} and {topic: {docno: grade}}.


def range_of(ranking, qrels, measure, **options):
    """Low, value and high of one ranking."""
    ranked, judged = judged_lists({"s": {"1": ranking}}, {"1": qrels})
    ranges = exact_ranges(ranked, judged, [measure], **options)
    return [float(ends[0, 0, 0]) for ends in (ranges.low, ranges.values, ranges.high)]


# A ranking as what is known of its documents, None for the unjudged; then judged ones elsewhere.


@st.composite
def cases(draw, levels, longest=7, most_unjudged=6):
    known = st.sampled_from([None, *levels])
    ranking = draw(st.lists(known, min_size=1, max_size=longest))
    elsewhere = draw(st.lists(st.sampled_from(levels), max_size=3))
    unjudged = 0
    for i, grade in enumerate(ranking):
        unjudged += grade is None
        if grade is None and unjudged > most_unjudged:
            ranking[i] = levels[0]
    docnos = [f"d{i}" for i in range(len(ranking))]
    qrels = {d: g for d, g in zip(docnos, ranking, strict=True) if g is not None}
    qrels |= {f"e{i}": g for i, g in enumerate(elsewhere)} | {"e": levels[0]}
    return docnos, qrels


CUTOFFS = st.sampled_from([None, 1, 3, 5])


def assert_range(found, ranking, qrels, measure, levels):
    low, high = brute_force_range(measure, ranking, qrels, levels)
    assert found[0] == pytest.approx(low, abs=EXACT)
    assert found[1] == pytest.approx(measure(ranking, qrels), abs=EXACT)
    assert found[2] == pytest.approx(high, abs=EXACT)


def named(name, cutoff):
    return name if cutoff is None else f"{name}@{cutoff}"


@settings(max_examples=300)
@given(cases(levels=(0, 1)), CUTOFFS)
def test_average_precision_is_what_all_assignments_give(case, cutoff):
    ranking, qrels = case
    found = range_of(ranking, qrels, named("AP", cutoff))
    measure = partial(reference.average_precision, cutoff=cutoff)
    assert_range(found, ranking, qrels, measure, (0, 1))


@settings(max_examples=300)
@given(cases(levels=(0, 1)), CUTOFFS)
def test_binary_ndcg_is_what_all_assignments_give(case, cutoff):
    ranking, qrels = case
    found = range_of(ranking, qrels, named("nDCG", cutoff))
    assert_range(found, ranking, qrels, partial(reference.ndcg, cutoff=cutoff), (0, 1))


VARIANTS = {
    "nDCG": {},
    "nDCG(dcg='exp-log2')": {"dcg": "exp-log2"},
    "nDCG(base=2)": {"base": 2},
    "nDCG(base=3)": {"base": 3},
    "nDCG(gains={1:4,2:1,3:10})": {"gains": {1: 4, 2: 1, 3: 10}},
    "nDCG(gains={1:0})": {"gains": {1: 0}},
}


@settings(max_examples=500)
@given(
    cases(levels=(0, 1, 2, 3), longest=8, most_unjudged=4), CUTOFFS, st.sampled_from([*VARIANTS])
)
def test_graded_ndcg_is_what_all_assignments_give(case, cutoff, name):
    ranking, qrels = case
    found = range_of(ranking, qrels, named(name, cutoff), levels=(0, 1, 2, 3))
    measure = partial(reference.ndcg, cutoff=cutoff, **VARIANTS[name])
    assert_range(found, ranking, qrels, measure, (0, 1, 2, 3))


@settings(max_examples=200)
@given(cases(levels=(0, 0.5, 1.25, 4), most_unjudged=5), CUTOFFS)
def test_unjudged_documents_may_have_other_levels_than_the_judged(case, cutoff):
    """Judged grades between and above the levels; negative ones too."""
    ranking, qrels = case
    qrels = {d: -2 if g == 0.5 and d < "d3" else g for d, g in qrels.items()}
    found = range_of(ranking, qrels, named("nDCG", cutoff), levels=(1, 3))
    measure = partial(reference.ndcg, cutoff=cutoff)
    assert_range(found, ranking, qrels, measure, (0, 1, 3))


def nested_range(ranking, qrels, levels):
    """Range of nDCG over best and worst orders only: how many have at least each level."""
    unjudged = [docno for docno in ranking if docno not in qrels]
    values = [
        reference.ndcg(ranking, qrels | dict(zip(unjudged, order, strict=True)))
        for grades in combinations_with_replacement(levels, len(unjudged))  # ascending
        for order in (grades, grades[::-1])
    ]
    return min(values), max(values)


@pytest.mark.parametrize("seed", range(12))
def test_longer_graded_rankings(seed):
    """Too many assignments to try all, but the order of a set of grades is no question."""
    rng = np.random.default_rng(seed)
    known = rng.choice([None, None, 0, 1, 2, 3], size=24, p=[0.25, 0.25, 0.2, 0.1, 0.1, 0.1])
    ranking = [f"d{i}" for i in range(len(known))]
    qrels = {d: g for d, g in zip(ranking, known, strict=True) if g is not None}
    qrels |= {f"e{i}": int(g) for i, g in enumerate(rng.integers(0, 4, size=seed))}
    low, high = nested_range(ranking, qrels, (0, 1, 2, 3))
    found = range_of(ranking, qrels, "nDCG", levels=(0, 1, 2, 3))
    assert found[0] == pytest.approx(low, abs=EXACT)
    assert found[2] == pytest.approx(high, abs=EXACT)


def test_the_example_of_the_thesis():
    """yang2019 §4.1: 1, 0, ?, 1, ? has AP 0.75, and 0.81, 0.70, 0.80 by what ? are."""
    ranked, judged = judged_lists({"s": {"1": list("abcde")}}, {"1": {"a": 1, "b": 0, "d": 1}})
    ranges = exact_ranges(ranked, judged, ["AP"]).to_frame()
    assert ranges.to_dict("records") == [
        {
            "system": "s",
            "topic": "1",
            "measure": "AP",
            "value": 0.75,
            "low": pytest.approx((1 + 2 / 4 + 3 / 5) / 3, abs=EXACT),
            "high": pytest.approx((1 + 2 / 3 + 3 / 4) / 3, abs=EXACT),
            "unjudged": 2,
            "judged_share": 0.6,
            "judged_to": 10,
            "relevant_low": 1,
            "relevant_high": 1,
        }
    ]


def test_grades_below_rel_are_not_relevant():
    ranking, qrels = list("abcd"), {"a": 1, "c": 2}
    found = range_of(ranking, qrels, "AP(rel=2)", levels=(0, 1, 2))
    measure = partial(reference.average_precision, rel=2)
    assert_range(found, ranking, qrels, measure, (0, 1, 2))
    # no document can be that relevant
    assert range_of(ranking, qrels, "AP(rel=2)", levels=(0, 1)) == [1 / 3] * 3


def test_nothing_unjudged_nothing_uncertain():
    qrels = dict.fromkeys("abc", 0) | {"b": 1, "c": 2, "x": 1}
    for measure in ("AP", "AP@2", "nDCG", "nDCG@2"):
        low, value, high = range_of(list("abc"), qrels, measure)
        assert 0 < low == value == high


def test_a_topic_without_relevant_documents_may_get_some():
    assert range_of(list("abc"), {"a": 0}, "AP") == [0, 0, (1 / 2 + 2 / 3) / 2]
    low, value, high = range_of(list("abc"), {"a": 0}, "nDCG")
    both = (1 / log2(3) + 1 / 2) / (1 + 1 / log2(3))
    assert (low, value) == (0, 0)
    assert high == pytest.approx(both, abs=EXACT)


def test_an_empty_ranking_stays_at_zero():
    runs = {"s": {"1": ["a"], "2": []}, "u": {"1": ["b"], "2": ["a"]}}
    ranked, judged = judged_lists(runs, {"1": {"a": 1}, "2": {"b": 1}})
    ranges = exact_ranges(ranked, judged, ["AP", "nDCG"])
    assert not ranges.high[0, 1].any()
    assert ranges.unjudged.tolist() == [[0, 0], [1, 1]]


@settings(max_examples=100)
@given(cases(levels=(0, 1, 2)), CUTOFFS)
def test_rbp_goes_from_its_value_by_its_residual(case, cutoff):
    ranking, qrels = case
    low, value, high = range_of(ranking, qrels, named("RBP(p=0.7)", cutoff), levels=(0, 1, 2))
    expected = reference.rank_biased_precision(ranking, qrels, p=0.7, max_rel=2, cutoff=cutoff)
    assert (low, high - value) == pytest.approx(expected, abs=EXACT)
    assert low == value


FINITE = {
    "P(rel=2)@6": partial(reference.precision, rel=2, cutoff=6),
    "P@3": partial(reference.precision, cutoff=3),
    "SDCG(max_rel=4)@9": lambda *case: reference.sdcg(*case, max_rel=4, cutoff=9)[0],
    "SDCG(dcg='exp-log2',max_rel=3)@4": lambda *case: reference.sdcg(
        *case, dcg="exp-log2", max_rel=3, cutoff=4
    )[0],
    "SDCG(rel=1.5)@5": lambda *case: reference.sdcg(*case, rel=1.5, cutoff=5)[0],
    "SDCG(gains={1:5,2:2,3:1},max_rel=3)@5": lambda *case: reference.sdcg(
        *case, gains={1: 5, 2: 2, 3: 1}, max_rel=3, cutoff=5
    )[0],
}


@settings(max_examples=60)
@given(
    cases(levels=(0, 1), longest=6, most_unjudged=4),
    st.sampled_from(list(FINITE)),
    st.sampled_from([(0, 1), (1,), (0, 1, 1.5), (0, 1, 2), (0, 2)]),
)
def test_unjudged_documents_have_none_but_the_given_levels(case, measure, levels):
    """Also those below the end, down to the cutoff."""
    ranking, qrels = case
    ranked, judged = judged_lists({"s": {"1": ranking}}, {"1": qrels})
    ranges = exact_ranges(ranked, judged, [measure], levels=levels)
    padded = ranking + [f"below-{i}" for i in range(int(measure[-1]) - len(ranking))]
    low, high = brute_force_range(FINITE[measure], padded, qrels, (-1, levels[-1], *levels[-2:-1]))
    assert ranges.low.item() == pytest.approx(low, abs=EXACT)
    assert ranges.high.item() == pytest.approx(high, abs=EXACT)
    if high == pytest.approx(low, abs=EXACT):
        assert ranges.relevant_high.item() == 0 or len(padded) > len(ranking)


@pytest.mark.parametrize(
    ("measure", "levels", "share"),
    [
        ("RBP(p=0.7,max_rel=4)", (0, 1), 1 / 4),
        ("RBP(p=0.7,rel=2)", (0, 1), 0),
        ("RBP(p=0.7,dcg='exp-log2',max_rel=3)", (0, 1, 2), 3 / 7),
        ("INSQ(max_rel=2)", (0, 1), 1 / 2),
        ("RBP(p=0.7,gains={1:4,2:1})", (0, 1, 2), 1),
    ],
)
def test_the_highest_level_gives_a_share_of_the_residual(measure, levels, share):
    ranked, judged = judged_lists({"s": {"1": list("axby")}}, {"1": {"a": 1, "b": 0}})
    ranges = exact_ranges(ranked, judged, [measure], levels=levels)
    residual = score(ranked, judged, [measure], max_grade=levels[-1]).residuals
    assert ranges.high - ranges.low == pytest.approx(share * residual, abs=EXACT)
    assert ranges.relevant_high.item() == (2 if share else 0)


def test_levels_above_the_measures_own_scale_are_refused():
    ranked, judged = judged_lists({"s": {"1": list("ax")}}, {"1": {"a": 1}})
    with pytest.raises(ParameterError, match="grade 2, above the highest of the scale, 1"):
        exact_ranges(ranked, judged, ["RBP(max_rel=1)"], levels=(0, 1, 2))


def test_means_beside_the_residual():
    runs = {"s": {"1": list("abx"), "2": list("xya")}, "u": {"1": list("bca"), "2": list("zab")}}
    ranked, judged = judged_lists(runs, {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 1}})
    ranges = exact_ranges(ranked, judged, ["AP", "RBP"]).to_frame()
    means = system_ranges(ranges, "RBP").set_index(["system", "measure"])
    of_s = ranges[(ranges["system"] == "s") & (ranges["measure"] == "AP")]
    assert means.loc[("s", "AP"), "low"] == of_s["low"].mean()
    assert means.loc[("s", "AP"), "high"] == of_s["high"].mean()
    assert len(means) == 4

    rbp = ranges[(ranges["system"] == "s") & (ranges["measure"] == "RBP")]
    residual = (rbp["high"] - rbp["value"]).mean()
    assert means.loc["s", "residual"].tolist() == pytest.approx([residual, residual])
    with pytest.raises(ParameterError, match=r"RBP\(p=0\.98\).*there is AP, RBP"):
        system_ranges(ranges)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": ["RR"]}, "RR: there are exact ranges of AP, nDCG"),
        ({"measures": ["AP(judged_only=True)"]}, "leave judged_only out"),
        ({"levels": ()}, "levels are"),
        ({"levels": (0,)}, "levels are"),
        ({"levels": (0, float("nan"))}, "levels are"),
    ],
)
def test_what_cannot_be_asked(options, message):
    ranked, judged = judged_lists({"s": {"1": list("ab")}}, {"1": {"a": 1}})
    with pytest.raises(ParameterError, match=message):
        exact_ranges(ranked, judged, **{"measures": ["AP"], **options})


# Real runs: thousands of documents, where no one can try everything.


def every_tenth_run(folder):
    runs = read_runs(sorted((folder / "runs").glob("*.gz"))[::10], threads=2)
    ranked = RankedLists.from_table(runs)
    return ranked, Judged.from_table(read_qrels(folder / "qrels.gz"), ranked)


@pytest.fixture(scope="module")
def trec8(real_data):
    return every_tenth_run(real_data / "trec8")


@pytest.fixture(scope="module")
def dl21(real_data):
    return every_tenth_run(real_data / "dl21")


def as_dicts(ranked, judged, s, t):
    ranking = ranked.documents[ranked.starts[s, t] : ranked.stops[s, t]].tolist()
    rows = slice(*judged.offsets[t : t + 2])
    qrels = {
        d if d >= 0 else -1 - i: g
        for i, (d, g) in enumerate(
            zip(judged.documents[rows].tolist(), judged.grades[rows].tolist(), strict=True)
        )
    }
    return ranking, qrels


def fast_average_precision(relevant, R):
    return float((np.cumsum(relevant) / np.arange(1, len(relevant) + 1) * relevant).sum() / R)


def test_trec8_against_scoring_the_first_and_last_m(trec8):
    """Every m scored anew for some rankings, in the obvious way."""
    ranked, judged = trec8
    ranges = exact_ranges(ranked, judged, ["AP", "nDCG"])
    discounts = 1 / np.log2(np.arange(2.0, 10_000))
    for s, t in [(0, 0), (3, 7), (7, 21), (12, 49)]:
        ranking, qrels = as_dicts(ranked, judged, s, t)
        known = np.array([qrels.get(d, 0) for d in ranking])
        unjudged = np.flatnonzero([d not in qrels for d in ranking])
        R = sum(qrels.values())
        found = {"AP": [], "nDCG": []}
        for m in range(len(unjudged) + 1):
            for chosen in (unjudged[:m], unjudged[len(unjudged) - m :]):
                relevant = known.copy()
                relevant[chosen] = 1
                found["AP"].append(fast_average_precision(relevant, R + m))
                ideal = discounts[: int(R + m)].sum()
                found["nDCG"].append((relevant * discounts[: len(relevant)]).sum() / ideal)
        for i, values in enumerate(found.values()):
            assert ranges.low[s, t, i] == pytest.approx(min(values), abs=EXACT)
            assert ranges.high[s, t, i] == pytest.approx(max(values), abs=EXACT)
        assert ranges.unjudged[s, t] == len(unjudged) > 100


@pytest.mark.parametrize(("collection", "levels"), [("trec8", (0, 1)), ("dl21", (0, 1, 2, 3))])
def test_random_assignments_stay_within_the_range(request, collection, levels):
    ranked, judged = request.getfixturevalue(collection)
    ranges = exact_ranges(ranked, judged, ["AP", "nDCG", "nDCG@10"], levels=levels)
    rng = np.random.default_rng(4)
    spread = 0.0
    for draw in range(20):
        s, t = rng.integers(len(ranked.systems)), rng.integers(len(judged.topics))
        ranking, qrels = as_dicts(ranked, judged, s, t)
        unjudged = [d for d in ranking if d not in qrels]
        # by rank, so that not all draws are near the middle
        odds = np.linspace(rng.random(), rng.random(), len(unjudged)) ** (1 + draw % 4)
        graded = np.where(rng.random(len(unjudged)) < odds, rng.choice(levels, len(unjudged)), 0)
        qrels |= dict(zip(unjudged, graded.tolist(), strict=True))
        R = reference.n_relevant(qrels, 1)
        relevant = np.array([qrels[d] >= 1 for d in ranking], dtype=float)
        values = [
            fast_average_precision(relevant, R),
            reference.ndcg(ranking, qrels),
            reference.ndcg(ranking, qrels, cutoff=10),
        ]
        low, high = ranges.low[s, t], ranges.high[s, t]
        assert (low - EXACT <= values).all() and (values <= high + EXACT).all()
        spread = max(spread, abs(values[0] - ranges.values[s, t, 0]))
    assert spread > 0.05


def test_real_ranges_hold_the_scores_and_narrow_with_the_cutoff(dl21):
    ranked, judged = dl21
    measures = ["nDCG", "nDCG@10", "AP(rel=2)", "RBP(p=0.9)"]
    ranges = exact_ranges(ranked, judged, measures)
    assert np.array_equal(ranges.values, score(ranked, judged, measures).values)
    assert (ranges.low <= ranges.values).all() and (ranges.values <= ranges.high).all()
    assert (ranges.low >= 0).all() and (ranges.high <= 1 + EXACT).all()
    assert (ranges.relevant_high <= ranges.unjudged[:, :, None]).all()
