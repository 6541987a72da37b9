# One page that shows everything, for people who do not have Snakemake.
REPORTED = sorted(HAN2019, key=lambda item: (item.split("-", 1)[0] != "table", item))


rule report:
    input:
        audit=rules.audit.output.md,
        shown=[
            path
            for item in REPORTED
            for path in made_of(STUDY, [item], "table", ".md")
            + made_of(STUDY, [item], "figure", ".svg")
        ],
        also=rules.han2019.input,
        captions=[BASE / "workflow" / "report" / STUDY / f"{item}.rst" for item in REPORTED],
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
        names=REPORTED,
        code=source_hash("report.py"),
    script:
        "../scripts/report.py"
