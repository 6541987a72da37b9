"""What a judge's values say of grades, and whether a cut of them is enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from regrade.api.judges import judges_of, levels_of
from regrade.api.results import Result
from regrade.api.scores import match_runs, notes_on
from regrade.api.sets import as_input, measures_for, read_qrels, read_runs
from regrade.calibration import stage
from regrade.calibration.judge_calibration import MEASURES
from regrade.stages.library import MemoryRuns, StageTables, asks

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
        from regrade.calibration.figures import figure_calibration

        return figure_calibration(self.maps)


@asks(stage.Calibration)
def calibrate(
    reference: object,
    sets: Mapping[str, object] | object,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    threads: int = 1,
    options: SimpleNamespace,
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
    threads
        At once; the result does not depend on it.

    Returns
    -------
    Calibration

    Raises
    ------
    RegradeError
        If something cannot be read, the reference is not on levels, nothing is shared, or an
        option cannot be used.
    """
    labels = read_qrels(reference).on_levels()
    levels_of(labels)
    options.measures = measures_for(measures, [labels], MEASURES)
    judges, notes = judges_of(sets, labels)
    ranked = None
    if runs is not None:
        read = read_runs(runs)
        ranked = MemoryRuns(read.ranked)
        overlap = match_runs(labels, read, options.measures)[2]
        notes = [*notes_on(labels, overlap, options.measures), *notes]
    else:
        notes = [*labels.notes, *notes]
    inputs = {"reference": as_input(labels), "sets": judges, "runs": ranked}
    return Calibration(StageTables(stage.Calibration, inputs, options, notes, threads))
