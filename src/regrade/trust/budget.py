"""How much labelling finds a cut: labels of few documents a topic, of few topics, by few judges.

Documents are drawn without replacement from those that the reference labels, the same numbers of
each topic; a cut is chosen by these labels alone and judged by all.  Topics are drawn likewise,
with all of their labels; the cut that they choose together is judged on the topics that were not
drawn, against the one that all topics choose together.  Where a few labels choose no cut, say
because they are all of one level, there is no regret to average, and `within` counts a failure.

Of each document's judges k are drawn without replacement (a document with fewer keeps all), the
whole search is done again, and the systems are ranked under what is left: what it costs, in
judgments, against α and τ_b.  Where every judge judged everything, as models do, the same k can be
drawn for all documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.choices import FEWER_OF
from regrade.cutsearch.best import best_index
from regrade.cutsearch.data import TopicJudgments
from regrade.cutsearch.means import mean_under_coverage, mean_where_defined
from regrade.errors import ParameterError, check_choice
from regrade.percentiles import interval
from regrade.randomness import generator
from regrade.trust.bootstrap import (
    BEST,
    PER_TOPIC,
    SINGLE,
    TOPICS,
    Outcome,
    RepeatedSearch,
    values_at,
    with_range,
)
from regrade.trust.resampling import pairs_of, with_pairs
from regrade.trust.transfer import ALPHA, TAU

LABELS = "labels"
REGRET = "regret"
DOCUMENTS, WORKERS = FEWER_OF

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


# --- few judges ------------------------------------------------------------------------------


def some_judges(
    topics: Sequence[TopicJudgments], drawn: str, k: int, seed: int, sample: int
) -> list[np.ndarray]:
    """Which judgments are left of each topic where k judges are drawn."""
    check_choice("thing that has judges of its own", drawn, FEWER_OF)
    if drawn == WORKERS:
        everybody = np.unique(np.concatenate([topic.raw.workers for topic in topics]))
        rng = generator(seed, "fewer", drawn, str(k), str(sample))
        chosen = everybody[np.sort(rng.permutation(len(everybody))[:k])]
        return [np.isin(t.raw.workers, chosen)[pairs_of(t)[1]] for t in topics]
    of_topics = []
    for topic in topics:
        document, _ = pairs_of(topic)
        rng = generator(seed, "fewer", drawn, topic.topic, str(k), str(sample))
        order = np.lexsort((rng.random(len(document)), document))
        first = np.searchsorted(document, document)
        kept = np.zeros(len(document), dtype=bool)
        kept[order] = np.arange(len(document)) - first < k
        of_topics.append(kept)
    return of_topics


def most_judges(topics: Sequence[TopicJudgments], drawn: str) -> tuple[int, np.ndarray]:
    """The most judges that can be drawn, and how many each document has, of all topics."""
    counts = [np.bincount(pairs_of(t)[0], minlength=t.n_documents) for t in topics]
    each = np.concatenate(counts)
    if drawn == WORKERS:
        return len(set().union(*(topic.raw.workers for topic in topics))), each
    return int(each.max()), each


def fewer_table(
    search: RepeatedSearch,
    reference: str | None,
    per_document: Sequence[int] = tuple(range(1, 11)),
    drawn: Sequence[str] = (DOCUMENTS,),
    samples: int = 50,
    seed: int = 1,
    threads: int = 1,
) -> pd.DataFrame:
    """α and τ_b where each document has k judges, and what that costs."""
    if min(*per_document, samples, 1) < 1:
        raise ParameterError(f"judgments {list(per_document)}, samples {samples}: 1 or more")
    rows: list[dict] = []
    for name in drawn:
        own = {"method": search.plan.method.name, "reference": reference, "drawn": name}
        reason = search.plan.reason
        if not reason and most_judges(search.plan.topics, name)[0] < 2:
            reason = "no document has two judges, so there are no fewer to draw"
        if reason:
            counts = dict.fromkeys(("per_document", "short", "samples", "undefined"), 0)
            nothing = {"everything": True, "selection": SINGLE, "quantity": ALPHA, "note": reason}
            rows.append(own | counts | nothing)
        else:
            curve = _curve(search, name, per_document, samples, seed, threads)
            rows += [own | row for row in curve]
    return pd.DataFrame(rows, columns=columns_of("cuts/fewer"))


def _curve(
    search: RepeatedSearch,
    drawn: str,
    per_document: Sequence[int],
    samples: int,
    seed: int,
    threads: int,
) -> Iterator[dict]:
    topics, labels, original = search.plan.topics, search.labels, search.original
    most, each = most_judges(topics, drawn)
    kept = sorted({k for k in per_document if k < most})

    def draw(cell: tuple[int, int]) -> tuple[int, int, Outcome]:
        pairs = some_judges(topics, drawn, cell[0], seed, cell[1])
        parts = [with_pairs(topic, left) for topic, left in zip(topics, pairs, strict=True)]
        documents = sum(int(part.histograms.any(axis=1).sum()) for part in parts)
        outcome = search.outcome(parts, map(search.criterion, parts, labels))
        return sum(int(left.sum()) for left in pairs), documents, outcome

    with ThreadPoolExecutor(threads) as pool:
        draws = list(pool.map(draw, product(kept, range(samples))))
    budgets = [(k, draws[i * samples : (i + 1) * samples]) for i, k in enumerate(kept)]
    budgets.append((most, [(int(each.sum()), int((each > 0).sum()), original)]))
    for k, of_k in budgets:
        costs, documents, outcomes = zip(*of_k, strict=True)
        key = {"per_document": k, "everything": k == most}
        key |= {"cost": float(np.mean(costs)), "documents": float(np.mean(documents))}
        key["short"] = int((each < k).sum()) if drawn == DOCUMENTS else 0
        for row in _of_budget(search, outcomes):
            yield key | row


def _of_budget(search: RepeatedSearch, draws: Sequence[Outcome]) -> Iterator[dict]:
    """α, τ_b and regret over the samples of one k."""
    original, selections = search.original, [PER_TOPIC, SINGLE, BEST, *search.named]
    reached = [({"quantity": ALPHA}, original.means, [draw.means for draw in draws])]
    for expert, tau in original.tau.items():
        key = {"quantity": TAU, "expert": expert}
        reached.append((key, tau, [draw.tau[expert] for draw in draws]))
    for key, full, drawn in reached:
        for selection, *of in zip(selections, full, np.transpose(drawn), strict=True):
            yield {"selection": selection} | key | _over(*of)
    regret = search.means[search.best] - values_at(
        search.means, np.array([draw.single for draw in draws])
    )
    yield {"selection": SINGLE, "quantity": REGRET} | _over(0.0, regret)


def _over(full: float, drawn: np.ndarray) -> dict:
    interval = with_range(full, drawn)
    row = {name: interval[name] for name in ("low", "high", "undefined")}
    return row | {"estimate": mean_where_defined(drawn), "full": full, "samples": len(drawn)}
