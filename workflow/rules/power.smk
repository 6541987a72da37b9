# How well labels tell apart what people prefer, beside agreement and how well they tell systems
# apart; the same of synthetic judgments of known quality.
SYNTHETIC_POWER = OPTIONS["synthetic_power"]
for name, asked in COLLECTION.items["power"].items():
    read = {key: PATHS.sets(asked[key]) for key in ("sets", "preferences", "experts")}
    ends = {one: COLLECTION.ends(one) for one in asked["sets"]}
    agreeing = beside_power(CUTS.values(), asked)

    rule:
        name:
            rule_name("measure_power", name)
        input:
            **read,
            runs=PATHS.runs,
        output:
            **PATHS.tables("power", "power_and_systems", of=name),
        log:
            log_of("measure_power", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=3000,
            runtime=60,
        params:
            **given(asked, "modes", "extended", "measures", "tests", "assessor_resamples"),
            **given(OPTIONS["pair_tests"], "correction", "significance"),
            **given(asked, "preferences", "experts"),
            seed=OPTIONS["seed"],
            ends=ends,
            code=source_hash("measure_power.py"),
        script:
            "../scripts/measure_power.py"

    rule:
        name:
            rule_name("cut_by_power", name)
        input:
            **read,
            runs=PATHS.runs,
            best_cuts=[path for one in agreeing for path in one.searched["best_cuts"]],
            alpha=[path for one in agreeing for path in one.searched["alpha"]],
        output:
            **PATHS.tables("power_of_levels", "power_of_levels_and_systems", of=name),
        log:
            log_of("cut_by_power", name),
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=3000,
            runtime=60,
        params:
            **given(asked, "modes", "levels", "measures", "tests"),
            **given(OPTIONS["pair_tests"], "correction", "significance"),
            **given(asked, "preferences", "experts"),
            seed=OPTIONS["seed"],
            cuts=given(asked["cuts"], "levels", "evaluated", "individually"),
            scales={one: COLLECTION.collected_scale(one) for one in cut_by_power(asked)},
            searches=[
                (one.name, one.source, one.levels, search)
                for one in agreeing
                for search in one.searches
            ],
            grids=[(one.source, one.levels, one.options["grid"]) for one in agreeing],
            ends=ends,
            code=source_hash("cut_by_power.py"),
        script:
            "../scripts/cut_by_power.py"


if SYNTHETIC_POWER:

    rule synthetic_power:
        output:
            **PATHS.tables("synthetic_power"),
        log:
            log_of("synthetic_power"),
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            **given(SYNTHETIC_POWER, "grades", "tests", "repeats"),
            drawn={**given(SYNTHETIC_POWER, "topics", "batch"), "seed": OPTIONS["seed"]},
            code=source_hash("synthetic_power.py"),
        script:
            "../scripts/synthetic_power.py"


for name, asked in COLLECTION.items["pages"].items():

    rule:
        name:
            rule_name("prefer_pages", name)
        input:
            labels=PATHS.set(asked["set"]),
            file=SETS.file_of(asked),
            runs=[] if asked["ranks"] else CODED_RUNS,
            preferences=PATHS.sets(asked["preferences"]),
            cuts=(
                PATHS.tables("power_of_levels", of=asked["power"])["searched"]
                if asked["power"]
                else []
            ),
        output:
            **PATHS.tables("pages", of=name),
        log:
            log_of("prefer_pages", name),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            **given(asked, "set", "columns", "winners", "ranks", "measures", "preferences"),
            seed=OPTIONS["seed"],
            ends={asked["set"]: COLLECTION.ends(asked["set"])},
            content=SETS.content(SETS.file_of(asked)),
            code=source_hash("prefer_pages.py"),
        script:
            "../scripts/prefer_pages.py"
