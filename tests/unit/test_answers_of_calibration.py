"""Whether a cut is enough, in sentences: of rows written by hand."""

from functools import partial

import numpy as np
import pandas as pd

from regrade.calibration.answer import answer
from tests.snapshots import assert_said
from tests.unit.carried import assert_carried

METHODS = ["judge", "method", "left_out", "quantity", "value", "difference", "low", "high"]


def tables(verdicts=None, alpha=(0.1, 0.05, 0.15), brier=0.3, size=1.6, lows=(0.4, 0.5)):
    """Of the judge J maps m and n, of which n is the better one, labels, and a prior.

    `lows`: the lower ends of α of the labels and of n.
    """
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
        ("J", "labels", "nDCG", 0.7, (verdicts or ["", "significantly worse"])[1]),
        ("J", "n", "AP", 0.1, "significantly worse"),
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
    methods = pd.DataFrame(methods, columns=METHODS).assign(topics=30, folds=10, seed=3)
    for method, value_low in zip(("labels", "n"), lows, strict=True):
        own = methods["method"].eq(method) & methods["quantity"].eq("alpha")
        methods.loc[own, ["value_low", "value_high"]] = value_low, 0.9
    rankings = pd.DataFrame(rows, columns=["judge", "method", "measure", "tau", "verdict"])
    return {
        "methods": methods,
        "rankings": rankings.assign(difference=-0.1, low=-0.3, high=0.1, resamples=500),
        "sets": pd.DataFrame(sets, columns=of_sets),
    }


def said(made):
    answered = answer(made, "R", 4)
    assert_carried(answered, made, "R", "4", "0.02", folder="calibration")
    return [answered.key, answered.light, *str(answered).splitlines()]


def test_whether_a_cut_is_enough_is_told_by_the_first_measure():
    """By agreement where one of the two ranks nothing."""
    cases = [
        ("best", "significantly worse"),
        ("significantly worse", "best"),
        ("best", "non-inferior"),
        ("not significant", "best"),
    ]
    assert_said("calibration-systems", lambda *case: said(tables(case)), cases)

    def say(method):
        made = tables(("best", "significantly worse"))
        taus = made["rankings"]["tau"].mask(made["rankings"]["method"] == method)
        return said(made | {"rankings": made["rankings"].assign(tau=taus)})

    assert_said("calibration-one-ranks", say, [("labels",), ("n",)])


def test_without_runs_agreement_decides():
    """The best map is told, and neither what knows no judge nor what has labels of the topic."""
    cases = [(0.1, 0.05, 0.15), (0.1, -0.15, -0.05), (0.1, -0.05, 0.15), (np.nan,) * 3]
    assert_said("calibration-agreement", lambda *ends: said(tables(alpha=ends)), cases)


def test_agreement_that_is_not_significant_is_not_compared():
    """Constant levels have a lower α than noise, and neither says anything."""
    cases = [(-0.1, -0.3), (0.0, -0.3), (0.01, -0.3), (-0.1, 0.01), (np.nan, np.nan)]
    made = partial(tables, None, (-0.1, -0.15, -0.05))
    assert_said("calibration-no-agreement", lambda *lows: said(made(lows=lows)), cases)


def test_a_judge_that_says_nothing_is_warned_of():
    assert_said("calibration-brier", lambda one: said(tables(brier=one)), [(0.4,), (0.45,)])
