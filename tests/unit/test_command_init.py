"""What `regrade init` writes for any kind of files, the workflow takes, and reads."""

import logging
import shlex

import pytest
import yaml
from click.testing import CliRunner

from regrade.command.app import app
from regrade.command.given_files import sets_of
from regrade.command.init import configuration
from regrade.errors import RegradeError
from regrade.readers.labels import read_judgments, read_qrels
from regrade.readers.preferences import read_preferences
from regrade.readers.runs import read_runs
from regrade.run_arrays import Judged, RankedLists
from regrade.scales import Scale
from regrade.scoring import score
from regrade.workflow.collection_checks import check_files, read_collection
from regrade.workflow.config import complete
from regrade.workflow.sets import KINDS as OF_SETS
from regrade.workflow.sets import reading
from tests.unit.given_kinds import KINDS, REFUSED

READERS = {"qrels": read_qrels, "judgments": read_judgments, "preferences": read_preferences}


def laid(files, folder):
    """The files, written; their paths as a user gives them."""
    for name, held in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(held if isinstance(held, bytes) else held.encode())
    return sorted({str(folder / name.split("/")[0]) for name in files})


@pytest.mark.parametrize(("files", "said"), KINDS.values(), ids=KINDS)
def test_what_init_writes_the_workflow_takes_and_reads(files, said, tmp_path, caplog):
    caplog.set_level(logging.ERROR)
    paths = laid(files, tmp_path)
    if said.startswith(REFUSED):
        with pytest.raises(RegradeError) as refused:
            configuration(paths, "mine")
        assert said.removeprefix(REFUSED) in str(refused.value)
        return
    text = configuration(paths, "mine")
    assert said in text
    config = complete(yaml.safe_load(text))
    collection = read_collection("mine", config)
    check_files(collection)
    ranked = None
    if collection.has_runs:
        ranked = RankedLists.from_table(read_runs(collection.run_files))
    for kind in OF_SETS:
        for name, options in collection.options[kind].items():
            how = reading(kind, options)
            table = READERS[kind](options["file"], scale=collection.scale(name), **how)
            assert len(table)
            if ranked is not None and kind == "qrels":
                measures = collection.measures(name)[0]
                every = ranked.with_topics(set(table["topic"].to_pylist()))
                highest = collection.scale(name).high
                score(every, Judged.from_table(table, every), measures, max_grade=highest)


def test_a_real_crowds_file_of_several_scales(real_data):
    folder = real_data / "uc3m2011"
    files = [str(folder / name) for name in ("judgments.tsv.gz", "nist-gold.qrels")]
    collection = read_collection("mine", complete(yaml.safe_load(configuration(files, "mine"))))
    held = {}
    for name, options in collection.judgments.items():
        how = reading("judgments", options)
        held[name] = read_judgments(options["file"], scale=collection.scale(name), **how)
    assert {name: len(table) for name, table in held.items()} == {
        "judgments-S3": 2175,  # accepted, of run 1
        "judgments-S101": 2140 + 2175,  # of runs 2 and 3, whose units have the same numbers
    }
    units = held["judgments-S101"].select(["topic", "worker", "unit"]).to_pandas()
    assert len(units.drop_duplicates()) == len(held["judgments-S101"]) / 5
    assert list(collection.transformations) == ["judgments-S101-to-3"]
    # without runs: every way to label
    (swept,) = collection.items["label_sweeps"].values()
    assert swept["baseline"]["labels"] == "judgments-S101-to-3 equal_widths"
    assert swept["baseline"]["reference"] == "nist-gold"


def panel(judges, documents=12, lacking=0):
    """Judgments of 0 to 3 by judges who judge all documents, but for the last of them."""
    rows = [
        f"{1 + n % 3}\td{n}\t{judge}\t{(n + place) % 4}"
        for place, judge in enumerate(judges)
        for n in range(documents - lacking * (place == len(judges) - 1))
    ]
    return "\n".join(["topic\tdocno\tworker\tvalue", *rows, ""])


def asked(files, folder):
    """The collection that init writes of files, by text."""
    text = configuration(laid(files, folder), "mine")
    return read_collection("mine", complete(yaml.safe_load(text)))


def grades(documents=12, above=0):
    return "".join(f"{1 + n % 3} 0 d{n} {(n + above) % 4}\n" for n in range(documents))


def test_judges_in_one_file_are_sets_of_their_own(tmp_path):
    files = {"models.tsv": panel(["gpt 4", "llama", "mixtral"]), "people.qrels": grades()}
    collection = asked(files, tmp_path)
    assert list(collection.judgments) == ["models", "gpt-4", "llama", "mixtral"]
    assert collection.judgments["gpt-4"]["where"] == {"worker": "gpt 4"}
    ((name, judged),) = collection.items["judges"].items()
    assert (name, judged["sets"]) == ("people", ["gpt-4", "llama", "mixtral"])
    # the panel is asked about as workers too, each of its judges is not
    assert collection.crowds == {"models": None}
    assert not collection.transformations


@pytest.mark.parametrize("lacking", [6, 7])
def test_workers_who_judged_little_are_no_panel(lacking, tmp_path):
    files = {"crowd.tsv": panel(["a", "b", "c"], lacking=lacking), "people.qrels": grades()}
    collection = asked(files, tmp_path)
    assert bool(collection.items["judges"]) == (lacking == 6)  # half of twelve or more
    assert list(collection.crowds) == ["crowd"]


@pytest.mark.parametrize("sets", [["one"], ["one", "two"]])
def test_two_systems_and_topics_are_asked_about(sets, tmp_path):
    """Of the first two runs by name; topics beside the other labels of the same levels, if any."""
    runs = {f"runs/{n}": "".join(f"{t} Q0 d{d} 1 {9 - d + n * t} {name}\n" for t in (1, 2, 3)
                                 for d in range(6))
            for n, name in enumerate(["b:2", "a", "yes"])}  # fmt: skip
    files = {f"{name}.qrels": grades(above=place) for place, name in enumerate(sets)}
    collection = asked(files | runs, tmp_path)
    check_files(collection)
    ((_, pair),) = collection.items["system_pairs"].items()
    assert (pair["qrels"], pair["first"], pair["second"]) == ("one", "a", "b:2")
    assert pair["measures"] == ["nDCG@10", "AP"]
    ((_, topics),) = collection.items["topic_analysis"].items()
    assert (topics["qrels"], topics["between"]) == ("one", ["a", "b:2"])
    assert topics["second"] == (sets[1] if len(sets) > 1 else None)


def test_without_runs_of_two_systems_none_are_compared(tmp_path):
    text = configuration(laid({"one.qrels": grades()}, tmp_path), "mine")
    assert "system_pairs" not in text and "topic_analysis" not in text


def test_which_labels_are_taken_for_people_s_is_said(tmp_path, caplog):
    runs = {f"runs/{name}": f"1 Q0 d0 1 {n} {name}\n2 Q0 d1 1 1 {name}\n3 Q0 d2 1 1 {name}\n"
            for n, name in enumerate(("x", "y"))}  # fmt: skip
    paths = laid({"model.qrels": grades(), "people.qrels": grades(above=1), **runs}, tmp_path)
    text = configuration(paths, "mine")
    asked_of = "# model: the first labels named that fit; are they people's? else name theirs\n"
    assert text.count(asked_of) == 3
    assert f'{asked_of}    ranking: [{{qrels: "model"}}]' in text
    assert f"{asked_of}    sweeps:" in text
    assert "model: treated as the human reference" in caplog.text
    caplog.clear()
    assert "people's?" not in configuration(
        [one for one in paths if not one.endswith("people.qrels")], "mine"
    )
    assert not caplog.text
    files = {f"{name}.qrels": grades(above=n) for n, name in enumerate("abc")}
    text = configuration(laid(files, tmp_path / "judges"), "mine")
    assert f'{asked_of.replace("model", "a")}    judges: [{{reference: "a"' in text
    assert "a: treated as the human reference" in caplog.text


@pytest.mark.parametrize(
    "name", ["2019", "12.5", "1.0e+5", "0x1f", "2019-05-01", "yes", "Null", "No", "a ü (b)", "4o"]
)
def test_names_of_files_that_yaml_takes_for_something_else_are_texts(name, tmp_path):
    fine = panel(["a", "b", "c"], lacking=7)
    paths = laid({f"{name}.qrels": grades(), f"x/{name}.tsv": fine, "b.qrels": grades()}, tmp_path)
    collection = read_collection(*collection_of(configuration(paths, name)))
    assert len(collection.qrels) == 2 and len(collection.judgments) == 1
    assert all(isinstance(one, str) for one in collection.sets)
    assert ("4o" in collection.qrels) == (name == "4o")


@pytest.mark.parametrize("count", [2, 5])
def test_runs_in_a_folder_with_brackets_are_found_again(count, tmp_path):
    runs = {f"runs [v1]/r[{n}].txt": f"1 Q0 d{3 * n} 1 1 r{n}\n2 Q0 d1 1 1 r{n}\n"
            for n in range(count)}  # fmt: skip
    paths = laid({"q.qrels": grades(), **runs}, tmp_path)
    collection = read_collection(*collection_of(configuration(paths, "mine")))
    assert len(collection.run_files) == count


def collection_of(text):
    """The name and the configuration of the one collection that a text has."""
    config = complete(yaml.safe_load(text))
    return config["collection"], config


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("partly", "values: [partly, …], in ascending order"),
        ("N/A", "Delete the rows without a value ('N/A')."),
        ("", "Delete the rows without a value ('')."),
        ("20%", "not 1.234,5 or 1,234.5 or 50%."),
    ],
)
def test_a_value_that_is_no_number_is_told_with_what_init_can_do(text, remedy, tmp_path):
    rows = f"topic,docno,worker,value\n1,a,x,1\n1,b,x,{text}\n"
    with pytest.raises(RegradeError) as caught:
        configuration(laid({"crowd.csv": rows}, tmp_path), "mine")
    assert f"crowd.csv:3: value {text!r} is not a number\n" in str(caught.value)
    assert remedy in str(caught.value)
    assert "--scale" not in str(caught.value)


@pytest.mark.parametrize("name", ["mine.yaml", "my files/mine.yaml", "it's $HOME;.yaml"])
def test_the_command_that_init_proposes_can_be_typed(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my files").mkdir()
    laid({"people.qrels": "1 0 d 1\n1 0 e 0\n"}, tmp_path)
    done = CliRunner().invoke(app, ["init", "people.qrels", "--out", name])
    assert done.exit_code == 0, done.output
    proposed = done.stdout.partition("then: ")[2]
    assert shlex.split(proposed) == ["regrade", "run", name]


@pytest.mark.parametrize(("lacking", "swept"), [(1, True), (2, False)])
def test_labels_of_too_few_topics_are_no_choice_of_a_sweep(lacking, swept, tmp_path):
    """A tenth may be lacking, as the sweep has it."""
    topics = range(10)
    runs = {f"runs/{name}": "".join(f"{t} Q0 d{t + n} 1 1 {name}\n" for t in topics)
            for n, name in enumerate("xy")}  # fmt: skip
    people = "".join(f"{t} 0 d{t + n} {n}\n" for t in topics for n in range(3))
    some = [line for line in people.splitlines(True) if int(line.split()[0]) >= lacking]
    crowd = "".join(f"{t}\td{t + n}\t{w}\t{40 * n}\n" for t in topics[lacking:] for n in range(3)
                    for w in "ab")  # fmt: skip
    files = {"people.qrels": people, "some.qrels": "".join(some), **runs}
    files["crowd.tsv"] = f"topic\tdocno\tworker\tvalue\n{crowd}"
    paths = sorted(laid(files, tmp_path), key=lambda path: "people" not in path)
    text = configuration(paths, "mine")
    axes = yaml.safe_load(text)["collections"]["mine"]["sweeps"]["choices"]["axes"]
    more = ["some", {"cuts": "crowd-to-3", "which": ["best", "equal_widths"]}]
    assert axes["labels"] == (["people", *more] if swept else ["people"])
    assert ("    # not some and crowd: too few of the topics\n" in text) == (not swept)


@pytest.mark.parametrize(
    ("values", "levels", "grid"), [(101, 4, None), (102, 4, 100), (300, 3, None)]
)
def test_run_tries_the_cuts_that_cut_tries_where_these_are_not_too_many(
    values, levels, grid, tmp_path
):
    people = [f"{t} 0 d{i} {i % levels}" for t in (1, 2) for i in range(values)]
    model = [f"{t} 0 d{i} {i / 1000:.3f}" for t in (1, 2) for i in range(values)]
    paths = laid({"people.qrels": "\n".join(people), "model.qrels": "\n".join(model)}, tmp_path)
    (cut,) = yaml.safe_load(configuration(paths, "mine"))["collections"]["mine"]["transformations"]
    assert cut["levels"] == levels and cut.get("grid") == grid


@pytest.mark.parametrize("model", [True, False])
def test_labels_with_junk_rank_the_systems_too(model, tmp_path):
    # as the Web track's: −2 is junk, which gains nothing
    people = "".join(f"{1 + n % 3} 0 d{n} {(-2, 0, 1, 2, 3)[n % 5]}\n" for n in range(15))
    runs = {f"runs/{name}": "".join(f"{t} Q0 d{t + n} 1 1 {name}\n" for t in (1, 2, 3))
            for n, name in ((-1, "x"), (2, "y"))}  # fmt: skip
    files = {"people.qrels": people, **runs} | ({"model.qrels": grades(15)} if model else {})
    paths = sorted(laid(files, tmp_path), key=lambda path: "model" in path)
    collection = read_collection("mine", complete(yaml.safe_load(configuration(paths, "mine"))))
    assert list(collection.items["ranking"]) == ["people"]
    assert {collection.options[stage]["qrels"] for stage in ("ties", "ranges")} == {"people"}
    assert collection.options["sweeps"]["choices"]["baseline"]["labels"] == "people"
    assert collection.scale("people") == Scale.of({"levels": 4})
    # beside them a model is held as beside labels without junk
    clean = laid({"people.qrels": people.replace("-2", "0")}, tmp_path)
    again = read_collection(
        "mine", complete(yaml.safe_load(configuration([*clean, *paths[1:]], "mine")))
    )
    assert again.items["compare"] == collection.items["compare"]
    assert bool(collection.items["compare"]) == model


# --- what is asked of which files -----------------------------------------------------------------


def collections_of(files, folder):
    """What init writes of files, by text: the text, and the one collection as YAML reads it."""
    text = configuration(laid(files, folder), "mine")
    return text, yaml.safe_load(text)["collections"]["mine"]


@pytest.mark.parametrize(
    ("labelled", "listed", "topics", "asked_so"),
    [(20, 30, 3, True), (19, 30, 3, False), (20, 29, 3, False), (20, 30, 2, True)],
)
def test_full_judging_is_asked_of_enough_labels_where_a_model_labelled_no_more_than_is_listed(
    labelled, listed, topics, asked_so, tmp_path
):
    rows = [(1 + n % 3, f"d{n}") for n in range(listed) if n % 3 < topics]
    told = [f"{topic},{docno},0.5,{place % 3 if place < labelled else ''}"
            for place, (topic, docno) in enumerate(rows)]  # fmt: skip
    files = {"chosen.csv": "\n".join(["topic,docno,inclusion,grade", *told, ""])}
    text, found = collections_of(files | {"model.qrels": grades(30)}, tmp_path)
    if asked_so:
        (one,) = found["estimates"]
        assert (one["name"], one["models"], one["levels"]) == ("chosen", ["model"], 3)
    else:
        assert "estimates" not in found
        assert "# chosen.csv needs labels by a model of no other documents than it" in text
        assert f"and 20 human labels; it has {labelled}\n" in text


@pytest.mark.parametrize(
    ("lowest", "unit", "asked_so"), [(0.5, True, True), (0, True, False), (0.5, False, False)]
)
def test_magnitudes_are_judgments_above_0_in_units_on_no_levels(lowest, unit, asked_so, tmp_path):
    rows = [
        f"{1 + n % 3}\td{n}\t{worker}\t{lowest + n * 1.5}\t{1 + n % 3}-{worker}"
        for worker in "ab"
        for n in range(12)
    ]
    head = f"topic\tdocno\tworker\tvalue\t{'unit' if unit else 'remark'}"
    files = {"crowd.tsv": "\n".join([head, *rows, ""]), "people.qrels": grades()}
    _, found = collections_of(files, tmp_path)
    expected = [{"set": "crowd", "references": ["people"]}]
    assert found.get("magnitudes") == (expected if asked_so else None)


@pytest.mark.parametrize("topics", [3, 4])
def test_every_way_to_label_is_tried_on_halves_of_four_topics(topics, tmp_path):
    model = "".join(f"{1 + n % topics} 0 d{n} {n / 24}\n" for n in range(24))
    people = "".join(f"{1 + n % topics} 0 d{n} {n % 2}\n" for n in range(24))
    _, found = collections_of({"model.qrels": model, "people.qrels": people}, tmp_path)
    halves = found["sweeps"]["ways"]["axes"].get("topics")
    assert halves == (["all", "halves-20"] if topics == 4 else None)


@pytest.mark.parametrize(
    ("judged", "said"),
    [
        ((3, 3), "2 of 2 systems to rank 3 or deeper"),
        ((3, 0), None),
        ((3, 2, 0), "2 of 3 systems to rank 2 or deeper"),
        ((5, 4, 0, 0, 0), "2 of 5 systems to rank 4 or deeper"),
        ((5, 1, 0, 0), None),
    ],
)
def test_pools_are_asked_where_two_systems_are_judged_deeply(judged, said, tmp_path):
    """Of each run so many documents are judged, and then none."""
    runs = {
        f"runs/r{n}": "".join(
            f"{topic} Q0 {'d' if rank < deep else 'x'}{rank}-{n} 1 {9 - rank} r{n}\n"
            for topic in (1, 2)
            for rank in range(max(judged))
        )
        for n, deep in enumerate(judged)
    }
    people = "".join(
        f"{topic} 0 d{rank}-{n} {(rank + n) % 2}\n"
        for topic in (1, 2)
        for n, deep in enumerate(judged)
        for rank in range(deep)
    )
    text, found = collections_of({"people.qrels": people, **runs}, tmp_path)
    assert found["ranking"] == [{"qrels": "people"}]
    assert ("pools" in found) == ("leave_one_out" in found) == (said is not None)
    assert (
        f"    # {said} for every topic; " if said else "    # pools of people: fewer than "
    ) in text
    if said and judged[2:]:
        assert found["pools"].get("baseline") == (4 if len(judged) == 5 else None)


@pytest.mark.parametrize("levels", [4, 5])
def test_judges_are_held_beside_grades_on_up_to_four_levels(levels, tmp_path):
    files = {
        f"{name}.qrels": "".join(f"{1 + n % 3} 0 d{n} {(n + above) % levels}\n" for n in range(15))
        for above, name in enumerate("abc")
    }
    _, found = collections_of(files, tmp_path)
    assert [one["sets"] for one in found.get("judges", [])] == [["b", "c"]] * (levels == 4)


def test_three_finer_sets_at_most_are_calibrated(tmp_path):
    files = {
        f"{name}.qrels": "".join(f"{1 + n % 3} 0 d{n} {n / 20 + above}\n" for n in range(12))
        for above, name in enumerate("abcd")
    }
    _, found = collections_of(files | {"people.qrels": grades()}, tmp_path)
    assert found["calibration"] == [{"reference": "people", "sets": ["a", "b", "c"]}]


def test_values_are_cut_beside_labels_of_some_of_their_documents_only(tmp_path):
    """Of two sets of labels the coarser is of other documents."""
    files = {
        "a-other.qrels": "".join(f"{1 + n % 3} 0 x{n} {n % 2}\n" for n in range(12)),
        "b-people.qrels": "".join(f"{1 + n % 3} 0 d{n} {n % 3}\n" for n in range(12)),
        "model.qrels": "".join(f"{1 + n % 3} 0 d{n} {n / 20}\n" for n in range(12)),
    }
    _, found = collections_of(files, tmp_path)
    (cut,) = found["transformations"]
    assert (cut["source"], cut["levels"], cut["references"]) == ("model", 3, ["b-people"])


# --- what is said of a file -----------------------------------------------------------------------


@pytest.mark.parametrize("judges", [2, 3])
def test_two_judges_are_a_panel_and_so_are_as_many_as_may_be(judges, tmp_path):
    file = tmp_path / "models.tsv"
    file.write_text(panel("abc"[:judges]))
    (given,) = sets_of(file, "judgments")
    assert [one.name for one in given.judges(judges)] == list("abc"[:judges])
    assert list(given.judges(judges - 1)) == []


@pytest.mark.parametrize(
    ("again", "part", "columns", "unit"),
    [
        (False, None, {"unit": "HIT"}, None),
        (
            True,
            None,
            None,
            "unit: null # 24 of 48 rows judge a document again in one: units are not identified",
        ),
        (True, "run", None, 'unit: ["run", "HIT"] # HIT alone names several units of a worker'),
    ],
)
def test_units_are_told_apart_by_the_columns_that_do(again, part, columns, unit, tmp_path):
    rows = [
        f"{1 + n % 3}\td{n}\t{worker}\t{(n + task) % 4}\tu{n % 3}\t{task}"
        for task in ((1, 2) if again else (1,))
        for worker in "ab"
        for n in range(12)
    ]
    head = f"topic\tdocno\tworker\tvalue\tHIT\t{part or 'remark'}"
    if again and not part:  # both times the same task
        rows = [f"{row[:-1]}1" for row in rows]
    text, found = collections_of({"crowd.tsv": "\n".join([head, *rows, ""])}, tmp_path)
    one = found["judgments"]["crowd"]
    assert one.get("columns") == columns
    assert ("unit" in one) == (unit is not None)
    assert (unit or "crowd") in text


@pytest.mark.parametrize("itself", [0, 2])
def test_documents_compared_with_themselves_are_left_out_and_that_is_said(itself, tmp_path):
    rows = [f"1\td{n}\td{n + 1}\tleft\tok" for n in range(6)]
    rows += [f"1\td{n}\td{n}\tleft\tok" for n in range(itself)]
    # refused rows are left out, too, and are no fault
    rows += ["1\td0\td5\tleft\trejected"]
    head = "topic\tleft\tright\tpreferred\tstatus"
    text, found = collections_of({"pairs.tsv": "\n".join([head, *rows, ""])}, tmp_path)
    assert found["preferences"]["pairs"]["where"] == {"status": "ok"}
    assert found["preferences"]["pairs"].get("itself") == ("drop" if itself else None)
    assert ("# 2: a document compared with itself\n" in text) == (itself > 0)


def test_of_several_files_one_that_cannot_be_read_may_be_left_out(tmp_path):
    paths = laid({"people.qrels": grades(), "odd.txt": "a b c d e\n"}, tmp_path)
    with pytest.raises(RegradeError) as refused:
        configuration(paths, "mine")
    assert str(refused.value).endswith("\nOr continue without it: name only the other 1")
    with pytest.raises(RegradeError) as refused:
        configuration([path for path in paths if "odd" in path], "mine")
    assert "without it" not in str(refused.value)
