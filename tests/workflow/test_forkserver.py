"""Jobs that are forked do what they would do as processes of their own."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from regrade.workflow import forkserver
from regrade.workflow.forkserver import ForkServer
from tests.workflow.conftest import configured, made

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="jobs are forked on Linux only")

# a module that nothing imports in passing: forked, a script finds it there before it asks for it
FORKED = "import sys\nforked = 'only_here' in sys.modules\nimport only_here\n"
PATIENCE = 600
"""Seconds that a job may take on a busy machine."""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A folder of modules that the server, and scripts, can import."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "only_here.py").write_text("held = []\n")
    thread = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True)"
    (folder / "starts_a_thread.py").write_text(f"{thread}.start()\n")
    (folder / "fails.py").write_text("raise RuntimeError('at its import')\n")
    return folder


@pytest.fixture
def server(library, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(library))
    started = ForkServer()
    yield started
    started.process.stdin.close()
    ended = started.process.wait(PATIENCE)
    assert ended == (0 if not Path(started.folder).exists() else -signal.SIGKILL)
    shutil.rmtree(started.folder, ignore_errors=True)


@pytest.fixture
def command(server, tmp_path):
    """What Snakemake gives to its shell for a script of this text."""

    def of(text: str) -> str:
        script = tmp_path / "a script.py"
        script.write_text(text)
        return server.prefix().format() + f"{sys.executable} '{script}'"

    return of


@pytest.fixture
def run(command, tmp_path):
    def ran(text, threads=1, **options):
        numbers = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
        environment = os.environ | numbers | {"GIVEN": "ä b"}
        options = {"cwd": tmp_path, "env": environment, "check": False, **options}
        shell = {"shell": True, "executable": "/bin/bash", "timeout": PATIENCE}
        return subprocess.run(command(text), capture_output=True, text=True, **shell, **options)

    return ran


def test_a_job_has_its_folder_environment_and_streams(run, tmp_path):
    text = FORKED + (
        "import os\n"
        "print(forked, __name__, sys.argv, os.getcwd(), os.environ['GIVEN'], sys.path[0])\n"
        "print(sys.stdin.read(), 'PYTHONPATH' in os.environ, file=sys.stderr)\n"
    )
    for _ in range(2):
        ran = run(text, input="asked")
        script = [str(tmp_path / "a script.py")]
        assert ran.stdout.strip() == f"True __main__ {script} {tmp_path} ä b {tmp_path}"
        assert ran.stderr.strip() == "asked True"
        assert ran.returncode == 0


def test_jobs_know_nothing_of_each_other(run):
    text = FORKED + "only_here.held.append(1)\nprint(forked, len(only_here.held))\n"
    assert [run(text).stdout.strip() for _ in range(3)] == ["True 1"] * 3


@pytest.mark.parametrize(
    ("end", "status", "said"),
    [
        ("sys.exit(3)", 3, ""),
        ("sys.exit()", 0, ""),
        ("sys.exit('why')", 1, "why"),
        ("print('why', end='', file=sys.stderr)", 0, "why"),
        ("raise ValueError('why')", 1, "ValueError: why"),
        ("import fails", 1, "RuntimeError: at its import"),
        ("import os; os.kill(os.getpid(), 9)", 137, ""),
    ],
)
def test_how_a_job_ends(run, end, status, said):
    ran = run(f"{FORKED}print(forked, flush=True)\n{end}\n")
    assert (ran.returncode, ran.stdout.strip()) == (status, "True")
    assert ran.stderr.strip().endswith(said)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_libraries_have_as_many_threads_as_the_job(run, count):
    """BLAS asked for it when it was imported, in the server."""
    text = FORKED + (
        "import numpy, pyarrow\nfrom threadpoolctl import threadpool_info\n"
        "blas = [one['num_threads'] for one in threadpool_info()]\n"
        "print(forked, *blas, pyarrow.cpu_count())\n"
    )
    assert run(text, threads=count).stdout.strip() == f"True {count} {count}"


def test_what_libraries_import_later_is_there(run):
    """For an array and a kernel, and the server has but one thread after it."""
    text = FORKED + (
        "import numba, pyarrow, pyarrow.parquet\nbefore = set(sys.modules)\n"
        "table = pyarrow.table({'a': pyarrow.array([1])})\n"
        "pyarrow.parquet.write_table(table, 'a.parquet')\n"
        "assert pyarrow.parquet.read_table('a.parquet') == table\n"
        "assert numba.njit(lambda x: x + 1)(1) == 2\n"
        "later = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "there = 'numba.np.arraymath' in before\n"  # compiling imports some of numba's more
        "print(forked, there, 'pandas' in before, *later & {'pandas', 'pyarrow', 'scipy'})\n"
    )
    for _ in range(2):
        assert run(text).stdout.strip() == "True True True"


def test_fonts_and_formulas_are_read_before_a_figure_is_drawn(run):
    text = FORKED + (
        "import matplotlib.figure, matplotlib.mathtext\n"
        "there = 'matplotlib.backends.backend_svg' in sys.modules\n"
        "print(forked, there, matplotlib.mathtext.MathTextParser._parser is not None)\n"
    )
    for _ in range(2):
        assert run(text).stdout.strip() == "True True True"


def test_after_an_import_that_starts_threads_jobs_are_processes_of_their_own(run):
    assert run(f"{FORKED}print(forked)").stdout.strip() == "True"
    assert run(f"{FORKED}import starts_a_thread\nprint(forked)").stdout.strip() == "False"
    assert run(f"{FORKED}print(forked)").stdout.strip() == "False"


def test_a_script_that_cannot_be_read_says_so_itself(run):
    ran = run("this is no Python")
    assert ran.returncode == 1
    assert "SyntaxError" in ran.stderr


def leave_descriptors(process, count):
    """Let a process open so many files more; the limits that it had."""
    before = process.rlimit(psutil.RLIMIT_NOFILE)
    used = {int(one.name) for one in Path(f"/proc/{process.pid}/fd").iterdir()}
    free = (n for n in range(before[0]) if n not in used)
    limit = next(n for place, n in enumerate(free) if place == count)
    process.rlimit(psutil.RLIMIT_NOFILE, (limit, before[1]))
    return before


def test_without_descriptors_jobs_are_processes_of_their_own(server, run):
    assert run(f"{FORKED}print(forked)").stdout.strip() == "True"
    process = psutil.Process(server.process.pid)
    before = leave_descriptors(process, 2)  # one for the job, and two of its streams do not fit
    assert run(f"{FORKED}print(forked)").stdout.strip() == "False"
    process.rlimit(psutil.RLIMIT_NOFILE, before)
    assert run(f"{FORKED}print(forked)").stdout.strip() == "True"


def test_a_job_waits_until_there_is_a_descriptor(server, run):
    process = psutil.Process(server.process.pid)
    assert run("print(1)").stdout.strip() == "1"
    before = leave_descriptors(process, 0)
    given_back = threading.Timer(1, process.rlimit, (psutil.RLIMIT_NOFILE, before))
    given_back.start()
    assert run(f"{FORKED}print(forked)").stdout.strip() == "True"
    given_back.join()


def test_no_process_to_be_had_is_no_end(monkeypatch):
    def refused():
        raise BlockingIOError("no process")

    monkeypatch.setattr(forkserver.os, "fork", refused)
    assert forkserver._fork() is None


def test_without_the_server_jobs_run_all_the_same(server, run):
    server.process.kill()
    server.process.wait(PATIENCE)
    ran = run(f"{FORKED}print(forked)\nsys.exit(4)")
    assert (ran.returncode, ran.stdout.strip()) == (4, "False")


def test_a_server_that_is_ended_leaves_nothing():
    server = ForkServer()
    until(lambda: _ignores(server.process.pid, signal.SIGCHLD))  # it listens
    server.process.terminate()
    assert server.process.wait(PATIENCE) == 128 + signal.SIGTERM
    assert not Path(server.folder).exists()


def _ignores(process, number):
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    ignored = int(status.partition("SigIgn:")[2].split()[0], 16)
    return ignored >> (number - 1) & 1


def test_a_job_ends_with_the_process_that_asked_for_it(server, command, tmp_path):
    text = "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
    asking = subprocess.Popen(
        ["/bin/bash", "-c", f"exec {command(text)}"],
        cwd=tmp_path,
    )
    until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    job = psutil.Process(int((tmp_path / "pid").read_text()))
    assert job.ppid() == server.process.pid
    asking.send_signal(signal.SIGKILL)
    asking.wait(PATIENCE)
    until(lambda: not job.is_running())


def test_the_server_ends_with_the_process_that_started_it(tmp_path):
    code = (
        "import os\nfrom regrade.workflow.forkserver import ForkServer\nserver = ForkServer()\n"
        "print(server.process.pid, server.folder, flush=True)\nos.kill(os.getpid(), 9)\n"
    )
    root = Path(__file__).parents[2]
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root)
    number, folder = ran.stdout.split()
    until(lambda: not psutil.pid_exists(int(number)) and not Path(folder).exists())


def test_folders_of_any_name(tmp_path, monkeypatch):
    odd = tmp_path / "{a} b'c"
    odd.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(odd))
    server = ForkServer()
    script = tmp_path / "one.py"
    script.write_text("print(1)")
    text = server.prefix().format() + f"{sys.executable} {script}"
    ran = subprocess.run(["/bin/bash", "-c", text], capture_output=True)
    assert (ran.stdout, ran.stderr) == (b"1\n", b"")
    server.process.stdin.close()
    server.process.wait(PATIENCE)


def test_where_there_can_be_no_server(tmp_path, monkeypatch):
    long = tmp_path / ("long" * 40)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    with pytest.raises(OSError, match="too long"):
        ForkServer()
    assert not list(long.iterdir())


@pytest.mark.slow
@pytest.mark.workflow
def test_jobs_of_the_workflow_are_forked(house, tmp_path):
    """The same bytes without hooks, when each job is a process of its own."""
    texts = ["1 0 a 1\n1 0 b 0\n", "1 Q0 a 1 2.0 s\n1 Q0 b 2 1.0 s\n"]
    for name, text in zip(("E.qrels", "s.run"), texts, strict=True):
        (tmp_path / name).write_text(text)
    collection = {
        "title": "Forked",
        "runs": [str(tmp_path / "s.run")],
        "qrels": {"E": {"file": str(tmp_path / "E.qrels"), "levels": 2}},
    }
    forked = configured(tmp_path / "forked", "c", collection)
    alone = configured(tmp_path / "alone", "c", collection)
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(LEAVES_A_FILE, encoding="utf-8")
    assert not _forks(house, alone, tmp_path / "hook", "score", "--no-hooks")
    assert _forks(house, forked, tmp_path / "hook", "score")
    assert made(forked) == made(alone)


# found by Python where the server starts: each of its forks says so
LEAVES_A_FILE = """
import os, pathlib, sys

if any(part.endswith("regrade.workflow.forkserver") for part in sys.orig_argv):
    forked = pathlib.Path("forked").absolute()
    os.register_at_fork(after_in_child=forked.touch)
"""


def _forks(house, directory, hook, *arguments):
    """Run the workflow; whether a job was a fork of the server."""
    command = house.command(directory, *arguments)
    subprocess.run(
        command, env=house.environment(hook), cwd=directory, stderr=subprocess.DEVNULL, check=True
    )
    return (directory / "forked").exists()


def until(true):
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_folders_of_killed_servers_are_swept(tmp_path, monkeypatch):
    """An old socket that nobody listens at goes; one just made, a living one and others stay."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    old = time.time() - 10 * forkserver.STALE
    listeners = {}
    for name in ("dead", "new", "living"):
        (tmp_path / f"regrade-{name}").mkdir()
        path = tmp_path / f"regrade-{name}" / "socket"
        listeners[name] = socket.socket(socket.AF_UNIX)
        listeners[name].bind(str(path))
        if name == "living":
            listeners[name].listen()
        else:
            listeners[name].close()
        if name != "new":
            os.utime(path, (old, old))
    (tmp_path / "regrade-other").mkdir()
    forkserver._sweep()
    assert {path.name for path in tmp_path.iterdir()} == {
        "regrade-new", "regrade-living", "regrade-other",
    }  # fmt: skip
    listeners["living"].close()
