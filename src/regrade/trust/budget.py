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
from itertools import product

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.cutsearch.best import best_index
from regrade.cutsearch.means import mean_under_coverage, mean_where_defined
from regrade.percentiles import interval
from regrade.randomness import generator
from regrade.trust.bootstrap import PER_TOPIC, SINGLE, TOPICS, RepeatedSearch

LABELS = "labels"

Curve = Sequence[tuple[int, np.ndarray]]
"""How much is labelled, and the regret in each sample."""


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
    key = {"method": search.plan.method.name, "reference": reference}
    key |= {"epsilon": epsilon, "samples": samples}
    reason = search.plan.reason
    if not search.plan.method.needs_reference:
        reason = "compares with no reference: there is nothing to label"
    if reason:
        rows = [{"selection": SINGLE, "unit": LABELS, "budget": 0, "samples": 0, "note": reason}]
    else:
        curves = {
            **_of_labels(search, budgets, samples, seed, threads),
            (SINGLE, TOPICS): _of_topics(search, samples, seed),
        }
        rows = [row for of, curve in curves.items() for row in _rows(*of, curve, epsilon)]
    return pd.DataFrame([key | row for row in rows], columns=columns_of("cuts/budget"))


def some_labels(labels: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """The labels of n documents drawn at random, −1 elsewhere; all, where there are no more."""
    known = np.flatnonzero(labels >= 0)
    some = np.full_like(labels, -1)
    kept = rng.permutation(known)[:n]
    some[kept] = labels[kept]
    return some


def _of_labels(
    search: RepeatedSearch, budgets: Sequence[int], samples: int, seed: int, threads: int
) -> dict[tuple[str, str], Curve]:
    """The regret of cuts that labels of a few documents of each topic choose."""
    topics, labels, criterion = search.plan.topics, search.labels, search.criteria
    most = max(int((own >= 0).sum()) for own in labels)
    best_single = np.nanmax(search.means) if search.best >= 0 else np.nan

    def regrets(cell: tuple[int, int]) -> tuple[float, float]:
        budget, number = cell
        drawn, lost = [], []
        for t, (topic, own) in enumerate(zip(topics, labels, strict=True)):
            rng = generator(seed, "budget", topic.topic, str(budget), str(number))
            drawn.append(search.criterion(topic, some_labels(own, budget, rng)))
            if (~np.isnan(criterion[:, t])).any():
                chosen = best_index(search.places, drawn[t])
                lost.append(np.nanmax(criterion[:, t]) - _value(criterion[:, t], chosen))
        single = mean_under_coverage(np.stack(drawn, axis=1), search.coverage)
        chosen = best_index(search.places, single)
        return mean_where_defined(np.array(lost)), best_single - _value(search.means, chosen)

    kept = sorted({budget for budget in budgets if budget < most})
    with ThreadPoolExecutor(threads) as pool:
        regret = list(pool.map(regrets, product(kept, range(samples))))
    regret = np.array(regret).reshape(len(kept), samples, 2)
    of_all = (most, np.zeros(1))
    return {
        (selection, LABELS): [*zip(kept, regret[:, :, i], strict=True), of_all]
        for i, selection in enumerate((PER_TOPIC, SINGLE))
    }


def _of_topics(search: RepeatedSearch, samples: int, seed: int) -> Curve:
    """The regret on the topics without labels, to the best single cut of all topics there."""
    criterion = search.criteria
    n, curve = criterion.shape[1], []
    for count in range(1, n if search.best >= 0 else 1):
        lost = np.full(samples, np.nan)
        for number in range(samples):
            rng = generator(seed, "budget", TOPICS, str(count), str(number))
            drawn = np.zeros(n, dtype=bool)
            drawn[rng.permutation(n)[:count]] = True
            means = mean_under_coverage(criterion[:, drawn], search.coverage)
            chosen, rest = best_index(search.places, means), criterion[:, ~drawn]
            if chosen >= 0:
                best, own = (mean_where_defined(rest[cut]) for cut in (search.best, chosen))
                lost[number] = best - own
        curve.append((count, lost))
    return curve


def _rows(selection: str, unit: str, curve: Curve, epsilon: float) -> Iterator[dict]:
    means = [mean_where_defined(regret) for _, regret in curve]
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


def _value(criterion: np.ndarray, cut: int) -> float:
    return np.nan if cut < 0 else float(criterion[cut])
