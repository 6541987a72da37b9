"""Fuse rankings: the documents of many systems in one order per topic.

A `Nominations` holds who ranks which document where, turned around: by topic, then document,
then system.  `fused_order` puts the candidates of every topic into the order of a fusion
method, best first; `regrade.pools.pooling` cuts that order to a pool.

Documents of equal scores are in bytewise order of their docnos, whatever systems rank them: no
system gains from its name.  Sums run over a document's values from the lowest to the
highest, so that the same values give the same sum; fused scores tie where they differ by no more
than `TOLERANCE` of what was added up, whatever its magnitude.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from regrade.choices import FUSION_METHODS, NORMALISATIONS
from regrade.compiled import njit
from regrade.errors import ParameterError, check_choice, did_you_mean
from regrade.pools.options import NEED_SCORES, RRF_K, check_depth
from regrade.run_arrays import RankedLists

TOLERANCE = 1e-12
"""Fused scores are equal that differ by at most this share of what they add up, signs aside."""

LARGE_EXPONENT = 500
"""Scores of a ranking whose largest is beyond 2 to this or its inverse are scaled before squares
and sums are taken of them."""


@dataclass(frozen=True, eq=False)
class Nominations:
    """Who ranks which document where, by topic and document.

    Attributes
    ----------
    systems, topics
        The S systems (also those that nominate nothing) and T topics of the rankings.
    offsets
        (T + 1,) int64; the candidates of topic t are ``offsets[t]:offsets[t + 1]``.
    documents
        (C,) int32, the code of each candidate, ascending within a topic.
    starts
        (C + 1,) int64; the nominations of candidate c are ``starts[c]:starts[c + 1]``, one or
        more of them.
    system, rank
        (E,) int32; who nominates the candidate, ascending, and at what rank, from 1.
    value
        (E,) float64, what the system thinks of it (see `normalised_scores`), or ``None``.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    offsets: np.ndarray
    documents: np.ndarray
    starts: np.ndarray
    system: np.ndarray
    rank: np.ndarray
    value: np.ndarray | None = None

    @classmethod
    def gather(
        cls,
        ranked: RankedLists,
        *,
        depth: int | None = None,
        contributors: Sequence[str] | None = None,
        values: np.ndarray | None = None,
    ) -> Nominations:
        """Turn rankings around."""
        check_depth(depth)
        if values is not None and values.shape != ranked.documents.shape:
            raise ParameterError(
                f"{len(values)} values for {len(ranked.documents)} ranked documents: "
                "take the scores of the same runs"
            )
        starts, lengths = ranked.starts, ranked.lengths
        if depth is not None:
            lengths = np.minimum(lengths, depth)
        lengths = lengths * is_contributor(ranked.systems, contributors)[:, None]
        offsets, documents, nominated, entry, system = _turn_around(
            ranked.documents, starts, lengths, len(ranked.names)
        )
        T = len(ranked.topics)
        topic = np.repeat(np.arange(T), nominated[offsets[1:]] - nominated[offsets[:-1]])
        return cls(
            systems=ranked.systems,
            topics=ranked.topics,
            offsets=offsets,
            documents=documents,
            starts=nominated,
            system=system,
            rank=(entry - starts[system, topic] + 1).astype(np.int32),
            value=None if values is None else values[entry],
        )

    @property
    def votes(self) -> np.ndarray:
        """(C,) int64: how many systems nominate each candidate."""
        return np.diff(self.starts)

    @property
    def topic(self) -> np.ndarray:
        """(C,) int64: the index of each candidate's topic."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    def without(self, left_out: np.ndarray) -> Nominations:
        """What the other systems nominate."""
        stays = ~left_out[self.system]
        votes = _segment_sum(stays, self.starts)
        candidates = votes > 0
        return Nominations(
            systems=self.systems,
            topics=self.topics,
            offsets=_ends(candidates)[self.offsets],
            documents=self.documents[candidates],
            starts=np.concatenate([[0], np.cumsum(votes[candidates])]),
            system=self.system[stays],
            rank=self.rank[stays],
            value=None if self.value is None else self.value[stays],
        )


def normalised_scores(
    ranked: RankedLists, scores: np.ndarray, normalisation: str = "min-max"
) -> np.ndarray:
    """Bring the scores of every ranking to one scale (yang2019 §2.2.1).

    Notes
    -----
    Scores of any finite magnitude are normalised, be they near the largest numbers that there are.
    """
    check_choice("normalisation", normalisation, NORMALISATIONS)
    infinite = np.flatnonzero(~np.isfinite(scores))
    if len(infinite):
        system, topic = ranked.place(infinite[0])
        raise ParameterError(
            f"system {system} gives a document of topic {topic} the "
            f"score {scores[infinite[0]]}, which cannot be fused: fuse by rank instead"
        )
    if normalisation == "none":
        return scores
    lengths = np.diff(ranked.offsets)
    starts, lengths = ranked.offsets[:-1][lengths > 0], lengths[lengths > 0]
    return _NORMALISE[normalisation](_scaled(scores, starts, lengths), starts, lengths)


def fused_order(
    nominations: Nominations, method: str, *, rrf_k: float = RRF_K
) -> tuple[np.ndarray, np.ndarray]:
    """Put the candidates of every topic into one order, the best first."""
    check_choice("fusion method", method, FUSION_METHODS)
    if method in NEED_SCORES and nominations.value is None:
        raise ParameterError(f"{method} fuses scores: give the scores of the runs")
    if not rrf_k >= 0:
        raise ParameterError(f"rrf_k is {rrf_k}: it is at least 0")
    keys = _FUSE[method](nominations, **({"k": rrf_k} if method == "RRF" else {}))
    best_first = (-key for key in reversed(keys))
    order = np.lexsort((nominations.documents, *best_first, nominations.topic))
    return order, keys[0]


def is_contributor(systems: Sequence[str], contributors: Sequence[str] | None) -> np.ndarray:
    """Which of the systems contribute: (S,) bool; all where `contributors` is ``None``."""
    if contributors is None:
        return np.ones(len(systems), dtype=bool)
    for name in contributors:
        if name not in systems:
            raise ParameterError(f"there is no run of system {name}{did_you_mean(name, systems)}")
    if not len(contributors):
        raise ParameterError("no system contributes: a pool needs at least one")
    return np.isin(systems, list(contributors))


# Normalisations: scores of rankings that start at `starts` and have `lengths` documents.


def _scaled(scores: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The scores, those of very large or small rankings times a power of two.

    No normalisation changes with the scale, and a power of two changes no digit.
    """
    _, exponent = np.frexp(np.maximum.reduceat(np.abs(scores), starts))
    shift = np.where(np.abs(exponent) > LARGE_EXPONENT, -exponent, 0)
    return np.ldexp(scores, np.repeat(shift, lengths)) if shift.any() else scores


def _min_max(scores: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    lowest = np.minimum.reduceat(scores, starts)
    range_ = np.repeat(np.maximum.reduceat(scores, starts) - lowest, lengths)
    above = scores - np.repeat(lowest, lengths)
    return np.divide(above, range_, out=np.ones_like(scores), where=range_ > 0)


def _shares(scores: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    above = scores - np.repeat(np.minimum.reduceat(scores, starts), lengths)
    total = np.repeat(np.add.reduceat(above, starts), lengths)
    return np.divide(above, total, out=1 / np.repeat(lengths, lengths), where=total > 0)


def _standardised(scores: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    mean = np.add.reduceat(scores, starts) / lengths
    deviation = scores - np.repeat(mean, lengths)
    spread = np.sqrt(np.add.reduceat(deviation**2, starts) / lengths)
    # equal scores have a mean that rounding may move off them
    equal = np.maximum.reduceat(scores, starts) == np.minimum.reduceat(scores, starts)
    spread = np.repeat(np.where(equal, 0, spread), lengths)
    z = np.divide(deviation, spread, out=np.zeros_like(scores), where=spread > 0)
    return np.where(np.abs(z) <= TOLERANCE, 0.0, z)  # a score that is the mean but for rounding


_NORMALISE: dict[str, Callable | None] = {
    "min-max": _min_max,
    "sum": _shares,
    "z-score": _standardised,
    "none": None,
}
"""Ways to bring the scores of different systems to one scale; see `normalised_scores`."""


# Methods: what each gives to the candidates, most important first, higher is better.


def _best_rank(n: Nominations) -> tuple[np.ndarray, ...]:
    return (-np.minimum.reduceat(n.rank.astype(np.int64), n.starts[:-1]),)


def _borda(n: Nominations) -> tuple[np.ndarray, ...]:
    """Minus twice the rank sum, less what all candidates of the topic have in common.

    A system that ranks n_s of c candidates gives each of the others the mean of the ranks
    that remain, (n_s + 1 + c) / 2.  Less that for every system, the rank sum is
    Σ r − (n_s + 1 + c) / 2 over the systems that rank the document.
    """
    entry_topic = np.repeat(n.topic, n.votes)
    ranking = entry_topic * len(n.systems) + n.system
    n_ranked = np.bincount(ranking, minlength=1)[ranking]
    n_candidates = np.diff(n.offsets)[entry_topic]
    return (_segment_sum(n_ranked + 1 + n_candidates - 2 * n.rank.astype(np.int64), n.starts),)


def _condorcet(n: Nominations) -> tuple[np.ndarray, ...]:
    wins_less_losses = _copeland(n.offsets, n.starts, n.system, n.rank, len(n.systems))
    # the Borda score is the document's margin summed over all others
    return (wins_less_losses, *_borda(n))


def _comb(combine: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]) -> Callable:
    """A method that combines a document's values v, sorted, from `first` to `last`.

    What it combines, signs aside, bounds the rounding of the result.
    """

    def method(n: Nominations) -> tuple[np.ndarray, ...]:
        v = _sorted_segments(n.value, n.starts)
        segments = n.starts[:-1], n.starts[1:] - 1
        with np.errstate(over="ignore", invalid="ignore"):
            fused = combine(v, *segments)
        _check_overflow(n, fused)
        return (_tied(fused, combine(TOLERANCE * np.abs(v), *segments), n.offsets),)

    return method


def _check_overflow(n: Nominations, fused: np.ndarray) -> None:
    overflows = np.flatnonzero(~np.isfinite(fused))
    if not overflows.size:
        return
    candidate = overflows[0]
    nominations = slice(*n.starts[candidate : candidate + 2])
    largest = np.argmax(np.abs(n.value[nominations]))
    raise ParameterError(
        f"topic {n.topics[n.topic[candidate]]}: the scores that a document has from "
        f"{n.votes[candidate]} systems, such as {n.value[nominations][largest]} from system "
        f"{n.systems[n.system[nominations][largest]]}, add up to more than a number can hold: "
        "choose a normalisation other than none, or fuse by rank"
    )


def _total(v: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    return np.add.reduceat(v, first)


def _middle(v: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    return v[(first + last) // 2] / 2 + v[(first + last + 1) // 2] / 2


def _reciprocal_ranks(n: Nominations, k: float) -> tuple[np.ndarray, ...]:
    v = _sorted_segments(1 / (k + n.rank), n.starts)
    fused = np.add.reduceat(v, n.starts[:-1])
    return (_tied(fused, TOLERANCE * fused, n.offsets),)


_FUSE: dict[str, Callable[..., tuple[np.ndarray, ...]]] = {
    "Take": _best_rank,
    "Borda": _borda,
    "Condorcet": _condorcet,
    "CombMAX": _comb(lambda v, first, last: v[last]),
    "CombMIN": _comb(lambda v, first, last: v[first]),
    "CombMED": _comb(_middle),
    "CombSUM": _comb(_total),
    "CombANZ": _comb(lambda v, first, last: _total(v, first, last) / (last - first + 1)),
    "CombMNZ": _comb(lambda v, first, last: _total(v, first, last) * (last - first + 1)),
    "RRF": _reciprocal_ranks,
}
"""Fusion methods (yang2019 §2.2.1, and reciprocal rank fusion)."""


def _ends(counted: np.ndarray) -> np.ndarray:
    """0, then how many are counted up to each place."""
    return np.concatenate([[0], np.cumsum(counted)])


def _segment_sum(numbers: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Exact sums of integers from each start to the next."""
    sums = _ends(numbers)
    return sums[starts[1:]] - sums[starts[:-1]]


@njit(cache=True, nogil=True)
def _turn_around(documents, starts, lengths, n_documents):
    n_systems, n_topics = starts.shape
    size = lengths.sum()
    count = np.zeros(n_documents, np.int32)
    place = np.empty(n_documents, np.int64)
    offsets = np.zeros(n_topics + 1, np.int64)
    candidates = np.empty(size, np.int32)
    nominated = np.zeros(size + 1, np.int64)
    entry = np.empty(size, np.int64)
    system = np.empty(size, np.int32)
    n_candidates = 0
    for t in range(n_topics):
        first = n_candidates
        for s in range(n_systems):
            for i in range(starts[s, t], starts[s, t] + lengths[s, t]):
                if count[documents[i]] == 0:
                    candidates[n_candidates] = documents[i]
                    n_candidates += 1
                count[documents[i]] += 1
        candidates[first:n_candidates].sort()
        for c in range(first, n_candidates):
            place[candidates[c]] = nominated[c]
            nominated[c + 1] = nominated[c] + count[candidates[c]]
            count[candidates[c]] = 0
        for s in range(n_systems):
            for i in range(starts[s, t], starts[s, t] + lengths[s, t]):
                e = place[documents[i]]
                entry[e] = i
                system[e] = s
                place[documents[i]] += 1
        offsets[t + 1] = n_candidates
    return (
        offsets,
        candidates[:n_candidates].copy(),
        nominated[: n_candidates + 1].copy(),
        entry,
        system,
    )


@njit(cache=True, nogil=True)
def _sorted_segments(values, starts):
    """The values from each start to the next, ascending."""
    in_order = values.copy()
    for c in range(starts.size - 1):
        if starts[c + 1] - starts[c] > 1:
            in_order[starts[c] : starts[c + 1]].sort()
    return in_order


@njit(cache=True, nogil=True)
def _tied(score, slack, offsets):
    """The scores, all of a tie group as the highest of it.

    Within a topic a group goes on as long as neighbours differ by no more than the larger slack.
    """
    tied = score.copy()
    for t in range(offsets.size - 1):
        first = offsets[t]
        order = first + np.argsort(-score[first : offsets[t + 1]], kind="mergesort")
        for i in range(1, order.size):
            above, below = order[i - 1], order[i]
            if score[above] - score[below] <= max(slack[above], slack[below]):
                tied[below] = tied[above]
    return tied


@njit(cache=True, nogil=True)
def _copeland(offsets, starts, system, rank, n_systems):
    """Majority wins less losses of each candidate against the others of its topic.

    A system prefers what it ranks to what it does not rank.  With v votes, a candidate i has the
    margin v_i − v_j + Σ sign over the systems that rank both, where sign is −1, 0 or 1 less what
    the votes already say, which is nothing.  Few pairs have systems in common: the others
    are decided by counting votes, and only the pairs of each ranking are walked through.
    """
    score = np.empty(starts.size - 1, np.int64)
    for t in range(offsets.size - 1):
        first, last = offsets[t], offsets[t + 1]
        n = last - first
        # each system's ranking, as places among the candidates
        length = np.zeros(n_systems, np.int64)
        for e in range(starts[first], starts[last]):
            length[system[e]] = max(length[system[e]], rank[e])
        begin = np.zeros(n_systems + 1, np.int64)
        begin[1:] = np.cumsum(length)
        ranking = np.empty(begin[-1], np.int64)
        votes = np.empty(n, np.int64)
        with_votes = np.zeros(n_systems + 2, np.int64)
        for c in range(n):
            for e in range(starts[first + c], starts[first + c + 1]):
                ranking[begin[system[e]] + rank[e] - 1] = c
            votes[c] = starts[first + c + 1] - starts[first + c]
            with_votes[votes[c] + 1] += 1
        fewer = np.cumsum(with_votes)  # fewer[v]: candidates with fewer than v votes

        preferred = np.zeros(n, np.int64)
        others = np.empty(n, np.int64)
        is_other = np.zeros(n, np.bool_)
        for c in range(n):
            n_others = 0
            for e in range(starts[first + c], starts[first + c + 1]):
                s = system[e]
                for place in range(length[s]):
                    other = ranking[begin[s] + place]
                    if not is_other[other]:
                        is_other[other] = True
                        others[n_others] = other
                        n_others += 1
                    preferred[other] += int(place >= rank[e]) - int(place < rank[e] - 1)
            total = fewer[votes[c]] - (n - fewer[votes[c] + 1])
            for m in range(n_others):
                other = others[m]
                by_votes = votes[c] - votes[other]
                margin = by_votes + preferred[other]
                total += int(margin > 0) - int(margin < 0) - int(by_votes > 0) + int(by_votes < 0)
                preferred[other] = 0
                is_other[other] = False
            score[first + c] = total
    return score
