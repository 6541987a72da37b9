"""Grades under given thresholds: against pandas, edges, the command."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import regrade
from regrade.answers.shape import FINE, LOOK, PROBLEM
from regrade.command.app import app
from regrade.errors import ParameterError
from tests.snapshots import assert_said
from tests.unit.carried import assert_carried

RNG = np.random.default_rng(5)
FRAME = pd.DataFrame({
    "topic": np.repeat([f"t{n}" for n in range(6)], 40),
    "docno": [f"d{n}" for n in range(240)],
    "grade": RNG.choice(np.arange(0, 101), 240),
})  # fmt: skip
S101 = {"scale": 101}


def grades_of(cut):
    """Grades in the order of the frame."""
    table = cut.labels.table.to_pandas().astype({"docno": str})
    return table.set_index("docno").loc[FRAME["docno"], "grade"].to_numpy()


def answered(cut):
    """The answer, whose numbers are those of the grades."""
    numbers = {
        "thresholds": pd.DataFrame({"levels": [len(cut.grades), len(cut.thresholds)]}),
        "documents": pd.DataFrame({
            "n": [cut.grades["documents"].sum(), cut.labels.table["topic"].to_pandas().nunique()],
            "even": 1 / len(cut.grades),
        }),
        "grades": cut.grades.assign(written=cut.grades["up_to"].map("{:.4g}".format).astype(float)),
        "without": pd.DataFrame({"topics": range(7)}),
    }  # fmt: skip
    assert_carried(replace(cut.answer, tables=(*numbers,)), numbers, cut.source.name)
    return cut.answer


@pytest.mark.parametrize("thresholds", [(25, 50, 75), (0,), (99.5,), (3, 4, 5, 6, 7, 8)])
def test_given_thresholds_cut_as_pandas_does(thresholds):
    cut = regrade.cut_at(FRAME, thresholds, **S101)
    bins = [-np.inf, *thresholds, np.inf]
    np.testing.assert_array_equal(grades_of(cut), pd.cut(FRAME["grade"], bins, labels=False))
    counts = np.bincount(grades_of(cut).astype(int), minlength=len(thresholds) + 1)
    assert cut.grades["documents"].tolist() == counts.tolist()
    assert cut.grades["share"].sum() == pytest.approx(1)
    for row in cut.grades.itertuples():
        has = FRAME[grades_of(cut) == row.grade]["topic"].nunique()
        assert row.topics_without == 6 - has
    assert answered(cut).light == (FINE if counts.all() else LOOK)


@pytest.mark.parametrize("levels", [2, 3, 4, 7])
def test_equal_widths_and_quantiles_cut_as_pandas_does(levels):
    equal = regrade.cut_at(FRAME, "equal", levels, **S101)
    bins = np.linspace(0, 100, levels + 1)
    expected = pd.cut(FRAME["grade"], bins, labels=False, include_lowest=True)
    np.testing.assert_array_equal(grades_of(equal), expected)
    assert equal.thresholds == pytest.approx(bins[1:-1])
    quantiles = regrade.cut_at(FRAME, "quantiles", levels, **S101)
    np.testing.assert_array_equal(
        grades_of(quantiles), pd.qcut(FRAME["grade"], levels, labels=False)
    )
    for cut in (equal, quantiles):
        answered(cut)
    assert regrade.cut_at(FRAME, levels=levels, **S101).thresholds == equal.thresholds


def test_equal_widths_are_those_of_the_search():
    reference = FRAME.assign(grade=FRAME["grade"] // 34)
    search = regrade.find_cuts(FRAME, 3, reference, **S101)
    (row,) = [row for row in search.answer(resamples=0).rows.rows if row[0] == "equal widths"]
    equal = regrade.cut_at(FRAME, "equal", 3, **S101)
    assert row[-3:] == tuple(equal.grades["documents"])


def test_judgments_are_aggregated_first():
    rows = [("1", "d1", w, v) for w, v in zip("abc", (0, 60, 100), strict=True)]
    rows += [("1", "d2", w, 10) for w in "ab"]
    judgments = pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])
    cut = regrade.cut_at(regrade.read_judgments(judgments, scale=101), [50])
    assert cut.labels.to_frame()[["docno", "grade"]].to_numpy().tolist() == [["d1", 1], ["d2", 0]]


def test_what_the_grades_look_like_is_said():
    ties = FRAME.assign(grade=FRAME["grade"].clip(lower=40))
    low = FRAME.assign(grade=np.where(FRAME["topic"] == "t1", 0, FRAME["grade"]))

    def say(which, *asked):
        answer = answered(regrade.cut_at({"ties": ties, "low": low}[which], *asked, **S101))
        return [answer.key, answer.light, *str(answer).splitlines()]

    cases = [("ties", [25, 50, 75]), ("ties", "quantiles", 4), ("low", [50]), ("low", "equal", 6)]
    cases += [("ties", [5, 50])]
    assert_said("cuts-given", say, cases)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (([50, 25],), "thresholds are 50, 25: they ascend, each once; write 25, 50"),
        (([25, 25],), "they ascend, each once; write 25"),
        (([],), "thresholds are none"),
        (([25, np.nan],), "each once; write 25"),
        (([25, "x"],), "give numbers that ascend"),
        (([25, 100],), "the threshold 100 has no values on one of its sides"),
        (([-1, 100],), "the threshold -1 has no values on one of its sides"),
        (([25], 3), "1 threshold and 3 levels disagree: leave levels out"),
        (("quantile",), "did you mean 'quantiles'"),
        (("equal", 1), "levels"),
    ],
)
def test_thresholds_that_cannot_be_are_refused(asked, reason):
    with pytest.raises(ParameterError, match=reason):
        regrade.cut_at(FRAME, *asked, **S101)


def test_fewer_values_than_levels_and_one_document():
    two = FRAME.assign(grade=np.where(FRAME["grade"] > 30, 90, 10))
    with pytest.raises(ParameterError, match=r"of the documents of .* have the value 90, the 0.5 "):
        regrade.cut_at(two, "quantiles", 4, **S101)
    equal = regrade.cut_at(two, "equal", 4, **S101)
    assert (equal.grades["documents"] == 0).sum() == 2
    assert "No document has grades 1 and 2." in answered(equal).notes
    one = regrade.cut_at(FRAME.head(1).assign(grade=60), [50], **S101)
    assert one.grades["documents"].tolist() == [0, 1]
    assert answered(one).light == PROBLEM
    with pytest.raises(ParameterError, match="so that the next level would have none"):
        regrade.cut_at(FRAME.head(1), "quantiles", **S101)
    same = {"1": {"d": 0.5, "e": 0.5}}
    with pytest.raises(ParameterError, match="there is nothing to cut"):
        regrade.cut_at(same, "equal")
    with pytest.raises(ParameterError, match="there is nothing to cut"):
        regrade.cut_at(same, "equal", scale={"ratio": True})


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("scores.tsv", sep="\t", index=False)
    regrade.read_qrels(FRAME.assign(grade=FRAME["grade"] // 26)).to_qrels("ref.qrels")
    return lambda *words: CliRunner().invoke(app, ["cut", "scores.tsv", "--scale", "101", *words])


def test_the_command_writes_and_prints_the_grades(run):
    for words, asked in (
        (("--at", "25,50,75"), ([25, 50, 75],)),
        (("--equal", "--levels", "4"), ("equal", 4)),
        (("--quantiles", "-k", "4"), ("quantiles", 4)),
    ):
        done = run(*words, "--out", "new.qrels")
        assert done.exit_code == 0, done.output
        cut = regrade.cut_at(FRAME, *asked, **S101)
        written = regrade.read_qrels("new.qrels").table.to_pandas().astype({"docno": str})
        written = written.set_index("docno").loc[FRAME["docno"], "grade"]
        np.testing.assert_array_equal(written, grades_of(cut))
        assert cut.answer.verdict in done.stdout and "grades: new.qrels" in done.stdout
        assert '"grades"' in run(*words, "--json").stdout


def test_beside_a_reference_given_thresholds_are_compared_with_the_best(run):
    done = run("--at", "20,50,80", "-r", "ref.qrels", "--resamples", "0", "--out", "new.qrels")
    assert done.exit_code == 0, done.output
    (optimum,) = [line for line in done.stdout.splitlines() if line.startswith("optimum ")]
    (given,) = [line for line in done.stdout.splitlines() if line.startswith("given ")]
    assert " 24, 51, 77 " in optimum and " 20, 50, 80 " in given
    assert regrade.read_qrels("new.qrels").table["grade"].to_pylist().count(3) == (
        (FRAME["grade"] > 80).sum()
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--at", "50", "--equal"), "two sets of thresholds"),
        (("--at", "x"), "'x' is not a number"),
        (("--at", "50", "--per-topic", "-r", "ref.qrels"), "--per-topic searches"),
        (("--equal", "--method", "d2_at"), "--method belongs to a search"),
        (("--equal", "--runs", "r"), "under the cut: give --reference"),
        (("--levels", "9"), "levels"),
    ],
)
def test_options_that_do_not_go_together_are_refused(run, words, reason):
    done = run(*words)
    assert done.exit_code != 0 and reason in done.stderr, done.output
