"""One effect in several collections: estimates, intervals, heterogeneity, ranking, refusals."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from click.testing import CliRunner
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects
from statsmodels.stats.oneway import anova_oneway

import regrade
from regrade.command.app import app
from regrade.errors import MethodError, ParameterError, RegradeError
from regrade.pooled_effects.effects import SampledEffect, TopicEffect, read_effects
from regrade.pooled_effects.heterogeneity import (
    difference,
    generalised_q,
    heterogeneity,
    tau_squared,
    typical_variance,
    welch,
)
from regrade.pooled_effects.pooled import FixedMean, estimates, over_collections, pooled_samples
from regrade.ranking.sample import satterthwaite
from regrade.stages.effects import effect_of
from regrade.writers import write_frame
from tests.unit import carried

DIFFERENCE = "score_difference"


def collection(name, topics, *, shift=0.0, judges=("a", "b"), seed=0, measures=("AP",)):
    """A table ``judges/topics`` with skewed differences."""
    rng = np.random.default_rng([seed, topics])
    rows = [
        {
            "judge": judge, "cut": "uncut", "held_out": False, "measure": measure,
            "topic": f"{name}{t}", "tau": 0.5, "difference": shift + 0.1 * j + value,
        }
        for measure in measures
        for j, judge in enumerate(judges)
        for t, value in enumerate(rng.gamma(2.0, 0.1, topics) - 0.2)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def samples(name, topics, taus, *, draws=400, seed=0, spread=0.05):
    """A table ``judges/samples`` of judges whose samples share a part."""
    rng = np.random.default_rng([seed, topics])
    shared = rng.normal(0, spread, draws)
    rows = []
    for judge, tau in taus.items():
        values = np.append(tau, tau + (shared + rng.normal(0, spread, draws)) / 2)
        rows.append(
            pd.DataFrame({"replicate": np.arange(draws + 1), "tau": values}).assign(
                judge=judge, cut="uncut", held_out=False, measure="AP", topics=topics
            )
        )
    return pd.concat(rows)


def three(seed=1):
    rng = np.random.default_rng(seed)
    counts, scale = (25, 40, 60), (1.0, 0.6, 1.4)
    return [
        TopicEffect(tuple(f"{c}-{t}" for t in range(n)), rng.normal(m, s, n))
        for c, (n, s, m) in enumerate(zip(counts, scale, (0.0, 0.6, 0.9), strict=True))
    ]


# --- heterogeneity --------------------------------------------------------------------------------


def test_q_and_the_paule_mandel_variance_are_those_of_statsmodels():
    value, error, freedom = estimates(three())
    theirs = combine_effects(value, error**2, method_re="iterated", atol=1e-14)
    assert generalised_q(value, error) == pytest.approx(theirs.q, rel=1e-12)
    assert tau_squared(value, error) == pytest.approx(theirs.tau2, rel=1e-6)
    assert tau_squared(value, error) > 0
    assert heterogeneity(value, error, freedom).q == pytest.approx(theirs.q, rel=1e-12)


def test_the_test_of_equal_effects_is_welchs():
    own = three()
    theirs = anova_oneway([one.values for one in own], use_var="unequal")
    assert welch(*estimates(own))[1] == pytest.approx(theirs.pvalue, rel=1e-10)
    pair = own[:2]
    t = stats.ttest_ind(pair[1].values, pair[0].values, equal_var=False)
    assert welch(*estimates(pair))[1] == pytest.approx(t.pvalue, rel=1e-10)
    low, high = t.confidence_interval()
    by_hand = pair[1].value - pair[0].value, low, high
    assert difference(*estimates(pair)) == pytest.approx(by_hand, rel=1e-10)


def test_the_variance_of_two_collections_has_a_closed_form():
    """Σ w (y − ȳ)² = (y₁ − y₂)² / (v₁ + v₂ + 2 τ²), which is to be 1."""
    value, error = np.array([0.1, 0.9]), np.array([0.2, 0.3])
    assert tau_squared(value, error) == pytest.approx((0.8**2 - 0.04 - 0.09) / 2, rel=1e-9)
    assert tau_squared(np.array([0.1, 0.2]), error) == 0.0


def test_ends_of_the_variance_make_the_generalised_q_a_quantile():
    value, error, freedom = estimates(three())
    found = heterogeneity(value, error, freedom)
    known = heterogeneity(value, error, np.full(len(value), 1e12))
    for end, probability in zip(known.tau_squared_ends, (0.975, 0.025), strict=True):
        quantile = stats.chi2.ppf(probability, len(value) - 1)
        assert generalised_q(value, error, end) == pytest.approx(quantile, rel=1e-6)
    assert found.tau_squared_ends[0] < known.tau_squared_ends[0]
    for end, p in zip(found.tau_squared_ends, (0.025, 0.975), strict=True):
        variance = error**2 + end
        more = freedom * (variance / error**2) ** 2
        assert welch(value, np.sqrt(variance), more)[1] == pytest.approx(p, rel=1e-8)
    typical = typical_variance(error)
    shares = [one / (one + typical) for one in (found.tau_squared, *found.tau_squared_ends)]
    assert (found.i_squared, *found.i_squared_ends) == pytest.approx(shares)


def test_the_interval_of_the_variance_excludes_0_where_welchs_test_rejects():
    error, freedom = np.full(3, 0.1), np.full(3, 24.0)
    for spread in np.linspace(0, 0.5, 60):
        found = heterogeneity(np.array([-spread, 0.0, spread]), error, freedom)
        assert (found.tau_squared_ends[0] > 0) == (found.p < 0.025)


def test_equal_standard_errors_make_i_squared_that_of_higgins():
    value, error = np.array([0.0, 0.5, 1.0]), np.full(3, 0.1)
    found = heterogeneity(value, error, np.full(3, 30.0))
    assert found.i_squared == pytest.approx((found.q - 2) / found.q, rel=1e-9)


def test_an_effect_without_a_standard_error_has_no_heterogeneity():
    for value in ([0.1], [0.1, 0.2]):
        found = heterogeneity(np.array(value), np.zeros(len(value)), np.full(len(value), 9.0))
        assert np.isnan([found.q, found.p, found.tau_squared, *found.i_squared_ends]).all()


# --- over collections -----------------------------------------------------------------------------


def test_the_mean_over_collections_is_that_of_cells_in_a_linear_model():
    """Topics nested in collections: means of cells, and a variance for each collection."""
    own = three()
    frame = pd.DataFrame({
        "y": np.concatenate([one.values for one in own]),
        "c": np.repeat(["x", "y", "z"], [one.count for one in own]),
    })  # fmt: skip
    cells = smf.ols("y ~ C(c) - 1", frame).fit()
    row = over_collections(own)
    assert row["mean"] == pytest.approx(cells.params.mean(), rel=1e-12)
    parts = np.array([one.values.var(ddof=1) / one.count for one in own])
    error, freedom = (
        np.sqrt(parts.sum()) / 3,
        satterthwaite(parts[:, None], np.array([one.count - 1 for one in own]))[0],
    )
    half = stats.t.ppf(0.975, freedom) * error
    low, high = FixedMean.of(own).ends()
    # Hall's interval reaches as far or further, on one side at least
    assert low <= row["mean"] - half + 1e-12
    assert high >= row["mean"] + half - 1e-12
    # p is Student's or Hall's, by the skewness of what each topic moves the mean by
    n, off = 125, np.concatenate([one.values - one.value for one in own])
    moved = off / np.repeat([np.sqrt(k * (k - 1)) for k in (25, 40, 60)], (25, 40, 60))
    skew = n * np.sqrt(n - 1) / (n - 2) * (moved**3).sum() / (moved**2).sum() ** 1.5
    t = row["mean"] / error
    scaled = t / np.sqrt(n)
    hall = scaled + skew * scaled**2 / 3 + skew**2 * scaled**3 / 27 + skew / (6 * n)
    least = min(t, np.sqrt(n) * hall)
    assert row["p_mean"] == pytest.approx(2 * stats.t.sf(least, freedom), rel=1e-9)


@pytest.mark.parametrize("counts", [(25,), (25, 25), (10, 60), (20, 30, 40)])
@pytest.mark.parametrize("kind", ["long tail above", "long tail below", "0 or 1"])
def test_the_interval_of_fixed_collections_excludes_0_where_p_is_below_5_percent(counts, kind):
    rng = np.random.default_rng(counts)
    drawn = [
        (rng.random(n) < 0.2) * 1.0 if kind == "0 or 1" else rng.gamma(0.5, 1, n) for n in counts
    ]
    sign = -1 if kind == "long tail below" else 1

    def row(shift):
        shifted = [sign * one + shift for one in drawn]
        names = [tuple(map(str, range(len(one)))) for one in shifted]
        return over_collections([*map(TopicEffect, names, shifted)])

    students, plain = [], row(0.0)
    assert (plain["p_mean"] < 0.05) == (plain["low"] > 0 or plain["high"] < 0)
    for shift in -plain["mean"] + np.linspace(-1, 1, 201) * 2 * (plain["high"] - plain["low"]):
        one = row(shift)
        outside = one["low"] > 0 or one["high"] < 0
        assert (one["p_mean"] < 0.05) == outside, shift
        own = FixedMean.of([TopicEffect((), sign * v + shift) for v in drawn])
        students.append((2 * stats.t.sf(abs(own.value / own.error), own.freedom) < 0.05) != outside)
    assert 0 < sum(students) < 100  # by Student's p some would differ
    for end in (plain["low"], plain["high"]):
        assert row(-end)["p_mean"] == pytest.approx(0.05)


def test_the_population_of_collections_is_a_mixed_models_where_they_are_balanced():
    """With equally many topics a random collection makes the standard error of the means."""
    rng = np.random.default_rng(3)
    own = [
        TopicEffect(tuple(f"{c}-{t}" for t in range(30)), rng.normal(shift, 0.2, 30))
        for c, shift in enumerate(rng.normal(0.3, 0.4, 6))
    ]
    frame = pd.DataFrame({
        "y": np.concatenate([one.values for one in own]), "c": np.repeat(range(6), 30)
    })  # fmt: skip
    mixed = smf.mixedlm("y ~ 1", frame, groups="c").fit(reml=True)
    row = over_collections(own)
    half = stats.t.ppf(0.975, 5) * mixed.bse["Intercept"]
    ends = row["population_low"], row["population_high"]
    assert row["mean"] == pytest.approx(mixed.params["Intercept"], rel=1e-5)
    assert ends == pytest.approx((row["mean"] - half, row["mean"] + half), rel=1e-3)
    assert row["tau_squared"] == pytest.approx(mixed.cov_re.iloc[0, 0], rel=0.02)
    by_scipy = stats.ttest_1samp([one.value for one in own], 0.0).confidence_interval()
    assert ends == pytest.approx(tuple(by_scipy), rel=1e-12)


def test_an_effect_by_samples_has_students_interval_of_independent_collections():
    rng = np.random.default_rng(4)
    own = [
        SampledEffect(n, np.append(v, rng.normal(v, 0.05, 500))) for n, v in ((30, 0.8), (50, 0.9))
    ]
    errors = [one.samples[1:].std() * np.sqrt(one.count / (one.count - 1)) for one in own]
    freedom = sum(e**2 for e in errors) ** 2 / (errors[0] ** 4 / 29 + errors[1] ** 4 / 49)
    half = stats.t.ppf(0.975, freedom) * np.hypot(*errors) / 2
    assert tuple(FixedMean.of(own).ends()) == pytest.approx((0.85 - half, 0.85 + half), rel=1e-10)
    assert over_collections(own)["difference"] == pytest.approx(0.1)


def test_one_collection_is_its_own_mean():
    (own, *_), row = three(), over_collections(three()[:1])
    assert (row["mean"], row["low"], row["high"]) == pytest.approx((own.value, *own.ends))
    assert np.isnan([row["population_low"], row["heterogeneity"]]).all()
    assert "difference" not in row


def test_too_few_topics_have_a_mean_and_no_interval():
    few = [TopicEffect(("x", "y"), np.array([0.1, 0.4])), three()[0]]
    row = over_collections(few)
    assert np.isfinite(row["mean"])
    assert np.isnan([row["low"], row["high"]]).all()
    assert "difference" not in row


# --- from tables ----------------------------------------------------------------------------------


def two(**how):
    return {"x": collection("x", 30, **how), "y": collection("y", 45, shift=0.1, seed=1, **how)}


def test_effects_are_read_by_judge_and_measure():
    tables = two(measures=("AP", "nDCG"))
    tables["y"] = tables["y"][tables["y"]["measure"] == "AP"]
    read = read_effects(effect_of("judges", DIFFERENCE), tables)
    assert read.measures == ["AP"]
    assert read.unshared == {"nDCG": ("x",)}
    own = tables["y"].query("judge == 'b'")["difference"]
    assert read.subjects("AP")["b"]["y"].value == pytest.approx(own.mean())


def test_a_judge_cut_in_several_ways_counts_once():
    """Under the one cut that was held out; one that was not cut, as it is."""
    table = collection("x", 12)
    ways = [("uncut", False), ("single", False), ("single", True)]
    cut = [
        table[table["judge"] == "a"].assign(cut=cut, held_out=held_out, difference=0.1 * n)
        for n, (cut, held_out) in enumerate(ways)
    ]
    read = read_effects(
        effect_of("judges", DIFFERENCE), {"x": pd.concat([*cut, table[table["judge"] == "b"]])}
    )
    assert read.of["AP", "a"]["x"].value == pytest.approx(0.2)
    assert read.of["AP", "b"]["x"].count == 12


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda t: t.rename(columns={"difference": "other"}), "x: the table has no column diff"),
        (lambda t: t.assign(measure="RR"), "no measure in common (x: RR; y: AP)"),
        (
            lambda t: t[t["judge"] == "a"].assign(judge="c"),
            "no judge is in two collections (x: c; y: a, b)",
        ),
        (lambda t: pd.concat([t, t.head(1)]), "x: two rows of one topic (x0)"),
        (lambda t: t.head(0), "x: the table has no rows"),
    ],
)
def test_tables_that_do_not_fit_are_refused(changed, said):
    tables = two()
    tables["x"] = changed(tables["x"])
    with pytest.raises(MethodError) as caught:
        read_effects(effect_of("judges", DIFFERENCE), tables)
    assert said in str(caught.value)


def test_a_column_may_be_subtracted():
    """A control's effect on the same topics; a topic without it has none."""
    tables = {name: one.assign(control=0.1) for name, one in two().items()}
    tables["x"].loc[0, "control"] = np.nan
    declared = effect_of("judges", DIFFERENCE)
    less = read_effects(replace(declared, less="control"), tables).of["AP", "a"]
    plain = read_effects(declared, tables).of["AP", "a"]
    assert less["y"].value == pytest.approx(plain["y"].value - 0.1)
    assert (less["x"].count, less["x"].undefined) == (29, 1)


def test_undefined_topics_are_left_out_and_counted():
    tables = two()
    tables["x"].loc[0, "difference"] = np.nan
    found = regrade.meta_analysis(tables, effect=DIFFERENCE)
    assert found.effects.set_index(["subject", "in_collection"])["topics"]["a", "x"] == 29
    assert "1 value of topics is undefined and left out." in found.answer.notes


def test_subjects_of_one_collection_are_in_no_test_over_several():
    tables = two()
    tables["x"] = collection("x", 30, judges=("a", "b", "lone"))
    found = regrade.meta_analysis(tables, effect=DIFFERENCE)
    overall = found.overall.set_index("subject")
    assert np.isnan(overall.loc["lone", "p_mean"])
    both = overall.loc[["a", "b"]]
    smallest = both["p_mean"].idxmin()
    assert both.loc[smallest, "p_mean_adjusted"] == pytest.approx(2 * both["p_mean"].min())
    assert [row[0] for row in found.answer.rows.rows][-1] == "lone"


# --- ranking --------------------------------------------------------------------------------------


def test_judges_are_ranked_over_collections_by_means_of_samples():
    tables = {
        "x": samples("x", 40, {"a": 0.9, "b": 0.7, "c": 0.88}),
        "y": samples("y", 50, {"a": 0.8, "b": 0.6, "c": 0.83}, seed=1),
    }
    found = regrade.meta_analysis(tables)
    assert found.ranking["subject"].tolist() == ["c", "a", "b"]
    assert found.ranking["mean"].tolist() == pytest.approx([0.855, 0.85, 0.65])
    assert found.ranking["verdict"].tolist()[::2] == ["best", "significantly worse"]


def test_differences_have_the_studentised_maximum_over_all_pairs():
    """Two judges: one pair, so that the interval is the 95 % quantile of one deviation."""
    tables = {
        "x": samples("x", 40, {"a": 0.9, "b": 0.8}),
        "y": samples("y", 40, {"a": 0.9, "b": 0.8}, seed=7),
    }
    read = read_effects(effect_of("judges"), tables)
    values, topics = pooled_samples(read.subjects("AP"), read.collections, 1, 1)
    assert (values.shape, topics) == ((2, 401), 40)
    drawn = (values[1] - values[0])[1:]
    off = np.abs(drawn - drawn.mean())
    half = np.quantile(off, 0.95) * np.sqrt(40 / 39)
    row = regrade.meta_analysis(tables).ranking.iloc[1]
    assert (row["low"], row["high"]) == pytest.approx((-0.1 - half, -0.1 + half), rel=1e-9)


def test_samples_of_collections_with_the_same_topics_are_independent():
    """Topics 1, 2, … of two collections are drawn alike; their means must not be."""
    one = samples("x", 40, {"a": 0.9, "b": 0.8}, draws=4000)
    read = read_effects(effect_of("judges"), {"x": one, "y": one.copy()})
    values, _ = pooled_samples(read.subjects("AP"), read.collections, 1, 1)
    own = one[one["judge"] == "a"]["tau"].to_numpy()[1:]
    assert values[0, 1:].std() == pytest.approx(own.std() / np.sqrt(2), rel=0.05)


def test_a_judge_in_one_collection_is_not_ranked_and_named():
    tables = {
        "x": samples("x", 40, {"a": 0.9, "b": 0.7, "lone": 0.99}),
        "y": samples("y", 50, {"a": 0.8, "b": 0.6}, seed=1),
    }
    found = regrade.meta_analysis(tables)
    assert found.ranking["subject"].tolist() == ["a", "b"]
    lone = found.overall.set_index("subject").loc["lone"]
    assert (lone["collections"], lone["mean"]) == (1, pytest.approx(0.99))
    assert any(note.startswith("lone is not in all collections") for note in found.answer.notes)


def test_an_effect_that_no_collection_has_is_named():
    def favour(seed, judges):
        rng = np.random.default_rng(seed)
        rows = pd.DataFrame([(j, "x", str(t)) for j in judges for t in range(20)])
        rows.columns = ["judge", "family", "topic"]
        known = rows["judge"] != "never"
        return rows.assign(
            measure="AP", is_own=False, equal_quality=rng.normal(size=len(rows))
        ).assign(equal_quality=lambda of: of["equal_quality"].where(known))

    tables = {"x": favour(1, ["a", "lone", "never"]), "y": favour(2, ["a", "never"])}
    notes = regrade.meta_analysis(tables, of="favour").answer.notes
    assert "never · x is without an effect in any collection." in notes
    assert any(note.startswith("lone · x is not in all collections") for note in notes)


# --- answers --------------------------------------------------------------------------------------


def checked(found, tmp_path, *names):
    return carried.checked(found, "meta_analysis", tmp_path, "AP", *names)


def test_the_answer_says_what_holds_over_two_collections(tmp_path):
    answer = checked(regrade.meta_analysis(two(), effect=DIFFERENCE), tmp_path)
    assert "significantly above 0 for" in answer.verdict
    assert "two collections support no conclusion about others" in answer.facts[-1]


def test_the_answer_of_three_says_how_wide_the_interval_of_others_is(tmp_path):
    tables = {**two(), "z": collection("z", 25, seed=3)}
    answer = checked(regrade.meta_analysis(tables, effect=DIFFERENCE), tmp_path)
    assert "2 degrees of freedom" in answer.facts[-1]
    assert "no conclusion" not in answer.facts[-1]


def test_few_topics_are_not_tested(tmp_path):
    tables = {"x": collection("x", 4), "y": collection("y", 3, seed=1)}
    answer = checked(regrade.meta_analysis(tables, effect=DIFFERENCE), tmp_path)
    assert "is not tested: too few topics" in answer.verdict
    undefined = {name: one.assign(difference=np.nan) for name, one in tables.items()}
    answer = checked(regrade.meta_analysis(undefined, effect=DIFFERENCE), tmp_path)
    assert answer.verdict == "No judge has a value in two collections."


def test_identical_judges_and_topics_without_spread(tmp_path):
    """No standard error: no test, and the mean all the same."""
    same = {n: one.assign(difference=0.25) for n, one in two().items()}
    found = regrade.meta_analysis(same, effect=DIFFERENCE)
    checked(found, tmp_path)
    assert found.overall["mean"].tolist() == pytest.approx([0.25, 0.25])
    assert found.overall["p"].isna().all()


def test_the_answer_is_by_a_measure_that_can_be_pooled():
    tables = two(measures=("AP", "nDCG"))
    is_other = (tables["x"]["measure"] == "AP").to_numpy()
    tables["x"].loc[is_other, "judge"] = tables["x"].loc[is_other, "judge"] + "-other"
    found = regrade.meta_analysis(tables, effect=DIFFERENCE)
    assert found.answer.verdict.startswith("nDCG, Δ score over 2 collections")


def test_one_collection_has_a_plain_answer(tmp_path):
    answer = checked(regrade.meta_analysis({"x": two()["x"]}, effect=DIFFERENCE), tmp_path)
    assert answer.verdict == "There is one collection, x, so nothing is pooled or compared."
    assert [column.name for column in answer.rows.columns] == ["judge", "x"]


def test_rankings_over_collections_are_answered(tmp_path):
    tables = {
        "x": samples("x", 40, {"a": 0.9, "b": 0.7}),
        "y": samples("y", 50, {"a": 0.8, "b": 0.6}, seed=1),
    }
    answer = checked(regrade.meta_analysis(tables), tmp_path)
    assert answer.verdict.startswith("a agrees best over 2 collections (AP, τ_b = 0.85, 95% CI")
    assert answer.verdict.endswith("the other agrees significantly less (simultaneous 95% CIs).")


# --- library and command --------------------------------------------------------------------------


def judged(shift, seed, topics=12):
    """Results of judges on a small collection with runs."""
    rng = np.random.default_rng(seed)
    topics = [f"{seed}-{t}" for t in range(topics)]
    qrels = {t: {f"d{d}": int(rng.integers(0, 3)) for d in range(8)} for t in topics}

    def changed(grade):
        return {t: {d: grade(g) for d, g in of.items()} for t, of in qrels.items()}

    runs = {f"s{s}": changed(lambda g, s=s: float(rng.normal(g, 1 + s))) for s in range(5)}
    near = changed(lambda g: min(2, g + int(rng.random() < shift)))
    far = changed(lambda g: int(rng.integers(0, 3)))
    sets = {"near": near, "far": far}
    return regrade.judges(qrels, sets, runs, "nDCG@10", resamples=60)


@pytest.fixture(scope="module")
def results():
    return {"x": judged(0.1, 5), "y": judged(0.2, 6, topics=15)}


@pytest.mark.parametrize("effect", ["tau", "alpha", DIFFERENCE])
def test_results_files_and_folders_say_the_same(results, tmp_path, effect):
    """A result, the frame of its table, and files of it in any form."""
    table = effect_of("judges", effect).table.rpartition("/")[2]
    by_result = regrade.meta_analysis(results, effect=effect)
    for ending in (".csv", ".tsv", ".jsonl", ".parquet"):
        for name, one in results.items():
            folder = tmp_path / ending / name
            folder.mkdir(parents=True)
            write_frame(one.to_frame(table), folder / f"{table}{ending}")
        folders = {name: tmp_path / ending / name for name in results}
        again = regrade.meta_analysis(folders, effect=effect)
        pd.testing.assert_frame_equal(again.overall, by_result.overall)
    arguments = [f"{name}={folder}" for name, folder in folders.items()]
    done = CliRunner().invoke(app, ["meta-analysis", *arguments, "--effect", effect])
    assert done.exit_code == 0, done.output
    assert done.stdout.strip().startswith(str(by_result.summary()).splitlines()[0])


def test_the_mean_over_collections_is_that_of_their_results(results):
    found = regrade.meta_analysis(results).overall.set_index("subject")["mean"]
    taus = [one.ranked.set_index("judge")["tau"] for one in results.values()]
    for judge in ("near", "far"):
        assert found[judge] == pytest.approx(np.mean([tau[judge] for tau in taus]))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda r, t: regrade.meta_analysis({}), "give the results of each collection by its name"),
        (lambda r, t: regrade.meta_analysis(r, effect="tua"), "'tua'; did you mean 'tau'?"),
        (lambda r, t: regrade.meta_analysis({"x": 3}, of="judge"), "did you mean 'judges'"),
        (
            lambda r, t: regrade.meta_analysis(r, measures=["P@1"]),
            "no collection has the effect by P@1",
        ),
        (lambda r, t: regrade.meta_analysis({"x": 3}), "x: is a int"),
        (lambda r, t: regrade.meta_analysis({"x": t}), "has no samples.parquet"),
        (lambda r, t: regrade.meta_analysis({"x": t / "no.csv"}), "cannot be read"),
        (lambda r, t: regrade.meta_analysis({"x": t / "no.xyz"}), "is no table by its ending"),
    ],
)
def test_what_cannot_be_read_is_refused(results, tmp_path, call, said):
    with pytest.raises(RegradeError) as caught:
        call(results, tmp_path)
    assert said in str(caught.value)


def test_results_without_runs_have_no_rankings():
    labels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}
    found = {"x": regrade.judges(labels, {"one": labels}, resamples=5)}
    with pytest.raises(ParameterError, match="have no table samples: tau needs it"):
        regrade.meta_analysis(found)


def test_a_number_that_is_none_is_named_with_its_line(tmp_path):
    path = tmp_path / "topics.csv"
    table = collection("x", 3)
    values = table["difference"].astype(object)
    table.assign(difference=values.where(table.index != 1, "much")).to_csv(path, index=False)
    with pytest.raises(RegradeError, match=r"topics.csv:3: difference is 'much', and no number"):
        regrade.meta_analysis({"x": path}, effect=DIFFERENCE)


def test_the_forest_names_each_collection_and_judge(results):
    figure = regrade.meta_analysis(results).plot()
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["x", "y", "over collections", "population of collections"]
    (axes,) = figure.axes
    assert {label.get_text() for label in axes.get_yticklabels()} == {"near", "far"}
