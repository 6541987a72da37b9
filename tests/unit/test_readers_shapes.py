"""Files that other tools write: each read without an option, as what it holds."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from regrade.api.sets import Judgments, Labels, read_qrels, read_runs, read_set
from regrade.command.given_files import sets_of
from regrade.errors import InputError, ParameterError, RegradeError
from regrade.preferences.question import read_preferences
from regrade.readers import preferences as preference_files
from regrade.readers.formats import LAYOUTS, layout, layout_of
from regrade.readers.labels import read_judgments
from regrade.readers.preferences import strengths_of_winners
from regrade.readers.sources import kind_of
from regrade.scales import Scale

FILES = Path(__file__).parents[1] / "data" / "formats"
QUERIES = [("bread", "d1", 1), ("how tides work", "d1", 3), ("how tides work", "d2", 0)]
TOPICS = [("q1", "d1", 3), ("q1", "d2", 0), ("q2", "d1", 1)]
TIDES, BREAD = "How do tides work?", "What is bread?"
LABELS = {
    "array.json": TOPICS,
    "beir.tsv": [("q1", "d1", 2), ("q1", "d2", 0), ("q2", "d1", 1)],
    "by_topic.json": TOPICS,
    "candidates.jsonl": TOPICS,
    "judgments.json": QUERIES,
    "letor.txt": TOPICS,
    "nuggets.jsonl": [("q1", "a/1", 2), ("q1", "a/2", 0), ("q1", "a/3", 1),
                      ("q1", "b/1", 0), ("q1", "b/2", 0), ("q1", "b/3", 0)],
    "opensearch.json": QUERIES,
    "quepid.csv": [("bread, rye", "d1", 1), *QUERIES[1:]],
    "rank_eval.json": TOPICS,
    "rre_listed.json": QUERIES,
    "rre_ratings.json": [
        ("bread", "d1", 1), ("bread", "d2", 0), ("bread", "d3", 1),
        *((query, doc, gain) for query in ("how tides work", "tides")
          for doc, gain in (("d1", 3), ("d2", 0))),
    ],
    "umbrela.jsonl": TOPICS,
}  # fmt: skip
CROWD = [("tasks", "t1", "w1", 3), ("tasks", "t1", "w2", 2), ("tasks", "t2", "w1", 0)]
PEOPLE = [("q1", "d1", "u1", 3), ("q1", "d1", "u2", 2), ("q1", "d2", "u1", 0)]
MODEL = "openai/gpt-4o"
JUDGED = {
    "argilla.json": PEOPLE,
    "argilla_lists.jsonl": PEOPLE,
    "label_studio.json": [
        ("q1", "d1", "1", 3), ("q1", "d1", "two@example.org", 2), ("q1", "d2", "1", 0),
    ],
    "crowd.csv": CROWD,
    "toloka.tsv": CROWD,
    "rre_results.json": [
        ("tides", "v1", "AP", 0.125), ("tides", "v2", "AP", 1),
        ("tides", "v1", "P", 0.25), ("tides", "v2", "P", 0.5),
        ("waves", "v1", "P", 0.75), ("waves", "v2", "P", 1),
    ],
    "decimal_commas.csv": [
        ("q1", "d1", "gpt4", 0.75), ("q1", "d1", "llama", 1),
        ("q1", "d2", "gpt4", 0.5), ("q1", "d2", "llama", 0),
    ],
    "deepeval.csv": [
        (TIDES, "answer1", "Answer Relevancy", 0.9), (TIDES, "answer1", "Faithfulness", 1),
        (BREAD, "answer1", "Faithfulness", 0.25),
    ],
    "inspect.json": [
        ("1", MODEL, "graded", 0.8), ("1", MODEL, "match", 1),
        ("2", MODEL, "graded", 0.1), ("2", MODEL, "match", 0),
    ],
    "autojudge.tot": [("1", "a", "coverage", 0.5), ("1", "b", "coverage", 0.25),
                      ("2", "a", "coverage", 0.75)],
    "ir_measures.txt": [("q1", "a", "nDCG@10", 0.5), ("q1", "b", "nDCG@10", 0.25),
                        ("q2", "a", "nDCG@10", 0.75)],
    "trials.jsonl": [("q1", "d1", "1", 3), ("q1", "d1", "2", 2), ("q1", "d2", "1", 0),
                     ("q1", "d2", "2", 0)],
    "leaderboard.tsv": [
        ("q1", "a", "grade", 2), ("q1", "b", "grade", 0),
        ("q2", "a", "grade", 1), ("q2", "b", "grade", 3),
    ],
    "ragas.csv": [
        (TIDES, "answer1", "answer_relevancy", 0.91), (TIDES, "answer1", "faithfulness", 1),
        (TIDES, "answer2", "faithfulness", 0),
        (BREAD, "answer1", "answer_relevancy", 0.75), (BREAD, "answer1", "faithfulness", 0.5),
    ],
    "ragas.json": [
        (TIDES, "answer1", "answer_relevancy", 0.91), (TIDES, "answer1", "faithfulness", 1),
        (BREAD, "answer1", "answer_relevancy", 0.75), (BREAD, "answer1", "faithfulness", 0.5),
    ],
    "wide.csv": [
        ("q1", "d1", "gpt4", 3), ("q1", "d1", "llama", 2), ("q1", "d2", "gpt4", 0),
        ("q1", "d2", "llama", 1), ("q2", "d1", "gpt4", 1),
    ],
}  # fmt: skip
JUDGED["deepeval.json"] = JUDGED["deepeval.csv"]
RANKED = {"mteb_predictions.json": [("lab/model", "q1", "d1"), ("lab/model", "q1", "d2"),
                                    ("lab/model", "q2", "d1")],
          "marco.tsv": [("marco", "q1", "d1"), ("marco", "q1", "d2"),
                        ("marco", "q2", "d1")]}  # fmt: skip
PREFERRED = {
    "arena.jsonl": [("q1", "m1", "m2", -1), ("q1", "m2", "m3", 0), ("q2", "m1", "m3", 1)],
    "probabilities.jsonl": [("q1", "d1", "d2", -0.5), ("q1", "d2", "d3", 0.25)],
    "sides.jsonl": [("q1", "a", "b", 1), ("q1", "b", "c", -1), ("q1", "c", "a", 0)],
}
"""Below 0 for the left one; the first file's documents are called as sides are not."""


def rows(found, *names):
    return sorted(zip(*(found.table[name].to_pylist() for name in names), strict=True))


def test_every_file_is_read():
    assert {path.name for path in FILES.iterdir() if path.is_file()} == {
        *LABELS,
        *JUDGED,
        *RANKED,
        *PREFERRED,
    }


@pytest.mark.parametrize("name", LABELS)
def test_labels_of_other_tools(name):
    found = read_set(FILES / name)
    assert isinstance(found, Labels)
    assert rows(found, "topic", "docno", "grade") == sorted(LABELS[name])


@pytest.mark.parametrize("name", JUDGED)
def test_judgments_of_other_tools(name):
    found = read_set(FILES / name)
    assert isinstance(found, Judgments)
    assert rows(found, "topic", "docno", "worker", "value") == sorted(JUDGED[name])


@pytest.mark.parametrize("name", RANKED)
def test_runs_of_other_tools(name):
    found = read_runs(FILES / name).to_frame()
    assert list(found[["system", "topic", "docno"]].itertuples(index=False)) == RANKED[name]


@pytest.mark.parametrize("name", PREFERRED)
def test_preferences_of_other_tools(name):
    columns = ("topic", "left", "right", "strength")
    found = read_preferences(FILES / name)
    assert list(zip(*(found[name].to_pylist() for name in columns), strict=True)) == PREFERRED[name]
    (given,) = sets_of(FILES / name, kind_of(FILES / name).kind)
    assert rows(given, *columns) == sorted(PREFERRED[name])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('"winner": "c"', "winner 'c' is not one of the two documents"),
        ('"probability": 1.25', "probability 1.25 is not from 0 to 1"),
        ('"length": 3', "needs columns for left, right and winner (or strength, probability)"),
    ],
)
def test_a_preference_that_says_nothing_is_refused(line, said, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"topic": "1", "left": "a", "right": "b", {line}}}')
    with pytest.raises(RegradeError, match=re.escape(said)):
        read_preferences(path)
    if "length" not in line:
        with pytest.raises(RegradeError, match=r"a.jsonl:1: "):
            preference_files.read_preferences(path, format="jsonl", columns={"preferred": "winner"})


def test_a_document_of_its_own_name_is_preferred_before_a_side_of_that_name():
    names = {"left": "doc_a", "right": "doc_b"}
    said = ["a", "A", "B", "doc_b", "draw", "both_bad", "Left", "z"]
    found = strengths_of_winners(said, ["b"] * 8, ["a"] * 8, names)
    np.testing.assert_array_equal(found, [1, -1, 1, 1, 0, 0, -1, np.nan])


def test_runs_with_named_columns_are_no_trials(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("run,topic,docno,score\na,1,x,2\nb,1,x,3\n")
    assert kind_of(path).kind == "runs"
    assert read_runs(path).systems == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 qid:1 1:2 # d1\n2 qid:1 1:3\n", "2: names no document behind #: '2 qid:1 1:3'"),
        ("1 qid:1 1:2 # d1\n2 q:1 1:3 # d2\n", "2: is no example: '2 q:1 1:3 # d2'"),
        ("1 qid:1 1:2 # d1\nx qid:1 1:3 # d2\n", "2: grade 'x' is no"),
    ],
)
def test_an_example_without_a_document_or_a_grade_is_refused(text, said, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_set(path)
    assert said in str(caught.value)


def test_pairs_without_a_number_are_asked_about(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("q1 d1\nq1 d2\n")
    with pytest.raises(ParameterError, match="may be a run or labels: give the file a header line"):
        kind_of(path)
    with pytest.raises(InputError, match="have no grade: write each as topic 0 docno 1"):
        read_qrels(path)


def test_one_of_several_trials_is_chosen_by_where():
    found = read_qrels(FILES / "trials.jsonl", where={"run": "2"})
    assert rows(found, "topic", "docno", "grade") == [("q1", "d1", 2), ("q1", "d2", 0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 0 d1 1\n2 0 d1 0\n", None),
        ("1 Q0 all 1\n2 Q0 AP 0\n", None),  # a document of that name
        ("a AP 1 0.5\na AP 2 0.5\n", None),
        ("a AP 1 0.5\na AP all 0.5\n", LAYOUTS[1]),
        ("a AP 1 0.5\na AP all 0", None),
        ("a 1 AP 0.5\na all AP 0.5\na", LAYOUTS[0]),
        ("a all 0.5\na all AP 0.5\na", None),
    ],
)
def test_scores_of_runs_are_told_from_qrels(text, expected):
    assert layout(text.encode()) == expected


@pytest.mark.parametrize("form", LAYOUTS)
def test_scores_of_many_topics_are_told_from_qrels_by_a_total_far_down(tmp_path, form):
    """As ``tot`` writes thousands of topics: the mean comes after the first 64 kB."""
    topics = [f"topic{n:04d}" for n in range(4000)]
    scores = {topic: round(n / 4000, 4) for n, topic in enumerate(topics)}

    def line(run, topic, value):
        fields = {"run": run, "topic": topic, "measure": "coverage", "value": value}
        return " ".join(str(fields[name]) for name in form)

    lines = [line("a", topic, value) for topic, value in scores.items()]
    assert len("\n".join(lines[:-1])) > 1 << 16
    path = tmp_path / "scores.txt"
    path.write_text("\n".join([*lines, line("a", "all", 0.5)]))  # the last line has no end
    found = read_set(path)
    assert isinstance(found, Judgments)
    expected = [(topic, "a", "coverage", value) for topic, value in scores.items()]
    assert rows(found, "topic", "docno", "worker", "value") == expected
    path.write_text("\n".join(lines))
    assert layout_of(path) is None


def test_a_document_of_a_total_s_name_far_down_leaves_qrels_what_they_are(tmp_path):
    path = tmp_path / "some.qrels"
    path.write_text("".join(f"1 0 d{n:05d} 1\n" for n in range(8000)) + "1 0 all 1\n")
    assert layout_of(path) is None
    assert len(read_qrels(path)) == 8001


def test_means_of_a_task_of_mteb_are_refused_with_what_to_do(tmp_path):
    path = tmp_path / "NFCorpus.json"
    path.write_text(
        '{"task_name": "x", "mteb_version": "1", "scores": {"test": [{"main_score": 1}]}}'
    )
    with pytest.raises(InputError, match="prediction_folder"):
        read_set(path)


@pytest.mark.parametrize("name", sorted({*LABELS, *JUDGED}))
def test_a_run_of_the_workflow_can_read_them(name):
    kind = kind_of(FILES / name).kind
    (given,) = sets_of(FILES / name, kind)
    value = ("grade",) if kind == "qrels" else ("worker", "value")
    assert rows(given, "topic", "docno", *value) == sorted({**LABELS, **JUDGED}[name])


@pytest.mark.parametrize(
    ("name", "column", "expected"),
    [
        ("wide.csv", "gpt4", [("q1", "d1", 3), ("q1", "d2", 0), ("q2", "d1", 1)]),
        ("nuggets.jsonl", "strict_vital_score", [("q1", "a", 0.5), ("q1", "b", 0)]),
        ("nuggets.jsonl", "vital_score", [("q1", "a", 0.5), ("q1", "b", 0)]),
        ("nuggets.jsonl", "strict_all_score", [("q1", "a", 1 / 3), ("q1", "b", 0)]),
        ("nuggets.jsonl", "all_score", [("q1", "a", 0.5), ("q1", "b", 0)]),
        ("ragas.csv", "faithfulness",
         [(TIDES, "answer1", 1), (TIDES, "answer2", 0), (BREAD, "answer1", 0.5)]),
    ],
)  # fmt: skip
def test_the_other_reading_is_asked_for_by_a_column(name, column, expected):
    found = read_set(FILES / name, columns={"grade": column})
    assert isinstance(found, Labels)
    assert rows(found, "topic", "docno", "grade") == sorted(expected)


def test_one_judge_is_chosen_by_where():
    found = read_qrels(FILES / "inspect.json", where={"worker": "match"})
    assert rows(found, "topic", "docno", "grade") == [("1", MODEL, 1), ("2", MODEL, 0)]
    vital = read_qrels(FILES / "nuggets.jsonl", where={"importance": "vital"})
    assert len(vital) == 4
    with pytest.raises(InputError, match=r"choose one by where \(as in --where worker="):
        read_qrels(FILES / "inspect.json")


def test_candidates_and_grades_by_topic_are_runs_too():
    assert read_runs(FILES / "candidates.jsonl").to_frame()["score"].tolist() == [9.5, 7.25, 4.0]
    assert read_runs(FILES / "by_topic.json").topics == ["q1", "q2"]


def test_epochs_of_inspect_are_answers_of_their_own(tmp_path):
    log = json.loads((FILES / "inspect.json").read_text())
    log["samples"].append({**log["samples"][0], "epoch": 2, "scores": {"match": {"value": "P"}}})
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log, indent=1))
    found = read_set(path)
    assert ("1", f"{MODEL}#2", "match", 0.5) in rows(found, "topic", "docno", "worker", "value")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"qid": "1", "run_id": "a", "nuggets": [{"assignment": "maybe"}]}',
         "1: assignment 'maybe' is not one of support"),
        ('{"eval": {}, "samples": [{"id": 1, "scores": {"m": {"value": "very"}}}]}',
         "1: value 'very' (sample 1, scorer m) is not a number and not one of C, I"),
        ('{"fields": {"text": "x"}, "responses": {"q": [{"value": 1, "user_id": "u"}]}}',
         "1: names no topic: none of topic"),
        ('{"queries": [{"relevant_documents": {"d": {}}, "placeholders": {"$query": "a"}}]}',
         "1: document 'd' of 'a' has no gain"),
        ('{"queries": [{"relevant_documents": {}, "placeholders": {"x": "a", "y": "b"}}]}',
         "1: a query has the placeholders"),
        ('{"queries": [{"relevant_documents": "d", "placeholders": {"$query": "a"}}]}',
         "1: the relevant documents of 'a' are \"d\": no object of gains"),
        ('{"query": "a", "ratings": [{"rating": 1}]}', "1: has no docId"),
        ('{"query": "a", "ratings": [{"docId": "d"}]}', "1: query 'a', document 'd': has no"),
        ('{"query": "a", "ratings": ["d", {"docId": "d", "rating": 1}]}',
         '1: holds "d" among the ratings of the query'),
        ('{"query": "a", "ratings": [{"docId": "d", "rating": 1}]}\n{"query": "b"}',
         "2: has no list of ratings for the query 'b'"),
    ],
)  # fmt: skip
def test_what_an_object_lacks_is_said_with_its_line(text, said, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_set(path)
    assert said in str(caught.value)
    assert "The file was read as" in str(caught.value)


def test_several_questions_of_an_export_are_not_mixed(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"fields": {"qid": "1", "docid": "d"}, "responses": {"fluency": [{"value": 1, "user_id": '
        '"u"}], "use": [{"value": 3, "user_id": "u"}]}}'
    )
    with pytest.raises(ParameterError, match=r"no column for the value.*fluency, use"):
        read_set(path)
    found = read_set(path, columns={"value": "use"})
    assert rows(found, "topic", "docno", "worker", "value") == [("1", "d", "u", 3)]


def test_lines_of_a_wide_table_are_those_of_the_file(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("topic,docno,a,b\n1,x,0,1\n1,y,0,7\n")
    with pytest.raises(RegradeError, match=r"wide.csv:3: value '7'"):
        read_set(path, scale=4)
    with pytest.raises(InputError, match=r":3: value 7"):
        read_judgments(path, format="csv", scale=Scale.of({"levels": 4}))


def test_a_table_with_a_grade_is_not_wide(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("topic,docno,grade,length,year\n1,x,0,10,1999\n")
    assert isinstance(read_set(path), Labels)


def test_a_broken_object_over_several_lines_is_refused(tmp_path):
    path = tmp_path / "a.json"
    path.write_text((FILES / "inspect.json").read_text().replace('"samples": [', '"samples": '))
    with pytest.raises(InputError, match=r"a.json:(\d+): is no JSON: .*column") as caught:
        read_set(path)
    assert len(caught.value.problems) == 1  # not one for each line
    assert caught.value.problems[0][0] > 5
    shutil.copy(FILES / "inspect.json", path)
    assert len(read_set(path)) == 4


@pytest.fixture
def workbook(tmp_path):
    """A workbook whose first sheet is empty; cells as (row, column, value)."""
    openpyxl = pytest.importorskip("openpyxl")

    def make(*cells):
        book = openpyxl.Workbook()
        sheet = book.create_sheet("labels")
        header = [(2, 1, "Query ID"), (2, 2, "doc_id"), (2, 4, "label")]
        rows = [(3, 1, 401), (3, 2, "a"), (3, 4, 2), (5, 1, 401.0), (5, 2, 77), (5, 4, 0.5)]
        for row, column, value in [*header, *rows, *cells]:
            sheet.cell(row, column, value)
        book.save(tmp_path / "labels.data")
        return tmp_path / "labels.data"

    return make


def test_a_workbook_of_excel(workbook):
    path = workbook()
    found = rows(read_set(path), "topic", "docno", "grade")
    assert found == [("401", "77", 0.5), ("401", "a", 2)]
    (given,) = sets_of(path, kind_of(path).kind)
    assert rows(given, "topic", "docno", "grade") == found
    assert given.options["format"] == "xlsx"


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([(6, 1, 402), (6, 2, "b"), (6, 4, "much")], ":6: label 'much' is not a finite number"),
        ([(6, 1, 402), (6, 2, "b"), (6, 4, "#N/A")], ":6: label is #N/A, an Excel error"),
        ([(2, 5, "label")], ":2: two columns are named 'label'"),
    ],
)
def test_what_is_wrong_in_a_workbook_is_said_with_its_row(cells, said, workbook):
    with pytest.raises(InputError, match=re.escape(said)):
        read_set(workbook(*cells))


def test_a_workbook_without_openpyxl_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    path = tmp_path / "labels.xlsx"
    with zipfile.ZipFile(path, "w") as held:
        held.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(InputError, match=r"labels.xlsx: is a workbook.*\n?.*regrade\[xlsx\]"):
        read_set(path)
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as held:
        held.writestr("a.txt", "x")
        held.writestr("b.txt", "x")
    with pytest.raises(InputError, match=r"is a \.zip of 2 files"):
        read_set(other)


def test_the_command_says_which_reading_was_taken():
    command = [sys.executable, "-m", "regrade", "workers", str(FILES / "wide.csv")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "each of gpt4, llama is a judge; one of them alone: columns grade=gpt4" in done.stderr
    assert done.stderr.count("is a judge") == 1
