"""Readers of what others wrote: TREC runs, qrels and workers' judgments."""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "groups": ["read_groups", "read_pool_origins"],
        "judgments": ["read_judgments"],
        "qrels": ["read_qrels"],
        "runs": ["read_runs"],
    },
)
