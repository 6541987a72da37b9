"""Scores of systems under labels."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from regrade import scoring
from regrade.api.sets import Labels, Runs, read_qrels, read_runs
from regrade.errors import MethodError
from regrade.measures import Measure, parse_all
from regrade.rankings import places
from regrade.run_arrays import Judged

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

log = logging.getLogger(__name__)

MEASURES = ("AP", "nDCG", "nDCG@10", "RR")
"""What scores systems where nothing else is said."""


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable:
    """Scores of systems on topics by measures, under one set of labels.

    Attributes
    ----------
    scores
        As arrays.
    qrels
        The name of the labels.
    """

    scores: scoring.Scores
    qrels: str

    @property
    def measures(self) -> list[str]:
        """As they are written."""
        return [str(measure) for measure in self.scores.measures]

    def means(self) -> pd.DataFrame:
        """Means over topics: a row for each system, the best by the first measure first."""
        import pandas as pd

        values = self.scores.values.mean(axis=1)
        frame = pd.DataFrame(values, list(self.scores.systems), self.measures)
        order = np.lexsort((np.arange(len(frame)), -places(values[:, 0])))
        return frame.iloc[order].rename_axis("system")

    def to_frame(self) -> pd.DataFrame:
        """One row per system, topic and measure: ``value``, and ``residual`` where it has one."""
        frame = self.scores.to_table().to_pandas()
        return frame.astype(dict.fromkeys(["system", "topic", "measure"], "str"))

    def plot(self) -> Figure:
        """Draw the systems' means by the first measure, the best on top."""
        from regrade.api.plots import draw_scores

        return draw_scores(self)

    def __repr__(self) -> str:
        """What was scored, and the means."""
        n, topics = len(self.scores.systems), len(self.scores.topics)
        head = f"<Scores of {n} systems on {topics} topics of {self.qrels}, means over topics>"
        return f"{head}\n{self.means().to_string(float_format='{:.4f}'.format)}"


def score(
    qrels: object,
    runs: object,
    measures: Sequence[str] | str = MEASURES,
    *,
    max_grade: float | None = None,
    columns: Mapping[str, str] | None = None,
) -> ScoreTable:
    """Score every run under labels.

    Warns (by `logging`) of measures that are 0 whatever the runs are, as no grade is high enough.

    Parameters
    ----------
    qrels
        Whatever `regrade.read_qrels` takes.
    runs
        Whatever `regrade.read_runs` takes.
    measures
        As ir_measures writes them: ``"AP"``, ``"nDCG@10"``, ``"RBP(p=0.8)"``; a list, or one text
        with blanks between them.
    max_grade
        Highest level of the grades' scale; by default that of the scale that was told, else the
        highest grade.
    columns
        For the qrels' columns; see `regrade.read_qrels`.

    Returns
    -------
    ScoreTable

    Raises
    ------
    RegradeError
        If something cannot be read, a measure does not exist, or runs and labels share no topic.

    Examples
    --------
    >>> qrels = {"401": {"d1": 1, "d2": 0}}
    >>> run = {"401": {"d2": 2.5, "d1": 1.0}}
    >>> score(qrels, {"mine": run}, "AP RR").to_frame()["value"].tolist()
    [0.5, 0.5]
    """
    labels = read_qrels(qrels, columns=columns)
    runs = read_runs(runs)
    judged = judged_of(labels, runs)
    if isinstance(measures, str):
        measures = measures.split()
    highest = labels.max_grade if max_grade is None else max_grade
    parsed = parse_all(measures)
    for said in _nothing_relevant(labels, parsed):
        log.warning("%s", said)
    found = scoring.score(runs.ranked, judged, parsed, max_grade=highest)
    return ScoreTable(found, labels.name)


def _nothing_relevant(labels: Labels, measures: Sequence[Measure]) -> Iterator[str]:
    """Of labels without a relevant document, or without one that a measure counts."""
    highest = float(np.max(labels.table["grade"].to_numpy()))
    if highest <= 0:
        yield f"{labels.name}: no grade is above 0: nothing is relevant, and scores say nothing"
        return
    for measure in measures:
        lowest = measure.relevant_from
        if lowest is not None and lowest > highest:
            yield (
                f"{measure} is 0 for every system: {labels.name} has no grade from {lowest:g} on, "
                f"the highest is {highest:g}"
            )


def judged_of(labels: Labels, runs: Runs) -> Judged:
    """The labels in the runs' codes; an error where they have nothing in common."""
    judged = Judged.from_table(labels.table, runs.ranked)
    if not judged.topics:
        raise MethodError(
            f"{labels.name} and the runs have no topic in common: are topics written alike? The "
            f"labels have '{labels.topics[0]}', the runs '{runs.topics[0]}'"
        )
    if (judged.documents < 0).all():
        raise MethodError(
            f"no document that {labels.name} judges was retrieved for its topic: are docnos "
            f"written alike? The labels have '{labels.table['docno'][0].as_py()}', the runs "
            f"'{runs.ranked.names[0].as_py()}'"
        )
    return judged
