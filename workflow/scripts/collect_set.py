"""Read labels, judgments or preferences into a table."""

from collections import Counter

from regrade.readers.labels import made_binary, read_judgments, read_qrels
from regrade.readers.mixed import mixed_in
from regrade.readers.preferences import read_preferences
from regrade.readers.rows import read_panel
from regrade.scales import Scale
from regrade.tables import write_table
from regrade.wording import rows_text
from regrade.workflow.job import job, parameters

READERS = {"qrels": read_qrels, "judgments": read_judgments, "preferences": read_preferences}

with job(snakemake) as log:
    params, left_out = snakemake.params, Counter()
    kind, read = params.kind, READERS[params.kind]
    options = {"scale": Scale.of(params.scale), "topics": params.topics, "left_out": left_out}
    options |= params.reading
    if params.workers:
        files = dict(zip(params.workers, snakemake.input, strict=True))
        table = read_panel(read, files, **options)
    else:
        table = read(snakemake.input[0], **options)
    if params.relevant_from is not None:
        table = made_binary(table, params.relevant_from)
    log.info("read %d %s", table.num_rows, "judged documents" if kind == "qrels" else kind)
    for reason, count in left_out.items():
        log.warning("%s", rows_text(count, reason))
    mixed = mixed_in(snakemake.input[0], kind, params.reading)
    made_by = {**parameters(snakemake), "left_out": dict(left_out), "mixed": mixed}
    write_table(table, snakemake.output[0], kind, made_by)
