"""What commands print, write and draw of an answer: on a terminal, in files, for a paper."""

import json
import os
import pty
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import regrade
from regrade.command.app import app
from tests.terminals import read_terminal

TOPICS = [f"t{i:02}" for i in range(20)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Twelve documents a topic and four runs, the later the worse."""
    root = tmp_path_factory.mktemp("answers")
    rng = np.random.default_rng(7)
    grades = rng.integers(0, 3, (len(TOPICS), 12))
    lines = (f"{t} 0 d{i} {grades[k, i]}\n" for k, t in enumerate(TOPICS) for i in range(12))
    (root / "qrels.txt").write_text("".join(lines))
    (root / "runs").mkdir()
    for name, noise in (("best_1", 0.3), ("b", 0.6), ("c", 1.5), ("d", 4.0)):
        scores = grades + noise * rng.standard_normal(grades.shape)
        lines = (f"{t} Q0 d{i} 1 {scores[k, i]:.4f} {name}\n"
                 for k, t in enumerate(TOPICS) for i in range(12))  # fmt: skip
        (root / "runs" / name).write_text("".join(lines))
    return root


@pytest.fixture
def run(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


RANK = ("rank", "qrels.txt", "runs", "-m", "nDCG@5", "--draws", "200", "--splits", "5")


def test_an_answer_is_a_table_and_sentences_without_a_terminal(run):
    done = run(*RANK)
    lines = done.stdout.splitlines()
    assert lines[0] == "nDCG@5 · 4 systems · 20 topics"
    assert lines[1].split()[:4] == ["rank", "system", "nDCG@5", "95%"]
    assert lines[2].split()[:2] == ["1", "best_1"]
    assert "━" not in done.stdout and "\x1b" not in done.stdout
    assert lines[6] == "" and "highest mean nDCG@5" in lines[7]


def test_a_terminal_draws_the_intervals(folder):
    ours, its = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "90"}
    process = subprocess.Popen(
        [sys.executable, "-m", "regrade", *RANK], env=environment, cwd=folder, stdout=its,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(its)
    text = read_terminal(ours)
    assert process.wait() == 0
    assert text.count("━●") >= 3  # the best one is a point
    assert "\x1b[36m" in text


@pytest.mark.parametrize("ending", ["tex", "md"])
def test_the_table_of_the_answer_is_written_for_a_paper(ending, folder, run):
    assert run(*RANK, "--out", f"best.{ending}").exit_code == 0
    text = (folder / f"best.{ending}").read_text()
    ranking = regrade.rank(folder / "qrels.txt", folder / "runs", "nDCG@5", draws=200, splits=5)
    assert text == str(ranking.to_latex() if ending == "tex" else ranking.to_markdown())
    assert ("best\\_1" if ending == "tex" else "| best_1 |") in text
    assert run(*RANK, "--out", f"pairs.{ending}", "--table", "pairs").exit_code == 0
    assert (folder / f"pairs.{ending}").read_text().count("best") >= 3


def test_the_whole_table_is_written_as_data(folder, run):
    assert run(*RANK, "--out", "systems.csv").exit_code == 0
    assert len(pd.read_csv(folder / "systems.csv")) == 4
    done = run(*RANK, "--out", "systems.xls")
    assert done.exit_code == 1
    assert ".parquet, .tex, .md" in done.stderr


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("pdf", b"%PDF"),
                                               ("png", b"\x89PNG")])  # fmt: skip
def test_the_figure_is_saved_with_the_same_bytes_each_time(ending, start, folder, run):
    for name in ("one", "two"):
        assert run(*RANK, "--plot", f"{name}.{ending}").exit_code == 0
    first, second = ((folder / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
    assert first.startswith(start)
    assert first == second
    done = run(*RANK, "--plot", "figure.jpg")
    assert (done.exit_code, "saved as .svg, .pdf, .png" in done.stderr) == (1, True)


def test_a_method_is_printed_for_a_paper(folder, run):
    done = run(*RANK, "--cite")
    ranking = regrade.rank(folder / "qrels.txt", folder / "runs", "nDCG@5", draws=200, splits=5)
    assert done.stdout.strip() == str(ranking.methods_sentence())
    assert "200 samples, seed 1" in done.stdout
    held = json.loads(run(*RANK, "--json").stdout)["answer"]
    assert done.stdout.startswith(held["method"])
    assert held["rows"]["rows"][0][:2] == [1, "best_1"]


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (("ties", "runs"), "add --qrels"),
        (("pool", "runs"), "give --qrels without --out"),
    ],
)
@pytest.mark.parametrize("option", [("--plot", "x.png"), ("--cite",)])
def test_where_nothing_is_answered_nothing_is_drawn_or_cited(arguments, remedy, option, run):
    done = run(*arguments, *option)
    assert done.exit_code == 1
    assert f"{option[0]} belongs to an answer: {remedy}" in done.stderr


def test_ties_alone_are_written_too(folder, run):
    assert run("ties", "runs", "--out", "ties.csv").exit_code == 0
    assert "tied scores" in set(pd.read_csv(folder / "ties.csv")["affected"])
