"""The command: every example in docs runs; formats, the standard input, exit codes."""

import gzip
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import pytrec_eval
import yaml
from click.testing import CliRunner

import regrade
from regrade.answers.shape import Answer
from regrade.catalogue import TABLES
from regrade.command import workflow
from regrade.command.app import app
from regrade.command.arguments import columns_of, scale_of
from regrade.command.workflow import done_text, last_error, planned
from regrade.errors import FAILED, ParameterError, RegradeError
from regrade.extras import MODULES
from regrade.tables import write_table
from regrade.workflow.places import located
from tests.snapshots import assert_said

DOCUMENT = Path(__file__).parents[2] / "docs" / "command.md"
BLOCKS = re.findall(r"```sh\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
EXAMPLES = [line for block in BLOCKS for line in block.splitlines() if line.strip()]
TOPICS, DOCUMENTS = ("401", "402", "403", "404"), 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files as a user has them."""
    root = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(11)
    relevance = {t: rng.beta(0.7, 1.2, DOCUMENTS) for t in TOPICS}
    docs = [f"d{i:02}" for i in range(DOCUMENTS)]
    grades = {t: np.minimum(2, r * 3).astype(int) for t, r in relevance.items()}
    noisy = {t: np.clip(r + 0.1 * rng.standard_normal(DOCUMENTS), 0, 1)
             for t, r in relevance.items()}  # fmt: skip

    def qrels(path, held):
        lines = (f"{t} 0 {d} {g}\n" for t in TOPICS for d, g in zip(docs, held[t], strict=True))
        (root / path).write_text("".join(lines), encoding="utf-8")

    qrels("qrels.txt", grades)
    qrels("model.qrels", {t: np.minimum(2, r * 3).astype(int) for t, r in noisy.items()})
    rows = [(t, d, round(100 * v)) for t in TOPICS for d, v in zip(docs, noisy[t], strict=True)]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    frame.to_csv(root / "model.csv", index=False)
    workers = [frame.assign(worker=w, unit=w, value=np.clip(frame["score"] + shift, 0, 100))
               for w, shift in (("x", 0), ("y", 5), ("z", -5))]  # fmt: skip
    judgments = pd.concat(workers).drop(columns="score")
    judgments.to_csv(root / "judgments.csv", index=False)
    (root / "runs").mkdir()
    for name, noise in (("a", 0.1), ("b", 0.3), ("c", 0.6)):
        lines = []
        for t in TOPICS:
            scores = relevance[t] + noise * rng.standard_normal(DOCUMENTS)
            for rank, i in enumerate(np.argsort(-scores), 1):
                lines.append(f"{t} Q0 {docs[i]} {rank} {scores[i]:.4f} {name}\n")
        data = "".join(lines).encode()
        if name == "b":
            (root / "runs" / "b.run.gz").write_bytes(gzip.compress(data))
        else:
            (root / "runs" / f"{name}.run").write_bytes(data)
    (root / "groups.txt").write_text("a one\nb one\nc two\n")
    pairs = [
        f"{t} {docs[i]} {docs[j]}\n"
        for t in TOPICS for i in range(8) for j in range(8)
        if relevance[t][i] > relevance[t][j]
    ]  # fmt: skip
    (root / "preferences.txt").write_text("".join(pairs))
    asked = [(t, d, 0.5, i % 2, g if i % 2 else "") for t in TOPICS
             for i, (d, g) in enumerate(zip(docs, grades[t], strict=True))]  # fmt: skip
    filled = pd.DataFrame(asked, columns=["topic", "docno", "inclusion", "chosen", "grade"])
    filled.to_csv(root / "filled.csv", index=False)
    shutil.copytree(root, root.with_name("untouched"))
    return root


SWEPT = {
    "answer": Answer("What decides?", "All of it.").to_frame(),
    "pairs": pd.DataFrame(
        {"system": ["a"], "other": ["b"], "conclusion": ["better"], "scores_higher": [1.0],
         "significantly_better": [1.0], "significantly_worse": [0.0], "holds": [True],
         "order_holds": [True], "depends_on": [None], "total": [None], "changed_at": [None]}
    ).astype({"depends_on": object, "total": float}),
}  # fmt: skip


@pytest.fixture
def run(folder, monkeypatch):
    """Runs a command in the folder."""
    monkeypatch.chdir(folder)

    def ran(*arguments, given=None):
        return CliRunner().invoke(app, list(arguments), input=given)

    return ran


# --- the examples ---------------------------------------------------------------------------------


@pytest.mark.parametrize("line", EXAMPLES)
def test_examples_in_the_document_run(line, folder, run, monkeypatch):
    asked = []
    monkeypatch.setattr(workflow, "run_workflow", lambda *a, **k: asked.append((a, k)) or 0)
    given = None
    if line.startswith("cat "):
        piped, line = line.split(" | ")
        given = (folder / piped.removeprefix("cat ")).read_bytes()
    program, *arguments = shlex.split(line)
    assert program == "regrade"
    if arguments[0] == "sweep":
        table = arguments[-1] if "--table" in arguments else "answer"
        monkeypatch.setattr(workflow, "sweep_folders", lambda *a: {"choices": folder / "sweep"})
        write_table(SWEPT[table], folder / "sweep" / f"{table}.parquet", f"sweeps/{table}")
    if arguments[0] == "tables" and arguments[-1].endswith(".parquet"):
        write_table(SWEPT["pairs"], folder / arguments[-1], "sweeps/pairs")
    if arguments[0] == "targets" and not (folder / "mine.yaml").exists():
        run("init", "runs", "qrels.txt", "--out", "mine.yaml")
    if arguments[0] == "init":
        (folder / "mine.yaml").unlink(missing_ok=True)
    done = run(*arguments, given=given)
    assert done.exit_code == 0, done.output
    configured = {"run": "mine.yaml", "demo": "config.yaml"}
    if arguments[0] in configured:
        assert Path(asked[0][0][0]).name == configured[arguments[0]]
        assert asked[0][0][2] == "2"
    else:
        assert done.stdout.strip()


TABLES_OF = [
    "rank qrels.txt runs --draws 100 --judges m=model.qrels",
    "compare qrels.txt model.qrels --runs runs --resamples 20 --splits 20",
    "judges qrels.txt model.qrels gpt=model.csv --runs runs --resamples 20",
    "calibrate qrels.txt gpt=model.csv --runs runs",
    "favour qrels.txt gpt=model.qrels --runs runs --family mine=a --draws 100",
    "replace qrels.txt model.qrels --runs runs --family mine=a --resamples 20",
    "ties runs --qrels qrels.txt",
    "unjudged qrels.txt runs",
    "pool runs --qrels qrels.txt",
    "leave-one-out qrels.txt runs",
    "estimate filled.csv model.qrels --runs runs -m nDCG@10 --scale 3",
    "pdp qrels.txt model.qrels --preferences preferences.txt --format winner-loser --runs runs",
    "workers judgments.csv",
    "magnitudes judgments.csv qrels.txt --shift 1 --runs runs",
    "pairs preferences.txt --format winner-loser --references qrels.txt --runs runs "
    '--partitions {"draws":1}',
]
"""A command of each kind that has tables, given all that these may be of."""


@pytest.mark.parametrize("line", TABLES_OF)
def test_help_names_every_table(line, run, monkeypatch):
    made = []
    monkeypatch.setattr("regrade.command.output.print_result", lambda *given: made.append(given[0]))
    done = run(*line.split())
    assert made, done.output
    assert sorted(_tables_in_help(run, line.split()[0])) == sorted(made[0].tables)


def test_help_names_every_table_of_sweeps(run):
    made = (path.partition("/") for path in TABLES)
    names = {name for folder, _, name in made if folder in ("sweeps", "label-sweeps")}
    assert sorted(_tables_in_help(run, "sweep")) == sorted(names)


def _tables_in_help(run, command):
    said = " ".join(run(command, "--help").output.split())
    return re.search(r"Print this table instead: ([\w, ]+)\.", said)[1].split(", ")


def test_every_command_has_an_example_in_its_help_and_in_a_document(run):
    """That of its question, or of all commands."""
    names = [*app.commands]
    assert {"rank", "magnitudes", "run"} <= set(names)
    for name in names:
        done = run(name, "--help")
        assert done.exit_code == 0
        assert f"Example: regrade {name}" in " ".join(done.output.split())
        lines = (line.split(" | ")[-1] for line in EXAMPLES)
        has_page = (DOCUMENT.parent / "questions" / f"{name}.md").is_file()
        assert has_page or any(line.startswith(f"regrade {name} ") for line in lines)


def test_sweep_says_what_came_out(folder, run, monkeypatch):
    config = folder / "sweep.yaml"
    done = run("sweep", str(config))
    assert done.exit_code != 0 and "no such configuration" in done.output
    asked = {"qrels": {"A": {"file": "qrels.txt", "levels": 4}}, "runs": "runs/*"}
    text = {"collection": "mine", "collections": {"mine": asked}}
    config.write_text(yaml.safe_dump(text))
    done = run("sweep", str(config))
    assert done.exit_code != 0 and "contains no sweep" in done.output
    asked["sweeps"] = {"one": {"baseline": {"labels": "A"}, "axes": {"ties": ["rank", "docno"]}}}
    config.write_text(yaml.safe_dump(text))
    folders = workflow.sweep_folders(str(config), directory=str(folder))
    assert folders == {"one": folder / "results/mine/sweeps/one"}
    monkeypatch.setattr(workflow, "run_workflow", lambda *a, **k: 0)
    write_table(SWEPT["answer"], folders["one"] / "answer.parquet", "sweeps/answer")
    done = run("sweep", str(config), "--directory", str(folder))
    assert done.stdout == "one\nAll of it.\n"
    write_table(SWEPT["pairs"], folders["one"] / "pairs.parquet", "sweeps/pairs")
    for ending in ("csv", "parquet"):
        out = folder / f"pairs.{ending}"
        run("sweep", str(config), "--directory", str(folder), "--out", str(out))
        read = pd.read_csv(out) if ending == "csv" else pd.read_parquet(out)
        assert len(read) == len(SWEPT["pairs"])
    done = run("sweep", str(config), "--directory", str(folder), "--name", "two")
    assert done.exit_code != 0 and "two" in done.output


# --- what is printed ------------------------------------------------------------------------------


def evaluated(folder):
    qrels = {t: {} for t in TOPICS}
    for line in (folder / "qrels.txt").read_text().splitlines():
        t, _, d, g = line.split()
        qrels[t][d] = int(g)
    scored = {t: {} for t in TOPICS}
    for line in (folder / "runs" / "a.run").read_text().splitlines():
        t, _, d, _, s, _ = line.split()
        scored[t][d] = float(s)
    return pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut_10"}).evaluate(scored)


def test_scores_are_printed_as_others_print_them(folder, run):
    expected = evaluated(folder)
    mean = {m: np.mean([v[m] for v in expected.values()]) for m in ("map", "ndcg_cut_10")}
    done = run("score", "qrels.txt", "runs/a.run", "-m", "AP nDCG@10")
    assert done.stdout == f"AP\t{mean['map']:.4f}\nnDCG@10\t{mean['ndcg_cut_10']:.4f}\n"
    done = run("score", "qrels.txt", "runs/a.run", "-m", "AP", "-q")
    lines = [f"{t}\tAP\t{v['map']:.4f}" for t, v in expected.items()]
    assert done.stdout.splitlines() == [*lines, f"all\tAP\t{mean['map']:.4f}"]
    done = run("score", "qrels.txt", "runs/a.run", "-m", "AP", "--format", "trec_eval")
    head = f"{'runid':<22}\tall\ta"
    assert done.stdout.splitlines() == [head, f"{'AP':<22}\tall\t{mean['map']:.4f}"]
    twice = run("score", "qrels.txt", "runs/a.run", "-m", "AP", "-m", "nDCG@10")
    assert twice.stdout == run("score", "qrels.txt", "runs/a.run", "-m", "AP nDCG@10").stdout
    done = run("score", "qrels.txt", "runs", "-m", "AP")
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["a", "b", "c"]


def test_a_measure_among_files_is_told_how_measures_stand_together(run):
    done = run("score", "qrels.txt", "runs", "-m", "AP", "nDCG@10")
    assert done.exit_code == 1
    assert "nDCG@10: there is no such file; measures are given together, as in -m " in done.stderr
    assert "cannot be read" in run("score", "qrels.txt", "nowhere", "-m", "AP").stderr


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_scores_for_programs(format, run):
    done = run("score", "qrels.txt", "runs", "-m", "AP", "-q", "--format", format)
    lines = done.stdout.splitlines()
    assert len(lines) == 3 * len(TOPICS) + (format == "csv")
    assert format == "csv" or set(json.loads(lines[0])) == {"system", "topic", "measure", "value"}


def without_waiting(said):
    """What a command said, but for that it is still at work, which a busy machine makes it say."""
    return "".join(line for line in said.splitlines(True) if not line.endswith(" so far)\n"))


def test_what_met_is_said_beside_the_scores(folder):
    command = [sys.executable, "-m", "regrade", "score", "qrels.txt", "runs", "-m", "AP"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert without_waiting(done.stderr) == (
        "regrade: qrels and 3 runs: 4 of 4 judged topics ranked; 96 of 96 judged documents "
        "retrieved\n"
    )
    assert len(done.stdout.splitlines()) == 3


def test_scores_are_written(folder, run):
    for ending in ("csv", "tsv", "jsonl", "parquet"):
        done = run("score", "qrels.txt", "runs", "-m", "AP", "--out", f"scores.{ending}")
        assert done.exit_code == 0, done.output
    assert len(pd.read_parquet(folder / "scores.parquet")) == 3 * len(TOPICS)
    done = run("score", "qrels.txt", "runs", "--out", "scores.xls")
    assert (done.exit_code, "tables are written as" in done.stderr) == (1, True)


def test_the_cut_that_is_written_is_the_cut_that_is_said(folder, run):
    done = run("cut", "model.csv", "-k", "3", "-r", "qrels.txt", "--out", "c.qrels", "--json",
               "--resamples", "0")  # fmt: skip
    low, high = json.loads(done.stdout)["best"]
    frame = pd.read_csv(folder / "model.csv", dtype={"query_id": str})
    expected = {(r.query_id, r.doc_id): (r.score > low) + (r.score > high)
                for r in frame.itertuples()}  # fmt: skip
    written = [line.split() for line in (folder / "c.qrels").read_text().splitlines()]
    assert {(t, d): int(g) for t, _, d, g in written} == expected


def test_the_standard_input(folder, run):
    given = (folder / "model.csv").read_text()
    done = run("cut", "-", "-k", "3", "-r", "qrels.txt", "--resamples", "0", given=given)
    assert "\nThresholds " in done.stdout and " maximise α " in done.stdout
    done = run("score", "-", "runs/a.run", given="401 0 d01 x\n")
    assert done.exit_code == 1
    assert done.stderr.startswith("regrade: <stdin>:1: ")


ERRORS = """
score none.txt runs
score qrels.txt runs -m MAPP
score qrels.txt runs --format xml
score qrels.txt runs --format parquet
score qrels.txt
score qrels.txt runs --columns topic
compare qrels.txt model.qrels --table x
compare qrels.txt model.qrels --scale x
cut model.csv
cut model.csv -r qrels.txt
leave-one-out qrels.txt runs --by group
leave-one-out qrels.txt runs --by run --groups groups.txt
pdp qrels.txt -p preferences.txt
run none.yaml
init none
nothing
score runs/a.run runs/c.run
score qrels.txt model.qrels
score semi runs/a.run
score qrels.txt runs/a.run -m
compare qrels.txt model.qrels model.csv
compare qrels.txt model.qrels nothing
tables best_cuts more
assign model.qrels --budget 100000
"""
"""Where no other order of the files would do, none is advised."""


def test_errors_are_one_message_and_a_code(run, folder, monkeypatch):
    untouched = folder.with_name("untouched")  # by other tests: names nearby are proposed
    (untouched / "semi").write_text((folder / "qrels.txt").read_text().replace(" ", ";"))
    monkeypatch.chdir(untouched)

    def say(typed):
        done = run(*shlex.split(typed))
        assert "Traceback" not in done.output and "type: " not in done.stderr
        return f"{done.exit_code}: {done.stderr}"

    assert_said("errors-of-commands", say, ((line,) for line in ERRORS.strip().splitlines()))


def test_options_as_text():
    assert scale_of("4") == 4
    assert scale_of("0:1") == (0, 1)
    assert scale_of("0:5:0.1") == {"values": {"from": 0, "to": 5, "by": 0.1}}
    assert scale_of("N,R") == ["N", "R"]
    assert columns_of("topic=q, grade=r") == {"topic": "q", "grade": "r"}
    for wrong in ("", "four", "0:1:2:3"):
        with pytest.raises(ParameterError):
            scale_of(wrong)


_WITHOUT_EXTRAS = """
import json, sys
for name in json.loads(sys.argv[1]):
    sys.modules[name] = None
from click.testing import CliRunner
from regrade.command.app import app
for arguments in json.loads(sys.argv[2]):
    done = CliRunner().invoke(app, arguments)
    print(json.dumps([done.exit_code, done.stderr or repr(done.exception)]))
import regrade
try:
    regrade.score("qrels.txt", "runs", "AP").plot()
except regrade.RegradeError as error:
    print(error)
"""
OF_THE_WORKFLOW = ("explain", "run", "demo", "sweep", "targets")


@pytest.mark.slow
def test_the_base_installation_answers_questions(folder):
    """Without the extras, every example but those of the workflow; these say what to install."""
    examples = [shlex.split(line)[1:] for line in EXAMPLES if not line.startswith("cat ")]
    (folder / "mine.yaml").unlink(missing_ok=True)
    shutil.rmtree(folder / "results", ignore_errors=True)  # as other tests of examples write it
    blocked = [json.dumps(one) for one in (sorted(MODULES), examples)]
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_EXTRAS, *blocked],
        capture_output=True, text=True, check=True, cwd=folder,
    )  # fmt: skip
    *answers, drawn = done.stdout.splitlines()
    assert drawn == "figures: matplotlib is not installed: pip install 'regrade[figures]'"
    for arguments, line in zip(examples, answers, strict=True):
        code, said = json.loads(line)
        if arguments[0] == "tables" and "results/" in " ".join(arguments):  # which a run makes
            assert code == 1 and "there is no such file" in said, (arguments, said)
        elif "--plot" in arguments:
            assert code == 1 and "pip install 'regrade[figures]'" in said, (arguments, said)
        elif arguments[0] in OF_THE_WORKFLOW:
            assert code == 1 and "pip install 'regrade[workflow]'" in said, (arguments, said)
        else:
            assert code == 0, (arguments, said)


# --- init and run ---------------------------------------------------------------------------------


def test_a_configuration_that_is_there_is_not_replaced(folder, run):
    (folder / "there.yaml").write_text("mine")
    done = run("init", "qrels.txt", "--out", "there.yaml")
    assert (done.exit_code, "replace it with --force" in done.stderr) == (1, True)
    assert (folder / "there.yaml").read_text() == "mine"
    assert run("init", "qrels.txt", "--out", "there.yaml", "--force").exit_code == 0
    # as the file, so that two of them have results of their own
    assert yaml.safe_load((folder / "there.yaml").read_text())["collection"] == "there"
    assert yaml.safe_load(run("init", "qrels.txt").stdout)["collection"] == "mine"


def test_files_of_no_kind_are_refused(folder, run):
    (folder / "odd.txt").write_text("a b c d e f g\n")
    done = run("init", "odd.txt")
    assert "7 fields is neither a run (6), qrels (4) nor groups (2)" in done.stderr


OUTPUT = """Job stats:
job      count
-----  -------
all          1
total        1

05:12:01 collect_qrels: reading
[Sun Nov 22 05:12:02 2026]
05:12:02 collect_qrels: qrels.txt:3: grade 'x' is not a number
Give each document a grade.
[Sun Nov 22 05:12:02 2026]
Error in rule collect_qrels:
    message: None
Exiting because a job execution failed.
""".splitlines()


def test_at_the_end_it_is_said_what_is_made_and_where(tmp_path):
    made, page = ["Finished"], tmp_path / "report.html"
    assert done_text(made, [], page) == "done"
    page.touch()
    assert done_text(made, [], page) == f"done: {page}"
    assert done_text(made, ["a.png", "b"], page) == "done: a.png, b"
    nothing = ["Nothing to be done (all requested files are present and up to date)."]
    assert done_text(nothing, ["a.png"], page) == "nothing to be done: a.png"


def test_the_last_error_is_said_alone():
    assert last_error(OUTPUT) == [
        "collect_qrels: qrels.txt:3: grade 'x' is not a number",
        "Give each document a grade.",
    ]
    assert last_error([*OUTPUT, FAILED, "rule: what to do"]) == ["rule: what to do"]
    twice = ['WorkflowError in file "a/common.smk", line 3:', "c.yaml:5: twice", '  File "a"', ""]
    assert last_error(twice) == ["c.yaml:5: twice"]
    wrong = ["Traceback", "config: collections.a: unknown key 'x'", "more"]
    assert last_error(wrong) == ["config: collections.a: unknown key 'x'"]
    assert last_error([str(i) for i in range(40)])[-1] == "39"
    assert planned(OUTPUT)[2].startswith("all")
    assert planned([]) == ["nothing to be done"]


def test_what_is_wrong_with_a_configuration_is_said_by_run(tmp_path):
    (tmp_path / "c.yaml").write_text("collection: a\ncollections: {a: {quells: {}}}\n")
    done = subprocess.run(
        [sys.executable, "-m", "regrade", "run", "c.yaml", "-n"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1
    said = without_waiting(done.stderr)
    assert said == "c.yaml:2: collections.a: unknown key 'quells'; did you mean 'qrels'?\n"
    told = subprocess.run(
        [sys.executable, "-m", "regrade", "targets", "c.yaml"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert without_waiting(told.stderr) == f"regrade: {said}"


def test_keys_of_a_configuration_are_told_with_their_lines(tmp_path):
    config = tmp_path / "c.yaml"
    config.write_text(
        "collection: a\ncollections:\n  a:\n    ranking:\n      - qrels: N\n"
        "      - {name: second, qrels: M}\n    # more\n    ties: {qrels: X}\n"
    )
    lines = {
        "collections.a.ties.qrels: no such set": 8,
        "collections.a.ranking.0.qrels: no such set": 5,
        "collections.a.ranking.second: no such set": 6,
        "collections.a.measures: missing": 3,
        "collections.a.ties: unknown key 'qrels'; did you mean …": 8,
        "the configuration: `runs` must be given": 1,
    }
    said = located(["Traceback", *(f"config: {line}" for line in lines)], str(config))
    assert said == ["Traceback", *(f"{config}:{n}: {line}" for line, n in lines.items())]


@pytest.mark.parametrize(
    ("targets", "option"),
    [(["results/a/x.csv"], "--force"), ([], "--forceall"), (["han2019"], "--forceall")],
)
def test_what_is_made_anew(targets, option, tmp_path, monkeypatch):
    (tmp_path / "c.yaml").write_text("")
    monkeypatch.setattr(workflow, "ask_workflow", lambda *a, **k: "")
    monkeypatch.setattr(workflow.subprocess, "Popen", Stopped)
    for force in (False, True):
        workflow.run_workflow(str(tmp_path / "c.yaml"), targets, "1", force=force)
        forcing = [word for word in Stopped.last.command if word.startswith("--force")]
        assert forcing == [option] * force


def test_a_file_that_is_no_configuration(tmp_path, run):
    texts = [b"", b"# only a comment\n", b"- a\n- b\n", b"401 Q0 D1 1 2.5 run\n", b"a: [1, 2\n"]

    def say(text):
        (tmp_path / "c.yaml").write_bytes(text)
        done = run("run", str(tmp_path / "c.yaml"))
        assert done.exit_code == 1
        assert [path.name for path in tmp_path.iterdir()] == ["c.yaml"]
        return done.stderr.replace(f"{tmp_path}/", "")

    texts += [b"a:\n\tb: 1\n", b"a: 'b\n", b"a: \xff\n"]
    assert_said("no-configurations", say, ((text,) for text in texts))


def test_targets_are_listed_by_group(folder, run):
    run("init", "runs", "qrels.txt", "--out", "own.yaml", "--name", "own", "--force")
    done = run("targets", "own.yaml")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("collection own\n\ntargets\n  all ")
    assert "results/own/scores/qrels.parquet" in done.stdout
    assert "not asked for: add them under `studies`" in done.stdout
    found = json.loads(run("targets", "own.yaml", "--group", "files", "--json").stdout)
    assert {one["group"] for one in found["targets"]} == {"files"}
    assert "did you mean 'files'" in run("targets", "own.yaml", "--group", "file").stderr
    assert run("targets", "none.yaml").exit_code == 1


def test_the_workflow_must_be_there(tmp_path):
    (tmp_path / "c.yaml").write_text("{}")
    with pytest.raises(RegradeError, match="there is no workflow at"):
        workflow.run_workflow(str(tmp_path / "c.yaml"), [], "1", str(tmp_path / "none"))


class Stopped:
    """A run of Snakemake that somebody stops with Ctrl-C; it takes its time."""

    def __init__(self, *args, **kwargs):
        self.told, (self.command,) = 0, args
        Stopped.last = self

    @property
    def stdout(self):
        yield "one line\n"
        raise KeyboardInterrupt

    def communicate(self, timeout=None):
        if not self.told:
            raise subprocess.TimeoutExpired("snakemake", timeout)

    def terminate(self):
        self.told += 1


def test_what_is_interrupted_says_that_it_can_go_on(tmp_path, monkeypatch, capsys):
    (tmp_path / "c.yaml").write_text("")
    monkeypatch.setattr(workflow, "ask_workflow", lambda *a, **k: "")
    monkeypatch.setattr(workflow.subprocess, "Popen", Stopped)
    assert workflow.run_workflow(str(tmp_path / "c.yaml"), [], "1") == 130
    assert capsys.readouterr().err == "interrupted; the same command goes on\n"
    assert Stopped.last.told == 1


def test_other_commands_say_that_they_were_interrupted(monkeypatch):
    def stopped(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("regrade.command.arguments.path", stopped)
    done = CliRunner().invoke(app, ["score", "qrels", "run"])
    assert (done.exit_code, done.stderr) == (130, "regrade: interrupted\n")


def test_the_version_is_told(run):
    assert run("--version").stdout == f"regrade {regrade.__version__}\n"


@pytest.mark.parametrize("command", ["judges", "workers"])
def test_a_reference_may_have_names_of_levels(run, tmp_path, command):
    """Beside judges or workers who judge by the same names, or by numbers."""
    frame = pd.DataFrame(
        [(t, f"d{n}", w, (n + (w == "z") * (n % 2)) % 3) for t in "12" for n in range(9)
         for w in "xyz"], columns=["topic", "docno", "worker", "grade"],
    )  # fmt: skip
    names = ["nicht relevant", "teilweise", "relevant"]
    own = ["topic", "docno", *(["worker"] if command == "workers" else []), "grade"]
    for name, held in {
        "numbers": frame,
        "names": frame.replace({"grade": dict(enumerate(names))}),
    }.items():
        held[held["worker"] == "x"].drop(columns="worker").to_csv(
            tmp_path / f"{name}.csv", index=False
        )
        judged = held if command == "workers" else held[held["worker"] == "z"]
        judged[own].to_csv(tmp_path / f"judged-{name}.csv", index=False)

    def asked(judged, name, *words):
        files = [str(tmp_path / f"judged-{judged}.csv"), str(tmp_path / f"{name}.csv")]
        if command == "workers":
            return run(command, files[0], "--reference", files[1], "--json", *words)
        return run(command, *files[::-1], "--json", *words)

    assert "--scale N,R,H" in asked("names", "names").stderr
    by_number, told = asked("numbers", "numbers"), ("--scale", ",".join(names))
    for judged in ("names", "numbers"):
        by_name = asked(judged, "names", *told)
        assert by_name.exit_code == 0, by_name.stderr
        assert by_name.stdout.replace("names", "numbers") == by_number.stdout
    # of names that no file has nothing is ignored
    refused = asked("numbers", "numbers", *told)
    assert "is not on the scale nicht relevant, teilweise, relevant" in refused.stderr


MISPLACED = """
score runs qrels.txt -q -m AP -m P@5
score 'runs/*' qrels.txt
ties qrels.txt runs
pool qrels.txt runs --depth 5
assign model.qrels runs --budget 10
estimate model.qrels filled.csv --runs runs
compare runs qrels.txt model.qrels
compare qrels.txt model.qrels runs
judges runs qrels.txt model=model.qrels
workers judgments.csv qrels.txt
"""


def test_files_in_places_of_others_have_the_command_to_type(run):
    def say(typed):
        done = run(*shlex.split(typed))
        assert done.exit_code in (1, 2)
        said = done.stderr.splitlines()[-1].partition(": ")[2]
        words = shlex.split(said.rpartition("type: ")[2])
        then = run(*words[1:])
        assert "; type: " not in then.stderr
        assert then.exit_code == 0 or words[1] == "estimate", then.stderr
        return said

    assert_said("files-misplaced", say, ((line,) for line in MISPLACED.strip().splitlines()))


@pytest.mark.parametrize(
    ("name", "text", "others", "said"),
    [
        ("README.txt", "The runs of a track are these here.\n", 2, ", or name runs/*.run"),
        ("notes.run", "Runs of 1999\n", 2, ""),
        ("qrels.run", "t1 0 d1 1\n", 2, ""),
        ("notes.csv", "name,what,when\na,b,c\n", 2, ", or name runs/*.run"),
        ("qrels.txt", "t1 0 d1 1\n", 1, None),
        ("README.txt", "", 2, None),
        ("c.run", "t1 Q0 d1 1 2.5 c\0\n", 2, None),  # cannot be read, as which it is named
    ],
)
def test_a_stray_file_among_runs_is_named(name, text, others, said, run, tmp_path, monkeypatch):
    qrels = Path("qrels.txt").absolute()
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    for other in "ab"[:others]:
        Path(f"runs/{other}.run").write_text(f"t1 Q0 d1 1 2.5 {other}\nt1 Q0 d2 2 1 {other}\n")
    (Path("runs") / name).write_text(text)
    for given in (["runs"], sorted(map(str, Path("runs").iterdir()))):
        done = run("score", str(qrels), *given)
        assert done.exit_code == 1 and done.stderr.startswith(f"regrade: runs/{name}:")
        end = f"\n{name} is no run, as 2 others beside it are: take it out{said}\n"
        assert done.stderr.endswith(end) if said is not None else "is no run" not in done.stderr
        assert "name a run here" not in done.stderr or said is None
    Path(f"runs/{name}").unlink()
    assert "is no run" not in run("score", str(qrels), "runs").stderr


@pytest.mark.slow
def test_what_runs_says_where_the_page_is_and_what_a_target_may_be(run, folder, tmp_path):
    (tmp_path / "own.yaml").write_text(
        f"collection: own\ncollections:\n  own:\n    runs: {folder}/runs/*\n"
        f"    qrels: {{N: {{file: {folder}/qrels.txt, levels: 3}}}}\n"
    )
    asked = ("run", str(tmp_path / "own.yaml"), "--directory", str(tmp_path))
    done = run(*asked, "results/own/scores/M.parquet")
    assert done.exit_code == 1
    assert "there is no target 'results/own/scores/M.parquet'; did you mean" in done.stderr
    for name in ("N.systems", "N.sytems"):
        said = f"no target '{name}'; did you mean 'results/own/scores/N.systems.csv'?"
        assert said in run(*asked, name).stderr
    done = run(*asked, "--cores", "1")
    assert done.stdout == f"done: {tmp_path}/results/own/report.html\n"


def test_rows_are_chosen_by_a_column(run, folder, tmp_path):
    frame = pd.read_csv(folder / "judgments.csv")
    frame.to_csv(tmp_path / "good.csv", index=False)
    wrong = frame.assign(value=7, worker="z9", status="Rejected")
    both = pd.concat([frame.assign(status="Accepted"), wrong])
    both.to_csv(tmp_path / "both.csv", index=False)
    asked = ("-k", "3", "-r", "qrels.txt", "--resamples", "0")
    plain = run("cut", str(tmp_path / "good.csv"), *asked)
    chosen = run("cut", str(tmp_path / "both.csv"), *asked, "--where", "status=Accepted")
    assert chosen.exit_code == 0, chosen.stderr
    left_out = "Note: good: 288 rows are left out: other than status Accepted (where).\n"
    assert left_out in (said := chosen.stdout.replace("both", "good"))
    assert said.replace(left_out, "") == plain.stdout
    assert "write it as status=Accepted" in run("cut", "judgments.csv", "--where", "x").stderr


def test_a_table_may_be_called_as_texts_call_it(run):
    short, whole = (run("rank", "qrels.txt", "runs", "--table", name).stdout
                    for name in ("facts", "ranking/facts"))  # fmt: skip
    assert short == whole != ""


def _off_the_scale(path):
    """Two judges' values of 0 to 3, 200 of them, and one 10."""
    rows = [(t, f"d{i}", w, (i + i // 7 * (w == "b")) % 4)
            for t in ("1", "2") for i in range(50) for w in ("a", "b")]  # fmt: skip
    rows[7] = (*rows[7][:3], 10)
    frame = pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])
    frame.to_csv(path / "panel.csv", index=False)
    people = frame[frame["worker"] == "a"]
    lines = (f"{row.topic} 0 {row.docno} {row.value}\n" for row in people.itertuples())
    (path / "people.qrels").write_text("".join(lines))


def test_few_values_off_the_scale_of_all_others_make_no_larger_scale(run, tmp_path):
    _off_the_scale(Path())
    command = ("judges", "people.qrels", "panel.csv", "--resamples", "2")
    refused = run(*command)
    assert refused.exit_code == 1
    assert "panel.csv:9: value '10' is not on the scale of 4 levels" in refused.stderr
    assert "--off-scale drop" in refused.stderr and "--scale 11" in refused.stderr
    dropped = run(*command, "--off-scale", "drop")
    left_out = "panel: 1 row is left out: value off the scale of 0, 1, 2, 3 (10)."
    assert f"Note: {left_out}" in dropped.stdout
    assert "held-out topics" not in dropped.stdout  # uncut
    as_json = json.loads(run(*command, "--off-scale", "drop", "--json").stdout)
    assert left_out in as_json["answer"]["notes"]
    finer = run(*command, "--scale", "11").stdout  # cut, as values of a finer scale are
    assert "thresholds that maximise α on held-out topics" in finer
    told = run(*command, "--scale", "4")
    assert told.exit_code == 1 and "--off-scale drop" in told.stderr
    assert run(*command, "--scale", "4", "--off-scale", "drop").stdout == dropped.stdout


@pytest.mark.parametrize("command", [
    "score odd.qrels run", "rank odd.qrels run", "unjudged odd.qrels run",
    "ties run --qrels odd.qrels", "pool run --qrels odd.qrels --depth 2",
    "leave-one-out odd.qrels run --depth 2", "compare odd.qrels odd.qrels --resamples 2 --splits 2",
    "cut odd.qrels -k 2 -r two.qrels --resamples 0", "judges two.qrels one=odd.qrels --resamples 2",
])  # fmt: skip
def test_every_reader_of_labels_can_leave_out_what_is_off_the_scale(run, command):
    rows = [(t, f"d{i}", i % 4) for t in ("1", "2", "3") for i in range(50)]
    for name, value in (("odd.qrels", 10), ("even.qrels", 2)):
        lines = [f"{t} 0 {d} {value if (t, d) == ('2', 'd2') else v}\n" for t, d, v in rows]
        Path(name).write_text("".join(lines))
    Path("two.qrels").write_text("".join(f"{t} 0 {d} {v // 2}\n" for t, d, v in rows))
    runs = [f"{t} Q0 d{(7 * r + s) % 50} {r} {60 - r} s{s}\n"
            for s in (0, 3) for t in ("1", "2", "3") for r in range(1, 50)]  # fmt: skip
    Path("run").mkdir(exist_ok=True)
    for s in (0, 3):
        Path("run", f"s{s}").write_text("".join(one for one in runs if one.endswith(f"s{s}\n")))
    words = command.split()
    refused = run(*words)
    assert refused.exit_code == 1 and "odd.qrels:53: grade 10 is not on" in refused.stderr
    assert run(*words, "--off-scale", "drop").exit_code == 0
    assert run(*command.replace("odd", "even").split()).exit_code == 0


def test_judges_are_called_as_their_files_or_by_name(run):
    files = ["judges", "qrels.txt", "model.qrels", "other=model.qrels", "--json"]
    found = json.loads(run(*files).stdout)
    assert {row["judge"] for row in found["ranked"]} == {"model", "other"}
    Path("judging").mkdir()
    for name in ("one", "two"):
        shutil.copy("model.qrels", f"judging/{name}.qrels")
    for many in ("judging", "judging/*.qrels"):
        found = json.loads(run("judges", "qrels.txt", many, "--json").stdout)
        assert {row["judge"] for row in found["ranked"]} == {"one", "two"}
    twice = run("judges", "qrels.txt", "model.qrels", "model=model.qrels")
    assert (twice.exit_code, "two sets are called 'model'" in twice.stderr) == (1, True)


def test_a_reader_that_has_enough_is_no_error(folder):
    command = [sys.executable, "-m", "regrade", "score", "qrels.txt", "runs", "-q"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as it:
        it.stdout.close()
        said = it.stderr.read().decode()
        it.wait()
    assert "roken pipe" not in said
    assert "Traceback" not in said


def test_a_measure_that_is_none_is_refused_before_any_file_is_read():
    for command in (
        ["score", "gone.qrels", "gone.run", "-m", "alpha_nDCG@10"],
        ["rank", "gone.qrels", "gone.run", "-m", "AP alpha_nDCG@10"],
    ):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 1
        assert "alpha_nDCG is not computed here: it is of labels of each subtopic" in done.stderr
