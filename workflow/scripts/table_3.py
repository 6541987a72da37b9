"""Experts against experts, beside the paper's numbers."""

from job import job

from regrade.show.beside import read_published, write_csv, write_markdown
from regrade.studies.han2019.tables import table_3
from regrade.tables import read_table

with job(snakemake):
    published = snakemake.input.get("published")
    tidy, readable = table_3(
        read_table(snakemake.input.cuts[0], "cuts/expert_cuts").to_pandas(),
        read_published(published) if published else None,
    )
    write_csv(tidy, snakemake.output.csv)
    title = "Table 3. α between experts' labels, cut into two levels, and other experts'"
    write_markdown(readable, snakemake.output.md, title, snakemake.params.notes)
