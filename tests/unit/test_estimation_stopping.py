"""Whether more labels are needed, however often one has looked."""

from math import log

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

import regrade
from regrade.command.app import app
from regrade.errors import ParameterError
from regrade.estimation.question import Settled
from regrade.estimation.replays import Z
from regrade.estimation.stopping import ERROR, Look, settled
from tests.unit.test_assign import ON, filled
from tests.unit.test_estimates import MEASURES, MODEL, PEOPLE, RUNS


def pairs_of(values, error):
    names = [f"s{i}" for i in range(len(values))]
    order = sorted(range(len(values)), key=lambda i: -values[i])
    rows = [(names[a], names[b], values[a] - values[b])
            for i, a in enumerate(order) for b in order[i + 1 :]]  # fmt: skip
    table = pd.DataFrame(rows, columns=["system", "other", "difference"])
    table["same_rankings"] = False
    return table.assign(low=table["difference"] - Z * error, high=table["difference"] + Z * error)


def test_errors_of_all_looks_add_up():
    spent = [2 * stats.norm.sf(Look(k, 50, 100).reach()) for k in range(1, 2000)]
    assert sum(spent) == pytest.approx(ERROR * (1 - 1 / 2000))
    several = [2 * 7 * stats.norm.sf(Look(k, 50, 100).reach(tests=7)) for k in range(1, 2000)]
    assert sum(several) == pytest.approx(ERROR * (1 - 1 / 2000))
    assert Look(2, 50, 100).reach(later=1) == Look(3, 50, 100).reach()


def test_pairs_are_settled_by_their_errors():
    pairs, look = pairs_of([0.1, 0.5, 0.45, 0.3], 0.05), Look(2, 100, 1000)
    found = settled(pairs, look)
    reach = stats.norm.isf(0.05 / 12) * 0.05
    assert found["pairs"] == 6
    assert found["open"] == (pairs["difference"] <= reach).sum() == 1
    # the first of four beside three others, all at once
    assert settled(pairs, look, 1) == {"pairs": 3, "same": 0, "open": 1, "more": 432}
    assert settled(pairs_of([0.9, 0.5, 0.45], 0.05), look, 1)["open"] == 0
    # of the first two against the others all but one pair is told
    assert settled(pairs, look, 2)["pairs"] == 4
    none = settled(pairs.assign(low=np.nan), look)
    assert np.isnan(none["open"]) and np.isnan(none["more"])


def test_more_labels_are_those_that_make_the_error_small_enough():
    look, error = Look(1, 100, 2000), 0.05
    for apart in (0.02, 0.08):
        more = settled(pairs_of([0.5, 0.5 - apart], error), look)["more"]
        n = 100 + more
        later = error * np.sqrt((1 / n - 1 / 2000) / (1 / 100 - 1 / 2000))
        reach = stats.norm.isf(0.05 / 2 / 6)
        assert apart / later == pytest.approx(reach, rel=0.01)
    assert settled(pairs_of([0.5, 0.5], error), look)["more"] == 1900
    assert settled(pairs_of([0.5, 0.5], 0.0), look)["more"] == 1900
    known = settled(pairs_of([0.5, 0.4], 0.0), look)
    assert known == {"pairs": 1, "same": 0, "open": 0, "more": 0}


def test_looking_after_every_batch_errs_as_seldom_as_said():
    # means of batches of independent numbers, of two systems that are equal: whatever is called
    # settled is wrong
    rng = np.random.default_rng(1)
    batches = rng.normal(size=(20_000, 30))
    scaled = np.abs(np.cumsum(batches, axis=1)) / np.sqrt(np.arange(1, 31))
    reach = [Look(k, 1, 2).reach() for k in range(1, 31)]
    wrong = (scaled > reach).any(axis=1).mean()
    assert wrong < ERROR
    assert (scaled > Z).any(axis=1).mean() > 6 * wrong > log(2) / 100


@pytest.mark.slow
def test_the_first_is_wrong_as_seldom_as_said():
    # ten equal systems and their errors, which go together
    rng, look = np.random.default_rng(2), [Look(k, 1, 2) for k in range(1, 9)]
    wrong = 0
    for _ in range(150):
        sums = np.cumsum(rng.normal(size=(8, 10)) + rng.normal(size=(8, 1)), axis=0)
        wrong += any(
            settled(pairs_of(sums[k] / (k + 1), np.sqrt(2 / (k + 1))), look[k], 1)["open"] == 0
            for k in range(8)
        )
    assert wrong / 150 < ERROR


@pytest.fixture(scope="module")
def said():
    asked = filled(regrade.assign(RUNS, MODEL, 60, MEASURES, **ON))
    return regrade.estimate(asked, MODEL, RUNS, MEASURES, **ON)


def test_what_is_said(said):
    facts = said.facts.set_index("quantity")["value"]
    assert facts["batches"] == 1
    found = said.settled("undecided")
    assert list(found.to_frame()) == ["measure", "pairs", "same", "open", "more"]
    assert not found and "of 10 pairs are decided. Continue: " in found.summary()
    first = said.settled(1)
    for row in first.table.itertuples():
        line = next(one for one in str(first.summary()).splitlines() if one.startswith(row.measure))
        leader = said.systems.set_index("measure").loc[row.measure, "system"].iloc[0]
        assert f"{leader} is first (" in line
        assert line.endswith("stop labelling.") == (row.open == 0)
        assert row.pairs == 4
    assert "s0 and s1 are the first 2" in said.settled(2).summary()


def test_what_cannot_be_asked(said):
    for aim, reason in ((5, "there are 5 systems"), ("all", "it is undecided or"), (0, "aim is 0")):
        with pytest.raises(ParameterError, match=reason):
            said.settled(aim)


def test_without_intervals_nothing_is_settled():
    asked = filled(regrade.assign(RUNS, MODEL, 60, "AP", **ON))
    found = regrade.estimate(asked, MODEL, RUNS, "AP", **ON).settled(1)
    assert not found and "not tested, as there are no intervals" in found.summary()


def test_from_the_shell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    regrade.read_runs(RUNS).to_frame().to_csv("runs.csv", index=False)
    regrade.read_qrels(MODEL).to_qrels("model.qrels")
    asked = filled(regrade.assign(RUNS, "model.qrels", 60, MEASURES, **ON))
    asked.to_csv("filled.csv", index=False)
    line = "estimate filled.csv model.qrels --runs runs.csv --scale 4 -m nDCG@5 --settled"

    def run(more):
        return CliRunner().invoke(app, [*line.split(), *more.split()])

    same = regrade.estimate("filled.csv", "model.qrels", "runs.csv", "nDCG@5", scale=4)
    assert run("undecided").stdout == f"{same.settled('undecided').summary()}\n"
    assert run("1").stdout == f"{same.settled(1).summary()}\n"
    assert '"open"' in run("2 --json").stdout
    assert run("all").exit_code != 0


def told(aim, leaders, *rows, same=0):
    """Of rows of measure, pairs, open and further labels; the leaders are of every measure."""
    table = pd.DataFrame(rows, columns=["measure", "pairs", "open", "more"]).assign(same=same)
    alike = dict.fromkeys(table["measure"], ["x", "y", "z"][:same])
    return Settled(table, aim, dict.fromkeys(table["measure"], leaders), alike)


def test_whether_to_stop_is_told_by_each_measure():
    """Of two measures one has no intervals: counts are whole numbers all the same."""
    found = told(
        "undecided", list("abc"), ("AP", 3, 0, 0), ("RR", 3, 2, 41), ("P", 3, *[np.nan] * 2)
    )
    assert str(found.summary()).splitlines() == [
        "AP: 3 of 3 pairs are decided: stop labelling.",
        "RR: 1 of 3 pairs is decided. Continue: about 41 further labels are expected to decide "
        "half of the remaining pairs.",
        "P: not tested, as there are no intervals.",
    ]
    assert not found
    assert not told("undecided", list("abc"), ("P", 3, np.nan, np.nan))
    assert told("undecided", list("abc"), ("AP", 3, 0, 0))


@pytest.mark.parametrize(
    ("aim", "leaders", "what"),
    [(1, ["a"], "a is first"), (2, ["a", "b"], "a and b are the first 2")],
)
def test_whether_the_first_are_settled_is_told(aim, leaders, what):
    found = told(aim, leaders, ("AP", 4, 0, 0), ("RR", 4, 1, 9), ("P", 4, *[np.nan] * 2))
    stop, on, _ = str(found.summary()).splitlines()
    assert stop == f"AP: {what} (decided): stop labelling."
    assert on == (
        f"RR: not yet decided that {what} (1 of 4 pairs is open). Continue: about 9 further labels "
        "are expected to decide all."
    )


def test_one_label_more_is_one():
    assert str(told("undecided", ["a"], ("AP", 3, 2, 1)).summary()).endswith(
        " Continue: about 1 further label is expected to decide half of the remaining pairs."
    )
    assert str(told(1, ["a"], ("AP", 3, 2, 1)).summary()).endswith(
        " (2 of 3 pairs are open). Continue: about 1 further label is expected to decide all."
    )


def test_what_is_the_same_on_every_document_cannot_be_settled():
    runs = {"a": RUNS["s0"], "b": RUNS["s0"], "c": RUNS["s4"]}
    asked = filled(regrade.assign(runs, MODEL, 60, "P(rel=2)@5", **ON))
    for labels in (asked, PEOPLE):
        found = regrade.estimate(labels, MODEL, runs, "P(rel=2)@5", **ON)
        row = found.pairs.iloc[0]
        assert row["same_rankings"] and not found.pairs["same_rankings"][1:].any()
        assert [row["difference"], row["low"], row["high"], row["p"], row["p_adjusted"]] == [
            0, 0, 0, 1, 1,
        ]  # fmt: skip
        assert str(found.settled("undecided").summary()) == (
            "P(rel=2)@5: 2 of 3 pairs are decided; 1 pair is identical: stop labelling."
        )
        first = found.settled(1)
        assert not first and found.settled("undecided")
        assert str(first.summary()) == (
            "P(rel=2)@5: no label can decide that a is first, as a and b are identical. All other "
            "pairs are decided: stop labelling."
        )
        assert found.settled(2)
        assert "1 pair of systems is identical (same documents and ranks)." in found.answer.notes


def test_runs_that_differ_below_the_cutoff_are_the_same_within_it():
    turned = {}
    for topic, scores in RUNS["s0"].items():
        order = sorted(scores, key=scores.get, reverse=True)
        turned[topic] = {d: -float(i) for i, d in enumerate(order[:5] + order[5:][::-1])}
    runs = {"a": RUNS["s0"], "b": turned, "c": RUNS["s4"]}
    asked = filled(regrade.assign(runs, MODEL, 60, ["P(rel=2)@5", "P(rel=2)@6"], **ON))
    found = regrade.estimate(asked, MODEL, runs, ["P(rel=2)@5", "P(rel=2)@6"], replays=0, **ON)
    same = found.pairs.groupby("measure", sort=False)["same_rankings"].sum()
    assert same.tolist() == [1, 0]


def test_what_is_said_of_some_that_cannot_be_settled():
    assert str(told(1, ["a"], ("P", 5, 2, 1)).summary()).startswith("P: not yet decided")
    of_one = told(1, ["a"], ("P", 5, 2, 41), same=2)
    assert str(of_one.summary()) == (
        "P: no label can decide that a is first, as a, x and y are identical; 2 of 3 other pairs "
        "are open. Continue: about 41 further labels are expected to decide these."
    )
    assert not of_one
    none = told(2, ["a", "b"], ("P", 6, 1, 0), same=1)
    assert str(none.summary()) == (
        "P: no label can decide that a and b are the first 2, as one of these and x are identical; "
        "1 of 5 other pairs is open; no document is left to label: stop labelling."
    )
