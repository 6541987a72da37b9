"""The command ``regrade unjudged``."""

from collections.abc import Mapping

import regrade
from regrade.command import arguments, declare
from regrade.command.declare import command


@command("ranges", residual=None, place=17)
def unjudged(
    *,
    qrels: declare.Qrels,
    runs: declare.Ranked,
    measures: declare.Measures = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """What could unjudged documents change?

    Example: regrade unjudged qrels.txt runs/*.gz -m nDCG@10 --table ranks
    """
    labels = arguments.labels_of(qrels, **how)
    return regrade.unjudged(labels, arguments.read_runs(runs, **how), measures, **options)
