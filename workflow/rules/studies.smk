# Each study is asked for by its name: its tables and figures, from the registry of their items; one
# loop makes tables, one figures.
# a rule for each, because a caption's path takes no wildcard
for shown in PAGE.tables:

    rule:
        name:
            rule_name(shown.study.name, shown.item.name)
        input:
            **PAGE.inputs(shown),
        output:
            csv=PAGE.path(shown, ".csv"),
            md=report(
                PAGE.path(shown, ".md"),
                caption=f"../report/{shown.study.name}/{shown.caption_file}",
                category=shown.study.name,
            ),
        log:
            log_of(shown.study.name, shown.item.name),
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=5,
        params:
            module=shown.item.module,
            function=shown.item.function,
            title=shown.item.title,
            tables=shown.tables,
            rows=shown.rows,
            settings=shown.settings,
            published=COLLECTION.published(shown.study.name),
            notes=shown.notes,
            code=source_hash("table.py", shown.item.module),
        script:
            "../scripts/table.py"


for shown in PAGE.figures:

    rule:
        name:
            rule_name(shown.study.name, shown.item.name)
        input:
            **PAGE.inputs(shown),
        output:
            svg=report(
                PAGE.path(shown, ".svg"),
                caption=f"../report/{shown.study.name}/{shown.caption_file}",
                category=shown.study.name,
            ),
            png=PAGE.path(shown, ".png"),
        log:
            log_of(shown.study.name, shown.item.name),
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            module=shown.item.module,
            function=shown.item.function,
            tables=shown.tables,
            rows=shown.rows,
            settings=shown.settings,
            notes=shown.notes,
            code=source_hash("figure.py", shown.item.module),
        script:
            "../scripts/figure.py"


# how many of a study's printed numbers come out
for name, beside in PAGE.beside.items():

    rule:
        name:
            f"{name}_published"
        input:
            [PAGE.path(shown, ".csv") for shown in beside],
        output:
            csv=PAGE.published(name, ".csv"),
            md=report(
                PAGE.published(name, ".md"),
                caption="../report/table-published.rst",
                category=name,
            ),
        log:
            log_of(name, "table-published"),
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=500,
            runtime=5,
        params:
            decimals={
                shown.item.name: (shown.item.decimals, shown.item.decimals_of) for shown in beside
            },
            notes=" ".join(dict.fromkeys(shown.notes for shown in beside if shown.notes)),
            code=source_hash("published.py"),
        script:
            "../scripts/published.py"
