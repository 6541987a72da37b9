"""What a judge's values say of grades, and whether a cut of them is enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from regrade.answers.calibration import answered
from regrade.api.judges import judges_of, levels_of
from regrade.api.results import Result, minding, options_of
from regrade.api.scores import met, notes_on
from regrade.api.sets import measures_for, read_qrels, read_runs
from regrade.calibration.tables import MEASURES, CalibrationOptions, calibration_tables
from regrade.evaluations.judges import Reference

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Calibration(Result):
    """Probabilities of grades from judges' values, beside labels under the best cut.

    Attributes
    ----------
    tables
        By name, as the stage ``calibration`` of the workflow has them: ``methods``, ``rankings``,
        ``maps``, ``curves``, ``sets``, ``answer``.  Each is an attribute as well, the answer as
        one object.
    """

    main_table = "methods"

    def plot(self) -> Figure:
        """Draw what each value says of the grade."""
        from regrade.show.judgment_figures import figure_calibration

        return figure_calibration(self.maps)


def calibrate(
    reference: object,
    sets: Mapping[str, object] | object,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    **how: object,
) -> Calibration:
    """Is a cut of the values enough, and what do they say of grades?

    Parameters
    ----------
    reference
        Labels by people on 2 to 4 levels, whatever `regrade.read_qrels` takes.
    sets
        The judges: labels or judgments by name or in a list; or judgments whose workers are the
        judges, or the labels of one.
    runs
        Whatever `regrade.read_runs` takes; ``None``: labels only.
    measures
        Of the systems; by default nDCG@10.  Those that ask which grades are relevant take labels
        only.
    **how
        Options of `regrade.calibration.tables.HowCalibrated`: metric, folds, resamples, seed.

    Returns
    -------
    Calibration

    Raises
    ------
    RegradeError
        If something cannot be read, the reference is not on levels, nothing is shared, or an
        option cannot be used.
    """
    options = options_of(CalibrationOptions, how, "calibration")
    labels = read_qrels(reference).on_levels()
    levels = levels_of(labels)
    named = measures_for(measures, [labels], MEASURES)
    held, notes = judges_of(sets, labels)
    ranked = None
    if runs is not None:
        read = read_runs(runs)
        ranked = read.ranked
        notes = [*notes_on(labels, met(labels, read, named)[2], named), *notes]
    else:
        notes = [*labels.notes, *notes]
    tables = calibration_tables(
        Reference(labels.name, labels.table, levels), held, ranked, named, options
    )
    tables |= answered(tables, labels.name, levels)
    return Calibration(minding(tables, notes))
