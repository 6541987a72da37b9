"""What a command is told of its files: columns of one, rows, missing values; pipes."""

import os
import threading
import time

import pandas as pd
import pytest
from click.testing import CliRunner

import regrade
from regrade.api import pipes
from regrade.command.app import app
from regrade.command.arguments import file_and_columns
from regrade.errors import InputError, ParameterError
from regrade.evaluations.comparison_question import Comparison

WIDE = "topic,docno,gpt4,llama,state\n1,a,1,1,ok\n1,b,0,0,ok\n2,a,0,,ok\n2,b,0,1,bad\n"
QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n"
RUN = "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 b 1 2 x\n2 Q0 a 2 1 x\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "wide.csv").write_text(WIDE)
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


@pytest.fixture
def piped(tmp_path):
    """A named pipe that some text is written to, once."""
    threads = []

    def make(text, name="pipe"):
        pipe = tmp_path / name
        os.mkfifo(pipe)
        threads.append(threading.Thread(target=lambda: pipe.write_text(text)))
        threads[-1].start()
        return pipe

    yield make
    for thread in threads:
        thread.join(10)


def test_columns_of_one_file():
    assert file_and_columns("m.csv:grade=gpt4,topic=q") == (
        "m.csv", {"grade": "gpt4", "topic": "q"},
    )  # fmt: skip
    assert file_and_columns("m.csv") == ("m.csv", {})
    assert file_and_columns("irds:a/b") == ("irds:a/b", {})
    with pytest.raises(ParameterError, match="write them as"):
        file_and_columns("m.csv:grade=a,b")


def test_a_pipeline_can_stop_at_a_finding(run, tmp_path):
    (tmp_path / "other.txt").write_text(QRELS.replace("2 0 a 1", "2 0 a 0"))
    (tmp_path / "same.txt").write_text(QRELS)
    (tmp_path / "finer.txt").write_text(QRELS.replace("b 0", "b 2"))
    (tmp_path / "b.run").write_text(
        RUN.replace(" x\n", " y\n").replace("a 1 2", "b 1 2").replace("b 2 1", "a 2 1")
    )
    runs = ["--runs", "a.run", "--runs", "b.run", "-m", "RR", "--resamples", "10", "--splits", "10"]
    for arguments, code in [
        (["same.txt", "--fail-if", "changed"], 0),
        (["other.txt", "--fail-if", "changed"], 3),
        (["finer.txt", "--fail-if", "changed"], 1),
        (["same.txt", *runs, "--fail-if", "best"], 0),
        (["same.txt", "--fail-if", "best"], 1),
        (["same.txt", "--fail-if", "worse"], 1),
    ]:
        done = run("compare", "qrels.txt", *arguments)
        assert done.exit_code == code, done.output
    assert "unknown fail_if 'worse'" in done.stderr


def comparison(before, after, change):
    systems = {"system": ["a", "b"], "first_rank": before, "second_rank": after}
    pairs = pd.DataFrame({"change": [change]})
    return Comparison({"systems": pd.DataFrame(systems), "pairs": pairs}, "A", "B")


def test_findings_of_a_comparison():
    """Another best system, or a conclusion about a pair; a tie is another best one too."""
    assert comparison([1, 2], [2, 1], "stays").finds("best")
    assert comparison([1, 2], [1, 1], "stays").finds("best")
    assert not comparison([1, 2], [1, 2], "reverses").finds("best")
    assert comparison([1, 2], [1, 2], "reverses").finds("changed")
    assert not comparison([1, 2], [2, 1], "stays").finds("changed")


def test_each_file_has_its_own_columns(run):
    how = ["--missing", "drop", "--table", "agreement", "--json"]
    done = run("compare", "qrels.txt", "wide.csv:grade=gpt4", "--resamples", "10")
    assert done.exit_code == 0 and "75.0% of 4 co-judged documents" in done.stdout, done.output
    done = run("compare", "wide.csv:grade=gpt4", "wide.csv:grade=llama", *how)
    assert done.exit_code == 0, done.output
    done = run("judges", "qrels.txt", "g=wide.csv:grade=gpt4", "l=wide.csv:grade=llama", *how[:2])
    assert done.exit_code == 0, done.output
    alone = run("judges", "qrels.txt", "wide.csv:value=gpt4,worker=state")
    assert alone.exit_code == 0, alone.output


def test_rows_and_missing_values(run):
    scored = ["score", "wide.csv:grade=llama", "a.run", "-m", "P@1", "-q"]
    refused = run(*scored)
    assert refused.exit_code == 1 and "wide.csv:4: llama" in refused.stderr
    assert "missing: drop" in refused.stderr
    dropped = run(*scored, "--missing", "drop")
    assert dropped.exit_code == 0 and "2\tP@1\t1.0000" in dropped.stdout, dropped.output
    chosen = run(*scored, "--missing", "drop", "--where", "state=ok")
    assert chosen.exit_code == 0 and "\n2\t" not in chosen.stdout
    wrong = run(*scored, "--missing", "leave")
    assert wrong.exit_code == 1 and "unknown missing 'leave'" in wrong.stderr


@pytest.mark.parametrize("text", [QRELS, WIDE.replace("llama,", "note,").replace("gpt4", "grade")])
def test_the_library_reads_a_pipe_once(text, piped):
    found = regrade.read_qrels(piped(text))
    assert len(found) == 4 and found.name == "pipe"


def test_a_pipe_that_nobody_writes_to_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(pipes, "SILENT", 0.05)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ParameterError, match=r"pipe: nothing was written to this pipe for 0\.05 s"):
        regrade.read_qrels(tmp_path / "pipe")


def test_runs_of_pipes(piped, tmp_path):
    runs = regrade.read_runs([piped(RUN), piped(RUN.replace("x\n", "y\n"), "other")])
    assert runs.systems == ["x", "y"]
    file = tmp_path / "file"
    file.write_text(RUN)
    runs = regrade.read_runs({"a": piped(RUN, "third"), "b": file})
    assert runs.systems == ["a", "b"]
    of_each = [own.drop(columns="system") for _, own in runs.to_frame().groupby("system")]
    pd.testing.assert_frame_equal(*(own.reset_index(drop=True) for own in of_each))


def test_what_is_wrong_in_a_pipe_is_said_of_the_pipe(piped):
    pipe = piped("1 0 a much\n")
    with pytest.raises(InputError) as caught:
        regrade.read_qrels(pipe)
    assert str(caught.value).startswith(f"{pipe}:1: grade 'much' is not a number")
    assert caught.value.path == str(pipe)
    with pytest.raises(InputError, match="nothing: is empty"):
        regrade.read_qrels(piped("", "nothing"))


@pytest.mark.parametrize("read", [regrade.read_qrels, regrade.read_runs, regrade.read_judgments])
def test_what_a_file_holds_is_no_path(read):
    with pytest.raises(
        ParameterError, match=r"'1 0 a 1\\n1 0 a.*is not a path \(File name too long\)"
    ):
        read("1 0 a 1\n" * 100)
    with pytest.raises(
        ParameterError, match=r"is not a path \(embedded null byte\): write lines to"
    ):
        read("a\0b")
    with pytest.raises(InputError, match="none: cannot be read: No such file or directory"):
        read("none")


def test_a_pipe_s_writer_may_pause(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    def write():
        with (tmp_path / "pipe").open("w") as pipe:
            for line in ("1 0 a 1\n", "1 0 b 0\n"):
                pipe.write(line)
                pipe.flush()
                time.sleep(0.2)

    writer = threading.Thread(target=write)
    writer.start()
    assert len(regrade.read_qrels(tmp_path / "pipe")) == 2
    writer.join(10)


def test_of_sets_on_two_scales_the_finer_one_is_to_be_cut(run, tmp_path):
    rows = [f"{t},{d},{v}" for t in (1, 2) for d, v in (("a", 90), ("b", 20))]
    (tmp_path / "fine.csv").write_text("\n".join(["topic,docno,grade", *rows]))
    for pair in (["qrels.txt", "fine.csv"], ["fine.csv", "qrels.txt"]):
        found = run("compare", *pair)
        said = found.output.splitlines()[-1]
        command = said.partition("cut fine: regrade ")[2].split()
        assert command == ["cut", "fine.csv", "-k", "2", "-r", "qrels.txt", "--out", "cut.qrels"]
        assert run(*command, "--resamples", "0").exit_code == 0
        assert run("compare", "qrels.txt", "cut.qrels").output.startswith(
            "qrels and cut · 4 co-judged documents"
        )
    assert "cut" not in run("compare", "qrels.txt", "qrels.txt").output


def test_grades_of_people_are_not_made_fewer_for_a_judge_that_lacks_the_highest(run, tmp_path):
    """First the scale of both is asked for; what it says to type gives α."""
    people = "".join(f"{t} 0 d{n} {(n + t) % 4}\n" for t in (1, 2) for n in range(8))
    (tmp_path / "people.txt").write_text(people)
    (tmp_path / "judge.txt").write_text(people.replace(" 3\n", " 2\n"))
    for pair in (["people.txt", "judge.txt"], ["judge.txt", "people.txt"]):
        found = run("compare", *pair)
        assert "The highest grade is " in found.output and "3 in people" in found.output
        assert "state the scale (`--scale 4`, in Python `scale=4`)." in found.output
        assert "cut" not in found.output
        said = run("compare", *pair, "--scale", "4").output
        assert "(ordinal α = 0.901; Cohen's κ = 0.667)" in said


def test_judges_without_agreement_or_runs_have_no_table(run, tmp_path):
    """A reference on three levels, a judge on two."""
    (tmp_path / "fine.txt").write_text(QRELS.replace("1 0 a 1", "1 0 a 2"))
    found = run("judges", "fine.txt", "mine=qrels.txt")
    assert found.exit_code == 0, found.output
    assert "α was not computed for mine: another scale than that of fine." in found.output
    assert "held_out" not in found.output


@pytest.mark.parametrize("words", [["favour", "a.q", "b.q"], ["replace", "a.q", "b.q"]])
def test_a_file_after_a_persons_labels_is_no_judge(run, words):
    """Labels of a person and of a judge are of one kind, so that the second would count as one."""
    option = "--control"
    for given in ([option, "c.q", "d e.q"], [f"{option}=c.q", "d e.q"]):
        refused = run(*words, "--runs", "a.run", *given)
        assert refused.exit_code == 2
        assert f"type {option} c.q {option} 'd e.q', or put 'd e.q' in front" in refused.output
    refused = run(words[0], option, "c.q", *words[1:], "--runs", "a.run")
    assert f"{option} takes one file, and a.q follows c.q" in refused.output
    for given in ([option, "c.q", option, "d.q"], [f"{option}=c.q", "--seed", "2"]):
        assert "takes one file" not in run(*words, "--runs", "a.run", *given).output
