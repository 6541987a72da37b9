"""What a panel of judges is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace

from regrade.api.results import Result
from regrade.api.scores import match_runs, notes_on
from regrade.api.sets import as_input, measures_for, named_sets, read_qrels, read_runs
from regrade.errors import ParameterError
from regrade.estimation.question import Sample
from regrade.evaluations.judges_question import judges_beside, levels_of
from regrade.favours.families import families_of
from regrade.panels import stage
from regrade.readers.labels import ScaledSample
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types

MEASURES = tuple(stage.Panel.fields["measures"].default)


class Panel(Result):
    """What a panel of judges is worth.

    Attributes
    ----------
    tables
        By name, as the stage ``panel`` of the workflow has them: ``effective``, ``judges``,
        ``correlations``, ``kin``, ``sizes``, ``order``, ``contrasts``, ``numbers``, ``answer``.
        Each is an attribute as well, the answer as one object.

    `plot` draws correlations of the judges' errors, and agreement by the size of panels.
    """

    main_table = "effective"


@asks(stage.Panel)
@checks_types
def panel(
    reference: object,
    sets: Mapping[str, object] | object,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    controls: Mapping[str, object] | object = None,
    families: object = None,
    patterns: Mapping[str, object] | None = None,
    options: SimpleNamespace,
) -> Panel:
    """What is a panel of judges worth?

    Parameters
    ----------
    reference
        Human labels on 2 to 4 levels, whatever `regrade.read_qrels` takes; or of a random sample of
        the documents, as `regrade.read_sample` gives them.
    sets
        The judges: labels or judgments by name or in a list; or judgments whose workers are the
        judges.
    runs
        Whatever `regrade.read_runs` takes; ``None``, or a sample: labels only.
    measures
        Measures of the systems; by default nDCG@10.
    controls
        Labels of further people for the same documents, by name or in a list; of judgments each
        worker is a person.  The effective number is also estimated free of people's errors.
    families
        Families of systems, for errors of favours: a file with lines ``run family``, a mapping of
        families to names or patterns, or a frame with the columns ``system`` and ``family``.
    patterns
        Further families, by patterns in the names of runs: ``{"gpt": "*gpt*"}``.

    Returns
    -------
    Panel

    Raises
    ------
    RegradeError
        If something cannot be read, the human labels are not on levels, no document has labels of
        all, or an option cannot be used.

    Examples
    --------
    >>> human = {t: {"a": 2, "b": 1, "c": 0} for t in "123"}
    >>> one = {t: {"a": 2, "b": 0, "c": 0} for t in "123"}
    >>> other = {t: {"a": 2, "b": 1, "c": 1} for t in "123"}
    >>> effective = panel(human, {"one": one, "same": one, "other": other}).effective
    >>> effective.set_index("kind")["effective"].round(2).to_dict()
    {'grade': nan, 'document': 1.29, 'topic': nan}
    """
    sample = reference if isinstance(reference, Sample) else None
    notes = []
    if sample is None:
        labels = read_qrels(reference).on_levels()
    else:
        sample = sample.on_levels()
        labels = sample.labels
    levels_of(labels)
    options.measures = measures_for(measures, [labels], MEASURES)
    judges, judge_notes = judges_beside(sets, labels)
    notes += [*labels.notes, *judge_notes]
    further = [] if controls is None else [one.on_levels() for one in named_sets(controls).values()]
    notes += [note for one in further for note in one.notes]
    ranked = named = None
    if runs is not None:
        read = read_runs(runs)
        notes += notes_on(labels, match_runs(labels, read, options.measures)[2], options.measures)
        ranked = MemoryRuns(read.ranked)
    if families is not None or patterns:
        if runs is None or sample is not None:
            raise ParameterError(
                "families are of systems that human labels of all documents score: "
                + ("give runs (--runs)" if runs is None else "leave families out with a sample")
            )
        named = families_of(families, read.ranked.systems, patterns)
    inputs = {
        "reference": as_input(labels) if sample is None else None,
        "file": sample and ScaledSample(sample.table, labels.likely_scale),
        "sets": judges,
        "controls": [as_input(one) for one in further],
        "runs": ranked,
        "families": named,
    }
    return Panel(StageTables(stage.Panel, inputs, options, notes))
