# What is of several collections: any table of theirs as one, and a page over their answers.
JOINED = Joined(PAGES)

try:
    JOINED.check(targets)
except RegradeError as error:
    refuse(error)


rule join_tables:
    input:
        JOINED.files,
    output:
        table=TOGETHER.below("{table}.parquet"),
    log:
        f"{TOGETHER.results}/logs/join_tables/{{table}}.log",
    wildcard_constraints:
        table=TABLE,
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        request=JOINED.request,
        code=source_hash("join_tables.py"),
    script:
        "../scripts/join_tables.py"


rule report_collections:
    input:
        answers=JOINED.answers,
        pages=JOINED.pages,
        template=local(CAPTIONS / "collections.html.j2"),
    output:
        TOGETHER.below("report.html"),
    log:
        f"{TOGETHER.results}/logs/report_collections.log",
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=5,
    params:
        collections=JOINED.collection_rows,
        code=source_hash("report_collections.py"),
    script:
        "../scripts/report_collections.py"
