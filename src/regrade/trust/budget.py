"""How much labelling finds a cut: labels of a few documents a topic, or of a few topics.

Documents are drawn without replacement from those that the reference labels, the same numbers of
each topic; a cut is chosen by these labels alone and judged by all.  Topics are drawn likewise,
with all of their labels; the cut that they choose together is judged on the topics that were not
drawn, against the one that all topics choose together.  Where a few labels choose no cut, say
because they are all of one level, there is no regret to average, and `within` counts a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.cutsearch.best import best_of
from regrade.cutsearch.means import mean_under_coverage
from regrade.percentiles import interval
from regrade.randomness import generator
from regrade.trust.bootstrap import PER_TOPIC, SINGLE, TOPICS, RepeatedSearch

LABELS = "labels"


def budget_table(
    search: RepeatedSearch,
    reference: str | None,
    budgets: Sequence[int],
    epsilon: float = 0.01,
    samples: int = 50,
    seed: int = 1,
    threads: int = 1,
) -> pd.DataFrame:
    """The regret of cuts that few labels choose."""
    plan = search.plan
    key = {"method": plan.method.name, "reference": reference}
    key |= {"epsilon": epsilon, "samples": samples}
    columns = columns_of("cuts/budget")
    reason = plan.reason
    if not plan.method.needs_reference:
        reason = "compares with no reference: there is nothing to label"
    if reason:
        row = key | {"selection": SINGLE, "unit": LABELS, "budget": 0, "samples": 0}
        return pd.DataFrame([row | {"note": reason}], columns=columns)
    criterion = search.criteria
    rows = [
        *_of_labels(search, criterion, budgets, epsilon, samples, seed, threads),
        *_of_topics(search, criterion, epsilon, samples, seed),
    ]
    return pd.DataFrame([key | row for row in rows], columns=columns)


def some_labels(labels: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """The labels of n documents drawn at random, −1 elsewhere; all, where there are no more."""
    known = np.flatnonzero(labels >= 0)
    some = np.full_like(labels, -1)
    kept = rng.permutation(known)[:n]
    some[kept] = labels[kept]
    return some


def _of_labels(
    search: RepeatedSearch,
    criterion: np.ndarray,
    budgets: Sequence[int],
    epsilon: float,
    samples: int,
    seed: int,
    threads: int,
) -> Iterator[dict]:
    plan, places = search.plan, search.places
    labels = search.labels
    most = max(int((own >= 0).sum()) for own in labels)
    single_criterion = mean_under_coverage(criterion, plan.options.coverage)
    best_single = np.nan if np.isnan(single_criterion).all() else np.nanmax(single_criterion)

    def regrets(cell: tuple[int, int]) -> tuple[float, float]:
        budget, number = cell
        drawn = []
        for topic, own in zip(plan.topics, labels, strict=True):
            rng = generator(seed, "budget", topic.topic, str(budget), str(number))
            drawn.append(search.criterion(topic, some_labels(own, budget, rng)))
        lost = [
            np.nanmax(criterion[:, t]) - _value(places, own, criterion[:, t])
            for t, own in enumerate(drawn)
            if (~np.isnan(criterion[:, t])).any()
        ]
        single = mean_under_coverage(np.stack(drawn, axis=1), plan.options.coverage)
        return _mean(lost), best_single - _value(places, single, single_criterion)

    kept = sorted({budget for budget in budgets if budget < most})
    cells = [(budget, number) for budget in kept for number in range(samples)]
    with ThreadPoolExecutor(threads) as pool:
        regret = np.array(list(pool.map(regrets, cells))).reshape(len(kept), samples, 2)
    for i, selection in enumerate((PER_TOPIC, SINGLE)):
        curve = [(budget, regret[b, :, i]) for b, budget in enumerate(kept)]
        yield from _rows(selection, LABELS, [*curve, (most, np.zeros(1))], epsilon)


def _of_topics(
    search: RepeatedSearch, criterion: np.ndarray, epsilon: float, samples: int, seed: int
) -> Iterator[dict]:
    """The regret on the topics without labels, to the best single cut of all topics there."""
    n, coverage = criterion.shape[1], search.plan.options.coverage
    best = best_of(search.places, mean_under_coverage(criterion, coverage))
    if best is None:
        return
    curve = []
    for count in range(1, n):
        lost = []
        for number in range(samples):
            rng = generator(seed, "budget", TOPICS, str(count), str(number))
            drawn = np.zeros(n, dtype=bool)
            drawn[rng.permutation(n)[:count]] = True
            chosen = best_of(search.places, mean_under_coverage(criterion[:, drawn], coverage))
            if chosen is None:
                lost.append(np.nan)
                continue
            rest = criterion[:, ~drawn]
            lost.append(_mean(rest[best.index]) - _mean(rest[chosen.index]))
        curve.append((count, np.array(lost)))
    yield from _rows(SINGLE, TOPICS, curve, epsilon)


def _rows(
    selection: str, unit: str, curve: Sequence[tuple[int, np.ndarray]], epsilon: float
) -> Iterator[dict]:
    means = [_mean(regret) for _, regret in curve]
    for i, (budget, regret) in enumerate(curve):
        low, high = interval(regret)
        yield {
            "selection": selection,
            "unit": unit,
            "budget": budget,
            "regret": means[i],
            "low": low,
            "high": high,
            "within": float((regret <= epsilon).mean()),
            "enough": bool(all(mean <= epsilon for mean in means[i:])),
        }


def _value(places: np.ndarray, chosen_by: np.ndarray, judged_by: np.ndarray) -> float:
    """What one criterion's best cut is worth by another; NaN where it chooses none."""
    best = best_of(places, chosen_by)
    return np.nan if best is None else float(judged_by[best.index])


def _mean(values: Sequence[float]) -> float:
    values = np.asarray(values, dtype=float)
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else np.nan
