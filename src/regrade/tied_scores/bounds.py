"""How much a score can lose at worst when ranks are banded (yang2019 §3.3.2, Table 3.3).

A band that starts at rank b holds the ranks below ⌈ρ·b⌉, one at least; its documents count as
tied, so that a score becomes its mean over their orders.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd

from regrade.errors import ParameterError
from regrade.measures import Measure, parse
from regrade.tied_scores.groups import band_starts, exact_rho, next_start

NEGLIGIBLE = 1e-20
"""RBP's weights below a rank sum to φ^rank: where that is less, bands add nothing to a bound."""


def rr_bound(rho: Fraction | str | float) -> float:
    """The largest loss of RR that bands can cause.

    It arises for one relevant document at the first rank b of the first band that holds more than
    one: 1/b less the mean of 1/k over the band's ranks k.
    """
    rho = exact_rho(rho)
    if rho == 1:
        return 0.0
    b = math.floor(1 / (rho - 1)) + 1  # the first with ⌈ρ·b⌉ > b + 1
    ranks = np.arange(b, next_start(rho, b))
    return float(1 / b - np.mean(1 / ranks))


def rbp_bound(rho: Fraction | str | float, persistence: float) -> float:
    """The largest loss of RBP that bands can cause, whatever the length of the ranking.

    Bands add up.  In a band from rank b of l documents, R of them relevant and at its top, the loss
    is φ^(b−1) · ((1 − φ^R) − R/l · (1 − φ^l)); each band has the R that makes it largest.
    """
    phi = persistence
    if not 0 < phi < 1:
        raise ParameterError(f"persistence is {phi}: give a number between 0 and 1, both excluded")
    rho = exact_rho(rho)
    deepest = math.ceil(math.log(NEGLIGIBLE) / math.log(phi))
    total = 0.0
    for b in band_starts(rho, deepest):
        length = next_start(rho, b) - b
        R = np.arange(length + 1)
        top = -np.expm1(R * math.log(phi))  # 1 − φ^R
        total += phi ** (b - 1) * np.max(top - R / length * top[-1])
    return float(total)


def worst_case_bounds(
    rhos: Sequence[Fraction | str | float], measures: Sequence[str | Measure]
) -> pd.DataFrame:
    """Bounds for several ρ and measures (yang2019 Table 3.3)."""
    rows = []
    for rho, measure in product(rhos, map(parse, measures)):
        uncut = measure.name in ("RR", "RBP") and measure["cutoff"] is None
        if not uncut or measure.judged_only:
            raise ParameterError(f"{measure}: there are worst-case bounds for RR and RBP, uncut")
        bound = rr_bound(rho) if measure.name == "RR" else rbp_bound(rho, measure["p"])
        rows.append((float(exact_rho(rho)), str(measure), bound))
    return pd.DataFrame(rows, columns=["rho", "measure", "bound"])
