"""Readers of what others wrote: TREC runs, labels, workers' judgments and preferences."""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "groups": ["read_groups", "read_pool_origins"],
        "judgments": ["read_judgments"],
        "panel": ["read_panel"],
        "preferences": ["read_preferences"],
        "qrels": ["read_qrels"],
        "runs": ["read_runs"],
    },
)
