"""Systems under magnitudes as gains beside systems under labels, and how sure that is."""

from job import job, parameters

from regrade.catalogue import ALL_TOPICS
from regrade.codes import CodedRuns
from regrade.magnitudes.intervals import interval_table
from regrade.magnitudes.resampling import topic_judgments
from regrade.magnitudes.samples import sample_tables
from regrade.magnitudes.systems import GainComparison, ReferenceLabels, system_tables
from regrade.tables import read_table, write_tables

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    normalised = read_table(given.normalised, "magnitudes/normalised")
    units = read_table(given.units, "magnitudes/units")
    widths = read_table(given.widths, "magnitudes/width_quantiles").to_pandas()
    limit = widths.set_index("topic").at[ALL_TOPICS, "median"]
    judgments = topic_judgments(normalised, units if limit > 0 else None, limit)
    ranked = CodedRuns(given.runs).ranked([one.topic for one in judgments])
    references = [
        ReferenceLabels(name, read_table(path, "qrels"), max(levels))
        for (name, levels), path in zip(params.levels.items(), given.references, strict=True)
    ]
    measures, threads = params.measures, snakemake.threads
    how = {"aggregate": params.aggregate, "seed": params.seed}
    comparison = GainComparison(ranked, references, judgments, measures, **how)
    tested = {"significance": params.significance, "threads": threads}
    made = system_tables(comparison, **tested)
    made |= sample_tables(comparison, params.samples, threads=threads)
    made["intervals"] = interval_table(comparison, params.resamples, **tested)
    write_tables(made, snakemake.output, "magnitudes", parameters(snakemake))
