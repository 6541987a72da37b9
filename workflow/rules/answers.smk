# The figures beneath the answers that the report begins with.
for drawn in ANSWER_FIGURES:

    rule:
        name:
            rule_name("draw_answer", drawn["name"])
        input:
            **drawn["tables"],
        output:
            svg=report(
                drawn_answer(drawn, ".svg"),
                caption=f"../report/answers/{drawn['caption']}.rst",
                category="answers",
            ),
            png=drawn_answer(drawn, ".png"),
        log:
            log_of("draw_answer", drawn["name"]),
        benchmark:
            benchmark_of("draw_answer", drawn["name"])
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1000,
            runtime=5,
        params:
            function=drawn["function"],
            tables=drawn["schemas"],
            settings=drawn["settings"],
            notes=drawn["notes"],
            code=source_hash("draw_answer.py", "regrade.show.answered"),
        script:
            "../scripts/draw_answer.py"


rule answers:
    input:
        [drawn_answer(drawn, ending) for drawn in ANSWER_FIGURES for ending in (".svg", ".png")],
    localrule: True
