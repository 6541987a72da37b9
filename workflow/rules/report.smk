# One page of a collection that shows everything, for people who do not have Snakemake.
rule report:
    input:
        unpack(PAGE.inputs_of_report),
        audit=f"{RESULTS}/audit/summary.md",
        warnings=f"{RESULTS}/audit/warnings.parquet",
        summary=f"{RESULTS}/audit/summary.parquet",
        values=f"{RESULTS}/audit/values.parquet",
        template=local(CAPTIONS / "report.html.j2"),
    output:
        f"{RESULTS}/report.html",
    log:
        log_of("report"),
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=5,
    params:
        title=PAGE.title,
        notes=PAGE.notes,
        lacking=PAGE.unmade_text,
        failed=UNMADE["said"],
        explored=PAGE.explored,
        answered=PAGE.answered,
        sweeps=PAGE.sweeps,
        named=PAGE.named,
        ranked=PAGE.ranked,
        analysed=PAGE.analysed,
        compared=PAGE.compared,
        labelled=PAGE.labelled,
        code=source_hash("report.py"),
    script:
        "../scripts/report.py"
