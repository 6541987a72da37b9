"""Sphinx's settings for the site: ``make docs``.

Its source is the whole project, so that links between pages are the same here and in a clone.
"""

import re
import sys
from pathlib import Path

import regrade

project = "regrade"
author = "regrade's authors"
version = release = regrade.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
]
root_doc = "docs/index"
include_patterns = ["*.md", "config/README.md", "data/README.md", "benchmarks/README.md",
                    "results/README.md", "docs/**", "paper/*.md"]  # fmt: skip
exclude_patterns = [".*", "build", "dist", "src", "tests", "workflow", "docs/templates"]

html_theme = "furo"
html_title = f"regrade {version}"
html_show_copyright = False
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["site.css"]
templates_path = ["templates"]

myst_heading_anchors = 4  # as GitHub names them

# what a name in single quotes means: whatever of the library has it, else just the word
default_role = "autolink"
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # the signature has them
autodoc_member_order = "bysource"
# numpydoc's sections, as the library's docstrings have them
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False
# `Labels.levels` is found in several classes: the nearest is meant
suppress_warnings = ["ref.python"]


def what_regrade_gives() -> str:
    """A page of the functions that `regrade` gives, each with the class of its result."""
    lines = ["Functions", "=========", "", ".. autosummary::", "   :toctree: made", ""]
    for name in regrade.__all__:
        function = getattr(regrade, name)
        lines.append(f"   regrade.{name}")
        given = getattr(function, "__annotations__", {}).get("return")
        result = getattr(sys.modules[function.__module__], str(given), None)
        if isinstance(result, type) and result.__module__.startswith("regrade."):
            lines.append(f"   {result.__module__}.{result.__name__}")
    return "\n".join([*lines, ""])


Path(__file__).with_name("reference").joinpath("functions.rst").write_text(
    what_regrade_gives(), encoding="utf-8"
)


def escape_bars(app, what, name, obj, options, lines: list[str]) -> None:
    """|x| is a number's size or a set's, and no substitution."""
    lines[:] = [re.sub(r"\|", r"\\|", line) for line in lines]


def own_branch(app, pagename, templatename, context, doctree) -> None:
    """The sidebar opens the section that a page is in: all names of the library are in one."""
    if whole := context.get("toctree"):
        context["toctree"] = lambda **asked: whole(**asked | {"collapse": True})


def setup(app) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", escape_bars)
    app.connect("html-page-context", own_branch, priority=400)  # the theme asks at 500
