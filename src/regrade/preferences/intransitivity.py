"""Who goes round in circles?  Judges of pairs on the same triples of the same topics.

Three documents of which each two were compared go round (a cycle) where A is preferred to B, B to C
and C to A.  One answer to a pair is not what a judge thinks of it: someone with a clear order who
errs now and then makes cycles too.  So there are two baselines beside each judge, both drawn over
the same pairs with as many answers to each: answers at random (a quarter of all triples goes
round), and answers of someone whose thoughts have an order, Bradley and Terry's model with
strengths drawn from their posterior under all answers of that judge (a posterior predictive check).
More cycles than that is more than noise.

The fitted baseline has too many cycles by itself: a spread that is estimated from few answers comes
out too small, and a posterior that is taken for normal too wide.  So worlds are made in which the
model is true (strengths drawn from that posterior, the same questions), in each of which the
baseline is computed as for the judge, its spread estimated again.  What it exceeds the cycles of
its world by, on average, is taken away (a parametric bootstrap of the bias).

Where pairs were asked several times there are shares p of answers in place of single ones, and
stochastic transitivity can be looked at: where p(i, j) ≥ ½ and p(j, k) ≥ ½, then p(i, k) should be
at least ½ (``weak``), the smaller of the two (``moderate``), or the larger (``strong``).  Few
answers break the last two often by chance alone, which is why the baseline matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from regrade.catalogue import columns_of
from regrade.cholesky import upper_factor
from regrade.compiled import njit
from regrade.drawn_intervals import around
from regrade.errors import MethodError
from regrade.percentiles import interval
from regrade.preferences.consistency import STATES, minimum_feedback
from regrade.preferences.posterior import Recorded, estimate_spread, posterior
from regrade.randomness import generator

CYCLES, FEEDBACK = "cycles", "feedback"
STOCHASTIC = ("weak", "moderate", "strong")
_COUNTED = (CYCLES, *STOCHASTIC)
_NEAR = 0.01
"""How near made worlds' spreads are to the best ones, as a share: the mean over worlds counts."""
_DRAWS_OF_WORLD = 10
"""Draws of the fitted baseline of each made world: their mean counts, over all worlds."""


@dataclass(frozen=True, eq=False)
class _Judged:
    """What one judge said of one topic: P pairs, T triples of documents as triples of pairs."""

    topic: Recorded
    triples: np.ndarray  # (T, 3) pairs (i, j), (j, k), (i, k) with i < j < k
    pairs: np.ndarray  # the pairs that count for feedback


def transitivity_table(
    judges: Mapping[str, Sequence[Recorded]],
    spreads: Mapping[str, float] | None = None,
    *,
    draws: int = 200,
    worlds: int = 20,
    resamples: int = 1000,
    seed: int = 1,
    threads: int = 1,
) -> pd.DataFrame:
    """How often each judge is intransitive, on all of its triples and on those of all judges."""
    if not judges:
        raise MethodError("there is no judge: name a set of preferences")
    if spreads is None:
        spreads = {name: _spread_of(topics) for name, topics in judges.items()}
    nothing = np.arange(0)
    own = {
        name: [_Judged(of, triples_of(of.n_documents, *of.counts[:2]), nothing) for of in topics]
        for name, topics in judges.items()
    }
    scopes = {"own": own} | ({"common": _common(judges)} if len(judges) > 1 else {})
    simulated = {
        name: _simulated_worlds(topics, spreads[name], worlds, _Draws(seed, (name,)), threads)
        for name, topics in judges.items()
    }
    rows = []
    for scope, of_judges in scopes.items():
        counted = _counts(of_judges, scope == "common")
        for name, topics in of_judges.items():
            rngs = _Draws(seed, (scope, name))
            base = _baselines(topics, spreads[name], draws, rngs)
            _correct(base, topics, simulated[name], rngs, threads)
            for quantity, (tried, violated, unproven) in counted[name].items():
                first = next(iter(counted.values())).get(quantity)
                if scope == "own":
                    first = None  # other topics, other triples
                row = {"scope": scope, "judge": name, "quantity": quantity, "unproven": unproven}
                rng = generator(seed, "topics", scope)
                row |= _shares(tried, violated, first, resamples, rng)
                rows.append(row | base.get(quantity, {}))
    return pd.DataFrame(rows, columns=columns_of("pair-budgets/transitivity"))


@dataclass(frozen=True)
class _Draws:
    """Random numbers of a cell of the table, by the names of what is drawn."""

    seed: int
    cell: tuple[str, ...]

    def rng(self, what: str, *names: str) -> np.random.Generator:
        return generator(self.seed, what, *self.cell, *names)


def judge_table(judges: Mapping[str, Sequence[Recorded]]) -> pd.DataFrame:
    """What each judge's answers are worth."""
    rows = []
    for name, topics in judges.items():
        spread = _spread_of(topics)
        taus = [posterior(of.n_documents, *of.counts, spread).tau_expected() for of in topics]
        sizes = np.sum([(of.n_documents, of.n_pairs, of.n_answers) for of in topics], axis=0)
        rows.append((name, len(topics), *sizes.tolist(), spread, np.mean(taus)))
    return pd.DataFrame(rows, columns=columns_of("pair-budgets/judges"))


def _common(judges: Mapping[str, Sequence[Recorded]]) -> dict[str, list[_Judged]]:
    """Of each judge the topics that all have, in one order, with the pairs that all decided."""
    by_topic = {name: {topic.topic: topic for topic in topics} for name, topics in judges.items()}
    shared = sorted(set.intersection(*(set(topics) for topics in by_topic.values())))
    common: dict[str, list[_Judged]] = {name: [] for name in judges}
    for topic in shared:
        decided = {}  # of each judge the places of pairs of which one document is preferred
        for name, topics in by_topic.items():
            first, second, wins, losses = topics[topic].counts
            docnos = topics[topic].docnos
            places = np.flatnonzero(wins != losses).tolist()
            decided[name] = {(docnos[first[p]], docnos[second[p]]): p for p in places}
        pairs = sorted(set.intersection(*(set(signs) for signs in decided.values())))
        docnos = sorted({docno for pair in pairs for docno in pair})
        place = {docno: i for i, docno in enumerate(docnos)}
        ends = [np.array([place[pair[side]] for pair in pairs], dtype=np.int64) for side in (0, 1)]
        triples = triples_of(len(docnos), *ends)
        for name, own in decided.items():
            here = np.array([own[pair] for pair in pairs], dtype=np.int64)
            common[name].append(_Judged(by_topic[name][topic], here[triples], here))
    return common


def _counts(judges: Mapping[str, Sequence[_Judged]], common: bool) -> dict[str, dict]:
    """Judge → quantity → (by topic: tried, violated; topics without a proof)."""
    counted: dict[str, dict] = {name: {} for name in judges}
    for name, topics in judges.items():
        totals = [_violated(judged) for judged in topics]
        for q, quantity in enumerate(_COUNTED):
            tried, violated = (np.array([total[part][q] for total in totals]) for part in (0, 1))
            # of common triples each judge was asked other pairs several times
            if quantity == CYCLES or (tried.any() and not common):
                counted[name][quantity] = (tried, violated, 0)
    if common:
        broken = {
            name: np.array([_feedback(of.topic, of.pairs) for of in topics])
            for name, topics in judges.items()
        }
        # in topics where it is proven for every judge
        proven = ~np.isnan(list(broken.values())).any(axis=0)
        for name, topics in judges.items():
            pairs = np.array([len(of.pairs) for of in topics])
            both = np.where(proven, pairs, 0), np.where(proven, broken[name], 0)
            counted[name][FEEDBACK] = (*both, int((~proven).sum()))
    return counted


def _feedback(topic: Recorded, pairs: np.ndarray) -> float:
    """The fewest of these pairs that an order disagrees with; NaN where many are in circles."""
    n = topic.n_documents
    first, second, wins, losses = (of[pairs] for of in topic.counts)
    preferred = np.zeros((n, n), dtype=np.int64)
    won = wins > losses
    preferred[np.where(won, first, second), np.where(won, second, first)] = 1
    label = connected_components(sparse.csr_array(preferred), connection="strong")[1]
    if np.bincount(label).max() > STATES:
        return np.nan
    return float(minimum_feedback(preferred).value)


def _simulated_worlds(
    topics: Sequence[Recorded], spread: float, worlds: int, rngs: _Draws, threads: int
) -> list[tuple[dict[str, Recorded], float]]:
    """Made answers by topic, and the spread they speak for, of each world."""
    strengths = [
        _drawn_strengths(topic, spread, worlds, rngs.rng("worlds", topic.topic)) for topic in topics
    ]

    def world(number: int) -> tuple[dict[str, Recorded], float]:
        answers = []
        for topic, x in zip(topics, strengths, strict=True):
            rng = rngs.rng("made answers", topic.topic, str(number))
            answers.append(simulated_answers(topic, x[number], rng))
        estimated = _spread_of(answers, start=spread, within=_NEAR)
        return {topic.topic: topic for topic in answers}, estimated

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(world, range(worlds)))


def simulated_answers(topic: Recorded, strengths: np.ndarray, rng: np.random.Generator) -> Recorded:
    """The same questions answered by someone whose thoughts have an order."""
    times = np.diff(topic.offsets)
    wins = rng.binomial(times, expit(strengths[topic.first] - strengths[topic.second]))
    of_pair = np.repeat(np.arange(topic.n_pairs), times)
    number = np.arange(topic.n_answers) - topic.offsets[of_pair]
    # those for the second document first: ascending, as recorded ones are
    return replace(topic, answers=(number >= (times - wins)[of_pair]).astype(np.float64))


def _correct(
    base: dict, topics: Sequence[_Judged], simulated: Sequence, rngs: _Draws, threads: int
):
    """Take off the fitted baseline, in place, what it exceeds made answers' own shares by."""

    def excess(number: int) -> np.ndarray:
        answers, spread = simulated[number]
        judged = [replace(of, topic=answers[of.topic.topic]) for of in topics]
        of_world = _Draws(rngs.seed, (*rngs.cell, "world", str(number)))
        drawn = _drawn_shares("fitted", judged, spread, _DRAWS_OF_WORLD, of_world)
        tried, violated = sum((np.array(_violated(of)) for of in judged), np.zeros((2, 1)))
        with np.errstate(invalid="ignore"):
            return drawn.mean(axis=0) - violated / tried

    with ThreadPoolExecutor(threads) as pool:
        excesses = list(pool.map(excess, range(len(simulated))))
    for q, quantity in enumerate(_COUNTED):
        known = [values[q] for values in excesses if not np.isnan(values[q])]
        bias = np.mean(known) if known else 0.0
        for name in ("fitted", "fitted_low", "fitted_high"):
            base[quantity][name] = max(base[quantity][name] - bias, 0.0)
        base[quantity]["fitted_bias"] = bias


def _violated(judged: _Judged) -> tuple[np.ndarray, np.ndarray]:
    """Triples that count and that are violated, by quantity."""
    return violations(judged.topic.wins, np.diff(judged.topic.offsets), judged.triples)


def _spread_of(topics: Sequence[Recorded], **how: float) -> float:
    return estimate_spread([(topic.n_documents, *topic.counts) for topic in topics], **how)


def _baselines(topics: Sequence[_Judged], spread: float, draws: int, rngs: _Draws) -> dict:
    """Quantity → mean and 95 % of shares of answers at random, and of a fitted order's."""
    rows: dict[str, dict[str, float]] = {quantity: {} for quantity in _COUNTED}
    for kind in ("random", "fitted"):
        shares = _drawn_shares(kind, topics, spread, draws, rngs)
        for q, quantity in enumerate(_COUNTED):
            known = shares[~np.isnan(shares[:, q]), q]
            values = (known.mean() if len(known) else np.nan, *interval(known))
            of_kind = (kind, f"{kind}_low", f"{kind}_high")
            rows[quantity] |= dict(zip(of_kind, values, strict=True))
    return rows


def _drawn_shares(
    kind: str, topics: Sequence[_Judged], spread: float, draws: int, rngs: _Draws
) -> np.ndarray:
    """(draws, quantities): shares violated by answers that are drawn over the same questions."""
    tried, violated = np.zeros((2, draws, len(_COUNTED)))
    for judged in topics:
        topic = judged.topic
        rng = rngs.rng(kind, topic.topic)
        chance = np.full(topic.n_pairs, 0.5)
        if kind == "fitted":
            x = _drawn_strengths(topic, spread, draws, rng)
            chance = expit(x[:, topic.first] - x[:, topic.second])
        times = np.diff(topic.offsets)
        wins = rng.binomial(times, chance, (draws, len(times))).astype(np.float64)
        for d in range(draws):
            counts = violations(wins[d], times, judged.triples)
            tried[d] += counts[0]
            violated[d] += counts[1]
    with np.errstate(invalid="ignore"):
        return violated / tried


def _drawn_strengths(topic: Recorded, spread: float, draws: int, rng: np.random.Generator):
    """(draws, D) strengths from the posterior; its mode alone would be too near to no order."""
    known = posterior(topic.n_documents, *topic.counts, spread)
    noise = rng.standard_normal((draws, topic.n_documents))
    return known.mean + noise @ upper_factor(known.covariance.copy())


def _shares(tried, violated, first, resamples: int, rng: np.random.Generator) -> dict:
    """Share and difference from the first judge's, with intervals over topics."""
    counted = tried > 0
    row = {"topics": int(counted.sum()), "n": int(tried.sum()), "count": int(violated.sum())}
    if not counted.any():
        return row
    # the same topics drawn for every judge and quantity
    drawn = rng.integers(0, len(tried), (resamples, len(tried)))

    def share(of, which=None):
        above, below = (part if which is None else part[which] for part in (of[1], of[0]))
        with np.errstate(invalid="ignore"):
            return above.sum(axis=-1) / below.sum(axis=-1)

    ours = share((tried, violated), drawn)
    row["share"] = share((tried, violated))
    row["low"], row["high"] = _ends(row["share"], ours, row["topics"])
    if first is not None and first[0].any():
        row["difference"] = row["share"] - share(first)
        apart = ours - share(first, drawn)
        ends = _ends(row["difference"], apart, row["topics"])
        row["difference_low"], row["difference_high"] = ends
    return row


def _ends(value: float, drawn: np.ndarray, topics: int) -> np.ndarray:
    return around(value, drawn, topics, "share_of_pairs")


def triples_of(n: int, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(T, 3) int: of each three documents i < j < k whose pairs are there, those pairs' places."""
    place = np.full((n, n), -1, dtype=np.int64)
    place[first, second] = np.arange(len(first))
    is_there = place >= 0
    triples = [np.empty((0, 3), dtype=np.int64)]
    for i, j in np.argwhere(is_there):
        k = np.flatnonzero(is_there[i] & is_there[j])
        triples.append(np.stack([np.full(len(k), place[i, j]), place[j, k], place[i, k]], axis=1))
    return np.concatenate(triples)


# --- kernels ------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def violations(wins, times, triples):
    """(4,) triples that count and (4,) that are violated: cycles, then `STOCHASTIC`.

    A triple counts for cycles where each pair has a preference, for the others where each pair was
    asked twice or more.
    """
    tried, violated = np.zeros(4), np.zeros(4)
    p = np.empty((3, 3))
    for t in range(triples.shape[0]):
        ij, jk, ik = triples[t]
        for a, b, pair in ((0, 1, ij), (1, 2, jk), (0, 2, ik)):
            p[a, b] = wins[pair] / times[pair]
            p[b, a] = (times[pair] - wins[pair]) / times[pair]
        if p[0, 1] != p[1, 0] and p[1, 2] != p[2, 1] and p[0, 2] != p[2, 0]:
            tried[0] += 1
            up, on, back = p[0, 1] > 0.5, p[1, 2] > 0.5, p[2, 0] > 0.5
            violated[0] += up == on and on == back
        if min(times[ij], times[jk], times[ik]) < 2:
            continue
        tried[1:] += 1
        weak, moderate, strong = False, False, False
        for a in range(3):
            for b in range(3):
                c = 3 - a - b
                if a == b or p[a, b] < 0.5 or p[b, c] < 0.5:
                    continue
                weak |= p[a, c] < 0.5
                moderate |= p[a, c] < min(p[a, b], p[b, c]) - 1e-12
                strong |= p[a, c] < max(p[a, b], p[b, c]) - 1e-12
        violated[1] += weak
        violated[2] += moderate
        violated[3] += strong
    return tried, violated
