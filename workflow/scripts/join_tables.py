"""A table of several collections, or of all items of a grid, as one that says of which rows are."""

from regrade.joined import join_tables
from regrade.workflow.job import job, request_of

with job(snakemake) as log:
    request, made = request_of(snakemake), snakemake.output
    own = request.table, made.table, request.get("about")
    rows = join_tables(snakemake.input, request.labels, *own, made.get("csv"))
    log.info("%s: %d rows of %d tables", request.table, rows, len(snakemake.input))
