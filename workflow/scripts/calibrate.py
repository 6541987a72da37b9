"""What judges' values say of grades, beside labels under the best cut of them."""

from regrade.answers.calibration import answered
from regrade.calibration.tables import MEASURES, CalibrationOptions, calibration_tables
from regrade.codes import CodedRuns
from regrade.evaluations.cut_labels import Judge
from regrade.evaluations.judges import Reference
from regrade.scales import Scale
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    ranked = CodedRuns(given.runs).ranked() if given.runs else None
    judges = [
        Judge(name, read_table(path), Scale.of(scale))
        for name, path, scale in zip(params.sets, given.sets, params.scales, strict=True)
    ]
    reference = Reference(params.reference, read_table(given.reference, "qrels"), params.levels)
    tables = calibration_tables(
        reference, judges, ranked, MEASURES, CalibrationOptions(**params.how)
    )
    tables |= answered(tables, params.reference, params.levels)
    write_tables(tables, snakemake.output, "calibration", parameters(snakemake))
