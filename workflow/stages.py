"""Checks of the stages of yang2019: what they need, and what their tables and figures need."""

from __future__ import annotations

from collections.abc import Mapping

from regrade.choices import FUSION_METHODS
from regrade.errors import RegradeError
from regrade.measures import parse_all
from regrade.pools.ways import Pooling

SHOWS = {
    "table-3.2": "ties",
    "table-3.3": "ties",
    "table-3.4": "ties",
    "figure-3.4": "ties",
    "figure-3.6": "ties",
    "figure-3.7": "ties",
    "figure-3.8": "ties",
    "figure-3.9": "ties",
    "figure-3.10": "ties",
    "figure-3.11": "ties",
    "table-4.1": "pools",
    "table-4.2": "residuals",
    "table-4.3": "pools",
    "table-4.4": "pools",
    "table-4.5": "discrimination",
    "table-4.6": "discrimination",
    "table-4.7": "pools",
    "table-4.8": "pools",
    "table-4.9": "ancova",
    "figure-4.1": "residuals",
    "figure-4.2": "residuals",
    "figure-4.3": "residuals",
    "figure-4.5": "pools",
    "figure-4.6": "pools",
    "figure-4.7": "discrimination",
    "figure-4.8": "pools",
    "table-ranges": "ranges",
    "figure-ranges": "ranges",
    "table-leave-one-out": "leave_one_out",
    "figure-leave-one-out": "leave_one_out",
    "figure-power": "discrimination",
    "table-ancova": "ancova",
    "figure-ancova": "ancova",
}
"""The stage that makes what a table or figure of yang2019 shows."""

SCORED = ("ties", "pools", "residuals", "ranges")
MEASURE_LISTS = ("measures", "ranges", "nearest")


def check_stages(collection) -> None:
    """Refuse stages that lack what they need, and items whose stage is not asked for.

    Parameters
    ----------
    collection
        A `workflow.collection.Collection`.

    Raises
    ------
    ConfigError
        Naming the key and what to do.
    """
    options = collection.options
    asked = [name for name in sorted(set(SHOWS.values())) if options[name] not in (None, [])]
    if asked and not collection.has_runs:
        raise collection.error(asked[0], "scores systems, and the collection has no `runs`")
    for name in SCORED:
        if options[name]:
            _check_scored(collection, name, options[name])
    for name in ("discrimination", "ancova", "leave_one_out"):
        if options[name] not in (None, []) and not options["pools"]:
            raise collection.error(name, "works on pools: ask for `pools` too")
    if options["pools"]:
        _check_pools(collection, options["pools"])
    _check_names(collection, options["leave_one_out"])
    for item in options["leave_one_out"]:
        _check_left_out(collection, item)
    for item, shown in collection.study("yang2019").items():
        stage = SHOWS[item]
        if options[stage] in (None, []):
            raise collection.error(f"studies.yang2019.{item}", f"shows `{stage}`: ask for it too")
        if stage == "ties":
            _check_shown(collection, item, shown, options["ties"])


def _check_scored(collection, name: str, stage: Mapping) -> None:
    collection.check_known(f"{name}.qrels", "qrels", stage["qrels"], collection.qrels)
    for key in MEASURE_LISTS:
        if key in stage:
            _parsed(collection, f"{name}.{key}", stage[key])
    if "residual" in stage:
        _check_residual(collection, f"{name}.residual", stage["residual"])


def _check_residual(collection, place: str, name: str) -> None:
    (measure,) = _parsed(collection, place, [name])
    if measure.definition.residual is None:
        raise collection.error(place, f"{name} has no residual: name one that has, such as RBP")


def _parsed(collection, place: str, names: list[str]) -> tuple:
    try:
        return parse_all(names)
    except RegradeError as error:
        raise collection.error(place, error) from error


def _check_pools(collection, pools: Mapping) -> None:
    if pools["baseline"] not in pools["depths"]:
        problem = f"{pools['baseline']} is none of `depths`: add it there"
        raise collection.error("pools.baseline", problem)
    (residual,) = parse_all([pools["residual"]])
    if residual not in parse_all(pools["measures"]):
        problem = f"{residual} is none of `pools.measures`: add it there"
        raise collection.error("pools.residual", problem)
    for number, pooling in enumerate(pools["fused"]):
        _check_pooling(collection, f"pools.fused.{number}", pooling)


def _check_pooling(collection, place: str, options: Mapping) -> None:
    collection.check_known(place, "way to pool", options["method"], ["Depth", *FUSION_METHODS])
    try:
        Pooling(**options)
    except RegradeError as error:
        raise collection.error(place, error) from error


def _check_names(collection, left_out: list[Mapping]) -> None:
    names = [item["name"] for item in left_out]
    for name in names:
        if names.count(name) > 1:
            problem = f"two are called '{name}': give each a `name` of its own"
            raise collection.error("leave_one_out", problem)


def _check_left_out(collection, item: Mapping) -> None:
    place = f"leave_one_out.{item['name']}"
    _parsed(collection, f"{place}.measures", item["measures"])
    _check_pooling(collection, f"{place}.pooling", item["pooling"])
    needs = {"run": (), "group": ("groups",), "origins": ("groups", "pool_origins")}
    for key in needs[item["by"]]:
        if collection.options[key] is None:
            raise collection.error(place, f"needs the file that `{key}` names")


def _check_shown(collection, item: str, shown: Mapping, ties: Mapping) -> None:
    place = f"studies.yang2019.{item}"
    for rho in shown.get("rho", ()):
        collection.check_known(f"{place}.rho", "ρ under `ties`", rho, ties["rho"])
    if "measure" in shown:
        key = "measures" if "rho" in shown else "ranges"
        collection.check_known(
            f"{place}.measure", f"measure under `ties.{key}`", shown["measure"], ties[key]
        )
