"""Designing a task that asks which of two documents is more relevant (yang2019 §5.1).

A topic's documents are divided into groups, X times (*partitions*).  Each group has one document
known to be relevant and one known not to be, whose pair is the *gold* one, and its other documents
are drawn.  A worker's unit is the list of pairs of one group (`regrade.preferences.pairing`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import columns_of
from regrade.choices import DESIGN_SIDES
from regrade.errors import MethodError, ParameterError, check_choice
from regrade.preferences.pairing import balanced_sides, check_list, pair_list, staying_sides
from regrade.randomness import generator
from regrade.tables import as_frame, label_frame

RELEVANT, NOT_RELEVANT, OTHER, PADDING = ROLES = ("relevant", "not relevant", "other", "padding")
"""What a document is to its topic: known to be relevant, known not to be, or neither; or from
outside the pool, to fill the last group."""


@dataclass(frozen=True)
class Task:
    """What is asked of workers.

    Attributes
    ----------
    size
        Documents of a group (yang2019: 8).
    partners
        With how many of its group a document is compared, K (3).
    judges
        Workers of each unit, Y (3).
    share
        What share of its topic's other documents each shall meet (0.15); gives X.
    partitions
        X itself; ``None``: from `share`.
    sides
        ``balanced``: every document left as often as right, in each unit and over all of them, but
        for the odd one; ``stay``: who stays from one pair to the next keeps its side, as in the
        thesis, and sides are only roughly balanced.
    """

    size: int = 8
    partners: int = 3
    judges: int = 3
    share: float = 0.15
    partitions: int | None = None
    sides: str = "balanced"

    def __post_init__(self):
        """Refuse what cannot be asked."""
        check_choice("sides", self.sides, DESIGN_SIDES)
        check_list(self.size, self.partners)
        if not 0 < self.share <= 1:
            raise ParameterError(f"share {self.share} is not above 0 and at most 1")
        for name in ("judges", "partitions"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ParameterError(f"{name} {value}: give one or more")


@dataclass(frozen=True)
class Plan:
    """The numbers of one topic's design: a row of yang2019's Table 5.1.

    Attributes
    ----------
    pool
        Documents of the pool.
    documents
        With those that fill the last group.
    groups
        Groups of each partition, g.
    serves
        In how many groups of a partition each relevant known document is; 1 if there are enough.
    partitions
        X.
    units
        Lists of pairs, g · X.
    pairs
        Pairs in all of them.
    judgments_per_document
        K · X · Y; `serves` times as many for the relevant known ones.
    """

    pool: int
    documents: int
    groups: int
    serves: int
    partitions: int
    units: int
    pairs: int
    judgments_per_document: int


@dataclass(frozen=True)
class Design:
    """The pairs that workers are asked about.

    Attributes
    ----------
    pairs
        Columns of ``pair-tasks/pairs``: a row per pair, in the order in which a unit asks for them;
        ``position`` from 1, ``stays`` the document that stays from the pair before (None for the
        first).
    documents
        Columns of ``pair-tasks/documents``: a row per document with its role, its units, its pairs,
        in how many it stands ``left``, and how many different documents it meets.
    topics
        Columns of ``pair-tasks/topics``: the `Plan` of each topic, with the mean share of the other
        documents that a document meets, and how many pairs repeat one of another unit.
    """

    pairs: pd.DataFrame
    documents: pd.DataFrame
    topics: pd.DataFrame


def plan_task(
    pool: int, relevant: int, not_relevant: int, task: Task | None = None, serves: int = 1
) -> Plan:
    """How many groups, documents and partitions a topic gets (yang2019 Eqs 5.1–5.3, Table 5.1).

    There are as few groups g as hold the pool.  Where fewer than g relevant documents are known,
    each serves r groups of every partition, with the smallest r for which g / r of them are enough;
    g is then a multiple of r and a partition holds g · (size − 1) + g / r documents.  X is the
    number nearest to share · (documents − 1) / K, at least 1.  All nine rows of Table 5.1 come out.
    """
    task = task or Task()
    if pool < 1 or relevant < 1:
        raise MethodError(
            f"{pool} documents with {relevant} known to be relevant: a design needs a pool "
            "and at least one known relevant document, for the gold pairs"
        )
    if serves < 1:
        raise ParameterError(f"serves {serves}: a known document is in one group or more")
    groups, serves = 0, serves - 1
    while groups == 0 or groups // serves > relevant:
        serves += 1
        groups = serves * math.ceil(pool / (serves * (task.size - 1) + 1))
    if not_relevant < groups:
        raise MethodError(
            f"{not_relevant} documents are known not to be relevant, but {groups} groups "
            f"of {task.size} need one each: label more documents, or make groups larger"
        )
    documents = groups * (task.size - 1) + groups // serves
    wanted = math.floor(task.share * (documents - 1) / task.partners + 0.5)
    partitions = task.partitions or max(1, wanted)
    units = groups * partitions
    return Plan(
        pool=pool,
        documents=documents,
        groups=groups,
        serves=serves,
        partitions=partitions,
        units=units,
        pairs=units * task.size * task.partners // 2,
        judgments_per_document=task.partners * partitions * task.judges,
    )


def known_roles(
    pool: pa.Table | pd.DataFrame,
    labels: pa.Table | pd.DataFrame,
    relevant: Sequence[float],
    not_relevant: Sequence[float],
    seed: int = 0,
) -> pd.DataFrame:
    """The roles of a pool's documents by their labels, as `design_tasks` takes them."""
    both = set(relevant) & set(not_relevant)
    if both:
        raise ParameterError(f"grade {min(both):g} is both relevant and not relevant")
    frame = as_frame(pool)[["topic", "docno"]].astype(str)
    frame = frame.merge(label_frame(labels), how="left", on=["topic", "docno"])
    place = {grade: place for place, grade in enumerate([*relevant, *not_relevant])}
    place = frame["grade"].map(place).astype(float)
    frame["role"] = np.select(
        [place < len(relevant), place >= len(relevant)], [RELEVANT, NOT_RELEVANT], OTHER
    )
    frame["place"] = place.where(frame["role"] == RELEVANT, len(relevant))
    frame = frame.sort_values(["topic", "docno"], kind="stable")
    parts = []
    for topic, of_topic in frame.groupby("topic", sort=True):
        drawn = generator(seed, "design", "known", topic).permutation(len(of_topic))
        parts.append(of_topic.iloc[drawn].sort_values("place", kind="stable"))
    frame = pd.concat(parts) if parts else frame
    return frame[["topic", "docno", "role"]].reset_index(drop=True)


def design_tasks(
    documents: pa.Table | pd.DataFrame,
    task: Task | None = None,
    seed: int = 0,
    serves: Mapping[str, int] | None = None,
) -> Design:
    """Partitions, groups and lists of pairs for every topic (yang2019 §5.1.1).

    Of the documents known to be relevant (or not) the first ones of a topic are used as such, as
    many as the plan needs, in every partition; the others are like any other document.  Which
    documents share a group, which are paired, their order and sides are drawn; a topic's draws do
    not depend on other topics.  Padding documents are the first of the topic's.  Pairs of
    different units may be the same by chance (``repeated_pairs``).
    """
    task = task or Task()
    frame = as_frame(documents)[["topic", "docno", "role"]].astype(str)
    for role in frame["role"].unique():
        check_choice("role", role, ROLES)
    again = frame[frame.duplicated(["topic", "docno"])]
    if len(again):
        topic, docno = again.iloc[0][["topic", "docno"]]
        raise ParameterError(f"document {docno} of topic {topic} occurs twice: give it one role")
    if frame.empty:
        raise MethodError("there is no document to design a task for")
    least = serves or {}
    designs = [
        _of_topic(topic, rows, task, seed, least.get(topic, 1))
        for topic, rows in frame.groupby("topic")
    ]
    parts = ("pairs", "documents", "topics")
    tables = (pd.concat([getattr(d, part) for d in designs], ignore_index=True) for part in parts)
    return Design(*tables)


def row_per_pair(pairs: pd.DataFrame) -> pd.DataFrame:
    """A table for platforms that show one row as a question (yang2019 §5.1.2)."""
    return pairs[["topic", "unit", "position", "left", "right"]].reset_index(drop=True)


def row_per_unit(pairs: pd.DataFrame) -> pd.DataFrame:
    """A table for platforms that make a HIT of a row."""
    table, cells = row_per_pair(pairs), ["left", "right"]
    wide = table.pivot(index=["topic", "unit"], columns="position", values=cells)
    positions = sorted(table["position"].unique())
    wide = wide[[(cell, position) for position in positions for cell in cells]]
    wide.columns = [f"{cell}_{position}" for cell, position in wide.columns]
    units = table[["topic", "unit"]].drop_duplicates()
    return wide.loc[pd.MultiIndex.from_frame(units)].reset_index()


def _of_topic(topic: str, rows: pd.DataFrame, task: Task, seed: int, serves: int) -> Design:
    """The design of one topic, whose documents are numbered in the order of their roles."""
    of_role = {role: rows["docno"][rows["role"] == role].tolist() for role in ROLES}
    known, without = of_role[RELEVANT], of_role[NOT_RELEVANT]
    pool = len(rows) - len(of_role[PADDING])
    try:
        plan = plan_task(pool, len(known), len(without), task, serves)
    except MethodError as error:
        raise MethodError(f"topic {topic}: {error}") from error
    missing = plan.documents - pool
    if missing > len(of_role[PADDING]):
        raise MethodError(
            f"topic {topic}: {pool} documents need {missing} more to fill {plan.groups} groups of "
            f"{task.size}, and {len(of_role[PADDING])} have the role padding"
        )
    first, groups = plan.groups // plan.serves, plan.groups
    others = known[first:] + without[groups:] + of_role[OTHER]
    docnos = np.array([*known[:first], *without[:groups], *others, *of_role[PADDING][:missing]])
    role = np.repeat(ROLES, [first, groups, len(others), missing])
    members = []  # of each group the relevant known document, the other, the drawn ones
    for partition in range(plan.partitions):
        rng = generator(seed, "design", topic, str(partition))
        relevant = rng.permutation(np.tile(np.arange(first), plan.serves))
        not_relevant = first + rng.permutation(groups)
        drawn = first + groups + rng.permutation(plan.documents - first - groups)
        drawn = drawn.reshape(groups, task.size - 2)
        members.append(np.column_stack([relevant, not_relevant, drawn]))
    lists = _lists(np.concatenate(members), task, generator(seed, "design", "pairs", topic))
    pairs, stays = lists
    unit = np.repeat(np.arange(plan.units), len(pairs) // plan.units)
    rng, stay = generator(seed, "design", "sides", topic), task.sides == "stay"
    turned = staying_sides(pairs, stays, rng) if stay else balanced_sides(pairs, unit, rng)
    pairs = np.where(turned[:, None], pairs[:, ::-1], pairs)
    return _tables(topic, plan, docnos, role, pairs, stays)


def _lists(
    members: np.ndarray, task: Task, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs and who stays, unit after unit; the known documents of a unit are a random pair."""
    pairs, stays = [], []
    for group in members:
        places, kept = pair_list(task.size, task.partners, rng)
        gold = places[rng.integers(len(places))]
        at = np.empty(task.size, dtype=np.int64)
        at[rng.permutation(gold)] = group[:2]
        at[np.setdiff1d(np.arange(task.size), gold)] = rng.permutation(group[2:])
        pairs.append(at[places])
        stays.append(np.where(kept < 0, -1, at[kept]))
    return np.concatenate(pairs), np.concatenate(stays)


def _tables(
    topic: str, plan: Plan, docnos: np.ndarray, role: np.ndarray, pairs: np.ndarray, stays
) -> Design:
    """What a topic's numbers say, as tables."""
    length, n = len(pairs) // plan.units, len(docnos)
    partition, group = np.divmod(np.arange(plan.units), plan.groups) + np.ones((2, 1), int)
    names = [f"{topic}-{p}-{g}" for p, g in zip(partition, group, strict=True)]
    gold = np.sort(role[pairs], axis=1) == sorted((RELEVANT, NOT_RELEVANT))
    table = {
        "topic": topic,
        "partition": np.repeat(partition, length),
        "unit": np.repeat(names, length),
        "position": np.tile(np.arange(1, length + 1), plan.units),
        "left": docnos[pairs[:, 0]],
        "right": docnos[pairs[:, 1]],
        "stays": np.where(stays < 0, None, docnos[stays].astype(object)),
        "gold": gold.all(axis=1),
    }
    distinct = np.unique(np.sort(pairs, axis=1), axis=0)
    partners, of_document, left = (
        np.bincount(of.ravel(), minlength=n) for of in (distinct, pairs, pairs[:, 0])
    )
    units = of_document // (of_document.min() // plan.partitions)
    documents = {"topic": topic, "docno": docnos, "role": role, "units": units}
    documents |= {"pairs": of_document, "left": left, "met": partners}
    summary = {"topic": topic, **vars(plan), "met": partners.mean() / (n - 1)}
    summary["repeated_pairs"] = len(pairs) - len(distinct)
    return Design(
        pd.DataFrame(table)[columns_of("pair-tasks/pairs")],
        pd.DataFrame(documents)[columns_of("pair-tasks/documents")],
        pd.DataFrame([summary])[columns_of("pair-tasks/topics")],
    )
