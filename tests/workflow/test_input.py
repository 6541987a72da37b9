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
import yaml

from regrade.answers.shape import Answer
from regrade.errors import FAILED
from regrade.tables import read_table
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


@pytest.mark.slow
def test_a_crowd_and_no_runs(house, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    write_qrels(folder / "qrels.txt")
    write_tsv(folder / "crowd.tsv", levels=11)
    configured(
        tmp_path,
        "crowd",
        {
            "qrels": {
                "NIST": {"file": "{data}/qrels.txt", "levels": 4},
                "N2": {"file": "{data}/qrels.txt", "levels": 4, "relevant_from": 2},
            },
            "judgments": {
                "S11": {
                    "file": "{data}/crowd.tsv",
                    "where": {"status": "Accepted"},
                    "unit": ["unit", "status"],
                    "levels": 11,
                }
            },
            "transformations": [{"source": "S11", "levels": 2, "references": ["N2"]}],
            "studies": {
                "han2019": {
                    "table-2": {},
                    "figure-5": {"transformation": "S11-to-2", "panels": ["h1_ta"]},
                }
            },
        },
    )
    house.snakemake(tmp_path, "--config", f"data={folder}").well()
    results = tmp_path / "results" / "crowd"
    assert not (results / "rankings").exists()
    assert not (results / "scores").exists()
    assert (results / "figures" / "han2019" / "figure-5.svg").exists()

    table = read_table(results / "tables" / "judgments" / "S11.parquet", "judgments").to_pandas()
    expected = pd.DataFrame(
        list(judgments(11)), columns=["topic", "docno", "worker", "unit", "position", "value"]
    )
    assert len(table) == len(expected)
    assert table["value"].sum() == expected["value"].sum()
    assert set(table["unit"]) == {"u0/Accepted", "u1/Accepted"}
    binary = read_table(results / "tables" / "qrels" / "N2.parquet", "qrels").to_pandas()
    assert [row.grade == (grade(row.topic, row.docno) >= 2) for row in binary.itertuples()] == [
        True
    ] * len(binary)

    best = read_table(results / "cuts" / "S11-to-2" / "best_cuts.parquet").to_pandas()
    assert set(best["method"]) == {"h1_ta", "h1_at", "tw1", "h2", "d2_at", "d2_ta"}
    # true values are 0, 3.3, 6.7 and 10, and relevant is what is 6.7 or more
    single = best[(best["topic"] == "*") & (best["method"] == "d2_at")].iloc[0]
    assert 3 <= single["c1"] <= 6
    assert single["value"] > 0.8


@pytest.mark.slow
def test_rules_learn_of_another_crowd(house, tmp_path):
    """`trained_on`: of the same documents as others judged them, but for the topic at hand."""
    folder = tmp_path / "data"
    folder.mkdir()
    write_qrels(folder / "qrels.txt")
    write_tsv(folder / "crowd.tsv", levels=11)
    rows = [(*row[:-1], row[-1] // 2) for row in judgments(11)]  # the others give half as much
    lines = ["topic,docno,worker,unit,n,value", *(",".join(map(str, row)) for row in rows)]
    (folder / "others.csv").write_text("\n".join(lines) + "\n")
    kept = {"where": {"status": "Accepted"}}
    options = {
        "qrels": {"N2": {"file": "{data}/qrels.txt", "levels": 4, "relevant_from": 2}},
        "judgments": {
            "S11": {"file": "{data}/crowd.tsv", "levels": 11, **kept},
            "Half": {"file": "{data}/others.csv", "format": "csv", "levels": 11},
        },
        "transformations": [
            {"source": name, "levels": 2, "references": ["N2"], "methods": methods}
            for name, methods in {"S11": ["h1_ta", "d2_at", "d2_ta"], "Half": ["d2_at"]}.items()
        ],
        "trust": [
            {"transformation": "S11-to-2", "trained_on": ["Half-to-2"], "budget": [2], "samples": 1}
        ],
    }
    configured(tmp_path, "mine", options)
    cuts = tmp_path / "results" / "mine" / "cuts"
    made = "results/mine/cuts/S11-to-2/unlabelled.parquet"
    jobs = house.snakemake(tmp_path, "--dry-run", made).well().jobs
    assert jobs["collect_judgments"] == 2, "the teacher's judgments are asked for"
    assert jobs["cut_unlabelled"] == 1
    listed = [made, "results/mine/cuts/Half-to-2/d2_at@N2/alpha.parquet"]
    house.snakemake(tmp_path, *listed).well()

    found = read_table(cuts / "S11-to-2" / "unlabelled.parquet", "cuts/unlabelled").to_pandas()
    taught = found[found["trained"] == "Half-to-2"]
    assert set(taught["method"]) == {"d2_at"}, "d2_ta was not searched there, h1_ta has no labels"
    assert set(taught["rule"]) == set(found.loc[found["trained"] == "own topics", "rule"])
    # the single cut: the best mean α of the others' topics without the one of the same name
    alpha = read_table(cuts / "Half-to-2" / "d2_at@N2" / "alpha.parquet").to_pandas()
    wide = alpha.set_index("c1")[list(TOPICS)]
    single = taught[taught["rule"] == "single"].set_index("topic")["c1"]
    for topic in TOPICS:
        means = wide.drop(columns=topic).mean(axis=1, skipna=False)
        ends = np.flatnonzero(means == means.max())
        assert single[topic] in means.index[ends], topic
    own = found[(found["trained"] == "own topics") & (found["rule"] == "single")]
    own = own[own["method"] == "d2_at"].set_index("topic")["c1"]
    assert (single[list(TOPICS)] < own[list(TOPICS)]).all(), "cuts of who gives half as much"
    (folder / "others.csv").write_text("\n".join(lines[:-1]) + "\n")
    jobs = house.snakemake(tmp_path, "--dry-run", made).well().jobs
    assert jobs["cut_unlabelled"] == 1, "made again where the teacher's data change"


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: yaml.safe_load(text)["collection"])
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
def test_sets_of_every_kind_on_many_scales(house, tmp_path, data):
    """Names, steps, a range and magnitudes; a panel; preferences; what is left out is counted."""
    files = {
        "names.csv": "topic,docno,expert\n" + "".join(
            f"{t},{d},{'NMRH'[grade(t, d)]}\n" for t in TOPICS for d in DOCNOS
        ),
        "means.txt": "".join(f"{t} 0 {d} {0.1 * grade(t, d):.1f}\n" for t in TOPICS for d in DOCNOS)
        + "401 0 D99 0.05\n",
        "shares.txt": "".join(f"{t} 0 {d} {grade(t, d) / 3}\n" for t in TOPICS for d in DOCNOS),
        "ratios.tsv": "topic\tdocno\tworker\tvalue\n401\tD0\tw\t2.5\n401\tD1\tw\t1e3\n",
        "pairs.txt": "401 D1 D0\n401 D0 D1\n401 D2 D2\n",
        "sides.tsv": "topic\tleft\tright\tpreferred\tworker\n401\tD1\tD0\ttie\tw\n",
    }  # fmt: skip
    for name, text in files.items():
        (data / name).write_text(text, encoding="utf-8")
    steps = {"from": 0, "to": 0.5, "by": 0.1}
    panel = {"a": "{data}/shares.txt", "b": "{data}/shares.txt"}
    won = {"format": "winner-loser", "values": [-1, 1], "itself": "drop"}
    options = {
        **RUNS_ONLY,
        "qrels": {
            "NIST": {"file": "{data}/qrels.txt", "levels": 4},
            "named": {
                "file": "{data}/names.csv",
                "format": "csv",
                "columns": {"grade": "expert"},
                "values": ["N", "M", "R", "H"],
            },
            "means": {"file": "{data}/means.txt", "values": steps, "off_scale": "drop"},
        },
        "judgments": {
            "panel": {"file": panel, "format": "trec", "range": [0, 1]},
            "magnitudes": {"file": "{data}/ratios.tsv", "unit": None, "ratio": True},
        },
        "preferences": {
            "model": {"file": {"gpt": "{data}/pairs.txt"}, **won},
            "person": {"file": "{data}/sides.tsv", "values": ["left", "tie", "right"]},
        },
    }
    configured(tmp_path, "kinds", options)
    house.snakemake(tmp_path).well()
    results = tmp_path / "results" / "kinds"

    def held(kind, name):
        return read_table(results / "tables" / kind / f"{name}.parquet", kind).to_pylist()

    for row in held("qrels", "named"):
        assert row["grade"] == grade(row["topic"], row["docno"])
    for row in held("qrels", "means"):
        assert row["grade"] == float(f"0.{grade(row['topic'], row['docno'])}")
    shares = held("judgments", "panel")
    assert [row["worker"] for row in shares] == ["a", "b"] * (len(shares) // 2)
    assert {row["value"] for row in shares} == {0, 1 / 3, 2 / 3, 1}
    assert [row["value"] for row in held("judgments", "magnitudes")] == [2.5, 1000]
    preferences = held("preferences", "model")
    assert [(row["left"], row["right"], row["strength"]) for row in preferences] == [
        ("D0", "D1", -1),
        ("D0", "D1", 1),
    ]
    # names score as the grades do that they stand for
    scores = read_table(results / "scores" / "named.parquet", "scores").to_pandas()
    for row in scores[scores["measure"] == "nDCG@10"].itertuples():
        gains = [grade(row.topic, docno) for docno in ranking(row.system, row.topic)]
        ideal = sorted((grade(row.topic, docno) for docno in DOCNOS), reverse=True)[:10]
        discounts = np.log2(np.arange(2, 12))
        expected = (gains / discounts).sum() / (ideal / discounts).sum()
        assert row.value == pytest.approx(expected, abs=1e-12)
    summary = read_table(results / "audit" / "summary.parquet", "audit/summary").to_pylist()
    facts = {(row["source"], row["fact"]): (row["value"], row["total"]) for row in summary}
    why = "left out: grade off the scale of 0, 0.1, 0.2, 0.3, 0.4, 0.5 (0.05)"
    assert facts["qrels means", why] == (1, 37)
    assert facts["preferences model", "left out: a document compared with itself"] == (1, 3)
    assert facts["preferences model", "pairs that one worker prefers both ways"] == (1, 1)
    values = read_table(results / "audit" / "values.parquet", "audit/values").to_pylist()
    assert [(v["written"], v["count"]) for v in values if v["set"] == "person"] == [
        ("left", 0),
        ("tie", 1),
        ("right", 0),
    ]


def test_a_value_off_the_scale_is_named_with_its_line_and_a_remedy(house, tmp_path, data):
    (data / "crowd.tsv").write_text("topic\tdocno\tworker\tvalue\n401\tD0\tw\t10\n")
    crowd = {"file": "{data}/crowd.tsv", "unit": None, "levels": 4}
    configured(tmp_path, "off", {**RUNS_ONLY, "judgments": {"crowd": crowd}})
    ran = house.snakemake(tmp_path)
    assert ran.status != 0
    said = ran.printed
    assert "crowd.tsv:2: value 10 is not on the scale of 4 levels" in said
    assert "off_scale: drop" in said


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
    warnings = Answer.read(results / "cuts" / "S11-to-2" / "answer.parquet").warnings
    assert warnings[-2:] == (
        "S11: 5 rows are left out: other than status Accepted (where).",
        "S11: 1 row is left out: value off the scale of 0, 1, 2, …, 10 (11 values) (99).",
    )
    # of all that are collected only what nobody asked to leave out is a warning
    told = read_table(results / "audit" / "warnings.parquet", "audit/warnings")["said"].to_pylist()
    assert [said for said in told if "left out" in said] == [
        "1 row is left out: value off the scale of 0, 1, 2, …, 10 (11 values) (99)"
    ]


@pytest.mark.slow
def test_the_page_says_which_rows_are_read_together_although_they_differ(house, tmp_path, data):
    rows = [(*row[:3], row[5], "Accepted", int(row[1][1:]) % 3) for row in judgments(11)]
    rows += [(*row[:2], "w9", 10, "Rejected", row[5]) for row in rows[:5]]
    columns = ["topic", "docno", "worker", "value", "status", "own"]
    written = ["\t".join(columns), *("\t".join(map(str, r)) for r in rows)]
    (data / "crowd.tsv").write_text("\n".join(written), encoding="utf-8")
    crowd = {"file": "{data}/crowd.tsv", "levels": 11}
    own = {"file": "{data}/own.tsv", "format": "tsv", "levels": 3, "columns": {"grade": "own"}}
    (data / "own.tsv").write_text("\n".join(written[:7] + written[-5:]), encoding="utf-8")
    kept = {"where": {"status": "Accepted"}}
    sets = {"all": crowd, "kept": crowd | kept}
    options = {"qrels": {"own": own, "own-kept": own | kept}, "judgments": sets}
    configured(tmp_path, "crowd", options)
    asked = "results/crowd/audit/warnings.parquet"
    house.snakemake(tmp_path, asked, "results/crowd/report.html").well()
    page = (tmp_path / "results" / "crowd" / "report.html").read_text(encoding="utf-8")
    assert "The configuration leaves out rows of 2 sets (where)" in page
    n = len(rows)
    assert f"<b>judgments kept</b>: 5 of {n} rows: other than status Accepted" in page
    assert "<b>qrels own-kept</b>: 5 of 11 rows: other than status Accepted" in page
    told = read_table(tmp_path / asked, "audit/warnings").to_pylist()
    said = (
        "rows differ by status (refused ones, or other scales), and all are read: choose some, "
        "`where: {status: Accepted}`"
    )
    assert {row["source"] for row in told if row["said"] == said} == {"judgments all", "qrels own"}
    assert sum("rows differ" in row["said"] for row in told) == 2


def one_judge(folder: Path, **options) -> dict:
    """A collection whose only judgments are one model's, one for each document."""
    with (folder / "model.tsv").open("w", encoding="utf-8") as out:
        out.write("topic\tdocno\tworker\tvalue\n")
        for topic, docno, worker, _, _, value in judgments(11, workers=1):
            out.write(f"{topic}\t{docno}\t{worker}\t{value}\n")
    # of a topic that one run has, and the judgments have not
    with (folder / "other.txt").open("w", encoding="utf-8") as out:
        out.write("404 0 D1 1\n")
    return {
        "runs": "{data}/runs/*",
        "qrels": {
            "N2": {"file": "{data}/qrels.txt", "levels": 4, "relevant_from": 2},
            "other": {"file": "{data}/other.txt", "levels": 2},
        },
        "judgments": {"M11": {"file": "{data}/model.tsv", "levels": 11}},
        "measures": ["nDCG"],
        "transformations": [{"source": "M11", "levels": 2, "references": ["N2"]} | options],
        "studies": {"han2019": {"table-2": {}, "table-4": {}}},
    }


@pytest.mark.slow
def test_one_judge_per_document_is_served_by_what_can_serve_it(house, tmp_path, data):
    configured(tmp_path, "model", one_judge(data))
    ran = house.snakemake(tmp_path).well()
    assert "left out: tw1 compares workers with each other" in ran.printed
    cuts = tmp_path / "results" / "model" / "cuts" / "M11-to-2"
    best = read_table(cuts / "best_cuts.parquet", "cuts/best_cuts").to_pandas()
    notes = best[best["c1"].isna()].set_index("method")["note"]
    assert set(notes.index) == {"tw1", "h1_ta", "h1_at", "h2", "tau"}
    assert notes["h2"].startswith("h2 compares unit by unit")
    assert notes["tau"].startswith("tau: no topic has runs, judgments to cut and expert judgments")
    served = best[best["c1"].notna()]
    assert set(zip(served["method"], served["reference"], strict=True)) == {
        ("d2_at", "N2"), ("d2_ta", "N2"), ("tau", "N2"),
    }  # fmt: skip
    rankings = read_table(tmp_path / "results" / "model" / "rankings" / "M11-to-2.parquet")
    assert set(rankings["method"].to_pylist()) == {"d2_at", "d2_ta", "tau"}
    tables = tmp_path / "results" / "model" / "tables" / "han2019"
    assert set(pd.read_csv(tables / "table-2.csv")["method"]) == {"d2_at", "d2_ta"}
    assert set(pd.read_csv(tables / "table-4.csv")["method"]) == {"d2_at", "d2_ta", "tau"}


def test_a_method_by_name_that_the_data_cannot_serve(house, tmp_path, data):
    configured(tmp_path, "model", one_judge(data, methods=["tw1", "d2_at"]))
    ran = house.snakemake(tmp_path)
    assert ran.status != 0
    assert "tw1 compares workers with each other, and no document has the judgments" in ran.printed
    assert "use a method with a reference (h2, d2_at, d2_ta)" in ran.printed
    assert "Traceback" not in ran.printed


@pytest.mark.slow
def test_the_published_layout_of_several_scales(house, tmp_path, data):
    rows = []
    with (data / "scales.csv").open("w", encoding="utf-8", newline="") as out:
        for scale, levels in (("S100", 101), ("S4", 4), ("S2", 2)):
            for topic, docno, worker, unit, position, value in judgments(levels):
                true = grade(topic, docno)
                judged = docno in JUDGED
                rows.append(
                    {
                        "topic_id": topic,
                        "unit_id": unit,
                        "document_id": docno,
                        "gold": "",
                        "doc_pos": position,
                        "worker_id": f"{scale}-{worker}",
                        "relevance_score": value,
                        "normalized_relevance_score": value / (levels - 1),
                        "cumulative_time": 10 * (position + 1),
                        "comment": 'said "relevant", and why',
                        "trec": int(true >= 1) if judged else "",
                        "sormunen": "NMRH"[true] if judged else "U",
                        "relevance_scale": scale,
                    }
                )
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    one = {"file": "{data}/scales.csv", "format": "crowdsourcing-relevance-scales"}
    configured(
        tmp_path,
        "scales",
        {
            "runs": "{data}/runs/*",
            "qrels": {
                "TR2": {**one, "columns": {"grade": "trec"}, "levels": 2},
                "So4": {**one, "columns": {"grade": "sormunen"}, "levels": 4},
            },
            "judgments": {
                "S100": {**one, "where": {"relevance_scale": "S100"}, "levels": 101},
                "S4": {**one, "where": {"relevance_scale": "S4"}, "levels": 4},
                "S2": {**one, "where": {"relevance_scale": "S2"}, "levels": 2},
            },
            "measures": ["AP"],
            "transformations": [
                {
                    "source": "S100",
                    "levels": 2,
                    "references": ["TR2", "S2"],
                    "methods": ["h1_ta", "h2", "d2_at"],
                    "experts": ["TR2"],
                },
            ],
            "expert_cuts": [{"source": "So4", "reference": "TR2", "pool": "S4"}],
            "studies": {
                "han2019": {
                    "table-3": {},
                    "table-4": {},
                }
            },
        },
    )
    house.snakemake(tmp_path).well()
    results = tmp_path / "results" / "scales"
    so4 = read_table(results / "tables" / "qrels" / "So4.parquet", "qrels").to_pandas()
    assert len(so4) == len(TOPICS) * len(JUDGED)
    assert all(row.grade == grade(row.topic, row.docno) for row in so4.itertuples())
    for name, levels in (("S100", 101), ("S4", 4), ("S2", 2)):
        table = read_table(results / "tables" / "judgments" / f"{name}.parquet").to_pandas()
        assert sorted(table["value"]) == sorted(row[-1] for row in judgments(levels))
        assert set(table["unit"]) == {"u0", "u1"}
    # experts who are never wrong agree wholly where cut as the others see it
    table_3 = pd.read_csv(results / "tables" / "han2019" / "table-3.csv")
    assert table_3["ours"].max() == 1
    rankings = read_table(results / "rankings" / "S100-to-2.parquet", "rankings").to_pandas()
    assert set(rankings["method"]) == {"h1_ta", "h2", "d2_at", "tau"}
    assert rankings["tau"].between(-1, 1).all()


GROUPS = {"first": "a", "second": "a", "third": "b"}
GROUPED = {
    **RUNS_ONLY,
    "groups": "{data}/groups.txt",
    "pool_origins": "{data}/origins.gz",
    "pools": {
        "qrels": "NIST",
        "contributors": "all",
        "depths": [2, 4],
        "baseline": 4,
        "votes": [4],
        "measures": ["nDCG", "RBP(p=0.98)"],
    },
    "leave_one_out": [
        {
            "name": "groups",
            "by": "group",
            "pooling": "Depth@4",
            "measures": ["nDCG"],
        },
        {"name": "origins", "by": "origins", "measures": ["nDCG"]},
    ],
    "discrimination": {},
    "ancova": {"depths": [2, 3, 4]},
    "studies": {"yang2019": {"table-4.5": {}, "table-leave-one-out": {}}},
}


def pool(depth: int, *systems: str) -> set[tuple[str, str]]:
    """The judged documents among the systems' first ones, with their topics."""
    first = {(t, docno) for t in TOPICS for s in systems for docno in ranking(s, t)[:depth]}
    return {(topic, docno) for topic, docno in first if docno in JUDGED}


def ndcg(system: str, judged: set[tuple[str, str]]) -> float:
    """The mean nDCG of a system where these documents are judged."""

    def discounted(grades):
        return sum(grade / np.log2(rank + 2) for rank, grade in enumerate(grades))

    scores = []
    for topic in TOPICS:
        grades = {docno: grade(topic, docno) for t, docno in judged if t == topic}
        gained = discounted(grades.get(docno, 0) for docno in ranking(system, topic))
        scores.append(gained / discounted(sorted(grades.values(), reverse=True)))
    return float(np.mean(scores))


@pytest.fixture
def grouped(data) -> Path:
    """`data` with the groups of its runs, and whose runs brought which document."""
    lines = [f"{system} {group}" for system, group in GROUPS.items()]
    (data / "groups.txt").write_text("\n".join(lines) + "\n")
    with gzip.open(data / "origins.gz", "wt") as out:
        for topic, docno in sorted(pool(4, *SYSTEMS)):
            by = sorted({GROUPS[s] for s in SYSTEMS if (topic, docno) in pool(4, s)})
            out.write(f"{topic} 0 {docno} {grade(topic, docno)} {len(by)} {' '.join(by)}\n")
    return data


@pytest.mark.slow
def test_groups_and_origins(house, tmp_path, grouped):
    configured(tmp_path, "grouped", GROUPED)
    results = tmp_path / "results" / "grouped"
    asked = ["pools/qrels/depth-2.parquet", "ancova/mixed_variances.parquet"]
    targets = [str(Path("results", "grouped", path)) for path in asked]
    house.snakemake(tmp_path, "yang2019", *targets).well()

    # without group a there are the first documents of the third system, and so on
    whole = pool(4, *SYSTEMS)
    lost = {"a": whole - pool(4, "third"), "b": whole - pool(4, "first", "second")}
    assert all(lost.values())
    members = {"a": 2, "b": 1}
    for name in ("groups", "origins"):
        left_out = read_table(
            results / "leave-one-out" / name / "left_out.parquet", "leave-one-out/left_out"
        )
        left_out = left_out.to_pandas().set_index("left_out")
        assert set(left_out.index) == {"a", "b"}
        for group, documents in lost.items():
            relevant = sum(grade(*document) > 0 for document in documents)
            row = left_out.loc[group]
            found = (row["systems"], row["lost"], row["lost_relevant"], row["gained"])
            assert found == (members[group], len(documents), relevant, 0)

    judged = {"groups": whole, "origins": {(t, docno) for t in TOPICS for docno in JUDGED}}
    for name, before in judged.items():
        path = results / "leave-one-out" / name / "systems.parquet"
        systems = read_table(path, "leave-one-out/systems").to_pandas().set_index("system")
        assert set(systems.index) == set(SYSTEMS)
        for system, group in GROUPS.items():
            row = systems.loc[system]
            assert row["left_out"] == group
            assert row["score"] == pytest.approx(ndcg(system, before), abs=1e-12)
            without = ndcg(system, before - lost[group])
            assert row["score_left_out"] == pytest.approx(without, abs=1e-12)

    table = pd.read_csv(results / "tables" / "yang2019" / "table-leave-one-out.csv")
    assert table["pooling"].tolist() == ["Depth@4", "recorded"]
    table = pd.read_csv(results / "tables" / "yang2019" / "table-4.5.csv")
    counts = table.groupby("pairs")["n_pairs"].unique()
    assert {name: list(count) for name, count in counts.items()} == {
        "all": [3],
        "across groups": [2],
    }

    reduced = read_table(results / "pools" / "qrels" / "depth-2.parquet", "qrels").to_pandas()
    expected = {(*document, grade(*document)) for document in pool(2, *SYSTEMS)}
    assert set(zip(reduced["topic"], reduced["docno"], reduced["grade"], strict=True)) == expected
    assert len(reduced) == len(expected)
    mixed = read_table(
        results / "ancova" / "mixed_variances.parquet", "ancova/mixed_variances"
    ).to_pandas()
    assert set(mixed["measure"]) == {"nDCG", "RBP(p=0.98)"}


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
        ("runs/bad.txt", "401 Q0 D1 1 high bad\n", "data/runs/bad.txt:1: "),
        ("runs/bad.txt", "401 Q0 D1 1 2.5 bad\n401 Q0 D2\n", "data/runs/bad.txt:2: "),
        ("runs/bad.txt", "", "data/runs/bad.txt: "),
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


def test_files_among_the_runs_that_are_none_are_named(house, tmp_path, data):
    (data / "runs" / "README").write_text("The runs of a track are these here.\n")
    (data / "runs" / "qrels.txt").write_text("401 0 D1 1\n")
    (data / "runs" / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    configured(tmp_path, "plain", RUNS_ONLY)
    target = "results/plain/tables/runs.parquet"
    ran = house.snakemake(tmp_path, target)
    assert ran.status == 1
    log = tmp_path / "results" / "plain" / "logs" / "collect_runs.log"
    for told in (ran.printed, log.read_text(encoding="utf-8")):
        assert "data/runs/README:1: " in told and "data/runs/qrels.txt:1: " in told
        assert "\nREADME is no run, as 3 others beside it are: take it out\n" in told
        assert "\nqrels.txt is no run, as 3 others beside it are: take it out" in told
        assert "DS_Store" not in told
    # where a pattern passes over files, the log says which
    runs = [f"{{data}}/runs/{name}*" for name in SYSTEMS]
    configured(tmp_path, "plain", RUNS_ONLY | {"runs": runs})
    house.snakemake(tmp_path, target).well()
    said = "reading 3 runs; beside them 2 files are not read: README, qrels.txt\n"
    assert said in log.read_text(encoding="utf-8")


def test_a_grade_outside_of_the_scale_is_refused(house, tmp_path, data):
    with (data / "qrels.txt").open("a") as out:
        out.write("403 0 D99 4\n")
    line = len(TOPICS) * len(JUDGED) + 1
    configured(tmp_path, "plain", RUNS_ONLY)
    ran = house.snakemake(tmp_path, "results/plain/tables/qrels/NIST.parquet")
    assert ran.status == 1
    assert f"data/qrels.txt:{line}: " in ran.printed
    assert "Traceback" not in ran.printed


def test_a_run_without_a_group_is_named(house, tmp_path, grouped):
    (grouped / "groups.txt").write_text("first a\nsecond a\n")
    configured(tmp_path, "grouped", GROUPED)
    ran = house.snakemake(tmp_path, "results/grouped/leave-one-out/groups/left_out.parquet")
    assert ran.status == 1
    assert "leave_one_out: " in ran.printed
    assert "third" in ran.printed
    assert "Traceback" not in ran.printed
    assert not (tmp_path / "results" / "grouped" / "leave-one-out").exists()


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


def test_a_file_that_is_not_there_is_named(house, tmp_path):
    collection = {"qrels": {"NIST": {"file": "{data}/qrels.txt", "levels": 2}}}
    configured(tmp_path, "plain", collection)
    ran = house.snakemake(tmp_path)
    assert ran.status == 1
    assert "data/qrels.txt" in ran.printed
    assert "Traceback" not in ran.printed


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
            "code_qrels: the labels and the runs have no topic in common ('0401' and",
        ),
        ("401 0 x1 1\n", "code_qrels: no document that the labels judge was retrieved"),
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
