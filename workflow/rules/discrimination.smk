# Tests of all pairs of systems under each pool, and the analysis of covariance.
DISCRIMINATION = OPTIONS["discrimination"] or {}
ANCOVA = OPTIONS["ancova"] or {}
if DISCRIMINATION:

    rule compare_pairs:
        input:
            scores=rules.pool_scores.output,
            deep=rules.deep_systems.output.systems,
            groups=COLLECTION.path(OPTIONS["groups"]) if OPTIONS["groups"] else [],
        output:
            pairs=f"{RESULTS}/discrimination/pairs.parquet",
            ratios=f"{RESULTS}/discrimination/ratios.parquet",
            agreement=f"{RESULTS}/discrimination/agreement.parquet",
            trends=f"{RESULTS}/discrimination/trends.parquet",
            curve=f"{RESULTS}/discrimination/curve.parquet",
        log:
            log_of("compare_pairs"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            depths=POOLS["depths"],
            baseline=POOLS["baseline"],
            significance=DISCRIMINATION["significance"],
            test=DISCRIMINATION["test"],
            correction=DISCRIMINATION["correction"],
            permutations=DISCRIMINATION["permutations"],
            seed=DISCRIMINATION["seed"],
            code=source_hash("compare_pairs.py"),
        script:
            "../scripts/compare_pairs.py"


SIGNIFICANCE = OPTIONS["significance"] or {}
if SIGNIFICANCE:

    rule significant_pairs:
        input:
            scores=collect(rules.score_qrels.output, name=SIGNIFICANCE["qrels"]),
            groups=COLLECTION.path(OPTIONS["groups"]) if OPTIONS["groups"] else [],
        output:
            pairs=f"{RESULTS}/significance/pairs.parquet",
            ratios=f"{RESULTS}/significance/ratios.parquet",
            curve=f"{RESULTS}/significance/curve.parquet",
        log:
            log_of("significant_pairs"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            **given(SIGNIFICANCE, "qrels", "test", "correction", "permutations", "seed", "level"),
            code=source_hash("significant_pairs.py"),
        script:
            "../scripts/significant_pairs.py"


rule significance:
    input:
        rules.significant_pairs.output if SIGNIFICANCE else [],
    localrule: True


if ANCOVA:

    rule ancova:
        input:
            scores=rules.pool_scores.output,
            deep=rules.deep_systems.output.systems,
        output:
            effects=f"{RESULTS}/ancova/effects.parquet",
            diagnostics=f"{RESULTS}/ancova/diagnostics.parquet",
        log:
            log_of("ancova"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            models=ANCOVA["models"],
            depths=ANCOVA["depths"],
            at_depth=ANCOVA["at_depth"],
            ss_type=ANCOVA["ss_type"],
            contrasts=ANCOVA["contrasts"],
            code=source_hash("ancova.py"),
        script:
            "../scripts/ancova.py"

    rule mixed_models:
        input:
            scores=rules.pool_scores.output,
            deep=rules.deep_systems.output.systems,
        output:
            coefficients=f"{RESULTS}/ancova/mixed_coefficients.parquet",
            tests=f"{RESULTS}/ancova/mixed_tests.parquet",
            variances=f"{RESULTS}/ancova/mixed_variances.parquet",
        log:
            log_of("mixed_models"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            random=ANCOVA["random"],
            depths=ANCOVA["depths"],
            at_depth=ANCOVA["at_depth"],
            code=source_hash("mixed_models.py"),
        script:
            "../scripts/mixed_models.py"
