"""τ_b of every cut's system ranking with the experts', and what the chosen cuts reach."""

import pandas as pd

from regrade.aggregation import Aggregation, aggregate, source_values
from regrade.catalogue import columns_of
from regrade.catalogue.arrow import per_cut_schema
from regrade.codes import CodedRuns
from regrade.cutsearch.best import all_cuts, cut_tables
from regrade.cutsearch.system_tau import rankings_of_cuts, tau_of_chosen_cuts, tau_of_every_cut
from regrade.cutsearch.thresholds import Thresholds
from regrade.scales import Scale
from regrade.tables import read_table, write_table, write_tables
from regrade.workflow.job import job, parameters, request_of

with job(snakemake) as log:
    inputs, made, params = snakemake.input, snakemake.output, request_of(snakemake)
    made_by = parameters(snakemake)
    judgments = read_table(inputs.judgments)
    ranked = CodedRuns(inputs.runs).ranked(judgments["topic"].unique().to_pylist())
    labels = aggregate(judgments, params.aggregate["source"])
    tables = [read_table(path, "qrels") for path in inputs.experts]
    experts = dict(zip(params.experts, tables, strict=True))
    parts = {
        name: [read_table(path, f"cuts/{name}").to_pandas() for path in inputs[name]]
        for name in ("best_cuts", "tied_cuts", "top_cuts")
    }
    every = {}
    values = source_values(judgments)
    scale = Scale.of(params.scale)
    options = {
        "required": params.named is not None,
        "thresholds": Thresholds.of(scale, params.levels, values, params.grid),
        "threads": snakemake.threads,
    }
    for (expert, qrels), path in zip(experts.items(), made.tau, strict=True):
        of_expert = options | {"max_grade": params.max_grades[expert]}
        tau = tau_of_every_cut(
            ranked, labels, qrels, scale, params.levels, params.measure, **of_expert
        )
        every[expert] = tau.to_frame()
        schema = per_cut_schema("cuts/tau", params.levels, tau.topics, len(tau.cuts))
        about = made_by | {"thresholds": tau.grid or "all"}
        about["search"] = {"method": "tau", "label": expert}
        write_table(every[expert], path, schema, about)
        for name, table in cut_tables(tau, expert).items():
            parts[name].append(table)
    for reason in params.unserved.values():
        log.info("left out: %s", reason)
    cuts = all_cuts(parts, params.unserved)
    write_tables(cuts, made, "cuts", made_by)
    best, tied = cuts["best_cuts"], cuts["tied_cuts"]
    how = {"levels": params.levels, "max_grades": params.max_grades}
    how |= {"aggregation": Aggregation.of(params)}
    rankings = rankings_of_cuts(ranked, judgments, best, experts, params.measure, **how)
    write_table(rankings, made.rankings, "rankings", made_by)
    nothing = pd.DataFrame(columns=columns_of("cuts/tau_topics"))
    fared = [tau_of_chosen_cuts(best, tied, every[e], rankings, e) for e in experts]
    write_table(pd.concat([nothing, *fared]), made.tau_topics, "cuts/tau_topics", made_by)
