"""The command ``regrade magnitudes``."""

from collections.abc import Mapping
from typing import Annotated

import regrade
from regrade.command import arguments, declare
from regrade.command.declare import QRELS, RUNS, Argument, Option, command
from regrade.resources import cores


@command("magnitudes", reads="columns where missing tie_break not_self", place=25)
def magnitudes(
    *,
    judgments: Annotated[
        str, Argument(help="Magnitude judgments, with columns for workers and units (HITs).")
    ],
    qrels: Annotated[list[str], Argument(help=f"Reference labels on levels. {QRELS}")],
    runs: Annotated[list[str] | None, Option("--runs", help=RUNS)] = None,
    measures: declare.Measures = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """What gains do magnitudes give to levels, and do they change the ranking?

    Example: regrade magnitudes magnitudes.tsv qrels.txt --runs runs --table gain_profiles
    """
    held = arguments.labels_of(judgments, "judgments", **how)
    labels = [arguments.reference_of(one, how) for one in qrels]
    ranked = arguments.read_runs(runs, **how)
    return regrade.magnitude_gains(held, labels, ranked, measures, threads=cores(), **options)
