"""Whether two systems are equivalent within a margin, or one is at most a margin worse.

The difference is that of the first system less the second; the first is the new one.

- *Equivalence*: −m < Δ < m, by two one-sided tests (TOST, Schuirmann 1987), each at α; p is the
  greater of both.  It is the same as the (1 − 2α) interval within ±m.
- *Non-inferiority*: Δ > −m, by the first of these tests.
- *Loss*, *gain*: Δ < 0 or Δ > 0, by a one-sided test each.

The (1 − 2α) interval says the same as all of these at α.

Student's t of a mean of skewed differences is skewed, and a gain that is seldom, or a loss, makes
its one-sided tests wrong: with 0/1 items of which one in ten is lost, TOST of 100 items finds 12 %
where 5 % should be.  So p is that of Student's t or of Hall's correction of it, whichever is
greater, and the interval reaches as far as either (`regrade.sample_means`).

Where fewer than `FEWEST_APART` items differ, neither means anything.  Scores from 0 to 1 then have
an exact test: with Δ ≤ −m the probability of a loss is at least m, so p is that of so few losses.

References
----------
Schuirmann, A comparison of the two one-sided tests procedure and the power approach, Journal of
Pharmacokinetics and Biopharmaceutics 15(6), 1987.  Hall (1992), as in `regrade.sample_means`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from regrade.intervals import INTERVALS
from regrade.ranking.power import noncentrality
from regrade.sample_means import skewed_ends, unskewed_t
from regrade.significance.paired import FEWEST_APART
from regrade.system_pairs.item_groups import ItemGroups, MeanDifference

POINTS = 400
"""Of the distribution of the standard deviation, over which power is averaged."""


@dataclass(frozen=True)
class MarginTest:
    """What a margin says of two systems; NaN where too few items differ or there are too few.

    Attributes
    ----------
    p_noninferior, p_equivalent
        One-sided, that the first is not worse by the margin or more; that both are equivalent.
    power_equivalent
        The probability of an equivalence at α, if the difference is 0 and the variance as observed.
    margin_exact
        Whether p is that of the number of losses and gains.
    """

    p_noninferior: float = np.nan
    p_equivalent: float = np.nan
    power_equivalent: float = np.nan
    margin_exact: bool = False


def margin_test(
    sample: MeanDifference, margin: float, significance: float, rare: RareDifferences | None
) -> MarginTest:
    """The tests of a margin; `rare` are the items that differ, where they have an exact test."""
    if sample.units < INTERVALS["mean_difference"].fewest or np.isnan(sample.error):
        return MarginTest()
    if sample.apart < FEWEST_APART:
        return MarginTest() if rare is None else rare.test(margin)
    below, above = p_above(sample, -margin), p_below(sample, margin)
    return MarginTest(below, max(below, above), equivalence_power(sample, margin, significance))


def has_no_interval(sample: MeanDifference) -> bool:
    """Whether items are too few, or the systems differ on too few of them."""
    return sample.units < INTERVALS["mean_difference"].fewest or sample.apart < FEWEST_APART


def p_above(sample: MeanDifference, value: float) -> float:
    """One-sided p that the difference is above a value, by Student's t or Hall's."""
    if sample.error == 0:
        return 0.0 if sample.value > value else 1.0
    t = sample.t_from(value)
    return float(special.stdtr(sample.freedom, -np.array([t, _unskewed(t, sample.skew)])).max())


def p_below(sample: MeanDifference, value: float) -> float:
    """The same, that it is below."""
    if sample.error == 0:
        return 0.0 if sample.value < value else 1.0
    t = sample.t_from(value)
    return float(special.stdtr(sample.freedom, [t, _unskewed(t, sample.skew)]).max())


def _unskewed(t: float, skew: float) -> float:
    """Hall's transformation of t of a mean with such a skewness."""
    return float(unskewed_t(np.float64(t), np.float64(skew), 1))


def one_sided_interval(sample: MeanDifference, significance: float) -> np.ndarray:
    """(2,) the (1 − 2α) interval, by Student's t or Hall's, whichever reach further.

    NaN of too few items, or too few that differ.
    """
    if has_no_interval(sample):
        return np.full(2, np.nan)
    confidence = 1 - 2 * significance
    value, error, skew = (np.float64(one) for one in (sample.value, sample.error, sample.skew))
    return skewed_ends(value, error, skew, 1, sample.freedom, confidence)


def detectable_loss(sample: MeanDifference, significance: float) -> float:
    """The smallest loss that a one-sided test detects with 80 % power; NaN where none varies."""
    if not sample.error > 0:
        return np.nan
    critical = special.stdtrit(sample.freedom, 1 - significance)
    return float(noncentrality(critical, sample.freedom) * sample.error)


def equivalence_power(sample: MeanDifference, margin: float, significance: float) -> float:
    """The probability that TOST at α finds an equivalence, were the difference 0.

    The mean of P(|Z| < m / σ − t_α s) over the distribution of s² ~ χ² / df.
    """
    if sample.error == 0:
        return 1.0
    shares = (np.arange(POINTS) + 0.5) / POINTS
    spread = np.sqrt(special.chdtri(sample.freedom, shares) / sample.freedom)
    critical = special.stdtrit(sample.freedom, 1 - significance)
    room = margin / sample.error - critical * spread
    return float(np.where(room > 0, 2 * special.ndtr(room) - 1, 0.0).mean())


@dataclass(frozen=True)
class RareDifferences:
    """Independent items, scores of 0 to 1, of which few differ."""

    items: int
    losses: int
    gains: int

    @classmethod
    def of(cls, apart: np.ndarray, groups: ItemGroups, *pair: np.ndarray) -> RareDifferences | None:
        """Those of (T,) differences; ``None`` for clusters, data sets, and other scores.

        Scores of which lower ones are better are from −1 to 0.
        """
        low, high = min(one.min() for one in pair), max(one.max() for one in pair)
        if not groups.is_plain or not (0 <= low <= high <= 1 or -1 <= low <= high <= 0):
            return None
        return cls(len(apart), int((apart < 0).sum()), int((apart > 0).sum()))

    def test(self, margin: float) -> MarginTest:
        """p of so few losses, or gains, were as many to be expected as the margin needs."""
        p = special.bdtr(np.array([self.losses, self.gains], float), self.items, min(margin, 1.0))
        return MarginTest(float(p[0]), float(p.max()), margin_exact=True)
