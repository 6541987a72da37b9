# What tied scores do: rates, ranges over the orders of tied documents, deliberate bands.
TIES = OPTIONS["ties"] or {}
if TIES:
    made = PATHS.tables("ties")

    rule tie_rates:
        input:
            CODED_RUNS,
        output:
            made["rates"],
        log:
            log_of("tie_rates"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=5,
        params:
            score_precision=OPTIONS["score_precision"],
            code=source_hash("tie_rates.py"),
        script:
            "../scripts/tie_rates.py"

    rule tie_bounds:
        output:
            made["bounds"],
        log:
            log_of("tie_bounds"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=500,
            runtime=5,
        params:
            **given(TIES, "rho", "measures"),
            code=source_hash("tie_bounds.py"),
        script:
            "../scripts/tie_bounds.py"

    rule tie_ranges:
        input:
            runs=CODED_RUNS,
            qrels=PATHS.coded(TIES["qrels"]),
            rates=made["rates"],
        output:
            **given(made, "ranges", "ranks", "numbers", "answer"),
        log:
            log_of("tie_ranges"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=10,
        params:
            measures=TIES["ranges"],
            unjudged=TIES["unjudged"],
            score_precision=OPTIONS["score_precision"],
            max_grade=COLLECTION.scale(TIES["qrels"]).high,
            code=source_hash("tie_ranges.py"),
        script:
            "../scripts/tie_ranges.py"

    rule banded_scores:
        input:
            runs=CODED_RUNS,
            qrels=PATHS.coded(TIES["qrels"]),
        output:
            **given(made, "non_inferiority", "non_inferior", "p_values", "quadrants"),
            scores=made["banded"],
        log:
            log_of("banded_scores"),
        conda:
            "../envs/regrade.yaml"
        threads: 4
        resources:
            mem_mb=1500,
            runtime=20,
        params:
            **given(TIES, "rho", "measures", "systems"),
            significance=OPTIONS["pair_tests"]["significance"],
            max_grade=COLLECTION.scale(TIES["qrels"]).high,
            code=source_hash("banded_scores.py"),
        script:
            "../scripts/banded_scores.py"
