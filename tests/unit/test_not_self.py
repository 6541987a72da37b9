"""Documents that are the topic itself: left out before ranks are counted."""

import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from click.testing import CliRunner

import regrade
from regrade.command.app import app
from regrade.readers.runs import read_runs
from regrade.run_import import collect_runs
from regrade.tables import read_table

TOPICS = [f"d{n}" for n in range(1, 8)]
DOCNOS = [f"d{n}" for n in range(1, 30)]
QRELS = {
    t: {d: (7 * int(t[1:]) + 3 * int(d[1:])) % 3 for d in DOCNOS[::2] if d != t} for t in TOPICS
}
RUN = {
    t: {d: float((int(t[1:]) * int(d[1:]) * 11) % 59) + 100.0 * (d == t) for d in DOCNOS}
    for t in [*TOPICS[:5], "d99"]
}
MEASURES = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@5": "P_5", "RR": "recip_rank"}


def expected(run):
    """Means as BEIR has them: what a topic ranks under its own name is taken out of its results."""
    others = {t: {d: s for d, s in of.items() if d != t} for t, of in run.items()}
    of_topics = pytrec_eval.RelevanceEvaluator(QRELS, set(MEASURES.values())).evaluate(others)
    return {
        ours: np.sum([of_topics[t][theirs] for t in of_topics]) / len(QRELS)
        for ours, theirs in MEASURES.items()
    }


def lines(run, system="s"):
    rows = [
        (t, d, rank, score)
        for t, of in run.items()
        for rank, (d, score) in enumerate(sorted(of.items(), key=lambda one: -one[1]), 1)
    ]
    return "".join(f"{t} Q0 {d} {rank} {score} {system}\n" for t, d, rank, score in rows)


@pytest.mark.parametrize("kind", ["dict", "lines", "columns", "ranks"])
def test_scores_are_those_of_the_other_documents(kind, tmp_path, caplog):
    frame = pd.DataFrame([(t, d, s) for t, of in RUN.items() for d, s in of.items()],
                         columns=["topic", "docno", "score"])  # fmt: skip
    (tmp_path / "s.run").write_text(lines(RUN))
    ranks = frame.sort_values(["topic", "score", "docno"], ascending=[True, False, False])
    ranks = ranks.assign(rank=ranks.groupby("topic").cumcount() + 1).drop(columns="score")
    source = {"dict": {"s": RUN}, "lines": tmp_path / "s.run", "columns": frame, "ranks": ranks}
    rules = {"tie_break": "trec_eval", "score_precision": "float32"}
    runs = regrade.read_runs(source[kind], not_self=True, **rules)
    found = regrade.score(QRELS, runs, [*MEASURES]).means().iloc[0].to_dict()
    assert found == pytest.approx(expected(RUN), abs=1e-12)
    assert "5 documents of 1 system of 1 left out that are the topic itself" in caplog.text
    held = runs.to_frame()
    assert (held["topic"] != held["docno"]).all()
    assert held.groupby("topic")["rank"].min().eq(1).all()
    as_they_are = regrade.read_runs(source[kind], **rules)
    assert len(as_they_are.to_frame()) == len(held) + 5


def test_none_and_all_are_left_out(caplog):
    other = {"d1": {"d2": 1.0}}
    runs = regrade.read_runs({"a": other, "b": {"d1": {"d1": 1.0}}}, not_self=True)
    assert "1 document of 1 system of 2" in caplog.text
    means = regrade.score({"d1": {"d2": 1}}, runs, "AP").means()["AP"]
    assert means.to_dict() == {"a": 1, "b": 0}
    regrade.read_runs({"a": other}, not_self=True)
    assert "0 documents of 0 systems of 1" in caplog.text


def test_commands_leave_them_out(tmp_path, caplog):
    (tmp_path / "s.run").write_text(lines(RUN))
    (tmp_path / "t.run").write_text(lines({t: of for t, of in RUN.items() if t != "d2"}, "t"))
    rows = [f"{t} 0 {d} {g}\n" for t, of in QRELS.items() for d, g in of.items()]
    (tmp_path / "qrels").write_text("".join(rows))
    files = [str(tmp_path / name) for name in ("qrels", "s.run", "t.run")]
    of_trec = ["--tie-break", "trec_eval", "--not-self"]
    done = CliRunner().invoke(app, ["score", *files, "-m", "AP", *of_trec])
    assert done.exit_code == 0, done.output
    assert f"s\tAP\t{expected(RUN)['AP']:.4f}" in done.stdout
    assert "9 documents of 2 systems of 2 left out that are the topic itself" in caplog.text


def test_the_workflow_leaves_them_out(tmp_path):
    (tmp_path / "s.run").write_text(lines(RUN))
    (tmp_path / "t.run").write_text(lines({"d1": {"d1": 1.0}}, "t"))
    paths = [tmp_path / "s.run", tmp_path / "t.run"]
    size, left_out = collect_runs(paths, [(tmp_path / "runs", tmp_path / "codes")], not_self=True)
    assert left_out == "6 documents of 2 systems of 2 left out that are the topic itself"
    table = read_table(tmp_path / "runs", "runs")
    assert size == len(table) == 6 * 29 - 5
    alone = read_runs(paths[:1], not_self=True)
    assert table.select(["topic", "rank", "docno"]).to_pylist() == (
        alone.select(["topic", "rank", "docno"]).to_pylist()
    )
