"""What the answer about pairs is made of: numbers of all topics, circles of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from regrade.catalogue import ALL_TOPICS, columns_of

CHANCE = 0.25
"""Share of triples that are circular where every preference is a toss of a coin."""

MAJORITY = "majority"
"""In the table of circles: of each pair, what most of all its answers say."""

TRIPLES = "triples, "
"""What begins the names of the numbers of triples."""


def pair_numbers(tables: Mapping[str, pd.DataFrame], majorities: pd.DataFrame) -> pd.DataFrame:
    """The table ``preferences/numbers``, from others of the same stage."""
    return pd.DataFrame(_numbers(tables, majorities), columns=columns_of("preferences/numbers"))


def circles(consistency: pd.DataFrame, majorities: pd.DataFrame) -> pd.DataFrame:
    """How many triples of each topic's documents are circular, in groups and by majority.

    The table ``preferences/circles``; `majorities` are those of
    `regrade.preferences.consistency.circular_triads`.
    """
    parts = [majorities.assign(by=MAJORITY)]
    if group := looked_within(consistency):
        parts.insert(0, consistency.assign(by=group))
    parts = [one.astype({"topic": str}) for one in parts]
    counts = ["triples", "cycles"]
    cycles = pd.concat([one.groupby(["topic", "by"])[counts].sum().reset_index() for one in parts])
    cycles["share"] = cycles["cycles"] / cycles["triples"].where(cycles["triples"] > 0)
    return cycles[columns_of("preferences/circles")].reset_index(drop=True)


def looked_within(consistency: pd.DataFrame) -> str:
    """Within what answers were looked at together: ``worker``, ``unit``; empty for topics."""
    known = [name for name in ("worker", "unit") if consistency[name].notna().any()]
    return " and ".join(known) if len(consistency) > consistency["topic"].nunique() else ""


def _numbers(tables: Mapping[str, pd.DataFrame], majorities: pd.DataFrame) -> Iterator[tuple]:
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
    for by, own in circles(units, majorities).groupby("by"):
        triples, cycles = own["triples"].sum(), own["cycles"].sum()
        yield f"{TRIPLES}{by}", triples, *none
        yield f"cycles, {by}", cycles, *none
        yield f"share of cycles, {by}", cycles / triples if triples else none[0], *none
    yield "share by chance", CHANCE, *none
    sides = tables["sides"]
    whole = sides[sides["topic"].astype(str) == ALL_TOPICS]
    if len(whole) and whole["preferences"].iloc[0]:
        yield "share left", *whole[["share", "low", "high"]].iloc[0]
