"""How many pairs are enough?  Random subsets of the recorded pairs in place of all of them.

A subset has a share of each topic's pairs, each with all of its answers.  Documents and systems are
ranked by the subset and by all pairs, by the same method.  The subset is part of the whole, so τ is
1 at the end whatever the answers are worth: what comes out is how many pairs *this* ranking needs,
not how near it is to the truth.  No pair at all stands beside: then every compared document counts
the same, and systems are ranked by how many of these they return.

Methods are those of `regrade.preferences.scores`, but ``bradley-terry`` has a normal prior
(`regrade.preferences.posterior`), without which most subsets have no finite strengths.  A document
in no pair of the subset has the value that says nothing: ½, or the strength 0.  As gains of systems
strengths are the share of the topic's other documents that each is expected to win against.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import ceil

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.choices import BUDGET_SCORES, PAIR_DRAWS
from regrade.compiled import njit
from regrade.kendall import tau_b
from regrade.percentiles import ends, quantiles
from regrade.preferences.gains import ALL_ANSWERS, GainRankings
from regrade.preferences.posterior import SPREAD, Recorded, expected_wins, find_mode
from regrade.randomness import generator

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

DOCUMENTS, SYSTEMS = "documents", "systems"
_DIGITS = 10
_KEYS = ["draw", "share", "method", "ranked", "measure", "coefficient", "reference"]


@dataclass(frozen=True)
class Drawing:
    """How subsets are drawn, and what is made of them.

    Attributes
    ----------
    shares
        Of each topic's pairs, above 0 and below 1; of p pairs ⌈share · p⌉ are drawn.  The share 0
        is always there, first.
    draws
        Of `regrade.choices.PAIR_DRAWS`.
    methods
        Of `regrade.choices.BUDGET_SCORES`.
    repeats
        Subsets of each share.
    spread
        Of strengths before the answers.
    seed
        Of the draws.
    """

    shares: Sequence[float] = SHARES
    draws: Sequence[str] = PAIR_DRAWS
    methods: Sequence[str] = ("frequency", "bradley-terry")
    repeats: int = 100
    spread: float = SPREAD
    seed: int = 1

    @property
    def all_shares(self) -> np.ndarray:
        """(S,) float64: 0 and the shares, ascending."""
        return np.array([0.0, *sorted(self.shares)])

    def counts(self, topic: Recorded) -> np.ndarray:
        """(S,) pairs of each share."""
        # 0.1 · 30 is a little above 3
        return np.array([ceil(share * topic.n_pairs - 1e-9) for share in self.all_shares])


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Of one topic and way to draw: R repeats, S shares, M methods, D documents."""

    values: np.ndarray  # (R, S, M, D)
    connected: np.ndarray  # (R, S) bool
    seen: np.ndarray  # (R, S) documents in a pair
    full: np.ndarray  # (M, D)

    def taus(self) -> np.ndarray:
        """(R, S, M) τ_b of documents with all pairs."""
        taus = np.empty(self.values.shape[:3])
        for place in np.ndindex(taus.shape):
            taus[place] = tau_b(self.full[place[2]], self.values[place])
        return taus

    def gains(self, m: int, method: str) -> tuple[np.ndarray, np.ndarray]:
        """(R · S, D) and (D,): what counts for systems by a method."""
        rows = self.values[:, :, m].reshape(-1, self.values.shape[-1])
        if method == "bradley-terry":
            return expected_wins(rows), expected_wins(self.full[m : m + 1])[0]
        return rows, self.full[m]


def subset_table(
    topics: Sequence[Recorded],
    drawing: Drawing = Drawing(),
    rankings: GainRankings | None = None,
    threads: int = 1,
) -> pd.DataFrame:
    """Rankings of every subset held against those of all pairs, subset by subset."""
    rows = []
    for draw in drawing.draws:
        with ThreadPoolExecutor(threads) as pool:
            drawn = list(pool.map(lambda topic, d=draw: draw_subsets(topic, drawing, d), topics))
        parts = [_of_documents(drawn, drawing)]
        if rankings is not None:
            parts.append(_of_systems(topics, drawn, drawing, rankings, threads))
        facts = _facts(topics, drawn, drawing).assign(draw=draw)
        rows += [part.merge(facts, on=["repeat", "share"]) for part in parts]
    over_repeats = {"repeats", "mean", "low", "median", "high"}
    columns = [name for name in columns_of("pair-budgets/subsets") if name not in over_repeats]
    return pd.concat(rows, ignore_index=True)[[*columns, "repeat", "value"]]


def draw_subsets(topic: Recorded, drawing: Drawing, draw: str) -> _Drawn:
    """Values of a topic's documents under subsets; larger ones hold the smaller of a repeat."""
    rng = generator(drawing.seed, "subsets", draw, topic.topic)
    codes = np.array([BUDGET_SCORES.index(method) for method in drawing.methods])
    answers = topic.counts
    every = np.arange(topic.n_pairs)
    n = topic.n_documents
    full = subset_values(n, answers, every, every[-1:] + 1, codes, drawing.spread)[0][0]
    counts = drawing.counts(topic)
    draws = []
    for _ in range(drawing.repeats):
        order = rng.permutation(topic.n_pairs)
        if draw == "connected":
            order = joining_first(n, topic.first, topic.second, order)
        draws.append(subset_values(n, answers, order, counts, codes, drawing.spread))
    values, connected, seen = (np.stack(part) for part in zip(*draws, strict=True))
    return _Drawn(values, connected, seen, full)


def summarise(subsets: pd.DataFrame, certainty: float = 0.95) -> pd.DataFrame:
    """Columns of ``pair-budgets/subsets``: what `subset_table` found, over repeats.

    ``low`` and ``high`` are the ends within which `certainty` of the repeats lie, with as many
    below as above; repeats where the coefficient is undefined do not count.
    """
    low, high = ends(certainty)
    rows = []
    for key, some in subsets.groupby(_KEYS, sort=False, dropna=False):
        values = some["value"].dropna().to_numpy()
        row = dict(zip(_KEYS, key, strict=True)) | {"n": some["n"].iloc[0], "repeats": len(values)}
        row |= some[["pairs", "per_document", "connected", "unseen"]].mean().to_dict()
        row["mean"] = values.mean() if len(values) else np.nan
        three = quantiles(values, (low, 0.5, high))
        rows.append(row | dict(zip(("low", "median", "high"), three, strict=True)))
    return pd.DataFrame(rows)[columns_of("pair-budgets/subsets")]


def needed_pairs(
    subsets: pd.DataFrame, targets: Sequence[float] = (0.9, 0.95), certainty: float = 0.95
) -> pd.DataFrame:
    """The smallest share of pairs that gives the same ranking, as nearly as asked."""
    ours = subsets[subsets["reference"] == ALL_ANSWERS]
    rows = []
    keys = [key for key in _KEYS if key not in ("share", "reference")]
    for key, some in ours.groupby(keys, sort=False, dropna=False):
        for target in targets:
            reached = (some["value"] >= target - 1e-12).groupby(some["share"]).mean()
            enough = reached.sort_index(ascending=False) >= certainty - 1e-12
            enough = enough[enough.cumprod().astype(bool)]
            at = some[some["share"] == enough.index[-1]] if len(enough) else some.iloc[:0]
            means = at[["share", "pairs", "per_document"]].mean().to_dict()
            row = dict(zip(keys, key, strict=True)) | {"target": target, "certainty": certainty}
            rows.append(row | means)
    return pd.DataFrame(rows, columns=columns_of("pair-budgets/needed"))


def _facts(topics: Sequence[Recorded], drawn: Sequence[_Drawn], drawing: Drawing) -> pd.DataFrame:
    documents = sum(topic.n_documents for topic in topics)
    pairs = sum(drawing.counts(topic) for topic in topics)
    connected = np.mean([part.connected for part in drawn], axis=0)
    seen = np.sum([part.seen for part in drawn], axis=0)
    repeat, share = (part.ravel() for part in np.indices(connected.shape))
    columns = {"repeat": repeat, "share": drawing.all_shares[share], "pairs": pairs[share]}
    columns |= {"per_document": pairs[share] / documents, "connected": connected.ravel()}
    return pd.DataFrame(columns | {"unseen": 1 - seen.ravel() / documents})


def _of_documents(drawn: Sequence[_Drawn], drawing: Drawing) -> pd.DataFrame:
    taus = np.stack([part.taus() for part in drawn])
    defined = ~np.isnan(taus)
    n = defined.sum(axis=0)
    with np.errstate(invalid="ignore"):
        means = np.where(defined, taus, 0).sum(axis=0) / n
    repeat, share, method = (part.ravel() for part in np.indices(means.shape))
    methods = np.array(drawing.methods, dtype=object)[method]
    columns = {"repeat": repeat, "share": drawing.all_shares[share], "method": methods}
    columns |= {"ranked": DOCUMENTS, "measure": None, "coefficient": "tau_b"}
    columns |= {"reference": ALL_ANSWERS, "n": n.ravel(), "value": means.ravel()}
    return pd.DataFrame(columns)


def _of_systems(
    topics: Sequence[Recorded],
    drawn: Sequence[_Drawn],
    drawing: Drawing,
    rankings: GainRankings,
    threads: int,
) -> pd.DataFrame:
    names, parts = [topic.topic for topic in topics], []
    for m, method in enumerate(drawing.methods):
        of_topics = zip(*(part.gains(m, method) for part in drawn), strict=True)
        gains, full = (dict(zip(names, of, strict=True)) for of in of_topics)
        parts.append(rankings.correlations(gains, full, threads).assign(method=method))
    correlations = pd.concat(parts, ignore_index=True)
    shares = drawing.all_shares
    repeat, share = np.divmod(correlations["sample"].to_numpy(), len(shares))
    return correlations.assign(repeat=repeat, share=shares[share], ranked=SYSTEMS)


# --- kernels ------------------------------------------------------------------------------------

_FREQUENCY, _BORDA, _COPELAND, _STRENGTHS = range(len(BUDGET_SCORES))


@njit(cache=True, nogil=True, inline="always")
def _root(parents, i):
    while parents[i] != i:
        parents[i] = parents[parents[i]]
        i = parents[i]
    return i


@njit(cache=True, nogil=True, small=True)
def joining_first(n, first, second, order):
    """The same pairs, those first that join parts of the graph which no pair before them joined."""
    parents = np.arange(n)
    joins = np.zeros(order.size, dtype=np.bool_)
    for k in range(order.size):
        a, b = _root(parents, first[order[k]]), _root(parents, second[order[k]])
        if a != b:
            joins[k] = True
            parents[a] = b
    return np.concatenate((order[joins], order[~joins]))


@njit(cache=True, nogil=True)
def subset_values(n, answers, order, counts, methods, spread):
    """Values of n documents under the first `counts` pairs of an order."""
    first, second, wins, losses = answers
    values = np.empty((counts.size, methods.size, n))
    connected = np.zeros(counts.size, dtype=np.bool_)
    seen = np.zeros(counts.size, dtype=np.int64)
    parents = np.arange(n)
    parts = n
    won, n_answers, beaten, share, opponents = (
        np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    )  # fmt: skip
    x = np.zeros(n)
    done = 0
    for s in range(counts.size):
        for k in range(done, counts[s]):
            p = order[k]
            i, j = first[p], second[p]
            a, b = _root(parents, i), _root(parents, j)
            if a != b:
                parents[a] = b
                parts -= 1
            total = wins[p] + losses[p]
            half = (1 + np.sign(wins[p] - losses[p])) / 2
            won[i] += wins[p]
            won[j] += losses[p]
            share[i] += wins[p] / total
            share[j] += losses[p] / total
            beaten[i] += half
            beaten[j] += 1 - half
            for d in (i, j):
                n_answers[d] += total
                opponents[d] += 1
        done = counts[s]
        connected[s] = parts == 1
        seen[s] = np.sum(opponents > 0)
        for m in range(methods.size):
            if methods[m] == _STRENGTHS:
                here = order[: counts[s]]
                find_mode(x, (first[here], second[here], wins[here], losses[here]), spread)
                values[s, m] = np.round(x, _DIGITS)
                continue
            for d in range(n):
                if opponents[d] == 0:
                    values[s, m, d] = 0.5
                elif methods[m] == _FREQUENCY:
                    values[s, m, d] = won[d] / n_answers[d]
                elif methods[m] == _BORDA:
                    values[s, m, d] = share[d] / opponents[d]
                else:
                    values[s, m, d] = beaten[d] / opponents[d]
    return values, connected, seen
