"""What fewer judgments would have done: k judges of each document, drawn from those it has.

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
from regrade.cutsearch.data import TopicJudgments
from regrade.cutsearch.means import mean_where_defined
from regrade.errors import ParameterError, check_choice
from regrade.randomness import generator
from regrade.trust.bootstrap import (
    BEST,
    PER_TOPIC,
    SINGLE,
    Outcome,
    RepeatedSearch,
    values_at,
    with_range,
)
from regrade.trust.resampling import pairs_of, with_pairs
from regrade.trust.transfer import ALPHA, TAU

REGRET = "regret"
DOCUMENTS, WORKERS = FEWER_OF


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
