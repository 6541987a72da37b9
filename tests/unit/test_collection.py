"""The configuration: its schema, what it refuses and how it says so, and what it comes to."""

import ast
import copy
import dataclasses
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from regrade.scales import Scale
from regrade.simulation.answers import AnswerParameters
from regrade.simulation.collection import CollectionParameters, RunParameters
from regrade.simulation.crowds import CrowdParameters
from regrade.simulation.judgments import ExpertParameters
from regrade.simulation.pool import SimulationParameters
from regrade.stages.registry import stages
from regrade.studies.registry import STUDIES
from regrade.workflow import collection, sources
from regrade.workflow.chosen import check_chosen, chosen_collections
from regrade.workflow.collection import Collection
from regrade.workflow.collection_checks import check_files, read_collection
from regrade.workflow.config import (
    ConfigError,
    complete,
    read_configuration,
    resolved,
    schema,
)
from regrade.workflow.names import sets_named
from regrade.workflow.schemas import document
from regrade.workflow.sets import KINDS, reading, relevant_from, workers, written_scale
from regrade.workflow.sources import content_hash, source_hash
from regrade.workflow.stages import STAGES
from tests.unit.configured_keys import documented_keys, known_keys, shipped_keys

CLONE = Path(__file__).parents[2]
SHIPPED = sorted((CLONE / "config").glob("*.yaml"))

ITEMS = {study.name: {item.name for item in study.items} for study in STUDIES.values()}

# no default: absent means something that no value says, or that only one of several can be given
OPTIONAL = {
    *(
        f"{kind}.{key}"
        for kind in KINDS
        for key in ("file", "simulate", "from", "unit", "levels", "values", "range")
    ),
    "runs.simulate",
    "runs.simulate_over",
    "qrels.relevant_from",
    "qrels.labels",
    "qrels.method",
    "qrels.consensus",
    "grid.name",
    *(f"{stage.defined}.name" for stage in stages().values() if stage.called),
    *(f"panel.{key}" for key in ("reference", "file", "levels")),
    *(f"estimates.{key}" for key in ("file", "levels", "qrels", "budget")),
}


def own(**parts) -> dict:
    """A small configuration with two qrels and three judgment sets, and `parts` over it."""
    collection = {
        "runs": {"simulate": {}},
        "qrels": {"TR2": {"levels": 2}, "So4": {"simulate": {}, "levels": 4}},
        "judgments": {
            "S100": {"simulate": {}, "levels": 101},
            "S4": {"simulate": {}, "levels": 4},
            "S2": {"file": "{data}/votes.tsv", "unit": None, "levels": 2},
        },
    }
    return {"collection": "own", "collections": {"own": {**collection, **parts}}}


def built(config: dict) -> Collection:
    """The collection of a configuration."""
    config = complete(config)
    return read_collection(config["collection"], config)


def transformed(**options) -> collection.Transformation:
    """The one transformation of a collection, from S100 into 2 levels where not said otherwise."""
    options = {"source": "S100", "levels": 2, **options}
    (transformation,) = built(own(transformations=[options])).transformations.values()
    return transformation


def refusal(config: dict) -> str:
    """What is said about a configuration that cannot be used."""
    with pytest.raises(ConfigError) as caught:
        built(config)
    return str(caught.value)


def replaced(config: dict, path: str, value) -> dict:
    """The configuration with another value at a dotted path, whose parts but the last exist."""
    config = copy.deepcopy(config)
    *parents, last = path.split(".")
    node = config
    for part in parents:
        node = node[int(part) if isinstance(node, list) else part]
    node[last] = value
    return config


# --- the schema --------------------------------------------------------------------------------


def properties(node: dict, name: str = ""):
    """Every property of the schema: its nearest mapping, its name, itself, whether required."""
    for key, below in node.get("properties", {}).items():
        yield name, key, below, key in node.get("required", ())
        if "$ref" not in below:
            yield from properties(below, key)
            items = below.get("items", {})
            for inner in [*below.get("oneOf", ()), items, *items.get("oneOf", ())]:
                yield from properties(inner, key)


def all_properties():
    yield from properties(schema())
    for name, node in schema()["$defs"].items():
        for alternative in (node, *node.get("oneOf", ())):
            yield from properties(alternative, name)


def test_the_schema_is_walked_whole():
    def count(node) -> int:
        if not isinstance(node, dict):
            return sum(map(count, node)) if isinstance(node, list) else 0
        own_count = len(node["properties"]) if isinstance(node.get("properties"), dict) else 0
        return own_count + sum(map(count, node.values()))

    assert len(list(all_properties())) == count(schema()) > 90


def test_every_key_has_a_type_a_description_and_a_default():
    faults = []
    for place, key, node, required in all_properties():
        described = resolved(node)
        is_item = key in ITEMS.get(place, ())  # of a study, of which those are made that are given
        has_default = not (required or is_item or f"{place}.{key}" in OPTIONAL)
        if (
            len(described.get("description", "")) <= 8
            or not {"type", "enum", "oneOf"} & described.keys()
            or ("default" in described) != has_default
        ):
            faults.append(f"{place}.{key}")
    assert faults == []


def test_unknown_keys_are_refused_in_every_mapping_with_known_ones():
    def mappings(node):
        if isinstance(node, dict):
            if isinstance(node.get("properties"), dict):
                yield node
            for below in node.values():
                yield from mappings(below)
        elif isinstance(node, list):
            for below in node:
                yield from mappings(below)

    found = list(mappings(schema()))
    assert len(found) > 14
    for node in found:
        assert node["additionalProperties"] is False, node


def defaults(parameters) -> dict:
    """A parameter set's defaults as YAML would have them."""
    made = dataclasses.asdict(parameters())
    return {key: list(v) if isinstance(v, tuple) else v for key, v in made.items()}


@pytest.mark.parametrize(
    ("part", "parameters", "only_schema"),
    [
        ("simulated_collection", CollectionParameters, set()),
        # which sets is the workflow's business
        ("simulated_runs", RunParameters, {"qrels"}),
        ("experts", ExpertParameters, set()),
        ("crowd", CrowdParameters, set()),
        # which task is the workflow's business
        ("answers", AnswerParameters, {"task"}),
        # which qrels and topics is the workflow's business
        ("simulation", SimulationParameters, {"base", "topics"}),
    ],
)
def test_the_simulations_keys_and_defaults_are_the_librarys(part, parameters, only_schema):
    known = {key: resolved(node) for key, node in schema()["$defs"][part]["properties"].items()}
    assert only_schema <= known.keys()
    told = {key: node["default"] for key, node in known.items() if key not in only_schema}
    assert told.items() <= defaults(parameters).items()


def test_the_readme_has_the_reference_of_the_schema():
    text = document.README.read_text(encoding="utf-8")
    assert document.updated(text) == text, "run: python -m regrade.workflow.schemas.document"
    written = {path.name: path.read_text(encoding="utf-8") for path in document.KEYS.iterdir()}
    assert document.pages() == written, "run: python -m regrade.workflow.schemas.document"
    assert all("```yaml" in page for page in written.values())
    for page in document.LISTING:
        assert document.questions(page) == page.read_text(encoding="utf-8"), "run: the same"


def test_a_key_is_explained_wherever_it_stands(capsys):
    assert document.explained("pools.depths").startswith("pools.depths  (pools)\n  list of integer")
    assert document.explained("depths").count("\n\n") == 1
    document.main(["pair_tests.test"])
    assert 'tukey_hsd; by default "t"' in capsys.readouterr().out
    with pytest.raises(SystemExit, match="there is no key 'dephts'; did you mean 'depths'"):
        document.main(["dephts"])


def test_the_reference_names_every_key():
    rows = re.findall(r"^\| `([^`]*)` \|", "".join(document.pages().values()), re.MULTILINE)
    for _, key, _, _ in all_properties():
        assert any(f".{row}".endswith(f".{key}") for row in rows), key
    # of a mapping that stands elsewhere in the schema, in a list, or as an alternative
    assert {"magnitudes.shift", "values.by"} <= set(rows)


def examples():
    text = document.README.read_text(encoding="utf-8")
    return [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]


@pytest.mark.parametrize("config", examples(), ids=lambda config: config["collection"])
def test_the_readmes_examples_can_be_used(config):
    assert built(config).name == config["collection"]


def test_every_key_is_set_by_a_shipped_configuration_or_an_example():
    options = {
        f"{stage.key}.{name}"
        for stage in stages().values()
        for name, field in stage.fields.items()
        # a number, text or list with a default, whose page says what it is
        if not (field.is_input or field.is_measures)
    }
    options |= {f"{kind}.simulate.seed" for kind in KINDS}
    assert known_keys() - shipped_keys() - documented_keys() - options == set()


def test_the_readmes_example_of_references_has_the_searches_it_names():
    (config,) = [c for c in examples() if c["collection"] == "references"]
    searches = built(config).transformations["S100-to-4"].searches
    assert list(searches) == ["h1_ta", "d2_at@NIST", "d2_at@NIST_a", "d2_at@S4"]


# --- defaults ----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_shipped_configurations_can_be_used(path):
    config = complete(yaml.safe_load(path.read_text(encoding="utf-8")))
    for name in chosen_collections(config):
        collection = read_collection(name, config)
        assert collection.requested_items or collection.items["meta_analysis"]
        cut_for_sweeps_alone = collection.studies == ["sweeps"]
        shows_cuts = "han2019" in collection.studies or cut_for_sweeps_alone
        assert shows_cuts == bool(collection.transformations)


def test_completing_fills_in_every_default_and_keeps_what_is_given():
    given = own(
        tie_break="line",
        transformations=[{"source": "S100", "levels": 2, "aggregate": {"source": "mean"}}],
    )
    before = copy.deepcopy(given)
    config = complete(given)
    assert given == before, "the caller's configuration is left alone"
    assert config["data"] == "data"
    collection = config["collections"]["own"]
    assert collection["tie_break"] == "line"
    assert collection["score_precision"] == "float64"
    assert collection["runs"]["simulate"]["systems"] == 24
    assert collection["judgments"]["S100"]["simulate"]["workers"] == 1500
    assert collection["judgments"]["S2"]["where"] == {}
    assert collection["studies"]["han2019"] == {"published": False}
    (transformation,) = collection["transformations"]
    assert transformation["aggregate"] == {
        "source": "mean",
        "levels": None,  # by the target scale
    }
    assert complete(config) == config


def test_defaults_are_not_shared_between_collections():
    config = own()
    config["collections"]["other"] = {}
    filled = complete(config)["collections"]
    filled["own"]["preferences"]["P"] = {}
    assert "P" not in filled["other"]["preferences"]


def test_a_collection_may_lack_every_part():
    collection = built({"collection": "empty", "collections": {"empty": {}}})
    assert not collection.has_runs
    assert collection.transformations == {}
    assert collection.requested_items == []
    assert collection.notes == ""


# --- depths of pools ---------------------------------------------------------------------------


def depths(**pools) -> dict:
    """The depths of a collection with these pools, filled in."""
    left_out = [
        {"name": "runs", "by": "run"},
        {"name": "fused", "by": "run", "pooling": "RRF@9"},
    ]
    asked = own(pools={"qrels": "TR2", **pools}, ancova={}, leave_one_out=left_out)
    options = read_collection("own", complete(asked)).options
    keys = ("baseline", "depths", "votes")
    ancova = {"ancova depths": options["ancova"]["depths"]}
    followed, named = (item["pooling"] for item in options["leave_one_out"])
    assert named == "RRF@9"
    ancova["left out of"] = followed
    return {key: options["pools"][key] for key in keys} | ancova


def test_without_depths_pools_follow_what_is_judged():
    assert set(depths().values()) == {None}


def test_one_depth_gives_the_others():
    assert depths(baseline=50) == {
        "baseline": 50,
        "depths": [5, 10, 15, 20, 25, 50],
        "votes": [20, 50],
        "ancova depths": [5, 10, 15, 20, 25, 30, 35, 40, 45, 50],
        "left out of": "Depth@50",
    }


def test_depths_give_the_baseline():
    found = depths(depths=[3, 10, 7])
    assert (found["baseline"], found["votes"]) == (10, [4, 10])
    assert found["depths"] == [3, 10, 7]
    assert found["ancova depths"] == [*range(1, 11)]
    assert found["left out of"] == "Depth@10"


def test_what_is_given_stays():
    given = {"baseline": 7, "depths": [3, 7, 10], "votes": [5]}
    assert given.items() <= depths(**given).items()
    with pytest.raises(ConfigError, match="pools: pools to depth 1 have no shallower ones"):
        depths(baseline=1)
    with pytest.raises(ConfigError, match=r"pools\.baseline: 20 is not one of `depths`"):
        depths(baseline=20, depths=[3, 10])


# --- misspelled keys and wrong values ----------------------------------------------------------

FULL = own(
    runs={"simulate": {"systems": 6}},
    simulation={"seed": 2},
    transformations=[
        {"source": "S4", "levels": 2, "references": ["TR2"], "aggregate": {}},
        {"source": "S100", "levels": 2},
    ],
    ties={"qrels": "TR2"},
    pools={"qrels": "TR2", "fused": ["Borda@9"]},
    leave_one_out=[{"name": "runs", "by": "run"}],
    discrimination={},
    pair_tests={},
    ancova={"depths": [5, 10, 50]},
    expert_cuts=[{"source": "So4", "reference": "TR2", "pool": "S4"}],
    studies={
        "han2019": {
            "table-2": {},
            "table-3": {},
            "figure-1": {"transformation": "S4-to-2", "panels": ["h1_ta"]},
        },
        "yang2019": {"figure-3.6": {"rho": ["2"]}},
    },
)
OWN = "collections.own"


def test_the_configuration_that_the_next_tests_spoil_is_good():
    built(FULL)


@pytest.mark.parametrize(
    ("path", "key", "meant"),
    [
        ("", "dta", "data"),
        (f"{OWN}.runs.simulate", "system", "systems"),
        (f"{OWN}.transformations.0", "Metric", "metric"),
        (f"{OWN}.pools", "depth", "depths"),
        (f"{OWN}.studies.han2019", "figur-3", "figure-3"),
    ],
)
def test_a_misspelled_key_is_refused_with_its_place_and_the_nearest_one(path, key, meant):
    said = refusal(replaced(FULL, f"{path}.{key}".lstrip("."), 1))
    place = path or "the configuration"
    assert f"config: {place}: unknown key '{key}'; did you mean '{meant}'?" in said.splitlines()


def test_a_key_like_no_other_is_refused_with_the_known_ones():
    said = refusal(replaced(FULL, f"{OWN}.transformations.0.aggregate.zzz", 1))
    assert said.endswith("unknown key 'zzz'; there is source, levels")


def test_every_problem_is_told_on_its_own_line():
    config = replaced(FULL, f"{OWN}.tie_brake", "rank")
    config = replaced(config, f"{OWN}.simulation.seed", "one")
    said = refusal(config).splitlines()
    assert len(said) == 2
    assert f"config: {OWN}: unknown key 'tie_brake'; did you mean 'tie_break'?" in said
    assert f'config: {OWN}.simulation.seed: "one" is not of type integer' in said


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("collection", 2019, "2019 is not of type string or array: put it in quotes"),
        ("collections", [], "[] is not of type object"),
        (
            f"{OWN}.measures",
            "AP",
            '"AP" is not of type array or nothing (null): write a list, [AP]',
        ),
        (f"{OWN}.runs", 3, "3 is not of type nothing (null), string, array or object: put it in"),
        (f"{OWN}.qrels.So4.levels", "4", '"4" is not of type integer'),
        (f"{OWN}.qrels.So4.levels", 1, "1 is less than the minimum of 2"),
        (f"{OWN}.judgments.S100.levels", 10002, "10002 is greater than the maximum of 10001"),
        (
            f"{OWN}.transformations.0.metric",
            "ordnal",
            "there is no 'ordnal'; did you mean 'ordinal'?",
        ),
        (f"{OWN}.transformations.0.name", "a/b", "letters, digits and"),
        (f"{OWN}.tie_break", "docno", "there is no 'docno'; there is rank, trec_eval, line"),
        (f"{OWN}.measures", ["AP", "AP"], "has non-unique elements"),
        (f"{OWN}.topics", [], "[] should be non-empty"),
        (f"{OWN}.studies.han2019.figure-1", {"panels": ["h2"]}, "`transformation` must be given"),
        (f"{OWN}.ties", {}, "`qrels` must be given: the qrels to score with"),
        (f"{OWN}.pools.depths", [5], "[5] is too short"),
        (f"{OWN}.studies.yang2019.published", "TREC8", "did you mean 'TREC-8'?"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(path, value, problem):
    said = refusal(replaced(FULL, path, value)).splitlines()
    assert len(said) == 1
    assert said[0].startswith(f"config: {path}: ")
    assert problem in said[0]


@pytest.mark.parametrize(
    ("config", "place"),
    [
        (own(topics=[401]), f"{OWN}.topics.0"),
        (
            own(judgments={"S2": {"file": "f", "levels": 2, "where": {"run": [2, "3"]}}}),
            f"{OWN}.judgments.S2.where.run.0",
        ),
        (own(ties={"qrels": "TR2", "rho": [2]}), f"{OWN}.ties.rho.0"),
    ],
)
def test_numbers_that_are_names_want_quotes(config, place):
    said = refusal(config)
    assert re.fullmatch(
        rf"config: {re.escape(place)}: \d+ is not of type string: put it in quotes", said
    )


def test_names_that_cannot_stand_in_a_path_are_refused():
    said = refusal(own(judgments={"S/4": {"file": "f", "levels": 4}}))
    assert said.startswith(f"config: {OWN}.judgments: 'S/4' cannot be used here: ")
    assert "letters, digits and . + -" in said


def test_keys_that_must_be_given_are_named():
    assert refusal({}) == (
        "config: the configuration: `collection` and `collections` must be given"
    )
    said = refusal(own(preferences={"P": {"values": [-1, 1]}}))
    assert said == "config: collections.own.preferences.P: give one of `file` and `simulate`"


# --- parts that do not fit together ------------------------------------------------------------


def crowd(**options) -> dict:
    return own(transformations=[{"source": "S100", "levels": 2, **options}])


STUDY = "collections.own.studies.han2019"


def study(**items) -> dict:
    """A configuration with one transformation, S100-to-2 with the reference TR2, and a study."""
    transformations = [{"source": "S100", "levels": 2, "references": ["TR2"]}]
    return own(transformations=transformations, studies={"han2019": items})


REFUSED = {
    "collection": (
        {**own(), "collection": "onw"},
        "config: collection: there is no collection 'onw'; did you mean 'own'?",
    ),
    "scale of the reference": (
        crowd(references=["So4"]),
        "transformations.S100-to-2: reference 'So4' has 4 levels and the target scale has 2, 0 "
        "to 1: a reference must be on the target scale",
    ),
    "scale that cannot be cut": (
        crowd(source="S2"),
        "transformations.S2-to-2: a source scale has at least 3 levels, not 2",
    ),
    "grid of too many cuts": (
        crowd(levels=4, references=[], grid=300),
        "transformations.S100-to-4: grid is 300, which makes 4,455,100 cuts: at most 5,000 "
        "thresholds and 3,000,000 cuts are searched",
    ),
    "measure that cannot rank every cut": (
        own(transformations=[{"source": "S100", "levels": 4, "measure": "ERR@20"}]),
        "transformations.S100-to-4.measure: ERR@20: its scores do not follow from those of "
        "thresholds, and 161,700 cuts are too many to be scored one by one (at most 5,000): name "
        "one of DCG, nDCG, SDCG, RBP, INSQ, or of P, Success, R, ",
    ),
    "misspelled measure": (
        own(measures=["AP", "nDGC@10"]),
        "measures: 'nDGC@10': there is no measure nDGC; did you mean 'nDCG'?",
    ),
    "sets of one name": (
        own(qrels={"TR2": {"levels": 2}, "S4": {"simulate": {}, "levels": 4}}),
        "config: collections.own: S4 names sets of several kinds: rename one",
    ),
    "runs of nothing": (
        own(runs={}),
        "runs: give one of `simulate` and `simulate_over`",
    ),
    "runs from nothing and over labels": (
        own(runs={"simulate": {}, "simulate_over": {"qrels": ["TR2"]}}),
        "runs: give one of `simulate` and `simulate_over`",
    ),
    "runs over labels that need runs": (
        own(
            runs={"simulate_over": {"qrels": ["So4"]}},
            qrels={"TR2": {"file": "f", "levels": 2}, "So4": {"simulate": {}, "levels": 4}},
        ),
        "runs.simulate_over.qrels: So4 needs runs before it is there: name labels from a file",
    ),
    "simulation without runs": (
        own(runs=None, qrels={"TR2": {"file": "f", "levels": 2}}),
        "config: collections.own: judgments are simulated over the top of runs: name `runs`",
    ),
    "neither file nor simulated": (
        own(qrels={"TR2": {"levels": 2}, "So4": {"levels": 4}}),
        "qrels.So4: give one of `file`, `simulate`, `from` and `consensus`",
    ),
    "file and simulated": (
        own(judgments={"S4": {"levels": 4, "file": "f", "simulate": {}}}),
        "judgments.S4: give one of `file`, `simulate` and `from`",
    ),
    "base from a file although simulated": (
        own(qrels={"TR2": {"levels": 2, "file": "f"}}),
        "qrels.TR2: comes with the simulated runs: leave out file",
    ),
    "an option that a simulated set would ignore": (
        own(judgments={"S4": {"levels": 4, "simulate": {}, "where": {"a": "b"}}}),
        "judgments.S4.where: goes with `file` only: leave it out",
    ),
    "nothing relevant": (
        own(qrels={"TR2": {"levels": 2}, "S": {"file": "f", "levels": 3, "relevant_from": 3}}),
        "qrels.S.relevant_from: 3 is not on the scale of 3 levels: none of the integers 0 to 2",
    ),
    "pool of a crowd": (
        own(transformations=[{"source": "S4", "levels": 2, "pool": "S100"}]),
        "transformations.S4-to-2.pool: completes a qrels, and S4 is not a qrels: leave it out",
    ),
    "rankings without runs": (
        own(
            runs=None,
            qrels={},
            judgments={"S4": {"file": "f", "levels": 4}},
            transformations=[{"source": "S4", "levels": 2}],
            studies={"han2019": {"table-4": {}}},
        ),
        "studies.han2019.table-4: ranks systems, and the collection has no `runs`: leave it out",
    ),
}
"""What is wrong: a configuration, and what is said of it."""


@pytest.mark.parametrize(("config", "said"), REFUSED.values(), ids=REFUSED)
def test_parts_that_do_not_fit_together_are_refused(config, said):
    assert refusal(config).removeprefix("config: collections.own.").startswith(said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"source": "S3", "methods": ["h2"], "references": ["TR2"]}, "h2 compares unit by unit"),
        ({"source": "S3", "methods": ["h1_at"]}, "h1_at compares unit by unit"),
        ({"source": "So4", "methods": ["h1_ta"]}, "h1_ta needs several workers' judgments"),
        ({"source": "So4", "methods": ["d2_ta"], "references": ["TR2"]}, "d2_ta needs several"),
        ({"methods": ["tw1", "d2_at"]}, "d2_at compares with a reference: name one under"),
        ({"methods": ["h2"]}, "h2 compares with a reference: name one under"),
    ],
)
def test_a_method_that_its_data_cannot_serve_is_refused(options, said):
    config = own(transformations=[{"source": "S100", "levels": 2, **options}])
    config["collections"]["own"]["judgments"]["S3"] = {"file": "f", "unit": None, "levels": 3}
    assert said in refusal(config)


def test_a_folder_of_runs_is_refused(tmp_path):
    (tmp_path / "runs").mkdir()
    config = own(runs="{data}/runs", qrels={"TR2": {"file": "q", "levels": 2}})
    with pytest.raises(ConfigError, match=r"runs is a folder: name the files in it, .*/runs/\*$"):
        built({**config, "data": str(tmp_path)}).run_files  # noqa: B018


def test_a_file_that_is_not_there_is_named(tmp_path):
    several = {"one": "{data}/s-one", "other": "{data}/s-other"}
    config = own(
        runs="{data}/r",
        qrels={"TR2": {"file": "{data}/q", "levels": 2}},
        judgments={"S100": {"file": several, "unit": None, "levels": 101}},
        groups="{data}/g",
    )
    collection = built({**config, "data": str(tmp_path)})
    named = {"qrels.TR2": "q", "judgments.S100": "s-one", "": "s-other", "groups": "g"}
    for place, file in named.items():
        near = r"; did you mean 's-one'\?" if file == "s-other" else ":"
        said = rf"own\.{place}.*there is no file {tmp_path}/{file}{near} put it there"
        with pytest.raises(ConfigError, match=said):
            check_files(collection)
        (tmp_path / file).write_text("")
    with pytest.raises(ConfigError, match=r"own\.runs: no file matches"):
        check_files(collection)
    (tmp_path / "r").write_text("")
    check_files(built({**config, "data": str(tmp_path)}))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: {c: 1,\n  c: 2}\n", r"x\.yaml:3: key 'c' occurs twice, first in line 2"),
        ("a:\n- b: 1\n  b: 1\n", r"x\.yaml:3: key 'b' occurs twice"),
    ],
)
def test_a_key_twice_is_refused(tmp_path, text, said):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said):
        read_configuration(path)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: 1\nb: c: d\n", 2, "a text that holds `: ` goes in quotes"),
        ("a: x\n  b: 1\n", 2, "the line belongs to nothing above it"),
        ("a\nb: 1\n", 2, "or end the line above with `:`"),
        ("a:\n\tb: 1\n", 2, "a line begins with a tab: indent with blanks"),
        ("a:\n  b: 1\n c: 2\n", 3, "indented otherwise than those beside it"),
        ("a: 1\nb: [1,\n  2\nc: 3\n", 2, "a bracket is not closed by `]`"),
        ("a: {x: 1\nb: 3\n", 1, "not closed by `}`"),
        ('a: 1\nb: "x\nc: 3\n', 2, "a quote is opened and not closed"),
        ('a: "x" y\n', 1, "text goes on after a closing quote"),
        ("runs: *.gz\n", 1, 'a text that begins with * or & goes in quotes, as in "*.gz"'),
        ("a: @x\n", 1, "a text that begins with @ goes in quotes"),
        ('a: "C:\\data"\n', 1, "a backslash needs single quotes"),
        ("a: !x y\n", 1, "a text that begins with ! goes in quotes"),
        ("a: |x\n", 1, "a text that begins with | or > goes in quotes"),
        ("a: 1\nb\n", 2, "a key has no `:` after it: write `key: value`"),
        ("a: {b: 1}}\n", 1, "`}` closes a bracket that nothing has opened"),
        ("a: b\n- c\n", 2, "an item of a list stands beside keys"),
        ("a: - b\n", 1, "a list begins below its key"),
        ("a: {{x}}\n", 1, "a list or mapping cannot be a key"),
    ],
)
def test_what_is_no_yaml_is_told_with_what_to_type(tmp_path, text, line, said):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_configuration(path)
    first, shown = str(caught.value).split("\n")
    assert first.startswith(f"{path}:{line}: is not valid YAML: ") and said in first
    assert shown.strip() == text.splitlines()[line - 1].strip()


def test_a_character_that_no_yaml_holds_is_told(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: \x07\n")
    with pytest.raises(ConfigError, match="is not valid YAML: unacceptable character #x0007"):
        read_configuration(path)


DEMO = {"collection": "demo", "collections": {"demo": {}}}


@pytest.mark.parametrize(
    ("files", "chosen", "refused"),
    [
        ([DEMO], "demo", False),
        ([DEMO, {"collections": {"own": {}}}], "demo", True),
        ([DEMO, {"collections": {"own": {}}}], "own", False),  # --config collection=own
        ([DEMO, {"collections": {"own": {}}}, {"collection": "demo"}], "demo", False),
        ([DEMO, {"collections": {"own": {}}}, {"data": "x"}], "demo", True),
        ([{"collection": "own", "collections": {"own": {}}}, DEMO], "own", False),
        ([DEMO, {"collections": {"demo": {"title": "mine"}}}], "demo", False),
        ([DEMO, {"data": "x"}], "demo", False),
        ([DEMO, {"collections": None}], "demo", False),  # told by the schema
        ([{"collection": ["a", "b"], "collections": {"a": {}, "b": {}}}], ["a", "b"], False),
        ([{"collection": "d*", "collections": {"dl19": {}}}], "d*", False),
        ([{"collection": "all", "collections": {"own": {}}}], "all", False),
        (
            [{"collection": ["b*"], "collections": {"b": {}}}, {"collections": {"own": {}}}],
            ["b*"],
            True,
        ),
    ],
)
def test_the_demo_is_not_made_in_place_of_a_collection_that_nobody_chose(files, chosen, refused):
    if refused:
        with pytest.raises(ConfigError, match="name the collection to build: collection: own"):
            check_chosen(files, chosen)
    else:
        check_chosen(files, chosen)


def test_keys_of_several_mappings_and_merged_ones_may_be_equal(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("x: &x {a: 1}\ny: {<<: *x, a: 2}\nz: [{a: 1}, {a: 1}]\n")
    read_configuration(path)


def test_all_items_that_cannot_be_made_are_told_at_once():
    config = own(
        runs="r",
        qrels={"TR2": {"file": "q", "levels": 2}},
        studies={"yang2019": {"table-3.2": {}, "table-4.5": {}}, "sweeps": {"table-answer": {}}},
    )
    with pytest.raises(ConfigError) as caught:
        built(config)
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    for line, item in zip(lines, ("table-3.2", "table-4.5", "table-answer"), strict=True):
        assert line.startswith("config: collections.own.studies.") and item in line


def test_brackets_of_folders_and_files_are_no_pattern(tmp_path):
    folder = tmp_path / "data [v1]"
    (folder / "runs").mkdir(parents=True)
    names = ("a.run", "b[1].run", "c.txt")
    for name in names:
        (folder / "runs" / name).touch()

    def found(*runs):
        config = own(runs=list(runs), qrels={"TR2": {"file": "q", "levels": 2}})
        files = built({**config, "data": str(folder)}).run_files
        return [file.rpartition("/")[2] for file in files]

    assert found("{data}/runs/*") == list(names)
    assert found("{data}/runs/b[1].run") == found(f"{folder}/runs/b[1].run") == ["b[1].run"]
    assert found("{data}/runs/[ac].*") == ["a.run", "c.txt"]


def test_a_run_pattern_that_matches_nothing_is_refused(tmp_path):
    config = own(runs="{data}/runs/*.gz", qrels={"TR2": {"file": "q", "levels": 2}})
    collection = built({**config, "data": str(tmp_path)})
    with pytest.raises(ConfigError) as caught:
        collection.run_files  # noqa: B018
    assert str(caught.value) == (
        f"config: collections.own.runs: no file matches {tmp_path}/runs/*.gz; there is "
        f"no folder {tmp_path}/runs: put the files there, or give their location with "
        f"--data FOLDER "
        "(regrade run), --config data=FOLDER (snakemake)"
    )


@pytest.mark.parametrize("folder", ["{data}/", "/somewhere/else/"])
def test_where_data_are_is_an_option_of_paths_that_name_them_only(tmp_path, folder):
    (tmp_path / "q").write_text("")
    qrels = {"TR2": {"file": f"{tmp_path}/q", "levels": 2}}
    judged = {"S100": {"file": f"{tmp_path}/q", "unit": None, "levels": 101}}
    there = {"runs": f"{tmp_path}/q", "qrels": qrels, "judgments": judged}
    for missing in ({"runs": f"{folder}runs/*"}, {"groups": f"{folder}groups"}):
        collection = built({**own(**{**there, **missing}), "data": str(tmp_path)})
        with pytest.raises(ConfigError, match=r"there, or give (its|their) location") as caught:
            check_files(collection)
        said = str(caught.value)
        assert ("--data FOLDER" in said) == ("--config data=" in said) == ("{data}" in folder)


# --- what a configuration comes to -------------------------------------------------------------


def test_braces_in_a_path_are_refused_but_those_of_the_folder_one_is_in(tmp_path, monkeypatch):
    inside = tmp_path / "b{x}"
    (inside / "runs").mkdir(parents=True)
    (inside / "runs" / "one").touch()
    config = own(runs="{data}/runs/*", qrels={"TR2": {"file": "q", "levels": 2}})
    with pytest.raises(ConfigError, match=r"runs: .*/b\{x\}/runs/one: Snakemake takes \{x\} for"):
        built({**config, "data": str(inside)}).run_files  # noqa: B018
    monkeypatch.chdir(inside)
    assert built({**config, "data": str(inside)}).run_files == ["runs/one"]
    (inside / "runs" / "sys{y}.txt").touch()
    with pytest.raises(ConfigError, match=r"runs: runs/sys\{y\}.txt: Snakemake takes \{y\}"):
        built({**config, "data": str(inside)}).run_files  # noqa: B018


def test_memory_grows_with_pairs_of_systems(tmp_path):
    for run in range(1000):
        (tmp_path / f"{run}.run").touch()
    config = own(runs="{data}/*.run", qrels={"TR2": {"file": "q", "levels": 2}})
    held = built({**config, "data": str(tmp_path)})
    assert held.systems == 1000
    assert held.memory(2000, 2.5) == 2000 + 1249
    simulated = own(runs={"simulate": {"systems": 41}})
    assert built(simulated).memory(2000, 1.0) == 2000 + 1
    assert (
        built(own(runs=None, judgments={}, qrels={"TR2": {"levels": 2, "file": "q"}})).systems == 0
    )


def test_run_files_are_sorted_and_none_comes_twice(tmp_path):
    for name in ("b.gz", "a.gz", "c.txt"):
        (tmp_path / name).touch()
    config = own(
        runs=["{data}/*.txt", "{data}/*.gz", "{data}/a.*"],
        qrels={"TR2": {"file": "q", "levels": 2}},
    )
    collection = built({**config, "data": str(tmp_path)})
    assert collection.run_files == [str(tmp_path / name) for name in ("a.gz", "b.gz", "c.txt")]


def test_what_the_sets_cannot_serve_is_noted_with_the_reason():
    expert = transformed(source="So4", references=["TR2"])
    assert set(expert.unserved) == {"h1_ta", "h1_at", "tw1", "h2", "d2_ta"}
    assert expert.unserved["tw1"] == (
        "tw1 needs several workers' judgments, and So4 holds one label per document: use d2_at"
    )
    alone = transformed()
    assert set(alone.unserved) == {"h2", "d2_at", "d2_ta"}
    assert alone.unserved["h2"] == "h2 compares with a reference: name one under `references`"
    assert transformed(methods=["tw1"]).unserved == {}


def test_all_methods_that_the_data_can_serve_are_searched():
    every = transformed(references=["TR2_a", "S2"])
    assert list(every.searches) == [
        "h1_ta",
        "h1_at",
        "tw1",
        "h2@TR2_a",
        "h2@S2",
        "d2_at@TR2_a",
        "d2_at@S2",
        "d2_ta@TR2_a",
        "d2_ta@S2",
    ]
    assert list(transformed().searches) == ["h1_ta", "h1_at", "tw1"]
    assert list(transformed(source="So4", references=["TR2"]).searches) == ["d2_at@TR2"]
    assert list(transformed(methods=["d2_at", "tw1"], references=["TR2"]).searches) == [
        "tw1",
        "d2_at@TR2",
    ]


def test_sets_without_units_are_searched_by_the_other_methods():
    judgments = {"S100": {"file": "f", "levels": 101, "unit": None}}
    config = own(
        runs="*",
        qrels={"TR2": {"file": "f", "levels": 2}},
        judgments=judgments,
        transformations=[{"source": "S100", "levels": 2, "references": ["TR2"]}],
    )
    (transformation,) = built(config).transformations.values()
    assert list(transformation.searches) == ["tw1", "d2_at@TR2", "d2_ta@TR2"]


@pytest.mark.parametrize(
    ("options", "units"),
    [
        ({}, ["unit"]),
        ({"unit": "hit"}, ["hit"]),
        ({"unit": ["run", "unit"]}, ["run", "unit"]),
        ({"unit": None}, []),
        ({"format": "crowdsourcing-relevance-scales"}, ["unit_id"]),
        ({"format": "crowdsourcing-relevance-scales", "unit": None}, []),
    ],
)
def test_units_are_told_apart_by_the_named_columns_or_the_formats_own(options, units):
    collection = built(own(judgments={"S4": {"file": "f", "levels": 4, **options}}))
    assert collection.units("S4") == units


@pytest.mark.parametrize(
    ("label", "name", "unjudged"),
    [
        ("TR2", "TR2", "drop"),
        ("TR2_a", "TR2", "non-relevant"),
        ("S2_a", "S2", "non-relevant"),  # a crowd's may be completed too
    ],
)
def test_labels_of_references(label, name, unjudged):
    made = transformed(references=[label], methods=["d2_at"])
    assert list(made.searches) == [f"d2_at@{label}"]
    reference = made.searches[f"d2_at@{label}"].reference
    assert (reference.name, reference.unjudged, reference.label) == (name, unjudged, label)
    assert made.sets == {"S100", "TR2", "So4"} | {name}
    assert sets_named("transformations", [made.options]) == {"S100", name}


# --- sets --------------------------------------------------------------------------------------


def one_set(kind: str, **options) -> dict:
    """A configuration whose only set of a kind has these options."""
    return own(**{"runs": None, "qrels": {}, "judgments": {}, kind: {"X": options}})


@pytest.mark.parametrize(
    ("kind", "options", "scale"),
    [
        ("qrels", {"values": ["N", "M", "R", "H"]}, {"values": ["N", "M", "R", "H"]}),
        ("qrels", {"values": [1, 2, 3]}, {"values": [1, 2, 3]}),
        ("qrels", {"ratio": True}, {"ratio": True}),
        ("qrels", {"values": ["N", "R"], "relevant_from": "R"}, {"levels": 2}),
        (
            "judgments",
            {"values": {"from": 0, "to": 1, "by": 0.25}},
            {"values": [0, 0.25, 0.5, 0.75, 1]},
        ),
        ("judgments", {"range": [0, 1]}, {"range": [0, 1]}),
    ],
)
def test_a_set_is_on_one_of_many_scales(kind, options, scale):
    collection = built(one_set(kind, file="f", **options))
    assert collection.scale("X") == Scale.of(scale)
    written = {key: options[key] for key in options if key != "relevant_from"}
    assert written_scale(collection.options[kind]["X"]) == written


@pytest.mark.parametrize(
    ("config", "place", "problem"),
    [
        (
            one_set("qrels", file="f"),
            "qrels.X",
            "a set has exactly one of levels, values, range, ratio: it has none",
        ),
        (
            one_set("qrels", file="f", levels=4, range=[0, 1]),
            "qrels.X",
            "a set has exactly one of levels, values, range, ratio: not levels and range",
        ),
        (
            one_set("judgments", file="f", values={"from": 0, "to": 1, "by": 0.3}),
            "judgments.X",
            "values is {'from': 0, 'to': 1, 'by': 0.3}: `to` must be a whole number of positive "
            "steps `by` above `from`",
        ),
        (
            one_set("qrels", file="f", values=[False, "maybe"]),
            "qrels.X.values.0",
            "false is not of type number or string: put it in quotes",
        ),
        (
            one_set("qrels", file="f", values=["N", "R"], relevant_from="N"),
            "qrels.X.relevant_from",
            "all grades would be relevant: name one above the lowest, 0",
        ),
        (
            one_set("preferences", file="f", values=[0, 1, 2]),
            "preferences.X",
            "preferences cannot be on the scale of 0, 1, 2: give values from left to right, such "
            "as [-1, 0, 1] or [left, tie, right], or a range around 0",
        ),
        (
            one_set("judgments", file="f", format="trec", levels=4, where={"run": "1"}),
            "judgments.X.where",
            "needs a file whose first line names the columns: leave it out",
        ),
        (
            own(qrels={"TR2": {"levels": 2}, "M": {"simulate": {}, "ratio": True}}),
            "qrels.M.simulate",
            "simulated experts use values or a range, not magnitudes: give levels, values or range",
        ),
    ],
)
def test_sets_that_cannot_be_read_are_refused(config, place, problem):
    assert refusal(config) == f"config: collections.own.{place}: {problem}"


def test_a_panel_has_a_file_for_each_judge():
    options = {"format": "trec", "file": {"a": "{data}/a", "b": "{data}/b"}, "levels": 4}
    collection = built(one_set("judgments", **options))
    assert workers("judgments", "X", collection.judgments["X"]) == ["a", "b"]
    assert collection.units("X") == []
    assert reading("judgments", collection.judgments["X"]) == {
        "format": "trec",
        "columns": {},
        "where": {},
        "off_scale": "refuse",
        "unit": None,
    }


@pytest.mark.parametrize(
    ("kind", "options", "judges"),
    [
        ("judgments", {"format": "trec", "levels": 4}, ["X"]),
        ("judgments", {"format": "trec", "levels": 4, "columns": {"worker": "iteration"}}, None),
        ("judgments", {"levels": 4}, None),
        ("preferences", {"format": "winner-loser", "values": [-1, 1]}, None),
    ],
)
def test_who_judged_a_file_that_does_not_say(kind, options, judges):
    collection = built(one_set(kind, file="f", **options))
    assert workers(kind, "X", collection.options[kind]["X"]) == judges


def test_measures_that_magnitudes_cannot_serve_are_left_out_and_named():
    qrels = {"M": {"file": "f", "ratio": True}, "TR2": {"file": "g", "levels": 2}}
    served = ["nDCG", "AP(rel=2)", "RBP(rel=2)", "ERR(max_rel=100)", "ERR(max_rel='topic')"]
    config = own(runs="f", qrels=qrels, judgments={}, measures=[*served, "RBP(p=0.5)"])
    reason = "takes shares of a highest grade, and there is none"
    assert built(config).measures("M") == (served, {"RBP(p=0.5)": reason})
    above = "counts grades from 2 on, and the highest of TR2 is 1: every score would be 0"
    assert built(config).measures("TR2") == (
        ["nDCG", "ERR(max_rel=100)", "ERR(max_rel='topic')", "RBP(p=0.5)"],
        {"AP(rel=2)": above, "RBP(rel=2)": above},
    )
    config = own(runs="f", qrels=qrels, judgments={}, measures=["ERR@20", "RBP(p=0.5)"])
    assert refusal(config) == (
        f"config: collections.own.measures: M cannot be scored by any of them: ERR@20 "
        f"{reason}; RBP(p=0.5) "
        f"{reason}: add a measure such as nDCG, or give a max_rel"
    )


def test_measures_of_relevant_documents_are_not_for_any_number():
    qrels = {"V": {"file": "f", "range": [0, 1]}, "TR2": {"file": "g", "levels": 2}}
    config = own(runs="f", qrels=qrels, judgments={}, measures=["AP", "AP(rel=0.5)", "nDCG"])
    reason = (
        "counts grades from 1 on, and V holds any numbers up to 1: say from which on, as "
        "AP(rel=0.5), or take a measure of gains such as nDCG"
    )
    assert built(config).measures("V") == (["AP(rel=0.5)", "nDCG"], {"AP": reason})
    assert built(config).measures("TR2")[1] == {}
    config = own(runs="f", qrels={"V": qrels["V"]}, judgments={}, measures=["AP"])
    assert refusal(config) == f"config: collections.own.measures: AP {reason}"


CUT = {"from": "S100-to-2", "labels": "d2_at@TR2@single", "levels": 2}


def labelled(cuts=None, **options) -> dict:
    """A configuration with a qrels that is labels under the cuts of S100 into 2 levels."""
    config = own(transformations=[{"source": "S100", "levels": 2, "references": ["TR2"]}])
    config["collections"]["own"]["transformations"][0]["cuts"] = cuts or {}
    config["collections"]["own"]["qrels"]["Cut"] = {**CUT, **options}
    return config


def test_labels_under_cuts_are_a_set():
    collection = built(labelled(cuts={"middle": [50], "own": {"401": [3]}}))
    assert collection.labelled.keys() == {"Cut"}
    assert "Cut" in collection.simulated
    (transformation,) = collection.transformations.values()
    assert transformation.experts == ["TR2", "So4"]  # not the crowd's
    assert {"d2_at@TR2", "d2_at@TR2@single", "tau@So4", "tau@So4@single", "middle", "own"} <= {
        *transformation.labellings
    }
    how = transformation.how_to_label("d2_at@TR2@single")
    assert (how["method"], how["reference"], how["selection"]) == ("d2_at", "TR2", "single")
    assert transformation.how_to_label("middle")["cut"] == [50]
    assert transformation.how_to_label("middle")["order"] == "at"
    other = transformation.how_to_label("middle@ta")
    assert (other["cut"], other["order"]) == ([50], "ta")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (labelled(**{"from": "S100"}), "qrels.Cut.from: there is no transformation 'S100'"),
        (labelled(labels="d2_at@TR3"), "qrels.Cut.labels: there is no search or cut of S100-to-2 "),
        (labelled(levels=3), "qrels.Cut: S100-to-2 has 2 levels: give equally many `levels`"),
        (labelled(aggregate="mean"), "qrels.Cut.aggregate: goes with judgments only: leave it out"),
        (
            labelled(cuts={"a": [2, 1]}),
            "transformations.S100-to-2.cuts.a: [2, 1]: 2 levels need 1 ",
        ),
        (labelled(cuts={"tw1": [2]}), "cuts.tw1: is the name of a search: rename it"),
        (
            own(qrels={"TR2": {"levels": 2}, "C": {"file": "f", "levels": 2, "labels": "tw1"}}),
            "qrels.C.labels: needs `from`: name the transformation there",
        ),
        (
            own(
                qrels={"TR2": {"levels": 2}, "Cut": CUT},
                transformations=[{"source": "S100", "levels": 2, "references": ["TR2", "Cut"]}],
            ),
            "qrels.Cut.from: S100-to-2 needs Cut to find these cuts: name another transformation",
        ),
    ],
)
def test_labels_under_cuts_that_cannot_be(config, said):
    assert said in refusal(config)


JOINT = {"consensus": ["So4", "So5"], "levels": 4}


def joint(**options) -> dict:
    """A configuration with a qrels that is the consensus of two simulated experts."""
    own_sets = own()["collections"]["own"]["qrels"]
    experts = {name: {"simulate": {"seed": 1}, "levels": 4} for name in ("So5", "So6")}
    return own(qrels={**own_sets, **experts, "Joint": {**JOINT, **options}})


def test_a_consensus_is_a_set():
    assert "Joint" in built(joint()).simulated
    for options in (
        {"consensus": "S4"},
        {"consensus": ["So4"]},
        {"by": "mean", "levels": None, "range": [0, 3]},
        {"by": "median_low"},
        {"by": "weighted", "reference": "So6"},
        {
            "consensus": ["TR2", "So4"],
            "by": "median",
            "rescale": "range",
            "levels": None,
            "range": [0, 1],
        },
    ):
        config = joint(**options)
        held = config["collections"]["own"]["qrels"]["Joint"]
        config["collections"]["own"]["qrels"]["Joint"] = {
            key: value for key, value in held.items() if value is not None
        }
        assert built(config).scale("Joint").high in (1, 3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"consensus": "So4"}, "qrels.Joint.consensus: there is no set of judgments 'So4'"),
        ({"consensus": ["So4", "So9"]}, "qrels.Joint.consensus: there is no qrels 'So9'; did you"),
        ({"consensus": ["So4", "So4"]}, "qrels.Joint.consensus: names So4 twice: name it once"),
        ({"consensus": ["So4", "Joint"]}, "qrels.Joint.consensus: rests on Joint itself"),
        ({"consensus": ["TR2", "So4"]}, "qrels.Joint.consensus: TR2 has 0, 1 and So4 0, 1, 2, 3"),
        ({"by": "mean"}, "qrels.Joint: values may lie between two levels: give range: [0, 3]"),
        ({"by": "median"}, "give range: [0, 3], or use median_low"),
        ({"levels": 3}, "qrels.Joint: the judges have 0, 1, 2, 3: give that scale"),
        ({"reference": "So6"}, "qrels.Joint.reference: majority uses no reference"),
        ({"by": "weighted", "reference": "TR2"}, "So4 has 0, 1, 2, 3 and TR2 0, 1, where a label"),
        ({"rescale": "range"}, "qrels.Joint.rescale: rescale makes numbers between 0 and 1, and"),
        ({"rescale": "topic"}, "qrels.Joint.rescale: goes with `method` only: give none or range"),
        ({"aggregate": "mean"}, "qrels.Joint.aggregate: goes with `from` only: leave it out"),
    ],
)
def test_a_consensus_that_cannot_be(options, said):
    assert said in refusal(joint(**options))


def test_options_of_a_consensus_go_with_it():
    config = own(qrels={"TR2": {"levels": 2}, "So4": {"simulate": {}, "levels": 4, "by": "mean"}})
    assert "qrels.So4.by: goes with `consensus` only: leave it out" in refusal(config)


def test_measures_that_rank_systems_under_cuts():
    for measure in ("AP", "RBP", "ERR@20", "INST"):
        assert transformed(measure=measure).max_grades == {"TR2": 1, "So4": 3}
    assert transformed(levels=4, measure="ERR@20", grid=20).options["grid"] == 20  # 1,140 cuts
    assert transformed(levels=4, measure="RBP(p=0.98)").levels == 4


def test_measures_of_several_sets_name_those_of_the_collection():
    qrels = {
        "A": {"file": "f", "levels": 4},
        "B": {"file": "g", "levels": 2},
        "M": {"file": "h", "ratio": True},
    }
    measures = ["AP", "NLRE(second=B)@5", "CAM(second=[M,B],measure=AP,second_measure=ERR)"]
    config = own(runs="f", qrels=qrels, judgments={}, measures=measures)
    itself = "holds B against itself"
    endless = "takes shares of a highest grade, and there is none"
    assert built(config).measures("A") == (measures[:2], {measures[2]: endless})
    assert built(config).further_sets("A") == ["B"]
    assert built(config).measures("B") == (["AP"], {measures[1]: itself, measures[2]: itself})
    assert built(config).further_sets("B") == []
    config = own(runs="f", qrels=qrels, judgments={}, measures=["NWCS(second=b)"])
    assert refusal(config) == (
        "config: collections.own.measures: there is no qrels 'b'; did you mean 'B'?"
    )
    config = own(runs="f", qrels=qrels, judgments={}, ties={"qrels": "A", "measures": measures[:2]})
    assert "ties.measures: NLRE(second='B')@5 uses several label sets: list it" in refusal(config)


def test_magnitudes_have_no_highest_grade_and_no_list_of_grades():
    qrels = {"X": {"file": "f", "ratio": True}}
    grade, values = "and a highest grade is needed", "and all of its values are needed"
    for stage, problem in {
        "ties": grade,
        "pools": grade,
        "residuals": grade,
        "ranges": values,
    }.items():
        asked = {"measures": ["nDCG"], stage: {"qrels": "X"}}
        assert refusal(own(runs="f", qrels=qrels, judgments={}, **asked)) == (
            f"config: collections.own.{stage}.qrels: X holds positive numbers, {problem}: "
            "use another set"
        )


def test_the_lowest_relevant_grade_may_be_a_name():
    options = {"file": "f", "values": ["N", "M", "R", "H"], "relevant_from": "R"}
    assert relevant_from(built(one_set("qrels", **options)).qrels["X"]) == 2


def test_levels_count_after_a_set_is_made_binary():
    qrels = {"TR2": {"levels": 2}, "N2": {"file": "f", "levels": 3, "relevant_from": 1}}
    collection = built(own(qrels=qrels))
    assert collection.scale("N2") == Scale.of({"levels": 2})
    assert collection.scale("S100") == Scale.of({"levels": 101})


def test_experts_are_all_qrels_the_named_ones_or_none_without_runs():
    assert transformed().experts == ["TR2", "So4"]
    assert transformed(experts=["So4"]).experts == ["So4"]
    config = own(
        runs=None,
        qrels={"N": {"file": "f", "levels": 2}},
        judgments={"S4": {"file": "f", "levels": 4}},
        transformations=[{"source": "S4", "levels": 2, "references": ["N"]}],
    )
    assert built(config).transformations["S4-to-2"].experts == []


def test_tables_cover_all_transformations_or_the_named_ones():
    collection = built(
        own(
            transformations=[{"source": "S100", "levels": 2}, {"source": "S4", "levels": 2}],
            studies={"han2019": {"table-2": {}, "table-4": {"transformations": ["S4-to-2"]}}},
        )
    )
    shown = {shown.item.name: shown for shown in collection.requested_items}
    assert shown.keys() == {"table-2", "table-4"}
    both = [f"cuts/{name}/best_cuts.parquet" for name in ("S100-to-2", "S4-to-2")]
    assert shown["table-2"].inputs == {"cuts_best_cuts": both}
    assert shown["table-4"].inputs == {
        "rankings": ["rankings/S4-to-2.parquet"],
        "cuts_best_cuts": both[1:],
    }


def test_simulated_parts_are_named_and_real_ones_are_not():
    assert built(own()).notes == "Simulated, not real: runs, TR2, So4, S100, S4."
    config = own(runs="*", judgments={"S2": {"file": "f", "levels": 2}})
    config["collections"]["own"]["qrels"] = {
        "TR2": {"file": "f", "levels": 2},
        "So4": {"simulate": {}, "levels": 4},
    }
    assert built(config).notes == "Simulated, not real: So4."
    assert built(config).notes_on("TR2") == ""
    assert built(own()).notes_on("TR2") == "Simulated, not real: runs, TR2."


def test_runs_over_real_labels_leave_the_labels_real():
    transformations = [{"source": "S2", "levels": 2}]
    studies = {"han2019": {"figure-1": {"transformation": "S2-to-2", "panels": ["tw1"]}}}
    studies["han2019"]["table-4"] = {"transformations": ["S2-to-2"]}
    config = own(
        runs={"simulate_over": {"qrels": ["TR2"], "systems": 4}},
        qrels={"TR2": {"file": "f", "levels": 2}},
        judgments={"S2": {"file": "{shipped}/votes.tsv", "levels": 3}},
        transformations=transformations,
        studies=studies,
    )
    collection = built(config)
    assert collection.simulates_runs
    assert collection.ranked_sets == ["TR2"]
    assert collection.simulated_runs["systems"] == 4
    assert "qrels" not in collection.simulated_runs
    assert not collection.is_made_with_runs("TR2")
    assert collection.notes == "Simulated, not real: runs."
    assert collection.path("{shipped}/votes.tsv") == str(CLONE / "data" / "votes.tsv")
    notes = {shown.item.name: shown.notes for shown in collection.requested_items}
    assert notes["figure-1"] == "", "agreement of real labels rests on no runs"
    assert notes["table-4"] == "Simulated, not real: runs."


def test_what_shows_a_transformation_names_the_simulated_sets_that_it_rests_on():
    transformations = [
        {"source": "S4", "levels": 2, "references": ["TR2"], "experts": ["TR2"]},
        {"source": "S100", "levels": 2, "references": ["TR2"], "experts": ["TR2"]},
    ]
    figure = {"transformation": "S4-to-2", "panels": ["d2_at@TR2"]}
    collection = built(
        own(
            runs="*",
            qrels={"TR2": {"file": "f", "levels": 2}},
            transformations=transformations,
            cut_comparisons=[["S4-to-2", "S100-to-2"]],
            studies={
                "han2019": {"figure-1": figure, "table-2": {}},
                "turpin2015": {"table-cuts": {}},
            },
        )
    )
    notes = {shown.item.name: shown.notes for shown in collection.requested_items}
    assert notes["figure-1"] == "Simulated, not real: S4."
    assert notes["table-2"] == notes["table-cuts"] == "Simulated, not real: S100, S4."


# --- what a job depends on ---------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A copy of workflow and library that `source_hash` looks at; gives the library's folder."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(CLONE / "workflow", tmp_path / "workflow", ignore=ignored)
    shutil.copytree(CLONE / "src" / "regrade", tmp_path / "regrade", ignore=ignored)
    monkeypatch.setattr(sources, "SCRIPTS", tmp_path / "workflow" / "scripts")
    found = SimpleNamespace(origin=str(tmp_path / "regrade" / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    forget()
    yield tmp_path / "regrade"
    forget()


def forget() -> None:
    for made in vars(sources).values():
        if hasattr(made, "cache_clear"):
            made.cache_clear()


SCRIPTS = sorted(path.name for path in (CLONE / "workflow" / "scripts").glob("*.py"))


def hashes() -> dict[str, str]:
    forget()
    return {script: source_hash(script) for script in SCRIPTS}


@pytest.mark.parametrize(
    ("module", "changed", "unchanged"),
    [
        (  # imported by a script itself
            "regrade/readers/runs.py",
            {"collect_runs.py"},
            {"score_qrels.py", "search_cuts.py", "report.py", "rank_cuts.py"},
        ),
        (  # imported by what the script imports
            "regrade/cutsearch/kernels.py",
            {"search_cuts.py"},
            {"collect_runs.py", "collect_set.py", "score_qrels.py", "report.py"},
        ),
        ("regrade/errors.py", set(SCRIPTS), set()),
        ("regrade/workflow/job.py", set(SCRIPTS), set()),
        ("workflow/scripts/table.py", {"table.py"}, set(SCRIPTS) - {"table.py"}),
    ],
)
def test_a_hash_changes_with_the_modules_that_the_script_imports(tree, module, changed, unchanged):
    before = hashes()
    path = tree.parent / module
    path.write_text(path.read_text(encoding="utf-8") + "\nEDITED = 1\n", encoding="utf-8")
    after = hashes()
    different = {script for script in SCRIPTS if before[script] != after[script]}
    assert changed <= different
    assert not unchanged & different


def test_a_hash_does_not_depend_on_where_the_tree_is(tree, monkeypatch):
    there = hashes()
    monkeypatch.undo()
    assert hashes() == there


def test_the_names_that_a_text_imports_are_those_that_python_sees():
    files = [*(CLONE / "src").rglob("*.py"), *(CLONE / "workflow").rglob("*.py")]
    assert len(files) > 200
    for file in files:
        text = file.read_text(encoding="utf-8")
        names = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        assert sources.imported_names(text) == names, file


@pytest.mark.parametrize("script", ["search_cuts.py", "rank_cuts.py", "table.py"])
def test_the_files_of_a_hash_are_those_that_python_imports(script):
    text = (CLONE / "workflow" / "scripts" / script).read_text(encoding="utf-8")
    imports = [line for line in text.splitlines() if re.match(r"(from|import) regrade", line)]
    code = "\n".join(
        [*imports, "import sys", "print(*[m for m in sys.modules if m.startswith('regrade')])"]
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    library = Path(importlib.util.find_spec("regrade").origin).parent
    files = {path for path in sources.source_files(script) if path.is_relative_to(library)}
    for module in ran.stdout.split():
        place = library.joinpath(*module.split(".")[1:])
        if not (place / "__init__.py").exists():  # packages only name what is in them
            assert place.with_suffix(".py") in files, module
    assert len(files) > 4


CRITERIA = {
    "A": {"file": "f", "levels": 4},
    "B": {"file": "g", "levels": 2},
    "M": {"file": "h", "ratio": True},
}


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"set": "A", "others": ["A"]}, "criteria.A.others: A is the first criterion"),
        ({"set": "A", "others": ["M"]}, "criteria.A.others: M holds positive numbers, and a high"),
        (
            {"set": "A", "others": ["B"], "measure": "NLRE(second=B)"},
            "criteria.A.measure: NLRE(second='B') uses several label sets",
        ),
    ],
)
def test_criteria_that_cannot_be(asked, problem):
    config = own(runs="f", qrels=CRITERIA, judgments={}, measures=["nDCG"], criteria=[asked])
    assert problem in refusal(config)


FINE = {"A": {"file": "f", "levels": 4}, "J": {"file": "g", "range": [0, 1]}}


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"reference": "J"}, "judges.J.reference: J is not on levels 0 to 1, 2 or 3"),
        ({"sets": ["A"]}, "judges.A.sets: A is the reference: leave it out"),
        ({"cuts": {"J": {"low": [0.5]}}}, "judges.A.cuts.J.low: [0.5]: a cut into 4 levels has 3"),
    ],
)
def test_judges_that_cannot_be(asked, problem):
    judges = [{"reference": "A", "sets": ["J"], **asked}]
    config = own(runs="f", qrels=FINE, judgments={}, measures=["nDCG"], judges=judges)
    assert problem in refusal(config)


@pytest.mark.parametrize("runs", ["f", None])
def test_stages_are_served_with_the_runs_and_options_that_they_need(runs):
    judgments = {"J": {"file": "g", "ratio": True, "unit": "u"}}
    magnitudes = [{"set": "J", "references": ["A"]}, {"set": "J", "name": "alone"}]
    asked = {"judges": [{"reference": "A", "sets": ["B"]}], "magnitudes": magnitudes}
    qrels = {name: {"file": name, "levels": 4} for name in "AB"}
    held = built(own(runs=runs, qrels=qrels, judgments=judgments, **asked))
    assert held.serves(STAGES["judges"], "A")
    assert held.serves(STAGES["judges_and_systems"], "A") == (runs is not None)
    assert held.serves(STAGES["magnitudes_and_labels"], "J")
    assert not held.serves(STAGES["magnitudes_and_labels"], "alone")
    assert held.serves(STAGES["magnitudes_and_systems"], "J") == (runs is not None)
    assert not held.serves(STAGES["magnitudes_and_systems"], "alone")


def test_judges_need_no_runs():
    judges = [{"reference": "A", "sets": ["J"]}]
    assert list(built(own(runs=None, qrels=FINE, judgments={}, judges=judges)).items["judges"]) == [
        "A"
    ]
    shown = {"compare": {"figure-judge-systems": {"judges": "A"}}}
    config = own(runs=None, qrels=FINE, judgments={}, judges=judges, studies=shown)
    assert "figure-judge-systems: ranks systems, and the collection has no `runs`" in refusal(
        config
    )


@pytest.mark.parametrize(
    ("further", "problem"),
    [
        (["J"], "cut_levels.S100-to-2.references: J holds numbers from 0 to 1, and levels 0"),
        (["TR2"], "cut_levels.S100-to-2.references: TR2 is the source, or one of"),
    ],
)
def test_levels_beside_sets_that_cannot_be(further, problem):
    config = own(
        transformations=[{"source": "S100", "levels": 2, "references": ["TR2"]}],
        cut_levels=[{"transformation": "S100-to-2", "references": further}],
    )
    config["collections"]["own"]["qrels"]["J"] = {"file": "g", "range": [0, 1]}
    assert problem in refusal(config)


RATED = {
    "name": "web",
    "file": "f",
    "fields": ["topic", "assessor", "rank", "docno", "a", "b"],
    "criteria": ["a", "b"],
    "values": [1, 2, 3, 4],
    "relevant_from": [3],
}


def test_rated_lists_need_no_runs_and_no_sets():
    config = own(runs=None, qrels={}, judgments={}, rated_lists=[RATED])
    assert list(built(config).items["rated_lists"]) == ["web"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"criteria": ["a", "c"]}, "rated_lists.web.fields: lacks c: name the fields of"),
        ({"fields": ["a", "b", "rank"]}, "lacks topic and assessor and docno"),
        ({"relevant_from": [5]}, "rated_lists.web: 5 is not on the scale"),
    ],
)
def test_rated_lists_that_cannot_be(given, problem):
    config = own(runs=None, qrels={}, judgments={}, rated_lists=[RATED | given])
    assert problem in refusal(config)


def test_an_item_shows_a_set_of_its_stage():
    asked = {"runs": "f", "qrels": CRITERIA, "judgments": {}, "measures": ["nDCG"]}
    asked["criteria"] = [{"set": "A", "others": ["B"]}]
    shown = {"lioma2017": {"table-3": {"set": "web"}}}
    problem = "studies.lioma2017.table-3: shows `rated_lists`: request it too"
    assert problem in refusal(own(**asked, studies=shown))


def test_the_hash_of_content_knows_names_order_and_content_and_nothing_else(tmp_path):
    for folder, text in (("a", "1"), ("b", "1"), ("c", "2")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x").write_text(text)
        (tmp_path / folder / "y").write_text("2")
    found = {
        name: content_hash([tmp_path / part for part in parts])
        for name, parts in {
            "here": ["a/x", "a/y"],
            "moved": ["b/x", "b/y"],
            "changed": ["c/x", "c/y"],
            "turned": ["a/y", "a/x"],
            "one": ["a/x"],
            "missing": ["a/x", "a/z"],
            "none": [],
        }.items()
    }
    assert found.pop("moved") == found["here"]
    assert len(set(found.values())) == len(found)


def test_measures_that_leave_open_what_is_relevant_are_named():
    qrels = {"A": {"file": "f", "levels": 4}, "B": {"file": "g", "levels": 2}}

    def said(measures, qrels=qrels, runs="f"):
        asked = own(runs=runs, qrels=qrels, judgments={}, measures=measures)
        return built(asked).relevance_text

    one = "P@10 counts every grade from 1 on as relevant; say otherwise by `P(rel=2)@10`"
    assert said(["P@10", "nDCG"]) == said(["P@10", "AP(rel=2)"]) == one
    assert said(["AP", "P@10"]).startswith("AP and P@10 count every grade")
    assert said(["nDCG"]) == said(["P@10"], {"B": qrels["B"]}) == said(["P@10"], runs=None) == ""
