"""What jobs need, from their wildcards and the configuration; no Snakemake in here.

Rules make one `Paths`, and of it what jobs read, make and are told: `paths` where tables lie,
`sets`, `cuts` of a transformation, `sweeps`, and the `page`.
"""

from __future__ import annotations

from collections.abc import Mapping


def given(options: Mapping, *keys: str) -> dict[str, object]:
    """Some of the options, by their keys."""
    return {key: options[key] for key in keys}
