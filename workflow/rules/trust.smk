# Which cut to trust: choices judged on what they did not see, and made again from data drawn anew.
for asked in COLLECTION.trust.values():
    transformation = TRANSFORMATIONS[asked["transformation"]]

    rule:
        name:
            rule_name("hold_out_cuts", transformation.name)
        input:
            judgments=set_table(transformation.source),
            references=reference_tables(transformation),
            pool=pool_of(transformation),
            runs=CODED_RUNS if COLLECTION.has_runs else [],
            experts=[QRELS.format(name=expert) for expert in transformation.experts],
        output:
            **tables_of_trust(transformation, "held_out", "held_out_topics"),
        log:
            log_of("hold_out_cuts", transformation.name),
        conda:
            "../envs/regrade.yaml"
        threads: threads_of(transformation, FEW_CUTS)
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            **searched_by(transformation, trusted_searches(asked)),
            **given(asked, "named", "held_out", "splits", "seed"),
            code=source_hash("hold_out_cuts.py"),
        script:
            "../scripts/hold_out_cuts.py"

    rule:
        name:
            rule_name("bootstrap_cuts", transformation.name)
        input:
            judgments=set_table(transformation.source),
            references=reference_tables(transformation),
            pool=pool_of(transformation),
            runs=CODED_RUNS if COLLECTION.has_runs else [],
            experts=[QRELS.format(name=expert) for expert in transformation.experts],
        output:
            **tables_of_trust(transformation, "bootstrap", "chosen", "plateau", "plateau_effects"),
        log:
            log_of("bootstrap_cuts", transformation.name),
        conda:
            "../envs/regrade.yaml"
        threads: threads_of(transformation, FEW_CUTS)
        resources:
            mem_mb=4000,
            runtime=120,
        params:
            **searched_by(transformation, trusted_searches(asked)),
            **given(asked, "named", "bootstrap", "resamples", "seed"),
            code=source_hash("bootstrap_cuts.py"),
        script:
            "../scripts/bootstrap_cuts.py"

    rule:
        name:
            rule_name("cut_unlabelled", transformation.name)
        input:
            judgments=set_table(transformation.source),
            references=reference_tables(transformation),
            pool=pool_of(transformation),
            runs=[],
            experts=[],
            other_judgments=[
                set_table(TRANSFORMATIONS[name].source) for name in asked["trained_on"]
            ],
            other_references=[
                path
                for name in asked["trained_on"]
                for path in reference_tables(TRANSFORMATIONS[name])
            ],
        output:
            **tables_of_trust(transformation, "unlabelled", "budget"),
        log:
            log_of("cut_unlabelled", transformation.name),
        conda:
            "../envs/regrade.yaml"
        threads: threads_of(transformation, FEW_CUTS)
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            **(searched_by(transformation, trusted_searches(asked)) | {"experts": []}),
            **given(asked, "named", "unlabelled", "budget", "epsilon", "samples", "seed"),
            others={
                name: searched_by(TRANSFORMATIONS[name], searches)
                for name, searches in teachers_of(asked).items()
            },
            code=source_hash("cut_unlabelled.py"),
        script:
            "../scripts/cut_unlabelled.py"


rule trust:
    input:
        [path for name in COLLECTION.trust for path in everything_of_trust(name)],
    localrule: True
