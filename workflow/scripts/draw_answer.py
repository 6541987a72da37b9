"""The figure beneath an answer."""

from job import job

from regrade.show import answered
from regrade.show.style import save
from regrade.tables import read_table

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    tables = [
        read_table(path, key).to_pandas() for key, path in zip(params.tables, given, strict=True)
    ]
    draw = getattr(answered, params.function)
    save(draw(*tables, **params.settings, notes=params.notes), *snakemake.output)
