"""Systems ranked by scores of documents that few answers gave, many times over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd

from regrade.correlations import tau_ap
from regrade.errors import MethodError
from regrade.kendall import tau_b
from regrade.label_sets import LabelSet
from regrade.magnitudes.scores import GainScores
from regrade.measures import Measure, parse_all
from regrade.preferences.posterior import Recorded
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score

ALL_ANSWERS = "all answers"
"""The ranking of systems by the scores of documents under every recorded answer."""

COEFFICIENTS = {"tau_b": tau_b, "tau_ap": tau_ap}

_SAMPLES = 100


def gain_rankings(
    ranked: RankedLists | None,
    topics: Sequence[Recorded],
    measures: Sequence[str | Measure],
    references: Sequence[LabelSet],
) -> GainRankings | None:
    """`GainRankings` beside labels; none where there are no runs."""
    if ranked is None:
        return None
    ranked = ranked.with_topics(topic.topic for topic in topics)
    labels = {one.name: (Judged.from_table(one.table, ranked), one.high) for one in references}
    return GainRankings(ranked, topics, measures, labels)


class GainRankings:
    """Rankings of S systems under gains of documents that people or models compared.

    Scores of documents are gains as they are; a document that nobody compared has none.

    Parameters
    ----------
    ranked
        The runs.
    topics
        What was recorded; on a topic without runs every system scores 0.
    measures
        Of the runs; they must do without a highest grade.
    references
        Labels by name, in the document codes of `ranked`, and the highest grade of each: systems
        ranked by them stand beside, on the topics that both have.

    Attributes
    ----------
    topics
        The names of the topics that count.
    """

    def __init__(
        self,
        ranked: RankedLists,
        topics: Sequence[Recorded],
        measures: Sequence[str | Measure],
        references: Mapping[str, tuple[Judged, float | None]] | None = None,
    ):
        self.measures = parse_all(measures)
        if not {topic.topic for topic in topics} & ranked.ranked_topics:
            raise MethodError("no topic has both preferences and runs: leave `measures` empty")
        ranked = ranked.with_topics(topic.topic for topic in topics)
        self._scores = GainScores(ranked, topics, self.measures)
        self.topics = self._scores.topics
        self._labels = {}  # by reference which topics count there, and (M, S) mean scores
        for name, (judged, max_grade) in (references or {}).items():
            both, means = sorted(set(self.topics) & set(judged.topics)), None
            if both:
                scores = score(ranked, judged, self.measures, max_grade=max_grade, topics=both)
                means = scores.values.mean(axis=1).T
            self._labels[name] = np.isin(self.topics, both), means

    def correlations(
        self,
        gains: Mapping[str, np.ndarray],
        full_gains: Mapping[str, np.ndarray],
        threads: int = 1,
    ) -> pd.DataFrame:
        """How like other rankings those under each of B gains are."""
        wanted = [np.vstack([full_gains[topic], gains[topic]]) for topic in self.topics]
        parts = []
        with ThreadPoolExecutor(threads) as pool:
            for start in range(0, len(wanted[0]), _SAMPLES):
                some = [rows[start : start + _SAMPLES] for rows in wanted]
                parts.append(self._scores.values(some, pool))
        values = np.concatenate(parts, axis=1)
        truths = {ALL_ANSWERS: (np.ones(len(self.topics), dtype=bool), values[:, 0].mean(axis=-1))}
        rows = []
        for reference, (which, truth) in (truths | self._labels).items():
            key = {"reference": reference, "n": int(which.sum())}
            for m, measure in enumerate(self.measures):
                for name, coefficient in COEFFICIENTS.items():
                    of_samples = np.full(len(wanted[0]) - 1, np.nan)
                    if truth is not None:
                        means = values[m][:, :, which].mean(axis=-1)[1:]
                        of_samples[:] = [coefficient(truth[m], mean) for mean in means]
                    columns = {"sample": np.arange(len(of_samples)), "measure": str(measure), **key}
                    columns |= {"coefficient": name, "value": of_samples}
                    rows.append(pd.DataFrame(columns))
        return pd.concat(rows, ignore_index=True)
