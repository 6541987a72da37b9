# regrade: would the evaluation have come out differently, had the judgments been cut, pooled,
# aggregated or tied differently?  See README.md; every key of the configuration is described in
# config/README.md.
from pathlib import Path

from snakemake.utils import min_version

min_version("9.8")


# beside this file, wherever --directory puts the results
configfile: str(Path(workflow.basedir) / "config" / "config.yaml")


include: "workflow/rules/common.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/collect.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/cuts.smk"
include: "workflow/rules/labels.smk"
include: "workflow/rules/trust.smk"
include: "workflow/rules/per_judge.smk"
include: "workflow/rules/ties.smk"
include: "workflow/rules/pools.smk"
include: "workflow/rules/uncertainty.smk"
include: "workflow/rules/discrimination.smk"
include: "workflow/rules/magnitudes.smk"
include: "workflow/rules/power.smk"
include: "workflow/rules/tasks.smk"
include: "workflow/rules/pairs.smk"
include: "workflow/rules/pair_budgets.smk"
include: "workflow/rules/criteria.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/judges.smk"
include: "workflow/rules/calibration.smk"
include: "workflow/rules/ranking.smk"
include: "workflow/rules/estimates.smk"
include: "workflow/rules/workers.smk"
include: "workflow/rules/sweeps.smk"
include: "workflow/rules/studies.smk"
include: "workflow/rules/answers.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/targets.smk"


rule all:
    default_target: True
    input:
        rules.report.output,
        rules.score.input,
        list(ASKED.values()),


localrules:
    all,
