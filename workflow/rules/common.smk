# The configuration, checked; the chosen collection; and the paths of its tables.
import atexit
import math
import re
import sys
from contextlib import suppress
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.settings.enums import Quietness

from regrade.choices import PREFERRED_CUT_METHODS, SURENESS_TABLES
from regrade.errors import RegradeError, did_you_mean
from regrade.studies.registry import STUDIES
from workflow.collection import Collection
from workflow.config import complete, read_configuration
from workflow.forkserver import ForkServer
from workflow.front import check_targets, failures
from workflow.sets import (
    KINDS,
    collected_scale,
    collected_scales,
    deriving,
    files_of,
    reading,
    relevant_from,
    source_of,
    workers,
    written_scale,
)
from workflow.sources import content_hash, source_hash
from workflow.stages import STAGES

try:
    for path in workflow.configfiles:
        read_configuration(path)
    CONFIG = complete(config)
    COLLECTION = Collection(CONFIG["collection"], CONFIG)
    COLLECTION.check_files()
    # Snakemake tells the targets later, and of one that nothing makes not what to do
    check_targets(COLLECTION, sys.argv[1:])
    RUN_FILES = (
        COLLECTION.run_files if COLLECTION.has_runs and not COLLECTION.simulates_runs else []
    )
except RegradeError as error:
    if Quietness.ALL in (workflow.output_settings.quiet or ()):
        print(error, file=sys.stderr)  # --quiet all would leave it out
    raise WorkflowError(str(error))


onerror:
    # after all that Snakemake still has to say; it gives its logs as a list, or one by its path
    logs = [log] if isinstance(log, str) else log
    atexit.register(sys.stderr.writelines, [f"{line}\n" for line in failures(logs)])


OPTIONS = COLLECTION.options
TRANSFORMATIONS = COLLECTION.transformations
RESULTS = f"results/{COLLECTION.name}"
BASE = Path(workflow.basedir)
LEFT_OUT = {options["name"]: options for options in OPTIONS["leave_one_out"]}

# what a table looks like on disk
RUNS = f"{RESULTS}/tables/runs.parquet"
QRELS = f"{RESULTS}/tables/qrels/{{name}}.parquet"
# the same as codes, for whatever scores, pools or compares systems
CODED_RUNS = f"{RESULTS}/codes/runs.arrow"
CODED_QRELS = f"{RESULTS}/codes/qrels/{{name}}.arrow"
JUDGMENTS = f"{RESULTS}/tables/judgments/{{name}}.parquet"
PREFERENCES = f"{RESULTS}/tables/preferences/{{name}}.parquet"


FORK_SERVERS = []  # as long as Snakemake runs


def log_of(*parts):
    return f"{RESULTS}/logs/{'/'.join(parts)}.log"


def rule_name(*parts):
    """The name of a rule that is made in a loop."""
    return re.sub(r"\W", "_", "_".join(parts))


def one_of(names):
    """A wildcard's pattern that matches just these names (none of them: nothing)."""
    return "|".join(map(re.escape, names)) or r"(?!)"


wildcard_constraints:
    name=one_of([*COLLECTION.qrels, *COLLECTION.judgments, *COLLECTION.preferences]),
    left_out=one_of(LEFT_OUT),


# With a limit of jobs per second, which it has by default, Snakemake wakes its scheduler every
# second once more for each job that has ended: after some hundred small ones that keeps a core
# busy.  Only a cluster needs the limit.
onstart:
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
        # where each job has its own environment or container, the server's is another
        if sys.platform == "linux" and not workflow.deployment_settings.deployment_method:
            with suppress(OSError):  # each job then starts by itself
                FORK_SERVERS.append(ForkServer())
                shell.prefix(FORK_SERVERS[0].prefix())
