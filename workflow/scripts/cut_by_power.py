"""Sets of labels cut into fewer levels, evenly and where they keep the most discrimination."""

from regrade.power.inputs import PowerInputs
from regrade.power.levels import (
    Agreeing,
    CutOptions,
    cut_sets,
    cut_table,
    level_systems,
    level_table,
    searched_table,
)
from regrade.scales import Scale
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    beside = PowerInputs.of_job(dict(given.items()), params)
    search = CutOptions(
        scales={name: Scale.of(scale) for name, scale in params.scales.items()},
        grids={(name, levels): grid for name, levels, grid in params.grids},
        threads=snakemake.threads,
        **params.cuts,
    )
    searched = searched_table(*beside.all, search)
    log.info("searched: %d cuts", len(searched))
    agreeing = {}
    for asked, best, alpha in zip(params.searches, given.best_cuts, given.alpha, strict=True):
        transformation, source, levels, name = asked
        tables = (
            read_table(best, "cuts/best_cuts").to_pandas(),
            read_table(alpha, "cuts/alpha").to_pandas(),
        )
        agreeing[transformation, name] = Agreeing(source, levels, *tables)
    cuts = cut_sets(beside.sets, params.levels, searched)
    made = {
        "searched": searched,
        "cuts": cut_table(*beside.all, searched, agreeing),
        "levels": level_table(cuts, *beside.all[1:]),
    }
    if beside.systems is not None:
        made["level_systems"] = level_systems(cuts, beside.systems, snakemake.threads)
    write_tables(made, snakemake.output, "power", parameters(snakemake))
