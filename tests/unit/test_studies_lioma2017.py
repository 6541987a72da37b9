"""Every item of lioma2017, from what the library makes of a few lists and systems."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.criteria.conventions import (
    NAMES,
    conventions,
    divergent_results,
    list_correlations,
    list_scores,
    list_weights,
    tie_ranges,
)
from regrade.criteria.desiderata import desiderata
from regrade.criteria.systems import coverage, ranking_table, score_sets, system_table, weight_table
from regrade.run_arrays import Judged, RankedLists
from regrade.show.published import read_published
from regrade.studies.lioma2017 import tables
from regrade.studies.lioma2017.items import LIOMA2017
from regrade.tables import read_table, write_table
from tests.snapshots import assert_said
from tests.unit.figure_checks import described, table_lines
from tests.unit.items_made import shown
from tests.unit.trec import qrels_table, random_collection, runs_table

PUBLISHED = Path(__file__).parents[2] / "data" / "published"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Each table as a job writes and an item reads it."""
    rng = np.random.default_rng(4)
    keys = pd.MultiIndex.from_product(
        [["2", "3"], ["1", "10"], range(1, 6), ["relevance", "credibility"]],
        names=["topic", "assessor", "rank", "criterion"],
    )
    lists = pd.DataFrame(index=keys).reset_index()
    lists["docno"] = "16" + (lists["rank"] + 4).astype(str)
    lists["grade"] = rng.integers(1, 5, len(lists)).astype(float)
    third = (lists["topic"] == "2") & (lists["rank"] == 3)
    lists.loc[third, "grade"] = np.where(lists.loc[third, "criterion"] == "relevance", 4.0, 1.0)
    scores = list_scores(lists, 3, 1)
    runs, first = random_collection(3, systems=6, topics=4)
    _, second = random_collection(8, systems=6, topics=4)
    ranked = RankedLists.from_table(runs_table(runs))
    qrels = {"A": qrels_table(first), "B": qrels_table(second)}
    sets = {name: Judged.from_table(table, ranked) for name, table in qrels.items()}
    of_systems = score_sets(ranked, sets, {"A": 2.0, "B": 2.0}, "nDCG@5", 2)
    systems = system_table(of_systems)
    found = {
        "rated-lists/lists": lists,
        "rated-lists/scores": scores,
        "rated-lists/conventions": conventions(lists, [3, 4], 1),
        "rated-lists/correlations": list_correlations(scores),
        "rated-lists/examples": divergent_results(lists, scores, 1, 4),
        "rated-lists/ties": tie_ranges(lists),
        "rated-lists/weights": list_weights(lists, 2),
        "rated-lists/desiderata": desiderata(),
        "criteria/desiderata": desiderata(),
        "criteria/coverage": coverage(qrels["A"], {"B": qrels["B"]}),
        "criteria/systems": systems,
        "criteria/rankings": ranking_table(systems, "A", 4),
        "criteria/weights": weight_table(of_systems, ["A", "B"]),
    }
    assert {*found} == {key for key in SCHEMAS if key.split("/")[0] in ("criteria", "rated-lists")}
    path = tmp_path_factory.mktemp("tables") / "table.parquet"
    for key, table in found.items():
        write_table(table[columns_of(key)], path, key, {})
        found[key] = read_table(path, key).to_pandas()
    return found


def published(name):
    return read_published(PUBLISHED / f"lioma2017-{name}.csv", True)


def test_table_3_has_the_nearest_convention(made):
    tidy, readable = tables.table_3(made["rated-lists/conventions"], published=published("table-3"))
    assert tidy["measure"].tolist() == list(NAMES)
    assert tidy["published"].notna().all()
    assert (tidy["distance"] <= (tidy["ours"] - tidy["published"]).abs() + 1e-12).all()
    nearest = (tidy["nearest"] - tidy["published"]).abs()
    np.testing.assert_allclose(tidy["distance"], nearest)
    assert readable["mean"].str.endswith(")").all()
    tidy, readable = tables.table_3(made["rated-lists/conventions"])
    assert tidy[["published", "nearest", "distance"]].isna().all(axis=None)
    assert set(readable["convention"]) == {""}


def test_what_is_shown(made):
    def say(name):
        item = LIOMA2017.by_name[name]
        beside = {}
        if (PUBLISHED / f"lioma2017-{name}.csv").exists():
            beside["published"] = published(name)
        found = shown(
            item, {key.rpartition("/")[2]: table for key, table in made.items()}, **beside
        )
        return table_lines(found[1]) if item.is_table else described(found)

    assert_said("shown-lioma2017", say, ((item.name,) for item in LIOMA2017.items))


def test_what_the_paper_printed_of_aggregates_is_of_its_own_means():
    printed = published("table-3").set_index("measure")["published"]
    for first in ("NDCG", "AP"):
        for second in ("F-1", "G"):
            a, b = printed[first], printed[second]
            assert printed[f"CAM({first},{second})"] == pytest.approx((a + b) / 2, abs=4e-4)
            harmonic = 2 * a * b / (a + b)
            is_so = printed[f"WHAM({first},{second})"] == pytest.approx(harmonic, abs=1e-4)
            assert is_so == ((first, second) != ("AP", "F-1"))


def test_table_4_has_the_nearest_list(made):
    tidy, readable = tables.table_4(made["rated-lists/examples"], published=published("table-4"))
    assert set(tidy["docno"]) == {"167"}
    assert tidy["published"].notna().all()
    assert tidy["assessor"].nunique() == 1
    assert len(readable) == 1
    tidy, readable = tables.table_4(made["rated-lists/examples"])
    assert len(tidy) == len(made["rated-lists/examples"])


def test_desiderata_are_the_same_without_systems(made):
    found = tables.table_list_desiderata(made["rated-lists/desiderata"])
    for one, other in zip(found, tables.table_desiderata(made["criteria/desiderata"]), strict=True):
        pd.testing.assert_frame_equal(one, other)
