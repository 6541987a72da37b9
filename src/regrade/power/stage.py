"""The stages of `power`: how well labels discriminate what people prefer."""

from regrade.stages import declare
from regrade.wording import counted


class Power(declare.Stage):
    """Pairwise discriminative power (chu2021) of label sets under sets of preferences, on the
    documents that all these sets share. Results go to `power/<name>`.
    """

    key = "power"
    noun = "comparison under `power`"
    place = 540
    question = "How well do labels discriminate what people prefer?"
    door = declare.Door("pdp", command="pdp", brings="preferences, labels")
    about = "Discriminative power of label sets for human preferences, by set."
    called = "{beside}"
    tables = (
        declare.Tables("power", runs=declare.UNUSED, tell_of_runs=("power/extended",)),
        declare.Tables("power_and_systems", runs=declare.USED),
        declare.Tables("power_of_levels", runs=declare.UNUSED),
        declare.Tables("power_of_levels_and_systems", runs=declare.USED),
    )
    card = declare.Card("pdp", section="Labels", draws=("ranked",))

    name = declare.item_name(
        "Name of the item; absent, the name of its first preferences or experts."
    )
    sets = declare.several(
        "labels",
        "Sets of labels or judgments; with runs, on scales with a highest grade.",
        scale="graded",
        least=1,
    )
    preferences = declare.several(
        "preferences", "Sets of preferences, each compared separately.", default=[]
    )
    experts = declare.several(
        "qrels",
        "Label sets whose order replaces preferences, where there are none.",
        default=[],
    )
    modes = declare.options(
        ["individual", "aggregate"],
        "Whether the grades of each assessor count separately, or a document's median. "
        "With one assessor both are equal.",
        choices="POWER_MODES",
        fewest=1,
    )
    levels = declare.options(
        [],
        "Numbers of levels into which each set is also cut, with documents spread as "
        "evenly as possible.",
        type="integer",
        minimum=2,
    )
    cuts = declare.part(
        "Sets that are also cut for the highest discriminative power, by a search. "
        "Compared with the best cuts of the transformations of these sets into equally "
        "many levels.",
        default={},
        sets=declare.several(
            "own sets", "The sets of `sets` that are cut; absent or null, all.", default=None
        ),
        levels=declare.options(
            [],
            "Numbers of levels. Up to 4 levels every cut is tried (see `grid` of "
            "transformations). Above, a grid of cuts is tried, and thresholds of the best "
            "cut are moved one at a time.",
            type="integer",
            minimum=2,
            maximum=7,
        ),
        evaluated=declare.option(
            200,
            "Number of cuts with the least pairwise entropy for which PDP is computed.",
            least=1,
        ),
        individually=declare.option(
            10,
            "The same number in individual mode with several assessors, where a cut takes longer.",
            least=1,
        ),
    )
    extended = declare.several(
        "own sets",
        "The sets of `sets` whose grades 0, 1, … are also spread at random over nearly "
        "twice as many grades.",
        scale="levels",
        default=[],
    )
    measures = declare.measures(
        ["nDCG@10", "RBP(p=0.8)"],
        "With runs, measures whose discriminative power among systems is reported as well.",
    )
    tests = declare.options(
        ["t"],
        "Pairwise tests of systems; `bootstrap` is Sakai's test.",
        choices="PAIR_TESTS",
        fewest=1,
    )
    assessor_resamples = declare.option(
        0,
        "Number of bootstrap samples over assessors, each as costly as PDP itself; for "
        "sets whose assessors judged nearly the same documents.",
        least=0,
    )

    @classmethod
    def check(cls, collection, name, item):
        """There is something to compare the sets with."""
        if not item["preferences"] and not item["experts"]:
            problem = "has nothing to compare sets with: name `preferences` or `experts`"
            raise collection.error(cls.key, problem)

    @declare.job(
        reads=(*map(declare.sets, ("sets", "preferences", "experts")), declare.RUNS_IF_ANY),
        uses="modes extended measures tests assessor_resamples correction significance seed",
        makes="power power_and_systems",
        memory=3000,
        minutes=60,
    )
    def measure_power(data, extended, assessor_resamples, **_):
        """Discriminative power of sets of labels, agreement, and significant pairs of systems."""
        from dataclasses import replace

        from regrade.power import intervals, label_sets
        from regrade.power.answer import answer
        from regrade.power.ranked_sets import ranked_numbers, ranked_sets

        inputs = label_sets.PowerInputs.of(data, data.options)
        topics = label_sets.topic_table(inputs)
        left_out = intervals.topics_left_out(inputs)
        tables = {
            "grades": label_sets.grade_table(inputs),
            "served": label_sets.served_table(inputs),
            "topics": topics,
            "sets": label_sets.agreement_table(inputs.sets),
            "differences": intervals.difference_table(topics, left_out),
            "intervals": intervals.interval_table(topics, left_out, inputs, assessor_resamples),
        }
        if inputs.systems is not None:
            tables["discrimination"] = label_sets.discrimination_table(inputs.sets, inputs.systems)
            tables["orders"] = label_sets.order_table(topics, tables["discrimination"])
        spread = [one for one in inputs.sets if one.name in extended]
        tables["extended"] = label_sets.extension_table(replace(inputs, sets=spread))
        ranked = ranked_sets(topics, tables["intervals"], tables["differences"])
        numbers = ranked_numbers(ranked, tables["intervals"], inputs.how.seed)
        tables |= {"ranked": ranked, "numbers": numbers}
        return tables | {"answer": answer(ranked, numbers)}

    @declare.job(
        reads=(
            *map(declare.sets, ("sets", "preferences", "experts")),
            declare.RUNS_IF_ANY,
            declare.cuts("searches", "beside_power", "regrade.power.levels.read_cut_searches"),
        ),
        uses="modes levels cuts measures tests correction significance seed",
        makes="power_of_levels power_of_levels_and_systems",
        memory=3000,
        minutes=60,
        threads=8,
    )
    def cut_by_power(data, levels, cuts, **_):
        """Sets cut into fewer levels, evenly and where they keep the most discrimination."""
        from regrade.power.label_sets import PowerInputs
        from regrade.power.levels import (
            CutOptions,
            cut_sets,
            cut_table,
            level_systems,
            level_table,
            searched_table,
        )

        inputs, how = PowerInputs.of(data, data.options), {**cuts}
        names = how.pop("sets")
        scales = {one.name: one.scale for one in data.sets if names is None or one.name in names}
        search = CutOptions(scales, grids=data.searches.grids, threads=data.threads, **how)
        searched = searched_table(inputs, search)
        data.log.info("searched: %d cuts", len(searched))
        cuts = cut_sets(inputs.sets, levels, searched)
        tables = {
            "searched": searched,
            "cuts": cut_table(inputs, searched, data.searches.agreeing),
            "levels": level_table(cuts, inputs),
        }
        if inputs.systems is not None:
            tables["level_systems"] = level_systems(cuts, inputs.systems, data.threads)
        return tables


class Pages(declare.Stage):
    """Which of two result pages people prefer, and whether measures under a label set, unchanged
    or cut into levels, agree. Results go to `pages/<name>`.
    """

    key = "pages"
    noun = "set under `pages`"
    place = 542
    about = "Preferences between two result pages, with which measures are compared."
    called = "{set}"
    target = "power"
    tables = (declare.Tables("pages", runs=declare.UNUSED, tell_of_runs=("pages/agreement",)),)

    set = declare.one(
        "labels", "The labels of the pages' documents: a qrels or judgments.", scale="graded"
    )
    file = declare.schema(
        declare.MISSING, "A tab-separated file with a header line.", type="string"
    )
    columns = declare.schema(
        declare.ABSENT,
        "Names of our columns `topic` and `winner` in the file, where they differ.",
        **{"$ref": "#/$defs/columns"},
    )
    winners = declare.schema(
        declare.MISSING,
        "Values of the winner column → the system whose page is preferred; null, neither. "
        "Two systems.",
        type="object",
        additionalProperties={"type": ["string", "null"]},
        minProperties=2,
    )
    ranks = declare.option(
        None,
        "A regular expression for document names, with groups `system` and `rank`, if "
        "names state the page of a document. Absent or null, pages are the collection's "
        "runs.",
        type=["string", "null"],
    )
    power = declare.one(
        "power",
        "The transformation whose cuts of the set are used; absent or null, none.",
        default=None,
    )
    measures = declare.measures(
        ["nDCG@5", "nDCG@10", "nDCG", "RBP(p=0.8)", "RBP(p=0.95)"], "Measures of a page."
    )
    preferences = declare.several(
        "preferences",
        "Sets of preferences between documents, whose tests between the two pages are counted.",
        default=[],
    )

    @classmethod
    def check(cls, collection, name, item):
        """Two systems have pages, and it is known which documents are on them."""
        place = f"{cls.key}.{name}"
        systems = {system for system in item["winners"].values() if system is not None}
        if len(systems) != 2:
            problem = f"names {counted(len(systems), 'system')}: two pages are compared"
            raise collection.error(f"{place}.winners", problem)
        if item["ranks"] is None and not collection.has_runs:
            problem = (
                "the collection has no `runs`: give `ranks`, the pattern for the pages of documents"
            )
            raise collection.error(place, problem)

    @declare.job(
        reads=(
            declare.sets("set"),
            declare.file("file"),
            declare.RUNS_IF_ANY,
            declare.sets("preferences"),
            declare.table("power_of_levels", "searched", "power"),
        ),
        minutes=10,
    )
    def prefer_pages(data, columns, winners, ranks, measures):
        """Whether measures prefer the page that people prefer, by the number of levels."""
        from regrade.power.label_sets import GradedSet
        from regrade.power.levels import cut_sets, no_search
        from regrade.power.pages import LEVELS, Pages, page_table
        from regrade.power.preferences import PreferenceTests
        from regrade.readers.pages import named_rankings, read_page_preferences
        from regrade.run_arrays import RankedLists

        labels = GradedSet.of(data.set)
        if ranks:
            ranked = RankedLists.from_table(named_rankings(labels.table, ranks))
        else:
            ranked = data.runs.ranked()
        columns = [columns.get(name, name) for name in ("topic", "winner")]
        preferred = read_page_preferences(data.file, *columns, winners)
        systems = [name for name in dict.fromkeys(winners.values()) if name]
        pages = Pages.of(ranked, preferred, systems)
        counts = len(pages.topics), (pages.signal != 0).sum(), pages.left_out
        data.log.info(
            "%d topics, %d with a preferred page; %d lack a page or a preference", *counts
        )
        searched = no_search() if data.searched is None else data.searched.to_pandas()
        tests = {one.name: PreferenceTests.from_table(one.table) for one in data.preferences}
        cuts = cut_sets([labels], LEVELS, searched)
        return {"agreement": page_table(cuts, pages, measures, tests)}


class SyntheticPower(declare.Stage):
    """Power of synthetic judgments of known quality (chu2021 §4); absent or null, none."""

    key = "synthetic_power"
    place = 544
    target = "power"
    tables = (declare.Tables("synthetic_power", runs=declare.UNUSED),)

    topics = declare.option(10000, "Number of topics.", least=1)
    batch = declare.option(100, "Number of topics with the same assessors.", least=1)
    grades = declare.options(
        [*range(2, 31)],
        "The scales, by their number of grades.",
        type="integer",
        minimum=2,
        fewest=1,
    )
    tests = declare.options(
        [10, 20, 40, 80, 160, 320],
        "Number of tests sampled for each pair of grades.",
        type="integer",
        minimum=1,
        fewest=1,
    )
    repeats = declare.option(100, "Number of samples.", least=2)

    @declare.job(threads=8)
    def synthetic_power(data, topics, batch, grades, tests, repeats, seed):
        """Discriminative power and agreement of synthetic judgments whose quality is known."""
        from regrade.power import synthetic
        from regrade.power.example import example_table
        from regrade.power.sample_size import coverage_table

        drawn = synthetic.SyntheticParameters(topics, batch=batch, seed=seed)
        batches = synthetic.batch_table(drawn, grades, threads=data.threads)
        return {
            "batches": batches,
            "qualities": synthetic.quality_means(batches),
            "consistency": synthetic.consistency_table(batches),
            "reliability": synthetic.reliability_table(
                drawn, tests=tests, repeats=repeats, threads=data.threads
            ),
            "needed": coverage_table(seed=drawn.seed),
            "example": example_table(),
        }
