"""What the collected tables hold: ties, contradictions, unjudged documents, coverage, values.

Nothing here is an error but parts that share nothing (`overlap`); it is what a reader wants to know
before believing a number: `rankings`, `sets`, `crowd` (each worker), on `columns` as arrays;
`summary` has the facts, `warnings` what must be known before any result.
"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "rankings": ["audit_judged", "audit_runs", "join_audits"],
        "sets": [
            "CollectedSet",
            "audit_judgments",
            "audit_preferences",
            "audit_values",
            "audit_workers",
        ],
        "overlap": ["check_documents_shared", "check_topics_shared", "leading_zeros"],
        "warnings": ["warnings_of"],
        "summary": ["readable_summary", "summarise", "topic_warnings"],
    },
)
