# The figures beneath the answers that the report begins with.
if ANSWER_FIGURES:

    rule draw_answers:
        input:
            [path for drawn in ANSWER_FIGURES for path in drawn["tables"].values()],
        output:
            svg=[
                report(
                    drawn_answer(drawn, ".svg"),
                    caption=f"../report/answers/{drawn['caption']}.rst",
                    category="answers",
                )
                for drawn in ANSWER_FIGURES
            ],
            png=[drawn_answer(drawn, ".png") for drawn in ANSWER_FIGURES],
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
            figures=[
                {key: drawn[key] for key in ("name", "function", "schemas", "settings", "notes")}
                for drawn in ANSWER_FIGURES
            ],
            code=source_hash("draw_answers.py", "regrade.show.answered"),
        script:
            "../scripts/draw_answers.py"


rule answers:
    input:
        [drawn_answer(drawn, ending) for drawn in ANSWER_FIGURES for ending in (".svg", ".png")],
    localrule: True
