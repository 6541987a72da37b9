"""One HTML page that shows a collection's tables and figures with their captions.

It holds everything it shows: no network, no other files.
"""

from __future__ import annotations

import base64
import os
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from docutils.core import publish_parts
from docutils.utils import SystemMessage
from jinja2 import Environment, StrictUndefined, Template
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from regrade import __version__
from regrade.answers.glossary import TERMS, parts_of, terms_in
from regrade.answers.shape import Answer
from regrade.errors import InputError
from regrade.tables import read_table
from regrade.wording import WORDS_ALONE

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ReportItem:
    """A table or a figure of the report.

    Attributes
    ----------
    name
        Its anchor, ``figure-3``.
    title
        What people read above it.
    group
        The study that it is of; empty where of none.
    body
        HTML.
    caption
        HTML; empty where there is none.
    """

    name: str
    body: str
    caption: str
    title: str = ""
    group: str = ""

    @classmethod
    def read(
        cls,
        name: str,
        path: str | os.PathLike,
        caption: str | os.PathLike | None = None,
        *,
        title: str = "",
        group: str = "",
    ) -> ReportItem:
        """Read a figure (``.svg``) or a table (``.md``) and its caption (``.rst``)."""
        path = Path(path)
        title = title or name.replace("-", " ").capitalize()
        if path.suffix == ".svg":
            body = _figure(path, name, title, at_once=False)
        elif path.suffix == ".md":
            # neither HTML nor images, which would be fetched: a name may look like either
            markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
            # the page aligns what is a number, whatever the file says
            body = re.sub(r' style="text-align:\w+"', "", markdown.render(text_of(path)))
        else:
            raise InputError(path, [(None, "is neither a figure (.svg) nor a table (.md)")])
        told = _caption(caption) if caption else ""
        return cls(name, body, told, title, group)


def _figure(path: str | os.PathLike, name: str, said: str, *, at_once: bool) -> str:
    """HTML of a figure: within a shadow tree, where its ids are its own.

    The page's script draws it when it comes into view; or it is there `at_once`, whether or not
    scripts run.
    """
    svg = text_of(path)
    if at_once:
        own = svg[svg.find("<svg") :]
        inner = f'<template shadowrootmode="open">{_FITTING}{own}</template>'
    else:
        data = base64.b64encode(zlib.compress(svg.encode("utf-8"), 9)).decode("ascii")
        inner = f'<script type="application/octet-stream">{data}</script>'
    room = ""  # before it is drawn
    if size := _SIZE.search(svg):
        width, height = map(float, size.groups())
        room = f' style="aspect-ratio: {width:g} / {height:g}; --width: {width:g}pt"'
    label = f'data-name="{escape(name)}" aria-label="{escape(said)}"'
    return f'<div class="figure" role="img" {label}{room}>{inner}</div>'


_SIZE = re.compile(r'<svg[^>]* width="([\d.]+)pt" height="([\d.]+)pt"')

_FITTING = "<style>svg { display: block; width: 100%; height: auto; }</style>"
"""A figure is as wide as what holds it."""


MOST_OPEN = 7
"""More cards than that are folded: a table of their verdicts comes first anyway."""

CUT_BY_HAND, CHOICES_BY_HAND = "Try any cut by hand", "Try any choices by hand"


@dataclass(frozen=True)
class Card:
    """An answer as the page shows it.

    Attributes
    ----------
    name
        Its anchor, ``rank-NIST``.
    about
        What it is about: a set, two sets, a transformation.
    answer
        The answer.
    figure
        HTML of the figure that shows it; empty where there is none.
    caption
        HTML; what the figure shows.
    listed
        HTML of a table that it shows as it is; empty where there is none.
    explored
        The anchor of the explorer that shows it; empty where none does.
    invites
        What leads to the explorer.
    """

    name: str
    about: str
    answer: Answer
    figure: str = ""
    caption: str = ""
    listed: str = ""
    explored: str = ""
    invites: str = CUT_BY_HAND

    @classmethod
    def read(
        cls,
        name: str,
        about: str,
        path: str | os.PathLike,
        figure: str | os.PathLike | None = None,
        caption: str | os.PathLike | None = None,
        *,
        listed: str | os.PathLike | None = None,
        explored: str = "",
        invites: str = CUT_BY_HAND,
    ) -> Card:
        """Read a table ``…/answer``, its figure (``.svg``) and caption (``.rst``), a table."""
        answer = Answer.read(path)
        drawn = ""
        if figure and f'id="{WORDS_ALONE}"' not in text_of(figure):
            drawn = _figure(figure, Path(figure).stem, answer.verdict, at_once=True)
        told = _caption(caption) if caption and drawn else ""
        table = _listed(read_table(listed)) if listed else ""
        return cls(name, about, answer, drawn, told, table, explored, invites)


def _listed(table: pa.Table) -> Markup:
    """HTML of a table; columns without a value are left out."""
    table = table.select([n for n in table.column_names if table[n].null_count < len(table)])
    heads = Markup().join(
        Markup("<th>{}</th>").format(name.replace("_", " ")) for name in table.column_names
    )
    rows = Markup().join(
        Markup("<tr>{}</tr>").format(
            Markup().join(Markup("<td>{}</td>").format(_cell(one)) for one in row.values())
        )
        for row in table.to_pylist()
    )
    html = "<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>"
    return Markup(html).format(heads, rows)


def _cell(value: object) -> str:
    """A value of a table as text."""
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    if isinstance(value, float):
        return f"{value:.3f}".replace("-", "−")
    return f"{value:,}" if isinstance(value, int) else str(value)


def _caption(path: str | os.PathLike) -> str:
    """HTML of a reStructuredText caption."""
    # a warning would be left as a message in the page
    settings = {"halt_level": 2, "warning_stream": False, "file_insertion_enabled": False}
    try:
        parts = publish_parts(text_of(path), writer="html5", settings_overrides=settings)
    except SystemMessage as error:
        _, line, reason = re.split(r":(\d*):? ", str(error), maxsplit=1)
        remedy = "Correct the caption's reStructuredText."
        raise InputError(path, [(int(line) if line else None, reason)], remedy) from error
    return parts["body"]


def text_of(path: str | os.PathLike) -> str:
    """The text of a file."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, [(None, f"cannot be read: {error}")]) from error


def render(
    title: str,
    notes: str,
    items: list[ReportItem],
    template: str | os.PathLike,
    explorers: Mapping[str, str] | None = None,
    cards: Sequence[Card] = (),
    warnings: Sequence[tuple[str, str]] = (),
    sweeps: Mapping[str, str] | None = None,
    unwanted: Sequence[tuple[str, str]] = (),
    lacking: Sequence[str] = (),
    failed: Sequence[str] = (),
) -> str:
    """The page."""
    groups: dict[str, list[ReportItem]] = {}
    for item in items:
        groups.setdefault(item.group, []).append(item)
    said = (text for card in cards for text in card.answer.sentences)
    return template_of(template).render(
        title=title,
        notes=notes,
        items=items,
        version=__version__,
        groups=groups,
        explorers=explorers or {},
        sweeps=sweeps or {},
        cards=cards,
        most_open=MOST_OPEN,
        warnings=warnings,
        unwanted=unwanted,
        lacking=lacking,
        failed=failed,
        glossary={term: TERMS[term] for term in terms_in(said)},
        styles=[
            own_file("report.css"),
            *([own_file("explorer.css")] if explorers or sweeps else []),
        ],
        scripts=[*explorer_scripts(bool(explorers), bool(sweeps)), own_file("report.js")],
    )


def template_of(path: str | os.PathLike) -> Template:
    """The template of a page, in a file."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters |= {"told": _told, "anchor": anchor}
    return environment.from_string(text_of(path))


def _told(said: str) -> Markup:
    """A sentence in HTML: terms with what they mean, what stands between backquotes as code."""
    html = "".join(
        f'<a class="term" href="#term-{anchor(term)}" title="{escape(TERMS[term])}">{term}</a>'
        if term
        else str(escape(text))
        for text, term in parts_of(said)
    )
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", html))


def anchor(term: str) -> str:
    """A term as part of an id."""
    return re.sub(r"\W+", "-", term)


def own_file(name: str) -> str:
    """A style sheet or a script of this package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def explorer_scripts(of_cuts: bool = True, of_sweeps: bool = False) -> list[str]:
    """The scripts that explorers need, in order: the engine, its charts, those of each kind."""
    shared = ["explorer-engine", "explorer-chart"] if of_cuts or of_sweeps else []
    own = ["explorer"] * of_cuts + ["sweep-explorer"] * of_sweeps
    return [own_file(f"{name}.js") for name in (*shared, *own)]
