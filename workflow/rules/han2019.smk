# Tables and figures of han2019; the configuration says which, and what each shows.
STUDY = "han2019"
FIGURE = f"{RESULTS}/figures/{STUDY}/{{figure}}"
TABLE = f"{RESULTS}/tables/{STUDY}"
PUBLISHED = BASE / "data" / "published"
ITEMS = COLLECTION.study(STUDY)
CAPTION = "../report/han2019/{figure}.rst"


def panels_of(wildcards):
    """(method, reference) of each panel of a figure."""
    options = ITEMS[wildcards.figure]
    searches = TRANSFORMATIONS[options["transformation"]].searches
    chosen = [searches[panel] for panel in options["panels"]]
    return [(s.method, s.reference.label if s.reference else None) for s in chosen]


def cuts_of(table):
    """An input function: a table of the figure's transformation."""

    def path(wildcards):
        return f"{CUTS}/{table}.parquet".format(
            transformation=ITEMS[wildcards.figure]["transformation"]
        )

    return path


def alpha_of(wildcards):
    options = ITEMS[wildcards.figure]
    folder = CUTS.format(transformation=options["transformation"])
    return [f"{folder}/{panel}/alpha.parquet" for panel in options["panels"]]


def of_figure(key):
    """A parameter function: a property of the figure's transformation."""

    def value(wildcards):
        return getattr(TRANSFORMATIONS[ITEMS[wildcards.figure]["transformation"]], key)

    return value


rule figure_panels:
    input:
        alpha=alpha_of,
        best_cuts=cuts_of("best_cuts"),
        top_cuts=cuts_of("top_cuts"),
    output:
        report(f"{FIGURE}.svg", caption=CAPTION, category=STUDY),
        f"{FIGURE}.png",
    params:
        figure="{figure}",
        panels=panels_of,
        source=of_figure("source"),
        notes=COLLECTION.notes,
        code=source_hash("figure_panels.py"),
    wildcard_constraints:
        figure=r"figure-\d+",
    log:
        log_of(STUDY, "{figure}"),
    benchmark:
        benchmark_of(STUDY, "{figure}")
    resources:
        mem_mb=2000,
        runtime=10,
    script:
        "../scripts/figure_panels.py"


TAU_PANELS = [
    (name, expert)
    for name in (COLLECTION.covered(STUDY, "figure-tau") if "figure-tau" in ITEMS else [])
    for expert in TRANSFORMATIONS[name].experts
]


rule figure_tau:
    input:
        tau=[f"{RESULTS}/cuts/{name}/tau@{expert}/tau.parquet" for name, expert in TAU_PANELS],
        rankings=[f"{RESULTS}/rankings/{name}.parquet" for name, _ in TAU_PANELS],
    output:
        report(
            f"{RESULTS}/figures/{STUDY}/figure-tau.svg",
            caption="../report/han2019/figure-tau.rst",
            category=STUDY,
        ),
        f"{RESULTS}/figures/{STUDY}/figure-tau.png",
    params:
        panels=[
            (TRANSFORMATIONS[name].source, expert, TRANSFORMATIONS[name].options["measure"])
            for name, expert in TAU_PANELS
        ],
        notes=COLLECTION.notes,
        code=source_hash("figure_tau.py"),
    log:
        log_of(STUDY, "figure-tau"),
    benchmark:
        benchmark_of(STUDY, "figure-tau")
    resources:
        mem_mb=2000,
        runtime=10,
    script:
        "../scripts/figure_tau.py"


rule figure_tau_topics:
    input:
        cuts_of("tau_topics"),
    output:
        report(f"{FIGURE}.svg", caption=CAPTION, category=STUDY),
        f"{FIGURE}.png",
    params:
        panels=panels_of,
        expert=lookup("{figure}/expert", within=ITEMS),
        source=of_figure("source"),
        levels=of_figure("levels"),
        notes=COLLECTION.notes,
        code=source_hash("figure_tau_topics.py"),
    wildcard_constraints:
        figure="figure-tau-topics",
    log:
        log_of(STUDY, "{figure}"),
    benchmark:
        benchmark_of(STUDY, "{figure}")
    resources:
        mem_mb=1000,
        runtime=10,
    script:
        "../scripts/figure_tau_topics.py"


rule table_2:
    output:
        csv=f"{TABLE}/table-2.csv",
        md=report(
            f"{TABLE}/table-2.md", caption="../report/han2019/table-2.rst", category=STUDY
        ),
    params:
        searches={
            name: [
                (s.method, s.reference.label if s.reference else None)
                for s in TRANSFORMATIONS[name].searches.values()
            ]
            for name in (COLLECTION.covered(STUDY, "table-2") if "table-2" in ITEMS else [])
        },
        notes=COLLECTION.notes,
        code=source_hash("table_2.py"),
    log:
        log_of(STUDY, "table-2"),
    benchmark:
        benchmark_of(STUDY, "table-2")
    resources:
        mem_mb=500,
        runtime=5,
    script:
        "../scripts/table_2.py"


rule expert_cuts:
    input:
        source=QRELS.format(name=ITEMS.get("table-3", {}).get("source", "none")),
        reference=QRELS.format(name=ITEMS.get("table-3", {}).get("reference", "none")),
        pool=JUDGMENTS.format(name=ITEMS.get("table-3", {}).get("pool", "none")),
    output:
        f"{RESULTS}/cuts/expert_cuts.parquet",
    params:
        source=ITEMS.get("table-3", {}).get("source"),
        reference=ITEMS.get("table-3", {}).get("reference"),
        levels=COLLECTION.qrels.get(ITEMS.get("table-3", {}).get("source"), {}).get("levels"),
        code=source_hash("expert_cuts.py"),
    log:
        log_of(STUDY, "expert_cuts"),
    benchmark:
        benchmark_of(STUDY, "expert_cuts")
    resources:
        mem_mb=1000,
        runtime=5,
    script:
        "../scripts/expert_cuts.py"


rule table_3:
    input:
        cuts=rules.expert_cuts.output,
        published=PUBLISHED / "han2019-table-3.csv" if COLLECTION.published(STUDY) else [],
    output:
        csv=f"{TABLE}/table-3.csv",
        md=report(
            f"{TABLE}/table-3.md", caption="../report/han2019/table-3.rst", category=STUDY
        ),
    params:
        notes=COLLECTION.notes,
        code=source_hash("table_3.py"),
    log:
        log_of(STUDY, "table-3"),
    benchmark:
        benchmark_of(STUDY, "table-3")
    resources:
        mem_mb=500,
        runtime=5,
    script:
        "../scripts/table_3.py"


RANKED = COLLECTION.covered(STUDY, "table-4") if "table-4" in ITEMS else []


rule table_4:
    input:
        rankings=[f"{RESULTS}/rankings/{name}.parquet" for name in RANKED],
        best_cuts=[f"{RESULTS}/cuts/{name}/best_cuts.parquet" for name in RANKED],
        published=PUBLISHED / "han2019-table-4.csv" if COLLECTION.published(STUDY) else [],
    output:
        csv=f"{TABLE}/table-4.csv",
        md=report(
            f"{TABLE}/table-4.md", caption="../report/han2019/table-4.rst", category=STUDY
        ),
    params:
        transformations={
            name: (TRANSFORMATIONS[name].source, TRANSFORMATIONS[name].levels) for name in RANKED
        },
        notes=COLLECTION.notes,
        code=source_hash("table_4.py"),
    log:
        log_of(STUDY, "table-4"),
    benchmark:
        benchmark_of(STUDY, "table-4")
    resources:
        mem_mb=1000,
        runtime=5,
    script:
        "../scripts/table_4.py"


def made_of(items, kind, *endings):
    """Paths of a study's items of a kind (figure or table)."""
    folder = f"{RESULTS}/{kind}s/{STUDY}"
    return [f"{folder}/{item}{end}" for item in items if item.startswith(kind) for end in endings]


rule han2019:
    input:
        made_of(ITEMS, "figure", ".svg", ".png"),
        made_of(ITEMS, "table", ".csv", ".md"),
