"""From labels and tests of preference to probabilities of preference (chu2021 §3.4).

Grades are what matters: how often a document of grade g is preferred to one of grade h, over all
tests of the collection, is p(g > h); a pair of documents has the p of its grades.  With several
assessors there are two modes:

- *individual*: each assessor's grades count by themselves (Eqs 7 and 10);
- *aggregate*: a document has one grade, the median of its assessors' (Eqs 8, 9 and 11).

Choices where the paper says nothing: a test counts in both directions, so that
p(g > h) + p(h > g) = 1 and p(g > g) = 1/2; a tied test counts half for each side, or not at all; a
pair of grades that no test saw says nothing, p = 1/2, and is counted; an assessor who has not
graded both documents of a pair is left out of that pair's mean.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import once_per_worker
from regrade.choices import POWER_MODES
from regrade.compiled import njit
from regrade.errors import MethodError, check_choice
from regrade.tables import label_frame

MISSING = -1
"""The code of a grade that was not given."""

INDIVIDUAL, _ = POWER_MODES


@dataclass(frozen=True)
class Graded:
    """What assessors said of documents, as codes of grades.

    Attributes
    ----------
    documents
        (D,) topic and docno of each document, sorted.
    values
        (G,) float64, ascending: the grades that were given.
    codes
        (D, A) int64: place of a grade among `values`; `MISSING` where an assessor gave none.
    """

    documents: pd.MultiIndex
    values: np.ndarray
    codes: np.ndarray

    @classmethod
    def from_table(cls, labels: pa.Table | pd.DataFrame) -> Graded:
        """Of a table in schema ``judgments``, or ``qrels``: one assessor."""
        frame = labels if isinstance(labels, pd.DataFrame) else labels.to_pandas()
        if "grade" in frame:
            frame = frame.rename(columns={"grade": "value"}).assign(worker="")
        frame = frame[["topic", "docno", "worker", "value"]]
        frame = frame.astype({"topic": str, "docno": str, "worker": str})
        frame = once_per_worker(frame)
        wide = frame.pivot(index=["topic", "docno"], columns="worker", values="value").sort_index()
        return cls.from_values(wide.index, wide.to_numpy())

    @classmethod
    def from_values(cls, documents: pd.MultiIndex, grades: np.ndarray) -> Graded:
        """Of (D, A) values, NaN where an assessor gave none."""
        values = np.unique(grades[~np.isnan(grades)])
        codes = np.searchsorted(values, grades).astype(np.int64)
        codes[np.isnan(grades)] = MISSING
        return cls(documents, values, codes)

    def in_mode(self, mode: str) -> Graded:
        """Itself in individual mode; with one assessor, the median, in aggregate mode."""
        check_choice("mode", mode, POWER_MODES)
        if mode == INDIVIDUAL:
            return self
        return Graded.from_values(self.documents, np.nanmedian(self.grades(), axis=1)[:, None])

    def grades(self) -> np.ndarray:
        """(D, A) float64: the grades themselves, NaN where there is none."""
        return np.append(self.values, np.nan)[self.codes]

    def places(self, documents: pd.MultiIndex) -> np.ndarray:
        """Where documents stand; −1 for one that nobody graded."""
        return self.documents.get_indexer(documents)

    def cut(self, thresholds: Sequence[float]) -> Graded:
        """The grades as levels, #{j : v > c_j}."""
        grades = self.grades()
        levels = np.searchsorted(np.asarray(thresholds, dtype=float), grades, side="left")
        return Graded.from_values(self.documents, np.where(np.isnan(grades), np.nan, levels))


@dataclass(frozen=True)
class PreferenceTests:
    """Tests of preference, one for each pair of documents.

    Attributes
    ----------
    first, second
        (N,) topic and docno of each pair, the first before the second in order of names.
    signal
        (N,) int64: 1 if the first is preferred, −1 if the second is, 0 for a tie.
    """

    first: pd.MultiIndex
    second: pd.MultiIndex
    signal: np.ndarray

    @classmethod
    def from_table(cls, preferences: pa.Table | pd.DataFrame) -> PreferenceTests:
        """Of a table in schema ``preferences``: a pair's signal is the median of its strengths.

        The median is the paper's rule (§5.1.1); a pair that stands in both orders is one pair.
        """
        frame = preferences if isinstance(preferences, pd.DataFrame) else preferences.to_pandas()
        topic, left, right = (frame[name].astype(str) for name in ("topic", "left", "right"))
        ordered = (left < right).to_numpy()
        first, second = np.where(ordered, left, right), np.where(ordered, right, left)
        # a strength below 0 prefers the left document
        signal = np.where(ordered, -1.0, 1.0) * frame["strength"].to_numpy()
        pairs = pd.DataFrame({"topic": topic, "first": first, "second": second, "signal": signal})
        pairs = pairs.groupby(["topic", "first", "second"], as_index=False)["signal"].median()
        ends = (pd.MultiIndex.from_frame(pairs[["topic", end]]) for end in ("first", "second"))
        return cls(*ends, np.sign(pairs["signal"].to_numpy()).astype(np.int64))

    @classmethod
    def from_labels(cls, labels: pa.Table | pd.DataFrame) -> PreferenceTests:
        """Of experts' labels (schema ``qrels``): of two documents the one of the higher grade.

        For collections without tests of preference; goes past the paper.  Pairs of one grade say
        nothing and are left out.
        """
        frame = label_frame(labels).sort_values(["topic", "docno"])
        pairs = []
        for topic, of in frame.groupby("topic"):
            i, j = np.triu_indices(len(of), 1)
            grade, docno = of["grade"].to_numpy(), of["docno"].to_numpy()
            signal = np.sign(grade[i] - grade[j]).astype(np.int64)
            apart = signal != 0
            topics = np.repeat(topic, apart.sum())
            pairs.append((topics, docno[i[apart]], docno[j[apart]], signal[apart]))
        if not any(len(topics) for topics, *_ in pairs):
            raise MethodError(
                "experts' labels give no preference: no topic has two documents of different grades"
            )
        topics, *ends, signal = (np.concatenate(part) for part in zip(*pairs, strict=True))
        named = zip(("first", "second"), ends, strict=True)
        ends = (pd.MultiIndex.from_arrays([topics, of], names=["topic", end]) for end, of in named)
        return cls(*ends, signal)

    def without(self, topics: Collection[str]) -> PreferenceTests:
        """The tests of all other topics."""
        kept = ~self.first.get_level_values("topic").isin(topics)
        return PreferenceTests(self.first[kept], self.second[kept], self.signal[kept])

    def served(self, graded: Graded) -> np.ndarray:
        """(N,) bool: the tests of which both documents were graded."""
        return (graded.places(self.first) >= 0) & (graded.places(self.second) >= 0)

    def compared(self, graded: Graded) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Places of the two documents, and the signal, of each test that serves."""
        first, second = (graded.places(some) for some in (self.first, self.second))
        served = (first >= 0) & (second >= 0)
        if not served.any():
            raise MethodError(
                "no document of the preferences was graded: do topics and documents have "
                "the same names?"
            )
        return first[served], second[served], self.signal[served]


@dataclass(frozen=True)
class GradePreferences:
    """How often a document of a grade is preferred to one of another.

    Attributes
    ----------
    wins
        (G, G) float64: tests in which the row's grade was preferred; ties count half.
    tests
        (G, G) float64: tests of the two grades.
    """

    wins: np.ndarray
    tests: np.ndarray

    @property
    def probabilities(self) -> np.ndarray:
        """(G, G) float64: p(row > column); 1/2 where there was no test."""
        seen = self.tests > 0
        return np.where(seen, self.wins / np.where(seen, self.tests, 1), 0.5)

    @property
    def known(self) -> np.ndarray:
        """(G, G) bool: whether tests compare the two grades, or they are the same."""
        return (self.tests > 0) | np.eye(len(self.tests), dtype=bool)


def grade_preferences(graded: Graded, tests: PreferenceTests) -> GradePreferences:
    """Estimate p(g > h) from tests whose documents both were graded (chu2021 Eqs 10 and 11)."""
    first, second, signal = tests.compared(graded)
    first, second = graded.codes[first], graded.codes[second]
    wins, counts = count_preferences(first, second, signal, len(graded.values))
    return GradePreferences(wins, counts)


# --- kernels ------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def count_preferences(first, second, signal, grades):
    """Wins and tests by grades; (N, A) codes of two documents and (N,) signals."""
    wins, tests = np.zeros((grades, grades)), np.zeros((grades, grades))
    for n in range(len(signal)):
        share = (1.0 + signal[n]) / 2
        for a in range(first.shape[1]):
            g, h = first[n, a], second[n, a]
            if g < 0 or h < 0:
                continue
            wins[g, h] += share
            wins[h, g] += 1.0 - share
            tests[g, h] += 1.0
            tests[h, g] += 1.0
    return wins, tests


@njit(cache=True, nogil=True, inline="always")
def average_preferences(codes, probabilities, known):
    """Mean probabilities over assessors, and the share of them that rests on no test."""
    n, assessors = codes.shape
    preferences, unseen = np.full((n, n), 0.5), np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            total, both, without = 0.0, 0, 0
            for a in range(assessors):
                g, h = codes[i, a], codes[j, a]
                if g < 0 or h < 0:
                    continue
                total += probabilities[g, h]
                both += 1
                if not known[g, h]:
                    without += 1
            if both:
                preferences[i, j] = total / both
                preferences[j, i] = 1.0 - total / both
            unseen[i, j] = unseen[j, i] = without / both if both else 1.0
    return preferences, unseen
