# Input and parameter functions: what a job needs, from its wildcards and the configuration.
def set_table(name):
    """The table of a qrels or a judgment set."""
    return (QRELS if name in COLLECTION.qrels else JUDGMENTS).format(name=name)


def transformation_of(wildcards):
    return TRANSFORMATIONS[wildcards.transformation]


def option(key):
    """A parameter function: an option of the wildcards' transformation."""

    def value(wildcards):
        return transformation_of(wildcards).options[key]

    return value


# collect: the files of a set
def set_files(kind):
    """An input function: the files of a set of that kind."""

    def paths(wildcards):
        if kind == "qrels" and COLLECTION.is_made_with_runs(wildcards.name):
            return [SIMULATED_QRELS]
        return [*map(COLLECTION.path, files_of(OPTIONS[kind][wildcards.name]))]

    return paths


def reading_of(kind):
    """A parameter function: how the files of a set of that kind are read."""
    return lambda wildcards: reading(kind, OPTIONS[kind][wildcards.name])


def written_scale_of(kind):
    """A parameter function: the scale that the files of a set of that kind are on."""
    return lambda wildcards: written_scale(OPTIONS[kind][wildcards.name])


def workers_of(kind):
    """A parameter function: the judge of each file of a set whose files name none."""
    return lambda wildcards: workers(kind, wildcards.name, OPTIONS[kind][wildcards.name])


def relevant_from_of(wildcards):
    return relevant_from(COLLECTION.qrels[wildcards.name])


# score
def max_grade_of(wildcards):
    return COLLECTION.scale(wildcards.name, "qrels").high


# cuts: the searches of a transformation
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


def pool_of(wildcards):
    """The set whose documents are the pool of an expert source, if it names one."""
    pool = transformation_of(wildcards).options["pool"]
    return set_table(pool) if pool else []


def unserved_of(wildcards):
    """The methods that the configured sets cannot serve, and why."""
    return transformation_of(wildcards).unserved


def source_scale_of(wildcards):
    """The scale of a transformation's source, as its options write it."""
    transformation = transformation_of(wildcards)
    kind = "qrels" if transformation.source_is_expert else "judgments"
    return written_scale(OPTIONS[kind][transformation.source])


def all_of(table):
    """An input function: that table of every search, α's first, then τ's."""

    def paths(wildcards):
        transformation = transformation_of(wildcards)
        searches = [*transformation.searches, *(f"tau@{e}" for e in transformation.experts)]
        return [f"{CUTS}/{search}/{table}.parquet" for search in searches]

    return paths


# rankings: the experts of a transformation
def expert_tables(wildcards):
    return [QRELS.format(name=expert) for expert in transformation_of(wildcards).experts]


def tau_tables(wildcards):
    return [f"{CUTS}/tau@{e}/tau.parquet" for e in transformation_of(wildcards).experts]


def experts_of(wildcards):
    return transformation_of(wildcards).experts


# pools: what else a left-out analysis reads
def groups_file(wildcards):
    by_run = LEFT_OUT[wildcards.left_out]["by"] == "run"
    return [] if by_run else COLLECTION.path(OPTIONS["groups"])


def origins_file(wildcards):
    by_origins = LEFT_OUT[wildcards.left_out]["by"] == "origins"
    return COLLECTION.path(OPTIONS["pool_origins"]) if by_origins else []
