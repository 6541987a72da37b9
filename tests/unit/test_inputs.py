"""What jobs need, from wildcards and the configuration: where it lies, what they are told."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from regrade.catalogue import TABLES
from regrade.workflow.collection import Collection
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import ConfigError, complete
from regrade.workflow.inputs.cuts import (
    CutInputs,
    CutsParts,
    Labellings,
    cut_by_power,
)
from regrade.workflow.inputs.page import Page
from regrade.workflow.inputs.paths import Paths
from regrade.workflow.inputs.sets import SetInputs
from regrade.workflow.inputs.sweeps import SweepInputs
from regrade.workflow.sources import content_hash
from regrade.workflow.targets import targets_of

SEARCHED = {"source": "S11", "levels": 2, "references": ["E", "S2"]}


def built(**parts) -> Collection:
    """A collection of files of its own, and `parts` over them; without runs if not given some."""
    collection = {
        "qrels": {
            "E": {"file": "{data}/E.qrels", "levels": 2},
            "G": {"file": "{data}/G.qrels", "levels": 4},
        },
        "judgments": {
            "S11": {"file": "{data}/S11.tsv", "levels": 11},
            "S2": {"file": "{data}/S2.tsv", "levels": 2},
            "ME": {"file": "{data}/ME.tsv", "ratio": True},
        },
        "preferences": {"people": {"file": "{data}/people.tsv", "values": [-1, 1]}},
        "transformations": [SEARCHED],
    }
    config = complete({"collection": "own", "collections": {"own": {**collection, **parts}}})
    return read_collection("own", config)


SIMULATED = {"runs": {"simulate": {}}, "simulation": {"base": "TR2"}}
RANKED = {"runs": "{data}/runs/*"}


def of(*, collection: str = "own", **wildcards) -> SimpleNamespace:
    """A job's wildcards."""
    return SimpleNamespace(collection=collection, **wildcards, get=wildcards.get)


def paths(**parts) -> Paths:
    return Paths(built(**parts))


def cuts(**parts) -> dict[str, CutInputs]:
    where = paths(**parts)
    named = where.collection.transformations
    return {name: CutInputs(where, one) for name, one in named.items()}


def one_cut(**options) -> CutInputs:
    """Of one transformation, with options over those of `SEARCHED`."""
    (found,) = cuts(transformations=[SEARCHED | options]).values()
    return found


# paths


@pytest.mark.parametrize(
    ("asked", "has_labels", "has_partitions"),
    [
        ({}, False, False),
        ({"references": ["E"]}, True, False),
        ({"partitions": {"counts": [1], "draws": 2}}, False, True),
        ({"references": ["E"], "partitions": {"counts": [1], "draws": 2}}, True, True),
    ],
)
@pytest.mark.parametrize("runs", [{}, RANKED])
def test_everything_is_what_an_item_asks_for(asked, has_labels, has_partitions, runs):
    where = paths(pairs=[{"set": "people", **asked}], **runs)
    made = {Path(path).stem for path in where.everything("pairs")}
    assert {"scores", "workers"} <= made
    assert ("documents" in made) == has_labels
    assert ("systems" in made) == (has_labels and bool(runs))
    assert ("partition_topics" in made) == has_partitions
    assert ("partition_systems" in made) == (has_labels and has_partitions and bool(runs))


# sets


def test_content_is_of_the_users_files_and_of_nothing_that_a_job_makes(tmp_path):
    file = tmp_path / "E.qrels"
    file.write_text("1 0 d 1\n", encoding="utf-8")
    sets = SetInputs(paths(qrels={"E": {"file": str(file), "levels": 2}}, transformations=[]))
    assert sets.content(of(name="E")) == content_hash([file])
    made = SetInputs(paths(qrels={"TR2": {"levels": 2}}, transformations=[], **SIMULATED))
    assert made.files(of(name="TR2")) == ["results/own/simulated/qrels.txt"]
    assert made.content(of(name="TR2")) is None
    assert made.files_of_runs(of()) == "results/own/simulated/runs"
    assert made.content_of_runs(of()) is None


def test_scores_are_by_the_measures_that_labels_can_serve():
    labels = {"E": {"file": "e", "levels": 2}, "M": {"file": "m", "ratio": True}}
    sets = SetInputs(paths(qrels=labels, transformations=[], measures=["AP", "ERR"], **RANKED))
    assert sets.measures(of(name="E")) == ["AP", "ERR"]
    assert sets.measures(of(name="M")) == ["AP"]
    assert [*sets.unserved(of(name="M"))] == ["ERR"]
    assert sets.max_grade(of(name="E")) == 1


# cuts


def test_few_cuts_take_one_thread():
    found = one_cut().transformation  # ten cuts
    assert [found.threads(), found.threads(few=9), found.threads(few=10)] == [1, 8, 1]


def test_the_recommended_search_is_a_trusted_one():
    methods = {"transformations": [SEARCHED | {"methods": ["tw1", "d2_at"]}]}
    free = cuts(**methods)["S11-to-2"]
    trusting = cuts(**methods, trust=[{"transformation": "S11-to-2", "searches": ["tw1"]}])
    trusted = trusting["S11-to-2"]
    assert [free.recommended.name, trusted.recommended.name] == ["d2_at@E", "tw1"]
    assert free.trusted("plateau") == {"plateau": []}
    assert trusted.trusted("plateau") == {"plateau": "results/own/cuts/S11-to-2/plateau.parquet"}


@pytest.mark.parametrize(
    ("unlabelled", "budget", "is_made"),
    [(True, [], True), (False, [2], True), (False, [], False)],
)
def test_rules_without_labels_are_made_where_they_are_asked_for(unlabelled, budget, is_made):
    asked = {"transformation": "S11-to-2", "unlabelled": unlabelled, "budget": budget}
    tables = {Path(path).stem for path in paths(trust=[asked]).everything("trust")}
    assert "held_out" in tables
    assert tables & {"unlabelled", "budget"} == ({"unlabelled", "budget"} if is_made else set())


def two_cuts(**parts) -> dict[str, CutInputs]:
    second = SEARCHED | {"name": "second", "references": ["E"], "methods": ["d2_at"]}
    return cuts(transformations=[SEARCHED, second], **parts)


@pytest.mark.parametrize(
    ("sets", "levels", "cut", "beside"),
    [
        (None, [2], ["S11", "G"], ["S11-to-2", "second"]),
        (["G"], [2], ["G"], []),
        ([], [2], [], []),
        (None, [3], ["S11", "G"], []),
        (None, [], [], []),
    ],
)
def test_power_stands_beside_cuts_into_as_many_levels(sets, levels, cut, beside):
    asked = {"sets": ["S11", "G"], "cuts": {"sets": sets, "levels": levels}}
    assert cut_by_power(asked) == cut
    found = CutsParts(two_cuts(), asked).beside_power()
    searches, grids = found.request["searches"], found.request["grids"]
    assert list(dict.fromkeys(name for name, *_ in searches)) == beside
    assert len(grids) == len(beside)
    assert len(found.paths["alpha"]) == len(found.paths["best_cuts"]) == len(searches)


# labels under chosen cuts


def labelled() -> Labellings:
    by_hand = {"methods": ["d2_at"], "references": ["E"], "cuts": {"middle": [5]}}
    labels = {"from": "S11-to-2", "labels": "middle", "levels": 2}
    return Labellings(
        cuts(
            transformations=[SEARCHED | by_hand],
            qrels={"E": {"file": "{data}/E.qrels", "levels": 2}, "L": labels},
            **RANKED,
        )
    )


@pytest.mark.parametrize(
    ("labelling", "path"),
    [
        ("d2_at@E", "results/own/cuts/S11-to-2/d2_at@E/best_cuts.parquet"),
        ("tau@E@single", "results/own/cuts/S11-to-2/best_cuts.parquet"),
        ("middle", []),
    ],
)
def test_labels_are_by_the_cuts_of_a_search_or_by_hand(labelling, path):
    job = of(transformation="S11-to-2", labelling=labelling)
    assert labelled().best_cuts(job) == path
    assert labelled().judgments(job) == "results/own/tables/judgments/S11.parquet"
    assert labelled().about(job)["labels"] == labelling


def test_labels_that_nothing_makes_are_refused():
    said = r"config: S11-to-2: there is no search or cut 'd2_at@F'; did you mean"
    with pytest.raises(ConfigError, match=said):
        labelled().how(of(transformation="S11-to-2", labelling="d2_at@F"))


# the page


@pytest.fixture(scope="module")
def page() -> Page:
    """Of a table and a figure of a study, a transformation and a pair of sets."""
    figure = {"transformation": "S11-to-2", "panels": ["tw1"]}
    expert = {"source": "G", "reference": "E", "pool": "S2"}
    found = cuts(
        studies={"han2019": {"published": True, "table-3": {}, "figure-3": figure}},
        expert_cuts=[expert],
        compare={"pairs": [["E", "G"]]},
        **RANKED,
    )
    return Page(found["S11-to-2"].paths, found)


def test_figures_beneath_answers_say_what_is_simulated_of_what_they_show():
    ranked = {"runs": {"simulate_over": {"qrels": ["E"]}}, "compare": {"pairs": [["E", "G"]]}}
    found = cuts(judges=[{"name": "all", "reference": "E", "sets": ["S11"]}], **ranked)
    page = Page(found["S11-to-2"].paths, found)
    notes = {name: drawn.params["notes"] for name, drawn in page.answer_figures.items()}
    of_systems = {"judges-all", "cut-S11-to-2", "compare-E-and-G"}
    assert {name for name, note in notes.items() if note} == of_systems
    assert notes.keys() - of_systems == {f"workers-{name}" for name in ("S11", "S2", "ME")}
    assert {notes[name] for name in of_systems} == {"Simulated, not real: runs."}


def test_a_page_without_what_is_unmade_names_it(page):
    unmade = [
        "results/own/compare/E-and-G/answer.parquet",
        "results/own/cuts/S11-to-2/explorer.json",
    ]
    unmade += [
        "results/own/figures/han2019/figure-3.svg",
        "results/own/compare/E-and-G/systems.parquet",
    ]
    partial = Page(page.paths, page.cuts, unmade)
    assert page.lacking == []
    (figure,) = page.figures
    assert partial.lacking == [
        "answer compare-E-and-G",
        "explorer of S11-to-2",
        f"han2019: {figure.heading}",
    ]
    left = {one.name: one for one in partial.answers()}
    assert {one.name for one in page.answers()} - {*left} == {"compare-E-and-G"}
    assert left["cut-S11-to-2"].explored == ""
    assert page.answer_figures.keys() - partial.answer_figures.keys() == {"compare-E-and-G"}
    files = [path for _, path, _ in partial.items()]
    assert files == [path for _, path, _ in page.items() if path not in unmade]


def test_a_sweep_is_answered_drawn_and_explored():
    asked = {"baseline": {"labels": "E"}, "axes": {"labels": ["E", "G"]}}
    found = cuts(sweeps={"choices": asked}, **RANKED)
    where = found["S11-to-2"].paths
    page = Page(where, found)
    folder = "results/own/sweeps/choices"
    card = list(page.answers())[-1]
    assert card.name == card.explored == "sweep-choices"
    assert (card.about, card.answer) == ("choices", f"{folder}/answer.parquet")
    drawn = page.answer_figures["sweep-choices"]
    names = ["curve", "curve_choices", "levels", "facts"]
    assert drawn.tables == [f"{folder}/{name}.parquet" for name in names]
    assert drawn.params["schemas"] == [f"sweeps/{name}" for name in names]
    assert SweepInputs(where, "choices").explorer == f"{folder}/explorer.json"


@pytest.mark.parametrize(("by", "pools"), [("group", 3), ("run", 500)])
def test_a_sweep_over_pools_without_each_group_is_shared_out_by_how_many_there_are(
    by, pools, tmp_path
):
    for run in range(500):
        (tmp_path / f"{run}.run").touch()
    (tmp_path / "groups").write_text("".join(f"{run}.run g{run % 3}\n" for run in range(500)))
    axes = {"pool": ["all", {"without": by, "depth": 10}], "topics": ["all", "halves-8000"]}
    asked = {"baseline": {"labels": "E", "pool": "all"}, "axes": axes}
    where = paths(sweeps={"choices": asked}, runs=f"{tmp_path}/*.run", groups=f"{tmp_path}/groups")
    universes = 10 * (1 + pools) * 8001  # one set of labels is as much work as ten cuts
    assert len(SweepInputs(where, "choices").parts) == -(-universes // 150_000)


def test_an_item_shows_the_only_sweep_or_the_one_that_is_named():
    asked = {"baseline": {"labels": "E"}, "axes": {"labels": ["E", "G"]}}
    figure = {"studies": {"sweeps": {"figure-curve": {}}}, **RANKED}
    (shown,) = built(sweeps={"choices": asked}, **figure).requested_items
    assert shown.inputs["sweeps_curve"] == ["sweeps/choices/curve.parquet"]
    two = {"choices": asked, "others": asked}
    with pytest.raises(ConfigError, match=r"figure-curve\.sweep: .*choices, others: name one"):
        built(sweeps=two, **figure)
    figure["studies"] = {"sweeps": {"figure-curve": {"sweep": "others"}}}
    (shown,) = built(sweeps=two, **figure).requested_items
    assert shown.inputs["sweeps_curve"] == ["sweeps/others/curve.parquet"]
    figure["studies"] = {"sweeps": {"figure-curve": {}}}
    with pytest.raises(ConfigError, match="shows `sweeps`: request it too"):
        built(**figure)


def test_each_target_is_told_in_words_of_its_own():
    found = list(targets_of(built(trust=[{"transformation": "S11-to-2"}])))
    said = {target.name.split("/", 2)[-1]: target.sentence for target in found}
    assert said["cuts/S11-to-2/best_cuts.parquet"] == TABLES["cuts/best_cuts"].sentence
    assert said["cuts/S11-to-2/held_out.parquet"] == TABLES["cuts/held_out"].sentence
    tables = [target for target in found if target.group.startswith("tables of ")]
    assert {target.sentence for target in tables} <= {table.sentence for table in TABLES.values()}
