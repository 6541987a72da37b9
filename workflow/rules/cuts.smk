# α of every cut by each method, τ of every cut, and the best cuts of each.
rule aggregate_reference:
    input:
        JUDGMENTS,
    output:
        f"{CUTS}/references/{{name}}.parquet",
    log:
        log_of("aggregate_reference", "{transformation}", "{name}"),
    benchmark:
        benchmark_of("aggregate_reference", "{transformation}", "{name}")
    wildcard_constraints:
        name=one_of(COLLECTION.judgments),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        aggregate=option("aggregate"),
        repeats=option("repeats"),
        levels=option("levels"),
        code=source_hash("aggregate_reference.py"),
    script:
        "../scripts/aggregate_reference.py"


rule search_cuts:
    input:
        judgments=source_of,
        reference=reference_of,
        pool=pool_of,
    output:
        alpha=f"{CUTS}/{{search}}/alpha.parquet",
        best_cuts=f"{CUTS}/{{search}}/best_cuts.parquet",
        tied_cuts=f"{CUTS}/{{search}}/tied_cuts.parquet",
        top_cuts=f"{CUTS}/{{search}}/top_cuts.parquet",
    log:
        log_of("search_cuts", "{transformation}", "{search}"),
    benchmark:
        benchmark_of("search_cuts", "{transformation}", "{search}")
    conda:
        "../envs/regrade.yaml"
    threads: 8
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        scale=source_scale_of,
        levels=option("levels"),
        grid=option("grid"),
        method=search_option("method"),
        reference=search_option("label"),
        unjudged=search_option("unjudged"),
        metric=option("metric"),
        undefined=option("undefined"),
        coverage=option("coverage"),
        named=option("methods"),
        repeats=option("repeats"),
        aggregate=option("aggregate"),
        top=option("top"),
        code=source_hash("search_cuts.py"),
    script:
        "../scripts/search_cuts.py"


rule tau_cuts:
    input:
        runs=CODED_RUNS,
        judgments=source_of,
        expert=QRELS.replace("{name}", "{expert}"),
    output:
        tau=f"{CUTS}/tau@{{expert}}/tau.parquet",
        best_cuts=f"{CUTS}/tau@{{expert}}/best_cuts.parquet",
        tied_cuts=f"{CUTS}/tau@{{expert}}/tied_cuts.parquet",
        top_cuts=f"{CUTS}/tau@{{expert}}/top_cuts.parquet",
    log:
        log_of("tau_cuts", "{transformation}", "{expert}"),
    benchmark:
        benchmark_of("tau_cuts", "{transformation}", "{expert}")
    conda:
        "../envs/regrade.yaml"
    threads: 8
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        scale=source_scale_of,
        levels=option("levels"),
        grid=option("grid"),
        expert="{expert}",
        named=option("experts"),
        measure=option("measure"),
        repeats=option("repeats"),
        aggregate=option("aggregate"),
        top=option("top"),
        code=source_hash("tau_cuts.py"),
    script:
        "../scripts/tau_cuts.py"


rule combine_cuts:
    input:
        best_cuts=all_of("best_cuts"),
        tied_cuts=all_of("tied_cuts"),
        top_cuts=all_of("top_cuts"),
    output:
        best_cuts=f"{CUTS}/best_cuts.parquet",
        tied_cuts=f"{CUTS}/tied_cuts.parquet",
        top_cuts=f"{CUTS}/top_cuts.parquet",
    log:
        log_of("combine_cuts", "{transformation}"),
    benchmark:
        benchmark_of("combine_cuts", "{transformation}")
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        unserved=unserved_of,
        code=source_hash("combine_cuts.py"),
    script:
        "../scripts/combine_cuts.py"


EXPERT_CUTS = OPTIONS["expert_cuts"]
if EXPERT_CUTS:

    rule expert_cuts:
        input:
            sources=[set_table(cuts["source"]) for cuts in EXPERT_CUTS],
            references=[set_table(cuts["reference"]) for cuts in EXPERT_CUTS],
            pools=[set_table(cuts["pool"]) for cuts in EXPERT_CUTS],
        output:
            f"{RESULTS}/expert-cuts/agreement.parquet",
        log:
            log_of("expert_cuts"),
        benchmark:
            benchmark_of("expert_cuts")
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1000,
            runtime=5,
        params:
            cuts=[
                (
                    cuts["source"],
                    cuts["reference"],
                    COLLECTION.scale(cuts["source"], "expert_cuts").levels,
                )
                for cuts in EXPERT_CUTS
            ],
            code=source_hash("expert_cuts.py"),
        script:
            "../scripts/expert_cuts.py"
