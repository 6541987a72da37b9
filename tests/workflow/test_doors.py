"""Library, command and workflow give the same tables and the same answer of the same files."""

import contextlib
import json
import shlex
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import regrade
from regrade.answers.shape import Answer
from regrade.command.app import app
from regrade.stages.registry import stages
from regrade.tables import read_table, write_table
from tests.unit.test_doors import OWN_DOORS
from tests.workflow.conftest import configured

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

TOPICS = [f"{number}" for number in range(401, 409)]
DOCUMENTS = [f"d{number:02}" for number in range(12)]
SYSTEMS = {"bm25": 0.3, "dense": 0.2, "fused": 0.1, "old": 0.8}
MEASURES = ["nDCG@10", "AP(rel=2)"]
DRAWS = {"resamples": 20}


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """A folder of runs, labels by people and models, a crowd, preferences and magnitudes."""
    root = tmp_path_factory.mktemp("doors")
    rng = np.random.default_rng(5)
    relevance = {topic: rng.beta(0.7, 1.2, len(DOCUMENTS)) for topic in TOPICS}

    def rows(noise=0.0):
        for topic in TOPICS:
            for docno, value in zip(DOCUMENTS, relevance[topic], strict=True):
                yield topic, docno, float(np.clip(value + noise * rng.standard_normal(), 0, 1))

    def write(name, lines):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    people = {(t, d): min(int(3 * v), 2) for t, d, v in rows()}
    write("nist.qrels", (f"{t} 0 {d} {g}" for (t, d), g in people.items()))
    write("model.qrels", (f"{t} 0 {d} {min(int(3 * v), 2)}" for t, d, v in rows(0.2)))
    write("values.qrels", (f"{t} 0 {d} {round(10 * v)}" for t, d, v in rows(0.1)))
    crowd = ["topic\tdocno\tworker\tunit\tvalue"]
    magnitudes = [crowd[0]]
    for worker in ("ann", "bob", "cem"):
        for number, (t, d, v) in enumerate(rows(0.15)):
            unit = f"{t}-{worker}-{number % len(DOCUMENTS) // 6}"
            crowd.append(f"{t}\t{d}\t{worker}\t{unit}\t{min(int(3 * v), 2)}")
            magnitudes.append(f"{t}\t{d}\t{worker}\t{unit}\t{round(1 + 20 * v, 1)}")
    write("crowd.tsv", crowd)
    write("magnitudes.tsv", magnitudes)
    asked = ["topic\tleft\tright\tpreferred\tworker\tunit"]
    for topic in TOPICS:
        for left in range(5):
            for right in range(left):
                a, b = DOCUMENTS[left], DOCUMENTS[right]
                values = relevance[topic][[left, right]] + 0.2 * rng.standard_normal(2)
                winner = "left" if values[0] > values[1] else "right"
                asked.append(f"{topic}\t{a}\t{b}\t{winner}\tw{left % 2}\t{topic}-{left % 2}")
    write("answers.tsv", asked)
    sample = ["topic,docno,inclusion,chosen,grade"]
    for place, ((t, d), grade) in enumerate(people.items()):
        sample.append(f"{t},{d},0.5,{place % 2},{grade if place % 2 else ''}")
    write("sample.csv", sample)
    for name, noise in SYSTEMS.items():
        lines = []
        for topic, scores in relevance.items():
            scores = (scores + noise * rng.standard_normal(len(scores))).round(2)
            for rank, place in enumerate(np.argsort(-scores, kind="stable"), 1):
                lines.append(f"{topic} Q0 {DOCUMENTS[place]} {rank} {scores[place]} {name}")
        write(f"runs/{name}.run", lines)
    return root


FAMILIES = {"odd": ["bm25", "old"]}
COLLECTION = {
    "runs": "runs/*",
    "qrels": {
        "nist": {"file": "nist.qrels", "levels": 3},
        "model": {"file": "model.qrels", "levels": 3},
        "same": {"file": "model.qrels", "levels": 3},
        "values": {"file": "values.qrels", "levels": 11},
    },
    "families": FAMILIES,
    "judgments": {
        "crowd": {"file": "crowd.tsv", "levels": 3},
        "magnitudes": {"file": "magnitudes.tsv", "ratio": True, "unit": "unit"},
    },
    "preferences": {"people": {"file": "answers.tsv", "values": [-1, 0, 1]}},
    "measures": MEASURES,
}


@dataclass(frozen=True)
class Case:
    """A stage, as a configuration, the library and a command ask for it.

    Attributes
    ----------
    folder
        Of its tables, in the results and, but for the item, in the catalogue.
    asked
        What its key holds.
    call
        The library's function, from the files.
    typed
        The command.
    """

    folder: str
    asked: object
    call: object
    typed: str


def q(root, name, levels=3):
    return regrade.read_qrels(root / f"{name}.qrels", scale=levels)


def options(**given) -> str:
    words = []
    for name, value in given.items():
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        words += [f"--{name.replace('_', '-')}", text]
    return shlex.join(words)


RANKED = {"draws": 200, "splits": 20}
COMPARED = {**DRAWS, "splits": 20}
CALIBRATED = {**DRAWS, "folds": 3}
PANEL = {**DRAWS, "folds": 3, "panels": 2}
POOLED = {"baseline": 5, "contributors": "all", "fused": ["RRF@8"]}
PAIRED = {"seconds": 1, "price": 0.01}
TESTED = {"levels": [2], "tests": ["t"]}
M = "-m 'nDCG@10 AP(rel=2)'"

CASES = {
    "ranking": Case(
        "ranking/nist",
        [{"qrels": "nist", "judges": ["model"], "measures": MEASURES} | RANKED],
        lambda root: regrade.rank(
            q(root, "nist"),
            root / "runs",
            MEASURES,
            judges={"model": q(root, "model")},
            **RANKED,
        ),
        f"rank nist.qrels runs {M} --judges model=model.qrels --scale 3 {options(**RANKED)}",
    ),
    "system_pairs": Case(
        "system-pairs/nist",
        [{"qrels": "nist", "first": "bm25", "second": "dense", "measures": MEASURES}],
        lambda root: regrade.compare_systems(
            q(root, "nist"), root / "runs", "bm25", "dense", MEASURES
        ),
        f"compare-systems nist.qrels runs bm25 dense {M} --scale 3",
    ),
    "topic_analysis": Case(
        "topic-analysis/nist",
        [{"qrels": "nist", "second": "model", "between": ["bm25", "old"], "measures": MEASURES}],
        lambda root: regrade.topics(
            q(root, "nist"),
            root / "runs",
            MEASURES,
            second=q(root, "model"),
            between=["bm25", "old"],
        ),
        f"topics nist.qrels runs --second model.qrels --between bm25,old {M} --scale 3",
    ),
    "ties": Case(
        "ties",
        {"qrels": "nist", "ranges": MEASURES},
        lambda root: regrade.ties(root / "runs", q(root, "nist"), MEASURES),
        f"ties runs --qrels nist.qrels {M} --scale 3",
    ),
    "ranges": Case(
        "ranges",
        {"qrels": "nist", "measures": MEASURES},
        lambda root: regrade.unjudged(
            q(root, "nist"), root / "runs", MEASURES, residual="RBP(p=0.98)"
        ),
        f"unjudged nist.qrels runs {M} --scale 3 --residual 'RBP(p=0.98)'",
    ),
    "leave_one_out": Case(
        "leave-one-out/runs",
        [{"name": "runs", "by": "run", "pooling": "RRF@8", "measures": MEASURES}],
        lambda root: regrade.leave_one_out(
            q(root, "nist"), root / "runs", by="run", pooling="RRF@8", measures=MEASURES
        ),
        f"leave-one-out nist.qrels runs --by run --pooling RRF@8 {M} --scale 3",
    ),
    "pools": Case(
        "pools",
        {"qrels": "nist", "measures": ["AP(rel=2)", "RBP(p=0.98)"]} | POOLED,
        lambda root: regrade.pool_depths(
            q(root, "nist"), root / "runs", measures=["AP(rel=2)", "RBP(p=0.98)"], **POOLED
        ),
        f"pool runs --qrels nist.qrels -m 'AP(rel=2) RBP(p=0.98)' --scale 3 {options(**POOLED)}",
    ),
    "compare": Case(
        "compare/nist-and-model",
        {"pairs": [["nist", "model"]], "measures": MEASURES} | COMPARED,
        lambda root: regrade.compare(
            q(root, "nist"), q(root, "model"), root / "runs", MEASURES, **COMPARED
        ),
        f"compare nist.qrels model.qrels --runs runs {M} --scale 3 {options(**COMPARED)}",
    ),
    "judges": Case(
        "judges/nist",
        [{"reference": "nist", "sets": ["model"], "measures": MEASURES, "folds": 3} | DRAWS],
        lambda root: regrade.judges(
            q(root, "nist"),
            {"model": q(root, "model")},
            root / "runs",
            MEASURES,
            folds=3,
            **DRAWS,
        ),
        f"judges nist.qrels model=model.qrels -r runs {M} --scale 3 "
        f"{options(folds=3, **DRAWS)}",
    ),
    "replace": Case(
        "replace/model",
        [{"reference": "nist", "judge": "model", "judgments": "crowd"}
         | {"measures": ["nDCG@10"], "top": 2, "resamples": 50}],
        lambda root: regrade.replace(
            q(root, "nist"),
            q(root, "model"),
            root / "runs",
            "nDCG@10",
            judgments=regrade.read_judgments(root / "crowd.tsv", scale=3),
            families=FAMILIES,
            top=2,
            resamples=50,
        ),
        "replace nist.qrels model.qrels --runs runs -m nDCG@10 --scale 3 --judgments crowd.tsv "
        "--family odd=bm25 --family odd=old --top 2 --resamples 50",
    ),
    "panel": Case(
        "panel/model",
        [
            {"reference": "nist", "sets": ["model", "same"], "controls": ["crowd"]}
            | {"measures": ["nDCG@10"]}
            | PANEL
        ],
        lambda root: regrade.panel(
            q(root, "nist"),
            {"model": q(root, "model"), "same": q(root, "model")},
            root / "runs",
            "nDCG@10",
            controls={"crowd": regrade.read_judgments(root / "crowd.tsv", scale=3)},
            families=FAMILIES,
            **PANEL,
        ),
        "panel nist.qrels model=model.qrels same=model.qrels -r runs -m nDCG@10 --scale 3 "
        "--control crowd=crowd.tsv --family odd=bm25 --family odd=old "
        f"{options(**PANEL)}",
    ),
    "calibration": Case(
        "calibration/nist",
        [{"reference": "nist", "sets": ["model"], "measures": ["nDCG@10"]} | CALIBRATED],
        lambda root: regrade.calibrate(
            q(root, "nist"),
            {"model": q(root, "model")},
            root / "runs",
            "nDCG@10",
            **CALIBRATED,
        ),
        "calibrate nist.qrels model=model.qrels -r runs -m nDCG@10 --scale 3 "
        f"{options(**CALIBRATED)}",
    ),
    "meta_analysis": Case(
        "meta_analysis/judges",
        [{"collections": ["own"]}],  # itself: one collection
        lambda root: regrade.meta_analysis({"own": CASES["judges"].call(root)}),
        "meta-analysis own=results/own/judges/nist",
    ),
    "favour": Case(
        "favour/nist",
        [{"reference": "nist", "sets": ["model"], "controls": ["crowd"], "draws": 100}
         | {"own": {"model": "odd"}}],
        lambda root: regrade.favour(
            q(root, "nist"),
            {"model": q(root, "model")},
            root / "runs",
            FAMILIES,
            controls={"crowd": regrade.read_judgments(root / "crowd.tsv", scale=3)},
            own={"model": "odd"},
            draws=100,
        ),
        "favour nist.qrels model=model.qrels --runs runs --scale 3 --draws 100 --own model=odd "
        "--family odd=bm25 --family odd=old --control crowd=crowd.tsv",
    ),
    "workers": Case(
        "workers/crowd",
        None,
        lambda root: regrade.workers(regrade.read_judgments(root / "crowd.tsv", scale=3)),
        "workers crowd.tsv --scale 3",
    ),
    "pairs": Case(
        "preferences/people",
        [{"set": "people", "references": ["nist"], "methods": ["bradley-terry"]} | PAIRED],
        lambda root: regrade.pairs(
            root / "answers.tsv",
            references={"nist": q(root, "nist")},
            runs=root / "runs",
            **PAIRED,
        ),
        f"pairs answers.tsv --references nist.qrels --runs runs {options(**PAIRED)}",
    ),
    "power": Case(
        "power/labels",
        [{"name": "labels", "sets": ["nist", "model"], "preferences": ["people"]}
         | {"modes": ["aggregate"]} | TESTED],
        lambda root: regrade.pdp(
            [q(root, "nist"), q(root, "model")],
            root / "answers.tsv",
            root / "runs",
            modes=["aggregate"],
            **TESTED,
        ),
        "pdp nist.qrels model.qrels -p answers.tsv --runs runs --modes aggregate "
        f"{options(**TESTED)}",
    ),
    "magnitudes": Case(
        "magnitudes/magnitudes",
        [{"set": "magnitudes", "references": ["nist"], "samples": 10} | DRAWS],
        lambda root: regrade.magnitude_gains(
            regrade.read_judgments(root / "magnitudes.tsv", scale={"ratio": True}),
            q(root, "nist"),
            root / "runs",
            samples=10,
            **DRAWS,
        ),
        f"magnitudes magnitudes.tsv nist.qrels --runs runs {options(samples=10, **DRAWS)}",
    ),
    "estimates": Case(
        "estimates/model",
        [{"models": ["model"], "file": "sample.csv", "levels": 3, "measures": ["nDCG@10"]}
         | {"replays": 2}],
        lambda root: regrade.estimate(
            root / "sample.csv", q(root, "model"), root / "runs", "nDCG@10", scale=3, replays=2
        ),
        "estimate sample.csv model.qrels --runs runs -m nDCG@10 --scale 3 --replays 2",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def found(files) -> dict:
    """What the library says, by stage."""
    return {key: case.call(files) for key, case in CASES.items()}


@pytest.fixture(scope="module")
def results(house, files, found) -> Path:
    """The results of one run that asks for all tables that the library has."""
    asked = {key: case.asked for key, case in CASES.items() if case.asked is not None}
    configured(files, "own", COLLECTION | asked)
    targets = [
        f"results/own/{case.folder}/{name}.parquet"
        for key, case in CASES.items()
        for name in found[key].tables
    ]
    house.snakemake(files, *targets).well()
    return files / "results" / "own"


def test_there_is_a_case_for_every_door():
    assert set(CASES) == {key for key, one in stages().items() if one.door} - set(OWN_DOORS)


@pytest.mark.parametrize("key", CASES)
def test_library_and_workflow_make_the_same_tables(key, found, results, tmp_path):
    folder = CASES[key].folder
    for name in found[key].tables:
        schema = f"{folder.partition('/')[0]}/{name}"
        write_table(found[key].tables[name], tmp_path / name, schema)
        ours, theirs = (
            read_table(path, schema).to_pandas()
            for path in (tmp_path / name, results / folder / f"{name}.parquet")
        )
        pd.testing.assert_frame_equal(ours, theirs, check_exact=True, obj=name)


@pytest.mark.parametrize("key", CASES)
def test_command_and_workflow_give_the_same_answer(key, files, results):
    with contextlib.chdir(files):
        ran = CliRunner().invoke(app, [*shlex.split(CASES[key].typed), "--json"])
    assert ran.exit_code == 0, ran.output
    answer = read_table(results / CASES[key].folder / "answer.parquet").to_pandas()
    expected = json.loads(json.dumps(Answer.of_frame(answer).to_dict()))
    assert json.loads(ran.stdout)["answer"] == expected
