"""Ties: groups of documents in no order of their own, and what they do to scores (yang2019 ch. 3).

`groups` finds the groups, by score or as bands of ranks; `tied` scores rankings with ties, exactly;
`bounds` says what bands cost at worst; `effects` makes the tables.
"""

from regrade.ties.bounds import rbp_bound, rr_bound, worst_case_bounds
from regrade.ties.effects import (
    banded_p_values,
    banded_scores,
    count_non_inferior,
    non_inferiority,
    quadrants,
    score_ranges,
    tie_rates,
    top_systems,
)
from regrade.ties.groups import TieGroups, band_starts, exact_rho
from regrade.ties.tied import (
    RECALL_BASED,
    UNJUDGED,
    UTILITY_BASED,
    expected,
    limits,
    marginal_ap,
)

__all__ = [
    "RECALL_BASED",
    "UNJUDGED",
    "UTILITY_BASED",
    "TieGroups",
    "band_starts",
    "banded_p_values",
    "banded_scores",
    "count_non_inferior",
    "exact_rho",
    "expected",
    "limits",
    "marginal_ap",
    "non_inferiority",
    "quadrants",
    "rbp_bound",
    "rr_bound",
    "score_ranges",
    "tie_rates",
    "top_systems",
    "worst_case_bounds",
]
