# Every combination of choices.  What is chosen is found first, by a job of the stage; then the labels
# are shared out to jobs, that keep what they score below the sweep's folder; one job puts all
# together.
SWEPT = {name: list(one.items["sweeps"]) for name, one in COLLECTIONS.items()}
SWEEPS = Each({name: SweepJobs(own) for name, own in PATHS.items()})

if any(SWEPT.values()):

    rule sweep_part:
        input:
            unpack(SWEEPS.inputs),
        output:
            **{table: temp(path) for table, path in of_part(BELOW, "{item}", "{part}").items()},
        log:
            log_of("sweep_part", "{item}", "{part}"),
        wildcard_constraints:
            **only("sweeps/{item}/", SWEPT),
            part=r"\d+",
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(1500),
            runtime=30,
        params:
            request=SWEEPS.request,
            part=lambda wildcards: int(wildcards.part),
            parts=SWEEPS.parts,
            code=source_hash("sweep_part.py"),
        script:
            "../scripts/sweep_part.py"

    rule join_sweep:
        input:
            unpack(SWEEPS.inputs),
            unpack(SWEEPS.made_of_parts),
        output:
            **of_all_parts(BELOW, "{item}"),
        log:
            log_of("join_sweep", "{item}"),
        wildcard_constraints:
            **only("sweeps/{item}/", SWEPT),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(2000),
            runtime=30,
        params:
            request=SWEEPS.request,
            code_of_parts=source_hash("sweep_part.py"),
            code=source_hash("join_sweep.py"),
        script:
            "../scripts/join_sweep.py"

    rule explore_sweep:
        input:
            unpack(SWEEPS.inputs),
            unpack(SWEEPS.explored),
        output:
            BELOW.below("sweeps", "{item}", "explorer.json"),
        log:
            log_of("explore_sweep", "{item}"),
        wildcard_constraints:
            **only("sweeps/{item}/", SWEPT),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(2000),
            runtime=30,
        params:
            request=SWEEPS.request,
            name="{item}",
            code_of_parts=source_hash("sweep_part.py"),
            code=source_hash("explore_sweep.py"),
        script:
            "../scripts/explore_sweep.py"
