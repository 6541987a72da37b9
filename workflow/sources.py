"""What a job depends on beside its inputs: the library's code behind its script."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from functools import cache
from pathlib import Path


@cache
def source_hash(script: str, *modules: str) -> str:
    """A hash of a script and of all library modules that it imports, directly or not.

    Snakemake tracks a script's own text but not the library behind it; given as a parameter,
    this reruns just the jobs whose code changed.

    Parameters
    ----------
    script
        File name in ``workflow/scripts``.
    *modules
        Modules of the library that it imports by name, where no import statement says so.
    """
    digest = hashlib.sha256()
    # named from their packages on, so that the hash does not depend on where the tree lies
    files = {"/".join(path.parts[-3:]): path for path in source_files(script, *modules)}
    for name, path in sorted(files.items()):
        digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def source_files(script: str, *modules: str) -> list[Path]:
    """The files of a script and of all library modules that it imports, sorted."""
    waiting = [Path(__file__).parent / "scripts" / script, *map(_module_file, modules)]
    seen: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += _imported(path)
    return sorted(seen)


@cache
def _imported(path: Path) -> list[Path]:
    """Files of the modules of regrade (and the scripts' own job.py) that a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    files = []
    for name in sorted(names):
        if name.partition(".")[0] == "regrade":
            file = _module_file(name)
            files += [file] if file else []
        elif name == "job":
            files.append(Path(__file__).parent / "scripts" / "job.py")
    return files


@cache
def _module_file(name: str) -> Path | None:
    """The file of a module of regrade; ``None`` for names that are no module."""
    root = Path(importlib.util.find_spec("regrade").origin).parent
    place = root.joinpath(*name.split(".")[1:])
    if (place / "__init__.py").exists():
        return place / "__init__.py"
    file = place.with_suffix(".py")
    return file if file.exists() else None
