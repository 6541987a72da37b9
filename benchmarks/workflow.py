"""The whole workflow, in a folder of its own that is empty at the start."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measuring import Measured, Settings, now

PROJECT = Path(__file__).parents[1]


def run(settings: Settings, config: str, *targets: str) -> Measured:
    """From nothing to the targets, the report where none is named.

    The peak is that of the largest process it starts.
    """
    with tempfile.TemporaryDirectory(dir=settings.inputs) as folder:
        command = [
            *(sys.executable, "-m", "snakemake", *targets, "--snakefile", PROJECT / "Snakefile"),
            *("--workflow-profile", PROJECT / "workflow" / "profiles" / "default"),
            *("--directory", folder, "--cores", str(settings.threads)),
            *("--configfile", PROJECT / "config" / config),
        ]
        if settings.data is not None:
            command += ["--config", f"data={settings.data}"]
        start = now()
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        span = now() - start
        if done.returncode:
            raise RuntimeError(f"{config}: the workflow failed\n{done.stdout[-3000:]}")
        jobs = len(list(Path(folder).glob("results/*/benchmarks/**/*.tsv")))
        return Measured([span], note=f"{jobs} jobs, measured once")
