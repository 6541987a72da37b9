# Tasks that ask workers which of two documents is more relevant.
PAIR_TASKS = COLLECTION.pair_tasks
for name, asked in PAIR_TASKS.items():

    rule:
        name:
            rule_name("design_pairs", name)
        input:
            pool=set_table(asked["pool"]),
            known=QRELS.format(name=asked["known"]),
            padding=set_table(asked["padding"] or asked["known"]),
        output:
            **tables_of_stage("pair_tasks", name),
            **{f"{table}_csv": csv_of_task(name, table) for table in PLATFORM_FILES},
        log:
            log_of("design_pairs", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=10,
        params:
            **given(asked, "topics", "relevant", "not_relevant", "serves", "pseudo", "seed"),
            asked=given(asked, "size", "partners", "judges", "share", "partitions", "sides"),
            code=source_hash("design_pairs.py"),
        script:
            "../scripts/design_pairs.py"


rule pair_tasks:
    input:
        [table for name in PAIR_TASKS for table in tables_of_stage("pair_tasks", name).values()],
    localrule: True
