"""Systems under magnitudes as gains beside systems under labels, and how sure that is."""

from regrade.answers.magnitudes import answered
from regrade.codes import CodedRuns
from regrade.magnitudes.steps import MagnitudeOptions, gain_tables, judgments_by_topic
from regrade.magnitudes.systems import GainComparison, ReferenceLabels
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    how = MagnitudeOptions(**params.how)
    judgments = judgments_by_topic(
        read_table(given.normalised, "magnitudes/normalised"),
        read_table(given.units, "magnitudes/units"),
        read_table(given.widths, "magnitudes/width_quantiles").to_pandas(),
    )
    ranked = CodedRuns(given.runs).ranked([one.topic for one in judgments])
    references = [
        ReferenceLabels(name, read_table(path, "qrels"), max(levels))
        for (name, levels), path in zip(params.levels.items(), given.references, strict=True)
    ]
    comparison = GainComparison(
        ranked, references, judgments, params.measures, aggregate=how.aggregate, seed=how.seed
    )
    made = gain_tables(comparison, how, params.significance, snakemake.threads)
    names = ("units", "levels", "agreement", "exceptions", "gain_profiles", "gain_likelihoods")
    beside = {name: read_table(given[name], f"magnitudes/{name}").to_pandas() for name in names}
    made |= answered(beside | made, how.shift)
    write_tables(made, snakemake.output, "magnitudes", parameters(snakemake))
