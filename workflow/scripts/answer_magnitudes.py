"""What magnitudes are worth as gains, in sentences and in what these are made of."""

from job import job, parameters

from regrade.answers.magnitudes import answered
from regrade.tables import read_table, write_tables

with job(snakemake):
    tables = {
        name: read_table(path, f"magnitudes/{name}").to_pandas()
        for name, path in snakemake.input.items()
    }
    made = answered(tables, snakemake.params.shift)
    write_tables(made, snakemake.output, "magnitudes", parameters(snakemake))
