# α of every cut by every method, in one job a transformation: each method takes less time than
# Python takes to start.  Many topics are shared out to as many jobs as `chunks` says, whose parts
# one more job puts together.  Transformations are wildcards; of those that have other searches than
# the first ones, whose jobs make other files, a rule has a number.
for shape in OF_CUTS.searched_at_once:
    number, cuts = shape.number, shape.cuts

    rule:
        name:
            rule_of("search_cuts", number)
        input:
            unpack(OF_CUTS.inputs("searched")),
        output:
            **cuts.searched,
            references=cuts.aggregated,
        log:
            log_of("search_cuts", "{transformation}"),
        wildcard_constraints:
            **shape.matched,
        group:
            "cuts"
        conda:
            "../envs/regrade.yaml"
        threads: OF_CUTS.threads
        resources:
            mem_mb=memory(4000),
            runtime=60,
        params:
            request=OF_CUTS.request("searched"),
            code=source_hash("search_cuts.py"),
        script:
            "../scripts/search_cuts.py"


for shape in OF_CUTS.searched_in_chunks:
    number, cuts = shape.number, shape.cuts
    if cuts.crowds:

        rule:
            name:
                rule_of("label_references", number)
            input:
                unpack(OF_CUTS.inputs("aggregated")),
            output:
                cuts.aggregated,
            log:
                log_of("label_references", "{transformation}"),
            wildcard_constraints:
                **shape.matched,
            conda:
                "../envs/regrade.yaml"
            resources:
                mem_mb=memory(4000),
                runtime=30,
            params:
                request=OF_CUTS.request("aggregated"),
                code=source_hash("label_references.py"),
            script:
                "../scripts/label_references.py"

    rule:
        name:
            rule_of("search_chunk", number)
        input:
            unpack(OF_CUTS.inputs("in_chunks")),
        output:
            parts=temp(cuts.of_chunks(["{chunk}"], IN_CHUNKS[:1])),
            tables=temp(cuts.of_chunks(["{chunk}"], IN_CHUNKS[1:])),
        log:
            log_of("search_chunk", "{transformation}", "{chunk}"),
        wildcard_constraints:
            **shape.matched,
            chunk=r"\d+",
        conda:
            "../envs/regrade.yaml"
        threads: OF_CUTS.threads
        resources:
            mem_mb=memory(4000),
            runtime=60,
        params:
            request=OF_CUTS.request("in_chunks"),
            chunk=OF_CUTS.chunk,
            code=source_hash("search_chunk.py"),
        script:
            "../scripts/search_chunk.py"

    rule:
        name:
            rule_of("join_chunks", number)
        input:
            unpack(OF_CUTS.inputs("of_chunks")),
        output:
            **cuts.searched,
        log:
            log_of("join_chunks", "{transformation}"),
        wildcard_constraints:
            **shape.matched,
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(4000, OF_ALPHA),
            runtime=60,
        params:
            request=OF_CUTS.request("of_chunks"),
            code=source_hash("join_chunks.py"),
        script:
            "../scripts/join_chunks.py"


for shape in OF_CUTS.ranked:
    number, cuts = shape.number, shape.cuts

    rule:
        name:
            rule_of("rank_cuts", number)
        input:
            unpack(OF_CUTS.inputs("combined")),
        output:
            **cuts.combined,
        log:
            log_of("rank_cuts", "{transformation}"),
        wildcard_constraints:
            **shape.matched,
        group:
            "cuts"
        conda:
            "../envs/regrade.yaml"
        threads: OF_CUTS.threads
        resources:
            mem_mb=memory(4000),
            runtime=60,
        params:
            request=OF_CUTS.request("combined"),
            code=source_hash("rank_cuts.py"),
        script:
            "../scripts/rank_cuts.py"


for shape in OF_CUTS.combined:
    cuts = shape.cuts

    rule:
        name:
            "combine_cuts"
        input:
            unpack(OF_CUTS.inputs("combined")),
        output:
            **cuts.combined,
        log:
            log_of("combine_cuts", "{transformation}"),
        wildcard_constraints:
            **shape.matched,
        group:
            "cuts"
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=memory(1000),
            runtime=10,
        params:
            request=OF_CUTS.request("combined"),
            code=source_hash("combine_cuts.py"),
        script:
            "../scripts/combine_cuts.py"


rule explore_cuts:
    input:
        unpack(OF_CUTS.inputs("explored")),
    output:
        BELOW.below("cuts", "{transformation}", "explorer.json"),
    log:
        log_of("explore_cuts", "{transformation}"),
    wildcard_constraints:
        **only(CUT, OF_CUTS.names),
    group:
        "shown"
    conda:
        "../envs/regrade.yaml"
    resources:
        mem_mb=memory(4000, OF_ALPHA),
        runtime=10,
    params:
        request=OF_CUTS.request("explored"),
        code=source_hash("explore_cuts.py"),
    script:
        "../scripts/explore_cuts.py"
