"""Pools of runs, and leave-one-out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pandas as pd

from regrade.api.results import Result
from regrade.api.scores import coded, matched
from regrade.api.sets import Labels, Runs, measures_for, read_qrels, read_runs
from regrade.argument_checks import one_of, within
from regrade.audit.rankings import audit_judged
from regrade.choices import COMPARED, DEPTH, TIED
from regrade.errors import MethodError, ParameterError, check_choice
from regrade.pools import pooling as pools
from regrade.pools import stage
from regrade.pools.options import VOTE_SHARES, Pooling, depths_to
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types
from regrade.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


OF_ALL = "contributors='all' (--contributors all)"
"""What to give where too few documents are judged for pools of those that are judged deep."""


@dataclass(frozen=True, eq=False, repr=False)
class Pool:
    """The documents of a pool.

    Attributes
    ----------
    pooling
        The pooling method.
    documents
        ``topic``, ``place`` (in the order of the method), ``docno``, ``votes`` (number of systems
        that nominated it).
    runs, made
        The runs, and the pool as arrays.
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
        """Labels of the documents in the pool.

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


@checks_types
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
        Pool depth: number of documents of each ranking.
    method
        ``Depth``, or a fusion method with the first `size` documents of its ranking.
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
    way = Pooling(method, depth=depth, size=size, **options)
    runs = read_runs(runs)
    made = pools.make_pool(runs.ranked, way, contributors=contributors, scores=runs.ranked.scores)
    return Pool(way, made.to_frame(runs.ranked), runs, made)


def _check_contributors(name: str, contributors: Sequence[str] | str) -> None:
    """Refuse a text that is no rule; a list names systems."""
    if isinstance(contributors, str):
        check_choice(name, contributors, stage.Pools.contributors.choices)


class PoolDepths(Result):
    """The ranking under pools of each depth, compared with the deepest pool.

    Attributes
    ----------
    tables
        By name, as the stage ``pools`` of the workflow has them, made when first asked for:
        ``scores``, ``facts``, ``depths``, ``answer``; ``sizes``, ``votes``, ``deeply_judged``,
        ``collection``, ``movements`` and tables that depend on these.  Each is an attribute as
        well, the answer as one object.

    `plot` draws how many pairs of systems reverse or tie under shallower pools.
    """

    main_table = "depths"


@asks(stage.Pools)
@checks_types(baseline=within(least=2), contributors=_check_contributors)
def pool_depths(
    qrels: object,
    runs: object,
    baseline: int | None = None,
    *,
    measures: Sequence[str] | str | None = None,
    contributors: Sequence[str] | str = "deep",
    options: SimpleNamespace,
) -> PoolDepths:
    """How deep must the pool be?

    Parameters
    ----------
    qrels, runs
        Whatever `regrade.read_qrels` and `regrade.read_runs` take.
    baseline
        Depth of the deepest pool, the baseline; by default the largest of `depths`, otherwise the
        depth to which half of the systems are judged for every topic, at most 50.
    measures
        Measures of the systems; by default those of `regrade.choices.COMPARED` that are defined
        on the labels' scale.
    contributors
        The systems that make the pools and are compared: their names, ``all``, or those that are
        judged to the deepest depth for every topic (``deep``).

    Returns
    -------
    PoolDepths

    Raises
    ------
    RegradeError
        If something cannot be read, or the judgments are too shallow.
    """
    labels, read = read_qrels(qrels), read_runs(runs)
    options.measures = measures_for(measures, [labels], COMPARED)
    one, notes = coded(labels, read, options.measures)
    audit = audit_judged(one.ranked, {"qrels": one.judged})
    deepest = baseline or max(options.depths or [0])
    if not deepest:
        deepest = pools.judged_depth(
            pools.deeply_judged(audit), f"give the deepest depth, and {OF_ALL}"
        )
    if contributors == "deep":
        contributors = pools.deep_contributors(
            pools.deeply_judged(audit, deepest),
            f"{deepest} documents",
            f"give {OF_ALL}",
            "a smaller depth",
        )
        if shallow := len(one.ranked.systems) - len(contributors):
            of = counted(len(one.ranked.systems), "system")
            notes.append(
                f"{shallow} of {of} neither pooled nor compared: not judged to depth {deepest} for "
                "every topic."
            )
    options.baseline, options.contributors = deepest, contributors
    options.depths = options.depths or depths_to(deepest)
    options.votes = options.votes or depths_to(deepest, VOTE_SHARES)
    inputs = {"qrels": one, "runs": MemoryRuns(read.ranked)}
    return PoolDepths(StageTables(stage.Pools, inputs, options, notes, ancova=[]))


@dataclass(frozen=True, eq=False, repr=False)
class LeftOut(Result):
    """Scores and ranks of systems that are left out of the pool.

    Attributes
    ----------
    tables
        By name, as the stage ``leave_one_out`` of the workflow has them: ``systems`` (score and
        rank with and without each in the pool), ``left_out`` (its unique judged documents),
        ``summary`` (mean errors and changes of rank, by measure), ``numbers``, ``answer``.  All but
        the summary are attributes as well, the answer as one object.
    by
        ``run``, ``group`` or ``origins``.
    pooling
        Pooling method; ``None``: by the record of origins.

    `plot` draws each system's rank in the pool and left out of it.
    """

    by: str
    pooling: Pooling | None
    main_table = "systems"


@asks(stage.LeaveOneOut)
@checks_types(
    by=one_of(stage.LeaveOneOut.by.choices), depth=within(least=1), max_grade=within(above=0)
)
def leave_one_out(
    qrels: object,
    runs: object,
    depth: int | None = None,
    *,
    by: str | None = None,
    groups: Mapping[str, str] | None = None,
    origins: str | PathLike | None = None,
    measures: Sequence[str] | str | None = None,
    max_grade: float | None = None,
    threads: int = 1,
    options: SimpleNamespace,
) -> LeftOut:
    """Score every system as if it (or its group) had not been pooled.

    Parameters
    ----------
    qrels, runs
        Whatever `regrade.read_qrels` and `regrade.read_runs` take.
    depth
        Pool depth; by default by `pooling`, otherwise the depth to which half of the systems
        are judged for every topic, at most 50.
    by
        ``run``; ``group``: all systems of one group are left out together, the default if groups
        are known; ``origins``: groups, by the record of contributors of each document, the default
        if there is one.
    groups
        Group by system; by default the groups of the runs.
    origins
        The file of that record.
    measures
        Measures of the systems; by default those of `regrade.choices.TIED` that are defined on the
        labels' scale.
    max_grade
        As for `regrade.score`.

    Returns
    -------
    LeftOut

    Raises
    ------
    RegradeError
        If something cannot be read, groups are required and unknown or superfluous, or the
        judgments are too shallow and no depth is stated.
    """
    if by == "run" and groups:
        raise ParameterError("by='run' takes no groups: leave out `by`, or groups")
    if by == "origins" and origins is None:
        raise MethodError("by='origins' needs the file of the runs that contributed each document")
    if depth is not None and options.pooling is not None:
        raise ParameterError("depth and pooling both define the pool: give one")
    labels, read = read_qrels(qrels), read_runs(runs)
    options.measures = measures_for(measures, [labels], TIED)
    one, notes = coded(labels, read, options.measures)
    groups = groups or read.groups
    options.by = by or ("origins" if origins else "group" if groups else "run")
    if options.by != "run" and not groups:
        raise MethodError(
            f"by='{options.by}' needs groups={{system: group}}, but no groups are given"
        )
    if depth is None and options.pooling is None and options.by != "origins":
        audit = audit_judged(one.ranked, {"qrels": one.judged})
        depth = pools.judged_depth(pools.deeply_judged(audit), "give a depth")
    if depth is not None:
        options.pooling = str(Pooling(DEPTH, depth=depth))
    inputs = {
        "qrels": one if max_grade is None else one.with_high(max_grade),
        "runs": MemoryRuns(read.ranked),
        "groups": groups if options.by != "run" else None,
        "origins": origins,
        "deeply_judged": None,
    }
    tables = StageTables(stage.LeaveOneOut, inputs, options, notes, threads)
    way = Pooling.read(options.pooling) if options.pooling else None
    return LeftOut(tables, options.by, way)
