"""What two systems share, against every assignment of grades, one by one."""

from functools import partial
from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.uncertainty.pairs import least_differences, pair_table
from regrade.uncertainty.ranges import exact_ranges
from tests.reference import measures as reference
from tests.unit.trec import judged_lists

DOCUMENTS = "abcde"


def bounds(runs, qrels, measure, levels=None):
    """Ranges of the systems' own scores, and bounds of the sums of their differences."""
    ranked, judged = judged_lists(runs, qrels)
    ranges = exact_ranges(ranked, judged, [measure], levels=levels)
    return ranges, least_differences(ranked, judged, ranges, levels)[0]


def every(rankings, qrels, levels):
    """All that the unjudged of some rankings may be."""
    unjudged = sorted(set().union(*rankings) - qrels.keys())
    for grades in product(levels, repeat=len(unjudged)):
        yield qrels | dict(zip(unjudged, grades, strict=True))


def bound(one, other, rankings, qrels, levels, score, ideal, dcg=None):
    """The nearer of the two bounds, each of whose ends is looked for by itself."""
    both, anything = every([one, other], qrels, levels), every(rankings, qrels, levels)
    highest = max(score(other, of) for of in every([other], qrels, levels))
    least = min(score(one, of) for of in both) - highest
    most = max(map(ideal, anything))
    if least > 0:
        least *= ideal(qrels) / most
    if dcg is None:
        return least
    D = min(dcg(one, of) - dcg(other, of) for of in every([one, other], qrels, levels))
    by = ideal(qrels) if D < 0 else most
    return max(least, D / by if by else -inf if D < 0 else 0.0)


@st.composite
def topics(draw, levels):
    rankings = st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True)
    judged = draw(st.lists(st.sampled_from(DOCUMENTS), min_size=2, unique=True))
    grades = {d: draw(st.sampled_from(levels)) for d in (*judged, "elsewhere")}
    return [draw(rankings) for _ in range(3)], grades


def assert_bounds(rankings, qrels, measure, levels, score, ideal, dcg=None):
    """As expected, and no assignment of what any of the three retrieved goes below."""
    runs = {system: {"1": of} for system, of in zip("xyz", rankings, strict=True)}
    _, found = bounds(runs, {"1": qrels}, measure, levels)
    for one, other in ((0, 1), (1, 0), (2, 0)):
        pair = rankings[one], rankings[other]
        least = bound(*pair, rankings, qrels, levels, score, ideal, dcg)
        assert found[one, other] == pytest.approx(least, abs=1e-12)
        for of in every(rankings, qrels, levels):
            assert least <= score(pair[0], of) - score(pair[1], of) + 1e-12


@settings(max_examples=25)
@given(
    topics((-1, 0, 0.5, 1, 2)), st.sampled_from([1, 2, 4, None]), st.sampled_from(["", "{1:4,2:1}"])
)
def test_bounds_by_ndcg_are_those_of_scores_and_of_documents(case, cutoff, gains):
    name = f"nDCG(gains={gains})" if gains else "nDCG"
    of = {"cutoff": cutoff, "gains": {1: 4, 2: 1} if gains else None}
    score, dcg = partial(reference.ndcg, **of), partial(reference.dcg, **of)

    def ideal(qrels):
        return dcg(sorted(qrels, key=lambda d: -dcg([d], qrels)), qrels)

    name = f"{name}@{cutoff}" if cutoff else name
    assert_bounds(*case, name, (0, 1, 2), score, ideal, dcg if cutoff else None)


@settings(max_examples=25)
@given(topics((0, 1, 2)), st.sampled_from([1, 2, 4, None]), st.sampled_from([1, 2]))
def test_bounds_by_average_precision_are_those_of_scores(case, cutoff, highest):
    """Of those that need grade 2 no document turns out to be where the highest is 1."""
    name = "AP(rel=2)" + (f"@{cutoff}" if cutoff else "")
    score = partial(reference.average_precision, rel=2, cutoff=cutoff)
    assert_bounds(*case, name, (0, highest), score, partial(reference.n_relevant, rel=2))


def test_what_one_system_alone_retrieved_is_in_the_ideal_of_the_other():
    """`y` never loses by what it brings, `x` does: 0.5 / 2 of nDCG where `c` has grade 2."""
    runs = {"x": {"1": ["b"]}, "y": {"1": ["c"]}}
    ranges, found = bounds(runs, {"1": {"b": 0.5}}, "nDCG@1", (0, 2))
    assert ranges.low[0].item() == ranges.high[0].item() == 1.0
    assert found[0, 1] == 0.25 - 1
    # the other way: 0 of 0.5, where `c` is nothing, less 1
    assert found[1, 0] == -1


def test_what_a_third_system_retrieved_brings_scores_nearer_to_each_other():
    runs = {"x": {"1": ["a"]}, "y": {"1": ["b"]}, "z": {"1": ["u", "v", "a"]}}
    qrels = {"1": {"a": 1, "b": 0}}
    for measure in ("AP", "nDCG"):
        _, found = bounds(runs, qrels, measure, (0, 1))
        ideal = 3 if measure == "AP" else 1 + 1 / np.log2(3) + 1 / 2
        assert found[0, 1] == pytest.approx(1 / ideal)
        assert found[1, 0] == -1


def test_by_fixed_weights_nothing_is_shared():
    runs = {"x": {"1": ["a", "u"]}, "y": {"1": ["b", "u"]}}
    _, found = bounds(runs, {"1": {"a": 1, "b": 0}}, "P@2", (0, 1))
    assert found[0, 1] == 0.5 - 0.5
    assert found[1, 0] == 0.0 - 1.0


SHARED = {"x": {"1": list("uab")}, "y": {"1": list("uba")}}
JUDGED = {"1": {"a": 1, "b": 0}}


@pytest.mark.parametrize(
    ("measure", "apart"), [("nDCG@100", True), ("nDCG@101", False), ("nDCG", False), ("AP", False)]
)
def test_single_documents_are_looked_at_as_deep_as_is_said(measure, apart):
    ranges, found = bounds(SHARED, JUDGED, measure, (0, 1))
    own = (ranges.low[0] - ranges.high[1]).item()
    assert own < 0
    assert (found[0, 1] > 0) == apart
    assert apart or found[0, 1] == own


def test_topics_may_come_in_parts():
    qrels = {"1": {"a": 1, "b": 0}, "2": {"b": 2}}
    runs = {s: of | {"2": of["1"][::-1]} for s, of in SHARED.items()}
    ranked, judged = judged_lists(runs, qrels)
    first, second, whole = (
        exact_ranges(ranked, judged.select(of), ["nDCG@2", "AP"], levels=[1, 2])
        for of in (["1"], ["2"], ["1", "2"])
    )
    before = least_differences(ranked, judged, first)
    kept = before.copy()
    after = least_differences(ranked, judged, second, None, before)
    assert np.array_equal(before, kept)
    assert np.array_equal(after, least_differences(ranked, judged, whole))


def test_each_pair_has_the_mean_of_its_bounds():
    least = np.array([[[0.0, 1.0, -2.0], [-4.0, 0.0, 3.0], [-1.0, -5.0, 0.0]]])
    found = pair_table(["x", "y", "z"], ["AP", "P@5"], np.concatenate([least, 2 * least]), 2)
    assert found.index.tolist() == [0, 1, 2, 3, 4, 5]
    assert found.to_numpy().tolist() == [
        ["AP", "x", "y", 0.5, 2.0],
        ["AP", "x", "z", -1.0, 0.5],
        ["AP", "y", "z", 1.5, 2.5],
        ["P@5", "x", "y", 1.0, 4.0],
        ["P@5", "x", "z", -2.0, 1.0],
        ["P@5", "y", "z", 3.0, 5.0],
    ]


def test_one_system_has_no_pair():
    _, found = bounds({"x": {"1": ["a", "u"]}}, {"1": {"a": 1}}, "nDCG@2", (0, 1))
    assert found.shape == (1, 1)
    assert pair_table(["x"], ["nDCG@2"], found[None], 1).empty
