"""The best cuts into 2 … 7 levels, held out by topic, and τ_b under them."""

import pandas as pd

from regrade.aggregation import aggregate
from regrade.catalogue.arrow import SCHEMAS
from regrade.codes import CodedRuns
from regrade.cutsearch.joint_counts import JointCounts
from regrade.cutsearch.levels import (
    best_by_levels,
    internal,
    levels_table,
    tau_by_levels,
    with_reference,
)
from regrade.cutsearch.options import AlphaOptions
from regrade.cutsearch.rankings import scores_by_topic
from regrade.cutsearch.search import SourceTopics
from regrade.measures import parse
from regrade.scales import Scale
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    given, made, params = snakemake.input, snakemake.output, snakemake.params
    judgments = read_table(given.judgments)
    pool = read_table(given.pool) if given.pool else None
    source = SourceTopics.of(judgments, Scale.of(params.scale), pool)
    thresholds = source.thresholds(2, params.grid)
    own = internal(source, thresholds, params.metric)
    criteria = [own] if own else []
    beside = [
        (label, read_table(path, "qrels"), params.levels, rule)
        for (label, rule), path in zip(params.references, given.references, strict=True)
    ]
    for (name, levels), path in zip(params.further.items(), given.further, strict=True):
        labels = aggregate(read_table(path), "median", levels)
        beside.append((name, labels, levels, "drop"))
    for label, labels, levels, rule in beside:
        how = AlphaOptions.of(params, rule)
        joint = JointCounts.of(source, thresholds, labels, levels, how)
        criteria.append(with_reference(joint, label))
    options = {"coverage": params.coverage, "threads": snakemake.threads}
    options |= {"enumerate_to": params.enumerate_to}
    up_to = range(2, params.most + 1)
    tables = [levels_table(each, best_by_levels(each, up_to, **options)) for each in criteria]
    nothing = SCHEMAS["cuts/levels"].empty_table().to_pandas()
    table = pd.concat([nothing, *tables], ignore_index=True)
    about = parameters(snakemake) | {"thresholds": thresholds.note or "all"}
    write_table(table, made.levels, "cuts/levels", about)
    if given.runs:
        ranked = CodedRuns(given.runs).ranked(judgments["topic"].unique().to_pylist())
        labels = aggregate(judgments, params.aggregate["source"])
        experts, measure = {}, parse(params.measure)
        for (name, top), path in zip(params.experts.items(), given.experts, strict=True):
            experts[name] = scores_by_topic(ranked, read_table(path, "qrels"), measure, top)
        tau = tau_by_levels(table, ranked, labels, experts, measure)
        write_table(tau, made.levels_tau, "cuts/levels_tau", about)
