"""The command ``regrade ties``."""

from collections.abc import Mapping
from typing import Annotated

import regrade
from regrade.command import arguments, declare
from regrade.command.declare import Option, command
from regrade.errors import ParameterError


@command("ties", place=16)
def ties(
    *,
    runs: declare.Ranked,
    qrels: Annotated[
        str | None, Option(help="Labels, to compute the effect of ties on scores.")
    ] = None,
    measures: declare.Measures = None,
    options: Mapping,
    how: Mapping,
    printing: Mapping,
) -> None:
    """Does tie-breaking matter? Without labels: how many ties there are.

    Example: regrade ties runs/*.gz --qrels qrels.txt -m AP
    """
    from regrade.command.output import print_frame, print_json, print_result, without_answer
    from regrade.writers import write_frame

    if qrels is None and printing["table"] not in (None, "rates"):
        raise ParameterError(f"--table {printing['table']} is a table of scores: add --qrels")
    if qrels is None:
        without_answer(printing, "add --qrels")
    labels = arguments.labels_of(qrels, **how)
    result = regrade.ties(arguments.read_runs(runs, **how), labels, measures, **options)
    if qrels is not None:
        print_result(result, printing)
        return
    if printing["out"] is not None:
        write_frame(result.rates, printing["out"])
    if printing["json"]:
        print_json(result.tables)
    else:
        print_frame(result.rates, "ties")
