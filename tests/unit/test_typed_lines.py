"""Every line of ``regrade`` in README and docs is run, on files of the names that it mentions.

Elsewhere: pages of the questions (`test_pages`), docs/command.md (`test_command`), recipes
(`test_recipes`); lines of Snakemake are dry runs (tests/workflow/test_typed_lines.py).
"""

import contextlib
import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from regrade.command import workflow
from regrade.command.app import app
from regrade.tables import write_table
from regrade.workflow.chosen import chosen_collections
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import complete
from tests.each import each
from tests.pages import BLOCK, FOLDER, PROJECT, commands, examples
from tests.unit.test_command import SWEPT
from tests.unit.test_examples import PAGES

STAND_INS = {"nist.qrels": "qrels.txt", "scores.tsv": "models.tsv", "second.qrels": "model.qrels"}
"""Names of files that a page mentions and the example lacks → those that stand in for them."""

NOT_RUN = {
    "regrade assign runs model.qrels -m …": "a line whose end is left out",
    "regrade run FILE -n": "FILE is whatever file is no configuration",
    "regrade targets FILE --group grids": "FILE is a configuration with grids",
    "regrade tables FILE": "FILE is any file of results",
    "regrade tables FOLDER": "FOLDER is any folder of results",
    "regrade tables FOLDER --json": "the same",
    "regrade explain KEY": "KEY is any key",
    "regrade tables NAME": "NAME is any table",
    "regrade pairs --next": "a question by its name",
}
"""Lines that name nothing that could be run, and why."""

ALONE = {"init . runs": ("qrels.txt", "runs")}
"""Lines of a folder that holds these files only."""

COMMANDS = app.commands
ELSEWHERE = ("recipes", "command")
INLINE = re.compile(r"`(regrade [^`]+)`")


def typed_lines(path):
    """The lines of a page: of blocks, and in sentences those of more than a command's name."""
    lines = [words for words in commands(path) if words[0] == "regrade"]
    text = BLOCK.sub("", path.read_text(encoding="utf-8"))
    inline = (" ".join(found.split()) for found in INLINE.findall(text))
    lines += [shlex.split(line, comments=True) for line in inline if line not in NOT_RUN]
    return [words[1:] for words in lines if len(words) > 2]


LINES = [
    (path.relative_to(PROJECT).as_posix(), words)
    for path in PAGES
    if path.stem not in ELSEWHERE and path.parent != FOLDER
    for words in typed_lines(path)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("typed") / "example"
    examples(made)
    for name, stands_in in STAND_INS.items():
        shutil.copy(made / stands_in, made / name)
    shutil.copytree(PROJECT / "config", made / "config")
    with contextlib.chdir(made):
        CliRunner().invoke(app, ["init", "runs", "qrels.txt", "--out", "mine.yaml"])
    return made


@pytest.mark.parametrize(("page", "words"), LINES, ids=lambda one: str(one))
def test_a_line_runs(page, words, folder, monkeypatch, tmp_path):
    line = " ".join(words)
    monkeypatch.chdir(folder if line not in ALONE else tmp_path)
    for name in ALONE.get(line, ()):
        (tmp_path / name).symlink_to(folder / name)
    monkeypatch.setattr(workflow, "run_workflow", resolved)
    monkeypatch.setattr(workflow, "sweep_folders", lambda *_: {"choices": tmp_path / "swept"})
    for name, frame in SWEPT.items():
        write_table(frame, tmp_path / "swept" / f"{name}.parquet", f"sweeps/{name}")
    (folder / "FOLDER").mkdir(exist_ok=True)
    words = words[: words.index(">")] if ">" in words else words
    if words[0] == "demo":
        words = [*words[:-1], str(tmp_path / "example")]
    if "--out" in words:
        (folder / words[words.index("--out") + 1]).unlink(missing_ok=True)
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, f"{page}: {done.output}"
    assert done.stdout or words[0] in ("demo", "run")


def resolved(config, targets, *given, **options) -> int:
    """The workflow's part: the configuration can be used."""
    read = yaml.safe_load(Path(config).read_text(encoding="utf-8"))
    completed = complete(read)
    asked = {"collection": options.get("collections") or read["collection"]}
    for name in chosen_collections(completed | asked):
        assert read_collection(name, completed).name == name
    return 0


def test_what_is_not_run_is_there():
    texts = [path.read_text(encoding="utf-8") for path in PAGES]
    for line in NOT_RUN:
        assert any(line in " ".join(text.split()) for text in texts), line


def mentioned():
    """Options of questions' pages beside their commands, in sentences too."""
    for path in sorted(FOLDER.glob("*.md")):
        if path.stem in COMMANDS:
            for span in re.findall(r"`([^`\n]*--[^`\n]+)`", path.read_text(encoding="utf-8")):
                yield path, shlex.split(span)


@each(mentioned())
def test_options_in_sentences_are_those_of_a_command(path, words):
    """Those that stand without a command are of the page's; a table is one that it prints."""
    if words[0] in ("regrade", "snakemake", "make", "python"):
        words = words[1:]
    own = COMMANDS[words[0]] if words[0] in COMMANDS else COMMANDS[path.stem]
    flags = {flag: one for one in own.params for flag in one.opts}
    for place, word in enumerate(words):
        if word.startswith("--"):
            assert word in flags, word
            if word == "--table" and place + 1 < len(words):
                assert re.search(rf"\b{words[place + 1]}\b", flags[word].help), words
