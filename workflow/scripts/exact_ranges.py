"""The exact range of every ranking's scores over what its unjudged documents may be."""

from regrade.answers.unjudged import answered
from regrade.codes import read_chunks
from regrade.scoring import concat
from regrade.tables import write_tables
from regrade.uncertainty.pairs import least_differences, pair_table
from regrade.uncertainty.ranges import exact_ranges, system_ranges
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake):
    given, params, made_by = snakemake.input, snakemake.params, parameters(snakemake)
    measures, levels = [*params.measures, params.residual], params.levels
    parts, least = [], None
    for ranked, judged in read_chunks(given.runs, given.qrels, max_bytes=chunk_bytes(snakemake)):
        parts.append(exact_ranges(ranked, judged, measures, levels=levels))
        least = least_differences(ranked, judged, parts[-1], levels, least)
    ranges = concat(parts)
    table = ranges.to_frame()
    made = {
        "ranges": table,
        "systems": system_ranges(table, params.residual),
        "pairs": pair_table(ranges.systems, ranges.measures, least, len(ranges.topics)),
    }
    write_tables(made | answered(made), snakemake.output, "ranges", made_by)
