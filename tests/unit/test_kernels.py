"""Kernels compiled in advance: that none is forgotten, and that what is recorded still fits."""

import inspect
import re
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from numba import typeof, types

import regrade
from regrade.kernels import (
    cached,
    compile_calls,
    fits,
    kernels,
    main,
    modules,
    record,
    recorded,
    types_of,
    written,
)

LIBRARY = Path(regrade.__file__).parent
CALLS = recorded()
RECORD = "run what calls it, then `python -m regrade.kernels --record` (docs/development.md)"


@pytest.fixture(scope="module")
def known():
    """Every kernel of the library, by module and name."""
    return {
        (module, name): kernel for module in modules() for name, kernel in kernels(module).items()
    }


def test_every_kernel_is_found(known):
    sources = [path.read_text(encoding="utf-8") for path in LIBRARY.rglob("*.py")]
    parts = sum(
        len(re.findall(r'@njit\(.*(?:inline="always"|cache=False)', text)) for text in sources
    )
    assert 100 < len(known) == sum(source.count("@njit(") for source in sources) - parts <= 150
    plain = [source for source in sources if not re.search(r"def njit\(|numba\.njit\(", source)]
    assert not [source for source in plain if source.count("njit(") > source.count("@njit(")]
    assert not [source for source in plain if "from numba import njit" in source]


def test_every_kernel_keeps_what_is_compiled(known):
    for (module, name), kernel in known.items():
        assert kernel._cache.cache_path, f"{module}.{name}: give njit cache=True"


def test_every_kernel_is_recorded(known):
    missing = known.keys() - {call[:2] for call in CALLS}
    assert not missing, f"{sorted(missing)}: {RECORD}"


def test_what_is_recorded_fits(known):
    for module, name, text in CALLS:
        assert (module, name) in known, f"{module}.{name} is no kernel: {RECORD}"
        parameters = inspect.signature(known[module, name].py_func).parameters
        assert len(types_of(text)) == len(parameters), f"{module}.{name}: {RECORD}"


def test_nothing_is_recorded_twice():
    assert len(set(CALLS)) == len(CALLS)


def test_kernels_have_one_signature():
    several = [name for name, n in Counter(call[:2] for call in CALLS).items() if n > 1]
    assert not several, "make arrays of one layout and type of what is called"


def test_the_demo_calls_some_of_them(tmp_path):
    demo = recorded(demo=True)
    assert set(demo) < set(CALLS) and len(demo) > 50
    path = tmp_path / "kernels.txt"
    path.write_text("* m one (int64,)\nm two (int64, int64,)\n", encoding="utf-8")
    assert recorded(path) == [("m", "one", "(int64,)"), ("m", "two", "(int64, int64,)")]
    assert recorded(path, demo=True) == [("m", "one", "(int64,)")]


def test_what_the_demo_needs_is_compiled_alone(capsys):
    compile_calls(CALLS)
    main(["--cores", "1", "--demo"])
    demo = recorded(demo=True)
    assert capsys.readouterr().out.startswith(f"{len(demo)} kernels are ready; 0 were compiled in ")


@pytest.mark.parametrize(
    ("target", "words"), [("demo", {"--demo"}), ("environment", set()), ("test", set())]
)
def test_make_compiles_what_a_target_needs(target, words):
    done = subprocess.run(
        ["make", "--dry-run", "--always-make", target], cwd=LIBRARY.parents[1],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    (line,) = [line for line in done.stdout.splitlines() if "-m regrade.kernels" in line]
    assert set(line.split()[3:]) == words


def test_what_is_kept_becomes_the_demos(tmp_path):
    compile_calls(CALLS)
    path = tmp_path / "kernels.txt"
    path.write_text(f"{' '.join(CALLS[0])}\n", encoding="utf-8")
    assert record(path) == []
    assert recorded(path, demo=True) == []
    assert record(path, demo=True) == []
    assert set(CALLS) <= set(recorded(path, demo=True)) == set(recorded(path))
    assert record(path) == []
    assert set(CALLS) <= set(recorded(path, demo=True))


def test_what_is_compiled_in_advance_is_kept():
    compile_calls(CALLS)
    kept = {call for module in modules() for call in cached(module)}
    assert not set(CALLS) - kept


@pytest.mark.parametrize(
    "signature",
    [
        (),
        (types.int64,),
        (types.float64, types.boolean),
        (types.Array(types.float64, 2, "C", readonly=True), types.Array(types.int8, 1, "A")),
        (types.UniTuple(types.int64, 3), types.Tuple((types.int64, types.float64))),
        (types.literal(0), types.literal(False), types.Omitted(None), types.none),
        (typeof(np.random.default_rng(1)), types.unicode_type),
    ],
    ids=str,
)
def test_types_survive_being_written(signature):
    assert types_of(written(signature)) == signature


def test_compiling_again_compiles_nothing(capsys):
    compile_calls(CALLS)
    main(["--cores", "1"])
    said = capsys.readouterr().out
    assert said.startswith(f"{len(CALLS)} kernels are ready; 0 were compiled in ")


def test_modules_come_after_those_that_they_import():
    order = modules()
    assert order.index("regrade.agreement") < order.index("regrade.cutsearch.kernels")
    assert order.index("regrade.kendall") < order.index("regrade.cutsearch.system_tau")


def test_recording_keeps_what_fits_and_adds_what_is_missing(tmp_path):
    compile_calls(CALLS)
    path = tmp_path / "kernels.txt"
    first, second = CALLS[0], next(call for call in CALLS if call[:2] != CALLS[0][:2])
    given = [
        first,
        ("regrade.run_arrays", "gone", "(int64,)"),
        (*second[:2], "(int64, int64,) * 9"),
    ]
    path.write_text("".join(f"{' '.join(call)}\n" for call in given), encoding="utf-8")
    assert record(path) == []
    written_calls = recorded(path)
    assert written_calls.count(first) == 1
    assert {call[:2] for call in written_calls} == {call[:2] for call in CALLS}
    assert second in written_calls
    assert all(map(fits, written_calls))
