# Files as published become tables; the audit says what was found in them.
rule collect_runs:
    input:
        SETS.files_of_runs,
    output:
        runs=PATHS.below("tables", "runs.parquet"),
        codes=CODED_RUNS,
    log:
        log_of("collect_runs"),
    conda:
        "../envs/regrade.yaml"
    threads: 4
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        tie_break=OPTIONS["tie_break"],
        score_precision=OPTIONS["score_precision"],
        not_self=OPTIONS["not_self"],
        topics=SETS.topics,
        content=SETS.content(SETS.files_of_runs),
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
        mem_mb=1000,
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
            PATHS.table_of(kind, "{name}"),
        log:
            log_of(f"collect_{kind}", "{name}"),
        wildcard_constraints:
            name=one_of(SETS.made_from(kind, "file", None)),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1000 if kind == "qrels" else 2000,
            runtime=10,
        params:
            kind=kind,
            reading=SETS.reading,
            scale=SETS.written_scale,
            relevant_from=SETS.relevant_from,
            workers=SETS.workers,
            topics=SETS.topics,
            content=SETS.content(SETS.files),
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
            PATHS.table_of(kind, "{name}"),
        log:
            log_of(f"derive_{kind}", "{name}"),
        wildcard_constraints:
            name=one_of(SETS.made_from(kind, "from")),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            kind=kind,
            how=SETS.deriving,
            scale=SETS.written_scale,
            code=source_hash("derive_set.py"),
        script:
            "../scripts/derive_set.py"


AUDITED = {
    part: f"{RESULTS}/audit/{part}.parquet"
    for part in [
        "judgments",
        "preferences",
        "values",
        "workers",
        *(["runs", "judged"] if COLLECTION.has_runs else []),
    ]
}


rule audit:
    input:
        runs=PATHS.runs,
        judged=collect(CODED_QRELS, name=COLLECTION.qrels) if COLLECTION.has_runs else [],
        qrels=collect(QRELS, name=COLLECTION.qrels),
        judgments=collect(JUDGMENTS, name=COLLECTION.judgments),
        preferences=collect(PREFERENCES, name=COLLECTION.preferences),
    output:
        **AUDITED,
        summary=f"{RESULTS}/audit/summary.parquet",
        warnings=f"{RESULTS}/audit/warnings.parquet",
        csv=f"{RESULTS}/audit/summary.csv",
        md=f"{RESULTS}/audit/summary.md",
    log:
        log_of("audit"),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=1500,
        runtime=10,
    params:
        sets={kind: collected_scales(COLLECTION, kind) for kind in KINDS},
        score_precision=OPTIONS["score_precision"],
        topics=SETS.topics,
        relevance=COLLECTION.relevance_said,
        notes=COLLECTION.notes,
        code=source_hash("audit.py"),
    script:
        "../scripts/audit.py"
