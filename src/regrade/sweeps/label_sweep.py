"""A sweep of labels: every way to make them, how they agree with a reference, which of them hold.

No system is ranked.  A universe is one choice of the labels, of the reference that they are held
beside, of the metric of α and of the topics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.cutsearch.means import mean_of_defined, topics_needed
from regrade.errors import ParameterError
from regrade.evaluations.label_agreement import agreement_of_many
from regrade.sweeps.labels import LabelledSet, LabelMaker, SweptLabels
from regrade.sweeps.options import Entry
from regrade.sweeps.outcomes import topic_rows
from regrade.sweeps.sweep import SweepDesign, counted_once

OUTCOMES = ("alpha", "relabelled")
"""Of a universe."""

COVERAGE = 0.9
"""Of the topics with documents that both label, α must be defined on so many."""

BLOCK = 2048
"""Cuts that are counted together."""


@dataclass(frozen=True, eq=False)
class LabelledDocuments:
    """The documents of a sweep, and what each set says of them.

    Attributes
    ----------
    keys
        (D,) topic and docno, sorted.
    topics
        T names, sorted.
    topic
        (D,) int64: the topic of each.
    """

    keys: pd.MultiIndex
    topics: tuple[str, ...]
    topic: np.ndarray

    @classmethod
    def of(cls, tables: Sequence[pa.Table], topics: Sequence[str]) -> LabelledDocuments:
        """All documents that some sets have on some topics."""
        wanted = set(topics)
        keys = pd.MultiIndex.from_tuples(
            sorted({key for table in tables for key in _keys(table) if key[0] in wanted}),
            names=["topic", "docno"],
        )
        names = tuple(sorted(topics))
        place = {name: t for t, name in enumerate(names)}
        return cls(keys, names, np.array([place[topic] for topic, _ in keys], dtype=np.int64))

    def values(self, table: pa.Table) -> np.ndarray:
        """(D,) float64: the value of each, NaN where a set has none."""
        own = pd.Series(table["grade"].to_numpy(), index=pd.MultiIndex.from_tuples(_keys(table)))
        return own.reindex(self.keys).to_numpy(dtype=float)

    def joint_counts(
        self, codes: np.ndarray, n_codes: int, others: np.ndarray, levels: int
    ) -> np.ndarray:
        """How many documents of each topic have each two values."""
        both = (codes >= 0) & (others >= 0)
        flat = (self.topic[both] * n_codes + codes[both]) * levels + others[both]
        shape = (len(self.topics), n_codes, levels)
        return np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)


def _keys(table: pa.Table) -> list[tuple[str, str]]:
    return list(zip(table["topic"].to_pylist(), table["docno"].to_pylist(), strict=True))


@dataclass(frozen=True, eq=False)
class LabelSweep:
    """A design with the labels that it is made of.

    Attributes
    ----------
    design
        What was asked for, over `regrade.sweeps.options.LABEL_AXES`.
    labels
        The labels of the E entries, all on as many levels.
    references
        What they are compared with, by name.
    notes
        What is to be said of labels: an entry of them, and a sentence.
    """

    design: SweepDesign
    labels: tuple[SweptLabels, ...]
    references: Mapping[str, SweptLabels]
    notes: tuple[tuple[str, str], ...] = ()
    _known: dict[Entry, np.ndarray] = field(default_factory=dict, init=False)

    @classmethod
    def of(
        cls,
        design: SweepDesign,
        sets: Mapping[str, LabelledSet],
        chosen: Mapping[str, Sequence[str]] | None = None,
    ) -> LabelSweep:
        """The sweep of a design."""
        beside = design.baseline["reference"]
        # the best cut is the one that agrees best with the reference of the baseline
        maker = LabelMaker(sets, Entry(beside, beside), design.seed, chosen or {})
        every = maker.all(design.entries)
        baseline = every[design.baseline_entry]
        design, kept, notes = counted_once(design, every)
        names = next(axis.levels for axis in design.conditions.axes if axis.name == "reference")
        levels = baseline.scale.levels or 0
        if levels < 2 or not baseline.scale.is_levels(levels):
            raise ParameterError(
                f"sweep: baseline: {baseline.entry.text} is on {baseline.scale}, and a "
                "sweep needs levels: name labels on 0, 1, …, or a cut"
            )
        scales = {labels.entry.text: labels.scale for labels in kept}
        scales |= {name: sets[name].scale for name in names}
        for name, scale in scales.items():
            if not scale.is_levels(levels):
                raise ParameterError(
                    f"sweep: {name} is on {scale}, and the baseline's labels on {levels} levels: "
                    "leave it out, or cut it into as many"
                )
        references = {name: maker.of(Entry(name, name)) for name in names}
        sweep = cls(design, kept, references, tuple(notes))
        design.check_limit(sweep.universes, int(sweep.counts.sum()))
        sweep.rows  # noqa: B018  to have topics for each level
        return sweep

    # --- as curves and shares of variance look at it ---------------------------------------

    @cached_property
    def counts(self) -> np.ndarray:
        """(E,) int64: labels of each entry."""
        return np.array([len(labels) for labels in self.labels], dtype=np.int64)

    @cached_property
    def possible(self) -> np.ndarray:
        """(E, K) bool: all combinations can be."""
        return np.ones((len(self.labels), len(self.design.conditions.codes)), dtype=bool)

    @property
    def factorials(self) -> list[list[np.ndarray]]:
        """The one complete factorial."""
        return [[np.arange(n) for n in (len(self.labels), *self.design.conditions.shape)]]

    @property
    def universes(self) -> int:
        """How many."""
        return int(self.counts.sum()) * self.possible.shape[1]

    # --- documents -------------------------------------------------------------------------

    @property
    def levels(self) -> int:
        """Of all labels."""
        return self.baseline.scale.levels

    @property
    def baseline(self) -> SweptLabels:
        """The baseline's labels."""
        return self.labels[self.design.baseline_entry]

    @cached_property
    def documents(self) -> LabelledDocuments:
        """All documents on the topics of the baseline's labels."""
        tables = [labels.table for labels in (*self.labels, *self.references.values())]
        return LabelledDocuments.of(tables, self.baseline.table["topic"].unique().to_pylist())

    @cached_property
    def baseline_levels(self) -> np.ndarray:
        """(D,) int64: of each document at the baseline, −1 where it has no label."""
        codes = self._codes(self.baseline)
        return np.where(codes >= 0, _levels_of(self.baseline, 0, 1)[0, codes], -1)

    def _codes(self, labels: SweptLabels) -> np.ndarray:
        """(D,) int64: how many thresholds a value exceeds, or its level; −1: none."""
        if labels.entry in self._known:
            return self._known[labels.entry]
        values = self.documents.values(labels.table)
        known = ~np.isnan(values)
        codes = np.full(len(values), -1, dtype=np.int64)
        is_cut = labels.places is not None
        codes[known] = labels.codes(values[known]) if is_cut else values[known].astype(np.int64)
        if not is_cut and (off := values[known][codes[known] != values[known]]).size:
            raise ParameterError(
                f"sweep: {labels.entry.text} has {off[0]:g} for a document, which is not a "
                "level: cut it (`cuts`), or choose another aggregation (`aggregate`)"
            )
        self._known[labels.entry] = codes
        return codes

    # --- outcomes --------------------------------------------------------------------------

    @cached_property
    def rows(self) -> list[np.ndarray]:
        """The topics of each level of that axis."""
        axis = self.design.conditions.axes[-1]
        return [self.topic_rows(at) for at in axis.levels]

    def topic_rows(self, level: str) -> np.ndarray:
        """The topics of a level of that axis, or of ``all``."""
        return topic_rows(level, self.documents.topics, self.design.seed)

    @cached_property
    def outcomes(self) -> dict[str, np.ndarray]:
        """Of each of `OUTCOMES` (N, K) float64, of all labels under all conditions; NaN: undefined.

        ``alpha`` is the mean over the topics where it is defined, if these are `COVERAGE` of those
        with documents that both label.  ``relabelled`` is the share of the documents labelled here
        and at the baseline that have another level.
        """
        references, metrics, _ = self.design.conditions.axes
        parts: dict[str, list[np.ndarray]] = {name: [] for name in OUTCOMES}
        others = [self._codes(self.references[name]) for name in references.levels]
        for labels in self.labels:
            *beside, baseline = (
                self._counts(labels, other) for other in (*others, self.baseline_levels)
            )
            for start in range(0, len(labels), BLOCK):
                of_codes = _levels_of(labels, start, start + BLOCK)
                joints = [self._joint(of_codes, counts) for counts in beside]
                alphas = [self._means(j, metric) for j in joints for metric in metrics.levels]
                parts["alpha"].append(np.concatenate(alphas, axis=1))
                joint = self._joint(of_codes, baseline)
                both = joint.sum(axis=(2, 3))
                moved = both - np.trace(joint, axis1=2, axis2=3)
                with np.errstate(invalid="ignore"):
                    shares = self._over_topics(moved) / self._over_topics(both)
                parts["relabelled"].append(np.tile(shares, len(alphas)))
        return {name: np.concatenate(some) for name, some in parts.items()}

    def _counts(self, labels: SweptLabels, others: np.ndarray) -> np.ndarray:
        """Documents by topic, code under some labels and level of others; int64, (T, n, L)."""
        n_codes = labels.scale.levels if labels.places is None else len(labels.thresholds) + 1
        return self.documents.joint_counts(self._codes(labels), n_codes, others, self.levels)

    def _joint(self, of_codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Documents by topic, level under each cut and level of others; int64, (B, T, L, L)."""
        one_hot = (of_codes[:, :, None] == np.arange(self.levels)).astype(np.int64)
        return np.einsum("bcl,tcr->btlr", one_hot, counts)

    def _alphas(self, joint: np.ndarray, metric: str) -> np.ndarray:
        """(B, T) α of joint counts; NaN where a topic has none."""
        values = np.arange(self.levels, dtype=float)
        flat = joint.reshape(-1, *joint.shape[2:])
        return agreement_of_many(flat, values, metric)[:, 0].reshape(joint.shape[:2])

    def _means(self, joint: np.ndarray, metric: str) -> np.ndarray:
        """(B, H) mean α over the topics of each level."""
        alphas, served = self._alphas(joint, metric), joint[0].any(axis=(1, 2))
        means = []
        for rows in self.rows:
            own = alphas[:, rows]
            enough = (~np.isnan(own)).sum(axis=1) >= topics_needed(COVERAGE, served[rows].sum())
            means.append(np.where(enough, mean_of_defined(own), np.nan))
        return np.stack(means, axis=1)

    def _over_topics(self, counts: np.ndarray) -> np.ndarray:
        """(B, H) sums of counts (B, T) over the topics of each level."""
        return np.stack([counts[:, rows].sum(axis=1) for rows in self.rows], axis=1)

    @cached_property
    def baseline_alphas(self) -> np.ndarray:
        """(T,) α at the baseline; NaN where it is undefined."""
        at = self.design.baseline
        counts = self._counts(self.baseline, self._codes(self.references[at["reference"]]))
        joint = self._joint(_levels_of(self.baseline, 0, 1), counts)
        return self._alphas(joint, at["metric"])[0]

    @cached_property
    def shares(self) -> np.ndarray:
        """(E, D, L) float64: of each entry's labels, how many give a document each level.

        Rows of zeros where an entry has no label for it.
        """
        shares = np.zeros((len(self.labels), len(self.documents.keys), self.levels))
        for e, labels in enumerate(self.labels):
            codes, each = self._codes(labels), 0
            for start in range(0, len(labels), BLOCK):
                of_codes = _levels_of(labels, start, start + BLOCK)
                each = each + (of_codes[:, :, None] == np.arange(self.levels)).sum(axis=0)
            known = codes >= 0
            shares[e, known] = each[codes[known]] / len(labels)
        return shares


def _levels_of(labels: SweptLabels, start: int, stop: int) -> np.ndarray:
    """(B, n) int64: the level that some of the cuts give each code; of levels themselves."""
    if labels.places is None:
        return np.arange(labels.scale.levels)[None]
    codes = np.arange(len(labels.thresholds) + 1)
    return (labels.places[start:stop, :, None] < codes).sum(axis=1)
