"""Two sets of judgments side by side: agreement, and what becomes of the systems."""

from job import job, parameters

from regrade.codes import CodedRuns
from regrade.comparing.compared import How, Side, compare_sets
from regrade.readers.groups import read_groups
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    sides = []
    for name, high, path in zip(params.names, params.max_grades, given.sets, strict=True):
        schema = "judgments" if "/judgments/" in path else "qrels"
        sides.append(Side(name, read_table(path, schema), high))
    groups = None
    if given.groups:
        read = read_groups(given.groups)
        groups = dict(zip(read["system"].astype(str), read["group"].astype(str), strict=True))
    keys = ("metric", "weights", "documents", "test", "correction", "permutations", "significance")
    keys = (*keys, "persistence", "tops", "resamples", "splits", "seed")
    tables = compare_sets(
        *sides,
        CodedRuns(given.runs).ranked() if given.runs else None,
        params.measures,
        How(**{key: params[key] for key in keys}),
        groups=groups,
        same_scale=params.same_scale,
    )
    for name, table in tables.items():
        log.info("%s: %d rows", name, len(table))
        write_table(table, snakemake.output[name], f"compare/{name}", parameters(snakemake))
