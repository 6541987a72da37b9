"""The interval of a mean by Student's t and by Hall's transformation, by searching for its ends."""

import numpy as np
from scipy import stats
from scipy.optimize import brentq


def mean_ends(values):
    """The mean's lower and upper end, the one of both methods that reaches further."""
    values = np.asarray(values, dtype=float)
    mean, error = values.mean(), stats.sem(values)
    if error == 0:
        return mean, mean
    return skewed_ends(mean, error, stats.skew(values, bias=False), len(values))


def skewed_ends(mean, error, skew, n):
    """The same of a value with such a standard error and skewness of n units."""
    quantile = stats.t.ppf(0.975, n - 1)

    def beyond(end, sign):
        one = (mean - end) / error / np.sqrt(n)
        hall = one + skew * one**2 / 3 + skew**2 * one**3 / 27 + skew / (6 * n)
        return np.sqrt(n) * hall - sign * quantile

    far = 1000 * error
    hall = [brentq(beyond, mean - far, mean + far, (sign,), xtol=1e-15) for sign in (1, -1)]
    student = mean - quantile * error, mean + quantile * error
    return min(hall[0], student[0]), max(hall[1], student[1])
