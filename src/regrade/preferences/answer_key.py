"""What may be answered to test questions about pairs (yang2019 §5.1.4, Table 5.3)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.choices import TEST_LEVELS

KEY = ("left_level", "right_level", "question", "option", "accepted")

LEFT, RIGHT = "left", "right"
BOTH, SELECTED, NEITHER = "both", "selected", "neither"
PREFERENCE, RELEVANCE = "preference", "relevance"
OPTIONS = {PREFERENCE: (LEFT, RIGHT), RELEVANCE: (BOTH, SELECTED, NEITHER)}
"""The answers to two of the questions; ``selected``: the preferred document alone is relevant."""

_GAIN = {"H": 2, "M": 1, "N": 0}
# a marginally relevant document may be called either
_RELEVANT = {"H": (True,), "M": (True, False), "N": (False,)}


def answer_key() -> pd.DataFrame:
    """What may be answered to test questions (yang2019 Table 5.3).

    The more relevant document is to be preferred, either of two equal ones; a highly relevant one
    is relevant, one that is not relevant is not, a marginally relevant one may be called either.
    All 16 rows of ticks of Table 5.3 follow.
    """
    rows = [
        (left, right, question, option, _accepted(left, right, question, option))
        for left in TEST_LEVELS
        for right in TEST_LEVELS
        if not left == right == "M"
        for question, options in OPTIONS.items()
        for option in options
    ]
    return pd.DataFrame(rows, columns=list(KEY))


def _accepted(left: str, right: str, question: str, option: str) -> bool:
    best = {LEFT: _GAIN[left] >= _GAIN[right], RIGHT: _GAIN[right] >= _GAIN[left]}
    if question == PREFERENCE:
        return best[option]
    flags = {BOTH: [(True, True)], NEITHER: [(False, False)], SELECTED: []}
    flags[SELECTED] = [
        (selected == LEFT, selected == RIGHT) for selected, is_best in best.items() if is_best
    ]
    return any(a in _RELEVANT[left] and b in _RELEVANT[right] for a, b in flags[option])


def options_chosen(
    strength: np.ndarray, left_relevant: np.ndarray, right_relevant: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which option of each question an answer is."""
    preference = np.select([strength < 0, strength > 0], [LEFT, RIGHT], "")
    n_relevant = left_relevant + right_relevant
    alone = np.where(left_relevant > right_relevant, LEFT, RIGHT)
    relevance = np.select(
        [n_relevant == 2, n_relevant == 0, (n_relevant == 1) & (alone == preference)],
        [BOTH, NEITHER, SELECTED],
        "",
    )
    return preference, relevance


def is_accepted(
    left_level: np.ndarray, right_level: np.ndarray, question: str, option: np.ndarray
) -> np.ndarray:
    """Whether test questions are answered rightly."""
    key = answer_key()
    key = key[(key["question"] == question) & key["accepted"]]
    accepted = set(zip(key["left_level"], key["right_level"], key["option"], strict=True))
    answers = zip(left_level, right_level, option, strict=True)
    return np.fromiter((answer in accepted for answer in answers), dtype=bool, count=len(option))
