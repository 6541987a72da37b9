"""A table of all items of a grid as one, with the parameters as columns."""

from regrade.joined import join_tables
from regrade.workflow.job import asked, job

with job(snakemake) as log:
    told, made = asked(snakemake), snakemake.output
    about = {"grid": told.grid}
    rows = join_tables(snakemake.input, told.labels, told.table, made.table, about, made.csv)
    log.info("%s: %d rows of %d items", told.table, rows, len(snakemake.input))
