"""From preferences to scores of documents (yang2019 §5.3.1, and others).

Methods of `score_documents`:

``frequency``
    comparisons won / comparisons, a tie half (the thesis divides by K · X · Y, which is how often
    its design shows a document);
``borda``
    the same, but every opponent counts once, however often the two were compared;
``copeland``
    opponents that are beaten more often than not, equal ones half, / opponents;
``strength``
    least squares of strengths: x_right − x_left comes nearest to what was said;
``bradley-terry``, ``thurstone``
    most likely strengths (`regrade.preferences.fits`).

The last three depend on differences.  Their values can be compared within a component of the graph
of comparisons only; each component has the mean 0 unless it is regularised.

An answer is a win of its left document in part, (1 − strength) / 2: a whole one from a strength of
−1 on, which is what is written where only the winner is known, half of one for a tie, 0.15 of one
at a strength of 0.7.  That is the confidence weight that yang2019 proposes (§5.3.5: 0.96 for the
preferred document and 0.04 for the other one), the answer's own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.special import stdtrit

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.choices import PREFERENCE_SCORES
from regrade.errors import MethodError, ParameterError, check_choice
from regrade.ordering import group_starts
from regrade.percentiles import CONFIDENCE
from regrade.preferences.fits import (
    PRIOR,
    PROBABILITIES,
    components,
    least_squares,
    strengths,
    strong_groups,
)
from regrade.preferences.posterior import left_shares
from regrade.preferences.profiles import fall_of, profile_ends
from regrade.sample_means import share_interval
from regrade.tables import as_table, encode

log = logging.getLogger(__name__)

OF_DIFFERENCES = ("strength", "bradley-terry", "thurstone", "ratio")
"""Methods whose values can be compared within a component only."""

SAID = ("strength", "left_relevant", "right_relevant", "left_score", "right_score")
"""The columns of an answer that say something of its documents."""

REGULARISED = "regularised: no finite strengths are best; no interval"
CONSISTENT = "no interval: the answers agree perfectly, which says nothing of their error"
FEW = "no interval: no more answers than it takes to join the documents"
"""Why a value has no interval."""

_NO_ERROR = 1e-15
"""Up to here squares of residuals, as a share of those of what was said, are rounding."""


@dataclass(frozen=True)
class Comparisons:
    """Comparisons of documents, by pair.

    Attributes
    ----------
    rows
        The answers; D documents, P pairs.
    pair, share, weight
        (n,): of each answer its pair, what of a win it is for the pair's first document, and how
        much it counts; in one order whatever that of the rows, so that sums do not depend on it.
    """

    rows: CodedAnswers
    pair: np.ndarray
    share: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, rows: CodedAnswers, bias: float = 0.0, even_sides: bool = False) -> Comparisons:
        """Answers that were given, each a win in part."""
        left = bias + (1 - 2 * bias) * left_shares(rows.strength)
        weight = _side_weights(rows) if even_sides else np.ones(len(left))
        share, pair = np.where(rows.left < rows.right, left, 1 - left), rows.pairs[2]
        order = np.lexsort((weight, share, pair))
        return cls(rows, pair[order], share[order], weight[order])

    @cached_property
    def wins(self) -> np.ndarray:
        """(P,) float64: weight of the comparisons that the first document wins; a tie half."""
        return self._sums(self.weight * self.share)

    @cached_property
    def losses(self) -> np.ndarray:
        """(P,) float64: the same of those that it loses."""
        return self._sums(self.weight * (1 - self.share))

    def _sums(self, of_answers: np.ndarray | None = None) -> np.ndarray:
        return np.bincount(self.pair, of_answers, len(self.rows.pairs[0]))

    def of_documents(self, of_first: np.ndarray, of_second: np.ndarray) -> np.ndarray:
        """(D,) sums over a document's pairs."""
        first, second, _ = self.rows.pairs
        n = len(self.rows.docno)
        return np.bincount(first, of_first, n) + np.bincount(second, of_second, n)

    @cached_property
    def _moments(self) -> np.ndarray:
        """(3, P) sums of w², w² s, w² s², of the weights w and shares s of answers."""
        return np.stack([self._sums(self.weight**2 * self.share**power) for power in range(3)])

    @cached_property
    def _parts(self) -> np.ndarray:
        """(P,) how many answers are not whole wins of weight 1."""
        return self._sums(((self.share != 0) & (self.share != 1)) | (self.weight != 1))

    def fall(self, pairs: np.ndarray, fitted: np.ndarray, n: int) -> tuple[float, str | None]:
        """The fall of 2 log L to the ends of intervals in a component; why there are none.

        Whole wins have the variance p (1 − p).  That of answers in part is this times a dispersion
        (quasi-likelihood): Σ w² (s − p)² / Σ w p (1 − p) over the m answers, times m / (m − n + 1).
        """
        if not self._parts[pairs].any():
            return fall_of(1.0, np.inf), None
        number = float(self._sums()[pairs].sum())
        free = number - n + 1
        if free <= 0:
            return 0.0, FEW
        zeroth, first, second = self._moments[:, pairs]
        apart = (second - 2 * fitted * first + fitted**2 * zeroth).sum()
        expected = ((self.wins + self.losses)[pairs] * fitted * (1 - fitted)).sum()
        if apart <= _NO_ERROR * second.sum():
            return 0.0, CONSISTENT
        return fall_of(apart / expected * number / free, free), None


def score_documents(
    preferences: pa.Table | pd.DataFrame | CodedAnswers,
    methods: Sequence[str] = PREFERENCE_SCORES,
    *,
    bias: float = 0.0,
    even_sides: bool = False,
    prior: float = PRIOR,
    intervals: bool = True,
) -> pd.DataFrame:
    """Scores of documents from preferences."""
    for method in methods:
        check_choice("method", method, PREFERENCE_SCORES)
    if not prior > 0:
        raise ParameterError(f"prior {prior} is not above 0")
    if not 0 <= bias < 0.5:
        raise ParameterError(f"bias {bias} is not at least 0 and below 1/2")
    rows = CodedAnswers.of(preferences)
    compared = Comparisons.of(rows, bias, even_sides)
    parts = []
    for method in methods:
        if method in ("frequency", "borda", "copeland"):
            columns = (_shares_won(compared, method),)
        elif method == "strength":
            weight = _side_weights(rows) if even_sides else np.ones(len(rows))
            order = np.lexsort((weight, rows.strength, rows.left, rows.right))
            ends = rows.right[order], rows.left[order]
            columns = _by_component(rows.component, *ends, rows.strength[order], weight[order])
        else:
            columns = _likely(compared, method, prior, intervals)
        parts.append(_table(rows, method, *columns))
    if not parts:
        raise ParameterError("no method: name one or more")
    return pd.concat([part.astype({"note": object}) for part in parts], ignore_index=True)


def ratio_scores(
    answers: pa.Table | pd.DataFrame | CodedAnswers, shift: float = 1.0
) -> pd.DataFrame:
    """Scores of documents from numbers given to both of a pair (yang2019 §5.3.1, QUESTION3).

    The ratio of a pair is the geometric mean of its answers' (s_i + shift) / (s_j + shift); a pair
    counts once.  The logs of scores are the least-squares solution over the graph of comparisons,
    the fixed point of the thesis's iteration; scores are divided by the largest of their topic.

    The thesis takes geometric means of columns of its matrix of s_i / s_j, which would make the
    most relevant documents the smallest; rows are meant.
    """
    rows = CodedAnswers.of(answers)
    numbers = np.stack([rows.columns["left_score"], rows.columns["right_score"]]) + shift
    bad = np.flatnonzero(~(np.isfinite(numbers) & (numbers > 0)).all(axis=0))
    if len(bad):
        row = bad[0]
        documents = " and ".join(rows.docno[[rows.left[row], rows.right[row]]])
        texts = " and ".join(f"{number:g}" for number in numbers[:, row] - shift)
        raise MethodError(
            f"topic {rows.topic[rows.left[row]]}: {documents} got {texts}, of which {shift:g} more "
            "is not positive and finite: leave such answers out, or raise `shift`"
        )
    difference = np.log(numbers[0]) - np.log(numbers[1])
    first, second, place = rows.pairs
    difference = np.where(rows.left < rows.right, difference, -difference)
    order = np.lexsort((difference, place))
    mean = np.bincount(place[order], difference[order]) / np.bincount(place)
    *ends, note = _by_component(rows.component, first, second, mean, np.ones(len(mean)))
    highest = _of_its_topic(np.maximum, ends[0], rows.topic)
    ends = (np.exp(part - highest) for part in ends)
    return _table(rows, "ratio", *ends, note)


def absolute_scores(answers: pa.Table | pd.DataFrame | CodedAnswers) -> pd.DataFrame:
    """How often a document was said to be relevant, of the times that it was asked about.

    yang2019 §5.3.1 divides by K · X · Y, how often its design shows a document; this is the same
    where no answer is missing.
    """
    rows = CodedAnswers.of(answers)
    flags = "left_relevant", "right_relevant"
    answered = rows.say(flags)
    if not answered.any():
        raise MethodError("no answer states the relevance of both documents")
    rows = rows.select(answered)
    documents = np.concatenate([rows.left, rows.right])
    relevant = np.bincount(documents, np.concatenate([rows.columns[flag] for flag in flags]))
    share = relevant / np.bincount(documents)
    return _table(rows, "absolute", share)


def combine_scores(
    scores: pd.DataFrame, methods: Sequence[str], shift: float = 1.0
) -> pd.DataFrame:
    """Several scores as one: the adjusted geometric mean (yang2019 §5.3.7).

    That is (Π (value + shift))^(1 / n) − shift over n methods, with the thesis's ε = 1.
    """
    for method in methods:
        check_choice("method", method, list(scores["method"].unique()))
    if not methods:
        raise ParameterError("no method to combine: name one or more")
    here = scores[scores["method"].isin(methods)]
    wide = here.pivot(index=["topic", "docno"], columns="method", values="value")[list(methods)]
    low = (wide + shift).stack()
    if (low <= 0).any():
        (topic, docno, method), value = low.idxmin(), low.min() - shift
        raise MethodError(
            f"topic {topic}, document {docno}: {method} {value:g} + {shift:g} is not positive: "
            "bring scores to a scale from 0, or raise `shift`"
        )
    value = np.exp(np.log(wide + shift).mean(axis=1, skipna=False)) - shift
    missing = wide.isna().to_numpy()
    notes = [
        f"no value of {', '.join(np.array(methods)[row])}" if row.any() else None for row in missing
    ]
    component = here.groupby(["topic", "docno"])["component"].max().loc[wide.index]
    table = wide.index.to_frame(index=False).assign(
        method=" + ".join(methods),
        value=value.to_numpy(),
        low=np.nan,
        high=np.nan,
        component=component.to_numpy(),
        note=notes,
    )
    return table[columns_of("preferences/scores")]


def comparable(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores of each topic that can be compared with each other.

    Where comparisons fall into components, values by methods of `OF_DIFFERENCES` (alone, or put
    together with others) say nothing of two documents of different ones: neither an order nor a
    distance, whether each component is rescaled by itself or all together.  So only documents of
    the topic's largest component keep theirs, of no component where several are largest.  What is
    left out is counted by topic in a warning.
    """
    names, keys = dict.fromkeys(("method", "topic"), str), ["method", "topic"]
    is_known = scores["value"].notna().to_numpy() & np.array(
        [
            bool(set(name.split(" + ")) & set(OF_DIFFERENCES))
            for name in scores["method"].astype(str)
        ],
        dtype=bool,
    )
    some = scores.loc[is_known, [*keys, "component"]].astype(names).reset_index(drop=True)
    size = some.groupby([*keys, "component"])["component"].transform("size")
    of_topic = [some[key] for key in keys]
    largest = some["component"].where(size == size.groupby(of_topic).transform("max"))
    is_kept = largest.notna() & (largest.groupby(of_topic).transform("nunique") == 1)
    for name, dropped in some[~is_kept].groupby("method", sort=False):
        by_topic = dropped.groupby("topic").size()
        named = ", ".join(f"{topic} ({number})" for topic, number in by_topic.items())
        log.warning(
            "%s cannot be compared across components: left out, of each topic, the documents that "
            "no chain of comparisons joins to the most others: %s",
            name,
            named,
        )
    if is_kept.all():
        return scores
    is_off = np.zeros(len(scores), dtype=bool)
    is_off[is_known] = ~is_kept
    return scores[~is_off]


def comparison_graphs(preferences: pa.Table | pd.DataFrame) -> pd.DataFrame:
    """What each topic's comparisons can tell."""
    rows = CodedAnswers.of(preferences)
    compared, (first, second, _) = Comparisons.of(rows), rows.pairs
    topics, topic = np.unique(rows.topic, return_inverse=True)
    finite, n = np.ones(len(topics), dtype=bool), len(topics)
    groups, unbeaten, unwinning, largest, number = np.zeros((5, n), dtype=np.int64)
    for documents, pairs, *ends in _each(rows.component, first, second):
        here = topic[documents[0]]
        results = compared.wins[pairs], compared.losses[pairs]
        strong = strong_groups(len(documents), *ends, *results)
        finite[here] &= strong[0] == 1
        for counts, values in zip((groups, unbeaten, unwinning), strong, strict=True):
            counts[here] += values
        largest[here] = max(largest[here], len(documents))
        number[here] += 1
    won = compared.of_documents(compared.wins, compared.losses)
    lost = compared.of_documents(compared.losses, compared.wins)
    of_row = topic[rows.left]
    counted = {
        "documents": topic,
        "preferences": of_row,
        "pairs": topic[first],
        "ties": of_row[rows.strength == 0],
        "never_beaten": topic[lost == 0],
        "never_winning": topic[won == 0],
    }
    columns = {name: np.bincount(of, minlength=n) for name, of in counted.items()}
    columns |= {"topic": topics, "components": number, "largest": largest, "finite": finite}
    columns["answers_missing"] = np.maximum(unbeaten, unwinning) - (unbeaten == groups)
    return pd.DataFrame(columns)[columns_of("preferences/graphs")]


def side_shares(preferences: pa.Table | pd.DataFrame) -> pd.DataFrame:
    """How often the left document is preferred, where sides are known (yang2019 §5.3.5)."""
    table = as_table(preferences)
    rows = CodedAnswers.of(table)
    kept = rows.sides & (rows.strength != 0)
    topic = rows.topic[rows.left]
    worker = encode(table["worker"])[1] if "worker" in table.column_names else np.zeros(len(rows))
    parts = []
    for name in (*np.unique(topic), ALL_TOPICS):
        here = kept if name == ALL_TOPICS else kept & (topic == name)
        left = rows.strength[here] < 0
        n = len(left)
        ends = _ends_of_sides(left, rows.pairs[2][here], worker[here])
        parts.append((name, n, int(left.sum()), left.mean() if n else np.nan, *ends))
    return pd.DataFrame(parts, columns=columns_of("preferences/sides"))


def _ends_of_sides(left: np.ndarray, pair: np.ndarray, worker: np.ndarray) -> np.ndarray:
    """The interval of a share of answers, those about one pair, and those of one worker, alike.

    A pair that several workers saw with the same sides is answered alike for its documents' sake,
    and a worker may like a side.  The variance is that over pairs and that over workers, less what
    both hold (Cameron, Gelbach and Miller, Robust inference with multiway clustering, Journal of
    Business & Economic Statistics 29(2), 2011), and no less than that over either, or than that of
    independent answers; of one worker, that over pairs.
    """
    n = len(left)
    groups = [np.unique(of, return_inverse=True)[1] for of in (pair, worker)]
    count = [int(of.max(initial=-1)) + 1 for of in groups]
    if count[0] < 2:
        return np.full(2, np.nan)
    share = left.mean()

    def variance(of: np.ndarray) -> float:
        sums = np.bincount(of, left - share)
        return len(sums) / max(len(sums) - 1, 1) * float((sums**2).sum())

    variances = [variance(of) for of, many in zip(groups, count, strict=True) if many > 1]
    if len(variances) == 2:
        both = groups[0].astype(np.int64) * count[1] + groups[1]
        variances.append(sum(variances) - variance(np.unique(both, return_inverse=True)[1]))
    independent = n * share * (1 - share)
    error = np.sqrt(max(*variances, independent)) / n
    return share_interval(share, error, min(many for many in count if many > 1))


@dataclass(frozen=True)
class CodedAnswers:
    """A row per answer, with numbers for documents.

    Attributes
    ----------
    topic, docno
        (D,) object: the documents, sorted.
    left, right
        (n,) int: those of each answer.
    sides
        (n,) bool: whether they are known to have stood there.
    columns : mapping of str to array of float64, shape (n,)
        Each column of what was said of the two, NaN where nothing was.
    """

    topic: np.ndarray
    docno: np.ndarray
    left: np.ndarray
    right: np.ndarray
    sides: np.ndarray
    columns: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, preferences: pa.Table | pd.DataFrame | CodedAnswers) -> CodedAnswers:
        """The rows of a table (schema ``preferences``), or what it has made already."""
        if isinstance(preferences, cls):
            return preferences
        table = as_table(preferences)
        if not len(table):
            raise MethodError("there is no preference to score documents from")
        topics, topic = encode(table["topic"])
        sides = (table[name].cast(pa.string()).chunks for name in ("left", "right"))
        docnos, codes = encode(pa.chunked_array([chunk for side in sides for chunk in side]))
        known = [name for name in SAID if name in table.column_names]
        columns = {name: table[name].cast(pa.float64()).to_numpy() for name in known}
        left, right = np.split(codes, 2)
        for bad, what in (
            (left == right, "is compared with itself"),
            (~np.isfinite(columns.get("strength", 0.0)), "has a strength that is not finite"),
        ):
            if bad.any():
                row = np.argmax(bad)
                raise MethodError(
                    f"topic {topics[topic[row]]}: document {docnos[left[row]]} {what}"
                )
        # a document counts once for each topic
        key = np.concatenate([topic, topic]).astype(np.int64) * len(docnos) + codes
        documents, place = np.unique(key, return_inverse=True)
        left, right = np.split(place, 2)
        of_topic, docno = np.divmod(documents, len(docnos))
        names = (np.array(part.to_pylist(), dtype=object) for part in (topics, docnos))
        topic, docno = (part[code] for part, code in zip(names, (of_topic, docno), strict=True))
        sides = table["sides"].to_numpy() if "sides" in table.column_names else left < 0
        return cls(topic, docno, left, right, sides, columns)

    def __len__(self) -> int:
        """How many answers they are."""
        return len(self.left)

    @property
    def strength(self) -> np.ndarray:
        """(n,) float64: below 0 for the left document."""
        return self.columns["strength"]

    def say(self, columns: Sequence[str]) -> np.ndarray:
        """(n,) bool: which answers say something in each of these columns."""
        if set(columns) - set(self.columns):
            return np.zeros(len(self), dtype=bool)
        return ~np.isnan([self.columns[name] for name in columns]).any(axis=0)

    def select(self, kept: np.ndarray) -> CodedAnswers:
        """Some of the answers, (n,) bool, and the documents that these are of."""
        if kept.all():
            return self
        left, right = self.left[kept], self.right[kept]
        there = np.zeros(len(self.docno), dtype=bool)
        there[left] = there[right] = True
        place = np.cumsum(there) - 1
        columns = {name: values[kept] for name, values in self.columns.items()}
        documents = self.topic[there], self.docno[there]
        return CodedAnswers(*documents, place[left], place[right], self.sides[kept], columns)

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The two documents of each pair, in order, and each row's pair."""
        n = len(self.docno)
        low, high = np.minimum(self.left, self.right), np.maximum(self.left, self.right)
        key, place = np.unique(low.astype(np.int64) * n + high, return_inverse=True)
        return key // n, key % n, place

    @cached_property
    def component(self) -> np.ndarray:
        """(D,) int: numbers of what comparisons join, from 0; topics share none."""
        return components(len(self.docno), *self.pairs[:2])


def _side_weights(rows: CodedAnswers) -> np.ndarray:
    """Weights that give both sides' preferences the same sum; see `score_documents`."""
    left = rows.sides & (rows.strength < 0)
    right = rows.sides & (rows.strength > 0)
    if left.any() != right.any():
        side = "left" if left.any() else "right"
        raise MethodError(
            f"all preferences are for the {side} document: no weights make the sides even"
        )
    weight = np.ones(len(rows.strength))
    total = (left.sum() + right.sum()) / 2
    for side in (left, right):
        weight[side] = total / max(side.sum(), 1)
    return weight


def _each(
    component: np.ndarray, first: np.ndarray, second: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Of each component its documents, its pairs, and these as numbers among its documents."""
    of_component = []
    for of in (component, component[first]):
        ends = np.cumsum(np.bincount(of, minlength=component.max() + 1))[:-1]
        of_component.append(np.split(np.argsort(of, kind="stable"), ends))
    place = np.empty(len(component), dtype=np.int64)
    for documents, pairs in zip(*of_component, strict=True):
        place[documents] = np.arange(len(documents))
        yield documents, pairs, place[first[pairs]], place[second[pairs]]


def _by_component(
    component: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    difference: np.ndarray,
    weight: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Least squares, component by component: (D,) values, lower and upper ends, notes."""
    value, half = np.empty((2, len(component)))
    note = np.full(len(component), None, dtype=object)
    for documents, rows, i, j in _each(component, first, second):
        x, error = least_squares(len(documents), i, j, difference[rows], weight[rows])
        free = len(rows) - len(documents) + 1
        value[documents] = x
        half[documents] = stdtrit(max(free, 1), (1 + CONFIDENCE) / 2) * error
        if np.isnan(error).any():
            note[documents] = CONSISTENT if free > 0 else FEW
    return value, value - half, value + half, note


def _shares_won(compared: Comparisons, method: str) -> np.ndarray:
    """(D,) what of its comparisons, or of its opponents, a document wins."""
    won, lost = compared.wins, compared.losses
    times = won + lost
    if method == "copeland":
        # halves of equal weights are equal up to rounding
        won = (1 + np.sign(np.where(np.abs(won - lost) <= 1e-12 * times, 0.0, won - lost))) / 2
    elif method == "borda":
        won = won / times
    if method != "frequency":
        lost, times = 1 - won, np.ones(len(won))
    return compared.of_documents(won, lost) / compared.of_documents(times, times)


def _likely(
    compared: Comparisons, method: str, prior: float, intervals: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Most likely strengths, component by component: values, lower and upper ends, notes."""
    rows, n = compared.rows, len(compared.rows.docno)
    value, lower, upper = np.full((3, n), np.nan)
    note = np.full(n, None, dtype=object)
    for documents, pairs, *at in _each(rows.component, *rows.pairs[:2]):
        of_pairs = *at, compared.wins[pairs], compared.losses[pairs]
        x, is_finite = strengths(len(documents), *of_pairs, method, prior)
        value[documents] = x
        if not is_finite:
            note[documents] = REGULARISED
        elif intervals:
            fitted = PROBABILITIES[method](x[at[0]] - x[at[1]])
            fall, note[documents] = compared.fall(pairs, fitted, len(documents))
            lower[documents], upper[documents] = profile_ends(*of_pairs, x, method, fall)
    return value, lower, upper, note


def _table(
    rows: CodedAnswers, method: str, value, lower=np.nan, upper=np.nan, note=None
) -> pd.DataFrame:
    """Columns of ``preferences/scores``; components counted anew in each topic."""
    # documents are sorted and components numbered by their first one: a topic's are consecutive
    number = rows.component - _of_its_topic(np.minimum, rows.component, rows.topic) + 1
    columns = (rows.topic, rows.docno, method, value, lower, upper, number, note)
    return pd.DataFrame(dict(zip(columns_of("preferences/scores"), columns, strict=True)))


def _of_its_topic(function: np.ufunc, values: np.ndarray, topic: np.ndarray) -> np.ndarray:
    """For each of (D,) documents, sorted, the lowest or highest value of its topic."""
    starts = group_starts(topic)
    return np.repeat(function.reduceat(values, starts), np.diff(starts, append=len(topic)))
