"""The command ``regrade calibrate``."""

from collections.abc import Mapping
from typing import Annotated

import regrade
from regrade.command import arguments, declare
from regrade.command.declare import QRELS, Argument, command
from regrade.resources import cores


@command("calibration", place=12)
def calibrate(
    *,
    reference: Annotated[str, Argument(help=f"Human labels. {QRELS}")],
    sets: declare.JudgeSets,
    runs: declare.RankedIfAny = None,
    measures: declare.Measures = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Are thresholded grades enough, or are calibrated probabilities better?

    Example: regrade calibrate qrels.txt gpt=gpt.csv --runs runs --table sets
    """
    held = arguments.judges_of(reference, sets, runs, how)
    return regrade.calibrate(*held, measures, threads=cores(), **options)
