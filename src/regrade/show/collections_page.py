"""One HTML page over several collections: what each says to each question, and where it says it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from regrade import __version__
from regrade.answers.shape import LIGHTS, Answer
from regrade.show.report import own_file, template_of


class Verdict(NamedTuple):
    """What an answer says of a collection, what it is about, and the address of its card."""

    about: str
    answer: Answer
    address: str


class CollectionRow(NamedTuple):
    """A collection: its name, title and notes, the address of its page, question → verdicts."""

    name: str
    title: str
    notes: str
    address: str
    verdicts: dict[str, list[Verdict]]


def read_collections(
    collections: Iterable[Mapping], answers: Sequence[str | os.PathLike]
) -> list[CollectionRow]:
    """Collections with what their answers say.

    Parameters
    ----------
    told
        Of each collection ``name``, ``title``, ``notes`` and ``cards``: the name of each answer's
        card, and what it is about.
    answers
        The tables of all answers, in the same order.
    """
    rows, paths = [], iter(answers)
    for one in collections:
        address = f"../{one['name']}/report.html"
        verdicts: dict[str, list[Verdict]] = {}
        for card, about in one["cards"]:
            answer = Answer.read(next(paths))
            verdict = Verdict(about, answer, f"{address}#answer-{card}")
            verdicts.setdefault(answer.question, []).append(verdict)
        rows.append(CollectionRow(one["name"], one["title"], one["notes"], address, verdicts))
    return rows


def render_collections(rows: Sequence[CollectionRow], template: str | os.PathLike) -> str:
    """The page."""
    return template_of(template).render(
        rows=rows,
        questions=list(dict.fromkeys(question for row in rows for question in row.verdicts)),
        lights=LIGHTS,
        version=__version__,
        style=own_file("report.css"),
        script=own_file("report.js"),
    )
