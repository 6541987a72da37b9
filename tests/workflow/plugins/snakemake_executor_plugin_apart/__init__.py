"""Jobs that share nothing with what submits them, as on Kubernetes and in batch services.

Each runs in an empty folder of `REGRADE_APART`, and has the library alone: sources, inputs and
outputs go through the storage.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
from snakemake_interface_executor_plugins.settings import CommonSettings

# those of the plugin kubernetes, but that nothing is installed
common_settings = CommonSettings(
    non_local_exec=True,
    implies_no_shared_fs=True,
    job_deploy_sources=True,
    pass_default_storage_provider_args=True,
    pass_default_resources_args=True,
    pass_envvar_declarations_to_cmd=False,
    auto_deploy_default_storage_provider=False,
    init_seconds_before_status_checks=0,
)


class Executor(RemoteExecutor):
    """One process for each job."""

    def __post_init__(self):
        self._jobs = {}

    def get_python_executable(self):
        return sys.executable

    def run_job(self, job):
        folder = Path(tempfile.mkdtemp(dir=os.environ["REGRADE_APART"]))
        with folder.with_suffix(".log").open("wb") as log:
            self._jobs[folder.name] = subprocess.Popen(
                ["/bin/sh", "-c", self.format_job_exec(job)],
                cwd=folder,
                env=os.environ | self.envvars(),
                stdout=log,
                stderr=log,
            )
        self.report_job_submission(SubmittedJobInfo(job, external_jobid=folder.name))

    async def check_active_jobs(self, active_jobs):
        for one in active_jobs:
            status = self._jobs[one.external_jobid].poll()
            if status is None:
                yield one
            elif status == 0:
                self.report_job_success(one)
            else:
                self.report_job_error(one)

    def cancel_jobs(self, active_jobs):
        for one in active_jobs:
            self._jobs[one.external_jobid].kill()
