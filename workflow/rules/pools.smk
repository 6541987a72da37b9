# Judgments reduced to shallower pools, and systems scored under these.
POOLS = OPTIONS["pools"] or {}
if POOLS:
    made = PATHS.tables("pools")

    rule deep_systems:
        input:
            runs=CODED_RUNS,
            qrels=PATHS.coded(POOLS["qrels"]),
        output:
            systems=made["deeply_judged"],
            facts=made["collection"],
        log:
            log_of("deep_systems"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=5,
        params:
            qrels=POOLS["qrels"],
            depth=POOLS["baseline"],
            code=source_hash("deep_systems.py"),
        script:
            "../scripts/deep_systems.py"

    rule pool_sizes:
        input:
            runs=CODED_RUNS,
            qrels=PATHS.coded(POOLS["qrels"]),
            deep=made["deeply_judged"],
        output:
            **given(made, "sizes", "facts", "votes"),
        log:
            log_of("pool_sizes"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=20,
        params:
            **given(POOLS, "contributors", "depths", "votes", "fused"),
            code=source_hash("pool_sizes.py"),
        script:
            "../scripts/pool_sizes.py"

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
            runs=CODED_RUNS,
            qrels=PATHS.coded(POOLS["qrels"]),
            deep=made["deeply_judged"],
            facts=made["facts"],
        output:
            **given(made, "scores", "depths", "answer"),
        log:
            log_of("pool_scores"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=20,
        params:
            **pooled_depths(OPTIONS),
            **given(POOLS, "contributors", "measures"),
            max_grade=COLLECTION.scale(POOLS["qrels"]).high,
            code=source_hash("pool_scores.py"),
        script:
            "../scripts/pool_scores.py"

    rule score_movements:
        input:
            scores=made["scores"],
            deep=made["deeply_judged"],
        output:
            movements=made["movements"],
            shares=made["movement_shares"],
            correlations=made["movement_correlations"],
        log:
            log_of("score_movements"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=5,
        params:
            **given(POOLS, "depths", "baseline"),
            residual=first_with_residual(POOLS["measures"]),
            code=source_hash("score_movements.py"),
        script:
            "../scripts/score_movements.py"
