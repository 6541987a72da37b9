"""Simulated collections and judgments: seeded, for demonstrations, tests and what-if studies."""

from regrade.simulation.collection import (
    CollectionParameters,
    SimulatedCollection,
    simulate_collection,
    write_collection,
)
from regrade.simulation.judgments import (
    ButtonParameters,
    CrowdParameters,
    ExpertParameters,
    SliderParameters,
    crowd_parameters,
    simulate_experts,
    simulate_judgments,
)
from regrade.simulation.pool import SimulationParameters, latent_relevance, topic_pools

__all__ = [
    "ButtonParameters",
    "CollectionParameters",
    "CrowdParameters",
    "ExpertParameters",
    "SimulatedCollection",
    "SimulationParameters",
    "SliderParameters",
    "crowd_parameters",
    "latent_relevance",
    "simulate_collection",
    "simulate_experts",
    "simulate_judgments",
    "topic_pools",
    "write_collection",
]
