"""How long a run still takes, from made lines at made times."""

import json
import os
import pty
import re
import subprocess
import sys
import time

import pytest

from regrade import progress as parts
from regrade.command import app, progress, workflow
from regrade.command.progress import Cost, Following, earlier_costs, left_text
from tests.terminals import read_terminal

PATIENCE = 120
"""Seconds that something may take to be told, on a busy machine."""

HEAD = """Provided cores: 2
Job stats:
job        count
-------  -------
read           2
search         8
report         1
total         11
""".splitlines()


def begun(rule: str, job: int, threads: int = 1) -> list[str]:
    lines = [f"rule {rule}:", f"    jobid: {job}"]
    lines += [f"    log: results/own/logs/{rule}/S{job}-to-4.log"]
    return lines + ([f"    threads: {threads}"] if threads > 1 else [])


def seen(following: Following, lines: list[str], now: float) -> None:
    for line in lines:
        following.see(line, now)


def ended(job: int, rule: str, done: int) -> list[str]:
    return [f"Finished jobid: {job} (Rule: {rule})", f"{done} of 11 steps ({done}%) done"]


def test_nothing_is_said_before_there_is_a_basis():
    run = Following()
    assert run.seconds_left(0) is None
    assert run.status() == "regrade"
    seen(run, [*HEAD, "", *begun("read", 1)], 0)
    assert run.total == 11
    assert run.status() == "own · read S1-to-4"
    seen(run, ended(1, "read", 1), 4)
    assert run.seconds_left(4) is None


def test_jobs_so_far_tell_of_those_to_come():
    run = Following()
    seen(run, [*HEAD, "", *begun("read", 1), *begun("read", 2)], 0)
    seen(run, [*ended(1, "read", 1), *ended(2, "read", 2), *begun("search", 3)], 5)
    assert run.seconds_left(5) is None
    seen(run, [*ended(3, "search", 3), *begun("search", 4), *begun("search", 5)], 25)
    # seven searches of 20 s, and a report as all so far, on two cores
    assert run.seconds_left(25) == pytest.approx((7 * 20 + 10) / 2)
    assert run.seconds_left(35) == pytest.approx((7 * 20 + 10 - 2 * 10) / 2)
    # what takes longer than it should has nothing left, and gives nothing
    assert run.seconds_left(99) == pytest.approx((5 * 20 + 10) / 2)


def test_jobs_that_keep_all_cores_busy_are_not_shared():
    run = Following()
    seen(run, [*HEAD, "", *begun("search", 1, threads=2)], 0)
    seen(run, ended(1, "search", 1), 10)
    run.earlier = {"own": {"read": Cost(4), "report": Cost(2)}}
    assert run.seconds_left(10) == pytest.approx((7 * 10 * 2 + 2 * 4 + 2) / 2)


def test_one_long_job_is_not_divided():
    run = Following({"own": {"read": Cost(60)}})
    head = ["Provided cores: 8", "job     count", "----  -------", "read        1", ""]
    seen(run, [*head, *begun("read", 1)], 0)
    assert run.seconds_left(20) == pytest.approx(40)


def test_benchmarks_of_earlier_runs(tmp_path):
    folder = tmp_path / "results" / "own" / "benchmarks"
    (folder / "search").mkdir(parents=True)
    head = "s\th:m:s\tcpu_time\n"
    (folder / "read.tsv").write_text(head + "2.0\t0:00:02\t4.0\n")
    (folder / "search" / "S11-to-4.tsv").write_text(head + "3.0\t0:00:03\t1.0\n")
    (folder / "search" / "S4-to-2.tsv").write_text(head + "5.0\t0:00:05\tNA\n")
    (folder / "search" / "empty.tsv").write_text("")
    (folder / "search" / "odd.tsv").write_text(head + "x\t-\t-\n")
    assert earlier_costs(tmp_path / "results") == {
        "own": {
            "read": Cost(2.0, 2.0),
            "search": Cost(4.0),
            "search_S11_to_4": Cost(3.0),
            "search_S4_to_2": Cost(5.0),
        }
    }
    assert earlier_costs(tmp_path / "none") == {}


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, ""),
        (3, "some seconds left"),
        (44, "about 40 s left"),
        (125, "about 2 min left"),
        (5399, "about 90 min left"),
        (9000, "about 2.5 h left"),
    ],
)
def test_no_finer_than_it_can_be_known(seconds, said):
    assert left_text(seconds) == said


def test_shares_below_one_percent_are_read():
    following = Following()
    following.see("1 of 277 steps (0.4%) done", 0.0)
    assert (following.done, following.total) == (1, 277)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "APART", 0.05)
    monkeypatch.setattr(progress, "now", parts.Progress([]))  # others' kernels are not counted


def told_until(capsys, line, times=1):
    """What is told on the standard error until this line, whatever time it says, came so often."""
    line = re.compile(rf"^regrade: {re.escape(line)} \(\d+ s so far\)$", re.MULTILINE)
    told, end = "", time.monotonic() + PATIENCE
    while len(line.findall(told)) < times:
        assert time.monotonic() < end, told
        time.sleep(0.01)
        more = capsys.readouterr()
        assert more.out == "" and "\x1b" not in more.err
        told += more.err
    return told


@pytest.mark.usefixtures("impatient")
def test_what_takes_long_is_told_in_plain_lines_on_the_standard_error(capsys):
    with app.progress_of(["compare", "a", "b"]):
        told = told_until(capsys, "compare is running", 3)
    assert told.startswith("regrade: compare is running (")
    capsys.readouterr()
    time.sleep(0.2)
    assert capsys.readouterr().err == ""  # it has ended
    with app.progress_of(["run", "mine.yaml"]):  # says itself how far it is
        time.sleep(0.2)
    assert capsys.readouterr().err == ""


def test_parts_that_are_done_and_kernels_are_counted(monkeypatch):
    monkeypatch.setattr(parts, "now", now := parts.Progress([]))
    monkeypatch.setattr(progress, "now", now)
    assert progress.at_work("judges") == "judges is running"
    judges = parts.tracked(iter("abc"), "judges", 3)
    assert (next(judges), next(judges)) == ("a", "b")
    next(parts.tracked("x", "draws", 1_000))  # within the other, and left: of no matter
    now.kernels = 1
    assert progress.at_work("judges") == (
        "judges is running; 2 of 3 judges done; 1 kernel compiled"
    )
    assert [*judges] == ["c"]
    assert progress.at_work("judges") == "judges is running; 1 kernel compiled"


def test_a_loop_that_fails_has_ended():
    def failing():
        yield 1
        raise ValueError

    with pytest.raises(ValueError):
        [*parts.tracked(failing(), "runs", 2)]
    assert parts.now.loops == []


_LONG = f"""
import json, logging, sys, time
from regrade.command import app, progress
progress.DRAWN_AFTER = 0.1
from regrade.progress import tracked
drawn, at_work = [], app.at_work
app.at_work = lambda name: drawn.append(at_work(name)) or drawn[-1]
def is_drawn(text):  # once it is asked for again
    return sum(text in one for one in drawn) > 1
logging.getLogger("regrade").addHandler(app._Messages())
with app.progress_of(["judges", "qrels"]):
    for judge in tracked(range(4), "judges", 4):
        end = time.monotonic() + {PATIENCE}
        while not is_drawn(str(judge + 1) + " of 4 judges done"):
            assert time.monotonic() < end
            time.sleep(0.01)
        if judge == 2:
            logging.getLogger("regrade").warning("of judge 2")
    print(json.dumps(dict(judges=4)))
    time.sleep(0.3)
    print("more")
print("told", file=sys.stderr)
"""


def on_a_terminal(**streams):
    """What a command of these streams, the others a terminal's, writes there and to the output."""
    ours, its = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, "-c", _LONG], env=environment, **{"stdout": its, "stderr": its} | streams
    )
    os.close(its)
    drawn = read_terminal(ours)
    out = process.stdout.read().decode() if process.stdout else ""
    assert process.wait() == 0
    return drawn, out


@pytest.mark.skipif(sys.platform == "win32", reason="has no such terminals")
def test_a_terminal_shows_how_far_it_is_until_the_answer():
    drawn, _ = on_a_terminal()
    assert "judges is running; 1 of 4 judges done" in drawn and "━" in drawn
    assert "\r\n" in drawn[drawn.index("of judge 2") :]  # a line of its own
    answer = json.dumps({"judges": 4})
    after = drawn[drawn.index(answer) :]
    assert after.splitlines() == [answer, "more", "told"]  # nothing is drawn any more


@pytest.mark.skipif(sys.platform == "win32", reason="has no such terminals")
def test_nothing_of_it_goes_where_an_answer_is_piped_to():
    drawn, out = on_a_terminal(stdout=subprocess.PIPE)
    assert out == json.dumps({"judges": 4}) + "\nmore\n"
    assert "judges is running" in drawn


@pytest.mark.usefixtures("impatient")
def test_a_run_that_no_terminal_shows_says_how_far_it_is(capsys, monkeypatch, tmp_path):
    def lines():
        yield from (f"{line}\n" for line in [*HEAD, "", *begun("read", 1)])
        told_until(capsys, "0 of 11 steps done; own · read S1-to-4")
        yield from (f"{line}\n" for line in [*ended(1, "read", 1), *begun("search", 3)])
        told_until(capsys, "1 of 11 steps done; own · search S3-to-4")

    assert len([*workflow._followed(lines(), tmp_path)]) == len(HEAD) + 1 + 3 + 2 + 3


@pytest.mark.parametrize(
    ("seconds", "said"), [(14, "10 s"), (89, "90 s"), (150, "2 min"), (6000, "1.5 h")]
)
def test_times_are_said_no_finer_than_they_are_known(seconds, said):
    assert progress.time_text(seconds) == said
    assert left_text(seconds) == f"about {said} left"
