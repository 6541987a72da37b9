"""The stages of this subject, as a collection asks for them."""

from regrade.stages import declare


class Compare(declare.Stage):
    """Would the evaluation have come out differently under another set of judgments? Results go to
    `compare/<first>-and-<second>`; absent or null, none.
    """

    key = "compare"
    noun = "pair under `compare`"
    place = 400
    target = "compared"
    tables = (
        declare.Tables("compare", runs=declare.UNUSED),
        declare.Tables("compare_systems", runs=declare.USED),
    )

    pairs = declare.schema(
        declare.MISSING,
        "Two sets of labels or judgments each, the first and the second; of judgments the median "
        "of a document's values counts.",
        type="array",
        minItems=1,
        uniqueItems=True,
        items={
            "type": "array",
            "names": "labels",
            "scale": "graded",
            "items": {"type": "string"},
            "minItems": 2,
            "maxItems": 2,
        },
    )
    measures = declare.measures(
        None,
        "With runs, measures of the systems under both sets; absent, those of nDCG@10 and AP "
        "that mean something on both scales.",
    )
    documents = declare.option(
        "all",
        "Whose labels score systems - `all` of a set; `shared`, of documents that both sets "
        "judged, so that what differs is what the labels say.",
        choices="COMPARED_DOCUMENTS",
    )
    metric = declare.option(
        "ordinal", "Differences that Krippendorff's α knows.", choices="METRICS"
    )
    weights = declare.option("linear", "Of weighted κ.", choices="KAPPA_WEIGHTS")
    resamples = declare.option(
        1000, "How often topics are drawn with replacement for intervals.", least=1
    )
    splits = declare.option(
        1000, "How often topics are put into two halves, for reliability.", least=1
    )

    card = declare.Card(
        "compare",
        about=lambda collection, name: "",
        draws=("systems",),
        figure="pair",
        caption="pair",
        settings=lambda collection, name: dict(
            zip(("first", "second"), collection.items["compare"][name]["pairs"][0], strict=True)
        ),
    )

    @classmethod
    def items(cls, collection):
        """Each pair of sets, with the options of all."""
        options = collection.options[cls.key] or {"pairs": []}
        return {
            f"{first}-and-{second}": {**options, "pairs": [[first, second]]}
            for first, second in options["pairs"]
        }


class Judges(declare.Stage):
    """Which of several judges (language models, crowds), its values cut how, says what a reference
    says: agreement of labels and, with runs, of rankings and significance; uncut, under a
    default cut, and under the best ones, in sample and held out. Results go to `judges/<name>`.
    """

    key = "judges"
    noun = "reference under `judges`"
    place = 500
    about = "Several judges, to hold beside one reference."
    called = "{reference}"
    tables = (
        declare.Tables("judges", runs=declare.UNUSED, tell_of_runs=("judges/ranked",)),
        declare.Tables("judges_and_systems", runs=declare.USED),
    )
    card = declare.Card("judges", draws=("ranked",), listed="ranked")

    name = declare.item_name("Its name in paths; by default that of the reference.")
    reference = declare.one("qrels", "The qrels that judges the judges; on 2 to 4 levels.")
    sets = declare.several(
        "labels",
        "The judges, each a set of labels or judgments; of judgments the median of a document's "
        "values counts. One whose scale is finer than the reference's is cut, the others are "
        "taken as they are.",
        scale="graded",
        least=1,
    )
    cuts = declare.schema(
        {},
        "Cuts by hand, by judge and name, as thresholds on the judge's scale.",
        type="object",
        names="own sets",
        additionalProperties={
            "type": "object",
            "propertyNames": {"pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]*$(?!\\n)"},
            "additionalProperties": {"type": "array", "items": {"type": "number"}, "minItems": 1},
        },
    )
    grid = declare.schema(
        {},
        "By judge, how many thresholds are tried at most, as a transformation's `grid`.",
        type="object",
        names="own sets",
        additionalProperties={"type": "integer", "minimum": 1},
    )
    measures = declare.measures(
        ["nDCG@10", "AP"],
        "With runs, measures of the systems; the first also chooses cuts (`by_tau`). Of values "
        "that are not cut to the reference's scale only those that do not ask which grades are "
        "relevant.",
    )
    metric = declare.option(
        "ordinal",
        "The metric of Krippendorff's α, which chooses the cuts.",
        choices="METRICS",
    )
    weights = declare.option("linear", "Of weighted κ.", choices="KAPPA_WEIGHTS")
    folds = declare.option(
        10,
        "Parts of a topic's documents; for a topic's own cut, held out, each part is labelled by "
        "the cut of the others.",
        least=2,
    )
    resamples = declare.option(
        1000, "How often topics are drawn with replacement for intervals.", least=1
    )
