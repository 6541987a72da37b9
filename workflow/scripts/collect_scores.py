"""Read scores of systems by item into a table."""

import pyarrow as pa
import pyarrow.compute as pc

from regrade.api.item_scores import read_scores
from regrade.errors import InputError
from regrade.tables import write_table
from regrade.wording import counted, rows_text
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    files, reading = list(snakemake.input), snakemake.params.reading
    scores = read_scores(files[0] if len(files) == 1 else files, **reading)
    table, topics = scores.table, snakemake.params.topics
    if topics is not None:
        table = table.filter(pc.is_in(table["topic"].cast(pa.string()), pa.array(topics)))
        if not len(table):
            raise InputError(files[0], [], "None of the collection's `topics` is an item of it.")
    log.info("read %s of %s", counted(len(table), "score"), counted(len(scores.systems), "system"))
    for reason, count in scores.left_out.items():
        log.warning("%s", rows_text(count, reason))
    noted = {"left_out": dict(scores.left_out), "reading": list(scores.reading)}
    write_table(table, snakemake.output[0], "item-scores", parameters(snakemake) | noted)
