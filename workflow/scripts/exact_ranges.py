"""The exact range of every ranking's scores over what its unjudged documents may be."""

from job import job, parameters

from regrade.codes import read_coded
from regrade.tables import write_table
from regrade.uncertainty.ranges import exact_ranges, system_ranges

with job(snakemake):
    params = snakemake.params
    ranked, judged = read_coded(snakemake.input.runs, snakemake.input.qrels)
    ranges = exact_ranges(
        ranked,
        judged,
        [*params.measures, params.residual],
        levels=params.levels,
        outside=params.outside,
    )
    table, made_by = ranges.to_frame(), parameters(snakemake)
    write_table(table, snakemake.output.ranges, "ranges/ranges", made_by)
    systems = system_ranges(table, params.residual)
    write_table(systems, snakemake.output.systems, "ranges/systems", made_by)
