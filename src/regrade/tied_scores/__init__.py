"""Ties: groups of documents in no order of their own, and what they do to scores (yang2019 ch. 3).

`groups` finds the groups, by score or as bands of ranks; `expectations` scores rankings with ties,
exactly; `bounds` says what bands cost at worst; `effects` makes the tables.
"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "bounds": ["rbp_bound", "rr_bound", "worst_case_bounds"],
        "effects": [
            "banded_p_values",
            "count_non_inferior",
            "highest_means",
            "non_inferiority",
            "quadrants",
            "score_bands",
            "tie_rates",
            "tie_scores",
        ],
        "groups": ["TieGroups", "band_starts", "exact_rho"],
        "expectations": ["RECALL_BASED", "UTILITY_BASED", "expected", "limits", "marginal_ap"],
    },
)
