# Two sets of judgments side by side: their labels, and systems under both.
for name, asked in COLLECTION.compare.items():

    rule:
        name:
            rule_name("compare_sets", name)
        input:
            sets=[set_table(one) for one in asked["pairs"][0]],
            runs=CODED_RUNS if COLLECTION.has_runs else [],
            groups=(
                COLLECTION.path(OPTIONS["groups"])
                if COLLECTION.has_runs and OPTIONS["groups"]
                else []
            ),
        output:
            **tables_of_compare(name),
        log:
            log_of("compare_sets", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=3000,
            runtime=30,
        params:
            **given(asked, "weights", "documents", "test", "correction", "permutations"),
            **given(asked, "significance", "persistence", "tops", "resamples", "splits", "seed"),
            metric=asked["alpha"],
            measures=asked["measures"],
            names=asked["pairs"][0],
            max_grades=highest_of_compared(*asked["pairs"][0]),
            same_scale=is_same_scale(*asked["pairs"][0]),
            code=source_hash("compare_sets.py"),
        script:
            "../scripts/compare_sets.py"


rule compared:
    input:
        [table for name in COLLECTION.compare for table in tables_of_compare(name).values()],
    localrule: True
