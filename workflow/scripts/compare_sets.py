"""Two sets of judgments side by side: agreement, and what becomes of the systems."""

from regrade.answers.compare import answer
from regrade.codes import CodedRuns
from regrade.evaluations.tables import ComparisonOptions, LabelSet, compare_sets
from regrade.readers.groups import read_groups
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    ranked = None
    if given.runs:
        ranked = CodedRuns(given.runs).ranked(scores=True, submitted_ranks=True)
    sides = []
    for name, high, path in zip(params.names, params.max_grades, given.sets, strict=True):
        schema = "judgments" if "/judgments/" in path else "qrels"
        sides.append(LabelSet(name, read_table(path, schema), high))
    groups = None
    if given.groups:
        read = read_groups(given.groups)
        groups = dict(zip(read["system"].astype(str), read["group"].astype(str), strict=True))
    tables = compare_sets(
        *sides,
        ranked,
        params.measures,
        ComparisonOptions(**params.how),
        groups=groups,
        same_scale=params.same_scale,
        score_precision=params.score_precision,
    )
    tables["answer"] = answer(*params.names, tables).to_frame()
    write_tables(tables, snakemake.output, "compare", parameters(snakemake))
