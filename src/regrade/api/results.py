"""Common parts of results with several tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

import pandas as pd

from regrade.answers.shape import Answer
from regrade.answers.table import AnswerTable, latex_of, markdown_of
from regrade.blocks import Blocks, concat
from regrade.errors import MethodError, did_you_mean
from regrade.stages.library import StageTables

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Text(str):
    """Text that a notebook shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The text itself."""
        return str(self)


class Summarised:
    """An object with a short `summary`."""

    def __repr__(self) -> str:
        """The summary."""
        return f"<{type(self).__name__}: {self.summary()}>"


@dataclass(frozen=True, eq=False, repr=False)
class Result(Summarised):
    """A result of several tables, each of which is an attribute as well.

    Attributes
    ----------
    tables
        By name; of more than half a million rows in blocks (`regrade.blocks.Blocks`), of which
        the attribute makes one frame.
    """

    tables: Mapping[str, pd.DataFrame | Blocks]
    main_table: ClassVar[str]
    """The one that holds most of what was asked for."""

    def __getattr__(self, name: str) -> pd.DataFrame:
        """A table by its name."""
        tables = self.__dict__.get("tables", {})
        if name in tables:
            return concat(tables[name])
        kind = type(self).__name__
        raise AttributeError(f"a {kind} has no '{name}'{did_you_mean(name, tables)}")

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """A table by its name; by default the main one.

        Raises
        ------
        AttributeError
            If there is no such table; the message names the nearest.
        """
        return self.__getattr__(table or self.main_table)

    def __dir__(self) -> list[str]:
        """The tables among the rest."""
        return sorted({*super().__dir__(), *self.tables})

    @property
    def answer(self) -> Answer:
        """The answer, from the table ``answer``."""
        if isinstance(self.tables, StageTables) and self.tables.answer:
            return self.tables.answer
        return Answer.of_frame(self.to_frame("answer"))

    def summary(self) -> Text:
        """The answer: its table, verdict, facts, method and notes."""
        return Text(self.answer)

    def methods_sentence(self) -> Text:
        """Sentences for the method section of a paper."""
        return Text(self.answer.methods_sentence())

    def to_markdown(self) -> Text:
        """The table of the answer in Markdown."""
        return Text(markdown_of(self._rows()))

    def to_latex(self, caption: str = "") -> Text:
        """The table of the answer in LaTeX (``booktabs``), with an optional caption."""
        return Text(latex_of(self._rows(), caption))

    def _rows(self) -> AnswerTable:
        if self.answer.rows is None:
            raise MethodError("this answer has no table: take one of `tables`")
        return self.answer.rows

    def _repr_html_(self) -> str:
        """The answer in a notebook."""
        return self.answer._repr_html_()

    def drawn_tables(self, names: Sequence[str]) -> list[pd.DataFrame]:
        """Tables by name, as figures take them: measures have the names that answers give them."""
        from regrade.show.item_tables import of_items, with_measures_named

        measures = getattr(self.tables, "measure_names", {})
        tables = [with_measures_named(self.to_frame(name), measures) for name in names]
        return [of_items(table) for table in tables] if self.are_of_items else tables

    @property
    def are_of_items(self) -> bool:
        """Whether the tables are of scores by item."""
        inputs = self.tables.inputs if isinstance(self.tables, StageTables) else {}
        return inputs.get("scores") is not None

    def plot(self) -> Figure:
        """Draw the figure of the answer."""
        if not isinstance(self.tables, StageTables):
            raise AttributeError(f"a {type(self).__name__} has no 'plot'")
        stage = self.tables.stage
        figures = import_module(f"{stage.__module__.rpartition('.')[0]}.figures")
        tables = self.drawn_tables(stage.card.draws)
        limit = {"limit": stage.card.first} if stage.card.first else {}
        return getattr(figures, f"figure_{stage.card.question}")(*tables, **limit)
