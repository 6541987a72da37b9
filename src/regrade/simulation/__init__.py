"""Simulated collections and judgments: seeded, for demonstrations, tests and what-if studies.

`parameters` are the knobs. `collection` makes runs and labels, `pool` what judges see and the
latent relevance, `judgments` experts' and a crowd's, whose members `crowds` describes, `answers`
those about pairs.
"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "answers": ["AnswerParameters", "simulate_answers"],
        "collection": [
            "CollectionParameters",
            "RunParameters",
            "SimulatedCollection",
            "simulate_collection",
            "simulate_runs",
            "write_collection",
            "write_runs",
        ],
        "crowds": [
            "ButtonParameters",
            "CrowdParameters",
            "MagnitudeParameters",
            "SliderParameters",
            "crowd_parameters",
        ],
        "judgments": [
            "ExpertParameters",
            "simulate_experts",
            "simulate_judgments",
        ],
        "pool": ["SimulationParameters", "latent_relevance", "topic_pools"],
    },
)
