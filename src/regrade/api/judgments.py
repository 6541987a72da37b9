"""Workers' judgments: reliability of workers, and magnitudes as gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace

from regrade.api.results import Result
from regrade.api.scores import match_runs
from regrade.api.sets import (
    Labels,
    as_input,
    measures_for,
    named_sets,
    read_judgments,
    read_qrels,
    read_runs,
)
from regrade.audit import stage as workers_stage
from regrade.audit.overlap import check_documents_shared
from regrade.errors import ParameterError
from regrade.magnitudes import stage as magnitudes_stage
from regrade.measures import relevance_note
from regrade.stages.library import MemoryRuns, StageTables, asks

MEASURES = ("nDCG(base=2)@10", "ERR(max_rel='topic')@10")
"""Those of turpin2015, which need no highest gain."""


class Workers(Result):
    """Agreement of each worker with the others and with labels.

    Attributes
    ----------
    tables
        By name, as the stage ``workers`` of the workflow has them: ``workers``, ``facts``,
        ``answer``.  Each is an attribute as well, the answer as one object.

    `plot` draws each worker's agreement with the others.
    """

    main_table = "workers"


@asks(workers_stage.Workers)
def workers(
    judgments: object,
    reference: object = None,
    *,
    columns: Mapping[str, str] | None = None,
    options: SimpleNamespace,
) -> Workers:
    """Which workers are unreliable?

    Parameters
    ----------
    judgments, columns
        As for `regrade.read_judgments`.
    reference
        Labels of some of the documents, such as those of test questions, whatever
        `regrade.read_qrels` takes.

    Returns
    -------
    Workers

    Raises
    ------
    RegradeError
        If something cannot be read, no worker is named, or no worker judged a document of the
        reference.

    Examples
    --------
    >>> rows = {"topic": ["1"] * 4, "docno": ["a", "b"] * 2, "worker": ["x", "x", "y", "y"],
    ...         "value": [1, 0, 1, 0]}
    >>> workers(rows).workers["tau"].tolist()
    [1.0, 1.0]
    """
    held = read_judgments(judgments, columns=columns)
    labels = [] if reference is None else [read_qrels(reference).on_levels()]
    for one in labels:
        check_documents_shared(one.table, held.table, (one.name, held.name))
    inputs = {"judgments": as_input(held), "reference": [as_input(one) for one in labels]}
    notes = [note for one in (held, *labels) for note in one.notes]
    return Workers(StageTables(workers_stage.Workers, inputs, options, notes))


class MagnitudeGains(Result):
    """Magnitudes compared with labels, and as gains.

    Attributes
    ----------
    tables
        By name, as the stages ``magnitudes``, ``magnitudes_and_labels`` and, with runs,
        ``magnitudes_and_systems`` of the workflow have them, ``numbers`` and ``answer``.  Each is
        an attribute as well, the answer as one object.

    `plot` draws the gains that magnitudes give to levels, with linear and exponential gains.
    """

    main_table = "documents"


@asks(magnitudes_stage.Magnitudes)
def magnitude_gains(
    judgments: object,
    labels: object,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    known: object = None,
    columns: Mapping[str, str] | None = None,
    threads: int = 1,
    options: SimpleNamespace,
) -> MagnitudeGains:
    """What gains do magnitudes give to levels, and do they change the ranking?

    Parameters
    ----------
    judgments, columns
        Positive numbers with meaningful ratios within a unit (HIT), as for
        `regrade.read_judgments`.
    labels
        Labels on levels of some of the documents, whatever `regrade.read_qrels` takes; or several
        sets of them, by name or in a list.
    runs
        Whatever `regrade.read_runs` takes; ``None``: no systems.
    measures
        Measures of systems; by default `MEASURES`.  Magnitudes have no highest grade: write ERR as
        ``ERR(max_rel='topic')@10``.
    known
        Labels of the known documents of every unit, as for `labels`.

    Returns
    -------
    MagnitudeGains

    Raises
    ------
    RegradeError
        If something cannot be read, values are not positive (give a ``shift``), labels are on no
        levels, or an option cannot be used.

    References
    ----------
    turpin2015 §§3–5.
    """
    held = read_judgments(judgments, columns=columns)
    named = {name: one.on_levels() for name, one in named_sets(labels, read_qrels).items()}
    sets = [*named.values()]
    levels = [_levels(one) for one in sets]
    notes = [note for one in (held, *sets) for note in one.notes]
    ranked = None
    options.measures = measures_for(measures, sets, MEASURES)
    if runs is not None:
        read = read_runs(runs)
        ranked = MemoryRuns(read.ranked)
        notes.append(relevance_note(options.measures, max(map(max, levels))))
        for one in sets:
            notes += match_runs(one, read, options.measures)[2].notes()
    references = [
        replace(as_input(one), name=name, stated=one.likely_scale) for name, one in named.items()
    ]
    inputs = {
        "set": as_input(held),
        "references": references,
        "known": None if known is None else as_input(read_qrels(known)),
        "runs": ranked,
    }
    return MagnitudeGains(StageTables(magnitudes_stage.Magnitudes, inputs, options, notes, threads))


def _levels(labels: Labels) -> tuple[float, ...]:
    scale = labels.likely_scale
    if not scale.values:
        raise ParameterError(
            f"{labels.name} has grades that are not levels ({scale}): cut the labels "
            "first, or give the levels, scale="
        )
    return scale.values
