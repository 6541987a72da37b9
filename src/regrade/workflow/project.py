"""Where the workflow's own files lie: in the clone that the library is of, or installed with it."""

from pathlib import Path

_HERE = Path(__file__)

PLACES = (_HERE.parents[3], _HERE.parents[1] / "project")
"""A clone, and what an installation has in its place."""

PROJECT = next((place for place in PLACES if (place / "Snakefile").is_file()), PLACES[0])
"""The folder of the Snakefile, with `config`, `data` and `workflow`."""
