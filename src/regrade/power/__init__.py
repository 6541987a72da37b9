"""How well labels discriminate between documents of different human preference (chu2021).

`preferences` makes probabilities of labels and tests of preference, `plackett_luce` scores and
their entropy, `topics` the table of a collection. `label_sets` reads sets and puts them side by
side, `intervals` says how sure that is, `ranked_sets` orders them, `agreement` has κ and Φ. `cuts`
and `levels` ask it of every cut and number of levels, `synthetic` of made judgments, `sample_size`
how many tests are needed, `pages` of whole result pages; `example` is the paper's.
"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "agreement": ["fleiss_kappa", "phi", "weighted_kappa"],
        "example": ["example_table"],
        "sample_size": ["coverage_table", "tests_needed"],
        "plackett_luce": ["Entropy", "PlackettLuceFit", "fit_scores", "ranking_entropy"],
        "preferences": [
            "Graded",
            "GradePreferences",
            "PreferenceTests",
            "grade_preferences",
        ],
        "synthetic": [
            "SyntheticParameters",
            "batch_table",
            "consistency_table",
            "extended_grades",
            "quality_means",
            "reliability_table",
        ],
        "topics": ["Lists", "judged_lists", "power_table", "top_lists"],
    },
)
