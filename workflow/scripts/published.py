"""How many of a study's printed numbers come out."""

from regrade.show.published import (
    read_tidy,
    readable_reproduced,
    reproduced,
    write_markdown,
)
from regrade.tables import write_csv
from regrade.workflow.job import job

with job(snakemake):
    named = zip(snakemake.params.decimals, snakemake.input, strict=True)
    table = reproduced({item: read_tidy(path) for item, path in named}, snakemake.params.decimals)
    write_csv(table, snakemake.output.csv)
    title = "Published beside ours: how many printed numbers come out to the last digit"
    notes = snakemake.params.notes
    write_markdown(readable_reproduced(table), snakemake.output.md, title, notes)
