# The figures beneath the answers that the report begins with; collections with other answers than
# the first get a rule with a number.
for number, (drawn, names) in enumerate(drawn_alike(PAGES), 1):

    rule:
        name:
            "draw_answers" if number == 1 else f"draw_answers_{number}"
        input:
            PAGE.shown_by_answers,
        output:
            svg=[
                report(
                    answer_figure(BELOW, name),
                    caption=f"../report/answers/{caption}",
                    category="answers",
                    subcategory="{collection}",
                    labels={"kind": "figure", "shows": name},
                )
                for name, caption in drawn
            ],
            png=[answer_figure(BELOW, name, ".png") for name, _ in drawn],
        log:
            log_of("draw_answers"),
        wildcard_constraints:
            collection=one_of(names),
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            figures=PAGE.figures_of_answers,
            code=source_hash(
                "draw_answers.py",
                *sorted(
                    {
                        one.told["module"]
                        for name in names
                        for one in PAGES[name].answer_figures.values()
                    }
                ),
            ),
        script:
            "../scripts/draw_answers.py"


rule answers:
    input:
        [
            page.answer_figure(name, ending)
            for page in PAGES.values()
            for name in page.answer_figures
            for ending in (".svg", ".png")
        ],
    localrule: True
