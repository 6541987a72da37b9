# Files as published become tables; the audit says what was found in them.
rule collect_runs:
    input:
        files_of_runs,
    output:
        runs=RUNS,
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
        topics=kept_topics,
        content=content_of_runs,
        code=source_hash("collect_runs.py"),
    script:
        "../scripts/collect_runs.py"


rule collect_qrels:
    input:
        set_files("qrels"),
    output:
        QRELS,
    log:
        log_of("collect_qrels", "{name}"),
    wildcard_constraints:
        name=one_of(sets_from("qrels", "file", None)),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        reading=reading_of("qrels"),
        scale=written_scale_of("qrels"),
        relevant_from=relevant_from_of,
        topics=kept_topics,
        content=content_of_set("qrels"),
        code=source_hash("collect_qrels.py"),
    script:
        "../scripts/collect_qrels.py"


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
        code=source_hash("code_qrels.py"),
    script:
        "../scripts/code_qrels.py"


rule collect_judgments:
    input:
        set_files("judgments"),
    output:
        JUDGMENTS,
    log:
        log_of("collect_judgments", "{name}"),
    wildcard_constraints:
        name=one_of(sets_from("judgments", "file")),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        kind="judgments",
        reading=reading_of("judgments"),
        scale=written_scale_of("judgments"),
        workers=workers_of("judgments"),
        topics=kept_topics,
        content=content_of_set("judgments"),
        code=source_hash("collect_judged.py"),
    script:
        "../scripts/collect_judged.py"


rule collect_preferences:
    input:
        set_files("preferences"),
    output:
        PREFERENCES,
    log:
        log_of("collect_preferences", "{name}"),
    wildcard_constraints:
        name=one_of(sets_from("preferences", "file")),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        kind="preferences",
        reading=reading_of("preferences"),
        scale=written_scale_of("preferences"),
        workers=workers_of("preferences"),
        topics=kept_topics,
        content=content_of_set("preferences"),
        code=source_hash("collect_judged.py"),
    script:
        "../scripts/collect_judged.py"


rule derive_judgments:
    input:
        derived_from("judgments"),
    output:
        JUDGMENTS,
    log:
        log_of("derive_judgments", "{name}"),
    wildcard_constraints:
        name=one_of(sets_from("judgments", "from")),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        how=deriving_of("judgments"),
        code=source_hash("derive_judgments.py"),
    script:
        "../scripts/derive_judgments.py"


rule derive_qrels:
    input:
        derived_from("qrels"),
    output:
        QRELS,
    log:
        log_of("derive_qrels", "{name}"),
    wildcard_constraints:
        name=one_of(sets_from("qrels", "from")),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        how=deriving_of("qrels"),
        scale=written_scale_of("qrels"),
        code=source_hash("derive_qrels.py"),
    script:
        "../scripts/derive_qrels.py"


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
        runs=CODED_RUNS if COLLECTION.has_runs else [],
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
        topics=kept_topics,
        notes=COLLECTION.notes,
        code=source_hash("audit.py"),
    script:
        "../scripts/audit.py"
