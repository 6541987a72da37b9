"""The stages of this subject, as a collection asks for them."""

from regrade.stages import declare


class Estimates(declare.Stage):
    """What labels by people of all documents would have said, from their labels of some that were
    chosen at random and models' labels of all; without `runs`, of grades and of models'
    agreement with people alone. Give `file`, or `qrels` and `budget`. Results go to
    `estimates/<name>`.
    """

    key = "estimates"
    place = 560
    about = "What full judging would have said, from few labels by people and many by models."
    called = "{models[0]}"
    target = "estimated"
    tables = (
        declare.Tables("estimates", runs=declare.UNUSED, tell_of_runs=("estimates/facts",)),
        declare.Tables("estimated_systems", runs=declare.USED),
    )
    card = declare.Card("estimate", draws=("labels", "systems", "pairs"), first=declare.FIRST)

    name = declare.item_name("What it is called; absent, as the first model.")
    models = declare.several("qrels", "Qrels of models, on any scale.", least=1)
    file = declare.option(
        declare.ABSENT,
        "What `regrade assign` wrote, filled in by people - a CSV file with the columns topic, "
        "docno, inclusion, chosen, grade, batch where there are several, and worker where "
        "several people labelled a document, of whom the majority counts. It needs `levels`.",
        type="string",
    )
    levels = declare.schema(declare.ABSENT, "", **{"$ref": "#/$defs/levels"})
    qrels = declare.one(
        "qrels",
        "Labels by people of all documents, of which only those that `budget` chooses count.",
        scale="listed",
        default=declare.ABSENT,
    )
    budget = declare.option(
        declare.ABSENT,
        "How many documents are chosen, as `regrade assign` does.",
        type="number",
        above=0,
    )
    measures = declare.measures(
        None,
        "P, DCG, SDCG, RBP, INSQ, nDCG or AP, where there are `runs`; absent or null, those of "
        "nDCG@10 and AP that mean something on the scale.",
    )
