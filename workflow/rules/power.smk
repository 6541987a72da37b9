# Discriminative power of labels under preferences, beside agreement and what tells systems apart;
# the same of synthetic judgments of known quality.
POWER = COLLECTION.power
SYNTHETIC_POWER = OPTIONS["synthetic_power"]
for name, asked in POWER.items():

    rule:
        name:
            rule_name("measure_power", name)
        input:
            sets=[set_table(one) for one in asked["sets"]],
            preferences=[PREFERENCES.format(name=one) for one in asked["preferences"]],
            experts=[QRELS.format(name=one) for one in asked["experts"]],
            runs=CODED_RUNS if COLLECTION.has_runs else [],
        output:
            **tables_of_power(name),
        log:
            log_of("measure_power", name),
        benchmark:
            benchmark_of("measure_power", name)
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=3000,
            runtime=60,
        params:
            **given(asked, "modes", "ties", "doubt", "depths", "states", "samples", "levels"),
            **given(asked, "extended", "certainties", "slices", "measures", "significance"),
            **given(asked, "test", "correction", "seed"),
            ends=ends_of(asked["sets"]),
            preferences=asked["preferences"],
            experts=asked["experts"],
            code=source_hash("measure_power.py"),
        script:
            "../scripts/measure_power.py"


if SYNTHETIC_POWER:

    rule synthetic_power:
        output:
            batches=f"{RESULTS}/synthetic-power/batches.parquet",
            qualities=f"{RESULTS}/synthetic-power/qualities.parquet",
            consistency=f"{RESULTS}/synthetic-power/consistency.parquet",
            reliability=f"{RESULTS}/synthetic-power/reliability.parquet",
            needed=f"{RESULTS}/synthetic-power/needed.parquet",
            example=f"{RESULTS}/synthetic-power/example.parquet",
        log:
            log_of("synthetic_power"),
        benchmark:
            benchmark_of("synthetic_power")
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            **given(SYNTHETIC_POWER, "grades", "doubt", "sampled_grades", "tests", "repeats"),
            drawn=given(
                SYNTHETIC_POWER,
                "topics",
                "batch",
                "documents",
                "assessors",
                "shape",
                "sigma",
                "w",
                "seed",
            ),
            code=source_hash("synthetic_power.py"),
        script:
            "../scripts/synthetic_power.py"


rule power:
    input:
        [table for name in POWER for table in tables_of_power(name).values()],
        rules.synthetic_power.output if SYNTHETIC_POWER else [],
    localrule: True
