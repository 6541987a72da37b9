"""Rated lists: reading them, and their scores under many conventions."""

import math

import numpy as np
import pandas as pd
import pytest

from regrade.criteria.conventions import (
    NAMES,
    conventions,
    divergent_results,
    grades_of_lists,
    list_correlations,
    list_scores,
    list_weights,
    tie_ranges,
)
from regrade.errors import InputError, ParameterError
from regrade.readers.pages import read_rated_lists
from regrade.scales import Scale

FIELDS = ["assessor", "topic", "rank", "docno", "relevance", "credibility", "comment"]
CRITERIA = ["relevance", "credibility"]
SCALE = Scale.of({"values": [1, 2, 3, 4]})
TEXT = """\
a,1,1,d1,4,1,
a,1,2,d2,2,3,well, it holds commas
a,1,3,d1,3,4,<NA>
b,1,2,d1,2,2,
b,1,1,d3,1,1,
b,1,3,d2,1,2,
"""


def read(tmp_path, text, fields=FIELDS, criteria=CRITERIA):
    path = tmp_path / "lists.csv"
    path.write_text(text, encoding="utf-8")
    return read_rated_lists(path, fields, criteria, SCALE)


@pytest.fixture
def lists(tmp_path):
    return read(tmp_path, TEXT)


def test_lists_are_read_in_order(lists):
    assert len(lists) == 12
    assert lists["criterion"].tolist() == CRITERIA * 6
    one = grades_of_lists(lists)
    assert list(one) == [("1", "a"), ("1", "b")]
    assert one["1", "a"].tolist() == [[4, 2, 3], [1, 3, 4]]
    assert one["1", "b"].tolist() == [[1, 2, 1], [1, 2, 2]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("a,1,1,d1,4,1,", "a,1,1,d1,4", ":1: has fewer than 7 fields"),
        ("a,1,1,", "a,1,x,", ":1: rank x is not an integer from 1"),
        ("a,1,1,", "a,1,0,", ":1: rank 0 is not an integer from 1"),
        ("a,1,2,", "a,1,1.5,", ":2: rank 1.5 is not an integer from 1"),
        ("a,1,1,d1,4", "a,1,1,d1,5", ":1: relevance 5 is not on the scale"),
        ("b,1,1,d3,1,1", "b,1,1,d3,1,NA", ":5: credibility NA is not on the scale"),
        ("a,1,3", "a,1,2", "rank 2 again for topic 1 of assessor a"),
        ("a,1,3", "a,1,4", "the list of topic 1 of assessor a lacks a rank"),
    ],
)
def test_wrong_files_are_refused(tmp_path, old, new, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, TEXT.replace(old, new, 1))


def test_fields_that_do_not_say_enough():
    for fields, criteria in ((FIELDS[1:], CRITERIA), (FIELDS, ["relevance"]), (FIELDS, ["a", "b"])):
        with pytest.raises(ParameterError, match="name each once, among them topic, assessor"):
            read_rated_lists("nowhere", fields, criteria, SCALE)


def test_grades_of_all_assessors(lists):
    mean = grades_of_lists(lists, "document mean")
    # d1 has relevance 4, 3 and 2, d2 2 and 1
    assert mean["1", "a"][0].tolist() == [3, 1.5, 3]
    assert grades_of_lists(lists, "document median")["1", "b"][0].tolist() == [1, 3, 1.5]
    assert grades_of_lists(lists, "rank mean")["1", "*"].tolist() == [[2.5, 2, 2], [1, 2.5, 3]]


def test_scores_by_hand(lists):
    scores = list_scores(lists, 3, 1).set_index(["assessor", "measure"])["value"]
    w = 1 / math.log2(3)
    assert scores["a", "NDCG"] == pytest.approx((4 + 2 * w + 3 / 2) / (4 + 3 * w + 2 / 2))
    assert scores["a", "AP"] == pytest.approx((1 + 2 / 3) / 2)
    assert scores["a", "F-1"] == pytest.approx(2 * (2 / 3) / (2 / 3 + 1))
    assert scores["a", "G"] == pytest.approx(math.sqrt(2 / 3))
    # ideal relevance ranks 1 3 2, credibility 3 2 1
    lre = (0.5 * 1.5 - 0.25) + ((1.5) * (1.5) - 0.25) * w
    assert scores["a", "NLRE"] == pytest.approx(1 - lre / 6)
    assert scores["a", "NGRE"] == pytest.approx(
        1 - ((1 + 0.5 * w) * (1 + 0.5 * (1 + w)) - 1) / ((1 + 0.5 * 2) ** 2 - 1)
    )
    assert scores["a", "NWCS"] == pytest.approx(
        (2.5 + 2.5 * w + 3.5 / 2) / (3.5 + 2.5 * w + 2.5 / 2)
    )
    assert scores["a", "CAM(AP,G)"] == pytest.approx((5 / 6 + math.sqrt(2 / 3)) / 2)
    assert scores["b", "AP"] == 0  # nothing is relevant
    assert scores["b", "WHAM(NDCG,G)"] == 0


def test_the_plain_reading_is_the_mean_of_the_scores(lists):
    table = conventions(lists, [3, 4], 1)
    plain = table[table["plain"]].set_index("measure")["value"]
    assert list(plain.index) == list(NAMES)
    scores = list_scores(lists, 3, 1)
    means = scores.groupby("measure")["value"].mean()
    for name in NAMES:
        assert plain[name] == pytest.approx(means[name]), name
    keys = [c for c in table.columns if c not in ("value", "lists", "undefined_lists", "plain")]
    assert not table.duplicated(keys).any()


def test_conventions_by_hand(lists):
    table = conventions(lists, [3, 4], 1)

    def value(**given):
        found = table
        for key, wanted in ({"grades": "own"} | given).items():
            found = found[found[key] == wanted]
        assert len(found) == 1
        return found["value"].iloc[0]

    log2 = "log2(1+i)"
    b = (1 * 1) / 1  # gains 0 1 0 of the other list: at rank 2
    w = 1 / math.log2(3)
    a = (3 + 1 * w + 2 / 2) / (3 + 2 * w + 1 / 2)
    assert value(measure="NDCG", gains="r-1", discount=log2) == pytest.approx((a + w * b) / 2)
    a = (15 + 3 * w + 7 / 2) / (15 + 7 * w + 3 / 2)  # 2^r - 1 of grades 4 2 3
    b = (1 + 3 * w + 1 / 2) / (3 + 1 * w + 1 / 2)
    assert value(measure="NDCG", gains="2^r-1", discount=log2) == pytest.approx((a + b) / 2)
    other = "max(1,log2(i))"
    a = (4 + 2 + 3 * w) / (4 + 3 + 2 * w)
    b = (1 + 2 + 1 * w) / (2 + 1 + w)
    assert value(measure="NDCG", gains="r", discount=other) == pytest.approx((a + b) / 2)
    of = {"measure": "AP", "divisor": "length", "relevant_from": 3}
    assert value(**of, undefined="drop") == pytest.approx((1 + 2 / 3) / 3)
    assert value(**of, undefined="zero") == pytest.approx((1 + 2 / 3) / 6)
    # d2 and d1 are credible to somebody
    of = {"measure": "G", "recall": "topic", "relevant_from": 3, "undefined": "drop"}
    assert value(**of) == pytest.approx(math.sqrt(2 / 3))
    parts = {"gains": "r", "discount": log2, "recall": "list", "undefined": "zero"}
    mean = value(measure="WHAM(NDCG,G)", combined="means", relevant_from=3, **parts)
    x = value(measure="NDCG", gains="r", discount=log2)
    y = value(measure="G", recall="list", relevant_from=3, undefined="zero")
    assert mean == pytest.approx(2 / (1 / x + 1 / y))


def test_correlations_and_undefined_ones(lists):
    table = list_correlations(list_scores(lists, 3, 1)).set_index(["over", "first", "second"])
    assert table.loc[("lists", "NDCG", "AP"), "rho"] in (1, -1)
    assert np.isnan(table.loc[("topics", "NDCG", "AP"), "rho"])  # one topic


def test_divergent_results(lists):
    scores = list_scores(lists, 3, 1)
    found = divergent_results(lists, scores, 1, 4)
    assert set(found["docno"]) == {"d1"}
    assert set(found["high"]) == {"relevance"}
    assert found["measure"].tolist() == list(NAMES)
    assert divergent_results(lists, scores, 0, 9).empty


def test_ranges_hold_every_rule(lists):
    ranges = tie_ranges(lists)
    for rule in ("stable", "expected"):
        assert (ranges["pessimistic"] <= ranges[rule] + 1e-12).all()
        assert (ranges[rule] <= ranges["optimistic"] + 1e-12).all()


def test_weights_go_from_one_criterion_to_the_other(lists):
    table = list_weights(lists, 2).set_index(["measure", "weight"])["value"]
    scores = list_scores(lists, 3, 1).groupby("measure")["value"].mean()
    assert table["CAM", 1] == pytest.approx(scores["NDCG"])
    for name in ("NLRE", "NGRE", "NWCS"):
        assert table[name, 0.5] == pytest.approx(scores[name])


def test_the_published_ratings(real_data):
    """500 results of ten topics and ten assessors, one of them twice in its list."""
    lists = read_rated_lists(real_data / "a66" / "data.csv", FIELDS, CRITERIA, SCALE)
    assert len(lists) == 1000
    assert lists.groupby(["topic", "assessor"]).ngroups == 100
    table = conventions(lists, [3.0, 4.0], 1)
    plain = table[table["plain"]].set_index("measure")["value"]
    assert plain["NLRE"] == pytest.approx(0.9334, abs=5e-5)
    assert plain["AP"] == pytest.approx(0.8920, abs=5e-5)
    chosen = table[(table["measure"] == "NWCS") & (table["grades"] == "own")]
    assert chosen.set_index(["gains", "discount"]).loc[("r-1", "log2(1+i)"), "value"] == (
        pytest.approx(0.9408, abs=5e-5)
    )


def test_lists_of_several_lengths_make_no_mean_list(tmp_path):
    lists = read(tmp_path, TEXT + "c,1,1,d9,4,4,\n")
    with pytest.raises(ParameterError, match="lists of a topic have different lengths"):
        grades_of_lists(lists, "rank mean")
    assert isinstance(list_scores(lists, 3, 1), pd.DataFrame)
