"""α of every cut by each method, and the best cuts, of chunks of topics that were searched."""

from regrade.cutsearch.parts import WRITTEN, MergedSearch, read_part
from regrade.workflow.job import asked, job, parameters

with job(snakemake) as log:
    made, params = snakemake.output, asked(snakemake)
    made_by = parameters(snakemake)
    parts = list(snakemake.input.parts)  # those of one search after those of another
    chunks = len(parts) // len(params.searches)
    for number, item in enumerate(params.searches):
        log.info("search: %s %s", item["method"], item["label"] or "")
        of_search = map(read_part, parts[number * chunks : (number + 1) * chunks])
        merged = MergedSearch.of(list(of_search), required=params.named is not None)
        about = made_by | {"search": item, "thresholds": merged.grid or "all"}
        paths = {table: made[table][number] for table in WRITTEN}
        merged.write(paths, item["label"], about)
