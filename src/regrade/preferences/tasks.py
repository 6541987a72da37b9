"""A task of pairs from sets: whose documents, who is known, what workers are tested with.

yang2019 §5.1: the documents of a pool are paired (`regrade.preferences.design`); workers are
tested with pairs of *pseudo documents*, written for the topic to be highly (H), marginally (M) or
not relevant (N), and what they may answer is known (Table 5.3).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import columns_of
from regrade.choices import TEST_LEVELS
from regrade.errors import MethodError, ParameterError
from regrade.preferences.answer_key import OPTIONS, answer_key
from regrade.preferences.design import PADDING, RELEVANT, Design, Task, design_tasks, known_roles
from regrade.randomness import generator
from regrade.tables import as_frame


def design_from_sets(
    pool: pa.Table | pd.DataFrame,
    labels: pa.Table | pd.DataFrame,
    relevant: Sequence[float],
    not_relevant: Sequence[float],
    *,
    task: Task | None = None,
    serves: Mapping[str, int] | None = None,
    seed: int = 0,
) -> Design:
    """The design of a task whose documents and roles come from sets."""
    pool = _documents(pool)
    roles = known_roles(pool, labels, relevant, not_relevant, seed)
    fill = _documents(labels)
    fill = fill[fill["topic"].isin(set(pool["topic"]))]
    both = fill.merge(pool, on=["topic", "docno"], how="left", indicator=True)
    fill = both.loc[both["_merge"] == "left_only", ["topic", "docno"]]
    parts = [roles]
    for topic, rows in fill.groupby("topic", sort=True):
        order = generator(seed, "design", "padding", topic).permutation(len(rows))
        parts.append(rows.iloc[order].assign(role=PADDING))
    return design_tasks(pd.concat(parts, ignore_index=True), task, seed, serves)


def pool_of_topics(
    pool: pa.Table | pd.DataFrame, topics: Collection[str] | None
) -> pa.Table | pd.DataFrame:
    """The documents of some topics; of all for ``None``."""
    if topics is None:
        return pool
    pool = _documents(pool)
    missing = sorted(set(topics) - set(pool["topic"]))
    if missing:
        raise MethodError(f"the pool has no document of topic {missing[0]}: leave it out")
    return pool[pool["topic"].isin(topics)]


def unit_table(design: Design) -> pd.DataFrame:
    """What each unit (HIT) holds."""
    pairs = design.pairs
    role = design.documents.set_index(["topic", "docno"])["role"]
    gold = pairs[pairs["gold"]].copy()
    left = pd.MultiIndex.from_frame(gold[["topic", "left"]])
    first = role.reindex(left).to_numpy() == RELEVANT
    gold["relevant"] = np.where(first, gold["left"], gold["right"])
    gold["not_relevant"] = np.where(first, gold["right"], gold["left"])
    sides = pairs.melt(["topic", "unit"], ["left", "right"], value_name="docno")
    keys = ["topic", "unit"]
    table = pairs.groupby([*keys, "partition"], sort=False).size().rename("pairs").reset_index()
    documents = sides.groupby(keys)["docno"].nunique().rename("documents").reset_index()
    known = gold[[*keys, "position", "relevant", "not_relevant"]]
    table = table.merge(documents, on=keys).merge(known.rename(columns={"position": "gold"}))
    return table[columns_of("pair-tasks/units")]


def pseudo_pairs(topics: Sequence[str], pseudo: int, seed: int = 0) -> pd.DataFrame:
    """Pairs of pseudo documents whose answers are known."""
    if pseudo == 1 or pseudo < 0:
        raise ParameterError(f"pseudo {pseudo}: test questions need two pseudo documents or more")
    level = np.array([TEST_LEVELS[i % len(TEST_LEVELS)] for i in range(pseudo)])
    name = np.array([f"{level[i]}{i // len(TEST_LEVELS) + 1}" for i in range(pseudo)])
    first, second = np.triu_indices(pseudo, 1)
    known = (level[first] != "M") | (level[second] != "M")
    parts = []
    for topic in topics:
        draw = generator(seed, "design", "tests", topic)
        pair = draw.permuted(np.column_stack([first, second])[known], axis=1)
        pair = draw.permutation(pair)
        left, right = pair.T
        columns = {
            "topic": topic,
            "test": np.arange(1, len(pair) + 1),
            "left": [f"{topic}-{docname}" for docname in name[left]],
            "right": [f"{topic}-{docname}" for docname in name[right]],
            "left_level": level[left],
            "right_level": level[right],
        }
        parts.append(pd.DataFrame(columns, columns=columns_of("pair-tasks/tests")))
    return (
        pd.concat(parts, ignore_index=True)
        if parts
        else pd.DataFrame(columns=columns_of("pair-tasks/tests"))
    )


def row_per_test(tests: pd.DataFrame) -> pd.DataFrame:
    """A table of test questions for platforms, with the answers that they are to accept."""
    key = answer_key()
    accepted = (
        key[key["accepted"]]
        .groupby(["left_level", "right_level", "question"])["option"]
        .agg("|".join)
        .unstack("question")[list(OPTIONS)]
        .reset_index()
    )
    table = tests.merge(accepted, on=["left_level", "right_level"], how="left")
    return table[["topic", "test", "left", "right", *OPTIONS]]


def _documents(table: pa.Table | pd.DataFrame) -> pd.DataFrame:
    """Each topic and document once, sorted."""
    frame = as_frame(table)[["topic", "docno"]].astype(str).drop_duplicates()
    return frame.sort_values(["topic", "docno"], ignore_index=True)
