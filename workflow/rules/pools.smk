# Judgments reduced to shallower pools, and systems scored under these: the jobs that the stage
# declares (src/regrade/pools/stage.py), and the reduced judgments for whoever asks for a depth.
POOLS = OPTIONS["pools"] or {}
if POOLS:
    made = PATHS.tables("pools")
    CODED_POOL = {"runs": CODED_RUNS, "qrels_codes": PATHS.coded(POOLS["qrels"])}

    rule deep_systems:
        input:
            **CODED_POOL,
        output:
            **given(made, "deeply_judged", "collection"),
        log:
            log_of("deep_systems"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=JOBS["deep_systems"].memory,
            runtime=JOBS["deep_systems"].minutes,
        params:
            asked=JOBS["deep_systems"].asked,
            imports=JOBS["deep_systems"].imports,
            code=JOBS["deep_systems"].code,
        script:
            "../scripts/stage.py"

    rule pool_sizes:
        input:
            **CODED_POOL,
            deeply_judged=made["deeply_judged"],
        output:
            **given(made, "sizes", "facts", "votes"),
        log:
            log_of("pool_sizes"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=JOBS["pool_sizes"].memory,
            runtime=JOBS["pool_sizes"].minutes,
        params:
            asked=JOBS["pool_sizes"].asked,
            imports=JOBS["pool_sizes"].imports,
            code=JOBS["pool_sizes"].code,
        script:
            "../scripts/stage.py"

    rule reduce_qrels:
        input:
            runs=CODED_RUNS,
            qrels=PATHS.coded(POOLS["qrels"]),
            deep=made["deeply_judged"],
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

    rule pool_scores:
        input:
            **CODED_POOL,
            **given(made, "deeply_judged", "facts"),
        output:
            **given(made, "scores", "depths", "answer"),
        log:
            log_of("pool_scores"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=JOBS["pool_scores"].memory,
            runtime=JOBS["pool_scores"].minutes,
        params:
            asked=JOBS["pool_scores"].asked,
            imports=JOBS["pool_scores"].imports,
            code=JOBS["pool_scores"].code,
        script:
            "../scripts/stage.py"

    rule score_movements:
        input:
            **given(made, "scores", "deeply_judged"),
        output:
            **given(made, "movements", "movement_shares", "movement_correlations"),
        log:
            log_of("score_movements"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=JOBS["score_movements"].memory,
            runtime=JOBS["score_movements"].minutes,
        params:
            asked=JOBS["score_movements"].asked,
            imports=JOBS["score_movements"].imports,
            code=JOBS["score_movements"].code,
        script:
            "../scripts/stage.py"
