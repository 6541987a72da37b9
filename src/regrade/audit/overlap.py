"""What the parts of a collection share: where they share nothing, nothing can come out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa

from regrade.audit.columns import topics
from regrade.errors import SHOWN, MethodError


def check_topics_shared(qrels: pa.Table, in_runs: Iterable[str]) -> None:
    """Refuse labels that have no topic with the runs.

    Parameters
    ----------
    qrels
        Schema ``qrels``.
    in_runs
        The topics of the runs.

    Raises
    ------
    MethodError
        Showing a topic of each, and saying so where leading zeros are all that differs.
    """
    here, in_runs = topics(qrels), set(in_runs)
    if here & in_runs:
        return
    zeros = leading_zeros(here, in_runs)
    why = f" ({zeros})" if zeros else ""
    raise MethodError(
        f"the labels and the runs have no topic in common{why}: are topics written alike? The "
        f"labels have '{min(here)}', the runs '{min(in_runs)}'"
    )


def check_documents_shared(first: pa.Table, second: pa.Table, names: tuple[str, str]) -> None:
    """Refuse two sets that have no document with a topic in common.

    Parameters
    ----------
    first, second
        Schema ``qrels`` or ``judgments``.
    names
        What the message calls them.

    Raises
    ------
    MethodError
        Showing a document of each, and saying so where leading zeros are all that differs.
    """
    if share_documents(documents_of(first), documents_of(second)):
        return
    zeros = leading_zeros(topics(first), topics(second))
    why = f" ({zeros})" if zeros else ""
    one, other = (
        f"{name} has '{table['docno'][0].as_py()}' for topic '{table['topic'][0].as_py()}'"
        for name, table in zip(names, (first, second), strict=True)
    )
    raise MethodError(
        f"{names[0]} and {names[1]} share no document{why}: are topics and docnos written alike? "
        f"{one}, {other}"
    )


def leading_zeros(first: Iterable[str], second: Iterable[str]) -> str:
    """What is to be said of names that differ by zeros at their beginning; empty where none do."""
    first, second = set(first), set(second)
    other = {name.lstrip("0"): name for name in sorted(second - first, reverse=True)}
    pairs = [
        f"'{name}' and '{other[name.lstrip('0')]}'"
        for name in sorted(first - second)
        if name.lstrip("0") in other
    ]
    more = ", …" if len(pairs) > SHOWN else ""
    return f"{', '.join(pairs[:SHOWN])}{more} differ by leading zeros only" if pairs else ""


def documents_of(table: pa.Table) -> dict[str, np.ndarray]:
    """The docnos of each topic of a set, once each."""
    if not table.num_rows:
        return {}
    found = table.select(["topic", "docno"]).group_by(["topic", "docno"]).aggregate([])
    of, names = (found[name].cast(pa.string()).to_numpy() for name in ("topic", "docno"))
    order = np.argsort(of, kind="stable")
    of, names = of[order], names[order]
    starts = np.flatnonzero(of[1:] != of[:-1]) + 1
    return {
        part[0]: own
        for part, own in zip(np.split(of, starts), np.split(names, starts), strict=True)
    }


def share_documents(first: Mapping[str, np.ndarray], second: Mapping[str, np.ndarray]) -> bool:
    """Whether two sets have a document of one topic in common; see `documents_of`."""
    return any(
        len(np.intersect1d(first[topic], second[topic], assume_unique=True))
        for topic in first.keys() & second.keys()
    )
