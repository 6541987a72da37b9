"""Which documents carry a judge's favour for a family of systems.

A measure that is a sum of gains by rank, Σ W(i)·gain, or a ratio of such a sum and its highest
value (nDCG), gives each document a part of the favour.  With ĝ(l, d) the gain of document d under
label set l, over the ideal sum of its topic where the measure is a ratio, and with W_F(d) the mean
weight of the ranks of d in the systems of family F less that in the other systems,

    favour of the topic = Σ_d W_F(d)·(ĝ(judge, d) − ĝ(reference, d)),

exactly; less the control, and at equal quality (`regrade.favours.effects`), ĝ(control, d) −
ĝ(reference, d) and b·ĝ(reference, d) are taken off.  Of a ratio, ĝ differs by the gain itself and
by the ideal sum, which all documents of the topic share: with gains g as shares of the highest one,
and ideal sums I of these,

    ĝ(l) − ĝ(r) = (g(l) − g(r))·(1/I(l) + 1/I(r)) / 2 + (g(l) + g(r))·(1/I(l) − 1/I(r)) / 2,

the second part being that of the ideal.  A document is *unique* to a family that has it among its
first documents while no other system has; *shared* if another system has it too; of *others* if
only these have it.

Labels are compared as shares of their scale's highest level: what a judge gives more than the
reference to the unique documents, less what it gives more to all other first documents; at equal
grades, to those with the same grade under the reference, weighted as the unique documents are.
Topics are drawn whole: intervals are by the jackknife over topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy.special import stdtr

from regrade import formulas
from regrade.favours.effects import NEIGHBOURS, at_equal_quality, beside_others
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE
from regrade.measures import Measure, is_sum
from regrade.run_arrays import RankedLists
from regrade.sample_means import skewed_ends, skewness, unskewed_t

DEPTH = 10
"""First documents of a ranking, for measures without a cutoff."""

UNIQUE, SHARED, OTHERS, DEEPER = "unique", "shared", "others", "deeper"
GROUPS = (UNIQUE, SHARED, OTHERS, DEEPER)
"""Documents by whose first ones they are among: of the family alone, of both, of other systems
alone; of none, though their ranks count."""

FINEST = 11
"""Distinct grades of a reference up to which documents are compared at equal grades."""


def first_documents(measure: Measure) -> int:
    """The number of first documents of a ranking that a measure looks at."""
    return _cutoff(measure) or DEPTH


def _cutoff(measure: Measure) -> int | None:
    return measure["cutoff"] if "cutoff" in measure.definition.takes else None


def is_carried(measure: Measure) -> bool:
    """Whether documents have parts of a measure: a sum of gains by rank, or a ratio to its ideal.

    Where unjudged documents are taken out of rankings, their ranks depend on the label set.
    """
    is_known = is_sum(measure) or measure.definition.of_gains == "ratio"
    return is_known and not measure.judged_only and not measure.by_topic


@dataclass(frozen=True, eq=False)
class DocumentLabels:
    """What L label sets say of D documents of T topics.

    Attributes
    ----------
    grades, shares : array of float64, shape (L, D)
        Grades, and these as shares of the scale's highest level; NaN of documents without one, and
        shares of scales without a highest level.
    gains : array of float64, shape (L, D)
        Gains, over the ideal sum of the topic where the measure is a ratio; 0 without a grade; NaN
        on topics without any label of the set.
    ideals : array of float64, shape (L, T)
        The ideal sums, of gains as shares of the highest; 1 where the measure is a sum.
    """

    grades: np.ndarray
    shares: np.ndarray
    gains: np.ndarray
    ideals: np.ndarray

    @property
    def known(self) -> np.ndarray:
        """(L, T) whether a set has labels of a topic."""
        return ~np.isnan(self.ideals)


@dataclass(frozen=True, eq=False)
class FirstDocuments:
    """The documents whose ranks count, under all label sets.

    Attributes
    ----------
    measure
        The measure.
    topics
        T names.
    codes, topic : arrays of int, shape (D,)
        The code of each document in the runs, and the number of its topic, ascending.
    weights : array of float64, shape (S, D)
        W of the rank of each document in each ranking; 0 where its rank does not count.
    is_first : array of bool, shape (S, D)
        Whether it is among the first documents of the ranking.
    reference, judges, controls
        Their labels; the reference is one set.
    """

    measure: Measure
    topics: tuple[str, ...]
    codes: np.ndarray
    topic: np.ndarray
    weights: np.ndarray
    is_first: np.ndarray
    reference: DocumentLabels
    judges: DocumentLabels
    controls: DocumentLabels

    @classmethod
    def of(
        cls,
        measure: Measure,
        ranked: RankedLists,
        topics: Sequence[str],
        reference: tuple[pa.Table, float],
        judges: Sequence[tuple[pa.Table, float]],
        controls: Sequence[tuple[pa.Table, float]],
    ) -> FirstDocuments:
        """Those of some topics.

        Parameters
        ----------
        measure
            The measure; where it is not carried by documents there are no weights and no gains.
        ranked
            The runs.
        topics
            Topics of the runs.
        reference, judges, controls
            Label sets of the same documents (schema ``qrels``), each with its scale's highest
            level; a control may lack topics.
        """
        of = [_CodedLabels.of(measure, ranked, topics, *one) for one in (reference, *judges)]
        of_controls = [_CodedLabels.of(measure, ranked, topics, *one) for one in controls]
        topic, codes, weights, is_first = _ranked(measure, ranked, topics, of[0])

        def labels(sets: Sequence[_CodedLabels]) -> DocumentLabels:
            parts = [one.of_documents(codes, topic) for one in sets]
            shapes = [(len(codes),)] * 3 + [(len(topics),)]
            columns = zip(*parts, strict=True) if parts else [()] * len(shapes)
            pairs = zip(columns, shapes, strict=True)
            return DocumentLabels(*(np.array(one).reshape(-1, *shape) for one, shape in pairs))

        sets = labels(of[:1]), labels(of[1:]), labels(of_controls)
        return cls(measure, (*topics,), codes, topic, weights, is_first, *sets)

    @property
    def is_labelled(self) -> np.ndarray:
        """(D,) whether the label sets have a document."""
        return ~np.isnan(self.reference.grades[0])

    def groups(self, members: np.ndarray) -> np.ndarray:
        """(F, D) the number in `GROUPS` of each document, for (F, S) families."""
        inside = np.array([self.is_first[own].any(axis=0) for own in members])
        outside = np.array([self.is_first[~own].any(axis=0) for own in members])
        return np.select([inside & ~outside, inside & outside, outside], [0, 1, 2], 3)

    def topic_sums(self, values: np.ndarray, group: np.ndarray, count: int) -> np.ndarray:
        """(…, `count`, T) sums of (…, D) values over the documents of each topic and group (D,)."""
        sums = np.zeros((*values.shape[:-1], count, len(self.topics)))
        for place in range(count):
            own = np.flatnonzero(group == place)
            if own.size:
                topics, starts = np.unique(self.topic[own], return_index=True)
                of_topics = np.add.reduceat(values[..., own], starts, axis=-1)
                sums[..., place, topics] = of_topics
        return sums

    def differences(self, *, beside_control: bool) -> tuple[np.ndarray, np.ndarray]:
        """(J, D) gains of judges less the reference's, or less the control's; and of the ideal.

        The second are the part of the differences that the ideal sums make.
        """
        parts = self._less_reference(self.judges)
        if not beside_control:
            return parts
        control = self._less_reference(self.controls)
        return tuple(of - mean_of_known(one) for of, one in zip(parts, control, strict=True))

    def _less_reference(self, sets: DocumentLabels) -> tuple[np.ndarray, np.ndarray]:
        """(L, D) gains less the reference's, and the part of them that the ideal sums make."""
        ideals = (one.ideals[:, self.topic] for one in (sets, self.reference))
        own, other = ideals
        gains = sets.gains * own + self.reference.gains * other
        return sets.gains - self.reference.gains, gains * (_inverse(own) - _inverse(other)) / 2


def mean_of_known(values: np.ndarray) -> np.ndarray:
    """(D,) the mean over the sets that know a document, of (L, D) values; NaN where none does."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.divide(total, count, where=count > 0, out=np.full(total.shape, np.nan))


def _inverse(values: np.ndarray) -> np.ndarray:
    """1 / values; 0 of 0."""
    return np.divide(1.0, values, out=np.zeros(values.shape), where=values != 0)


@dataclass(frozen=True, eq=False)
class _CodedLabels:
    """A label set in the codes of the runs, by rows: topic, code, grade, share and gain."""

    topic: np.ndarray
    codes: np.ndarray
    values: np.ndarray
    ideals: np.ndarray
    names: int

    @classmethod
    def of(
        cls,
        measure: Measure,
        ranked: RankedLists,
        topics: Sequence[str],
        table: pa.Table,
        high: float,
    ) -> _CodedLabels:
        place = {topic: t for t, topic in enumerate(topics)}
        names = table["topic"].cast(pa.string()).to_pylist()
        topic = np.array([place.get(name, -1) for name in names], np.int64)
        kept = topic >= 0
        codes = ranked.codes(table["topic"], table["docno"])[kept]
        topic, grades = topic[kept], table["grade"].to_numpy().astype(float)[kept]
        is_known = np.isin(np.arange(len(topics)), topic)
        gains, ideals = np.full(len(grades), np.nan), np.where(is_known, 1.0, np.nan)
        if is_carried(measure):
            gains = gains_of(measure, grades, high)
            if not is_sum(measure):
                sums = _ideal_sums(measure, gains, topic, len(topics))
                top = gains_of(measure, np.array([high]), high)[0] if np.isfinite(high) else 1.0
                gains, ideals = (
                    gains * _inverse(sums)[topic],
                    np.where(is_known, sums / top, np.nan),
                )
        shares = grades / high if np.isfinite(high) else np.full(len(grades), np.nan)
        return cls(topic, codes, np.array([grades, shares, gains]), ideals, len(ranked.names))

    def of_documents(self, codes: np.ndarray, topic: np.ndarray) -> tuple[np.ndarray, ...]:
        """Grades, shares and gains of documents; ideal sums of topics."""
        by_code = np.full((len(self.values), self.names), np.nan)
        retrieved = self.codes >= 0
        by_code[:, self.codes[retrieved]] = self.values[:, retrieved]
        grades, shares, gains = by_code[:, codes]
        is_lacking = np.isnan(self.ideals[topic])
        return grades, shares, np.where(is_lacking, np.nan, np.nan_to_num(gains)), self.ideals


def gains_of(measure: Measure, grades: np.ndarray, high: float) -> np.ndarray:
    """The gain of each grade, whatever the scale's levels."""
    if measure.name == "P":
        return (grades >= measure["rel"]).astype(float)
    if measure.name in ("DCG", "nDCG"):
        return formulas.dcg_gains(measure, grades)
    return formulas.gain_shares(measure, grades, high)


def rank_weights(measure: Measure, depth: int) -> np.ndarray:
    """(depth,) W of the ranks from 1, where the measure is a sum or a ratio of sums."""
    i = np.arange(1.0, depth + 1)
    # an nDCG has those of its DCG
    of_ranks = formulas.dcg_weights if measure.name == "nDCG" else Measure.weights
    return np.where(i <= (_cutoff(measure) or depth), of_ranks(measure, i, i, 0.0), 0.0)


def _ideal_sums(measure: Measure, gains: np.ndarray, topic: np.ndarray, topics: int) -> np.ndarray:
    """(topics,) the highest sum of each topic."""
    order = np.lexsort((-gains, topic))
    starts = np.searchsorted(topic[order], np.arange(topics))
    rank = np.arange(len(topic)) - starts[topic[order]]
    weights = rank_weights(measure, int(rank.max(initial=0)) + 1)
    return np.bincount(topic[order], weights[rank] * gains[order], topics)


def _ranked(
    measure: Measure, ranked: RankedLists, topics: Sequence[str], labels: _CodedLabels
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Documents among the first, or labelled with a rank that counts, by topic and then code."""
    systems, depth = len(ranked.systems), first_documents(measure)
    deepest = max(int(np.diff(ranked.offsets).max(initial=0)), 1)
    weights = rank_weights(measure, deepest) if is_carried(measure) else np.zeros(deepest)
    is_labelled = np.zeros(len(ranked.names), bool)
    is_labelled[labels.codes[labels.codes >= 0]] = True
    place = {topic: t for t, topic in enumerate(ranked.topics)}
    parts = []
    for t, topic in enumerate(topics):
        first = place[topic] * systems
        bounds = ranked.offsets[first : first + systems + 1]
        codes = ranked.documents[bounds[0] : bounds[-1]]
        system = np.repeat(np.arange(systems), np.diff(bounds))
        rank = np.arange(bounds[0], bounds[-1]) - bounds[:-1][system]
        counts = (rank < depth) | (is_labelled[codes] & (weights[rank] > 0))
        codes, system, rank = codes[counts], system[counts], rank[counts]
        known, column = np.unique(codes, return_inverse=True)
        own = np.zeros((systems, len(known)))
        own[system, column] = weights[rank]
        is_first = np.zeros(own.shape, bool)
        is_first[system, column] = rank < depth
        parts.append((np.full(len(known), t), known, own, is_first))
    return tuple(np.concatenate(one, axis=-1) for one in zip(*parts, strict=True))


@dataclass(frozen=True, eq=False)
class Estimates:
    """Values over topics, with intervals.

    Attributes
    ----------
    value, low, high, p : arrays of float64
        The value, its 95% interval and the p-value of a two-sided test of 0; NaN where undefined.
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray

    @classmethod
    def of(cls, value: np.ndarray, pseudo: np.ndarray, counts: np.ndarray) -> Estimates:
        """Of the jackknife's pseudo-values (…, T), where `counts` topics of them say something."""
        topics = pseudo.shape[-1]
        error = pseudo.std(axis=-1, ddof=1) / np.sqrt(topics) if topics > 1 else np.nan * value
        skew = skewness(pseudo) if topics > 1 else np.nan * value
        is_estimable = (counts >= INTERVALS["label_difference"].fewest) & (error > TOLERANCE)
        freedom = max(topics - 1, 1)
        low, high = skewed_ends(value, error, skew, topics, freedom)
        t = np.divide(value, error, where=error > TOLERANCE, out=np.zeros(value.shape))
        hall = unskewed_t(t, skew, topics)
        # the test rejects where both do, as the interval reaches as far as either
        least = np.where(np.sign(hall) == np.sign(t), np.minimum(np.abs(t), np.abs(hall)), 0.0)
        p = 2 * stdtr(freedom, -least)
        return cls(value, *(np.where(is_estimable, one, np.nan) for one in (low, high, p)))


@dataclass(frozen=True, eq=False)
class Comparison:
    """With what a family is compared: other systems, and what is taken off the differences.

    Attributes
    ----------
    contrasts : array of float64, shape (F, T, S)
        Weights of the systems on each topic: those of the family less those of other systems.
    slope : array of float64, shape (J,), optional
        Of differences on quality; ``None``: not at equal quality.
    slope_without : array of float64, shape (J, T), optional
        The slopes without each topic.
    """

    contrasts: np.ndarray
    slope: np.ndarray | None = None
    slope_without: np.ndarray | None = None

    @classmethod
    def of_all(cls, reference: np.ndarray, members: np.ndarray) -> Comparison:
        """Beside all other systems, by (T, S) scores of the reference and (F, S) families."""
        return cls(_by_topic(reference, members, None))

    @classmethod
    def at_equal_quality(
        cls, difference: np.ndarray, reference: np.ndarray, members: np.ndarray
    ) -> Comparison:
        """At equal quality, by (J, T, S) differences too; see `regrade.favours.effects`."""
        of = at_equal_quality(difference, reference, members)
        return cls(_by_topic(reference, members, NEIGHBOURS), of.slope, of.slope_without)


def _by_topic(reference: np.ndarray, members: np.ndarray, neighbours: int | None) -> np.ndarray:
    """(F, T, S) what each system counts for in `beside_others`."""
    systems = np.eye(reference.shape[1])
    each = np.broadcast_to(systems[:, None], (len(systems), *reference.shape))
    return np.moveaxis(beside_others(each, reference, members, neighbours), 0, -1)


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of the favour that groups of documents carry.

    Attributes
    ----------
    carried
        (J, F, G) estimates.
    of_ideal : array of float64, shape (J, F, G)
        The part of each that the ideal sums make; NaN at equal quality.
    by_topic : array of float64, shape (J, F, G, K)
        The parts of each topic, whose mean is the value.
    differences : array of float64, shape (J, D)
        What is compared of each document: differences of gains; NaN where no control labelled the
        topic, if a control is taken off.
    weights : array of float64, shape (F, D)
        The weight of each document in the favour for each family; the part of a document is its
        weight times its difference, over K.
    """

    carried: Estimates
    of_ideal: np.ndarray
    by_topic: np.ndarray
    differences: np.ndarray
    weights: np.ndarray


def parts_of(
    documents: FirstDocuments, members: np.ndarray, than: Comparison, *, beside_control: bool
) -> Parts:
    """The parts of the favour that groups of documents carry.

    Parameters
    ----------
    documents
        Of a measure that documents carry.
    members : array of bool, shape (F, S)
        Families.
    than
        With what they are compared, on the K topics that count: all, or with `beside_control`
        those that a control labelled.
    beside_control
        Whether the control's differences are taken off.
    """
    known = np.ones(len(documents.topics), bool)
    if beside_control:
        known = documents.controls.known.any(axis=0)
    place = np.where(known, np.cumsum(known) - 1, -1)[documents.topic]
    weights = np.array([
        np.where(place >= 0, (own[place].T * documents.weights).sum(axis=0), 0.0)
        for own in than.contrasts
    ])  # fmt: skip
    groups = documents.groups(members)

    def sums(values: np.ndarray) -> np.ndarray:
        """(…, F, G, K) of (…, D) values by their weights, one family at a time."""
        of = [
            documents.topic_sums(values * own, group, len(GROUPS))[..., known]
            for own, group in zip(weights, groups, strict=True)
        ]
        return np.stack(of, axis=-3)

    differences, of_ideals = documents.differences(beside_control=beside_control)
    raised, of_ideal = sums(differences), sums(of_ideals).mean(axis=-1)
    if than.slope is None:
        by_topic = pseudo = raised
    else:
        quality = documents.reference.gains[0]
        level = sums(quality)
        by_topic = raised - than.slope[:, None, None, None] * level
        rest = raised.sum(axis=-1, keepdims=True) - raised
        rest -= than.slope_without[:, None, None] * (level.sum(axis=-1, keepdims=True) - level)
        pseudo = by_topic.sum(axis=-1, keepdims=True) - rest
        differences = differences - than.slope[:, None] * quality
        of_ideal = np.full(of_ideal.shape, np.nan)
    value = by_topic.mean(axis=-1)
    labelled = documents.is_labelled.astype(float)
    has_some = [documents.topic_sums(labelled, own, len(GROUPS))[:, known] > 0 for own in groups]
    counts = np.broadcast_to(np.sum(has_some, axis=-1), value.shape)
    return Parts(Estimates.of(value, pseudo, counts), of_ideal, by_topic, differences, weights)


def label_differences(
    documents: FirstDocuments, members: np.ndarray, *, beside_control: bool, equal_grades: bool
) -> Estimates:
    """(J, F) how much more judges give to unique documents than to the other first documents.

    Parameters
    ----------
    documents
        The documents; those with labels count.
    members : array of bool, shape (F, S)
        Families.
    beside_control
        Whether what judges give is less the mean of the controls, else less the reference.
    equal_grades
        Whether only documents of the same grade under the reference are compared, weighted by the
        unique documents of each grade; grades without a document on one side do not count.
    """
    beside = mean_of_known(documents.controls.shares) if beside_control else None
    less = documents.judges.shares - (documents.reference.shares[0] if beside is None else beside)
    is_known = ~np.isnan(less).any(axis=0)
    groups = documents.groups(members)
    grade = np.zeros(len(is_known), np.int64)
    if equal_grades:
        values, place = np.unique(documents.reference.grades[0][is_known], return_inverse=True)
        if len(values) > FINEST:
            nothing = np.full((len(less), len(members)), np.nan)
            return Estimates(nothing, nothing, nothing, nothing)
        grade[is_known] = place
    levels = int(grade.max(initial=0)) + 1
    # unique documents by grade, then the other first documents by grade
    side = np.select([groups == 0, groups < GROUPS.index(DEEPER)], [0, 1], 2)
    cell = np.where(is_known & (side < 2), side * levels + grade, -1)
    shape = (len(members), 2, levels, len(documents.topics))

    def sums(values: np.ndarray) -> np.ndarray:
        return np.stack([documents.topic_sums(values, own, 2 * levels) for own in cell], axis=-3)

    n = sums(is_known.astype(float)).reshape(shape)
    total = sums(np.nan_to_num(less)).reshape(len(less), *shape)
    n_all, total_all = n.sum(axis=-1), total.sum(axis=-1)
    value = _more_to_unique(n_all, total_all)
    without = _more_to_unique(
        np.moveaxis(n_all[..., None] - n, -1, 0)[:, None],
        np.moveaxis(total_all[..., None] - total, -1, 0),
    )
    says = n.sum(axis=(1, 2)) > 0
    topics = int(says.any(axis=0).sum())
    pseudo = topics * value[..., None] - (topics - 1) * np.moveaxis(without, 0, -1)
    counts = np.broadcast_to((n[:, 0].sum(axis=1) > 0).sum(axis=-1), value.shape)
    return Estimates.of(value, pseudo[..., says.any(axis=0)], counts)


def _more_to_unique(n: np.ndarray, total: np.ndarray) -> np.ndarray:
    """(…, F) from (…, F, 2, L) numbers and sums of unique and other documents by grade."""
    unique, others = n[..., 0, :], n[..., 1, :]
    weight = np.where(others > 0, unique, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = total[..., 0, :] / unique - total[..., 1, :] / others
        apart = np.where(weight > 0, apart, 0.0)
        return (weight * apart).sum(axis=-1) / weight.sum(axis=-1)
