"""Which changes of a module's operators, comparisons and constants its own tests notice.

    python -m tests.mutants evaluations/pair_outcomes [--most 100]

cosmic-ray says what to change.  The tests run once without a change: those of the test file of the
module's name, else of its package, and of the files that name the module.  Each mutant is then
tested by a process forked from that one, in which the module's functions get the mutant's code, by
the tests that run the changed statement, the quickest first.  What runs at import is changed in a
process that imports the mutant.  No file is changed.  Kernels of the module run as plain Python,
and so do those that may call them; all others stay compiled.  What survives is shown.
"""

import argparse
import ast
import builtins
import functools
import gc
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
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FunctionType
from typing import TextIO

import numba.core.caching
import pytest
from _pytest.runner import runtestprotocol
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from threadpoolctl import threadpool_limits

CLONE = Path(__file__).parents[1]
LIBRARIES = ("hypothesis", "krippendorff", "matplotlib.figure", "numba", "numpy.testing", "pandas")
LIBRARIES += ("pyarrow.parquet", "scipy.stats", "sklearn.metrics", "statsmodels.api")
LIBRARIES += ("ir_measures", "pytrec_eval")
LONGEST = 900
"""Seconds of processor that a module's tests may take where nothing is changed."""
OPTIONS = ("-x", "-q", "--assert=plain", "--hypothesis-seed=0", "-n0")
OPTIONS += ("-p", "no:cacheprovider", "-p", "no:randomly")
# one change or two at each place: what others do is noticed, or not, by the same tests
OPERATORS = re.compile(
    r"core/(ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|FloorDiv_Mul|Mod_Mul|Pow_Mul"
    r"|BitAnd_BitOr|BitOr_BitAnd|LShift_RShift|RShift_LShift)"
    r"|ReplaceComparisonOperator_(Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is|Lt_LtE|Lt_GtE|LtE_Lt|LtE_Gt"
    r"|Gt_GtE|Gt_LtE|GtE_Gt|GtE_Lt)|ReplaceUnaryOperator_(USub_UAdd|Delete_\w+)|NumberReplacer"
    r"|Replace(TrueWithFalse|FalseWithTrue|AndWithOr|OrWithAnd|BreakWithContinue"
    r"|ContinueWithBreak))"
)


def mutants(
    source: str, most: int | None = None, lines: Sequence[int] | None = None
) -> list[tuple[int, str]]:
    """The line that is changed, and the whole text with that: all of (these) lines, or so many.

    Not of signatures but for their defaults, nor of annotations, of what decorates a class or a
    function (kernels are plain Python here), and of ``strict`` and ``assume_unique``, guards.
    """
    places = [place for place in _places(source) if lines is None or place[0] in lines]
    random.Random(0).shuffle(places)
    made = (_changed(source, *place) for place in places)
    return sorted(itertools.islice(filter(None, made), most))


def _changed(source: str, line: int, name: str, occurrence: int) -> tuple[int, str] | None:
    mutant = mutate_code(source, get_operator(name)(), occurrence)
    # a star before arguments is no product
    star = "Binary" in name and _operators(mutant) in (None, _operators(source))
    return None if star else (line, mutant)


def _places(source: str) -> Iterator[tuple[int, str, int]]:
    """The line of each change, the operator of cosmic-ray, and which of its changes it is."""
    tree = get_ast(source)
    aside = [span for node in ast.walk(ast.parse(source)) for span in _aside(node)]
    for name in filter(OPERATORS.fullmatch, operator_names()):
        operator = get_operator(name)()
        places = (place for node in ast_nodes(tree) for place in operator.mutation_positions(node))
        for occurrence, (start, _) in enumerate(places):
            if not any(first <= start < last for first, last in aside):
                yield start[0], name, occurrence


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
    """Gives modules other texts, and the code of one of them."""

    def __init__(self, texts: dict[str, str], codes: dict[str, CodeType]) -> None:
        self.texts = texts
        self.codes = codes

    def find_spec(self, name, path=None, target=None):
        if name in self.texts:
            return importlib.util.spec_from_file_location(name, _path(name), loader=self)
        return None

    def get_source(self, name):
        return self.texts[name]

    def get_code(self, name):
        return self.codes.get(name) or compile(self.texts[name], _path(name), "exec")


class _Statements:
    """Which statements of a module run: the code that notes it, and what is noted, by their lines.

    What a fixture runs belongs to each test that takes it; what a cached function has run, to each
    that gets what it kept.
    """

    def __init__(self, module: str, text: str) -> None:
        self.module = module
        self.begin: dict[int, int] = {}
        self.caches: list[dict] = []
        self._running: list[set[int]] = [set()]
        self._of_fixtures: dict[object, tuple[set[int], float]] = {}
        tree = ast.parse(text)
        nodes = [*ast.walk(tree)]  # what is inside of another comes after it
        for node in nodes:
            if isinstance(node, ast.stmt):
                self.begin |= dict.fromkeys(range(node.lineno, node.end_lineno + 1), node.lineno)
        for node in nodes:
            for block in ("body", "orelse", "finalbody"):
                if isinstance(statements := getattr(node, block, None), list):
                    setattr(node, block, [*_telling(statements)])
        self.code = compile(ast.fix_missing_locations(tree), _path(module), "exec")

    @property
    def now(self) -> set[int]:
        """What has run in what runs now."""
        return self._running[-1]

    @contextmanager
    def noted(self) -> Iterator[set[int]]:
        """What runs within; it has run in what is around it, too."""
        self._running.append(set())
        try:
            yield self.now
        finally:
            inner = self._running.pop()
            self.now.update(inner)

    @contextmanager
    def of_fixture(self, fixture: object) -> Iterator[None]:
        """What runs within belongs to a fixture."""
        began = time.process_time()
        with self.noted() as lines:
            yield
        self._of_fixtures[fixture] = lines, time.process_time() - began

    def of_fixtures(self, item: pytest.Item) -> tuple[set[int], float]:
        """What the fixtures have run that a test takes, and the seconds of processor."""
        taken = itertools.chain.from_iterable(item._fixtureinfo.name2fixturedefs.values())
        theirs = [self._of_fixtures[fixture] for fixture in taken if fixture in self._of_fixtures]
        return set().union(*(lines for lines, _ in theirs)), sum(spent for _, spent in theirs)

    def cache(self, function: Callable) -> Callable:
        """As ``functools.cache``."""
        kept = {}
        self.caches.append(kept)

        @functools.wraps(function)
        def call(*args, **named):
            key = (args, *sorted(named.items()))
            if key not in kept:
                with self.noted() as lines:
                    kept[key] = function(*args, **named), lines
            result, lines = kept[key]
            self.now.update(lines)
            return result

        call.cache_clear = kept.clear
        return call

    def sized_cache(self, of: Callable | int | None = None, **_) -> Callable:
        """As ``functools.lru_cache``, of any size: what it kept must not outlive a change."""
        return self.cache(of) if callable(of) else self.cache


def _telling(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, each after one that tells its line."""
    for place, statement in enumerate(statements):
        docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not (docstring and place == 0) and getattr(statement, "module", None) != "__future__":
            (told,) = ast.parse(f"__runs__({statement.lineno})").body
            yield ast.copy_location(told, statement)
        yield statement


class _InPlace:
    """Runs all tests, then those that run what a mutant changes, for each mutant.

    It tells the test that fails without a change, else which mutant is noticed, survives, or is for
    a process that imports it, and how long each test takes, the quickest first.
    """

    def __init__(self, statements: _Statements, mutants: list[tuple[int, str]], tell: TextIO):
        self.statements = statements
        self.mutants = mutants
        self.tell = tell
        self.seconds: dict[str, float] = {}
        self._sound: set[str] = set()
        self._functions: list[FunctionType] = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        with self.statements.of_fixture(fixturedef):
            yield

    def pytest_runtestloop(self, session):
        importlib.import_module(self.statements.module)  # no test is the first to do it
        at_import, lines = set(self.statements.now), {}
        for item, after in _in_turn(session.items):
            began = time.process_time()
            with self.statements.noted() as ran:
                failed = _fails(item, after)
            if failed:
                return self._say("fails", item.nodeid)
            of_fixtures, theirs = self.statements.of_fixtures(item)
            self.seconds[item.nodeid] = max(time.process_time() - began, theirs)
            lines[item] = ran | of_fixtures
        quickest = sorted(lines, key=lambda item: self.seconds[item.nodeid])
        self._as_imported()
        for number, (line, mutant) in enumerate(self.mutants):
            begin = self.statements.begin[line]
            running = [item for item in quickest if begin in lines[item]]
            codes = self._codes_of(mutant)
            if running and codes and self._noticed(codes, running):
                self._say("noticed", number)
            else:
                self._say("survives" if codes and begin not in at_import else "imported", number)
        return self._say("tests", {item.nodeid: self.seconds[item.nodeid] for item in quickest})

    def _say(self, *what) -> bool:
        self.tell.write(json.dumps(what) + "\n")
        self.tell.flush()
        return True

    def _as_imported(self) -> None:
        """Forget what the tests left, and find the module's functions."""
        for kept in self.statements.caches:
            kept.clear()
        gc.unfreeze()
        gc.collect()
        codes = {*map(id, _codes(self.statements.code))}
        functions = (thing for thing in gc.get_objects() if type(thing) is FunctionType)
        self._functions = [function for function in functions if id(function.__code__) in codes]
        gc.freeze()

    def _codes_of(self, mutant: str) -> dict[int, CodeType] | None:
        """A mutant's code in place of each code, if it has all of them and no other."""
        try:
            mutated = compile(mutant, self.statements.code.co_filename, "exec")
        except SyntaxError:
            return None
        was, now = [*_codes(self.statements.code)], [*_codes(mutated)]
        if [code.co_name for code in was] != [code.co_name for code in now]:
            return None  # a constant condition leaves out what is within
        return dict(zip(map(id, was), now, strict=True))

    def _noticed(self, codes: dict[int, CodeType], tests: list[pytest.Item]) -> bool:
        """Whether a test fails, or all take too long, where functions have a mutant's codes."""

        def change() -> None:
            for function in self._functions:
                function.__code__ = codes[id(function.__code__)]

        failing, ended = self._run(tests, change)
        for (failed,) in failing:
            # that it fails says something where it does not fail without the change
            alone = [test for test in tests if test.nodeid == failed]
            if failed not in self._sound and self._run(alone, lambda: None) != ([], True):
                self._say("fails", f"{failed} (without the others, or a second time)")
            self._sound.add(failed)
        return bool(failing) or not ended

    def _run(self, tests: list[pytest.Item], change: Callable) -> tuple[list[str], bool]:
        def run(tell: TextIO) -> bool:
            change()
            for item, after in _in_turn(tests):
                with _no_longer_than(self.seconds[item.nodeid]):
                    failed = _fails(item, after)
                if failed:
                    tell.write(json.dumps([item.nodeid]))
                    break
            return True

        return forked(run, _limit(self.seconds[test.nodeid] for test in tests))


def _in_turn(items: list[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None], strict=True)


def _fails(item: pytest.Item, after: pytest.Item | None) -> bool:
    return any(report.failed for report in runtestprotocol(item, nextitem=after, log=False))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


class _Only:
    """Runs some of the tests, in this order."""

    def __init__(self, tests: Iterable[str]) -> None:
        self.place = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.nodeid in self.place]
        items.sort(key=lambda item: self.place[item.nodeid])


def _path(module: str) -> Path:
    folder = CLONE if module.startswith("workflow.") else CLONE / "src"
    return folder.joinpath(*module.split(".")).with_suffix(".py")


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
    return {name: _without_kernels(source) for name, source in texts.items()}


def _without_kernels(text: str) -> str:
    return re.sub(r"(?m)^@njit\b.*$", "", text)


def _imports(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def forked(
    work: Callable[[TextIO], bool], seconds: int, hear: Callable[..., None] = lambda *_: None
) -> tuple[list, bool]:
    """What a process tells, line by line, that does some work; and that it ended well.

    It does not where the work does not, or takes longer than these seconds of processor.
    """
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(told)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        well = False
        try:
            with os.fdopen(tell, "w") as out:
                well = work(out)
        finally:
            os._exit(not well)
    os.close(tell)
    heard = []
    with os.fdopen(told) as came:
        for line in came:
            heard.append(json.loads(line))
            hear(*heard[-1])
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT:
        raise KeyboardInterrupt
    return heard, status == 0


def _limit(seconds: Iterable[float]) -> int:
    return int(3 * sum(seconds)) + 5


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    """End the process where what is within takes longer, of processor, or waits for ever."""
    limits = {signal.ITIMER_PROF: 3 * seconds + 5, signal.ITIMER_REAL: 10 * seconds + 30}
    for timer, limit in limits.items():
        signal.setitimer(timer, limit)
    yield
    for timer in limits:
        signal.setitimer(timer, 0)


def _run(texts: dict[str, str], codes: dict[str, CodeType], tests: list[str], plugin: object):
    """Run tests with other texts of modules."""
    sys.meta_path.insert(0, _Instead(texts, codes))
    # what plain kernels call compiled ones with is not kept beside the sources
    numba.core.caching.Cache.save_overload = lambda *_: None
    return pytest.main([*OPTIONS, *(str(CLONE / test) for test in tests)], plugins=[plugin]) == 0


def tests_of(module: str) -> list[str]:
    """The test files of a module's name, else of its package, then the others that name it."""
    files = sorted((CLONE / "tests" / "unit").glob("test_*.py"))
    parts = module.split(".")[1:]
    own = [file for file in files if file.stem in ("test_" + "_".join(parts), f"test_{parts[-1]}")]
    own = own or [file for file in files if file.stem.startswith(f"test_{parts[0]}")]
    names = [rf"\b{re.escape(module)}\b"]
    if len(parts) > 1:  # a package gives the names of its modules
        names.append(rf"^from regrade\.{re.escape(parts[0])} import")
    naming = re.compile("|".join(names), re.MULTILINE)
    others = [file for file in files if naming.search(file.read_text(encoding="utf-8"))]
    return [*map(str, dict.fromkeys(own + others))]


def main() -> None:
    """Test the mutants of a module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("module", help="as evaluations/pair_outcomes or workflow/collection")
    parser.add_argument("--most", type=int, help="draw this many of the mutants")
    parser.add_argument("--lines", nargs="+", type=int, help="change these lines only")
    parser.add_argument("--tests", nargs="+", help="files or tests, in place of those that name it")
    asked = parser.parse_args()
    parts = asked.module.removesuffix(".py").split("/")
    module = ".".join(parts if parts[0] == "workflow" else ["regrade", *parts])
    text = _path(module).read_text(encoding="utf-8")
    for library in LIBRARIES:
        importlib.import_module(library)
    threadpool_limits(1)  # threads do not outlive a fork
    tests = asked.tests or tests_of(module)
    if not tests:
        sys.exit(f"no test in tests/unit names {module}")
    drawn = mutants(text, asked.most, asked.lines)
    if not drawn:
        sys.exit(f"there is nothing to change in {module}")
    found = defaultdict(list)

    def hear(outcome: str, which) -> None:
        if outcome == "fails":
            sys.exit(f"a test of {module} fails without a change: {which}")
        if outcome == "survives":
            _show(asked.module, text, *drawn[which])
        found[outcome].append(which)

    _, ran = forked(lambda tell: _session(module, text, drawn, tests, tell), LONGEST, hear)
    if not ran:
        sys.exit(f"without a change, the tests of {module} do not run: {' '.join(tests)}")
    (seconds,) = found["tests"]
    sound = False
    for which in found["imported"]:
        if _imported(plain(module, drawn[which][1]), seconds):
            hear("survives", which)
        elif not (sound := sound or _imported(plain(module, text), seconds)):
            sys.exit(f"without a change, some fail in another order: {' '.join(seconds)}")
    noticed = len(drawn) - len(found["survives"])
    print(f"{asked.module}: {noticed} of {len(drawn)} noticed, {noticed / len(drawn):.0%}")


def _show(name: str, text: str, line: int, mutant: str) -> None:
    was, now = (all_.splitlines()[line - 1].strip() for all_ in (text, mutant))
    print(f"{name}:{line}\n  - {was}\n  + {now}", flush=True)


def _session(
    module: str, text: str, drawn: list[tuple[int, str]], tests: list[str], tell: TextIO
) -> bool:
    """Run a module's tests, and try mutants in its place, in this process."""
    texts = plain(module, text)
    statements = _Statements(module, texts[module])
    builtins.__runs__ = lambda line: statements.now.add(line)
    functools.cache = statements.cache
    functools.lru_cache = statements.sized_cache
    changed = [(line, _without_kernels(mutant)) for line, mutant in drawn]
    plugin = _InPlace(statements, changed, tell)
    return _run(texts, {module: statements.code}, tests, plugin)


def _imported(texts: dict[str, str], seconds: dict[str, float]) -> bool:
    """Whether tests pass, the quickest first, in a process that imports these texts."""
    files = dict.fromkeys(test.partition("::")[0] for test in seconds)
    run = functools.partial(_run, texts, {}, [*files], _Only(seconds))
    return forked(lambda _: run(), _limit(seconds.values()) + 30)[1]


if __name__ == "__main__":
    main()
