"""Are the workers any good, and whom to drop?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from regrade.answers.shape import Answer
from regrade.answers.words import ALL_DOCUMENTS, NAMED, alpha_of, by_quantity, listed, named, signed
from regrade.audit.crowd import FEWEST
from regrade.audit.stage import Workers
from regrade.wording import counted

TABLES = ("workers/workers", "workers/facts")


def answer(
    workers: pd.DataFrame, facts: pd.DataFrame, reference: str = "", metric: str = "ordinal"
) -> Answer:
    """Who agrees with the others no more than chance would, and what else is odd."""
    found = by_quantity(facts)
    return Answer.of(
        Workers.question,
        [verdict_said(workers, found), *facts_said(workers, found, reference, metric)],
        method="Groups of workers who agree among each other are found first. Each worker's values "
        "are then held beside the median of the others' values of the same documents (τ_b, "
        "p < 0.05): those of the worker's group, or of the largest. Who does not agree so has "
        "`disagrees` in the table `workers/workers`, and `drop` where at least two thirds agree. "
        "The test is over all documents at once, of whatever topic: who follows topics alone may "
        f"pass. Nothing is said of who shares fewer than {FEWEST} documents, or where all others "
        "give one value.",
        notes=warned(found, metric),
        tables=TABLES,
    )


def warned(found: Mapping[str, float], metric: str) -> Iterator[str]:
    """What naming somebody does not show."""
    if found["told"] and found["to drop"]:
        yield "Who judged few documents may be good and still not be told from chance."
        if found[f"{metric} alpha without"] > found[f"{metric} alpha"]:
            yield (
                "Agreement is higher without them because they were chosen by it: that does not "
                "show that the labels are better."
            )


def verdict_said(workers: pd.DataFrame, found: Mapping[str, float]) -> str:
    """Whom to drop."""
    count = counted(found["workers"], "worker")
    if found["workers"] < 2:
        return f"There is {count}: nobody to agree with."
    if not found["told"]:
        return (
            f"Nothing can be said of the {count}: nobody shares enough documents with others whose "
            "values vary."
        )
    if found["groups"] > 1:
        return groups_said(workers)
    share = "shares" if found["told"] == 1 else "share"
    who = f"{counted(found['told'], 'worker')} who {share} enough documents"
    if found["sound share"] < found["least sound share"]:
        return (
            f"{found['told'] - found['disagrees']:,.0f} of {who} agree with the others more than "
            "chance would: with fewer than two thirds, agreement does not tell whom to leave out."
        )
    drop = workers.loc[workers["drop"], "worker"].astype(str).tolist()
    of = f"Of {who}"
    if not drop and found["told"] == 1:
        return "The one worker who shares enough documents agrees with the others more than chance."
    if not drop:
        return f"{of} all agree with the others more than chance would: none is to be dropped."
    who = named(drop, "worker") if len(drop) <= NAMED else f"{len(drop):,}"
    return f"{of}, {who} cannot be told from chance by their agreement with the others."


def groups_said(workers: pd.DataFrame) -> str:
    """Which groups agree among themselves only."""
    groups = workers[workers["agreeing_group"].notna()].groupby("agreeing_group")["worker"]
    names = [sorted(own.astype(str)) for _, own in groups]
    parts = [f"{len(own)} ({listed(own)})" if len(own) <= NAMED else f"{len(own)}" for own in names]
    return (
        f"{counted(len(names), 'group')} of workers agree among themselves only, of "
        f"{listed(parts)} workers: agreement does not tell which of them is right."
    )


def copies_said(workers: pd.DataFrame) -> Iterator[str]:
    """Who gives nearly the same values, and with nobody else."""
    for _, own in workers[workers["copies"].notna()].groupby("copies")["worker"]:
        who = named(sorted(own.astype(str)), "worker")
        yield (
            f"{who} give nearly always the same values, and agree more with each other than with "
            "anybody else: they may have one source (copies, one model)."
        )


def facts_said(
    workers: pd.DataFrame, found: Mapping[str, float], reference: str, metric: str
) -> Iterator[str]:
    """Agreement with and without these, test questions, one value, and time."""
    of_all, without = found[f"{metric} alpha"], found[f"{metric} alpha without"]
    if np.isfinite(of_all):
        said = f"{alpha_of(metric, ALL_DOCUMENTS)} of all workers is {signed(of_all, 3)}"
        if found["to drop"] and np.isfinite(without):
            said += f", without these {signed(without, 3)}"
        yield f"{said}."
    yield from copies_said(workers)
    if reference and not found["tested"]:
        yield f"Nobody judged enough documents that {reference} has to be told from chance by them."
    elif reference:
        failed = workers.loc[workers["fails"], "worker"].astype(str).tolist()
        of = f"Of {counted(found['tested'], 'worker')} with enough documents that {reference} has"
        if failed:
            who = named(failed, "worker") if len(failed) <= NAMED else f"{len(failed):,}"
            yield f"{of}, {who} cannot be told from chance beside it."
        elif found["tested"] == 1:
            yield f"One worker has enough documents that {reference} has, and agrees with it."
        else:
            yield f"{of}, all agree with it more than chance would."
    if found["one value"]:
        gave = "worker gives" if found["one value"] == 1 else "workers give"
        yield f"{found['one value']:,.0f} {gave} one value only."
    if found["fast"]:
        fast = workers.loc[workers["fast"], "worker"].astype(str).tolist()
        takes = "takes" if len(fast) == 1 else "take"
        yield f"{named(fast, 'worker')} {takes} less than a quarter of the usual time."
