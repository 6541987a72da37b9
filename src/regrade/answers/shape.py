"""What an answer is, whoever shows it: the library, a command or the page."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from regrade import __version__
from regrade.answers.glossary import SCALES
from regrade.answers.table import AnswerTable, lines_of
from regrade.tables import read_table
from regrade.wording import about_items

if TYPE_CHECKING:
    import pandas as pd

PARTS = ("question", "verdict", "key", "light", "rows", "fact", "note", "method", "table")
"""Of the rows of a table ``…/answer``, in order."""

FINE, LOOK, PROBLEM = "fine", "look", "problem"

LIGHTS = {
    FINE: "the conclusion holds at α = 0.05, or nothing needs attention",
    LOOK: "the conclusion depends on a choice or is uncertain: read the facts",
    PROBLEM: "the data contradict the evaluation or cannot support a conclusion",
}
"""What the light of an answer means."""

WIDTH = 100
"""Columns of text where no terminal says otherwise."""


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    Attributes
    ----------
    question
        As a user asks it.
    verdict
        The answer in one sentence of at most 25 words: direction, size, test and correction.
    key
        The number that matters most and what it counts, ``10 of 63 systems may be best``.
    light
        One of `LIGHTS`; empty where there is nothing to judge.
    rows
        The small table that the verdict rests on; ``None`` where there is none.
    facts
        At most three further sentences, the most important first.
    notes
        What a user would not expect.
    method
        Every test, interval and correction with n and seed, in sentences that can be quoted.
    tables
        The tables that hold every number of the answer, as the catalogue calls them.
    """

    question: str
    verdict: str
    key: str = ""
    light: str = ""
    rows: AnswerTable | None = None
    facts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    method: str = ""
    tables: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        question: str,
        sentences: Iterable[str],
        *,
        key: str = "",
        light: str = "",
        rows: AnswerTable | None = None,
        method: str = "",
        notes: Iterable[str] = (),
        tables: Iterable[str] = (),
    ) -> Answer:
        """An answer from its sentences, the verdict first; empty ones are left out.

        `notes` end with the meaning of verdict words that stand for a range of numbers.
        """
        verdict, *facts = filter(None, sentences)
        scales = [
            meaning
            for word, meaning in SCALES.items()
            if any(word in one for one in (verdict, *facts))
        ]
        every = tuple(filter(None, (*notes, *scales)))
        return cls(question, verdict, key, light, rows, tuple(facts), every, method, tuple(tables))

    @classmethod
    def read(cls, path: str | os.PathLike) -> Answer:
        """Read a table ``…/answer``."""
        table = read_table(path)
        return cls.of_rows(table["part"].to_pylist(), table["said"].to_pylist())

    @classmethod
    def of_frame(cls, table: pd.DataFrame) -> Answer:
        """The answer that such a table holds."""
        return cls.of_rows(table["part"].astype(str), table["said"].astype(str))

    @classmethod
    def of_rows(cls, parts: Iterable[str], texts: Iterable[str]) -> Answer:
        """The answer from the texts of its parts."""
        of: dict[str, list[str]] = {part: [] for part in PARTS}
        for part, text in zip(parts, texts, strict=True):
            of[part].append(text)
        (question,), (verdict,) = of["question"], of["verdict"]
        rows = [AnswerTable.of_json(text) for text in of["rows"]]
        return cls(
            question,
            verdict,
            "".join(of["key"]),
            "".join(of["light"]),
            rows[0] if rows else None,
            tuple(of["fact"]),
            tuple(of["note"]),
            "".join(of["method"]),
            tuple(of["table"]),
        )

    @property
    def parts(self) -> list[tuple[str, str]]:
        """Part and text, in the order of `PARTS`."""
        rows = [] if self.rows is None else [self.rows.to_json()]
        single = ([text] if text else [] for text in (self.key, self.light, self.method))
        key, light, method = single
        texts = ([self.question], [self.verdict], key, light, rows, self.facts, self.notes,
                 method, self.tables)  # fmt: skip
        return [(part, text) for part, own in zip(PARTS, texts, strict=True) for text in own]

    @property
    def sentences(self) -> tuple[str, ...]:
        """All that is said: verdict, facts, notes, method."""
        return tuple(filter(None, (self.verdict, *self.facts, *self.notes, self.method)))

    def with_notes(self, notes: Iterable[str]) -> Answer:
        """The same with further notes; empty ones are left out."""
        every = filter(None, (*self.notes, *notes))
        return replace(self, notes=tuple(dict.fromkeys(every)))

    def naming(self, measures: Mapping[str, str]) -> Answer:
        """The same with other names of measures, where each sentence first names them."""

        def renamed(sentence: str) -> str:
            for name, label in measures.items():
                alone = rf"(?<![\w@(/.`-]){re.escape(name)}(?![\w@(/`-])"
                sentence = re.sub(alone, label, sentence, count=1)
            return sentence

        return replace(
            self,
            verdict=renamed(self.verdict),
            key=renamed(self.key),
            rows=self.rows and self.rows.naming(renamed),
            facts=tuple(map(renamed, self.facts)),
            method=renamed(self.method),
        )

    def about_items(self) -> Answer:
        """The same of items where it speaks of topics."""
        return replace(
            self,
            question=about_items(self.question),
            verdict=about_items(self.verdict),
            rows=self.rows and self.rows.naming(about_items),
            facts=tuple(map(about_items, self.facts)),
            notes=tuple(map(about_items, self.notes)),
            method=about_items(self.method),
        )

    def methods_sentence(self) -> str:
        """What the method section of a paper should say: the method, and what computed it."""
        return " ".join(filter(None, [self.method, f"Computed with regrade {__version__}."]))

    def __len__(self) -> int:
        """Rows of its table."""
        return len(self.parts)

    def to_frame(self) -> pd.DataFrame:
        """A table ``…/answer``."""
        import pandas as pd

        return pd.DataFrame(self.parts, columns=["part", "said"])

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        return {**asdict(self), "rows": None if self.rows is None else self.rows.to_dict()}

    def __str__(self) -> str:
        """The table, verdict, facts, method and notes."""
        table = lines_of(self.rows, WIDTH) if self.rows else []
        return "\n".join([*table, *self.lines()])

    def lines(self) -> list[str]:
        """Verdict, facts, method and notes, a line each."""
        method = f"Method: {self.method}" if self.method else ""
        notes = (f"Note: {note}" for note in self.notes)
        return [*filter(None, [self.verdict, *self.facts, method, *notes])]

    def _repr_html_(self) -> str:
        """The answer in a notebook."""
        from html import escape

        lines = (f"<p>{escape(line)}</p>" for line in self.lines())
        table = self.rows.to_frame().to_html(index=False, na_rep="") if self.rows else ""
        return table + "".join(lines)
