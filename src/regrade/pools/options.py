"""Ways to pool, as a configuration names them; `regrade.pools.pooling` makes the pools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from regrade.choices import DEPTH, FUSION_METHODS, NORMALISATIONS
from regrade.errors import ParameterError, check_choice
from regrade.measures import parse_all

POOLING_METHODS = (DEPTH, *FUSION_METHODS)
"""Depth@k, and a fusion method each for the pools of its first documents."""

NEED_SCORES = tuple(name for name in FUSION_METHODS if name.startswith("Comb"))
"""The methods that look at scores; the others look at ranks alone."""

RRF_K = 60
"""The constant of reciprocal rank fusion (Cormack et al. 2009)."""


POOL_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 1.0)
"""Depths of the thesis's pools, 5 to 50, as parts of the deepest (yang2019 §4.2)."""

VOTE_SHARES = (0.4, 1.0)
"""Those whose votes it counts, 20 and 50 (yang2019 Table 4.4)."""

ANCOVA_SHARES = tuple(tenth / 10 for tenth in range(1, 11))
"""Those of its analysis of covariance (yang2019 §4.8)."""

DEEPEST = 50
"""Its deepest pool; of what is judged deeper it uses no more."""

SHALLOWEST = 2
"""The least depth to which systems must be judged, where none is given."""


_WRITTEN = re.compile(r"(\w+)(?:\((.*)\))?@(\d+)")
_GIVEN = {"depth": int, "normalisation": str}


def depths_to(deepest: int, shares: Sequence[float] = POOL_SHARES) -> list[int]:
    """Depths of pools, in the thesis's proportions."""
    if deepest < 2:
        raise ParameterError(f"pools to depth {deepest} have no shallower ones: give 2 or more")
    # half up, so that ten parts of 10 are 1 to 10 and five of 50 do not depend on rounding to even
    return sorted({max(1, int(share * deepest + 0.5)) for share in shares})


def check_depth(depth: int | None) -> None:
    """Raise a `ParameterError` where a depth is given that is below 1."""
    if depth is not None and depth < 1:
        raise ParameterError(f"depth is {depth}: give at least 1")


@dataclass(frozen=True)
class Pooling:
    """How to pool (yang2019 §2.2.1).

    Attributes
    ----------
    method
        ``Depth``: the first `depth` documents of every contributing system; or a fusion method
        (`regrade.choices.FUSION_METHODS`): the first `size` documents of the fused order.
    depth
        How many documents of each ranking count; for a fusion method ``None`` is all.
    size
        How many documents to pool per topic (fewer where fewer are retrieved).
    normalisation
        For methods that fuse scores: see `regrade.pools.fusion.normalised_scores`.
    rrf_k
        The constant of ``RRF``.
    """

    method: str
    depth: int | None = None
    size: int | None = None
    normalisation: str = "min-max"
    rrf_k: float = RRF_K

    def __post_init__(self):
        """Check the parameters."""
        check_choice("pooling method", self.method, POOLING_METHODS)
        check_choice("normalisation", self.normalisation, NORMALISATIONS)
        check_depth(self.depth)
        if self.method == DEPTH and (self.depth is None or self.size is not None):
            raise ParameterError("Depth takes a depth and no size: its size follows")
        if self.method != DEPTH and (self.size is None or self.size < 1):
            raise ParameterError(
                f"{self.method}: size is {self.size}: give the number of documents to pool per "
                "topic, at least 1"
            )

    @classmethod
    def read(cls, text: str) -> Pooling:
        """A way to pool as the thesis writes it, ``Depth@50`` or ``CombSUM(depth=100)@800``."""
        match = _WRITTEN.fullmatch(text)
        method, inside, number = match.groups() if match else ("", "", "")
        parameters = [parameter.partition("=") for parameter in inside.split(",")] if inside else []
        try:
            options = {name: _GIVEN[name](value) for name, _, value in parameters}
            last = "depth" if method == DEPTH else "size"
            return cls(method, **options, **{last: int(number)})
        except (KeyError, TypeError, ValueError) as error:
            raise ParameterError(
                f"{text!r} is not a pooling method: write Depth@20, RRF@100, or "
                "CombSUM(depth=100,normalisation=z-score)@50"
            ) from error

    @property
    def needs_scores(self) -> bool:
        """Whether it looks at the scores of the runs."""
        return self.method in NEED_SCORES

    def __str__(self) -> str:
        """As the thesis writes it, ``Depth@50`` or ``CombSUM@800``, with what is not usual."""
        if self.method == DEPTH:
            return f"{DEPTH}@{self.depth}"
        options = [
            f"{name}={value}"
            for name, value, usual in (
                ("depth", self.depth, None),
                ("normalisation", self.normalisation, "min-max"),
                ("rrf_k", self.rrf_k, RRF_K),
            )
            if value != usual
        ]
        parameters = f"({','.join(options)})" if options else ""
        return f"{self.method}{parameters}@{self.size}"


NO_RESIDUAL = "none has a residual, which stands beside how far scores move: add one, such as RBP"


def first_with_residual(measures: Sequence[str]) -> str | None:
    """The first of the measures that has a residual."""
    parsed = parse_all(measures)
    return next((str(one) for one in parsed if one.definition.residual is not None), None)
