# The system rankings that chosen cuts give, and how those cuts fare among all.
rule rank_systems:
    input:
        runs=CODED_RUNS,
        judgments=source_of,
        best_cuts=rules.combine_cuts.output.best_cuts,
        experts=expert_tables,
    output:
        f"{RESULTS}/rankings/{{transformation}}.parquet",
    log:
        log_of("rank_systems", "{transformation}"),
    benchmark:
        benchmark_of("rank_systems", "{transformation}")
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        experts=experts_of,
        levels=option("levels"),
        measure=option("measure"),
        repeats=option("repeats"),
        aggregate=option("aggregate"),
        code=source_hash("rank_systems.py"),
    script:
        "../scripts/rank_systems.py"


rule compare_with_tau:
    input:
        best_cuts=rules.combine_cuts.output.best_cuts,
        tied_cuts=rules.combine_cuts.output.tied_cuts,
        rankings=rules.rank_systems.output,
        tau=tau_tables,
    output:
        f"{CUTS}/tau_topics.parquet",
    log:
        log_of("compare_with_tau", "{transformation}"),
    benchmark:
        benchmark_of("compare_with_tau", "{transformation}")
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        experts=experts_of,
        code=source_hash("compare_with_tau.py"),
    script:
        "../scripts/compare_with_tau.py"


rule cuts:
    input:
        collect(rules.combine_cuts.output, transformation=TRANSFORMATIONS),
        (
            collect(rules.compare_with_tau.output, transformation=TRANSFORMATIONS)
            if COLLECTION.has_runs
            else []
        ),


localrules:
    cuts,
