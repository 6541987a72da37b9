"""Pools against sets of documents, and the numbers of yang2019 chapter 4 on the real TREC-8."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from regrade.audit.rankings import audit_judged
from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import FUSION_METHODS
from regrade.errors import MethodError, ParameterError
from regrade.pools.fusion import Nominations, fused_order
from regrade.pools.options import ANCOVA_SHARES, DEEPEST, VOTE_SHARES, depths_to
from regrade.pools.pooling import (
    Pooling,
    as_deep_as_judged,
    as_judged,
    collection_facts,
    deep_contributors,
    deeply_judged,
    judged_depth,
    make_pool,
    multiplicities,
    pool_facts,
    pool_sizes,
    qrels_table,
)
from regrade.run_arrays import Judged
from regrade.tables import as_table
from tests.unit.trec import Collection, judgments, random_collection, trec8, trec8_deep

seeds = st.integers(0, 2**32 - 1)


def pooled(collection, pool):
    """``{topic: [docno, …]}`` in pooled order."""
    frame = pool.to_frame(collection.ranked)
    return {topic: rows["docno"].tolist() for topic, rows in frame.groupby("topic")}


@given(
    seed=seeds, depth=st.integers(1, 9), contributors=st.sets(st.sampled_from("0123"), min_size=1)
)
def test_depth_pools_are_unions_of_tops(seed, depth, contributors):
    runs, qrels = random_collection(seed)
    collection = Collection.small(runs, qrels)
    # a system that retrieved nothing is none of the collection's
    contributors = sorted({f"s{s}" for s in contributors} & set(collection.ranked.systems))
    assume(contributors)
    pooling = Pooling("Depth", depth=depth)
    pool = make_pool(collection.ranked, pooling, contributors=contributors)
    votes = {}
    for system in contributors:
        for topic, ranking in runs[system].items():
            for docno, _ in ranking[:depth]:
                votes[topic, docno] = votes.get((topic, docno), 0) + 1
    frame = pool.to_frame(collection.ranked)
    assert dict(zip(zip(frame["topic"], frame["docno"], strict=True), frame["votes"],
                    strict=True)) == votes  # fmt: skip

    expected = {
        (topic, docno): grade
        for topic in qrels
        for docno, grade in qrels[topic].items()
        if (topic, docno) in votes
    }
    reduced = pool.reduce(collection.judged)
    assert judgments(reduced, collection.ranked) == expected
    table = qrels_table(reduced, collection.ranked)
    assert table.schema.equals(SCHEMAS["qrels"])
    assert {(r["topic"], r["docno"]): r["grade"] for r in table.to_pylist()} == expected
    assert [(r["topic"], r["docno"]) for r in table.to_pylist()] == sorted(expected)
    again = Judged.from_table(table, collection.ranked)
    # the table has no row of a topic without judgments; the reduced qrels have the topic
    assert reduced.topics == collection.judged.topics
    assert set(reduced.topics_without_judgments) == set(reduced.topics) - set(again.topics)
    for name in ("documents", "grades"):
        np.testing.assert_array_equal(getattr(again, name), getattr(reduced, name))


@pytest.mark.parametrize("method", FUSION_METHODS)
def test_fused_pools_are_the_first_of_the_fused_order(method):
    collection = Collection.small(*random_collection(8))
    scores = collection.scores
    everything = make_pool(collection.ranked, Pooling(method, size=100), scores=scores)
    few = make_pool(collection.ranked, Pooling(method, size=3), scores=scores)
    whole = pooled(collection, everything)
    assert pooled(collection, few) == {topic: docnos[:3] for topic, docnos in whole.items()}
    candidates = Nominations.gather(collection.ranked)
    assert len(everything.documents) == len(candidates.documents)
    places = few.to_frame(collection.ranked).groupby("topic")["place"]
    assert all(p.tolist() == [1, 2, 3] for _, p in places)


def test_take_is_depth_where_the_depth_is_whole():
    """The documents at rank k or better are the first of Take@N for the N that there are."""
    collection = Collection.small(*random_collection(11, topics=1, systems=6))
    for depth in range(1, 8):
        by_depth = make_pool(collection.ranked, Pooling("Depth", depth=depth))
        by_size = make_pool(collection.ranked, Pooling("Take", size=len(by_depth.documents)))
        np.testing.assert_array_equal(by_depth.documents, by_size.documents)


def test_normalisation_and_depth_of_a_pooling_are_used():
    runs = {
        "a": {"1": [("x", 100), ("y", 99), ("z", 0)]},
        "b": {"1": [("w", 1), ("x", 0.9), ("z", 0)]},
    }
    collection = Collection.small(runs, {"1": {"x": 1}})
    firsts = {
        str(p): pooled(collection, make_pool(collection.ranked, p, scores=collection.scores))["1"]
        for p in (
            Pooling("CombMIN", size=2),
            Pooling("CombMIN", size=2, normalisation="none"),
            Pooling("CombMIN", size=2, depth=1),
            Pooling("RRF", size=2, rrf_k=0),
        )
    }
    assert firsts == {
        "CombMIN@2": ["w", "y"],
        "CombMIN(normalisation=none)@2": ["y", "w"],
        "CombMIN(depth=1)@2": ["w", "x"],
        "RRF(rrf_k=0)@2": ["x", "w"],
    }


def test_a_pooling_is_written_with_what_is_not_usual():
    assert str(Pooling("Depth", depth=50)) == "Depth@50"
    assert str(Pooling("Borda", size=1)) == "Borda@1"
    # the constant of Cormack, Clarke and Büttcher
    assert str(Pooling("RRF", size=9, rrf_k=60)) == str(Pooling("RRF", size=9)) == "RRF@9"
    given = Pooling("RRF", size=9, depth=3, normalisation="none", rrf_k=59)
    assert str(given) == "RRF(depth=3,normalisation=none,rrf_k=59)@9"


@pytest.mark.parametrize(
    ("text", "pooling"),
    [
        ("Depth@20", Pooling("Depth", depth=20)),
        ("RRF@100", Pooling("RRF", size=100)),
        ("Borda(depth=7)@5", Pooling("Borda", depth=7, size=5)),
        (
            "CombSUM(depth=3,normalisation=z-score)@5",
            Pooling("CombSUM", depth=3, size=5, normalisation="z-score"),
        ),
    ],
)
def test_a_pooling_is_read_as_it_is_written(text, pooling):
    assert Pooling.read(text) == pooling
    assert str(pooling) == text


@pytest.mark.parametrize(
    "text",
    [
        "Depth", "RRF", "RRF@", "RRF@x", "RRF@-1", "@5", "RRF()@5@6", "RRF(depth)@5", "RRF(k=1)@5",
        "RRF(depth=x)@5", "RRF(depth=1,)@5", "RRF(size=1)@5", "Depth(depth=3)@5", " RRF@5", "",
    ],
)  # fmt: skip
def test_what_is_no_way_to_pool_is_told_how_to_write_one(text):
    with pytest.raises(ParameterError) as caught:
        Pooling.read(text)
    assert str(caught.value).startswith(
        f"{text!r} is not a pooling method: write Depth@20, RRF@100, or"
    )


def test_what_is_written_well_and_is_no_way_to_pool_is_refused_as_such():
    for text, problem in (
        ("Brda@5", "did you mean 'Borda'"), ("Borda@0", "size is 0"), ("Depth@0", "depth is 0"),
        ("RRF(normalisation=minmax)@5", "unknown normalisation 'minmax'"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=problem):
            Pooling.read(text)


def test_what_is_refused():
    with pytest.raises(ParameterError, match="pooling method 'depth'; did you mean 'Depth'"):
        Pooling("depth", depth=3)
    for parameters in ({}, {"depth": 3, "size": 4}):
        with pytest.raises(ParameterError, match="Depth takes a depth and no size"):
            Pooling("Depth", **parameters)
    with pytest.raises(ParameterError, match="depth is 0"):
        Pooling("Depth", depth=0)
    for size in (None, 0):
        with pytest.raises(ParameterError, match=f"Borda: size is {size}"):
            Pooling("Borda", size=size)
    with pytest.raises(ParameterError, match="unknown normalisation 'minmax'"):
        Pooling("CombSUM", size=3, normalisation="minmax")
    collection = Collection.small(*random_collection(2))
    with pytest.raises(ParameterError, match="CombSUM fuses scores"):
        make_pool(collection.ranked, Pooling("CombSUM", size=3))
    pool = make_pool(collection.ranked, Pooling("Depth", depth=3))
    for last in ([2, 2], [0, 1], []):
        with pytest.raises(ParameterError, match="ascending numbers of votes"):
            multiplicities(pool, collection.judged, last=last)
    stranger = Collection.small({"s": {"1": [("a", 1)]}}, {"1": {"b": 1}})
    with pytest.raises(MethodError, match="documents that no run has"):
        qrels_table(stranger.judged, stranger.ranked)
    two = audit_judged(stranger.ranked, {"one": stranger.judged, "other": stranger.judged})
    with pytest.raises(MethodError, match="several qrels"):
        deeply_judged(two)


def test_judged_documents_that_nobody_retrieved_are_in_no_pool():
    collection = Collection.small({"s": {"1": [("a", 1)]}}, {"1": {"a": 1, "b": 1}, "2": {"a": 1}})
    pool = make_pool(collection.ranked, Pooling("Depth", depth=1))
    assert pool.votes_for(collection.judged).tolist() == [0, 1]
    assert judgments(pool.reduce(collection.judged), collection.ranked) == {("1", "a"): 1}


def test_deeply_judged_systems():
    ranking = [(f"d{i}", 9 - i) for i in range(4)]
    runs = {
        "deep": {"1": ranking, "2": ranking, "unjudged": ranking},
        "short": {"1": ranking, "2": ranking[:1]},
        "elsewhere": {"1": ranking},
        "shallow": {"1": [("x", 9), *ranking], "2": ranking},
        "just": {"1": ranking[:2], "2": [*ranking[:2], ("x", 0)]},
    }
    qrels = {t: {f"d{i}": i % 2 for i in range(4)} for t in "12"}
    table = deeply_judged(Collection.small(runs, qrels).audit(), depth=2).set_index("system")
    assert table["deeply_judged"].to_dict() == {
        "deep": True,
        "elsewhere": False,
        "just": True,
        "shallow": False,
        "short": False,
    }
    assert table.loc["just", ["topics", "shortest", "first_unjudged"]].tolist() == [2, 2, 3]
    assert table.loc["shallow", ["topics", "shortest", "first_unjudged"]].tolist() == [2, 4, 1]
    assert deep_contributors(table.reset_index()) == ["deep", "just"]


def judged_to(*depths, topics=None, shortest=100):
    """Systems that are judged so deep on all their topics."""
    return pd.DataFrame(
        {
            "system": [f"s{i}" for i in range(len(depths))],
            "topics": topics or [5] * len(depths),
            "shortest": shortest,
            "first_unjudged": [depth + 1 for depth in depths],
            "deeply_judged": False,
        }
    )


@pytest.mark.parametrize(
    ("systems", "deepest"),
    [
        (judged_to(10, 20, 30), 20),
        (judged_to(10, 20, 30, 40), 30),  # two of four
        (judged_to(7), 7),
        (judged_to(10, 11), 10),  # one system alone would be compared with none
        (judged_to(1, 11), 11),
        (judged_to(2), 2),
        (judged_to(0, 100, 100), 50),  # the thesis's deepest
        (judged_to(10, 20, 30, shortest=12), 12),
        (judged_to(10, 20, 30, topics=[5, 5, 4]), 10),  # without a topic, judged to none
    ],
)
def test_pools_are_as_deep_as_half_of_the_systems_are_judged(systems, deepest):
    assert judged_depth(systems) == deepest
    deep = as_table(systems)
    assert as_judged(None, deep, None) == deepest
    assert as_judged(None, deep) == depths_to(deepest)
    assert as_judged([3, 8], None) == [3, 8]
    assert as_deep_as_judged(None, deep) == Pooling("Depth", depth=deepest)
    assert as_deep_as_judged("RRF@9", None) == Pooling("RRF", size=9)


@pytest.mark.parametrize("systems", [judged_to(), judged_to(1, 1, 9), judged_to(0)])
def test_too_shallow_for_pools(systems):
    with pytest.raises(ParameterError, match="contributors: all` under `pools`, and name `depths`"):
        judged_depth(systems)


def test_depths_are_the_thesiss_in_proportion():
    assert depths_to(DEEPEST) == [5, 10, 15, 20, 25, 50]
    assert depths_to(50, VOTE_SHARES) == [20, 50]
    assert depths_to(50, ANCOVA_SHARES) == [*range(5, 55, 5)]
    assert depths_to(10) == [1, 2, 3, 4, 5, 10]
    for deepest in range(2, 200):
        depths = depths_to(deepest)
        assert depths == sorted(set(depths)) and 1 <= depths[0] < depths[-1] == deepest
    with pytest.raises(ParameterError, match="no shallower ones"):
        depths_to(1)


@pytest.mark.parametrize(
    ("ranking", "said"),
    [
        (
            ["a", "b", "x"],
            r"asks, the deepest, s, to rank 2 for all its topics: say `contributors: all` under "
            r"`pools`, or a smaller `baseline`",
        ),
        (["a", "x", "b"], r"asks, the deepest, s, to rank 1 for all its topics: say"),
        (["x", "a"], r"asks: say `contributors: all` under `pools`$"),
    ],
)
def test_where_no_system_is_judged_deeply_it_is_said_what_to_do(ranking, said):
    runs = {name: {"1": [(d, 9 - i) for i, d in enumerate(ranking)]} for name in ("s", "t")}
    audit = Collection.small(runs, {"1": {"a": 1, "b": 0}}).audit()
    with pytest.raises(ParameterError, match=said):
        deep_contributors(deeply_judged(audit, depth=3))


@settings(max_examples=30)
@given(seed=seeds)
def test_counts_of_pools(seed):
    runs, qrels = random_collection(seed)
    collection = Collection.small(runs, qrels)
    poolings = [Pooling("Depth", depth=2), Pooling("Borda", size=4)]
    sizes = pool_sizes(collection.ranked, collection.judged, poolings)
    assert sizes["pooling"].unique().tolist() == ["Depth@2", "Borda@4"]
    for pooling in poolings:
        frame = make_pool(collection.ranked, pooling).to_frame(collection.ranked)
        for row in sizes[sizes["pooling"] == str(pooling)].itertuples():
            own = frame[frame["topic"] == row.topic]
            grades = own["docno"].map(qrels[row.topic])
            assert row.pooled == len(own)
            assert row.judged == grades.notna().sum()
            assert row.relevant == (grades >= 1).sum()
            assert row.single_judged == (grades.notna() & (own["votes"] == 1)).sum()
            assert row.single_relevant == ((grades >= 1) & (own["votes"] == 1)).sum()
    assert [*pool_facts(sizes, 7)] == columns_of("pools/facts")
    facts = pool_facts(sizes, 7).set_index("pooling")
    assert facts.index.tolist() == ["Depth@2", "Borda@4"]
    for pooling, rows in sizes.groupby("pooling"):
        found = facts.loc[pooling, ["systems", "topics", "without_judgments", "judged"]].tolist()
        assert found == [7, len(rows), (rows["judged"] == 0).sum(), rows["judged"].sum()]

    pool = make_pool(collection.ranked, poolings[0])
    frame = pool.to_frame(collection.ranked)
    grades = [qrels.get(t, {}).get(d) for t, d in zip(frame["topic"], frame["docno"], strict=True)]
    table = multiplicities(pool, collection.judged, [1, 3])
    assert table["votes"].tolist() == ["1", "2–3", "4+", "all"]
    for row, votes in zip(
        table.itertuples(), [range(1, 2), range(2, 4), range(4, 99), range(1, 99)], strict=True
    ):
        inside = [g for g, v in zip(grades, frame["votes"], strict=True) if v in votes]
        inside = [g for g in inside if g is not None]
        assert (row.judged, row.relevant) == (len(inside), sum(g >= 1 for g in inside))
        percent = 100 * row.relevant / row.judged if row.judged else np.nan
        np.testing.assert_allclose(row.percent, percent)


def test_lines_of_votes_are_those_of_the_thesis_and_relevant_is_from_grade_1():
    runs = {f"s{i}": {"1": [("a", 2), (f"b{i}", 1)]} for i in range(3)}
    collection = Collection.small(runs, {"1": {"a": 1, "b0": 0, "b1": 2}})
    pool = make_pool(collection.ranked, Pooling("Depth", depth=2))
    table = multiplicities(pool, collection.judged)
    assert table["votes"].tolist() == ["1", "2", "3–4", "5–8", "9–16", "17–32", "33+", "all"]
    assert table["judged"].tolist() == [2, 0, 1, 0, 0, 0, 0, 3]
    assert table["relevant"].tolist() == [1, 0, 1, 0, 0, 0, 0, 2]
    each = multiplicities(pool, collection.judged, last=[1, 2, 3])
    assert each["votes"].tolist() == ["1", "2", "3", "4+", "all"]


def test_pools_of_the_real_runs_by_every_method(real_data):
    """What many systems agree upon holds more relevant documents than what one ranks high."""
    collection = trec8(real_data)
    scores = collection.scores
    relevant = {}
    for method in FUSION_METHODS:
        pooling = Pooling(method, depth=100, size=400)
        pool = make_pool(
            collection.ranked, pooling, contributors=trec8_deep(real_data), scores=scores
        )
        assert (np.diff(pool.offsets) == 400).all()
        relevant[method] = pool.reduce(collection.judged).grades.sum()
    agreed = [relevant[m] for m in ("Borda", "Condorcet", "CombSUM", "CombMNZ", "RRF")]
    assert min(agreed) > relevant["Take"] > relevant["CombMIN"]


def test_condorcet_of_real_runs_against_all_pairs(real_data):
    """One topic, 67 systems, all pairs of some 2,000 candidates."""
    collection = trec8(real_data)
    ranked = collection.ranked
    nominations = Nominations.gather(ranked, depth=100, contributors=trec8_deep(real_data))
    _, found = fused_order(nominations, "Condorcet")
    candidates = nominations.documents[: nominations.offsets[1]]
    margin = np.zeros((len(candidates), len(candidates)), dtype=np.int16)
    tops = ranked.top(100)[:, 0]
    for system in trec8_deep(real_data):
        place = np.full(len(ranked.docnos), 101, dtype=np.int16)
        top = tops[ranked.systems.index(system)]
        place[top[top >= 0]] = np.flatnonzero(top >= 0)
        margin += np.sign(place[candidates] - place[candidates][:, None])
    assert len(candidates) > 1000
    np.testing.assert_array_equal(found[: len(candidates)], np.sign(margin).sum(axis=1))


def test_table_4_1(real_data):
    collection = trec8(real_data)
    facts = collection_facts(collection.audit(), [collection.judged]).set_index("quantity")["value"]
    assert facts.round(1).to_dict() == {
        "topics": 50,
        "systems": 129,
        "judged documents per topic": 1736.6,
        "relevant documents per topic": 94.6,
        "rank of the first unjudged document": 95.8,
        "depth that deeply judged systems are judged to": 50,
        "deeply judged systems": 67,
    }


def test_table_4_3(real_data):
    collection = trec8(real_data)
    sizes = pool_sizes(
        collection.ranked,
        collection.judged,
        [Pooling("Depth", depth=d) for d in (5, 25, 50)],
        contributors=trec8_deep(real_data),
    )
    facts = pool_facts(sizes, 67).set_index("pooling")
    assert facts.loc["Depth@50"].to_dict() == {
        "systems": 67,
        "topics": 50,
        "without_judgments": 0,
        "pooled": 40238,
        "judged": 40238,
        "relevant": 3175,
        "single_judged": 24149,
        "single_relevant": 731,
        "outside": 86830 - 40238,
    }
    assert len(sizes) == 150
    assert (sizes["judged"] == sizes["pooled"]).all()  # deeply judged


TABLE_4_4_A = "10266/5.3 2538/11.7 1548/16.3 1017/26.6 732/34.0 544/43.6 416/61.3 17061/12.3"
TABLE_4_4_B = "22685/3.1 5510/6.2 3587/10.7 2406/15.5 1724/20.6 1317/30.9 1123/49.6 38352/8.1"
OURS_AT_50 = "24149/3.0 5681/6.1 3713/10.6 2450/14.9 1770/21.0 1324/30.5 1151/48.9 40238/7.9"


def as_printed(table):
    return " ".join(f"{r.judged}/{r.percent:.1f}" for r in table.itertuples())


@pytest.mark.parametrize(("depth", "printed"), [(20, TABLE_4_4_A), (50, OURS_AT_50)])
def test_table_4_4(real_data, depth, printed):
    collection = trec8(real_data)
    pooling = Pooling("Depth", depth=depth)
    pool = make_pool(collection.ranked, pooling, contributors=trec8_deep(real_data))
    table = multiplicities(pool, collection.judged)
    assert table["votes"].tolist() == ["1", "2", "3–4", "5–8", "9–16", "17–32", "33+", "all"]
    assert as_printed(table) == printed


def test_table_4_4_b_as_printed(real_data):
    """Two of the 67 systems left out, and tied documents as they come in the files."""
    systems = [s for s in trec8_deep(real_data) if s not in ("kdd8ps16", "kdd8qe01")]
    collection = trec8(real_data, tie_break="line")
    pool = make_pool(collection.ranked, Pooling("Depth", depth=50), contributors=systems)
    assert as_printed(multiplicities(pool, collection.judged)) == TABLE_4_4_B
