"""Whether significance of a pair of systems appears, disappears or reverses under other labels.

A pair of systems is tested under each of two sets; s says whether a test is significant, d which
system is better.  As Ferro and Sanderson have it:

    active agreement      both significant, the same system better
    active disagreement   both significant, different systems better
    mixed agreement       one significant, the same system better
    mixed disagreement    one significant, different systems better
    passive agreement     none significant, the same system better
    passive disagreement  none significant, different systems better

They leave open what a difference of zero is: here it contradicts nothing, so it agrees.

A pair that is significant under one set and not under the other has not thereby changed: whether
p is below 0.05 differs with any new topics.  Two answers to that: for how many pairs it does
between two bootstrap samples under *one* set (`flips_by_topics`), and, for each pair, a test of the
change itself (`change_p`): a paired test of the difference of differences, (a₁ − b₁) − (a₂ − b₂) on
each topic, corrected by Benjamini and Hochberg's rule.

References
----------
Ferro and Sanderson, Improving the accuracy of system performance estimation by using shards,
SIGIR 2019; after Moffat, Scholer and Thomas, Models and metrics: IR evaluation as a user process,
ADCS 2012.  Gelman and Stern, The difference between "significant" and "not significant" is not
itself statistically significant, The American Statistician 60(4), 2006.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb

import numpy as np
import pandas as pd
from scipy import special

from regrade.blocks import Blocks, Part, blocks_of, table_of
from regrade.catalogue import columns_of
from regrade.kendall import TOLERANCE
from regrade.measures import Measure
from regrade.percentiles import interval
from regrade.randomness import generator, with_replacement
from regrade.scoring import Scores
from regrade.significance.corrections import adjust
from regrade.significance.discrimination import pair_test
from regrade.significance.paired import (
    CHUNK,
    differences,
    mean_differences,
    pairs_at,
    skewed_p,
)

OUTCOMES = (
    "active agreement",
    "active disagreement",
    "mixed agreement",
    "mixed disagreement",
    "passive agreement",
    "passive disagreement",
)
"""What becomes of a pair of systems."""

CHANGES = ("stays", "reverses", "appears", "disappears", "none")
"""What becomes of its significance, from the first set to the second."""

FLIPS = CHANGES[1:4]
"""Of these, those after which significance is another."""

CHANGE_CORRECTION = "bh"
"""For the number of pairs whose change is tested."""

FEWEST_OF_CHANGES = 25
"""From how many topics on changes are tested: on fewer, skewed ones are told that are none."""

HELD = 2**22
"""Pairs times twos of draws, about, whose t are held together where all must be known."""

DRAWS = 200
"""Number of pairs of bootstrap samples of topics that are compared."""

_FEWEST = 2


def pair_outcomes(
    first: Scores, second: Scores, *, significance: float = 0.05, **options: object
) -> pd.DataFrame | Blocks:
    """Every pair of systems under both sets (table ``compare/pairs``)."""
    names = sorted(map(str, first.measures))

    def part(m: int, measure: Measure) -> Part:
        scores = [np.ascontiguousarray(under.values[:, :, m]) for under in (first, second)]
        p_of = [_tested(under, first.topics, **options) for under in scores]
        of_change = change_p(*scores)

        def rows(start: int, stop: int) -> pd.DataFrame:
            system, other = pairs_at(len(first.systems), start, stop)
            difference = [mean_differences(under, start, stop) for under in scores]
            p = [of[start:stop] for of in p_of]
            is_first, is_second = (of < significance for of in p)
            sign = np.prod([np.sign(differences(of, 0.0)) for of in difference], axis=0)
            strength = np.select([is_first & is_second, is_first | is_second], [0, 2], 4)
            changes = changes_of(is_first, is_second, sign)
            return pd.DataFrame(
                {
                    "measure": pd.Categorical([str(measure)], names).repeat(stop - start),
                    "system": pd.Categorical.from_codes(system, first.systems),
                    "other": pd.Categorical.from_codes(other, first.systems),
                    "first_difference": difference[0],
                    "second_difference": difference[1],
                    "first_p": p[0],
                    "second_p": p[1],
                    "first_significant": is_first,
                    "second_significant": is_second,
                    "outcome": pd.Categorical.from_codes(strength + (sign < 0), OUTCOMES),
                    "change": pd.Categorical.from_codes(changes, CHANGES),
                    "change_p": of_change[start:stop],
                }
            )

        return len(of_change), rows

    return table_of([part(m, measure) for m, measure in enumerate(first.measures)])


def change_p(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Tests of the differences of differences of all pairs of systems, corrected.

    That of Student or that of Hall, whichever says less (`regrade.significance.paired.skewed_p`).
    """
    p = np.full(comb(len(first), 2), np.nan)
    if first.shape[1] < FEWEST_OF_CHANGES:
        return p
    for start in range(0, len(p), CHUNK):  # what all differ by would be the most that is held
        i, j = pairs_at(len(first), start, min(start + CHUNK, len(p)))
        change = differences(second[i], second[j]) - differences(first[i], first[j])
        p[start : start + CHUNK] = skewed_p(change)
    return adjust(p, CHANGE_CORRECTION)


def changes_of(first: np.ndarray, second: np.ndarray, sign: np.ndarray) -> np.ndarray:
    """What becomes of the significance of pairs."""
    cases = [first & second & (sign >= 0), first & second, ~first & second, first & ~second]
    return np.select(cases, np.arange(4, dtype=np.int8), np.int8(4))


def is_flip(change: np.ndarray) -> np.ndarray:
    """Whether a change is one of `FLIPS`, by its place in `CHANGES`."""
    return (change >= 1) & (change <= len(FLIPS))


def pair_counts(pairs: pd.DataFrame | Blocks, measures: list[str]) -> pd.DataFrame:
    """How many pairs there are of each outcome and change (table ``compare/pair_counts``)."""
    counted: Counter = Counter()
    for some in blocks_of(pairs):
        keys = ["measure", "outcome", "change"]
        counted.update(some.groupby(keys, observed=True).size().to_dict())
    possible = {"active agreement": ["stays"], "active disagreement": ["reverses"]}
    possible |= {f"mixed {of}": ["appears", "disappears"] for of in ("agreement", "disagreement")}
    rows = []
    for measure in measures:
        of_measure = [
            (measure, outcome, change, counted[str(measure), outcome, change])
            for outcome in OUTCOMES
            for change in possible.get(outcome, ["none"])
        ]
        total = sum(n for *_, n in of_measure)
        rows += [(*key, n, n / total if total else np.nan) for *key, n in of_measure]
    return pd.DataFrame(rows, columns=columns_of("compare/pair_counts"))


def _tested(
    values: np.ndarray, topics: Sequence[str], correction: str = "none", **options: object
) -> np.ndarray:
    """Corrected p of all pairs by (S, T) scores; of a single topic undefined."""
    if min(values.shape) < _FEWEST:
        return np.full(comb(len(values), 2), np.nan)
    return adjust(pair_test(values, topics, **options).p, correction)


def flips_by_topics(
    scores: np.ndarray, significance: float, correction: str, seed: int, draws: int = DRAWS
) -> np.ndarray:
    """For how many pairs significance changes between two bootstrap samples under one set of
    labels.
    """
    n = scores.shape[1]
    if n < 2 or len(scores) < 2:
        return np.empty(0, dtype=np.int64)
    rng = generator(seed, "two draws of topics", str(n))
    times = with_replacement(rng, n, (draws, 2)).astype(float)
    pairs, flips = comb(len(scores), 2), []
    if correction == "none":  # by the critical value of t, some of the pairs at a time
        critical = special.stdtrit(n - 1, 1 - significance / 2)
        for start in range(0, pairs, CHUNK):
            t = t_under(scores, times.reshape(-1, n), start, start + CHUNK)
            t = t.reshape(draws, 2, -1).swapaxes(0, 1)
            flips.append(_flips(np.abs(t) > critical, np.sign(t)).sum(axis=1))
        return np.sum(flips, axis=0)
    for twos in np.array_split(times, min(draws, 1 + draws * pairs // HELD)):
        some = twos.reshape(-1, n)
        parts = [t_under(scores, some, k, k + CHUNK) for k in range(0, pairs, CHUNK)]
        t = np.concatenate(parts, axis=1)
        for two in t.reshape(len(twos), 2, pairs):
            p = 2 * special.stdtr(n - 1, -np.abs(two))
            significant = np.array([adjust(of, correction) < significance for of in p])
            flips.append(_flips(significant, np.sign(two)).sum())
    return np.array(flips, dtype=np.int64)


def t_under(
    scores: np.ndarray, times: np.ndarray, start: int = 0, stop: int | None = None
) -> np.ndarray:
    """(K, P) t of `paired_t` of pairs from start to stop, on topics that count so many times."""
    n = scores.shape[1]
    every = comb(len(scores), 2)
    first, other = pairs_at(len(scores), start, every if stop is None else min(stop, every))
    difference = differences(scores[first], scores[other])
    mean = times @ difference.T / n
    squares = np.maximum(times @ (difference**2).T / n - mean**2, 0.0)
    spread = np.sqrt(squares * n / (n - 1))
    error = np.where(spread <= TOLERANCE, 0.0, spread) / np.sqrt(n)
    mean = np.where(np.abs(mean) <= TOLERANCE, 0.0, mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        return mean / error


def _flips(significant: np.ndarray, sign: np.ndarray) -> np.ndarray:
    """For which pairs significance changes from the first of two draws to the second."""
    return is_flip(changes_of(*significant, sign[0] * sign[1]))


def change_row(
    change: np.ndarray, p: np.ndarray, by_topics: np.ndarray, significance: float, topics: int
) -> dict[str, float]:
    """How many pairs change, by the columns of ``compare/changes``."""
    low, high = interval(by_topics.astype(float)) if len(by_topics) else (np.nan, np.nan)
    mean = by_topics.mean() if len(by_topics) else np.nan
    flips = is_flip(change)
    significant = (flips & (p < significance)).sum() if topics >= FEWEST_OF_CHANGES else np.nan
    counts = {"pairs": len(p), "changed": int(flips.sum()), "significant_changes": significant}
    return counts | {"by_topics": mean, "low": low, "high": high}


def changes_table(
    pairs: pd.DataFrame | Blocks,
    systems: pd.DataFrame,
    first: Scores,
    significance: float,
    correction: str,
    seed: int,
) -> pd.DataFrame:
    """What becomes of pairs, and what topics alone would make of them (``compare/changes``)."""
    known = pd.concat(some[["measure", "change", "change_p"]] for some in blocks_of(pairs))
    rows = []
    for m, measure in enumerate(map(str, first.measures)):
        of = known[known["measure"] == measure]
        by_topics = flips_by_topics(first.values[:, :, m], significance, correction, seed)
        change = of["change"].cat.codes.to_numpy()
        p = of["change_p"].to_numpy(float)
        row = change_row(change, p, by_topics, significance, len(first.topics))
        moves = np.abs(systems.loc[systems["measure"] == measure, "move"].to_numpy())
        row |= {"moved": np.count_nonzero(moves), "farthest": moves.max(initial=0)}
        rows.append({"measure": measure} | row)
    return pd.DataFrame(rows, columns=columns_of("compare/changes"))
