"""Numbers at the ends of float64 and names that are numbers: right, by fractions, or refused."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.agreement import alpha
from regrade.errors import RegradeError

ENDS = (
    0.0, -0.0, 1.0, -1.0, 3.0, 0.1, 1e100, -1e100, 1e-100, -1e-100, 1e50, 2e50, 2.0**53,
    2.0**53 + 2, 1 + 2.0**-52, 1 - 2.0**-53,
)  # fmt: skip
"""Values that are read."""

BEYOND = (1e308, -1e308, 1.7976931348623157e308, 1e101, 5e-324, -5e-324, 2.3e-308, 1e-101)
"""Values that are not, though float64 has them."""

NAMES = ["9007199254740992", "9007199254740993", "18446744073709551616", "18446744073709551617"]
"""Names that are one name as float64, or beyond 64 bits."""


def exact_alpha(units, metric):
    """α in fractions, of lists of values; None where the expected disagreement is 0."""
    units = [[*map(Fraction, one)] for one in units if len(one) > 1]
    values = [*itertools.chain(*units)]
    n, known = len(values), sorted(set(values))
    if len(known) < 2:
        return None
    count = {value: values.count(value) for value in known}

    def difference(a, b):
        a, b = min(a, b), max(a, b)
        if metric == "ordinal":
            between = sum(count[value] for value in known if a <= value <= b)
            return (between - Fraction(count[a] + count[b], 2)) ** 2 if a < b else 0
        return (b - a) ** 2 if metric == "interval" else int(a != b)

    observed = sum(
        difference(a, b) / Fraction(len(one) - 1)
        for one in units
        for a, b in itertools.permutations(one, 2)
    )
    expected = sum(difference(a, b) for a, b in itertools.permutations(values, 2))
    return 1 - (n - 1) * observed / expected


def drawn(rng, size):
    """Values of a few of the ends."""
    some = rng.permutation(ENDS)[: rng.integers(2, 6)]
    return some[rng.integers(0, len(some), size)]


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_alpha_is_that_of_fractions(metric):
    rng, defined = np.random.default_rng(1), 0
    for _ in range(60):
        ratings = drawn(rng, (3, 6))
        ratings[rng.random(ratings.shape) < 0.2] = np.nan
        units = [[value for value in of if not math.isnan(value)] for of in ratings.T.tolist()]
        expected = exact_alpha(units, metric)
        if expected is None:
            assert math.isnan(alpha(ratings, metric))
        else:
            defined += 1
            assert alpha(ratings, metric) == pytest.approx(float(expected), rel=1e-12, abs=1e-12)
    assert defined > 40


def exact_scores(grades, ranking):
    """DCG, nDCG and their exponential kin, AP and P@3, by definition, in fractions."""

    def total(gains):
        return sum(Fraction(gain) / Fraction(math.log2(1 + r)) for r, gain in enumerate(gains, 1))

    linear = {doc: max(grade, 0.0) for doc, grade in grades.items()}
    ideal = total(sorted(linear.values(), reverse=True))
    own = total(linear.get(doc, 0.0) for doc in ranking)
    relevant = [grades.get(doc, 0) >= 0.5 for doc in ranking]
    number, seen = sum(grade >= 0.5 for grade in grades.values()), itertools.accumulate(relevant)
    precision = [Fraction(n, r) for r, n in enumerate(seen, 1)]
    ap = sum(p for p, is_relevant in zip(precision, relevant, strict=True) if is_relevant)
    return {
        "DCG": own,
        "nDCG": own / ideal if ideal else Fraction(0),
        "AP(rel=0.5)": ap / number if number else Fraction(0),
        "P(rel=0.5)@3": Fraction(sum(relevant[:3]), 3),
    }


def test_scores_are_those_of_fractions():
    rng = np.random.default_rng(2)
    docs, told = [*"abcdef"], 0
    for turn in range(40):
        grades = dict(zip(docs, abs(drawn(rng, 6)).tolist(), strict=True))
        ranking = rng.permutation(docs).tolist()
        run = {"1": {doc: -float(place) for place, doc in enumerate(ranking)}}
        labels = {"1": grades}
        if turn % 2:
            labels = pd.DataFrame(
                {"qid": "1", "docno": docs, "label": [grades[doc] for doc in docs]}
            )
        expected = exact_scores(grades, ranking)
        try:
            found = regrade.score(labels, {"s": run}, [*expected]).to_frame()
        except RegradeError as error:
            assert max(grades.values()) < 0.5, error  # nothing can be relevant
            continue
        told += 1
        for measure, value in found.set_index("measure")["value"].items():
            assert value == pytest.approx(float(expected[measure]), rel=1e-12, abs=1e-300), measure
    assert told > 20


def test_exponential_gains_of_the_smallest_grades_keep_their_digits():
    """2^g − 1 is ln 2 · g to 16 digits."""
    run = {"s": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    for unit in (1e-100, 1e-20, 1e-9):
        labels = {"1": {"a": 0.0, "b": unit, "c": 2 * unit}}
        found = regrade.score(labels, run, "nDCG(dcg='exp-log2')").to_frame()["value"][0]
        own = [unit, 2 * unit]
        gains = [math.log(2) * g * (1 + math.log(2) * g / 2) for g in own]
        dcg = gains[0] / math.log2(3) + gains[1] / math.log2(4)
        ideal = gains[1] + gains[0] / math.log2(3)
        assert found == pytest.approx(dcg / ideal, rel=1e-12)


def test_scores_of_runs_are_compared_as_they_are():
    """Any number: the order of a run is all that counts."""
    scores = [*BEYOND, *ENDS, math.inf, -math.inf]
    rng = np.random.default_rng(3)
    names = rng.permutation([f"d{n:02}" for n in range(len(scores))]).tolist()
    of = dict(zip(names, scores, strict=True))
    # equal ones, as 0 and −0, stay as they stand
    ranking = sorted(names, key=lambda doc: -of[doc])
    for place, doc in enumerate(ranking, 1):
        found = regrade.score({"1": {doc: 1, "x": 0}}, {"s": {"1": of}}, "RR")
        assert found.to_frame()["value"].tolist() == [1 / place]


@pytest.mark.parametrize("metric", ["nominal", "ordinal"])
def test_the_best_cut_is_that_of_every_cut_in_fractions(metric):
    rng = np.random.default_rng(4)
    told = 0
    for _ in range(25):
        docs = [f"d{n}" for n in range(8)]
        values = dict(zip(docs, drawn(rng, 8).tolist(), strict=True))
        people = dict(zip(docs, rng.integers(0, 2, 8).tolist(), strict=True))
        known = sorted(set(values.values()))
        exact = [
            exact_alpha([[int(values[doc] > cut), people[doc]] for doc in docs], metric)
            for cut in known[:-1]
        ]
        if len(known) < 3 or None in exact:
            continue
        told += 1
        found = regrade.find_cuts({"1": values}, 2, {"1": people}, alpha=metric, coverage=0.0)
        assert found.best.alpha == pytest.approx(float(max(exact)), abs=1e-12)
        labels = found.apply().to_frame().set_index("docno")["grade"].to_dict()
        reached = exact_alpha([[int(labels[doc]), people[doc]] for doc in docs], metric)
        assert reached == max(exact)
    assert told > 10


def as_frame(values):
    docs = [f"d{n}" for n in range(len(values))]
    return pd.DataFrame({"topic": "1", "docno": docs, "grade": values})


def as_judgments(values):
    return as_frame(values).rename(columns={"grade": "value"}).assign(worker="w")


@pytest.mark.parametrize("value", BEYOND)
def test_what_cannot_be_squared_is_refused_by_every_door(value, tmp_path):
    said = "is not 0, nor from 1e-100 to 1e"
    values = [0.0, value, 1.0]
    (tmp_path / "q").write_text("".join(f"1 0 d{n} {one!r}\n" for n, one in enumerate(values)))
    as_frame(values).to_csv(tmp_path / "q.csv", index=False)
    as_judgments(values).to_csv(tmp_path / "j.csv", index=False)
    labels = {"1": {f"d{n}": one for n, one in enumerate(values)}}
    (tmp_path / "q.json").write_text(json.dumps(labels))
    for source in (labels, as_frame(values), *(tmp_path / one for one in ("q", "q.csv", "q.json"))):
        with pytest.raises(RegradeError, match=said):
            regrade.read_qrels(source)
    for source in (as_judgments(values), tmp_path / "j.csv"):
        with pytest.raises(RegradeError, match=said):
            regrade.read_judgments(source)
    with pytest.raises(RegradeError, match=said):
        regrade.read_qrels(labels, scale=(-1.7e308 if value < 0 else 0, 1e308))
    strengths = {"topic": ["1"] * 2, "left": ["a", "b"], "right": ["b", "c"]}
    with pytest.raises(RegradeError, match=said):
        regrade.pairs({**strengths, "strength": [1.0, value]})


def test_what_is_out_of_bounds_can_be_left_out(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 1e308\n1 0 c 0\n")
    kept = regrade.read_qrels(tmp_path / "q", scale=2, off_scale="drop")
    assert kept.table["docno"].to_pylist() == ["a", "c"]
    with pytest.raises(RegradeError, match=r"q:2: grade 1e\+308 is not 0, nor from 1e-100 to 1e"):
        regrade.read_qrels(tmp_path / "q")


def test_names_that_are_large_numbers_stay_apart():
    names = [*NAMES, "0401", "401", "401.0", "4.01e2"]
    labels = {name: {doc: int(doc == name) for doc in names} for name in names}
    run = {name: {doc: float(doc == name) for doc in names} for name in names}
    rows = [(t, d, g) for t, of in labels.items() for d, g in of.items()]
    frame = pd.DataFrame(rows, columns=["topic", "docno", "grade"])
    for source in (labels, frame):
        found = regrade.score(source, {NAMES[0]: run, NAMES[1]: run}, "RR").to_frame()
        assert sorted(found["topic"].unique()) == sorted(names)
        assert sorted(found["system"].unique()) == sorted(NAMES[:2])
        assert (found["value"] == 1).all()
    ids = {int(name): {int(doc): int(doc == name) for doc in NAMES} for name in NAMES}
    found = regrade.score(ids, {"s": ids}, "RR").to_frame()
    assert sorted(found["topic"]) == sorted(NAMES)
    assert (found["value"] == 1).all()


def test_magnitudes_beside_too_many_levels_are_refused():
    rows = [("1", f"d{n}", "w", "u", float(n + 1)) for n in range(8)]
    held = pd.DataFrame(rows, columns=["topic", "docno", "worker", "unit", "value"])
    labels = {"1": {f"d{n}": n * 100 for n in range(8)}}
    with pytest.raises(RegradeError, match=r"has 701 levels: .* at most 101"):
        regrade.magnitude_gains(held, labels)
