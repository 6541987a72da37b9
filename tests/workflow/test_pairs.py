"""What the rules for answers about pairs decide holds in every stage after the checks."""

import pandas as pd
import pytest

from tests.workflow.conftest import TINY, configured

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

USED = ("title", "runs", "simulation", "pair_tasks")
RULES = {"usual": {}, "kept": {"drop": []}}
TABLES = ("workers", "topics", "times", "effects", "questions", "raw", "sided", "partition_systems")


@pytest.fixture(scope="module")
def made(house, tmp_path_factory):
    """Reads a table of a collection whose answers are taken under each of `RULES`."""
    how = {"set": "answers", "task": "crowd", "references": ["TR2"], "methods": ["frequency"]}
    how |= {"price": 0.01, "partitions": {"counts": [1], "draws": 1}}
    collection = {
        **{key: TINY[key] for key in USED},
        "qrels": {"TR2": {"levels": 2}},
        "judgments": {"S4": TINY["judgments"]["S4"]},
        "preferences": {"answers": TINY["preferences"]["answers"]},
        "pairs": [how | {"name": name} | rules for name, rules in RULES.items()],
    }
    directory = configured(tmp_path_factory.mktemp("pairs"), "tiny", collection)
    results = "results/tiny"
    asked = [f"{results}/preferences/{name}/{table}.parquet" for name in RULES for table in TABLES]
    house.snakemake(directory, *asked).well()

    def read(*parts: str) -> pd.DataFrame:
        return pd.read_parquet(directory / results / "/".join(parts[:-1]) / f"{parts[-1]}.parquet")

    return read


@pytest.mark.parametrize("name", RULES)
def test_every_stage_takes_the_answers_that_the_rules_keep(made, name):
    answers, left_out = made("preferences", name, "answers"), made("preferences", name, "left_out")
    everything = made("preferences", name, "topics").set_index("topic").loc["*"]
    assert everything["kept"] == len(answers)
    assert everything["cost"] == pytest.approx(0.01 * (len(answers) + len(left_out)))
    workers = made("preferences", name, "workers")
    assert workers["left_out"].sum() == len(left_out)
    assert workers["answers"].sum() == len(answers) + len(left_out)
    assert made("preferences", name, "times").query("topic == '*'")["answers"].sum() == len(answers)
    effects = made("preferences", name, "effects").query("outcome == 'log seconds'")
    assert set(effects["rows"]) == {len(answers)}
    alone = made("preferences", name, "questions").query("first == 'preference' and topic == '*'")
    assert set(alone["answers"]) == {len(answers)}
    raw = made("preferences", name, "raw")
    assert raw["answers"].sum() == 2 * len(answers)
    labels = made("tables", "qrels", "TR2").astype(str)
    labelled = set(zip(labels["topic"], labels["docno"], strict=True))
    both = [{(t, a), (t, b)} <= labelled for t, a, b in answers[["topic", "left", "right"]].values]
    known = made("preferences", name, "sided").query("question == 'preference' and topic == '*'")
    assert known["answers"].sum() == sum(both)


def test_another_rule_keeps_other_answers(made):
    assert made("preferences", "usual", "answers")["trusted"].all()
    assert not made("preferences", "kept", "answers")["trusted"].all()
    assert made("preferences", "kept", "answers")["test"].any()
    assert made("preferences", "kept", "left_out").empty


def test_drawn_partitions_are_of_the_answers_kept(made):
    """Untrusted answers change what one partition says, and so how it agrees with all."""
    usual, kept = (
        made("preferences", "usual", "partition_systems"),
        made("preferences", "kept", "partition_systems"),
    )
    assert not usual["score"].equals(kept["score"])
