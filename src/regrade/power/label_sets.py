"""Sets of labels side by side: discriminative power, agreement, and how far systems differ."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import aggregate, exceeds, value_column
from regrade.agreement import alpha
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.errors import MethodError
from regrade.power.agreement import fleiss_kappa, phi, weighted_kappa
from regrade.power.preferences import Graded, PreferenceTests, grade_preferences
from regrade.power.synthetic import extended_grades
from regrade.power.topics import (
    COLUMNS,
    Lists,
    PowerOptions,
    judged_lists,
    power_rows,
    power_table,
    top_lists,
)
from regrade.randomness import generator
from regrade.rankings import tau_b
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import Scores, score
from regrade.significance.discrimination import (
    PERMUTATIONS,
    SIGNIFICANCE,
    compare_systems,
    discrimination_ratios,
)

CERTAINTIES = (0.5, 1, 2, 3, 4, np.inf)
"""How sure grades are spread, w; infinite, every grade doubles."""

DEPTHS = (5, 10)
"""Of runs whose first documents make lists of their own."""

_FEWEST = 2

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class GradedSet:
    """A set of labels or judgments.

    Attributes
    ----------
    name
        What it is called.
    table
        Schema ``qrels`` or ``judgments``.
    low, high
        The ends of its scale; ``None``: the lowest and the highest value given.
    """

    name: str
    table: pa.Table
    low: float | None = None
    high: float | None = None
    graded: Graded = field(init=False)

    def __post_init__(self):
        """Encode its grades."""
        graded = Graded.from_table(self.table)
        object.__setattr__(self, "graded", graded)
        if not len(graded.values):
            raise MethodError(f"{self.name}: no label, so nothing to compare: leave the set out")
        low, high = self.ends()
        given = graded.given()
        off = exceeds(given, np.full(1, high)) | exceeds(np.full(1, low), given)
        if off.any():
            document, assessor = np.argwhere(off)[0]
            topic, docno = graded.documents[document]
            raise MethodError(
                f"{self.name}: topic {topic}, document {docno} has {given[document, assessor]:g}, "
                f"which is not on the scale from {low:g} to {high:g}: mend the label or the scale"
            )

    def ends(self) -> tuple[float, float]:
        """The ends of its scale, or of what was given."""
        values = self.graded.values
        low = values[0] if self.low is None else self.low
        return float(low), float(values[-1] if self.high is None else self.high)


def rankings_of(ranked: RankedLists) -> dict[str, list[np.ndarray]]:
    """Topic → the docnos of every run's ranking, best first."""
    docnos = ranked.docnos
    return {
        topic: [
            docnos[ranked.documents[ranked.starts[s, t] : ranked.stops[s, t]]]
            for s in range(len(ranked.systems))
        ]
        for t, topic in enumerate(ranked.topics)
    }


def all_lists(
    sets: Sequence[GradedSet], ranked: RankedLists | None, depths: Sequence[int] = DEPTHS
) -> list[Lists]:
    """All documents that every set graded; with runs, also each run's first ones of them."""
    graded = [one.graded for one in sets]
    lists = [judged_lists(graded)]
    if ranked is not None and depths:
        rankings = rankings_of(ranked)
        lists += [top_lists(rankings, graded, depth) for depth in depths]
    return lists


def topic_table(
    sets: Sequence[GradedSet],
    preferences: Mapping[str, PreferenceTests],
    lists: Sequence[Lists],
    how: PowerOptions,
) -> pd.DataFrame:
    """PDP of each set under each set of preferences, topic by topic (table ``power/topics``)."""
    rows = topic_rows(sets, preferences, lists, how)
    return pd.DataFrame(rows, columns=["preferences", "set", *COLUMNS])


def topic_rows(
    sets: Sequence[GradedSet],
    preferences: Mapping[str, PreferenceTests],
    lists: Sequence[Lists],
    how: PowerOptions,
) -> list[dict]:
    """The rows of `topic_table`; without an ``entropy`` where there is none."""
    return [
        {"preferences": name, "set": one.name, **row}
        for name, tests in preferences.items()
        for one in sets
        for row in power_rows(one.graded, tests, lists, how)
    ]


def grade_table(
    sets: Sequence[GradedSet], preferences: Mapping[str, PreferenceTests], how: PowerOptions
) -> pd.DataFrame:
    """p(grade > grade) of each set (chu2021 Eqs 10, 11; table ``power/grades``)."""
    parts = []
    for name, tests in preferences.items():
        for one in sets:
            for mode in how.modes:
                some = one.graded.in_mode(mode)
                found = grade_preferences(some, tests)
                first, second = np.nonzero(found.tests)
                parts.append(
                    pd.DataFrame(
                        {
                            "preferences": name,
                            "set": one.name,
                            "mode": mode,
                            "first": some.values[first],
                            "second": some.values[second],
                            "tests": found.tests[first, second],
                            "wins": found.wins[first, second],
                            "probability": found.probabilities[first, second],
                        }
                    )
                )
    return _joined(parts)


def served_table(
    sets: Sequence[GradedSet], preferences: Mapping[str, PreferenceTests]
) -> pd.DataFrame:
    """How many tests there are, how many serve a set, and how many are tied."""
    rows = []
    for name, tests in preferences.items():
        for one in sets:
            served = tests.served(one.graded)
            rows.append(
                {
                    "preferences": name,
                    "set": one.name,
                    "tests": len(served),
                    "served": int(served.sum()),
                    "tied": int((tests.signal[served] == 0).sum()),
                }
            )
    return pd.DataFrame(rows)


def agreement_table(sets: Sequence[GradedSet]) -> pd.DataFrame:
    """What a set holds, and how far its assessors agree (table ``power/sets``)."""
    rows = []
    for one in sets:
        given, low, high = one.graded.given(), *one.ends()
        found = {
            "topics": one.graded.documents.get_level_values(0).nunique(),
            "documents": len(given),
            "assessors": given.shape[1],
            "values": int((~np.isnan(given)).sum()),
            "grades": len(one.graded.values),
            "alpha": alpha(given.T),
            "fleiss": fleiss_kappa(given),
            "weighted": weighted_kappa(given),
            "phi": phi(given, low, high) if low < high else np.nan,
        }
        rows += [(one.name, quantity, float(value)) for quantity, value in found.items()]
    return pd.DataFrame(rows, columns=["set", "quantity", "value"])


# --- systems -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Systems:
    """Runs, and how it is told that two of them differ.

    Attributes
    ----------
    ranked
        The runs.
    measures
        Of their rankings.
    significance
        Two systems are told apart where p is below.
    tests, correction, permutations, seed
        Of pairs; see `regrade.significance.discrimination.compare_systems`.
    """

    ranked: RankedLists
    measures: Sequence[str]
    significance: float = SIGNIFICANCE
    tests: Sequence[str] = ("t",)
    correction: str = "none"
    permutations: int = PERMUTATIONS
    seed: int = 1


def discrimination_table(sets: Sequence[GradedSet], systems: Systems) -> pd.DataFrame:
    """Discriminative power of systems (Sakai): the share of pairs that a test tells apart.

    Labels of several assessors are aggregated to their median.  Scores are on the topics that all
    sets have.
    """
    topics = sorted(set.intersection(*(set(_topics(one)) for one in sets)))
    if not _can_tell(systems, topics):
        log.warning(
            "no systems are told apart: that takes two systems, and two topics that all sets have"
        )
    parts = (discrimination_of(one, systems, topics)[1].assign(set=one.name) for one in sets)
    columns = columns_of("power/discrimination")
    return _joined(parts)[columns]


def _topics(one: GradedSet) -> list[str]:
    return one.graded.documents.get_level_values(0).unique().tolist()


def discrimination_of(
    one: GradedSet, systems: Systems, topics: Sequence[str] | None = None
) -> tuple[Scores | None, pd.DataFrame]:
    """Systems' scores under a set, and the share of pairs that each test tells apart.

    No scores and no rows where there are less than two systems, or two topics.
    """
    topics = _topics(one) if topics is None else topics
    if not _can_tell(systems, topics):
        return None, pd.DataFrame(columns=columns_of("power/discrimination"))
    ranked = systems.ranked.with_topics(topics)
    judged = Judged.from_table(aggregate(one.table, "median"), ranked)
    scores = score(ranked, judged, systems.measures, max_grade=one.ends()[1], topics=topics)
    options = {name: getattr(systems, name) for name in ("correction", "permutations", "seed")}
    pairs = _joined(compare_systems(scores, test, **options) for test in systems.tests)
    found = discrimination_ratios(pairs, significance=systems.significance)
    found = found.rename(columns={"n_pairs": "pairs", "ratio": "share"})
    return scores, found.assign(topics=len(topics))


def _can_tell(systems: Systems, topics: Sequence[str]) -> bool:
    """Whether systems can be tested on some topics, of which any ranks one."""
    is_ranked = bool(systems.ranked.ranked_topics.intersection(topics))
    return min(len(topics), len(systems.ranked.systems)) >= _FEWEST and is_ranked


def order_table(topics: pd.DataFrame, discrimination: pd.DataFrame) -> pd.DataFrame:
    """Whether power and discriminative power of systems put sets in the same order."""
    rows = []
    of_all = topics[topics["topic"] == ALL_TOPICS]
    for key, some in of_all.groupby(["preferences", "mode", "list"], sort=False):
        power = some.set_index("set")["entropy"].dropna()
        for tested, of in discrimination.groupby(["measure", "test"], sort=False):
            share = of.set_index("set")["share"].reindex(power.index)
            rows.append((*key, *tested, len(power), tau_b(-power.to_numpy(), share.to_numpy())))
    columns = columns_of("power/orders")
    return pd.DataFrame(rows, columns=columns)


# --- extension of grades --------------------------------------------------------------------------


def extension_table(
    sets: Sequence[GradedSet],
    preferences: Mapping[str, PreferenceTests],
    lists: Sequence[Lists],
    how: PowerOptions,
    certainties: Sequence[float] = CERTAINTIES,
    *,
    slices: int = 5,
    systems: Systems | None = None,
) -> pd.DataFrame:
    """Grades spread at random over nearly twice as many (chu2021 §5.2.3, Eq. 16, Figure 7)."""
    rows = []
    for one in sets:
        for w in (np.nan, *certainties):
            for number in range(1, 1 + (slices if np.isfinite(w) else 1)):
                drawn = one if np.isnan(w) else _extended(one, w, number, how.seed)
                of = (one.name, w, number)
                for name, tests in preferences.items():
                    found = power_table(drawn.graded, tests, lists, how)
                    of_all = found[found["topic"] == ALL_TOPICS]
                    rows += [
                        (*of, name, row.list, f"PDP {row.mode}", row.entropy)
                        for row in of_all.itertuples()
                    ]
                if systems is not None:
                    told = discrimination_of(drawn, replace(systems, tests=systems.tests[:1]))[1]
                    rows += [(*of, None, None, row.measure, row.share) for row in told.itertuples()]
    columns = columns_of("power/extended")
    return pd.DataFrame(rows, columns=columns)


def _extended(one: GradedSet, certainty: float, number: int, seed: int) -> GradedSet:
    """A set with every value spread; its values must be 0, 1, … G − 1."""
    low, high = one.ends()
    column = value_column(one.table)
    values = one.table[column].to_numpy()
    if low != 0 or exceeds(np.abs(values - np.rint(values)), np.zeros(1)).any():
        raise MethodError(f"{one.name}: grades that are extended are 0, 1, 2 and so on")
    rng = generator(seed, "extended", one.name, str(certainty), str(number))
    spread = extended_grades(values, int(high) + 1, certainty, rng).astype(float)
    place = one.table.column_names.index(column)
    table = one.table.set_column(place, column, pa.array(spread))
    return GradedSet(one.name, table, 0.0, 2 * high)


def _joined(parts) -> pd.DataFrame:
    return pd.concat(parts, ignore_index=True)
