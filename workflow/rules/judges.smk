# Several judges beside one reference, under every way to cut their values.
for name, asked in COLLECTION.judges.items():

    rule:
        name:
            rule_name("judge_judges", name)
        input:
            reference=set_table(asked["reference"]),
            sets=[set_table(one) for one in asked["sets"]],
            runs=CODED_RUNS if COLLECTION.has_runs else [],
        output:
            **tables_of_judges(name),
        log:
            log_of("judge_judges", name),
        conda:
            "../envs/regrade.yaml"
        threads: 1
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            **given(asked, "metric", "weights", "coverage", "folds", "by_tau", "correction"),
            **given(asked, "significance", "resamples", "seed", "measures", "cuts", "grid"),
            reference=asked["reference"],
            levels=len(COLLECTION.grades(asked["reference"], "judges")),
            sets=asked["sets"],
            scales=[scale_of_set(one) for one in asked["sets"]],
            code=source_hash("judge_judges.py"),
        script:
            "../scripts/judge_judges.py"


rule judges:
    input:
        [table for name in COLLECTION.judges for table in tables_of_judges(name).values()],
    localrule: True
