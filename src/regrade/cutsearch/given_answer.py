"""How many documents has each grade under given thresholds?

The light is fine where each grade has documents, a problem where one grade has all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import listed, percent
from regrade.scales import briefly
from regrade.wording import counted

EQUAL, QUANTILES = RULES = ("equal", "quantiles")
"""How thresholds are made where none are given."""

CALLED = {"": "given", EQUAL: "equal-width", QUANTILES: "quantile"}
"""Thresholds, by how they were made."""

NAMED = 4
"""Thresholds that a sentence lists."""

UNEVEN = 0.01
"""Quantile levels whose shares differ by more are noted."""


def answer_of(
    grades: pd.DataFrame, source: str, rule: str, topics: int, without_relevant: int
) -> Answer:
    """The answer from the table of grades; `without_relevant` of the topics have grade 0 only."""
    return Answer.of(
        f"How many documents of {source} have each grade under {CALLED[rule]} thresholds?",
        [verdict(grades, rule), relevant_topics(topics, without_relevant)],
        key=f"{percent(grades['share'].max())} of documents have grade {_largest(grades)}",
        light=light(grades),
        rows=grades_table(grades, source, topics),
        method=method(grades, source, rule),
        notes=notes(grades, rule),
    )


def _largest(grades: pd.DataFrame) -> int:
    """The grade that most documents have."""
    return int(grades.loc[grades["documents"].idxmax(), "grade"])


def _thresholds(grades: pd.DataFrame) -> list[str]:
    """The thresholds, to be read."""
    return [briefly(one) for one in grades["up_to"].dropna()]


def verdict(grades: pd.DataFrame, rule: str) -> str:
    """Which thresholds these are, and which grade is the most frequent."""
    cut, kind = _thresholds(grades), f"{CALLED[rule]} " if rule else ""
    if len(cut) == 1:
        which = f"a{'n' if rule == EQUAL else ''} {kind}threshold of {cut[0]}"
    else:
        which = f"{kind}thresholds {listed(cut)}"
        which = which if len(cut) <= NAMED else f"{len(cut)} {kind}thresholds"
    share = percent(grades["share"].max())
    documents = counted(grades["documents"].sum(), "document")
    return f"With {which}, grade {_largest(grades)} is the most frequent ({share} of {documents})."


def relevant_topics(topics: int, without: int) -> str:
    """How many topics have no document above grade 0."""
    if not without:
        return ""
    have = "has" if without == 1 else "have"
    return f"{without:,} of {counted(topics, 'topic')} {have} no document above grade 0."


def light(grades: pd.DataFrame) -> str:
    """Whether each grade has documents."""
    counts = grades["documents"]
    if counts.max() == counts.sum():
        return PROBLEM
    return FINE if (counts > 0).all() else LOOK


def grades_table(grades: pd.DataFrame, source: str, topics: int) -> AnswerTable | None:
    """A row for each grade."""
    columns = [
        AnswerColumn("grade", "count"), AnswerColumn("values"), AnswerColumn("documents", "count"),
        AnswerColumn("share", "share"), AnswerColumn("topics without", "count"),
    ]  # fmt: skip
    cells = (
        (row.grade, _values(row), row.documents, row.share, row.topics_without)
        for row in grades.itertuples()
    )
    n = f"{counted(topics, 'topic')} · {counted(grades['documents'].sum(), 'document')}"
    return AnswerTable.of(f"{source} · {n}", columns, cells)


def _values(row: object) -> str:
    """Which values have a grade."""
    if pd.isna(row.above):
        return f"≤ {briefly(row.up_to)}"
    above = f"> {briefly(row.above)}"
    return above if pd.isna(row.up_to) else f"{above}, ≤ {briefly(row.up_to)}"


def method(grades: pd.DataFrame, source: str, rule: str) -> str:
    """How thresholds were made, and what grades are."""
    made = {
        "": "given thresholds",
        EQUAL: "thresholds of equal widths",
        QUANTILES: "quantiles of the documents' values",
    }[rule]
    return (
        f"{source} was converted to {len(grades)} grades by {made} "
        f"({', '.join(_thresholds(grades))}); the grade of a document is the number of thresholds "
        "below its value."
    )


def notes(grades: pd.DataFrame, rule: str) -> Iterator[str]:
    """Which grades no document has, and that ties make quantile levels uneven."""
    empty = grades.loc[grades["documents"] == 0, "grade"].tolist()
    if empty:
        noun = "grade" if len(empty) == 1 else "grades"
        yield f"No document has {noun} {listed(empty)}."
    if grades["documents"].max() == grades["documents"].sum():
        yield "All documents have the same grade, so that no measure separates systems."
    spread = grades["share"].max() - grades["share"].min()
    if rule == QUANTILES and spread > max(UNEVEN, 1.5 / grades["documents"].sum()):
        low, high = percent(grades["share"].min()), percent(grades["share"].max())
        even = percent(1 / len(grades))
        yield f"Ties make levels uneven: their shares range from {low} to {high}, not {even} each."
