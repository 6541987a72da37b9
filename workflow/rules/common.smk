# What all rules rest on: the configuration, checked, the chosen collection, and what jobs need.
import atexit
import re
import sys
from contextlib import suppress

from snakemake.exceptions import WorkflowError
from snakemake.settings.enums import Quietness

from regrade.errors import RegradeError
from regrade.stages.registry import stages
from regrade.studies.registry import STUDIES
from regrade.workflow.collection_checks import check_files, read_collection
from regrade.workflow.config import check_chosen, complete, read_configuration
from regrade.workflow.forkserver import ForkServer
from regrade.workflow.inputs import given
from regrade.workflow.inputs.cuts import (
    IN_CHUNKS,
    CutInputs,
    CutJobs,
    Labellings,
)
from regrade.workflow.inputs.page import CAPTIONS, Page
from regrade.workflow.inputs.paths import Paths
from regrade.workflow.inputs.sets import SetInputs
from regrade.workflow.inputs.sweeps import SweepInputs
from regrade.workflow.messages import check_targets, failures, forget_unmade
from regrade.workflow.project import lend_library
from regrade.workflow.sets import KINDS, collected_scales
from regrade.workflow.sources import source_hash
from regrade.workflow.stage_rules import job_rules, set_alike
from regrade.workflow.targets import asked_for, stage_targets

# files that failed jobs left unmade, and what these said: `regrade run` makes a page of the others
UNMADE = config.pop("unmade", {"files": [], "said": []})

try:
    # what --config says is the user's choice as well as what a file says
    files = [*map(read_configuration, workflow.configfiles), workflow.config_settings.config]
    check_chosen(files, config.get("collection"))
    CONFIG = complete(config)
    COLLECTION = read_collection(CONFIG["collection"], CONFIG, local)
    check_files(COLLECTION)
    # Snakemake tells the targets later, and of one that nothing makes not what to do; those of a
    # host are its own
    if not workflow.modifier.is_module:
        check_targets(COLLECTION, asked_for(sys.argv[1:]))
except RegradeError as error:
    if Quietness.ALL in (workflow.output_settings.quiet or ()):
        print(error, file=sys.stderr)  # --quiet all would leave it out
    raise WorkflowError(str(error))


onerror:
    forget_unmade(workflow.dag.needrun_jobs(), workflow.persistence)
    # after all that Snakemake still has to say; it gives its logs as a list, or one by its path
    logs = [log] if isinstance(log, str) else log
    atexit.register(sys.stderr.writelines, [f"{line}\n" for line in failures(logs)])


OPTIONS = COLLECTION.options
PATHS = Paths(COLLECTION)
RESULTS = PATHS.results
SETS = SetInputs(PATHS)
CUTS = {name: CutInputs(PATHS, one) for name, one in COLLECTION.transformations.items()}
OF_CUTS = CutJobs(CUTS)
LABELLINGS = Labellings(CUTS)
PAGE = Page(PATHS, CUTS, UNMADE["files"])

JOBS = {made.name: made for made in job_rules(PATHS, CUTS)}
# what --set-resources, --set-threads and --groups say of a rule holds for all of its job
set_alike(
    workflow,
    OF_CUTS.further | {name: made.job.name for name, made in JOBS.items() if name != made.job.name},
)

CODED_RUNS = PATHS.coded_runs
QRELS, JUDGMENTS, PREFERENCES = (PATHS.table_of(kind, "{name}") for kind in KINDS)
CODED_QRELS = PATHS.coded("{name}")
SCORES = PATHS.scores("{name}")

FORK_SERVERS = []  # as long as Snakemake runs

# an environment that Snakemake makes (--sdm conda) has the dependencies, but not a clone's library
if workflow.deployment_settings.deployment_method:
    lend_library()


def log_of(*parts):
    return f"{RESULTS}/logs/{'/'.join(parts)}.log"


def rule_name(*parts):
    """The name of a rule that is made in a loop."""
    return re.sub(r"\W", "_", "_".join(parts))


def one_of(names):
    """A wildcard's pattern that matches just these names (none of them: nothing)."""
    return "|".join(map(re.escape, names)) or r"(?!)"


wildcard_constraints:
    name=one_of(COLLECTION.sets),


# Only a cluster needs a limit of jobs per second, which Snakemake has by default: for it, its
# scheduler wakes every second once more for each job that has ended, which is 30 % of Snakemake's
# time with 200 small jobs, and grows with their square.  No option takes the limit away, so this
# does; `pyproject.toml` bounds Snakemake's version above for it.
onstart:
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
        # where each job has its own environment or container, the server's is another
        if sys.platform == "linux" and not workflow.deployment_settings.deployment_method:
            with suppress(OSError):  # each job then starts by itself
                FORK_SERVERS.append(ForkServer())
                shell.prefix(FORK_SERVERS[0].prefix())
