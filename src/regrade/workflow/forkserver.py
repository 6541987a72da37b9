"""A process that has imported what jobs import, and forks one for each.

Of a small job, importing numpy, pandas and numba takes longer than its work.  On one machine the
workflow starts this server; `forked.py` asks it to run a job's script.  It imports what the script
imports at its top and forks: the next job with these imports finds them there.  It never runs
anything of the library's itself, so that jobs know nothing of each other.
"""

from __future__ import annotations

import ast
import atexit
import errno
import gc
import importlib
import io
import json
import logging
import os
import re
import runpy
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from contextlib import suppress
from functools import cache
from pathlib import Path

from regrade.workflow.forked import ALONE

NO_THREADS = {
    **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "GOTO", "MKL", "NUMEXPR")},
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
"""What keeps libraries from starting threads when they are imported: a fork has only one."""

SERVER = (sys.executable, "-P", "-m", "regrade.workflow.forkserver")
"""Its command; no folder that it happens to start in is searched for modules."""

LATER = {"pyarrow": ("pandas", "pyarrow.acero", "pyarrow.dataset", "pyarrow.pandas_compat")}
"""What a library imports when it is first used."""

IMPORTS = re.compile(rb"imports: ([\w. ]+)")
"""Among a job's parameters, which its script has as a text: what its function imports."""

STALE = 60
"""Seconds after which a socket that nobody listens at is left over."""

WAIT = 0.1
"""Seconds after which the next job is tried where there was no descriptor for it."""


class ForkServer:
    """The server, for as long as this object, or the process that holds it, is there."""

    def __init__(self) -> None:
        _sweep()
        self.folder = tempfile.mkdtemp(prefix="regrade-")
        # the server does it, too, unless it is killed
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        try:
            self._start()
        except OSError:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def _start(self) -> None:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"{self.folder}/socket")
            listener.listen(128)
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-m",
                    "regrade.workflow.forkserver",
                    str(listener.fileno()),
                    self.folder,
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                env=os.environ | NO_THREADS,
                pass_fds=[listener.fileno()],
            )

    def prefix(self) -> str:
        """What goes before a command of Snakemake's, as a text that it formats."""
        client = str(Path(__file__).with_name("forked.py"))
        command = shlex.join([sys.executable, "-IS", client, f"{self.folder}/socket"])
        return f"{command} ".replace("{", "{{").replace("}", "}}")


def serve(listener: socket.socket) -> None:
    """Fork a process for each job that is asked for, until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the jobs are told too
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # its folder goes
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them: they answer themselves
    while sys.stdin not in (ready := select.select([listener, sys.stdin], [], [])[0]):
        if listener in ready:
            try:
                connection, _ = listener.accept()
            except OSError:  # out of descriptors: those of jobs that have begun are given back
                time.sleep(WAIT)
                continue
            with connection, suppress(OSError, ValueError):
                _serve_one(connection, listener)


def _serve_one(connection: socket.socket, listener: socket.socket) -> None:
    """Fork the process of one job."""
    connection.settimeout(60)  # a client that was killed while it asked
    head, streams, _, _ = socket.recv_fds(connection, 8, 3)
    try:
        with connection.makefile("rb") as sent:
            request = json.loads(sent.read(int.from_bytes(head, "big")))
        import_for(request["script"])
        # without all streams this is out of descriptors
        process = _fork() if len(streams) == 3 and threads() == 1 else None
        if process is None:
            connection.sendall(ALONE)
        elif process == 0:
            listener.close()
            connection.settimeout(None)
            _run(connection, request, streams)
    finally:
        for stream in streams:
            os.close(stream)


def _fork() -> int | None:
    """As `os.fork`; ``None`` where the system has no process, or no memory, for one more."""
    try:
        return os.fork()
    except OSError:
        return None


def import_for(script: str | os.PathLike) -> None:
    """Import what a script imports at its top, and what the job of a declared stage does."""
    with suppress(OSError, SyntaxError):
        text = Path(script).read_bytes()
        names = [name.decode() for line in IMPORTS.findall(text) for name in line.split()]
        for node in ast.parse(text).body:
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom) and not node.level:
                names.append(node.module)
        for name in names:
            with suppress(Exception):
                importlib.import_module(name)
    _set_up()
    gc.freeze()  # what is there is not looked at in each process, which would copy it


def _set_up() -> None:
    """Import, and set up, what libraries that are there would at their first use, in every job.

    Pandas by the first array of Arrow takes 0.2 s, what numba does before it loads its first kernel
    0.4 s, and what matplotlib needs for the first text 0.1 s: as long as most jobs.
    """
    for library, later in LATER.items():
        for name in later if library in sys.modules else ():
            with suppress(Exception):
                importlib.import_module(name)
    if "numba" in sys.modules:
        with suppress(Exception):
            from numba.core.registry import cpu_target

            cpu_target.typing_context.refresh()
            cpu_target.target_context.refresh()
    if "matplotlib" in sys.modules:
        with suppress(Exception):
            _draw()


@cache
def _draw() -> None:
    """Draw a text once, for which matplotlib reads fonts and makes its reader of formulas."""
    from matplotlib.figure import Figure

    figure = Figure()
    figure.text(0, 0, r"$\tau$ α")
    for ending in ("svg", "png"):
        figure.savefig(io.BytesIO(), format=ending)


def threads() -> int:
    """How many threads this process has, those of libraries too."""
    return len(list(Path("/proc/self/task").iterdir()))


def _run(connection: socket.socket, request: dict, streams: list[int]) -> None:
    """Be the process of a job; does not return."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.argv = [request["script"]]
        sys.path.insert(0, str(Path(request["script"]).parent))
        _let_have(int(os.environ.get("OMP_NUM_THREADS", 1)))
        threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
        runpy.run_path(request["script"], run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:  # said as Python says it of a process of its own
        traceback.print_exc()
    finally:
        with suppress(Exception):
            logging.shutdown()
            sys.stdout.flush()
            sys.stderr.flush()
            connection.sendall(str(status).encode())
        os._exit(status)


def _let_have(threads: int) -> None:
    """Let BLAS have so many threads: it asked when it was imported."""
    if threads > 1:
        from threadpoolctl import threadpool_limits

        threadpool_limits(threads)


def _sweep() -> None:
    """Delete the folders of servers that were killed, with all who could have done it."""
    for path in Path(tempfile.gettempdir()).glob("regrade-*/socket"):
        with suppress(OSError), socket.socket(socket.AF_UNIX) as asking:
            if time.time() - path.stat().st_mtime < STALE:
                continue  # it may just be beginning to listen
            if asking.connect_ex(str(path)) == errno.ECONNREFUSED:
                shutil.rmtree(path.parent, ignore_errors=True)


def _end_with(connection: socket.socket) -> None:
    """End this process when the one that asked for it has ended."""
    with suppress(OSError):
        connection.recv(1)
    os._exit(128 + signal.SIGTERM)


if __name__ == "__main__":
    number, folder = sys.argv[1:]
    try:
        with socket.socket(fileno=int(number)) as server:
            serve(server)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
