"""Whether a judge favours some systems: library, answer, figure, edges."""

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.answers.shape import FINE, LOOK, PROBLEM
from regrade.errors import MethodError, ParameterError
from regrade.favours.family_favour import (
    DISFAVOURS,
    FAVOURS,
    MEAN_OF_CONTROLS,
    NOT_COMPARABLE,
    NOT_SIGNIFICANT,
    THRESHOLD,
    verdict,
)
from tests.snapshots import assert_said
from tests.unit.carried import assert_carried

SYSTEMS = {"mine": 4, "theirs": 6, "weak": 5}
DOCUMENTS = 30
FAMILIES = {name: [f"{name}-{i}" for i in range(n)] for name, n in SYSTEMS.items()}


def collection(topics=24, seed=5, favour=0.8, gap=0.0):
    """Runs of three families, a reference, two judges of which one favours, and two people.

    A judge with favour grades documents higher that a favoured system retrieves first.
    """
    rng = np.random.default_rng(seed)
    runs = {system: {} for of in FAMILIES.values() for system in of}
    labels = {name: {} for name in ("people", "keen", "fair", "a", "b")}
    for t in map(str, range(1, topics + 1)):
        relevance = rng.normal(0, 1, DOCUMENTS)
        taste = rng.normal(0, 1, DOCUMENTS)
        docs = np.array([f"d{d}" for d in range(DOCUMENTS)])
        for system in runs:
            family = system.partition("-")[0]
            noise = 0.4 + 0.35 * int(system[-1]) + gap * (family == "weak")
            score = relevance + rng.normal(0, noise, DOCUMENTS) + 0.9 * taste * (family == "mine")
            runs[system][t] = {d: float(s) for d, s in zip(docs, score, strict=True)}
        for name in labels:
            value = relevance + rng.normal(0, 0.5, DOCUMENTS) + favour * taste * (name == "keen")
            grades = np.digitize(value, [0.3, 1.0, 1.6])
            labels[name][t] = {d: int(g) for d, g in zip(docs, grades, strict=True)}
    return labels, runs


def asked(people, judges, runs, families=None, measures=None, **how):
    """The question, with few draws."""
    how = {"draws": 300} | how
    return regrade.favour(people, judges, runs, families or FAMILIES, measures, **how)


@pytest.fixture(scope="module")
def favoured():
    labels, runs = collection()
    judges = {"keen": labels["keen"], "fair": labels["fair"]}
    people = {"a": labels["a"], "b": labels["b"]}
    own = {"keen": "mine"}
    return regrade.favour(
        labels["people"], judges, runs, FAMILIES, controls=people, own=own, draws=2000
    )


def test_a_judge_with_favour_is_told_from_one_without(favoured):
    effects = favoured.effects
    rows = effects[(effects["beside"] == "control") & (effects["peers"] == "equal")]
    verdicts = rows.set_index(["judge", "family"])["verdict"]
    assert verdicts["keen", "mine"] == FAVOURS
    assert {*verdicts["fair"]} <= {NOT_SIGNIFICANT, NOT_COMPARABLE}
    assert favoured.own["verdict"].tolist() == [FAVOURS]
    assert favoured.answer.light == PROBLEM
    controls = effects.loc[effects["is_control"].astype(bool), "judge"].unique()
    assert sorted(controls) == ["a", "b", MEAN_OF_CONTROLS]


def test_every_number_of_the_answer_is_in_a_table(favoured):
    assert_carried(favoured.answer, favoured.tables, "nDCG@10", "5", folder="favour")


def test_effects_are_differences_of_scores(favoured):
    """By the library's own scores, as all label sets have all documents."""
    labels, runs = collection()
    means = {
        name: regrade.score(labels[name], runs, "nDCG@10").scores.values[:, :, 0] for name in labels
    }
    systems = regrade.score(labels["a"], runs, "nDCG@10").scores.systems
    own = np.isin(systems, FAMILIES["mine"])
    control = (means["a"] + means["b"]) / 2
    for beside, baseline in (("reference", means["people"]), ("control", control)):
        apart = (means["keen"] - baseline).mean(axis=1)
        effects = favoured.effects.query("judge == 'keen' and family == 'mine' and peers == 'all'")
        value = effects.loc[effects["beside"] == beside, "favour"].item()
        assert value == pytest.approx(apart[own].mean() - apart[~own].mean(), abs=1e-12)
    table = favoured.topic_effects.query("judge == 'keen' and family == 'mine'")
    assert len(table) == 24
    assert table["value"].mean() == pytest.approx(
        favoured.effects.query(
            "judge == 'keen' and family == 'mine' and peers == 'all' and beside == 'reference'"
        )["favour"].item()
    )


def test_the_favour_taken_out_brings_the_ranking_back(favoured):
    change = favoured.changes.query("judge == 'keen' and family == 'mine'").iloc[0]
    assert change["turned_for"] > change["turned_for_without"]
    assert change["first"] >= change["first_without"]
    assert change["tau_without"] > change["tau"]
    systems = favoured.systems.query("judge == 'keen'").set_index("system")
    mine = systems.loc[FAMILIES["mine"]]
    assert (mine["score_without"] < mine["score"]).all()
    fair = favoured.systems.query("judge == 'fair'")
    assert (fair["score_without"] == fair["score"]).all()


def test_shares_of_variance_are_those_of_the_differences(favoured):
    means = favoured.variance.query("of == 'means'").set_index("other")["first_order"]
    both = means["system"]
    assert 0 < means["family"] < both < 1
    alone = favoured.variance.query("of == 'means' and other.isna()")["first_order"]
    assert alone.sum() + both == pytest.approx(1)
    by = favoured.systems.pivot(index="judge", columns="system", values="score").to_numpy()
    reference = favoured.systems.pivot(index="judge", columns="system", values="reference_score")
    apart = by - reference.to_numpy()
    inner = apart - apart.mean(axis=0) - apart.mean(axis=1, keepdims=True) + apart.mean()
    total = ((apart - apart.mean()) ** 2).sum()
    names = favoured.systems["system"].unique()
    family = np.array([name.partition("-")[0] for name in sorted(names)])
    explained = sum(
        (inner[:, family == one].mean(axis=1) ** 2).sum() * (family == one).sum() for one in SYSTEMS
    )
    assert means["family"] == pytest.approx(explained / total)


def test_sentences():
    def lines(own, favour, gap, topics, controls):
        labels, runs = collection(topics, favour=favour, gap=gap)
        of = regrade.favour(
            labels["people"],
            {name: labels[name] for name in ("keen", "fair")},
            runs,
            FAMILIES,
            controls={"a": labels["a"]} if controls else None,
            own=own,
            draws=500,
        )
        assert_carried(of.answer, of.tables, "nDCG@10", "5", folder="favour")
        return [of.answer.key, of.answer.light, *str(of.answer).splitlines()]

    cases = [
        ({"keen": "mine"}, 0.8, 0.0, 24, True),
        ({"keen": "mine", "fair": "theirs"}, 0.8, 0.0, 24, True),
        ({"keen": "mine", "fair": ["mine", "theirs"]}, 0.0, 0.0, 24, True),
        ({}, 0.8, 0.0, 24, False),
        ({}, 0.0, 3.0, 24, True),
        ({}, 0.8, 0.0, 5, True),
        ({"fair": "weak"}, 0.0, 0.0, 24, False),
    ]
    assert_said("favour", lines, cases)


def test_verdicts_by_p_and_monte_carlo_error():
    cases = [(0.001, 0.1), (0.001, -0.1), (0.5, 0.1), (0.05, 0.1)]
    words = [verdict(p, value, 10_000) for p, value in cases]
    assert words == [FAVOURS, DISFAVOURS, NOT_SIGNIFICANT, THRESHOLD]


def test_only_documents_that_all_labelled_count():
    labels, runs = collection(topics=20)
    some = {t: dict(list(of.items())[:20]) for t, of in labels["keen"].items() if t != "3"}
    people = {t: dict(list(of.items())[5:]) for t, of in labels["a"].items() if t not in "45"}
    of = asked(labels["people"], {"k": some}, runs, FAMILIES, controls={"a": people})
    numbers = of.numbers.set_index("quantity")["value"]
    assert numbers["documents of the reference"] == 20 * DOCUMENTS
    assert numbers["shared documents"] == 17 * 15 + 2 * 20
    assert numbers["topics"] == 19
    assert numbers["topics left out"] == 1
    assert numbers["controlled topics"] == 17
    notes = " ".join(of.answer.notes)
    assert "1 topic without a document that all label sets judged: left out." in notes
    assert "2 topics without labels of a control: used beside" in notes
    few = {"t": {"d1": 1}}
    with pytest.raises(MethodError, match="no document of the runs' topics is labelled by"):
        asked(labels["people"], {"k": few}, runs, FAMILIES)


def test_a_control_with_few_documents_of_a_topic_takes_no_others_away():
    labels, runs = collection(topics=16)
    few = {t: dict(list(of.items())[:3]) for t, of in labels["b"].items()}
    judges = {"k": labels["keen"]}
    both = asked(labels["people"], judges, runs, FAMILIES, controls={"a": labels["a"], "b": few})
    one = asked(labels["people"], judges, runs, FAMILIES, controls={"a": labels["a"]})
    key = ["judge", "family", "beside", "peers"]
    beside = [
        of.effects.query("beside == 'control'").set_index(key)["favour"] for of in (both, one)
    ]
    pd.testing.assert_series_equal(*beside)


def test_a_control_of_too_few_topics_for_a_test_takes_no_verdict_away():
    labels, runs = collection(topics=16)
    few = {t: labels["a"][t] for t in list(labels["a"])[:5]}
    judges = {"keen": labels["keen"]}
    of = asked(labels["people"], judges, runs, FAMILIES, controls={"few": few})
    alone = asked(labels["people"], judges, runs, FAMILIES)
    assert [of.answer.verdict, of.answer.key] == [alone.answer.verdict, alone.answer.key]
    note = "few labelled 5 topics, too few for a test: favour is beside qrels"
    assert any(one.startswith(note) for one in of.answer.notes)
    drawn = sum(len(axes.collections) + len(axes.lines) for axes in of.plot().axes)
    assert drawn >= sum(len(axes.lines) for axes in alone.plot().axes)


def test_labels_that_copy_the_reference_have_no_favour_and_are_named():
    labels, runs = collection(topics=16)
    copy, constant = labels["people"], {t: dict.fromkeys(of, 2) for t, of in labels["a"].items()}
    for judges in ({"copy": copy}, {"copy": copy, "constant": constant}):
        of = asked(copy, judges, runs, FAMILIES)
        rows = of.effects.query("peers == 'equal' and judge == 'copy'")
        assert (rows[["favour", "low", "high"]] == 0).all(axis=None)
        assert (of.effects.query("peers == 'equal'")["p_adjusted"] == 1).all()
        assert rows["detectable"].isna().all()
        assert of.answer.light == FINE
        assert sum("may be a copy" in note for note in of.answer.notes) == 1
    of = asked(copy, {"keen": labels["keen"]}, runs, FAMILIES, controls={"second": copy})
    assert any(note.startswith("second gives all systems the same") for note in of.answer.notes)


def test_workers_of_judgments_are_controls_of_their_topics():
    labels, runs = collection(topics=18)
    rows = [
        (t, d, worker, g)
        for name, workers in (("a", ("p1", "p2")), ("b", ("p3", "p2")))
        for t, of in labels[name].items()
        for worker in [workers[int(t) > 9]]
        for d, g in of.items()
    ]
    frame = pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])
    frame = frame[~((frame["worker"] == "p2") & frame.duplicated(["topic", "docno", "worker"]))]
    judges = {"k": labels["keen"]}
    of = asked(labels["people"], judges, runs, FAMILIES, controls=[frame])
    assert of.judges["judge"].tolist() == ["k", "p1", "p2", "p3"]
    assert of.judges["topics"].tolist() == [18, 9, 9, 9]
    numbers = of.numbers.set_index("quantity")["value"]
    assert numbers["controlled topics"] == 18


def test_a_binary_judge_beside_graded_people():
    labels, runs = collection(topics=16)
    binary = {t: {d: int(g > 1) for d, g in of.items()} for t, of in labels["keen"].items()}
    of = asked(
        labels["people"],
        {"binary": binary, "graded": labels["fair"]},
        runs,
        FAMILIES,
        ["nDCG@10", "AP"],
    )
    judges = of.effects.groupby("measure", observed=True)["judge"].unique()
    assert sorted(judges["nDCG@10"]) == ["binary", "graded"]
    assert list(judges["AP"]) == ["graded"]
    with pytest.raises(MethodError, match="AP is defined for no judge"):
        asked(labels["people"], {"binary": binary}, runs, FAMILIES, "AP")


def test_families_by_file_pattern_and_system(tmp_path, favoured):
    labels, runs = collection()
    file = tmp_path / "families.txt"
    file.write_text("".join(f"{s} {f}\n" for f, of in FAMILIES.items() for s in of))
    judges, people = (
        {"keen": labels["keen"], "fair": labels["fair"]},
        {"a": labels["a"], "b": labels["b"]},
    )
    given = {"controls": people, "own": {"keen": "mine"}, "draws": 2000}
    for families, patterns in ((file, None), (None, {f: f"{f}-*" for f in FAMILIES})):
        of = asked(labels["people"], judges, runs, families, patterns=patterns, **given)
        pd.testing.assert_frame_equal(of.effects, favoured.effects)
    one = asked(labels["people"], judges, runs, {"it": ["weak-1"]}, controls=people)
    assert one.families["systems"].tolist() == [1]
    assert one.effects["favour"].notna().all()
    with pytest.raises(ParameterError, match="has all 15 systems"):
        asked(labels["people"], judges, runs, {"every": ["*"]})


def test_names_are_checked():
    labels, runs = collection(topics=2)
    judges = {"keen": labels["keen"]}
    with pytest.raises(ParameterError, match="unknown judge 'kean'"):
        asked(labels["people"], judges, runs, FAMILIES, own={"kean": "mine"})
    with pytest.raises(ParameterError, match="two label sets are called 'keen'"):
        asked(labels["people"], judges, runs, FAMILIES, controls={"keen": labels["a"]})


def test_one_topic_and_one_system_beside_another():
    labels, runs = collection(topics=1)
    judges = {"keen": labels["keen"]}
    of = asked(labels["people"], judges, runs, FAMILIES, controls={"a": labels["a"]})
    assert of.effects["p_adjusted"].isna().all()
    assert of.answer.light == ""
    assert "1 topic, and a test needs 15" in of.answer.verdict
    two = {name: runs[name] for name in ("mine-1", "weak-1")}
    of = asked(labels["people"], judges, two, {"it": ["mine-1"]})
    assert len(of.effects) == 3
    assert of.plot()


def test_a_family_far_from_all_others_has_no_verdict():
    labels, runs = collection(favour=0.0, gap=4.0)
    judges = {"keen": labels["keen"], "fair": labels["fair"]}
    of = asked(labels["people"], judges, runs, FAMILIES, controls={"a": labels["a"]})
    apart = of.families.set_index("family")["is_comparable"]
    assert not apart["weak"]
    rows = of.effects.query("beside == 'control' and peers == 'equal' and family == 'weak'")
    assert set(rows["verdict"]) == {NOT_COMPARABLE}
    assert any("weak: too few other systems of similar quality" in n for n in of.answer.notes)
    assert of.answer.light in (FINE, LOOK)
    assert "2 pairs of judge and family" in of.answer.verdict
    last = of.answer.rows.rows[-4:]
    assert {row[1:4:2] for row in last} == {
        (f"{name} ({NOT_COMPARABLE})", None) for name in ("theirs", "weak")
    }
    weak = {"weak": FAMILIES["weak"]}
    of = asked(labels["people"], judges, runs, weak, own={"fair": "weak"})
    assert of.answer.verdict == (
        "Favour is not tested at equal quality: no family has other systems of similar quality."
    )
    assert [of.answer.key, of.answer.light] == ["", ""]


def test_the_figure_has_a_panel_for_each_family(favoured):
    figure = favoured.plot()
    titles = [axes.get_title(loc="left") or axes.get_title() for axes in figure.axes]
    assert {title.partition(" (")[0] for title in titles if title} == set(FAMILIES)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["keen", "fair", "a", "b", MEAN_OF_CONTROLS]
