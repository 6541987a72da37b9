"""The command ``regrade topics``."""

from collections.abc import Mapping
from typing import Annotated

import regrade
from regrade.command import arguments, declare
from regrade.command.declare import Option, command


@command("topic_analysis", place=6)
def topics(
    *,
    qrels: declare.QrelsOrScores,
    runs: declare.RankedOrScores = None,
    measures: declare.Measures = None,
    lower: declare.Lower = None,
    second: Annotated[str | None, Option(help="Other labels of the same topics.")] = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Which topics matter: which are hard, which decide between two runs, on which labels disagree?

    Example: regrade topics qrels.txt runs --second model.qrels -m nDCG@10

    With scores by item in place of labels and runs: regrade topics scores.csv
    """
    if arguments.are_scores(qrels):
        scores = arguments.scores_from([qrels, *(runs or ())], lower, how)
        further = {"second": second, "missing": how["missing"]}
        return regrade.topics(scores, None, measures, **further, **options)
    labels = arguments.labels_with_runs(qrels, runs, lower, how)
    other = arguments.reference_of(second, how)
    ranked = arguments.read_runs(runs, **how)
    return regrade.topics(labels, ranked, measures, second=other, **options)
