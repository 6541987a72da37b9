"""Workers beside one another, and beside labels."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

from regrade.api.results import Result
from regrade.api.sets import as_input, read_judgments, read_qrels
from regrade.audit import stage
from regrade.audit.overlap import check_documents_shared
from regrade.stages.library import StageTables, asks


class Workers(Result):
    """Agreement of each worker with the others and with labels.

    Attributes
    ----------
    tables
        By name, as the stage ``workers`` of the workflow has them: ``workers``, ``facts``,
        ``answer``.  Each is an attribute as well, the answer as one object.

    `plot` draws each worker's agreement with the others.
    """

    main_table = "workers"


@asks(stage.Workers)
def workers(
    judgments: object,
    reference: object = None,
    *,
    columns: Mapping[str, str] | None = None,
    options: SimpleNamespace,
) -> Workers:
    """Which workers are unreliable?

    Parameters
    ----------
    judgments, columns
        As for `regrade.read_judgments`.
    reference
        Labels of some of the documents, such as those of test questions, whatever
        `regrade.read_qrels` takes.

    Returns
    -------
    Workers

    Raises
    ------
    RegradeError
        If something cannot be read, no worker is named, or no worker judged a document of the
        reference.

    Examples
    --------
    >>> rows = {"topic": ["1"] * 4, "docno": ["a", "b"] * 2, "worker": ["x", "x", "y", "y"],
    ...         "value": [1, 0, 1, 0]}
    >>> workers(rows).workers["tau"].tolist()
    [1.0, 1.0]
    """
    held = read_judgments(judgments, columns=columns)
    labels = [] if reference is None else [read_qrels(reference).on_levels()]
    for one in labels:
        check_documents_shared(one.table, held.table, (one.name, held.name))
    inputs = {"judgments": as_input(held), "reference": [as_input(one) for one in labels]}
    notes = [note for one in (held, *labels) for note in one.notes]
    return Workers(StageTables(stage.Workers, inputs, options, notes))
