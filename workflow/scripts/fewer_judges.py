"""What fewer judges of each document would have done: cost against α and τ_b."""

import pandas as pd

from regrade.catalogue import columns_of
from regrade.tables import write_table
from regrade.trust.fewer_judgments import fewer_table
from regrade.trust.searches import read_ranked
from regrade.trust.transfer import CutChoices
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    params = snakemake.params
    drawn = {"seed": params.seed, "threads": snakemake.threads}
    made = [pd.DataFrame(columns=columns_of("cuts/fewer"))]
    searches = ()
    if params.fewer:
        searches = read_ranked(snakemake.input, params).searches(params.searches)
    for label, search in searches:
        log.info("fewer judges: %s %s", search.plan.method.name, label or "")
        made.append(
            fewer_table(CutChoices.of(search), label, params.fewer, params.fewer_of, **drawn)
        )
    whole = pd.concat(made[1:] or made, ignore_index=True)
    write_table(whole, snakemake.output.fewer, "cuts/fewer", parameters(snakemake))
