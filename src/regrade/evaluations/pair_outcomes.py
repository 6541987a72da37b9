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

That p is below 0.05 under one set and above it under the other does not make a change: the change
itself is tested too (`change_p`).

References
----------
Ferro and Sanderson, Improving the accuracy of system performance estimation by using shards,
SIGIR 2019; after Moffat, Scholer and Thomas, Models and metrics: IR evaluation as a user process,
ADCS 2012.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb

import numpy as np
import pandas as pd

from regrade.blocks import Blocks, Part, blocks_of, table_of
from regrade.catalogue import columns_of
from regrade.measures import Measure
from regrade.scoring import Scores
from regrade.significance.discrimination import adjust, pair_test
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
