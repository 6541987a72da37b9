"""How well labels tell apart what people prefer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from regrade.answers.pdp import answered
from regrade.api.pairs import read_preferences
from regrade.api.results import Result, with_warnings
from regrade.api.sets import Judgments, named_sets
from regrade.power.differences import difference_table, topics_left_out
from regrade.power.intervals import topic_intervals
from regrade.power.label_sets import GradedSet, PowerOptions, all_lists, topic_table
from regrade.power.preferences import PreferenceTests

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Power(Result):
    """Discriminative power of sets of labels.

    Attributes
    ----------
    tables
        By name, as the stage ``power`` of the workflow has them: ``ranked``, ``topics``,
        ``intervals``, ``differences``, ``numbers``, ``answer``.  Each is an attribute as well, the
        answer as one object.
    """

    main_table = "ranked"

    def plot(self) -> Figure:
        """Draw how much each set settles of the order that people prefer."""
        from regrade.show.judgment_figures import figure_pdp

        return figure_pdp(self.ranked)


def pdp(
    sets: Sequence[object] | Mapping[str, object] | object,
    preferences: object,
    *,
    format: str | None = None,
    name: str = "people",
    seed: int = 1,
) -> Power:
    """How well do labels tell apart what people prefer?

    Parameters
    ----------
    sets
        Labels or judgments, whatever `regrade.read_qrels` and `regrade.read_judgments` take; of
        the documents that all of them have. By name, or a list of sets that have names of their
        own, or one.
    preferences, format
        As for `regrade.read_preferences`.
    name
        What the preferences are called.
    seed
        Of samples.

    Returns
    -------
    Power

    Raises
    ------
    RegradeError
        If something cannot be read, or nothing is shared.
    """
    read = [one.on_levels() for one in named_sets(sets).values()]
    held = [GradedSet(one.name, one.table) for one in read]
    tests = PreferenceTests.from_table(read_preferences(preferences, format=format))
    has_workers = any(isinstance(one, Judgments) for one in read)
    modes = ("individual", "aggregate") if has_workers else ("aggregate",)
    lists = all_lists(held, None, ())
    inputs = held, {name: tests}, lists, PowerOptions(modes=modes, seed=seed)
    topics, left_out = topic_table(*inputs), topics_left_out(*inputs)
    tables = {
        "topics": topics,
        "intervals": topic_intervals(topics, left_out, seed=seed),
        "differences": difference_table(topics, left_out),
    }
    notes = [note for one in read for note in one.notes]
    return Power(with_warnings(tables | answered(tables), notes))
