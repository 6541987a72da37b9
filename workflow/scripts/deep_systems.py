"""The deeply judged systems, and facts of the collection."""

from job import job, parameters

from regrade.audit import audit_judged
from regrade.codes import read_coded
from regrade.pools.pooling import collection_facts, deeply_judged
from regrade.tables import write_table

with job(snakemake) as log:
    params, made_by = snakemake.params, parameters(snakemake)
    ranked, judged = read_coded(snakemake.input.runs, snakemake.input.qrels)
    # not from the audit's table, which changes with every other set of the collection
    audit = audit_judged(ranked, {params.qrels: judged})
    systems = deeply_judged(audit, params.depth)
    log.info("%d of %d systems are deeply judged", systems["deeply_judged"].sum(), len(systems))
    write_table(systems, snakemake.output.systems, "pools/deeply_judged", made_by)
    facts = collection_facts(audit, judged, depth=params.depth)
    write_table(facts, snakemake.output.facts, "pools/collection", made_by)
