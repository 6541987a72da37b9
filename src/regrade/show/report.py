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

from docutils.core import publish_parts
from docutils.utils import SystemMessage
from jinja2 import Environment, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from regrade import __version__
from regrade.errors import InputError
from regrade.tables import read_table


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
    is_figure
        Whether the body is a figure, which is packed and drawn when it comes into view.
    """

    name: str
    body: str
    caption: str
    is_figure: bool
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
        """Read a figure (``.svg``) or a table (``.md``) and its caption (``.rst``).

        Parameters
        ----------
        name, title, group
            See there; without a title the name is one.
        path, caption
            The files.

        Raises
        ------
        InputError
            If the file is neither of the two, a file cannot be read, or the caption is no
            reStructuredText.
        """
        path = Path(path)
        if path.suffix == ".svg":
            body = InlineSvg.read(path).packed(name)
        elif path.suffix == ".md":
            # neither HTML nor images, which would be fetched: a name may look like either
            markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
            # the page aligns what is a number, whatever the file says
            body = re.sub(r' style="text-align:\w+"', "", markdown.render(_text(path)))
        else:
            raise InputError(path, [(None, "is neither a figure (.svg) nor a table (.md)")])
        told = _caption(caption) if caption else ""
        title = title or name.replace("-", " ").capitalize()
        return cls(name, body, told, path.suffix == ".svg", title, group)


@dataclass(frozen=True)
class InlineSvg:
    """A figure as it is on the page: within a shadow tree, where its ids are its own.

    Attributes
    ----------
    svg
        The file's text.
    """

    svg: str

    @classmethod
    def read(cls, path: str | os.PathLike) -> InlineSvg:
        """Read a file.

        Raises
        ------
        InputError
            If it cannot be read.
        """
        return cls(_text(path))

    def packed(self, name: str) -> str:
        """HTML of a figure that the page's script draws when it comes into view.

        Parameters
        ----------
        name
            What it is called, also where it is downloaded.
        """
        data = base64.b64encode(zlib.compress(self.svg.encode("utf-8"), 9)).decode("ascii")
        script = f'<script type="application/octet-stream">{data}</script>'
        return f"<div {self._frame(name)}>{script}</div>"

    def drawn(self, name: str) -> str:
        """HTML of a figure that is there at once, whether or not scripts run."""
        start = self.svg.find("<svg")
        inner = f'<template shadowrootmode="open">{_FITTING}{self.svg[start:]}</template>'
        return f"<div {self._frame(name)}>{inner}</div>"

    def _frame(self, name: str) -> str:
        """Attributes of what holds it, with room for it before it is drawn."""
        size = _SIZE.search(self.svg)
        room = ""
        if size:
            width, height = map(float, size.groups())
            room = f' style="aspect-ratio: {width:g} / {height:g}; --width: {width:g}pt"'
        return f'class="figure" role="img" aria-label="{escape(name)}"{room}'


_SIZE = re.compile(r'<svg[^>]* width="([\d.]+)pt" height="([\d.]+)pt"')

_FITTING = "<style>svg { display: block; width: 100%; height: auto; }</style>"
"""A figure is as wide as what holds it."""


CUT_BY_HAND, CHOICES_BY_HAND = "Try any cut by hand", "Try any choices by hand"


@dataclass(frozen=True)
class Answer:
    """What the page begins with.

    Attributes
    ----------
    title
        What it is about.
    said
        Pairs of part and sentence, the most important first; what a user would not expect is of
        the part ``note``.
    explored
        The title of the explorer that shows it; empty where none does.
    figure
        HTML of the figure that shows it; empty where there is none.
    caption
        HTML; what the figure shows.
    invites
        What leads to the explorer.
    """

    title: str
    said: Sequence[tuple[str, str]]
    explored: str = ""
    figure: str = ""
    caption: str = ""
    invites: str = CUT_BY_HAND

    @classmethod
    def read(
        cls,
        title: str,
        path: str | os.PathLike,
        explored: str = "",
        figure: str | os.PathLike | None = None,
        caption: str | os.PathLike | None = None,
        invites: str = CUT_BY_HAND,
    ) -> Answer:
        """Read a table with the columns part and said, its figure (``.svg``), and its caption."""
        table = read_table(path)
        pairs = zip(table["part"].to_pylist(), table["said"].to_pylist(), strict=True)
        drawn = InlineSvg.read(figure).drawn(Path(figure).stem) if figure else ""
        told = _caption(caption) if caption else ""
        return cls(title, tuple(pairs), explored, drawn, told, invites)


def _caption(path: str | os.PathLike) -> str:
    """HTML of a reStructuredText caption."""
    # a warning would be left as a message in the page
    settings = {"halt_level": 2, "warning_stream": False, "file_insertion_enabled": False}
    try:
        parts = publish_parts(_text(path), writer="html5", settings_overrides=settings)
    except SystemMessage as error:
        _, line, reason = re.split(r":(\d*):? ", str(error), maxsplit=1)
        remedy = "Correct the caption's reStructuredText."
        raise InputError(path, [(int(line) if line else None, reason)], remedy) from error
    return parts["body"]


def _text(path: str | os.PathLike) -> str:
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
    answers: Sequence[Answer] = (),
    warnings: Sequence[tuple[str, str]] = (),
    sweeps: Mapping[str, str] | None = None,
) -> str:
    """The page.

    Parameters
    ----------
    title
        Of the collection.
    notes
        What must be said about its data; shown at the top where not empty.
    items
        In the order of the page.
    template
        A Jinja template that is given all of these, ``groups`` of items, ``version``, ``styles``
        and ``scripts``.
    explorers
        Title → packed data (`regrade.show.explorer.packed`) of each transformation whose cuts
        the page explores.
    answers
        What the page begins with.
    warnings
        Pairs of a part of the collection and what must be known of it before any result.
    sweeps
        Name → packed data (`regrade.show.sweep_explorer.packed_sweep`) of each sweep whose
        combinations the page explores.

    Raises
    ------
    InputError
        If the template cannot be read.
    """
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["coded"] = _coded
    page = environment.from_string(_text(template))
    return page.render(
        title=title,
        notes=notes,
        items=items,
        version=__version__,
        groups=_grouped(items),
        explorers=explorers or {},
        sweeps=sweeps or {},
        answers=answers,
        warnings=warnings,
        styles=[_own("report.css"), *([explorer_style()] if explorers or sweeps else [])],
        scripts=[*explorer_scripts(bool(explorers), bool(sweeps)), _own("report.js")],
    )


def _coded(said: str) -> Markup:
    """A sentence in HTML, with what stands between backquotes as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(said))))


def _grouped(items: Sequence[ReportItem]) -> dict[str, list[ReportItem]]:
    """The items of each group, in their order."""
    found: dict[str, list[ReportItem]] = {}
    for item in items:
        found.setdefault(item.group, []).append(item)
    return found


def _own(name: str) -> str:
    """A style sheet or a script of this package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def explorer_scripts(of_cuts: bool = True, of_sweeps: bool = False) -> list[str]:
    """The scripts that explorers need, in order: the engine, its charts, those of each kind."""
    shared = ["explorer-engine", "explorer-chart"] if of_cuts or of_sweeps else []
    own = ["explorer"] * of_cuts + ["sweep-explorer"] * of_sweeps
    return [_own(f"{name}.js") for name in (*shared, *own)]


def explorer_style() -> str:
    """The explorer's style sheet."""
    return _own("explorer.css")
