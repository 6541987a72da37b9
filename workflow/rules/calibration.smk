# What judges' values say of grades, beside labels under the best cut of them.
for name, asked in COLLECTION.calibration.items():

    rule:
        name:
            rule_name("calibrate", name)
        input:
            reference=PATHS.set(asked["reference"]),
            sets=PATHS.sets(asked["sets"]),
            runs=PATHS.runs,
        output:
            **PATHS.tables("calibration", of=name),
        log:
            log_of("calibrate", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=3000,
            runtime=60,
        params:
            **given(asked, "reference", "sets"),
            how={"seed": OPTIONS["seed"]},
            levels=len(COLLECTION.scale(asked["reference"]).values),
            scales=[COLLECTION.collected_scale(one) for one in asked["sets"]],
            code=source_hash("calibrate.py"),
        script:
            "../scripts/calibrate.py"
