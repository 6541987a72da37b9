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

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.scoring import Scores
from regrade.significance.discrimination import CHUNK, adjust, compare_systems, untested_pairs
from regrade.significance.paired import differences, skewed_p

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

_PAIR = ["measure", "system", "other"]
_FEWEST = 2


def pair_outcomes(
    first: Scores, second: Scores, *, significance: float = 0.05, **options: object
) -> pd.DataFrame:
    """Every pair of systems under both sets (table ``compare/pairs``).

    Parameters
    ----------
    first, second
        Scores of the same systems by the same measures on the same topics, under each set.
    significance
        A corrected p below it is significant; an undefined one is not.
    **options
        Of `regrade.significance.discrimination.compare_systems`: test, correction, permutations,
        seed.

    Returns
    -------
    DataFrame
        Columns of ``compare/pairs``: p corrected (NaN where undefined, as with a single topic), an
        outcome of `OUTCOMES`, a change of `CHANGES`, and the p of `change_p`.
    """
    tested = [_tested(scores, significance, options) for scores in (first, second)]
    names = {"difference": "difference", "p_adjusted": "p", "significant": "significant"}
    found = tested[0][_PAIR].astype({"measure": "category"})
    for old, new in names.items():
        for place, of in zip(("first", "second"), tested, strict=True):
            found[f"{place}_{new}"] = of[old].to_numpy()
    one, other = found["first_significant"], found["second_significant"]
    sign = _sign(found["first_difference"]) * _sign(found["second_difference"])
    strength = np.select([one & other, one | other], [0, 2], 4)
    found["outcome"] = pd.Categorical.from_codes(strength + (sign < 0), OUTCOMES)
    found["change"] = pd.Categorical(changes_of(one, other, sign), CHANGES)
    values = zip(*(np.moveaxis(scores.values, 2, 0) for scores in (first, second)), strict=True)
    found["change_p"] = np.concatenate([change_p(*of_measure) for of_measure in values])
    return found


def change_p(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Tests of the differences of differences of all pairs of systems, corrected.

    That of Student or that of Hall, whichever says less (`regrade.significance.paired.skewed_p`).

    Parameters
    ----------
    first, second : arrays of float64, shape (S, T)
        Scores of the same systems on the same topics under two sets.

    Returns
    -------
    array of float64, shape (P,)
        In the order of `numpy.triu_indices`; NaN of fewer than `FEWEST_OF_CHANGES` topics, and
        where no topic has a change.
    """
    one, other = np.triu_indices(len(first), 1)
    p = np.full(len(one), np.nan)
    if first.shape[1] < FEWEST_OF_CHANGES:
        return p
    for start in range(0, len(one), CHUNK):  # what all differ by would be the most that is held
        i, j = one[start : start + CHUNK], other[start : start + CHUNK]
        change = differences(second[i], second[j]) - differences(first[i], first[j])
        p[start : start + CHUNK] = skewed_p(change)
    return adjust(p, CHANGE_CORRECTION)


def changes_of(first: np.ndarray, second: np.ndarray, sign: np.ndarray) -> np.ndarray:
    """What becomes of the significance of pairs.

    Parameters
    ----------
    first, second : arrays of bool, shape (P,)
        Whether a pair is significant under each set.
    sign : array, shape (P,)
        Of the product of its two differences: negative where another system is better.

    Returns
    -------
    ndarray of str, shape (P,)
        Of `CHANGES`.
    """
    cases = [first & second & (sign >= 0), first & second, ~first & second, first & ~second]
    return np.select(cases, CHANGES[:4], CHANGES[4])


def pair_counts(pairs: pd.DataFrame, measures: list[str]) -> pd.DataFrame:
    """How many pairs there are of each outcome and change (table ``compare/pair_counts``).

    Parameters
    ----------
    pairs
        As `pair_outcomes` makes it.
    measures
        In the order wanted.

    Returns
    -------
    DataFrame
        Columns of ``compare/pair_counts``, shares being of the measure's pairs (NaN where there is
        none): all outcomes, mixed ones by what appears and disappears.
    """
    rows = []
    for measure in measures:
        of = pairs[pairs["measure"] == measure]
        for outcome, change in _possible():
            n = int(((of["outcome"] == outcome) & (of["change"] == change)).sum())
            share = n / len(of) if len(of) else np.nan
            rows.append((measure, outcome, change, n, share))
    return pd.DataFrame(rows, columns=columns_of("compare/pair_counts"))


def _possible() -> list[tuple[str, str]]:
    changes = {"active agreement": ["stays"], "active disagreement": ["reverses"]}
    mixed = ["appears", "disappears"]
    return [
        (outcome, change)
        for outcome in OUTCOMES
        for change in changes.get(outcome, mixed if outcome.startswith("mixed") else ["none"])
    ]


def _tested(scores: Scores, significance: float, options: dict) -> pd.DataFrame:
    """The tests of all pairs; of a single topic only the differences, p being undefined."""
    if min(scores.values.shape[:2]) < _FEWEST:
        found = untested_pairs(scores)
    else:
        found = compare_systems(scores, **options)
    return found.assign(significant=found["p_adjusted"] < significance)


def _sign(difference: pd.Series) -> np.ndarray:
    """(P,) −1, 0 within the tolerance, or 1."""
    return np.sign(differences(difference.to_numpy(), 0.0))
