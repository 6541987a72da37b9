"""Answers about pairs and scores of documents beside labels."""

import pandas as pd

from regrade.preferences.agreement import (
    answer_alpha,
    graded_agreement,
    order_agreement,
    question_agreement,
    side_agreement,
    side_tests,
)
from regrade.preferences.effects import label_effects
from regrade.preferences.label_comparison import label_values, labelled_documents, raw_scores
from regrade.preferences.scores import comparable
from regrade.preferences.workers import accuracy_table, label_relations, worker_labels
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    answers = read_table(given.answers, "preferences")
    scores = comparable(read_table(given.scores, "preferences/scores").to_pandas())
    references = {
        name: read_table(path, "qrels").to_pandas()
        for name, path in zip(params.references, given.references, strict=True)
    }

    def of_each(compare, what, **options):
        """One table of all references."""
        return pd.concat([compare(what, t, name, **options) for name, t in references.items()])

    task = read_table(given.pairs, "pair-tasks/pairs").to_pandas() if given.get("pairs") else None
    workers = read_table(given.workers, "preferences/workers").to_pandas()
    known = of_each(worker_labels, answers, pairs=task)

    sided = of_each(side_agreement, answers)

    made = {
        "documents": of_each(labelled_documents, scores),
        "orders": order_agreement(label_values(scores, references), metric=params.metric),
        "graded": of_each(graded_agreement, scores),
        "sided": sided,
        "side_tests": side_tests(sided),
        "questions": question_agreement(answers),
        "alphas": answer_alpha(answers, references, params.metric),
        "raw": of_each(raw_scores, answers),
        "worker_labels": known,
        "accuracy": accuracy_table(known),
        "label_relations": label_relations(workers, known),
        "label_effects": of_each(label_effects, answers),
    }
    write_tables(made, snakemake.output, "preferences", parameters(snakemake))
