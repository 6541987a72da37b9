"""Which α an answer gives: one default by scale, another by option, its name with each."""

import re

import krippendorff
import numpy as np
import pytest
from click.testing import CliRunner

import regrade
from regrade.choices import METRICS
from regrade.command.app import app
from regrade.scales import Scale

RNG = np.random.default_rng(7)
TRUE = {str(t): {f"d{i}": float(RNG.random()) for i in range(12)} for t in range(6)}


def noisy(spread):
    return {
        t: {d: float(np.clip(v + RNG.normal(0, spread), 0, 1)) for d, v in of.items()}
        for t, of in TRUE.items()
    }


def graded(values, levels=4):
    return {
        t: {d: min(levels - 1, int(levels * v)) for d, v in of.items()} for t, of in values.items()
    }


PEOPLE, MODEL = graded(noisy(0.1)), graded(noisy(0.2))
SCORES = noisy(0.2)
WORKERS = {w: noisy(0.15) for w in "xyz"}


def judgments(values=lambda v: v, scale=None):
    rows = [
        (t, d, w, values(v))
        for w, own in WORKERS.items()
        for t, of in own.items()
        for d, v in of.items()
    ]
    columns = dict(
        zip(("topic", "docno", "worker", "value"), map(list, zip(*rows, strict=True)), strict=True)
    )
    return regrade.read_judgments(columns, scale=scale)


def grade(value):
    return min(3, int(4 * value))


def of_package(*coders, metric):
    """α by the package, over all documents."""
    rows = [[of[t][d] for t in TRUE for d in TRUE[t]] for of in coders]
    return krippendorff.alpha(np.array(rows, float), level_of_measurement=metric)


LEVELS = {
    "workers": lambda **how: regrade.workers(judgments(grade), **how),
    "compare": lambda **how: regrade.compare(PEOPLE, MODEL, resamples=2, **how),
    "judges": lambda **how: regrade.judges(PEOPLE, {"m": MODEL, "n": SCORES}, resamples=20, **how),
    "calibrate": lambda **how: regrade.calibrate(PEOPLE, {"n": SCORES}, resamples=20, **how),
    "cut": lambda metric="ordinal", **how: regrade.find_cuts(
        SCORES, 4, PEOPLE, alpha=metric, **how
    ),
}
"""Answers about levels; of `cut` the option is called ``alpha``."""


@pytest.mark.parametrize("metric", [None, "nominal"])
@pytest.mark.parametrize("door", LEVELS)
def test_answers_about_levels_name_theirs(door, metric):
    said = str(LEVELS[door](**({"metric": metric} if metric else {})).summary())
    named = set(re.findall(r"α \((\w+), (?:all documents|mean over topics)\)", said))
    assert named == {metric or "ordinal"}


@pytest.mark.parametrize("metric", [None, *METRICS])
def test_the_numbers_are_of_that_metric(metric):
    how = {"metric": metric} if metric else {}
    levels = metric or "ordinal"
    facts = LEVELS["workers"](**how).tables["facts"].set_index("quantity")["value"]
    coders = [{t: {d: grade(v) for d, v in of.items()} for t, of in own.items()}
              for own in WORKERS.values()]  # fmt: skip
    expected = of_package(*coders, metric=levels)
    assert facts[f"{levels} alpha"] == pytest.approx(expected, abs=1e-12)
    whole = LEVELS["compare"](**how).tables["agreement"].set_index("topic").loc["*", "alpha"]
    assert whole == pytest.approx(of_package(PEOPLE, MODEL, metric=levels), abs=1e-12)


@pytest.mark.parametrize("metric", [None, *METRICS])
def test_real_numbers_have_distances(metric):
    """So they are compared by these, unless another metric is named."""
    how, real = {"metric": metric} if metric else {}, metric or "interval"
    workers = regrade.workers(judgments(scale=(0, 1)), **how)
    facts = workers.tables["facts"].set_index("quantity")["value"]
    expected = of_package(*WORKERS.values(), metric=real)
    assert facts[f"{real} alpha"] == pytest.approx(expected, abs=1e-12)
    assert f"α ({real}, all documents) of all workers is" in str(workers.summary())
    sides = [regrade.read_qrels(one, scale=(0, 1), name=name)
             for one, name in ((TRUE, "true"), (SCORES, "scores"))]  # fmt: skip
    compared = regrade.compare(*sides, resamples=2, **how)
    whole = compared.tables["agreement"].set_index("topic").loc["*", "alpha"]
    assert whole == pytest.approx(of_package(TRUE, SCORES, metric=real), abs=1e-12)
    assert f"α ({real}, all documents)" in compared.answer.method
    assert f"({real} α = " in compared.answer.verdict


@pytest.mark.parametrize(
    ("scale", "metric"),
    [
        ({"levels": 4}, "ordinal"),
        ({"levels": 101}, "ordinal"),
        ({"values": ["N", "R", "H"]}, "ordinal"),
        ({"values": {"from": 0, "to": 5, "by": 0.5}}, "ordinal"),
        ({"range": [0, 1]}, "interval"),
        ({"ratio": True}, "interval"),
    ],
)
def test_a_scale_has_its_metric(scale, metric):
    assert Scale.of(scale).metric == metric


def test_named_levels_are_ordinal_in_commands(tmp_path):
    names = ("none", "some", "much", "all")
    rows = [
        f"{t},{d},{w},{names[grade(v)]}\n"
        for w, own in WORKERS.items()
        for t, of in own.items()
        for d, v in of.items()
    ]
    (tmp_path / "j.csv").write_text("topic,docno,worker,label\n" + "".join(rows))
    command = ["workers", str(tmp_path / "j.csv"), "--scale", ",".join(names)]
    for more, metric in (((), "ordinal"), (("--metric", "nominal"), "nominal")):
        done = CliRunner().invoke(app, [*command, *more])
        assert done.exit_code == 0, done.output
        assert f"α ({metric}, all documents) of all workers is" in done.stdout
    done = CliRunner().invoke(app, [*command, "--metric", "ratio"])
    assert done.exit_code == 1
    assert "unknown metric 'ratio'; there is nominal, ordinal, interval" in done.stderr
