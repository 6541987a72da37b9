"""The command ``regrade meta-analysis``."""

from collections.abc import Mapping
from typing import Annotated

import regrade
from regrade.command import arguments
from regrade.command.declare import Argument, command
from regrade.resources import cores


@command("meta_analysis", place=14)
def meta_analysis(
    *,
    collections: Annotated[
        list[str],
        Argument(
            help="Results of each collection: dl19=FILE …, the table that holds the effect; or a "
            "folder of tables."
        ),
    ],
    options: Mapping,
) -> object:
    """Does an effect hold over several collections?

    Example: regrade meta-analysis dl19=dl19.csv dl21=dl21.csv

    Each file is a table of a collection's results: regrade judges qrels.txt gpt=gpt.qrels --runs
    runs --table samples --out dl19.csv
    """
    of_each = arguments.sets_of(collections, option="collections")
    return regrade.meta_analysis(of_each, threads=cores(), **options)
