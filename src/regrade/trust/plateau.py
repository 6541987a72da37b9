"""The plateau: every cut for all topics that is not significantly worse than the best one.

The rule is simultaneous over all cuts, as in comparisons with the best and in model confidence
sets.  Let δ_t(c) be by how much the best cut's α exceeds that of cut c for topic t, d(c) its mean
over the n topics where both count and s(c) its standard error.  Topics are drawn anew, and

    q = the 95th percentile over draws of max_c |d*(c) − d(c)| / s(c).

Draws know s(c), and scatter by √((n − 1) / n) too little; of few topics s(c) is itself a matter of
luck, most where cuts are many.  So q only says what share of a normal distribution lies beyond
q √(n / (n − 1)), which is what one cut may have if all of them are to have a twentieth, and q' is
beyond what the same share of Student's lies.  A cut is on the plateau if d(c) ≤ q' · s(c).  Both
signs count as any cut may be the best of a sample.  Pointwise, each cut for itself, the same would
be said with 95 % of draws where d*(c) > 0; that share is kept beside it.

With q itself, and one sign, the best cut was left out, or said to be sure among equals, in 10 to
25 % of samples of ten topics, and more of fewer (docs/coverage.md has what is now).

References
----------
Hansen, Lunde and Nason, The model confidence set, Econometrica 79 (2011); Westfall and Young,
Resampling-based multiple testing (1993), for the largest of studentised draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import pandas as pd
from scipy import special

from regrade.catalogue import CUT_COLUMNS, columns_of
from regrade.kendall import TOLERANCE, tau_b
from regrade.kendall import places as places_of_scores
from regrade.scales import briefly
from regrade.trust.bootstrap import RepeatedSearch, topic_weights
from regrade.wording import counted

FEWEST = 5
"""With fewer topics no cut is tested: draws of these do not know how many cuts there are.
"""

CONFIDENCE = 0.95
CELLS = 1 << 19
"""Draws times cuts that are held at a time."""

SAME = 1e-12
"""Differences below this are none."""


def on_plateau(
    criterion: np.ndarray, eligible: np.ndarray, best: int, weights: np.ndarray
) -> dict[str, np.ndarray]:
    """Which cuts are not significantly worse than the best."""
    known, same = np.empty((2, len(criterion)), dtype=bool)
    n, difference, error, as_good = np.empty((4, len(criterion)))
    largest, weights = np.full(len(weights), -np.inf), weights.astype(float)
    size = max(1, CELLS // max(1, len(weights)))
    for start in range(0, len(criterion), size):  # all draws of all cuts would be too many
        rows = slice(start, start + size)
        delta = criterion[best] - criterion[rows]
        n[rows], difference[rows], error[rows] = _means_and_errors(delta)
        known[rows] = eligible[rows] & (error[rows] > SAME)
        same[rows] = (np.abs(np.nan_to_num(delta)) <= SAME).all(axis=1)
        drawn = _drawn_means(delta, weights)
        as_good[rows] = np.count_nonzero(drawn <= SAME, axis=0)
        drawn -= difference[rows]
        drawn /= np.where(known[rows], error[rows], np.nan)
        np.abs(drawn, out=drawn)
        largest = np.fmax(largest, np.fmax.reduce(drawn, axis=1, initial=-np.inf))
    largest = largest[np.isfinite(largest)]
    is_defined = len(largest) > 0
    q = float(np.quantile(largest, CONFIDENCE)) if is_defined else np.nan
    # a difference that is the same for every topic is no luck
    worse = np.where(
        known,
        difference > _students(q, n) * error,
        (error <= SAME) & ~same & (difference > SAME),
    )
    worse &= n >= FEWEST
    return {
        "difference": difference,
        "error": error,
        "share": as_good / len(weights) if is_defined else np.full(len(criterion), np.nan),
        "on": eligible & ~worse,
        "q": q,
    }


def _students(q: float, n: np.ndarray) -> np.ndarray:
    """Student's quantile of n topics at the level that the draws' q has of a normal one."""
    freedom = np.maximum(n - 1, 1)
    return -special.stdtrit(freedom, special.ndtr(-q * np.sqrt((freedom + 1) / freedom)))


def _means_and_errors(delta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How many topics each row has, its mean and standard error over these; NaN without any."""
    defined = ~np.isnan(delta)
    n = defined.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(defined, delta, 0.0).sum(axis=1) / n
        spread = np.where(defined, delta - mean[:, None], 0.0)
        return n, mean, np.sqrt((spread**2).sum(axis=1) / (n - 1) / n)


def _drawn_means(delta: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Each row's mean over each draw of the topics, (R, rows); NaN where it has none of them."""
    defined = ~np.isnan(delta)
    with np.errstate(invalid="ignore"):
        if defined.all():
            return weights @ delta.T / weights.sum(axis=1, keepdims=True)
        return weights @ np.where(defined, delta, 0.0).T / (weights @ defined.T.astype(float))


def plateau_tables(
    search: RepeatedSearch, reference: str | None, resamples: int = 1000, seed: int = 1
) -> dict[str, pd.DataFrame]:
    """The plateau of the one cut for all topics, and what choosing on it changes."""
    key = {"method": search.plan.method.name, "reference": reference}
    drawn = {"resamples": resamples, "seed": seed}
    names = {name: columns_of(f"cuts/{name}") for name in ("plateau", "plateau_effects")}
    reason = search.plan.reason or (None if search.best >= 0 else "no cut for all topics")
    if reason:
        effects = [key | drawn | {"n_cuts": 0, "on": 0, "n_topics": 0, "note": reason}]
        rows = pd.DataFrame()
    else:
        rows, effects = _plateau(search, resamples, seed)
        rows, effects = rows.assign(**key), [key | drawn | effect for effect in effects]
    return {
        "plateau": rows.reindex(columns=names["plateau"]),
        "plateau_effects": pd.DataFrame(effects).reindex(columns=names["plateau_effects"]),
    }


def _plateau(search: RepeatedSearch, resamples: int, seed: int) -> tuple[pd.DataFrame, list[dict]]:
    """The cuts of the plateau, and what they change, beside each expert."""
    n_topics, single = len(search.names), search.means
    weights = topic_weights(n_topics, resamples, seed)
    plateau = on_plateau(search.criteria, ~np.isnan(single), search.best, weights)
    on = np.flatnonzero(plateau["on"])
    cuts = dict(zip(CUT_COLUMNS, search.plan.cuts[on].T, strict=False))
    of_cuts = {name: plateau[name][on] for name in ("difference", "error", "share")}
    rows = pd.DataFrame(cuts | {"alpha": single[on]} | of_cuts | {"best": on == search.best})
    effects = {"n_cuts": len(search.places), "on": len(on), "q": plateau["q"]}
    for name, thresholds in cuts.items():
        effects |= {f"{name}_low": thresholds.min(), f"{name}_high": thresholds.max()}
    effects |= {"alpha_low": single[on].min(), "alpha_best": single[search.best]}
    effects |= {"n_topics": n_topics, "note": None}
    if n_topics < FEWEST:
        effects["note"] = f"fewer than {FEWEST} topics: too few to test one cut against another"
    if search.systems is None:
        return rows, [effects | {"said": sentence(effects)}]

    @cache  # experts with the same topics ask for the same means, which are costly
    def means(topics: tuple[str, ...]) -> np.ndarray:
        """Systems' means over topics under all cuts of the plateau, then under the best one."""
        total = np.zeros((len(on) + 1, len(search.systems.names)))
        for topic in search.plan.topics:
            if topic.topic in topics:
                total += search.scores(topic, [*on, search.best])
        return total / len(topics)

    ranked = tuple(topic for topic in search.names if topic in search.systems.discounts)
    if ranked:
        *under, chosen = means(ranked)
        taus = np.array([tau_b(row, chosen) for row in under])
        rows = rows.assign(tau_best=taus)
        effects |= _changes(np.array(under), chosen, taus)
    every = []
    for expert, theirs in search.experts.items():
        row = effects | {"expert": expert}
        shared = tuple(topic for topic in ranked if topic in theirs)
        if shared:
            own = np.mean([theirs[topic] for topic in shared], axis=0)
            *taus, chosen = (tau_b(of_cut, own) for of_cut in means(shared))
            row |= {"tau_low": np.nanmin(taus), "tau_high": np.nanmax(taus), "tau_chosen": chosen}
        every.append(row | {"said": sentence(row)})
    return rows, every or [effects | {"said": sentence(effects)}]


def _changes(scores: np.ndarray, best: np.ndarray, taus: np.ndarray) -> dict:
    """What another cut of the plateau does to the best one's ranking of systems."""
    own = places_of_scores(best)
    moved = np.array([places_of_scores(row) for row in scores]) - own
    top = np.flatnonzero(own == own.max())
    keeps = np.array(
        [np.isin(top, np.flatnonzero(row >= row.max() - TOLERANCE)).any() for row in scores]
    )
    return {
        "tau_best_low": float(np.nanmin(taus)) if np.isfinite(taus).any() else np.nan,
        "moved": int((moved != 0).any(axis=0).sum()),
        "farthest": int(np.abs(moved).max(initial=0)),
        "other_first": float(1 - keeps.mean()),
        "n_systems": len(best),
    }


ORDINALS = ("first", "second", "third")
SETS = ("thresholds", "threshold pairs", "threshold triples")
"""What cuts are called, by how many thresholds they have."""


def sentence(row: Mapping) -> str:
    """How well the optimum is determined, of a row of ``plateau_effects``."""
    topics = row["n_topics"]
    if topics < FEWEST:
        are = "is" if topics == 1 else "are"
        return f"{counted(topics, 'topic')} {are} too few to test other thresholds against these."
    if row["n_cuts"] == 1:
        return "No other thresholds were searched."
    if row["on"] == 1:
        return (
            "The optimum is uniquely determined: all other thresholds are significantly worse "
            f"with {topics} topics."
        )
    names = [name for name in CUT_COLUMNS if f"{name}_low" in row]
    ranges = [_range(row[f"{name}_low"], row[f"{name}_high"]) for name in names]
    named = [f"{place} {ends}" for place, ends in zip(ORDINALS, ranges, strict=False)]
    where = f"threshold {ranges[0]}" if len(ranges) == 1 else (
        f"{named[0].replace(' ', ' threshold ', 1)}, {', '.join(named[1:])}"
    )  # fmt: skip
    text = (
        f"The optimum is not uniquely determined: {row['on']:,} of {row['n_cuts']:,} "
        f"{SETS[len(ranges) - 1]} are not significantly worse with {topics} topics ({where})."
    )
    if not row.get("n_systems"):
        return text
    if not row["farthest"]:
        return f"{text} All of them rank the systems identically."
    return f"{text} Choosing another moves a system by at most {counted(row['farthest'], 'rank')}."


def _range(low: float, high: float) -> str:
    """The ends of where a threshold lies, or the one value that it has."""
    first, last = (briefly(end).replace("-", "−") for end in (low, high))
    if first == last:
        return first
    return f"{first} to {last}" if low < 0 else f"{first}–{last}"
