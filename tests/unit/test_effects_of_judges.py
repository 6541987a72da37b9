"""Favour and replacement over several collections: contributions, lines, margins, one verdict."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

import regrade
from regrade.answers.shape import FINE, LOOK, PROBLEM
from regrade.command.app import app
from regrade.errors import MethodError
from regrade.writers import write_frame
from tests.unit import carried

SYSTEMS = {"mine": 4, "theirs": 6, "weak": 5}
FAMILIES = {name: [f"{name}-{i}" for i in range(n)] for name, n in SYSTEMS.items()}
DOCUMENTS = [f"d{d}" for d in range(20)]


def year(topics, seed, families=FAMILIES):
    """Runs, a reference, a judge that favours `mine`, and two people, as dicts."""
    rng = np.random.default_rng(seed)
    runs = {system: {} for of in families.values() for system in of}
    labels = {name: {} for name in ("people", "keen", "a", "b")}
    for topic in (f"{seed}-{t}" for t in range(topics)):
        relevance, taste = rng.normal(0, 1, (2, len(DOCUMENTS)))
        for system in runs:
            noise = 0.4 + 0.35 * int(system[-1])
            score = relevance + rng.normal(0, noise, len(DOCUMENTS))
            score += 0.9 * taste * system.startswith("mine")
            runs[system][topic] = dict(zip(DOCUMENTS, score.tolist(), strict=True))
        for name in labels:
            value = relevance + rng.normal(0, 0.5, len(DOCUMENTS)) + 0.8 * taste * (name == "keen")
            grades = np.digitize(value, [0.3, 1.0, 1.6]).tolist()
            labels[name][topic] = dict(zip(DOCUMENTS, grades, strict=True))
    return labels, runs


def favour(topics, seed, *, controls=(), families=FAMILIES, own=None):
    labels, runs = year(topics, seed, families)
    return regrade.favour(
        labels["people"],
        {"keen": labels["keen"]},
        runs,
        families,
        "nDCG@10",
        controls={name: labels[name] for name in controls} or None,
        own=own or {},
        draws=200,
    )


def replaced(topics, seed, people=(), **how):
    labels, runs = year(topics, seed)
    further = {name: labels[name] for name in people}
    return regrade.replace(
        labels["people"], labels["keen"], runs, controls=further or None, measures="nDCG@10",
        resamples=100, **how,
    )  # fmt: skip


@pytest.fixture(scope="module")
def two():
    """Two collections: one with controls and a family of its own, one without."""
    other = {name: of for name, of in FAMILIES.items() if name != "weak"} | {
        "late": ["late-0", "late-1"]
    }
    return {
        "x": favour(24, 1, controls=("a", "b"), own={"keen": ["mine", "weak"]}),
        "y": favour(20, 2, families=other, own={"keen": "mine"}),
    }


# --- favour ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "beside"), [("equal_quality", "reference"), ("equal_less_control", "control")]
)
def test_contributions_have_the_favour_as_mean_and_its_error(two, column, beside):
    effects = two["x"].effects.astype({"beside": str, "peers": str, "judge": str})
    effects = effects.query("beside == @beside and peers == 'equal' and judge == 'keen'")
    topics = two["x"].topic_effects.astype({"judge": str, "family": str})
    comparable = two["x"].families.set_index("family")["is_comparable"]
    assert comparable.any()
    for row in effects.itertuples():
        values = topics.query("judge == 'keen' and family == @row.family")[column]
        if not comparable[row.family]:
            assert values.isna().all()
            continue
        assert values.mean() == pytest.approx(row.favour, abs=1e-12)
        assert values.std(ddof=1) / len(values) ** 0.5 == pytest.approx(row.error, rel=1e-9)


def test_topics_without_a_control_contribute_nothing_less_it():
    labels, runs = year(20, 3)
    partly = dict([*labels["a"].items()][:16])
    found = regrade.favour(
        labels["people"], {"keen": labels["keen"]}, runs, FAMILIES, "nDCG@10",
        controls={"a": partly}, draws=200,
    )  # fmt: skip
    of = found.topic_effects.query("family == 'mine'").set_index("topic")
    lacks = ~of.index.isin(partly)
    assert of["equal_quality"].notna().all()
    assert (
        of["equal_less_control"].isna().tolist() == lacks.tolist() == of["control"].isna().tolist()
    )
    assert lacks.sum() == 4


def test_the_mean_over_collections_is_that_of_their_favours(two, tmp_path):
    found = regrade.meta_analysis(two, of="favour")
    carried.checked(found, "meta_analysis", tmp_path, "nDCG@10")
    overall = found.overall.set_index("subject")
    values = []
    for of in two.values():
        rows = of.effects.astype({"beside": str, "peers": str, "judge": str, "family": str})
        row = rows.query("beside == 'reference' and peers == 'equal' and family == 'mine'")
        values.append(row.query("judge == 'keen'")["favour"].item())
    assert overall.loc["keen · mine", "mean"] == pytest.approx(np.mean(values))
    assert overall.loc["keen · mine", "difference"] == pytest.approx(values[1] - values[0])
    x, y = (
        of.topic_effects.query("family == 'mine'")["equal_quality"].to_numpy(float)
        for of in two.values()
    )
    assert overall.loc["keen · mine", "p"] == pytest.approx(
        stats.ttest_ind(x, y, equal_var=False).pvalue, rel=1e-6
    )


def test_a_family_of_one_collection_has_its_value_there_and_no_test(two):
    overall = regrade.meta_analysis(two, of="favour", effect="all_systems").overall
    overall = overall.set_index("subject")
    assert overall.loc["keen · late", "collections"] == 1
    assert overall.loc[["keen · late", "keen · weak"], ["p", "p_mean"]].isna().all(axis=None)
    assert overall.loc["keen · mine", ["p", "p_mean"]].notna().all()


@pytest.mark.parametrize("effect", ["equal_less_control", "less_control"])
def test_without_a_control_in_one_collection_nothing_is_pooled(two, tmp_path, effect):
    found = regrade.meta_analysis(two, of="favour", effect=effect)
    answer = carried.checked(found, "meta_analysis", tmp_path, "nDCG@10")
    assert answer.verdict == "No pair of judge and family has a value in two collections."
    assert any(note.startswith("y has no value of favour") for note in answer.notes)
    assert (found.overall["collections"] < 2).all()


def test_own_families_are_tested_among_themselves(two):
    found = regrade.meta_analysis(two, of="favour", effect="own_families")
    overall = found.overall.set_index("subject")
    assert {"keen · mine"} <= {*overall.index} <= {"keen · mine", "keen · weak"}
    assert overall.loc["keen · mine", "p_mean_adjusted"] == overall.loc["keen · mine", "p_mean"]


def test_own_families_that_one_collection_does_not_name_are_refused(two):
    none = {"x": two["x"], "y": favour(16, 5)}
    with pytest.raises(MethodError, match="y: the table has no rows with is_own"):
        regrade.meta_analysis(none, of="favour", effect="own_families")


def test_files_of_contributions_are_read(two, tmp_path):
    files = []
    for name, of in two.items():
        write_frame(of.to_frame("topic_effects"), tmp_path / f"{name}.csv")
        files.append(f"{name}={tmp_path / name}.csv")
    ran = CliRunner().invoke(
        app, ["meta-analysis", *files, "--of", "favour", "--effect", "own_families"]
    )
    assert ran.exit_code == 0, ran.output
    assert "favour for the own family at equal quality" in ran.output


# --- replacement ----------------------------------------------------------------------------------


def test_samples_of_lines_are_those_of_their_intervals():
    found = replaced(24, 1)
    samples = found.samples.astype({"quantity": str})
    lines = found.lines.astype({"quantity": str}).set_index("quantity")
    first = samples[samples["replicate"] == 0].set_index("quantity")["value"]
    assert {*first.index} == {"tau", "tau_ap", "top", "level", "log spread", "pairs"}
    assert np.exp(first["log spread"]) == pytest.approx(lines.loc["spread", "value"])
    assert first["tau"] == pytest.approx(lines.loc["tau", "value"])
    drawn = samples.query("quantity == 'tau' and replicate > 0")["value"]
    half = stats.t.ppf(0.975, 23) * (24 / 23) ** 0.5 * drawn.std(ddof=0)
    assert lines.loc["tau", "high"] - lines.loc["tau", "value"] == pytest.approx(half)
    spread = samples.query("quantity == 'log spread'")
    assert (spread["margin_low"] == -spread["margin_high"]).all()
    assert {*samples["beside"].astype(str)} == {"equal labels", "the reference"}


def test_lines_of_too_few_topics_for_an_interval_have_none_over_collections():
    """Agreement needs 20 topics, rankings 10."""
    results = {"x": replaced(24, 1, ("a", "b")), "y": replaced(14, 2, ("a", "b"))}
    samples = results["y"].samples.astype({"quantity": str})
    assert samples.groupby("quantity").size().loc[["alpha", "tau"]].tolist() == [1, 101]
    overall = regrade.meta_analysis(results, of="replace").overall.set_index("subject")
    assert overall.loc["alpha", ["low", "high", "p"]].isna().all()
    assert overall.loc["alpha", "verdict"] == "not known"
    assert overall.loc["tau", ["low", "high", "p"]].notna().all()


def lines(count, means, *, spread=0.02, margin=(-0.1, np.nan), passes=True, beside="equal labels"):
    """A table ``replace/samples`` whose samples have exactly such a standard deviation."""
    rows = []
    for name, mean in means.items():
        away = np.tile([-1.0, 1.0], 100) * spread
        rows.append(
            pd.DataFrame({"replicate": np.arange(201), "value": np.append(mean, mean + away)})
            .assign(measure="*" if name == "epsilon" else "AP", quantity=name, topics=count,
                    margin_low=margin[0], margin_high=margin[1], passes=passes, beside=beside)
        )  # fmt: skip
    return pd.concat(rows, ignore_index=True)


def by_hand(values, counts, spread, confidence):
    """The interval of the mean by Student's t with Satterthwaite's degrees of freedom."""
    variance = np.array([spread**2 * n / (n - 1) for n in counts])
    freedom = variance.sum() ** 2 / (variance**2 / (np.array(counts) - 1)).sum()
    half = stats.t.ppf((1 + confidence) / 2, freedom) * variance.sum() ** 0.5 / len(counts)
    return np.mean(values) - half, np.mean(values) + half


def test_a_line_is_held_beside_its_margin_by_hand(tmp_path):
    means = {"x": {"tau": -0.04, "tau_ap": -0.09, "top": -0.2}}
    means["y"] = {"tau": -0.06, "tau_ap": -0.10, "top": -0.2}
    tables = {"x": lines(30, means["x"]), "y": lines(50, means["y"])}
    found = regrade.meta_analysis(tables, of="replace")
    overall = found.overall.set_index("subject")
    words = {}
    for name in means["x"]:
        values = [of[name] for of in means.values()]
        low, high = by_hand(values, (30, 50), 0.02, 0.95)
        assert overall.loc[name, ["low", "high"]].tolist() == pytest.approx([low, high])
        beyond = by_hand(values, (30, 50), 0.02, 1 - 0.05 / 3)[1] < -0.1
        words[name] = "yes" if low >= -0.1 else "no" if beyond else "not known"
    assert words == {"tau": "yes", "tau_ap": "not known", "top": "no"}
    assert overall["verdict"].to_dict() == words
    answer = carried.checked(found, "meta_analysis", tmp_path, "AP")
    assert answer.verdict == (
        "The judge cannot replace people over 2 collections: 1 of 3 lines (first systems in "
        "common) is beyond the margin (simultaneous 95% CIs)."
    )
    assert answer.light is PROBLEM
    assert overall["p_mean"].isna().all()  # 0 is not what lines are held beside


@pytest.mark.parametrize(
    ("means", "light", "said"),
    [
        ({"tau": 0.0}, FINE, "can replace people over 2 collections: the one line is within"),
        ({"tau": 0.0, "top": 0.0}, FINE, "all 2 lines are within the margin (95% CIs)."),
        ({"tau": 0.0, "top": -0.1}, LOOK, "1 of 2 lines is within the margin, and none is beyond"),
    ],
)
def test_the_verdict_is_of_all_lines(means, light, said):
    tables = {"x": lines(30, means), "y": lines(40, means)}
    answer = regrade.meta_analysis(tables, of="replace").answer
    assert said in answer.verdict and answer.light is light


def test_a_further_condition_is_met_in_every_collection():
    tables = {"x": lines(30, {"epsilon": 0.1}), "y": lines(40, {"epsilon": 0.1}, passes=False)}
    assert regrade.meta_analysis(tables, of="replace").overall["verdict"].tolist() == ["not known"]
    tables["y"] = lines(40, {"epsilon": 0.1})
    assert regrade.meta_analysis(tables, of="replace").overall["verdict"].tolist() == ["yes"]


def test_lines_without_a_margin_and_of_few_topics_have_no_yes():
    none = {"margin": (np.nan, np.nan)}
    tables = {"x": lines(30, {"tau": 0.0}, **none), "y": lines(40, {"tau": 0.0}, **none)}
    found = regrade.meta_analysis(tables, of="replace")
    assert found.overall["verdict"].isna().all() and "no line with a margin" in found.answer.verdict
    few = {"x": lines(30, {"tau": 0.0}), "y": lines(5, {"tau": 0.0})}
    assert regrade.meta_analysis(few, of="replace").overall["verdict"].tolist() == ["not known"]


def test_margins_that_differ_are_refused():
    tables = {"x": lines(30, {"tau": 0.0}), "y": lines(40, {"tau": 0.0}, margin=(-0.2, np.nan))}
    with pytest.raises(MethodError, match=r"margins of tau differ \(x: -0.1 to inf; y: -0.2"):
        regrade.meta_analysis(tables, of="replace")


def test_people_in_one_collection_only_are_said(tmp_path):
    """Lines of labels are there alone, and rankings are beside different things."""
    found = regrade.meta_analysis({"x": replaced(24, 1, ("a", "b")), "y": replaced(20, 2)},
                                  of="replace")  # fmt: skip
    overall = found.overall.set_index("subject")
    assert (overall.loc[["alpha", "epsilon"], "collections"] == 1).all()
    assert overall.loc[["alpha", "epsilon"], "verdict"].isna().all()
    assert overall.loc["tau", "verdict"] in ("yes", "no", "not known")
    answer = carried.checked(found, "meta_analysis", tmp_path, "nDCG@10")
    assert (
        "Rankings and pairs are beside a second person in x and equal labels in y: collections "
        "differ in this."
    ) in answer.notes


def test_one_collection_has_a_plain_answer_about_lines():
    found = regrade.meta_analysis({"x": lines(30, {"tau": 0.0})}, of="replace")
    assert "There is one collection, x" in found.answer.verdict
    assert found.overall["verdict"].isna().all()


def test_files_of_samples_say_the_same_and_the_forest_has_margins(tmp_path):
    results = {"x": replaced(24, 1), "y": replaced(20, 2)}
    files = {}
    for name, of in results.items():
        files[name] = tmp_path / f"{name}.csv"
        write_frame(of.to_frame("samples"), files[name])
    own, read = (regrade.meta_analysis(one, of="replace") for one in (results, files))
    pd.testing.assert_frame_equal(own.to_frame("overall"), read.to_frame("overall"))
    assert own.answer.verdict == read.answer.verdict
    figure = own.plot()
    assert "margin" in [text.get_text() for text in figure.legends[0].get_texts()]
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert "pairs changed" in labels and "tau_ap" not in labels
