"""What the page holds of a topic's documents is what the tables hold."""

import json

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.topic_analysis import page_documents
from regrade.topic_analysis.page_documents import AnalysedTopics, depth_of, packed_documents
from tests.unit.test_ranking_explorer_page import unpacked
from tests.unit.test_topic_analysis import MODEL, QRELS, RUNS


def analysed(second=None, depth=4, name="NIST"):
    """Tables of an analysis, as the workflow has them."""
    of = regrade.topics(QRELS, RUNS, "nDCG@10", second=second, depth=depth).tables
    return AnalysedTopics(name, *(of[one] for one in ("facts", "scores", "retrieved", "ranks")))


def listed(text):
    """Of each label set its documents by topic: docno → labels, systems, best rank, ranks."""
    page, arrays = unpacked(text)
    found = []
    for one in page["sets"]:
        of = {name: arrays[at] for name, at in one["arrays"].items()}
        names = iter(bytes(of["docnos"]).decode().split("\n"))
        at, place, topics = 0, 0, {}
        for topic, size in zip(one["topics"], of["sizes"], strict=True):
            topics[topic] = {}
            for _ in range(size):
                end = place + of["counts"][at]
                systems = [one["systems"][s] for s in of["systemOf"][place:end]]
                ranks = dict(zip(systems, of["ranks"][place:end].tolist(), strict=True))
                grades = [of[which][at] for which in ("first", "second") if which in of]
                topics[topic][next(names)] = grades, of["runs"][at], of["best"][at], ranks
                at, place = at + 1, end
        found.append((one, topics))
    return found


@pytest.mark.parametrize("second", [None, MODEL])
def test_documents_have_their_labels_and_ranks(second):
    one = analysed(second)
    ((about, topics),) = listed(packed_documents([one]))
    assert about["labels"] == (["NIST", "second"] if second else ["NIST"])
    assert (about["depth"], about["shown"], about["left"]) == (4, 4, 0)
    means = one.scores.groupby("system", observed=True)["value"].mean()
    assert means[about["systems"]].is_monotonic_decreasing
    ranks = one.ranks.astype({"topic": str, "docno": str, "system": str})
    of = {key: dict(zip(some["system"], some["rank"], strict=True))
          for key, some in ranks.groupby(["topic", "docno"])}  # fmt: skip
    rows = one.retrieved.astype({"topic": str, "docno": str})
    assert list(topics) == rows["topic"].drop_duplicates().tolist()
    assert sum(map(len, topics.values())) == len(rows)
    for row in rows.itertuples():
        grades, runs, best, placed = topics[row.topic][row.docno]
        expected = [row.first_grade, row.second_grade][: 1 + (second is not None)]
        np.testing.assert_array_equal(grades, np.array(expected, float))
        assert (runs, best, placed) == (row.runs, row.best_rank, of[row.topic, row.docno])


def test_what_is_too_much_is_left_out_from_the_deepest_rank_on(monkeypatch):
    one = analysed()
    monkeypatch.setattr(page_documents, "MOST", 2000)
    ((about, topics),) = listed(packed_documents([one]))
    assert about["shown"] == depth_of(one.retrieved, one.ranks, 2000) < about["depth"] == 4
    kept = one.retrieved[one.retrieved["best_rank"] <= about["shown"]]
    assert sum(map(len, topics.values())) == len(kept) == len(one.retrieved) - about["left"]
    ranks = [rank for some in topics.values() for *_, of in some.values() for rank in of.values()]
    assert max(ranks) == about["shown"]
    assert len(ranks) == (one.ranks["rank"] <= about["shown"]).sum()
    assert depth_of(one.retrieved, one.ranks, 0) == 1  # never nothing
    assert depth_of(one.retrieved, one.ranks, 10**9) == 4


def test_of_each_label_set_its_first_analysis():
    sets = [analysed(MODEL), analysed(), analysed(name="other")]
    found = listed(packed_documents(sets))
    assert [about["labels"] for about, _ in found] == [["NIST", "second"], ["other"]]
    assert packed_documents([]) == ""
    assert "<" not in packed_documents([analysed(name="</script>")])
    assert json.loads(packed_documents(sets))["name"] == "documents"


def test_nothing_retrieved_is_nothing_to_list():
    one = analysed()
    empty = pd.DataFrame(columns=one.retrieved.columns)
    bare = AnalysedTopics("NIST", one.facts, one.scores, empty, one.ranks.iloc[:0])
    assert packed_documents([bare]) == ""
