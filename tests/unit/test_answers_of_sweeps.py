"""What decides, in sentences: of rows written by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.answers import label_sweep, sweep

AXES = ["axis", "with_axis", "outcome", "total", "factorial"]


def axes_of(*rows):
    """Each an axis, an outcome and its part in the variance, of the largest factorial."""
    return pd.DataFrame([(axis, None, of, part, 1) for axis, of, part in rows], columns=AXES)


# --- of systems -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [("labels", "tau", 0.6), ("ties", "tau", 0.4), ("ties", "otherwise", np.nan)],
            "The labels decide most about how systems are ranked (60% of the variance).",
        ),
        (
            [("measure", "tau", 0.6), ("measure", "otherwise", 0.7), ("labels", "tau", 0.4)],
            "The measure decides most about how systems are ranked (60% of the variance) and which "
            "pairs are concluded otherwise (70% of the variance).",
        ),
        (
            [("measure", "tau", 0.6), ("topics", "otherwise", 0.7)],
            "The measure decides most about how systems are ranked (60% of the variance); the "
            "topics decide most about which pairs are concluded otherwise (70% of the variance).",
        ),
        ([("labels", "tau", 1.0), ("labels", "otherwise", 1.0)], ""),
        ([("labels", "tau", np.nan)], "No choice decides: nothing varies."),
        ([("labels", "tau", 0.0)], "No choice decides: nothing varies."),
    ],
)  # fmt: skip
def test_which_choice_decides(rows, said):
    assert sweep.decides_said(axes_of(*rows), {"order holds": 3, "pairs": 6}) == said


@pytest.mark.parametrize(
    ("holds", "said"),
    [
        (5, "Which choice decides is not said: in some combinations all systems are tied, where "
         "rankings have no τ_b."),
        (6, "No choice decides: nothing varies."),
    ],
)  # fmt: skip
def test_where_all_are_tied_in_some_combinations_no_order_is_said_not_to_vary(holds, said):
    rows = axes_of(("labels", "otherwise", np.nan), ("ties", "otherwise", np.nan))
    assert sweep.decides_said(rows, {"order holds": holds, "pairs": 6}) == said


def test_labels_that_tie_all_systems_are_told_of():
    runs = {name: {"t": {"x": first, "y": 1.0}} for name, first in (("a", 2.0), ("b", 0.0))}
    labels = {"some": {"t": {"x": 1, "y": 0}}, "none": {"t": {"x": 0, "y": 0}}}
    found = regrade.sweep(
        {"labels": [*labels], "ties": ["rank", "docno"]}, {"labels": "some", "measure": "P@1"},
        sets=labels, scales=dict.fromkeys(labels, 2), runs=runs,
    )  # fmt: skip
    assert found.answer.verdict.startswith("Which choice decides is not said")


@pytest.mark.parametrize(
    ("told", "holds", "mostly", "ordered", "said"),
    [
        (1, 1, 1, 1, "Of the 1 pair of systems that the baseline tells apart, 1 is told apart the "
         "same whatever one chooses; of all 6 pairs, 1 has the same"),
        (3, 0, 1, 0, "Of the 3 pairs of systems that the baseline tells apart, none are told apart "
         "the same whatever one chooses, and 1 in 95% of the combinations or more; of all 6 pairs, "
         "none have the same"),
        (0, 0, 0, 2, "The baseline tells no pair of systems apart; of all 6 pairs, 2 have the "
         "same"),
    ],
)  # fmt: skip
def test_what_holds_is_counted(told, holds, mostly, ordered, said):
    facts = {"told apart": told, "told apart and holds": holds, "mostly holds": mostly,
             "order holds": ordered, "pairs": 6, "topics": 4}  # fmt: skip
    assert sweep.holds_said(facts) == f"{said} order in every combination."
    one = sweep.holds_said(facts | {"pairs": 1, "order holds": min(ordered, 1)})
    assert one.endswith(f"; the two systems {'' if ordered else 'do not '}have the same order in "
                        "every combination.")  # fmt: skip
    if not told:
        said = "Of one topic no pair of systems can be tested; of all 6 pairs, 2 have the same"
        assert sweep.holds_said(facts | {"topics": 1}).startswith(said)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("a", 1, 1.0), ("b", 2, 0.0)], "a is first in every combination."),
        ([("a", 1, 1.0), ("b", 1, 1.0)], "a and b tie for first place in every combination."),
        ([("a", 1, 0.25), ("b", 2, 0.75)],
         "a is first at the baseline; first, alone or tied, in some combinations are b (75%) and a "
         "(25%)."),
        ([("a", 1, 0.4), ("b", 1, 0.3), ("c", 3, 0.2), ("d", 4, 0.1), ("e", 5, 0.0)],
         "a and b tie for first place at the baseline; first, alone or tied, in the most "
         "combinations are a (40%), b (30%) and c (20%), of 4 systems that are first in some."),
    ],
)  # fmt: skip
def test_which_systems_are_first(rows, said):
    systems = pd.DataFrame(rows, columns=["system", "baseline_rank", "share_first"])
    facts = {"first in some": (systems["share_first"] > 0).sum()}
    assert sweep.first_said(systems.assign(axis=None), facts) == said


class Axis(SimpleNamespace):
    """A name, and how many choices it has."""

    def __len__(self):
        return self.choices


def a_sweep(labels=1, **others):
    """How many choices each axis has."""
    axes = [Axis(name=name, choices=choices) for name, choices in others.items()]
    design = SimpleNamespace(conditions=SimpleNamespace(axes=axes))
    return SimpleNamespace(counts=np.array([labels]), design=design)


def counted_of(pairs, changed=()):
    columns = ["conclusion", "told_better", "told_worse"]
    systems = pd.DataFrame({"axis": [None, None, "labels"], "share_first": [1.0, 0.0, 0.5]})
    tables = {
        "pairs": pd.DataFrame(pairs, columns=columns),
        "systems": systems,
        "examples": pd.DataFrame({"changed_choices": [*changed]}),
    }
    found = sweep.counted_facts(a_sweep(3, ties=2), tables)
    return found.set_index("quantity")["value"]


def test_what_sentences_count():
    found = counted_of(
        [
            ("better", np.nextafter(0.95, 0), 0.01),
            ("better", 0.94, 0.06),
            ("worse", 0.02, 0.98),
            ("worse", 0.98, 0.0),
            ("not told apart", 0.99, 0.01),
            ("better", 1.0, 0.0),
        ],
        changed=(2, 2, 3),
    )
    assert found.to_dict() == {
        "mostly holds": 3, "first in some": 1, "reversed": 4, "fewest choices": 2,
        "otherwise with the fewest": 2, "otherwise with more": 1, "never otherwise": 3,
        "choices of labels": 3, "choices of ties": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fewest", "count", "more", "never", "said"),
    [
        (1, 1, 0, 5, "1 of 6 pairs is concluded otherwise with one other choice and 5 in no"),
        (2, 2, 3, 1, "2 of 6 pairs are concluded otherwise with 2 other choices, 3 only with more"
         " and 1 in no"),
    ],
)  # fmt: skip
def test_with_how_many_choices_pairs_are_concluded_otherwise(fewest, count, more, never, said):
    facts = {"fewest choices": fewest, "otherwise with the fewest": count, "pairs": 6,
             "otherwise with more": more, "never otherwise": never}  # fmt: skip
    assert sweep._counts_said(facts) == f"{said} combination"


class Labels(list):
    """What an entry of labels stands for."""

    def __init__(self, text, count):
        super().__init__(range(count))
        self.entry = SimpleNamespace(text=text)


def test_an_example_is_rather_one_of_an_entry_that_stands_for_nothing_else():
    of = SimpleNamespace(labels=[Labels("NIST", 1), Labels("judge", 1), Labels("every", 9)])
    many = [sweep._is_many(of, "labels", one) for one in ("NIST", "judge (1 2)", "every (1 2)")]
    assert many == [False, False, True]
    rows = [
        ("a", "b", "better", "worse", 1, "labels: every (1 2)"),
        ("c", "d", "worse", "better", 1, "labels: NIST"),
        ("e", "f", "better", "not told apart", 1, "labels: judge (1 2)"),
        ("g", "h", "better", "worse", 2, "labels: NIST; ties: docno"),
    ]
    columns = ["system", "other", "conclusion", "becomes", "changed_choices", "changes"]
    said = sweep._example_said(of, {"examples": pd.DataFrame(rows, columns=columns)})
    assert said == (
        " For example, e is better than f, but the two are not told apart with the labels judge "
        "(1 2)."
    )
    first = sweep._example_said(of, {"examples": pd.DataFrame(rows[:1], columns=columns)})
    assert first.endswith("a is better than b, but b is better with the labels every (1 2).")
    assert sweep._example_said(of, {"examples": pd.DataFrame(rows[1:2], columns=columns)}) == ""


# --- of labels ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ends", "out", "said"),
    [
        ((-0.1, 0.0, 0.2, 0.5), 0, "α lies between −0.100 and 0.500, in half of the combinations "
         "between 0.000 and 0.200."),
        ((0.1, 0.1, 0.2, 0.5), 1, "α lies between 0.100 and 0.500, in half of the combinations "
         "between 0.100 and 0.200 (1 combination has none)."),
        ((0.5,) * 4, 0, "α is 0.500 in every combination."),
        ((0.5,) * 4, 2, "α is 0.500 wherever there is one (2 combinations have none)."),
        (None, 4, "α is undefined in every combination."),
    ],
)  # fmt: skip
def test_between_what_alpha_lies(ends, out, said):
    row = (None, "alpha", 4 if ends else 0, *(ends or (np.nan,) * 4))
    other = ("labels", "alpha", 4, 0.9, 0.9, 0.9, 0.9)
    columns = ["axis", "outcome", "universes", "low", "q1", "q3", "high"]
    entries = pd.DataFrame([other, row], columns=columns)
    assert label_sweep.alpha_said(entries, {"undefined": out}) == said


@pytest.mark.parametrize(
    ("documents", "holds", "mostly", "said"),
    [
        (0, 0, 0, "Of 0 documents, 0 have one level under all labels."),
        (1, 1, 1, "Of 1 document, 1 (100%) has one level under all labels."),
        (4, 2, 2, "Of 4 documents, 2 (50%) have one level under all labels."),
        (4, 1, 2, "Of 4 documents, 1 (25%) has one level under all labels, and 2 under 95% of them "
         "or more."),
    ],
)  # fmt: skip
def test_documents_of_one_level_are_counted(documents, holds, mostly, said):
    facts = {"documents": documents, "holds": holds, "mostly holds": mostly}
    facts["share holds"] = holds / documents if documents else np.nan
    assert label_sweep.holds_said(facts) == said


def test_what_sentences_of_labels_count():
    documents = pd.DataFrame(
        {"same": [1.0, np.nextafter(0.95, 0), 0.95, 0.94, 0.5], "holds": [True, *[False] * 4]}
    )
    found = label_sweep.counted_facts(a_sweep(3, metric=2), documents)
    assert found.set_index("quantity")["value"].to_dict() == {
        "mostly holds": 3, "share holds": 0.2, "choices of labels": 3, "choices of metric": 2,
    }  # fmt: skip
    none = label_sweep.counted_facts(a_sweep(), documents[:0]).set_index("quantity")["value"]
    assert np.isnan(none["share holds"]) and none["mostly holds"] == 0


@pytest.mark.parametrize(("halves", "said"), [(np.nan, ""), (0.125, "differ by 0.125, in")])
def test_what_halves_of_the_topics_change(halves, said):
    found = label_sweep.halves_said({"halves": halves})
    assert said in found
    assert bool(found) == bool(said)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("labels", "alpha", 0.7), ("metric", "alpha", 0.3)],
         "The labels decide most about agreement (α): 70% of its variance."),
        ([("labels", "alpha", 0.3), ("metric", "alpha", 0.7)],
         "The metric decides most about agreement (α): 70% of its variance."),
        ([("labels", "alpha", 1.0)], ""),
        ([("labels", "alpha", np.nan)],
         "No choice decides: α does not vary, or is undefined in some combinations."),
    ],
)  # fmt: skip
def test_which_choice_decides_about_agreement(rows, said):
    assert label_sweep.decides_said(axes_of(*rows)) == said
