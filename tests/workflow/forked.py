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
    arguments: list[str], directory: Path, environment: dict[str, str]
) -> tuple[int, str]:
    """Run Snakemake in a directory: its status, and what it and its jobs printed."""
    with tempfile.NamedTemporaryFile() as printed:
        process = PROCESSES.Process(
            target=_run, args=(arguments, str(directory), environment, printed.name)
        )
        process.start()
        process.join()
        return process.exitcode, printed.read().decode()


def _run(arguments: list[str], directory: str, environment: dict[str, str], printed: str) -> None:
    """Be the process."""
    with Path(printed).open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [directory, *environment["PYTHONPATH"].split(os.pathsep)]
    sys.argv[1:] = arguments
    try:
        runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
    finally:  # which a process of multiprocessing passes over
        atexit._run_exitfuncs()
