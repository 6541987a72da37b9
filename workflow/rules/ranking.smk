# Which system is best, and how sure that is.
for name, asked in COLLECTION.items["ranking"].items():
    judged = [asked["qrels"], *asked["judges"]]

    rule:
        name:
            rule_name("rank_runs", name)
        input:
            runs=CODED_RUNS,
            qrels=[PATHS.coded(one) for one in judged],
        output:
            **PATHS.tables("ranking", of=name),
        log:
            log_of("rank_runs", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=COLLECTION.memory(2000, 0.2),
            runtime=20,
        params:
            measures=asked["measures"],
            seed=OPTIONS["seed"],
            max_grades=[COLLECTION.scale(one).high for one in judged],
            code=source_hash("rank_runs.py"),
        script:
            "../scripts/rank_runs.py"
