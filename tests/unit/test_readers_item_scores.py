"""Scores by item as files, frames and dicts hold them."""

import gzip
import json
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import regrade
from regrade.api.item_scores import is_score_file
from regrade.command.app import app
from regrade.command.output import score_lines
from regrade.errors import InputError, MethodError, ParameterError, RegradeError
from regrade.item_scores.notation import our_measure

FORMATS = Path(__file__).parents[1] / "data" / "formats"
FILES = FORMATS / "scores"
LONG = "system,topic,measure,value\na,1,EM,0.5\na,2,EM,1\nb,1,EM,0.25\nb,2,EM,0\n"
ROWS = [("a", "1", "EM", 0.5), ("a", "2", "EM", 1), ("b", "1", "EM", 0.25), ("b", "2", "EM", 0)]
SCORED = [(s, t, "score", v) for s, t, _, v in ROWS]
TIDES, BREAD = "How do tides work?", "What is bread?"
BY_TOPIC = [(t, m) for t in ("301", "302") for m in ("AP", "nDCG@10")]
COVERAGE = [("a", "q1", 0.5), ("a", "q2", 0.75), ("b", "q1", 0.25), ("b", "q2", 0.5)]
COVERAGE = [(s, t, "coverage", v) for s, t, v in COVERAGE]


def rows_of(scores, *further):
    """System, topic, measure (and further columns) and value of each row, in order."""
    frame = scores.table.to_pandas()
    return list(frame[["system", "topic", "measure", *further, "value"]].itertuples(index=False))


def written(folder, text, name="scores.csv"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# --- what each tool writes ------------------------------------------------------------------------


def named(system, values, by=BY_TOPIC):
    return [(system, *of, v) for of, v in zip(by, values, strict=True)]


HELD = {
    "trec_eval.txt": named("bm25", [0.5, 0.75, 0.25, 0.1]),
    "trec_eval_two.txt": [
        *named("bm25", [0.5, 0.75, 0.25, 0.1]), *named("dense", [0.6, 0.75, 0.25, 0.1])
    ],
    "dense.tsv": [
        ("dense", "301", "AP(rel=2)", 0.5), ("dense", "301", "nDCG@10", 0.75),
        ("dense", "302", "AP(rel=2)", 0.25), ("dense", "302", "nDCG@10", 0.1),
    ],
    "sparse.jsonl": [("sparse", "301", "nDCG@10", 0.75), ("sparse", "302", "nDCG@10", 0.1)],
    "pyterrier.csv": [
        ("BM25", "301", "AP", 0.5), ("BM25", "302", "AP", 0.25),
        ("Dense", "301", "AP", 0.75), ("Dense", "302", "AP", 0.5),
    ],
    "ranx.json": [
        *named("bm25", [0.5, 0.75, 0.25, 0.1], [(t, m) for t in ("301", "302")
                                                for m in ("AP@100", "nDCG@10")]),
        *named("dense", [0.25, 0.5, 0.125, 0.2], [(t, m) for t in ("301", "302")
                                                  for m in ("AP@100", "nDCG@10")]),
    ],
    "mteb/lab__small/1f2e/TidesRetrieval.json": [
        ("lab/small", "TidesRetrieval", "main_score", 0.625)
    ],
    "mteb/lab__large/0a9b/TidesRetrieval.json": [  # without a description of the model
        ("lab/large", "TidesRetrieval", "main_score", 0.875)
    ],
    "mteb/lab__small/1f2e/BreadSTS.json": [
        ("lab/small", "BreadSTS/de", "main_score", 0.5),
        ("lab/small", "BreadSTS/en", "main_score", 0.75),
    ],
    "mteb/lab__large/first/BreadSTS.json": [  # of a version before 1.11
        ("lab/large", "BreadSTS/de", "main_score", 0.5),
        ("lab/large", "BreadSTS/en", "main_score", 0.75),
    ],
    "mteb/lab__large/first/CakeRetrieval.json": [("lab/large", "CakeRetrieval", "main_score", 0.5)],
    "helm.json": [("helm", "id1", "exact_match", 1), ("helm", "id2", "exact_match", 0)],
    "display_predictions.json": [
        ("display_predictions", "id1", "exact_match", 1),
        ("display_predictions", "id2", "exact_match", 0),
    ],
    "lm_eval/lab__small/samples_tides_2025-03-01T10-00-00.000000.jsonl": [
        ("lab__small", "0", "acc", 1), ("lab__small", "0", "acc_norm", 1),
        ("lab__small", "1", "acc", 0), ("lab__small", "1", "acc_norm", 0),
    ],
    "lm_eval/lab__small/samples_sums_2025-03-01T10-00-00.000000.jsonl": [
        ("lab__small", "0", "exact_match,flexible-extract", 0),
        ("lab__small", "0", "exact_match,strict-match", 1),
    ],
    "promptfoo.json": [
        ("lab:small", "0", "pass", 1), ("lab:small", "0", "score", 1),
        ("lab:small", "0", "tone", 0.5), ("lab:small", "1", "pass", 0),
        ("lab:small", "1", "score", 0), ("lab:small", "1", "tone", 0),
        ("large", "0", "pass", 0), ("large", "0", "score", 0.25), ("large", "0", "tone", 1),
    ],
    "promptfoo.jsonl": [
        ("lab:small", "0", "pass", 1), ("lab:small", "0", "score", 1),
        ("lab:small", "0", "tone", 0.5), ("lab:small", "1", "pass", 0),
        ("lab:small", "1", "score", 0), ("lab:small", "1", "tone", 0),
        ("large", "0", "pass", 0), ("large", "0", "score", 0.25), ("large", "0", "tone", 1),
    ],
    "ragas.csv": [
        ("ragas", TIDES, "answer_relevancy", 0.91), ("ragas", TIDES, "faithfulness", 1),
        ("ragas", TIDES, "house_style", 0.5), ("ragas", BREAD, "faithfulness", 0.5),
        ("ragas", BREAD, "house_style", 1),
    ],
    "../ragas.json": [
        ("ragas", TIDES, "answer_relevancy", 0.91), ("ragas", TIDES, "faithfulness", 1),
        ("ragas", BREAD, "answer_relevancy", 0.75), ("ragas", BREAD, "faithfulness", 0.5),
    ],
    "../deepeval.json": [
        ("deepeval", TIDES, "Answer Relevancy", 0.9), ("deepeval", TIDES, "Faithfulness", 1),
        ("deepeval", BREAD, "Faithfulness", 0.25),
    ],
    "../deepeval.csv": [
        ("deepeval", TIDES, "Answer Relevancy", 0.9), ("deepeval", TIDES, "Faithfulness", 1),
        ("deepeval", BREAD, "Faithfulness", 0.25),
    ],
    "autojudge.eval.jsonl": COVERAGE,
    "autojudge.ir_measures": COVERAGE,
    "autojudge.tot": COVERAGE,
    "autojudge.rag4reports": COVERAGE,
    "autojudge.trec_eval": [
        ("autojudge", "q1", "coverage", 0.5), ("autojudge", "q2", "coverage", 0.75)
    ],
    "../leaderboard.tsv": [
        ("a", "q1", "grade", 2), ("a", "q2", "grade", 1),
        ("b", "q1", "grade", 0), ("b", "q2", "grade", 3),
    ],
    "items_down.csv": [
        ("new", "1", "score", 0.75), ("new", "2", "score", 1), ("new", "3", "score", 0.25),
        ("old", "1", "score", 0.5), ("old", "2", "score", 0),
    ],
    "systems_down.csv": [
        ("new", "bread", "score", 1), ("new", "sea", "score", 0.25),
        ("new", "tides", "score", 0.75),
        ("old", "bread", "score", 0), ("old", "tides", "score", 0.5),
    ],
}  # fmt: skip
"""What files hold: system, item, measure, value."""

LEFT_OUT = {
    "trec_eval.txt": {"counts of documents": 2, "means over all items": 4},
    "dense.tsv": {"means over all items": 2},
    "helm.json": {
        "statistics of costs and lengths, which are no scores": 1,
        "perturbed instances": 1,
        "no value (missing)": 1,
    },
    "lm_eval/lab__small/samples_tides_2025-03-01T10-00-00.000000.jsonl": {
        "parts of a measure over all documents (brier)": 2
    },
    "inspect.json": {"samples without a score": 1, "no value (missing)": 1},
    "display_predictions.json": {"statistics of costs and lengths, which are no scores": 2},
    "promptfoo.json": {"no value (missing)": 2},
    "promptfoo.jsonl": {"no value (missing)": 2},
    "ragas.csv": {"no value (missing)": 1},
    "autojudge.eval.jsonl": {"means over all items": 2},
    "items_down.csv": {"no value (missing)": 1},
}


@pytest.mark.parametrize("file", HELD)
def test_what_a_file_of_another_tool_holds(file):
    scores = regrade.read_scores(FILES / file)
    # items in the order of their names
    assert rows_of(scores) == sorted(HELD[file], key=lambda row: row[:3])
    assert is_score_file(FILES / file)


def test_every_file_is_read():
    others = {"clusters.jsonl", "inspect.json", "seeds.tsv"}  # with further columns
    refused = {"ranx_report.json", "mteb/lab__small/1f2e/model_meta.json"}
    held = {str(path.relative_to(FILES)) for path in FILES.rglob("*") if path.is_file()}
    assert held == {name for name in HELD if not name.startswith("..")} | others | refused


@pytest.mark.parametrize("file", LEFT_OUT)
def test_what_is_left_out_is_counted(file):
    assert regrade.read_scores(FILES / file).left_out == LEFT_OUT[file]


def test_a_log_of_inspect_has_epochs_as_repeats():
    scores = regrade.read_scores(FILES / "inspect.json")
    match = [row for row in rows_of(scores, "dataset", "repeat") if row[2] == "match"]
    assert match == [
        ("lab/small", item, "match", "tides", epoch, value)
        for item, epoch, value in [("1", "1", 1), ("1", "2", 0.5), ("2", "1", 0), ("2", "2", 0)]
    ]
    assert scores.measures == ["graded/facts", "graded/style", "match"]
    assert scores.notes[0].startswith("Read as a log of Inspect: an item is a sample")


def test_seeds_clusters_and_data_sets_are_further_columns():
    seeds = regrade.read_scores(FILES / "seeds.tsv")
    assert rows_of(seeds, "dataset", "repeat") == [
        (system, "1", "acc", "sums", seed, value)
        for system, seed, value in [
            ("new", "11", 1), ("new", "12", 1), ("old", "11", 1), ("old", "12", 0),
        ]
    ]  # fmt: skip
    clusters = regrade.read_scores(FILES / "clusters.jsonl")
    assert rows_of(clusters, "cluster") == [
        ("new", "401", "WER", "c1", 0.25), ("old", "401", "WER", "c1", 0.5),
    ]  # fmt: skip


def test_results_of_mteb_are_means_of_tasks_and_other_measures_are_named():
    files = list((FILES / "mteb").rglob("*.json"))
    scores = regrade.read_scores(files)
    assert scores.systems == ["lab/large", "lab/small"]
    assert "its score is a mean over its own items" in scores.notes[0]
    task = FILES / "mteb/lab__small/1f2e/TidesRetrieval.json"
    ndcg = regrade.read_scores(task, measures="ndcg_at_1")
    assert rows_of(ndcg) == [("lab/small", "TidesRetrieval", "nDCG@1", 0.5)]
    with pytest.raises(InputError, match="TidesRetrieval has no ndcg_at_5; did you mean"):
        regrade.read_scores(task, measures="ndcg_at_5")


def test_results_of_mteb_by_model_are_in_one_file(tmp_path):
    task = json.loads((FILES / "mteb/lab__small/1f2e/TidesRetrieval.json").read_text())
    model = {"model_name": "lab/small", "model_revision": "1", "task_results": [task]}
    for held in (model, {"model_results": [model]}):
        path = written(tmp_path, json.dumps(held, indent=2), "mteb.json")
        assert rows_of(regrade.read_scores(path)) == [
            ("lab/small", "TidesRetrieval", "main_score", 0.625)
        ]


def test_other_forms_of_deepeval_and_inspect(tmp_path):
    run = json.loads((FORMATS / "deepeval.json").read_text())
    path = written(tmp_path, json.dumps({"testRunLink": None, "testRunData": run}), "deepeval.json")
    assert rows_of(regrade.read_scores(path)) == sorted(
        HELD["../deepeval.json"], key=lambda row: row[:3]
    )
    log = {"eval": {"model": "m"}, "samples": [{"id": "s", "epoch": 1, "score": {"value": "C"}}]}
    path = written(tmp_path, json.dumps(log), "inspect.json")
    assert rows_of(regrade.read_scores(path)) == [("m", "s", "score", 1)]


def test_a_run_of_helm_is_named_by_its_folder(tmp_path):
    text = (FILES / "helm.json").read_text()
    name = "mmlu:subject=tides,model=lab_small,data_augmentation=canonical"
    path = written(tmp_path, text, f"{name}/per_instance_stats.json")
    first = rows_of(regrade.read_scores(path), "dataset")[0]
    assert first[0] == "lab_small"
    assert first[3] == "mmlu:subject=tides,data_augmentation=canonical"
    again = [{**row, "train_trial_index": trial} for trial in (0, 1) for row in json.loads(text)]
    path.write_text(json.dumps(again))
    assert [row[3] for row in rows_of(regrade.read_scores(path), "repeat")] == [*"0101"]


def test_samples_of_lm_eval_that_were_moved_are_named_by_their_file(tmp_path):
    source = FILES / "lm_eval/lab__small/samples_tides_2025-03-01T10-00-00.000000.jsonl"
    moved = shutil.copy(source, tmp_path / "small.jsonl")
    assert regrade.read_scores(moved).systems == ["small"]


def test_test_cases_of_promptfoo_that_come_again_are_repeats(tmp_path):
    held = json.loads((FILES / "promptfoo.json").read_text())
    first = held["results"]["results"][0]
    held["results"]["results"] = [first, {**first, "testIdx": 1, "score": 0}]
    path = written(tmp_path, json.dumps(held), "again.json")
    scores = regrade.read_scores(path, measures="score")
    assert rows_of(scores, "repeat") == [
        ("lab:small", "0", "score", "1", 1), ("lab:small", "0", "score", "2", 0),
    ]  # fmt: skip
    held["results"]["results"][1] |= {"prompt": {"label": "Other"}, "promptIdx": 1}
    path.write_text(json.dumps(held))
    two = ["lab:small | Answer: {{q}}", "lab:small | Other"]
    assert regrade.read_scores(path).systems == two


def test_a_prompt_of_promptfoo_that_is_given_as_it_was_sent_is_one(tmp_path):
    held = json.loads((FILES / "promptfoo.json").read_text())
    first = {**held["results"]["results"][0], "promptIdx": 0, "error": None}
    cases = [{**first, "vars": {"q": q}, "prompt": {"label": q}, "testCase": {}} for q in "ab"]
    held["results"]["results"] = [{**one, "testIdx": i} for i, one in enumerate(cases)]
    path = written(tmp_path, json.dumps(held), "sent.json")
    assert regrade.read_scores(path).systems == ["lab:small"]


def test_the_folder_of_a_framework_is_its_files_of_scores(tmp_path):
    def stats(**means):
        return [{"name": {"name": name}, "mean": mean} for name, mean in means.items()]

    for model in ("a-1.5", "b"):
        run = tmp_path / "helm/runs/v1" / f"tides:model={model}"
        costs = {"num_output_tokens": 9, "max_num_completion_tokens": 9, "denoised_runtime": 2.5}
        of = [stats(safety_score=1), stats(**costs, estimated_num_tokens_cost=4)]
        rows = [{"instance_id": "id1", "stats": one} for one in of]
        written(run, json.dumps(rows), "per_instance_stats.json")
        written(run, "[]", "stats.json")
        sample = {"doc_id": 0, "filtered_resps": ["4"], "input": "2 + 2", "exact_match": True}
        text = json.dumps(sample) + "\n"
        packed = tmp_path / "lm" / model / "samples_sums_2025-03-01T10-00-00.0.jsonl.gz"
        written(packed.parent, "{}", "results_2025-03-01T10-00-00.0.json")
        packed.write_bytes(gzip.compress(text.encode()))
    helm = [(model, "id1", "safety_score", "tides", 1) for model in ("a-1.5", "b")]
    assert rows_of(regrade.read_scores(tmp_path / "helm"), "dataset") == helm
    samples = [(model, "0", "exact_match", "sums", 1) for model in ("a-1.5", "b")]
    read = regrade.read_scores(tmp_path / "lm")
    assert rows_of(read, "dataset") == samples
    assert read.left_out == {"texts beside the scores": 2}
    assert regrade.read_scores(FILES / "mteb").systems == ["lab/large", "lab/small"]


def test_a_report_of_ranx_has_means_alone():
    with pytest.raises(InputError, match="holds means over all topics only\nWrite scores by topic"):
        regrade.read_scores(FILES / "ranx_report.json")


def test_means_alone_are_refused(tmp_path):
    path = written(tmp_path, "map all 0.5\nndcg all 0.25\n")
    with pytest.raises(InputError, match="means over all items only\nScore by item: trec_eval -q"):
        regrade.read_scores(path)


# --- tables ---------------------------------------------------------------------------------------


def test_a_long_table_is_the_same_however_it_is_written(tmp_path):
    frame = pd.DataFrame(ROWS, columns=["system", "topic", "measure", "value"])
    frame.to_csv(tmp_path / "s.csv", index=False)
    frame.to_csv(tmp_path / "s.tsv", index=False, sep="\t")
    frame.to_json(tmp_path / "s.jsonl", orient="records", lines=True)
    frame.to_json(tmp_path / "s.json", orient="records")
    frame.to_parquet(tmp_path / "s.parquet")
    frame.to_excel(tmp_path / "s.xlsx", index=False)
    frame.to_csv(tmp_path / "e.csv", index=False, sep=";", decimal=",")
    (tmp_path / "s.csv.gz").write_bytes(gzip.compress((tmp_path / "s.csv").read_bytes()))
    shuffled = frame.sample(frac=1, random_state=1)
    of_numbers = frame.astype({"topic": int})
    coded = pa.Table.from_pandas(frame.astype({"system": "category"}))
    for source in (*tmp_path.iterdir(), frame, shuffled, of_numbers, coded):
        assert rows_of(regrade.read_scores(source)) == ROWS, source
    assert regrade.read_scores(tmp_path / "s.csv.gz").name == "s"


def test_a_wide_table_of_items_down_or_systems_down(tmp_path):
    down = written(tmp_path, "topic,b,a\n2,0,1\n1,0.25,0.5\n", "down.csv")
    across = written(tmp_path, "model,2,1\nb,0,0.25\na,1,0.5\n", "across.csv")
    frame = pd.DataFrame({"b": [0, 0.25], "a": [1, 0.5]}, pd.Index(["2", "1"], name="qid"))
    frame.to_parquet(tmp_path / "wide.parquet")
    for source in (down, across, frame, tmp_path / "wide.parquet"):
        assert rows_of(regrade.read_scores(source)) == SCORED, source


def test_which_way_a_table_lies_is_said_where_its_names_do_not_and_can_be_forced(tmp_path):
    text = ",a,b\nx,0.5,0.25\ny,1,0\nz,1,1\n"  # as pandas writes an index without a name
    path = written(tmp_path, text)
    scores = regrade.read_scores(path)
    assert scores.systems == ["a", "b"]
    (note,) = scores.notes
    assert "items stand in rows and systems in columns (3 rows, 2 columns)" in note
    assert "columns system=Unnamed: 0" in note
    forced = regrade.read_scores(path, columns={"system": "Unnamed: 0"})
    assert forced.systems == ["x", "y", "z"]
    assert forced.notes == []
    few = written(tmp_path, "which,i1,i2,i3\nold,1,0,1\nnew,1,1,1\n")
    assert regrade.read_scores(few).systems == ["new", "old"]
    assert regrade.read_scores(few, columns={"topic": "which"}).systems == ["i1", "i2", "i3"]


def test_measures_side_by_side(tmp_path):
    text = "system,item,EM,F1\na,1,1,0.5\nb,1,0,0.25\n"
    scores = regrade.read_scores(written(tmp_path, text))
    assert rows_of(scores) == [
        ("a", "1", "EM", 1), ("a", "1", "F1", 0.5), ("b", "1", "EM", 0), ("b", "1", "F1", 0.25),
    ]  # fmt: skip
    one = written(tmp_path, "qid,map,ndcg_cut_10\n1,1,0.5\n", "bm25.csv")
    assert rows_of(regrade.read_scores(one)) == [
        ("bm25", "1", "AP", 1), ("bm25", "1", "nDCG@10", 0.5),
    ]  # fmt: skip
    ours = written(tmp_path, "qid,tone,length\n1,1,0.5\n", "mine.csv")
    assert regrade.read_scores(ours).systems == ["length", "tone"]
    assert regrade.read_scores(ours, measures=["tone", "length"]).systems == ["mine"]


def test_which_column_is_the_system_is_asked_where_it_is_open(tmp_path):
    text = "model,run,item,score\na,1,x,1\na,2,x,0\n"
    path = written(tmp_path, text)
    with pytest.raises(ParameterError, match="'model' and 'run' could be the system: say which"):
        regrade.read_scores(path)
    chosen = regrade.read_scores(path, columns={"system": "model", "repeat": "run"})
    assert rows_of(chosen, "repeat") == [("a", "x", "score", "1", 1), ("a", "x", "score", "2", 0)]
    named = written(tmp_path, "name,model,item,score\nx,a,1,1\ny,a,2,0\n")
    assert regrade.read_scores(named).systems == ["a"]


def test_items_of_a_leaderboard_are_its_tasks(tmp_path):
    scores = regrade.read_scores(written(tmp_path, "model,task,score\na,sts,0.5\nb,sts,1\n"))
    assert rows_of(scores) == [("a", "sts", "score", 0.5), ("b", "sts", "score", 1)]


def test_a_set_says_what_it_is():
    scores = regrade.read_scores(FILES / "seeds.tsv")
    assert repr(scores) == "<ItemScores seeds: 2 systems, 1 item, 1 measure>"
    assert len(scores) == 4
    names = ["system", "topic", "measure", "dataset", "repeat", "value"]
    assert sorted(scores.to_frame()) == sorted(names)


def test_dicts_by_system():
    by_item = {"b": {"1": 0.25, "2": 0}, "a": {1: 0.5, 2: 1}}
    assert rows_of(regrade.read_scores(by_item)) == SCORED
    by_measure = {s: {t: {"EM": v} for t, v in own.items()} for s, own in by_item.items()}
    assert rows_of(regrade.read_scores(by_measure)) == ROWS
    one = {"1": {"map": 0.5, "ndcg_cut_10": 1}}  # as pytrec_eval gives one run
    counted = {"x": {"1": {**one["1"], "num_ret": 10, "num_rel_ret": 1}}}
    assert regrade.read_scores(counted).measures == ["AP", "nDCG@10"]
    assert regrade.read_scores(counted).left_out == {"counts of documents": 2}
    assert regrade.read_scores(counted, measures="num_ret").measures == ["num_ret"]
    assert rows_of(regrade.read_scores(one)) == [
        ("system", "1", "AP", 0.5), ("system", "1", "nDCG@10", 1),
    ]  # fmt: skip
    assert regrade.read_scores(counted["x"]).measures == ["AP", "nDCG@10"]
    assert regrade.read_scores({"x": one, "y": one}).systems == ["x", "y"]
    by_name = {"map": {"1": 0.5}, "mrr": {"1": 1}}  # as ranx keeps them
    assert regrade.read_scores(by_name).measures == ["AP", "RR"]


def test_files_and_frames_by_system(tmp_path):
    one = written(tmp_path, "qid,measure,value\n1,EM,0.5\n2,EM,1\n", "x.csv")
    frame = pd.DataFrame({"qid": ["1", "2"], "measure": "EM", "value": [0.25, 0]})
    assert rows_of(regrade.read_scores({"a": one, "b": frame})) == ROWS
    both = regrade.read_scores([one, shutil.copy(one, tmp_path / "y.csv")])
    assert both.systems == ["x", "y"]
    assert regrade.read_scores(str(tmp_path / "*.csv")).systems == ["x", "y"]
    assert regrade.read_scores(tmp_path).systems == ["x", "y"]


@pytest.mark.parametrize("own", [{}, {"EM": {}}, {"EM": {}, "F1": {}}])
def test_a_system_without_a_score_is_not_lost(own):
    with pytest.raises(ParameterError, match="mine: 'b' has no score: add its scores or leave it"):
        regrade.read_scores({"a": {"EM": {"1": 0.5}}, "b": own}, name="mine")


def test_ir_measures_tuples_are_read():
    ir_measures = pytest.importorskip("ir_measures")
    made = [ir_measures.Metric("1", ir_measures.nDCG @ 10, 0.5)]
    assert rows_of(regrade.read_scores({"a": made})) == [("a", "1", "nDCG@10", 0.5)]


def test_rows_are_chosen_and_columns_named(tmp_path):
    text = "who,what,lang,n\na,1,de,0.5\na,1,en,1\nb,1,de,0.25\nb,1,en,1\n"
    columns = {"system": "who", "topic": "what", "value": "n"}
    path = written(tmp_path, text)
    scores = regrade.read_scores(path, columns=columns, where={"lang": "de"})
    assert rows_of(scores) == [("a", "1", "score", 0.5), ("b", "1", "score", 0.25)]
    assert scores.left_out == {"other than lang de (where)": 2}
    by = regrade.read_scores(path, columns={**columns, "dataset": "lang"})
    assert by.design().dataset_names == ("de", "en")


def test_several_judges(tmp_path):
    text = "system,topic,judge,value\na,1,x,1\na,1,y,0\nb,1,x,0\nb,1,y,1\n"
    scores = regrade.read_scores(written(tmp_path, text))
    assert scores.judges == ["x", "y"]
    assert scores.design("x").scores.values[:, 0, 0].tolist() == [1, 0]


# --- values ---------------------------------------------------------------------------------------


def test_truths_and_letters_are_numbers(tmp_path):
    text = "system,topic,value\na,1,true\na,2,False\na,3,C\na,4,I\na,5,P\na,6,0.25\n"
    scores = regrade.read_scores(written(tmp_path, text))
    assert [row[-1] for row in rows_of(scores)] == [1, 0, 1, 0, 0.5, 0.25]
    frame = pd.DataFrame({"system": ["a", "a"], "topic": ["1", "2"], "value": [True, False]})
    assert [row[-1] for row in rows_of(regrade.read_scores(frame))] == [1, 0]


@pytest.mark.parametrize("missing", ["", "NA", "nan", "null", "None"])
def test_a_missing_score_is_counted_and_never_0(tmp_path, missing):
    scores = regrade.read_scores(written(tmp_path, LONG.replace("0.25", missing)))
    assert rows_of(scores) == [row for row in ROWS if row[-1] != 0.25]
    assert scores.left_out == {"no value (missing)": 1}
    with pytest.raises(MethodError, match="1 score of 4 are missing, as of b on 1 by EM"):
        scores.design()


def test_percentages_are_proportions_and_are_written_alike(tmp_path):
    scores = regrade.read_scores(written(tmp_path, "item,a,b\n1,45 %,50%\n2,-1.5%,\n"))
    held = [("a", "1", "score", 0.45), ("a", "2", "score", -0.015), ("b", "1", "score", 0.5)]
    assert rows_of(scores) == held
    assert scores.reading[0].endswith("percentages are read as proportions (50% as 0.5).")
    for text, said in (
        ("item,a,b\n1,45%,50%\n2,45,5%\n", r":3: a '45' is not a percentage, as others of the"),
        ("item,a,b\n1,45%,50\n", "'a' has percentages and 'b' has none: write both alike"),
    ):
        with pytest.raises(RegradeError, match=said):
            regrade.read_scores(written(tmp_path, text))


def test_decimal_commas_in_quotes_or_between_tabs_are_refused_with_their_line(tmp_path):
    said = r":2: a '0,5' is not a number\n.*\nWrite decimal points, and nothing between thousands"
    for name, text in (
        ("quoted.csv", 'item,a,b\n1,"0,5","1,25"\n'), ("tabs.tsv", "item\ta\tb\n1\t0,5\t1,25\n")
    ):  # fmt: skip
        with pytest.raises(InputError, match=said):
            regrade.read_scores(written(tmp_path, text, name))


def test_texts_that_are_no_scores_are_shown(tmp_path):
    with pytest.raises(ParameterError, match=r"no column holds scores, .* \(a = 'yes', b = 'no'\)"):
        regrade.read_scores(written(tmp_path, "item,a,b\n1,yes,no\n2,no,no\n"))


MEANS = {
    "a row": "item,a,b\n1,0.5,1\n2,0.25,0\n3,0.5,0\nMean,0.417,0.333\n",
    "a column of systems": "item,a,b,average\n1,0.5,1,0.75\n2,0.25,0,0.125\n3,0.5,0,0.25\n",
    "a column of items": "model,Average ⬆️,1,2,3\na,0.417,0.5,0.25,0.5\nb,0.333,1,0,0\n",
    "rows of a long table": "model,item,score\na,1,0.5\na,2,0.25\na,3,0.5\na,overall,0.417\n"
    "b,1,1\nb,2,0\nb,3,0\nb,overall,0.333\n",
    "a tool's row": "system,topic,err@20,ndcg@20\na,1,0.5,1\na,2,0.25,0\na,3,0.5,0\n"
    "a,amean,0.4,0.3\n",
}


@pytest.mark.parametrize("case", MEANS)
def test_means_beside_items_or_systems_are_neither(tmp_path, case):
    scores = regrade.read_scores(written(tmp_path, MEANS[case]))
    assert sorted(row[3] for row in rows_of(scores)) == [0, 0, 0.25, 0.5, 0.5, 1]
    assert list(scores.left_out) == ["means over all items"]


def test_a_system_that_is_called_as_a_mean_stays_one(tmp_path):
    text = "item,a,b,average\n1,0.5,1,0.75\n2,0.25,0,0.5\n3,0.5,0,0.25\n"
    scores = regrade.read_scores(written(tmp_path, text))
    assert scores.systems == ["a", "average", "b"]
    said = "'average' is taken for a system, as it is not the mean of the others."
    assert scores.reading[-1].endswith(said)


def test_one_system_is_scores_too(tmp_path):
    path = written(tmp_path, "item,a\n1,0.5\n2,0.25\n")
    assert is_score_file(path)
    result = CliRunner().invoke(app, ["rank", str(path)], catch_exceptions=False)
    assert "There is only one system, a, so nothing is ranked." in result.output


def test_lower_is_better_turns_the_sign_and_is_said(tmp_path):
    text = "system,item,WER,F1\na,1,0.5,1\nb,1,0,0.5\n"
    scores = regrade.read_scores(written(tmp_path, text), lower=("WER",))
    values = {row[:3]: row[-1] for row in rows_of(scores)}
    assert values["a", "1", "-WER"] == -0.5
    assert values["b", "1", "-WER"] == 0 and not np.signbit(values["b", "1", "-WER"])
    assert scores.measures == ["-WER", "F1"]
    assert scores.lower == ("-WER",)
    assert "scores: lower values of WER are better: their signs are reversed." in scores.notes
    with pytest.raises(ParameterError, match="lower: no score is of 'CER'; did you mean 'WER'"):
        regrade.read_scores(written(tmp_path, text), lower="CER")


@pytest.mark.parametrize(
    ("values", "bound"),
    [
        ([0, 1, 1, 0], "0/1"), ([1, 1, 1, 1], "0/1"), ([0, 0.5, 1, 0], "proportion"),
        ([-1, 0.5, 0, 0], "real"), ([0, 2, 0, 1], "real"),
    ],
)  # fmt: skip
def test_bounds_are_known(values, bound):
    source = {"a": {"1": values[0], "2": values[1]}, "b": {"1": values[2], "2": values[3]}}
    assert regrade.read_scores(source).bounds == {"score": bound}
    if bound != "real":
        assert regrade.read_scores(source, lower="score").bounds == {"-score": bound}


def test_measures_are_chosen_by_any_name():
    file = FILES / "trec_eval.txt"
    for name in ("ndcg_cut_10", "nDCG@10"):
        scores = regrade.read_scores(file, measures=name)
        assert scores.measures == ["nDCG@10"]
        assert scores.left_out["another measure"] == 2
    with pytest.raises(ParameterError, match="measures: no score is of 'P@5'"):
        regrade.read_scores(file, measures="P@5")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("map", "AP"), ("ndcg_cut_10", "nDCG@10"), ("P_10", "P@10"), ("recall_100", "R@100"),
        ("recip_rank", "RR"), ("iprec_at_recall_0.10", "IPrec@0.1"), ("map_cut.5", "AP@5"),
        ("map@100-l2", "AP(rel=2)@100"), ("hit_rate@3", "Success@3"), ("mrr", "RR"),
        ("ndcg_at_10", "nDCG@10"), ("NDCG@10", "nDCG@10"),
        # other measures, or none
        ("ndcg@10-l2", None), ("gm_map", None), ("rbp.95", None), ("WER", None), ("P", None),
    ],
)  # fmt: skip
def test_measures_in_our_notation(theirs, ours):
    assert our_measure(theirs) == ours


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,1,EM,x\n", r":6: value 'x' is not a number\nA missing score is an empty field"),
        ("a,1,EM,inf\n", ":6: value inf is not a finite number"),
        ("a,1,EM,1e-200\n", ":6: value 1e-200 is not 0, nor from"),
        (",1,EM,1\n", ":6: system is empty"),
        ("a,,EM,1\n", ":6: topic is empty"),
        ("a,1,EM,1\n", r":6: system a, item 1, measure EM has a score already: line 2 has it\n"
                       "Name the column in which they differ"),
        ("a,3\n", ":6: has 2 columns where the header has 4"),
        ("a,3\u200b,EM,1\n", r":6: topic 3\\u200b holds"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_row_is_said_with_its_line(tmp_path, text, said):
    with pytest.raises(InputError, match=said):
        regrade.read_scores(written(tmp_path, LONG + text))


def test_two_files_of_one_system_are_named(tmp_path):
    source = FILES / "trec_eval.txt"
    files = [shutil.copy(source, tmp_path / name) for name in ("a.txt", "b.txt")]
    with pytest.raises(InputError, match=r"b.txt:2: system bm25, item 301, measure AP has a score "
                       r"already: .*a.txt:2 has it") as caught:  # fmt: skip
        regrade.read_scores(files)
    assert "name them: read_scores({name: file, …})" in str(caught.value)
    assert regrade.read_scores(dict(zip("ab", files, strict=True))).systems == ["a", "b"]


def test_systems_of_different_measures_are_told_at_once(tmp_path):
    rows = "1\tAP\t0.5\n1\tRR\t0.5\n", "1\tAP\t0.5\n"
    files = [written(tmp_path, text, f"{name}.txt") for name, text in zip("ab", rows, strict=True)]
    scores = regrade.read_scores(files)
    for missing in ("refuse", "drop"):
        with pytest.raises(MethodError, match=r"b has no score by RR: choose measures that all "
                                              r"systems have: measures=\['AP'\]"):  # fmt: skip
            scores.design(missing=missing)
    assert regrade.read_scores(files, measures="AP").design().scores.values.shape == (2, 1, 1)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({}, "the dict is empty"),
        ([], "the list is empty"),
        ({"a": 1}, "under system 'a' stands 1"),
        ({"a": {1: 1, "1": 2}}, "has a score already"),
        ({1: {"x": 1}, "1": {"x": 2}}, "two names are '1'"),
        ({"a": {"x": {"y": {"z": 1}}}}, "under 'x', 'y' stands another dict"),
        ({"a": {"x": None}}, "every score is missing"),
        (pd.DataFrame({"system": ["a"], "value": [1.0]}), "no column names the items"),
        (pd.DataFrame({"topic": ["a"], "text": ["b"]}), "no column holds scores"),
        (pd.DataFrame({"topic": [], "value": []}), "holds no row"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(source, said):
    with pytest.raises(RegradeError, match=said):
        regrade.read_scores(source)


def test_columns_that_are_not_there():
    file = FILES / "items_down.csv"
    with pytest.raises(ParameterError, match="scores have no use for 'docno'"):
        regrade.read_scores(file, columns={"docno": "item"})
    with pytest.raises(ParameterError, match="has no column 'itm'; did you mean 'item'"):
        regrade.read_scores(file, columns={"topic": "itm"})
    with pytest.raises(ParameterError, match="columns and where go with files whose first line"):
        regrade.read_scores(FILES / "trec_eval.txt", columns={"topic": "x"})


# --- scores where something else is wanted --------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "cut {s} --levels 2", "pool {s} --qrels {q}", "unjudged {q} {s}", "unjudged {s} {r}",
        "ties {s}", "leave-one-out {q} {s}", "score {q} {s}", "workers {s}",
        "estimate {s} {r}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("file", ["items_down.csv", "trec_eval.txt", "ranx.json"])
def test_what_needs_documents_says_so(command, file, tmp_path):
    qrels = written(tmp_path, "1 0 a 1\n1 0 b 0\n", "qrels.txt")
    run = written(tmp_path, "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n", "x.run")
    words = command.format(s=FILES / file, q=qrels, r=run).split()
    done = CliRunner().invoke(app, words)
    assert done.exit_code
    assert f"{file}: holds scores by item, and no " in done.output
    assert "This needs runs and labels" in done.output


def test_scores_that_were_read_are_no_labels():
    scores = regrade.read_scores(FILES / "items_down.csv")
    for read in (regrade.read_qrels, regrade.read_runs, regrade.read_judgments):
        with pytest.raises(ParameterError, match="items_down holds scores by item, and no"):
            read(scores)
    assert regrade.read_scores(scores) is scores


def test_labels_and_runs_are_no_scores():
    others = [path for path in FORMATS.iterdir() if path.is_file()]
    both = {"autojudge.tot", "deepeval.csv", "deepeval.json", "inspect.json", "ir_measures.txt",
            "leaderboard.tsv", "ragas.csv", "ragas.json"}  # fmt: skip
    assert {path.name for path in others if is_score_file(path)} == both


def test_a_table_whose_documents_have_an_odd_name_is_none_of_scores(tmp_path):
    labels = written(tmp_path, "qid,passage,score\n1,a,1\n1,b,0\n")
    assert not is_score_file(labels)
    run = written(tmp_path, "run,qid,passage,score\nx,1,a,1\nx,1,b,0\n")
    assert not is_score_file(run)
    assert is_score_file(written(tmp_path, "run,qid,comment,score\nx,1,a,1\nx,2,b,0\n"))
    assert is_score_file(written(tmp_path, "run,qid,score\nx,1,1\nx,1,0\n"))


# --- look -----------------------------------------------------------------------------------------


def test_look_knows_scores(monkeypatch):
    monkeypatch.chdir(FILES)
    seen = regrade.look("ranx.json")
    (file,) = seen.files
    assert file.kind == "scores"
    assert file.counts == {"scores": 8, "systems": 2, "items": 2, "measures": 2}
    assert str(file) == "ranx.json: scores (jsonl), 8 scores, 2 systems, 2 items, 2 measures"
    assert seen.commands == (
        "regrade rank ranx.json", "regrade topics ranx.json",
        "regrade compare-systems ranx.json bm25 dense",
    )  # fmt: skip
    assert (
        regrade.look("items_down.csv").commands[0] == "regrade rank items_down.csv --missing drop"
    )
    alone = regrade.look("helm.json")
    assert alone.commands == ()
    assert "add scores of another system" in alone.summary()
    seeds = regrade.look("seeds.tsv").files[0].counts
    assert seeds["repeats"] == 2


@pytest.mark.parametrize("file", [*HELD, "inspect.json", "seeds.tsv", "clusters.jsonl"])
def test_what_look_proposes_of_scores_runs(file, monkeypatch):
    monkeypatch.chdir(FILES)
    seen = regrade.look(file)
    assert seen.files[0].kind == "scores" or seen.files[0].scores
    for command in seen.commands:
        if command.split()[1] in ("rank", "topics", "compare-systems"):
            done = CliRunner().invoke(app, shlex.split(command)[1:])
            assert done.exit_code == 0, (command, done.output)


def test_look_at_scores_by_several_judges(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{s},{t},{j},{(t + len(s + j)) % 2}" for s in "ab" for t in range(4) for j in "xy"]
    written(tmp_path, "\n".join(["system,topic,judge,value", *rows]) + "\n")
    seen = regrade.look("scores.csv")
    assert seen.files[0].counts["judges"] == 2
    assert seen.commands == ("regrade judges x scores.csv",)
    done = CliRunner().invoke(app, shlex.split(seen.commands[0])[1:])
    assert done.exit_code == 0, done.output


def test_look_at_what_is_scores_and_judgments(monkeypatch):
    monkeypatch.chdir(FORMATS)
    seen = regrade.look("leaderboard.tsv")
    assert seen.files[0].kind == "judgments"
    assert seen.files[0].scores == {"scores": 4, "systems": 2, "items": 2, "measures": 1}
    assert "also scores by item: 4 scores, 2 systems" in seen.summary()
    assert seen.commands[0] == "regrade rank leaderboard.tsv"


def test_look_at_scores_that_are_broken(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "item,old,new\n" + "".join(f"{i},1,0\n" for i in range(40)) + "x,1,x\n")
    (file,) = regrade.look("scores.csv").files
    assert "new 'x' is not a number" in file.problem
    written(tmp_path, "item,old,new\n1,1,0\n2,x,1\n3,0,1\n")
    assert "scores.csv:3: old 'x' is not a number" in regrade.look("scores.csv").files[0].problem


# --- real data ------------------------------------------------------------------------------------


def same_scores(table, read):
    """Whether scores that were written and read are those of a table, as they were printed."""
    design = read.design()
    place = [design.scores.measures.index(name) for name in table.measures]
    assert design.scores.systems == tuple(table.scores.systems)
    assert design.scores.topics == tuple(table.scores.topics)
    return design.scores.values[..., place]


def check_scores_as_they_are_printed(table, folder):
    printed = np.vectorize(lambda value: float(f"{value:.4f}"))(table.scores.values)
    for format in ("ir_measures", "trec_eval"):
        path = folder / f"{format}.txt"
        path.write_text(score_lines(table, format, per_topic=True))
        read = regrade.read_scores(path)
        assert (same_scores(table, read) == printed).all()
        assert read.left_out == {"means over all items": printed[:, 0].size}
    for ending in ("csv", "parquet"):
        path = folder / f"full.{ending}"
        regrade.writers.write_frame(table.to_frame(), path)
        assert (same_scores(table, regrade.read_scores(path)) == table.scores.values).all(), ending


MEASURES = "AP nDCG@10 RR P@10 RBP(p=0.8) AP(rel=2)@100 IPrec@0.1"


def test_scores_are_read_as_they_are_printed(tmp_path):
    rng = np.random.default_rng(3)
    qrels = {f"t{t}": {f"d{d}": int(rng.integers(3)) for d in range(20)} for t in range(12)}
    runs = {
        f"s{s}": {t: {d: float(rng.random()) for d in own} for t, own in qrels.items()}
        for s in range(4)
    }
    check_scores_as_they_are_printed(regrade.score(qrels, runs, MEASURES), tmp_path)


@pytest.mark.slow
def test_scores_of_dl21_are_read_as_they_are_printed(real_data, tmp_path):
    folder = real_data / "dl21"
    table = regrade.score(folder / "qrels.gz", folder / "runs", MEASURES)
    check_scores_as_they_are_printed(table, tmp_path)


def test_a_large_set_keeps_what_a_small_one_has(tmp_path):
    """Sorted by counting, by comparing and not at all, with the same result."""
    rng = np.random.default_rng(1)
    values = rng.random((3, 400, 2))
    rows = [
        (f"s{s}", f"q{t}", f"m{m}", values[s, t, m])
        for s in range(3)
        for t in range(400)
        for m in range(2)
    ]
    frame = pd.DataFrame(rows, columns=["system", "topic", "measure", "value"])
    pq.write_table(
        pa.Table.from_pandas(frame.sample(frac=1, random_state=2)), tmp_path / "l.parquet"
    )
    wide = frame.pivot(index=["system", "topic"], columns="measure", values="value").reset_index()
    wide.to_csv(tmp_path / "w.csv", index=False)
    sparse = pd.concat([frame, frame.assign(repeat="2").head(1)])
    expected = regrade.read_scores(frame)
    order = np.argsort([f"q{t}" for t in range(400)])
    assert (expected.design().scores.values == values[:, order]).all()
    for source in (tmp_path / "l.parquet", tmp_path / "w.csv"):
        assert rows_of(regrade.read_scores(source)) == rows_of(expected)
    assert len(regrade.read_scores(sparse).table) == len(frame) + 1


def test_systems_may_be_called_as_sides_of_a_pair_are(tmp_path):
    scores = tmp_path / "scores.csv"
    scores.write_text("item,a,b\n1,0.2,0.5\n2,0.4,0.5\n")
    assert is_score_file(scores)
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("topic,a,b,strength\n1,d2,d5,1\n2,d4,d5,0\n")
    assert not is_score_file(pairs)


@pytest.mark.parametrize(
    ("names", "systems"),
    [
        (["bm25.irm", "dense.v2.irm"], ["bm25", "dense.v2"]),
        (["bm25.run.eval"], ["bm25.run"]),
        (["a.oddtool", "b.oddtool"], ["a", "b"]),  # an ending that all share
        (["a.oddtool", "b.other"], ["a.oddtool", "b.other"]),
        (["gpt-4.1", "llama-3.1"], ["gpt-4.1", "llama-3.1"]),  # versions are no endings
        (["a.oddtool.gz"], ["a.oddtool"]),
    ],
)
def test_endings_are_no_part_of_a_system(names, systems, tmp_path):
    text = "".join(f"nDCG@10 {topic} 0.{topic}\n" for topic in range(1, 4))
    for name in names:
        data = text.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    files = [str(tmp_path / name) for name in names]
    scores = regrade.read_scores(files if len(files) > 1 else files[0])
    assert scores.systems == systems
    assert scores.measures == ["nDCG@10"]


def test_tasks_of_mteb_are_called_alike_whatever_splits_a_file_has(tmp_path):
    for model, splits in (("a", ("test",)), ("b", ("dev", "test")), ("c", ("test", "dev"))):
        held = {split: [{"hf_subset": "default", "main_score": 0.5}] for split in splits}
        path = tmp_path / model / "first" / "CakeRetrieval.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"task_name": "CakeRetrieval", "scores": held}))
    scores = regrade.read_scores(sorted(map(str, tmp_path.rglob("*.json"))))
    of_test = {row.system for row in scores.to_frame().itertuples() if row.topic == "CakeRetrieval"}
    assert of_test == {"a", "b", "c"}
    assert {*scores.to_frame()["topic"]} == {"CakeRetrieval", "CakeRetrieval/dev"}
