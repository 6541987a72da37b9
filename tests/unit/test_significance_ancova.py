"""Tests of ANCOVA against R's car, statsmodels, explicit least squares, and TREC-8.

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

from regrade.errors import MethodError, ParameterError
from regrade.pools.scores import to_frame
from regrade.significance.ancova import (
    MODELS,
    ancova,
    ancova_of_models,
    residual_diagnostics,
)
from regrade.significance.fits import ALL_EFFECTS
from regrade.tables import write_table
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


def effects(scores, model="full", **options):
    return ancova(scores, model, **options).set_index("term")


# --- R -----------------------------------------------------------------------------------------


MODEL_IN_R = {
    "all": "full", "twoway": "two-way", "main": "main", "thinned": "main", "nodepth": "one-depth",
}  # fmt: skip
"""The models in the files, and what they are here."""


def r_data(model):
    data = pd.read_csv(R / "ancova-data.csv", dtype=TEXT).assign(measure="AP")
    if model in ("thinned", "nodepth"):
        gone = {("402", "beta"), ("404", "alpha")}
        data = data[[cell not in gone for cell in zip(data["topic"], data["system"], strict=True)]]
    return data


@pytest.mark.parametrize("ss_type", ["II", "III"])
@pytest.mark.parametrize("contrasts", ["sum", "treatment"])
@pytest.mark.parametrize("model", MODEL_IN_R)
def test_ancova_is_cars(model, contrasts, ss_type):
    expected = pd.read_csv(R / "ancova-expected.csv")
    expected = expected.query("model == @model and contrasts == @contrasts and type == @ss_type")
    data = r_data(model)
    if model == "nodepth":
        data["depth"] = 5
    ours = ancova(data, MODEL_IN_R[model], ss_type=ss_type, contrasts=contrasts)
    assert ours["term"].tolist() == expected["term"].tolist()
    assert ours["df"].tolist() == expected["df"].tolist()
    for column in ["sum_sq", "f", "p"]:
        np.testing.assert_allclose(ours[column], expected[column], rtol=1e-10, err_msg=column)


# --- statsmodels -------------------------------------------------------------------------------

STATSMODELS = {"depth": "depth", "topic": "C(topic{})", "system": "C(system{})"}


def statsmodels_table(scores, model, ss_type, contrasts):
    coding = ", Sum" if contrasts == "sum" else ""
    names = ["depth", "topic", "system"][model == "one-depth" :]
    variables = " + ".join(STATSMODELS[v].format(coding) for v in names)
    power = {"main": 1, "two-way": 2, "full": 3, "one-depth": 1}[model]
    model = smf.ols(f"value ~ ({variables})" + f"**{power}" * (power > 1), scores).fit()
    table = anova_lm(model, typ=len(ss_type))
    index = table.index.str.replace(r"C\((\w+)(, Sum)?\)", r"\1", regex=True)
    index = index.str.replace("topic:depth", "depth:topic").str.replace("Intercept", "(Intercept)")
    return table.set_axis(index), model


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("ss_type", "contrasts"), [("II", "sum"), ("III", "sum"), ("III", "treatment")]
)
@pytest.mark.parametrize("balanced", [True, False])
def test_ancova_is_statsmodels(balanced, ss_type, contrasts, model):
    scores = made(1, topics=7, systems=5, balanced=balanced)
    if model == "one-depth":
        scores["depth"] = 20
    expected, _ = statsmodels_table(scores, model, ss_type, contrasts)
    ours = effects(scores, model, ss_type=ss_type, contrasts=contrasts)
    expected = expected.rename(index={"Residual": "Residuals"}).loc[ours.index]
    assert ours["df"].tolist() == expected["df"].tolist()
    np.testing.assert_allclose(ours["sum_sq"], expected["sum_sq"], rtol=1e-8)
    np.testing.assert_allclose(ours["f"], expected["F"], rtol=1e-8)
    np.testing.assert_allclose(ours["p"], expected["PR(>F)"], rtol=1e-6)


def test_many_topics_and_systems_are_statsmodels():
    scores = made(2, topics=25, systems=20, depths=5)
    expected, _ = statsmodels_table(scores, "main", "II", "sum")
    ours = effects(scores, "main", ss_type="II")
    np.testing.assert_allclose(
        ours["sum_sq"], expected["sum_sq"].to_numpy()[[2, 0, 1, 3]], rtol=1e-9
    )


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("balanced", [True, False])
def test_residuals_are_statsmodels(balanced, model):
    scores = made(3, balanced=balanced)
    if model == "one-depth":
        scores["depth"] = 20
    ours = residual_diagnostics(scores, model)
    _, model = statsmodels_table(scores, model, "II", "sum")
    influence = model.get_influence()
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
    for model in ("full", "two-way", "main"):
        table = ancova(scores, model)
        expected = table[table["term"] == "Residuals"].set_index("measure")["sum_sq"]
        rows = residual_diagnostics(scores, model)
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


@pytest.mark.parametrize("model", ["full", "two-way", "main"])
@settings(max_examples=8)
@given(
    seed=st.integers(0, 10**6),
    topics=st.integers(2, 4),
    systems=st.integers(2, 4),
    balanced=st.booleans(),
)
def test_type_ii_is_what_a_term_adds(model, seed, topics, systems, balanced):
    scores = made(seed, topics, systems, balanced=balanced)
    terms = MODELS[model].terms
    ours = effects(scores, model, ss_type="II")
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


@pytest.mark.parametrize("model", MODELS)
def test_one_system_or_one_topic_has_no_effects(model):
    """These gave infinite F."""
    scores = made(13, balanced=True).query("depth == 5" if model == "one-depth" else "depth > 0")
    with pytest.raises(MethodError, match="AP: there are scores of one system only, s01: "):
        ancova(scores.query("system == 's01'"), model)
    with pytest.raises(MethodError, match="AP: there are scores of one topic only, t02: "):
        ancova(scores.query("topic == 't02'"), model)


@pytest.mark.parametrize("model", MODELS)
def test_scores_that_are_all_the_same_have_nothing_to_explain(model):
    scores = made(13, balanced=True).query("depth == 5" if model == "one-depth" else "depth > 0")
    one = scores.assign(measure="RR", value=1 / 3 + 1e-16 * np.arange(len(scores)))
    both = pd.concat([scores, one])
    with pytest.raises(MethodError, match=r"RR: all scores are 0.333333: .* leave the measure out"):
        ancova(both, model)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("ss_type", ["II", "III"])
def test_what_is_tested_is_never_infinite(model, ss_type):
    """Two topics and systems, whatever else there is little of."""
    for seed in range(20):
        scores = made(seed, topics=2, systems=2, depths=3)
        if model == "one-depth":
            scores["depth"] = 5
        table = ancova(scores, model, ss_type=ss_type).drop(columns=["model", "measure", "term"])
        assert not np.isinf(table.to_numpy(dtype=float)).any()


def test_cells_without_a_line():
    scores = made(14)
    lonely = scores[
        ~((scores["topic"] == "t01") & (scores["system"] == "s02") & (scores["depth"] > 5))
    ]
    with pytest.raises(MethodError, match="topic t01 has scores of system s02 at fewer than two"):
        ancova(lonely)
    two = lonely[~((lonely["topic"] == "t03") & (lonely["depth"] > 5) & (lonely["system"] < "s02"))]
    with pytest.raises(MethodError, match=r"t01 .* s02 at fewer than two depths \(and 2 more such"):
        ancova(two)
    ancova(lonely, "main")
    ancova(lonely, "two-way")
    two = made(14, balanced=True).query("depth <= 10")
    with pytest.raises(MethodError, match="two depths only"):
        ancova(two)


def test_what_main_effects_need():
    scores = made(15)
    apart = scores[scores["topic"].isin(["t00", "t01"]) == (scores["system"] == "s00")]
    with pytest.raises(MethodError, match="fall into 2 sets that share no score"):
        ancova(apart, "main")
    with pytest.raises(MethodError, match="depth is confounded with the effects of topics"):
        ancova(made(15, balanced=True).query("depth == 5"), "main")


def test_what_interactions_of_two_need():
    scores = made(14)
    missing = scores[~((scores["topic"] == "t01") & (scores["system"] == "s02"))]
    with pytest.raises(MethodError, match=r"t01 has no score of system s02 \(and 0 more such"):
        ancova(missing, "two-way")
    missing = missing[~((missing["topic"] == "t03") & (missing["system"] < "s02"))]
    with pytest.raises(MethodError, match=r"t01 has no score of system s02 \(and 2 more such"):
        ancova(missing, "two-way")
    shallow = scores[(scores["topic"] != "t01") | (scores["depth"] == 5)]
    with pytest.raises(MethodError, match="2 sets that share no scores at two depths: their slop"):
        ancova(shallow.drop_duplicates(["topic", "system", "depth"]), "two-way")


def cells_of_two(*depths):
    """Scores of two topics and two systems at the depths that each cell has."""
    cells = zip(["t1", "t1", "t2", "t2"], ["s1", "s2", "s1", "s2"], depths, strict=True)
    rows = [(topic, system, depth) for topic, system, some in cells for depth in some]
    scores = pd.DataFrame(rows, columns=["topic", "system", "depth"])
    return scores.assign(value=np.random.default_rng(0).random(len(rows)), measure="AP")


@pytest.mark.parametrize(
    ("model", "fewest", "refused"),
    [
        # two numbers for each cell; a level for each and 3 slopes; 3 levels and a slope
        ("full", [(1, 2, 3), (1, 2), (1, 2), (1, 2)], [(1, 2), (1, 2), (1, 2), (1, 2)]),
        ("two-way", [(1, 2), (1, 2), (1, 2), (1, 2)], [(1, 2), (1, 2), (1, 2), (1,)]),
        ("main", [(1, 2), (1,), (1,), (1,)], [(1, 2), (1,), (1,), ()]),
        ("one-depth", [(1,), (1,), (1,), (1,)], [(1,), (1,), (1,), ()]),
    ],
)
def test_one_score_more_than_effects_is_enough(model, fewest, refused):
    ours = effects(cells_of_two(*fewest), model)
    assert ours.loc["Residuals", "df"] == 1
    with pytest.raises(MethodError, match=r"no more scores than|two depths only"):
        ancova(cells_of_two(*refused), model)


@pytest.mark.parametrize("model", ["full", "two-way", "main"])
def test_the_unit_of_depth_changes_nothing(model):
    scores = made(21)
    ours = effects(scores.assign(depth=scores["depth"] / 1000), model)
    tests = ["df", "f", "p"]
    pd.testing.assert_frame_equal(ours[tests], effects(scores, model)[tests])


def test_scores_at_one_depth_are_a_table_of_topics_and_systems():
    """Balanced, one score a cell: the textbook's sums, with the interaction as the error."""
    scores = made(18, topics=6, systems=4, balanced=True)
    one = scores.query("depth == 20")
    table = one.pivot_table(index="topic", columns="system", values="value").to_numpy()
    rows, columns = table.mean(1, keepdims=True), table.mean(0, keepdims=True)
    rest = table - rows - columns + table.mean()
    ours = effects(one, "one-depth", ss_type="II")
    assert set(ours["model"]) == {"depth 20"}
    np.testing.assert_allclose(
        ours["sum_sq"],
        [4 * ((rows - table.mean()) ** 2).sum(), 6 * ((columns - table.mean()) ** 2).sum(),
         (rest**2).sum()],
    )  # fmt: skip
    assert ours["df"].tolist() == [5, 3, 15]


def test_models_one_after_the_other(tmp_path):
    scores = made(19, balanced=True)
    table = ancova_of_models(scores, [5, 10, 15], 30)
    write_table(table, tmp_path / "effects.parquet", "ancova/effects")
    assert table["model"].unique().tolist() == ["main", "two-way", "full", "depth 30"]
    shallow = scores.query("depth <= 15")
    parts = [ancova(shallow, model) for model in ("main", "two-way", "full")]
    parts.append(ancova(scores.query("depth == 30"), "one-depth"))
    pd.testing.assert_frame_equal(table, pd.concat(parts, ignore_index=True))


def once_and_often():
    """Scores at one depth; the same at ten depths and a bit of noise."""
    once = made(20, topics=30, systems=5, depths=1, balanced=True)
    rng = np.random.default_rng(20)
    often = pd.concat([
        once.assign(depth=depth, value=once["value"] + rng.normal(scale=1e-4, size=len(once)))
        for depth in range(5, 55, 5)
    ])  # fmt: skip
    return once, often


def test_depths_are_no_replicates():
    """The same scores at ten depths: F of systems is ten times too large."""
    once, often = once_and_often()
    at_one = effects(once, "one-depth")
    repeated = effects(often, "main")
    ratio = repeated["f"] / at_one["f"]
    residual_df = at_one.loc["Residuals", "df"], repeated.loc["Residuals", "df"]
    assert ratio["system"] == pytest.approx(residual_df[1] / residual_df[0], rel=1e-3)
    assert ratio["system"] > 10


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
    with pytest.raises(ParameterError, match="model 'three-way'"):
        ancova(scores, "three-way")
    with pytest.raises(ParameterError, match=r"scores at depths \[5.0, 10.0.*: choose one"):
        ancova(scores, "one-depth")


# --- TREC-8 ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trec8(real_data):
    return to_frame(trec8_depth_scores(real_data))


def test_yang2019_table_4_9_on_trec8(trec8):
    """All significant but depth for RR, for which TREC-7 had 0.860 and TREC-13 0.875."""
    assert len(trec8) == 4 * len(DEPTHS) * 67 * 50
    main = ancova(trec8, "main")
    every = ancova(trec8)
    assert every.query("term == 'Residuals'")["df"].tolist() == [33_500 - 6_700] * 4
    interactions = every[every["term"].str.contains(":")]
    p = pd.concat([main, interactions]).set_index(["term", "measure"])["p"]
    tested = [term for term in p.index.unique("term") if term[0] not in "(R"]
    assert tested == [":".join(term) for term in ALL_EFFECTS]
    assert p.pop(("depth", "RR")) == pytest.approx(0.847, abs=5e-4)
    assert (p[tested] < 0.05).all()


def test_trec8_main_effects_are_statsmodels(trec8):
    scores = trec8[(trec8["measure"] == "AP") & (trec8["depth"] % 10 == 0)]
    scores = scores.astype({"topic": str, "system": str}).query("topic <= '410'")
    expected, _ = statsmodels_table(scores, "main", "II", "sum")
    ours = effects(scores, "main", ss_type="II")
    np.testing.assert_allclose(
        ours["sum_sq"], expected["sum_sq"].to_numpy()[[2, 0, 1, 3]], rtol=1e-9
    )
