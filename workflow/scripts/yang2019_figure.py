"""A figure of yang2019."""

import pandas as pd
from job import job

from regrade.show.style import save
from regrade.studies.yang2019.figures import draw
from regrade.tables import read_table

with job(snakemake):
    params = snakemake.params
    tables = {
        name: pd.concat([read_table(path, schema).to_pandas() for path in snakemake.input[name]])
        for name, schema in params.shown.items()
    }
    for name, table in tables.items():
        for column, values in params.rows.items():
            if column in table:
                tables[name] = table = table[table[column].isin(values)]
    save(draw(params.item, tables, params.notes, **params.options), *snakemake.output)
