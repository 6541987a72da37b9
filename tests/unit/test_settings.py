"""What is set of rules: names that are none are refused."""

import pytest

from regrade.errors import ParameterError
from regrade.workflow.settings import check_rules

RULES = ["search_cuts", "search_cuts_2", "rank_runs", "pool_sizes", "pool_scores", "deep_systems"]
TARGETS = ["all", "ranking", "pools", "cuts", "score"]


def refusal(option: str, name: str) -> str:
    with pytest.raises(ParameterError) as caught:
        check_rules({"--groups": [], option: [name]}, RULES, TARGETS)
    return str(caught.value)


@pytest.mark.parametrize(
    ("option", "name", "problem"),
    [
        ("--set-resources", "search_cut", "search_cut is no rule; did you mean 'search_cuts'?"),
        ("--set-threads", "Rank_runs", "Rank_runs is no rule; did you mean 'rank_runs'?"),
        ("--groups", "ranking", "ranking has no job of its own: name its rules, rank_runs"),
        ("--set-threads", "pools", "its rules, deep_systems, pool_scores, pool_sizes"),
        ("--set-threads", "cuts", "cuts has no job of its own: name its rules, search_cuts"),
        ("--set-threads", "all", "all has no job of its own: name the rules that it needs"),
    ],
)
def test_a_name_that_is_no_rule_is_refused(option, name, problem):
    said = refusal(option, name)
    assert said.startswith(f"{option}: ")
    assert problem in said


def test_names_of_rules_are_taken():
    check_rules({"--set-threads": ["search_cuts", "search_cuts_2"], "--groups": []}, RULES, TARGETS)
