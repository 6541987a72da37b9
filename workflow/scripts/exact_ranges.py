"""The exact range of every ranking's scores over what its unjudged documents may be."""

from job import job, parameters

from regrade.ranges import exact_ranges
from regrade.ranked import Judged, RankedLists
from regrade.tables import read_table, write_table

with job(snakemake):
    params = snakemake.params
    ranked = RankedLists.from_table(read_table(snakemake.input.runs, "runs"))
    judged = Judged.from_table(read_table(snakemake.input.qrels, "qrels"), ranked)
    ranges = exact_ranges(
        ranked,
        judged,
        [*params.measures, params.residual],
        levels=range(params.levels),
        outside=params.outside,
    )
    write_table(ranges.to_table(), snakemake.output[0], "ranges", parameters(snakemake))
