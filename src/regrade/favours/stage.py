"""The stage `favour`: whether judges favour families of systems."""

from regrade.stages import declare

PAIR = ("judge", "family")
"""Whose a favour is."""

FAVOUR = (
    "the mean score of a family of systems less that of the other systems, under the judge less "
    "the same under the reference"
)
"""What a favour is, in a sentence."""


class Favour(declare.Stage):
    """Favour of judges for families of systems: how much more a judge raises a family than the
    other systems, less what further people do (`controls`), and at equal quality. Families come
    from `families` of the collection. Results go to `favour/<name>`.
    """

    key = "favour"
    noun = "reference under `favour`"
    place = 505
    question = "Does a judge favour some systems?"
    target = "favours"
    door = declare.Door("favour", command="favour", brings="several sets, runs, families")
    about = "Favour of judges for families of systems."
    called = "{reference}"
    card = declare.Card("favour", section="Labels", draws=("effects",))
    effects = (
        declare.Effect(
            "equal_quality",
            "favour/topic_effects",
            "equal_quality",
            PAIR,
            "favour at equal quality",
            f"{FAVOUR}, at equal quality",
        ),
        declare.Effect(
            "equal_less_control",
            "favour/topic_effects",
            "equal_less_control",
            PAIR,
            "favour at equal quality less the control",
            f"{FAVOUR}, at equal quality and less that of the control",
        ),
        declare.Effect(
            "own_families",
            "favour/topic_effects",
            "equal_quality",
            PAIR,
            "favour for the own family at equal quality",
            f"{FAVOUR}, at equal quality, of judges for their own families",
            only="is_own",
        ),
        declare.Effect(
            "all_systems",
            "favour/topic_effects",
            "value",
            PAIR,
            "favour beside all systems",
            FAVOUR,
        ),
        declare.Effect(
            "less_control",
            "favour/topic_effects",
            "value",
            PAIR,
            "favour less the control",
            f"{FAVOUR}, less that of the control",
            less="control",
        ),
    )

    name = declare.item_name("Name; absent: the name of its reference.")
    reference = declare.one("qrels", "The qrels of the reference.", scale="graded")
    sets = declare.several(
        "labels",
        "The judges, each a set of labels or judgments. A document's judgments count by their "
        "median.",
        scale="graded",
        least=1,
    )
    controls = declare.several(
        "labels",
        "Labels of further people for the same documents, or judgments, whose workers are the "
        "people: their mean difference from the reference is taken from that of each judge.",
        scale="graded",
        default=[],
    )
    measures = declare.measures(["nDCG@10"], "Measures of the systems.")
    own = declare.schema(
        {},
        "A judge's own families, by judge: these pairs are also tested among themselves.",
        type="object",
        names="own sets",
        additionalProperties={"type": ["string", "array"], "items": {"type": "string"}},
    )
    draws = declare.option(
        10_000,
        "Number of bootstrap samples of topics, for simultaneous confidence intervals.",
        least=100,
    )

    @classmethod
    def check(cls, collection, name, item):
        """There are families, and no label set is named twice."""
        place = f"{cls.key}.{name}"
        if not (collection.options["families"] or collection.options["groups"]):
            problem = "compares families of systems: give `families` of the collection"
            raise collection.error(place, problem)
        sets = [("sets", one) for one in item["sets"]]
        sets += [("controls", one) for one in item["controls"]]
        known = {item["reference"]: "the reference"}
        for key, one in sets:
            if one in known:
                problem = f"{one} is {known[one]}: leave it out"
                raise collection.error(f"{place}.{key}", problem)
            known[one] = "a judge" if key == "sets" else "a control"
        for judge in item["own"]:
            if judge not in item["sets"]:
                raise collection.error(f"{place}.own.{judge}", "is none of `sets`: name a judge")

    @declare.job(
        reads=(
            declare.sets("reference"),
            declare.sets("sets"),
            declare.sets("controls"),
            declare.RUNS,
            declare.FAMILIES,
        ),
        uses="measures own draws seed",
        memory=3000,
    )
    def favour_families(data, measures, own, **how):
        """Favour of each judge for each family, and what it changes."""
        from regrade.favours.answer import answer
        from regrade.favours.families import families_of
        from regrade.favours.family_favour import FavourOptions, favour_tables

        ranked = data.runs.ranked()
        families = families_of(data.families, ranked.systems)
        own = families.own(own, [one.name for one in data.sets])
        controls = [person for one in data.controls for person in one.by_worker()]
        of = FavourOptions(own=own, **how)
        sets = data.reference, data.sets, controls
        tables = favour_tables(*sets, ranked, measures, families, of)
        conclusion = answer(tables, data.reference.name, [one.name for one in controls])
        return tables | {"answer": conclusion.with_notes(families.notes)}
