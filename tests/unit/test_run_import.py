"""The import: table and codes of run files, as reading all of them at once gives them."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.choices import TIE_BREAKS
from regrade.codes import CodedRuns
from regrade.errors import InputErrors
from regrade.readers.runs import each_run, read_runs
from regrade.run_arrays import RankedLists
from regrade.run_import import collect_runs, unread_files
from regrade.tables import read_provenance, read_table
from tests.unit.test_codes import assert_same


def write_files(folder, seed, systems=4, topics=3):
    """Run files whose lines and ranks are in no order, with ties, and topics that some lack."""
    rng = np.random.default_rng(seed)
    paths = []
    for s in range(systems):
        lines = []
        for topic in rng.permutation([f"t{t}" for t in range(topics)])[: rng.integers(0, 4)]:
            docnos = rng.permutation([f"d{d}é" for d in range(9)])[: rng.integers(1, 9)]
            for rank, docno in enumerate(docnos):
                lines.append(f"{topic} Q0 {docno} {rank} {rng.integers(3) / 4} s{s}")
        lines.append(f"t0 Q0 last 99 -1 s{s}")
        path = folder / f"run{s}.gz"
        path.write_bytes(gzip.compress("\n".join(rng.permutation(lines)).encode()))
        paths.append(path)
    return paths


@settings(max_examples=30)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(TIE_BREAKS),
    st.sampled_from([None, ["t0"], ["t0", "t2", "t9"]]),
    st.integers(1, 3),
)
def test_the_files_are_those_of_reading_all(tmp_path_factory, seed, tie_break, topics, threads):
    folder = tmp_path_factory.mktemp("import")
    paths = write_files(folder, seed)
    options = {"tie_break": tie_break, "topics": topics}
    table, codes = folder / "made" / "runs.parquet", folder / "made" / "codes" / "runs.arrow"
    size, _ = collect_runs(paths, [(table, codes)], threads=threads, parameters={"a": 1}, **options)
    expected = read_runs(paths, **options)
    found = read_table(table, "runs")
    assert size == len(found) == len(expected)
    assert found.to_pylist() == expected.to_pylist()
    assert read_provenance(table)["parameters"] == {"a": 1}
    ranked = CodedRuns(codes).ranked(scores=True, submitted_ranks=True)
    assert_same(ranked, RankedLists.from_table(expected))
    assert_same(RankedLists.from_runs(each_run(paths, **options), threads), ranked)
    assert [path.name for path in codes.parent.iterdir()] == ["runs.arrow"]


def test_threads_change_no_byte(tmp_path):
    paths = write_files(tmp_path, 1, systems=6)
    made = []
    for threads in (1, 4):
        table, codes = tmp_path / f"table{threads}", tmp_path / f"codes{threads}"
        collect_runs(paths, [(table, codes)], threads=threads)
        made.append((table.read_bytes(), codes.read_bytes()))
    assert made[0] == made[1]


def test_an_error_tells_of_all_files_and_leaves_nothing(tmp_path):
    paths = write_files(tmp_path, 2)
    for path in paths[:2]:
        path.write_text("one two three\n")
    with pytest.raises(InputErrors) as error:
        collect_runs(paths, [(tmp_path / "made" / "table", tmp_path / "made" / "codes")])
    assert "run0" in str(error.value) and "run1" in str(error.value)
    assert not list((tmp_path / "made").iterdir())
    paths[0].write_bytes(paths[2].read_bytes())
    paths[1].write_bytes(paths[2].read_bytes())
    with pytest.raises(InputErrors, match="tag 's2' is also that of"):
        collect_runs(paths, [(tmp_path / "made" / "table", tmp_path / "made" / "codes")])


def test_files_beside_the_runs_are_counted(tmp_path):
    for name in ("a.run", "b.run", ".hidden"):
        (tmp_path / name).write_text("")
    (tmp_path / "folder").mkdir()
    runs = [tmp_path / "a.run", str(tmp_path / "b.run")]
    assert unread_files(runs) == unread_files([]) == ""
    assert unread_files(runs[:1]) == "; beside them 1 file is not read: b.run"
    for n in range(12):
        (tmp_path / f"c{n:02}").write_text("")
    assert unread_files(runs).startswith("; beside them 12 files are not read: c00, c01, ")
    assert unread_files(runs).endswith(", …")
