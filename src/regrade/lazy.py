"""Packages whose names are loaded when they are first asked for."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


def attach(
    package: str, exports: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], object], list[str]]:
    """What a package's `__init__` needs to give names of its modules without loading these.

    Whoever runs often (the workflow's scripts) imports from the modules themselves: an import from
    the package does not tell which module it is of.
    """
    module_of = {name: module for module, names in exports.items() for name in names}

    def get(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{module_of[name]}"), name)

    return get, sorted(module_of)


def attach_stub(package: str, file: str) -> tuple[Callable[[str], object], list[str]]:
    """The same, of the names that the stub beside a package's `__init__` imports from modules.

    Type checkers read the stub, so that there is one list.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    exports: dict[str, list[str]] = {}
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            names = exports.setdefault(node.module.removeprefix(f"{package}."), [])
            names += [one.name for one in node.names]
    return attach(package, exports)
