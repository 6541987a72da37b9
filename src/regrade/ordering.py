"""The canonical order of a ranking: the one place of the rule for ties."""

from __future__ import annotations

import numpy as np

from regrade.choices import SCORE_PRECISIONS, TIE_BREAKS
from regrade.errors import check_choice


def comparable_scores(score: np.ndarray, score_precision: str = "float64") -> np.ndarray:
    """Scores as they are compared: two are tied where these are equal.

    Raises
    ------
    ParameterError
        If `score_precision` is none of `SCORE_PRECISIONS`.
    """
    check_choice("score_precision", score_precision, SCORE_PRECISIONS)
    with np.errstate(over="ignore"):  # beyond float32 is ±inf, as in trec_eval
        return np.asarray(score, dtype=np.float64).astype(score_precision, copy=False)


def canonical_order(
    topic: np.ndarray,
    score: np.ndarray,
    submitted_rank: np.ndarray,
    line: np.ndarray,
    docno: np.ndarray,
    *,
    tie_break: str = "rank",
    score_precision: str = "float64",
) -> np.ndarray:
    """Permutation that puts a run into canonical order: by topic, then by score descending.

    Parameters
    ----------
    topic, docno
        n sort keys each: integers that compare as the names do bytewise.
    score
        n scores, none NaN.
    submitted_rank
        The n ranks that the run's file gives.
    line
        The n line numbers in that file.
    tie_break
        What decides between documents of equal score: ``rank``: submitted rank, then line,
        ascending (yang2019 §3.2.1); ``trec_eval``: docno descending bytewise, as trec_eval
        does; ``line``: line ascending, the file's own order.
    score_precision
        ``float64`` or ``float32``: as what scores are compared.

    Returns
    -------
    numpy.ndarray
        n positions, int64: element i says which document comes i-th.

    Raises
    ------
    ParameterError
        If `tie_break` or `score_precision` is unknown.
    """
    check_choice("tie_break", tie_break, TIE_BREAKS)
    falling = -comparable_scores(score, score_precision)
    order = np.lexsort((falling, topic))
    # few documents tie: only they are sorted by the rule
    lengths = np.diff(group_starts(topic[order], falling[order]), append=len(order))
    tied = np.repeat(lengths > 1, lengths)
    group = np.repeat(np.arange(len(lengths)), lengths)[tied]
    rows = order[tied]
    match tie_break:
        case "rank":
            keys = (line[rows], submitted_rank[rows])
        case "trec_eval":
            keys = (-docno[rows].astype(np.int64),)
        case _:
            keys = (line[rows],)
    order[tied] = rows[np.lexsort((*keys, group))]
    return order


def rank_in_group(starts: np.ndarray, size: int) -> np.ndarray:
    """Ranks from 1 within consecutive groups.

    Parameters
    ----------
    starts
        Where each group starts, ascending, the first at 0.
    size
        Documents in all groups together.

    Returns
    -------
    numpy.ndarray
        `size` ranks, int32.
    """
    lengths = np.diff(starts, append=size)
    return (np.arange(1, size + 1) - np.repeat(starts, lengths)).astype(np.int32)


def group_starts(*keys: np.ndarray) -> np.ndarray:
    """Positions where any of the keys of sorted rows changes; the first is 0 (none if no rows)."""
    changes = np.ones(len(keys[0]), dtype=bool)
    if len(changes):
        changes[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    return np.flatnonzero(changes)
