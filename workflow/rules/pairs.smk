# Answers about pairs of documents: scores of documents, graphs, sides, consistency.
PAIRS = COLLECTION.pairs
for name, asked in PAIRS.items():

    rule:
        name:
            rule_name("score_pairs", name)
        input:
            PREFERENCES.format(name=asked["set"]),
        output:
            **tables_of_stage("pairs", name),
        log:
            log_of("score_pairs", name),
        benchmark:
            benchmark_of("score_pairs", name)
        conda:
            "../envs/regrade.yaml"
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            **given(asked, "methods", "combined", "bias", "even_sides", "prior", "shift"),
            **given(asked, "consistency_by", "seconds"),
            code=source_hash("score_pairs.py"),
        script:
            "../scripts/score_pairs.py"


rule pairs:
    input:
        [table for name in PAIRS for table in tables_of_pairs(name).values()],
    localrule: True
