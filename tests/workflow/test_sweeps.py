"""A sweep of a small collection: parts, one level more, what is left of it."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import regrade
from regrade.tables import read_table
from tests.workflow.conftest import configured, made, planned

pytestmark = pytest.mark.workflow

SMALL = {
    "runs": {
        "simulate": {"topics": 4, "systems": 5, "depth": 20, "documents": 60, "pool_depth": 10}
    },
    "qrels": {"TR2": {"levels": 2}, "So4": {"simulate": {}, "levels": 4}},
    "judgments": {"S11": {"simulate": {"workers": 40}, "levels": 11}},
    "simulation": {"seed": 5, "workers_per_document": 3},
    "measures": ["AP"],
    "transformations": [
        {"source": "S11", "levels": 2, "references": ["TR2"], "methods": ["d2_at"]}
    ],
}
AXES = {
    "labels": ["TR2", "So4", {"cuts": "S11-to-2", "which": ["best", "every"]},
               {"judgments": "S11", "aggregate": ["mean"], "cuts": ["rounded"]}],
    "pool": ["all", "depth-5"],
    "ties": ["rank"],
    "measure": ["AP", "nDCG@10"],
}  # fmt: skip
SWEPT = {"sweep_levels": 1, "sweep_part": 3, "join_sweep": 1}
FOLDER = "small/sweeps/choices"


def small(directory, parts=3, **axes):
    asked = {"baseline": {"labels": "TR2"}, "axes": AXES | axes, "parts": parts}
    return configured(directory, "small", {**SMALL, "sweeps": {"choices": asked}})


@pytest.fixture(scope="module")
def whole(house, tmp_path_factory):
    """All levels at once."""
    directory = small(tmp_path_factory.mktemp("whole"), ties=["rank", "docno"])
    house.snakemake(directory, "swept").well()
    return directory


def of_sweep(directory) -> dict[str, bytes]:
    return {path: own for path, own in made(directory).items() if path.startswith(FOLDER)}


def test_a_sweep_is_made_and_left_alone(house, whole):
    files = of_sweep(whole)
    names = {path.rpartition("/")[2] for path in files if path.count("/") == 3}
    assert names == {f"{name}.parquet" for name in (
        "levels", "cuts", "left_out", "factorials", "universes", "manifest", "systems", "pairs",
        "axes", "curve", "curve_choices", "examples", "facts", "answer")}  # fmt: skip
    universes = read_table(whole / "results" / FOLDER / "universes.parquet", "sweeps/universes")
    assert len(universes) == (2 + 1 + 10 + 1) * 2 * 2 * 2
    assert len(set(universes["universe"].to_pylist())) == len(universes)
    assert not any("/parts/" in path for path in files)
    assert planned(house, whole, "swept") == {}


@pytest.mark.slow
def test_parts_change_no_byte(house, whole, tmp_path):
    one = small(tmp_path / "one", parts=1, ties=["rank", "docno"])
    house.snakemake(one, "swept", "--cores", "1").well()
    assert of_sweep(one) == of_sweep(whole)


@pytest.mark.slow
def test_one_level_more_makes_only_what_is_new(house, whole, tmp_path):
    grown = small(tmp_path / "grown")
    house.snakemake(grown, "swept").well()
    before = {path: own for path, own in of_sweep(grown).items() if "/means/" in path}
    scored = {path: pq.read_metadata(grown / "results" / path).num_row_groups for path in before}
    small(grown, ties=["rank", "docno"])
    assert planned(house, grown, "swept") == {**SWEPT, "swept": 1}
    ran = house.snakemake(grown, "swept").well()
    assert "labels from 0 on: scored 4 of 8 conditions" in ran.printed
    assert set(scored.values()) == {2}
    assert of_sweep(grown) == of_sweep(whole)
    # one level less: what is no longer asked for is gone
    small(grown)
    house.snakemake(grown, "swept").well()
    assert {path: own for path, own in of_sweep(grown).items() if "/means/" in path} == before


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"labels": ["TR2", "So5"]}, "there is no set 'So5'"),
        ({"ties": ["docno"]}, "'rank' is not a level of the axis 'ties'"),
        ({"measure": ["AP@"]}, "AP@"),
        ({"pool": ["all", {"without": "group"}]}, "name their file under `groups`"),
        ({"labels": ["So4"]}, "'TR2' is not a level of the axis 'labels'"),
    ],
)
def test_what_is_no_sweep_is_refused_before_anything_is_made(house, tmp_path, asked, problem):
    baseline = {"labels": "TR2", "ties": "rank"}
    sweeps = {"choices": {"baseline": baseline, "axes": AXES | asked}}
    directory = configured(tmp_path, "small", {**SMALL, "sweeps": sweeps})
    ran = house.snakemake(directory, "--dry-run", "swept")
    assert ran.status == 1
    assert problem in ran.printed


def test_scores_by_item_are_swept_without_runs(house, tmp_path):
    rng = np.random.default_rng(1)
    for judge in ("human", "gpt"):
        rows = [
            f"s{s},i{t:02},{measure},{'ab'[t % 2]},{s / 4 + rng.normal():.3f}"
            for s in range(4) for t in range(12) for measure in ("accuracy", "f1")
        ]  # fmt: skip
        text = "\n".join(["system,item,measure,dataset,value", *rows])
        (tmp_path / f"{judge}.csv").write_text(text + "\n", encoding="utf-8")
    axes = {
        "scores": ["human", "gpt"], "measure": ["accuracy", "f1"],
        "average": ["datasets", "items"], "items": ["all", {"without": "dataset"}],
        "test": ["t/holm", "t/none"],
    }  # fmt: skip
    scores = {name: {"file": f"{tmp_path}/{name}.csv"} for name in ("human", "gpt")}
    asked = {"baseline": {"scores": "human", "measure": "accuracy"}, "axes": axes}
    studies = {"sweeps": {"figure-curve": {}, "table-levels": {}}}
    own = {"scores": scores, "sweeps": {"board": asked}, "studies": studies}
    directory = configured(tmp_path / "own", "board", own)
    house.snakemake(directory).well()
    folder = directory / "results" / "board"
    stored = read_table(folder / "sweeps/board/universes.parquet", "sweeps/universes").to_pandas()
    sets = {name: one["file"] for name, one in scores.items()}
    swept = regrade.sweep(axes, asked["baseline"], sets=sets)
    pd.testing.assert_frame_equal(
        stored.astype(dict.fromkeys(stored.select_dtypes("category"), "str")),
        swept.universes.astype(dict.fromkeys(stored.select_dtypes("category"), "str")),
    )
    said = read_table(folder / "sweeps/board/answer.parquet", "sweeps/answer").to_pandas()
    assert said["said"].astype(str).tolist() == swept.to_frame("answer")["said"].tolist()
    figure = (folder / "figures" / "sweeps" / "figure-curve.svg").read_text(encoding="utf-8")
    assert "12 items" in figure and "topics" not in figure
    assert json.loads((folder / "sweeps/board/explorer.json").read_text())["unit"] == "item"
