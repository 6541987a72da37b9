"""The answer to one question, from the tables of its stage."""

from importlib import import_module

from job import job, parameters

from regrade.tables import read_table, write_tables

with job(snakemake):
    params = snakemake.params
    answered = import_module(f"regrade.answers.{params.question}").answered
    tables = {
        name: read_table(path, f"{params.folder}/{name}").to_pandas()
        for name, path in snakemake.input.items()
    }
    made = answered(tables, **params.told)
    write_tables(made, snakemake.output, params.folder, parameters(snakemake))
