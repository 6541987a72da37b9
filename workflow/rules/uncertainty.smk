# How far scores can move with what nobody judged: RBP's residual over φ, the φ nearest to other
# measures, and exact ranges.
RESIDUALS = OPTIONS["residuals"] or {}
RANGES = OPTIONS["ranges"] or {}
if RESIDUALS:
    made = PATHS.tables("residuals")

    rule rbp_curves:
        input:
            runs=CODED_RUNS,
            qrels=PATHS.coded(RESIDUALS["qrels"]),
        output:
            curves=made["rbp"],
            tau=made["tau_by_phi"],
        log:
            log_of("rbp_curves"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=10,
        params:
            measures=RESIDUALS["measures"],
            max_grade=COLLECTION.scale(RESIDUALS["qrels"]).high,
            code=source_hash("rbp_curves.py"),
        script:
            "../scripts/rbp_curves.py"

    rule nearest_phi:
        input:
            runs=CODED_RUNS,
            qrels=PATHS.coded(RESIDUALS["qrels"]),
            deep=PATHS.tables("pools")["deeply_judged"] if POOLS else [],
        output:
            nearest=made["nearest_phi"],
            summary=made["nearest_summary"],
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
            max_grade=COLLECTION.scale(RESIDUALS["qrels"]).high,
            code=source_hash("nearest_phi.py"),
        script:
            "../scripts/nearest_phi.py"


if RANGES:

    rule exact_ranges:
        input:
            runs=CODED_RUNS,
            qrels=PATHS.coded(RANGES["qrels"]),
        output:
            **PATHS.tables("ranges"),
        log:
            log_of("exact_ranges"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1500,
            runtime=20,
        params:
            **given(RANGES, "measures", "residual"),
            levels=[*COLLECTION.scale(RANGES["qrels"]).values],
            code=source_hash("exact_ranges.py"),
        script:
            "../scripts/exact_ranges.py"
