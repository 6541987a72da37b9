"""Leave one out: how a system would have been scored had it not contributed to the pool.

A run, or all runs of a group, is left out of the pool; documents that no other contributor brings
lose their judgments, and the system is scored again (Zobel 1998; yang2019 §2.2.1 after Lipani et
al. 2015, 2017).  `LeaveOut` says what stays judged: `leave_out_of_pool` finds it for any way to
pool, `leave_out_of_origins` from a record of whose runs brought each document.  `rescore` scores.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.errors import MethodError, ParameterError, check_choice
from regrade.kendall import TOLERANCE, tau_b
from regrade.measures import Measure, parse_all
from regrade.pools.pooling import DEPTH, Pooling, keep, nominate, pool_of, zeros_warning
from regrade.run_arrays import Judged, RankedLists, topic_sums
from regrade.scoring import score
from regrade.significance.paired import differences, paired_t

BY = ("run", "group")
"""What is left out at a time."""

ORIGINS = "recorded"
"""The name, in tables, of the pool whose contributors were recorded."""

SIGNIFICANCE = 0.05
"""The default significance level."""

COUNTS = ("lost", "lost_relevant", "gained", "gained_relevant", "lost_topics")
"""What is counted of each run or group that is left out; see `LeftOutScores`."""

_NONE = -1

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class LeftOutTogether:
    """What is left out together.

    Attributes
    ----------
    by
        ``run`` or ``group``.
    names
        The L runs or groups, sorted.
    of
        (S,) int64: which of them each system belongs to.
    """

    by: str
    names: tuple[str, ...]
    of: np.ndarray

    @classmethod
    def make(
        cls,
        systems: Sequence[str],
        by: str,
        groups: pd.DataFrame | None = None,
    ) -> LeftOutTogether:
        """The systems, one by one or by group."""
        check_choice("by", by, BY)
        named = systems
        if by == "group":
            if groups is None:
                raise ParameterError("to leave out groups, give the group of each run")
            group_of = dict(zip(groups["system"], groups["group"], strict=True))
            without = [system for system in systems if system not in group_of]
            if without:
                raise MethodError(
                    f"no group is known for {len(without)} contributing systems: "
                    f"{', '.join(without[:5])}: add them to the file of groups"
                )
            named = [group_of[system] for system in systems]
        names, of = np.unique(np.array(named, dtype=str), return_inverse=True)
        return cls(by, tuple(names.tolist()), of)


@dataclass(frozen=True, eq=False)
class LeaveOut:
    """What stays judged when each run or group is left out.

    Attributes
    ----------
    left_out
        The L runs or groups.
    pooling
        How the pool was made, for tables.
    pooled
        (Q,) bool: the judged documents that are in the pool of all contributors.
    remaining
        From the index of one of them to (Q,) bool: those in the pool without it.
    """

    left_out: LeftOutTogether
    pooling: str
    pooled: np.ndarray
    remaining: Callable[[int], np.ndarray]


def leave_out_of_pool(
    ranked: RankedLists,
    judged: Judged,
    pooling: Pooling,
    by: str,
    *,
    groups: pd.DataFrame | None = None,
    scores: np.ndarray | None = None,
) -> LeaveOut:
    """What stays judged when the pool is made without each run or group.

    A Depth@k pool loses the documents that only the run or group nominates, found for all at
    once.  The pools of fusion methods are made again without it, so that other documents move up:
    they are judged where the qrels have them.
    """
    left_out = LeftOutTogether.make(ranked.systems, by, groups)
    nominations = nominate(ranked, pooling, scores=scores)
    if pooling.method == DEPTH:
        sole = _sole_owner(left_out.of[nominations.system], nominations.starts)
        pooled = _of_documents(ranked, judged, nominations.documents, True, False)
        owner = _of_documents(ranked, judged, nominations.documents, sole, _NONE)
        return _by_owner(left_out, str(pooling), pooled, owner)

    def pooled_without(absent: np.ndarray) -> np.ndarray:
        pool = pool_of(nominations.without(absent), pooling, len(ranked.names))
        return pool.votes_for(judged) > 0

    return LeaveOut(
        left_out,
        str(pooling),
        pooled_without(np.zeros(len(ranked.systems), dtype=bool)),
        lambda index: pooled_without(left_out.of == index),
    )


def leave_out_of_origins(
    ranked: RankedLists, judged: Judged, origins: pd.DataFrame, groups: pd.DataFrame
) -> LeaveOut:
    """What stays judged without each group, by a record of whose runs brought each document.

    The pool is the whole qrels.  A document loses its judgment when its only group is left out; one
    that the record does not have never does.
    """
    left_out = LeftOutTogether.make(ranked.systems, "group", groups)
    documents = ranked.codes(*(pa.chunked_array([origins[n]]) for n in ("topic", "docno")))
    group = pd.Index(left_out.names).get_indexer(origins["group"])
    known = documents >= 0
    order = np.argsort(documents[known], kind="stable")
    documents, starts = np.unique(documents[known][order], return_index=True)
    sole = _sole_owner(group[known][order], np.append(starts, len(order)))
    owner = _of_documents(ranked, judged, documents, sole, _NONE)
    everything = np.ones(len(judged.grades), dtype=bool)
    return _by_owner(left_out, ORIGINS, everything, owner)


@dataclass(frozen=True, eq=False)
class LeftOutScores:
    """The scores of all systems under the pool, and without each run or group.

    Attributes
    ----------
    leave_out
        What was left out: L runs or groups.
    systems
        S names.
    measures
        M measures.
    full
        (S, T, M) float64 scores under the pool of all contributors, for every judged topic.
    sum_without
        (L, S, M) float64: the sums over these topics of the scores under the pool without each of
        them.  Added up topic by topic, so that they do not depend on how topics come in parts.
    counts
        Each of `COUNTS` → (L,) int64: judgments lost without it, relevant ones among them,
        judgments gained (by documents that move up), relevant ones among them, and topics that
        lose their last judgment, on which every system then scores 0 by measures of judgments.
    """

    leave_out: LeaveOut
    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    full: np.ndarray
    sum_without: np.ndarray
    counts: Mapping[str, np.ndarray]

    @cached_property
    def mean(self) -> np.ndarray:
        """(S, M) float64: mean scores under the pool of all contributors."""
        return _added(self.full) / self.full.shape[1]

    @property
    def mean_without(self) -> np.ndarray:
        """(L, S, M) float64: mean scores under the pool without each of them."""
        return self.sum_without / self.full.shape[1]

    def systems_frame(self, *, significance: float = SIGNIFICANCE) -> pd.DataFrame:
        """What leaving out does to each left-out system.

        The others keep the scores that they have under the full pool, as in Lipani et al.: so a
        change of rank is the system's own.
        """
        return pd.concat(
            [self._of_measure(m, significance) for m in range(len(self.measures))],
            ignore_index=True,
        )

    def _of_measure(self, m: int, significance: float) -> pd.DataFrame:
        of = self.leave_out.left_out.of
        systems = np.arange(len(of))
        before, after = self.mean[:, m], self.mean_without[of, systems, m]
        # (S, S): for each row's system, who is above
        above_before = before - before[:, None] > TOLERANCE
        above_after = before - after[:, None] > TOLERANCE
        above_after[systems, systems] = False
        passing, passed = np.nonzero(above_before != above_after)
        scores = self.full[:, :, m]
        _, p = paired_t(differences(scores[passing], scores[passed]))
        significant = pd.array(np.bincount(passing[p < significance], minlength=len(of)), "Int64")
        if scores.shape[1] == 1:
            significant[:] = pd.NA
        return pd.DataFrame(
            {
                "pooling": self.leave_out.pooling,
                "by": self.leave_out.left_out.by,
                "left_out": np.array(self.leave_out.left_out.names, dtype=object)[of],
                "system": np.array(self.systems, dtype=object),
                "measure": str(self.measures[m]),
                "score": before,
                "score_left_out": after,
                "rank": 1 + above_before.sum(axis=1),
                "rank_left_out": 1 + above_after.sum(axis=1),
                "passed": np.bincount(passing, minlength=len(of)),
                "passed_significant": significant,
            }
        )

    def left_out_frame(self) -> pd.DataFrame:
        """What leaving out each run or group does to the ranking of all systems, all scored
        again.
        """
        left_out = self.leave_out.left_out
        members = np.bincount(left_out.of, minlength=len(left_out.names))
        return pd.concat(
            [
                pd.DataFrame(
                    {
                        "pooling": self.leave_out.pooling,
                        "by": left_out.by,
                        "left_out": left_out.names,
                        "measure": str(measure),
                        "systems": members,
                        **self.counts,
                        "tau": [tau_b(self.mean[:, m].copy(), s) for s in scores],
                    }
                )
                for m, measure in enumerate(self.measures)
                for scores in [self.mean_without[:, :, m].copy()]
            ],
            ignore_index=True,
        )

    def summary_frame(self, *, significance: float = SIGNIFICANCE) -> pd.DataFrame:
        """How biased the pool is against systems that did not contribute to it."""
        table = self.systems_frame(significance=significance)
        error = table["score_left_out"] - table["score"]
        table = table.assign(error=error, absolute=error.abs())
        by = table.groupby(["pooling", "by", "measure"], sort=False)
        summary = by.agg(
            systems=("system", "size"),
            mae=("absolute", "mean"),
            largest_error=("absolute", "max"),
            bias=("error", "mean"),
            sre=("passed", "sum"),
            sre_significant=("passed_significant", lambda passed: passed.sum(min_count=1)),
        )
        summary["tau"] = [
            tau_b(rows["score"].to_numpy(copy=True), rows["score_left_out"].to_numpy(copy=True))
            for _, rows in by
        ]
        all_systems = self.left_out_frame().groupby(["pooling", "by", "measure"], sort=False)
        summary["tau_all"] = all_systems["tau"].mean()
        return summary.reset_index()


def rescore(
    ranked: RankedLists,
    judged: Judged,
    leave_out: LeaveOut,
    measures: Sequence[str | Measure],
    *,
    max_grade: float | None = None,
    rel: float = 1,
    threads: int = 1,
    before: LeftOutScores | None = None,
) -> LeftOutScores:
    """Score all systems under the pool, and again without each run or group.

    Topics may come in parts, each with what was found for those before; of these only the scores
    under the whole pool are held by topic, so that memory grows with L·S + S·T, not L·S·T.

    Every mean is over all topics of `judged`: a topic that has lost all its judgments scores 0
    (`regrade.pools.pooling.keep`).
    """
    measures = parse_all(measures)
    if before is not None:
        same = (before.systems, before.leave_out.left_out.names, before.measures)
        if same != (ranked.systems, leave_out.left_out.names, measures):
            raise ParameterError("the topics before have other systems, left-out runs or measures")
        if max_grade is None:
            raise ParameterError("topics in parts: give `max_grade`, the highest of all topics")
    if max_grade is None:
        max_grade = float(judged.grades.max(initial=0)) or None
    relevant = judged.grades >= rel

    def scores_of(rows: np.ndarray, topics: Sequence[str] | None = None) -> np.ndarray:
        reduced = keep(judged, rows)
        return score(ranked, reduced, measures, max_grade=max_grade, topics=topics).values

    def without(index: int) -> tuple[np.ndarray, list[int]]:
        rows = leave_out.remaining(index)
        lost, gained = leave_out.pooled & ~rows, rows & ~leave_out.pooled
        counts = [np.count_nonzero(r) for r in (lost, lost & relevant, gained, gained & relevant)]
        counts.append(np.count_nonzero(has_judgments & (topic_sums(1 * rows, judged.offsets) == 0)))
        changed = topic_sums(1 * (lost | gained), judged.offsets) > 0
        values = full
        if changed.any():  # topics of the same judgments have the same scores
            values = full.copy()
            topics = [t for t, other in zip(judged.topics, changed, strict=True) if other]
            values[:, changed] = scores_of(rows, topics)
        return _added(values, None if before is None else before.sum_without[index]), counts

    full = scores_of(leave_out.pooled)
    has_judgments = topic_sums(1 * leave_out.pooled, judged.offsets) > 0
    if not has_judgments.all():
        log.warning(
            "%s: no judged document is in the pool of %d of %d topics%s",
            *(leave_out.pooling, np.count_nonzero(~has_judgments), len(judged.topics)),
            zeros_warning(full[:, ~has_judgments], measures),
        )
    with ThreadPoolExecutor(threads) as pool:
        results = list(pool.map(without, range(len(leave_out.left_out.names))))
    sums, counts = zip(*results, strict=True)
    by_name = dict(zip(COUNTS, np.array(counts).T, strict=True))
    if before is not None:
        full = np.concatenate([before.full, full], axis=1)
        by_name = {name: before.counts[name] + by_name[name] for name in COUNTS}
    return LeftOutScores(leave_out, ranked.systems, measures, full, np.array(sums), by_name)


def _added(values: np.ndarray, total: np.ndarray | None = None) -> np.ndarray:
    """(S, M): what (S, T, M) values add to a total, one topic after the other.

    In one order for scores with and without a run, so that what does not change has a difference
    of 0; and the total of the topics before, so that parts of the topics give the same bits.
    """
    total = np.zeros_like(values[:, 0]) if total is None else total
    for of_topic in np.moveaxis(values, 1, 0):
        total = total + of_topic
    return total


def _by_owner(
    left_out: LeftOutTogether, pooling: str, pooled: np.ndarray, owner: np.ndarray
) -> LeaveOut:
    return LeaveOut(left_out, pooling, pooled, lambda index: pooled & (owner != index))


def _of_documents(
    ranked: RankedLists, judged: Judged, documents: np.ndarray, values, otherwise
) -> np.ndarray:
    """(Q,) what some documents have, for the judged ones among them, else `otherwise`."""
    by_code = np.full(len(ranked.names) + 1, otherwise)  # the last: of what nobody retrieved
    by_code[documents] = values
    return by_code[judged.documents]


def _sole_owner(left_out: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Whose all entries are from each start to the next; −1 where there are several."""
    lowest = np.minimum.reduceat(left_out, starts[:-1])
    return np.where(lowest == np.maximum.reduceat(left_out, starts[:-1]), lowest, _NONE)
