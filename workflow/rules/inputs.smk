# Input and parameter functions: what a job needs, from its wildcards and the configuration.
def set_table(name):
    """The table of a qrels or a judgment set."""
    return (QRELS if name in COLLECTION.qrels else JUDGMENTS).format(name=name)


def sets_from(kind, *sources):
    """The sets of a kind that come from one of these sources."""
    names = [name for name, options in OPTIONS[kind].items() if source_of(options) in sources]
    return [name for name in names if name not in {**COLLECTION.labelled, **COLLECTION.scored}]


# collect: the runs, and what is kept of all files; functions, for their values are taken as they
# are, braces and all
def files_of_runs(wildcards):
    if COLLECTION.simulates_runs:
        return RUNS_OVER if COLLECTION.ranked_sets else SIMULATED_RUNS
    return RUN_FILES


def file_of(asked):
    """An input function: the file that something names."""
    return lambda wildcards: COLLECTION.path(asked["file"])


# Snakemake compares what functions of wildcards give, and not what functions of inputs do
def content_of_runs(wildcards):
    """A hash of the files; none of those that a job makes."""
    return None if COLLECTION.simulates_runs else content_hash(RUN_FILES)


def content_of_file(asked):
    """A parameter function: the hash of the file that something names."""
    return lambda wildcards: content_hash([COLLECTION.path(asked["file"])])


def content_of_groups(wildcards):
    """The hash of the files of groups, as far as they are used."""
    files = groups_file(wildcards), origins_file(wildcards)
    return content_hash([file for file in files if file])


def kept_topics(wildcards):
    return OPTIONS["topics"]


# collect: the files of a set, or the set that it is derived of
def derived_from(kind):
    """An input function: the judgments that a set of that kind is derived of."""
    return lambda wildcards: JUDGMENTS.format(name=OPTIONS[kind][wildcards.name]["from"])


def deriving_of(kind):
    """A parameter function: how a set of that kind is derived."""
    return lambda wildcards: deriving(OPTIONS[kind][wildcards.name])


def set_files(kind):
    """An input function: the files of a set of that kind."""

    def paths(wildcards):
        if kind == "qrels" and COLLECTION.is_made_with_runs(wildcards.name):
            return [SIMULATED_QRELS]
        return [COLLECTION.path(file) for file in files_of(OPTIONS[kind][wildcards.name])]

    return paths


def content_of_set(kind):
    """A parameter function: the hash of the files of a set of that kind; none if a job makes it."""

    def content(wildcards):
        if kind == "qrels" and COLLECTION.is_made_with_runs(wildcards.name):
            return None
        return content_hash(set_files(kind)(wildcards))

    return content


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
def measures_of(wildcards):
    return COLLECTION.measures(wildcards.name)[0]


def unserved_of(wildcards):
    return COLLECTION.measures(wildcards.name)[1]


def max_grade_of(wildcards):
    return COLLECTION.scale(wildcards.name, "qrels").high


def further_qrels(wildcards):
    """The codes of the other sets that the measures of a qrels need."""
    return [CODED_QRELS.format(name=other) for other in COLLECTION.further_sets(wildcards.name)]


def further_max_grades(wildcards):
    """The highest grades of these sets."""
    sets = COLLECTION.further_sets(wildcards.name)
    return {name: COLLECTION.scale(name, "qrels").high for name in sets}


# pools: what else a left-out analysis reads
def groups_file(wildcards):
    by_run = LEFT_OUT[wildcards.left_out]["by"] == "run"
    return [] if by_run else COLLECTION.path(OPTIONS["groups"])


def origins_file(wildcards):
    by_origins = LEFT_OUT[wildcards.left_out]["by"] == "origins"
    return COLLECTION.path(OPTIONS["pool_origins"]) if by_origins else []


def deep_if_followed(wildcards):
    """How deep systems are judged, where what is left out is left out of a pool as deep."""
    options = LEFT_OUT[wildcards.left_out]
    follows = options["pooling"] is None and options["by"] != "origins"
    return rules.deep_systems.output.systems if follows else []


# cuts: what the jobs of a transformation read and write
def cuts_of(transformation, part):
    """A path below the transformation's cuts."""
    return f"{RESULTS}/cuts/{transformation.name}/{part}"


def tables_of(transformation, searches, table):
    """That table of some searches."""
    return [cuts_of(transformation, f"{search}/{table}.parquet") for search in searches]


def crowds_of(transformation):
    """The references that are judgment sets, which are aggregated first."""
    return [name for name in references_of(transformation) if name in COLLECTION.judgments]


def aggregated_references(transformation):
    """The tables of their labels."""
    return [
        cuts_of(transformation, f"references/{name}.parquet") for name in crowds_of(transformation)
    ]


def searched_tables(transformation):
    """What is kept of the searches, by table."""
    tables = ("alpha", "best_cuts", "tied_cuts", "top_cuts")
    return {table: tables_of(transformation, transformation.searches, table) for table in tables}


def how_searched(transformation):
    """What the tables of searches rest on, beside the sets: the same in however many jobs."""
    return {
        "references": references_of(transformation),
        "crowds": crowds_of(transformation),
        "searches": [search.asked for search in transformation.searches.values()],
        "scale": source_scale(transformation),
        "levels": transformation.levels,
        **given(transformation.options, "grid", "metric", "undefined", "coverage"),
        "named": transformation.options["methods"],
        **given(transformation.options, "repeats", "aggregate", "top"),
    }


# a search in chunks of topics: its parts, each a file of α and the tables of its topics' cuts
CHUNK_PARTS = ("arrow", "best_cuts.parquet", "tied_cuts.parquet", "top_cuts.parquet")


def chunk_of(transformation, search, chunk, part="arrow"):
    """A file of one chunk of a search; `chunk` is its number or the wildcard."""
    return cuts_of(transformation, f"chunks/{chunk}/{search}.{part}")


def number_of_chunk(wildcards):
    return int(wildcards.chunk)


def all_chunks(transformation, part="arrow"):
    """That file of every chunk of every search, search by search."""
    numbers = range(1, transformation.options["chunks"] + 1)
    return [
        chunk_of(transformation, search, chunk, part)
        for search in transformation.searches
        for chunk in numbers
    ]


def taus_of(transformation):
    """The searches by τ, one for each expert whose ranking cuts are compared with."""
    return [f"tau@{expert}" for expert in transformation.experts]


def references_of(transformation):
    """The sets that the searches compare with, once each."""
    return list(dict.fromkeys(reference.name for reference in transformation.references))


def reference_tables(transformation):
    """The labels that its searches compare with: experts' sets, and crowds' as aggregated."""
    return [
        (
            cuts_of(transformation, f"references/{name}.parquet")
            if name in COLLECTION.judgments
            else set_table(name)
        )
        for name in references_of(transformation)
    ]


def reference_labels(transformation):
    """The same for each reference, which may be compared with under several rules."""
    labels = dict(zip(references_of(transformation), reference_tables(transformation), strict=True))
    return [labels[reference.name] for reference in transformation.references]


def tables_of_levels(transformation):
    """The tables of the best cuts into several numbers of levels, by their names."""
    made = ["levels", *(["levels_tau"] if COLLECTION.has_runs else [])]
    return {table: cuts_of(transformation, f"{table}.parquet") for table in made}


FEW_CUTS = 50_000
"""Of searches that are done again and again."""


def threads_of(transformation, few=1_000_000):
    """One where there are few cuts: another job makes more of a core than it does.

    Where only the data will tell how many values there are, there are few as a rule.
    """
    return 1 if transformation.known_cuts <= few else 8


# trust: what is searched again, and with what
def trusted_searches(asked):
    """The searches of a transformation under `trust`."""
    searches = TRANSFORMATIONS[asked["transformation"]].searches
    return [searches[name] for name in asked["searches"] or searches]


def searched_by(transformation, searches):
    """What a job needs to do some searches of a transformation again."""
    return {
        "references": references_of(transformation),
        "searches": [search.asked for search in searches],
        "scale": source_scale(transformation),
        "levels": transformation.levels,
        **given(transformation.options, "grid", "metric", "undefined", "coverage", "repeats"),
        **given(transformation.options, "aggregate", "measure"),
        "experts": transformation.experts,
    }


def teachers_of(asked):
    """The other transformations that rules learn of, for the searches that both have."""
    searches = [search.name for search in trusted_searches(asked)]
    return {
        name: [s for s in TRANSFORMATIONS[name].searches.values() if s.name in searches]
        for name in asked["trained_on"]
    }


def tables_of_trust(transformation, *tables):
    """Some of the tables of a transformation under `trust`, by their names."""
    return {table: cuts_of(transformation, f"{table}.parquet") for table in tables}


def everything_of_trust(name):
    """The paths of all tables of a transformation under `trust`."""
    asked, tables = COLLECTION.trust[name], [Path(made).name for made in STAGES["trust"].makes]
    if not (asked["unlabelled"] or asked["budget"]):
        tables = [table for table in tables if table not in ("unlabelled", "budget")]
    return tables_of_trust(TRANSFORMATIONS[name], *tables).values()


# per judge: which cuts are used on which
def lenders_of(asked):
    """The other transformations that cuts are exchanged with, for the searches that both have."""
    wanted = [search.name for search in trusted_searches(asked)]
    return {
        name: [s for s in TRANSFORMATIONS[name].searches.values() if s.name in wanted]
        for name in asked["others"]
    }


def everything_per_judge(name):
    """The paths of all tables of a transformation under `per_judge`."""
    tables = [Path(made).name for made in STAGES["per_judge"].makes]
    return tables_of_trust(TRANSFORMATIONS[name], *tables).values()


# the cut that is recommended, and what is said of it
def recommended_search(transformation):
    """The search whose cut is recommended: of those that are trusted, if any, by the method.

    None where no method serves the data, as without a reference for one label per document.
    """
    asked = COLLECTION.trust.get(transformation.name)
    searches = trusted_searches(asked) if asked else transformation.searches.values()
    return min(searches, key=lambda s: PREFERRED_CUT_METHODS.index(s.method), default=None)


def recommended_alpha(transformation):
    """α of every cut by that search."""
    search = recommended_search(transformation)
    return cuts_of(transformation, f"{search.name}/alpha.parquet") if search else []


def trusted_tables(transformation, *tables):
    """Tables that say how sure a cut is, by their names; none where `trust` is not asked."""
    if transformation.name in COLLECTION.trust:
        return tables_of_trust(transformation, *tables)
    return dict.fromkeys(tables, [])


def answer_tables(transformation):
    """The tables of the cut that is recommended, by their names."""
    made = [Path(table).name for table in STAGES["recommended_cuts"].makes]
    return {table: cuts_of(transformation, f"{table}.parquet") for table in made}


def source_scale(transformation):
    """The scale of the source, as its options write it."""
    kind = "qrels" if transformation.source_is_expert else "judgments"
    return written_scale(OPTIONS[kind][transformation.source])


def pool_of(transformation):
    """The set whose documents are the pool of an expert source, if it names one."""
    pool = transformation.options["pool"]
    return set_table(pool) if pool else []


# what is said of a transformation's searches when it is asked for
DESCRIBED = [table.removeprefix("cuts/") for table in STAGES["cuts_described"].makes]


def how_source_agrees(transformation):
    """How α is found on the source scale, as on the target scale."""
    options = given(transformation.options, "metric", "undefined", "repeats")
    return options | {"aggregate_source": transformation.options["aggregate"]["source"]}


def how_all_are_searched(transformation):
    """How the judgments of all topics together are searched: as those of each are."""
    how = how_source_agrees(transformation)
    how |= {"aggregate_levels": transformation.options["aggregate"]["levels"]}
    return how | given(transformation.options, "coverage", "grid")


def shared_searches(compared):
    """The searches that both of two compared transformations have."""
    first, second = (TRANSFORMATIONS[compared[key]].searches for key in ("first", "second"))
    return [search for search in first if search in second]


def compared_tables(key, table):
    """That table of all searches on one side of all comparisons."""
    return [
        path
        for compared in OPTIONS["cut_comparisons"]
        for path in tables_of(TRANSFORMATIONS[compared[key]], shared_searches(compared), table)
    ]


# labels under chosen cuts
LABELLINGS = {name for t in TRANSFORMATIONS.values() for name in t.labellings}


def labelling_asked(wildcards):
    """The transformation and the labelling of a job: of a path, or of a qrels that is one."""
    name = wildcards.get("name")
    if name is not None:
        options = COLLECTION.qrels[name]
        return TRANSFORMATIONS[options["from"]], options["labels"]
    transformation = TRANSFORMATIONS[wildcards.transformation]
    if wildcards.labelling not in transformation.labellings:
        problem = f"there is no search or cut '{wildcards.labelling}'"
        near = did_you_mean(wildcards.labelling, transformation.labellings)
        raise WorkflowError(f"config: {transformation.name}: {problem}{near}")
    return transformation, wildcards.labelling


def judgments_to_label(wildcards):
    return set_table(labelling_asked(wildcards)[0].source)


def cuts_to_label_by(wildcards):
    """The table with the cuts of a labelling; none where they are given by hand."""
    transformation, labelling = labelling_asked(wildcards)
    search = transformation.labellings[labelling]["search"]
    if search is None:
        return []
    of_search = f"{search}/best_cuts.parquet" if search in transformation.searches else None
    return cuts_of(transformation, of_search or "best_cuts.parquet")


def how_to_label(wildcards):
    transformation, labelling = labelling_asked(wildcards)
    return transformation.how_to_label(labelling)


def about_labels(wildcards):
    """What is to be told of labels beside how they were made."""
    transformation, labelling = labelling_asked(wildcards)
    by_runs = labelling.startswith("tau@")
    keys = ("unjudged", "pool", "metric", "undefined", "coverage", "grid", "measure")
    return {
        "collection": COLLECTION.name,
        "transformation": transformation.name,
        "source": transformation.source,
        "labels": labelling,
        **{key: transformation.options[key] for key in keys},
        "note": COLLECTION.notes_on(*sorted(transformation.sets), runs=by_runs) or None,
    }


# stages that a collection asks for by name, several times or none
def tables_of_stage(stage, name):
    """A stage's tables of a name, by their own."""
    made = [table.split("/") for table in STAGES[stage].makes]
    return {table: f"{RESULTS}/{folder}/{name}/{table}.parquet" for folder, table in made}


# judges: what the jobs of a name read and write
def tables_of_judges(name):
    """All tables of several judges that the collection can serve."""
    stages = ["judges", *(["judges_and_systems"] if COLLECTION.has_runs else [])]
    return {table: path for one in stages for table, path in tables_of_stage(one, name).items()}


def scale_of_set(name):
    """The scale of a qrels or a judgment set, as its options write it."""
    kind = "qrels" if name in COLLECTION.qrels else "judgments"
    return collected_scale(OPTIONS[kind][name])


# magnitudes: what the jobs of a set read and write
def magnitudes_of(name, table):
    """The path of a table of a set of magnitudes."""
    return f"{RESULTS}/magnitudes/{name}/{table}.parquet"


def tables_of_magnitudes(name):
    """All tables of a set of magnitudes that the collection can serve."""
    stages = ["magnitudes"]
    if COLLECTION.magnitudes[name]["references"]:
        stages += ["magnitudes_and_labels"]
        stages += ["magnitudes_and_systems"] if COLLECTION.has_runs else []
    return [table for stage in stages for table in tables_of_stage(stage, name).values()]


def given(options, *keys):
    """Some of the options, by their keys."""
    return {key: options[key] for key in keys}


def pooled_depths():
    """Depths of pools that systems are scored under; of ANCOVA's where all follow the data."""
    ancova = given(OPTIONS["ancova"], "depths", "at_depth") if OPTIONS["ancova"] else {}
    if POOLS["depths"] is None:
        return {"depths": None, "ancova": ancova}
    asked = {*POOLS["depths"], *ancova.get("depths", ()), ancova.get("at_depth")} - {None}
    return {"depths": sorted(asked), "ancova": {}}


def levels_of(references):
    """The values of the scale of each set of labels."""
    return {name: COLLECTION.grades(name, "magnitudes") for name in references}


# power: what a comparison of sets reads and writes
def tables_of_power(name, stage="power"):
    """The tables of a comparison that the collection can serve, by their names."""
    stages = [stage, *([f"{stage}_and_systems"] if COLLECTION.has_runs else [])]
    return {table: path for one in stages for table, path in tables_of_stage(one, name).items()}


def inputs_of_power(asked):
    """The sets of a comparison, of all kinds, and the runs if there are some."""
    return {
        "sets": [set_table(one) for one in asked["sets"]],
        "preferences": [PREFERENCES.format(name=one) for one in asked["preferences"]],
        "experts": [QRELS.format(name=one) for one in asked["experts"]],
        "runs": CODED_RUNS if COLLECTION.has_runs else [],
    }


def cut_by_power(asked):
    """The sets of a comparison that are cut where they keep the most discrimination."""
    sets = asked["sets"] if asked["cuts"]["sets"] is None else asked["cuts"]["sets"]
    return sets if asked["cuts"]["levels"] else []


def beside_power(asked):
    """The transformations of these sets into as many levels."""
    return [
        transformation
        for transformation in TRANSFORMATIONS.values()
        if transformation.source in cut_by_power(asked)
        and transformation.levels in asked["cuts"]["levels"]
    ]


def searches_beside_power(asked):
    """Name, source, levels and search of each search of these transformations."""
    return [
        (t.name, t.source, t.levels, search) for t in beside_power(asked) for search in t.searches
    ]


def agreeing_tables(asked, table):
    """That table of each of these searches."""
    return [path for t in beside_power(asked) for path in tables_of(t, t.searches, table)]


def grids_beside_power(asked):
    """Set, levels and grid of these transformations."""
    return [(t.source, t.levels, t.options["grid"]) for t in beside_power(asked)]


def scales_of_power(asked):
    """The scale of each set that is cut by power, as its options write it."""
    return {
        name: collected_scale({**COLLECTION.qrels, **COLLECTION.judgments}[name])
        for name in cut_by_power(asked)
    }


def ends_of(names):
    """Lowest and highest value of each set's scale; null where it has none."""
    scales = {name: COLLECTION.scale(name, "power") for name in names}
    return {
        name: [end if math.isfinite(end) else None for end in (scale.low, scale.high)]
        for name, scale in scales.items()
    }


# answers about pairs, simulated: the task that they are about
def _simulated_task(wildcards):
    name = COLLECTION.preferences[wildcards.name]["simulate"]["task"]
    return COLLECTION.pair_tasks[name]


def table_of_simulated_task(table):
    """An input function: a table of the task."""
    return lambda wildcards: (
        f"{RESULTS}/pair-tasks/{_simulated_task(wildcards)['name']}/{table}.parquet"
    )


def simulated_judges(wildcards):
    """How many workers each of its units needs."""
    return _simulated_task(wildcards)["judges"]


def simulated_crowd(wildcards):
    """The parameters of the crowd."""
    given = COLLECTION.preferences[wildcards.name]["simulate"]
    return {key: value for key, value in given.items() if key != "task"}


# scores of documents as labels
def scores_to_label_by(wildcards):
    """The table of scores that a qrels is made of."""
    return tables_of_stage("pairs", COLLECTION.scored[wildcards.name]["from"])["scores"]


def how_scores_label(wildcards):
    """Which scores, and what becomes of them."""
    return given(COLLECTION.scored[wildcards.name], "method", "rescale")


# tasks of pairs: what they read and write
PLATFORM_FILES = ("pairs", "units", "tests")


def csv_of_task(name, table):
    """The file of a task that a crowd platform takes."""
    return f"{RESULTS}/pair-tasks/{name}/{table}.csv"


def tables_of_asked_task(asked, *tables):
    """Some tables of the task that answers are to; none where it is not known."""
    if asked["task"] is None:
        return {}
    made = tables_of_stage("pair_tasks", asked["task"])
    return {table: made[table] for table in tables}


# pairs: what the jobs of a set of preferences read and write
def tables_of_pairs(name):
    """All tables of a set of pairs that the collection can serve, by their names."""
    asked, stages = COLLECTION.pairs[name], ["pairs", "pairs_and_workers"]
    if asked["references"]:
        stages += ["pairs_and_labels"]
        stages += ["pairs_and_systems"] if COLLECTION.has_runs else []
    stages += stages_of_partitions(asked)
    return {table: path for stage in stages for table, path in tables_of_stage(stage, name).items()}


def stages_of_partitions(asked):
    """The stages that draw partitions, of those that a set of pairs asks for."""
    if asked["partitions"] is None:
        return []
    ranks = COLLECTION.has_runs and asked["references"]
    return ["pairs_and_partitions", *(["partitions_and_systems"] if ranks else [])]


def tables_of_partitions(name):
    """All tables of a set of pairs that drawn partitions make, by their names."""
    stages = stages_of_partitions(COLLECTION.pairs[name])
    return {table: path for stage in stages for table, path in tables_of_stage(stage, name).items()}


def highest_grades(names):
    """The highest grade of each set of labels."""
    return {name: COLLECTION.max_grade(name, "pairs") for name in names}


# budgets of pairs: what the jobs of a set of preferences read and write
def tables_of_budgets(name, *tables):
    """Some of the tables of a name, by their own."""
    made = tables_of_stage("pair_budgets", name)
    return {table: made[table] for table in tables}


def answers_that_count(name):
    """The answers of a set: those that the rules of a `pairs` about it keep, or all of them."""
    kept = (pairs for pairs, asked in COLLECTION.pairs.items() if asked["set"] == name)
    pairs = next(kept, None)
    return tables_of_stage("pairs", pairs)["answers"] if pairs else PREFERENCES.format(name=name)


def runs_of_budgets(asked):
    """The runs, where systems are ranked."""
    return CODED_RUNS if COLLECTION.has_runs and asked["measures"] else []


def references_of_budgets(asked):
    """The labels that rank systems beside, and the highest grade of each."""
    return asked["references"] if runs_of_budgets(asked) else []


# compare: what the job of a pair of sets reads and writes
def tables_of_compare(name):
    """All tables of a pair that the collection can serve, by their names."""
    stages = ["compare", *(["compare_systems"] if COLLECTION.has_runs else [])]
    return {table: path for stage in stages for table, path in tables_of_stage(stage, name).items()}


def highest_of_compared(*names):
    """The highest grade of each set's scale; null where there is none, as without runs."""
    highs = [COLLECTION.scale(name, "compare").high for name in names]
    return [high if math.isfinite(high) else None for high in highs]


def is_same_scale(first, second):
    """Whether grades mean the same in both sets: their scales hold the same values."""
    return COLLECTION.scale(first, "compare") == COLLECTION.scale(second, "compare")


# criteria: what the jobs of a name read and write
def sets_of_criteria(asked):
    """The set of the first criterion and those of the others."""
    return [asked["set"], *asked["others"]]


# studies: what a table or figure reads and writes
def printed(shown):
    """The file with what a study printed in a table; none where its data were others."""
    table = shown.item.name if shown.item.is_table else shown.item.printed
    path = PUBLISHED / f"{shown.study.name}-{table}.csv"
    return path if COLLECTION.published(shown.study.name) and path.exists() else []


def inputs_of(shown):
    """Paths of the tables that an item shows, by input name."""
    return {name: [f"{RESULTS}/{path}" for path in paths] for name, paths in shown.inputs.items()}


def made_of(kind, shown, ending):
    """The path of an item with an ending."""
    return f"{RESULTS}/{kind}s/{shown.study.name}/{shown.item.name}{ending}"


def caption_of(shown):
    return f"../report/{shown.study.name}/{shown.caption_file}"


def made_of_study(name):
    """Everything that a study's target makes."""
    return [
        *(made_of("table", s, e) for s in TABLES for e in s.item.endings if s.study.name == name),
        *(made_of("figure", s, e) for s in DRAWN for e in s.item.endings if s.study.name == name),
        *(f"{RESULTS}/tables/{name}/table-published{e}" for e in (".csv", ".md") if name in BESIDE),
    ]


# report: what the page shows
def title_of_report(wildcards):
    return OPTIONS["title"] or COLLECTION.name


def explorer_title(transformation):
    """What the page calls the explorer of a transformation."""
    return f"{transformation.name}: {transformation.source} cut into {transformation.levels} levels"


def reported():
    """Everything that the page shows, in its order: anchor, title and study; file; caption."""
    for name in COLLECTION.studies:
        for shown in COLLECTION.shown:
            if shown.study.name == name:
                kind = "table" if shown.item.is_table else "figure"
                path = made_of(kind, shown, shown.item.endings[0])
                caption = BASE / "workflow" / "report" / name / shown.caption_file
                yield [f"{name}-{shown.item.name}", shown.heading, name], path, caption
        if name in BESIDE:
            path = f"{RESULTS}/tables/{name}/table-published.md"
            caption = BASE / "workflow" / "report" / "table-published.rst"
            yield [f"{name}-table-published", "Published beside ours", name], path, caption


def answer_figures():
    """The figures beneath the answers: name, function, caption, tables with schemas, settings."""
    for transformation in TRANSFORMATIONS.values():
        made = answer_tables(transformation)
        names = "recommended", "recommended_systems"
        yield {
            "name": f"cut-{transformation.name}",
            "function": "figure_cut",
            "caption": "cut-trusted" if transformation.name in COLLECTION.trust else "cut",
            "tables": {name: made[name] for name in names},
            "schemas": [f"cuts/{name}" for name in names],
            "settings": {
                "source": transformation.source,
                "measure": transformation.options["measure"],
            },
            "notes": COLLECTION.notes_on(*transformation.sets),
        }
    for name, asked in COLLECTION.compare.items() if COLLECTION.has_runs else ():
        first, second = asked["pairs"][0]
        yield {
            "name": f"compare-{name}",
            "function": "figure_pair",
            "caption": "pair",
            "tables": {"systems": tables_of_compare(name)["systems"]},
            "schemas": ["compare/systems"],
            "settings": {"first": first, "second": second},
            "notes": COLLECTION.notes_on(first, second),
        }


ANSWER_FIGURES = list(answer_figures())


def drawn_answer(drawn, ending):
    """The path of the figure beneath an answer."""
    return f"{RESULTS}/figures/answers/{drawn['name']}{ending}"


def caption_of_answer(drawn):
    return BASE / "workflow" / "report" / "answers" / f"{drawn['caption']}.rst"


def answered():
    """What the page begins with: title, the transformation to explore, the answer, its figure."""
    drawn = {of_answer["name"]: of_answer for of_answer in ANSWER_FIGURES}
    for transformation in TRANSFORMATIONS.values():
        path = answer_tables(transformation)["answer"]
        figure = drawn[f"cut-{transformation.name}"]
        yield explorer_title(transformation), transformation.name, path, figure
    for name, asked in COLLECTION.compare.items():
        path = tables_of_compare(name)["answer"]
        yield " or ".join(asked["pairs"][0]) + "?", "", path, drawn.get(f"compare-{name}")
