# α of every cut by each method, τ of every cut, and the best cuts of each.
def reference_of(wildcards):
    """The reference of a search as labels on the target scale: experts', or a crowd's votes."""
    search = transformation_of(wildcards).searches[wildcards.search]
    if search.reference is None:
        return []
    if search.reference.name in COLLECTION.qrels:
        return QRELS.format(name=search.reference.name)
    return f"{CUTS}/references/{search.reference.name}.parquet"


def search_option(key):
    """A parameter function: a field of the wildcards' search."""

    def value(wildcards):
        search = transformation_of(wildcards).searches[wildcards.search]
        if key == "method":
            return search.method
        return getattr(search.reference, key, None)

    return value


def source_of(wildcards):
    return set_table(transformation_of(wildcards).source)


def source_levels_of(wildcards):
    return transformation_of(wildcards).source_levels


rule aggregate_reference:
    input:
        JUDGMENTS,
    output:
        f"{CUTS}/references/{{name}}.parquet",
    params:
        aggregate=option("aggregate"),
        levels=option("levels"),
        code=source_hash("aggregate_reference.py"),
    wildcard_constraints:
        name=one_of(COLLECTION.judgments),
    log:
        log_of("aggregate_reference", "{transformation}", "{name}"),
    benchmark:
        benchmark_of("aggregate_reference", "{transformation}", "{name}")
    resources:
        mem_mb=1000,
        runtime=10,
    script:
        "../scripts/aggregate_reference.py"


rule search_cuts:
    input:
        judgments=source_of,
        reference=reference_of,
    output:
        alpha=f"{CUTS}/{{search}}/alpha.parquet",
        best_cuts=f"{CUTS}/{{search}}/best_cuts.parquet",
        top_cuts=f"{CUTS}/{{search}}/top_cuts.parquet",
    params:
        source_levels=source_levels_of,
        levels=option("levels"),
        method=search_option("method"),
        reference=search_option("label"),
        unjudged=search_option("unjudged"),
        alpha=option("alpha"),
        undefined=option("undefined"),
        aggregate=option("aggregate"),
        top=option("top"),
        code=source_hash("search_cuts.py"),
    log:
        log_of("search_cuts", "{transformation}", "{search}"),
    benchmark:
        benchmark_of("search_cuts", "{transformation}", "{search}")
    threads: 8
    resources:
        mem_mb=4000,
        runtime=60,
    script:
        "../scripts/search_cuts.py"


rule tau_cuts:
    input:
        runs=RUNS,
        judgments=source_of,
        expert=QRELS.replace("{name}", "{expert}"),
    output:
        tau=f"{CUTS}/tau@{{expert}}/tau.parquet",
        best_cuts=f"{CUTS}/tau@{{expert}}/best_cuts.parquet",
        top_cuts=f"{CUTS}/tau@{{expert}}/top_cuts.parquet",
    params:
        source_levels=source_levels_of,
        levels=option("levels"),
        expert="{expert}",
        measure=option("measure"),
        aggregate=option("aggregate"),
        top=option("top"),
        code=source_hash("tau_cuts.py"),
    log:
        log_of("tau_cuts", "{transformation}", "{expert}"),
    benchmark:
        benchmark_of("tau_cuts", "{transformation}", "{expert}")
    threads: 8
    resources:
        mem_mb=4000,
        runtime=60,
    script:
        "../scripts/tau_cuts.py"


def all_of(table):
    """An input function: that table of every search, α's first, then τ's."""

    def paths(wildcards):
        transformation = transformation_of(wildcards)
        searches = [*transformation.searches, *(f"tau@{e}" for e in transformation.experts)]
        return [f"{CUTS}/{search}/{table}.parquet" for search in searches]

    return paths


rule combine_cuts:
    input:
        best_cuts=all_of("best_cuts"),
        top_cuts=all_of("top_cuts"),
    output:
        best_cuts=f"{CUTS}/best_cuts.parquet",
        top_cuts=f"{CUTS}/top_cuts.parquet",
    params:
        code=source_hash("combine_cuts.py"),
    log:
        log_of("combine_cuts", "{transformation}"),
    benchmark:
        benchmark_of("combine_cuts", "{transformation}")
    resources:
        mem_mb=1000,
        runtime=10,
    script:
        "../scripts/combine_cuts.py"
