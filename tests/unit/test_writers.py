"""What is written can be read again by us and by others, or is refused by name."""

import csv
import io
import json

import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import regrade
from regrade.command.app import app
from regrade.errors import ParameterError
from regrade.writers import NAMED_ENDINGS, write_labels, write_qrels

NAMES = ("blue hat", '"A,_b!"', "'x'", "caf\u00e9", "a;b", "plain", 'in "quotes" here', "#1")


def labels(*names):
    return regrade.read_qrels({t: {d: i % 3 for i, d in enumerate(names)} for t in names})


@pytest.mark.parametrize("ending", NAMED_ENDINGS)
def test_names_of_any_kind_come_back_from_files_with_columns(tmp_path, ending):
    written = labels(*NAMES)
    written.to_qrels(tmp_path / f"all{ending}")
    assert regrade.read_qrels(tmp_path / f"all{ending}").to_frame().equals(written.to_frame())


def test_lines_of_trec_hold_names_without_blanks(tmp_path):
    names = [name for name in NAMES if " " not in name and not name.startswith("#")]
    written = labels(*names)
    written.to_qrels(tmp_path / "all.qrels")
    assert regrade.read_qrels(tmp_path / "all.qrels").to_frame().equals(written.to_frame())
    rows = [line.split() for line in (tmp_path / "all.qrels").read_text("utf-8").splitlines()]
    assert {len(row) for row in rows} == {4}, "as others split them"


@pytest.mark.parametrize(
    ("topic", "docno", "said"),
    [
        ("blue hat", "p0", "topic 'blue hat' has a blank"),
        ("1", "doc one", "docno 'doc one' has a blank"),
        ("1", "doc\u00a0one", "has a blank"),
        ("#1", "d", "topic '#1' begins with #"),
    ],
)
@pytest.mark.parametrize("write", [write_labels, write_qrels])
def test_other_names_are_refused_with_a_remedy_that_works(tmp_path, write, topic, docno, said):
    table = regrade.read_qrels({topic: {docno: 1}}).table
    with pytest.raises(ParameterError) as refused:
        write(table, tmp_path / "some.qrels")
    assert said in str(refused.value)
    assert not [*tmp_path.iterdir()], "nothing is left"
    for ending in NAMED_ENDINGS:
        assert ending in str(refused.value)
        write_labels(table, tmp_path / f"some{ending}")
        assert regrade.read_qrels(tmp_path / f"some{ending}").table.equals(table)


@given(st.text(min_size=1, max_size=5), st.text("ab \"',\\\t#", min_size=1, max_size=5))
@settings(deadline=None)
def test_what_is_read_is_written_for_all_to_read(tmp_path_factory, topic, docno):
    """A name that our readers take is written so that they take it again, or refused."""
    folder = tmp_path_factory.mktemp("written")
    assume(not topic.startswith(("{", "[")))  # as JSON begins
    try:
        one = regrade.read_qrels({topic: {docno: 1}})
    except regrade.RegradeError:
        return
    for ending in (*NAMED_ENDINGS, ".qrels"):
        try:
            one.to_qrels(folder / f"x{ending}")
        except regrade.RegradeError:
            assert ending == ".qrels"
            continue
        assert regrade.read_qrels(folder / f"x{ending}").table.equals(one.table)


VALUES = "topic,docno,score\n" + "".join(
    f"{topic},p{i},{i * 7 % 30}\n" for topic in ("red shoes", "blue hat") for i in range(30)
)
PREFERENCES = "topic,left,right,winner\n" + "".join(
    f"red shoes,doc {a},doc {b},left\n" for a, b in ("ab", "bc", "ca")
)
REFERENCE = "topic,docno,grade\n" + "".join(
    f"{topic},p{i},{i * 7 % 30 // 15}\n" for topic in ("red shoes", "blue hat") for i in range(30)
)


@pytest.mark.parametrize(
    "command",
    [
        "cut values.csv --levels 2 --reference reference.csv --resamples 0",
        "pool values.csv --qrels reference.csv --depth 3",
        "pairs preferences.csv",
    ],
)
def test_every_command_that_writes_labels_looks_at_names(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("values.csv", VALUES), ("reference.csv", REFERENCE), ("preferences.csv", PREFERENCES),
    ):  # fmt: skip
        (tmp_path / name).write_text(text)
    refused = CliRunner().invoke(app, [*command.split(), "--out", "out.qrels"])
    assert refused.exit_code == 1
    assert "has a blank" in refused.output + refused.stderr
    assert not (tmp_path / "out.qrels").exists()
    written = CliRunner().invoke(app, [*command.split(), "--out", "out.jsonl"])
    assert written.exit_code == 0, written.output
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert {"topic", "docno", "grade"} <= rows[0].keys()
    assert len(regrade.read_qrels(tmp_path / "out.jsonl")) == len(rows)
    again = CliRunner().invoke(app, [*command.split(), "--out", "out.csv"])
    assert again.exit_code == 0
    of_csv = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert [row["docno"] for row in of_csv] == [row["docno"] for row in rows]


def test_grades_keep_their_digits(tmp_path):
    third = pa.table({"topic": ["1"], "docno": ["d"], "grade": [1 / 3]})
    write_labels(third, tmp_path / "x.csv")
    assert regrade.read_qrels(tmp_path / "x.csv").values.tolist() == [1 / 3]
    write_qrels(third, tmp_path / "x.qrels")
    assert (tmp_path / "x.qrels").read_text() == "1 0 d 0.333333333333\n"
