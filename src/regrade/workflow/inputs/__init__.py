"""What jobs need, from their wildcards and the configuration; no Snakemake in here.

Rules make a `Paths` of each collection, and of it what jobs read, make and are told: `paths` where
tables lie (`tables`: each of the catalogue), `sets`, `cuts` of a transformation, `sweeps`, and the
`page`; `grids` joins tables of items. The collection is a wildcard: `each` gives the functions of
whichever it names, `joined` what is of several, `effects` the tables that others analyse together.
"""

from __future__ import annotations

from collections.abc import Mapping


def subset(options: Mapping, *keys: str) -> dict[str, object]:
    """Some of the options, by their keys."""
    return {key: options[key] for key in keys}
