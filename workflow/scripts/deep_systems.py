"""The deeply judged systems, and facts of the collection."""

from regrade.audit.rankings import audit_judged, join_audits
from regrade.codes import CodedQrels, CodedRuns
from regrade.pools.pooling import collection_facts, deeply_judged, judged_depth
from regrade.tables import write_table
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake) as log:
    params, made_by = snakemake.params, parameters(snakemake)
    runs = CodedRuns(snakemake.input.runs)
    qrels = CodedQrels(snakemake.input.qrels, runs)
    # not from the audit's table, which changes with every other set of the collection
    audit, parts = [], []
    for chunk in runs.chunks(max_bytes=chunk_bytes(snakemake)):
        ranked = runs.ranked(chunk)
        parts.append(qrels.judged(ranked))
        audit.append(audit_judged(ranked, {params.qrels: parts[-1]}))
    audit = join_audits(audit)
    depth = params.depth or judged_depth(deeply_judged(audit))
    systems = deeply_judged(audit, depth)
    found = systems["deeply_judged"].sum()
    log.info("%d of %d systems are judged to rank %d", found, len(systems), depth)
    write_table(systems, snakemake.output.systems, "pools/deeply_judged", made_by)
    facts = collection_facts(audit, parts, depth=depth)
    write_table(facts, snakemake.output.facts, "pools/collection", made_by)
