# The figures beneath the answers that the report begins with.
if PAGE.answer_figures:

    rule draw_answers:
        input:
            [path for drawn in PAGE.answer_figures.values() for path in drawn.tables],
        output:
            svg=[
                report(
                    PAGE.answer_figure(name),
                    caption=f"../report/answers/{drawn.caption.name}",
                    category="answers",
                )
                for name, drawn in PAGE.answer_figures.items()
            ],
            png=[PAGE.answer_figure(name, ".png") for name in PAGE.answer_figures],
        log:
            log_of("draw_answers"),
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            figures=[drawn.told for drawn in PAGE.answer_figures.values()],
            code=source_hash(
                "draw_answers.py",
                *sorted({drawn.told["module"] for drawn in PAGE.answer_figures.values()}),
            ),
        script:
            "../scripts/draw_answers.py"


rule answers:
    input:
        [
            PAGE.answer_figure(name, ending)
            for name in PAGE.answer_figures
            for ending in (".svg", ".png")
        ],
    localrule: True
