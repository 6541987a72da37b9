"""Packages that not every installation has, and which of regrade's extras brings each."""

from __future__ import annotations

from importlib.util import find_spec

from regrade.errors import RegradeError

MODULES = {
    "matplotlib": "figures",
    **dict.fromkeys(
        ("docutils", "jenkspy", "jinja2", "jsonschema", "markdown_it", "sklearn", "snakemake",
         "tabulate", "yaml"),
        "workflow",
    ),
}  # fmt: skip
"""Modules of the extras ``figures`` and ``workflow`` (which holds the former) → the extra."""


class MissingExtraError(RegradeError, ImportError):
    """A package is not installed that what was asked for needs."""


def need(module: str, what: str) -> None:
    """Raise where a module of an extra cannot be imported."""
    try:
        is_there = find_spec(module) is not None
    except ValueError:  # as tests leave it out
        is_there = False
    if not is_there:
        raise MissingExtraError(
            f"{what}: {module} is not installed: pip install 'regrade[{MODULES[module]}]'"
        )
