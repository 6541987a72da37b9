# α of every cut by every method, in one job a transformation: each method takes less time than
# Python takes to start.  Many topics are shared out to as many jobs as `chunks` says, whose parts
# one more job puts together.
for transformation in TRANSFORMATIONS.values():

    if transformation.options["chunks"] == 1:

        rule:
            name:
                rule_name("search_cuts", transformation.name)
            input:
                judgments=set_table(transformation.source),
                references=[set_table(name) for name in references_of(transformation)],
                pool=pool_of(transformation),
            output:
                **searched_tables(transformation),
                references=aggregated_references(transformation),
            log:
                log_of("search_cuts", transformation.name),
            group:
                "cuts"
            conda:
                "../envs/regrade.yaml"
            threads: threads_of(transformation)
            resources:
                mem_mb=4000,
                runtime=60,
            params:
                **how_searched(transformation),
                code=source_hash("search_cuts.py"),
            script:
                "../scripts/search_cuts.py"

    else:
        if crowds_of(transformation):

            rule:
                name:
                    rule_name("label_references", transformation.name)
                input:
                    [set_table(name) for name in crowds_of(transformation)],
                output:
                    aggregated_references(transformation),
                log:
                    log_of("label_references", transformation.name),
                conda:
                    "../envs/regrade.yaml"
                resources:
                    mem_mb=4000,
                    runtime=30,
                params:
                    **how_searched(transformation),
                    code=source_hash("label_references.py"),
                script:
                    "../scripts/label_references.py"

        rule:
            name:
                rule_name("search_chunk", transformation.name)
            input:
                judgments=set_table(transformation.source),
                references=reference_tables(transformation),
                pool=pool_of(transformation),
            output:
                parts=temp(
                    [chunk_of(transformation, s, "{chunk}") for s in transformation.searches]
                ),
                tables=temp(
                    [
                        chunk_of(transformation, search, "{chunk}", part)
                        for search in transformation.searches
                        for part in CHUNK_PARTS[1:]
                    ]
                ),
            log:
                log_of("search_chunk", transformation.name, "{chunk}"),
            wildcard_constraints:
                chunk=r"\d+",
            conda:
                "../envs/regrade.yaml"
            threads: threads_of(transformation)
            resources:
                mem_mb=4000,
                runtime=60,
            params:
                **how_searched(transformation),
                chunk=number_of_chunk,
                chunks=transformation.options["chunks"],
                code=source_hash("search_chunk.py"),
            script:
                "../scripts/search_chunk.py"

        rule:
            name:
                rule_name("join_chunks", transformation.name)
            input:
                parts=all_chunks(transformation),
                tables=[all_chunks(transformation, part) for part in CHUNK_PARTS[1:]],
            output:
                **searched_tables(transformation),
            log:
                log_of("join_chunks", transformation.name),
            conda:
                "../envs/regrade.yaml"
            resources:
                mem_mb=4000,
                runtime=60,
            params:
                **how_searched(transformation),
                code=source_hash("join_chunks.py"),
            script:
                "../scripts/join_chunks.py"

    rule:
        name:
            rule_name("describe_cuts", transformation.name)
        input:
            judgments=set_table(transformation.source),
            labels=[QRELS.format(name=name) for name in transformation.expert_labels],
            alpha=tables_of(transformation, transformation.searches, "alpha"),
            best_cuts=tables_of(transformation, transformation.searches, "best_cuts"),
        output:
            **{name: cuts_of(transformation, f"{name}.parquet") for name in DESCRIBED},
        log:
            log_of("describe_cuts", transformation.name),
        group:
            "cuts"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=15,
        params:
            labels=transformation.expert_labels,
            searches=[{"name": s.name, **s.asked} for s in transformation.searches.values()],
            scale=source_scale(transformation),
            group=transformation.options["group"],
            how=how_source_agrees(transformation),
            code=source_hash("describe_cuts.py"),
        script:
            "../scripts/describe_cuts.py"

    rule:
        name:
            rule_name("pool_cuts", transformation.name)
        input:
            judgments=set_table(transformation.source),
            references=reference_tables(transformation),
            pool=pool_of(transformation),
            alpha=tables_of(transformation, transformation.searches, "alpha"),
            best_cuts=tables_of(transformation, transformation.searches, "best_cuts"),
        output:
            cuts_of(transformation, "pooled.parquet"),
        log:
            log_of("pool_cuts", transformation.name),
        group:
            "cuts"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            references=references_of(transformation),
            searches=[search.asked for search in transformation.searches.values()],
            scale=source_scale(transformation),
            levels=transformation.levels,
            how=how_all_are_searched(transformation),
            code=source_hash("pool_cuts.py"),
        script:
            "../scripts/pool_cuts.py"

    if COLLECTION.has_runs:

        rule:
            name:
                rule_name("rank_cuts", transformation.name)
            input:
                runs=CODED_RUNS,
                judgments=set_table(transformation.source),
                experts=[QRELS.format(name=expert) for expert in transformation.experts],
                best_cuts=tables_of(transformation, transformation.searches, "best_cuts"),
                tied_cuts=tables_of(transformation, transformation.searches, "tied_cuts"),
                top_cuts=tables_of(transformation, transformation.searches, "top_cuts"),
            output:
                tau=tables_of(transformation, taus_of(transformation), "tau"),
                best_cuts=cuts_of(transformation, "best_cuts.parquet"),
                tied_cuts=cuts_of(transformation, "tied_cuts.parquet"),
                top_cuts=cuts_of(transformation, "top_cuts.parquet"),
                tau_topics=cuts_of(transformation, "tau_topics.parquet"),
                rankings=f"{RESULTS}/rankings/{transformation.name}.parquet",
            log:
                log_of("rank_cuts", transformation.name),
            group:
                "cuts"
            conda:
                "../envs/regrade.yaml"
            threads: threads_of(transformation)
            resources:
                mem_mb=4000,
                runtime=60,
            params:
                experts=transformation.experts,
                max_grades=transformation.max_grades,
                scale=source_scale(transformation),
                levels=transformation.levels,
                grid=transformation.options["grid"],
                named=transformation.options["experts"],
                unserved=transformation.unserved,
                measure=transformation.options["measure"],
                repeats=transformation.options["repeats"],
                aggregate=transformation.options["aggregate"],
                top=transformation.options["top"],
                code=source_hash("rank_cuts.py"),
            script:
                "../scripts/rank_cuts.py"

    else:

        rule:
            name:
                rule_name("combine_cuts", transformation.name)
            input:
                best_cuts=tables_of(transformation, transformation.searches, "best_cuts"),
                tied_cuts=tables_of(transformation, transformation.searches, "tied_cuts"),
                top_cuts=tables_of(transformation, transformation.searches, "top_cuts"),
            output:
                best_cuts=cuts_of(transformation, "best_cuts.parquet"),
                tied_cuts=cuts_of(transformation, "tied_cuts.parquet"),
                top_cuts=cuts_of(transformation, "top_cuts.parquet"),
            log:
                log_of("combine_cuts", transformation.name),
            group:
                "cuts"
            conda:
                "../envs/regrade.yaml"
            resources:
                mem_mb=1000,
                runtime=10,
            params:
                unserved=transformation.unserved,
                code=source_hash("combine_cuts.py"),
            script:
                "../scripts/combine_cuts.py"

    rule:
        name:
            rule_name("explore_cuts", transformation.name)
        input:
            runs=CODED_RUNS if COLLECTION.has_runs else [],
            judgments=set_table(transformation.source),
            references=reference_tables(transformation),
            experts=[QRELS.format(name=expert) for expert in transformation.experts],
            pool=pool_of(transformation),
            alpha=tables_of(transformation, transformation.searches, "alpha"),
            best_cuts=cuts_of(transformation, "best_cuts.parquet"),
            plateau=trusted_tables(transformation, "plateau")["plateau"],
        output:
            cuts_of(transformation, "explorer.json"),
        log:
            log_of("explore_cuts", transformation.name),
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=10,
        params:
            name=transformation.name,
            references=references_of(transformation),
            searches=[search.asked for search in transformation.searches.values()],
            experts=transformation.max_grades,
            scale=source_scale(transformation),
            levels=transformation.levels,
            grid=transformation.options["grid"],
            measure=transformation.options["measure"],
            metric=transformation.options["metric"],
            undefined=transformation.options["undefined"],
            coverage=transformation.options["coverage"],
            repeats=transformation.options["repeats"],
            aggregate=transformation.options["aggregate"],
            code=source_hash("explore_cuts.py"),
        script:
            "../scripts/explore_cuts.py"

    rule:
        name:
            rule_name("recommend_cut", transformation.name)
        input:
            **trusted_tables(transformation, *SURENESS_TABLES),
            judgments=set_table(transformation.source),
            best_cuts=cuts_of(transformation, "best_cuts.parquet"),
            alpha=recommended_alpha(transformation),
            runs=CODED_RUNS if COLLECTION.has_runs else [],
            experts=[QRELS.format(name=expert) for expert in transformation.experts],
        output:
            **answer_tables(transformation),
        log:
            log_of("recommend_cut", transformation.name),
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=15,
        params:
            source=transformation.source,
            search=getattr(recommended_search(transformation), "asked", None),
            unserved=list(transformation.unserved.values()),
            scale=source_scale(transformation),
            grid=transformation.options["grid"],
            how=transformation.label_options,
            experts=transformation.max_grades,
            measure=transformation.options["measure"],
            code=source_hash("recommend_cut.py"),
        script:
            "../scripts/recommend_cut.py"


# every criterion of every cut
CUT_CRITERIA = {asked["transformation"]: asked for asked in OPTIONS["cut_criteria"]}
for name, asked in CUT_CRITERIA.items():
    transformation = TRANSFORMATIONS[name]

    rule:
        name:
            rule_name("weigh_cuts", name)
        input:
            judgments=set_table(transformation.source),
            references=reference_labels(transformation),
            pool=pool_of(transformation),
            runs=CODED_RUNS if COLLECTION.has_runs else [],
            experts=[QRELS.format(name=expert) for expert in transformation.experts],
            tau=tables_of(transformation, taus_of(transformation), "tau"),
        output:
            criteria=cuts_of(transformation, "criteria.parquet"),
            picked=cuts_of(transformation, "picked.parquet"),
            fronts=cuts_of(transformation, "fronts.parquet"),
        log:
            log_of("weigh_cuts", name),
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            references=[(r.label, r.unjudged) for r in transformation.references],
            experts=transformation.max_grades,
            scale=source_scale(transformation),
            levels=transformation.levels,
            grid=transformation.options["grid"],
            metric=transformation.options["metric"],
            coverage=transformation.options["coverage"],
            repeats=transformation.options["repeats"],
            aggregate=transformation.options["aggregate"],
            measure=transformation.options["measure"],
            significance=asked["significance"],
            code=source_hash("weigh_cuts.py"),
        script:
            "../scripts/weigh_cuts.py"


# the best cuts into 2 to 7 levels
CUT_LEVELS = {asked["transformation"]: asked for asked in OPTIONS["cut_levels"]}
for name, asked in CUT_LEVELS.items():
    transformation = TRANSFORMATIONS[name]

    rule:
        name:
            rule_name("count_levels", name)
        input:
            judgments=set_table(transformation.source),
            references=reference_labels(transformation),
            further=[set_table(one) for one in asked["references"]],
            pool=pool_of(transformation),
            runs=CODED_RUNS if COLLECTION.has_runs else [],
            experts=[QRELS.format(name=expert) for expert in transformation.experts],
        output:
            **tables_of_levels(transformation),
        log:
            log_of("count_levels", name),
        conda:
            "../envs/regrade.yaml"
        threads: 8
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            **given(asked, "most", "enumerate_to"),
            references=[(r.label, r.unjudged) for r in transformation.references],
            further={one: COLLECTION.scale(one, "cut_levels").levels for one in asked["references"]},
            experts=transformation.max_grades,
            scale=source_scale(transformation),
            levels=transformation.levels,
            grid=transformation.options["grid"],
            metric=transformation.options["metric"],
            coverage=transformation.options["coverage"],
            repeats=transformation.options["repeats"],
            aggregate=transformation.options["aggregate"],
            measure=transformation.options["measure"],
            code=source_hash("count_levels.py"),
        script:
            "../scripts/count_levels.py"


rule cuts:
    input:
        [
            cuts_of(transformation, f"{table}.parquet")
            for transformation in TRANSFORMATIONS.values()
            for table in (
                ["best_cuts", "tied_cuts", "top_cuts", "tau_topics"]
                if COLLECTION.has_runs
                else ["best_cuts", "tied_cuts", "top_cuts"]
            )
        ],
        [
            cuts_of(TRANSFORMATIONS[name], f"{table}.parquet")
            for name in CUT_CRITERIA
            for table in ("criteria", "picked", "fronts")
        ],
        [table for name in CUT_LEVELS for table in tables_of_levels(TRANSFORMATIONS[name]).values()],
        f"{RESULTS}/cut-comparisons/agreement.parquet" if OPTIONS["cut_comparisons"] else [],
    localrule: True


EXPERT_CUTS = OPTIONS["expert_cuts"]
if EXPERT_CUTS:

    rule expert_cuts:
        input:
            sources=[set_table(cuts["source"]) for cuts in EXPERT_CUTS],
            references=[set_table(cuts["reference"]) for cuts in EXPERT_CUTS],
            pools=[set_table(cuts["pool"]) for cuts in EXPERT_CUTS],
        output:
            agreement=f"{RESULTS}/expert-cuts/agreement.parquet",
            topics=f"{RESULTS}/expert-cuts/topics.parquet",
        log:
            log_of("expert_cuts"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1000,
            runtime=5,
        params:
            cuts=[
                (
                    cuts["source"],
                    cuts["reference"],
                    COLLECTION.scale(cuts["source"], "expert_cuts").levels,
                )
                for cuts in EXPERT_CUTS
            ],
            code=source_hash("expert_cuts.py"),
        script:
            "../scripts/expert_cuts.py"


if OPTIONS["cut_comparisons"]:

    rule compare_cuts:
        input:
            first_best_cuts=compared_tables("first", "best_cuts"),
            first_alpha=compared_tables("first", "alpha"),
            second_best_cuts=compared_tables("second", "best_cuts"),
            second_alpha=compared_tables("second", "alpha"),
        output:
            f"{RESULTS}/cut-comparisons/agreement.parquet",
        log:
            log_of("compare_cuts"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=5,
        params:
            compared=[
                (compared["first"], compared["second"], shared_searches(compared))
                for compared in OPTIONS["cut_comparisons"]
            ],
            code=source_hash("compare_cuts.py"),
        script:
            "../scripts/compare_cuts.py"


if OPTIONS["overlaps"]:

    rule overlaps:
        input:
            [set_table(name) for name in COLLECTION.overlapping],
        output:
            f"{RESULTS}/overlaps/sets.parquet",
        log:
            log_of("overlaps"),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=1000,
            runtime=5,
        params:
            pool=OPTIONS["overlaps"]["pool"],
            levels={n: COLLECTION.scale(n, "overlaps").levels for n in COLLECTION.overlapping},
            simulated=[n for n in COLLECTION.simulated if n in COLLECTION.overlapping],
            code=source_hash("overlaps.py"),
        script:
            "../scripts/overlaps.py"
