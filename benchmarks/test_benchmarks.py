"""The table says what was measured, and two sides that disagree are not compared."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from benchmarks.alpha import _others_median
from benchmarks.measuring import ONE_THREAD, Measured, Settings, in_own_process
from benchmarks.report import Result, as_json, as_markdown, check_agreement
from benchmarks.rows import Row

ROW = Row("row", "work", "m:f", seconds=3, gigabytes=1, peer_name="peer", times_faster=100)


def measured(*seconds, **fields):
    return Measured([np.array([wall, 2 * wall]) for wall in seconds], **fields)


def test_a_limit_is_met_by_the_median_the_peak_and_the_ratio():
    ours = measured(1, 9, 2, gigabytes=0.5)
    assert Result(ROW, ours, measured(200)).checks == [True, True, True]
    assert Result(ROW, ours, measured(199)).checks == [True, True, False]
    assert Result(ROW, measured(3.1, gigabytes=1.0)).checks == [False, False, None]
    assert Result(ROW, ours).met == "not tested"
    assert Result(ROW, ours, measured(200)).met == "yes"
    assert Result(ROW, ours, measured(199)).met == "no"
    assert Result(ROW, ours, measured(200), failure="disagrees").met == "no"


def test_markdown_and_json_tell_the_same():
    result = Result(ROW, measured(1, 2, 3, gigabytes=0.5), measured(1000, note="sampled"))
    text = as_markdown([result], "About.")
    cells = [cell.strip() for cell in text.splitlines()[4].split("|")[1:-1]]
    assert cells[:7] == ["row", "work", "2 (1–3)", "4", "0.50 GB", "3 s, 1 GB, 100 ×", "yes"]
    assert cells[7:12] == ["peer", "1,000", "2,000", "0.00 GB", "500 ×"]
    assert "- row, peer: sampled" in text
    row = json.loads(as_json([result], "About."))["rows"][0]
    assert row["met"] == "yes" and row["ratio"] == 500 and row["ours"]["spans"][2] == [3, 6]


def test_a_row_without_numbers_says_why():
    failed = as_markdown([Result(ROW, failure="failed: no memory")], "")
    assert "- row: failed: no memory" in failed
    missing = as_markdown([Result(ROW, measured(1), measured(missing="no program"))], "")
    assert "no program" in missing


@pytest.mark.parametrize("theirs", [[1.0, np.nan], [1.0, 2.1], [1.0, 2.0, 3.0]])
def test_sides_that_disagree_are_refused(theirs):
    ours = measured(1, values=np.array([1.0, 2.0]))
    check_agreement(ROW, ours, measured(1, values=np.array([1.0, 2.0 + 1e-11])))
    with pytest.raises(ValueError, match="row"):
        check_agreement(ROW, ours, measured(1, values=np.array(theirs)))


def test_the_medians_of_the_other_values():
    rng = np.random.default_rng(0)
    document = rng.permutation(np.repeat(np.arange(5), [2, 3, 4, 9, 10]))
    value = rng.integers(0, 5, len(document))
    expected = [
        np.median(np.delete(value, i)[np.delete(document, i) == document[i]])
        for i in range(len(value))
    ]
    np.testing.assert_array_equal(_others_median(document, value), expected)


def hold(settings: Settings, megabytes: int) -> Measured:
    block = np.ones(megabytes * 125_000)
    return measured(1, values=block[:1])


def test_a_process_has_its_own_peak():
    settings = Settings(Path(), None, 1, 1)
    name = "test_benchmarks:hold"
    large = in_own_process(name, settings, 400).gigabytes
    small = in_own_process(name, settings, 1).gigabytes
    assert 0.35 < large - small < 0.45


def variable(name: str) -> str | None:
    return os.environ.get(name)


@pytest.mark.parametrize("name", ONE_THREAD)
def test_only_the_process_gets_its_environment(name, monkeypatch):
    monkeypatch.delenv(name, raising=False)
    function = "test_benchmarks:variable"
    assert in_own_process(function, name, environment=ONE_THREAD) == "1"
    assert in_own_process(function, name) is None
