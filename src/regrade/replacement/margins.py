"""Lines of a verdict: an estimate with its interval beside a margin that was stated beforehand.

A line is *yes* if its 95 % interval lies within the margin, and *no* if the interval that holds for
all lines at once (Bonferroni) lies beyond it; else it is *not known* with these topics.  The judge
can replace people if every line with a margin is yes (an intersection–union test: a judge at one of
the margins passes in at most 2.5 % of samples, however many lines there are), and cannot if any is
no (a judge within all margins fails in at most 2.5 % of samples).  Nothing else decides.

References
----------
Berger, Multiparameter hypothesis testing and acceptance sampling, Technometrics 24(4), 1982;
Schuirmann, A comparison of the two one-sided tests procedure and the power approach, Journal of
Pharmacokinetics and Biopharmaceutics 15(6), 1987.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import inf, sqrt

import numpy as np

from regrade.drawn_intervals import spread_of
from regrade.errors import ParameterError
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE
from regrade.percentiles import CONFIDENCE
from regrade.sample_means import skewed_ends, skewness

YES, NO, UNKNOWN = "yes", "no", "not known"
"""What a line says, and all of them together."""

Ends = Callable[[float], tuple[float, float]]
"""The ends of an interval of such a confidence."""


@dataclass(frozen=True)
class Margins:
    """The largest costs that do not matter; ``None``: the line is printed and does not count.

    Attributes
    ----------
    alpha
        By how much the judge's mean α with people may be below that of people among themselves.
    epsilon
        ε of the alternative annotator test.
    tau, tau_ap, top
        By how much τ_b, τ_ap and the overlap of the first systems may be below those of a second
        person; without one, below 1.
    level
        By how much the mean score of systems may differ.
    spread
        By what factor, less 1, the standard deviation of systems' means may differ.
    pairs
        By how much the share of pairs of systems whose significance changes may exceed that under a
        second person; without one, 0.
    favour
        By how much any family of systems may be raised beside the others.
    """

    alpha: float | None = 0.1
    epsilon: float | None = 0.2
    tau: float | None = 0.1
    tau_ap: float | None = 0.15
    top: float | None = 0.2
    level: float | None = 0.05
    spread: float | None = 0.25
    pairs: float | None = 0.1
    favour: float | None = 0.05

    def __post_init__(self):
        """Check that margins are above 0."""
        for name, margin in vars(self).items():
            if margin is not None and not 0 < margin < inf:
                raise ParameterError(f"margin {name} is {margin}: give a number above 0")

    def of(self, name: str) -> tuple[float, float]:
        """The two ends of a line's margin: infinite where it has none on that side."""
        margin = getattr(self, name)
        if margin is None:
            return -inf, inf
        if name in ("alpha", "epsilon", "tau", "tau_ap", "top"):
            return -margin, inf
        if name == "spread":
            return 1 / (1 + margin), 1 + margin
        return (-inf if name == "pairs" else -margin), margin


@dataclass(frozen=True)
class Line:
    """One of the lines.

    Attributes
    ----------
    name
        Of `Margins`.
    measure
        Of the systems; empty for labels.
    judge, second
        The judge's value, and that of a second person (of several, their mean); NaN where there is
        none.
    value
        What is compared with the margin.
    ends
        Its interval, by confidence.
    also
        Whether a further condition of a yes is met.
    counts
        Whether it has a verdict; without, it is printed alone.
    note
        What there is to say of it.
    drawn : array of float64, shape (B,)
        Its value in bootstrap samples of topics (of the spread the logarithm); empty: there are
        none.
    """

    name: str
    measure: str
    judge: float
    second: float
    value: float
    ends: Ends
    also: bool = True
    counts: bool = True
    note: str = ""
    drawn: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False, compare=False)


@dataclass(frozen=True)
class JudgedLine:
    """A line beside its margin.

    Attributes
    ----------
    line
        The line.
    interval, at_once
        Of 95 %, and for all lines at once; NaN where topics are too few.
    margin
        Its two ends, infinite on a side without one.
    verdict
        `YES`, `NO` or `UNKNOWN`; empty without a margin.
    """

    line: Line
    interval: tuple[float, float]
    at_once: tuple[float, float]
    margin: tuple[float, float]
    verdict: str


def judged_lines(lines: Sequence[Line], margins: Margins) -> list[JudgedLine]:
    """Each line beside its margin."""
    beside = [margins.of(line.name) if line.counts else (-inf, inf) for line in lines]
    intervals = [line.ends(CONFIDENCE) for line in lines]
    counting = sum(
        margin != (-inf, inf) and not np.isnan(low)
        for margin, (low, _) in zip(beside, intervals, strict=True)
    )
    at_once = 1 - (1 - CONFIDENCE) / max(counting, 1)
    judged = []
    for line, margin, interval in zip(lines, beside, intervals, strict=True):
        wide = line.ends(at_once)
        word = _verdict(line, interval, wide, margin)
        judged.append(JudgedLine(line, interval, wide, margin, word))
    return judged


def _verdict(
    line: Line,
    interval: tuple[float, float],
    at_once: tuple[float, float],
    margin: tuple[float, float],
) -> str:
    least, most = margin
    if margin == (-inf, inf):
        return ""
    if interval[0] >= least - TOLERANCE and interval[1] <= most + TOLERANCE and line.also:
        return YES
    if at_once[1] < least - TOLERANCE or at_once[0] > most + TOLERANCE:
        return NO
    return UNKNOWN


def verdict_of(words: Iterable[str]) -> str:
    """The one verdict on all lines that have one."""
    words = [word for word in words if word]
    if NO in words:
        return NO
    return YES if words and set(words) == {YES} else UNKNOWN


# --- intervals of lines --------------------------------------------------------------------------


def drawn_ends(
    value: float,
    drawn: np.ndarray,
    topics: int,
    interval: str,
    left_out: np.ndarray | None = None,
    effective: int | None = None,
) -> Ends:
    """Ends by Student's t times the standard deviation of draws, as `drawn_intervals.around`.

    With values without each topic, Hall's correction for skewness if that reaches further; of
    topics of unequal size with degrees of freedom of the `effective` number.
    """
    n = topics if effective is None else effective
    if topics < max(INTERVALS[interval].fewest, 2) or len(drawn) < 2 or n < 2:
        return no_ends
    error = sqrt(n / (n - 1)) * float(spread_of(drawn))
    skew = 0.0 if left_out is None else -float(skewness(left_out))
    return error_ends(value, error, skew, topics, min(n, len(drawn)) - 1)


def mean_ends(values: np.ndarray, interval: str = "mean_over_topics") -> Ends:
    """Ends of a mean of (T,) values, as `sample_means.mean_interval`."""
    n = len(values)
    if n < INTERVALS[interval].fewest:
        return no_ends
    error = float(values.std(ddof=1)) / sqrt(n)
    return error_ends(float(values.mean()), error, float(skewness(values)), n, n - 1)


def error_ends(value: float, error: float, skew: float, topics: int, freedom: int) -> Ends:
    """Ends of a value with such a standard error."""

    def ends(confidence: float) -> tuple[float, float]:
        numbers = (np.float64(one) for one in (value, error, skew))
        return tuple(map(float, skewed_ends(*numbers, topics, freedom, confidence)))

    return ends


def no_ends(confidence: float) -> tuple[float, float]:
    """Of too few topics."""
    return np.nan, np.nan


def exponential(line: Line) -> Line:
    """A line on the scale of which it is the logarithm."""

    def ends(confidence: float) -> tuple[float, float]:
        return tuple(float(np.exp(end)) for end in line.ends(confidence))

    return replace(line, value=float(np.exp(line.value)), ends=ends)
