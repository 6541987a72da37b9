"""What the report's explorer of a sweep needs: what each combination of entries concludes."""

from pathlib import Path

from regrade.sweeps.explorer_page import READ, packed_sweep
from regrade.sweeps.jobs import read_design
from regrade.sweeps.store import Store
from regrade.tables import atomic_path, read_table
from regrade.workflow.job import job, request_of

with job(snakemake) as log:
    inputs, params = snakemake.input, snakemake.params
    sweep = read_design(inputs, request_of(snakemake))
    store = Store(Path(snakemake.output[0]).parent, params.code_of_parts)
    tables = {
        name: read_table(inputs[name], f"sweeps/{name}", columns=columns).to_pandas()
        for name, columns in READ.items()
    }
    text = packed_sweep(params.name, sweep, tables, store)
    log.info("%d bytes", len(text))
    with atomic_path(snakemake.output[0]) as temporary:
        temporary.write_text(text, encoding="utf-8")
