"""Scores of documents, and systems under them, from drawn partitions of a task."""

from regrade.codes import CodedRuns
from regrade.preferences.effects import partition_effects
from regrade.preferences.partitions import (
    available_partitions,
    partition_draws,
    partition_systems,
    partition_topics,
)
from regrade.preferences.scores import ScoreOptions
from regrade.significance.discrimination import PairTestOptions
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    answers = read_table(given.answers, "preferences")
    asked = params.partitions
    draws = partition_draws(
        answers,
        asked["counts"],
        asked["draws"],
        seed=params.seed,
        options=ScoreOptions(bias=params.bias),
    )
    log.info("%d draws", len(draws))
    topics = partition_topics(draws, available_partitions(answers), params.metric)
    made = {"partition_topics": topics, "partition_effects": partition_effects(topics)}
    if snakemake.output.get("partition_systems"):
        references = {
            name: (read_table(path, "qrels").to_pandas(), highest)
            for (name, highest), path in zip(params.highest.items(), given.references, strict=True)
        }
        ranked = CodedRuns(given.runs).ranked()
        tested = PairTestOptions(**params.tested)
        found = partition_systems(draws, ranked, references, params.measures, tested)
        made |= {f"partition_{name}": table for name, table in vars(found).items()}
    write_tables(made, snakemake.output, "preferences", parameters(snakemake))
