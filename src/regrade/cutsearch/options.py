"""How α of cuts is computed: the choices that a search, its repetitions and its tables share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from regrade.aggregation import AGGREGATION, Aggregation
from regrade.agreement import metric_code
from regrade.choices import UNDEFINED, UNJUDGED
from regrade.cutsearch.means import check_coverage
from regrade.errors import check_choice


@dataclass(frozen=True)
class AlphaOptions:
    """How α of every cut is computed.

    Attributes
    ----------
    metric
        ``nominal``, ``ordinal`` or ``interval``, on the target levels.
    undefined
        What a unit's (or topic's) undefined α counts as: ``drop``: it does not count; ``one`` (as
        in han2019) or ``zero``.
    coverage
        The one cut for all topics is sought among the cuts that are eligible for at least this
        share of the topics for which any cut is.
    unjudged
        A document that the reference lacks is ``non-relevant`` or ``drop``\\ ped.
    aggregation
        How several values become one.
    grid
        How many thresholds to try at most (see `regrade.cutsearch.thresholds`).
    """

    metric: str = "ordinal"
    undefined: str = "drop"
    coverage: float = 0.9
    unjudged: str = "drop"
    aggregation: Aggregation = AGGREGATION
    grid: int | None = None

    def __post_init__(self) -> None:
        """Refuse what is no such choice."""
        metric_code(self.metric)
        check_choice("rule for undefined α", self.undefined, UNDEFINED)
        check_choice("rule for unjudged", self.unjudged, UNJUDGED)
        check_coverage(self.coverage)

    @classmethod
    def of(cls, transformation: Mapping, unjudged: str = "drop") -> AlphaOptions:
        """The options as a transformation names them."""
        names = ("metric", "undefined", "coverage", "grid")
        return cls(
            **{name: transformation[name] for name in names},
            unjudged=unjudged,
            aggregation=Aggregation.of(transformation),
        )


DEFAULTS = AlphaOptions()
"""How α is computed unless said otherwise."""
