# The tables and figures of every study, from the registry of their items: one loop makes tables,
# one figures, and each study has a target of its name.
PUBLISHED = BASE / "data" / "published"


TABLES = [shown for shown in COLLECTION.shown if shown.item.is_table]
DRAWN = [shown for shown in COLLECTION.shown if not shown.item.is_table]

# a rule for each, because a caption's path takes no wildcard
for shown in TABLES:

    rule:
        name:
            rule_name(shown.study.name, shown.item.name)
        input:
            **inputs_of(shown),
            published=printed(shown),
        output:
            csv=made_of("table", shown, ".csv"),
            md=report(
                made_of("table", shown, ".md"),
                caption=caption_of(shown),
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
            study=shown.study.name,
            module=shown.item.module,
            function=shown.item.function,
            title=shown.item.title,
            tables=shown.tables,
            rows=shown.rows,
            settings=shown.settings,
            published=COLLECTION.published(shown.study.name),
            notes=shown.notes,
            code=source_hash("table.py", f"regrade.studies.{shown.study.name}.{shown.item.module}"),
        script:
            "../scripts/table.py"


for shown in DRAWN:

    rule:
        name:
            rule_name(shown.study.name, shown.item.name)
        input:
            **inputs_of(shown),
            published=printed(shown),
        output:
            svg=report(
                made_of("figure", shown, ".svg"),
                caption=caption_of(shown),
                category=shown.study.name,
            ),
            png=made_of("figure", shown, ".png"),
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
            study=shown.study.name,
            module=shown.item.module,
            function=shown.item.function,
            tables=shown.tables,
            rows=shown.rows,
            settings=shown.settings,
            notes=shown.notes,
            code=source_hash("figure.py", f"regrade.studies.{shown.study.name}.{shown.item.module}"),
        script:
            "../scripts/figure.py"


# how many of a study's printed numbers come out
BESIDE = {
    name: [
        shown
        for shown in TABLES
        if shown.study.name == name and shown.item.comparable and printed(shown)
    ]
    for name in COLLECTION.studies
}
BESIDE = {name: beside for name, beside in BESIDE.items() if beside}
for name, beside in BESIDE.items():

    rule:
        name:
            f"{name}_published"
        input:
            [made_of("table", shown, ".csv") for shown in beside],
        output:
            csv=f"{RESULTS}/tables/{name}/table-published.csv",
            md=report(
                f"{RESULTS}/tables/{name}/table-published.md",
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


for name in STUDIES:

    rule:
        name:
            name
        input:
            made_of_study(name),
        localrule: True
