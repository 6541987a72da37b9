"""The stage of this subject, as a collection asks for it."""

from regrade.stages import declare

USUAL = ("nDCG@10",)
"""The measure where none is named."""

TELL_OF_RUNS = ("replace/lines", "replace/topics", "replace/facts", "replace/samples")
"""Tables that also have labels alone."""

MARGINS = {
    "alpha": (
        0.1,
        "Margin of agreement: by how much the mean α of the judge with people may be below that of "
        "people among themselves; null: no margin.",
    ),
    "tau": (
        0.1,
        "Margin of the ranking: by how much τ_b with the reference's ranking may be below that of "
        "a second person, or below 1 without one; null: no margin.",
    ),
    "tau_ap": (0.15, "Margin of τ_ap, as that of τ_b; null: no margin."),
    "top": (
        0.2,
        "Margin of the share of the first systems (`top`) in common, as that of τ_b; null: no "
        "margin.",
    ),
    "level": (
        0.05,
        "Margin of the level of scores: by how much the mean over systems and topics may differ; "
        "null: no margin.",
    ),
    "spread": (
        0.25,
        "Margin of the spread of scores: by what factor, less 1, the standard deviation of "
        "systems' means may differ; null: no margin.",
    ),
    "pairs": (
        0.1,
        "Margin of significance: by how much the share of changed pairs may exceed that of a "
        "second person, or 0 without one; null: no margin.",
    ),
    "favour": (
        0.05,
        "Margin of favour: by how much any family of systems may be raised beside the others; "
        "null: no margin.",
    ),
}
"""By line, the default and what it is."""


def _margin(name: str) -> declare.Field:
    default, about = MARGINS[name]
    return declare.option(default, about, type=["number", "null"], above=0)


class Replace(declare.Stage):
    """A judge in place of people: agreement, ranking, level, significance and favour beside those
    of a second person, within margins that are stated beforehand, and one verdict. All on the
    documents that every set labels. Results go to `replace/<name>`.
    """

    key = "replace"
    place = 508
    question = "Can this judge replace people?"
    door = declare.Door("replace", command="replace", brings="human labels, a judge's; runs")
    about = "Judges in place of people."
    called = "{judge}"
    tables = (
        declare.Tables("replacement", runs=declare.UNUSED, tell_of_runs=TELL_OF_RUNS),
        declare.Tables("replacement_systems", runs=declare.USED),
        declare.Tables("replacement_families", runs=declare.USED, asks=("families",)),
    )
    card = declare.Card("replace", section="Labels", draws=("lines", "confusion"))
    effects = (
        declare.Effect(
            "lines",
            "replace/samples",
            "value",
            ("quantity",),
            "cost",
            "the cost in each line of the verdict: the judge's value less that of a second person, "
            "or of equal labels where there is none",
            has_margin=True,
        ),
    )

    name = declare.item_name("Its name in paths; absent, the name of the judge.")
    reference = declare.one("qrels", "Human labels that would be replaced.", scale="graded")
    judge = declare.one(
        "labels",
        "The judge, a set of labels or judgments. A document's judgments count by their median.",
        scale="graded",
    )
    controls = declare.several(
        "labels",
        "Labels of the same documents by further people: what a second person would cost.",
        scale="graded",
        default=None,
    )
    judgments = declare.one(
        "judgments",
        "Judgments of further people, whose first, second … judgment of each document is a second "
        "person.",
        scale="graded",
        default=None,
    )
    measures = declare.measures(None, "Measures of the systems; absent or null, nDCG@10.")
    metric = declare.option("ordinal", "Metric of Krippendorff's α.", choices="METRICS")
    top = declare.option(10, "Number k of first systems that are compared.", least=1)
    margin_alpha = _margin("alpha")
    epsilon = declare.option(
        0.2,
        "ε of the alternative annotator test: 0.2 for experts, 0.15 for skilled people, 0.1 for "
        "crowds; null: no margin.",
        type=["number", "null"],
        above=0,
    )
    margin_tau = _margin("tau")
    margin_tau_ap = _margin("tau_ap")
    margin_top = _margin("top")
    margin_level = _margin("level")
    margin_spread = _margin("spread")
    margin_pairs = _margin("pairs")
    margin_favour = _margin("favour")
    resamples = declare.option(
        1000, "Number of bootstrap samples of topics for confidence intervals.", least=1
    )

    @classmethod
    def items(cls, collection):
        """Each judge, with the measures and the families of the collection."""
        options = collection.options
        families = options["families"] or options["groups"]
        return {
            name: {**item, "measures": item["measures"] or [*USUAL], "families": families}
            for name, item in super().items(collection).items()
        }

    @classmethod
    def check(cls, collection, name, item):
        """No set is named twice."""
        place, known = f"{cls.key}.{name}", {item["reference"]: "the reference"}
        named = [("judge", item["judge"]), *(("controls", one) for one in item["controls"] or ())]
        for key, one in [*named, ("judgments", item["judgments"])]:
            if one in known:
                raise collection.error(f"{place}.{key}", f"{one} is {known[one]}: name another set")
            if one is not None:
                known[one] = "the judge" if key == "judge" else "a further person"

    @declare.job(
        reads=(
            declare.sets("reference"),
            declare.sets("judge"),
            declare.sets("controls"),
            declare.sets("judgments"),
            declare.RUNS_IF_ANY,
            declare.FAMILIES,
        ),
        uses="measures metric top margin_alpha epsilon margin_tau margin_tau_ap margin_top "
        "margin_level margin_spread margin_pairs margin_favour resamples correction significance "
        "seed",
        memory=3000,
        pairs_of_systems=0.2,
    )
    def replace_people(data, measures, epsilon, **how):
        """The lines of the verdict, what they rest on, and the verdict."""
        from regrade.favours.families import families_of
        from regrade.replacement.answer import answer
        from regrade.replacement.judge_replacement import ReplacementOptions, replacement_tables
        from regrade.replacement.margins import Margins

        margins = Margins(epsilon=epsilon, **{name: how.pop(f"margin_{name}") for name in MARGINS})
        ranked, families = data.runs and data.runs.ranked(), None
        if ranked is not None and data.families:
            families = families_of(data.families, ranked.systems)
        tables = replacement_tables(
            data.reference,
            data.judge,
            data.controls or (),
            data.judgments or None,  # an empty list where a configuration names none
            ranked=ranked,
            measures=measures,
            families=families,
            how=ReplacementOptions(margins=margins, **how),
        )
        text = answer(tables).with_notes(families.notes if families else ())
        return tables | {"answer": text}
