"""Systems under several criteria, on a collection small enough to work out."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, spearmanr

from regrade.criteria.systems import (
    coverage,
    criteria_measures,
    ranking_table,
    score_sets,
    system_table,
    weight_table,
)
from regrade.errors import ParameterError
from regrade.measures import parse
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score
from tests.unit.trec import qrels_table, random_collection, runs_table

RUNS, FIRST = random_collection(3, systems=6, topics=4)
_, SECOND = random_collection(8, systems=6, topics=4, levels=4)
SCALES = {"A": 2.0, "B": 3.0}
MEASURE = "nDCG@5"


@pytest.fixture(scope="module")
def made():
    ranked = RankedLists.from_table(runs_table(RUNS))
    sets = {
        name: Judged.from_table(qrels_table(q), ranked) for name, q in (("A", FIRST), ("B", SECOND))
    }
    return ranked, sets, score_sets(ranked, sets, SCALES, MEASURE, 10)


def test_measures_are_those_of_the_registry():
    names = criteria_measures(["B", "c.2"], "nDCG@5", 0.25)
    assert list(names) == ["NLRE", "NGRE", "NWCS", "CAM", "WHAM"]
    parsed = parse(names["NLRE"])
    assert parsed.sets == ("B", "c.2")
    assert [parsed[key] for key in ("mu", "nu", "ties", "cutoff")] == [0.25, 0.75, "stable", 10]
    assert parse(names["CAM"])["share"] == 0.25


def test_scores_are_those_of_scoring(made):
    ranked, sets, scores = made
    name = criteria_measures(["B"], MEASURE, 0.3)["NGRE"]
    found = score(ranked, sets["A"], [name], max_grade=2, others={"B": sets["B"]})
    own = scores[(scores["measure"] == "NGRE") & (scores["weight"] == 0.3)]
    own = own.pivot(index="system", columns="topic", values="value")
    np.testing.assert_array_equal(own, found.values[:, :, 0])
    alone = scores[scores["set"] == "B"].pivot(index="system", columns="topic", values="value")
    found = score(ranked, sets["B"].with_topics(sets["A"].topics), ["nDCG@5"], max_grade=3)
    np.testing.assert_array_equal(alone, found.values[:, :, 0])


def test_rankings(made):
    _, _, scores = made
    systems = system_table(scores)
    rankings = ranking_table(systems, "A", 4).set_index(["measure", "set"])
    assert list(rankings.index) == [
        ("nDCG@5", "A"), ("nDCG@5", "B"), ("NLRE", ""), ("NGRE", ""), ("NWCS", ""), ("CAM", ""),
        ("WHAM", ""),
    ]  # fmt: skip
    one = systems[systems["set"] == "A"].set_index("system")
    many = systems[systems["measure"] == "NLRE"].set_index("system")
    row = rankings.loc["NLRE", ""]
    assert row["tau"] == pytest.approx(kendalltau(one["value"], many["value"]).statistic)
    assert row["rho"] == pytest.approx(spearmanr(one["value"], many["value"]).statistic)
    moved = (one["place"] - many["place"]).abs()
    assert (row["moved"], row["farthest"]) == ((moved > 0).sum(), moved.max())
    assert row["best"] == many["value"].idxmax()
    itself = rankings.loc["nDCG@5", "A"]
    assert (itself["tau"], itself["moved"], itself["top_shared"]) == (1, 0, 6)


def test_systems_of_one_score_share_their_place_and_the_first_name_is_the_best():
    values = {"A": [0.5, 0.5 + 1e-15, 0.1], "B": [0.2, 0.2, 0.2]}
    scores = pd.DataFrame(values, index=pd.Index(list("zyx"), name="system"))
    scores = scores.melt(var_name="set", ignore_index=False).reset_index()
    systems = system_table(scores.assign(topic="1", measure="P", weight=np.nan))
    places = systems.set_index(["set", "system"])["place"]
    assert places["A"].to_dict() == {"z": 1, "y": 1, "x": 3}
    assert places["B"].to_dict() == {"z": 1, "y": 1, "x": 1}
    rankings = ranking_table(systems, "A", 1).set_index("set")
    assert rankings["best"].to_dict() == {"A": "y", "B": "x"}
    assert np.isnan(rankings.loc["B", "rho"])


def test_weights(made):
    _, _, scores = made
    table = weight_table(scores, ["A", "B"]).set_index(["measure", "weight"])
    assert table.loc[("CAM", 1.0), "tau_first"] == 1
    assert table.loc[("CAM", 0.0), "tau_second"] == 1
    own = scores[(scores["measure"] == "NWCS") & (scores["weight"] == 0.3)]
    assert table.loc[("NWCS", 0.3), "value"] == pytest.approx(own["value"].mean())


def test_one_system():
    ranked = RankedLists.from_table(runs_table({"s0": RUNS["s0"]}))
    sets = {n: Judged.from_table(qrels_table(q), ranked) for n, q in (("A", FIRST), ("B", SECOND))}
    scores = score_sets(ranked, sets, SCALES, MEASURE, 1)
    rankings = ranking_table(system_table(scores), "A", 1)
    assert rankings[["tau", "rho"]].isna().all(axis=None)
    assert (rankings["moved"] == 0).all()


def test_no_topic_is_judged():
    ranked = RankedLists.from_table(runs_table(RUNS))
    none = Judged.from_table(qrels_table({"t9": {"x": 1}}), ranked)
    with pytest.raises(ParameterError, match="no topic of the runs has a label of A"):
        score_sets(ranked, {"A": none, "B": none}, SCALES, MEASURE, 1)


def test_coverage_counts_what_differs():
    first = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    second = {"1": {"b": 1, "c": 2, "d": 0}, "3": {"a": 0}}
    table = coverage(qrels_table(first), {"S": qrels_table(second)})
    assert table[["topic", "both", "only_first", "only_other"]].to_numpy().tolist() == [
        ["1", 1, 1, 2],
        ["2", 0, 1, 0],
        ["3", 0, 0, 1],
        ["*", 1, 2, 3],
    ]
    assert set(table["other"]) == {"S"}


def test_the_same_documents_are_all_in_both():
    table = coverage(qrels_table(FIRST), {"S": qrels_table(FIRST)})
    assert (table[["only_first", "only_other"]] == 0).all(axis=None)
