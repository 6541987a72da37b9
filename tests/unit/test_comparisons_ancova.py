"""Tests of ANCOVA against R's car and lme4, statsmodels, explicit least squares, and TREC-8.

What R says is frozen in tests/reference/r, beside the script that made it.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.anova import anova_lm

from regrade.comparisons.ancova import (
    ALL_EFFECTS,
    COLUMNS,
    MAIN_EFFECTS,
    ancova,
    cell_lines,
    effects_by_measure,
    format_p,
    mixed_model,
    residual_diagnostics,
    stack_depths,
)
from regrade.errors import MethodError, ParameterError
from regrade.measures import parse_all
from regrade.scoring import Scores
from tests.unit.trec8_depths import DEPTHS, trec8_depth_scores

R = Path(__file__).parents[1] / "reference" / "r"
TEXT = {"system": str, "topic": str}


def made(seed=0, topics=4, systems=3, depths=6, *, balanced=False, measure="AP"):
    """Scores with effects of everything; unbalanced: some rows gone, some twice, in any order."""
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product(
        [
            5 * np.arange(1, depths + 1),
            [f"s{i:02d}" for i in range(systems)],
            [f"t{i:02d}" for i in range(topics)],
        ],
        names=["depth", "system", "topic"],
    )
    rows = index.to_frame(index=False)
    t, s = pd.factorize(rows["topic"])[0], pd.factorize(rows["system"])[0]
    level = rng.random(topics)[t] + rng.random(systems)[s] + rng.random((topics, systems))[t, s]
    slope = rng.normal(size=topics)[t] + rng.normal(size=systems)[s]
    noise = rng.normal(size=len(rows))
    rows = rows.assign(value=level + 0.01 * slope * rows["depth"] + 0.1 * noise, measure=measure)
    if not balanced:
        kept = rng.random(len(rows)) < 0.7
        # the first two depths of every cell stay: a line for each
        kept |= rows["depth"] <= 10
        twice = rows[kept].sample(frac=0.1, random_state=seed)
        rows = pd.concat([rows[kept], twice.assign(value=twice["value"] + 0.05)])
        rows = rows.sample(frac=1, random_state=seed)
    return rows.reset_index(drop=True)


def effects(scores, **options):
    return ancova(scores, **options).set_index("term")


# --- R -----------------------------------------------------------------------------------------


def r_data(model):
    data = pd.read_csv(R / "ancova-data.csv", dtype=TEXT).assign(measure="AP")
    if model == "thinned":
        gone = {("402", "beta"), ("404", "alpha")}
        data = data[[cell not in gone for cell in zip(data["topic"], data["system"], strict=True)]]
    return data


@pytest.mark.parametrize("ss_type", ["II", "III"])
@pytest.mark.parametrize("contrasts", ["sum", "treatment"])
@pytest.mark.parametrize("model", ["all", "main", "thinned"])
def test_ancova_is_cars(model, contrasts, ss_type):
    expected = pd.read_csv(R / "ancova-expected.csv")
    expected = expected.query("model == @model and contrasts == @contrasts and type == @ss_type")
    ours = ancova(r_data(model), interactions=model == "all", ss_type=ss_type, contrasts=contrasts)
    assert ours["term"].tolist() == expected["term"].tolist()
    assert ours["df"].tolist() == expected["df"].tolist()
    for column in ["sum_sq", "f", "p"]:
        np.testing.assert_allclose(ours[column], expected[column], rtol=1e-10, err_msg=column)


@pytest.mark.parametrize("reml", [False, True])
def test_mixed_model_is_lme4s(reml):
    expected = pd.read_csv(R / "mixed-expected.csv")
    expected = expected[expected["reml"] == reml].set_index("what")["value"]
    ours = mixed_model(r_data("all"), reml=reml)
    names = ["(Intercept)", "depth", "systembeta", "systemgamma"]
    table = ours.coefficients
    assert (table["term"] + table["level"]).tolist() == names
    tolerance = {"rtol": 1e-6}  # both find the variances by numerical search
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
    (variances,) = ours.variances.to_dict("records")
    found = [variances["topic_variance"], variances["residual_variance"]]
    np.testing.assert_allclose(
        found, expected[["variance topic", "variance residual"]], **tolerance
    )
    assert variances["intraclass"] == found[0] / sum(found)
    assert variances["log_likelihood"] == pytest.approx(expected["log-likelihood"], abs=1e-9)
    assert variances["converged"]


# --- statsmodels -------------------------------------------------------------------------------

STATSMODELS = {"depth": "depth", "topic": "C(topic{})", "system": "C(system{})"}


def statsmodels_table(scores, interactions, ss_type, contrasts):
    coding = ", Sum" if contrasts == "sum" else ""
    variables = [STATSMODELS[v].format(coding) for v in ("depth", "topic", "system")]
    model = smf.ols("value ~ " + (" * " if interactions else " + ").join(variables), scores).fit()
    table = anova_lm(model, typ=len(ss_type))
    index = table.index.str.replace(r"C\((\w+)(, Sum)?\)", r"\1", regex=True)
    index = index.str.replace("topic:depth", "depth:topic").str.replace("Intercept", "(Intercept)")
    return table.set_axis(index), model


@pytest.mark.parametrize("interactions", [True, False])
@pytest.mark.parametrize(
    ("ss_type", "contrasts"), [("II", "sum"), ("III", "sum"), ("III", "treatment")]
)
@pytest.mark.parametrize("balanced", [True, False])
def test_ancova_is_statsmodels(balanced, ss_type, contrasts, interactions):
    scores = made(1, topics=7, systems=5, balanced=balanced)
    expected, _ = statsmodels_table(scores, interactions, ss_type, contrasts)
    ours = effects(scores, interactions=interactions, ss_type=ss_type, contrasts=contrasts)
    expected = expected.rename(index={"Residual": "Residuals"}).loc[ours.index]
    assert ours["df"].tolist() == expected["df"].tolist()
    np.testing.assert_allclose(ours["sum_sq"], expected["sum_sq"], rtol=1e-8)
    np.testing.assert_allclose(ours["f"], expected["F"], rtol=1e-8)
    np.testing.assert_allclose(ours["p"], expected["PR(>F)"], rtol=1e-6)


def test_many_topics_and_systems_are_statsmodels():
    scores = made(2, topics=25, systems=20, depths=5)
    expected, _ = statsmodels_table(scores, False, "II", "sum")
    ours = effects(scores, interactions=False, ss_type="II")
    np.testing.assert_allclose(
        ours["sum_sq"], expected["sum_sq"].to_numpy()[[2, 0, 1, 3]], rtol=1e-9
    )


@pytest.mark.parametrize("interactions", [True, False])
@pytest.mark.parametrize("balanced", [True, False])
def test_residuals_are_statsmodels(balanced, interactions):
    scores = made(3, balanced=balanced)
    _, model = statsmodels_table(scores, interactions, "II", "sum")
    influence = model.get_influence()
    ours = residual_diagnostics(scores, interactions=interactions)
    for column in ["depth", "topic", "system"]:
        assert ours[column].tolist() == scores[column].tolist()
    np.testing.assert_allclose(ours["fitted"], model.fittedvalues, rtol=1e-9)
    np.testing.assert_allclose(ours["residual"], model.resid, atol=1e-12)
    np.testing.assert_allclose(ours["leverage"], influence.hat_matrix_diag, rtol=1e-9)
    inside = ours["leverage"] < 1 - 1e-9
    np.testing.assert_allclose(
        ours["standardised"][inside],
        influence.resid_studentized_internal[inside],
        rtol=1e-7,
        atol=1e-9,
    )
    assert ours["standardised"][~inside].isna().all()
    drawn = ours[inside].sort_values("standardised")
    n = len(drawn)
    np.testing.assert_allclose(drawn["quantile"], stats.norm.ppf((np.arange(1, n + 1) - 0.5) / n))


def test_residual_sum_of_squares_is_the_tables():
    scores = pd.concat([made(4), made(5, measure="RR")])
    for interactions in (True, False):
        table = ancova(scores, interactions=interactions)
        expected = table[table["term"] == "Residuals"].set_index("measure")["sum_sq"]
        rows = residual_diagnostics(scores, interactions=interactions)
        found = (rows["residual"] ** 2).groupby(rows["measure"]).sum()
        np.testing.assert_allclose(found, expected, rtol=1e-10)


# --- explicit least squares --------------------------------------------------------------------


def rss(scores, terms):
    """Residual sum of squares of an intercept and all columns of the terms, one by one."""
    codes = {v: pd.factorize(scores[v])[0] for v in ("topic", "system")}
    indicators = {v: code[:, None] == np.arange(code.max() + 1) for v, code in codes.items()}
    columns = [np.ones((len(scores), 1))]
    for term in terms:
        product = np.ones((len(scores), 1))
        for variable in term:
            factor = (
                scores["depth"].to_numpy()[:, None] / 50
                if variable == "depth"
                else indicators[variable]
            )
            product = (product[:, :, None] * factor[:, None, :]).reshape(len(scores), -1)
        columns.append(product)
    design = np.hstack(columns)
    value = scores["value"].to_numpy()
    return ((value - design @ np.linalg.lstsq(design, value, rcond=1e-12)[0]) ** 2).sum()


@pytest.mark.parametrize("terms", [ALL_EFFECTS, MAIN_EFFECTS], ids=["all", "main"])
@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    topics=st.integers(2, 4),
    systems=st.integers(2, 4),
    balanced=st.booleans(),
)
def test_type_ii_is_what_a_term_adds(terms, seed, topics, systems, balanced):
    scores = made(seed, topics, systems, balanced=balanced)
    ours = effects(scores, interactions=terms is ALL_EFFECTS, ss_type="II")
    total = ((scores["value"] - scores["value"].mean()) ** 2).sum()
    for term in terms:
        others = [other for other in terms if not set(term) <= set(other)]
        added = rss(scores, others) - rss(scores, [*others, term])
        assert ours.loc[":".join(term), "sum_sq"] == pytest.approx(
            added, rel=1e-7, abs=1e-9 * total
        )
    assert ours.loc["Residuals", "sum_sq"] == pytest.approx(rss(scores, terms), rel=1e-9)


def test_balanced_type_iii_in_closed_form():
    """Two-way tables of the cells' values at depth 0 and of slopes, each over its variance."""
    scores = made(6, topics=5, systems=4, depths=10, balanced=True)
    cube = scores.pivot_table(index=["topic", "system"], columns="depth", values="value")
    depth = cube.columns.to_numpy(dtype=float)
    centred = depth - depth.mean()
    slope = (cube.to_numpy() @ centred / (centred @ centred)).reshape(5, 4)
    level = cube.to_numpy().mean(axis=1).reshape(5, 4) - slope * depth.mean()
    ours = effects(scores)["sum_sq"]
    variances = 1 / 10 + depth.mean() ** 2 / (centred @ centred), 1 / (centred @ centred)
    terms = ["(Intercept)", "topic", "system", "topic:system"], ["depth", "depth:topic", "depth:system", "depth:topic:system"]  # fmt: skip # noqa: E501
    for table, variance, names in zip((level, slope), variances, terms, strict=True):
        mean, rows, columns = table.mean(), table.mean(1, keepdims=True), table.mean(0)
        expected = [
            20 * mean**2,
            4 * ((rows - mean) ** 2).sum(),
            5 * ((columns - mean) ** 2).sum(),
            ((table - rows - columns + mean) ** 2).sum(),
        ]
        np.testing.assert_allclose(ours[names], np.array(expected) / variance, rtol=1e-10)


def test_the_baseline_decides_treatment_contrasts():
    scores = made(7)
    renamed = scores.replace({"topic": {"t02": "a"}, "system": {"s01": "a"}})
    ours = effects(scores, contrasts="treatment", baseline={"topic": "t02", "system": "s01"})
    expected = effects(renamed, contrasts="treatment")
    np.testing.assert_allclose(ours["sum_sq"], expected["sum_sq"], rtol=1e-12)
    by_default = effects(scores, contrasts="treatment")
    assert abs(ours["sum_sq"] / by_default["sum_sq"] - 1)[["topic", "depth"]].min() > 0.01
    with pytest.raises(ParameterError, match="baseline topic 't99'"):
        ancova(scores, baseline={"topic": "t99"})


# --- properties --------------------------------------------------------------------------------


@pytest.mark.parametrize("ss_type", ["II", "III"])
def test_rows_names_and_units_do_not_matter(ss_type):
    scores = made(8)
    expected = effects(scores, ss_type=ss_type)["f"]
    mixed = scores.sample(frac=1, random_state=1)
    mixed["topic"] = "x" + mixed["topic"].str[::-1]
    mixed = mixed.astype({"topic": "category", "system": "category"})
    mixed["topic"] = mixed["topic"].cat.add_categories(["unused"])
    np.testing.assert_allclose(effects(mixed, ss_type=ss_type)["f"], expected, rtol=1e-8)
    scaled = scores.assign(value=scores["value"] * 100, depth=scores["depth"] / 7)
    np.testing.assert_allclose(effects(scaled, ss_type=ss_type)["f"], expected, rtol=1e-8)


def test_what_depth_0_means_matters_for_type_iii_alone():
    scores = made(9)
    shifted = scores.assign(depth=scores["depth"] - 20)
    np.testing.assert_allclose(
        effects(shifted, ss_type="II")["f"], effects(scores, ss_type="II")["f"], rtol=1e-8
    )
    ours, other = effects(scores)["f"], effects(shifted)["f"]
    changed = ours.index[abs(ours / other - 1) > 1e-6].tolist()
    assert changed == ["(Intercept)", "topic", "system", "topic:system"]


def test_effect_sizes():
    scores = made(10, balanced=True)
    table = effects(scores, ss_type="II")
    total = ((scores["value"] - scores["value"].mean()) ** 2).sum()
    error = table.loc["Residuals"]
    variance = error["sum_sq"] / error["df"]
    terms = table.drop("Residuals")
    np.testing.assert_allclose(terms["eta_sq"], terms["sum_sq"] / total)
    # balanced: the parts make up the whole
    assert terms["eta_sq"].sum() + error["sum_sq"] / total == pytest.approx(1)
    np.testing.assert_allclose(
        terms["partial_eta_sq"], terms["sum_sq"] / (terms["sum_sq"] + error["sum_sq"])
    )
    np.testing.assert_allclose(
        terms["omega_sq"], (terms["sum_sq"] - terms["df"] * variance) / (total + variance)
    )
    beyond = terms["df"] * (terms["f"] - 1)
    np.testing.assert_allclose(terms["partial_omega_sq"], beyond / (beyond + len(scores)))
    sizes = [column for column in table if column.endswith("_sq") and column != "sum_sq"]
    assert error[sizes].isna().all()
    assert effects(scores).loc["(Intercept)", sizes].isna().all()


def test_measures_do_not_touch():
    one, other = made(11), made(12, measure="RR")
    both = ancova(pd.concat([other, one]).reset_index(drop=True))
    assert both["measure"].unique().tolist() == ["RR", "AP"]
    pd.testing.assert_frame_equal(both, pd.concat([ancova(other), ancova(one)], ignore_index=True))


# --- what cannot be analysed -------------------------------------------------------------------


def test_without_residual_variation_nothing_is_tested():
    scores = made(13, balanced=True)
    scores["value"] = 0.25 + 0.001 * scores["depth"]
    table = effects(scores)
    assert table["f"].isna().all() and table["p"].isna().all()
    assert table.loc["Residuals", "sum_sq"] == 0
    assert residual_diagnostics(scores)["standardised"].isna().all()


def test_cells_without_a_line():
    scores = made(14)
    lonely = scores[
        ~((scores["topic"] == "t01") & (scores["system"] == "s02") & (scores["depth"] > 5))
    ]
    with pytest.raises(MethodError, match="topic t01 has scores of system s02 at fewer than two"):
        ancova(lonely)
    ancova(lonely, interactions=False)
    two = made(14, balanced=True).query("depth <= 10")
    with pytest.raises(MethodError, match="two depths only"):
        ancova(two)


def test_what_main_effects_need():
    scores = made(15)
    apart = scores[scores["topic"].isin(["t00", "t01"]) == (scores["system"] == "s00")]
    with pytest.raises(MethodError, match="fall into 2 sets that share no score"):
        ancova(apart, interactions=False)
    with pytest.raises(MethodError, match="effect of depth cannot be told"):
        ancova(made(15, balanced=True).query("depth == 5"), interactions=False)


def test_wrong_choices_are_refused():
    scores = made(16)
    with pytest.raises(ParameterError, match="ss_type 'I'"):
        ancova(scores, ss_type="I")
    with pytest.raises(ParameterError, match="contrasts 'helmert'"):
        ancova(scores, contrasts="helmert")
    with pytest.raises(ParameterError, match=r"columns missing: \['depth', 'measure'\]"):
        ancova(scores.drop(columns=["measure", "depth"]))
    with pytest.raises(ParameterError, match="not finite"):
        ancova(scores.assign(value=np.nan))
    with pytest.raises(MethodError, match="no scores"):
        ancova(scores.iloc[:0])
    with pytest.raises(MethodError, match="at least two topics and two systems"):
        mixed_model(scores.query("topic == 't00'"))


# --- tables ------------------------------------------------------------------------------------


def test_cell_lines():
    scores = made(17)
    table = cell_lines(scores)
    assert len(table) == 12
    for row in table.itertuples():
        rows = scores[(scores["topic"] == row.topic) & (scores["system"] == row.system)]
        slope, intercept = np.polyfit(rows["depth"], rows["value"], 1)
        assert (row.n, row.mean) == (len(rows), pytest.approx(rows["value"].mean()))
        assert (row.slope, row.intercept) == (pytest.approx(slope), pytest.approx(intercept))
        if row.n > 2:
            rest = rows["value"] - intercept - slope * rows["depth"]
            assert row.residual_sd == pytest.approx(
                np.sqrt((rest**2).sum() / (row.n - 2)), abs=1e-12
            )
        else:
            assert np.isnan(row.residual_sd)
    single = cell_lines(scores.query("depth == 5"))
    assert single["slope"].isna().all() and single["mean"].notna().all()


def test_effects_by_measure():
    table = pd.DataFrame(
        {
            "measure": ["nDCG"] * 4 + ["AP"] * 4,
            "term": ["(Intercept)", "depth", "topic", "Residuals"] * 2,
            "p": [0.0, 0.86, 0.05, np.nan, 0.0, 0.0499, np.nan, np.nan],
        }
    )
    assert effects_by_measure(table).to_dict("list") == {
        "term": ["depth", "topic"],
        "nDCG": ["0.860", "0.050"],
        "AP": ["***", ""],
    }
    assert format_p(0.04, significance=0.01) == "0.040"


def test_stack_depths():
    values = np.arange(12.0).reshape(2, 3, 2) / 12
    at = Scores(("a", "b"), ("1", "2", "3"), parse_all(["AP", "RR"]), values, values)
    other = Scores(at.systems, at.topics, at.measures, values / 2, values)
    table = stack_depths({5: at, 10: other})
    assert [*table] == [*COLUMNS] and len(table) == 24
    row = table.query("depth == 10 and system == 'b' and topic == '3' and measure == 'AP'")
    assert row["value"].item() == values[1, 2, 0] / 2


# --- TREC-8 ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trec8(real_data):
    return stack_depths(trec8_depth_scores(real_data))


def test_yang2019_table_4_9_on_trec8(trec8):
    """All significant but depth for RR, for which TREC-7 had 0.860 and TREC-13 0.875."""
    assert len(trec8) == 4 * len(DEPTHS) * 67 * 50
    main = ancova(trec8, interactions=False)
    every = ancova(trec8)
    assert every.query("term == 'Residuals'")["df"].tolist() == [33_500 - 6_700] * 4
    interactions = every[every["term"].str.contains(":")]
    table = effects_by_measure(pd.concat([main, interactions])).set_index("term")
    assert table.index.tolist() == [":".join(term) for term in ALL_EFFECTS]
    assert table.loc["depth", "RR"] == "0.847"
    table.loc["depth", "RR"] = "***"
    assert (table == "***").all(axis=None)


def test_trec8_main_effects_are_statsmodels(trec8):
    scores = trec8[(trec8["measure"] == "AP") & (trec8["depth"] % 10 == 0)]
    scores = scores.astype({"topic": str, "system": str}).query("topic <= '410'")
    expected, _ = statsmodels_table(scores, False, "II", "sum")
    ours = effects(scores, interactions=False, ss_type="II")
    np.testing.assert_allclose(
        ours["sum_sq"], expected["sum_sq"].to_numpy()[[2, 0, 1, 3]], rtol=1e-9
    )
