"""A copy of the project, run from another directory as a user would run it."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from regrade.studies.registry import STUDIES
from regrade.studies.yang2019.pairs_items import PAIRS
from regrade.workflow.forkserver import ForkServer
from tests.workflow import forked

CLONE = Path(__file__).parents[2]
PARTS = ("Snakefile", "config", "data", "profiles", "src", "workflow")


@dataclass(frozen=True)
class House:
    """A copy of what the workflow consists of, so that tests may edit it.

    Attributes
    ----------
    root
        Where it is.
    server
        The folder of the server that forks jobs of all runs, which imports once for all.
    """

    root: Path
    server: str | None = None

    def snakemake(self, directory: Path, *arguments: str) -> "Ran":
        """Run Snakemake in a directory, which is made where it is not there."""
        directory.mkdir(parents=True, exist_ok=True)
        asked = self.asked(directory, *arguments)
        return Ran(*forked.snakemake(asked, directory, self.environment(), self.server))

    def command(self, directory: Path, *arguments: str) -> list[str]:
        """The same as a command, for tests that kill it or look at its processes."""
        return [sys.executable, "-m", "snakemake", *self.asked(directory, *arguments)]

    def asked(self, directory: Path, *arguments: str) -> list[str]:
        """What Snakemake is told on the command line."""
        own = directory / "config.yaml"
        named = ["--configfile", str(own)] if own.exists() else []
        start = ["-s", str(self.root / "Snakefile"), "--directory", str(directory)]
        return [*start, "--cores", "2", *arguments, *named]

    def environment(self, *paths: Path) -> dict[str, str]:
        """The process environment, with this copy's library before an installed one."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("SNAKEMAKE_")}
        before = [*map(str, paths), str(self.root / "src")]
        after = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
        return kept | {"PYTHONPATH": os.pathsep.join(before + after)}

    def compiled(self) -> set[tuple[str, ...]]:
        """The calls of kernels whose machine code this copy has: module, name, types."""
        code = "from regrade.kernels import cached, modules\n"
        code += "for module in modules():\n    for call in cached(module): print(*call)"
        return {tuple(line.split(maxsplit=2)) for line in self.python(code).splitlines()}

    def python(self, code: str) -> str:
        """What Python prints that runs some code with this copy's modules."""
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env=self.environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout

    @contextmanager
    def edited(self, path: str) -> Iterator[None]:
        """A file of the copy with a line more, put back at the end with its time."""
        file = self.root / path
        before, stat = file.read_bytes(), file.stat()
        file.write_bytes(before + b"\nEDITED = 1\n")
        try:
            yield
        finally:
            file.write_bytes(before)
            os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    def contents(self) -> dict[str, bytes]:
        """Every file of the copy but compiled code, with its bytes."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and "__pycache__" not in path.parts
        }


@dataclass(frozen=True)
class Ran:
    """How a run of Snakemake ended, and what it printed."""

    status: int
    printed: str = field(repr=False)

    def well(self) -> "Ran":
        """This one, if it ended well; else the test fails with what was printed."""
        assert self.status == 0, self.printed
        return self

    @property
    def jobs(self) -> dict[str, int]:
        """Jobs by rule, from the statistics; none where there was nothing to do."""
        table = re.search(r"(?ms)^job +count\n[- ]+\n(.*?)^total ", self.printed)
        if table is None:
            assert "Nothing to be done" in self.printed, self.printed
            return {}
        jobs = Counter()
        for rule, count in map(str.split, table[1].splitlines()):
            jobs[job_of(rule)] += int(count)
        return dict(jobs)

    def field(self, name: str) -> list[str]:
        """The values of a field (log, resources, …) of all jobs that were shown."""
        indent = "(?: {4}){1,2}"  # those of a group are further in
        return re.findall(rf"^{indent}{name}: (.*?)(?: \(.*\))?$", self.printed, re.MULTILINE)

    def ancestors(self, target: str) -> dict[str, int]:
        """Jobs by rule that a target, a rule or a file, needs, that rule's own aside."""
        shown = r"^(?: {4})?(?:local)?rule (\w+):\n(?: +input: (.*)\n)?(?: +output: (.*)\n)?"
        jobs = re.findall(shown, self.printed, re.MULTILINE)
        maker = {path: job for job in jobs for path in (job[0], *job[2].split(", "))}
        waiting, found = [maker[target]], set()
        while waiting:
            job = waiting.pop()
            if job not in found:
                found.add(job)
                waiting += [maker[path] for path in job[1].split(", ") if path and path in maker]
        jobs = Counter(job_of(rule) for rule, _, _ in found if rule != target)
        return dict(jobs)


def job_of(rule: str) -> str:
    """What a rule is for: of items whose tables are others a rule has a number."""
    return rule if rule.startswith((*STUDIES,)) else re.sub(r"_\d+$", "", rule)


def planned(house: House, directory: Path, *arguments: str) -> dict[str, int]:
    """Jobs by rule that a run would have, the target rule aside."""
    jobs = house.snakemake(directory, "--dry-run", *arguments).well().jobs
    return {rule: count for rule, count in jobs.items() if rule not in ("all", *STUDIES)}


def configured(directory: Path, name: str, collection: dict) -> Path:
    """A directory with a configuration of one collection."""
    directory.mkdir(parents=True, exist_ok=True)
    config = {"collection": name, "collections": {name: collection}}
    text = yaml.safe_dump(config, sort_keys=False)
    (directory / "config.yaml").write_text(text, encoding="utf-8")
    for path, text in FILES.items():
        # written once: a file with another time would make its results again
        if not (directory / path).exists():
            (directory / path).write_text(text, encoding="utf-8")
    return directory


def made(directory: Path) -> dict[str, bytes]:
    """The bytes of every result by path.

    Logs and benchmarks hold times; hidden files are Snakemake's, or what a killed job was writing.
    """
    results = directory / "results"
    return {
        str(path.relative_to(results)): path.read_bytes()
        for path in sorted(results.rglob("*"))
        if path.is_file()
        and not {"logs", "benchmarks"} & set(path.parts)
        and not path.name.startswith(".")
    }


# whatever else the tests of this clone have called them with
KEEP_RECORDED = """
from regrade.kernels import kernels, modules, recorded, written
calls = set(recorded())
for module in modules():
    for name, kernel in kernels(module).items():
        index = kernel._cache._cache_file
        kept = {of: file for of, file in index._load_index().items()
                if (module, name, written(of[0])) in calls}
        index._save_index(kept)
"""


@pytest.fixture(scope="session")
def house(tmp_path_factory) -> Iterator[House]:
    """A copy of the project, with the kernels that are compiled here."""
    root = tmp_path_factory.mktemp("house")
    for part in PARTS:
        source = CLONE / part
        if source.is_dir():
            shutil.copytree(source, root / part)
        else:
            shutil.copy2(source, root / part)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", House(root).environment()["PYTHONPATH"])
        server = ForkServer()
    yield House(root, server.folder)
    server.process.stdin.close()
    server.process.wait()


# what the figures of yang2019 with options show
CHOSEN = {
    "figure-3.6": {"rho": ["1.5", "2"]},
    "figure-3.7": {"rho": ["2", "4"]},
    "figure-3.8": {"measure": "RR", "rho": ["1.5", "2"]},
    "figure-3.9": {"measure": "RBP(p=0.5)", "rho": ["1.5", "2"]},
    "figure-3.10": {"measure": "RBP(p=0.5)", "rho": ["4"]},
    "figure-3.11": {"measure": "AP", "rho": ["1.5", "2"]},
    "table-5.1": {"set": "crowd"},
    "table-5.3": {"set": "crowd"},
    **{item.name: {"set": "crowd"} for item in PAIRS},
    **{
        item: {"set": "answers"}
        for item in ("table-subsets", "table-policies", "table-stops", "table-intransitivity")
    },
    **{
        item: {"set": "answers"}
        for item in ("figure-subsets", "figure-policies", "figure-intransitivity")
    },
}

# what the tiny collection reads: lists that two assessors rated by two criteria, and which of two
# systems' rankings people prefer
FILES = {
    "lists.csv": "".join(
        f"{assessor},{topic},{rank},d{rank},{1 + (assessor + topic + rank) % 4},"
        f"{1 + (topic * rank) % 4},\n"
        for assessor in (1, 2)
        for topic in (1, 2, 3)
        for rank in (1, 2, 3, 4)
    ),
    "pages.tsv": "topic\twinner\n401\t0\n402\t2\n403\t1\n",
}

BINARY = {"transformation": "S11-to-2", "reference": "TR2"}
"""What most items of han2019 show."""
OF_THREE = {"transformation": "S11-to-3", "panels": ["tw1"], "transformations": ["S11-to-3"]}
OF_SEARCHES = {
    **dict.fromkeys(("table-internal", "table-widths", "figure-groups", "figure-6"), OF_THREE),
    "table-references": {"transformations": ["S4-to-2"]},
    **{name: {"transformations": ["S11-to-2"]} for name in ("table-pooled", "table-sure")},
    "table-ends": {"panels": ["h1_ta", "d2_at@TR2"]},
    "figure-10": OF_THREE | {"topics": ["401", "*"]},
    "figure-experts": {"transformation": "S4-to-2", "panels": ["d2_at@S2"]},
    "figure-1": {"transformation": "S4-to-2", "panels": ["h2@TR2_a", "d2_at@S2"]},
    "figure-3": {"panels": ["h1_ta", "tw1", "d2_at@TR2"]},
    "figure-5": {"panels": ["h1_ta"]},
    "figure-tau-topics": OF_THREE | {"expert": "TR2"},
    "figure-pareto": {"expert": "TR2"},
    "figure-transfer": {"by": "topics"},
}
AS_OTHERS = [f"figure-{number}" for number in (2, 4, 7, 8, 9)]
"""Figures of han2019 that are drawn as others, of other searches."""

ME = {"set": "ME"}
CRITERIA = {"set": "TR2"}
SYSTEMS = ("group01v1", "group02v1")
"""Two of the simulated systems."""

# everything that the workflow has, as small as it goes
TINY = {
    "title": "Tiny",
    "runs": {
        "simulate": {
            "topics": 3,
            "systems": 6,
            "depth": 20,
            "documents": 80,
            "pool_depth": 10,
        }
    },
    "qrels": {
        "TR2": {"levels": 2},
        "So4": {"simulate": {}, "levels": 4},
        "Pairs": {"from": "crowd", "method": "frequency", "range": [0, 1]},
        "MEd": {"from": "ME", "normalise": "geometric", "ratio": True},
    },
    "judgments": {
        "S11": {"simulate": {"workers": 60}, "levels": 11},
        "S4": {"simulate": {"workers": 60}, "levels": 4},
        "S2": {"simulate": {"workers": 60}, "levels": 2},
        "ME": {"simulate": {"workers": 60}, "ratio": True},
        "MEz": {"from": "ME", "normalise": "z-score", "ratio": True},
    },
    "preferences": {
        "answers": {"simulate": {"task": "crowd", "workers": 12}, "values": [-1, 1]},
    },
    "simulation": {"seed": 3, "workers_per_document": 4},
    "measures": ["AP", "nDCG@10"],
    "transformations": [
        {
            "source": "S4",
            "levels": 2,
            "references": ["TR2_a", "S2"],
            "methods": ["h2", "d2_at"],
        },
        {"source": "S11", "levels": 2, "references": ["TR2"], "experts": ["TR2"]},
        {"source": "S11", "levels": 3, "methods": ["tw1"], "experts": ["TR2"]},
        {"source": "MEd", "levels": 2, "references": ["TR2"], "grid": 9, "experts": ["TR2"]},
    ],
    "trust": [
        {
            "transformation": "S11-to-2",
            "searches": ["tw1", "d2_at@TR2"],
            "splits": 2,
            "resamples": 5,
            "bootstrap": ["topics", "units", "workers", "documents"],
            "budget": [2],
            "samples": 2,
        }
    ],
    "per_judge": [
        {"transformation": "S11-to-2", "searches": ["h1_ta", "tw1", "d2_at@TR2"], "minimum": 4}
        | {"fewer": [1]},
        {"transformation": "S4-to-2", "searches": ["d2_at@S2"], "between": ["topics"]}
        | {"others": [], "votes": ["majority"], "fewer": []},
    ],
    "sweeps": {
        "choices": {
            "baseline": {"labels": "TR2", "measure": "AP"},
            "axes": {
                "labels": ["TR2", "So4", {"cuts": "S11-to-2", "which": ["best", "every"]}],
                "ties": ["rank", "docno"],
                "measure": ["AP", "nDCG@10"],
                "test": ["t/none", "t/holm"],
            },
        },
        "ways": {
            "baseline": {"labels": "S4 majority", "reference": "So4"},
            "axes": {
                "labels": [
                    {"judgments": "S4", "aggregate": ["majority"]},
                    {"judgments": "S11", "cuts": ["best", "every"], "levels": 4},
                ],
                "metric": ["ordinal", "nominal"],
                "topics": ["all", "halves-2"],
            },
        },
    },
    "cut_comparisons": [["MEd-to-2", "S11-to-2"]],
    "cut_criteria": ["S11-to-2"],
    "cut_levels": [{"transformation": "S11-to-2", "enumerate_to": 3}],
    "magnitudes": [
        {"set": "ME", "references": ["So4", "TR2"], "samples": 10} | {"resamples": 10},
        {"name": "given", "set": "MEz", "normalise": "none"},
    ],
    "pair_tasks": [
        # 20 documents of each topic are judged: five groups
        {"name": "crowd", "pool": "S4", "topics": ["402", "403"], "known": "TR2", "size": 4}
        | {"relevant": [1], "not_relevant": [0], "partitions": 2, "pseudo": 6}
    ],
    "pairs": [
        {"name": "crowd", "set": "answers", "task": "crowd", "references": ["TR2"]}
        | {"combined": [["frequency", "absolute", "ratio"]], "parts": [2], "price": 0.01}
        | {"partitions": {"counts": [1], "draws": 2}}
    ],
    "pair_budgets": [
        {"set": "answers", "references": ["TR2"], "shares": [0.5], "repeats": 2}
        | {"per_document": [0.5, 1], "replays": 2, "top": 2}
    ],
    "pair_worlds": {"shapes": ["normal", "careless"], "worlds": 3},
    "ties": {"qrels": "TR2", "rho": ["1.5", "2", "4"], "measures": ["RR", "RBP(p=0.5)", "AP"]},
    "pools": {
        "qrels": "TR2",
        "contributors": "all",
        "depths": [2, 3, 5],
        "baseline": 5,
        "votes": [3],
        "fused": ["RRF@8", "CombSUM@8"],
        "measures": ["AP", "RBP(p=0.98)"],
    },
    "leave_one_out": [{"name": "runs", "by": "run", "pooling": "Depth@5"}],
    "residuals": {
        "qrels": "TR2",
        "measures": ["RR", "AP"],
        "nearest": ["AP"],
    },
    "ranges": {"qrels": "TR2", "measures": ["AP", "nDCG"]},
    "discrimination": {},
    "significance": ["TR2"],
    "pair_tests": {"test": "tukey_hsd", "significance": 0.3},  # three topics tell little apart
    "ancova": {"depths": [2, 3, 4, 5]},
    "expert_cuts": [{"source": "So4", "reference": "TR2", "pool": "S4"}],
    "overlaps": {"pool": "S4", "sets": ["TR2", "So4", "S2"]},
    "criteria": [{"set": "TR2", "others": ["So4"], "steps": 2}],
    "rated_lists": [
        {
            "name": "web",
            "file": "lists.csv",
            "fields": ["assessor", "topic", "rank", "docno", "relevance", "credibility", "comment"],
            "criteria": ["relevance", "credibility"],
            "values": [1, 2, 3, 4],
            "relevant_from": [3],
        }
    ],
    "power": [
        {
            "name": "scales",
            "sets": ["S11", "S4"],
            "experts": ["So4"],
            "levels": [2, 3],
            "cuts": {"sets": ["S11"], "levels": [2, 3], "evaluated": 4, "individually": 2},
            "extended": ["S4"],
            "measures": ["nDCG@10"],
            "tests": ["t", "bootstrap"],
            "assessor_resamples": 2,
        }
    ],
    "pages": [
        {
            "set": "S4",
            "file": "pages.tsv",
            "columns": {"topic": "topic", "winner": "winner"},
            "winners": {"0": SYSTEMS[0], "1": None, "2": SYSTEMS[1]},
            "measures": ["nDCG@10"],
        }
    ],
    "synthetic_power": {
        "topics": 40,
        "batch": 10,
        "grades": [2, 4],
        "tests": [10],
        "repeats": 3,
    },
    "compare": {
        "pairs": [["So4", "S4"], ["TR2", "So4"]],
        "measures": ["nDCG@10"],
        "resamples": 20,
        "splits": 20,
    },
    "judges": [
        {"reference": "So4", "sets": ["S11", "S4", "TR2"], "cuts": {"S11": {"low": [1, 3, 6]}}}
        | {"measures": ["nDCG@10", "AP"], "resamples": 20, "folds": 2}
    ],
    "families": {"first": ["group01*", "group03v1"], "second": "group02*"},
    "favour": [{"reference": "So4", "sets": ["S4", "TR2"], "controls": ["S11"], "draws": 100}],
    "replace": [{"reference": "So4", "judge": "TR2", "judgments": "S4", "resamples": 20}],
    "calibration": [{"reference": "So4", "sets": ["S11"]}],
    "panel": [
        {"reference": "So4", "sets": ["S4", "TR2"], "kin": {"people": ["S4"]}, "resamples": 20}
    ],
    "meta_analysis": [{"collections": ["tiny"]}],
    "ranking": [{"qrels": "TR2", "judges": ["So4"]}],
    "system_pairs": [{"qrels": "TR2", "first": SYSTEMS[0], "second": SYSTEMS[1]}],
    "topic_analysis": [
        {"qrels": "TR2", "between": [*SYSTEMS]},
        {"name": "labels", "qrels": "So4", "second": "TR2"},
    ],
    "estimates": [{"models": ["So4"], "qrels": "TR2", "budget": 23}],
    "studies": {
        "compare": {
            item.name: {
                option: value
                for option, value in (("judges", "So4"), ("pair", "So4-and-S4"))
                if option in item.options
            }
            for item in STUDIES["compare"].items
            if item.name != "table-groups"  # there are none
        },
        "favour": {item.name: {"favour": "So4"} for item in STUDIES["favour"].items},
        "chu2021": {
            item.name: {option: {"power": "scales", "set": "S4"}[option] for option in item.options}
            for item in STUDIES["chu2021"].items
        },
        "lioma2017": {
            item.name: CRITERIA if item.shows[0].startswith("criteria") else {"set": "web"}
            for item in STUDIES["lioma2017"].items
        },
        "ranking": {item.name: {"ranking": "TR2"} for item in STUDIES["ranking"].items},
        "sweeps": {item.name: {} for item in STUDIES["sweeps"].items},
        "turpin2015": {
            **dict.fromkeys(("table-1", "table-3", "table-gains", "table-discordant"), ME),
            **dict.fromkeys(("figure-1", "figure-4", "figure-per-document"), ME),
            "table-cuts": {},
            "figure-7": {"set": "given"},
        },
        "yang2019": {item.name: CHOSEN.get(item.name, {}) for item in STUDIES["yang2019"].items},
        "han2019": {
            item.name: {
                option: value
                for option, value in (BINARY | OF_SEARCHES.get(item.name, {})).items()
                if option in item.options
            }
            for item in STUDIES["han2019"].items
            if item.name not in AS_OTHERS
        },
    },
}


KEPT = {
    "compare": ("figure-systems", "figure-judge-systems"),
    "favour": ("figure-documents",),
    "chu2021": ("figure-6", "figure-pages"),
    "lioma2017": ("figure-ties",),
    "ranking": ("figure-systems",),
    "sweeps": ("figure-curve", "figure-label-curve"),
    "turpin2015": ("figure-7",),
    "yang2019": ("figure-3.6", "figure-3.7", "figure-3.9", "figure-3.10", "figure-4.5"),
    "han2019": ("figure-1", "figure-3", "figure-tau"),
}
"""Figures of each study that are drawn first: all are drawn by one script."""

FEW = TINY | {
    "studies": {
        study: {
            item: options
            for item, options in items.items()
            if item in KEPT[study] or not item.startswith("figure")
        }
        for study, items in TINY["studies"].items()
    }
}
"""The tiny collection with these figures."""


@pytest.fixture(scope="session")
def house_before(house) -> dict[str, bytes]:
    """What the copy held before the tiny collection was built."""
    return house.contents()


@pytest.fixture(scope="session")
def built(house, house_before, tmp_path_factory) -> Path:
    """Where the tiny collection was built, from the compiled kernels that `make` compiles.

    All stages and tables, and few figures.
    """
    house.python(KEEP_RECORDED)
    directory = configured(tmp_path_factory.mktemp("built"), "tiny", FEW)
    house.snakemake(directory).well()
    return directory
