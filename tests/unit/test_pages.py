"""The pages of the questions: every example runs, and prints what the page says."""

import re
from pathlib import Path

import pytest
import yaml

from regrade.command.example_files import write_examples
from regrade.errors import RegradeError
from regrade.workflow.chosen import chosen_collections
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import complete
from tests.each import each
from tests.pages import (
    FOLDER,
    PAGES,
    PROJECT,
    README,
    configured,
    examples,
    updated,
    updated_front,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("pages") / "example"
    examples(made)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_says_what_its_examples_print(path, folder):
    page = path.read_text(encoding="utf-8")
    assert updated(page, folder)[0] == page, "run: python -m tests.pages"
    assert all(collection.name == "mine" for collection in configured(page))


@pytest.mark.slow
def test_the_first_screen_is_what_the_command_prints(real_data):
    front = README.read_text(encoding="utf-8")
    assert updated_front(front, real_data / "dl21") == front, "run: python -m tests.pages"


def test_examples_are_written_into_a_new_folder(folder):
    with pytest.raises(RegradeError, match="not empty"):
        write_examples(PROJECT / "data" / "demo", folder)
    assert len((folder / "pairs.tsv").read_text().splitlines()) == 8631
    assert len(list((folder / "runs").iterdir())) == 12


def test_every_page_fits_two_screens_and_is_found():
    index = (FOLDER / "index.md").read_text(encoding="utf-8")
    for path in PAGES:
        if path.stem != "index":
            assert f"]({path.name})" in index, path
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 120, path


PROFILE = yaml.safe_load((PROJECT / "profiles/default/config.yaml").read_text(encoding="utf-8"))
DOCUMENTS = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]


@each(DOCUMENTS)
def test_configurations_in_the_docs_can_be_used(path: Path):
    """Whole ones; of parts the keys.  Those of docs/keys come from configurations that are run."""
    if path.parent.name in ("keys", "questions") or path.stem == "recipes":
        return
    for block in re.findall(r"```yaml\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
        given = yaml.safe_load(block)
        if given.keys() <= PROFILE.keys():
            assert given.items() <= PROFILE.items()
        elif "collections" in given:
            whole = complete(given)
            for name in chosen_collections(whole):
                read_collection(name, whole)
        else:
            complete({"collection": "part", "collections": {"part": given}})
