"""The examples of docs/own-workflow.md: regrade as a module of a host, each run on small files."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.pages import blocks, commands
from tests.workflow import forked
from tests.workflow.conftest import CLONE, Ran
from tests.workflow.test_module import GIT

pytestmark = pytest.mark.workflow

PAGE = CLONE / "docs" / "own-workflow.md"
PLAIN, CHANGED, TWO = "Snakefile", "Snakefile with a changed rule", "Snakefile with two modules"
FOLDER, ADDRESS = "Snakefile of a folder", "Snakefile of a git address"
FILES = {"mine.yaml": blocks(PAGE, "yaml")[0]} | {
    re.match(r"# (.+)\n", text)[1]: text for text in [*blocks(PAGE, "yml"), *blocks(PAGE, "python")]
}
"""Name → text of each example; of a Snakefile the name says which."""


def host(folder: Path, snakefile: str) -> Path:
    """A folder with a Snakefile of the page, and all that its configurations name."""
    rng = np.random.default_rng(1)
    for name, text in FILES.items():
        if not name.startswith("Snakefile"):
            (folder / name).write_text(text, encoding="utf-8")
    (folder / "Snakefile").write_text(FILES[snakefile], encoding="utf-8")
    for collection in ("dl19", "dl20"):
        data = folder / "data" / collection
        (data / "runs").mkdir(parents=True)
        relevance = {topic: rng.random(12) for topic in range(4)}
        grades = [
            f"{t} 0 d{d} {int(4 * v)}\n" for t, r in relevance.items() for d, v in enumerate(r)
        ]
        (data / "qrels.txt").write_text("".join(grades))
        for name, noise in (("bm25", 0.4), ("dense", 0.1), ("fused", 0.2)):
            lines = []
            for topic, values in relevance.items():
                scores = values + noise * rng.standard_normal(12)
                places = enumerate(np.argsort(-scores), 1)
                lines += [f"{topic} Q0 d{d} {i} {scores[d]} {name}\n" for i, d in places]
            (data / "runs" / f"{name}.txt").write_text("".join(lines))
    return folder


@pytest.fixture
def snakemake(house):
    """Snakemake in a folder, as the page has it typed."""

    def run(folder: Path, *arguments: str, **environment: str) -> Ran:
        cores = [] if "--cores" in arguments else ["--cores", "2"]
        cache = {"XDG_CACHE_HOME": str(folder / "cache")}
        others = house.environment() | cache | environment
        return Ran(*forked.snakemake([*cores, *arguments], folder, others, house.server)).well()

    return run


def test_each_example_of_the_page_is_named():
    assert {PLAIN, CHANGED, TWO, FOLDER, ADDRESS, "first_places.py", "mine.yaml", "both.yaml"} == {
        *FILES
    }


def test_the_first_rule_of_the_host_is_its_default_target(tmp_path, snakemake):
    jobs = snakemake(host(tmp_path, PLAIN), "--dry-run").jobs
    assert jobs == {
        "first_places": 1,
        "regrade_collect_runs": 2,
        "regrade_collect_qrels": 2,
        "regrade_code_qrels": 2,
        "regrade_rank_runs": 2,
    }
    assert f"{sum(jobs.values())} jobs" in PAGE.read_text(encoding="utf-8")


def test_a_rule_is_changed_and_a_snakefile_of_the_module_alone_makes_all(tmp_path, snakemake):
    planned = snakemake(host(tmp_path, CHANGED), "--dry-run")
    assert {"regrade_all": 1, "regrade_report": 2}.items() <= planned.jobs.items()
    scored = [said for said in planned.field("resources") if "mem_mb=6000" in said]
    assert len(scored) == 2 and all("runtime=60" in said for said in scored)


def test_the_module_of_a_folder(tmp_path, snakemake, house):
    (tmp_path / "regrade").symlink_to(house.root)
    jobs = snakemake(host(tmp_path, FOLDER), "--dry-run", "regrade_score").jobs
    assert jobs["regrade_score_qrels"] == 2


@pytest.mark.slow
def test_the_commands_of_the_page(tmp_path, snakemake):
    host(tmp_path, PLAIN)
    typed = [words for words in commands(PAGE) if words[0] == "snakemake"]
    for _, *arguments in typed[:-1]:
        snakemake(tmp_path, *arguments)
    firsts = pd.read_csv(tmp_path / "first-places.csv")
    results = tmp_path / "results"
    assert {*firsts["path"].str.split("/").str[1]} == {"dl19", "dl20"}
    for first in firsts.itertuples():
        scores = pd.read_parquet(results / first.path.split("/")[1] / "scores" / "NIST.parquet")
        means = (
            scores[scores["measure"] == first.measure]
            .groupby("system", observed=True)["value"]
            .mean()
        )
        assert means[first.system] == pytest.approx(means.max(), abs=1e-12)
    together = pd.read_parquet(results / "all" / "ranking" / "systems.parquet")
    assert {*together["collection"]} == {"dl19", "dl20"}
    assert (results / "dl19" / "report.html").is_file()
    assert not (results / "dl20" / "report.html").is_file()


@pytest.mark.slow
def test_two_modules_of_other_configurations(tmp_path, snakemake):
    host(tmp_path, TWO)
    _, *arguments = [words for words in commands(PAGE) if words[0] == "snakemake"][-1]
    snakemake(tmp_path, *arguments)
    plain, strict = (
        pd.read_parquet(tmp_path / folder / "results" / "dl19" / "scores" / "NIST.parquet")
        for folder in (".", "strict")
    )
    of_ap = [one[one["measure"] == "AP"]["value"].tolist() for one in (plain, strict)]
    assert len(of_ap[0]) == len(of_ap[1]) == 12 and of_ap[0] != of_ap[1]


@pytest.mark.slow
def test_the_module_of_a_git_address(tmp_path, snakemake, house):
    """Of which git is told that it lies in a folder."""
    owner, name, tag = re.search(r'github\("(\w+)/(\w+)", .*tag="(.+)"\)', FILES[ADDRESS]).groups()
    repository = tmp_path / "hosted" / owner / name
    repository.mkdir(parents=True)
    shutil.copytree(house.root / "workflow", repository / "workflow")
    for command in ("init -q -b main", "add .", "commit -q -m all", f"tag {tag}"):
        subprocess.run([*GIT, *shlex.split(command)], cwd=repository, check=True)
    elsewhere = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{tmp_path / 'hosted'}/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/",
        "GITHUB_TOKEN": "",
    }
    folder = tmp_path / "host"
    folder.mkdir()
    snakemake(host(folder, ADDRESS), "results/dl20/scores/NIST.parquet", **elsewhere)
    assert (folder / "results" / "dl20" / "scores" / "NIST.parquet").is_file()
