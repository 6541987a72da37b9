"""Magnitude estimation: relevance on a ratio scale (turpin2015).

`normalising` puts a topic's units on one scale, `units` checks them, `documents` has one magnitude
of each. Beside labels (`label_comparison` holds what these share): `levels`, `pairs`, `discordant`,
`gains`. Systems under magnitudes: `scores`, `systems`. How much judgments vary: `resampling` draws
them anew, `samples` hears fewer, `intervals`; `tables` has
all of them.
"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "discordant": ["discordant_documents", "said_of"],
        "resampling": ["all_gains", "topic_judgments"],
        "documents": ["aggregated_labels", "document_table", "normalised_table"],
        "gains": ["gain_boxes", "gain_profiles", "gain_ratios"],
        "intervals": ["interval_table"],
        "levels": ["exceptions", "level_boxes", "level_tests"],
        "normalising": ["normalise", "shifted"],
        "pairs": ["pair_agreement", "pair_intervals"],
        "samples": ["sample_tables"],
        "systems": ["Reference", "system_tables", "top_set"],
        "units": [
            "is_narrow",
            "kept_judgments",
            "known_documents",
            "topic_table",
            "unit_table",
            "width_counts",
            "width_quantiles",
        ],
    },
)
