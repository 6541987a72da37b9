"""The stages of `power`: how well labels tell apart what people prefer."""

from regrade.stages import declare


class Power(declare.Stage):
    """Pairwise discriminative power (chu2021) of sets of labels under sets of preferences, on the
    documents that all these sets have. Results go to `power/<name>`.
    """

    key = "power"
    noun = "comparison under `power`"
    place = 540
    about = "How well sets of labels tell apart what people prefer, several sets side by side."
    called = "{beside}"
    tables = (
        declare.Tables("power", runs=declare.UNUSED, tell_of_runs=("power/extended",)),
        declare.Tables("power_and_systems", runs=declare.USED),
        declare.Tables("power_of_levels", runs=declare.UNUSED),
        declare.Tables("power_of_levels_and_systems", runs=declare.USED),
    )
    card = declare.Card("pdp", draws=("ranked",), listed="ranked")

    name = declare.item_name("What it is called; absent, as its first preferences or experts.")
    sets = declare.several(
        "labels",
        "Sets of labels or judgments; with runs, on scales with a highest grade.",
        scale="graded",
        least=1,
    )
    preferences = declare.several(
        "preferences", "Sets of preferences, each held beside by itself.", default=[]
    )
    experts = declare.several(
        "qrels",
        "Sets of labels whose order stands for preferences, where there are none.",
        default=[],
    )
    modes = declare.options(
        ["individual", "aggregate"],
        "Whether the grades of each assessor count by themselves, or a document's median; with "
        "one assessor both are the same.",
        choices="POWER_MODES",
        fewest=1,
    )
    levels = declare.options(
        [],
        "Numbers of levels into which each set is also cut, with documents spread as evenly as "
        "can be.",
        type="integer",
        minimum=2,
    )
    cuts = declare.part(
        "Sets that are also cut where they keep the most discrimination, by a search; beside the "
        "best cuts of the transformations of these sets into as many levels.",
        default={},
        sets=declare.several(
            "own sets",
            "Those of `sets` that are cut; absent or null, all.",
            default=None,
        ),
        levels=declare.options(
            [],
            "Into how many levels. Up to 4 every cut is tried (see `grid` of transformations), "
            "above a grid of them, from whose best one threshold at a time is moved.",
            type="integer",
            minimum=2,
            maximum=7,
        ),
        evaluated=declare.option(
            200,
            "PDP is computed of so many cuts, those with the least pairwise entropy.",
            least=1,
        ),
        individually=declare.option(
            10,
            "The same in individual mode with several assessors, where a cut takes longer.",
            least=1,
        ),
    )
    extended = declare.several(
        "own sets",
        "Those of `sets` whose grades 0, 1, … are also spread at random over nearly twice as many.",
        scale="levels",
        default=[],
    )
    measures = declare.measures(
        ["nDCG@10", "RBP(p=0.8)"],
        "With runs, measures of which the discriminative power of systems is held beside.",
    )
    tests = declare.options(
        ["t"],
        "Tests of pairs of systems; `bootstrap` is Sakai's.",
        choices="PAIR_TESTS",
        fewest=1,
    )
    assessor_resamples = declare.option(
        0,
        "Of those over assessors, each of which takes as long as PDP itself; for sets whose "
        "assessors judged much the same documents.",
        least=0,
    )


class Pages(declare.Stage):
    """Which of two result pages people prefer, and whether measures under a set of labels, as it
    is and cut into levels, prefer the same. Results go to `pages/<name>`.
    """

    key = "pages"
    noun = "set under `pages`"
    place = 542
    about = "Preferences between two result pages, to hold measures beside."
    called = "{set}"
    target = "power"
    tables = (declare.Tables("pages", runs=declare.UNUSED, tell_of_runs=("pages/agreement",)),)

    set = declare.one(
        "labels",
        "The labels of the pages' documents; a qrels or judgments.",
        scale="graded",
    )
    file = declare.schema(
        declare.MISSING,
        "Tab-separated",
        type="string",
        **{"with a first line of names.": None},
    )
    columns = declare.schema(
        declare.ABSENT,
        "What the file calls our columns, `topic` and `winner`, where it calls them otherwise.",
        **{"$ref": "#/$defs/columns"},
    )
    winners = declare.schema(
        declare.MISSING,
        "What the column may hold → the system whose page is preferred; null, neither. Two "
        "systems.",
        type="object",
        additionalProperties={"type": ["string", "null"]},
        minProperties=2,
    )
    ranks = declare.option(
        None,
        "A regular expression of the documents' names, with groups `system` and `rank`, where "
        "these say which page a document is on. Absent or null, pages are the collection's runs.",
        type=["string", "null"],
    )
    power = declare.one(
        "power", "The one whose cuts of the set count; absent or null, none.", default=None
    )
    measures = declare.measures(
        ["nDCG@5", "nDCG@10", "nDCG", "RBP(p=0.8)", "RBP(p=0.95)"],
        "Measures of a page.",
    )
    preferences = declare.several(
        "preferences",
        "Sets of preferences between documents, whose tests between the two pages are counted.",
        default=[],
    )


class SyntheticPower(declare.Stage):
    """Power of synthetic judgments whose quality is known (chu2021 §4); absent or null, none."""

    key = "synthetic_power"
    place = 544
    target = "power"
    tables = (declare.Tables("synthetic_power", runs=declare.UNUSED),)

    topics = declare.option(10000, "How many topics there are.", least=1)
    batch = declare.option(100, "Topics with the same assessors.", least=1)
    grades = declare.options(
        [
            2,
            3,
            4,
            5,
            6,
            7,
            8,
            9,
            10,
            11,
            12,
            13,
            14,
            15,
            16,
            17,
            18,
            19,
            20,
            21,
            22,
            23,
            24,
            25,
            26,
            27,
            28,
            29,
            30,
        ],
        "The scales, by their number of grades.",
        type="integer",
        minimum=2,
        fewest=1,
    )
    tests = declare.options(
        [10, 20, 40, 80, 160, 320],
        "Tests drawn for each two grades.",
        type="integer",
        minimum=1,
        fewest=1,
    )
    repeats = declare.option(100, "How often they are drawn.", least=2)
