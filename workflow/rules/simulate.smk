# Seeded runs, qrels and judgments where the configuration asks for them instead of files.
SIMULATED_RUNS = f"{RESULTS}/simulated/runs"
RUNS_OVER = f"{RESULTS}/simulated/runs-over"
SIMULATED_QRELS = f"{RESULTS}/simulated/qrels.txt"
BASE_SCALE = (
    collected_scale(COLLECTION.qrels[OPTIONS["simulation"]["base"]])
    if COLLECTION.simulated
    else None
)


rule simulate_runs:
    input:
        collect(QRELS, name=COLLECTION.ranked_sets),
    output:
        directory(RUNS_OVER),
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
        runs=directory(SIMULATED_RUNS),
        qrels=SIMULATED_QRELS,
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


rule simulate_experts:
    input:
        runs=CODED_RUNS,
        base=QRELS.format(name=OPTIONS["simulation"]["base"]),
    output:
        QRELS,
    log:
        log_of("simulate_experts", "{name}"),
    wildcard_constraints:
        name=one_of(sets_from("qrels", "simulate")),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        name="{name}",
        scale=written_scale_of("qrels"),
        simulation=OPTIONS["simulation"],
        base_scale=BASE_SCALE,
        experts=lookup("{name}/simulate", within=COLLECTION.qrels, default={}),
        code=source_hash("simulate_experts.py"),
    script:
        "../scripts/simulate_experts.py"


rule simulate_answers:
    input:
        runs=CODED_RUNS,
        base=QRELS.format(name=OPTIONS["simulation"]["base"]),
        pairs=table_of_simulated_task("pairs"),
        tests=table_of_simulated_task("tests"),
    output:
        PREFERENCES,
    log:
        log_of("simulate_answers", "{name}"),
    wildcard_constraints:
        name=one_of(sets_from("preferences", "simulate")),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        name="{name}",
        scale=written_scale_of("preferences"),
        simulation=OPTIONS["simulation"],
        base_scale=BASE_SCALE,
        crowd=simulated_crowd,
        judges=simulated_judges,
        code=source_hash("simulate_answers.py"),
    script:
        "../scripts/simulate_answers.py"


rule simulate_judgments:
    input:
        runs=CODED_RUNS,
        base=QRELS.format(name=OPTIONS["simulation"]["base"]),
    output:
        JUDGMENTS,
    log:
        log_of("simulate_judgments", "{name}"),
    wildcard_constraints:
        name=one_of(sets_from("judgments", "simulate")),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        name="{name}",
        scale=written_scale_of("judgments"),
        simulation=OPTIONS["simulation"],
        base_scale=BASE_SCALE,
        crowd=lookup("{name}/simulate", within=COLLECTION.judgments, default={}),
        code=source_hash("simulate_judgments.py"),
    script:
        "../scripts/simulate_judgments.py"
