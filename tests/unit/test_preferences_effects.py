"""Mixed models of answers against R's lme4 and least squares."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from regrade.catalogue import columns_of
from regrade.preferences.effects import (
    label_effects,
    mixed_effects,
    partition_effects,
    worker_effects,
)
from regrade.preferences.workers import worker_table
from tests.unit.preferences_answers import changed, kept, labels

R = Path(__file__).parents[1] / "reference" / "r"
NAMES = ["(Intercept)", "position", "questionpreference", "questionratio"]


def data():
    return pd.read_csv(R / "pairs-data.csv")


def fitted(table=None, **changes):
    asked = {"numbers": ["position"], "names": ["question"]} | changes
    return mixed_effects(data() if table is None else table, "log_seconds", **asked)


def test_effects_are_lme4s():
    table = fitted()
    theirs = pd.read_csv(R / "pairs-expected.csv").set_index("what")["value"]
    assert list(table.columns) == columns_of("preferences/effects")
    effects = table[table["term"] != "variance"]
    assert (effects["term"] + effects["level"]).tolist() == NAMES
    # lme4 finds variances by numerical search
    estimates, errors = ([theirs[f"{what} {name}"] for name in NAMES] for what in
                         ("estimate", "error"))  # fmt: skip
    np.testing.assert_allclose(effects["estimate"], estimates, rtol=2e-4)
    np.testing.assert_allclose(effects["std_error"], errors, rtol=1e-4)
    z = effects["estimate"] / effects["std_error"]
    np.testing.assert_allclose(effects["p"], 2 * stats.norm.sf(abs(z)))
    variances = table[table["term"] == "variance"].set_index("level")["estimate"]
    assert variances["worker"] == pytest.approx(theirs["variance worker"], rel=1e-3)
    assert variances["residual"] == pytest.approx(theirs["variance Residual"], rel=1e-4)
    assert table["note"].isna().all()
    assert set(table["rows"]) == {413}
    assert set(table["groups"]) == {24}


def test_without_differences_of_workers_it_is_least_squares():
    rng = np.random.default_rng(1)
    table = data().assign(worker=np.resize([f"w{i}" for i in range(10)], 413))
    noise = rng.normal(size=413)
    noise -= pd.Series(noise).groupby(table["worker"].to_numpy()).transform("mean").to_numpy()
    table = table.assign(log_seconds=noise)
    found = fitted(table)
    indicators = [table["question"] == question for question in ("preference", "ratio")]
    design = np.column_stack([table["position"], *indicators]).astype(float)
    ols = sm.OLS(noise, sm.add_constant(design)).fit()
    np.testing.assert_allclose(found["estimate"][:4], ols.params, rtol=1e-4, atol=1e-7)
    assert found.set_index("level").loc["worker", "estimate"] == 0


def test_order_of_rows_and_names_of_workers_change_nothing():
    table = data()
    turned = table.sample(frac=1, random_state=1).assign(worker=lambda t: "x" + t["worker"])
    pd.testing.assert_frame_equal(fitted(table), fitted(turned))


def test_what_does_not_vary_is_left_out_and_named():
    table = data().assign(position=3, question="ratio")
    found = fitted(table)
    assert found["term"].tolist() == ["(Intercept)", "variance", "variance"]
    assert found["note"].iloc[0] == "position does not vary; question does not vary"


def test_unknown_values_are_left_out_and_unknown_columns_too():
    table = data().assign(nothing=np.nan)
    table.loc[:9, "position"] = np.nan
    found = fitted(table, numbers=["position", "nothing"])
    assert set(found["rows"]) == {403}
    assert "nothing does not vary" in found["note"].iloc[0]


@pytest.mark.parametrize(
    ("table", "note"),
    [
        (lambda t: t.iloc[:3], "no more rows than effects"),
        (lambda t: t.iloc[:0], "no more rows than effects"),
        (lambda t: t[t["worker"] == "w01"], "groups do not repeat"),
        (lambda t: t.assign(worker=range(len(t))), "groups do not repeat"),
        (lambda t: t.assign(log_seconds=1.0), "the outcome does not vary"),
        (lambda t: t.assign(position=t["question"] == "ratio"), "effects are confounded"),
    ],
)
def test_what_cannot_be_fitted_is_a_row_that_says_so(table, note):
    found = fitted(table(data()))
    assert len(found) == 1
    assert note in found["note"].iloc[0]
    assert np.isnan(found["estimate"].astype(float)).all()


# --- of answers about pairs --------------------------------------------------------------------


def test_effects_on_time_and_consistency():
    table = kept(workers=8, units=3)
    found = worker_effects(table, worker_table(table))
    assert list(found.columns) == columns_of("preferences/effects")
    times = found[found["outcome"] == "log seconds"]
    assert times["term"].tolist() == ["(Intercept)", "position", "topic", "variance", "variance"]
    assert set(times["rows"]) == {len(table)}
    shares = found[found["outcome"] == "inconsistency"]
    assert ("question", "preference") in set(zip(shares["term"], shares["level"], strict=True))
    assert set(shares["rows"]) == {2 * 2 * 8}


def test_effects_of_unknown_workers_are_rows_that_say_so():
    unknown = dict.fromkeys(("worker", "unit", "position", "left_relevant", "right_relevant"))
    table = changed(kept(), seconds=np.nan, **unknown)
    found = worker_effects(table, worker_table(table))
    assert len(found) == 2
    assert found["note"].notna().all()
    assert label_effects(table, labels())["note"].notna().all()


def test_effects_on_agreement_with_labels():
    table = kept(workers=8, units=3)
    found = label_effects(table, labels(documents=6), "R")
    assert list(found.columns) == ["reference", *columns_of("preferences/effects")]
    assert set(found["model"]) == {"linear"}
    assert {"position", "log seconds", "question", "higher", "topic"} <= set(found["term"])
    grades = labels(documents=6).set_index(["topic", "docno"])["grade"].to_dict()
    rows = table.to_pylist()
    apart = [r for r in rows if grades[r["topic"], r["left"]] != grades[r["topic"], r["right"]]]
    assert set(found["rows"]) == {3 * len(apart)}
    assert found.index.tolist() == [*range(len(found))]


def test_who_always_takes_the_left_document_agrees_where_it_is_the_higher_one():
    table = kept(workers=8, units=3)
    silent = dict.fromkeys(("left_score", "right_score", "left_relevant", "right_relevant"))
    strength = np.where(np.arange(len(table)) % 9 == 0, 1.0, -1.0)  # all but some
    found = label_effects(changed(table, strength=strength, **silent), labels(documents=6))
    (right,) = found[found["term"] == "higher"].itertuples()
    assert right.level == "right"
    assert right.estimate == pytest.approx(-7 / 9, abs=0.1)


def test_effects_on_agreement_of_draws():
    rng = np.random.default_rng(1)
    rows = [(m, t, p, 20 + 10 * t, 0.1 * p - 0.01 * t + rng.normal(0, 0.01))
            for m in ("x", "y") for t in range(5) for p in range(1, 7)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["method", "topic", "used", "documents", "alpha"])
    found = partition_effects(table).set_index("term")
    assert found.loc["used", "estimate"] == pytest.approx(0.1, rel=0.05)
    assert found.loc["used", "p"] < 1e-6
