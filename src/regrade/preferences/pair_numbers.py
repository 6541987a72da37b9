"""What the answer about pairs is made of: numbers of all topics, circles of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from regrade.catalogue import ALL_TOPICS, columns_of

CHANCE = 0.25
"""Share of triples that go round in circles where every answer is a toss of a coin."""


def pair_numbers(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The table ``preferences/numbers``, from others of the same stage."""
    return pd.DataFrame(_numbers(tables), columns=columns_of("preferences/numbers"))


def circles(consistency: pd.DataFrame) -> pd.DataFrame:
    """How many triples of each topic's documents go round."""
    topic = consistency["topic"].astype(str)
    found = consistency.groupby(topic)[["triples", "cycles"]].sum().reset_index()
    found["share"] = found["cycles"] / found["triples"].where(found["triples"] > 0)
    return found[columns_of("preferences/circles")]


def _numbers(tables: Mapping[str, pd.DataFrame]) -> Iterator[tuple]:
    """Rows of quantity, value and the ends of its interval."""
    graphs, units = tables["graphs"], tables["consistency"]
    none = (float("nan"), float("nan"))
    yield "topics", len(graphs), *none
    for name in ("documents", "preferences", "pairs", "ties", "never_winning"):
        yield name.replace("_", " "), graphs[name].sum(), *none
    yield "topics joined", (graphs["components"] == 1).sum(), *none
    yield "pairs missing", (graphs["components"] - 1).sum(), *none
    yield "topics finite", graphs["finite"].sum(), *none
    yield "answers missing", graphs["answers_missing"].sum(), *none
    repeated = units["repeated"].sum()
    yield "repeated", repeated, *none
    yield "contradictory", units["contradictory"].sum(), *none
    share = units["contradictory"].sum() / units["preferences"].sum()
    yield "share contradictory", share, *none
    triples = units["triples"].sum()
    yield "triples", triples, *none
    yield "cycles", units["cycles"].sum(), *none
    yield "share cycles", units["cycles"].sum() / triples if triples else none[0], *none
    yield "share by chance", CHANCE, *none
    sides = tables["sides"]
    whole = sides[sides["topic"].astype(str) == ALL_TOPICS]
    if len(whole) and whole["preferences"].iloc[0]:
        yield "share left", *whole[["share", "low", "high"]].iloc[0]
