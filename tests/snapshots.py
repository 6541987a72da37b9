"""Sentences as plain text: compared with tests/data/answers, or written there.

`python -m tests.snapshots` writes what the tests say now; `git diff` shows what changed.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from regrade.answers.shape import Answer

FOLDER = Path(__file__).parent / "data" / "answers"
WRITING = "REGRADE_WRITE_SNAPSHOTS"


def assert_snapshot(name: str, text: str) -> None:
    """A text is that of a file of tests/data/answers."""
    path = FOLDER / f"{name}.txt"
    if os.environ.get(WRITING):
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{text}\n", encoding="utf-8")
    expected = path.read_text(encoding="utf-8") if path.exists() else None
    assert f"{text}\n" == expected, f"python -m tests.snapshots writes {path.name} anew"


def assert_said(name: str, say: Callable[..., object], cases: Iterable[tuple]) -> None:
    """What a function says of each case is in a file: the case, and below it the sentences.

    A function gives a sentence, several, or an answer.
    """
    blocks = []
    for case in cases:
        said = say(*case)
        sentences = str(said).splitlines() if isinstance(said, str | Answer) else said
        lines = [f"    {one}" for one in sentences if one] or ["    (nothing)"]
        blocks.append("\n".join([", ".join(map(str, case)), *lines]))
    assert_snapshot(name, "\n".join(blocks))


def snapshots_compared() -> dict[str, Path]:
    """The snapshots' names, each with the test file that compares it."""
    paths = sorted(Path(__file__).parent.rglob("test_*.py"))
    called = re.compile(r'\bassert_(?:snapshot|said)\(\s*"([\w-]+)"')
    return {name: path for path in paths for name in called.findall(path.read_text("utf-8"))}


if __name__ == "__main__":
    os.environ[WRITING] = "1"
    files = snapshots_compared()
    for path in FOLDER.glob("*.txt"):
        if path.stem not in files:
            path.unlink()
    sys.exit(pytest.main(["-q", *sorted({str(path) for path in files.values()})]))
