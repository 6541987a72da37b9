"""The notebook in docs runs from its first cell to its last."""

import ast
import json
from pathlib import Path

NOTEBOOK = Path(__file__).parents[2] / "docs" / "example.ipynb"


def test_the_notebook_runs():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    scope = {}
    shown = []
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), scope)
        if last is not None:
            shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), scope))
    texts = [repr(value) for value in shown]
    assert "<Labels expert: 300 documents of 10 topics" in texts[0]
    assert "4 systems on 10 topics of expert" in texts[1]
    assert texts[2].startswith("<Cut at ")
    assert "gain over equal widths" in texts[3]
    assert "system0 is the best under both." in texts[5]
    assert len(shown[-1]) == 6
