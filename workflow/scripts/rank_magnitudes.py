"""Systems under magnitudes as gains beside systems under labels, and how sure that is."""

from job import job, parameters

from regrade.codes import CodedRuns
from regrade.magnitudes.drawing import topic_judgments
from regrade.magnitudes.intervals import interval_table
from regrade.magnitudes.samples import sample_tables
from regrade.magnitudes.systems import Labels, system_tables
from regrade.schemas import ALL_TOPICS
from regrade.tables import read_table, write_table

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    normalised = read_table(given.normalised, "magnitudes/normalised")
    units = read_table(given.units, "magnitudes/units")
    widths = read_table(given.widths, "magnitudes/width_quantiles").to_pandas()
    limit = params.width or widths.set_index("topic").at[ALL_TOPICS, "median"]
    judgments = topic_judgments(normalised, units if limit > 0 else None, limit)
    ranked = CodedRuns(given.runs).ranked([one.topic for one in judgments])
    references = [
        Labels(name, read_table(path, "qrels"), max(levels))
        for (name, levels), path in zip(params.levels.items(), given.references, strict=True)
    ]
    how = {"aggregate": params.aggregate, "depth": params.depth, "merged": params.merged}
    how |= {"seed": params.seed, "threads": snakemake.threads}
    compared = ranked, references, judgments, params.measures
    tested = {"significance": params.significance}
    made = system_tables(*compared, **how, **tested)
    made |= sample_tables(*compared, **how, samples=params.samples)
    drawn = {"resamples": params.resamples}
    made["intervals"] = interval_table(*compared, **how, **tested, **drawn)
    for name, table in made.items():
        write_table(table, snakemake.output[name], f"magnitudes/{name}", parameters(snakemake))
