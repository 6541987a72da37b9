"""JSON and Parquet: read as the same rows of CSV are, and refused with the line."""

import json

import pandas as pd
import pytest

from regrade.errors import InputError
from regrade.readers.labels import read_judgments, read_qrels
from regrade.readers.lines import Problems
from regrade.readers.preferences import read_preferences
from regrade.readers.records import comma_separated
from regrade.scales import Scale

ROWS = {
    read_qrels: [
        {"topic": "1", "docno": "a", "grade": 0.1}, {"topic": "1", "docno": "b", "grade": 2},
        {"topic": "2", "docno": "é", "grade": 1e-05},
    ],
    read_judgments: [
        {"topic": "1", "docno": "a", "worker": "x", "value": 3, "unit": "u", "seconds": 1.5},
        {"topic": "1", "docno": "b", "worker": "x", "value": 0, "unit": "u", "seconds": None},
        {"topic": "1", "docno": "a", "worker": "y", "value": 1, "unit": None, "seconds": 2},
    ],
    read_preferences: [
        {"topic": "1", "left": "a", "right": "b", "preferred": "a", "worker": "x"},
        {"topic": "1", "left": "c", "right": "b", "preferred": "b", "worker": "x"},
    ],
}  # fmt: skip
SCALES = {read_preferences: Scale.of({"values": [-1, 1]})}


def written(path, rows, layout):
    frame = pd.DataFrame(rows)
    if layout == "jsonl":
        path.write_text("\n\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    elif layout == "array":
        path.write_text(json.dumps(rows, indent=2, ensure_ascii=False), encoding="utf-8")
    elif layout == "parquet":
        frame.astype({"topic": "category"}).to_parquet(path)
    else:
        frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("layout", ["jsonl", "array", "parquet"])
@pytest.mark.parametrize("read", ROWS, ids=lambda read: read.__name__)
def test_records_are_read_as_the_same_rows_of_csv(read, layout, tmp_path):
    scale = SCALES.get(read)
    plain = read(written(tmp_path / "a.csv", ROWS[read], "csv"), format="csv", scale=scale)
    format = "jsonl" if layout == "array" else layout
    path = written(tmp_path / "records", ROWS[read], layout)
    assert read(path, format=format, scale=scale).equals(plain)
    assert len(plain) == len(ROWS[read])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"topic": "1", "docno": "a", "grade": 1}\n{"topic": "1"', "2: is no JSON"),
        ('{"topic": "1", "docno": "a", "grade": 1}\n[1]', "2: is no JSON object"),
        ('{"topic": "1", "docno": "a", "grade": "much"}', "1: grade 'much' is not a number"),
        ('{"topic": "1", "docno": "a", "grade": true}', "1: grade 'true' is not a number"),
        ('{"topic": "1", "docno": "a", "grade": [1]}', "1: grade '[\"1\"]' is not a number"),
        ('{"topic": "1", "doc": "a", "grade": 1}', "column 'docno' is missing"),
        ('[{"topic": "1", "docno": "a", "grade": 1}, 3]', "2: is no JSON object"),
        ('{"topic": "1", "docno": "a", "grade": NaN}', "grade"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, said, tmp_path):
    (tmp_path / "a.jsonl").write_text(text)
    with pytest.raises(InputError) as caught:
        read_qrels(tmp_path / "a.jsonl", format="jsonl")
    assert said in str(caught.value)


def test_what_is_no_parquet_is_refused(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read_qrels(tmp_path / "a.parquet", format="parquet")


def rows_of_csv(path):
    problems = Problems(str(path))
    table, line = comma_separated([], problems)
    problems.raise_if_any()
    return table.to_pylist(), line.tolist()


CSV = 'topic,docno,grade\n1,a,0.5\n"2","b, c",\né,d,1\n'
AS_READ = [
    {"topic": "1", "docno": "a", "grade": "0.5"},
    {"topic": "2", "docno": "b, c", "grade": ""},
    {"topic": "é", "docno": "d", "grade": "1"},
]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (CSV, [2, 3, 4]),  # at once
        (CSV.removesuffix("\n"), [2, 3, 4]),
        (CSV.replace("\n", "\r\n"), [2, 3, 4]),
        # row by row: blank lines, bare returns, semicolons
        (CSV.replace("\n1", "\n\n1"), [3, 4, 5]),
        (CSV.replace("\n", "\r"), [2, 3, 4]),
        (CSV.replace("b, c", "b; c").replace(",", ";").replace("b; c", "b, c"), [2, 3, 4]),
    ],
)
def test_a_csv_is_the_same_read_at_once_and_row_by_row(text, lines, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode())
    assert rows_of_csv(path) == (AS_READ, lines)


def test_quotes_within_fields_and_lines_within_quotes_are_as_csv_has_them(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a,b\n"x ""y""",1\n"two\nlines",2\n",",3\n')
    rows, lines = rows_of_csv(path)
    assert [row["a"] for row in rows] == ['x "y"', "two\nlines", ","]
    assert lines == [2, 3, 5]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2,3\n", ":2: has 3 columns where the header has 2"),
        ('a,b\n1,"2\n', ":2: is not a CSV file"),
        ("a,a\n1,2\n", ":1: two columns are named 'a'"),
        ("a,b\n1,\xff\n", ":2: is not UTF-8"),
    ],
)
def test_what_is_wrong_with_a_csv_is_said_with_its_line(text, said, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=said):
        rows_of_csv(path)
