"""Rankings under several criteria at once, such as relevance and credibility (lioma2017).

`errors` of ranks and `scores` are the paper's measures; `systems` ranks systems by them,
`desiderata` tries what the paper asks of measures, `conventions` scores lists under every reading
of it.
"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "errors": [
            "error_vectors",
            "expected_errors",
            "global_rank_error",
            "ideal_ranks",
            "largest_global_error",
            "largest_local_error",
            "local_rank_error",
            "normalised_rank_error",
            "rank_error_range",
            "rank_errors",
        ],
        "scores": [
            "convex_mean",
            "harmonic_mean",
            "normalised_weighted_score",
            "set_shares",
            "set_weights",
            "weighted_score",
        ],
    },
)
