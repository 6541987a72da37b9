"""What commands load: each of these packages is a part of a second that somebody waits."""

import json
import os
import subprocess
import sys

import pytest

HEAVY = {
    "matplotlib", "numba", "numpy", "pandas", "pyarrow", "pyarrow.parquet", "pydantic", "rich",
    "scipy", "scipy.stats", "statsmodels",
}  # fmt: skip

DISTRIBUTIONS = {"matplotlib", "scipy.stats", "statsmodels"}

_LOADED = f"""
import contextlib, io, json, sys
from regrade.command.app import main
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["regrade", *arguments]
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as end:
            assert end.code in (None, 0, 2), said.getvalue()
print(*sorted({HEAVY!r} & sys.modules.keys()))
"""

QRELS = "".join(f"q{t} 0 d{i} {i * t % 3}\n" for t in range(4) for i in range(6))
"""Of four topics; those of the other set differ by two documents."""


def run(system):
    return "".join(
        f"q{t} Q0 d{i * system % 7} {i} {9 - i} s{system}\n" for t in range(4) for i in range(1, 7)
    )


def loaded(folder, *commands):
    """The heavy packages that a process has loaded after commands, one after the other."""
    return loaded_by(_LOADED, folder, json.dumps(commands))


def loaded_by(code, folder, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True, text=True, cwd=folder, env=os.environ | environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("start")
    (folder / "runs").mkdir()
    (folder / "qrels").write_text(QRELS)
    (folder / "other").write_text(QRELS.replace("d2 2", "d2 0").replace("d4 1", "d4 2"))
    (folder / "families").write_text("s1 a\ns2 a\ns3 b\ns4 b\n")
    for system in (1, 2, 3, 4):
        (folder / "runs" / f"s{system}").write_text(run(system))
    return folder


def test_what_is_light_loads_nothing_heavy(tmp_path):
    commands = [["--version"], ["--help"], ["rank", "--help"], ["explain"], ["tables"]]
    commands += [["tables", "best_cuts"], ["rank", "qrels", "runs", "--resampels", "5"]]
    assert loaded(tmp_path, *commands) == set()


@pytest.mark.parametrize(
    ("typed", "said"), [("ra", "plain,rank"), ("rank --dr", "plain,--draws")], ids=str
)
def test_completion_loads_nothing_heavy(tmp_path, typed, said):
    code = f"""
import sys
from regrade.command.app import main
sys.argv = ["regrade"]
try:
    main()
except SystemExit:
    print(*sorted({HEAVY!r} & sys.modules.keys()))
"""
    words = {"COMP_WORDS": f"regrade {typed}", "COMP_CWORD": str(len(typed.split()))}
    assert loaded_by(code, tmp_path, **words, _REGRADE_COMPLETE="bash_complete") == {said}


def test_the_library_scores_without_a_compiler_and_frames(files):
    code = f"""
import sys, regrade
scores = regrade.score("qrels", "runs", "AP nDCG@10 RR")
before = sorted({HEAVY!r} & sys.modules.keys())
assert len(scores.means()) == 4
print(*before)
"""
    assert loaded_by(code, files) == {"numpy", "pyarrow"}


def test_targets_load_nothing_heavy(tmp_path):
    assert loaded(tmp_path, ["targets"]) == set()


def test_a_few_runs_are_scored_without_a_compiler(files):
    commands = [["score", "qrels", "runs"]]
    commands += [["score", "qrels", "runs", "-q", "--tie-break", "trec_eval"]]
    assert loaded(files, *commands) == {"numpy", "pyarrow"}


@pytest.mark.parametrize(
    "command",
    [
        ["rank", "qrels", "runs"],
        ["compare", "qrels", "other", "--runs", "runs", "--correction", "holm"],
        ["ties", "runs", "--qrels", "qrels"],
        ["unjudged", "qrels", "runs"],
        ["leave-one-out", "qrels", "runs"],
        ["pool", "runs", "--qrels", "qrels"],
        ["judges", "qrels", "other=other", "--runs", "runs", "--resamples", "100"],
        ["replace", "qrels", "other", "--runs", "runs", "--resamples", "100"],
        ["panel", "qrels", "a=other", "b=qrels", "c=other", "--runs", "runs", "--resamples", "9"],
    ],
    ids=lambda command: command[0],
)
@pytest.mark.slow
def test_questions_load_no_distributions(files, command):
    """`scipy.special` has what they need of them, and no table is a model."""
    assert not loaded(files, command) & DISTRIBUTIONS


@pytest.mark.parametrize(
    "command",
    [
        ["compare-systems", "qrels", "runs", "s1", "s2"],
        ["gate", "runs/s1", "runs/s2", "qrels"],
        ["topics", "qrels", "runs", "--second", "other", "-m", "nDCG"],
        ["favour", "qrels", "gpt=other", "--runs", "runs", "--families", "families"],
    ],
    ids=lambda command: command[0],
)
def test_questions_about_few_systems_need_no_compiler(files, command):
    assert not loaded(files, command) & {"numba", *DISTRIBUTIONS}
