"""Labels of two sets side by side: what both judged, and how far they agree.

All coefficients come from the joint counts J of two sets' grades, (V, V) for the V grades that
occur, rows the first set's:

    κ   = 1 − n Σ w_vv' J_vv' / Σ w_vv' r_v c_v'

with the marginals r and c, w = [v ≠ v'] for Cohen's κ, |v − v'| (linear) or (v − v')² (quadratic)
for weighted κ; Krippendorff's α of two coders has the coincidences J + Jᵀ (`regrade.agreement`).
The bias of a grade is the mean of the second set's grades less the first's, over the documents
that the first gives that grade.  Intervals draw topics with their documents, as whole topics are
what a collection samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.agreement import metric_code, squared_differences
from regrade.catalogue import ALL_TOPICS
from regrade.choices import KAPPA_WEIGHTS
from regrade.drawn_intervals import around
from regrade.errors import MethodError, check_choice
from regrade.kendall import TOLERANCE
from regrade.randomness import generator, with_replacement
from regrade.tables import label_frame
from regrade.wording import counted

COEFFICIENTS = ("alpha", "kappa", "weighted_kappa")
"""What `agreement_of` gives."""

STATISTICS = ("equal", "difference", "alpha", "kappa", "linear_kappa", "quadratic_kappa")
"""What `label_statistics` gives."""


def joint_counts(
    first: np.ndarray, second: np.ndarray, size: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """How many documents have each two grades."""
    return np.bincount(first * size + second, weights, size * size).reshape(size, size) * 1.0


def agreement_of(
    joint: np.ndarray, values: np.ndarray, metric: str = "ordinal", weights: str = "linear"
) -> np.ndarray:
    """α, κ and weighted κ of joint counts; NaN where chance leaves no disagreement."""
    return agreement_of_many(joint[None], values, metric, weights)[0]


def agreement_slopes(
    joint: np.ndarray, values: np.ndarray, metric: str = "ordinal", weights: str = "linear"
) -> np.ndarray:
    """By how much each count moves α, κ and weighted κ: the derivatives of `agreement_of`.

    The counts move ordinal α by the places of the grades as well.
    """
    slopes, rows, columns = [_alpha_slopes(joint, values, metric)], joint.sum(1), joint.sum(0)
    n = joint.sum()
    for weight in _disagreements(values, weights):
        seen, by_chance = (weight * joint).sum(), (weight * np.outer(rows, columns)).sum()
        moved = np.add.outer(weight @ columns, rows @ weight)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = -(seen + n * weight) / by_chance + n * seen / by_chance**2 * moved
        slopes.append(slope)
    return np.array(slopes)


def _disagreements(values: np.ndarray, weights: str) -> tuple[np.ndarray, np.ndarray]:
    """(V, V) how much each two grades disagree, for κ and for weighted κ."""
    distance = np.abs(np.subtract.outer(values, values)).astype(float)
    return distance > 0, distance ** {"linear": 1, "quadratic": 2}[weights]


def _alpha_slopes(joint: np.ndarray, values: np.ndarray, metric: str) -> np.ndarray:
    marginals, V = joint.sum(0) + joint.sum(1), len(values)
    delta = squared_differences(marginals, values, metric)
    both, by_chance = joint + joint.T, np.outer(marginals, marginals)
    observed, expected = (both * delta).sum(), (by_chance * delta).sum()
    observed_by, expected_by = np.zeros(V), 2 * delta @ marginals
    if metric == "ordinal":
        # a value's place rises with the marginals below it, and with half of its own
        below = (np.tri(V) + np.tri(V, k=-1)) / 2
        places = np.cumsum(marginals) - marginals / 2
        apart = np.subtract.outer(places, places)
        observed_by = 4 * (both * apart).sum(axis=1) @ below
        expected_by = expected_by + 4 * (by_chance * apart).sum(axis=1) @ below
    observed_by, expected_by = (np.add.outer(slope, slope) for slope in (observed_by, expected_by))
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = (2 * delta + observed_by) / expected - observed / expected**2 * expected_by
        return -(marginals.sum() - 1) * moved - 2 * observed / expected


def agreement_of_many(
    joints: np.ndarray, values: np.ndarray, metric: str = "ordinal", weights: str = "linear"
) -> np.ndarray:
    """`agreement_of` of many joint counts at once, as a bootstrap needs."""
    _check(metric, weights)
    joints = np.asarray(joints, dtype=np.float64)
    rows, columns = joints.sum(axis=2), joints.sum(axis=1)
    both = rows + columns
    n = both.sum(axis=1)
    places = np.cumsum(both, axis=1) - both / 2 if metric == "ordinal" else values[None, :]
    delta = (places[:, :, None] - places[:, None, :]) ** 2.0
    if metric == "nominal":
        delta = delta > 0
    observed = ((joints + joints.transpose(0, 2, 1)) * delta).sum(axis=(1, 2))
    expected = (both[:, :, None] * both[:, None, :] * delta).sum(axis=(1, 2))
    defined = (both > 0).sum(axis=1) > 1
    alpha = 1 - _divided((n - 1) * observed, expected, defined)
    kappas = (_kappa(joints, weight) for weight in _disagreements(values, weights))
    return np.stack([alpha, *kappas], axis=1)


def _kappa(joints: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """κ of (B, V, V) joint counts, disagreements weighing so much."""
    rows, columns, documents = joints.sum(axis=2), joints.sum(axis=1), joints.sum(axis=(1, 2))
    by_chance = (weight * (rows[:, :, None] * columns[:, None, :])).sum(axis=(1, 2))
    seen = documents * (weight * joints).sum(axis=(1, 2))
    return 1 - _divided(seen, by_chance, by_chance > 0)


def label_statistics(joint: np.ndarray, values: np.ndarray, metric: str = "ordinal") -> np.ndarray:
    """The `STATISTICS` of joint counts; NaN of no document."""
    documents = joint.sum()
    if not documents:
        return np.full(len(STATISTICS), np.nan)
    bias = joint.sum(axis=0) @ values - joint.sum(axis=1) @ values
    quadratic = _kappa(joint[None], _disagreements(values, "quadratic")[1])
    coefficients = agreement_of(joint, values, metric, "linear")
    return np.concatenate([[np.trace(joint), bias] / documents, coefficients, quadratic])


def _divided(top: np.ndarray, bottom: np.ndarray, where: np.ndarray) -> np.ndarray:
    """Quotients; NaN elsewhere."""
    return np.divide(top, bottom, out=np.full(len(top), np.nan), where=where)


@dataclass(frozen=True, eq=False)
class LabelPair:
    """The labels of two sets, document by document.

    Attributes
    ----------
    names
        What the sets are called.
    frame
        ``topic``, ``docno``, ``first``, ``second`` of every document that one of them judged,
        sorted; NaN where it did not.
    same_scale
        Whether grades mean the same in both; without that, α and κ are undefined.
    """

    names: tuple[str, str]
    frame: pd.DataFrame
    same_scale: bool = True

    @classmethod
    def of(
        cls,
        names: tuple[str, str],
        first: pa.Table,
        second: pa.Table,
        same_scale: bool = True,
    ) -> LabelPair:
        """Bring two tables of schema ``qrels`` together."""
        left, right = (label_frame(table) for table in (first, second))
        frame = left.rename(columns={"grade": "first"}).merge(
            right.rename(columns={"grade": "second"}),
            on=["topic", "docno"],
            how="outer",
            validate="one_to_one",
        )
        if not frame[["first", "second"]].notna().all(axis=1).any():
            topics = sorted(set(left["topic"]) & set(right["topic"]))
            shared = f"they share {counted(len(topics), 'topic')}" if topics else "nor a topic"
            name = "docno" if topics else "topic"
            firsts = [side[name].iloc[0] for side in (left, right)]
            raise MethodError(
                f"{names[0]} and {names[1]} share no judged document ({shared}): compare "
                "label sets of the same documents, with the same format of topics and "
                f"docnos (here, the first {name}s are {firsts[0]!r} and {firsts[1]!r})"
            )
        return cls(names, frame.sort_values(["topic", "docno"], ignore_index=True), same_scale)

    def with_second(self, grades: np.ndarray) -> LabelPair:
        """The pair whose second grades, where there are some, are those at places of `grades`."""
        places = self.frame["second"].to_numpy()
        labelled = ~np.isnan(places)
        second = np.full(len(places), np.nan)
        second[labelled] = grades[places[labelled].astype(np.int64)]
        return replace(self, frame=self.frame.assign(second=second))

    @cached_property
    def both(self) -> pd.DataFrame:
        """The documents that both judged."""
        return self.frame.dropna(subset=["first", "second"])

    def shared(self, which: str) -> pa.Table:
        """One set's labels (``first`` or ``second``) of the documents that both judged."""
        columns = self.both[["topic", "docno", which]].rename(columns={which: "grade"})
        return pa.table({name: pa.array(column) for name, column in columns.items()})

    def lacking(self, which: str) -> int:
        """How many documents of topics that both judged have no label of one set (``first`` …)."""
        labelled = self.frame[["first", "second"]].notna()
        both = labelled.groupby(self.frame["topic"]).transform("any").all(axis=1)
        return int((both & ~labelled[which]).sum())

    def confusion(self) -> pd.DataFrame:
        """How many documents have which two grades (table ``compare/confusion``)."""
        counts = self.frame.groupby(["first", "second"], dropna=False).size()
        table = counts.rename("documents").reset_index()
        return table.rename(columns={"first": "first_grade", "second": "second_grade"})

    def agreement(self, metric: str = "ordinal", weights: str = "linear") -> pd.DataFrame:
        """Overlap and agreement by topic (table ``compare/agreement``)."""
        _check(metric, weights)
        rows = []
        for topic, some in [*self.frame.groupby("topic", sort=True), (ALL_TOPICS, self.frame)]:
            labelled = some[["first", "second"]].notna()
            both = some[labelled.all(axis=1)]
            row = {"topic": topic, "first": labelled["first"].sum()}
            row |= {"second": labelled["second"].sum(), "both": len(both)}
            row |= {
                "only_first": len(some) - row["second"],
                "only_second": len(some) - row["first"],
            }
            row |= dict.fromkeys(["equal", "difference", *COEFFICIENTS], np.nan)
            if self.same_scale and not both.empty:
                values, first, second = _codes(both)
                joint = joint_counts(first, second, len(values))
                row["equal"] = float(np.trace(joint) / len(both))
                row["difference"] = float((both["second"] - both["first"]).mean())
                coefficients = agreement_of(joint, values, metric, weights)
                row |= zip(COEFFICIENTS, coefficients, strict=True)
            rows.append(row)
        return pd.DataFrame(rows)

    def intervals(
        self, metric: str = "ordinal", resamples: int = 1000, seed: int = 1
    ) -> pd.DataFrame:
        """`STATISTICS` of all documents with intervals (table ``compare/labels``)."""
        metric_code(metric)
        both = self.both
        if not self.same_scale:
            nothing = dict.fromkeys(("value", "low", "high"), np.nan)
            rows = [{"quantity": q, **nothing, "defined": 0} for q in STATISTICS]
            return pd.DataFrame(rows).assign(resamples=resamples)
        values, first, second = _codes(both)
        topics, topic = np.unique(both["topic"].to_numpy(), return_inverse=True)
        drawn = drawn_topics(topics, resamples, seed)

        def statistics(times: np.ndarray) -> np.ndarray:
            joint = joint_counts(first, second, len(values), times[topic])
            return label_statistics(joint, values, metric)

        values_of_all = statistics(np.ones(len(topics)))
        resampled = values_of_draws(drawn, statistics, len(STATISTICS))
        without = values_of_draws(_each_left_out(len(topics)), statistics, len(STATISTICS))
        ends = around(values_of_all, resampled, len(topics), "agreement", left_out=without)
        return with_intervals(STATISTICS, values_of_all, resampled, ends)

    def grade_bias(self, resamples: int = 1000, seed: int = 1) -> pd.DataFrame:
        """How much the second set differs, by grade of the first (table ``compare/grade_bias``).

        Intervals draw the topics that have documents of the grade.
        """
        rows = []
        for grade, some in self.both.groupby("first", sort=True):
            row = {"grade": grade, "documents": len(some), "topics": some["topic"].nunique()}
            row |= dict.fromkeys(("equal", "difference", "low", "high"), np.nan)
            if self.same_scale:
                difference = some["second"] - some["first"]
                row |= {"equal": (difference == 0).mean(), "difference": difference.mean()}
                of_topics = difference.groupby(some["topic"], sort=True)
                low, high = ratio_ends(of_topics.sum(), of_topics.size(), resamples, seed)
                row |= {"low": low, "high": high}
            rows.append(row)
        return pd.DataFrame(rows)


def ratio_ends(
    sums: pd.Series, counts: pd.Series, resamples: int, seed: int
) -> tuple[float, float]:
    """The interval of a mean over documents of topics; NaN where all topics have the same one.

    Topics of many documents decide it: degrees of freedom are those of as many topics of equal
    size as tell as much, (Σ n)² / Σ n² (Kish, Survey Sampling, 1965).
    """
    topics = sums.index.to_numpy()
    if np.ptp(sums / counts) <= TOLERANCE:
        return np.nan, np.nan
    of = np.stack([sums.to_numpy(float), counts.to_numpy(float)], axis=1)

    def ratios(times: np.ndarray) -> np.ndarray:
        total, documents = (times @ of).T
        return total / documents

    value, drawn = ratios(np.ones((1, len(of))))[0], ratios(drawn_topics(topics, resamples, seed))
    effective = int(counts.sum() ** 2 / (counts**2).sum() + TOLERANCE)
    without = ratios(_each_left_out(len(of)))
    return around(value, drawn, len(of), "grade_bias", left_out=without, effective=effective)


def _each_left_out(topics: int) -> np.ndarray:
    """(T, T) how often each topic counts where one in turn is left out; (0, 1) of one topic."""
    return 1 - np.eye(topics, dtype=np.int64)[: topics if topics > 1 else 0]


def drawn_topics(topics: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """How often each of T topics is drawn in each of B resamples, (B, T); (0, 1) of one topic."""
    if len(topics) < 2:
        return np.empty((0, len(topics)), dtype=np.int64)
    rng = generator(seed, "topics drawn anew", *map(str, topics))
    return with_replacement(rng, len(topics), resamples)


def values_of_draws(drawn: np.ndarray, statistic: Callable, count: int) -> np.ndarray:
    """What `statistic` gives of each draw's counts of topics, (B, count)."""
    return np.array([statistic(times) for times in drawn]).reshape(len(drawn), count)


def with_intervals(
    names: Sequence[str], values: np.ndarray, resampled: np.ndarray, ends: np.ndarray
) -> pd.DataFrame:
    """Values with the (2, names) ends of their intervals, and how many (B, names) draws count."""
    low, high = ends
    columns = {"quantity": list(names), "value": values, "low": low, "high": high}
    columns["defined"] = (~np.isnan(resampled)).sum(axis=0)
    return pd.DataFrame(columns | {"resamples": len(resampled)})


def _check(metric: str, weights: str) -> None:
    metric_code(metric)
    check_choice("weights", weights, KAPPA_WEIGHTS)


def _codes(both: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The grades that occur, and each document's two as codes."""
    values = np.unique(both[["first", "second"]].to_numpy())
    codes = [np.searchsorted(values, both[which].to_numpy()) for which in ("first", "second")]
    return values, *codes
