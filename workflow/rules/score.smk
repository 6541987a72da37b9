# What all that compares systems rests on: every run under every qrels by every measure.
rule score_qrels:
    input:
        runs=CODED_RUNS,
        qrels=CODED_QRELS,
        others=SETS.further_codes,
    output:
        SCORES,
    log:
        log_of("score_qrels", "{name}"),
    wildcard_constraints:
        **only("scores/{name}.parquet", {c: list(COLLECTIONS[c].qrels) for c in WITH_RUNS}),
    group:
        "score"
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=memory(1500),
        runtime=10,
    params:
        measures=SETS.measures,
        left_out=SETS.unserved,
        max_grade=SETS.max_grade,
        max_grades=SETS.further_max_grades,
        code=source_hash("score_qrels.py"),
    script:
        "../scripts/score_qrels.py"


# a ranking for reading, of any qrels: made when asked for by path
rule rank_systems:
    input:
        rules.score_qrels.output,
    output:
        f"{RESULTS}/scores/{{name}}.systems.csv",
    log:
        log_of("rank_systems", "{name}"),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=5,
    params:
        code=source_hash("rank_systems.py"),
    script:
        "../scripts/rank_systems.py"


rule score:
    input:
        [PATHS[one].scores(name) for one in WITH_RUNS for name in COLLECTIONS[one].qrels],


localrules:
    score,
