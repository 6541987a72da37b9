"""The command ``regrade rank``."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated

import regrade
from regrade.command import arguments, declare
from regrade.command.declare import Option, Reads, command
from regrade.resources import cores


@command("ranking", place=3)
def rank(
    *,
    qrels: declare.QrelsOrScores,
    runs: declare.RankedOrScores = None,
    measures: declare.Measures = None,
    lower: declare.Lower = None,
    judges: Annotated[
        list[str] | None,
        Option(help="Labels by a further judge: gpt=FILE; may be repeated."),
        Reads(partial(arguments.sets_of, option="judges")),
    ] = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Which system is best, and how sure is that?

    Example: regrade rank qrels.txt runs/*.gz -m nDCG@10 --table systems

    With scores by item in place of labels and runs: regrade rank scores.csv
    """
    if arguments.are_scores(qrels):
        scores = arguments.scores_from([qrels, *(runs or ())], lower, how)
        design = {"judges": judges or None, "missing": how["missing"], "threads": cores()}
        return regrade.rank(scores, None, measures, **design, **options)
    labels = arguments.labels_with_runs(qrels, runs, lower, how)
    own = {**how, "scale": None, "columns": None}
    further = {name: arguments.labels_of(file, **own) for name, file in (judges or {}).items()}
    ranked = arguments.read_runs(runs, **how)
    return regrade.rank(labels, ranked, measures, judges=further, threads=cores(), **options)
