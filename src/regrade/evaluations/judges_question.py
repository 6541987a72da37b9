"""Several judges beside a reference."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from types import SimpleNamespace

import pyarrow.compute as pc

from regrade.answers.words import named
from regrade.api.designs import are_scores, check_of_labels, judge_designs, refuse_labels
from regrade.api.results import Result
from regrade.api.scores import match_runs, notes_on
from regrade.api.sets import (
    Judgments,
    Labels,
    are_sets,
    as_input,
    documents_of,
    measures_for,
    name_for,
    named_sets,
    read_qrels,
    read_runs,
    read_set,
)
from regrade.argument_checks import one_of
from regrade.choices import COMPARED, LEAVING
from regrade.errors import ParameterError
from regrade.evaluations import stage
from regrade.label_sets import LabelSet
from regrade.scales import MAX_LEVELS
from regrade.stages.declare import Stage
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types

log = logging.getLogger("regrade.api")


class Judges(Result):
    """Agreement of several judges with a reference, in labels and system rankings.

    Attributes
    ----------
    tables
        By name, as the stage ``judges`` of the workflow has them: ``ranked``, ``sets``, ``cuts``,
        ``agreement``, ``confusion``, ``numbers``, ``answer``; with runs ``rankings``,
        ``differences``, ``variance``, ``pairs``, ``changes``.  Each is an attribute as well, the
        answer as one object.

    `plot` draws each judge's agreement with the reference.
    """

    main_table = "ranked"


@asks(stage.Judges)
@checks_types(missing=one_of(LEAVING))
def judges(
    reference: object,
    sets: Mapping[str, object] | object,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    missing: str = "refuse",
    lower: Sequence[str] = (),
    threads: int = 1,
    options: SimpleNamespace,
) -> Judges:
    """Which judge agrees best with the reference, and what would each judge change?

    Parameters
    ----------
    reference
        Labels on 2 to 4 levels, whatever `regrade.read_qrels` takes; or scores by item, whatever
        `regrade.read_scores` takes, or the name of a judge in `sets`.
    sets
        The judges: labels or judgments by name or in a list; or judgments whose workers are the
        judges, or the labels of one.  Of scores: sets by name or in a list, or one set by several
        judges.
    runs
        Whatever `regrade.read_runs` takes; ``None``: labels only, or scores.
    measures
        Measures of the systems; by default those of `regrade.choices.COMPARED` that are defined on
        the reference's scale, and of scores by item all of these.

    Returns
    -------
    Judges

    Raises
    ------
    RegradeError
        If something cannot be read, the reference is not on levels, or an option cannot be used.

    Examples
    --------
    >>> nist = {"1": {"a": 1, "b": 0, "c": 1, "d": 0}, "2": {"a": 0, "b": 1}}
    >>> odd = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"a": 0, "b": 1}}
    >>> judges(nist, {"same": nist, "odd": odd}).ranked["judge"].tolist()
    ['same', 'odd']
    """
    if are_scores(reference) or are_scores(sets):
        refuse_labels(runs=runs)
        inputs = {"scores": judge_designs(reference, sets, measures, missing=missing, lower=lower)}
        return Judges(StageTables(stage.Judges, inputs, options, threads=threads))
    check_of_labels(measures, lower=lower)
    tables = judge_tables(stage.Judges, reference, sets, runs, measures, COMPARED, options, threads)
    return Judges(tables)


def judge_tables(
    stage: type[Stage],
    reference: object,
    sets: Mapping[str, object] | object,
    runs: object,
    measures: Sequence[str] | str | None,
    usual: Sequence[str],
    options: SimpleNamespace,
    threads: int,
) -> StageTables:
    """The tables of a stage about judges beside a reference; by default of the usual measures."""
    labels = read_qrels(reference).on_levels()
    levels_of(labels)
    options.measures = measures_for(measures, [labels], usual)
    held, judge_notes = judges_beside(sets, labels)
    notes, ranked = [*labels.notes], None
    if runs is not None:
        read = read_runs(runs)
        notes += notes_on(labels, match_runs(labels, read, options.measures)[2], options.measures)
        ranked, options.score_precision = MemoryRuns(read.ranked), read.score_precision
    inputs = {"reference": as_input(labels), "sets": held, "runs": ranked}
    return StageTables(stage, inputs, options, [*notes, *judge_notes], threads)


def levels_of(labels: Labels) -> int:
    """Number of levels of a reference, from two to four."""
    labels.check_reference()
    scale = labels.likely_scale
    levels = scale.levels or 0
    if not 2 <= levels <= MAX_LEVELS or not scale.is_levels(levels):
        raise ParameterError(
            f"{labels.name} holds {scale}: a reference has levels 0 to 1, 2 or 3: "
            "cut finer values first"
        )
    return levels


def judges_beside(
    sets: Mapping[str, object] | object, labels: Labels
) -> tuple[list[LabelSet], list[str]]:
    """Each set as a judge; of judgments alone each worker who judged a document of the labels.

    One set of labels is one judge.  And what an answer must say of how they were read.
    """
    if are_sets(sets):
        read = {name: one.on_levels() for name, one in named_sets(sets).items()}
        notes = [note for one in read.values() for note in one.notes]
        return [LabelSet(name, one.table, one.likely_scale) for name, one in read.items()], notes
    judged = read_set(sets, name=name_for(sets, "judge")).on_levels()
    scale = judged.likely_scale
    if not isinstance(judged, Judgments):
        return [LabelSet(judged.name, judged.table, scale)], judged.notes
    judges = [
        LabelSet(name, judged.table.filter(pc.equal(judged.table["worker"], name)), scale)
        for name in judged.workers
    ]
    if judged.stated_scale is None and judged.scale.high > 1:
        # theirs may be another scale than that of those who have more
        values = {one.name: one.table["value"].unique().to_pylist() for one in judges}
        if binary := [name for name, own in values.items() if set(own) <= {0, 1}]:
            log.warning(
                "%s: values by %s are 0 and 1 only, and are assumed to be on the scale of "
                "all values, %s: give binary judges as separate files",
                judged.name,
                named(binary, "judge"),
                judged.scale,
            )
    labelled = documents_of(labels.table)
    sharing = [judge for judge in judges if labelled & documents_of(judge.table)]
    if sharing and len(sharing) < len(judges):
        left = len(judges) - len(sharing)
        problem = f"{left} of {len(judges)} workers share no document with {labels.name}"
        log.warning("%s: left out", problem)
    return sharing or judges, judged.notes  # where nobody shares any, what compares says so
