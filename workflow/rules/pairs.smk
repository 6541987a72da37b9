# What answers about pairs of documents come to: scores of documents, graphs, sides, consistency;
# beside labels, and systems under them.
for name, asked in COLLECTION.items["pairs"].items():
    made = PATHS.tables("pairs", of=name)
    task = PATHS.tables("pair_tasks", of=asked["task"]) if asked["task"] else {}

    rule:
        name:
            rule_name("score_pairs", name)
        input:
            pairs=task.get("pairs", []),
            tests=task.get("tests", []),
            answers=PATHS.set(asked["set"]),
        output:
            **made,
        log:
            log_of("score_pairs", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            **given(asked, "drop", "refuse", "accuracy"),
            **given(asked, "methods", "combined", "bias", "consistency_by", "seconds"),
            code=source_hash("score_pairs.py"),
        script:
            "../scripts/score_pairs.py"

    rule:
        name:
            rule_name("describe_workers", name)
        input:
            **given(made, "answers", "left_out", "consistency"),
        output:
            **PATHS.tables("pairs_and_workers", of=name),
        log:
            log_of("describe_workers", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            **given(asked, "price", "seconds", "consistency_by"),
            code=source_hash("describe_workers.py"),
        script:
            "../scripts/describe_workers.py"

    if asked["references"]:

        rule:
            name:
                rule_name("compare_pair_labels", name)
            input:
                **given(made, "answers", "scores"),
                pairs=task.get("pairs", []),
                workers=PATHS.tables("pairs_and_workers", of=name)["workers"],
                references=PATHS.sets(asked["references"]),
            output:
                **PATHS.tables("pairs_and_labels", of=name),
            log:
                log_of("compare_pair_labels", name),
            conda:
                "../envs/regrade.yaml"
            resources:
                mem_mb=2000,
                runtime=30,
            params:
                **given(asked, "references", "metric"),
                code=source_hash("compare_pair_labels.py"),
            script:
                "../scripts/compare_pair_labels.py"

    if asked["references"] and COLLECTION.has_runs:

        rule:
            name:
                rule_name("rank_by_pairs", name)
            input:
                runs=CODED_RUNS,
                scores=made["scores"],
                references=PATHS.sets(asked["references"]),
            output:
                **PATHS.tables("pairs_and_systems", of=name),
            log:
                log_of("rank_by_pairs", name),
            conda:
                "../envs/regrade.yaml"
            resources:
                mem_mb=3000,
                runtime=30,
            params:
                **given(asked, "measures", "parts", "difficulty"),
                **OPTIONS["pair_tests"],
                seed=OPTIONS["seed"],
                highest=COLLECTION.max_grades(asked["references"]),
                code=source_hash("rank_by_pairs.py"),
            script:
                "../scripts/rank_by_pairs.py"

    if asked["partitions"] is not None:

        rule:
            name:
                rule_name("draw_partitions", name)
            input:
                answers=made["answers"],
                runs=PATHS.runs,
                references=PATHS.sets(asked["references"]),
            output:
                **PATHS.tables("pairs_and_partitions", "partitions_and_systems", of=name),
            log:
                log_of("draw_partitions", name),
            conda:
                "../envs/regrade.yaml"
            resources:
                mem_mb=3000,
                runtime=60,
            params:
                **given(asked, "partitions", "metric", "measures", "bias"),
                tested={**OPTIONS["pair_tests"], "seed": OPTIONS["seed"]},
                seed=OPTIONS["seed"],
                highest=(COLLECTION.max_grades(asked["references"]) if COLLECTION.has_runs else {}),
                code=source_hash("draw_partitions.py"),
            script:
                "../scripts/draw_partitions.py"


rule label_by_scores:
    input:
        SETS.scores_of_pairs,
    output:
        QRELS,
    log:
        log_of("label_by_scores", "{name}"),
    wildcard_constraints:
        name=one_of(COLLECTION.scored),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        how=SETS.labelling_by_scores,
        scale=SETS.written_scale,
        code=source_hash("label_by_scores.py"),
    script:
        "../scripts/label_by_scores.py"
