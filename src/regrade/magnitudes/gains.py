"""Gains of levels as magnitudes have them, beside linear and exponential ones (turpin2015 §6).

A reference's levels have the linear gains 1, 2, 3, … and the exponential gains 2, 4, 8, …, by their
places, as in the paper's Figure 8.

Profiles are fitted to ratios within units (HITs).  The model of a judgment of a document of level l
in unit u is

    log value = a_u + log g(l) + ε,  ε ~ N(0, σ²),  g(lowest) = 1 ≤ g(next) ≤ …

with an effect a_u of the unit, whose worker chose the numbers.  A unit has each document once, so
that ε holds what sets the document apart from its level as well as the noise of the judgment.  The
likelihood is that of the contrasts within units, in which a_u cancels: with y the centred logs of
a unit of n labelled judgments and m the centred logs of their gains,

    −(n − 1)/2 · log(2πσ²) − |y − m|² / (2σ²).

What sets a document apart comes again in every unit that holds it.  A topic's own gains learn it,
so profiles are held against documents that no unit of the fit has.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.optimize import minimize_scalar, nnls
from scipy.sparse.csgraph import connected_components

from regrade.aggregation import exceeds
from regrade.catalogue import ALL_TOPICS
from regrade.kendall import TOLERANCE
from regrade.magnitudes.label_comparison import (
    DOCUMENT,
    KnownLabels,
    box_of,
    check_positive,
    document_magnitudes,
    framed,
    plain,
)
from regrade.magnitudes.normalising import UNIT
from regrade.randomness import generator
from regrade.significance.paired import paired_difference

PROFILES = ("linear", "exponential", "fitted", "fitted by topic", "partially pooled")
"""The gain profiles that are held against judgments."""

_SINGULAR = 1e-9
"""Eigenvalues this small beside the largest are none."""

_LOG_RATIOS = np.log(np.logspace(-8, 4, 97))
"""Where the variance between topics over that of judgments is looked for."""


def linear_gains(levels: int) -> np.ndarray:
    """1, 2, 3, …"""
    return np.arange(1.0, levels + 1)


def exponential_gains(levels: int) -> np.ndarray:
    """2, 4, 8, …"""
    return 2.0 ** np.arange(1, levels + 1)


def gain_boxes(
    normalised: pa.Table | pd.DataFrame,
    units: pa.Table | pd.DataFrame,
    topics: pa.Table | pd.DataFrame,
    known: KnownLabels,
    *,
    limit: float = 20.0,
) -> pd.DataFrame:
    """Magnitudes over that of the unit's known low document, by level (turpin2015 Figure 8).

    The paper does not say whether N_k itself is among them.  Here it is not: over itself it is
    always 1.  H_k is, as any other document.
    """
    reference, labels, scale = known
    frame = plain(normalised).merge(labels, on=DOCUMENT)
    check_positive(frame, "value", "magnitude")
    low_docno = plain(topics).set_index("topic")["low_docno"]
    frame = frame[frame["docno"] != frame["topic"].map(low_docno).astype(object)]
    frame = frame.merge(plain(units)[[*UNIT, "low"]].dropna(), on=list(UNIT))
    ratio = frame["value"].to_numpy(float) / frame["low"].to_numpy(float)
    linear, exponential = linear_gains(len(scale)), exponential_gains(len(scale))
    rows = []
    for place, level in enumerate(scale):
        own = ratio[frame["code"].to_numpy() == place]
        gains = {"linear": linear[place], "exponential": exponential[place]}
        box = box_of(own, "magnitudes/gains") | {"limit": limit, "above": _above(own, limit)}
        rows.append({"reference": reference, "level": level} | box | gains)
    return framed(rows, "magnitudes/gains")


def gain_ratios(
    documents: pa.Table | pd.DataFrame,
    known: KnownLabels,
    *,
    limit: float = 3.5,
    aggregate: str = "median",
) -> pd.DataFrame:
    """Ratios of magnitudes of documents of the highest and of a lower level (turpin2015 Figure
    9).
    """
    reference, labels, scale = known
    frame = document_magnitudes(documents, aggregate).merge(labels, on=DOCUMENT)
    rows = []
    for place in range(len(scale) - 2, 0, -1):
        ratios = [np.empty(0)]
        for _, own in frame.groupby("topic"):
            magnitude, code = own["magnitude"].to_numpy(), own["code"].to_numpy()
            upper, lower = magnitude[code == len(scale) - 1], magnitude[code == place]
            ratios.append(np.divide.outer(upper, lower).ravel())
        every = np.concatenate(ratios)
        row = {"reference": reference, "upper": scale[-1], "lower": scale[place]}
        row |= box_of(every, "magnitudes/gain_ratios") | {"pairs": len(every)}
        rows.append(row | {"limit": limit, "above": _above(every, limit)})
    return framed(rows, "magnitudes/gain_ratios")


def gain_profiles(
    normalised: pa.Table | pd.DataFrame, known: KnownLabels, folds: int = 5, seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Gains fitted to magnitudes, and how likely they make documents the fit has not seen.

    Besides the two usual profiles there are three that are fitted, by least squares under the
    constraint that no level has less gain than the one below it: ``fitted``, one for all topics;
    ``fitted by topic``; and ``partially pooled``, in which each topic's steps (of log gain from one
    level to the next) are drawn towards those of all topics: with normal steps around these, of a
    variance that is found by maximum likelihood (empirical Bayes).  What a topic does not tell, a
    level that it lacks, is taken from all topics.  Each profile has a variance σ² of its own, one
    for all topics, estimated in the same way, so that the usual ones are not worse for not being
    allowed one.

    Each profile is held against linear gains by a paired t-test over topics, of the log-likelihood
    per contrast of a topic's left-out documents.

    All judgments of documents with a label count, the known ones among them.  Where units were
    accepted only with H_k above N_k (the paper's check c), that has part in the highest gain.
    """
    reference, labels, scale = known
    labelled = _labelled(plain(normalised), labels, len(scale))
    profiles = _profile_rows(_contrasts(labelled, np.ones(len(labelled.log), dtype=bool)), scale)
    likelihoods = _likelihood_rows(labelled, _parts(labelled, folds, seed, reference), folds)
    return tuple(
        framed([{"reference": reference} | row for row in rows], f"magnitudes/gain_{name}")
        for name, rows in (("profiles", profiles), ("likelihoods", likelihoods))
    )


def _above(values: np.ndarray, limit: float) -> int:
    """How many values are above a limit by more than rounding."""
    return int(exceeds(values, np.full(len(values), float(limit))).sum())


@dataclass(frozen=True)
class _Labelled:
    """Labelled judgments, sorted by topic, unit and document.

    Topics are numbered by name, units and documents in this order.
    """

    topics: list[str]  # of the judgments, labelled or not
    topic: np.ndarray  # (rows,)
    unit: np.ndarray  # (rows,)
    document: np.ndarray  # (rows,)
    code: np.ndarray  # (rows,): the place of the document's level
    log: np.ndarray  # (rows,)
    levels: int


@dataclass(frozen=True)
class _Contrasts:
    """Chosen labelled judgments, of units that have at least two of them.

    Rows are judgments: centred within their unit, ``y`` their logs, ``z`` whether their level is
    at least each but the lowest.  ``log gain = z @ steps`` with steps ≥ 0 is a profile.
    """

    topics: list[str]  # of the judgments, whether in a unit that counts or not
    topic: np.ndarray  # (units,)
    number: np.ndarray  # (units,): its number among all
    unit: np.ndarray  # (rows,): from 0, of these units
    size: np.ndarray  # (units,): judgments
    code: np.ndarray  # (rows,)
    y: np.ndarray  # (rows,)
    z: np.ndarray  # (rows, levels − 1)


@dataclass(frozen=True)
class _Moments:
    """Of each topic's units: z'z, z'y, y'y and the number of contrasts."""

    gram: np.ndarray  # (topics, k, k)
    cross: np.ndarray  # (topics, k)
    square: np.ndarray  # (topics,)
    contrasts: np.ndarray  # (topics,)


def _labelled(judgments: pd.DataFrame, known: pd.DataFrame, levels: int) -> _Labelled:
    """The judgments of documents with a label."""
    topics = sorted(judgments["topic"].unique())
    frame = judgments.merge(known, on=DOCUMENT)
    check_positive(frame, "value", "magnitude")
    frame = frame.sort_values([*UNIT, "docno"], ignore_index=True)
    return _Labelled(
        topics,
        np.searchsorted(topics, frame["topic"].to_numpy(dtype=str)),
        frame.groupby(list(UNIT), sort=True).ngroup().to_numpy(np.int64),
        frame.groupby(DOCUMENT, sort=True).ngroup().to_numpy(np.int64),
        frame["code"].to_numpy(np.int64),
        np.log(frame["value"].to_numpy(float)),
        levels,
    )


def _contrasts(labelled: _Labelled, chosen: np.ndarray) -> _Contrasts:
    """What units say of ratios between levels by the chosen judgments, a mask."""
    counted = np.bincount(labelled.unit[chosen], minlength=labelled.unit.max(initial=-1) + 1)
    rows = np.flatnonzero(chosen & (counted[labelled.unit] > 1))
    number, first, unit, size = np.unique(
        labelled.unit[rows], return_index=True, return_inverse=True, return_counts=True
    )
    code, y = labelled.code[rows], labelled.log[rows]
    z = (code[:, None] >= np.arange(1, labelled.levels)).astype(float)
    if len(rows):
        y = y - (np.add.reduceat(y, first) / size)[unit]
        z = z - (np.add.reduceat(z, first) / size[:, None])[unit]
    return _Contrasts(labelled.topics, labelled.topic[rows][first], number, unit, size, code, y, z)


def _moments(contrasts: _Contrasts) -> _Moments:
    """Moments of each topic's units."""
    n, k = len(contrasts.topics), contrasts.z.shape[1]
    gram, cross, square = np.zeros((n, k, k)), np.zeros((n, k)), np.zeros(n)
    topic = contrasts.topic[contrasts.unit]
    for place in range(n):
        rows = topic == place
        z, y = contrasts.z[rows], contrasts.y[rows]
        gram[place], cross[place], square[place] = z.T @ z, z.T @ y, y @ y
    left = np.bincount(contrasts.topic, contrasts.size - 1.0, minlength=n)
    return _Moments(gram, cross, square, left)


def _steps(gram: np.ndarray, cross: np.ndarray, pull: float, towards: np.ndarray) -> np.ndarray:
    """Fitted steps, pulled towards others; without a pull, only as far as data leave them open."""
    eigenvalues = np.linalg.eigvalsh(gram)
    if not eigenvalues[-1] > 0:
        return towards.copy()
    if eigenvalues[0] <= _SINGULAR * eigenvalues[-1]:
        pull = max(pull, _SINGULAR * eigenvalues[-1])
    # of steps ≥ 0 those with the least steps' gram steps − 2 cross steps; gram has full rank
    eigenvalues, vectors = np.linalg.eigh(gram + pull * np.eye(len(gram)))
    root = np.sqrt(eigenvalues)
    return nnls(root[:, None] * vectors.T, vectors.T @ (cross + pull * towards) / root)[0]


def _residual(moments: _Moments, steps: np.ndarray) -> np.ndarray:
    """(topics,): the residual sum of squares of each topic's (topics, k) steps."""
    fitted = np.einsum("tk,tkl,tl->t", steps, moments.gram, steps)
    return moments.square - 2 * np.einsum("tk,tk->t", moments.cross, steps) + fitted


def _fits(moments: _Moments) -> dict[str, np.ndarray]:
    """The steps of each profile: (k,), or (topics, k) where topics have their own."""
    n, k = moments.cross.shape
    shared = _steps(moments.gram.sum(axis=0), moments.cross.sum(axis=0), 0.0, np.zeros(k))
    ratio = _variance_ratio(moments, shared)
    own, pooled = np.empty((n, k)), np.empty((n, k))
    for topic, (gram, cross) in enumerate(zip(moments.gram, moments.cross, strict=True)):
        own[topic] = _steps(gram, cross, 0.0, shared)
        pooled[topic] = _steps(gram, cross, 1 / ratio, shared) if ratio > 0 else shared
    return {
        "linear": np.diff(np.log(linear_gains(k + 1))),
        "exponential": np.diff(np.log(exponential_gains(k + 1))),
        "fitted": shared,
        "fitted by topic": own,
        "partially pooled": pooled,
    }


def _variance_ratio(moments: _Moments, shared: np.ndarray) -> float:
    """The variance of topics' steps around `shared` over σ², by maximum marginal likelihood.

    With r = z'(y − zβ), β shared, G = z'z = V diag(e) V' and c = V'r of a topic, a ratio ρ has,
    with the best σ², the log likelihood −½ (N log Σ (RSS − Σ c² ρ / (1 + ρe)) + Σ log(1 + ρe)).
    """
    n = moments.contrasts.sum()
    eigenvalues, vectors = np.linalg.eigh(moments.gram)
    eigenvalues = eigenvalues.clip(min=0)
    open_ = moments.cross - moments.gram @ shared
    squared = np.einsum("tkl,tk->tl", vectors, open_) ** 2
    residual = _residual(moments, np.broadcast_to(shared, moments.cross.shape)).sum()
    if not residual > TOLERANCE * moments.square.sum():
        return 0.0

    def loss(log_ratio: float) -> float:
        ratio = np.exp(log_ratio)
        left = residual - (squared * ratio / (1 + ratio * eigenvalues)).sum()
        # rounding, where topics' own steps leave no residual
        left = max(left, TOLERANCE * residual)
        return n * np.log(left) + np.log1p(ratio * eigenvalues).sum()

    losses = np.array([loss(log_ratio) for log_ratio in _LOG_RATIOS])
    best = int(losses.argmin())
    around = _LOG_RATIOS[[max(best - 1, 0), min(best + 1, len(losses) - 1)]]
    optimum = minimize_scalar(loss, bounds=tuple(around), method="bounded")
    return float(np.exp(optimum.x)) if optimum.fun < n * np.log(residual) else 0.0


def _profile_rows(contrasts: _Contrasts, scale: np.ndarray) -> list[dict]:
    """Gains of all profiles, from all units."""
    fits = _fits(_moments(contrasts))
    fixed, everywhere = np.ones(len(scale), dtype=bool), _compared(contrasts, None)
    rows = []
    for name, steps in fits.items():
        of_topics = zip(contrasts.topics, steps, strict=True) if steps.ndim > 1 else None
        for place, (topic, own) in enumerate(of_topics or [(ALL_TOPICS, steps)]):
            defined = fixed if name in ("linear", "exponential") else everywhere
            if name == "fitted by topic":
                defined = _compared(contrasts, place)
            gains = np.exp(np.concatenate([[0.0], np.cumsum(own)]))
            for level, gain in zip(scale, np.where(defined, gains, np.nan), strict=True):
                rows.append({"profile": name, "topic": topic, "level": level, "gain": gain})
    return rows


def _compared(contrasts: _Contrasts, topic: int | None) -> np.ndarray:
    """(levels,) bool: levels that a chain of units (of a topic, or all) compares to the lowest."""
    chosen = np.ones(len(contrasts.unit), dtype=bool)
    if topic is not None:
        chosen = contrasts.topic[contrasts.unit] == topic
    present = np.zeros((len(contrasts.size), contrasts.z.shape[1] + 1), dtype=np.int64)
    present[contrasts.unit[chosen], contrasts.code[chosen]] = 1
    pairs = present.T @ present
    _, part = connected_components(pairs, directed=False)
    return (part == part[0]) & (pairs.diagonal() > 0)


def _parts(labelled: _Labelled, folds: int, seed: int, reference: str) -> np.ndarray:
    """(documents,): the part of each; a topic's are of equal size but for one, and so its levels'.

    Documents are dealt level by level, so that a part leaves documents of every level to fit to.
    """
    document, first = np.unique(labelled.document, return_index=True)
    topic, code = labelled.topic[first], labelled.code[first]
    part = np.empty(len(document), dtype=np.int64)
    for place, name in enumerate(labelled.topics):
        own = np.flatnonzero(topic == place)
        rng = generator(seed, "magnitudes", "gains", reference, name)
        start = rng.integers(folds)  # so that topics of few documents are not all in the same parts
        order = own[np.lexsort((rng.permutation(len(own)), code[own]))]
        part[order] = (start + np.arange(len(own))) % folds
    return part


def _likelihood_rows(labelled: _Labelled, part: np.ndarray, folds: int) -> list[dict]:
    """Likelihood of the contrasts of left-out documents under each profile."""
    units = int(labelled.unit.max(initial=-1)) + 1
    of_unit = {name: np.zeros(units) for name in PROFILES}
    contrasts = np.zeros(units, dtype=np.int64)
    own = part[labelled.document]
    for fold in range(folds):
        out = _contrasts(labelled, own == fold)
        if not len(out.size):
            continue
        contrasts[out.number] += out.size - 1
        seen = _moments(_contrasts(labelled, own != fold))
        topic, left = out.topic[out.unit], out.size - 1
        for name, shared in _fits(seen).items():
            steps = np.broadcast_to(shared, seen.cross.shape)
            residual = (out.y - np.einsum("rk,rk->r", out.z, steps[topic])) ** 2
            squares = np.bincount(out.unit, residual, minlength=len(left))
            variance = _residual(seen, steps).sum() / max(seen.contrasts.sum(), 1)
            if not variance > TOLERANCE * seen.square.sum():
                variance = np.nan
            log_likelihood = -left / 2 * np.log(2 * np.pi * variance) - squares / (2 * variance)
            of_unit[name][out.number] += log_likelihood
    topic_of = np.zeros(units, dtype=np.int64)
    topic_of[labelled.unit] = labelled.topic
    counted = contrasts > 0
    topics, of_topic = np.unique(topic_of[counted], return_inverse=True)
    per_topic = np.bincount(of_topic, contrasts[counted], minlength=len(topics))
    linear, number = of_unit["linear"][counted], int(contrasts.sum())
    rows = []
    for name in PROFILES:
        values = of_unit[name][counted]
        total = values.sum() if len(values) else np.nan
        row = {"profile": name, "units": len(values), "contrasts": number, "log_likelihood": total}
        row["per_contrast"] = total / number if number else np.nan
        undefined = name == "linear" or np.isnan(total + linear.sum())
        better = np.nan if undefined else (values - linear > TOLERANCE).mean()
        row |= {"better_share": better, "topics": len(topics)}
        if not undefined:
            gained = np.bincount(of_topic, values - linear, minlength=len(topics)) / per_topic
            test = paired_difference(gained)
            row |= {column: test[column] for column in ("difference", "low", "high", "p")}
        rows.append(dict.fromkeys(("difference", "low", "high", "p"), np.nan) | row)
    return rows
