# What tied scores do: rates, ranges over the orders of tied documents, deliberate bands.
TIES = OPTIONS["ties"] or {}
if TIES:

    rule tie_rates:
        input:
            CODED_RUNS,
        output:
            f"{RESULTS}/ties/rates.parquet",
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
            f"{RESULTS}/ties/bounds.parquet",
        log:
            log_of("tie_bounds"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=500,
            runtime=5,
        params:
            rho=TIES["rho"],
            measures=TIES["measures"],
            code=source_hash("tie_bounds.py"),
        script:
            "../scripts/tie_bounds.py"

    rule tie_ranges:
        input:
            runs=CODED_RUNS,
            qrels=CODED_QRELS.format(name=TIES["qrels"]),
        output:
            f"{RESULTS}/ties/ranges.parquet",
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
            max_grade=COLLECTION.max_grade(TIES["qrels"], "ties.qrels"),
            code=source_hash("tie_ranges.py"),
        script:
            "../scripts/tie_ranges.py"

    rule banded_scores:
        input:
            runs=CODED_RUNS,
            qrels=CODED_QRELS.format(name=TIES["qrels"]),
        output:
            scores=f"{RESULTS}/ties/banded.parquet",
            non_inferiority=f"{RESULTS}/ties/non_inferiority.parquet",
            non_inferior=f"{RESULTS}/ties/non_inferior.parquet",
            p_values=f"{RESULTS}/ties/p_values.parquet",
            quadrants=f"{RESULTS}/ties/quadrants.parquet",
        log:
            log_of("banded_scores"),
        conda:
            "../envs/regrade.yaml"
        threads: 4
        resources:
            mem_mb=1500,
            runtime=20,
        params:
            rho=TIES["rho"],
            measures=TIES["measures"],
            fractions=TIES["fractions"],
            systems=TIES["systems"],
            significance=TIES["significance"],
            max_grade=COLLECTION.max_grade(TIES["qrels"], "ties.qrels"),
            code=source_hash("banded_scores.py"),
        script:
            "../scripts/banded_scores.py"
