"""Files of `assign` and `estimate` after accidents: a message, or numbers that the file bears."""

import contextlib
import logging
import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import regrade
from regrade.command.app import app
from regrade.errors import RegradeError
from regrade.readers.rows import MISSING
from tests.estimate_mutations import SAME, accident, table_of
from tests.mutations import mutated
from tests.unit.test_estimates import MODEL, RUNS, filled

MEASURE = "P(rel=2)@5"
ON = {"scale": 4, "replays": 0}


@pytest.fixture(autouse=True)
def _in_silence():
    logging.disable(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def frame():
    # people label the chosen rows in any order
    asked = regrade.assign(RUNS, MODEL, 80, ["P(rel=2)@5", "nDCG@5"], scale=4)
    return filled(asked).sample(frac=1, random_state=1, ignore_index=True)


@pytest.fixture(scope="module")
def expected(frame):
    return regrade.estimate(frame, MODEL, RUNS, MEASURE, **ON).pairs


@pytest.mark.parametrize("change", SAME)
def test_what_says_the_same_gives_the_same(change, frame, expected, tmp_path):
    path = tmp_path / "filled.csv"
    path.write_bytes(change(frame, np.random.default_rng(1)))
    found = regrade.estimate(path, MODEL, RUNS, MEASURE, **ON).pairs
    pd.testing.assert_frame_equal(found, expected)


def labels_of(rows):
    """Topic, docno and grade of all labels, sorted."""
    labels = ((str(t).strip(), str(d).strip(), str(g).strip()) for t, d, g in rows)
    return sorted((t, d, float(g)) for t, d, g in labels if g not in MISSING)


def check_accidents(frame, folder, count, seed):
    """None ends in a traceback; what is read is what stands there; what is accepted is finite."""
    rng, path, accepted = np.random.default_rng([seed, count]), folder / "filled.csv", 0
    for _ in range(count):
        change, data = accident(frame, rng)
        path.write_bytes(data)
        for measures, how in (((RUNS, MEASURE), ON), ((), {"replays": 0})):
            try:
                found = regrade.estimate(path, MODEL, *measures, **how)
            except RegradeError as refused:
                assert len(str(refused)) > 20
                continue
            accepted += 1
            for name in found.tables:
                numbers = getattr(found, name)
                if isinstance(numbers, pd.DataFrame):
                    assert not np.isinf(numbers.select_dtypes(float)).any(axis=None), change
            plain, read = table_of(data), regrade.read_sample(path).table.to_pandas()
            if plain is not None and {"topic", "docno", "grade"} <= {*plain}:
                of = zip(plain["topic"], plain["docno"], plain["grade"], strict=True)
                ours = zip(read["topic"], read["docno"], read["grade"], strict=True)
                assert labels_of(of) == labels_of(ours), change
        with contextlib.suppress(RegradeError):
            regrade.assign(RUNS, MODEL, 20, MEASURE, after=path, scale=4)
    return accepted


def test_accidents_of_filled_files(frame, tmp_path):
    assert check_accidents(frame, tmp_path, 20, 1) > 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_accidents_of_filled_files(frame, tmp_path, seed):
    assert check_accidents(frame, tmp_path, 200, seed) > 20


def written(folder, frame):
    """A model's labels, runs and the filled file."""
    regrade.read_qrels(MODEL).to_frame().to_csv(folder / "model.csv", index=False)
    (folder / "runs").mkdir()
    for name in ("s0", "s3"):
        lines = []
        for topic, own in RUNS[name].items():
            for rank, docno in enumerate(sorted(own, key=own.get, reverse=True), 1):
                lines.append(f"{topic} Q0 {docno} {rank} {own[docno]} {name}\n")
        (folder / "runs" / name).write_text("".join(lines))
    frame.to_csv(folder / "filled.csv", index=False)


@pytest.fixture(scope="module")
def files(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("given")
    written(folder, frame)
    (folder / "emptydir").mkdir()
    return folder


def check_commands(frame, folder, count, seed):
    """Of mutated models, runs and filled files, and of options."""
    written(folder, frame)
    originals = {name: (folder / name).read_bytes()
                 for name in ("model.csv", "filled.csv", "runs/s0")}  # fmt: skip
    rng, codes = np.random.default_rng([seed, count]), []
    options = ["", "--odds-ratio 2", "--several median_high", "--assume uniform", "--settled 1",
               "--settled undecided", "--table pairs", "--json"]  # fmt: skip
    for _ in range(count):
        name = [*originals][rng.integers(3)]
        data = mutated(originals[name], rng)
        (folder / name).write_bytes(data if rng.random() < 0.9 else originals[name])
        line = [
            f"estimate filled.csv model.csv --runs runs -m {MEASURE} --replays 0 --scale 4 "
            + options[rng.integers(len(options))],
            f"assign runs model.csv --budget {['80', '1', 'nan', '1e9'][rng.integers(4)]} "
            f"-m {MEASURE} --scale 4 {['', '--per-topic', '--cost model.csv'][rng.integers(3)]}",
            "assign runs model.csv --budget 9 --after filled.csv --aim undecided --scale 4 "
            f"-m {MEASURE}",
        ][rng.integers(3)]
        done = CliRunner().invoke(app, line.split())
        assert done.exception is None or isinstance(done.exception, SystemExit), (line, data)
        assert done.exit_code in (0, 1, 2), line
        assert done.exit_code == 0 or done.stderr.strip(), line
        codes.append(done.exit_code)
        (folder / name).write_bytes(originals[name])
    return codes


def test_commands_on_accidents(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert {*check_commands(frame, tmp_path, 15, 1)} == {0, 1}


LINES = """
assign
assign runs
assign runs model.csv
assign runs model.csv --budget
assign runs model.csv --budget x
assign runs model.csv --budget -1
assign model.csv runs --budget 9
assign runs runs --budget 9
assign none model.csv --budget 9
assign runs model.csv --budget 9 --aim 0
assign runs model.csv --budget 9 --aim -1
assign runs model.csv --budget 9 --aim first
assign runs model.csv --budget 9 --aim undecided
assign runs model.csv --budget 9 --aim 99 --after filled.csv
assign runs model.csv --budget 9 --after model.csv
assign runs model.csv --budget 9 --after runs
assign runs model.csv --budget 9 --after none.csv
assign runs model.csv --budget 9 --cost runs
assign runs model.csv --budget 9 --cost none
assign runs model.csv --budget 9 -m AP@0
assign runs model.csv --budget 9 -m RR
assign runs model.csv --budget 9 --seed -1
assign runs model.csv --budget 9 --out emptydir
assign runs model.csv --budget 9 --scale 0
assign runs model.csv --budget 9 --scale 9:1
estimate
estimate filled.csv
estimate model.csv filled.csv
estimate runs model.csv
estimate filled.csv runs
estimate filled.csv model.csv --runs none
estimate filled.csv model.csv --runs model.csv
estimate filled.csv model.csv --runs runs -m RR
estimate filled.csv model.csv -m P@5
estimate filled.csv model.csv --settled 1
estimate filled.csv model.csv --runs runs --settled 99
estimate filled.csv model.csv --runs runs --settled 0
estimate filled.csv model.csv --runs runs --settled all
estimate filled.csv model.csv --odds-ratio 0
estimate filled.csv model.csv --odds-ratio x
estimate filled.csv model.csv --assume nothing
estimate filled.csv model.csv --assume uniform
estimate filled.csv model.csv --several mean
estimate filled.csv model.csv --replays -1
estimate filled.csv model.csv --budget 20
estimate model.csv model.csv --budget 999
estimate filled.csv model.csv --columns inclusion=chosen
estimate filled.csv model.csv --columns pi=inclusion
estimate filled.csv model.csv --where batch=2
estimate filled.csv model.csv --model-where worker=x
estimate filled.csv model.csv --table none
estimate filled.csv none=model.csv model.csv
"""


@pytest.mark.parametrize("line", LINES.strip().splitlines())
def test_lines_that_mean_nothing_have_a_message(line, files, monkeypatch):
    monkeypatch.chdir(files)
    scale = [] if "--scale" in line else ["--scale", "4"]
    done = CliRunner().invoke(app, [*line.split(), *scale])
    assert isinstance(done.exception, SystemExit), done.output
    assert done.exit_code in (1, 2)
    assert done.stderr.strip()


@pytest.mark.slow
def test_many_commands_on_accidents(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert {0, 1} <= {*check_commands(frame, tmp_path, 300, 2)}
