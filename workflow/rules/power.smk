# Discriminative power of labels under preferences, beside agreement and what tells systems apart;
# the same of synthetic judgments of known quality.
POWER = COLLECTION.power
SYNTHETIC_POWER = OPTIONS["synthetic_power"]
for name, asked in POWER.items():

    rule:
        name:
            rule_name("measure_power", name)
        input:
            **inputs_of_power(asked),
        output:
            **tables_of_power(name),
        log:
            log_of("measure_power", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=3000,
            runtime=60,
        params:
            **given(asked, "modes", "ties", "doubt", "depths", "states", "beyond", "samples"),
            **given(asked, "extended", "certainties", "slices", "measures", "significance"),
            **given(asked, "tests", "correction", "permutations", "seed"),
            **given(asked, "resamples", "assessor_resamples"),
            ends=ends_of(asked["sets"]),
            preferences=asked["preferences"],
            experts=asked["experts"],
            code=source_hash("measure_power.py"),
        script:
            "../scripts/measure_power.py"

    rule:
        name:
            rule_name("cut_by_power", name)
        input:
            **inputs_of_power(asked),
            best_cuts=agreeing_tables(asked, "best_cuts"),
            alpha=agreeing_tables(asked, "alpha"),
        output:
            **tables_of_power(name, "power_of_levels"),
        log:
            log_of("cut_by_power", name),
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=3000,
            runtime=60,
        params:
            **given(asked, "modes", "ties", "doubt", "depths", "states", "beyond", "samples"),
            **given(asked, "levels", "measures", "significance"),
            **given(asked, "tests", "correction", "permutations", "seed"),
            cuts=given(asked["cuts"], "levels", "evaluated", "individually"),
            scales=scales_of_power(asked),
            searches=searches_beside_power(asked),
            grids=grids_beside_power(asked),
            ends=ends_of(asked["sets"]),
            preferences=asked["preferences"],
            experts=asked["experts"],
            code=source_hash("cut_by_power.py"),
        script:
            "../scripts/cut_by_power.py"


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


for name, asked in COLLECTION.pages.items():

    rule:
        name:
            rule_name("prefer_pages", name)
        input:
            labels=set_table(asked["set"]),
            file=file_of(asked),
            runs=[] if asked["ranks"] else CODED_RUNS,
            preferences=[PREFERENCES.format(name=one) for one in asked["preferences"]],
            cuts=(
                tables_of_power(asked["power"], "power_of_levels")["searched"]
                if asked["power"]
                else []
            ),
        output:
            **tables_of_stage("pages", name),
        log:
            log_of("prefer_pages", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            **given(asked, "set", "columns", "winners", "ranks", "levels", "measures"),
            **given(asked, "preferences", "resamples", "seed"),
            ends=ends_of([asked["set"]]),
            content=content_of_file(asked),
            code=source_hash("prefer_pages.py"),
        script:
            "../scripts/prefer_pages.py"


rule power:
    input:
        [
            table
            for name in POWER
            for stage in ("power", "power_of_levels")
            for table in tables_of_power(name, stage).values()
        ],
        rules.synthetic_power.output if SYNTHETIC_POWER else [],
        [list(tables_of_stage("pages", name).values()) for name in COLLECTION.pages],
    localrule: True
