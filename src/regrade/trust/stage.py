"""The stages of `trust`: which cut to trust, and what cuts lose where others use them."""

from regrade.stages import declare


class Trust(declare.Stage):
    """How far the cuts of a transformation can be trusted: judged on what they were not chosen on,
    chosen again from data drawn anew, chosen without a reference or with few labels. Results
    stand beside the transformation's cuts. Beside the chosen cuts are those that the
    transformation has by hand, `equal_widths`, and `middle` (as many values in each level).
    """

    key = "trust"
    place = 310
    about = "Transformations of which to say how far their cuts can be trusted."
    called = "{transformation}"
    tables = (
        declare.Tables(
            "trust",
            runs=declare.UNUSED,
            tell_of_runs=(
                "cuts/held_out",
                "cuts/held_out_topics",
                "cuts/bootstrap",
                "cuts/plateau",
                "cuts/plateau_effects",
            ),
        ),
    )

    transformation = declare.one("transformations", "One of the collection's transformations.")
    searches = declare.several(
        "searches",
        "Its searches, such as `tw1` or `h2@TR2_a`; absent or null, all.",
        default=None,
    )
    held_out = declare.options(
        ["topics", "documents", "units", "systems"],
        "What a choice is judged on that it did not see, one topic at a time or half of the "
        "others.",
        choices="SPLITS",
    )
    splits = declare.option(
        10, "How often documents, units and systems are split into halves.", least=1
    )
    bootstrap = declare.options(
        ["topics", "units"],
        "What is drawn anew, with replacement, before the whole search is done again.",
        choices="DRAWN",
    )
    resamples = declare.option(1000, "How often.", least=1)
    unlabelled = declare.option(
        True,
        "Whether rules that choose a cut without a reference are tried, and judged by it.",
    )
    trained_on = declare.several(
        "transformations",
        "Other transformations, into as many levels and with a search in common, of which rules "
        "that choose a cut without a reference also learn; beside the collection's other topics.",
        default=[],
    )
    budget = declare.options(
        [5, 10, 20, 40, 80, 160],
        "How many labelled documents a topic are tried, and beside them how many topics with "
        "labels; none, no budgets at all.",
        type="integer",
        minimum=1,
    )
    samples = declare.option(50, "How often labelled documents, or topics, are sampled.", least=1)


class PerJudge(declare.Stage):
    """Which cut each judge of a transformation's source would have, and what a cut chosen for one
    judge, topic, transformation or collection loses on another. Results stand beside the
    transformation's cuts.
    """

    key = "per_judge"
    place = 320
    about = (
        "Transformations of which to say what cut each judge has, and what cuts lose where "
        "others use them."
    )
    called = "{transformation}"
    tables = (
        declare.Tables(
            "per_judge",
            runs=declare.UNUSED,
            tell_of_runs=("cuts/transfer", "cuts/aggregated", "cuts/fewer"),
        ),
    )

    transformation = declare.one("transformations", "One of the collection's transformations.")
    searches = declare.several(
        "searches",
        "Its searches, such as `h1_ta` or `h2@TR2_a`; absent or null, all.",
        default=None,
    )
    between = declare.options(
        ["workers", "topics"],
        "Whose cuts are used on each other's judgments, beside those of `others` and "
        "`collections`; `workers` also chooses a cut for each.",
        choices="LENDERS",
    )
    minimum = declare.option(
        30,
        "How many documents a worker must have judged that can be compared; those with fewer are "
        "named.",
        least=2,
    )
    others = declare.several(
        "transformations",
        "Other transformations, of sources on the same scale into as many levels, whose cuts are "
        "used on this one, and this one's and each other's on them; searches of the same name "
        "are compared.",
        default=[],
    )
    collections = declare.schema(
        {},
        "Other collections by name, each with the file of best cuts "
        "(`results/…/cuts/…/best_cuts.parquet`) whose cuts for all topics are used on this "
        "transformation, by the same method.",
        type="object",
        additionalProperties={"type": "string"},
    )
    votes = declare.options(
        ["median", "majority", "mean"],
        "How the judgments of a document become one, before and after cutting; differences are "
        "to the first. The models need crowd-kit (`pip install regrade[crowd]`); an empty list "
        "leaves this out.",
        choices="VOTES",
    )
    fewer = declare.options(
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        "How many judges of each document are drawn, to say what fewer would have done; empty "
        "leaves this out.",
        type="integer",
        minimum=1,
    )
    fewer_of = declare.options(
        ["documents"],
        "Whether each document has judges of its own drawn from those who judged it, or the same "
        "workers judge all documents, as where every worker judged everything.",
        choices="FEWER_OF",
        fewest=1,
    )
