"""Two sets of judgments side by side, as a notebook asks: findings, names, scales and edges."""

import pandas as pd
import pytest

import regrade
from regrade.errors import RegradeError

FAST = {"resamples": 5, "splits": 5}
QRELS = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1, "b": 0, "c": 0}}
"""Only a is relevant, of two topics."""

OTHER = {"1": {"a": 1, "b": 1, "c": 0}, "2": {"a": 1, "b": 0, "c": 0}}
"""As `QRELS`, and b of the first topic is relevant too."""


def runs(**orders):
    """Runs that rank documents so, of both topics: ``x="abc"``."""
    return {
        name: {topic: {d: -float(n) for n, d in enumerate(order)} for topic in QRELS}
        for name, order in orders.items()
    }


@pytest.mark.parametrize(
    ("systems", "second", "is_found"),
    [
        (runs(x="abc", y="bac", z="cba"), QRELS, False),
        (runs(x="abc", y="bac", z="cba"), OTHER, False),
        # y reaches x on the second topic, and passes it on the first
        (runs(x="acb", y="abc", z="cba"), OTHER, True),
        (runs(x="acb", z="cba"), OTHER, False),
        (runs(x="acb"), OTHER, False),
    ],
)
def test_another_best_system_is_found(systems, second, is_found):
    found = regrade.compare(QRELS, second, systems, "AP", **FAST)
    best = [set(found.systems.query(f"{one}_rank == 1")["system"]) for one in ("first", "second")]
    assert (best[0] != best[1]) == is_found
    assert found.finds("best") is is_found


def test_without_runs_another_label_is_a_change_and_nothing_is_told_of_systems():
    assert regrade.compare(QRELS, OTHER).finds("changed") is True
    same = regrade.compare(QRELS, QRELS)
    assert same.finds("changed") is False
    for asked in (lambda: same.finds("best"), same.movers, same.changed_pairs):
        with pytest.raises(RegradeError, match=r"no runs were given.*give runs \(--runs\)"):
            asked()


def test_the_ten_systems_that_move_furthest_are_told():
    """Of twelve, all of which change places, as each has b a rank later than the one before."""
    docnos = [f"d{n:02}" for n in range(12)]
    systems = {
        f"s{n:02}": {"1": {d: -float((k - n) % 12) for k, d in enumerate(docnos)}}
        for n in range(12)
    }
    first = {"1": {d: int(d == "d00") for d in docnos}}
    second = {"1": {d: int(d == "d11") for d in docnos}}
    found = regrade.compare(first, second, systems, "RR", **FAST)
    moves = found.systems.set_index("system")["move"].abs()
    assert (moves > 0).all()
    assert len(found.movers()) == 10
    assert len(found.movers(3)) == 3
    assert found.movers()["move"].abs().min() >= moves.sort_values().iloc[1]


@pytest.mark.parametrize("workers", ["xx", "xy"])
def test_values_of_several_workers_become_medians_and_that_is_said(workers, caplog):
    frame = pd.DataFrame(
        {"topic": "1", "docno": list("ab"), "worker": list(workers), "value": [1, 0]}
    )
    regrade.compare(QRELS, regrade.read_judgments(frame, name="crowd"))
    said = (
        "crowd has values of 2 workers: the median of a document's judgments counts; "
        "`judges` evaluates each judge separately"
    )
    assert caplog.messages == [said] * (workers == "xy")


def test_sets_are_called_as_they_are_told_to_be_and_told_apart():
    one, two = (regrade.read_qrels(QRELS, name=name) for name in ("nist", "model"))
    found = regrade.compare(one, two)
    assert (found.first, found.second) == ("nist", "model")
    found = regrade.compare(one, one)
    assert (found.first, found.second) == ("nist (first)", "nist (second)")
    assert found.answer.verdict.startswith("nist (first) and nist (second) agree exactly on 100.0%")
    found = regrade.compare(one, QRELS, names=("a", 2))
    assert (found.first, found.second) == ("a", "2")
    for names in (("a",), ("a", "b", "c")):
        with pytest.raises(RegradeError, match="give two names, one for each set"):
            regrade.compare(one, two, names=names)


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ((1, None), (1, None), True),
        ((2, None), (1, None), False),
        # labels that are all 0 are of two levels, as those are of one relevant document
        ((0, None), (1, None), True),
        ((1, None), (0, None), True),
        ((0, None), (2, None), False),
        ((1, 3), (2, 3), True),
        ((1, 2), (1, 3), False),
        ((1, 3), (1, None), True),
    ],
)
def test_whether_grades_mean_the_same_is_seen(first, second, is_same):
    """Of the highest grade, and the number of levels if it was told."""
    sets = [
        regrade.read_qrels({"1": {"a": grade, "b": 0}}, scale=levels)
        for grade, levels in (first, second)
    ]
    found = regrade.compare(*sets)
    facts = found.facts.set_index("quantity")["value"]
    assert bool(facts["same scale"]) is is_same
    assert bool(found.answer.notes) is not is_same


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"resamples": "10"}, "resamples is '10': give a whole number"),
        ({"splits": 2.5}, "splits is 2.5: give a whole number"),
        ({"splits": True}, "splits is True: give a whole number"),
        ({"persistence": "high"}, "persistence is 'high': give a number"),
        ({"tops": 5}, "tops is 5: give a list"),
        ({"metric": ["nominal"]}, "metric is ['nominal']: give a text"),
        ({"seed": -1}, "seed is -1: give 0 or more"),
        ({"groups": ["x"]}, "groups is a list: give {system: group}"),
        ({"measures": []}, "no measure is named: name one, such as AP"),
        ({"measures": " "}, "no measure is named: name one, such as AP"),
    ],
)
def test_options_of_another_kind_are_refused(options, said):
    with pytest.raises(RegradeError) as refused:
        regrade.compare(QRELS, OTHER, runs(x="abc", y="cba"), **{"measures": "AP"} | options)
    assert said in str(refused.value)
