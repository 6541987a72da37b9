"""The judges of one set: the best cut of each who judged enough, and what it is worth to others.

A judge labels few documents of a topic, so all documents that one judged count together, whichever
topic they are of: α of the judge's levels with the reference's (``d2_at``, ``d2_ta``), or the mean
over the judge's units (``h2``, and ``h1_*`` with the other judges' votes).  Held beside it is the
cut that all *others* would choose together, in which the judge has no part; and both are judged on
halves of the judge's documents or units that did not choose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from regrade.catalogue import CUT_COLUMNS, columns_of
from regrade.cutsearch.best import best_index, best_of
from regrade.cutsearch.data import TopicJudgments
from regrade.cutsearch.means import mean_under_coverage, mean_where_defined
from regrade.errors import ParameterError
from regrade.randomness import generator
from regrade.significance.paired import paired_difference
from regrade.trust.bootstrap import SINGLE, RepeatedSearch
from regrade.trust.held_out import DOCUMENTS, UNITS, half_of
from regrade.trust.resampling import drawn_again, with_rows
from regrade.trust.transfer import (
    ALPHA,
    WORKERS,
    CutChoices,
    loss_row,
    mean_losses,
    taus,
)

ALL_JUDGES = "*"
TW1_ALONE = (
    "tw1 compares judges with each other, and one alone has nobody: use h1_ta or a reference"
)
NO_JUDGES = "one label per document and no workers: judges who are sets of labels are compared as "
NO_JUDGES += "transformations"


@dataclass(frozen=True)
class JudgeAlpha:
    """One judge's α of every cut, and the cuts to hold beside each other.

    Attributes
    ----------
    name
        The worker's.
    n_judgments
        Values given.
    n_compared
        Documents with a label of the reference, or of another judge for methods without one.
    criterion : array of float64, shape (C,)
        α of the judge's documents or units; NaN where undefined.
    best, others
        The judge's own best cut, and the one that all others choose; −1 where there is none.
    tied
        How many cuts share the own best's α.
    held_out, held_out_others
        α on halves that did not choose: of the cut of the other half, and of the others' cut.
    """

    name: str
    n_judgments: int
    n_compared: int
    criterion: np.ndarray | None = None
    best: int = -1
    others: int = -1
    tied: int = 0
    held_out: float = np.nan
    held_out_others: float = np.nan

    def at(self, cut: int) -> float:
        """α under a cut; NaN where there is none."""
        return np.nan if cut < 0 else float(self.criterion[cut])


def why_no_judges(search: RepeatedSearch) -> str | None:
    """Why a search cannot be split by judge; ``None`` where it can."""
    plan = search.plan
    if plan.reason:
        return plan.reason
    if plan.method.name == "tw1":
        return TW1_ALONE
    if {name for t in plan.topics for name in t.raw.workers} == {"expert"}:
        return NO_JUDGES
    return None


def part_of(search: RepeatedSearch, topic: TopicJudgments, judge: str) -> TopicJudgments | None:
    """One judge's judgments among a topic's, with the votes that they are compared with."""
    part = votes_of(topic, judge)
    if part is None or search.plan.method.needs_reference:
        return part
    return replace(part, histograms=topic.histograms)


def votes_of(topic: TopicJudgments, judge: str) -> TopicJudgments | None:
    """A topic with one judge's judgments only; ``None`` where there are none."""
    alone = (topic.raw.workers == judge).astype(np.int64)
    return drawn_again(topic, "workers", alone)[0] if alone.any() else None


def compared(search: RepeatedSearch, topic: TopicJudgments, judge: str, labels: np.ndarray | None):
    """The documents that a judge can be compared on; (D,) bool."""
    own = votes_of(topic, judge)
    if own is None:
        return np.zeros(topic.n_documents, dtype=bool)
    judged = own.histograms.any(axis=1)
    if search.plan.method.unit_wise:
        judged[own.document] = True
    if labels is not None:
        return judged & (labels >= 0)
    return judged & ((topic.histograms - own.histograms).sum(axis=1) > 0)


# --- one judge -------------------------------------------------------------------------------


def judge_of(
    choices: CutChoices, pooled: RepeatedSearch, name: str, minimum: int, splits: int, seed: int
) -> JudgeAlpha:
    """A judge's own cut, the others', and both held out."""
    (topic,) = pooled.plan.topics
    labels = pooled.plan.labels.get(topic.topic)
    shared = compared(pooled, topic, name, labels)
    n_judgments = int((topic.raw.workers[topic.raw.worker] == name).sum())
    alpha = JudgeAlpha(name, n_judgments, int(shared.sum()))
    if alpha.n_compared < minimum:
        return alpha
    part = part_of(pooled, topic, name)
    part, labels = drawn_again(part, DOCUMENTS, shared.astype(np.int64), labels)
    criterion = pooled.criterion(part, labels)
    best = best_of(pooled.places, criterion)
    alpha = replace(alpha, criterion=criterion, others=choice_of_others(choices, name))
    if best is None:
        return alpha
    alpha = replace(alpha, best=best.index, tied=len(best.tied))
    own, others = _held_out(pooled, part, labels, alpha, splits, seed)
    return replace(alpha, held_out=own, held_out_others=others)


def choice_of_others(choices: CutChoices, name: str) -> int:
    """The one cut for all topics that all judges but one choose together; −1 if none."""
    search, columns = choices.search, []
    for t, topic in enumerate(search.plan.topics):
        others = (topic.raw.workers != name).astype(np.int64)
        if others.all():
            columns.append(choices.criterion[:, t])
            continue
        if not others.any():
            columns.append(np.full(len(search.places), np.nan))
            continue
        labels = search.plan.labels.get(topic.topic)
        columns.append(search.criterion(*drawn_again(topic, "workers", others, labels)))
    single = mean_under_coverage(np.stack(columns, axis=1), search.plan.options.coverage)
    return best_index(search.places, single)


def _held_out(
    pooled: RepeatedSearch,
    part: TopicJudgments,
    labels: np.ndarray | None,
    judge: JudgeAlpha,
    splits: int,
    seed: int,
) -> tuple[float, float]:
    """α on the other half of the judge's own cut and of the others', over the same halves."""
    by_units = pooled.plan.method.unit_wise
    n = len(np.unique(part.unit)) if by_units else part.n_documents
    split = UNITS if by_units else DOCUMENTS
    pairs = []
    for number in range(splits if n > 1 else 0):
        first = half_of(n, generator(seed, "judge", split, judge.name, str(number)))
        halves = [_half(pooled, part, labels, half) for half in (first, ~first)]
        for chooses, judges in (halves, halves[::-1]):
            own = best_index(pooled.places, chooses)
            if min(own, judge.others) >= 0:
                pairs.append((judges[own], judges[judge.others]))
    known = np.array(pairs).reshape(-1, 2)
    known = known[~np.isnan(known).any(axis=1)]
    return tuple(known.mean(axis=0)) if len(known) else (np.nan, np.nan)


def _half(
    pooled: RepeatedSearch, part: TopicJudgments, labels: np.ndarray | None, half: np.ndarray
) -> np.ndarray:
    """The criterion on half of the judge's units, or documents."""
    if not pooled.plan.method.unit_wise:
        return pooled.criterion(*drawn_again(part, DOCUMENTS, half.astype(np.int64), labels))
    kept = np.isin(part.unit, np.unique(part.unit)[half])
    return pooled.criterion(with_rows(part, kept), labels)


# --- all judges ------------------------------------------------------------------------------


def every_judge(
    choices: CutChoices,
    pooled: RepeatedSearch,
    minimum: int,
    splits: int,
    seed: int,
    threads: int = 1,
) -> list[JudgeAlpha]:
    """All judges of a set, sorted by name; see `judge_of`."""
    names = pooled.plan.topics[0].raw.workers
    with ThreadPoolExecutor(threads) as pool:
        return list(
            pool.map(lambda name: judge_of(choices, pooled, name, minimum, splits, seed), names)
        )


def between_judges(choices: CutChoices, judges: Sequence[JudgeAlpha], most: int) -> Iterator[dict]:
    """Each judge's cut, and the one for all (``*``), used on each judge."""
    in_cells = in_matrix(judges, most)
    sources = {judge.name: judge.best for judge in in_cells} | {ALL_JUDGES: choices.best}
    sources = {name: cut for name, cut in sources.items() if cut >= 0}
    for judge in in_cells:
        scores = _scores(choices, judge, [*sources.values()])
        places = {name: i for i, name in enumerate(sources)}
        for chosen_on, cut in sources.items():
            key = {"by": WORKERS, "selection": SINGLE}
            key |= {"chosen_on": chosen_on, "used_on": judge.name}
            key |= _thresholds(choices, cut)
            yield (
                key
                | {"quantity": ALPHA, "n_topics": 0}
                | loss_row(judge.at(cut), judge.at(judge.best))
            )
            yield from taus(choices, key, scores, (places[chosen_on], places[judge.name]))


def in_matrix(judges: Sequence[JudgeAlpha], most: int) -> list[JudgeAlpha]:
    """The judges with a cut who have the most documents compared; in order of their names."""
    known = sorted((j for j in judges if j.best >= 0), key=lambda j: (-j.n_compared, j.name))
    return sorted(known[:most], key=lambda judge: judge.name)


def _scores(choices: CutChoices, judge: JudgeAlpha, cuts: Sequence[int]) -> dict[str, np.ndarray]:
    """The systems' scores by topic under one judge's labels, (cuts, S)."""
    if choices.search.systems is None:
        return {}
    by_topic = {}
    for topic in choices.search.plan.topics:
        part = votes_of(topic, judge.name)
        if part is not None and topic.topic in choices.search.systems.discounts:
            by_topic[topic.topic] = choices.search.scores(part, np.array(cuts))
    return by_topic


def _thresholds(choices: CutChoices, cut: int, prefix: str = "") -> dict:
    if cut < 0:
        return {}
    return {
        f"{prefix}{name}": float(value)
        for name, value in zip(CUT_COLUMNS, choices.cut(cut), strict=False)
    }


# --- tables ----------------------------------------------------------------------------------


def judge_tables(
    choices: CutChoices,
    pooled: RepeatedSearch | None,
    reference: str | None,
    *,
    minimum: int = 30,
    most: int = 40,
    splits: int = 10,
    seed: int = 1,
    threads: int = 1,
) -> dict[str, pd.DataFrame]:
    """Every judge's cut, and what the cuts of some are worth to each other."""
    if minimum < 2 or most < 1:
        raise ParameterError(
            f"minimum {minimum}, most {most}: a cut rests on 2 documents or more, a matrix has 1 "
            "judge or more"
        )
    key = {"method": choices.search.plan.method.name, "reference": reference}
    reason = why_no_judges(choices.search)
    rows, cells = [], []
    if reason:
        rows.append({"judge": ALL_JUDGES, "n_judgments": 0, "n_compared": 0, "note": reason})
    else:
        judges = every_judge(choices, pooled, minimum, splits, seed, threads)
        rows = [_row(choices, judge, minimum) for judge in judges]
        rows.append(_summary(judges, minimum, most))
        cells = [*between_judges(choices, judges, most)]
        cells += mean_losses(cells)
    return {
        "judges": _frame(key, rows, "cuts/judges"),
        "transfer": _frame(key, cells, "cuts/transfer"),
    }


def _frame(key: Mapping, rows: Sequence[Mapping], schema: str) -> pd.DataFrame:
    return pd.DataFrame([{**key, **row} for row in rows], columns=columns_of(schema))


def _row(choices: CutChoices, judge: JudgeAlpha, minimum: int) -> dict:
    counts = {name: getattr(judge, name) for name in ("n_judgments", "n_compared")}
    row = {"judge": judge.name, **counts}
    if judge.criterion is None:
        return row | {"note": f"fewer than {minimum} documents to compare"}
    if judge.best < 0:
        return row | {"note": "no cut has a defined α"}
    values = loss_row(judge.at(judge.others), judge.at(judge.best))
    row |= _thresholds(choices, judge.best) | _thresholds(choices, judge.others, "others_")
    row |= {"alpha": values["own"], "others_alpha": values["value"], "lost": values["lost"]}
    row |= {"held_out": judge.held_out, "held_out_others": judge.held_out_others}
    note = None if judge.others >= 0 else "nobody else chooses a cut"
    return row | {"tied": judge.tied, "note": note}


def _summary(judges: Sequence[JudgeAlpha], minimum: int, most: int) -> dict:
    """Means over the judges with a cut; held out, the difference to the others' cut, paired."""
    known = [judge for judge in judges if judge.best >= 0]
    own = np.array([judge.at(judge.best) for judge in known])
    others = np.array([judge.at(judge.others) for judge in known])
    held_out = np.array([(j.held_out, j.held_out_others) for j in known]).reshape(-1, 2)
    held_out = held_out[~np.isnan(held_out).any(axis=1)]
    paired = paired_difference(held_out[:, 0] - held_out[:, 1], "mean_over_judges")
    note = f"{len(judges) - len(known)} of {len(judges)} judges have no cut of their own"
    note += f" (at least {minimum} documents to compare)"
    if len(known) > most:
        note += f"; the matrix has the {most} of {len(known)} with the most"
    return {
        "judge": ALL_JUDGES,
        "n_judgments": sum(judge.n_judgments for judge in judges),
        "n_compared": sum(judge.n_compared for judge in judges),
        "n_judges": len(known),
        "n_few": len(judges) - len(known),
        "alpha": mean_where_defined(own),
        "others_alpha": mean_where_defined(others),
        "lost": mean_where_defined(own - others),
        "held_out": mean_where_defined(held_out[:, 0]),
        "held_out_others": mean_where_defined(held_out[:, 1]),
        **{name: paired[name] for name in ("difference", "low", "high", "p", "better", "worse")},
        "n_held_out": len(held_out),
        "note": note,
    }
