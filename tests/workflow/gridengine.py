"""A Grid Engine of one node on this machine, for as long as tests need it.

It keeps all of its files in a folder, but its daemons hear on every address and start as root.  So
it starts only where ``REGRADE_GRIDENGINE=1`` asks for it, as in the project's continuous
integration.
"""

import importlib.util
import os
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.workflow.slurm import daemon, end, missing_programs, wait_for

READY = "Grid Engine that is ready"
INSTALLED = Path("/var/lib/gridengine")
TOOLS = Path("/usr/lib/gridengine")
SHARED = Path("/usr/share/gridengine")
LIBRARY = Path("/usr/lib/gridengine-drmaa/lib/libdrmaa.so.1.0")
PROGRAMS = ("sge_qmaster", "sge_execd", "qsub", "qstat", "qacct", "qdel", "qconf")
PACKAGES = "gridengine-master, gridengine-exec, gridengine-client and gridengine-drmaa1.0"
ALLOCATOR = Path("/usr/lib/x86_64-linux-gnu/libjemalloc.so.2")
"""What Debian's library rests on; Python cannot load it late, so it is loaded first."""

PARALLEL = """pe_name smp
slots 999
user_lists NONE
xuser_lists NONE
start_proc_args NONE
stop_proc_args NONE
allocation_rule $pe_slots
control_slaves FALSE
job_is_first_task TRUE
urgency_slots min
accounting_summary FALSE
qsort_args NONE
"""
QUEUE = {
    "qname": "main.q",
    "hostlist": "localhost",
    "pe_list": "smp",
    "shell": "/bin/bash",
    "shell_start_mode": "unix_behavior",
    "load_thresholds": "NONE",
}
SCHEDULE = {
    "schedule_interval": "0:0:1",
    "flush_submit_sec": "1",
    "flush_finish_sec": "1",
    "job_load_adjustments": "NONE",
}


def why_not() -> str:
    """Why no Grid Engine can be started here; empty if one can."""
    if os.environ.get("REGRADE_GRIDENGINE") != "1":
        return "a Grid Engine starts daemons: set REGRADE_GRIDENGINE=1 to let it"
    if os.geteuid() != 0:
        return "a Grid Engine is started by root"
    missing = missing_programs(PROGRAMS)
    if missing or not LIBRARY.exists():
        return f"without {', '.join(missing) or LIBRARY.name}: install {PACKAGES}"
    if importlib.util.find_spec("snakemake_executor_plugin_drmaa") is None:
        return "without Snakemake's plugin drmaa: install the extra `drmaa`"
    return ""


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Start it with all files in a folder, and stop it; yields why it is not ready, if so."""
    started = []
    with pytest.MonkeyPatch.context() as patch:
        for name, value in _environment(folder).items():
            patch.setenv(name, value)
        try:
            _initialise(folder)
            started.append(daemon(folder, "/usr/sbin/sge_qmaster"))
            problem = wait_for(READY, "qconf", "-sh")
            if not problem:
                _configure(folder)
                started.append(daemon(folder, "/usr/sbin/sge_execd"))
                problem = wait_for(READY, "qstat", "-f", shows="lx-")
            yield problem
        finally:
            end(started)


def _environment(folder: Path) -> dict[str, str]:
    with socket.socket() as master, socket.socket() as node:
        master.bind(("127.0.0.1", 0))
        node.bind(("127.0.0.1", 0))
        ports = master.getsockname()[1], node.getsockname()[1]
    preloaded = {"LD_PRELOAD": str(ALLOCATOR)} if ALLOCATOR.exists() else {}
    return preloaded | {
        "SGE_ROOT": str(folder),
        "SGE_CELL": "default",
        "SGE_QMASTER_PORT": str(ports[0]),
        "SGE_EXECD_PORT": str(ports[1]),
        "SGE_ND": "1",  # daemons stay in the foreground
        "DRMAA_LIBRARY_PATH": str(LIBRARY),
    }


def _initialise(folder: Path) -> None:
    """Write what the daemons read when they start."""
    common, spool = folder / "default" / "common", folder / "spool"
    for one in (common, spool / "qmaster", spool / "execd"):
        one.mkdir(parents=True)
    for name in ("bin", "lib", "util", "utilbin"):
        (folder / name).symlink_to(INSTALLED / name)
    places = f"{common};{spool / 'qmaster'}"
    settings = {
        "admin_user": "none",
        "spooling_method": "classic",
        "spooling_lib": "libspoolc",
        "spooling_params": places,
        "qmaster_spool_dir": spool / "qmaster",
    }
    bootstrap = _changed((SHARED / "default-bootstrap").read_text(), settings)
    (common / "bootstrap").write_text(bootstrap)
    (common / "act_qmaster").write_text("localhost\n")
    (common / "host_aliases").write_text(f"localhost {socket.gethostname()}\n")
    settings = {
        "execd_spool_dir": spool / "execd",
        "mailer": "/bin/true",
        "min_uid": 0,
        "min_gid": 0,
        "load_report_time": "00:00:02",
        "reporting_params": "accounting=true reporting=false flush_time=00:00:01"
        " accounting_flush_time=00:00:00 joblog=false sharelog=00:00:00",
    }
    configuration = folder / "configuration"
    configuration.write_text(_changed((SHARED / "default-configuration").read_text(), settings))
    _run(TOOLS / "spoolinit", "classic", "libspoolc", places, "init")
    _run(TOOLS / "spooldefaults", "configuration", configuration)
    _run(TOOLS / "spooldefaults", "complexes", SHARED / "util" / "resources" / "centry")
    _run(TOOLS / "spooldefaults", "usersets", SHARED / "util" / "resources" / "usersets")
    _run(TOOLS / "spooldefaults", "managers", "root")


def _configure(folder: Path) -> None:
    """Tell the master of a queue, and to look at it each second."""
    _run("qconf", "-as", "localhost")
    for option, name, text in (
        ("-Ap", "pe", PARALLEL),
        ("-Aq", "queue", _changed(_run("qconf", "-sq"), QUEUE | {"slots": os.cpu_count()})),
        ("-Msconf", "schedule", _changed(_run("qconf", "-ssconf"), SCHEDULE)),
    ):
        (folder / name).write_text(text)
        _run("qconf", option, folder / name)


def _changed(text: str, settings: dict) -> str:
    """Lines of a name and its value, some with another value."""
    for name, value in settings.items():
        text = re.sub(rf"(?m)^{name}\s.*$", f"{name} {value}", text)
    return text


def _run(*command: object) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def jobs() -> dict[str, str]:
    """State by number of each job that it knows of, in Slurm's words."""
    listed = subprocess.run(["qstat"], capture_output=True, text=True, check=True).stdout
    states = {}
    for line in listed.splitlines()[2:]:
        number, _, _, _, state = line.split()[:5]
        states[number] = "RUNNING" if state == "r" else "PENDING"
    ended = subprocess.run(["qacct", "-j"], capture_output=True, text=True, check=False).stdout
    for block in ended.split("=" * 62):
        fields = dict(line.split(maxsplit=1) for line in block.splitlines() if " " in line.strip())
        if "jobnumber" in fields:
            codes = {fields[name].split()[0] for name in ("failed", "exit_status")}
            states[fields["jobnumber"].strip()] = "COMPLETED" if codes == {"0"} else "CANCELLED"
    return states


def cancel(job: str) -> None:
    """End a job, as a node that fails does, unless it has ended."""
    subprocess.run(["qdel", job], check=False, capture_output=True)
