# What full judging would have said, from few labels by people and many by models.
for name, asked in COLLECTION.items["estimates"].items():

    rule:
        name:
            rule_name("estimate_full", name)
        input:
            runs=PATHS.runs,
            models=PATHS.sets(asked["models"]),
            labels=SETS.labels_of_people(asked),
        output:
            **PATHS.tables("estimates", "estimated_systems", of=name),
        log:
            log_of("estimate_full", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=COLLECTION.memory(2000, 0.3),
            runtime=20,
        params:
            **given(asked, "models", "measures"),
            budget=asked.get("budget"),
            scale=COLLECTION.scale_of_people(asked),
            seed=OPTIONS["seed"],
            content=SETS.content(SETS.labels_of_people(asked)),
            code=source_hash("estimate_full.py"),
        script:
            "../scripts/estimate_full.py"
