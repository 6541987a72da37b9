"""regrade: would the evaluation have come out differently?

What a notebook needs is named in `__init__.pyi`, and loaded when it is first asked for. Below it
a library of pure functions over arrays and tables: readers and tables at the bottom, measures and
agreement on them, the studies' methods on those, figures on top. It knows nothing of Snakemake, of
the configuration or of where files lie.

Beside the packages stand plain data (`errors`, `wording`: what messages, sentences and figures say
alike, `argument_checks`: what arguments may be, `extras`: which packages are not always there,
`choices`, `intervals`: the register of all that are given, `scales`, `measures`); `label_sets`
(a table and its scale) and `shared_labels` (documents that several label); `tables`,
`joined` (tables of several collections, or of items of a grid, as one), `blocks` (tables too long
to be held), `provenance` and `table_files` (what files say of themselves, written and read),
`conversions` (arrays of Arrow and of numpy), `randomness` (a seed for each cell); rules that exist
once (`ordering` of tied documents, `kendall`: rankings of systems, `correlations`, `agreement`,
`aggregation`, `formulas` of measures, `percentiles`, `drawn_intervals`, `sample_means`,
`variance_shares`, `cholesky`: factors within kernels, `resources`: what a process takes); the way
of rankings into arrays (`run_import`, `run_arrays`, `codes`: files that jobs map into memory,
`user_models`, `scoring`); `packing` (arrays in a page); `progress`: how far work is; `compiled`,
which loads numba when a kernel is called, `kernel_cache`, where machine code of kernels is kept,
`kernels`, which compiles all of them in advance, and `lazy`, which loads names when they are asked
for, `subjects`, which finds what stands in their folders, and `writers`: labels and tables as files
that others read.
"""

from regrade.lazy import attach_stub

__version__ = "0.1.0"

__getattr__, __all__ = attach_stub(__name__, __file__)


def __dir__() -> list[str]:
    """What is given here."""
    return sorted([*__all__, "__version__"])
