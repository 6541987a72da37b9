"""The deeply judged systems, and facts of the collection."""

import pyarrow.compute as pc
from job import job, parameters

from regrade.pooling import collection_facts, deeply_judged
from regrade.ranked import Judged, RankedLists
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    params, made_by = snakemake.params, parameters(snakemake)
    audit = read_table(snakemake.input.audit, "audit_judged")
    audit = audit.filter(pc.equal(audit["qrels"].cast("string"), params.qrels))
    systems = deeply_judged(audit, params.depth)
    log.info("%d of %d systems are deeply judged", systems["deeply_judged"].sum(), len(systems))
    write_table(systems, snakemake.output.systems, "deeply_judged", made_by)
    ranked = RankedLists.from_table(read_table(snakemake.input.runs, "runs"))
    judged = Judged.from_table(read_table(snakemake.input.qrels, "qrels"), ranked)
    facts = collection_facts(audit, judged, depth=params.depth)
    write_table(facts, snakemake.output.facts, "collection_facts", made_by)
