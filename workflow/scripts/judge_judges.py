"""Several judges beside one reference: agreement, rankings and significance, cut in every way."""

from regrade.answers.judges import answered
from regrade.codes import CodedRuns
from regrade.evaluations.cut_labels import Judge
from regrade.evaluations.judges import JudgeOptions, judge_tables
from regrade.scales import Scale
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    ranked = None
    if given.runs:
        ranked = CodedRuns(given.runs).ranked(scores=True, submitted_ranks=True)
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
    tables = judge_tables(
        (params.reference, read_table(given.reference, "qrels"), params.levels),
        judges,
        ranked,
        params.measures,
        JudgeOptions(**params.how),
        threads=snakemake.threads,
        score_precision=params.score_precision,
    )
    tables |= answered(tables)
    write_tables(tables, snakemake.output, "judges", parameters(snakemake))
