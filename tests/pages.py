"""The pages of the questions, docs/questions: their examples are run and their output is printed.

``python -m tests.pages`` writes the output of the commands, the measured coverage and the figures;
the tests compare.  The files are those of ``regrade demo --files``; those of the README's first
screen are the runs and qrels of DL-21 in the folder that ``REGRADE_DATA`` names.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
from functools import partial
from pathlib import Path
from textwrap import fill

import yaml
from click.testing import CliRunner
from matplotlib.figure import Figure

import regrade
from benchmarks.coverage import INTERVALS_KEPT
from regrade.command.app import app
from regrade.command.declare import FOUND
from regrade.command.example_files import write_examples
from regrade.ranking.figures import figure_systems
from regrade.show.style import save
from regrade.workflow.collection import Collection
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import complete

PROJECT = Path(__file__).parents[1]
FOLDER = PROJECT / "docs" / "questions"
PICTURES = PROJECT / "docs" / "images" / "questions"
README = PROJECT / "README.md"
FIRST_SCREEN = PROJECT / "docs" / "images" / "rank.svg"
PAGES = sorted(FOLDER.glob("*.md"))
BLOCKS = re.compile(
    r"```(?P<kind>sh|python)\n(?P<code>.*?)```(?P<shown>\n\n```text\n.*?```)?", re.DOTALL
)
# one that holds another begins and ends with one more backtick
BLOCK = re.compile(r"^( *`?)```(\S*)\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
COVERED = re.compile(r"<!-- coverage: ([\w ]+) -->\n.*?<!-- end -->", re.DOTALL)


def blocks(path: Path, kind: str) -> list[str]:
    """What a page has in blocks of a kind: `sh`, `python`, `yaml`."""
    found = BLOCK.findall(path.read_text(encoding="utf-8"))
    return [text for _, named, text in found if named == kind]


def commands(path: Path) -> list[list[str]]:
    """The words of each line that can be typed; a line may go on after a backslash."""
    text = "".join(blocks(path, "sh")).replace("\\\n", " ")
    return [words for line in text.splitlines() if (words := shlex.split(line, comments=True))]


def examples(folder: Path) -> None:
    """The files that the pages name."""
    write_examples(PROJECT / "data" / "demo", folder)


def stand_ins(value: object, folder: Path) -> None:
    """Files of the names under which a configuration finds its own."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            stand_ins(one, folder)
    elif isinstance(value, str) and "{data}" in value:
        for instance in ("one", "two") if "*" in value else ("one",):
            file = Path(value.replace("{data}", str(folder)).replace("*", instance))
            file.parent.mkdir(parents=True, exist_ok=True)
            line = "one group\n" if file.stem == "groups" else "401 Q0 d1 1 1.0 one\n"
            file.write_text(line, encoding="utf-8")


def updated(page: str, folder: Path) -> tuple[str, dict]:
    """A page with all that its examples print written anew, and the names that its Python has."""
    names: dict = {}

    def anew(block: re.Match) -> str:
        run = _output if block["kind"] == "sh" else partial(_output_of_python, names=names)
        with contextlib.chdir(folder):
            output = run(block["code"])
        shown = f"\n\n```text\n{_folded(output)}```" if block["shown"] else ""
        return f"```{block['kind']}\n{block['code']}```{shown}"

    page = BLOCKS.sub(anew, page)
    page = COVERED.sub(
        lambda m: f"<!-- coverage: {m[1]} -->\n{coverage(m[1].split())}<!-- end -->", page
    )
    return page, names


def updated_front(front: str, folder: Path) -> str:
    """The README with the output of its first command, to the method, on DL-21's files."""
    command, shown = re.search(
        r"```sh\n(regrade rank .*)\n```\n\n```text\n(.*?)```", front, re.S
    ).groups()
    command = command.replace("qrels.txt", "qrels.gz")
    with contextlib.chdir(folder):
        output = _folded(_output(command).partition("\nMethod:")[0])
    return front.replace(shown, output)


def _output(lines: str) -> str:
    """What commands print, but for ``regrade demo --files``, which made the folder."""
    output = ""
    for line in lines.splitlines():
        if not line.startswith("regrade demo"):
            done = CliRunner().invoke(app, shlex.split(line)[1:])
            if done.exit_code not in (0, FOUND):
                raise RuntimeError(f"{line}: {done.output}")
            output += done.stdout
    return output


def _output_of_python(code: str, names: dict) -> str:
    """What Python prints."""
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(code, "page", "exec"), names)
    return output.getvalue()


def _folded(output: str) -> str:
    """In lines of at most 100 characters, but for those of tables."""
    lines = (fill(one, 100, break_on_hyphens=False) if "   " not in one else one.rstrip()
             for one in output.splitlines())  # fmt: skip
    return "".join(f"{one}\n" for one in lines)


def coverage(names: list[str]) -> str:
    """The measured coverage of intervals as a table: the populations, least and most coverage."""
    kept = INTERVALS_KEPT.read()
    lines = ["| 95% CI | simulated and real populations | coverage |", "|---|---|---|"]
    for name in names:
        share = kept.loc[(kept["interval"] == name) & (kept["given"] > 0), "held"]
        link = f"[{name.replace('_', ' ')}](../coverage.md#{name})"
        lines.append(f"| {link} | {len(share)} | {share.min():.1%}–{share.max():.1%} |")
    return "".join(f"{line}\n" for line in lines)


def configured(page: str) -> list[Collection]:
    """The collections of a page's configurations, checked."""
    blocks = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    return [read_collection("mine", complete(yaml.safe_load(block))) for block in blocks]


def first_screen(folder: Path) -> Figure:
    """The figure of the README's first screen: the first 20 systems."""
    ranking = regrade.rank(folder / "qrels.gz", folder / "runs", "nDCG@10")
    return figure_systems(ranking.systems, ranking.facts, measure=None, limit=20)


def main() -> None:
    """Write all pages and their pictures."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "example"
        examples(folder)
        for path in PAGES:
            page, names = updated(path.read_text(encoding="utf-8"), folder)
            path.write_text(page, encoding="utf-8")
            if "figure" in names:
                names["figure"].savefig(PICTURES / f"{path.stem}.png", dpi=100)
    if "REGRADE_DATA" in os.environ:
        folder = Path(os.environ["REGRADE_DATA"]) / "dl21"
        front = README.read_text(encoding="utf-8")
        README.write_text(updated_front(front, folder), encoding="utf-8")
        save(first_screen(folder), FIRST_SCREEN)


if __name__ == "__main__":
    main()
