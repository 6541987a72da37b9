"""Magnitude estimation: relevance on a ratio scale (turpin2015)."""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "documents": ["aggregated_labels", "document_table", "normalised_table"],
        "normalising": ["normalise", "shifted"],
    },
)
