"""Favour of judges for families of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace

from regrade.api.results import Result
from regrade.api.scores import match_runs, notes_on
from regrade.api.sets import as_input, measures_for, named_sets, read_qrels, read_runs
from regrade.evaluations.judges_question import judges_beside
from regrade.favours import stage
from regrade.favours.families import families_of
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types

MEASURES = tuple(stage.Favour.fields["measures"].default)


class Favour(Result):
    """Favour of judges for families of systems.

    Attributes
    ----------
    tables
        By name, as the stage ``favour`` of the workflow has them: ``effects``, ``own``, ``judges``,
        ``families``, ``topic_effects``, ``changes``, ``systems``, ``variance``, ``numbers``,
        ``answer``.  Each is an attribute as well, the answer as one object.

    `plot` draws each judge's favour for each family, with simultaneous intervals.
    """

    main_table = "effects"


@asks(stage.Favour)
@checks_types
def favour(
    reference: object,
    sets: Mapping[str, object] | object,
    runs: object,
    families: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    controls: Mapping[str, object] | object = None,
    patterns: Mapping[str, object] | None = None,
    options: SimpleNamespace,
) -> Favour:
    """Does a judge favour some systems?

    Parameters
    ----------
    reference
        Human labels, whatever `regrade.read_qrels` takes.
    sets
        The judges: labels or judgments by name or in a list; or judgments whose workers are the
        judges, or the labels of one.  Values on a finer scale than the reference's count as gains.
    runs
        Whatever `regrade.read_runs` takes.
    families
        Families of systems: a file with lines ``run family``, a mapping of families to names or
        patterns, or a frame with the columns ``system`` and ``family``.
    measures
        Measures of the systems; by default nDCG@10.  A measure with a relevance threshold is
        computed for judges on the reference's scale.
    controls
        Labels of further people for the same documents, by name or in a list; of judgments each
        worker is a person.
    patterns
        Further families, by patterns in the names of runs: ``{"gpt": "*gpt*"}``.

    Returns
    -------
    Favour

    Raises
    ------
    RegradeError
        If something cannot be read, no family has some of the systems and not all, label sets share
        no document, or an option cannot be used.

    Examples
    --------
    >>> nist = {t: {"a": 1, "b": 0, "c": 1} for t in "123"}
    >>> judge = {t: {"a": 0, "b": 1, "c": 1} for t in "123"}
    >>> one, two = {"a": 2, "b": 1}, {"b": 2, "a": 1}
    >>> runs = {"one": {t: one for t in "123"}, "two": {t: two for t in "123"}}
    >>> effects = favour(nist, {"gpt": judge}, runs, {"mine": ["two"]}).effects
    >>> effects.loc[effects["peers"] == "all", "favour"].round(3).tolist()
    [0.453]
    """
    labels = read_qrels(reference).on_levels()
    options.measures = measures_for(measures, [labels], MEASURES)
    judges, judge_notes = judges_beside(sets, labels)
    people = [] if controls is None else [one.on_levels() for one in named_sets(controls).values()]
    read = read_runs(runs)
    notes = [*labels.notes, *judge_notes, *(note for one in people for note in one.notes)]
    notes += notes_on(labels, match_runs(labels, read, options.measures)[2], options.measures)
    inputs = {
        "reference": as_input(labels),
        "sets": judges,
        "controls": [as_input(one) for one in people],
        "runs": MemoryRuns(read.ranked),
        "families": families_of(families, read.ranked.systems, patterns),
    }
    return Favour(StageTables(stage.Favour, inputs, options, notes))
