# α of every cut by every method, in one job a transformation: each method takes less time than
# Python takes to start.  Many topics are shared out to as many jobs as `chunks` says, whose parts
# one more job puts together.
for cuts in CUTS.values():
    transformation, recommended = cuts.transformation, cuts.recommended

    if transformation.options["chunks"] == 1:

        rule:
            name:
                rule_name("search_cuts", cuts.name)
            input:
                **(cuts.compared | {"references": PATHS.sets(cuts.references)}),
            output:
                **cuts.searched,
                references=cuts.aggregated,
            log:
                log_of("search_cuts", cuts.name),
            group:
                "cuts"
            conda:
                "../envs/regrade.yaml"
            threads: transformation.threads()
            resources:
                mem_mb=4000,
                runtime=60,
            params:
                **cuts.searching,
                code=source_hash("search_cuts.py"),
            script:
                "../scripts/search_cuts.py"

    else:
        if cuts.crowds:

            rule:
                name:
                    rule_name("label_references", cuts.name)
                input:
                    PATHS.sets(cuts.crowds),
                output:
                    cuts.aggregated,
                log:
                    log_of("label_references", cuts.name),
                conda:
                    "../envs/regrade.yaml"
                resources:
                    mem_mb=4000,
                    runtime=30,
                params:
                    **cuts.searching,
                    code=source_hash("label_references.py"),
                script:
                    "../scripts/label_references.py"

        rule:
            name:
                rule_name("search_chunk", cuts.name)
            input:
                **cuts.compared,
            output:
                parts=temp(cuts.of_chunks(["{chunk}"], IN_CHUNKS[:1])),
                tables=temp(cuts.of_chunks(["{chunk}"], IN_CHUNKS[1:])),
            log:
                log_of("search_chunk", cuts.name, "{chunk}"),
            wildcard_constraints:
                chunk=r"\d+",
            conda:
                "../envs/regrade.yaml"
            threads: transformation.threads()
            resources:
                mem_mb=4000,
                runtime=60,
            params:
                **cuts.searching,
                chunk=SETS.chunk,
                chunks=transformation.options["chunks"],
                code=source_hash("search_chunk.py"),
            script:
                "../scripts/search_chunk.py"

        rule:
            name:
                rule_name("join_chunks", cuts.name)
            input:
                parts=cuts.of_chunks(cuts.chunks, IN_CHUNKS[:1]),
                tables=cuts.of_chunks(cuts.chunks, IN_CHUNKS[1:]),
            output:
                **cuts.searched,
            log:
                log_of("join_chunks", cuts.name),
            conda:
                "../envs/regrade.yaml"
            resources:
                mem_mb=4000,
                runtime=60,
            params:
                **cuts.searching,
                code=source_hash("join_chunks.py"),
            script:
                "../scripts/join_chunks.py"

    rule:
        name:
            rule_name("describe_cuts", cuts.name)
        input:
            **given(cuts.searched, "alpha", "best_cuts"),
            judgments=cuts.compared["judgments"],
            labels=PATHS.sets(transformation.expert_labels),
        output:
            **PATHS.tables("cuts_described", of=cuts.name),
        log:
            log_of("describe_cuts", cuts.name),
        group:
            "cuts"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=15,
        params:
            **given(cuts.options, *ALPHA),
            labels=transformation.expert_labels,
            searches=[{"name": s.name, **s.asked} for s in cuts.searches.values()],
            scale=cuts.scale,
            code=source_hash("describe_cuts.py"),
        script:
            "../scripts/describe_cuts.py"

    rule:
        name:
            rule_name("pool_cuts", cuts.name)
        input:
            **cuts.compared,
            **given(cuts.searched, "alpha", "best_cuts"),
        output:
            **PATHS.tables("pooled_cuts", of=cuts.name),
        log:
            log_of("pool_cuts", cuts.name),
        group:
            "cuts"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            **cuts.told_of(cuts.searches.values(), *ALPHA),
            code=source_hash("pool_cuts.py"),
        script:
            "../scripts/pool_cuts.py"

    if COLLECTION.has_runs:

        rule:
            name:
                rule_name("rank_cuts", cuts.name)
            input:
                **cuts.ranked,
                **given(cuts.searched, "best_cuts", "tied_cuts", "top_cuts"),
                judgments=cuts.compared["judgments"],
            output:
                **cuts.combined,
            log:
                log_of("rank_cuts", cuts.name),
            group:
                "cuts"
            conda:
                "../envs/regrade.yaml"
            threads: transformation.threads()
            resources:
                mem_mb=4000,
                runtime=60,
            params:
                **cuts.told("grid", "measure", "aggregate"),
                experts=transformation.experts,
                max_grades=transformation.max_grades,
                named=transformation.options["experts"],
                unserved=transformation.unserved,
                code=source_hash("rank_cuts.py"),
            script:
                "../scripts/rank_cuts.py"

    else:

        rule:
            name:
                rule_name("combine_cuts", cuts.name)
            input:
                **given(cuts.searched, "best_cuts", "tied_cuts", "top_cuts"),
            output:
                **cuts.combined,
            log:
                log_of("combine_cuts", cuts.name),
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
            rule_name("explore_cuts", cuts.name)
        input:
            **cuts.compared,
            **cuts.ranked,
            **cuts.trusted("plateau"),
            alpha=cuts.searched["alpha"],
            best_cuts=cuts.combined["best_cuts"],
        output:
            cuts.path("explorer.json"),
        log:
            log_of("explore_cuts", cuts.name),
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=10,
        params:
            **(cuts.again(cuts.searches.values()) | {"experts": transformation.max_grades}),
            score_precision=OPTIONS["score_precision"],
            name=cuts.name,
            start=recommended.asked if recommended else None,
            code=source_hash("explore_cuts.py"),
        script:
            "../scripts/explore_cuts.py"

    rule:
        name:
            rule_name("recommend_cut", cuts.name)
        input:
            **cuts.ranked,
            **cuts.trusted(*SURENESS_TABLES),
            judgments=cuts.compared["judgments"],
            best_cuts=cuts.combined["best_cuts"],
            alpha=cuts.path(f"{recommended.name}/alpha.parquet") if recommended else [],
        output:
            **PATHS.tables("recommended_cuts", of=cuts.name),
        log:
            log_of("recommend_cut", cuts.name),
        group:
            "shown"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=15,
        params:
            **given(cuts.options, "grid", "measure"),
            source=transformation.source,
            search=recommended.asked if recommended else None,
            unserved=list(transformation.unserved.values()),
            score_precision=OPTIONS["score_precision"],
            scale=cuts.scale,
            how=transformation.label_options,
            experts=transformation.max_grades,
            code=source_hash("recommend_cut.py"),
        script:
            "../scripts/recommend_cut.py"
