# Each study is asked for by its name: its tables and figures, from the registry of their items; one
# loop makes tables, one figures.
# a rule for each, because a caption's path takes no wildcard
for entry in item_rules(PAGES, tables=True):

    rule:
        name:
            rule_of(rule_name(entry.study, entry.item.name), entry.number)
        input:
            unpack(entry.inputs),
        output:
            csv=entry.outputs[".csv"],
            md=report(
                entry.outputs[".md"],
                caption=f"../report/{entry.study}/{entry.caption_file}",
                category=entry.study,
                subcategory="{collection}",
                labels={"kind": "table", "shows": entry.item.title},
            ),
        log:
            log_of(entry.study, entry.item.name),
        wildcard_constraints:
            collection=one_of(entry.of),
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(2000),
            runtime=5,
        params:
            module=entry.item.module,
            function=entry.item.function,
            title=entry.item.title,
            tables=entry.tables,
            rows=entry.rows,
            settings=entry.settings,
            published=entry.published,
            notes=entry.notes,
            code=source_hash("table.py", entry.item.module),
        script:
            "../scripts/table.py"


for entry in item_rules(PAGES, tables=False):

    rule:
        name:
            rule_of(rule_name(entry.study, entry.item.name), entry.number)
        input:
            unpack(entry.inputs),
        output:
            svg=report(
                entry.outputs[".svg"],
                caption=f"../report/{entry.study}/{entry.caption_file}",
                category=entry.study,
                subcategory="{collection}",
                labels={"kind": "figure", "shows": entry.item.title},
            ),
            png=entry.outputs[".png"],
        log:
            log_of(entry.study, entry.item.name),
        wildcard_constraints:
            collection=one_of(entry.of),
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(2000),
            runtime=10,
        params:
            module=entry.item.module,
            function=entry.item.function,
            tables=entry.tables,
            rows=entry.rows,
            settings=entry.settings,
            notes=entry.notes,
            code=source_hash("figure.py", entry.item.module),
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
