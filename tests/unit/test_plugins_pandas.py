"""The accessor of pandas, and what it costs whoever does not use it."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import regrade
import regrade.plugins.pandas

ROWS = np.random.default_rng(1).uniform(size=(3, 30))


@pytest.fixture
def frame():
    return pd.DataFrame(
        [
            {"system": system, "topic": f"q{i:02}", "measure": "acc", "value": value}
            for system, own in zip("abc", ROWS, strict=True)
            for i, value in enumerate(own)
        ]
    )


def test_each_question_is_the_librarys(frame):
    assert frame.regrade.scores().table.num_rows == 90
    few = {"draws": 100, "splits": 2}
    assert str(frame.regrade.rank(**few).answer) == str(regrade.rank(frame, **few).answer)
    pair = frame.regrade.compare_systems("a", "b", margin=0.1)
    assert str(pair.answer) == str(
        regrade.compare_systems(frame, first="a", second="b", margin=0.1).answer
    )
    gate = frame.regrade.gate("a", "b")
    assert gate.reason == regrade.gate("a", "b", scores=frame).reason
    assert len(frame.regrade.topics().topics) == 30


def test_whoever_does_not_ask_for_it_imports_nothing():
    code = "import sys, regrade; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
