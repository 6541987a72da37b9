"""Whether the tables that an answer names hold every number that it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from regrade.answers.shape import Answer
from regrade.catalogue.arrow import SCHEMAS
from regrade.stages.library import StageTables
from regrade.tables import write_tables

_NUMBER = re.compile(r"(?<![\w.])([−-]?)(\d[\d,]*(?:\.\d+)?)(%?)(?![\w])")

CONSTANT = {"95%", "80%", "0.05", "0.001", "0.8", "0.9"}
"""What is true of every answer: the level of intervals and tests, and power."""


MOST_WORDS, MOST_WORDS_OF_CARD, MOST_FACTS = 25, 20, 3
"""Of a verdict, of a verdict without its parentheses, and of the facts of an answer."""


def numbers_in(sentence: str, names: Iterable[str]) -> Iterator[str]:
    """The numbers that a sentence says, as they are written; names, and what to type, have none.

    Nor have shares that round to none or to all: `test_answers.py` has them.
    """
    sentence = re.sub(r"`[^`]*`|\(grades ≥ [\d.]+\)", "…", sentence)
    for name in sorted(names, key=len, reverse=True):
        sentence = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "…", sentence)
    sentence = re.sub(r"(?:less|more) than (?:1|0\.1|99|99\.9)%", "…", sentence)
    for sign, digits, percent in _NUMBER.findall(sentence):
        yield f"{sign.replace('−', '-')}{digits}{percent}"


def held(tables: Iterable[pd.DataFrame]) -> tuple[np.ndarray, set[str]]:
    """The numbers and the names that tables hold."""
    values, names = [np.array([0.0])], set()
    for table in tables:
        for column in table:
            known = table[column].dropna()
            if pd.api.types.is_numeric_dtype(known):
                values.append(known.to_numpy(float))
            else:
                names |= {text for text in known.astype(str) if re.search(r"\d", text)}
    return np.unique(np.concatenate(values)), names


def is_held(text: str, values: np.ndarray) -> bool:
    """Whether a number as it is written is one of some values, or a percentage of one."""
    plain = text.rstrip("%").replace(",", "")
    decimals = len(plain.partition(".")[2])
    scales = (100.0, 1.0) if text.endswith("%") else (1.0,)
    half = 0.5 * 10.0**-decimals * (1 + 1e-9)
    return any((np.abs(values * scale - float(plain)) <= half).any() for scale in scales)


def assert_carried(
    answer: Answer, tables: Mapping[str, pd.DataFrame], *names: str, folder: str = ""
) -> None:
    """Every number of the answer is in a table that it names.

    Parameters
    ----------
    answer
        The answer.
    tables
        By the path in the catalogue, or by its last part where `folder` is given.
    *names
        Further names that stand in sentences: sets, measures.
    folder
        Of the tables' paths.
    """
    own = {path: tables[path.removeprefix(f"{folder}/")] for path in answer.tables}
    values, known = held(own.values())
    assert answer.verdict
    assert len(own) == len(answer.tables)
    assert len(answer.verdict.split()) <= MOST_WORDS, answer.verdict
    outside = re.sub(r" \([^()]*\)", "", answer.verdict)
    assert len(outside.split()) <= MOST_WORDS_OF_CARD, outside
    assert len(answer.facts) <= MOST_FACTS, answer.facts
    for sentence in answer.sentences:
        assert not sentence or sentence.endswith("."), sentence
        assert "nan" not in sentence.lower().split(), sentence
        for text in numbers_in(sentence, known | set(names)):
            assert text in CONSTANT or is_held(text, values), (text, sentence)
    for row in answer.rows.rows if answer.rows else ():
        for number in _numbers_of(row):
            nearest = values[np.abs(values - number).argmin()]
            assert abs(nearest - number) <= 1e-9 * max(1.0, abs(number)), (number, row)


def _numbers_of(row: Iterable) -> Iterator[float]:
    """The numbers of a row of an answer's table."""
    for cell in row:
        if isinstance(cell, tuple):
            yield from _numbers_of(cell)
        elif isinstance(cell, int | float) and not isinstance(cell, bool):
            yield cell


def checked(found: object, folder: str, tmp_path: Path, *names: str) -> Answer:
    """A result's answer; its tables are on their schemas and hold what the answer says."""
    tables = found.tables
    tables = tables.served() if isinstance(tables, StageTables) else tables
    tables = {name: t for name, t in tables.items() if f"{folder}/{name}" in SCHEMAS}
    paths = {name: str(tmp_path / f"{name}.parquet") for name in tables}
    write_tables(tables, paths, folder, {})
    assert_carried(found.answer, found.tables, *names, folder=folder)
    return found.answer
