# The system rankings that chosen cuts give, and how those cuts fare among all.
def expert_tables(wildcards):
    return [QRELS.format(name=expert) for expert in transformation_of(wildcards).experts]


def tau_tables(wildcards):
    return [f"{CUTS}/tau@{e}/tau.parquet" for e in transformation_of(wildcards).experts]


def experts_of(wildcards):
    return transformation_of(wildcards).experts


rule rank_systems:
    input:
        runs=RUNS,
        judgments=source_of,
        best_cuts=rules.combine_cuts.output.best_cuts,
        experts=expert_tables,
    output:
        f"{RESULTS}/rankings/{{transformation}}.parquet",
    params:
        experts=experts_of,
        levels=option("levels"),
        measure=option("measure"),
        aggregate=option("aggregate"),
        code=source_hash("rank_systems.py"),
    log:
        log_of("rank_systems", "{transformation}"),
    benchmark:
        benchmark_of("rank_systems", "{transformation}")
    resources:
        mem_mb=4000,
        runtime=10,
    script:
        "../scripts/rank_systems.py"


rule compare_with_tau:
    input:
        best_cuts=rules.combine_cuts.output.best_cuts,
        rankings=rules.rank_systems.output,
        tau=tau_tables,
    output:
        f"{CUTS}/tau_topics.parquet",
    params:
        experts=experts_of,
        code=source_hash("compare_with_tau.py"),
    log:
        log_of("compare_with_tau", "{transformation}"),
    benchmark:
        benchmark_of("compare_with_tau", "{transformation}")
    resources:
        mem_mb=2000,
        runtime=10,
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
