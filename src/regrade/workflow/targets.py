"""What can be asked for: targets, tables, figures and labels of a collection, from the registries.

The same registries make the rules: `regrade.workflow.stages.STAGES` and the items of the studies.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr
from dataclasses import asdict, dataclass
from io import StringIO

from snakemake.utils import update_config

from regrade.catalogue import TABLES
from regrade.stages.registry import stages
from regrade.studies.registry import STUDIES
from regrade.workflow.chosen import check_chosen, chosen_collections
from regrade.workflow.collection import Collection
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import ConfigError, complete, read_configuration, resolved
from regrade.workflow.inputs.effects import check_effects
from regrade.workflow.inputs.grids import GridInputs
from regrade.workflow.inputs.paths import Paths
from regrade.workflow.inputs.tables import TOGETHER, stage_tables, tables_at
from regrade.workflow.places import located
from regrade.workflow.project import PROJECT
from regrade.workflow.sets import KINDS
from regrade.workflow.stages import STAGES

BASE = PROJECT / "config" / "config.yaml"
"""What every configuration extends, as in the Snakefile."""

TARGETS = {
    "all": "what the configuration asks for, and the page that shows it",
    "score": "the scores of all systems under all qrels",
    "cuts": "α of every cut, and the best cuts, of all transformations",
}
"""Names of rules that are there for every collection."""


_LABELS = "labels under chosen cuts, made when asked for (.qrels, and .json about them)"


def targets_of_command(arguments: Sequence[str]) -> list[str]:
    """The targets of a command line of Snakemake's; none where it is another program's."""
    from snakemake.cli import get_argument_parser

    try:
        with redirect_stderr(StringIO()):
            return sorted(get_argument_parser().parse_known_args(arguments)[0].targets)
    except SystemExit:
        return []


@dataclass(frozen=True)
class Target:
    """Something that can be asked for.

    Attributes
    ----------
    group
        What it is listed under.
    name
        The target: a rule's name, or a path.
    sentence
        What it is, in a line.
    """

    group: str
    name: str
    sentence: str


def targets_of(collection: Collection) -> Iterator[Target]:
    """Everything that can be made of a collection, group by group."""
    paths = Paths(collection)
    for name, sentence in TARGETS.items():
        yield Target("targets", name, sentence)
    for name, keys in stage_targets().items():
        if name not in TARGETS and any(
            stages()[key].is_requested(collection.options) for key in keys
        ):
            yield Target("targets", name, _described(keys[0]))
    for name in collection.studies:
        yield Target("targets", name, STUDIES[name].title)
    yield Target("files", paths.below("report.html"), "the page that shows everything")
    yield Target("files", paths.below("audit", "summary.csv"), "what the import found")
    if collection.has_runs:
        yield Target("files", paths.below("tables", "runs.parquet"), "the runs, as a table")
    for kind in KINDS:
        for name in collection.options[kind]:
            yield Target("files", paths.set(name), f"{kind} {name}, as a table")
    for name in collection.score_sets:
        yield Target("files", paths.item_scores(name), f"scores {name}, as a table")
    for name in collection.qrels if collection.has_runs else ():
        scores = paths.below("scores", f"{name}.parquet")
        yield Target("files", scores, f"scores under {name}, by topic")
        sentence = f"systems by their mean score under {name}"
        yield Target("files", paths.below("scores", f"{name}.systems.csv"), sentence)
    for requested in collection.requested_items:
        for ending in requested.item.endings:
            yield Target(
                requested.study.name, paths.below(requested.path(ending)), requested.item.title
            )
    for table, path in stage_tables(paths):
        name_in_messages = STAGES[TABLES[table].stage].name_in_messages
        yield Target(f"tables of {name_in_messages}", path, TABLES[table].sentence)
    grids = GridInputs(paths)
    if grids.grids:
        yield Target("targets", "grids", "the tables of all items of each grid as one")
    for name, tables in grids.tables.items():
        for table in tables:
            sentence = f"{grids.grids[name].counted}: {TABLES[table].sentence}"
            yield Target("grids", grids.path(name, table), sentence)
    for one in collection.transformations.values():
        for labelling in one.labellings:
            path = paths.below("labels", one.name, f"{labelling}.qrels")
            yield Target("labels", path, _LABELS)


def further_items(collection: Collection) -> dict[str, list[str]]:
    """The tables and figures of each study that the configuration could ask for, and does not."""
    studies = collection.options["studies"]
    return {
        name: [item.name for item in study.items if item.name not in studies.get(name, {})]
        for name, study in STUDIES.items()
    }


def stage_targets() -> dict[str, list[str]]:
    """Rule → the keys all of whose tables it makes."""
    targets: dict[str, list[str]] = {}
    for stage in stages().values():
        targets.setdefault(stage.target or stage.key, []).append(stage.key)
    return targets


def _described(key: str) -> str:
    """What a key is for, in the first sentence that is said of it."""
    stage = stages()[key]
    node = stage.property() if stage.has_key else {}
    described = stage.about or resolved(node).get("description") or " ".join(stage.__doc__.split())
    return re.split(r"(?<=[.?]) (?=[A-Z])|; absent", described)[0].rstrip(".")


def of_several(collections: Sequence[Collection]) -> Iterator[Target]:
    """What is made of several collections together."""
    group = "all collections"
    yield Target(group, TOGETHER.below("report.html"), "the page over the answers of all")
    tables = {key: None for one in collections for key, _ in tables_at(Paths(one))}
    for key in tables:
        sentence = f"of all, with a column `collection`: {TABLES[key].sentence}"
        yield Target(group, TOGETHER.below(f"{key}.parquet"), sentence)


def as_data(collections: Sequence[Collection]) -> dict[str, object]:
    """All of it as plain data."""
    targets = [target for one in collections for target in targets_of(one)]
    targets += of_several(collections) if len(collections) > 1 else ()
    left_out: dict[str, list[str]] = {}
    for one in collections:
        for study, items in further_items(one).items():
            left_out[study] = [i for i in left_out.get(study, items) if i in items]
    return {
        "collections": [one.name for one in collections],
        "targets": list(map(asdict, dict.fromkeys(targets))),
        "not asked for": {name: items for name, items in left_out.items() if items},
    }


def main(arguments: list[str]) -> None:
    """Print what a configuration's collections can be asked for, as JSON."""
    try:
        config, *files = map(read_configuration, [BASE, *arguments])
        base = copy.deepcopy(config)
        for held in files:
            update_config(config, held)
        check_chosen([base, *files], config["collection"])
        config = complete(config)
        names = chosen_collections(config, shipped=base["collections"])
        collections = {name: read_collection(name, config) for name in names}
        check_effects(collections)
        print(json.dumps(as_data([*collections.values()])))
    except ConfigError as error:
        problems = str(error).splitlines()
        raise SystemExit(
            "\n".join(located(problems, *arguments) if arguments else problems)
        ) from None
