"""The stage `panel`: what a panel of judges is worth."""

from regrade.stages import declare
from regrade.stages.checks import check_reference


class Panel(declare.Stage):
    """A panel of judges beside human labels: the number of independent judges that it is worth,
    correlations of the judges' errors, agreement and system rankings of panels of every size, and
    judges to add or drop. Give `reference`, or `file` and `levels`. Results go to `panel/<name>`.
    """

    key = "panel"
    place = 508
    question = "What is a panel of judges worth?"
    door = declare.Door("panel", command="panel", brings="human labels, several judges")
    about = "Panels of judges beside human labels."
    called = "{sets[0]}"
    measured_on = ("file", "reference")
    tables = (
        declare.Tables(
            "panel",
            runs=declare.UNUSED,
            tell_of_runs=(
                "panel/effective",
                "panel/judges",
                "panel/correlations",
                "panel/kin",
                "panel/sizes",
                "panel/contrasts",
            ),
        ),
    )
    card = declare.Card("panel", section="Labels", draws=("correlations", "sizes"))

    name = declare.item_name("Name; absent: the name of the first judge.")
    reference = declare.one("qrels", "Human labels, with 2 to 4 grades.", default=declare.ABSENT)
    file = declare.option(
        declare.ABSENT,
        "Human labels of a random sample of the documents, in place of `reference`: the file that "
        "`regrade assign` wrote, with human labels filled in, or TREC's sampled judgments with "
        "five fields (docs/formats.md). It needs `levels`.",
        type="string",
    )
    levels = declare.schema(declare.ABSENT, "", **{"$ref": "#/$defs/levels"})
    sets = declare.several(
        "labels",
        "The judges, each a set of labels or judgments; a document's judgments count by their "
        "median. Of one set of judgments, each worker is a judge.",
        scale="graded",
        least=1,
    )
    controls = declare.several(
        "labels",
        "Labels of further people for the same documents, or judgments, whose workers are the "
        "people: the effective number is also estimated free of people's errors. Not beside a "
        "`file` with a sample.",
        scale="graded",
        default=[],
    )
    measures = declare.measures(
        ["nDCG@10"], "With runs, measures of the systems; the first is used for each judge."
    )
    consensus = declare.option(
        "mean", "Rule by which labels of a panel become one.", choices="CONSENSUS_RULES"
    )
    metric = declare.option("ordinal", "Metric of Krippendorff's α.", choices="METRICS")
    kin = declare.schema(
        {},
        "Judges that are akin, by the name of their kin: mean correlations of errors are reported "
        "within and between kins.",
        type="object",
        additionalProperties={"type": "array", "items": {"type": "string"}},
    )
    candidates = declare.options(
        [],
        "Judges outside the panel that may be added to it, among `sets` (or their workers).",
        type="string",
    )
    folds = declare.option(
        5,
        "Number of folds of the topics: judges are chosen on the topics of the other folds.",
        least=2,
    )
    panels = declare.option(
        50, "Number of random panels of a size; fewer panels are all evaluated.", least=1
    )
    resamples = declare.option(
        1000, "Number of bootstrap samples of topics for confidence intervals.", least=1
    )

    @classmethod
    def check(cls, collection, name, item):
        """There are human labels, from one source, and the judges are others."""
        place = f"{cls.key}.{name}"
        if ("file" in item) == ("reference" in item):
            problem = "give `reference`, or the `file` with human labels of a sample"
            raise collection.error(place, problem)
        if ("levels" in item) == ("reference" in item):
            known, needed = "are those of the reference: leave them out", "are needed: 4 for 0 to 3"
            problem = known if "reference" in item else needed
            raise collection.error(f"{place}.levels", problem)
        if "reference" in item:
            check_reference(collection, place, item["reference"], item["sets"])
        elif item["controls"]:
            problem = "human labels are of a sample: leave out the labels of further people"
            raise collection.error(f"{place}.controls", problem)
        for one in item["controls"]:
            if one == item.get("reference") or one in item["sets"]:
                kind = "a judge" if one in item["sets"] else "the reference"
                raise collection.error(f"{place}.controls", f"{one} is {kind}: leave it out")

    @declare.job(
        reads=(
            declare.sets("reference"),
            declare.file("file", load="regrade.readers.labels.load_sample"),
            declare.sets("sets"),
            declare.sets("controls"),
            declare.RUNS_IF_ANY,
            declare.FAMILIES,
        ),
        uses="levels measures consensus metric kin candidates folds panels resamples seed",
        memory=3000,
        minutes=60,
    )
    def value_panel(data, levels, measures, seed, **how):
        """Effective number of judges, panels of every size, and the answer."""
        from regrade.answers.words import reading_notes
        from regrade.favours.families import families_of
        from regrade.panels.answer import answer
        from regrade.panels.errors import people_of
        from regrade.panels.growth import PanelOptions
        from regrade.panels.panel import panel_tables

        reference, sample = people_of(data.reference, data.file, data.sets)
        ranked, families = data.runs and data.runs.ranked(), None
        if ranked is not None and sample is None and data.families:
            families = families_of(data.families, ranked.systems)
        judges = data.sets[0].by_worker() if len(data.sets) == 1 else data.sets
        controls = [person for one in data.controls for person in one.by_worker()]
        tables = panel_tables(
            reference,
            judges,
            ranked,
            measures,
            PanelOptions(seed=seed, **how),
            sample,
            controls,
            families,
        )
        people = [one.name for one in controls]
        text = answer(tables, reference.name, how["consensus"], how["metric"], people)
        left_out = {} if data.file is None else data.file.left_out
        text = text.with_notes(reading_notes("labels", {"left_out": left_out}))
        return tables | {"answer": text.with_notes(families.notes if families else ())}
