"""A sweep of real runs by the workflow, beside a loop over pytrec_eval and scipy.

``python -m benchmarks.sweep --data FOLDER dl21-sweep`` collects the runs of a shipped
configuration, times its sweeps from there, and makes some of their universes again, plainly and
from the raw files: they must be the same, and their time is what all would take.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.dataset as ds
import yaml

from regrade.aggregation import aggregate
from regrade.tables import read_table
from tests.reference import sweeps as plain

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Print a table of what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("config", nargs="*", default=["dl21-sweep", "trec8-sweep"])
    parser.add_argument("--data", required=True, help="the folder of the real collections")
    parser.add_argument("--cores", default="2")
    parser.add_argument("--check", type=int, default=200, help="universes to make again")
    given = parser.parse_args()
    print("| sweep | universes | seconds | µs each | by the loop, h | ratio | made again |")
    print("|---|---|---|---|---|---|---|")
    for name in given.config:
        with tempfile.TemporaryDirectory() as held:
            measured(name, Path(given.data).resolve(), Path(held), given.cores, given.check)


def measured(name: str, data: Path, folder: Path, cores: str, check: int) -> None:
    """Time the sweeps of a configuration, and print a line of each."""
    config = ROOT / "config" / f"{name}.yaml"
    (collection,) = yaml.safe_load(config.read_text(encoding="utf-8"))["collections"].values()
    results = folder / "results" / name
    sets = [f"results/{name}/tables/{kind}/{one}.parquet"
            for kind in ("qrels", "judgments") for one in collection.get(kind, {})]  # fmt: skip

    def made(*targets: str) -> float:
        start = time.perf_counter()
        command = [sys.executable, "-m", "snakemake", "-s", str(ROOT / "Snakefile"), "--cores",
                   cores, "--configfile", str(config), "--config", f"data={data}",
                   "--directory", str(folder), "--quiet", "all", "--", *targets]  # fmt: skip
        subprocess.run(command, check=True)
        return time.perf_counter() - start

    made(f"results/{name}/codes/runs.arrow", *sets)
    nothing = made(f"results/{name}/codes/runs.arrow")  # a start of Snakemake, for nothing
    files = Path(collection["runs"].format(data=data))
    raw = dict(plain.read_run(path) for path in sorted(files.parent.glob(files.name)))
    groups = None
    if collection.get("groups"):
        lines = Path(collection["groups"].format(data=data)).read_text().splitlines()
        groups = dict(line.split() for line in lines)
    for sweep in collection["sweeps"]:
        seconds = made(f"results/{name}/sweeps/{sweep}/universes.parquet") - nothing
        universes = read_table(results / "sweeps" / sweep / "universes.parquet", "sweeps/universes")
        again, each = checked(results, sweep, universes, raw, groups, check)
        count = len(universes)
        print(
            f"| {name} {sweep} | {count:,} | {seconds:.0f} | {seconds / count * 1e6:.0f} | "
            f"{each * count / 3600:.0f} | {each * count / seconds:,.0f} | {again} |",
            flush=True,
        )


def checked(
    results: Path, sweep: str, universes, raw: dict, groups: dict | None, check: int
) -> tuple[int, float]:
    """How many universes were made again, alike, and the seconds that one took."""
    rng = np.random.default_rng(1)
    folder = results / "sweeps" / sweep
    frame = universes.to_pandas()
    plainly = {"AP", "AP(rel=2)", "P@10", "RR", "nDCG@10", "nDCG"}
    frame = frame[frame["measure"].isin(plainly) & (frame["tie_order"] != "expected")]
    frame = frame[frame["topics"] == "all"]  # halves are the library's draw
    sets = {path.stem: path for path in results.glob("tables/*/*.parquet")}
    labels = {
        row.labels: _labels(sets, row) for row in frame.drop_duplicates("labels").itertuples()
    }
    # trec_eval's gains are whole numbers
    whole = frame["labels"].isin([name for name, own in labels.items() if _are_grades(own)])
    frame = frame[whole | frame["thresholds"].notna()]
    frame = frame.iloc[np.sort(rng.choice(len(frame), min(check, len(frame)), replace=False))]
    means = ds.dataset(folder / "means", partitioning="hive")
    wanted = frame["ranking"].tolist()
    found = means.to_table(filter=ds.field("ranking").isin(wanted)).to_pandas()
    found = {number: rows.sort_values("system") for number, rows in found.groupby("ranking")}
    topics = sorted(set(read_table(sets[_baseline(results, sweep)])["topic"].to_pylist()))
    seconds = 0.0
    for row in frame.itertuples():
        own = labels[row.labels]
        start = time.perf_counter()
        if not pd.isna(row.thresholds):
            own = plain.cut(own, [float(c) for c in row.thresholds.split()])
        values = plain.scores(
            raw, own, unjudged=row.unjudged_as, pool=row.pool, ties=row.tie_order,
            measure=row.measure, topics=topics, groups=groups,
        )  # fmt: skip
        told = plain.conclusions(values, row.test)
        seconds += time.perf_counter() - start
        np.testing.assert_allclose(
            found[row.ranking]["mean"], values.mean(axis=1), atol=1e-9, err_msg=str(row)
        )
        assert row.significant_pairs == np.count_nonzero(told), row
    return len(frame), seconds / max(len(frame), 1)


def _are_grades(labels: dict) -> bool:
    return all(float(value).is_integer() for of in labels.values() for value in of.values())


def _baseline(results: Path, sweep: str) -> str:
    levels = read_table(results / "sweeps" / sweep / "levels.parquet").to_pandas()
    own = levels[(levels["axis"] == "labels") & levels["at_baseline"]]
    return str(own["entry"].iloc[0])


def _labels(sets: dict, row) -> dict:
    """The values that an entry of labels cuts, or takes as they are."""
    words = str(row.labels).split()
    name = words[0] if words[0] in sets else words[0].rpartition("-to-")[0]
    how = words[1] if len(words) > 1 and words[0] in sets else "median"
    table = aggregate(read_table(sets[name]), how).to_pandas()
    return {
        str(topic): dict(zip(rows["docno"].astype(str), rows["grade"], strict=True))
        for topic, rows in table.groupby("topic", observed=True)
    }


if __name__ == "__main__":
    main()
