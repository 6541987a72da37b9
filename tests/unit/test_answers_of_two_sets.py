"""What other labels change, in sentences: of rows written by hand."""

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.answers.changed import (
    UNTESTED,
    movers,
    movers_said,
    pairs_said,
    reordered_said,
    ties_said,
)
from regrade.answers.compare import answer, best_said, labels_said, lacking_said
from regrade.answers.glossary import terms_in
from regrade.answers.judges import changed_said
from regrade.catalogue import ALL_TOPICS


@pytest.mark.parametrize(
    ("systems", "tau", "moving", "said"),
    [
        (1, np.nan, 0, "B reorders nothing: there is one system."),
        (2, np.nan, 0, "B cannot be judged by AP: all 2 systems score the same."),
        (5, 1.0, 0, "B leaves the 5 systems in the same order by AP."),
        (5, 0.99, 1, "B reorders the 5 systems hardly by AP (τ_b 0.99): 1 changes rank"),
        (5, 0.9, 2, "B reorders the 5 systems little by AP (τ_b 0.90): 2 change rank, by at most"),
        (5, 0.7, 2, "B reorders the 5 systems somewhat by AP (τ_b 0.70): 2"),
        (5, 0.69, 2, "B reorders the 5 systems much by AP (τ_b 0.69): 2"),
    ],
)
def test_how_much_is_reordered_is_said_in_steps(systems, tau, moving, said):
    assert reordered_said("B", systems, tau, moving, 3, "AP").startswith(said)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((0, 0, 0, 0), ""),
        (
            (6, 1, 2, 0),
            "Of 6 pairs, 1 differs significantly only by B, 2 only by A; none reverses.",
        ),
        ((6, 2, 1, 1), "Of 6 pairs, 2 differ significantly only by B, 1 only by A; 1 reverses."),
        ((6, 0, 0, 2), "Of 6 pairs, 0 differ significantly only by B, 0 only by A; 2 reverse."),
    ],
)
def test_pairs_that_change_are_counted(counts, said):
    names = ("pairs", "appears", "disappears", "reverses")
    found = dict(zip(names, counts, strict=True))
    assert pairs_said(found | {"by_topics": 0.0}, "by B", "by A") == said
    assert pairs_said(found | {"by_topics": np.nan}, "by B", "by A") == (said and UNTESTED)
    if said:
        assert terms_in([said]) == ["significantly"]


@pytest.mark.parametrize(("changed", "said"), [(1, "1 differs"), (2, "2 differ"), (np.nan, "")])
def test_what_the_best_judge_changes_is_counted(changed, said):
    found = changed_said(pd.Series({"judge": "J", "pairs": 6, "changed": changed}), "R")
    assert found == (found and f"Of 6 pairs of systems {said} significantly under only one of R "
                     "and J, or the other way round.")  # fmt: skip
    assert bool(found) == bool(said)


def test_ties_are_told_where_they_show():
    """Of three decimals nothing shows."""
    assert ties_said("under B", 0.912, 0.908, 0.914) == ""
    assert ties_said("under B", 0.912, np.nan, np.nan) == ""
    assert ties_said("under B", 0.912, 0.88, 0.92).endswith("τ_b lies between 0.88 and 0.92.")


def systems_of(*rows):
    return pd.DataFrame(rows, columns=["measure", "system", "first_rank", "second_rank", "move"])


def test_the_furthest_movers_are_named_by_measure():
    found = systems_of(
        ("nDCG", "a", 1, 1, 0),
        ("nDCG", "b", 2, 3, -1),
        ("nDCG", "c", 4, 2, 2),
        ("AP", "a", 1, 4, -3),
        ("AP", "b", 2, 2, 0),
    )
    told = movers(found, 1)
    assert told[["measure", "system"]].to_numpy().tolist() == [["nDCG", "c"], ["AP", "a"]]
    ndcg = found[found["measure"] == "nDCG"]
    assert movers_said(ndcg) == "Furthest: c from 4 to 2 and b from 2 to 3."
    assert movers_said(ndcg[ndcg["system"] == "a"]) == ""
    many = systems_of(*(("AP", name, 1, n, 1 - n) for n, name in enumerate("vwxyz", 1)))
    assert movers_said(many) == "Furthest: z from 1 to 5, y from 1 to 4 and x from 1 to 3."


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ([1, 2, 3], "a is the best under both."),
        ([2, 1, 3], "The best under A: a; under B: b."),
        ([1, 1, 3], "The best under A: a; under B: a and b."),
    ],
)
def test_the_best_under_each_set_is_named(second, said):
    rows = zip("abc", (1, 2, 3), second, strict=True)
    of = systems_of(*(("AP", name, one, other, one - other) for name, one, other in rows))
    assert best_said("A", "B", of) == said
    assert best_said("A", "B", of[:1]) == ""


def labels_of(difference):
    """The tables about labels alone."""
    facts = [("documents both", 40.0, ""), ("same scale", 1.0, "")]
    return {
        "facts": pd.DataFrame(facts, columns=["quantity", "value", "note"]),
        "agreement": pd.DataFrame(
            {"topic": ["1", ALL_TOPICS], "equal": [0.1, 0.75], "difference": [9.0, difference]}
        ),
        "labels": pd.DataFrame({"quantity": ["alpha"], "value": 0.5, "low": 0.4, "high": 0.6}),
    }


@pytest.mark.parametrize(
    ("difference", "said"),
    [
        (0.18, ["B is higher by 0.18 on average."]),
        (-0.006, ["B is lower by 0.01 on average."]),
        (-0.004, []),  # 0.00 is no difference that could be said
        (0.0, []),
    ],
)
def test_on_average_higher_or_lower_labels_are_told_where_they_show(difference, said):
    first, *found = labels_said("A", "B", labels_of(difference))
    assert first == (
        "A and B give 75.0% of 40 documents that both judged one label: α is 0.500 (0.400 to "
        "0.600)."
    )
    assert found == said


def test_documents_of_one_set_only_are_counted():
    assert lacking_said({"A": 0, "B": 0}) == ""
    said = "Of documents that only one set labels 3 under A and 1 under B count as not relevant"
    assert lacking_said({"A": 3, "B": 1}).startswith(said)
    assert lacking_said({"A": 0, "B": 1}).startswith("Of documents that only one set labels 1 un")


def test_one_system_has_scores_and_two_have_an_order_each_by_its_measure():
    """Of two measures the second has a verdict of its own; what never happens counts as none."""
    columns = ["measure", "system", "first", "second", "first_rank", "second_rank", "move"]
    rows = [
        ("AP", "a", 0.5, 0.2, 1, 2, -1),
        ("AP", "b", 0.4, 0.3, 2, 1, 1),
        ("RR", "a", 0.5, 0.5, 1, 1, 0),
        ("RR", "b", 0.4, 0.4, 2, 2, 0),
    ]
    counted = [("topics scored", 4.0, ""), ("systems", 2.0, "")]
    counted += [("not relevant first", 0.0, ""), ("not relevant second", 0.0, "")]
    labels = labels_of(0.0)
    facts = pd.DataFrame(counted, columns=["quantity", "value", "note"])
    tables = labels | {
        "facts": pd.concat([labels["facts"], facts], ignore_index=True),
        "systems": pd.DataFrame(rows, columns=columns),
        "rankings": pd.DataFrame(
            {"measure": ["AP", "RR"], "quantity": "tau", "value": [-1.0, 1.0],
             "ties_low": np.nan, "ties_high": np.nan}
        ),
        "pair_counts": pd.DataFrame(
            {"measure": ["AP", "RR"], "change": ["none", "none"], "pairs": [1, 1]}
        ),
        "changes": pd.DataFrame(
            {"measure": ["AP", "RR"], "moved": [2, 0], "farthest": [1, 0], "pairs": 1,
             "by_topics": 0.0, "low": np.nan, "high": np.nan, "told": np.nan}
        ),
        "reliability": pd.DataFrame(columns=["measure", "quantity", "of", "value"]),
    }  # fmt: skip
    found = answer("A", "B", tables)
    much = "B instead of A reorders the 2 systems much by AP (τ_b −1.00): 2 change rank"
    assert found.verdict.startswith(much)
    assert found.facts[0] == (
        "Of 1 pair, 0 differ significantly only under B, 0 only under A; none reverses."
    )
    assert found.facts[-1] == "B instead of A leaves the 2 systems in the same order by RR."
    alone = {name: t[t["system"] == "a"] if name == "systems" else t for name, t in tables.items()}
    assert answer("A", "B", alone).verdict == (
        "The one system, a, has AP 0.5000 under A and 0.2000 under B: with others it would have a "
        "rank."
    )


def test_a_set_that_lacks_the_highest_grade_may_be_on_the_same_scale():
    """What scales were taken to be is said where nobody stated them, and how to state one."""
    grades = {"1": {"a": 0, "b": 1, "c": 3}, "2": {"a": 2, "b": 0}}
    lower = {topic: {d: min(g, 2) for d, g in of.items()} for topic, of in grades.items()}
    assumed = regrade.compare(grades, lower).answer
    [mind] = [one for one in assumed.warnings if "highest value" in one]
    assert "first to 3 and second to 2: if both sets are on one" in mind
    for how in ({"scale": 4}, {"same_scale": True}, {"same_scale": False}):
        said = regrade.compare(grades, lower, **how).answer
        assert not any("highest value" in one for one in said.warnings)
    assert "80.0% of 5 documents" in regrade.compare(grades, lower, scale=4).answer.verdict
