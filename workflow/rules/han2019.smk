# Tables and figures of han2019; the configuration says which, and what each shows.
STUDY = "han2019"
FIGURES = f"{RESULTS}/figures/{STUDY}"
TABLE = f"{RESULTS}/tables/{STUDY}"
PUBLISHED = BASE / "data" / "published"
CAPTIONS = "../report/han2019"
PANEL_FIGURES = {f"figure-{number}" for number in range(1, 10)}


# a rule per figure, because a caption's path takes no wildcard
for figure in sorted(HAN2019.keys() & PANEL_FIGURES):

    rule:
        name:
            figure.replace("-", "_")
        input:
            alpha=alpha_of(figure),
            best_cuts=cuts_of(figure, "best_cuts"),
            top_cuts=cuts_of(figure, "top_cuts"),
        output:
            report(f"{FIGURES}/{figure}.svg", caption=f"{CAPTIONS}/{figure}.rst", category=STUDY),
            f"{FIGURES}/{figure}.png",
        log:
            log_of(STUDY, figure),
        benchmark:
            benchmark_of(STUDY, figure)
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            figure=figure,
            panels=panels_of(figure),
            source=shown_in(figure).source,
            notes=COLLECTION.notes,
            code=source_hash("figure_panels.py"),
        script:
            "../scripts/figure_panels.py"


# only what the configuration names can be asked for
if "figure-tau" in HAN2019:

    rule figure_tau:
        input:
            tau=[f"{RESULTS}/cuts/{name}/tau@{expert}/tau.parquet" for name, expert in tau_panels()],
            rankings=[f"{RESULTS}/rankings/{name}.parquet" for name, _ in tau_panels()],
        output:
            report(
                f"{FIGURES}/figure-tau.svg",
                caption=f"{CAPTIONS}/figure-tau.rst",
                category=STUDY,
            ),
            f"{FIGURES}/figure-tau.png",
        log:
            log_of(STUDY, "figure-tau"),
        benchmark:
            benchmark_of(STUDY, "figure-tau")
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            panels=[
                (TRANSFORMATIONS[name].source, expert, TRANSFORMATIONS[name].options["measure"])
                for name, expert in tau_panels()
            ],
            notes=COLLECTION.notes,
            code=source_hash("figure_tau.py"),
        script:
            "../scripts/figure_tau.py"


if "figure-tau-topics" in HAN2019:

    rule figure_tau_topics:
        input:
            cuts_of("figure-tau-topics", "tau_topics"),
        output:
            report(
                f"{FIGURES}/figure-tau-topics.svg",
                caption=f"{CAPTIONS}/figure-tau-topics.rst",
                category=STUDY,
            ),
            f"{FIGURES}/figure-tau-topics.png",
        log:
            log_of(STUDY, "figure-tau-topics"),
        benchmark:
            benchmark_of(STUDY, "figure-tau-topics")
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            panels=panels_of("figure-tau-topics"),
            expert=HAN2019["figure-tau-topics"]["expert"],
            source=shown_in("figure-tau-topics").source,
            levels=shown_in("figure-tau-topics").levels,
            notes=COLLECTION.notes,
            code=source_hash("figure_tau_topics.py"),
        script:
            "../scripts/figure_tau_topics.py"


if "table-2" in HAN2019:

    rule table_2:
        output:
            csv=f"{TABLE}/table-2.csv",
            md=report(f"{TABLE}/table-2.md", caption=f"{CAPTIONS}/table-2.rst", category=STUDY),
        log:
            log_of(STUDY, "table-2"),
        benchmark:
            benchmark_of(STUDY, "table-2")
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=500,
            runtime=5,
        params:
            searches={
                name: [
                    (s.method, s.reference.label if s.reference else None)
                    for s in TRANSFORMATIONS[name].searches.values()
                ]
                for name in COLLECTION.covered(STUDY, "table-2")
            },
            notes=COLLECTION.notes,
            code=source_hash("table_2.py"),
        script:
            "../scripts/table_2.py"


if "table-3" in HAN2019:

    rule expert_cuts:
        input:
            source=QRELS.format(name=HAN2019["table-3"]["source"]),
            reference=QRELS.format(name=HAN2019["table-3"]["reference"]),
            pool=JUDGMENTS.format(name=HAN2019["table-3"]["pool"]),
        output:
            f"{RESULTS}/cuts/expert_cuts.parquet",
        log:
            log_of(STUDY, "expert_cuts"),
        benchmark:
            benchmark_of(STUDY, "expert_cuts")
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1000,
            runtime=5,
        params:
            source=HAN2019["table-3"]["source"],
            reference=HAN2019["table-3"]["reference"],
            levels=COLLECTION.scale(HAN2019["table-3"]["source"], "studies.han2019.table-3").levels,
            code=source_hash("expert_cuts.py"),
        script:
            "../scripts/expert_cuts.py"

    rule table_3:
        input:
            cuts=rules.expert_cuts.output,
            published=PUBLISHED / "han2019-table-3.csv" if COLLECTION.published(STUDY) else [],
        output:
            csv=f"{TABLE}/table-3.csv",
            md=report(f"{TABLE}/table-3.md", caption=f"{CAPTIONS}/table-3.rst", category=STUDY),
        log:
            log_of(STUDY, "table-3"),
        benchmark:
            benchmark_of(STUDY, "table-3")
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=500,
            runtime=5,
        params:
            notes=COLLECTION.notes,
            code=source_hash("table_3.py"),
        script:
            "../scripts/table_3.py"


if "table-4" in HAN2019:

    rule table_4:
        input:
            rankings=[
                f"{RESULTS}/rankings/{name}.parquet"
                for name in COLLECTION.covered(STUDY, "table-4")
            ],
            best_cuts=[
                f"{RESULTS}/cuts/{name}/best_cuts.parquet"
                for name in COLLECTION.covered(STUDY, "table-4")
            ],
            published=PUBLISHED / "han2019-table-4.csv" if COLLECTION.published(STUDY) else [],
        output:
            csv=f"{TABLE}/table-4.csv",
            md=report(f"{TABLE}/table-4.md", caption=f"{CAPTIONS}/table-4.rst", category=STUDY),
        log:
            log_of(STUDY, "table-4"),
        benchmark:
            benchmark_of(STUDY, "table-4")
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1000,
            runtime=5,
        params:
            transformations={
                name: (TRANSFORMATIONS[name].source, TRANSFORMATIONS[name].levels)
                for name in COLLECTION.covered(STUDY, "table-4")
            },
            notes=COLLECTION.notes,
            code=source_hash("table_4.py"),
        script:
            "../scripts/table_4.py"


rule han2019:
    input:
        made_of(STUDY, HAN2019, "figure", ".svg", ".png"),
        made_of(STUDY, HAN2019, "table", ".csv", ".md"),
