# One page that shows everything, for people who do not have Snakemake.
REPORTED = list(reported())
ANSWERED = list(answered())


rule report:
    input:
        audit=rules.audit.output.md,
        warnings=rules.audit.output.warnings,
        answers=[path for _, _, path, _ in ANSWERED],
        answer_figures=[drawn_answer(drawn, ".svg") for *_, drawn in ANSWERED if drawn],
        answer_captions=[caption_of_answer(drawn) for *_, drawn in ANSWERED if drawn],
        shown=[path for _, path, _ in REPORTED],
        also=[path for name in COLLECTION.studies for path in made_of_study(name)],
        captions=[caption for _, _, caption in REPORTED],
        explorers=[cuts_of(t, "explorer.json") for t in TRANSFORMATIONS.values()],
        template=BASE / "workflow" / "report" / "report.html.j2",
    output:
        f"{RESULTS}/report.html",
    log:
        log_of("report"),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        title=title_of_report,
        notes=COLLECTION.notes,
        explored=[explorer_title(t) for t in TRANSFORMATIONS.values()],
        answered=[[title, explored, bool(drawn)] for title, explored, _, drawn in ANSWERED],
        named=[item for item, _, _ in REPORTED],
        code=source_hash("report.py"),
    script:
        "../scripts/report.py"
