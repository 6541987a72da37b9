# Each study is asked for by its name: its tables and figures, from the registry of their items; one
# loop makes tables, one figures.
# a rule for each, because a caption's path takes no wildcard
for shown in shown_rules(PAGES, tables=True):

    rule:
        name:
            rule_of(rule_name(shown.study, shown.item.name), shown.number)
        input:
            unpack(shown.inputs),
        output:
            csv=shown.outputs[".csv"],
            md=report(
                shown.outputs[".md"],
                caption=f"../report/{shown.study}/{shown.caption_file}",
                category=shown.study,
                subcategory="{collection}",
                labels={"kind": "table", "shows": shown.item.title},
            ),
        log:
            log_of(shown.study, shown.item.name),
        wildcard_constraints:
            collection=one_of(shown.of),
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(2000),
            runtime=5,
        params:
            module=shown.item.module,
            function=shown.item.function,
            title=shown.item.title,
            tables=shown.tables,
            rows=shown.rows,
            settings=shown.settings,
            published=shown.published,
            notes=shown.notes,
            code=source_hash("table.py", shown.item.module),
        script:
            "../scripts/table.py"


for shown in shown_rules(PAGES, tables=False):

    rule:
        name:
            rule_of(rule_name(shown.study, shown.item.name), shown.number)
        input:
            unpack(shown.inputs),
        output:
            svg=report(
                shown.outputs[".svg"],
                caption=f"../report/{shown.study}/{shown.caption_file}",
                category=shown.study,
                subcategory="{collection}",
                labels={"kind": "figure", "shows": shown.item.title},
            ),
            png=shown.outputs[".png"],
        log:
            log_of(shown.study, shown.item.name),
        wildcard_constraints:
            collection=one_of(shown.of),
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(2000),
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
for name in STUDIES:
    if beside := published_tables(PAGES, name):

        rule:
            name:
                f"{name}_published"
            input:
                Each(beside).tables,
            output:
                csv=BELOW.below(*published_table(name, ".csv")),
                md=report(
                    BELOW.below(*published_table(name, ".md")),
                    caption="../report/table-published.rst",
                    category=name,
                    subcategory="{collection}",
                    labels={"kind": "table", "shows": "Printed numbers that come out"},
                ),
            log:
                log_of(name, "table-published"),
            wildcard_constraints:
                collection=one_of(beside),
            group:
                "shown"
            conda:
                "../envs/regrade.yaml"
            resources:
                mem_mb=memory(500),
                runtime=5,
            params:
                decimals=Each(beside).decimals,
                notes=Each(beside).notes,
                code=source_hash("published.py"),
            script:
                "../scripts/published.py"
