# Tables and figures of yang2019; the configuration says which.
YANG_FIGURES = f"{RESULTS}/figures/yang2019"
YANG_TABLE_FILES = f"{RESULTS}/tables/yang2019"
YANG_CAPTIONS = "../report/yang2019"

for item in sorted(item for item in YANG2019 if item.startswith("table")):

    rule:
        name:
            f"yang2019_{item}".replace("-", "_").replace(".", "_")
        input:
            **yang_inputs(item),
            groups=(
                COLLECTION.path(OPTIONS["groups"])
                if item == "table-4.5" and OPTIONS["groups"]
                else []
            ),
            published=(
                PUBLISHED / f"yang2019-{item}.csv"
                if COLLECTION.published("yang2019")
                and (PUBLISHED / f"yang2019-{item}.csv").exists()
                else []
            ),
        output:
            csv=f"{YANG_TABLE_FILES}/{item}.csv",
            md=report(
                f"{YANG_TABLE_FILES}/{item}.md",
                caption=f"{YANG_CAPTIONS}/{item}.rst",
                category="yang2019",
            ),
        log:
            log_of("yang2019", item),
        benchmark:
            benchmark_of("yang2019", item)
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=5,
        params:
            item=item,
            shown=yang_schemas(item),
            collection=COLLECTION.published("yang2019") or None,
            options=yang_options(item),
            notes=yang_notes(item),
            code=source_hash("yang2019_table.py"),
        script:
            "../scripts/yang2019_table.py"


for item in sorted(item for item in YANG2019 if item.startswith("figure")):

    rule:
        name:
            f"yang2019_{item}".replace("-", "_").replace(".", "_")
        input:
            **yang_inputs(item),
        output:
            report(
                f"{YANG_FIGURES}/{item}.svg",
                caption=f"{YANG_CAPTIONS}/{item}.rst",
                category="yang2019",
            ),
            f"{YANG_FIGURES}/{item}.png",
        log:
            log_of("yang2019", item),
        benchmark:
            benchmark_of("yang2019", item)
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            item=item,
            shown=yang_schemas(item),
            rows=yang_rows(item),
            options=yang_options(item),
            notes=yang_notes(item),
            code=source_hash("yang2019_figure.py"),
        script:
            "../scripts/yang2019_figure.py"


PUBLISHED_BESIDE = [
    item
    for item in sorted(YANG2019, key=natural)
    if COLLECTION.published("yang2019") and (PUBLISHED / f"yang2019-{item}.csv").exists()
]
if PUBLISHED_BESIDE:

    rule yang2019_published:
        input:
            [f"{YANG_TABLE_FILES}/{item}.csv" for item in PUBLISHED_BESIDE],
        output:
            csv=f"{YANG_TABLE_FILES}/table-published.csv",
            md=report(
                f"{YANG_TABLE_FILES}/table-published.md",
                caption=f"{YANG_CAPTIONS}/table-published.rst",
                category="yang2019",
            ),
        log:
            log_of("yang2019", "table-published"),
        benchmark:
            benchmark_of("yang2019", "table-published")
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=500,
            runtime=5,
        params:
            shown=PUBLISHED_BESIDE,
            code=source_hash("yang2019_published.py"),
        script:
            "../scripts/yang2019_published.py"


rule yang2019:
    input:
        made_of("yang2019", ["table-published"] if PUBLISHED_BESIDE else [], "table", ".csv", ".md"),
        made_of("yang2019", YANG2019, "figure", ".svg", ".png"),
        made_of("yang2019", YANG2019, "table", ".csv", ".md"),


localrules:
    yang2019,
