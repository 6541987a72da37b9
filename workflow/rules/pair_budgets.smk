# Fewer pairs: subsets, policies replayed, when to stop; judges' cycles; made worlds.
PAIR_BUDGETS = COLLECTION.pair_budgets
PAIR_WORLDS = OPTIONS["pair_worlds"]
for name, asked in PAIR_BUDGETS.items():

    rule:
        name:
            rule_name("judge_transitivity", name)
        input:
            [answers_that_count(one) for one in (asked["set"], *asked["others"])],
        output:
            **tables_of_budgets(name, "judges", "transitivity"),
        log:
            log_of("judge_transitivity", name),
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            **given(asked, "spread", "baselines", "corrections", "resamples", "seed"),
            judges=[asked["set"], *asked["others"]],
            code=source_hash("judge_transitivity.py"),
        script:
            "../scripts/judge_transitivity.py"


for name, asked in PAIR_BUDGETS.items():

    rule:
        name:
            rule_name("draw_pairs", name)
        input:
            answers=answers_that_count(asked["set"]),
            judges=tables_of_stage("pair_budgets", name)["judges"],
            runs=runs_of_budgets(asked),
            references=[QRELS.format(name=one) for one in references_of_budgets(asked)],
        output:
            **tables_of_budgets(name, "subsets", "needed"),
        log:
            log_of("draw_pairs", name),
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=3000,
            runtime=60,
        params:
            **given(asked, "measures", "methods", "shares", "draws", "repeats", "targets"),
            **given(asked, "certainty", "seed"),
            highest=highest_grades(references_of_budgets(asked)),
            code=source_hash("draw_pairs.py"),
        script:
            "../scripts/draw_pairs.py"


for name, asked in PAIR_BUDGETS.items():

    rule:
        name:
            rule_name("replay_pairs", name)
        input:
            answers=answers_that_count(asked["set"]),
            judges=tables_of_stage("pair_budgets", name)["judges"],
            runs=runs_of_budgets(asked),
            references=[QRELS.format(name=one) for one in references_of_budgets(asked)],
        output:
            **tables_of_budgets(name, "policies", "stops", "stopping"),
        log:
            log_of("replay_pairs", name),
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=3000,
            runtime=60,
        params:
            **given(asked, "measures", "policies", "per_document", "replays", "top", "refit"),
            **given(asked, "stop_tau", "stop_overlap", "confidences", "every", "drawn"),
            **given(asked, "resamples", "seed"),
            highest=highest_grades(references_of_budgets(asked)),
            code=source_hash("replay_pairs.py"),
        script:
            "../scripts/replay_pairs.py"


if PAIR_WORLDS:

    rule pair_worlds:
        output:
            f"{RESULTS}/pair-worlds/coverage.parquet",
        log:
            log_of("pair_worlds"),
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=1000,
            runtime=60,
        params:
            **given(PAIR_WORLDS, "stop_tau", "stop_overlap", "confidences", "top", "every"),
            drawn=PAIR_WORLDS["drawn"],
            worlds=given(
                PAIR_WORLDS,
                "documents",
                "shapes",
                "spreads",
                "assumed",
                "policies",
                "most",
                "worlds",
                "seed",
            ),
            code=source_hash("pair_worlds.py"),
        script:
            "../scripts/pair_worlds.py"


rule pair_budgets:
    input:
        [table for name in PAIR_BUDGETS for table in tables_of_stage("pair_budgets", name).values()],
        rules.pair_worlds.output if PAIR_WORLDS else [],
    localrule: True
