# The judgments of a shallower pool, for whoever asks for a depth; the stage's own jobs are declared
# (src/regrade/pools/stage.py).
if POOLS := OPTIONS["pools"]:

    rule reduce_qrels:
        input:
            runs=CODED_RUNS,
            qrels=PATHS.coded(POOLS["qrels"]),
            deep=PATHS.tables("pools")["deeply_judged"],
        output:
            f"{RESULTS}/pools/qrels/depth-{{depth}}.parquet",
        log:
            log_of("reduce_qrels", "{depth}"),
        wildcard_constraints:
            depth=r"[1-9]\d*",
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=5,
        params:
            contributors=POOLS["contributors"],
            depth="{depth}",
            code=source_hash("reduce_qrels.py"),
        script:
            "../scripts/reduce_qrels.py"
