"""Tables of several collections as one: which rows, of which collection, from which files."""

import pyarrow as pa
import pytest

from regrade.catalogue import TABLES
from regrade.errors import InputError
from regrade.joined import join_tables
from regrade.provenance import JobOrigin, made_by_job
from regrade.table_files import TableFile
from regrade.tables import write_table
from regrade.workflow.config import ConfigError
from regrade.workflow.inputs.joined import Joined
from regrade.workflow.inputs.page import Page
from tests.unit.test_inputs import RANKED, cuts, of, paths


def labels(path, *rows) -> str:
    """A table of labels in a file."""
    columns = zip(*rows, strict=True) if rows else ([], [], [])
    names = ("topic", "docno", "grade")
    write_table(pa.table(dict(zip(names, map(list, columns), strict=True))), path, "qrels")
    return str(path)


def test_rows_stand_one_table_after_the_other_with_what_they_are_of(tmp_path):
    files = [
        labels(tmp_path / "a.parquet", ("1", "x", 1.0), ("1", "y", 0.0)),
        labels(tmp_path / "b.parquet", ("1", "x", 2.0)),
    ]
    to = tmp_path / "all.parquet"
    assert join_tables(files, {"collection": ["a", "b"]}, "qrels", to) == 3
    rows = pa.parquet.read_table(to).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        ("a", "1", "x", 1.0),
        ("a", "1", "y", 0.0),
        ("b", "1", "x", 2.0),
    ]
    assert [*rows[0]] == ["collection", "topic", "docno", "grade"]


def test_a_joined_table_says_what_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = [
        labels(f"results/{name}/tables/qrels/Q.parquet", ("1", name, 1.0)) for name in ("a", "b")
    ]
    to = "results/all/tables/qrels.parquet"
    with made_by_job(JobOrigin("results/all", "c0de", {"files": files})):
        join_tables(files, {"collection": ["a", "b"]}, "qrels", to)
    file = TableFile.read(to)
    assert (file.table, file.collection) == ("qrels", "all")
    assert file.key == ("collection", "topic", "docno")
    assert all(column.meaning for column in file.columns)
    own = {path.removeprefix("results/"): TableFile.read(path).content for path in files}
    assert file.inputs == {"files": own}


def test_a_table_without_rows_adds_none(tmp_path):
    files = [labels(tmp_path / "a.parquet"), labels(tmp_path / "b.parquet", ("1", "x", 2.0))]
    to = tmp_path / "all.parquet"
    assert join_tables(files, {"collection": ["a", "b"]}, "qrels", to) == 1
    assert pa.parquet.read_table(to)["collection"].to_pylist() == ["b"]


def test_another_table_is_refused_and_nothing_is_left(tmp_path):
    file = labels(tmp_path / "a.parquet", ("1", "x", 1.0))
    with pytest.raises(InputError, match=r"a\.parquet"):
        join_tables([file], {"collection": ["a"]}, "scores", tmp_path / "all.parquet")
    assert not (tmp_path / "all.parquet").exists()


def test_no_table_has_a_column_of_that_name():
    names = {column.name for table in TABLES.values() for column in table.columns}
    assert not names & {"collection", "item"}


def joined(**parts) -> Joined:
    """Of two collections that ask for the same."""
    where = paths(**parts)
    return Joined({"own": Page(where, cuts(**parts))})


@pytest.mark.parametrize(
    ("table", "items"),
    [
        ("scores", ["E", "F"]),
        ("qrels", ["E", "F"]),
        ("ranking/systems", ["E", "F"]),
        ("cuts/best_cuts", ["S11-to-2"]),
        ("rankings", ["S11-to-2"]),
    ],
)
def test_items_are_named_as_in_paths(table, items):
    sets = {"qrels": {name: {"file": name, "levels": 2} for name in "EF"}}
    made = joined(ranking=[{"qrels": name} for name in "EF"], **RANKED, **sets)
    assert made.request(of(table=table))["labels"] == {
        "collection": ["own"] * len(items),
        "item": items,
    }
    assert len(made.files(of(table=table))) == len(items)


@pytest.mark.parametrize("table", ["runs", "audit/summary"])
def test_what_there_is_one_of_has_no_item(table):
    assert joined(**RANKED).request(of(table=table))["labels"] == {"collection": ["own"]}


def test_a_table_that_nobody_makes_is_refused():
    with pytest.raises(ConfigError, match=r"no collection .* ranking/system\b"):
        joined(**RANKED).check(["results/all/ranking/system.parquet"])
    joined(**RANKED).check(["results/all/report.html", "results/all/scores.parquet", "score"])
