"""How many of the thesis's printed numbers come out."""

from job import job

from regrade.show.beside import read_tidy, write_csv, write_markdown
from regrade.studies.yang2019.tables import readable_reproduced, reproduced

with job(snakemake):
    named = zip(snakemake.params.shown, snakemake.input, strict=True)
    table = reproduced({item: read_tidy(path) for item, path in named})
    write_csv(table, snakemake.output.csv)
    title = "Published beside ours: how many printed numbers come out to the last digit"
    write_markdown(readable_reproduced(table), snakemake.output.md, title, "")
