"""Policies of asking, replayed on recorded answers; where a rule would have stopped."""

from job import job, parameters

from regrade.codes import CodedRuns
from regrade.preferences.gains import gain_rankings, with_highest
from regrade.preferences.next_pairs import Replays, policy_table
from regrade.preferences.posterior import recorded
from regrade.preferences.stopping import Rule, stop_summary, stop_table
from regrade.tables import read_table, write_table

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
        params.refit,
        params.seed,
    )
    targets = (("tau", params.stop_tau), ("top", params.stop_overlap))
    rule = Rule(targets, params.confidences, params.top, params.every, params.drawn)
    stops = stop_table(topics, spread, rule, params.seed, threads)
    made = {
        "policies": policy_table(topics, replays, rankings, params.resamples, threads),
        "stops": stops,
        "stopping": stop_summary(stops),
    }
    for name, table in made.items():
        write_table(table, snakemake.output[name], f"pair-budgets/{name}", parameters(snakemake))
