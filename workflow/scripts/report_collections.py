"""One page over the answers of several collections."""

from regrade.show.collections_page import read_collections, render_collections
from regrade.tables import atomic_path
from regrade.workflow.job import job

with job(snakemake):
    rows = read_collections(snakemake.params.collections, snakemake.input.answers)
    page = render_collections(rows, snakemake.input.template)
    with atomic_path(snakemake.output[0]) as temporary:
        temporary.write_text(page, encoding="utf-8")
