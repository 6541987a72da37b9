"""Snakemake as `python -m snakemake` runs it, in a process forked from one that has imported it."""

import atexit
import multiprocessing
import os
import runpy
import sys
import tempfile
from pathlib import Path

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.workflow.imported"])


def snakemake(
    arguments: list[str], directory: Path, environment: dict[str, str], server: str | None = None
) -> tuple[int, str]:
    """Run Snakemake in a directory: its status, and what it and its jobs printed.

    Where the folder of a server of jobs is named, that one forks them, and none is started.
    """
    with tempfile.NamedTemporaryFile() as printed:
        process = PROCESSES.Process(
            target=_run, args=(arguments, str(directory), environment, printed.name, server)
        )
        process.start()
        process.join()
        return process.exitcode, printed.read().decode()


def _run(
    arguments: list[str],
    directory: str,
    environment: dict[str, str],
    printed: str,
    server: str | None,
) -> None:
    """Be the process."""
    with Path(printed).open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [directory, *environment["PYTHONPATH"].split(os.pathsep)]
    sys.argv[1:] = arguments
    if server is not None:
        from regrade.workflow.forkserver import ForkServer

        ForkServer.__init__ = lambda self: setattr(self, "folder", server)
    try:
        runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
    finally:  # which a process of multiprocessing passes over
        atexit._run_exitfuncs()
