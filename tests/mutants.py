"""Which changes of a module's operators, comparisons and constants its own tests notice.

    python -m tests.mutants evaluations/pair_outcomes [--most 100]

cosmic-ray says what to change.  Each mutant is tested by a process forked from one that has
imported what others wrote, by the tests that run the changed line: of the test file of the
module's name and of those that name the module.  No file is changed.  Kernels of the module run as
plain Python, and so do those that may call them; all others stay compiled.  What survives is shown.
"""

import argparse
import ast
import importlib
import importlib.abc
import importlib.util
import itertools
import json
import os
import random
import re
import resource
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numba.core.caching
import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

CLONE = Path(__file__).parents[1]
LIBRARIES = ("hypothesis", "krippendorff", "matplotlib.figure", "numba", "numpy.testing", "pandas")
LIBRARIES += ("pyarrow.parquet", "scipy.stats", "sklearn.metrics", "statsmodels.api")
LIBRARIES += ("ir_measures", "pytrec_eval")
LONGEST = 900
"""Seconds of processor that a module's tests may take where nothing is changed."""
# one change or two at each place: what others do is noticed, or not, by the same tests
OPERATORS = re.compile(
    r"core/(ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|FloorDiv_Mul|Mod_Mul|Pow_Mul"
    r"|BitAnd_BitOr|BitOr_BitAnd|LShift_RShift|RShift_LShift)"
    r"|ReplaceComparisonOperator_(Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is|Lt_LtE|Lt_GtE|LtE_Lt|LtE_Gt"
    r"|Gt_GtE|Gt_LtE|GtE_Gt|GtE_Lt)|ReplaceUnaryOperator_(USub_UAdd|Delete_\w+)|NumberReplacer"
    r"|Replace(TrueWithFalse|FalseWithTrue|AndWithOr|OrWithAnd|BreakWithContinue"
    r"|ContinueWithBreak))"
)


def mutants(source: str) -> Iterator[tuple[int, str]]:
    """The line that is changed, and the whole text with that change.

    Not of signatures but for their defaults, nor of annotations, of what decorates a class or a
    function (kernels are plain Python here), and of ``strict`` and ``assume_unique``, guards.
    """
    tree, parsed = get_ast(source), ast.parse(source)
    aside = [span for node in ast.walk(parsed) for span in _aside(node)]
    for name in filter(OPERATORS.fullmatch, operator_names()):
        operator = get_operator(name)()
        places = (place for node in ast_nodes(tree) for place in operator.mutation_positions(node))
        for occurrence, (start, _) in enumerate(places):
            if not any(first <= start < last for first, last in aside):
                mutant = mutate_code(source, operator, occurrence)
                # a star before arguments is no product
                if "Binary" not in name or _operators(mutant) not in (None, _operators(source)):
                    yield start[0], mutant


def _operators(source: str) -> Counter | None:
    try:
        nodes = ast.walk(ast.parse(source))
    except SyntaxError:
        return None
    return Counter(type(node) for node in nodes if isinstance(node, ast.operator))


def _aside(node: ast.AST) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where nothing is changed: from line and column, to them."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield from map(_span, node.decorator_list)
    if isinstance(node, ast.FunctionDef):
        at, defaults = (node.lineno, 0), [*node.args.defaults, *node.args.kw_defaults]
        for default in filter(None, defaults):
            yield at, (default.lineno, default.col_offset)
            at = default.end_lineno, default.end_col_offset
        yield at, (node.body[0].lineno, 0)
    elif isinstance(node, ast.AnnAssign):
        yield _span(node.annotation)
    elif isinstance(node, ast.keyword) and node.arg in ("strict", "assume_unique"):
        yield _span(node.value)


def _span(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


class _Instead(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Gives modules other texts."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def find_spec(self, name, path=None, target=None):
        if name in self.texts:
            return importlib.util.spec_from_file_location(name, _path(name), loader=self)
        return None

    def get_source(self, name):
        return self.texts[name]

    def get_code(self, name):
        return compile(self.texts[name], _path(name), "exec")


class _Lines:
    """What a module's tests run of it: the lines, with those of the fixtures that they take."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.of_tests: dict[str, list[int]] = {}
        self.seconds: dict[str, float] = {}
        self._of_fixtures: dict[object, set[int]] = {}
        self._running: list[set[int]] = []

    def _call(self, frame, event, argument):
        return self._line if frame.f_code.co_filename == self.path else None

    def _line(self, frame, event, argument):
        self._running[-1].add(frame.f_lineno)
        return self._line

    @contextmanager
    def _traced(self) -> Iterator[set[int]]:
        self._running.append(set())
        sys.settrace(self._call)
        threading.settrace(self._call)
        try:
            yield self._running[-1]
        finally:
            del self._running[-1]
            if not self._running:
                sys.settrace(None)
                threading.settrace(None)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        with self._traced() as lines:
            yield
        self._of_fixtures[fixturedef] = lines

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        began = time.process_time()
        with self._traced() as lines:
            yield
        taken = itertools.chain.from_iterable(item._fixtureinfo.name2fixturedefs.values())
        fixtures = (self._of_fixtures.get(fixture, set()) for fixture in taken)
        self.of_tests[item.nodeid] = sorted(lines.union(*fixtures))
        self.seconds[item.nodeid] = time.process_time() - began


class _Only:
    """Runs some of the tests, in this order."""

    def __init__(self, tests: list[str]) -> None:
        self.place = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.nodeid in self.place]
        items.sort(key=lambda item: self.place[item.nodeid])


def _path(module: str) -> Path:
    return CLONE.joinpath("src", *module.split(".")).with_suffix(".py")


def plain(module: str, text: str) -> dict[str, str]:
    """A module's text with kernels as plain Python, and of those whose kernels may call them.

    Kernels of all other modules stay compiled.
    """
    if "\n@njit" not in text:
        return {module: text}
    texts = {module: text}
    sources = {
        ".".join(path.relative_to(CLONE / "src").with_suffix("").parts): path.read_text("utf-8")
        for path in sorted((CLONE / "src" / "regrade").rglob("*.py"))
    }
    kernels = {name: source for name, source in sources.items() if "\n@njit" in source}
    imported = {name: set(_imports(source)) for name, source in kernels.items()}
    while more := {name for name in kernels.keys() - texts if imported[name] & texts.keys()}:
        texts |= {name: kernels[name] for name in more}
    return {name: re.sub(r"(?m)^@njit\b.*$", "", source) for name, source in texts.items()}


def _imports(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def noticed(texts: dict[str, str], files: list[str], seconds: int, plugin: object) -> bool:
    """Whether the tests fail, or take longer than these seconds of processor, with these texts.

    What the plugin knows after them, it knows here, too.
    """
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        status = 1
        try:
            sys.meta_path.insert(0, _Instead(texts))
            # what plain kernels call compiled ones with is not kept beside the sources
            numba.core.caching.Cache.save_overload = lambda *_: None
            options = ["-x", "-q", "--assert=plain", "--hypothesis-seed=0", "-n0"]
            options += ["-p", "no:cacheprovider", "-p", "no:randomly"]
            status = pytest.main([*options, *files], plugins=[plugin])
            if isinstance(plugin, _Lines):
                with os.fdopen(tell, "w") as out:
                    json.dump([plugin.of_tests, plugin.seconds], out)
        finally:
            os._exit(int(status))
    os.close(tell)
    with os.fdopen(told) as came:
        written = came.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT:
        raise KeyboardInterrupt
    if written:
        plugin.of_tests, plugin.seconds = json.loads(written)
    return status != 0


def tests_of(module: str) -> list[str]:
    """The test files of a module's own name, then the others that name it."""
    files = sorted((CLONE / "tests" / "unit").glob("test_*.py"))
    parts = module.split(".")[1:]
    own = [file for file in files if file.stem in ("test_" + "_".join(parts), f"test_{parts[-1]}")]
    names = [rf"\b{re.escape(module)}\b"]
    if len(parts) > 1:  # a package gives the names of its modules
        names.append(rf"^from regrade\.{re.escape(parts[0])} import")
    naming = re.compile("|".join(names), re.MULTILINE)
    others = [file for file in files if naming.search(file.read_text(encoding="utf-8"))]
    return [*map(str, dict.fromkeys(own + others))]


def main() -> None:
    """Test the mutants of a module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("module", help="as evaluations/pair_outcomes, in src/regrade")
    parser.add_argument("--most", type=int, help="draw this many of the mutants")
    parser.add_argument("--tests", nargs="+", help="test files, in place of those that name it")
    asked = parser.parse_args()
    module = ".".join(("regrade", *asked.module.removesuffix(".py").split("/")))
    text = _path(module).read_text(encoding="utf-8")
    for library in LIBRARIES:
        importlib.import_module(library)
    tests = asked.tests or tests_of(module)
    if not tests:
        sys.exit(f"no test in tests/unit names {module}")
    lines = _Lines(_path(module))
    if noticed(plain(module, text), tests, LONGEST, lines):
        sys.exit(f"the tests of {module} fail without a change: {' '.join(tests)}")
    everything = list(mutants(text))
    if asked.most and asked.most < len(everything):
        everything = random.Random(0).sample(everything, asked.most)
    survived, sound = 0, set()
    for line, mutant in sorted(everything):
        texts = plain(module, mutant)
        for of in _in_turn(lines, line):
            if _noticed_by(texts, of, lines):
                # that they fail says something where they do not fail without the change
                if tuple(of) not in sound and _noticed_by(plain(module, text), of, lines):
                    sys.exit(f"without the others, or in another order, some fail: {' '.join(of)}")
                sound.add(tuple(of))
                break
        else:
            survived += 1
            was, now = (all_.splitlines()[line - 1].strip() for all_ in (text, mutant))
            print(f"{asked.module}:{line}\n  - {was}\n  + {now}", flush=True)
    killed = len(everything) - survived
    print(f"{asked.module}: {killed} of {len(everything)} noticed, {killed / len(everything):.0%}")


def _in_turn(lines: _Lines, line: int) -> Iterator[list[str]]:
    """The tests that run a line, the quickest first, then all that run any of the module.

    All are for a line that none of them runs itself, as those of the module's import.
    """
    quickest = sorted(lines.seconds, key=lines.seconds.get)
    running = [test for test in quickest if line in lines.of_tests[test]]
    using = [test for test in quickest if lines.of_tests[test]] or quickest
    yield from (tests for tests in (running, using) if tests)


def _noticed_by(texts: dict[str, str], tests: list[str], lines: _Lines) -> bool:
    files = dict.fromkeys(str(CLONE / test.partition("::")[0]) for test in tests)
    limit = int(3 * sum(lines.seconds[test] for test in tests)) + 10
    return noticed(texts, list(files), limit, _Only(tests))


if __name__ == "__main__":
    main()
