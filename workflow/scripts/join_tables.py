"""A table of several collections, or of all items of a grid, as one that says of which rows are."""

from regrade.joined import join_tables
from regrade.workflow.job import asked, job

with job(snakemake) as log:
    told, made = asked(snakemake), snakemake.output
    own = told.table, made.table, told.get("about")
    rows = join_tables(snakemake.input, told.labels, *own, made.get("csv"))
    log.info("%s: %d rows of %d tables", told.table, rows, len(snakemake.input))
