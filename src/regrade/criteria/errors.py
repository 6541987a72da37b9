"""Errors of rank positions under any number of criteria: LRE, GRE and their normalised forms.

A ranking of n documents is given by its grades, in its order: (K, n), a row for each criterion.
Each criterion has an ideal ranking of the same documents; an error is a document that the ideal
ranking has below the one that follows it here (lioma2017 Equations 5–7).  The paper has two
criteria, with weights μ and ν; here there are K, and with two of them the formulas are the paper's.

Its ideal ranks are not defined where grades are tied.  So that is a rule, and `rank_error_range`
says what the rules could come to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, permutations, product

import numpy as np

from regrade.choices import CRITERIA_TIES, IDEAL_RANKS
from regrade.errors import ParameterError, check_choice

MOST_ORDERS = 40_320
"""Orders of tied documents, of one criterion, that an exact range goes through: 8 tied ones."""

_LAST_BITS = 1e-12
"""A sum of products may differ from its greatest value by its last bits."""

KINDS = ("local", "global")
"""LRE and GRE."""


def ideal_ranks(grades: np.ndarray, ties: str = "stable") -> np.ndarray:
    """The rank of each document in the ideal ranking by one criterion."""
    check_choice("ties", ties, IDEAL_RANKS)
    grades = np.asarray(grades, np.float64)
    if ties in ("stable", "reverse"):
        step = 1 if ties == "stable" else -1
        order = np.argsort(-grades[::step], kind="stable")
        ranks = np.empty(len(grades))
        ranks[order] = np.arange(1.0, len(grades) + 1)
        return ranks[::step]
    group, counts = _groups(grades)
    above = np.cumsum(counts) - counts
    if ties == "dense":
        return group + 1.0
    return above[group] + (1.0 if ties == "competition" else (counts[group] + 1) / 2)


def rank_errors(ranks: np.ndarray) -> np.ndarray:
    """How far each document's ideal rank is below that of the next one, if it is below."""
    ranks = np.asarray(ranks, np.float64)
    return (ranks[..., :-1] - ranks[..., 1:]).clip(min=0)


def expected_errors(grades: np.ndarray) -> np.ndarray:
    """The mean of `rank_errors` over all orders of the tied documents, each as likely."""
    group, counts = _groups(np.asarray(grades, np.float64))
    errors = rank_errors(ideal_ranks(grades, "average"))
    same = group[:-1] == group[1:]
    return np.where(same, (counts[group[:-1]] + 1) / 6, errors)


def error_vectors(grades: np.ndarray) -> np.ndarray:
    """All `rank_errors` that some order of the tied documents has."""
    grades = np.asarray(grades, np.float64)
    _, counts = _groups(grades)
    orders = math.prod(math.factorial(count) for count in counts.tolist())
    if orders > MOST_ORDERS:
        raise ParameterError(
            f"{len(grades)} documents with ties have {orders:,} ideal orders, and an exact range "
            f"goes through {MOST_ORDERS:,} at most: take a lower cutoff, or ties='expected'"
        )
    by_grade = np.argsort(-grades, kind="stable")
    groups = [list(g) for _, g in groupby(by_grade.tolist(), key=lambda place: grades[place])]
    ranks = np.empty((orders, len(grades)))
    for row, order in enumerate(product(*map(permutations, groups))):
        ranks[row, [place for part in order for place in part]] = np.arange(1, len(grades) + 1)
    return np.unique(rank_errors(ranks), axis=0)


def local_rank_error(errors: np.ndarray, weights: Sequence[float]) -> np.ndarray:
    """LRE, the sum over ranks of what the criteria's errors come to together (Equation 8)."""
    weights = _weights(weights, len(errors))
    discount = _discount(np.shape(errors)[-1])
    product = math.prod(w + np.asarray(e, np.float64) for w, e in zip(weights, errors, strict=True))
    return ((product - math.prod(weights)) * discount).sum(-1)


def global_rank_error(errors: np.ndarray, weights: Sequence[float]) -> np.ndarray:
    """GRE, the product of what each criterion's errors come to (Equation 11)."""
    weights = _weights(weights, len(errors))
    discount = _discount(np.shape(errors)[-1])
    sums = ((np.asarray(e, np.float64) * discount).sum(-1) for e in errors)
    return math.prod(1 + w * total for w, total in zip(weights, sums, strict=True)) - 1


def largest_local_error(n: int, weights: Sequence[float], ties: str = "stable") -> float:
    """The greatest LRE of n documents, C_LRE (Equation 10).

    That of the ideal ranks n, 1, n − 1, 2, … by every criterion, whose errors n − 1, n − 3, … stand
    at the ranks 1, 3, ….  With `ties` as in a competition the better documents may all have ideal
    rank 1: n, 1, n − 1, 1, …, with errors n − 1, n − 2, ….  No other rule has greater errors than
    orders have.
    """
    errors = _largest_errors(n, ties)
    return float(local_rank_error([errors] * len(weights), weights))


def largest_global_error(n: int, weights: Sequence[float], ties: str = "stable") -> float:
    """The greatest GRE of n documents, C_GRE (Equation 13), of the same ranks."""
    errors = _largest_errors(n, ties)
    return float(global_rank_error([errors] * len(weights), weights))


def normalised_rank_error(
    grades: np.ndarray, weights: Sequence[float], kind: str = "local", ties: str = "stable"
) -> float:
    """NLRE or NGRE of a ranking: 1 without errors, 0 with as many as can be (Equations 9, 12)."""
    check_choice("ties", ties, CRITERIA_TIES)
    return rank_error_under(grades, weights, kind, ties)


def rank_error_under(grades: np.ndarray, weights: Sequence[float], kind: str, ties: str) -> float:
    """`normalised_rank_error` under any rule for ties, `regrade.choices.IDEAL_RANKS` too."""
    if ties in ("optimistic", "pessimistic"):
        worst, best = rank_error_range(grades, weights, kind)
        return best if ties == "optimistic" else worst
    if ties == "expected":  # products of independent errors: their mean is that of the means
        errors = [expected_errors(row) for row in grades]
    else:
        errors = [rank_errors(ideal_ranks(row, ties)) for row in grades]
    return normalised(_rank_error(kind)(errors, weights), np.shape(grades)[1], weights, kind, ties)


def rank_error_range(
    grades: np.ndarray, weights: Sequence[float], kind: str = "local"
) -> tuple[float, float]:
    """The least and the greatest NLRE or NGRE over all orders of tied documents, exactly.

    Both errors grow with each of the criteria's, so that only those orders of a criterion count
    that no other one is better (or worse) than at every rank.
    """
    error = _rank_error(kind)
    grades = np.asarray(grades, np.float64)
    vectors = [error_vectors(row) for row in grades]
    ends = []
    for sign in (-1, 1):
        fronts = [sign * _least(sign * some) for some in vectors]
        *others, last = fronts
        values = []  # of all combinations of the criteria's errors, the last one's at once
        for chosen in product(*others):
            repeated = [np.broadcast_to(errors, last.shape) for errors in chosen]
            values.append(float((sign * error([*repeated, last], weights)).min()))
        ends.append(min(values) * sign)
    worst, best = (normalised(value, grades.shape[1], weights, kind) for value in ends)
    return worst, best


def _least(vectors: np.ndarray) -> np.ndarray:
    """Those rows that no other row is at most equal to in every column."""
    rest = vectors[np.argsort(vectors.sum(1), kind="stable")]
    kept = []
    while len(rest):
        kept.append(rest[0])
        rest = rest[(rest < rest[0]).any(1)]
    return np.array(kept)


def _rank_error(kind: str):
    check_choice("kind", kind, KINDS)
    return local_rank_error if kind == "local" else global_rank_error


def normalised(
    error: float, n: int, weights: Sequence[float], kind: str, ties: str = "stable"
) -> float:
    """1 minus an LRE or GRE of n documents over the greatest that the rule for ties allows."""
    if n < 2:
        return float(n)
    largest = largest_local_error if kind == "local" else largest_global_error
    value = 1 - float(error) / largest(n, weights, ties)
    return 0.0 if abs(value) < _LAST_BITS else value


def _largest_errors(n: int, ties: str) -> np.ndarray:
    errors = np.zeros(max(n - 1, 0))
    pairs = len(errors[::2])
    errors[::2] = n - 1 - np.arange(pairs) * (1 if ties == "competition" else 2)
    return errors


def _discount(ranks: int) -> np.ndarray:
    return 1 / np.log2(1 + np.arange(1.0, ranks + 1))


def _groups(grades: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,) the place of each grade among those that occur, the highest first; how many have it."""
    _, group, counts = np.unique(-grades, return_inverse=True, return_counts=True)
    return group, counts


def _weights(weights: Sequence[float], criteria: int) -> list[float]:
    weights = [float(weight) for weight in weights]
    usable = all(math.isfinite(weight) and weight >= 0 for weight in weights)
    if len(weights) != criteria or not usable or not sum(weights) > 0:
        raise ParameterError(
            f"weights are {weights} for {criteria} criteria: give each a number from 0, and one of "
            "them a number above 0"
        )
    return weights
