"""What jobs need, from wildcards and the configuration: where it lies, what they are told."""

import itertools
from pathlib import Path
from types import SimpleNamespace

import pytest

from regrade.catalogue import TABLES
from regrade.workflow.collection import Collection
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import ConfigError, complete
from regrade.workflow.inputs import given
from regrade.workflow.inputs.cuts import (
    CutInputs,
    CutJobs,
    CutsParts,
    Labellings,
    cut_by_power,
)
from regrade.workflow.inputs.page import CAPTIONS, Page
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


def of(**wildcards) -> SimpleNamespace:
    """A job's wildcards."""
    return SimpleNamespace(**wildcards, get=wildcards.get)


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


def test_sets_of_all_kinds_lie_by_kind():
    assert paths().sets(["E", "S11", "people"]) == [
        "results/own/tables/qrels/E.parquet",
        "results/own/tables/judgments/S11.parquet",
        "results/own/tables/preferences/people.parquet",
    ]


def test_runs_are_there_where_the_collection_has_some():
    assert paths().runs == []
    assert paths(**RANKED).runs == paths().coded_runs == "results/own/codes/runs.arrow"


def test_tables_of_a_stage_are_below_its_folder_and_the_name():
    assert paths().tables("compare", of="E-and-G")["answer"] == (
        "results/own/compare/E-and-G/answer.parquet"
    )
    assert paths().tables("ties")["rates"] == "results/own/ties/rates.parquet"
    of_all = paths().tables("leave_one_out", of="{left_out}")
    assert of_all["systems"] == "results/own/leave-one-out/{left_out}/systems.parquet"


def test_tables_of_systems_are_left_out_without_runs():
    stages = "judges", "judges_and_systems"
    without, ranked = (paths(**runs).tables(*stages, of="E") for runs in ({}, RANKED))
    assert "rankings" in ranked.keys() - without.keys()
    assert without.items() < ranked.items()


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


def test_everything_of_a_key_is_of_all_its_items():
    where = paths(compare={"pairs": [["E", "G"], ["E", "S2"]]})
    names = [Path(path).parent.name for path in where.everything("compare")]
    assert [name for name, _ in itertools.groupby(names)] == ["E-and-G", "E-and-S2"]


def test_answers_count_as_the_rules_about_their_set_say():
    where = paths()
    assert where.counted_answers("people") == where.set("people")
    where = paths(pairs=[{"name": "strict", "set": "people"}])
    assert where.counted_answers("people") == "results/own/preferences/strict/answers.parquet"


# sets


def test_sets_by_where_they_come_from():
    derived = {"ME": {"file": "{data}/ME.tsv", "ratio": True}, "D": {"from": "ME", "ratio": True}}
    sets = SetInputs(
        paths(
            judgments=derived,
            transformations=[],
            pairs=[{"set": "people"}],
            qrels={
                "E": {"file": "{data}/E.qrels", "levels": 2},
                "scores": {"from": "people", "method": "frequency", "range": [0, 1]},
            },
        )
    )
    assert sets.made_from("judgments", "file") == ["ME"]
    assert sets.made_from("judgments", "from") == ["D"]
    assert sets.made_from("qrels", "file", None) == ["E"]
    assert sets.made_from("qrels", "from") == []  # scores of pairs have a rule of their own
    assert sets.source(of(name="D")) == "results/own/tables/judgments/ME.parquet"
    assert sets.deriving(of(name="D"))["normalise"] == "geometric"
    assert sets.scores_of_pairs(of(name="scores")) == (
        "results/own/preferences/people/scores.parquet"
    )
    assert sets.labelling_by_scores(of(name="scores"))["method"] == "frequency"


def test_files_are_as_the_user_wrote_them_braces_and_all():
    sets = SetInputs(paths(qrels={"E": {"file": "{data}/a{b}c", "levels": 2}}, transformations=[]))
    assert sets.files(of(name="E")) == ["data/a{b}c"]


def test_content_is_of_the_users_files_and_of_nothing_that_a_job_makes(tmp_path):
    file = tmp_path / "E.qrels"
    file.write_text("1 0 d 1\n", encoding="utf-8")
    sets = SetInputs(paths(qrels={"E": {"file": str(file), "levels": 2}}, transformations=[]))
    assert sets.content(sets.files)(of(name="E")) == content_hash([file])
    made = SetInputs(paths(qrels={"TR2": {"levels": 2}}, transformations=[], **SIMULATED))
    assert made.files(of(name="TR2")) == ["results/own/simulated/qrels.txt"]
    assert made.content(made.files)(of(name="TR2")) is None
    assert made.files_of_runs(of()) == "results/own/simulated/runs"
    assert made.content(made.files_of_runs)(of()) is None


def test_runs_over_the_documents_of_labels_lie_elsewhere():
    sets = SetInputs(paths(runs={"simulate_over": {"qrels": ["E"]}}))
    assert sets.files_of_runs(of()) == "results/own/simulated/runs-over"


def test_no_runs_have_no_files():
    assert SetInputs(paths()).files_of_runs(of()) == []


def test_how_files_are_read_depends_on_the_kind():
    sets = SetInputs(paths())
    assert "unit" not in sets.reading(of(name="E"))
    assert "unit" in sets.reading(of(name="S11"))
    assert sets.written_scale(of(name="S11")) == {"levels": 11}
    assert sets.workers(of(name="S11")) is None


def test_scores_are_by_the_measures_that_labels_can_serve():
    labels = {"E": {"file": "e", "levels": 2}, "M": {"file": "m", "ratio": True}}
    sets = SetInputs(paths(qrels=labels, transformations=[], measures=["AP", "ERR"], **RANKED))
    assert sets.measures(of(name="E")) == ["AP", "ERR"]
    assert sets.measures(of(name="M")) == ["AP"]
    assert [*sets.unserved(of(name="M"))] == ["ERR"]
    assert sets.max_grade(of(name="E")) == 1


# cuts


def test_references_are_read_once_each_and_crowds_as_aggregated():
    found = one_cut(references=["S2", "E", "E_a"])
    expert = "results/own/tables/qrels/E.parquet"
    crowd = "results/own/cuts/S11-to-2/references/S2.parquet"
    assert found.compared["references"] == [crowd, expert]
    assert found.compared_by_rule["references"] == [crowd, expert, expert]
    assert found.aggregated == [crowd]
    assert found.searching["crowds"] == ["S2"]


def test_a_pool_completes_expert_labels():
    assert one_cut().compared["pool"] == []
    completed = one_cut(source="G", pool="S2", references=["E"])
    assert completed.compared["pool"] == "results/own/tables/judgments/S2.parquet"


def test_tables_of_each_search_and_of_all():
    found = one_cut(methods=["tw1", "d2_at"])
    searches = ["tw1", "d2_at@E", "d2_at@S2"]
    assert [*found.searches] == searches
    assert found.searched["alpha"] == [
        f"results/own/cuts/S11-to-2/{search}/alpha.parquet" for search in searches
    ]
    assert [*found.combined] == ["best_cuts", "tied_cuts", "top_cuts"]
    (ranked,) = cuts(**RANKED).values()
    assert ranked.combined["rankings"] == "results/own/rankings/S11-to-2.parquet"
    assert ranked.combined["tau"] == [
        f"results/own/cuts/S11-to-2/tau@{expert}/tau.parquet" for expert in ("E", "G")
    ]
    assert ranked.ranked["experts"] == ranked.paths.sets(["E", "G"])


def test_chunks_lie_search_by_search():
    found = one_cut(methods=["d2_at"], chunks=2)
    assert found.of_chunks(found.chunks, ["arrow"]) == [
        f"results/own/cuts/S11-to-2/chunks/{chunk}/d2_at@{name}.arrow"
        for name in ("E", "S2")
        for chunk in (1, 2)
    ]
    assert CutJobs({}).chunk(of(chunk="2")) == 2


def test_few_cuts_take_one_thread():
    found = one_cut().transformation  # ten cuts
    assert [found.threads(), found.threads(few=9), found.threads(few=10)] == [1, 8, 1]


def test_searches_again_are_those_that_are_named():
    found = one_cut(methods=["tw1", "d2_at"])
    assert [one.name for one in found.chosen({"searches": None})] == [*found.searches]
    named = found.chosen({"searches": ["d2_at@S2"]})
    told = found.again(named)
    assert [one["label"] for one in told["searches"]] == ["S2"]
    assert told["references"] == ["E", "S2"]
    assert told["scale"] == {"levels": 11}


def test_the_recommended_search_is_a_trusted_one():
    methods = {"transformations": [SEARCHED | {"methods": ["tw1", "d2_at"]}]}
    free = cuts(**methods)["S11-to-2"]
    trusting = cuts(**methods, trust=[{"transformation": "S11-to-2", "searches": ["tw1"]}])
    trusted = trusting["S11-to-2"]
    assert [free.recommended.name, trusted.recommended.name] == ["d2_at@E", "tw1"]
    assert free.trusted("plateau") == {"plateau": []}
    assert trusted.trusted("plateau") == {"plateau": "results/own/cuts/S11-to-2/plateau.parquet"}


def test_no_search_no_recommendation():
    assert one_cut(source="G", references=[]).recommended is None


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


def test_others_lend_the_searches_that_both_have():
    item = {"transformation": "second", "searches": None, "others": ["S11-to-2"]}
    found = CutsParts(two_cuts(), item).searches_beside_others()
    assert found.paths["other_judgments"] == ["results/own/tables/judgments/S11.parquet"]
    told = found.told["others"]["S11-to-2"]
    assert [Path(path).stem for path in found.paths["other_references"]] == told["references"]
    assert [search["label"] for search in told["searches"]] == ["E"]


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
    searches, grids = found.told["searches"], found.told["grids"]
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


def test_a_qrels_that_is_labels_says_which():
    assert labelled().how(of(name="L"))["cut"] == [5]
    assert "middle@ta" in labelled().known


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


def test_a_study_is_all_of_its_files(page):
    made = page.of_study("han2019")
    assert "results/own/tables/han2019/table-3.csv" in made
    assert "results/own/figures/han2019/figure-3.svg" in made
    assert page.of_study("yang2019") == []
    shown = page.tables + page.figures
    assert [one.item.name for one in shown] == ["table-3", "figure-3"]


def test_items_have_captions_that_are_there(page):
    told, files, captions = zip(*page.items(), strict=True)
    names = "table-3", "figure-3", "table-published"
    assert [anchor for anchor, *_ in told] == [f"han2019-{name}" for name in names]
    assert set(files) <= set(page.of_study("han2019"))
    assert all(caption.is_file() for caption in captions)


def test_inputs_of_an_item_are_below_the_results(page):
    (table,), (figure,) = page.tables, page.figures
    assert page.beside == {"han2019": [table]}
    assert page.inputs(table)["published"] == page.printed(table)
    assert Path(page.printed(table)).is_file()
    inputs = page.inputs(figure)
    assert inputs.pop("published") == []
    assert all(path.startswith("results/own/") for files in inputs.values() for path in files)


def test_answers_have_figures_where_there_are_runs(page):
    answers = list(page.answers())
    workers = [f"workers-{name}" for name in ("S11", "S2", "ME")]
    assert [one.name for one in answers] == ["cut-S11-to-2", "compare-E-and-G", *workers]
    assert answers[1].answer == "results/own/compare/E-and-G/answer.parquet"
    assert answers[0].explored == "S11-to-2"
    assert [*page.answer_figures] == [one.name for one in answers]
    assert all(drawn.caption.is_file() for drawn in page.answer_figures.values())
    assert all(drawn.caption.is_relative_to(CAPTIONS) for drawn in page.answer_figures.values())
    without = cuts(compare={"pairs": [["E", "G"]]})
    page = Page(without["S11-to-2"].paths, without)
    assert [*page.answer_figures] == ["cut-S11-to-2", *workers]


def test_figures_beneath_answers_say_what_is_simulated_of_what_they_show():
    ranked = {"runs": {"simulate_over": {"qrels": ["E"]}}, "compare": {"pairs": [["E", "G"]]}}
    found = cuts(judges=[{"name": "all", "reference": "E", "sets": ["S11"]}], **ranked)
    page = Page(found["S11-to-2"].paths, found)
    notes = {name: drawn.told["notes"] for name, drawn in page.answer_figures.items()}
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
        "by hand: S11-to-2",
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
    assert (card.about, card.answer, card.listed) == ("choices", f"{folder}/answer.parquet", "")
    drawn = page.answer_figures["sweep-choices"]
    names = ["curve", "curve_choices", "levels", "facts"]
    assert drawn.tables == [f"{folder}/{name}.parquet" for name in names]
    assert drawn.told["schemas"] == [f"sweeps/{name}" for name in names]
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
    (shown,) = built(sweeps={"choices": asked}, **figure).shown
    assert shown.inputs["sweeps_curve"] == ["sweeps/choices/curve.parquet"]
    two = {"choices": asked, "others": asked}
    with pytest.raises(ConfigError, match=r"figure-curve\.sweep: .*choices, others: say which"):
        built(sweeps=two, **figure)
    figure["studies"] = {"sweeps": {"figure-curve": {"sweep": "others"}}}
    (shown,) = built(sweeps=two, **figure).shown
    assert shown.inputs["sweeps_curve"] == ["sweeps/others/curve.parquet"]
    figure["studies"] = {"sweeps": {"figure-curve": {}}}
    with pytest.raises(ConfigError, match="shows `sweeps`: ask for it too"):
        built(**figure)


def test_the_title_is_the_users_or_the_name(page):
    assert page.title(of()) == "own"


def test_given_are_just_these():
    assert given({"a": 1, "b": 2, "c": 3}, "c", "a") == {"c": 3, "a": 1}


def test_each_target_is_told_in_words_of_its_own():
    found = list(targets_of(built(trust=[{"transformation": "S11-to-2"}])))
    said = {target.name.split("/", 2)[-1]: target.said for target in found}
    assert said["cuts/S11-to-2/best_cuts.parquet"] == TABLES["cuts/best_cuts"].sentence
    assert said["cuts/S11-to-2/held_out.parquet"] == TABLES["cuts/held_out"].sentence
    tables = [target for target in found if target.group.startswith("tables of ")]
    assert {target.said for target in tables} <= {table.sentence for table in TABLES.values()}
