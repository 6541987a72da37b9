# Per judge: the cut of each, and what cuts lose where another judge, topic or collection uses them.
for name, asked in COLLECTION.items["per_judge"].items():
    cuts, made = CUTS[name], PATHS.tables("per_judge", of=name)
    searches = cuts.chosen(asked)
    others = [CUTS[other] for other in asked["others"]]

    rule:
        name:
            rule_name("transfer_cuts", name)
        input:
            **cuts.compared,
            **cuts.ranked,
            **labels_of_others(others),
            collections=[*map(COLLECTION.path, asked["collections"].values())],
        output:
            **given(made, "judges", "transfer"),
        log:
            log_of("transfer_cuts", name),
        conda:
            "../envs/regrade.yaml"
        threads: cuts.threads(FEW_CUTS)
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            **cuts.again(searches),
            **given(asked, "between", "minimum"),
            seed=OPTIONS["seed"],
            transformation=name,
            named={},
            others=again_of_others(others, searches),
            collections=[*asked["collections"]],
            code=source_hash("transfer_cuts.py"),
        script:
            "../scripts/transfer_cuts.py"

    rule:
        name:
            rule_name("aggregate_cuts", name)
        input:
            **(cuts.compared | {"pool": []}),
            **cuts.ranked,
        output:
            **given(made, "aggregated"),
        log:
            log_of("aggregate_cuts", name),
        conda:
            "../envs/regrade.yaml"
        threads: 1
        resources:
            mem_mb=4000,
            runtime=120,
        params:
            **cuts.again(searches),
            votes=asked["votes"],
            named={},
            code=source_hash("aggregate_cuts.py"),
        script:
            "../scripts/aggregate_cuts.py"

    rule:
        name:
            rule_name("fewer_judges", name)
        input:
            **cuts.compared,
            **cuts.ranked,
        output:
            **given(made, "fewer"),
        log:
            log_of("fewer_judges", name),
        conda:
            "../envs/regrade.yaml"
        threads: cuts.threads(FEW_CUTS)
        resources:
            mem_mb=4000,
            runtime=120,
        params:
            **cuts.again(searches),
            **given(asked, "fewer", "fewer_of"),
            seed=OPTIONS["seed"],
            named={},
            code=source_hash("fewer_judges.py"),
        script:
            "../scripts/fewer_judges.py"
