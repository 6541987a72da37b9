"""Files to try the commands on: the judgments that come with the project, and simulated runs."""

from __future__ import annotations

import gzip
from itertools import combinations
from pathlib import Path

import pandas as pd

from regrade.errors import ParameterError
from regrade.readers.labels import read_qrels
from regrade.simulation.collection import RunParameters, simulate_runs, write_runs

MODEL = "willia-umbrela1"
"""The model whose grades are a set of labels of their own."""

RUNS = RunParameters(seed=7, systems=12, depth=50, documents=200)


def write_examples(shipped: Path, folder: Path) -> None:
    """Write what the pages of the questions use, the same bytes each time."""
    if folder.exists() and any(folder.iterdir()):
        raise ParameterError(f"{folder} is not empty: name a new folder")
    (folder / "runs").mkdir(parents=True)
    with gzip.open(shipped / "llmjudge-human.qrels.gz") as people:
        (folder / "qrels.txt").write_bytes(people.read())
    runs = simulate_runs([read_qrels(folder / "qrels.txt")], RUNS)
    write_runs(runs, folder / "runs")

    models = _read(shipped / "llmjudge.tsv.gz")
    _write(models, folder / "models.tsv")
    _write_qrels(models[models["worker"] == MODEL], folder / "model.qrels")

    crowd = _read(shipped / "uc3m2011.tsv.gz")
    sliders = crowd[crowd["run"] != "1"].assign(unit=crowd["run"] + "-" + crowd["unit"])
    sliders = sliders[["topic", "docno", "worker", "unit", "value"]]
    _write_qrels(crowd[crowd["run"] == "1"], folder / "grades.qrels")
    _write(sliders, folder / "sliders.tsv")
    _write(_pairs(sliders), folder / "pairs.tsv")


def _pairs(sliders: pd.DataFrame) -> pd.DataFrame:
    """Which of two pages of a unit its worker put higher; a tie where neither."""
    rows = []
    for (topic, unit, worker), own in sliders.groupby(["topic", "unit", "worker"], sort=True):
        seen = zip(own["docno"], own["value"].astype(int), strict=True)
        for (left, first), (right, second) in combinations(seen, 2):
            preferred = "left" if first > second else "right" if first < second else "tie"
            rows.append((topic, left, right, preferred, worker, unit))
    return pd.DataFrame(rows, columns=["topic", "left", "right", "preferred", "worker", "unit"])


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, sep="\t", dtype=str)


def _write(rows: pd.DataFrame, path: Path) -> None:
    rows.to_csv(path, sep="\t", index=False, lineterminator="\n")


def _write_qrels(rows: pd.DataFrame, path: Path) -> None:
    columns = rows.assign(zero="0")[["topic", "zero", "docno", "value"]]
    columns.to_csv(path, sep=" ", header=False, index=False, lineterminator="\n")
