"""Pools of runs, and systems that stay out of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from regrade.api.results import Result, with_warnings
from regrade.api.scores import match_runs, matched, notes_on
from regrade.api.sets import Labels, Runs, measures_for, read_qrels, read_runs
from regrade.audit.rankings import audit_judged
from regrade.choices import COMPARED, DEPTH, TIED
from regrade.errors import MethodError, ParameterError, check_choice
from regrade.pools import pooling as pools
from regrade.pools.depth_answer import answered as pool_answered
from regrade.pools.leave_out import leave_out_of_pool, rescore
from regrade.pools.left_out_answer import answered as leave_out_answered
from regrade.pools.options import Pooling, depths_to
from regrade.pools.scores import join_depths, scores_by_depth, to_frame
from regrade.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Pool:
    """The documents that a way to pool takes.

    Attributes
    ----------
    pooling
        The way.
    documents
        ``topic``, ``place`` (in the order of the method), ``docno``, ``votes`` (by how many systems
        it was nominated).
    runs, made
        What it was made of, and the pool as arrays.
    """

    pooling: Pooling
    documents: pd.DataFrame
    runs: Runs
    made: pools.PooledDocuments

    def to_frame(self) -> pd.DataFrame:
        """The documents."""
        return self.documents

    @property
    def sizes(self) -> pd.Series:
        """Documents by topic."""
        return self.documents.groupby("topic", sort=True)["docno"].size().rename("documents")

    def reduce(self, qrels: object) -> Labels:
        """Labels of the documents in the pool alone.

        Raises
        ------
        RegradeError
            If no label is left.
        """
        labels = read_qrels(qrels)
        _, judged = matched(labels, self.runs)
        kept = self.made.reduce(judged)
        table = pools.qrels_table(kept, self.runs.ranked)
        if not len(table):
            raise MethodError(f"no document of the pool is judged in {labels.name}: pool deeper")
        return Labels(table, f"{labels.name} in {self.pooling}", labels.stated_scale)

    def plot(self) -> Figure:
        """Draw the sizes of the topics' pools."""
        from regrade.api.plots import draw_pool

        return draw_pool(self)

    def __repr__(self) -> str:
        """What was pooled, and how much."""
        sizes = self.sizes
        return (
            f"<Pool {self.pooling} of {counted(len(self.runs), 'system')}: "
            f"{counted(len(self.documents), 'document')} of {counted(len(sizes), 'topic')}, "
            f"{sizes.min()} to {sizes.max()} each>"
        )


def pool(
    runs: object,
    depth: int | None = 10,
    *,
    method: str = DEPTH,
    size: int | None = None,
    contributors: Sequence[str] | None = None,
    **options: object,
) -> Pool:
    """Pool the first documents of runs.

    Parameters
    ----------
    runs
        Whatever `regrade.read_runs` takes.
    depth
        How many documents of each ranking count.
    method
        ``Depth``, or a way to fuse rankings, of which `size` documents are taken.
    size
        Documents per topic of a fused pool.
    contributors
        The systems that are pooled; by default all.
    **options
        ``normalisation``, ``rrf_k`` of `regrade.pools.options.Pooling`.

    Returns
    -------
    Pool

    Raises
    ------
    RegradeError
        If something cannot be read, or these make no way to pool.
    """
    runs = read_runs(runs)
    way = Pooling(method, depth=depth, size=size, **options)
    made = pools.make_pool(runs.ranked, way, contributors=contributors, scores=runs.ranked.scores)
    return Pool(way, made.to_frame(runs.ranked), runs, made)


class PoolDepths(Result):
    """The ranking under pools of each depth beside that under the deepest.

    Attributes
    ----------
    tables
        By name, as the stage ``pools`` of the workflow has them: ``scores``, ``facts``, ``depths``,
        ``answer``.  Each is an attribute as well, the answer as one object.
    """

    main_table = "depths"

    def plot(self) -> Figure:
        """Draw how many pairs of systems reverse or tie under shallower pools."""
        from regrade.pools.figures import figure_pool

        return figure_pool(self.depths)


def pool_depths(
    qrels: object,
    runs: object,
    deepest: int | None = None,
    *,
    measures: Sequence[str] | str | None = None,
    contributors: Sequence[str] | None = None,
) -> PoolDepths:
    """How deep need the pool be?

    Parameters
    ----------
    qrels, runs
        Whatever `regrade.read_qrels` and `regrade.read_runs` take.
    deepest
        Depth of the deepest pool; by default as deep as half of the systems are judged for every
        topic, at most 50.
    measures
        That score the systems; by default those of `regrade.choices.COMPARED` that mean something
        on the labels' scale.
    contributors
        The systems that make the pools and are compared; by default those that are judged to the
        deepest depth for every topic.

    Returns
    -------
    PoolDepths

    Raises
    ------
    RegradeError
        If something cannot be read, or the judgments are too shallow.
    """
    labels, runs = read_qrels(qrels), read_runs(runs)
    measures = measures_for(measures, [labels], COMPARED)
    ranked, judged, overlap = match_runs(labels, runs, measures)
    audit = audit_judged(ranked, {"qrels": judged})
    if deepest is None:
        deepest = pools.judged_depth(pools.deeply_judged(audit), "give the deepest depth")
    notes = notes_on(labels, overlap, measures)
    if contributors is None:
        contributors = pools.deep_contributors(
            pools.deeply_judged(audit, deepest),
            f"{deepest} documents",
            "give a smaller depth, or `contributors`",
        )
        if shallow := len(ranked.systems) - len(contributors):
            of = counted(len(ranked.systems), "system")
            notes.append(
                f"Neither pooled nor compared: {shallow} of {of}, not judged to depth {deepest} "
                "for every topic."
            )
    depths = depths_to(deepest)
    shared = {"contributors": contributors}
    scores = scores_by_depth(ranked, judged, depths, measures, max_grade=labels.max_grade, **shared)
    ways = [Pooling(DEPTH, depth=depth) for depth in depths]
    sizes = pools.pool_sizes(ranked, judged, ways, **shared)
    tables = {
        "scores": to_frame(join_depths([scores])),
        "facts": pools.pool_facts(sizes, len(contributors)),
    }
    return PoolDepths(with_warnings(tables | pool_answered(tables), notes))


@dataclass(frozen=True, eq=False, repr=False)
class LeftOut(Result):
    """What becomes of systems that stay out of the pool.

    Attributes
    ----------
    tables
        By name, as the stage ``leave_one_out`` of the workflow has them: ``systems`` (score and
        rank with and without each in the pool), ``left_out`` (documents that only it brought),
        ``summary`` (mean errors and changes of rank, by measure), ``numbers``, ``answer``.  All but
        the summary are attributes as well, the answer as one object.
    by
        ``run`` or ``group``.
    pooling
        How the pool is made.
    """

    by: str
    pooling: Pooling
    main_table = "systems"

    def plot(self) -> Figure:
        """Draw each system's rank in the pool and left out of it."""
        from regrade.pools.figures import figure_leave_one_out

        return figure_leave_one_out(self.systems)


def leave_one_out(
    qrels: object,
    runs: object,
    depth: int | None = None,
    *,
    by: str | None = None,
    groups: Mapping[str, str] | None = None,
    measures: Sequence[str] | str | None = None,
    max_grade: float | None = None,
    significance: float = 0.05,
) -> LeftOut:
    """Score every system as if it (or its group) had not been pooled.

    Parameters
    ----------
    qrels, runs
        Whatever `regrade.read_qrels` and `regrade.read_runs` take.
    depth
        Of the pool; by default as deep as half of the systems are judged for every topic, at most
        50.
    by
        ``run``, or ``group``: all systems of one group are left out together, the default where
        groups are known.
    groups
        Group by system; by default those that the runs were read with.
    measures
        That score the systems; by default those of `regrade.choices.TIED` that mean something on
        the labels' scale.
    max_grade
        As for `regrade.score`.
    significance
        Of the tests between scores with and without.

    Returns
    -------
    LeftOut

    Raises
    ------
    RegradeError
        If something cannot be read, groups are wanted and not known, or given and not wanted, or
        the judgments are too shallow and no depth is given.
    """
    if by is not None:
        check_choice("by", by, ("run", "group"))
    if by == "run" and groups:
        raise ParameterError("by='run' takes no groups: leave out `by`, or groups")
    labels, runs = read_qrels(qrels), read_runs(runs)
    measures = measures_for(measures, [labels], TIED)
    ranked, judged, overlap = match_runs(labels, runs, measures)
    groups = groups or runs.groups
    by = by or ("group" if groups else "run")
    frame = None
    if by == "group":
        if not groups:
            raise MethodError("by='group' needs groups={system: group}, and none are given")
        frame = pd.DataFrame({"system": list(groups), "group": list(groups.values())})
    if depth is None:
        audit = audit_judged(ranked, {"qrels": judged})
        depth = pools.judged_depth(pools.deeply_judged(audit), "give a depth")
    way = Pooling(DEPTH, depth=depth)
    left = leave_out_of_pool(ranked, judged, way, by, groups=frame, scores=ranked.scores)
    highest = labels.max_grade if max_grade is None else max_grade
    found = rescore(ranked, judged, left, list(measures), max_grade=highest)
    tables = {
        "systems": found.systems_frame(significance=significance),
        "left_out": found.left_out_frame(),
        "summary": found.summary_frame(significance=significance),
    }
    notes = notes_on(labels, overlap, measures)
    return LeftOut(with_warnings(tables | leave_out_answered(tables), notes), by, way)
