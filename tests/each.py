"""One test of many cases of one branch, where a test each would take longer than what it tests."""

from collections.abc import Callable, Iterable, Sequence

import pytest


def each(cases: Iterable) -> Callable:
    """A test that checks every case, and says which one fails."""
    cases = [case if isinstance(case, tuple) else (case,) for case in cases]

    def of(check: Callable) -> Callable:
        def test() -> None:
            for case in cases:
                try:
                    check(*case)
                except BaseException as error:
                    error.add_note(f"case: {', '.join(map(str, case))}")
                    raise

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return of


def others_slow(cases: Sequence, first: int = 1) -> list:
    """Cases of one branch, of which all but the first leave `make test` to `make test-slow`."""
    return [*cases[:first], *(pytest.param(case, marks=pytest.mark.slow) for case in cases[first:])]
