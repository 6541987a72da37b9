"""Probabilities of grades from judges' values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace

from regrade.api.results import Result
from regrade.calibration import stage
from regrade.calibration.judge_calibration import MEASURES
from regrade.evaluations.judges_question import judge_tables
from regrade.stages.library import asks


class Calibration(Result):
    """Probabilities of grades from judges' scores, compared with labels under the best cut.

    Attributes
    ----------
    tables
        By name, as the stage ``calibration`` of the workflow has them: ``methods``, ``rankings``,
        ``maps``, ``curves``, ``sets``, ``answer``.  Each is an attribute as well, the answer as
        one object.

    `plot` draws the probability of each grade by value.
    """

    main_table = "methods"


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
    """Are thresholded grades enough, or are calibrated probabilities better?

    Parameters
    ----------
    reference
        Human labels on 2 to 4 levels, whatever `regrade.read_qrels` takes.
    sets
        The judges: labels or judgments by name or in a list; or judgments whose workers are the
        judges, or the labels of one.
    runs
        Whatever `regrade.read_runs` takes; ``None``: labels only.
    measures
        Measures of the systems; by default nDCG@10.  Measures with a relevance threshold are
        computed for labels only.

    Returns
    -------
    Calibration

    Raises
    ------
    RegradeError
        If something cannot be read, the reference is not on levels, nothing is shared, or an
        option cannot be used.
    """
    return Calibration(
        judge_tables(stage.Calibration, reference, sets, runs, measures, MEASURES, options, threads)
    )
