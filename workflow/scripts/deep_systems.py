"""The deeply judged systems, and facts of the collection."""

from job import job, parameters

from regrade.audit import audit_judged
from regrade.pools.pooling import collection_facts, deeply_judged
from regrade.ranked import Judged, RankedLists
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    params, made_by = snakemake.params, parameters(snakemake)
    runs = read_table(snakemake.input.runs, "runs")
    qrels = read_table(snakemake.input.qrels, "qrels")
    # not from the audit's table, which changes with every other set of the collection
    audit = audit_judged(runs, {params.qrels: qrels})
    systems = deeply_judged(audit, params.depth)
    log.info("%d of %d systems are deeply judged", systems["deeply_judged"].sum(), len(systems))
    write_table(systems, snakemake.output.systems, "pools/deeply_judged", made_by)
    judged = Judged.from_table(qrels, RankedLists.from_table(runs))
    facts = collection_facts(audit, judged, depth=params.depth)
    write_table(facts, snakemake.output.facts, "pools/collection", made_by)
