"""Scores of documents, and systems under them, from drawn partitions of a task."""

from job import job, parameters

from regrade.codes import CodedRuns
from regrade.preferences.effects import partition_effects
from regrade.preferences.partitions import (
    available_partitions,
    partition_draws,
    partition_systems,
    partition_topics,
)
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    answers = read_table(given.answers, "preferences")
    asked = params.partitions
    draws = partition_draws(
        answers,
        asked["counts"],
        asked["draws"],
        asked["methods"],
        params.seed,
        **params.scored,
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
        found = partition_systems(draws, ranked, references, params.measures, **params.compared)
        made |= {f"partition_{name}": table for name, table in vars(found).items()}
    for name, table in made.items():
        log.info("%s: %d rows", name, len(table))
        write_table(table, snakemake.output[name], f"preferences/{name}", parameters(snakemake))
