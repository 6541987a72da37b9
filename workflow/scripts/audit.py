"""What the import found: ties, contradictions, unjudged documents, values, workers, pairs."""

import pyarrow as pa

from regrade.audit.overlap import names_to_compare
from regrade.audit.rankings import audit_judged, audit_runs, join_audits
from regrade.audit.sets import (
    CollectedSet,
    audit_judgments,
    audit_preferences,
    audit_values,
    audit_workers,
)
from regrade.audit.summary import readable_summary, summarise
from regrade.audit.warnings import docnos_of, warnings_of
from regrade.codes import CodedQrels, CodedRuns
from regrade.show.published import write_markdown
from regrade.tables import read_provenance, read_table, write_csv, write_table
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake):
    params, made_by = snakemake.params, parameters(snakemake)
    sets = [
        CollectedSet.made_by(kind, name, scale, read_table(path, kind), read_provenance(path))
        for kind, scales in params.sets.items()
        for (name, scale), path in zip(scales.items(), snakemake.input[kind], strict=True)
    ]
    runs = CodedRuns(snakemake.input.runs) if snakemake.input.runs else None
    audits = {
        "judgments": audit_judgments(sets),
        "preferences": audit_preferences(sets),
        "values": audit_values(sets),
        "workers": audit_workers(sets),
    }
    if runs is not None:
        coded = {
            name: CodedQrels(path, runs)
            for name, path in zip(params.sets["qrels"], snakemake.input.judged, strict=True)
        }
        precision, parts, retrieved = params.score_precision, [], []
        docnos = docnos_of(sets)
        for chunk in runs.chunks(max_bytes=chunk_bytes(snakemake)):
            ranked = runs.ranked(chunk, scores=True, submitted_ranks=True)
            judged = {name: labels.judged(ranked) for name, labels in coded.items()}
            ties = audit_runs(ranked, score_precision=precision, longest=runs.longest)
            parts.append((ties, audit_judged(ranked, judged)))
            retrieved.append(names_to_compare(ranked.names, docnos))
        audits["runs"], audits["judged"] = map(join_audits, zip(*parts, strict=True))
    for part, table in audits.items():
        write_table(table, snakemake.output[part], f"audit/{part}", made_by)
    about = audits.get("judged"), params.topics, params.relevance
    names = None if runs is None else pa.chunked_array(retrieved, pa.string())
    warnings = warnings_of(runs and runs.topics, sets, *about, retrieved=names)
    write_table(warnings, snakemake.output.warnings, "audit/warnings", made_by)
    summary = summarise(sets, audits)
    write_table(summary, snakemake.output.summary, "audit/summary", made_by)
    write_csv(summary.to_pandas(), snakemake.output.csv)
    title = "What the import found"
    write_markdown(readable_summary(summary), snakemake.output.md, title, params.notes)
