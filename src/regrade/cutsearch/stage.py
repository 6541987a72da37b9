"""The stages of `cutsearch`: every cut of a scale, and what follows from all of them."""

from itertools import chain

from regrade.stages import declare

COMPLETED = "_a"
"""After a reference's name, as the papers have it: a document that it lacks has level 0."""


def set_of_reference(written: str) -> str:
    """The set that a reference names, with or without the subscript; no set is called so."""
    return written.removesuffix(COMPLETED)


class CutLevels(declare.Stage):
    """α at the best cuts, the same of cuts chosen on other topics, and τ_b of the systems, by the
    number of levels; with the transformation's references (evenly on their scale) and
    internally.
    """

    key = "cut_levels"
    place = 350
    about = "Transformations whose sources are cut into 2 to 7 levels, beside each other."
    called = "{transformation}"
    target = "cuts"
    tables = (
        declare.Tables("cut_levels", runs=declare.UNUSED),
        declare.Tables("cut_levels_and_systems", runs=declare.USED),
    )

    transformation = declare.one("transformations", "Whose source, references and rules are taken.")
    references = declare.several(
        "labels",
        "Further sets to hold beside, of any number of levels; those of a crowd by the median of "
        "a document's values, put on the nearest level.",
        scale="levels",
        default=[],
    )
    most = declare.option(7, "Levels at most.", least=2, most=7)
    enumerate_to = declare.option(
        5,
        "Every cut is tried into so many levels, as long as there are at most 20 million; into "
        "more, the best is found exactly where that needs no trying, else by climbing.",
        least=2,
        most=7,
    )


class CutCriteria(declare.Stage):
    """Transformations whose cuts are weighed by all criteria."""

    key = "cut_criteria"
    place = 340
    held = declare.several(
        "transformations",
        "Transformations with references whose cuts are weighed by all criteria - α, κ, accuracy, "
        "F1, rank correlations and equal shares of levels of every cut with each reference; the α "
        "nearest to the source's own; τ_b and pairs of systems told apart.",
        default=[],
    )
    target = "cuts"
    tables = (
        declare.Tables(
            "cut_criteria",
            runs=declare.UNUSED,
            tell_of_runs=("cuts/criteria", "cuts/fronts", "cuts/picked"),
        ),
    )

    @classmethod
    def items(cls, collection):
        """The transformations."""
        return {name: {"transformation": name} for name in collection.options[cls.key]}


class CutComparisons(declare.Stage):
    """The best agreement of two transformations."""

    key = "cut_comparisons"
    place = 330
    held = declare.schema(
        [],
        "Two transformations each, into as many levels, whose best agreement with the references "
        "that they share is compared.",
        type="array",
        items={
            "type": "array",
            "names": "transformations",
            "items": {"type": "string"},
            "minItems": 2,
            "maxItems": 2,
        },
    )
    target = "cuts"
    tables = (declare.Tables("cut_comparisons", runs=declare.UNUSED),)

    @classmethod
    def check(cls, collection, name, item):
        """Two transformations into as many levels, that have a search in common."""
        known = collection.transformations
        for number, names in enumerate(item):
            place = f"{cls.key}.{number}"
            if names[0] == names[1]:
                raise collection.error(place, f"{names[0]} stands on both sides: name another")
            first, second = (known[name] for name in names)
            if first.levels != second.levels:
                problem = f"{first.levels} and {second.levels} levels cannot be compared"
                raise collection.error(place, f"{problem}: name transformations into as many")
            if not first.searches.keys() & second.searches.keys():
                problem = "have no method and reference in common: name `references` of both"
                raise collection.error(place, f"{names[0]} and {names[1]} {problem}")

    @declare.job(
        reads=(
            declare.searches(
                lambda collection: [
                    (name, search)
                    for name in dict.fromkeys(chain(*collection.options["cut_comparisons"]))
                    for search in collection.transformations[name].searches
                ]
            ),
        ),
        uses="cut_comparisons",
        makes="cut_comparisons",
        memory=2000,
        minutes=5,
    )
    def compare_cuts(data, options):
        """Whether one source, cut, agrees better with the references than another."""
        import pandas as pd

        from regrade.cutsearch.source_comparisons import compared_searches

        tables = {}
        for (transformation, search), found in data.searches.items():
            tables.setdefault(transformation, {})[search] = found
        compared = [
            compared_searches(tables[first], tables[second], (first, second))
            for first, second in options.cut_comparisons
        ]
        return {"agreement": pd.concat(compared, ignore_index=True)}


class ExpertCuts(declare.Stage):
    """Experts' labels cut into two levels, beside other experts'."""

    key = "expert_cuts"
    place = 360
    held = declare.listed(
        "Experts' labels to cut into two levels and to hold against other experts' (han2019 §3.4).",
        "α of every cut of a set of labels.",
        source=declare.one("qrels", "The qrels to cut."),
        reference=declare.one("qrels", "A binary qrels."),
        pool=declare.one("labels", "The set whose documents count as non-relevant where unjudged."),
    )
    tables = (declare.Tables("expert_cuts", runs=declare.UNUSED),)

    @declare.job(
        reads=[
            declare.sets(
                part, lambda options, part=part: [one[part] for one in options["expert_cuts"]]
            )
            for part in ("source", "reference", "pool")
        ],
        makes="expert_cuts",
        memory=1000,
        minutes=5,
    )
    def expert_cuts(data, options):
        """α of experts' labels, cut into two levels, against other experts'."""
        import pandas as pd

        from regrade.cutsearch.experts import expert_cut_topics, expert_cuts

        compared = [
            (
                *(labels.table for labels in (source, reference, pool)),
                *(source.name, reference.name, source.scale.levels),
            )
            for source, reference, pool in zip(data.source, data.reference, data.pool, strict=True)
        ]
        return {
            "agreement": pd.concat([expert_cuts(*one) for one in compared]),
            "topics": pd.concat([expert_cut_topics(*one) for one in compared]),
        }


class Overlaps(declare.Stage):
    """How many of a set's documents other sets have (han2019, Table 1). Absent or null, nobody
    asks.
    """

    key = "overlaps"
    place = 305
    tables = (declare.Tables("overlaps", runs=declare.UNUSED),)

    pool = declare.one("labels", "The set whose documents count.")
    sets = declare.several("labels", "The sets that are held against it.", least=1)

    @staticmethod
    def overlapping(options):
        """The sets and the pool, each once."""
        return [*dict.fromkeys([*options["sets"], options["pool"]])]

    @declare.job(
        reads=(declare.sets("all", overlapping),),
        uses="pool",
        makes="overlaps",
        memory=1000,
        minutes=5,
        further=lambda collection, item: {
            "simulated": [
                name
                for name in Overlaps.overlapping(collection.options["overlaps"])
                if name in collection.simulated
            ]
        },
    )
    def overlaps(data, options):
        """The documents of a pool that each set has."""
        from regrade.cutsearch.overlaps import overlaps

        tables = {one.name: one.table for one in data.all}
        levels = {one.name: one.scale.levels for one in data.all}
        return {"sets": overlaps(tables, options.pool, levels, {*data.further.simulated})}


class Transformations(declare.Stage):
    """The scales that are cut: every cut, the best ones, what they do to systems."""

    key = "transformations"
    place = 300
    target = "cuts"
    tables = (
        declare.Tables("cuts", runs=declare.UNUSED),
        declare.Tables("cuts_described", runs=declare.UNUSED),
        declare.Tables(
            "recommended_cuts", runs=declare.UNUSED, tell_of_runs=("cuts/recommended_systems",)
        ),
        declare.Tables("pooled_cuts", runs=declare.UNUSED),
        declare.Tables("rankings", runs=declare.USED),
    )
    card = declare.Card(
        "cut",
        draws=("recommended", "recommended_systems"),
        caption=lambda collection, name: (
            "cut-trusted" if name in collection.items["trust"] else "cut"
        ),
        settings=lambda collection, name: {
            "source": collection.transformations[name].source,
            "measure": collection.transformations[name].options["measure"],
        },
        explored=True,
    )

    @classmethod
    def definition(cls):
        """It stands in the schema."""

    @classmethod
    def property(cls):
        """It stands in the schema."""

    @classmethod
    def items(cls, collection):
        """The transformations' options."""
        return collection.by_name(cls.key)
