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
    """A hash of what a script and all library modules that it imports, directly or not, do.

    Snakemake tracks a script's own text but not the library behind it; given as a parameter,
    this reruns just the jobs whose code changed.  `text` is code of the job's beside the script.
    Comments and docstrings change nothing, nor does another version of Python.
    """
    digest = hashlib.sha256(code_of(text).encode())
    # named from these folders on, so that the hash does not depend on where the tree lies
    files = {
        path.relative_to(SCRIPTS.parent if path.is_relative_to(SCRIPTS) else _library()): path
        for path in source_files(script, *modules)
    }
    for name, path in sorted(files.items()):
        digest.update(f"\0{name.as_posix()}\0{_code(path)}".encode())
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
def _code(path: Path) -> str:
    return code_of(path.read_text(encoding="utf-8"))


# by far quicker than Python's own parser and tokenizer, for which each start of the workflow would
# wait: 0.15 s for all files of the library, where `ast` takes 2 s and `tokenize` 1.5 s
_TOKEN = re.compile(
    r"""
    \#[^\n]*
    | (?P<text> [rbfuRBFU]{0,2} (?:
        \"{3} [^"\\]* (?: (?:\\.|"(?!"")) [^"\\]* )* \"{3}
        | '{3} [^'\\]* (?: (?:\\.|'(?!'')) [^'\\]* )* '{3}
        | " [^"\\\n]* (?: \\. [^"\\\n]* )* "
        | ' [^'\\\n]* (?: \\. [^'\\\n]* )* '
    ) )
    | (?P<bracket> [()\[\]{}] )
    """,
    re.VERBOSE | re.DOTALL,
)
_EMPTY = re.compile(r"[ \t]*\n(?:[ \t]*\n)*")
_LINE_AFTER = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")


def code_of(text: str) -> str:
    """The code of a text, without comments, empty lines, and texts that are a line by themselves.

    Such a text does nothing: it is a docstring.  The others come last, each in the order of its
    mark in the code.
    """
    code, texts, end, depth = [], [], 0, 0
    for token in _TOKEN.finditer(text):
        kind, start = token.lastgroup, token.start()
        if kind == "bracket":
            depth += 1 if token[0] in "([{" else -1
            continue
        code.append(text[end:start])
        end = token.end()
        if kind == "text" and (depth or not _is_alone(text, start, end)):
            code.append("\0")
            texts.append(token["text"])
    code.append(text[end:])
    return "\0".join([_EMPTY.sub("\n", "".join(code)).strip("\n"), *texts])


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether nothing but it stands on the line, which goes on no other one."""
    line = text.rfind("\n", 0, start) + 1
    continues = text[:line].endswith("\\\n")
    return not text[line:start].strip() and not continues and bool(_LINE_AFTER.match(text, end))


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
    for name in sorted(imported_names(_code(path), at_top=path.name == "stage.py")):
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
