"""What files of results say of themselves, written and read back."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import regrade
from regrade.catalogue.arrow import SCHEMAS, per_cut_schema
from regrade.command.app import app
from regrade.errors import InputError, ParameterError
from regrade.provenance import LISTED, JobOrigin, content_of, made_by_job, made_for_any_job
from regrade.table_files import TableFile, files_of, read_files, read_long
from regrade.tables import read_provenance, read_table, table_writer, write_table
from regrade.workflow.project import commit_of

LABELS = pd.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "grade": [0.0, 1.0]})
ROWS = {
    "qrels": LABELS,
    "scores": pd.DataFrame(
        {"system": ["s"], "topic": ["1"], "measure": ["AP"], "value": [0.5], "residual": [None]}
    ),
}


@pytest.fixture
def results(tmp_path, monkeypatch):
    """The folder of a collection's results, as jobs name it."""
    monkeypatch.chdir(tmp_path)
    return "results/demo"


def job(results, *files, name="files", **options):
    return made_by_job(JobOrigin(results, "c0de", {name: files}, **options))


def test_a_table_says_what_it_is_and_of_what_it_was_made(results):
    Path("user.txt").write_text("1 0 a 0\n")
    source, made = f"{results}/tables/qrels/NIST.parquet", f"{results}/scores/NIST.parquet"
    with job(results, "user.txt"):
        write_table(ROWS["qrels"], source, "qrels", {"kind": "qrels"})
    with job(results, source, name="qrels"):
        write_table(ROWS["scores"], made, "scores")
    labels, scores = map(TableFile.read, (source, made))
    assert (labels.table, labels.collection, labels.item) == ("qrels", "demo", "NIST")
    assert (labels.rows, labels.key) == (2, ("topic", "docno"))
    assert labels.parameters == {"kind": "qrels"}
    of_user = hashlib.sha256(b"1 0 a 0\n").hexdigest()[:16]
    assert labels.inputs == {"files": {"user.txt": of_user}}
    assert (labels.version, labels.code) == (regrade.__version__, "c0de")
    assert scores.inputs == {"qrels": {"tables/qrels/NIST.parquet": labels.content}}
    assert [(c.name, c.type, c.nullable) for c in scores.columns][-1] == (
        "residual",
        "float64",
        True,
    )
    assert all(column.meaning for column in (*labels.columns, *scores.columns))


def test_content_is_that_of_rows_and_columns_alone(tmp_path):
    def content(frame, schema="qrels", **parameters):
        write_table(frame, tmp_path / "table.parquet", schema, parameters)
        return TableFile.read(tmp_path / "table.parquet").content

    assert content(LABELS) == content(LABELS, levels=2)
    assert content(LABELS) != content(LABELS.assign(grade=[0.0, 2.0]))
    assert content(LABELS[:0]) != content(ROWS["scores"][:0], "scores")  # no row, other columns


def test_the_same_work_elsewhere_gives_the_same_bytes(tmp_path, monkeypatch):
    written = []
    for place in ("one", "other"):
        folder = tmp_path / place
        folder.mkdir()
        monkeypatch.chdir(folder)
        (folder / "user.txt").write_text("1")
        with job("results/a", str(folder / "user.txt")):
            write_table(LABELS, "results/a/tables/qrels/Q.parquet", "qrels")
        written.append(Path("results/a/tables/qrels/Q.parquet").read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize(
    ("table", "path", "item"),
    [
        ("runs", "tables/runs", ""),
        ("qrels", "tables/qrels/NIST", "NIST"),
        ("qrels", "tables/qrels/qrels", "qrels"),
        ("scores", "scores/scores", "scores"),
        ("scores", "scores/a/b", "a/b"),
        ("rankings", "rankings/S100-to-4", "S100-to-4"),
        ("ranking/systems", "ranking/NIST/systems", "NIST"),
        ("audit/summary", "audit/summary", ""),
        ("cuts/alpha", "cuts/S100-to-4/h2@TR2/alpha", "S100-to-4/h2@TR2"),
        ("qrels", "cuts/S100-to-4/references/S4", "cuts/S100-to-4/references/S4"),
        ("sweeps/means", "sweeps/a/means/measure=AP/x-1", "a/means/measure=AP/x-1"),
    ],
)
def test_which_of_a_tables_files_it_is(table, path, item):
    origin = JobOrigin("results/demo")
    assert origin.item(f"results/demo/{path}.parquet", table) == item
    assert origin.item(f".snakemake/storage/s3/x/results/demo/{path}.parquet", table) == item


def test_inputs_of_all_kinds(results):
    Path("runs").mkdir()
    for number in range(LISTED + 1):
        Path(f"runs/{number}.txt").write_text(str(number))
    write_table(LABELS, f"{results}/a/parts/0/qrels.parquet", "qrels")
    with job(results, "runs/0.txt"):
        write_table(LABELS, f"{results}/a/parts/1/qrels.parquet", "qrels")
    of = {
        "folder": ["runs"],
        "many": [f"runs/{number}.txt" for number in range(LISTED + 1)],
        "known": ["runs/1.txt"],
        "missing": ["none.txt"],
        "nothing": [],
        "parts": [f"{results}/a/parts/{number}/qrels.parquet" for number in (0, 1)],
        "results": [f"{results}/{number}.csv" for number in range(LISTED + 1)],
    }
    for path in of["results"]:
        Path(path).write_text("1")
    inputs = JobOrigin(results, files=of).inputs
    assert [*inputs["many"]] == [*inputs["results"]] == [f"{LISTED + 1} files"]
    assert inputs["missing"] == {"none.txt": ""}
    assert inputs["files"] == {"0.txt": content_of("runs/0.txt")}  # of the parts, not the parts
    assert inputs.keys() == {*of, "files"} - {"nothing", "parts"}
    Path("runs/0.txt").write_text("changed")
    changed = JobOrigin(results, files=of).inputs
    assert {n for n in inputs if inputs[n] != changed[n]} == {"folder", "many"}
    taken = JobOrigin(results, files={"known": ["runs/1.txt"]}, content="abc").inputs
    assert taken == {"known": {"1.txt": "abc"}}


def test_other_files_are_hashed_as_they_are(tmp_path):
    foreign = tmp_path / "foreign.parquet"
    pq.write_table(pa.table({"a": [1]}), foreign)
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1")
    for path in (foreign, broken):
        assert content_of(path) == hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def test_what_later_jobs_take_over_does_not_say_which_made_it(results):
    path = f"{results}/sweeps/a/means/x.parquet"
    with job(results, "none.txt"):
        with made_for_any_job():
            write_table(LABELS, path, "qrels")
        assert not {"inputs", "code"} & read_provenance(path).keys()
        write_table(LABELS, path, "qrels")
        assert {"inputs", "code"} <= read_provenance(path).keys()
        write_table(LABELS, "elsewhere.parquet", "qrels")
    for path in ("elsewhere.parquet", "alone.parquet"):
        write_table(LABELS, path, "qrels")
        assert read_provenance(path).keys() == {"version", "parameters", "table", "key"}
    with made_for_any_job():
        write_table(LABELS, path, "qrels")
    assert TableFile.read(path).collection == ""


def test_a_hash_of_what_is_written_part_by_part(tmp_path):
    for rows in (1, 2):
        with table_writer(tmp_path / f"{rows}.parquet", "qrels") as write:
            table = pa.table({name: [*LABELS[name]] for name in LABELS}, SCHEMAS["qrels"])
            for start in range(0, 2, rows):
                write(table[start : start + rows])
    assert len({content_of(tmp_path / f"{rows}.parquet") for rows in (1, 2)}) == 2
    assert read_table(tmp_path / "1.parquet", "qrels").equals(read_table(tmp_path / "2.parquet"))


# reading back


@pytest.fixture
def alpha(results):
    """α of three cuts of two topics, one of which is called as a column is elsewhere."""
    frame = pd.DataFrame(
        {"c1": [0.0, 0, 1], "c2": [1.0, 2, 2], "value": [0.1, 0.2, None], "9": [0.4, 0.5, 0.6]}
    ).assign(mean=0.3, n_topics=2)
    path = f"{results}/cuts/S-to-3/h2@E/alpha.parquet"
    with job(results):
        search = {"search": {"method": "h2", "label": "E"}}
        write_table(frame, path, "cuts/alpha", search)
    return path


def test_columns_that_the_data_name_are_one(alpha):
    file = TableFile.read(alpha)
    assert [column.name for column in file.columns] == ["c1", "c2", "{topic}", "mean", "n_topics"]
    assert file.named_by_data == ("value", "9")
    assert (file.key, file.item) == (("c1", "c2"), "S-to-3/h2@E")
    said = str(file)
    for part in (
        "α of every cut",
        "2 columns: value, 9",
        "3, one for each c1, c2",
        "α of the topic",
    ):
        assert part in said


def test_long_tables_have_a_row_for_each_topic(alpha):
    long = read_long(alpha)
    assert [*long.columns] == [
        *("collection", "item", "method", "reference", "topic", "c1", "c2", "value")
    ]
    wide = pd.read_parquet(alpha)
    expected = [
        ("demo", "S-to-3/h2@E", "h2", "E", topic, row.c1, row.c2, getattr(row, column))
        for topic, column in (("value", "value"), ("9", "_3"))
        for row in wide.itertuples(index=False)
    ]
    assert long.fillna({"value": -1}).to_numpy().tolist() == [
        [*row[:-1], -1 if pd.isna(row[-1]) else row[-1]] for row in expected
    ]


def test_long_tables_without_topics_or_rows(tmp_path):
    path = tmp_path / "alpha.parquet"
    for topics in ((), ("1",)):
        schema = per_cut_schema("cuts/alpha", 2, topics)
        write_table(schema.empty_table(), path, schema)
        assert read_long(path).empty
        assert TableFile.read(path).named_by_data == topics
    write_table(LABELS, path, "qrels")
    with pytest.raises(InputError, match=r"no table with a column for each topic: qrels"):
        read_long(path)


def test_files_of_others_and_broken_ones_are_refused_with_a_remedy(results):
    Path(results).mkdir(parents=True)
    foreign, broken, text = (f"{results}/{name}" for name in ("f.parquet", "b.parquet", "t.txt"))
    pq.write_table(pa.table({"a": [1]}), foreign)
    Path(broken).write_bytes(b"PAR1 and no more")
    Path(text).write_text("1 0 a 0\n")
    with pytest.raises(InputError, match=r"no table that regrade wrote[\s\S]*regrade look FILE"):
        TableFile.read(foreign)
    with pytest.raises(InputError, match=r"cannot be read as Parquet[\s\S]*run again"):
        TableFile.read(broken)
    with pytest.raises(InputError, match=r"cannot be read as Parquet[\s\S]*regrade look FILE"):
        TableFile.read(text)
    write_table(LABELS, f"{results}/q.parquet", "qrels")
    files, problems = read_files([results])
    assert [file.table for file in files] == ["qrels"]
    assert len(problems) == 2


def test_a_file_of_an_earlier_version_says_what_it_can(tmp_path):
    path = tmp_path / "old.parquet"
    notes = {b"regrade": json.dumps({"version": "0.0.1", "parameters": {"levels": 2}})}
    table = pa.table({name: [*LABELS[name]] for name in LABELS}, SCHEMAS["qrels"])
    pq.write_table(table.replace_schema_metadata(notes), path)
    said = str(TableFile.read(path))
    for part in ("regrade 0.0.1", "levels: 2", "before its tables did", "-f FILE", "grade"):
        assert part in said
    with pytest.raises(InputError, match="it does not say"):
        read_long(path)


def test_which_files_a_name_stands_for(results):
    for name in ("scores/b", "scores/a", "cuts/x/scores"):
        write_table(ROWS["scores"], f"{results}/{name}.parquet", "scores")
    Path(f"{results}/scores/.hidden.parquet").touch()
    assert [path.name for path in files_of(results)] == ["scores.parquet", "a.parquet", "b.parquet"]
    assert len(files_of("results/*/scores/*.parquet")) == 2
    assert len(files_of("results/**/*.parquet")) == 3
    for name, said in (
        ("results/demo/score", "no such file; did you mean 'scores'"),
        ("results/*/none", "no such file$"),
    ):
        with pytest.raises(ParameterError, match=said):
            files_of(name)
    Path("empty").mkdir()
    with pytest.raises(ParameterError, match="holds no table"):
        files_of("empty")


def test_the_command_tells_files_from_names(results, run):
    for name in ("a", "b"):
        write_table(ROWS["scores"], f"{results}/scores/{name}.parquet", "scores")
    one = run("tables", f"{results}/scores/a.parquet")
    assert one.exit_code == 0
    assert "residual" in one.stdout
    assert len(run("tables", results).stdout.splitlines()) == 2
    (first,) = json.loads(run("tables", f"{results}/scores/a.parquet", "--json").stdout)
    assert (first["table"], first["rows"], first["key"]) == (
        "scores", 1, ["system", "topic", "measure"]
    )  # fmt: skip
    assert "there is no table scorse" in run("tables", "scorse").stderr
    both = run("tables", "scores", f"{results}/scores/a.parquet")
    assert "names or files, not both" in both.stderr
    Path(f"{results}/scores/c.parquet").touch()
    broken = run("tables", f"{results}/scores/*")
    assert broken.exit_code == 1
    assert len(broken.stdout.splitlines()) == 2
    assert f"{results}/scores/c.parquet: cannot be read" in broken.stderr
    # in the folder of results a table's name is that of the catalogue
    named = run("tables", "scores", "qrels", "scores")
    assert named.stdout.count("every system's score") == 1
    assert "labels of documents" in named.stdout


@pytest.fixture
def run():
    from click.testing import CliRunner

    return lambda *arguments: CliRunner().invoke(app, arguments)


@pytest.mark.parametrize("arguments", [[], ["best_cuts"], ["--json"], ["--markdown"]])
def test_the_catalogue_loads_nothing_heavy(arguments):
    code = (
        "import sys; sys.argv = ['regrade', 'tables', *sys.argv[1:]]\n"
        "from regrade.command.app import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'numba', 'scipy'} & {*sys.modules}\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


# which commit


def test_the_commit_of_a_clone(tmp_path):
    assert commit_of(tmp_path) == ""
    git = tmp_path / "clone" / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    assert commit_of(git.parent) == ""  # without a commit yet
    (git / "packed-refs").write_text(f"# pack-refs\n{'a' * 40} refs/heads/main\n")
    assert commit_of(git.parent) == f", commit {'a' * 12}"
    (git / "refs" / "heads" / "main").write_text(f"{'b' * 40}\n")
    assert commit_of(git.parent) == f", commit {'b' * 12}"
    further = git / "worktrees" / "w"
    further.mkdir(parents=True)
    (further / "HEAD").write_text("ref: refs/heads/main\n")
    (further / "commondir").write_text("../..\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {further}\n")
    assert commit_of(tree) == f", commit {'b' * 12}"
    (further / "HEAD").write_text(f"{'c' * 40}\n")
    assert commit_of(tree) == f", commit {'c' * 12}"
