"""Sets from other sets, and the stage of magnitudes: what they refuse and how."""

import pytest

from regrade.workflow.collection import Collection
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import ConfigError, complete
from regrade.workflow.sets import deriving, source_of

ITEMS = {"published": False, "table-1": {"set": "ME"}, "figure-4": {"set": "ME"}}


def built(**parts) -> Collection:
    """A collection with magnitudes, and `parts` over it."""
    collection = {
        "runs": {"simulate": {}},
        "qrels": {"TR2": {"levels": 2}, "So4": {"simulate": {}, "levels": 4}},
        "judgments": {
            "ME": {"simulate": {}, "ratio": True},
            "S100": {"simulate": {}, "levels": 101},
            "votes": {"file": "f", "unit": None, "levels": 2},
        },
        "magnitudes": [{"set": "ME", "references": ["So4", "TR2"]}],
        **parts,
    }
    config = complete({"collection": "own", "collections": {"own": collection}})
    return read_collection("own", config)


def with_set(kind: str, **options) -> Collection:
    """The collection with one more set of a kind, called X."""
    known = {
        "qrels": {"TR2": {"levels": 2}, "So4": {"simulate": {}, "levels": 4}},
        "judgments": {
            "ME": {"simulate": {}, "ratio": True},
            "votes": {"file": "f", "unit": None, "levels": 2},
            "Y": {"from": "ME", "ratio": True},
        },
    }
    known[kind]["X"] = options
    return built(**known, magnitudes=[])


def asked(**options) -> Collection:
    """The collection with other options of its magnitudes."""
    return built(magnitudes=[{"set": "ME", "references": ["So4", "TR2"], **options}])


def test_a_set_may_be_from_another():
    collection = with_set("qrels", **{"from": "ME", "normalise": "geometric", "ratio": True})
    options = collection.qrels["X"]
    assert source_of(options) == "from"
    assert deriving(options) == {
        "aggregate": "median",
        "normalise": "geometric",
        "shift": 0,
    }
    assert deriving(collection.judgments["Y"]) == {"normalise": "geometric", "shift": 0}
    assert collection.units("Y") == collection.units("ME") == ["unit"]


def test_what_is_from_a_simulated_set_is_simulated():
    collection = with_set("qrels", **{"from": "Y", "ratio": True})
    assert collection.notes_on("X") == "Simulated, not real: runs, X."
    collection = with_set("qrels", **{"from": "votes", "levels": 2, "aggregate": "majority"})
    assert collection.notes_on("X") == "Simulated, not real: runs."


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("judgments", {"from": "Y"}, "X.from: Y is itself from ME: name a set with values"),
        ("judgments", {"from": "votes"}, "X.normalise: compares values within a unit (HIT), and"),
        ("judgments", {"from": "ME", "unit": "hit"}, "X.unit: units are those of ME: leave it out"),
        ("judgments", {"from": "ME", "file": "f"}, "X: give one of `file`, `simulate` and `from`"),
        ("judgments", {"from": "ME", "where": {"a": "b"}}, "X.where: goes with `file` only"),
        ("judgments", {"simulate": {}, "shift": 1}, "X.shift: goes with `from` only: leave it out"),
        ("qrels", {"from": "ME", "shift": 1}, "X.shift: is added before normalising, and"),
        ("qrels", {"file": "f", "aggregate": "mean"}, "X.aggregate: goes with `from` only"),
    ],
)
def test_a_set_from_another_needs_what_makes_it(kind, options, said):
    with pytest.raises(ConfigError) as caught:
        with_set(kind, ratio=True, **options)
    assert str(caught.value).startswith(f"config: collections.own.{kind}.{said}")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"set": "votes"}, "votes.set: compares values within a unit (HIT), and votes has no"),
        ({"set": "S100"}, "S100.shift: S100 holds 0, 1, 2, …, 100 (101 values), and magnitudes"),
    ],
)
def test_magnitudes_need_what_they_compare(options, said):
    with pytest.raises(ConfigError) as caught:
        asked(**options)
    assert str(caught.value).startswith(f"config: collections.own.magnitudes.{said}")


def test_labels_without_levels_cannot_be_compared_with():
    qrels = {"TR2": {"levels": 2}, "real": {"file": "f", "range": [0, 1]}}
    with pytest.raises(ConfigError, match="real holds numbers from 0 to 1, and all of its values"):
        built(qrels=qrels, magnitudes=[{"set": "ME", "references": ["real"]}])


def test_a_set_may_come_twice_under_two_names():
    one = {"set": "S100", "shift": 1}
    collection = built(magnitudes=[one, {**one, "name": "raw", "normalise": "none"}])
    assert list(collection.items["magnitudes"]) == ["S100", "raw"]


def test_an_item_shows_magnitudes_that_are_there():
    collection = built(studies={"turpin2015": ITEMS})
    table, figure = collection.requested_items
    assert table.inputs["magnitudes_topics"] == ["magnitudes/ME/topics.parquet"]
    assert table.notes == "Simulated, not real: TR2, So4, ME."
    assert figure.notes == "Simulated, not real: runs, TR2, So4, ME."


@pytest.mark.parametrize(
    ("parts", "item", "said"),
    [
        ({}, {"set": "ME", "reference": "S"}, "there is no reference of `magnitudes.ME` 'S'"),
        ({"magnitudes": []}, {"set": "ME"}, "shows `magnitudes`: request it too"),
        ({"magnitudes": [{"set": "ME"}]}, {"set": "ME"}, "compares with labels: name some under"),
    ],
)
def test_an_item_that_cannot_be_shown_is_refused(parts, item, said):
    with pytest.raises(ConfigError) as caught:
        built(**parts, studies={"turpin2015": {"figure-1": item}})
    assert said in str(caught.value)


def test_systems_need_runs():
    judgments = {"ME": {"file": "f", "ratio": True}}
    qrels = {"So4": {"file": "g", "levels": 4}}
    parts = {"runs": None, "judgments": judgments, "qrels": qrels}
    parts["magnitudes"] = [{"set": "ME", "references": ["So4"]}]
    assert built(**parts).items["magnitudes"]
    with pytest.raises(ConfigError, match="figure-4: ranks systems, and the collection has no"):
        built(**parts, studies={"turpin2015": {"figure-4": {"set": "ME"}}})
