"""What values of the configuration refer to: every key that names something refuses a stranger."""

import copy
import re
from collections.abc import Iterator, Mapping

import pytest

from regrade.stages.registry import stages
from regrade.studies.registry import STUDIES
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import ConfigError, complete, resolved, schema
from regrade.workflow.names import KINDS, SCALES
from tests.unit.configured_keys import EXAMPLES, SHIPPED, held_by

NOBODY = "nobody-has-this"


def naming(node, path=()) -> Iterator[tuple[tuple, Mapping]]:
    """Every place in the schema that says what a value names."""
    if isinstance(node, Mapping):
        if "names" in node and isinstance(node["names"], str):
            yield path, node
        for key, below in node.items():
            yield from naming(below, (*path, key))
    elif isinstance(node, list):
        for number, below in enumerate(node):
            yield from naming(below, (*path, number))


def test_the_schema_names_known_kinds_on_known_scales_and_uses_all_of_them():
    found = [node for _, node in naming(schema())]
    assert {node["names"] for node in found} == set(KINDS)
    assert {node["scale"] for node in found if "scale" in node} == set(SCALES)


def named_in(value, node, path=()) -> Iterator[tuple[tuple, tuple]]:
    """Every name that a configuration holds: where it is, and the key of the schema, by numbers."""
    node = resolved(node)
    if value is None:
        return
    for option in node.get("oneOf", ()):
        option = resolved(option)
        is_text = option.get("type") == "string"
        if isinstance(value, str) == is_text:
            yield from named_in(value, option, path)
    if "names" in node and isinstance(value, str):
        yield path, tuple("*" if isinstance(part, int) else part for part in path)
    elif isinstance(value, Mapping):
        for key in value:
            below = node.get("properties", {}).get(key, node.get("additionalProperties"))
            if isinstance(below, Mapping):
                yield from named_in(value[key], below, (*path, key))
    elif isinstance(value, list):
        inner = node.get("items", {})
        if "names" in node and all(isinstance(one, str) for one in value):
            inner = {"names": node["names"]}
        for number, one in enumerate(value):
            yield from named_in(one, inner, (*path, number))


def names() -> Iterator:
    """One name of each key, of the shipped configurations and the reference's examples."""
    seen = set()
    texts = [path.read_text(encoding="utf-8") for path in SHIPPED]
    for text in [*texts, *EXAMPLES]:
        config = held_by(text)
        for collection, options in config["collections"].items():
            for path, key in named_in(options, {"$ref": "#/$defs/collection"}):
                if key not in seen:
                    seen.add(key)
                    yield pytest.param(config, collection, path, id=".".join(key))


@pytest.mark.parametrize(("config", "collection", "path"), list(names()))
def test_a_name_that_nothing_has_is_refused_at_its_key(config, collection, path):
    spoilt = copy.deepcopy(config)
    node = spoilt["collections"][collection]
    for part in path[:-1]:
        node = node[part]
    node[path[-1]] = NOBODY
    with pytest.raises(ConfigError) as caught:
        read_collection(collection, complete(spoilt))
    said = str(caught.value)
    key = [part for part in path if isinstance(part, str)][-1]
    assert re.match(rf"config: collections\.{collection}\.{path[0]}\b", said)
    assert re.search(rf"\.{key}(\.\d+)*: ", said)
    assert f"'{NOBODY}'" in said
    assert "; there is " in said or "; did you mean " in said or "is not a measure" in said


def items() -> Iterator:
    """An item of each key that holds several, of the shipped configurations and the examples."""
    several = {one.key for one in stages().values() if one.called}
    for text in [*(path.read_text(encoding="utf-8") for path in SHIPPED), *EXAMPLES]:
        config = held_by(text)
        for collection, options in config["collections"].items():
            for key in sorted(several & {key for key, held in options.items() if held}):
                several.remove(key)
                yield pytest.param(config, collection, key, id=key)
    assert not several


@pytest.mark.parametrize(("config", "collection", "key"), list(items()))
def test_two_items_of_one_name_are_refused(config, collection, key):
    twice = copy.deepcopy(config)
    held = twice["collections"][collection]
    held[key].append(copy.deepcopy(held[key][0]))
    with pytest.raises(ConfigError, match=rf"\.{key}: two are called '.*': give one of them a `"):
        read_collection(collection, complete(twice))


NAMED = {"transformation", "set", "power", "pair", "judges", "sweep", "label_sweep", "ranking"}


def test_the_options_of_items_name_what_their_stages_have():
    for study in STUDIES.values():
        for item in study.items:
            for key in NAMED & item.options.keys():
                assert item.options[key]["names"] in KINDS, (study.name, item.name, key)
