# Systems under several sets of labels at once, and lists that assessors rated by two criteria.
for name, asked in COLLECTION.criteria.items():

    rule:
        name:
            rule_name("rank_criteria", name)
        input:
            runs=CODED_RUNS,
            codes=[CODED_QRELS.format(name=n) for n in sets_of_criteria(asked)],
            qrels=[QRELS.format(name=n) for n in sets_of_criteria(asked)],
        output:
            **tables_of_stage("criteria", name),
        log:
            log_of("rank_criteria", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=3000,
            runtime=30,
        params:
            **given(asked, "measure", "depth", "ties", "weight", "steps"),
            max_grades={n: COLLECTION.max_grade(n, "criteria") for n in sets_of_criteria(asked)},
            code=source_hash("rank_criteria.py"),
        script:
            "../scripts/rank_criteria.py"


for name, asked in COLLECTION.rated_lists.items():

    rule:
        name:
            rule_name("score_rated_lists", name)
        input:
            file_of(asked),
        output:
            **tables_of_stage("rated_lists", name),
        log:
            log_of("score_rated_lists", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            **given(asked, "fields", "criteria", "relevant_from", "steps"),
            scale=written_scale(asked),
            content=content_of_file(asked),
            code=source_hash("score_rated_lists.py"),
        script:
            "../scripts/score_rated_lists.py"


rule criteria:
    input:
        [
            list(tables_of_stage(stage, name).values())
            for stage, names in (
                ("criteria", COLLECTION.criteria),
                ("rated_lists", COLLECTION.rated_lists),
            )
            for name in names
        ],
    localrule: True
