# Answers about pairs of documents: scores of documents, graphs, sides, consistency.
PAIRS = COLLECTION.pairs
for name, asked in PAIRS.items():

    rule:
        name:
            rule_name("score_pairs", name)
        input:
            **tables_of_asked_task(asked, "pairs", "tests"),
            answers=PREFERENCES.format(name=asked["set"]),
        output:
            **tables_of_stage("pairs", name),
        log:
            log_of("score_pairs", name),
        conda:
            "../envs/regrade.yaml"
        threads: 8 if asked["resamples"] else 1
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            **given(asked, "rules", "accuracy", "resamples", "seed"),
            **given(asked, "methods", "combined", "bias", "even_sides", "prior", "shift"),
            **given(asked, "consistency_by", "seconds"),
            code=source_hash("score_pairs.py"),
        script:
            "../scripts/score_pairs.py"


for name, asked in PAIRS.items():

    rule:
        name:
            rule_name("describe_workers", name)
        input:
            answers=tables_of_stage("pairs", name)["answers"],
            left_out=tables_of_stage("pairs", name)["left_out"],
            consistency=tables_of_stage("pairs", name)["consistency"],
        output:
            **tables_of_stage("pairs_and_workers", name),
        log:
            log_of("describe_workers", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            **given(asked, "price", "bar", "seconds", "consistency_by"),
            code=source_hash("describe_workers.py"),
        script:
            "../scripts/describe_workers.py"


for name, asked in PAIRS.items():
    if not asked["references"]:
        continue

    rule:
        name:
            rule_name("compare_pair_labels", name)
        input:
            **tables_of_asked_task(asked, "pairs"),
            answers=tables_of_stage("pairs", name)["answers"],
            scores=tables_of_stage("pairs", name)["scores"],
            workers=tables_of_stage("pairs_and_workers", name)["workers"],
            references=[QRELS.format(name=one) for one in asked["references"]],
        output:
            **tables_of_stage("pairs_and_labels", name),
        log:
            log_of("compare_pair_labels", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            **given(asked, "references", "metric", "logistic"),
            code=source_hash("compare_pair_labels.py"),
        script:
            "../scripts/compare_pair_labels.py"

    if COLLECTION.has_runs:

        rule:
            name:
                rule_name("rank_by_pairs", name)
            input:
                runs=CODED_RUNS,
                scores=tables_of_stage("pairs", name)["scores"],
                references=[QRELS.format(name=one) for one in asked["references"]],
            output:
                **tables_of_stage("pairs_and_systems", name),
            log:
                log_of("rank_by_pairs", name),
            conda:
                "../envs/regrade.yaml"
            resources:
                mem_mb=3000,
                runtime=30,
            params:
                **given(asked, "measures", "parts", "persistence", "significance"),
                **given(asked, "test", "correction", "seed", "difficulty"),
                highest=highest_grades(asked["references"]),
                code=source_hash("rank_by_pairs.py"),
            script:
                "../scripts/rank_by_pairs.py"


for name, asked in PAIRS.items():
    if not stages_of_partitions(asked):
        continue

    rule:
        name:
            rule_name("draw_partitions", name)
        input:
            answers=tables_of_stage("pairs", name)["answers"],
            runs=CODED_RUNS if COLLECTION.has_runs else [],
            references=[QRELS.format(name=one) for one in asked["references"]],
        output:
            **tables_of_partitions(name),
        log:
            log_of("draw_partitions", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=3000,
            runtime=60,
        params:
            **given(asked, "partitions", "metric", "seed"),
            **given(asked, "measures"),
            scored=given(asked, "bias", "even_sides", "prior", "shift"),
            compared=given(asked, "persistence", "significance", "test", "correction", "seed"),
            highest=highest_grades(asked["references"]) if COLLECTION.has_runs else {},
            code=source_hash("draw_partitions.py"),
        script:
            "../scripts/draw_partitions.py"


rule label_by_scores:
    input:
        scores_to_label_by,
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
        how=how_scores_label,
        scale=written_scale_of("qrels"),
        code=source_hash("label_by_scores.py"),
    script:
        "../scripts/label_by_scores.py"


rule pairs:
    input:
        [table for name in PAIRS for table in tables_of_pairs(name).values()],
    localrule: True
