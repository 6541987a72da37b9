"""What can be asked for: targets, tables, figures and labels of a collection, from the registries.

The same registries make the rules: `workflow.stages.STAGES` and the items of the studies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from snakemake.utils import update_config

from regrade.studies.registry import STUDIES
from workflow.collection import Collection
from workflow.config import ConfigError, complete, read_configuration, resolved, schema
from workflow.sets import KINDS
from workflow.stages import STAGES, Stage

BASE = Path(__file__).parents[1] / "config" / "config.yaml"
"""What every configuration extends, as in the Snakefile."""

TARGETS = {
    "all": "everything that the configuration asks for, and the page that shows it",
    "score": "the scores of all systems under all qrels",
    "cuts": "α of every cut, and the best cuts, of all transformations",
}
"""Names of rules that are there for every collection."""

OF_KEYS = {
    "trust": "trust",
    "per_judge": "per_judge",
    "magnitudes": "magnitudes",
    "power": "power",
    "pair_tasks": "pair_tasks",
    "pairs": "pairs",
    "pair_budgets": "pair_budgets",
    "compare": "compared",
    "criteria": "criteria",
    "judges": "judges",
}
"""Key of a collection → the rule that makes all it asks for."""

_LABELS = "labels under chosen cuts, made when asked for (.qrels, and .json about them)"


@dataclass(frozen=True)
class Target:
    """Something that can be asked for.

    Attributes
    ----------
    group
        What it is listed under.
    name
        The target: a rule's name, or a path.
    said
        What it is, in a line.
    """

    group: str
    name: str
    said: str


def targets_of(collection: Collection) -> Iterator[Target]:
    """Everything that can be made of a collection, group by group."""
    results = f"results/{collection.name}"
    for name, said in TARGETS.items():
        yield Target("targets", name, said)
    for key, name in OF_KEYS.items():
        if collection.options[key]:
            yield Target("targets", name, _described(key))
    for name in collection.studies:
        yield Target("targets", name, STUDIES[name].title)
    yield Target("files", f"{results}/report.html", "the page that shows everything")
    yield Target("files", f"{results}/audit/summary.csv", "what the import found")
    if collection.has_runs:
        yield Target("files", f"{results}/tables/runs.parquet", "the runs, as a table")
    for kind in KINDS:
        for name in collection.options[kind]:
            path = f"{results}/tables/{kind}/{name}.parquet"
            yield Target("files", path, f"{kind} {name}, as a table")
    for name in collection.qrels if collection.has_runs else ():
        yield Target("files", f"{results}/scores/{name}.parquet", f"scores under {name}, by topic")
        said = f"systems by their mean score under {name}"
        yield Target("files", f"{results}/scores/{name}.systems.csv", said)
    for shown in collection.shown:
        kind = "tables" if shown.item.is_table else "figures"
        path = f"{results}/{kind}/{shown.study.name}/{shown.item.name}"
        for ending in shown.item.endings:
            yield Target(f"{shown.study.name}", f"{path}{ending}", shown.item.title)
    for stage in STAGES.values():
        if stage.asked(collection.options) and not (stage.where_runs and not collection.has_runs):
            for path in dict.fromkeys(_paths(collection, stage)):
                name = f"{results}/{path}.parquet"
                yield Target(f"tables of `{stage.key}`", name, _described(stage.key))
    for one in collection.transformations.values():
        for labelling in one.labellings:
            yield Target("labels", f"{results}/labels/{one.name}/{labelling}.qrels", _LABELS)


def not_asked(collection: Collection) -> dict[str, list[str]]:
    """The tables and figures of each study that the configuration could ask for, and does not."""
    asked = collection.options["studies"]
    return {
        name: [item.name for item in study.items if item.name not in asked.get(name, {})]
        for name, study in STUDIES.items()
    }


def _described(key: str) -> str:
    """The first sentence of what the configuration's schema says of a key."""
    described = resolved(schema()["$defs"]["collection"]["properties"][key])["description"]
    return re.split(r"(?<=[.?]) |; absent", described)[0].rstrip(".")


def _paths(collection: Collection, stage: Stage) -> Iterator[str]:
    """The tables of a stage, below the collection's results."""
    for table in stage.makes:
        folder, _, name = table.partition("/")
        if folder == "rankings":
            yield from (f"rankings/{one}" for one in collection.transformations)
        elif folder == "cuts":
            for one in _cut(collection, stage.key):
                yield from _of_cuts(collection.transformations[one], name)
        elif stage.key == "leave_one_out":
            asked = collection.options["leave_one_out"]
            yield from (f"{folder}/{item['name']}/{name}" for item in asked)
        else:
            named = getattr(collection, stage.key, None)
            if isinstance(named, Mapping):
                made = (one for one, asked in named.items() if _serves(collection, stage, asked))
                yield from (f"{folder}/{one}/{name}" for one in made)
            else:
                yield table


def _cut(collection: Collection, key: str) -> list[str]:
    """The transformations that a key is about."""
    if key == "transformations":
        return list(collection.transformations)
    return [item["transformation"] for item in collection.options[key]]


def _of_cuts(transformation, table: str) -> Iterator[str]:
    folder = f"cuts/{transformation.name}"
    of_each = {
        "alpha": list(transformation.searches),
        "tau": [f"tau@{expert}" for expert in transformation.experts],
    }
    if table in of_each:
        yield from (f"{folder}/{search}/{table}" for search in of_each[table])
    else:
        yield f"{folder}/{table}"


def _serves(collection: Collection, stage: Stage, asked: Mapping) -> bool:
    """Whether what one item asks for is enough for a stage of its key."""
    makes = {table.partition("/")[2] for table in stage.makes}
    needs_labels = {"levels", "systems", "documents", "partition_systems"} & makes
    if stage.key == "magnitudes" and "units" not in makes and needs_labels:
        return bool(asked["references"])
    if stage.key == "pairs" and "partition_topics" in makes:
        return asked["partitions"] is not None
    if stage.key == "pairs" and needs_labels:
        has_partitions = "partition_systems" not in makes or asked["partitions"] is not None
        return bool(asked["references"]) and has_partitions
    return True


def told(collection: Collection) -> dict[str, object]:
    """All of it as plain data."""
    return {
        "collection": collection.name,
        "targets": list(map(asdict, targets_of(collection))),
        "not asked for": {name: items for name, items in not_asked(collection).items() if items},
    }


def main(arguments: list[str]) -> None:
    """Print what a configuration's collection can be asked for, as JSON."""
    try:
        config = read_configuration(BASE)
        for path in arguments:
            update_config(config, read_configuration(path))
        config = complete(config)
        print(json.dumps(told(Collection(config["collection"], config)), ensure_ascii=False))
    except ConfigError as error:
        raise SystemExit(str(error)) from None
