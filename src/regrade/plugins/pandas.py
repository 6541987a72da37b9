"""The accessor ``frame.regrade`` of pandas: questions of a frame of scores by item.

>>> import pandas as pd
>>> import regrade.plugins.pandas
>>> rows = [(s, i, v) for s, of in {"a": "123", "b": "456"}.items() for i, v in enumerate(of)]
>>> frame = pd.DataFrame(rows, columns=["system", "topic", "value"]).astype({"value": float})
>>> frame.regrade.gate("a", "b").passed
True

A frame has columns as `regrade.read_scores` takes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

import regrade

if TYPE_CHECKING:
    from regrade.item_scores.scores import ItemScores
    from regrade.ranking.question import Ranking
    from regrade.system_pairs.gate_question import Gate
    from regrade.system_pairs.question import SystemPair
    from regrade.topic_analysis.question import Topics


@pd.api.extensions.register_dataframe_accessor("regrade")
class ScoresAccessor:
    """Questions of scores by item.

    Parameters
    ----------
    frame
        With a row for each score, or as else `regrade.read_scores` takes it.
    """

    def __init__(self, frame: pd.DataFrame):
        self._frame = frame

    def scores(self, **reading: object) -> ItemScores:
        """The scores, as `regrade.read_scores` reads them, with its arguments."""
        return regrade.read_scores(self._frame, **reading)

    def rank(self, measures: object = None, **options: object) -> Ranking:
        """Which system is best, and how sure is that?  Arguments as of `regrade.rank`."""
        return regrade.rank(self._frame, None, measures, **options)

    def compare_systems(
        self, first: str | None = None, second: str | None = None, **options: object
    ) -> SystemPair:
        """Do two systems differ significantly?  Arguments as of `regrade.compare_systems`."""
        return regrade.compare_systems(self._frame, None, first, second, **options)

    def gate(self, old: str, new: str, **options: object) -> Gate:
        """Is the new system worse than the old one?  Arguments as of `regrade.gate`."""
        return regrade.gate(old, new, scores=self._frame, **options)

    def topics(self, measures: object = None, **options: object) -> Topics:
        """Which items matter?  Arguments as of `regrade.topics`."""
        return regrade.topics(self._frame, None, measures, **options)
