"""Which changes of a module's operators, comparisons and constants its own tests notice.

    python -m tests.mutants evaluations/pair_outcomes [--most 100]

cosmic-ray says what to change.  Each mutant is tested by a process forked from one that has
imported what others wrote, by the tests in tests/unit that name the module; no file is changed.
Kernels run as plain Python where the module has some.  What survives is shown.
"""

import argparse
import ast
import importlib
import importlib.abc
import importlib.util
import os
import random
import re
import resource
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

CLONE = Path(__file__).parents[1]
LIBRARIES = ("hypothesis", "krippendorff", "matplotlib.figure", "numba", "numpy.testing", "pandas")
LIBRARIES += ("pyarrow.parquet", "scipy.stats", "sklearn.metrics", "statsmodels.api")
LIBRARIES += ("ir_measures", "pytrec_eval")
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

    Not of signatures but for their defaults, nor of annotations, what decorates a class, and
    ``strict``, a guard.
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
    if isinstance(node, ast.FunctionDef):
        at, defaults = (node.lineno, 0), [*node.args.defaults, *node.args.kw_defaults]
        for default in filter(None, defaults):
            yield at, (default.lineno, default.col_offset)
            at = default.end_lineno, default.end_col_offset
        yield at, (node.body[0].lineno, 0)
    elif isinstance(node, ast.ClassDef):
        yield from map(_span, node.decorator_list)
    elif isinstance(node, ast.AnnAssign):
        yield _span(node.annotation)
    elif isinstance(node, ast.keyword) and node.arg == "strict":
        yield _span(node.value)


def _span(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


class _Instead(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Gives a module another text."""

    def __init__(self, module: str, path: Path, text: str) -> None:
        self.module, self.path, self.text = module, path, text

    def find_spec(self, name, path=None, target=None):
        if name == self.module:
            return importlib.util.spec_from_file_location(name, self.path, loader=self)
        return None

    def get_source(self, name):
        return self.text

    def get_code(self, name):
        return compile(self.text, self.path, "exec")


def noticed(module: str, path: Path, text: str, tests: list[str], seconds: int) -> bool:
    """Whether the tests fail, or take longer than these seconds of processor, with this text."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        status = 1
        try:
            sys.meta_path.insert(0, _Instead(module, path, text))
            options = ["-x", "-q", "--assert=plain", "--hypothesis-seed=0", "-n0"]
            options += ["-p", "no:cacheprovider", "-p", "no:randomly"]
            status = pytest.main([*options, *tests])
        finally:
            os._exit(int(status))
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT:
        raise KeyboardInterrupt
    return status != 0


def main() -> None:
    """Test the mutants of a module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("module", help="as evaluations/pair_outcomes, in src/regrade")
    parser.add_argument("--most", type=int, help="draw this many of the mutants")
    parser.add_argument("--tests", nargs="+", help="test files, in place of those that name it")
    asked = parser.parse_args()
    path = CLONE / "src" / "regrade" / f"{asked.module.removesuffix('.py')}.py"
    module = ".".join(path.relative_to(CLONE / "src").with_suffix("").parts)
    text = path.read_text(encoding="utf-8")
    if "@njit" in text:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    for library in LIBRARIES:
        importlib.import_module(library)
    naming = (
        str(file)
        for file in sorted((CLONE / "tests" / "unit").glob("test_*.py"))
        if re.search(rf"\b{re.escape(module)}\b", file.read_text(encoding="utf-8"))
    )
    tests = asked.tests or list(naming)
    if not tests:
        sys.exit(f"no test in tests/unit names {module}")
    if noticed(module, path, text, tests, 600):
        sys.exit(f"the tests of {module} fail without a change: {' '.join(tests)}")
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    everything = list(mutants(text))
    if asked.most and asked.most < len(everything):
        everything = random.Random(0).sample(everything, asked.most)
    survived = 0
    for line, mutant in sorted(everything):
        if not noticed(module, path, mutant, tests, int(3 * took) + 10):
            survived += 1
            was, now = (all_.splitlines()[line - 1].strip() for all_ in (text, mutant))
            print(f"{asked.module}:{line}\n  - {was}\n  + {now}", flush=True)
    killed = len(everything) - survived
    print(f"{asked.module}: {killed} of {len(everything)} noticed, {killed / len(everything):.0%}")


if __name__ == "__main__":
    main()
