"""regrade: would the evaluation have come out differently?

What a notebook needs is here and loaded when it is first asked for (`regrade.api`): `read_runs`,
`read_qrels`, `read_judgments`, `score`, `rank`, `compare_systems`, `gate`, `topics`, `compare`,
`judges`, `favour`, `replace`, `panel`, `consensus`, `meta_analysis`, `find_cuts`, `cut_at`,
`calibrate`, `ties`, `unjudged`, `pool`, `pool_depths`, `leave_one_out`, `pairs`, `pdp`, `workers`,
`magnitude_gains`, `fit_scores`,
`next_pairs`, `assign`, `estimate`, `sweep`, `look`, `read_long`, `read_scores`. Below it a library
of pure functions over arrays and tables: readers and tables at the bottom, measures and agreement
on them, the studies' methods on those, figures on top. It knows nothing of Snakemake, of the
configuration or of where files lie.

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
for, and `writers`: labels and tables as files that others read.
"""

from regrade.lazy import attach

__version__ = "0.1.0"

__getattr__, __all__ = attach(
    __name__,
    {
        "api.comparison": ["compare"],
        "api.consensus": ["consensus"],
        "api.cuts": ["find_cuts"],
        "api.favours": ["favour"],
        "api.gate": ["gate"],
        "api.given_cuts": ["cut_at"],
        "api.estimates": ["assign", "estimate", "read_sample"],
        "api.item_scores": ["read_scores"],
        "api.judges": ["calibrate", "judges"],
        "api.judgments": ["magnitude_gains", "workers"],
        "api.look": ["look"],
        "api.panels": ["panel"],
        "api.meta_analysis": ["meta_analysis"],
        "api.pairs": ["fit_scores", "next_pairs", "pairs", "pdp", "read_preferences"],
        "api.pools": ["leave_one_out", "pool", "pool_depths"],
        "api.ranking": ["rank", "ties", "unjudged"],
        "api.replacement": ["replace"],
        "api.scores": ["score"],
        "api.sets": ["read_judgments", "read_qrels", "read_runs"],
        "api.sweeps": ["sweep"],
        "api.systems": ["compare_systems", "topics"],
        "errors": ["RegradeError"],
        "table_files": ["read_long"],
    },
)


def __dir__() -> list[str]:
    """What is given here."""
    return sorted([*__all__, "__version__"])
