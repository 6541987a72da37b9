"""Where the workflow's own files lie: in the clone that the library is of, or installed with it."""

import atexit
import os
import shutil
from pathlib import Path
from tempfile import mkdtemp

_HERE = Path(__file__)

PLACES = (_HERE.parents[3], _HERE.parents[1] / "project")
"""A clone, and what an installation has in its place."""

PROJECT = next((place for place in PLACES if (place / "Snakefile").is_file()), PLACES[0])
"""The folder of the Snakefile, with `config`, `data` and `workflow`."""

ALL = "all"
"""Every collection of a configuration; below it in the results lies what is of several."""


def lend_library() -> None:
    """Let the Python of other environments find the library of a clone."""
    library = PROJECT / "src"
    if library.is_dir():
        paths = filter(None, [str(library), os.environ.get("PYTHONPATH")])
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)


def commit_of(folder: Path) -> str:
    """Which commit a clone is at, as the end of a line; empty where it is none.

    Read by hand, as git takes longer than a small job.
    """
    try:
        git = folder / ".git"
        if git.is_file():  # of a further working tree
            git = folder / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if head.startswith("ref: "):
            common = git / "commondir"
            shared = git / common.read_text(encoding="utf-8").strip() if common.is_file() else git
            head = _commit_at(shared, head.removeprefix("ref: "))
    except (OSError, UnicodeError):
        return ""
    return f", commit {head[:12]}" if head else ""


def _commit_at(git: Path, name: str) -> str:
    """The commit that a branch is at: in its own file, or among those that are packed."""
    if (git / name).is_file():
        return (git / name).read_text(encoding="utf-8").strip()
    packed = (git / "packed-refs").read_text(encoding="utf-8").splitlines()
    return next((line.split()[0] for line in packed if line.endswith(f" {name}")), "")


def environment() -> dict[str, str]:
    """That of the workflow's processes: texts in UTF-8, and a cache where none can be kept."""
    own = os.environ | {"PYTHONIOENCODING": "utf-8"}
    try:
        cache = Path(own.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        cache.mkdir(parents=True, exist_ok=True)
        is_kept = os.access(cache, os.W_OK)
    except (OSError, RuntimeError):  # no home
        is_kept = False
    if is_kept:
        return own
    folder = mkdtemp(prefix="regrade-cache-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return own | {"XDG_CACHE_HOME": folder}
