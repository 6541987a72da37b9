"""Subsets of pairs: the scores of each against `score_documents`, and all subsets of small sets."""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.stats import kendalltau

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.kendall import tau_b
from regrade.preferences.gains import ALL_ANSWERS, GainRankings
from regrade.preferences.posterior import posterior, recorded
from regrade.preferences.scores import score_documents
from regrade.preferences.subsets import (
    Drawing,
    draw_subsets,
    joining_first,
    needed_pairs,
    subset_table,
    subset_values,
    summarise,
)
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score

from .preferences_frames import drawn, preferences

METHODS = ("frequency", "borda", "copeland", "bradley-terry")


def asked(seed=1, n=8, rows=40, topics=("1", "2", "3")):
    def answer(rng, pairs):
        return rng.choice([-2, -1, 0, 1], len(pairs), p=[0.3, 0.3, 0.1, 0.3])

    return drawn(seed, answer, n=n, rows=rows, topics=topics)


def values(topic, chosen, method, spread=2.0):
    """Of all documents of a topic under some of its pairs."""
    chosen = np.asarray(chosen, dtype=np.int64)
    counts = np.array([len(chosen)])
    code = np.array([METHODS.index(method)])
    arrays = topic.first, topic.second, topic.wins, topic.losses
    found = subset_values(topic.n_documents, arrays, chosen, counts, code, spread)
    return [part[0] for part in found]


@pytest.mark.parametrize("method", METHODS[:3])
@pytest.mark.parametrize("seed", range(4))
def test_a_subset_has_the_scores_of_its_preferences(method, seed):
    frame = asked(seed, topics=["1"])
    (topic,) = recorded(frame)
    chosen = np.random.default_rng(seed).permutation(topic.n_pairs)[:9]
    names = {
        frozenset((topic.docnos[topic.first[p]], topic.docnos[topic.second[p]])) for p in chosen
    }
    kept = frame[
        [frozenset(pair) in names for pair in zip(frame["left"], frame["right"], strict=True)]
    ]
    expected = score_documents(kept, [method]).set_index("docno")["value"]
    found, _, seen = values(topic, chosen, method)
    assert seen == len(expected)
    for docno, value in zip(topic.docnos, found[0], strict=True):
        assert value == pytest.approx(expected.get(docno, 0.5), abs=1e-12)


def test_strengths_of_a_subset_are_the_posteriors_mode():
    (topic,) = recorded(asked(topics=["1"]))
    chosen = np.arange(0, topic.n_pairs, 2)
    parts = (part[chosen] for part in (topic.first, topic.second, topic.wins, topic.losses))
    expected = posterior(topic.n_documents, *parts, 1.2).mean
    found = values(topic, chosen, "bradley-terry", 1.2)[0][0]
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_larger_subsets_go_on_from_smaller_ones():
    (topic,) = recorded(asked(topics=["1"]))
    order = np.random.default_rng(3).permutation(topic.n_pairs)
    counts = np.array([0, 3, 8, 15])
    arrays = topic.first, topic.second, topic.wins, topic.losses
    codes = np.arange(4)
    together, connected, seen = subset_values(8, arrays, order, counts, codes, 2.0)
    for s, count in enumerate(counts):
        for m, method in enumerate(METHODS):
            found, joined, documents = values(topic, order[:count], method)
            np.testing.assert_allclose(together[s, m], found[0], atol=1e-9)
            assert (connected[s], seen[s]) == (joined, documents)
    assert together[0].tolist() == [[0.5] * 8] * 3 + [[0.0] * 8]


@pytest.mark.parametrize("seed", range(5))
def test_connected_draws_join_as_soon_as_they_can(seed):
    rng = np.random.default_rng(seed)
    n = 9
    possible = np.array(list(itertools.combinations(range(n), 2)))
    first, second = possible[rng.permutation(len(possible))[:14]].T
    order = joining_first(n, first, second, rng.permutation(14))
    assert sorted(order) == list(range(14))

    def parts(pairs):
        graph = np.zeros((n, n))
        graph[first[pairs], second[pairs]] = 1
        return connected_components(graph, directed=False)[0]

    fewest = parts(np.arange(14))
    for k in range(15):
        assert parts(order[:k]) == max(n - k, fewest)


def test_all_subsets_of_a_small_set():
    """The mean over many draws is that over all subsets of that size."""
    frame = preferences(
        ("A", "B", -1), ("B", "C", -1), ("C", "D", -1), ("A", "C", 1), ("B", "D", -1)
    )
    (topic,) = recorded(frame)
    drawing = Drawing(shares=[0.6], draws=["random"], methods=["frequency"], repeats=4000)
    whole = values(topic, range(5), "frequency")[0][0]
    exact = [
        tau_b(whole, values(topic, some, "frequency")[0][0])
        for some in itertools.combinations(range(5), 3)
    ]
    drawn = draw_subsets(topic, drawing, "random").taus()[:, 1, 0]
    # a circle of three ties all of its documents
    assert np.isnan(drawn).mean() == pytest.approx(np.isnan(exact).mean(), abs=0.02)
    drawn, exact = (np.array(taus)[~np.isnan(taus)] for taus in (drawn, exact))
    assert set(np.round(drawn, 9)) == set(np.round(exact, 9))
    assert drawn.mean() == pytest.approx(exact.mean(), abs=4 * exact.std() / 4000**0.5)


def test_tables_tell_what_was_drawn():
    topics = recorded(asked())
    drawing = Drawing(shares=[0.5, 0.25], repeats=6, methods=METHODS, seed=4)
    table = subset_table(topics, drawing)
    assert len(table) == 2 * 3 * 6 * 4
    assert set(table["share"]) == {0, 0.25, 0.5}
    pairs = {s: sum(int(np.ceil(s * topic.n_pairs)) for topic in topics) for s in (0, 0.25, 0.5)}
    assert (table["pairs"] == table["share"].map(pairs)).all()
    np.testing.assert_allclose(table["per_document"], table["pairs"] / 24)
    assert (table.loc[table["share"] == 0, "unseen"] == 1).all()
    assert table.loc[table["share"] == 0, "value"].isna().all()
    assert (table["ranked"] == "documents").all()
    # by hand: one subset
    one = table[(table["draw"] == "random") & (table["repeat"] == 2) & (table["share"] == 0.5)]
    drawn = [draw_subsets(topic, drawing, "random") for topic in topics]
    for m, method in enumerate(METHODS):
        pairs = [np.round((part.full[m], part.values[2, 2, m]), 9) for part in drawn]
        taus = [kendalltau(*pair).statistic for pair in pairs]
        found = one.loc[one["method"] == method, "value"].item()
        assert found == pytest.approx(np.mean(taus), abs=1e-9)


def test_draws_do_not_depend_on_what_else_is_drawn():
    topics = recorded(asked())
    table = subset_table(topics, Drawing(shares=[0.3, 0.6], repeats=4), threads=2)
    fewer = subset_table(topics, Drawing(shares=[0.6], draws=["connected"], repeats=2))
    keys = ["draw", "share", "method", "repeat"]
    both = fewer.merge(table, on=keys)
    np.testing.assert_allclose(both["value_x"], both["value_y"], atol=1e-9)
    assert len(both) == len(fewer)
    alone = draw_subsets(topics[1], Drawing(repeats=2), "random").values
    among = draw_subsets(topics[1], Drawing(repeats=3), "random").values
    np.testing.assert_array_equal(alone, among[:2])


def test_names_of_documents_change_nothing_of_all_pairs():
    frame = asked(topics=["1"])
    renamed = frame.replace({"left": {"d0": "z"}, "right": {"d0": "z"}})
    one, two = (recorded(part)[0] for part in (frame, renamed))
    for method in METHODS:
        a = dict(zip(one.docnos, values(one, range(one.n_pairs), method)[0][0], strict=True))
        b = dict(zip(two.docnos, values(two, range(two.n_pairs), method)[0][0], strict=True))
        assert b["z"] == pytest.approx(a["d0"], abs=1e-9)


def test_repeats_are_summarised():
    table = subset_table(recorded(asked()), Drawing(shares=[0.4, 0.8], repeats=9))
    found = summarise(table, 0.8)
    assert list(found) == columns_of("pair-budgets/subsets")
    for row in found.itertuples():
        same = table[(table["draw"] == row.draw) & (table["share"] == row.share)]
        taus = same.loc[same["method"] == row.method, "value"]
        if row.share == 0:
            assert row.repeats == 0
            assert np.isnan(row.mean)
            continue
        assert row.mean == pytest.approx(taus.mean())
        ends = np.quantile(taus, [0.1, 0.5, 0.9])
        np.testing.assert_allclose([row.low, row.median, row.high], ends)
        assert row.repeats == 9


def subsets_of(taus):
    """A table of subsets by share → values."""
    rows = [(share, r, v) for share, values in taus.items() for r, v in enumerate(values)]
    frame = pd.DataFrame(rows, columns=["share", "repeat", "value"])
    return frame.assign(
        draw="random", pairs=100 * frame["share"], per_document=10 * frame["share"], connected=1.0,
        unseen=0.0, method="frequency", ranked="documents", measure=None, coefficient="tau_b",
        reference=ALL_ANSWERS, n=1,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("certainty", "share"), [(1.0, 0.8), (0.75, 0.6), (0.5, 0.6), (0.25, 0.2), (0.2, 0.2)]
)
def test_enough_is_enough_at_every_larger_share(certainty, share):
    table = subsets_of(
        {
            0.2: [0.8, 0.8, 0.8, 0.92],
            0.4: [0.8, 0.8, 0.85, 0.95],
            0.6: [0.85, 0.91, 0.95, 0.95],
            0.8: [0.9, 0.95, 0.95, 0.99],
        }
    )
    found = needed_pairs(table, [0.9, 0.99], certainty)
    assert list(found) == columns_of("pair-budgets/needed")
    assert found["share"].iloc[0] == share
    assert found["pairs"].iloc[0] == pytest.approx(100 * share)
    assert np.isnan(found["share"].iloc[1]) == (certainty > 0.25)


def test_a_share_that_is_enough_before_one_that_is_not_does_not_count():
    found = needed_pairs(subsets_of({0.2: [0.95], 0.4: [0.8], 0.6: [0.8]}), [0.9])
    assert found["share"].isna().all()


# --- systems --------------------------------------------------------------------------------------


def runs(systems=6, topics=("1", "2", "9"), n=8, seed=3):
    rng = np.random.default_rng(seed)
    rows = []
    for s in range(systems):
        for topic in topics:
            docs = [f"d{i}" for i in rng.permutation(n + 3)[:6]]
            rows += [(f"s{s}", topic, rank, doc, -float(rank), rank, rank) for rank, doc in
                     enumerate(docs, 1)]  # fmt: skip
    names = ["system", "topic", "rank", "docno", "score", "submitted_rank", "line"]
    frame = pd.DataFrame(rows, columns=names)

    return pa.Table.from_pandas(frame, preserve_index=False).cast(SCHEMAS["runs"])


def test_systems_under_subsets_are_scored_as_under_labels():
    topics = recorded(asked())
    ranked = RankedLists.from_table(runs())
    rankings = GainRankings(ranked, topics, ["nDCG@5", "DCG"])
    assert rankings.topics == ("1", "2", "3")  # no run ranks the third: 0 for all
    drawing = Drawing(shares=[0.5], draws=["random"], methods=["bradley-terry"], repeats=2)
    table = subset_table(topics, drawing, rankings)
    parts = [draw_subsets(topic, drawing, "random") for topic in topics[:2]]

    def means(of):

        rows = []
        for topic, part in zip(topics[:2], parts, strict=True):
            x = part.full[0] if of is None else part.values[of, 1, 0]
            share = [np.mean(1 / (1 + np.exp(np.delete(x, i) - x[i]))) for i in range(len(x))]
            rows += [(topic.topic, d, g) for d, g in zip(topic.docnos, share, strict=True)]
        frame = pd.DataFrame(rows, columns=["topic", "docno", "grade"])

        qrels = pa.Table.from_pandas(frame, preserve_index=False).cast(SCHEMAS["qrels"])
        judged = Judged.from_table(qrels, ranked)
        return score(ranked, judged, ["nDCG@5", "DCG"]).values.mean(axis=1)

    for repeat in range(2):
        for m, measure in enumerate(("nDCG@5", "DCG")):
            rows = table[(table["repeat"] == repeat) & (table["measure"] == measure)]
            rows = rows[(rows["share"] == 0.5) & (rows["coefficient"] == "tau_b")]
            expected = tau_b(means(None)[:, m], means(repeat)[:, m])
            assert rows["value"].item() == pytest.approx(expected)


def test_labels_rank_systems_beside():

    topics = recorded(asked())
    ranked = RankedLists.from_table(runs())
    frame = pd.DataFrame(
        [("1", f"d{i}", float(i % 3)) for i in range(8)], columns=["topic", "docno", "grade"]
    )
    judged = Judged.from_table(
        pa.Table.from_pandas(frame, preserve_index=False).cast(SCHEMAS["qrels"]), ranked
    )
    rankings = GainRankings(ranked, topics, ["nDCG@5"], {"experts": (judged, 2.0)})
    table = subset_table(topics, Drawing(shares=[0.5], repeats=2), rankings)
    beside = table[table["reference"] == "experts"]
    assert (beside["n"] == 1).all()
    assert beside["value"].between(-1, 1).all()
    drawn = table[(table["reference"] == ALL_ANSWERS) & (table["share"] > 0)]
    assert (drawn["n"] == drawn["ranked"].map({"documents": 3, "systems": 3})).all()
    # experts say nothing of how many pairs are needed
    assert len(needed_pairs(table)) == 2 * 2 * (1 + 2) * 2


def test_systems_are_ranked_by_one_block_of_gains_after_the_other(monkeypatch):
    topics, rng = recorded(asked()), np.random.default_rng(4)
    labels = pd.DataFrame([("7", "d1", 1.0)], columns=["topic", "docno", "grade"])
    labels = pa.Table.from_pandas(labels, preserve_index=False).cast(SCHEMAS["qrels"])
    ranked = RankedLists.from_table(runs())
    rankings = GainRankings(
        ranked,
        topics,
        ["nDCG@5", "DCG"],
        {"of other topics": (Judged.from_table(labels, ranked), 1)},
    )
    gains = {one.topic: rng.random((5, len(one.docnos))) for one in topics}
    whole = {one.topic: rng.random(len(one.docnos)) for one in topics}
    at_once = rankings.correlations(gains, whole)
    for key, rows in at_once.groupby(["measure", "reference", "coefficient"]):
        assert rows["sample"].tolist() == [0, 1, 2, 3, 4]
        assert rows["value"].isna().all() == (rows["n"] == 0).all() == (key[1] == "of other topics")
    for each in range(5):
        alone = rankings.correlations({t: of[each : each + 1] for t, of in gains.items()}, whole)
        same = at_once[at_once["sample"] == each].assign(sample=0).reset_index(drop=True)
        pd.testing.assert_frame_equal(alone, same)
    monkeypatch.setattr("regrade.preferences.gains._SAMPLES", 2)
    pd.testing.assert_frame_equal(rankings.correlations(gains, whole), at_once)


def test_one_pair_is_enough_for_itself():
    topics = recorded(preferences(("A", "B", -1)))
    table = subset_table(topics, Drawing(shares=[0.5], repeats=2))
    assert (table.loc[table["share"] == 0.5, "value"] == 1).all()
    tied = subset_table(recorded(preferences(("A", "B", 0))), Drawing(shares=[0.5], repeats=2))
    assert tied["value"].isna().all()
    assert (tied["n"] == 0).all()
    assert needed_pairs(tied)["share"].isna().all()
