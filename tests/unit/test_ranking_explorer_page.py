"""What the page holds of rankings: the scores and the pairs of the tables."""

import base64
import json
import zlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from regrade.measures import parse
from regrade.ranking import explorer_page
from regrade.ranking.explorer_page import PAIRED, RankingTables, packed_rankings, ranked_items
from regrade.ranking.rank_systems import RankingOptions, rank_systems
from regrade.scoring import Scores
from regrade.workflow.inputs.page import MOST_SYSTEMS


def made(systems=5, topics=6, measures=("AP", "P@5"), name="N", seed=1):
    """A ranking of scores at random, with its tables."""
    values = np.random.default_rng(seed).random((systems, topics, len(measures)))
    return made_of(values, measures, name)


def made_of(values, measures=("AP",), name="N"):
    """A ranking of scores (systems × topics × measures), with its tables."""
    systems, topics, _ = values.shape
    names = tuple(f"s{i}" for i in range(systems))
    of_topics = tuple(f"t{i}" for i in range(topics))
    scores = Scores(names, of_topics, tuple(map(parse, measures)), values, values * np.nan)
    tables = rank_systems(scores, RankingOptions(draws=100, splits=2))
    frames = (tables[one] for one in ("systems", "pairs", "facts"))
    return RankingTables(name, *frames, scores.to_table().to_pandas())


def unpacked(text):
    page = json.loads(text)
    data = zlib.decompress(base64.b64decode(page["data"]))
    return page, [
        np.frombuffer(data, f"<{kind}", length, start) for kind, start, length in page["arrays"]
    ]


@pytest.mark.parametrize(("systems", "topics"), [(5, 6), (2, 3), (4, 2)])
def test_the_page_holds_what_the_tables_hold(systems, topics):
    one = made(systems, topics)
    page, arrays = unpacked(packed_rankings([one]))
    assert page["left"] == 0
    assert [ranking["label"] for ranking in page["rankings"]] == ["AP, N", "P@5, N"]
    for ranking, measure in zip(page["rankings"], ("AP", "P@5"), strict=True):
        names = ranking["systems"]
        ordered = one.systems[one.systems["measure"] == measure]["system"].astype(str)
        assert names == ordered.tolist()
        assert (ranking["test"], ranking["correction"]) == ("paired t-test", "Holm")
        scores = one.scores[one.scores["measure"].astype(str) == measure]
        expected = scores.pivot(index="system", columns="topic", values="value")
        held = arrays[ranking["scores"]].reshape(systems, topics)
        np.testing.assert_allclose(held, expected.loc[names, ranking["topics"]], rtol=1e-6)
        pairs = one.pairs[one.pairs["measure"].astype(str) == measure]
        for row in pairs.itertuples():
            i, j = names.index(str(row.system)), names.index(str(row.other))
            assert i < j  # the first has the higher mean
            place = i * systems - i * (i + 1) // 2 + j - i - 1
            for name in PAIRED:
                at = arrays[ranking["pairs"][name]][place]
                assert at == pytest.approx(getattr(row, name), rel=1e-6, nan_ok=True)


def test_a_pair_the_other_way_round_has_its_signs_turned():
    one = made(3, 6, ("AP",))
    held = packed_rankings([one])
    turned = one.pairs.rename(columns={"system": "other", "other": "system"}).assign(
        difference=-one.pairs["difference"], effect=-one.pairs["effect"],
        low=-one.pairs["high"], high=-one.pairs["low"],
    )  # fmt: skip
    other = packed_rankings([replace(one, pairs=turned)])
    for first, second in zip(unpacked(held)[1], unpacked(other)[1], strict=True):
        np.testing.assert_array_equal(first, second)


def test_without_scores_by_the_measure_there_are_pairs_only():
    one = made(3, 4, ("AP",))
    bare = replace(one, scores=one.scores.iloc[:0])
    (ranking,) = unpacked(packed_rankings([bare]))[0]["rankings"]
    assert (ranking["topics"], ranking["scores"]) == ([], None)


def test_of_very_many_systems_there_are_scores_and_no_pairs():
    one = made(5, 4, ("AP",))
    page, arrays = unpacked(packed_rankings([replace(one, pairs=None)]))
    (ranking,) = page["rankings"]
    assert ranking["pairs"] == {} and len(arrays[ranking["scores"]]) == 20


def test_the_pairs_of_as_many_systems_as_a_page_compares_fit():
    """Of the greatest number those by one measure; of 129 systems those by six."""
    for systems, measures in ((MOST_SYSTEMS, 1), (129, 6)):
        pairs = 4 * len(PAIRED) * systems * (systems - 1) // 2
        assert measures * (pairs + 4 * 50 * systems) <= explorer_page.MOST
    assert 2 * 4 * len(PAIRED) * MOST_SYSTEMS * (MOST_SYSTEMS - 1) // 2 >= explorer_page.MOST


def test_one_system_has_no_pairs_and_what_is_too_much_is_counted(monkeypatch):
    assert packed_rankings([]) == packed_rankings([made(1, 4)]) == ""
    monkeypatch.setattr(explorer_page, "MOST", 400)  # one takes 280 bytes of pairs, 120 of scores
    page, _ = unpacked(packed_rankings([made(name="<b>"), made(seed=2)]))
    assert (len(page["rankings"]), page["left"]) == (1, 3)
    assert "<" not in packed_rankings([made(name="<b>")])


@pytest.mark.parametrize("several", [False, True])
def test_scores_by_item_are_means_over_repeats_of_items_that_all_systems_have(several):
    rows = [
        (system, topic, measure, "a" if topic < "t3" or not several else "b", repeat, value)
        for s, system in enumerate(["x", "y"])
        for t, topic in enumerate(["t1", "t2", "t3", "t4"])
        for measure in ("accuracy", "f1")
        for repeat, value in (("1", s + t), ("2", s + t + 1.0))
        if (system, topic) != ("y", "t4")
    ]
    names = ["system", "topic", "measure", "dataset", "repeat", "value"]
    scores = pd.DataFrame(rows, columns=names)
    systems = pd.DataFrame({"system": ["x", "y"], "measure": ["accuracy"] * 2})
    means = ranked_items(scores.astype(dict.fromkeys(names[:-1], "category")), systems)
    wide = means.pivot(index="system", columns="topic", values="value")
    assert wide.columns.tolist() == (["a/t1", "a/t2", "b/t3"] if several else ["t1", "t2", "t3"])
    assert wide.to_numpy().tolist() == [[0.5, 1.5, 2.5], [1.5, 2.5, 3.5]]
    assert set(means["measure"]) == {"accuracy"}


def test_the_page_speaks_of_items_where_there_are_no_labels():
    page, _ = unpacked(packed_rankings([made(), replace(made(), qrels=None)]))
    units = [ranking["unit"] for ranking in page["rankings"]]
    assert units == ["topic", "topic", "item", "item"]
