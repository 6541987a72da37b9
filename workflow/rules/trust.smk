# Which cut to trust: choices judged on what they did not see, and made again from data drawn anew.
for name, asked in COLLECTION.items["trust"].items():
    cuts, made = CUTS[name], PATHS.tables("trust", of=name)
    searches = cuts.chosen(asked)
    others = [CUTS[other] for other in asked["trained_on"]]

    rule:
        name:
            rule_name("hold_out_cuts", name)
        input:
            **cuts.compared,
            **cuts.ranked,
        output:
            **given(made, "held_out", "held_out_topics", "gains"),
        log:
            log_of("hold_out_cuts", name),
        conda:
            "../envs/regrade.yaml"
        threads: cuts.threads(FEW_CUTS)
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            **cuts.again(searches),
            **given(asked, "held_out", "splits"),
            named=cuts.transformation.cuts_of_all,
            seed=OPTIONS["seed"],
            code=source_hash("hold_out_cuts.py"),
        script:
            "../scripts/hold_out_cuts.py"

    rule:
        name:
            rule_name("bootstrap_cuts", name)
        input:
            **cuts.compared,
            **cuts.ranked,
        output:
            **given(made, "bootstrap", "chosen", "plateau", "plateau_effects"),
        log:
            log_of("bootstrap_cuts", name),
        conda:
            "../envs/regrade.yaml"
        threads: cuts.threads(FEW_CUTS)
        resources:
            mem_mb=4000,
            runtime=120,
        params:
            **cuts.again(searches),
            **given(asked, "bootstrap", "resamples"),
            named=cuts.transformation.cuts_of_all,
            seed=OPTIONS["seed"],
            code=source_hash("bootstrap_cuts.py"),
        script:
            "../scripts/bootstrap_cuts.py"

    rule:
        name:
            rule_name("cut_unlabelled", name)
        input:
            **cuts.compared,
            **labels_of_others(others),
            runs=[],
            experts=[],
        output:
            **given(made, "unlabelled", "budget"),
        log:
            log_of("cut_unlabelled", name),
        conda:
            "../envs/regrade.yaml"
        threads: cuts.threads(FEW_CUTS)
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            **(cuts.again(searches) | {"experts": []}),
            **given(asked, "unlabelled", "budget", "samples"),
            named=cuts.transformation.cuts_of_all,
            seed=OPTIONS["seed"],
            others=again_of_others(others, searches),
            code=source_hash("cut_unlabelled.py"),
        script:
            "../scripts/cut_unlabelled.py"
