"""The stages of `topic_analysis`: what each topic contributes to an evaluation."""

from regrade.stages import declare
from regrade.stages.checks import check_inputs


class TopicAnalysis(declare.Stage):
    """Topics: which are hard, which separate systems, which decide between two systems, and on
    which a second set of labels disagrees. Results go to `topic-analysis/<name>`.
    """

    key = "topic_analysis"
    place = 120
    question = "Which topics matter?"
    door = declare.Door("topics", command="topics", brings="runs, labels; or scores")
    about = "Labels whose topics to analyse."
    called = "{qrels}"
    tables = (
        declare.Tables("topic_analysis"),
        declare.Tables("topic_analysis_documents", of_labels=True),
        declare.Tables("topic_analysis_labels", asks=("second",)),
    )
    card = declare.Card("topics", section="Topics", draws=("scores",))
    scaled_by = ("qrels", "second")

    name = declare.item_name("Name of the item; absent, the name of its qrels or scores.")
    qrels = declare.one("qrels", "The qrels to score with.", scale="graded", default=None)
    scores = declare.SCORES
    either = ("qrels", "scores")
    second = declare.one(
        "qrels", "Other qrels of the same topics, to compare with.", scale="graded", default=None
    )
    between = declare.options(
        None,
        "Names of two runs between which each topic's influence is measured.",
        type="string",
        fewest=2,
        most=2,
    )
    measures = declare.measures(
        None,
        "Measures of the systems; absent or null, those of nDCG@10 and AP that are defined on "
        "the scale; of scores by item all of these.",
    )
    metric = declare.option("ordinal", "The metric of Krippendorff's α.", choices="METRICS")
    depth = declare.option(
        10,
        "Documents of each run that are listed, and among which a disagreement is counted.",
        least=1,
    )

    @classmethod
    def check(cls, collection, name, item):
        """It is about qrels or scores, and the second labels are others."""
        check_inputs(collection, cls, name, item, "second")
        if item["qrels"] and item["qrels"] == item["second"]:
            problem = f"{item['qrels']} is the first one already: name other qrels"
            raise collection.error(f"{cls.key}.{name}.second", problem)

    @declare.job(
        reads=(
            declare.RUNS,
            declare.codes("qrels"),
            declare.sets("qrels"),
            declare.sets("second"),
            declare.design("scores"),
        ),
        memory=2000,
        minutes=10,
    )
    def analyse_topics(data, measures, between, metric, depth):
        """What each topic contributes, and on which the labels disagree."""
        from regrade.evaluations.label_agreement import LabelPair
        from regrade.run_arrays import Judged
        from regrade.scoring import concat, score
        from regrade.topic_analysis.answer import answer
        from regrade.topic_analysis.per_topic import (
            FirstDocuments,
            Retrieved,
            SecondLabels,
            TopicOptions,
            topic_tables,
        )

        how = TopicOptions(between, metric, depth)
        if (design := data.scores) is not None:
            tables = topic_tables(design.scores, how)
            text = answer(tables).about_items().with_notes(design.notes)
            return tables | {"answer": text}
        first, second = data.qrels, data.second or None
        labels = second and LabelPair.of(
            (first.name, second.name), first.table, second.table, first.scale == second.scale
        )
        retrieved = labels and Retrieved(labels.both, depth)
        ranks, parts, others = FirstDocuments(depth), [], []
        for ranked, judged in data.chunks(first):
            parts.append(score(ranked, judged, measures, max_grade=first.high))
            ranks.look(ranked)
            if second:
                retrieved.look(ranked)
                judged = Judged.from_table(second.table, ranked)
                others.append(score(ranked, judged, measures, max_grade=second.high))
        under = second and SecondLabels(concat(others), labels, retrieved)
        tables = topic_tables(concat(parts), how, under)
        topics = tables["topics"]["topic"].drop_duplicates().tolist()
        labelled = [one and one.table.to_pandas() for one in (first, second)]
        return tables | ranks.tables(topics, *labelled) | {"answer": answer(tables)}
