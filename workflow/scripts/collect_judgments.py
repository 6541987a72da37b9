"""Read judgments into a table."""

from collections import Counter

from job import job, parameters

from regrade.readers.judgments import read_judgments
from regrade.readers.panel import read_panel
from regrade.scales import Scale
from regrade.tables import write_table

with job(snakemake) as log:
    params, left_out = snakemake.params, Counter()
    options = {"scale": Scale.of(params.scale), "topics": params.topics, "left_out": left_out}
    options |= params.reading
    if params.workers:
        files = dict(zip(params.workers, snakemake.input, strict=True))
        judgments = read_panel(read_judgments, files, **options)
    else:
        judgments = read_judgments(snakemake.input[0], **options)
    log.info("read %d judgments", judgments.num_rows)
    for reason, count in left_out.items():
        log.warning("left out %d: %s", count, reason)
    made_by = {**parameters(snakemake), "left_out": dict(left_out)}
    write_table(judgments, snakemake.output[0], "judgments", made_by)
