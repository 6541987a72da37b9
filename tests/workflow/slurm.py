"""A Slurm of one node on the loopback address, for as long as tests need it.

It writes ``/etc/slurm/slurm.conf``, which jobs read (Snakemake's plugin takes ``SLURM_CONF`` out of
their environment), and starts daemons as root.  So it starts only where ``REGRADE_SLURM=1`` asks
for it, as in the project's continuous integration.
"""

import importlib.util
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

CONFIGURATION = Path("/etc/slurm/slurm.conf")
OURS = "# of the tests of regrade"
"""The first line of what is written here."""

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
PLUGINS = ("slurm", "slurm_jobstep", "cluster_generic")
PARTITION = "main"
SECONDS = 180
"""In which it must be ready, or have ended, on a busy machine."""


def why_not() -> str:
    """Why no Slurm can be started here; empty if one can."""
    if os.environ.get("REGRADE_SLURM") != "1":
        return "a Slurm writes below /etc and starts daemons: set REGRADE_SLURM=1 to let it"
    if os.geteuid() != 0:
        return "a Slurm is started by root"
    missing = missing_programs(PROGRAMS)
    if missing:
        return f"without {', '.join(missing)}: install slurm-wlm and munge"
    plugins = [name for name in PLUGINS if not _is_installed(f"snakemake_executor_plugin_{name}")]
    if plugins:
        named = ", ".join(plugins)
        return f"without Snakemake's plugins {named}: install the extras `slurm` and `cluster`"
    if CONFIGURATION.exists() and not _is_left_over():
        return f"there is a {CONFIGURATION}: this machine has a Slurm of its own"
    return ""


def _is_left_over() -> bool:
    """Whether tests that were killed have written what is there."""
    ours = CONFIGURATION.read_text(encoding="utf-8").startswith(OURS)
    return ours and not any(one.name() == "slurmctld" for one in psutil.process_iter())


def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Start it with what it writes in a folder, and stop it; yields why it is not ready, if so."""
    started = []
    try:
        CONFIGURATION.parent.mkdir(parents=True, exist_ok=True)
        CONFIGURATION.write_text(_configuration(folder), encoding="utf-8")
        started.append(_munge(folder))
        started.append(daemon(folder, "/usr/sbin/slurmctld", "-D"))
        started.append(daemon(folder, "/usr/sbin/slurmd", "-D"))
        yield wait_for("idle node of Slurm", "sinfo", "--noheader", "--format=%T", shows="idle")
    finally:
        end(started)
        CONFIGURATION.unlink(missing_ok=True)


def _configuration(folder: Path) -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    node = socket.gethostname().split(".")[0]
    settings = {
        "ClusterName": "test",
        "SlurmctldHost": "localhost(127.0.0.1)",
        # nobody else hears it
        "CommunicationParameters": "NoCtldInAddrAny,NoInAddrAny",
        "AuthInfo": f"socket={folder}/munge.socket",
        "SlurmUser": "root",
        "ProctrackType": "proctrack/linuxproc",
        "TaskPlugin": "task/none",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core_Memory",
        "SchedulerParameters": "sched_interval=2,batch_sched_delay=0",
        "ReturnToService": "2",
        "MessageTimeout": "100",  # its parts answer late on a busy machine
        "MinJobAge": "3600",  # longer than a run may take: all its jobs are asked for at its end
        "StateSaveLocation": folder / "state",
        "SlurmdSpoolDir": folder / "spool",
        "SlurmctldPidFile": folder / "slurmctld.pid",
        "SlurmdPidFile": folder / "slurmd.pid",
    }
    lines = [OURS, *(f"{key}={value}" for key, value in settings.items())]
    lines.append(
        f"NodeName={node} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} "
        f"RealMemory={int(memory * 0.9)} State=UNKNOWN"
    )
    lines.append(f"PartitionName={PARTITION} Nodes={node} Default=YES MaxTime=INFINITE State=UP")
    return "\n".join(lines) + "\n"


def _munge(folder: Path) -> subprocess.Popen:
    """What lets Slurm's parts know each other: a key and a socket of their own."""
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    own = {
        "--key-file": key,
        "--socket": folder / "munge.socket",
        "--log-file": folder / "munge.log",
        "--pid-file": folder / "munge.pid",
        "--seed-file": folder / "munge.seed",
    }
    options = [f"{name}={value}" for name, value in own.items()]
    return daemon(folder, "/usr/sbin/munged", "--foreground", "--force", *options)


def daemon(folder: Path, *command: str) -> subprocess.Popen:
    """A process that goes on until it is ended, with a log in a folder."""
    log = (folder / f"{Path(command[0]).name}.log").open("ab")
    with log:
        return subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)


def end(daemons: list[subprocess.Popen]) -> None:
    """End processes, the last one first."""
    for process in reversed(daemons):
        process.terminate()
        process.wait(SECONDS)


def wait_for(what: str, *command: str, shows: str = "") -> str:
    """Wait until a command ends well and shows a word; why there is nothing, if that takes long."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0 and shows in done.stdout:
            return ""
        time.sleep(0.2)
    return f"no {what} after {SECONDS} s: {done.stdout}{done.stderr}"


def missing_programs(names: Iterable[str]) -> list[str]:
    """Those of some programs that are not installed."""
    path = os.environ["PATH"] + os.pathsep + "/usr/sbin"
    return [name for name in names if shutil.which(name, path=path) is None]


def jobs() -> dict[str, str]:
    """State by number of each job that Slurm knows of."""
    said = subprocess.run(
        ["squeue", "--noheader", "--states=all", "--format=%i %T"],
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(line.split() for line in said.stdout.splitlines())


def cancel(job: str) -> None:
    """End a job, as a node that fails does, unless it has ended."""
    subprocess.run(["scancel", job], check=False)
