"""One HTML page that shows a collection's tables and figures with their captions.

It holds everything it shows: no network, no other files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from docutils.core import publish_parts
from docutils.utils import SystemMessage
from jinja2 import Environment, StrictUndefined
from markdown_it import MarkdownIt

from regrade import __version__
from regrade.errors import InputError


@dataclass(frozen=True)
class Item:
    """A table or a figure of the report.

    Attributes
    ----------
    name
        Its anchor, ``figure-3``.
    body
        HTML.
    caption
        HTML; empty where there is none.
    is_figure
        Whether the body is an image.
    """

    name: str
    body: str
    caption: str
    is_figure: bool

    @classmethod
    def read(
        cls, name: str, path: str | os.PathLike, caption: str | os.PathLike | None = None
    ) -> Item:
        """Read a figure (``.svg``) or a table (``.md``) and its caption (``.rst``).

        Raises
        ------
        InputError
            If the file is neither of the two, a file cannot be read, or the caption is no
            reStructuredText.
        """
        path = Path(path)
        if path.suffix == ".svg":
            data = quote(_text(path), safe=_UNQUOTED)
            body = f'<img alt="{name}" src="data:image/svg+xml,{data}">'
        elif path.suffix == ".md":
            # neither HTML nor images, which would be fetched: a name may look like either
            markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
            body = markdown.render(_text(path))
        else:
            raise InputError(path, [(None, "is neither a figure (.svg) nor a table (.md)")])
        return cls(name, body, _caption(caption) if caption else "", path.suffix == ".svg")


_UNQUOTED = " !$'()*+,-./:;<=>?@[]^_`{|}~"
"""What a figure's address can hold as it is, within double quotes: a third less than base64."""


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
    items: list[Item],
    template: str | os.PathLike,
    explorers: Mapping[str, str] | None = None,
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
        A Jinja template that is given all of these, ``version``, and what explorers need:
        ``style`` and ``scripts``.
    explorers
        Title → packed data (`regrade.show.explorer.packed`) of each transformation whose cuts
        the page explores.

    Raises
    ------
    InputError
        If the template cannot be read.
    """
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    page = environment.from_string(_text(template))
    return page.render(
        title=title,
        notes=notes,
        items=items,
        version=__version__,
        explorers=explorers or {},
        style=explorer_style() if explorers else "",
        scripts=explorer_scripts() if explorers else [],
    )


def explorer_scripts() -> list[str]:
    """The scripts that an explorer needs, in order: the charting library, the engine, the page."""
    from bokeh.resources import Resources

    bokeh = Resources(mode="inline", components=["bokeh", "bokeh-api"], minified=True).js_raw
    own = [files(__package__).joinpath(name) for name in ("explorer-engine.js", "explorer.js")]
    return [*bokeh[:2], *(script.read_text(encoding="utf-8") for script in own)]


def explorer_style() -> str:
    """The explorer's style sheet."""
    return files(__package__).joinpath("explorer.css").read_text(encoding="utf-8")
