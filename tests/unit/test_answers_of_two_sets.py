"""What other labels change, in sentences: of rows written by hand."""

import numpy as np
import pandas as pd

import regrade
from regrade.answers.changed import (
    movers,
    movers_said,
    pairs_said,
    reordered_said,
    ties_said,
)
from regrade.answers.glossary import terms_in
from regrade.answers.shape import Answer
from regrade.catalogue import ALL_TOPICS
from regrade.evaluations.comparison_answer import answer, best_said, labels_said, lacking_said
from regrade.evaluations.judges_answer import changed_said
from regrade.measures import names_with_levels
from tests.snapshots import assert_said, assert_snapshot
from tests.unit.figure_checks import words


def test_how_much_is_reordered_is_said_where_the_interval_supports_it():
    """Without an interval, or where it holds 0.9, there is a number and no word."""
    none = (np.nan, np.nan)
    cases = [
        (1, np.nan, 0, none),
        (2, np.nan, 0, none),
        (5, 1.0, 0, (1.0, 1.0)),
        (5, 0.95, 1, (0.9, 0.98)),
        (5, 0.95, 1, (0.89, 0.98)),
        (5, 0.95, 2, none),
        (5, 0.7, 2, (0.5, 0.9)),
        (5, 0.7, 2, (0.5, 0.89)),
        (2, -1.0, 2, (-1.0, -1.0)),
    ]

    def say(systems, tau, moving, ends):
        for beyond in (False, True):
            yield reordered_said("B", systems, tau, moving, 3, "AP", ends, beyond_chance=beyond)

    assert_said("compare-reordered", say, cases)


def test_a_word_of_a_scale_is_defined_where_it_stands():
    """In the method, once, and only there."""
    how = [Answer.of("?", [one], how="So.").how for one in ("It is.", "It largely preserves it.")]
    assert how == [
        "So.",
        "So. A ranking is largely preserved where the 95% interval of τ_b over topics does not lie "
        "below 0.9.",
    ]


def test_measures_that_leave_their_level_open_are_named_with_it():
    """Where a sentence first names them, and never within other names."""
    names = names_with_levels(["AP", "P@10", "nDCG@10", "AP(rel=2)", "RBP"], 3)
    assert names == {"AP": "AP (grades ≥ 1)", "P@10": "P@10 (grades ≥ 1)"}
    assert names_with_levels(["AP"], 1) == {}
    said = ["By AP a, and AP again.", "P@10 and AP.", "CAP, AP@10, AP(rel=2), run-AP and P@100."]
    answer = Answer.of("?", said, how="AP.").naming(names)
    assert [answer.verdict, *answer.facts] == [
        "By AP (grades ≥ 1) a, and AP again.",
        "P@10 (grades ≥ 1) and AP (grades ≥ 1).",
        said[2],
    ]
    assert answer.method == "AP."


def test_pictures_name_measures_as_sentences_do():
    qrels = {t: {"a": 2, "b": 1, "c": 0} for t in "12"}
    runs = {s: {t: dict(zip(o, (3, 2, 1), strict=True)) for t in qrels} for s, o in
            (("x", "abc"), ("y", "bca"), ("z", "cab"))}  # fmt: skip
    figure = regrade.compare(qrels, qrels, runs, "AP nDCG@10", resamples=5, splits=2).plot()
    said = words(figure)
    assert any("AP (grades ≥ 1)" in one for one in said)
    assert any("nDCG@10" in one and "grades" not in one for one in said)


def test_pairs_that_change_are_counted():
    names = ("pairs", "appears", "disappears", "reverses")

    def say(*counts):
        found = dict(zip(names, counts, strict=True))
        for by_topics in (0.0, np.nan):
            yield pairs_said(found | {"by_topics": by_topics}, "by B", "by A")

    cases = [(0, 0, 0, 0), (6, 1, 2, 0), (6, 2, 1, 1), (6, 0, 0, 2)]
    assert_said("compare-pairs", say, cases)
    assert terms_in([*say(6, 1, 2, 0)][:1]) == ["significantly"]


def test_what_the_best_judge_changes_is_counted():
    def say(changed):
        return changed_said(pd.Series({"judge": "J", "pairs": 6, "changed": changed}), "R")

    assert_said("judges-changed-pairs", say, [(1,), (2,), (np.nan,)])


def test_ties_are_told_where_they_show():
    """Of three decimals nothing shows."""
    cases = [(0.912, 0.908, 0.914), (0.912, np.nan, np.nan), (0.912, 0.88, 0.92)]
    assert_said("compare-ties", lambda *case: ties_said("under B", *case), cases)


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


def test_the_best_under_each_set_is_named():
    def say(*second):
        rows = zip("abc", (1, 2, 3), second, strict=False)
        of = systems_of(*(("AP", name, one, other, one - other) for name, one, other in rows))
        return best_said("A", "B", of)

    assert_said("compare-best", say, [(1, 2, 3), (2, 1, 3), (1, 1, 3), (1,)])


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


def test_on_average_higher_or_lower_labels_are_told_where_they_show():
    """0.00 is no difference that could be said."""
    cases = [(0.18,), (-0.006,), (-0.004,), (0.0,)]
    assert_said("compare-labels", lambda one: labels_said("A", "B", labels_of(one)), cases)


def test_documents_of_one_set_only_are_counted():
    cases = [(0, 0), (3, 1), (0, 1)]
    assert_said("compare-lacking", lambda a, b: lacking_said({"A": a, "B": b}), cases)


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
             "low": np.nan, "high": np.nan, "ties_low": np.nan, "ties_high": np.nan}
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
    alone = {name: t[t["system"] == "a"] if name == "systems" else t for name, t in tables.items()}
    both = (str(answer("A", "B", one)) for one in (tables, alone))
    assert_snapshot("compare-two-systems-and-one", "\n\n".join(both))


def test_a_set_that_lacks_the_highest_grade_may_be_on_the_same_scale():
    """What scales were taken to be is said where nobody stated them, and how to state one."""
    grades = {"1": {"a": 0, "b": 1, "c": 3}, "2": {"a": 2, "b": 0}}
    lower = {topic: {d: min(g, 2) for d, g in of.items()} for topic, of in grades.items()}
    assumed = regrade.compare(grades, lower).answer
    [mind] = [one for one in assumed.warnings if "highest grade" in one]
    assert mind.startswith("The highest grade is 3 in first and 2 in second: if both sets are on")
    assert mind.endswith("say so (`--scale 4`, in Python `scale=4`).")
    for how in ({"scale": 4}, {"same_scale": True}, {"same_scale": False}):
        said = regrade.compare(grades, lower, **how).answer
        assert not any("highest grade" in one for one in said.warnings)
    assert "80.0% of 5 documents" in regrade.compare(grades, lower, scale=4).answer.verdict
