# One page that shows everything, for people who do not have Snakemake.
REPORTED = [
    (study, item)
    for study, items in (("han2019", HAN2019), ("yang2019", YANG2019))
    for item in sorted(items, key=lambda item: (not item.startswith("table"), natural(item)))
]
if PUBLISHED_BESIDE:
    REPORTED.append(("yang2019", "table-published"))


rule report:
    input:
        audit=rules.audit.output.md,
        shown=[
            path
            for study, item in REPORTED
            for path in made_of(study, [item], "table", ".md")
            + made_of(study, [item], "figure", ".svg")
        ],
        also=[*rules.han2019.input, *rules.yang2019.input],
        captions=[BASE / "workflow" / "report" / study / f"{item}.rst" for study, item in REPORTED],
        template=BASE / "workflow" / "report" / "report.html.j2",
    output:
        f"{RESULTS}/report.html",
    log:
        log_of("report"),
    benchmark:
        benchmark_of("report")
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        title=OPTIONS["title"] or COLLECTION.name,
        notes=COLLECTION.notes,
        names=[f"{study}-{item}" for study, item in REPORTED],
        code=source_hash("report.py"),
    script:
        "../scripts/report.py"
