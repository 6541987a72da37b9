# Are the workers of a set of judgments any good.
for name, reference in COLLECTION.crowds.items():

    rule:
        name:
            rule_name("check_workers", name)
        input:
            judgments=PATHS.set(name),
            reference=PATHS.sets([reference] if reference else []),
        output:
            **PATHS.tables("workers", of=name),
        log:
            log_of("check_workers", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=20,
        params:
            reference=reference or "",
            code=source_hash("check_workers.py"),
        script:
            "../scripts/check_workers.py"
