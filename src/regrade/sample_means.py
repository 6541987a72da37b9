"""Intervals of means: of shares over topics, and of skewed values.

Student's t of a sample from a skewed distribution is skewed itself, the other way round: its
interval ends too early on the side of the long tail.  Hall's transformation of t takes the sample's
skewness out of it, but where tails are heavy on both sides it corrects what is chance.  So the
interval reaches as far as either of both, and the test finds what both find.

References
----------
P. Hall, On the removal of skewness by transformation, Journal of the Royal Statistical Society B
54(1), 1992, equation (1.4): g(T) = T + γ T² / 3 + γ² T³ / 27 + γ / (6 n) of T = t / √n.
"""

from __future__ import annotations

import numpy as np
from scipy import special
from scipy.special import stdtrit

from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE
from regrade.percentiles import CONFIDENCE, ends, quantiles


def skewness(values: np.ndarray) -> np.ndarray:
    """The sample skewness G₁ over the last axis of (…, n) values, corrected for bias.

    0 of fewer than three values, and where they are within `regrade.kendall.TOLERANCE` of each
    other.
    """
    values = np.asarray(values, dtype=float)
    n = values.shape[-1]
    if n < 3:
        return np.where(np.isnan(values).any(axis=-1), np.nan, 0.0)
    away = values - values.mean(axis=-1, keepdims=True)
    spread = np.sqrt((away**2).sum(axis=-1, keepdims=True) / (n - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.where(spread <= TOLERANCE, 0.0, away / spread)
    return n / ((n - 1) * (n - 2)) * (score * score * score).sum(axis=-1)


def unskewed_t(t: np.ndarray, skew: np.ndarray, n: int) -> np.ndarray:
    """Hall's transformation √n g(t / √n) of Student's t of n values with such a skewness."""
    scaled = t / np.sqrt(n)
    return np.sqrt(n) * (scaled + skew * scaled**2 / 3 + skew**2 * scaled**3 / 27 + skew / (6 * n))


def skewed_ends(
    value: np.ndarray,
    error: np.ndarray,
    skew: np.ndarray,
    n: int,
    freedom: np.ndarray | float,
    confidence: float = CONFIDENCE,
) -> np.ndarray:
    """The ends of Student's interval or of Hall's, whichever reach further."""
    t = np.multiply.outer([1.0, -1.0], stdtrit(freedom, ends(confidence)[1]))
    t = t.reshape(2, *(np.shape(freedom) or (1 for _ in np.shape(value))))
    # g⁻¹(y) = 3 ((1 + γ x)^⅓ − 1) / γ with x = y − γ / (6 n), written so that γ may be 0
    x = t / np.sqrt(n) - skew / (6 * n)
    root = np.cbrt(1 + skew * x)
    hall = np.sqrt(n) * 3 * x / (root**2 + root + 1)
    both = np.stack([value - error * t, value - error * hall])
    return np.stack([both[:, 0].min(axis=0), both[:, 1].max(axis=0)])


def skewed_p(
    value: np.ndarray,
    error: np.ndarray,
    skew: np.ndarray,
    n: int,
    freedom: np.ndarray | float,
) -> np.ndarray:
    """Two-sided p that a mean is not 0, of the test that `skewed_ends` inverts; error above 0."""
    t = np.divide(value, error, out=np.zeros(len(value)), where=error > 0)
    both = np.stack([t, unskewed_t(t, skew, n)])
    below, above = (special.stdtr(freedom, sign * both).max(axis=0) for sign in (1, -1))
    return np.minimum(1.0, 2 * np.minimum(below, above))


def mean_interval(
    values: np.ndarray, interval: str = "mean_over_topics", parts: int | None = None
) -> np.ndarray:
    """The interval of a mean, as `skewed_ends` has it.

    Values of what was learned without them are not independent: all parts are taught by nearly the
    same.  The variance of their mean is 1 + K / (K − 1) times as large with K parts.

    References
    ----------
    C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52 (2003): of
    J parts' means with variance σ², (1 / J + tested / taught) σ², here 1 / K + 1 / (K − 1).
    """
    values = np.asarray(values, dtype=float)
    n = len(values)
    if n < INTERVALS[interval].fewest:
        return np.full(2, np.nan)
    wider = 1.0 if parts is None else 1 + parts / (parts - 1)
    error = values.std(ddof=1) * np.sqrt(wider / n)
    return skewed_ends(values.mean(), error, skewness(values), n, n - 1)


def student_interval(values: np.ndarray) -> np.ndarray:
    """Student's interval of the mean of (n,) values; NaN of fewer than two."""
    values = np.asarray(values, dtype=float)
    n = len(values)
    if n < 2:
        return np.full(2, np.nan)
    half = stdtrit(n - 1, ends(CONFIDENCE)[1]) * values.std(ddof=1) / np.sqrt(n)
    return values.mean() + half * np.array([-1.0, 1.0])


def share_interval(share: np.ndarray, error: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The interval of a mean of numbers from 0 to 1, by Wilson's score with Student's quantile.

    Wilson's interval holds the shares that n answers of yes and no speak for.  Numbers between 0
    and 1 vary less than such answers; they count as so many answers as would have their standard
    error, p (1 − p) / error².  Where all are the same, they count as n.

    References
    ----------
    E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22
    (1927); effective sizes as in E. L. Korn and B. I. Graubard, Survey Methodology 24 (1998).
    """
    share, error, n = np.broadcast_arrays(*(np.asarray(x, float) for x in (share, error, n)))
    known = n >= 2
    freedom = np.where(known, n - 1, 1.0)
    z2 = stdtrit(freedom, (1 + CONFIDENCE) / 2) ** 2
    spread = share * (1 - share)
    with np.errstate(divide="ignore", invalid="ignore"):
        # the reciprocal of as many answers as the numbers are worth
        one_of = np.where(error > TOLERANCE, error**2 / spread, 1 / n)
        middle = (share + z2 * one_of / 2) / (1 + z2 * one_of)
        half = np.sqrt(z2 * one_of * (spread + z2 * one_of / 4)) / (1 + z2 * one_of)
    interval = np.clip(np.stack([middle - half, middle + half]), 0.0, 1.0)
    return np.where(known, interval, np.nan)


def exact_share_interval(
    share: np.ndarray,
    error: np.ndarray,
    items: int,
    freedom: np.ndarray | float,
    units: float,
) -> np.ndarray:
    """The interval of a mean of answers of yes and no, by the binomial distribution.

    Clopper and Pearson's holds in at least 95 % of samples of independent answers, whatever the
    share; Wilson's of 25 answers in 86 to 99 %.  Answers that are not independent count as so many
    as would have their standard error, fewer by what the degrees of freedom leave open.

    Parameters
    ----------
    share, error, freedom
        With its standard error and degrees of freedom.
    items
        Answers.
    units
        As how many they count where all are the same.

    References
    ----------
    C. J. Clopper and E. S. Pearson, Biometrika 26 (1934); E. L. Korn and B. I. Graubard, Confidence
    intervals for proportions with small expected number of positive counts estimated from survey
    data, Survey Methodology 24 (1998).
    """
    varies, place = error > TOLERANCE, (1 + CONFIDENCE) / 2
    alone = share * (1 - share) / (items - 1)
    effective = items * np.divide(alone, error**2, out=np.ones(len(share)), where=varies)
    effective *= (stdtrit(items - 1, place) / stdtrit(freedom, place)) ** 2
    effective = np.where(varies, effective, units)
    yes = effective * share
    no = effective - yes
    with np.errstate(invalid="ignore"):
        low = np.where(yes > 0, special.betaincinv(yes, no + 1, 1 - place), 0.0)
        high = np.where(no > 0, special.betaincinv(yes + 1, no, place), 1.0)
    return np.stack([low, high])


def independent_share_interval(yes: np.ndarray, n: int) -> np.ndarray:
    """(2, K) Clopper and Pearson's intervals of (K,) numbers of yes among n independent answers."""
    alike = np.zeros(len(yes))  # no error is given: all n answers count
    return exact_share_interval(yes / n, alike, n, n - 1, n)


def difference_of_shares(
    difference: np.ndarray,
    discordant: np.ndarray,
    error: np.ndarray,
    n: int,
    freedom: np.ndarray | int,
) -> np.ndarray:
    """The interval of the mean difference of answers of yes and no, paired by item.

    Student's with half an item more on which each of both sides wins, and one on which neither
    does.  Answers that are not independent count as so many as would have their standard error;
    where no item is discordant, they count as n.

    Parameters
    ----------
    difference, discordant, error, freedom
        Mean difference, share of items with one yes and one no, standard error of the difference
        and its degrees of freedom.
    n
        Independent units.

    References
    ----------
    D. G. Bonett and R. M. Price, Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data, Journal of Educational and Behavioral Statistics 37 (2012).
    """
    middle, wider = _adjusted_difference(difference, discordant, error, n)
    half = stdtrit(freedom, ends(CONFIDENCE)[1]) * wider
    return np.clip(np.stack([middle - half, middle + half]), -1.0, 1.0)


def p_of_shares(
    difference: np.ndarray,
    discordant: np.ndarray,
    error: np.ndarray,
    n: int,
    freedom: np.ndarray | int,
) -> np.ndarray:
    """Two-sided p that two shares differ, of the test that `difference_of_shares` inverts."""
    middle, wider = _adjusted_difference(difference, discordant, error, n)
    return 2 * special.stdtr(freedom, -np.abs(middle) / wider)


def _adjusted_difference(
    difference: np.ndarray, discordant: np.ndarray, error: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Bonett and Price's adjusted difference and its standard error."""
    spread = np.maximum(0.0, discordant - difference**2) * n / (n - 1)
    known = (error > TOLERANCE) & (spread > TOLERANCE**2)
    count = np.divide(spread, error**2, out=np.full(len(difference), float(n)), where=known)
    middle = count * difference / (count + 2)
    wider = np.maximum(0.0, (count * discordant + 2) / (count + 2) - middle**2)
    return middle, np.sqrt(wider / (count + 2))


def interval_of_shares(values: np.ndarray) -> np.ndarray:
    """`share_interval` of n independent numbers from 0 to 1."""
    values = np.asarray(values, dtype=float)
    n = len(values)
    if n < 2:
        return np.full(2, np.nan)
    return share_interval(values.mean(), values.std(ddof=1) / np.sqrt(n), n)


def studentised_interval(
    values: np.ndarray, places: np.ndarray, confidence: float = CONFIDENCE
) -> np.ndarray:
    """The interval of a mean of skewed numbers, by percentiles of studentised draws (bootstrap-t).

    References
    ----------
    Efron and Tibshirani, An Introduction to the Bootstrap (1993), §12.5.
    """
    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        return np.full(2, np.nan)
    mean, spread = values.mean(), values.std(ddof=1)
    if not spread > TOLERANCE * max(1.0, abs(mean)):
        return np.full(2, mean)
    drawn = values[places]
    own = drawn.std(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(own > 0, (drawn.mean(axis=1) - mean) / own, np.nan)
    low, high = quantiles(t, ends(confidence))
    return np.array([mean - high * spread, mean - low * spread])
