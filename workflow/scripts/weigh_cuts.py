"""Every criterion of every cut, which cut each picks, and what that costs in the others."""

from regrade.aggregation import aggregate
from regrade.catalogue.arrow import per_cut_schema
from regrade.codes import CodedRuns
from regrade.cutsearch.criterion_picks import (
    TOLD_APART,
    Criterion,
    ExpertRankings,
    criteria_tables,
    source_alpha,
    tau_criterion,
)
from regrade.cutsearch.discrimination import CutGains
from regrade.cutsearch.joint_counts import JointCounts
from regrade.cutsearch.options import AlphaOptions
from regrade.cutsearch.rankings import scores_by_topic
from regrade.cutsearch.search import SourceTopics
from regrade.measures import parse
from regrade.scales import Scale
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    given, made, params = snakemake.input, snakemake.output, snakemake.params
    judgments, levels = read_table(given.judgments), params.levels
    pool = read_table(given.pool) if given.pool else None
    source = SourceTopics.of(judgments, Scale.of(params.scale), pool)
    thresholds = source.thresholds(levels, params.grid)
    joints = {}
    for (label, rule), path in zip(params.references, given.references, strict=True):
        how = read_table(path, "qrels"), levels, AlphaOptions.of(params, rule)
        joints[label] = JointCounts.of(source, thresholds, *how)
    own = source_alpha(source, levels, thresholds, params.metric)
    others, ranking = [own] if own else [], None
    if given.runs:
        ranked = CodedRuns(given.runs).ranked(judgments["topic"].unique().to_pylist())
        labels = aggregate(judgments, params.aggregate["source"])
        gains = CutGains.of(ranked, labels, levels, params.measure, thresholds)
        experts, measure = {}, parse(params.measure)
        for (name, top), path in zip(params.experts.items(), given.experts, strict=True):
            experts[name] = scores_by_topic(ranked, read_table(path, "qrels"), measure, top)
        ranking = ExpertRankings(gains, experts, params.significance)
        for expert, path in zip(experts, given.tau, strict=True):
            others.append(tau_criterion(expert, read_table(path, "cuts/tau").to_pandas()))
        shares = gains.shares(gains.of_cuts.cuts, params.significance, snakemake.threads)
        others.append(Criterion(TOLD_APART, whole=shares))
    options = {"metric": params.metric, "coverage": params.coverage, "threads": snakemake.threads}
    tables = criteria_tables(joints, others, ranking, **options)
    every = tables["criteria"]
    schema = per_cut_schema("cuts/criteria", levels, [*every.columns[levels - 1 :]], len(every))
    schemas = {"criteria": schema, "picked": "cuts/picked", "fronts": "cuts/fronts"}
    about = parameters(snakemake) | {"thresholds": thresholds.note or "all"}
    for name, table in tables.items():
        write_table(table, made[name], schemas[name], about)
