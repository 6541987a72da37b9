"""The transformations and their methods."""

from job import job

from regrade.show.beside import write_csv, write_markdown
from regrade.studies.han2019.tables import table_2

with job(snakemake):
    table = table_2(snakemake.params.searches)
    write_csv(table, snakemake.output.csv)
    title = "Table 2. Transformations and methods"
    write_markdown(table, snakemake.output.md, title, snakemake.params.notes)
