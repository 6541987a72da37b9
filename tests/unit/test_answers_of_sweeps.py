"""What decides, in sentences: of rows written by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

import regrade
from regrade.sweeps import answer as sweep
from regrade.sweeps import label_answer as label_sweep
from regrade.sweeps.counts import deciding, document_counts, pair_counts
from tests.snapshots import assert_said, assert_snapshot

NONE = np.nan


def axes_of(rows):
    """Each an axis, an outcome and its part in the variance, of the largest factorial."""
    columns = ["axis", "with_axis", "outcome", "total", "first_order", "factorial"]
    rows = [(axis, None, of, *(parts * 2)[:2], 1) for axis, of, *parts in rows]
    return pd.DataFrame(rows, columns=columns)


# --- of systems -----------------------------------------------------------------------------------


def test_which_choice_decides():
    """Measures differ by what they are, and what alone varies beside them decides all.

    Where all systems are tied in some combinations, no order is said not to vary.
    """
    cases = [
        ([("labels", "tau", 0.6), ("ties", "tau", 0.4), ("ties", "otherwise", NONE)], 3),
        ([("measure", "tau", 0.8, 0.5), ("ties", "tau", 0.1), ("labels", "tau", 0.4)], 3),
        ([("measure", "tau", 0.8), ("labels", "tau", 0.2), ("labels", "otherwise", 0.4),
          ("test", "otherwise", 0.6)], 3),
        ([("measure", "tau", 0.6, 0.4), ("topics", "tau", 0.5), ("labels", "tau", 0.2),
          ("topics", "otherwise", 0.7), ("labels", "otherwise", 0.3)], 3),
        ([("labels", "tau", 1.0), ("labels", "otherwise", 1.0)], 3),
        ([("labels", "tau", NONE)], 3),
        ([("labels", "tau", 0.0)], 3),
        ([("labels", "otherwise", NONE), ("ties", "otherwise", NONE)], 5),
        ([("labels", "otherwise", NONE), ("ties", "otherwise", NONE)], 6),
    ]  # fmt: skip

    def say(rows, holds):
        return sweep.decides_said(axes_of(rows), {"order holds": holds, "pairs": 6})

    assert_said("sweep-decides", say, cases)


def test_labels_that_tie_all_systems_are_told_of():
    runs = {name: {"t": {"x": first, "y": 1.0}} for name, first in (("a", 2.0), ("b", 0.0))}
    labels = {"some": {"t": {"x": 1, "y": 0}}, "none": {"t": {"x": 0, "y": 0}}}
    found = regrade.sweep(
        {"labels": [*labels], "ties": ["rank", "docno"]}, {"labels": "some", "measure": "P@1"},
        sets=labels, scales=dict.fromkeys(labels, 2), runs=runs,
    )  # fmt: skip
    assert_snapshot("sweep-tied-systems", str(found.answer))


def test_what_holds_is_counted():
    def say(told, holds, mostly, ordered, pairs=6, topics=4):
        facts = {"told apart": told, "told apart and holds": holds, "mostly holds": mostly,
                 "order holds": ordered, "pairs": pairs, "topics": topics}  # fmt: skip
        return sweep.holds_said(facts)

    cases = [(1, 1, 1, 1), (3, 0, 1, 0), (0, 0, 0, 2), (0, 0, 0, 2, 6, 1)]
    cases += [(1, 1, 1, 1, 1), (3, 0, 1, 0, 1), (0, 0, 0, 1, 1)]
    assert_said("sweep-holds", say, cases)


def test_which_systems_are_first():
    def say(*rows):
        systems = pd.DataFrame(rows, columns=["system", "baseline_rank", "share_first"])
        facts = {"first in some": (systems["share_first"] > 0).sum()}
        return sweep.first_said(systems.assign(axis=None), facts)

    cases = [
        [("a", 1, 1.0), ("b", 2, 0.0)],
        [("a", 1, 1.0), ("b", 1, 1.0)],
        [("a", 1, 0.25), ("b", 2, 0.75)],
        [("a", 1, 0.4), ("b", 1, 0.3), ("c", 3, 0.2), ("d", 4, 0.1), ("e", 5, 0.0)],
    ]
    assert_said("sweep-first", say, cases)


def test_what_decides_within_a_measure_is_that_of_each_measure_alone():
    """The variance within measures, and an axis' part in it, by loops over a table of numbers."""
    rng = np.random.default_rng(3)
    value = rng.normal(size=(3, 4, 2)) + 5 * np.arange(3)[:, None, None]  # measures, labels, ties
    whole, total = value.var(), {}
    for place, name in enumerate(("measure", "labels", "ties")):
        total[name] = value.var(axis=place).mean() / whole
    first = value.mean(axis=(1, 2)).var() / whole
    rows = [("measure", "tau", total["measure"], first)]
    rows += [(name, "tau", total[name], 0.0) for name in ("labels", "ties")]
    found = deciding(axes_of(rows), "tau")
    within = np.mean([of.var() for of in value])
    parts = {"labels": value.var(axis=1).mean(), "ties": value.var(axis=2).mean()}
    assert found["axis"] == max(parts, key=parts.get)
    np.testing.assert_allclose(found["share"], max(parts.values()) / within)


def test_a_sweep_of_tests_alone_says_nothing_of_rankings():
    """They are one, whatever the test."""
    rng = np.random.default_rng(1)
    labels = {f"t{t}": {f"d{d}": int(d < 3) for d in range(6)} for t in range(8)}
    runs = {s: {t: {d: float(rng.normal()) for d in of} for t, of in labels.items()} for s in "abc"}
    found = regrade.sweep(
        {"test": ["t/none", "t/holm"]}, {"labels": "some", "measure": "AP", "test": "t/none"},
        sets={"some": labels}, scales={"some": 2}, runs=runs,
    )  # fmt: skip
    assert " order " not in str(found.answer) and "first" not in str(found.answer)


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
        "axes": axes_of([]),
    }
    found = pair_counts(a_sweep(3, ties=2), tables)
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


def test_with_how_many_choices_pairs_are_concluded_otherwise():
    def say(fewest, count, more, never):
        facts = {"fewest choices": fewest, "otherwise with the fewest": count, "pairs": 6,
                 "otherwise with more": more, "never otherwise": never, "topics": 2}  # fmt: skip
        no_example = pd.DataFrame({"changed_choices": [fewest + 1], "conclusion": "better"})
        said = sweep.otherwise_said(None, {"examples": no_example}, facts)
        return said.removesuffix(".")

    assert_said("sweep-choices", say, [(1, 1, 0, 5), (2, 2, 3, 1)])


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

    def say(*rows):
        return sweep._example_said(of, {"examples": pd.DataFrame(rows, columns=columns)})

    assert_said("sweep-example", say, [rows, rows[:1], rows[1:2]])


# --- of labels ------------------------------------------------------------------------------------


def test_between_what_alpha_lies():
    def say(ends, out):
        row = (None, "alpha", 4 if ends else 0, *(ends or (NONE,) * 4))
        other = ("labels", "alpha", 4, 0.9, 0.9, 0.9, 0.9)
        columns = ["axis", "outcome", "universes", "low", "q1", "q3", "high"]
        entries = pd.DataFrame([other, row], columns=columns)
        return label_sweep.alpha_said(entries, {"undefined": out})

    cases = [((-0.1, 0.0, 0.2, 0.5), 0), ((0.1, 0.1, 0.2, 0.5), 1)]
    cases += [((0.5,) * 4, 0), ((0.5,) * 4, 2), (None, 4)]
    assert_said("label-sweep-alpha", say, cases)


def test_documents_of_one_level_are_counted():
    def say(documents, holds, mostly):
        facts = {"documents": documents, "holds": holds, "mostly holds": mostly}
        facts["share holds"] = holds / documents if documents else NONE
        return label_sweep.holds_said(facts)

    assert_said("label-sweep-holds", say, [(0, 0, 0), (1, 1, 1), (4, 2, 2), (4, 1, 2)])


def test_what_sentences_of_labels_count():
    documents = pd.DataFrame(
        {"same": [1.0, np.nextafter(0.95, 0), 0.95, 0.94, 0.5], "holds": [True, *[False] * 4]}
    )
    found = document_counts(a_sweep(3, metric=2), documents)
    assert found.set_index("quantity")["value"].to_dict() == {
        "mostly holds": 3, "share holds": 0.2, "choices of labels": 3, "choices of metric": 2,
    }  # fmt: skip
    none = document_counts(a_sweep(), documents[:0]).set_index("quantity")["value"]
    assert np.isnan(none["share holds"]) and none["mostly holds"] == 0


def test_what_halves_of_the_topics_change():
    def say(halves):
        return label_sweep.halves_said({"halves": halves})

    assert_said("label-sweep-halves", say, [(NONE,), (0.125,)])


def test_which_choice_decides_about_agreement():
    cases = [
        [("labels", "alpha", 0.7), ("metric", "alpha", 0.3)],
        [("labels", "alpha", 0.3), ("metric", "alpha", 0.7)],
        [("labels", "alpha", 1.0)],
        [("labels", "alpha", NONE)],
    ]
    assert_said("label-sweep-decides", lambda *rows: label_sweep.decides_said(axes_of(rows)), cases)
