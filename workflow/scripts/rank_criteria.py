"""Rank systems under several sets of labels at once, and beside the first one alone."""

import pandas as pd

from regrade.codes import CodedQrels, CodedRuns
from regrade.criteria.desiderata import desiderata
from regrade.criteria.systems import (
    coverage,
    ranking_table,
    score_sets,
    system_table,
    weight_table,
)
from regrade.tables import read_table, write_tables
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    scales = dict(params.max_grades)
    first, *others = scales
    coded = CodedRuns(given.runs)
    files = zip(scales, given.codes, strict=True)
    codes = {name: CodedQrels(path, coded) for name, path in files}
    parts = []
    for chunk in coded.chunks(codes[first].topics, max_bytes=chunk_bytes(snakemake)):
        ranked = coded.ranked(chunk)
        sets = {name: qrels.judged(ranked) for name, qrels in codes.items()}
        parts.append(score_sets(ranked, sets, scales, params.measure, params.steps))
    scores = pd.concat(parts, ignore_index=True)
    tables = [read_table(path, "qrels") for path in given.qrels]
    shared = coverage(tables[0], dict(zip(others, tables[1:], strict=True)))
    for row in shared[shared["topic"] == "*"].itertuples():
        log.info("%s: %d documents of both", row.other, row.both)
        log.info(
            "%s: %d of %s only, %d only its own", row.other, row.only_first, first, row.only_other
        )
    systems = system_table(scores)
    made = {
        "coverage": shared,
        "systems": systems,
        "rankings": ranking_table(systems, first, scores["topic"].nunique()),
        "weights": weight_table(scores, list(scales)),
        "desiderata": desiderata(),
    }
    write_tables(made, snakemake.output, "criteria", parameters(snakemake))
