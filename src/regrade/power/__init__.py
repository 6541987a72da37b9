"""How well labels tell documents apart that people prefer to each other (chu2021)."""

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
            "Parameters",
            "batch_table",
            "consistency_table",
            "extended_grades",
            "quality_means",
            "reliability_table",
        ],
        "topics": ["Lists", "judged_lists", "power_table", "top_lists"],
    },
)
