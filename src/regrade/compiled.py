"""`njit`, as numba's, that loads numba when a kernel is first called.

Most commands end before they call one, or call none: numba and what it asks for take longer to
load than they work.  Where machine code is kept is told in `regrade.kernel_cache`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property, update_wrapper

import numpy as np

PLAIN = 1 << 15
"""Elements up to which a kernel that may do so works as Python: faster than numba is loaded."""

VECTORISED = 1 << 20
"""Elements up to which a function of numpy works in place of a kernel, as long as that one."""


class Kernel:
    """A function that is compiled when it is first called, or asked for what numba knows of it.

    To numba it is the dispatcher that it stands for, so that kernels call kernels.

    Attributes
    ----------
    is_part
        It is compiled as a part of the kernels that call it; Python runs it as Python.
    """

    def __init__(
        self, function: Callable, plain: bool | Callable, most: int, small: bool, options: dict
    ) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.plain = function if plain is True else plain
        self._most = PLAIN if plain is True else most
        self._small = small
        self._options = options
        self.is_part = options.get("inline") == "always" or not options.get("cache", True)

    def __call__(self, *arguments: object) -> object:
        """Run it, compiled or not."""
        if self.is_part:
            return self.py_func(*arguments)
        if self.plain and "numba" not in sys.modules and arguments[0].size <= self._most:
            return self.plain(*arguments)
        if self._small:
            arguments = [
                np.require(each, requirements="CW") if isinstance(each, np.ndarray) else each
                for each in arguments
            ]
        return self.dispatcher(*arguments)

    @cached_property
    def dispatcher(self) -> Callable:
        """Numba's own of the function."""
        from regrade.kernel_cache import dispatcher

        return dispatcher(self.py_func, **self._options)

    def __getattr__(self, name: str) -> object:
        """What numba's own has under a name."""
        if name.startswith("__"):  # whatever looks at objects does not load numba
            raise AttributeError(name)
        return getattr(self.dispatcher, name)


def njit(
    *,
    plain: bool | Callable = False,
    most: int = VECTORISED,
    small: bool = False,
    **options: object,
) -> Callable[[Callable], Kernel]:
    """A decorator for kernels.

    Parameters
    ----------
    plain
        The function does the same as Python does, and little for each element of its first
        argument: with few of these, numba is not loaded for it.  Or a function of numpy that gives
        the same to the last bit: so for more of these, `most`.
    small
        Its arrays are small and only read: they are copied where they are not in C's order or
        cannot be written, for each layout would be compiled by itself.
    **options
        Those of `numba.njit`; with ``cache=False`` it is for kernels to call, of few modules, each
        of which compiles it anew.
    """
    return lambda function: Kernel(function, plain, most, small, options)
