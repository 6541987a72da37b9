"""Gains from magnitudes: all judgments of a document as one gain, and judgments drawn at random.

A worker counts once per document, as in the table ``magnitudes/documents``: of several values the
lower middle one stands, with its unit.  Everything here is by topic: a topic's draws come from a
stream of its own, in the order of its docnos, so that they do not depend on the other topics, on
the runs, or on how many threads draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import exp, log

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.choices import MAGNITUDE_AGGREGATES
from regrade.compiled import njit
from regrade.errors import ParameterError, check_choice
from regrade.magnitudes.label_comparison import check_positive, each_worker_once, plain
from regrade.magnitudes.normalising import UNIT
from regrade.magnitudes.units import is_narrow
from regrade.randomness import generator

GAINS = ("magnitudes", "narrow", "wide")
"""Gains of magnitudes: by all units, by the narrow and by the wide ones; the last axis of gains."""

ALL, NARROW, WIDE = range(len(GAINS))
NEITHER = -1

MEDIAN = MAGNITUDE_AGGREGATES.index("median")

CHUNK = 100
"""Samples that are held at once."""


@dataclass(frozen=True, eq=False)
class TopicMagnitudes:
    """The normalised magnitudes of one topic: D documents, J judgments, U units.

    Attributes
    ----------
    topic
        Its name.
    docnos
        D docnos, ascending.
    offsets
        (D + 1,) int64; the judgments of document d are ``offsets[d]:offsets[d + 1]``.
    values
        (J,) float64, ascending within a document.
    units
        (J,) int64, the unit of each judgment, from 0 to U − 1 in the order of workers and names.
    widths
        (J,) int64: whether that unit is `NARROW`, `WIDE` or `NEITHER`.
    n_units
        U.
    """

    topic: str
    docnos: tuple[str, ...]
    offsets: np.ndarray
    values: np.ndarray
    units: np.ndarray
    widths: np.ndarray
    n_units: int


def topic_judgments(
    normalised: pa.Table | pd.DataFrame,
    units: pa.Table | pd.DataFrame | None = None,
    limit: float | None = None,
) -> tuple[TopicMagnitudes, ...]:
    """Normalised magnitudes by topic and document, each worker once.

    References
    ----------
    turpin2015 §5.3.
    """
    frame = plain(normalised)
    check_positive(frame, "normalised", "normalised magnitude")
    frame = each_worker_once(frame).assign(width_class=NEITHER)
    if units is not None:
        if limit is None or not limit > 0:
            raise ParameterError(f"limit is {limit}: narrow units are below a width above 0")
        widths = plain(units)[[*UNIT, "width"]].drop_duplicates(list(UNIT))
        width = frame[[*UNIT]].merge(widths, on=list(UNIT), how="left")["width"].to_numpy(float)
        kinds = [np.isnan(width), is_narrow(width, limit)]
        frame["width_class"] = np.select(kinds, [NEITHER, NARROW], WIDE)
    frame = frame.sort_values(["docno", "normalised", "worker", "unit"], kind="stable")
    parts = []
    for topic, rows in frame.groupby("topic"):
        docnos, counts = np.unique(rows["docno"].to_numpy(dtype=object), return_counts=True)
        of_worker = (
            rows["worker"] + "\0" + rows["unit"]
        )  # several workers may do the same documents
        names, own = np.unique(of_worker.to_numpy(dtype=object), return_inverse=True)
        judgments = TopicMagnitudes(
            topic=str(topic),
            docnos=tuple(docnos),
            offsets=np.append(0, np.cumsum(counts)),
            values=rows["normalised"].to_numpy(dtype=np.float64),
            units=own.astype(np.int64),
            widths=rows["width_class"].to_numpy(dtype=np.int64),
            n_units=len(names),
        )
        parts.append(judgments)
    return tuple(parts)


# --- all judgments -----------------------------------------------------------------------------


def all_gains(judgments: TopicMagnitudes, aggregate: str = "median") -> np.ndarray:
    """The gain of each document by all its judgments.

    References
    ----------
    turpin2015 §5.3.
    """
    once = np.ones((1, len(judgments.values)), np.int64)
    return _gains(*_arrays(judgments), once, _code(aggregate))[0]


# --- judgments drawn ---------------------------------------------------------------------------

Draw = Callable[[np.random.Generator, TopicMagnitudes, int], np.ndarray]
"""From a stream, a topic's judgments and a number of samples B: (B, D, …) float64 gains."""


def one_judgment(rng: np.random.Generator, judgments: TopicMagnitudes, samples: int) -> np.ndarray:
    """(B, D, 1): one magnitude of each document, drawn from its judgments (turpin2015 §5.3)."""
    counts = np.diff(judgments.offsets)
    drawn = (rng.random((samples, len(counts))) * counts).astype(np.int64)
    return judgments.values[judgments.offsets[:-1] + drawn][:, :, None]


def judgments_again(aggregate: str) -> Draw:
    """(B, D, 3), as `all_gains`: as many judgments of each document as it has, with replacement."""
    code = _code(aggregate)

    def draw(rng: np.random.Generator, judgments: TopicMagnitudes, samples: int) -> np.ndarray:
        counts = np.diff(judgments.offsets)
        first, of = (np.repeat(part, counts) for part in (judgments.offsets[:-1], counts))
        return _gains(*_arrays(judgments), _times(rng, first, of, samples), code)

    return draw


def units_again(aggregate: str) -> Draw:
    """(B, D, 3), as `all_gains`: as many units of the topic as it has, with replacement.

    A document that none of the drawn units judged is unjudged: its gain is 0.
    """
    code = _code(aggregate)

    def draw(rng: np.random.Generator, judgments: TopicMagnitudes, samples: int) -> np.ndarray:
        times = _times(rng, 0, np.full(judgments.n_units, judgments.n_units), samples)
        return _gains(*_arrays(judgments), times.take(judgments.units, axis=1), code)

    return draw


def _times(
    rng: np.random.Generator, first: np.ndarray | int, of: np.ndarray, samples: int
) -> np.ndarray:
    """(B, K) int64: how often each of K things is drawn, of so many from the first on."""
    drawn = first + (rng.random((samples, len(of))) * of).astype(np.int64)
    drawn += len(of) * np.arange(samples)[:, None]
    return np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)


def judgments_per_document(aggregate: str, most: int) -> Draw:
    """(B, D, most): 1, 2, … `most` judgments of each document without replacement.

    Those of one sample are nested: each k adds one judgment to those before.  A document with
    fewer judgments than k has all of them.
    """
    code = _code(aggregate)
    return lambda rng, judgments, samples: _judgments_per_document(
        rng, samples, most, judgments.offsets, judgments.values, code
    )


def drawn_gains(
    judgments: Sequence[TopicMagnitudes],
    draw: Draw,
    samples: int,
    pool: ThreadPoolExecutor,
    *,
    seed: int,
    what: str,
) -> Iterator[list[np.ndarray]]:
    """Gains of samples, some at a time."""
    streams = [generator(seed, what, of_topic.topic) for of_topic in judgments]
    for start in range(0, samples, CHUNK):
        n = min(CHUNK, samples - start)
        yield list(pool.map(draw, streams, judgments, [n] * len(streams)))


def _arrays(judgments: TopicMagnitudes) -> tuple[np.ndarray, ...]:
    return judgments.offsets, judgments.values, judgments.widths


def _code(aggregate: str) -> int:
    check_choice("aggregate", aggregate, MAGNITUDE_AGGREGATES)
    return MAGNITUDE_AGGREGATES.index(aggregate)


# Kernels.  `times` says how often each judgment counts; a document's values ascend, so that its
# median is found by counting up.  `aggregate` is a place in MAGNITUDE_AGGREGATES.


@njit(cache=True, nogil=True)
def _gains(offsets, values, widths, times, aggregate):
    gains = np.empty((times.shape[0], offsets.size - 1, len(GAINS)))
    for b in range(times.shape[0]):
        for d in range(offsets.size - 1):
            start, stop = offsets[d], offsets[d + 1]
            _gains_of(gains[b, d], start, stop, values, widths, times[b], aggregate)
    return gains


@njit(cache=True, nogil=True, inline="always")
def _gains_of(gains, start, stop, values, widths, times, aggregate):
    """By all, narrow and wide units; 0 for a document that nobody judged."""
    total = narrow = wide = 0
    lowest = highest = 0.0
    for j in range(start, stop):
        if times[j] > 0:
            highest = values[j]
            if total == 0:
                lowest = values[j]
            total += times[j]
            if widths[j] == NARROW:
                narrow += times[j]
            elif widths[j] == WIDE:
                wide += times[j]
    for kind, counted in ((ALL, total), (NARROW, narrow), (WIDE, wide)):
        if aggregate == MEDIAN:
            gains[kind] = _median(start, stop, values, widths, times, kind, counted)
        else:
            gains[kind] = _geometric_mean(start, stop, values, widths, times, kind, counted)
    if total == 0:
        gains[:] = 0.0
    if narrow == 0:
        gains[NARROW] = lowest
    if wide == 0:
        gains[WIDE] = highest


@njit(cache=False, nogil=True)
def _median(start, stop, values, widths, times, kind, total):
    lower = upper = 0.0
    seen = 0
    for j in range(start, stop):
        if times[j] > 0 and (kind == ALL or widths[j] == kind):
            if 2 * seen < total <= 2 * (seen + times[j]):
                lower = values[j]
            if 2 * seen <= total < 2 * (seen + times[j]):
                upper = values[j]
            seen += times[j]
    return (lower + upper) / 2


@njit(cache=True, nogil=True, inline="always")
def _geometric_mean(start, stop, values, widths, times, kind, total):
    logs = 0.0
    for j in range(start, stop):
        if times[j] > 0 and (kind == ALL or widths[j] == kind):
            logs += times[j] * log(values[j])
    return exp(logs / total) if total > 0 else 0.0


@njit(cache=True, nogil=True)
def _judgments_per_document(rng, samples, most, offsets, values, aggregate):
    gains = np.empty((samples, offsets.size - 1, most))
    left = values.copy()
    drawn = np.empty(most)
    for b in range(samples):
        for d in range(offsets.size - 1):
            start, stop = offsets[d], offsets[d + 1]
            logs = 0.0
            for k in range(most):
                first = start + k
                if first >= stop:
                    gains[b, d, k] = gains[b, d, k - 1]
                    continue
                other = first + int(rng.random() * (stop - first))
                left[first], left[other] = left[other], left[first]
                if aggregate == MEDIAN:
                    _insert(drawn, k, left[first])
                    gains[b, d, k] = (drawn[k // 2] + drawn[(k + 1) // 2]) / 2
                else:
                    logs += log(left[first])
                    gains[b, d, k] = exp(logs / (k + 1))
    return gains


@njit(cache=True, nogil=True, inline="always")
def _insert(ascending, n, value):
    """Put a value to the n that are there."""
    place = n
    while place > 0 and ascending[place - 1] > value:
        ascending[place] = ascending[place - 1]
        place -= 1
    ascending[place] = value
