# What rests on the scores under pools, beside tests of pairs: ranks when each run or group stays out
# of the pool, and the analysis of covariance.
if OPTIONS["leave_one_out"]:

    rule leave_one_out:
        input:
            **CODED_POOL,
            deeply_judged=LEFT_OUT.deeply_judged,
            groups=LEFT_OUT.groups,
            origins=LEFT_OUT.origins,
        output:
            **PATHS.tables("leave_one_out", of="{item}"),
        log:
            log_of("leave_one_out", "{item}"),
        wildcard_constraints:
            item=one_of(COLLECTION.items["leave_one_out"]),
        conda:
            "../envs/regrade.yaml"
        threads: JOBS["leave_one_out"].threads
        resources:
            mem_mb=JOBS["leave_one_out"].memory,
            runtime=JOBS["leave_one_out"].minutes,
        params:
            asked=JOBS["leave_one_out"].asked,
            content=SETS.content(LEFT_OUT.files),
            imports=JOBS["leave_one_out"].imports,
            code=JOBS["leave_one_out"].code,
        script:
            "../scripts/stage.py"


if OPTIONS["ancova"] is not None:

    rule ancova:
        input:
            scores=PATHS.tables("pools")["scores"],
            deep=PATHS.tables("pools")["deeply_judged"],
        output:
            **given(PATHS.tables("ancova"), "effects", "diagnostics"),
        log:
            log_of("ancova"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            depths=OPTIONS["ancova"]["depths"],
            at_depth=POOLS["baseline"],
            code=source_hash("ancova.py"),
        script:
            "../scripts/ancova.py"

    rule mixed_models:
        input:
            scores=PATHS.tables("pools")["scores"],
            deep=PATHS.tables("pools")["deeply_judged"],
        output:
            coefficients=PATHS.tables("ancova")["mixed_coefficients"],
            tests=PATHS.tables("ancova")["mixed_tests"],
            variances=PATHS.tables("ancova")["mixed_variances"],
        log:
            log_of("mixed_models"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            depths=OPTIONS["ancova"]["depths"],
            at_depth=POOLS["baseline"],
            code=source_hash("mixed_models.py"),
        script:
            "../scripts/mixed_models.py"
