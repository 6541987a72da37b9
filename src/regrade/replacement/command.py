"""The command ``regrade replace``."""

from collections.abc import Mapping
from typing import Annotated

import regrade
from regrade.command import arguments, declare
from regrade.command.declare import QRELS, Argument, Option, command


@command("replace", place=10)
def replace(
    *,
    reference: Annotated[str, Argument(help=f"Human labels. {QRELS}")],
    judge: Annotated[str, Argument(help="The judge's labels, in the same formats; or judgments.")],
    runs: declare.RankedIfAny = None,
    measures: declare.Measures = None,
    control: Annotated[
        list[str] | None,
        Option(help="Labels of the same documents by further people: a=FILE or FILE; repeatable."),
    ] = None,
    judgments: Annotated[
        str | None, Option(help="Judgments of further people (a crowd), in place of --control.")
    ] = None,
    families: declare.FamilyFile = None,
    patterns: declare.FamilyPatterns = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Can this judge replace people?

    Example: regrade replace qrels.txt model.qrels --runs "runs/*.gz" --control second.qrels
    """
    labels = [arguments.labels_of(one, "set", **how) for one in (reference, judge)]
    controls = control and arguments.labelled_sets(control, how)
    crowd = arguments.labels_of(judgments, "judgments", **how)
    design = {"controls": controls, "judgments": crowd, "patterns": patterns}
    ranked = arguments.read_runs(runs, **how)
    return regrade.replace(
        *labels, ranked, measures, families=arguments.path(families), **design, **options
    )
