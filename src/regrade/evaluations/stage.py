"""The stages of this subject, as a collection asks for them."""

from regrade.choices import COMPARED
from regrade.stages import declare
from regrade.stages.checks import check_reference

WEIGHTS = declare.option("linear", "Weights of weighted κ.", choices="KAPPA_WEIGHTS")
RESAMPLES = declare.option(
    1000, "Number of bootstrap samples of topics for confidence intervals.", least=1
)
TOPS = declare.options(
    [1, 3, 5, 10],
    "Values of k for comparisons of the top k systems.",
    type="integer",
    minimum=1,
    fewest=1,
)


class Compare(declare.Stage):
    """Would the evaluation have come out differently with another label set? Results go to
    `compare/<first>-and-<second>`; absent or null, none.
    """

    key = "compare"
    noun = "pair under `compare`"
    place = 400
    question = "Would other labels have changed it?"
    door = declare.Door("compare", command="compare", brings="two sets of labels, or of scores")
    target = "compared"
    tables = (
        declare.Tables("compare", runs=declare.UNUSED),
        declare.Tables("compare_labels", runs=declare.UNUSED, of_labels=True),
        declare.Tables("compare_systems", runs=declare.USED),
    )

    pairs = declare.schema(
        declare.MISSING,
        "Pairs of label sets or judgments, the first and the second, or of scores by item. A "
        "document's judgments count by their median.",
        type="array",
        minItems=1,
        uniqueItems=True,
        items={
            "type": "array",
            "names": "labels or scores",
            "scale": "graded",
            "items": {"type": "string"},
            "minItems": 2,
            "maxItems": 2,
        },
    )
    measures = declare.measures(
        None,
        "With runs, measures of the systems under both sets. Absent: nDCG@10 and AP where "
        "these are defined on both scales.",
    )
    same_scale = declare.option(
        None,
        "Whether grades mean the same in both sets; absent or null, where their scales are equal.",
        type=["boolean", "null"],
    )
    documents = declare.option(
        "all",
        "Documents whose labels score systems: `all` of each set, or `shared`, the "
        "documents that both sets judged, so that only the labels differ.",
        choices="COMPARED_DOCUMENTS",
    )
    metric = declare.option(
        None,
        "Metric of Krippendorff's α; absent or null, ordinal for levels and interval for "
        "real numbers.",
        choices="METRICS",
    )
    weights = WEIGHTS
    resamples = RESAMPLES
    splits = declare.option(1000, "Number of split-half replicates for reliability.", least=1)
    persistence = declare.option(0.9, "Persistence φ of RBO.", above=0, below=1)
    tops = TOPS

    card = declare.Card(
        "compare",
        section="Labels",
        about=lambda collection, name: "",
        draws=("confusion", "grade_bias", "systems"),
        figure="pair",
        caption=lambda collection, name: (
            "pair"
            if collection.has_runs or collection.items["compare"][name]["scores"]
            else "confusion"
        ),
        settings=lambda collection, name: dict(
            zip(("first", "second"), collection.items["compare"][name]["pairs"][0], strict=True)
        ),
    )

    @classmethod
    def items(cls, collection):
        """Each pair of sets, with the options of all."""
        options = collection.options[cls.key] or {"pairs": []}
        return {
            "-and-".join(pair): collection.with_measures(
                {**options, "pairs": [pair], "scores": collection.scores_among(pair)},
                collection.scales(*pair),
            )
            for pair in options["pairs"]
        }

    @classmethod
    def check(cls, collection, name, item):
        """A pair is of two sets, has its own name, and measures fit the scales of both."""
        (pair,), pairs = item["pairs"], collection.options[cls.key]["pairs"]
        if pair[0] == pair[1]:
            problem = f"{pair[0]} is named twice: name another set"
            raise collection.error(f"{cls.key}.pairs.{pairs.index(pair)}", problem)
        if ["-and-".join(one) for one in pairs].count(name) > 1:
            problem = "two pairs have one name, `<first>-and-<second>`: rename a set"
            raise collection.error(f"{cls.key}.pairs", problem)
        if item["scores"] not in ([], pair):
            problem = f"{item['scores'][0]} has scores by item, and the other labels: name alike"
            raise collection.error(f"{cls.key}.pairs.{pairs.index(pair)}", problem)
        if collection.has_runs and not item["scores"]:
            collection.check_below_zero(f"{cls.key}.measures", pair, item["measures"])

    @declare.job(
        reads=(
            declare.sets("sides", lambda o: [] if o["scores"] else o["pairs"][0]),
            declare.RUNS_IF_ANY,
            declare.GROUPS,
            declare.design("scores"),
        ),
        uses="measures metric weights same_scale documents test correction significance "
        "persistence tops resamples splits seed score_precision",
        memory=3000,
        pairs_of_systems=0.2,
    )
    def compare_sets(data, measures, same_scale, score_precision, **how):
        """Agreement of the labels, and what becomes of the systems."""
        from regrade.evaluations.compare_sets import ComparisonOptions, compare_sets
        from regrade.evaluations.comparison_answer import answer

        if data.scores:
            from regrade.evaluations.compare_sets import compare_scores
            from regrade.item_scores.aligned import aligned

            (first, second), notes = aligned(data.scores)
            of = ComparisonOptions(**{**how, "metric": how["metric"] or "ordinal"})
            tables = compare_scores(first, second, of, groups=data.groups)
            text = answer(*(one.name for one in data.scores), tables).about_items()
            return tables | {"answer": text.with_notes(notes)}
        first, second = data.sides
        how["metric"] = how["metric"] or first.scale.metric
        tables = compare_sets(
            *data.sides,
            data.runs and data.runs.ranked(scores=True, submitted_ranks=True),
            measures,
            ComparisonOptions(**how),
            groups=data.groups,
            same_scale=first.scale == second.scale if same_scale is None else same_scale,
            score_precision=score_precision,
        )
        return tables | {"answer": answer(first.name, second.name, tables, how["metric"])}


class Judges(declare.Stage):
    """Agreement of several judges (language models, crowds) with a reference: of labels and, with
    runs, of rankings and significance. Judges are evaluated uncut, under a default cut and under
    the best cuts, in sample and held out. Results go to `judges/<name>`.
    """

    key = "judges"
    noun = "reference under `judges`"
    place = 500
    question = "Which judge agrees best with the reference, and what would each judge change?"
    door = declare.Door("judges", command="judges", brings="several sets")
    about = "Several judges compared with one reference."
    called = "{reference}"
    tables = (
        declare.Tables("judges", runs=declare.UNUSED, tell_of_runs=("judges/ranked",)),
        declare.Tables("judges_labels", runs=declare.UNUSED, of_labels=True),
        declare.Tables("judges_cut_scores", runs=declare.USED, of_labels=True),
        declare.Tables("judges_and_systems", runs=declare.USED),
    )
    card = declare.Card("judges", section="Labels", draws=("ranked",))
    effects = (
        declare.Effect(
            "tau",
            "judges/samples",
            "tau",
            ("judge",),
            "τ_b",
            "τ_b of the rankings of systems by judge and reference",
            is_agreement=True,
        ),
        declare.Effect(
            "alpha",
            "judges/cuts",
            "alpha",
            ("judge",),
            "α",
            "the mean over topics of Krippendorff's α of judge and reference",
            is_agreement=True,
        ),
        declare.Effect(
            "score_difference",
            "judges/topics",
            "difference",
            ("judge",),
            "Δ score",
            "the mean score of all systems under the judge less that under the reference",
        ),
    )

    name = declare.item_name("Its name in paths; by default the name of the reference.")
    reference = declare.one(
        "qrels or scores", "The qrels of the reference, on 2 to 4 levels; or scores by item."
    )
    sets = declare.several(
        "labels or scores",
        "The judges, each a set of labels or judgments, or all of them scores. A document's "
        "judgments count by their median. A judge with a finer scale than the reference is cut; "
        "other judges are used unchanged.",
        scale="graded",
        least=1,
    )
    cuts = declare.schema(
        {},
        "Cuts chosen by hand, by judge and name, as thresholds on the judge's scale.",
        type="object",
        names="own sets",
        additionalProperties={
            "type": "object",
            "propertyNames": declare.CUT_NAME,
            "additionalProperties": declare.THRESHOLDS,
        },
    )
    grid = declare.schema(
        {},
        "Largest number of thresholds to try, by judge, as in a transformation's `grid`.",
        type="object",
        names="own sets",
        additionalProperties={"type": "integer", "minimum": 1},
    )
    measures = declare.measures(
        None,
        "With runs, measures of the systems; absent or null, nDCG@10 and AP, and of scores by item "
        "all of these. The first measure also chooses cuts (`by_tau`). For values that are not "
        "cut to the reference's scale, only measures without a relevance threshold.",
    )
    metric = declare.option(
        "ordinal", "Metric of Krippendorff's α, which chooses the cuts.", choices="METRICS"
    )
    weights = WEIGHTS
    folds = declare.option(
        10,
        "Number of folds of a topic's documents. For a topic's own held-out cut, each "
        "fold is labelled under the cut of the other folds.",
        least=2,
    )
    resamples = RESAMPLES
    documents = declare.option(
        "all",
        "Documents whose labels score systems: `all` of a judge, or `shared`, the "
        "documents that the reference and every judge labelled.",
        choices="COMPARED_DOCUMENTS",
    )

    persistence = declare.option(0.9, "Persistence φ of RBO, of scores by item.", above=0, below=1)
    tops = TOPS
    coverage = declare.option(
        0.9,
        "Share of the topics with a defined α that a cut needs to be a candidate for the "
        "one cut of all topics.",
        least=0,
        most=1,
    )

    @classmethod
    def items(cls, collection):
        """Each reference with its judges, by name."""
        items = {}
        for name, item in super().items(collection).items():
            scores = collection.scores_among([item["reference"], *item["sets"]])
            usual = None if scores else [*COMPARED]
            items[name] = {**item, "scores": scores, "measures": item["measures"] or usual}
        return items

    @classmethod
    def check(cls, collection, name, item):
        """The reference is on levels, and cuts by hand have as many thresholds as these need."""
        place = f"{cls.key}.{name}"
        if item["scores"]:
            every = [item["reference"], *item["sets"]]
            if len(set(every)) < len(every):
                problem = f"{item['reference']} is the reference: leave it out"
                raise collection.error(f"{place}.sets", problem)
            if item["scores"] != every:
                problem = f"{item['scores'][0]} has scores by item, and others labels: name alike"
                raise collection.error(place, problem)
            for key in ("cuts", "grid"):
                if item[key]:
                    problem = "is about labels, and scores by item have none: leave it out"
                    raise collection.error(f"{place}.{key}", problem)
            return
        levels = check_reference(collection, place, item["reference"], item["sets"])
        for judge, cuts in item["cuts"].items():
            for cut, thresholds in cuts.items():
                if len(thresholds) != levels - 1:
                    problem = (
                        f"{thresholds}: a cut into {levels} levels has {levels - 1} thresholds"
                    )
                    raise collection.error(f"{place}.cuts.{judge}.{cut}", problem)

    @declare.job(
        reads=(
            declare.sets("reference", lambda o: [] if o["scores"] else o["reference"]),
            declare.sets("sets", lambda o: [] if o["scores"] else o["sets"]),
            declare.RUNS_IF_ANY,
            declare.design("scores"),
        ),
        uses="measures cuts grid metric weights coverage folds documents resamples correction "
        "significance seed score_precision persistence tops",
        memory=4000,
        minutes=60,
    )
    def judge_judges(data, measures, score_precision, **how):
        """Agreement, rankings and significance of each judge, cut in every way."""
        from regrade.evaluations.cut_labels import JudgeOptions
        from regrade.evaluations.judges import judge_tables
        from regrade.evaluations.judges_answer import answer_tables
        from regrade.evaluations.pooled_reference import vote_that_is

        options = JudgeOptions(**how)
        if data.scores:
            from regrade.evaluations.judges import judges_of_scores
            from regrade.item_scores.aligned import aligned

            reference, *_ = (one.name for one in data.scores)
            scores, notes = aligned(data.scores)
            by_judge = dict(zip((one.name for one in data.scores), scores, strict=True))
            tables = judges_of_scores(reference, by_judge, options, data.threads)
            of_scores = answer_tables(tables, options, reference)
            text = of_scores["answer"].about_items().with_notes(notes)
            return tables | of_scores | {"answer": text}
        tables = judge_tables(
            data.reference,
            data.sets,
            data.runs and data.runs.ranked(scores=True, submitted_ranks=True),
            measures,
            options,
            threads=data.threads,
            score_precision=score_precision,
        )
        vote = vote_that_is(data.reference.table, [one.table for one in data.sets])
        return tables | answer_tables(tables, options, vote_of=vote)
