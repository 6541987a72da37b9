# Two sets of judgments side by side: their labels, and systems under both.
for name, asked in COLLECTION.items["compare"].items():
    (pair,) = asked["pairs"]
    scales = [COLLECTION.scale(one) for one in pair]

    rule:
        name:
            rule_name("compare_sets", name)
        input:
            sets=PATHS.sets(pair),
            runs=PATHS.runs,
            groups=GROUPS if COLLECTION.has_runs else [],
        output:
            **PATHS.tables("compare", "compare_systems", of=name),
        log:
            log_of("compare_sets", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=COLLECTION.memory(3000, 0.2),
            runtime=30,
        params:
            how={
                **given(asked, "metric", "weights", "documents", "resamples", "splits"),
                **OPTIONS["pair_tests"],
                "seed": OPTIONS["seed"],
            },
            measures=asked["measures"],
            names=pair,
            max_grades=[COLLECTION.ends(one)[1] for one in pair],
            same_scale=scales[0] == scales[1],
            score_precision=OPTIONS["score_precision"],
            code=source_hash("compare_sets.py"),
        script:
            "../scripts/compare_sets.py"
