"""The measures that nobody names: one choice by scale, for library, command, init and workflow."""

import json

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

import regrade
from regrade.api.sets import read_set
from regrade.choices import COMPARED, TIED
from regrade.command.app import app
from regrade.errors import RegradeError
from regrade.measures import default_measures, parse
from regrade.scales import Scale
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import complete
from tests.unit.test_collection import own

EVERY, GAINS = ("AP", "nDCG", "nDCG@10", "RR"), ("nDCG", "nDCG@10")
BY_VALUES = {
    "two levels": ([0, 1], {"levels": 2}, EVERY),
    "four levels, relevant from 1 on as in trec_eval": ([0, 1, 2, 3], {"levels": 4}, EVERY),
    "eleven levels": (list(range(11)), {"levels": 11}, EVERY),
    "a slider": (list(range(0, 101, 20)), {"levels": 101}, GAINS),
    "shares": ([0.25, 0.5, 1], {"range": [0.25, 1]}, GAINS),
    "magnitudes": ([0.25, 40, 1000], {"range": [0.25, 1000]}, GAINS),
    "TREC's junk": ([-2, 0, 1, 2], {"levels": 3}, EVERY),
    "one grade": ([1, 1, 1], {"levels": 2}, EVERY),
    "no relevant document": ([0, 0, 0], {"levels": 2}, EVERY),
}


@pytest.mark.parametrize(("values", "scale", "measures"), BY_VALUES.values(), ids=BY_VALUES)
def test_every_door_takes_the_same(values, scale, measures, tmp_path, monkeypatch):
    assert default_measures(Scale.of(scale)) == measures
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.qrels").write_text(
        "".join(f"1 0 d{i} {value:g}\n" for i, value in enumerate(values))
    )
    (tmp_path / "own.run").write_text("1 Q0 d1 1 2.5 a\n1 Q0 d0 2 1.5 a\n")
    found = regrade.score("own.qrels", "own.run")
    assert tuple(found.measures) == measures
    # the first binary measure counts documents of grade 1 and more, whatever the scale
    if "AP" in measures and max(values) > 0:
        relevant = np.array(values) >= 1
        expected = (relevant[1] + relevant[0] * (1 + relevant[1]) / 2) / relevant.sum()
        assert found.means()["AP"].tolist() == pytest.approx([expected])

    def ran(*command):
        done = CliRunner().invoke(app, list(command))
        assert done.exit_code == 0, done.output
        return done.stdout

    printed = json.loads(ran("score", "own.qrels", "own.run", "--json"))
    assert tuple(row["measure"] for row in printed) == measures

    config = yaml.safe_load(ran("init", "own.qrels", "own.run"))
    own_options = config["collections"]["mine"]
    assert {k: v for k, v in own_options["qrels"]["own"].items() if k != "file"} == scale
    assert tuple(own_options.pop("measures")) == measures
    assert tuple(read_collection("mine", complete(config)).measures("own")[0]) == measures


def test_of_two_sets_those_that_both_serve():
    grades, shares = Scale.of({"levels": 4}), Scale.of({"range": [0, 1]})
    assert default_measures(grades, grades, of=COMPARED) == ("nDCG@10", "AP")
    assert default_measures(grades, shares, of=COMPARED) == ("nDCG@10",)
    qrels = {"G": {"file": "f", "levels": 4}, "V": {"file": "g", "range": [0, 1]}}
    pairs = {"pairs": [["G", "V"], ["G", "G2"]]}
    qrels["G2"] = {"file": "h", "levels": 4}
    config = own(runs="f", qrels=qrels, judgments={}, compare=pairs)
    collection = read_collection("own", complete(config))
    asked = {name: item["measures"] for name, item in collection.items["compare"].items()}
    assert asked == {"G-and-V": ["nDCG@10"], "G-and-G2": ["nDCG@10", "AP"]}
    assert collection.measures("V") == (["nDCG", "nDCG@10"], {})
    first = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 2}}
    second = {"1": {"a": 0.75, "b": 0.5}, "2": {"a": 0.25, "b": 1}}
    run = {"x": {t: {"a": 2, "b": 1} for t in first}, "y": {t: {"b": 2, "a": 1} for t in first}}
    found = regrade.compare(first, second, run, resamples=2, splits=2)
    assert found.systems["measure"].unique().tolist() == ["nDCG@10"]
    assert set(regrade.ties(run, second).scores["measure"]) == {"nDCG@10"}
    assert default_measures(grades, of=TIED) == TIED


def test_where_none_means_anything_the_reason_is_said():
    strengths = {"1": {"a": -1.5, "b": 2}}
    assert default_measures(read_set(strengths).likely_scale) == ()
    with pytest.raises(RegradeError, match="AP: takes no grades below 0"):
        regrade.score(strengths, {"x": {"1": {"a": 1}}})


def test_a_measure_means_something_on_every_scale_that_it_is_taken_for():
    for _, scale, measures in BY_VALUES.values():
        assert not [m for m in measures if parse(m).why_not(Scale.of(scale))]
