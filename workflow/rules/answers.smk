# The figures beneath the answers that the report begins with; collections with other answers than
# the first get a rule with a number.  A collection alone is named, and no wildcard: Snakemake goes
# through all outputs that begin with a wildcard for each file that it looks up, and here are two for
# each item of a grid.
for number, (drawn, names) in enumerate(drawn_alike(PAGES), 1):
    alone = PAGES[names[0]] if len(names) == 1 else None
    below = alone.paths if alone else BELOW

    rule:
        name:
            rule_of("draw_answers", number)
        input:
            alone.tables_of_answers({}) if alone else PAGE.tables_of_answers,
        output:
            svg=[
                report(
                    answer_figure(below, name),
                    caption=f"../report/answers/{caption}",
                    category="answers",
                    subcategory="{collection}",
                    labels={"kind": "figure", "shows": name},
                )
                for name, caption in drawn
            ],
            png=[answer_figure(below, name, ".png") for name, _ in drawn],
        log:
            below.below("logs", "draw_answers.log"),
        wildcard_constraints:
            collection=one_of(names),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(1000),
            runtime=10,
        params:
            figures=alone.figures_of_answers({}) if alone else PAGE.figures_of_answers,
            code=source_hash(
                "draw_answers.py",
                *sorted(
                    {
                        one.params["module"]
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
