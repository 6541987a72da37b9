# What all rules rest on: the configuration, checked, the chosen collections, and what jobs need.
# The collection is a wildcard: one rule makes a table of every collection of a call.
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.io import sourcecache_entry
from snakemake.settings.enums import Quietness

from regrade.errors import RegradeError
from regrade.stages.registry import stages
from regrade.studies.registry import STUDIES
from regrade.workflow.chosen import check_chosen, chosen_collections
from regrade.workflow.collection_checks import check_files, read_collection
from regrade.workflow.config import complete, read_configuration
from regrade.workflow.hooks import attach
from regrade.workflow.inputs.cuts import CUT, IN_CHUNKS, CutInputs, CutJobs, Labellings
from regrade.workflow.inputs.effects import check_effects
from regrade.workflow.inputs.each import COLLECTION, Each, one_of, only, only_either
from regrade.workflow.inputs.grids import ON_REQUEST, GridInputs
from regrade.workflow.inputs.joined import TABLE, Joined
from regrade.workflow.inputs.page import (
    CAPTIONS,
    PUBLISHED,
    Page,
    answer_figure,
    drawn_alike,
    published_table,
    published_tables,
    item_rules,
)
from regrade.workflow.inputs.paths import Paths, Places
from regrade.workflow.inputs.sets import SetInputs, read_alike
from regrade.workflow.inputs.sweeps import SweepJobs, of_all_parts, of_part
from regrade.workflow.inputs.tables import TOGETHER
from regrade.workflow.messages import check_targets, is_unmade
from regrade.workflow.project import PROJECT, lend_library
from regrade.workflow.resources import OF_ALPHA, OF_TEXT, memory
from regrade.workflow.sets import KINDS
from regrade.workflow.sources import source_hash
from regrade.workflow.stage_rules import job_rules, numbered, set_alike
from regrade.workflow.targets import BASE, stage_targets, targets_of_command

# files that failed jobs left unmade, and what these said: `regrade run` makes a page of the others
UNMADE = config.pop("unmade", {"files": [], "said": []})

# how many files of runs a collection has: said to jobs on a machine where they are not
RUN_COUNTS = {name: int(count) for name, count in config.pop("run_counts", {}).items()}


def refuse(error):
    """Say what is wrong with what a user has written, and end."""
    if Quietness.ALL in (workflow.output_settings.quiet or ()):
        print(error, file=sys.stderr)  # --quiet all would leave it out
    raise WorkflowError(str(error))


# Where a user's file lies makes no job again, nor when it was written: each job that reads one has
# the hash of its name and content as a parameter.  Of a file from a cache Snakemake keeps the name
# that it has elsewhere, here its last part.  What the rules of a host make is looked at as usual; so
# is every file where a call has ended without what it should have made.
IS_TIME_NOTHING = workflow.modifier.is_main_snakefile() and not is_unmade()


def user_file(path):
    """An input that the user wrote, or one that comes with the project."""
    if any(map(Path(path).is_relative_to, (PUBLISHED, CAPTIONS))):
        return local(path)
    named = sourcecache_entry(local(path), Path(path).name)
    return ancient(named) if IS_TIME_NOTHING else named


# others may have this as a module, or include it
IS_MAIN = workflow.modifier.is_main_snakefile() and Path(workflow.main_snakefile).is_relative_to(
    PROJECT
)

try:
    # what --config says is the user's choice as well as what a file says
    files = [*map(read_configuration, workflow.configfiles), workflow.config_settings.config]
    check_chosen(files, config.get("collection"))
    CONFIG = complete(config)
    # Snakemake tells the targets later; those of a host are its own
    targets = targets_of_command(sys.argv[1:]) if IS_MAIN else []
    names = chosen_collections(CONFIG, targets, read_configuration(BASE)["collections"])
    COLLECTIONS = {
        name: read_collection(name, CONFIG, user_file, RUN_COUNTS.get(name)) for name in names
    }
    check_effects(COLLECTIONS)
    for collection in COLLECTIONS.values() if not RUN_COUNTS else ():
        check_files(collection)
    # of a target that nothing makes Snakemake does not say what to do
    check_targets(COLLECTIONS, targets)
except RegradeError as error:
    refuse(error)

# a job on another machine is not told the targets, which may have named collections; nor may it have
# the user's files
OF_JOBS = {"collection": [*COLLECTIONS]} if targets else {}
if workflow.modifier.is_main_snakefile() and not RUN_COUNTS:
    OF_JOBS["run_counts"] = {name: one.systems for name, one in COLLECTIONS.items()}
if OF_JOBS:
    workflow.config_settings.config_args = {**workflow.config_settings.config, **OF_JOBS}


attach(workflow)

# jobs that are processes of their own read this too
if workflow.is_main_process:
    for collection in COLLECTIONS.values():
        for grid in collection.options["grids"]:
            print(f"grid {collection.name}/{grid.path}: {grid.counted}", file=sys.stderr)

PATHS = {name: Paths(one) for name, one in COLLECTIONS.items()}
SETS = Each({name: SetInputs(own) for name, own in PATHS.items()})
CUTS = {
    name: {one.name: CutInputs(own, one) for one in COLLECTIONS[name].transformations.values()}
    for name, own in PATHS.items()
}
OF_CUTS = CutJobs(CUTS)
LABELLINGS = Each({name: Labellings(own) for name, own in CUTS.items()})
PAGES = {name: Page(own, CUTS[name], UNMADE["files"]) for name, own in PATHS.items()}
PAGE = Each(PAGES)
WITH_RUNS = [name for name, one in COLLECTIONS.items() if one.has_runs]
WITHOUT_RUNS = [name for name in COLLECTIONS if name not in WITH_RUNS]
# runs that several collections read alike are read once, by a job that makes the tables of all
try:
    SHARED_RUNS = read_alike(COLLECTIONS[name] for name in WITH_RUNS)
except RegradeError:  # a machine without the runs, which reads none
    SHARED_RUNS = []

BELOW = Places()
RESULTS = BELOW.results
CODED_RUNS = BELOW.coded_runs
QRELS, JUDGMENTS, PREFERENCES = (BELOW.table_of(kind, "{name}") for kind in KINDS)
CODED_QRELS = BELOW.coded("{name}")
SCORES = BELOW.scores("{name}")

# an environment that Snakemake makes (--sdm conda) has the dependencies, but not a clone's library
if workflow.deployment_settings.deployment_method:
    lend_library()


def log_of(*parts):
    return f"{RESULTS}/logs/{'/'.join(parts)}.log"


def rule_name(*parts):
    """The name of a rule that is made in a loop."""
    return re.sub(r"\W", "_", "_".join(parts))


def rule_of(job, number):
    """The name of a rule of a job, for which all holds that is set of the job's first one."""
    name = numbered(job, number)
    if number > 1:
        set_alike(workflow, job, name)
    return name


def option(*keys, of=None):
    """A function of wildcards: an option of a collection, or theirs, by the keys that lead to it."""

    def chosen(wildcards):
        held = COLLECTIONS[of or wildcards.collection].options
        for key in keys:
            held = held[key]
        return held

    return chosen


def made_from(kind, *sources):
    """The sets of a kind, of each collection, that come from one of these sources."""
    return {name: SetInputs(own).made_from(kind, *sources) for name, own in PATHS.items()}


def consensus_of(kind):
    """The qrels, of each collection, that are the consensus of sets of a kind."""
    return {name: SetInputs(own).consensus_of(kind) for name, own in PATHS.items()}


wildcard_constraints:
    collection=one_of(COLLECTIONS),
    name=one_of(
        dict.fromkeys(
            name for one in COLLECTIONS.values() for name in (*one.sets, *one.score_sets)
        )
    ),
