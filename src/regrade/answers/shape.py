"""What an answer is, whoever shows it: the library, a command or the report."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from regrade.answers.glossary import SCALES
from regrade.tables import read_table

if TYPE_CHECKING:
    import pandas as pd

PARTS = ("question", "verdict", "fact", "warning", "how", "table")
"""Of the rows of a table ``…/answer``, in order."""


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    Attributes
    ----------
    question
        As a user asks it.
    verdict
        The answer in one sentence.
    facts
        What it rests on, the most important first.
    warnings
        What a user would not expect.
    how
        How this was found.
    tables
        Those that hold every number that is said, as the catalogue calls them.
    """

    question: str
    verdict: str
    facts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    how: str = ""
    tables: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        question: str,
        said: Iterable[str],
        *,
        how: str = "",
        warnings: Iterable[str] = (),
        tables: Iterable[str] = (),
    ) -> Answer:
        """An answer from its sentences, the verdict first; empty ones are left out.

        `how` ends with what the words mean that are of a scale.
        """
        verdict, *facts = filter(None, said)
        warnings = tuple(filter(None, warnings))
        scales = [
            meaning
            for word, meaning in SCALES.items()
            if any(word in one for one in (verdict, *facts))
        ]
        how = " ".join(filter(None, [how, *scales]))
        return cls(question, verdict, tuple(facts), warnings, how, tuple(tables))

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
    def of_rows(cls, parts: Iterable[str], said: Iterable[str]) -> Answer:
        """The answer of which each part says what."""
        found: dict[str, list[str]] = {part: [] for part in PARTS}
        for part, sentence in zip(parts, said, strict=True):
            found[part].append(sentence)
        return cls(
            *found["question"],
            *found["verdict"],
            tuple(found["fact"]),
            tuple(found["warning"]),
            "".join(found["how"]),
            tuple(found["table"]),
        )

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Part and sentence, in the order of `PARTS`."""
        how = [self.how] if self.how else []
        parts = [self.question], [self.verdict], self.facts, self.warnings, how, self.tables
        return [(part, said) for part, own in zip(PARTS, parts, strict=True) for said in own]

    def with_warnings(self, notes: Iterable[str]) -> Answer:
        """The same with further warnings; empty ones are left out."""
        every = filter(None, (*self.warnings, *notes))
        return replace(self, warnings=tuple(dict.fromkeys(every)))

    def naming(self, measures: Mapping[str, str]) -> Answer:
        """The same with other names of measures, where each sentence first names them."""

        def renamed(sentence: str) -> str:
            for name, shown in measures.items():
                alone = rf"(?<![\w@(/.`-]){re.escape(name)}(?![\w@(/`-])"
                sentence = re.sub(alone, shown, sentence, count=1)
            return sentence

        facts = tuple(map(renamed, self.facts))
        return replace(self, verdict=renamed(self.verdict), facts=facts)

    def __len__(self) -> int:
        """Rows of its table."""
        return len(self.rows)

    def to_frame(self) -> pd.DataFrame:
        """A table ``…/answer``."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=["part", "said"])

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """Verdict, facts and warnings, a line each, and how they were found."""
        how = f"How: {self.how}" if self.how else ""
        mind = (f"Mind: {said}" for said in self.warnings)
        return "\n".join(filter(None, [self.verdict, *self.facts, *mind, how]))
