"""Several judges beside one reference: agreement, rankings and significance, cut in every way."""

from job import job, parameters

from regrade.codes import CodedRuns
from regrade.comparing.cut_labels import Judge
from regrade.comparing.judges import HowJudged, judge_tables
from regrade.scales import Scale
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    judges = [
        Judge(
            name,
            read_table(path),
            Scale.of(scale),
            params.cuts.get(name, {}),
            params.grid.get(name),
        )
        for name, path, scale in zip(params.sets, given.sets, params.scales, strict=True)
    ]
    keys = ("metric", "weights", "coverage", "folds", "by_tau", "correction", "significance")
    keys = (*keys, "resamples", "seed")
    tables = judge_tables(
        (params.reference, read_table(given.reference, "qrels"), params.levels),
        judges,
        CodedRuns(given.runs).ranked() if given.runs else None,
        params.measures,
        HowJudged(**{key: params[key] for key in keys}),
        threads=snakemake.threads,
    )
    for name, table in tables.items():
        log.info("%s: %d rows", name, len(table))
        write_table(table, snakemake.output[name], f"judges/{name}", parameters(snakemake))
