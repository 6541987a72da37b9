"""The rules of declared stages: which job makes what, of which files, with how many threads."""

import pytest

from regrade.workflow.inputs.cuts import CutInputs
from regrade.workflow.inputs.paths import Paths
from regrade.workflow.sources import source_files
from regrade.workflow.stage_rules import JobInputs, job_rules
from tests.unit.test_inputs import RANKED, built, of


def rules(**parts) -> dict:
    """The rules of a collection's jobs, by name."""
    paths = Paths(built(**parts))
    named = paths.collection.transformations
    cuts = {name: CutInputs(paths, one) for name, one in named.items()}
    return {rule.name: rule for rule in job_rules({"own": paths}, {"own": cuts})}


def inputs(name: str, **parts) -> JobInputs:
    """What a job of the collection reads and is told."""
    return rules(**parts)[name].of["own"]


MAGNITUDES = {
    "judgments": {
        "ME": {"file": "{data}/ME.tsv", "ratio": True, "unit": "hit"},
        "S11": {"file": "{data}/S11.tsv", "levels": 11},
        "S2": {"file": "{data}/S2.tsv", "levels": 2},
    },
    "magnitudes": [{"set": "ME", "references": ["E"]}, {"name": "alone", "set": "ME"}],
}


@pytest.mark.parametrize(
    ("runs", "last"), [({}, "compare_magnitudes"), (RANKED, "rank_magnitudes")]
)
def test_what_several_jobs_could_make_the_last_makes(runs, last):
    made = rules(**MAGNITUDES, **runs)
    of_magnitudes = [rule for rule in made.values() if rule.of["own"].stage.key == "magnitudes"]
    assert [rule.name for rule in of_magnitudes if "answer" in rule.outputs] == [last]
    assert made[last].items == {"own": ["ME"]}
    assert made["normalise_magnitudes"].items == {"own": ["ME", "alone"]}


def test_files_are_outputs_beside_the_tables():
    task = {"name": "crowd", "pool": "S11", "known": "E", "relevant": [1], "not_relevant": [0]}
    outputs = rules(pair_tasks=[task])["design_pairs"].outputs
    assert outputs["pairs"] == "results/{collection}/pair-tasks/{item}/pairs.parquet"
    assert outputs["pairs.csv"] == "results/{collection}/pair-tasks/{item}/pairs.csv"


def test_files_of_users_count_by_their_content_and_those_of_jobs_do_not():
    one = {"transformation": "S11-to-2", "collections": {}}
    item = of(item="S11-to-2")

    def content(**collections):
        asked = one | {"collections": collections}
        return inputs("transfer_cuts", per_judge=[asked]).content(item)

    own = "results/own/cuts/S11-to-2/best_cuts.parquet"
    assert content() is None
    assert content(same=own) is None
    assert content(other="{data}/best_cuts.parquet") == content(
        other="{data}/best_cuts.parquet", same=own
    )
    assert content(other="{data}/best_cuts.parquet") is not None


def test_files_are_as_the_user_wrote_them_braces_and_all():
    one = {"transformation": "S11-to-2", "collections": {"other": "{data}/{x}.parquet"}}
    job = inputs("transfer_cuts", per_judge=[one])
    assert job.inputs(of(item="S11-to-2"))["collections"] == ["data/{x}.parquet"]


def test_what_is_read_of_transformations_goes_by_the_name_of_the_input():
    job = inputs("hold_out_cuts", trust=[{"transformation": "S11-to-2", "searches": ["tw1"]}])
    item = of(item="S11-to-2")
    assert job.inputs(item)["source_judgments"] == "results/own/tables/judgments/S11.parquet"
    assert [one["method"] for one in job.request(item)["cuts"]["source"]["searches"]] == ["tw1"]
    assert job.threads(item) == 1


POOLS = {"pools": {"qrels": "E", "contributors": "all"}, "groups": "groups", **RANKED}
LEFT_OUT = {"pool_origins": "origins", "leave_one_out": [
    {"name": "followed", "by": "run"},
    {"name": "given", "by": "group", "pooling": "Depth@5"},
    {"name": "origins", "by": "origins"},
]}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "files", "follows"),
    [
        ("followed", [], True),
        ("given", ["groups"], False),
        ("origins", ["groups", "origins"], False),
    ],
)
def test_what_is_left_out_reads_what_says_so(name, files, follows):
    read = inputs("leave_one_out", **POOLS, **LEFT_OUT).inputs(of(item=name))
    assert [file for key in ("groups", "origins") if (file := read[key])] == files
    deep = "results/own/pools/deeply_judged.parquet"
    assert read["deeply_judged"] == (deep if follows else [])


def test_what_other_jobs_of_a_subject_call_does_not_count():
    """An answer imports its stage, whose other jobs import what they call when they run."""
    found = source_files("stage.py", "regrade.pools.left_out_answer")
    files = {"/".join(path.parts[-2:]) for path in found}
    assert {"pools/left_out_answer.py", "pools/stage.py"} <= files
    assert "pools/scores.py" not in files
