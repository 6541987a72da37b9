"""Compile every kernel once, so that no job has to: ``python -m regrade.kernels``.

Numba compiles a kernel when it is first called with arguments of some types, and keeps the machine
code beside the source (or where `regrade.kernel_cache` says), for the source as it is and for this
kind of processor.  Compiling all takes minutes, loading them milliseconds.  Which kernels are
called with which types stands in ``kernels.txt``, one call a line; those that the demo makes begin
with ``*``, and ``--demo`` compiles them alone.  ``--record`` adds to the file what numba has kept
of kernels that are not there, and takes out what no kernel fits any more; with ``--demo`` the calls
of which numba has kept anything become the demo's, so run nothing else in an empty cache before.
"""

from __future__ import annotations

import argparse
import multiprocessing
import pkgutil
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path

from regrade.compiled import Kernel
from regrade.resources import cores

RECORDED = Path(__file__).with_name("kernels.txt")
MOST_PROCESSES = 8
DEMO = "* "

Call = tuple[str, str, str]
"""A kernel's module, its name, and the types of its arguments as text."""


@cache
def modules() -> list[str]:
    """The modules of the library that define kernels, each after those that it imports."""
    package = import_module("regrade").__path__
    names = []
    for info in pkgutil.walk_packages(package, "regrade."):
        source = Path(info.module_finder.path, *info.name.rpartition(".")[2:]).with_suffix(".py")
        if source.exists() and "\n@njit" in source.read_text(encoding="utf-8"):
            names.append(info.name)
            import_module(info.name)
    # so that two processes seldom compile the same one, of which both call it
    return sorted(names, key=_height)


@cache
def _height(module: str) -> tuple[int, str]:
    """How many modules of the library a module rests on, and its name."""
    waiting, below = [module], {module}
    while waiting:
        names = vars(import_module(waiting.pop())).values()
        owners = {getattr(value, "__module__", None) for value in names} - below
        new = {owner for owner in owners if owner and owner.startswith("regrade.")}
        below |= new
        waiting += new
    return len(below), module


def kernels(module: str) -> dict:
    """The kernels that a module defines and that are compiled by themselves, by name."""
    defined = vars(import_module(module))
    return {
        name: value
        for name, value in defined.items()
        if isinstance(value, Kernel) and value.py_func.__module__ == module and not value.is_part
    }


def recorded(path: Path = RECORDED, demo: bool = False) -> list[Call]:
    """The calls that are compiled in advance, or the demo's alone, in the order of the file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    chosen = [line for line in lines if line.startswith(DEMO) or (line and not demo)]
    return [tuple(line.removeprefix(DEMO).split(maxsplit=2)) for line in chosen]


def types_of(text: str) -> tuple:
    """The types of a call's arguments, from what `written` made of them."""
    import numpy as np
    from numba import typeof, types

    known = vars(types) | {
        "generator": typeof(np.random.default_rng(0)),
        "omitted": lambda default: types.Omitted(default),
    }
    return tuple(eval(text, {"__builtins__": {}}, known))


def written(types: Iterable) -> str:
    """The types of a call's arguments as text: ``(int64, Array(float64, 1, 'C', …),)``."""
    text = "".join(f"{each!r}, " for each in types).rstrip()
    named = text.replace("NumPyRandomGeneratorType", "generator")
    return f"({re.sub(r'Literal.[a-z]+.', 'literal', named)})"


def compile_calls(calls: list[Call]) -> int:
    """Compile the calls of which numba has kept nothing; gives their number."""
    # the index tells: loading the machine code of all takes seven seconds
    kept = {call for module in {call[0] for call in calls} for call in cached(module)}
    compiled = 0
    for module, name, types in (call for call in calls if call not in kept):
        kernel = kernels(module)[name]
        missed = sum(kernel.stats.cache_misses.values())
        kernel.compile(types_of(types))
        compiled += sum(kernel.stats.cache_misses.values()) - missed
    return compiled


def _compile_of_module(calls: list[Call]) -> tuple[int, int]:
    return len(calls), compile_calls(calls)


def warm(processes: int, calls: list[Call]) -> int:
    """Compile the calls of which numba has kept nothing, by several processes; gives their number.

    On a terminal one line says how far it is.
    """
    by_module = defaultdict(list)
    for call in calls:
        by_module[call[0]].append(call)
    ready, compiled, start = 0, 0, time.perf_counter()
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(processes) as pool:
        for n_calls, n_compiled in pool.imap_unordered(_compile_of_module, by_module.values()):
            ready, compiled = ready + n_calls, compiled + n_compiled
            if sys.stdout.isatty():
                seconds = time.perf_counter() - start
                line = f"{ready} of {len(calls)} kernels are ready, {seconds:.0f} s"
                print(f"\r{line}\033[K", end="", flush=True)
    if sys.stdout.isatty():
        print("\r\033[K", end="")
    # where two processes wrote of one kernel, the later write may have lost the earlier one
    return compiled + compile_calls(calls)


def cached(module: str) -> list[Call]:
    """The calls of a module's kernels whose machine code numba has kept."""
    calls = []
    for name, kernel in kernels(module).items():
        calls += [(module, name, written(types)) for types in kernel._cache.calls()]
    return sorted(set(calls))


def fits(call: Call) -> bool:
    """Whether there is such a kernel, of as many arguments."""
    module, name, types = call
    if module not in modules() or name not in kernels(module):
        return False
    return len(types_of(types)) == len(signature(kernels(module)[name].py_func).parameters)


def record(path: Path = RECORDED, demo: bool = False) -> list[str]:
    """Write the calls that fit, with those that numba has kept of kernels that have none.

    Of the demo all that numba has kept are written, and marked.
    """
    known = defaultdict(list)
    for call in recorded(path):
        if fits(call):
            known[call[:2]].append(call)
    kept = [call for module in modules() for call in cached(module)]
    marked = set(kept if demo else recorded(path, demo=True))
    without = {(module, name) for module in modules() for name in kernels(module)} - known.keys()
    for call in kept:
        if call[:2] in without or (demo and call not in known[call[:2]]):
            known[call[:2]].append(call)
    names = [(module, name) for module in modules() for name in kernels(module)]
    calls = [call for name in names for call in known[name]]
    lines = [f"{DEMO if call in marked else ''}{' '.join(call)}\n" for call in calls]
    path.write_text("".join(lines), encoding="utf-8")
    return [".".join(name) for name in names if not known[name]]


def main(arguments: list[str] | None = None) -> None:
    """Compile (or record), and say in one line what was done."""
    parser = argparse.ArgumentParser(prog="python -m regrade.kernels", description=__doc__)
    parser.add_argument("--cores", type=int, help="how many processes compile at once")
    parser.add_argument("--demo", action="store_true", help="those that the demo calls alone")
    parser.add_argument("--record", action="store_true", help="write kernels.txt")
    options = parser.parse_args(arguments)
    if options.record:
        missing = record(demo=options.demo)
        print(*(f"{name} has not been called: run what calls it" for name in missing), sep="\n")
        sys.exit(bool(missing))
    processes = options.cores or min(cores(), MOST_PROCESSES)
    start = time.perf_counter()
    calls = recorded(demo=options.demo)
    compiled = warm(processes, calls)
    seconds = time.perf_counter() - start
    print(f"{len(calls)} kernels are ready; {compiled} were compiled in {seconds:.0f} s")


if __name__ == "__main__":
    main()
