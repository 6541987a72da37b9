"""How the cuts that methods chose fare among all cuts by τ_b."""

import pandas as pd
from job import job, parameters

from regrade.cutsearch.rankings import tau_of_chosen_cuts
from regrade.schemas import SCHEMAS
from regrade.tables import read_table, write_table

with job(snakemake):
    best = read_table(snakemake.input.best_cuts, "cuts/best_cuts").to_pandas()
    tied = read_table(snakemake.input.tied_cuts, "cuts/tied_cuts").to_pandas()
    rankings = read_table(snakemake.input.rankings, "rankings").to_pandas()
    experts = zip(snakemake.params.experts, snakemake.input.tau, strict=True)
    parts = [
        tau_of_chosen_cuts(best, tied, read_table(path).to_pandas(), rankings, expert)
        for expert, path in experts
    ]
    empty = pd.DataFrame(columns=SCHEMAS["cuts/tau_topics"].names)
    table = pd.concat(parts) if parts else empty
    write_table(table, snakemake.output[0], "cuts/tau_topics", parameters(snakemake))
