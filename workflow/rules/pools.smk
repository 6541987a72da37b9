# Judgments reduced to shallower pools, and what is left when a run or group stays out.
POOLS = OPTIONS["pools"] or {}
if POOLS:

    rule deep_systems:
        input:
            runs=CODED_RUNS,
            qrels=CODED_QRELS.format(name=POOLS["qrels"]),
        output:
            systems=f"{RESULTS}/pools/deeply_judged.parquet",
            facts=f"{RESULTS}/pools/collection.parquet",
        log:
            log_of("deep_systems"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=5,
        params:
            qrels=POOLS["qrels"],
            depth=POOLS["deep"],
            code=source_hash("deep_systems.py"),
        script:
            "../scripts/deep_systems.py"

    rule pool_sizes:
        input:
            runs=CODED_RUNS,
            qrels=CODED_QRELS.format(name=POOLS["qrels"]),
            deep=rules.deep_systems.output.systems,
        output:
            sizes=f"{RESULTS}/pools/sizes.parquet",
            facts=f"{RESULTS}/pools/facts.parquet",
            votes=f"{RESULTS}/pools/votes.parquet",
        log:
            log_of("pool_sizes"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=20,
        params:
            contributors=POOLS["contributors"],
            depths=POOLS["depths"],
            votes=POOLS["votes"],
            fused=POOLS["fused"],
            code=source_hash("pool_sizes.py"),
        script:
            "../scripts/pool_sizes.py"

    rule reduce_qrels:
        input:
            runs=CODED_RUNS,
            qrels=CODED_QRELS.format(name=POOLS["qrels"]),
            deep=rules.deep_systems.output.systems,
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
            qrels=CODED_QRELS.format(name=POOLS["qrels"]),
            deep=rules.deep_systems.output.systems,
        output:
            f"{RESULTS}/pools/scores.parquet",
        log:
            log_of("pool_scores"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=20,
        params:
            **pooled_depths(),
            contributors=POOLS["contributors"],
            measures=POOLS["measures"],
            max_grade=COLLECTION.max_grade(POOLS["qrels"], "pools.qrels"),
            code=source_hash("pool_scores.py"),
        script:
            "../scripts/pool_scores.py"

    rule score_movements:
        input:
            scores=rules.pool_scores.output,
            deep=rules.deep_systems.output.systems,
        output:
            movements=f"{RESULTS}/pools/movements.parquet",
            shares=f"{RESULTS}/pools/movement_shares.parquet",
            correlations=f"{RESULTS}/pools/movement_correlations.parquet",
        log:
            log_of("score_movements"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=5,
        params:
            depths=POOLS["depths"],
            baseline=POOLS["baseline"],
            residual=POOLS["residual"],
            code=source_hash("score_movements.py"),
        script:
            "../scripts/score_movements.py"

    rule leave_one_out:
        input:
            runs=CODED_RUNS,
            qrels=CODED_QRELS.format(name=POOLS["qrels"]),
            deep=deep_if_followed,
            groups=groups_file,
            origins=origins_file,
        output:
            systems=f"{RESULTS}/leave-one-out/{{left_out}}/systems.parquet",
            left_out=f"{RESULTS}/leave-one-out/{{left_out}}/left_out.parquet",
            summary=f"{RESULTS}/leave-one-out/{{left_out}}/summary.parquet",
        log:
            log_of("leave_one_out", "{left_out}"),
        conda:
            "../envs/regrade.yaml"
        threads: 4
        resources:
            mem_mb=1500,
            runtime=60,
        params:
            options=lookup("{left_out}", within=LEFT_OUT),
            max_grade=COLLECTION.max_grade(POOLS["qrels"], "pools.qrels"),
            content=content_of_groups,
            code=source_hash("leave_one_out.py"),
        script:
            "../scripts/leave_one_out.py"
