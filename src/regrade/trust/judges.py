"""The judges of one set: the best cut of each who judged enough, and what it is worth to others.

A judge labels few documents of a topic, so all documents that one judged count together, whichever
topic they are of: α of the judge's levels with the reference's (``d2_at``, ``d2_ta``), or the mean
over the judge's units (``h2``, and ``h1_*`` with the other judges' votes).  Held beside it is the
cut that all *others* would choose together, in which the judge has no part; and both are judged on
halves of the judge's documents or units that did not choose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.cutsearch.best import best_index, best_of
from regrade.cutsearch.data import TopicJudgments
from regrade.cutsearch.means import mean_under_coverage, mean_where_defined
from regrade.errors import ParameterError
from regrade.randomness import generator
from regrade.significance.paired import paired_difference
from regrade.trust.bootstrap import SINGLE, RepeatedSearch
from regrade.trust.held_out import DOCUMENTS, UNITS, half_of
from regrade.trust.resampling import drawn_again, with_rows
from regrade.trust.transfer import ALPHA, WORKERS, loss_row, mean_losses, taus

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
    search: RepeatedSearch, pooled: RepeatedSearch, name: str, minimum: int, splits: int, seed: int
) -> JudgeAlpha:
    """A judge's own cut, the others', and both held out."""
    (topic,) = pooled.plan.topics
    (labels,) = pooled.labels
    shared = compared(pooled, topic, name, labels)
    n_judgments = int((topic.raw.workers[topic.raw.worker] == name).sum())
    alpha = JudgeAlpha(name, n_judgments, int(shared.sum()))
    if alpha.n_compared < minimum:
        return alpha
    part = part_of(pooled, topic, name)
    part, labels = drawn_again(part, DOCUMENTS, shared.astype(np.int64), labels)
    criterion = pooled.criterion(part, labels)
    best, others = best_of(pooled.places, criterion), choice_of_others(search, name)
    alpha = replace(alpha, criterion=criterion, others=others)
    if best is None:
        return alpha

    def criterion_of(half: np.ndarray) -> np.ndarray:
        """Of half of the judge's units, or documents."""
        if not pooled.plan.method.unit_wise:
            return pooled.criterion(*drawn_again(part, DOCUMENTS, half.astype(np.int64), labels))
        kept = np.isin(part.unit, np.unique(part.unit)[half])
        return pooled.criterion(with_rows(part, kept), labels)

    by_units = pooled.plan.method.unit_wise
    n = len(np.unique(part.unit)) if by_units else part.n_documents
    pairs = []
    for number in range(splits if n > 1 else 0):
        split = UNITS if by_units else DOCUMENTS
        first = half_of(n, generator(seed, "judge", split, name, str(number)))
        halves = [criterion_of(half) for half in (first, ~first)]
        for chooses, judges in (halves, halves[::-1]):
            own = best_index(pooled.places, chooses)
            if min(own, others) >= 0:
                pairs.append((judges[own], judges[others]))
    known = np.array(pairs).reshape(-1, 2)
    known = known[~np.isnan(known).any(axis=1)]
    own, of_others = known.mean(axis=0) if len(known) else (np.nan, np.nan)
    return replace(
        alpha,
        best=best.index,
        tied=len(best.tied),
        held_out=own,
        held_out_others=of_others,
    )


def choice_of_others(search: RepeatedSearch, name: str) -> int:
    """The one cut for all topics that all judges but one choose together; −1 if none."""
    criteria = search.criteria.copy()
    for t, (topic, labels) in enumerate(zip(search.plan.topics, search.labels, strict=True)):
        others = (topic.raw.workers != name).astype(np.int64)
        if not others.any():
            criteria[:, t] = np.nan
        elif not others.all():
            criteria[:, t] = search.criterion(*drawn_again(topic, "workers", others, labels))
    return best_index(search.places, mean_under_coverage(criteria, search.coverage))


# --- all judges ------------------------------------------------------------------------------


def every_judge(
    search: RepeatedSearch,
    pooled: RepeatedSearch,
    minimum: int,
    splits: int,
    seed: int,
    threads: int = 1,
) -> list[JudgeAlpha]:
    """All judges of a set, sorted by name; see `judge_of`."""
    names = pooled.plan.topics[0].raw.workers
    with ThreadPoolExecutor(threads) as pool:
        alphas = pool.map(lambda name: judge_of(search, pooled, name, minimum, splits, seed), names)
        return list(alphas)


def between_judges(
    search: RepeatedSearch, judges: Sequence[JudgeAlpha], most: int
) -> Iterator[dict]:
    """Each judge's cut, and the one for all (``*``), used on each judge."""
    in_cells = in_matrix(judges, most)
    sources = {judge.name: judge.best for judge in in_cells} | {ALL_JUDGES: search.best}
    sources = {name: cut for name, cut in sources.items() if cut >= 0}
    places = {name: i for i, name in enumerate(sources)}
    for judge in in_cells:
        scores = {}
        for topic in search.plan.topics if search.systems else ():
            part = votes_of(topic, judge.name)
            if part is not None and topic.topic in search.systems.discounts:
                scores[topic.topic] = search.scores(part, [*sources.values()])
        for chosen_on, cut in sources.items():
            key = {"by": WORKERS, "selection": SINGLE}
            key |= {"chosen_on": chosen_on, "used_on": judge.name} | search.thresholds(cut)
            alpha = {"quantity": ALPHA, "n_topics": 0}
            yield key | alpha | loss_row(judge.at(cut), judge.at(judge.best))
            yield from taus(search, key, scores, (places[chosen_on], places[judge.name]))


def in_matrix(judges: Sequence[JudgeAlpha], most: int) -> list[JudgeAlpha]:
    """The judges with a cut who have the most documents compared; in order of their names."""
    known = sorted((j for j in judges if j.best >= 0), key=lambda j: (-j.n_compared, j.name))
    return sorted(known[:most], key=lambda judge: judge.name)


# --- tables ----------------------------------------------------------------------------------


def judge_tables(
    search: RepeatedSearch,
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
    reason = why_no_judges(search)
    if reason:
        nothing = {"judge": ALL_JUDGES, "n_judgments": 0, "n_compared": 0, "note": reason}
        tables = {"judges": [nothing], "transfer": []}
    else:
        judges = every_judge(search, pooled, minimum, splits, seed, threads)
        rows = [_row(search, judge, minimum) for judge in judges]
        cells = [*between_judges(search, judges, most)]
        tables = {
            "judges": [*rows, _summary(judges, minimum, most)],
            "transfer": [*cells, *mean_losses(cells)],
        }
    key = {"method": search.plan.method.name, "reference": reference}
    return {
        name: pd.DataFrame([key | row for row in rows], columns=columns_of(f"cuts/{name}"))
        for name, rows in tables.items()
    }


def _row(search: RepeatedSearch, judge: JudgeAlpha, minimum: int) -> dict:
    counts = {name: getattr(judge, name) for name in ("n_judgments", "n_compared")}
    row = {"judge": judge.name, **counts}
    if judge.criterion is None:
        return row | {"note": f"fewer than {minimum} documents to compare"}
    if judge.best < 0:
        return row | {"note": "no cut has a defined α"}
    values = loss_row(judge.at(judge.others), judge.at(judge.best))
    others = {f"others_{name}": cut for name, cut in search.thresholds(judge.others).items()}
    row |= search.thresholds(judge.best) | others
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
