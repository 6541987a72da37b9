"""What results of several tables have in common."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from regrade.errors import did_you_mean


class Text(str):
    """Text that a notebook shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The text itself."""
        return str(self)


class Result:
    """A result of several tables, each of which is an attribute as well.

    Attributes
    ----------
    tables
        By name.
    """

    tables: Mapping[str, pd.DataFrame]

    def __getattr__(self, name: str) -> pd.DataFrame:
        """A table by its name."""
        tables = self.__dict__.get("tables", {})
        if name in tables:
            return tables[name]
        kind = type(self).__name__
        raise AttributeError(f"a {kind} has no '{name}'{did_you_mean(name, tables)}")

    def __dir__(self) -> list[str]:
        """The tables among the rest."""
        return sorted({*super().__dir__(), *self.tables})

    def summary(self) -> Text:
        """What its table of an answer says."""
        return Text("\n".join(self.answer["said"].astype(str)))

    def __repr__(self) -> str:
        """The summary."""
        return f"<{type(self).__name__}: {self.summary()}>"
