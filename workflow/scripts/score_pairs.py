"""Answers about pairs that count, scores of documents from them, how far they agree."""

from job import job, parameters

from regrade.preferences.answered import score_answers
from regrade.preferences.checks import check_answers
from regrade.preferences.consistency import consistency
from regrade.preferences.scores import comparison_graphs, side_shares
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    task = {
        name: read_table(given[name], f"pair-tasks/{name}").to_pandas()
        for name in ("pairs", "tests")
        if given.get(name)
    }
    checked = check_answers(
        read_table(given.answers, "preferences"),
        rules=params.rules,
        accuracy=params.accuracy,
        **task,
    )
    answers = checked.answers
    keys = ("methods", "combined", "bias", "even_sides", "prior", "shift", "resamples", "seed")
    how = {key: params[key] for key in keys}
    made = {
        **vars(checked),
        "scores": score_answers(answers, **how, threads=snakemake.threads),
        "graphs": comparison_graphs(answers),
        "sides": side_shares(answers),
        "consistency": consistency(answers, params.consistency_by, params.seconds),
    }
    for name, table in made.items():
        log.info("%s: %d rows", name, len(table))
        write_table(table, snakemake.output[name], f"preferences/{name}", parameters(snakemake))
