"""One HTML page of a collection: what its answers say, with pictures, tables and captions.

It holds everything it shows: no network, no other files.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

from docutils.core import publish_parts
from docutils.utils import SystemMessage
from jinja2 import Environment, StrictUndefined, Template
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from regrade import __version__
from regrade.answers.glossary import TERMS, parts_of, terms_in
from regrade.answers.shape import LIGHTS, Answer
from regrade.answers.table import latex_of
from regrade.errors import InputError
from regrade.show.charts import Picture, cells_of, forest, rows_csv
from regrade.stages.declare import SECTIONS
from regrade.wording import WORDS_ALONE

STUDIES, DATA, METHOD = "Studies", "Data", "Method"
"""Sections of the page that no stage has."""


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
    section
        Where it stands on the page.
    glyphs
        Outlines of a figure's characters.
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
    section: str = STUDIES
    glyphs: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        name: str,
        path: str | os.PathLike,
        caption: str | os.PathLike | None = None,
        *,
        title: str = "",
        group: str = "",
        section: str = STUDIES,
    ) -> ReportItem:
        """Read a figure (``.svg``) or a table (``.md``) and its caption (``.rst``)."""
        path = Path(path)
        title, glyphs = title or name.replace("-", " ").capitalize(), {}
        if path.suffix == ".svg":
            body, glyphs = figure_html(path, name, title)
        elif path.suffix == ".md":
            # neither HTML nor images, which would be fetched: a name may look like either
            markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
            # the page aligns what is a number, whatever the file says
            body = re.sub(r' style="text-align:\w+"', "", markdown.render(text_of(path)))
            body = packed(body, "html") if len(body) > LARGE_TABLE else body
        else:
            raise InputError(path, [(None, "is neither a figure (.svg) nor a table (.md)")])
        text = _caption(caption) if caption else ""
        return cls(name, body, text, title, group, section, glyphs)


def figure_html(path: str | os.PathLike, name: str, about: str) -> tuple[str, dict[str, str]]:
    """HTML of a figure that the page's script draws when it comes into view, and its glyphs.

    Within a shadow tree, where its ids are its own.
    """
    svg = _IMAGE.sub(_with_palette, text_of(path))
    glyphs = {glyph[1]: glyph[0] for glyph in _GLYPH.finditer(svg)}
    room = ""  # before it is drawn
    if size := _SIZE.search(svg):
        width, height = map(float, size.groups())
        room = f' style="aspect-ratio: {width:g} / {height:g}; --width: {width:g}pt"'
    label = f'data-name="{escape(name)}" aria-label="{escape(about)}"'
    inner = packed(_GLYPH.sub("", svg))
    return f'<div class="figure" role="img" {label}{room}>{inner}</div>', glyphs


_SIZE = re.compile(r'<svg[^>]* width="([\d.]+)pt" height="([\d.]+)pt"')

_GLYPH = re.compile(r'<path id="(DejaVu[^"]+)"[^>]*/>')
"""The outline of a character, which figures of a page share."""

_IMAGE = re.compile(r'data:image/png;base64,([^"]+)')


def _with_palette(image: re.Match) -> str:
    """Pixels of a figure in at most 256 colours, where that is smaller: nobody sees the others."""
    from PIL import Image

    png = base64.b64decode(image[1])
    small = io.BytesIO()
    pixels = Image.open(io.BytesIO(png)).convert("RGBA")
    few = pixels.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(small, "PNG", optimize=True)
    if len(small.getvalue()) >= len(png):
        return image[0]
    return f"data:image/png;base64,{base64.b64encode(small.getvalue()).decode('ascii')}"


def packed(text: str, kind: str = "svg") -> Markup:
    """A text for the page's script to unpack: base64 of what is deflated."""
    data = base64.b64encode(zlib.compress(text.encode("utf-8"), 9)).decode("ascii")
    script = '<script type="application/octet-stream" class="{}">{}</script>'
    return Markup(script).format(kind, data)


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
    section
        One of `SECTIONS`.
    explored
        The anchor of the explorer that shows it; empty where none does.
    pictures
        What the page draws beside its figure.
    glyphs
        Outlines of the figure's characters.
    """

    name: str
    about: str
    answer: Answer
    figure: str = ""
    caption: str = ""
    section: str = SECTIONS[0]
    explored: str = ""
    pictures: Sequence[Picture] = ()
    glyphs: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        name: str,
        about: str,
        path: str | os.PathLike,
        figure: str | os.PathLike | None = None,
        caption: str | os.PathLike | None = None,
        **more: object,
    ) -> Card:
        """Read a table ``…/answer``, its figure (``.svg``) and caption (``.rst``)."""
        answer = Answer.read(path)
        drawn, glyphs = "", {}
        if figure and f'id="{WORDS_ALONE}"' not in text_of(figure):
            drawn, glyphs = figure_html(figure, Path(figure).stem, answer.verdict)
        text = _caption(caption) if caption and drawn else ""
        return cls(name, about, answer, drawn, text, glyphs=glyphs, **more)

    @property
    def gist(self) -> str:
        """The verdict without what stands in brackets."""
        return re.sub(r"\s+\([^()]*\)", "", self.answer.verdict)

    @property
    def key(self) -> tuple[str, str]:
        """The number of the key, and what it counts."""
        match = re.match(r"([\d.,%−+–/]+(?: of [\d.,]+)?(?: to [\d.,−]+)?)\s+(.*)", self.answer.key)
        return (match[1], match[2]) if match else ("", self.answer.key)

    @property
    def thumb(self) -> Markup:
        """The first rows of the answer's table as a picture, where there is no figure."""
        return forest(self.answer.rows, 5)

    @property
    def rows(self) -> Markup:
        """HTML of the answer's table, with the same as CSV and LaTeX."""
        table = self.answer.rows
        if table is None:
            return Markup()
        latex = packed(latex_of(table, table.title), "latex")
        return cells_of(table) + packed(rows_csv(table), "csv") + latex


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


UNASKED = {
    "rankings": "",  # what `regrade.ranking.explorer_page` packs
    "documents": "",  # what `regrade.topic_analysis.page_documents` packs
    "warnings": (),
    "unwanted": (),
    "lacking": (),
    "failed": (),
    "tiles": (),
}
"""What a page shows where nobody asks for it."""


def render(
    title: str,
    notes: str,
    items: list[ReportItem],
    template: str | os.PathLike,
    explorers: Mapping[str, str] | None = None,
    cards: Sequence[Card] = (),
    sweeps: Mapping[str, str] | None = None,
    **parts: object,
) -> str:
    """The page; `parts` are what the template shows as they are, by the names of `UNASKED`."""
    parts = UNASKED | parts
    rankings, documents = parts["rankings"], parts["documents"]
    explorers, sweeps, omitted = _fitting(explorers or {}, sweeps or {})
    named = {*(title.split(":")[0] for title in explorers), *(f"sweep-{one}" for one in sweeps)}
    cards = [card if card.explored in named else replace(card, explored="") for card in cards]
    glyphs = {name: path for one in (*cards, *items) for name, path in one.glyphs.items()}
    texts = (text for card in cards for text in card.answer.sentences)
    leader = next((card for card in cards if card.section == SECTIONS[0]), None)
    severity = [*reversed(LIGHTS), ""]
    keyed = [card for card in cards if card.answer.key]
    has_charts = explorers or sweeps or rankings or documents
    scripts = ["explorer-engine", "chart"] if has_charts else []
    scripts += (
        ["documents"] * bool(documents)
        + ["rankings"] * bool(rankings)
        + ["explorer"] * bool(explorers)
    )
    scripts += ["sweep-explorer"] * bool(sweeps) + ["pdf", "report"]
    return template_of(template).render(
        title=title,
        notes=notes,
        version=__version__,
        sections=SECTIONS,
        items=items,
        explorers=explorers,
        sweeps=sweeps,
        omitted=omitted,
        most=EXPLORERS / 1e6,
        glyphs=packed(json.dumps(glyphs), "glyphs") if glyphs else "",
        cards=cards,
        leader=leader,
        forest=forest(leader.answer.rows) if leader else "",
        keyed=sorted(keyed, key=lambda card: severity.index(card.answer.light))[:KEYS],
        lights=LIGHTS,
        glossary={term: TERMS[term] for term in terms_in(texts)},
        styles=[own_file("report.css")],
        scripts=[own_file(f"{name}.js") for name in scripts],
        **parts,
    )


def _fitting(
    explorers: Mapping[str, str], sweeps: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str], list[tuple[str, float]]]:
    """The explorers that a page has room for, in their order; names and MB of the others."""
    room, pages, omitted = EXPLORERS, ({}, {}), []
    for kept, some in zip(pages, (explorers, sweeps), strict=True):
        for title, text in some.items():
            if len(text) <= room:
                room -= len(text)
                kept[title] = text
            else:
                omitted.append((title, len(text) / 1e6))
    return *pages, omitted


LARGE_TABLE = 2_000
"""Characters beyond which the HTML of a study's table is packed, and put in place by the script."""

EXPLORERS = 1_700_000
"""Characters of all explorers of a page."""

KEYS = 3
"""Numbers on the first screen: keys of answers, of problems first."""


def template_of(path: str | os.PathLike) -> Template:
    """The template of a page, in a file."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters |= {"marked": _marked, "anchor": anchor, "packed": packed}
    return environment.from_string(text_of(path))


def _marked(text: str) -> Markup:
    """A sentence in HTML: terms with what they mean, what stands between backquotes as code."""
    html = "".join(
        f'<a class="term" href="#term-{anchor(term)}" title="{escape(TERMS[term])}">{term}</a>'
        if term
        else str(escape(plain))
        for plain, term in parts_of(text)
    )
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", html))


def anchor(term: str) -> str:
    """A term as part of an id."""
    return re.sub(r"\W+", "-", term)


def own_file(name: str) -> str:
    """A style sheet or a script of this package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
