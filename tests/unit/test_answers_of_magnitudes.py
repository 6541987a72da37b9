"""What magnitudes are worth as gains: numbers by hand, sentences, edges, as a user asks."""

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.answers.shape import PROBLEM
from regrade.errors import RegradeError
from regrade.kendall import places, tau_b
from regrade.magnitudes.answer import (
    _ReferenceNumbers,
    answer,
    document_pairs,
    gains,
    likelier,
    ranking,
)
from regrade.magnitudes.figures import figure_magnitudes
from regrade.magnitudes.question import MEASURES
from tests.snapshots import assert_said
from tests.unit import carried

GAINS = (1.0, 3.0, 12.0)
TOPICS = [f"t{n}" for n in range(12)]
FAST = {"samples": 20, "resamples": 20}


def collection(spread=0.05, units=6, topics=TOPICS, seed=1):
    """Each unit judges six documents, two of each level, on a scale of its own."""
    rng = np.random.default_rng(seed)
    rows, labels = [], {}
    for topic in topics:
        grades = {f"d{n}": n % 3 for n in range(9)}
        labels[topic] = grades
        for unit in range(units):
            factor = np.exp(rng.normal())
            for docno in rng.choice(sorted(grades), 6, replace=False):
                value = factor * GAINS[grades[docno]] * np.exp(rng.normal(0, spread))
                rows.append((topic, docno, f"w{unit}", f"u{unit}", value))
    return pd.DataFrame(rows, columns=["topic", "docno", "worker", "unit", "value"]), labels


def systems(topics=TOPICS, count=4):
    """Systems of which each begins with another document."""
    return {
        f"s{k}": {t: {f"d{(n + k) % 9}": 9.0 - n for n in range(9)} for t in topics}
        for k in range(count)
    }


def checked(found, tmp_path, *names):
    return carried.checked(found, "magnitudes", tmp_path, *names)


def values(found, reference="qrels"):
    own = found.numbers[(found.numbers["reference"] == reference) & found.numbers["level"].isna()]
    return dict(zip(own["quantity"], own["value"], strict=True))


def numbers(*rows, **quantities):
    """The numbers of the reference R: rows of quantity, level and value; quantities of no level."""
    rows = [*rows, *((name.replace("_", " "), np.nan, one) for name, one in quantities.items())]
    found = pd.DataFrame(rows, columns=["quantity", "level", "value"])
    return found.assign(reference="R", low=np.nan, high=np.nan)


GIVEN = [("linear gain", level, level) for level in (0.0, 1.0, 2.0)]


def test_fitted_gains_are_told_where_all_are_known():
    def say(*own):
        fitted = [("fitted gain", float(level), gain) for level, gain in enumerate(own)]
        return gains(_ReferenceNumbers(numbers(*GIVEN, *fitted), "R"))

    cases = [(1.0, 3.04, 12.26), (1.0, np.nan, 12.0), (1.0,), (1.0, 2.0, 4.0, 8.0, 16.0)]
    assert_said("magnitudes-gains", say, cases)


def test_the_likelier_gains_are_told():
    def say(difference, p, levels, ends=(np.nan, np.nan)):
        other = "exponential" if levels > 2 else "fitted"
        of = {f"{other} over linear p": p, "topics left out in parts": 12}
        table = numbers(*GIVEN[:levels], **{f"{other} over linear": difference}, **of)
        return likelier(_ReferenceNumbers(table.assign(low=ends[0], high=ends[1]), "R"))

    cases = [(0.2, 0.0004, 3, (0.1, 0.3)), (-0.2, 0.03, 3, (-0.3, -0.1)), (0.2, 0.24, 3)]
    cases += [(0.2, 0.01, 2), (np.nan, np.nan, 3)]
    assert_said("magnitudes-likelier", say, cases)


def test_the_order_of_pairs_has_its_ends_where_there_are_some():
    def say(pairs, concordant, tied=0, ends=(np.nan, np.nan)):
        ordered = concordant / pairs if pairs else np.nan
        of = {"concordant pairs": concordant, "tied pairs": tied, "ordered alike": ordered}
        table = numbers(pairs=pairs, **of)
        return document_pairs(_ReferenceNumbers(table.assign(low=ends[0], high=ends[1]), "R"))

    cases = [(1425, 1211), (40, 30, 0, (0.7, 0.8)), (40, 30, 5), (0, 0)]
    assert_said("magnitudes-pairs", say, cases)
    assert document_pairs(_ReferenceNumbers(numbers(units=3), "R")) == say(0, 0)


def test_systems_are_ranked_by_the_first_measure_and_compared_by_the_others():
    """Where topics are few, no system is tested."""
    of = {"systems": 4, "topics": 10, "tau": 0.5, "moving": 2, "farthest": 1, "may be best": 3}
    of |= {"may be best under magnitudes": 2, "may be best under both": 1, "pairs of systems": 6}
    of |= {"settled pairs": 5}
    by = {f"{name} by {measure}": value for measure in ("AP", "RR") for name, value in of.items()}
    facts = {"units": 3, "units that fail": 0, "documents": 9, "cases": 0, "seed": 7}
    facts |= {"topics left out in parts": 10, "pairs": 0}
    table = numbers(*GIVEN, **by, **facts, documents_labelled=9)

    def say(changed, value):
        is_changed = table["quantity"].str.contains(changed)
        own = table.assign(value=table["value"].mask(is_changed, value))
        answered = answer(own, 0.0)
        names = "R", "AP", "RR"
        carried.assert_carried(answered, {"numbers": own}, *names, folder="magnitudes")
        return [answered.key, answered.light, *answered.lines()]

    cases = [("nothing", 0.0), ("moving by AP", 0.0), ("tau by AP", np.nan), ("^systems by", 1.0)]
    cases += [("may be best|^systems by", 4.0), ("topics by", 9.0), ("topics by", 0.0)]
    assert_said("magnitudes-systems", say, cases)


@pytest.fixture(scope="module")
def made():
    judgments, labels = collection()
    return regrade.magnitude_gains(judgments, labels, systems(), **FAST)


def test_gains_come_out_as_they_were_made(made, tmp_path):
    checked(made, tmp_path, *MEASURES)
    own = made.numbers[made.numbers["quantity"] == "fitted gain"]
    assert own["value"].to_numpy() == pytest.approx(GAINS, rel=0.05)
    assert [row[2:5] for row in made.answer.rows.rows][-1] == tuple(own["value"])
    # 3 and 12 are far from 2 and 3, and not as far from 2 and 4
    assert "Exponential gains predict held-out documents significantly better" in made.summary()


def test_counts_are_those_of_the_tables(made):
    found = values(made)
    assert found["units"] == 12 * 6
    assert found["documents"] == found["documents labelled"] == 12 * 9
    assert found["cases"] == 12 * 2
    assert found["exceptions"] == 0
    assert found["ordered alike"] == 1
    assert found["concordant pairs"] == found["pairs"] == 12 * 27


def test_magnitudes_that_are_all_equal_are_said_to_order_nothing(tmp_path):
    judgments, labels = collection()
    judgments["value"] = 100
    made = regrade.magnitude_gains(judgments, labels, **FAST)
    checked(made, tmp_path)
    assert values(made)["ordered alike"] == 0
    assert "Magnitudes order 0 of 324 pairs of documents" in made.summary()
    assert "; 324 pairs have equal magnitudes." in made.summary()


def test_ends_are_those_of_the_tables():
    """Of the pairs over all topics, not of two levels; what has no interval has no ends."""
    judgments, labels = collection(spread=1.5)
    found = regrade.magnitude_gains(judgments, labels, **FAST)
    of = found.agreement[(found.agreement["topic"] == "*") & found.agreement["lower"].isna()]
    columns = ["ordered", "ordered_low", "ordered_high"]
    (expected,) = of[of["second"] == "qrels"][columns].to_numpy()
    ends = found.numbers.set_index("quantity")[["value", "low", "high"]]
    assert ends.loc["ordered alike"].tolist() == expected.tolist()
    assert found.numbers["quantity"].eq("ordered alike").sum() == 1
    assert 0 < expected[1] < expected[0] < expected[2] < 1
    compared = ends.index.str.endswith("over linear") | (ends.index == "ordered alike")
    assert ends[~compared][["low", "high"]].isna().all(axis=None)


def test_systems_are_ranked_under_both(made):
    measure = MEASURES[0]
    of = made.systems[(made.systems["measure"] == measure) & (made.systems["over"] == "runs")]
    scores = of.pivot(index="system", columns="gains", values="score")
    under, beside = scores["magnitudes"].to_numpy(), scores["reference"].to_numpy()
    tau, moves = tau_b(under, beside), np.abs(places(under) - places(beside))
    found = values(made)
    assert found[f"tau by {measure}"] == pytest.approx(tau, abs=1e-12)
    assert found[f"moving by {measure}"] == (moves > 0).sum()
    assert found[f"farthest by {measure}"] == moves.max()
    assert made.answer.verdict == ranking(_ReferenceNumbers(made.numbers, "qrels"), measure)
    assert made.answer.verdict.startswith(f"By {measure}, magnitudes as gains ")


def test_each_further_reference_has_its_gains(tmp_path):
    judgments, labels = collection()
    two = {topic: {d: min(g, 1) for d, g in grades.items()} for topic, grades in labels.items()}
    sets = [regrade.read_qrels(labels, name="three"), regrade.read_qrels(two, name="two")]
    found = regrade.magnitude_gains(judgments, sets, **FAST)
    answer = checked(found, tmp_path)
    assert {row[0] for row in answer.rows.rows} == {"three", "two"}
    assert len(figure_magnitudes(found.numbers).axes) == 2


def test_references_of_one_name_are_not_mixed_up(tmp_path):
    judgments, labels = collection()
    two = {topic: {d: min(g, 1) for d, g in grades.items()} for topic, grades in labels.items()}
    with pytest.raises(
        RegradeError, match="two sets are called 'qrels': give each set its own name"
    ):
        regrade.magnitude_gains(judgments, [labels, two], **FAST)
    found = regrade.magnitude_gains(judgments, {"three": labels, "two": two}, **FAST)
    for name, one in (("three", labels), ("two", two)):
        alone = regrade.magnitude_gains(judgments, regrade.read_qrels(one, name=name), **FAST)
        width = len(alone.answer.rows.columns)
        rows = [row for row in found.answer.rows.rows if row[0] == name]
        assert [row[2] for row in rows] == [row[2] for row in alone.answer.rows.rows]
        assert {len(row) for row in alone.answer.rows.rows} == {width}


def test_labels_of_one_level_give_no_gains(tmp_path):
    judgments, labels = collection()
    none = {topic: dict.fromkeys(grades, 0) for topic, grades in labels.items()}
    answer = checked(regrade.magnitude_gains(judgments, none, **FAST), tmp_path)
    assert (
        answer.verdict == "Magnitudes give no gains to qrels: no unit compares all of its levels."
    )
    assert answer.light == PROBLEM


def test_a_shift_few_labels_and_failing_units_are_warned_of(tmp_path):
    judgments, labels = collection()
    judgments["value"] -= judgments["value"].min()
    judgments["seconds"] = 1.0
    few = {topic: dict(list(grades.items())[:3]) for topic, grades in labels.items()}
    found = regrade.magnitude_gains(judgments, few, shift=1.0, **FAST)
    warnings = " ".join(checked(found, tmp_path).notes)
    assert "A constant was added" in warnings
    assert "qrels labels only 36 of 108 documents with magnitudes." in warnings
    assert "72 of 72 units fail a check; none was excluded." in warnings


@pytest.mark.parametrize("size", ["topic", "unit", "level", "disjoint", "equal"])
def test_edges_are_answered(size, tmp_path):
    topics = TOPICS[:1] if size == "topic" else TOPICS
    judgments, labels = collection(topics=topics)
    runs, measures = systems(topics), MEASURES
    if size == "unit":
        judgments = judgments[judgments["unit"] == "u0"]
    if size == "level":
        labels = {t: dict.fromkeys(grades, 1) for t, grades in labels.items()}
        labels["t0"]["d0"] = 0
    if size == "disjoint":
        labels = {t: {f"x{d}": g for d, g in grades.items()} for t, grades in labels.items()}
        with pytest.raises(RegradeError, match="no document that qrels judges was retrieved"):
            regrade.magnitude_gains(judgments, labels, runs, **FAST)
        runs, measures = None, ()
    if size == "equal":
        judgments["value"] = 1.0
    found = regrade.magnitude_gains(judgments, labels, runs, **FAST)
    answer = checked(found, tmp_path, *measures)
    assert answer.verdict
    if size == "disjoint":
        assert "share no two documents of different levels" in " ".join(answer.facts)
        assert "give no gains to" in found.summary()
    assert found.plot().axes or found.plot().texts


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"judgments": "zero"}, "shift"),
        ({"labels": "shares"}, "cut the labels first, or give the levels"),
        ({"normalize": "rank"}, "did you mean 'normalise'"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(change, said):
    judgments, labels = collection()
    options = dict(change)  # what pytest holds is left as it is, for a second run
    if options.pop("judgments", None):
        judgments.loc[3, "value"] = 0.0
    if options.pop("labels", None):
        labels = {t: {d: g + 0.5 for d, g in grades.items()} for t, grades in labels.items()}
    with pytest.raises(RegradeError, match=said):
        regrade.magnitude_gains(judgments, labels, **options)
