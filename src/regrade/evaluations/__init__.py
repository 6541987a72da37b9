"""Two sets of judgments of the same documents: would the evaluation have come out differently?"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "tables": ["How", "Side", "compare_sets"],
        "label_agreement": ["LabelPair", "agreement_of", "joint_counts"],
        "pair_outcomes": ["pair_counts", "pair_outcomes"],
        "system_rankings": ["ScoredPair"],
    },
)
