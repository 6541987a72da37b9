"""Mixed models against R's lme4, statsmodels, a likelihood with all of V, and closed forms."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from regrade.choices import RANDOM_TERMS
from regrade.errors import MethodError, ParameterError
from regrade.significance.mixed import mixed_model, mixed_models
from regrade.tables import write_table
from tests.unit.test_significance_ancova import R, made, once_and_often, r_data

BOTH = RANDOM_TERMS[1]


def variances_of(models):
    (row,) = models.variances.to_dict("records")
    return [row[f"{name}_variance"] for name in ("topic", "topic_system", "residual")]


# --- R -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("reml", [False, True])
@pytest.mark.parametrize("random", RANDOM_TERMS)
def test_mixed_model_is_lme4s(random, reml):
    expected = pd.read_csv(R / "mixed-expected.csv")
    expected = expected[(expected["reml"] == reml) & (expected["random"] == random)]
    expected = expected.set_index("what")["value"]
    ours = mixed_model(r_data("all"), random, reml=reml)
    names = ["(Intercept)", "depth", "systembeta", "systemgamma"]
    table = ours.coefficients
    assert (table["term"] + table["level"]).tolist() == names
    tolerance = {"rtol": 3e-6}  # lme4 finds the variances by numerical search
    np.testing.assert_allclose(
        table["estimate"], expected[[f"estimate {n}" for n in names]], **tolerance
    )
    np.testing.assert_allclose(
        table["std_error"], expected[[f"error {n}" for n in names]], **tolerance
    )
    np.testing.assert_allclose(
        table["p"], 2 * stats.norm.sf(abs(table["estimate"] / table["std_error"]))
    )
    tests = ours.tests.set_index("term")
    assert tests["df"].to_dict() == {"depth": 1, "system": 2}
    np.testing.assert_allclose(tests["chi2"], expected[["chi2 depth", "chi2 system"]], **tolerance)
    np.testing.assert_allclose(tests["p"], stats.chi2.sf(tests["chi2"], tests["df"]))
    found = variances_of(ours)
    np.testing.assert_allclose(
        found, [expected.get(f"variance {n}", 0) for n in ("topic", "topic:system", "Residual")],
        **tolerance,
    )  # fmt: skip
    (variances,) = ours.variances.to_dict("records")
    assert variances["intraclass"] == pytest.approx(found[0] / sum(found), rel=1e-12)
    assert variances["log_likelihood"] == pytest.approx(expected["log-likelihood"], abs=1e-9)
    assert variances["converged"]
    for part in (table, tests, ours.variances):
        assert set(part["model"]) == {random}
        assert set(part["measure"]) == {"AP"}


# --- statsmodels -------------------------------------------------------------------------------


@pytest.mark.parametrize("reml", [False, True])
@pytest.mark.parametrize("random", RANDOM_TERMS)
def test_mixed_model_is_statsmodels(random, reml):
    scores = made(1, topics=12, systems=4)
    within = {"vc_formula": {"cell": "0 + C(system)"}} if random == BOTH else {}
    theirs = smf.mixedlm(
        "value ~ depth + C(system)", scores, groups="topic", re_formula="1", **within
    ).fit(reml=reml, method="bfgs", gtol=1e-9)
    ours = mixed_model(scores, random, reml=reml)
    cells = theirs.vcomp.tolist() if random == BOTH else [0.0]
    expected = [theirs.cov_re.iloc[0, 0], *cells, theirs.scale]
    np.testing.assert_allclose(variances_of(ours), expected, rtol=1e-4)
    order = [0, len(theirs.fe_params) - 1, *range(1, len(theirs.fe_params) - 1)]
    np.testing.assert_allclose(
        ours.coefficients["estimate"], theirs.fe_params.iloc[order], rtol=1e-6
    )


# --- all of V ----------------------------------------------------------------------------------


def log_likelihood(scores, variances, reml):
    """By the normal density with V written out, at the best fixed effects."""
    topic, system = (pd.factorize(scores[name])[0] for name in ("topic", "system"))
    same_topic = topic[:, None] == topic
    same_cell = same_topic & (system[:, None] == system)
    V = variances[0] * same_topic + variances[1] * same_cell + variances[2] * np.eye(len(scores))
    X = np.column_stack(
        [np.ones(len(scores)), scores["depth"], system[:, None] == np.arange(1, system.max() + 1)]
    ).astype(float)
    inverse = np.linalg.inv(V)
    precision = X.T @ inverse @ X
    y = scores["value"].to_numpy()
    r = y - X @ np.linalg.solve(precision, X.T @ inverse @ y)
    n = len(y) - X.shape[1] * reml
    total = n * np.log(2 * np.pi) + np.linalg.slogdet(V)[1] + r @ inverse @ r
    return -(total + reml * np.linalg.slogdet(precision)[1]) / 2


@pytest.mark.parametrize("random", RANDOM_TERMS)
@settings(max_examples=15)
@example(seed=320, reml=False, balanced=True)  # the variance of topics is 0
@given(seed=st.integers(0, 10**6), reml=st.booleans(), balanced=st.booleans())
def test_no_variances_are_likelier(random, reml, balanced, seed):
    scores = made(seed, topics=5, systems=3, balanced=balanced)
    ours = mixed_model(scores, random, reml=reml)
    found = np.array(variances_of(ours))
    highest = ours.variances["log_likelihood"].item()
    assert ours.variances["converged"].item()
    assert highest == pytest.approx(log_likelihood(scores, found, reml), abs=1e-8)
    free = [0, 1, 2] if random == BOTH else [0, 2]
    for which in free:
        for step in (0.99, 1.01):
            other = found.copy()
            other[which] = other[which] * step + 1e-6 * found[2] * (found[which] == 0)
            assert log_likelihood(scores, other, reml) <= highest + 1e-9


def test_topics_without_a_variance_have_none():
    """Systems and noise alone: the variance of topics is at its limit, 0."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        scores = made(seed, topics=6, systems=3, balanced=True)
        noise = rng.normal(size=(6, 18))
        noise -= noise.mean(axis=1, keepdims=True)  # topics are more alike than by chance
        scores = scores.sort_values("topic", kind="stable").assign(value=noise.ravel())
        ours = mixed_model(scores, BOTH)
        assert variances_of(ours)[0] == 0
        assert ours.variances["converged"].item()


def test_balanced_scores_in_closed_form():
    """REML is the analysis of variance where its mean squares are in order."""
    T, S, D = 40, 4, 6
    scores = made(3, topics=T, systems=S, depths=D, balanced=True)
    table = scores.pivot_table(index="topic", columns=["system", "depth"], values="value")
    cube = table.to_numpy().reshape(T, S, D)
    cells = cube.mean(axis=2)
    rest = cells - cells.mean(1, keepdims=True) - cells.mean(0) + cells.mean()
    depth = np.arange(D) - (D - 1) / 2
    within = cube - cells[:, :, None]
    slope = (within * depth).sum() / (T * S * (depth @ depth))
    residual = ((within - slope * depth) ** 2).sum() / (T * S * (D - 1) - 1)
    ms_cells = D * (rest**2).sum() / ((T - 1) * (S - 1))
    ms_topics = D * S * ((cells.mean(1) - cells.mean()) ** 2).sum() / (T - 1)
    expected = [(ms_topics - ms_cells) / (D * S), (ms_cells - residual) / D, residual]
    assert min(expected) > 0
    ours = mixed_model(scores, BOTH, reml=True)
    np.testing.assert_allclose(variances_of(ours), expected, rtol=1e-7)
    error = ours.coefficients.query("term == 'system'")["std_error"]
    np.testing.assert_allclose(error, np.sqrt(2 * ms_cells / (T * D)), rtol=1e-7)


# --- depths are no replicates --------------------------------------------------------------------


def test_the_random_cell_gives_the_standard_errors_of_one_depth():
    """The same scores at ten depths: without topic:system the errors are √10 too small."""
    _, often = once_and_often()
    models = mixed_models(often, range(5, 55, 5), 50)
    systems = models.coefficients.query("term == 'system'").groupby("model", sort=False)
    error = systems["std_error"].mean()
    assert error.index.tolist() == [*RANDOM_TERMS, "depth 50"]
    # likelihood counts 50 − 1 scores of a topic for 5 − 1: √10 but for that
    expected = np.sqrt((5 * 10 - 1) / (5 - 1))
    assert error["depth 50"] / error["topic"] == pytest.approx(expected, rel=1e-3)
    assert error[BOTH] == pytest.approx(error["depth 50"], rel=1e-3)


# --- edges ---------------------------------------------------------------------------------------


def test_at_one_depth_there_is_no_effect_of_depth():
    scores = made(4, balanced=True).query("depth == 10")
    ours = mixed_model(scores)
    assert ours.coefficients["term"].tolist() == ["(Intercept)", "system", "system"]
    assert ours.tests["term"].tolist() == ["system"]
    assert set(ours.variances["model"]) == {"depth 10"}
    with pytest.raises(
        MethodError, match="AP: no topic has two scores of a system, so topic:system"
    ):
        mixed_model(scores, BOTH)


def test_a_measure_that_does_not_move_leaves_the_others(caplog, tmp_path):
    """Its topic:system takes all that is left by depth and system: no residual."""
    scores = made(5, balanced=True)
    first = scores.groupby(["topic", "system"])["value"].transform("first")
    both = pd.concat([scores.assign(measure="RR", value=first), scores])
    ours = mixed_model(both, BOTH)
    for part in ("coefficients", "tests", "variances"):  # as the stage writes them
        write_table(getattr(ours, part), tmp_path / part, f"ancova/mixed_{part}")
    by_measure = ours.variances.set_index("measure")
    assert by_measure.index.tolist() == ["RR", "AP"]
    assert by_measure.loc["RR", ["topic_variance", "residual_variance"]].isna().all()
    assert by_measure["converged"].to_dict() == {"RR": False, "AP": True}
    assert ours.tests.set_index("measure").loc["RR", "p"].isna().all()
    pd.testing.assert_frame_equal(
        ours.coefficients.query("measure == 'AP'").reset_index(drop=True),
        mixed_model(scores, BOTH).coefficients,
    )
    (record,) = caplog.records
    assert record.getMessage().startswith("topic + topic:system, RR: the model leaves no residual")


def test_what_is_refused():
    scores = made(6)
    with pytest.raises(ParameterError, match="random 'system'"):
        mixed_model(scores, "system")
    with pytest.raises(MethodError, match="scores of one topic only, t00"):
        mixed_model(scores.query("topic == 't00'"))
    with pytest.raises(MethodError, match="scores of one system only, s01"):
        mixed_model(scores.query("system == 's01'"))
    with pytest.raises(MethodError, match=r"AP: all scores are 0\.5"):
        mixed_model(scores.assign(value=0.5))
    apart = scores.assign(depth=5 * (1 + pd.factorize(scores["system"])[0]))
    with pytest.raises(MethodError, match="depth is confounded with the effect of systems"):
        mixed_model(apart)
    few = made(6, topics=2, systems=2, depths=1, balanced=True)
    assert len(mixed_model(few).coefficients) == 2
