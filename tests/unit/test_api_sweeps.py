"""Every combination of choices, as a notebook asks: scales, groups, defaults and edges."""

import pandas as pd
import pytest

import regrade
from regrade.errors import RegradeError
from tests.each import others_slow

NIST = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 0, "b": 1, "c": 0}}
MODEL = {"1": {"a": 1, "b": 1, "c": 0}, "2": {"a": 0, "b": 1, "c": 1}}
SETS = {"nist": NIST, "model": MODEL}
AXES = {"labels": ["nist", "model"], "measure": ["AP", "RR"]}
BASELINE = {"labels": "nist"}


def runs(*orders):
    return {
        f"s{n}": {topic: {d: -float(place) for place, d in enumerate(order)} for topic in NIST}
        for n, order in enumerate(orders)
    }


RUNS = runs("abc", "bac", "cab", "cba", "bca", "acb")


def ask(axes=AXES, baseline=BASELINE, **changed):
    return regrade.sweep(axes, baseline, **{"runs": RUNS, "sets": SETS} | changed)


def test_scales_that_are_told_count():
    """On a scale up to h the gain of grade 1 is 1 / 2^h to ERR."""
    found = [
        ask({"labels": ["nist"], "measure": ["ERR"]}, scales=scales).systems
        for scales in (None, {"nist": 2}, {"nist": 4})
    ]
    assert found[0].equals(found[1])
    for one, highest in ((found[0], 1), (found[2], 3)):
        expected = regrade.score(regrade.read_qrels(NIST, scale=highest + 1), RUNS, "ERR").means()
        order = expected["ERR"].rank(ascending=False, method="min")
        ranks = one.set_index("system")["baseline_rank"]
        assert ranks.to_dict() == order[ranks.index].to_dict()
    with pytest.raises(RegradeError, match="unknown set of scales 'nits'; did you mean 'nist'"):
        ask(scales={"nits": 2})


@pytest.mark.parametrize("given", ["read with", "told"])
def test_groups_are_those_of_the_runs_or_those_told(given):
    groups = {name: "odd" if int(name[1:]) % 2 else "even" for name in RUNS}
    axes = {"labels": ["nist"], "pool": ["all", {"without": "group", "depth": 1}]}
    own = regrade.read_runs(RUNS, groups=groups if given == "read with" else {"s0": "other"})
    found = ask(axes, runs=own, groups=None if given == "read with" else groups)
    assert set(found.universes["pool"].astype(str)) == {
        "all", "without group to 1: even", "without group to 1: odd",
    }  # fmt: skip


def test_five_systems_are_the_first_and_halves_begin_at_seed_1():
    default = ask()
    for other, is_same in (({"top": 5}, True), ({"top": 4}, False), ({"top": 6}, False)):
        assert default.systems.equals(ask(**other).systems) is is_same
    halves = AXES | {"topics": ["all", "halves-20"]}
    by_seed = {seed: ask(halves, seed=seed).universes for seed in (0, 1, 2)}
    default = ask(halves).universes
    assert [default.equals(one) for one in by_seed.values()] == [False, True, False]


def test_threads_change_nothing(tmp_path):
    alone = ask().tables
    for name, table in ask(threads=2).tables.items():
        pd.testing.assert_frame_equal(table, alone[name])


def test_what_is_scored_is_kept_where_a_folder_is_named(tmp_path):
    kept = ask(folder=tmp_path)
    assert list(tmp_path.rglob("*"))
    pd.testing.assert_frame_equal(kept.pairs, ask().pairs)
    pd.testing.assert_frame_equal(ask(folder=tmp_path).pairs, kept.pairs)


def test_the_main_table_is_of_pairs_and_without_runs_of_documents():
    found = ask()
    assert found.to_frame() is found.pairs
    axes = {"labels": ["nist", "model"], "reference": ["nist"]}
    found = ask(axes, {"labels": "model", "reference": "nist"}, runs=None)
    assert found.to_frame() is found.documents
    with pytest.raises(AttributeError, match="a SweepResult has no 'pairs'"):
        found.pairs  # noqa: B018


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"axes": None}, "axes is a NoneType: give a dict by axis"),
        ({"baseline": "nist"}, "baseline is a str: give a dict by axis"),
        ({"sets": {}}, "no set is given"),
        ({"sets": [NIST, MODEL]}, "two sets are called 'qrels'"),
        ({"significance": 0}, "significance is 0: give more than 0"),
        ({"significance": 1}, "significance is 1: give less than 1"),
        ({"top": 0}, "top is 0: give 1 or more"),
        ({"groups": ["s0"]}, "groups is a list: give {system: group}"),
        ({"runs": {"s": {"9": {"a": 1.0}}}}, "nist and the runs have no topic in common"),
        ({"limit": 3}, "4 universes are more than the limit of 3"),
    ],
)
def test_what_cannot_be_is_refused(changed, said):
    with pytest.raises(RegradeError) as refused:
        ask(**{"axes": AXES, "baseline": BASELINE} | changed)
    assert said in str(refused.value)


def test_names_of_sets_may_be_numbers():
    found = ask({"labels": [1, 2]}, {"labels": 1}, sets={1: NIST, 2: MODEL})
    assert found.universes["labels"].astype(str).tolist() == ["1", "2"]


GROUPS = {"s0": "x", "s5": "x", "s1": "y", "s4": "y", "s2": "z", "s3": "z"}
EVERYTHING = {
    "labels": ["nist", "model", {"cuts": "model", "which": ["middle"], "levels": 2}],
    "measure": ["AP", "RR", "ERR"],
    "pool": ["all", {"without": "group", "depth": 1}],
    "topics": ["all", "halves-4"],
    "test": ["t/none", "randomisation/none"],
}
WORLD = {
    "runs": RUNS,
    "sets": {"nist": NIST, "model": {topic: {"a": 2, "b": 1, "c": 0} for topic in "12"}},
    "groups": GROUPS,
}
CHANGES = {
    "labels of one set": {"sets": WORLD["sets"] | {"model": {t: {"a": 0, "b": 2} for t in "12"}}},
    "labels of the baseline": {"sets": WORLD["sets"] | {"nist": {t: {"c": 1} for t in "12"}}},
    "one label": {
        "sets": WORLD["sets"] | {"nist": NIST | {"2": {"a": 1, "b": 1, "c": 0}}},
    },
    "a document's name": {
        "sets": WORLD["sets"] | {"nist": NIST | {"2": {"a": 0, "d": 1, "c": 0}}},
    },
    "the scale": {"scales": {"nist": 4}},
    "the order of a run": {"runs": RUNS | {"s5": RUNS["s0"]}},
    "scores of a run": {
        "runs": RUNS | {"s5": {t: dict.fromkeys("acb", 1.0) for t in "12"}},
        "axes": EVERYTHING | {"ties": ["rank", "docno"]},
    },
    "a system's name": {
        "runs": {name.replace("s5", "r5"): run for name, run in RUNS.items()},
        "groups": GROUPS | {"r5": "x"},
    },
    "groups": {"groups": GROUPS | {"s5": "y"}},
    "significance": {"significance": 0.9},
    "top": {"top": 1},
    "seed": {"seed": 7},
    "measure of the baseline": {"baseline": BASELINE | {"measure": "RR"}},
    "a measure's parameter": {"axes": EVERYTHING | {"measure": ["AP", "RR", "ERR@1"]}},
}


FIRST = {"axes": EVERYTHING, "baseline": BASELINE} | WORLD


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with what was made of the first input, and that."""
    folder = tmp_path_factory.mktemp("kept")
    return folder, ask(**FIRST, folder=folder)


@pytest.mark.parametrize("change", others_slow([*CHANGES], 5))
def test_a_folder_gives_nothing_that_was_made_from_other_input(change, kept):
    """It holds what was made of the first input, and of the changes that were asked for before."""
    folder, before = kept
    changed = FIRST | CHANGES[change]
    after, expected = ask(**changed, folder=folder), ask(**changed)
    assert any(not before.tables[name].equals(table) for name, table in expected.tables.items())
    for name, table in expected.tables.items():
        pd.testing.assert_frame_equal(after.tables[name], table)


def test_a_folder_gives_the_first_input_again_after_others(kept):
    folder, before = kept
    ask(**FIRST | CHANGES["one label"], folder=folder)
    for name, table in ask(**FIRST, folder=folder).tables.items():
        pd.testing.assert_frame_equal(before.tables[name], table)


def test_another_version_of_the_library_scores_anew(tmp_path, monkeypatch):
    ask(folder=tmp_path)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    ask(folder=tmp_path)
    assert times == {path: path.stat().st_mtime_ns for path in times}
    monkeypatch.setattr("regrade.sweeps.store.Store.__init__.__defaults__", (None, "0.0.0"))
    ask(folder=tmp_path)
    assert not set(times.items()) & {(path, path.stat().st_mtime_ns) for path in times}
