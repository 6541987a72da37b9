"""What the page needs to compare any two systems and to show all topics: scores and pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.answers.words import of_measure
from regrade.packing import Buffer
from regrade.ranking.answer import chosen_test

MOST = 1_600_000
"""Bytes of pairs and scores that a page holds, before they are packed to about as many characters.

The pairs of 129 systems take 231,168 by a measure, those of 300 take 1,255,800.
"""

PAIRED = ("difference", "low", "high", "p_interval", "effect", "p_corrected", "p_adjusted")


@dataclass(frozen=True)
class RankingTables:
    """A ranking's name, its tables ``systems``, ``pairs`` and ``facts``, scores, labels' name.

    Without pairs there is no comparison of any two systems.  Without labels (``None``) the scores
    are by item, table ``item-scores``.
    """

    name: str
    systems: pd.DataFrame
    pairs: pd.DataFrame | None
    facts: pd.DataFrame
    scores: pd.DataFrame
    qrels: str | None = ""

    @classmethod
    def take(
        cls, frames: Iterator[pd.DataFrame], name: str, qrels: str | None, has_pairs: bool
    ) -> RankingTables:
        """The next tables, in the order of the fields."""
        systems, pairs = next(frames), next(frames) if has_pairs else None
        facts, scores = next(frames), next(frames)
        scores = scores if qrels is not None else ranked_items(scores, systems)
        return cls(name, systems, pairs, facts, scores, qrels)


def ranked_items(scores: pd.DataFrame, systems: pd.DataFrame) -> pd.DataFrame:
    """Scores by item, means over repeats, on the items that a ranking of them is over.

    Those are the items that all systems have by all of its measures; of several data sets their
    names begin with these.  As they are where a page does not take so many.
    """
    keys = ["system", "topic", "measure"]
    if 4 * systems["system"].nunique() * scores["topic"].nunique() > MOST:
        return scores
    scores = scores[scores["measure"].astype(str).isin({*systems["measure"].astype(str)})]
    datasets = scores["dataset"].astype(object)
    scores = scores[[*keys, "value"]].astype(dict.fromkeys(keys, "str"))
    if datasets.nunique() > 1:
        scores = scores.assign(topic=datasets.astype(str) + "/" + scores["topic"])
    means = scores.groupby(keys, as_index=False)["value"].mean()
    count = means.groupby("topic")["value"].transform("size")
    return means[count == means["system"].nunique() * means["measure"].nunique()]


def packed_rankings(rankings: Sequence[RankingTables], documents: Sequence[str] = ()) -> str:
    """All rankings by all measures, for a ``script`` element; as many as a page takes.

    `documents` names the labels of which the page lists documents. Empty where there is no ranking
    of more than one system.
    """
    buffer, packed, left = Buffer(), [], 0
    for one in rankings:
        for measure in dict.fromkeys(one.systems["measure"].astype(str)):
            systems = of_measure(one.systems, measure)
            if len(systems) < 2:
                continue
            pairs = len(systems) * (len(systems) - 1) // 2
            count = 0 if one.pairs is None else len(PAIRED) * pairs
            count += len(systems) * one.scores["topic"].nunique()
            if buffer.length + 4 * count > MOST:
                left += 1
                continue
            packed.append(_ranking(buffer, one, measure, systems))
    page = {"name": "rankings", "rankings": packed, "left": left, "documents": list(documents)}
    return buffer.with_page(page) if packed else ""


def _ranking(buffer: Buffer, one: RankingTables, measure: str, systems: pd.DataFrame) -> Mapping:
    """One measure of a ranking: names in the order of the ranking, scores, pairs."""
    names = systems["system"].astype(str).tolist()
    packed = {} if one.pairs is None else _pairs(buffer, of_measure(one.pairs, measure), names)
    test, _, correction = chosen_test(of_measure(one.facts, measure)).rpartition(" (")
    scores = of_measure(one.scores, measure)
    topics = sorted(set(scores["topic"].astype(str)), key=lambda name: (len(name), name))
    wide = scores.assign(system=scores["system"].astype(str), topic=scores["topic"].astype(str))
    wide = wide.pivot(index="system", columns="topic", values="value")
    wide = wide.reindex(index=names, columns=topics).to_numpy(float)
    return {
        "label": f"{measure}, {one.name}", "measure": measure, "qrels": one.qrels, "systems": names,
        "unit": "item" if one.qrels is None else "topic", "pairs": packed, "test": test,
        "correction": correction.rstrip(")"), "topics": topics,
        "scores": buffer.add(wide.ravel(), "f4") if topics else None,
    }  # fmt: skip


def _pairs(buffer: Buffer, pairs: pd.DataFrame, names: Sequence[str]) -> dict[str, int]:
    """What is known of each pair of systems, in the order of the ranking; the arrays by name."""
    place = {name: at for at, name in enumerate(names)}
    first, second = (pairs[side].astype(str).map(place).to_numpy() for side in ("system", "other"))
    # of a pair the one that stands first in the list; a difference the other way round is negative
    i, j = np.minimum(first, second), np.maximum(first, second)
    at, count = i * len(names) - i * (i + 1) // 2 + j - i - 1, len(names) * (len(names) - 1) // 2
    sign = np.where(first <= second, 1.0, -1.0)
    columns = {name: pairs[name].to_numpy(float) for name in PAIRED}
    low, high = columns["low"], columns["high"]
    columns["low"], columns["high"] = (
        np.where(sign > 0, low, -high), np.where(sign > 0, high, -low))  # fmt: skip
    for name in ("difference", "effect"):
        columns[name] = sign * columns[name]
    packed = {}
    for name, values in columns.items():
        every = np.full(count, np.nan)
        every[at] = values
        packed[name] = buffer.add(every, "f4")
    return packed
