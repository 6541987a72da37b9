"""What a job depends on beside its inputs' times: the code behind its script, their content."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from regrade.workflow.project import PROJECT

SCRIPTS = PROJECT / "workflow" / "scripts"


@cache
def source_hash(script: str, *modules: str, text: str = "") -> str:
    """A hash of a script and of all library modules that it imports, directly or not.

    Snakemake tracks a script's own text but not the library behind it; given as a parameter,
    this reruns just the jobs whose code changed.  `text` is code of the job's beside the script.
    """
    digest = hashlib.sha256(text.encode())
    # named from these folders on, so that the hash does not depend on where the tree lies
    files = {
        path.relative_to(SCRIPTS.parent if path.is_relative_to(SCRIPTS) else _library()): path
        for path in source_files(script, *modules)
    }
    for name, path in sorted(files.items()):
        digest.update(name.as_posix().encode() + b"\0" + _content(path))
    return digest.hexdigest()[:16]


def content_hash(paths: Sequence[str | os.PathLike]) -> str:
    """A hash of files' names and content.

    Snakemake notices a file that is newer than what was made of it.  Given as a parameter, this
    also notices one that was replaced by an older one, as `cp -p` and restored backups do.
    """
    with ThreadPoolExecutor() as pool:
        hashes = list(pool.map(_of_file, paths))
    return hashlib.sha256(b"".join(hashes)).hexdigest()[:16]


def _of_file(path: str | os.PathLike) -> bytes:
    """The hash of a file's name and content; of one that is not there, of its name."""
    name = hashlib.sha256(os.path.basename(path).encode("utf-8", "surrogateescape"))  # noqa: PTH119
    try:
        with Path(path).open("rb") as file:
            return name.digest() + hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return name.digest()


def source_files(script: str, *modules: str) -> list[Path]:
    """The files of a script and of all library modules that it imports, sorted."""
    waiting = [SCRIPTS / script, *map(_module_file, modules)]
    seen: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += _imported(path)
    return sorted(seen)


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


# by far quicker than Python's own parser, for which each start of the workflow would wait
_IMPORT = re.compile(r"^[ \t]*(?:from ([\w.]+) import (\([^)]*\)|.+)|import (.+))", re.MULTILINE)
_COMMENT = re.compile(r"#.*")
_NAME = re.compile(r"([\w.]+)(?: as \w+)?")


def imported_names(text: str, at_top: bool = False) -> set[str]:
    """The dotted names that a text imports, anywhere in it or `at_top` of the module alone.

    ``from a import b`` gives a and a.b.

    Statements are taken as ruff formats them.  Prose that looks like one only adds names.
    """
    names = set()
    for statement in _IMPORT.finditer(_COMMENT.sub("", text)):
        if at_top and statement[0][0].isspace():
            continue
        module, members, modules = statement.groups(default="")
        listed = _NAME.findall(members or modules)
        names |= {module, *(f"{module}.{name}" for name in listed)} if module else {*listed}
    return names


@cache
def _imported(path: Path) -> list[Path]:
    """Files of the modules of regrade that a file imports; of a declaration's, not its jobs'."""
    files = []
    for name in sorted(imported_names(_content(path).decode(), at_top=path.name == "stage.py")):
        if name.partition(".")[0] == "regrade":
            file = _module_file(name)
            files += [file] if file else []
    if path.parent.name == "catalogue":  # it finds its subjects by itself
        files += sorted(path.parents[1].glob("*/catalogue.py"))
    return files


def is_module(name: str) -> bool:
    """Whether a dotted name is one of a module of regrade."""
    return name.partition(".")[0] == "regrade" and _module_file(name) is not None


@cache
def _library() -> Path:
    return Path(importlib.util.find_spec("regrade").origin).parent


@cache
def _module_file(name: str) -> Path | None:
    """The file of a module of regrade; ``None`` for names that are no module."""
    place = _library().joinpath(*name.split(".")[1:])
    if (place / "__init__.py").exists():
        return place / "__init__.py"
    file = place.with_suffix(".py")
    return file if file.exists() else None
