# Systems under several sets of labels at once, and lists that assessors rated by two criteria.
for name, asked in COLLECTION.items["criteria"].items():
    sets = [asked["set"], *asked["others"]]

    rule:
        name:
            rule_name("rank_criteria", name)
        input:
            runs=CODED_RUNS,
            codes=[PATHS.coded(one) for one in sets],
            qrels=PATHS.sets(sets),
        output:
            **PATHS.tables("criteria", of=name),
        log:
            log_of("rank_criteria", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=3000,
            runtime=30,
        params:
            **given(asked, "measure", "steps"),
            max_grades=COLLECTION.max_grades(sets),
            code=source_hash("rank_criteria.py"),
        script:
            "../scripts/rank_criteria.py"


for name, asked in COLLECTION.items["rated_lists"].items():

    rule:
        name:
            rule_name("score_rated_lists", name)
        input:
            SETS.file_of(asked),
        output:
            **PATHS.tables("rated_lists", of=name),
        log:
            log_of("score_rated_lists", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            **given(asked, "fields", "criteria", "relevant_from"),
            scale=written_scale(asked),
            content=SETS.content(SETS.file_of(asked)),
            code=source_hash("score_rated_lists.py"),
        script:
            "../scripts/score_rated_lists.py"
