"""Simulated answers about pairs: their form, their moments, what each parameter does."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import MethodError, ParameterError
from regrade.preferences.consistency import consistency
from regrade.preferences.design import Task
from regrade.preferences.tasks import design_from_sets, pseudo_pairs
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.simulation.answers import AnswerParameters, simulate_answers
from regrade.simulation.pool import SimulationParameters

FORCED = Scale.of({"values": [-1, 1]})
WITH_TIES = Scale.of({"values": [-1, 0, 1]})
# nobody errs, nobody spams: what is left is the latent relevance
EXACT = AnswerParameters(
    sigma=(0, 0), wobble=0, discernible=0, threshold_sd=0, slips=0, spammers=0, workers=20,
)  # fmt: skip


def collection(documents=40, relevant=12, topics=("401",)):
    docnos = [f"D{i:02}" for i in range(documents)]
    runs = pd.concat(
        pd.DataFrame(
            {"system": "s", "topic": topic, "rank": range(1, documents + 1), "docno": docnos}
            | {"score": np.arange(documents, 0, -1.0), "line": range(1, documents + 1)}
        ).assign(submitted_rank=lambda f: f["rank"])
        for topic in topics
    )
    names = columns_of("runs")
    ranked = RankedLists.from_table(
        pa.Table.from_pandas(runs[names], schema=SCHEMAS["runs"], preserve_index=False)
    )
    grades = [1.0] * relevant + [0.0] * (documents - relevant)
    labels = pd.concat(
        pd.DataFrame({"topic": topic, "docno": docnos, "grade": grades}) for topic in topics
    )
    table = pa.Table.from_pandas(labels, schema=SCHEMAS["qrels"], preserve_index=False)
    return ranked, table


def task(qrels, pseudo=6, **options):
    design = design_from_sets(qrels, qrels, [1], [0], task=Task(**options), seed=1)
    return {"pairs": design.pairs, "tests": pseudo_pairs(design.topics["topic"], pseudo, 1)}


def simulated(crowd=EXACT, scale=FORCED, judges=3, pseudo=6, topics=("401",), **options):
    ranked, qrels = collection(topics=topics)
    made = simulate_answers(
        ranked,
        qrels,
        task(qrels, pseudo, **({"partitions": 4} | options)),
        "A",
        SimulationParameters(depth=100, leniency=(0, 0), difficulty=(1, 1)),
        crowd,
        judges=judges,
        scale=scale,
    )
    assert made.schema.equals(SCHEMAS["preferences"])
    return made.to_pandas()


def test_each_unit_is_answered_by_as_many_trusted_workers():
    answers = simulated(AnswerParameters(workers=60))
    trusted = answers[answers["trusted"].astype(bool)]
    by_unit = trusted.groupby("unit", observed=True)["worker"].nunique()
    assert len(by_unit) == 20
    assert set(by_unit) == {3}
    per_worker = answers.groupby(["unit", "worker"], observed=True)
    assert set(per_worker.size()) == {13}
    assert set(per_worker["test"].sum()) == {1}
    assert set(answers["partition"]) == {1, 2, 3, 4}
    assert sorted(set(answers["position"])) == list(range(1, 14))
    assert set(answers.loc[answers["test"].astype(bool), "position"]) == {13}
    assert (answers["seconds"] > 0).all()


def test_units_of_failed_tests_are_given_to_others():
    answers = simulated(AnswerParameters(workers=80, slips=0.3, accuracy=0))
    units = answers.groupby(["unit", "worker"], observed=True)["trusted"].agg(["min", "max"])
    assert (units["min"] == units["max"]).all()  # a unit is trusted, or it is not
    assert 0.1 < 1 - units["min"].mean() < 0.9
    trusted = units[units["min"].astype(bool)].groupby("unit", observed=True).size()
    assert trusted.max() == 3


def test_without_test_questions_nobody_knows_whom_to_trust():
    answers = simulated(pseudo=0)
    assert answers["trusted"].isna().all()
    assert answers["test"].isna().all()
    assert len(answers) == 20 * 12 * 3


def test_who_does_not_err_answers_by_one_order():
    answers = simulated()
    asked = answers[~answers["test"].astype(bool)]
    preferred = np.where(asked["strength"] < 0, asked["left"], asked["right"])
    other = np.where(asked["strength"] < 0, asked["right"], asked["left"])
    # no cycle: an order by wins against all disagrees with nobody
    graph = {(a, b) for a, b in zip(preferred, other, strict=True)}
    assert not any((b, a) in graph for a, b in graph)
    ordered = pd.Series(preferred).value_counts()
    assert ordered.index[0].startswith(("D0", "D1"))
    assert answers["trusted"].all()


@pytest.mark.parametrize("crowd", [AnswerParameters(), AnswerParameters(slips=0.3, spammers=0.4)])
def test_the_three_answers_fit_where_the_form_asks_it(crowd):
    answers = simulated(replace(crowd, accuracy=0.0))
    sign = np.sign(answers["right_score"] - answers["left_score"])
    assert (sign == answers["strength"]).all()
    left, right = (answers[f"{side}_relevant"].astype(bool) for side in ("left", "right"))
    assert not ((left & ~right) & (answers["strength"] > 0)).any()
    assert not ((right & ~left) & (answers["strength"] < 0)).any()


def test_without_the_form_answers_contradict_each_other():
    answers = simulated(replace(AnswerParameters(slips=0.2), consistent=False, accuracy=0.0))
    sign = np.sign(answers["right_score"] - answers["left_score"])
    assert (sign != answers["strength"]).any()
    left, right = (answers[f"{side}_relevant"].astype(bool) for side in ("left", "right"))
    assert ((left & ~right) & (answers["strength"] > 0)).any()


def test_numbers_follow_the_opinion_and_what_is_not_relevant_gets_none():
    plain = replace(EXACT, modulus_sd=0, width_sd=0, consistent=False)
    answers = simulated(replace(plain, modulus=1000, whole=1), pseudo=0)
    shown = pd.concat(
        answers[[side, f"{side}_score", f"{side}_relevant"]].set_axis(["d", "s", "r"], axis=1)
        for side in ("left", "right")
    )
    assert (shown.loc[~shown["r"].astype(bool), "s"] == 0).all()
    relevant = shown[shown["r"].astype(bool)]
    assert (relevant.groupby("d", observed=True)["s"].nunique() == 1).all()
    # r is at least the threshold: modulus · width^0.5 at least
    assert relevant["s"].between(1000 * 5**0.5 - 1, 5000).all()


def test_guesses_prefer_the_left_document_as_often_as_told():
    blind = replace(EXACT, discernible=10, left=0.7, accuracy=0.0)
    answers = simulated(blind, pseudo=0, partitions=30)
    n, share = len(answers), (answers["strength"] < 0).mean()
    assert n == 5400
    assert abs(share - 0.7) < 4 * np.sqrt(0.7 * 0.3 / n)
    mirrored = simulated(replace(blind, left=0.3), pseudo=0, partitions=30)
    assert abs((mirrored["strength"] < 0).mean() - 0.3) < 4 * np.sqrt(0.7 * 0.3 / n)


def test_ties_are_guesses_on_scales_that_have_them():
    blind = replace(EXACT, discernible=10, ties=0.25)
    share = (simulated(blind, WITH_TIES, pseudo=0, partitions=30)["strength"] == 0).mean()
    assert abs(share - 0.25) < 4 * np.sqrt(0.25 * 0.75 / 5400)
    tied = simulated(blind, WITH_TIES, pseudo=0)
    tied = tied[tied["strength"] == 0]
    assert (tied["left_score"] == tied["right_score"]).all()
    assert not (simulated(blind, FORCED, pseudo=0)["strength"] == 0).any()


def test_slips_turn_preferences():
    exact = simulated(pseudo=0, partitions=30)
    slipped = simulated(replace(EXACT, slips=0.2), pseudo=0, partitions=30)
    # the same pairs of the same units and workers
    keys = ["unit", "worker", "left", "right"]
    both = exact.astype(dict.fromkeys(keys, str)).merge(
        slipped.astype(dict.fromkeys(keys, str)), on=keys
    )
    turned = (both["strength_x"] != both["strength_y"]).mean()
    assert len(both) == 5400
    assert abs(turned - 0.2) < 4 * np.sqrt(0.2 * 0.8 / 5400)


def test_opinions_vary_as_much_as_told():
    """Two documents of equal latent relevance cannot be had; so a preference of σ = 0 and of a σ
    that drowns relevance: it agrees with half of them."""
    exact = simulated(pseudo=0, partitions=30)
    noisy = simulated(replace(EXACT, sigma=(50, 50), effort=0), pseudo=0, partitions=30)
    keys = ["unit", "worker", "left", "right"]
    both = exact.astype(dict.fromkeys(keys, str)).merge(
        noisy.astype(dict.fromkeys(keys, str)), on=keys
    )
    agreed = (both["strength_x"] == both["strength_y"]).mean()
    assert 0.42 < agreed < 0.58  # opinions stay, so answers are not independent


def intransitive(answers):
    return consistency(answers)["feedback"].mean()


def test_what_changes_between_answers_makes_them_intransitive():
    none = simulated(replace(EXACT, sigma=(0.3, 0.3)), pseudo=0)
    some = simulated(replace(EXACT, sigma=(0.3, 0.3), wobble=0.4), pseudo=0)
    assert intransitive(none) == 0
    assert intransitive(some) > 0.3


def test_times_are_gamma_sums():
    timed = replace(EXACT, practice=0, pace=1e6, effort=0)
    answers = simulated(timed, pseudo=0, partitions=30)
    per_unit = answers.groupby(["unit", "worker"], observed=True)["seconds"].sum()
    mean = 8 * 42.0 + 12 * (11.5 + 14.3 + 5.9)
    # independent gamma variables of shape 2: the variance of each is mean² / 2
    variance = 8 * 42.0**2 / 2 + 12 * (11.5**2 + 14.3**2 + 5.9**2) / 2
    n = len(per_unit)
    assert abs(per_unit.mean() - mean) < 4 * np.sqrt(variance / n)
    assert per_unit.var() == pytest.approx(variance, rel=0.3)
    first = answers[answers["position"] == 1]["seconds"].mean()
    assert first == pytest.approx(2 * 42 + 31.7, rel=0.1)


def test_questions_that_are_not_asked_take_no_time_and_have_no_answer():
    alone = simulated(replace(EXACT, absolute=False, ratio=False), pseudo=0, partitions=30)
    names = ["left_score", "right_score", "left_relevant", "right_relevant"]
    assert alone[names].isna().all(axis=None)
    whole = simulated(pseudo=0, partitions=30)
    fewer = whole["seconds"].mean() - alone["seconds"].mean()
    assert fewer == pytest.approx((14.3 + 5.9) * np.mean(np.arange(1, 13) ** -0.05), rel=0.15)


def test_workers_have_a_pace_and_practice():
    paced = simulated(replace(EXACT, pace=2.0, workers=300), pseudo=0, partitions=30, judges=3)
    of_worker = paced.groupby("worker", observed=True)["seconds"].mean()
    assert of_worker.std() / of_worker.mean() > 0.4  # 1 / √2 and what chance adds or shrinks
    late = simulated(replace(EXACT, practice=1.0), pseudo=0, partitions=30)
    by_place = late.groupby("position")["seconds"].mean()
    assert by_place[12] < by_place[2] / 3


def test_spammers_seldom_pass_and_are_quick():
    crowd = replace(EXACT, spammers=1.0, spammer_left=0.9, whole=1, accuracy=0.0)
    answers = simulated(crowd, pseudo=0, partitions=30)
    assert abs((answers["strength"] < 0).mean() - 0.9) < 4 * np.sqrt(0.09 / 5400)
    scores = answers[["left_score", "right_score"]].to_numpy()
    assert set(np.unique(scores)) <= set(range(1, 12))
    assert answers["seconds"].mean() < 0.3 * simulated(pseudo=0)["seconds"].mean()
    with pytest.raises(MethodError, match="of 20 simulated workers pass the test questions"):
        simulated(replace(crowd, accuracy=0.84))


def test_draws_depend_on_the_topic_and_the_name_alone():
    one = simulated(AnswerParameters())
    two = simulated(AnswerParameters(), topics=("400", "401"))
    same = two[two["topic"] == "401"].reset_index(drop=True)
    text = one.columns[one.dtypes == "category"]
    pd.testing.assert_frame_equal(
        one.astype(dict.fromkeys(text, str)), same.astype(dict.fromkeys(text, str))
    )


def test_latent_relevance_is_that_of_the_collections_judgments_and_padding_has_one():
    ranked, qrels = collection(documents=40)
    outside = pd.DataFrame({"topic": "401", "docno": ["P1"], "grade": [1.0]})
    labels = pa.Table.from_pandas(
        pd.concat([qrels.to_pandas().astype({"topic": str, "docno": str}), outside]),
        schema=SCHEMAS["qrels"],
        preserve_index=False,
    )
    pairs = pd.DataFrame(
        {"topic": "401", "partition": 1, "unit": "u", "position": [1], "left": ["P1"]}
        | {"right": ["D39"]}
    )
    tests = pseudo_pairs([], 0)
    answers = simulate_answers(
        ranked, labels, {"pairs": pairs, "tests": tests}, "A", SimulationParameters(depth=100),
        EXACT, judges=2, scale=FORCED,
    )  # fmt: skip
    assert answers["strength"].to_pylist() == [-1.0, -1.0]  # relevant, against one that is not


def test_what_cannot_be_simulated():
    with pytest.raises(ParameterError, match="simulated preferences are −1, 0 or 1"):
        simulated(scale=Scale.of({"values": [-2, -1, 0, 1, 2]}))
    ranked, qrels = collection()
    asked = task(qrels)
    asked["pairs"]["topic"] = "409"
    with pytest.raises(MethodError, match="topic 409 has no simulated pool"):
        simulate_answers(
            ranked, qrels, asked, "A", SimulationParameters(), EXACT, judges=3, scale=FORCED
        )
    with pytest.raises(ParameterError, match="unknown key 'wobbel'"):
        AnswerParameters.from_dict({"wobbel": 1})
