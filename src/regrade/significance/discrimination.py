"""Discriminative power: pairs of systems that differ significantly on a test collection.

Six significance tests of all pairs of systems at once, corrections for many tests, and what
follows from the p-values: discrimination ratios, agreement with the deepest pool, and how
p-values move with pool depth (yang2019 §2.4.2, §4.6–4.8).

The tests work on arrays, scores of S systems on T topics, and treat the pairs in one order: (0, 1),
(0, 2), …, (1, 2), …; fewer than two systems or topics are a `MethodError`.  All are two-sided.
Scores within `regrade.kendall.TOLERANCE` are equal, so that a difference that is zero in exact
arithmetic is zero here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import comb, erfc, sqrt

import numpy as np
import pandas as pd
from scipy import special

from regrade.blocks import Blocks, Part, blocks_of, table_of
from regrade.choices import CORRECTIONS, PAIR_TESTS
from regrade.compiled import njit
from regrade.errors import MethodError, ParameterError, check_choice
from regrade.kendall import TOLERANCE, tau_b
from regrade.randomness import generator, with_replacement
from regrade.scoring import Scores
from regrade.significance import paired
from regrade.significance.corrections import adjust
from regrade.significance.paired import CHUNK, mean_differences, pairs_at
from regrade.wording import counted

EXACT = 50
"""Topics up to which Wilcoxon's p is exact where no two differences tie."""

PERMUTATIONS = 10_000
"""How many random permutations, unless told."""

ALL_PAIRS = "all"
ACROSS_GROUPS = "across groups"
"""Which pairs a row of `ratios_by_pairs` is about."""

SIGNIFICANCE = 0.05
"""The significance level, unless told; a p-value below it is significant (yang2019 §4.6)."""


@dataclass(frozen=True, eq=False)
class PairTests:
    """A test of all P = S(S − 1)/2 pairs of systems.

    Attributes
    ----------
    first, second
        (P,) int64: the systems of each pair, first < second.
    difference
        (P,) float64: mean score of the first less that of the second.
    statistic
        (P,) float64: the test's own; see there.
    p
        (P,) float64: two-sided; NaN where the test is undefined.
    """

    first: np.ndarray
    second: np.ndarray
    difference: np.ndarray
    statistic: np.ndarray
    p: np.ndarray


# --- tests -----------------------------------------------------------------------------------


def paired_t(scores: np.ndarray) -> PairTests:
    """Student's paired t-test (`regrade.significance.paired.paired_t`) of all pairs.

    The variance is that of the differences themselves.  The equivalent s_i² + s_j² − 2 s_ij from
    the covariance matrix would lose the digits that matter for systems that are nearly the same.
    """
    scores = _checked(scores)
    t, p = over_pairs(scores, paired.paired_t)
    return _tests(scores, t, p)


def wilcoxon(scores: np.ndarray) -> PairTests:
    """Wilcoxon's signed-rank test, with the defaults of `scipy.stats.wilcoxon`.

    Topics on which the two score the same are left out.  The distribution is exact, over all signs
    of the ranks that there are, with at most `EXACT` topics and neither ties nor zeros, or at most
    13 topics; else it is the normal approximation, its variance corrected for ties.
    """
    scores = _checked(scores)
    return _tests(scores, *over_pairs(scores, _signed_rank_tests))


def signed_rank(difference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Wilcoxon's signed-rank test of chosen pairs, by their differences."""
    return _signed_rank_tests(np.ascontiguousarray(difference, dtype=np.float64))


def sign(scores: np.ndarray) -> PairTests:
    """The sign test: topics on which the first system is better, against Binomial(n, ½)."""
    scores = _checked(scores)
    better, worse = over_pairs(scores, lambda d: ((d > 0).sum(1), (d < 0).sum(1)))
    n = better + worse
    p = np.minimum(1.0, 2.0 * special.bdtr(np.minimum(better, worse), n, 0.5))
    return _tests(scores, (better - worse) / 2.0, np.where(n > 0, p, np.nan))


def randomisation(
    scores: np.ndarray,
    topics: Sequence[str],
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> PairTests:
    """Fisher's randomisation test of the mean difference, by random signs.

    A permutation swaps the two systems' scores on a random half of the topics; the same
    permutations serve all pairs.  p = (c + 1)/(B + 1), where c of B permutations have a mean
    difference at least as far from zero as the observed one.
    """
    scores = _checked(scores)
    signs = np.empty((permutations, scores.shape[1]))
    for column, rng in _streams("sign flips", scores, topics, permutations, seed):
        signs[:, column] = 1.0 - 2.0 * rng.integers(0, 2, permutations)
    difference = _differences(scores)
    return _tests(scores, difference, _sign_flip_p(scores, signs, difference))


def bootstrap(
    scores: np.ndarray,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> PairTests:
    """Sakai's paired bootstrap test of the mean difference, studentised (Sakai 2006).

    t = d̄ / (s / √T) of the differences is held against t of B samples of T topics, drawn with
    replacement, of the differences less their mean, which is what the null hypothesis has.
    p = (c + 1)/(B + 1), where c samples have |t| at least as large.  The same samples of topics
    serve all pairs.

    References
    ----------
    Sakai: Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.
    """
    scores = _checked(scores)
    if permutations < 1:
        raise ParameterError(f"permutations is {permutations}: give at least 1")
    n = scores.shape[1]
    rng = generator(seed, "bootstrap of topics", str(n))
    drawn = with_replacement(rng, n, permutations).T.astype(float)

    def tests(d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        t, _ = paired.paired_t(d)
        centred = d - d.mean(axis=1, keepdims=True)
        reached = _drawn_as_far(centred @ drawn, centred**2 @ drawn, np.abs(t), n)
        return t, np.where(np.isnan(t), np.nan, (reached + 1) / (permutations + 1))

    t, p = over_pairs(scores, tests, CHUNK // 8)  # each with as many numbers as samples
    return _tests(scores, t, p)


def tukey_hsd(
    scores: np.ndarray,
    topics: Sequence[str],
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> PairTests:
    """Tukey's honestly significant difference by randomisation, for all pairs together.

    A permutation shuffles the scores of each topic among all systems; q is the largest less the
    smallest of the permuted means.  p = (c + 1)/(B + 1), where c of B permutations have a q that is
    at least the observed difference.  The family-wise error is controlled by the test itself: its
    p-values need no correction (Carterette 2012, Sakai 2018).
    """
    scores = _checked(scores)
    totals = np.zeros((permutations, scores.shape[0]))
    for column, rng in _streams("system permutations", scores, topics, permutations, seed):
        _add_shuffled(rng, scores[:, column].copy(), totals)
    q = np.sort(np.ptp(totals, axis=1) / scores.shape[1])
    difference = _differences(scores)
    reached = permutations - np.searchsorted(q, np.abs(difference) - TOLERANCE)
    return _tests(scores, difference, (reached + 1) / (permutations + 1))


# --- tables ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class PairTestOptions:
    """How pairs of systems are tested.

    Attributes
    ----------
    test, correction, seed
        See `compare_systems`.
    significance
        Two systems differ significantly where the corrected p is below.
    """

    test: str = "t"
    correction: str = "none"
    significance: float = SIGNIFICANCE
    seed: int = 1


T_TESTS = PairTestOptions()
"""Paired t-tests, without correction for many pairs."""


def compare_systems(
    scores: Scores,
    test: str = "t",
    *,
    correction: str = "none",
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> pd.DataFrame:
    """Test all pairs of systems under every measure."""
    how = {"permutations": permutations, "seed": seed, "correction": correction}
    return pd.concat(
        [make(0, rows) for rows, make in _parts(scores, test, **how)], ignore_index=True
    )


def _parts(scores: Scores, test: str, *, correction: str = "none", **options) -> list[Part]:
    """`compare_systems` by each measure, of which all pairs are held as three numbers each."""
    check_choice("test", test, PAIR_TESTS)
    check_choice("correction", correction, CORRECTIONS)
    parts: list[Part] = []
    for m, measure in enumerate(scores.measures):
        values = np.ascontiguousarray(scores.values[:, :, m], dtype=np.float64)
        tested = pair_test(values, scores.topics, test, **options)
        numbers = {
            "statistic": tested.statistic,
            "p": tested.p,
            "p_adjusted": adjust(tested.p, correction),
        }
        names = {"measure": str(measure), "test": test}
        parts.append((len(tested.p), partial(_rows_of, scores.systems, values, names, numbers)))
    return parts


def _rows_of(
    systems: Sequence[str],
    values: np.ndarray,
    names: Mapping[str, str],
    numbers: Mapping[str, np.ndarray],
    start: int,
    stop: int,
) -> pd.DataFrame:
    """Rows of `compare_systems` by one measure, from one on and before another."""
    first, second = pairs_at(len(systems), start, stop)
    return pd.DataFrame(
        {
            **names,
            "system": pd.Categorical.from_codes(first, systems),
            "other": pd.Categorical.from_codes(second, systems),
            "difference": mean_differences(values, start, stop),
            **{name: of[start:stop] for name, of in numbers.items()},
        }
    )


def untested_pairs(scores: Scores) -> pd.DataFrame:
    """The differences of all pairs of systems, as of too few topics to test them."""
    first, second = np.triu_indices(len(scores.systems), 1)
    names, means = np.array(scores.systems, dtype=object), scores.values.mean(axis=1)
    pairs = pd.DataFrame({"system": names[first], "other": names[second]})
    tables = [
        pairs.assign(measure=str(measure), difference=means[first, m] - means[second, m])
        for m, measure in enumerate(scores.measures)
    ]
    return pd.concat(tables, ignore_index=True).assign(p=np.nan, p_adjusted=np.nan)


def pair_tests(scores: Scores, test: str = "t", **options) -> list[PairTests]:
    """What `compare_systems` makes a table of: the `pair_test` under each measure."""
    every = np.moveaxis(scores.values, 2, 0)
    return [pair_test(values, scores.topics, test, **options) for values in every]


def pair_test(
    values: np.ndarray,
    topics: Sequence[str],
    test: str = "t",
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> PairTests:
    """The test of all pairs by (S, T) scores on these topics, as `compare_systems` asks for it."""
    check_choice("test", test, PAIR_TESTS)
    drawn = {"topics": topics, "permutations": permutations, "seed": seed}
    run: dict[str, Callable[[np.ndarray], PairTests]] = {
        "t": paired_t,
        "wilcoxon": wilcoxon,
        "sign": sign,
        "randomisation": lambda x: randomisation(x, **drawn),
        "bootstrap": lambda x: bootstrap(x, permutations=permutations, seed=seed),
        "tukey_hsd": lambda x: tukey_hsd(x, **drawn),
    }
    return run[test](values)


def compare_depths(scores: Mapping[int, Scores], test: str = "t", **options) -> pd.DataFrame:
    """`compare_systems` under pools of several depths.

    The randomised tests draw the same permutations at every depth, so that p-values of one pair
    differ by its scores alone.
    """
    tables = [
        compare_systems(at_depth, test, **options).assign(depth=depth)
        for depth, at_depth in scores.items()
    ]
    table = pd.concat(tables, ignore_index=True)
    return table[["depth", *table.columns.drop("depth")]]


def compare_under(
    scores: Mapping[str, Scores], test: str = "t", **options
) -> pd.DataFrame | Blocks:
    """`compare_systems` under several sets of labels, whole."""
    parts: list[Part] = []
    for name, under in scores.items():
        try:
            of_set = _parts(under, test, **options)
        except MethodError as error:
            raise MethodError(f"{name}: {error}") from error
        parts += [(rows, partial(_under, name, make)) for rows, make in of_set]
    return table_of(parts)


def _under(name: str, make: Callable, start: int, stop: int) -> pd.DataFrame:
    rows = make(start, stop)
    rows.insert(0, "qrels", name)
    return rows


def across_groups(pairs: pd.DataFrame, groups: Mapping[str, str]) -> pd.DataFrame:
    """The pairs whose systems come from different groups."""
    different = [
        groups.get(system, (system,)) != groups.get(other, (other,))
        for system, other in zip(pairs["system"], pairs["other"], strict=True)
    ]
    return pairs[different].reset_index(drop=True)


def discrimination_ratios(
    pairs: pd.DataFrame | Blocks, *, significance: float = SIGNIFICANCE
) -> pd.DataFrame:
    """The share of pairs that are significantly different (yang2019 Table 4.5).

    It is also Sakai's discriminative power; `significance_curve` has it for every level.
    """
    return _ratios(_counted(some, significance) for some in blocks_of(pairs))


def _counted(pairs: pd.DataFrame, significance: float) -> pd.DataFrame:
    """How many pairs there are, and how many of them are significant, by what `_keys` tells."""
    p = pairs["p_adjusted"]
    flags = {"undefined": p.isna(), "significant": p < significance}
    counts = pairs[_keys(pairs)].assign(
        n_pairs=1, **{n: of.astype("int64") for n, of in flags.items()}
    )
    return counts.groupby(_keys(pairs), sort=False).sum().reset_index()


def _ratios(counts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """The shares of pairs that are significant, of what was counted of some at a time."""
    counted = pd.concat(counts, ignore_index=True)
    table = counted.groupby(_keys(counted), sort=False).sum().reset_index()
    return table.assign(ratio=table["significant"] / table["n_pairs"])


def ratios_by_pairs(
    pairs: pd.DataFrame | Blocks,
    groups: Mapping[str, str] | None = None,
    *,
    significance: float = SIGNIFICANCE,
) -> pd.DataFrame:
    """`discrimination_ratios` of all pairs, and of those across groups."""
    counts: dict[str, list[pd.DataFrame]] = {ALL_PAIRS: []}
    if groups is not None:
        counts[ACROSS_GROUPS] = []
    for some in blocks_of(pairs):
        counts[ALL_PAIRS].append(_counted(some, significance))
        if groups is not None:
            counts[ACROSS_GROUPS].append(_counted(across_groups(some, groups), significance))
    tables = []
    for kind, of in counts.items():
        table = _ratios(of)
        table.insert(0, "pairs", kind)
        tables.append(table)
    return pd.concat([table for table in tables if len(table)], ignore_index=True)


def agreement_with_baseline(
    pairs: pd.DataFrame, baseline: int, *, significance: float = SIGNIFICANCE
) -> pd.DataFrame:
    """Which pairs each depth finds that the baseline finds too (yang2019 Table 4.6)."""
    key = ["measure", "test", "system", "other"]
    judged = pairs[["depth", *key, "difference"]].assign(found=pairs["p_adjusted"] < significance)
    right = judged[judged["depth"] == baseline].drop(columns="depth")
    if right.empty:
        raise ParameterError(f"no pair was tested at depth {baseline}: the baseline must be")
    both = judged[judged["depth"] != baseline].merge(
        right, on=key, how="left", suffixes=("", "_right"), validate="many_to_one"
    )
    if both["found_right"].isna().any():
        raise ParameterError(f"some pairs were not tested at depth {baseline}, the baseline")
    left, right = both["found"], both["found_right"].astype(bool)
    opposite = left & right & (both["difference"] * both["difference_right"] < 0)
    counts = both[["depth", "measure", "test"]].assign(
        tp=left & right & ~opposite,
        fp=(left & ~right) | opposite,
        fn=~left & right,
        tn=~left & ~right,
        contradictions=opposite,
    )
    return counts.groupby(["depth", "measure", "test"], sort=False).sum().reset_index()


def p_trends(pairs: pd.DataFrame, *, significance: float = SIGNIFICANCE) -> pd.DataFrame:
    """How each pair's p-values move with pool depth (yang2019 §4.7, Figure 4.7)."""
    depths = np.unique(pairs["depth"]).astype(np.float64)
    key = ["measure", "test", "system", "other"]
    wide = pairs.pivot(index=key, columns="depth", values=["p", "p_adjusted"])
    significant = (wide["p_adjusted"] < significance).to_numpy()
    with np.errstate(divide="ignore"):
        logarithm = np.log(wide["p"].to_numpy(dtype=np.float64))
    return wide.index.to_frame(index=False).assign(
        tau=_tau_of_rows(logarithm, depths),
        outcome=np.select(
            [significant.all(1), ~significant.any(1)],
            ["significant", "not significant"],
            "straddling",
        ),
    )


def trend_counts(trends: pd.DataFrame) -> pd.DataFrame:
    """How many pairs have each τ and outcome: the bars of yang2019 Figure 4.7."""
    table = (
        trends.assign(tau=trends["tau"].round(10) + 0.0)  # no -0.0 beside 0.0
        .groupby(["measure", "test", "tau", "outcome"], dropna=False)
        .size()
        .rename("n_pairs")
        .reset_index()
    )
    total = table.groupby(["measure", "test"])["n_pairs"].transform("sum")
    return table.assign(share=table["n_pairs"] / total)


def significance_curve(pairs: pd.DataFrame | Blocks) -> pd.DataFrame | Blocks:
    """Achieved significance levels of all pairs, largest first: the curve of Sakai (2006)."""
    levels: dict[tuple, list[np.ndarray]] = {}
    keys: list[str] = []
    for some in blocks_of(pairs):
        keys = _keys(some)
        for key, of in some.groupby(keys, sort=False)["p_adjusted"]:
            levels.setdefault(key, []).append(of.to_numpy())
    parts: list[Part] = []
    for key in sorted(levels):
        largest_first = -np.sort(-np.concatenate(levels.pop(key)))
        undefined = np.isnan(largest_first).sum()  # numpy sorts these last
        p = np.roll(largest_first, undefined)
        parts.append((len(p), partial(_levels, dict(zip(keys, key, strict=True)), p)))
    none = pd.DataFrame(columns=[*keys, "position", "share", "p"])
    return table_of(parts) if parts else none


def _levels(names: Mapping[str, object], p: np.ndarray, start: int, stop: int) -> pd.DataFrame:
    """Rows of `significance_curve` of one depth or set, measure and test."""
    position = np.arange(start, stop) + 1
    return pd.DataFrame(
        {**names, "position": position, "share": position / len(p), "p": p[start:stop]}
    )


# --- within ----------------------------------------------------------------------------------


def _checked(scores: np.ndarray) -> np.ndarray:
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    if scores.ndim != 2 or min(scores.shape) < 2:
        systems, topics = (*scores.shape, 0)[:2]
        raise MethodError(
            "pairs of systems are tested over topics, with at least two systems and two "
            f"topics: there are {counted(systems, 'system')} and "
            f"{counted(topics, 'topic')}; leave out the analyses that test them"
        )
    return scores


def over_pairs(scores: np.ndarray, function: Callable, chunk: int = CHUNK) -> list[np.ndarray]:
    """The arrays that `function` makes of (pairs, T) differences, some pairs at a time."""
    pairs = comb(len(scores), 2)
    chunks = (
        pairs_at(len(scores), k, min(k + chunk, pairs)) for k in range(0, max(pairs, 1), chunk)
    )
    parts = [function(paired.differences(scores[i], scores[j])) for i, j in chunks]
    return [np.concatenate(part) for part in zip(*parts, strict=True)]


def _differences(scores: np.ndarray) -> np.ndarray:
    return mean_differences(scores, 0, comb(len(scores), 2))


def _tests(scores: np.ndarray, statistic: np.ndarray, p: np.ndarray) -> PairTests:
    first, second = np.triu_indices(len(scores), 1)
    return PairTests(first, second, _differences(scores), statistic, p)


def _streams(kind: str, scores: np.ndarray, topics: Sequence[str], permutations: int, seed: int):
    """Each topic's column and random stream."""
    if len(topics) != scores.shape[1]:
        raise ParameterError(f"{len(topics)} topics are named, but there are {scores.shape[1]}")
    if permutations < 1:
        raise ParameterError(f"permutations is {permutations}: give at least 1")
    for column, topic in enumerate(topics):
        yield column, generator(seed, kind, topic)


def _sign_flip_p(scores: np.ndarray, signs: np.ndarray, difference: np.ndarray) -> np.ndarray:
    """(c + 1)/(B + 1) of each pair under (B, T) signs."""
    flipped = scores @ signs.T / scores.shape[1]
    return (_as_far(flipped, np.abs(difference) - TOLERANCE) + 1) / (len(signs) + 1)


def _keys(pairs: pd.DataFrame) -> list[str]:
    return [column for column in ("depth", "qrels", "measure", "test") if column in pairs]


def _as_far(flipped: np.ndarray, least: np.ndarray) -> np.ndarray:
    """How many columns of (S, B) means separate each pair by at least so much."""
    pairs = zip(*np.triu_indices(len(flipped), 1), least, strict=True)
    far = (np.abs(flipped[i] - flipped[j]) >= by for i, j, by in pairs)
    return np.fromiter(map(np.count_nonzero, far), np.int64, least.size)


def _drawn_as_far(
    sums: np.ndarray, squares: np.ndarray, observed: np.ndarray, n: int
) -> np.ndarray:
    """How many samples of n differences have a |t| at least as large, by their (P, B) sums."""

    def reached(total: np.ndarray, square: np.ndarray, least: float) -> int:
        far = np.abs(total)
        spread = np.maximum(square - far**2 / n, 0.0) / (n - 1)
        # infinite where a sample is one topic again and again: as far as can be
        t = np.full(far.shape, np.inf)
        np.divide(far / n, np.sqrt(spread / n), out=t, where=spread > TOLERANCE**2)
        t[far <= n * TOLERANCE] = 0.0
        return np.count_nonzero(t >= least)

    return np.fromiter(map(reached, sums, squares, observed - TOLERANCE), np.int64, observed.size)


@njit(cache=True, nogil=True)
def _add_shuffled(rng, scores, totals):
    """Add to each row of totals (B, S) another permutation of the scores, by Fisher and Yates."""
    for b in range(totals.shape[0]):
        for last in range(scores.size - 1, 0, -1):
            other = int(rng.random() * (last + 1))  # ten times faster than rng.integers here
            scores[last], scores[other] = scores[other], scores[last]
        for s in range(scores.size):
            totals[b, s] += scores[s]


@njit(cache=True, nogil=True, plain=True)
def _signed_rank_tests(differences):
    smaller = np.empty(differences.shape[0])
    p = np.empty(smaller.size)
    untied = untied_signed_ranks(differences.shape[1])
    for pair in range(p.size):
        smaller[pair], p[pair] = signed_rank_test(differences[pair], untied)
    return smaller, p


@njit(cache=False, nogil=True)
def signed_rank_test(d, untied):
    """The smaller rank sum and p of (T,) differences, given `untied_signed_ranks` of T."""
    n_topics = d.size
    ranks, above, n_zero, ties = _signed_ranks(d)
    below = ranks.sum() - above
    smaller = min(above, below) / 2
    if n_zero == n_topics:
        return smaller, np.nan
    is_plain = ties == 0 and n_zero == 0
    if is_plain and untied.size:
        return smaller, min(1.0, 2.0 * untied[min(above, below) // 2])
    if n_topics <= 13:
        return smaller, min(1.0, 2.0 * _signed_rank_cdf(ranks, min(above, below)))
    return smaller, _normal_p(smaller, n_topics - n_zero, ties)


@njit(cache=False, nogil=True)
def untied_signed_ranks(n):
    """The probability that the ranks 1 … n with a random sign + sum up to 0, 1, …, at most.

    Every one is a sum of halves to the n-th, exact for n up to `EXACT`; empty beyond.
    """
    if n > EXACT:
        return np.empty(0)
    probability = np.zeros(n * (n + 1) // 2 + 1)
    probability[0] = 1.0
    for rank in range(1, n + 1):
        for total in range(probability.size - 1, -1, -1):
            with_it = probability[total - rank] if total >= rank else 0.0
            probability[total] = 0.5 * (probability[total] + with_it)
    return np.cumsum(probability)


@njit(cache=True, nogil=True, inline="always")
def _signed_ranks(d):
    """Ranks of the differences that are not zero by their size, doubled to be integers.

    Then the sum of those above zero, how many differences are zero, and Σ t³ − t over the t that
    tie.
    """
    size = np.abs(d)
    n_zero = 0
    for t in range(size.size):
        if size[t] <= TOLERANCE:
            size[t] = 0.0
            n_zero += 1
    order = _stable_order(size)
    doubled = np.zeros(size.size - n_zero, np.int64)
    above = 0
    ties = 0.0
    start = n_zero
    while start < size.size:
        stop = start + 1
        while stop < size.size and size[order[stop]] - size[order[stop - 1]] <= TOLERANCE:
            stop += 1
        rank = start + 1 + stop - 2 * n_zero
        for k in range(start, stop):
            doubled[k - n_zero] = rank
            if d[order[k]] > 0:
                above += rank
        ties += float(stop - start) ** 3 - (stop - start)
        start = stop
    return doubled, above, n_zero, ties


@njit(cache=True, nogil=True, inline="always")
def _stable_order(values):
    """As numpy's stable argsort, which takes longer for few values."""
    if values.size > 64:
        return np.argsort(values, kind="mergesort")
    order = np.empty(values.size, np.int64)
    for i in range(values.size):
        place = i
        while place > 0 and values[order[place - 1]] > values[i]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
    return order


@njit(cache=True, nogil=True, inline="always")
def _normal_p(smaller, n, ties):
    """p of the smaller sum of n ranks by the normal approximation."""
    variance = n * (n + 1) * (2.0 * n + 1)
    return erfc(abs(n * (n + 1) / 4 - smaller) / sqrt((variance - ties / 2) / 12))


@njit(cache=True, nogil=True, inline="always")
def _signed_rank_cdf(ranks, limit):
    """The probability that the ranks with a random sign + sum up to at most `limit`."""
    probability = np.zeros(limit + 1)
    probability[0] = 1.0
    for rank in ranks:
        for total in range(limit, -1, -1):
            without = probability[total]
            with_it = probability[total - rank] if total >= rank else 0.0
            probability[total] = 0.5 * (without + with_it)
    return probability.sum()


def _tau_of_rows(rows: np.ndarray, depths: np.ndarray) -> np.ndarray:
    """τ_b of each row with the depths; NaN where a row holds NaN.

    Rows are logarithms of p, which makes the tolerance of ties a relative one.
    """
    return np.array([np.nan if np.isnan(row).any() else tau_b(row, depths) for row in rows])
