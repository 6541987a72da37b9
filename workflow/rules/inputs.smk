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


# yang2019: what its tables and figures show, by the names in regrade.tables.SCHEMAS
YANG_TABLES = {
    "tie_rates": ["ties/rates"],
    "tie_bounds": ["ties/bounds"],
    "tie_ranges": ["ties/ranges"],
    "banded_scores": ["ties/banded"],
    "non_inferiority": ["ties/non_inferiority"],
    "banded_p_values": ["ties/p_values"],
    "quadrants": ["ties/quadrants"],
    "collection_facts": ["pools/collection"],
    "deeply_judged": ["pools/deeply_judged"],
    "pool_sizes": ["pools/sizes"],
    "pool_votes": ["pools/votes"],
    "score_movements": ["pools/movements"],
    "movement_correlations": ["pools/movement_correlations"],
    "rbp_curves": ["residuals/rbp"],
    "tau_by_phi": ["residuals/tau_by_phi"],
    "nearest_phi": ["residuals/nearest_phi"],
    "nearest_summary": ["residuals/nearest_summary"],
    "ranges": ["ranges/ranges"],
    "system_ranges": ["ranges/systems"],
    "pairs": ["discrimination/pairs"],
    "trend_counts": ["discrimination/trends"],
    "significance_curve": ["discrimination/curve"],
    "main_effects": ["ancova/main_effects"],
    "ancova_effects": ["ancova/effects"],
    "ancova_diagnostics": ["ancova/diagnostics"],
    "left_out_systems": [f"leave-one-out/{name}/systems" for name in LEFT_OUT],
    "left_out_summary": [f"leave-one-out/{name}/summary" for name in LEFT_OUT],
}
YANG_SCHEMAS = {
    "main_effects": "ancova/effects",
    "left_out_systems": "leave-one-out/systems",
    "left_out_summary": "leave-one-out/summary",
}
YANG_SHOWS = {
    "table-3.2": ["tie_rates"],
    "table-3.3": ["tie_bounds"],
    "table-3.4": ["non_inferiority"],
    "table-4.1": ["collection_facts"],
    "table-4.2": ["nearest_phi"],
    "table-4.3": ["pool_sizes", "deeply_judged"],
    "table-4.4": ["pool_votes"],
    "table-4.5": ["pairs"],
    "table-4.6": ["pairs"],
    "table-4.7": ["score_movements"],
    "table-4.8": ["score_movements"],
    "table-4.9": ["main_effects", "ancova_effects"],
    "table-ancova": ["main_effects", "ancova_effects"],
    "table-ranges": ["ranges"],
    "table-leave-one-out": ["left_out_summary"],
    "figure-3.4": ["tie_ranges"],
    "figure-3.6": ["banded_scores"],
    "figure-3.7": ["banded_scores"],
    "figure-3.8": ["banded_p_values", "quadrants"],
    "figure-3.9": ["banded_p_values", "quadrants"],
    "figure-3.10": ["banded_p_values", "quadrants"],
    "figure-3.11": ["banded_p_values", "quadrants"],
    "figure-4.1": ["rbp_curves"],
    "figure-4.2": ["tau_by_phi"],
    "figure-4.3": ["nearest_phi", "nearest_summary"],
    "figure-4.5": ["pool_sizes"],
    "figure-4.6": ["score_movements"],
    "figure-4.7": ["trend_counts"],
    "figure-4.8": ["score_movements", "movement_correlations"],
    "figure-ranges": ["system_ranges"],
    "figure-leave-one-out": ["left_out_systems"],
    "figure-power": ["significance_curve"],
    "figure-ancova": ["ancova_diagnostics"],
}


def yang_inputs(item):
    """Paths of what an item of yang2019 shows, by table."""
    return {
        name: [f"{RESULTS}/{path}.parquet" for path in YANG_TABLES[name]]
        for name in YANG_SHOWS[item]
    }


def yang_schemas(item):
    """Schema of each table that an item of yang2019 shows."""
    return {
        name: YANG_SCHEMAS.get(name, (YANG_TABLES[name] or [""])[0]) for name in YANG_SHOWS[item]
    }


def yang_rows(item):
    """The rows that a figure shows: values by column."""
    given = YANG2019[item]
    rows = {"rho": [float(rho) for rho in given["rho"]]} if "rho" in given else {}
    if "measure" in given:
        rows["measure"] = [str(parse_measure(given["measure"]))]
    if item == "figure-4.5":
        rows["pooling"] = [f"Depth@{depth}" for depth in sorted(OPTIONS["pools"]["depths"])]
    return rows


YANG_TESTS = {
    "table-3.4",
    "table-4.5",
    "table-4.6",
    "table-4.9",
    "figure-3.8",
    "figure-3.9",
    "figure-3.10",
    "figure-3.11",
    "figure-power",
}


def yang_options(item):
    """What a table or figure of yang2019 is told of its stage."""
    stage = OPTIONS[SHOWS[item]]
    options = {}
    if item in YANG_TESTS:
        options["significance"] = stage["significance"]
    if item == "table-4.3":
        options["contributors"] = stage["contributors"]
    if item == "table-4.6":
        options["baseline"] = OPTIONS["pools"]["baseline"]
    if item == "table-ranges":
        options["residual"] = str(parse_measure(stage["residual"]))
    return options


def yang_notes(item):
    """What must be said of simulated data that an item of yang2019 rests on."""
    stage = OPTIONS[SHOWS[item]]
    scored = stage if "qrels" in stage else OPTIONS["pools"]
    return COLLECTION.notes_on(scored["qrels"])


def made_of(study, items, kind, *endings):
    """Paths of a study's items of a kind (figure or table)."""
    folder = f"{RESULTS}/{kind}s/{study}"
    return [f"{folder}/{item}{end}" for item in items if item.startswith(kind) for end in endings]


def natural(name):
    """A sort key that puts figure-3.10 after figure-3.9."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
