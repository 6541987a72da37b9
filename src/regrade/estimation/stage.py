"""The stages of this subject, as a collection asks for them."""

from regrade.errors import RegradeError
from regrade.measures import check_estimable, parse_all
from regrade.stages import declare


class Estimates(declare.Stage):
    """What full human judging would have shown, estimated from human labels of a random sample and
    models' labels of all documents. Without `runs`: grades, and models' agreement with the human
    labels. Give `file`, or `qrels` and `budget`. Results go to `estimates/<name>`.
    """

    key = "estimates"
    place = 560
    question = "What would full human judging conclude, estimated from a few labels?"
    door = declare.Door("estimate", command="estimate", brings="few labels, a model's of all; runs")
    about = "Full human judging, estimated from a few human labels and many by models."
    called = "{models[0]}"
    target = "estimated"
    tables = (
        declare.Tables("estimates", runs=declare.UNUSED, tell_of_runs=("estimates/facts",)),
        declare.Tables("estimated_systems", runs=declare.USED),
    )
    measured_on = ("file", "qrels")
    card = declare.Card(
        "estimate", section="Labels", draws=("labels", "systems", "pairs"), first=declare.FIRST
    )

    name = declare.item_name("Name of the item; absent, the name of the first model.")
    models = declare.several("qrels", "Qrels of models, on any scale.", least=1)
    file = declare.option(
        declare.ABSENT,
        "The file that `regrade assign` wrote, with human labels filled in: a CSV file "
        "with the columns topic, docno, inclusion, chosen and grade; batch where there "
        "are several; worker where several people labelled a document, whose majority "
        "counts. Or TREC's sampled judgments with five fields (docs/formats.md). It needs "
        "`levels`.",
        type="string",
    )
    levels = declare.schema(declare.ABSENT, "", **{"$ref": "#/$defs/levels"})
    qrels = declare.one(
        "qrels",
        "Human labels of all documents, of which only the documents chosen within `budget` count.",
        scale="listed",
        default=declare.ABSENT,
    )
    budget = declare.option(
        declare.ABSENT,
        "Number of documents to choose, as in `regrade assign`.",
        type="number",
        above=0,
    )
    measures = declare.measures(
        None,
        "P, DCG, SDCG, RBP, INSQ, nDCG or AP, where there are `runs`. Absent or null: "
        "nDCG@10 and AP where these are defined on the scale.",
    )

    several = declare.option(
        "majority",
        "Aggregation of several human labels of one document; ties of `majority` go to "
        "the lower grade.",
        choices="SEVERAL",
    )
    assume = declare.option(
        None,
        "Sampling design of labels without inclusion probabilities. `uniform`: each "
        "document of the models was equally likely to be chosen; absent or null: no "
        "assumption.",
        choices="ASSUMED",
    )
    odds_ratio = declare.option(
        None,
        "Largest assumed odds ratio of missing labels between grades, for chosen documents "
        "that are similar (topic, models' values, ranks, inclusion). "
        "1: missing at random; absent or null: any label may be missing.",
        type=["number", "null"],
        least=1,
    )
    replays = declare.option(
        20,
        "Number of simulated replications that check the coverage of the intervals. "
        "Intervals with a coverage below 93 % are not reported. 0: no check.",
        least=0,
    )

    @classmethod
    def items(cls, collection):
        """The estimates, with measures that mean something on the scale of the people's labels."""
        items = super().items(collection)
        if not collection.has_runs:
            return {
                name: {**item, "measures": item["measures"] or []} for name, item in items.items()
            }
        return {
            name: collection.with_measures(item, filter(None, [collection.scale_of_people(item)]))
            for name, item in items.items()
        }

    @classmethod
    def check(cls, collection, name, item):
        """There are human labels, from one source, and measures that can be estimated."""
        place = f"{cls.key}.{name}"
        if ("file" in item) == ("qrels" in item):
            problem = "give the `file` with the human labels, or `qrels` and `budget`"
            raise collection.error(place, problem)
        if ("qrels" in item) != ("budget" in item):
            problem = "goes with `qrels` only" if "budget" in item else "goes with `budget`"
            raise collection.error(place, f"{'budget' if 'budget' in item else 'qrels'}: {problem}")
        if item.get("qrels") in item["models"]:
            problem = f"{item['qrels']} holds the human labels: leave it out"
            raise collection.error(f"{place}.models", problem)
        if ("levels" in item) == ("qrels" in item):
            known, needed = "are those of the qrels: leave them out", "are needed: 4 for 0 to 3"
            raise collection.error(f"{place}.levels", known if "qrels" in item else needed)
        if item["measures"] and not collection.has_runs:
            problem = "are for systems, and the collection has no `runs`: leave them out"
            raise collection.error(f"{place}.measures", problem)
        for measure in parse_all(item["measures"]):
            try:
                check_estimable(measure)
            except RegradeError as error:
                raise collection.error(f"{place}.measures", error) from error

    @declare.job(
        reads=(
            declare.sets("models"),
            declare.file("file", load="regrade.readers.labels.load_sample"),
            declare.sets("qrels"),
            declare.RUNS_IF_ANY,
        ),
        uses="levels budget measures several assume odds_ratio replays seed",
        pairs_of_systems=0.3,
        minutes=20,
    )
    def estimate_full(data, levels, budget, measures, several, assume, seed, **how):
        """Full judging estimated from people's labels of a sample and models' labels."""
        from regrade.answers.words import reading_notes
        from regrade.estimation.answer import answer
        from regrade.estimation.assignment import drawn_sample
        from regrade.estimation.measure_estimates import estimate_tables
        from regrade.estimation.samples import Documents
        from regrade.readers.labels import ScaledSample

        models = {one.name: one.table for one in data.models}
        ranked = data.runs and data.runs.ranked()
        sample, rules = data.file, {}
        if sample is None:
            people, scale = data.qrels.table, data.qrels.scale
            drawn = drawn_sample(people, models, ranked, budget, measures, scale, seed)
            sample = ScaledSample(drawn, scale)
        else:
            rules = {"ranked": ranked, "measures": measures}
        documents = Documents.of(sample.table, models, assume, several, **rules)
        labelled, known = documents.labelled.sum(), len(documents.topics)
        data.log.info("people labelled %d of %d documents", labelled, known)
        if ranked is not None:
            ranked = ranked.with_topics({*documents.topics})
        tables = estimate_tables(documents, ranked, measures, sample.scale, seed, **how)
        conclusion = answer(tables).with_notes(
            reading_notes("labels", {"left_out": sample.left_out})
        )
        return tables | {"answer": conclusion}
