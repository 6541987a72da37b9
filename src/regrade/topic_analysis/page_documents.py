"""What the page needs to list a topic's documents: labels, and where each system ranks them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.packing import Buffer

MOST = 1_200_000
"""Bytes of documents and ranks that a page holds, before they are packed."""

NAME, RANK = 16, 3
"""Bytes of a document's name, and of a rank with its system, about."""


@dataclass(frozen=True)
class AnalysedTopics:
    """Tables of the stage ``topic_analysis``, and the name of the labels."""

    qrels: str
    facts: pd.DataFrame
    scores: pd.DataFrame
    retrieved: pd.DataFrame
    ranks: pd.DataFrame


def packed_documents(analyses: Sequence[AnalysedTopics]) -> str:
    """The documents of all topics for a ``script`` element; empty where there are none.

    Of each label set its first analysis. Where all are too many, the first documents of each
    system down to a lesser depth.
    """
    sets = list({one.qrels: one for one in reversed(analyses) if len(one.retrieved)}.values())[::-1]
    buffer = Buffer()
    parts = [_packed(buffer, one, MOST // len(sets)) for one in sets]
    return buffer.with_page({"name": "documents", "sets": parts}) if parts else ""


def depth_of(retrieved: pd.DataFrame, ranks: pd.DataFrame, most: int) -> int:
    """The greatest depth whose documents and ranks take at most so many bytes; 1 at least."""
    depths = np.arange(int(ranks["rank"].max()) + 1)
    documents = np.searchsorted(np.sort(retrieved["best_rank"].to_numpy(int)), depths, "right")
    placed = np.searchsorted(np.sort(ranks["rank"].to_numpy(int)), depths, "right")
    return max(1, int(depths[NAME * documents + RANK * placed <= most].max()))


def _packed(buffer: Buffer, one: AnalysedTopics, most: int) -> dict:
    """One label set: its topics, documents by topic, ranks by document."""
    facts = one.facts.set_index("quantity")
    depth = int(facts.loc["depth", "value"])
    fitting = min(depth, depth_of(one.retrieved, one.ranks, most))
    documents = one.retrieved[one.retrieved["best_rank"] <= fitting]
    ranks = one.ranks[one.ranks["rank"] <= fitting]
    systems = list(dict.fromkeys(one.scores["system"].astype(str)))
    place = {name: at for at, name in enumerate(systems)}
    of_topic = documents["topic"].astype(str)
    keys = ranks["topic"].astype(str) + "\t" + ranks["docno"].astype(str)
    counts = keys.groupby(keys, sort=False).size().to_numpy()  # ranks are in the documents' order
    text = "\n".join(documents["docno"].astype(str))
    has_second = "second labels" in facts.index
    arrays = {
        "docnos": buffer.add(np.frombuffer(text.encode("utf-8"), np.uint8), "u1"),
        "sizes": buffer.add(of_topic.groupby(of_topic, sort=False).size().to_numpy()),
        "first": buffer.add(documents["first_grade"].to_numpy(float), "f4"),
        "second": has_second and buffer.add(documents["second_grade"].to_numpy(float), "f4"),
        "best": buffer.add(documents["best_rank"].to_numpy(int)),
        "runs": buffer.add(documents["runs"].to_numpy(int)),
        "counts": buffer.add(counts),
        "systemOf": buffer.add(ranks["system"].astype(str).map(place).to_numpy(int)),
        "ranks": buffer.add(ranks["rank"].to_numpy(int)),
    }
    return {
        "qrels": one.qrels,
        "labels": [one.qrels, *([str(facts.loc["second labels", "note"])] if has_second else [])],
        "depth": depth,
        "shown": fitting,
        "systems": systems,
        "topics": list(dict.fromkeys(of_topic)),
        "left": int(len(one.retrieved) - len(documents)),
        "arrays": {name: at for name, at in arrays.items() if at is not False},
    }
