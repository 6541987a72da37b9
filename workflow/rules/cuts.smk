# α of every cut by every method, in one job a transformation: each method takes less time than
# Python takes to start.  Many topics are shared out to as many jobs as `chunks` says, whose parts
# one more job puts together.  Transformations are wildcards; of those that have other searches than
# the first ones, whose jobs make other files, a rule has a number.
OF_CUTS = CutJobs(CUTS)
TRANSFORMATION = one_of(CUTS)

for number, cuts, names in OF_CUTS.searched_at_once:

    rule:
        name:
            f"search_cuts{number}"
        input:
            unpack(OF_CUTS.searched),
        output:
            **cuts.searched,
            references=cuts.aggregated,
        log:
            log_of("search_cuts", "{transformation}"),
        wildcard_constraints:
            transformation=one_of(names),
        group:
            "cuts"
        conda:
            "../envs/regrade.yaml"
        threads: OF_CUTS.threads
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            asked=OF_CUTS.searching,
            code=source_hash("search_cuts.py"),
        script:
            "../scripts/search_cuts.py"


for number, cuts, names in OF_CUTS.searched_in_chunks:
    if cuts.crowds:

        rule:
            name:
                f"label_references{number}"
            input:
                OF_CUTS.crowds,
            output:
                cuts.aggregated,
            log:
                log_of("label_references", "{transformation}"),
            wildcard_constraints:
                transformation=one_of(names),
            conda:
                "../envs/regrade.yaml"
            resources:
                mem_mb=4000,
                runtime=30,
            params:
                asked=OF_CUTS.searching,
                code=source_hash("label_references.py"),
            script:
                "../scripts/label_references.py"

    rule:
        name:
            f"search_chunk{number}"
        input:
            unpack(OF_CUTS.compared),
        output:
            parts=temp(cuts.of_chunks(["{chunk}"], IN_CHUNKS[:1])),
            tables=temp(cuts.of_chunks(["{chunk}"], IN_CHUNKS[1:])),
        log:
            log_of("search_chunk", "{transformation}", "{chunk}"),
        wildcard_constraints:
            transformation=one_of(names),
            chunk=r"\d+",
        conda:
            "../envs/regrade.yaml"
        threads: OF_CUTS.threads
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            asked=OF_CUTS.chunk,
            code=source_hash("search_chunk.py"),
        script:
            "../scripts/search_chunk.py"

    rule:
        name:
            f"join_chunks{number}"
        input:
            unpack(OF_CUTS.chunks),
        output:
            **cuts.searched,
        log:
            log_of("join_chunks", "{transformation}"),
        wildcard_constraints:
            transformation=one_of(names),
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=4000,
            runtime=60,
        params:
            asked=OF_CUTS.searching,
            code=source_hash("join_chunks.py"),
        script:
            "../scripts/join_chunks.py"


rule describe_cuts:
    input:
        unpack(OF_CUTS.described),
    output:
        **PATHS.tables("cuts_described", of="{transformation}"),
    log:
        log_of("describe_cuts", "{transformation}"),
    wildcard_constraints:
        transformation=TRANSFORMATION,
    group:
        "cuts"
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=2000,
        runtime=15,
    params:
        asked=OF_CUTS.describing,
        code=source_hash("describe_cuts.py"),
    script:
        "../scripts/describe_cuts.py"


rule pool_cuts:
    input:
        unpack(OF_CUTS.pooled),
    output:
        **PATHS.tables("pooled_cuts", of="{transformation}"),
    log:
        log_of("pool_cuts", "{transformation}"),
    wildcard_constraints:
        transformation=TRANSFORMATION,
    group:
        "cuts"
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        asked=OF_CUTS.pooling,
        code=source_hash("pool_cuts.py"),
    script:
        "../scripts/pool_cuts.py"


if COLLECTION.has_runs:
    for number, cuts, names in OF_CUTS.ranked:

        rule:
            name:
                f"rank_cuts{number}"
            input:
                unpack(OF_CUTS.chosen),
            output:
                **cuts.combined,
            log:
                log_of("rank_cuts", "{transformation}"),
            wildcard_constraints:
                transformation=one_of(names),
            group:
                "cuts"
            conda:
                "../envs/regrade.yaml"
            threads: OF_CUTS.threads
            resources:
                mem_mb=4000,
                runtime=60,
            params:
                asked=OF_CUTS.ranking,
                code=source_hash("rank_cuts.py"),
            script:
                "../scripts/rank_cuts.py"

else:
    for number, cuts, names in OF_CUTS.unranked:

        rule:
            name:
                f"combine_cuts{number}"
            input:
                unpack(OF_CUTS.chosen),
            output:
                **cuts.combined,
            log:
                log_of("combine_cuts", "{transformation}"),
            wildcard_constraints:
                transformation=one_of(names),
            group:
                "cuts"
            conda:
                "../envs/regrade.yaml"
            resources:
                mem_mb=1000,
                runtime=10,
            params:
                asked=OF_CUTS.unserved,
                code=source_hash("combine_cuts.py"),
            script:
                "../scripts/combine_cuts.py"


rule explore_cuts:
    input:
        unpack(OF_CUTS.explored),
    output:
        PATHS.below("cuts", "{transformation}", "explorer.json"),
    log:
        log_of("explore_cuts", "{transformation}"),
    wildcard_constraints:
        transformation=TRANSFORMATION,
    group:
        "shown"
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        asked=OF_CUTS.exploring,
        code=source_hash("explore_cuts.py"),
    script:
        "../scripts/explore_cuts.py"


rule recommend_cut:
    input:
        unpack(OF_CUTS.weighed),
    output:
        **PATHS.tables("recommended_cuts", of="{transformation}"),
    log:
        log_of("recommend_cut", "{transformation}"),
    wildcard_constraints:
        transformation=TRANSFORMATION,
    group:
        "shown"
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=4000,
        runtime=15,
    params:
        asked=OF_CUTS.recommending,
        code=source_hash("recommend_cut.py"),
    script:
        "../scripts/recommend_cut.py"
