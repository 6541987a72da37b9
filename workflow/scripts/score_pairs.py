"""Scores of documents from answers about pairs, and how far these agree with themselves."""

from job import job, parameters

from regrade.preferences.answered import score_answers
from regrade.preferences.consistency import consistency
from regrade.preferences.scores import comparison_graphs, side_shares
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    params = snakemake.params
    answers = read_table(snakemake.input[0], "preferences")
    keys = ("methods", "combined", "bias", "even_sides", "prior", "shift")
    made = {
        "scores": score_answers(answers, **{key: params[key] for key in keys}),
        "graphs": comparison_graphs(answers),
        "sides": side_shares(answers),
        "consistency": consistency(answers, params.consistency_by, params.seconds),
    }
    for name, table in made.items():
        log.info("%s: %d rows", name, len(table))
        write_table(table, snakemake.output[name], f"preferences/{name}", parameters(snakemake))
