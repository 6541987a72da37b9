"""Policies of asking, replayed on recorded answers; where a rule would have stopped."""

from regrade.codes import CodedRuns
from regrade.preferences.gains import gain_rankings, with_highest
from regrade.preferences.next_pairs import Replays, policy_table
from regrade.preferences.posterior import recorded
from regrade.preferences.stopping import Rule, stop_summary, stop_table
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, params, threads = snakemake.input, snakemake.params, snakemake.threads
    topics = recorded(read_table(given.answers, "preferences"))
    spread = read_table(given.judges, "pair-budgets/judges")["spread"][0].as_py()
    labels = [read_table(path, "qrels") for path in given.references]
    references = with_highest(params.highest, labels)
    ranked = CodedRuns(given.runs).ranked() if given.runs else None
    rankings = gain_rankings(ranked, topics, params.measures, references)
    replays = Replays(
        params.policies,
        params.per_document,
        params.replays,
        params.top,
        spread,
        seed=params.seed,
    )
    overlap = params.stop_overlap
    targets = (("tau", params.stop_tau), ("top", overlap), ("near", overlap))
    rule = Rule(targets, tops=[params.top])
    stops = stop_table(topics, spread, rule, params.seed, threads)
    made = {
        "policies": policy_table(topics, replays, rankings, threads=threads),
        "stops": stops,
        "stopping": stop_summary(stops),
    }
    write_tables(made, snakemake.output, "pair-budgets", parameters(snakemake))
