# One page that shows everything, for people who do not have Snakemake.
REPORTED = list(PAGE.items())
ANSWERED = list(PAGE.answers())
DRAWN = [card.name for card in ANSWERED if card.name in PAGE.answer_figures]


rule report:
    input:
        audit=rules.audit.output.md,
        warnings=rules.audit.output.warnings,
        summary=rules.audit.output.summary,
        answers=[card.answer for card in ANSWERED],
        listed=[card.listed for card in ANSWERED if card.listed],
        answer_figures=[PAGE.answer_figure(name) for name in DRAWN],
        answer_captions=local([PAGE.answer_figures[name].caption for name in DRAWN]),
        shown=[path for _, path, _ in REPORTED],
        also=[
            path for name in COLLECTION.studies for path in PAGE.of_study(name) if PAGE.made(path)
        ],
        captions=local([caption for _, _, caption in REPORTED]),
        explorers=list(PAGE.explorers.values()),
        sweep_explorers=list(PAGE.sweep_explorers.values()),
        template=local(CAPTIONS / "report.html.j2"),
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
        title=PAGE.title,
        notes=COLLECTION.notes,
        lacking=PAGE.lacking,
        failed=UNMADE["said"],
        explored=[PAGE.explorer_title(CUTS[name]) for name in PAGE.explorers],
        answered=[
            [card.name, card.about, card.explored, card.name in DRAWN, bool(card.listed)]
            for card in ANSWERED
        ],
        sweeps=list(PAGE.sweep_explorers),
        named=[item for item, _, _ in REPORTED],
        code=source_hash("report.py"),
    script:
        "../scripts/report.py"
