"""Sets of labels side by side: discriminative power, agreement, and how far systems differ."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import isfinite

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import aggregate, exceeds, value_column
from regrade.agreement import alpha
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.errors import MethodError
from regrade.kendall import tau_b
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
        grades = graded.grades()
        off = exceeds(grades, np.full(1, high)) | exceeds(np.full(1, low), grades)
        if off.any():
            document, assessor = np.argwhere(off)[0]
            topic, docno = graded.documents[document]
            raise MethodError(
                f"{self.name}: topic {topic}, document {docno} has "
                f"{grades[document, assessor]:g}, which is not on the scale from {low:g} "
                f"to {high:g}: correct the label or the scale"
            )

    @classmethod
    def of(cls, labels) -> GradedSet:
        """A set of labels or judgments that a job reads, with the ends of its scale."""
        ends = (labels.scale.low, labels.scale.high)
        return cls(labels.name, labels.table, *(end if isfinite(end) else None for end in ends))

    def ends(self) -> tuple[float, float]:
        """The ends of its scale, or of what was given."""
        values = self.graded.values
        low = values[0] if self.low is None else self.low
        return float(low), float(values[-1] if self.high is None else self.high)


@dataclass(frozen=True)
class Systems:
    """Runs, and the test of their differences.

    Attributes
    ----------
    ranked
        The runs.
    measures
        Of their rankings.
    significance
        Two systems differ significantly where p is below.
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


@dataclass(frozen=True)
class PowerInputs:
    """Sets beside what people prefer, and systems.

    Attributes
    ----------
    sets
        Of labels or judgments.
    preferences
        Name → tests of preference.
    lists
        The documents in question.
    how
        How power is computed.
    systems
        Runs and the test of their differences; ``None`` where there are no runs.
    """

    sets: Sequence[GradedSet]
    preferences: Mapping[str, PreferenceTests]
    lists: Sequence[Lists]
    how: PowerOptions
    systems: Systems | None = None

    @classmethod
    def of(cls, data, options) -> PowerInputs:
        """Of a job's data and options."""
        sets = [*map(GradedSet.of, data.sets)]
        tests = {one.name: PreferenceTests.from_table(one.table) for one in data.preferences}
        tests |= {one.name: PreferenceTests.from_labels(one.table) for one in data.experts}
        ranked = data.runs.ranked() if data.runs else None
        tested = ("measures", "significance", "tests", "correction", "seed")
        test_options = {name: getattr(options, name) for name in tested}
        systems = None if ranked is None else Systems(ranked, **test_options)
        how = PowerOptions(options.modes, seed=options.seed)
        return cls(sets, tests, all_lists(sets, ranked), how, systems)


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
    graded = [labels.graded for labels in sets]
    lists = [judged_lists(graded)]
    if ranked is not None and depths:
        rankings = rankings_of(ranked)
        lists += [top_lists(rankings, graded, depth) for depth in depths]
    return lists


def topic_table(inputs: PowerInputs) -> pd.DataFrame:
    """PDP of each set under each set of preferences, topic by topic (table ``power/topics``)."""
    return pd.DataFrame(topic_rows(inputs), columns=["preferences", "set", *COLUMNS])


def topic_rows(inputs: PowerInputs) -> list[dict]:
    """The rows of `topic_table`; without an ``entropy`` where there is none."""
    return [
        {"preferences": name, "set": labels.name, **row}
        for name, tests in inputs.preferences.items()
        for labels in inputs.sets
        for row in power_rows(labels.graded, tests, inputs.lists, inputs.how)
    ]


def grade_table(inputs: PowerInputs) -> pd.DataFrame:
    """p(grade > grade) of each set (chu2021 Eqs 10, 11; table ``power/grades``)."""
    parts = []
    for (name, tests), labels, mode in product(
        inputs.preferences.items(), inputs.sets, inputs.how.modes
    ):
        some = labels.graded.in_mode(mode)
        by_grade = grade_preferences(some, tests)
        first, second = pair = np.nonzero(by_grade.tests)
        columns = {
            "preferences": name,
            "set": labels.name,
            "mode": mode,
            "first": some.values[first],
            "second": some.values[second],
            "tests": by_grade.tests[pair],
            "wins": by_grade.wins[pair],
            "probability": by_grade.probabilities[pair],
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def served_table(inputs: PowerInputs) -> pd.DataFrame:
    """How many tests there are, how many serve a set, and how many are tied."""
    rows = []
    for (name, tests), labels in product(inputs.preferences.items(), inputs.sets):
        served = tests.served(labels.graded)
        tied = int((tests.signal[served] == 0).sum())
        rows.append((name, labels.name, len(served), int(served.sum()), tied))
    return pd.DataFrame(rows, columns=columns_of("power/served"))


def agreement_table(sets: Sequence[GradedSet]) -> pd.DataFrame:
    """What a set holds, and how far its assessors agree (table ``power/sets``)."""
    rows = []
    for labels in sets:
        grades, low, high = labels.graded.grades(), *labels.ends()
        quantities = {
            "topics": labels.graded.documents.get_level_values(0).nunique(),
            "documents": len(grades),
            "assessors": grades.shape[1],
            "values": int((~np.isnan(grades)).sum()),
            "grades": len(labels.graded.values),
            "alpha": alpha(grades.T),
            "fleiss": fleiss_kappa(grades),
            "weighted": weighted_kappa(grades),
            "phi": phi(grades, low, high) if low < high else np.nan,
        }
        rows += [(labels.name, quantity, float(value)) for quantity, value in quantities.items()]
    return pd.DataFrame(rows, columns=["set", "quantity", "value"])


# --- systems -------------------------------------------------------------------------------------


def discrimination_table(sets: Sequence[GradedSet], systems: Systems) -> pd.DataFrame:
    """Discriminative power of systems (Sakai): the share of significant pairs.

    Labels of several assessors are aggregated to their median.  Scores are on the topics that all
    sets have.
    """
    topics = sorted(set.intersection(*map(set, map(_topics, sets))))
    if not _can_tell(systems, topics):
        log.warning(
            "no systems are compared: that takes two systems, and two topics that all sets have"
        )
    parts = (discrimination_of(of, systems, topics)[1].assign(set=of.name) for of in sets)
    return pd.concat(parts, ignore_index=True)[columns_of("power/discrimination")]


def _topics(labels: GradedSet) -> list[str]:
    return labels.graded.documents.get_level_values(0).unique().tolist()


def discrimination_of(
    labels: GradedSet, systems: Systems, topics: Sequence[str] | None = None
) -> tuple[Scores | None, pd.DataFrame]:
    """Systems' scores under a set, and the share of pairs significant by each test.

    No scores and no rows where there are less than two systems, or two topics.
    """
    topics = _topics(labels) if topics is None else topics
    if not _can_tell(systems, topics):
        return None, pd.DataFrame(columns=columns_of("power/discrimination"))
    ranked = systems.ranked.with_topics(topics)
    judged = Judged.from_table(aggregate(labels.table, "median"), ranked)
    scores = score(ranked, judged, systems.measures, max_grade=labels.ends()[1], topics=topics)
    options = {name: getattr(systems, name) for name in ("correction", "permutations", "seed")}
    parts = (compare_systems(scores, test, **options) for test in systems.tests)
    pairs = pd.concat(parts, ignore_index=True)
    ratios = discrimination_ratios(pairs, significance=systems.significance)
    ratios = ratios.rename(columns={"n_pairs": "pairs", "ratio": "share"})
    return scores, ratios.assign(topics=len(topics))


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
    inputs: PowerInputs, certainties: Sequence[float] = CERTAINTIES, slices: int = 5
) -> pd.DataFrame:
    """Grades spread at random over nearly twice as many (chu2021 §5.2.3, Eq. 16, Figure 7)."""
    how, systems, rows = inputs.how, inputs.systems, []
    for labels, w in product(inputs.sets, (np.nan, *certainties)):
        for number in range(1, 1 + (slices if np.isfinite(w) else 1)):
            drawn = labels if np.isnan(w) else _extended(labels, w, number, how.seed)
            of = (labels.name, w, number)
            for name, tests in inputs.preferences.items():
                powers = power_table(drawn.graded, tests, inputs.lists, how)
                of_all = powers[powers["topic"] == ALL_TOPICS]
                rows += [
                    (*of, name, row.list, f"PDP {row.mode}", row.entropy)
                    for row in of_all.itertuples()
                ]
            if systems is not None:
                ratios = discrimination_of(drawn, replace(systems, tests=systems.tests[:1]))[1]
                shares = ratios[["measure", "share"]].itertuples(index=False)
                rows += [(*of, None, None, *share) for share in shares]
    return pd.DataFrame(rows, columns=columns_of("power/extended"))


def _extended(labels: GradedSet, certainty: float, number: int, seed: int) -> GradedSet:
    """A set with every value spread; its values must be 0, 1, … G − 1."""
    low, high = labels.ends()
    column = value_column(labels.table)
    values = labels.table[column].to_numpy()
    if low != 0 or exceeds(np.abs(values - np.rint(values)), np.zeros(1)).any():
        raise MethodError(f"{labels.name}: grades that are extended are 0, 1, 2 and so on")
    rng = generator(seed, "extended", labels.name, str(certainty), str(number))
    spread = extended_grades(values, int(high) + 1, certainty, rng).astype(float)
    place = labels.table.column_names.index(column)
    table = labels.table.set_column(place, column, pa.array(spread))
    return GradedSet(labels.name, table, 0.0, 2 * high)
