"""What the searches of a transformation compare, read from a job's tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pyarrow as pa

from regrade.aggregation import aggregate, vote_of
from regrade.cutsearch.options import AlphaOptions
from regrade.cutsearch.search import SourceTopics
from regrade.scales import Scale
from regrade.tables import read_table


@dataclass(frozen=True)
class SearchInput:
    """A source set, and the labels on the target scale that it is compared with.

    Attributes
    ----------
    judgments, pool
        As for `regrade.cutsearch.search.search`.
    labels
        By the name of the reference, schema ``qrels``.
    told
        ``scale``, ``levels``, and how α is computed (`AlphaOptions.of`).
    """

    judgments: pa.Table
    pool: pa.Table | None
    labels: Mapping[str, pa.Table]
    told: Mapping

    @classmethod
    def read(cls, paths: Mapping, params: Mapping, crowds: Collection[str] = ()) -> SearchInput:
        """The source of a job."""
        tables = zip(params["references"], map(read_table, paths["references"]), strict=True)
        labels = {n: reference_labels(t, params) if n in crowds else t for n, t in tables}
        pool = read_table(paths["pool"]) if paths["pool"] else None
        return cls(read_table(paths["judgments"]), pool, labels, params)

    @property
    def scale(self) -> Scale:
        """That of the source."""
        return Scale.of(self.told["scale"])

    def topics(self, part: tuple[int, int] = (1, 1)) -> SourceTopics:
        """The topics of the source, or a part of them."""
        return SourceTopics.of(self.judgments, self.scale, self.pool, part)

    def search(self, item: Mapping) -> dict[str, object]:
        """What `SourceTopics.prepared` and `pooled_search` take for a search."""
        return {
            "levels": self.told["levels"],
            "method": item["method"],
            "reference": self.labels.get(item["reference"]),
            "options": AlphaOptions.of(self.told, item["unjudged"]),
        }


def reference_labels(judgments: pa.Table, params: Mapping) -> pa.Table:
    """One label per document, on the target scale, of a crowd that cuts are compared with."""
    return aggregate(judgments, vote_of(params["levels"]), params["levels"])
