# Several judges beside one reference, under every way to cut their values.
for name, asked in COLLECTION.items["judges"].items():

    rule:
        name:
            rule_name("judge_judges", name)
        input:
            reference=PATHS.set(asked["reference"]),
            sets=PATHS.sets(asked["sets"]),
            runs=PATHS.runs,
        output:
            **PATHS.tables("judges", "judges_and_systems", of=name),
        log:
            log_of("judge_judges", name),
        conda:
            "../envs/regrade.yaml"
        threads: 1
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            **given(asked, "measures", "cuts", "grid"),
            how={
                **given(asked, "metric", "weights", "folds", "resamples"),
                **given(OPTIONS["pair_tests"], "correction", "significance"),
                "seed": OPTIONS["seed"],
            },
            reference=asked["reference"],
            levels=len(COLLECTION.scale(asked["reference"]).values),
            sets=asked["sets"],
            scales=[COLLECTION.collected_scale(one) for one in asked["sets"]],
            score_precision=OPTIONS["score_precision"],
            code=source_hash("judge_judges.py"),
        script:
            "../scripts/judge_judges.py"
