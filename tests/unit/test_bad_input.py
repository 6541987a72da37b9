"""Kinds of bad input, through the command: what is said, the exit code, and nothing left behind.

The readers' tests hold what is wrong with lines of every format, `test_collection.py` what is wrong
with configurations, `test_api.py` with what Python hands over, `tests/workflow/test_input.py` what
only a run finds.
"""

import codecs
import gzip
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO

from click.testing import CliRunner

from regrade.command import workflow
from regrade.command.app import app
from regrade.errors import ParameterError
from tests.snapshots import assert_said

RUN = "".join(
    f"401 Q0 D{i} {i} {9 - i}.5 run\n402 Q0 D{i} {i} {9 - i}.5 run\n" for i in range(1, 6)
)
QRELS = "".join(f"{topic} 0 D{i} {i % 3}\n" for topic in ("401", "402") for i in range(1, 6))
MODEL = "topic,docno,score\n" + "".join(
    f"401,D{i},0.{i}\n402,D{i},0.{9 - i}\n" for i in range(1, 6)
)
CONFIG = """collection: own
collections:
  own:
    runs: run
    qrels: {NIST: {file: qrels, levels: 3}}
"""

SCORE = ["score", "qrels", "run"]
COMPARE = ["compare", "qrels", "other", "--resamples", "5", "--splits", "5"]
CUT = ["cut", "model.csv", "-k", "3", "-r", "qrels", "--resamples", "5", "--out", "cut.qrels"]
LIST = ["targets", "own.yaml"]


def of(text: str, old: str, new: str) -> str:
    """The text with its first `old` replaced."""
    assert old in text
    return text.replace(old, new, 1)


def config(old: str, new: str) -> dict[str, str]:
    return {"own.yaml": of(CONFIG, old, new)}


def own(more: str) -> dict[str, str]:
    """The configuration with a line more of the collection."""
    return {"own.yaml": f"{CONFIG}    {more}\n"}


def packed(line: bytes) -> Callable[[], bytes]:
    """Makes a .gz of 65 MB of one line again and again."""
    return lambda: gzip.compress(line * ((65 << 20) // len(line)), mtime=0)


# name: files, command; tests/data/answers/bad-input.txt has the messages
BAD = {
    # encodings and containers
    "run in UTF-16": ({"run": RUN.encode("utf-16")}, SCORE),
    "run in UTF-16 without its mark": ({"run": RUN.encode("utf-16-le")}, SCORE),
    "qrels in UTF-16": ({"qrels": QRELS.encode("utf-16")}, SCORE),
    "scores in UTF-16": ({"model.csv": MODEL.encode("utf-16")}, CUT),
    "run in Latin-1": ({"run": of(RUN, "D1", "Dé").encode("latin1")}, SCORE),
    "qrels in a zip": ({"qrels": b"PK\x03\x04" + b"\x00" * 90}, SCORE),
    "run in xz": ({"run": b"\xfd7zXZ\x00" + b"\x01" * 90}, SCORE),
    "run in bzip2": ({"run": b"BZh91AY&SY" + b"\x01" * 90}, SCORE),
    "run in zstandard": ({"run": b"\x28\xb5\x2f\xfd" + b"\x01" * 90}, SCORE),
    "run in 7z": ({"run": b"7z\xbc\xaf\x27\x1c" + b"\x01" * 90}, SCORE),
    "run in compress": ({"run": b"\x1f\x9d" + b"\x01" * 90}, SCORE),
    "run in a tar": ({"run": b"run".ljust(257, b"\0") + b"ustar\0"}, SCORE),
    "gz of a gz": ({"run": gzip.compress(gzip.compress(RUN.encode()))}, SCORE),
    "truncated gz": ({"run": gzip.compress(RUN.encode())[:-9]}, SCORE),
    "damaged gz": ({"run": gzip.compress(b"1")[:9] + b"\xff" * 40}, SCORE),
    "old spreadsheet": ({"qrels": b"\xd0\xcf\x11\xe0" + b"\0" * 99}, SCORE),
    "PDF": ({"qrels": b"%PDF-1.4\n" + b"\x01" * 90}, SCORE),
    "HDF5": ({"qrels": b"\x89HDF\r\n" + b"\x01" * 90}, SCORE),
    "SQLite": ({"qrels": b"SQLite format 3\0" + b"\x01" * 90}, SCORE),
    "Arrow": ({"qrels": b"ARROW1\0\0" + b"\x01" * 90}, SCORE),
    "damaged Parquet": ({"qrels": b"PAR1" + b"\x01" * 90}, SCORE),
    "gz of little else than zeros": ({"qrels": packed(b"\0")}, SCORE),
    "gz of one line": ({"run": packed(b"1 Q0 D1 1 1 r\n")}, SCORE),
    "JSON of more than a number": (
        {"m.jsonl": '{"topic": "401", "docno": "D1", "grade": 1e999}\n'},
        ["score", "m.jsonl", "run"],
    ),
    "JSON of half a character": (
        {"m.jsonl": '{"topic": "401", "docno": "\\ud83d", "grade": 1}\n'},
        ["score", "m.jsonl", "run"],
    ),
    "JSON of brackets": (
        {"m.jsonl": '{"topic": ' + "[" * 100_000 + "\n"},
        ["score", "m.jsonl", "run"],
    ),
    "braces in a path": ({"sys{y}.txt": RUN}, ["init", "sys{y}.txt", "qrels"]),
    "a long word": ({"qrels": of(QRELS, "0 D1 1", f"0 D1 {'x' * 500}")}, SCORE),
    "binary": ({"qrels": b"\x7fELF" + bytes(range(64)) * 4}, SCORE),
    "NUL in a docno": ({"qrels": of(QRELS, "D1", "D\0")}, SCORE),
    "joined files with two marks": (
        {"qrels": QRELS.encode() + codecs.BOM_UTF8 + b"403 0 D1 1\n"},
        SCORE,
    ),
    "a page of a web server": ({"run": "<!DOCTYPE html>\n<p>Not found\n"}, SCORE),
    "nothing": ({"qrels": ""}, SCORE),
    "blank lines": ({"run": " \n\t\n"}, SCORE),
    "no such file": ({"qrels": None}, SCORE),
    "a name with a letter less": ({}, ["rank", "qrel", "run"]),
    "a run with a letter more": ({}, ["ties", "runn"]),
    "a glob in no folder": ({}, ["score", "qrels", "emty/*"]),
    "preferences that are not there": ({}, ["pairs", "qrel"]),
    "a configuration that is not there": ({}, ["run", "ow.yaml"]),
    "a folder that holds configurations": (
        {"own.yaml": "collection: own\ncollections:\n  own: {}\n", "else.yaml": "a: 1\n"},
        ["run", "."],
    ),
    "a folder that holds none": ({}, ["run", "empty"]),
    "targets of one that is not there": ({}, ["targets", "ow.yaml"]),
    "a folder for labels": ({}, ["score", ".", "run"]),
    "an empty folder of runs": ({}, ["score", "qrels", "empty"]),
    "a glob of nothing": ({}, ["score", "qrels", "*.run"]),
    # names of columns
    "a line for Excel above the names": ({"m.csv": f"sep=,\n{MODEL}"}, ["score", "m.csv", "run"]),
    "a title above the names": (
        {"m.csv": f"# exported, 3 May\n\n{MODEL}"},
        ["cut", "m.csv", "-k", "2"],
    ),
    "columns between bars": ({"m.csv": MODEL.replace(",", "|")}, ["score", "m.csv", "run"]),
    "names in Latin-1": (
        {"m.csv": "Thema;Dokument;Prüfer;Wert\n1;a;x;3\n".encode("latin1")},
        ["score", "m.csv", "run"],
    ),
    "a column of another name": (
        {"m.csv": of(MODEL, "score", "Urteil")},
        ["score", "m.csv", "run"],
    ),
    "two columns that may be it": (
        {"m.csv": "qid,docid,label,rating\n401,D1,1,2\n"},
        ["score", "m.csv", "run"],
    ),
    "preferences in a wide form": (
        {"p.csv": "topic,doc_a,doc_b,Anna,Bob\n401,D1,D2,a,b\n"},
        ["pairs", "p.csv"],
    ),
    "a side that is none": (
        {"p.csv": "topic,doc_a,doc_b,preferred\n401,D1,D2,1\n"},
        ["pairs", "p.csv"],
    ),
    # names and numbers
    "negative rank": ({"run": of(RUN, "D1 1", "D1 -1")}, SCORE),
    "score beyond doubles": ({"run": of(RUN, "8.5", "1e400")}, SCORE),
    "score in words": ({"run": of(RUN, "8.5", "high")}, SCORE),
    "score with a comma": ({"run": of(RUN, "8.5", "8,5")}, SCORE),
    "score NaN": ({"run": of(RUN, "8.5", "nan")}, SCORE),
    "grade in words": ({"qrels": of(QRELS, "D1 1", "D1 yes")}, SCORE),
    "infinite grade": ({"qrels": of(QRELS, "D1 1", "D1 inf")}, SCORE),
    "grade beyond doubles": ({"qrels": of(QRELS, "D1 1", "D1 1e999")}, SCORE),
    "too few columns": ({"qrels": of(QRELS, " 0 D1", " D1")}, SCORE),
    "too few columns, and the line": ({"qrels": of(QRELS, " 0 D1 1", "\tD1 1")}, SCORE),
    "a long line": ({"run": f"{RUN}401 Q0 {'D 1 ' * 40}\n"}, SCORE),
    "a short row of a TSV": (
        {"other": "topic\tdocno\tgrade\n401\tD1\t1\n401\tD2\n"},
        ["score", "other", "run"],
    ),
    "a short row of a CSV": (
        {"other": "topic,docno,grade\n401,D1,1\n401,D2\n"},
        ["score", "other", "run"],
    ),
    "a short line of preferences": (
        {"other": "401 D1 D2\n401 D1\n"},
        ["pairs", "other", "--format", "winner-loser"],
    ),
    "too many columns": ({"run": of(RUN, "D1", "D 1")}, SCORE),
    "a document twice in a run": ({"run": f"{RUN}401 Q0 D1 9 0 run\n"}, SCORE),
    "a document twice in qrels": ({"qrels": f"{QRELS}401 0 D1 0\n"}, SCORE),
    "two tags": ({"run": f"{RUN}401 Q0 D9 9 0 other\n"}, SCORE),
    # parts that do not fit
    "topics with leading zeros": ({"qrels": QRELS.replace("40", "040")}, SCORE),
    "docnos of another spelling": ({"qrels": QRELS.replace("D", "d")}, SCORE),
    "two sets that share nothing": ({"other": QRELS.replace("D", "x")}, COMPARE),
    "a reference that shares nothing": ({"qrels": QRELS.replace("D", "x")}, CUT),
    "a constant source": ({"model.csv": "topic,docno,score\n401,D1,1\n401,D2,1\n"}, CUT),
    "two runs of one name": ({"again": RUN}, [*SCORE, "again"]),
    # headers and columns
    "no column for the grade": ({"model.csv": "topic,docno,x\n401,D1,1\n"}, CUT),
    "two columns of one name": ({"model.csv": "topic,docno,score,score\n1,2,3,4\n"}, CUT),
    "a row too short": ({"model.csv": f"{MODEL}401,D9\n"}, CUT),
    "broken quotes": ({"model.csv": f'{MODEL}401,"D9,1\n'}, CUT),
    "a header alone": ({"model.csv": "topic,docno,score\n"}, CUT),
    "a broken line of JSON": ({"qrels": '{"topic": "401", "docno":\n'}, SCORE),
    "JSON of lists": ({"qrels": '{"topic": "1"}\n["401", "D1"]\n'}, SCORE),
    # options
    "no such measure": ({}, [*SCORE, "-m", "MAPP"]),
    "no such parameter": ({}, [*SCORE, "-m", "AP(relevant=1)"]),
    "a measure twice": ({}, [*SCORE, "-m", "AP MAP"]),
    "no such scale": ({}, [*SCORE, "--scale", "four"]),
    "a grade off the scale": ({}, [*SCORE, "--scale", "2"]),
    "an ending nobody writes": ({}, [*SCORE, "--out", "scores.xls"]),
    "a folder that is a file": ({}, [*SCORE, "--out", "qrels/scores.csv"]),
    "no such method": ({}, [*CUT, "--method", "best"]),
    "one level": ({}, ["cut", "model.csv", "-k", "1", "-r", "qrels"]),
    "no such table": ({}, [*COMPARE, "--table", "x"]),
    # configurations
    "an empty configuration": ({"own.yaml": ""}, LIST),
    "a configuration of a list": ({"own.yaml": "- a\n"}, LIST),
    "a tab in YAML": ({"own.yaml": "a:\n\tb: 1\n"}, LIST),
    "an open bracket in YAML": ({"own.yaml": "a: [1\n"}, LIST),
    "YAML in Latin-1": ({"own.yaml": "title: é\n".encode("latin1")}, LIST),
    "a template's YAML": ({"own.yaml": "a: 1\nb: {{x}}\n"}, LIST),
    "YAML with a list for a key": ({"own.yaml": "? [a, b]\n: 1\n"}, LIST),
    "YAML of brackets": ({"own.yaml": "a: " + "[" * 5000}, LIST),
    "a long number in YAML": ({"own.yaml": f"a: {'9' * 5000}\n"}, LIST),
    "a key twice": (own("runs: run"), LIST),
    "no such collection": (config("collection: own", "collection: owl"), LIST),
    "a line break in a name": (config("  own:", '  "own\\n":'), LIST),
    "braces in a name": (config("{NIST:", '{"N{x}":'), LIST),
    "a path in a name": (config("{NIST:", '{"../N":'), LIST),
    "a misspelled key": (own("measure: [AP]"), LIST),
    "a scalar for a list": (own("measures: AP"), LIST),
    "a number for a name": (own("topics: [401]"), LIST),
    "no such measure in a list": (own("measures: [MAPP]"), LIST),
    "grades that nobody has": (own('measures: ["AP(rel=7)"]'), LIST),
    "grades that nobody has in ties": (own('ties: {qrels: NIST, measures: ["RR(rel=3)"]}'), LIST),
    "no such qrels": (own("ties: {qrels: TREC}"), LIST),
    "a figure without its stage": (own("studies: {yang2019: {table-3.2: {}}}"), LIST),
    "no such figure": (own("studies: {han2019: {figure-99: {}}}"), LIST),
    "a set of two sources": (
        config("{file: qrels, levels: 3}", "{file: qrels, simulate: {}, levels: 3}"),
        LIST,
    ),
    "a set of two scales": (config("levels: 3}", "levels: 3, ratio: true}"), LIST),
    "a set of no scale": (config(", levels: 3", ""), LIST),
    "no such configuration": ({"own.yaml": None}, LIST),
}


def state(folder) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
    }


def asked_here(module: str, *arguments: str, snakefile: str | None = None) -> str:
    """As `workflow.ask_workflow`, without a process: `test_command.py` has what asks one."""
    with redirect_stdout(StringIO()) as said:
        try:
            import_module(module).main([*arguments])
        except SystemExit as refused:
            raise ParameterError(str(refused)) from None
    return said.getvalue()


def test_bad_input_is_said_and_leaves_nothing(tmp_path, monkeypatch):
    texts = {"run": RUN, "qrels": QRELS, "other": QRELS, "model.csv": MODEL, "own.yaml": CONFIG}
    monkeypatch.setattr(workflow, "ask_workflow", asked_here)

    def say(name):
        files, command = BAD[name]
        folder = tmp_path / name.replace(" ", "-")
        (folder / "empty").mkdir(parents=True)
        for path, text in {**texts, **files}.items():
            text = text() if callable(text) else text
            if text is not None:
                (folder / path).write_bytes(text.encode() if isinstance(text, str) else text)
        before = state(folder)
        monkeypatch.chdir(folder)
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 1, done.output
        assert done.stderr.startswith("regrade: ")
        assert "Traceback" not in done.output
        assert state(folder) == before
        return done.stderr.removeprefix("regrade: ").replace(f"{folder}/", "")

    assert_said("bad-input", say, ((name,) for name in BAD))


def test_the_commands_work_on_good_input(tmp_path, monkeypatch):
    """So that what is refused is refused for what is bad about it."""
    texts = {"run": RUN, "qrels": QRELS, "other": QRELS, "model.csv": MODEL, "own.yaml": CONFIG}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    for command in (SCORE, COMPARE, CUT, LIST):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
