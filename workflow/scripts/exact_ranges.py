"""The exact range of every ranking's scores over what its unjudged documents may be."""

from job import chunk_bytes, job, parameters

from regrade.codes import read_chunks
from regrade.scoring import joined
from regrade.tables import write_table
from regrade.uncertainty.ranges import exact_ranges, system_ranges

with job(snakemake):
    given, params, made_by = snakemake.input, snakemake.params, parameters(snakemake)
    measures = [*params.measures, params.residual]
    ranges = joined(
        exact_ranges(ranked, judged, measures, levels=params.levels)
        for ranked, judged in read_chunks(given.runs, given.qrels, max_bytes=chunk_bytes(snakemake))
    )
    table = ranges.to_frame()
    write_table(table, snakemake.output.ranges, "ranges/ranges", made_by)
    systems = system_ranges(table, params.residual)
    write_table(systems, snakemake.output.systems, "ranges/systems", made_by)
