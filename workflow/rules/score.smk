# Every run under every qrels by every measure.
rule score_qrels:
    input:
        runs=CODED_RUNS,
        qrels=CODED_QRELS,
        others=further_qrels,
    output:
        f"{RESULTS}/scores/{{name}}.parquet",
    log:
        log_of("score_qrels", "{name}"),
    benchmark:
        benchmark_of("score_qrels", "{name}")
    wildcard_constraints:
        name=one_of(COLLECTION.qrels),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=1500,
        runtime=10,
    params:
        measures=measures_of,
        left_out=unserved_of,
        max_grade=max_grade_of,
        max_grades=further_max_grades,
        code=source_hash("score_qrels.py"),
    script:
        "../scripts/score_qrels.py"


rule score:
    input:
        collect(rules.score_qrels.output, name=COLLECTION.qrels) if COLLECTION.has_runs else [],


localrules:
    score,
