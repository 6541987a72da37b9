"""What fewer judges of each document would have done: cost against α and τ_b."""

import pandas as pd
from job import job, parameters

from regrade.schemas import SCHEMAS
from regrade.tables import write_table
from regrade.trust.asked import read_searches, searches_again
from regrade.trust.fewer import fewer_table
from regrade.trust.transfer import Lent

with job(snakemake) as log:
    params = snakemake.params
    drawn = {"samples": params.samples, "seed": params.seed, "threads": snakemake.threads}
    made = [pd.DataFrame(columns=SCHEMAS["cuts/fewer"].names)]
    searches = searches_again(**read_searches(snakemake.input, params)) if params.fewer else ()
    for label, search in searches:
        log.info("fewer judges: %s %s", search.prepared.method.name, label or "")
        made.append(fewer_table(Lent.of(search), label, params.fewer, params.fewer_of, **drawn))
    whole = pd.concat(made[1:] or made, ignore_index=True)
    write_table(whole, snakemake.output.fewer, "cuts/fewer", parameters(snakemake))
