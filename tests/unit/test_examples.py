"""Every page has an example, and what can be typed is run, or held against what takes it.

Run elsewhere: lines of `regrade` and of Snakemake (`test_pages`, `test_command`, and here and in
tests/workflow `test_typed_lines`), lines that begin with >>> (`test_api`), recipes
(`test_recipes`), configurations (`test_pages`, `test_collection`), and Python that reads results of
the demo (tests/workflow/test_demo.py), all of docs/own-workflow.md
(tests/workflow/test_own_workflow.py).
"""

import contextlib
import importlib.util
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
from snakemake.cli import get_argument_parser

import regrade
from regrade.catalogue import TABLES
from regrade.command.app import app
from regrade.readers import read_groups, read_pool_origins
from regrade.studies.registry import STUDIES
from regrade.workflow.targets import TARGETS, stage_targets
from tests.each import each
from tests.pages import BLOCK, PROJECT, blocks, commands, examples

PAGES = [
    *(PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "config/README.md")),
    *(PROJECT / name for name in ("benchmarks/README.md", "data/README.md", "results/README.md")),
    *sorted((PROJECT / "docs").rglob("*.md")),
]
KINDS = {"sh", "python", "yaml"}
NAMED = {*STUDIES, *TARGETS, *stage_targets()}


def test_blocks_are_of_kinds_that_are_held_against_something():
    """What is run or read here and elsewhere; else text that is shown."""
    for path in PAGES:
        kinds = {named for _, named, _ in BLOCK.findall(path.read_text(encoding="utf-8"))}
        # nothing here reads SQL; of Snakemake's own YAML (profiles, a host's) the ending is short
        assert kinds <= {*KINDS, "json", "text", "sql", "yml", ""}, path


@each(PAGES)
def test_every_page_has_an_example(path):
    """But those that only list others' files or say how to take part."""
    if path.parent.name in ("docs", "methods", "keys", "questions") or path == PAGES[0]:
        assert any(blocks(path, kind) for kind in KINDS)


# --- what takes a line ----------------------------------------------------------------------------


def of_regrade(words: list[str], page: Path) -> None:
    """Commands and options that there are; `test_pages` and `test_command` run theirs."""
    command = app.commands[words[0]]
    command.make_context(words[0], words[1:], resilient_parsing=True)


def of_snakemake(words: list[str], page: Path) -> None:
    """Options that it has, configurations and targets that there are."""
    asked = get_argument_parser(None).parse_args(words)
    for name in asked.configfile or ():
        own = blocks(page, "yaml")
        assert name.is_file() or name.name == "mine.yaml" or any(name.name in text for text in own)
    for target in asked.targets or ():
        start, _, rest = target.removeprefix("results/").partition("/")
        if target == start:
            assert target in NAMED
        elif rest.startswith("figures/"):
            _, study, item = rest.split("/")
            assert Path(item).stem in {one.name for one in STUDIES[study].items}
        elif rest != "report.html":
            parts = Path(rest).with_suffix("").parts
            assert any(set(name.split("/")) <= set(parts) for name in TABLES), rest


def of_python(words: list[str], page: Path) -> None:
    """A module that there is, with these options where it is one of the project's."""
    assert words[0] == "-m"
    module, rest = words[1], words[2:]
    if module == "pip":
        of_pip(rest, page)
    elif module.startswith("benchmarks"):
        said = of_benchmark(module)
        if "from benchmarks.samples import asked" in said:
            said += of_benchmark("benchmarks.samples")
        assert all(f'"{word}"' in said for word in rest if word.startswith("--"))
    else:
        assert importlib.util.find_spec(module)


def of_benchmark(module: str) -> str:
    """The source, or that of what is run of a package."""
    folder = PROJECT.joinpath(*module.split("."))
    source = folder / "__main__.py" if folder.is_dir() else folder.with_suffix(".py")
    return source.read_text(encoding="utf-8")


def of_pip(words: list[str], page: Path) -> None:
    extras = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    for named in re.findall(r"\[(.*?)\]", " ".join(words)):
        assert set(named.split(",")) <= extras["optional-dependencies"].keys()


def of_uv(words: list[str], page: Path) -> None:
    """The extras that it is to resolve."""
    extras = [f"[{words[i + 1]}]" for i, word in enumerate(words) if word == "--extra"]
    of_pip(extras, page)


def of_make(words: list[str], page: Path) -> None:
    """What it would do."""
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    for word in words:
        name, given, _ = word.partition("=")
        assert not given or re.search(rf"^{name} \?=", makefile, re.MULTILINE), word
    subprocess.run(["make", "--dry-run", *words], check=True, capture_output=True)


def of_sbatch(words: list[str], page: Path) -> None:
    held(shlex.split(re.sub(r"\$\w+", "2", words[words.index("--wrap") + 1])), page)


TAKERS = {
    "regrade": of_regrade, "snakemake": of_snakemake, "python": of_python, "pip": of_pip,
    "make": of_make, "sbatch": of_sbatch, "cd": lambda words, page: None,
    "uv": of_uv, "squeue": lambda words, page: None, "export": lambda words, page: None,
}  # fmt: skip


def held(words: list[str], page: Path) -> None:
    TAKERS[Path(words[0]).name](words[1:], page)


@each(path for path in PAGES if path.stem not in ("recipes", "command", "own-workflow"))
def test_what_is_typed_is_taken(path):
    with contextlib.chdir(PROJECT):
        for words in commands(path):
            held(words, path)


# --- Python ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("examples") / "example"
    examples(made)
    return made


RUN = [
    path
    for path in PAGES
    if path.parent.name != "questions"
    and path.stem not in ("recipes", "own-workflow")
    and blocks(path, "python")
]


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_python_runs_on_the_example_files(path, folder):
    for block in blocks(path, "python"):
        if ">>> " not in block and "results/" not in block:
            with contextlib.chdir(folder):
                exec(compile(block, path.name, "exec"), {})


def test_files_are_read_as_the_page_shows_them(tmp_path):
    page = PROJECT / "docs" / "data.md"
    runs, labels, judgments, preferences, groups, origins = blocks(page, "")
    paths = {}
    shown = {"runs": runs, "labels": labels, "judgments": judgments, "groups": groups,
             "preferences": preferences, "origins": origins}  # fmt: skip
    for name, text in shown.items():
        paths[name] = tmp_path / name
        paths[name].write_text(text, encoding="utf-8")
    assert regrade.read_runs(paths["runs"]).systems == ["bm25"]
    assert len(regrade.read_qrels(paths["labels"]).to_frame()) == 1
    assert regrade.read_judgments(paths["judgments"]).to_frame()["value"].tolist() == [62, 5]
    assert regrade.read_preferences(paths["preferences"]).num_rows == 1
    assert read_groups(paths["groups"])["group"].tolist() == ["CMU"]
    assert sorted(read_pool_origins(paths["origins"])["group"]) == ["CMU", "iit"]
