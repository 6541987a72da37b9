"""The stages of yang2019: what they refuse and how, and that all who name their items agree."""

import copy
import re

import pytest

from regrade.catalogue import TABLES
from regrade.choices import CORRECTIONS
from regrade.pools.options import first_with_residual
from regrade.studies.yang2019.items import YANG2019
from regrade.sweeps.configured import cut_families
from regrade.sweeps.stage import cut_sets
from regrade.workflow.collection import Collection
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import ConfigError, complete, schema
from regrade.workflow.stages import (
    STAGES,
    TAKE_RUNS,
    rests_on_runs,
    sets_of_stage,
    stage_of,
)

ITEMS = {item.name: item for item in YANG2019.items}
OF_PAIRS = ("pairs", "pair_", "partitions_")
SHOWS = {name: stage_of(item.shows[0]) for name, item in ITEMS.items()}
SHOWS = {name: stage for name, stage in SHOWS.items() if not stage.startswith(OF_PAIRS)}
"""The stage of each item of chapters 3 and 4, and of those that go past them."""
SHOWN_OPTIONS = {
    "figure-3.4": {"measure": "AP"},
    "figure-3.6": {"rho": ["1.1", "2"]},
    "figure-3.7": {"rho": ["6"]},
    "figure-3.8": {"measure": "RR", "rho": ["1.1"]},
    "figure-3.9": {"measure": "RBP(p=0.5)", "rho": ["1.1"]},
    "figure-3.10": {"measure": "RBP(p=0.85)", "rho": ["1.1"]},
    "figure-3.11": {"measure": "AP", "rho": ["1.1"]},
}
WHOLE = {
    "runs": "{data}/runs/*",
    "qrels": {"NIST": {"file": "{data}/qrels", "levels": 2}},
    "groups": "{data}/groups.txt",
    "pool_origins": "{data}/origins",
    "ties": {"qrels": "NIST"},
    "pools": {"qrels": "NIST", "fused": ["RRF@100"]},
    "leave_one_out": [
        {"name": "runs", "by": "run"},
        {"name": "groups", "by": "group", "pooling": "Borda@50"},
        {"name": "origins", "by": "origins"},
    ],
    "residuals": {"qrels": "NIST"},
    "ranges": {"qrels": "NIST"},
    "discrimination": {},
    "ancova": {},
    "studies": {"yang2019": {item: SHOWN_OPTIONS.get(item, {}) for item in SHOWS}},
}
ABSENT = object()


def changed(*changes) -> dict:
    """WHOLE with other values at some places, each keys and positions; ABSENT takes one out."""
    collection = copy.deepcopy(WHOLE)
    for *place, last, value in changes:
        node = collection
        for key in place:
            node = node[key]
        if value is ABSENT:
            del node[last]
        else:
            node[last] = value
    return collection


def without_items(*changes) -> dict:
    """`changed`, and no tables and figures."""
    return changed(*changes, ("studies", {}))


def built(collection: dict) -> Collection:
    return read_collection(
        "own", complete({"collection": "own", "collections": {"own": collection}})
    )


def refusal(collection: dict) -> str:
    with pytest.raises(ConfigError) as caught:
        built(collection)
    said = str(caught.value)
    start = "config: collections.own."
    assert said.startswith(start)
    assert "\n" not in said
    return said.removeprefix(start)


def test_what_the_next_tests_spoil_is_good():
    assert {shown.item.name for shown in built(WHOLE).requested_items} == set(SHOWS)
    assert built(without_items()).requested_items == []
    assert built({}).requested_items == []


# --- what stages need --------------------------------------------------------------------------


@pytest.mark.parametrize("stage", sorted(set(SHOWS.values())))
def test_a_stage_without_runs(stage):
    asked = {key: WHOLE[key] for key in ("qrels", "groups", "pool_origins", stage)}
    if stage in ("discrimination", "ancova", "leave_one_out"):
        asked["pools"] = WHOLE["pools"]
    said = refusal(asked)
    assert said.endswith(": scores systems, and the collection has no `runs`")
    assert said.partition(":")[0] in asked


@pytest.mark.parametrize("stage", ["discrimination", "ancova", "leave_one_out"])
def test_a_stage_that_works_on_pools_without_them(stage):
    others = {"discrimination": None, "ancova": None, "leave_one_out": [], "pools": None}
    alone = {**without_items(), **others, stage: WHOLE[stage]}
    assert refusal(alone) == f"{stage}: works on pools: request `pools` too"


def test_significance_needs_no_pools():
    nothing = {"pools": None, "leave_one_out": [], "discrimination": None, "ancova": None}
    asked = {**without_items(), **nothing, "significance": ["NIST"]}
    assert built(asked).options["pools"] is None
    said = refusal({**without_items(), "significance": ["NIST", "NITS"]})
    assert said == "significance: there is no qrels 'NITS'; did you mean 'NIST'?"


@pytest.mark.parametrize("stage", ["ties", "pools", "residuals", "ranges"])
def test_qrels_that_are_not_there(stage):
    said = refusal(changed((stage, "qrels", "NITS")))
    assert said == f"{stage}.qrels: there is no qrels 'NITS'; did you mean 'NIST'?"


@pytest.mark.parametrize(
    "place",
    [
        ("ties", "ranges"),
        ("ties", "measures"),
        ("pools", "measures"),
        ("residuals", "measures"),
        ("residuals", "nearest"),
        ("ranges", "measures"),
        ("leave_one_out", 1, "measures"),
    ],
)
def test_a_measure_that_does_not_exist(place):
    said = refusal(changed((*place, ["AP", "nDGC@10"])))
    where = "leave_one_out.groups.measures" if 1 in place else ".".join(place)
    assert said.startswith(f"{where}: ")
    assert "nDGC" in said
    assert "did you mean 'nDCG'?" in said


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("AP", "AP has no residual: name one that has, such as RBP"),
        ("RPB(p=0.98)", "did you mean 'RBP'?"),
    ],
)
def test_a_residual_that_cannot_be(name, problem):
    said = refusal(changed(("ranges", "residual", name)))
    assert said.startswith("ranges.residual: ")
    assert problem in said


def test_the_residual_of_pools_is_that_of_the_first_of_their_measures_that_has_one():
    assert first_with_residual(["AP", "RBP(p=0.90)", "RBP"]) == "RBP(p=0.9)"
    said = refusal(changed(("pools", "measures", ["AP", "nDCG"])))
    assert said.startswith("pools.measures: none has a residual")
    assert said.endswith(": add one, such as RBP")


def test_the_baseline_is_one_of_the_pools():
    said = refusal(changed(("pools", "depths", [10, 20]), ("pools", "baseline", 30)))
    assert said == "pools.baseline: 30 is not one of `depths`: add it there"


@pytest.mark.parametrize(
    ("place", "key"),
    [("pools.fused.0", ("pools", "fused", 0)), ("leave_one_out.groups.pooling", None)],
)
@pytest.mark.parametrize(
    ("pooling", "problem"),
    [
        ("Depth@0", "depth is 0"),
        ("Depth", "'Depth' is not a pooling method: write Depth@20, RRF@100"),
        ("CombSUM@0", "CombSUM: size is 0: give the number of documents"),
    ],
)
def test_a_size_of_pools_that_cannot_be(place, key, pooling, problem):
    said = refusal(changed((*(key or ("leave_one_out", 1, "pooling")), pooling)))
    assert said.startswith(f"{place}: ")
    assert problem in said


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (("pools", "fused", 0), "pools.fused.0"),
        (("leave_one_out", 1, "pooling"), "leave_one_out.groups.pooling"),
    ],
)
@pytest.mark.parametrize(("name", "near"), [("Brda", "Borda"), ("depth", "Depth")])
def test_a_way_to_pool_that_there_is_not(place, said, name, near):
    refused = refusal(changed((*place, f"{name}@9")))
    assert refused == f"{said}: unknown pooling method '{name}'; did you mean '{near}'?"


@pytest.mark.parametrize(
    ("name", "key"),
    [("groups", "groups"), ("origins", "pool_origins"), ("origins", "groups")],
)
def test_leaving_out_groups_needs_their_files(name, key):
    only = [item for item in WHOLE["leave_one_out"] if item["name"] == name]
    said = refusal(changed(("leave_one_out", only), (key, ABSENT)))
    assert said == f"leave_one_out.{name}: needs the file that `{key}` names"


def test_leaving_out_runs_needs_no_files():
    only = WHOLE["leave_one_out"][:1]
    built(changed(("leave_one_out", only), ("groups", ABSENT), ("pool_origins", ABSENT)))


def test_two_analyses_of_one_name():
    said = refusal(changed(("leave_one_out", 2, "name", "runs")))
    assert said.startswith("leave_one_out: two are called 'runs': give one of them a `name`, or ")


# --- what tables and figures need --------------------------------------------------------------


@pytest.mark.parametrize("item", SHOWS)
def test_an_item_without_its_stage(item):
    stage = SHOWS[item]
    nothing = [] if stage == "leave_one_out" else None
    dependent = ("discrimination", "ancova", "leave_one_out") if stage == "pools" else ()
    others = [(name, [] if name == "leave_one_out" else None) for name in dependent]
    alone = {"yang2019": {item: SHOWN_OPTIONS.get(item, {})}}
    built(changed(("studies", alone)))
    said = refusal(changed(*others, (stage, nothing), ("studies", alone)))
    assert said == f"studies.yang2019.{item}: shows `{stage}`: request it too"


@pytest.mark.parametrize("item", [item for item in SHOWN_OPTIONS if item != "figure-3.4"])
def test_a_rho_without_its_bands(item):
    said = refusal(changed(("studies", "yang2019", item, "rho", ["1.1", "1.15"])))
    assert said.startswith(f"studies.yang2019.{item}.rho: there is no rho under `ties.rho` '1.15'")


@pytest.mark.parametrize("item", [i for i, o in SHOWN_OPTIONS.items() if "measure" in o])
def test_a_measure_that_ties_do_not_have(item):
    key = "ranges" if item == "figure-3.4" else "measures"
    said = refusal(changed(("studies", "yang2019", item, "measure", "AP(rel=2)")))
    where = f"studies.yang2019.{item}.measure"
    assert said.startswith(f"{where}: there is no measure under `ties.{key}` 'AP(rel=2)'")
    assert "; there is " in said


def test_the_measure_of_figure_3_4_counts_where_it_is_not_given():
    ranges = ("ties", "ranges", ["nDCG"])
    said = refusal(changed(ranges, ("studies", {"yang2019": {"figure-3.4": {}}})))
    assert said.startswith("studies.yang2019.figure-3.4.measure: there is no measure")


def swept(baseline: dict, **axes) -> dict:
    """A collection with a sweep."""
    sweeps = {"ways": {"baseline": {"labels": "NIST", **baseline}, "axes": axes}}
    return without_items(("sweeps", sweeps))


def test_a_sweep_with_a_reference_is_of_labels_alone():
    for asked in (swept({"reference": "NIST"}), swept({}, reference=["NIST"])):
        collection = built(asked)
        assert list(collection.items["label_sweeps"]) == ["ways"]
        assert not collection.items["sweeps"]
        assert STAGES["label_sweeps"].stage.is_requested(collection.options)
        assert not STAGES["sweeps"].stage.is_requested(collection.options)
    collection = built(swept({}, pool=["all"]))
    assert list(collection.items["sweeps"]) == ["ways"]
    assert not collection.items["label_sweeps"]


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (swept({"reference": "NIST"}, pool=["all"]), "sweeps.ways: unknown axis of a sweep 'pool'"),
        (swept({}, metric=["ordinal"]), "sweeps.ways: unknown axis of a sweep 'metric'"),
        (swept({"reference": "NISt"}), "sweeps.ways: sweep: there is no set 'NISt'"),
        (swept({"pol": "all"}), "sweeps.ways: unknown axis of a sweep 'pol'; did you mean 'pool'"),
    ],
)
def test_axes_of_systems_and_of_labels_alone_are_not_mixed(asked, problem):
    assert refusal(asked).startswith(problem)


@pytest.mark.parametrize("key", ["top", "parts"])
def test_what_is_of_systems_is_refused_in_sweeps_of_labels_alone(key):
    asked = swept({"reference": "NIST"})
    asked["sweeps"]["ways"][key] = 3
    assert refusal(asked).startswith(
        f"sweeps.ways.{key}: belongs to a sweep of systems; with a `reference`"
    )


def test_an_item_of_a_sweep_of_labels_asks_for_one():
    asked = {**swept({}, pool=["all"]), "studies": {"sweeps": {"figure-label-curve": {}}}}
    said = "studies.sweeps.figure-label-curve: shows `sweeps` with a `reference`: request it too"
    assert refusal(asked) == said


def test_the_schema_takes_its_choices_from_the_library():
    assert schema()["$defs"]["pair_tests"]["properties"]["correction"]["enum"] == list(CORRECTIONS)


def test_a_sweep_rests_on_what_it_cuts():
    judged = {"judgments": "S11", "aggregate": ["mean"], "cuts": ["best"]}
    options = {
        "sweeps": {
            "one": {
                "baseline": {"labels": "TR2"},
                "axes": {"labels": ["TR2", {"cuts": "S4-to-2"}, "So4", judged]},
            }
        },
        "transformations": [
            {"source": "S4", "levels": 2, "references": ["S2", "TR2"]},
            {"source": "S9", "levels": 2, "references": ["TR3"]},
        ],
    }
    assert sets_of_stage(STAGES["sweeps"].stage, options) == {"TR2", "S4", "S2", "So4", "S11"}


def test_sweeps_rest_on_the_sets_that_they_cut_and_on_the_first_reference_of_each():
    cut = {"source": "S100", "levels": 2, "references": ["TR2", "NIST"]}
    other = {"source": "S4", "levels": 2, "references": ["gold"]}
    labels = ["expert", {"cuts": "S100-to-2", "which": ["best"]}]
    swept_labels = {"baseline": {"labels": "expert"}, "axes": {"labels": labels}}
    options = {"transformations": [cut, other], "sweeps": {"all": swept_labels}}
    assert cut_sets(options) == {"S100", "TR2"}
    cut["references"] = ["NIST"]
    assert cut_sets(options) == {"S100", "NIST"}
    labels.pop()
    assert cut_sets(options) == set()
    swept_labels["baseline"]["reference"] = "TR2"
    assert cut_sets(options) == {"TR2"}


def test_tables_that_tell_of_systems_are_known():
    """Of stages that do without runs: what they tell of systems rests on runs all the same."""
    own = {"magnitudes/share_intervals", *(key for key in TABLES if key.startswith("rated-lists/"))}
    telling = {
        key
        for key, table in TABLES.items()
        if key not in own and table.stage in STAGES and not STAGES[table.stage].needs_runs
        for column in table.columns
        if column.name in ("measure", "expert") or re.search(r"\bsystem", column.meaning)
    }
    assert telling <= TAKE_RUNS
    # by criteria, of which τ is one
    assert TAKE_RUNS - telling <= {"cuts/criteria", "cuts/fronts", "cuts/picked"}
    assert rests_on_runs(["judges/{judges}/ranked"])
    assert rests_on_runs(["workers/{set}/workers", "ties/ranks"])
    assert not rests_on_runs(["workers/{set}/workers"])


def cut(transformations, **parts) -> dict:
    """A collection whose judgments are cut."""
    sets = {"S100": {"file": "s", "levels": 101}, "S4": {"file": "f", "levels": 4}}
    qrels = {name: {"file": "f", "levels": 2} for name in ("E", "F")}
    return {"qrels": qrels, "judgments": sets, "transformations": transformations, **parts}


FINE = {"source": "S100", "levels": 2, "references": ["E"], "methods": ["d2_at"]}
COARSE = {"source": "S4", "levels": 2, "references": ["E"], "methods": ["tw1"]}
SAME = {**FINE, "name": "same", "methods": ["tw1"]}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            cut([FINE, COARSE], cut_comparisons=[["S100-to-2", "S4-to-2"]]),
            "cut_comparisons.0: S100-to-2 and S4-to-2 have no method and reference in common: "
            "name `references` of both",
        ),
        (
            cut([FINE, COARSE], cut_comparisons=[["S4-to-2", "S4-to-2"]]),
            "cut_comparisons.0: S4-to-2 is named twice: name another transformation",
        ),
        (
            cut([FINE, COARSE], per_judge=[{"transformation": "S100-to-2", "others": ["S4-to-2"]}]),
            "per_judge.S100-to-2.others: S4 holds 0, 1, 2, 3, and S100 holds 0, 1, 2, …, 100 (101 "
            "values): name a transformation on the same scale",
        ),
        (
            cut([FINE, SAME], per_judge=[{"transformation": "S100-to-2", "others": ["same"]}]),
            "per_judge.S100-to-2.others: same and S100-to-2 have no method and reference in common "
            "(tw1, and d2_at@E): name `references` of both",
        ),
    ],
)
def test_transformations_that_do_not_go_together(asked, said):
    assert refusal(asked) == said


def test_a_sweep_cuts_beside_the_first_reference_of_a_transformation():
    both = {**FINE, "references": ["E", "F"]}
    families = cut_families(built(cut([both, {**SAME, "references": []}])))
    assert {name: one.reference for name, one in families.items()} == {
        "S100-to-2": "E",
        "same": None,
    }
