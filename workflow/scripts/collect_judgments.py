"""Read crowd judgments into a table."""

from job import job, parameters

from regrade.readers.judgments import read_judgments
from regrade.tables import write_table

with job(snakemake) as log:
    judgments = read_judgments(
        snakemake.input[0],
        levels=snakemake.params.levels,
        topics=snakemake.params.topics,
        format=snakemake.params.format,
        scale=snakemake.params.scale,
        where=snakemake.params.where,
        unit=snakemake.params.unit,
    )
    log.info("read %d judgments", judgments.num_rows)
    write_table(judgments, snakemake.output[0], "judgments", parameters(snakemake))
