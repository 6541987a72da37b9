# regrade: would the evaluation have come out differently, had the judgments been cut, pooled,
# aggregated or tied differently?  See README.md; every key of the configuration is described in
# config/README.md.
include: "workflow/Snakefile"


workflow.default_target = "all"  # Snakemake takes no default over from a file that is included
