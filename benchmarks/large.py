"""A collection of fifty million lines, and the memory that every stage takes on it.

    python -m benchmarks.large FOLDER                    # 250 topics, 200 systems, 1,000 deep
    python -m benchmarks.large FOLDER --topics 25        # five million lines

Writes run files, qrels and a configuration of every stage that reads rankings into the folder, runs
the workflow there, and prints the seconds and the peak memory of each job.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.compute as pc
import yaml

PROJECT = Path(__file__).parents[1]
CANDIDATES = 5000
"""Documents that the systems can retrieve for a topic."""

DOCUMENTS = 2_000_000
"""Documents of the collection."""

POOL_DEPTH = 100
MEGABYTES = 1500
"""What every stage may take."""

TARGETS = [
    f"results/large/{target}"
    for target in (
        "report.html",
        "ties/rates.parquet",
        "ties/ranges.parquet",
        "ties/banded.parquet",
        "pools/sizes.parquet",
        "pools/scores.parquet",
        "pools/qrels/depth-10.parquet",
        "leave-one-out/runs/systems.parquet",
        "residuals/rbp.parquet",
        "residuals/nearest_phi.parquet",
        "ranges/ranges.parquet",
    )
]
"""Every stage that reads rankings."""


def main() -> int:
    """Write, run and report; 1 if a stage takes more than it may."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("targets", nargs="*", default=TARGETS, help="all stages unless told")
    parser.add_argument("--topics", type=int, default=250)
    parser.add_argument("--systems", type=int, default=200)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--cores", type=int, default=2)
    given = parser.parse_args()
    if not (given.folder / "config.yaml").exists():
        write_collection(given.folder, given.topics, given.systems, given.depth)
    command = [
        *(sys.executable, "-m", "snakemake", *given.targets),
        *("--snakefile", PROJECT / "Snakefile", "-q", "all"),
        *("--workflow-profile", PROJECT / "workflow" / "profiles" / "default"),
        *("--directory", given.folder, "--cores", str(given.cores)),
        *("--configfile", given.folder / "config.yaml"),
    ]
    peaks, seconds, failed = watched(command)
    print("| script | seconds | peak MB |\n|---|--:|--:|")
    for script, peak in sorted(peaks.items(), key=lambda item: -item[1]):
        print(f"| {script} | {seconds[script]:.0f} | {peak:,.0f} |")
    return int(failed or max(peaks.values()) > MEGABYTES)


def write_collection(folder: Path, topics: int, systems: int, depth: int) -> None:
    """Write run files, qrels of a pool and the configuration."""
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    names = [f"system{s:03d}" for s in range(systems)]
    lines: dict[str, list[pa.Array]] = {name: [] for name in names}
    qrels = []
    for t in range(topics):
        draw = np.random.default_rng([2026, t])
        document = np.sort(draw.choice(DOCUMENTS, CANDIDATES, replace=False))
        latent = draw.standard_normal(CANDIDATES)
        score = latent + draw.standard_normal((systems, CANDIDATES))
        ranking = np.argsort(-score, axis=1)[:, :depth]
        for s, name in enumerate(names):
            values = np.sort(score[s, ranking[s]].round(2))[::-1]  # some tie
            lines[name].append(_lines(t, document[ranking[s]], values, name))
        pooled = np.unique(ranking[: systems // 2, :POOL_DEPTH])
        grade = np.digitize(latent[pooled], [1.5, 2.2])
        qrels.append(_joined(f"{t + 1001} 0", _docnos(document[pooled]), pa.array(grade)))
        if t % 25 == 24 or t == topics - 1:
            for name in names:
                with (folder / "runs" / f"{name}.txt").open("a") as file:
                    file.writelines("\n".join(part.to_pylist()) + "\n" for part in lines[name])
                lines[name].clear()
    (folder / "qrels.txt").write_text("".join("\n".join(part.to_pylist()) + "\n" for part in qrels))
    (folder / "config.yaml").write_text(yaml.safe_dump(_config(folder.resolve())))


def watched(command: list) -> tuple[dict[str, float], dict[str, float], bool]:
    """Run a workflow; the peak megabytes and the seconds of each script, and whether it failed.

    Snakemake's own benchmarks look at a job's memory too seldom.
    """
    peaks, seconds = defaultdict(float), defaultdict(float)
    with subprocess.Popen(command) as running:
        while running.poll() is None:
            time.sleep(0.02)
            for process in psutil.Process(running.pid).children(recursive=True):
                try:
                    script = re.search(r"scripts/tmp\w+\.(\w+)\.py", " ".join(process.cmdline()))
                    status = Path(f"/proc/{process.pid}/status").read_text()
                    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
                    age = time.time() - process.create_time()
                except (psutil.Error, OSError):  # it has just ended
                    continue
                if script and peak:
                    name = script.group(1)
                    peaks[name] = max(peaks[name], int(peak.group(1)) / 1024)
                    seconds[name] = max(seconds[name], age)
    return peaks, seconds, running.returncode != 0


def _config(folder: Path) -> dict:
    large = {
        "runs": f"{folder}/runs/*.txt",
        "qrels": {"TR3": {"file": f"{folder}/qrels.txt", "levels": 3}},
        "measures": ["AP", "nDCG", "RBP(p=0.98)", "ERR@20"],
        "ties": {"qrels": "TR3", "rho": ["1.1", "2"], "measures": ["AP", "RR"]},
        "pools": {"qrels": "TR3", "fused": [{"method": "CombMNZ", "size": 100}]},
        "leave_one_out": [{"name": "runs", "by": "run"}],
        "residuals": {"qrels": "TR3"},
        "ranges": {"qrels": "TR3"},
    }
    return {"collection": "large", "collections": {"large": large}}


def _lines(t: int, documents: np.ndarray, scores: np.ndarray, name: str) -> pa.Array:
    ranks = pa.array(np.arange(1, len(documents) + 1))
    return _joined(f"{t + 1001} Q0", _docnos(documents), ranks, pa.array(scores), name)


def _docnos(documents: np.ndarray) -> pa.Array:
    padded = pc.utf8_lpad(pa.array(documents).cast(pa.string()), 7, "0")
    return pc.binary_join_element_wise("DOC", padded, "-")


def _joined(*columns: pa.Array | str) -> pa.Array:
    text = (c if isinstance(c, str) else c.cast(pa.string()) for c in columns)
    return pc.binary_join_element_wise(*text, " ")


if __name__ == "__main__":
    sys.exit(main())
