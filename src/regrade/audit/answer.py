"""Which workers are unreliable?

The light is fine where all tested workers agree with the others significantly better than chance, a
problem where fewer than two thirds do or groups agree among themselves only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import ALL_DOCUMENTS, NAMED, alpha_of, by_quantity, listed, named
from regrade.audit.stage import Workers
from regrade.wording import counted, number, to_be

TABLES = ("workers/workers", "workers/facts")

MOST_ROWS = 200
"""Of the small table."""

CHANCE = "significantly better than chance"


def answer(
    workers: pd.DataFrame, facts: pd.DataFrame, reference: str = "", metric: str = "ordinal"
) -> Answer:
    """Which workers do not agree with the others, and what else is odd."""
    value = by_quantity(facts)
    return Answer.of(
        Workers.question,
        [
            verdict(workers, value),
            agreement(value, metric),
            agreement_with_labels(workers, value, reference),
            oddities(workers, value),
        ],
        key=key(value),
        light=light(value),
        rows=worker_rows(workers, value, reference),
        method=method(value),
        notes=[*copies(workers), *limits(value, metric)],
        tables=TABLES,
    )


def is_sound(value: Mapping[str, float]) -> bool:
    """Whether enough workers agree to say which ones are unreliable."""
    return value["groups"] <= 1 and not value["sound share"] < value["least sound share"]


def verdict(workers: pd.DataFrame, value: Mapping[str, float]) -> str:
    """Which workers do not agree with the others better than chance would."""
    tested = value["tested"]
    if value["workers"] < 2:
        return "There are fewer than two workers, so agreement cannot be assessed."
    if not tested:
        return (
            f"No worker shares {value['fewest shared']:.0f} documents with others whose values "
            "vary, so agreement is not tested."
        )
    if value["groups"] > 1:
        return groups(workers)
    if not is_sound(value):
        agree = tested - value["disagrees"]
        return (
            f"Only {agree:,.0f} of {counted(tested, 'worker')} {_agree(agree)} with the others "
            f"{CHANCE}, too few to identify unreliable workers (Kendall's τ_b, p < 0.05)."
        )
    drop = workers.loc[workers["drop"], "worker"].astype(str).tolist()
    if not drop and tested == 1:
        return f"The one tested worker agrees with the others {CHANCE} (Kendall's τ_b, p < 0.05)."
    if not drop:
        return (
            f"All {tested:,.0f} workers agree with the others {CHANCE} (Kendall's τ_b, p < 0.05)."
        )
    do, names = _do(len(drop)), f" ({listed(drop)})" if len(drop) <= NAMED else ""
    return (
        f"{len(drop):,} of {counted(tested, 'worker')}{names} {do} not agree with the others "
        f"{CHANCE} (Kendall's τ_b, p ≥ 0.05)."
    )


def _agree(count: float) -> str:
    return "agrees" if count == 1 else "agree"


def _do(count: float) -> str:
    return "does" if count == 1 else "do"


def groups(workers: pd.DataFrame) -> str:
    """How many groups agree among themselves only, and how large they are."""
    sizes = workers.groupby("agreeing_group")["worker"].size().tolist()
    return (
        f"Workers form {len(sizes):,} groups that agree only among themselves ({listed(sizes)} "
        "workers), so agreement cannot show which workers are unreliable."
    )


def key(value: Mapping[str, float]) -> str:
    """How many of the tested workers are unreliable."""
    if value["workers"] < 2 or not value["tested"]:
        return ""
    if value["groups"] > 1:
        return f"{value['groups']:,.0f} groups of workers"
    return f"{value['disagrees']:,.0f} of {counted(value['tested'], 'worker')} not above chance"


def light(value: Mapping[str, float]) -> str:
    """Whether all tested workers agree; empty where none is tested."""
    if value["workers"] < 2 or not value["tested"]:
        return ""
    return PROBLEM if not is_sound(value) else LOOK if value["to drop"] else FINE


def worker_rows(
    workers: pd.DataFrame, value: Mapping[str, float], reference: str
) -> AnswerTable | None:
    """A row for each worker, those that do not agree first, each by τ_b from the lowest on."""
    columns = [
        AnswerColumn("worker"), AnswerColumn("documents", "count"), AnswerColumn("τ_b", "number"),
        AnswerColumn("p", "p"), AnswerColumn("unreliable", "mark"),
    ]  # fmt: skip
    if reference:
        columns += [
            AnswerColumn(f"τ_b, {reference}", "number"), AnswerColumn(f"p, {reference}", "p")
        ]  # fmt: skip
    worst_first = workers.sort_values("disagrees", ascending=False, kind="stable")
    cells = (
        (r.worker, r.documents, r.tau, r.p, r.drop,
         *((r.test_tau, r.test_p) if reference else ()))
        for r in worst_first.head(MOST_ROWS).itertuples()
    )  # fmt: skip
    return AnswerTable.of(counted(value["workers"], "worker"), columns, cells)


def agreement(value: Mapping[str, float], metric: str) -> str:
    """α of all workers, and without the unreliable ones."""
    of_all, without = value[f"{metric} alpha"], value[f"{metric} alpha without"]
    if not np.isfinite(of_all):
        return ""
    sentence = f"{alpha_of(metric, ALL_DOCUMENTS)} of all workers is {number(of_all)}"
    if value["to drop"] and np.isfinite(without):
        return f"{sentence}, and {number(without)} without unreliable workers."
    return f"{sentence}."


def agreement_with_labels(workers: pd.DataFrame, value: Mapping[str, float], reference: str) -> str:
    """Which workers do not agree with labels better than chance would."""
    tested = value["tested by reference"]
    if not reference:
        return ""
    if not tested:
        return (
            f"No worker judged {value['fewest shared']:.0f} documents whose grades in {reference} "
            f"vary, so agreement with {reference} is not tested."
        )
    failing = workers.loc[workers["fails"], "worker"].astype(str).tolist()
    if not failing:
        every = "The one tested worker" if tested == 1 else f"All {tested:,.0f} tested workers"
        return f"{every} {_agree(tested)} with {reference} {CHANCE} (Kendall's τ_b, p < 0.05)."
    names = f" ({listed(failing)})" if len(failing) <= NAMED else ""
    return (
        f"{len(failing):,} of {counted(tested, 'tested worker')}{names} {_do(len(failing))} not "
        f"agree with {reference} {CHANCE} (Kendall's τ_b, p ≥ 0.05)."
    )


def oddities(workers: pd.DataFrame, value: Mapping[str, float]) -> str:
    """How many workers give one value, and which are fast."""
    parts = []
    if value["one value"]:
        gives = "gives" if value["one value"] == 1 else "give"
        parts.append(f"{counted(value['one value'], 'worker')} {gives} only one value")
    if value["fast"]:
        fast = workers.loc[workers["fast"], "worker"].astype(str).tolist()
        takes = "takes" if len(fast) == 1 else "take"
        parts.append(f"{named(fast, 'worker')} {takes} less than a quarter of the median time")
    return f"{' and '.join(parts)}." if parts else ""


def copies(workers: pd.DataFrame) -> Iterator[str]:
    """Which workers give nearly the same values as each other, and as no other worker."""
    for _, own in workers[workers["copies"].notna()].groupby("copies")["worker"]:
        yield (
            f"{named(sorted(own.astype(str)), 'worker')} give nearly identical values and agree "
            "with each other more than with any other worker: they may have one source (copies, "
            "one model)."
        )


def limits(value: Mapping[str, float], metric: str) -> Iterator[str]:
    """What a worker's name in the answer does not show."""
    if untested := value["untested"]:
        yield (
            f"{counted(untested, 'worker')} {to_be(untested)} not tested: too few documents shared "
            "with others, or others that give one value."
        )
    if value["tested"]:
        yield (
            "The test pools documents of all topics: a worker whose values follow topics alone may "
            "pass."
        )
    if value["tested"] and value["to drop"]:
        yield "Workers with few documents may be reliable and still not reach significance."
        if value[f"{metric} alpha without"] > value[f"{metric} alpha"]:
            yield (
                "α is higher without these workers by selection, which does not show that the "
                "labels are better."
            )


def method(value: Mapping[str, float]) -> str:
    """How workers were tested."""
    if value["workers"] < 2 or not value["tested"]:
        return ""
    return (
        "Groups of workers that agree with each other were identified first. The values of each "
        "worker were compared with the median of the other values of the same documents, within "
        "the worker's group or else the largest one, by Kendall's τ_b with two-sided p < 0.05 "
        f"(permutation test with {value['permutations']:,.0f} samples for ties among at most "
        f"{value['most permuted']:.0f} documents, exact or normal distribution otherwise). Workers "
        f"that share fewer than {value['fewest shared']:.0f} documents with others were not "
        "tested. Workers were called unreliable only where at least two thirds of the tested "
        "workers agree."
    )
