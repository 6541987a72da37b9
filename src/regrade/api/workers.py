"""Whether workers are any good."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from regrade.answers.workers import answered
from regrade.api.results import Result, with_warnings
from regrade.api.sets import read_judgments, read_qrels
from regrade.audit.crowd import fact_table, worker_table
from regrade.audit.overlap import check_documents_shared

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Workers(Result):
    """How each worker agrees with the others, and with labels.

    Attributes
    ----------
    tables
        By name, as the stage ``workers`` of the workflow has them: ``workers``, ``facts``,
        ``answer``.  Each is an attribute as well, the answer as one object.
    """

    main_table = "workers"

    def plot(self) -> Figure:
        """Draw how each worker agrees with the others."""
        from regrade.show.judgment_figures import figure_workers

        return figure_workers(self.workers)


def workers(
    judgments: object, reference: object = None, *, columns: Mapping[str, str] | None = None
) -> Workers:
    """Are the workers any good, and whom to drop?

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
        If something cannot be read, nobody says who judged, or nobody judged a document of the
        reference.

    Examples
    --------
    >>> rows = {"topic": ["1"] * 4, "docno": ["a", "b"] * 2, "worker": ["x", "x", "y", "y"],
    ...         "value": [1, 0, 1, 0]}
    >>> workers(rows).workers["tau"].tolist()
    [1.0, 1.0]
    """
    held = read_judgments(judgments, columns=columns)
    labels = None if reference is None else read_qrels(reference).on_levels()
    if labels is not None:
        check_documents_shared(labels.table, held.table, (labels.name, held.name))
    found = worker_table(held.table, None if labels is None else labels.table)
    tables = {"workers": found, "facts": fact_table(held.table, found)}
    tables |= answered(tables, "" if labels is None else labels.name)
    return Workers(with_warnings(tables, [*held.notes, *(labels.notes if labels else ())]))
