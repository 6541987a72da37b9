"""What the import found: ties, contradictions, unjudged documents, judgments per document."""

from job import chunk_bytes, job, parameters

from regrade.audit import (
    audit_judged,
    audit_judgments,
    audit_runs,
    check_topics,
    join_audits,
    readable_summary,
    summarise,
)
from regrade.codes import CodedQrels, CodedRuns
from regrade.show.beside import write_csv, write_markdown
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    params, made_by = snakemake.params, parameters(snakemake)
    qrels = {
        name: read_table(path, "qrels")
        for name, path in zip(params.qrels, snakemake.input.qrels, strict=True)
    }
    judgments = {
        name: read_table(path, "judgments")
        for name, path in zip(params.judgments, snakemake.input.judgments, strict=True)
    }
    runs = CodedRuns(snakemake.input.runs) if snakemake.input.runs else None
    for warning in check_topics(runs.topics if runs else None, qrels, judgments):
        log.warning("warning: %s", warning)
    found = {"judgments_audit": audit_judgments(judgments)}
    if runs is not None:
        coded = {
            name: CodedQrels(path, runs)
            for name, path in zip(params.qrels, snakemake.input.judged, strict=True)
        }
        precision, parts = params.score_precision, []
        for chunk in runs.chunks(max_bytes=chunk_bytes(snakemake)):
            ranked = runs.ranked(chunk, scores=True, submitted_ranks=True)
            judged = {name: labels.judged(ranked) for name, labels in coded.items()}
            ties = audit_runs(ranked, score_precision=precision, longest=runs.longest)
            parts.append((ties, audit_judged(ranked, judged)))
        found["runs_audit"], found["judged_audit"] = map(join_audits, zip(*parts, strict=True))
        write_table(found["runs_audit"], snakemake.output.runs, "audit/runs", made_by)
        write_table(found["judged_audit"], snakemake.output.judged, "audit/judged", made_by)
    write_table(found["judgments_audit"], snakemake.output.judgments, "audit/judgments", made_by)
    summary = summarise(**found, qrels_by_name=qrels, judgments_by_name=judgments)
    write_table(summary, snakemake.output.summary, "audit/summary", made_by)
    write_csv(summary.to_pandas(), snakemake.output.csv)
    write_markdown(
        readable_summary(summary), snakemake.output.md, "What the import found", params.notes
    )
