# Per judge: the cut of each, and what cuts lose where another judge, topic or collection uses them.
for asked in COLLECTION.per_judge.values():
    transformation = TRANSFORMATIONS[asked["transformation"]]

    rule:
        name:
            rule_name("transfer_cuts", transformation.name)
        input:
            judgments=set_table(transformation.source),
            references=reference_tables(transformation),
            pool=pool_of(transformation),
            runs=CODED_RUNS if COLLECTION.has_runs else [],
            experts=[QRELS.format(name=expert) for expert in transformation.experts],
            other_judgments=[set_table(TRANSFORMATIONS[name].source) for name in asked["others"]],
            other_references=[
                path
                for name in asked["others"]
                for path in reference_tables(TRANSFORMATIONS[name])
            ],
            collections=[*map(COLLECTION.path, asked["collections"].values())],
        output:
            **tables_of_trust(transformation, "judges", "transfer"),
        log:
            log_of("transfer_cuts", transformation.name),
        conda:
            "../envs/regrade.yaml"
        threads: threads_of(transformation, FEW_CUTS)
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            **searched_by(transformation, trusted_searches(asked)),
            **given(asked, "between", "minimum", "most", "splits", "seed"),
            transformation=transformation.name,
            named={},
            others={
                name: searched_by(TRANSFORMATIONS[name], searches)
                for name, searches in lenders_of(asked).items()
            },
            collections=[*asked["collections"]],
            code=source_hash("transfer_cuts.py"),
        script:
            "../scripts/transfer_cuts.py"

    rule:
        name:
            rule_name("aggregate_cuts", transformation.name)
        input:
            judgments=set_table(transformation.source),
            references=reference_tables(transformation),
            pool=[],
            runs=CODED_RUNS if COLLECTION.has_runs else [],
            experts=[QRELS.format(name=expert) for expert in transformation.experts],
        output:
            **tables_of_trust(transformation, "aggregated"),
        log:
            log_of("aggregate_cuts", transformation.name),
        conda:
            "../envs/regrade.yaml"
        threads: 1
        resources:
            mem_mb=4000,
            runtime=120,
        params:
            **searched_by(transformation, trusted_searches(asked)),
            **given(asked, "votes", "tried", "values"),
            named={},
            code=source_hash("aggregate_cuts.py"),
        script:
            "../scripts/aggregate_cuts.py"

    rule:
        name:
            rule_name("fewer_judges", transformation.name)
        input:
            judgments=set_table(transformation.source),
            references=reference_tables(transformation),
            pool=pool_of(transformation),
            runs=CODED_RUNS if COLLECTION.has_runs else [],
            experts=[QRELS.format(name=expert) for expert in transformation.experts],
        output:
            **tables_of_trust(transformation, "fewer"),
        log:
            log_of("fewer_judges", transformation.name),
        conda:
            "../envs/regrade.yaml"
        threads: threads_of(transformation, FEW_CUTS)
        resources:
            mem_mb=4000,
            runtime=120,
        params:
            **searched_by(transformation, trusted_searches(asked)),
            **given(asked, "fewer", "fewer_of", "samples", "seed"),
            named={},
            code=source_hash("fewer_judges.py"),
        script:
            "../scripts/fewer_judges.py"


rule per_judge:
    input:
        [path for name in COLLECTION.per_judge for path in everything_per_judge(name)],
    localrule: True
