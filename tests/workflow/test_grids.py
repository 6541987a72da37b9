"""Grids run whole: their tables joined, and no job again for another value at the end of a list."""

import pandas as pd
import pytest

from regrade.tables import read_table
from tests.workflow.conftest import TINY, configured, planned

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

CUTS = "results/tiny/grids/transformations"
LEFT_OUT = "results/tiny/grids/leave_one_out"


def collection(metrics: list[str]) -> dict:
    """Two simulated crowds, cut in several ways, and runs left out of two pools."""
    return {
        "runs": TINY["runs"],
        "simulation": TINY["simulation"],
        "measures": ["AP"],
        "qrels": {"TR2": {"levels": 2}},
        "judgments": {
            "S11": {"grid": {"simulate.seed": [1, 2]}, "simulate": {"workers": 60}, "levels": 11}
        },
        "transformations": [
            {"source": "S11-seed-2", "levels": 2, "methods": ["tw1"], "experts": ["TR2"]},
            {
                "grid": {
                    "source": {"grid": "judgments/S11"},
                    "levels": [2, 3],
                    "metric": metrics,
                },
                "except": [{"levels": 2, "metric": "ordinal"}],
                "methods": ["tw1"],
                "experts": ["TR2"],
            },
        ],
        "pools": {"qrels": "TR2", "contributors": "all", "depths": [2, 5], "baseline": 5},
        "leave_one_out": {"grid": {"by": ["run"], "pooling": ["Depth@5", "RRF@8"]}},
    }


@pytest.fixture(scope="module")
def directory(house, tmp_path_factory):
    """Where both grids were run whole."""
    asked = collection(["nominal", "ordinal"])
    directory = configured(tmp_path_factory.mktemp("grids"), "tiny", asked)
    ran = house.snakemake(directory).well()
    assert (
        "grid tiny/transformations: 6 items (source × levels × metric, 2 left out)\n"
        "grid tiny/leave_one_out: 2 items (by × pooling)\n"
    ) in ran.printed
    assert "grid tiny/judgments/S11: 2 items (simulate.seed)" in ran.printed
    return directory


def items() -> dict[str, list]:
    """What each transformation of the grid has of its parameters, and of the sets'."""
    return {
        f"S11-seed-{seed}-levels-{levels}-{metric}": [f"S11-seed-{seed}", levels, metric, seed]
        for seed in (1, 2)
        for levels, metric in ((2, "nominal"), (3, "nominal"), (3, "ordinal"))
    }


def test_the_joined_table_is_all_single_tables_with_parameters(directory):
    for table in ("best_cuts", "recommended", "tau_topics"):
        joined = read_table(directory / CUTS / f"{table}.parquet").to_pandas()
        singles = []
        for item, values in items().items():
            path = directory / f"results/tiny/cuts/{item}/{table}.parquet"
            single = read_table(path, f"cuts/{table}").to_pandas()
            for place, (name, value) in enumerate(
                zip(("item", "source", "levels", "metric", "simulate_seed"), [item, *values],
                    strict=True)
            ):  # fmt: skip
                single.insert(place, name, value)
            singles.append(single.astype(object))
        wanted = pd.concat(singles, ignore_index=True)
        pd.testing.assert_frame_equal(joined.astype(object), wanted)
        assert joined["levels"].dtype == joined["simulate_seed"].dtype == "int64"
        csv = pd.read_csv(directory / CUTS / f"{table}.csv")
        assert len(csv) == len(joined)
        assert [*csv.columns] == [*joined.columns]


def test_a_table_of_another_stage_is_joined_too(directory):
    joined = pd.read_csv(directory / LEFT_OUT / "summary.csv")
    assert set(joined["item"]) == {"run-Depth-5", "run-RRF-8"}
    # what the table says itself
    assert (joined["grid_pooling"] == joined["pooling"]).all()


def test_crowds_of_two_seeds_judge_the_same_documents_otherwise(directory):
    first, second = (
        read_table(directory / f"results/tiny/tables/judgments/S11-seed-{seed}.parquet").to_pandas()
        for seed in (1, 2)
    )
    assert set(first["docno"]) == set(second["docno"])
    assert first["value"].tolist() != second["value"].tolist()


def test_a_value_more_makes_only_its_own_jobs(house, directory):
    assert planned(house, directory, "all", "grids").keys() <= {
        "describe_cuts", "pool_cuts", "join_grid", "grids",
    }  # fmt: skip
    configured(directory, "tiny", collection(["nominal", "ordinal", "interval"]))
    jobs = planned(house, directory, "cuts")
    configured(directory, "tiny", collection(["nominal", "ordinal"]))
    assert jobs == {"search_cuts": 4, "rank_cuts": 4, "cuts": 1}
