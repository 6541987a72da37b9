"""The cut that is recommended: its numbers are those of the tables, and its sentences those."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from regrade.aggregation import aggregate, source_values, transform
from regrade.answers.shape import FINE, PROBLEM
from regrade.answers.words import named, percent
from regrade.catalogue import columns_of
from regrade.cutsearch.answer import answer_of, no_answer
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.recommended import ChosenCut, recommended, systems_under
from regrade.cutsearch.recommended_numbers import EQUAL, GIVEN
from regrade.cutsearch.search import prepare
from regrade.cutsearch.system_tau import mean_of, scores_by_topic, tau_of_every_cut
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import ParameterError
from regrade.evaluations.compare_sets import ComparisonOptions
from regrade.kendall import tau_b
from regrade.label_sets import LabelSet
from regrade.measures import parse
from regrade.scales import Scale
from tests.snapshots import FOLDER, assert_said
from tests.unit.carried import assert_carried
from tests.unit.judgments import random_labels
from tests.unit.test_show_explorer import collection

S11 = Scale.of({"levels": 11})
FEW = ComparisonOptions(resamples=20, splits=5)


class Made:
    """A search of a small collection, and the answer to it."""

    def __init__(self, levels=3, method="d2_at", source=None):
        self.ranked, judgments = collection()
        self.judgments = judgments if source is None else source(judgments)
        self.labels = random_labels(1, judgments, levels)
        self.prepared = prepare(self.judgments, S11, levels, method, self.labels)
        self.found = self.prepared.search()
        self.best = best_cuts(self.found, "NIST")
        self.levels = levels

    def chosen(self):
        values = source_values(self.judgments)
        thresholds = self.prepared.thresholds
        return ChosenCut.of(self.best, thresholds, S11, values, levels=self.levels)

    def numbers(self, trusted=None):
        chosen = self.chosen()
        alpha = self.found.to_frame()
        return recommended(chosen, alpha, chosen.labels(self.judgments), trusted)


def value(numbers, quantity, beside=None):
    of = numbers["beside"].isna() if beside is None else numbers["beside"] == beside
    (found,) = numbers.loc[(numbers["quantity"] == quantity) & of, "value"]
    return found


def said(answer, having=""):
    """The facts that hold some words."""
    return " ".join(one for one in (answer.verdict, *answer.facts) if having in one)


def carried(answer, numbers, systems=None, trusted=None):
    """What the answer says is in its tables."""
    tables = {"recommended": numbers, "plateau_effects": (trusted or {}).get("plateau_effects")}
    tables["recommended_systems"] = pd.DataFrame() if systems is None else systems
    assert_carried(answer, tables, "S11", "nDCG@10", "d2_at", "h2", folder="cuts")


@pytest.mark.parametrize("method", ["d2_at", "d2_ta", "h2"])
def test_numbers_are_those_of_the_search(method):
    made = Made(method=method)
    chosen, numbers = made.chosen(), made.numbers()
    at = np.nanargmax(made.found.single)
    assert (value(numbers, "c1"), value(numbers, "c2")) == tuple(made.found.cuts[at])
    assert value(numbers, "alpha") == pytest.approx(made.found.single[at], abs=1e-12)
    # levels of 0 … 10 that are equally wide reach up to 3.33 and 6.67
    equal = made.found.mean[(made.found.cuts == [3, 6]).all(axis=1)][0]
    assert chosen.equal == (3, 6)
    assert value(numbers, "alpha", EQUAL) == pytest.approx(equal)
    assert value(numbers, "gain", EQUAL) == pytest.approx(made.found.single[at] - equal)
    assert value(numbers, "cuts") == len(made.found.cuts)
    assert numbers.columns.tolist() == columns_of("cuts/recommended")


def test_labels_are_in_the_order_of_the_method():
    made = Made()
    labels = made.chosen().labels(made.judgments)
    values = aggregate(made.judgments, "median")["grade"].to_numpy()
    for name, cut in (("cut", made.chosen().cut), (EQUAL, (3.0, 6.0))):
        levels = labels[name]["grade"].to_numpy()
        np.testing.assert_array_equal(np.sort(levels), np.sort(transform(values, cut)))
    numbers = made.numbers()
    for quantity, cut in (("documents", made.chosen().cut), ("documents_equal_widths", (3, 6))):
        documents = [value(numbers, quantity, f"level {level}") for level in range(3)]
        assert documents == np.bincount(transform(values, cut).astype(int), minlength=3).tolist()


def test_what_the_thresholds_lie_on_is_told():
    numbers = Made().numbers()
    assert (value(numbers, "c1", EQUAL), value(numbers, "c2", EQUAL)) == (3, 6)
    scale = numbers[numbers["quantity"] == "scale"].iloc[0]
    steps = np.diff(Made().prepared.thresholds.values)
    assert (scale["low"], scale["high"], scale["value"]) == (0, 10, steps.min())


def sides(made):
    return {
        name: LabelSet.on_levels(name, table, 3)
        for name, table in made.chosen().labels(made.judgments).items()
    }


def under_the_cut(made):
    """Numbers and systems, with an expert beside."""
    expert = LabelSet.on_levels("NIST", made.labels, 3)
    return systems_under(sides(made), [expert], made.ranked, "nDCG@10", FEW)


def test_systems_are_ranked_under_the_cut():
    made = Made()
    numbers, systems = under_the_cut(made)
    source = aggregate(made.judgments, "median")
    every = tau_of_every_cut(made.ranked, source, made.labels, S11, 3, "nDCG@10", max_grade=2.0)
    at = np.nanargmax(made.found.single)
    assert value(numbers, "tau", "NIST") == pytest.approx(every.single[at])
    at = (made.found.cuts == [3, 6]).all(axis=1).argmax()
    assert value(numbers, "tau_equal_widths", "NIST") == pytest.approx(every.single[at])
    of = systems[systems["beside"] == "NIST"].set_index("system")
    own = scores_by_topic(made.ranked, sides(made)["cut"].table, parse("nDCG@10"), 2.0)
    theirs = scores_by_topic(made.ranked, made.labels, parse("nDCG@10"), 2.0)
    shared = own.keys() & theirs.keys()
    np.testing.assert_allclose(of["second"][list(made.ranked.systems)], mean_of(own, shared))
    assert tau_b(of["first"].to_numpy(), of["second"].to_numpy()) == pytest.approx(every.single[
        np.nanargmax(made.found.single)
    ])  # fmt: skip
    assert value(numbers, "pairs", "NIST") == 6 * 5 / 2
    assert (of["significant_second"] < 6).all()
    assert systems.columns.tolist() == columns_of("cuts/recommended_systems")


def trusted(made, gain):
    """Tables of the stage `trust`; `gain` over equal widths: lower end, value, upper end."""
    key = {"method": "d2_at", "reference": "NIST"}
    drawn = key | {"resampled": "topics", "topic": "*", "quantity": "alpha", "against": None}
    c1 = {"selection": "single", "quantity": "c1", "estimate": 3, "low": 2, "high": 5}
    others = ({"topic": "1"}, {"resampled": "workers"}, {"selection": "per-topic"})
    bootstrap = [*(drawn | c1 | {"low": 0, "high": 9} | one for one in others), drawn | c1]
    gains = [
        key | {"against": None, "held_out": 0.5, "low": 0.4, "high": 0.6},
        key | {"against": "equal_widths", "held_out": gain[1], "low": gain[0], "high": gain[2]},
    ]
    own = {"split": "documents", "criterion": "alpha", "selection": "per-topic"}
    ranges = {"c1_low": 2.0, "c1_high": 4.0, "c2_low": 5.0, "c2_high": 9.0}
    ranges |= {"resamples": 300, "seed": 8}
    return {
        "bootstrap": pd.DataFrame(bootstrap),
        "plateau_effects": pd.DataFrame([key | ranges | {"on": 7, "said": "Seven cuts."}]),
        "gains": pd.DataFrame(gains),
        "held_out": pd.DataFrame([key | own | {"difference": -0.02, "low": -0.03, "high": -0.01}]),
    }


def test_what_is_trusted_is_told_where_it_was_not_chosen():
    made = Made()
    numbers = made.numbers(trusted(made, [0.1, 0.2, 0.3]))
    assert value(numbers, "held_out_gain", EQUAL) == pytest.approx(0.2)
    of_cut = numbers[numbers["beside"].isna()].set_index("quantity")
    assert of_cut.loc["c1", ["low", "high"]].tolist() == [2, 5]
    assert of_cut.loc["c2", ["low", "high"]].isna().all()  # nothing was drawn of it
    plateau = numbers.set_index("quantity").loc["plateau_c2"]
    assert (plateau["low"], plateau["high"]) == (5, 9)
    answer = answer_of(made.chosen(), numbers, None, source="S11", measure="nDCG@10")
    carried(answer, numbers, trusted=trusted(made, [0.1, 0.2, 0.3]))
    optimum, equal = answer.rows.rows
    assert optimum[3:5] == ((0.5, 0.4, 0.6), (0.2, 0.1, 0.3))
    assert equal[3:5] == ((None,) * 3, (None,) * 3)
    assert answer.key == "held-out α = 0.500 with NIST"
    assert answer.facts == (
        "Seven cuts.",
        "Topic-specific thresholds reduce α on held-out documents (Δα = −0.020, 95% CI −0.030 to "
        "−0.010).",
    )
    assert "(Δα = 0.200, 95% CI 0.100–0.300)." in answer.verdict
    assert "300 samples, seed 8" in answer.method
    assert (
        numbers.set_index("quantity").loc[["alpha", "gain"], ["low", "high"]].isna().all(axis=None)
    )
    worthless = trusted(made, [0.1, 0.2, 0.3])
    worthless["gains"].loc[0, "low"] = -0.1
    numbers = made.numbers(worthless)
    answer = answer_of(made.chosen(), numbers, None, source="S11", measure="nDCG@10")
    assert any("Held-out α is not significantly above 0" in one for one in answer.notes)
    assert answer.light == PROBLEM


def test_a_cut_is_recommended_only_where_it_gains_on_other_topics():
    made = Made()

    def say(*gain):
        tables = trusted(made, gain)
        numbers = made.numbers(tables)
        answer = answer_of(made.chosen(), numbers, None, source="S11", measure="nDCG@10")
        carried(answer, numbers, trusted=tables)
        return [answer.light, *answer.lines()]

    cases = [(0.1, 0.2, 0.3), (0.0, 0.2, 0.3), (-0.1, 0.1, 0.3), (-0.2, -0.015, 0.1)]
    assert_said("cuts-gain", say, [*cases, (-0.3, -0.2, -0.1), (np.nan, 0.2, np.nan)])


def test_thresholds_that_are_said_shorter_are_in_the_table_so():
    made = Made()
    chosen = made.chosen()
    chosen = replace(
        chosen,
        cut=tuple(at / 3 for at in chosen.cut),
        equal=tuple(at / 3 for at in chosen.equal),
        thresholds=replace(chosen.thresholds, values=chosen.thresholds.values / 3),
        top=10 / 3,
    )
    labels = made.chosen().labels(made.judgments)
    numbers = recommended(chosen, made.found.to_frame(), labels)
    answer = answer_of(chosen, numbers, None, source="S11", measure="nDCG@10")
    carried(answer, numbers)
    assert "333333" not in str(answer) and "666667" not in str(answer)
    notes = numbers[numbers["note"].notna()]
    assert all(note in answer.verdict for note in notes["note"])
    assert len(notes) == sum(at % 1 > 0 and at != float(f"{at:.3g}") for at in chosen.cut) > 0


def test_what_is_odd_about_the_labels_is_said():
    def constant(judgments):
        at = judgments.column_names.index("value")
        return judgments.set_column(at, "value", [np.full(judgments.num_rows, 5.0)])

    made = Made(source=constant)
    if made.best["c1"].isna().all():
        with pytest.raises(ParameterError, match="there are no labels"):
            made.chosen()
        return
    answer = answer_of(made.chosen(), made.numbers(), None, source="S11", measure="nDCG@10")
    assert any("All documents have the same grade" in one for one in answer.notes)
    assert answer.light == PROBLEM


def test_a_level_of_one_value_and_an_empty_one_are_named():
    made = Made()
    row = made.best["topic"] == "*"
    made.best.loc[row, ["c1", "c2"]] = [8.0, 9.0]
    answer = answer_of(made.chosen(), made.numbers(), None, source="S11", measure="nDCG@10")
    assert "Grade 1 covers a single value of the scale, 9." in answer.notes


def test_between_two_thresholds_of_a_grid_is_more_than_one_value():
    made = Made()
    made.best.loc[made.best["topic"] == "*", ["c1", "c2"]] = [8.0, 9.0]
    chosen = made.chosen()
    grid = replace(chosen, thresholds=Thresholds(chosen.thresholds.values, 999))
    answer = answer_of(grid, made.numbers(), None, source="S11", measure="nDCG@10")
    assert not any("single value" in one for one in answer.notes)


def test_the_only_threshold_has_the_width_of_the_scale_for_a_step():
    one = Thresholds(np.array([5.0]), 1)
    chosen = replace(Made(2).chosen(), thresholds=one, cut=(5.0,), equal=(5.0,), ends=(2.0, 10.0))
    numbers = recommended(chosen, Made(2).found.to_frame()[:1], chosen.labels(Made(2).judgments))
    assert value(numbers, "scale") == 8


def test_cuts_that_are_as_good_are_counted():
    made = Made()
    numbers = made.numbers()

    def say(tied):
        own = numbers.assign(value=numbers["value"].mask(numbers["quantity"] == "tied", tied))
        return answer_of(made.chosen(), own, None, source="S11", measure="AP")

    assert_said("cuts-tied", say, [(1,), (3,)])


def test_without_a_topic_in_common_this_is_said():
    made = Made()
    frame = made.labels.to_pandas()
    frame["topic"] = "not-" + frame["topic"].astype(str)
    expert = LabelSet.on_levels("NIST", made.labels.from_pandas(frame, preserve_index=False), 3)
    numbers, systems = systems_under(sides(made), [expert], made.ranked, "nDCG@10", FEW)
    assert systems["beside"].unique().tolist() == [EQUAL]
    numbers = pd.concat([made.numbers(), numbers], ignore_index=True)
    answer = answer_of(made.chosen(), numbers, systems, source="S11", measure="nDCG@10")
    assert "compared with NIST: no topic of the runs is judged in both" in said(answer)


def test_no_cut_is_an_answer_too():
    answer = no_answer("S11", 3, "nothing is shared")
    assert answer.verdict == "No thresholds can be recommended: nothing is shared."
    assert not answer.facts
    long = " ".join(["because"] * 20)
    assert no_answer("S11", 3, long).verdict == "No thresholds can be recommended."
    assert no_answer("S11", 3, long).notes == (f"{long}.",)


def test_the_cut_of_equal_widths_is_not_held_beside_itself():
    made = Made()
    made.best.loc[made.best["topic"] == "*", ["c1", "c2"]] = [3.0, 6.0]
    numbers, systems = under_the_cut(made)
    numbers = pd.concat([made.numbers(), numbers], ignore_index=True)
    answer = answer_of(made.chosen(), numbers, systems, source="S11", measure="nDCG@10")
    assert answer.verdict == (
        "Thresholds 3 and 6 maximise α with NIST and are those of equal widths."
    )
    assert len(answer.rows.rows) == 1 and "equal widths" not in " ".join(answer.facts)
    assert answer.light == FINE
    assert systems["beside"].unique().tolist() == ["NIST"]


def test_systems_are_compared_with_experts_where_there_are_some():
    made = Made()
    numbers, systems = under_the_cut(made)
    equal = numbers[numbers["quantity"] == "tau_equal_widths"]
    assert equal["beside"].tolist() == ["NIST"]  # that of equal widths beside themselves is 1
    numbers = pd.concat([made.numbers(), numbers], ignore_index=True)
    answer = answer_of(made.chosen(), numbers, systems, source="S11", measure="nDCG@10")
    carried(answer, numbers, systems)
    (order,) = [one for one in answer.facts if "τ_b between the rankings" in one]
    assert "under NIST" in order
    (at,) = [n for n, column in enumerate(answer.rows.columns) if column.name == "τ_b with NIST"]
    taus = [value(numbers, name, "NIST") for name in ("tau", "tau_equal_widths")]
    assert [row[at] for row in answer.rows.rows] == taus
    alone = numbers[numbers["beside"] != "NIST"]
    answer = answer_of(made.chosen(), alone, systems, source="S11", measure="nDCG@10")
    assert "under equal widths" in said(answer, "rankings")


def test_pairs_that_change_are_counted():
    made = Made()
    numbers, systems = under_the_cut(made)
    numbers = pd.concat([made.numbers(), numbers], ignore_index=True)
    of_expert = numbers["beside"].eq("NIST")

    def say(appears, disappears, reverses, low):
        counts = {"appears": appears, "disappears": disappears, "reverses": reverses}
        own = numbers.copy()
        for name, count in counts.items():
            own.loc[of_expert & own["quantity"].eq(name), "value"] = count
        own.loc[of_expert & own["quantity"].eq("by_topics"), ["value", "low", "high"]] = (
            5, low, 9,
        )  # fmt: skip
        answer = answer_of(made.chosen(), own, systems, source="S11", measure="nDCG@10")
        carried(answer, own, systems)
        return said(answer, "only under NIST")

    cases = [(1, 2, 0, 3), (3, 0, 1, np.nan), (0, 0, 0, 3)]
    assert_said("cuts-pairs", say, cases)


def test_given_thresholds_stand_beside_the_optimum():
    made = Made()

    def answered(given):
        values, known = source_values(made.judgments), made.prepared.thresholds
        chosen = ChosenCut.of(made.best, known, S11, values, levels=3, fixed=given)
        labels = chosen.labels(made.judgments)
        numbers = recommended(chosen, made.found.to_frame(), labels)
        sides = {name: LabelSet.on_levels(name, table, 3) for name, table in labels.items()}
        expert = LabelSet.on_levels("NIST", made.labels, 3)
        more, systems = systems_under(sides, [expert], made.ranked, "nDCG@10", FEW)
        numbers = pd.concat([numbers, more], ignore_index=True)
        answer = answer_of(chosen, numbers, systems, source="S11", measure="nDCG@10")
        carried(answer, numbers, systems)
        return numbers, answer

    numbers, answer = answered((2.5, 8.0))
    alpha = made.found.mean[(made.found.cuts == [2, 8]).all(axis=1)][0]
    assert value(numbers, "alpha", GIVEN) == pytest.approx(alpha)
    grades = transform(aggregate(made.judgments, "median")["grade"].to_numpy(), (2.5, 8.0))
    row = answer.rows.rows[-1]
    assert row[:3] == ("given", "2.5, 8", pytest.approx(alpha))
    assert row[-3:] == tuple(np.bincount(grades.astype(int), minlength=3))
    assert row[-4] == value(numbers, "tau_given", "NIST")
    for given in ((2.1, 2.9), (-1.0, 5.0), (5.0, 10.0)):  # a grade of no value was not searched
        numbers, answer = answered(given)
        assert np.isnan(value(numbers, "alpha", GIVEN))
        assert "The given thresholds were not among those searched" in " ".join(answer.notes)


def test_systems_that_all_score_alike_are_said():
    made = Made()
    numbers, systems = under_the_cut(made)
    numbers = pd.concat([made.numbers(), numbers], ignore_index=True)
    told = {"source": "S11", "measure": "nDCG@10"}
    notes = " ".join(answer_of(made.chosen(), numbers, systems, **told).notes)
    assert "All systems" not in notes
    same = systems.assign(second=0.0)
    notes = " ".join(answer_of(made.chosen(), numbers, same, **told).notes)
    assert notes.count("All systems have the same nDCG@10 under these thresholds (0).") == 1
    one = same.groupby("beside", sort=False).head(1)  # of one system that is no wonder
    notes = " ".join(answer_of(made.chosen(), numbers, one, **told).notes)
    assert "All systems" not in notes


def test_only_none_is_written_as_none_and_only_all_as_all():
    cases = [(share, 0) for share in (0, 0.004, 0.006, 0.994, 0.9996, 1)]
    cases += [(share, 1) for share in (0.0005, 0.0004, 10_827 / 10_828, 1 - 1e-16, -1e-16)]
    assert_said("percent", percent, cases)


def test_up_to_five_names_are_told_and_of_more_how_many():
    def say(count):
        return named([f"w{n}" for n in range(count)], "worker")

    assert_said("names", say, [(0,), (1,), (2,), (5,), (6,)])


VACUOUS = re.compile(
    r"\b0 of 0\b|\b(?:all )?1 of 1\b|\b0 of 1\b|\b[Oo]f (?:the )?1 (?:pair|worker|judge)\b"
    r"|\bany of [\d,]+ pairs|[Aa]ny system may"
)
"""What is certain, or a count of one: nobody learns anything from it."""

ANSWERS = ("compare", "judges", "leave", "orders", "pairs", "pdp", "pool", "sweep", "ties",
           "unjudged", "workers", "magnitudes", "calibration", "cuts", "label")  # fmt: skip
"""How the names of files of answers begin."""


@pytest.mark.parametrize(
    "path", [one for one in sorted(FOLDER.glob("*.txt")) if one.stem.startswith(ANSWERS)],
    ids=lambda path: path.stem,
)  # fmt: skip
def test_no_answer_says_what_is_certain(path):
    """In none of the sentences that tests keep, whatever they are of."""
    said = path.read_text("utf-8").splitlines()
    assert not [one for one in said if VACUOUS.search(one)]
