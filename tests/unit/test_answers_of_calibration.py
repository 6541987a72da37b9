"""Whether a cut is enough, in sentences: of rows written by hand."""

import numpy as np
import pandas as pd
import pytest

from regrade.answers.calibration import answer

METHODS = ["judge", "method", "left_out", "quantity", "value", "difference", "low", "high"]


def tables(verdicts=None, alpha=(0.1, 0.05, 0.15), brier=0.3, size=1.6):
    """Of the judge J maps m and n, of which n is the better one, labels, and a prior."""
    low = alpha[1:]
    methods = [
        ("J", "labels", "topics", "alpha", 0.5, np.nan, np.nan, np.nan),
        ("J", "prior", "topics", "alpha", 0.9, np.nan, np.nan, np.nan),
        ("J", "m", "topics", "alpha", 0.4, -0.1, -0.2, 0.2),
        ("J", "n", "topics", "alpha", 0.6, alpha[0], *low),
        ("J", "n", "documents", "alpha", 0.99, 0.0, 0.0, 0.0),
        ("J", "labels", "topics", "brier", 0.1, np.nan, np.nan, np.nan),
        ("J", "prior", "topics", "brier", 0.4, np.nan, np.nan, np.nan),
        ("J", "m", "topics", "brier", 0.5, np.nan, np.nan, np.nan),
        ("J", "n", "topics", "brier", brier, np.nan, np.nan, np.nan),
        ("J", "by topic", "documents", "brier", 0.25, np.nan, np.nan, np.nan),
    ]
    rankings = [
        ("J", "prior", "nDCG", 0.99, "best"),
        ("J", "n", "nDCG", 0.8, (verdicts or ["best"])[0]),
        ("J", "labels", "nDCG", 0.7, (verdicts or ["", "worse"])[1]),
        ("J", "n", "AP", 0.1, "worse"),
        ("J", "labels", "AP", 0.2, "best"),
    ]
    sets = [
        ("J", "n", 0.8, 1.1, 0.79, 0.9),
        ("J", "m", 0.9, 1.9, 0.88, 0.2),
        ("J", "n", 0.9, size, 0.91, 0.45),
        ("J", "prior", 0.9, 1.0, 0.9, 0.99),
    ]
    of_sets = ["judge", "method", "target", "size", "covered", "one_level"]
    rows = rankings if verdicts else []
    return {
        "methods": pd.DataFrame(methods, columns=METHODS).assign(topics=30),
        "rankings": pd.DataFrame(rows, columns=["judge", "method", "measure", "tau", "verdict"]),
        "sets": pd.DataFrame(sets, columns=of_sets),
    }


TAUS = "τ_b with the ranking by R is 0.700 under labels and 0.800 under probabilities (nDCG)."


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (("best", "worse"), "A cut of J is not enough to rank systems: "),
        (("worse", "best"), "A cut of J ranks systems better than probabilities do: "),
        (("best", "as good"), "To rank systems a cut of J does as well as probabilities of grades,"
         " as far as 30 topics tell: "),
        (("not told apart", "best"), "To rank systems a cut of J does as well as probabilities of"
         " grades, as far as 30 topics tell: "),
    ],
)  # fmt: skip
def test_whether_a_cut_is_enough_is_told_by_the_first_measure(verdicts, said):
    found = answer(tables(verdicts), "R", 4)
    assert found.verdict == f"{said}{TAUS}"
    assert found.facts[0].startswith("The middle levels of J's probabilities agree")


@pytest.mark.parametrize(
    ("alpha", "said"),
    [
        ((0.1, 0.05, 0.15), "agree more than its labels under the best cut"),
        ((0.1, -0.15, -0.05), "agree less than its labels under the best cut"),
        ((0.1, -0.05, 0.15), "agree as well as its labels under the best cut, as far as told"),
    ],
)
def test_without_runs_agreement_decides(alpha, said):
    """The best map is told, and neither what knows no judge nor what has labels of the topic."""
    found = answer(tables(alpha=alpha), "R", 4)
    values = "α 0.600 beside 0.500."
    assert found.verdict == f"The middle levels of J's probabilities {said}: {values}"
    assert found.facts[0] == (
        "Brier's score of probabilities (n) is 0.300; without the judge it is 0.400 (low is good)."
    )
    assert found.facts[1].endswith("other documents of the same topic it is 0.250.")
    assert found.facts[2] == (
        "Sets that are to hold the grade in 90% of cases hold it in 91% and have 1.6 of the 4 "
        "levels on average; 45% of them have one."
    )
    assert not found.warnings


@pytest.mark.parametrize("method", ["labels", "n"])
def test_where_one_of_the_two_ranks_nothing_agreement_decides(method):
    made = tables(("best", "worse"))
    taus = made["rankings"]["tau"].mask(made["rankings"]["method"] == method)
    found = answer(made | {"rankings": made["rankings"].assign(tau=taus)}, "R", 4)
    assert found.verdict.startswith("The middle levels of J's probabilities agree more")


def test_without_labels_on_the_scale_the_map_stands_alone():
    found = answer(tables(alpha=(np.nan,) * 3), "R", 4)
    assert found.verdict.endswith("the middle levels of its probabilities have an α of 0.600.")


@pytest.mark.parametrize("brier", [0.4, 0.45])
def test_a_judge_that_says_nothing_is_warned_of(brier):
    found = answer(tables(brier=brier), "R", 4)
    said = "J says nothing of the grades: without it they are guessed as well."
    assert found.warnings == (said,)
