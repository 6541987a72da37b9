"""Magnitudes beside labels, and as gains."""

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
from regrade.errors import ParameterError
from regrade.magnitudes import stage
from regrade.measures import relevance_note
from regrade.stages.library import MemoryRuns, StageTables, asks

MEASURES = ("nDCG(base=2)@10", "ERR(max_rel='topic')@10")
"""Those of turpin2015, which need no highest gain."""


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


@asks(stage.Magnitudes)
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
    return MagnitudeGains(StageTables(stage.Magnitudes, inputs, options, notes, threads))


def _levels(labels: Labels) -> tuple[float, ...]:
    scale = labels.likely_scale
    if not scale.values:
        raise ParameterError(
            f"{labels.name} has grades that are not levels ({scale}): cut the labels "
            "first, or give the levels, scale="
        )
    return scale.values
