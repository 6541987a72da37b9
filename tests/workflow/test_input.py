"""Collections from files: what comes out of good ones, and what is said about bad ones."""

import codecs
import csv
import gzip
import json
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from regrade.answers.shape import Answer
from regrade.errors import FAILED
from regrade.tables import read_table
from tests.each import others_slow
from tests.unit.configured_keys import EXAMPLES
from tests.workflow.conftest import configured

pytestmark = pytest.mark.workflow

TOPICS = ("401", "402", "403")
DOCNOS = tuple(f"D{number}" for number in range(12))
JUDGED = DOCNOS[:-1]
SYSTEMS = ("first", "second", "third")


def grade(topic: str, docno: str) -> int:
    """The true grade, 0 … 3, of a document."""
    return (int(topic) + 5 * int(docno[1:])) % 4


def ranking(system: str, topic: str) -> list[str]:
    """A system's documents; the first system is the best, the third the worst."""
    order = np.random.default_rng([SYSTEMS.index(system), int(topic)]).permutation(DOCNOS)
    noise = dict(zip(order, range(len(order)), strict=True))
    weight = 2.0 / (1 + SYSTEMS.index(system))
    return sorted(DOCNOS, key=lambda docno: noise[docno] - weight * grade(topic, docno))[:10]


def run_lines(system: str, first_rank: int = 1, topics=TOPICS) -> list[str]:
    return [
        f"{topic}\tQ0  {docno} {rank + first_rank} {1e3 - rank:e} {system}"
        for topic in topics
        for rank, docno in enumerate(ranking(system, topic))
    ]


def write_runs(folder: Path) -> None:
    """Three runs: Windows ends and a byte-order mark; ranks from 0 and gzipped; a topic more."""
    folder.mkdir()
    text = "\r\n".join(run_lines("first")) + "\r\n"
    (folder / "first.txt").write_bytes(codecs.BOM_UTF8 + text.encode())
    with gzip.open(folder / "second.gz", "wt") as out:
        out.write("\n".join(run_lines("second", first_rank=0)) + "\n")
    (folder / "third.txt").write_text("\n".join(run_lines("third", topics=(*TOPICS, "404"))))


def write_qrels(path: Path) -> None:
    """Expert labels of all documents but the last."""
    lines = [f"{t} 0 {docno} {grade(t, docno)}" for t in TOPICS for docno in JUDGED]
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode())


def judgments(levels: int, workers: int = 3, units: int = 2):
    """Rows of a crowd that is right but for noise: topic, docno, worker, unit, position, value."""
    step = (levels - 1) / 3
    for topic in TOPICS:
        draws = np.random.default_rng([levels, int(topic)])
        for worker in range(workers):
            for number, docno in enumerate(DOCNOS):
                value = step * grade(topic, docno) + draws.normal(0, step / 2)
                value = int(np.clip(round(value), 0, levels - 1))
                yield topic, docno, f"w{worker}", f"u{number % units}", number, value


def write_tsv(path: Path, levels: int) -> None:
    """Judgments in a TSV with a column more, of which half the rows are to be left out."""
    with path.open("w", encoding="utf-8-sig", newline="") as out:
        writer = csv.writer(out, delimiter="\t", lineterminator="\r\n")
        writer.writerow(["topic", "docno", "worker", "unit", "position", "value", "status"])
        for row in judgments(levels):
            writer.writerow([*row, "Accepted"])
            writer.writerow([*row[:-1], levels + 1, "Rejected"])


RUNS_ONLY = {
    "runs": "{data}/runs/*",
    "qrels": {"NIST": {"file": "{data}/qrels.txt", "levels": 4}},
    "measures": ["AP(rel=2)", "nDCG@10"],
}


@pytest.fixture
def data(tmp_path) -> Path:
    """Runs and qrels in `data/` of the working directory."""
    folder = tmp_path / "data"
    folder.mkdir()
    write_runs(folder / "runs")
    write_qrels(folder / "qrels.txt")
    return folder


# --- good input ----------------------------------------------------------------------------------


def test_runs_and_qrels_only(house, tmp_path, data):
    configured(tmp_path, "plain", {**RUNS_ONLY, "transformations": []})
    ran = house.snakemake(tmp_path).well()
    results = tmp_path / "results" / "plain"
    assert not (results / "cuts").exists()
    assert not (results / "rankings").exists()
    assert (results / "report.html").exists()

    runs = read_table(results / "tables" / "runs.parquet", "runs").to_pandas()
    assert sorted(runs["system"].unique()) == sorted(SYSTEMS)
    for (system, topic), rows in runs[runs["topic"] != "404"].groupby(
        ["system", "topic"], observed=True
    ):
        assert list(rows.sort_values("rank")["docno"]) == ranking(system, topic)
        assert list(rows["rank"]) == list(range(1, 11))

    scores = read_table(results / "scores" / "NIST.parquet", "scores").to_pandas()
    assert set(scores["topic"]) == set(TOPICS)
    for _, row in scores[scores["measure"] == "nDCG@10"].iterrows():
        topic = row["topic"]
        gains = [grade(topic, d) if d in JUDGED else 0 for d in ranking(row["system"], topic)]
        ideal = sorted((grade(topic, docno) for docno in JUDGED), reverse=True)[:10]
        discounts = np.log2(np.arange(2, 12))
        expected = (gains / discounts).sum() / (ideal / discounts).sum()
        assert row["value"] == pytest.approx(expected, abs=1e-12)

    # 404 is in a run and not in the qrels
    log = (results / "logs" / "audit.log").read_text(encoding="utf-8")
    for text in (log, ran.printed):
        assert "warning: " in text
        assert "404" in text
    summary = (results / "audit" / "summary.md").read_text(encoding="utf-8")
    assert "systems" in summary


@pytest.mark.slow
def test_labels_under_cuts_go_out_and_come_back(house, tmp_path, data):
    """Qrels of a search and of a cut given by hand, and the runs ranked under them."""
    write_tsv(data / "crowd.tsv", levels=11)
    crowd = {"file": "{data}/crowd.tsv", "where": {"status": "Accepted"}, "levels": 11}
    cuts = {"middle": [5], "own": {TOPICS[0]: [3]}}
    configured(
        tmp_path,
        "cut",
        {
            **RUNS_ONLY,
            "qrels": {
                **RUNS_ONLY["qrels"],
                "N2": {"file": "{data}/qrels.txt", "levels": 4, "relevant_from": 2},
                "Cut": {"from": "S11-to-2", "labels": "d2_at@N2@single", "levels": 2},
            },
            "judgments": {"S11": crowd},
            "transformations": [
                {"source": "S11", "levels": 2, "references": ["N2"], "cuts": cuts, "measure": "AP"}
            ],
            "measures": ["AP"],
        },
    )
    labels = "results/cut/labels/S11-to-2"
    written = ("d2_at@N2@single.qrels", "tau@N2.qrels", "middle.qrels", "own.judgments.tsv")
    asked = [f"{labels}/{name}" for name in written] + ["results/cut/scores/Cut.systems.csv"]
    house.snakemake(tmp_path, *asked).well()
    results = tmp_path / "results" / "cut"

    def told(name):
        return json.loads((results / "labels" / "S11-to-2" / name).read_text(encoding="utf-8"))

    single = told("d2_at@N2@single.json")
    assert (single["source"], single["method"], single["selection"]) == ("S11", "d2_at", "single")
    assert len({tuple(cut) for cut in single["cuts"].values()}) == 1
    assert told("middle.json")["cuts"] == {topic: [5.0] for topic in TOPICS}
    assert told("own.judgments.json")["left_out"] == dict.fromkeys(TOPICS[1:], "no cut is named")
    own = pd.read_csv(results / "labels" / "S11-to-2" / "own.judgments.tsv", sep="\t")
    assert set(own["value"]) <= {0, 1}
    # the set that is the same labels, and the ranking under it
    table = read_table(results / "tables" / "qrels" / "Cut.parquet", "qrels").to_pandas()
    path = results / "labels" / "S11-to-2" / "d2_at@N2@single.qrels"
    lines = [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(topic, docno, float(level)) for topic, _, docno, level in lines] == list(
        zip(table["topic"], table["docno"], table["grade"], strict=True)
    )
    systems = pd.read_csv(results / "scores" / "Cut.systems.csv")
    scores = read_table(results / "scores" / "Cut.parquet", "scores").to_pandas()
    means = scores.groupby("system", observed=True)["value"].mean()
    assert systems["mean"].to_numpy() == pytest.approx(means[systems["system"]].to_numpy())
    assert systems["mean"].is_monotonic_decreasing
    # nobody looks for labels that are not there
    ran = house.snakemake(tmp_path, "--dry-run", f"{labels}/d2_ta@N3.qrels")
    assert ran.status != 0


@pytest.mark.parametrize("text", others_slow(EXAMPLES, 2))
def test_the_references_examples_can_be_planned(house, tmp_path, text):
    """Every job of a whole run has what it needs; files need not hold anything for that."""
    (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
    for path in re.findall(r"(?:\{data\}|results)/[^\"'\s,}]+", text):
        file = tmp_path / path.replace("{data}", "there").replace("*", "a")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    ran = house.snakemake(tmp_path, "--dry-run", "--config", "data=there").well()
    assert ran.jobs["report"] == 1
    assert len(ran.jobs) > 5


@pytest.mark.slow
def test_the_cut_says_which_rows_were_left_out(house, tmp_path, data):
    rows = [(*row[:3], row[5], "Accepted") for row in judgments(11)]
    rows[0] = (*rows[0][:3], 99, "Accepted")
    rows += [(topic, docno, "w9", 10, "Rejected") for topic, docno, *_ in rows[:5]]
    written = ["topic\tdocno\tworker\tvalue\tstatus", *("\t".join(map(str, r)) for r in rows)]
    (data / "crowd.tsv").write_text("\n".join(written), encoding="utf-8")
    crowd = {"file": "{data}/crowd.tsv", "levels": 11, "off_scale": "drop"}
    options = {
        **RUNS_ONLY,
        "qrels": {"N2": {"file": "{data}/qrels.txt", "levels": 4, "relevant_from": 2}},
        "judgments": {"S11": crowd | {"where": {"status": "Accepted"}}},
        "measures": ["nDCG"],
        "transformations": [{"source": "S11", "levels": 2, "references": ["N2"]}],
    }
    configured(tmp_path, "crowd", options)
    results = tmp_path / "results" / "crowd"
    asked = ("cuts/S11-to-2/answer.parquet", "audit/warnings.parquet")
    house.snakemake(tmp_path, *(f"results/crowd/{path}" for path in asked)).well()
    warnings = Answer.read(results / "cuts" / "S11-to-2" / "answer.parquet").notes
    assert warnings[-2:] == (
        "S11: 5 rows are left out: other than status Accepted (where).",
        "S11: 1 row is left out: value off the scale of 0, 1, 2, …, 10 (11 values) (99).",
    )
    # of all that are collected only what nobody asked to leave out is a warning
    told = read_table(results / "audit" / "warnings.parquet", "audit/warnings")["said"].to_pylist()
    assert [said for said in told if "left out" in said] == [
        "1 row is left out: value off the scale of 0, 1, 2, …, 10 (11 values) (99)"
    ]


def pool(depth: int, *systems: str) -> set[tuple[str, str]]:
    """The judged documents among the systems' first ones, with their topics."""
    first = {(t, docno) for t in TOPICS for s in systems for docno in ranking(s, t)[:depth]}
    return {(topic, docno) for topic, docno in first if docno in JUDGED}


@pytest.mark.slow
def test_without_depths_pools_and_what_is_left_out_follow_what_is_judged(house, tmp_path, data):
    """To the depth that two of the three systems are judged to, for every topic."""
    with (data / "qrels.txt").open("a") as out:  # so that nothing is unjudged but for one topic
        out.writelines(f"{topic} 0 {DOCNOS[-1]} 1\n" for topic in TOPICS[1:])
    first = (ranking(system, TOPICS[0]) for system in SYSTEMS)
    judged = sorted(next((i for i, d in enumerate(r) if d not in JUDGED), 10) for r in first)
    left_out = [{"name": "runs", "by": "run", "measures": ["AP"]}]
    follows = {**RUNS_ONLY, "pools": {"qrels": "NIST"}, "leave_one_out": left_out}
    configured(tmp_path, "plain", follows)
    asked = "pools/facts", "leave-one-out/runs/summary"
    house.snakemake(tmp_path, *(f"results/plain/{path}.parquet" for path in asked)).well()
    results = tmp_path / "results" / "plain"
    found = {
        path: pd.read_parquet(results / f"{path}.parquet")["pooling"].astype(str) for path in asked
    }
    assert 2 <= judged[1] < 10
    assert found["leave-one-out/runs/summary"].tolist() == [f"Depth@{judged[1]}"]
    assert found["pools/facts"].tolist()[-1] == f"Depth@{judged[1]}"


@pytest.mark.slow
def test_files_that_are_replaced_by_older_ones_are_noticed(house, tmp_path, data):
    """As `cp -p` and restored backups do; the same content with another time is the same."""
    configured(tmp_path, "plain", {**RUNS_ONLY, "transformations": []})
    asked = "results/plain/scores/NIST.parquet"
    house.snakemake(tmp_path, asked).well()
    for name, rule in (("qrels.txt", "collect_qrels"), ("runs/third.txt", "collect_runs")):
        path, before = data / name, (data / name).read_bytes()
        path.write_bytes(before.rstrip().rsplit(b"\n", 1)[0])
        os.utime(path, (1e9, 1e9))
        assert house.snakemake(tmp_path, asked, "-n").well().jobs[rule] == 1
        path.write_bytes(before)
        os.utime(path, (1e9, 1e9))
        assert house.snakemake(tmp_path, asked, "-n").well().jobs == {}


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("runs/bad.txt", "401 Q0 D1 1 2.5 bad\n401 Q0 D2\n", "data/runs/bad.txt:2: "),
        ("runs/bad.txt", "401 Q0 D1 1 2.5 first\n", "first"),
    ],
)
def test_a_bad_run_is_refused_with_file_and_line(house, tmp_path, data, name, text, said):
    (data / name).write_text(text)
    configured(tmp_path, "plain", RUNS_ONLY)
    target = "results/plain/tables/runs.parquet"
    ran = house.snakemake(tmp_path, target)
    assert ran.status == 1
    log = (tmp_path / "results" / "plain" / "logs" / "collect_runs.log").read_text(encoding="utf-8")
    for told in (ran.printed, log):
        assert f"collect_runs: {said}" in told or said in told
        assert "Traceback" not in told
        assert "is no run" not in told
    assert list((tmp_path / "results" / "plain").glob("tables/**/*")) == []


@pytest.mark.parametrize(
    ("collection", "said"),
    [
        (
            {**RUNS_ONLY, "measure": ["AP"]},
            "config: collections.plain: unknown key 'measure'; did you mean 'measures'?",
        ),
        (
            {**RUNS_ONLY, "runs": "{data}/run/*"},
            "config: collections.plain.runs: no file matches data/run/*",
        ),
    ],
)
def test_a_configuration_that_cannot_be_used_is_refused_before_anything_runs(
    house, tmp_path, data, collection, said
):
    configured(tmp_path, "plain", collection)
    ran = house.snakemake(tmp_path)
    assert ran.status == 1
    assert said in ran.printed
    assert "Traceback" not in ran.printed
    assert not (tmp_path / "results").exists()


def crowd_of(folder: Path, docno: str) -> dict:
    """A collection of a crowd that judged documents with that beginning, beside its qrels."""
    with (folder / "crowd.tsv").open("w", encoding="utf-8") as out:
        out.write("topic\tdocno\tworker\tvalue\n")
        for row in judgments(11):
            out.write(f"{row[0]}\t{docno}{row[1][1:]}\t{row[2]}\t{row[-1]}\n")
    binary = {"file": "{data}/qrels.txt", "levels": 4, "relevant_from": 2}
    return {
        "qrels": {"N2": binary},
        "judgments": {"S11": {"file": "{data}/crowd.tsv", "levels": 11}},
        "transformations": [{"source": "S11", "levels": 2, "references": ["N2"]}],
    }


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (
            "0401 0 D1 1\n",
            "code_qrels: NIST and the runs have no topic in common ('0401' and",
        ),
        ("401 0 x1 1\n", "code_qrels: no document that NIST judges was retrieved"),
        (None, "search_cuts: N2 and the source share no document"),
    ],
)
def test_parts_that_share_nothing_are_refused_in_the_last_lines(
    house, tmp_path, data, labels, said
):
    if labels is None:
        configured(tmp_path, "plain", crowd_of(data, "x"))
    else:
        (data / "qrels.txt").write_text(labels)
        configured(tmp_path, "plain", RUNS_ONLY)
    ran = house.snakemake(tmp_path)
    assert ran.status == 1
    assert said in ran.printed.split(FAILED)[1]
    assert "Traceback" not in ran.printed
    assert not (tmp_path / "results" / "plain" / "report.html").exists()


@pytest.mark.slow
def test_names_that_hold_markup_are_text_in_the_page(house, tmp_path, data):
    names = {"401": "<i>401", " D": " </script>D", "first": "<img/src=x/onerror=alert(1)>"}
    for path in (data / "runs" / "first.txt", data / "qrels.txt"):
        text = path.read_bytes().decode("utf-8-sig")
        for plain, marked in names.items():
            text = text.replace(plain, marked)
        path.write_text(text, encoding="utf-8")
    collection = {
        **RUNS_ONLY,
        "title": "A <b>title</b> & {more}",
        "runs": "{data}/runs/first.txt",
        "qrels": {**RUNS_ONLY["qrels"], "N2": {**RUNS_ONLY["qrels"]["NIST"], "relevant_from": 2}},
        "measures": ["nDCG"],
        "compare": {"pairs": [["NIST", "N2"]], "resamples": 5, "splits": 5, "measures": ["nDCG"]},
        "studies": {"compare": {"table-movers": {"pair": "NIST-and-N2"}}},
    }
    configured(tmp_path, "plain", collection)
    house.snakemake(tmp_path).well()
    page = (tmp_path / "results" / "plain" / "report.html").read_text(encoding="utf-8")
    assert not [name for name in (*names.values(), "<b>title") if name.strip() in page]
    assert "A &lt;b&gt;title&lt;/b&gt; &amp; {more}" in page
