"""The command: every example in docs runs; formats, the standard input, exit codes."""

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import pytrec_eval
import yaml
from typer.testing import CliRunner

import regrade
from regrade.answers.shape import Answer
from regrade.catalogue import TABLES
from regrade.command import workflow
from regrade.command.app import app, compiling_said
from regrade.command.arguments import columns_of, scale_of
from regrade.command.workflow import done_said, last_error, planned
from regrade.errors import FAILED, ParameterError, RegradeError
from regrade.extras import MODULES
from regrade.readers.labels import read_qrels
from regrade.tables import write_table
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import complete
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
         "told_better": [1.0], "told_worse": [0.0], "holds": [True], "order_holds": [True],
         "depends_on": [None], "total": [None], "otherwise_at": [None]}
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
    return re.search(r"Print that table instead: ([\w, ]+)\.", said)[1].split(", ")


def test_every_command_has_an_example_in_its_help_and_in_the_document(run):
    names = [info.name or info.callback.__name__ for info in app.registered_commands]
    assert {"rank", "magnitudes", "run"} <= set(names)
    for name in names:
        done = run(name, "--help")
        assert done.exit_code == 0
        assert f"Example: regrade {name}" in " ".join(done.output.split())
        assert any(line.split(" | ")[-1].startswith(f"regrade {name} ") for line in EXAMPLES)


def test_sweep_says_what_came_out(folder, run, monkeypatch):
    config = folder / "sweep.yaml"
    done = run("sweep", str(config))
    assert done.exit_code != 0 and "no such configuration" in done.output
    asked = {"qrels": {"A": {"file": "qrels.txt", "levels": 4}}, "runs": "runs/*"}
    text = {"collection": "mine", "collections": {"mine": asked}}
    config.write_text(yaml.safe_dump(text))
    done = run("sweep", str(config))
    assert done.exit_code != 0 and "asks for no sweep" in done.output
    asked["sweeps"] = {"one": {"baseline": {"labels": "A"}, "axes": {"ties": ["rank", "docno"]}}}
    config.write_text(yaml.safe_dump(text))
    folders = workflow.sweep_folders(str(config), directory=str(folder))
    assert folders == {"one": folder / "results/mine/sweeps/one"}
    monkeypatch.setattr(workflow, "run_workflow", lambda *a, **k: 0)
    write_table(SWEPT["answer"], folders["one"] / "answer.parquet", "sweeps/answer")
    done = run("sweep", str(config), "--directory", str(folder))
    assert done.stdout == "one\nAll of it.\n"
    done = run("sweep", str(config), "--directory", str(folder), "--name", "two")
    assert done.exit_code != 0 and "two" in done.output


@pytest.mark.parametrize(
    ("others", "said"),
    [
        (["cred"], "others 'cred': write a set as its name and file, cred=FILE"),
        (["=model.qrels"], "write a set as its name and file"),
        (["cred=model.qrels", "cred=qrels.txt"], "two sets are called 'cred'"),
        (["cred=none.qrels"], "none.qrels"),
        ([], "others={'cred': labels} (--others cred=FILE)"),
    ],
)
def test_further_sets_are_checked(run, others, said):
    options = [part for one in others for part in ("--others", one)]
    done = run("score", "qrels.txt", "runs", "-m", "NWCS(second=cred)", *options)
    assert done.exit_code == 1
    assert said in done.stderr


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
    assert "nDCG@10: there is no such file; measures stand together, as in -m " in done.stderr
    assert "cannot be read" in run("score", "qrels.txt", "nowhere", "-m", "AP").stderr


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_scores_for_programs(format, run):
    done = run("score", "qrels.txt", "runs", "-m", "AP", "-q", "--format", format)
    lines = done.stdout.splitlines()
    assert len(lines) == 3 * len(TOPICS) + (format == "csv")
    assert format == "csv" or set(json.loads(lines[0])) == {"system", "topic", "measure", "value"}


def test_a_printed_threshold_cuts_as_the_cut_does(tmp_path, run):
    rows = [(t, d, (d % 7) / 6) for t in range(3) for d in range(21)]
    for name, grade in (("fine", lambda v: v), ("two", lambda v: int(v > 1 / 3))):
        lines = (f"{t} 0 d{d} {grade(v)!r}\n" for t, d, v in rows)
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    printed = run("cut", str(tmp_path / "fine"), "-r", str(tmp_path / "two"), "--resamples", "0")
    texts = set(re.findall(r"0\.3\d+", printed.stdout))
    assert texts == {"0.334", repr(2 / 6)}  # of the sentence, and of the table
    for text in texts:
        assert all((v > float(text)) == (v > 2 / 6) for _, _, v in rows)


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


def test_json_is_json(run):
    commands = [
        ("score", "qrels.txt", "runs"),
        ("compare", "qrels.txt", "model.qrels", "--runs", "runs", "--resamples", "5",
         "--splits", "5"),
        ("judges", "qrels.txt", "model=model.qrels", "-r", "runs", "--resamples", "5"),
        ("cut", "model.csv", "-k", "3", "-r", "qrels.txt", "--resamples", "5"),
        ("ties", "runs", "--qrels", "qrels.txt"),
        ("unjudged", "qrels.txt", "runs"),
        ("pool", "runs"),
        ("pool", "runs", "--qrels", "qrels.txt"),
        ("leave-one-out", "qrels.txt", "runs", "--depth", "5"),
        ("design", "qrels.txt", "--relevant", "2,1"),
        ("pdp", "qrels.txt", "-p", "preferences.txt", "--format", "winner-loser"),
    ]  # fmt: skip
    for command in commands:
        done = run(*command, "--json")
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)


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
    assert done.stdout.startswith("The cut of ")
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


def test_python_m_regrade_is_the_command(folder):
    done = subprocess.run(
        [sys.executable, "-m", "regrade", "score", "qrels.txt", "runs/a.run", "-m", "RR"],
        capture_output=True, text=True, check=True, cwd=folder,
    )  # fmt: skip
    assert done.stdout.startswith("RR\t")


def test_a_first_call_without_compiled_kernels_is_told_of(tmp_path):
    assert "some seconds each" in compiling_said(["score", "q", "runs"], tmp_path)
    assert compiling_said(["look", "q"], tmp_path) == compiling_said([], tmp_path) == ""
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "rankings.tau_b-1.py311.nbi").write_bytes(b"")
    assert compiling_said(["score", "q", "runs"], tmp_path) == ""


_WITHOUT_EXTRAS = """
import json, sys
for name in json.loads(sys.argv[1]):
    sys.modules[name] = None
from functools import cache
import typer.testing
from typer.testing import CliRunner
typer.testing._get_command = cache(typer.testing._get_command)  # as in tests/conftest.py
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


def test_the_base_installation_answers_questions(folder):
    """Without the extras, every example but those of the workflow; these say what to install."""
    examples = [shlex.split(line)[1:] for line in EXAMPLES if not line.startswith("cat ")]
    (folder / "mine.yaml").unlink(missing_ok=True)
    blocked = [json.dumps(one) for one in (sorted(MODULES), examples)]
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_EXTRAS, *blocked],
        capture_output=True, text=True, check=True, cwd=folder,
    )  # fmt: skip
    *answers, drawn = done.stdout.splitlines()
    assert drawn == "figures: matplotlib is not installed: pip install 'regrade[figures]'"
    for arguments, line in zip(examples, answers, strict=True):
        code, said = json.loads(line)
        if arguments[0] in OF_THE_WORKFLOW:
            assert code == 1 and "pip install 'regrade[workflow]'" in said, (arguments, said)
        else:
            assert code == 0, (arguments, said)


# --- init and run ---------------------------------------------------------------------------------


def test_a_configuration_is_written_that_the_workflow_takes(folder, run):
    files = ["runs", "qrels.txt", "model.qrels", "model.csv", "judgments.csv", "groups.txt"]
    done = run("init", *files, "--out", "all.yaml", "--name", "own")
    assert done.exit_code == 0, done.output
    text = (folder / "all.yaml").read_text()
    config = yaml.safe_load(text)
    collection = read_collection("own", complete(config))
    options = config["collections"]["own"]
    assert len(options["qrels"]) == 3
    assert options["qrels"]["qrels"]["levels"] == 3
    assert set(options["judgments"]) == {"judgments", "x", "y", "z"}  # each a judge
    assert options["compare"]["pairs"] == [["qrels", "model"]]
    assert collection.transformations
    assert options["pools"]["qrels"] == "qrels"
    assert "# 3 of 3 systems to rank 24 or deeper for every topic" in text
    assert [one["by"] for one in options["leave_one_out"]] == ["run", "group"]
    assert "3 systems, 4 topics" in text
    assert {shown.item.name for shown in collection.shown} >= {"table-labels", "figure-systems"}
    assert set(collection.studies) == {"compare", "han2019", "ranking"}
    done = run("init", "qrels.txt")
    assert "no runs were given" in done.stdout
    assert complete(yaml.safe_load(done.stdout))


@pytest.mark.parametrize(
    ("values", "scale", "measures"),
    [
        ([1 / 3, 2 / 3, 1.0, 4 / 3], {"range": [1 / 3, 4 / 3]}, ["nDCG", "nDCG@10"]),
        ([0.25, 0.5, 1.0], {"range": [0.25, 1]}, ["nDCG", "nDCG@10"]),
        ([-2, 0, 1, 2], {"levels": 3}, ["AP", "nDCG", "nDCG@10", "RR"]),
        ([0, 1], {"levels": 2}, ["AP", "nDCG", "nDCG@10", "RR"]),
        ([0, 1, 2, 3], {"levels": 4}, ["AP", "nDCG", "nDCG@10", "RR"]),
        (
            [0, 1, 2, 3] * 100 + [10] * 3,
            {"levels": 4, "off_scale": "drop"},
            ["AP", "nDCG", "nDCG@10", "RR"],
        ),
        (list(range(0, 101, 5)), {"levels": 101}, ["nDCG", "nDCG@10"]),
    ],
)
def test_what_is_written_of_a_scale_reads_the_file(tmp_path, run, values, scale, measures):
    lines = (f"1 0 d{i} {value!r}\n" for i, value in enumerate(values))
    (tmp_path / "given.txt").write_text("".join(lines))
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2.5 a\n1 Q0 d0 2 1.5 a\n")
    paths = [str(tmp_path / name) for name in ("given.txt", "a.run", "own.yaml")]
    assert run("init", *paths[:2], "--out", paths[2], "--name", "own").exit_code == 0
    config = yaml.safe_load((tmp_path / "own.yaml").read_text())
    options = config["collections"]["own"]
    assert {key: v for key, v in options["qrels"]["given"].items() if key != "file"} == scale
    assert options["measures"] == measures
    collection = read_collection("own", complete(config))
    left_out = Counter()
    rule = {"off_scale": scale.get("off_scale", "refuse"), "left_out": left_out}
    read = read_qrels(paths[0], scale=collection.scale("given"), **rule)
    stray = 3 if "off_scale" in scale else 0
    assert (len(read), left_out.total()) == (len(values) - stray, stray + values.count(-2))
    assert collection.measures("given")[0] == measures


def test_a_configuration_that_is_there_is_not_replaced(folder, run):
    (folder / "there.yaml").write_text("mine")
    done = run("init", "qrels.txt", "--out", "there.yaml")
    assert (done.exit_code, "replace it by --force" in done.stderr) == (1, True)
    assert (folder / "there.yaml").read_text() == "mine"
    assert run("init", "qrels.txt", "--out", "there.yaml", "--force").exit_code == 0
    # as the file, so that two of them have results of their own
    assert yaml.safe_load((folder / "there.yaml").read_text())["collection"] == "there"
    assert yaml.safe_load(run("init", "qrels.txt").stdout)["collection"] == "mine"


def test_runs_that_are_judged_too_little_for_pools(folder, run):
    (folder / "one.txt").write_text("401 0 d00 1\n402 0 unseen 0\n")
    done = run("init", "one.txt", *sorted(map(str, folder.glob("runs/*"))))
    assert "# pools of one: " in done.stdout
    assert "discrimination" not in done.stdout
    assert complete(yaml.safe_load(done.stdout))


def test_files_of_no_kind_are_refused(folder, run):
    (folder / "odd.txt").write_text("a b c d e\n")
    done = run("init", "odd.txt")
    assert "5 fields is neither a run (6), qrels (4) nor groups (2)" in done.stderr


OUTPUT = """Job stats:
job      count
-----  -------
all          1
total        1

05:12:01 collect_qrels: reading
[Sun Nov 22 05:12:02 2026]
05:12:02 collect_qrels: qrels.txt:3: grade 'x' is no number
Give each document a grade.
[Sun Nov 22 05:12:02 2026]
Error in rule collect_qrels:
    message: None
Exiting because a job execution failed.
""".splitlines()


def test_at_the_end_it_is_said_what_is_made_and_where(tmp_path):
    made, page = ["Finished"], tmp_path / "report.html"
    assert done_said(made, [], tmp_path) == "done"
    page.touch()
    assert done_said(made, [], tmp_path) == f"done: {page}"
    assert done_said(made, ["a.png", "b"], tmp_path) == "done: a.png, b"
    nothing = ["Nothing to be done (all requested files are present and up to date)."]
    assert done_said(nothing, ["a.png"], tmp_path) == "nothing to be done: a.png"


def test_the_last_error_is_said_alone():
    assert last_error(OUTPUT) == [
        "collect_qrels: qrels.txt:3: grade 'x' is no number",
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

    monkeypatch.setattr("regrade.command.app.path", stopped)
    done = CliRunner().invoke(app, ["score", "qrels", "run"])
    assert (done.exit_code, done.stderr) == (130, "regrade: interrupted\n")


def test_the_version_is_told(run):
    assert run("--version").stdout == f"regrade {regrade.__version__}\n"


def test_measures_may_have_commas_between_and_within(run):
    asked = "AP,nDCG@10 nDCG(dcg='exp-log2')@5, P(rel=2)@10"
    done = run("score", "qrels.txt", "runs/a.run", "-m", asked)
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == [
        "AP", "nDCG@10", "nDCG(dcg='exp-log2')@5", "P(rel=2)@10",
    ]  # fmt: skip


@pytest.mark.parametrize("first", ["qrels.txt", "model.csv"])
def test_a_pipe_is_read_once(first, run, folder, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes((folder / first).read_bytes()))
    writer.start()
    done = run("score", str(pipe), "runs/a.run", "-m", "nDCG@10")
    writer.join(10)
    assert done.exit_code == 0, done.stderr
    assert done.stdout == run("score", first, "runs/a.run", "-m", "nDCG@10").stdout


def test_a_pipe_that_nobody_writes_to_is_given_up(run, tmp_path, monkeypatch):
    monkeypatch.setattr("regrade.api.pipes.SILENT", 0.01)
    os.mkfifo(tmp_path / "pipe")
    done = run("score", str(tmp_path / "pipe"), "runs/a.run")
    assert done.exit_code == 1
    assert done.stderr.endswith("pipe: nobody has written to this pipe for 0.01 s\n")


def test_groups_alone_say_that_they_are_left_out_together(run):
    asked = ("leave-one-out", "qrels.txt", "runs", "--depth", "5", "--groups", "groups.txt")
    done = run(*asked, "--json")
    assert done.exit_code == 0, done.stderr
    assert {row["left_out"] for row in json.loads(done.stdout)["left_out"]} == {"one", "two"}
    assert done.stdout == run(*asked, "--by", "group", "--json").stdout


def of_other_spelling(ending, frame):
    """The same labels as files of other tools have them."""
    if ending == "array":
        return frame.to_json(orient="records", indent=1)
    return frame.to_csv(index=False, sep=";", decimal=",")


@pytest.mark.parametrize("ending", ["array", "semicolons"])
def test_other_spellings_of_a_file_are_read_alike(ending, run, folder, tmp_path):
    frame = pd.read_csv(folder / "model.csv").assign(score=lambda f: f["score"] / 8)
    frame.to_csv(tmp_path / "plain.csv", index=False)
    (tmp_path / "other").write_text(of_other_spelling(ending, frame))
    asked = ("runs/a.run", "-m", "nDCG@10", "-q")
    plain, other = (run("score", str(tmp_path / n), *asked) for n in ("plain.csv", "other"))
    assert other.exit_code == 0, other.stderr
    assert other.stdout == plain.stdout and len(plain.stdout.splitlines()) == 5


def test_labels_by_name_are_read_as_the_message_says(run, folder, tmp_path):
    rows = pd.read_csv(folder / "model.csv", dtype=str)
    named = rows.assign(score=["N", "H", "R"] * (len(rows) // 3) + ["N"] * (len(rows) % 3))
    named.to_csv(tmp_path / "named.csv", index=False)
    asked = ("score", str(tmp_path / "named.csv"), "runs/a.run")
    refused = run(*asked)
    assert "score 'H' is no finite number" in refused.stderr and "--scale N,R,H" in refused.stderr
    assert run(*asked, "--scale", "N,R,H").exit_code == 0


def test_rows_of_the_file_with_names_are_chosen_beside_qrels(run, folder, tmp_path):
    rows = pd.read_csv(folder / "model.csv", dtype=str)
    both = pd.concat([rows.assign(by="gpt"), rows.assign(by="llama", score="0")])
    both.rename(columns={"score": "wert"}).to_csv(tmp_path / "both.csv", index=False)
    asked = ("--resamples", "5", "--json")
    alone = run("compare", "qrels.txt", "model.csv", *asked)
    chosen = run("compare", "qrels.txt", str(tmp_path / "both.csv"), "--where", "by=gpt",
                 "--columns", "grade=wert", *asked)  # fmt: skip
    assert chosen.exit_code == 0, chosen.stderr
    names = [json.loads(one.stdout)["tables"]["facts"] if "tables" in json.loads(one.stdout)
             else json.loads(one.stdout)["facts"] for one in (alone, chosen)]  # fmt: skip
    assert names[0] == names[1]
    refused = run("compare", "qrels.txt", "model.qrels", "--where", "by=gpt")
    assert refused.exit_code == 1 and "whose first line names columns" in refused.stderr


@pytest.mark.parametrize(
    "line",
    [
        "judges {} model=model.qrels --resamples 5",
        "cut model.csv -k 3 -r {} --resamples 5",
        "calibrate {} model=model.csv",
        "workers {crowd} --reference {}",
        "assign runs {} --budget 10 -m P@5",
        "estimate qrels.txt {} --replays 0",
        "score qrels.txt runs/a.run -m NWCS(second=x) --others x={}",
        "pdp {} --preferences {pairs}",
    ],
)
def test_rows_without_a_value_are_left_out_of_every_file_of_labels(
    line, run, folder, tmp_path, caplog
):
    """As the message says that refuses them."""
    caplog.set_level("INFO")
    rows = [one.split() for one in (folder / "qrels.txt").read_text().splitlines()]
    labels = "".join(f"{t},{d},{'' if n == 3 else g}\n" for n, (t, _, d, g) in enumerate(rows))
    (tmp_path / "some.csv").write_text(f"topic,docno,grade\n{labels}")
    crowd = "".join(f"{t},{d},{w},{g}\n" for t, _, d, g in rows for w in "xy")
    (tmp_path / "crowd.csv").write_text(f"topic,docno,worker,value\n{crowd}")
    pairs = "".join(f"{t},d00,d0{n},a\n" for t in TOPICS for n in range(1, 6))
    (tmp_path / "pairs.csv").write_text(f"topic,a,b,winner\n{pairs}")
    files = {"crowd": tmp_path / "crowd.csv", "pairs": tmp_path / "pairs.csv"}
    asked = line.format(tmp_path / "some.csv", **files).split()
    refused = run(*asked)
    assert refused.exit_code == 1
    assert "some.csv:5: grade '' is no finite number" in refused.stderr
    assert "--missing drop" in refused.stderr
    done = run(*asked, "--missing", "drop")
    assert done.exit_code == 0, done.stderr
    assert "some.csv: 1 row without grade (missing)" in caplog.text


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


def test_workers_may_judge_by_names_of_levels(run, tmp_path):
    rows = [(t, f"d{n}", w, (n + (w == "z") * (n % 2)) % 3) for t in "12" for n in range(9)
            for w in "xyz"]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])
    names = ["nicht relevant", "teilweise", "relevant"]
    frame.to_csv(tmp_path / "n.csv", index=False)
    frame.assign(value=frame["value"].map(dict(enumerate(names)))).to_csv(
        tmp_path / "w.csv", index=False
    )
    refused = run("workers", str(tmp_path / "w.csv"))
    assert "--scale N,R,H" in refused.stderr
    by_name = run("workers", str(tmp_path / "w.csv"), "--scale", ",".join(names), "--json")
    by_number = run("workers", str(tmp_path / "n.csv"), "--json")
    assert by_name.exit_code == 0, by_name.stderr
    assert by_name.stdout == by_number.stdout


def test_a_decimal_point_among_commas_is_named_alone(run, folder, tmp_path):
    rows = pd.read_csv(folder / "model.csv", dtype=str).assign(score="0,5")
    rows.loc[1, "score"] = "0.25"
    rows.to_csv(tmp_path / "odd.csv", index=False, sep=";")
    refused = run("score", str(tmp_path / "odd.csv"), "runs/a.run")
    others = len(rows) - 1
    assert f"odd.csv:3: score '0.25' has a decimal point, and {others} others a comma" in (
        refused.stderr
    )
    assert "no finite number" not in refused.stderr
    # a column that nobody reads may have both
    unread = rows.assign(score="0,5", seconds=rows["score"])
    unread.to_csv(tmp_path / "unread.csv", index=False, sep=";")
    plain = rows.assign(score="0,5")
    plain.to_csv(tmp_path / "plain.csv", index=False, sep=";")
    read, same = (
        run("score", str(tmp_path / n), "runs/a.run") for n in ("unread.csv", "plain.csv")
    )
    assert read.exit_code == 0, read.stderr
    assert read.stdout == same.stdout
    # a comma among points is the one that is odd
    rows = rows.assign(score=["0.25"] * others + ["0,5"])
    rows.to_csv(tmp_path / "odd.csv", index=False, sep=";")
    refused = run("score", str(tmp_path / "odd.csv"), "runs/a.run")
    assert f"odd.csv:{len(rows) + 1}: score '0,5' is no finite number" in refused.stderr
    assert "0.25" not in refused.stderr


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


def test_of_many_files_the_first_is_shown(run, folder):
    for i in range(4):
        (folder / "runs" / f"again{i}.run").write_bytes(
            (folder / "runs" / "a.run").read_bytes().replace(b" a\n", b" again%d\n" % i)
        )
    try:
        files = [f"runs/{file.name}" for file in sorted((folder / "runs").iterdir())]
        done = run("ties", "qrels.txt", *files)
    finally:
        for i in range(4):
            (folder / "runs" / f"again{i}.run").unlink()
    assert done.stderr.endswith("type: regrade ties runs/a.run … --qrels qrels.txt\n")


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
    left_out = "Mind: good: 288 rows are left out: other than status Accepted (where).\n"
    assert left_out in (said := chosen.stdout.replace("both", "good"))
    assert said.replace(left_out, "") == plain.stdout
    assert "write it as status=Accepted" in run("cut", "judgments.csv", "--where", "x").stderr


RESULTS = {"score": "score", "rank": "systems"}
WITH_RUNS = [
    "score", "rank", "compare", "judges", "calibrate", "cut", "ties", "unjudged", "pool",
    "leave-one-out", "assign", "estimate", "magnitudes",
]  # fmt: skip


def test_ties_are_broken_as_trec_eval_does_where_that_is_asked(run, folder):
    """Equal scores, and scores that single precision does not tell apart."""
    rows = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    scored, lines, qrels = {}, [], {}
    for n, (topic, _, docno, grade) in enumerate(rows):
        score = 0.5 + (n % 3 == 0) * 1e-9 + (n % 4 == 0) * 0.25
        qrels.setdefault(topic, {})[docno] = int(grade)
        scored.setdefault(topic, {})[docno] = score
        lines.append(f"{topic} Q0 {docno} {len(scored[topic])} {score!r} tied")
    (folder / "tied.run").write_text("\n".join(lines) + "\n")
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut_10"}).evaluate(scored)
    means = [np.mean([of[name] for of in theirs.values()]) for name in ("map", "ndcg_cut_10")]
    asked = ["qrels.txt", "tied.run", "-m", "AP nDCG@10", "--json"]

    def ours(command, *more):
        found = json.loads(run(command, *asked, *more).stdout)
        rows = {"score": found} if command == "score" else found
        return [row.get("value", row.get("mean")) for row in rows[RESULTS[command]]]

    for command in RESULTS:
        assert ours(command, "--tie-break", "trec_eval") == pytest.approx(means, abs=1e-12)
        assert abs(np.subtract(ours(command), means)).min() > 0.001
    unknown = run("score", "qrels.txt", "tied.run", "--tie-break", "x")
    assert "unknown tie_break 'x'; there is rank, trec_eval, line" in unknown.stderr
    for command in WITH_RUNS:
        assert "--tie-break" in run(command, "--help").stdout, command


def test_a_table_may_be_called_as_texts_call_it(run):
    short, whole = (run("rank", "qrels.txt", "runs", "--table", name).stdout
                    for name in ("facts", "ranking/facts"))  # fmt: skip
    assert short == whole != ""


def test_answers_tell_of_rows_that_are_mixed_and_how_to_choose(run, folder):
    rows = ["topic\tdocno\tworker\tvalue\tstatus\trun"]
    for n in range(24):
        value = n % 3 if n < 12 else 7 * n % 101
        status = "Rejected" if n % 6 == 5 else "Accepted"
        rows.append(f"1\td{n % 6}\tw{n // 6}\t{value}\t{status}\t{1 + n // 12}")
    (folder / "mixed.tsv").write_text("\n".join(rows) + "\n")
    choices = "--where status=Accepted,run=1 or --where status=Accepted,run=2"
    for command in (["workers", "mixed.tsv"], ["cut", "mixed.tsv", "--resamples", "0"]):
        refused = run(*command)
        assert refused.exit_code == 1
        assert "mixed.tsv: values look like 2 scales, by status and run, which" in refused.stderr
        assert f"choose one, {choices}; if it is one, name every value" in refused.stderr
        assert f"scales, by run, which say nothing together: choose one, {choices};" in (
            run(*command, "--where", "status=Accepted").stderr
        )
        every = ["--where", "run=1,run=2"]
        plain, as_json = run(*command, *every), json.loads(run(*command, *every, "--json").stdout)
        of_all = "--where run=1,run=2,status=Accepted"
        assert "Mind: mixed: rows differ by status (" in plain.stdout
        assert f"all are read: choose some, {of_all}." in plain.stdout
        assert of_all in as_json["answer"]["warnings"][-1]
        said = run(*command, "--where", "status=Accepted,run=1,run=2").stdout
        assert "Mind: mixed: 4 rows are left out: other than status Accepted" in said
        said = run(*command, "--where", "run=2").stdout
        assert "rows differ by status (" in said
        assert "choose some, --where run=2,status=Accepted." in said
        for all_chosen in ("run=1,status=Accepted", "run=1,status=Accepted,status=Rejected"):
            assert "rows differ" not in run(*command, "--where", all_chosen).stdout


@pytest.mark.parametrize("command", ["cut", "judges", "calibrate"])
def test_slips_of_a_reference_are_no_reason_to_tell_the_scale_of_others(run, folder, command):
    """`--scale` is that of what is held beside the reference."""
    lines = (folder / "qrels.txt").read_text().splitlines()
    lines[4] = " ".join([*lines[4].split()[:3], "33"])
    lines += [f"{TOPICS[0]} 0 more{n} 0" for n in range(100)]  # slips are 1 in 100 at most
    (folder / "slip.txt").write_text("\n".join(lines) + "\n")
    asked = ["judges", "slip.txt", "judgments.csv"]
    if command == "calibrate":
        asked[0] = command
    if command == "cut":
        asked = ["cut", "judgments.csv", "-k", "4", "-r", "slip.txt", "--resamples", "0"]
    told = run(*asked)
    assert told.exit_code == 1
    assert "slip.txt:5: grade 33 is not on the scale" in told.stderr
    assert "correct them, or leave them out (off_scale: drop, --off-scale drop)." in told.stderr
    assert "--scale" not in told.stderr
    assert run(*asked, "--off-scale", "drop").exit_code == 0


def test_labels_are_read_alike_by_whatever_asks_about_runs(run, folder):
    """With names of columns, rows without a value, and rows that are asked for."""
    lines = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    rows = ["frage,dok,urteil,stand"]
    rows += [f"{topic},{docno},{grade},gut" for topic, _, docno, grade in lines]
    rows += [f"{lines[0][0]},x{n},{n},schlecht" for n in range(4)] + [f"{lines[0][0]},y,,gut"]
    (folder / "urteile.csv").write_text("\n".join(rows) + "\n")
    how = ["--columns", "topic=frage,docno=dok,grade=urteil", "--where", "stand=gut"]
    how += ["--missing", "drop"]
    for command in (
        ["ties", "runs", "--qrels", "QRELS", "-m", "AP"],
        ["unjudged", "QRELS", "runs", "-m", "AP"],
        ["pool", "runs", "--qrels", "QRELS", "-m", "AP"],
        ["leave-one-out", "QRELS", "runs", "--depth", "2", "-m", "AP"],
    ):
        plain = run(*(word.replace("QRELS", "qrels.txt") for word in command))
        named = run(*(word.replace("QRELS", "urteile.csv") for word in command), *how)
        assert (plain.exit_code, named.exit_code) == (0, 0), named.stderr
        kept = [line for line in named.stdout.splitlines() if "left out:" not in line]
        assert kept == plain.stdout.splitlines()


MIXED = "rows differ by status (refused ones, or other scales), and all are read: choose some, "


def test_rows_that_are_mixed_are_told_of_whatever_their_columns_are_called(run, folder):
    rows = ["frage,dok,wer,punkte,status"]
    rows += [f"{n % 2},d{n},w{n % 3},{n % 4},{'ok' if n % 5 else 'rejected'}" for n in range(30)]
    (folder / "named.csv").write_text("\n".join(rows) + "\n")
    asked = ["workers", "named.csv", "--columns", "topic=frage,docno=dok,worker=wer,value=punkte"]
    assert f"Mind: named: {MIXED}--where status=ok." in run(*asked).stdout
    assert "rows differ" not in run(*asked, "--where", "status=ok").stdout


def test_rows_of_a_column_for_each_judge_can_be_chosen(run, folder):
    lines = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    rows = ["topic,docno,state,gpt,llama"]
    for n, (topic, _, docno, grade) in enumerate(lines):
        rows.append(f"{topic},{docno},{'Rejected' if n % 4 == 1 else 'Accepted'},{grade},{n % 2}")
    (folder / "wide.csv").write_text("\n".join(rows) + "\n")
    told = MIXED.replace("status", "state")
    for asked in (
        ["judges", "qrels.txt", "wide.csv"],
        ["compare", "qrels.txt", "wide.csv:grade=gpt"],
    ):
        assert f"Mind: wide: {told}--where state=Accepted." in run(*asked).stdout
    chosen = run("judges", "qrels.txt", "wide.csv", "--where", "state=Accepted")
    assert chosen.exit_code == 0, chosen.stderr
    assert "rows differ" not in chosen.stdout
    out = 2 * sum(row.split(",")[2] == "Rejected" for row in rows)
    said = f"Mind: wide: {out} rows are left out: other than state Accepted (where)."
    assert said in chosen.stdout


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
    assert f"Mind: {left_out}" in dropped.stdout
    assert "uncut" in dropped.stdout and "single" not in dropped.stdout
    as_json = json.loads(run(*command, "--off-scale", "drop", "--json").stdout)
    assert left_out in as_json["answer"]["warnings"]
    assert "single" in run(*command, "--scale", "11").stdout  # cut, as values of a finer scale are
    told = run(*command, "--scale", "4")
    assert told.exit_code == 1 and "--off-scale drop" in told.stderr
    assert run(*command, "--scale", "4", "--off-scale", "drop").stdout == dropped.stdout


def test_a_scale_is_proposed_only_if_it_holds_all_values(run, tmp_path):
    lines = [f"1 0 d{n} {n % 4}\n" for n in range(300)]
    file = tmp_path / "stray.qrels"
    for more, scale in (([7], "--scale 8"), ([7, -1], None), ([20_000], None)):
        file.write_text("".join([*lines, *(f"1 0 e{n} {n}\n" for n in more)]))
        command = ("compare", str(file), str(file))
        refused = run(*command)
        assert refused.exit_code == 1 and "--off-scale drop" in refused.stderr
        assert run(*command, "--off-scale", "drop").exit_code == 0
        if scale is None:
            assert "--scale" not in refused.stderr
            assert "correct them, or leave them out" in refused.stderr
        else:
            assert scale in refused.stderr
            assert run(*command, *scale.split()).exit_code == 0
    file.write_text("".join([*lines, "1 0 e7 7\n", "1 0 e8 -3\n"]))
    refused = run(*command, "--scale", "8")
    assert "stray.qrels:302" in refused.stderr and "--off-scale drop" in refused.stderr
    file.write_text("".join([*lines, "1 0 e7 7\n", "1 0 e8 -1\n"]))
    said = run(*command, "--scale", "8").stdout
    assert "Mind: stray: 1 row with grade -1 (TREC's junk), read as 0." in said


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


def test_look_tells_of_values_off_the_scale_and_how_to_leave_them_out(run):
    _off_the_scale(Path())
    found = run("look", "people.qrels", "panel.csv")
    assert found.exit_code == 0
    assert "scale: 0, 1, 2, 3 (" in found.stdout
    off = "1 row with value off the scale of 0, 1, 2, 3 (10): left out with --off-scale drop"
    assert off in found.stdout
    assert "regrade judges people.qrels panel.csv --off-scale drop" in found.stdout


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
    assert (twice.exit_code, "two are called 'model'" in twice.stderr) == (1, True)


def test_a_reader_that_has_enough_is_no_error(folder):
    command = [sys.executable, "-m", "regrade", "score", "qrels.txt", "runs", "-q"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as it:
        it.stdout.close()
        said = it.stderr.read().decode()
        it.wait(timeout=120)
    assert "roken pipe" not in said
    assert "Traceback" not in said


def test_what_is_on_one_scale_is_not_told_to_be_cut(run, tmp_path):
    """Grades of which some are TREC's junk, beside the same without them."""
    grades = {"junk": "-1 2 0", "clean": "0 2 0", "binary": "0 1 0"}
    files = {name: str(tmp_path / f"{name}.qrels") for name in grades}
    for name, of in grades.items():
        lines = (
            f"{topic} 0 {doc} {g}\n" for topic, doc, g in zip("112", "aba", of.split(), strict=True)
        )
        Path(files[name]).write_text("".join(lines))
    one_scale = run("compare", files["junk"], files["clean"]).output
    assert "one label" in one_scale and "cut junk" not in one_scale
    assert "cut clean" in run("compare", files["clean"], files["binary"]).output


def test_a_crowd_beside_labels_is_told_to_be_taken_as_one(run, caplog):
    run("compare", "qrels.txt", "judgments.csv")
    assert "has values of 3 workers: the median of a document's counts" in caplog.text


def test_a_measure_that_is_none_is_refused_before_any_file_is_read():
    for command in (
        ["score", "gone.qrels", "gone.run", "-m", "alpha_nDCG@10"],
        ["rank", "gone.qrels", "gone.run", "-m", "AP alpha_nDCG@10"],
    ):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 1
        assert "alpha_nDCG is not computed here: it is of labels of each subtopic" in done.stderr
