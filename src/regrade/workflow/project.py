"""Where the workflow's own files lie: in the clone that the library is of, or installed with it."""

import os
from pathlib import Path

_HERE = Path(__file__)

PLACES = (_HERE.parents[3], _HERE.parents[1] / "project")
"""A clone, and what an installation has in its place."""

PROJECT = next((place for place in PLACES if (place / "Snakefile").is_file()), PLACES[0])
"""The folder of the Snakefile, with `config`, `data` and `workflow`."""


def lend_library() -> None:
    """Let the Python of other environments find the library of a clone."""
    library = PROJECT / "src"
    if library.is_dir():
        paths = filter(None, [str(library), os.environ.get("PYTHONPATH")])
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)
