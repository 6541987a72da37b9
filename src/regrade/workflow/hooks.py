"""What is done around the jobs of a call: before the first, and where some failed.

Snakemake runs `onstart` and `onerror` of the main Snakefile alone.  So that both work in a host's
module too, they are added to the host's own, whenever it says these.
"""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress

from regrade.errors import ParameterError
from regrade.workflow.forkserver import ForkServer
from regrade.workflow.messages import failures, forget_unmade
from regrade.workflow.settings import check_settings

OURS = "from regrade.workflow.job import "
"""What each script of the workflow has."""


def attach(workflow) -> None:
    """Have Snakemake start the fork server, and say of each failed job what to do.

    Parameters
    ----------
    workflow
        Snakemake's, while it reads a Snakefile; of one that has several modules of regrade it is
        done once.
    """
    if "onstart" not in vars(workflow):
        _add(workflow, "onstart", lambda log: _start(workflow))
        _add(workflow, "onerror", lambda log: _fail(workflow, log))


def _add(workflow, event: str, ours: Callable) -> None:
    """Let a function follow what a Snakefile says for an event, before or after this."""
    place, register = f"_{event}", getattr(workflow, event)

    def followed(own: Callable) -> Callable:
        def both(log) -> None:
            own(log)
            ours(log)

        return both

    def say(own: Callable) -> None:
        register(own)  # which passes over those of modules
        if getattr(workflow, place) is own:
            setattr(workflow, place, followed(own))

    setattr(workflow, place, followed(getattr(workflow, place)))
    setattr(workflow, event, say)


def _start(workflow) -> None:
    """Check what is set of rules; let jobs be forked, and as many as there are cores for at once.

    Only a cluster needs a limit of jobs per second, which Snakemake has by default: for it, its
    scheduler wakes every second once more for each job that has ended, which is 30 % of Snakemake's
    time with 200 small jobs, and grows with their square.  No option takes the limit away, so this
    does; `pyproject.toml` bounds Snakemake's version above for it.
    """
    from snakemake.exceptions import WorkflowError

    try:
        check_settings(workflow)
    except ParameterError as error:
        raise WorkflowError(str(error)) from None
    if not workflow.local_exec:
        return
    workflow.scheduler.job_rate_limiter = None
    # where each job has its own environment or container, the server's is another
    if sys.platform == "linux" and not workflow.deployment_settings.deployment_method:
        with suppress(OSError):  # each job then starts by itself
            _fork_scripts(ForkServer())


def _fork_scripts(server: ForkServer) -> None:
    """Let a server run the workflow's scripts, and no other job of a host.

    `shell.prefix` is for all: before the shell commands of a host it would do harm.
    """
    from snakemake.script import PythonScript

    execute = PythonScript._execute_cmd

    def execute_cmd(self, command: str, **how):
        is_ours = how.get("py_exec") == sys.executable and OURS in self.source
        return execute(self, server.prefix() + command if is_ours else command, **how)

    PythonScript._execute_cmd = execute_cmd


def _fail(workflow, logs: str | Iterable[str]) -> None:
    """Say what to do about each job that failed, after all that Snakemake still has to say."""
    forget_unmade(workflow.dag.needrun_jobs(), workflow.persistence)
    logs = [logs] if isinstance(logs, str) else logs  # several, or one by its path
    atexit.register(sys.stderr.writelines, [f"{line}\n" for line in failures(logs)])
