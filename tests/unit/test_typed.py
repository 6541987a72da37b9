"""What type checkers know of the library: every public name, and what it gives."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import regrade

PACKAGE = Path(regrade.__file__).parent

SCRIPT = """\
from regrade import gate, rank, read_scores

scores = read_scores({"a": {"1": 0.1, "2": 0.4}, "b": {"1": 0.2, "2": 0.3}})
name: str = scores.name
passed: bool = gate("a", "b", scores=scores, margin=0.01).passed
rank(scores).nothing.of.the.kind = 1
gate("a", "b").neither
"""


def test_the_stub_names_what_there_is():
    (stub,) = PACKAGE.glob("__init__.pyi")
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    parts = [one for one in tree.body if isinstance(one, ast.ImportFrom)]
    names = {alias.asname: f"{one.module}.{alias.name}" for one in parts for alias in one.names}
    assert sorted(names) == sorted(regrade.__all__)
    for name, source in names.items():
        module, _, own = source.rpartition(".")
        assert getattr(regrade, name) is getattr(sys.modules[module], own)


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()


def test_a_checker_reads_a_script(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    file = tmp_path / "script.py"
    file.write_text(SCRIPT)
    words = ["-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, *words, str(file)], capture_output=True, text=True, check=False
    )
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(lines) == 1, done.stdout
    assert '"Gate" has no attribute "neither"' in lines[0]
