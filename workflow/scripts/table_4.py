"""τ_b of the system rankings under chosen cuts, beside the paper's numbers."""

from job import job

from regrade.show.beside import read_published, write_csv, write_markdown
from regrade.studies.han2019.tables import table_4
from regrade.tables import read_table

with job(snakemake):
    names = snakemake.params.transformations
    published = snakemake.input.get("published")

    def tables(key: str) -> dict:
        paths = zip(names, snakemake.input[key], strict=True)
        return {name: read_table(path, key).to_pandas() for name, path in paths}

    tidy, readable = table_4(
        names,
        tables("rankings"),
        tables("best_cuts"),
        read_published(published) if published else None,
    )
    write_csv(tidy, snakemake.output.csv)
    title = "Table 4. τ_b with the experts' ranking of systems (the paper's number in brackets)"
    write_markdown(readable, snakemake.output.md, title, snakemake.params.notes)
