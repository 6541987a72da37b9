"""What decides, in sentences: of rows written by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

import regrade
from regrade.answers.shape import FINE, LOOK, PROBLEM
from regrade.sweeps import answer as sweep
from regrade.sweeps import label_answer as label_sweep
from regrade.sweeps.counts import document_counts, pair_counts, shares_within_measure
from tests.snapshots import assert_said, assert_snapshot
from tests.unit.carried import assert_carried

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
        ([("labels", "tau", 0.6), ("ties", "tau", 0.4), ("ties", "changed_pairs", NONE)], 3),
        ([("measure", "tau", 0.8, 0.5), ("ties", "tau", 0.1), ("labels", "tau", 0.4)], 3),
        ([("measure", "tau", 0.8), ("labels", "tau", 0.2), ("labels", "changed_pairs", 0.4),
          ("test", "changed_pairs", 0.6)], 3),
        ([("measure", "tau", 0.6, 0.4), ("topics", "tau", 0.5), ("labels", "tau", 0.2),
          ("topics", "changed_pairs", 0.7), ("labels", "changed_pairs", 0.3)], 3),
        ([("labels", "tau", 1.0), ("labels", "changed_pairs", 1.0)], 3),
        ([("labels", "tau", NONE)], 3),
        ([("labels", "tau", 0.0)], 3),
        ([("labels", "changed_pairs", NONE), ("ties", "changed_pairs", NONE)], 5),
        ([("labels", "changed_pairs", NONE), ("ties", "changed_pairs", NONE)], 6),
    ]  # fmt: skip

    def say(rows, holds):
        return sweep.deciding_choices(axes_of(rows), {"order holds": holds, "pairs": 6})

    assert_said("sweep-decides", say, cases)


def test_labels_that_tie_all_systems_leave_the_choice_undetermined():
    runs = {name: {"t": {"x": first, "y": 1.0}} for name, first in (("a", 2.0), ("b", 0.0))}
    labels = {"some": {"t": {"x": 1, "y": 0}}, "none": {"t": {"x": 0, "y": 0}}}
    found = regrade.sweep(
        {"labels": [*labels], "ties": ["rank", "docno"]}, {"labels": "some", "measure": "P@1"},
        sets=labels, scales=dict.fromkeys(labels, 2), runs=runs,
    )  # fmt: skip
    assert_snapshot("sweep-tied-systems", str(found.answer))


def test_significant_pairs_that_hold_or_are_reversed_are_counted():
    """The light is a problem where one is reversed, and fine where all hold."""

    def say(significant, holds, mostly, reversals, topics=4):
        facts = {"significant": significant, "significant and holds": holds,
                 "holds in most": mostly, "reversed": reversals, "topics": topics,
                 "order holds": 2, "pairs": 6}  # fmt: skip
        return [sweep.conclusions(facts), sweep.key(facts), sweep.light(facts)]

    cases = [(1, 1, 1, 0), (1, 0, 0, 0), (1, 0, 0, 1), (3, 0, 1, 0), (3, 1, 1, 2), (3, 2, 3, 1),
             (3, 3, 3, 0), (0, 0, 0, 0), (0, 0, 0, 0, 1)]  # fmt: skip
    assert [say(*case)[-1] for case in cases] == [
        FINE, LOOK, PROBLEM, LOOK, PROBLEM, PROBLEM, FINE, "", "",
    ]  # fmt: skip
    assert_said("sweep-holds", say, cases)


def test_systems_that_rank_first_are_named_with_their_shares():
    def say(*rows, ordered=3, pairs=6):
        systems = pd.DataFrame(rows, columns=["system", "baseline_rank", "share_first"])
        facts = {"order holds": ordered, "pairs": pairs}
        return sweep.first_place(systems.assign(axis=None), facts)

    cases = [
        [("a", 1, 1.0), ("b", 2, 0.0)],
        [("a", 1, 1.0), ("b", 1, 1.0)],
        [("a", 1, 0.25), ("b", 2, 0.75)],
        [("a", 1, 0.4), ("b", 1, 0.3), ("c", 3, 0.2), ("d", 4, 0.1), ("e", 5, 0.0)],
    ]
    assert_said("sweep-first", say, cases)
    two = [say(*cases[0], ordered=ordered, pairs=1) for ordered in (1, 0)]
    assert two == [
        "a ranks first in every combination; the two systems have the same order in every "
        "combination.",
        "a ranks first in every combination; the two systems do not have the same order in every "
        "combination.",
    ]
    assert say(*cases[0], ordered=0).endswith("; none of 6 pairs has the same order in all.")


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
    found = shares_within_measure(axes_of(rows), "tau")
    within = np.mean([of.var() for of in value])
    parts = {"labels": value.var(axis=1).mean(), "ties": value.var(axis=2).mean()}
    assert [*found] == sorted(parts, key=parts.get, reverse=True)
    np.testing.assert_allclose([found[name] for name in parts], [*parts.values()] / within)


def test_a_sweep_of_tests_alone_says_nothing_of_rankings():
    """They are one, whatever the test."""
    rng = np.random.default_rng(1)
    labels = {f"t{t}": {f"d{d}": int(d < 3) for d in range(6)} for t in range(8)}
    runs = {s: {t: {d: float(rng.normal()) for d in of} for t, of in labels.items()} for s in "abc"}
    found = regrade.sweep(
        {"test": ["t/none", "t/holm"]}, {"labels": "some", "measure": "AP", "test": "t/none"},
        sets={"some": labels}, scales={"some": 2}, runs=runs,
    )  # fmt: skip
    assert not any(" order " in fact or "first" in fact for fact in found.answer.facts)
    assert_carried(found.answer, found.tables, "AP", "some", folder="sweeps")
    assert [row[:2] for row in found.answer.rows.rows] == [("test", 2)]


def test_a_sweep_over_measures_has_shares_within_a_measure():
    """All that its answer says is in its tables; the verdict is of the largest shares there."""
    rng = np.random.default_rng(4)
    labels = {f"t{t}": {f"d{d}": int(rng.integers(0, 3)) for d in range(9)} for t in range(8)}
    other = {t: {d: max(0, g - (rng.random() < 0.3)) for d, g in of.items()}
             for t, of in labels.items()}  # fmt: skip
    runs = {s: {t: {d: float(g + rng.normal(0, 1 + i)) for d, g in of.items()}
                for t, of in labels.items()} for i, s in enumerate("abcd")}  # fmt: skip
    found = regrade.sweep(
        {"labels": ["one", "two"], "measure": ["AP", "nDCG@5"], "test": ["t/none", "t/holm"]},
        {"labels": "one", "measure": "AP", "test": "t/none"},
        sets={"one": labels, "two": other}, scales={"one": 3, "two": 3}, runs=runs,
    )  # fmt: skip
    answer = found.answer
    assert_carried(answer, found.tables, "AP", "nDCG@5", "one", "two", folder="sweeps")
    header = answer.rows.header()
    assert header[2:4] == ["rankings", "conclusions"]
    axes = found.tables["axes"]
    within = shares_within_measure(axes, "changed_pairs")
    column = header.index("conclusions within a measure")
    for row in answer.rows.rows:
        name = {"labels": "labels", "measure": "measure", "test": "test"}[row[0]]
        assert row[column] == (within.get(name) if name != "measure" else None)
    assert "within a measure" in answer.verdict


class Axis(SimpleNamespace):
    """A name, and how many choices it has."""

    def __len__(self):
        return self.choices


def a_sweep(labels=1, **others):
    """How many choices each axis has."""
    axes = [Axis(name=name, choices=choices) for name, choices in others.items()]
    design = SimpleNamespace(first="labels", conditions=SimpleNamespace(axes=axes))
    return SimpleNamespace(counts=np.array([labels]), design=design)


def counted_of(pairs, changed=()):
    columns = ["conclusion", "significantly_better", "significantly_worse"]
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
            ("not significant", 0.99, 0.01),
            ("better", 1.0, 0.0),
        ],
        changed=(2, 2, 3),
    )
    assert found.to_dict() == {
        "holds in most": 3, "first in some": 1, "reversed": 4, "fewest choices": 2,
        "changed with the fewest": 2, "changed with more": 1, "never changed": 3,
        "choices of labels": 3, "choices of ties": 2,
    }  # fmt: skip


def test_with_how_many_choices_pairs_are_concluded_otherwise():
    def say(fewest, count, more, never, halves):
        facts = {"fewest choices": fewest, "changed with the fewest": count, "pairs": 6,
                 "changed with more": more, "never changed": never, "topics": 2}  # fmt: skip
        facts["halves"] = halves
        changed = pd.DataFrame({"changed_choices": [fewest] * (count + more)})
        return sweep.changed_conclusions(changed, facts)

    cases = [(1, 1, 0, 5, NONE), (2, 2, 3, 1, NONE), (1, 4, 1, 1, 2.4), (NONE, 0, 0, 6, 1.0)]
    assert_said("sweep-choices", say, cases)


# --- of labels ------------------------------------------------------------------------------------


def test_between_what_alpha_lies():
    def say(ends, out):
        row = (None, "alpha", 4 if ends else 0, *(ends or (NONE,) * 4))
        other = ("labels", "alpha", 4, 0.9, 0.9, 0.9, 0.9)
        columns = ["axis", "outcome", "universes", "low", "q1", "q3", "high"]
        entries = pd.DataFrame([other, row], columns=columns)
        return label_sweep.alpha_range(entries, {"undefined": out})

    cases = [((-0.1, 0.0, 0.2, 0.5), 0), ((0.1, 0.1, 0.2, 0.5), 1)]
    cases += [((0.5,) * 4, 0), ((0.5,) * 4, 2), (None, 4)]
    assert_said("label-sweep-alpha", say, cases)


def test_documents_of_one_level_are_counted():
    def say(documents, holds, mostly):
        facts = {"documents": documents, "holds": holds, "holds in most": mostly}
        facts["share holds"] = holds / documents if documents else NONE
        return label_sweep.constant_documents(facts)

    cases = [(0, 0, 0), (1, 1, 1), (1, 0, 0), (4, 2, 2), (4, 1, 2)]
    assert_said("label-sweep-holds", say, cases)


def test_what_sentences_of_labels_count():
    documents = pd.DataFrame(
        {"same": [1.0, np.nextafter(0.95, 0), 0.95, 0.94, 0.5], "holds": [True, *[False] * 4]}
    )
    found = document_counts(a_sweep(3, metric=2), documents)
    assert found.set_index("quantity")["value"].to_dict() == {
        "holds in most": 3, "share holds": 0.2, "choices of labels": 3, "choices of metric": 2,
    }  # fmt: skip
    none = document_counts(a_sweep(), documents[:0]).set_index("quantity")["value"]
    assert np.isnan(none["share holds"]) and none["holds in most"] == 0


def test_what_halves_of_the_topics_change():
    def say(halves):
        return label_sweep.halves({"halves": halves})

    assert_said("label-sweep-halves", say, [(NONE,), (0.125,)])


def test_which_choice_decides_about_agreement():
    cases = [
        [("labels", "alpha", 0.7), ("metric", "alpha", 0.3)],
        [("labels", "alpha", 0.3), ("metric", "alpha", 0.7)],
        [("labels", "alpha", 1.0)],
        [("labels", "alpha", NONE)],
    ]

    def say(*rows):
        return label_sweep.deciding_choice(axes_of(rows))

    assert_said("label-sweep-decides", say, cases)
