"""The notebooks in docs run from their first cells to their last."""

import ast
import contextlib
import io
import json
from pathlib import Path

import pytest

from tests.pages import examples

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("notebooks")
    examples(made / "example")
    return made


def run(name: str, folder: Path) -> tuple[list, str]:
    """What the cells of a notebook show, and all that they print."""
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    scope: dict = {}
    shown = []
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as said:
        for cell in cells:
            if cell["cell_type"] != "code":
                continue
            tree = ast.parse("".join(cell["source"]))
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, "cell", "exec"), scope)
            if last is not None:
                shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), scope))
    return shown, said.getvalue()


def test_the_example_runs(tmp_path):
    shown, _ = run("example", tmp_path)
    texts = [repr(value) for value in shown]
    assert "<Labels expert: 300 documents of 10 topics" in texts[0]
    assert "4 systems on 10 topics of expert" in texts[1]
    assert texts[2].startswith("<Cut at ")
    assert "gain over equal widths" in texts[3]
    assert "Replacing " in texts[5]
    assert len(shown[-1]) == 6


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rank", "group04v2 has the highest mean nDCG@10"),
        ("compare", "preserves the ranking of 12 systems"),
        ("judges", " (willia-umbrela1)."),
        ("favour", "favours or disfavours a family beyond second"),
        ("replace", "model cannot replace people: 1 of 8 lines ("),
        ("cut", "Thresholds 36 and 76 maximise α"),
        ("rank-scores", "group04v2 has the highest mean nDCG@10"),
        ("leaderboards", "preserves the ranking of 12 systems"),
        ("unjudged", "group04v2 ranks first under any assignment of grades"),
    ],
)
def test_the_notebooks_of_questions_run(name, said, folder):
    shown, printed = run(name, folder)
    assert said in printed
    assert all(value is None or repr(value) for value in shown)


def test_every_notebook_is_run():
    names = {path.stem for path in FOLDER.glob("*.ipynb")}
    of_scores = {"rank-scores", "leaderboards"}
    of_judges = {"judges", "favour", "replace"}
    assert names == {"example", "rank", "compare", "cut", "unjudged"} | of_judges | of_scores
