"""Tables: what is written comes back, whole or not at all, in the same bytes."""

import errno
import glob
import itertools
import json
import os
import signal
import stat
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regrade
from regrade.catalogue import CUT_COLUMNS
from regrade.catalogue.arrow import MAX_DOUBLES, SCHEMAS, STRING, per_cut_schema
from regrade.errors import InputError, ParameterError, StorageError
from regrade.tables import (
    PerCut,
    atomic_path,
    encode,
    read_provenance,
    read_table,
    write_table,
    write_tables,
)

VALUES = {STRING: "a", pa.bool_(): True}


def one_row(schema, **replaced):
    """A table of one row in a schema, its columns typed as a caller might type them."""
    values = {field.name: VALUES.get(field.type, 1) for field in SCHEMAS[schema]}
    return pa.table({name: [value] for name, value in (values | replaced).items()})


def qrels(**replaced):
    columns = {"topic": ["1", "1"], "docno": ["A", "B"], "grade": [0.0, 1.0]}
    return pa.table(columns | replaced)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tables" / "table.parquet"


def written(table, path, schema="qrels", **options):
    write_table(table, path, schema, **options)
    return path.read_bytes()


# what is written comes back


def test_every_schema_comes_back(path):
    for schema in SCHEMAS:
        for table in (SCHEMAS[schema].empty_table(), one_row(schema)):
            write_table(table, path, schema)
            found = read_table(path, schema)
            assert found.schema.equals(SCHEMAS[schema])  # nullability too
            assert found.to_pylist() == table.to_pylist()


def test_nulls_stand_only_where_they_may(path):
    for schema in SCHEMAS:
        fields = list(SCHEMAS[schema])
        for hole in (None, float("nan")):
            holes = [f for f in fields if hole is None or pa.types.is_floating(f.type)]
            may = {field.name: hole for field in holes if field.nullable}
            write_table(one_row(schema, **may), path, schema)
            (row,) = read_table(path, schema).to_pylist()
            assert {name for name, value in row.items() if value is None} == set(may)
            path.unlink()
            for field in holes:
                if not field.nullable:
                    with pytest.raises(ParameterError, match=f"column {field.name} holds 1 nulls"):
                        write_table(one_row(schema, **{field.name: hole}), path, schema)
                    assert not path.exists()


def test_columns_come_in_any_order_and_type_that_loses_nothing(path):
    write_table(pa.table({"grade": [2], "docno": ["D"], "topic": [401]}), path, "qrels")
    table = read_table(path, "qrels")
    assert table.column_names == ["topic", "docno", "grade"]
    assert table.to_pylist() == [{"topic": "401", "docno": "D", "grade": 2.0}]


@pytest.mark.parametrize(
    ("schema", "column", "value"),
    [
        ("runs", "rank", 1.5),
        ("runs", "rank", 2**31),
        ("runs", "rank", float("nan")),
        ("runs", "score", 2**53 + 1),
        ("runs", "score", "high"),
        ("audit/runs", "short", "maybe"),
        ("qrels", "topic", b"\xff"),
        ("qrels", "topic", ["401"]),
    ],
)
def test_a_value_that_does_not_fit_is_refused(schema, column, value, path):
    with pytest.raises(ParameterError, match=f"{path.name}: column {column}"):
        write_table(one_row(schema, **{column: value}), path, schema)
    assert not path.parent.exists()


def test_missing_unknown_and_repeated_columns_are_refused(path):
    table = qrels().drop_columns("grade").append_column("label", pa.array(["N", "R"]))
    with pytest.raises(ParameterError) as caught:
        write_table(table, path, "qrels")
    assert str(caught.value) == (
        f"{path}: columns missing: ['grade'], unknown: ['label'], repeated: []"
    )
    twice = qrels().append_column("topic", pa.array(["2", "2"]))
    with pytest.raises(ParameterError, match=r"repeated: \['topic'\]"):
        write_table(twice, path, "qrels")
    assert not path.exists()


def test_some_columns_and_some_rows_can_be_read(path):
    write_table(qrels(), path, "qrels")
    table = read_table(path, "qrels", columns=["grade", "topic"], filters=[("docno", "==", "B")])
    assert table.to_pylist() == [{"grade": 1.0, "topic": "1"}]
    assert table.schema.field("topic") == SCHEMAS["qrels"].field("topic")


def test_folders_are_no_columns(tmp_path):
    path = tmp_path / "topic=7" / "alpha=ordinal" / "x.parquet"
    write_table(qrels(), path, "qrels")
    assert read_table(path, "qrels").to_pylist() == qrels().to_pylist()


# the same content has the same bytes


def in_chunks(table, size):
    pieces = [table.slice(i, size) for i in range(0, len(table), size)]
    # each with dictionaries of its own
    plain = pa.schema([(f.name, pa.string() if f.type == STRING else f.type) for f in table.schema])
    return pa.concat_tables([piece.cast(plain).cast(piece.schema) for piece in pieces])


def test_bytes_do_not_depend_on_chunks(path):
    rng = np.random.default_rng(1)
    n = 300_000  # more distinct numbers than Parquet encodes as a dictionary
    table = pa.table(
        {
            "system": np.repeat(["a", "b"], n // 2),
            "topic": rng.integers(401, 451, n).astype(str),
            "rank": rng.permutation(n),
            "docno": rng.integers(0, 10**9, n).astype(str),
            "score": rng.random(n),
            "submitted_rank": np.arange(n) % 1000,
            "line": np.arange(n),
        }
    ).cast(SCHEMAS["runs"])
    whole = written(table, path, "runs")
    chunked = in_chunks(table, 70_001)
    assert chunked["docno"].num_chunks == 5
    assert chunked["docno"].chunk(0).dictionary != chunked["docno"].chunk(1).dictionary
    assert written(chunked, path, "runs") == whole
    assert written(in_chunks(table, 9_973), path, "runs") == whole
    again = read_table(path, "runs")
    assert written(again, path, "runs") == whole
    assert written(again.to_pandas(), path, "runs") == whole


def test_bytes_do_not_depend_on_how_names_are_encoded(path):
    topics, docnos, grade = ["2", "1", "2"], ["é", "B", "a"], [1.0, 0.0, 2.0]
    expected = written(pa.table({"topic": topics, "docno": docnos, "grade": grade}), path)
    dictionary = pa.DictionaryArray.from_arrays

    for codes, names in (
        ([0, 1, 2], ["é", "B", "a"]),
        ([2, 0, 1], ["B", "a", "é"]),
        ([1, 4, 0], ["a", "é", "unused", "ö", "B"]),
        ([3, 1, 0], ["a", "B", "é", "é"]),  # a name twice
    ):
        for kind in (pa.int8(), pa.uint16(), pa.int64()):
            docno = dictionary(pa.array(codes, kind), names)
            assert written(qrels(topic=topics, docno=docno, grade=grade), path) == expected
    large = pa.array(docnos, pa.large_string())
    assert written(qrels(topic=topics, docno=large, grade=grade), path) == expected

    frame = pd.DataFrame({"grade": grade, "docno": docnos, "topic": topics}, index=[7, 8, 9])
    assert written(frame, path) == expected
    frame["topic"] = [2, 1, 2]
    frame["docno"] = pd.Categorical(docnos, ["unused", "a", "B", "é"])
    assert written(frame.astype({"topic": "category"}), path) == expected


def test_bytes_do_not_depend_on_what_lies_under_nulls(path):
    def scores(residual):
        return one_row("scores").set_column(4, "residual", residual)

    hidden = [
        pa.array([None], pa.float64()),
        pa.array(np.array([7.0]), mask=np.array([True])),
        pa.array([float("nan")]),
        pa.nulls(1),
    ]
    assert len({written(scores(residual), path, "scores") for residual in hidden}) == 1


# whole or not at all


HALF_WRITTEN = """
import os, signal, sys
import pyarrow as pa, pyarrow.parquet as pq
from regrade.tables import write_table

def write_half(where, *arguments, **options):
    where.write(b"PAR1 and no more")
    os.kill(os.getpid(), signal.SIGKILL)

pq.ParquetWriter = write_half
table = pa.table({"topic": ["2"], "docno": ["X"], "grade": [1.0]})
write_table(table, sys.argv[1], "qrels")
"""


@pytest.mark.parametrize("exists", [True, False])
def test_a_writer_killed_half_way_changes_nothing(exists, path):
    before = written(qrels(), path) if exists else None
    killed = subprocess.run([sys.executable, "-c", HALF_WRITTEN, path], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert (path.read_bytes() if path.exists() else None) == before
    # what it left has a hidden name, which patterns for input files do not match
    left = [file for file in path.parent.iterdir() if file != path]
    assert [file.read_bytes() for file in left] == [b"PAR1 and no more"]
    assert glob.glob(str(path.parent / "*")) == [str(path)] * exists  # noqa: PTH207
    assert written(qrels(), path) == before or not exists
    assert read_table(path, "qrels").to_pylist() == qrels().to_pylist()


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt(), SystemExit(1)])
def test_a_writer_that_fails_leaves_nothing(error, path, monkeypatch):
    before = written(qrels(), path)

    def fail(where, *arguments, **options):
        where.write(b"PAR1")
        raise error

    monkeypatch.setattr(pq, "ParquetWriter", fail)
    with pytest.raises(type(error)):
        write_table(qrels(grade=[5.0, 5.0]), path, "qrels")
    assert [*path.parent.iterdir()] == [path]
    assert path.read_bytes() == before


def test_atomic_path_lies_beside_the_file_and_has_its_ending(tmp_path):
    target = tmp_path / "new" / "figure-1.svg"
    with atomic_path(target) as temporary:
        assert temporary.parent == target.parent
        assert temporary.suffix == ".svg"
        temporary.write_text("<svg/>")
        assert not target.exists()
    assert target.read_text() == "<svg/>"
    assert [*target.parent.iterdir()] == [target]


def test_files_have_the_mode_that_open_would_give(tmp_path):
    before = os.umask(0o027)
    try:
        with atomic_path(tmp_path / "a") as temporary:
            temporary.write_text("")
        (tmp_path / "b").write_text("")
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in "ab"]
    assert modes == [0o640, 0o640]


# where a file came from


def test_provenance(path):
    write_table(qrels(), path, "qrels", {"levels": 2, "alpha": "ordinal"})
    assert read_provenance(path) == {
        "version": regrade.__version__,
        "parameters": {"levels": 2, "alpha": "ordinal"},
        "table": "qrels",
        "key": ["topic", "docno"],
    }
    bytes_before = path.read_bytes()
    assert written(qrels(), path, parameters={"alpha": "ordinal", "levels": 2}) == bytes_before
    assert written(qrels(), path, parameters={"alpha": "nominal", "levels": 2}) != bytes_before
    write_table(qrels(), path, "qrels")
    assert read_provenance(path)["parameters"] == {}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read as Parquet"),
        (b"", "cannot be read as Parquet"),
        (b"topic docno grade\n", "cannot be read as Parquet"),
        ("truncated", "cannot be read as Parquet"),
        (qrels(), "no table that regrade wrote"),
    ],
    ids=["missing", "empty", "text", "truncated", "foreign Parquet"],
)
@pytest.mark.parametrize("read", [read_table, read_provenance])
def test_what_regrade_did_not_write_is_refused(content, reason, read, path):
    before = written(qrels(), path)
    if content is None:
        path.unlink()
    elif isinstance(content, pa.Table):
        pq.write_table(content, path)
    else:
        path.write_bytes(before[: len(before) // 2] if content == "truncated" else content)
    with pytest.raises(InputError, match=reason) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_table_of_another_schema_is_refused(path):
    write_table(qrels(), path, "qrels")
    with pytest.raises(InputError, match=r"is no 'scores' table.*docno.*\n.*delete it and run"):
        read_table(path, "scores")
    # the right columns in other types, as another version may have written them
    provenance = {b"regrade": json.dumps({"version": "0", "parameters": {}})}
    pq.write_table(qrels().replace_schema_metadata(provenance), path)
    with pytest.raises(InputError, match="is no 'qrels' table"):
        read_table(path, "qrels")


# tables with one row per cut


@pytest.mark.parametrize("levels", [2, 3, 4])
def test_a_cut_is_found_by_all_of_its_thresholds(levels, path):
    schema = per_cut_schema("cuts/alpha", levels, ["401"])
    names = list(CUT_COLUMNS[: levels - 1])
    cuts = list(itertools.combinations([0.5, 1.5, 2.5, 3.5], levels - 1))
    frame = pd.DataFrame(cuts, columns=names)
    frame = frame.assign(**{"401": np.arange(len(cuts)) / 10}, mean=0.0, n_topics=1)
    write_table(frame, path, schema)
    table = PerCut(path, "cuts/alpha")
    for i, cut in enumerate(cuts):
        assert table.at(dict(zip(names, cut, strict=True)))["401"].tolist() == [i / 10]
    assert table.at(dict.fromkeys(names, 9.0)).empty


@pytest.mark.parametrize("levels", [2, 3, 4])
def test_per_cut_tables_come_back(levels, path):
    topics = ["402", "x y", "α"]
    schema = per_cut_schema("cuts/alpha", levels, topics)
    assert schema.names == [*CUT_COLUMNS[: levels - 1], *topics, "mean", "n_topics"]
    frame = pd.DataFrame({name: [0, 1] for name in schema.names})
    frame["x y"] = [0.5, np.nan]
    write_table(frame, path, schema)
    found = read_table(path)
    assert found.schema.equals(schema)
    assert found["x y"].to_pylist() == [0.5, None]
    assert np.isnan(found["x y"].to_numpy()[1])


def test_large_tables_per_cut_hold_single_floats(path):
    rows = MAX_DOUBLES // 2
    assert per_cut_schema("cuts/alpha", 2, ["1", "2"], rows).field("1").type == pa.float64()
    schema = per_cut_schema("cuts/alpha", 2, ["1", "2"], rows + 1)
    assert [schema.field(name).type for name in ("c1", "1", "mean")] == [
        pa.float64(),
        pa.float32(),
        pa.float64(),
    ]
    frame = pd.DataFrame({name: [0, 1] for name in schema.names}).assign(**{"1": [0.1, np.nan]})
    write_table(frame, path, schema)
    assert read_table(path)["1"].to_pylist() == [float(np.float32(0.1)), None]


@pytest.mark.parametrize("topic", [*CUT_COLUMNS, "mean", "n_topics"])
@pytest.mark.parametrize("levels", [2, 4])
def test_topics_may_not_have_the_names_of_other_columns(topic, levels):
    with pytest.raises(ParameterError, match=f"may not be called {topic}: .*rename the topic"):
        per_cut_schema("cuts/alpha", levels, ["401", topic])


@pytest.mark.parametrize(
    "columns",
    [
        ["c1", "401", "mean"],
        ["401", "c1", "mean", "n_topics"],
        ["c2", "401", "mean", "n_topics"],
        ["401", "mean", "n_topics"],
        ["c1", "401", "n_topics", "mean"],
        ["c1", "401", "mean", "n_topics", "more"],
    ],
)
def test_tables_per_cut_of_other_columns_are_refused(path, columns):
    kinds = {"n_topics": pa.int64(), "mean": pa.float64()}
    schema = pa.schema([pa.field(name, kinds.get(name, pa.float64())) for name in columns])
    write_table(pd.DataFrame({name: [1] for name in columns}), path, schema)
    with pytest.raises(InputError, match="is no 'cuts/alpha' table: its columns are"):
        read_table(path, "cuts/alpha")


def test_tables_per_cut_are_told_from_others(path):
    schemas = {
        "cuts/alpha": per_cut_schema("cuts/alpha", 4, ["401", "c"]),
        "cuts/tau": per_cut_schema("cuts/tau", 2, ["401"], MAX_DOUBLES + 1),
        "cuts/criteria": per_cut_schema("cuts/criteria", 3, ["kappa@So4", "tau@TR2"]),
    }
    for name, schema in schemas.items():
        write_table(pd.DataFrame({column: [1] for column in schema.names}), path, schema)
        assert read_table(path, name).schema.names == schema.names == read_table(path).schema.names
    with pytest.raises(InputError, match="is no 'cuts/alpha' table"):
        read_table(path, "cuts/alpha")
    write_table(pd.DataFrame({"a": [1]}), path, pa.schema({"a": pa.int64()}))
    with pytest.raises(InputError, match="is no table that regrade knows"):
        read_table(path)


# a full disk


def full_disk(monkeypatch, error: OSError, writes: int = 1):
    """Let Parquet's writer fail after it has written something."""
    written = pq.ParquetWriter.write_table
    calls = []

    def failing(self, *arguments, **options):
        written(self, *arguments, **options)
        calls.append(1)
        if len(calls) <= writes:
            raise error

    monkeypatch.setattr(pq.ParquetWriter, "write_table", failing)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (errno.ENOSPC, "no space is left on its disk"),
        (errno.EDQUOT, "the quota of its disk is used up"),
        (errno.EFBIG, r"files may not be that large \(ulimit -f\)"),
    ],
)
def test_a_full_disk_is_said_with_file_and_sizes_and_leaves_nothing(path, monkeypatch, code, said):
    frame = pd.DataFrame({"topic": ["1"], "docno": ["a"], "grade": [1.0]})
    full_disk(monkeypatch, OSError(code, "written in part"))
    wanted = rf"{path.name}: cannot be written: {said}: it takes [\d.]+ kB, [\d.]+ .B are free"
    with pytest.raises(StorageError, match=wanted):
        write_table(frame, path, "qrels")
    assert list(path.parent.iterdir()) == []
    write_table(frame, path, "qrels")
    assert read_table(path, "qrels").num_rows == 1


def test_what_else_is_written_says_how_far_it_came(path):
    def fill():
        with atomic_path(path) as temporary:
            temporary.write_bytes(b"1" * 2500)
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(
        StorageError, match=r"2\.5 kB of it were written, .* are free without it. Free some"
    ):
        fill()
    assert list(path.parent.iterdir()) == []


def test_errors_of_other_kinds_are_not_said_to_be_of_space(path):
    assert StorageError.of(ValueError("no space"), path) is None
    assert StorageError.of(FileNotFoundError(errno.ENOENT, "x"), path) is None
    of_numpy = OSError("Not enough free space to write 800 bytes to disk")
    assert "no space is left" in str(StorageError.of(of_numpy, path))
    with pytest.raises(IsADirectoryError), atomic_path(path):
        raise IsADirectoryError(errno.EISDIR, "x")


# names and codes


names = st.text(st.characters(exclude_categories=("Cs",)), max_size=3)
columns = st.lists(st.lists(st.none() | names, max_size=8), max_size=4)


@given(chunks=columns, encoded=st.booleans())
def test_encode_against_a_plain_sort(chunks, encoded):
    rows = [value for chunk in chunks for value in chunk]
    arrays = [pa.array(chunk, pa.string()) for chunk in chunks]
    if encoded:
        column = pa.chunked_array([array.dictionary_encode() for array in arrays], STRING)
    else:
        column = pa.chunked_array(arrays, pa.string())
    found, codes = encode(column)
    expected = sorted({value for value in rows if value is not None}, key=str.encode)
    assert found.type == pa.string()
    assert found.to_pylist() == expected
    assert codes.dtype == np.int32
    assert codes.tolist() == [-1 if value is None else expected.index(value) for value in rows]


def test_encode_sees_through_dictionaries_with_nulls_repeats_and_unused_names():
    dictionary = pa.array(["b", None, "unused", "b", "a"])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 3, None, 4], pa.int8()), dictionary)
    found, codes = encode(pa.chunked_array([column]))
    assert found.to_pylist() == ["a", "b"]
    assert codes.tolist() == [1, -1, 1, -1, 0]
    found, codes = encode(pa.chunked_array([pa.nulls(2)]))
    assert found.to_pylist() == []
    assert codes.tolist() == [-1, -1]


def test_tables_of_a_stage_are_written_by_name_and_counted(tmp_path, caplog):
    paths = {"sets": tmp_path / "a", "pool": tmp_path / "b"}
    with caplog.at_level("INFO"):
        write_tables({"sets": one_row("overlaps/sets")}, paths, "overlaps", {"seed": 1})
    assert caplog.messages == ["sets: 1 rows"]
    assert read_table(paths["sets"], "overlaps/sets").num_rows == 1
    assert read_provenance(paths["sets"])["parameters"] == {"seed": 1}
    assert not paths["pool"].exists()
