# Seeded runs, qrels and judgments where the configuration asks for them instead of files.
BASE = OPTIONS["simulation"]["base"]
# which documents there are, and how relevant
POOLED = ("seed", "depth", "unit_size")
BASE_SCALE = COLLECTION.collected_scale(BASE) if COLLECTION.simulated else None


rule simulate_runs:
    input:
        collect(QRELS, name=COLLECTION.ranked_sets),
    output:
        directory(PATHS.runs_over),
    log:
        log_of("simulate_runs"),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        parameters=COLLECTION.simulated_runs,
        code=source_hash("simulate_runs.py"),
    script:
        "../scripts/simulate_runs.py"


rule simulate_collection:
    output:
        runs=directory(PATHS.simulated_runs),
        qrels=PATHS.simulated_qrels,
    log:
        log_of("simulate_collection"),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        parameters=COLLECTION.simulated_runs,
        code=source_hash("simulate_collection.py"),
    script:
        "../scripts/simulate_collection.py"


# how many judge each document is the crowds' alone
for name, kind, shared in (
    ("simulate_experts", "qrels", given(OPTIONS["simulation"], "base", "topics", *POOLED)),
    ("simulate_judgments", "judgments", OPTIONS["simulation"]),
):

    rule:
        name:
            name
        input:
            runs=CODED_RUNS,
            base=PATHS.table_of("qrels", BASE),
        output:
            PATHS.table_of(kind, "{name}"),
        log:
            log_of(name, "{name}"),
        wildcard_constraints:
            name=one_of(SETS.made_from(kind, "simulate")),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=10,
        params:
            kind=kind,
            name="{name}",
            scale=SETS.written_scale,
            simulation=shared,
            base_scale=BASE_SCALE,
            judges=lookup("{name}/simulate", within=OPTIONS[kind], default={}),
            code=source_hash("simulate_set.py"),
        script:
            "../scripts/simulate_set.py"


rule simulate_answers:
    input:
        runs=CODED_RUNS,
        base=PATHS.table_of("qrels", BASE),
        pairs=SETS.table_of_task("pairs"),
        tests=SETS.table_of_task("tests"),
    output:
        PREFERENCES,
    log:
        log_of("simulate_answers", "{name}"),
    wildcard_constraints:
        name=one_of(SETS.made_from("preferences", "simulate")),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        name="{name}",
        scale=SETS.written_scale,
        simulation=given(OPTIONS["simulation"], *POOLED),
        base_scale=BASE_SCALE,
        crowd=SETS.crowd,
        judges=SETS.judges_of_task,
        code=source_hash("simulate_answers.py"),
    script:
        "../scripts/simulate_answers.py"
