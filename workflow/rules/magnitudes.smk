# What magnitude estimation adds to labels: units checked, values normalised; magnitudes beside
# labels; systems under magnitudes, and how much they vary.  The last of these jobs answers.
for name, asked in COLLECTION.items["magnitudes"].items():
    made = PATHS.tables("magnitudes", of=name)
    levels = {one: [*COLLECTION.scale(one).values] for one in asked["references"]}
    beside = PATHS.tables("magnitudes_and_labels", of=name) if asked["references"] else {}
    answer = PATHS.tables("magnitudes_answer", of=name) if asked["references"] else {}

    rule:
        name:
            rule_name("normalise_magnitudes", name)
        input:
            judgments=PATHS.set(asked["set"]),
            known=PATHS.set(asked["known"]) if asked["known"] else [],
            reference=PATHS.sets(asked["references"][:1]),
        output:
            **made,
        log:
            log_of("normalise_magnitudes", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            how=given(asked, "normalise", "shift", "extremes", "leave_out"),
            code=source_hash("normalise_magnitudes.py"),
        script:
            "../scripts/normalise_magnitudes.py"

    if asked["references"]:

        rule:
            name:
                rule_name("compare_magnitudes", name)
            input:
                **given(made, "units", "topics", "normalised", "documents"),
                references=PATHS.sets(asked["references"]),
            output:
                **beside,
                **({} if COLLECTION.has_runs else answer),
            log:
                log_of("compare_magnitudes", name),
            conda:
                "../envs/regrade.yaml"
            resources:
                mem_mb=2000,
                runtime=20,
            params:
                how=given(asked, "aggregate", "resamples", "shift") | {"seed": OPTIONS["seed"]},
                name=name,
                levels=levels,
                code=source_hash("compare_magnitudes.py"),
            script:
                "../scripts/compare_magnitudes.py"

    if asked["references"] and COLLECTION.has_runs:

        rule:
            name:
                rule_name("rank_magnitudes", name)
            input:
                **given(made, "units", "normalised"),
                **given(beside, "levels", "agreement", "exceptions"),
                **given(beside, "gain_profiles", "gain_likelihoods"),
                runs=CODED_RUNS,
                widths=made["width_quantiles"],
                references=PATHS.sets(asked["references"]),
            output:
                **PATHS.tables("magnitudes_and_systems", of=name),
                **answer,
            log:
                log_of("rank_magnitudes", name),
            conda:
                "../envs/regrade.yaml"
            threads: 8
            resources:
                mem_mb=3000,
                runtime=30,
            params:
                how=given(asked, "aggregate", "samples", "resamples", "shift")
                | {"seed": OPTIONS["seed"]},
                measures=asked["measures"],
                significance=OPTIONS["pair_tests"]["significance"],
                name=name,
                levels=levels,
                code=source_hash("rank_magnitudes.py"),
            script:
                "../scripts/rank_magnitudes.py"
