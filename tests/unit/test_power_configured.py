"""What the configuration of discriminative power must say of what is wrong."""

import pytest

from regrade.workflow.config import ConfigError
from tests.unit.test_collection import built, own

GOOD = {"sets": ["S4", "S2"], "experts": ["So4"]}


def with_power(*items, **parts):
    return built(own(power=[*items], **parts))


def test_what_the_next_tests_spoil_is_good():
    assert set(with_power(GOOD).items["power"]) == {"So4"}
    named = with_power(GOOD, {**GOOD, "name": "again"})
    assert set(named.items["power"]) == {"So4", "again"}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"experts": []}, "has nothing to compare sets with: name `preferences` or `experts`"),
    ],
)
def test_a_comparison_that_cannot_be(changes, problem):
    with pytest.raises(ConfigError) as error:
        with_power({**GOOD, **changes})
    assert problem in str(error.value)


def test_an_item_shows_a_comparison_that_there_is():
    with pytest.raises(ConfigError, match="comparison under `power`"):
        with_power(GOOD, studies={"chu2021": {"table-sets": {"power": "other"}}})
    shown = with_power(GOOD, studies={"chu2021": {"table-sets": {"power": "So4"}}}).requested_items
    assert [one.item.name for one in shown] == ["table-sets"]


PAGES = {
    "set": "S4",
    "file": "pages.tsv",
    "columns": {"topic": "t", "winner": "w"},
    "winners": {"0": "one", "1": None, "2": "two"},
}


def test_pages_are_runs_or_told_by_names():
    assert set(built(own(pages=[PAGES])).items["pages"]) == {"S4"}
    named = {**PAGES, "ranks": "(?P<system>a)(?P<rank>b)"}
    assert set(
        built(
            own(
                pages=[named],
                runs=None,
                judgments={},
                qrels={"S4": {"file": "f", "levels": 4}},
                transformations=[],
            )
        ).items["pages"]
    ) == {"S4"}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"winners": {"0": "one", "1": None}}, "pages.S4.winners: names 1 system"),
    ],
)
def test_pages_that_cannot_be(changes, problem):
    with pytest.raises(ConfigError) as error:
        built(own(pages=[{**PAGES, **changes}]))
    assert problem in str(error.value)
