"""Fusion of rankings against plain loops over dictionaries, with exact fractions."""

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from statistics import mean, median, pstdev

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from regrade.choices import FUSION_METHODS, NORMALISATIONS
from regrade.errors import ParameterError
from regrade.pools.fusion import Nominations, fused_order, normalised_scores
from regrade.pools.options import NEED_SCORES
from tests.each import each
from tests.unit.trec import Collection, random_collection

seeds = st.integers(0, 2**32 - 1)
depths = st.sampled_from([None, 1, 2, 4, 20])


def gather(collection, depth=None, contributors=None, normalisation="min-max"):
    values = normalised_scores(collection.ranked, collection.scores, normalisation)
    return Nominations.gather(
        collection.ranked, depth=depth, contributors=contributors, values=values
    )


def names(collection, nominations, order):
    """``{topic: [docno, …]}`` in fused order."""
    docnos = collection.ranked.docnos[nominations.documents[order]]
    return {
        topic: docnos[nominations.offsets[t] : nominations.offsets[t + 1]].tolist()
        for t, topic in enumerate(nominations.topics)
    }


# The plain way: one topic's rankings, {system: [(docno, value), …]} → {docno: sort key}.


def places(rankings):
    return {s: {d: r for r, (d, _) in enumerate(run, 1)} for s, run in rankings.items()}


def candidates(rankings):
    return sorted({d for run in rankings.values() for d, _ in run})


def plain_take(rankings):
    place = places(rankings).values()
    return {d: -min(p[d] for p in place if d in p) for d in candidates(rankings)}


def plain_borda(rankings):
    """The others share the ranks that remain."""
    everyone = candidates(rankings)

    def rank(place, d):
        return place.get(d, Fraction(len(place) + 1 + len(everyone), 2))

    return {d: -sum(rank(p, d) for p in places(rankings).values()) for d in everyone}


def plain_condorcet(rankings):
    everyone = candidates(rankings)
    last = len(everyone) + 1
    borda = plain_borda(rankings)

    def sign(x):
        return (x > 0) - (x < 0)

    def margin(d, e):
        votes = places(rankings).values()
        return sum(sign(place.get(e, last) - place.get(d, last)) for place in votes)

    return {d: (sum(sign(margin(d, e)) for e in everyone), borda[d]) for d in everyone}


def tied(scores, sizes):
    """Neighbours within 1e-12 of what they add up have one key, that of the highest."""
    keys, above = {}, None
    for d in sorted(scores, key=scores.get, reverse=True):
        slack = max(sizes[d], sizes[above]) / 10**12 if above else None
        keys[d] = keys[above] if above and scores[above] - scores[d] <= slack else scores[d]
        above = d
    return keys


def plain_rrf(rankings, k=60):
    place = places(rankings).values()
    sums = {d: sum(Fraction(1, k + p[d]) for p in place if d in p) for d in candidates(rankings)}
    return tied(sums, sums)


def plain_comb(combine):
    def keys(rankings):
        values = defaultdict(list)
        for run in rankings.values():
            for d, value in run:
                values[d].append(Fraction(value))
        sizes = {d: combine(list(map(abs, v))) for d, v in values.items()}
        if combine in (max, min):  # nothing is added
            sizes = {d: abs(combine(v)) for d, v in values.items()}
        return tied({d: combine(v) for d, v in values.items()}, sizes)

    return keys


PLAIN = {
    "Take": plain_take,
    "Borda": plain_borda,
    "Condorcet": plain_condorcet,
    "RRF": plain_rrf,
    "CombMAX": plain_comb(max),
    "CombMIN": plain_comb(min),
    "CombMED": plain_comb(median),
    "CombSUM": plain_comb(sum),
    "CombANZ": plain_comb(mean),
    "CombMNZ": plain_comb(lambda v: len(v) * sum(v)),
}


def plain_normalised(values, how):
    """The normalised scores of one ranking."""
    low, high = min(values), max(values)
    if how == "min-max":
        return [(v - low) / (high - low) if high > low else 1.0 for v in values]
    if how == "sum":
        total = sum(v - low for v in values)
        return [(v - low) / total if total else 1 / len(values) for v in values]
    if how == "z-score":
        return [(v - mean(values)) / pstdev(values) if high > low else 0.0 for v in values]
    return values


def plain_rankings(runs, topic, depth, how="min-max"):
    rankings = {}
    for system, run in runs.items():
        if topic in run:
            docnos, values = zip(*run[topic], strict=True)
            rankings[system] = list(zip(docnos, plain_normalised(values, how), strict=True))[:depth]
    return rankings


def test_every_method_is_checked():
    assert PLAIN.keys() == set(FUSION_METHODS)
    assert set(NEED_SCORES) == {m for m in FUSION_METHODS if m.startswith("Comb")}


@given(seed=seeds, depth=depths)
def test_methods_against_plain_loops(seed, depth):
    runs, qrels = random_collection(seed)
    collection = Collection.small(runs, qrels)
    nominations = gather(collection, depth)

    def check(method):
        order, _ = fused_order(nominations, method)
        fused = names(collection, nominations, order)
        for topic in collection.ranked.topics:
            key = PLAIN[method](plain_rankings(runs, topic, depth))
            expected = sorted(sorted(key), key=lambda d: key[d], reverse=True)
            assert [key[d] for d in fused[topic]] == [key[d] for d in expected]
            for d, e in pairwise(fused[topic]):  # documents that nothing tells apart: by docno
                assert key[d] > key[e] or d < e

    each(FUSION_METHODS)(check)()


@given(seed=seeds)
def test_normalisations_against_plain_loops(seed):
    runs, qrels = random_collection(seed)
    collection = Collection.small(runs, qrels)

    def check(normalisation):
        expected = [
            value
            for topic in collection.ranked.topics
            for system in sorted(runs)
            if topic in runs[system]
            for value in plain_normalised([v for _, v in runs[system][topic]], normalisation)
        ]
        values = normalised_scores(collection.ranked, collection.scores, normalisation)
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)

    each(NORMALISATIONS)(check)()


@given(seed=seeds, depth=depths, left_out=st.sets(st.sampled_from(["s0", "s1", "s2", "s3"])))
def test_leaving_systems_out_is_gathering_the_others(seed, depth, left_out):
    collection = Collection.small(*random_collection(seed))
    systems = collection.ranked.systems
    others = [s for s in systems if s not in left_out]
    assume(others)
    expected = gather(collection, depth, contributors=others)
    found = gather(collection, depth).without(np.isin(systems, list(left_out)))
    for name in ("offsets", "documents", "starts", "system", "rank", "value"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)


@given(seed=seeds)
def test_names_of_systems_do_not_matter(seed):
    runs, qrels = random_collection(seed)
    renamed = dict(zip(reversed(runs), runs.values(), strict=True))
    first, second = (gather(Collection.small(r, qrels)) for r in (runs, renamed))

    def check(method):
        orders = (fused_order(nominations, method) for nominations in (first, second))
        for a, b in zip(*orders, strict=True):
            np.testing.assert_array_equal(a, b)

    each(FUSION_METHODS)(check)()


def test_the_example_of_the_thesis():
    """yang2019 §2.2.1: a document at ranks 6, 2 and 4 has the highest rank 2."""
    runs = {
        s: {"1": [(f"{s}{i}" if i != rank else "d0", 10 - i) for i in range(1, 8)]}
        for s, rank in (("s1", 6), ("s2", 2), ("s3", 4))
    }
    collection = Collection.small(runs, {"1": {"d0": 1}})
    nominations = gather(collection)
    order, score = fused_order(nominations, "Take")
    d0 = np.flatnonzero(collection.ranked.docnos[nominations.documents] == "d0")[0]
    assert score[d0] == -2
    assert names(collection, nominations, order)["1"][:4] == ["s11", "s21", "s31", "d0"]


def test_a_condorcet_winner_is_first_where_borda_has_another():
    """Three of five put a above all; b is never far down."""
    runs = {f"s{i}": {"1": [("a", 3), ("b", 2), ("c", 1), ("d", 0)]} for i in range(3)}
    runs |= {f"t{i}": {"1": [("b", 3), ("c", 2), ("d", 1), ("a", 0)]} for i in range(2)}
    collection = Collection.small(runs, {"1": {"a": 1}})
    nominations = gather(collection)
    fused = {
        m: names(collection, nominations, fused_order(nominations, m)[0])["1"]
        for m in FUSION_METHODS
    }
    assert fused["Condorcet"] == ["a", "b", "c", "d"]
    assert fused["Borda"][0] == "b"


def test_a_cycle_is_a_tie_that_the_margins_decide():
    runs = {
        "s1": {"1": [("a", 3), ("b", 2), ("c", 1)]},
        "s2": {"1": [("b", 3), ("c", 2), ("a", 1)]},
        "s3": {"1": [("c", 3), ("a", 2), ("b", 1)]},
    }
    collection = Collection.small(runs, {"1": {"a": 1}})
    nominations = gather(collection)
    order, score = fused_order(nominations, "Condorcet")
    assert score.tolist() == [0, 0, 0]
    assert names(collection, nominations, order)["1"] == ["a", "b", "c"]


def test_sums_that_are_equal_tie():
    """Six times 1/6 is 1, and five values have one sum in any order; not so for plain floats."""
    assert sum([1 / 6] * 6) != 1
    runs = {f"s{s}": {"1": [(f"{s}{r}", -r) for r in range(1, 6)] + [("a", -6)]} for s in range(6)}
    collection = Collection.small(runs, {"1": {"a": 1}})
    nominations = gather(collection)
    _, score = fused_order(nominations, "RRF", rrf_k=0)
    assert (score == 1).sum() == 7
    rng = np.random.default_rng(3)
    values = [rng.permutation([0.1, 0.2, 0.3, 0.7, 1e-3]) for _ in range(20)]
    runs = {
        f"s{s}": {"1": sorted(((f"d{d:02d}", v[s]) for d, v in enumerate(values)),
                              key=lambda x: -x[1])}
        for s in range(5)
    }  # fmt: skip
    collection = Collection.small(runs, {"1": {"d00": 1}})
    _, score = fused_order(gather(collection, normalisation="none"), "CombSUM")
    assert len(set(score.tolist())) == 1


def fused_scores(runs, method, normalisation="none"):
    """``{docno: score}`` of the one topic."""
    collection = Collection.small(runs, {"1": {"a": 1}})
    nominations = gather(collection, normalisation=normalisation)
    order, score = fused_order(nominations, method)
    assert names(collection, nominations, order)["1"] == [
        docno
        for docno, _ in sorted(
            zip(collection.ranked.docnos[nominations.documents], -score, strict=True),
            key=lambda pair: (pair[1], pair[0]),
        )
    ]
    return dict(zip(collection.ranked.docnos[nominations.documents], score, strict=True))


@pytest.mark.parametrize("method", NEED_SCORES)
@pytest.mark.parametrize("scale", [1, 1e-13, 1e-300, 1e13, 1e290])
def test_ties_do_not_depend_on_the_scale(method, scale):
    """3e-13 and 1e-13 are as different as 3 and 1."""
    values = {"a": [3.0, 1.0], "b": [1.0], "c": [1.0, 3.0], "d": [0.1, 0.2, 0.5], "e": [-2.0, 2.0]}
    runs = {
        f"s{s}": {"1": sorted(((d, v[s] * scale) for d, v in values.items() if s < len(v)),
                              key=lambda x: -x[1])}
        for s in range(3)
    }  # fmt: skip
    fused = fused_scores(runs, method)
    plain = PLAIN[method]({s: run["1"] for s, run in runs.items()})
    assert fused == pytest.approx({d: float(v) for d, v in plain.items()}, rel=1e-12, abs=0)
    assert fused["a"] == fused["c"]
    assert fused["a"] > fused["b"] or method in ("CombMIN",)


@pytest.mark.parametrize("normalisation", ["min-max", "sum", "z-score"])
@pytest.mark.parametrize("scale", [1e307, 1e154, 1e-155, 1e-300])
def test_scores_of_any_magnitude_are_normalised(normalisation, scale):
    """±8e307 have a range beyond the largest number, and squares of 1e-300 are 0."""
    relative = [8.0, 3.0, 0.5, -8.0]
    runs = {"s": {"1": [(f"d{i}", v * scale) for i, v in enumerate(relative)]}}
    collection = Collection.small(runs, {"1": {"d0": 1}})
    found = normalised_scores(collection.ranked, collection.scores, normalisation)
    np.testing.assert_allclose(found, plain_normalised(relative, normalisation), rtol=1e-14)


@pytest.mark.parametrize("method", ["CombSUM", "CombANZ", "CombMNZ"])
def test_an_overflow_is_refused_with_its_place(method):
    runs = {
        "s0": {"1": [("a", 1.0)], "2": [("a", 2.0), ("b", 1.0)]},
        "s1": {"1": [("a", 2.0)], "2": [("a", 1e308), ("b", 1.0)]},
        "s2": {"2": [("b", 2.0), ("a", 1.5)]},
        "s3": {"2": [("a", 1.7e308)]},
    }
    collection = Collection.small(runs, {"1": {"a": 1}})
    with pytest.raises(ParameterError, match=r"topic 2: .*from 4 systems, such as 1\.7e\+308 from "
                       r"system s3, .*normalisation other than none"):  # fmt: skip
        fused_order(gather(collection, normalisation="none"), method)
    fused_order(gather(collection, normalisation="min-max"), method)


def test_a_median_does_not_overflow():
    runs = {"s0": {"1": [("a", 1.7e308)]}, "s1": {"1": [("a", 1.5e308)]}}
    assert fused_scores(runs, "CombMED")["a"] == pytest.approx(1.6e308, rel=1e-15)


def test_sums_that_cancel_tie_with_nothing():
    """0.1 + 0.2 − 0.3 is 0 but for the last bit of what was added."""
    runs = {
        "s0": {"1": [("a", 0.1), ("b", 0.0)]},
        "s1": {"1": [("a", 0.2)]},
        "s2": {"1": [("a", -0.3)]},
    }
    fused = fused_scores(runs, "CombSUM")
    assert fused["a"] == fused["b"]


def test_the_mean_of_a_ranking_has_z_score_0():
    runs = {"s0": {"1": [("a", 0.3), ("b", 0.2), ("c", 0.1)]}, "s1": {"1": [("d", 5.0)]}}
    fused = fused_scores(runs, "CombSUM", "z-score")
    assert fused["b"] == fused["d"] == 0


def test_the_constant_of_rrf():
    runs, qrels = random_collection(5)
    collection = Collection.small(runs, qrels)
    nominations = gather(collection)
    _, score = fused_order(nominations, "RRF", rrf_k=2)
    expected = plain_rrf(plain_rankings(runs, "t0", None), k=2)
    assert score[: nominations.offsets[1]] == pytest.approx(
        [float(expected[d]) for d in candidates(plain_rankings(runs, "t0", None))], abs=1e-12
    )


@pytest.mark.parametrize("method", FUSION_METHODS)
def test_nothing_is_fused_to_nothing(method):
    collection = Collection.small(*random_collection(1))
    nothing = gather(collection).without(np.ones(len(collection.ranked.systems), dtype=bool))
    order, score = fused_order(nothing, method)
    assert len(order) == len(score) == 0


def test_scores_of_some_topics():
    collection = Collection.small(*random_collection(2))
    ranked = type(collection.ranked).from_table(collection.runs, topics=["t1"])
    rows = np.array(collection.runs["topic"].to_pylist()) == "t1"  # by system: there is one topic
    assert ranked.scores.tolist() == (collection.runs["score"].to_numpy()[rows].tolist())


def test_what_is_refused():
    collection = Collection.small(*random_collection(2))
    ranked, nominations = collection.ranked, Nominations.gather(collection.ranked)
    with pytest.raises(ParameterError, match="fusion method 'Combsum'; did you mean 'CombSUM'"):
        fused_order(nominations, "Combsum")
    with pytest.raises(ParameterError, match="CombMNZ fuses scores"):
        fused_order(nominations, "CombMNZ")
    with pytest.raises(ParameterError, match="rrf_k is -1"):
        fused_order(nominations, "RRF", rrf_k=-1)
    with pytest.raises(ParameterError, match="depth is 0"):
        Nominations.gather(ranked, depth=0)
    with pytest.raises(ParameterError, match="no run of system S1; did you mean 's1'"):
        Nominations.gather(ranked, contributors=["s0", "S1"])
    with pytest.raises(ParameterError, match="no system contributes"):
        Nominations.gather(ranked, contributors=[])
    with pytest.raises(ParameterError, match="2 values"):
        Nominations.gather(ranked, values=np.zeros(2))
    with pytest.raises(ParameterError, match="unknown normalisation 'max'"):
        normalised_scores(ranked, collection.scores, "max")
    infinite = collection.scores.copy()
    infinite[1] = np.inf
    with pytest.raises(
        ParameterError, match="system s0 gives a document of topic t0 the score inf"
    ):
        normalised_scores(ranked, infinite)
