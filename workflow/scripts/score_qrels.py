"""Score every run under one qrels, and by measures of several under these too."""

from collections import Counter

from regrade.codes import CodedQrels, CodedRuns, read_chunks
from regrade.scoring import concat, score
from regrade.tables import write_table
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake) as log:
    inputs, params = snakemake.input, snakemake.params
    for measure, reason in params.left_out.items():
        log.warning("left out: %s %s", measure, reason)
    coded, further = CodedRuns(inputs.runs), dict(params.max_grades)
    files = zip(further, inputs.others, strict=True)
    sets = {name: CodedQrels(path, coded) for name, path in files}
    missing, parts = Counter(), []
    for ranked, judged in read_chunks(inputs.runs, inputs.qrels, max_bytes=chunk_bytes(snakemake)):
        others = {name: qrels.judged(ranked) for name, qrels in sets.items()}
        missing.update({name: judged.missing_in(other) for name, other in others.items()})
        scales = {"max_grade": params.max_grade, "max_grades": further}
        parts.append(score(ranked, judged, params.measures, **scales, others=others))
    for name, count in missing.items():
        log.info("%d retrieved documents have no grade in %s, and count as 0 there", count, name)
    scores = concat(parts)
    write_table(scores.to_table(), snakemake.output[0], "scores", parameters(snakemake))
