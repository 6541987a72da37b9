"""Answers about pairs that count, scores of documents from them, how far they agree."""

from regrade.answers.pairs import answered
from regrade.preferences.checks import check_answers
from regrade.preferences.consistency import consistency
from regrade.preferences.document_scores import score_answers
from regrade.preferences.scores import ScoreOptions, comparison_graphs, side_shares
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    task = {
        name: read_table(given[name], f"pair-tasks/{name}").to_pandas()
        for name in ("pairs", "tests")
        if given.get(name)
    }
    checked = check_answers(
        read_table(given.answers, "preferences"),
        drop=params.drop,
        refuse=params.refuse,
        accuracy=params.accuracy,
        **task,
    )
    answers = checked.answers
    how = {key: params[key] for key in ("methods", "combined")}
    how["options"] = ScoreOptions(bias=params.bias)
    made = {
        **vars(checked),
        "scores": score_answers(answers, **how),
        "graphs": comparison_graphs(answers),
        "sides": side_shares(answers),
        "consistency": consistency(answers, params.consistency_by, params.seconds),
    }
    write_tables(made | answered(made), snakemake.output, "preferences", parameters(snakemake))
