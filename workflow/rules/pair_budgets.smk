# How few pairs do: subsets, policies replayed, when to stop; judges' cycles; made worlds.
PAIR_WORLDS = OPTIONS["pair_worlds"]
for name, asked in COLLECTION.items["pair_budgets"].items():
    made = PATHS.tables("pair_budgets", of=name)
    ranked = asked["references"] if COLLECTION.has_runs and asked["measures"] else []

    rule:
        name:
            rule_name("judge_transitivity", name)
        input:
            [PATHS.counted_answers(one) for one in (asked["set"], *asked["others"])],
        output:
            **given(made, "judges", "transitivity"),
        log:
            log_of("judge_transitivity", name),
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            seed=OPTIONS["seed"],
            judges=[asked["set"], *asked["others"]],
            code=source_hash("judge_transitivity.py"),
        script:
            "../scripts/judge_transitivity.py"

    rule:
        name:
            rule_name("draw_pairs", name)
        input:
            answers=PATHS.counted_answers(asked["set"]),
            judges=made["judges"],
            runs=PATHS.runs if asked["measures"] else [],
            references=PATHS.sets(ranked),
        output:
            **given(made, "subsets", "needed"),
        log:
            log_of("draw_pairs", name),
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=3000,
            runtime=60,
        params:
            **given(asked, "measures", "shares", "repeats"),
            seed=OPTIONS["seed"],
            highest=COLLECTION.max_grades(ranked),
            code=source_hash("draw_pairs.py"),
        script:
            "../scripts/draw_pairs.py"

    rule:
        name:
            rule_name("replay_pairs", name)
        input:
            answers=PATHS.counted_answers(asked["set"]),
            judges=made["judges"],
            runs=PATHS.runs if asked["measures"] else [],
            references=PATHS.sets(ranked),
        output:
            **given(made, "policies", "stops", "stopping"),
        log:
            log_of("replay_pairs", name),
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=3000,
            runtime=60,
        params:
            **given(asked, "measures", "policies", "per_document", "replays"),
            **given(asked, "top", "stop_tau", "stop_overlap"),
            seed=OPTIONS["seed"],
            highest=COLLECTION.max_grades(ranked),
            code=source_hash("replay_pairs.py"),
        script:
            "../scripts/replay_pairs.py"


if PAIR_WORLDS:

    rule pair_worlds:
        output:
            **PATHS.tables("pair_worlds"),
        log:
            log_of("pair_worlds"),
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=1000,
            runtime=60,
        params:
            worlds={**PAIR_WORLDS, "seed": OPTIONS["seed"]},
            code=source_hash("pair_worlds.py"),
        script:
            "../scripts/pair_worlds.py"
