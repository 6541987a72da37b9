# The judgments of a shallower pool, for whoever asks for a depth; the stage's own jobs are declared
# (src/regrade/pools/stage.py).
if POOLED := [name for name, one in COLLECTIONS.items() if one.options["pools"]]:

    rule reduce_qrels:
        input:
            runs=CODED_RUNS,
            qrels=SETS.pooled_codes,
            deep=BELOW.below("pools", "deeply_judged.parquet"),
        output:
            f"{RESULTS}/pools/qrels/depth-{{depth}}.parquet",
        log:
            log_of("reduce_qrels", "{depth}"),
        wildcard_constraints:
            collection=one_of(POOLED),
            depth=r"[1-9]\d*",
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(1500),
            runtime=5,
        params:
            contributors=option("pools", "contributors"),
            depth="{depth}",
            code=source_hash("reduce_qrels.py"),
        script:
            "../scripts/reduce_qrels.py"
