"""The consensus of several judges as a set of labels, and what it rests on."""

from regrade.label_consensus.sets import SetConsensus, on_unit_range
from regrade.scales import Scale
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    params, how, tables = snakemake.params, snakemake.params.how, {}
    for (name, scale), path in zip(params.judges.items(), snakemake.input.judges, strict=True):
        one = read_table(path, params.kind)
        rescaled = how["rescale"] == "range"
        tables[name] = on_unit_range(one, Scale.of(scale)) if rescaled else one
    reference = None
    if snakemake.input.reference:
        reference = how["reference"], read_table(snakemake.input.reference[0], "qrels")
    consensus = SetConsensus.of(tables, how["by"], reference)
    made_by = parameters(snakemake)
    write_table(consensus.labels(tables), snakemake.output.labels, "qrels", made_by)
    for name, frame in consensus.frames().items():
        write_table(frame, snakemake.output[name], f"consensus/{name}", made_by)
    for line in consensus.answer.lines():
        log.info("%s", line)
