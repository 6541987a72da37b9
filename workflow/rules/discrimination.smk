# Whether shallower pools still tell systems apart: tests of all pairs under each pool, and the
# analysis of covariance.
if OPTIONS["discrimination"] is not None:

    rule compare_pairs:
        input:
            scores=PATHS.tables("pools")["scores"],
            deep=PATHS.tables("pools")["deeply_judged"],
            groups=GROUPS,
        output:
            **PATHS.tables("discrimination"),
        log:
            log_of("compare_pairs"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            **given(POOLS, "depths", "baseline"),
            **OPTIONS["pair_tests"],
            seed=OPTIONS["seed"],
            code=source_hash("compare_pairs.py"),
        script:
            "../scripts/compare_pairs.py"


SIGNIFICANCE = OPTIONS["significance"]
if SIGNIFICANCE:

    rule significant_pairs:
        input:
            scores=collect(SCORES, name=SIGNIFICANCE),
            groups=GROUPS,
        output:
            **PATHS.tables("significance"),
        log:
            log_of("significant_pairs"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=COLLECTION.memory(4000, 0.2),
            runtime=60,
        params:
            **OPTIONS["pair_tests"],
            qrels=SIGNIFICANCE,
            seed=OPTIONS["seed"],
            code=source_hash("significant_pairs.py"),
        script:
            "../scripts/significant_pairs.py"


if OPTIONS["ancova"] is not None:

    rule ancova:
        input:
            scores=PATHS.tables("pools")["scores"],
            deep=PATHS.tables("pools")["deeply_judged"],
        output:
            **given(PATHS.tables("ancova"), "effects", "diagnostics"),
        log:
            log_of("ancova"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            depths=OPTIONS["ancova"]["depths"],
            at_depth=POOLS["baseline"],
            code=source_hash("ancova.py"),
        script:
            "../scripts/ancova.py"

    rule mixed_models:
        input:
            scores=PATHS.tables("pools")["scores"],
            deep=PATHS.tables("pools")["deeply_judged"],
        output:
            coefficients=PATHS.tables("ancova")["mixed_coefficients"],
            tests=PATHS.tables("ancova")["mixed_tests"],
            variances=PATHS.tables("ancova")["mixed_variances"],
        log:
            log_of("mixed_models"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            depths=OPTIONS["ancova"]["depths"],
            at_depth=POOLS["baseline"],
            code=source_hash("mixed_models.py"),
        script:
            "../scripts/mixed_models.py"
