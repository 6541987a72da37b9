"""Where the workflow's own files lie: in the clone that the library is of, or installed with it."""

import os
from pathlib import Path

_HERE = Path(__file__)

PLACES = (_HERE.parents[3], _HERE.parents[1] / "project")
"""A clone, and what an installation has in its place."""

PROJECT = next((place for place in PLACES if (place / "Snakefile").is_file()), PLACES[0])
"""The folder of the Snakefile, with `config`, `data` and `workflow`."""


def let_find_library() -> None:
    """Let processes of other environments that this one starts find a clone's library."""
    if (PROJECT / "src").is_dir():
        paths = filter(None, [str(PROJECT / "src"), os.environ.get("PYTHONPATH")])
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)
