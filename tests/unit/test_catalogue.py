"""The catalogue: every table and column declared once, used, made, and explained."""

import re
from collections import Counter
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from regrade import catalogue
from regrade.catalogue import COLUMNS, TABLES, columns_of, dictionary, tables_of
from regrade.catalogue.arrow import SCHEMAS, per_cut, per_cut_schema
from regrade.catalogue.model import (
    Catalogue,
    Column,
    Ends,
    Table,
    column_texts,
    read_column,
    read_table,
    table_texts,
)
from regrade.errors import ParameterError
from regrade.intervals import INTERVALS
from regrade.tables import write_table
from regrade.workflow.stages import STAGES, stage_of
from tests.each import each

PROJECT = Path(__file__).parents[2]
SUBJECTS = (catalogue.columns, *catalogue.subjects())
SCRIPTS = {path.stem for path in (PROJECT / "workflow" / "scripts").glob("*.py")}

A, B = Column("a", "string", False, "", "the first"), Column("b", "float64", True, "0..1", "share")
LOW, HIGH = (Column(name, "float64", False, "", "end") for name in ("low", "high"))
KNOWN = {column.name: column for column in (A, B, LOW, HIGH)}


# the notation


def read_columns(text):
    return Catalogue(column_texts(text), read_column).values()


def read_tables(text, columns):
    return Catalogue(table_texts(text), partial(read_table, columns=columns)).values()


def test_columns_are_read():
    text = """
    a  string  the first
    b  float64? [0..1]  share
    """
    assert list(read_columns(text)) == [A, B]


@pytest.mark.parametrize("line", ["a string", "a  strings  the first", "a  string", "a b  c  d"])
def test_what_declares_no_column_is_refused(line):
    with pytest.raises(ValueError, match=f"declares no column: {line}"):
        list(read_columns(line))


def test_tables_are_read():
    text = """
    [stage]
    x/y: what it holds,
            and more
        a? (low) high:int64 |
        b!
        a = another; b = a second
        low..high = interval of the mean: mean_over_topics
    """
    found = list(read_tables(text, KNOWN))
    of = INTERVALS["mean_over_topics"]
    ends, said = Ends("interval", "the mean", (of,)), f"interval of the mean: {of.description}"
    columns = (
        Column("a", "string", True, "", "another"),
        Column("low", "float64", False, "", f"lower end of the {said}", ends),
        Column("high", "int64", False, "", f"upper end of the {said}", ends),
        Column("b", "float64", False, "0..1", "a second"),
    )
    assert found == [Table("x/y", "what it holds, and more", "stage", ("a", "high"), columns)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x/y what", "declares no table: x/y what"),
        ("x: y\n    a | c", "x: no column, or one that stands here already: c"),
        ("x: y\n    a a | b", "x: no column, or one that stands here already: a"),
        ("x: y\n    a |\n    b = share", "x: has no column b"),
        ("x: y\n    low high |\n    low..high = the mean", "says of no interval"),
        ("x: y\n    low high |\n    low..high = interval of the mean", "says of no interval"),
        ("x: y\n    low high |\n    low..high = box of a: t", "says of no interval"),
        (
            "x: y\n    low high |\n    low..high = interval of a: guess, mean_over_topics",
            "no such interval is registered: guess",
        ),
    ],
)
def test_what_declares_no_table_is_refused(text, problem):
    with pytest.raises(ValueError, match=problem):
        list(read_tables(text, KNOWN))


# what is declared


def test_what_is_declared_twice_is_refused():
    with pytest.raises(ValueError, match="is declared twice: a"):
        list(read_columns("a  string  the first\na  string  again"))


def test_each_is_declared_once():
    columns = Counter(name for s in SUBJECTS for name, _ in column_texts(s.COLUMNS))
    tables = Counter(path for s in SUBJECTS[1:] for path, _ in table_texts(s.TABLES))
    assert set(columns.values()) == set(tables.values()) == {1}
    assert (columns.keys(), tables.keys()) == (COLUMNS.keys(), TABLES.keys())


def test_a_table_is_read_without_those_of_other_subjects():
    read = []
    texts = (read.append(path) or (path, text) for path, text in table_texts("[s]\na: b\nc: d"))
    found = Catalogue(texts, partial(read_table, columns={}))
    assert found["a"].sentence == "b"
    assert read == ["a"]
    assert list(found) == ["a", "c"]
    with pytest.raises(KeyError):
        found["x"]


def test_no_column_is_without_a_table():
    used = {column.name for table in TABLES.values() for column in table.columns}
    assert COLUMNS.keys() == used


def test_columns_stand_with_their_subject():
    """A column of one subject's tables is declared there, one of several in `columns`."""
    users = {name: set() for name in COLUMNS}
    for subject in SUBJECTS[1:]:
        for table in read_tables(subject.TABLES, COLUMNS):
            for column in table.columns:
                users[column.name].add(subject)
    for subject in SUBJECTS:
        for column in read_columns(subject.COLUMNS):
            here = users[column.name]
            assert len(here) > 1 if subject is catalogue.columns else here == {subject}, column


@each(TABLES)
def test_every_table_is_made(path):
    """By a stage, or else by a script."""
    stage = TABLES[path].stage
    assert stage in STAGES or stage in SCRIPTS
    assert stage_of(path) == stage


@each(STAGES)
def test_every_stage_makes_tables(stage):
    assert tables_of(stage) != ()


@each(TABLES.values())
def test_key_columns_are_columns_and_identify(table):
    assert table.key
    assert set(table.key) <= {column.name for column in table.columns}
    assert len(set(table.key)) == len(table.key)


def test_ends_say_of_what():
    """Two columns that are lower and upper ends both say so; with quartiles between, of a box."""
    pairs = []
    for table in TABLES.values():
        columns = {column.name: column for column in table.columns}
        for name in columns.keys() & {column.removesuffix("high") + "low" for column in columns}:
            low, high = columns[name], columns[name.removesuffix("low") + "high"]
            assert low.ends is not None, (table.path, name)
            assert low.ends == high.ends
            is_box = name == "low" and {"q1", "q3"} <= columns.keys()
            assert is_box == (low.ends.kind == "box"), table.path
            pairs.append((table.path, name))
    said = [(table.path, c.name) for table in TABLES.values() for c in table.columns if c.ends]
    assert len(said) == 2 * len(pairs) > 100


def test_every_interval_that_is_registered_stands_in_a_table():
    used = {
        one
        for table in TABLES.values()
        for c in table.columns
        if c.ends
        for one in c.ends.intervals
    }
    assert used == set(INTERVALS.values())
    assert all(one.fewest >= 1 and one.estimand and one.method and one.over for one in used)


# what comes from it


def test_the_page_is_that_of_the_catalogue():
    """`regrade tables --markdown > docs/tables.md` writes it."""
    page = (PROJECT / "docs" / "tables.md").read_text(encoding="utf-8")
    assert page == dictionary.markdown()
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert all(line.count(" | ") == 2 for line in rows)
    assert len(rows) == sum(1 + len(table.columns) for table in TABLES.values())


def test_tables_are_chosen_by_path_last_part_or_folder():
    assert [table.path for table in dictionary.chosen("cuts/best_cuts")] == ["cuts/best_cuts"]
    assert [table.path for table in dictionary.chosen("best_cuts")] == ["cuts/best_cuts"]
    folder = [table.path for table in dictionary.chosen("ties")]
    assert {"ties/rates", "rated-lists/ties"} < set(folder)
    with pytest.raises(ParameterError, match="there is no table best: `regrade tables` lists"):
        dictionary.chosen("best")


def test_a_table_explains_itself(tmp_path):
    path = tmp_path / "table.parquet"
    write_table(SCHEMAS["pools/votes"].empty_table(), path, "pools/votes")
    schema = per_cut_schema("cuts/alpha", 2, ["401"])
    for found in (pq.read_schema(path), schema):
        assert all(field.metadata[b"description"] for field in found)
    described = pq.read_schema(path).field("percent").metadata[b"description"].decode()
    assert described == "share of the judged documents that are relevant [%]"
    assert schema.field("401").metadata == {
        b"description": "α of the topic at that cut [..1]".encode()
    }


def test_schemas_are_of_all_tables():
    assert SCHEMAS.keys() | set(per_cut()) == TABLES.keys()
    for path, schema in SCHEMAS.items():
        assert schema.names == columns_of(path)
        assert [f.nullable for f in schema] == [c.nullable for c in TABLES[path].columns]


def test_docstrings_name_schemas_that_there_are():
    for path in (PROJECT / "src" / "regrade").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        named = re.findall(r"[Ss]chemas?(?: of)?\s+``([^`]+[^/])``", text)
        assert TABLES.keys() >= set(named), path
