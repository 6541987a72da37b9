"""Which collections a call is about: by name, pattern, list, and by its targets."""

import pytest

from regrade.workflow.chosen import chosen_collections
from regrade.workflow.config import ConfigError, complete

KNOWN = ["dl19", "dl21", "trec8"]


def chosen(asked, *targets: str) -> list[str]:
    return chosen_collections({"collection": asked, "collections": dict.fromkeys(KNOWN)}, targets)


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("dl21", ["dl21"]),
        ("dl*", ["dl19", "dl21"]),
        ("all", KNOWN),
        (["trec8", "dl19"], ["dl19", "trec8"]),
        (["dl*", "dl19"], ["dl19", "dl21"]),
    ],
)
def test_names_stand_in_the_order_of_the_configuration(asked, names):
    assert chosen(asked) == names


@pytest.mark.parametrize(
    ("targets", "names"),
    [
        (["results/trec8/report.html"], ["trec8"]),
        (["./results/trec8/scores/Q.parquet", "results/dl21/report.html"], ["dl21", "trec8"]),
        (["results/trec8/report.html", "ranked"], ["dl19", "trec8"]),
        (["results/all/scores.parquet"], ["dl19"]),
        (["results/all/scores.parquet", "results/trec8/report.html"], ["dl19", "trec8"]),
        (["results/nowhere/report.html"], ["dl19"]),
        (["ranked"], ["dl19"]),
    ],
)
def test_targets_choose_collections_too(targets, names):
    assert chosen("dl19", *targets) == names


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("all", ["mine"]),
        ("*", ["mine"]),
        ("demo", ["demo"]),
        (["demo", "all"], ["demo", "mine"]),
    ],
)
def test_patterns_mean_the_demo_only_where_there_is_no_other(asked, names):
    config = {"collection": asked, "collections": {"demo": None, "mine": None}}
    assert chosen_collections(config, shipped=["demo"]) == names
    alone = {"collection": "all", "collections": {"demo": None}}
    assert chosen_collections(alone, shipped=["demo"]) == ["demo"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("dl20", "there is no collection 'dl20'; did you mean 'dl21'"),
        ("x*", "there is no collection 'x*'"),
        (["dl19", "trec"], "there is no collection 'trec'"),
    ],
)
def test_what_is_not_there_is_refused(asked, said):
    with pytest.raises(ConfigError, match=r"^config: collection: ") as caught:
        chosen(asked)
    assert said in str(caught.value)


def test_no_collection_is_called_as_all_of_them_are():
    with pytest.raises(
        ConfigError, match=r"collections\.all: stands for all collections: rename it"
    ):
        chosen_collections({"collection": "all", "collections": {"all": None}})


@pytest.mark.parametrize("asked", [[], 3, [["a"]], {"a": 1}])
def test_a_choice_is_a_name_or_a_list_of_names(asked):
    with pytest.raises(ConfigError, match="collection"):
        complete({"collection": asked, "collections": {}})
