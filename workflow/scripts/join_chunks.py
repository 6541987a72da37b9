"""α of every cut by each method, and the best cuts, of chunks of topics that were searched."""

from regrade.cutsearch.parts import WRITTEN, read_part, write_search
from regrade.workflow.job import job, parameters, request_of

with job(snakemake) as log:
    made, params = snakemake.output, request_of(snakemake)
    made_by = parameters(snakemake)
    parts = list(snakemake.input.parts)  # those of one search after those of another
    chunks = len(parts) // len(params.searches)
    for number, item in enumerate(params.searches):
        log.info("search: %s %s", item["method"], item["label"] or "")
        of_search = [read_part(path) for path in parts[number * chunks : (number + 1) * chunks]]
        paths = {table: made[table][number] for table in WRITTEN}
        about, required = made_by | {"search": item}, params.named is not None
        write_search(of_search, paths, item["label"], about, required=required)
