"""What other labels change, in sentences: of rows written by hand."""

import re
import zlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regrade
from regrade.answers.changed import (
    individual_changes,
    movers,
    pair_changes,
    preservation,
    ranking_verdict,
    tau_estimate,
    tie_range,
)
from regrade.answers.glossary import terms_in
from regrade.answers.shape import Answer
from regrade.catalogue import ALL_TOPICS
from regrade.evaluations.comparison_answer import (
    best_systems,
    further_measures,
    light,
    unlabelled,
)
from regrade.measures import names_with_levels
from tests.snapshots import assert_said, assert_snapshot
from tests.unit import carried
from tests.unit.figure_checks import words

NONE = (np.nan, np.nan)

RANKINGS = [
    (1, np.nan, 0, NONE),
    (2, np.nan, 0, NONE),
    (5, 1.0, 0, (1.0, 1.0)),
    (5, 0.95, 1, (0.9, 0.98)),
    (5, 0.95, 1, (0.89, 0.98)),
    (5, 0.95, 2, NONE),
    (5, 0.7, 2, (0.5, 0.8)),
    (5, 0.7, 2, (0.5, 0.79)),
    (2, -1.0, 2, (-1.0, -1.0)),
]
"""Of how many systems: τ_b, how many change rank, and the interval."""


def test_a_ranking_is_preserved_as_the_interval_supports():
    """Largely from 0.9 on, not below 0.8, partly else; without an interval there is no word."""

    def say(systems, tau, moved, ends):
        return ranking_verdict("Replacing A with B", systems, "AP", tau, ends, moved)

    assert_said("compare-reordered", say, RANKINGS)
    lights = [
        light(pd.Series({"value": tau, "low": low, "high": high}), systems)
        for systems, tau, _, (low, high) in RANKINGS
    ]
    assert lights == ["", "", "fine", "fine", "look", "", "look", "problem", "problem"]


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((0.897, 0.94), "partly preserves the ranking of 5 systems (AP, τ_b = 0.920, 95% CI "
         "0.897–0.940)"),
        ((0.9, 0.94), "largely preserves the ranking of 5 systems (AP, τ_b = 0.92, 95% CI "
         "0.90–0.94)"),
        ((0.7, 0.7996), "does not preserve the ranking of 5 systems (AP, τ_b = 0.9200, 95% CI "
         "0.7000–0.7996)"),
        ((0.7, 0.8), "partly preserves the ranking of 5 systems (AP, τ_b = 0.92, 95% CI "
         "0.70–0.80)"),
    ],
)  # fmt: skip
def test_ends_beside_a_threshold_have_the_decimals_that_the_verdict_needs(ends, said):
    assert ranking_verdict("X", 5, "AP", 0.92, ends, 2) == f"X {said}."


@given(low=st.floats(-1, 1), width=st.floats(0, 0.5))
def test_the_written_interval_has_the_verdict_of_the_interval(low, width):
    ends = low, min(low + width, 1.0)
    text = tau_estimate(sum(ends) / 2, ends).partition("CI ")[2].replace("−", "-")
    if not text:  # no width
        return
    written = [float(end) for end in re.split(r"(?<=\d)–| to ", text)]
    if abs(low - 0.9) > 1e-6 and abs(ends[1] - 0.8) > 1e-6:
        assert preservation(written) == preservation(ends)


def test_a_word_of_a_scale_is_defined_where_it_stands():
    """In the notes, once, and only there."""
    say = ("It is.", "It largely preserves it.", "It is partly preserved.", "It is not preserved.")
    notes = [Answer.of("?", [one], notes=["So."]).notes for one in say]
    assert notes[0] == ("So.",)
    assert [of[1][:len("A ranking is largely")] for of in notes[1:]] == [
        "A ranking is largely", "A ranking is partly ", "A ranking is not pre",
    ]  # fmt: skip
    assert all("95% CI of τ_b" in of[1] for of in notes[1:])


def test_further_measures_have_one_fact():
    def ranking(tau, low=np.nan, high=np.nan):
        row = {"quantity": "tau", "value": tau, "low": low, "high": high}
        return {"rankings": pd.DataFrame([row])}

    of = {"AP": ranking(0.88, 0.81, 0.94), "RR": ranking(0.5), "P@10": ranking(np.nan)}
    assert further_measures(of) == (
        "By AP the ranking is partly preserved (τ_b = 0.88, 95% CI 0.81–0.94); by RR, τ_b = 0.50."
    )
    assert further_measures({"P@10": ranking(np.nan)}) == further_measures({}) == ""


def test_measures_that_leave_their_level_open_are_named_with_it():
    """Where a sentence first names them, and never within other names."""
    names = names_with_levels(["AP", "P@10", "nDCG@10", "AP(rel=2)", "RBP"], 3)
    assert names == {"AP": "AP (grades ≥ 1)", "P@10": "P@10 (grades ≥ 1)"}
    assert names_with_levels(["AP"], 1) == {}
    said = ["By AP a, and AP again.", "P@10 and AP.", "CAP, AP@10, AP(rel=2), run-AP and P@100."]
    answer = Answer.of("?", said, method="AP.").naming(names)
    assert [answer.verdict, *answer.facts] == [
        "By AP (grades ≥ 1) a, and AP again.",
        "P@10 (grades ≥ 1) and AP (grades ≥ 1).",
        said[2],
    ]
    assert answer.method == "AP (grades ≥ 1)."


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
    test = "paired t-test, α = 0.05, Holm"

    def say(*counts):
        of = dict(zip(names, counts, strict=True))
        for by_topics, low, high in ((0.0, 0, 0), (3.0, 1, 9), (3.0, *NONE), (np.nan, *NONE)):
            row = of | {"by_topics": by_topics, "low": low, "high": high}
            yield pair_changes(row, "A", "B", test)

    cases = [(0, 0, 0, 0), (1, 0, 0, 0), (6, 0, 0, 0), (6, 1, 2, 0), (6, 2, 1, 1), (6, 0, 0, 2)]
    assert_said("compare-pairs", say, cases)
    assert terms_in([*say(6, 1, 2, 0)][:1]) == ["α", "significant"]


def test_changes_that_are_significant_themselves_are_counted():
    cases = [(0, 0), (1, 0), (1, 1), (140, 0), (140, 1), (140, 3), (140, np.nan)]
    assert_said("compare-changes", individual_changes, cases)


def test_ties_are_told_where_they_show():
    """Of three decimals nothing shows."""
    cases = [(0.912, 0.908, 0.914), (0.912, np.nan, np.nan), (0.912, 0.88, 0.92)]
    assert_said("compare-ties", tie_range, cases)


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


GRADES = {f"t{t:02}": {f"d{d}": (t + d) % 3 for d in range(12)} for t in range(25)}
"""Of 25 topics, so that all have intervals."""


def shifted(by, every=2):
    """Other labels: higher, or lower, for each so manyth document."""
    return {
        t: {d: min(2, max(0, g + by)) if (int(t[1:]) + n) % every == 0 else g
            for n, (d, g) in enumerate(of.items())}
        for t, of in GRADES.items()
    }  # fmt: skip


def checked(comparison, tmp_path, *names):
    return carried.checked(comparison, "compare", tmp_path, "first", "second", *names)


@pytest.mark.parametrize(("by", "more"), [(1, "higher"), (-1, "lower"), (0, "")])
def test_labels_are_compared_grade_by_grade(by, more, tmp_path):
    """No difference that could be said is no fact."""
    found = regrade.compare(GRADES, shifted(by), resamples=50)
    answer = checked(found, tmp_path)
    whole = found.agreement.set_index("topic").loc[ALL_TOPICS]
    assert answer.question == "Do first and second assign the same grades?"
    assert answer.verdict.startswith(
        f"first and second agree exactly on {whole['equal']:.1%} of 300 co-judged documents "
        "(ordinal α = "
    )
    said = [fact for fact in answer.facts if "grades on average" in fact]
    assert bool(said) == bool(more)
    if more:
        difference = f"{whole['difference']:.2f}".replace("-", "−")
        assert said[0].startswith(f"second assigns {more} grades on average (Δ = {difference}")
        assert said[0].endswith(", grades 0 to 2).")
    assert answer.rows.title == "first and second · 300 co-judged documents · 25 topics"
    bias = found.tables["grade_bias"]
    assert [row[:3] for row in answer.rows.rows] == [
        (row.grade, row.documents, row.equal) for row in bias.itertuples()
    ]
    assert answer.light == ("fine" if not by else answer.light)
    assert "Krippendorff's α (ordinal, all documents)" in answer.method


def test_labels_that_say_nothing_of_each_other_are_a_problem(tmp_path):
    other = {t: {d: (int(t[1:]) * 5 + n * n) % 3 for n, d in enumerate(of)}
             for t, of in GRADES.items()}  # fmt: skip
    answer = checked(regrade.compare(GRADES, other, resamples=50), tmp_path)
    assert answer.light == "problem"
    assert answer.facts[0].startswith("Mean grades of first and second do not differ significantly")
    few = {t: of for t, of in GRADES.items() if int(t[1:]) < 9}
    assert checked(regrade.compare(few, other, resamples=50), tmp_path).light == ""


def test_labels_of_one_set_only_are_not_compared(tmp_path):
    fewer = {t: dict(list(of.items())[1:]) for t, of in GRADES.items()}
    answer = checked(regrade.compare(GRADES, fewer, resamples=20), tmp_path)
    assert answer.facts[-1] == "Not compared: labelled are 25 documents only by first."


def test_labels_on_other_scales_have_no_agreement_and_no_rows(tmp_path):
    found = regrade.compare(GRADES, shifted(1), same_scale=False, resamples=20)
    answer = checked(found, tmp_path)
    assert answer.verdict == (
        "first and second have 300 co-judged documents; their scales differ, so agreement is "
        "undefined."
    )
    assert answer.rows is None and answer.key == answer.light == answer.method == ""
    assert answer.notes == ("The sets are on different scales: no α and no κ.",)


def test_another_top_system_is_named():
    def say(*second):
        rows = zip("abc", (1, 2, 3), second, strict=False)
        of = systems_of(*(("AP", name, one, other, one - other) for name, one, other in rows))
        return best_systems("A", "B", of)

    assert_said("compare-best", say, [(1, 2, 3), (2, 1, 3), (1, 1, 3), (1,)])


def test_documents_of_one_set_only_are_counted():
    cases = [(0, 0), (3, 1), (0, 1), (0, 2)]
    assert_said("compare-lacking", lambda a, b: unlabelled({"A": a, "B": b}), cases)


def some_runs(*names):
    """Runs that put the documents of each topic in other orders."""
    return {
        name: {t: {d: (zlib.crc32(f"{name}{t}{d}".encode()) % 97) + 40 * g * (n < 2)
                   for d, g in of.items()} for t, of in GRADES.items()}
        for n, name in enumerate(names)
    }  # fmt: skip


def test_systems_have_means_and_ranks_under_both_sets(tmp_path):
    runs = some_runs("a", "b", "c", "d")
    found = regrade.compare(GRADES, shifted(1, 5), runs, ["nDCG@10", "AP"], resamples=50, splits=20)
    answer = checked(found, tmp_path, "nDCG@10", "AP")
    assert answer.verdict.startswith("Replacing first with second ")
    assert len(answer.facts) == 3
    assert "(paired t-test, α = 0.05, uncorrected)" in answer.facts[0]
    assert answer.facts[1].startswith("By AP")
    assert answer.facts[2].startswith("Labels agree exactly on ")
    assert answer.rows.title == "nDCG@10 · 4 systems · 25 topics"
    assert answer.rows.header() == [
        "rank", "system", "nDCG@10, first", "second", "Δ", "95% CI", "rank, second", "rank change",
        "rank change, AP (grades ≥ 1)",
    ]  # fmt: skip
    ranks = [row[0] for row in answer.rows.rows]
    assert ranks == sorted(ranks)
    of = found.systems.query("measure == 'nDCG@10'").set_index("system")
    for row in answer.rows.rows:
        own = of.loc[row[1]]
        assert row[4] == tuple(own[["difference", "low", "high"]])
        assert row[5:7] == tuple(own[["second_rank", "move"]])
    assert "50 bootstrap samples of topics, seed 1" in answer.method
    holm = regrade.compare(GRADES, shifted(1, 5), runs, "AP", resamples=5, splits=2,
                           correction="holm", significance=0.01)  # fmt: skip
    assert "(paired t-test, α = 0.01, Holm)" in checked(holm, tmp_path, "AP").facts[0]


def test_one_system_two_systems_and_systems_that_tie(tmp_path):
    """Each has a sentence of its own, by its measure."""
    how = {"measures": ["AP"], "resamples": 20, "splits": 5}
    alike = dict.fromkeys("ab", some_runs("a")["a"])
    said = []
    for runs in (some_runs("a"), some_runs("a", "b"), alike):
        for second in (GRADES, shifted(1, 3)):
            answer = checked(regrade.compare(GRADES, second, runs, **how), tmp_path, "AP")
            said.append("\n".join([answer.verdict, f"  {answer.key} {answer.light}",
                                   *answer.facts[:1]]))  # fmt: skip
    assert_snapshot("compare-two-systems-and-one", "\n\n".join(said))


def test_a_set_that_lacks_the_highest_grade_may_be_on_the_same_scale():
    """What scales were taken to be is said where nobody stated them, and how to state one."""
    grades = {"1": {"a": 0, "b": 1, "c": 3}, "2": {"a": 2, "b": 0}}
    lower = {topic: {d: min(g, 2) for d, g in of.items()} for topic, of in grades.items()}
    assumed = regrade.compare(grades, lower).answer
    [mind] = [one for one in assumed.notes if "highest grade" in one]
    assert mind.startswith("The highest grade is 3 in first and 2 in second: if both sets are on")
    assert mind.endswith("state the scale (`--scale 4`, in Python `scale=4`).")
    for how in ({"scale": 4}, {"same_scale": True}, {"same_scale": False}):
        said = regrade.compare(grades, lower, **how).answer
        assert not any("highest grade" in one for one in said.notes)
    assert (
        "80.0% of 5 co-judged documents" in regrade.compare(grades, lower, scale=4).answer.verdict
    )
