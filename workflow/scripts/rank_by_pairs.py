"""Systems ranked by scores of documents from pairs, and what these tell apart."""

import pandas as pd

from regrade.codes import CodedRuns
from regrade.preferences.systems import (
    all_labels,
    as_gains,
    difficulty_table,
    p_table,
    quadrant_table,
    random_gains,
    score_labels,
    system_agreement,
    system_table,
)
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    gains = as_gains(read_table(given.scores, "preferences/scores").to_pandas())
    gains = pd.concat([gains, random_gains(gains, params.seed)], ignore_index=True)
    references = {
        name: (read_table(path, "qrels").to_pandas(), highest)
        for (name, highest), path in zip(params.highest.items(), given.references, strict=True)
    }
    labels = all_labels(gains, references, params.parts)
    ranked = CodedRuns(given.runs).ranked()
    scored = score_labels(ranked, labels, params.measures)
    topics = scored[0].scores.topics
    pairs = p_table(scored, params.test, params.correction, seed=params.seed)
    made = {
        "systems": system_table(scored),
        "system_orders": system_agreement(scored),
        "p_values": pairs,
        "quadrants": quadrant_table(pairs, len(topics), params.significance),
        "difficulty": difficulty_table(ranked, references, params.difficulty, topics),
    }
    write_tables(made, snakemake.output, "preferences", parameters(snakemake))
