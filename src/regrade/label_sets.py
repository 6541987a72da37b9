"""Label sets as methods take them: a name, a table and a scale."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from regrade.errors import ParameterError
from regrade.scales import Scale

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class LabelSet:
    """Labels, judgments or preferences, and their scale.

    Attributes
    ----------
    name
        Its name.
    table
        Schema ``qrels``, or ``judgments``, of which the median of a document's values counts; or
        ``preferences``.
    scale
        Its values, stated or likely; ``None``: those that occur.
    stated
        Its scale as it was stated, if it was.
    """

    name: str
    table: pa.Table
    scale: Scale | None = None
    stated: Scale | None = None

    @classmethod
    def on_levels(cls, name: str, table: pa.Table, levels: int) -> LabelSet:
        """A set on the levels 0, 1, …, ``levels`` − 1."""
        scale = Scale.of({"levels": levels})
        return cls(name, table, scale, scale)

    def with_table(self, table: pa.Table) -> LabelSet:
        """The set with another table on the same scale."""
        return LabelSet(self.name, table, self.scale, self.stated)

    def with_high(self, high: float) -> Self:
        """The set on a scale up to a value."""
        return replace(self, stated=Scale(0.0, high))

    @property
    def levels(self) -> int:
        """Number of values of the scale; 0 where they cannot be listed."""
        return self.scale.levels or 0

    @property
    def values(self) -> list[float] | None:
        """The values of a stated scale that can be listed."""
        return [*self.stated.values] if self.stated is not None and self.stated.finite else None

    @property
    def high(self) -> float | None:
        """The highest value of the stated scale; ``None``: the highest that occurs."""
        return None if self.stated is None else self.stated.high

    @property
    def max_grade(self) -> float | None:
        """`high`, where it is finite."""
        return None if self.high == math.inf else self.high

    def labels(self) -> pa.Table:
        """A label per document, schema ``qrels``: a median between two levels is the lower one."""
        from regrade.aggregation import aggregate

        is_levels = bool(self.levels) and self.scale.is_levels(self.levels)
        return aggregate(self.table, "median", self.levels if is_levels else None)

    def by_worker(self) -> list[LabelSet]:
        """The judgments of each worker, where there are several; else the set alone.

        Raises
        ------
        ParameterError
            If a judgment has no worker.
        """
        if "worker" not in self.table.column_names:
            return [self]
        if missing := self.table["worker"].null_count:
            raise ParameterError(
                f"{self.name}: {missing:,} judgments have no worker, so that their judges are "
                "unknown: name the column, columns={'worker': …}, or aggregate them"
            )
        import pyarrow as pa
        import pyarrow.compute as pc

        worker = self.table["worker"].cast(pa.string())
        names = sorted(pc.unique(worker).to_pylist())
        if len(names) < 2:
            return [self]
        return [
            LabelSet(name, self.table.filter(pc.equal(worker, name)), self.scale, self.stated)
            for name in names
        ]
