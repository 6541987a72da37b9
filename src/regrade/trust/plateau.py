"""The plateau: every cut for all topics that cannot be told from the best one.

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

import numpy as np
import pandas as pd
from scipy import special

from regrade.catalogue import CUT_COLUMNS, columns_of
from regrade.cutsearch.best import best_of
from regrade.cutsearch.means import mean_under_coverage
from regrade.kendall import TOLERANCE, tau_b
from regrade.kendall import places as places_of_scores
from regrade.scales import briefly
from regrade.trust.bootstrap import RepeatedSearch, topic_weights
from regrade.wording import counted

FEWEST = 5
"""Of fewer topics no cut is told from another: draws of these do not know how many cuts there are.
"""

CONFIDENCE = 0.95
CELLS = 1 << 19
"""Draws times cuts that are held at a time."""

SAME = 1e-12
"""Differences below this are none."""


def on_plateau(
    criterion: np.ndarray, eligible: np.ndarray, best: int, weights: np.ndarray
) -> dict[str, np.ndarray]:
    """Which cuts cannot be told from the best."""
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
    plan = search.plan
    key = {"method": plan.method.name, "reference": reference}
    if plan.reason:
        return _tables([pd.DataFrame()], [key | _nothing(plan.reason)])
    criterion = search.criteria
    single = mean_under_coverage(criterion, plan.options.coverage)
    best = best_of(search.places, single)
    if best is None:
        return _tables([pd.DataFrame()], [key | _nothing("no cut for all topics")])
    weights = topic_weights(len(plan.topics), resamples, seed)
    plateau = on_plateau(criterion, ~np.isnan(single), best.index, weights)
    on = np.flatnonzero(plateau["on"])
    rows = pd.DataFrame(dict(zip(CUT_COLUMNS, plan.cuts[on].T, strict=False)))
    rows = rows.assign(
        **key,
        alpha=single[on],
        difference=plateau["difference"][on],
        error=plateau["error"][on],
        share=plateau["share"][on],
        best=on == best.index,
    )
    effects = {"n_cuts": len(plan.cuts), "on": len(on), "q": plateau["q"]}
    effects |= _widths(plan.cuts[on]) | {"alpha_low": single[on].min()}
    effects |= {"alpha_best": single[best.index], "n_topics": len(plan.topics)}
    note = None
    if len(plan.topics) < FEWEST:
        note = f"fewer than {FEWEST} topics: no cut can be told from another"
    effects = key | effects | {"note": note}
    if search.systems is None:
        return _tables([rows], [effects | {"said": sentence(effects)}])
    means = _Means(search, np.append(on, best.index))
    ranked = means.topics()
    if ranked:
        under, chosen = means.over(ranked)
        taus = np.array([tau_b(row, chosen) for row in under])
        rows = rows.assign(tau_best=taus)
        effects |= _changes(under, chosen, taus)
    every = []
    for expert, theirs in search.systems.experts.items():
        row = effects | {"expert": expert}
        ranked = means.topics(theirs)
        if ranked:
            under, chosen = means.over(ranked)
            own = np.mean([theirs[topic] for topic in ranked], axis=0)
            taus = np.array([tau_b(means_under, own) for means_under in under])
            row |= {"tau_low": np.nanmin(taus), "tau_high": np.nanmax(taus)}
            row |= {"tau_chosen": tau_b(chosen, own)}
        every.append(row | {"said": sentence(row)})
    return _tables([rows], every or [effects | {"said": sentence(effects)}])


def _widths(cuts: np.ndarray) -> dict[str, float]:
    """How far each threshold ranges on the plateau."""
    ranges = {}
    for name, column in zip(CUT_COLUMNS, cuts.T, strict=False):
        ranges |= {f"{name}_low": float(column.min()), f"{name}_high": float(column.max())}
    return ranges


class _Means:
    """Mean scores of the systems under some cuts, of which the last is the best one.

    Experts with the same topics ask for the same means, which are costly.
    """

    def __init__(self, search: RepeatedSearch, cuts: np.ndarray):
        self.search, self.cuts, self.known = search, cuts, {}

    def topics(self, theirs: Mapping | None = None) -> tuple[str, ...]:
        """The topics on which systems are ranked, by the expert too if one is given."""
        ranked = [topic.topic for topic in self.search.plan.topics]
        ranked = [topic for topic in ranked if topic in self.search.systems.discounts]
        return tuple(topic for topic in ranked if theirs is None or topic in theirs)

    def over(self, topics: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Means over topics under all cuts but the last (n, S), and under the last (S,)."""
        if topics not in self.known:
            total = np.zeros((len(self.cuts), len(self.search.systems.names)))
            for topic in self.search.plan.topics:
                if topic.topic in topics:
                    total += self.search.scores(topic, self.cuts)
            self.known[topics] = total / len(topics)
        means = self.known[topics]
        return means[:-1], means[-1]


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


def sentence(row: Mapping) -> str:
    """How sure the choice of the cut is, in one sentence, of a row of ``plateau_effects``."""
    if row["n_topics"] < FEWEST:
        return f"Only {counted(row['n_topics'], 'topic')}: nothing tells a cut from another."
    if row["n_cuts"] == 1:
        return "There is no other cut."
    if row["on"] == 1:
        return f"The cut is sure: {row['n_topics']} topics tell it from all other cuts."
    ranges = []
    for place, name in zip(ORDINALS, CUT_COLUMNS, strict=True):
        if f"{name}_low" in row:
            low, high = (briefly(row[f"{name}_{end}"]) for end in ("low", "high"))
            ranges.append(low if low == high else f"{low} to {high}")
            ranges[-1] = f"{place} threshold {ranges[-1]}" if len(ranges) == 1 else (
                f"{place} {ranges[-1]}"
            )  # fmt: skip
    text = (
        f"The cut is not sure: {row['on']:,} of {row['n_cuts']:,} cuts are as good as "
        f"{row['n_topics']} topics can tell ({', '.join(ranges)})"
    )
    if row.get("n_systems"):
        places = row["farthest"]
        if places:
            ranks = "rank" if places == 1 else "ranks"
            text += f"; another of them moves a system by at most {places} {ranks}"
        else:
            text += "; all of them rank the systems alike"
    return f"{text}."


def _nothing(reason: str) -> dict:
    return {"n_cuts": 0, "on": 0, "n_topics": 0, "note": reason}


def _tables(rows: list[pd.DataFrame], effects: list[dict]) -> dict[str, pd.DataFrame]:
    names = {name: columns_of(f"cuts/{name}") for name in ("plateau", "plateau_effects")}
    return {
        "plateau": pd.concat(rows).reindex(columns=names["plateau"]),
        "plateau_effects": pd.DataFrame(effects).reindex(columns=names["plateau_effects"]),
    }
