"""The pages of the questions, docs/questions: their examples are run, what comes out is printed.

``python -m tests.pages`` writes what the commands print, the measured coverage, and the pictures;
the tests compare.  The files are those of ``regrade demo --files``.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import tempfile
from functools import partial
from pathlib import Path
from textwrap import fill

import yaml
from click.testing import CliRunner

from benchmarks.coverage import INTERVALS_KEPT
from regrade.command.app import app
from regrade.command.example_files import write_examples
from regrade.workflow.collection import Collection
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import complete

PROJECT = Path(__file__).parents[1]
FOLDER = PROJECT / "docs" / "questions"
PICTURES = PROJECT / "docs" / "images" / "questions"
PAGES = sorted(FOLDER.glob("*.md"))
BLOCKS = re.compile(
    r"```(?P<kind>sh|python)\n(?P<code>.*?)```(?P<shown>\n\n```text\n.*?```)?", re.DOTALL
)
BLOCK = re.compile(r"^( *)```(\S*)\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
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
        run = _printed if block["kind"] == "sh" else partial(_told, names=names)
        with contextlib.chdir(folder):
            said = run(block["code"])
        shown = f"\n\n```text\n{_folded(said)}```" if block["shown"] else ""
        return f"```{block['kind']}\n{block['code']}```{shown}"

    page = BLOCKS.sub(anew, page)
    page = COVERED.sub(
        lambda m: f"<!-- coverage: {m[1]} -->\n{held(m[1].split())}<!-- end -->", page
    )
    return page, names


def _printed(lines: str) -> str:
    """What commands print, but for ``regrade demo --files``, which made the folder."""
    said = ""
    for line in lines.splitlines():
        if not line.startswith("regrade demo"):
            done = CliRunner().invoke(app, shlex.split(line)[1:])
            if done.exit_code:
                raise RuntimeError(f"{line}: {done.output}")
            said += done.stdout
    return said


def _told(code: str, names: dict) -> str:
    """What Python prints."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(code, "page", "exec"), names)
    return said.getvalue()


def _folded(said: str) -> str:
    """In lines of at most 100 characters, but for those of tables."""
    lines = (fill(one, 100, break_on_hyphens=False) if "   " not in one else one.rstrip()
             for one in said.splitlines())  # fmt: skip
    return "".join(f"{one}\n" for one in lines)


def held(names: list[str]) -> str:
    """How often intervals hold, as a table: of all worlds in which they were measured."""
    kept = INTERVALS_KEPT.read()
    lines = ["| interval | made and real worlds | holds in |", "|---|---|---|"]
    for name in names:
        share = kept.loc[(kept["interval"] == name) & (kept["given"] > 0), "held"]
        link = f"[{name.replace('_', ' ')}](../coverage.md#{name})"
        lines.append(f"| {link} | {len(share)} | {share.min():.1%} to {share.max():.1%} |")
    return "".join(f"{line}\n" for line in lines)


def configured(page: str) -> list[Collection]:
    """The collections of a page's configurations, checked."""
    blocks = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    return [read_collection("mine", complete(yaml.safe_load(block))) for block in blocks]


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


if __name__ == "__main__":
    main()
