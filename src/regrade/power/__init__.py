"""How well labels tell documents apart that people prefer to each other (chu2021)."""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "plackett_luce": ["Entropy", "Fit", "fit_scores", "ranking_entropy"],
        "preferences": [
            "Graded",
            "GradePreferences",
            "PreferenceTests",
            "document_preferences",
            "grade_preferences",
        ],
        "topics": ["Lists", "judged_lists", "power_table", "top_lists"],
    },
)
