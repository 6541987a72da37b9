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
def qrels_file(wildcards):
    if COLLECTION.is_made_with_runs(wildcards.name):
        return SIMULATED_QRELS
    return COLLECTION.path(COLLECTION.qrels[wildcards.name]["file"])


def judgments_file(wildcards):
    return COLLECTION.path(COLLECTION.judgments[wildcards.name]["file"])


def units_of(wildcards):
    return COLLECTION.units(wildcards.name)


# score
def levels_of(wildcards):
    return COLLECTION.levels(wildcards.name, "qrels")


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


def source_levels_of(wildcards):
    return transformation_of(wildcards).source_levels


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


# han2019: the panels of a figure, and what a study consists of
def shown_in(figure):
    """The transformation that a figure shows."""
    return TRANSFORMATIONS[HAN2019[figure]["transformation"]]


def cuts_of(figure, table):
    """A table of the figure's transformation."""
    return f"{CUTS}/{table}.parquet".format(transformation=shown_in(figure).name)


def alpha_of(figure):
    """α of every cut for each panel of a figure."""
    return [cuts_of(figure, f"{panel}/alpha") for panel in HAN2019[figure]["panels"]]


def panels_of(figure):
    """(method, reference) of each panel of a figure."""
    chosen = [shown_in(figure).searches[panel] for panel in HAN2019[figure]["panels"]]
    return [(s.method, s.reference.label if s.reference else None) for s in chosen]


def tau_panels():
    """(transformation, expert) of each panel of figure-tau."""
    covered = COLLECTION.covered("han2019", "figure-tau")
    return [(name, expert) for name in covered for expert in TRANSFORMATIONS[name].experts]


def made_of(study, items, kind, *endings):
    """Paths of a study's items of a kind (figure or table)."""
    folder = f"{RESULTS}/{kind}s/{study}"
    return [f"{folder}/{item}{end}" for item in items if item.startswith(kind) for end in endings]
