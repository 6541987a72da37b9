"""Answers to test questions: Table 5.3 of yang2019 by its words, and every answer there can be."""

import itertools

import numpy as np
import pytest

from regrade.preferences.answer_key import KEY, answer_key, is_accepted, options_chosen

# the better one is to be preferred, either of two equal ones; H is relevant, N is not, M may be
# called either, and of one relevant document alone it must be the preferred one
RIGHT_ANSWERS = {
    ("H", "H"): ({"left", "right"}, {"both"}),
    ("H", "M"): ({"left"}, {"both", "selected"}),
    ("H", "N"): ({"left"}, {"selected"}),
    ("M", "H"): ({"right"}, {"both", "selected"}),
    ("M", "N"): ({"left"}, {"selected", "neither"}),
    ("N", "H"): ({"right"}, {"selected"}),
    ("N", "M"): ({"right"}, {"selected", "neither"}),
    ("N", "N"): ({"left", "right"}, {"neither"}),
}


def test_the_key_is_the_papers():
    key = answer_key()
    assert tuple(key.columns) == KEY
    assert len(key) == len(RIGHT_ANSWERS) * 5
    for place, question in enumerate(("preference", "relevance")):
        of = key[(key["question"] == question) & key["accepted"]].groupby(
            ["left_level", "right_level"]
        )
        found = {levels: set(rows["option"]) for levels, rows in of}
        assert found == {levels: answers[place] for levels, answers in RIGHT_ANSWERS.items()}


@pytest.mark.parametrize("place, question", [(0, "preference"), (1, "relevance")])
def test_an_answer_is_accepted_where_the_key_says_so(place, question):
    options = ["left", "right", "both", "selected", "neither", ""]
    asked = list(itertools.product([*RIGHT_ANSWERS, ("M", "M")], options))
    left, right = (np.array([levels[side] for levels, _ in asked]) for side in (0, 1))
    found = is_accepted(left, right, question, np.array([option for _, option in asked]))
    assert found.tolist() == [
        levels in RIGHT_ANSWERS and option in RIGHT_ANSWERS[levels][place]
        for levels, option in asked
    ]


def test_which_options_an_answer_is():
    answers = list(itertools.product([-1, -0.2, 0, 0.2, 1], [0, 1, np.nan], [0, 1, np.nan]))
    found = options_chosen(*np.array(answers, float).T)
    for (strength, left, right), preference, relevance in zip(answers, *found, strict=True):
        assert preference == ("left" if strength < 0 else "right" if strength > 0 else "")
        expected = {(1, 1): "both", (0, 0): "neither"}.get((left, right), "")
        if (left, right, preference) in {(1, 0, "left"), (0, 1, "right")}:
            expected = "selected"
        assert relevance == expected, (strength, left, right)
