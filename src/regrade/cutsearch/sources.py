"""What the searches of a transformation compare, read from a job's tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import pyarrow as pa

from regrade.aggregation import aggregate, vote_of
from regrade.cutsearch.options import DEFAULTS, AlphaOptions
from regrade.cutsearch.search import SourceTopics
from regrade.scales import Scale
from regrade.tables import read_table


@dataclass(frozen=True)
class SearchInput:
    """A source set that is cut into levels, and the labels that cuts are compared with.

    Attributes
    ----------
    judgments, pool
        As for `regrade.cutsearch.search.search`.
    scale, levels
        The source scale; levels of the target scale.
    options
        How α is computed.
    references
        On the target scale, schema ``qrels``, by name.
    """

    judgments: pa.Table
    scale: Scale
    levels: int
    options: AlphaOptions = DEFAULTS
    pool: pa.Table | None = None
    references: Mapping[str, pa.Table] = field(default_factory=dict)

    @classmethod
    def read(
        cls, paths: Mapping, params: Mapping, crowds: Collection[str] = (), **rest: object
    ) -> Self:
        """The source of a job; `rest` is what else a class has."""
        tables = zip(params["references"], map(read_table, paths["references"]), strict=True)
        return cls(
            read_table(paths["judgments"]),
            Scale.of(params["scale"]),
            params["levels"],
            AlphaOptions.of(params),
            read_table(paths["pool"]) if paths["pool"] else None,
            {n: reference_labels(t, params) if n in crowds else t for n, t in tables},
            **rest,
        )

    def topics(self, part: tuple[int, int] = (1, 1)) -> SourceTopics:
        """The topics of the source, or a part of them."""
        return SourceTopics.of(self.judgments, self.scale, self.pool, part)

    def arguments(self, item: Mapping) -> dict[str, object]:
        """What `SourceTopics.plan` and `pooled_search` take for a search."""
        return {
            "levels": self.levels,
            "method": item["method"],
            "reference": self.references.get(item["reference"]),
            "options": replace(self.options, unjudged=item["unjudged"]),
        }


def reference_labels(judgments: pa.Table, params: Mapping) -> pa.Table:
    """One label per document, on the target scale, of a crowd that cuts are compared with."""
    return aggregate(judgments, vote_of(params["levels"]), params["levels"])
