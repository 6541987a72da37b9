"""The command ``regrade favour``."""

from collections.abc import Mapping
from typing import Annotated

import regrade
from regrade.command import arguments, declare
from regrade.command.declare import QRELS, RUNS, Argument, Option, command


@command("favour", place=9)
def favour(
    *,
    reference: Annotated[str, Argument(help=f"Human labels. {QRELS}")],
    sets: declare.JudgeSets,
    runs: Annotated[list[str], Option(help=RUNS)],
    families: declare.FamilyFile = None,
    patterns: declare.FamilyPatterns = None,
    control: Annotated[
        list[str] | None,
        Option(help="Labels of the same documents by further people: a=FILE or FILE; repeatable."),
    ] = None,
    own: declare.OwnFamilies = None,
    measures: declare.Measures = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Does a judge favour some systems beyond what a second person does?

    Example: regrade favour qrels.txt gpt=gpt.qrels --runs runs --families families.txt --control
    second.qrels --own gpt=gpt
    """
    labels, judges, ranked = arguments.judges_of(reference, sets, runs, how)
    controls = control and arguments.labelled_sets(control, how)
    design = {"controls": controls, "patterns": patterns, "own": own or {}}
    return regrade.favour(
        labels, judges, ranked, arguments.path(families), measures, **design, **options
    )
