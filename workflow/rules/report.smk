# One page that shows everything, for people who do not have Snakemake.
def reported():
    """Anchor, file and caption of everything that the page shows, in its order."""
    for name in COLLECTION.studies:
        for shown in COLLECTION.shown:
            if shown.study.name == name:
                kind = "table" if shown.item.is_table else "figure"
                path = made_of(kind, shown, shown.item.endings[0])
                caption = BASE / "workflow" / "report" / name / shown.item.caption_file
                yield f"{name}-{shown.item.name}", path, caption
        if name in BESIDE:
            path = f"{RESULTS}/tables/{name}/table-published.md"
            caption = BASE / "workflow" / "report" / "table-published.rst"
            yield f"{name}-table-published", path, caption


REPORTED = list(reported())


rule report:
    input:
        audit=rules.audit.output.md,
        shown=[path for _, path, _ in REPORTED],
        also=[path for name in COLLECTION.studies for path in made_of_study(name)],
        captions=[caption for _, _, caption in REPORTED],
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
        names=[name for name, _, _ in REPORTED],
        code=source_hash("report.py"),
    script:
        "../scripts/report.py"
