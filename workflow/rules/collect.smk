# Files as published become tables; the audit says what was found in them.
for number, names in enumerate(SHARED_RUNS, 2):
    first, shared = SetInputs(PATHS[names[0]]), COLLECTIONS[names[0]].options

    rule:
        name:
            f"collect_runs_{number}"
        input:
            first.files_of_runs,
        output:
            runs=[PATHS[name].below("tables", "runs.parquet") for name in names],
            codes=[PATHS[name].coded_runs for name in names],
        log:
            PATHS[names[0]].below("logs", "collect_runs.log"),
        conda:
            "../envs/regrade.yaml"
        threads: 4
        resources:
            mem_mb=memory(2000),
            runtime=20,
        params:
            tie_break=shared["tie_break"],
            score_precision=shared["score_precision"],
            not_self=shared["not_self"],
            topics=first.topics,
            content=first.content_of_runs,
            code=source_hash("collect_runs.py"),
        script:
            "../scripts/collect_runs.py"


rule collect_runs:
    input:
        SETS.files_of_runs,
    output:
        runs=BELOW.below("tables", "runs.parquet"),
        codes=CODED_RUNS,
    log:
        log_of("collect_runs"),
    wildcard_constraints:
        collection=one_of(name for name in WITH_RUNS if name not in sum(SHARED_RUNS, [])),
    conda:
        "../envs/regrade.yaml"
    threads: 4
    resources:
        mem_mb=memory(2000),
        runtime=20,
    params:
        tie_break=option("tie_break"),
        score_precision=option("score_precision"),
        not_self=option("not_self"),
        topics=SETS.topics,
        content=SETS.content_of_runs,
        code=source_hash("collect_runs.py"),
    script:
        "../scripts/collect_runs.py"


rule code_qrels:
    input:
        runs=CODED_RUNS,
        qrels=QRELS,
    output:
        CODED_QRELS,
    log:
        log_of("code_qrels", "{name}"),
    group:
        "score"
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=5,
    params:
        labels="{name}",
        code=source_hash("code_qrels.py"),
    script:
        "../scripts/code_qrels.py"


for kind in KINDS:

    rule:
        name:
            f"collect_{kind}"
        input:
            SETS.files,
        output:
            BELOW.table_of(kind, "{name}"),
        log:
            log_of(f"collect_{kind}", "{name}"),
        wildcard_constraints:
            **only(f"tables/{kind}/{{name}}.parquet", made_from(kind, "file", None)),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(1000 if kind == "qrels" else 2000, OF_TEXT),
            runtime=10,
        params:
            kind=kind,
            reading=SETS.reading,
            scale=SETS.written_scale,
            relevant_from=SETS.relevant_from,
            workers=SETS.workers,
            topics=SETS.topics,
            content=SETS.content,
            code=source_hash("collect_set.py"),
        script:
            "../scripts/collect_set.py"


for kind in ("judgments", "qrels"):

    rule:
        name:
            f"derive_{kind}"
        input:
            SETS.source,
        output:
            BELOW.table_of(kind, "{name}"),
        log:
            log_of(f"derive_{kind}", "{name}"),
        wildcard_constraints:
            **only(f"tables/{kind}/{{name}}.parquet", made_from(kind, "from")),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(2000),
            runtime=10,
        params:
            kind=kind,
            how=SETS.deriving,
            scale=SETS.written_scale,
            code=source_hash("derive_set.py"),
        script:
            "../scripts/derive_set.py"


# of runs too where there are some; collections without them get a rule with a number
AUDITED = [
    (names, parts)
    for names, parts in (
        (WITH_RUNS, ["runs", "judged"]),
        (WITHOUT_RUNS, []),
    )
    if names
]

for number, (names, parts) in enumerate(AUDITED, 1):

    rule:
        name:
            "audit" if number == 1 else f"audit_{number}"
        input:
            unpack(SETS.audited),
        output:
            **{
                part: f"{RESULTS}/audit/{part}.parquet"
                for part in ["judgments", "preferences", "values", "workers", *parts]
            },
            summary=f"{RESULTS}/audit/summary.parquet",
            warnings=f"{RESULTS}/audit/warnings.parquet",
            csv=f"{RESULTS}/audit/summary.csv",
            md=f"{RESULTS}/audit/summary.md",
        log:
            log_of("audit"),
        wildcard_constraints:
            collection=one_of(names),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(1500),
            runtime=10,
        params:
            sets=SETS.scales_of_kinds,
            score_precision=option("score_precision"),
            topics=SETS.topics,
            relevance=SETS.relevance,
            notes=SETS.notes,
            code=source_hash("audit.py"),
        script:
            "../scripts/audit.py"
