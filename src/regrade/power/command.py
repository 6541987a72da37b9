"""The command ``regrade pdp``."""

from collections.abc import Mapping
from typing import Annotated

import regrade
from regrade.command import arguments, declare
from regrade.command.declare import QRELS, Argument, Option, command
from regrade.errors import ParameterError


@command("power", reads="missing", place=23)
def pdp(
    *,
    qrels: Annotated[list[str], Argument(help=f"Label sets to compare. {QRELS}")],
    preferences: Annotated[
        str, Option("--preferences", "-p", help="Human preferences between documents.")
    ],
    runs: declare.RankedIfAny = None,
    measures: declare.Measures = None,
    format: Annotated[
        str | None, Option(help="Format of the preferences: pair-winner or winner-loser.")
    ] = None,
    per_topic: declare.EachTopic = False,
    options: Mapping,
    how: Mapping,
    printing: Mapping,
) -> None:
    """How well do labels discriminate what people prefer? (Pairwise discriminative power.)

    Example: regrade pdp qrels.txt model.qrels -p preferences.tsv --format pair-winner
    """
    from regrade.command.output import print_result

    if per_topic and printing["table"] is not None:
        raise ParameterError("--per-topic is the same as --table topics: give one")
    sets = [arguments.labels_of(one, "set", **how) for one in qrels]
    ranked = arguments.read_runs(runs)
    result = regrade.pdp(
        sets, arguments.path(preferences), ranked, measures, format=format, **options
    )
    printing = {**printing, "table": printing["table"] or ("topics" if per_topic else None)}
    print_result(result, printing)
