"""Read preferences into a table."""

from collections import Counter

from job import job, parameters

from regrade.readers.panel import read_panel
from regrade.readers.preferences import read_preferences
from regrade.scales import Scale
from regrade.tables import write_table

with job(snakemake) as log:
    params, left_out = snakemake.params, Counter()
    options = {"scale": Scale.of(params.scale), "topics": params.topics, "left_out": left_out}
    options |= params.reading
    if params.workers:
        files = dict(zip(params.workers, snakemake.input, strict=True))
        preferences = read_panel(read_preferences, files, **options)
    else:
        preferences = read_preferences(snakemake.input[0], **options)
    log.info("read %d preferences", preferences.num_rows)
    for reason, count in left_out.items():
        log.warning("left out %d: %s", count, reason)
    made_by = {**parameters(snakemake), "left_out": dict(left_out)}
    write_table(preferences, snakemake.output[0], "preferences", made_by)
