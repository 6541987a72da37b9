"""What files are, and that what is said can be asked of them can."""

import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import regrade
from regrade.api.look import look
from regrade.command.app import app
from regrade.errors import RegradeError

FORMATS = Path(__file__).parents[1] / "data" / "formats"
TOPICS, DOCUMENTS = ("401", "402", "403", "404", "405"), 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file of each kind."""
    root = tmp_path_factory.mktemp("seen")
    rng = np.random.default_rng(5)
    relevance = {(t, f"d{i}"): rng.random() for t in TOPICS for i in range(DOCUMENTS)}

    def written(name, lines):
        (root / name).write_text("".join(f"{line}\n" for line in lines))

    written("qrels.txt", (f"{t} 0 {d} {int(3 * v)}" for (t, d), v in relevance.items()))
    model = (f"{t},{d},{round(v, 3)}" for (t, d), v in relevance.items())
    written("model.csv", ["query_id,doc_id,score", *model])
    both = (f"{t},{d},{int(3 * v)},{int(2 * v)}" for (t, d), v in relevance.items())
    written("wide.csv", ["topic,docno,gpt4,llama", *both])
    for name in ("a", "b"):
        order = sorted(relevance, key=lambda one: relevance[one] + rng.random() / 2)
        lines = (f"{t} Q0 {d} {r} {100 - r} {name}" for r, (t, d) in enumerate(order, 1))
        written(f"{name}.run", lines)
    written("pairs.txt", (f"{t} d{i} d{(i + 1) % 4}" for t in TOPICS for i in range(3)))
    written("groups.txt", ["a one", "b two"])
    return root


@pytest.fixture
def seen(folder, monkeypatch):
    """Look at some files from their folder."""
    monkeypatch.chdir(folder)
    return lambda *names: regrade.look(list(names))


def test_what_each_file_is(seen):
    found = seen("qrels.txt", "model.csv", "wide.csv", "a.run", "pairs.txt", "groups.txt")
    assert [one.kind for one in found.files] == [
        "qrels", "qrels", "judgments", "runs", "preferences", "groups",
    ]  # fmt: skip
    qrels, model, wide, run, pairs, groups = found.files
    assert qrels.format == "trec" and qrels.levels == 3 and qrels.scale.startswith("0, 1, 2 (")
    assert qrels.counts == {"labels": 60, "topics": 5, "documents": 60}
    assert model.columns == {"topic": "query_id", "docno": "doc_id", "grade": "score"}
    assert model.scale.startswith("numbers from 0") and model.levels is None
    assert wide.counts == {"values": 120, "judges": 2, "topics": 5, "documents": 60}
    assert run.counts == {"systems": 1, "topics": 5, "documents ranked": 60}
    assert pairs.format == "winner-loser" and pairs.counts == {"preferences": 15, "topics": 5}
    assert groups.counts == {"systems": 2, "groups": 2}
    assert found.to_frame()["kind"].tolist() == [one.kind for one in found.files]


def test_origins_of_a_pool_are_no_run(seen):
    annotated = [f"{t} 0 d{i} {i % 2} 1 one" for t in TOPICS for i in range(5)]
    Path("annotated.txt").write_text("\n".join(annotated))  # six columns each, as runs have
    Path("several.txt").write_text("\n".join([*annotated, "401 0 d9 1 2 one two"]))
    Path("ones.run").write_text("\n".join(f"401 Q0 d{i} {i} 1 a" for i in range(1, 5)))
    one, several, run = seen("annotated.txt", "several.txt", "ones.run").files
    assert [one.kind, several.kind, run.kind] == ["origins", "origins", "runs"]
    assert one.counts == {"pooled documents": 25, "topics": 5, "groups": 1}
    assert several.counts == {"pooled documents": 26, "topics": 5, "groups": 2}
    refused = CliRunner().invoke(app, ["score", "annotated.txt", "a.run"])
    assert "pool_origins" in refused.stderr and "first four columns" in refused.stderr
    files = ["qrels.txt", "a.run", "b.run", "groups.txt", "several.txt"]
    written = CliRunner().invoke(app, ["init", *files, "--out", "with-origins.yaml"])
    assert written.exit_code == 0, written.stderr
    text = Path("with-origins.yaml").read_text()
    assert f'pool_origins: "{Path("several.txt").resolve()}"' in text
    assert "{name: origins, by: origins" in text


def test_families_are_known_by_their_name_or_by_runs_in_several(seen):
    Path("families.txt").write_text("a one\nb two\n")
    Path("kin.txt").write_text("a one\nb one\nc two\na two\n")
    assert [one.kind for one in seen("families.txt", "kin.txt").files] == ["families"] * 2
    assert seen("kin.txt").files[0].counts == {"systems": 3, "families": 2}
    files = ["qrels.txt", "model.csv", "a.run", "b.run", "families.txt"]
    written = CliRunner().invoke(app, ["init", *files, "--out", "with-families.yaml"])
    assert written.exit_code == 0, written.stderr
    text = Path("with-families.yaml").read_text()
    assert f'families: "{Path("families.txt").resolve()}"' in text and "by: group" not in text
    assert 'favour: [{reference: "qrels", sets: ["model"]}]' in text
    assert "replace" not in text  # on another scale
    command = next(one for one in seen(*files).commands if one.startswith("regrade favour"))
    done = CliRunner().invoke(app, [*shlex.split(command)[1:], "--draws", "100"])
    assert done.exit_code == 0, done.output[-300:]
    Path("families.txt").write_text("x one\ny two\n")
    written = CliRunner().invoke(app, ["init", *files, "--out", "without.yaml"])
    assert "# families: no system is in family 'one'" in Path("without.yaml").read_text()


def test_what_is_said_can_be_asked(seen):
    found = seen("qrels.txt", "model.csv", "wide.csv", "a.run", "b.run", "pairs.txt")
    asked = [shlex.split(one)[1:] for one in found.commands]
    assert {one[0] for one in asked} == {
        "score", "rank", "topics", "unjudged", "leave-one-out", "pool", "ties", "compare", "judges",
        "cut", "workers", "pairs", "pdp", "init", "replace", "panel",
    }  # fmt: skip
    for one in asked:
        more = {
            "compare": ["--splits", "10"],
            "init": ["--out", "x.yaml"],
            "rank": ["--draws", "100"],
            "replace": ["--resamples", "20"],
            "panel": ["--resamples", "20"],
        }.get(one[0], [])
        done = CliRunner().invoke(app, [*one, *more])
        assert done.exit_code == 0, (one, done.output[-300:])


@pytest.mark.parametrize(
    ("files", "first"),
    [
        (["a.run"], "regrade ties a.run"),
        (["model.csv"], "regrade init model.csv"),  # nothing to cut it by
        (["qrels.txt", "wide.csv"], "regrade compare qrels.txt wide.csv"),
        (["pairs.txt"], "regrade pairs pairs.txt --format winner-loser"),
    ],
)
def test_what_is_asked_first(files, first, seen):
    assert seen(*files).commands[0] == first


def test_judgments_alone_are_judges_by_worker(seen):
    assert "regrade judges qrels.txt wide.csv" in seen("qrels.txt", "wide.csv").commands
    both = seen("qrels.txt", "wide.csv", "model.csv").commands
    assert "regrade judges qrels.txt model=model.csv wide=wide.csv" in both


def test_several_judges_are_named_and_one_set_too(seen):
    judges = [one for one in seen("qrels.txt", "model.csv").commands if " judges " in one]
    assert judges == ["regrade judges qrels.txt model=model.csv"]


@pytest.mark.parametrize(
    ("levels", "beside"),
    [(4, " --levels 4 --reference q.txt"), (5, ""), (11, "")],
)
def test_a_reference_of_more_levels_than_cuts_make_is_none(levels, beside, tmp_path, monkeypatch):
    """Such labels are what runs are held beside all the same."""
    monkeypatch.chdir(tmp_path)
    names = [(f"t{t}", f"d{i}") for t in range(3) for i in range(22)]
    grades = [i % levels for i in range(len(names))]
    lines = zip(names, grades, strict=True)
    Path("q.txt").write_text("".join(f"{t} 0 {d} {g}\n" for (t, d), g in lines))
    fine = [f"{t},{d},{i % 22}.5\n" for i, (t, d) in enumerate(names)]
    Path("m.csv").write_text("".join(["topic,docno,score\n", *fine]))
    both = [f"{t},{d},{i % 22}.5,{i % 22}.25\n" for i, (t, d) in enumerate(names)]
    Path("w.csv").write_text("".join(["topic,docno,gpt4,llama\n", *both]))
    found = look(["m.csv", "q.txt", "w.csv"]).commands
    assert found[:2] == ("regrade compare q.txt m.csv", "regrade compare q.txt w.csv")
    assert any(one.startswith("regrade judges") for one in found) == bool(beside)
    cuts = [one for one in found if one.startswith("regrade cut")]
    of_both = [f"regrade cut {name}{beside}" for name in ("m.csv", "w.csv")]
    assert cuts == (of_both if beside else ["regrade cut w.csv --levels 2"])
    for one in cuts:
        assert CliRunner().invoke(app, shlex.split(one)[1:]).exit_code == 0


def test_what_cannot_be_read_is_told_beside_the_rest(seen, folder):
    (folder / "odd.txt").write_text("one line of words that is no data\n")
    found = seen("qrels.txt", "odd.txt")
    assert found.files[0].problem == "" and found.files[1].kind == ""
    assert "odd.txt: a first line of 8 fields is neither a run (6)" in found.summary()
    done = CliRunner().invoke(app, ["look", "qrels.txt", "odd.txt"])
    assert done.exit_code == 1
    assert "qrels.txt: qrels (trec), 60 labels, 5 topics, 60 documents" in done.output
    assert "Nothing can be asked" in seen("groups.txt").summary()


def test_nothing_is_asked_of_files_without_a_common_topic(seen):
    Path("other.txt").write_text("901 0 d1 1\n901 0 d2 0\n")
    found = seen("a.run", "other.txt")
    assert found.commands == ("regrade init other.txt",)
    assert (
        "a.run and other.txt share no topic (such as 401 and 901), so no command" in found.summary()
    )
    assert "other.txt: qrels (trec), 2 labels, 1 topic, 2 documents" in found.summary()
    # beside labels that share topics it is the only one left out
    beside = seen("qrels.txt", "a.run", "other.txt")
    assert beside.commands == seen("qrels.txt", "a.run").commands and "other.txt" in beside.apart
    assert seen("qrels.txt", "a.run").apart == ""


@pytest.mark.parametrize(
    "file", sorted(filter(Path.is_file, FORMATS.iterdir())), ids=lambda file: file.name
)
def test_every_file_of_another_tool_has_a_first_answer(file):
    """What `look` proposes first runs as it stands, without an option."""
    first = look(file).commands[0]
    done = CliRunner().invoke(app, shlex.split(first)[1:])
    assert done.exit_code == 0, (first, done.output)
    assert done.stdout.strip()


def test_where_no_cut_has_an_agreement_is_said():
    with pytest.raises(RegradeError, match=r"tw1 found no cut: under each, α is undefined"):
        regrade.find_cuts(regrade.read_judgments(FORMATS / "inspect.json"), 2).best  # noqa: B018


def test_many_runs_are_named_by_the_folder_that_holds_just_these(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    for k in range(5):
        (folder / f"s{k}.txt").write_text(f"1 Q0 a 1 {2 + k} s{k}\n1 Q0 b 2 1 s{k}\n")
    labels = tmp_path / "grades.qrels"
    labels.write_text("1 0 a 1\n1 0 b 0\n")
    found = look([str(folder), str(labels)])
    assert f"regrade rank {labels} {folder}" in found.commands
    assert f"{folder}: 5 files of runs of up to 1 topic" in found.summary()
    # a file beside them is none of these
    (folder / "notes.md").write_text("# what is here\n")
    beside = look([*sorted(map(str, folder.glob("s*.txt"))), str(labels)])
    assert str(folder / "s0.txt") in " ".join(beside.commands)


def test_what_is_passed_over_in_a_folder_is_told(tmp_path, caplog):
    (tmp_path / "runs").mkdir()
    with pytest.raises(RegradeError, match=r"holds no file, but folders, .*runs: name those"):
        regrade.look(tmp_path)
    (tmp_path / "mine.yaml").write_text("collection: mine\n")
    (tmp_path / ".hidden").write_text("1 0 a 1\n")
    (tmp_path / "people.qrels").write_text("1 0 a 1\n1 0 b 0\n")
    assert [one.file for one in regrade.look(tmp_path).files] == [str(tmp_path / "people.qrels")]
    assert f"folders in it are not looked into: name them too: {tmp_path / 'runs'}" in caplog.text
    caplog.clear()
    (tmp_path / "runs").rmdir()
    regrade.look(tmp_path)
    assert "folders" not in caplog.text
