# Seeded runs, qrels and judgments where the configuration asks for them instead of files.


rule simulate_runs:
    input:
        SETS.ranked_sets,
    output:
        directory(BELOW.runs_over),
    log:
        log_of("simulate_runs"),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        parameters=SETS.simulated_runs,
        code=source_hash("simulate_runs.py"),
    script:
        "../scripts/simulate_runs.py"


rule simulate_collection:
    output:
        runs=directory(BELOW.simulated_runs),
        qrels=BELOW.simulated_qrels,
    log:
        log_of("simulate_collection"),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        parameters=SETS.simulated_runs,
        code=source_hash("simulate_collection.py"),
    script:
        "../scripts/simulate_collection.py"


# how many judge each document is the crowds' alone
for name, kind, shared in (
    ("simulate_experts", "qrels", SETS.simulation_of_experts),
    ("simulate_judgments", "judgments", option("simulation")),
):

    rule:
        name:
            name
        input:
            runs=CODED_RUNS,
            base=SETS.base,
        output:
            BELOW.table_of(kind, "{name}"),
        log:
            log_of(name, "{name}"),
        wildcard_constraints:
            **only(f"tables/{kind}/{{name}}.parquet", made_from(kind, "simulate")),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(4000),
            runtime=10,
        params:
            kind=kind,
            name="{name}",
            scale=SETS.written_scale,
            simulation=shared,
            base_scale=SETS.base_scale,
            judges=SETS.simulated_judges,
            code=source_hash("simulate_set.py"),
        script:
            "../scripts/simulate_set.py"


rule simulate_answers:
    input:
        runs=CODED_RUNS,
        base=SETS.base,
        pairs=SETS.pairs_of_task,
        tests=SETS.tests_of_task,
    output:
        PREFERENCES,
    log:
        log_of("simulate_answers", "{name}"),
    wildcard_constraints:
        **only("tables/preferences/{name}.parquet", made_from("preferences", "simulate")),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=10,
    params:
        name="{name}",
        scale=SETS.written_scale,
        simulation=SETS.simulated_pool,
        base_scale=SETS.base_scale,
        crowd=SETS.crowd,
        judges=SETS.judges_of_task,
        code=source_hash("simulate_answers.py"),
    script:
        "../scripts/simulate_answers.py"
