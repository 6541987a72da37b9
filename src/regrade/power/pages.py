"""Do measures prefer the result page that people prefer, and at how many levels of labels?

Two pages are shown for each topic, and people say which one they prefer.  A measure prefers the
page with the higher score.  It is computed under the labels as they are, and under the same labels
cut into fewer levels.  Beside it stands what the tests of preference between single documents of
the two pages say: the share that each page's documents win.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.errors import MethodError
from regrade.kendall import TOLERANCE
from regrade.power.levels import CutSet
from regrade.power.preferences import PreferenceTests
from regrade.run_arrays import Judged, RankedLists
from regrade.sample_means import interval_of_shares
from regrade.scoring import score

LEVELS = (2, 3, 4, 5, 6, 7)
"""Into how many a set is cut evenly."""

TESTS = "tests of documents"
"""What stands in place of a measure where pages win by tests of preference."""


@dataclass(frozen=True)
class Pages:
    """Two pages for each topic, and which one is preferred.

    Attributes
    ----------
    ranked
        The pages, as rankings of two systems.
    systems
        Their names.
    topics
        T names of topics that have both pages and a preference.
    signal
        (T,) int64: 1 where the first system's page is preferred, −1 the second's, 0 neither.
    left_out
        How many other topics have a page or a preference: they lack the other page, or it.
    """

    ranked: RankedLists
    systems: tuple[str, str]
    topics: tuple[str, ...]
    signal: np.ndarray
    left_out: int

    @classmethod
    def of(cls, ranked: RankedLists, preferred: pd.DataFrame, systems: Sequence[str]) -> Pages:
        """Put rankings and preferences together."""
        missing = [name for name in systems if name not in ranked.systems]
        if missing:
            known = ", ".join(ranked.systems)
            raise MethodError(f"no page is of {' and '.join(missing)}: systems are {known}")
        places = [ranked.systems.index(name) for name in systems]
        has_page = (ranked.stops - ranked.starts)[places] > 0
        both = {topic for t, topic in enumerate(ranked.topics) if has_page[:, t].all()}
        any_page = {topic for t, topic in enumerate(ranked.topics) if has_page[:, t].any()}
        known = any_page | set(preferred["topic"])
        preferred = preferred[preferred["topic"].isin(both)].sort_values("topic")
        if preferred.empty:
            raise MethodError(
                "no topic has both pages and a preference: do topics have the same names?"
            )
        signs = {systems[0]: 1, systems[1]: -1}
        signal = np.array([signs.get(name, 0) for name in preferred["winner"]])
        left_out = len(known) - len(preferred)
        return cls(ranked, tuple(systems), tuple(preferred["topic"]), signal, left_out)


def page_table(
    cuts: Sequence[CutSet],
    pages: Pages,
    measures: Sequence[str],
    tests: Mapping[str, PreferenceTests],
) -> pd.DataFrame:
    """How often a measure prefers the page that people prefer (table ``pages/agreement``)."""
    rows = []
    for cut in cuts:
        labels = cut.aggregated
        judged = Judged.from_table(labels.table, pages.ranked)
        how = {"max_grade": labels.ends()[1], "topics": list(pages.topics)}
        scores = score(pages.ranked, judged, measures, **how)
        places = [scores.topics.index(topic) for topic in pages.topics]
        first, second = (scores.values[scores.systems.index(of)][places] for of in pages.systems)
        signs = np.where(np.abs(first - second) <= TOLERANCE, 0, np.sign(first - second))
        of = (cut.labels.name, cut.levels, cut.way, cut.keys.get("preferences"))
        for measure, sign in zip(scores.measures, signs.astype(int).T, strict=True):
            rows.append((*of, str(measure), *_agreement(sign, pages)))
    for name, some in tests.items():
        sign = won(some, pages)
        of = (cuts[0].labels.name, cuts[0].levels, cuts[0].way, name, TESTS)
        rows.append((*of, *_agreement(sign, pages)))
    return pd.DataFrame(rows, columns=columns_of("pages/agreement"))


def won(tests: PreferenceTests, pages: Pages) -> np.ndarray:
    """(T,) whose page's documents win more tests against documents of the other page alone."""
    place = {}
    ranked, documents = pages.ranked, pages.ranked.docnos
    for side, name in zip((1, -1), pages.systems, strict=True):
        s = ranked.systems.index(name)
        for t, topic in enumerate(ranked.topics):
            for docno in documents[ranked.documents[ranked.starts[s, t] : ranked.stops[s, t]]]:
                place[topic, docno] = 0 if (topic, docno) in place else side
    first = np.array([place.get(key, 0) for key in tests.first])
    second = np.array([place.get(key, 0) for key in tests.second])
    across = first * second == -1
    topics = tests.first.get_level_values(0)[across]
    wins = pd.Series((first * tests.signal)[across]).groupby(topics).sum()
    return np.sign(wins.reindex(list(pages.topics)).fillna(0).to_numpy()).astype(int)


def _agreement(sign: np.ndarray, pages: Pages) -> tuple:
    """Counts, the share, and its interval over the topics whose page is preferred."""
    signal = pages.signal
    agreed = (sign * signal)[signal != 0]
    n = len(agreed)
    counts = [int((agreed == kind).sum()) for kind in (1, -1, 0)]
    share, low, high = (np.nan,) * 3
    if n:
        worth = (agreed + 1) / 2
        share = float(worth.mean())
        low, high = interval_of_shares(worth)
    return len(signal), pages.left_out, n, *counts, share, low, high
