"""Files that accidents have spoilt, in the workflow: nothing half written, nothing of before."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

import regrade
from regrade.command.app import app
from tests.accidents import accident, collection
from tests.workflow.conftest import made

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

FEW = {"resamples": 20}
ASKED = {
    "runs": "runs/*",
    "qrels": {"q": {"file": "q", "levels": 4}, "m": {"file": "m", "levels": 11}},
    "judgments": {
        "j": {"file": "j.csv", "format": "csv", "levels": 11},
        "mag": {"file": "mag.csv", "format": "csv", "ratio": True},
    },
    "preferences": {"p": {"file": "p.csv", "format": "csv", "values": [-1, 0, 1]}},
    "measures": ["nDCG@10", "RR"],
    "ranking": [{"qrels": "q"}],
    "ties": {"qrels": "q"},
    "ranges": {"qrels": "q", "measures": ["nDCG@10"]},
    "pools": {"qrels": "q", "measures": ["nDCG@10", "RBP(p=0.8)"]},
    "leave_one_out": [{"name": "runs", "by": "run", "measures": ["nDCG@10"]}],
    "transformations": [{"source": "j", "levels": 4, "references": ["q"]}],
    "judges": [{"reference": "q", "sets": ["m"], **FEW}],
    "calibration": [{"reference": "q", "sets": ["m"], "folds": 2, **FEW}],
    "pairs": [{"set": "p", "methods": ["bradley-terry"]}],
    "power": [{"sets": ["q", "m"], "preferences": ["p"], "modes": ["aggregate"]}],
    "magnitudes": [{"set": "mag", "references": ["q"], "samples": 20, **FEW}],
    "sweeps": {
        "choices": {
            "baseline": {"labels": "q"},
            "axes": {
                "labels": ["q", "m", {"cuts": "j-to-4", "which": ["best"]}],
                "ties": ["rank", "docno"],
                "measure": ["nDCG@10", "RR"],
            },
        }
    },
}
INPUTS = ("q", "m", "j.csv", "mag.csv", "p.csv", "runs/a")

ACCIDENTS = 3
"""So many of each file."""


def run(folder: Path, monkeypatch) -> object:
    """`regrade run` in a folder, which is written where it is not there."""
    if not folder.exists():
        for name, data in collection().items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        held = {"collection": "own", "collections": {"own": ASKED}}
        (folder / "mine.yaml").write_text(yaml.safe_dump(held, sort_keys=False))
    monkeypatch.chdir(folder)
    return CliRunner().invoke(app, ["run", "mine.yaml", "--cores", "2"])


def half_written(folder: Path) -> list[str]:
    """Files that jobs were writing."""
    return [
        str(path)
        for path in (folder / "results").rglob("*")
        if path.is_file() and (path.stat().st_size == 0 or path.name.startswith((".tmp", ".part")))
        and not {"logs", "benchmarks"} & {*path.parts}
    ]  # fmt: skip


@pytest.mark.parametrize("name", INPUTS)
def test_a_spoilt_file_is_refused_or_read_and_mended_as_it_was(name, tmp_path, monkeypatch):
    folder = tmp_path / "own"
    done = run(folder, monkeypatch)
    assert done.exit_code == 0, done.stderr
    clean, page = made(folder), folder / "results" / "own" / "report.html"
    for number in range(ACCIDENTS):
        rng = np.random.default_rng([3, number, *name.encode()])
        spoilt = accident(name, collection()[name], rng)
        if spoilt is None or spoilt == collection()[name]:
            continue
        (folder / name).write_bytes(spoilt)
        done = run(folder, monkeypatch)
        assert done.exception is None or isinstance(done.exception, SystemExit)
        assert "Traceback" not in done.stdout + done.stderr
        assert half_written(folder) == []
        if done.exit_code == 0 and meant(name, spoilt) != meant(name, collection()[name]):
            assert made(folder) != clean
        elif done.exit_code:
            logs = re.findall(r"see (\S+\.log)", done.stderr)
            assert logs, done.stderr
            assert all("Traceback" not in (folder / log).read_text("utf-8") for log in logs)
            again = run(folder, monkeypatch)
            assert again.exit_code == 1
            assert again.stderr.splitlines()[-3:] == done.stderr.splitlines()[-3:]
            if page.exists():  # it says what failed
                assert page.read_bytes() != clean["own/report.html"]
    (folder / name).write_bytes(collection()[name])
    assert run(folder, monkeypatch).exit_code == 0
    again = made(folder)
    assert [path for path in clean if again.get(path) != clean[path]] == []


def meant(name, data):
    """What a file says; of TREC's lines the second field is read by nobody."""
    if name.endswith(".csv"):
        return data
    return sorted(line.split()[:1] + line.split()[2:] for line in data.splitlines())


CHANGES = {
    "q": (b"401 0 d0 ", b"401 0 d9 "),
    "m": (b"402 0 d3 ", b"402 0 d9 "),
    "j.csv": (b"q3,d4,w1", b"q3,d9,w1"),
    "mag.csv": (b"q3,d4,w1", b"q3,d9,w1"),
    "p.csv": (b"401,d", b"404,d"),
    "runs/a": (b"404 Q0 d1 ", b"404 Q0 d9 "),
}
"""A document or a topic that is called otherwise."""


def test_what_is_made_of_other_files_is_what_they_alone_make(tmp_path, monkeypatch):
    """Each input in turn: what was kept of the others is not of the one before."""
    grown = tmp_path / "grown"
    assert run(grown, monkeypatch).exit_code == 0
    before = made(grown)
    for name, (old, new) in CHANGES.items():
        data = collection()[name].replace(old, new)
        assert data != collection()[name], name
        (grown / name).write_bytes(data)
        done = run(grown, monkeypatch)
        assert done.exit_code == 0, done.stderr
        after = made(grown)
        assert [path for path in after if after[path] != before.get(path)], name
        before = after
    alone = tmp_path / "alone"
    alone.mkdir()
    for path in grown.iterdir():
        if path.name not in ("results", ".snakemake"):
            copied = alone / path.name
            if path.is_dir():
                copied.mkdir()
                for one in path.iterdir():
                    (copied / one.name).write_bytes(one.read_bytes())
            else:
                copied.write_bytes(path.read_bytes())
    assert run(alone, monkeypatch).exit_code == 0
    expected = made(alone)
    assert before.keys() == expected.keys()
    assert [path for path in expected if before[path] != expected[path]] == []


def test_a_topic_without_labels_counts_as_0_by_every_door(tmp_path, monkeypatch):
    """As one of which nothing is relevant, and not as one that is not there."""
    labels: dict[str, dict[str, int]] = {}
    for line in collection()["q"].decode().splitlines():
        topic, _, docno, grade = line.split()
        labels.setdefault(topic, {})[docno] = int(grade)
    labels["404"] = {}
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    for name, data in collection().items():
        Path(name).write_bytes(data)
    Path("q.json").write_text(json.dumps(labels))
    measure, axes = "nDCG@5", {"measure": ["nDCG@5", "RR"], "labels": ["q", "m2"]}
    own = {
        "runs": "runs/*",
        "qrels": {
            "q": {"file": "q.json", "format": "jsonl", "levels": 4, "columns": {"grade": "score"}},
            "m2": {"file": "m2", "levels": 4},
        },
        "measures": [measure],
        "ranking": [{"qrels": "q", "measures": [measure], "draws": 200}],
        "ranges": {"qrels": "q", "measures": [measure]},
        "compare": {"pairs": [["q", "m2"]], "measures": [measure], **FEW},
        "judges": [{"reference": "m2", "sets": ["q"], "measures": [measure], **FEW}],
        "sweeps": {"choices": {"baseline": {"labels": "q"}, "axes": axes}},
    }
    Path("mine.yaml").write_text(yaml.safe_dump({"collection": "own", "collections": {"own": own}}))
    done = CliRunner().invoke(app, ["run", "mine.yaml", "--cores", "2"])
    assert done.exit_code == 0, done.stderr
    tables = Path("results/own")

    def of_workflow(name):
        return pd.read_parquet(next(tables.glob(f"{name}.parquet")))

    asked = {"runs": "runs", "measures": measure}
    for number, given in enumerate((labels, "q.json", labels | {"404": {"none": 0}})):
        given = regrade.read_qrels(given, scale=4, name="q")
        sets = {"q": given, "m2": regrade.read_qrels("m2", scale=4)}
        swept = regrade.sweep(axes, {"labels": "q"}, runs="runs", sets=sets)
        found = {
            "ranking/q/systems": regrade.rank(given, **asked, draws=200).systems,
            "compare/*/systems": regrade.compare(given, sets["m2"], **asked, **FEW).systems,
            "judges/*/rankings": regrade.judges(sets["m2"], {"q": given}, **asked, **FEW).rankings,
            "sweeps/choices/pairs": swept.pairs,
        }
        for name, table in found.items():
            ours = table.select_dtypes("number")
            theirs = of_workflow(name)[ours.columns].to_numpy(float)
            np.testing.assert_allclose(theirs, ours.to_numpy(float), err_msg=f"{name} {number}")
        means = regrade.score(given, "runs", measure).means()[measure].sort_index()
        ranked = found["ranking/q/systems"].set_index("system")["mean"].sort_index()
        np.testing.assert_allclose(means.to_numpy(), ranked.to_numpy(), atol=1e-12)
    done = CliRunner().invoke(app, ["score", "q.json", "runs", "-m", measure, "--json"])
    of_command = {row["system"]: row["value"] for row in json.loads(done.stdout)}
    assert of_command == pytest.approx(means.to_dict())
    log = (tables / "logs" / "collect_qrels" / "q.log").read_text("utf-8")
    assert "topics without a document: 404" in log
