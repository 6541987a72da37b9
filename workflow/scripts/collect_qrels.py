"""Read labels into a table."""

from collections import Counter

from regrade.readers.labels import made_binary, read_qrels
from regrade.readers.mixed import mixed_in
from regrade.scales import Scale
from regrade.tables import write_table
from regrade.wording import rows_said
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    params, left_out = snakemake.params, Counter()
    qrels = read_qrels(
        snakemake.input[0],
        scale=Scale.of(params.scale),
        topics=params.topics,
        left_out=left_out,
        **params.reading,
    )
    if params.relevant_from is not None:
        qrels = made_binary(qrels, params.relevant_from)
    log.info("read %d judged documents", qrels.num_rows)
    for reason, count in left_out.items():
        log.warning("%s", rows_said(count, reason))
    mixed = mixed_in(snakemake.input[0], "qrels", params.reading)
    made_by = {**parameters(snakemake), "left_out": dict(left_out), "mixed": mixed}
    write_table(qrels, snakemake.output[0], "qrels", made_by)
