# Every combination of choices.  What is chosen is found first, by a job of the stage; then the labels
# are shared out to jobs, that keep what they score below the sweep's folder; one job puts all
# together.
for name in COLLECTION.items["sweeps"]:
    sweep = SweepInputs(PATHS, name)

    rule:
        name:
            rule_name("sweep_part", name)
        input:
            **sweep.read,
            cuts=PATHS.tables("sweep_levels", of=name)["cuts"],
        output:
            **{table: temp(path) for table, path in sweep.part("{part}").items()},
        log:
            log_of("sweep_part", name, "{part}"),
        wildcard_constraints:
            part=r"\d+",
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=30,
        params:
            **sweep.told,
            part=lambda wildcards: int(wildcards.part),
            parts=len(sweep.parts),
            code=source_hash("sweep_part.py"),
        script:
            "../scripts/sweep_part.py"

    rule:
        name:
            rule_name("join_sweep", name)
        input:
            **sweep.read,
            **{
                table: [sweep.part(number)[table] for number in sweep.parts]
                for table in sweep.part(0)
            },
            cuts=PATHS.tables("sweep_levels", of=name)["cuts"],
        output:
            **PATHS.tables("sweeps", of=name),
        log:
            log_of("join_sweep", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            **sweep.told,
            code_of_parts=source_hash("sweep_part.py"),
            code=source_hash("join_sweep.py"),
        script:
            "../scripts/join_sweep.py"

    rule:
        name:
            rule_name("explore_sweep", name)
        input:
            **sweep.read,
            **given(PATHS.tables("sweeps", of=name), "universes", "curve", "facts"),
            cuts=PATHS.tables("sweep_levels", of=name)["cuts"],
        output:
            sweep.explorer,
        log:
            log_of("explore_sweep", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            **sweep.told,
            name=name,
            code_of_parts=source_hash("sweep_part.py"),
            code=source_hash("explore_sweep.py"),
        script:
            "../scripts/explore_sweep.py"
