"""Rules without labels learn of another transformation, on another scale, and run again with it."""

import pandas as pd
import pytest

from tests.workflow.conftest import TINY, configured, planned

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

PATH = "results/tiny/cuts/S11-to-2/unlabelled.parquet"


def collection(trained_on: list[str], **other) -> dict:
    """Sliders cut by what was learnt of other judgments, whose transformation is as `other`."""
    asked = {"transformation": "S11-to-2", "budget": [2], "samples": 2}
    searched = {"levels": 2, "references": ["TR2"], "methods": ["d2_at"]}
    return {
        "runs": TINY["runs"],
        "simulation": TINY["simulation"],
        "qrels": {"TR2": {"levels": 2}},
        "judgments": {name: TINY["judgments"][name] for name in ("S4", "S11")},
        "transformations": [{"source": "S11"} | searched, {"source": "S4"} | searched | other],
        "trust": [asked | {"trained_on": trained_on}],
    }


@pytest.fixture(scope="module")
def directory(house, tmp_path_factory):
    """Where rules learnt of the other judgments too."""
    directory = configured(tmp_path_factory.mktemp("trained"), "tiny", collection(["S4-to-2"]))
    house.snakemake(directory, PATH).well()
    return directory


def test_each_rule_that_learns_learns_of_the_other_too(directory):
    table = pd.read_parquet(directory / PATH).astype({"rule": str, "trained": str, "topic": str})
    trained = table.groupby("rule")["trained"].unique().map(set)
    for rule in ("single", "quantiles", "learnt"):
        assert trained[rule] == {"own topics", "S4-to-2"}
    assert len(trained["oracle"]) == len(trained["jenks"]) == 1
    # a threshold of four levels is one of eleven: cuts of other scales are put on this one's
    cuts = table[(table["trained"] == "S4-to-2") & (table["topic"] != "*")]["c1"].dropna()
    assert len(cuts) > 0
    assert (cuts % 1 == 0).all()


def test_what_it_learns_of_makes_it_learn_again(directory, house):
    configured(directory, "tiny", collection(["S4-to-2"], metric="interval"))
    assert "cut_unlabelled" in planned(house, directory, PATH)
    configured(directory, "tiny", collection([], metric="interval"))
    assert "cut_unlabelled" in planned(house, directory, PATH)
    configured(directory, "tiny", collection(["S4-to-2"]))
    assert planned(house, directory, PATH) == {}
