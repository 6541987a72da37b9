"""What magnitudes are worth as gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from regrade.answers.magnitudes import answered
from regrade.api.results import Result, check_threads, options_of, with_warnings
from regrade.api.scores import match_runs
from regrade.api.sets import Labels, measures_for, named_sets, read_judgments, read_qrels, read_runs
from regrade.errors import ParameterError
from regrade.magnitudes.steps import (
    MagnitudeOptions,
    gain_tables,
    judgments_by_topic,
    label_tables,
    unit_tables,
)
from regrade.measures import relevance_note
from regrade.significance.discrimination import SIGNIFICANCE

MEASURES = ("nDCG(base=2)@10", "ERR(max_rel='topic')@10")
"""Those of turpin2015, which need no highest gain."""

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class MagnitudeGains(Result):
    """Magnitudes beside labels, and as gains.

    Attributes
    ----------
    tables
        By name, as the stages ``magnitudes``, ``magnitudes_and_labels`` and, with runs,
        ``magnitudes_and_systems`` of the workflow have them, ``numbers`` and ``answer``.  Each is
        an attribute as well, the answer as one object.
    """

    main_table = "documents"

    def plot(self) -> Figure:
        """Draw the gains that magnitudes give to levels, beside the usual ones."""
        from regrade.show.judgment_figures import figure_magnitudes

        return figure_magnitudes(self.numbers)


def magnitude_gains(
    judgments: object,
    labels: object,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    known: object = None,
    columns: Mapping[str, str] | None = None,
    threads: int = 1,
    **how: object,
) -> MagnitudeGains:
    """What are magnitudes worth as gains?

    Parameters
    ----------
    judgments, columns
        Positive numbers of which the ratios within a unit count, as for `regrade.read_judgments`;
        with a unit (HIT) of each.
    labels
        Labels on levels of some of the documents, whatever `regrade.read_qrels` takes; or several
        sets of them, by name or in a list.
    runs
        Whatever `regrade.read_runs` takes; without them nothing is said of systems.
    measures
        Of systems; by default `MEASURES`.  Magnitudes have no highest grade: write ERR as
        ``ERR(max_rel='topic')@10``.
    known
        Labels of the documents that every unit holds, as for `labels`.
    threads
        At once; the result does not depend on it.
    **how
        Options of `regrade.magnitudes.steps.MagnitudeOptions`: normalise, shift, leave_out,
        extremes, aggregate, samples, resamples, seed.

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
    check_threads(threads)
    options = options_of(MagnitudeOptions, how, "magnitudes")
    held = read_judgments(judgments, columns=columns)
    sets = {name: one.on_levels() for name, one in named_sets(labels, read_qrels).items()}
    tables = unit_tables(
        held.table,
        options,
        None if known is None else read_qrels(known).table,
        next(iter(sets.values())).table,
    )
    levels = {name: _levels(one) for name, one in sets.items()}
    tables |= label_tables(tables, {n: one.table for n, one in sets.items()}, levels, options)
    notes = [note for one in (held, *sets.values()) for note in one.notes]
    if runs is not None:
        by_topic = judgments_by_topic(
            tables["normalised"], tables["units"], tables["width_quantiles"]
        )
        references = [ReferenceLabels(n, sets[n].table, max(levels[n])) for n in sets]
        named = measures_for(measures, [*sets.values()], MEASURES)
        notes.append(relevance_note(named, max(map(max, levels.values()))))
        of_all = {"aggregate": options.aggregate, "seed": options.seed}
        read = read_runs(runs)
        for one in sets.values():
            notes += match_runs(one, read, named)[2].notes()
        comparison = GainComparison(read.ranked, references, by_topic, named, **of_all)
        tables |= gain_tables(comparison, options, SIGNIFICANCE, threads)
    return MagnitudeGains(with_warnings(tables | answered(tables, options.shift), notes))


def _levels(labels: Labels) -> tuple[float, ...]:
    scale = labels.likely_scale
    if not scale.values:
        raise ParameterError(
            f"{labels.name} has grades that are no levels ({scale}): cut them first, or say what "
            "levels there are, scale="
        )
    return scale.values
