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

import pytest
from typer.testing import CliRunner

from regrade.command import workflow
from regrade.command.app import app
from regrade.errors import ParameterError

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


# name: files, command, words of the message
BAD = {
    # encodings and containers
    "run in UTF-16": ({"run": RUN.encode("utf-16")}, SCORE, "run: is UTF-16, not UTF-8"),
    "run in UTF-16 without its mark": ({"run": RUN.encode("utf-16-le")}, SCORE, "is UTF-16"),
    "qrels in UTF-16": ({"qrels": QRELS.encode("utf-16")}, SCORE, "qrels: is UTF-16"),
    "scores in UTF-16": ({"model.csv": MODEL.encode("utf-16")}, CUT, "model.csv: is UTF-16"),
    "run in Latin-1": ({"run": of(RUN, "D1", "Dé").encode("latin1")}, SCORE, "is not UTF-8"),
    "qrels in a zip": ({"qrels": b"PK\x03\x04" + b"\x00" * 90}, SCORE, "is a truncated .zip"),
    "run in xz": ({"run": b"\xfd7zXZ\x00" + b"\x01" * 90}, SCORE, "is a damaged .xz"),
    "run in bzip2": ({"run": b"BZh91AY&SY" + b"\x01" * 90}, SCORE, "is a damaged .bz2"),
    "run in zstandard": ({"run": b"\x28\xb5\x2f\xfd" + b"\x01" * 90}, SCORE, "is a .zst"),
    "run in 7z": ({"run": b"7z\xbc\xaf\x27\x1c" + b"\x01" * 90}, SCORE, "is a .7z"),
    "run in compress": ({"run": b"\x1f\x9d" + b"\x01" * 90}, SCORE, "is a .Z, not text"),
    "run in a tar": ({"run": b"run".ljust(257, b"\0") + b"ustar\0"}, SCORE, "is a .tar"),
    "gz of a gz": ({"run": gzip.compress(gzip.compress(RUN.encode()))}, SCORE, "a .gz within"),
    "truncated gz": ({"run": gzip.compress(RUN.encode())[:-9]}, SCORE, "is a truncated .gz"),
    "damaged gz": ({"run": gzip.compress(b"1")[:9] + b"\xff" * 40}, SCORE, "is a damaged .gz"),
    "old spreadsheet": ({"qrels": b"\xd0\xcf\x11\xe0" + b"\0" * 99}, SCORE, "of Office, not text"),
    "PDF": ({"qrels": b"%PDF-1.4\n" + b"\x01" * 90}, SCORE, "is a PDF, not text"),
    "HDF5": ({"qrels": b"\x89HDF\r\n" + b"\x01" * 90}, SCORE, "is HDF5, not text"),
    "SQLite": ({"qrels": b"SQLite format 3\0" + b"\x01" * 90}, SCORE, "is an SQLite database"),
    "Arrow": ({"qrels": b"ARROW1\0\0" + b"\x01" * 90}, SCORE, "is Arrow, not text"),
    "damaged Parquet": ({"qrels": b"PAR1" + b"\x01" * 90}, SCORE, "cannot be read as Parquet"),
    "gz of little else than zeros": (
        {"qrels": packed(b"\0")},
        SCORE,
        "qrels: is binary, not text",
    ),
    "gz of one line": (
        {"run": packed(b"1 Q0 D1 1 1 r\n")},
        SCORE,
        "unpacks to more than 200 times its size",
    ),
    "JSON of more than 64 bits": (
        {"m.jsonl": '{"topic": "401", "docno": "D1", "grade": 12345678901234567890}\n'},
        ["score", "m.jsonl", "run"],
        "m.jsonl:1: is no JSON: 12345678901234567890 is a number of",
    ),
    "JSON of half a character": (
        {"m.jsonl": '{"topic": "401", "docno": "\\ud83d", "grade": 1}\n'},
        ["score", "m.jsonl", "run"],
        "m.jsonl:1: is no JSON: docno: '\\ud83d' holds half a char",
    ),
    "JSON of brackets": (
        {"m.jsonl": '{"topic": ' + "[" * 100_000 + "\n"},
        ["score", "m.jsonl", "run"],
        "m.jsonl:1: is no JSON that can be read",
    ),
    "braces in a path": (
        {"sys{y}.txt": RUN},
        ["init", "sys{y}.txt", "qrels"],
        "Snakemake takes {y} for a wildcard",
    ),
    "a long word": (
        {"qrels": of(QRELS, "0 D1 1", f"0 D1 {'x' * 500}")},
        SCORE,
        f"{'x' * 77}… is no number",
    ),
    "binary": ({"qrels": b"\x7fELF" + bytes(range(64)) * 4}, SCORE, "is binary, not text"),
    "NUL in a docno": ({"qrels": of(QRELS, "D1", "D\0")}, SCORE, "qrels:1: holds a NUL byte"),
    "joined files with two marks": (
        {"qrels": QRELS.encode() + codecs.BOM_UTF8 + b"403 0 D1 1\n"},
        SCORE,
        "qrels:11: begins with a byte-order mark, as where files were joined",
    ),
    "a page of a web server": ({"run": "<!DOCTYPE html>\n<p>Not found\n"}, SCORE, "should be 6"),
    "nothing": ({"qrels": ""}, SCORE, "qrels: is empty"),
    "blank lines": ({"run": " \n\t\n"}, SCORE, "run: is empty"),
    "no such file": ({"qrels": None}, SCORE, "qrels: cannot be read: No such file"),
    "a name with a letter less": (
        {},
        ["rank", "qrel", "run"],
        "qrel: cannot be read: No such file or directory; did you mean 'qrels'?",
    ),
    "a run with a letter more": ({}, ["ties", "runn"], "directory; did you mean 'run'?"),
    "a glob in no folder": (
        {},
        ["score", "qrels", "emty/*"],
        "emty/*: no file matches; there is no folder emty; did you mean 'empty'?",
    ),
    "preferences that are not there": ({}, ["pairs", "qrel"], "did you mean 'qrels'?"),
    "a configuration that is not there": (
        {},
        ["run", "ow.yaml"],
        "ow.yaml: there is no such configuration; did you mean 'own.yaml'? regrade init",
    ),
    "a folder that holds configurations": (
        {"own.yaml": "collection: own\ncollections:\n  own: {}\n", "else.yaml": "a: 1\n"},
        ["run", "."],
        ".: is a folder: name the configuration in it, own.yaml\n",
    ),
    "a folder that holds none": ({}, ["run", "empty"], "it holds no configuration: regrade init"),
    "targets of one that is not there": (
        {},
        ["targets", "ow.yaml"],
        "ow.yaml: cannot be read: No such file or directory; did you mean 'own.yaml'?",
    ),
    "a folder for labels": (
        {},
        ["score", ".", "run"],
        ".: is a folder\nName a file: a folder stands for runs only.\n",
    ),
    "an empty folder of runs": ({}, ["score", "qrels", "empty"], "the folder holds no file"),
    "a glob of nothing": ({}, ["score", "qrels", "*.run"], "*.run: no file matches"),
    # names of columns
    "a line for Excel above the names": (
        {"m.csv": f"sep=,\n{MODEL}"},
        ["score", "m.csv", "run"],
        "m.csv:1: stands before the line that names the columns: 'sep=,'\nDelete it.\n",
    ),
    "a title above the names": (
        {"m.csv": f"# exported, 3 May\n\n{MODEL}"},
        ["cut", "m.csv", "-k", "2"],
        "m.csv:1: stands before the line that names the columns: '# exported, 3 May'",
    ),
    "columns between bars": (
        {"m.csv": MODEL.replace(",", "|")},
        ["score", "m.csv", "run"],
        "m.csv:1: has its columns between |: 'topic|docno|score'\nPut commas, semicolons or tabs",
    ),
    "names in Latin-1": (
        {"m.csv": "Thema;Dokument;Prüfer;Wert\n1;a;x;3\n".encode("latin1")},
        ["score", "m.csv", "run"],
        "m.csv:1: is not UTF-8\nSave the file as UTF-8.",
    ),
    "a column of another name": (
        {"m.csv": of(MODEL, "score", "Urteil")},
        ["score", "m.csv", "run"],
        "(its columns: topic, docno, Urteil): name it, columns={'grade': …} of read_qrels, "
        "--columns grade=… in a command",
    ),
    "two columns that may be it": (
        {"m.csv": "qid,docid,label,rating\n401,D1,1,2\n"},
        ["score", "m.csv", "run"],
        "say which, columns={'grade': 'label'} of read_qrels, --columns grade=label in a command",
    ),
    "preferences in a wide form": (
        {"p.csv": "topic,doc_a,doc_b,Anna,Bob\n401,D1,D2,a,b\n"},
        ["pairs", "p.csv"],
        "winner and loser (its columns: topic, doc_a, doc_b, Anna, Bob): name them",
    ),
    "a side that is none": (
        {"p.csv": "topic,doc_a,doc_b,preferred\n401,D1,D2,1\n"},
        ["pairs", "p.csv"],
        "p.csv:2: preferred '1' is none of the two documents, left, right or tie\nWrite the doc",
    ),
    # names and numbers
    "quoted docno": ({"run": of(RUN, "D1", '"D1"')}, SCORE, 'run:1: docno "D1" is in quotes'),
    "quoted topic": ({"qrels": of(QRELS, "401", "'401'")}, SCORE, "qrels:1: topic '401' is in qu"),
    "negative rank": ({"run": of(RUN, "D1 1", "D1 -1")}, SCORE, "run:1: rank -1 is below 0"),
    "score beyond doubles": ({"run": of(RUN, "8.5", "1e400")}, SCORE, "'1e400' is beyond what"),
    "score in words": ({"run": of(RUN, "8.5", "high")}, SCORE, "score 'high' is no number"),
    "score with a comma": ({"run": of(RUN, "8.5", "8,5")}, SCORE, "score '8,5' is no number"),
    "score NaN": ({"run": of(RUN, "8.5", "nan")}, SCORE, "score 'nan' is not a number (NaN)"),
    "grade in words": ({"qrels": of(QRELS, "D1 1", "D1 yes")}, SCORE, "grade 'yes' is no number"),
    "infinite grade": ({"qrels": of(QRELS, "D1 1", "D1 inf")}, SCORE, "grade inf is not finite"),
    "grade beyond doubles": ({"qrels": of(QRELS, "D1 1", "D1 1e999")}, SCORE, "is beyond what a"),
    "too few columns": ({"qrels": of(QRELS, " 0 D1", " D1")}, SCORE, "qrels:1: has 3 columns"),
    "too few columns, and the line": (
        {"qrels": of(QRELS, " 0 D1 1", "\tD1 1")},
        SCORE,
        "should be 4, separated by blanks: '401\\tD1 1'\nA line of qrels is: topic iteration",
    ),
    "a long line": (
        {"run": f"{RUN}401 Q0 {'D 1 ' * 40}\n"},
        SCORE,
        "separated by blanks: '401 Q0 " + ("D 1 " * 40)[:70] + "…'\n",
    ),
    "a short row of a TSV": (
        {"other": "topic\tdocno\tgrade\n401\tD1\t1\n401\tD2\n"},
        ["score", "other", "run"],
        "other:3: has 2 columns where there should be 3, separated by tabs "
        "(topic docno grade): '401\\tD2'",
    ),
    "a short row of a CSV": (
        {"other": "topic,docno,grade\n401,D1,1\n401,D2\n"},
        ["score", "other", "run"],
        "other:3: has 2 columns where the header has 3: '401,D2' under 'topic,docno,grade'",
    ),
    "a short line of preferences": (
        {"other": "401 D1 D2\n401 D1\n"},
        ["pairs", "other", "--format", "winner-loser"],
        "other:2: has 2 columns where there should be 3, separated by blanks: '401 D1'\nA line",
    ),
    "too many columns": ({"run": of(RUN, "D1", "D 1")}, SCORE, "run:1: has 7 columns"),
    "a document twice in a run": (
        {"run": f"{RUN}401 Q0 D1 9 0 run\n"},
        SCORE,
        "D1 again for topic",
    ),
    "a document twice in qrels": (
        {"qrels": f"{QRELS}401 0 D1 0\n"},
        SCORE,
        "D1 again for topic 401",
    ),
    "two tags": ({"run": f"{RUN}401 Q0 D9 9 0 other\n"}, SCORE, "tag 'other' where line 1 has"),
    # parts that do not fit
    "topics with leading zeros": (
        {"qrels": QRELS.replace("40", "040")},
        SCORE,
        "no topic in common",
    ),
    "docnos of another spelling": (
        {"qrels": QRELS.replace("D", "d")},
        SCORE,
        "was retrieved for its topic",
    ),
    "two sets that share nothing": ({"other": QRELS.replace("D", "x")}, COMPARE, "share no judged"),
    "a reference that shares nothing": (
        {"qrels": QRELS.replace("D", "x")},
        CUT,
        "share no document",
    ),
    "a constant source": (
        {"model.csv": "topic,docno,score\n401,D1,1\n401,D2,1\n"},
        CUT,
        "at least 3 levels",
    ),
    "two runs of one name": ({"again": RUN}, [*SCORE, "again"], "its tag 'run' is also that of"),
    # headers and columns
    "no column for the grade": (
        {"model.csv": "topic,docno,x\n401,D1,1\n"},
        CUT,
        "no column for the",
    ),
    "two columns of one name": ({"model.csv": "topic,docno,score,score\n1,2,3,4\n"}, CUT, "score"),
    "a row too short": ({"model.csv": f"{MODEL}401,D9\n"}, CUT, "model.csv:12: has 2 columns"),
    "broken quotes": ({"model.csv": f'{MODEL}401,"D9,1\n'}, CUT, "is no CSV"),
    "a header alone": ({"model.csv": "topic,docno,score\n"}, CUT, "holds no row"),
    "a broken line of JSON": (
        {"qrels": '{"topic": "401", "docno":\n'},
        SCORE,
        "qrels:1: is no JSON",
    ),
    "JSON of lists": ({"qrels": '{"topic": "1"}\n["401", "D1"]\n'}, SCORE, "is no JSON object"),
    # options
    "no such measure": ({}, [*SCORE, "-m", "MAPP"], "MAPP"),
    "no such parameter": ({}, [*SCORE, "-m", "AP(relevant=1)"], "has no parameter"),
    "a measure twice": ({}, [*SCORE, "-m", "AP MAP"], "are the same measure"),
    "no such scale": ({}, [*SCORE, "--scale", "four"], "write levels as 4"),
    "a grade off the scale": ({}, [*SCORE, "--scale", "2"], "grade 2 is not on the scale"),
    "an ending nobody writes": ({}, [*SCORE, "--out", "scores.xls"], "tables are written as"),
    "a folder that is a file": ({}, [*SCORE, "--out", "qrels/scores.csv"], "Not a directory"),
    "no such method": ({}, [*CUT, "--method", "best"], "best"),
    "one level": ({}, ["cut", "model.csv", "-k", "1", "-r", "qrels"], "is cut into 2 to 4"),
    "no such table": ({}, [*COMPARE, "--table", "x"], "unknown table 'x'"),
    # configurations
    "an empty configuration": ({"own.yaml": ""}, LIST, "own.yaml: holds nothing"),
    "a configuration of a list": ({"own.yaml": "- a\n"}, LIST, "own.yaml: holds a list"),
    "a tab in YAML": ({"own.yaml": "a:\n\tb: 1\n"}, LIST, "own.yaml:2: is no YAML: a line be"),
    "an open bracket in YAML": ({"own.yaml": "a: [1\n"}, LIST, "own.yaml:1: is no YAML"),
    "YAML in Latin-1": ({"own.yaml": "title: é\n".encode("latin1")}, LIST, "is not UTF-8"),
    "a template's YAML": ({"own.yaml": "a: 1\nb: {{x}}\n"}, LIST, "own.yaml:2: is no YAML: a list"),
    "YAML with a list for a key": ({"own.yaml": "? [a, b]\n: 1\n"}, LIST, "own.yaml:1: is no YAML"),
    "YAML of brackets": ({"own.yaml": "a: " + "[" * 5000}, LIST, "own.yaml: is no YAML that can"),
    "a long number in YAML": ({"own.yaml": f"a: {'9' * 5000}\n"}, LIST, "thousands of digits"),
    "a key twice": (own("runs: run"), LIST, "own.yaml:6: key 'runs' is there twice, first in"),
    "no such collection": (
        config("collection: own", "collection: owl"),
        LIST,
        "did you mean 'own'",
    ),
    "a line break in a name": (
        config("  own:", '  "own\\n":'),
        LIST,
        "'own\\n' cannot be used here: A name that can stand in a path",
    ),
    "braces in a name": (config("{NIST:", '{"N{x}":'), LIST, "'N{x}' cannot be used here"),
    "a path in a name": (config("{NIST:", '{"../N":'), LIST, "'../N' cannot be used here"),
    "a misspelled key": (own("measure: [AP]"), LIST, "unknown key 'measure'; did you mean"),
    "a scalar for a list": (own("measures: AP"), LIST, "write a list, [AP]"),
    "a number for a name": (own("topics: [401]"), LIST, "put it in quotes"),
    "no such measure in a list": (own("measures: [MAPP]"), LIST, "own.measures: "),
    "grades that nobody has": (
        own('measures: ["AP(rel=7)"]'),
        LIST,
        "AP(rel=7) counts grades from 7 on, and the highest of NIST is 2: every score would be 0",
    ),
    "grades that nobody has in ties": (
        own('ties: {qrels: NIST, measures: ["RR(rel=3)"]}'),
        LIST,
        "own.ties.measures: RR(rel=3) counts grades from 3 on",
    ),
    "no such qrels": (own("ties: {qrels: TREC}"), LIST, "there is no qrels 'TREC'"),
    "a figure without its stage": (
        own("studies: {yang2019: {table-3.2: {}}}"),
        LIST,
        "shows `ties`: ask for it too",
    ),
    "no such figure": (own("studies: {han2019: {figure-99: {}}}"), LIST, "unknown key 'figure-99'"),
    "a set of two sources": (
        config("{file: qrels, levels: 3}", "{file: qrels, simulate: {}, levels: 3}"),
        LIST,
        "NIST",
    ),
    "a set of two scales": (
        config("levels: 3}", "levels: 3, ratio: true}"),
        LIST,
        "exactly one of",
    ),
    "a set of no scale": (config(", levels: 3", ""), LIST, "exactly one of"),
    "no such configuration": ({"own.yaml": None}, LIST, "own.yaml: cannot be read"),
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


@pytest.mark.parametrize(("files", "command", "said"), BAD.values(), ids=BAD)
def test_bad_input_is_said_and_leaves_nothing(files, command, said, tmp_path, monkeypatch):
    texts = {"run": RUN, "qrels": QRELS, "other": QRELS, "model.csv": MODEL, "own.yaml": CONFIG}
    for name, text in {**texts, **files}.items():
        text = text() if callable(text) else text
        if text is not None:
            (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
    (tmp_path / "empty").mkdir()
    before = state(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workflow, "ask_workflow", asked_here)
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1, done.output
    assert done.stderr.startswith("regrade: ")
    assert said in done.stderr
    assert "Traceback" not in done.output
    assert state(tmp_path) == before


def test_the_commands_work_on_good_input(tmp_path, monkeypatch):
    """So that what is refused is refused for what is bad about it."""
    texts = {"run": RUN, "qrels": QRELS, "other": QRELS, "model.csv": MODEL, "own.yaml": CONFIG}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    for command in (SCORE, COMPARE, CUT, LIST):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
