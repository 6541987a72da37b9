"""Every line of Snakemake in README and docs is a dry run, on files of the names that it needs."""

import os
import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.pages import BLOCK, PROJECT, blocks, commands, stand_ins
from tests.unit.test_examples import PAGES
from tests.workflow import forked

pytestmark = pytest.mark.slow

NOT_RUN = {
    "--workflow-profile": "needs a cluster's plugin; profiles are run in test_cluster",
    "--default-storage-provider": "needs a storage; test_storage has one",
    "--unlock": "unlocks a folder, and makes nothing",
    "--keep-going": "the name of an option",
    "--report": "needs what a run has made",
}
"""Words of lines that are not run here, and why."""

INLINE = re.compile(r"`(snakemake [^`]+)`")


def typed_lines(path):
    """The lines of a page, in sentences too."""
    lines = [words[1:] for words in commands(path) if Path(words[0]).name == "snakemake"]
    text = BLOCK.sub("", path.read_text(encoding="utf-8"))
    lines += [shlex.split(" ".join(found.split()))[1:] for found in INLINE.findall(text)]
    return [words for words in lines if not {*words} & {*NOT_RUN}]


LINES = {
    " ".join(words): (path, words)
    for path in sorted(PAGES)
    if path.stem not in ("recipes", "own-workflow")
    for words in typed_lines(path)
}


def configuration(page, name, folder):
    """A configuration that a line names: of the project, or in a block of its page."""
    file = folder / name
    if not file.exists():
        texts = blocks(page, "yaml")
        named = [text for text in texts if text.startswith(f"# {name}\n")]
        whole = [text for text in texts if text.startswith("collection:")]
        file.write_text((named or whole)[0], encoding="utf-8")
    return file


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PROJECT / "src")}


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_a_dry_run(line, tmp_path):
    page, words = LINES[line]
    (tmp_path / "config").symlink_to(PROJECT / "config")
    words = [one.replace("=FOLDER", f"={tmp_path / 'files'}") for one in words]
    words = [re.sub("^data=/.*", f"data={tmp_path / 'files'}", one) for one in words]
    if "--configfile" in words:
        file = configuration(page, words[words.index("--configfile") + 1], tmp_path)
        place = next((one[5:] for one in words if one.startswith("data=")), str(tmp_path / "data"))
        stand_ins(yaml.safe_load(file.read_text(encoding="utf-8")), Path(place))
    asked = ["-s", str(PROJECT / "Snakefile"), "--dry-run", *words]
    asked[:0] = [] if "--cores" in words else ["--cores", "2"]
    status, printed = forked.snakemake(asked, tmp_path, ENVIRONMENT)
    assert status == 0, printed[-3000:]
