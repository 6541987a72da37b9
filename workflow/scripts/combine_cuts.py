"""The best cuts, those that tie with them, and ranges of near-best ones, of all methods."""

from regrade.cutsearch.best import all_cuts
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters, request_of

with job(snakemake) as log:
    for reason in request_of(snakemake).unserved.values():
        log.info("left out: %s", reason)
    parts = {
        name: [read_table(path, f"cuts/{name}").to_pandas() for path in snakemake.input[name]]
        for name in ("best_cuts", "tied_cuts", "top_cuts")
    }
    for name, table in all_cuts(parts, request_of(snakemake).unserved).items():
        write_table(table, snakemake.output[name], f"cuts/{name}", parameters(snakemake))
