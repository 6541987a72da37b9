"""What values of the configuration refer to, and on which scale a set must be for it.

The schema says it of a key whose value is a name, a list of names or a mapping by names: ``names``,
one of `KINDS`, and where only some sets will do, ``scale``, one of `SCALES`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from regrade.choices import PAIR_METHODS
from regrade.cutsearch.stage import COMPLETED, set_of_reference
from regrade.errors import RegradeError
from regrade.measures import parse_all
from regrade.stages.declare import Stage
from regrade.stages.registry import stages
from regrade.workflow.config import is_of_type, resolved, schema
from regrade.workflow.grids import CALLED

PARTS = {"label_sweeps": "sweeps"}
"""Options of a collection that are a part of what a key of the configuration has → the key."""


@dataclass(frozen=True)
class Nameable:
    """What a key can name.

    Attributes
    ----------
    words
        As users say it; may speak of other keys of the item that the key is in, ``{set}``.
    known
        Which there are, of a collection and the item.
    check
        Refuses what is known and yet cannot be meant; is given the collection, the place, the
        names and the item.
    """

    words: str
    known: Callable[[object, Mapping], Iterable[str]] | None = None
    check: Callable | None = None


def _measures(collection, place: str, names: list[str], item: Mapping) -> tuple:
    """The measures, each of one set, that mean something under the item's qrels, if it has some.

    Those of scores by item are any names.
    """
    if item.get("scores") or any(name in collection.score_sets for name in _sets_of(item)):
        return ()
    measures = _parsed(collection, place, names)
    for measure in measures:
        if measure.sets:
            problem = (
                f"{measure} uses several label sets: list it under `measures` of the collection"
            )
            raise collection.error(place, problem)
        unfit = collection.unfit(item["qrels"], measure) if item.get("qrels") else ""
        if unfit:
            raise collection.error(place, f"{measure} {unfit}")
    return measures


def _sets_of(item: Mapping) -> list[str]:
    """The sets that a comparison or a comparison of judges names."""
    pairs = [name for pair in item.get("pairs") or () for name in pair]
    return [*pairs, item["reference"]] if isinstance(item.get("reference"), str) else pairs


def _measures_of_sets(collection, place: str, names: list[str], item: Mapping) -> None:
    for measure in _parsed(collection, place, names):
        for name in measure.sets:
            collection.check_known(place, "qrels", name, collection.qrels)


def _residual(collection, place: str, names: list[str], item: Mapping) -> None:
    (measure,) = _measures(collection, place, names, item)
    if measure.definition.residual is None:
        problem = f"{measure} has no residual: name one that has, such as RBP"
        raise collection.error(place, problem)


def _parsed(collection, place: str, names: list[str]) -> tuple:
    try:
        return parse_all(names)
    except RegradeError as error:
        raise collection.error(place, error) from error


def _of(key: str, words: str) -> Nameable:
    """What stands under a key of the collection, by its name."""
    return Nameable(words, lambda collection, item: getattr(collection, key))


def _items_of(stage: type[Stage]) -> Nameable:
    """What a collection asks of a declared stage, by its name."""
    return Nameable(stage.noun, lambda collection, item: collection.items[stage.key])


def _of_transformation(words: str, known: Callable) -> Nameable:
    """What the transformation has that the item names."""
    return Nameable(
        f"{words} of {{transformation}}",
        lambda collection, item: known(collection.transformations[item["transformation"]]),
    )


def _references(collection, item: Mapping) -> list[str]:
    sets = [*collection.qrels, *collection.judgments]
    return [*sets, *(f"{name}{COMPLETED}" for name in sets)]


OF_SETS = {
    "qrels": _of("qrels", "qrels"),
    "judgments": _of("judgments", "set of judgments"),
    "preferences": _of("preferences", "set of preferences"),
    "labels": Nameable(
        "set", lambda collection, item: {**collection.qrels, **collection.judgments}
    ),
    "references": Nameable("set", _references),
}
SCORES = {
    "scores": _of("score_sets", "set of scores"),
    "qrels or scores": Nameable(
        "qrels or set of scores",
        lambda collection, item: {**collection.qrels, **collection.score_sets},
    ),
    "labels or scores": Nameable(
        "set",
        lambda collection, item: {
            **collection.qrels,
            **collection.judgments,
            **collection.score_sets,
        },
    ),
}
KINDS = {
    **OF_SETS,
    **SCORES,
    "transformations": _of("transformations", "transformation"),
    **{stage.key: _items_of(stage) for stage in stages().values() if stage.noun},
    "own sets": Nameable("set under `sets`", lambda collection, item: item["sets"]),
    "own methods": Nameable(
        "method under `methods`", lambda collection, item: item["methods"] or PAIR_METHODS
    ),
    "searches": _of_transformation("search", lambda one: one.searches),
    "experts": _of_transformation("expert", lambda one: one.experts),
    "labels of references": _of_transformation(
        "reference", lambda one: [reference.label for reference in one.references]
    ),
    "references of magnitudes": Nameable(
        "reference of `magnitudes.{set}`",
        lambda collection, item: collection.items["magnitudes"][item["set"]]["references"],
    ),
    "measures": Nameable("measure", check=_measures),
    "measures of sets": Nameable("measure", check=_measures_of_sets),
    "measures with residuals": Nameable("measure", check=_residual),
}
"""What the schema's ``names`` may say."""

SCALES = {
    "graded": (lambda scale: 0 < scale.high < math.inf, "and a highest grade is needed"),
    "listed": (lambda scale: scale.finite, "and all of its values are needed"),
    "levels": (
        lambda scale: scale.finite and scale.is_levels(scale.levels),
        "and levels 0, 1, 2 and so on are needed",
    ),
}
"""What the schema's ``scale`` may say: which scales will do, and what is wrong with others."""


def check_names(collection) -> None:
    """Refuse names that nothing has, and sets on scales that will not do; studies aside."""
    for key, node in _keys().items():
        own = collection.options[key]
        if key in CALLED:
            node = resolved(resolved(node)["items"])
            for name, item in collection.items[key].items():
                written = {k: value for k, value in item.items() if k in node["properties"]}
                check_names_in(collection, f"{key}.{name}", written, node)
        elif key != "studies":
            check_names_in(collection, PARTS.get(key, key), own, node)


def check_names_in(collection, place: str, options: object, node: Mapping) -> None:
    """The same of one item, of which the schema says what `node` does."""
    item = options if isinstance(options, Mapping) else {}
    for where, key, names in _named(options, node, place):
        kind = KINDS[key["names"]]
        if kind.check:
            kind.check(collection, where, names, item)
        else:
            known = kind.known(collection, item)
            for name in names:
                collection.check_known(where, kind.words.format(**item), name, known)
        needed = key.get("scale")
        if needed and (collection.has_runs or needed != "graded"):  # grades are for systems
            for name in (name for name in names if name not in collection.score_sets):
                check_scale(collection, where, name, needed)


def check_scale(collection, place: str, name: str, needed: str) -> None:
    """Refuse a set whose scale is not as `needed`, one of `SCALES`."""
    serves, problem = SCALES[needed]
    scale = collection.scale(name)
    if not serves(scale):
        raise collection.error(place, f"{name} holds {scale}, {problem}: use another set")


def sets_named(key: str, options: object) -> set[str]:
    """The sets that what stands under a key of a collection names, or one item of it."""
    node = resolved(_keys()[key])
    if isinstance(options, Mapping):
        node = node.get("items", node)
    named = _named(options, node, key)
    return {
        set_of_reference(name)
        for _, below, names in named
        if below["names"] in {*OF_SETS, *SCORES, "references"}
        for name in names
    }


def _keys() -> Mapping[str, Mapping]:
    """What the schema says of each of a collection's options."""
    known = schema()["$defs"]["collection"]["properties"]
    return {**known, **{part: known[key] for part, key in PARTS.items()}}


def _named(value, node: Mapping, place: str) -> Iterator[tuple[str, Mapping, list[str]]]:
    """Each key that names something: its place, what the schema says of it, and the names."""
    node = resolved(node)
    if value is None:
        return
    if "names" in node:
        yield place, node, [value] if isinstance(value, str) else list(value)
    for option in node.get("oneOf", ()):
        if is_of_type(value, resolved(option)):
            yield from _named(value, option, place)
    if isinstance(value, Mapping):
        known, extra = node.get("properties", {}), node.get("additionalProperties") or {}
        # as the schema has them: what others are of comes first
        for key, below in known.items():
            yield from _named(value.get(key), below, f"{place}.{key}")
        for key in [key for key in value if extra and key not in known]:
            yield from _named(value[key], extra, f"{place}.{key}")
    elif isinstance(value, list) and "items" in node:
        for number, inner in enumerate(value):
            where = place if isinstance(inner, str) else f"{place}.{number}"
            yield from _named(inner, node["items"], where)
