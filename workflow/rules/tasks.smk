# Tasks that ask workers which of two documents is more relevant.
for name, asked in COLLECTION.items["pair_tasks"].items():

    rule:
        name:
            rule_name("design_pairs", name)
        input:
            pool=PATHS.set(asked["pool"]),
            known=PATHS.set(asked["known"]),
        output:
            **PATHS.tables("pair_tasks", of=name),
            **{
                f"{table}_csv": PATHS.below("pair-tasks", name, f"{table}.csv")
                for table in ("pairs", "units", "tests")
            },
        log:
            log_of("design_pairs", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=10,
        params:
            **given(asked, "topics", "relevant", "not_relevant", "serves", "pseudo"),
            seed=OPTIONS["seed"],
            asked=given(asked, "size", "partners", "judges", "partitions", "sides"),
            code=source_hash("design_pairs.py"),
        script:
            "../scripts/design_pairs.py"
