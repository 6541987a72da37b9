"""Two sets of judgments of the same documents: would the evaluation have come out differently?"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "compared": ["How", "Side", "compare_sets"],
        "labels": ["LabelPair", "agreement_of", "joint_counts"],
        "outcomes": ["pair_counts", "pair_outcomes"],
        "systems": ["ScoredPair"],
    },
)
