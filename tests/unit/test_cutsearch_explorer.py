"""What a page is given to find α and nDCG of any cut: enough, and no more than that."""

import numpy as np
import pandas as pd
import pytest

from regrade.agreement import alpha
from regrade.choices import CUT_METHODS, METRICS
from regrade.cutsearch.explorer import comparisons_of
from regrade.cutsearch.search import prepare
from regrade.errors import MethodError
from tests.unit.judgments import alpha_options, random_judgments, random_labels

EXACT = 1e-9


def prepared_of(method, levels, *, source=101, seed=1, **options):
    judgments = random_judgments(seed, levels=source)
    labels = random_labels(seed, judgments, levels)
    reference = labels if CUT_METHODS[method].needs_reference else None
    return prepare(judgments, source, levels, method, reference, alpha_options(**options))


def level(codes, places):
    return (codes.to_numpy()[:, None] > np.asarray(places)).sum(axis=1)


def alpha_of_rows(rows, places, metric):
    """α of one unit's comparisons, by the definition."""
    first = (level(rows["first_low"], places) + level(rows["first_high"], places)) // 2
    second = (level(rows["low"], places) + level(rows["high"], places)) // 2
    second = np.where(rows["level"] >= 0, rows["level"], second)
    return alpha(np.array([first, second], dtype=float), metric)


def alpha_within(rows, places, metric):
    """α of all values of each document with each other."""
    own = pd.Series(level(rows["first_low"], places), index=rows.index).groupby(rows["unit"])
    longest = own.size().max()
    ratings = [
        np.pad(v.to_numpy(float), (0, longest - len(v)), constant_values=np.nan) for _, v in own
    ]
    return alpha(np.array(ratings).T, metric)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("levels", [2, 3, 4])
@pytest.mark.parametrize("method", CUT_METHODS)
def test_they_tell_alpha_of_every_cut(method, levels, metric):
    plan = prepared_of(method, levels, metric=metric)
    found = plan.search()
    rows = comparisons_of(plan)
    places = np.searchsorted(plan.thresholds.values, found.cuts)
    rng = np.random.default_rng(3)
    for cut in rng.choice(len(places), 8, replace=False):
        for t, topic in enumerate(found.topics):
            own = rows[rows["topic"] == topic]
            if method == "tw1":
                values = [alpha_within(own, places[cut], metric)]
            else:
                values = [
                    alpha_of_rows(unit, places[cut], metric) for _, unit in own.groupby("unit")
                ]
            defined = [value for value in values if not np.isnan(value)]
            assert found.n_defined[cut, t] == len(defined)
            mean = np.mean(defined) if defined else np.nan
            assert found.values[cut, t] == pytest.approx(mean, abs=EXACT, nan_ok=True)


@pytest.mark.parametrize("how", ["median_low", "median_high", "median"])
@pytest.mark.parametrize("method", ["h1_ta", "d2_ta"])
def test_votes_by_any_median(method, how):
    plan = prepared_of(method, 4, source=5, aggregate_levels=how, metric="nominal")
    found, rows = plan.search(), comparisons_of(plan)
    for cut, places in enumerate(plan.thresholds.codes(found.cuts)):
        for t, topic in enumerate(found.topics):
            own = rows[rows["topic"] == topic]
            values = [alpha_of_rows(unit, places, "nominal") for _, unit in own.groupby("unit")]
            values = [value for value in values if not np.isnan(value)]
            mean = np.mean(values) if values else np.nan
            assert found.values[cut, t] == pytest.approx(mean, abs=EXACT, nan_ok=True)


@pytest.mark.parametrize("how", ["majority", "mean"])
def test_votes_that_no_two_values_tell_are_refused(how):
    plan = prepared_of("d2_ta", 3, aggregate_levels=how)
    with pytest.raises(MethodError, match="aggregate levels by a median"):
        comparisons_of(plan)
    comparisons_of(prepared_of("d2_ta", 2, aggregate_levels=how))


def test_data_that_cannot_serve_give_no_rows():
    judgments = random_judgments(1, workers=1)
    rows = comparisons_of(prepare(judgments, 101, 2, "h1_at"))
    assert rows.empty and "topic" in rows.columns
