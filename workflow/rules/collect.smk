# Files as published become tables; the audit says what was found in them.
# Runs that several collections read alike are read once, by a job of a rule with a number, which
# makes the tables of all of them.
READ_ALONE = [name for name in WITH_RUNS if not any(name in names for names in SHARED_RUNS)]

for number, names in enumerate([READ_ALONE, *SHARED_RUNS], 1):
    shared = number > 1
    first, places = (names[0], [PATHS[n] for n in names]) if shared else (None, [BELOW])
    runs = SetInputs(PATHS[first]) if shared else SETS

    rule:
        name:
            rule_of("collect_runs", number)
        input:
            runs.files_of_runs,
        output:
            runs=[own.below("tables", "runs.parquet") for own in places],
            codes=[own.coded_runs for own in places],
        log:
            places[0].below("logs", "collect_runs.log"),
        wildcard_constraints:
            collection=one_of(names),
        conda:
            "../envs/regrade.yaml"
        threads: 4
        resources:
            mem_mb=memory(2000),
            runtime=20,
        params:
            tie_break=option("tie_break", of=first),
            score_precision=option("score_precision", of=first),
            not_self=option("not_self", of=first),
            topics=runs.topics,
            content=runs.content_of_runs,
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


rule collect_scores:
    input:
        SETS.files_of_scores,
    output:
        BELOW.item_scores("{name}"),
    log:
        log_of("collect_scores", "{name}"),
    wildcard_constraints:
        **only(
            "tables/scores/{name}.parquet",
            {name: [*one.score_sets] for name, one in COLLECTIONS.items()},
        ),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=memory(1000, OF_TEXT),
        runtime=10,
    params:
        reading=SETS.reading_of_scores,
        topics=SETS.topics,
        content=SETS.content_of_scores,
        code=source_hash("collect_scores.py"),
    script:
        "../scripts/collect_scores.py"


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


for kind in ("judgments", "qrels"):

    rule:
        name:
            f"derive_consensus_of_{kind}"
        input:
            judges=SETS.judges,
            reference=SETS.weighting,
        output:
            **{
                table: BELOW.below("consensus", "{name}", f"{table}.parquet")
                for table in ("documents", "judges", "confusion")
            },
            labels=QRELS,
        log:
            log_of(f"derive_consensus_of_{kind}", "{name}"),
        wildcard_constraints:
            **only_either(("tables/qrels/{name}.parquet", "consensus/{name}"), consensus_of(kind)),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(2000),
            runtime=10,
        params:
            kind=kind,
            judges=SETS.scales_of_judges,
            how=SETS.combining,
            code=source_hash("derive_consensus.py"),
        script:
            "../scripts/derive_consensus.py"


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
            rule_of("audit", number)
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
