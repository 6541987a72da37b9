"""The command ``regrade workers``."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated

import regrade
from regrade.command import arguments
from regrade.command.declare import QRELS, Argument, Option, command


@command("workers", reads="scale columns where missing off_scale", place=24)
def workers(
    *,
    judgments: Annotated[str, Argument(help="Judgments, with a worker column.")],
    reference: Annotated[
        str | None, Option("--reference", "-r", help=f"Labels of the test questions. {QRELS}")
    ] = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Which workers are unreliable?

    Example: regrade workers judgments.tsv --reference gold.qrels --table workers
    """
    labels = arguments.reference_of(reference, how)
    held = arguments.read_beside(
        labels, how, partial(arguments.labels_of, judgments, "judgments", one_scale=True)
    )
    return regrade.workers(held, labels, **options)
