# RBP's residual over φ, the φ nearest to other measures, and exact ranges of scores.
RESIDUALS = OPTIONS["residuals"] or {}
RANGES = OPTIONS["ranges"] or {}
if RESIDUALS:

    rule rbp_curves:
        input:
            runs=CODED_RUNS,
            qrels=CODED_QRELS.format(name=RESIDUALS["qrels"]),
        output:
            curves=f"{RESULTS}/residuals/rbp.parquet",
            tau=f"{RESULTS}/residuals/tau_by_phi.parquet",
        log:
            log_of("rbp_curves"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=10,
        params:
            depths=RESIDUALS["depths"],
            measures=RESIDUALS["measures"],
            max_grade=COLLECTION.max_grade(RESIDUALS["qrels"], "residuals.qrels"),
            code=source_hash("rbp_curves.py"),
        script:
            "../scripts/rbp_curves.py"

    rule nearest_phi:
        input:
            runs=CODED_RUNS,
            qrels=CODED_QRELS.format(name=RESIDUALS["qrels"]),
            deep=rules.deep_systems.output.systems if POOLS else [],
        output:
            nearest=f"{RESULTS}/residuals/nearest_phi.parquet",
            summary=f"{RESULTS}/residuals/nearest_summary.parquet",
        log:
            log_of("nearest_phi"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=20,
        params:
            contributors=POOLS.get("contributors", "all"),
            measures=RESIDUALS["nearest"],
            rbo_p=RESIDUALS["rbo_p"],
            max_grade=COLLECTION.max_grade(RESIDUALS["qrels"], "residuals.qrels"),
            code=source_hash("nearest_phi.py"),
        script:
            "../scripts/nearest_phi.py"


if RANGES:

    rule exact_ranges:
        input:
            runs=CODED_RUNS,
            qrels=CODED_QRELS.format(name=RANGES["qrels"]),
        output:
            ranges=f"{RESULTS}/ranges/ranges.parquet",
            systems=f"{RESULTS}/ranges/systems.parquet",
        log:
            log_of("exact_ranges"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=20,
        params:
            measures=RANGES["measures"],
            residual=RANGES["residual"],
            outside=RANGES["outside"],
            levels=COLLECTION.grades(RANGES["qrels"], "ranges.qrels"),
            code=source_hash("exact_ranges.py"),
        script:
            "../scripts/exact_ranges.py"
