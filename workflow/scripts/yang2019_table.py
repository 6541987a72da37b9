"""A table of yang2019, beside the thesis's numbers."""

import pandas as pd
from job import job

from regrade.readers.groups import read_groups
from regrade.show.beside import read_published, write_csv, write_markdown
from regrade.studies.yang2019.tables import LAYOUTS, assemble
from regrade.tables import read_table

with job(snakemake):
    params, given = snakemake.params, snakemake.input
    tables = {
        name: pd.concat([read_table(path, schema).to_pandas() for path in given[name]])
        for name, schema in params.shown.items()
    }
    if given.get("groups"):
        tables["groups"] = read_groups(given.groups)
    published = read_published(given.published) if given.get("published") else None
    tidy, readable = assemble(params.item, tables, published, params.collection, **params.options)
    write_csv(tidy, snakemake.output.csv)
    write_markdown(readable, snakemake.output.md, LAYOUTS[params.item].title, params.notes)
