"""Crowds, and how each answers what it perceives.

The model is chu2021's (§4.1), turpin2015's for magnitudes (§3.2); ``docs/methods/simulation.md``
lists what was added and why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regrade.errors import ParameterError
from regrade.scales import Scale
from regrade.simulation.parameters import Parameters, interval, knob

SLIDER_LEVELS = 11
"""Scales with at least so many levels are sliders; smaller ones are buttons."""

LOW_END = (0.0, 0.4)
HIGH_END = (0.6, 1.0)
"""Where the ends lie of the part of the scale that some slider workers keep to."""


@dataclass(frozen=True, kw_only=True)
class CrowdParameters(Parameters):
    """A crowd, whatever scale it judges on.

    Parameters
    ----------
    workers
        Size of the crowd; each does at most one unit per topic.
    sigma
        Bounds of the uniform draw of a worker's σ_u (chu2021 §4.1).
    noise
        Bounds of the uniform draw of a judgment's w (chu2021 §4.1).
    known_check
        Whether a worker who finds the known low document more relevant than the known high
        one has to revise the two (turpin2015 §3.2, check c).
    seed
        Another crowd of the same kind, over the same documents, for each number.
    """

    workers: int = knob(1500, 1)
    sigma: tuple[float, float] = interval((0.001, 0.3), 0)
    noise: tuple[float, float] = interval((-0.5, 0.5), -10, 10)
    known_check: bool = knob(True)
    seed: int = knob(0, 0)


@dataclass(frozen=True, kw_only=True)
class SliderParameters(CrowdParameters):
    """A crowd that judges with a slider (S100).

    Parameters
    ----------
    tens, fives
        Shares of the workers who answer in multiples of ten, and of five.
    partial_scale
        Share of the workers who use only a part of the scale.
    """

    tens: float = knob(0.35, 0, 1)
    fives: float = knob(0.25, 0, 1)
    partial_scale: float = knob(0.3, 0, 1)

    def __post_init__(self):
        """Check that the shares fit together."""
        super().__post_init__()
        if self.tens + self.fives > 1:
            raise ParameterError(
                f"SliderParameters: tens and fives are shares of the workers, but sum to "
                f"{self.tens + self.fives:g}: keep the sum at most 1"
            )


@dataclass(frozen=True, kw_only=True)
class ButtonParameters(CrowdParameters):
    """A crowd that judges with a few buttons (S4, S2).

    Parameters
    ----------
    threshold_sd
        Standard deviation of a worker's thresholds around the true ones, j / levels.
    """

    threshold_sd: float = knob(0.05, 0, 1)


@dataclass(frozen=True, kw_only=True)
class MagnitudeParameters(CrowdParameters):
    """A crowd that judges with any positive numbers (turpin2015 §3.2).

    Worker u writes, for the perceived relevance r, exp(l_u + s_u r), rounded.

    Parameters
    ----------
    modulus, modulus_sd
        The median over the workers of exp(l_u), the number for no relevance at all, and the
        standard deviation of its log.
    width, width_sd
        The median over the workers of exp(s_u), the ratio of the numbers for full and for no
        relevance, and the standard deviation of log s_u: few narrow and wide users, or many.
    one_digit
        Share of the workers whose numbers have one significant digit; the others' have up to two.
    whole
        Share of the workers who write whole numbers only.
    back_once, back_more
        Shares of the units with one click on the back button, and with more.
    failed_once, failed_more
        Shares of the units that fail the checks at one attempt, and at more.  With `known_check`
        those with the known documents reversed are always among them, even if there are more.
    keeps_failing
        Share of the units that are kept though they still fail: with the known documents
        reversed, with less than 20 seconds for a document, or both, a third each.
    """

    modulus: float = knob(2.0, 1e-6, 1e6)
    modulus_sd: float = knob(0.9, 0, 5)
    width: float = knob(7.0, 1, 1e6)
    width_sd: float = knob(0.4, 0, 2)
    one_digit: float = knob(0.6, 0, 1)
    whole: float = knob(0.5, 0, 1)
    back_once: float = knob(0.015, 0, 1)
    back_more: float = knob(0.0013, 0, 1)
    failed_once: float = knob(0.047, 0, 1)
    failed_more: float = knob(0.048, 0, 1)
    keeps_failing: float = knob(0.0, 0, 1)

    def __post_init__(self):
        """Check that the shares fit together."""
        super().__post_init__()
        for once, more in (("back_once", "back_more"), ("failed_once", "failed_more")):
            total = getattr(self, once) + getattr(self, more)
            if total > 1:
                raise ParameterError(
                    f"MagnitudeParameters: {once} and {more} are shares of the units, but sum to "
                    f"{total:g}: keep the sum at most 1"
                )


def crowd_parameters(scale: Scale, mapping: Mapping[str, Any]) -> CrowdParameters:
    """The parameters of a crowd that judges on a scale."""
    return crowd_class(scale).from_dict(mapping)


def crowd_class(scale: Scale) -> type[CrowdParameters]:
    """The kind of crowd that judges on a scale."""
    if scale.ratio:
        return MagnitudeParameters
    few = scale.finite and scale.levels < SLIDER_LEVELS
    return ButtonParameters if few else SliderParameters


Answer = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Perceived relevance (units, k) and worker of each unit (units,) to values (units, k).

Monotone in the perceived relevance for each worker.
"""


def _slider(crowd: SliderParameters, scale: Scale, draw: np.random.Generator) -> Answer:
    """Some workers keep to a part of the scale, some to tens and fives; all stop at the ends.

    The tens and fives are steps of the scale; those of a range are hundredths.
    """
    partial = draw.random(crowd.workers) < crowd.partial_scale
    low = np.where(partial, draw.uniform(*LOW_END, size=crowd.workers), 0.0)
    high = np.where(partial, draw.uniform(*HIGH_END, size=crowd.workers), 1.0)
    habit = draw.random(crowd.workers)
    grain = np.select([habit < crowd.tens, habit < crowd.tens + crowd.fives], [10.0, 5.0], 1.0)

    last = scale.levels - 1 if scale.finite else 100
    values = np.array(scale.values)

    def answer(perceived: np.ndarray, worker: np.ndarray) -> np.ndarray:
        low_, high_, grain_ = (trait[worker, None] for trait in (low, high, grain))
        place = last * (low_ + (high_ - low_) * np.clip(perceived, 0, 1))
        rounded = np.minimum(grain_ * np.rint(place / grain_), last)
        if scale.finite:
            return values[rounded.astype(np.intp)]
        share = np.where(grain_ == 1, place, rounded) / last
        return np.clip(scale.low + (scale.high - scale.low) * share, scale.low, scale.high)

    return answer


def _buttons(crowd: ButtonParameters, scale: Scale, draw: np.random.Generator) -> Answer:
    """Each worker has thresholds of their own, near j / levels (chu2021 §4.1)."""
    levels, values = scale.levels, np.array(scale.values)
    true = np.arange(1, levels) / levels
    error = crowd.threshold_sd * draw.standard_normal((crowd.workers, levels - 1))
    thresholds = np.sort(true + error, axis=1)

    def answer(perceived: np.ndarray, worker: np.ndarray) -> np.ndarray:
        reached = perceived[:, :, None] >= thresholds[worker][:, None, :]
        return values[reached.sum(axis=2)]

    return answer


def answers(crowd: CrowdParameters, scale: Scale, draw: np.random.Generator) -> Answer:
    """How each worker of a crowd answers; draws what is each worker's own."""
    if isinstance(crowd, MagnitudeParameters):
        return WrittenNumbers.drawn(crowd, draw)
    return (_slider if isinstance(crowd, SliderParameters) else _buttons)(crowd, scale, draw)


@dataclass(frozen=True, eq=False)
class WrittenNumbers:
    """How each worker of a crowd writes magnitudes, an `Answer`.

    Attributes
    ----------
    location, spread
        (workers,) l_u and s_u: the log of the number for perceived relevance r is l_u + s_u r.
    digits
        (workers,) significant digits that the numbers have at most, 1 or 2.
    whole
        (workers,) bool: whole numbers only.
    """

    location: np.ndarray
    spread: np.ndarray
    digits: np.ndarray
    whole: np.ndarray

    @classmethod
    def drawn(cls, crowd: MagnitudeParameters, draw: np.random.Generator) -> WrittenNumbers:
        """Draw the workers of a crowd."""
        n = crowd.workers
        location = np.log(crowd.modulus) + crowd.modulus_sd * draw.standard_normal(n)
        spread = np.log(crowd.width) * np.exp(crowd.width_sd * draw.standard_normal(n))
        digits = np.where(draw.random(n) < crowd.one_digit, 1, 2)
        return cls(location, spread, digits, draw.random(n) < crowd.whole)

    def __call__(self, perceived: np.ndarray, worker: np.ndarray) -> np.ndarray:
        """The numbers that workers write."""
        log = self.location[worker, None] + self.spread[worker, None] * perceived
        return self._rounded(np.exp(log), worker[:, None])

    def at_least_above(
        self, value: np.ndarray, other: np.ndarray, worker: np.ndarray
    ) -> np.ndarray:
        """Values, or where they are not above others, the next number above; (units,) each."""
        above = self._rounded(other + 10.0 ** self._place(other, worker), worker)
        return np.where(value > other, value, above)

    def _place(self, value: np.ndarray, worker: np.ndarray) -> np.ndarray:
        """The last decimal place that a worker writes, as an exponent of ten."""
        # a little more, should the log of 1000 come out below 3
        size = np.floor(np.log10(value) + 1e-12)
        place = size - (self.digits[worker] - 1)
        return np.where(self.whole[worker], np.maximum(place, 0), place)

    def _rounded(self, value: np.ndarray, worker: np.ndarray) -> np.ndarray:
        """The nearest number that a worker writes, never 0."""
        place = self._place(value, worker)
        # powers of ten are exact where whole: 3 / 10 is 0.3, and 3 × 0.1 is not
        up, down = 10.0 ** np.maximum(place, 0), 10.0 ** np.maximum(-place, 0)
        return np.maximum(np.rint(value / up * down), 1) * up / down
