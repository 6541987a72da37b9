"""The table says what was measured, and two sides that disagree are not compared."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from benchmarks.alpha import _others_median
from benchmarks.few_labels import Cell
from benchmarks.measuring import ONE_THREAD, Measured, Settings, in_own_process
from benchmarks.report import Result, as_json, as_markdown, check_agreement
from benchmarks.rows import Row
from benchmarks.scale import (
    Size,
    Taken,
    markdown,
    with_tables,
    write_crowd,
    write_runs,
)
from regrade.readers import read_judgments, read_qrels, read_runs
from regrade.scales import Scale

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


@pytest.mark.slow
def test_a_process_has_its_own_peak():
    settings = Settings(Path(), None, 1, 1)
    name = "test_benchmarks:hold"
    large = in_own_process(name, settings, 400).gigabytes
    small = in_own_process(name, settings, 1).gigabytes
    assert 0.35 < large - small < 0.45


def variable(name: str) -> str | None:
    return os.environ.get(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ONE_THREAD)
def test_only_the_process_gets_its_environment(name, monkeypatch):
    monkeypatch.delenv(name, raising=False)
    function = "test_benchmarks:variable"
    assert in_own_process(function, name, environment=ONE_THREAD) == "1"
    assert in_own_process(function, name) is None


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_made_runs_are_what_a_reader_takes(tmp_path, ending):
    write_runs(tmp_path, 12, 3, 20, ending)
    runs = read_runs(sorted((tmp_path / "runs").iterdir())).to_pandas()
    assert runs.groupby(["system", "topic"], observed=True).size().eq(20).all()
    assert len(runs) == 12 * 3 * 20
    qrels = read_qrels(tmp_path / "qrels.txt", scale=Scale.of({"levels": 3})).to_pandas()
    assert qrels["topic"].nunique() == 12
    retrieved = set(zip(runs["topic"], runs["docno"], strict=True))
    assert set(zip(qrels["topic"], qrels["docno"], strict=True)) <= retrieved


def test_made_judgments_are_what_a_reader_takes_and_do_not_depend_on_the_number_of_topics(tmp_path):
    for topics in (2, 3):
        write_crowd(tmp_path / str(topics), topics, 20, 4)
    sliders = Scale.of({"levels": 101})
    found = read_judgments(tmp_path / "2" / "crowd.tsv", scale=sliders).to_pandas()
    assert len(found) == 2 * 20 * 4
    assert found.groupby(["topic", "docno"], observed=True)["worker"].nunique().eq(4).all()
    assert found.groupby(["topic", "unit"], observed=True).size().max() == 8
    few, more = ((tmp_path / n / "crowd.tsv").read_bytes() for n in "23")
    assert more.startswith(few)


def a_size(topics, seconds):
    scripts = {"score": Taken(1, seconds, 400.0, 90.0), "audit": Taken(2, 1.0, 50.0, 20.0)}
    disk = {"input": 1000 * topics, "codes": 500 * topics}
    return Size("runs", topics, 50, f"{topics} × 5 × 10", seconds + 1, scripts, disk)


def test_tables_of_sizes_and_their_place_in_a_page():
    tables = markdown([a_size(10, 3.0), a_size(20, 4.0)])
    lines = tables["runs"].splitlines()
    assert lines[0].split(" | ")[1:] == ["10 × 5 × 10", "20 × 5 × 10 |"]
    assert "| score | 3 s, 90 of 400 MB | 4 s, 90 of 400 MB |" in lines
    assert "| audit | 1 s (2 jobs), 20 of 50 MB | 1 s (2 jobs), 20 of 50 MB |" in lines
    assert "| seconds per topic | 0.4 | 0.25 |" in lines
    page = "Before.\n\n<!-- runs -->\nold\n<!-- end -->\n\nAfter.\n"
    written = with_tables(page, tables)
    assert tables["runs"] in written and "old" not in written and written.endswith("After.\n")
    assert with_tables(written, tables) == written
    with pytest.raises(ValueError, match="no place for the table of runs"):
        with_tables("Nothing.", tables)


def test_replays_of_few_labels_go_on_where_each_measure_stopped():
    """Not where the furthest did: methods of single measures change."""
    names = ["P@10", "RBP", "nDCG@10"]
    design = SimpleNamespace(_of=[SimpleNamespace(measure=name) for name in names])
    done = pd.Series({"P@10": 20, "RBP": 20, "nDCG@10": 10})
    assert [Cell.open_at(design, start, done) for start in (0, 10, 20)] == [[], [2], [0, 1, 2]]
    assert Cell.open_at(design, 0, done.drop("RBP")) == [1]
