"""Time, memory and disk against the size of a collection, on collections made for it.

    python -m benchmarks.scale runs FOLDER                      # 250 topics × 200 systems × 1,000
    python -m benchmarks.scale runs FOLDER --topics 25          # five million lines
    python -m benchmarks.scale runs FOLDER --only import score  # and none of the other stages
    python -m benchmarks.scale crowd FOLDER --topics 500 --chunks 8
    python -m benchmarks.scale table FOLDER --write docs/scale.md

Each size is a folder below FOLDER: its files, its results and ``measured.json``.  A size whose
files are there is not made again; results are.  ``table`` prints what all of them took.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
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
"""To which half of the systems are judged, and out of which pool runs are left."""

UNIT = 8
"""Documents that a worker judges in one go."""

MEGABYTES = 1500
"""What every stage may take unless told otherwise."""

NAME = "large"
TARGETS = {
    "import": ["tables/runs.parquet", "codes/qrels/TR3.arrow"],
    "score": ["scores/TR3.parquet"],
    "rest": [
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
    ],
    "crowd": [f"cuts/S100-to-4/{table}.parquet" for table in ("best_cuts", "answer", "groups")]
    + ["cuts/S100-to-4/pooled.parquet", "report.html"],
}
"""Every stage that reads rankings, and those of a crowd's cuts."""

FOLDERS = ("tables", "codes", "cuts")
"""Whose size on disk is told."""

AT_MOST = "results at most"
"""What all results took at once, with those that are deleted again."""

MEMORY = r"(VmHWM|RssAnon):\s+(\d+) kB"
"""In what Linux tells of a process: its highest peak, and what it holds of its own."""

LOOK_AT_DISK = 1.0
"""Seconds between two looks at it."""


@dataclass
class Taken:
    """What a script took.

    Attributes
    ----------
    jobs
        How many jobs ran it.
    seconds
        Of all of them together, one after the other.
    megabytes
        The highest peak, with what it had mapped of files and libraries.
    own
        The most that was seen without these, in looks 20 ms apart.
    """

    jobs: int = 0
    seconds: float = 0.0
    megabytes: float = 0.0
    own: float = 0.0


@dataclass(frozen=True)
class Look:
    """What a process was seen to take so far; as `Taken`."""

    script: str
    seconds: float
    megabytes: float
    own: float

    def after(self, earlier: Look) -> Look:
        """With the most of an earlier look at the process and this one."""
        most = max(self.megabytes, earlier.megabytes), max(self.own, earlier.own)
        return Look(self.script, self.seconds, *most)


@dataclass
class Size:
    """One collection, and what it took.

    Attributes
    ----------
    kind
        ``runs`` or ``crowd``.
    topics, per_topic
        How many; lines or judgments of each.
    title
        As the table's column is called.
    seconds
        From an empty folder of results on.
    scripts
        By name, in the order in which they began.
    disk
        Bytes by folder; ``input`` for what was read.
    """

    kind: str
    topics: int
    per_topic: int
    title: str
    seconds: float = 0.0
    scripts: dict[str, Taken] = field(default_factory=dict)
    disk: dict[str, int] = field(default_factory=dict)

    @property
    def lines(self) -> int:
        """Of all topics."""
        return self.topics * self.per_topic


def main() -> int:
    """Write, run and report; 1 if a stage fails or takes more than it may."""
    given = _arguments()
    if given.kind == "table":
        tables = markdown(measured(given.folder))
        print("\n\n".join(tables.values()))
        for path in given.write or ():
            path.write_text(with_tables(path.read_text(encoding="utf-8"), tables), encoding="utf-8")
        return 0
    size, folder = KINDS[given.kind](given)
    shutil.rmtree(folder / "results", ignore_errors=True)
    targets = [f"results/{NAME}/{path}" for name in given.only for path in TARGETS[name]]
    command = [
        # without hooks each job has a process of its own, which is looked at
        *(sys.executable, "-m", "snakemake", "--no-hooks", *targets),
        *("--snakefile", PROJECT / "Snakefile", "-q", "all"),
        *("--workflow-profile", PROJECT / "workflow" / "profiles" / "default"),
        *("--directory", folder, "--cores", str(given.cores)),
        *("--configfile", folder / "config.yaml"),
    ]
    if watched(command, size, folder / "results"):
        return 1  # what took how long before it failed is not this size's
    size.disk |= {name: _bytes(folder / "results" / NAME / name) for name in FOLDERS}
    chunks = f"-{given.chunks}-chunks" if getattr(given, "chunks", 1) > 1 else ""
    told = json.dumps(asdict(size), indent=1)
    (folder / f"measured{chunks}.json").write_text(told, encoding="utf-8")
    print("\n\n".join(markdown([size]).values()))
    return int(any(t.megabytes > given.megabytes for t in size.scripts.values()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    runs, crowd, table = (kinds.add_parser(name) for name in ("runs", "crowd", "table"))
    for one in (runs, crowd, table):
        one.add_argument("folder", type=Path)
    for one, topics in ((runs, 250), (crowd, 100)):
        one.add_argument("--topics", type=int, default=topics)
        one.add_argument("--cores", type=int, default=2)
        one.add_argument("--megabytes", type=float, default=MEGABYTES, help="of every stage")
    runs.add_argument("--systems", type=int, default=200)
    runs.add_argument("--depth", type=int, default=1000)
    runs.add_argument("--gzip", action="store_true", help="run files take a third of the disk")
    stages = ("import", "score", "rest")
    runs.add_argument("--only", nargs="+", choices=stages, default=stages)
    crowd.add_argument("--documents", type=int, default=200, help="of a topic")
    crowd.add_argument("--workers", type=int, default=5, help="of a document")
    crowd.add_argument("--chunks", type=int, default=1, help="jobs that search")
    crowd.add_argument("--methods", nargs="+", default=["tw1", "d2_at", "h2"])
    crowd.set_defaults(only=["crowd"])
    table.add_argument("--write", action="append", type=Path, help="put the tables into a file")
    return parser.parse_args()


# --- what is made -----------------------------------------------------------------------------


def of_runs(given: argparse.Namespace) -> tuple[Size, Path]:
    """Run files, qrels of a pool and the configuration."""
    shape = given.topics, given.systems, given.depth
    folder = given.folder / ("runs-" + "x".join(map(str, shape)))
    if not (folder / "config.yaml").exists():
        write_runs(folder, *shape, ".gz" if given.gzip else "")
    title = " × ".join(f"{n:,}" for n in shape)
    size = Size("runs", given.topics, given.systems * given.depth, title)
    size.disk["input"] = _bytes(folder / "runs")
    return size, folder


def write_runs(folder: Path, topics: int, systems: int, depth: int, ending: str = "") -> None:
    """Topic by topic, so that memory is that of some topics; the configuration comes last."""
    shutil.rmtree(folder / "runs", ignore_errors=True)  # of one that was stopped
    (folder / "runs").mkdir(parents=True)
    names = [f"system{s:03d}" for s in range(systems)]
    text: dict[str, list[pa.Buffer]] = {name: [] for name in names}
    write = gzip.open if ending else open
    options = {"compresslevel": 1} if ending else {}
    with (folder / "qrels.txt").open("wb") as qrels:
        for t in range(topics):
            draw = np.random.default_rng([2026, t])
            document = np.sort(draw.choice(DOCUMENTS, CANDIDATES, replace=False))
            latent = draw.standard_normal(CANDIDATES)
            score = latent + draw.standard_normal((systems, CANDIDATES))
            ranking = np.argsort(-score, axis=1)[:, :depth]
            for s, name in enumerate(names):
                values = np.sort(score[s, ranking[s]].round(2))[::-1]  # some tie
                text[name].append(_lines(t, document[ranking[s]], values, name))
            pooled = np.unique(ranking[: max(1, systems // 2), :POOL_DEPTH])
            grade = np.digitize(latent[pooled], [1.5, 2.2])
            qrels.write(_joined(f"{t + 1001} 0", _docnos(document[pooled]), pa.array(grade)))
            if t % 10 == 9 or t == topics - 1:
                for name in names:
                    path = folder / "runs" / f"{name}.txt{ending}"
                    with write(path, "ab", **options) as file:
                        file.writelines(text[name])
                    text[name].clear()
    _configure(folder, _config_of_runs(folder.resolve(), ending))


def _config_of_runs(folder: Path, ending: str) -> dict:
    return {
        "runs": f"{folder}/runs/*.txt{ending}",
        "qrels": {"TR3": {"file": f"{folder}/qrels.txt", "levels": 3}},
        "measures": ["AP", "nDCG", "RBP(p=0.98)", "ERR@20"],
        "ties": {"qrels": "TR3", "rho": ["1.1", "2"], "measures": ["AP", "RR"]},
        "pools": {"qrels": "TR3", "fused": ["CombMNZ@100"]},
        "leave_one_out": [{"name": "runs", "by": "run", "pooling": f"Depth@{POOL_DEPTH}"}],
        "residuals": {"qrels": "TR3"},
        "ranges": {"qrels": "TR3"},
    }


def of_crowd(given: argparse.Namespace) -> tuple[Size, Path]:
    """Judgments on sliders, an expert's labels of half of the documents, the configuration."""
    shape = given.topics, given.documents, given.workers
    folder = given.folder / ("crowd-" + "x".join(map(str, shape)))
    if not (folder / "crowd.tsv").exists():
        write_crowd(folder, *shape)
    cut = {"source": "S100", "levels": 4, "references": ["So4"], "methods": given.methods}
    cut |= {"chunks": given.chunks} if given.chunks > 1 else {}
    _configure(
        folder,
        {
            "qrels": {"So4": {"file": f"{folder.resolve()}/qrels.txt", "levels": 4}},
            "judgments": {"S100": {"file": f"{folder.resolve()}/crowd.tsv", "levels": 101}},
            "transformations": [cut],
        },
    )
    title = f"{given.topics:,} topics" + (f", {given.chunks} chunks" if given.chunks > 1 else "")
    size = Size("crowd", given.topics, given.documents * given.workers, title)
    size.disk["input"] = _bytes(folder / "crowd.tsv")
    return size, folder


def write_crowd(folder: Path, topics: int, documents: int, workers: int) -> None:
    """Topic by topic; workers differ in where they put documents, and judge units of `UNIT`."""
    folder.mkdir(parents=True, exist_ok=True)
    hidden = folder / ".crowd.tsv"
    with hidden.open("wb") as crowd, (folder / "qrels.txt").open("wb") as qrels:
        crowd.write(b"topic\tdocno\tworker\tunit\tvalue\n")
        for t in range(topics):
            draw = np.random.default_rng([2027, t])
            latent = draw.standard_normal(documents)
            docnos = _docnos(np.sort(draw.choice(DOCUMENTS, documents, replace=False)))
            unit = np.arange(documents) // UNIT
            for w in range(workers):
                by_unit = draw.standard_normal(unit[-1] + 1)[unit]  # each unit has a worker
                felt = 22 * (latent + 0.4 * by_unit + 0.6 * draw.standard_normal(documents)) + 35
                values = pa.array(np.clip(felt.round(), 0, 100).astype(int))
                names = pc.binary_join_element_wise(
                    f"{t + 1001}", pa.array(unit).cast(pa.string()), str(w), "-"
                )
                names = pc.binary_join_element_wise("u", names, "")
                row = f"{t + 1001}", docnos, names, names, values
                crowd.write(_joined(*row, between="\t"))
            known = np.flatnonzero(np.arange(documents) % 2 == 0)
            grade = np.digitize(latent[known], [0.2, 0.9, 1.6])
            qrels.write(_joined(f"{t + 1001} 0", docnos.take(pa.array(known)), pa.array(grade)))
    hidden.replace(folder / "crowd.tsv")


def _configure(folder: Path, collection: dict) -> None:
    config = {"collection": NAME, "collections": {NAME: collection}}
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")


def _lines(t: int, documents: np.ndarray, scores: np.ndarray, name: str) -> pa.Buffer:
    ranks = pa.array(np.arange(1, len(documents) + 1))
    return _joined(f"{t + 1001} Q0", _docnos(documents), ranks, pa.array(scores), name)


def _docnos(documents: np.ndarray) -> pa.Array:
    padded = pc.utf8_lpad(pa.array(documents).cast(pa.string()), 7, "0")
    return pc.binary_join_element_wise("DOC", padded, "-")


def _joined(*columns: pa.Array | str, between: str = " ") -> pa.Buffer:
    """Lines of text, as they stand one after the other in memory."""
    text = [c if isinstance(c, str) else c.cast(pa.string()) for c in columns]
    lines = pc.binary_join_element_wise(*text, between)
    return pc.binary_join_element_wise(lines, "\n", "").buffers()[2]


def _bytes(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    total = 0
    for folder, _, names in os.walk(path):  # passes over folders that have just been deleted
        for name in names:
            try:
                total += Path(folder, name).stat().st_size
            except OSError:  # it has just been deleted
                continue
    return total


KINDS: dict[str, Callable[[argparse.Namespace], tuple[Size, Path]]] = {
    "runs": of_runs,
    "crowd": of_crowd,
}


# --- what it takes ----------------------------------------------------------------------------


def watched(command: Sequence, size: Size, results: Path) -> bool:
    """Run a workflow and tell `size` what its scripts and results took; whether it failed."""
    jobs: dict[tuple[int, float], Look] = {}  # the last at each process, with its highest memory
    began = looked = time.time()
    with subprocess.Popen(list(map(str, command))) as running:
        while running.poll() is None:
            time.sleep(0.02)
            for job, look in _scripts(running.pid):
                jobs[job] = look.after(jobs[job]) if job in jobs else look
            if time.time() - looked > LOOK_AT_DISK:
                size.disk[AT_MOST] = max(size.disk.get(AT_MOST, 0), _bytes(results))
                looked = time.time()
    size.seconds = time.time() - began
    for look in jobs.values():
        taken = size.scripts.setdefault(look.script, Taken())
        taken.jobs, taken.seconds = taken.jobs + 1, taken.seconds + look.seconds
        taken.megabytes = max(taken.megabytes, look.megabytes)
        taken.own = max(taken.own, look.own)
    return running.returncode != 0


def _scripts(pid: int) -> Iterator[tuple[tuple[int, float], Look]]:
    """The scripts that Snakemake runs now, by process."""
    try:
        processes = psutil.Process(pid).children(recursive=True)
    except psutil.Error:  # it has just ended
        return
    for process in processes:
        try:
            script = re.search(r"scripts/tmp\w+\.(\w+)\.py", " ".join(process.cmdline()))
            status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
            memory = {name: int(n) / 1024 for name, n in re.findall(MEMORY, status)}
            began = process.create_time()
        except (psutil.Error, OSError):  # it has just ended
            continue
        if script and memory:
            look = Look(script.group(1), time.time() - began, memory["VmHWM"], memory["RssAnon"])
            yield (process.pid, began), look


# --- what is told -----------------------------------------------------------------------------


def measured(folder: Path) -> list[Size]:
    """All sizes that were measured in a folder, small ones first."""
    found = []
    for path in folder.glob("*/measured*.json"):
        told = json.loads(path.read_text(encoding="utf-8"))
        scripts = {name: Taken(**taken) for name, taken in told.pop("scripts").items()}
        found.append(Size(scripts=scripts, **told))
    return sorted(found, key=lambda size: (size.lines, size.title))


def markdown(sizes: Sequence[Size]) -> dict[str, str]:
    """A table of each kind: a row per script, a column per size."""
    tables = {}
    for kind, head in (("runs", "topics × systems × depth"), ("crowd", "crowd judgments")):
        of_kind = [size for size in sizes if size.kind == kind]
        if of_kind:
            tables[kind] = _table(head, of_kind)
    return tables


def _table(head: str, sizes: Sequence[Size]) -> str:
    names = list(dict.fromkeys(name for size in sizes for name in size.scripts))
    names.sort(key=lambda n: -max(s.scripts[n].megabytes for s in sizes if n in s.scripts))
    rows = [
        ("lines" if sizes[0].kind == "runs" else "judgments", [f"{s.lines:,}" for s in sizes]),
        *((name, [_cell(s.scripts.get(name)) for s in sizes]) for name in names),
        ("all, seconds", [f"{s.seconds:,.0f}" for s in sizes]),
        ("seconds per topic", [f"{s.seconds / s.topics:.3g}" for s in sizes]),
        *(
            (f"{what}, MB on disk", [f"{s.disk.get(what, 0) / 1e6:,.0f}" for s in sizes])
            for what in ("input", *FOLDERS, AT_MOST)
            if any(s.disk.get(what) for s in sizes)
        ),
    ]
    titles = [size.title for size in sizes]
    lines = [[head, *titles], ["---", *["--:"] * len(titles)], *([name, *of] for name, of in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(taken: Taken | None) -> str:
    """Seconds, of how many jobs, and the peak in megabytes."""
    if taken is None:
        return "–"
    jobs = f" ({taken.jobs} jobs)" if taken.jobs > 1 else ""
    return f"{taken.seconds:,.0f} s{jobs}, {taken.own:,.0f} of {taken.megabytes:,.0f} MB"


def with_tables(text: str, tables: Mapping[str, str]) -> str:
    """A page with its tables replaced, each between ``<!-- kind -->`` and ``<!-- end -->``.

    Raises
    ------
    ValueError
        If the page has no place for one of them.
    """
    for kind, table in tables.items():
        place = re.compile(rf"(<!-- {kind} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not place.search(text):
            raise ValueError(f"there is no place for the table of {kind}: <!-- {kind} -->")
        text = place.sub(lambda found, t=table: f"{found[1]}\n{t}\n\n{found[2]}", text)
    return text


if __name__ == "__main__":
    sys.exit(main())
