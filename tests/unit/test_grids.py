"""Grids of a configuration: items, names, what is left out, and what is refused."""

import copy
import itertools
from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from jsonschema import Draft202012Validator

from regrade.catalogue.arrow import SCHEMAS
from regrade.joined import join_tables, joined_schema
from regrade.stages.registry import stages
from regrade.tables import read_provenance, read_table, write_table
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import ConfigError, complete
from regrade.workflow.grids import SETS
from regrade.workflow.inputs.grids import GridInputs
from regrade.workflow.inputs.paths import Paths
from regrade.workflow.schemas import editor

BASE = {
    "runs": {"simulate": {}},
    "qrels": {"TR2": {"levels": 2}, "So4": {"simulate": {}, "levels": 4}},
    "judgments": {
        "S100": {"simulate": {}, "levels": 101},
        "S4": {"simulate": {}, "levels": 4},
    },
}


def configured(text: str) -> dict:
    """A configuration of one collection: the base, and keys in YAML over it."""
    own = copy.deepcopy(BASE)
    for key, value in yaml.safe_load(text).items():
        own[key] = own[key] | value if key in SETS else value
    return {"collection": "own", "collections": {"own": own}}


def read(text: str):
    """The collection."""
    return read_collection("own", complete(configured(text)))


def refused(text: str) -> str:
    """What is said of it, from the place below the collection on."""
    with pytest.raises(ConfigError) as error:
        read(text)
    return "\n".join(
        line.removeprefix("config: collections.own.") for line in str(error.value).splitlines()
    )


def grid(text: str, key: str = "transformations"):
    """The only grid of a key."""
    (one,) = (one for one in read(text).options["grids"] if one.key == key)
    return one


def test_an_item_for_each_combination_with_what_all_share():
    found = read("""
transformations:
  - grid: {source: [S100, S4], levels: [2, 3], metric: [nominal, ordinal]}
    undefined: one
    aggregate: {levels: median}
""")
    combinations = itertools.product(["S100", "S4"], [2, 3], ["nominal", "ordinal"])
    plain = [
        {"name": f"{source}-levels-{levels}-{metric}", "source": source, "levels": levels}
        | {"metric": metric, "undefined": "one", "aggregate": {"levels": "median"}}
        for source, levels, metric in combinations
    ]
    written = read(yaml.safe_dump({"transformations": plain}))
    assert found.options["transformations"] == written.options["transformations"]
    (one,) = found.options["grids"]
    assert one.items["S4-levels-3-nominal"] == {"source": "S4", "levels": 3, "metric": "nominal"}
    assert one.counted == "8 items (source × levels × metric)"
    assert written.options["grids"] == []


def test_a_key_holds_a_grid_alone_or_grids_among_items():
    alone = "transformations: {grid: {source: [S100], levels: [2, 3]}}"
    assert [*grid(alone).items] == ["S100-levels-2", "S100-levels-3"]
    among = """
transformations:
  - {source: S4, levels: 2}
  - {grid: {source: [S100], levels: [2, 3]}}
  - {name: more, grid: {source: [S4], levels: [2, 3]}}
  - {source: S100, levels: 4}
"""
    assert [*read(among).transformations] == [
        *("S4-to-2", "S100-levels-2", "S100-levels-3", "more-S4-levels-2", "more-S4-levels-3"),
        "S100-to-4",
    ]
    assert [one.path for one in read(among).options["grids"]] == [
        "transformations",
        "transformations/more",
    ]


@pytest.mark.parametrize(
    ("written", "names"),
    [
        # another value at the end leaves the names before it as they are
        ("levels: [2]", ["levels-2"]),
        ("levels: [2, 3]", ["levels-2", "levels-3"]),
        ("grid: [null, 9]", ["grid-null", "grid-9"]),
        ("coverage: [0.5, 1]", ["coverage-0.5", "coverage-1"]),
        ('measure: ["nDCG@10", "AP(rel=2)"]', ["nDCG-10", "AP-rel-2"]),
        # what comes to the same letters is numbered
        ('measure: ["nDCG@10", "nDCG(10)", "nDCG-10"]', ["nDCG-10", "nDCG-10-2", "nDCG-10-3"]),
        ("references: [[], [TR2], [TR2, So4]]",
         ["references-1", "references-TR2", "references-TR2-So4"]),
        ("aggregate.source: [mean, median]", ["mean", "median"]),
        ("aggregate.levels: [null, mean]", ["levels-null", "mean"]),
        ("methods: [[tw1], [d2_at, tw1], null]",
         ["methods-tw1", "methods-d2-at-tw1", "methods-null"]),
    ],
)  # fmt: skip
def test_names_are_made_of_values(written, names):
    shared = {"source": "S100", "levels": 2} if "levels: [2" not in written else {"source": "S100"}
    item = {"grid": yaml.safe_load(written), **shared}
    config = complete(configured(yaml.safe_dump({"transformations": [item]})))
    assert [*config["collections"]["own"]["grids"][0].items] == names


def test_long_names_end_in_a_hash():
    many = [[f"set{i}" for i in range(length)] for length in (40, 41)]
    item = {"grid": {"references": many}, "source": "S100", "levels": 2}
    config = complete(configured(yaml.safe_dump({"transformations": [item]})))
    first, second = config["collections"]["own"]["grids"][0].items
    assert len(first) == len(second) == 120
    assert first[:110] == second[:110]
    assert first != second


def test_combinations_are_left_out():
    found = grid("""
transformations:
  grid: {source: [S100, S4], levels: [2, 3, 4], metric: [nominal, ordinal]}
  except: [{metric: nominal, levels: [3, 4]}, {source: S4, levels: 4}]
""")
    every = itertools.product(["S100", "S4"], [2, 3, 4], ["nominal", "ordinal"])
    kept = [
        (source, levels, metric)
        for source, levels, metric in every
        if not (metric == "nominal" and levels in (3, 4)) and not (source == "S4" and levels == 4)
    ]
    assert [tuple(one.values()) for one in found.items.values()] == kept
    assert found.counted == "7 items (source × levels × metric, 5 left out)"


def test_a_grid_of_seeds_makes_sets_and_other_grids_name_them():
    found = read("""
judgments:
  S11: {grid: {simulate.seed: [1, 2]}, simulate: {workers: 60}, levels: 11}
transformations:
  grid: {source: {grid: judgments/S11}, levels: [2, 3]}
  except: [{simulate.seed: 2, levels: 3}]
trust:
  grid: {transformation: {grid: transformations}}
  splits: 2
""")
    assert [*found.judgments] == ["S100", "S4", "S11-seed-1", "S11-seed-2"]
    assert found.judgments["S11-seed-2"]["simulate"] == {"workers": 60, "seed": 2}
    assert [*found.transformations] == [
        "S11-seed-1-levels-2",
        "S11-seed-1-levels-3",
        "S11-seed-2-levels-2",
    ]
    trust = found.options["grids"][-1]
    assert trust.items["S11-seed-2-levels-2"] == {
        "transformation": "S11-seed-2-levels-2",
        "source": "S11-seed-2",
        "levels": 2,
        "simulate.seed": 2,
    }


def test_an_items_own_option_grid_is_none():
    found = read("""
judges: [{reference: So4, sets: [S100], grid: {S100: 40}}]
transformations: [{source: S100, levels: 2, grid: 40}]
""")
    assert found.options["grids"] == []
    assert found.items["judges"]["So4"]["grid"] == {"S100": 40}


@pytest.mark.parametrize("key", [key for key, stage in stages().items() if stage.called])
def test_each_list_of_items_may_hold_grids(key):
    if not stages()[key].has_key:
        return
    said = refused(f"{key}: [{{grid: {{nothing: [1]}}}}]")
    assert said.startswith(f"{key}.0.grid: there is no parameter 'nothing'; there is ")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{grid: {source: [], levels: [2]}}", "grid.source: has no value: list some, or leave it"),
        ("{grid: {source: S100}, levels: 2}",
         "grid: {\"source\": \"S100\"} is not of type integer"),
        ("{grid: {source: [S100], levels: 2}}",
         "grid.levels: write a list, [2], or put it beside the grid, for all"),
        ("{grid: {source: [S100], levels: [2, 3, 2]}}", "grid.levels: 2 occurs twice"),
        ("{grid: {sorce: [S100]}, levels: 2}",
         "grid: there is no parameter 'sorce'; did you mean 'source'?"),
        ("{grid: {source: [S100], levels: [2]}, levels: 3}",
         "grid.levels: is given besides the grid too: leave one of them out"),
        ("{grid: {source: [S100], levels: [2, 5]}}",
         "grid.levels: 5 is greater than the maximum of 4 (with source S100, levels 5)"),
        ("{grid: {source: [S100, S4], levels: [2, 5]}}",
         "grid.levels: 5 is greater than the maximum of 4 (with source S100, levels 5 and 1 more)"),
        ("{grid: {source: [S100, S5]}, levels: 2}",
         "grid.source: there is no set 'S5'; there is TR2, So4, S100, S4 (with source S5)"),
        ("{grid: {source: [S100, S4]}, levels: 2, metrics: nominal}",
         "unknown key 'metrics'; did you mean 'metric'?"),
        ("{grid: {source: [S100, S4]}, levels: 2, except: [{source: S5}]}",
         "except.0.source: no combination has source S5; there is S100, S4"),
        ("{grid: {source: [S100, S4]}, levels: 2, except: [{levels: 2}]}",
         "except.0: the grid has no parameter 'levels'; there is source"),
        ("{grid: {source: [S100, S4]}, levels: 2, except: [{source: [S100, S4]}]}",
         "except: leaves no combination: leave a condition out"),
        ("{grid: {source: [S100, S4]}, levels: 2, except: {source: S4}}",
         "except: list combinations by their values, [{metric: nominal, levels: [3]}]"),
        ("{name: a_b, grid: {source: [S100]}, levels: 2}",
         "name: a_b is not a name of letters, digits, . and -"),
        ("{grid: {source: {grid: judgments/S4}}, levels: 2}",
         "grid.source: there is no grid 'judgments/S4'; there is transformations"),
        ("{grid: {source: {grid: transformations}}, levels: 2}",
         ": needs its own items, by transformations: name others"),
    ],
)  # fmt: skip
def test_errors_say_where_and_what_to_do(written, said):
    found = refused(f"transformations: [{written}]")
    if "maximum of 4" in said:
        assert found == f"transformations.0.{said}"
    assert f"transformations.0{'' if said.startswith(':') else '.'}{said}" in found or (
        "unknown key" in said and said in found
    )


def test_a_condition_that_no_combination_meets_is_said():
    said = refused("""
judgments: {S11: {grid: {simulate.seed: [1, 2]}, levels: 11}}
transformations:
  grid: {source: {grid: judgments/S11}, levels: [2]}
  except: [{source: S11-seed-1, simulate.seed: 2}]
""")
    assert said == (
        "transformations.except.0: no combination has source S11-seed-1, simulate.seed 2"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("""
transformations:
  - {grid: {source: [S100], levels: [2]}}
  - {name: S100-levels-2, source: S4, levels: 3}
""", "transformations.0: makes an item 'S100-levels-2', and another item has this name: "
         "give the grid a `name`, the prefix of its items' names"),
        ("""
transformations:
  - {grid: {source: [S100], levels: [2]}}
  - {grid: {source: [S100], levels: [3]}}
""", "transformations.1: is the second grid here without a name: give it a `name`"),
        ("""
transformations:
  - {name: a, grid: {source: [S100], levels: [2]}}
  - {name: a, grid: {source: [S100], levels: [3]}}
""", "transformations.1: is the second grid here with the name 'a': rename it"),
        ("""
judgments:
  S11: {grid: {simulate.seed: [1]}, levels: 11}
  S11-seed-1: {simulate: {}, levels: 11}
""", "judgments.S11: makes the set 'S11-seed-1', and there is another one: rename one"),
        ("""
transformations: [{grid: {source: [S100, S4], levels: [2]}}]
trust: [{grid: {transformation: {grid: transformations}, splits: [2, 3]}}]
""", "trust.0.grid.splits: an item of `trust` is called 'S100-levels-2' whatever its splits, as "
         "in transformation S100-levels-2, splits 2 and transformation S100-levels-2, splits 3: "
         "give one value, beside the grid"),
    ],
)  # fmt: skip
def test_names_that_clash_are_refused(text, said):
    assert refused(text) == said


def test_editors_know_grids():
    schema = yaml.safe_load(editor.text())
    checks = Draft202012Validator(schema)
    checks.check_schema(schema)
    good = """
judgments: {S11: {grid: {simulate.seed: [1, 2]}, levels: 11}}
transformations:
  - {grid: {source: {grid: judgments/S11}, levels: [2, 3]}, except: [{levels: 2}], metric: nominal}
  - {source: S100, levels: 2, grid: 40}
leave_one_out: {grid: {by: [run]}}
judges: [{reference: So4, sets: [S100], grid: {S100: 40}}]
"""
    assert [*checks.iter_errors(configured(good))] == []
    for wrong in (
        "transformations: [{grid: {sorce: [S100]}, levels: 2}]",
        "transformations: [{grid: {source: [S100]}, levls: 2}]",
        "transformations: {grid: {source: []}, levels: 2}",
        "transformations: [{grid: {source: [S100]}, levels: 5}]",
    ):
        assert [*checks.iter_errors(configured(wrong))], wrong


def test_tables_are_joined_with_typed_parameters(tmp_path):
    columns = SCHEMAS["cuts/best_cuts"].names
    paths = []
    for name, method in (("a", "h2"), ("b", "tw1"), ("c", "d2_at")):
        frame = pd.DataFrame({"method": [method, "tw1"], "topic": ["1", "*"]})
        frame = frame.reindex(columns=columns).assign(c1=0.5)
        frame[["tied", "runs", "n_defined", "n"]] = 1
        write_table(frame, tmp_path / f"{name}.parquet", "cuts/best_cuts")
        paths.append(tmp_path / f"{name}.parquet")
    labels = {
        "item": ["a", "b", "c"],
        "metric": ["nominal", None, "ordinal"],
        "grid_method": ["x", 3, [1, "z"]],
        "levels": [2, 3, None],
        "share": [1, 0.5, 2],
        "all": [True, False, True],
    }
    made, csv = tmp_path / "joined.parquet", tmp_path / "joined.csv"
    assert join_tables(paths, labels, "cuts/best_cuts", made, {"grid": "x"}, csv) == 6
    joined = read_table(made)
    assert read_provenance(made)["parameters"] == {"grid": "x"}
    assert joined.schema.equals(joined_schema("cuts/best_cuts", labels))
    types = {name: joined.schema.field(name).type for name in ("levels", "share", "all")}
    assert types == {"levels": pa.int64(), "share": pa.float64(), "all": pa.bool_()}
    assert joined["grid_method"].to_pylist()[::2] == ["x", "3", '[1, "z"]']
    for name in ("item", "metric", "levels", "share", "all"):
        assert joined[name].to_pylist()[::2] == joined[name].to_pylist()[1::2] == labels[name]
    single = pa.concat_tables([pq.read_table(path) for path in paths])
    assert joined.select(single.column_names).to_pylist() == single.to_pylist()
    rows = pd.read_csv(csv)
    assert [*rows.columns] == joined.column_names
    assert rows["levels"].tolist()[:4] == [2, 2, 3, 3]


def test_tables_without_rows_are_joined(tmp_path):
    nothing = SCHEMAS["cuts/best_cuts"].empty_table()
    write_table(nothing, tmp_path / "a.parquet", "cuts/best_cuts")
    made, csv = tmp_path / "joined.parquet", tmp_path / "joined.csv"
    labels = {"item": ["a"], "levels": [2]}
    assert join_tables([tmp_path / "a.parquet"], labels, "cuts/best_cuts", made, {}, csv) == 0
    assert read_table(made).num_rows == 0
    assert csv.read_text(encoding="utf-8").startswith("item,levels,method,")


def test_each_table_of_items_is_joined_of_the_items_that_have_it():
    found = read("""
leave_one_out: {grid: {by: [run], pooling: ["Depth@5", "RRF@8"]}}
pools: {qrels: TR2}
""")
    inputs = GridInputs(Paths(found))
    tables = inputs.tables["leave_one_out"]
    assert "leave-one-out/summary" in tables
    assert tables["leave-one-out/summary"] == {
        f"run-{name}": f"results/own/leave-one-out/run-{name}/summary.parquet"
        for name in ("Depth-5", "RRF-8")
    }
    assert "results/own/grids/leave_one_out/summary.parquet" in inputs.joined()
    told = inputs.request(SimpleNamespace(grid="leave_one_out", table="summary"))
    # the table says by what, and which pool, itself
    assert told["labels"] == {
        "item": ["run-Depth-5", "run-RRF-8"],
        "grid_by": ["run", "run"],
        "grid_pooling": ["Depth@5", "RRF@8"],
    }
