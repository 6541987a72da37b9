"""Sets of labels side by side: the tables of the stage, from small collections."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import ttest_rel

from regrade.agreement import alpha
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import MethodError
from regrade.power.label_sets import (
    GradedSet,
    PowerInputs,
    Systems,
    agreement_table,
    all_lists,
    discrimination_of,
    discrimination_table,
    extension_table,
    grade_table,
    order_table,
    served_table,
    topic_table,
)
from regrade.power.levels import cut_sets, level_systems
from regrade.power.preferences import PreferenceTests
from regrade.power.topics import PowerOptions
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score
from regrade.tables import write_table

TOPICS, DOCUMENTS = ("a", "b", "c"), 8
HOW = PowerOptions(seed=3)


def true_relevance(seed=0):
    rng = np.random.default_rng(seed)
    return {(t, f"d{d}"): rng.random() for t in TOPICS for d in range(DOCUMENTS)}


TRUE = true_relevance()


def labels(name, levels, noise=0.0, seed=1):
    rng = np.random.default_rng(seed)
    rows = [
        (
            t,
            d,
            float(np.clip(np.floor((r + noise * rng.standard_normal()) * levels), 0, levels - 1)),
        )
        for (t, d), r in TRUE.items()
    ]
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    table = pa.table(columns, names=["topic", "docno", "grade"]).cast(SCHEMAS["qrels"])
    return GradedSet(name, table, 0, levels - 1)


def preferences():
    rows = [
        (t, f"d{i}", f"d{j}", -1.0 if TRUE[t, f"d{i}"] > TRUE[t, f"d{j}"] else 1.0)
        for t in TOPICS
        for i in range(DOCUMENTS)
        for j in range(i)
    ]
    frame = pd.DataFrame(rows, columns=["topic", "left", "right", "strength"])
    return {"people": PreferenceTests.from_table(frame)}


def runs(systems=6):
    rows = []
    for s in range(systems):
        rng = np.random.default_rng(s)
        for t in TOPICS:
            scored = {f"d{d}": TRUE[t, f"d{d}"] + s / 4 * rng.random() for d in range(DOCUMENTS)}
            ranking = sorted(scored, key=scored.get, reverse=True)
            rows += [(f"s{s}", t, n, d, scored[d], n, n) for n, d in enumerate(ranking, 1)]
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    schema = SCHEMAS["runs"]
    table = pa.table(columns, names=schema.names)
    return RankedLists.from_table(table.cast(schema))


SETS = [labels("fine", 6), labels("coarse", 2), labels("noisy", 6, noise=3.0)]


@pytest.fixture
def everything():
    ranked = runs()
    lists = all_lists(SETS, ranked, [3])
    systems = Systems(ranked, ["nDCG@10"])
    inputs = PowerInputs(SETS, preferences(), lists, HOW, systems)
    topics = topic_table(inputs)
    told = discrimination_table(SETS, systems)
    return {
        "topics": topics,
        "grades": grade_table(inputs),
        "served": served_table(inputs),
        "sets": agreement_table(SETS),
        "discrimination": told,
        "orders": order_table(topics, told),
        "extended": extension_table(replace(inputs, sets=SETS[:1]), [1.0, math.inf], slices=2),
    }


def test_tables_have_their_schemas(everything, tmp_path):
    for name, table in everything.items():
        write_table(table, tmp_path / name, f"power/{name}")
    # nothing to extend is a table too
    empty = extension_table(PowerInputs([], preferences(), [], HOW), [1.0])
    write_table(empty, tmp_path / "empty", "power/extended")


def test_what_tells_more_apart_has_less_entropy(everything):
    topics = everything["topics"]
    of_all = (
        topics[topics["topic"] == ALL_TOPICS]
        .set_index(["list", "mode", "set"])["entropy"]
        .sort_index()
    )
    for mode in HOW.modes:
        some = of_all["judged", mode]
        assert some["fine"] < some["coarse"] < some["noisy"]
        assert of_all["top 3", mode].max() < math.log(6)
    # one judge: both modes are the same
    modes = [of_all["judged", mode].to_numpy() for mode in HOW.modes]
    assert modes[0] == pytest.approx(modes[1])


def test_tests_are_counted(everything):
    assert everything["served"]["served"].tolist() == [3 * 28] * 3
    assert everything["served"]["tied"].tolist() == [0] * 3
    grades = everything["grades"]
    both = grades.merge(
        grades,
        left_on=["set", "mode", "first", "second"],
        right_on=["set", "mode", "second", "first"],
    )
    assert (both["probability_x"] + both["probability_y"]).to_numpy() == pytest.approx(1)


def test_agreement_of_one_judge_is_undefined(everything):
    found = everything["sets"].set_index(["set", "quantity"])["value"]
    assert found["fine", "documents"] == 24
    assert found["fine", "assessors"] == 1
    assert np.isnan([found["fine", name] for name in ("alpha", "fleiss", "weighted", "phi")]).all()


def test_agreement_of_judges():
    rng = np.random.default_rng(5)
    rows = [
        (t, d, f"w{w}", float(np.clip(round(3 * r + 0.5 * rng.standard_normal()), 0, 3)))
        for (t, d), r in TRUE.items()
        for w in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])
    one = GradedSet("crowd", pa.Table.from_pandas(frame), 0, 3)
    found = agreement_table([one]).set_index("quantity")["value"]
    given = frame.pivot(index="worker", columns=["topic", "docno"], values="value").to_numpy()
    assert found["alpha"] == pytest.approx(alpha(given))
    assert found["values"] == 72
    assert 0 < found["fleiss"] < found["weighted"] < 1
    assert 0 < found["phi"] < 1


def test_pairs_of_systems_are_those_of_the_paired_test(everything):
    ranked, found = runs(), everything["discrimination"].set_index("set")
    judged = Judged.from_table(SETS[0].table, ranked)
    values = score(ranked, judged, ["nDCG@10"], max_grade=5).values[:, :, 0]
    pairs = [(i, j) for i in range(6) for j in range(i)]
    p = [ttest_rel(values[i], values[j]).pvalue for i, j in pairs if (values[i] != values[j]).any()]
    assert found.at["fine", "pairs"] == 15
    assert found.at["fine", "significant"] == int((np.array(p) < 0.05).sum())
    assert found["topics"].tolist() == [3] * 3
    assert found["test"].tolist() == ["t"] * 3


def test_several_tests_stand_beside_each_other():
    systems = Systems(runs(), ["nDCG@10"], tests=["t", "bootstrap"], permutations=200)
    found = discrimination_table(SETS, systems)
    assert found.groupby("set", sort=False)["test"].agg(list).tolist() == [["t", "bootstrap"]] * 3
    lists = all_lists(SETS, None, [])
    orders = order_table(topic_table(PowerInputs(SETS, preferences(), lists, HOW)), found)
    assert orders["test"].tolist() == ["t", "bootstrap"] * 2


def test_orders_of_sets(everything):
    orders = everything["orders"]
    assert orders["sets"].tolist() == [3] * 4
    assert orders["tau"].dropna().abs().max() <= 1


def test_doubled_grades_keep_power_and_drawn_ones_lose_it(everything):
    """chu2021 §5.2.3: power under w = ∞ is that of the grades as they are."""
    some = everything["extended"]
    some = some[(some["metric"] == "PDP individual") & (some["list"] == "judged")]
    uncut = some.loc[some["certainty"].isna(), "value"].item()
    sure = some.loc[np.isinf(some["certainty"]), "value"].item()
    assert sure == pytest.approx(uncut, abs=1e-12)
    assert (some.loc[some["certainty"] == 1, "value"] > uncut).all()
    assert (some["certainty"] == 1).sum() == 2


def test_grades_that_are_no_levels_cannot_be_extended():
    table = SETS[0].table.set_column(2, "grade", pa.array(np.full(24, 0.5)))
    half = GradedSet("half", table, 0, 5)
    with pytest.raises(MethodError, match="0, 1, 2"):
        extension_table(PowerInputs([half], preferences(), all_lists([half], None), HOW), [1.0])


def test_labels_off_the_scale_and_sets_without_any_are_refused():
    with pytest.raises(MethodError, match="not on the scale from 0 to 4"):
        GradedSet("fine", SETS[0].table, 0, 4)
    with pytest.raises(MethodError, match="which is not on the scale from 1 to 5"):
        GradedSet("fine", SETS[0].table, 1, 5)
    with pytest.raises(MethodError, match="none: no label"):
        GradedSet("none", SETS[0].table.slice(0, 0), 0, 5)
    rounded = SETS[0].table.set_column(2, "grade", pa.array(np.full(24, 0.1 + 0.2)))
    assert GradedSet("rounded", rounded, 0, 0.3).ends() == (0, 0.3)


def test_sets_that_share_no_document_are_refused():
    other = SETS[0].table.set_column(1, "docno", pa.array([f"x{n}" for n in range(24)]))
    with pytest.raises(MethodError, match="no document was graded in every set"):
        all_lists([SETS[0], GradedSet("other", other, 0, 5)], None, [])


@pytest.mark.parametrize("lacking", ["topic", "system"])
def test_without_two_topics_and_two_systems_none_are_told_apart(lacking, caplog):
    one = labels("fine", 6)
    if lacking == "topic":
        rows = pd.Series(one.table["topic"].to_pylist()) == "a"
        one = GradedSet("alone", one.table.filter(pa.array(rows)), 0, 5)
    systems = Systems(runs(6 if lacking == "topic" else 1), ["nDCG@10"])
    told = discrimination_table([one], systems)
    assert not len(told) and list(told) == columns_of("power/discrimination")
    assert "two systems, and two topics" in caplog.text
    lists = all_lists([one], systems.ranked)
    topics = topic_table(PowerInputs([one], preferences(), lists, HOW))
    assert not len(order_table(topics, told))
    (cut,) = cut_sets([one], [2], pd.DataFrame(columns=columns_of("power/searched")))[-1:]
    assert not len(level_systems([cut], systems))


def test_systems_are_told_apart_on_two_topics_that_some_system_ranks():
    given, systems = labels("four", 4), Systems(runs(), measures=["nDCG@3"], tests=["t"])
    _, two = discrimination_of(given, systems, ["a", "b"])
    assert two["topics"].tolist() == [2]
    for topics in (["a"], ["x", "y"], []):
        scores, told = discrimination_of(given, systems, topics)
        assert scores is None and not len(told)


def test_without_ends_a_scale_is_what_was_given():
    table = labels("four", 4).table
    grades = table["grade"].to_numpy()
    assert GradedSet("as given", table).ends() == (grades.min(), grades.max())
    assert grades.min() < grades.max()
